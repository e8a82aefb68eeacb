/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute region.cover and region.check: one to four groups of 0 to 20 rows and columns, one
 * behind the other or with gaps, buffers that end behind the last group, alignments, loads that read
 * on and that do not, one to three tiles with costs and without.  Every piece is painted on a grid of
 * both buffers: each valid cell has one piece, no other cell has one, and cells, bytes and
 * multiply-adds are counted cell by cell.  The least cost, cells and pieces are found by every number of
 * each tile in strips.  Then a part is dropped, moved, grown or doubled: YES, NO and the cell that shows it
 * are compared with the grid.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=2. */
#include "tiles/regions.h"

#include <string.h>

enum { CASES = 10000, GROUPS = 4, TILES = 3, FEW = 20, EDGE = 256, PARTS = 64 };

typedef struct drawn {
    zlay_region_request r;
    zlay_region_tile tile[TILES];
    int64_t length[2][GROUPS], offset[2][GROUPS + 1], begin[2][GROUPS], size[2][GROUPS], end[2];
    bool shared;
} drawn;

/* The axis as it is asked, and in begin, size and end as it is meant. */
static void draw_axis(drawn *d, int axis, uint64_t *seed, int few)
{
    zlay_region_axis *a = axis ? &d->r.columns : &d->r.rows;
    int form = (int)test_range(seed, 0, 2);
    int64_t at = form ? test_range(seed, 0, 9) : 0;
    a->align = (uint32_t)test_range(seed, 0, 4);
    a->read_on = a->align > 1 || test_range(seed, 0, 1);
    for (uint64_t i = 0; i < d->r.count; i++) {
        int64_t size = test_range(seed, 0, 4) ? test_range(seed, 1, few) : 0;
        d->begin[axis][i] = d->offset[axis][i] = at;
        d->size[axis][i] = d->length[axis][i] = size;
        at += size;
        d->end[axis] = at;
        if (form == 2 && i + 1 < d->r.count) at += test_range(seed, 0, 5);
    }
    d->offset[axis][d->r.count] = at;
    if (form != 1) a->lengths = d->length[axis];
    if (form) a->offsets = d->offset[axis];
    if (test_range(seed, 0, 1)) a->extent = (uint64_t)(d->end[axis] += test_range(seed, 0, 9));
    if (!d->end[axis]) a->extent = 0;
}

/* The second dimension is absent, the same for all, or ragged too. */
static void draw_columns(drawn *d, uint64_t *seed)
{
    int form = (int)test_range(seed, 0, 2);
    if (form == 2) {
        draw_axis(d, 1, seed, 8);
        return;
    }
    int64_t extent = form ? test_range(seed, 1, 12) : 1;
    d->r.columns = (zlay_region_axis){.extent = form ? (uint64_t)extent : 0};
    if (form) d->r.columns.read_on = (uint32_t)test_range(seed, 0, 1);
    for (uint64_t i = 0; i < d->r.count; i++) d->begin[1][i] = 0, d->size[1][i] = extent;
    d->end[1] = extent;
}

static void draw(drawn *d, uint64_t *seed)
{
    *d = (drawn){.r = {.size = sizeof d->r, .count = (uint64_t)test_range(seed, 1, GROUPS)}};
    draw_axis(d, 0, seed, FEW);
    draw_columns(d, seed);
    bool costs = !test_range(seed, 0, 2), wide = d->r.columns.extent || d->r.columns.lengths || d->r.columns.offsets;
    uint32_t high = d->r.rows.align ? d->r.rows.align : 1, across = d->r.columns.align ? d->r.columns.align : 1;
    uint32_t want = (uint32_t)test_range(seed, 1, TILES), same = (uint32_t)test_range(seed, 0, 2);
    for (uint32_t i = 0; i < want; i++) {
        zlay_region_tile t = {.rows = high * (uint32_t)test_range(seed, 1, 9),
                              .columns = wide ? across * (uint32_t)test_range(seed, 1, 5) : (uint32_t)test_range(seed, 0, 1)};
        if (same == 1) t.columns = i ? d->tile[0].columns : t.columns;
        if (costs) t.cost = (uint64_t)test_range(seed, 1, 30);
        bool there = false;
        for (uint32_t j = 0; j < d->r.tiles; j++)
            there |= d->tile[j].rows == t.rows && d->tile[j].columns + !d->tile[j].columns == t.columns + !t.columns;
        if (!there) d->tile[d->r.tiles++] = t;
    }
    d->r.tile = d->tile;
    d->r.depth = (uint32_t)test_range(seed, 0, 100);
    d->r.row_bytes = (uint32_t)test_range(seed, 0, 100);
    d->r.column_bytes = (uint32_t)test_range(seed, 0, 100);
    d->r.cell_bytes = (uint32_t)test_range(seed, 0, 100);
}

/* ---- the grid -------------------------------------------------------------------------------------- */

