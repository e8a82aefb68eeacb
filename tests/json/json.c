/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation has a request in json_whole.h that is answered: fields of it are taken away, put in and given other types, allocations fail, bytes change. */
#include "heap.h"
#include "json/json.h"
#include "json/ops/ops.h"
#include "json_line.h"
#include "json_whole.h"

/* ---- fields of every op --------------------------------------------------------------- */

static void every_op_has_a_whole_request(void **state)
{
    for (size_t i = 0; zl_op_at(i); i++) {
        json_t *request = i < ZL_COUNT(whole) ? json_loads(whole[i], 0, NULL) : NULL;
        assert_non_null(request);
        assert_string_equal(json_string_value(json_object_get(request, "op")), zl_op_at(i)->name);
        json_decref(request);
        const char *got = ask(*state, whole[i]);
        if (strncmp(got, "{\"ok\":", 6)) fail_msg("%s\n  answers %s", whole[i], got);
    }
}

static void without_or_with(zlay_ctx *ctx, const json_t *request, const char *key, bool add)
{
    char word[100];
    json_t *copy = json_deep_copy(request);
    if (add) json_object_set_new(copy, "flavour", json_true());
    else json_object_del(copy, key);
    char *line = json_dumps(copy, 0);
    snprintf(word, sizeof word, "'%s'", add ? "flavour" : key);
    refuses(ctx, line, "EINVAL", word);
    free(line);
    json_decref(copy);
}

static void fields_are_neither_more_nor_fewer(void **state)
{
    for (size_t i = 0; i < ZL_COUNT(whole); i++) {
        json_t *request = json_loads(whole[i], 0, NULL), *value,
               *map = json_object_get(request, "map");
        const char *key;
        json_object_foreach(request, key, value) without_or_with(*state, request, key, false);
        without_or_with(*state, request, NULL, true);
        json_object_foreach(map, key, value)
        {
            json_t *copy = json_deep_copy(request);
            json_object_del(json_object_get(copy, "map"), key);
            char *line = json_dumps(copy, 0), word[40];
            snprintf(word, sizeof word, "'%s'", key);
            refuses(*state, line, "EINVAL", word);
            free(line);
            json_decref(copy);
        }
        json_decref(request);
    }
}

/* Each field with a value of each wrong type: an answer, and where it is an error it names the field. */
static void fields_of_a_wrong_type(void **state)
{
    static const char *const values[] = {"null",
                                         "true",
                                         "-1",
                                         "1.5",
                                         "\"\"",
                                         "\"x\"",
                                         "[]",
                                         "{}",
                                         "[[[]]]",
                                         "\"0x\"",
                                         "18446744073709551616",
                                         "[null]"};
    for (size_t i = 0; i < ZL_COUNT(whole); i++)
        for (size_t v = 0; v < ZL_COUNT(values); v++) {
            json_t *request = json_loads(whole[i], 0, NULL), *value;
            const char *key;
            json_object_foreach(request, key, value)
            {
                json_t *copy = json_deep_copy(request),
                       *other = json_loads(values[v], JSON_DECODE_ANY, NULL);
                if (!other) other = json_string(values[v]);
                json_object_set_new(copy, key, other);
                char *line = json_dumps(copy, 0);
                json_t *answer = json_loads(ask(*state, line), 0, NULL);
                assert_non_null(answer);
                assert_int_equal(
                    json_object_size(answer) - (json_object_get(answer, "error") != NULL), 1);
                json_decref(answer);
                free(line);
                json_decref(copy);
            }
            json_decref(request);
        }
}

/* ---- memory -------------------------------------------------------------------------------- */

static zlay_status answered(zlay_ctx *ctx, void *given)
{
    static char text[JSON_LINE];
    const char *line = *(const char *const *)given;
    zlay_buf out = {text, sizeof text, 0};
    zlay_status status = zlay_json_call(ctx, &out, line, strlen(line));
    if (!status && strstr(text, "\"error\":\"ENOMEM\"")) return ZLAY_ENOMEM;
    if (!status && strncmp(text, "{\"ok\":", 6)) fail_msg("%s: %s", line, text);
    return status;
}

static void each_allocation_fails_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < ZL_COUNT(whole); i++) {
        const char *line = whole[i];
        heap h;
        zlay_ctx *ctx = heap_open(&h, NULL);
        zlay_status status = heap_fails_each(&h, ctx, answered, &line);
        if (status || !h.calls) fail_msg("%s: %s", line, zlay_status_name(status));
        heap_close(&h, ctx);
    }
}

/* ---- random lines --------------------------------------------------------------------------- */

static size_t mutate(uint64_t *seed, char *line, size_t size, size_t room)
{
    static const char marks[] = "\"\\[]{}:,0123456789-.eE \t\xc3\x80\x01()<>;*+/%";
    for (int64_t n = test_range(seed, 1, 4); n > 0 && size; n--) {
        size_t at = (size_t)test_range(seed, 0, (int64_t)size - 1);
        char mark = marks[test_range(seed, 0, sizeof marks - 2)];
        switch (test_range(seed, 0, 2)) {
        case 0:
            line[at] = mark;
            break;
        case 1:
            memmove(line + at, line + at + 1, --size - at);
            break;
        default:
            if (size == room) break;
            memmove(line + at + 1, line + at, size++ - at);
            line[at] = mark;
        }
    }
    return size;
}

static void random_lines_have_one_answer(void **state)
{
    uint64_t seed = test_seed("random_lines_have_one_answer");
    for (uint64_t n = test_iterations(4000); n > 0; n--) {
        char line[2000];
        const char *from = whole[(size_t)test_range(&seed, 0, (int64_t)ZL_COUNT(whole) - 3)];
        size_t size = strlen(from);
        memcpy(line, from, size);
        size = mutate(&seed, line, size, sizeof line);
        json_t *answer = json_loads(ask_size(*state, line, size), 0, NULL);
        assert_non_null(answer);
        int kinds = (json_object_get(answer, "ok") != NULL) +
                    (json_object_get(answer, "none") != NULL) +
                    (json_object_get(answer, "undecided") != NULL) +
                    (json_object_get(answer, "error") != NULL);
        assert_int_equal(kinds, 1);
        json_decref(answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_has_a_whole_request),
        cmocka_unit_test(fields_are_neither_more_nor_fewer),
        cmocka_unit_test(fields_of_a_wrong_type),
        cmocka_unit_test(each_allocation_fails_once),
        cmocka_unit_test(random_lines_have_one_answer),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
