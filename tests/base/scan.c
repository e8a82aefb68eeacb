/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner of text forms: on every text of up to five characters of a small alphabet, each token
 * is compared with its definition, which the C library's string functions state. */
#include "base/scan.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const char alphabet[] = "a_1.'- \n#";
enum { LETTERS = sizeof alphabet - 1, LONGEST = 5, MARKS = 2, DOTS = 2 };

#define NAME_START "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS "0123456789"

/* What the definitions say of a text: where the first token begins, and how long each kind is. */
typedef struct expected {
    size_t begin, word, symbol, keyword, number;
} expected;

static const char *part_of(char mark) { return mark ? NAME_START DIGITS "'" : NAME_START DIGITS; }

/* The length of `word` where it stands at `at` and ends there; 0: it does not. */
static size_t keyword_at(const char *at, const char *word, char mark, bool dotted)
{
    size_t length = strlen(word);
    if (strncmp(at, word, length)) return 0;
    const char *next = at + length;
    if (strspn(next, part_of(mark))) return 0;
    return dotted && *next == '.' && strspn(next + 1, part_of(mark)) ? 0 : length;
}

static expected of_text(const char *text, char mark, bool dotted)
{
    expected e = {.begin = strspn(text, " \t\r\n")};
    const char *at = text + e.begin;
    if (*at && strchr(NAME_START, *at)) e.word = strspn(at, part_of(mark));
    e.symbol = strncmp(at, "a.", 2) ? 0 : 2;
    e.keyword = keyword_at(at, "a", mark, dotted);
    e.number = strspn(at, DIGITS);
    if (strspn(at + e.number, part_of(mark))) e.number = 0;
    return e;
}

static void tokens_of(zlay_ctx *ctx, const char *text, char mark, bool dotted)
{
    const expected e = of_text(text, mark, dotted);
    const zl_cursor start = {
        .ctx = ctx, .text = text, .length = strlen(text), .mark = mark, .dotted = dotted};
    zl_cursor c = start;
    int64_t number = -1;
    char name[65];
    assert_int_equal(zl_cursor_peek(&c), text[e.begin]);
    assert_int_equal(c.at, e.begin);
    assert_int_equal(zl_cursor_done(&c), !text[e.begin]);
    assert_int_equal(zl_cursor_word(&c), e.word);
    c = start;
    assert_int_equal(zl_cursor_symbol(&c, "a."), e.symbol > 0);
    assert_int_equal(c.at, e.begin + e.symbol);
    c = start;
    assert_int_equal(zl_cursor_keyword(&c, "a"), e.keyword > 0);
    assert_int_equal(c.at, e.begin + e.keyword);
    c = start;
    assert_int_equal(zl_cursor_number(&c, &number), e.number > 0);
    assert_int_equal(c.at, e.begin + e.number);
    assert_int_equal(number, e.number ? strtoll(text, NULL, 10) : -1);
    c = start;
    bool is_name = zl_is_name(text + e.begin, e.word);
    assert_int_equal(zl_cursor_name(&c, name), is_name);
    assert_int_equal(c.at, e.begin + (is_name ? e.word : 0));
    if (is_name) assert_memory_equal(name, text + e.begin, e.word);
}

static void every_short_text(void **state)
{
    zlay_ctx *ctx = *state;
    size_t texts = 1;
    for (size_t length = 0; length <= LONGEST; length++, texts *= LETTERS)
        for (size_t i = 0; i < texts; i++) {
            char text[LONGEST + 1] = {0};
            for (size_t k = 0, rest = i; k < length; k++, rest /= LETTERS)
                text[k] = alphabet[rest % LETTERS];
            for (int mark = 0; mark < MARKS; mark++)
                for (int dotted = 0; dotted < DOTS; dotted++)
                    tokens_of(ctx, text, mark ? '\'' : 0, dotted);
        }
}

static void numbers_stop_at_63_bits(void **state)
{
    static const char *const texts[] = {"9223372036854775807", "9223372036854775808",
                                        "18446744073709551616"};
    for (size_t i = 0; i < ZL_COUNT(texts); i++) {
        int64_t number = 0;
        zl_cursor c = {.ctx = *state, .text = texts[i], .length = strlen(texts[i])};
        assert_int_equal(zl_cursor_number(&c, &number), i == 0);
        assert_int_equal(c.at, i == 0 ? c.length : 0);
        assert_true(number == (i == 0 ? INT64_MAX : 0));
    }
}

static void lines_end_before_their_comments(void **state)
{
    static const char text[] = "a # b\n\n# c\nd";
    static const char *const lines[] = {"a ", "", "", "d"};
    const char *at = text, *end = text + sizeof text - 1;
    zl_cursor c = {.ctx = *state};
    for (size_t i = 0; i < ZL_COUNT(lines); i++) {
        at = zl_cursor_line(&c, at, end);
        assert_int_equal(c.line, i + 1);
        assert_int_equal(c.at, 0);
        assert_int_equal(c.length, strlen(lines[i]));
        assert_memory_equal(c.text, lines[i], c.length);
    }
    assert_ptr_equal(at, end);
}

static void failures_name_their_place(void **state)
{
    zlay_ctx *ctx = *state;
    zl_cursor c = {.ctx = ctx, .text = "ab cd", .length = 5, .at = 2, .first = 10};
    assert_int_equal(zl_cursor_fail(&c, "a number"), ZLAY_EINVAL);
    assert_string_equal(zlay_ctx_message(ctx), "byte 13: expected a number, at 'cd'");
    assert_int_equal(zl_cursor_refuse(&c, ZLAY_ELIMIT, 1, "%u deep", 7u), ZLAY_ELIMIT);
    assert_string_equal(zlay_ctx_message(ctx), "byte 11: 7 deep");
    zl_fail(ctx, ZLAY_EINVAL, "no such row");
    assert_int_equal(zl_cursor_place(&c, ZLAY_EINVAL, 4), ZLAY_EINVAL);
    assert_string_equal(zlay_ctx_message(ctx), "byte 14: no such row");
    assert_int_equal(zl_cursor_place(&c, ZLAY_EINVAL, 0), ZLAY_EINVAL);
    assert_string_equal(zlay_ctx_message(ctx), "byte 14: no such row");
    assert_int_equal(zl_cursor_place(&c, ZLAY_OK, 0), ZLAY_OK);
    c.line = 3;
    assert_int_equal(zl_cursor_refuse(&c, ZLAY_EINVAL, 1, "no role"), ZLAY_EINVAL);
    assert_string_equal(zlay_ctx_message(ctx), "line 3: no role");
    c.at = c.length;
    assert_int_equal(zl_cursor_end(&c), ZLAY_OK);
    assert_int_equal(zl_cursor_want(&c, ','), ZLAY_EINVAL);
    assert_string_equal(zlay_ctx_message(ctx), "line 3: expected ',', at the end of the text");
}

int main(void)
{
    zlay_ctx *ctx;
    if (zlay_ctx_new(&ctx, NULL, NULL)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_short_text, ctx),
        cmocka_unit_test_prestate(numbers_stop_at_63_bits, ctx),
        cmocka_unit_test_prestate(lines_end_before_their_comments, ctx),
        cmocka_unit_test_prestate(failures_name_their_place, ctx),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zlay_ctx_free(ctx);
    return failed;
}
