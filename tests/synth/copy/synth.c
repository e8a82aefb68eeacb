/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by threads: random requests, whose plans are carried out element by element and whose
 * counts are counted again access by access; plans by hand. */
#include "tiles/copy_check.h"

static void test_random_copies(void **state)
{
    uint64_t seed = test_seed("random copies"), paths[ZLAY_PATH_STORE_ASYNC + 1] = {0};
    for (uint64_t i = 0; i < test_iterations(600); i++) {
        wanted want = draw(&seed);
        if (!test_range(&seed, 0, 7)) want.r.elem_bits = test_range(&seed, 0, 1) ? 128 : 4;
        zlay_move *move = NULL;
        zlay_move_summary info;
        zlay_layout *from = read_layout(*state, want.text[0]),
                    *to = read_layout(*state, want.text[1]);
        want.r.source.layout = from;
        want.r.dest.layout = to;
        zlay_status status = zlay_copy_synth(*state, &move, target_of(want.target), &want.r);
        if (status) check_refusal(*state, &want, status, to);
        else {
            assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
            if (want.r.path) assert_int_equal(info.path, want.r.path);
            paths[info.path]++;
            check_move(*state, &want, move, from, to, &seed);
        }
        zlay_move_free(move);
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
    for (int path = ZLAY_PATH_BULK; path <= ZLAY_PATH_REALIGN; path++) assert_true(paths[path] > 3);
    assert_true(paths[ZLAY_PATH_STORE_ASYNC] > 3);
}

/* ---- layouts without common strides ------------------------------------------------------------
 */

static void test_without_strides(void **state)
{
    uint64_t seed = test_seed("without strides"), named = 0, wide = 0, several = 0;
    for (uint64_t i = 0; i < test_iterations(150); i++) {
        wanted want = draw(&seed);
        zlay_move *move = NULL;
        zlay_move_summary info;
        if (test_range(&seed, 0, 1)) draw_pieces(&seed, &want);
        else {
            int bits = (int)test_range(&seed, 5, 10), same = (int)test_range(&seed, 0, 4);
            for (int s = 0; s < 2; s++) draw_matrix(&seed, want.text[s], bits, same);
        }
        zlay_layout *from = read_layout(*state, want.text[0]),
                    *to = read_layout(*state, want.text[1]);
        want.r.source.layout = from;
        want.r.dest.layout = to;
        want.r.path = 0;
        zlay_status status = zlay_copy_synth(*state, &move, target_of(want.target), &want.r);
        if (status) check_refusal(*state, &want, status, to);
        else {
            assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
            named += part_of(move, 0).part.combine == 2;
            several += part_of(move, 0).part.combine == 2 && info.parts > 1;
            wide += info.width > want.r.elem_bits / 8;
            check_move(*state, &want, move, from, to, &seed);
        }
        zlay_move_free(move);
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
    assert_true(named > 20 && wide > 20 && several > 5);
}

/* ---- by hand -----------------------------------------------------------------------------------
 */

typedef struct known {
    const char *target, *from, *to;
    int32_t spaces[2];
    uint32_t bits, threads;
    int32_t path;
    uint32_t parts, width;
    uint64_t instructions, sectors, stored; /* wavefronts of stores; 0: not counted there */
    uint32_t widest;
} known;

enum { G = ZLAY_MOVE_GLOBAL, S = ZLAY_MOVE_SHARED, P = ZLAY_MOVE_PEER };

static void test_known_copies(void **state)
{
    static const known rows[] = {
        /* the example of zlay/move.h: 8 lanes a row of 128 bytes, 4 rows a warp */
        {"sm_80",
         "(64,64):(1,4096)",
         "(64,64):(1,64)",
         {G, S},
         16,
         128,
         ZLAY_PATH_CP_ASYNC,
         1,
         16,
         16,
         256,
         0,
         16},
        {"sm_90a",
         "(64,64):(1,4096)",
         "(64,64):(1,64)",
         {G, S},
         16,
         128,
         ZLAY_PATH_CP_ASYNC,
         1,
         16,
         16,
         256,
         64,
         16},
        /* one run of 8 KiB */
        {"sm_90a", "4096", "4096", {G, S}, 16, 128, ZLAY_PATH_BULK, 1, 8192, 1, 256, 0, 16},
        {"sm_90a", "4096", "4096", {S, G}, 16, 128, ZLAY_PATH_BULK, 1, 8192, 1, 256, 0, 16},
        {"sm_90a", "4096", "4096", {S, P}, 16, 128, ZLAY_PATH_BULK, 1, 8192, 1, 0, 0, 16},
        {"sm_80", "4096", "4096", {S, G}, 16, 128, ZLAY_PATH_THREADS, 1, 16, 32, 256, 0, 16},
        /* the same of elements as long as a granule, and some that lie alone */
        {"sm_90a", "512", "512", {G, S}, 128, 128, ZLAY_PATH_BULK, 1, 8192, 1, 256, 0, 16},
        {"sm_90a", "32:3", "32:3", {G, S}, 128, 32, ZLAY_PATH_CP_ASYNC, 1, 16, 1, 32, 4, 16},
        /* loads of 32 bytes go to global memory alone */
        {"sm_100a", "4096", "4096", {G, G}, 16, 128, ZLAY_PATH_THREADS, 1, 32, 16, 512, 0, 32},
        /* few elements from offset 3: one by one is least */
        {"sm_90a", "3 o 13:1", "3 o 13:1", {G, G}, 16, 32, ZLAY_PATH_THREADS, 1, 2, 2, 2, 0, 16},
        /* more of them: 1, 4 and then 257 times 8; eight warps of 17 sectors and a lane of 1 */
        {"sm_90a",
         "3 o 2061:1",
         "3 o 2061:1",
         {G, G},
         16,
         32,
         ZLAY_PATH_THREADS,
         3,
         16,
         22,
         278,
         0,
         16},
        /* a transpose of floats: a block of 4 x 4 a thread */
        {"sm_90a",
         "(64,64):(1,64)",
         "(64,64):(64,1)",
         {G, G},
         32,
         128,
         ZLAY_PATH_THREADS,
         1,
         16,
         64,
         1024,
         0,
         4},
        /* rows that shift by 2 bytes each, to rows aligned to 16 */
        {"sm_90a",
         "(128,16):(1,129)",
         "(128,16):(1,128)",
         {G, G},
         16,
         128,
         ZLAY_PATH_REALIGN,
         1,
         16,
         24,
         264,
         0,
         2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const known *k = &rows[i];
        zlay_move *move = NULL;
        zlay_move_summary info;
        zlay_move_widest widest;
        zlay_layout *from = read_layout(*state, k->from), *to = read_layout(*state, k->to);
        zlay_copy_request r = {.size = sizeof r,
                               .elem_bits = k->bits,
                               .threads = k->threads,
                               .source = {from, k->spaces[0], 0, 128},
                               .dest = {to, k->spaces[1], 0, 128}};
        zlay_status status = zlay_copy_synth(*state, &move, target_of(k->target), &r);
        if (status) fail_msg("%s -> %s: %s", k->from, k->to, zlay_ctx_message(*state));
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        assert_int_equal(zlay_move_widest_info(&widest, move), ZLAY_OK);
        assert_int_equal(info.path, k->path);
        assert_int_equal(info.parts, k->parts);
        assert_int_equal(part_of(move, 0).part.width, k->width);
        if (info.instructions != k->instructions)
            fail_msg("%s %s -> %s: %llu instructions", k->target, k->from, k->to,
                     (unsigned long long)info.instructions);
        assert_int_equal(info.sectors, k->sectors);
        if (k->stored) assert_int_equal(info.wavefronts_store, k->stored);
        assert_int_equal(widest.width, k->widest);
        zlay_move_free(move);
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
}

/* ---- runs without a whole granule --------------------------------------------------------------
 */

typedef struct ends {
    const char *from, *to;
    int32_t spaces[2];
    uint32_t bits, threads, signal;
    uint64_t cost;
} ends;

/* Asked for by bulk copies, they go as ends do: what a bulk copy costs bounds nothing.  Where the path is free the
 * same plan is none of bulk copies. */
static void test_ends_alone(void **state)
{
    static const ends rows[] = {
        /* 16 bytes from byte 184 to byte 216: a load and a store of 8 bytes, of two lanes, twice */
        {"23 o 2:1", "27 o 2:1", {S, P}, 64, 100, 0, 16},
        {"{ [i] -> [i + floor(i/21) + 15] : 0 <= i < 2 }", "37 o 2:1", {S, P}, 64, 1, 0, 16},
        /* 24 runs of 16 bytes, by 32 lanes and st.async, twice */
        {"35 o (2,3,8):(1,16,2)", "Sw<2,5,3> o 33 o (2,3,8):(1,4,12)", {S, P}, 64, 32, 1, 44},
        {"33 o 5:1", "21 o 5:1", {G, S}, 32, 7, 0, 27},
        /* 15 bytes and 15 more, one thread: 1, 2, 4, 8 and back, each a load and a store */
        {"1 o 30:1", "1 o 30:1", {S, P}, 8, 1, 0, 64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const ends *e = &rows[i];
        zlay_layout *from = read_layout(*state, e->from), *to = read_layout(*state, e->to);
        for (int free = 0; free < 2; free++) {
            zlay_move *move = NULL;
            zlay_move_summary info;
            zlay_copy_request r = {.size = sizeof r, .elem_bits = e->bits, .threads = e->threads, .signal = e->signal,
                                   .path = free ? 0 : ZLAY_PATH_BULK, .source = {from, e->spaces[0], 0, 128},
                                   .dest = {to, e->spaces[1], 0, 128}};
            if (zlay_copy_synth(*state, &move, target_of("sm_90a"), &r)) fail_msg("%s: %s", e->from, zlay_ctx_message(*state));
            assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
            for (uint32_t k = 0; k < info.parts; k++) {
                seen_part x = part_of(move, k);
                assert_false(is_bulk(&x));
            }
            if (!free) assert_int_equal(info.cost, e->cost);
            assert_true(info.cost <= e->cost);
            if (info.bound > info.cost) fail_msg("%s: the bound is %d of %d", e->from, (int)info.bound, (int)info.cost);
            assert_int_equal(info.optimal, info.bound == info.cost);
            if (free) assert_int_not_equal(info.path, ZLAY_PATH_BULK);
            zlay_move_free(move);
        }
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_copies), cmocka_unit_test(test_without_strides),
        cmocka_unit_test(test_known_copies), cmocka_unit_test(test_ends_alone),
    };
    return cmocka_run_group_tests_name("copy-synth", tests, begin, end);
}
