/* SPDX-License-Identifier: Apache-2.0 */
/* copy.check, barrier.check, block.check and replace.check: each field of a request reaches the rule that asks of it. */
#include "answer.h"

#include <stdbool.h>

#define MAP                                                                                        \
    "\"map\":{\"mode\":\"tiled\",\"type\":\"bf16\",\"rank\":2,\"address\":1048576,"                \
    "\"extent\":[256,512],\"stride\":[512],\"box\":[64,64],\"step\":[1,1],"                        \
    "\"interleave\":\"none\",\"swizzle\":\"128B\",\"l2\":0,\"oob\":0}"
#define LOAD  "{\"op\":\"copy.check\",\"target\":\"sm_90a\",\"instruction\":\"tma.load.tile.2d\"," MAP
#define LOAD_OF(extent, stride, rows)                                                              \
    "{\"op\":\"copy.check\",\"target\":\"sm_90a\",\"instruction\":\"tma.load.tile.2d\","               \
    "\"map\":{\"mode\":\"tiled\",\"type\":\"bf16\",\"rank\":2,\"address\":1048576,"                \
    "\"extent\":[" extent ",512],\"stride\":[" stride "],\"box\":[64," rows "],\"step\":[1,1],"       \
    "\"interleave\":\"none\",\"swizzle\":\"128B\",\"l2\":0,\"oob\":0}"
#define BULK  "{\"op\":\"copy.check\",\"target\":\"sm_90a\",\"instruction\":\"bulk.g2s\""
#define OTHER "{\"op\":\"copy.check\",\"target\":\"sm_100a\",\"instruction\":"
#define MBAR  "{\"op\":\"barrier.check\",\"target\":\"sm_90a\",\"barrier\":"
#define BLOCK "{\"op\":\"block.check\",\"target\":\"sm_90a\",\"threads\":384"
#define FIELD "{\"op\":\"replace.check\",\"target\":\"sm_90a\",\"field\":"

