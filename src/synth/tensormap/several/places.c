/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the least cover of a tile by boxes that may bring parts of lines. It collects all boxes of
 * the tile, tiled, interleaved and im2col, as sets of places, keeps one box for each set, and
 * finds the fewest sets that cover all places (fewest.h). Other boxes of the same set are kept
 * too, so that copies can share maps (share.c). A tile of more than 1024 chunks is only searched
 * for a byte that no box brings. */
#include "synth/tensormap/several/fewest.h"

#include <string.h>

enum { KNOWN_MOST = 8000, OTHERS_MOST = 16000, READINGS_MOST = 512, SLOTS = 16384, ROOM_FIRST = 128 };

/* Another box of the same places, which writes as much. */
typedef struct other {
    zl_known box;
    uint32_t of;
} other;

typedef struct search {
    const zl_chunks *c;
    uint32_t words;
    zl_known *box;
    other *other;
    uint32_t boxes, longest, others, box_room, other_room;
    uint16_t slot[SLOTS]; /* a hash table of boxes by their places: box + 1 */
    bool small; /* few enough places, and not yet too many boxes */
    bool ended; /* not all walks of pixels were tried */
    bool shapes_ended; /* nor all boxes over holes */
    bool gaps_ended;   /* nor all boxes of narrow rows */
    uint64_t left;     /* steps of the search for these */
    bool memory_ended;
    uint8_t *reached; /* places that some box brings */
    uint64_t known;   /* how many */
    const zl_bound *bound; /* of a cover of as many boxes as the least, which is known; else NULL */
    zl_beginning begin;    /* what such a cover asks of boxes that begin at the line; 0: nothing */
    zl_fewest fewest;
} search;

/* ---- boxes --------------------------------------------------------------------------------- */

/* Records the places that a box brings. */
static void reach(search *s, zl_known *k, const zl_chain *h, uint64_t chunks)
{
    uint64_t span = zl_tm_span(h->swizzle) / ZL_CHUNK;
    for (uint64_t i = 0; i < chunks; i++) {
        uint64_t at = zl_chunk_place(h->start + i, h->swizzle);
        if (h->swizzle && !h->slice && i % span >= h->row) continue;
        if (at >= s->c->count || !s->c->there[at]) continue;
        s->known += !s->reached[at];
        s->reached[at] = 1;
        k->wanted++;
        if (s->small) k->where.word[at / 64] |= (uint64_t)1 << at % 64;
    }
}

/* An array with room for one more entry than `count`; NULL: no memory, or `most` is reached. */
static void *room_for(search *s, void *at, uint32_t count, uint32_t *room, uint32_t most,
                      size_t size)
{
    uint32_t next = *room ? 2 * *room : ROOM_FIRST;
    if (count < *room) return at;
    if (next > most) next = most;
    void *more = next > *room ? zl_scratch(s->c->t->ctx, next, size) : NULL;
    s->memory_ended |= !more && next > *room;
    if (!more) return NULL;
    if (count) memcpy(more, at, count * size);
    *room = next;
    return more;
}

/* Of boxes with the same places, keeps the one that writes least; others that write as much are
 * kept beside it. */
static void keep_like(search *s, uint32_t i, const zl_known *k)
{
    other *more;
    if (k->chunks < s->box[i].chunks) s->box[i] = *k;
    else if (k->chunks == s->box[i].chunks) {
        more = room_for(s, s->other, s->others, &s->other_room, OTHERS_MOST, sizeof *more);
        if (!more) return;
        s->other = more;
        more[s->others++] = (other){*k, i};
    }
}

static bool same_places(const search *s, const zl_known *a, const zl_known *b)
{
    return !memcmp(&a->where, &b->where, s->words * sizeof a->where.word[0]);
}

/* Whether a box brings all that a least cover asks of one that begins at its line. */
static bool brings_line(const search *s, const zl_known *k)
{
    uint64_t at = s->begin.line * ZL_LINE_CHUNKS, word = at / 64;
    uint64_t line = (uint64_t)0xff << at % 64;
    return !s->bound || !(s->fewest.want.word[word] & ~k->where.word[word] & line);
}

