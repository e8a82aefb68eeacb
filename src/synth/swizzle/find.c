/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a layout over F2 for a set of accesses.  It takes a form that tensor copies can write where
 * one has no conflict.  Otherwise it finds K (see swizzle.h) in closed form (pair.c) or by search
 * (search.c), in every frame of inner bits (frames.c), and completes K to a basis of offsets. */
#include "algebra/f2/f2.h"
#include "synth/swizzle/swizzle.h"

#include <string.h>

#include <zlay/tensormap.h>

/* ---- wavefronts under a layout --------------------------------------------------- */

uint32_t zl_rank_of(uint64_t *value, uint32_t count)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t low = value[i] & (0 - value[i]);
        if (!low) continue;
        rank++;
        for (uint32_t j = i + 1; j < count; j++)
            if (value[j] & low) value[j] ^= value[i];
    }
    return rank;
}

/* A layout: a form, or a basis. */
typedef struct layout {
    const zl_swizzle_problem *p;
    const uint64_t *basis; /* NULL: the layout is the form */
    zl_form_place form;
} layout;

static uint64_t offset_of(const layout *l, uint64_t index)
{
    uint64_t offset = 0;
    if (!l->basis) return zl_form_offset(&l->form, index);
    for (; index; index &= index - 1) offset ^= l->basis[__builtin_ctzll(index)];
    return offset;
}

/* Whether the vectors of an access are consecutive and aligned under a layout. */
static bool fits(const zl_bank_ask *a, const layout *l)
{
    uint64_t low = zl_ones(a->vector);
    for (uint32_t i = 0; i < a->vector; i++)
        if (offset_of(l, a->unit[i]) != UINT64_C(1) << i) return false;
    for (uint32_t i = 0; low && i < a->starts; i++)
        if (offset_of(l, a->start[i]) & low) return false;
    return true;
}

uint64_t zl_ask_bound(const zl_bank_ask *a)
{
    uint64_t phase[ZL_LANE_BITS];
    uint32_t shared = 0;
    memcpy(phase, a->phase, sizeof phase);
    if (a->apart) shared = a->together - zl_rank_of(phase, a->together);
    return (uint64_t)a->phases << a->repeats << shared;
}

/* A phase takes 2^(keys - banks) wavefronts: `keys` is the rank of the lanes' keys, `banks` that of
 * their banks. */
static uint64_t wavefronts_of(const zl_bank_ask *a, const layout *l)
{
    uint64_t key[ZL_LANE_BITS], bank[ZL_LANE_BITS];
    uint32_t low = zl_key_bits(l->p, a), keys = a->together;
    for (uint32_t i = 0; i < a->together; i++) {
        key[i] = offset_of(l, a->phase[i]) >> low;
        bank[i] = key[i] & zl_ones(zl_top_bits(l->p, a) - low);
    }
    uint32_t banks = zl_rank_of(bank, a->together);
    if (!a->apart && banks < keys) keys = zl_rank_of(key, a->together);
    return (uint64_t)a->phases << a->repeats << (keys - banks);
}

/* Counts all accesses.  *sum begins as the sum of the bounds, which wavefronts replace one by one.
 * False: a vector does not fit, or the sum reaches `end`. */
static bool count(uint64_t *wavefronts, uint64_t *sum, const layout *l, const uint64_t *bound,
                  uint64_t end)
{
    for (uint32_t i = 0; i < l->p->count; i++) {
        if (!fits(&l->p->ask[i], l)) return false;
        wavefronts[i] = wavefronts_of(&l->p->ask[i], l);
        *sum += wavefronts[i] - bound[i];
        if (*sum >= end) return false;
    }
    return true;
}

bool zl_swizzle_count(uint64_t *wavefronts, const zl_swizzle_problem *p, const uint64_t *basis)
{
    const layout l = {.p = p, .basis = basis};
    static const uint64_t none[ZL_ASKS_MOST];
    uint64_t sum = 0;
    return count(wavefronts, &sum, &l, none, UINT64_MAX);
}

/* ---- the best so far ------------------------------------------------------------- */

