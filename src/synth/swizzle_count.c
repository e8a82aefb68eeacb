/* SPDX-License-Identifier: Apache-2.0 */
/* Members of the families counted at the addresses of their accesses.
 *
 * Where elements lie in rows depends on the cut alone, so places are found once for all members of a
 * cut, and only those of instances that some member is asked for.  A count starts at the instance
 * that ended the last one, takes one instance of each access in turn, and ends as soon as what is
 * counted and the least of what is left are more than the caller takes. */
#include "synth/swizzle_family.h"

enum { BYTE = 8 };

/* ---- places ---------------------------------------------------------------------- */

static const zl_place *instance_places(zl_families *f, uint32_t i, uint64_t instance)
{
    zl_points *p = &f->points[i];
    uint64_t each = p->count / p->instances, first = instance * each;
    if (p->known[instance] == f->cuts) return p->place + first;
    for (uint64_t n = first; n < first + each; n++)
        if (p->index[n] != UINT32_MAX) p->place[n] = zl_placing_place(&f->placing, p->index[n]);
    p->known[instance] = f->cuts;
    return p->place + first;
}

/* Vectors of one instance; `apart` collects the bits in which a vector's ends differ. */
static bool vectors_fit(uint64_t *apart, zl_families *f, uint32_t i, uint64_t instance)
{
    const zl_asked_access *x = &f->a->access[i];
    const zl_points *p = &f->points[i];
    const zl_place *place = instance_places(f, i, instance);
    const uint32_t *index = p->index + (place - p->place);
    for (uint32_t l = 0; l < x->lanes; l++) {
        zl_place first = place[l];
        if (index[l] == UINT32_MAX) continue;
        if (first.column & (p->align - 1)) return false;
        for (uint32_t e = 1; e < x->elements; e++) {
            zl_place at = place[e * x->lanes + l];
            if (at.row != first.row || at.column != first.column + e) return false;
        }
        *apart |= first.column ^ (first.column + x->elements - 1);
    }
    return true;
}

/* A chunk that no vector leaves begins where vectors may. */
bool zl_cut_begin(zl_families *f, const zl_member *m)
{
    uint64_t apart = 0;
    zl_placing_begin(&f->placing, f->a, m);
    f->cuts++;
    f->grain = 1;
    for (uint32_t i = 0; i < f->a->count; i++) {
        const zl_asked_access *x = &f->a->access[i];
        if (x->elements == 1 && f->points[i].align == 1) continue;
        if (f->grain < f->points[i].align) f->grain = f->points[i].align;
        for (uint64_t n = 0; n < x->instances; n++) {
            zl_steps_take(&f->steps, x->elements);
            if (!f->steps || !vectors_fit(&apart, f, i, n)) return false;
        }
    }
    while (apart >= f->grain) f->grain *= 2;
    return true;
}

/* ---- counts ---------------------------------------------------------------------- */

static zlay_status instance_count(uint32_t *out, zl_families *f, const zl_member *m, uint32_t i,
                                  uint64_t instance)
{
    const zl_asked_access *x = &f->a->access[i];
    const zl_place *place = instance_places(f, i, instance);
    const uint32_t *index = f->points[i].index + (place - f->points[i].place);
    uint32_t addresses[ZLAY_BANK_LANES];
    zlay_bank bank;
    for (uint32_t l = 0; l < x->banked.lanes; l++)
        addresses[l] = l >= x->lanes || index[l] == UINT32_MAX
                           ? ZLAY_BANK_INACTIVE
                           : (uint32_t)(zl_place_offset(&f->placing, m, place[l]) *
                                        f->a->elem_bits / BYTE);
    if (zlay_bank_count(&bank, f->a->target, x->banked.access->number, addresses, x->banked.lanes))
        return zl_fail(f->a->ctx, ZLAY_EINVAL,
                       "accesses: %u: %s needs an address of every row, of whole bytes", i,
                       x->banked.access->name);
    *out = bank.wavefronts;
    return ZLAY_OK;
}

static zlay_status count_one(zl_families *f, const zl_member *m, uint64_t *wavefronts,
                             uint64_t *sum, uint32_t i, uint64_t instance)
{
    uint32_t here = 0;
    zl_steps_take(&f->steps, 1);
    zlay_status status = f->steps ? instance_count(&here, f, m, i, instance) : ZLAY_OK;
    if (status || !f->steps) return status;
    wavefronts[i] += here;
    *sum += here - f->points[i].least[instance];
    return ZLAY_OK;
}

/* One round counts instance n of each access that has one. */
zlay_status zl_member_count(zl_families *f, const zl_member *m, uint64_t *wavefronts, uint64_t *sum,
                            uint64_t most)
{
    uint64_t longest = 1, start = f->hard;
    zl_placing_chunks(&f->placing, m);
    *sum = f->bound;
    for (uint32_t i = 0; i < f->a->count; i++) {
        wavefronts[i] = 0;
        if (f->points[i].instances > longest) longest = f->points[i].instances;
    }
    for (uint64_t n = 0; n < longest; n++) {
        uint64_t instance = start + n < longest ? start + n : start + n - longest;
        for (uint32_t i = 0; i < f->a->count; i++) {
            if (instance >= f->points[i].instances) continue;
            zlay_status status = count_one(f, m, wavefronts, sum, i, instance);
            if (status || !f->steps || *sum > most) {
                f->hard = instance;
                return status;
            }
        }
    }
    return ZLAY_OK;
}
