/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the least cover of a tile by boxes that each bring whole lines of 128 bytes. It is a
 * shortest path in a graph: the nodes are lines, the arcs are boxes; fewest boxes count first,
 * then fewest bytes (dynamic programming over beginnings, as for interval covers). Walks of pixels
 * (im2col) are arcs too where no axis has edges: every prefix of a walk is a walk, so there is an
 * arc for each length that ends with a line.
 *
 * A lower bound on the number of boxes (bound.c) prunes the search, and proves the result where
 * the two agree. For this bound all boxes are measured, also those that bring parts of lines;
 * among rows narrower than a swizzle's span, rows of one chunk reach furthest. Where holes may be
 * written or not all walks were tried, no bound is known. Covers whose boxes bring parts of lines
 * are searched by places.c. */
#include "synth/tensormap/several/cover.h"

#include <string.h>

typedef struct step {
    uint64_t boxes, chunks; /* of the best cover up to this line */
    uint64_t from, length, row; /* of its last box: first line, chunks, chunks of a span */
    uint64_t pixels; /* rows of a walk; else 0 */
    int32_t swizzle, slice;
    uint16_t shape[ZL_TM_RANK];
    bool there;
} step;

typedef struct search {
    const zl_chunks *c;
    uint64_t lines;
    step *at;       /* for each line, the best cover of all lines before it */
    uint64_t *far;  /* for each line, the end of the whole lines that a box from it can bring */
    uint64_t *need; /* a lower bound of the boxes of whole lines from each line to the end */
    uint64_t best;  /* the boxes of the least cover by whole lines */
    zl_bound *bound;
    bool measuring; /* in the first pass, which measures how far boxes reach */
    bool walks;     /* walks of pixels are searched */
    bool gapless;   /* only boxes whose rows have no gaps are measured */
    bool ended;     /* not all walks were tried */
    uint64_t left;  /* steps left for searches over holes */
} search;

/* The end of the lines that the first `chunks` of a chain bring whole. */
static uint64_t lines_covered(const zl_chain *h, uint64_t chunks)
{
    const zl_chunks *c = h->c;
    uint64_t end = h->start + chunks, line = end / ZL_LINE_CHUNKS;
    uint64_t span = zl_tm_span(h->swizzle) / ZL_CHUNK;
    for (uint64_t i = 0; h->swizzle && !h->slice && h->row < span && i < chunks; i++)
        if (i % span >= h->row && c->there[zl_chunk_place(h->start + i, h->swizzle)])
            return (h->start + i) / ZL_LINE_CHUNKS;
    for (uint64_t at = end; at < c->count && at < (line + 1) * ZL_LINE_CHUNKS; at++)
        if (c->there[zl_chunk_place(at, h->swizzle)]) return line;
    return end % ZL_LINE_CHUNKS ? line + 1 : line;
}

/* Records a box as the last one of the best cover up to line `end`. */
static void offer(search *s, const zl_chain *h, uint64_t chunks, uint64_t end)
{
    const step *from = &s->at[h->start / ZL_LINE_CHUNKS];
    s->at[end] = (step){from->boxes + 1, from->chunks + zl_chain_written(h, chunks),
                        h->start / ZL_LINE_CHUNKS, chunks, h->row, 0, h->swizzle, h->slice, {0}, true};
    memcpy(s->at[end].shape, h->shape, sizeof h->shape);
}

/* Whether a cover improves by one more box after `from`. */
static bool better(const step *to, const step *from, uint64_t sum)
{
    uint64_t boxes = from->boxes + 1;
    sum += from->chunks;
    return !to->there || to->boxes > boxes || (to->boxes == boxes && to->chunks > sum);
}

/* Whether a box from one line to another may belong to a best cover. */
static bool may_lead(const search *s, uint64_t line, uint64_t end, uint64_t written)
{
    return s->at[line].boxes + 1 + s->need[end] <= s->best && better(&s->at[end], &s->at[line], written);
}

/* Offers the lengths of a level that a best cover may have.  A length that ends in the same line
 * as a shorter one is no better. */
static void level_offer(search *s, const zl_chain *h, uint32_t level)
{
    uint64_t before = 0, line = h->start / ZL_LINE_CHUNKS;
    for (uint64_t n = level ? 2 : 1; n <= h->extent[level]; n++) {
        uint64_t chunks = n * h->unit[level], end = lines_covered(h, chunks);
        if (end <= line || end == before) continue;
        if (!may_lead(s, line, end, zl_chain_written(h, chunks))) continue;
        if (!zl_chain_legal(h, level, n)) continue;
        before = end;
        offer(s, h, chunks, end);
    }
}

