/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute tiling.cover and tiling.check: one or two groups of up to five rows and columns in bands that
 * grow, shrink, lie apart or are empty, one to three tiles with costs and without, at multiples of their own size, of
 * steps, or of both.  The least cost, cells and pieces are found by every set of tiles at every place that does not
 * overlap; none is found exactly where NONE is said.  Every piece is painted on a grid, where cells, bytes and
 * multiply-adds are counted one by one.  Then a piece is dropped, moved, doubled or added: YES, NO and the cell that shows
 * it are compared with the grid.  Columns of 60 to 140 rows, which are cut, are compared with a table of every
 * row.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=2. */
#include "ctx.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlay/tiling.h>

enum { CASES = 10000, GROUPS = 2, SIDE = 5, TILES = 3, EDGE = 24, BANDS = GROUPS * SIDE, PIECES = 128 };

typedef struct drawn {
    zlay_tiling_request r;
    zlay_tiling_tile tile[TILES];
    zlay_tiling_band band[BANDS];
    bool valid[GROUPS][EDGE][EDGE];
    int rows[GROUPS], groups;
} drawn;

typedef struct price {
    uint64_t cost, cells, pieces;
} price;

static bool is_cheaper(price a, price b)
{
    if (a.cost != b.cost) return a.cost < b.cost;
    return a.cells != b.cells ? a.cells < b.cells : a.pieces < b.pieces;
}

static price price_of(const drawn *d, uint32_t i)
{
    uint64_t cells = (uint64_t)d->tile[i].rows * d->tile[i].columns;
    return (price){d->tile[i].cost ? d->tile[i].cost : cells, cells, 1};
}

static price plus(price a, price b) { return (price){a.cost + b.cost, a.cells + b.cells, a.pieces + b.pieces}; }

static uint32_t step(uint32_t given, uint32_t own) { return given ? given : own; }

/* ---- a case ------------------------------------------------------------------------------------------ */

static void draw_group(drawn *d, int g, int side, uint64_t *seed)
{
    int rows = (int)test_range(seed, 1, side);
    while (d->rows[g] < rows) {
        zlay_tiling_band *b = &d->band[d->r.bands++];
        *b = (zlay_tiling_band){.group = (uint64_t)g, .rows = (uint64_t)test_range(seed, 1, rows - d->rows[g]), .columns = (uint64_t)test_range(seed, 1, side)};
        b->begin = test_range(seed, -2, side - 1);
        b->end = test_range(seed, 0, 5) ? b->begin + test_range(seed, 1, side) : b->begin;
        b->begin_step = test_range(seed, -1, 1);
        b->end_step = test_range(seed, -1, 1);
        for (int i = 0; i < (int)b->rows; i++, d->rows[g]++)
            for (int64_t c = b->begin + i * b->begin_step; c < b->end + i * b->end_step; c++)
                if (c >= 0 && c < (int64_t)b->columns) d->valid[g][d->rows[g]][c] = true;
    }
}

static void draw(drawn *d, int side, uint64_t *seed)
{
    *d = (drawn){.r = {.size = sizeof d->r, .tile = d->tile, .band = d->band}, .groups = (int)test_range(seed, 1, GROUPS)};
    for (int g = 0; g < d->groups; g++) draw_group(d, g, side, seed);
    bool costs = !test_range(seed, 0, 2);
    int form = (int)test_range(seed, 0, 3); /* own places, any, rows any, drawn */
    uint32_t want = (uint32_t)test_range(seed, 1, TILES);
    for (uint32_t i = 0; i < want; i++) {
        zlay_tiling_tile t = {.rows = (uint32_t)test_range(seed, 1, 3), .columns = (uint32_t)test_range(seed, 1, 3)};
        if (form == 1) t.row_step = t.column_step = 1;
        if (form == 2) t.row_step = 1;
        if (form == 3) t.row_step = (uint32_t)test_range(seed, 0, 3), t.column_step = (uint32_t)test_range(seed, 0, 2);
        if (costs) t.cost = (uint64_t)test_range(seed, 1, 20);
        bool there = false;
        for (uint32_t j = 0; j < d->r.tiles; j++) there |= d->tile[j].rows == t.rows && d->tile[j].columns == t.columns;
        if (!there) d->tile[d->r.tiles++] = t;
    }
    d->r.depth = (uint32_t)test_range(seed, 0, 100);
    d->r.row_bytes = (uint32_t)test_range(seed, 0, 100);
    d->r.column_bytes = (uint32_t)test_range(seed, 0, 100);
    d->r.cell_bytes = (uint32_t)test_range(seed, 0, 100);
}

