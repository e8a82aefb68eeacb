/* SPDX-License-Identifier: Apache-2.0 */
/* tcgen05.mma and its instruction descriptor as a subject of rules. */
#include "base/request.h"
#include "legality/tcgen05/tcgen05.h"
#include "rules/bounds.h"
#include "rules/constants.h"

/* The rows have the numbers of the public enumerations without their names. */
_Static_assert(TENSOR_KIND_FIRST == (int)ZLAY_KIND_F16, "the rows begin with f16");
_Static_assert(TENSOR_KIND_LAST == (int)ZLAY_KIND_MXF4NVF4, "the rows end with mxf4nvf4");
_Static_assert(TENSOR_SOURCE == (int)ZLAY_SOURCE_TMEM, "the rows' tensor memory is where A may be");

static const zl_tcgen05 *asked(const zl_subject *s) { return s->value; }

/* ---- what is legal ------------------------------------------------------------------- */

/* A bound of a field that a list of values stands for: the value itself where the list has it, else
 * one that it has. */
static uint64_t legal(bool in_list, int32_t value, int32_t else_this)
{
    return zl_number(in_list ? value : else_this);
}

static int32_t plain_type(int32_t kind)
{
    int32_t type = 0;
    while (type < 64 && !zl_t5_operand(kind, type)) type++;
    return type;
}

/* Sums of kind f16 are f16 only where both operands are. */
static bool sum_is(const zlay_mma *m)
{
    bool halves = m->a == ZLAY_TYPE_F16 && m->b == ZLAY_TYPE_F16;
    if (m->kind == ZLAY_KIND_F16 && m->d == ZLAY_TYPE_F16 && !halves) return false;
    return zl_t5_sum(m->kind, m->d);
}

static uint32_t k_of(const zl_tcgen05 *t)
{
    const zlay_mma *m = &t->mma;
    uint32_t base = zl_t5_k(m->kind) * (m->sparse ? 2 : 1);
    return t->bounds.k96 ? 96 : base;
}

static bool collector_is(const zlay_mma *m)
{
    if (m->collector == ZLAY_COLLECTOR_NONE) return true;
    if (m->ws)
        return m->collector >= ZLAY_COLLECTOR_B0_FILL && m->collector <= ZLAY_COLLECTOR_B3_DISCARD;
    return m->collector >= ZLAY_COLLECTOR_A_FILL && m->collector <= ZLAY_COLLECTOR_A_DISCARD;
}

static bool shift_is(uint32_t columns)
{
    return columns == 0 || columns == 8 || columns == 16 || columns == 32;
}