/* Records how far a box of so many chunks reaches: whole lines, and parts of lines. */
static void measure_box(search *s, const zl_chain *h, uint64_t chunks)
{
    uint64_t line = h->start / ZL_LINE_CHUNKS, end = lines_covered(h, chunks);
    uint64_t last = (h->start + chunks + ZL_LINE_CHUNKS - 1) / ZL_LINE_CHUNKS;
    if (end > s->far[line]) s->far[line] = end;
    if (last > s->bound->own[line]) s->bound->own[line] = last;
}

/* Measures the longest box of a level, where it may reach further than the boxes measured so
 * far. */
static void level_measure(search *s, const zl_chain *h, uint32_t level)
{
    uint64_t end = h->start + h->extent[level] * h->unit[level], line = h->start / ZL_LINE_CHUNKS;
    if (end <= s->far[line] * ZL_LINE_CHUNKS) return;
    uint64_t n = zl_chain_longest(h, level);
    if (n) measure_box(s, h, n * h->unit[level]);
}

static void chain_offer(void *env, const zl_chain *h)
{
    search *s = env;
    for (uint32_t i = h->levels; i-- > 0;)
        if (s->measuring) level_measure(s, h, i);
        else level_offer(s, h, i);
}

static bool walk_legal(const zl_chain *h, uint64_t rows)
{
    zl_tm_box box;
    return zl_columns_box(&box, h, rows) && zl_chunks_legal(h->c, &box);
}

/* Measures the longest walk, if it brings more lines than the boxes that begin earlier. */
static void walk_measure(search *s, const zl_chain *h)
{
    uint64_t to = s->far[h->start / ZL_LINE_CHUNKS] * ZL_LINE_CHUNKS - h->start;
    uint64_t least = zl_columns_least(h, to + 1);
    uint64_t rows = zl_columns_rows(h, least, &s->ended);
    while (rows >= least && !walk_legal(h, rows)) rows--;
    if (rows >= least) measure_box(s, h, zl_columns_chunks(h, rows));
}

/* Whether a walk may reach line `end` or a later one and belong to a best cover. No box from this
 * line brings lines behind s->far; where all chunks are wanted, whole lines are written. */
static bool walk_may_lead(const search *s, const zl_chain *h, uint64_t end)
{
    uint64_t line = h->start / ZL_LINE_CHUNKS;
    uint64_t last = s->c->wanted == s->c->count ? ZL_LINE_CHUNKS : 1;
    for (; end <= s->far[line]; end++) {
        uint64_t chunks = (end - 1) * ZL_LINE_CHUNKS + last - h->start;
        if (may_lead(s, line, end, zl_columns_least(h, chunks) * h->row)) return true;
    }
    return false;
}

/* Offers the longest walk, and the shorter ones that end with a line, as far as a best cover may
 * have them. */
static void walk_offer(search *s, const zl_chain *h)
{
    uint64_t line = h->start / ZL_LINE_CHUNKS, before = 0, end = line + 1;
    while (s->at[line].boxes + 1 + s->need[end] > s->best) end++;
    if (!walk_may_lead(s, h, end)) return;
    uint64_t least = zl_columns_least(h, (end - 1) * ZL_LINE_CHUNKS - h->start + 1);
    uint64_t most = zl_columns_rows(h, least, &s->ended);
    for (uint64_t rows = least; rows <= most; rows++) {
        if (rows < most && !zl_columns_ends(h, rows)) continue;
        end = lines_covered(h, zl_columns_chunks(h, rows));
        if (end <= line || end == before || !may_lead(s, line, end, rows * h->row)) continue;
        if (!walk_legal(h, rows)) continue;
        before = end;
        offer(s, h, rows * h->row, end);
        s->at[end].pixels = rows;
    }
}

static void columns_offer(void *env, const zl_chain *h)
{
    search *s = env;
    if (s->measuring) walk_measure(s, h);
    else walk_offer(s, h);
}

/* The box over holes that brings the most whole lines from a line on; of as many, the one that
 * writes least. */
typedef struct furthest {
    zl_chain chain;
    uint64_t lines, chunks;
} furthest;

