/* SPDX-License-Identifier: Apache-2.0 */
/* Ragged domains: the example of zlay/region.h, lengths up to 2^31 - 1 against a table of every length,
 * refusals that name the field and the entry, sums beyond 64 bits, limits and failing memory. */
#include "ctx.h"
#include "heap.h"

#include <string.h>

static const zlay_region_tile rows_of[] = {{.rows = 128}, {.rows = 64}, {.rows = 16}};

static zlay_region_request asked(const int64_t *lengths, uint64_t count)
{
    return (zlay_region_request){.size = sizeof(zlay_region_request), .tiles = 3, .tile = rows_of,
                                 .count = count, .rows.lengths = lengths};
}

static zlay_region *covered(zlay_ctx *ctx, const zlay_region_request *r)
{
    zlay_region *region;
    zlay_status status = zlay_region_cover(ctx, &region, r);
    if (status) fail_msg("%s, %s", zlay_status_name(status), zlay_ctx_message(ctx));
    return region;
}

/* ---- the example of zlay/region.h --------------------------------------------------------- */

static void test_example(void **state)
{
    static const int64_t lengths[] = {200, 0, 70};
    static const struct {
        uint64_t group, row, rows, tile;
    } wanted[] = {{0, 0, 128, 0}, {0, 128, 64, 1}, {0, 192, 8, 2}, {2, 200, 64, 1}, {2, 264, 6, 2}};
    zlay_region_request r = asked(lengths, 3);
    zlay_region_summary s;
    zlay_region_part part;
    zlay_region_piece piece;
    r.row_bytes = r.rows.read_on = 1;
    zlay_region *region = covered(*state, &r);
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(zlay_region_part_nth(&part, region, i), ZLAY_OK);
        assert_true(part.group == wanted[i].group && part.row == (int64_t)wanted[i].row &&
                    part.rows == wanted[i].rows && part.tile == wanted[i].tile &&
                    part.column == 0 && part.columns == 1 && part.pieces == 1 && part.first == i);
    }
    assert_int_equal(zlay_region_part_nth(&part, region, 5), ZLAY_NONE);
    assert_int_equal(zlay_region_piece_nth(&piece, region, 5), ZLAY_NONE);
    assert_int_equal(zlay_region_info(&s, region), ZLAY_OK);
    assert_true(s.valid == 270 && s.cells == 288 && s.waste == 18 && s.pieces == 5 && s.optimal &&
                s.groups == 3 && s.parts == 5 && s.loaded_bytes == 278 && s.wasted_bytes == 8);
    zlay_region_free(region);
    r.tiles = 1;
    region = covered(*state, &r);
    zlay_region_info(&s, region);
    assert_true(s.cells == 384 && s.waste == 114 && s.pieces == 3);
    zlay_region_free(region);
}

/* ---- long groups ---------------------------------------------------------------------------- */

enum { LONG = 200000 };

/* The cells and pieces of every length, by a plain table of all lengths. */
static void table_of(uint64_t (*least)[2], const zlay_region_tile *tile, uint32_t count)
{
    for (uint64_t n = 1; n <= LONG; n++) {
        least[n][0] = UINT64_MAX;
        for (uint32_t i = 0; i < count; i++) {
            uint64_t size = tile[i].rows;
            const uint64_t *rest = least[n > size ? n - size : 0];
            uint64_t cells = rest[0] + size, pieces = rest[1] + 1;
            if (cells > least[n][0] || (cells == least[n][0] && pieces >= least[n][1])) continue;
            least[n][0] = cells;
            least[n][1] = pieces;
        }
    }
}

static void test_long(void **state)
{
    static const zlay_region_tile sets[][3] = {{{.rows = 128}, {.rows = 64}, {.rows = 16}},
                                               {{.rows = 192}, {.rows = 176}, {.rows = 80}},
                                               {{.rows = 255}, {.rows = 254}, {.rows = 7}},
                                               {{.rows = 97}, {.rows = 89}, {.rows = 83}}};
    static uint64_t least[LONG + 1][2];
    uint64_t seed = test_seed("synth/region");
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        table_of(least, sets[k], 3);
        for (uint64_t n = 0; n < test_iterations(400); n++) {
            int64_t length = test_range(&seed, 1, n % 2 ? LONG : 3000);
            zlay_region_request r = asked(&length, 1);
            zlay_region_summary s;
            r.tile = sets[k];
            zlay_region *region = covered(*state, &r);
            zlay_region_info(&s, region);
            assert_int_equal(s.cells, least[length][0]);
            assert_int_equal(s.pieces, least[length][1]);
            zlay_region_free(region);
        }
    }
}

