/* SPDX-License-Identifier: Apache-2.0 */
/* The model beside counters of an H200 (tests/data/dram.def): bytes of global memory read, and written before the kernel ends, within 10 %
 * of what was counted, of all rows but those that are known to be off. */
#include "ctx.h"

#include <stdbool.h>
#include <zlay/io.h>

enum { FITS, HELD, OFF, PERCENT = 10 };

/* Whether the model is within 10 %. */
static bool is_near(const zlay_io_answer *a, uint64_t read, uint64_t written)
{
    uint64_t counted = read + written, said = a->best.hbm - a->best.left;
    uint64_t apart = said > counted ? said - counted : counted - said;
    return apart * 100 <= counted * PERCENT;
}

static void judge(const char *what, uint64_t m, uint64_t n, int how, bool near)
{
    if (near == (how == OFF)) fail_msg("%s %llu x %llu: %s", what, (unsigned long long)m, (unsigned long long)n, near ? "no longer off" : "off");
}

#define COUNTED_GEMM(...) {__VA_ARGS__},
#define COUNTED_ATTENTION(...)
#define BF16 ZLAY_TYPE_BF16
#define E4M3 ZLAY_TYPE_E4M3
static const struct {
    uint64_t m, n, k;
    int32_t type;
    uint32_t tile_m, tile_n, band;
    int how;
    uint64_t read, written;
} gemms[] = {
#include "data/dram.def"
};

#define COUNTED_GEMM(...)
#define COUNTED_ATTENTION(...) {__VA_ARGS__},
static const struct {
    uint32_t head;
    uint64_t batch, tokens, heads, kv_heads;
    uint32_t causal, tile_m, tile_n;
    int how;
    uint64_t read, written;
} attentions[] = {
#include "data/dram.def"
};

static void test_gemms(void **state)
{
    for (size_t i = 0; i < sizeof gemms / sizeof *gemms; i++) {
        const zlay_io_gemm r = {.size = sizeof r, .m = gemms[i].m, .n = gemms[i].n, .k = gemms[i].k, .a_type = gemms[i].type, .b_type = gemms[i].type,
                                .tile_m = gemms[i].tile_m, .tile_n = gemms[i].tile_n, .band = gemms[i].band};
        zlay_io_answer a;
        assert_int_equal(zlay_io_gemm_plan(*state, &a, target_of("sm_90a"), &r), ZLAY_OK);
        judge("gemm", r.m, r.n, gemms[i].how, is_near(&a, gemms[i].read, gemms[i].written));
    }
}

static void test_attentions(void **state)
{
    for (size_t i = 0; i < sizeof attentions / sizeof *attentions; i++) {
        const zlay_io_attention r = {.size = sizeof r, .head = attentions[i].head, .batch = attentions[i].batch, .queries = attentions[i].tokens,
                                     .keys = attentions[i].tokens, .heads = attentions[i].heads, .kv_heads = attentions[i].kv_heads,
                                     .causal = attentions[i].causal, .tile_m = attentions[i].tile_m, .tile_n = attentions[i].tile_n, .band = UINT32_MAX};
        zlay_io_answer a;
        assert_int_equal(zlay_io_attention_plan(*state, &a, target_of("sm_90a"), &r), ZLAY_OK);
        judge("attention", r.queries, r.heads, attentions[i].how, is_near(&a, attentions[i].read, attentions[i].written));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gemms), cmocka_unit_test(test_attentions)};
    return cmocka_run_group_tests(tests, begin, end);
}