static void keep(search *s, const zl_known *k)
{
    if (!brings_line(s, k)) return;
    uint32_t at = zl_places_hash(&k->where, s->words) % SLOTS;
    for (; s->slot[at]; at = (at + 1) % SLOTS)
        if (same_places(s, &s->box[s->slot[at] - 1], k)) {
            keep_like(s, s->slot[at] - 1u, k);
            return;
        }
    zl_known *more = room_for(s, s->box, s->boxes, &s->box_room, KNOWN_MOST, sizeof *more);
    s->small = more != NULL;
    if (!more) return;
    s->box = more;
    s->box[s->boxes++] = *k;
    s->slot[at] = (uint16_t)s->boxes;
    if (k->wanted > s->longest) s->longest = k->wanted;
}

static void length_keep(search *s, const zl_chain *h, uint32_t level, uint64_t blocks)
{
    uint64_t chunks = blocks * h->unit[level];
    zl_known k = {.chunks = (uint32_t)zl_chain_written(h, chunks),
                  .box = {.start = h->start, .row = h->row, .blocks = blocks,
                          .swizzle = h->swizzle, .slice = h->slice, .level = level,
                          .gaps = h->gaps}};
    if (!zl_chain_legal(h, level, blocks)) return;
    memcpy(k.box.shape, h->shape, sizeof k.box.shape);
    reach(s, &k, h, chunks);
    if (s->small) keep(s, &k);
}

/* Where the tile has too many places to search covers, only the places that are reached are
 * recorded; the longest box of a level brings all that shorter ones bring. */
static void longest_reach(search *s, const zl_chain *h, uint32_t level)
{
    zl_known none = {0};
    uint64_t blocks = zl_chain_longest(h, level);
    if (blocks) reach(s, &none, h, blocks * h->unit[level]);
}

static void chain_keep(void *env, const zl_chain *h)
{
    search *s = env;
    for (uint32_t i = 0; i < h->levels && !s->small; i++) longest_reach(s, h, i);
    for (uint32_t i = 0; i < h->levels && s->small; i++) {
        uint64_t least = (s->begin.chunks + h->unit[i] - 1) / h->unit[i], from = i ? 2 : 1;
        for (uint64_t n = least > from ? least : from; n <= h->extent[i]; n++)
            length_keep(env, h, i, n);
    }
}

/* Whether a block brings something that the tile wants. */
static bool block_brings(const zl_chain *h, uint32_t level, uint64_t block)
{
    uint64_t unit = h->unit[level];
    for (uint64_t i = block * unit; i < (block + 1) * unit; i++) {
        uint64_t at = zl_chunk_place(h->start + i, h->swizzle);
        if (at < h->c->count && h->c->there[at]) return true;
    }
    return false;
}

/* Keeps the boxes over holes whose last block brings something. */
static void shape_keep(void *env, const zl_chain *h)
{
    search *s = env;
    uint32_t level = h->levels - 1;
    if (!s->small) longest_reach(s, h, level);
    for (uint64_t n = level ? 2 : h->extent[0]; n <= h->extent[level] && s->small; n++)
        if (block_brings(h, level, n - 1)) length_keep(env, h, level, n);
}

static void rows_keep(search *s, const zl_chain *h, uint64_t rows)
{
    zl_tm_box box;
    if (!zl_columns_box(&box, h, rows) || !zl_chunks_legal(s->c, &box)) return;
    zl_known k = {.chunks = (uint32_t)(rows * h->row),
                  .box = {.start = h->start, .row = h->row, .swizzle = h->swizzle,
                          .pixels = (uint32_t)rows}};
    reach(s, &k, h, zl_columns_chunks(h, rows));
    if (s->small) keep(s, &k);
}

/* Keeps the longest walk, and the shorter ones that end with a line. */
static void walk_keep(void *env, const zl_chain *h)
{
    search *s = env;
    uint64_t least = zl_columns_least(h, s->begin.chunks);
    uint64_t most = zl_columns_rows(h, least, &s->ended);
    for (uint64_t rows = least; rows <= most; rows++)
        if (rows == most || zl_columns_ends(h, rows)) rows_keep(s, h, rows);
}

/* ---- answers ------------------------------------------------------------------------------- */

/* Checks that some box brings each cell; otherwise says which cell none brings, and whether that is
 * proved. */