static void test_longest(void **state)
{
    static const int64_t length = INT32_MAX;
    zlay_region_request r = asked(&length, 1);
    zlay_region_summary s;
    zlay_region_piece p;
    zlay_region *region = covered(*state, &r);
    zlay_region_info(&s, region);
    assert_true(s.waste == 1 && s.pieces == 1 << 24 && s.parts == 1 && s.optimal);
    assert_int_equal(zlay_region_piece_nth(&p, region, s.pieces - 1), ZLAY_OK);
    assert_true(p.row == INT32_MAX - 127 && p.rows == 127 && p.tile_row == p.row);
    zlay_region_free(region);
}

/* ---- two dimensions -------------------------------------------------------------------------- */

/* Tiles go along the columns first; the last of each row and column is partly valid. */
static void test_pieces_of_a_part(void **state)
{
    static const int64_t lengths[] = {200, 70};
    static const zlay_region_tile tile = {.rows = 128, .columns = 256};
    zlay_region_request r = asked(lengths, 2);
    zlay_region_summary s;
    zlay_region_piece p;
    r.tiles = 1;
    r.tile = &tile;
    r.columns.extent = 600;
    r.depth = 64;
    zlay_region *region = covered(*state, &r);
    zlay_region_info(&s, region);
    assert_true(s.pieces == 9 && s.parts == 2 && s.valid == 270 * 600 && s.cells == 9 * 128 * 256);
    assert_true(s.wasted_madds == (s.cells - s.valid) * 64 && s.madds == s.cells * 64);
    assert_int_equal(zlay_region_piece_nth(&p, region, 5), ZLAY_OK);
    assert_true(p.group == 0 && p.row == 128 && p.rows == 72 && p.column == 512 && p.columns == 88);
    assert_int_equal(zlay_region_piece_nth(&p, region, 6), ZLAY_OK);
    assert_true(p.group == 1 && p.row == 200 && p.rows == 70 && p.column == 0 && p.columns == 256);
    zlay_region_free(region);
}

/* ---- refusals --------------------------------------------------------------------------------- */

static void refuse(zlay_ctx *ctx, const zlay_region_request *r, zlay_status wanted, const char *says)
{
    zlay_region *region = (zlay_region *)ctx;
    zlay_status status = zlay_region_cover(ctx, &region, r);
    assert_null(region);
    if (status != wanted || !strstr(zlay_ctx_message(ctx), says))
        fail_msg("%s, %s; wanted %s", zlay_status_name(status), zlay_ctx_message(ctx), says);
}

