/* SPDX-License-Identifier: Apache-2.0 */
/* Lists where a fence may help. A fence orders what its threads did before it against what
 * they do after it, so moving it later loses nothing until the next event that needs it or the
 * next loop bound; only those places are candidates. */
#include "pipe/fences/fences.h"

/* Whether an event makes a thread's work known to others. */
static bool releases(const zl_event *e)
{
    return e->kind == ZL_EV_ARRIVE || e->kind == ZL_EV_SYNC || e->kind == ZL_EV_JOIN ||
           e->kind == ZL_EV_RAISE || e->kind == ZL_EV_COMMIT;
}

/* Whether the async proxy accesses shared memory. */
static bool is_async(const zl_event *e)
{
    return e->kind == ZL_EV_MMA || e->kind == ZL_EV_STORE || e->kind == ZL_EV_REDUCE ||
           e->kind == ZL_EV_COPY || e->kind == ZL_EV_TCP;
}

static bool is_tensor(const zl_event *e)
{
    return (e->tmem[0] >= 0 || e->tmem[1] >= 0) && e->kind != ZL_EV_ALLOC;
}

static bool is_warpgroup_product(const zl_event *e)
{
    return e->kind == ZL_EV_MMA && e->tmem[0] < 0 && e->acc_b < 0;
}

/* Whether a fence of this kind may have to stand before the event. */
static bool needs(const zl_event *e, int32_t way, bool setup)
{
    switch (way) {
    case ZL_FENCE_WGMMA: return is_warpgroup_product(e);
    case ZL_FENCE_PROXY: return releases(e) || is_async(e);
    case ZL_FENCE_MBARRIER: return setup && e->kind == ZL_EV_SYNC;
    case ZL_FENCE_TENSORMAP: return e->map >= 0 && e->kind != ZL_EV_UPDATE;
    case ZL_FENCE_BEFORE: return releases(e);
    default: return is_tensor(e);
    }
}

static bool writes(const zl_event *e)
{
    return e->kind == ZL_EV_WRITE || e->kind == ZL_EV_STMATRIX || e->kind == ZL_EV_CPASYNC;
}

/* Whether a fence of this kind could order the event. */
static bool concerns(const zl_event *e, int32_t way, bool setup)
{
    switch (way) {
    case ZL_FENCE_PROXY: return writes(e);
    case ZL_FENCE_MBARRIER: return setup && e->kind == ZL_EV_INIT;
    case ZL_FENCE_BEFORE:
    case ZL_FENCE_AFTER: return is_tensor(e);
    default: return needs(e, way, setup);
    }
}

/* The kinds of fences that a stretch of events has something for, as bits. */
static uint32_t ways_of(const zlay_pipe *pipe, uint32_t begin, uint32_t end, bool setup)
{
    uint32_t ways = 0;
    for (uint32_t i = begin; i < end; i++)
        for (int32_t way = ZL_FENCE_WGMMA; way <= ZL_FENCE_AFTER; way++)
            if (concerns(&pipe->events[i], way, setup)) ways |= 1u << way;
    return ways;
}

/* Whether a fence of this kind is to be tried before event i, where none stands already. */
static bool is_place(const zlay_pipe *pipe, uint32_t begin, uint32_t i, int32_t way, bool setup)
{
    const zl_event *e = &pipe->events[i], *before = i > begin ? e - 1 : NULL;
    bool bound = e->kind == ZL_EV_FOR || e->kind == ZL_EV_END;
    if (before && before->kind == ZL_EV_FENCE && before->scope == way) return false;
    return bound || needs(e, way, setup);
}

static bool add_places(const zlay_pipe *pipe, uint32_t begin, uint32_t end, bool setup,
                       zl_fence_place *places, uint32_t *count)
{
    uint32_t ways = ways_of(pipe, begin, end, setup);
    for (uint32_t i = begin; i < end; i++)
        for (int32_t way = ZL_FENCE_WGMMA; way <= ZL_FENCE_AFTER; way++) {
            if (!(ways >> way & 1) || !is_place(pipe, begin, i, way, setup)) continue;
            if (*count == ZL_PLACES) return false;
            places[(*count)++] = (zl_fence_place){i, way};
        }
    return true;
}

bool zl_fence_places(const zlay_pipe *pipe, zl_fence_place *places, uint32_t *count)
{
    *count = 0;
    if (!add_places(pipe, 0, pipe->setup, true, places, count)) return false;
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        if (!add_places(pipe, pipe->roles[r].begin, pipe->roles[r].end, false, places, count))
            return false;
    return true;
}