static zlay_status unreached(const search *s)
{
    const zl_chunks *c = s->c;
    uint64_t left = ZL_SHAPE_STEPS;
    for (uint64_t i = 0; i < c->cells; i++) {
        if (c->t->defined && !c->t->defined[i]) continue;
        if (s->reached[(uint64_t)c->shared[i] * c->t->element / ZL_CHUNK]) continue;
        uint64_t chunk = (uint64_t)c->shared[i] * c->t->element / ZL_CHUNK;
        bool columns = c->width == 1 && c->slices;
        if (c->holes && !c->keep && (columns || !zl_chunks_no_shape(c, chunk, &left)))
            return zl_fail(c->t->ctx, ZLAY_ELIMIT,
                           "smem: it has holes, and not all copies over holes were tried; "
                           "no other brings byte %llu of the tile; keep_holes leaves them out",
                           (unsigned long long)(i * c->t->element));
        if (s->ended)
            return zl_fail(c->t->ctx, ZLAY_ELIMIT,
                           "tile: not all im2col walks were tried; no other copy brings byte %llu",
                           (unsigned long long)(i * c->t->element));
        if (c->t->spread)
            return zl_fail(c->t->ctx, ZLAY_NONE,
                           "TMAP_BOX0_128: byte %llu of the tile: a row of a packed type is 128 "
                           "values, from 32 bytes on to 128 bytes, and none brings it",
                           (unsigned long long)i);
        return zl_fail(c->t->ctx, ZLAY_NONE,
                       "COPY_SMEM_128: byte %llu of the tile: a copy begins on 128 bytes of "
                       "shared memory, and none that does brings it",
                       (unsigned long long)(i * c->t->element));
    }
    return ZLAY_OK;
}

/* The box of the best cover that another box can replace; -1: none. */
static int32_t like_of(const search *s, const other *like)
{
    for (uint32_t i = 0; i < s->fewest.best_boxes; i++)
        if (like->of == s->fewest.best[i])
            return like->box.chunks == s->box[like->of].chunks ? (int32_t)i : -1;
    return -1;
}

/* Lists the chosen boxes and all that can replace them; counts them where `out` is NULL. */
static uint32_t readings_take(const search *s, zl_reading *out)
{
    uint32_t count = 0;
    for (; count < s->fewest.best_boxes; count++) {
        if (!out) continue;
        out[count].of = count;
        zl_length_box(&out[count].box, s->c, &s->box[s->fewest.best[count]].box);
    }
    for (uint32_t k = 0; k < s->others && count < READINGS_MOST; k++) {
        int32_t of = like_of(s, &s->other[k]);
        if (of < 0) continue;
        if (out) out[count].of = (uint32_t)of;
        if (out) zl_length_box(&out[count].box, s->c, &s->other[k].box.box);
        count++;
    }
    return count;
}

static zlay_status boxes_take(const search *s, zl_cover *out)
{
    zlay_ctx *ctx = s->c->t->ctx;
    uint32_t count = readings_take(s, NULL);
    zl_tm_box *box = zl_scratch(ctx, s->fewest.best_boxes, sizeof *box);
    zl_reading *reading = zl_scratch(ctx, count, sizeof *reading);
    if (!box || !reading) return ZLAY_ENOMEM;
    readings_take(s, reading);
    *out = (zl_cover){box, s->fewest.best_boxes, s->fewest.best_chunks, false};
    return zl_readings_share(s->c->t, box, s->fewest.best_boxes, reading, count);
}

static zlay_status ended(const search *s)
{
    return zl_fail(s->c->t->ctx, ZLAY_ELIMIT,
                   "tile: each of its places is brought by some copy, but the search for copies "
                   "that bring all of them ended (%u known, %llu tried)",
                   s->boxes, (unsigned long long)s->fewest.nodes);
}

static zlay_status cover_find(search *s, const zl_cover *than)
{
    const zl_chunks *c = s->c;
    zl_fewest *f = &s->fewest;
    f->ctx = c->t->ctx;
    f->box = s->box;
    f->boxes = s->boxes;
    f->longest = s->longest;
    f->words = s->words;
    f->places = (uint32_t)c->count;
    f->wanted = (uint32_t)c->wanted;
    f->than = than;
    bool firm = zl_chunks_gapless(c);
    for (uint64_t line = 0; firm && line < c->count / ZL_LINE_CHUNKS; line++) {
        uint64_t at = line * ZL_LINE_CHUNKS + zl_chunk_firm(line);
        f->firm.word[at / 64] |= (uint64_t)1 << at % 64;
    }
    return zl_fewest_find(f);
}

