/* SPDX-License-Identifier: Apache-2.0 */
/* Modular layouts against plain sums: values, image, injective, surjective, preimages, equality, the
 * operations that they are closed under, and what composes through them. */
#include "layouts/f2.h"

#include "algebra/f2/modular.h"

enum { OUTS = 3 };

/* A subset sum without the library: an output of size 2^k adds by XOR, any other modulo its size. */
typedef struct plain_sum {
    unsigned ins, outs;
    uint64_t size[OUTS], basis[16][OUTS];
} plain_sum;

static bool is_power(uint64_t n) { return !(n & (n - 1)); }

static void sum_at(const plain_sum *s, uint64_t x, uint64_t value[OUTS])
{
    for (unsigned o = 0; o < s->outs; o++) {
        value[o] = 0;
        for (unsigned k = 0; k < s->ins; k++) {
            if (!(x >> k & 1)) continue;
            if (is_power(s->size[o])) value[o] ^= s->basis[k][o];
            else value[o] = (value[o] + s->basis[k][o]) % s->size[o];
        }
    }
}

static uint64_t flat_at(const plain_sum *s, uint64_t x)
{
    uint64_t value[OUTS], flat = 0;
    sum_at(s, x, value);
    for (unsigned o = s->outs; o-- > 0;) flat = flat * s->size[o] + value[o];
    return flat;
}

static zlay_layout *make_sum(zlay_ctx *ctx, const plain_sum *s, const char *in, const char *out)
{
    zlay_dim from = dim_of(in, s->ins), to[OUTS];
    uint64_t rows[16 * OUTS];
    zlay_f2_bases b = {sizeof b, 0, 1, s->outs, &from, to, rows};
    zlay_layout *a;
    for (unsigned o = 0; o < s->outs; o++) {
        to[o] = (zlay_dim){.size = s->size[o]};
        sprintf(to[o].name, "%s%u", out, o);
        for (unsigned k = 0; k < s->ins; k++) rows[k * s->outs + o] = s->basis[k][o];
    }
    if (zlay_f2_new(ctx, &a, &b)) fail_msg("%s", zlay_ctx_message(ctx));
    return a;
}

static plain_sum random_sum(uint64_t *seed, unsigned ins, unsigned outs, uint64_t most)
{
    plain_sum s = {.ins = ins, .outs = outs};
    bool modular = false;
    while (!modular) {
        for (unsigned o = 0; o < outs; o++) {
            s.size[o] = (uint64_t)test_range(seed, 1, (int64_t)most);
            modular = modular || !is_power(s.size[o]);
        }
    }
    for (unsigned k = 0; k < ins; k++)
        for (unsigned o = 0; o < outs; o++) s.basis[k][o] = test_random(seed) % s.size[o];
    return s;
}

/* ---- values and the image ----------------------------------------------------------------- */

static void check_values(const zlay_layout *a, const plain_sum *s)
{
    for (uint64_t x = 0; x <= below(s->ins); x++) {
        uint64_t value[OUTS];
        int64_t got[OUTS], flat;
        sum_at(s, x, value);
        assert_int_equal(zlay_layout_eval(got, OUTS, a, x), ZLAY_OK);
        for (unsigned o = 0; o < s->outs; o++) assert_true((uint64_t)got[o] == value[o]);
        assert_true(zl_value(a, x, &flat) && (uint64_t)flat == flat_at(s, x));
    }
}

static void check_image(zlay_ctx *ctx, const zlay_layout *a, const plain_sum *s)
{
    static int least[1 << 12];
    uint64_t group = 1, reached = 0, missed = 0, pair[2] = {9, 9}, twice = 0;
    zl_residues r;
    zlay_answer answer;
    for (unsigned o = 0; o < s->outs; o++) group *= s->size[o];
    memset(least, -1, sizeof least);
    for (uint64_t x = 0; x <= below(s->ins); x++) {
        uint64_t v = flat_at(s, x);
        if (least[v] < 0) least[v] = (int)x, reached++;
        else twice++;
    }
    assert_int_equal(zl_residues_of(ctx, &r, a), ZLAY_OK);
    assert_true(r.reached == reached && r.count == group);
    for (uint64_t v = 0; v < group; v++) {
        uint64_t index = 77;
        assert_int_equal(zl_residues_index(&r, v, &index), least[v] >= 0);
        if (least[v] >= 0) assert_int_equal(index, least[v]);
    }
    while (missed < group && least[missed] >= 0) missed++;
    assert_int_equal(zl_modular_surjective(ctx, &answer, &pair[0], a), ZLAY_OK);
    assert_int_equal(answer, missed == group ? ZLAY_YES : ZLAY_NO);
    if (!answer) assert_true(pair[0] == missed);
    assert_int_equal(zl_modular_injective(ctx, &answer, pair, a), ZLAY_OK);
    assert_int_equal(answer, twice ? ZLAY_NO : ZLAY_YES);
    if (twice) assert_true(pair[0] < pair[1] && flat_at(s, pair[0]) == flat_at(s, pair[1]));
}

