/* SPDX-License-Identifier: Apache-2.0 */
/* The 64 bits of a wgmma shared-memory descriptor (PTX ISA 9.1, Matrix Descriptor Format). */
#include "legality/rule.h"

#include <string.h>

enum { START_AT = 0, LBO_AT = 16, SBO_AT = 32, BASE_AT = 49, SWIZZLE_AT = 62, ADDRESS_BITS = 14 };

/* The field's numbers run the other way than the tensor map's. */
static const uint8_t swizzle_code[] = {0, 3, 2, 1};

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_smemdesc *d = s->value;
    (void)i;
    switch (q) {
    case ZL_Q_DESC_WGMMA: return (s->target->features & ZL_HAS_WGMMA) != 0;
    case ZL_Q_START: return d->start;
    case ZL_Q_LBO: return d->lbo;
    case ZL_Q_SBO: return d->sbo;
    case ZL_Q_BASE_OFFSET: return d->base_offset;
    default: return zl_number(d->swizzle);
    }
}

static void fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    if (rule->quantity == ZL_Q_DESC_WGMMA) return;
    if (rule->quantity == ZL_Q_BASE_OFFSET)
        zl_give(r, rule->keeps, r->value % (r->hi + 1), 1);
    else zl_fix_plain(r, rule, s);
}

const zl_subject_form zl_smemdesc_form = {.value = value, .fix = fix};

zlay_status zlay_smemdesc_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                const zlay_target *target, const zlay_smemdesc *f)
{
    if (!out || !target || !f || (room && !reasons) ||
        !zl_all_zero(f->reserved, ZL_COUNT(f->reserved)))
        return ZLAY_EINVAL;
    zl_subject s = {ZL_SUBJECT_DESC, target, f};
    return zl_check(out, reasons, room, &s, false);
}

zlay_status zlay_smemdesc_pack(uint64_t *out, const zlay_target *target, const zlay_smemdesc *f)
{
    zlay_verdict verdict;
    if (!out || !target || !f) return ZLAY_EINVAL;
    if (!(target->features & ZL_HAS_WGMMA)) return ZLAY_ENOTSUP;
    zlay_status status = zlay_smemdesc_check(&verdict, NULL, 0, target, f);
    if (status || verdict.answer != ZLAY_YES) return ZLAY_EINVAL;
    *out = (uint64_t)(f->start >> 4) << START_AT | (uint64_t)(f->lbo >> 4) << LBO_AT |
           (uint64_t)(f->sbo >> 4) << SBO_AT | (uint64_t)f->base_offset << BASE_AT |
           (uint64_t)swizzle_code[f->swizzle] << SWIZZLE_AT;
    return ZLAY_OK;
}

static uint32_t address(uint64_t desc, int at)
{
    return (uint32_t)(desc >> at & ((1u << ADDRESS_BITS) - 1)) << 4;
}

zlay_status zlay_smemdesc_unpack(zlay_smemdesc *out, uint64_t *must_be_zero,
                                 const zlay_target *target, uint64_t desc)
{
    if (!out || !must_be_zero || !target) return ZLAY_EINVAL;
    if (!(target->features & ZL_HAS_WGMMA)) return ZLAY_ENOTSUP;
    uint64_t fourteen = (1u << ADDRESS_BITS) - 1;
    uint64_t used = fourteen << START_AT | fourteen << LBO_AT | fourteen << SBO_AT |
                    7ull << BASE_AT | 3ull << SWIZZLE_AT;
    memset(out, 0, sizeof *out);
    out->start = address(desc, START_AT);
    out->lbo = address(desc, LBO_AT);
    out->sbo = address(desc, SBO_AT);
    out->base_offset = (uint32_t)(desc >> BASE_AT & 7);
    for (int32_t i = 0; i < 4; i++)
        if (swizzle_code[i] == (desc >> SWIZZLE_AT & 3)) out->swizzle = i;
    *must_be_zero = desc & ~used;
    return ZLAY_OK;
}