/* Keeps a layout if it takes fewer wavefronts than `end`. */
static bool offer(zl_swizzle_found *out, const layout *l, int32_t method, uint64_t end)
{
    uint64_t wavefronts[ZL_ASKS_MOST], sum = out->least;
    if (!count(wavefronts, &sum, l, out->bound, end)) return false;
    if (l->basis) memcpy(out->basis, l->basis, l->p->bits * sizeof *l->basis);
    memcpy(out->wavefronts, wavefronts, l->p->count * sizeof *wavefronts);
    out->sum = sum;
    out->method = method;
    out->formed = method == ZL_BY_FORM;
    if (sum == out->least) out->proved = ZL_PROVED_LEAST;
    return true;
}

/* The sum that a layout must stay below to replace the best. */
static uint64_t sum_of(const zl_swizzle_found *out)
{
    return out->method ? out->sum : UINT64_MAX;
}

static void form_fill(zl_swizzle_found *out, const zl_swizzle_problem *p)
{
    zl_form_place form;
    zl_form_begin(&form, p, out->form);
    for (uint32_t b = 0; b < p->bits; b++)
        out->basis[b] = zl_form_offset(&form, UINT64_C(1) << b);
}

/* Keeps the first of the best forms whose sum is below `end`. */
static void try_forms(zl_swizzle_found *out, const zl_swizzle_problem *p, uint64_t end)
{
    layout l = {.p = p};
    zl_swizzle_form form = {0, p->swizzles ? ZLAY_SWIZZLE_32B : ZLAY_SWIZZLE_NONE};
    bool more = p->modes;
    for (; more && end > out->least; more = zl_form_next(&form, p)) {
        if (!zl_form_begin(&l.form, p, form) || !offer(out, &l, ZL_BY_FORM, end)) continue;
        out->form = form;
        end = out->sum;
    }
}

/* ---- a layout from its subspaces ------------------------------------------------- */

/* log2 of the lanes of a phase that have one key, for accesses that serve each lane by itself. */
static uint32_t doubled(const zl_inner_frame *f, const zl_bank_ask *a, uint32_t low)
{
    zl_echelon e;
    e.pivots = 0;
    uint32_t keys = 0;
    for (uint32_t i = 0; i < low && i < f->inner; i++) zl_echelon_put(&e, f->unit[i], 0);
    for (uint32_t i = 0; i < a->together; i++) keys += zl_echelon_put(&e, a->phase[i], 0);
    return a->together - keys;
}

void zl_avoid_read(zl_avoid *out, const zl_inner_frame *f, const zl_swizzle_problem *p,
                   const zl_bank_ask *a)
{
    zl_echelon told;
    told.pivots = 0;
    uint32_t low = zl_key_bits(p, a), top = zl_top_bits(p, a), count = 0;
    uint64_t from, left[ZL_LANE_BITS], reduced[ZL_LANE_BITS];
    for (uint32_t i = 0; i < a->together; i++) {
        uint64_t bits = 0, index = zl_frame_project(f, a->phase[i]);
        for (uint32_t j = low; j < f->inner; j++)
            bits |= (uint64_t)__builtin_parityll(a->phase[i] & f->dual[j]) << j;
        left[i] = index;
        if (zl_echelon_put(&told, bits, i)) continue;
        zl_echelon_reduce(&told, bits, &from);
        for (; from; from &= from - 1) index ^= left[__builtin_ctzll(from)];
        reduced[count++] = index;
    }
    out->count = 0;
    out->depth = p->bits > top ? p->bits - top : 0;
    out->weight = (uint64_t)a->phases << a->repeats << (a->apart ? doubled(f, a, low) : 0);
    for (uint32_t i = 0; i < count; i++) {
        left[out->count] = out->vector[out->count] = reduced[i];
        for (uint32_t j = 0; j < out->count; j++)
            if (left[out->count] & left[j] & (0 - left[j])) left[out->count] ^= left[j];
        if (left[out->count]) out->count++;
    }
}

/* Whether every K that avoids b also avoids a. */
static bool covers(const zl_avoid *b, const zl_avoid *a)
{
    zl_echelon e;
    e.pivots = 0;
    uint64_t from;
    if (b->depth < a->depth) return false;
    for (uint32_t i = 0; i < b->count; i++) zl_echelon_put(&e, b->vector[i], 0);
    for (uint32_t i = 0; i < a->count; i++)
        if (zl_echelon_reduce(&e, a->vector[i], &from)) return false;
    return true;
}

/* Keeps the subspaces that no other covers. */
static uint32_t avoid_most(zl_avoid *out, const zl_avoid *all, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool covered = false;
        for (uint32_t j = 0; j < count && !covered; j++)
            covered = j != i && covers(&all[j], &all[i]) && (j < i || !covers(&all[i], &all[j]));
        if (!covered) out[kept++] = all[i];
    }
    return kept;
}

