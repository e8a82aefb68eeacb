/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the least cover of a tile by boxes that may bring parts of lines. It collects all boxes of
 * the tile, tiled, interleaved and im2col, as sets of places, keeps one box for each set, and asks
 * for the fewest sets (fewest.h); other boxes of the same set are kept so that copies can share
 * maps (share.c). It is used where the tile has at most 1024 chunks, or to improve on a cover that
 * is known. */
#include "synth/tensormap/several/fewest.h"

#include <string.h>

enum { KNOWN_MOST = 8000, OTHERS_MOST = 16000, READINGS_MOST = 512, SLOTS = 16384, ROOM_FIRST = 128 };

/* Another box of the same places that writes no more. */
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
    uint16_t slot[SLOTS]; /* by a hash of its places: a box, plus 1 */
    bool small; /* few enough places, and not yet too many boxes */
    bool ended; /* not all walks of pixels were tried */
    bool shapes_ended; /* nor all boxes over holes */
    uint64_t left;     /* steps of the search for these */
    bool memory_ended;
    uint8_t *reached; /* places that some box brings */
    uint64_t known;   /* how many */
    zl_fewest fewest;
} search;

/* ---- boxes --------------------------------------------------------------------------------- */

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

/* Room for one more of `count`; NULL: no memory, or already `most`. */
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

/* Boxes of the same places are one, that which writes least; its likes are kept beside it. */
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

static void keep(search *s, const zl_known *k)
{
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
    zl_known k = {.chunks = (uint32_t)zl_chain_written(h, chunks), .start = h->start,
                  .row = h->row, .blocks = blocks, .swizzle = h->swizzle, .slice = h->slice,
                  .level = level};
    if (!zl_chain_legal(h, level, blocks)) return;
    memcpy(k.shape, h->shape, sizeof k.shape);
    reach(s, &k, h, chunks);
    if (s->small) keep(s, &k);
}

/* Of a tile with too many places to search covers it is only asked which of them are reached: what the
 * longest box of a level brings, shorter ones bring in part. */
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
    for (uint32_t i = 0; i < h->levels && s->small; i++)
        for (uint64_t n = i ? 2 : 1; n <= h->extent[i]; n++) length_keep(env, h, i, n);
}

/* Whether a block more brings something that is wanted. */
static bool block_brings(const zl_chain *h, uint32_t level, uint64_t block)
{
    uint64_t unit = h->unit[level];
    for (uint64_t i = block * unit; i < (block + 1) * unit; i++) {
        uint64_t at = zl_chunk_place(h->start + i, h->swizzle);
        if (at < h->c->count && h->c->there[at]) return true;
    }
    return false;
}

/* Of boxes over holes those that end with a block that brings something. */
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
    zl_known k = {.chunks = (uint32_t)(rows * h->row), .start = h->start, .row = h->row,
               .swizzle = h->swizzle, .pixels = (uint32_t)rows};
    reach(s, &k, h, zl_columns_chunks(h, rows));
    if (s->small) keep(s, &k);
}

/* The longest walk, and those that end with a line before it. */
static void walk_keep(void *env, const zl_chain *h)
{
    search *s = env;
    uint64_t most = zl_columns_rows(h, 0, &s->ended);
    for (uint64_t rows = 2; rows <= most; rows++)
        if (rows == most || zl_columns_ends(h, rows)) rows_keep(s, h, rows);
}

/* ---- answers ------------------------------------------------------------------------------- */

/* A cell that no box brings. */
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

static void box_take(const search *s, const zl_known *k, zl_tm_box *out)
{
    zl_chain h = {.c = s->c, .start = k->start, .swizzle = k->swizzle, .row = k->row,
                  .slice = k->slice};
    if (k->pixels) {
        zl_columns_box(out, &h, k->pixels);
        return;
    }
    memcpy(h.shape, k->shape, sizeof h.shape);
    if (h.shape[0]) zl_chain_shape(&h);
    else zl_chain_make(&h);
    zl_chain_box(out, &h, k->level, k->blocks);
}

/* The best cover's box of whose places a like has them, which writes no more; -1: none. */
static int32_t like_of(const search *s, const other *like)
{
    for (uint32_t i = 0; i < s->fewest.best_boxes; i++)
        if (like->of == s->fewest.best[i])
            return like->box.chunks == s->box[like->of].chunks ? (int32_t)i : -1;
    return -1;
}

/* The chosen boxes and all their likes; without `out` how many. */
static uint32_t readings_take(const search *s, zl_reading *out)
{
    uint32_t count = 0;
    for (; count < s->fewest.best_boxes; count++) {
        if (!out) continue;
        out[count].of = count;
        box_take(s, &s->box[s->fewest.best[count]], &out[count].box);
    }
    for (uint32_t k = 0; k < s->others && count < READINGS_MOST; k++) {
        int32_t of = like_of(s, &s->other[k]);
        if (of < 0) continue;
        if (out) out[count].of = (uint32_t)of;
        if (out) box_take(s, &s->other[k].box, &out[count].box);
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
    for (uint64_t i = 0; i < c->count; i++)
        if (c->there[i]) f->want.word[i / 64] |= (uint64_t)1 << i % 64;
    return zl_fewest_find(f);
}

static zlay_status search_run(search *s, zl_cover *out, const zl_cover *than)
{
    zlay_status status;
    for (uint64_t line = 0; line < s->c->count / ZL_LINE_CHUNKS; line++) {
        if (!s->small && s->known == s->c->wanted) break;
        zl_chunks_chains(s->c, line, ZL_LINE_CHUNKS, chain_keep, s);
        if (zl_chunks_over_holes(s->c) && !zl_chunks_wanted(s->c, line)) s->shapes_ended = true;
        else if (zl_chunks_over_holes(s->c))
            zl_chunks_shapes(s->c, line, shape_keep, s, &s->left, &s->shapes_ended);
        zl_chunks_columns(s->c, line, true, walk_keep, s);
    }
    if (s->memory_ended) return ZLAY_ENOMEM;
    if ((status = unreached(s))) return status;
    if (!s->small) return ended(s);
    if ((status = cover_find(s, than))) return status;
    if (!s->fewest.best_boxes && !(s->fewest.all && than)) return ended(s);
    if (!s->fewest.best_boxes) *out = *than;
    else if ((status = boxes_take(s, out))) return status;
    out->least = s->fewest.all && !s->ended && !s->shapes_ended;
    return ZLAY_OK;
}

zlay_status zl_chunks_places(const zl_chunks *c, zl_cover *out, const zl_cover *than, uint64_t fewest)
{
    bool small = c->count <= ZL_PLACES_MOST;
    if (!small && than) return ZLAY_ELIMIT;
    search *s = zl_scratch(c->t->ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    s->c = c;
    s->small = small;
    s->left = ZL_SHAPE_STEPS;
    s->fewest.least = (uint32_t)fewest;
    s->words = small ? (uint32_t)((c->count + 63) / 64) : 0;
    s->reached = zl_scratch(c->t->ctx, c->count, 1);
    return s->reached ? search_run(s, out, than) : ZLAY_ENOMEM;
}