static uint64_t bound_of_desc(int32_t name, const zl_tcgen05 *t)
{
    const zlay_idesc *d = t->desc;
    const zlay_mma *m = &t->mma;
    int32_t vector = t->issued ? m->scale_vec : m->kind == ZLAY_KIND_MXF4NVF4 ? ZLAY_SCALE_4X : 0;
    switch (name) {
    case T5_SHIFT_COLUMNS:
        return shift_is(d->max_shift) ? d->max_shift : 0;
    case T5_SCALE_TYPE:
        return legal(zl_t5_scale(m->kind, d->scale_type, vector), d->scale_type, ZLAY_TYPE_UE8M0);
    case T5_OF_MMA_KIND: return zl_number(m->kind);
    case T5_OF_MMA_A: return zl_number(m->a);
    case T5_OF_MMA_B: return zl_number(m->b);
    case T5_OF_MMA_D: return zl_number(m->d);
    case T5_OF_MMA_M: return m->m;
    case T5_OF_MMA_N: return m->n;
    case T5_OF_MMA_K: return m->k == 96 ? 96 : 0;
    case T5_OF_MMA_A_MAJOR: return zl_number(m->a_major);
    case T5_OF_MMA_B_MAJOR: return zl_number(m->b_major);
    case T5_OF_MMA_SPARSE: return m->sparse;
    case T5_OF_MMA_NEGATE_A: return m->negate_a;
    case T5_OF_MMA_NEGATE_B: return m->negate_b;
    default: return m->saturate;
    }
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    const zl_tcgen05 *t = asked(s);
    const zlay_mma *m = &t->mma;
    (void)i;
    switch (name) {
    case T5_LEAST_M: return t->bounds.m_lo;
    case T5_MOST_M: return t->bounds.m_hi;
    case T5_LEAST_N: return t->bounds.n_lo;
    case T5_MOST_N: return t->bounds.n_hi;
    case T5_STEP_OF_N: return t->bounds.n_step;
    case T5_POWER_OF_M: return zl_next_power(m->m, 8, t->bounds.m_hi);
    case T5_POWER_OF_N: return zl_next_power(m->n, 8, t->bounds.n_hi);
    case T5_DEPTH: return k_of(t);
    case T5_LEAST_PTX: return zl_t5_ptx(t, s->target);
    case T5_A_TYPE: return legal(zl_t5_operand(m->kind, m->a), m->a, plain_type(m->kind));
    case T5_B_TYPE: return legal(zl_t5_operand(m->kind, m->b), m->b, plain_type(m->kind));
    case T5_D_TYPE:
        return legal(sum_is(m), m->d, m->kind == ZLAY_KIND_I8 ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32);
    case T5_VECTOR_OF_KIND:
        return legal(zl_t5_vector(m->kind, m->scale_vec), m->scale_vec,
                     m->kind == ZLAY_KIND_MXF4NVF4 ? ZLAY_SCALE_BLOCK16 : ZLAY_SCALE_NONE);
    case T5_PLACE_OF_A:
        return legal(m->a_source == ZLAY_SOURCE_TMEM, m->a_source, ZLAY_SOURCE_SMEM);
    case T5_COLLECTOR_OF_FORM: return legal(collector_is(m), m->collector, ZLAY_COLLECTOR_NONE);
    default: return t->desc ? bound_of_desc(name, t) : 0;
    }
}

/* ---- quantities ------------------------------------------------------------------------ */

static bool vector_on(const zlay_mma *m, const zlay_target *target)
{
    bool counted = m->scale_vec >= ZLAY_SCALE_1X && m->scale_vec <= ZLAY_SCALE_4X;
    return !counted || zl_t5_on(ZL_T5_SCALE_VEC, target);
}

static uint64_t of_target(zl_quantity q, const zl_subject *s)
{
    const zl_tcgen05 *t = asked(s);
    switch (q) {
    case ZL_Q_T5_ON_TARGET: return (s->target->features & ZL_HAS_TCGEN05) != 0;
    case ZL_Q_T5_KIND: return zl_number(t->mma.kind);
    case ZL_Q_T5_KIND_ON: return zl_t5_on(ZL_T5_KIND_I8, s->target);
    case ZL_Q_T5_SPARSE_ON: return zl_t5_on(ZL_T5_SPARSE_FOURS, s->target);
    case ZL_Q_T5_K96_ON: return zl_t5_on(ZL_T5_K96, s->target);
    case ZL_Q_T5_VECTOR_ON: return vector_on(&t->mma, s->target);
    case ZL_Q_T5_PTX: return t->mma.ptx;
    default: return zl_t5_shape(t);
    }
}

