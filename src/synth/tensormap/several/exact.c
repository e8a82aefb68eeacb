/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the least covers of a tile that wants every chunk of its lines, where the bound of bound.c
 * proves that no cover has fewer boxes than a known one.
 *
 * Such a cover, if it writes each chunk once, is a path over the lines. Each of its boxes brings a
 * whole line, so its rows have no gaps. A box that ends inside a line would leave the rest to a box
 * that begins at that line and brings it whole; both would write its first part. So boxes end with
 * lines, and only boxes that begin where others end are collected. The first such path is taken; all
 * boxes between its lines are readings of its copies, so that copies can share maps (share.c). */
#include "synth/tensormap/several/fewest.h"

#include <string.h>

enum { READINGS_MOST = 512, ROOM_FIRST = 128 };

/* A box from a line to the end of another. */
typedef struct edge {
    zl_length box;
    uint32_t to;
} edge;

typedef struct search {
    const zl_chunks *c;
    uint64_t least; /* chunks of a box from the line */
    edge *edge;
    uint32_t edges, room;
    uint32_t *first; /* edges of the lines before each */
    uint8_t *begins; /* lines where some box begins */
    uint8_t *leads;  /* lines from which a path leads to the end */
    bool ended;      /* memory did */
} search;

static void keep(search *s, const zl_length *box, uint64_t chunks)
{
    uint64_t end = box->start + chunks;
    if (s->edges == s->room) {
        uint32_t room = s->room ? 2 * s->room : ROOM_FIRST;
        edge *more = zl_scratch_plain(s->c->t->ctx, room, sizeof *more);
        s->ended |= !more;
        if (!more) return;
        if (s->edges) memcpy(more, s->edge, s->edges * sizeof *more);
        s->edge = more;
        s->room = room;
    }
    s->edge[s->edges++] = (edge){*box, (uint32_t)(end / ZL_LINE_CHUNKS)};
    s->begins[end / ZL_LINE_CHUNKS] = 1;
}

static void chain_keep(void *env, const zl_chain *h)
{
    search *s = env;
    for (uint32_t i = 0; i < h->levels; i++) {
        uint64_t unit = h->unit[i], from = i ? 2 : 1, least = (s->least + unit - 1) / unit;
        for (uint64_t n = least > from ? least : from; n <= h->extent[i]; n++) {
            if (n * unit % ZL_LINE_CHUNKS || !zl_chain_legal(h, i, n)) continue;
            zl_length box = {.start = h->start, .row = h->row, .blocks = n, .swizzle = h->swizzle,
                             .slice = h->slice, .level = i};
            keep(s, &box, n * unit);
        }
    }
}

/* Keeps the box of a walk, which ends with a line, if it is legal. */
static void pixels_keep(void *env, const zl_chain *h, const zl_tm_box *box)
{
    search *s = env;
    if (!zl_chunks_legal(s->c, box)) return;
    zl_length length = {.start = h->start, .row = h->row, .swizzle = h->swizzle,
                        .pixels = box->pixels};
    keep(s, &length, zl_columns_chunks(h, box->pixels));
}

/* All walks that end with a line, from the shortest on: a part of a walk from its beginning is one. */
static void walk_keep(void *env, const zl_chain *h)
{
    search *s = env;
    uint64_t by = zl_columns_line(h), least = zl_columns_least(h, s->least);
    zl_columns_boxes(h, (least + by - 1) / by * by, by, pixels_keep, s);
}

/* All boxes that begin where others end, in order. */
static void edges_find(search *s, const zl_bound *b)
{
    s->begins[0] = 1;
    for (uint64_t line = 0; line < b->lines && !s->ended; line++) {
        zl_beginning begin;
        s->first[line] = s->edges;
        if (!s->begins[line]) continue;
        zl_bound_from(b, s->c, line, &begin);
        if (!begin.may) continue;
        s->least = begin.chunks;
        zl_chunks_chains(s->c, line, 0, chain_keep, s);
        zl_chunks_columns(s->c, line, ZL_WIDTHS_SPAN, walk_keep, s);
    }
    s->first[b->lines] = s->edges;
}

static void ways_find(search *s, uint64_t lines)
{
    s->leads[lines] = 1;
    for (uint64_t line = lines; line-- > 0;)
        for (uint32_t k = s->first[line]; k < s->first[line + 1]; k++)
            s->leads[line] |= s->leads[s->edge[k].to];
}

/* The first edge of each line of the path, then the others of the same lines; without `out` how
 * many. */
static uint32_t readings_take(const search *s, uint32_t boxes, zl_reading *out)
{
    uint32_t count = boxes, of = 0;
    for (uint64_t line = 0; of < boxes; of++) {
        uint32_t k = s->first[line], end = s->first[line + 1];
        while (!s->leads[s->edge[k].to]) k++;
        line = s->edge[k].to;
        if (out) out[of].of = of;
        if (out) zl_length_box(&out[of].box, s->c, &s->edge[k].box);
        for (k++; k < end && count < READINGS_MOST; k++) {
            if (s->edge[k].to != line) continue;
            if (out) out[count].of = of;
            if (out) zl_length_box(&out[count].box, s->c, &s->edge[k].box);
            count++;
        }
    }
    return count;
}

static zlay_status boxes_take(const search *s, zl_cover *out, const zl_cover *than)
{
    zlay_ctx *ctx = s->c->t->ctx;
    uint32_t count = readings_take(s, than->boxes, NULL);
    zl_tm_box *box = zl_scratch(ctx, than->boxes, sizeof *box);
    zl_reading *reading = zl_scratch_plain(ctx, count, sizeof *reading);
    if (!box || !reading) return ZLAY_ENOMEM;
    readings_take(s, than->boxes, reading);
    *out = (zl_cover){box, than->boxes, than->chunks, true};
    return zl_readings_share(s->c->t, box, than->boxes, reading, count);
}

bool zl_chunks_are_exact(const zl_chunks *c, const zl_cover *than, const zl_bound *bound)
{
    return c->wanted == c->count && than->chunks == c->count && than->boxes == bound->boxes &&
           than->boxes < ZL_FEWEST_MOST;
}

zlay_status zl_chunks_exact(const zl_chunks *c, zl_cover *out, const zl_cover *than,
                            const zl_bound *bound)
{
    search s = {.c = c};
    uint64_t room = bound->lines + 1;
    s.first = zl_scratch(c->t->ctx, room, sizeof *s.first);
    s.begins = zl_scratch(c->t->ctx, room, 1);
    s.leads = zl_scratch(c->t->ctx, room, 1);
    if (!s.first || !s.begins || !s.leads) return ZLAY_ENOMEM;
    edges_find(&s, bound);
    if (s.ended) return ZLAY_ENOMEM;
    ways_find(&s, bound->lines);
    return s.leads[0] ? boxes_take(&s, out, than) : ZLAY_ELIMIT;
}
