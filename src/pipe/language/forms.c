/* SPDX-License-Identifier: Apache-2.0 */
/* The table of event forms, from events.def: the word, where it may stand, who runs it and
 * which operands follow; and the words that choose a variant of an event (ways). */
#include "pipe/language/pipe.h"

/* The names of tokens and columns as events.def has them. */
enum {
#define TOKEN(name, function) name = ZL_T_##name,
#include "pipe/language/tokens.def"
#undef TOKEN
    SETUP = ZL_IN_SETUP,
    ROLE = ZL_IN_ROLE,
    ONE = ZL_RUN_ONE,
    ALL = ZL_RUN_ALL,
    THREADS = ZL_RUN_THREADS,
    WARPS = ZL_RUN_WARPS,
    GROUP = ZL_RUN_GROUP,
    WARP = ZL_RUN_WARP,
    SCOPE = ZL_RUN_SCOPE
};

#define O(...) {__VA_ARGS__}

const zl_event_form zl_forms[ZL_EV_COUNT] = {
#define EVENT(kind, word, where, by, operands, does)                                               \
    [ZL_EV_##kind] = {word, where, by, operands, does},
#include "pipe/language/events.def"
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

static const struct { zl_event_kind kind; int32_t way, by; } ways[] = {
#define WAY(kind, way, words, by) {ZL_EV_##kind, way, by},
#include "pipe/language/ways.def"
#undef WAY
};

/* The variant that decides who runs an event. */
static int32_t way_of(const zl_event *e)
{
    if (e->kind != ZL_EV_MMA) return e->scope;
    return e->acc_b >= 0 ? ZL_PRODUCT_WARPS : e->tmem[0] >= 0 ? ZL_PRODUCT_ONE : ZL_PRODUCT_GROUP;
}

int32_t zl_event_by(const zl_event *e)
{
    int32_t by = zl_forms[e->kind].by, way = way_of(e);
    if (by != ZL_RUN_SCOPE) return by;
    for (size_t k = 0; k < ZL_COUNT(ways); k++)
        if (ways[k].kind == e->kind && ways[k].way == way) return ways[k].by;
    return by;
}