static uint64_t of_mma(zl_quantity q, const zlay_mma *m)
{
    switch (q) {
    case ZL_Q_T5_GROUP: return m->cta_group;
    case ZL_Q_T5_WS: return m->ws;
    case ZL_Q_T5_SPARSE: return m->sparse;
    case ZL_Q_T5_A: return zl_number(m->a);
    case ZL_Q_T5_B: return zl_number(m->b);
    case ZL_Q_T5_D: return zl_number(m->d);
    case ZL_Q_T5_M: return m->m;
    case ZL_Q_T5_N: return m->n;
    case ZL_Q_T5_K: return m->k;
    case ZL_Q_T5_VECTOR: return zl_number(m->scale_vec);
    case ZL_Q_T5_SOURCE: return zl_number(m->a_source);
    case ZL_Q_T5_A_MAJOR: return zl_number(m->a_major);
    case ZL_Q_T5_B_MAJOR: return zl_number(m->b_major);
    case ZL_Q_T5_NEGATE_A: return m->negate_a;
    case ZL_Q_T5_NEGATE_B: return m->negate_b;
    case ZL_Q_T5_SATURATE: return m->saturate;
    case ZL_Q_T5_ASHIFT: return m->ashift;
    case ZL_Q_T5_COLLECTOR: return zl_number(m->collector);
    case ZL_Q_T5_SELECTOR: return m->selector;
    case ZL_Q_T5_BIT_OP: return zl_number(m->bit_op);
    default: return m->blocks;
    }
}

static uint64_t of_desc(zl_quantity q, const zlay_idesc *d)
{
    uint32_t word;
    switch (q) {
    case ZL_Q_IDESC_RESERVED: return d->must_be_zero;
    case ZL_Q_IDESC_SPARSE_ID: return d->sparse_id;
    case ZL_Q_IDESC_MAX_SHIFT: return d->max_shift;
    case ZL_Q_IDESC_SCALE_TYPE: return zl_number(d->scale_type);
    case ZL_Q_IDESC_SF_A: return d->sf_a_id;
    case ZL_Q_IDESC_SF_B: return d->sf_b_id;
    case ZL_Q_IDESC_PACKS: return zlay_idesc_pack(&word, d) == ZLAY_OK;
    case ZL_Q_IDESC_KIND: return zl_number(d->kind);
    case ZL_Q_IDESC_A: return zl_number(d->a);
    case ZL_Q_IDESC_B: return zl_number(d->b);
    case ZL_Q_IDESC_D: return zl_number(d->d);
    case ZL_Q_IDESC_M: return d->m;
    case ZL_Q_IDESC_N: return d->n;
    case ZL_Q_IDESC_K: return d->k;
    case ZL_Q_IDESC_A_MAJOR: return zl_number(d->a_major);
    case ZL_Q_IDESC_B_MAJOR: return zl_number(d->b_major);
    case ZL_Q_IDESC_SPARSE: return d->sparse;
    case ZL_Q_IDESC_NEGATE_A: return d->negate_a;
    case ZL_Q_IDESC_NEGATE_B: return d->negate_b;
    default: return d->saturate;
    }
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    (void)i;
    if (q <= ZL_Q_T5_SHAPE) return of_target(q, s);
    return q <= ZL_Q_T5_BLOCKS ? of_mma(q, &asked(s)->mma) : of_desc(q, asked(s)->desc);
}

/* ---- repairs ------------------------------------------------------------------------------ */

static bool try_size(zlay_reason *r, const zl_subject *s, uint32_t size)
{
    zl_tcgen05 other = *asked(s);
    zl_subject changed = {s->form, s->target, &other};
    if (r->noted) other.mma.strict = 1;
    if (r->field == ZLAY_FIELD_M) other.mma.m = size;
    else other.mma.n = size;
    zl_t5_prepare(&other);
    return zl_holds(&changed, r->field, -1);
}

/* A product larger than the instruction takes several; a smaller one is padded with zeros. */
static void fix_size(zlay_reason *r, const zl_subject *s)
{
    uint32_t largest = 0, above = 0;
    for (uint32_t size = 256; size >= 8; size -= 8) {
        if (!try_size(r, s, size)) continue;
        if (r->value && r->value % size == 0) {
            zl_give(r, ZLAY_KEEPS_ALL, size, r->value / size);
            return;
        }
        if (!largest) largest = size;
        if (size >= r->value) above = size;
    }
    uint32_t size = above ? above : largest;
    if (size) zl_give(r, r->value ? ZLAY_KEEPS_VALUES : ZLAY_KEEPS_NOTHING, size,
                      r->value / size + (r->value % size != 0));
}

