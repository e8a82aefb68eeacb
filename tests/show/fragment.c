/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of fragments: each cell says the thread and value that formulas written by hand from the manuals say. */
#include "heap.h"

#include <stdio.h>
#include <string.h>
#include <zlay/show_fragment.h>
#include <zlay/target.h>

typedef struct place {
    int row, column;
} place;
typedef place placed(int thread, int value);

/* PTX ISA: wgmma, D; mma.m16n8, D; of A a register has two columns. */
static place wgmma_d(int t, int v)
{
    return (place){t / 32 * 16 + t % 32 / 4 + v / 2 % 2 * 8, v / 4 * 8 + t % 4 * 2 + v % 2};
}
static place wgmma_a_16(int t, int v)
{
    return (place){t / 32 * 16 + t % 32 / 4 + v / 2 % 2 * 8, v / 4 * 8 + t % 4 * 2 + v % 2};
}
static place wgmma_a_8(int t, int v)
{
    return (place){t / 32 * 16 + t % 32 / 4 + v / 4 % 2 * 8, v / 8 * 16 + t % 4 * 4 + v % 4};
}
static place warp_b_16(int t, int v) { return (place){t / 4, v / 2 * 8 + t % 4 * 2 + v % 2}; }
static place matrices(int t, int v) { return (place){t / 4, v / 2 * 8 + t % 4 * 2 + v % 2}; }
static place transposed(int t, int v) { return (place){t % 4 * 2 + v % 2, v / 2 * 8 + t / 4}; }

/* CDNA3 ISA: v_mfma of 32x32x8, 16x16x16 and of 16 blocks of 4x4x4. */
static place mfma_32_in(int t, int v) { return (place){t % 32, t / 32 * 4 + v}; }
static place mfma_16_in(int t, int v) { return (place){t % 16, t / 16 * 4 + v}; }
static place mfma_32_d(int t, int v) { return (place){v / 4 * 8 + t / 32 * 4 + v % 4, t % 32}; }
static place mfma_16_d(int t, int v) { return (place){t / 16 * 4 + v, t % 16}; }
static place mfma_4_d(int t, int v) { return (place){v, t}; }

/* PTX ISA: tcgen05.ld. */
static place ld_32x32b(int t, int v) { return (place){t, v}; }
static place ld_16x64b(int t, int v) { return (place){t / 4 + t % 2 * 8, v * 2 + t / 2 % 2}; }
static place ld_16x128b(int t, int v) { return (place){t / 4 + v % 2 * 8, v / 2 * 4 + t % 4}; }
static place ld_16x256b(int t, int v)
{
    return (place){t / 4 + v / 2 % 2 * 8, v / 4 * 8 + t % 4 * 2 + v % 2};
}
static place ld_split(int t, int v) { return (place){t % 16, t / 16 * 7 + v}; }

static void check(zlay_ctx *ctx, zlay_status status, zlay_picture *picture, placed *at, const int size[4])
{
    static char seen[128][256];
    zlay_panel panel;
    zlay_box box;
    uint64_t i = 0;
    if (status) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, 0), ZLAY_OK);
    assert_int_equal(panel.rows, size[2]);
    assert_int_equal(panel.columns, size[3]);
    memset(seen, 0, sizeof seen);
    for (; !zlay_picture_box_nth(&box, picture, 0, i); i++) {
        int t, v;
        assert_int_equal(sscanf(box.label, "T%dV%d", &t, &v), 2);
        assert_true(t < size[0] && v < size[1] && !seen[t][v]++);
        place p = at(t, v);
        if ((int)box.row != p.row || (int)box.column != p.column)
            fail_msg("%s of %s is at %u, %u", box.label, zlay_picture_title(picture), box.row, box.column);
        assert_int_equal(box.key, t);
        assert_int_equal(box.marked, 0);
    }
    assert_int_equal(i, size[0] * size[1]);
    zlay_picture_free(picture);
}

static const zlay_target *target(const char *name)
{
    const zlay_target *t;
    assert_int_equal(zlay_target_find(&t, name, strlen(name)), ZLAY_OK);
    return t;
}

static zlay_ctx *new_ctx(void)
{
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    return ctx;
}

