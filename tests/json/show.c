/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of pictures: what each answers in each form, by hand, and what is refused. */
#include "json/ops/ops.h"
#include "json_ask.h"

#define LAYOUT "{\"op\":\"show.layout\",\"layout\":\"(2,3):(3,1)\""
static void layouts(void **state)
{
    static const char *const rows[][3] = {
        {LAYOUT "}", "ok.title", "\"(2,3):(3,1)\""},
        {LAYOUT "}", "ok.notes", "[]"},
        {LAYOUT "}", "ok.panels.0.kind", "\"cells\""},
        {LAYOUT "}", "ok.panels.0.columns", "[\"0\",\"1\",\"2\"]"},
        {LAYOUT "}", "ok.panels.0.rows", "[\"0\",\"1\"]"},
        {LAYOUT "}", "ok.panels.0.boxes.5", "{\"column\":2,\"row\":1,\"label\":\"5\",\"tip\":\"(1,2) -> 5\",\"shade\":5,\"key\":5}"},
        {LAYOUT ",\"form\":\"text\"}", "ok.text", "\"(2,3):(3,1)\\n  0 1 2\\n0 0 1 2\\n1 3 4 5\\n\""},
        {LAYOUT ",\"form\":\"png\"}", "error", "\"EINVAL\""},
        {LAYOUT ",\"form\":\"text\",\"width\":3}", "error", "\"EINVAL\""},
        {LAYOUT ",\"labels\":\"holders\"}", "ok.panels.0.boxes.1.label", "\"T0V1\""},
        {LAYOUT ",\"labels\":\"holders\",\"rows\":2}", "error", "\"EINVAL\""},
        {LAYOUT ",\"labels\":\"owners\"}", "error", "\"EINVAL\""},
        {LAYOUT ",\"colums\":2}", "error", "\"EINVAL\""},
        {"{\"op\":\"show.layout\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"show.layout\",\"layout\":\"(2,2):(0,1)\",\"labels\":\"holders\",\"rows\":1,\"columns\":2}", "ok.panels.0.boxes.0.marked", "true"},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, LAYOUT ",\"form\":\"svg\"}", "ok.text", "<title>(1,2) -&gt; 5</title>");
    mentions(*state, LAYOUT ",\"form\":\"html\"}", "ok.text", "<!doctype html>");
    mentions(*state, LAYOUT ",\"form\":\"text\",\"colour\":true}", "ok.text", "\033[30;48;5;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layouts)};
    return cmocka_run_group_tests(tests, begin, end);
}
