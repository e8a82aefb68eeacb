/* SPDX-License-Identifier: Apache-2.0 */
/* Every set of up to three tiles of up to 16 rows, and every length to 64: the least waste, then the
 * fewest pieces, and with costs the least cost, of all numbers of each tile.  Tiles of up to 6 rows
 * and every length to 400, which is beyond the period of them all.  Every rectangle of up to 4 x 5
 * cells and every set of two tiles of up to 3 x 3: the least of all strips, and what is called
 * optimal, or a lower bound, against every set of boxes. */
#include "tiles/regions.h"

enum { SIZES = 16, LENGTHS = 64, SMALL_SIZES = 6, LONGEST = 400, HIGH = 4, WIDE = 5, SIDE = 3 };

/* Groups of every length up to the longest, each compared with the least of all. */
static void check_line(zlay_ctx *ctx, const zlay_region_tile *tile, uint32_t count, uint32_t longest)
{
    static int64_t length[LONGEST];
    zlay_region *region;
    zlay_region_summary s;
    price all = {0};
    for (uint32_t i = 0; i < longest; i++) {
        length[i] = i + 1;
        all = price_sum(all, least_strips(tile, count, i + 1, 1), 1);
    }
    zlay_region_request r = {.size = sizeof r, .tiles = count, .tile = tile, .count = longest,
                             .rows.lengths = length};
    assert_int_equal(zlay_region_cover(ctx, &region, &r), ZLAY_OK);
    assert_int_equal(zlay_region_info(&s, region), ZLAY_OK);
    if (s.cost != all.cost || s.cells != all.cells || s.pieces != all.pieces || !s.optimal ||
        s.lower_bound != s.cost)
        fail_msg("tiles of %u, %u, %u: %llu cells in %llu pieces, wanted %llu in %llu", tile[0].rows,
                 tile[1].rows, tile[2].rows, (unsigned long long)s.cells,
                 (unsigned long long)s.pieces, (unsigned long long)all.cells,
                 (unsigned long long)all.pieces);
    zlay_region_free(region);
}

static uint64_t sets_of(zlay_ctx *ctx, uint32_t most, uint32_t longest, uint64_t *seed)
{
    uint64_t sets = 0;
    for (uint32_t a = 1; a <= most; a++)
        for (uint32_t b = a; b <= most; b++)
            for (uint32_t c = b; c <= most; c++) {
                zlay_region_tile tile[3] = {{.rows = a}, {.rows = b}, {.rows = c}};
                uint32_t count = a == b ? (b == c ? 1 : 0) : b == c ? 2 : 3;
                if (!count) continue;
                check_line(ctx, tile, count, longest);
                for (int i = 0; i < 3; i++) tile[i].cost = (uint64_t)test_range(seed, 1, 20);
                check_line(ctx, tile, count, longest);
                sets++;
            }
    return sets;
}

static void test_lines(void **state)
{
    uint64_t seed = test_seed("exhaustive/region");
    uint64_t sets = sets_of(*state, SIZES, LENGTHS, &seed);
    assert_int_equal(sets, 16 + 120 + 560);
    sets += sets_of(*state, SMALL_SIZES, LONGEST, &seed);
    printf("%llu sets of tiles, each without costs and with costs\n", (unsigned long long)sets);
}

static void check_rectangle(zlay_ctx *ctx, const zlay_region_tile *tile, uint32_t rows,
                            uint32_t columns, uint64_t *optimal)
{
    zlay_region *region;
    zlay_region_summary s;
    zlay_region_request r = {.size = sizeof r, .tiles = 2, .tile = tile, .count = 1,
                             .rows.extent = rows, .columns.extent = columns};
    price strips = least_strips(tile, 2, rows, columns), all = least_boxes(tile, 2, rows, columns);
    assert_int_equal(zlay_region_cover(ctx, &region, &r), ZLAY_OK);
    assert_int_equal(zlay_region_info(&s, region), ZLAY_OK);
    if (s.cost != strips.cost || s.cells != strips.cells || s.pieces != strips.pieces ||
        s.lower_bound > all.cost || (s.optimal && (s.cost != all.cost || s.pieces != all.pieces)))
        fail_msg("%u x %u by %u x %u, %u x %u: cost %llu, %llu pieces, bound %llu; strips %llu, %llu; all %llu, %llu",
                 rows, columns, tile[0].rows, tile[0].columns, tile[1].rows, tile[1].columns,
                 (unsigned long long)s.cost, (unsigned long long)s.pieces,
                 (unsigned long long)s.lower_bound, (unsigned long long)strips.cost,
                 (unsigned long long)strips.pieces, (unsigned long long)all.cost,
                 (unsigned long long)all.pieces);
    *optimal += s.optimal;
    zlay_region_free(region);
}

static void test_rectangles(void **state)
{
    uint64_t all = 0, optimal = 0, seed = 7;
    for (uint32_t a = 0; a < SIDE * SIDE; a++)
        for (uint32_t b = a + 1; b < SIDE * SIDE; b++)
            for (uint32_t at = 0; at < 2 * HIGH * WIDE; at++, all++) {
                zlay_region_tile tile[] = {{a / SIDE + 1, a % SIDE + 1, 0},
                                           {b / SIDE + 1, b % SIDE + 1, 0}};
                for (int i = 0; at >= HIGH * WIDE && i < 2; i++)
                    tile[i].cost = (uint64_t)test_range(&seed, 1, 9);
                check_rectangle(*state, tile, at % HIGH + 1, at / HIGH % WIDE + 1, &optimal);
            }
    printf("%llu rectangles, %llu covers proved the least of all\n", (unsigned long long)all,
           (unsigned long long)optimal);
    assert_true(optimal * 3 > all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_rectangles)};
    return cmocka_run_group_tests(tests, begin, end);
}