static int grid[GROUPS][EDGE][EDGE];
enum { BEFORE = 64 }; /* what a part may be moved before the buffers */

static void paint(uint64_t group, int64_t row, int64_t column, uint64_t rows, uint64_t columns, int by)
{
    for (int64_t i = row; i < row + (int64_t)rows; i++)
        for (int64_t j = column; j < column + (int64_t)columns; j++) {
            assert_true(i >= -BEFORE && i < EDGE - BEFORE && j >= -BEFORE && j < EDGE - BEFORE);
            grid[group][i + BEFORE][j + BEFORE] += by;
        }
}

static void paint_groups(const drawn *d)
{
    memset(grid, 0, sizeof grid);
    for (uint64_t i = 0; i < d->r.count; i++)
        paint(i, d->begin[0][i], d->begin[1][i], (uint64_t)d->size[0][i], (uint64_t)d->size[1][i], -1);
}

/* Every cell has as many pieces as it should. */
static bool is_even(void)
{
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < EDGE; i++)
            for (int j = 0; j < EDGE; j++)
                if (grid[g][i][j]) return false;
    return true;
}

/* Rows or columns that a tile at `tile` brings: all of the buffer that lie in it, or the valid ones. */
static uint64_t brings(const zlay_region_axis *a, int64_t tile, uint64_t edge, int64_t end, uint64_t valid)
{
    uint64_t loaded = 0;
    if (!a->read_on) return valid;
    for (int64_t i = tile; i < tile + (int64_t)edge; i++) loaded += i >= 0 && i < end;
    return loaded;
}

static uint64_t bytes(const drawn *d, uint64_t rows, uint64_t columns)
{
    return rows * d->r.row_bytes + columns * d->r.column_bytes + rows * columns * d->r.cell_bytes;
}

/* Paints every piece, and counts what the pieces take. */
static zlay_region_summary walk(const drawn *d, const zlay_region *region)
{
    zlay_region_summary all = {0};
    zlay_region_piece p;
    for (uint64_t i = 0; zlay_region_piece_nth(&p, region, i) == ZLAY_OK; i++) {
        const zlay_region_tile *t = &d->tile[p.tile];
        uint64_t wide = t->columns ? t->columns : 1, area = t->rows * wide;
        paint(p.group, p.row, p.column, p.rows, p.columns, 1);
        assert_true(p.rows && p.columns && p.tile_row <= p.row && p.tile_column <= p.column &&
                    p.row + (int64_t)p.rows <= p.tile_row + (int64_t)t->rows &&
                    p.column + (int64_t)p.columns <= p.tile_column + (int64_t)wide);
        assert_true(p.tile_row % (d->r.rows.align + !d->r.rows.align) == 0 &&
                    p.tile_column % (d->r.columns.align + !d->r.columns.align) == 0);
        if (!d->r.rows.read_on) assert_int_equal(p.tile_row, p.row);
        all.pieces++;
        all.valid += p.rows * p.columns;
        all.cells += area;
        all.cost += t->cost ? t->cost : area;
        uint64_t loaded = bytes(d, brings(&d->r.rows, p.tile_row, t->rows, d->end[0], p.rows),
                                brings(&d->r.columns, p.tile_column, wide, d->end[1], p.columns));
        all.loaded_bytes += loaded;
        all.wasted_bytes += loaded - bytes(d, p.rows, p.columns);
    }
    all.madds = all.cells * d->r.depth;
    all.wasted_madds = (all.cells - all.valid) * d->r.depth;
    return all;
}

static uint64_t reach(const drawn *d, int axis, uint64_t i)
{
    uint32_t align = axis ? d->r.columns.align : d->r.rows.align;
    return d->size[axis][i] ? (uint64_t)(d->size[axis][i] + (align ? d->begin[axis][i] % align : 0)) : 0;
}

static void check_counts(const zlay_region_summary *s, const zlay_region_summary *all)
{
    if (s->pieces != all->pieces || s->valid != all->valid || s->cells != all->cells || s->cost != all->cost ||
        s->waste != all->cells - all->valid || s->madds != all->madds || s->wasted_madds != all->wasted_madds ||
        s->loaded_bytes != all->loaded_bytes || s->wasted_bytes != all->wasted_bytes)
        fail_msg("pieces %llu %llu, cells %llu %llu, loaded %llu %llu, wasted %llu %llu", (unsigned long long)s->pieces,
                 (unsigned long long)all->pieces, (unsigned long long)s->cells, (unsigned long long)all->cells,
                 (unsigned long long)s->loaded_bytes, (unsigned long long)all->loaded_bytes,
                 (unsigned long long)s->wasted_bytes, (unsigned long long)all->wasted_bytes);
}

