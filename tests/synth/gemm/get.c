/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan shows of itself, its memory, and hostile requests. */
#include "heap.h"
#include "plans.h"

#include <stdbool.h>

/* ---- what a plan shows of itself ------------------------------------------- */

static void test_get_nulls(void **unused)
{
    (void)unused;
    zlay_gemm g = gemm_of(100, 200, 300);
    zlay_plan *plan = plan_of(&g);
    zlay_plan_summary info;
    zlay_tensormap map;
    zlay_copy copy;
    zlay_smemdesc desc;
    zlay_buf buf = {0};
    const zlay_layout *a, *b;
    assert_int_equal(zlay_plan_info(NULL, plan), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_info(&info, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_map(NULL, plan, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_map(&map, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_copy_nth(NULL, plan, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_copy_nth(&copy, NULL, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_desc(NULL, plan, 0, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_desc(&desc, NULL, 0, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_certificate(NULL, &b, plan, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_certificate(&a, NULL, plan, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_certificate(&a, &b, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_rules(NULL, plan), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_rules(&buf, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_print(NULL, plan), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_print(&buf, NULL), ZLAY_EINVAL);
    assert_null(zlay_plan_smem(NULL, 0));
    assert_null(zlay_plan_pipe(NULL));
    zlay_plan_free(plan);
}

/* Operands that are none, and the first number past each list; outputs stay as they are. */
static void test_get_ends(void **unused)
{
    (void)unused;
    static const int32_t none[] = {-1, ZLAY_OPERAND_SCALES_B + 1, INT32_MAX, INT32_MIN};
    zlay_gemm g = gemm_of(100, 200, 300);
    zlay_plan *plan = plan_of(&g);
    zlay_plan_summary info = info_of(plan);
    zlay_tensormap map, map_was;
    zlay_copy copy, copy_was;
    zlay_smemdesc desc, desc_was;
    const zlay_layout *a = (void *)&g, *b = (void *)&g;
    memset(&map, 0x5a, sizeof map), map_was = map;
    memset(&copy, 0x5a, sizeof copy), copy_was = copy;
    memset(&desc, 0x5a, sizeof desc), desc_was = desc;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_int_equal(zlay_plan_map(&map, plan, none[i]), ZLAY_EINVAL);
        assert_int_equal(zlay_plan_copy_nth(&copy, plan, none[i], 0), ZLAY_EINVAL);
        assert_int_equal(zlay_plan_desc(&desc, plan, none[i], 0, 0), ZLAY_EINVAL);
        assert_null(zlay_plan_smem(plan, none[i]));
    }
    for (int32_t o = ZLAY_OPERAND_SCALES_A; o <= ZLAY_OPERAND_SCALES_B; o++) {
        assert_int_equal(zlay_plan_map(&map, plan, o), ZLAY_NONE);
        assert_int_equal(zlay_plan_copy_nth(&copy, plan, o, 0), ZLAY_NONE);
    }
    assert_int_equal(zlay_plan_desc(&desc, plan, ZLAY_OPERAND_D, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_desc(&desc, plan, ZLAY_OPERAND_A, info.consumers, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_desc(&desc, plan, ZLAY_OPERAND_A, 0, info.k_steps), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_copy_nth(&copy, plan, ZLAY_OPERAND_A, copies_of(plan, ZLAY_OPERAND_A)),
                     ZLAY_NONE);
    assert_int_equal(zlay_plan_copy_nth(&copy, plan, ZLAY_OPERAND_A, UINT32_MAX), ZLAY_NONE);
    assert_int_equal(zlay_plan_certificate(&a, &b, plan, 6), ZLAY_NONE);
    assert_ptr_equal(a, &g);
    assert_ptr_equal(b, &g);
    assert_memory_equal(&map, &map_was, sizeof map);
    assert_memory_equal(&copy, &copy_was, sizeof copy);
    assert_memory_equal(&desc, &desc_was, sizeof desc);
    zlay_plan_free(plan);
}

/* A buffer too short by one byte is told how long, and keeps what it had. */
static void check_room(const zlay_plan *plan, zlay_status (*print)(zlay_buf *, const zlay_plan *))
{
    static char text[1 << 17];
    zlay_buf buf = {NULL, 0, 0};
    assert_int_equal(print(&buf, plan), ZLAY_EROOM);
    size_t need = buf.need;
    assert_in_range(need, 1000, sizeof text - 2);
    memset(text, 0x5a, sizeof text);
    buf = (zlay_buf){text, need, 0};
    assert_int_equal(print(&buf, plan), ZLAY_EROOM);
    for (size_t i = 0; i < sizeof text; i++) assert_int_equal(text[i], 0x5a);
    buf = (zlay_buf){text, need + 1, 0};
    assert_int_equal(print(&buf, plan), ZLAY_OK);
    assert_int_equal(strlen(text), need);
    assert_int_equal(text[need + 1], 0x5a);
}

static void test_texts(void **unused)
{
    (void)unused;
    zlay_gemm g = gemm_of(100, 200, 300);
    zlay_plan *plan = plan_of(&g);
    check_room(plan, zlay_plan_rules);
    check_room(plan, zlay_plan_print);
    zlay_plan_free(plan);
}

/* ---- memory ------------------------------------------------------------------ */

static zlay_status planned(zlay_ctx *ctx, void *gemm)
{
    zlay_plan *plan = gemm;
    zlay_status status = zlay_gemm_synth(ctx, &plan, target_of("sm_90a"), gemm);
    if (status) assert_null(plan);
    if (status) assert_non_null(strstr(zlay_ctx_message(ctx), "memory"));
    zlay_plan_free(plan);
    return status;
}

/* The plan outlives its ctx. */
static void check_memory(zlay_gemm *g)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_plan *plan;
    assert_int_equal(heap_fails_each(&h, ctx, planned, g), ZLAY_OK);
    assert_true(h.calls > 10);
    assert_int_equal(zlay_gemm_synth(ctx, &plan, target_of("sm_90a"), g), ZLAY_OK);
    zlay_ctx_free(ctx);
    zlay_plan_free(plan);
    assert_int_equal(h.live, 0);
}

static void test_memory(void **unused)
{
    (void)unused;
    zlay_gemm g = gemm_of(100, 200, 300), odd = gemm_of(67, 133, 75);
    check_memory(&g);
    odd.repack = ZLAY_REPACK_ALWAYS;
    check_memory(&odd);
    g = gemm_of(100, 200, 304);
    g.a_order = ZLAY_ORDER_COLUMN, g.d_order = ZLAY_ORDER_COLUMN;
    check_memory(&g);
    g = gemm_of(100, 200, 301);
    g.type = ZLAY_TYPE_E4M3, g.d_type = ZLAY_TYPE_F32;
    check_memory(&g);
    static const char body[] = "body relu\nmatrix S f32\nS = max(S, 0)\nend\n";
    g.epilogue = body, g.epilogue_length = sizeof body - 1;
    check_memory(&g);
    g.a_scales = ZLAY_SCALES_LINE, g.b_scales = ZLAY_SCALES_BLOCK;
    check_memory(&g);
    g.d_type = ZLAY_TYPE_E4M3, g.d_scales = ZLAY_SCALES_LINE, g.k = 304;
    check_memory(&g);
}

/* Bytes at random: a status with a message, or a plan. */
static void test_hostile(void **state)
{
    uint64_t seed = test_seed("hostile");
    zlay_ctx *ctx = *state;
    uint64_t planned = 0;
    for (uint64_t i = 0; i < test_iterations(4000); i++) {
        zlay_gemm g = gemm_random(&seed);
        size_t words = sizeof g / 4, at = test_random(&seed) % words;
        uint32_t word = (uint32_t)(test_random(&seed) >> test_random(&seed) % 32);
        if (i % 16) memcpy((char *)&g + 4 * at, &word, 4);
        else
            for (size_t b = 0; b < sizeof g; b++)
                ((unsigned char *)&g)[b] = (unsigned char)test_random(&seed);
        g.epilogue = NULL; /* what it points to is the caller's word */
        zlay_plan *plan = (zlay_plan *)&g;
        zlay_status status = zlay_gemm_synth(ctx, &plan, target_of("sm_90a"), &g);
        if (status == ZLAY_EINTERNAL) fail_msg("%s: %s", gemm_text(&g), zlay_ctx_message(ctx));
        if (status) assert_true(zlay_ctx_message(ctx)[0] != 0);
        assert_int_equal(!plan, status != ZLAY_OK);
        planned += !status;
        zlay_plan_free(plan);
    }
    assert_in_range(planned, 1, 3999 * test_iterations(1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get_nulls),
        cmocka_unit_test(test_get_ends),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
