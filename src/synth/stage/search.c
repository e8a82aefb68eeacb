/* SPDX-License-Identifier: Apache-2.0 */
/* Branch and bound over tiles, barriers and one way of each tensor, in the order of the lists.
 * A node's bound takes of every tensor that is left the least of each number by itself, and
 * gives each tensor a ring: no way to complete the node takes fewer cycles, and none of as many
 * fewer bytes. */
#include "synth/stage/ask.h"

enum { NODE_POINTS = 16 }; /* of limits.points, that a node counts as */

typedef struct stage_walk {
    const zl_stage_asked *a;
    zl_stage_found *found;
    const zl_stage_tile *tile;
    bool least;
    zl_stage_result at;
    zl_stage_way rest[ZLAY_STAGE_TENSORS + 1]; /* the least of the tensors from i on, in sum */
    zl_stage_way each[ZLAY_STAGE_TENSORS];     /* the least of tensor i */
    zl_stage_way sum[ZLAY_STAGE_TENSORS + 1];  /* of the ways of the tensors before i */
} stage_walk;

static void take_least(zl_stage_way *out, const zl_stage_way *w, bool first)
{
#define LEAST(member)                                                                              \
    if (first || w->member < out->member) out->member = w->member
    LEAST(engine);
    LEAST(instructions);
    LEAST(l2);
    LEAST(dram);
    LEAST(registers);
    LEAST(buffer);
    LEAST(wait);
    LEAST(latency);
#undef LEAST
    uint64_t wavefronts = w->reads + w->writes;
    if (first || wavefronts < out->reads) out->reads = wavefronts;
}

static void walk_begin(stage_walk *w)
{
    for (uint32_t i = w->tile->count; i--;) {
        const zl_stage_lines *t = &w->tile->lines[i];
        for (uint32_t j = 0; j < t->kept_count; j++) take_least(&w->each[i], t->kept[j], !j);
        w->rest[i] = w->rest[i + 1];
        zl_stage_add(&w->rest[i], &w->each[i]);
    }
}

/* ---- the bound ----------------------------------------------------------------------------- */

static uint64_t bytes_least(const stage_walk *w, uint32_t depth, uint64_t latency, uint64_t cycles)
{
    const zl_stage_asked *a = w->a;
    uint64_t bytes = 0, one = zl_stage_depth(a, latency, cycles), total = 0;
    for (uint32_t i = 0; i < w->tile->count; i++) {
        const zl_stage_way *way = i < depth ? w->at.way[i] : &w->each[i];
        bytes += way->buffer * zl_stage_depth(a, way->latency, cycles);
        total += way->buffer;
    }
    return w->at.barriers == ZLAY_STAGE_ONE_RING ? one * (total + ZL_STAGE_BARRIER_BYTES) : bytes;
}

/* False: nothing below the node fits. Else the bound is in *out. */
static bool bound(zl_stage_result *out, const stage_walk *w, uint32_t depth)
{
    const zl_stage_asked *a = w->a;
    zl_stage_way sum = w->sum[depth];
    uint64_t smem = w->least ? UINT64_MAX : a->request.smem;
    zl_stage_add(&sum, &w->rest[depth]);
    *out = w->at;
    if (sum.registers > a->request.registers) return false;
    zl_stage_units(out->unit, a, &sum);
    uint64_t low = w->tile->cycles > 1 ? w->tile->cycles : 1, high;
    for (int u = 0; u < ZLAY_STAGE_UNITS; u++)
        if (u != ZLAY_STAGE_TENSOR && out->unit[u] > low) low = out->unit[u];
    high = low > sum.latency ? low : sum.latency;
    if (w->least) low = high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (bytes_least(w, depth, sum.latency, middle) <= smem) high = middle;
        else low = middle + 1;
    }
    out->cycles = w->least ? 0 : low;
    out->bytes = bytes_least(w, depth, sum.latency, low);
    out->mbarriers = 0;
    return out->bytes <= smem;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static void leaf(stage_walk *w)
{
    if (!zl_stage_reckon(&w->at, w->a, w->least ? UINT64_MAX : w->a->request.smem)) return;
    if (w->least) w->at.cycles = 0;
    if (w->found->some && !zl_stage_better(w->a, &w->at, &w->found->best)) return;
    w->found->best = w->at;
    w->found->some = true;
}

