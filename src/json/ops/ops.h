/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations, without what an operation needs to run: the program's help reads it. */
#ifndef ZL_OPS_H
#define ZL_OPS_H

#include "json/op.h"

/* The i-th op, NULL past the last; the op of a name, NULL for none. */
const zl_op *zl_op_at(size_t i);
const zl_op *zl_op_find(const char *name);
void zl_ops_offer(zl_like *like);

/* The names of an op's fields: those that a request needs, or those that it may have. */
enum { ZL_NAMES_MOST = 1024 };
void zl_op_names(zl_text *out, const zl_op *op, bool needed);

/* A descriptor given as bits, a line a field: argv holds WHAT, TARGET, BITS and further fields of
 * WHAT.unpack as NAME=VALUE. */
zlay_status zl_decode_bits(zlay_ctx *ctx, zlay_buf *out, int argc, char **argv);

/* What places prints of a tile program in JSON: argv holds TARGET and further fields of places.find
 * as NAME=VALUE. */
zlay_status zl_places_text(zlay_ctx *ctx, zlay_buf *out, const char *program, int argc,
                           char **argv);

/* The text that emit prints of `what`, in memory that free() takes. `usage` names the arguments: a
 * field of the request in capitals each, in brackets where it may be left out; FILE is the field
 * `pipe`; NAME, where it is left out, is `what`, of a tensor map `map`; what stands behind is
 * FIELD=VALUE. A list is written with commas, a pair in it with a colon: register:2,lane:32. */
zlay_status zl_emit_asked(zlay_ctx *ctx, char **out, const char *what, const char *usage, int argc,
                          char **argv);

/* The same of a command `io WHAT`, whose operation is io.WHAT. */
zlay_status zl_io_asked(zlay_ctx *ctx, char **out, const char *what, const char *usage, int argc,
                        char **argv);

/* What pipe.cycles answers, a line a field; its arguments as zl_emit_asked has them. */
zlay_status zl_cycles_asked(zlay_ctx *ctx, char **out, const char *usage, int argc, char **argv);

/* A command `show WHAT`: its arguments, as zl_emit_asked has them, and the terminal's line. */
typedef struct zl_show_line {
    const char *what, *usage;
    uint32_t width;
    bool colour;
} zl_show_line;

/* The text of the operation show.WHAT, in memory that free() takes; of form=json the picture. */
zlay_status zl_show_asked_of(zlay_ctx *ctx, char **out, const zl_show_line *line, int argc,
                             char **argv);

/* The schedule of a request of pipe.schedule in JSON, for people, in memory that free() takes. */
zlay_status zl_schedule_asked(zlay_ctx *ctx, char **out, const char *text, size_t length);

/* Room for an answer of `need` bytes and its final 0; NULL: there is none. */
typedef char *zl_json_room(void *user, size_t need);

/* zlay_json_call whose answer goes to where `room` says, so that no request is answered twice
 * because its answer was longer than expected; EROOM where there is none. */
zlay_status zl_json_call(zlay_ctx *ctx, zl_json_room *room, void *user, const char *line,
                         size_t size);

#endif
