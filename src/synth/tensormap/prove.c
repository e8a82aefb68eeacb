/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the rules of the target for every map and copy of a move, and makes its certificate.
 *
 * The certificate encodes where an element of the tile lies in global and in shared memory as one
 * number, global + P * shared, with P a power of two above every global offset. So one strided
 * layout states both, and a swizzle of shared offsets is a swizzle of the number. Both layouts of
 * the certificate count the elements of the tile in shared order before the swizzle, then the
 * tiles. */
#include "algebra/layout/layout.h"
#include "synth/tensormap/dims.h"

#include <string.h>

int64_t zl_tm_address(const zl_tm *t, const zlay_tensormap *map)
{
    return zl_tm_counted(t, (int64_t)map->address);
}

int64_t zl_tm_stride(const zl_tm *t, const zlay_tensormap *map, uint32_t i)
{
    if (i) return zl_tm_counted(t, (int64_t)map->stride[i - 1]);
    if (map->interleave) return ZL_CHUNK * (int64_t)map->interleave;
    return t->spread ? 1 : (int64_t)zlay_tensormap_type_bits(map->type) / 8;
}

/* ---- rules --------------------------------------------------------------------------------- */

static zlay_status refused(const zl_tm *t, const zlay_verdict *verdict, const zlay_reason *reason)
{
    zlay_rule rule;
    if (verdict->answer == ZLAY_YES) return ZLAY_OK;
    zlay_status status = zlay_rule_info(&rule, reason->rule);
    return status ? status : zl_fail(t->ctx, ZLAY_NONE, "%s: %s", rule.id, rule.text);
}

/* A map with an address that can be checked: the move's is relative to the tensor's address, and
 * may be negative. */
static zlay_tensormap placed(const zlay_tensormap *map)
{
    zlay_tensormap at = *map;
    at.address %= 1u << 20;
    return at;
}

static zlay_status issue_check(const zl_tm *t, const zlay_move *move, const zlay_copy *copy,
                               const int32_t coordinate[ZL_TM_RANK])
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_tensormap map = placed(&move->maps[copy->map]);
    zlay_issue issue = {.kind = copy->kind, .mode = copy->mode, .rank = map.rank,
                        .smem = copy->smem};
    for (uint32_t i = 0; i < map.rank; i++) issue.coordinate[i] = coordinate[i];
    zlay_status status = zlay_copy_check(&verdict, &reason, 1, t->target, &issue, &map);
    return status ? status : refused(t, &verdict, &reason);
}

static int64_t last_of(const zl_tm *t, uint32_t mode) { return (int64_t)t->count[mode] - 1; }

/* Checks a copy for all tiles.  A rule about a coordinate is a congruence, which every advance
 * keeps, or a bound; so it holds for every tile if it holds for the first and the last tile. */
static zlay_status copy_check(const zl_tm *t, const zlay_move *move, const zlay_copy *copy)
{
    int32_t end[ZL_TM_RANK];
    bool moves = false;
    for (uint32_t i = 0; i < ZL_TM_RANK; i++) {
        int64_t to = copy->coordinate[i];
        for (uint32_t j = 0; j < t->modes; j++) to += copy->advance[i][j] * last_of(t, j);
        if (to > INT32_MAX || to < INT32_MIN)
            return zl_fail(t->ctx, ZLAY_NONE, "COPY_COORDINATE: the last tile begins at %lld",
                           (long long)to);
        end[i] = (int32_t)to;
        moves |= to != copy->coordinate[i];
    }
    zlay_status status = issue_check(t, move, copy, copy->coordinate);
    return status || !moves ? status : issue_check(t, move, copy, end);
}

static zlay_status map_check(const zl_tm *t, const zlay_tensormap *map)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_tensormap at = placed(map);
    zlay_status status = zlay_tensormap_check(&verdict, &reason, 1, t->target, &at);
    return status ? status : refused(t, &verdict, &reason);
}

