/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts that a tensor copy writes: rows of one mode, as long as a swizzle's span, or whole without
 * a swizzle; then the other modes, then the row's next span. */
#include "synth/swizzle.h"

#include <zlay/tensormap.h>

enum { CHUNK_WORDS = 2, LINE_WORDS = 5 }; /* log2: 16 and 128 bytes in words */

static uint32_t mode_low(const zl_swizzle_problem *p, uint32_t mode)
{
    uint32_t low = 0;
    for (uint32_t i = 0; i < mode; i++) low += p->mode_bits[i];
    return low;
}

static uint64_t swizzled(const zl_swizzle_problem *p, uint32_t swizzle, uint64_t offset)
{
    uint32_t line = (uint32_t)(p->word + LINE_WORDS), chunk = (uint32_t)(p->word + CHUNK_WORDS);
    return offset ^ (offset >> line & ((UINT64_C(1) << swizzle) - 1)) << chunk;
}

bool zl_form_basis(uint64_t *basis, const zl_swizzle_problem *p, zl_swizzle_form form)
{
    uint32_t row = p->mode_bits[form.mode], low = mode_low(p, form.mode), at = 0, span;
    if (p->word + CHUNK_WORDS < 0) return false;
    span = (uint32_t)(p->word + CHUNK_WORDS) + form.swizzle;
    if (form.swizzle && row < span) return false;
    if (!form.swizzle) span = row;
    for (uint32_t i = 0; i < span; i++) basis[low + i] = UINT64_C(1) << at++;
    for (uint32_t i = 0; i < p->bits; i++)
        if (i < low || i >= low + row) basis[i] = UINT64_C(1) << at++;
    for (uint32_t i = span; i < row; i++) basis[low + i] = UINT64_C(1) << at++;
    for (uint32_t i = 0; form.swizzle && i < p->bits; i++)
        basis[i] = swizzled(p, form.swizzle, basis[i]);
    return true;
}

/* Swizzled ones by the fewest bits, before or after the one without. */
bool zl_form_next(zl_swizzle_form *form, const zl_swizzle_problem *p)
{
    static const uint32_t after[2][ZLAY_SWIZZLE_128B + 1] = {
        {ZLAY_SWIZZLE_32B, ZLAY_SWIZZLE_64B, ZLAY_SWIZZLE_128B, UINT32_MAX},
        {UINT32_MAX, ZLAY_SWIZZLE_64B, ZLAY_SWIZZLE_128B, ZLAY_SWIZZLE_NONE}};
    if (++form->mode < p->modes) return true;
    form->mode = 0;
    form->swizzle = after[p->swizzles][form->swizzle];
    return form->swizzle != UINT32_MAX;
}
