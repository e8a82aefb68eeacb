/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the elements of accesses one by one, for the search over families, and what vectors force
 * on every layout: the offset of an element modulo the alignment, and its neighbours.  Two vectors
 * that force different things show that no layout has both. */
#include "synth/swizzle/family.h"

#include <string.h>

enum { BYTE = 8, READ = 1024 };

static zlay_status outside(const zl_asked *a, uint32_t i, int64_t index, uint64_t point)
{
    return zl_fail(a->ctx, ZLAY_EINVAL,
                   "accesses: %u: index %lld of point %llu is outside a tile of %llu elements", i,
                   (long long)index, (unsigned long long)point, (unsigned long long)a->size);
}

/* Reads some points of an access as indices of the tile. */
static zlay_status indices_read(zl_access_points *p, const zl_asked *a, uint32_t i, uint64_t first,
                                uint64_t count)
{
    int64_t value[READ];
    uint8_t there[READ];
    uint32_t *to = p->index + first;
    zlay_status status = zlay_layout_eval_many(value, there, a->access[i].layout, NULL, first, count);
    if (status) return zl_fail(a->ctx, status, "accesses: %u: layout: has no index at some point", i);
    bool gaps = false;
    for (uint64_t n = 0; n < count; n++) {
        to[n] = there[n] ? (uint32_t)value[n] : UINT32_MAX;
        gaps |= !there[n];
        if (there[n] && (uint64_t)value[n] >= a->size) return outside(a, i, value[n], first + n);
    }
    p->gaps |= gaps;
    return ZLAY_OK;
}

/* Checks that each lane has all elements of its vector, or none. */
static zlay_status lanes_check(const zl_asked *a, const zl_access_points *p, uint32_t i)
{
    const zl_asked_access *x = &a->access[i];
    uint64_t each = (uint64_t)x->lanes * x->elements;
    for (uint64_t first = 0; x->elements > 1 && first < p->count; first += each)
        for (uint64_t n = first + x->lanes; n < first + each; n++) {
            uint64_t lane = (n - first) % x->lanes;
            if ((p->index[n] == UINT32_MAX) == (p->index[first + lane] == UINT32_MAX)) continue;
            return zl_fail(a->ctx, ZLAY_EINVAL,
                           "accesses: %u: lane %llu has some elements of its vector, not all", i,
                           (unsigned long long)lane);
        }
    return ZLAY_OK;
}

static zlay_status access_points(zl_families *f, uint32_t i)
{
    const zl_asked *a = f->a;
    const zl_bank_access *x = a->access[i].banked.access;
    zl_access_points *p = &f->points[i];
    zlay_status status = ZLAY_OK;
    p->count = zlay_layout_size(a->access[i].layout);
    p->align = x->align * BYTE > a->elem_bits ? x->align * BYTE / a->elem_bits : 1;
    p->instances = a->access[i].instances;
    p->index = zl_scratch_plain(a->ctx, p->count, sizeof *p->index);
    p->least = zl_scratch_plain(a->ctx, p->instances, sizeof *p->least);
    if (!p->index || !p->least) return ZLAY_ENOMEM;
    if (a->access[i].elements > 1 || p->align > 1) {
        p->start = zl_scratch_plain(a->ctx, p->instances * a->access[i].lanes, sizeof *p->start);
        if (!p->start) return ZLAY_ENOMEM;
    }
    for (uint64_t first = 0; first < p->count && !status; first += READ)
        status = indices_read(p, a, i, first,
                              p->count - first < READ ? p->count - first : READ);
    return status ? status : lanes_check(a, p, i);
}

static zlay_status points_check(const zl_asked *a)
{
    uint64_t most = zl_limits(a->ctx)->points, all = a->size;
    for (uint32_t i = 0; i < a->count; i++)
        if (!zl_uadd(all, zlay_layout_size(a->access[i].layout), &all)) all = UINT64_MAX;
    if (all <= most) return ZLAY_OK;
    return zl_fail(a->ctx, ZLAY_ELIMIT,
                   "points: the tile and its accesses have %llu, the limit is %llu",
                   (unsigned long long)all, (unsigned long long)most);
}

zlay_status zl_points_read(zl_families *f)
{
    zlay_status status = points_check(f->a);
    f->align = f->period = 1;
    for (uint32_t i = 0; i < f->a->count && !status; i++) {
        uint64_t bits = (uint64_t)f->a->access[i].banked.model->banks * 32;
        status = access_points(f, i);
        if (f->points[i].align > f->align) f->align = f->points[i].align;
        if (bits / f->a->elem_bits > f->period) f->period = bits / f->a->elem_bits;
    }
    if (!status) f->line = zl_scratch_plain(f->a->ctx, f->a->size, sizeof *f->line);
    return status || f->line ? status : ZLAY_ENOMEM;
}

/* ---- vectors that no layout has -------------------------------------------------- */

static zlay_status clash(const zl_asked *a, uint32_t element, uint32_t i, const char *why)
{
    return zl_fail(a->ctx, ZLAY_NONE, "vectors: element %u of access %u %s", element, i, why);
}

/* Forces the offset of an element to `rest` modulo `modulus`, a power of two. */
static zlay_status force_rest(const zl_asked *a, zl_forced *at, uint32_t element, uint32_t modulus,
                              uint32_t rest, uint32_t i)
{
    uint32_t both = at->modulus < modulus ? at->modulus : modulus;
    if (both && (at->rest ^ rest) % both)
        return clash(a, element, i, "stands at another place of its aligned vector elsewhere");
    if (at->modulus >= modulus) return ZLAY_OK;
    at->modulus = modulus;
    at->rest = rest;
    return ZLAY_OK;
}

/* Forces one element to be the next after another. */
static zlay_status force_next(const zl_asked *a, zl_forced *all, uint32_t one, uint32_t next,
                              uint32_t i)
{
    if (one == next || (all[one].behind && all[one].behind != next + 1))
        return clash(a, one, i, "has another one behind it elsewhere");
    if (all[next].before && all[next].before != one + 1)
        return clash(a, next, i, "has another one before it elsewhere");
    all[one].behind = next + 1;
    all[next].before = one + 1;
    return ZLAY_OK;
}

static zlay_status force_access(const zl_families *f, zl_forced *all, uint32_t i)
{
    const zl_asked_access *x = &f->a->access[i];
    const zl_access_points *p = &f->points[i];
    zlay_status status = ZLAY_OK;
    if (!p->start) return ZLAY_OK;
    for (uint64_t point = 0; point < p->count && !status; point++) {
        uint32_t e = (uint32_t)(point / x->lanes % x->elements), index = p->index[point];
        if (index == UINT32_MAX) continue;
        if (!(p->align & (p->align - 1)))
            status = force_rest(f->a, &all[index], index, p->align, e % p->align, i);
        if (!status && e + 1 < x->elements)
            status = force_next(f->a, all, index, p->index[point + x->lanes], i);
    }
    return status;
}

/* Without vectors nothing is forced, and no bound reads the table. */
zlay_status zl_points_force(zl_families *f)
{
    zlay_status status = ZLAY_OK;
    bool vectors = false;
    for (uint32_t i = 0; i < f->a->count; i++) vectors |= f->points[i].start != NULL;
    f->forced = vectors ? zl_scratch(f->a->ctx, f->a->size, sizeof *f->forced)
                        : zl_scratch_plain(f->a->ctx, f->a->size, sizeof *f->forced);
    if (!f->forced) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < f->a->count && !status; i++) status = force_access(f, f->forced, i);
    return status;
}
