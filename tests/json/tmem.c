/* SPDX-License-Identifier: Apache-2.0 */
/* tmem.pack, tmem.check and pipe.fences as requests: what they answer, and which field is at fault. */
#include "answer.h"

#define PACK "{\"op\":\"tmem.pack\",\"target\":\"sm_100a\","
#define CHECK "{\"op\":\"tmem.check\",\"pipe\":\"pipe p\\n"
#define FENCES                                                                                        \
    "{\"op\":\"pipe.fences\",\"pipe\":\"pipe p\\nparam N 1..\\nsmem D[1] 64\\n"
#define ROLES                                                                                        \
    "role r warps 0..0\\nfor i in 0..N\\nwrite D[0] 64\\nsync role\\nstore D[0] 64\\ncommit bulk\\n"        \
    "waitgroup bulk.read 0\\nsync role\\nend\\nwaitgroup bulk 0\\nend\"}"
#define TURNS                                                                                        \
    "\"buffers\":[{\"columns\":256,\"first\":0,\"last\":1},{\"columns\":128,\"first\":1,\"last\":2},"  \
    "{\"columns\":256,\"first\":2,\"last\":3}]"

static const char *const rows[][2] = {
    {PACK TURNS "}", "{\"ok\":{\"columns\":512,\"allocations\":[512],\"buffers\":["
     "{\"allocation\":0,\"offset\":0},{\"allocation\":0,\"offset\":256},{\"allocation\":0,\"offset\":0}],"
     "\"alive\":384,\"least\":512,\"optimal\":true,\"certificate\":{\"a\":\"{ [i0, i1] -> [128i0] :"},
    {PACK TURNS ",\"allocations\":2,\"pair\":true}", "{\"ok\":{\"columns\":384,\"allocations\":[256,128]"},
    {PACK "\"buffers\":[{\"columns\":4,\"first\":0,\"last\":1},{\"columns\":8,\"first\":0,\"last\":0,"
     "\"align\":32},{\"columns\":1,\"first\":0,\"last\":0,\"offset\":16}]}",
     "\"buffers\":[{\"allocation\":0,\"offset\":8},{\"allocation\":0,\"offset\":0},"
     "{\"allocation\":0,\"offset\":16}]"},
    {PACK "\"buffers\":[{\"columns\":500,\"first\":3,\"last\":4},{\"columns\":13,\"first\":4,\"last\":4}]}",
     "{\"none\":\"TMEM_ALLOC_RANGE: step 4 needs 513; an allocation has 32 to 512 columns (target "
     "sm_100a)\",\"rule\":\"TMEM_ALLOC_RANGE\",\"witness\":4}"},
    {"{\"op\":\"tmem.pack\",\"target\":\"sm_90a\"," TURNS "}", "\"rule\":\"TMEM_TARGET\",\"witness\":null"},
    {PACK "\"buffers\":[]}", "field 'buffers'"},
    {PACK "\"buffers\":[3]}", "field 'buffers'"},
    {PACK "\"buffers\":{}}", "field 'buffers'"},
    {PACK "\"buffers\":[{\"columns\":4,\"first\":0}]}", "field 'last' is missing"},
    {PACK "\"buffers\":[{\"columns\":4,\"first\":0,\"last\":1,\"colour\":1}]}", "'colour'"},
    {PACK "\"buffers\":[{\"columns\":-4,\"first\":0,\"last\":1}]}", "field 'columns'"},
    {PACK "\"buffers\":[{\"columns\":4,\"first\":0,\"last\":1,\"align\":5}]}", "buffer 0, align"},
    {PACK TURNS ",\"pair\":1}", "field 'pair'"},
    {CHECK "tmem C[3] 128\\nalloc C\\nrole r warps 0..0\\ndealloc C\\nend\"}",
     "{\"ok\":{\"answer\":\"no\",\"broken\":[{\"rule\":\"tmem-columns\",\"by\":\"documented\","},
    {CHECK "tmem C[3] 128\\nalloc C\\nrole r warps 0..0\\ndealloc C\\nend\"}",
     "\"value\":384,\"relation\":\"equal\",\"bound\":512,\"source\":\"PTX ISA 9.1, tcgen05.alloc, nCols; "
     "ptxas 13.0 sees constants\",\"text\":\"the columns of an allocation are a power of two\","
     "\"fix\":null,\"at\":3,\"other\":null,\"trace\":[3],\"id\":\"TMEM_ALLOC_POWER\"}]}}"},
    {CHECK "tmem C[1] 32\\nalloc C\\nrole r warps 0..0\\ndealloc C\\ndealloc C\\nend\"}",
     "\"at\":6,\"other\":5,\"trace\":[5,6],\"id\":\"TMEM_FREE_ONCE\"}"},
    {CHECK "tmem C[1]\"}", "line 2: a number is missing"},
    {"{\"op\":\"tmem.check\",\"pipe\":3}", "field 'pipe'"},
    {FENCES ROLES, "\"fences\":[{\"at\":7,\"fence\":\"proxy.async\"}]"},
    {FENCES ROLES, "{\"ok\":{\"pipe\":\"pipe p\\nparam N 1..\\nsmem D[1] 64\\nrole r warps 0..0\\n  for i in "
     "0..N\\n    write D[0] 64\\n    fence proxy.async\\n    sync role\\n"},
    {FENCES "bar f[1] count 1\\nsync cta\\n" ROLES, "{\"none\":\"init: line"},
    {FENCES "jump\"}", "line 4: no such event"},
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