zlay_status zl_tm_check(const zl_tm *t, const zlay_move *move)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; !status && i < move->info.maps; i++) status = map_check(t, &move->maps[i]);
    for (uint32_t k = 0; !status && k < move->info.copies; k++)
        status = copy_check(t, move, &move->copies[k]);
    return status;
}

/* Coordinates and places only grow from copy to copy.  So bounds hold if they hold for the first
 * and the last copy, and congruences if they hold for the first copy and the next one along each
 * digit. */
zlay_status zl_tm_check_even(const zl_tm *t, const zlay_move *move, const zl_tm_split *split)
{
    zlay_status status = map_check(t, &move->maps[0]);
    const zlay_copy *copy = move->copies, *last = &copy[split->copies - 1];
    uint32_t each = 1;
    if (!status) status = copy_check(t, move, copy);
    if (!status && last != copy) status = copy_check(t, move, last);
    for (uint32_t k = 0; !status && k < split->overs; k++) {
        if (&copy[each] != last) status = issue_check(t, move, &copy[each], copy[each].coordinate);
        each *= (uint32_t)split->over[k].extent;
    }
    return status;
}

/* ---- what is read -------------------------------------------------------------------------- */

static bool reach_of(int64_t step, uint64_t count, int64_t *least, int64_t *most)
{
    int64_t reach, *end = step < 0 ? least : most;
    return zl_mul(step, (int64_t)count, &reach) && zl_add(*end, reach, end);
}

/* The first and the last byte of the tensor's elements. */
static bool memory_of(const zl_tm *t, int64_t *least, int64_t *most)
{
    if (t->value) {
        *least = t->least * t->element;
        *most = t->most * t->element + t->element - 1;
        return true;
    }
    *least = *most = t->origin;
    for (uint32_t i = 0; i < t->axes; i++) {
        const zl_tm_axis *a = &t->axis[i];
        int64_t low;
        if (a->memory) continue;
        if (!zl_mul(a->stride, a->low, &low) || !zl_add(*least, low, least) ||
            !zl_add(*most, low, most) || !reach_of(a->stride, a->extent - 1, least, most))
            return false;
    }
    return zl_add(*most, t->element - 1, most);
}

/* The greatest, or the least, address that a copy reads over all tiles. */
static int64_t furthest(const zl_tm *t, const zlay_move *move, const zlay_copy *copy, bool last)
{
    const zlay_tensormap *map = &move->maps[copy->map];
    int64_t address = zl_tm_address(t, map);
    for (uint32_t i = 0; i < map->rank; i++) {
        int64_t at = copy->coordinate[i], stride = zl_tm_stride(t, map, i);
        int64_t end = (int64_t)map->extent[i] - 1;
        for (uint32_t j = 0; j < t->modes; j++)
            if ((copy->advance[i][j] > 0) == last)
                at += copy->advance[i][j] * ((int64_t)t->count[j] - 1);
        if (last) at += ((int64_t)map->box[i] - 1) / map->step[i] * map->step[i];
        address += (at < 0 ? 0 : at > end ? end : at) * stride;
        if (last && !i) address += stride - 1;
    }
    return address;
}

bool zl_tm_reads_inside(const zl_tm *t, const zlay_move *move)
{
    int64_t least, most;
    if (t->store) return true;
    if (!memory_of(t, &least, &most)) return false;
    for (uint32_t k = 0; k < move->info.copies; k++) {
        if (move->maps[move->copies[k].map].mode) continue;
        int64_t first = furthest(t, move, &move->copies[k], false), low = least;
        int64_t last = furthest(t, move, &move->copies[k], true);
        low -= (least % ZL_CHUNK + ZL_CHUNK) % ZL_CHUNK;
        if (first < low || zl_tm_address(t, &move->maps[move->copies[k].map]) < low) return false;
        if (last > most && last / ZL_CHUNK > most / ZL_CHUNK) return false;
    }
    return true;
}

/* ---- the certificate ------------------------------------------------------------------------- */

enum { MODES_MOST = ZL_TM_DIGITS + ZL_TM_AXES + ZL_TM_RANK };

