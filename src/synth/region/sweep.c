/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether pieces overlap nowhere and cover a domain, and counts what they take: one sweep
 * down the rows of each group (Shamos and Hoey, "Geometric intersection problems", 1976). Between
 * two rows at which pieces begin or end, the same pieces are alive, kept in the order of their
 * columns. A piece that begins must not meet its neighbours; then the columns of each row must lie
 * in one run of pieces without a gap. */
#include "synth/region/tiling.h"

#include <stdlib.h>
#include <string.h>

typedef struct tile_box {
    uint64_t group;
    int64_t row, bottom, column, right; /* to below bottom and right */
} tile_box;

static int by_row(const void *left, const void *right)
{
    const tile_box *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

/* What is alive, in the order of columns. */
typedef struct sweep {
    const zl_tiling_domain *d;
    uint64_t group;
    tile_box *alive;
    uint64_t count, steps;
    zlay_region_fault *fault;
} sweep;

/* The number of tiles alive that begin at or before a column. */
static uint64_t place_of(const sweep *s, int64_t column)
{
    uint64_t low = 0, high = s->count;
    while (low < high) {
        uint64_t half = low + (high - low) / 2;
        if (s->alive[half].column <= column) low = half + 1;
        else high = half;
    }
    return low;
}

static bool fails(const sweep *s, int64_t row, int64_t column, int64_t parts)
{
    *s->fault = (zlay_region_fault){s->group, row, column, parts};
    return false;
}

static bool insert(sweep *s, const tile_box *b)
{
    uint64_t at = place_of(s, b->column);
    if (at && s->alive[at - 1].right > b->column) return fails(s, b->row, b->column, 2);
    if (at < s->count && s->alive[at].column < b->right)
        return fails(s, b->row, s->alive[at].column, 2);
    memmove(&s->alive[at + 1], &s->alive[at], (s->count - at) * sizeof *b);
    s->alive[at] = *b;
    s->steps += s->count - at;
    s->count++;
    return true;
}

static void drop_ended(sweep *s, int64_t row)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < s->count; i++)
        if (s->alive[i].bottom > row) s->alive[kept++] = s->alive[i];
    s->steps += s->count;
    s->count = kept;
}

/* Where the run of tiles that has a column ends; `column` where none has it. */
static int64_t run_end(sweep *s, int64_t column, int64_t wanted)
{
    uint64_t at = place_of(s, column);
    int64_t end = column;
    if (!at || s->alive[at - 1].right <= column) return end;
    for (at--; at < s->count && s->alive[at].column <= end && end < wanted; at++, s->steps++)
        end = zl_max(end, s->alive[at].right);
    return end;
}

/* Rows of the group from `row` to below `end` lie in what is alive. Rows of the same columns as the
 * one before are not walked again. */
static bool rows_covered(sweep *s, int64_t row, int64_t end)
{
    const zl_tiling_group *g = &s->d->group[s->group];
    const int64_t *low = s->d->low + g->first, *high = s->d->high + g->first;
    int64_t from = 0, to = 0;
    for (end = zl_min(end, (int64_t)g->rows); row < end; row++, s->steps++) {
        if (low[row] >= from && high[row] <= to) continue;
        if (low[row] == high[row]) continue;
        from = low[row];
        to = run_end(s, from, high[row]);
        if (to < high[row]) return fails(s, row, to, 0);
    }
    return true;
}

/* The first row after `row` at which a tile_box alive ends, or the next one begins. */
static int64_t next_row(const sweep *s, const tile_box *next)
{
    int64_t row = next ? next->row : INT64_MAX;
    for (uint64_t i = 0; i < s->count; i++) row = zl_min(row, s->alive[i].bottom);
    return row;
}

static bool group_covered(sweep *s, const tile_box *b, uint64_t count)
{
    uint64_t i = 0;
    s->count = 0;
    if (!rows_covered(s, 0, count ? b->row : INT64_MAX)) return false;
    while (i < count || s->count) {
        int64_t row = next_row(s, i < count ? &b[i] : NULL);
        drop_ended(s, row);
        for (; i < count && b[i].row == row; i++)
            if (!insert(s, &b[i])) return false;
        int64_t end = next_row(s, i < count ? &b[i] : NULL);
        if (!rows_covered(s, row, end)) return false;
    }
    return true;
}

