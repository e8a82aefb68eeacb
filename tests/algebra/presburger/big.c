/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes that nobody enumerates: the symbolic roads, sampled against the definition; what leaves a
 * box there; sizes near 2^63; and every allocation refused once. */
#include "heap_layouts.h"
#include "call.h"

#include <string.h>
#include <zlay/pieces.h>

/* ---- large strided and swizzled layouts, read plainly ------------------------------------- */

typedef struct large {
    int64_t shape[3], stride[3], offset;
    int swizzle[3];
    char text[300];
} large;

static int64_t at(const large *d, int64_t index)
{
    int64_t v = d->offset, out;
    for (int i = 0; i < 3; i++) {
        v += (i < 2 ? index % d->shape[i] : index) * d->stride[i];
        index /= d->shape[i];
    }
    out = v;
    for (int b = 0; b < d->swizzle[0]; b++)
        out ^= (v >> (d->swizzle[1] + d->swizzle[2] + b) & 1) << (d->swizzle[1] + b);
    return out;
}

static uint64_t size_of(const large *d)
{
    return (uint64_t)d->shape[0] * (uint64_t)d->shape[1] * (uint64_t)d->shape[2];
}

static void write_text(large *d)
{
    char *to = d->text;
    if (d->swizzle[0])
        to += sprintf(to, "Sw<%d,%d,%d> o ", d->swizzle[0], d->swizzle[1], d->swizzle[2]);
    sprintf(to, "%lld o (%lld,%lld,%lld):(%lld,%lld,%lld)", (long long)d->offset,
            (long long)d->shape[0], (long long)d->shape[1], (long long)d->shape[2],
            (long long)d->stride[0], (long long)d->stride[1], (long long)d->stride[2]);
}

static zlay_layout *draw(zlay_ctx *ctx, uint64_t *seed, large *d, bool swizzle)
{
    memset(d, 0, sizeof *d);
    for (int i = 0; i < 3; i++) {
        d->shape[i] = test_range(seed, 1 << 10, 1 << 14);
        d->stride[i] = test_range(seed, 0, 1 << 10);
    }
    d->offset = test_range(seed, 0, 1000);
    if (swizzle) {
        d->swizzle[0] = (int)test_range(seed, 1, 3);
        d->swizzle[1] = (int)test_range(seed, 0, 5);
        d->swizzle[2] = (int)test_range(seed, d->swizzle[0], 6);
    }
    write_text(d);
    return read_layout(ctx, d->text);
}

static int64_t value(const zlay_layout *a, uint64_t index)
{
    int64_t v = 0;
    assert_int_equal(zlay_layout_eval(&v, 1, a, index), ZLAY_OK);
    return v;
}

enum { SAMPLES = 100 };

static void composed(void **state)
{
    uint64_t seed = test_seed("large compositions"), pieces = 0;
    for (uint64_t n = 0; n < test_iterations(300); n++) {
        large a, b;
        bool s = test_range(&seed, 0, 1), t = test_range(&seed, 0, 1);
        zlay_layout *p = draw(*state, &seed, &a, s), *q = draw(*state, &seed, &b, t), *c = NULL;
        zlay_status status = zlay_layout_compose(*state, &c, p, q);
        if (status) fail_msg("%s o %s: %s", a.text, b.text, zlay_ctx_message(*state));
        assert_int_equal(zlay_layout_size(c), size_of(&b));
        for (int i = 0; i < SAMPLES; i++) {
            uint64_t x = test_random(&seed) % size_of(&b);
            if (value(c, x) != at(&a, at(&b, (int64_t)x)))
                fail_msg("%s o %s at %llu", a.text, b.text, (unsigned long long)x);
        }
        pieces += zlay_layout_kind(c) == ZLAY_LAYOUT_PIECES;
        zlay_layout_free(c);
        zlay_layout_free(q);
        zlay_layout_free(p);
    }
    assert_true(pieces > test_iterations(200));
}

/* ---- along a mode --------------------------------------------------------------------------- */

static int64_t join(const int64_t *shape, const int64_t *x)
{
    return x[0] + shape[0] * (x[1] + shape[1] * x[2]);
}