static void against_sums(void **state)
{
    uint64_t seed = test_seed("against_sums"), count = test_iterations(2000);
    for (uint64_t i = 0; i < count; i++) {
        unsigned ins = (unsigned)test_range(&seed, 1, 8), outs = (unsigned)test_range(&seed, 1, 3);
        plain_sum s = random_sum(&seed, ins, outs, 15);
        zlay_layout *a = make_sum(*state, &s, "i", "o"), *again;
        char text[1024];
        assert_int_equal(zlay_layout_kind(a), ZLAY_LAYOUT_MODULAR);
        check_values(a, &s);
        check_image(*state, a, &s);
        again = read_layout(*state, layout_text(text, a));
        check_values(again, &s);
        zlay_layout_free(again);
        zlay_layout_free(a);
    }
}

/* Up to 2^20 residues the dynamic programme answers; beyond it says so. */
static void large_groups(void **state)
{
    zlay_layout *a = read_layout(*state, "f2{i: (1) (524288) (524287) -> o: 1048575}");
    zlay_layout *b = read_layout(*state, "f2{i: (1) -> o: 1048577}");
    uint64_t pair[2], cosize = 0;
    zlay_answer answer;
    assert_int_equal(zl_modular_injective(*state, &answer, pair, a), ZLAY_OK);
    assert_true(answer == ZLAY_NO && pair[0] == 2 && pair[1] == 5);
    assert_int_equal(zl_modular_injective(*state, &answer, pair, b), ZLAY_ELIMIT);
    assert_non_null(strstr(zlay_ctx_message(*state), "1048577"));
    assert_int_equal(zlay_layout_cosize(*state, &cosize, a), ZLAY_OK);
    assert_int_equal(cosize, 524290);
    assert_int_equal(zlay_layout_cosize(*state, &cosize, b), ZLAY_OK);
    assert_int_equal(cosize, 2);
    zlay_layout_free(b);
    zlay_layout_free(a);
    a = read_layout(*state, "f2{i: (18446744073709551614) (3) -> o: 18446744073709551615}");
    int64_t value;
    assert_int_equal(zlay_layout_eval(&value, 1, a, 3), ZLAY_OK);
    assert_int_equal(value, 2);
    zlay_layout_free(a);
}

/* ---- equality -------------------------------------------------------------------------------- */

