/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory of a block as a subject of rules. */
#include "legality/launch/smem.h"
#include <zlay/block.h>

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    (void)q, (void)i;
    return *(const uint64_t *)s->value;
}

const zl_subject_form zl_smem_form = {
    .kind = ZL_SUBJECT_SMEM, .value = value, .fix = zl_fix_plain};

zlay_status zlay_smem_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                            const zlay_target *target, uint64_t bytes)
{
    if (!out || !target || (room && !reasons)) return ZLAY_EINVAL;
    zl_subject s = {&zl_smem_form, target, &bytes};
    return zl_check(out, reasons, room, &s, false);
}

uint64_t zlay_smem_capacity(const zlay_target *target) { return target ? target->smem : 0; }
