/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of a stage: what units, registers, rings, depths, barriers and bytes follow from
 * one way of each tensor.  The least number of cycles that fits the shared memory is found by
 * bisection: depths fall as cycles rise. */
#include "synth/stage/ask.h"

enum { KILO = 1000, WAVEFRONT = 128, PER_ASYNC_RING = 3 };

static uint64_t over(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

uint64_t zl_stage_depth(const zl_stage_asked *a, uint64_t latency, uint64_t cycles)
{
    uint64_t depth = 1 + over(latency, cycles ? cycles : 1);
    if (a->request.depth) return a->request.depth;
    return depth > ZL_STAGE_LEAST_DEPTH ? depth : ZL_STAGE_LEAST_DEPTH;
}

void zl_stage_add(zl_stage_way *sum, const zl_stage_way *way)
{
    sum->engine += way->engine;
    sum->instructions += way->instructions;
    sum->reads += way->reads + way->writes;
    sum->l2 += way->l2;
    sum->dram += way->dram;
    sum->registers += way->registers;
    sum->buffer += way->buffer;
    if (way->wait > sum->wait) sum->wait = way->wait;
    if (way->latency > sum->latency) sum->latency = way->latency;
}

void zl_stage_units(uint64_t *unit, const zl_stage_asked *a, const zl_stage_way *sum)
{
    const zlay_stage_rates *r = &a->request.rates;
    unit[ZLAY_STAGE_ENGINE] = over(sum->engine, r->copy);
    unit[ZLAY_STAGE_ISSUE] = over(sum->instructions, r->issue);
    unit[ZLAY_STAGE_SHARED] = over(sum->reads * WAVEFRONT * KILO, r->shared);
    unit[ZLAY_STAGE_L2] = over(sum->l2 * KILO, r->l2);
    unit[ZLAY_STAGE_DRAM] = over(sum->dram * KILO, r->dram);
    unit[ZLAY_STAGE_WAIT] = sum->wait;
}

/* ---- rings ------------------------------------------------------------------------------- */

/* The ring of each tensor; false: these barriers are those of one ring, which is tried too. */
static bool rings_of(zl_stage_result *r, const zl_stage_asked *a, const zl_stage_tile *tile)
{
    uint32_t threads = UINT32_MAX;
    r->rings = 0;
    for (uint32_t i = 0; i < tile->count; i++) {
        bool by_threads = r->way[i]->by_threads;
        if (r->barriers == ZLAY_STAGE_ONE_RING) r->ring[i] = 0;
        else if (by_threads && threads != UINT32_MAX) r->ring[i] = threads;
        else r->ring[i] = r->rings++;
        if (by_threads) threads = r->ring[i];
    }
    if (r->barriers == ZLAY_STAGE_ONE_RING) r->rings = 1;
    return r->barriers == ZLAY_STAGE_ONE_RING || r->rings > 1 || a->request.barriers_fixed;
}

/* Instructions of warps at the barriers of a stage: readers wait and arrive; threads that
 * produce wait and arrive, and where a copy is among their tensors one of them expects; one
 * thread that issues copies alone waits, expects and arrives. */
static uint64_t barrier_instructions(const zl_stage_result *r, const zl_stage_asked *a)
{
    const zl_stage_tile *tile = &a->tile[r->tile];
    uint64_t sum = (uint64_t)r->rings * 2 * tile->consumers / ZL_STAGE_WARP;
    for (uint32_t ring = 0; ring < r->rings; ring++) {
        bool threads = false, expects = false;
        for (uint32_t i = 0; i < tile->count; i++) {
            if (r->ring[i] != ring) continue;
            threads |= r->way[i]->by_threads;
            expects |= !r->way[i]->by_threads;
        }
        sum += threads ? 2 * a->request.threads / ZL_STAGE_WARP + expects : PER_ASYNC_RING;
    }
    return sum;
}

/* Depths at so many cycles, and their bytes. */
static uint64_t bytes_at(zl_stage_result *r, const zl_stage_asked *a, uint64_t cycles)
{
    const zl_stage_tile *tile = &a->tile[r->tile];
    uint64_t bytes = 0;
    r->mbarriers = 0;
    for (uint32_t ring = 0; ring < r->rings; ring++) {
        uint64_t latency = 0, buffers = ZL_STAGE_BARRIER_BYTES;
        for (uint32_t i = 0; i < tile->count; i++) {
            if (r->ring[i] != ring) continue;
            buffers += r->way[i]->buffer;
            if (r->way[i]->latency > latency) latency = r->way[i]->latency;
        }
        uint64_t depth = zl_stage_depth(a, latency, cycles);
        r->depth[ring] = (uint32_t)depth;
        r->mbarriers += 2 * (uint32_t)depth;
        bytes += depth * buffers;
    }
    return bytes;
}

/* A ring has the request's depth, or 64 stages at most, as pipes have: cycles are at least its latency
 * over the stages ahead. */
static uint64_t cycles_of_depth(const zl_stage_asked *a, uint64_t latency)
{
    return over(latency, (a->request.depth ? a->request.depth : ZL_STAGE_MOST_DEPTH) - 1);
}

/* No copy of a block goes to others where threads of that block produce. */
static bool may_share(const zl_stage_result *r, const zl_stage_tile *tile)
{
    bool multicast = false, threads = false;
    for (uint32_t i = 0; i < tile->count; i++) {
        multicast |= r->way[i]->multicast > 1;
        threads |= r->way[i]->by_threads;
    }
    return !multicast || !threads;
}

bool zl_stage_reckon(zl_stage_result *r, const zl_stage_asked *a, uint64_t smem)
{
    const zl_stage_tile *tile = &a->tile[r->tile];
    zl_stage_way sum = {0};
    if (!may_share(r, tile) || !rings_of(r, a, tile)) return false;
    if (zl_stage_warps(a, r) > ZL_STAGE_WARPS_MOST) return false;
    for (uint32_t i = 0; i < tile->count; i++) zl_stage_add(&sum, r->way[i]);
    r->registers = sum.registers;
    if (sum.registers > a->request.registers) return false;
    sum.instructions += barrier_instructions(r, a);
    zl_stage_units(r->unit, a, &sum);
    r->unit[ZLAY_STAGE_TENSOR] = tile->cycles;
    uint64_t low = cycles_of_depth(a, sum.latency), high;
    for (int u = 0; u < ZLAY_STAGE_UNITS; u++)
        if (r->unit[u] > low) low = r->unit[u];
    if (!low) low = 1;
    high = low > sum.latency ? low : sum.latency;
    if (smem == UINT64_MAX) low = high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (bytes_at(r, a, middle) <= smem) high = middle;
        else low = middle + 1;
    }
    r->cycles = low;
    r->bytes = bytes_at(r, a, low);
    return r->bytes <= smem;
}

bool zl_stage_better(const zl_stage_asked *a, const zl_stage_result *x, const zl_stage_result *y)
{
    uint64_t one = x->cycles * a->tile[y->tile].work, other = y->cycles * a->tile[x->tile].work;
    if (one != other) return one < other;
    if (x->bytes != y->bytes) return x->bytes < y->bytes;
    return x->mbarriers < y->mbarriers;
}