static void check_cover(const drawn *d, const zlay_region *region, zlay_region_summary *s)
{
    price least = {0};
    assert_int_equal(zlay_region_info(s, region), ZLAY_OK);
    paint_groups(d);
    zlay_region_summary all = walk(d, region);
    assert_true(is_even());
    check_counts(s, &all);
    for (uint64_t i = 0; i < d->r.count; i++)
        if (reach(d, 0, i) && reach(d, 1, i))
            least = price_sum(least, least_strips(d->tile, d->r.tiles, reach(d, 0, i), reach(d, 1, i)), 1);
    if (least.cost != s->cost || least.cells != s->cells || least.pieces != s->pieces || s->lower_bound > s->cost)
        fail_msg("cost %llu, wanted %llu; %llu pieces, wanted %llu", (unsigned long long)s->cost, (unsigned long long)least.cost,
                 (unsigned long long)s->pieces, (unsigned long long)least.pieces);
}

/* ---- parts that are changed ------------------------------------------------------------------------- */

static uint64_t change(zlay_region_part *part, uint64_t count, const drawn *d, uint64_t *seed)
{
    uint64_t i = (uint64_t)test_range(seed, 0, (int64_t)count - 1);
    zlay_region_part *p = &part[i];
    switch (test_range(seed, 0, 6)) {
    case 0: part[i] = part[count - 1]; return count - 1;
    case 1: part[count] = *p; return count + 1;
    case 2: p->row += test_range(seed, -3, 3); break;
    case 3: p->rows += (uint64_t)test_range(seed, 0, 2); break;
    case 4: p->group = (uint64_t)test_range(seed, 0, (int64_t)d->r.count - 1); break;
    case 5:
        if (p->rows == 1) break;
        part[count] = *p;
        p->rows--;
        part[count].row += (int64_t)p->rows;
        part[count].rows = 1;
        return count + 1;
    default: p->column += test_range(seed, -1, 1);
    }
    return count;
}

/* The first cell of the witness's group, and how many parts it has. */
static void check_fault(const drawn *d, const zlay_region_fault *f)
{
    int64_t row = f->row - d->begin[0][f->group], column = f->column - d->begin[1][f->group];
    int wanted = row >= 0 && row < d->size[0][f->group] && column >= 0 && column < d->size[1][f->group];
    int found = grid[f->group][f->row + BEFORE][f->column + BEFORE] + wanted;
    assert_int_equal(found, f->parts);
    assert_int_not_equal(found, wanted);
}

static zlay_answer check_changed(zlay_ctx *ctx, const drawn *d, const zlay_region *region, uint64_t *seed)
{
    static zlay_region_part part[PARTS * 2];
    zlay_region_summary s = {0};
    zlay_region_fault fault = {0};
    zlay_answer answer = ZLAY_UNDECIDED;
    uint64_t count = 0;
    while (count < PARTS && !zlay_region_part_nth(&part[count], region, count)) count++;
    if (!count) return ZLAY_UNDECIDED;
    for (int64_t k = test_range(seed, 0, 2); k-- && count;) count = change(part, count, d, seed);
    paint_groups(d);
    for (uint64_t i = 0; i < count; i++) paint(part[i].group, part[i].row, part[i].column, part[i].rows, part[i].columns, 1);
    zlay_status status = zlay_region_check(ctx, &answer, &fault, &s, &d->r, part, count);
    if (status == ZLAY_EINVAL && strstr(zlay_ctx_message(ctx), "multiple of align")) return ZLAY_UNDECIDED;
    if (status) fail_msg("%s", zlay_ctx_message(ctx));
    if (answer != (is_even() ? ZLAY_YES : ZLAY_NO)) fail_msg("answer %d, and the grid says otherwise", answer);
    if (answer == ZLAY_NO) check_fault(d, &fault);
    return answer;
}

static void test_covers(void **state)
{
    uint64_t seed = test_seed("refute/region"), cases = test_cases(CASES), yes = 0, no = 0, optimal = 0, wasted = 0;
    for (uint64_t n = 0; n < cases; n++) {
        drawn d;
        zlay_region *region;
        zlay_region_summary s;
        draw(&d, &seed);
        if (zlay_region_cover(*state, &region, &d.r)) fail_msg("case %llu: %s", (unsigned long long)n, zlay_ctx_message(*state));
        check_cover(&d, region, &s);
        optimal += s.optimal;
        wasted += s.wasted_bytes != 0;
        zlay_answer answer = check_changed(*state, &d, region, &seed);
        yes += answer == ZLAY_YES;
        no += answer == ZLAY_NO;
        zlay_region_free(region);
    }
    printf("%llu covers, %llu optimal, %llu load bytes in vain; of changed parts %llu cover and %llu do not\n", (unsigned long long)cases,
           (unsigned long long)optimal, (unsigned long long)wasted, (unsigned long long)yes, (unsigned long long)no);
    assert_true(optimal * 3 > cases && wasted * 5 > cases && yes * 5 > cases && no * 5 > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_covers)};
    return cmocka_run_group_tests(tests, begin, end);
}