static void sample(uint64_t *seed, const zlay_layout *made, const large *a, int mode,
                   int64_t extent, int64_t begin, int64_t step, const char *what)
{
    int64_t shape[3], x[3], old[3], v = 0;
    for (int i = 0; i < 3; i++) shape[i] = i == mode ? extent : a->shape[i];
    for (int i = 0; i < SAMPLES; i++) {
        for (int d = 0; d < 3; d++) old[d] = x[d] = test_range(seed, 0, shape[d] - 1);
        old[mode] = begin + step * x[mode];
        bool there = old[mode] >= 0 && old[mode] < a->shape[mode];
        zlay_status status = zlay_layout_eval(&v, 1, made, (uint64_t)join(shape, x));
        if (status != (there ? ZLAY_OK : ZLAY_NONE) || (there && v != at(a, join(a->shape, old))))
            fail_msg("%s %s, mode %d, at %lld", what, a->text, mode, (long long)join(shape, x));
    }
}

static void changed(void **state)
{
    uint64_t seed = test_seed("large flips, slices, pads");
    for (uint64_t n = 0; n < test_iterations(200); n++) {
        large a;
        zlay_layout *p = draw(*state, &seed, &a, test_range(&seed, 0, 1)), *up = NULL;
        zlay_layout *flip = NULL, *slice = NULL, *pad = NULL;
        int mode = (int)test_range(&seed, 0, 2);
        int64_t extent = a.shape[mode], first = test_range(&seed, 0, 99), step = 7;
        zlay_slice by = {(uint64_t)mode, first, extent, step};
        zlay_pad around = {(uint64_t)mode, 30, 900, ZLAY_PAD_UNDEFINED, 0};
        assert_int_equal(zlay_layout_lift(*state, &up, p), ZLAY_OK);
        const zlay_layout *from = n % 2 ? up : p;
        assert_int_equal(zlay_layout_flip(*state, &flip, from, (size_t)mode), ZLAY_OK);
        assert_int_equal(zlay_layout_slice(*state, &slice, from, &by), ZLAY_OK);
        assert_int_equal(zlay_layout_pad(*state, &pad, from, &around), ZLAY_OK);
        sample(&seed, flip, &a, mode, extent, extent - 1, -1, "flip");
        sample(&seed, slice, &a, mode, (extent - first + step - 1) / step, first, step, "slice");
        sample(&seed, pad, &a, mode, extent + 930, -30, 1, "pad");
        if (!a.swizzle[0]) {
            assert_int_equal(zlay_layout_kind(flip), ZLAY_LAYOUT_STRIDED);
            assert_int_equal(zlay_layout_kind(slice), ZLAY_LAYOUT_STRIDED);
        }
        zlay_layout_free(pad);
        zlay_layout_free(slice);
        zlay_layout_free(flip);
        zlay_layout_free(up);
        zlay_layout_free(p);
    }
}

/* ---- results and refusals as a table ---------------------------------------------------------- */

static zlay_status halve(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b)
{
    zlay_slice by = {0, 1, 2, 2};
    uint64_t extent;
    (void)b;
    zlay_layout_box(&extent, 1, a);
    by.end = (int64_t)extent;
    return zlay_layout_slice(ctx, out, a, &by);
}

static zlay_status backwards(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_layout *b)
{
    zlay_slice by = {0, 5, -1, -2};
    (void)b;
    return zlay_layout_slice(ctx, out, a, &by);
}

static zlay_status no_points(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_layout *b)
{
    zlay_slice by = {0, 2, 2, 1};
    (void)b;
    return zlay_layout_slice(ctx, out, a, &by);
}

static zlay_status huge_pad(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const zlay_layout *b)
{
    zlay_pad by = {0, UINT64_MAX, 1, ZLAY_PAD_ZERO, 0};
    (void)b;
    return zlay_layout_pad(ctx, out, a, &by);
}

static zlay_status pad(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                       const zlay_layout *b)
{
    zlay_pad by = {0, 1, 2, ZLAY_PAD_UNDEFINED, 0};
    (void)b;
    return zlay_layout_pad(ctx, out, a, &by);
}

static zlay_status odd(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                       const zlay_layout *b)
{
    static const char text[] = "x0 mod 2 = 1 or x0 > 5";
    (void)b;
    return zlay_layout_restrict(ctx, out, a, text, sizeof text - 1);
}

static zlay_status unreadable(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b)
{
    static const char text[] = "x0 <> 5";
    (void)b;
    return zlay_layout_restrict(ctx, out, a, text, sizeof text - 1);
}

