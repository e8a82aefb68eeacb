/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of ragged groups: the cells of each group have each of its rows once, and what their labels say is wasted
 * is what is left of their tiles. */
#include "heap.h"
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlay/show_ragged.h>

enum { GROUPS = 12, ROWS = 400, TRIALS = 300 };

static zlay_ctx *new_ctx(void)
{
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    return ctx;
}

static zlay_region *cover(zlay_ctx *ctx, const zlay_region_request *request)
{
    zlay_region *region;
    if (zlay_region_cover(ctx, &region, request)) fail_msg("%s", zlay_ctx_message(ctx));
    return region;
}

/* `8 of 2*16` or `2*16`: valid rows, and those of the tiles. */
static void read_label(const char *label, int64_t *valid, int64_t *rows)
{
    const char *of = strstr(label, " of "), *tile = of ? of + 4 : label, *times = strchr(tile, '*');
    *rows = times ? atoll(tile) * atoll(times + 1) : atoll(tile);
    *valid = of ? atoll(label) : *rows;
}

static int64_t check(const zlay_picture *picture, const zlay_region_request *r)
{
    static unsigned char seen[GROUPS * ROWS];
    int64_t begin[GROUPS + 1] = {0}, waste = 0, valid, rows, first, last;
    zlay_box box;
    memset(seen, 0, sizeof seen);
    for (uint64_t g = 0; g < r->count; g++) begin[g + 1] = begin[g] + r->rows.lengths[g];
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, picture, 0, i); i++) {
        assert_int_equal(sscanf(box.tip, "group %*d, rows %" SCNd64 "..%" SCNd64, &first, &last), 2);
        read_label(box.label, &valid, &rows);
        assert_int_equal(last - first + 1, valid);
        assert_true(first >= begin[box.row] && last < begin[box.row + 1]);
        for (int64_t k = first; k <= last; k++) assert_int_equal(seen[k]++, 0);
        assert_int_equal(rows % r->tile[box.key].rows, 0);
        assert_int_equal(box.marked, rows != valid);
        assert_true(rows - valid < r->tile[box.key].rows);
        waste += rows - valid;
    }
    for (int64_t k = 0; k < begin[r->count]; k++) assert_int_equal(seen[k], 1);
    return waste;
}

static void test_cells(void **state)
{
    (void)state;
    uint64_t seed = 77;
    int64_t all = 0;
    zlay_ctx *ctx = new_ctx();
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t lengths[GROUPS];
        zlay_region_tile tile[3] = {{.rows = 61 + (uint32_t)(test_random(&seed) % 70)},
                                    {.rows = 21 + (uint32_t)(test_random(&seed) % 40)},
                                    {.rows = 1 + (uint32_t)(test_random(&seed) % 20)}};
        zlay_region_request r = {.size = sizeof r, .tiles = 1 + (uint32_t)(test_random(&seed) % 3),
                                 .count = 1 + test_random(&seed) % GROUPS, .rows = {.lengths = lengths}, .tile = tile};
        zlay_region_summary sum;
        zlay_picture *picture;
        char note[64];
        for (uint64_t g = 0; g < r.count; g++)
            lengths[g] = test_random(&seed) % 4 ? (int64_t)(test_random(&seed) % ROWS) : 0;
        zlay_region *region = cover(ctx, &r);
        assert_int_equal(zlay_show_ragged(ctx, &picture, region), ZLAY_OK);
        assert_int_equal(zlay_region_info(&sum, region), ZLAY_OK);
        int64_t waste = check(picture, &r);
        assert_int_equal(waste, (int64_t)sum.waste);
        int length = snprintf(note, sizeof note, "%" PRId64 " are wasted", waste);
        assert_int_equal(strncmp(zlay_picture_note_nth(picture, 1), note, (size_t)length), 0);
        all += waste;
        zlay_picture_free(picture);
        zlay_region_free(region);
    }
    print_message("%" PRId64 " rows are wasted in %d covers\n", all, TRIALS);
    assert_true(all > TRIALS);
    zlay_ctx_free(ctx);
}

/* Two dimensions: 200 x 100 in tiles of 128 x 64. */
static void test_wide(void **state)
{
    (void)state;
    const int64_t lengths[] = {200, 0, 128};
    const zlay_region_tile tile = {.rows = 128, .columns = 64};
    const zlay_region_request r = {.size = sizeof r, .tiles = 1, .count = 3, .rows = {.lengths = lengths},
                                   .columns = {.extent = 128}, .tile = &tile, .row_bytes = 2};
    zlay_ctx *ctx = new_ctx();
    zlay_region *region = cover(ctx, &r);
    zlay_picture *picture;
    zlay_panel panel;
    zlay_box box;
    assert_int_equal(zlay_show_ragged(ctx, &picture, region), ZLAY_OK);
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, 0), ZLAY_OK);
    assert_int_equal(panel.rows, 3);
    assert_int_equal(panel.boxes, 2);
    assert_int_equal(zlay_picture_box_nth(&box, picture, 0, 0), ZLAY_OK);
    assert_string_equal(box.label, "200x128 of 4*128x64");
    assert_string_equal(box.tip, "group 0, rows 0..199, columns 0..127: 4 of tile 0, 7168 cells wasted");
    assert_int_equal(box.marked, 1);
    assert_int_equal(zlay_picture_box_nth(&box, picture, 0, 1), ZLAY_OK);
    assert_string_equal(box.label, "2*128x64");
    assert_int_equal(box.row, 2);
    assert_int_equal(box.marked, 0);
    assert_non_null(zlay_picture_note_nth(picture, 2));
    zlay_picture_free(picture);
    picture = NULL;
    assert_int_equal(zlay_show_ragged(ctx, &picture, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_show_ragged(ctx, NULL, region), ZLAY_EINVAL);
    assert_null(picture);
    zlay_region_free(region);
    zlay_ctx_free(ctx);
}

static zlay_status show_once(zlay_ctx *ctx, void *given)
{
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_ragged(ctx, &picture, given);
    assert_true(!status == (picture != NULL));
    zlay_picture_free(picture);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    const int64_t lengths[] = {200, 0, 70};
    const zlay_region_tile tile[] = {{.rows = 128}, {.rows = 16}};
    const zlay_region_request r = {.size = sizeof r, .tiles = 2, .count = 3, .rows = {.lengths = lengths}, .tile = tile};
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_region *region = cover(ctx, &r);
    assert_int_equal(heap_fails_each(&h, ctx, show_once, region), ZLAY_OK);
    zlay_region_free(region);
    heap_close(&h, ctx);
}

static void test_limit(void **state)
{
    (void)state;
    static int64_t lengths[100];
    const zlay_limits limits = {.size = sizeof limits, .points = 99};
    const zlay_region_tile tile = {.rows = 8};
    const zlay_region_request r = {.size = sizeof r, .tiles = 1, .count = 100, .rows = {.lengths = lengths}, .tile = &tile};
    zlay_ctx *ctx = new_ctx(), *small;
    zlay_picture *picture = NULL;
    zlay_region *region = cover(ctx, &r);
    assert_int_equal(zlay_ctx_new(&small, NULL, &limits), ZLAY_OK);
    assert_int_equal(zlay_show_ragged(small, &picture, region), ZLAY_ELIMIT);
    assert_null(picture);
    zlay_region_free(region);
    zlay_ctx_free(small);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cells), cmocka_unit_test(test_wide),
                                       cmocka_unit_test(test_memory), cmocka_unit_test(test_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