/* ---- every set of tiles ------------------------------------------------------------------------------ */

typedef struct sets {
    const drawn *d;
    int group;
    bool found, taken[EDGE][EDGE];
    price least;
} sets;

static bool turn(sets *s, const zlay_tiling_tile *t, int row, int column, bool take)
{
    for (int i = row; i < row + (int)t->rows; i++)
        for (int j = column; j < column + (int)t->columns; j++)
            if (take && s->taken[i][j]) return false;
    for (int i = row; i < row + (int)t->rows; i++)
        for (int j = column; j < column + (int)t->columns; j++) s->taken[i][j] = take;
    return true;
}

/* The last valid cell in the order of columns that no tile has takes each tile at each place. */
static void try_sets(sets *s, price so_far)
{
    int at = EDGE * EDGE - 1;
    if (s->found && !is_cheaper(so_far, s->least)) return;
    while (at >= 0 && (!s->d->valid[s->group][at % EDGE][at / EDGE] || s->taken[at % EDGE][at / EDGE])) at--;
    if (at < 0) {
        s->found = true;
        s->least = so_far;
        return;
    }
    int row = at % EDGE, column = at / EDGE;
    for (uint32_t k = 0; k < s->d->r.tiles; k++) {
        const zlay_tiling_tile *t = &s->d->tile[k];
        for (int i = 0; i <= row; i += (int)step(t->row_step, t->rows))
            for (int j = 0; j <= column; j += (int)step(t->column_step, t->columns)) {
                if (i + (int)t->rows <= row || j + (int)t->columns <= column || !turn(s, t, i, j, true)) continue;
                try_sets(s, plus(so_far, price_of(s->d, k)));
                turn(s, t, i, j, false);
            }
    }
}

static bool least_of(const drawn *d, price *least)
{
    *least = (price){0};
    for (int g = 0; g < d->groups; g++) {
        sets s = {.d = d, .group = g};
        try_sets(&s, (price){0});
        if (!s.found) return false;
        *least = plus(*least, s.least);
    }
    return true;
}

/* ---- the grid ---------------------------------------------------------------------------------------- */

typedef struct painted {
    int tiles[GROUPS][EDGE][EDGE];
    zlay_region_summary all;
} painted;

static uint64_t bytes(const drawn *d, uint64_t rows, uint64_t columns, uint64_t cells)
{
    return rows * d->r.row_bytes + columns * d->r.column_bytes + cells * d->r.cell_bytes;
}

static void paint(const drawn *d, painted *p, const zlay_tiling_piece *piece)
{
    const zlay_tiling_tile *t = &d->tile[piece->tile];
    uint64_t rows = 0, columns = 0, cells = 0;
    for (uint64_t i = piece->row; i < piece->row + t->rows; i++) {
        bool any = false;
        for (uint64_t j = piece->column; j < piece->column + t->columns; j++) {
            assert_true(i < EDGE && j < EDGE);
            p->tiles[piece->group][i][j]++;
            any |= d->valid[piece->group][i][j];
            cells += d->valid[piece->group][i][j];
        }
        rows += any;
    }
    for (uint64_t j = piece->column; j < piece->column + t->columns; j++) {
        bool any = false;
        for (uint64_t i = piece->row; i < piece->row + t->rows; i++) any |= d->valid[piece->group][i][j];
        columns += any;
    }
    p->all.pieces++;
    p->all.valid += cells;
    p->all.cells += (uint64_t)t->rows * t->columns;
    p->all.cost += price_of(d, piece->tile).cost;
    p->all.loaded_bytes += bytes(d, t->rows, t->columns, (uint64_t)t->rows * t->columns);
    p->all.wasted_bytes += bytes(d, t->rows - rows, t->columns - columns, (uint64_t)t->rows * t->columns - cells);
}

static bool is_cover(const drawn *d, const painted *p)
{
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < EDGE; i++)
            for (int j = 0; j < EDGE; j++)
                if (p->tiles[g][i][j] > 1 || (d->valid[g][i][j] && !p->tiles[g][i][j])) return false;
    return true;
}

static void check_counts(const drawn *d, const zlay_region_summary *s, const zlay_region_summary *all)
{
    if (s->pieces != all->pieces || s->valid != all->valid || s->cells != all->cells || s->cost != all->cost ||
        s->waste != all->cells - all->valid || s->madds != all->cells * d->r.depth ||
        s->wasted_madds != (all->cells - all->valid) * d->r.depth || s->loaded_bytes != all->loaded_bytes ||
        s->wasted_bytes != all->wasted_bytes || s->groups != (uint64_t)d->groups)
        fail_msg("pieces %llu %llu, cells %llu %llu, wasted bytes %llu %llu", (unsigned long long)s->pieces, (unsigned long long)all->pieces,
                 (unsigned long long)s->cells, (unsigned long long)all->cells, (unsigned long long)s->wasted_bytes, (unsigned long long)all->wasted_bytes);
}

