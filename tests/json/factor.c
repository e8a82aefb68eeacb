/* SPDX-License-Identifier: Apache-2.0 */
/* layout.factor, word.synth and swizzle.normal as requests: what they answer, and which field is at
 * fault. */
#include "answer.h"

#define WORD   "{\"op\":\"word.synth\",\"slots\":"
#define FACTOR "{\"op\":\"layout.factor\",\"target\":\"sm_90a\","
#define NORMAL "{\"op\":\"swizzle.normal\",\"layout\":"

static const char *const rows[][2] = {
    {WORD "[[\"register\",2],[\"lane\",2]],\"map\":\"(2,2):(2,1)\"}",
     "{\"ok\":{\"word\":[{\"op\":\"shfl\",\"form\":\"exchange\",\"map\":{\"in\":[[\"register\",[[0,1]]],"
     "[\"lane\",[[1,0]]]],\"out\":[[\"register\",2],[\"lane\",2]]},\"rounds\":1,\"instructions\":4}],"
     "\"rounds\":1,\"instructions\":4,\"lower_bound\":{\"rounds\":1,\"instructions\":4},\"optimal\":true}}"},
    {WORD "[[\"lane\",4]],\"map\":\"3 o 4:-1\"}", "\"form\":\"bfly\",\"map\":{\"in\":[[\"lane\",[[1],[2]]]],"
     "\"out\":[[\"lane\",4]]},\"constant\":[3]"},
    {WORD "[[\"lane\",4],[\"register\",2]],\"map\":\"8\"}", "\"EINVAL\",\"message\":\"field 'slots'"},
    {WORD "[[\"lane\",3]],\"map\":\"3\"}", "field 'slots'"},
    {WORD "[[\"thread\",4]],\"map\":\"4\"}", "field 'slots'"},
    {WORD "[[\"lane\",8]],\"map\":\"4\"}", "\"EINVAL\",\"message\":\"map"},
    {WORD "[[\"lane\",4]],\"map\":\"4:2\"}", "\"none\""},
    {WORD "[[\"byte\",8]],\"map\":\"8\"}", "\"ELIMIT\""},
    {WORD "[[\"lane\",32]],\"map\":\"1 o (2,16):(-1,2)\",\"name\":\"turn\"}",
     ".visible .entry turn(.param .u64 from_words, .param .u64 to_words)"},
    {WORD "[[\"lane\",32]],\"map\":\"1 o (2,16):(-1,2)\",\"name\":\"turn\"}",
     "shfl.sync.bfly.b32 %z1, %z0, 1, 31, 0xffffffff;"},
    {WORD "[[\"lane\",4]],\"map\":\"3 o 4:-1\",\"name\":\"turn\"}", "\"ENOTSUP\""},
    {WORD "[[\"lane\",32]],\"map\":\"32\",\"name\":\"add\"}", "\"EINVAL\""},
    {WORD "[]}", "\"EINVAL\""},
    {FACTOR "\"layout\":\"(64,64):(1,64)\"}", "{\"ok\":{\"desc\":{\"name\":\"tma.none\",\"first\":0,"
     "\"layout\":\"(64,64):(1,64)\"},\"residual\":\"4096:1\",\"dual\":\"(64,64):(1,64)\",\"word\":[]"},
    {FACTOR "\"layout\":\"(64,64):(1,64)\",\"desc\":\"tma.128B\"}", "\"op\":\"load\""},
    {FACTOR "\"layout\":\"(64,64):(1,64)\",\"desc\":\"tma\"}", "field 'desc'"},
    {FACTOR "\"layout\":\"(64,64):(1,64)\",\"elem_bits\":4}", "\"EINVAL\""},
    {FACTOR "\"layout\":\"(64,63):(1,64)\"}", "\"none\""},
    {FACTOR "\"layout\":\"(64,64):(1,65)\"}", "\"none\""},
    {NORMAL "\"Sw<2,4,3> o 0 o (8,16):(16,1)\",\"elem_bits\":8}",
     "{\"ok\":{\"offset\":[],\"strided\":\"(8,16):(16,1)\",\"index\":[],\"hardware\":\"none\"}}"},
    {NORMAL "\"Sw<3,3,3> o 0 o 512:1\",\"elem_bits\":16}", "\"offset\":[[3,3,3]],\"strided\":\"512:1\","
     "\"index\":[],\"hardware\":\"128B\""},
    {NORMAL "\"Sw<1,0,-1> o 0 o 4:1\"}", "\"offset\":[[1,0,1]],\"strided\":\"(2,2):(2,1)\",\"index\":[[1,0,1]]"},
    {NORMAL "\"(4,4):(4,1)\"}", "\"hardware\":\"none\""},
    {NORMAL "\"(4,3):(4,1)\"}", "\"none\":"},
    {NORMAL "\"4\",\"elem_bits\":12}", "field 'elem_bits'"},
};

static void answers(void **state)
{
    answers_have(*state, rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, begin, end);
}
