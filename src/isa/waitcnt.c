/* SPDX-License-Identifier: Apache-2.0 */
/* The operand of s_waitcnt on gfx90a, gfx942 and gfx950. CDNA 3 ISA, "S_WAITCNT". */
#include "rules/constants.h"
#include "target/target.h"

#include <zlay/waitcnt.h>

enum { VM_LOW = 15, VM_LOW_BITS = 4, EXP_AT = 4, LGKM_AT = 8, VM_HIGH_AT = 14 };

static bool has_waitcnt(const zlay_target *target)
{
    return target->cls == ZL_CLASS_GFX && target->arch < 0x1000;
}

static uint32_t packed(const zlay_waitcnt *w)
{
    return (w->vmcnt & VM_LOW) | w->expcnt << EXP_AT | w->lgkmcnt << LGKM_AT |
           w->vmcnt >> VM_LOW_BITS << VM_HIGH_AT;
}

zlay_status zlay_waitcnt_most(zlay_waitcnt *out, const zlay_target *target)
{
    if (!out || !target) return ZLAY_EINVAL;
    if (!has_waitcnt(target)) return ZLAY_ENOTSUP;
    *out = (zlay_waitcnt){VMCNT_LAST, EXPCNT_LAST, LGKMCNT_LAST, 0};
    return ZLAY_OK;
}

zlay_status zlay_waitcnt_pack(uint32_t *out, const zlay_target *target, const zlay_waitcnt *w)
{
    if (!out || !target || !w || w->reserved) return ZLAY_EINVAL;
    if (!has_waitcnt(target)) return ZLAY_ENOTSUP;
    if (w->vmcnt > VMCNT_LAST || w->expcnt > EXPCNT_LAST || w->lgkmcnt > LGKMCNT_LAST)
        return ZLAY_EINVAL;
    *out = packed(w);
    return ZLAY_OK;
}

zlay_status zlay_waitcnt_unpack(zlay_waitcnt *out, const zlay_target *target, uint32_t operand)
{
    if (!out || !target) return ZLAY_EINVAL;
    if (!has_waitcnt(target)) return ZLAY_ENOTSUP;
    uint32_t high = operand >> VM_HIGH_AT << VM_LOW_BITS & VMCNT_LAST;
    zlay_waitcnt w = {high | (operand & VM_LOW), operand >> EXP_AT & EXPCNT_LAST,
                      operand >> LGKM_AT & LGKMCNT_LAST, 0};
    if (packed(&w) != operand) return ZLAY_EINVAL;
    *out = w;
    return ZLAY_OK;
}
