/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the wavefronts of a member of a family, at the addresses of its accesses.
 *
 * The places of elements in lines depend on the contiguous mode alone, so they are found once for
 * all members of that mode; a cut, which is a power of two, only splits the column's bits.  A
 * count starts at the instance that ended the last count, takes one instance of each access in
 * turn, and stops as soon as the wavefronts counted and the bounds of the rest exceed what the
 * caller takes. */
#include "synth/swizzle/family.h"

#include <string.h>

enum { BYTE = 8, WORD = 4, SIDE = 8, LINES_STEP = 4 }; /* elements whose lines take a step of limits.work */

/* ---- vectors in lines ------------------------------------------------------------ */

/* Whether a lane's vector is consecutive in one line. */
static bool in_line(const zl_families *f, const zl_asked_access *x, const uint32_t *index)
{
    zl_place first = f->line[*index];
    for (uint32_t e = 1; e < x->elements; e++) {
        zl_place at = f->line[index[e * x->lanes]];
        if (at.row != first.row || at.column != first.column + e) return false;
    }
    return true;
}

/* Reads the first column of each vector of an access; false: a vector is not consecutive. */
static bool starts_read(zl_families *f, uint32_t i)
{
    const zl_asked_access *x = &f->a->access[i];
    zl_access_points *p = &f->points[i];
    p->starts = p->joined = 0;
    for (uint64_t point = 0; point < p->count; point += (uint64_t)x->lanes * x->elements)
        for (uint32_t l = 0; l < x->lanes; l++) {
            const uint32_t *index = p->index + point + l;
            if (*index == UINT32_MAX) continue;
            if (!in_line(f, x, index)) return false;
            p->joined |= p->start[p->starts++] = f->line[*index].column;
        }
    return true;
}

zlay_status zl_lines_begin(zl_families *f, const zl_member *m)
{
    uint32_t lines = 1 + 2 * m->mode + m->joined;
    if (f->lines == lines) return ZLAY_OK;
    zlay_status status = zl_charge(f->a->ctx, f->a->size / LINES_STEP);
    if (status) return status;
    zl_lines_fill(f->line, f->a, m);
    f->lines = lines;
    f->whole = true;
    for (uint32_t i = 0; i < f->a->count && f->whole; i++)
        if (f->points[i].start) f->whole = starts_read(f, i);
    return ZLAY_OK;
}

/* ---- vectors in cuts ------------------------------------------------------------- */

/* A power of two that divides all starts of an access in a cut. */
static uint64_t starts_step(const zl_access_points *p, const zl_member *m, bool cut)
{
    uint64_t step = p->joined ? p->joined & (0 - p->joined) : UINT64_C(1) << 32;
    return cut && step > m->cut ? m->cut : step;
}

/* Whether each vector of an access is aligned and lies in one row.  Adds to `apart` the bits in
 * which the first and last column of a vector differ, and sets *seen to the vectors that were
 * looked at. */
static bool starts_fit(uint64_t *apart, uint64_t *seen, const zl_families *f, const zl_member *m,
                       uint32_t i)
{
    const zl_access_points *p = &f->points[i];
    const uint64_t elements = f->a->access[i].elements, bits = f->placing.cut_bits;
    uint64_t step = starts_step(p, m, bits < 32);
    *seen = p->starts;
    if (step >= elements && step >= p->align) {
        *apart |= p->starts ? elements - 1 : 0;
        return true;
    }
    for (*seen = 0; *seen < p->starts; ++*seen) {
        uint64_t column = p->start[*seen] & ((UINT64_C(1) << bits) - 1);
        if (column & (p->align - 1) || column + elements > m->cut) return false;
        *apart |= column ^ (column + elements - 1);
    }
    return true;
}

/* Sets the grain to the least power of two such that each vector lies in one aligned chunk. */
bool zl_cut_begin(zl_families *f, const zl_member *m)
{
    uint64_t apart = 0, seen;
    zl_placing_begin(&f->placing, f->a, m);
    f->grain = 1;
    if (!f->whole) return false;
    for (uint32_t i = 0; i < f->a->count; i++) {
        const zl_asked_access *x = &f->a->access[i];
        if (!f->points[i].start) continue;
        if (f->grain < f->points[i].align) f->grain = f->points[i].align;
        bool fit = starts_fit(&apart, &seen, f, m, i);
        zl_steps_take(&f->steps, (seen + x->lanes) / x->lanes * x->elements);
        if (!fit || !f->steps) return false;
    }
    while (apart >= f->grain) f->grain *= 2;
    return true;
}

/* ---- counts ---------------------------------------------------------------------- */

