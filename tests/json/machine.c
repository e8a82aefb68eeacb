/* SPDX-License-Identifier: Apache-2.0 */
/* machine.info, pipe.cycles, gemm.cycles and attention.cycles as a line in and a line out. */
#include "answer.h"

#define RING "\"pipe\":\"pipe r\\nparam N 1..\\nsmem A[1] 16384\\nbar full[1] count 1\\ninit full\\nfence mbarrier_init\\nsync cta\\n" \
    "role p warps 0..0 elect\\nexpect full[0] 16384\\narrive full[0]\\ncopy bulk 16384 -> A[0] signal full[0]\\nend\\n" \
    "role c warps 4..7\\nwait full[0] parity 0 / 1 % 2\\nread A[0]\\nfor i in 0..N\\nsync role\\nend\\nend\\n\""
#define CYCLES "{\"op\":\"pipe.cycles\",\"target\":\"sm_90a\","
#define FACTS "\"facts\":{\"copy_kilocycle\":64000,\"copy_cycles\":100,\"wait_cycles\":0,\"arrive_cycles\":0,\"mbarrier_cycles\":0," \
    "\"shared_kilocycle\":128000,\"shared_cycles\":20,\"barrier_cycles\":10}"

static const char *const rows[][2] = {
    {"{\"op\":\"machine.info\",\"target\":\"sm_90a\"}", "\"processors\":{\"value\":132,\"basis\":\"measured\""},
    {"{\"op\":\"machine.info\",\"target\":\"sm_80\"}", "\"l2_kilocycle\":{\"value\":5120000,\"basis\":\"documented\""},
    {"{\"op\":\"machine.info\",\"target\":\"gfx942\"}", "\"op\":\"mfma\",\"type\":\"bf16\",\"shape\":[32,32,8],\"unit\":\"tensor\""},
    {"{\"op\":\"machine.info\",\"target\":\"sm_120\"}", "\"none\":\"sm_120: no document and no measurement"},
    /* 256 of the engine and 100, 128 of shared memory and 20, N meetings of 10 */
    {CYCLES FACTS ",\"params\":{\"N\":3}," RING "}", "{\"cycles\":534,\"interval\":10,"},
    {CYCLES FACTS ",\"params\":{\"N\":3},\"share_kilocycle\":32000," RING "}", "\"cycles\":790,"},
    {CYCLES FACTS ",\"params\":{\"N\":3}," RING "}", "\"busy\":{\"shared\":128,\"copy\":256}"},
    {CYCLES FACTS "," RING "}", "field 'params': 'N' has no value"},
    {CYCLES FACTS ",\"params\":{\"N\":0}," RING "}", "params: N is outside of its range"},
    {CYCLES FACTS ",\"params\":{\"N\":1,\"M\":1}," RING "}", "no param of the pipe"},
    {CYCLES FACTS ",\"params\":{\"N\":1},\"steady\":\"M\"," RING "}", "steady"},
    {CYCLES "\"facts\":{\"speed\":1},\"params\":{\"N\":1}," RING "}", "a machine has no 'speed'"},
    {CYCLES "\"facts\":{\"l2_cycles\":-1},\"params\":{\"N\":1}," RING "}", "'l2_cycles' is no integer from 0 on"},
    {CYCLES "\"params\":{\"N\":1},\"products\":[{\"op\":\"multiply\",\"m\":1,\"n\":1,\"k\":1}]," RING "}", "the name of an op"},
    {CYCLES "\"params\":{\"N\":1},\"products\":[{\"op\":\"fma\",\"m\":1,\"n\":1,\"k\":1}]," RING "}", "is no product's op"},
    {"{\"op\":\"pipe.cycles\",\"target\":\"sm_80\",\"params\":{\"N\":1}," RING "}", "\"none\":\"sm_80: no document and no measurement says"},
    {"{\"op\":\"gemm.cycles\",\"target\":\"sm_90a\",\"m\":4096,\"n\":4096,\"k\":4096}", "\"waves\":4,"},
    {"{\"op\":\"gemm.cycles\",\"target\":\"sm_90a\",\"m\":1,\"n\":4096,\"k\":4096}", "\"bound\":\"dram\""},
    {"{\"op\":\"gemm.cycles\",\"target\":\"sm_100a\",\"m\":512,\"n\":512,\"k\":512}", "\"none\":\"sm_100a: no document"},
    {"{\"op\":\"gemm.cycles\",\"target\":\"sm_90a\",\"m\":512,\"n\":512,\"k\":512,\"groups\":4}", "ENOTSUP"},
    {"{\"op\":\"gemm.cycles\",\"target\":\"sm_90a\",\"m\":512,\"n\":512,\"k\":512,\"facts\":{\"clock_khz\":0}}", "clock_khz"},
    {"{\"op\":\"attention.cycles\",\"target\":\"sm_90a\",\"head\":128,\"queries\":4096,\"keys\":4096,\"heads\":16}", "\"bound\":\"tensor\""},
    {"{\"op\":\"attention.cycles\",\"target\":\"gfx942\",\"head\":128,\"queries\":4096,\"keys\":4096}", "ENOTSUP"},
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