static void test_mma(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        int32_t instruction, type, fragment;
        uint32_t m, n, k;
        placed *at;
        int size[4]; /* threads, values, rows, columns */
    } rows[] = {
        {"sm_90a", ZLAY_MMA_WGMMA, ZLAY_TYPE_BF16, ZLAY_FRAGMENT_D, 64, 16, 16, wgmma_d, {128, 8, 64, 16}},
        {"sm_90a", ZLAY_MMA_WGMMA, ZLAY_TYPE_BF16, ZLAY_FRAGMENT_D, 64, 256, 16, wgmma_d, {128, 128, 64, 256}},
        {"sm_90a", ZLAY_MMA_WGMMA, ZLAY_TYPE_BF16, ZLAY_FRAGMENT_A, 64, 8, 16, wgmma_a_16, {128, 8, 64, 16}},
        {"sm_90a", ZLAY_MMA_WGMMA, ZLAY_TYPE_E4M3, ZLAY_FRAGMENT_A, 64, 8, 32, wgmma_a_8, {128, 16, 64, 32}},
        {"gfx942", ZLAY_MMA_MFMA, ZLAY_TYPE_BF16, ZLAY_FRAGMENT_A, 32, 32, 8, mfma_32_in, {64, 4, 32, 8}},
        {"gfx942", ZLAY_MMA_MFMA, ZLAY_TYPE_BF16, ZLAY_FRAGMENT_B, 32, 32, 8, mfma_32_in, {64, 4, 32, 8}},
        {"gfx942", ZLAY_MMA_MFMA, ZLAY_TYPE_BF16, ZLAY_FRAGMENT_D, 32, 32, 8, mfma_32_d, {64, 16, 32, 32}},
        {"gfx942", ZLAY_MMA_MFMA, ZLAY_TYPE_F16, ZLAY_FRAGMENT_A, 16, 16, 16, mfma_16_in, {64, 4, 16, 16}},
        {"gfx942", ZLAY_MMA_MFMA, ZLAY_TYPE_F16, ZLAY_FRAGMENT_D, 16, 16, 16, mfma_16_d, {64, 4, 16, 16}},
        {"gfx942", ZLAY_MMA_MFMA, ZLAY_TYPE_F16, ZLAY_FRAGMENT_D, 4, 4, 4, mfma_4_d, {64, 4, 4, 64}},
    };
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const zlay_mma mma = {.instruction = rows[i].instruction, .m = rows[i].m, .n = rows[i].n,
                              .k = rows[i].k, .a = rows[i].type, .b = rows[i].type, .d = ZLAY_TYPE_F32};
        zlay_picture *picture = NULL;
        zlay_status status =
            zlay_show_mma_fragment(ctx, &picture, target(rows[i].target), &mma, rows[i].fragment);
        check(ctx, status, picture, rows[i].at, rows[i].size);
    }
    zlay_ctx_free(ctx);
}

static void test_warp(void **state)
{
    (void)state;
    static const struct {
        int32_t fragment;
        uint32_t bits, registers;
        placed *at;
        int size[4];
    } rows[] = {
        {ZLAY_WARP_A, 16, 4, wgmma_a_16, {32, 8, 16, 16}},
        {ZLAY_WARP_A, 8, 4, wgmma_a_8, {32, 16, 16, 32}},
        {ZLAY_WARP_B, 16, 2, warp_b_16, {32, 4, 8, 16}},
        {ZLAY_WARP_D, 32, 4, wgmma_d, {32, 4, 16, 8}},
        {ZLAY_WARP_MATRICES, 16, 4, matrices, {32, 8, 8, 32}},
        {ZLAY_WARP_TRANSPOSED, 16, 2, transposed, {32, 4, 8, 16}},
    };
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_picture *picture = NULL;
        zlay_status status = zlay_show_warp_fragment(ctx, &picture, rows[i].fragment, rows[i].bits,
                                                     rows[i].registers);
        check(ctx, status, picture, rows[i].at, rows[i].size);
    }
    zlay_ctx_free(ctx);
}

static void test_registers(void **state)
{
    (void)state;
    static const struct {
        zlay_tmem_map map;
        placed *at;
        int size[4];
    } rows[] = {
        {{.shape = ZLAY_TMEM_32X32B, .size = 8}, ld_32x32b, {32, 8, 32, 8}},
        {{.shape = ZLAY_TMEM_16X64B, .size = 4}, ld_16x64b, {32, 4, 16, 8}},
        {{.shape = ZLAY_TMEM_16X128B, .size = 2}, ld_16x128b, {32, 4, 16, 8}},
        {{.shape = ZLAY_TMEM_16X256B, .size = 2}, ld_16x256b, {32, 8, 16, 16}},
        {{.shape = ZLAY_TMEM_32X32B, .size = 4, .pack = 1}, ld_32x32b, {32, 8, 32, 8}},
    };
    zlay_ctx *ctx = new_ctx();
    zlay_picture *picture = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        picture = NULL;
        zlay_status status = zlay_show_tmem_registers(ctx, &picture, &rows[i].map);
        check(ctx, status, picture, rows[i].at, rows[i].size);
    }
    zlay_tmem_map split = {.shape = ZLAY_TMEM_16X32BX2, .size = 2, .half_split = 7};
    assert_int_equal(zlay_show_tmem_registers(ctx, &picture, &split), ZLAY_OK);
    check(ctx, ZLAY_OK, picture, ld_split, (int[]){32, 2, 16, 9});
    zlay_ctx_free(ctx);
}

