/* SPDX-License-Identifier: Apache-2.0 */
/* The text of pieces: what it means by hand, what is refused and where, hostile text, parameters,
 * memory. */
#include "heap.h"
#include "layouts/layout.h"

enum { U = -99 }; /* undefined, in the tables of values */

static void assert_values(zlay_ctx *ctx, const zlay_layout *a, const char *text, const int64_t *value,
                          uint64_t size)
{
    if (zlay_layout_size(a) != size) fail_msg("%s: %d points", text, (int)zlay_layout_size(a));
    for (uint64_t i = 0; i < size; i++) {
        int64_t got;
        zlay_status status = zlay_layout_eval(&got, 1, a, i);
        if (status == ZLAY_NONE) got = U;
        else if (status) fail_msg("%s at %d: %s", text, (int)i, zlay_ctx_message(ctx));
        if (got != value[i]) fail_msg("%s at %d: %d, not %d", text, (int)i, (int)got, (int)value[i]);
    }
}

/* ---- meaning ---------------------------------------------------------------------------- */

static void meaning(void **state)
{
    static const struct { const char *text; uint64_t size; int64_t value[12]; } row[] = {
        {"{ [i] -> [2i] : i >= 0 and i < 3; [i] -> [i mod 2] : 3 <= i < 5 }", 5, {0, 2, 4, 1, 0}},
        {"{ [i] -> [2i] : 0 <= i < 3; [i] -> [i mod 2] : 3 <= i < 5 }", 5, {0, 2, 4, 1, 0}},
        {"{ [i] -> [o] : 2o <= i <= 2o + 1 and 3 <= i < 8 }", 5, {1, 2, 2, 3, 3}},
        {"{ [i, j] -> [10i + j] : 1 <= i < 3 and 0 <= j < 2 }", 4, {10, 20, 11, 21}},
        {"{ [i] -> [i] : 5 <= i < 8 }", 3, {5, 6, 7}},
        {"{ [i] -> [-i] : -2 <= i <= 1 }", 4, {2, 1, 0, -1}},
        {"{ [i] -> [2i mod 3] : 0 <= i < 5 }", 5, {0, 2, 4, 0, 2}},
        {"{ [i] -> [(2i) mod 3] : 0 <= i < 5 }", 5, {0, 2, 1, 0, 2}},
        {"{ [i] -> [2(i + 1)] : 0 <= i < 3 }", 3, {2, 4, 6}},
        {"{ [i] -> [2floor(i/2)] : 0 <= i < 4 }", 4, {0, 0, 2, 2}},
        {"{ [i] -> [i // 2 - -1] : -1 <= i < 3 }", 4, {0, 1, 1, 2}},
        {"{ [i] -> [floord(i, 3) + 10 ceild(i, 3)] : -1 <= i < 3 }", 4, {-1, 0, 10, 10}},
        {"{ [i] -> [i % 3] : -4 <= i < 0 }", 4, {2, 0, 1, 2}},
        {"{ [i] -> [min(i, 2) + max(i, 1)] : 0 <= i < 4 }", 4, {1, 2, 4, 5}},
        {"{ [i] -> [i/2] : 0 <= i <= 4 }", 5, {0, U, 1, U, 2}},
        {"{ [i] -> [o] : 3o <= i < 3o + 3 and 0 <= i < 5 }", 5, {0, 0, 0, 1, 1}},
        {"{ [i] -> [o] : o = i + 1 and 0 <= i < 2 }", 2, {1, 2}},
        {"{ [i] -> [1] : exists (e: i = 3e) and 0 <= i < 7 }", 7, {1, U, U, 1, U, U, 1}},
#if ZL_ENGINES
        {"{ [i] -> [1] : exists e, f: i = 2e + 3f and 0 <= e and 0 <= f and i <= 4 }", 5,
         {1, U, 1, 1, 1}},
#endif
        {"{ [i] -> [i] : not (1 <= i < 3) and 0 <= i < 5 }", 5, {0, U, U, 3, 4}},
        {"{ [i] -> [i] : 0 <= i < 5 and (i > 2 implies i = 4) }", 5, {0, 1, 2, U, 4}},
        {"{ [i] -> [i] : 0 <= i < 3; [i] -> [i] : 1 <= i < 5 }", 5, {0, 1, 2, 3, 4}},
        {"{ [i] -> [2i] : 0 <= i < 2; [i] -> [i + 1] : i = 1 or i = 3 }", 4, {0, 2, U, 4}},
        {"{ [0] -> [5]; [2] -> [7] }", 3, {5, U, 7}},
        {"{ [i, 2i] -> [i] : 0 <= i < 2 }", 6, {0, U, U, U, U, 1}},
        {"{ A[i = 3, j] -> B[j] : 0 <= j < 2; }", 2, {0, 1}},
        {"{ [] -> [3] }", 1, {3}},
        {"{ [i] -> [7] : i = 4611686018427387904 }", 1, {7}},
        {"{ [i] -> [i] : 0 <= i < 2 } # box 3", 3, {0, 1, U}},
        {"{ [i] -> [0] : false } # box 2", 2, {U, U}},
        {"{ [i] -> [i] : 0 <= i < 2 # a comment }\n }", 2, {0, 1}},
        {"{ [i,j] -> [i] : 0 <= i, j <= 1 and i != j }", 4, {U, 1, 0, U}},
        {"{ [i] -> [floor((floor(i/2) + 1)/2)] : 0 <= i < 6 }", 6, {0, 0, 1, 1, 1, 1}},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        zlay_layout *a = read_layout(*state, row[r].text);
        char text[1024];
        assert_int_equal(zlay_layout_kind(a), ZLAY_LAYOUT_PIECES);
        assert_values(*state, a, row[r].text, row[r].value, row[r].size);
        zlay_layout *again = read_layout(*state, layout_text(text, a));
        assert_values(*state, again, text, row[r].value, row[r].size);
        zlay_layout_free(again);
        zlay_layout_free(a);
    }
}

