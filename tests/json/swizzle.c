/* SPDX-License-Identifier: Apache-2.0 */
/* swizzle.synth in JSON: answers by hand, each field of a request, what is refused. */
#include "answer.h"

#define ASK(target, bits, shape, accesses)                                                         \
    "{\"op\":\"swizzle.synth\",\"target\":\"" target "\",\"elem_bits\":" bits ",\"shape\":" shape  \
    ",\"accesses\":[" accesses "]}"
#define BY(name, layout) "{\"instruction\":\"" name "\",\"layout\":" layout "}"
#define ROWS BY("st.shared.b32", "\"32:32\"")

static const char *const rows[][2] = {
    {ASK("sm_90", "32", "[32,32]", ROWS "," BY("ld.shared.b32", "\"32:1\"")),
     "{\"ok\":{\"layout\":\"Sw<5,0,5> o 0 o (32,32):(1,32)\",\"wavefronts\":[1,1],\"ideal\":[1,1],"
     "\"lower_bound\":[1,1],\"optimal\":true,\"least\":\"any\",\"method\":\"complement\",\"size\":1024,"
     "\"tensor\":null,\"tensor_mode\":null,\"matrix\":null,\"xors\":5}}"},
    {ASK("sm_90a", "16", "\"(96,64)\"",
         BY("st.shared.v4.b32", "\"((8,4),8):((768,1),96)\"") "," BY("ldmatrix.x4", "\"((8,4),8):((1,768),96)\"")),
     "{\"ok\":{\"layout\":\"Sw<3,3,3> o 0 o (96,64):(64,1)\",\"wavefronts\":[4,4],\"ideal\":[4,4],"
     "\"lower_bound\":[4,4],\"optimal\":true,\"least\":\"any\",\"method\":\"family\",\"size\":6144,"
     "\"tensor\":\"128B\",\"tensor_mode\":1,\"matrix\":\"128B\",\"xors\":3}}"},
    /* two instances of a load, one extent, an F2 object */
    {ASK("sm_90", "32", "64", BY("ld.shared.b32", "{\"in\":[[\"lane\",[[1],[2],[4],[8],[16]]],[\"register\",[[32]]]],\"out\":[[\"i\",64]]}")),
     "\"wavefronts\":[2],\"ideal\":[2],\"lower_bound\":[2],\"optimal\":true"},
    {ASK("sm_90", "32", "[0]", ROWS), "shape"},
    {ASK("sm_90", "32", "[]", ROWS), "shape"},
    {ASK("sm_90", "32", "[1,1,1,1,1,1,1,1,1024]", ROWS), "shape"},
    {ASK("sm_90", "32", "\"(8\"", ROWS), "\"EINVAL\""},
    {ASK("sm_90", "32", "[32,\"x\"]", ROWS), "shape"},
    {ASK("sm_90", "33", "[32,32]", ROWS), "elem_bits"},
    {ASK("sm_90", "32", "[32,32]", ""), "accesses"},
    {ASK("sm_90", "32", "[32,32]", "7"), "accesses"},
    {ASK("sm_90", "32", "[32,32]", BY("ld.shared.b31", "\"32:1\"")), "instruction"},
    {ASK("sm_90", "32", "[32,32]", "{\"instruction\":\"ld.shared.b32\"}"), "'layout' is missing"},
    {ASK("sm_90", "32", "[32,32]", "{\"instruction\":\"ld.shared.b32\",\"layout\":\"32:1\",\"lanes\":3}"), "lanes"},
    {ASK("sm_90", "32", "[32,32]", BY("ld.shared.b32", "\"31:1\"")), "\"EINVAL\""},
    {ASK("sm_90", "32", "[1024,1024]", ROWS), "{\"none\":\"BLOCK_SMEM"},
    {ASK("sm_90", "32", "[32,32]", BY("ds_read_b32", "\"64:1\"")), "{\"none\":\"accesses: 0: sm_90 has no ds_read_b32"},
    {ASK("sm_90", "32", "[64]", BY("ld.shared.v2.b32", "\"(32,2):(2,1)\"") "," BY("st.shared.v2.b32", "\"(32,2):(1,32)\"")), "{\"none\":\"vectors: element"},
    {ASK("sm_100a", "32", "[32,32]", BY("ld.shared.v4.b32", "\"(32,4):(4,1)\"")), "\"ENOTSUP\""},
    {ASK("sm_90", "32", "[33,32]", BY("ld.shared.b32", "\"32:33\"")), "\"optimal\":true"},
    /* rows and columns as two outputs, with their sizes and without */
    {ASK("sm_90", "32", "[8,32]", BY("ld.shared.b32", "\"f2{lane: (0,1) (0,2) (0,4) (0,8) (0,16) -> row: 8, column: 32}\"")), "\"wavefronts\":[1]"},
    {ASK("sm_90", "32", "[8,33]", BY("ld.shared.b32", "\"{ [l] -> [3, l] : 0 <= l < 32 } # out 8,33\"")), "\"wavefronts\":[1]"},
    {ASK("sm_90", "32", "[8,33]", BY("ld.shared.b32", "\"{ [l] -> [3, l] : 0 <= l < 32 }\"")), "outputs of other sizes"},
};

static void answers(void **state)
{
    answers_have(*state, rows, sizeof rows / sizeof *rows);
}

/* A limit ends the search, and the answer says which. */
static void limited(void **state)
{
    const char *line = "{\"op\":\"swizzle.synth\",\"limits\":{\"points\":16},\"target\":\"sm_90\",\"elem_bits\":32,\"shape\":[33,32],\"accesses\":[" ROWS "]}";
    assert_non_null(strstr(json_answer(*state, line), "points"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers), cmocka_unit_test(limited)};
    return cmocka_run_group_tests(tests, begin, end);
}
