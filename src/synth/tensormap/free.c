/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the shared layout where the request leaves it free. A row holds what is adjacent in
 * global memory; then one axis after the other follows by rising strides, so that as many digits
 * as possible merge. Rows are filled up to 16 bytes, or to the span of a swizzle that is asked
 * for; the part of an axis that is longer than the span comes last. */
#include "algebra/ops/cute.h"
#include "algebra/text/format.h"
#include "synth/tensormap/tensormap.h"

/* The size of a stride, by which axes are sorted; broadcast axes (stride 0) come last. */
static int64_t size_of(int64_t stride)
{
    return !stride ? INT64_MAX : stride < 0 ? -stride : stride;
}

/* Lists the axes of more than one cell by ascending strides. */
static uint32_t order(const zl_tm *t, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->axes; i++) {
        if (t->axis[i].tile == 1) continue;
        uint32_t k = count++;
        for (; k && size_of(t->axis[list[k - 1]].stride) > size_of(t->axis[i].stride); k--)
            list[k] = list[k - 1];
        list[k] = i;
    }
    return count;
}

/* Puts a digit; where its stride is negative, it is turned so that its least address comes
 * first. */
static bool put(zl_tm *t, uint32_t axis, uint64_t extent, uint64_t unit, int64_t shared)
{
    zl_tm_axis *a = &t->axis[axis];
    int64_t back;
    zl_tm_digit d = {.extent = extent, .shared = shared, .axis = (int32_t)axis, .unit = unit,
                     .per = 1};
    if (t->digits == ZL_TM_DIGITS || !zl_mul(a->stride, (int64_t)unit, &d.global)) return false;
    if (d.global < 0) {
        if (a->clipped || !zl_mul(d.global, (int64_t)extent - 1, &back) ||
            !zl_add(t->base, back, &t->base))
            return false;
        d.global = -d.global;
    }
    t->digit[t->digits++] = d;
    return true;
}

/* The most cells of an axis that one box holds.  Of a row: a row of the widest element type that
 * the edges allow.  Of another axis: all, or as many as a box has steps where the edges forbid to
 * split it. */
static uint64_t box_most(const zl_tm *t, const zl_tm_axis *a, bool row)
{
    bool strong = a->clipped && t->request.edge != ZLAY_EDGE_WEAK;
    uint32_t bytes = ZL_ELEMENT_MOST;
    if (row && t->spread) return ZL_SPREAD_ROW;
    if (row && t->swizzle) return zl_tm_span(t->swizzle) / t->element;
    if (!row && (!a->clipped || a->granule * ZL_BOX_MOST >= a->tile)) return a->tile;
    if (!row) return ZL_BOX_MOST;
    while (strong && bytes > t->element && a->granule * t->element % bytes) bytes /= 2;
    return strong ? (uint64_t)ZL_BOX_MOST * bytes / t->element : a->tile;
}

/* The greatest part of an axis that a box holds; 0: a row has no part of whole `unit` cells. */
static uint64_t part_of(const zl_tm *t, const zl_tm_axis *a, bool row)
{
    uint64_t most = box_most(t, a, row), unit = row ? ZL_CHUNK / t->element : 1;
    if (row && t->spread) return a->tile % most ? 0 : most;
    if (a->tile <= most) return a->tile;
    for (uint64_t part = most; part; part--)
        if (a->tile % part == 0 && part % unit == 0) return part;
    return 0;
}

/* Keeps the gaps of axes whose step is no multiple of 16 bytes: they have the same step in shared
 * memory as in global memory. */
static bool gaps_keep(zl_tm *t, const uint32_t *list, uint32_t count, uint32_t *i, uint64_t *bytes)
{
    for (; *i < count; ++*i) {
        int64_t step = size_of(t->axis[list[*i]].stride), reach;
        if (step == INT64_MAX || step % ZL_CHUNK == 0 || step < (int64_t)*bytes) return true;
        if (!put(t, list[*i], t->axis[list[*i]].tile, 1, step) ||
            !zl_mul(step, (int64_t)t->axis[list[*i]].tile - 1, &reach))
            return false;
        *bytes += (uint64_t)reach;
    }
    return true;
}

/* The axis for which equal parts need the most boxes beyond the least number; for example, 257
 * rows would be cut into parts of one row.  This axis is cut where boxes end, not into equal
 * parts.  Returns `count` where there is none. */
