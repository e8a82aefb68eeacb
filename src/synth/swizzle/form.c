/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates the layouts of a tile that a tensor copy can write, and computes their offsets.  The
 * low bits of an offset are a row of one mode, as long as a swizzle's span, or the whole mode
 * without a swizzle; then follow the other modes; then the next span of the row.  The swizzle XORs
 * line bits onto chunk bits as the TMA engine does (CUDA driver API, CUtensorMapSwizzle). */
#include "synth/swizzle/swizzle.h"

#include <zlay/tensormap.h>

enum { CHUNK_WORDS = 2, LINE_WORDS = 5 }; /* log2: 16 and 128 bytes in words */

static uint64_t swizzled(const zl_swizzle_problem *p, uint32_t swizzle, uint64_t offset)
{
    uint32_t line = (uint32_t)(p->word + LINE_WORDS), chunk = (uint32_t)(p->word + CHUNK_WORDS);
    return offset ^ (offset >> line & ((UINT64_C(1) << swizzle) - 1)) << chunk;
}

bool zl_form_begin(zl_form_place *out, const zl_swizzle_problem *p, zl_swizzle_form form)
{
    out->p = p;
    out->swizzle = form.swizzle;
    out->row = p->mode_bits[form.mode];
    out->span = form.swizzle ? (uint32_t)(p->word + CHUNK_WORDS) + form.swizzle : out->row;
    out->low = 0;
    for (uint32_t i = 0; i < form.mode; i++) out->low += p->mode_bits[i];
    return p->word + CHUNK_WORDS >= 0 && out->row >= out->span;
}

uint64_t zl_form_offset(const zl_form_place *f, uint64_t index)
{
    uint64_t column = index >> f->low & ((UINT64_C(1) << f->row) - 1);
    uint64_t rest = (index & ((UINT64_C(1) << f->low) - 1)) | index >> (f->low + f->row) << f->low;
    uint64_t offset = (column & ((UINT64_C(1) << f->span) - 1)) | rest << f->span |
                      column >> f->span << (f->p->bits - f->row + f->span);
    return f->swizzle ? swizzled(f->p, f->swizzle, offset) : offset;
}

/* The next form: each contiguous mode, then the next swizzle.  Swizzles come by their span, and no
 * swizzle comes last or first, as p->swizzles says. */
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
