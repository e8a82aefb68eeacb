/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule of least ii, and of those one of least stages: bounds, the exact search of each
 * interval, the evolutionary search where that ended, then stages in the same way. The answer is
 * decided once more before it is returned. */
#include "pipe/schedule/schedule.h"
#include "pipe/schedule/bound.h"
#include "pipe/schedule/capacity.h"
#include "pipe/schedule/evolve.h"

#include <string.h>

struct zlay_schedule {
    zlay_allocator alloc;
    size_t size;
    zlay_schedule_summary info;
    uint64_t *depth; /* by copy, behind `start` */
    int64_t start[];
};

/* Most questions are short. A long one may have an answer that the evolutionary search finds; it is
 * asked of the exact search at its whole quota after that. */
static zl_outcome ask(zl_probe *q, int64_t ii, int64_t stages, uint64_t quota)
{
    zl_outcome found = zl_search(q->l, ii, stages, quota / 16, q->start);
    if (found == ZL_QUOTA) found = zl_evolve(q->l, ii, stages, quota / 4, q->start);
    if (found == ZL_QUOTA) found = zl_search(q->l, ii, stages, quota, q->start);
    return found;
}

static zl_outcome ask_interval(zl_probe *q, int64_t x, uint64_t quota)
{
    return ask(q, x, 0, quota);
}

static zl_outcome ask_stages(zl_probe *q, int64_t x, uint64_t quota)
{
    return ask(q, q->ii, x, quota);
}

/* ---- the least ii ------------------------------------------------------------------- */

/* Intervals below the best one, or all, that the exact search left open. */
static zl_outcome evolve(zl_looped *l, zl_least *ii, int64_t *start, bool found)
{
    uint64_t quota = zl_limits(l->ctx)->points / 4;
    int64_t low = ii->bound, high = found ? ii->best : l->most + 1;
    int64_t *child = zl_scratch(l->ctx, l->nodes + 1, sizeof *child);
    if (!child) return ZL_NO_MEMORY;
    for (int turn = 0; low < high && turn < 8; turn++) {
        int64_t x = turn ? low + (high - low) / 2 : low;
        zl_outcome now = zl_evolve(l, x, 0, quota / (turn ? 4 : 1), child);
        if (now == ZL_NO_MEMORY) return now;
        if (now == ZL_FOUND) {
            high = ii->best = x;
            memcpy(start, child, l->nodes * sizeof *start);
            found = true;
        } else {
            low = x + 1;
        }
    }
    return found ? ZL_FOUND : ZL_QUOTA;
}

static zlay_status limit_passed(zl_looped *l)
{
    return zl_fail(l->ctx, ZLAY_ELIMIT, "limit points %llu: it ended the search for a schedule",
                   (unsigned long long)zl_limits(l->ctx)->points);
}

static zlay_status find_interval(zl_looped *l, zl_least *ii, int64_t *start,
                                 zlay_schedule_reason *why)
{
    zl_probe q = {ask_interval, l, 0, start, l->monotone};
    zl_outcome found = zl_least_of(ii, &q, ii->bound, l->most);
    bool proved = found == ZL_FOUND && ii->bound == ii->best;
    if (found == ZL_DEAD) return zl_loop_none(l, why);
    if (found != ZL_NO_MEMORY && !proved) found = evolve(l, ii, start, found == ZL_FOUND);
    if (found == ZL_QUOTA) return limit_passed(l);
    return found == ZL_FOUND ? ZLAY_OK : ZLAY_ENOMEM;
}

/* ---- the least stages ---------------------------------------------------------------- */

static int64_t stages_of(const zl_looped *l, const int64_t *start, int64_t ii)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < l->nodes; i++) last = zl_max(last, start[i]);
    return last / ii + 1;
}

static zlay_status find_stages(zl_looped *l, int64_t ii, zl_least *stages, int64_t *start)
{
    int64_t *fewer = zl_scratch(l->ctx, l->nodes + 1, sizeof *fewer);
    if (!fewer || zl_stages_bound(l, ii, &stages->bound) == ZL_NO_MEMORY) return ZLAY_ENOMEM;
    int64_t most = stages_of(l, start, ii);
    stages->best = most;
    if (stages->bound >= most) return ZLAY_OK;
    zl_least found;
    zl_probe q = {ask_stages, l, ii, fewer, true};
    switch (zl_least_of(&found, &q, stages->bound, most - 1)) {
    case ZL_NO_MEMORY: return ZLAY_ENOMEM;
    case ZL_FOUND:
        stages->best = found.best;
        memcpy(start, fewer, l->nodes * sizeof *start);
        break;
    default: break;
    }
    stages->bound = found.bound;
    return ZLAY_OK;
}

/* ---- the answer ------------------------------------------------------------------------ */

