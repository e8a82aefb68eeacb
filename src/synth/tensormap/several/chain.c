/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates the boxes that begin at a line of shared memory.
 *
 * Consecutive chunks whose keys differ by a constant form a run. The innermost mode of a box is the
 * longest such run, or it ends inside of that run, because a mode must end where the differences
 * change. The same holds for blocks of that length, and so on outwards. So all boxes with one
 * beginning form a *chain*: each box of it is known by its length. */
#include "synth/tensormap/several/cover.h"

#include <string.h>

/* ---- boxes that begin at a line ------------------------------------------------------------ */

static uint64_t span_of(const zl_chain *h) { return zl_tm_span(h->swizzle) / ZL_CHUNK; }

/* The key that the levels found so far give a chunk, also where the tile does not want it. */
static void key_made(const zl_chain *h, uint64_t i, int64_t *key)
{
    memcpy(key, h->first, h->c->width * sizeof *key);
    for (uint32_t l = 0; l < h->levels; l++) {
        uint64_t digit = i / h->unit[l] % (l + 1 < h->levels ? h->unit[l + 1] / h->unit[l]
                                                             : h->extent[l]);
        for (uint32_t k = 0; k < h->c->width; k++) key[k] += (int64_t)digit * h->way[l][k];
    }
}

/* Whether chunk `i` of block `n` has the key of block 0 plus n times the way.  A place that the
 * tile does not want may hold anything where holes may be written; a place behind a narrow row is
 * not written. */
static bool follows(const zl_chain *h, uint64_t n, uint64_t i, uint64_t unit, const int64_t *way)
{
    const zl_chunks *c = h->c;
    bool one, two;
    int64_t made[ZL_TM_AXES + 1];
    uint64_t at = h->start + n * unit + i;
    if (at >= c->count) return false;
    const int64_t *a = zl_chunk_key(c, h->swizzle, h->start + i, &one);
    const int64_t *b = zl_chunk_key(c, h->swizzle, at, &two);
    if (h->swizzle && !h->slice && i % span_of(h) >= h->row) return true;
    if (c->keep && (!one || !two)) return false;
    if (!two) return true;
    if (!one) {
        key_made(h, i, made);
        a = made;
    }
    for (uint32_t k = 0; k < c->width; k++)
        if (b[k] - a[k] != (int64_t)n * way[k]) return false;
    return true;
}

/* Whether the next `unit` plain keys differ from these by one way.  They are compared in pieces,
 * long enough to be vectorised and short enough to stop early. */
static bool plain_follows(const int64_t *a, uint64_t unit)
{
    enum { PIECE = 64 };
    const int64_t *b = a + unit, way = b[0] - a[0];
    for (uint64_t from = 0, end; from < unit; from = end) {
        uint64_t wrong = 0;
        end = from + PIECE < unit ? from + PIECE : unit;
        for (uint64_t i = from; i < end; i++) wrong |= (uint64_t)(b[i] - a[i] - way);
        if (wrong) return false;
    }
    return true;
}

/* Plain keys, where whole rows are compared; else NULL. */
static const int64_t *plain_of(const zl_chain *h)
{
    return h->gaps ? NULL : h->c->plain[h->swizzle];
}

/* Whether block `n` follows, given that those before it do; plain keys are compared with the last
 * of them. */
static bool block_follows(const zl_chain *h, uint64_t n, uint64_t unit, const int64_t *way)
{
    const int64_t *plain = plain_of(h);
    if (plain) {
        const int64_t *first = plain + h->start, *last = first + (n - 1) * unit;
        return h->start + (n + 1) * unit <= h->c->count &&
               last[unit] - last[0] == first[unit] - first[0] && plain_follows(last, unit);
    }
    for (uint64_t i = 0; i < unit; i++)
        if (!follows(h, n, i, unit, way)) return false;
    return true;
}

static uint64_t blocks_following(const zl_chain *h, uint64_t unit, const int64_t *way)
{
    uint64_t n = 1;
    const uint32_t *run = h->c->run[h->swizzle];
    if (plain_of(h) && run && unit == h->c->run_unit[h->swizzle] && h->start % unit == 0)
        return run[h->start / unit];
    while (block_follows(h, n, unit, way)) n++;
    return n;
}

/* The key of the next block minus that of the first; false: the tile ends there, or one of the two
 * is not wanted. */
