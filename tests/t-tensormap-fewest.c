/* SPDX-License-Identifier: Apache-2.0 */
/* Swizzled sources whose tiles are to lie plainly: rows change places in blocks, so that many copies of walks
 * of pixels bring the tile.  The fewest are found, proved, and run byte by byte; the search ends within a
 * budget of steps. */
#include "tensormap_synth.h"
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
    {"Sw<2,6,3> o 0 o (64,64):(64,1)", "(64,64):(64,1)", 64, 64, 12},
    {"Sw<3,7,3> o 0 o (128,64):(64,1)", "(128,64):(64,1)", 128, 64, 15},
    {"Sw<3,5,3> o 0 o (64,64):(64,1)", "(64,64):(64,1)", 64, 64, 30},
    {"Sw<3,6,4> o 0 o (64,64):(64,1)", "(64,64):(64,1)", 64, 64, 8},
    {"Sw<3,4,3> o 0 o (64,64):(64,1)", "(64,64):(64,1)", 64, 64, 0},
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
        zlay_move_info info;
        zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, &r);
        assert_int_equal(status, rows[i].copies ? ZLAY_OK : ZLAY_NONE);
        if (!status) {
            assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
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

/* A tile of 512 places takes less than a tenth of the steps that it took before sets of places were kept. */
static void test_steps(void **unused)
{
    (void)unused;
    static const zlay_limits limits = {.size = sizeof limits, .work = 1500000};
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
    zlay_layout *source = read_layout(ctx, rows[0].source), *smem = read_layout(ctx, rows[0].smem);
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .smem = smem,
                                .axes = 2, .shape = {64, 64}};
    zlay_move *move;
    assert_int_equal(zlay_tensormap_synth(ctx, &move, target_of("sm_90a"), &r), ZLAY_OK);
    zlay_move_free(move);
    zlay_layout_free(source);
    zlay_layout_free(smem);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_swizzled), cmocka_unit_test(test_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
