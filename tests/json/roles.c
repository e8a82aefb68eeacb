/* SPDX-License-Identifier: Apache-2.0 */
/* pipe.roles as a request, and emit of what: attention with a pipe: what they answer, and which field is at fault. */
#include "answer.h"

#define ROLES "{\"op\":\"pipe.roles\",\"target\":\"sm_90a\",\"program\":"
#define HEAD "\"tiles x\\nloop N 1..\\nshared A 8192\\nshared B 8192\\nshared D 16384\\nloop\\n"
#define LOOP "copy tensor 8192 -> A : cycles 100 latency 600\\ncopy tensor 8192 -> B : cycles 100 latency 600\\n"
#define TAIL "after\\nwrite D from C\\nstore D 16384\""
#define ATTENTION "{\"op\":\"emit\",\"what\":\"attention\",\"name\":\"a\",\"head\":128,\"queries\":256,\"keys\":256,"

static const char *const rows[][2] = {
    {ROLES HEAD LOOP "mma A, B -> C fresh first : cycles 128 latency 200\\n" TAIL "}",
     "{\"ok\":{\"interval\":200,\"bound\":200,\"peeled\":1,\"turns\":false,\"smem\":98304,\"columns\":0,\"warps\":8,\"roles\":["
     "{\"name\":\"loads\",\"kind\":\"loads\",\"first_warp\":0,\"warps\":1,\"instances\":1,\"operations\":2,\"stages\":1},"
     "{\"name\":\"computes\",\"kind\":\"computes\",\"first_warp\":4,\"warps\":4,\"instances\":1,\"operations\":3,\"stages\":2}],"
     "\"pipe\":\"pipe x\\nregisters 240\\n"},
    {ROLES HEAD LOOP "mma A, B -> C : cycles 128\\n" TAIL "}", "{\"error\":\"EINVAL\",\"message\":\"line 9: nothing begins the sum of 'C'"},
    {ROLES HEAD "interval 5\\n" TAIL "}", "{\"error\":\"EINVAL\",\"message\":\"line 7: expected copy, mma"},
    {ROLES "\"tiles x\\nloop N 0..\\nshared A 8192\\nshared B 8192\\nshared D 16384\\nloop\\n" LOOP "mma A, B -> C fresh first\\n" TAIL "}", "{\"none\":\"loop: 1 iterations of 'computes'"},
    {ROLES "3}", "field 'program'"},
    {ROLES "\"\",\"colour\":1}", "'colour'"},
    {"{\"op\":\"pipe.roles\",\"target\":\"sm_90a\"}", "'program' is missing"},
    {"{\"op\":\"pipe.roles\",\"program\":\"\"}", "'target' is missing"},
    {ATTENTION "\"target\":\"sm_90a\",\"pipe\":\"pipe p\\nrole r warps 0..11\\nsync role\\nend\"}", "move tQ0: the pipe has none of that name"},
    {ATTENTION "\"target\":\"gfx942\",\"pipe\":\"pipe p\\nrole r warps 0..11\\nsync role\\nend\"}", "\"error\":\"ENOTSUP\",\"message\":\"pipe: a plan of gfx942"},
    {ATTENTION "\"target\":\"sm_90a\",\"pipe\":\"pipe p\\nsmem Q0[1] tQ\\n\"}", "line 2"},
    {ATTENTION "\"target\":\"sm_90a\",\"pipe\":3}", "field 'pipe'"},
};

static void answers(void **state)
{
    answers_have(*state, rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests_name("json/roles", tests, begin, end);
}
