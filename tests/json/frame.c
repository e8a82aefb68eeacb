/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of docs/batch.md: what is a line with a request, what comes back, limits, room. */
#include "json/json.h"
#include "json_line.h"

/* ---- lines ------------------------------------------------------------------------ */

static void lines_that_are_no_request(void **state)
{
    static const struct {
        const char *line, *error, *word;
    } rows[] = {
        {"", "EINVAL", "JSON"},
        {"[]", "EINVAL", "no JSON object"},
        {"1", "EINVAL", "JSON"},
        {"{\"op\":\"zlay\"", "EINVAL", "JSON"},
        {"{\"op\":\"zlay\"}x", "EINVAL", "JSON"},
        {"{\"op\":\"zlay\",\"op\":\"zlay\"}", "EINVAL", "duplicate"},
        {"{\"id\":{\"a\":1,\"a\":2},\"op\":\"zlay\"}", "EINVAL", "duplicate"},
        {"{\"op\":\"\xff\"}", "EINVAL", "JSON"},
        {"{\"op\":\"\\ud800\"}", "EINVAL", "JSON"},
        {"{\"op\":\"zlay\",\"id\":1e999}", "EINVAL", "JSON"},
        {"{\"op\":\"zlay\",\"id\":01}", "EINVAL", "JSON"},
        {"{\"op\":\"zlay\",\"id\":0123456789012345678901}", "EINVAL", "JSON"},
        {"{1234567890123456789012:1,\"op\":\"zlay\"}", "EINVAL", "JSON"},
        {"{\"op\":\"zlay\",\"id\":{\"a\":1,1234567890123456789012:1}}", "EINVAL", "JSON"},
        {"{}", "EINVAL", "'op'"},
        {"{\"op\":1}", "EINVAL", "'op'"},
        {"{\"op\":\"zlay\\u0000\"}", "ENOTSUP", "zlay\\\\x00"},
        {"{\"op\":\"layout\"}", "ENOTSUP", "'layout'"},
        {"{\"op\":\"layout.parse\"}", "EINVAL", "'layout'"},
        {"{\"op\":\"layout.parse\",\"layout\":3}", "EINVAL", "'layout'"},
        {"{\"op\":\"layout.parse\",\"layout\":\"3\",\"lay\\u00f6ut\":1}", "EINVAL",
         "lay\\\\xc3\\\\xb6ut"},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        refuses(*state, rows[i].line, rows[i].error, rows[i].word);
}

static void deep(char *line, size_t depth)
{
    size_t at = (size_t)sprintf(line, "{\"op\":\"layout.eval\",\"layout\":\"4\",\"at\":[],\"id\":");
    memset(line + at, '[', depth);
    memset(line + at + depth, ']', depth);
    strcpy(line + at + 2 * depth, "}");
}

static void depth_is_64(void **state)
{
    static char line[100000];
    deep(line, 63);
    assert_non_null(strstr(ask(*state, line), "\"ok\""));
    deep(line, 64);
    refuses(*state, line, "EINVAL", "nested deeper than 64");
    deep(line, 40000);
    refuses(*state, line, "EINVAL", "nested deeper than 64");
    says(*state,
         "{\"op\":\"layout.eval\",\"layout\":\"4\",\"at\":[],\"id\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
         "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[[[\"}",
         "{\"id\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[[["
         "\",\"ok\":[]}");
}

static void a_line_has_16_mib(void **state)
{
    static const char request[] = "{\"op\":\"layout.eval\",\"layout\":\"4\",\"at\":[]}";
    size_t size = (size_t)16 << 20;
    char *line = malloc(size + 1);
    assert_non_null(line);
    memset(line, ' ', size + 1);
    memcpy(line, request, sizeof request - 1);
    assert_string_equal(ask_size(*state, line, size), "{\"ok\":[]}");
    assert_non_null(strstr(ask_size(*state, line, size + 1), "16777216"));
    free(line);
}

static void ids_come_back(void **state)
{
    static const char *const ids[][2] = {
        {"1", "1"},
        {"-7", "-7"},
        {"null", "null"},
        {"true", "true"},
        {"\"\"", "\"\""},
        {"[1,{\"a\":[]}]", "[1,{\"a\":[]}]"},
        {"2.5", "2.5"},
        {"\"\\u0000\\n\xc3\xa4\"", "\"\\u0000\\n\xc3\xa4\""},
        {"999999999999999999", "999999999999999999"},
        {"123456789012345678901234567890", "\"123456789012345678901234567890\""},
        {"[-1234567890123456789 , 1]", "[\"-1234567890123456789\",1]"},
        {"\"1234567890123456789,\"", "\"1234567890123456789,\""},
    };
    for (size_t i = 0; i < ZL_COUNT(ids); i++) {
        char line[300], answer[300];
        snprintf(line, sizeof line,
                 "{\"op\":\"layout.eval\",\"id\":%s,\"layout\":\"4:3\",\"at\":[2]}", ids[i][0]);
        snprintf(answer, sizeof answer, "{\"id\":%s,\"ok\":[6]}", ids[i][1]);
        says(*state, line, answer);
    }
    assert_non_null(strstr(ask(*state, "{\"op\":\"none\",\"id\":\"x\"}"),
                           "{\"id\":\"x\",\"error\":\"ENOTSUP\""));
}

/* ---- limits, room ------------------------------------------------------------------ */

static void limits_hold_for_one_request(void **state)
{
    zlay_limits before, after;
    zlay_ctx_limits(&before, *state);
    refuses(*state,
            "{\"op\":\"layout.parse\",\"layout\":\"(1,(2,(3,4)))\",\"limits\":{\"nesting\":2}}",
            "ELIMIT", "nesting");
    refuses(*state, "{\"op\":\"layout.parse\",\"layout\":\"(1,2,3,4)\",\"limits\":{\"text\":4}}",
            "ELIMIT", "text");
    refuses(*state, "{\"op\":\"layout.parse\",\"layout\":\"(1,2,3,4)\",\"limits\":{\"dims\":3}}",
            "ELIMIT", "dim");
    refuses(*state, "{\"op\":\"zlay\",\"limits\":{\"seconds\":3}}", "EINVAL", "seconds");
    refuses(*state, "{\"op\":\"zlay\",\"limits\":{\"points\":0}}", "EINVAL", "points");
    refuses(*state, "{\"op\":\"zlay\",\"limits\":{\"nesting\":4294967296}}", "ELIMIT", "limits.nesting: 4294967296 is above its ceiling, 256");
    refuses(*state, "{\"op\":\"zlay\",\"limits\":[]}", "EINVAL", "limits");
    assert_non_null(
        strstr(ask(*state, "{\"op\":\"zlay\",\"limits\":{\"points\":\"77\"}}"), "\"points\":77"));
    assert_non_null(strstr(ask(*state, "{\"op\":\"zlay\"}"), "\"points\":4194304"));
    assert_non_null(
        strstr(ask(*state, "{\"op\":\"layout.parse\",\"layout\":\"(1,(2,(3,4)))\"}"), "\"ok\""));
    zlay_ctx_limits(&after, *state);
    assert_memory_equal(&before, &after, sizeof before);
}

static void room_is_all_or_nothing(void **state)
{
    static const char line[] = "{\"op\":\"layout.eval\",\"layout\":\"4:3\",\"at\":[0,1,2,3]}",
                      answer[] = "{\"ok\":[0,3,6,9]}";
    char text[40];
    for (size_t room = 0; room < sizeof text; room++) {
        memset(text, '#', sizeof text);
        zlay_buf out = {text, room, 0};
        zlay_status status = zlay_json_call(*state, &out, line, strlen(line));
        assert_int_equal(out.need, strlen(answer));
        assert_int_equal(status, room >= sizeof answer ? ZLAY_OK : ZLAY_EROOM);
        if (status)
            for (size_t i = 0; i < sizeof text; i++) assert_int_equal(text[i], '#');
        else assert_string_equal(text, answer);
    }
    zlay_buf out = {NULL, 5, 0};
    assert_int_equal(zlay_json_call(*state, &out, line, strlen(line)), ZLAY_EINVAL);
    out.room = 0;
    assert_int_equal(zlay_json_call(*state, &out, line, strlen(line)), ZLAY_EROOM);
    assert_int_equal(zlay_json_call(*state, NULL, line, strlen(line)), ZLAY_EINVAL);
    assert_int_equal(zlay_json_call(NULL, &out, line, strlen(line)), ZLAY_EINVAL);
    assert_int_equal(zlay_json_call(*state, &out, NULL, 3), ZLAY_EINVAL);
}

static void a_busy_ctx_is_refused(void **state)
{
    char text[100] = "untouched";
    zlay_buf out = {text, sizeof text, 0};
    assert_int_equal(zl_enter(*state), ZLAY_OK);
    assert_int_equal(zlay_json_call(*state, &out, "{}", 2), ZLAY_EBUSY);
    zl_leave(*state, ZLAY_OK);
    assert_string_equal(text, "untouched");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_are_no_request),
        cmocka_unit_test(depth_is_64),
        cmocka_unit_test(a_line_has_16_mib),
        cmocka_unit_test(ids_come_back),
        cmocka_unit_test(limits_hold_for_one_request),
        cmocka_unit_test(room_is_all_or_nothing),
        cmocka_unit_test(a_busy_ctx_is_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
