/* SPDX-License-Identifier: Apache-2.0 */
/* The least cover of a tile by boxes.
 *
 * From each line on and for each swizzle, the boxes that begin there form a chain: the longest run
 * of equal differences is a mode whole, or the box ends in it, for where the differences break the
 * mode must end; then the same among blocks of that length.  So the boxes of one beginning are
 * known by their lengths, and the least cover is a shortest path over lines: fewest boxes, then
 * fewest bytes. */
#include "synth/tensormap_cover.h"

#include <string.h>

typedef struct step {
    uint64_t boxes, chunks; /* of a cover up to here */
    uint64_t from, length, row; /* of its last box: line, chunks, those of a span */
    int32_t swizzle;
    bool there;
} step;

typedef struct search {
    const zl_chunks *c;
    uint64_t lines, asked;
    step *at; /* a cover of all lines before each */
} search;

/* ---- boxes that begin at a line ------------------------------------------------------------ */

static uint64_t unswizzled(uint64_t chunk, int32_t swizzle)
{
    return chunk ^ (chunk / ZL_LINE_CHUNKS & (((uint64_t)1 << swizzle) - 1));
}

static const int64_t *key_at(const zl_chunks *c, int32_t swizzle, uint64_t chunk, bool *there)
{
    uint64_t at = unswizzled(chunk, swizzle);
    *there = c->there[at];
    return c->key + at * c->width;
}

typedef struct chain {
    const search *s;
    uint64_t start; /* chunk */
    int32_t swizzle;
    uint64_t row;    /* chunks of a span that rows of a swizzle write; else 0 */
    uint32_t levels;
    uint64_t unit[ZL_TM_DIGITS + 1], extent[ZL_TM_DIGITS]; /* chunks of a block; blocks */
    int64_t way[ZL_TM_DIGITS][ZL_TM_AXES + 1]; /* key of the next block less this one's */
} chain;

static uint64_t span_of(const chain *h) { return zl_tm_span(h->swizzle) / ZL_CHUNK; }

/* Chunk `i` of block `n` is where block 0 and the way say; a place that the tile does not want may
 * hold anything where holes are free, and one behind a narrow row must not be wanted. */
static bool follows(const chain *h, uint64_t n, uint64_t i, uint64_t unit, const int64_t *way)
{
    const zl_chunks *c = h->s->c;
    bool one, two;
    uint64_t at = h->start + n * unit + i;
    if (at >= c->count) return false;
    const int64_t *a = key_at(c, h->swizzle, h->start + i, &one);
    const int64_t *b = key_at(c, h->swizzle, at, &two);
    if (h->swizzle && i % span_of(h) >= h->row) return !two;
    if (!one || !two) return !c->t->request.keep_holes;
    for (uint32_t k = 0; k < c->width; k++)
        if (b[k] - a[k] != (int64_t)n * way[k]) return false;
    return true;
}

static bool block_follows(const chain *h, uint64_t n, uint64_t unit, const int64_t *way)
{
    for (uint64_t i = 0; i < unit; i++)
        if (!follows(h, n, i, unit, way)) return false;
    return true;
}

/* The key of the next block less the first one's; false: the tile ends there, or wants neither. */
static bool way_of(const chain *h, uint64_t unit, int64_t *way)
{
    const zl_chunks *c = h->s->c;
    bool one, two;
    if (h->start + unit >= c->count) return false;
    const int64_t *a = key_at(c, h->swizzle, h->start, &one);
    const int64_t *b = key_at(c, h->swizzle, h->start + unit, &two);
    if (!one || !two) return false;
    for (uint32_t k = 0; k < c->width; k++) way[k] = b[k] - a[k];
    return true;
}

/* A run of adjacent chunks, which is also one of the axis of adjacent elements. */
static uint64_t row_of(const chain *h, int64_t *way)
{
    const zl_chunks *c = h->s->c;
    uint64_t most = h->swizzle ? h->row : c->count, n = 1;
    memset(way, 0, c->width * sizeof *way);
    way[0] = 1;
    for (uint32_t k = 1; k < c->width; k++)
        if (c->t->axis[c->axis[k - 1]].stride == c->t->element)
            way[k] = ZL_CHUNK / (int64_t)c->t->element;
    while (n < most && follows(h, n, 0, 1, way)) n++;
    return n;
}

static void chain_make(chain *h)
{
    h->levels = 1;
    h->unit[0] = 1;
    h->extent[0] = row_of(h, h->way[0]);
    if (h->swizzle && h->extent[0] < h->row) return;
    uint64_t unit = h->swizzle ? span_of(h) : h->extent[0];
    while (h->levels < ZL_TM_DIGITS && way_of(h, unit, h->way[h->levels])) {
        uint64_t n = 1;
        while (block_follows(h, n, unit, h->way[h->levels])) n++;
        if (n == 1) return;
        h->unit[h->levels] = unit;
        h->extent[h->levels++] = n;
        unit *= n;
    }
}