static void fix_k(zlay_reason *r)
{
    if (!r->lo) return;
    uint64_t count = r->value / r->lo + (r->value % r->lo != 0);
    int32_t keeps = r->value % r->lo ? ZLAY_KEEPS_VALUES : ZLAY_KEEPS_ALL;
    zl_give(r, r->value ? keeps : ZLAY_KEEPS_NOTHING, r->lo, count);
}

static void fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    bool computed = zl_quantity_field(rule->quantity) == ZLAY_FIELD_NONE;
    if (rule->quantity >= ZL_Q_IDESC_KIND) zl_give(r, rule->keeps, r->lo, 1);
    else if (rule->quantity == ZL_Q_T5_K) fix_k(r);
    else if (r->field == ZLAY_FIELD_M || r->field == ZLAY_FIELD_N) fix_size(r, s);
    else if (!computed && r->relation == ZLAY_REL_EQUAL) zl_give(r, rule->keeps, r->lo, 1);
    else if (!computed) zl_fix_plain(r, rule, s);
}

static bool strict(const zl_subject *s) { return asked(s)->mma.strict; }

const zl_subject_form zl_tcgen05_form = {
    .kind = ZL_SUBJECT_TCGEN05, .value = value, .guard = zl_t5_guard, .bound = bound,
    .fix = fix, .strict = strict};

/* ---- checks -------------------------------------------------------------------------------- */

static zl_tcgen05 issued(const zlay_mma *mma, const zlay_idesc *desc)
{
    zl_tcgen05 t = {.mma = *mma, .desc = desc, .issued = true};
    if (!t.mma.cta_group) t.mma.cta_group = 1;
    zl_t5_prepare(&t);
    return t;
}

static zlay_status answer(zlay_verdict *out, zlay_reason *reasons, size_t room,
                          const zl_subject *s)
{
    if (room) return zl_check(out, reasons, room, s, false);
    zl_t5_verdict(out, s);
    return ZLAY_OK;
}

zlay_status zl_tcgen05_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                             const zlay_target *target, const zlay_mma *mma)
{
    zl_tcgen05 t = issued(mma, NULL);
    zl_subject s = {&zl_tcgen05_form, target, &t};
    return answer(out, reasons, room, &s);
}

/* What a descriptor says of its instruction; its K is right by itself. */
static zl_tcgen05 described(const zlay_idesc *d)
{
    uint32_t k = d->k ? d->k : zl_t5_k(d->kind) * (d->sparse ? 2 : 1);
    zl_tcgen05 t = {.mma = {.instruction = ZLAY_MMA_TCGEN05,
                                .kind = d->kind,
                                .a = d->a,
                                .b = d->b,
                                .d = d->d,
                                .m = d->m,
                                .n = d->n,
                                .k = k,
                                .a_major = d->a_major,
                                .b_major = d->b_major,
                                .cta_group = 1,
                                .sparse = d->sparse,
                                .negate_a = d->negate_a,
                                .negate_b = d->negate_b,
                                .saturate = d->saturate},
                        .desc = d};
    zl_t5_prepare(&t);
    return t;
}

zlay_status zlay_idesc_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                             const zlay_target *target, const zlay_idesc *fields,
                             const zlay_mma *mma)
{
    if (!out || !target || !fields || (room && !reasons) ||
        !zl_is_zero(fields->reserved, sizeof fields->reserved))
        return ZLAY_EINVAL;
    if (mma &&
        (mma->instruction != ZLAY_MMA_TCGEN05 || !zl_is_zero(mma->reserved, sizeof mma->reserved)))
        return ZLAY_EINVAL;
    zl_tcgen05 t = mma ? issued(mma, fields) : described(fields);
    zl_subject s = {&zl_tcgen05_form, target, &t};
    return answer(out, reasons, room, &s);
}
