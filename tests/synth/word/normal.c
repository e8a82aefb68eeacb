/* SPDX-License-Identifier: Apache-2.0 */
/* The swizzle normal form: every swizzle of few bits is its own, and forms of random layouts are
 * multiplied out by CuTe's formula and are canonical, so they are the only ones. */
#include "heap_layouts.h"
#include "layouts/layout.h"

#include <zlay/f2.h>
#include <zlay/normal.h>

enum { ATOMS = 2048, BITS = 12 };

static int64_t swizzled(zlay_atom a, int64_t x)
{
    uint64_t v = (uint64_t)x, mask = ((uint64_t)1 << a.bits) - 1;
    return (int64_t)(v ^ (v >> (a.base + a.shift) & mask) << a.base);
}

static zlay_normal *normal_of(zlay_ctx *ctx, const zlay_layout *a)
{
    zlay_normal *n = NULL;
    zlay_status status = zlay_swizzle_normal(ctx, &n, a);
    if (status) fail_msg("%d: %s", status, zlay_ctx_message(ctx));
    return n;
}

/* Shifts rise, bases of one shift fall, and pieces of one run are as long as they can be. */
static void assert_canonical(const zlay_atom *a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(a[i].bits >= 1 && a[i].bits <= a[i].shift && a[i].base >= 0);
        if (i + 1 == count) continue;
        assert_true(a[i].shift <= a[i + 1].shift);
        if (a[i].shift < a[i + 1].shift) continue;
        int32_t end = a[i + 1].base + a[i + 1].bits;
        assert_true(end <= a[i].base);
        if (end == a[i].base) assert_int_equal(a[i + 1].bits, a[i + 1].shift);
    }
}

/* Values of a unit, after the swizzles of a side. */
static int64_t side_at(const zlay_atom *a, size_t count, int64_t x)
{
    for (size_t i = count; i-- > 0;) x = swizzled(a[i], x);
    return x;
}

static void assert_form(zlay_ctx *ctx, const zlay_layout *layout)
{
    static zlay_atom offset[ATOMS], index[ATOMS];
    zlay_normal *n = normal_of(ctx, layout);
    const zlay_layout *strided = zlay_normal_strided(n);
    size_t outer = zlay_normal_swizzles(offset, ATOMS, n, ZLAY_NORMAL_OFFSET);
    size_t inner = zlay_normal_swizzles(index, ATOMS, n, ZLAY_NORMAL_INDEX);
    uint64_t size = zlay_layout_size(layout);
    assert_canonical(offset, outer);
    assert_canonical(index, inner);
    assert_int_equal(zlay_layout_kind(strided), ZLAY_LAYOUT_STRIDED);
    assert_int_equal(zlay_layout_size(strided), size);
    for (uint64_t i = 0; i < size; i++) {
        int64_t at = side_at(index, inner, (int64_t)i), out[8];
        assert_in_range(at, 0, size - 1);
        assert_int_equal(zlay_layout_eval(out, 8, layout, i), ZLAY_OK);
        assert_int_equal(side_at(offset, outer, layout_at(strided, (uint64_t)at)), out[0]);
    }
    int64_t zero = layout_at(strided, 0);
    for (uint64_t k = 1; k < size; k <<= 1) {
        int64_t to = layout_at(strided, k) ^ zero, moved = side_at(index, inner, (int64_t)k) ^ (int64_t)k;
        assert_false(to & (to - 1));
        for (uint64_t i = 1; i < size; i <<= 1) {
            int64_t of = layout_at(strided, i) ^ zero;
            assert_true(i == k || !of || of != to);
            if ((uint64_t)moved & i) assert_true(i < k && of > to);
        }
    }
    zlay_normal_free(n);
}

static void example(void **state)
{
    zlay_layout *a = read_layout(*state, "Sw<3,4,3> o 0 o 1024:1");
    zlay_normal *n = normal_of(*state, a);
    const char *name = NULL;
    zlay_atom atom;
    int32_t number = -1;
    assert_int_equal(zlay_normal_swizzles(&atom, 1, n, ZLAY_NORMAL_OFFSET), 1);
    assert_int_equal(zlay_normal_swizzles(NULL, 0, n, ZLAY_NORMAL_INDEX), 0);
    assert_true(atom.bits == 3 && atom.base == 4 && atom.shift == 3);
    assert_text(zlay_normal_strided(n), "1024:1");
    assert_int_equal(zlay_normal_hardware(&number, &name, n, 1), ZLAY_OK);
    assert_int_equal(number, 3);
    assert_string_equal(name, "128B");
    assert_int_equal(zlay_normal_hardware(&number, &name, n, 2), ZLAY_NONE);
    assert_int_equal(zlay_normal_hardware(&number, &name, n, 3), ZLAY_EINVAL);
    zlay_normal_free(n);
    zlay_layout_free(a);
}

