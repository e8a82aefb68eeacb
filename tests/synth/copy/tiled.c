/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of tiles whose extents and strides are names: counted by hand, as JSON, put to ptxas, without
 * memory, and what is no move of tiles. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "answer.h"
#include "assembler.h"
#include "heap.h"
#include "tiles/tiled.h"

/* ---- by hand -------------------------------------------------------------------------------------- */

#define TO_SHARED {ZLAY_MOVE_GLOBAL, ZLAY_MOVE_SHARED}
#define TO_GLOBAL {ZLAY_MOVE_SHARED, ZLAY_MOVE_GLOBAL}
#define GLOBAL {ZLAY_MOVE_GLOBAL, ZLAY_MOVE_GLOBAL}

static const struct {
    tiled ask;
    zlay_status status;
    uint32_t width;
    const char *trips, *source, *dest, *edge, *wider; /* of axis 0 */
} hands[] = {
    /* The example of zlay/move.h. */
    {{{"(M,K):(ld,1)", "(128,64):(64,1)"}, "ld = 0 mod 8;K = 0 mod 8", TO_SHARED, 0, 16, 2, {128, 64}}, ZLAY_OK, 16,
     "M / 128 + (M % 128 != 0)", "128*ld", "0", "t0 * 128 + c1 < M && t1 * 64 + c0 < K", NULL},
    /* What divides the pitch does not divide the row: an access of 16 bytes would pass its end. */
    {{{"(M,K):(ld,1)", "(128,64):(64,1)"}, "ld = 0 mod 8;K = 0 mod 2", TO_SHARED, 0, 16, 2, {128, 64}}, ZLAY_OK, 4,
     "M / 128 + (M % 128 != 0)", "128*ld", "0", "t0 * 128 + c1 < M && t1 * 64 + c0 < K", "K % 8 == 0"},
    /* Nothing is known, nothing is wider than an element, and both conditions make it so. */
    {{{"(M,K):(ld,1)", "(128,64):(64,1)"}, "", TO_SHARED, 0, 16, 2, {128, 64}}, ZLAY_OK, 2,
     "M / 128 + (M % 128 != 0)", "128*ld", "0", "t0 * 128 + c1 < M && t1 * 64 + c0 < K", "K % 8 == 0 && ld % 8 == 0"},
    /* One row a tile: the next one is aligned where the pitch is. */
    {{{"(M,K):(ld,1)", "(1,64):(64,1)"}, "K = 0 mod 8;ld = 0 mod 4", TO_SHARED, 0, 16, 2, {1, 64}}, ZLAY_OK, 8, "M",
     "ld", "0", "t1 * 64 + c0 < K", "ld % 8 == 0"},
    /* Both steps are wanted, although the text of one condition is a part of the other's. */
    {{{"(M,K):(ld,1)", "(4,8):(8,1)"}, "K = 0 mod 8;M = 0 mod 4", TO_SHARED, 0, 16, 2, {4, 8}}, ZLAY_OK, 2,
     "M / 4 + (M % 4 != 0)", "4*ld", "0", "", "4*ld % 8 == 0 && ld % 8 == 0"},
    /* A tensor of one tile by the facts is a tensor. */
    {{{"(M,K):(ld,1)", "(64,64):(64,1)"}, "M = 64;K = 64;ld = 0 mod 8", TO_SHARED, 0, 16, 2, {64, 64}}, ZLAY_OK, 16,
     "64 / 64 + (64 % 64 != 0)", "64*ld", "0", "", NULL},
    /* Tiles that always end with the tensor have no edge. */
    {{{"(M,K):(ld,1)", "(64,64):(64,1)"}, "M = 0 mod 64;K = 0 mod 64;ld = 0 mod 8", TO_SHARED, 0, 16, 2, {64, 64}},
     ZLAY_OK, 16, "M / 64 + (M % 64 != 0)", "64*ld", "0", "", NULL},
    /* Numbers are no other case. */
    {{{"(100,1000):(1000,1)", "(64,64):(64,1)"}, "", TO_SHARED, 0, 16, 2, {64, 64}}, ZLAY_OK, 16,
     "100 / 64 + (100 % 64 != 0)", "64000", "0", "t0 * 64 + c1 < 100 && t1 * 64 + c0 < 1000", NULL},
    /* From one tensor to the other, and back from a tile. */
    {{{"(M,K):(ld,1)", "(M,K):(lb,1)"}, "ld = 0 mod 8;lb = 0 mod 8;K = 0 mod 8;lb >= K", GLOBAL, 0, 16, 2, {16, 64}},
     ZLAY_OK, 16, "M / 16 + (M % 16 != 0)", "16*ld", "16*lb", "t0 * 16 + c1 < M && t1 * 64 + c0 < K", NULL},
    {{{"(16,64):(64,1)", "(M,K):(lb,1)"}, "lb = 0 mod 8;K = 0 mod 8;lb >= K", TO_GLOBAL, 0, 16, 2, {16, 64}}, ZLAY_OK, 16,
     "M / 16 + (M % 16 != 0)", "0", "16*lb", "t0 * 16 + c1 < M && t1 * 64 + c0 < K", NULL},
    /* Rows of 64 elements lie one behind the other, but their ends stay apart. */
    {{{"(M,64):(64,1)", "(32,64):(64,1)"}, "", TO_SHARED, 0, 16, 2, {32, 64}}, ZLAY_OK, 16, "M / 32 + (M % 32 != 0)",
     "2048", "0", "t0 * 32 + c1 < M", NULL},
    {{{"(M,K):(ld,1)", "(M,B):(lb,1)"}, "", GLOBAL, 0, 16, 2, {16, 64}}, ZLAY_EINVAL, 0, NULL, NULL, NULL, NULL, NULL},
    {{{"(M,K):(ld,1)", "(M,K):(lb,1)"}, "", GLOBAL, 0, 16, 2, {16, 64}}, ZLAY_EINVAL, 0, NULL, NULL, NULL, NULL, NULL},
    {{{"(M,K):(ld,1)", "(16,64):(64,1)"}, "", TO_SHARED, 0, 16, 1, {1024}}, ZLAY_EINVAL, 0, NULL, NULL, NULL, NULL, NULL},
    {{{"(M,K):(ld,1)", "(16,64):(64,1)"}, "", TO_SHARED, 0, 16, 2, {16, 0}}, ZLAY_EINVAL, 0, NULL, NULL, NULL, NULL, NULL},
    {{{"(M,K):(ld,1)", "(16,64):(64,1)"}, "", TO_SHARED, 0, 16, 0, {0}}, ZLAY_ENOTSUP, 0, NULL, NULL, NULL, NULL, NULL},
    {{{"(M,K):(ld,1)", "(512,512):(512,1)"}, "", TO_SHARED, 0, 16, 2, {512, 512}}, ZLAY_NONE, 0, NULL, NULL, NULL, NULL, NULL},
};