static void canonical(void **state)
{
    static const char *const row[][2] = {
        {"{[i,j]->[64i+j]:0<=i<8 and 0<=j<64}",
         "{ [i0, i1] -> [64i0 + i1] : 0 <= i0 < 8 and 0 <= i1 < 64 }"},
        {"{ [i] -> [i mod 4] : 2 <= i < 9 }",
         "{ [i0] -> [i0 - 4*floor((i0 + 2)/4) + 2] : 0 <= i0 < 7 }"},
        {"{ [i] -> [o] : 2o <= i <= 2o + 1 and 0 <= i < 9 }",
         "{ [i0] -> [floor((i0)/2)] : 0 <= i0 < 9 }"},
        {"{ [i] -> [o] : 2o <= i <= 2o + 1 and 3 <= i < 8 }",
         "{ [i0] -> [floor((i0 + 1)/2) + 1] : 0 <= i0 < 5 }"},
        {"{ [i] -> [floor((2i + 5)/4)] : 0 <= i < 9 }",
         "{ [i0] -> [floor((i0)/2) + 1] : 0 <= i0 < 9 }"},
        {"{ [i] -> [floor(floor(i/2)/3)] : 0 <= i < 9 }",
         "{ [i0] -> [floor((i0)/6)] : 0 <= i0 < 9 }"},
        {"{ [i] -> [i] : 2i <= 7 and 3i >= 1 and i != 9 }", "{ [i0] -> [i0 + 1] : 0 <= i0 < 3 }"},
        {"{ [i] -> [i] : 0 <= i < 8 and exists (e: 2e = i) }",
         "{ [i0] -> [i0] : 0 <= i0 < 7 and i0 - 2*floor((i0)/2) = 0 } # box 7"},
        {"{ [i] -> [i, 3i] : 0 <= i < 4 }", "{ [i0] -> [i0, 3i0] : 0 <= i0 < 4 } # out 4,10"},
        {"{ [i] -> [i, -i] : 0 <= i < 4 }", "{ [i0] -> [i0, -i0] : 0 <= i0 < 4 }"},
        {"[N] -> { [i] -> [N + i] : 0 <= i < N }",
         "[N] -> { [i0] -> [N + i0] : i0 >= 0 and N - i0 - 1 >= 0 }"},
        {"[ld, N] -> { [i, j] -> [ld + i] : 2 <= i < 8 and 0 <= j < N }",
         "[ld, N] -> { [i0, i1] -> [ld + i0 + 2] : 0 <= i0 < 6 and i1 >= 0 and N - i1 - 1 >= 0 }"},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++)
        assert_prints(*state, row[r][0], row[r][1]);
}

