/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a box of slices as an interleaved map (CU_TENSOR_MAP_INTERLEAVE_16B and _32B). Dimension 0
 * counts slices of 16 or 32 bytes. The last dimension but one counts other slices, of which a copy
 * takes one. The rows fill a swizzle's span slice by slice. Tiles with edges are refused here. */
#include "synth/tensormap/dims.h"

#include <string.h>

enum { STEP_MOST = 8, RANK_LEAST = 3, ELEMENT = 8 };

static bool digits_fit(const zl_tm *t, const zl_tm_box *box, int64_t slice)
{
    if (slice > ZL_CHUNK && t->request.address_align % (uint32_t)slice) return false;
    for (uint32_t i = 1; i < box->digits; i++) {
        const zl_tm_digit *d = &box->digit[i];
        if (d->extent > ZL_BOX_MOST || d->global < 0 || d->global % slice) return false;
    }
    return box->global % slice == 0;
}

/* Whether dimension 0 can count the slices of the first digit.  Its box must be a multiple of 16
 * bytes, an even number of 8-byte elements: sm_90's driver requires that, and no later driver was
 * measured. */
static bool first_steps(const zl_tm_box *box, int64_t slice)
{
    if (box->digits < 2) return false;
    const zl_tm_digit *d = &box->digit[1];
    uint64_t step = (uint64_t)(d->global / slice);
    return step >= 1 && step <= STEP_MOST && d->extent * step <= ZL_BOX_MOST &&
           (step > 1 || d->extent % 2 == 0);
}

static void dim_put(zl_tm_dim *out, const zl_tm_digit *d)
{
    *out = (zl_tm_dim){.box = d->extent, .real = d->extent, .stride = (uint64_t)d->global,
                       .step = 1, .axis = d->axis, .unit = d->unit, .per = d->per};
}

bool zl_tm_slices_of(zl_tm_map *out, const zl_tm *t, const zl_tm_box *box)
{
    const int64_t slice = ZL_CHUNK * (int64_t)box->interleave;
    const zl_tm_dim one = {.box = 1, .real = 1, .stride = (uint64_t)slice, .step = 1,
                           .axis = ZL_TM_NO_AXIS, .unit = 1, .per = 1};
    uint32_t first = first_steps(box, slice), left = box->digits - 1 - first, at = 1 + first;
    memset(out, 0, sizeof *out);
    if (t->spread || box->shared % ZL_LINE || zl_tm_any_clips(t) || !digits_fit(t, box, slice))
        return false;
    out->t = t;
    out->rank = left < 1 ? RANK_LEAST : left + 2;
    if (out->rank > ZL_TM_RANK) return false;
    out->swizzle = box->swizzle;
    out->interleave = box->interleave;
    out->type = ZLAY_TYPE_U64;
    out->bytes = out->pitch = (uint32_t)slice;
    for (uint32_t i = 0; i < out->rank; i++) out->dim[i] = one;
    out->dim[0].step = 2;
    if (first) {
        out->dim[0].box = out->dim[0].real = box->digit[1].extent;
        out->dim[0].step = (uint32_t)(box->digit[1].global / slice);
    }
    for (uint32_t i = 1; i < out->rank; i++)
        if (i + 2 != out->rank && at < box->digits) dim_put(&out->dim[i], &box->digit[at++]);
    return true;
}
