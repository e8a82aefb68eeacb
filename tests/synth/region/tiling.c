/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of different widths: the example of zlay/tiling.h, a causal mask of 8192 rows, a tiling that no cut divides,
 * windows that end undecided, refusals that name the field and the entry, sums beyond 64 bits and failing memory. */
#include "ctx.h"
#include "heap.h"

#include <string.h>
#include <zlay/tiling.h>

static const zlay_tiling_band causal4 = {.rows = 4, .end = 1, .end_step = 1};
static const zlay_tiling_tile square2[] = {{.rows = 2, .columns = 2}, {.rows = 1, .columns = 1}};

static zlay_tiling_request asked(const zlay_tiling_band *band, uint64_t bands, const zlay_tiling_tile *tile, uint32_t tiles)
{
    return (zlay_tiling_request){.size = sizeof(zlay_tiling_request), .band = band, .bands = bands, .tile = tile, .tiles = tiles};
}

static zlay_region_summary summary_of(zlay_ctx *ctx, const zlay_tiling_request *r)
{
    zlay_tiling *tiling;
    zlay_region_summary s;
    zlay_status status = zlay_tiling_cover(ctx, &tiling, r);
    if (status) fail_msg("%s, %s", zlay_status_name(status), zlay_ctx_message(ctx));
    assert_int_equal(zlay_tiling_info(&s, tiling), ZLAY_OK);
    zlay_tiling_free(tiling);
    return s;
}

/* ---- the example of zlay/tiling.h ------------------------------------------------------------------- */

static void test_example(void **state)
{
    static const uint64_t wanted[][3] = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {2, 0, 0}, {2, 2, 1}, {3, 2, 1}, {3, 3, 1}};
    zlay_tiling_request r = asked(&causal4, 1, square2, 2);
    zlay_region_summary s;
    zlay_tiling_piece p;
    zlay_tiling *tiling;
    assert_int_equal(zlay_tiling_cover(*state, &tiling, &r), ZLAY_OK);
    for (uint64_t i = 0; i < 7; i++) {
        assert_int_equal(zlay_tiling_piece_nth(&p, tiling, i), ZLAY_OK);
        assert_true(p.group == 0 && p.row == wanted[i][0] && p.column == wanted[i][1] && p.tile == wanted[i][2]);
    }
    assert_int_equal(zlay_tiling_piece_nth(&p, tiling, 7), ZLAY_NONE);
    assert_int_equal(zlay_tiling_info(&s, tiling), ZLAY_OK);
    assert_true(s.valid == 10 && s.cells == 10 && s.pieces == 7 && s.optimal && s.groups == 1);
    zlay_tiling_free(tiling);
    r.tiles = 1;
    s = summary_of(*state, &r);
    assert_true(s.cells == 12 && s.waste == 2 && s.pieces == 3 && s.optimal);
}

/* ---- what is exact ----------------------------------------------------------------------------------- */

/* On the diagonal a tile of 128 is three of 64, and below it two side by side are one of 256. */
static void test_causal(void **state)
{
    static const zlay_tiling_band band = {.rows = 8192, .end = 1, .end_step = 1};
    static const zlay_tiling_tile tile[] = {{.rows = 128, .columns = 256}, {.rows = 128, .columns = 128}, {.rows = 64, .columns = 64}};
    zlay_tiling_request r = asked(&band, 1, tile, 3);
    zlay_region_summary s = summary_of(*state, &r);
    uint64_t rows = 8192 / 128, below = 0, pieces = 3 * rows;
    for (uint64_t i = 0; i < rows; i++) below += i, pieces += i / 2 + i % 2;
    assert_true(s.optimal && s.cells == below * 128 * 128 + rows * 3 * 64 * 64 && s.pieces == pieces && s.lower_bound == s.cost);
}

/* A pinwheel: four tiles of 2 x 3 around one cell, with no cut from side to side. */
static void test_pinwheel(void **state)
{
    static const zlay_tiling_band band = {.rows = 5, .end = 5};
    static const zlay_tiling_tile tile[] = {{3, 2, 1, 1, 0}, {2, 3, 1, 1, 0}, {1, 1, 1, 1, 0}};
    zlay_tiling_request r = asked(&band, 1, tile, 3);
    zlay_region_summary s = summary_of(*state, &r);
    assert_true(s.optimal && s.waste == 0 && s.pieces == 5);
    static const zlay_region_tile strips[] = {{3, 2, 0}, {2, 3, 0}, {1, 1, 0}};
    zlay_region_request by_strips = {.size = sizeof by_strips, .tiles = 3, .tile = strips, .count = 1, .rows.extent = 5, .columns.extent = 5};
    zlay_region *region;
    assert_int_equal(zlay_region_cover(*state, &region, &by_strips), ZLAY_OK);
    zlay_region_info(&s, region);
    assert_true(s.waste == 0 && s.pieces > 5);
    zlay_region_free(region);
}