/* ---- refusals ----------------------------------------------------------------------------- */

static void refused(void **state)
{
    static const struct { const char *text; zlay_status status; const char *names; } row[] = {
        {"{", ZLAY_EINVAL, "byte 1"},
        {"{ }", ZLAY_EINVAL, "byte 2"},
        {"[", ZLAY_EINVAL, "byte 1"},
        {"[N] { [i] -> [i] }", ZLAY_EINVAL, "byte 4"},
        {"[N, N] -> { [i] -> [i] }", ZLAY_EINVAL, "byte 4"},
        {"[floor] -> { [i] -> [i] }", ZLAY_EINVAL, "byte 1"},
        {"{ [i] }", ZLAY_EINVAL, "[...] -> [...]"},
        {"{ [i] -> [] }", ZLAY_EINVAL, "an output"},
        {"{ [i] -> [i] : 0 <= i < 4 } x", ZLAY_EINVAL, "byte 28"},
        {"{ [i] -> [i] : 0 <= i < 4", ZLAY_EINVAL, "byte 25"},
        {"{ [i] -> [j + 1] : 0 <= i < 4 }", ZLAY_EINVAL, "byte 10: 'j'"},
        {"{ [i, i -> [i] : 0 <= i < 4 }", ZLAY_EINVAL, "byte"},
        {"{ [i] -> [i; i] : 0 <= i < 4 }", ZLAY_EINVAL, "byte 11"},
        {"{ [i] -> [i] : 0 <= i < 4; [i, j] -> [i] : 0 <= i, j < 4 }", ZLAY_EINVAL, "byte"},
        {"{ [i] -> [i] : 0 <= i < 4; [i] -> [i, i] : 5 <= i < 6 }", ZLAY_EINVAL, "byte"},
        {"{ [i] -> [i] : i }", ZLAY_EINVAL, "a comparison"},
        {"{ [i] -> [i] : 0 <= i < }", ZLAY_EINVAL, "byte 24"},
        {"{ [i] -> [i] : 0 <= i << 4 }", ZLAY_EINVAL, "byte"},
        {"{ [i] -> [i * i] : 0 <= i < 4 }", ZLAY_EINVAL, "byte 14"},
        {"{ [i] -> [i mod i] : 0 <= i < 4 }", ZLAY_EINVAL, "byte 16"},
        {"{ [i] -> [i mod 0] : 0 <= i < 4 }", ZLAY_EINVAL, "division by 0"},
        {"{ [i] -> [i mod -2] : 0 <= i < 4 }", ZLAY_EINVAL, "byte 16"},
        {"{ [i] -> [floor(i/0)] : 0 <= i < 4 }", ZLAY_EINVAL, "division by 0"},
        {"{ [i] -> [i + 1 mod 2] : 0 <= i < 4 }", ZLAY_EINVAL, "parentheses"},
        {"{ [i] -> [i*2 mod 3] : 0 <= i < 4 }", ZLAY_EINVAL, "parentheses"},
        {"{ [i] -> [i/2*2] : 0 <= i < 4 }", ZLAY_EINVAL, "parentheses"},
        {"{ [i] -> [i mod 4 mod 2] : 0 <= i < 4 }", ZLAY_EINVAL, "parentheses"},
        {"{ [i] -> [[i]] : 0 <= i < 4 }", ZLAY_EINVAL, "byte 10"},
        {"{ [[i] -> [j]] -> [i] : 0 <= i < 4 }", ZLAY_EINVAL, "byte"},
        {"{ [i] -> [i] : exists (i: i = 2) }", ZLAY_EINVAL, "there already"},
        {"{ [i] -> [i] : exists (e: e = i }", ZLAY_EINVAL, "byte"},
        {"{ [i] -> [i] : exists e = 2 }", ZLAY_EINVAL, "':'"},
        {"{ [and] -> [and] : 0 <= i < 4 }", ZLAY_EINVAL, "byte 3"},
        {"{ [i] -> [i] : 0 <= i }", ZLAY_EINVAL, "unbounded in dimension 0"},
        {"{ [i, j] -> [i] : 0 <= i < 4 }", ZLAY_EINVAL, "unbounded in dimension 1"},
#if ZL_ENGINES
        {"{ [i, j] -> [i] : 0 <= i < 4 and j >= i }", ZLAY_EINVAL, "unbounded"},
#endif
        {"{ [i] -> [i] : 0 <= i and i < 0 }", ZLAY_EINVAL, "empty"},
        {"{ [i] -> [i] : 2i = 1 }", ZLAY_EINVAL, "empty"},
        {"{ [i] -> [i] : false }", ZLAY_EINVAL, "empty"},
#if ZL_ENGINES
        {"{ [i] -> [o] : 0 <= i < 4 and 0 <= o < 2 }", ZLAY_EINVAL, "no single value"},
        {"{ [i] -> [o] : 0 <= i < 4 }", ZLAY_EINVAL, "no single value"},
#endif
        {"{ [i] -> [i] : 0 <= i < 4; [i] -> [2i] : 2 <= i < 8 }", ZLAY_EINVAL, "at [2]"},
        {"{ [i, j] -> [i] : 0 <= i, j < 9; [i, j] -> [j] : 0 <= i < j = 7 }", ZLAY_EINVAL, "7]"},
        {"{ [i] -> [i] : 0 <= i < 4 } # box 3", ZLAY_EINVAL, "outside the box"},
        {"{ [i] -> [i] : -1 <= i < 2 } # box 3", ZLAY_EINVAL, "outside the box"},
        {"{ [i] -> [i] : 0 <= i < 2 } # box 3,4", ZLAY_EINVAL, "byte 35"},
        {"{ [i] -> [i] : 0 <= i < 2 } # box 0", ZLAY_EINVAL, "size"},
        {"{ [i] -> [9223372036854775808] : 0 <= i < 2 }", ZLAY_EOVERFLOW, "byte 10"},
        {"{ [i] -> [9223372036854775807i + i] : 0 <= i < 2 }", ZLAY_EOVERFLOW, "byte 10"},
        {"{ [i] -> [9223372036854775807i] : 0 <= i < 4 }", ZLAY_EOVERFLOW, "value"},
        {"{ [i, j] -> [i] : 0 <= i, j < 9223372036854775807 }", ZLAY_EOVERFLOW, "size"},
        {"{ [i] -> [i] : -9223372036854775807 <= i < floor(i/3) }", ZLAY_EOVERFLOW, "value"},
        {"{ [i] -> [i] : -9223372036854775807 <= i <= 9223372036854775806 }", ZLAY_EOVERFLOW, ""},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++)
        assert_refused(*state, row[r].text, row[r].status, row[r].names);
}