static void shape_further(void *env, const zl_chain *h)
{
    furthest *f = env;
    uint32_t level = h->levels - 1;
    uint64_t chunks = h->extent[level] * h->unit[level];
    uint64_t lines = (h->start + chunks + ZL_LINE_CHUNKS - 1) / ZL_LINE_CHUNKS;
    uint64_t written = zl_chain_written(h, chunks);
    if (lines < f->lines || (lines == f->lines && written >= f->chunks)) return;
    chunks = zl_chain_longest(h, level) * h->unit[level];
    lines = chunks ? lines_covered(h, chunks) : 0;
    if (lines < f->lines || lines == h->start / ZL_LINE_CHUNKS) return;
    *f = (furthest){*h, lines, written};
}

static void line_offer(search *s, uint64_t line)
{
    const zl_chunks *c = s->c;
    bool ended = false, narrow = s->measuring && !s->gapless;
    furthest best = {.lines = 0};
    zl_chunks_chains(c, line, narrow, chain_offer, s);
    if (narrow) zl_chunks_gaps(c, line, 1, chain_offer, s);
    if (s->walks)
        zl_chunks_columns(c, line, s->gapless ? ZL_WIDTHS_SPAN : ZL_WIDTHS_ENDS, columns_offer, s);
    if (!zl_chunks_over_holes(c) || c->there[line * ZL_LINE_CHUNKS] || !zl_chunks_wanted(c, line)) return;
    zl_chunks_shapes(c, line, shape_further, &best, &s->left, &ended);
    if (best.lines) chain_offer(s, &best.chain);
}

/* Improves the cover of a line by those of later lines, because a cover of more lines also covers
 * fewer; and passes it on across a line of which the tile wants nothing. */
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
    if (line < s->lines && s->at[line].there && !zl_chunks_wanted(s->c, line)) {
        const step *from = &s->at[line];
        step *to = &s->at[line + 1];
        if (!to->there || from->boxes < to->boxes ||
            (from->boxes == to->boxes && from->chunks < to->chunks))
            *to = *from;
    }
}

/* Makes the box of a step again. */
static bool box_of(const zl_chunks *c, zl_tm_box *out, const step *at)
{
    zl_chain h = {.c = c, .start = at->from * ZL_LINE_CHUNKS, .swizzle = at->swizzle, .row = at->row,
                  .slice = at->slice};
    uint32_t level = 0;
    if (at->pixels) return zl_columns_box(out, &h, at->pixels);
    memcpy(h.shape, at->shape, sizeof h.shape);
    if (!h.shape[0]) zl_chain_make(&h);
    else if (!zl_chain_shape(&h)) return false;
    while (h.unit[level] * h.extent[level] < at->length) level++;
    return zl_chain_box(out, &h, level, at->length / h.unit[level]);
}

static zlay_status boxes_take(const search *s, zl_tm_box **out, uint32_t *count)
{
    uint64_t boxes = s->at[s->lines].boxes, line = s->lines;
    *out = zl_scratch(s->c->t->ctx, boxes, sizeof **out);
    if (!*out) return ZLAY_ENOMEM;
    *count = (uint32_t)boxes;
    for (; boxes--; line = s->at[line].from)
        if (!box_of(s->c, &(*out)[boxes], &s->at[line])) return ZLAY_EINTERNAL;
    return ZLAY_OK;
}

/* Makes as many boxes of one length, which more often share one map; false: that is not
 * possible. */
static bool uniform(const search *s, zl_tm_box *box, uint64_t boxes, int32_t swizzle)
{
    uint64_t total = s->c->wanted, length = total / boxes;
    if (s->at[s->lines].chunks != total || total % boxes || length % ZL_LINE_CHUNKS) return false;
    for (uint64_t k = 0; k < boxes; k++) {
        zl_chain h = {.c = s->c, .start = k * length, .swizzle = swizzle,
                   .row = swizzle ? zl_tm_span(swizzle) / ZL_CHUNK : 0};
        uint32_t level = 0;
        zl_chain_make(&h);
        while (level < h.levels && h.unit[level] * h.extent[level] < length) level++;
        if (level == h.levels || length % h.unit[level] ||
            !zl_chain_box(&box[k], &h, level, length / h.unit[level]) ||
            !zl_chunks_legal(s->c, &box[k]))
            return false;
    }
    return true;
}

