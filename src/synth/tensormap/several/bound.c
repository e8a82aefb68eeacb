/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a lower bound on the boxes of a cover, and what it implies for each box of a cover that
 * reaches the bound.
 *
 * From line 0 on, again and again take the first wanted line that is not reached by any box which
 * begins at the line taken before or earlier. No box brings parts of two lines that were taken, so
 * each of them needs its own box (a packing of intervals, whose size bounds every cover). Where a
 * cover has exactly as many boxes, each of its boxes brings one of these lines, and brings it
 * whole. So a box that begins at some line brings the first taken line that is not before it, and
 * it reaches so far that the lines behind it need no more boxes than are left.
 *
 * Rows that are narrower than a swizzle's span leave gaps. With the swizzles of 32, 64 and 128
 * bytes, no narrow row writes chunk 7 ^ (line mod 8) of a line, because that chunk is the last one
 * of its row with each of them. So where the tile wants every chunk, each line needs a box without
 * gaps, and only such boxes are measured. */
#include "synth/tensormap/several/cover.h"

zlay_status zl_bound_begin(zl_bound *out, const zl_chunks *c)
{
    *out = (zl_bound){.lines = c->count / ZL_LINE_CHUNKS};
    uint64_t room = out->lines + 1;
    out->part = zl_scratch(c->t->ctx, room, sizeof *out->part);
    out->own = zl_scratch(c->t->ctx, room, sizeof *out->own);
    out->need = zl_scratch(c->t->ctx, room, sizeof *out->need);
    return out->part && out->own && out->need ? ZLAY_OK : ZLAY_ENOMEM;
}

void zl_need_fill(uint64_t *need, const zl_chunks *c, const uint64_t *reach)
{
    uint64_t lines = c->count / ZL_LINE_CHUNKS;
    need[lines] = 0;
    for (uint64_t line = lines; line-- > 0;)
        need[line] = zl_chunks_wanted(c, line) ? 1 + need[reach[line]] : need[line + 1];
}

/* The first wanted line from one on; `lines`: there is none. */
static uint64_t wanted_from(const zl_chunks *c, uint64_t line, uint64_t lines)
{
    while (line < lines && !zl_chunks_wanted(c, line)) line++;
    return line;
}

void zl_bound_from(const zl_bound *b, const zl_chunks *c, uint64_t line, zl_beginning *out)
{
    uint64_t taken = wanted_from(c, 0, b->lines), end, left = b->boxes;
    for (; taken < line; left--) taken = wanted_from(c, b->part[taken], b->lines);
    *out = (zl_beginning){.line = taken};
    if (!left) return;
    for (end = taken + 1; end < b->lines && b->need[end] > left - 1;) end++;
    out->may = taken < b->lines && b->own[line] >= end;
    out->chunks = (end - 1 - line) * ZL_LINE_CHUNKS + 1;
}

bool zl_chunks_gapless(const zl_chunks *c)
{
    bool others = false;
    for (int32_t z = ZLAY_SWIZZLE_128B + 1; z < ZL_SWIZZLES; z++) others |= zl_chunks_use(c, z);
    return c->wanted == c->count && !others;
}
