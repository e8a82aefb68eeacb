/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of which some copy begins before the tile or writes past the tensor, found by the refuter of tensormap.synth.
 * Each plan is run byte by byte, and bytes and `optimal` are those that were counted by hand. */
#include "tiles/tensormap_synth.h"
#include "test.h"

typedef struct beside {
    int32_t type;
    const char *source, *smem;
    uint32_t axes;
    uint64_t shape[ZLAY_TILE_AXES];
    bool optimal;
} beside;

static const beside rows[] = {
    /* Element 74 lies where row 1 of 16 bytes begins, and a box at element 72 begins before the axis: in its first
     * index are cells inside the tensor, and two before it, so one index cannot be in and out at once. */
    {ZLAY_TYPE_F64, "(6,12,2):(12,1,74)", "Sw<1,1,3> o 0 o (4,12,2):(12,1,74)", 3, {4, 12, 2}, false},
    /* The same by rows of 12 floats that lie 196 apart in shared memory: boxes begin 4 and 8 before a row. */
    {ZLAY_TYPE_F32, "(9,12,16):(196,1,12)", "Sw<3,2,3> o 0 o (9,12,6):(196,1,12)", 3, {9, 12, 6}, false},
    /* 84 floats are 21 times 16 bytes.  The swizzle moves only places of cells outside the tensor, so rows of 48
     * bytes without one do with 336 bytes: of a plan of rows of 32 bytes, 352, optimal is not said. */
    {ZLAY_TYPE_F32, "(12,2):(1,12)", "Sw<1,2,3> o 0 o (12,7):(1,12)", 2, {12, 7}, false},
    /* Without the swizzle one copy writes the tile alone, and no copy writes less. */
    {ZLAY_TYPE_F32, "(12,2):(1,12)", "(12,7):(1,12)", 2, {12, 7}, true},
};

static void test_beside(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("tiles beside the tensor");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const beside *b = &rows[i];
        zlay_layout *source = read_layout(w->ctx, b->source), *smem = read_layout(w->ctx, b->smem);
        zlay_tensormap_request r = {.size = sizeof r, .type = b->type, .source = source, .smem = smem, .axes = b->axes};
        zlay_move *move;
        zlay_move_summary info;
        memcpy(r.shape, b->shape, sizeof r.shape);
        if (zlay_tensormap_synth(w->ctx, &move, w->target, &r)) fail_msg("%s: %s", b->source, zlay_ctx_message(w->ctx));
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        synth_check(w, &state, move, &r, 4);
        if (info.optimal != b->optimal) fail_msg("%s to %s: optimal is %u", b->source, b->smem, info.optimal);
        if (info.optimal) assert_int_equal(info.bytes, 336);
        zlay_move_free(move);
        zlay_layout_free(smem);
        zlay_layout_free(source);
    }
    synth_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