static zlay_status lift(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                        const zlay_layout *b)
{
    (void)b;
    return zlay_layout_lift(ctx, out, a);
}

#define BITS20 \
    "f2{i: (1) (2) (4) (8) (16) (32) (64) (128) (256) (512) (1024) (2048) (4096) (8192) " \
    "(16384) (32768) (65536) (131072) (262144) (524289) -> o: 1048576}"

/* `want`: the text, or words of the message. */
static const struct { call *call; const char *a, *b; zlay_status status; const char *want; } rows[] = {
    {zlay_layout_compose, "(4,6,8):(2,3,5)", "6:3", 0,
     "{ [i0] -> [6i0 - 5*floor((3i0)/4)] : 0 <= i0 < 6 }"},
    {zlay_layout_compose, "(4,6,8):(2,3,5)", "6:1", 0,
     "{ [i0] -> [2i0 - 5*floor((i0)/4)] : 0 <= i0 < 6 }"},
    {zlay_layout_compose, "(6,3):(1,20)", "4:4", 0,
     "{ [i0] -> [4i0 + 14*floor((2i0)/3)] : 0 <= i0 < 4 }"},
    {zlay_layout_compose, "(3,9):(1,20)", "(1000000,1000000):(2,2)", 0,
     "{ [i0, i1] -> [2i0 + 2i1 + 17*floor((2i0 + 2i1)/3)] : 0 <= i0 < 1000000 and 0 <= i1 < "
     "1000000 }"},
    {zlay_layout_compose, "(3,8589934592):(1,20)", "3000000000000000000:3", ZLAY_EOVERFLOW, ""},
    {zlay_layout_compose, "(1048576,1048576):(1,1048576)",
     "{ [i] -> [i] : 0 <= i < 1099511627776 }", 0, "1099511627776:1"},
    {zlay_layout_compose, BITS20, "5000000:1", ZLAY_NONE, "index 1048576"},
    {zlay_layout_compose, BITS20, "(5000,1000):(1,-1)", ZLAY_NONE, "index 5000"},
    {zlay_layout_compose, BITS20, "(3,3000000):(1,0)", 0, "(3,3000000):(1,0)"},
    {zlay_layout_compose, "{ [i] -> [i] : 0 <= i < 9 }", "(3,3000000):(7,0)", ZLAY_NONE, "index 2"},
    {zlay_layout_compose_partial, "{ [i] -> [i] : 0 <= i < 9 }", "(3,3000000):(7,0)", 0,
     "{ [i0, i1] -> [7i0] : 0 <= i0 < 3 and 0 <= i1 < 3000000 and -i0 + 1 >= 0 } # box 3,3000000"},
    {zlay_layout_compose_partial, "{ [i] -> [i] : 0 <= i < 9 }", "4:3", 0,
     "{ [i0] -> [3i0] : 0 <= i0 < 4 and -i0 + 2 >= 0 } # box 4"},
    {zlay_layout_compose, "{ [i,j] -> [i + 100j] : 0 <= i < 9 and 0 <= j < 5 }",
     "{ [x] -> [x mod 3, 4 - x] : 0 <= x < 5 }", 0,
     "{ [i0] -> [-99i0 - 3*floor((i0)/3) + 400] : 0 <= i0 < 5 }"},
    {zlay_layout_compose, "{ [i,j,k] -> [i + 10j + 100k] : 0 <= i < 2 and 0 <= j < 3 and 0 <= k < 4 }",
     "{ [x] -> [1, x, 3 - x] : 0 <= x < 3 }", 0, "301 o 3:-90"},
    {zlay_layout_compose, "{ [i] -> [i + 3floor(i / 4) + 5floor(i / 6)] : 0 <= i < 12000000 }",
     "12000000:1", 0, "{ [i0] -> [i0 + 3*floor((i0)/4) + 5*floor((i0)/6)] : 0 <= i0 < 12000000 }"},
    {zlay_layout_compose, "{ [i] -> [i + 3floor(i / 4) + 5floor(i / 8)] : 0 <= i < 12000004 }",
     "12000004:1", 0, "{ [i0] -> [i0 + 3*floor((i0)/4) + 5*floor((i0)/8)] : 0 <= i0 < 12000004 }"},
    {zlay_layout_compose, "{ [i] -> [i + 3floor(i / 4) + 5floor(i / 8)] : 0 <= i < 12000000 }",
     "12000000:1", 0, "(4,2,1500000):(1,7,19)"},
    {flip, "(8,(2,4)):(1,(64,8))", NULL, 0, "7 o (8,(2,4)):(-1,(64,8))"},
    {flip, "9223372036854775807:1", NULL, 0, "9223372036854775806 o 9223372036854775807:-1"},
    {flip, "1 o 9223372036854775807:1", NULL, 0, "9223372036854775807 o 9223372036854775807:-1"},
    {flip, "{ [i] -> [i] : 0 <= i < 1099511627776 }", NULL, 0,
     "1099511627775 o 1099511627776:-1"},
    {halve, "9223372036854775807:1", NULL, 0, "1 o 4611686018427387903:2"},
    {halve, "((2,4),3):((64,8),1)", NULL, 0, "64 o (4,3):(8,1)"},
    {backwards, "8:3", NULL, 0, "15 o 3:-6"},
    {no_points, "8:3", NULL, ZLAY_EINVAL, "no coordinate"},
    {huge_pad, "8:3", NULL, ZLAY_EOVERFLOW, "does not fit"},
    {zeros, "9223372036854775805:1", NULL, ZLAY_EOVERFLOW, ""},
    {pad, "3:5", NULL, 0,
     "{ [i0] -> [5i0 - 5] : 0 <= i0 < 6 and i0 - 1 >= 0 and -i0 + 3 >= 0 } # box 6"},
    {zeros, "3:5", NULL, 0, NULL},
    {concat, "8:2", "16 o 8:2", 0, "16:2"},
    {concat, "8:2", "(4,2)", ZLAY_EINVAL, "1 and 2 modes"},
    {concat, "8:2", "f2{i: (1,1) -> x: 2, y: 2}", ZLAY_EINVAL, "outputs"},
    {concat, "80000000:2", "160000000 o 80000000:2", 0, "160000000:2"},
    {odd, "8:2", NULL, 0, NULL},
    {unreadable, "8:2", NULL, ZLAY_EINVAL, "byte"},
    {zlay_layout_union, "{ [i] -> [2i] : 0 <= i < 3 } # box 8",
     "{ [i] -> [2i] : 2 <= i < 8 } # box 8", 0, "8:2"},
    {zlay_layout_union, "{ [i] -> [2i] : 0 <= i < 3 } # box 8",
     "{ [i] -> [i] : 2 <= i < 8 } # box 8", ZLAY_EINVAL, "[2]"},
    {zlay_layout_union, "8:1", "(2,4):(1,2)", ZLAY_EINVAL, "modes"},
    {lift, "Sw<2,0,3> o 0 o (3,64)", NULL, 0, NULL},
    {lift, "f2{a: (1,0) (1,1); b: (0,2) -> x: 2, y: 4}", NULL, 0, NULL},
};

