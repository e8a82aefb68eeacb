/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds from below the wavefronts that accesses take under any layout.
 *
 * The lanes of a phase access keys: words, or whole aligned vectors.  A row of all banks holds
 * `ways` keys.  Where the vectors of some access force the offset of a key modulo more than the
 * key's size, keys with the same remainder share ways / classes places (a pigeonhole bound).  For
 * example, 32 words that each begin a 16-byte vector lie in 8 banks, and take 4 wavefronts under
 * every layout. */
#include "synth/swizzle/family.h"
#include "base/arith.h"

#include <string.h>

enum { BYTE = 8, WORD_BITS = 32, CLASSES = 128 };

typedef struct keys {
    const uint32_t *first; /* the element that each lane begins at */
    uint64_t size, ways;   /* elements of a key; keys of a row of banks */
    bool shared, apart;    /* a key has several vectors; each lane counts */
} keys;

static keys keys_of(const zl_asked *a, const zl_asked_access *x)
{
    const zl_bank_access *access = x->banked.access;
    uint64_t bits = access->bytes < 4 || access->align < access->bytes
                        ? WORD_BITS
                        : (uint64_t)access->bytes * BYTE;
    keys k = {.size = bits > a->elem_bits ? bits / a->elem_bits : 1};
    k.ways = (uint64_t)x->banked.model->banks * WORD_BITS / bits;
    k.shared = access->bytes < 4;
    k.apart = x->banked.model->serves == ZL_SERVES_LANES;
    return k;
}

/* Whether each lane's first element is after that of the lane before it; then all are different. */
static bool ascends(const keys *k, uint64_t lanes)
{
    uint64_t next = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t first = k->first[__builtin_ctzll(lanes)];
        if (first < next) return false;
        next = (uint64_t)first + 1;
    }
    return true;
}

static bool seen_before(const keys *k, uint64_t lanes, uint32_t lane)
{
    for (lanes &= (UINT64_C(1) << lane) - 1; lanes && !k->apart; lanes &= lanes - 1)
        if (k->first[__builtin_ctzll(lanes)] == k->first[lane]) return true;
    return false;
}

/* The lanes of the phase with the same first element that wait for each other: 1 unless each lane
 * is served by itself. */
static uint64_t alike(const keys *k, uint64_t lanes, uint32_t lane)
{
    uint64_t count = k->apart ? 0 : 1;
    for (; lanes && k->apart; lanes &= lanes - 1)
        count += k->first[__builtin_ctzll(lanes)] == k->first[lane];
    return count;
}

/* The fewest keys that `count` different vectors have. */
static uint64_t keys_least(const keys *k, uint64_t count)
{
    return k->shared && !k->apart ? zl_ceil_div(count, k->size) : count;
}

static uint64_t phase_bound(const zl_families *f, const keys *k, uint64_t lanes)
{
    uint64_t of_class[CLASSES], all = 0, most = 1, classes = f->align / k->size;
    const bool classed = classes > 1 && classes <= CLASSES, differ = ascends(k, lanes);
    for (uint64_t c = 0; classed && c < classes; c++) of_class[c] = 0;
    for (uint64_t left = classed || !differ ? lanes : 0; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        if (!differ && seen_before(k, lanes, lane)) continue;
        uint64_t same = differ ? 1 : alike(k, lanes, lane);
        if (same > most) most = same;
        all++;
        if (!classed) continue;
        const zl_forced *at = &f->forced[k->first[lane]];
        if (at->modulus == f->align) of_class[at->rest / k->size]++;
    }
    if (!all) all = (uint64_t)__builtin_popcountll(lanes);
    if (zl_ceil_div(keys_least(k, all), k->ways) > most)
        most = zl_ceil_div(keys_least(k, all), k->ways);
    for (uint64_t c = 0; classed && c < classes; c++) {
        uint64_t least = zl_ceil_div(keys_least(k, of_class[c]) * classes, k->ways);
        if (least > most) most = least;
    }
    return most;
}

/* The bound of an instance, and its wavefronts without conflicts. */
typedef struct bound {
    keys k;
    uint32_t least, ideal;
} bound;

/* Bounds one instance.  It is given addresses that are equal exactly where elements are, because
 * the lanes that are served together depend on nothing else. */
static zlay_status instance_bound(bound *out, const zl_families *f, uint32_t i)
{
    const zl_asked_access *x = &f->a->access[i];
    const uint32_t *first = out->k.first;
    uint32_t addresses[ZLAY_BANK_LANES];
    zlay_bank bank;
    for (uint32_t l = 0; l < x->banked.lanes; l++)
        addresses[l] = l < x->lanes && first[l] != UINT32_MAX ? first[l] * x->banked.access->align
                                                              : ZLAY_BANK_INACTIVE;
    if (zlay_bank_conflicts(&bank, f->a->target, x->banked.access->number, addresses,
                            x->banked.lanes))
        return zl_fail(f->a->ctx, ZLAY_EINVAL, "accesses: %u: %s needs an address of every row", i,
                       x->banked.access->name);
    out->ideal = bank.ideal;
    out->least = 0;
    for (uint32_t p = 0; p < bank.phases; p++)
        out->least += (uint32_t)phase_bound(f, &out->k, bank.phase[p]);
    return ZLAY_OK;
}

/* Whether an instance has the same bound as the one before it: all its elements differ by one
 * number, and vectors force the same remainders of their offsets, or none. */
static bool bound_alike(const zl_families *f, const keys *k, const uint32_t *before, uint32_t lanes)
{
    if (!zl_is_moved(k->first, before, lanes, 1)) return false;
    for (uint32_t l = 0; l < lanes && f->align > k->size; l++) {
        if (k->first[l] == UINT32_MAX) continue;
        const zl_forced *a = &f->forced[k->first[l]], *b = &f->forced[before[l]];
        if (a->modulus != b->modulus || a->rest != b->rest) return false;
    }
    return true;
}

static zlay_status access_bound(zl_families *f, uint32_t i)
{
    const zl_asked_access *x = &f->a->access[i];
    bound b = {.k = keys_of(f->a, x)};
    for (uint64_t n = 0; n < x->instances; n++) {
        const uint32_t *before = b.k.first;
        zlay_status status = zl_charge(f->a->ctx, ZL_STEPS_COUNTED) ? ZLAY_ENOMEM : ZLAY_OK;
        b.k.first = f->points[i].index + n * x->lanes * x->elements;
        if (!status && (!before || !bound_alike(f, &b.k, before, x->lanes)))
            status = instance_bound(&b, f, i);
        if (status) return status;
        f->points[i].least[n] = b.least;
        f->cost[i].ideal += b.ideal;
        f->cost[i].lower_bound += b.least;
    }
    return ZLAY_OK;
}

zlay_status zl_bounds_read(zl_families *f)
{
    zlay_status status = ZLAY_OK;
    f->bound = 0;
    for (uint32_t i = 0; i < f->a->count && !status; i++) {
        status = access_bound(f, i);
        f->bound += f->cost[i].lower_bound;
    }
    return status;
}