/* Beyond 64 units a side the cover is one of windows, and says so. */
static void test_cut(void **state)
{
    static const zlay_tiling_band band = {.rows = 200, .end = 200};
    static const zlay_tiling_tile tile[] = {{3, 2, 1, 1, 0}, {2, 3, 1, 1, 0}, {1, 1, 1, 1, 0}};
    zlay_tiling_request r = asked(&band, 1, tile, 3);
    zlay_region_summary s = summary_of(*state, &r);
    assert_true(!s.optimal && s.lower_bound == 40000 && s.cost >= 40000);
    r.tiles = 1; /* windows of 32 rows have no cover by 3 rows that end there, and none may pass */
    zlay_tiling *tiling;
    assert_int_equal(zlay_tiling_cover(*state, &tiling, &r), ZLAY_ELIMIT);
    assert_true(!tiling && strstr(zlay_ctx_message(*state), "undecided"));
}

/* ---- refusals ---------------------------------------------------------------------------------------- */

static void refuse(zlay_ctx *ctx, const zlay_tiling_request *r, zlay_status wanted, const char *says)
{
    zlay_tiling *tiling = (zlay_tiling *)ctx;
    zlay_status status = zlay_tiling_cover(ctx, &tiling, r);
    if (tiling || status != wanted || !strstr(zlay_ctx_message(ctx), says))
        fail_msg("%s, %s; wanted %s", zlay_status_name(status), zlay_ctx_message(ctx), says);
}