typedef struct pairs {
    const zl_tm *t;
    int64_t least;   /* global offset, elements */
    int32_t log;     /* of P */
    size_t count;
    int64_t shape[MODES_MOST], stride[MODES_MOST], offset;
} pairs;

static bool widen(int64_t step, uint64_t extent, int64_t *least, int64_t *most)
{
    int64_t reach, *end = step < 0 ? least : most;
    return zl_mul(step, (int64_t)(extent - 1), &reach) && zl_add(*end, reach, end);
}

/* Finds the range of global offsets of all tiles, in elements, and P; false: they do not fit. */
static bool pairs_begin(pairs *p, const zl_tm *t)
{
    int64_t most = t->base / t->element, span;
    p->t = t;
    p->least = most;
    p->count = 0;
    for (uint32_t i = 0; i < t->digits; i++)
        if (!widen(t->digit[i].global / t->element, t->digit[i].extent, &p->least, &most))
            return false;
    for (uint32_t i = 0; i < t->axes; i++)
        if (!widen(zl_tm_tile_way(&t->axis[i]) / t->element, t->axis[i].tiles, &p->least, &most))
            return false;
    if (!zl_sub(most, p->least, &span)) return false;
    for (p->log = 0; p->log < 62 && (int64_t)1 << p->log <= span;) p->log++;
    return p->log < 62;
}

/* global + P * shared, both in bytes. */
static bool pair_of(const pairs *p, int64_t global, int64_t shared, int64_t *out)
{
    return zl_mul(shared / p->t->element, (int64_t)1 << p->log, out) &&
           zl_add(*out, global / p->t->element, out);
}

static bool pair_put(pairs *p, uint64_t extent, int64_t global, int64_t shared)
{
    p->shape[p->count] = (int64_t)extent;
    return pair_of(p, global, shared, &p->stride[p->count++]);
}

static zlay_status pairs_end(const pairs *p, zlay_layout **out, int32_t swizzle)
{
    zlay_layout *strided;
    zlay_ctx *ctx = p->t->ctx;
    static const int64_t one = 1, zero = 0;
    bool cell = !p->count;
    zlay_status status =
        zl_layout_new_strided(ctx, &strided, cell ? 1 : p->count, cell ? &one : p->shape,
                              cell ? &zero : p->stride, p->offset);
    if (status || !swizzle) {
        *out = strided;
        return status;
    }
    zl_swizzle s = zl_tm_swizzle(swizzle, p->t->element);
    s.base += p->log;
    status = zl_layout_new_swizzled(ctx, out, s, strided);
    zlay_layout_free(strided);
    return status;
}

static zlay_status too_large(const zl_tm *t)
{
    return zl_fail(t->ctx, ZLAY_EOVERFLOW,
                   "source: its offsets and those of shared memory do not fit 63 bits together");
}

/* Makes the layout that the request states: each digit, then each index of the tile. */
static zlay_status wanted(pairs *p, zlay_layout **out)
{
    const zl_tm *t = p->t;
    bool fits = pair_of(p, t->base - p->least * t->element, t->shared, &p->offset);
    p->count = 0;
    for (uint32_t i = 0; i < t->digits; i++)
        fits = fits && pair_put(p, t->digit[i].extent, t->digit[i].global, t->digit[i].shared);
    for (uint32_t i = 0; i < t->axes; i++)
        if (t->axis[i].tiles > 1)
            fits = fits && pair_put(p, t->axis[i].tiles,
                                    zl_tm_tile_way(&t->axis[i]), 0);
    return fits ? pairs_end(p, out, t->swizzle) : too_large(t);
}

/* Whether `to` differs from `from` as `next` differs from the first copy. */
static bool same_step(const zlay_copy *first, const zlay_copy *next, const zlay_copy *from,
                      const zlay_copy *to)
{
    bool same = to->smem - from->smem == next->smem - first->smem;
    for (uint32_t i = 0; i < ZL_TM_RANK; i++)
        same &= to->coordinate[i] - from->coordinate[i] ==
                next->coordinate[i] - first->coordinate[i];
    return same && to->map == first->map && to->bytes == first->bytes &&
           !memcmp(to->advance, first->advance, sizeof to->advance);
}

