/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the chunks of a tile: for each 16 bytes of shared memory the key of the 16 bytes of global
 * memory that its cells want. A chunk whose cells want bytes of two chunks of global memory, or
 * bytes in another order, is brought by no copy; the answer is then NONE, with the rule and the
 * first such byte. Keys are compared one cell at a time, and each swizzle of the target gets the
 * sequence in its own order. */
#include "algebra/decide/decide.h"
#include "synth/tensormap/several/cover.h"

#include <string.h>
#include <zlay/decide.h>
#include <zlay/block.h>

/* ---- places of cells ----------------------------------------------------------------------- */

/* The place of a cell along an axis, axes in the order of the tile's index. */
static int64_t axis_place(const zl_chunks *c, uint64_t cell, uint32_t axis)
{
    const zl_tm_axis *a = &c->t->axis[axis];
    uint64_t place = cell / c->below[axis] % a->tile;
    return (int64_t)(a->down ? a->tile - 1 - place : place);
}

/* The place of a cell along memory: its elements from the first cell of the tile. */
static int64_t memory_place(const zl_chunks *c, uint64_t cell, uint32_t memory)
{
    int64_t place = 0;
    for (uint32_t i = 0; i < memory; i++)
        if (c->t->axis[i].on)
            place += axis_place(c, cell, i) * (c->t->axis[i].stride / (int64_t)c->t->element);
    return place;
}

static int64_t place_of(const zl_chunks *c, uint64_t cell, uint32_t axis)
{
    return c->t->axis[axis].memory ? memory_place(c, cell, axis) : axis_place(c, cell, axis);
}

/* Computes global offsets from the axes, also beyond the tensor's edges. */
static void axes_fill(const zl_chunks *c)
{
    const zl_tm *t = c->t;
    uint64_t at[ZL_TM_AXES] = {0};
    int64_t value = zl_tm_first(t) / t->element;
    for (uint64_t i = 0; i < c->cells; i++) {
        c->global[i] = value;
        for (uint32_t k = 0; k < t->axes; k++) {
            int64_t step = zl_tm_cell_way(&t->axis[k]) / t->element;
            value += step;
            if (++at[k] < t->axis[k].tile) break;
            value -= step * (int64_t)at[k];
            at[k] = 0;
        }
    }
}

static void global_fill(zl_chunks *c)
{
    uint64_t below = 1;
    for (uint32_t k = 0; k < c->t->axes; k++) {
        c->below[k] = below;
        below *= c->t->axis[k].tile;
    }
    if (c->t->value) memcpy(c->global, c->t->value, c->cells * sizeof *c->global);
    else axes_fill(c);
}

static zlay_status shared_fill(zl_chunks *c)
{
    const zlay_layout *smem = c->t->request.smem ? c->t->request.smem : c->t->smem;
    uint8_t *there = zl_scratch(c->t->ctx, c->cells, 1);
    if (!there) return ZLAY_ENOMEM;
    zlay_status status = zlay_layout_eval_many(c->shared, there, smem, NULL, 0, c->cells);
    if (status) status = zl_fail(c->t->ctx, status, "smem: has no values that can be read");
    for (uint64_t i = 0; !status && i < c->cells; i++)
        if (!there[i] || c->shared[i] < 0)
            status = zl_fail(c->t->ctx, ZLAY_EINVAL, "smem: cell %llu of the tile has no place",
                             (unsigned long long)i);
    return status;
}

/* ---- chunks -------------------------------------------------------------------------------- */

static zlay_status no_copy(const zl_chunks *c, uint64_t cell, const char *rule, const char *why)
{
    return zl_fail(c->t->ctx, ZLAY_NONE, "%s: byte %llu of the tile: %s", rule,
                   (unsigned long long)(cell * c->t->element), why);
}

/* The key of a chunk, computed from one of its cells; every cell of a chunk must give the same
 * key. */
static void key_of(const zl_chunks *c, uint64_t cell, int64_t shared, int64_t *key)
{
    const zl_tm *t = c->t;
    int64_t inside = shared % ZL_CHUNK;
    key[0] = (c->global[cell] * t->element - inside) / ZL_CHUNK;
    for (uint32_t k = 1; k < c->width; k++) {
        const zl_tm_axis *a = &t->axis[c->axis[k - 1]];
        key[k] = place_of(c, cell, c->axis[k - 1]) / (int64_t)c->group[k - 1];
        if (a->stride == t->element) key[k] -= inside / t->element;
    }
}

