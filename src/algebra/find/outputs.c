/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of a layout as one integer, and as the output dimensions of an f2 layout, which are
 * named out0, out1, .. where the layout has no names. */
#include "algebra/find/finish.h"

#include <stdio.h>

static void name_output(zl_dim *out, size_t i, uint64_t size)
{
    snprintf(out->name, sizeof out->name, "out%zu", i);
    out->bits = zl_log2_up(size);
    out->size = size & (size - 1) ? size : 0;
}

bool zl_is_flat(const zlay_layout *a)
{
    uint64_t flat = 1;
    size_t outs = zlay_layout_out_count(a);
    for (size_t i = 0; i < outs && outs > 1; i++)
        if (!zl_out_size(a, i) || !zl_umul(flat, zl_out_size(a, i), &flat)) return false;
    return outs <= ZL_OUTPUTS_MOST && flat - 1 <= INT64_MAX;
}

const zl_f2 *zl_outputs_of(zl_outputs *own, const zlay_layout *a)
{
    size_t outs = zlay_layout_out_count(a);
    if (a->f2.outs) return &a->f2;
    if (outs < 2) return NULL;
    for (size_t i = 0; i < outs; i++) name_output(&own->dim[i], i, zl_out_size(a, i));
    own->f2 = (zl_f2){.outs = outs, .out = own->dim};
    return &own->f2;
}
