/* SPDX-License-Identifier: Apache-2.0 */
/* wgmma.mma_async and wgmma.mma_async.sp as a subject of rules. */
#include "legality/matrix/matrix.h"
#include "rules/rows.h"

#include <string.h>

typedef enum family { HALF = 1, SINGLE, BYTE, INTEGER, BIT } family;

typedef struct form {
    int32_t a, b, d;
    family of;
    uint32_t ptx, ptx_sparse;
} form;

static const form forms[] = {
#define FORM(a, b, d, of, ptx, sparse)                                                             \
    {ZLAY_TYPE_##a, ZLAY_TYPE_##b, ZLAY_TYPE_##d, of, ptx, sparse},
#include "legality/matrix/wgmma.def"
#undef FORM
};

enum { K_BITS = 256, N_STEP = 8, ANY = -1 };

static const form *form_of(int32_t a, int32_t b, int32_t d)
{
    for (const form *f = forms; f < forms + ZL_COUNT(forms); f++)
        if ((a == ANY || f->a == a) && (b == ANY || f->b == b) && (d == ANY || f->d == d)) return f;
    return NULL;
}

/* Hostile numbers are no types, and so no wildcards. */
static bool has(int32_t a, int32_t b) { return a != ANY && b != ANY && form_of(a, b, ANY); }

static bool typed(int32_t a) { return has(a, a); }

static family family_of(int32_t a) { return typed(a) ? form_of(a, a, ANY)->of : 0; }

/* The type that goes with the others: A's own, else B's; then B's own, else A's. */
static int32_t a_wanted(const zlay_mma *m) { return typed(m->b) ? m->b : ZLAY_TYPE_F16; }
static int32_t b_wanted(const zlay_mma *m, int32_t a) { return has(a, m->b) ? m->b : a; }

static int32_t d_wanted(const zlay_mma *m, int32_t a, int32_t b)
{
    if (m->d != ANY && form_of(a, b, m->d)) return m->d;
    return form_of(a, b, ZLAY_TYPE_F32) ? ZLAY_TYPE_F32 : ZLAY_TYPE_S32;
}

/* What rules ask of the types, found once a verdict. */
typedef struct traits {
    family a, b;
    uint64_t want_a, want_b, want_d, depth, ptx;
} traits;

static traits traits_of(const zlay_mma *m)
{
    traits t = {.a = family_of(m->a), .b = family_of(m->b)};
    int32_t a = t.a ? m->a : a_wanted(m), b = b_wanted(m, a);
    const form *f = form_of(a, b, ANY);
    t.want_a = (uint64_t)a;
    t.want_b = (uint64_t)b;
    t.want_d = (uint64_t)d_wanted(m, a, b);
    t.depth = t.a ? (uint64_t)(K_BITS / zlay_type_bits(m->a)) << (m->sparse != 0) : 0;
    t.ptx = m->sparse && f->ptx_sparse ? f->ptx_sparse : f->ptx;
    return t;
}

/* ---- what rules ask ------------------------------------------------------------ */

#define INLINED static inline __attribute__((always_inline))

INLINED uint64_t value_of(zl_quantity q, const zlay_mma *m, const zlay_target *target)
{
    switch (q) {
    case ZL_Q_MMA_WGMMA: return (target->features & ZL_HAS_WGMMA) != 0;
    case ZL_Q_MMA_M: return m->m;
    case ZL_Q_MMA_N: return m->n;
    case ZL_Q_MMA_K: return m->k;
    case ZL_Q_MMA_A: return zl_number(m->a);
    case ZL_Q_MMA_B: return zl_number(m->b);
    case ZL_Q_MMA_D: return zl_number(m->d);
    case ZL_Q_MMA_A_MAJOR: return zl_number(m->a_major);
    case ZL_Q_MMA_B_MAJOR: return zl_number(m->b_major);
    case ZL_Q_WGMMA_KIND: return zl_number(m->kind);
    case ZL_Q_WGMMA_A_SOURCE: return zl_number(m->a_source);
    case ZL_Q_WGMMA_GROUP: return m->cta_group;
    case ZL_Q_WGMMA_SPARSE: return m->sparse;
    case ZL_Q_WGMMA_SELECTOR: return m->selector;
    case ZL_Q_WGMMA_WS: return m->ws;
    case ZL_Q_WGMMA_SCALE_VEC: return zl_number(m->scale_vec);
    case ZL_Q_WGMMA_ASHIFT: return m->ashift;
    case ZL_Q_WGMMA_COLLECTOR: return zl_number(m->collector);
    case ZL_Q_WGMMA_NEGATE_A: return m->negate_a;
    case ZL_Q_WGMMA_NEGATE_B: return m->negate_b;
    case ZL_Q_WGMMA_SATURATE: return m->saturate;
    case ZL_Q_WGMMA_BIT_OP: return zl_number(m->bit_op);
    case ZL_Q_WGMMA_BLOCKS: return m->blocks;
    case ZL_Q_WGMMA_STRICT: return m->strict;
    default: return m->ptx;
    }
}

INLINED bool guard_of(zl_rule_guard g, const zlay_mma *m, const traits *t)
{
    bool integer = t->a == INTEGER || t->a == BIT;
    bool pairs = m->sparse && (t->a == HALF || t->a == SINGLE);
    switch (g) {
    case ZL_G_ALWAYS: return true;
    case ZL_G_WGMMA_TYPED: return t->a != 0;
    case ZL_G_WGMMA_A_NOT_HALF: return t->a && t->a != HALF;
    case ZL_G_WGMMA_B_NOT_HALF: return t->b && t->b != HALF;
    case ZL_G_WGMMA_A_IN_REG: return m->a_source == ZLAY_SOURCE_REG;
    case ZL_G_WGMMA_WIDE_INTEGER: return integer && m->n > 32;
    case ZL_G_WGMMA_INTEGER: return integer;
    case ZL_G_WGMMA_NO_INTEGER: return t->a && t->a != INTEGER;
    case ZL_G_WGMMA_BITS: return t->a == BIT;
    case ZL_G_WGMMA_PAIRS: return pairs;
    case ZL_G_WGMMA_NO_PAIRS: return !pairs;
    case ZL_G_WGMMA_PTX_GIVEN: return m->ptx != 0;
    default: return false;
    }
}

INLINED uint64_t named(int32_t name, const traits *t)
{
    switch (name) {
    case WGMMA_A_TYPE: return t->want_a;
    case WGMMA_B_TYPE: return t->want_b;
    case WGMMA_D_TYPE: return t->want_d;
    case WGMMA_DEPTH: return t->depth;
    default: return t->ptx;
    }
}

INLINED uint64_t bound_of(uint64_t b, const traits *t)
{
    return zl_bound_named(b) ? named(zl_bound_name(b), t) : b;
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    (void)i;
    return value_of(q, s->value, s->target);
}

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    traits t = traits_of(s->value);
    return guard_of(g, s->value, &t);
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    traits t = traits_of(s->value);
    (void)i;
    return named(name, &t);
}

