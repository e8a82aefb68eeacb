/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of lines is jansson's equal (which reads each line here too), and memory ends inside the JSON library: one allocation of jansson after the other fails, alone and with all behind it, in a
 * whole request of every operation.  What comes back is the right answer, or ZLAY_ENOMEM, or an error line that
 * is well-formed.  The test sets jansson's hooks, which are the whole process's; the library never does. */
#include "json/json.h"
#include "json_line.h"
#include "json_whole.h"

enum { EACH = 300 }; /* failures of one request that are tried; of more a sample */

typedef struct jansson {
    size_t calls, fails_at, live;
    bool on; /* and all behind it */
} jansson;

static jansson heap_of;

static void *take(size_t size)
{
    size_t call = ++heap_of.calls;
    if (heap_of.fails_at && (heap_of.on ? call >= heap_of.fails_at : call == heap_of.fails_at)) return NULL;
    void *ptr = malloc(size);
    heap_of.live += ptr != NULL;
    return ptr;
}

static void give(void *ptr)
{
    heap_of.live -= ptr != NULL;
    free(ptr);
}

typedef struct reply {
    zlay_status status;
    char text[JSON_LINE];
} reply;

static void answer_of(reply *out, zlay_ctx *ctx, const char *line, size_t fails_at, bool on)
{
    zlay_buf buf = {out->text, sizeof out->text, 0};
    heap_of = (jansson){.fails_at = fails_at, .on = on};
    out->status = zlay_json_call(ctx, &buf, line, strlen(line));
    heap_of.fails_at = 0;
    if (heap_of.live) fail_msg("%s\n  leaves %zu of jansson's allocations where the %zuth fails", line, heap_of.live, fails_at);
}

/* An object, and one that says no more than that memory ended. */
static bool is_error_line(const char *text)
{
    json_t *answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const char *error = json_string_value(json_object_get(answer, "error"));
    bool good = error && !strcmp(error, "ENOMEM");
    json_decref(answer);
    return good;
}

static size_t failures(zlay_ctx *ctx, const char *line, bool on)
{
    static reply right, got;
    answer_of(&right, ctx, line, 0, false);
    assert_int_equal(right.status, ZLAY_OK);
    size_t count = heap_of.calls, step = count / EACH + 1, none = 0;
    for (size_t k = 1; k <= count; k += step) {
        answer_of(&got, ctx, line, k, on);
        none += got.status == ZLAY_ENOMEM || is_error_line(got.text);
        if (got.status == ZLAY_ENOMEM) continue;
        if (got.status || (strcmp(got.text, right.text) && !is_error_line(got.text)))
            fail_msg("%s\n  answers %d %.300s\n  where allocation %zu of %zu fails", line, got.status, got.text, k, count);
    }
    return none;
}

static void each_fails(void **state)
{
    size_t none = 0;
    json_set_alloc_funcs(take, give);
    for (size_t i = 0; i < ZL_COUNT(whole); i++) none += failures(*state, whole[i], false) + failures(*state, whole[i], true);
    json_set_alloc_funcs(malloc, free);
    printf("%zu calls ended by jansson's memory\n", none);
    assert_true(none > 10 * ZL_COUNT(whole));
}

/* ---- the reader against jansson's, where memory does not end --------------------------------------------- */

static bool has_long_number(const char *line)
{
    size_t run = 0;
    for (; *line; line++) {
        run = *line >= '0' && *line <= '9' ? run + 1 : 0;
        if (run > 18) return true;
    }
    return false;
}

static void read_alike(zlay_ctx *ctx, const char *line, size_t size, size_t *good)
{
    json_t *ours = NULL, *theirs = json_loadb(line, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    zlay_status status = zl_line_read(ctx, &ours, line, size);
    bool object = json_is_object(theirs);
    assert_true((status == ZLAY_OK) == (ours != NULL) && (status == ZLAY_OK || *zlay_ctx_message(ctx)));
    if (!has_long_number(line) && (object != (ours != NULL) || (ours && !json_equal(ours, theirs))))
        fail_msg("%s\n  is%s read, %s", line, ours ? "" : " not", zlay_ctx_message(ctx));
    *good += ours != NULL;
    json_decref(ours);
    json_decref(theirs);
}

/* Whole requests and hostile values, with bytes changed, put in and taken out. */
static void reads_as_jansson(void **state)
{
    static const char *const values[] = {"[1.5,-2e3,1E+2,0.0,-0,1e-400,-1e999]", "\"\\u00e9\\ud83d\\ude00\\n\\/\\\"\"", "\"\xc3\xa9\xf0\x9f\x98\x80\"",
        "\"\\ud800\"", "\"\\udc00\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "{\"a\":{\"a\":[]},\"b\":null}", "{\"a\":1,\"a\":2}",
        "\"\\u0000\"", "[[[[[[]]]]]]", "[1,]", "{,}", "01", "-", "1.", "1e", ".5", "+1", "tru", "nul", "\"\\x\"", "\"a", "[", "{\"a\"}", "{\"a\":}", "{1:2}"};
    static const char letters[] = "{}[]:,\"\\u0e19-+. \t\n\x01tfn\xc3\xa9\xed\xf4";
    uint64_t seed = test_seed("reads_as_jansson");
    size_t good = 0, count = test_cases(30000);
    char line[4000];
    for (size_t i = 0; i < count; i++) {
        const char *whole_one = whole[test_random(&seed) % ZL_COUNT(whole)], *value = values[test_random(&seed) % ZL_COUNT(values)];
        if (test_range(&seed, 0, 1)) snprintf(line, sizeof line, "{\"id\":%s}", value);
        else snprintf(line, sizeof line, "%.*s", 3000, whole_one);
        size_t size = strlen(line);
        for (int k = (int)test_range(&seed, 0, 3); k && size; k--) {
            size_t at = test_random(&seed) % size;
            if (test_range(&seed, 0, 1)) line[at] = letters[test_random(&seed) % (sizeof letters - 1)];
            else memmove(line + at, line + at + 1, size-- - at);
        }
        read_alike(*state, line, size, &good);
    }
    printf("%zu of %zu lines are objects\n", good, count);
    assert_true(good > count / 10 && good < count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_fails), cmocka_unit_test(reads_as_jansson)};
    return cmocka_run_group_tests(tests, begin, end);
}
