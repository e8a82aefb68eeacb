/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of several copies.  Swizzled sources whose tiles are to lie plainly: rows change places in blocks, so that
 * many copies of walks of pixels bring the tile; the fewest are found, proved, and run byte by byte, and the search
 * ends within a budget of steps.  Tiles of more axes than a map has dimensions, whose shared layout is free. */
#include "synth/tensormap/several/cover.h"
#include "tiles/tensormap_synth.h"
#include "test.h"

typedef struct row {
    const char *source, *smem;
    uint64_t rows, columns;
    uint32_t copies;
} row;

static const row rows[] = {
    {"Sw<3,6,3> o 0 o (64,64):(64,1)", "(64,64):(64,1)", 64, 64, 15},
    {"Sw<3,6,3> o 0 o (100,64):(64,1)", "(100,64):(64,1)", 100, 64, 21},
    {"Sw<3,6,3> o 0 o (128,64):(64,1)", "(128,64):(64,1)", 128, 64, 29},
    {"Sw<3,6,3> o 0 o (256,64):(64,1)", "(256,64):(64,1)", 256, 64, 57},
    {"Sw<3,6,3> o 0 o (512,64):(64,1)", "(512,64):(64,1)", 512, 64, 113},
    {"Sw<2,6,3> o 0 o (64,64):(64,1)", "(64,64):(64,1)", 64, 64, 12},
    {"Sw<3,7,3> o 0 o (128,64):(64,1)", "(128,64):(64,1)", 128, 64, 15},
    {"Sw<3,5,3> o 0 o (64,64):(64,1)", "(64,64):(64,1)", 64, 64, 30},
    {"Sw<3,6,4> o 0 o (64,64):(64,1)", "(64,64):(64,1)", 64, 64, 8},
    {"Sw<3,4,3> o 0 o (64,64):(64,1)", "(64,64):(64,1)", 64, 64, 0},
    {"8128 o (128,64):(-64,1)", "(128,64):(64,1)", 128, 64, 64}, /* more than the rounds of the search */
    {"32704 o (512,64):(-64,1)", "(512,64):(64,1)", 512, 64, 256},
};

static void test_swizzled(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("swizzled sources, plain places");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *source = read_layout(w->ctx, rows[i].source), *smem = read_layout(w->ctx, rows[i].smem);
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .smem = smem,
                                    .axes = 2, .shape = {rows[i].rows, rows[i].columns}};
        zlay_move *move;
        zlay_move_summary info;
        zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, &r);
        assert_int_equal(status, rows[i].copies ? ZLAY_OK : ZLAY_NONE);
        if (!status) {
            assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
            assert_int_equal(info.copies, rows[i].copies);
            assert_int_equal(info.bytes, 2 * rows[i].rows * rows[i].columns);
            assert_true(info.optimal);
            synth_check(w, &state, move, &r, 0);
        }
        zlay_move_free(move);
        zlay_layout_free(source);
        zlay_layout_free(smem);
    }
    synth_world_free(w);
}

/* Copies of the rows from `first` on, 0: there are none; whether they are said to be the fewest. */
static uint32_t copies_of(synth_world *w, bool *fewest, const char *swizzle, uint64_t first, uint64_t height)
{
    char text[2][128];
    zlay_move *move;
    zlay_move_summary info = {0};
    snprintf(text[0], sizeof text[0], "%s o %llu o (%llu,64):(64,1)", swizzle, 64 * (unsigned long long)first,
             (unsigned long long)height);
    snprintf(text[1], sizeof text[1], "(%llu,64):(64,1)", (unsigned long long)height);
    zlay_layout *source = read_layout(w->ctx, text[0]), *smem = read_layout(w->ctx, text[1]);
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .smem = smem,
                                .axes = 2, .shape = {height, 64}};
    zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, &r);
    if (status != ZLAY_NONE) assert_int_equal(status, ZLAY_OK);
    if (!status) assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    *fewest = status || info.optimal;
    zlay_move_free(move);
    zlay_layout_free(source);
    zlay_layout_free(smem);
    return info.copies;
}

