/* SPDX-License-Identifier: Apache-2.0 */
/* Small worlds of lifts: all F2 maps of up to 3 x 3 bits, in `make exhaustive` of 4 x 4, and all
 * swizzles with base + bits + |shift| <= 8, there 10; every value against the bits. */
#include "layouts/layout.h"

#include <zlay/pieces.h>

static void check_lift(zlay_ctx *ctx, const char *text, uint64_t size,
                       int64_t (*value)(const void *, uint64_t), const void *env)
{
    zlay_layout *a = read_layout(ctx, text), *up = NULL;
    assert_int_equal(zlay_layout_lift(ctx, &up, a), ZLAY_OK);
    assert_int_equal(zlay_layout_kind(up), ZLAY_LAYOUT_PIECES);
    assert_int_equal(zlay_layout_size(up), size);
    for (uint64_t x = 0; x < size; x++)
        if (layout_at(up, x) != value(env, x)) fail_msg("%s at %d", text, (int)x);
    zlay_layout_free(up);
    zlay_layout_free(a);
}

/* Column k of a map is four bits of its number. */
typedef struct columns {
    int out;
    uint64_t number;
} columns;

static int64_t linear(const void *env, uint64_t x)
{
    const columns *c = env;
    int64_t value = 0;
    for (int k = 0; x >> k; k++)
        if (x >> k & 1) value ^= (int64_t)(c->number >> (c->out * k) & ((1u << c->out) - 1));
    return value;
}

static uint64_t all_maps(zlay_ctx *ctx, int in, int out)
{
    uint64_t count = (uint64_t)1 << (in * out);
    for (uint64_t n = 0; n < count; n++) {
        columns c = {out, n};
        char text[200], *at = text + sprintf(text, "f2{i:");
        for (int k = 0; k < in; k++)
            at += sprintf(at, " (%d)", (int)(n >> (out * k) & ((1u << out) - 1)));
        sprintf(at, " -> o: %d}", 1 << out);
        check_lift(ctx, text, (uint64_t)1 << in, linear, &c);
    }
    return count;
}

static void maps(void **state)
{
    int most = test_exhaustive() ? 4 : 3;
    uint64_t count = 0;
    for (int in = 1; in <= most; in++)
        for (int out = 1; out <= most; out++) count += all_maps(*state, in, out);
    printf("%llu maps\n", (unsigned long long)count);
    assert_int_equal(count, most == 4 ? 74954 : 682);
}

static int64_t swizzle(const void *env, uint64_t x)
{
    const int *s = env;
    uint64_t value = x;
    for (int b = 0; b < s[0]; b++) {
        int from = s[1] + b + (s[2] > 0 ? s[2] : 0), to = s[1] + b - (s[2] < 0 ? s[2] : 0);
        value ^= (x >> from & 1) << to;
    }
    return (int64_t)value;
}

static void swizzles(void **state)
{
    int most = test_exhaustive() ? 10 : 8, count = 0;
    for (int bits = 1; 2 * bits <= most; bits++)
        for (int shift = bits; bits + shift <= most; shift++)
            for (int base = 0; bits + base + shift <= most; base++)
                for (int sign = -1; sign < 2; sign += 2, count++) {
                    int s[3] = {bits, base, sign * shift};
                    char text[100];
                    sprintf(text, "Sw<%d,%d,%d> o 0 o %d", s[0], s[1], s[2], 1 << most);
                    check_lift(*state, text, (uint64_t)1 << most, swizzle, s);
                }
    printf("%d swizzles\n", count);
    assert_true(count > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(maps), cmocka_unit_test(swizzles)};
    return cmocka_run_group_tests(tests, begin, end);
}
