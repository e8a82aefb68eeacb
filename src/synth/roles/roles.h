/* SPDX-License-Identifier: Apache-2.0 */
/* A tile program while its pipe is made: the operations of one loop over tiles, with what stands before and after it, the
 * values that they access, and what is derived of them: times, roles, epochs and barriers. */
#ifndef ZL_SYNTH_ROLES_H
#define ZL_SYNTH_ROLES_H

#include "base/base.h"
#include <zlay/pipe.h>
#include <zlay/roles.h>
#include <zlay/tmem.h>

enum {
    ZL_TP_VALUES = 96,
    ZL_TP_OPS = 96,
    ZL_TP_OPERANDS = 20, /* of an operation */
    ZL_TP_EPOCHS = 12,   /* of a value */
    ZL_TP_ROLES = ZLAY_ROLES_MOST,
    ZL_TP_ITEMS = 2 * ZL_TP_OPS,
    ZL_TP_PEEL = 16,     /* iterations before the loop */
    ZL_TP_NAME = 72,
    ZL_TP_DEPTH = 64     /* stages of a ring */
};

enum { ZL_TP_REGISTERS, ZL_TP_SHARED, ZL_TP_TMEM };
enum { ZL_TP_BEFORE, ZL_TP_LOOP, ZL_TP_AFTER, ZL_TP_SECTIONS };
enum { ZL_TP_COPY, ZL_TP_MMA, ZL_TP_USE, ZL_TP_TLD, ZL_TP_TST, ZL_TP_WRITE, ZL_TP_STORE };
enum { ZL_TP_READS = 1, ZL_TP_WRITES = 2 };

/* A part of the program's text. */
typedef struct zl_tp_span {
    const char *text;
    size_t length;
} zl_tp_span;

typedef struct zl_tp_value {
    char name[ZL_TP_NAME];
    int32_t space;
    bool each;       /* one of each instance */
    uint32_t line;
    zl_tp_span size; /* bytes as written */
    uint64_t bytes;
    uint32_t columns;
    uint32_t most;   /* stages that the program asks for; 0: as many as the times want */
    int32_t group;   /* the first value of those that share barriers */
    bool carried;    /* an iteration reads what the one before left */
} zl_tp_value;

typedef struct zl_tp_operand {
    int32_t value;
    uint32_t access;
} zl_tp_operand;

typedef struct zl_tp_op {
    int32_t kind, section;
    uint32_t line;
    zl_tp_operand operand[ZL_TP_OPERANDS];
    uint32_t operands;
    zl_tp_span word; /* tensor or bulk; body NAME */
    zl_tp_span tail; /* bytes, columns, part, positions */
    bool fresh, first; /* a sum begins; in the first iteration alone */
    uint32_t from;   /* the first iteration that has it */
    bool timed;
    int64_t at, cycles, latency;
    int64_t queue; /* cycles that it waits in the tensor core behind other products: it is issued so long before `at` */
    int32_t part; /* of operations that share registers */
    int32_t role;
} zl_tp_op;

/* A set of operations. */
typedef struct zl_tp_set {
    uint64_t word[(ZL_TP_OPS + 63) / 64];
} zl_tp_set;

/* Accesses of a group of values that need no order among roles, and the barrier that says when they are over; stages 0: none. */
typedef struct zl_tp_epoch {
    int32_t section;
    zl_tp_set ops;
    uint32_t roles;  /* a bit each */
    bool writes;
    uint32_t from;
    uint32_t stages, count;
    bool over;       /* a barrier more, of one phase: when the loop is over */
} zl_tp_epoch;

typedef struct zl_tp_group {
    zl_tp_epoch epoch[ZL_TP_EPOCHS];
    uint32_t epochs, first[ZL_TP_SECTIONS + 1]; /* epochs of a section begin there */
    uint32_t depth;
    bool ring; /* an iteration fills a stage of its own */
    uint32_t from;
} zl_tp_group;

/* One thing that a role does in an iteration: an operation, or the wait for its end. */
typedef struct zl_tp_item {
    int32_t op;
    bool done;
    int64_t start, stage, offset; /* stage and offset count from where the role's loop begins */
    int64_t queue; /* cycles that a product waits in the tensor core */
    uint32_t open[3]; /* of done: groups that stay open; before the loop, in it, behind it */
} zl_tp_item;

enum { ZL_TP_LOADS, ZL_TP_PRODUCTS, ZL_TP_COMPUTES, ZL_TP_STORES };

typedef struct zl_tp_role {
    char name[24];
    int32_t kind;
    uint32_t warps, first_warp;
    zl_tp_item item[ZL_TP_ITEMS];
    uint32_t items, peel;
    int64_t stages; /* beyond the first */
} zl_tp_role;

/* The program's line that the writer is at when its text reaches a byte; 0: none. */
typedef struct zl_tp_found {
    size_t at;
    uint32_t line;
} zl_tp_found;