static zlay_status walk(stage_walk *w, uint32_t depth)
{
    zl_stage_result least;
    zlay_status status = zl_charge(w->a->ctx, 1 + w->tile->count);
    if (w->found->visited >= zl_limits(w->a->ctx)->points / NODE_POINTS) w->found->whole = false;
    if (status || !w->found->whole) return status;
    w->found->visited++;
    if (depth == w->tile->count) {
        leaf(w);
        return ZLAY_OK;
    }
    if (!bound(&least, w, depth)) return ZLAY_OK;
    if (w->found->some && !zl_stage_better(w->a, &least, &w->found->best)) return ZLAY_OK;
    const zl_stage_lines *t = &w->tile->lines[depth];
    for (uint32_t i = 0; i < t->kept_count && !status; i++) {
        w->at.way[depth] = t->kept[i];
        w->sum[depth + 1] = w->sum[depth];
        zl_stage_add(&w->sum[depth + 1], t->kept[i]);
        status = walk(w, depth + 1);
    }
    return status;
}

/* Whether a tile has ways, and the request leaves these barriers. */
static bool is_tried(const zl_stage_asked *a, uint32_t tile, int32_t barriers)
{
    return a->tile[tile].possible &&
           (!a->request.barriers_fixed || barriers == a->request.barriers);
}

zlay_status zl_stage_search(zl_stage_found *out, const zl_stage_asked *a, bool least)
{
    zlay_status status = ZLAY_OK;
    *out = (zl_stage_found){.whole = true};
    for (uint32_t i = 0; i < a->request.count; i++)
        for (int32_t b = ZLAY_STAGE_ONE_RING; b <= ZLAY_STAGE_RINGS && !status; b++) {
            stage_walk w = {.a = a, .found = out, .tile = &a->tile[i], .least = least};
            w.at.tile = i;
            w.at.barriers = b;
            if (!is_tried(a, i, b)) continue;
            walk_begin(&w);
            status = walk(&w, 0);
        }
    return status;
}

/* ---- in turn
 * ---------------------------------------------------------------------------------- */

/* The most cycles of a unit that a way takes by itself. */
static uint64_t alone(const zl_stage_asked *a, const zl_stage_way *way)
{
    zl_stage_way sum = {0};
    uint64_t unit[ZLAY_STAGE_UNITS] = {0}, most = 0;
    zl_stage_add(&sum, way);
    zl_stage_units(unit, a, &sum);
    for (int u = 0; u < ZLAY_STAGE_UNITS; u++)
        if (unit[u] > most) most = unit[u];
    return most;
}

/* The layout of the fewest wavefronts of reads, then of the fewest bytes; of the ways that write
 * it the one whose busiest unit takes least. */
static const zl_stage_way *chosen_alone(const zl_stage_asked *a, const zl_stage_lines *t)
{
    const zl_stage_way *best = &t->way[0];
    for (uint32_t i = 1; i < t->ways; i++) {
        const zl_stage_way *w = &t->way[i];
        bool less = w->reads != best->reads ? w->reads < best->reads : w->buffer < best->buffer;
        bool same = w->place == best->place;
        if (same ? alone(a, w) < alone(a, best) : less) best = w;
    }
    return best;
}

bool zl_stage_in_turn(zl_stage_result *out, const zl_stage_asked *a)
{
    bool some = false;
    for (uint32_t i = 0; i < a->request.count; i++)
        for (int32_t b = ZLAY_STAGE_ONE_RING; b <= ZLAY_STAGE_RINGS; b++) {
            zl_stage_result r = {.tile = i, .barriers = b};
            if (!is_tried(a, i, b)) continue;
            for (uint32_t t = 0; t < a->tile[i].count; t++)
                r.way[t] = chosen_alone(a, &a->tile[i].lines[t]);
            if (!zl_stage_reckon(&r, a, a->request.smem) || (some && !zl_stage_better(a, &r, out)))
                continue;
            *out = r;
            some = true;
        }
    return some;
}
