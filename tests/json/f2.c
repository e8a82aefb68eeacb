/* SPDX-License-Identifier: Apache-2.0 */
/* f2.* and F2 objects in batch.  The answers are worked out by hand. */
#include "json_ask.h"

#include <stdbool.h>

#define OP(op, rest) "{\"op\":\"" op "\"," rest "}"
#define Q(text) "\"" text "\""
#define SWAP "{\"in\":[[\"a\",[[2],[1]]]],\"out\":[[\"x\",4]]}"
#define ID "{\"in\":[[\"b\",[[1],[2]]]],\"out\":[[\"x\",4]]}"
#define TWO "{\"in\":[[\"a\",[[1,0]]],[\"b\",[[0,1],[1,1]]]],\"out\":[[\"x\",2],[\"y\",2]]}"
#define WRAP "{\"in\":[[\"a\",[[1],[2],[4]]]],\"out\":[[\"x\",6,\"add\"]]}"

/* Of the answer the word, and its value as JSON or a part of its text. */
static const struct { const char *line, *word, *value; } rows[] = {
    {OP("f2.compose", "\"inner\":" SWAP ",\"outer\":" Q("f2{x: (3) (2) -> y: 4}")), "ok",
     "{\"in\":[[\"a\",[[2],[3]]]],\"out\":[[\"y\",4]]}"},
    {OP("f2.invert", "\"layout\":" SWAP), "ok", "{\"in\":[[\"x\",[[2],[1]]]],\"out\":[[\"a\",4]]}"},
    {OP("f2.invert", "\"layout\":" Q("f2{a: (1) (1) -> x: 4}")), "none", "indices 0 and 3"},
    {OP("f2.invert", "\"layout\":" WRAP), "error", "EINVAL"},
    {OP("f2.invert", "\"layout\":\"8:1\""), "error", "EINVAL"},
    {OP("f2.pseudoinvert", "\"layout\":" TWO), "ok",
     "{\"in\":[[\"x\",[[1,0]]],[\"y\",[[0,1]]]],\"out\":[[\"a\",2],[\"b\",4]]}"},
    {OP("f2.invert_and_compose", "\"this\":" SWAP ",\"outer\":" ID), "ok",
     "{\"in\":[[\"a\",[[2],[1]]]],\"out\":[[\"b\",4]]}"},
    {OP("f2.lstsq", "\"a\":" ID ",\"b\":" SWAP), "ok",
     "{\"in\":[[\"a\",[[2],[1]]]],\"out\":[[\"b\",4]]}"},
    {OP("f2.product", "\"factors\":[" SWAP ",\"f2{a: (1,0) -> x: 2, z: 1}\"," ID "]"), "ok",
     "{\"in\":[[\"a\",[[2,0],[1,0],[4,0]]],[\"b\",[[8,0],[16,0]]]],\"out\":[[\"x\",32],[\"z\",1]]}"},
    {OP("f2.product", "\"factors\":[]"), "ok", "{\"in\":[],\"out\":[]}"},
    {OP("f2.product", "\"factors\":[" WRAP "]"), "ok", WRAP},
    {OP("f2.product", "\"factors\":[\"f2{b: (1) -> x: 2}\"," WRAP "]"), "ok",
     "{\"in\":[[\"b\",[[1]]],[\"a\",[[2],[4],[8]]]],\"out\":[[\"x\",12,\"add\"]]}"},
    {OP("f2.product", "\"factors\":[" WRAP "," WRAP "]"), "none", "modulo 36"},
    {OP("f2.product", "\"factors\":[3]"), "error", "EINVAL"},
    {OP("f2.divide_left", "\"a\":\"f2{a: (1) (2) (8) (4) -> x: 16}\",\"b\":\"f2{a: (1) (2) -> x: 4}\""),
     "ok", "{\"in\":[[\"a\",[[2],[1]]]],\"out\":[[\"x\",4]]}"},
    {OP("f2.divide_right", "\"a\":\"f2{a: (1) (2) (8) (4) -> x: 16}\",\"b\":" SWAP), "ok",
     "{\"in\":[[\"a\",[[1],[2]]]],\"out\":[[\"x\",4]]}"},
    {OP("f2.divide_right", "\"a\":" SWAP ",\"b\":" SWAP), "ok", "{\"in\":[[\"a\",[]]],\"out\":[[\"x\",1]]}"},
    {OP("f2.divide_left", "\"a\":" SWAP ",\"b\":\"f2{a: (1) -> x: 2}\""), "none", "basis of a 1"},
    {OP("f2.quotient", "\"layout\":\"f2{a: (1,0); b: (0,0) -> a: 2, c: 2}\",\"dims\":[\"a\"]"), "ok",
     "{\"in\":[[\"b\",[[0]]]],\"out\":[[\"c\",2]]}"},
    {OP("f2.transpose_ins", "\"layout\":" TWO ",\"order\":[\"b\",\"a\"]"), "ok",
     "{\"in\":[[\"b\",[[0,1],[1,1]]],[\"a\",[[1,0]]]],\"out\":[[\"x\",2],[\"y\",2]]}"},
    {OP("f2.transpose_outs", "\"layout\":" TWO ",\"order\":[\"y\",\"x\"]"), "ok",
     "{\"in\":[[\"a\",[[0,1]]],[\"b\",[[1,0],[1,1]]]],\"out\":[[\"y\",2],[\"x\",2]]}"},
    {OP("f2.transpose_outs", "\"layout\":" TWO ",\"order\":[\"y\"]"), "error", "EINVAL"},
    {OP("f2.transpose_outs", "\"layout\":" TWO ",\"order\":[\"y\",3]"), "error", "EINVAL"},
    {OP("f2.reshape_ins", "\"layout\":" TWO ",\"dims\":[[\"p\",4],[\"q\",\"2\"]]"), "ok",
     "{\"in\":[[\"p\",[[1,0],[0,1]]],[\"q\",[[1,1]]]],\"out\":[[\"x\",2],[\"y\",2]]}"},
    {OP("f2.reshape_outs", "\"layout\":" TWO ",\"dims\":[[\"p\",4]]"), "ok",
     "{\"in\":[[\"a\",[[1]]],[\"b\",[[2],[3]]]],\"out\":[[\"p\",4]]}"},
    {OP("f2.reshape_outs", "\"layout\":" TWO ",\"dims\":[[\"p\",8]]"), "error", "EINVAL"},
    {OP("f2.reshape_outs", "\"layout\":" TWO ",\"dims\":[[\"p\",4,1]]"), "error", "EINVAL"},
    {OP("f2.concat_ins", "\"a\":" SWAP ",\"b\":" ID), "ok",
     "{\"in\":[[\"a\",[[2],[1]]],[\"b\",[[1],[2]]]],\"out\":[[\"x\",4]]}"},
    {OP("f2.concat_outs", "\"a\":" SWAP ",\"b\":\"f2{a: (5) (3) -> z: 7}\""), "ok",
     "{\"in\":[[\"a\",[[2,5],[1,3]]]],\"out\":[[\"x\",4],[\"z\",7,\"add\"]]}"},
    {OP("f2.sublayout", "\"layout\":" TWO ",\"ins\":[\"b\"],\"outs\":[\"x\"]"), "ok",
     "{\"in\":[[\"b\",[[0],[1]]]],\"out\":[[\"x\",2]]}"},
    {OP("f2.sublayout", "\"layout\":" TWO ",\"ins\":[],\"outs\":[]"), "ok", "{\"in\":[],\"out\":[]}"},
    {OP("f2.sublayout", "\"layout\":" TWO ",\"ins\":[\"z\"],\"outs\":[]"), "error", "EINVAL"},
    {OP("f2.free_variable_masks", "\"layout\":" TWO), "ok", "[[\"a\",0],[\"b\",2]]"},
    {OP("f2.free_variable_masks", "\"layout\":" WRAP), "error", "EINVAL"},
    {OP("layout.eval", "\"layout\":" WRAP ",\"at\":[0,5,6,7]"), "ok", "[0,5,0,1]"},
    {OP("layout.eval", "\"layout\":" TWO ",\"at\":[7,[1,3]]"), "ok", "[[0,0],[0,0]]"},
    {OP("layout.lower", "\"layout\":\"(4,2):(2,1)\""), "ok",
     "{\"in\":[[\"in0\",[[2],[4]]],[\"in1\",[[1]]]],\"out\":[[\"out0\",8]]}"},
    {OP("layout.lower", "\"layout\":\"(4,2):(2,1)\",\"out\":[2,4]"), "ok",
     "{\"in\":[[\"in0\",[[0,1],[0,2]]],[\"in1\",[[1,0]]]],\"out\":[[\"out0\",2],[\"out1\",4]]}"},
    {OP("layout.lower", "\"layout\":\"(4,2):(2,1)\",\"out\":[3]"), "error", "EINVAL"},
    {OP("layout.lower", "\"layout\":\"(4,2):(2,1)\",\"out\":3"), "error", "EINVAL"},
    {OP("layout.lower", "\"layout\":" WRAP), "none", "value(2 ^ 4) is 0"},
};