/* What the library refuses is refused, with its status. */
static void test_refused(void **state)
{
    (void)state;
    const zlay_target *hopper = target("sm_90a");
    zlay_mma mma = {.instruction = ZLAY_MMA_WGMMA, .m = 64, .n = 12, .k = 16, .a = ZLAY_TYPE_BF16,
                    .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    zlay_tmem_map map = {.shape = ZLAY_TMEM_PATH_D, .size = 16};
    zlay_ctx *ctx = new_ctx();
    zlay_picture *p = NULL;
    assert_int_equal(zlay_show_mma_fragment(ctx, &p, hopper, &mma, ZLAY_FRAGMENT_D), ZLAY_NONE);
    mma.n = 16;
    assert_int_equal(zlay_show_mma_fragment(ctx, &p, hopper, &mma, 9), ZLAY_EINVAL);
    assert_int_equal(zlay_show_mma_fragment(ctx, &p, NULL, &mma, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_show_mma_fragment(ctx, &p, hopper, NULL, 0), ZLAY_EINVAL);
    mma.instruction = ZLAY_MMA_TCGEN05;
    assert_int_equal(zlay_show_mma_fragment(ctx, &p, target("sm_100a"), &mma, 0), ZLAY_ENOTSUP);
    assert_int_equal(zlay_show_warp_fragment(ctx, &p, ZLAY_WARP_A, 16, 3), ZLAY_NONE);
    assert_int_equal(zlay_show_warp_fragment(ctx, &p, 7, 16, 4), ZLAY_EINVAL);
    assert_int_equal(zlay_show_warp_fragment(ctx, NULL, ZLAY_WARP_A, 16, 4), ZLAY_EINVAL);
    assert_int_equal(zlay_show_tmem_registers(ctx, &p, &map), ZLAY_EINVAL);
    map.shape = ZLAY_TMEM_16X64B;
    map.address = 4;
    assert_int_equal(zlay_show_tmem_registers(ctx, &p, &map), ZLAY_EINVAL);
    map.address = 0;
    map.size = 3;
    assert_int_equal(zlay_show_tmem_registers(ctx, &p, &map), ZLAY_NONE);
    assert_int_equal(zlay_show_tmem_registers(ctx, &p, NULL), ZLAY_EINVAL);
    assert_null(p);
    zlay_ctx_free(ctx);
}

static zlay_status show_once(zlay_ctx *ctx, void *given)
{
    const zlay_mma mma = {.instruction = ZLAY_MMA_WGMMA, .m = 64, .n = 8, .k = 16, .a = ZLAY_TYPE_BF16,
                          .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    const zlay_tmem_map map = {.shape = ZLAY_TMEM_16X64B, .size = 2};
    const int *which = given;
    zlay_picture *p = NULL;
    zlay_status status = *which == 0   ? zlay_show_mma_fragment(ctx, &p, target("sm_90a"), &mma, 0)
                         : *which == 1 ? zlay_show_warp_fragment(ctx, &p, ZLAY_WARP_A, 16, 4)
                                       : zlay_show_tmem_registers(ctx, &p, &map);
    assert_true(!status == (p != NULL));
    zlay_picture_free(p);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        heap h;
        zlay_ctx *ctx = heap_open(&h, NULL);
        assert_int_equal(heap_fails_each(&h, ctx, show_once, &which), ZLAY_OK);
        heap_close(&h, ctx);
    }
}

static void test_limit(void **state)
{
    (void)state;
    const zlay_limits limits = {.size = sizeof limits, .points = 100};
    zlay_ctx *ctx;
    zlay_picture *p = NULL;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
    assert_int_equal(zlay_show_warp_fragment(ctx, &p, ZLAY_WARP_A, 16, 4), ZLAY_ELIMIT);
    assert_null(p);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mma),     cmocka_unit_test(test_warp),   cmocka_unit_test(test_registers),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_memory), cmocka_unit_test(test_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
