/* SPDX-License-Identifier: Apache-2.0 */
/* A small world of isl text, whole: every floor((a i + b)/c) on every stripe (i + d) mod m = r of
 * every interval, written as an expression, as an output between bounds and as an exists, against the
 * formula evaluated here.  The whole world under ZLAY_EXHAUSTIVE, else one text in 40. */
#include "layouts/layout.h"

typedef struct map {
    int a, b, c, d, m, r, low, high;
} map;

static int floor_div(int x, int n) { return x / n - (x % n < 0); }
static int mod(int x, int n) { return x - n * floor_div(x, n); }

static bool is_defined(const map *x, int i)
{
    return i >= x->low && i < x->high && mod(i + x->d, x->m) == x->r;
}

static int value(const map *x, int i) { return floor_div(x->a * i + x->b, x->c); }

static void write_text(char *text, const map *x, int form)
{
    static const char *const values[] = {"{ [i] -> [floor((%d*i + %d)/%d)] : ",
                                         "{ [i] -> [o] : %d*i + %d - %d < %d*o <= %d*i + %d and "};
    char *at = text;
    if (form) at += sprintf(at, values[1], x->a, x->b, x->c, x->c, x->a, x->b);
    else at += sprintf(at, values[0], x->a, x->b, x->c);
    at += sprintf(at, "%d <= i < %d and ", x->low, x->high);
    if (form < 2) sprintf(at, "(i + %d) mod %d = %d }", x->d, x->m, x->r);
    else sprintf(at, "exists (e: i + %d = %d*e + %d) }", x->d, x->m, x->r);
}

static void check_points(const zlay_layout *a, const map *x, const char *text)
{
    int low = x->low, high = x->high;
    while (!is_defined(x, low)) low++;
    while (!is_defined(x, high - 1)) high--;
    if (zlay_layout_size(a) != (uint64_t)(high - low)) fail_msg("%s: the box", text);
    for (int i = low; i < high; i++) {
        int64_t got = 0;
        zlay_status status = zlay_layout_eval(&got, 1, a, (uint64_t)(i - low));
        if (status != (is_defined(x, i) ? ZLAY_OK : ZLAY_NONE)) fail_msg("%s: i = %d", text, i);
        if (!status && got != value(x, i)) fail_msg("%s: i = %d: %d", text, i, (int)got);
    }
}

static bool is_empty(const map *x)
{
    for (int i = x->low; i < x->high; i++)
        if (is_defined(x, i)) return false;
    return true;
}

static void check_map(zlay_ctx *ctx, const map *x, int form)
{
    char text[256], printed[1024], twice[1024];
    zlay_layout *a = NULL;
    write_text(text, x, form);
    zlay_status status = zlay_layout_parse(ctx, &a, text, strlen(text));
    if (is_empty(x)) {
        if (status != ZLAY_EINVAL) fail_msg("%s: not empty", text);
        return;
    }
    if (status) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    check_points(a, x, text);
    zlay_layout *again = read_layout(ctx, layout_text(printed, a));
    check_points(again, x, printed);
    assert_string_equal(layout_text(twice, again), printed);
    zlay_layout_free(again);
    zlay_layout_free(a);
}

static void all_stripes(void **state)
{
    uint64_t seed = test_seed("all_stripes"), count = 0;
    uint64_t one_in = test_exhaustive() ? 1 : 40;
    for (int a = -3; a <= 3; a++)
        for (int b = -4; b <= 4; b++)
            for (int c = 2; c <= 5; c++)
                for (int d = 0; d <= 2; d++)
                    for (int m = 1; m <= 4; m++)
                        for (int r = 0; r < m; r++)
                            for (int low = -3; low <= 1; low += 2)
                                for (int size = 1; size <= 9; size += 4)
                                    for (int form = 0; form < 3; form++) {
                                        map x = {a, b, c, d, m, r, low, low + size};
                                        if (test_random(&seed) % one_in) continue;
                                        check_map(*state, &x, form);
                                        count++;
                                    }
    printf("%d texts\n", (int)count);
    assert_true(count > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_stripes)};
    return cmocka_run_group_tests(tests, begin, end);
}
