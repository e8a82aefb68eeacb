/* SPDX-License-Identifier: Apache-2.0 */
/* The value behind zlay_pipe: flat arrays of declarations, roles and events, so that printing,
 * proving and emitting are loops over them. */
#ifndef ZL_PIPE_H
#define ZL_PIPE_H

#include "base/base.h"
#include "body/body.h"
#include <zlay/pipe.h>

#define ZL_PIPE_LOOPS 4  /* deepest nesting of loops in a role */
#define ZL_PIPE_NAMES 64 /* most names of one sort */
enum { ZL_PIPE_INDICES = 4, ZL_PIPE_STAGES = 8 /* of a body's reads */ };
/* A position of a body that is the number of the block, in the grid's first, second or third dimension, or the first row or
 * column of the tile that a block computes, in elements, or the number of the group of rows that has the tile. */
enum { ZL_POS_BLOCK = -2, ZL_POS_BLOCK_Y = -3, ZL_POS_BLOCK_Z = -4, ZL_POS_TILE_ROW = -5, ZL_POS_TILE_COLUMN = -6,
       ZL_POS_TILE_GROUP = -7, ZL_POS_LAST = -8 /* where the block's trip count ends */ };

/* A position: (counter of a loop) * (param or scale) + (param) + add; -1: absent.  `i - 1`, `t*N + N - 1`, `i*2`, `3`. */
typedef struct zl_pos {
    int32_t loop;  /* depth of the loop whose counter it is, 0 the outermost; -1: none */
    int32_t times; /* the param that multiplies the counter; -1: none */
    int32_t plus;  /* a param that is added; -1: none */
    int64_t add;
    int64_t scale; /* the number that multiplies the counter, from 2 on; 0: none */
} zl_pos;

/* The value of a position where params have one value each: `counters` by the depth of their loops, `params` by number. The
 * checker of proofs (src/pipe/replay) has its own, and so have runs of pipes with counts of each iteration. */
static inline int64_t zl_pos_value(const zl_pos *pos, const int64_t *counters, const int64_t *params)
{
    int64_t counter = pos->loop >= 0 ? counters[pos->loop] : 0;
    if (pos->times >= 0) counter *= params[pos->times];
    else if (pos->scale) counter *= pos->scale;
    return counter + pos->add + (pos->plus >= 0 ? params[pos->plus] : 0);
}

/* Whether two positions differ by a number alone. The struct has padding, so its bytes may not be
 * compared. */
static inline bool zl_pos_moves_alike(const zl_pos *a, const zl_pos *b)
{
    return a->loop == b->loop && a->times == b->times && a->plus == b->plus && a->scale == b->scale;
}

static inline bool zl_pos_equal(const zl_pos *a, const zl_pos *b)
{
    return zl_pos_moves_alike(a, b) && a->add == b->add;
}

/* Events, in the order of their rows. */
typedef enum zl_event_kind {
    ZL_EV_NONE,
#define EVENT(kind, word, where, by, operands, does) ZL_EV_##kind,
#include "pipe/language/events.def"
#undef EVENT
    ZL_EV_END, /* of a loop */
    ZL_EV_COUNT
} zl_event_kind;

/* Values of zl_event.scope, by kind, in the order of the words in tokens.c. */
enum { ZL_BY_ONE = 0, ZL_BY_WARPS, ZL_BY_THREADS };                          /* arrive */
enum { ZL_COPY_TENSOR = 0, ZL_COPY_BULK, ZL_COPY_SHARED };                   /* copy */
enum { ZL_GROUP_WGMMA = 0, ZL_GROUP_BULK, ZL_GROUP_BULK_READ, ZL_GROUP_CPASYNC, ZL_GROUP_TCGEN05 }; /* commit, waitgroup */
enum { ZL_FENCE_WGMMA = 0, ZL_FENCE_PROXY, ZL_FENCE_MBARRIER, ZL_FENCE_TENSORMAP, ZL_FENCE_BEFORE, ZL_FENCE_AFTER }; /* fence */
enum { ZL_SYNC_ROLE = 0, ZL_SYNC_CTA, ZL_SYNC_CLUSTER, ZL_SYNC_NAMED, ZL_SYNC_WARP };      /* sync, join, meet */
enum { ZL_TWAIT_LD = 0, ZL_TWAIT_ST };                                       /* twait */
enum { ZL_REGS_INC = 0, ZL_REGS_DEC };                                       /* setmaxnreg */
enum { ZL_GRIDDEP_WAIT = 0, ZL_GRIDDEP_LAUNCH };                             /* griddep */
enum { ZL_QUEUE_MEMORY = 0, ZL_QUEUE_SHARED };                               /* waitcount */
enum { ZL_CTA_OWN = -1, ZL_CTA_ALL = -2 };                                   /* zl_event.cta, else a rank */