static uint32_t uneven(const zl_tm *t, const uint32_t *list, uint32_t count, uint32_t i)
{
    uint32_t found = count;
    uint64_t best = 1;
    for (uint32_t k = i; k < count; k++) {
        const zl_tm_axis *a = &t->axis[list[k]];
        uint64_t most = box_most(t, a, false), boxes = (a->tile + most - 1) / most;
        uint64_t more = a->tile / part_of(t, a, false) / boxes;
        if (more <= best) continue;
        best = more;
        found = k;
    }
    return found;
}

/* Puts the part of each axis that a box holds, from the i-th axis on, and then the rest of all
 * axes. */
static bool axes_put(zl_tm *t, const uint32_t *list, uint32_t count, uint32_t i, int64_t place,
                     uint64_t row)
{
    uint64_t part[ZL_TM_AXES] = {row};
    uint32_t whole = uneven(t, list, count, i);
    for (uint32_t n = i; n < count; n++) {
        uint32_t k = whole == count ? n : n + 1 == count ? whole : n + (n >= whole);
        const zl_tm_axis *a = &t->axis[list[k]];
        part[k] = k == whole ? a->tile : part_of(t, a, false);
        if (part[k] > 1 && !put(t, list[k], part[k], 1, place)) return false;
        if (!zl_mul(place, (int64_t)part[k], &place)) return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint64_t rest = k < i && k ? 1 : t->axis[list[k]].tile / part[k];
        if (rest > 1 && !put(t, list[k], rest, part[k], place)) return false;
        if (!zl_mul(place, (int64_t)rest, &place)) return false;
    }
    return true;
}

static bool digits_make(zl_tm *t)
{
    uint32_t list[ZL_TM_AXES], count = order(t, list), i = 0;
    uint32_t span = t->apart ? ZL_LINE : t->swizzle ? zl_tm_span(t->swizzle) : ZL_CHUNK;
    bool runs = count && size_of(t->axis[list[0]].stride) == t->element;
    uint64_t row = runs ? part_of(t, &t->axis[list[0]], true) : 1, bytes = row * t->element;
    if (!row || (t->spread && !runs) || (runs && !put(t, list[0], row, 1, t->element))) return false;
    i = runs;
    if ((!runs || row == t->axis[list[0]].tile) && !gaps_keep(t, list, count, &i, &bytes))
        return false;
    int64_t pitch = (int64_t)((bytes + span - 1) / span * span);
    if (!runs && i) row = t->axis[list[0]].tile;
    return axes_put(t, list, count, i, pitch, runs || i ? row : 1);
}

/* Puts a digit as a leaf of the layout; its stride is negated where addresses fall along the
 * axis. */
static zlay_status leaf_put(zl_modes *m, const zl_tm *t, uint32_t axis, uint64_t unit,
                            uint64_t *extent)
{
    bool turned = zl_tm_cell_way(&t->axis[axis]) < 0;
    for (uint32_t i = 0; i < t->digits; i++) {
        const zl_tm_digit *d = &t->digit[i];
        if (d->axis != (int32_t)axis || d->unit != unit) continue;
        int64_t stride = d->shared / t->element;
        *extent = d->extent;
        if (turned) m->offset += stride * (int64_t)(d->extent - 1);
        return zl_modes_leaf(m, (int64_t)d->extent, turned ? -stride : stride);
    }
    return ZLAY_EINTERNAL;
}

static zlay_status mode_put(zl_modes *m, const zl_tm *t, uint32_t mode)
{
    size_t first = m->count;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < t->axes; i++) {
        if (t->axis[i].mode != mode) continue;
        uint64_t extent = 1;
        for (uint64_t unit = 1; unit < t->axis[i].tile && !status; unit *= extent)
            status = leaf_put(m, t, i, unit, &extent);
    }
    if (!status && m->count == first) status = zl_modes_leaf(m, 1, 0);
    if (!status && m->count > first + 1) zl_modes_wrap(m, first);
    return status;
}