/* Chunks that are written; those behind narrow rows are not. */
static uint64_t written(const chain *h, uint64_t chunks)
{
    uint64_t span = span_of(h);
    return h->swizzle && chunks > h->row ? chunks / span * h->row : chunks;
}

/* ---- a length of a chain as a box ------------------------------------------------------------- */

/* The axis whose place changes; false: more than one, or downward. */
static bool axis_of(const zl_chunks *c, const int64_t *way, int32_t *axis, uint64_t *unit)
{
    *axis = ZL_TM_NO_AXIS;
    *unit = 1;
    for (uint32_t k = 1; k < c->width; k++) {
        if (!way[k]) continue;
        if (*axis != ZL_TM_NO_AXIS || way[k] < 0) return false;
        *axis = (int32_t)c->axis[k - 1];
        *unit = (uint64_t)way[k];
    }
    return true;
}

static bool box_of(zl_tm_box *out, const chain *h, uint32_t level, uint64_t blocks)
{
    const zl_chunks *c = h->s->c;
    const int64_t element = c->t->element;
    bool there;
    const int64_t *first = key_at(c, h->swizzle, h->start, &there);
    memset(out->cell, 0, sizeof out->cell);
    out->digits = level + 1;
    out->swizzle = h->swizzle;
    out->shared = (int64_t)h->start * ZL_CHUNK;
    out->global = first[0] * ZL_CHUNK;
    for (uint32_t k = 1; k < c->width; k++) out->cell[c->axis[k - 1]] = (uint64_t)first[k];
    for (uint32_t i = 0; i <= level; i++) {
        zl_tm_digit *d = &out->digit[i];
        *d = (zl_tm_digit){i < level ? h->extent[i] : blocks, h->way[i][0] * ZL_CHUNK,
                           (int64_t)h->unit[i] * ZL_CHUNK, ZL_TM_NO_AXIS, 1, 1};
        if (!axis_of(c, h->way[i], &d->axis, &d->unit) || d->global < 0) return false;
        if (i) continue;
        d->extent *= (uint64_t)(ZL_CHUNK / element);
        d->global = d->shared = element;
        d->unit = 1;
    }
    return there;
}

static bool box_legal(const zl_chunks *c, const zl_tm_box *box)
{
    zl_tm_map m;
    int64_t coordinate[ZL_TM_RANK];
    return zl_tm_map_of(&m, c->t, box) && zl_tm_map_advance(&m) &&
           zl_tm_map_start(&m, coordinate, box, box);
}

/* ---- the path ------------------------------------------------------------------------------------- */

/* Lines that the first `chunks` from a line cover whole. */
static uint64_t lines_covered(const chain *h, uint64_t chunks)
{
    const zl_chunks *c = h->s->c;
    uint64_t end = h->start + chunks, line = end / ZL_LINE_CHUNKS;
    for (uint64_t at = end; at < c->count && at < (line + 1) * ZL_LINE_CHUNKS; at++)
        if (c->there[unswizzled(at, h->swizzle)]) return line;
    return end % ZL_LINE_CHUNKS ? line + 1 : line;
}

static void offer(search *s, const chain *h, uint64_t chunks, uint64_t end)
{
    const step *from = &s->at[h->start / ZL_LINE_CHUNKS];
    s->at[end] = (step){from->boxes + 1, from->chunks + written(h, chunks),
                        h->start / ZL_LINE_CHUNKS, chunks, h->row, h->swizzle, true};
}

static bool better(const step *to, const step *from, uint64_t sum)
{
    uint64_t boxes = from->boxes + 1;
    sum += from->chunks;
    return !to->there || to->boxes > boxes || (to->boxes == boxes && to->chunks > sum);
}

/* All lengths of a level; those that end in the same line as a shorter one are no better. */
static void level_offer(search *s, const chain *h, uint32_t level)
{
    zl_tm_box box;
    uint64_t before = 0;
    for (uint64_t n = level ? 2 : 1; n <= h->extent[level]; n++) {
        uint64_t chunks = n * h->unit[level], end = lines_covered(h, chunks);
        if (end <= h->start / ZL_LINE_CHUNKS || end == before) continue;
        if (!better(&s->at[end], &s->at[h->start / ZL_LINE_CHUNKS], written(h, chunks)))
            continue;
        s->asked++;
        if (!box_of(&box, h, level, n) || !box_legal(s->c, &box)) continue;
        before = end;
        offer(s, h, chunks, end);
    }
}

static bool swizzle_asked(const zl_tm *t, int32_t swizzle)
{
    return !t->request.swizzle_given || t->request.swizzle == swizzle;
}

static void chain_offer(search *s, uint64_t line, int32_t swizzle, uint64_t row)
{
    chain h = {.s = s, .start = line * ZL_LINE_CHUNKS, .swizzle = swizzle, .row = row};
    chain_make(&h);
    for (uint32_t i = 0; i < h.levels; i++) level_offer(s, &h, i);
}

