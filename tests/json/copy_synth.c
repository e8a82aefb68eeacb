/* SPDX-License-Identifier: Apache-2.0 */
/* copy.synth as a request of docs/batch.md. */
#include "json_ask.h"
#include "layouts/layout.h"

static json_t *ask_ok(zlay_ctx *ctx, const char *line)
{
    json_t *answer = ask(ctx, line), *ok = json_object_get(answer, "ok");
    if (!ok) fail_msg("%s: %s", line, json_dumps(answer, 0));
    json_incref(ok);
    json_decref(answer);
    return ok;
}

static int64_t integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

#define SOURCE(layout) "\"src\":{\"layout\":\"" layout "\",\"space\":\"global\"}"
#define DEST(layout)   "\"dst\":{\"layout\":\"" layout "\",\"space\":\"shared\"}"
#define HEAD           "{\"op\":\"copy.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\","

static void test_rows_of_a_tile(void **state)
{
    json_t *ok = ask_ok(*state, HEAD SOURCE("(60,64):(1,4096)") "," DEST("(60,64):(1,64)") "}");
    json_t *part = json_array_get(json_object_get(ok, "parts"), 0), *waves, *below;
    assert_string_equal(text(ok, "path"), "cp_async");
    assert_int_equal(integer(ok, "width"), 8);
    assert_int_equal(integer(ok, "threads"), 128);
    assert_int_equal(integer(ok, "instructions"), 32);
    assert_int_equal(integer(ok, "sectors"), 64 * 4);
    waves = json_object_get(ok, "wavefronts");
    assert_int_equal(integer(waves, "load"), 0);
    assert_int_equal(integer(part, "elements"), 60 * 64);
    assert_string_equal(text(part, "kind"), "cp_async");
    below = json_array_get(json_object_get(part, "predicate"), 0);
    assert_int_equal(integer(below, "below"), 60);
    assert_true(json_is_null(json_object_get(ok, "variant")));
    assert_string_equal(text(json_object_get(ok, "widest"), "why"), "target");
    json_decref(ok);
}

static void test_names(void **state)
{
    json_t *ok = ask_ok(*state, HEAD SOURCE("(64,64):(1,ld)") "," DEST(
                                    "(64,64):(1,64)") ",\"facts\":[\"ld mod 2 = 0\"]}");
    json_t *part = json_array_get(json_object_get(ok, "parts"), 0);
    json_t *mode = json_array_get(json_object_get(part, "modes"), 1);
    assert_int_equal(integer(json_object_get(ok, "widest"), "width"), 4);
    assert_int_equal(integer(json_object_get(ok, "variant"), "width"), 16);
    assert_string_equal(text(json_object_get(ok, "variant"), "guard"), "ld % 8 == 0");
    assert_string_equal(text(mode, "src"), "ld");
    assert_int_equal(integer(mode, "dst"), 64);
    assert_string_equal(text(json_object_get(ok, "source_certificate"), "a"), "(64,64):(1,ld)");
    json_decref(ok);
}

static void test_fragments(void **state)
{
    json_t *ok = ask_ok(
        *state, "{\"op\":\"copy.synth\",\"target\":\"sm_80\",\"elem_bits\":16,\"registers\":8,"
                "\"src\":{\"layout\":\"Sw<3,3,3> o 0 o ((8,2),(2,4,2)):((64,512),(1,2,8))\","
                "\"space\":\"shared\"},\"dst\":{\"layout\":"
                "\"((8,2),(2,4,2)):((32,2),(1,8,4))\",\"space\":\"register\"}}");
    json_t *part = json_array_get(json_object_get(ok, "parts"), 0);
    assert_string_equal(text(ok, "path"), "matrix");
    assert_int_equal(integer(part, "matrices"), 4);
    assert_true(json_is_false(json_object_get(part, "transposed")));
    assert_true(json_is_null(json_object_get(ok, "wavefronts")));
    json_decref(ok);
}

/* Sent to a peer, every byte counted by its barrier: 64 x 2 halves by st.async of 16 bytes. */
static void test_signals(void **state)
{
    json_t *ok = ask_ok(*state, HEAD SOURCE("(64,2):(1,80)")
                        ",\"dst\":{\"layout\":\"(64,2):(1,64)\",\"space\":\"peer\"},\"signal\":true}");
    json_t *part = json_array_get(json_object_get(ok, "parts"), 0);
    assert_string_equal(text(ok, "path"), "store_async");
    assert_string_equal(text(part, "kind"), "store_async");
    assert_int_equal(integer(ok, "width"), 16);
    assert_int_equal(integer(ok, "bytes"), 256);
    json_decref(ok);
}