static zlay_status boxes_even(const search *s, zl_tm_box *box, uint64_t boxes)
{
    zl_tm_box *even = boxes > 1 ? zl_scratch(s->c->t->ctx, boxes, sizeof *even) : NULL;
    bool found = false;
    if (boxes == 1) return ZLAY_OK;
    if (!even) return ZLAY_ENOMEM;
    for (int32_t z = ZLAY_SWIZZLE_NONE; z < ZL_SWIZZLES && !found; z++)
        found = zl_chunks_use(s->c, z) && !s->c->holes && uniform(s, even, boxes, z);
    if (found) memcpy(box, even, boxes * sizeof *box);
    return ZLAY_OK;
}

/* Measures how far boxes reach from each line, including boxes that begin earlier.  Boxes may
 * overlap where they bring the same, so a cover with the fewest boxes takes those that reach
 * furthest. */
static zlay_status measure(search *s)
{
    zl_bound *b = s->bound;
    s->measuring = true;
    for (uint64_t line = 0; line < s->lines; line++) {
        uint64_t *far = &s->far[line], *part = &b->part[line];
        *far = line && s->far[line - 1] > line ? s->far[line - 1] : line;
        b->own[line] = *far; /* walks that reach no further are not measured */
        if (*far < s->lines) line_offer(s, line);
        if (!zl_chunks_wanted(s->c, line) && *far == line) *far = line + 1;
        if (*far <= line) return ZLAY_NONE;
        *part = b->own[line] > *far ? b->own[line] : *far;
        if (line && b->part[line - 1] > *part) *part = b->part[line - 1];
    }
    s->measuring = false;
    zl_need_fill(b->need, s->c, b->part);
    b->boxes = s->ended || (s->c->holes && !s->c->keep) ? 0 : b->need[0];
    zl_need_fill(s->need, s->c, s->far);
    s->best = s->need[0];
    return ZLAY_OK;
}

static zlay_status path_find(search *s)
{
    zlay_status status = measure(s);
    s->left = ZL_SHAPE_STEPS;
    s->at[0].there = true;
    for (uint64_t line = 0; line < s->lines && !status; line++) {
        settle(s, line);
        const step *at = &s->at[line];
        if (at->there && at->boxes + s->need[line] <= s->best) line_offer(s, line);
    }
    if (!status && !s->at[s->lines].there) status = ZLAY_EINTERNAL;
    return status;
}

zlay_status zl_chunks_path(const zl_chunks *c, zl_cover *out, zl_bound *bound)
{
    search s = {.c = c, .lines = c->count / ZL_LINE_CHUNKS, .left = ZL_SHAPE_STEPS,
                .walks = c->width == 1 && !c->t->tiled, .gapless = zl_chunks_gapless(c),
                .bound = bound};
    uint64_t room = s.lines + 1;
    *out = (zl_cover){0};
    s.at = zl_scratch(c->t->ctx, room, sizeof *s.at);
    s.far = zl_scratch(c->t->ctx, room, sizeof *s.far);
    s.need = zl_scratch(c->t->ctx, room, sizeof *s.need);
    zlay_status status = zl_bound_begin(bound, c);
    if (!status) status = s.at && s.far && s.need ? path_find(&s) : ZLAY_ENOMEM;
    if (!status) status = boxes_take(&s, &out->box, &out->boxes);
    if (!status) status = boxes_even(&s, out->box, out->boxes);
    if (!status) out->chunks = s.at[s.lines].chunks;
    return status;
}

/* Whether the proof holds for all copies: where holes may be written, not all copies are
 * searched. */
static bool all_searched(const zl_chunks *c, const zl_cover *cover)
{
    return !c->holes || c->t->request.keep_holes || (cover->boxes == 1 && cover->chunks == c->wanted);
}

zlay_status zl_chunks_cover(const zl_chunks *c, zl_cover *out)
{
    zl_bound bound;
    zl_cover other;
    zlay_status status = zl_chunks_path(c, out, &bound);
    if (status && status != ZLAY_NONE) return status;
    out->least = !status && (out->boxes == 1 || out->boxes == bound.boxes) && out->chunks == c->wanted;
    if (!out->least || (out->boxes > 1 && c->count <= ZL_PLACES_MOST)) {
        bool exact = out->least && zl_chunks_are_exact(c, out, &bound);
        zlay_status more = exact ? zl_chunks_exact(c, &other, out, &bound)
                                 : zl_chunks_places(c, &other, status ? NULL : out, &bound);
        if (more && (more == ZLAY_ENOMEM || status)) return more;
        if (more) zl_fail(c->t->ctx, ZLAY_OK, "%s", "");
        if (!more) {
            other.least |= out->least;
            *out = other;
        }
    }
    out->least = out->least && all_searched(c, out);
    return ZLAY_OK;
}