/* A tile that only the path searches, cut into two parts whose places are searched: no cut has fewer copies, and
 * copies of the whole bring each part, so no part has more. */
static void test_cuts(void **unused)
{
    enum { MOST = 128, CUTS = 3 }; /* rows of a part */
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("tiles in two parts"), count = test_iterations(20), proved = 0, parts = 0;
    for (uint64_t i = 0; i < count; i++) {
        char swizzle[32];
        bool whole, one, two;
        snprintf(swizzle, sizeof swizzle, "Sw<%d,%d,%d>", (int)test_range(&state, 1, 3), (int)test_range(&state, 6, 7),
                 (int)test_range(&state, 3, 4));
        uint64_t height = (uint64_t)test_range(&state, MOST + 1, 2 * MOST);
        uint32_t all = copies_of(w, &whole, swizzle, 0, height);
        proved += whole;
        for (int k = 0; k < CUTS; k++) {
            uint64_t cut = (uint64_t)test_range(&state, (int64_t)height - MOST, MOST);
            uint32_t a = copies_of(w, &one, swizzle, 0, cut), b = copies_of(w, &two, swizzle, cut, height - cut);
            if ((whole && all > a + b) || (one && all < a) || (two && all < b))
                fail_msg("%s, %llu rows: %u copies; cut after %llu: %u and %u", swizzle, (unsigned long long)height, all,
                         (unsigned long long)cut, a, b);
            parts += one + two;
        }
    }
    printf("%llu tiles, %llu proved, %llu of their parts\n", (unsigned long long)count, (unsigned long long)proved,
           (unsigned long long)parts);
    assert_true(proved > count / 2 && parts > count * CUTS);
    synth_world_free(w);
}

/* Steps that tiles of these rows take at most, about a tenth of what they took before only boxes that a least
 * cover may have were collected; and maps. */
static const struct { uint64_t rows, steps; uint32_t maps; } budgets[] = {
    {16, 40000, 2}, {64, 200000, 11}, {100, 320000, 13}, {128, 400000, 15}, {256, 600000, 15}, {1024, 2400000, 15},
};

static void test_steps(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        zlay_limits limits = {.size = sizeof limits, .work = budgets[i].steps};
        char text[2][64];
        zlay_ctx *ctx;
        zlay_move *move;
        zlay_move_summary info;
        snprintf(text[0], sizeof text[0], "Sw<3,6,3> o 0 o (%d,64):(64,1)", (int)budgets[i].rows);
        snprintf(text[1], sizeof text[1], "(%d,64):(64,1)", (int)budgets[i].rows);
        assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
        zlay_layout *source = read_layout(ctx, text[0]), *smem = read_layout(ctx, text[1]);
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .smem = smem,
                                    .axes = 2, .shape = {budgets[i].rows, 64}};
        if (zlay_tensormap_synth(ctx, &move, target_of("sm_90a"), &r)) fail_msg("%s", zlay_ctx_message(ctx));
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        assert_true(info.optimal && info.maps <= budgets[i].maps);
        zlay_move_free(move);
        zlay_layout_free(source);
        zlay_layout_free(smem);
        zlay_ctx_free(ctx);
    }
}

/* Tiles of which a box with gaps would bring parts of many lines: that no fewer copies do is proved by boxes
 * without gaps alone. */
static const row gapless[] = {
    {"Sw<1,5,4> o 0 o (112,64):(64,1)", "(112,64):(64,1)", 112, 64, 14},
    {"Sw<1,5,1> o 0 o (104,64):(64,1)", "Sw<3,3,3> o 0 o (104,64):(64,1)", 104, 64, 26},
    {"Sw<2,4,3> o 0 o (88,64):(64,1)", "Sw<2,3,3> o 0 o (88,64):(64,1)", 88, 64, 22},
};

