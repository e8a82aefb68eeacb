/* SPDX-License-Identifier: Apache-2.0 */
/* A bound from below on the boxes of a cover, and what it says of each box of a least one.
 *
 * From a line on, the first wanted line that no box reaches which begins at the line taken before
 * or earlier is taken again and again. No box brings some of two lines that were taken, so each
 * needs a box of its own (a packing of intervals, whose size bounds every cover). Where a cover has
 * exactly as many boxes as lines are taken from line 0 on, each of its boxes brings one of these
 * lines, and the whole of it. So a box that begins at a line brings the first of them that is not
 * before it, and reaches so far that the lines behind it need no more boxes than are left.
 *
 * Rows that are narrower than a swizzle's span leave gaps. With the swizzles of 32, 64 and 128 bytes
 * no such row of any of them writes chunk 7 ^ (line mod 8) of a line: it is the last one of its row
 * with each. So where the tile wants every chunk, each line needs a box without gaps, and only those
 * are measured. */
#include "synth/tensormap/several/cover.h"

zlay_status zl_bound_begin(zl_bound *out, const zl_chunks *c)
{
    *out = (zl_bound){.lines = c->count / ZL_LINE_CHUNKS};
    size_t room = out->lines + 1;
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
