/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions that cannot be served, without memory, and as JSON. */
#include "answer.h"
#include "plans/convert_worlds.h"
#include "heap_layouts.h"

/* ---- requests that cannot be served ------------------------------------------------------ */

static void refusals(void **state)
{
    static const struct {
        const char *target, *src, *dst;
        uint32_t bits;
        uint64_t smem;
        zlay_status status;
        const char *says;
    } rows[] = {
        {"sm_90a", "(2,32):(1,2)", "(2,32):(1,4)", 32, 0, ZLAY_NONE,
         "no slot of src holds element"},
        {"sm_90a", "(3,32):(1,3)", "(3,32):(1,4)", 32, 0, ZLAY_NONE,
         "no slot of src holds element"},
        {"sm_90a", "(2,32):(1,2)", "(2,32):(1,2)", 12, 0, ZLAY_EINVAL, "elem_bits"},
        {"sm_90a", "(2,64):(1,2)", "(2,64):(1,2)", 32, 0, ZLAY_EINVAL, "64 lanes"},
        {"sm_90a", "(2,32,64):(1,2,64)", "(2,32,64):(1,2,64)", 32, 0, ZLAY_EINVAL, "64 warps"},
        {"sm_90a", "(2,32,1,32):(1,2,0,64)", "(2,32,1,32):(1,2,0,64)", 32, 0, ZLAY_EINVAL,
         "32 blocks"},
        {"sm_90a", "(1,32,1,1,2):(1,1,0,0,32)", "(1,32):(1,1)", 32, 0, ZLAY_EINVAL,
         "5 input dimensions"},
        {"sm_90a", "(4,32,4):(1,4,128)", "(4,32,4):(128,1,32)", 32, 2047, ZLAY_ELIMIT,
         "2048 bytes"},
        {"sm_90a", "(5,32,3):(1,5,160)", "(5,32,3):(96,1,32)", 32, 1919, ZLAY_ELIMIT,
         "480 elements"},
        {"sm_90a", "(64,32,32):(1,64,2048)", "(64,32,32):(1024,1,32)", 64, 0, ZLAY_ELIMIT,
         "524288 bytes"},
        {"sm_90a", "(2,N):(1,2)", "(2,32):(1,2)", 32, 0, ZLAY_ENOTSUP, "N"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *src = read_layout(*state, rows[i].src),
                    *dst = read_layout(*state, rows[i].dst);
        zlay_convert_request r = {.size = sizeof r,
                                  .elem_bits = rows[i].bits,
                                  .src = src,
                                  .dst = dst,
                                  .smem = rows[i].smem};
        zlay_convert *plan = (void *)&r;
        zlay_status status = zlay_convert_synth(*state, &plan, target_of(rows[i].target), &r);
        if (status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].says))
            fail_msg("row %zu: %s, %s", i, zlay_status_name(status), zlay_ctx_message(*state));
        assert_null(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
}

static zlay_status converted(zlay_ctx *ctx, void *given)
{
    const operands *of = given;
    zlay_convert_request r = {.size = sizeof r, .elem_bits = 32, .src = of->a, .dst = of->b};
    zlay_convert *plan = NULL;
    zlay_status status = zlay_convert_synth(ctx, &plan, target_of("sm_90a"), &r);
    zlay_convert_free(plan);
    return status;
}

/* Every allocation of a plan fails once, and nothing is lost. */
static void out_of_memory(void **state)
{
    static const char *const pairs[][2] = {
        {"(4,32,4):(1,4,128)", "(4,32,4):(128,1,32)"},
        {"(2,32):(1,2)", "(2,32):(32,1)"},
        {"(3,32,2):(1,3,96)", "(3,32,2):(64,1,32)"},
        {"(3,32):(32,1)", "31 o (3,32):(32,-1)"},
        {WRAPPED_SRC, WRAPPED_DST},
    };
    (void)state;
    heap h;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(layouts_fail_each(&h, NULL, converted, i, pairs[i][0], pairs[i][1]), ZLAY_OK);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void as_json(void **state)
{
    static const char *const rows[][2] = {
        {"{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":\"(2,2):(1,2)\","
         "\"dst\":\"(2,2):(2,1)\"}",
         "\"rounds\":1,\"rounds_least\":1,\"optimal\":true"},
        {"{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,"
         "\"src\":{\"in\":[[\"register\",[[1]]],[\"lane\",[[2],[4]]]],\"out\":[[\"x\",8]]},"
         "\"dst\":{\"in\":[[\"register\",[[1]]],[\"lane\",[[4],[2]]]],\"out\":[[\"x\",8]]}}",
         "{\"op\":\"shfl\",\"map\":{\"in\":[[\"register\",[[1,0]]],[\"lane\",[[0,2],[0,1]]]],"
         "\"out\":[[\"register\",2],[\"lane\",4]]}"},
        {"{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":"
         "\"(2,32):(1,2)\",\"dst\":\"(2,32):(1,4)\"}",
         "{\"none\":\"dst: no slot of src holds element"},
        {"{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":7,\"src\":\"8\",\"dst\":"
         "\"8\"}",
         "elem_bits: 7 is not 8, 16, 32 or 64"},
        {"{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":"
         "\"(4,32,4):(1,4,128)\",\"dst\":\"(4,32,4):(128,1,32)\",\"smem\":1024}",
         "2048 bytes of shared memory"},
    };
    answers_have(*state, rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals), cmocka_unit_test(as_json), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