/* Makes ZL_SWIZZLE_FLIP, which is no Sw<B,M,S>, as an F2 layout on the bits of an offset. */
static zlay_status flip_make(zlay_ctx *ctx, zlay_layout **out, uint32_t element)
{
    enum { SMEM_BITS = 18, BASIS_TEXT = 16 };
    char text[SMEM_BITS * BASIS_TEXT] = "";
    zl_text to = {text, sizeof text, 0};
    for (uint64_t bit = element; bit >> SMEM_BITS == 0; bit *= 2) {
        uint64_t at = bit ^ zl_tm_flip(ZL_SWIZZLE_FLIP, bit / ZL_LINE) * ZL_CHUNK;
        if (zl_tm_swaps(ZL_SWIZZLE_FLIP, bit / ZL_LINE)) at ^= ZL_HALF;
        zl_putf(&to, " (%llu)", (unsigned long long)(at / element));
    }
    return zl_layout_format(ctx, out, "f2{x:%s -> y: %u}", text, (1u << SMEM_BITS) / element);
}

static zlay_status flip_put(zl_tm *t)
{
    zlay_layout *flip, *plain = t->smem;
    zlay_status status = flip_make(t->ctx, &flip, t->element);
    if (status) return status;
    t->smem = NULL;
    status = zl_layout_compose(t->ctx, &t->smem, flip, plain);
    zlay_layout_free(flip);
    zlay_layout_free(plain);
    return status;
}

static zlay_status layout_make(zl_tm *t)
{
    zl_modes m;
    zl_swizzle s = zl_tm_swizzle(t->swizzle, t->element);
    zl_modes_begin(&m, t->ctx);
    zlay_status status = ZLAY_OK;
    for (uint32_t k = 0; k < t->modes && !status; k++) status = mode_put(&m, t, k);
    if (!status && t->modes > 1) zl_modes_wrap(&m, 0);
    if (!status) status = zl_layout_strided(t->ctx, &t->smem, &m, s);
    zl_modes_end(&m);
    return status || t->swizzle != ZL_SWIZZLE_FLIP ? status : flip_put(t);
}

zlay_status zl_tm_free(zl_tm *t)
{
    t->digits = 0;
    t->shared = 0;
    t->swizzle = t->request.swizzle_given ? t->request.swizzle : ZLAY_SWIZZLE_NONE;
    if (!digits_make(t)) return ZLAY_NONE;
    return layout_make(t);
}

zlay_status zl_tm_lay(const zl_tm *t, zlay_layout **out, const int64_t *pitch)
{
    zl_tm one = *t;
    one.digits = 0;
    one.smem = NULL;
    for (uint32_t i = 0; i < t->axes; i++)
        if (t->axis[i].tile > 1 && !put(&one, i, t->axis[i].tile, 1, pitch[i])) return ZLAY_NONE;
    zlay_status status = layout_make(&one);
    *out = one.smem;
    return status;
}

uint32_t zl_tm_order(const zl_tm *t, uint32_t *list) { return order(t, list); }

/* An axis of the tile whose step is no multiple of 16 bytes; NULL: there is none. */
static const zl_tm_axis *aslant(const zl_tm *t, uint64_t *cell)
{
    *cell = 1;
    for (uint32_t i = 0; i < t->axes; i++) {
        const zl_tm_axis *a = &t->axis[i];
        bool two = a->tile > 1 && a->extent > 1;
        if (two && a->stride % ZL_CHUNK && size_of(a->stride) != t->element) return a;
        *cell *= a->tile;
    }
    return NULL;
}

zlay_status zl_tm_pitch_check(const zl_tm *t, zlay_status status)
{
    uint64_t cell;
    const zl_tm_axis *a = aslant(t, &cell);
    if (!a || t->spread) return status;
    uint64_t pitch = (uint64_t)size_of(a->stride), next = (pitch + ZL_CHUNK - 1) / ZL_CHUNK * ZL_CHUNK;
    while (next % t->element) next += ZL_CHUNK;
    return zl_fail(t->ctx, ZLAY_NONE,
                   "TMAP_STRIDE_16: byte %llu of the tile: its row begins %llu bytes into 16 of global "
                   "memory, for the pitch of mode %u is %llu bytes, no multiple of 16, and rows of "
                   "shared memory that is chosen begin with whole 16; repair: a pitch of %llu elements",
                   (unsigned long long)(cell * t->element), (unsigned long long)(pitch % ZL_CHUNK),
                   a->mode, (unsigned long long)pitch, (unsigned long long)(next / t->element));
}
