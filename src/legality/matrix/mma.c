/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions: each family is a subject of its own rules. */
#include "legality/tcgen05/tcgen05.h"

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_mma *m = s->value;
    (void)q, (void)i;
    return zl_number(m->instruction);
}

const zl_subject_form zl_mma_form = {.value = value, .fix = zl_fix_plain};

static zl_subject_kind family(int32_t instruction)
{
    switch (instruction) {
    case ZLAY_MMA_WGMMA: return ZL_SUBJECT_WGMMA;
    case ZLAY_MMA_TCGEN05: return ZL_SUBJECT_TCGEN05;
    case ZLAY_MMA_MFMA: return ZL_SUBJECT_MFMA;
    default: return ZL_SUBJECT_MMA;
    }
}

static void verdict_alone(zlay_verdict *out, const zlay_target *target, uint32_t broken)
{
    *out =
        (zlay_verdict){.answer = broken ? ZLAY_NO : ZLAY_YES, .reasons = broken, .broken = broken};
    out->basis = zl_measured(target) ? ZLAY_BASIS_MEASURED : ZLAY_BASIS_DOCUMENTED;
}

zlay_status zlay_mma_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                           const zlay_target *target, const zlay_mma *mma)
{
    if (!out || !target || !mma || (room && !reasons) ||
        !zl_all_zero(mma->reserved, ZL_COUNT(mma->reserved)))
        return ZLAY_EINVAL;
    if (mma->instruction == ZLAY_MMA_TCGEN05)
        return zl_tcgen05_check(out, reasons, room, target, mma);
    zl_subject s = {family(mma->instruction), target, mma};
    if (!zl_subject_known(s.kind)) return ZLAY_ENOTSUP;
    if (s.kind == ZL_SUBJECT_WGMMA) {
        uint32_t broken = zl_wgmma_broken(target, mma);
        verdict_alone(out, target, broken);
        if (!broken || !room) return ZLAY_OK;
    }
    return zl_check(out, reasons, room, &s, false);
}