static void check_cover(const drawn *d, const zlay_tiling *tiling, price least)
{
    static painted p;
    zlay_region_summary s;
    zlay_tiling_piece piece;
    memset(&p, 0, sizeof p);
    for (uint64_t i = 0; !zlay_tiling_piece_nth(&piece, tiling, i); i++) {
        assert_int_equal(piece.row % step(d->tile[piece.tile].row_step, d->tile[piece.tile].rows), 0);
        assert_int_equal(piece.column % step(d->tile[piece.tile].column_step, d->tile[piece.tile].columns), 0);
        paint(d, &p, &piece);
    }
    assert_true(is_cover(d, &p));
    assert_int_equal(zlay_tiling_info(&s, tiling), ZLAY_OK);
    check_counts(d, &s, &p.all);
    if (!s.optimal || s.lower_bound != s.cost || s.cost != least.cost || s.cells != least.cells || s.pieces != least.pieces)
        fail_msg("cost %llu, %llu cells, %llu pieces; the least is %llu, %llu, %llu", (unsigned long long)s.cost, (unsigned long long)s.cells,
                 (unsigned long long)s.pieces, (unsigned long long)least.cost, (unsigned long long)least.cells, (unsigned long long)least.pieces);
}

/* ---- pieces that are changed --------------------------------------------------------------------------- */

static uint64_t change(const drawn *d, zlay_tiling_piece *piece, uint64_t count, uint64_t *seed)
{
    uint64_t i = (uint64_t)test_range(seed, 0, (int64_t)count - 1);
    zlay_tiling_piece *p = &piece[i];
    switch (test_range(seed, 0, 6)) {
    case 0: *p = piece[count - 1]; return count - 1;
    case 5:
    case 6: piece[count] = (zlay_tiling_piece){p->group, 0, 0, (uint32_t)test_range(seed, 0, (int64_t)d->r.tiles - 1), 0};
        p = &piece[count];
        p->row = (uint64_t)test_range(seed, 0, SIDE) / step(d->tile[p->tile].row_step, d->tile[p->tile].rows) * step(d->tile[p->tile].row_step, d->tile[p->tile].rows);
        p->column = (uint64_t)test_range(seed, 0, SIDE) / step(d->tile[p->tile].column_step, d->tile[p->tile].columns) * step(d->tile[p->tile].column_step, d->tile[p->tile].columns);
        return count + 1;
    case 1: piece[count] = *p; return count + 1;
    case 2: p->row += step(d->tile[p->tile].row_step, d->tile[p->tile].rows); break;
    case 3: p->column += step(d->tile[p->tile].column_step, d->tile[p->tile].columns); break;
    default: p->group = (uint64_t)test_range(seed, 0, d->groups - 1);
    }
    return count;
}

static zlay_answer check_changed(zlay_ctx *ctx, const drawn *d, const zlay_tiling *tiling, uint64_t *seed)
{
    static painted p;
    static zlay_tiling_piece piece[PIECES];
    zlay_region_summary s;
    zlay_region_fault f;
    zlay_answer answer;
    uint64_t count = 0;
    while (count < PIECES - 4 && !zlay_tiling_piece_nth(&piece[count], tiling, count)) count++;
    for (int64_t n = test_range(seed, 0, 2); n-- && count;) count = change(d, piece, count, seed);
    memset(&p, 0, sizeof p);
    for (uint64_t i = 0; i < count; i++) paint(d, &p, &piece[i]);
    assert_int_equal(zlay_tiling_check(ctx, &answer, &f, &s, &d->r, piece, count), ZLAY_OK);
    assert_int_equal(answer, is_cover(d, &p) ? ZLAY_YES : ZLAY_NO);
    if (answer == ZLAY_YES) check_counts(d, &s, &p.all);
    else {
        int tiles = p.tiles[f.group][f.row][f.column];
        assert_true(f.parts ? f.parts == 2 && tiles >= 2 : !tiles && d->valid[f.group][f.row][f.column]);
    }
    return answer;
}