static void test_groups_refused(void **state)
{
    static const int64_t fine[] = {3, 5}, below[] = {3, -1}, beyond[] = {3, (int64_t)1 << 31};
    static const int64_t falls[] = {0, 9, 4}, under[] = {-4, 0, 4}, wide[] = {0, 1, (int64_t)1 << 33};
    static const int64_t close[] = {0, 2}, far[] = {0, ((int64_t)1 << 62) + 1};
    const struct {
        zlay_region_axis rows;
        const char *says;
    } row[] = {
        {{.extent = 0}, "rows.lengths: there are none"},
        {{.lengths = below}, "rows.lengths[1]: -1 is not"},
        {{.lengths = beyond}, "rows.lengths[1]: 2147483648 is not"},
        {{.offsets = falls}, "rows.offsets[2]: 4 is below the entry before it, 9"},
        {{.offsets = under}, "rows.offsets[0]: -4 is not"},
        {{.offsets = wide}, "rows.offsets[2]: group 1 has 8589934591"},
        {{.lengths = fine, .offsets = close}, "rows.offsets[1]: group 0 overlaps this one, it ends at 3"},
        {{.lengths = fine, .offsets = far}, "rows.offsets[1]: 4611686018427387905 is not"},
        {{.lengths = fine, .extent = 7}, "rows.extent: group 1 ends at 8, and the buffer at 7"},
        {{.lengths = fine, .extent = UINT64_MAX}, "rows.extent: 18446744073709551615 passes"},
        {{.extent = (uint64_t)1 << 31}, "rows.extent: 2147483648 of each group"},
        {{.lengths = fine, .read_on = 2}, "rows.read_on: 2"},
        {{.lengths = fine, .align = 3}, "tile[0].rows: 128 is no multiple of rows.align, 3"},
        {{.lengths = fine, .reserved = {1}}, "rows.reserved"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        zlay_region_request r = asked(NULL, 2);
        r.rows = row[i].rows;
        refuse(*state, &r, ZLAY_EINVAL, row[i].says);
    }
}

static void test_request_refused(void **state)
{
    static const int64_t lengths[] = {3, 5}, shifted[] = {3, 9, 17};
    static const zlay_region_tile same[] = {{.rows = 8}, {.rows = 8, .columns = 1}};
    static const zlay_region_tile none[] = {{.rows = 8}, {.columns = 8}}, part[] = {{8, 1, 4}, {4, 1, 0}};
    static const zlay_region_tile dear[] = {{8, 1, (uint64_t)1 << 48}, {4, 1, 1}};
    zlay_region_request r = asked(lengths, 0);
    refuse(*state, &r, ZLAY_EINVAL, "count");
    r = asked(lengths, 2);
    r.tiles = 0;
    refuse(*state, &r, ZLAY_EINVAL, "tiles: 0");
    r.tiles = ZLAY_REGION_TILES + 1;
    refuse(*state, &r, ZLAY_EINVAL, "tiles: 17");
    r.tiles = 2;
    r.tile = NULL;
    refuse(*state, &r, ZLAY_EINVAL, "tiles");
    r.tile = same;
    refuse(*state, &r, ZLAY_EINVAL, "tile[1]: it is tile 0 again");
    r.tile = none;
    refuse(*state, &r, ZLAY_EINVAL, "tile[1].rows: 0");
    r.tile = part;
    refuse(*state, &r, ZLAY_EINVAL, "tile[1].cost: it is 0");
    r.tile = dear;
    refuse(*state, &r, ZLAY_EINVAL, "tile[0].cost");
    r = asked(lengths, 2);
    r.reserved[3] = 1;
    refuse(*state, &r, ZLAY_EINVAL, "reserved");
    r = asked(NULL, 2);
    r.rows.offsets = shifted;
    r.rows.align = 8;
    refuse(*state, &r, ZLAY_NONE, "rows: group 0 begins at 3, which is no multiple of align, 8");
    assert_int_equal(zlay_region_cover(*state, NULL, &r), ZLAY_EINVAL);
}

/* Each number fits, and what they come to does not. */
static void test_sums_refused(void **state)
{
    static const int64_t longest[] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    static const zlay_region_tile one = {.rows = 1, .columns = 1}, dear = {1, 1, ((uint64_t)1 << 48) - 1};
    zlay_region_request r = asked(longest, 5);
    r.tile = &one;
    r.tiles = 1;
    r.columns.extent = INT32_MAX;
    refuse(*state, &r, ZLAY_EOVERFLOW, "64 bits");
    r.count = 2;
    r.depth = 1 << 10;
    refuse(*state, &r, ZLAY_EOVERFLOW, "depth");
    r.depth = 0;
    r.cell_bytes = 8;
    refuse(*state, &r, ZLAY_EOVERFLOW, "cell_bytes");
    r.tile = &dear;
    refuse(*state, &r, ZLAY_EOVERFLOW, "tiles: the cost of a group passes 64 bits");
}

/* ---- parts of any origin ------------------------------------------------------------------------ */

static void test_check(void **state)
{
    static const int64_t lengths[] = {200, 70};
    zlay_region_part part[] = {{.row = 200, .group = 1, .rows = 70, .columns = 1, .tile = 1},
                               {.row = 0, .group = 0, .rows = 200, .columns = 1, .tile = 0}};
    zlay_region_request r = asked(lengths, 2);
    zlay_region_summary s;
    zlay_region_fault f;
    zlay_answer answer;
    assert_int_equal(zlay_region_check(*state, &answer, &f, &s, &r, part, 2), ZLAY_OK);
    assert_true(answer == ZLAY_YES && s.cells == 256 + 128 && s.pieces == 4 && s.waste == 114);
    part[0].row = 199;
    assert_int_equal(zlay_region_check(*state, &answer, &f, &s, &r, part, 2), ZLAY_OK);
    assert_true(answer == ZLAY_NO && f.group == 1 && f.row == 199 && f.parts == 1);
    part[0] = (zlay_region_part){.row = 210, .group = 1, .rows = 60, .columns = 1};
    assert_int_equal(zlay_region_check(*state, &answer, &f, NULL, &r, part, 2), ZLAY_OK);
    assert_true(answer == ZLAY_NO && f.group == 1 && f.row == 200 && f.parts == 0);
    assert_int_equal(zlay_region_check(*state, &answer, NULL, NULL, &r, NULL, 0), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
}

static void test_parts_refused(void **state)
{
    static const int64_t lengths[] = {64, 64};
    static const struct {
        zlay_region_part part;
        const char *says;
    } row[] = {
        {{.group = 2, .rows = 1, .columns = 1}, "parts[1].group"},
        {{.tile = 3, .rows = 1, .columns = 1}, "parts[1].tile"},
        {{.columns = 1}, "parts[1].rows: it is empty"},
        {{.rows = 1}, "parts[1].columns: it is empty"},
        {{.rows = 1, .columns = 1, .row = INT64_MIN}, "parts[1].rows: it passes"},
        {{.rows = 1, .columns = UINT64_MAX}, "parts[1].columns: it passes"},
        {{.rows = 1, .columns = 1, .row = 3}, "parts[1].rows: it begins at no multiple of align"},
        {{.rows = 1, .columns = 1, .reserved = 1}, "parts[1].reserved"},
    };
    zlay_region_request r = asked(lengths, 2);
    zlay_answer answer;
    r.rows.align = 16;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const zlay_region_part part[] = {{.rows = 1, .columns = 1}, row[i].part};
        assert_int_equal(zlay_region_check(*state, &answer, NULL, NULL, &r, part, 2), ZLAY_EINVAL);
        if (!strstr(zlay_ctx_message(*state), row[i].says)) fail_msg("%s", zlay_ctx_message(*state));
    }
}

/* ---- what a call may take -------------------------------------------------------------------------- */

static zlay_status cover_and_check(zlay_ctx *ctx, void *request)
{
    zlay_region *region;
    zlay_answer answer;
    zlay_region_part part = {.rows = 3, .columns = 1};
    zlay_status status = zlay_region_cover(ctx, &region, request);
    zlay_region_free(region);
    return status ? status : zlay_region_check(ctx, &answer, NULL, NULL, request, &part, 1);
}

static void test_memory(void **state)
{
    int64_t lengths[40];
    heap h;
    (void)state;
    for (int i = 0; i < 40; i++) lengths[i] = 7 * i;
    zlay_region_request r = asked(lengths, 40);
    r.columns.extent = 1000;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, cover_and_check, &r), ZLAY_OK);
    heap_close(&h, ctx);
}

/* Sizes that share no divisor have a long table, and groups of one extent may be any number: both end at
 * a limit, which is named. */
static void test_limit(void **state)
{
    static const zlay_region_tile tile[] = {{.rows = 65536}, {.rows = 65535}};
    int64_t length = INT32_MAX;
    zlay_region_request r = asked(&length, 1);
    r.tile = tile;
    r.tiles = 2;
    refuse(*state, &r, ZLAY_ELIMIT, "limits.");
    r = asked(NULL, UINT64_MAX);
    r.rows.extent = 100;
    refuse(*state, &r, ZLAY_ELIMIT, "limits.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),         cmocka_unit_test(test_long),
        cmocka_unit_test(test_longest),         cmocka_unit_test(test_pieces_of_a_part),
        cmocka_unit_test(test_groups_refused),  cmocka_unit_test(test_request_refused),
        cmocka_unit_test(test_sums_refused),    cmocka_unit_test(test_check),
        cmocka_unit_test(test_parts_refused),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