static void table(void **state)
{
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *a = read_layout(*state, rows[r].a), *b = read_layout(*state, rows[r].b);
        zlay_layout *out = NULL;
        zlay_status status = rows[r].call(*state, &out, a, b);
        if (status != rows[r].status)
            fail_msg("row %d, %s: %s, %s", (int)r, rows[r].a, zlay_status_name(status),
                     zlay_ctx_message(*state));
        if (!status && rows[r].want) assert_text(out, rows[r].want);
        else if (status && !strstr(zlay_ctx_message(*state), rows[r].want))
            fail_msg("row %d, %s: %s", (int)r, rows[r].a, zlay_ctx_message(*state));
        assert_int_equal(status != 0, out == NULL);
        zlay_layout_free(out);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

/* ---- the k-th allocation ------------------------------------------------------------------------ */

static zlay_status called(zlay_ctx *ctx, void *given)
{
    const operands *t = given;
    zlay_layout *out = given;
    zlay_status status = rows[t->row].call(ctx, &out, t->a, t->b);
    if (status) assert_null(out);
    zlay_layout_free(out);
    return status;
}

static void every_allocation(void **state)
{
    heap h;
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        assert_int_equal(layouts_fail_each(&h, NULL, called, r, rows[r].a, rows[r].b), rows[r].status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composed), cmocka_unit_test(changed), cmocka_unit_test(table),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
