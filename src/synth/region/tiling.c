/* SPDX-License-Identifier: Apache-2.0 */
/* Covers each group of a domain of rows of different widths: cuts it into blocks that are searched
 * by themselves (block.c), in units that divide the sizes and the steps of all tiles.
 *
 * The blocks of one dimension. Where every tile begins at multiples of its own size, no tile passes
 * a multiple of all sizes: blocks end there, and the least covers of blocks are the least cover.
 * Otherwise a group of at most 64 units is one block, which tiles may pass at its end. A longer
 * one is cut at multiples of all steps, which tiles could pass: such a cover is not proved to be
 * the least, unless its cells and its pieces meet the bound. Blocks that need the same units have
 * the same answer, which is kept. */
#include "synth/region/tiling.h"

#include <string.h>

enum { PATTERNS = 64, WINDOW = 32 };

struct zlay_tiling {
    zlay_allocator alloc;
    zlay_region_summary summary;
    zlay_tiling_piece *piece;
    uint64_t room;
};

/* One dimension of a group. */
typedef struct line {
    uint64_t unit;   /* divides sizes and steps */
    uint64_t period; /* in units: steps, and sizes where they are steps, begin again */
    bool own;        /* every tile begins at multiples of its size */
    uint64_t units;  /* of the group */
    uint64_t block;  /* of a block */
    bool cut;        /* tiles could pass from block to block */
} line;

typedef struct tiler {
    const zl_tiling_domain *d;
    zlay_tiling *out;
    zl_block_tile tile[ZLAY_REGION_TILES]; /* those of the least cost a cell first */
    line line[ZL_REGION_AXES];
    uint64_t unit_cells, group;
    zl_block_search *search; /* of blocks of such edges; what is behind the mark is its own */
    uint32_t edge[ZL_REGION_AXES];
    zl_mark mark;
    zl_tiling_block *kept; /* blocks that were solved, PATTERNS of them */
    uint32_t patterns;
    zl_tiling_block block;        /* the one that is read */
    zl_region_value exact; /* of blocks that were solved whole */
    uint64_t loose;        /* needed units of the others */
    uint64_t all;          /* and of all */
    bool whole;            /* every block was solved, and none is cut from others */
} tiler;

/* ---- lines ----------------------------------------------------------------------------------- */

static zlay_status line_of(zlay_ctx *ctx, tiler *c, int axis)
{
    const zl_tiling_domain *d = c->d;
    line *l = &c->line[axis];
    *l = (line){.own = true, .period = 1};
    for (uint32_t i = 0; i < d->request.tiles; i++) {
        uint64_t edge = zl_tiling_edge(&d->tile[i], axis), step = zl_tiling_step(&d->tile[i], axis);
        l->unit = zl_gcd(zl_gcd(l->unit, edge), step);
        l->own &= edge == step;
    }
    for (uint32_t i = 0; i < d->request.tiles && l->period <= ZL_BLOCK_SIDE; i++) {
        uint64_t step = zl_tiling_step(&d->tile[i], axis) / l->unit;
        l->period *= step / zl_gcd(l->period, step);
    }
    if (l->period <= ZL_BLOCK_SIDE) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "tiles: their places in %s repeat after more than %d steps of %llu, the common "
                   "divisor of sizes and steps",
                   axis ? "columns" : "rows", ZL_BLOCK_SIDE, (unsigned long long)l->unit);
}

