/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the ways to move an element: the finite family among which the cheapest plan is found.
 *
 * BULK: runs that are contiguous on both sides, in whole granules of 16 bytes.
 * CP_ASYNC: 4, 8 or 16 bytes a thread of such a run.
 * THREADS: loads of one width and stores of another; where the sides are contiguous along
 * different modes a thread holds a block of both.
 * REALIGN: aligned words of the source, shifted, for stores as wide. */
#include "synth/copy/copy.h"

#include <string.h>

enum {
    BULK_GRANULE = 16, /* bytes */
    BLOCK_MOST = 256,  /* bytes that a thread holds of a block of two modes */
    WIDTHS = ZL_WIDTH_MOST + 1
};

uint32_t zl_copy_run(const zl_copy *c, int side)
{
    const zl_copy_tile *t = &c->tile;
    uint32_t i = 0;
    while (i < t->modes && t->mode[i].step[side] != 1) i++;
    return i;
}

bool zl_copy_aligned(const zl_copy *c, int side, uint32_t run, uint64_t v)
{
    const zl_copy_tile *t = &c->tile;
    uint64_t bytes = v * c->bits / 8;
    if (!bytes || c->side[side].align % bytes) return false;
    if (c->known[side] && c->known[side] % v) return false;
    if (!zl_copy_whole_access(c, side, run, v)) return false;
    if (v > 1 && t->swizzle[side].bits && (uint64_t)1 << t->swizzle[side].base < v) return false;
    for (uint32_t i = 0; i < t->modes; i++)
        if (i != run && (uint64_t)t->mode[i].step[side] % v) return false;
    return true;
}

/* The number of elements in 2^log bytes; 0: it is not whole. */
static uint32_t elements(const zl_copy *c, uint32_t log)
{
    uint32_t bits = 8u << log;
    return bits % c->bits ? 0 : bits / c->bits;
}

static bool along(const zl_copy *c, uint32_t run, uint64_t v)
{
    return v == 1 || (run < c->tile.modes && c->tile.mode[run].extent >= v);
}

/* Whether a thread loads or stores 2^log bytes of a side. */
uint32_t zl_copy_vector(const zl_copy *c, int side, uint32_t run, uint32_t log)
{
    uint32_t v = elements(c, log);
    uint64_t widths = zlay_target_widths(c->target, zl_is_shared(c->side[side].space));
    if (v < c->least || !(widths >> (1u << log) & 1) || !along(c, run, v)) return 0;
    return zl_copy_aligned(c, side, run, v) ? v : 0;
}

/* Whether accesses of both sides can begin at one point of their common run. */
bool zl_copy_in_phase(const zl_copy_tile *t, uint64_t v)
{
    return ((uint64_t)t->offset[ZL_SOURCE] - (uint64_t)t->offset[ZL_DEST]) % v == 0;
}

/* Whether the rules of issued copies allow the access, at the least aligned address that the
 * side's steps give. */
bool zl_copy_table_allows(const zl_copy *c, int32_t kind, uint64_t bytes)
{
    zlay_issue issue = {.kind = kind, .smem = bytes, .source = bytes};
    zlay_verdict verdict;
    if (kind == ZLAY_COPY_CP_ASYNC || kind == ZLAY_COPY_STORE_ASYNC) issue.width = (uint32_t)bytes;
    else issue.bytes = bytes;
    return zlay_copy_check(&verdict, NULL, 0, c->target, &issue, NULL) == ZLAY_OK &&
           verdict.answer == ZLAY_YES;
}

int32_t zl_copy_bulk_kind(const zl_copy *c)
{
    int32_t from = c->side[ZL_SOURCE].space, to = c->side[ZL_DEST].space;
    if (from == ZLAY_MOVE_GLOBAL && to == ZLAY_MOVE_SHARED) return ZLAY_COPY_BULK_LOAD;
    if (from == ZLAY_MOVE_SHARED && to == ZLAY_MOVE_GLOBAL) return ZLAY_COPY_BULK_STORE;
    return from == ZLAY_MOVE_SHARED && to == ZLAY_MOVE_PEER ? ZLAY_COPY_BULK_PEER : 0;
}

void zl_copy_block(zl_copy_way *way)
{
    for (uint32_t i = 0; i < ZL_PART_MODES; i++) way->block[i] = 1;
    for (int s = 0; s < ZL_SIDES; s++)
        if (way->run[s] < ZL_PART_MODES && way->block[way->run[s]] < way->vector[s])
            way->block[way->run[s]] = way->vector[s];
}

/* A way with one width on both sides of a common run; a single element needs no common run. */
static bool put_even(const zl_copy *c, zl_copy_way *out, uint32_t v)
{
    if (v == 1 && out->run[0] != out->run[1]) out->run[0] = out->run[1] = c->tile.modes;
    if (v < c->least || out->run[0] != out->run[1] || !along(c, out->run[0], v)) return false;
    for (int s = 0; s < ZL_SIDES; s++)
        if (!zl_copy_aligned(c, s, out->run[s], v)) return false;
    if (!zl_copy_in_phase(&c->tile, v)) return false;
    out->vector[0] = out->vector[1] = v;
    return true;
}