/* ---- hostile text --------------------------------------------------------------------------- */

static char *repeated(const char *head, const char *part, size_t count, const char *tail)
{
    char *text = malloc(strlen(head) + strlen(part) * count + strlen(tail) + 1);
    size_t length = strlen(part);
    char *at = text + sprintf(text, "%s", head);
    for (size_t i = 0; i < count; i++, at += length) memcpy(at, part, length);
    strcpy(at, tail);
    return text;
}

static void hostile(void **state)
{
    static const struct {
        const char *head, *part, *tail;
        size_t count;
        zlay_status status;
    } row[] = {
        {"{ [i] -> [", "(", "", 200000, ZLAY_EINVAL},
        {"{ [i] -> [i] : ", "(", "", 200000, ZLAY_ELIMIT},
        {"{ [i] -> [i] : ", "(i", "", 100000, ZLAY_EINVAL},
        {"{ [i] -> [i] : i = ", "floor(", "", 100000, ZLAY_ELIMIT},
        {"{ [i] -> [i] : i = ", "min(", "", 100000, ZLAY_ELIMIT},
        {"{ [i] -> [", "-", "i] : 0 <= i < 4 }", 200000, ZLAY_OK},
        {"{ [i] -> [i] : ", "not ", "i = 3 }", 200000, ZLAY_OK},
        {"{ [i] -> [i] : ", "exists e: ", "", 50000, ZLAY_EINVAL},
        {"{ [i] -> [i] : ", "exists (", "", 50000, ZLAY_EINVAL},
        {"{ [i] -> [i] : i = 1 ", "implies i = 1 ", "}", 50000, ZLAY_ELIMIT},
        {"{ [i] -> [0", " + i", "] : 0 <= i < 4 }", 100000, ZLAY_OK},
        {"{ [i] -> [i] : 0 <= i < 4", " and i < 9", " }", 50000, ZLAY_OK},
        {"{ [i] -> [i] : i = 0", " or i = 0", " }", 3000, ZLAY_OK},
        {"{ [i] -> [i] : i = 0", " or i = 0", " }", 50000, ZLAY_ELIMIT}, /* memory */
        {"{ [i] -> [i] : 0 <= i < 4", " and (i < 2 or i > 2)", " }", 40, ZLAY_ELIMIT},
        {"{ [i] -> [i] : 0 <= i < 4 and not (false", " or (i = 1 and i = 2 and i = 3)", ")}", 200,
         ZLAY_OK},
        {"{ [i] -> [i] : 0", " <= i", " <= 3 }", 50000, ZLAY_OK},
        {"{ [i", ", i", "] -> [i] : 0 <= i < 4 }", 100000, ZLAY_ELIMIT},
        {"[N] -> { [i] -> [N", " + floor((N + i)/3)", "] : 0 <= i < 4 }", 20000, ZLAY_OK},
        {"{ [i] -> [i] : 0 <= i < 4 } #", " box 4 #", "", 100000, ZLAY_EINVAL},
        {"{ [i] -> [i] : 0 <= i < 4 } #", " a comment #", "", 80000, ZLAY_OK},
        {"{", "[", "", 200000, ZLAY_EINVAL},
        {"", "{", "", 200000, ZLAY_EINVAL},
        {"[", "N,", "", 200000, ZLAY_EINVAL},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        zlay_layout *a = NULL;
        char *text = repeated(row[r].head, row[r].part, row[r].count, row[r].tail);
        zlay_status status = zlay_layout_parse(*state, &a, text, strlen(text));
        if (status != row[r].status)
            fail_msg("%s%s...: %s, %s", row[r].head, row[r].part, zlay_status_name(status),
                     zlay_ctx_message(*state));
        zlay_layout_free(a);
        free(text);
    }
}