/* The part of a number of bytes that was written as moves; the rest was written as a number. */
enum { ZL_TERMS = 4 };
typedef struct zl_moved {
    uint32_t count;
    struct { int32_t times, move; } term[ZL_TERMS];
} zl_moved;

/* An event. The fields that every proof reads come first. */
typedef struct zl_event {
    zl_event_kind kind;
    uint32_t line;      /* of the text, from 1 */
    int32_t scope;      /* one of the enumerations above */
    int32_t bar;        /* index into bars; -1 */
    int32_t smem[2];    /* indices into smems; -1.  mma: A, B; copy: to, from */
    int32_t acc;        /* index into accs; -1 */
    int32_t part;       /* which piece of the plan's operand, 0 the default */
    int32_t fresh;      /* mma */
    int32_t flip;       /* wait: 0 or 1 */
    int32_t match;      /* FOR: index of its END and the reverse */
    int64_t count;      /* bytes, groups, threads, registers */
    zl_pos at[2];       /* slot positions of smem[0], smem[1]; at[0] of FOR is its first */
    zl_pos bar_at;      /* slot position of bar; of FOR its last (excluded) */
    zl_pos parity;      /* wait: the parity tested is (parity / stages + flip) % 2 */
    int32_t acc_a;      /* mma: A in registers; -1 */
    int32_t acc_b;      /* mma: B in registers, as A is; -1 */
    int32_t tmem[2];    /* indices into tmems; -1.  mma: D, A */
    int32_t map;        /* index into others; -1 */
    int32_t other;      /* index into others, a global or a flag; -1 */
    int32_t cta;        /* whose barrier, whose memory: ZL_CTA_OWN, ZL_CTA_ALL or a rank */
    int32_t bar_cta;    /* copy: the block whose barrier is signalled; ZL_CTA_OWN: the memory's */
    int32_t relative;   /* 1: `cta` is added to the own rank, modulo the cluster's blocks */
    uint32_t multicast; /* mask of blocks; 0: none */
    uint32_t times;     /* arrivals by one thread, instructions of a warp; 1 the default */
    uint32_t named;     /* sync, join: the barrier's number, of the role's first instance */
    int32_t named_step; /* what each instance adds to it: 1, -1, or 0 */
    uint32_t lanes[2];  /* tld, tst: first and last lane; 0, 127 the default */
    uint32_t columns[2]; /* tld, tst: first and last column of the stage */
    zl_pos tmem_at[2], map_at, other_at;
    zl_moved moved;     /* of `count` */
    int64_t step;       /* FOR */
    int32_t over;       /* FOR: the param whose iterations have a count each, of which it runs all or a part; -1 */
    int32_t body;       /* use: index into bodies; -1 */
    uint32_t joined;    /* use, read: which of its line's events it is, 0 the first: of a use one for each register, then one for each
                         * stage; of a read that adds the use of the registers */
    uint32_t uses;      /* use, the first of its line: of how many registers; read: 1 where it adds to registers */
    int32_t clear;      /* await: 1: the counter is 0 behind it */
    uint32_t reads;     /* use, the first of its line: of how many stages, in events behind those of the registers */
    uint32_t indices;   /* use: positions behind `at`, for the body's index operands */
    zl_pos index[ZL_PIPE_INDICES]; /* loop ZL_POS_BLOCK and the like: the number of the block */
    int32_t modulo[ZL_PIPE_INDICES]; /* of each position the param that it is taken modulo; -1: none */
    int32_t when;       /* use, 1: the body runs only where bar_at is below parity */
    char name[65];      /* FOR: the counter's name; use: the function's, or empty */
} zl_event;