static void test_gapless(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("boxes without gaps");
    for (size_t i = 0; i < sizeof gapless / sizeof *gapless; i++) {
        zlay_layout *source = read_layout(w->ctx, gapless[i].source), *smem = read_layout(w->ctx, gapless[i].smem);
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .smem = smem,
                                    .axes = 2, .shape = {gapless[i].rows, gapless[i].columns}};
        zlay_move *move;
        zlay_move_summary info;
        if (zlay_tensormap_synth(w->ctx, &move, w->target, &r)) fail_msg("%s", zlay_ctx_message(w->ctx));
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        assert_int_equal(info.copies, gapless[i].copies);
        assert_true(info.optimal);
        synth_check(w, &state, move, &r, 0);
        zlay_move_free(move);
        zlay_layout_free(source);
        zlay_layout_free(smem);
    }
    synth_world_free(w);
}

/* What bound.c says of gaps: narrow rows of no swizzle up to 128 bytes write the firm chunk of a line. */
static void test_firm(void **unused)
{
    (void)unused;
    for (int32_t z = ZLAY_SWIZZLE_32B; z <= ZLAY_SWIZZLE_128B; z++)
        for (uint64_t width = 1, span = zl_tm_span(z) / ZL_CHUNK; width < span; width++)
            for (uint64_t chunk = 0; chunk < 64 * ZL_LINE_CHUNKS; chunk++) {
                uint64_t place = zl_chunk_place(chunk, z), line = chunk / ZL_LINE_CHUNKS;
                bool firm = place == line * ZL_LINE_CHUNKS + zl_chunk_firm(line);
                assert_int_equal(place / ZL_LINE_CHUNKS, line);
                if (chunk % span < width) assert_false(firm);
            }
}

/* ---- lines that a tile leaves out -------------------------------------------------------------- */

typedef struct apart {
    const char *source, *tile, *smem;
    uint32_t copies, maps;
} apart;

/* No box is needed for a line that lies between those of the tile: a bound that counts one for it ends the search
 * before copies that share a map are compared. */
static const apart aparts[] = {
    {"(288):(1)", "(8,2,8,2):(1,16,32,40)", "Sw<3,3,3> o 0 o (8,2,8,2):(1,8,16,256)", 2, 1},
    {"(928):(1)", "(8,8,3):(1,40,320)", "Sw<2,3,3> o 0 o (8,8,3):(1,8,128)", 3, 1},
    {"(72):(1)", "(8,2,2,3):(1,24,8,16)", "Sw<3,3,3> o 0 o (8,2,2,3):(1,8,64,256)", 6, 1},
    {"(80):(1)", "(8,4,2,3,2):(1,8,8,8,24)", "Sw<2,3,3> o 0 o (8,4,2,3,2):(1,8,32,128,384)", 6, 1},
    {"(824):(1)", "16 o (8,4,4,2,2):(1,128,128,32,-16)", "Sw<2,3,3> o 0 o (8,4,4,2,2):(1,8,32,512,128)", 4, 1},
};

static void test_apart(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("lines left out");
    for (size_t i = 0; i < sizeof aparts / sizeof *aparts; i++) {
        zlay_layout *source = read_layout(w->ctx, aparts[i].source), *tile = read_layout(w->ctx, aparts[i].tile);
        zlay_layout *smem = read_layout(w->ctx, aparts[i].smem);
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .tile = tile,
                                    .smem = smem, .keep_holes = 1};
        zlay_move *move;
        zlay_move_summary info;
        if (zlay_tensormap_synth(w->ctx, &move, w->target, &r)) fail_msg("%s", zlay_ctx_message(w->ctx));
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        if (info.copies != aparts[i].copies || info.maps != aparts[i].maps || !info.optimal)
            fail_msg("%s: %u copies of %u maps", aparts[i].tile, info.copies, info.maps);
        synth_check(w, &state, move, &r, 0);
        zlay_move_free(move);
        zlay_layout_free(source);
        zlay_layout_free(tile);
        zlay_layout_free(smem);
    }
    synth_world_free(w);
}

/* ---- shared memory by free choice ------------------------------------------------------------ */