/* Whether all copies have the constant steps that the copies next to the first one show. */
static bool evenly(const zlay_move *move, const zl_tm_split *split)
{
    const zlay_copy *copy = move->copies;
    uint32_t each = 1;
    bool even = true;
    for (uint32_t k = 0; k < split->overs; k++) {
        uint32_t end = each * (uint32_t)split->over[k].extent;
        for (uint32_t n = each; n < end; n++)
            even = even && same_step(copy, &copy[each], &copy[n - each], &copy[n]);
        each = end;
    }
    return even && each == move->info.copies;
}

/* Puts a mode for each digit of copies, with the steps of the copies. */
static bool overs_put(pairs *p, const zlay_move *move, const zl_tm_split *split)
{
    const zlay_copy *copy = move->copies;
    const zlay_tensormap *map = &move->maps[copy->map];
    uint32_t each = 1;
    bool fits = true;
    for (uint32_t k = 0; fits && k < split->overs; k++) {
        int64_t way = 0;
        for (uint32_t i = 0; i < map->rank; i++)
            way += (copy[each].coordinate[i] - copy->coordinate[i]) * zl_tm_stride(p->t, map, i);
        fits = pair_put(p, split->over[k].extent, way, copy[each].smem - copy->smem);
        each *= (uint32_t)split->over[k].extent;
    }
    return fits;
}

/* Makes the layout that map and copies execute, with the indices of each dimension that the tile
 * wants. */
static zlay_status done(pairs *p, zlay_layout **out, const zlay_move *move, const zl_tm_map *m,
                        const zl_tm_split *split)
{
    const zl_tm *t = p->t;
    const zlay_copy *copy = &move->copies[0];
    const zlay_tensormap *map = &move->maps[copy->map];
    int64_t global = zl_tm_address(t, map) - p->least * t->element, shared, step, row;
    row = map->box[0] * zl_tm_stride(t, map, 0);
    shared = map->swizzle ? (int64_t)zl_tm_span(map->swizzle) : row;
    p->count = 0;
    bool fits = pair_put(p, m->dim[0].real * m->bytes / t->element, t->element, t->element);
    for (uint32_t i = 1; i < map->rank; i++) {
        fits = fits && pair_put(p, i < m->rank ? m->dim[i].real : 1,
                                zl_tm_stride(t, map, i) * map->step[i], shared);
        shared *= (map->box[i] + map->step[i] - 1) / map->step[i];
    }
    for (uint32_t i = 0; i < map->rank; i++) global += copy->coordinate[i] * zl_tm_stride(t, map, i);
    fits = fits && overs_put(p, move, split);
    for (uint32_t k = 0; k < t->axes; k++) {
        if (t->axis[k].tiles == 1) continue;
        step = 0;
        for (uint32_t i = 0; i < map->rank; i++)
            step += copy->advance[i][t->axis[k].mode] * zl_tm_stride(t, map, i);
        fits = fits && pair_put(p, t->axis[k].tiles, step, 0);
    }
    fits = fits && pair_of(p, global, copy->smem, &p->offset);
    return fits ? pairs_end(p, out, map->swizzle) : too_large(t);
}

zlay_status zl_tm_certify(const zl_tm *t, zlay_move *move, const zl_tm_split *split)
{
    pairs p;
    zl_tm_map m;
    if (!zl_tm_map_of(&m, t, &split->box) || !pairs_begin(&p, t)) return too_large(t);
    if (!evenly(move, split))
        return zl_fail(t->ctx, ZLAY_EINTERNAL,
                       "copies are not as far apart as they should be; please report this request");
    zlay_status status = done(&p, &move->certificate[0], move, &m, split);
    if (!status) status = wanted(&p, &move->certificate[1]);
    return status ? status : zl_move_certify(t->ctx, move);
}