/* Explains why a cell has another offset in its 16 bytes of global memory than in its 16 bytes of
 * shared memory. */
static zlay_status misplaced(const zl_chunks *c, uint64_t cell)
{
    const zl_tm *t = c->t;
    if (c->there[c->shared[cell] * t->element / ZL_CHUNK])
        return no_copy(c, cell, "TMAP_BOX0_16",
                       "its 16 bytes of shared memory are not 16 of global memory");
    for (uint32_t i = 0; i < t->axes; i++)
        if (t->axis[i].tile > 1 && t->axis[i].stride / ZL_CHUNK && t->axis[i].stride % ZL_CHUNK)
            return no_copy(c, cell, "TMAP_STRIDE_16",
                           "a pitch of the tensor is no multiple of 16 bytes");
    return no_copy(c, cell, "COPY_COORDINATE_16",
                   "it lies elsewhere in its 16 bytes of global memory than of shared memory");
}

static bool may_swap(const zl_chunks *c, int64_t chunk)
{
    return c->t->may[ZL_SWIZZLE_FLIP] &&
           zl_tm_swaps(ZL_SWIZZLE_FLIP, (uint64_t)chunk / ZL_LINE_CHUNKS);
}

static bool same_key(const zl_chunks *c, const int64_t *a, const int64_t *b)
{
    for (uint32_t k = 0; k < c->width; k++)
        if (a[k] != b[k]) return false;
    return true;
}

/* Adds a cell to its chunk; ZLAY_NONE: no copy can bring it. */
static zlay_status cell_put(zl_chunks *c, uint64_t cell)
{
    if (c->t->defined && !c->t->defined[cell]) return ZLAY_OK;
    int64_t key[ZL_TM_AXES + 1], at = c->shared[cell] * c->t->element / ZL_CHUNK;
    int64_t from = c->global[cell] * c->t->element, to = c->shared[cell] * c->t->element;
    bool swapped = (from - to) % ZL_CHUNK && may_swap(c, at);
    if (swapped) to ^= ZL_HALF;
    if ((from - to) % ZL_CHUNK) return misplaced(c, cell);
    key_of(c, cell, to, key);
    int64_t *mine = c->key + at * c->width;
    uint8_t how = swapped ? ZL_THERE | ZL_SWAPPED : ZL_THERE;
    if (!c->there[at]) memcpy(mine, key, c->width * sizeof *key);
    else if (how != c->there[at] || !same_key(c, mine, key))
        return no_copy(c, cell, "TMAP_BOX0_16",
                       "its 16 bytes of shared memory are not 16 of global memory");
    c->wanted += !c->there[at];
    c->there[at] = how;
    c->swaps |= swapped;
    return ZLAY_OK;
}

/* Whether a cell wants what its chunk is known to bring, with its halves in order: where no axis
 * has edges, the cell is as far from its chunk's place in shared memory as in global memory. */
static bool cell_agrees(const zl_chunks *c, uint64_t cell)
{
    const int64_t element = c->t->element, to = c->shared[cell] * element, at = to / ZL_CHUNK;
    return c->there[at] == ZL_THERE && (!c->t->defined || c->t->defined[cell]) &&
           c->global[cell] * element - to == (c->key[at] - at) * ZL_CHUNK;
}

static zlay_status cells_put(zl_chunks *c)
{
    zlay_status status = ZLAY_OK;
    for (uint64_t i = 0; !status && i < c->cells; i++)
        if (c->width > 1 || !cell_agrees(c, i)) status = cell_put(c, i);
    return status;
}

/* Refuses a shared layout in which two cells have one place. */
static zlay_status places_check(const zl_chunks *c)
{
    zlay_answer answer;
    uint64_t at[2];
    const zlay_layout *smem = c->t->request.smem;
    if (!smem) return ZLAY_OK;
    zlay_status status = zl_layout_is_injective(c->t->ctx, &answer, at, smem);
    if (status || answer == ZLAY_YES) return status;
    if (answer != ZLAY_NO) return ZLAY_ELIMIT;
    return zl_fail(c->t->ctx, ZLAY_EINVAL, "smem: cells %llu and %llu of the tile have one place",
                   (unsigned long long)at[0], (unsigned long long)at[1]);
}