static void counted_by_hand(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof hands / sizeof *hands; i++) {
        zlay_move *move = NULL;
        zlay_move_summary info;
        char wider[TEXT] = "";
        zlay_buf out = {wider, sizeof wider, 0};
        uint32_t width;
        zlay_status status = tiled_synth(ctx, &move, "sm_90a", &hands[i].ask);
        if (status != hands[i].status) fail_msg("hand %zu: %d, %s", i, status, zlay_ctx_message(ctx));
        assert_true(!status == (move != NULL));
        if (status) continue;
        zlay_move_info(&info, move);
        assert_int_equal(info.width, hands[i].width);
        assert_string_equal(axis_text(move, 0, ZLAY_AXIS_TRIPS), hands[i].trips);
        assert_string_equal(axis_text(move, 0, ZLAY_AXIS_SOURCE), hands[i].source);
        assert_string_equal(axis_text(move, 0, ZLAY_AXIS_DEST), hands[i].dest);
        assert_string_equal(text_read(edge_of, move, 0, 0), hands[i].edge);
        assert_int_equal(info.edge, *hands[i].edge ? ZLAY_EDGE_WEAK : ZLAY_EDGE_STRONG);
        status = zlay_move_wider(&out, &width, move);
        assert_int_equal(status, hands[i].wider ? ZLAY_OK : ZLAY_NONE);
        if (!status) assert_string_equal(wider, hands[i].wider);
        zlay_move_free(move);
    }
}

static void assembled(void **state)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};
    zlay_ctx *ctx = *state;
    need_assembler();
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (size_t k = 0; !hands[k].status; k += 3) {
            zlay_move *move = NULL;
            assert_int_equal(tiled_synth(ctx, &move, targets[i], &hands[k].ask), ZLAY_OK);
            char *text = function_of(ctx, move);
            if (!assembles(targets[i], text)) fail_msg("%s: %s", targets[i], text);
            free(text);
            zlay_move_free(move);
        }
}

/* ---- as JSON ---------------------------------------------------------------------------------------- */