static void nesting(void **state)
{
    for (size_t depth = 63; depth <= 66; depth++) {
        zlay_layout *a = NULL;
        char *open = repeated("{ [i] -> [", "(", depth, "i"), *close = repeated("", ")", depth, "");
        char *text = malloc(strlen(open) + strlen(close) + 64);
        sprintf(text, "%s%s] : 0 <= i < 4 }", open, close);
        assert_int_equal(zlay_layout_parse(*state, &a, text, strlen(text)),
                         depth <= 64 ? ZLAY_OK : ZLAY_ELIMIT);
        zlay_layout_free(a);
        free(open);
        free(close);
        free(text);
    }
}

/* Divisions of different numerators: more than there may be, and a different one a level. */
static void many_divisions(void **state)
{
    char *text = malloc(200000), *at = text;
    zlay_layout *a = NULL;
    at += sprintf(at, "{ [i] -> [0");
    for (int i = 0; i < 1000; i++) at += sprintf(at, " + floor((%di)/10007)", i + 2);
    sprintf(at, "] : 0 <= i < 4 }");
    assert_int_equal(zlay_layout_parse(*state, &a, text, strlen(text)), ZLAY_ELIMIT);
    assert_null(a);
    free(text);
}

/* As many cases as there may be, and one more. */
static void many_cases(void **state)
{
    for (int more = 0; more < 2; more++) {
        char *text = malloc(100000), *at = text + sprintf(text, "{ [i] -> [i] : i = 0");
        zlay_layout *a = NULL;
        for (int k = 1; k < 4096 + more; k++) at += sprintf(at, " or i = %d", 2 * k);
        strcpy(at, " }");
        assert_int_equal(zlay_layout_parse(*state, &a, text, strlen(text)),
                         more ? ZLAY_ELIMIT : ZLAY_OK);
        zlay_layout_free(a);
        free(text);
    }
}

