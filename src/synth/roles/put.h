/* SPDX-License-Identifier: Apache-2.0 */
/* The writer of a pipe's text: the role that it is in, and the iteration whose operations it writes. */
#ifndef ZL_SYNTH_ROLES_PUT_H
#define ZL_SYNTH_ROLES_PUT_H

#include "synth/roles/roles.h"

/* An iteration: a number, or the counter or the trip count with a number. A peeled iteration behind the first is a loop of one, so
 * that its counter is known: a slot's number alone does not say which round of a ring is meant. */
enum { ZL_AT_NUMBER, ZL_AT_COUNTER, ZL_AT_END };
typedef struct zl_tp_at {
    int32_t base;
    int64_t add;
    bool known;
    int64_t number; /* of a known one */
} zl_tp_at;

static inline zl_tp_at zl_tp_number(int64_t number) { return (zl_tp_at){ZL_AT_NUMBER, number, true, number}; }

/* What threads of the role may have done last to a stage: a bit each, more than one where a loop begins or has ended. */
enum { ZL_HELD_WRITTEN = 1, ZL_HELD_READ = 2, ZL_HELD_STORED = 4 };

typedef struct zl_tp_writer {
    zl_text *out;
    const zl_tp *p;
    uint32_t role;
    const char *indent;
    zl_tp_found *found;
    uint32_t held[ZL_TP_VALUES];
    bool stored; /* the role has stores to wait for */
} zl_tp_writer;

/* Notes the program's line of what was written since `begin`. */
void zl_tp_wrote(zl_tp_found *found, const zl_text *out, size_t begin, uint32_t line);

/* `[e % stages]`, `[2]`. */
void zl_tp_put_slot(const zl_tp_writer *w, zl_tp_at at, uint32_t stages);
/* Waits for the phase of an index, or for the one before. */
void zl_tp_put_wait(const zl_tp_writer *w, const char *bar, zl_tp_at at, uint32_t stages, bool before);
/* The name of an epoch's barrier. */
const char *zl_tp_bar(char out[96], const zl_tp *p, int32_t group, uint32_t epoch, bool over);

/* What stands before an operation: waits, fences, what the role's threads do to a stage; the operation; and what behind it: arrivals. */
void zl_tp_put_op(zl_tp_writer *w, int32_t op, zl_tp_at at);
/* The end of a product of wgmma. */
void zl_tp_put_done(zl_tp_writer *w, const zl_tp_item *item, uint32_t segment, zl_tp_at at);
/* The operation's own lines. */
void zl_tp_put_event(zl_tp_writer *w, const zl_tp_op *op, zl_tp_at at);
/* What a role waits for before its loop, where it arrives behind it, and the arrivals that it waits for before the block ends. */
void zl_tp_put_begin(zl_tp_writer *w);
void zl_tp_put_over(zl_tp_writer *w);
void zl_tp_put_drain(const zl_tp_writer *w);

/* An index so many before. */
static inline zl_tp_at zl_tp_back(zl_tp_at at, int64_t by) { return (zl_tp_at){at.base, at.add - by, at.known, at.number - by}; }

#endif