static zlay_status room_check(zl_chunks *c)
{
    int64_t most = 0;
    uint64_t capacity = zlay_smem_capacity(c->t->target);
    for (uint64_t i = 0; i < c->cells; i++)
        if (c->shared[i] > most) most = c->shared[i];
    if ((uint64_t)most >= capacity / c->t->element)
        return zl_fail(c->t->ctx, ZLAY_NONE,
                       "SMEM_BLOCK: smem spans %lld elements, a block of %s has %llu bytes",
                       (long long)most, zlay_target_name(c->t->target),
                       (unsigned long long)capacity);
    c->count = ((uint64_t)most * c->t->element / ZL_LINE + 1) * ZL_LINE_CHUNKS;
    return ZLAY_OK;
}

/* Checks that the next tile begins a multiple of 16 bytes (or of the type's unit) further. */
static zlay_status tiles_check(const zl_chunks *c)
{
    for (uint32_t i = 0; i < c->t->axes; i++) {
        const zl_tm_axis *a = &c->t->axis[i];
        if (a->tiles > 1 && a->stride * (int64_t)a->tile % c->t->unit)
            return no_copy(c, 0, "COPY_COORDINATE_16",
                           "in the next tile it lies elsewhere in its 16 bytes of global memory");
    }
    return ZLAY_OK;
}

/* Finds weights (a mixed radix) under which the weighed sum of a key determines the key, and the
 * weighed sum of a difference of two sums of keys determines that; false: the sums pass 62
 * bits. */
static bool weights_find(zl_chunks *c)
{
    enum { BITS = 62, ENDS = 4 };
    int64_t weight = 1;
    for (uint32_t k = c->width; k-- > 0;) {
        int64_t least = INT64_MAX, most = INT64_MIN, range;
        for (uint64_t i = 0; i < c->count; i++) {
            int64_t at = c->key[i * c->width + k];
            if (at < least) least = at;
            if (at > most) most = at;
        }
        c->weight[k] = weight;
        if (!zl_sub(most, least, &range) || !zl_mul(range + 1, ENDS, &range) ||
            !zl_mul(weight, range, &weight) || weight >> BITS)
            return false;
    }
    return true;
}

static int64_t weighed(const zl_chunks *c, const int64_t *key)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < c->width; k++) sum += key[k] * c->weight[k];
    return sum;
}

/* For each block of `unit` chunks, counts the blocks from it on that follow one another by one
 * way. */
static void runs_fill(zl_chunks *c, int32_t z)
{
    const int64_t *at = c->plain[z];
    uint64_t unit = c->run_unit[z], blocks = c->count / unit;
    for (uint64_t n = blocks; n-- > 0;) {
        const int64_t *a = at + n * unit, *b = a + unit;
        uint64_t same = n + 1 < blocks;
        for (uint64_t i = 1; same && i < unit; i++) same = b[i] - a[i] == b[0] - a[0];
        bool on = same && n + 2 < blocks && b[unit] - b[0] == b[0] - a[0];
        c->run[z][n] = 1 + (on ? c->run[z][n + 1] : (uint32_t)same);
    }
}

/* The chunks of a row: a swizzle's span, or without a swizzle the length of the first run. */
static uint64_t unit_of(const zl_chunks *c, int32_t z)
{
    uint64_t unit = 1;
    if (z) return zl_tm_span(z) / ZL_CHUNK;
    while (unit < c->count && c->plain[z][unit] - c->plain[z][unit - 1] ==
                                  c->plain[z][1] - c->plain[z][0])
        unit++;
    return unit;
}

/* Counts the chunks from each one on that are adjacent in global memory. */
static void adjacent_fill(zl_chunks *c, int32_t z)
{
    const int64_t *at = c->plain[z];
    for (uint64_t i = c->count; i-- > 0;) {
        bool on = i + 1 < c->count && at[i + 1] - at[i] == 1;
        c->adjacent[z][i] = on ? c->adjacent[z][i + 1] + 1 : 1;
    }
}

static zlay_status plain_of(zl_chunks *c, int32_t z)
{
    c->plain[z] = zl_scratch_plain(c->t->ctx, c->count, sizeof *c->plain[z]);
    if (!c->plain[z]) return ZLAY_ENOMEM;
    for (uint64_t i = 0; i < c->count; i++)
        c->plain[z][i] = weighed(c, c->key + zl_chunk_place(i, z) * c->width);
    c->run_unit[z] = unit_of(c, z);
    c->run[z] = zl_scratch(c->t->ctx, c->count / c->run_unit[z], sizeof *c->run[z]);
    if (!c->run[z]) return ZLAY_ENOMEM;
    runs_fill(c, z);
    if (c->width > 1) return ZLAY_OK;
    c->adjacent[z] = zl_scratch_plain(c->t->ctx, c->count, sizeof *c->adjacent[z]);
    if (!c->adjacent[z]) return ZLAY_ENOMEM;
    adjacent_fill(c, z);
    return ZLAY_OK;
}

