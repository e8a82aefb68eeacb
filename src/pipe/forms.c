/* SPDX-License-Identifier: Apache-2.0 */
#include "pipe/pipe.h"

/* The names of tokens and columns as events.def has them. */
enum {
#define TOKEN(name, function) name = ZL_T_##name,
#include "pipe/tokens.def"
#undef TOKEN
    SETUP = ZL_IN_SETUP,
    ROLE = ZL_IN_ROLE,
    ONE = ZL_RUN_ONE,
    ALL = ZL_RUN_ALL,
    WARPS = ZL_RUN_WARPS,
    GROUP = ZL_RUN_GROUP,
    WARP = ZL_RUN_WARP,
    SCOPE = ZL_RUN_SCOPE
};

#define O(...) {__VA_ARGS__}

const zl_form zl_forms[ZL_EV_COUNT] = {
#define EVENT(kind, word, where, by, operands, does)                                               \
    [ZL_EV_##kind] = {word, where, by, operands, does},
#include "pipe/events.def"
#undef EVENT
    [ZL_EV_END] = {"end", ROLE, ALL, {NOTHING}, "ends a loop"},
};

const char *const zl_ways[ZL_T_COUNT][ZL_WAYS] = {
    [COPY_WAY] = {"tensor", "bulk", "shared"},
    [COMMIT_WAY] = {"wgmma", "bulk", NULL, "cpasync", "tcgen05"},
    [WAIT_WAY] = {"wgmma", "bulk", "bulk.read", "cpasync"},
    [FENCE_WAY] = {"wgmma", "proxy.async", "mbarrier_init", "proxy.tensormap", "tcgen05.before",
                   "tcgen05.after"},
    [TWAIT_WAY] = {"ld", "st"},
    [SYNC_WAY] = {"role", "cta", "cluster", "named", "warp"},
    [JOIN_WAY] = {NULL, NULL, "cluster", "named"},
    [MEET_WAY] = {NULL, NULL, "cluster"},
    [SETMAXNREG_WAY] = {"inc", "dec"},
    [GRIDDEP_WAY] = {"wait", "launch"},
    [QUEUE_WAY] = {"memory", "shared"},
};