static void mutated(void **state)
{
    static const char *const seeds[] = {
        "{ [i,j] -> [64i + j, floor((i + 3)/2) mod 4] : 0 <= i < 8 and 0 <= j < 64 } # box 8,64",
        "[N] -> { [i] -> [min(i, N) + 2*(i % 3)] : exists (e: i = 2e) and not (i > 5 or i < 2) }",
        "{ [i] -> [o] : 2o <= i <= 2o + 1 and 0 <= i < 9; [i = 12, j] -> [i // 3] : j = 3 }",
    };
    static const char bytes[] = "{}[]()<>=!:;,+-*/%#0123456789ijeoN and or not exists mod floor min\n";
    uint64_t seed = test_seed("mutated"), count = test_iterations(20000), good = 0;
    for (uint64_t n = 0; n < count; n++) {
        char text[256];
        const char *from = seeds[n % 3];
        size_t length = strlen(from);
        memcpy(text, from, length);
        for (int64_t k = test_range(&seed, 1, 4); k > 0; k--)
            text[test_random(&seed) % length] = bytes[test_random(&seed) % (sizeof bytes - 1)];
        zlay_layout *a = NULL;
        zlay_status status = zlay_layout_parse(*state, &a, text, length);
        assert_true((a != NULL) == !status);
        if (status && !*zlay_ctx_message(*state)) fail_msg("%.*s", (int)length, text);
        good += !status;
        zlay_layout_free(a);
    }
    assert_true(good > count / 50);
}

/* ---- parameters ------------------------------------------------------------------------------- */

static void bound(void **state)
{
    static const char *const n[] = {"N"}, *const both[] = {"M", "N"}, *const twice[] = {"N", "N"};
    static const int64_t three[] = {3}, mn[] = {2, 3}, six = 6;
    zlay_layout *b, *a = read_layout(*state, "[N, M] -> { [i] -> [10N + M + i] : 1 <= i < N + 1 }");
    assert_string_equal(zlay_layout_param_nth(a, 0), "N");
    assert_string_equal(zlay_layout_param_nth(a, 1), "M");
    assert_null(zlay_layout_param_nth(a, 2));
    assert_null(zlay_layout_param_nth(NULL, 0));
    assert_int_equal(zlay_layout_size(a), 0);
    assert_int_equal(zlay_layout_bind(*state, &b, a, 2, both, mn), ZLAY_OK);
    assert_values(*state, b, "bound", (const int64_t[]){33, 34, 35}, 3);
    zlay_layout_free(b);
    assert_int_equal(zlay_layout_bind(*state, &b, a, 1, n, three), ZLAY_OK);
    assert_string_equal(zlay_layout_param_nth(b, 0), "M");
    assert_null(zlay_layout_param_nth(b, 1));
    zlay_layout_free(b);
    assert_int_equal(zlay_layout_bind(*state, &b, a, 2, twice, mn), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_bind(*state, &b, a, 1, n, &(int64_t){0}), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_bind(*state, &b, a, 1, (const char *const[]){"K"}, &six), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_bind(*state, &b, a, 1, NULL, &six), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_bind(*state, &b, NULL, 0, NULL, NULL), ZLAY_EINVAL);
    assert_null(b);
    assert_int_equal(zlay_layout_bind(*state, &b, a, 1, n, &(int64_t){INT64_MAX}), ZLAY_EOVERFLOW);
    zlay_layout_free(a);
}

/* Every point of bound layouts against the text with the numbers written in. */
static void bound_at_random(void **state)
{
    static const char *const text[] = {
        "[N, M] -> { [i] -> [10*N + M + i] : M <= i < N + M }",
        "[N, M] -> { [i, j] -> [i + floor((j + N)/3)] : 0 <= i < N and M <= j < 2*M and i <= j }",
        "[N, M] -> { [i] -> [i mod 3] : 0 <= i < N; [i] -> [M] : N <= i < N + M }",
        "[N, M] -> { [i, j] -> [min(i, M), max(j, N)] : 0 <= i < 5 and 2 <= j < 6 }",
    };
    static const char *const names[] = {"N", "M"};
    uint64_t seed = test_seed("bound_at_random"), count = test_iterations(200);
    for (uint64_t n = 0; n < count; n++) {
        int64_t value[2] = {test_range(&seed, 1, 9), test_range(&seed, 1, 9)};
        const char *from = text[n % 4];
        char plain[512], *at = plain;
        zlay_layout *b;
        for (const char *c = strchr(from, '{'); *c; c++)
            at += *c == 'N' ? sprintf(at, "%d", (int)value[0])
                  : *c == 'M' ? sprintf(at, "%d", (int)value[1])
                              : sprintf(at, "%c", *c);
        zlay_layout *a = read_layout(*state, from), *want = read_layout(*state, plain);
        if (zlay_layout_bind(*state, &b, a, 2, names, value))
            fail_msg("%s: %s", plain, zlay_ctx_message(*state));
        assert_int_equal(zlay_layout_size(b), zlay_layout_size(want));
        for (uint64_t i = 0; i < zlay_layout_size(want); i++) {
            int64_t x[2] = {0}, y[2] = {0};
            assert_int_equal(zlay_layout_eval(x, 2, b, i), zlay_layout_eval(y, 2, want, i));
            if (memcmp(x, y, sizeof x)) fail_msg("%s at %d", plain, (int)i);
        }
        zlay_layout_free(a);
        zlay_layout_free(b);
        zlay_layout_free(want);
    }
}

