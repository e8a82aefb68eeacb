/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions that read both operands from registers, as a subject of rules: what an
 * instruction breaks is where it differs from the nearest form of its target. */
#include "legality/matrix/mfma.h"
#include "rules/bounds.h"

enum { GFX90A = ZL_GFX90A, GFX942 = ZL_GFX942, GFX950 = ZL_GFX950, GFX1250 = ZL_GFX1250 };
enum { FROM_GFX942 = GFX942 | GFX950, ANY_MFMA = GFX90A | FROM_GFX942 };
enum { NONE = 0, NEGATES = 1, SATURATES = 2 };
enum { NO_SCALE = 1 << ZLAY_SCALE_NONE, BY_16 = NO_SCALE | 1 << ZLAY_SCALE_BLOCK16 };
enum { BY_32 = NO_SCALE | 1 << ZLAY_SCALE_BLOCK32 };

#define BIT(type) (1ull << ZLAY_TYPE_##type)
#define TYPES_OF(type) TYPES_##type
#define TYPES_F64    BIT(F64)
#define TYPES_F32    BIT(F32)
#define TYPES_TF32   BIT(TF32)
#define TYPES_F16    BIT(F16)
#define TYPES_BF16   BIT(BF16)
#define TYPES_S32    BIT(S32)
#define TYPES_S8     BIT(S8)
#define TYPES_E2M1   BIT(E2M1)
#define TYPES_BYTE   (BIT(S8) | BIT(U8))
#define TYPES_NIBBLE (BIT(S4) | BIT(U4))
#define TYPES_FNUZ   (BIT(E4M3_FNUZ) | BIT(E5M2_FNUZ))
#define TYPES_OCP    (BIT(E4M3) | BIT(E5M2))
#define TYPES_SMALL  (TYPES_OCP | BIT(E2M3) | BIT(E3M2) | BIT(E2M1))

typedef struct form {
    uint64_t a, b, d; /* types, a bit each */
    uint32_t targets, m, n, k, blocks, sparse;
    uint32_t scales; /* ZLAY_SCALE_*, a bit each */
    uint32_t modifiers;
} form;

static const form forms[] = {
#define MFMA_FORM(targets, m, n, k, blocks, sparse, a, b, d, scales, modifiers)                    \
    {TYPES_OF(a), TYPES_OF(b), TYPES_OF(d), targets, m, n, k, blocks, sparse, scales, modifiers},
#include "legality/matrix/mfma.def"
#undef MFMA_FORM
};

uint32_t zl_mfma_target(const zlay_target *target)
{
    static const uint32_t archs[] = {0x90a, 0x942, 0x950, 0x1250};
    for (uint32_t i = 0; target->cls == ZL_CLASS_GFX && i < ZL_COUNT(archs); i++)
        if (archs[i] == target->arch) return 1u << i;
    return 0;
}

static bool has(uint64_t set, int32_t member)
{
    return member >= 0 && member < 64 && set >> member & 1;
}


/* Types weigh more than shapes: a shape is looked for among the forms of its types, and one block
 * before many where blocks are not said. */
static uint32_t distance(const form *f, const zlay_mma *m)
{
    int types = !has(f->a, m->a) + !has(f->b, m->b) + !has(f->d, m->d);
    int kinds = (f->sparse != m->sparse) + !has(f->scales, m->scale_vec);
    bool blocks = m->blocks && f->blocks != m->blocks;
    int shape = (f->m != m->m) + (f->n != m->n) + (f->k != m->k) + blocks;
    return (uint32_t)(128 * types + 16 * kinds + 2 * shape + (!m->blocks && f->blocks != 1));
}

static const form *nearest(const zl_subject *s)
{
    const form *best = NULL;
    uint32_t least = UINT32_MAX, bit = zl_mfma_target(s->target);
    for (const form *f = forms; f < forms + ZL_COUNT(forms); f++) {
        uint32_t far = f->targets & bit ? distance(f, s->value) : UINT32_MAX;
        if (far < least) best = f, least = far;
    }
    return best;
}

static uint32_t blocks_near(const zl_subject *s)
{
    const form *f = nearest(s);
    return f ? f->blocks : 0;
}

