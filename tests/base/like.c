/* SPDX-License-Identifier: Apache-2.0 */
/* Which name is offered: on random words of few letters, the hint names a closest one where one is
 * close enough, and none where none is. The distance is computed here by its recursive definition. */
#include "base/base.h"
#include "test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 20000, NAMES = 6, LONGEST = 7 };

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static char plain(char c) { return c && strchr("-._", c) ? '_' : (char)tolower((unsigned char)c); }

static unsigned edits(const char *a, const char *b)
{
    if (!*a || !*b) return (unsigned)(strlen(a) + strlen(b));
    if (plain(*a) == plain(*b)) return edits(a + 1, b + 1);
    unsigned far = 1 + least(edits(a + 1, b + 1), least(edits(a + 1, b), edits(a, b + 1)));
    if (a[1] && b[1] && plain(a[0]) == plain(b[1]) && plain(a[1]) == plain(b[0]))
        far = least(far, 1 + edits(a + 2, b + 2));
    return far;
}

static void word_make(char *out, size_t longest)
{
    size_t length = (size_t)rand() % longest + 1;
    for (size_t i = 0; i < length; i++) out[i] = "abcA_-"[rand() % 6];
    out[length] = 0;
}

static void closest_is_offered(void **state)
{
    (void)state;
    unsigned offered = 0, silent = 0;
    for (int c = 0; c < CASES; c++) {
        char wanted[LONGEST + 1], name[NAMES][LONGEST + 1], text[64] = "";
        word_make(wanted, LONGEST);
        zl_like like = zl_like_begin(wanted, strlen(wanted));
        unsigned allowed = least(3, (unsigned)strlen(wanted) / 2), best = allowed + 1;
        for (int i = 0; i < NAMES; i++) {
            word_make(name[i], LONGEST);
            zl_like_offer(&like, name[i]);
            unsigned far = edits(wanted, name[i]);
            if (far >= best || far >= strlen(name[i])) continue;
            best = far;
            if (strcmp(name[i], wanted)) snprintf(text, sizeof text, "; did you mean '%s'?", name[i]);
            else *text = 0;
        }
        assert_string_equal(like.hint, text);
        *text ? offered++ : silent++;
    }
    assert_true(offered > CASES / 10 && silent > CASES / 10);
}

static void ends_of_words(void **state)
{
    (void)state;
    char longest[ZL_LIKE_MOST + 2];
    memset(longest, 'a', sizeof longest);
    longest[ZL_LIKE_MOST] = 0;
    zl_like like = zl_like_begin(longest, ZL_LIKE_MOST);
    longest[0] = 'b';
    char name[sizeof longest];
    memcpy(name, longest, sizeof name);
    longest[0] = 'a';
    zl_like_offer(&like, name);
    assert_true(strlen(like.hint) == strlen("; did you mean ''?") + ZL_LIKE_MOST);
    like = zl_like_begin("compose", 7);
    zl_like_offer(&like, "layout.compose");
    zl_like_offer(&like, "f2.compose"); /* the first of equals stays */
    assert_string_equal(like.hint, "; did you mean 'layout.compose'?");
    like = zl_like_begin("", 0);
    zl_like_offer(&like, "a");
    zl_like_offer(&like, "");
    assert_string_equal(like.hint, "");
    like = zl_like_begin(NULL, 0);
    zl_like_offer(&like, "a");
    assert_string_equal(like.hint, "");
    memset(longest, 'a', sizeof longest);
    like = zl_like_begin(longest, sizeof longest);
    zl_like_offer(&like, name);
    assert_string_equal(like.hint, "");
}

int main(void)
{
    srand(20261129);
    const struct CMUnitTest tests[] = {cmocka_unit_test(closest_is_offered), cmocka_unit_test(ends_of_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