zlay_status zl_tiling_decide(zlay_ctx *ctx, zlay_answer *answer, zlay_region_fault *fault,
                             const zl_tiling_domain *d, const zlay_tiling_piece *pieces,
                             uint64_t count)
{
    zl_mark mark = zl_scratch_mark(ctx);
    zlay_status status = zl_charge(ctx, zl_umul_sat(count + 1, zl_bit_length(count) + 1));
    tile_box *b = status ? NULL : zl_scratch_plain(ctx, count + 1, sizeof *b);
    sweep s = {.d = d, .fault = fault};
    s.alive = b ? zl_scratch_plain(ctx, count + 1, sizeof *b) : NULL;
    if (!s.alive) return ZLAY_ENOMEM;
    for (uint64_t i = 0; i < count; i++) {
        const zlay_tiling_piece *p = &pieces[i];
        b[i] = (tile_box){p->group, (int64_t)p->row, (int64_t)p->row + d->tile[p->tile].rows,
                     (int64_t)p->column, (int64_t)p->column + d->tile[p->tile].columns};
    }
    qsort(b, count, sizeof *b, by_row);
    *answer = ZLAY_YES;
    uint64_t at = 0, end;
    for (; !status && s.group < d->groups && *answer == ZLAY_YES; s.group++, at = end) {
        for (end = at; end < count && b[end].group == s.group;) end++;
        if (!group_covered(&s, b + at, end - at)) *answer = ZLAY_NO;
        status = zl_charge(ctx, s.steps);
        s.steps = 0;
    }
    zl_scratch_release(ctx, mark);
    return status;
}

/* ---- counts ---------------------------------------------------------------------------------- */

typedef struct totals {
    zl_u128 valid, cells, cost, loaded, useful;
} totals;

/* Of a tile at its place: valid cells, and rows and columns that have one. */
typedef struct inside {
    uint64_t cells, rows, columns;
} inside;

/* `mark` has a number for each column of the tile, and one more: how many rows begin there, less
 * those that end. */
static inside inside_of(const zl_tiling_domain *d, const zlay_tiling_piece *p, int64_t *mark)
{
    const zlay_tiling_tile *t = &d->tile[p->tile];
    const zl_tiling_group *g = &d->group[p->group];
    int64_t columns = zl_min(t->columns, zl_max(g->width - (int64_t)p->column, 0));
    inside in = {0};
    memset(mark, 0, ((size_t)columns + 1) * sizeof *mark);
    for (uint64_t row = p->row; row < zl_umin(p->row + t->rows, g->rows); row++) {
        int64_t low = zl_max(d->low[g->first + row] - (int64_t)p->column, 0);
        int64_t high = zl_min(d->high[g->first + row] - (int64_t)p->column, columns);
        if (low >= high) continue;
        in.cells += (uint64_t)(high - low);
        in.rows++;
        mark[low]++;
        mark[high]--;
    }
    for (int64_t i = 0, rows = 0; i < columns; i++) in.columns += (rows += mark[i]) > 0;
    return in;
}

static zl_u128 bytes_of(const zlay_tiling_request *r, const inside *in)
{
    return (zl_u128)in->rows * r->row_bytes + (zl_u128)in->columns * r->column_bytes +
           (zl_u128)in->cells * r->cell_bytes;
}

static bool fits(uint64_t *to, zl_u128 value)
{
    *to = (uint64_t)value;
    return value <= UINT64_MAX;
}