/* param NAME least..[most] [of PARAM]; of: the param whose iterations have such a count each; -1: none */
typedef struct zl_param { char name[65]; int64_t least, most; int32_t of; } zl_param;
typedef struct zl_move_name { char name[65]; int64_t bytes; } zl_move_name; /* move NAME BYTES */
typedef struct zl_smem { char name[65]; uint32_t stages; int64_t bytes; int32_t each; zl_moved moved; } zl_smem; /* smem NAME[stages] BYTES [each] */
typedef struct zl_tmem { char name[65]; uint32_t stages, columns; int32_t pair; } zl_tmem; /* tmem NAME[stages] COLUMNS [pair] */
typedef struct zl_bar { char name[65]; uint32_t stages; int64_t count; } zl_bar; /* bar NAME[stages] count C */
typedef struct zl_acc { char name[65]; int32_t role; } zl_acc;      /* named by use; private to a role */

/* body NAME .. end */
typedef struct zl_body_name { char name[65]; zlay_body *body; } zl_body_name;

/* map|global|flag NAME[stages] [each]; each: of a global or a flag, one for each instance of the roles that use it */
enum { ZL_OTHER_MAP = 0, ZL_OTHER_GLOBAL, ZL_OTHER_FLAG };
typedef struct zl_other { char name[65]; int32_t sort; uint32_t stages; int32_t each; } zl_other;

/* role NAME warps FIRST..LAST [each W] [elect] [cta C] ... end: LAST included; `each W`: instances of W warps */
typedef struct zl_role {
    char name[65];
    uint32_t first_warp, last_warp, each; /* each: warps of one instance */
    int32_t elect;                        /* 1: one thread of the role runs it all */
    int32_t cta;                          /* the block that runs it; ZL_CTA_ALL: every block does */
    uint32_t begin, end;                  /* its events */
    uint32_t line;
} zl_role;

enum { ZL_OF_PARAM, ZL_OF_SMEM, ZL_OF_BAR, ZL_OF_ACC, ZL_OF_ROLE, ZL_OF_EVENT, ZL_OF_MOVE, ZL_OF_TMEM, ZL_OF_OTHER, ZL_OF_BODY, ZL_OF_COUNT };

struct zlay_pipe {
    zlay_allocator alloc;
    char name[65];
    uint32_t blocks;    /* of the cluster; 1 the default */
    uint32_t registers; /* of a thread at launch; 0: not said */
    zl_param *params;
    zl_smem *smems;
    zl_bar *bars;
    zl_acc *accs;
    zl_role *roles;
    zl_event *events; /* those before the roles first: [0, setup) */
    zl_move_name *moves;
    zl_tmem *tmems;
    zl_other *others;
    zl_body_name *bodies;
    uint32_t bodies_count, params_count, smems_count, bars_count, accs_count, roles_count, events_count, moves_count, tmems_count, others_count, setup;
    size_t room[ZL_OF_COUNT]; /* allocated entries of the arrays, by ZL_OF_ */
};

/* The columns of events.def: where an event may stand, and who runs it. */
enum { ZL_IN_SETUP = 1, ZL_IN_ROLE = 2 };
enum { ZL_RUN_ONE, ZL_RUN_ALL, ZL_RUN_THREADS, ZL_RUN_WARPS, ZL_RUN_GROUP, ZL_RUN_WARP, ZL_RUN_SCOPE }; /* by */
enum { ZL_OPERANDS = 13 };
typedef enum zl_event_token {
    ZL_T_END,
#define TOKEN(name, function) ZL_T_##name,
#include "pipe/language/tokens.def"
#undef TOKEN
    ZL_T_COUNT
} zl_event_token;
typedef struct zl_event_form {
    const char *word;
    int32_t where, by;
    uint8_t operands[ZL_OPERANDS]; /* zl_event_token, ZL_T_END behind the last */
    const char *does;
} zl_event_form;
extern const zl_event_form zl_forms[ZL_EV_COUNT];

