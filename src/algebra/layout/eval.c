/* SPDX-License-Identifier: Apache-2.0 */
/* The values at one index, of any kind. */
#include "algebra/layout/layout.h"

/* 64 bits have one point more than their size says. */
static bool is_inside(const zlay_layout *a, uint64_t index)
{
    return index < a->size || (zl_is_bits(a) && zl_dim_bits(a->f2.in, a->f2.ins) == 64);
}

zlay_status zlay_layout_eval(int64_t *values, size_t room, const zlay_layout *layout,
                             uint64_t index)
{
    if (!values || !layout || !is_inside(layout, index)) return ZLAY_EINVAL;
    if (room < zlay_layout_out_count(layout)) return ZLAY_EINVAL;
    return layout->table->tuple(layout, index, values);
}