static void equality(void **state)
{
    uint64_t seed = test_seed("equality"), count = test_iterations(4000), equal = 0;
    for (uint64_t i = 0; i < count; i++) {
        plain_sum s = random_sum(&seed, 3, 2, 15), t = s;
        unsigned o = (unsigned)(test_random(&seed) % 2);
        uint64_t index = 0, x = 0;
        if (test_random(&seed) & 1) t.size[o] = (uint64_t)test_range(&seed, 5, 25);
        else t.basis[test_random(&seed) % 3][o] = test_random(&seed) % t.size[o];
        for (unsigned k = 0; k < 3; k++) {
            s.basis[k][o] %= s.size[o] < t.size[o] ? s.size[o] : t.size[o];
            t.basis[k][o] = test_range(&seed, 0, 20) ? s.basis[k][o] : test_random(&seed) % t.size[o];
        }
        zlay_layout *a = make_sum(*state, &s, "i", "o"), *b = make_sum(*state, &t, "i", "o");
        uint64_t u[OUTS], v[OUTS];
        for (; x < 8; x++) {
            sum_at(&s, x, u);
            sum_at(&t, x, v);
            if (memcmp(u, v, 2 * sizeof *u)) break;
        }
        zlay_answer answer = zl_modular_equal(a, b, &index);
        if (answer == ZLAY_YES) assert_int_equal(x, 8);
        if (answer == ZLAY_NO) {
            sum_at(&s, index, u);
            sum_at(&t, index, v);
            assert_memory_not_equal(u, v, 2 * sizeof *u);
        }
        if (answer == ZLAY_UNDECIDED) assert_true(is_power(s.size[o]) != is_power(t.size[o]));
        equal += answer == ZLAY_YES;
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
    assert_true(equal > count / 20);
}

/* ---- closed operations ----------------------------------------------------------------------- */

static bool is_sum(const uint64_t *value, unsigned bits, uint64_t size)
{
    for (uint64_t x = 1; x < (uint64_t)1 << bits; x++) {
        uint64_t rest = x & (x - 1), low = x - rest;
        uint64_t sum = is_power(size) ? value[rest] ^ value[low] : (value[rest] + value[low]) % size;
        if (sum != value[x]) return false;
    }
    return true;
}

/* Over one shared output: the product where it is a sum of bases, and only there. */
static void shared_products(void **state)
{
    uint64_t seed = test_seed("shared_products"), count = test_iterations(4000), made = 0;
    for (uint64_t i = 0; i < count; i++) {
        plain_sum s = random_sum(&seed, 2, 1, 12), t = random_sum(&seed, 2, 1, 12);
        if (!test_range(&seed, 0, 2)) s.size[0] = (uint64_t)1 << test_range(&seed, 0, 3);
        else if (!test_range(&seed, 0, 2)) t.size[0] = (uint64_t)1 << test_range(&seed, 0, 3);
        for (unsigned k = 0; k < 2; k++) {
            s.basis[k][0] %= s.size[0];
            t.basis[k][0] %= t.size[0];
        }
        uint64_t value[16];
        for (uint64_t x = 0; x < 16; x++)
            value[x] = flat_at(&s, x & 3) + s.size[0] * flat_at(&t, x >> 2);
        zlay_layout *a = make_sum(*state, &s, "i", "o"), *b = make_sum(*state, &t, "i", "o"), *c;
        zlay_status status = zlay_f2_product(*state, &c, a, b);
        bool closed = is_sum(value, 4, s.size[0] * t.size[0]);
        if (status != (closed ? ZLAY_OK : ZLAY_NONE))
            fail_msg("%d x %d: %s", (int)s.size[0], (int)t.size[0], zlay_ctx_message(*state));
        for (uint64_t x = 0; !status && x < 16; x++)
            assert_true((uint64_t)layout_at(c, x) == value[x]);
        if (status) {
            unsigned long long x, y, n;
            const char *numbers = strstr(zlay_ctx_message(*state), "value(");
            assert_int_equal(sscanf(numbers, "value(%llu + %llu)", &x, &y), 2);
            n = s.size[0] * t.size[0];
            assert_true(!(x & y) && value[x + y] != (value[x] + value[y]) % n);
        }
        made += !status;
        zlay_layout_free(c);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
    assert_true(made > count / 10 && made < count);
}

static void closed_operations(void **state)
{
    uint64_t seed = test_seed("closed_operations"), count = test_iterations(1000);
    static const char *const turned[] = {"o2", "o0", "o1"};
    for (uint64_t i = 0; i < count; i++) {
        plain_sum s = random_sum(&seed, 4, 3, 15), t = random_sum(&seed, 4, 2, 15);
        zlay_layout *a = make_sum(*state, &s, "i", "o"), *b = make_sum(*state, &t, "i", "p");
        zlay_layout *far = make_sum(*state, &t, "j", "p"), *both, *product, *order, *part;
        assert_int_equal(zlay_f2_concat_outs(*state, &both, a, b), ZLAY_OK);
        assert_int_equal(zlay_f2_product(*state, &product, a, far), ZLAY_OK);
        assert_int_equal(zlay_f2_transpose_outs(*state, &order, a, turned, 3), ZLAY_OK);
        assert_int_equal(zlay_f2_sublayout(*state, &part, a, NULL, 0, turned, 2), ZLAY_OK);
        for (uint64_t x = 0; x < 256; x++) {
            uint64_t u[OUTS], v[OUTS], low = x & 15;
            int64_t got[5];
            sum_at(&s, low, u);
            sum_at(&t, x >> 4, v);
            assert_int_equal(zlay_layout_eval(got, 5, product, x), ZLAY_OK);
            for (int o = 0; o < 5; o++) assert_true((uint64_t)got[o] == (o < 3 ? u[o] : v[o - 3]));
            if (x > 15) continue;
            sum_at(&t, low, v);
            assert_int_equal(zlay_layout_eval(got, 5, both, x), ZLAY_OK);
            for (int o = 0; o < 5; o++) assert_true((uint64_t)got[o] == (o < 3 ? u[o] : v[o - 3]));
            assert_int_equal(zlay_layout_eval(got, 5, order, x), ZLAY_OK);
            for (int o = 0; o < 3; o++) assert_true((uint64_t)got[o] == u[(o + 2) % 3]);
        }
        assert_int_equal(zlay_layout_size(part), 1);
        zlay_layout_free(part);
        zlay_layout_free(order);
        zlay_layout_free(product);
        zlay_layout_free(both);
        zlay_layout_free(far);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

/* ---- composition: not by the bases ----------------------------------------------------------- */

/* A public fork composes the images of the bases, and has 0 1 2 3 4 5 6 7 here. */
static void bases_alone_are_wrong(void **state)
{
    zlay_layout *wrap = read_layout(*state, "f2{x: (1) (2) (4) -> y: 6}"), *c;
    zlay_layout *identity = read_layout(*state, "8:1");
    bool differs = false;
    assert_int_equal(zlay_layout_compose(*state, &c, identity, wrap), ZLAY_OK);
    for (uint64_t x = 0; x < 8; x++) {
        static const int expected[] = {0, 1, 2, 3, 4, 5, 0, 1};
        uint64_t by_bases = 0;
        for (unsigned k = 0; k < 3; k++)
            if (x >> k & 1) by_bases ^= (uint64_t)layout_at(identity, (uint64_t)layout_at(wrap, 1u << k));
        assert_int_equal(layout_at(c, x), expected[x]);
        differs = differs || by_bases != (uint64_t)expected[x];
    }
    assert_true(differs);
    zlay_layout_free(c);
    assert_int_equal(zlay_f2_composition(*state, &c, wrap, wrap), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_lstsq(*state, &c, wrap, wrap), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_divide_left(*state, &c, wrap, wrap), ZLAY_EINVAL);
    assert_null(c);
    zlay_layout_free(identity);
    zlay_layout_free(wrap);
}

static void compositions(void **state)
{
    uint64_t seed = test_seed("compositions"), count = test_iterations(600), kinds[8] = {0};
    for (uint64_t i = 0; i < count; i++) {
        plain_sum s = random_sum(&seed, 4, 1, 15);
        int64_t shape[2] = {4, 4}, stride[2] = {test_range(&seed, 0, 7), test_range(&seed, 0, 7)};
        zlay_layout *a = make_sum(*state, &s, "i", "o"), *b, *c, *d = NULL;
        assert_int_equal(zlay_layout_new_strided(*state, &b, 2, shape, stride, 0), ZLAY_OK);
        assert_int_equal(zlay_layout_compose(*state, &c, b, a), ZLAY_OK);
        zlay_status status = zlay_layout_compose(*state, &d, a, b);
        int64_t most = 3 * stride[0] + 3 * stride[1];
        assert_int_equal(status, most < 16 ? ZLAY_OK : ZLAY_NONE);
        for (uint64_t x = 0; x < 16; x++) {
            uint64_t v = flat_at(&s, x), at = x % 4 * (uint64_t)stride[0] + x / 4 * (uint64_t)stride[1];
            int64_t far = (int64_t)(v % 4) * stride[0] + (int64_t)(v / 4) * stride[1];
            assert_int_equal(layout_at(c, x), far);
            if (!status && (uint64_t)layout_at(d, x) != flat_at(&s, at)) {
                char t1[1024], t2[1024], t3[1024];
                fail_msg("%s o %s is not %s at %d", layout_text(t1, a), layout_text(t2, b),
                         layout_text(t3, d), (int)x);
            }
        }
        kinds[zlay_layout_kind(c)]++;
        if (d) kinds[zlay_layout_kind(d)]++;
        zlay_layout_free(d);
        zlay_layout_free(c);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
    assert_true(kinds[ZLAY_LAYOUT_MODULAR] && kinds[ZLAY_LAYOUT_PIECES]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_sums), cmocka_unit_test(large_groups), cmocka_unit_test(equality),
        cmocka_unit_test(shared_products), cmocka_unit_test(closed_operations),
        cmocka_unit_test(bases_alone_are_wrong), cmocka_unit_test(compositions),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
