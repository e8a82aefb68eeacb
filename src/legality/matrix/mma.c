/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions: each family is a subject of its own rules. */
#include "base/request.h"
#include "legality/matrix/matrix.h"
#include "legality/tcgen05/tcgen05.h"

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_mma *m = s->value;
    (void)q, (void)i;
    return zl_number(m->instruction);
}

static const zl_subject_form subject_form = {
    .kind = ZL_SUBJECT_MMA, .value = value, .fix = zl_fix_plain};

static const zl_subject_form *family(int32_t instruction)
{
    switch (instruction) {
    case ZLAY_MMA_WGMMA: return &zl_wgmma_form;
    case ZLAY_MMA_MFMA: return &zl_mfma_form;
    default: return &subject_form;
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
        !zl_is_zero(mma->reserved, sizeof mma->reserved))
        return ZLAY_EINVAL;
    if (mma->instruction == ZLAY_MMA_TCGEN05)
        return zl_tcgen05_check(out, reasons, room, target, mma);
    zl_subject s = {family(mma->instruction), target, mma};
    if (s.form == &zl_wgmma_form) {
        uint32_t broken = zl_wgmma_broken(target, mma);
        verdict_alone(out, target, broken);
        if (!broken || !room) return ZLAY_OK;
    }
    return zl_check(out, reasons, room, &s, false);
}
