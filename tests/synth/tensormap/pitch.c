/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles whose pitch is no multiple of 16 bytes: by rows in pairs or along memory, refused where the layout is
 * free. */
#include "tiles/tensormap_synth.h"
#include "test.h"

typedef struct row {
    const char *source, *smem;
    uint64_t tile[2];
    zlay_status status;
    uint32_t rank, box[2];
} row;

static const row rows[] = {
    {"(12,8):(12,1)", "(8,8):(12,1)", {8, 8}, ZLAY_OK, 1, {96, 0}},
    {"(1000,96):(100,1)", "(64,96):(100,1)", {64, 96}, ZLAY_OK, 2, {200, 32}},
    {"(1000,100):(100,1)", NULL, {64, 32}, ZLAY_NONE, 0, {0, 0}},
};

static void test_pitches(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("pitches");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *source = read_layout(w->ctx, rows[i].source);
        zlay_layout *smem = rows[i].smem ? read_layout(w->ctx, rows[i].smem) : NULL;
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .smem = smem, .axes = 2};
        zlay_move *move;
        zlay_move_summary info;
        zlay_tensormap map;
        memcpy(r.shape, rows[i].tile, sizeof rows[i].tile);
        assert_int_equal(zlay_tensormap_synth(w->ctx, &move, w->target, &r), rows[i].status);
        if (rows[i].status) assert_non_null(strstr(zlay_ctx_message(w->ctx), "TMAP_STRIDE_16: byte 2 "));
        if (rows[i].status) assert_non_null(strstr(zlay_ctx_message(w->ctx), "a pitch of 104 elements"));
        if (!rows[i].status) {
            assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
            assert_int_equal(zlay_move_map_nth(&map, move, 0), ZLAY_OK);
            assert_int_equal(info.copies, 1);
            assert_int_equal(map.rank, rows[i].rank);
            for (uint32_t k = 0; k < map.rank; k++) assert_int_equal(map.box[k], rows[i].box[k]);
            synth_check(w, &state, move, &r, 2);
        }
        zlay_move_free(move);
        zlay_layout_free(source);
        zlay_layout_free(smem);
    }
    synth_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pitches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