/* emit of what: move is the function of the same fields, whose parameters it names. */
static void test_functions(void **state)
{
    static const char *const names[] = {"ptr_dest", "rank_dest", "ptr_bar"};
    json_t *ok = ask_ok(*state, "{\"op\":\"emit\",\"what\":\"move\",\"name\":\"put\",\"target\":"
                        "\"sm_90a\",\"type\":\"f32\",\"registers\":4,\"signal\":true,"
                        "\"src\":{\"layout\":\"(4,32):(1,4)\",\"space\":\"register\"},"
                        "\"dst\":{\"layout\":\"(4,32):(1,4)\",\"space\":\"peer\"}}");
    json_t *arguments = json_object_get(ok, "arguments");
    assert_non_null(strstr(text(ok, "text"), ".visible .func put("));
    assert_int_equal(integer(ok, "bytes"), 512);
    assert_int_equal(integer(ok, "threads"), 32);
    assert_true(json_is_null(json_object_get(ok, "result")));
    assert_int_equal(json_array_size(arguments), 4);
    assert_string_equal(text(json_array_get(arguments, 0), "name"), "held_source");
    assert_int_equal(integer(json_array_get(arguments, 0), "bytes"), 16);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(text(json_array_get(arguments, i + 1), "name"), names[i]);
        assert_string_equal(text(json_array_get(arguments, i + 1), "type"), "b32");
        assert_int_equal(integer(json_array_get(arguments, i + 1), "bytes"), 4);
    }
    json_decref(ok);
    ok = ask_ok(*state, "{\"op\":\"emit\",\"what\":\"move\",\"name\":\"get\",\"target\":"
                "\"sm_90a\",\"type\":\"f32\",\"registers\":4,"
                "\"src\":{\"layout\":\"(4,32):(1,4)\",\"space\":\"shared\"},"
                "\"dst\":{\"layout\":\"(4,32):(1,4)\",\"space\":\"register\"}}");
    assert_string_equal(text(json_object_get(ok, "result"), "name"), "held_dest");
    assert_int_equal(json_array_size(json_object_get(ok, "arguments")), 1);
    json_decref(ok);
}

/* With a language the same function of CUDA C or HIP, or its PTX with the check of alignment behind it. */
static void test_languages(void **state)
{
    static const struct {
        const char *language, *target, *head, *check;
    } rows[] = {
        {"cuda", "sm_90a", " void put(const void *source, void *dest, unsigned thread)\n{\n", " bool put_aligned(const void *source, const void *dest)\n{\n"},
        {"hip", "gfx942", " void put(const void *source, void *dest, unsigned thread)\n{\n", " bool put_aligned(const void *source, const void *dest)\n{\n"},
        {"ptx", "sm_90a", ".visible .func put(.param .b64 ptr_source, .param .b32 ptr_dest)\n{\n", ".func (.param .b32 value) put_aligned(.param .b64 source, .param .b32 dest)\n{\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[400];
        snprintf(line, sizeof line, "{\"op\":\"emit\",\"what\":\"move\",\"name\":\"put\",\"target\":\"%s\",\"language\":\"%s\",\"type\":\"bf16\"," SOURCE("(8,64):(1,8)") "," DEST("(8,64):(1,8)") "}",
                 rows[i].target, rows[i].language);
        json_t *ok = ask_ok(*state, line);
        assert_non_null(strstr(text(ok, "text"), rows[i].head));
        assert_non_null(strstr(text(ok, "text"), rows[i].check));
        assert_string_equal(text(ok, "language"), rows[i].language);
        assert_int_equal(json_array_size(json_object_get(ok, "arguments")), i == 2 ? 2 : 0);
        json_decref(ok);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *line, *key, *said;
    } rows[] = {
        {HEAD SOURCE("8:1") "," DEST("8:0") "}", "message", "points 0 and 1"},
        {HEAD SOURCE("131072") "," DEST("131072") "}", "none", "SMEM_BLOCK"},
        {HEAD SOURCE("8:1") "}", "message", "dst"},
        {HEAD SOURCE("8:1") "," DEST("8:1") ",\"elem_bits\":16}", "message", "one of the fields"},
        {HEAD SOURCE("8:1") "," DEST("8:1") ",\"path\":\"tensor\"}", "message", "path"},
        {HEAD SOURCE("8:1") ",\"dst\":{\"layout\":\"8:1\"}}", "message", "space"},
        {HEAD SOURCE("8:1") ",\"dst\":{\"layout\":\"8:1\",\"space\":\"moon\"}}", "message",
         "space"},
        {HEAD SOURCE("8:1") ",\"dst\":{\"layout\":\"8:1\",\"space\":\"shared\",\"align\":0}}",
         "message", "align"},
        {HEAD SOURCE("8:1") ",\"dst\":{\"layout\":\"8:1\",\"space\":\"shared\",\"x\":0}}",
         "message", "x"},
        {HEAD SOURCE("8:1") "," DEST("8:1") ",\"threads\":-1}", "message", "threads"},
        {HEAD SOURCE("8:1") "," DEST("8:1") ",\"signal\":true}", "message", "signal"},
        {HEAD SOURCE("8:1") "," DEST("8:1") ",\"signal\":1}", "message", "signal"},
        {"{\"op\":\"emit\",\"what\":\"move\",\"name\":\"add\",\"target\":\"sm_90a\",\"type\":\"bf16\","
         SOURCE("8:1") "," DEST("8:1") "}", "message", "name"},
        {"{\"op\":\"emit\",\"what\":\"move\",\"name\":\"f\",\"target\":\"gfx942\",\"type\":\"bf16\","
         SOURCE("8:1") "," DEST("8:1") "}", "message", "PTX"},
        {"{\"op\":\"emit\",\"what\":\"move\",\"name\":\"f\",\"target\":\"gfx942\",\"type\":\"bf16\",\"language\":\"cuda\","
         SOURCE("8:1") "," DEST("8:1") "}", "message", "gfx942"},
        {"{\"op\":\"emit\",\"what\":\"move\",\"name\":\"f\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"language\":\"c\","
         SOURCE("8:1") "," DEST("8:1") "}", "message", "language"},
        {"{\"op\":\"emit\",\"what\":\"move\",\"name\":\"int\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"language\":\"cuda\","
         SOURCE("8:1") "," DEST("8:1") "}", "message", "name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *answer = ask(*state, rows[i].line);
        const char *said = text(answer, rows[i].key);
        if (!said || !strstr(said, rows[i].said))
            fail_msg("%s: %s", rows[i].line, said ? said : json_dumps(answer, 0));
        json_decref(answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_a_tile),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_fragments),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_languages),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("json, copy.synth", tests, begin, end);
}
