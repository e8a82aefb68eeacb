/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates the frames of a problem.  Vectors fix the first inner units.  Where vectors are
 * narrower than a word, all choices of the elements that share a word are tried; where accesses of
 * several widths meet, so are all choices of the duals.  Beyond a limit the choices are a sample,
 * and the caller is told that not all were visited. */
#include "algebra/f2/f2.h"
#include "synth/swizzle/swizzle.h"

#include <string.h>

enum { FRAMES_MOST = 4096, CHOICES_MOST = 4096 };

typedef struct visitor {
    const zl_swizzle_problem *p;
    zl_inner_frame f;
    uint32_t fixed, inner;
    uint64_t index[ZL_VECTOR_MOST]; /* units past the fixed ones */
    zl_frame_visit *visit;
    void *env;
    bool all, enough;
} visitor;

/* Whether one choice of duals suffices: at most two accesses, or none narrower than the inner
 * bits. */
static bool settled(const visitor *v)
{
    for (uint32_t i = 0; i < v->p->count; i++)
        if (v->p->count > 2 && zl_key_bits(v->p, &v->p->ask[i]) < v->f.inner) return false;
    return true;
}

/* The n-th choice: all choices where they are few, else pseudo-random ones. */
static uint64_t choice_of(const zl_inner_frame *f, uint64_t n)
{
    if (UINT64_C(1) << f->loose <= CHOICES_MOST) return n;
    return (n * 0x9e3779b97f4a7c15u >> 1) + 1;
}

static bool visit_choice(visitor *v, uint64_t choice)
{
    zl_swizzle_found unused;
    if (!zl_frame_duals(&v->f, &unused, v->p, choice)) return false;
    v->enough = v->visit(v->env, &v->f);
    return true;
}

/* Visits the frames of one choice of units. */
static void visit_units(visitor *v)
{
    uint64_t n = 1;
    memcpy(v->f.unit + v->fixed, v->index + v->fixed,
           (v->inner - v->fixed) * sizeof *v->index);
    v->f.inner = v->inner;
    v->f.loose = 0;
    if (!visit_choice(v, 0) || v->enough || settled(v)) return;
    do visit_choice(v, choice_of(&v->f, n));
    while (!v->enough && n < UINT64_C(1) << v->f.loose && n++ < CHOICES_MOST);
    v->all = v->all && n == UINT64_C(1) << v->f.loose;
}

/* Chooses single index bits, from bit `first` on, that are independent of the units before them. */
static bool units_from(visitor *v, uint32_t first)
{
    zl_echelon e;
    e.pivots = 0;
    uint32_t at = v->fixed;
    for (uint32_t i = 0; i < v->fixed; i++) zl_echelon_put(&e, v->f.unit[i], 0);
    for (uint32_t i = 0; i < v->f.bits && at < v->inner; i++) {
        uint64_t bit = UINT64_C(1) << (first + i) % v->f.bits;
        if (zl_echelon_put(&e, bit, 0)) v->index[at++] = bit;
    }
    return at == v->inner;
}

/* The next ascending tuple of indices; false after the last. */
static bool units_next(visitor *v)
{
    uint64_t end = UINT64_C(1) << v->f.bits;
    for (uint32_t i = v->inner; i-- > v->fixed;)
        if (v->index[i] + (v->inner - i) < end) {
            v->index[i]++;
            for (uint32_t j = i + 1; j < v->inner; j++) v->index[j] = v->index[j - 1] + 1;
            return true;
        }
    return false;
}

/* Visits choices of the elements that share a word: first consecutive ones of each mode, then
 * all. */
static void visit_words(visitor *v)
{
    uint32_t low = 0, tried = 0;
    for (uint32_t m = 0; m < v->p->modes && !v->enough; low += v->p->mode_bits[m++])
        if (units_from(v, low)) visit_units(v);
    for (uint32_t i = v->fixed; i < v->inner; i++) v->index[i] = i - v->fixed + 1;
    bool more = !v->enough;
    for (; more && tried < FRAMES_MOST; tried++) {
        visit_units(v);
        more = !v->enough && units_next(v);
    }
    if (more) v->all = false;
}

zlay_status zl_frames_visit(bool *all, zl_swizzle_found *out, const zl_swizzle_problem *p,
                            zl_frame_visit *visit, void *env)
{
    visitor v = {.p = p, .visit = visit, .env = env, .all = true};
    uint32_t word = p->word > 0 ? (uint32_t)p->word : 0;
    if (!zl_frame_units(&v.f, &v.fixed, out, p) || !zl_frame_duals(&v.f, out, p, 0))
        return ZLAY_NONE;
    if (word > p->bits) word = p->bits;
    v.inner = v.fixed > word ? v.fixed : word;
    if (v.inner > v.fixed) visit_words(&v);
    else visit_units(&v);
    *all = v.all && !v.enough;
    return ZLAY_OK;
}