/* ---- pieces from matrices ------------------------------------------------------------------------ */

static void from_matrices(void **state)
{
    static const char *const first[] = {"x0 < 2", "x1 > 0 or x0 = 0"}, *const second[] = {"x1 = 0"};
    static const char *const bad[] = {"x2 < 2"};
    static const int64_t a[] = {1, 2}, b[] = {5}, c[] = {0, 0}, d[] = {70};
    static const uint64_t box[] = {3, 2}, empty[] = {3, 0};
    const zlay_piece piece[] = {{a, b, first, 2}, {c, d, second, 1}}, wrong = {a, b, bad, 1};
    zlay_layout *made;
    assert_int_equal(zlay_layout_new_pieces(*state, &made, 2, box, 1, 2, piece), ZLAY_OK);
    assert_values(*state, made, "matrices", (const int64_t[]){5, 70, 70, 7, 8, U}, 6);
    zlay_layout_free(made);
    assert_int_equal(zlay_layout_new_pieces(*state, &made, 2, box, 1, 1, &wrong), ZLAY_EINVAL);
    assert_non_null(strstr(zlay_ctx_message(*state), "byte 0: 'x2'"));
    assert_int_equal(zlay_layout_new_pieces(*state, &made, 2, empty, 1, 2, piece), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_new_pieces(*state, &made, 2, box, 0, 2, piece), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_new_pieces(*state, &made, 2, NULL, 1, 2, piece), ZLAY_EINVAL);
    assert_null(made);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static zlay_status work(zlay_ctx *ctx, void *unused)
{
    (void)unused;
    static const char text[] =
        "[N] -> { [i] -> [min(i, N) + i mod 3] : 0 <= i < 9 and not (i = 4 or i > 6); [i] -> [o] : "
        "2o <= i <= 2o + 1 and 9 <= i < 12; [i] -> [7] : exists (e: i = 3e and 12 <= i < 30)"
#if ZL_ENGINES
        "; [i] -> [7] : exists (e, f: i = 2e + 3f and 0 <= e and 0 <= f and 27 <= i < 36) and "
        "i mod 3 = 0"
#endif
        " }";
    static const char *const name[] = {"N"}, *const guard[] = {"x0 < 2 or x0 mod 2 = 1"};
    static const int64_t value[] = {3}, a[] = {2}, b[] = {1};
    static const uint64_t box[] = {8};
    const zlay_piece piece = {a, b, guard, 1};
    zlay_layout *parsed = NULL, *bound_one = NULL, *made = NULL;
    zlay_status status = zlay_layout_parse(ctx, &parsed, text, sizeof text - 1);
    if (!status) status = zlay_layout_bind(ctx, &bound_one, parsed, 1, name, value);
    if (!status) status = zlay_layout_new_pieces(ctx, &made, 1, box, 1, 1, &piece);
    zlay_layout_free(parsed);
    zlay_layout_free(bound_one);
    zlay_layout_free(made);
    return status;
}

static void each_allocation_fails(void **state)
{
    (void)state;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, work, NULL), ZLAY_OK);
    assert_true(h.calls > 7);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meaning), cmocka_unit_test(canonical), cmocka_unit_test(refused),
        cmocka_unit_test(hostile), cmocka_unit_test(nesting), cmocka_unit_test(many_divisions),
        cmocka_unit_test(many_cases), cmocka_unit_test(mutated), cmocka_unit_test(bound),
        cmocka_unit_test(bound_at_random), cmocka_unit_test(from_matrices),
        cmocka_unit_test(each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