/* Makes the offset of each index bit.  The inner units have the low bits of an offset; K has the
 * high bits, its first vector the highest; projected single index bits have those between. */
static void basis_make(uint64_t *basis, const zl_inner_frame *f, const uint64_t *k, uint32_t depth)
{
    zl_echelon e;
    e.pivots = 0;
    uint64_t from;
    uint32_t at = f->inner;
    for (uint32_t i = 0; i < f->inner; i++) zl_echelon_put(&e, f->unit[i], i);
    for (uint32_t i = 0; i < depth; i++) zl_echelon_put(&e, k[i], f->bits - 1 - i);
    for (uint32_t i = 0; i < f->bits && at < f->bits - depth; i++)
        if (zl_echelon_put(&e, zl_frame_project(f, UINT64_C(1) << i), at)) at++;
    for (uint32_t i = 0; i < f->bits; i++) {
        zl_echelon_reduce(&e, UINT64_C(1) << i, &from);
        basis[i] = from;
    }
}

static void offer_k(zl_swizzle_found *out, const zl_swizzle_problem *p, const zl_inner_frame *f,
                    const uint64_t *k, uint32_t depth, int32_t method)
{
    uint64_t basis[ZL_TILE_BITS];
    const layout l = {.p = p, .basis = basis};
    basis_make(basis, f, k, depth);
    offer(out, &l, method, sum_of(out));
}

/* Offers the best K of a frame; true: it is proved to be the best. */
static bool try_k(zl_swizzle_found *out, const zl_swizzle_problem *p, const zl_inner_frame *f,
                  uint64_t *steps)
{
    zl_avoid all[ZL_ASKS_MOST], most[ZL_ASKS_MOST];
    uint64_t k[ZL_TILE_BITS];
    uint32_t depth = 0, kept = 2;
    for (uint32_t i = 0; i < p->count; i++) {
        zl_avoid_read(&all[i], f, p, &p->ask[i]);
        if (all[i].depth > depth) depth = all[i].depth;
    }
    if (p->count > 2) kept = avoid_most(most, all, p->count);
    if (kept <= 2) {
        zl_complement_pair(k, depth, f, p->count > 2 ? most : all, p->count > 2 ? kept : p->count);
        offer_k(out, p, f, k, depth, ZL_BY_COMPLEMENT);
        if (p->count <= 2 || out->proved == ZL_PROVED_LEAST) return true;
    }
    bool whole = zl_complement_search(k, depth, f, all, p->count, steps);
    offer_k(out, p, f, k, depth, ZL_BY_SEARCH);
    return whole;
}

/* ---- the whole search ------------------------------------------------------------ */

typedef struct finding {
    zl_swizzle_found *out;
    const zl_swizzle_problem *p;
    uint64_t steps;
    bool whole; /* each frame so far was proved */
} finding;

static bool find_in_frame(void *env, const zl_inner_frame *f)
{
    finding *w = env;
    zl_steps_take(&w->steps, ZL_STEPS_TRY);
    w->whole = try_k(w->out, w->p, f, &w->steps) && w->whole;
    return w->out->proved == ZL_PROVED_LEAST || !w->steps;
}

static zlay_status try_frames(zl_swizzle_found *out, const zl_swizzle_problem *p)
{
    finding w = {out, p, p->steps, true};
    bool all;
    zlay_status status = zl_frames_visit(&all, out, p, find_in_frame, &w);
    if (!status && !out->proved && all && w.whole) out->proved = ZL_PROVED_F2;
    return status;
}

/* A form is taken where it has no conflict, or no more wavefronts than the best layout found. */
zlay_status zl_swizzle_find(zl_swizzle_found *out, const zl_swizzle_problem *p)
{
    zlay_status status = ZLAY_OK;
    out->sum = out->least = 0;
    out->method = out->proved = out->formed = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        out->bound[i] = zl_ask_bound(&p->ask[i]);
        out->least += out->bound[i];
    }
    try_forms(out, p, out->least + 1);
    if (!out->proved) status = try_frames(out, p);
    if (!status && out->proved != ZL_PROVED_LEAST) try_forms(out, p, out->sum + 1);
    if (!status && out->formed) form_fill(out, p);
    return status;
}
