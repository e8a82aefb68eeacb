/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces that equal a table: several roads, the fewest pieces win, every point is compared. */
#include "algebra/find/pieces.h"
#include "algebra/f2/f2.h"

#include <string.h>

/* ---- the search as it begins ----------------------------------------------------------- */

static zlay_status out_sizes(zl_window *s, const zl_f2 *outs)
{
    s->outs = outs ? outs->outs : 1;
    if (s->outs > 64) return zl_fail(s->ctx, ZLAY_ELIMIT, "%zu outputs; 64 at most", s->outs);
    for (size_t i = 0; outs && i < s->outs; i++)
        s->out_size[i] = zl_dim_size(&outs->out[i]);
    return ZLAY_OK;
}

static void widen(zl_window *s, const uint64_t *at, uint64_t *last)
{
    for (size_t i = 0; i < s->dims; i++) {
        if (at[i] < s->from[i]) s->from[i] = at[i];
        if (at[i] > last[i]) last[i] = at[i];
    }
}

/* The hull of the points that have values. */
static void find_window(zl_window *s)
{
    uint64_t at[ZL_PIECE_VARIABLES] = {0}, last[ZL_PIECE_VARIABLES] = {0}, index = 0;
    bool more = s->t->size > s->t->undefined;
    memcpy(s->count, s->extent, sizeof s->count);
    for (size_t i = 0; i < s->dims; i++) s->from[i] = more && s->t->undefined ? UINT64_MAX : 0;
    for (; more && s->t->undefined; more = zl_search_next(s, at, &index))
        if (s->t->there[index]) widen(s, at, last);
    s->points = 1;
    for (size_t i = 0; i < s->dims; i++) {
        if (s->t->undefined) s->count[i] = last[i] + 1 - s->from[i];
        s->first += s->from[i] * s->step[i];
        s->points *= s->count[i];
    }
}

static zlay_status begin(zl_window *s, const zl_modes *box, const zl_f2 *outs)
{
    uint64_t step = 1, longest = 1;
    zl_draft *d;
    zlay_status status = zl_draft_of_box(s->ctx, &d, box);
    if (!status) status = out_sizes(s, outs);
    if (status) return status;
    s->dims = d->w.dims;
    for (size_t i = 0; i < s->dims; i++) {
        s->extent[i] = d->extent[i];
        longest = s->extent[i] > longest ? s->extent[i] : longest;
        s->step[i] = step;
        step *= s->extent[i];
    }
    find_window(s);
    s->line = zl_scratch_plain(s->ctx, longest, sizeof *s->line);
    return s->line ? ZLAY_OK : ZLAY_ENOMEM;
}

/* ---- roads -------------------------------------------------------------------------------- */

static bool equals(const zl_window *s, const zlay_layout *a)
{
    int64_t value;
    for (uint64_t i = 0; i < s->t->size; i++) {
        if (zl_charge_block(s->ctx, a, i)) return false;
        bool there = zl_value(a, i, &value);
        if (there != s->t->there[i] || (there && value != s->t->value[i])) return false;
    }
    return true;
}

/* One piece first.  Boxes come from points that were all compared as they grew. */
typedef zlay_status road(const zl_window *s, zl_draft *d);
static const struct { road *go; bool compared; } roads[] = {
    {zl_search_sum, false},  {zl_search_modulo, false}, {zl_search_bits, false},
    {zl_search_boxes, true}, {zl_search_digits, true},
};

static zlay_status take(const zl_window *s, road *go, const zl_modes *box, zlay_layout **out)
{
    zl_draft *d;
    zl_mark mark = zl_scratch_mark(s->ctx);
    zlay_status status = zl_draft_of_box(s->ctx, &d, box);
    if (!status) {
        d->claims.outs = s->outs;
        memcpy(d->out_size, s->out_size, sizeof d->out_size);
        status = go(s, d);
    }
    if (!status) status = zl_draft_layout(d, out, s->t->undefined > 0);
    zl_scratch_release(s->ctx, mark);
    return status;
}

/* Too many pieces or too large rows close a road, not the search. */
static zlay_status closed(zlay_ctx *ctx, zlay_status status)
{
    if (status != ZLAY_ELIMIT && status != ZLAY_EOVERFLOW) return status;
    return zl_fail(ctx, ZLAY_NONE, "%s", "");
}

static zlay_status search(const zl_window *s, const zl_modes *box, zlay_layout **out)
{
    zlay_layout *best = NULL, *next = NULL;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < ZL_COUNT(roads) && (!best || best->pieces.count > 1); i++) {
        next = NULL;
        status = closed(s->ctx, take(s, roads[i].go, box, &next));
        if (status < 0) break;
        if (status || (best && best->pieces.count <= next->pieces.count) ||
            !(roads[i].compared || equals(s, next))) {
            zlay_layout_free(next);
            continue;
        }
        zlay_layout_free(best);
        best = next;
    }
    if (status < 0) zlay_layout_free(best);
    else *out = best;
    return status < 0 ? status : best ? ZLAY_OK : ZLAY_NONE;
}

zlay_status zl_find_pieces(zlay_ctx *ctx, zlay_layout **out, const zl_table *t,
                           const zl_modes *box, const zl_f2 *outs)
{
    zl_window s = {.ctx = ctx, .t = t};
    zl_mark mark = zl_scratch_mark(ctx);
    zlay_status status = begin(&s, box, outs);
    if (!status) status = search(&s, box, out);
    zl_scratch_release(ctx, mark);
    return status;
}