static zlay_status summary_of(zlay_ctx *ctx, zlay_region_summary *out, const totals *t,
                              const zlay_tiling_request *r)
{
    if (!fits(&out->valid, t->valid) || !fits(&out->cells, t->cells) || !fits(&out->cost, t->cost))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "the cells or the cost of all pieces pass 64 bits");
    out->waste = out->cells - out->valid;
    if (!fits(&out->madds, t->cells * r->depth))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "depth: the multiply-adds pass 64 bits");
    out->wasted_madds = out->waste * r->depth;
    if (!fits(&out->loaded_bytes, t->loaded))
        return zl_fail(ctx, ZLAY_EOVERFLOW,
                       "row_bytes, column_bytes, cell_bytes: the bytes loaded pass 64 bits");
    out->wasted_bytes = out->loaded_bytes - (uint64_t)t->useful;
    return ZLAY_OK;
}

zlay_status zl_tiling_count(zlay_ctx *ctx, zlay_region_summary *out, const zl_tiling_domain *d,
                            const zlay_tiling_piece *pieces, uint64_t count)
{
    totals t = {0};
    uint64_t widest = 0;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < d->request.tiles; i++) widest = zl_umax(widest, d->tile[i].columns);
    int64_t *mark = zl_scratch_plain(ctx, widest + 1, sizeof *mark);
    if (!mark) return ZLAY_ENOMEM;
    for (uint64_t i = 0; !status && i < count; i++) {
        const zlay_tiling_tile *tile = &d->tile[pieces[i].tile];
        inside all = {(uint64_t)tile->rows * tile->columns, tile->rows, tile->columns};
        inside in = inside_of(d, &pieces[i], mark);
        t.valid += in.cells;
        t.cells += all.cells;
        t.cost += tile->cost;
        t.loaded += bytes_of(&d->request, &all);
        t.useful += bytes_of(&d->request, &in);
        status = zl_charge(ctx, (uint64_t)tile->rows + tile->columns);
    }
    if (status) return status;
    *out = (zlay_region_summary){.groups = d->groups, .parts = count, .pieces = count};
    return summary_of(ctx, out, &t, &d->request);
}

/* ---- pieces of any origin -------------------------------------------------------------------- */

static zlay_status piece_check(zlay_ctx *ctx, const zl_tiling_domain *d, const zlay_tiling_piece *p,
                               uint64_t i)
{
    const char *field = NULL, *wrong = "it is no multiple of the tile's step below 2^32";
    if (p->group >= d->groups) field = "group", wrong = "there is no such group";
    else if (p->tile >= d->request.tiles) field = "tile", wrong = "there is no such tile";
    else if (p->reserved) field = "reserved", wrong = "it is not 0";
    else if (p->row >> 32 || p->row % d->tile[p->tile].row_step) field = "row";
    else if (p->column >> 32 || p->column % d->tile[p->tile].column_step) field = "column";
    if (!field) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "pieces[%llu].%s: %s", (unsigned long long)i, field, wrong);
}

static zlay_status check(zlay_ctx *ctx, zlay_answer *answer, zlay_region_fault *fault,
                         zlay_region_summary *out, const zlay_tiling_request *request,
                         const zlay_tiling_piece *pieces, uint64_t count)
{
    zl_tiling_domain d;
    zlay_status status = zl_tiling_read(ctx, &d, request);
    if (!status) status = zl_charge(ctx, count);
    for (uint64_t i = 0; !status && i < count; i++) status = piece_check(ctx, &d, &pieces[i], i);
    if (!status) status = zl_tiling_decide(ctx, answer, fault, &d, pieces, count);
    if (status || *answer != ZLAY_YES) return status;
    return zl_tiling_count(ctx, out, &d, pieces, count);
}

zlay_status zlay_tiling_check(zlay_ctx *ctx, zlay_answer *answer, zlay_region_fault *fault,
                              zlay_region_summary *out, const zlay_tiling_request *request,
                              const zlay_tiling_piece *pieces, uint64_t count)
{
    zlay_region_fault at = {0};
    zlay_region_summary summary = {0};
    if (!ctx || !answer || !request || (count && !pieces)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave(ctx, check(ctx, answer, &at, &summary, request, pieces, count));
    if (status) return status;
    if (fault && *answer == ZLAY_NO) *fault = at;
    if (out && *answer == ZLAY_YES) *out = summary;
    return ZLAY_OK;
}
