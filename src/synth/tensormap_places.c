/* SPDX-License-Identifier: Apache-2.0 */
/* The least cover of places: boxes that each bring some chunks of a line, and together all.  Every
 * cover has a box over the first place that is left, so those are tried, with one box more from
 * round to round. */
#include "synth/tensormap_cover.h"

#include <string.h>

enum { WORDS = ZL_PLACES_MOST / 64, BOXES_MOST = 64, KNOWN_MOST = 3000 };
enum { READINGS_MOST = 512, NODES_MOST = 100000, OTHERS_MOST = 6000, SLOTS = 8192, ROOM_FIRST = 128 };

typedef struct places {
    uint64_t word[WORDS];
} places;

typedef struct known {
    places where;
    uint32_t chunks; /* that it writes */
    uint32_t wanted; /* of them those that the tile wants */
    uint64_t start, row, blocks;
    int32_t swizzle, slice;
    uint32_t level, pixels; /* pixels: of a walk */
} known;

/* Another box of the same places that writes no more. */
typedef struct other {
    known box;
    uint32_t of;
} other;

typedef struct search {
    const zl_chunks *c;
    uint32_t words;
    places want;
    known *box;
    other *other;
    uint32_t boxes, longest, others, box_room, other_room;
    uint16_t slot[SLOTS]; /* by a hash of its places: a box, plus 1 */
    bool small; /* few enough places, and not yet too many boxes */
    bool ended; /* not all walks of pixels were tried */
    bool memory_ended;
    uint8_t *reached; /* places that some box brings */
    places *near;     /* of each place: all that boxes bring with it */
    uint16_t *order;  /* places, those with few such first */
    uint64_t nodes;
    uint32_t chosen[BOXES_MOST], best[BOXES_MOST], best_boxes;
    uint64_t best_chunks; /* UINT64_MAX: no cover yet */
} search;

/* ---- boxes --------------------------------------------------------------------------------- */

static void reach(search *s, known *k, const zl_chain *h, uint64_t chunks)
{
    uint64_t span = zl_tm_span(h->swizzle) / ZL_CHUNK;
    for (uint64_t i = 0; i < chunks; i++) {
        uint64_t at = zl_chunk_place(h->start + i, h->swizzle);
        if (h->swizzle && !h->slice && i % span >= h->row) continue;
        if (at >= s->c->count || !s->c->there[at]) continue;
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
    zlay_allocator alloc = zl_allocator(s->c->t->ctx);
    if (count < *room) return at;
    if (next > most) next = most;
    void *more = next > *room ? zl_alloc(s->c->t->ctx, next, size) : NULL;
    s->memory_ended |= !more && next > *room;
    if (!more) return NULL;
    if (count) memcpy(more, at, count * size);
    zl_free(&alloc, at, *room * size);
    *room = next;
    return more;
}

/* Boxes of the same places are one, that which writes least; its likes are kept beside it. */
static void keep_like(search *s, uint32_t i, const known *k)
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

static uint32_t slot_of(const search *s, const places *where)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->words; i++) sum = (sum ^ where->word[i]) * 0x9e3779b97f4a7c15;
    return (uint32_t)(sum >> 32) % SLOTS;
}

static bool same_places(const search *s, const known *a, const known *b)
{
    return !memcmp(&a->where, &b->where, s->words * sizeof a->where.word[0]);
}

static void keep(search *s, const known *k)
{
    uint32_t at = slot_of(s, &k->where);
    for (; s->slot[at]; at = (at + 1) % SLOTS)
        if (same_places(s, &s->box[s->slot[at] - 1], k)) {
            keep_like(s, s->slot[at] - 1u, k);
            return;
        }
    known *more = room_for(s, s->box, s->boxes, &s->box_room, KNOWN_MOST, sizeof *more);
    s->small = more != NULL;
    if (!more) return;
    s->box = more;
    s->box[s->boxes++] = *k;
    s->slot[at] = (uint16_t)s->boxes;
    if (k->wanted > s->longest) s->longest = k->wanted;
}