static void answers(void **state)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *answer = ask(*state, rows[i].line), *got = json_object_get(answer, rows[i].word);
        json_t *want = strcmp(rows[i].word, "ok") ? NULL : json_loads(rows[i].value, 0, NULL);
        const char *text = json_string_value(got);
        bool right = want ? got && json_equal(got, want) : text && strstr(text, rows[i].value);
        char *whole = json_dumps(answer, 0);
        if (!right) fail_msg("%s\n  answers %s\n  and not %s", rows[i].line, whole, rows[i].value);
        free(whole);
        json_decref(want);
        json_decref(answer);
    }
}

/* Objects that are none, each refused by its own words. */
static const char *const wrong[][2] = {
    {"{\"in\":[]}", "'out' is missing"},
    {"{\"in\":[],\"out\":[],\"more\":1}", "'more'"},
    {"{\"in\":{},\"out\":[]}", "lists"},
    {"{\"in\":[[\"a\"]],\"out\":[]}", "[name, [bases]]"},
    {"{\"in\":[[\"a\",3]],\"out\":[]}", "[name, [bases]]"},
    {"{\"in\":[[\"a\",[1]]],\"out\":[[\"x\",2]]}", "one integer an output"},
    {"{\"in\":[[\"a\",[[1,1]]]],\"out\":[[\"x\",2]]}", "one integer an output"},
    {"{\"in\":[[\"a\",[[-1]]]],\"out\":[[\"x\",2]]}", "one integer an output"},
    {"{\"in\":[[\"a\",[[2]]]],\"out\":[[\"x\",2]]}", "not below the size of x"},
    {"{\"in\":[[\"a\",[[6]]]],\"out\":[[\"x\",6]]}", "not below the size of x"},
    {"{\"in\":[[\"a\",[]],[\"a\",[]]],\"out\":[]}", "called a"},
    {"{\"in\":[[\"a b\",[]]],\"out\":[]}", "'a b'"},
    {"{\"in\":[],\"out\":[[\"x\",0]]}", "1 or more"},
    {"{\"in\":[],\"out\":[[\"x\",\"four\"]]}", "1 or more"},
    {"{\"in\":[],\"out\":[[\"x\",4,\"add\"]]}", "xor"},
    {"{\"in\":[],\"out\":[[\"x\",6,\"xor\"]]}", "add"},
    {"{\"in\":[],\"out\":[[\"x\",6,\"add\",1]]}", "add"},
    {"{\"in\":[],\"out\":[[\"x\\u0000\",6]]}", "names"},
    {"{\"in\":[],\"out\":[\"x\"]}", "names"},
};