static bool way_of(const zl_chain *h, uint64_t unit, int64_t *way)
{
    const zl_chunks *c = h->c;
    bool one, two;
    const int64_t *plain = c->width == 1 ? c->plain[h->swizzle] : NULL;
    if (h->start + unit >= c->count) return false;
    if (plain) {
        *way = plain[h->start + unit] - plain[h->start];
        return true;
    }
    const int64_t *a = zl_chunk_key(c, h->swizzle, h->start, &one);
    const int64_t *b = zl_chunk_key(c, h->swizzle, h->start + unit, &two);
    if (!one || !two) return false;
    for (uint32_t k = 0; k < c->width; k++) way[k] = b[k] - a[k];
    return true;
}

/* The length of the row: a run of chunks that are adjacent in global memory, and along the axis of
 * adjacent elements where that has edges. */
static uint64_t row_of(const zl_chain *h, int64_t *way)
{
    const zl_chunks *c = h->c;
    uint64_t most = h->slice ? (uint64_t)h->slice : h->swizzle ? h->row : c->count, n = 1;
    memset(way, 0, c->width * sizeof *way);
    way[0] = 1;
    for (uint32_t k = 1; k < c->width; k++)
        if (c->t->axis[c->axis[k - 1]].stride == c->t->element)
            way[k] = ZL_CHUNK / (int64_t)c->t->element;
    const uint32_t *adjacent = c->adjacent[h->swizzle];
    if (adjacent) return adjacent[h->start] < most ? adjacent[h->start] : most;
    while (n < most && follows(h, n, 0, 1, way)) n++;
    return n;
}

static void levels_make(zl_chain *h)
{
    bool there;
    memcpy(h->first, zl_chunk_key(h->c, h->swizzle, h->start, &there),
           h->c->width * sizeof *h->first);
    h->shape[0] = 0;
    h->levels = 0;
    h->unit[0] = 1;
    h->extent[0] = row_of(h, h->way[0]);
    h->levels = 1;
    bool rows = h->swizzle && !h->slice;
    if (rows && h->extent[0] < h->row) return;
    if (h->extent[0] < (uint64_t)h->slice) return;
    uint64_t unit = rows ? span_of(h) : h->extent[0];
    while (h->levels < ZL_TM_RANK && way_of(h, unit, h->way[h->levels])) {
        uint64_t n = blocks_following(h, unit, h->way[h->levels]);
        if (n == 1) return;
        h->unit[h->levels] = unit;
        h->extent[h->levels++] = n;
        unit *= n;
    }
}

void zl_chain_make(zl_chain *h)
{
    levels_make(h);
    zl_chain_trim(h);
}

/* The chunks that are written; chunks behind narrow rows are not. */
uint64_t zl_chain_written(const zl_chain *h, uint64_t chunks)
{
    uint64_t span = span_of(h);
    return h->swizzle && !h->slice && chunks > h->row ? chunks / span * h->row : chunks;
}

/* ---- a length of a chain as a box ---------------------------------------------------------- */

/* The axis along which a way moves; false: there are several, or it moves backward. */
static bool axis_of(const zl_chunks *c, const int64_t *way, int32_t *axis, uint64_t *unit)
{
    *axis = ZL_TM_NO_AXIS;
    *unit = 1;
    for (uint32_t k = 1; k < c->width; k++) {
        if (!way[k]) continue;
        if (*axis != ZL_TM_NO_AXIS || way[k] < 0) return false;
        *axis = (int32_t)c->axis[k - 1];
        *unit = (uint64_t)way[k] * c->group[k - 1];
    }
    return true;
}

bool zl_chain_box(zl_tm_box *out, const zl_chain *h, uint32_t level, uint64_t blocks)
{
    const zl_chunks *c = h->c;
    const int64_t element = c->t->element;
    bool there = true;
    const int64_t *first = h->first;
    if (!h->shape[0]) zl_chunk_key(c, h->swizzle, h->start, &there);
    memset(out->cell, 0, sizeof out->cell);
    out->digits = level + 1;
    out->swizzle = h->swizzle;
    out->interleave = h->slice;
    out->pixels = 0;
    out->shared = (int64_t)h->start * ZL_CHUNK;
    out->global = first[0] * ZL_CHUNK;
    for (uint32_t k = 1; k < c->width; k++) out->cell[c->axis[k - 1]] = first[k] * (int64_t)c->group[k - 1];
    for (uint32_t i = 0; i <= level; i++) {
        zl_tm_digit *d = &out->digit[i];
        *d = (zl_tm_digit){i < level ? h->extent[i] : blocks, h->way[i][0] * ZL_CHUNK,
                           (int64_t)h->unit[i] * ZL_CHUNK, ZL_TM_NO_AXIS, 1, 1};
        if (!axis_of(c, h->way[i], &d->axis, &d->unit) || d->global < 0) return false;
        if (i) continue;
        d->extent *= (uint64_t)(ZL_CHUNK / element);
        d->global = d->shared = element;
        d->unit = 1;
    }
    if (level && h->row_wanted) out->digit[0].extent = h->row_wanted * (uint64_t)(ZL_CHUNK / element);
    return there;
}