/* Bulk copies are not used for loads of tiles with edges, because the barrier would wait for
 * bytes past the edge. Where no run has a whole granule, a plan has no bulk copy but copies by
 * threads; such a plan is on this path only where the request names the path. */
static bool bulk_way(const zl_copy *c, zl_copy_way *out, uint32_t i)
{
    zl_copy_way ends;
    out->kind = zl_copy_bulk_kind(c);
    if (out->kind != ZLAY_COPY_BULK_STORE && zl_copy_has_edges(c)) return false;
    return !i && out->kind && zl_copy_table_allows(c, out->kind, BULK_GRANULE) &&
           put_even(c, out, BULK_GRANULE * 8 / c->bits) &&
           (c->request.path || !zl_copy_ends_alone(c, out, &ends));
}

static bool cp_async_way(const zl_copy *c, zl_copy_way *out, uint32_t i)
{
    uint32_t log = ZL_WIDTH_MOST - i;
    out->kind = ZLAY_COPY_CP_ASYNC;
    return c->side[ZL_SOURCE].space == ZLAY_MOVE_GLOBAL &&
           c->side[ZL_DEST].space == ZLAY_MOVE_SHARED &&
           zl_copy_table_allows(c, out->kind, (uint64_t)1 << log) &&
           put_even(c, out, elements(c, log));
}

static bool threads_way(const zl_copy *c, zl_copy_way *out, uint32_t i)
{
    out->kind = zl_copy_thread_kind(c);
    for (int s = 0; s < ZL_SIDES; s++) {
        uint32_t log = ZL_WIDTH_MOST - (s == ZL_SOURCE ? i / WIDTHS : i % WIDTHS);
        out->vector[s] = zl_copy_vector(c, s, out->run[s], log);
        if (!out->vector[s]) return false;
    }
    uint32_t less = out->vector[out->vector[0] > out->vector[1]];
    if (out->run[0] == out->run[1]) return zl_copy_in_phase(&c->tile, less);
    if (c->least > 1) return false;
    return zl_copy_bytes(c, (uint64_t)out->vector[0] * out->vector[1]) <= BLOCK_MOST;
}

static bool store_async_way(const zl_copy *c, zl_copy_way *out, uint32_t i)
{
    if (!threads_way(c, out, i)) return false;
    uint64_t bytes = zl_copy_bytes(c, out->vector[ZL_DEST]);
    out->kind = ZLAY_COPY_STORE_ASYNC;
    return zl_copy_sends(bytes) && zl_copy_table_allows(c, out->kind, bytes);
}

/* The widest access that needs no shift. */
static uint32_t direct_vector(const zl_copy *c, const zl_copy_way *way)
{
    for (uint32_t log = WIDTHS; log--;) {
        zl_copy_way even = *way;
        if (zl_copy_vector(c, ZL_SOURCE, way->run[0], log) &&
            zl_copy_vector(c, ZL_DEST, way->run[1], log) && put_even(c, &even, elements(c, log)))
            return even.vector[0];
    }
    return 0;
}

static bool realign_way(const zl_copy *c, zl_copy_way *out, uint32_t i)
{
    uint32_t log = ZL_WIDTH_MOST - i, v = elements(c, log), run = out->run[ZL_DEST];
    uint64_t loads = zlay_target_widths(c->target, zl_is_shared(c->side[ZL_SOURCE].space));
    out->kind = zl_copy_thread_kind(c);
    out->direct = direct_vector(c, out);
    if (c->bits < 8 || out->run[ZL_SOURCE] != run || !out->direct || v <= out->direct) return false;
    if (!(loads >> (1u << log) & 1) || c->side[ZL_SOURCE].align % (1u << log)) return false;
    if (c->tile.swizzle[ZL_SOURCE].bits || !zl_copy_vector(c, ZL_DEST, run, log)) return false;
    out->vector[0] = out->vector[1] = v;
    return true;
}

bool zl_copy_way_at(const zl_copy *c, zl_copy_way *out, int32_t path, uint32_t i)
{
    bool there = false;
    bool two = path == ZLAY_PATH_THREADS || path == ZLAY_PATH_STORE_ASYNC;
    uint32_t most = two ? WIDTHS * WIDTHS : WIDTHS;
    if (i >= most) return false;
    memset(out, 0, sizeof *out);
    out->path = path;
    for (int s = 0; s < ZL_SIDES; s++) out->run[s] = zl_copy_run(c, s);
    switch (path) {
    case ZLAY_PATH_BULK: there = bulk_way(c, out, i); break;
    case ZLAY_PATH_CP_ASYNC: there = cp_async_way(c, out, i); break;
    case ZLAY_PATH_THREADS: there = threads_way(c, out, i); break;
    case ZLAY_PATH_REALIGN: there = realign_way(c, out, i); break;
    case ZLAY_PATH_STORE_ASYNC: there = store_async_way(c, out, i); break;
    default: return false;
    }
    if (!there) out->kind = 0;
    else zl_copy_block(out);
    return true;
}
