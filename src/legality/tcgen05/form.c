/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of tcgen05.mma as the rows of tcgen05.def have them. */
#include "isa/form.h"
#include "base/arith.h"
#include "legality/tcgen05/tcgen05.h"

/* ---- where ---------------------------------------------------------------------- */

enum { A100 = 1, A103 = 2, A110 = 4, SUFFIX_A = 1, SUFFIX_F = 2 };

static const struct {
    uint32_t archs, suffixes;
} features[] = {
#define T5_FEATURE(name, archs, suffixes) {archs, suffixes},
#include "legality/tcgen05/tcgen05.def"
};

static uint32_t arch_bit(uint32_t arch)
{
    return arch == 100 ? A100 : arch == 103 ? A103 : arch == 110 ? A110 : 0;
}

bool zl_t5_on(zl_t5_feature feature, const zlay_target *target)
{
    uint32_t suffix = target->suffix == 'a' ? SUFFIX_A : target->suffix == 'f' ? SUFFIX_F : 0;
    return features[feature].archs & arch_bit(target->arch) && features[feature].suffixes & suffix;
}

/* mxf4nvf4 came with PTX 8.7, .block16 and .block32 with 8.8 (ptxas 13.0). */
static uint32_t form_since(const zl_tcgen05 *t)
{
    int32_t vector = t->mma.scale_vec;
    if (vector == ZLAY_SCALE_BLOCK16 || vector == ZLAY_SCALE_BLOCK32) return 88;
    return t->mma.kind == ZLAY_KIND_MXF4NVF4 ? 87 : 86;
}

uint32_t zl_t5_ptx(const zl_tcgen05 *t, const zlay_target *target)
{
    uint32_t form = form_since(t), known = zl_target_ptx(target);
    return form > known ? form : known;
}

/* ---- kinds and types -------------------------------------------------------------- */

#define VEC(name) (1u << ZLAY_SCALE_##name)
enum { NO_VECTORS = VEC(NONE), ANY_VECTOR = 0x3f };

static const struct {
    uint32_t k, vectors;
} kinds[] = {
    [0] = {0, 0},
#define T5_KIND(name, k, vectors) [ZLAY_KIND_##name] = {k, vectors},
#include "legality/tcgen05/tcgen05.def"
};

int32_t zl_t5_kind(int32_t type)
{
    uint32_t bits = zlay_type_bits(type);
    if (type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_U8) return ZLAY_KIND_I8;
    return bits == 16 ? ZLAY_KIND_F16 : bits == 32 ? ZLAY_KIND_TF32 : ZLAY_KIND_F8F6F4;
}

static bool known(int32_t kind) { return zl_is_in(kind, T5_EVERY); }

uint32_t zl_t5_k(int32_t kind) { return known(kind) ? kinds[kind].k : 0; }

bool zl_t5_vector(int32_t kind, int32_t vector)
{
    return known(kind) && zl_is_in(vector, kinds[kind].vectors);
}

static const struct {
    uint32_t kinds;
    int32_t type;
    uint32_t vectors;
} scales[] = {
#define T5_SCALE(kinds, type, vectors) {kinds, ZLAY_TYPE_##type, vectors},
#include "legality/tcgen05/tcgen05.def"
};

bool zl_t5_scale(int32_t kind, int32_t type, int32_t vector)
{
    for (size_t i = 0; i < ZL_COUNT(scales); i++)
        if (zl_is_in(kind, scales[i].kinds) && scales[i].type == type)
            return zl_is_in(vector, scales[i].vectors);
    return false;
}

/* ---- shapes ----------------------------------------------------------------------- */

typedef enum sparsity { DENSE = 1, SPARSE = 2, EITHER = 3 } sparsity;

typedef struct shape {
    uint32_t kinds, ws, group;
    sparsity sparse;
    zl_t5_bounds bounds;
} shape;

static const shape shapes[] = {
#define T5_SHAPE(kinds, ws, group, sparse, k96, m_lo, m_hi, n_lo, n_hi, n_step)                    \
    {kinds, ws, group, sparse, {m_lo, m_hi, n_lo, n_hi, n_step, k96}},
#include "legality/tcgen05/tcgen05.def"
};

/* K = 96 is a form of its own where its row is; elsewhere 96 is a wrong K. */
static bool row_is(const shape *row, const zl_tcgen05 *t, uint32_t k96)
{
    const zlay_mma *m = &t->mma;
    if (!zl_is_in(m->kind, row->kinds) || row->bounds.k96 != k96) return false;
    if (!(row->sparse & (m->sparse ? SPARSE : DENSE))) return false;
    return !t->issued || (row->ws == (m->ws != 0) && row->group == m->cta_group);
}

static void widen(zl_t5_bounds *all, const zl_t5_bounds *one)
{
    if (one->m_lo < all->m_lo) all->m_lo = one->m_lo;
    if (one->m_hi > all->m_hi) all->m_hi = one->m_hi;
    if (one->n_lo < all->n_lo) all->n_lo = one->n_lo;
    if (one->n_hi > all->n_hi) all->n_hi = one->n_hi;
    if (one->n_step < all->n_step) all->n_step = one->n_step;
}

static bool hull(zl_t5_bounds *out, const zl_tcgen05 *t, uint32_t k96)
{
    bool found = false;
    *out = (zl_t5_bounds){UINT32_MAX, 0, UINT32_MAX, 0, UINT32_MAX, k96};
    for (size_t i = 0; i < ZL_COUNT(shapes); i++) {
        if (!row_is(&shapes[i], t, k96)) continue;
        widen(out, &shapes[i].bounds);
        found = true;
    }
    return found;
}

bool zl_t5_bounds_of(zl_t5_bounds *out, const zl_tcgen05 *t)
{
    return (t->mma.k == 96 && hull(out, t, 1)) || hull(out, t, 0);
}

static bool shape_has(const shape *row, const zl_tcgen05 *t)
{
    uint32_t m = t->mma.m, n = t->mma.n;
    const zl_t5_bounds *b = &row->bounds;
    if (m < b->m_lo || m > b->m_hi || !zl_is_power_of_two(m)) return false;
    if (n < b->n_lo || n > b->n_hi || n % b->n_step) return false;
    if (row->ws) return zl_is_power_of_two(n);
    return t->mma.kind != ZLAY_KIND_I8 || n <= 32 || n % 16 == 0;
}

bool zl_t5_shape(const zl_tcgen05 *t)
{
    for (size_t i = 0; i < ZL_COUNT(shapes); i++)
        if (row_is(&shapes[i], t, t->mma.k == 96) && shape_has(&shapes[i], t)) return true;
    return false;
}