/* Finds out whether there are holes and, where every chunk is wanted, makes the weighed keys of all
 * swizzles. */
static zlay_status plain_make(zl_chunks *c)
{
    uint64_t last = c->count;
    zlay_status status = ZLAY_OK;
    while (last && !c->there[last - 1]) last--;
    c->holes = last != c->wanted;
    c->keep = c->t->request.keep_holes || c->swaps;
    if (c->wanted != c->count || c->swaps || !weights_find(c)) return ZLAY_OK;
    for (int32_t z = ZLAY_SWIZZLE_NONE; z < ZL_SWIZZLES && !status; z++)
        if (z != ZL_SWIZZLE_FLIP && zl_chunks_use(c, z)) status = plain_of(c, z);
    return status;
}

/* Checks that the tile, and the tensor, have each 16 bytes whole, because a store writes whole 16
 * bytes. */
static zlay_status whole_check(const zl_chunks *c)
{
    const zl_tm *t = c->t;
    uint8_t *bytes = zl_scratch(t->ctx, c->count, 1);
    zlay_status status = bytes ? ZLAY_OK : ZLAY_ENOMEM;
    for (uint64_t i = 0; !status && i < c->cells; i++)
        if (!t->defined || t->defined[i])
            bytes[c->shared[i] * t->element / ZL_CHUNK] += (uint8_t)t->element;
    for (uint64_t i = 0; !status && i < c->cells; i++) {
        bool part = bytes[c->shared[i] * t->element / ZL_CHUNK] % ZL_CHUNK;
        for (uint32_t k = 0; k < t->axes; k++) {
            const zl_tm_axis *a = &t->axis[k];
            part |= a->clipped && a->stride % ZL_CHUNK && (int64_t)a->granule * a->stride % ZL_CHUNK;
        }
        if (part) status = no_copy(c, i, "COPY_STORE_16", "a store writes whole 16 bytes, and the "
                                   "tile has some of them in part");
    }
    return status;
}

static zlay_status keys_make(zl_chunks *c)
{
    c->key = zl_scratch(c->t->ctx, c->count * c->width, sizeof *c->key);
    c->there = zl_scratch(c->t->ctx, c->count, 1);
    zlay_status status = c->key && c->there ? ZLAY_OK : ZLAY_ENOMEM;
    if (!status) status = cells_put(c);
    if (!status && c->t->store) status = whole_check(c);
    return status ? status : plain_make(c);
}

/* The fewest cells of an axis that are a multiple of 16 bytes; 1 where an edge may fall between
 * them, or where the axis is a row. */
static uint64_t group_of(const zl_tm_axis *a)
{
    uint64_t size = (uint64_t)(a->stride < 0 ? -a->stride : a->stride);
    uint64_t group = ZL_CHUNK / zl_gcd(ZL_CHUNK, size);
    return a->memory || size < ZL_CHUNK || a->granule % group ? 1 : group;
}

zlay_status zl_chunks_make(zl_chunks *out, const zl_tm *t)
{
    memset(out, 0, sizeof *out);
    out->t = t;
    out->slices = !t->tiled && !zl_tm_any_clips(t);
    out->cells = t->cells;
    out->width = 1;
    for (uint32_t i = 0; i < t->axes; i++)
        if (t->axis[i].clipped && (t->axis[i].memory || t->axis[i].granule % t->axis[i].tile)) {
            out->group[out->width - 1] = group_of(&t->axis[i]);
            out->axis[out->width++ - 1] = i;
        }
    if (out->cells > zl_limits(t->ctx)->points)
        return zl_fail(t->ctx, ZLAY_ELIMIT, "limits.points is %llu, the tile has %llu",
                       (unsigned long long)zl_limits(t->ctx)->points,
                       (unsigned long long)out->cells);
    out->global = zl_scratch_plain(t->ctx, out->cells, sizeof *out->global);
    out->shared = zl_scratch_plain(t->ctx, out->cells, sizeof *out->shared);
    zlay_status status = out->global && out->shared ? ZLAY_OK : ZLAY_ENOMEM;
    if (!status) global_fill(out);
    if (!status) status = shared_fill(out);
    if (!status) status = places_check(out);
    if (!status) status = room_check(out);
    if (!status && !t->request.smem) status = tiles_check(out);
    if (!status) status = keys_make(out);
    if (!status) status = zl_legal_begin(out);
    return status ? status : tiles_check(out);
}
