/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of proofs by order. It shares with the verifier the pipe, its parser and its printer,
 * and nothing else. Programs are written out again event by event, and every claim is tried by its
 * definition, slowly. */
#ifndef ZL_RECHECK_H
#define ZL_RECHECK_H

#include "pipe/language/pipe.h"

enum { ZL_RC_CLASSES = 64, ZL_RC_ROLES = 32, ZL_RC_STEPS = 1 << 15 };

/* One event of a role's program, written out for given trip counts. */
typedef struct zl_rc_op {
    const zl_event *event;
    int64_t position, bar_q, q[2];
    int32_t over;   /* the op that ends it: itself, or the wait for its group; -1 none */
    int32_t fenced; /* the first proxy fence behind `over`, -1 none */
} zl_rc_op;

typedef struct zl_rc_program {
    zl_rc_op *ops;
    uint32_t count, room;
} zl_rc_program;

/* A class as the proof names it. */
typedef struct zl_rc_class {
    int32_t kind, role, object, variant; /* kind: index into the table of recheck.c */
    uint32_t line;
    bool total;
} zl_rc_class;

typedef struct zl_recheck {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    int32_t inner, outer; /* params of positions and of tiles; -1 */
    int64_t window, stages, total;
    int32_t *own;         /* per smem: the role that keeps it for itself, -1 */
    zl_rc_program programs[ZL_RC_ROLES];
    int64_t (*offset)[3]; /* per event: how far its indices lie from its position */
    int64_t slope, *time; /* per event */
    bool *tight;          /* per event: some other event keeps it from being earlier */
    zl_rc_class classes[ZL_RC_CLASSES];
    uint32_t classes_count;
    int64_t weight[ZL_RC_CLASSES][ZL_RC_CLASSES]; /* INT64_MAX: no order */
    const char *fault;    /* NULL: none so far */
    uint32_t line;        /* of the pipe, 0: the proof's */
    zlay_status status;
} zl_recheck;

/* Note the first fault; answers false. */
bool zl_rc_refuse(zl_recheck *r, const char *fault, uint32_t line);

bool zl_rc_writes(const zl_event *e);
int64_t zl_rc_arrivals(const zl_role *role, int32_t scope);

/* Written and read by one instance of one role. */
void zl_rc_find_own(zl_recheck *r);
bool zl_rc_is_own(const zl_recheck *r, int32_t smem, int32_t role);

/* The events are those that the checker knows, and setmaxnreg is legal. */
bool zl_rc_covers(zl_recheck *r);

/* The form of the loops, and from it inner, outer, window and stages. */
bool zl_rc_form(zl_recheck *r);

/* The programs of all roles for the i-th pair of trip counts that a proof has to stand; false past
 * the last. */
bool zl_rc_programs(zl_recheck *r, uint32_t i);

/* Check the setup, what one role may break by itself, and the sums at every index. */
bool zl_rc_setup(zl_recheck *r);
bool zl_rc_roles(zl_recheck *r);
bool zl_rc_sums(zl_recheck *r);

#endif