/* A request, and what its answer contains: "yes" or the one rule that is broken. */
static void fields_reach_their_rules(void **state)
{
    static const char *const rows[][2] = {
        {LOAD "}", "yes"},
        {LOAD ",\"coordinates\":[-64,-3],\"smem\":1024,\"expect\":8192,\"barrier\":8,\"count\":1}",
         "yes"},
        {LOAD ",\"coordinates\":[4,0]}", "COPY_COORDINATE_16"},
        {LOAD ",\"smem\":64}", "COPY_SMEM_128"},
        {LOAD ",\"smem\":\"0x38000\"}", "COPY_SMEM_END"},
        {LOAD ",\"expect\":8191}", "COPY_EXPECT_LEAST"},
        {LOAD ",\"expect\":8193}", "COPY_EXPECT_MOST"},
        {LOAD ",\"bytes\":4096}", "COPY_BYTES"},
        {LOAD ",\"barrier\":4}", "COPY_BARRIER_8"},
        {LOAD ",\"count\":0}", "BARRIER_COUNT"},
        {LOAD ",\"count\":1048576}", "BARRIER_COUNT"},
        {LOAD ",\"cta_mask\":3,\"cluster\":2}", "yes"},
        {LOAD ",\"cta_mask\":4,\"cluster\":2}", "COPY_MASK_CLUSTER"},
        {LOAD ",\"cta_mask\":65536}", "COPY_MASK"},
        {LOAD ",\"cluster\":17}", "COPY_CLUSTER"},
        {LOAD ",\"cluster\":2,\"cta\":2}", "COPY_CTA"},
        {BULK ",\"bytes\":24}", "BULK_SIZE_16"},
        {BULK ",\"source\":8}", "BULK_SOURCE_16"},
        {BULK ",\"peer\":4,\"cluster\":4}", "COPY_PEER"},
        {OTHER "\"cp_async.16.zfill\",\"taken\":17}", "CPASYNC_TAKEN"},
        {OTHER "\"bulk.s2g.mask\",\"byte_mask\":65536}", "BULK_BYTE_MASK"},
        {OTHER "\"tma.gather4.cta\"," MAP ",\"coordinates\":[0,1,2,3,4]}", "COPY_ROWS4_BOX"},
        {MBAR "\"init\",\"count\":1,\"address\":8}", "yes"},
        {MBAR "\"init\",\"count\":0}", "MBAR_COUNT"},
        {MBAR "\"init\",\"count\":1,\"address\":4}", "MBAR_ADDRESS_8"},
        {MBAR "\"arrive\",\"count\":2,\"pending\":1}", "MBAR_PENDING"},
        {MBAR "\"arrive\",\"sem\":\"acquire\",\"scope\":\"cta\"}", "MBAR_ORDER"},
        {MBAR "\"arrive\",\"space\":\"cluster\",\"state\":true}", "MBAR_REMOTE"},
        {MBAR "\"expect_tx\",\"bytes\":1048576}", "MBAR_BYTES"},
        {MBAR "\"expect_tx\",\"bytes\":1,\"tx\":1048575}", "MBAR_TX"},
        {MBAR "\"try_wait\",\"phase\":3,\"waited\":1}", "MBAR_PHASE"},
        {MBAR "\"try_wait\",\"remote\":true}", "MBAR_REMOTE_SCOPE"},
        {MBAR "\"sync\",\"name\":16}", "SYNC_NAME"},
        {BLOCK ",\"registers\":168,\"setmaxnreg\":[24,240,240]}", "yes"},
        {BLOCK ",\"registers\":168,\"setmaxnreg\":[24,240,248]}", "SETMAXNREG_POOL"},
        {BLOCK ",\"setmaxnreg\":[24],\"warps\":[1]}", "SETMAXNREG_WARPS"},
        {BLOCK ",\"setmaxnreg\":[24],\"fixed\":false}", "SETMAXNREG_FIXED"},
        {BLOCK ",\"cluster\":[3,3]}", "BLOCK_PORTABLE"},
        {BLOCK ",\"cluster\":[3,3],\"non_portable\":true,\"grid\":[3,6]}", "yes"},
        {BLOCK ",\"cluster\":[2],\"grid\":[3]}", "BLOCK_GRID"},
        {BLOCK ",\"smem_static\":48,\"smem_dynamic\":232448}", "BLOCK_SMEM"},
        {FIELD "\"box_dim\",\"value\":256,\"ord\":1}", "yes"},
        {FIELD "\"box_dim\",\"value\":257,\"ord\":1}", "REPLACE_NUMBER"},
        {FIELD "\"box_dim\",\"value\":1,\"ord\":5}", "REPLACE_ORD"},
        {FIELD "\"rank\",\"value\":1,\"fence\":128,\"released\":true}", "REPLACE_ACQUIRE"},
        {FIELD "\"rank\",\"value\":1,\"fence\":128,\"acquired\":true}", "REPLACE_RELEASE"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char word[80];
        const char *got = json_answer(*state, rows[i][0]);
        bool yes = !strcmp(rows[i][1], "yes");
        snprintf(word, sizeof word, yes ? "\"answer\":\"%s\"" : "\"rule\":\"%s\"", rows[i][1]);
        const char *at = strstr(got, word);
        if (!at || (!yes && !strstr(got, "\"answer\":\"no\"")))
            fail_msg("%s\n  answers %s\n  and not %s", rows[i][0], got, word);
        const char *second = yes ? NULL : strstr(at + 1, "\"rule\":");
        const char *noted = strstr(got, "\"noted\":[");
        if (second && noted && second < noted)
            fail_msg("%s\n  breaks more than %s: %s", rows[i][0], rows[i][1], got);
    }
}

static void fields_that_do_not_fit(void **state)
{
    static const char *const rows[][2] = {
        {LOAD ",\"coordinates\":[0]}", "coordinates"},
        {LOAD ",\"coordinates\":[0,2147483648]}", "coordinates"},
        {LOAD ",\"offsets\":[0]}", "offsets"},
        {LOAD ",\"smem\":-1}", "smem"},
        {LOAD ",\"cluster\":4294967296}", "cluster"},
        {BULK ",\"cta_mask\":1,\"coordinates\":[0]}", "coordinates"},
        {OTHER "\"bulk.s2g\",\"cta_mask\":1}", "cta_mask"},
        {OTHER "\"tma.load.tile.2d\"}", "map"},
        {OTHER "\"tma.load.tile.6d\"}", "instruction"},
        {OTHER "7}", "instruction"},
        {MBAR "\"wave\"}", "barrier"},
        {MBAR "\"init\",\"state\":1}", "state"},
        {BLOCK ",\"setmaxnreg\":[1,2,3,4,5,6,7,8,9]}", "setmaxnreg"},
        {BLOCK ",\"grid\":[-1]}", "grid"},
        {FIELD "\"boxes\",\"value\":1}", "field"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = json_answer(*state, rows[i][0]);
        if (!strstr(got, "\"error\":\"EINVAL\"") || !strstr(got, rows[i][1]))
            fail_msg("%s\n  answers %s", rows[i][0], got);
    }
}

/* Texts where numbers stand elsewhere, under facts: what the answer contains. */
static void copies_under_facts(void **state)
{
    static const char *const rows[][2] = {
        {LOAD ",\"coordinates\":[\"64*j\",0],\"facts\":[\"0 <= j <= 99\"]}", "\"answer\":\"yes\""},
        {LOAD ",\"coordinates\":[\"8*j + 4\",0],\"facts\":[\"0 <= j <= 99\"]}",
         "\"rule\":\"COPY_COORDINATE_16\""},
        {LOAD ",\"coordinates\":[0,\"j\"],\"facts\":[\"0 <= j\"]}", "\"guard\":\"j <= 2147483647\""},
        {LOAD ",\"smem\":\"8192*s\",\"facts\":[\"0 <= s <= 99\"]}", "\"guard\":\"s <= 27\""},
        {LOAD ",\"expect\":\"n\",\"facts\":[]}", "\"guard\":\"n >= 8192 && n <= 8192\""},
        {LOAD ",\"barrier\":\"8*s + 4\",\"facts\":[\"0 <= s <= 9\"]}",
         "\"rule\":\"COPY_BARRIER_8\""},
        {LOAD ",\"count\":\"c\",\"facts\":[\"c = 0\"]}", "\"rule\":\"BARRIER_COUNT\""},
        {LOAD ",\"smem\":1024,\"facts\":[]}", "\"answer\":\"yes\""},
        {BULK ",\"source\":\"2*K\",\"bytes\":\"4*K\",\"expect\":\"4*K\","
              "\"facts\":[\"K mod 8 = 0\",\"8 <= K <= 1000\"]}",
         "\"answer\":\"yes\""},
        {BULK ",\"bytes\":\"4*K\",\"expect\":\"4*K + 16\",\"facts\":[\"K mod 4 = 0\","
              "\"8 <= K <= 1000\"]}",
         "\"rule\":\"BULK_EXPECT_MOST\""},
        {LOAD ",\"smem\":\"K*K\"}", "field 'smem', entry 0"},
        {LOAD ",\"coordinates\":[0,\"2147483648 + 0*j\"]}", "field 'coordinate' is outside 32 bits"},
        {LOAD ",\"cta_mask\":\"K\"}", "'cta_mask'"},
        {LOAD_OF("\"K\"", "\"2*K\"", "64") ",\"facts\":[\"K mod 8 = 0\",\"1 <= K <= 65536\"]}", "\"answer\":\"yes\""},
        {LOAD_OF("\"K\"", "\"2*K\"", "64") ",\"facts\":[\"K mod 8 = 4\",\"1 <= K <= 65536\"]}", "\"rule\":\"COPY_MAP\""},
        {LOAD_OF("\"K\"", "\"2*K\"", "64") ",\"coordinates\":[\"4*j\",0],\"facts\":[\"1 <= K <= 65536\",\"0 <= j <= 9\"]}",
         "\"guard\":\"K % 8 == 0 && j % 2 == 0\""},
        {LOAD_OF("256", "512", "\"b\"") ",\"expect\":\"128*b\",\"facts\":[\"1 <= b <= 256\"]}", "\"answer\":\"yes\""},
        {LOAD_OF("256", "512", "\"b\"") ",\"expect\":\"n\",\"facts\":[\"1 <= b <= 256\",\"n = 4096\"]}",
         "\"guard\":\"n + -128 * b >= 0 && n + -128 * b <= 0\""},
        {LOAD_OF("256", "512", "\"b\"") ",\"expect\":8192,\"facts\":[\"65 <= b\"]}", "\"rule\":\"COPY_EXPECT_LEAST\""},
        {LOAD_OF("\"K*K\"", "512", "64") "}", "field 'extent', entry 0"},
    };
    answers_have(*state, rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_reach_their_rules), cmocka_unit_test(copies_under_facts),
        cmocka_unit_test(fields_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