static void chain_keep(void *env, const zl_chain *h)
{
    search *s = env;
    for (uint32_t i = 0; i < h->levels; i++)
        for (uint64_t n = i ? 2 : 1; n <= h->extent[i]; n++) {
            uint64_t chunks = n * h->unit[i];
            if (!zl_chain_legal(h, i, n)) continue;
            known k = {.chunks = (uint32_t)zl_chain_written(h, chunks), .start = h->start,
                       .row = h->row, .blocks = n, .swizzle = h->swizzle, .slice = h->slice,
                       .level = i};
            reach(s, &k, h, chunks);
            if (s->small) keep(s, &k);
        }
}

static void walk_keep(void *env, const zl_chain *h, uint64_t rows)
{
    search *s = env;
    zl_tm_box box;
    uint64_t pitch = h->swizzle ? zl_tm_span(h->swizzle) / ZL_CHUNK : h->row;
    if (!zl_columns_box(&box, h, rows) || !zl_chunks_legal(s->c, &box)) return;
    known k = {.chunks = (uint32_t)(rows * h->row), .start = h->start, .row = h->row,
               .swizzle = h->swizzle, .pixels = (uint32_t)rows};
    reach(s, &k, h, (rows - 1) * pitch + h->row);
    if (s->small) keep(s, &k);
}

/* ---- covers -------------------------------------------------------------------------------- */

typedef struct level {
    places have;
    uint64_t chunks;
    uint32_t next, left; /* the next box to try; places that are left */
    int32_t first;       /* place; -1: none is left */
} level;

static void level_begin(const search *s, level *l)
{
    l->next = 0;
    l->first = -1;
    l->left = 0;
    for (uint32_t w = s->words; w-- > 0;) {
        uint64_t rest = s->want.word[w] & ~l->have.word[w];
        l->left += (uint32_t)__builtin_popcountll(rest);
        if (rest) l->first = (int32_t)(64 * w) + __builtin_ctzll(rest);
    }
}

static bool brings(const known *k, int32_t place)
{
    return k->where.word[place / 64] >> place % 64 & 1;
}

/* What some box brings together with each place. */
static bool near_fill(search *s)
{
    s->near = zl_alloc(s->c->t->ctx, s->c->count, sizeof *s->near);
    for (uint32_t i = 0; s->near && i < s->boxes; i++)
        for (uint32_t w = 0; w < s->words; w++)
            for (uint64_t rest = s->box[i].where.word[w]; rest; rest &= rest - 1) {
                places *near = &s->near[64 * w + (uint32_t)__builtin_ctzll(rest)];
                for (uint32_t k = 0; k < s->words; k++) near->word[k] |= s->box[i].where.word[k];
            }
    return s->near;
}

static uint32_t near_count(const search *s, uint64_t place, const places *left)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < s->words; w++)
        count += (uint32_t)__builtin_popcountll(s->near[place].word[w] & left->word[w]);
    return count;
}

/* Places in the order of how few others come with them: those are counted first. */
static bool order_fill(search *s)
{
    s->order = zl_alloc(s->c->t->ctx, s->c->wanted, sizeof *s->order);
    uint16_t *count = zl_alloc(s->c->t->ctx, s->c->wanted, sizeof *count);
    uint32_t n = 0;
    for (uint64_t i = 0; s->order && count && i < s->c->count; i++) {
        if (!s->c->there[i]) continue;
        uint32_t k = n++, mine = near_count(s, i, &s->want);
        for (; k && count[k - 1] > mine; k--) {
            count[k] = count[k - 1];
            s->order[k] = s->order[k - 1];
        }
        count[k] = (uint16_t)mine;
        s->order[k] = (uint16_t)i;
    }
    zlay_allocator alloc = zl_allocator(s->c->t->ctx);
    zl_free(&alloc, count, s->c->wanted * sizeof *count);
    return s->order && n == s->c->wanted;
}

/* Places that are left of which no box brings two: each needs one of its own. */
static uint32_t boxes_least(const search *s, const places *have)
{
    places left;
    uint32_t count = 0;
    for (uint32_t w = 0; w < s->words; w++) left.word[w] = s->want.word[w] & ~have->word[w];
    for (uint64_t i = 0; i < s->c->wanted; i++) {
        uint32_t at = s->order[i];
        if (!(left.word[at / 64] >> at % 64 & 1)) continue;
        for (uint32_t w = 0; w < s->words; w++) left.word[w] &= ~s->near[at].word[w];
        count++;
    }
    return count;
}

