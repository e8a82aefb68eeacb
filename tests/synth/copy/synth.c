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
        zlay_move_info info;
        zlay_layout *from = read_layout(*state, want.text[0]),
                    *to = read_layout(*state, want.text[1]);
        want.r.source.layout = from;
        want.r.dest.layout = to;
        zlay_status status = zlay_copy_synth(*state, &move, target_of(want.target), &want.r);
        if (status) check_refusal(*state, &want, status, to);
        else {
            assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
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
        zlay_move_info info;
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
            assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
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
        zlay_move_info info;
        zlay_move_widest widest;
        zlay_layout *from = read_layout(*state, k->from), *to = read_layout(*state, k->to);
        zlay_copy_request r = {.size = sizeof r,
                               .elem_bits = k->bits,
                               .threads = k->threads,
                               .source = {from, k->spaces[0], 0, 128},
                               .dest = {to, k->spaces[1], 0, 128}};
        zlay_status status = zlay_copy_synth(*state, &move, target_of(k->target), &r);
        if (status) fail_msg("%s -> %s: %s", k->from, k->to, zlay_ctx_message(*state));
        assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
        assert_int_equal(zlay_move_widest_get(&widest, move), ZLAY_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_copies), cmocka_unit_test(test_without_strides),
        cmocka_unit_test(test_known_copies),
    };
    return cmocka_run_group_tests_name("copy-synth", tests, begin, end);
}