typedef struct zl_tp {
    zlay_ctx *ctx;
    const zlay_target *target;
    bool tmem;           /* products by tcgen05 */
    char name[ZL_TP_NAME], param[ZL_TP_NAME];
    int64_t least;
    zl_tp_span range;    /* of the param */
    uint32_t instances;
    bool no_turns, turnless, turns; /* the program wants none; none are tried; instances take turns */
    uint32_t deep;                  /* the group, and 1, whose ring has more stages than there can be; 0: none */
    uint32_t fewer[ZL_TP_VALUES];   /* stages that a value is to have, where those that the times want do not fit; 0: as many */
    int64_t ii, bound;
    zl_tp_span moves, bodies[ZLAY_ROLES_BODIES];
    uint32_t bodies_count, body_line[ZLAY_ROLES_BODIES], loop_line, move_line[ZL_TP_VALUES];
    char move[ZL_TP_VALUES][ZL_TP_NAME];
    uint64_t move_bytes[ZL_TP_VALUES];
    uint32_t moves_count;
    zl_tp_value value[ZL_TP_VALUES];
    uint32_t values;
    zl_tp_op op[ZL_TP_OPS];
    uint32_t ops;
    zl_tp_group group[ZL_TP_VALUES];
    zl_tp_role role[ZL_TP_ROLES];
    uint64_t smem;
    uint32_t columns;
    uint32_t roles, warps, launch, compute; /* registers of a thread at launch, and of one that computes */
    zl_tp_found *found; /* what the writer looks for; NULL: nothing */
} zl_tp;

static inline void zl_tp_add(zl_tp_set *s, uint32_t i) { s->word[i / 64] |= 1ull << i % 64; }
static inline bool zl_tp_has(const zl_tp_set *s, uint32_t i) { return s->word[i / 64] >> i % 64 & 1; }
static inline bool zl_tp_same(const zl_tp_set *a, const zl_tp_set *b)
{
    for (size_t i = 0; i < ZL_COUNT(a->word); i++)
        if (a->word[i] != b->word[i]) return false;
    return true;
}

/* Whether each instance has operations of its own: roles of one thread issue for all of them. */
static inline bool zl_tp_expands(const zl_tp *p) { return p->tmem && p->instances > 1; }

/* How an operation accesses a value, ZL_TP_READS and ZL_TP_WRITES; 0: it does not. */
static inline uint32_t zl_tp_access(const zl_tp_op *op, int32_t value)
{
    uint32_t access = 0;
    for (uint32_t i = 0; i < op->operands; i++)
        if (op->operand[i].value == value) access |= op->operand[i].access;
    return access;
}

/* The value that a product adds to. */
static inline int32_t zl_tp_sum(const zl_tp_op *op) { return op->operand[op->operands - 1].value; }

static inline int64_t zl_tp_issue(const zl_tp_op *op) { return op->at - op->queue; }

/* Whether an operation is over only some time after a thread has issued it. */
static inline bool zl_tp_async(const zl_tp_op *op) { return op->kind == ZL_TP_COPY || op->kind == ZL_TP_MMA || op->kind == ZL_TP_STORE; }

/* Where `i`, the iteration, stands in a text next, at `from` or behind it; at its end: nowhere. */
size_t zl_tp_iteration(zl_tp_span tail, size_t from);
/* Reads the program. */
zlay_status zl_tp_read(zl_tp *p, const char *text, size_t length);
/* Parts operations that access registers: those of one register are in one part. */
void zl_tp_parts(zl_tp *p);
/* Checks the starts of a program, or finds those that are as early as dependences let them. */
zlay_status zl_tp_times(zl_tp *p);
/* Parts the operations into roles, orders each role, and counts what it has open. */
zlay_status zl_tp_assign(zl_tp *p);
zlay_status zl_tp_order(zl_tp *p);
/* Parts the accesses of each value into epochs, with the barriers between them, and finds depths. */
zlay_status zl_tp_epochs(zl_tp *p);
/* Whether each thread of a role arrives, as threads access shared memory in the epoch. */
bool zl_tp_by_threads(const zl_tp *p, const zl_tp_epoch *e, uint32_t role);
/* The first operation of a role in an epoch to begin, and the last to end. */
int32_t zl_tp_edge(const zl_tp *p, const zl_tp_epoch *e, uint32_t role, bool last);
/* Refuses a pipe that breaks a rule, or that the pipe's parser does not take: a body, or what stands behind an operation. */
zlay_status zl_tp_refuse(zl_tp *p, const char *text, size_t length, const zlay_pipe_reason *reason);
zlay_status zl_tp_unread(zl_tp *p, zlay_status status, const char *text, size_t length);
/* The pipe's text; `value` is a zl_tp. */
void zl_tp_put(zl_text *out, const void *value);

#endif
