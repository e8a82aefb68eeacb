/* SPDX-License-Identifier: Apache-2.0 */
/* Operations with parameters: numbers put in afterwards give what numbers put in before give. */
#include "call.h"

#include <zlay/pieces.h>

static zlay_status slice(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b)
{
    zlay_slice by = {1, 3, -1, -2};
    (void)b;
    return zlay_layout_slice(ctx, out, a, &by);
}

static zlay_status holes(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b)
{
    zlay_pad by = {0, 1, 2, ZLAY_PAD_UNDEFINED, 0};
    (void)b;
    return zlay_layout_pad(ctx, out, a, &by);
}

static zlay_status odd(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                       const zlay_layout *b)
{
    static const char text[] = "x0 mod 3 = 1";
    (void)b;
    return zlay_layout_restrict(ctx, out, a, text, sizeof text - 1);
}

static const struct { call *call; const char *a, *b; } rows[] = {
    {zlay_layout_compose, "8:2", "[N] -> { [i, j] -> [i + 3j + N] : 0 <= i < N and 0 <= j < 4 }"},
    {zlay_layout_compose, "[N] -> { [i] -> [3i + N] : 0 <= i < N }",
     "[N] -> { [i] -> [N - 1 - i] : 0 <= i < N }"},
    {zlay_layout_compose, "[N] -> { [i, j] -> [i + N] : 0 <= i < 4 and 0 <= j < N }",
     "[N] -> { [i] -> [i] : 0 <= i < 4N }"},
    {zlay_layout_compose, "Sw<2,0,2> o 0 o 64", "[N] -> { [i] -> [3i + N] : 0 <= i < 9 }"},
    {zlay_layout_compose, "(3,5):(7,1)", "[N] -> { [i] -> [i - N] : 0 <= i < 9 }"},
    {flip, "[N] -> { [i] -> [i + N] : 0 <= i < 8 }", NULL},
    {flip, "[N] -> { [i, j] -> [i + 3j] : 0 <= i < 2N + 1 and 0 <= j < 3 }", NULL},
    {slice, "[N] -> { [i, j] -> [i + 3j + N - floor(j / 2)] : 0 <= i < N and 0 <= j < 5 }", NULL},
    {slice, "[N] -> { [i, j] -> [i + 3j] : 0 <= i < N and 0 <= j < 5 }", NULL},
    {zeros, "[N] -> { [i] -> [2i + 5] : 0 <= i < N }", NULL},
    {zeros, "[N] -> { [i] -> [2i + N] : 0 <= i < 4 }", NULL},
    {holes, "[N] -> { [i] -> [2i + N] : 0 <= i < 4 }", NULL},
    {concat, "[N] -> { [i] -> [2i] : 0 <= i < N }", "100 o 8:3"},
    {concat, "100 o 8:3", "[N] -> { [i] -> [2i] : 0 <= i < N }"},
    {concat, "[N] -> { [i] -> [2i] : 0 <= i < N }", "[N] -> { [i] -> [i + N] : 0 <= i < 2N }"},
    {odd, "[N] -> { [i] -> [2i + N] : 0 <= i < 8 }", NULL},
};

static zlay_layout *bound(zlay_ctx *ctx, const zlay_layout *a, int64_t n)
{
    static const char *const name[] = {"N"};
    zlay_layout *out = NULL;
    size_t count = a && zlay_layout_param_nth(a, 0) ? 1 : 0;
    if (!a) return NULL;
    if (zlay_layout_bind(ctx, &out, a, count, name, &n)) fail_msg("%s", zlay_ctx_message(ctx));
    return out;
}

static void check(zlay_ctx *ctx, size_t r, const zlay_layout *a, const zlay_layout *b,
                  const zlay_layout *made, int64_t n)
{
    zlay_layout *x = bound(ctx, a, n), *y = bound(ctx, b, n), *late = bound(ctx, made, n);
    zlay_layout *early = NULL;
    int64_t v[2] = {0}, w[2] = {0};
    zlay_status status = rows[r].call(ctx, &early, x, y);
    if (status) fail_msg("row %d, N %d: %s", (int)r, (int)n, zlay_ctx_message(ctx));
    assert_int_equal(zlay_layout_size(early), zlay_layout_size(late));
    for (uint64_t i = 0; i < zlay_layout_size(early); i++) {
        status = zlay_layout_eval(v, 2, early, i);
        if (zlay_layout_eval(w, 2, late, i) != status || (!status && v[0] != w[0]))
            fail_msg("row %d, N %d, index %d", (int)r, (int)n, (int)i);
    }
    zlay_layout_free(early);
    zlay_layout_free(late);
    zlay_layout_free(y);
    zlay_layout_free(x);
}

static void both_ways(void **state)
{
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *a = read_layout(*state, rows[r].a), *made = NULL;
        zlay_layout *b = read_layout(*state, rows[r].b);
        zlay_status status = rows[r].call(*state, &made, a, b);
        if (status) fail_msg("row %d: %s", (int)r, zlay_ctx_message(*state));
        for (int64_t n = 1; n <= 7; n++) check(*state, r, a, b, made, n);
        zlay_layout_free(made);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

static const struct { call *call; const char *a, *b; zlay_status status; const char *word; }
refusals[] = {
    {zlay_layout_compose, "[N] -> { [i] -> [2i] : 0 <= i < N }",
     "[N] -> { [i] -> [N - i] : 0 <= i < N }", ZLAY_NONE, "outside the box of a"},
    {holes, "[N] -> { [i] -> [2i] : 0 <= i < N }", NULL, ZLAY_ENOTSUP, "N"},
    {odd, "[N] -> { [i] -> [2i] : 0 <= i < N }", NULL, ZLAY_ENOTSUP, "parameter N"},
    {zlay_layout_union, "[N] -> { [i] -> [i + N] : 0 <= i < 8 }", "8:1", ZLAY_ENOTSUP,
     "parameter N"},
    {flip, "[N] -> { [i] -> [i] : 0 <= i < N and i mod 2 = 0 }", NULL, ZLAY_ENOTSUP, "as N"},
};

static void refused(void **state)
{
    for (size_t r = 0; r < sizeof refusals / sizeof refusals[0]; r++) {
        zlay_layout *a = read_layout(*state, refusals[r].a), *made = NULL;
        zlay_layout *b = read_layout(*state, refusals[r].b);
        zlay_status status = refusals[r].call(*state, &made, a, b);
        if (status != refusals[r].status ||
            !strstr(zlay_ctx_message(*state), refusals[r].word))
            fail_msg("row %d: %s, %s", (int)r, zlay_status_name(status),
                     zlay_ctx_message(*state));
        assert_null(made);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, begin, end);
}