/* A product into accumulators, of registers with registers, into tensor memory. */
enum { ZL_PRODUCT_GROUP = 0, ZL_PRODUCT_WARPS, ZL_PRODUCT_ONE };
/* Who runs an event: its row's `by`, or that of its way. */
int32_t zl_event_by(const zl_event *e);

/* The words of an operand that chooses a way, by scope; NULL where a number has no word. */
enum { ZL_WAYS = 6 };
extern const char *const zl_ways[ZL_T_COUNT][ZL_WAYS];

/* The phase of its barrier that an event of a role works on, as a function of the counters around it: `i / 4`. */
void zl_pipe_put_phase(zl_text *out, const zlay_pipe *pipe, uint32_t event);

/* The line of an event, as it is printed in its role. */
void zl_pipe_put_event(zl_text *out, const zlay_pipe *pipe, uint32_t event);

/* How many events all threads of the cluster run at these values of the params, an instance's counted once;
 * UINT64_MAX: a role takes more than `most` steps. */
uint64_t zl_pipe_count_events(const zlay_pipe *pipe, const int64_t *values, uint64_t most);

/* The words of ZL_POS_BLOCK to ZL_POS_LAST. */
enum { ZL_BLOCK_WORDS = 7 };
extern const char *const zl_block_words[ZL_BLOCK_WORDS];

/* An event with nothing named. */
zl_event zl_event_of(zl_event_kind kind, uint32_t line);

/* Whether an expectation and the event behind it are one instruction: an arrival of one thread at the same place. */
bool zl_events_join(const zl_event *expect, const zl_event *next);

/* Whether threads of another block arrive at an mbarrier, and whether it may order ordinary accesses between blocks of a cluster. */
bool zl_bar_is_remote(const zlay_pipe *pipe, int32_t bar);
bool zl_bar_is_clustered(const zlay_pipe *pipe, int32_t bar);

/* Warps of each block: a launch has all up to the highest that a role names. */
static inline uint32_t zl_pipe_warps(const zlay_pipe *pipe)
{
    uint32_t warps = 0;
    for (uint32_t i = 0; i < pipe->roles_count; i++)
        if (pipe->roles[i].last_warp >= warps) warps = pipe->roles[i].last_warp + 1;
    return warps;
}

enum { ZL_TAIL_MOST = 8 };
/* How many iterations from the last one a place between iterations lies, of a loop over PARAM or a part of it; -1: it lies elsewhere. */
static inline int64_t zl_from_last(const zl_pos *pos, int32_t param)
{
    const zl_pos last = {-1, -1, param, 0, 0};
    bool there = zl_pos_moves_alike(pos, &last) && pos->add <= 0 && pos->add >= -ZL_TAIL_MOST;
    return there ? -pos->add : -1;
}

/* Whether a loop is `for .. in 0..PARAM`, or a part of it that begins or ends a number of iterations before the last, one by one. */
static inline bool zl_loop_is_over(const zl_event *loop, int32_t param)
{
    const zl_pos zero = {-1, -1, -1, 0, 0};
    bool begins = zl_pos_equal(&loop->at[0], &zero) || zl_from_last(&loop->at[0], param) > 0;
    return begins && zl_from_last(&loop->bar_at, param) >= 0 && loop->step == 1;
}

/* Every position of an event, named or not. */
enum { ZL_POSITIONS = 8 };
static inline void zl_event_positions(const zl_event *e, const zl_pos *out[ZL_POSITIONS])
{
    const zl_pos *all[ZL_POSITIONS] = {&e->at[0],      &e->at[1],      &e->bar_at, &e->parity,
                                       &e->tmem_at[0], &e->tmem_at[1], &e->map_at, &e->other_at};
    for (int k = 0; k < ZL_POSITIONS; k++) out[k] = all[k];
}

static inline uint32_t zl_role_instances(const zl_role *r) { return (r->last_warp - r->first_warp + 1) / r->each; }

/* The number of the named barrier that an instance meets at. */
static inline uint32_t zl_event_named(const zl_event *e, uint32_t instance)
{
    return e->named + (uint32_t)e->named_step * instance;
}

#endif
