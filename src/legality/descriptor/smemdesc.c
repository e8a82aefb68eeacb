/* SPDX-License-Identifier: Apache-2.0 */
/* Shared-memory matrix descriptors: a subject of rules, and a format of each architecture. */
#include "legality/descriptor/smemdesc.h"
#include "legality/tcgen05/tcgen05.h"

#include <string.h>

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_smemdesc *d = s->value;
    (void)i;
    switch (q) {
    case ZL_Q_DESC_WGMMA:
        return (s->target->features & (ZL_HAS_WGMMA | ZL_HAS_TCGEN05)) != 0;
    case ZL_Q_DESC_ABSOLUTE_ON: return zl_t5_on(ZL_T5_LBO_ABSOLUTE, s->target);
    case ZL_Q_START: return d->start;
    case ZL_Q_LBO: return d->lbo;
    case ZL_Q_SBO: return d->sbo;
    case ZL_Q_BASE_OFFSET: return d->base_offset;
    case ZL_Q_DESC_LBO_MODE: return zl_number(d->lbo_mode);
    case ZL_Q_DESC_OTHER: return d->other;
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

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    const zlay_smemdesc *d = s->value;
    return g == ZL_G_DESC_ABSOLUTE && d->lbo_mode == ZLAY_LBO_ABSOLUTE;
}

const zl_subject_form zl_smemdesc_form = {
    .kind = ZL_SUBJECT_DESC, .value = value, .guard = guard, .fix = fix};

static bool whole(const zlay_smemdesc *f)
{
    return f && !(f->reserved[0] | f->reserved[1]);
}

zlay_status zlay_smemdesc_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                const zlay_target *target, const zlay_smemdesc *f)
{
    if (!out || !target || (room && !reasons) || !whole(f)) return ZLAY_EINVAL;
    zl_subject s = {&zl_smemdesc_form, target, f};
    return zl_check(out, reasons, room, &s, false);
}

static const zl_desc_format *format_of(const zlay_target *target)
{
    if (target->features & ZL_HAS_TCGEN05) return &zl_desc_sm100;
    return target->features & ZL_HAS_WGMMA ? &zl_desc_sm90 : NULL;
}

zlay_status zlay_smemdesc_pack(uint64_t *out, const zlay_target *target, const zlay_smemdesc *f)
{
    uint64_t desc;
    if (!out || !target || !whole(f)) return ZLAY_EINVAL;
    const zl_desc_format *format = format_of(target);
    if (!format) return ZLAY_ENOTSUP;
    if (!format->pack(&desc, f)) return ZLAY_EINVAL;
    *out = desc;
    return ZLAY_OK;
}

zlay_status zlay_smemdesc_unpack(zlay_smemdesc *out, const zlay_target *target, uint64_t desc)
{
    if (!out || !target) return ZLAY_EINVAL;
    const zl_desc_format *format = format_of(target);
    if (!format) return ZLAY_ENOTSUP;
    format->unpack(out, desc);
    return ZLAY_OK;
}

/* ---- fields -------------------------------------------------------------------------- */

enum { UNIT_SHIFT = 4 };

static const struct {
    const char *name, *means;
    const zl_named *words;
    uint32_t shift;
} known[] = {
    {"start", "shared address, bytes", NULL, UNIT_SHIFT},
    {"lbo", "leading byte offset", NULL, UNIT_SHIFT},
    {"sbo", "stride byte offset", NULL, UNIT_SHIFT},
    {"base_offset", "row of the swizzle pattern", NULL, 0},
    {"lbo_mode", "what the leading offset is", zl_lbo_modes, 0},
    {"swizzle", "pattern of shared memory", zl_swizzles, 0},
};

size_t zl_desc_bit_fields(zl_bit_field *out, const zlay_target *target, const zlay_smemdesc *f)
{
    const zl_desc_format *format = format_of(target);
    for (size_t i = 0; i < format->count; i++) {
        const zl_desc_place *place = &format->places[i];
        int32_t number;
        size_t k = 0;
        while (strcmp(known[k].name, place->name)) k++;
        memcpy(&number, (const char *)f + place->member, sizeof number);
        out[i] = (zl_bit_field){.name = place->name,
                                .entry = -1,
                                .at = place->at,
                                .width = place->width,
                                .shift = known[k].shift,
                                .value = number,
                                .means = known[k].means};
        if (!known[k].words) continue;
        out[i].word = zl_word_of(known[k].words, number);
        out[i].nothing = !out[i].word;
    }
    return format->count;
}
