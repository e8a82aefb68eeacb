/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of pieces in requests: isl text, parameters, and matrices with guards.  The answers are
 * counted by hand. */
#include "answer.h"
#include "json/json.h"

#define N_TEXT "\"layout\":\"[N] -> { [i] -> [N + i] : 3 <= i < N }\""
#define PIECES                                                                                    \
    "{\"A\":[[1,2],[0,1]],\"b\":[5,\"-6\"],\"box\":[3,2],\"guards\":[\"x0 < 2\",\"x1 > 0 or "     \
    "x0 = 0\"],\"else\":{\"A\":[[0,0],[0,0]],\"b\":[7,8],\"guards\":[\"x1 = 0\"],\"else\":null}}"

static void answers(void **state)
{
    static const char *const row[][2] = {
        {"{\"op\":\"layout.eval\"," N_TEXT ",\"at\":[0,1,[2]],\"params\":{\"N\":6}}",
         "{\"ok\":[9,10,11]}"},
        {"{\"op\":\"layout.eval\"," N_TEXT ",\"at\":[0],\"params\":{\"N\":\"9007199254740993\"}}",
         "{\"ok\":[\"9007199254740996\"]}"},
        {"{\"op\":\"layout.eval\",\"layout\":\"8:2\",\"at\":[3],\"params\":{}}", "{\"ok\":[6]}"},
        {"{\"op\":\"layout.eval\",\"layout\":" PIECES ",\"at\":[0,1,2,[0,1],[1,1],5]}",
         "{\"ok\":[[5,-6],[7,8],[7,8],[7,-5],[8,-5],null]}"},
        {"{\"op\":\"layout.eval\",\"layout\":\"{ [i] -> [i] : 2 <= i < 9 and i mod 3 != 0 }\","
         "\"at\":[0,1,2,6]}",
         "{\"ok\":[2,null,4,8]}"},
        {"{\"op\":\"layout.parse\",\"layout\":\"{ [i,j] -> [i + 4j] : 0 <= i < 4 and 1 <= j < 3 }\"}",
         "{\"ok\":{\"text\":\"{ [i0, i1] -> [i0 + 4i1 + 4] : 0 <= i0 < 4 and 0 <= i1 < 2 }\","
         "\"kind\":\"pieces\",\"size\":8,\"box\":[4,2],\"cosize\":12}}"},
        {"{\"op\":\"layout.parse\",\"layout\":\"[N] -> { [i] -> [i + N] : 0 <= i < 4 }\"}",
         "{\"ok\":{\"text\":\"[N] -> { [i0] -> [N + i0] : 0 <= i0 < 4 }\",\"kind\":\"pieces\","
         "\"size\":4,\"box\":[4],\"cosize\":null}}"},
        {"{\"op\":\"layout.parse\",\"layout\":\"{ [i] -> [i] : 0 <= i < 4611686018427387904 }\"}",
         "{\"ok\":{\"text\":\"{ [i0] -> [i0] : 0 <= i0 < 4611686018427387904 }\",\"kind\":\"pieces\","
         "\"size\":\"4611686018427387904\",\"box\":[\"4611686018427387904\"],"
         "\"cosize\":\"4611686018427387904\"}}"},
        {"{\"op\":\"layout.parse\",\"layout\":\"{ [i,j] -> [5 - 3i + j] : 0 <= i < 4611686018427 and "
         "0 <= j < 10 }\"}",
         "{\"ok\":{\"text\":\"{ [i0, i1] -> [-3i0 + i1 + 5] : 0 <= i0 < 4611686018427 and "
         "0 <= i1 < 10 }\",\"kind\":\"pieces\",\"size\":46116860184270,"
         "\"box\":[4611686018427,10],\"cosize\":13835058055288}}"},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        const char *text = json_answer(*state, row[r][0]);
        json_t *got = json_loads(text, 0, NULL), *want = json_loads(row[r][1], 0, NULL);
        assert_non_null(want);
        if (!json_equal(got, want)) fail_msg("%s\n  answers %s", row[r][0], text);
        json_decref(got);
        json_decref(want);
    }
}

static void refusals(void **state)
{
    static const char *const row[][2] = {
        {"{\"op\":\"layout.eval\"," N_TEXT ",\"at\":[0]}", "parameter 'N' has no value"},
        {"{\"op\":\"layout.eval\"," N_TEXT ",\"at\":[0],\"params\":{\"M\":6}}", "called 'M'"},
        {"{\"op\":\"layout.eval\"," N_TEXT ",\"at\":[0],\"params\":{\"N\":2}}", "empty"},
        {"{\"op\":\"layout.eval\"," N_TEXT ",\"at\":[3],\"params\":{\"N\":6}}", "[0, 3)"},
        {"{\"op\":\"layout.eval\"," N_TEXT ",\"at\":[0],\"params\":{\"N\":1.5}}", "64-bit integer"},
        {"{\"op\":\"layout.eval\"," N_TEXT ",\"at\":[0],\"params\":[6]}", "'params'"},
        {"{\"op\":\"layout.eval\",\"layout\":\"8:2\",\"at\":[0],\"params\":{\"N\":1}}", "called 'N'"},
        {"{\"op\":\"layout.parse\",\"layout\":{\"A\":[[1]],\"b\":[5],\"box\":[3],\"else\":3}}", "else"},
        {"{\"op\":\"layout.parse\",\"layout\":{\"A\":[[1]],\"b\":[5]}}", "box"},
        {"{\"op\":\"layout.parse\",\"layout\":{\"A\":[[1,2]],\"b\":[5],\"box\":[3]}}", "rows"},
        {"{\"op\":\"layout.parse\",\"layout\":{\"A\":[[1]],\"b\":[5,6],\"box\":[3]}}", "'b'"},
        {"{\"op\":\"layout.parse\",\"layout\":{\"A\":[[1]],\"b\":[5],\"box\":[0]}}", "extent"},
        {"{\"op\":\"layout.parse\",\"layout\":{\"A\":[[1]],\"b\":[5],\"box\":[3],\"x\":1}}", "'x'"},
        {"{\"op\":\"layout.parse\",\"layout\":{\"A\":[[1]],\"b\":[5],\"box\":[3],"
         "\"guards\":[\"x0 < 2 }\"]}}",
         "byte 7"},
        {"{\"op\":\"layout.parse\",\"layout\":\"{ [i] -> [i + j] : 0 <= i < 4 }\"}", "byte 14"},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        const char *text = json_answer(*state, row[r][0]);
        if (!strstr(text, "EINVAL") || !strstr(text, row[r][1]))
            fail_msg("%s\n  answers %s", row[r][0], text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, begin, end);
}