static void objects_that_are_none(void **state)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[500];
        snprintf(line, sizeof line, "{\"op\":\"layout.parse\",\"layout\":%s}", wrong[i][0]);
        json_t *answer = ask(*state, line);
        const char *error = json_string_value(json_object_get(answer, "error"));
        const char *message = json_string_value(json_object_get(answer, "message"));
        if (!error || strcmp(error, "EINVAL") || !strstr(message, wrong[i][1]))
            fail_msg("%s: %s", line, message ? message : "no error");
        json_decref(answer);
    }
}

/* The request `op` about 64 bits in turned order, with more inputs or fields behind them. */
static json_t *ask_about_64(zlay_ctx *ctx, const char *op, const char *rest)
{
    static char line[1 << 14];
    char *at = line + sprintf(line, "{\"op\":\"%s\",\"layout\":{\"in\":[[\"i\",[", op);
    for (int k = 0; k < 64; k++) at += sprintf(at, "%s[\"%llu\"]", k ? "," : "", 1ull << (63 - k));
    sprintf(at, "]]%s", rest);
    return ask(ctx, line);
}

#define OUT "\"out\":[[\"o\",\"18446744073709551616\"]]}"

/* The inverse's output has 2^64 points, and the last index is one. */
static void sixty_four_bits(void **state)
{
    json_t *answer = ask_about_64(*state, "f2.invert", "]," OUT "}");
    json_t *ok = json_object_get(answer, "ok"), *out = json_array_get(json_object_get(ok, "out"), 0);
    assert_string_equal(json_string_value(json_array_get(out, 1)), "18446744073709551616");
    json_t *bases = json_array_get(json_array_get(json_object_get(ok, "in"), 0), 1);
    assert_int_equal(json_array_size(bases), 64);
    json_t *first = json_array_get(json_array_get(bases, 0), 0);
    assert_string_equal(json_string_value(first), "9223372036854775808");
    json_decref(answer);
    answer = ask_about_64(*state, "f2.invert", ",[\"j\",[[1]]]]," OUT "}");
    assert_string_equal(json_string_value(json_object_get(answer, "error")), "EOVERFLOW");
    json_decref(answer);
    answer = ask_about_64(*state, "layout.eval", "]," OUT ",\"at\":[\"18446744073709551615\",1]}");
    json_t *values = json_object_get(answer, "ok");
    assert_int_equal(json_integer_value(json_array_get(values, 0)), -1);
    assert_string_equal(json_string_value(json_array_get(values, 1)), "-9223372036854775808");
    json_decref(answer);
}

/* Each output's own span, however many points there are. */
static void spans_of_outputs(void **state)
{
    static char line[1 << 13];
    char *at = line + sprintf(line, "{\"op\":\"layout.parse\",\"layout\":\"f2{i:");
    for (int k = 0; k < 40; k++) at += sprintf(at, " (%d,%d)", k % 2 ? 5 : 2, k % 3);
    sprintf(at, " -> x: 8, y: 96}\"}");
    json_t *answer = ask(*state, line);
    json_t *cosize = json_object_get(json_object_get(answer, "ok"), "cosize");
    assert_int_equal(json_integer_value(json_array_get(cosize, 0)), 8);
    assert_int_equal(json_integer_value(json_array_get(cosize, 1)), 40);
    json_decref(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers), cmocka_unit_test(objects_that_are_none),
        cmocka_unit_test(sixty_four_bits), cmocka_unit_test(spans_of_outputs),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