/* Sw<B,M,S> of bits + base + |shift| <= 10: with a shift above 0 its form is itself. */
static void all_swizzles(void **state)
{
    int count = 0;
    for (int bits = 1; bits <= 10; bits++)
        for (int base = 0; bits + base <= 10; base++)
            for (int shift = -10; shift <= 10; shift++) {
                int far = shift < 0 ? -shift : shift;
                if (far < bits || bits + base + far > 10) continue;
                char text[64];
                sprintf(text, "Sw<%d,%d,%d> o 0 o 1024:1", bits, base, shift);
                zlay_layout *a = read_layout(*state, text);
                assert_form(*state, a);
                zlay_normal *n = normal_of(*state, a);
                zlay_atom atom[4] = {{0}};
                if (shift > 0) {
                    assert_int_equal(zlay_normal_swizzles(atom, 4, n, ZLAY_NORMAL_OFFSET), 1);
                    assert_int_equal(zlay_normal_swizzles(NULL, 0, n, ZLAY_NORMAL_INDEX), 0);
                    assert_true(atom[0].bits == bits && atom[0].base == base && atom[0].shift == shift);
                    assert_text(zlay_normal_strided(n), "1024:1");
                }
                zlay_normal_free(n);
                zlay_layout_free(a);
                count++;
            }
    printf("swizzles: %d\n", count);
    assert_true(count > 100);
}

/* Any bases: permutations, bijections, maps with a kernel, and signed strided layouts. */
static void random_layouts(void **state)
{
    uint64_t seed = test_seed("normal forms"), count = test_iterations(300);
    for (uint64_t i = 0; i < count; i++) {
        unsigned in = (unsigned)test_range(&seed, 0, BITS - 3), out = (unsigned)test_range(&seed, 1, BITS);
        uint64_t basis[BITS];
        zlay_dim from = {"x", (uint64_t)1 << in}, to = {"y", (uint64_t)1 << out};
        zlay_f2_bases bases = {sizeof bases, 0, 1, 1, &from, &to, basis};
        for (unsigned k = 0; k < in; k++)
            basis[k] = test_random(&seed) & (((uint64_t)1 << out) - 1) &
                       (test_range(&seed, 0, 2) ? UINT64_MAX : (uint64_t)1 << k % out);
        zlay_layout *a = NULL;
        assert_int_equal(zlay_f2_new(*state, &a, &bases), ZLAY_OK);
        assert_form(*state, a);
        zlay_layout_free(a);
    }
}

static void texts(void **state)
{
    static const char *const good[] = {
        "1:0", "8:1", "7 o 8:-1", "(8,8):(8,1)", "Sw<2,0,3> o 7 o (8,8):(8,-1)",
        "Sw<1,1,-2> o 1 o (4,(2,4)):(8,(-1,2))", "(4,4):(0,4)",
        "{ [i] -> [i + 2*(i mod 2) - 4*floor(i/4) + 4*floor(i/4)] : 0 <= i < 2 }",
        "{ [i,j] -> [8j + (i + 4 - 8*floor((i+4)/8))] : 0 <= i < 8 and 0 <= j < 4 }",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        zlay_layout *a = read_layout(*state, good[i]);
        assert_form(*state, a);
        zlay_layout_free(a);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *text;
        zlay_status status;
    } bad[] = {
        {"6:1", ZLAY_NONE},  {"(2,2):(1,1)", ZLAY_NONE}, {"4:-1", ZLAY_NONE}, {"2:-1", ZLAY_ENOTSUP},
        {"8:3", ZLAY_NONE},  {"(4,4):(ld,1)", ZLAY_ENOTSUP},
        {"[N] -> { [i] -> [i + N] : 0 <= i < 8 }", ZLAY_ENOTSUP},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_layout *a = read_layout(*state, bad[i].text);
        zlay_normal *n = (zlay_normal *)1;
        zlay_status status = zlay_swizzle_normal(*state, &n, a);
        if (status != bad[i].status) fail_msg("%s: %d %s", bad[i].text, status, zlay_ctx_message(*state));
        assert_null(n);
        assert_true(*zlay_ctx_message(*state));
        zlay_layout_free(a);
    }
    assert_int_equal(zlay_swizzle_normal(*state, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_normal_swizzles(NULL, 0, NULL, 0), 0);
    assert_null(zlay_normal_strided(NULL));
    zlay_normal_free(NULL);
}

static zlay_status normal(zlay_ctx *ctx, void *given)
{
    const operands *of = given;
    zlay_normal *n = NULL;
    zlay_status status = zlay_swizzle_normal(ctx, &n, of->a);
    zlay_normal_free(n);
    return status;
}

static void memory(void **state)
{
    (void)state;
    heap h;
    assert_int_equal(layouts_fail_each(&h, NULL, normal, 0, "Sw<2,0,3> o 7 o (8,8):(8,-1)", NULL), ZLAY_OK);
    assert_true(h.calls > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example), cmocka_unit_test(all_swizzles), cmocka_unit_test(random_layouts),
        cmocka_unit_test(texts), cmocka_unit_test(refusals), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