static uint64_t of_modifiers(zl_quantity q, const zlay_mma *m)
{
    switch (q) {
    case ZL_Q_MFMA_KIND: return zl_number(m->kind);
    case ZL_Q_MFMA_A_SOURCE: return zl_number(m->a_source);
    case ZL_Q_MFMA_A_MAJOR: return zl_number(m->a_major);
    case ZL_Q_MFMA_B_MAJOR: return zl_number(m->b_major);
    case ZL_Q_MFMA_CTA_GROUP: return m->cta_group;
    case ZL_Q_MFMA_SELECTOR: return m->selector;
    case ZL_Q_MFMA_WS: return m->ws;
    case ZL_Q_MFMA_ASHIFT: return m->ashift;
    case ZL_Q_MFMA_COLLECTOR: return zl_number(m->collector);
    case ZL_Q_MFMA_BIT_OP: return zl_number(m->bit_op);
    case ZL_Q_MFMA_STRICT: return m->strict;
    default: return m->ptx;
    }
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_mma *m = s->value;
    (void)i;
    switch (q) {
    case ZL_Q_MFMA_TARGET: return zl_mfma_target(s->target) != 0;
    case ZL_Q_MFMA_A: return zl_number(m->a);
    case ZL_Q_MFMA_B: return zl_number(m->b);
    case ZL_Q_MFMA_D: return zl_number(m->d);
    case ZL_Q_MFMA_SPARSE: return m->sparse;
    case ZL_Q_MFMA_SCALE_VEC: return zl_number(m->scale_vec);
    case ZL_Q_MFMA_M: return m->m;
    case ZL_Q_MFMA_N: return m->n;
    case ZL_Q_MFMA_K: return m->k;
    case ZL_Q_MFMA_BLOCKS: return m->blocks ? m->blocks : blocks_near(s);
    case ZL_Q_MFMA_NEGATE_A: return m->negate_a;
    case ZL_Q_MFMA_NEGATE_B: return m->negate_b;
    case ZL_Q_MFMA_SATURATE: return m->saturate;
    default: return of_modifiers(q, m);
    }
}

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    return g == ZL_G_MFMA_HERE && zl_mfma_target(s->target);
}

static uint64_t kept(uint64_t set, int32_t given)
{
    return has(set, given) ? (uint64_t)given : (uint64_t)__builtin_ctzll(set);
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    const zlay_mma *m = s->value;
    const form *f = nearest(s);
    (void)i;
    if (!f) return 0;
    switch (name) {
    case MFMA_NEAREST_A: return kept(f->a, m->a);
    case MFMA_NEAREST_B: return kept(f->b, m->b);
    case MFMA_NEAREST_D: return kept(f->d, m->d);
    case MFMA_NEAREST_SPARSE: return f->sparse;
    case MFMA_NEAREST_SCALE: return kept(f->scales, m->scale_vec);
    case MFMA_NEAREST_M: return f->m;
    case MFMA_NEAREST_N: return f->n;
    case MFMA_NEAREST_K: return f->k;
    case MFMA_NEAREST_BLOCKS: return f->blocks;
    case MFMA_NEGATES: return (f->modifiers & NEGATES) != 0;
    default: return (f->modifiers & SATURATES) != 0;
    }
}

/* A product that is a multiple takes several instructions, another is padded with zeros. */
static void fix_shape(zlay_reason *r)
{
    uint64_t from = r->value, to = r->lo;
    bool whole = from && from % to == 0;
    if (!from) zl_give(r, ZLAY_KEEPS_NOTHING, to, 1);
    else zl_give(r, whole ? ZLAY_KEEPS_ALL : ZLAY_KEEPS_VALUES, to, from / to + !whole);
}

static void fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    switch (rule->quantity) {
    case ZL_Q_MFMA_TARGET: return;
    case ZL_Q_MFMA_M:
    case ZL_Q_MFMA_N:
    case ZL_Q_MFMA_K: fix_shape(r); return;
    default: zl_fix_plain(r, rule, s);
    }
}

uint32_t zl_mfma_blocks(const zlay_target *target, const zlay_mma *mma)
{
    return blocks_near(&(zl_subject){&zl_mfma_form, target, mma});
}

const zl_subject_form zl_mfma_form = {
    .kind = ZL_SUBJECT_MFMA, .value = value, .guard = guard, .bound = bound, .fix = fix};
