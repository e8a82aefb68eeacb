/* SPDX-License-Identifier: Apache-2.0 */
/* stage.synth as a request: what it answers by each product, and which field is at fault. */
#include "answer.h"

#define STAGE(target) "{\"op\":\"stage.synth\",\"target\":\"" target "\",\"copy_cycles\":800,\"tiles\":[{\"cycles\":512,\"tensors\":["
#define TENSOR(name, type, k, by) \
    "{\"name\":\"" name "\",\"type\":\"" type "\",\"source\":\"(4096,4096):(4096,1)\",\"shape\":[128," k "],\"align\":128," \
    "\"primitive\":\"tensor\",\"accesses\":[{\"instruction\":\"" by "\"}]}"
#define PAIR(by) TENSOR("A", "bf16", "64", by) "," TENSOR("B", "bf16", "64", by) "]}]"

static const char *const rows[][2] = {
    {STAGE("sm_90a") PAIR("wgmma") "}", "{\"ok\":{\"tile\":0,\"cycles\":"},
    {STAGE("sm_90a") PAIR("wgmma") "}", "\"consumers\":256,"},
    {STAGE("sm_90a") PAIR("wgmma") "}", "\"expect\":16384,\"bytes\":16384,"},
    {STAGE("sm_100a") PAIR("tcgen05") "}", "\"consumers\":32,"},
    {STAGE("sm_100a") PAIR("tcgen05") "}", "commit tcgen05 signal empty0[0]"},
    {STAGE("sm_90a") PAIR("tcgen05") "}", "A: sm_90a has no tcgen05"},
    {STAGE("sm_100a") PAIR("wgmma") "}", "A: sm_100a has no wgmma"},
    {STAGE("sm_103a") PAIR("tcgen05") "}", "rates: shared_rate is not known of sm_103a, and the request does not say it"},
    {STAGE("sm_103a") PAIR("tcgen05") ",\"shared_rate\":128000,\"dram_rate\":20000,\"issue_rate\":4}", "\"consumers\":32,"},
    {STAGE("sm_90a") TENSOR("A", "bf16", "64", "wgmma\"},{\"instruction\":\"ld.shared.b128\",\"layout\":\"(32,8):(1,128)") "," TENSOR("B", "bf16", "64", "wgmma") "]}]}",
     "read A[i % 3]\\n"},
    {STAGE("sm_90a") PAIR("mma") "}", "field 'instruction'"},
    {STAGE("sm_90a") PAIR("wgmma") ",\"cluster\":3}", "cluster: 1, 2 or 4 blocks"},
    {STAGE("sm_90a") PAIR("wgmma") ",\"colour\":3}", "'colour'"},
    {STAGE("sm_90a") PAIR("wgmma") ",\"smem\":1000}", "{\"none\":\"smem: the least that would do is 65568 bytes, and 1000 are there\"}"},
    {STAGE("sm_90a") TENSOR("A", "bf16", "64", "wgmma") "," TENSOR("B", "bf16", "32", "wgmma") "]}]}", "shape: wgmma reads K of 64 and of 32"},
    {STAGE("sm_90a") TENSOR("A", "bf16", "64", "wgmma") "," TENSOR("B", "f16", "64", "wgmma") "]}]}", "{\"none\":\"A and B: no wgmma multiplies them: WGMMA_B"},
    {STAGE("sm_90a") TENSOR("A", "bf16", "64", "wgmma") "," TENSOR("full0", "bf16", "64", "wgmma") "]}]}", "name: full0 is one that the pipe of a stage has itself"},
};

static void answers(void **state) { answers_have(*state, rows, sizeof rows / sizeof *rows); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, begin, end);
}