/* Whether the tile wants all chunks of a line: then rows narrower than a swizzle's span do not
 * bring it. */
static bool line_full(const zl_chunks *c, uint64_t line)
{
    for (uint64_t i = 0; i < ZL_LINE_CHUNKS; i++)
        if (!c->there[line * ZL_LINE_CHUNKS + i]) return false;
    return true;
}

/* All boxes that begin at a line, or those that a least cover may have. */
static void line_collect(search *s, uint64_t line)
{
    const zl_chunks *c = s->c;
    if (s->bound) zl_bound_from(s->bound, c, line, &s->begin);
    if (s->bound && !s->begin.may) return;
    bool narrow = !s->bound || !line_full(c, s->begin.line);
    zl_chunks_chains(c, line, narrow ? ZL_LINE_CHUNKS : 0, chain_keep, s);
    if (zl_chunks_over_holes(c) && !zl_chunks_wanted(c, line)) s->shapes_ended = true;
    else if (zl_chunks_over_holes(c))
        zl_chunks_shapes(c, line, shape_keep, s, &s->left, &s->shapes_ended);
    zl_chunks_columns(c, line, narrow ? ZL_WIDTHS_ALL : ZL_WIDTHS_SPAN, walk_keep, s);
}

/* The boxes of narrow rows that are left. */
static void gaps_collect(search *s, uint64_t line)
{
    const zl_chunks *c = s->c;
    if (s->bound) zl_bound_from(s->bound, c, line, &s->begin);
    if (s->bound && (!s->begin.may || line_full(c, s->begin.line))) return;
    zl_chunks_gaps(c, line, ZL_LINE_CHUNKS, chain_keep, s);
}

/* Whether boxes bring all places is decided here only where no cover is known. */
static zlay_status search_run(search *s, zl_cover *out, const zl_cover *than)
{
    zlay_status status;
    for (uint64_t line = 0; line < s->c->count / ZL_LINE_CHUNKS; line++) {
        if (!s->small && s->known == s->c->wanted) break;
        line_collect(s, line);
    }
    bool small = s->small;
    for (uint64_t line = 0; s->small && line < s->c->count / ZL_LINE_CHUNKS; line++)
        gaps_collect(s, line);
    s->gaps_ended = s->small != small;
    s->small = small;
    if (s->memory_ended) return ZLAY_ENOMEM;
    if (!s->bound && (status = unreached(s))) return status;
    if (!s->small) return ended(s);
    if ((status = cover_find(s, than))) return status;
    if (!s->fewest.best_boxes && !(s->fewest.all && than)) return ended(s);
    if (!s->fewest.best_boxes) *out = *than;
    else if ((status = boxes_take(s, out))) return status;
    bool sure = out->boxes == s->fewest.sure && out->chunks == s->c->wanted;
    out->least = s->fewest.all && !s->ended && !s->shapes_ended && (sure || !s->gaps_ended);
    return ZLAY_OK;
}

zlay_status zl_chunks_places(const zl_chunks *c, zl_cover *out, const zl_cover *than,
                             const zl_bound *bound)
{
    bool small = c->count <= ZL_PLACES_MOST;
    if (!small && than) return ZLAY_ELIMIT;
    search *s = zl_scratch(c->t->ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    s->c = c;
    s->small = small;
    s->left = ZL_SHAPE_STEPS;
    s->bound = than && than->boxes == bound->boxes ? bound : NULL;
    s->fewest.least = (uint32_t)bound->boxes;
    s->words = small ? (uint32_t)((c->count + 63) / 64) : 0;
    for (uint64_t i = 0; small && i < c->count; i++)
        if (c->there[i]) s->fewest.want.word[i / 64] |= (uint64_t)1 << i % 64;
    s->reached = zl_scratch(c->t->ctx, c->count, 1);
    return s->reached ? search_run(s, out, than) : ZLAY_ENOMEM;
}