bool zl_length_box(zl_tm_box *out, const zl_chunks *c, const zl_length *length)
{
    zl_chain h = {.c = c, .start = length->start, .swizzle = length->swizzle, .row = length->row,
                  .slice = length->slice, .gaps = length->gaps};
    if (length->pixels) return zl_columns_box(out, &h, length->pixels);
    memcpy(h.shape, length->shape, sizeof h.shape);
    if (!h.shape[0]) zl_chain_make(&h);
    else if (!zl_chain_shape(&h)) return false;
    return zl_chain_box(out, &h, length->level, length->blocks);
}

/* ---- all of a line -------------------------------------------------------------------------- */

/* Makes a chain, charges the comparisons that this took, and visits it. */
static void chain_visit(zl_chain *h, zl_chain_visit *visit, void *env)
{
    enum { PLAIN_STEP = 64, STEP = 4 };
    if (zl_charge(h->c->t->ctx, 1)) return;
    zl_chain_make(h);
    uint64_t chunks = h->unit[h->levels - 1] * h->extent[h->levels - 1];
    uint64_t a_step = h->c->plain[h->swizzle] ? PLAIN_STEP : STEP;
    uint64_t steps = chunks / a_step + h->extent[0] / STEP;
    if (zl_charge(h->c->t->ctx, steps) == ZLAY_OK) visit(env, h);
}

/* The chunks of a span up to the last one that the tile wants. */
static uint64_t row_wanted(const zl_chunks *c, int32_t swizzle, uint64_t start, uint64_t span)
{
    uint64_t row = 0;
    bool there;
    if (c->plain[swizzle]) return swizzle ? span : 0;
    for (uint64_t i = 0; swizzle && i < span; i++) {
        zl_chunk_key(c, swizzle, start + i, &there);
        if (there) row = i + 1;
    }
    return row;
}

bool zl_chunks_wanted(const zl_chunks *c, uint64_t line)
{
    for (uint64_t i = 0; i < ZL_LINE_CHUNKS; i++)
        if (c->there[line * ZL_LINE_CHUNKS + i]) return true;
    return false;
}

void zl_chunks_chains(const zl_chunks *c, uint64_t line, uint64_t narrow, zl_chain_visit *visit,
                      void *env)
{
    zl_chain h = {.c = c};
    for (int32_t z = ZLAY_SWIZZLE_NONE; z < ZL_SWIZZLES; z++) {
        uint64_t start = line * ZL_LINE_CHUNKS, span = zl_tm_span(z) / ZL_CHUNK;
        bool there;
        zl_chunk_key(c, z, start, &there);
        if (!zl_chunks_use(c, z) || !there) continue;
        uint64_t row = row_wanted(c, z, start, span);
        h.start = start;
        h.swizzle = z;
        h.row = row;
        h.slice = 0;
        chain_visit(&h, visit, env);
        for (h.row = 1; z && h.row <= narrow && h.row < span; h.row++)
            if (h.row != row) chain_visit(&h, visit, env);
        h.row = span;
        if (z && row < span && !c->keep) chain_visit(&h, visit, env);
        for (h.slice = 1; c->slices && h.slice <= 2 && (uint64_t)h.slice < span; h.slice++)
            chain_visit(&h, visit, env);
    }
}

void zl_chunks_gaps(const zl_chunks *c, uint64_t line, uint64_t narrow, zl_chain_visit *visit,
                    void *env)
{
    zl_chain h = {.c = c, .start = line * ZL_LINE_CHUNKS, .gaps = true};
    for (int32_t z = ZLAY_SWIZZLE_NONE + 1; z < ZL_SWIZZLES; z++) {
        h.swizzle = z;
        if (!c->plain[z] || !zl_chunks_use(c, z)) continue;
        for (h.row = 1; h.row <= narrow && h.row < zl_tm_span(z) / ZL_CHUNK; h.row++)
            chain_visit(&h, visit, env);
    }
}