/* Rows of a swizzle as wide as the first one wants, and as the span. */
static void line_offer(search *s, uint64_t line)
{
    const zl_chunks *c = s->c;
    for (int32_t z = ZLAY_SWIZZLE_NONE; z <= ZLAY_SWIZZLE_128B; z++) {
        uint64_t start = line * ZL_LINE_CHUNKS, span = zl_tm_span(z) / ZL_CHUNK, row = 0;
        bool there;
        key_at(c, z, start, &there);
        if (!swizzle_asked(c->t, z) || !there) continue;
        for (uint64_t i = 0; z && i < span; i++) {
            key_at(c, z, start + i, &there);
            if (there) row = i + 1;
        }
        chain_offer(s, line, z, row);
        if (z && row < span && !c->t->request.keep_holes) chain_offer(s, line, z, span);
    }
}

static bool line_wanted(const zl_chunks *c, uint64_t line)
{
    for (uint64_t i = 0; i < ZL_LINE_CHUNKS; i++)
        if (c->there[line * ZL_LINE_CHUNKS + i]) return true;
    return false;
}

/* A cover of more lines is one of fewer. */
static void settle(search *s, uint64_t line)
{
    for (uint64_t end = s->lines; end > line; end--) {
        const step *from = &s->at[end];
        step *to = &s->at[line];
        if (!from->there) continue;
        if (!to->there || from->boxes < to->boxes ||
            (from->boxes == to->boxes && from->chunks < to->chunks))
            *to = *from;
    }
    if (line < s->lines && s->at[line].there && !line_wanted(s->c, line)) {
        const step *from = &s->at[line];
        step *to = &s->at[line + 1];
        if (!to->there || from->boxes < to->boxes ||
            (from->boxes == to->boxes && from->chunks < to->chunks))
            *to = *from;
    }
}

/* Holes that copies may write are searched as far as they continue what is around them. */
static bool has_holes(const zl_chunks *c)
{
    uint64_t wanted = 0, at = 0;
    while (wanted < c->wanted) wanted += c->there[at++];
    return at != wanted;
}

/* The first cell of a line that no box covers. */
static zlay_status line_blocked(const zl_chunks *c, uint64_t line)
{
    if (has_holes(c) && !c->t->request.keep_holes)
        return zl_fail(c->t->ctx, ZLAY_ELIMIT,
                       "smem: it has holes, and not all copies that write them are searched; none "
                       "was found for line %llu; with keep_holes it is decided",
                       (unsigned long long)line);
    for (uint64_t i = 0; i < c->cells; i++)
        if ((uint64_t)c->shared[i] * c->t->element / ZL_LINE == line)
            return zl_fail(c->t->ctx, ZLAY_NONE,
                           "COPY_SMEM_128: byte %llu of the tile: a copy begins on 128 bytes of "
                           "shared memory, and none from there brings its line",
                           (unsigned long long)(i * c->t->element));
    return ZLAY_EINTERNAL;
}

static zlay_status boxes_take(const search *s, zl_tm_box **out, uint32_t *count)
{
    uint64_t boxes = s->at[s->lines].boxes, line = s->lines;
    *out = zl_alloc(s->c->t->ctx, boxes, sizeof **out);
    if (!*out) return ZLAY_ENOMEM;
    *count = (uint32_t)boxes;
    while (boxes--) {
        const step *at = &s->at[line];
        chain h = {.s = s, .start = at->from * ZL_LINE_CHUNKS, .swizzle = at->swizzle,
                   .row = at->row};
        uint32_t level = 0;
        chain_make(&h);
        while (h.unit[level] * h.extent[level] < at->length) level++;
        if (!box_of(&(*out)[boxes], &h, level, at->length / h.unit[level])) return ZLAY_EINTERNAL;
        line = at->from;
    }
    return ZLAY_OK;
}

zlay_status zl_chunks_cover(const zl_chunks *c, zl_tm_box **box, uint32_t *boxes)
{
    search s = {.c = c, .lines = c->count / ZL_LINE_CHUNKS};
    zlay_status status = ZLAY_OK;
    zlay_allocator alloc = zl_allocator(c->t->ctx);
    *box = NULL;
    s.at = zl_alloc(c->t->ctx, s.lines + 1, sizeof *s.at);
    if (!s.at) return ZLAY_ENOMEM;
    s.at[0].there = true;
    for (uint64_t line = 0; line < s.lines && !status; line++) {
        settle(&s, line);
        if (!s.at[line].there) status = line_blocked(c, line - 1);
        else line_offer(&s, line);
    }
    if (!status && !s.at[s.lines].there) status = line_blocked(c, s.lines - 1);
    if (!status) status = boxes_take(&s, box, boxes);
    zl_free(&alloc, s.at, (s.lines + 1) * sizeof *s.at);
    if (status && *box) {
        zl_free(&alloc, *box, *boxes * sizeof **box);
        *box = NULL;
    }
    return status;
}
