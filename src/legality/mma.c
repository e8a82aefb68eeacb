/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions as a subject of rules. */
#include "legality/rule.h"

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_mma *m = s->value;
    (void)i;
    switch (q) {
    case ZL_Q_MMA_WGMMA: return (s->target->features & ZL_HAS_WGMMA) != 0;
    case ZL_Q_MMA_M: return m->m;
    case ZL_Q_MMA_N: return m->n;
    case ZL_Q_MMA_K: return m->k;
    case ZL_Q_MMA_A: return zl_number(m->a);
    case ZL_Q_MMA_B: return zl_number(m->b);
    case ZL_Q_MMA_D: return zl_number(m->d);
    case ZL_Q_MMA_A_MAJOR: return zl_number(m->a_major);
    default: return zl_number(m->b_major);
    }
}

/* A product larger than the instruction takes several; a smaller one is padded with zeros. */
static void fix_shape(zlay_reason *r, const zl_subject *s)
{
    zl_range range = zl_range_of(s, r->field, r->index);
    uint64_t value = range.hi, from = r->value;
    if (!from) {
        zl_give(r, ZLAY_KEEPS_NOTHING, range.lo, 1);
        return;
    }
    for (uint64_t v = range.hi; v >= range.lo && v >= range.unit; v -= range.unit)
        if (from % v == 0) {
            zl_give(r, ZLAY_KEEPS_ALL, v, from / v);
            return;
        }
    if (from < range.hi) zl_nearest(&value, from, from, range);
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

const zl_subject_form zl_mma_form = {.value = value, .fix = fix};

/* The types of wgmma's other forms: not covered yet, so neither YES nor NO. */
static bool other_form(const zlay_mma *mma)
{
    static const int32_t types[] = {ZLAY_TYPE_F16, ZLAY_TYPE_TF32, ZLAY_TYPE_TF32_FTZ,
                                    ZLAY_TYPE_U8};
    bool a = false, b = false;
    for (size_t i = 0; i < ZL_COUNT(types); i++) {
        a |= mma->a == types[i];
        b |= mma->b == types[i];
    }
    return a && b;
}

zlay_status zlay_mma_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                           const zlay_target *target, const zlay_mma *mma)
{
    if (!out || !target || !mma || (room && !reasons) ||
        !zl_all_zero(mma->reserved, ZL_COUNT(mma->reserved)))
        return ZLAY_EINVAL;
    if (target->features & ZL_HAS_WGMMA && other_form(mma)) return ZLAY_ENOTSUP;
    zl_subject s = {ZL_SUBJECT_MMA, target, mma};
    return zl_check(out, reasons, room, &s, false);
}