/* The next box over the first place that is left which a better cover may have. */
static bool level_next(search *s, level *l, uint32_t rest)
{
    for (; l->next < s->boxes; l->next++) {
        const known *k = &s->box[l->next];
        if (!brings(k, l->first) || l->chunks + k->chunks >= s->best_chunks) continue;
        if (l->left > k->wanted + (uint64_t)(rest - 1) * s->longest) continue;
        return true;
    }
    return false;
}

static void level_add(const search *s, level *to, const level *from, const known *k)
{
    for (uint32_t w = 0; w < s->words; w++)
        to->have.word[w] = from->have.word[w] | k->where.word[w];
    to->chunks = from->chunks + k->chunks;
    level_begin(s, to);
}

static void judge(search *s, const level *l, uint32_t depth)
{
    if (l->first >= 0 || l->chunks >= s->best_chunks) return;
    s->best_chunks = l->chunks;
    s->best_boxes = depth;
    memcpy(s->best, s->chosen, depth * sizeof *s->best);
}

/* All covers by so many boxes; false: the nodes ran out. */
static bool covers(search *s, level *stack, uint32_t boxes)
{
    uint32_t depth = 0;
    stack[0] = (level){0};
    level_begin(s, &stack[0]);
    for (;;) {
        level *l = &stack[depth];
        bool more = l->first >= 0 && depth < boxes && level_next(s, l, boxes - depth);
        if (!more) judge(s, l, depth);
        if (!more && !depth) return true;
        if (!more) {
            depth--;
            continue;
        }
        if (++s->nodes > NODES_MOST) return false;
        s->chosen[depth] = l->next++;
        level_add(s, &stack[depth + 1], l, &s->box[s->chosen[depth]]);
        if (depth + 1 + boxes_least(s, &stack[depth + 1].have) <= boxes) depth++;
    }
}

/* Rounds of one box more, up to as many as are known to do. */
static bool rounds(search *s, level *stack, const zl_cover *than)
{
    uint32_t most = than && than->boxes < BOXES_MOST ? than->boxes : BOXES_MOST - 1;
    uint32_t boxes = (uint32_t)((s->c->wanted + s->longest - 1) / s->longest);
    static const places none;
    if (boxes < boxes_least(s, &none)) boxes = boxes_least(s, &none);
    for (; boxes <= most; boxes++) {
        if (than && boxes == than->boxes) s->best_chunks = than->chunks + 1;
        if (!covers(s, stack, boxes)) return false;
        if (s->best_boxes) return true;
    }
    return than != NULL;
}

/* ---- answers ------------------------------------------------------------------------------- */

