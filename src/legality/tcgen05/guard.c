/* SPDX-License-Identifier: Apache-2.0 */
/* When rules of tcgen05 apply: traits of a question, which guards ask for. */
#include "rules/rows.h"
#include "legality/tcgen05/tcgen05.h"

enum {
    ISSUED = 1 << 0,
    ALONE = 1 << 1,
    DESCRIBED = 1 << 2,
    SHAPED = 1 << 3,
    IN_WS = 1 << 4,
    NO_WS = 1 << 5,
    ONE_CTA = 1 << 6,
    TWO_CTAS = 1 << 7,
    OF_SPARSE = 1 << 8,
    OF_K96 = 1 << 9,
    NO_K96 = 1 << 10,
    OF_VECTOR = 1 << 11,
    WITH_PTX = 1 << 12,
    A_IN_TMEM = 1 << 13,
    A_NARROW = 1 << 14,
    B_NARROW = 1 << 15,
    B_BYTES_MN = 1 << 16,
    OF_ASHIFT = 1 << 17,
    M_128 = 1 << 18,
    N_OVER_32 = 1 << 19,
    N_24 = 1 << 20,
    VECTOR_OF_4 = 1 << 21,
    USES_A = 1 << 22,
    T5_ANY_NUMBER = -1
};

static bool narrow(int32_t type)
{
    return type == ZLAY_TYPE_E2M3 || type == ZLAY_TYPE_E3M2 || type == ZLAY_TYPE_E2M1;
}

static bool of_four(int32_t vector)
{
    return vector == ZLAY_SCALE_4X || vector == ZLAY_SCALE_BLOCK16;
}

static bool uses(int32_t collector)
{
    return collector == ZLAY_COLLECTOR_A_FILL || collector == ZLAY_COLLECTOR_A_USE;
}

static uint32_t bit(bool set, uint32_t trait) { return set ? trait : 0; }

static uint32_t form_traits(const zl_tcgen05 *t)
{
    const zlay_mma *m = &t->mma;
    uint32_t traits = bit(t->desc != NULL, DESCRIBED) | bit(t->bounds.m_hi, SHAPED);
    if (!t->issued) return traits | ALONE;
    return traits | ISSUED | (m->ws ? IN_WS : NO_WS) | bit(m->cta_group == 1, ONE_CTA) |
           bit(m->cta_group == 2, TWO_CTAS) | bit(m->scale_vec != 0, OF_VECTOR) |
           bit(m->a_source == ZLAY_SOURCE_TMEM, A_IN_TMEM) | bit(m->ashift != 0, OF_ASHIFT) |
           bit(m->ptx != 0, WITH_PTX) |
           bit(uses(m->collector), USES_A) | bit(of_four(m->scale_vec), VECTOR_OF_4);
}

static uint32_t traits_of(const zl_tcgen05 *t)
{
    const zlay_mma *m = &t->mma;
    return form_traits(t) | bit(m->sparse != 0, OF_SPARSE) | (m->k == 96 ? OF_K96 : NO_K96) |
           bit(narrow(m->a), A_NARROW) | bit(narrow(m->b), B_NARROW) |
           bit(m->b_major == ZLAY_MAJOR_MN && !narrow(m->b), B_BYTES_MN) | bit(m->m == 128, M_128) |
           bit(m->n > 32, N_OVER_32) | bit(m->n == 24, N_24);
}

void zl_t5_prepare(zl_tcgen05 *t)
{
    if (!zl_t5_bounds_of(&t->bounds, t)) t->bounds = (zl_t5_bounds){0};
    t->traits = traits_of(t);
}

/* ---- guards ----------------------------------------------------------------------- */

static const struct {
    int32_t kinds;
    uint32_t traits;
} guards[] = {
    [ZL_G_ALWAYS] = {T5_ANY_NUMBER, 0},
#define T5_GUARD(name, kinds, traits) [ZL_G_##name] = {(int32_t)(kinds), traits},
#include "rules/guards/tcgen05.def"
};

bool zl_t5_guard(zl_rule_guard g, const zl_subject *s)
{
    const zl_tcgen05 *t = s->value;
    if (g >= ZL_COUNT(guards) || (t->traits & guards[g].traits) != guards[g].traits) return false;
    return guards[g].kinds == T5_ANY_NUMBER ||
           (guards[g].kinds && zl_is_in(t->mma.kind, (uint32_t)guards[g].kinds));
}

/* ---- a verdict alone ----------------------------------------------------------------- */

/* The traits and kinds of each guard, as numbers that a row of rules has itself. */
enum {
    TRAITS_ALWAYS = 0,
#define T5_GUARD(name, kinds, traits) TRAITS_##name = (int32_t)(traits),
#include "rules/guards/tcgen05.def"
};

enum {
    KINDS_ALWAYS = T5_ANY_NUMBER,
#define T5_GUARD(name, kinds, traits) KINDS_##name = (int32_t)(kinds),
#include "rules/guards/tcgen05.def"
};

static const struct {
    zl_quantity quantity;
    int32_t relation;
    uint64_t lo, hi;
    int32_t by;
    uint32_t noted, targets, traits, kinds;
} rows[] = {
#define RULES(file, version)
#define RULE(number, id, quantity, relation, lo, hi, when, by, field, targets, keeps, source,      \
             text)                                                                                 \
    {ZL_Q_##quantity, ZLAY_REL_##relation, (uint64_t)(lo), (uint64_t)(hi),              \
     BY_##by, targets, (uint32_t)TRAITS_##when, (uint32_t)KINDS_##when},
#include "rules/rows/tcgen05.def"
#include "rules/rows/idesc.def"
#undef RULES
#undef RULE
};

/* The kind as a bit of a guard's kinds; T5_ANY_NUMBER has the last bit, and no list of kinds does. */
static uint32_t kind_bits(int32_t kind)
{
    const uint32_t any = UINT32_C(1) << 31;
    return kind >= 0 && kind < 31 ? any | UINT32_C(1) << kind : any;
}

void zl_t5_verdict(zlay_verdict *out, const zl_subject *s)
{
    bool measured = zl_measured(s->target), strict = zl_strict(s);
    zlay_verdict v = {.basis = measured ? ZLAY_BASIS_MEASURED : ZLAY_BASIS_DOCUMENTED};
    const zl_tcgen05 *t = s->value;
    const uint32_t cls = (uint32_t)s->target->cls, kind = kind_bits(t->mma.kind), traits = t->traits;
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        if (!(rows[i].targets & cls) || !(rows[i].kinds & kind) || rows[i].traits & ~traits) continue;
        if (zl_relation_holds(rows[i].relation, zl_tcgen05_form.value(rows[i].quantity, s, 0),
                              zl_bound(rows[i].lo, s, 0), zl_bound(rows[i].hi, s, 0)))
            continue;
        bool carried = rows[i].noted & cls && !strict;
        v.conflicts += carried;
        v.broken += !carried;
    }
    v.reasons = v.broken + v.conflicts;
    v.answer = v.broken ? ZLAY_NO : ZLAY_YES;
    *out = v;
}