/* The blocks for a group of so many rows, or columns. */
static void line_cut(line *l, uint64_t length)
{
    l->units = zl_ceil_div(length, l->unit);
    l->cut = !l->own && l->units > ZL_BLOCK_SIDE;
    l->block = l->own ? l->period : l->units;
    if (l->cut) l->block = zl_umax(WINDOW / l->period, 1) * l->period;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static bool is_better(const zl_region_value *a, const zl_region_value *b)
{
    zl_u128 left = (zl_u128)a->cost * b->cells, right = (zl_u128)b->cost * a->cells;
    return left != right ? left < right : a->cells > b->cells;
}

static zl_block_tile tile_of(const tiler *c, uint32_t number)
{
    const zlay_tiling_tile *t = &c->d->tile[number];
    zl_block_tile out = {.number = number, .value = {t->cost, (uint64_t)t->rows * t->columns, 1}};
    for (int axis = 0; axis < ZL_REGION_AXES; axis++) {
        out.edge[axis] = (uint32_t)(zl_tiling_edge(t, axis) / c->line[axis].unit);
        out.step[axis] = (uint32_t)(zl_tiling_step(t, axis) / c->line[axis].unit);
    }
    return out;
}

static void order_tiles(tiler *c)
{
    for (uint32_t i = 0; i < c->d->request.tiles; i++) {
        zl_block_tile moved = tile_of(c, i);
        uint32_t at = i;
        for (; at && is_better(&moved.value, &c->tile[at - 1].value); at--)
            c->tile[at] = c->tile[at - 1];
        c->tile[at] = moved;
    }
}

static zlay_status tiler_begin(zlay_ctx *ctx, tiler *c, const zl_tiling_domain *d, zlay_tiling *out)
{
    *c = (tiler){.d = d, .out = out, .whole = true};
    zlay_status status = ZLAY_OK;
    for (int axis = 0; !status && axis < ZL_REGION_AXES; axis++) status = line_of(ctx, c, axis);
    if (status) return status;
    c->unit_cells = c->line[ZL_REGION_ROWS].unit * c->line[ZL_REGION_COLUMNS].unit;
    order_tiles(c);
    c->kept = zl_scratch(ctx, PATTERNS, sizeof *c->kept);
    c->mark = zl_scratch_mark(ctx);
    return c->kept ? ZLAY_OK : ZLAY_ENOMEM;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The units that rows of the group need in a block; how many. */
static uint64_t block_read(tiler *c, uint64_t row, uint64_t column)
{
    const zl_tiling_group *g = &c->d->group[c->group];
    const line *rows = &c->line[ZL_REGION_ROWS], *columns = &c->line[ZL_REGION_COLUMNS];
    zl_tiling_block *b = &c->block;
    int64_t unit = (int64_t)columns->unit, from = (int64_t)column;
    uint64_t units = 0;
    memset(b->need, 0, sizeof b->need);
    uint64_t last = zl_umin((row + b->edge[ZL_REGION_ROWS]) * rows->unit, g->rows);
    for (uint64_t i = row * rows->unit; i < last; i++) {
        int64_t low = c->d->low[g->first + i] / unit - from;
        int64_t high = (c->d->high[g->first + i] + unit - 1) / unit - from;
        low = zl_max(low, 0);
        high = zl_min(high, b->edge[ZL_REGION_COLUMNS]);
        if (low >= high || c->d->low[g->first + i] == c->d->high[g->first + i]) continue;
        uint64_t below = high == ZL_BLOCK_SIDE ? UINT64_MAX : (UINT64_C(1) << high) - 1;
        b->need[i / rows->unit - row] |= below & UINT64_MAX << low;
    }
    for (uint32_t i = 0; i < b->edge[0]; i++) units += (uint64_t)__builtin_popcountll(b->need[i]);
    return units;
}

static zlay_status piece_put(zlay_ctx *ctx, zlay_tiling *out, zlay_tiling_piece piece)
{
    uint64_t count = out->summary.pieces;
    if (count == out->room) {
        uint64_t room = out->room ? 2 * out->room : 64;
        zlay_tiling_piece *more = zl_alloc_plain(ctx, room, sizeof *more);
        if (!more) return ZLAY_ENOMEM;
        if (count) memcpy(more, out->piece, count * sizeof *more);
        zl_free(&out->alloc, out->piece, out->room * sizeof *more);
        out->piece = more;
        out->room = room;
    }
    out->piece[out->summary.pieces++] = piece;
    return ZLAY_OK;
}

static bool is_same(const zl_tiling_block *a, const zl_tiling_block *b)
{
    return !memcmp(a->edge, b->edge, sizeof a->edge) && !memcmp(a->open, b->open, sizeof a->open) &&
           !memcmp(a->need, b->need, sizeof a->need);
}

/* The answer for the block that was read, which may be one that is kept. */
static zlay_status block_answer(zlay_ctx *ctx, tiler *c, const zl_tiling_block **out)
{
    zl_tiling_block *b = &c->block;
    zlay_status status = zl_charge(ctx, c->patterns + 1);
    if (status) return status;
    for (uint32_t i = 0; i < c->patterns; i++)
        if (is_same(b, &c->kept[i])) return *out = &c->kept[i], ZLAY_OK;
    status = zl_block_solve(ctx, c->search, b);
    *out = b;
    if (!status && c->patterns < PATTERNS) c->kept[c->patterns++] = *b;
    return status;
}

static bool is_cut(const tiler *c) { return c->line[0].cut || c->line[1].cut; }

/* A block without a cover: none exists only where all were tried, and the block is not cut. */
static zlay_status no_cover(zlay_ctx *ctx, const tiler *c, uint64_t row, uint64_t column,
                            bool exact)
{
    bool proved = exact && !is_cut(c);
    return zl_fail(ctx, proved ? ZLAY_NONE : ZLAY_ELIMIT,
                   "group %llu, row %llu, column %llu: no set of tiles at their places covers the "
                   "block there%s",
                   (unsigned long long)c->group, (unsigned long long)(row * c->line[0].unit),
                   (unsigned long long)(column * c->line[1].unit),
                   proved ? "" : ", as far as the search came: undecided");
}

static zlay_status block_cover(zlay_ctx *ctx, tiler *c, uint64_t row, uint64_t column)
{
    const zl_tiling_block *b;
    const uint64_t at[] = {row, column};
    for (int axis = 0; axis < ZL_REGION_AXES; axis++) {
        const line *l = &c->line[axis];
        uint64_t edge = l->own ? l->block : zl_umin(l->block, l->units - at[axis]);
        c->block.edge[axis] = (uint32_t)edge;
        c->block.open[axis] = !l->own && at[axis] + c->block.edge[axis] == l->units;
    }
    uint64_t units = block_read(c, row, column);
    zl_mark mark = zl_scratch_mark(ctx);
    bool full = c->patterns == PATTERNS;
    if (!units) return ZLAY_OK;
    zlay_status status = block_answer(ctx, c, &b);
    if (!status && !b->found) status = no_cover(ctx, c, row, column, b->exact);
    if (status) return status;
    c->all += units;
    if (b->exact && !is_cut(c)) c->exact = zl_region_plus(&c->exact, &b->value);
    else c->loose += units, c->whole = false;
    for (uint32_t i = 0; !status && i < b->count; i++) {
        const zl_block_place *p = &b->place[i];
        status = piece_put(ctx, c->out,
                           (zlay_tiling_piece){.group = c->group, .tile = c->tile[p->tile].number,
                                               .row = (row + p->row) * c->line[0].unit,
                                               .column = (column + p->column) * c->line[1].unit});
    }
    if (full) zl_scratch_release(ctx, mark);
    return status;
}

/* The columns of blocks that some row of a row of blocks needs. */
static zlay_status blocks_cover(zlay_ctx *ctx, tiler *c, uint64_t row)
{
    const zl_tiling_group *g = &c->d->group[c->group];
    const line *rows = &c->line[ZL_REGION_ROWS], *columns = &c->line[ZL_REGION_COLUMNS];
    uint64_t last = zl_umin((row + rows->block) * rows->unit, g->rows), wide;
    int64_t low = INT64_MAX, high = 0;
    for (uint64_t i = row * rows->unit; i < last; i++) {
        int64_t l = c->d->low[g->first + i], h = c->d->high[g->first + i];
        if (l < h) low = zl_min(low, l), high = zl_max(high, h);
    }
    if (low >= high) return ZLAY_OK;
    wide = columns->unit * columns->block;
    zlay_status status = ZLAY_OK;
    for (uint64_t at = (uint64_t)low / wide; !status && at * wide < (uint64_t)high; at++) {
        status = zl_charge(ctx, last - row * rows->unit + 1);
        if (!status) status = block_cover(ctx, c, row, at * columns->block);
    }
    return status;
}

/* A search for blocks as the group has; groups of like blocks share it, and what is kept. */
static zlay_status search_for(zlay_ctx *ctx, tiler *c)
{
    const uint32_t edge[] = {(uint32_t)c->line[0].block, (uint32_t)c->line[1].block};
    if (!memcmp(edge, c->edge, sizeof edge)) return ZLAY_OK;
    memcpy(c->edge, edge, sizeof edge);
    c->patterns = 0;
    zl_scratch_release(ctx, c->mark);
    return zl_block_begin(ctx, &c->search, c->tile, c->d->request.tiles, c->unit_cells, edge);
}

static zlay_status group_cover(zlay_ctx *ctx, tiler *c, uint64_t group)
{
    const zl_tiling_group *g = &c->d->group[group];
    if (!g->width) return ZLAY_OK;
    c->group = group;
    line_cut(&c->line[ZL_REGION_ROWS], g->rows);
    line_cut(&c->line[ZL_REGION_COLUMNS], (uint64_t)g->width);
    c->whole = c->whole && !is_cut(c);
    const line *rows = &c->line[ZL_REGION_ROWS];
    zlay_status status = search_for(ctx, c);
    for (uint64_t at = 0; !status && at < rows->units; at += rows->block)
        status = blocks_cover(ctx, c, at);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* What the cover takes is decided and counted of its pieces, as zlay_tiling_check does. */
static zlay_status confirm(zlay_ctx *ctx, zlay_tiling *out, const tiler *c)
{
    zlay_answer answer;
    zlay_region_fault f;
    uint64_t count = out->summary.pieces;
    zlay_status status = zl_tiling_decide(ctx, &answer, &f, c->d, out->piece, count);
    if (!status && answer != ZLAY_YES)
        return zl_fail(ctx, ZLAY_EINTERNAL, "group %llu: row %lld, column %lld has %lld pieces",
                       (unsigned long long)f.group, (long long)f.row, (long long)f.column,
                       (long long)f.parts);
    if (!status) status = zl_tiling_count(ctx, &out->summary, c->d, out->piece, count);
    if (status) return status;
    uint32_t tiles = c->d->request.tiles;
    zlay_region_summary *s = &out->summary;
    zl_region_value all = zl_block_bound(c->tile, tiles, c->unit_cells, c->all);
    zl_region_value loose = zl_block_bound(c->tile, tiles, c->unit_cells, c->loose);
    s->lower_bound = c->exact.cost + loose.cost; /* no more than the cost, which fits */
    s->optimal = c->whole || (s->cost == all.cost && s->cells == all.cells &&
                              s->pieces == all.pieces);
    return ZLAY_OK;
}

static zlay_status cover(zlay_ctx *ctx, zlay_tiling *out, const zlay_tiling_request *request)
{
    zl_tiling_domain d;
    tiler c;
    zlay_status status = zl_tiling_read(ctx, &d, request);
    if (!status) status = tiler_begin(ctx, &c, &d, out);
    for (uint64_t i = 0; !status && i < d.groups; i++) status = group_cover(ctx, &c, i);
    return status ? status : confirm(ctx, out, &c);
}

zlay_status zlay_tiling_cover(zlay_ctx *ctx, zlay_tiling **out, const zlay_tiling_request *request)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_tiling *tiling = zl_alloc(ctx, 1, sizeof *tiling);
    if (!tiling) return zl_leave(ctx, ZLAY_ENOMEM);
    tiling->alloc = zl_allocator(ctx);
    status = zl_leave(ctx, zl_whole(ctx, cover(ctx, tiling, request)));
    if (status) zlay_tiling_free(tiling);
    else *out = tiling;
    return status;
}

zlay_status zlay_tiling_info(zlay_region_summary *out, const zlay_tiling *tiling)
{
    if (!out || !tiling) return ZLAY_EINVAL;
    *out = tiling->summary;
    return ZLAY_OK;
}

zlay_status zlay_tiling_piece_nth(zlay_tiling_piece *out, const zlay_tiling *tiling, uint64_t i)
{
    if (!out || !tiling) return ZLAY_EINVAL;
    if (i >= tiling->summary.pieces) return ZLAY_NONE;
    *out = tiling->piece[i];
    return ZLAY_OK;
}

void zlay_tiling_free(zlay_tiling *tiling)
{
    if (!tiling) return;
    zlay_allocator alloc = tiling->alloc;
    zl_free(&alloc, tiling->piece, tiling->room * sizeof *tiling->piece);
    zl_free(&alloc, tiling, sizeof *tiling);
}