typedef struct choice {
    const char *source;
    uint64_t shape[ZLAY_TILE_AXES];
    bool keep_holes;
    uint32_t copies, bytes;
} choice;

/* Six axes and more: two are one dimension with what lies between, or copies count the shortest. */
static const choice choices[] = {
    {"(8,3,3,3,3,3):(1,16,64,256,1024,4096)", {8, 3, 3, 3, 3, 3}, false, 1, 4752},
    {"(8,3,3,3,3,3):(1,16,64,256,1024,4096)", {8, 3, 3, 3, 3, 3}, true, 3, 3888},
    {"(8,3,2,3,3,3):(1,16,64,256,1024,4096)", {8, 3, 2, 3, 3, 3}, true, 2, 2592},
    {"(8,2,2,2,2,2,2):(1,16,48,144,432,1296,3888)", {8, 2, 2, 2, 2, 2, 2}, false, 1, 16 * 25 * 4},
};

static void test_free_choice(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("shared memory by free choice");
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const choice *c = &choices[i];
        zlay_layout *source = read_layout(w->ctx, c->source);
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_F16, .source = source, .keep_holes = c->keep_holes};
        zlay_move *move;
        zlay_move_summary info;
        while (r.axes < ZLAY_TILE_AXES && c->shape[r.axes]) r.shape[r.axes] = c->shape[r.axes], r.axes++;
        if (zlay_tensormap_synth(w->ctx, &move, w->target, &r)) fail_msg("%s", zlay_ctx_message(w->ctx));
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        assert_int_equal(info.copies, c->copies);
        assert_int_equal(info.bytes, c->bytes);
        assert_false(info.optimal);
        synth_check(w, &state, move, &r, 0);
        zlay_move_free(move);
        zlay_layout_free(source);
    }
    synth_world_free(w);
}

/* Six or seven axes with random gaps: never more copies than the shortest axes have cells. */
static void test_gaps(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("axes with gaps"), ones = 0, count = test_iterations(60);
    for (uint64_t i = 0; i < count; i++) {
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_F16};
        uint32_t axes = (uint32_t)test_range(&state, 6, 7);
        int64_t stride = 8;
        char text[256], strides[128] = "1";
        int at = sprintf(text, "(8"), end = 1;
        r.shape[r.axes++] = 8;
        for (uint32_t k = 1; k < axes; k++) {
            uint64_t cells = (uint64_t)test_range(&state, 2, 3);
            stride = stride + 8 * test_range(&state, 0, 2);
            r.shape[r.axes++] = cells;
            at += sprintf(text + at, ",%llu", (unsigned long long)cells);
            end += sprintf(strides + end, ",%lld", (long long)stride);
            stride *= (int64_t)cells + test_range(&state, 0, 1);
        }
        sprintf(text + at, "):(%s)", strides);
        zlay_layout *source = read_layout(w->ctx, text);
        zlay_move *move;
        zlay_move_summary info;
        r.source = source;
        r.keep_holes = (uint32_t)test_range(&state, 0, 1);
        if (zlay_tensormap_synth(w->ctx, &move, w->target, &r)) fail_msg("%s: %s", text, zlay_ctx_message(w->ctx));
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        if (info.copies > (axes == 6 ? 3u : 9u)) fail_msg("%s: %u copies", text, info.copies);
        if (info.optimal && info.copies > 1) fail_msg("%s: of several copies optimal is said", text);
        synth_check(w, &state, move, &r, 0);
        ones += info.copies == 1;
        zlay_move_free(move);
        zlay_layout_free(source);
    }
    printf("%llu of %llu by one copy\n", (unsigned long long)ones, (unsigned long long)count);
    synth_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_swizzled), cmocka_unit_test(test_cuts),
                                       cmocka_unit_test(test_steps), cmocka_unit_test(test_gapless),
                                       cmocka_unit_test(test_firm), cmocka_unit_test(test_apart),
                                       cmocka_unit_test(test_free_choice), cmocka_unit_test(test_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