static void test_bands_refused(void **state)
{
    static const int64_t far = (int64_t)1 << 31;
    static const struct {
        zlay_tiling_band band;
        const char *says;
    } row[] = {
        {{.group = 1}, "band[1].rows: 0 is not"},
        {{.group = 1, .rows = UINT64_MAX}, "band[1].rows: 18446744073709551615 is not"},
        {{.group = 1, .rows = INT32_MAX}, "band[1].rows: the group has more"},
        {{.rows = 1}, "band[1].group: 0 is below"},
        {{.group = 1, .rows = 1, .begin = -far - 1}, "band[1].begin: -2147483649"},
        {{.group = 1, .rows = 1, .end = far}, "band[1].end: 2147483648"},
        {{.group = 1, .rows = 1, .begin_step = far}, "band[1].begin_step"},
        {{.group = 1, .rows = 1, .end_step = far}, "band[1].end_step"},
        {{.group = 1, .rows = 1, .columns = (uint64_t)1 << 31}, "band[1].columns: 2147483648"},
        {{.group = UINT64_MAX, .rows = 1}, "band: the groups pass 64 bits"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const zlay_tiling_band band[] = {{.group = 1, .rows = 1, .end = 1}, row[i].band};
        zlay_tiling_request r = asked(band, 2, square2, 2);
        refuse(*state, &r, ZLAY_EINVAL, row[i].says);
    }
    zlay_tiling_request r = asked(NULL, 0, square2, 2);
    refuse(*state, &r, ZLAY_EINVAL, "bands: there is none");
}

static void test_tiles_refused(void **state)
{
    static const struct {
        zlay_tiling_tile tile;
        zlay_status status;
        const char *says;
    } row[] = {
        {{.columns = 2}, ZLAY_EINVAL, "tile[1].rows: 0 is not"},
        {{.rows = 1}, ZLAY_EINVAL, "tile[1].columns: 0 is not"},
        {{.rows = (1 << 20) + 1, .columns = 1}, ZLAY_EINVAL, "tile[1].rows: 1048577"},
        {{.rows = 1, .columns = 1, .column_step = (1 << 20) + 1}, ZLAY_EINVAL, "tile[1].column_step: 1048577"},
        {{.rows = 2, .columns = 2, .row_step = 1, .cost = 1}, ZLAY_EINVAL, "tile[1]: it is tile 0 again"},
        {{.rows = 1, .columns = 1}, ZLAY_EINVAL, "tile[1].cost: it is 0"},
        {{.rows = 1, .columns = 1, .cost = (uint64_t)1 << 48}, ZLAY_EINVAL, "tile[1].cost: it is not below"},
        {{.rows = 67, .columns = 1, .cost = 1}, ZLAY_ENOTSUP, "tiles: their places in rows repeat after more than 64 steps of 1"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const zlay_tiling_tile tile[] = {{.rows = 2, .columns = 2, .cost = 1}, row[i].tile};
        zlay_tiling_request r = asked(&causal4, 1, tile, 2);
        refuse(*state, &r, row[i].status, row[i].says);
    }
    zlay_tiling_request r = asked(&causal4, 1, square2, 0);
    refuse(*state, &r, ZLAY_EINVAL, "tiles: 0");
    r.tiles = ZLAY_REGION_TILES + 1;
    refuse(*state, &r, ZLAY_EINVAL, "tiles: 17");
    r.tiles = 2;
    r.reserved[1] = 1;
    refuse(*state, &r, ZLAY_EINVAL, "reserved");
    assert_int_equal(zlay_tiling_cover(*state, NULL, &r), ZLAY_EINVAL);
}

/* Tiles of 2 rows at every third row leave one between them. */
static void test_none(void **state)
{
    static const zlay_tiling_tile tile = {.rows = 2, .columns = 2, .row_step = 3};
    zlay_tiling_request r = asked(&causal4, 1, &tile, 1);
    refuse(*state, &r, ZLAY_NONE, "group 0, row 0, column 0: no set of tiles");
}

static void test_sums_refused(void **state)
{
    static const zlay_tiling_band band = {.rows = 100000, .end = 1 << 24};
    static const zlay_tiling_tile tile = {.rows = 1 << 20, .columns = 1 << 20};
    zlay_tiling_request r = asked(&band, 1, &tile, 1);
    r.depth = UINT32_MAX;
    refuse(*state, &r, ZLAY_EOVERFLOW, "depth");
    r.depth = 0;
    r.cell_bytes = UINT32_MAX;
    refuse(*state, &r, ZLAY_EOVERFLOW, "cell_bytes");
    static const zlay_tiling_band many = {.rows = INT32_MAX, .end = INT32_MAX};
    r = asked(&many, 1, square2, 2);
    refuse(*state, &r, ZLAY_ELIMIT, "limits.");
}

/* ---- pieces of any origin ------------------------------------------------------------------------------ */

static void test_check(void **state)
{
    zlay_tiling_piece piece[] = {{0, 2, 2, 0, 0}, {0, 0, 0, 0, 0}, {0, 2, 0, 0, 0}};
    zlay_tiling_request r = asked(&causal4, 1, square2, 1);
    zlay_region_summary s;
    zlay_region_fault f;
    zlay_answer answer;
    assert_int_equal(zlay_tiling_check(*state, &answer, &f, &s, &r, piece, 3), ZLAY_OK);
    assert_true(answer == ZLAY_YES && s.cells == 12 && s.waste == 2 && s.pieces == 3);
    assert_int_equal(zlay_tiling_check(*state, &answer, &f, NULL, &r, piece, 2), ZLAY_OK);
    assert_true(answer == ZLAY_NO && f.row == 2 && f.column == 0 && f.parts == 0);
    piece[1].row = 2;
    assert_int_equal(zlay_tiling_check(*state, &answer, &f, NULL, &r, piece, 3), ZLAY_OK);
    assert_true(answer == ZLAY_NO && f.row == 0 && f.column == 0 && f.parts == 0);
    assert_int_equal(zlay_tiling_check(*state, &answer, NULL, NULL, &r, NULL, 0), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
}

static void test_pieces_refused(void **state)
{
    static const struct {
        zlay_tiling_piece piece;
        const char *says;
    } row[] = {
        {{.group = 1}, "pieces[1].group"},       {{.tile = 2}, "pieces[1].tile"},
        {{.reserved = 1}, "pieces[1].reserved"}, {{.row = 1}, "pieces[1].row: it is no multiple"},
        {{.column = 3}, "pieces[1].column"},     {{.row = (uint64_t)1 << 32}, "pieces[1].row"},
    };
    zlay_tiling_request r = asked(&causal4, 1, square2, 2);
    zlay_answer answer;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const zlay_tiling_piece piece[] = {{0}, row[i].piece};
        assert_int_equal(zlay_tiling_check(*state, &answer, NULL, NULL, &r, piece, 2), ZLAY_EINVAL);
        if (!strstr(zlay_ctx_message(*state), row[i].says)) fail_msg("%s", zlay_ctx_message(*state));
    }
}

static zlay_status cover_and_check(zlay_ctx *ctx, void *request)
{
    zlay_tiling *tiling;
    zlay_answer answer;
    zlay_tiling_piece piece = {0};
    zlay_status status = zlay_tiling_cover(ctx, &tiling, request);
    zlay_tiling_free(tiling);
    return status ? status : zlay_tiling_check(ctx, &answer, NULL, NULL, request, &piece, 1);
}

static void test_memory(void **state)
{
    static const zlay_tiling_band band[] = {{.rows = 40, .end = 1, .end_step = 1}, {.group = 1, .rows = 70, .end = 7}};
    heap h;
    (void)state;
    zlay_tiling_request r = asked(band, 2, square2, 2);
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, cover_and_check, &r), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),       cmocka_unit_test(test_causal), cmocka_unit_test(test_pinwheel), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_bands_refused), cmocka_unit_test(test_tiles_refused), cmocka_unit_test(test_none), cmocka_unit_test(test_sums_refused),
        cmocka_unit_test(test_check),         cmocka_unit_test(test_pieces_refused), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
