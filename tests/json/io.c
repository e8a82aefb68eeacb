/* SPDX-License-Identifier: Apache-2.0 */
/* io.gemm, io.attention and io.chain as requests: what they answer, and which field is at fault. */
#include "answer.h"

#define GEMM "{\"op\":\"io.gemm\",\"target\":\"sm_90a\","
#define ATTENTION "{\"op\":\"io.attention\",\"target\":\"sm_90a\","
#define CHAIN "{\"op\":\"io.chain\",\"target\":\"sm_90a\","
#define EXAMPLE "\"m\":512,\"n\":512,\"k\":512,\"tile_m\":128,\"tile_n\":256,\"processors\":2,\"hbm_rate\":1000,\"l2_rate\":2000"

static const char *const rows[][2] = {
    {GEMM EXAMPLE ",\"band\":1,\"l2\":524288}",
     "{\"ok\":{\"best\":{\"tile_m\":128,\"tile_n\":256,\"tile_k\":64,\"band\":1,\"smem\":164864,\"sums\":131072,\"tiles\":8,\"flops\":268435456,"
     "\"hbm\":3145728,\"left\":131072,\"l2\":3670016,\"cycles\":3145728},"
     "\"tensors\":{\"A\":{\"bytes\":524288,\"read\":524288,\"written\":0,\"left\":0,\"l2\":1048576},"
     "\"B\":{\"bytes\":524288,\"read\":2097152,\"written\":0,\"left\":0,\"l2\":2097152},"
     "\"D\":{\"bytes\":524288,\"read\":0,\"written\":524288,\"left\":131072,\"l2\":524288}},"
     "\"hbm_bound\":{\"bytes\":1572864,\"by\":\"compulsory\"},\"l2_bound\":{\"bytes\":3490108,\"by\":\"sums\",\"block\":32768},\"optimal\":true,\"grid\":1,\"run\":1,"
     "\"machine\":{\"l2\":524288,\"hbm_rate\":1000,\"l2_rate\":2000,\"processors\":2,\"smem\":232448,\"spread\":10}}}"},
    {GEMM EXAMPLE ",\"l2\":524288,\"front\":true}", "\"band\":2,"},
    {GEMM EXAMPLE ",\"l2\":524288,\"front\":true}", "\"front_count\":1}}"},
    {GEMM EXAMPLE ",\"text\":true}", "{\"ok\":{\"text\":\"tile 128 x 256, bands of"},
    {GEMM "\"m\":\"512\",\"n\":512,\"k\":512}", "{\"ok\":{\"best\":{"},
    {GEMM "\"n\":512,\"k\":512}", "field 'm' is missing"},
    {GEMM "\"m\":0,\"n\":512,\"k\":512}", "field 'm'"},
    {GEMM "\"m\":8,\"n\":8,\"k\":8,\"type\":\"f64\"}", "a_type: no operand"},
    {GEMM "\"m\":8,\"n\":8,\"k\":8,\"band\":0}", "field 'band'"},
    {GEMM "\"m\":8,\"n\":8,\"k\":8,\"colour\":1}", "'colour'"},
    {GEMM "\"m\":8,\"n\":8,\"k\":8,\"smem\":1}", "{\"none\":\"smem: 1 bytes; 2 stages and the result need 41984\"}"},
    {GEMM "\"m\":100000000,\"n\":100000000,\"k\":8}", "{\"undecided\":\""},
    {ATTENTION "\"head\":128,\"queries\":2048,\"keys\":2048,\"heads\":8,\"kv_heads\":2,\"tile_m\":128,\"band\":16,\"causal\":true}",
     "\"K\":{\"bytes\":1048576,\"read\":1048576,\"written\":0,\"left\":0,"},
    {ATTENTION "\"head\":64,\"queries\":64,\"keys\":64,\"text\":true}", "{\"ok\":{\"text\":\"tile 64 x "},
    {ATTENTION "\"head\":64,\"queries\":65,\"keys\":64,\"causal\":true}", "keys: causal"},
    {ATTENTION "\"queries\":65,\"keys\":64}", "field 'head' is missing"},
    {CHAIN "\"m\":65536,\"k\":256,\"h\":1024,\"n\":256,\"gated\":true}", "{\"ok\":{\"best\":{\"kernels\":\"fused\",\"tile_h\":64,\"held\":1,"},
    {CHAIN "\"m\":65536,\"k\":256,\"h\":1024,\"n\":256,\"gated\":true}", "\"other\":{\"kernels\":\"separate\","},
    {CHAIN "\"m\":64,\"k\":64,\"h\":64,\"n\":64,\"kernels\":\"separate\"}", "\"other\":null,"},
    {CHAIN "\"m\":64,\"k\":64,\"h\":64,\"n\":64,\"kernels\":\"both\"}", "field 'kernels'"},
    {CHAIN "\"m\":64,\"k\":256,\"h\":768,\"n\":128,\"crossover\":true}", "\"fused_at\":["},
    {CHAIN "\"m\":64,\"k\":256,\"h\":768}", "field 'n' is missing"},
    {CHAIN "\"m\":64,\"k\":64,\"h\":64,\"n\":64,\"text\":true,\"kernels\":\"fused\"}", "the other kind was not wanted"},
};

static void answers(void **state) { answers_have(*state, rows, sizeof rows / sizeof *rows); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, begin, end);
}