/* ---- repairs -------------------------------------------------------------------- */

static bool size_holds(const zl_subject *s, int32_t field, uint32_t size)
{
    zlay_mma probe = *(const zlay_mma *)s->value;
    uint32_t *to = field == ZLAY_FIELD_M ? &probe.m : field == ZLAY_FIELD_N ? &probe.n : &probe.k;
    *to = size;
    zl_subject asked = {s->form, s->target, &probe};
    return zl_holds(&asked, field, -1);
}

/* A product larger than the instruction takes several; a smaller one is padded with zeros. */
static void fix_shape(zlay_reason *r, const zl_subject *s)
{
    zl_field_range range = zl_range_of(s, r->field, r->index);
    uint64_t from = r->value, value = range.hi;
    if (!from) {
        zl_give(r, ZLAY_KEEPS_NOTHING, range.lo, 1);
        return;
    }
    for (uint64_t v = range.hi; v >= range.lo; v -= N_STEP) {
        if (from % v == 0 && size_holds(s, r->field, (uint32_t)v)) {
            zl_give(r, ZLAY_KEEPS_ALL, v, from / v);
            return;
        }
        if (v >= from && size_holds(s, r->field, (uint32_t)v)) value = v;
    }
    zl_give(r, ZLAY_KEEPS_VALUES, value, from / value + (from % value != 0));
}

static void fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    switch (rule->quantity) {
    case ZL_Q_MMA_WGMMA: return;
    case ZL_Q_MMA_M:
    case ZL_Q_MMA_N:
    case ZL_Q_MMA_K: fix_shape(r, s); return;
    default: zl_fix_plain(r, rule, s);
    }
}

const zl_subject_form zl_wgmma_form = {
    .kind = ZL_SUBJECT_WGMMA, .value = value, .guard = guard, .bound = bound, .fix = fix};

/* ---- the rows as code, for a verdict alone ------------------------------------------ */

uint32_t zl_wgmma_broken(const zlay_target *target, const zlay_mma *m)
{
    traits t = traits_of(m);
    uint32_t broken = 0;
#define RULES(file, version)
#define RULE(number, id, quantity, relation, lo, hi, when, by, field, targets, keeps, source,      \
             text)                                                                                 \
    broken += (targets & (uint32_t)target->cls) && guard_of(ZL_G_##when, m, &t) &&                 \
              !zl_relation_holds(ZLAY_REL_##relation, value_of(ZL_Q_##quantity, m, target),        \
                                 bound_of((uint64_t)(lo), &t), bound_of((uint64_t)(hi), &t));
#include "rules/rows/wgmma.def"
#undef RULES
#undef RULE
    return broken;
}