static zlay_status schedule_new(zlay_schedule **out, const zl_looped *l,
                                const zlay_schedule_summary *info, const int64_t *start)
{
    uint32_t values = l->request->values;
    size_t size = sizeof(zlay_schedule) + l->nodes * sizeof *start +
                  (size_t)values * l->copies * sizeof(uint64_t);
    zlay_schedule *s = zl_alloc(l->ctx, 1, size);
    if (!s) return ZLAY_ENOMEM;
    s->alloc = zl_allocator(l->ctx);
    s->size = size;
    s->info = *info;
    s->depth = (uint64_t *)(s->start + l->nodes);
    memcpy(s->start, start, l->nodes * sizeof *start);
    for (uint32_t c = 0; c < l->copies; c++)
        for (uint32_t i = 0; i < l->uses; i++)
            if (!i || l->use[i - 1].value != l->use[i].value)
                s->depth[c * values + l->use[i].value] =
                    (uint64_t)zl_loop_depth(l, (int64_t)info->ii, start, c, i, false);
    *out = s;
    return ZLAY_OK;
}

static zlay_status solve(zl_looped *l, zlay_schedule_summary *info, int64_t *start,
                         zlay_schedule_reason *why)
{
    int64_t by_units, by_cycles;
    zl_least ii = {0}, stages = {0};
    zlay_schedule_fault fault;
    zlay_status status = zl_loop_bounds(l, &by_units, &by_cycles, why);
    if (status) return status;
    ii.bound = zl_max(by_units, by_cycles);
    status = find_interval(l, &ii, start, why);
    if (!status) status = find_stages(l, ii.best, &stages, start);
    if (status) return status;
    if (!zl_loop_holds(l, ii.best, start, &fault))
        return zl_fail(l->ctx, ZLAY_EINTERNAL, "a schedule breaks its request, fault %d",
                       fault.fault);
    info->ii = (uint64_t)ii.best;
    info->bound = (uint64_t)ii.bound;
    info->unit_bound = (uint64_t)by_units;
    info->cycle_bound = (uint64_t)by_cycles;
    info->stages = (uint64_t)stages.best;
    info->stages_bound = (uint64_t)stages.bound;
    info->optimal = ii.best == ii.bound && stages.best == stages.bound;
    info->points = zl_ceil_div(l->pairs, ZL_POINT_PAIRS);
    return ZLAY_OK;
}

zlay_status zl_schedule_synth(zlay_ctx *ctx, zlay_schedule **out, zlay_schedule_reason *why,
                              const zlay_schedule_request *request)
{
    zl_looped loop;
    zlay_schedule_summary info = {.ii = 1,
                                  .bound = 1,
                                  .unit_bound = 1,
                                  .cycle_bound = 1,
                                  .optimal = 1,
                                  .ops = request->ops,
                                  .values = request->values};
    zlay_status status = zl_loop_read(&loop, ctx, request);
    if (status) return status;
    info.copies = request->copies ? request->copies : 1;
    int64_t *start = zl_scratch(ctx, loop.nodes + 1, sizeof *start);
    if (!start) return ZLAY_ENOMEM;
    if (loop.nodes) status = solve(&loop, &info, start, why);
    return status ? status : schedule_new(out, &loop, &info, start);
}

zlay_status zlay_schedule_synth(zlay_ctx *ctx, zlay_schedule **out, zlay_schedule_reason *why,
                                const zlay_schedule_request *request)
{
    zlay_schedule_reason unused;
    zlay_schedule *made = NULL;
    if (out) *out = NULL;
    if (!ctx || !out || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    why = why ? why : &unused;
    memset(why, 0, sizeof *why);
    status = zl_leave(ctx, zl_schedule_synth(ctx, &made, why, request));
    if (status != ZLAY_NONE) memset(why, 0, sizeof *why);
    if (!status) *out = made;
    return status;
}

zlay_status zlay_schedule_info(zlay_schedule_summary *out, const zlay_schedule *schedule)
{
    if (!out || !schedule) return ZLAY_EINVAL;
    *out = schedule->info;
    return ZLAY_OK;
}

zlay_status zlay_schedule_start_nth(int64_t *out, const zlay_schedule *schedule, uint32_t copy,
                                    uint32_t op)
{
    if (!out || !schedule) return ZLAY_EINVAL;
    if (copy >= schedule->info.copies || op >= schedule->info.ops) return ZLAY_NONE;
    *out = schedule->start[copy * schedule->info.ops + op];
    return ZLAY_OK;
}

zlay_status zlay_schedule_depth_nth(uint64_t *out, const zlay_schedule *schedule, uint32_t copy,
                                    uint32_t value)
{
    if (!out || !schedule) return ZLAY_EINVAL;
    if (copy >= schedule->info.copies || value >= schedule->info.values) return ZLAY_NONE;
    *out = schedule->depth[copy * schedule->info.values + value];
    return ZLAY_OK;
}

void zlay_schedule_free(zlay_schedule *schedule)
{
    if (!schedule) return;
    zlay_allocator alloc = schedule->alloc;
    zl_free(&alloc, schedule, schedule->size);
}