static void test_covers(void **state)
{
    uint64_t seed = test_seed("refute/tiling"), cases = test_cases(CASES), none = 0, wasted = 0, yes = 0, no = 0;
    for (uint64_t n = 0; n < cases; n++) {
        static drawn d;
        zlay_tiling *tiling;
        price least;
        draw(&d, n % 20 ? 4 : SIDE, &seed);
        bool any = least_of(&d, &least);
        zlay_status status = zlay_tiling_cover(*state, &tiling, &d.r);
        if (status != (any ? ZLAY_OK : ZLAY_NONE)) fail_msg("case %llu: %s, %s", (unsigned long long)n, zlay_status_name(status), zlay_ctx_message(*state));
        none += !any;
        if (!any) continue;
        check_cover(&d, tiling, least);
        zlay_answer answer = check_changed(*state, &d, tiling, &seed);
        yes += answer == ZLAY_YES;
        no += answer == ZLAY_NO;
        zlay_region_summary s;
        zlay_tiling_info(&s, tiling);
        wasted += s.waste != 0;
        zlay_tiling_free(tiling);
    }
    printf("%llu covers, %llu waste cells, %llu have none; of changed pieces %llu cover and %llu do not\n", (unsigned long long)(cases - none),
           (unsigned long long)wasted, (unsigned long long)none, (unsigned long long)yes, (unsigned long long)no);
    assert_true(none * 100 > cases && wasted * 5 > cases && yes * 5 > cases && no * 5 > cases);
}

/* ---- one column, which is cut ---------------------------------------------------------------------------- */

enum { LONG = 140, MOST = LONG + 16 };

/* The least of what ends at a row or below, by a table of every row: a tile begins, or the row is not valid and free. */
static bool least_column(const drawn *d, const bool *valid, price *least)
{
    static price at[MOST + 1];
    static bool there[MOST + 1];
    for (int row = MOST; row >= 0; row--) {
        there[row] = row >= LONG || (!valid[row] && there[row + 1]);
        at[row] = row >= LONG ? (price){0} : at[row + 1];
        if (row >= LONG) continue;
        for (uint32_t i = 0; i < d->r.tiles; i++) {
            int end = row + (int)d->tile[i].rows;
            if (row % (int)step(d->tile[i].row_step, d->tile[i].rows) || !there[end]) continue;
            price one = plus(at[end], price_of(d, i));
            if (!there[row] || is_cheaper(one, at[row])) at[row] = one;
            there[row] = true;
        }
    }
    *least = at[0];
    return there[0];
}

static void test_columns(void **state)
{
    uint64_t seed = test_seed("refute/tiling/columns"), cases = test_cases(CASES / 10), optimal = 0, met = 0, undecided = 0;
    for (uint64_t n = 0; n < cases; n++) {
        static zlay_tiling_band band[LONG];
        drawn d = {.r = {.size = sizeof d.r, .tile = d.tile, .band = band, .bands = (uint64_t)test_range(&seed, 60, LONG)}};
        bool valid[LONG] = {0};
        price least;
        zlay_tiling *tiling;
        zlay_region_summary s = {0};
        for (uint64_t i = 0; i < d.r.bands; i++) valid[i] = test_range(&seed, 0, 9) != 0, band[i] = (zlay_tiling_band){.rows = 1, .end = valid[i]};
        bool costs = test_range(&seed, 0, 1);
        for (uint32_t i = 0; i < TILES; i++) {
            d.tile[i] = (zlay_tiling_tile){.rows = 1 + i * 2 + (uint32_t)test_range(&seed, 0, 1), .columns = 1, .row_step = (uint32_t)test_range(&seed, 1, 2)};
            if (costs) d.tile[i].cost = (uint64_t)test_range(&seed, 1, 20);
        }
        d.r.tiles = (uint32_t)test_range(&seed, 1, TILES);
        bool any = least_column(&d, valid, &least);
        zlay_status status = zlay_tiling_cover(*state, &tiling, &d.r);
        if (status == ZLAY_ELIMIT && d.r.bands > 64) {
            undecided++;
            continue;
        }
        if (status != (any ? ZLAY_OK : ZLAY_NONE)) fail_msg("%s, %s", zlay_status_name(status), zlay_ctx_message(*state));
        if (status) continue;
        zlay_tiling_info(&s, tiling);
        price is = {s.cost, s.cells, s.pieces};
        assert_true(!is_cheaper(is, least) && s.lower_bound <= least.cost && (!s.optimal || !is_cheaper(least, is)));
        assert_true(s.optimal || d.r.bands > 64);
        optimal += s.optimal;
        met += !is_cheaper(least, is);
        zlay_tiling_free(tiling);
    }
    printf("%llu columns: %llu covers are called optimal, %llu are; %llu undecided\n", (unsigned long long)cases, (unsigned long long)optimal,
           (unsigned long long)met, (unsigned long long)undecided);
    assert_true(optimal && met >= optimal && met * 3 > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_covers), cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, begin, end);
}