/* A cell that no box brings. */
static zlay_status unreached(const search *s)
{
    const zl_chunks *c = s->c;
    for (uint64_t i = 0; i < c->cells; i++) {
        if (c->t->defined && !c->t->defined[i]) continue;
        if (s->reached[(uint64_t)c->shared[i] * c->t->element / ZL_CHUNK]) continue;
        if (c->holes && !c->t->request.keep_holes)
            return zl_fail(c->t->ctx, ZLAY_ELIMIT,
                           "smem: it has holes, and copies that begin with one are not searched; "
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

static void box_take(const search *s, const known *k, zl_tm_box *out)
{
    zl_chain h = {.c = s->c, .start = k->start, .swizzle = k->swizzle, .row = k->row,
                  .slice = k->slice};
    if (k->pixels) {
        zl_columns_box(out, &h, k->pixels);
        return;
    }
    zl_chain_make(&h);
    zl_chain_box(out, &h, k->level, k->blocks);
}

/* The best cover's box of whose places a like has them, which writes no more; -1: none. */
static int32_t like_of(const search *s, const other *like)
{
    for (uint32_t i = 0; i < s->best_boxes; i++)
        if (like->of == s->best[i])
            return like->box.chunks == s->box[like->of].chunks ? (int32_t)i : -1;
    return -1;
}

/* The chosen boxes and all their likes; without `out` how many. */
static uint32_t readings_take(const search *s, zl_reading *out)
{
    uint32_t count = 0;
    for (; count < s->best_boxes; count++) {
        if (!out) continue;
        out[count].of = count;
        box_take(s, &s->box[s->best[count]], &out[count].box);
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
    zlay_allocator alloc = zl_allocator(ctx);
    uint32_t count = readings_take(s, NULL);
    zl_tm_box *box = zl_alloc(ctx, s->best_boxes, sizeof *box);
    zl_reading *reading = zl_alloc(ctx, count, sizeof *reading);
    if (box && reading) {
        readings_take(s, reading);
        zl_readings_share(s->c->t, box, s->best_boxes, reading, count);
        *out = (zl_cover){box, s->best_boxes, s->best_chunks, false};
    } else zl_free(&alloc, box, s->best_boxes * sizeof *box);
    bool done = box && reading;
    zl_free(&alloc, reading, count * sizeof *reading);
    return done ? ZLAY_OK : ZLAY_ENOMEM;
}

static zlay_status copy_of(const zl_chunks *c, zl_cover *out, const zl_cover *than)
{
    *out = *than;
    out->box = zl_alloc(c->t->ctx, than->boxes, sizeof *out->box);
    if (!out->box) return ZLAY_ENOMEM;
    memcpy(out->box, than->box, than->boxes * sizeof *out->box);
    return ZLAY_OK;
}

static zlay_status ended(const search *s)
{
    return zl_fail(s->c->t->ctx, ZLAY_ELIMIT,
                   "tile: each of its places is brought by some copy, but the search for copies "
                   "that bring all of them ended (%u known, %llu tried)",
                   s->boxes, (unsigned long long)s->nodes);
}

static zlay_status search_run(search *s, zl_cover *out, const zl_cover *than)
{
    level *stack = NULL;
    zlay_allocator alloc = zl_allocator(s->c->t->ctx);
    zlay_status status;
    for (uint64_t line = 0; line < s->c->count / ZL_LINE_CHUNKS; line++) {
        zl_chunks_chains(s->c, line, true, chain_keep, s);
        zl_chunks_columns(s->c, line, walk_keep, s, &s->ended);
    }
    if (s->memory_ended) return ZLAY_ENOMEM;
    if ((status = unreached(s))) return status;
    if (!s->small) return ended(s);
    stack = zl_alloc(s->c->t->ctx, BOXES_MOST + 1, sizeof *stack);
    if (!stack || !near_fill(s) || !order_fill(s)) {
        zl_free(&alloc, stack, (BOXES_MOST + 1) * sizeof *stack);
        return ZLAY_ENOMEM;
    }
    bool all = rounds(s, stack, than);
    zl_free(&alloc, stack, (BOXES_MOST + 1) * sizeof *stack);
    if (!s->best_boxes && !(all && than)) return ended(s);
    status = s->best_boxes ? boxes_take(s, out) : copy_of(s->c, out, than);
    out->least = all && !s->ended;
    return status;
}

static void want_fill(search *s)
{
    s->words = (uint32_t)((s->c->count + 63) / 64);
    for (uint64_t i = 0; i < s->c->count; i++)
        if (s->c->there[i]) s->want.word[i / 64] |= (uint64_t)1 << i % 64;
}

zlay_status zl_chunks_places(const zl_chunks *c, zl_cover *out, const zl_cover *than)
{
    search *s;
    zlay_allocator alloc = zl_allocator(c->t->ctx);
    bool small = c->count <= ZL_PLACES_MOST;
    if (!small && than) return ZLAY_ELIMIT;
    s = zl_alloc(c->t->ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    s->c = c;
    s->small = small;
    s->best_chunks = UINT64_MAX;
    if (small) want_fill(s);
    s->reached = zl_alloc(c->t->ctx, c->count, 1);
    zlay_status status = s->reached ? search_run(s, out, than) : ZLAY_ENOMEM;
    zl_free(&alloc, s->box, s->box_room * sizeof *s->box);
    zl_free(&alloc, s->other, s->other_room * sizeof *s->other);
    zl_free(&alloc, s->reached, c->count);
    zl_free(&alloc, s->near, c->count * sizeof *s->near);
    zl_free(&alloc, s->order, c->wanted * sizeof *s->order);
    zl_free(&alloc, s, sizeof *s);
    return status;
}