static const char *const lines[][2] = {
    {"{\"op\":\"copy.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"src\":{\"layout\":\"(M,K):(ld,1)\",\"space\":\"global\"},"
     "\"dst\":{\"layout\":\"(128,64):(64,1)\",\"space\":\"shared\"},\"tile\":[128,64],\"facts\":[\"ld = 0 mod 8\",\"K = 0 mod 8\"]}",
     "\"tiles\":{\"cells\":[128,64],\"granule\":[1,8],\"extent\":[\"M\",\"K\"],\"trips\":[\"M / 128 + (M % 128 != 0)\",\"K / 64 + (K % 64 "
     "!= 0)\"],\"src\":[\"128*ld\",64],\"dst\":[0,0]},\"source_certificate\":{\"a\":\"(128,64,2,2):(ld,1,128*ld,64)\""},
    {"{\"op\":\"copy.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"src\":{\"layout\":\"(M,K):(ld,1)\",\"space\":\"global\"},"
     "\"dst\":{\"layout\":\"(128,64):(64,1)\",\"space\":\"shared\"},\"tile\":[],\"facts\":[]}",
     "{\"error\":\"EINVAL\",\"message\":\"field 'tile' is not a list"},
    {"{\"op\":\"copy.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"src\":{\"layout\":\"(64,64):(64,1)\",\"space\":\"global\"},"
     "\"dst\":{\"layout\":\"(64,64):(64,1)\",\"space\":\"shared\"}}",
     "\"tiles\":null"},
};

static void as_json(void **state)
{
    answers_have(*state, lines, sizeof lines / sizeof *lines);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static zlay_status moved(zlay_ctx *ctx, void *request)
{
    zlay_move *move = NULL;
    zlay_status status = zlay_copy_synth(ctx, &move, target_of("sm_90a"), request);
    assert_true((status == ZLAY_OK) == (move != NULL));
    zlay_move_free(move);
    return status;
}

static void out_of_memory(void **state)
{
    (void)state;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_layout *from = read_layout(ctx, "(M,K):(ld,1)"), *to = read_layout(ctx, "(M,K):(lb,1)");
    zlay_facts *facts = read_facts(ctx, "lb >= K;K = 0 mod 8");
    zlay_copy_request r = {.size = sizeof r, .elem_bits = 16, .facts = facts, .axes = 2, .tile = {16, 16},
                           .source = {from, ZLAY_MOVE_GLOBAL, 0, 0}, .dest = {to, ZLAY_MOVE_GLOBAL, 0, 0}};
    assert_int_equal(heap_fails_each(&h, ctx, moved, &r), ZLAY_OK);
    zlay_layout_free(from);
    zlay_layout_free(to);
    zlay_facts_free(facts);
    heap_close(&h, ctx);
}

/* ---- what is no move of tiles ------------------------------------------------------------------------ */

static void nothing_to_say(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_move *move = NULL;
    zlay_move_axis axis;
    zlay_move_cells cells;
    uint64_t first;
    char text[TEXT] = "x";
    zlay_buf out = {text, sizeof text, 0};
    static const tiled plain = {{"(64,64):(64,1)", "(64,64):(64,1)"}, "", TO_SHARED, 0, 16, 0, {0}};
    static const tiled in_tiles = {{"(M,K):(ld,1)", "(64,64):(64,1)"}, "", TO_SHARED, 0, 16, 2, {64, 64}};
    assert_int_equal(tiled_synth(ctx, &move, "sm_90a", &plain), ZLAY_OK);
    assert_int_equal(zlay_move_axis_nth(&axis, move, 0), ZLAY_NONE);
    assert_int_equal(zlay_move_axis_print(&out, move, 0, ZLAY_AXIS_TRIPS), ZLAY_NONE);
    assert_int_equal(zlay_move_cells_info(&cells, move, 0, 0), ZLAY_NONE);
    assert_int_equal(zlay_move_first(&first, move, 0, 0), ZLAY_NONE);
    assert_int_equal(zlay_move_edge_print(&out, move, 0), ZLAY_OK);
    assert_string_equal(text, "");
    zlay_move_free(move);
    assert_int_equal(tiled_synth(ctx, &move, "sm_90a", &in_tiles), ZLAY_OK);
    assert_int_equal(zlay_move_axis_nth(NULL, move, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_move_axis_nth(&axis, move, 2), ZLAY_NONE);
    assert_int_equal(zlay_move_axis_print(&out, move, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_move_axis_print(&out, move, 0, 5), ZLAY_EINVAL);
    assert_int_equal(zlay_move_edge_print(&out, move, 1), ZLAY_NONE);
    assert_int_equal(zlay_move_edge_print(NULL, move, 0), ZLAY_EINVAL);
    out.room = 3;
    assert_int_equal(zlay_move_edge_print(&out, move, 0), ZLAY_EROOM);
    assert_int_equal(zlay_move_first(&first, move, 0, 1), ZLAY_OK);
    assert_int_equal(first, 0);
    assert_int_equal(zlay_move_cells_info(&cells, move, 0, 1), ZLAY_OK);
    assert_int_equal(cells.axis, 0);
    assert_int_equal(cells.step, 1);
    zlay_move_free(move);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_by_hand), cmocka_unit_test(assembled), cmocka_unit_test(as_json),
        cmocka_unit_test(out_of_memory), cmocka_unit_test(nothing_to_say),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
