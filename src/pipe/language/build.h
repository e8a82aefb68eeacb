/* SPDX-License-Identifier: Apache-2.0 */
/* A builder of pipes: it composes one line at a time, and the parser reads the line. */
#ifndef ZL_PIPE_BUILD_H
#define ZL_PIPE_BUILD_H

#include "pipe/language/parse.h"
#include <zlay/pipe_build.h>

enum { ZL_BUILD_LINE = 4096 };

struct zlay_pipe_builder {
    zlay_allocator alloc;
    zl_parser parser; /* its pipe is NULL when it was given away */
    char line[ZL_BUILD_LINE];
    zl_text text;
    char wrong[128]; /* what the line cannot say; "": nothing */
};

/* Begin a line; put a name, a position, a sum of bytes, each behind a blank. */
void zl_build_begin(zlay_pipe_builder *b, const char *word);
void zl_build_name(zlay_pipe_builder *b, const char *name, const char *field);
void zl_build_at(zlay_pipe_builder *b, const zlay_pipe_at *at);
void zl_build_bytes(zlay_pipe_builder *b, const zlay_pipe_bytes *bytes);
void zl_build_wrong(zlay_pipe_builder *b, const char *field, const char *what);

/* Lets the parser read the line: as a part of a call, and as a public call. */
zlay_status zl_build_read(zlay_ctx *ctx, zlay_pipe_builder *b);
zlay_status zl_build_call(zlay_ctx *ctx, zlay_pipe_builder *b);

/* zlay_pipe_builder_declare as a part of a call. */
zlay_status zl_build_declare(zlay_ctx *ctx, zlay_pipe_builder *b,
                             const zlay_pipe_declaration *from);

/* An event while its line is written; what a field said is cleared from the copy. */
typedef struct zl_build_writer {
    zlay_pipe_builder *b;
    zlay_pipe_event *e;
    zl_event_token token;
    uint32_t stages; /* of the ring that was named last */
} zl_build_writer;

/* A position in parentheses; a stage of a ring, NAME[POS % s]; the registers of a use; what stands behind them. */
void zl_build_position(zl_build_writer *w, zlay_pipe_at *at);
void zl_build_slot(zl_build_writer *w, int of, const char **name, zlay_pipe_at *at,
                   const char *field);
void zl_build_accs(zl_build_writer *w);
void zl_build_use(zl_build_writer *w);

/* The line of an event. */
void zl_build_event(zlay_pipe_builder *b, const zlay_pipe_event *event);

/* A field of a struct: its name, where it is, how long. */
typedef struct zl_field {
    const char *name;
    size_t offset, size;
} zl_field;

/* Every field that is left in a copy from which what was used has been cleared is one too many. */
void zl_build_rest(zlay_pipe_builder *b, const void *copy, const zl_field *fields, size_t count);

#endif