/* The places of lanes; an inactive one, and each past the last, takes that of the first element. */
static void places_read(zl_place *out, const zl_families *f, bool gaps, const uint32_t *index,
                        uint32_t lanes)
{
    for (uint32_t l = 0; !gaps && l < lanes; l++) out[l] = f->line[index[l]];
    for (uint32_t l = 0; gaps && l < lanes; l++)
        out[l] = f->line[index[l] == UINT32_MAX ? 0 : index[l]];
    for (uint32_t l = lanes; l < ZL_PLACED; l++) out[l] = f->line[0];
}

/* The byte addresses of ZL_PLACED lanes. A member is counted where it fits shared memory, so they have
 * 32 bits. */
static void bytes_fill(uint32_t *out, const zl_families *f, const zl_member *m, const zl_place *place)
{
    const uint32_t bits = f->a->elem_bits;
    uint32_t offset[ZL_PLACED];
    zl_placing_offsets(offset, &f->placing, m, place);
    for (uint32_t l = 0; l < ZL_PLACED; l++) out[l] = offset[l] * bits / BYTE;
}

/* The byte addresses of the lanes in one instance of an access. */
static void addresses_fill(uint32_t *out, const zl_families *f, const zl_member *m, uint32_t i,
                           uint64_t instance)
{
    const zl_asked_access *x = &f->a->access[i];
    const uint32_t *index = f->points[i].index + instance * x->lanes * x->elements;
    const bool gaps = f->points[i].gaps;
    for (uint32_t first = 0; first < x->lanes; first += ZL_PLACED) {
        zl_place place[ZL_PLACED];
        uint32_t lanes = x->lanes - first < ZL_PLACED ? x->lanes - first : ZL_PLACED;
        places_read(place, f, gaps, index + first, lanes);
        bytes_fill(out + first, f, m, place);
    }
    for (uint32_t l = 0; gaps && l < x->lanes; l++)
        if (index[l] == UINT32_MAX) out[l] = ZLAY_BANK_INACTIVE;
    for (uint32_t l = x->lanes; l < x->banked.lanes; l++) out[l] = ZLAY_BANK_INACTIVE;
}

/* Not 0: some of SIDE numbers do not differ by `by`. */
static uint32_t side_differs(const uint32_t *restrict a, const uint32_t *restrict from, uint32_t by)
{
    uint32_t other = 0;
    for (uint32_t l = 0; l < SIDE; l++)
        other |= ((a[l] - from[l]) ^ by) | ((a[l] == UINT32_MAX) ^ (from[l] == UINT32_MAX));
    return other;
}

bool zl_is_moved(const uint32_t *a, const uint32_t *from, uint32_t count, uint32_t step)
{
    uint32_t by = a[0] - from[0], other = by & (step - 1);
    for (uint32_t l = 0; l < count && !other; l += SIDE) other = side_differs(a + l, from + l, by);
    return !other;
}

static zlay_status addresses_count(uint32_t *out, const zl_families *f, uint32_t i,
                                   const uint32_t *addresses)
{
    const zl_banked *b = &f->a->access[i].banked;
    zlay_bank bank;
    *out = zl_bank_without_conflict(b, addresses);
    if (*out) return ZLAY_OK;
    if (zlay_bank_conflicts(&bank, f->a->target, b->access->number, addresses, b->lanes))
        return zl_fail(f->a->ctx, ZLAY_EINVAL,
                       "accesses: %u: %s needs an address of every row, of whole bytes", i,
                       b->access->name);
    *out = bank.wavefronts;
    return ZLAY_OK;
}

/* Counts one instance.  Where all addresses are those of the last count plus one multiple of a key,
 * the keys lie in rotated banks, and the wavefronts are the same. */
static zlay_status instance_count(uint32_t *out, zl_families *f, const zl_member *m, uint32_t i,
                                  uint64_t instance)
{
    const zl_banked *b = &f->a->access[i].banked;
    zl_access_points *p = &f->points[i];
    uint32_t addresses[ZLAY_BANK_LANES], step = b->access->align < WORD ? WORD : b->access->align;
    zlay_status status = ZLAY_OK;
    addresses_fill(addresses, f, m, i, instance);
    if (!p->wavefronts || !zl_is_moved(addresses, p->last, b->lanes, step)) {
        p->wavefronts = 0;
        status = addresses_count(&p->wavefronts, f, i, addresses);
        memcpy(p->last, addresses, b->lanes * sizeof *addresses);
    }
    *out = p->wavefronts;
    return status;
}

/* Adds one instance's wavefronts to its access, and to the sum in place of its bound. */
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

/* Round n counts one instance of each access that has one left. */
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
