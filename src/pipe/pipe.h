/* SPDX-License-Identifier: Apache-2.0 */
/* The value behind zlay_pipe: flat arrays, so that printing, proving and emitting are loops. */
#ifndef ZL_PIPE_H
#define ZL_PIPE_H

#include "base/base.h"
#include <zlay/pipe.h>

#define ZL_PIPE_LOOPS 4 /* deepest nesting of loops in a role */

/* A position: (counter of a loop) * (param) + (param) + add; -1: absent.  `i - 1`, `t*N + N - 1`, `3`. */
typedef struct zl_pos {
    int32_t loop;  /* depth of the loop whose counter it is, 0 the outermost; -1: none */
    int32_t times; /* the param that multiplies the counter; -1: none */
    int32_t plus;  /* a param that is added; -1: none */
    int64_t add;
} zl_pos;

typedef enum zl_event_kind {
    ZL_EV_FOR = 1,   /* for NAME in FIRST..LAST      LAST excluded */
    ZL_EV_END,       /* end */
    ZL_EV_EXPECT,    /* expect BAR[pos] BYTES        expect_tx alone, by the elected thread */
    ZL_EV_ARRIVE,    /* arrive BAR[pos] [warps|threads]  one arrival; of every warp; of every thread */
    ZL_EV_WAIT,      /* wait BAR[pos] parity (q / stages + flip) % 2 */
    ZL_EV_COPY,      /* copy tensor BYTES -> SMEM[pos] [part P] signal BAR[pos] */
    ZL_EV_CPASYNC,   /* cpasync BYTES -> SMEM[pos] [part P]   by every thread of the role */
    ZL_EV_STORE,     /* store SMEM[pos] BYTES [part P]   bulk tensor store, by the elected thread */
    ZL_EV_COMMIT,    /* commit wgmma|bulk|cpasync */
    ZL_EV_WAITGROUP, /* waitgroup wgmma|bulk|bulk.read|cpasync N */
    ZL_EV_READ,      /* read SMEM[pos] [part P]      generic proxy, by every thread */
    ZL_EV_WRITE,     /* write SMEM[pos] [BYTES] [from ACC] [part P]   generic proxy, by every thread */
    ZL_EV_FENCE,     /* fence wgmma|proxy.async|mbarrier_init */
    ZL_EV_MMA,       /* mma SMEM[pos], SMEM[pos] -> ACC [fresh]   fresh: ACC is overwritten */
    ZL_EV_SYNC,      /* sync role|cta */
    ZL_EV_INIT       /* init BAR      only before the roles, by one thread */
} zl_event_kind;

enum { ZL_BY_ONE = 0, ZL_BY_WARPS, ZL_BY_THREADS };                        /* zl_event.scope of arrive */
enum { ZL_GROUP_WGMMA = 0, ZL_GROUP_BULK, ZL_GROUP_BULK_READ, ZL_GROUP_CPASYNC }; /* of commit, waitgroup */
enum { ZL_FENCE_WGMMA = 0, ZL_FENCE_PROXY, ZL_FENCE_MBARRIER };            /* of fence */
enum { ZL_SYNC_ROLE = 0, ZL_SYNC_CTA };                                    /* of sync */

typedef struct zl_event {
    zl_event_kind kind;
    uint32_t line;      /* of the text, from 1 */
    int32_t scope;      /* one of the enumerations above */
    int32_t bar;        /* index into bars; -1 */
    int32_t smem[2];    /* indices into smems; -1.  mma: A, B */
    int32_t acc;        /* index into accs; -1 */
    int32_t part;       /* which piece of the plan's operand, 0 the default */
    int32_t fresh;      /* mma */
    zl_pos at[2];       /* slot positions of smem[0], smem[1]; at[0] of FOR is its first */
    zl_pos bar_at;      /* slot position of bar; of FOR its last (excluded) */
    zl_pos parity;      /* wait: the parity tested is (parity / stages + flip) % 2 */
    int32_t flip;       /* wait: 0 or 1 */
    int64_t count;      /* bytes, groups */
    int32_t match;      /* FOR: index of its END and the reverse */
    char name[65];      /* FOR: the counter's name */
} zl_event;

typedef struct zl_param { char name[65]; int64_t least; } zl_param; /* param NAME least.. */
typedef struct zl_smem { char name[65]; uint32_t stages; int64_t bytes; int32_t each; } zl_smem; /* smem NAME[stages] BYTES [each] */
typedef struct zl_bar { char name[65]; uint32_t stages; int64_t count; } zl_bar; /* bar NAME[stages] count C */
typedef struct zl_acc { char name[65]; int32_t role; } zl_acc;      /* named by use; private to a role */

/* role NAME warps FIRST..LAST [each W] [elect] ... end: LAST included; `each W`: instances of W warps */
typedef struct zl_role {
    char name[65];
    uint32_t first_warp, last_warp, each; /* each: warps of one instance */
    int32_t elect;                        /* 1: one thread of the role runs it all */
    uint32_t begin, end;                  /* its events */
    uint32_t line;
} zl_role;

struct zlay_pipe {
    zlay_allocator alloc;
    char name[65];
    zl_param *params;
    zl_smem *smems;
    zl_bar *bars;
    zl_acc *accs;
    zl_role *roles;
    zl_event *events; /* those before the roles first: [0, setup) */
    uint32_t params_count, smems_count, bars_count, accs_count, roles_count, events_count, setup;
    size_t room[6];   /* allocated entries of the six arrays, in order */
};

/* The phase of its barrier that an event of a role works on, as a function of the counters around it: `i / 4`. */
void zl_pipe_put_phase(zl_text *out, const zlay_pipe *pipe, uint32_t event);

static inline uint32_t zl_role_instances(const zl_role *r) { return (r->last_warp - r->first_warp + 1) / r->each; }

#endif
