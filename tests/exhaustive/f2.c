/* SPDX-License-Identifier: Apache-2.0 */
/* All F2 maps up to 4 x 4 bits under every operation of one, all pairs up to 3 x 3 under every
 * operation of two, random ones up to 64 bits: each against the values of the matrix itself. */
#include "layouts/f2.h"

enum { MOST = 4 };

static const plain_names plain = {{"a", "b"}, {"x", "y"}, 0, 0};

/* The `number`-th map: `outs` bits of it a column. */
static plain_map map_of(unsigned ins, unsigned outs, uint64_t number)
{
    plain_map m = {.ins = ins, .outs = outs};
    for (unsigned k = 0; k < ins; k++) m.column[k] = number >> (k * outs) & below(outs);
    return m;
}

/* Free bits by enumeration: 2^k has the value of something below it. */
static uint64_t free_bits(const plain_map *m)
{
    uint64_t unused = 0;
    for (unsigned k = 0; k < m->ins; k++)
        for (uint64_t x = 0; x < (uint64_t)1 << k; x++)
            if (plain_at(m, x) == m->column[k]) unused |= (uint64_t)1 << k;
    return unused;
}

/* The least index of a value, or -1. */
static int preimage(const plain_map *m, uint64_t value)
{
    for (uint64_t x = 0; x <= below(m->ins); x++)
        if (plain_at(m, x) == value) return (int)x;
    return -1;
}

static bool mentions(zlay_ctx *ctx, const char *format, long long a, long long b)
{
    char text[100];
    snprintf(text, sizeof text, format, a, b);
    return strstr(zlay_ctx_message(ctx), text);
}

/* ---- one map --------------------------------------------------------------------------- */

static void rank_and_masks(const zlay_layout *a, const plain_map *m)
{
    uint32_t rank;
    uint64_t mask, unused = free_bits(m);
    assert_int_equal(zlay_f2_rank(&rank, a), ZLAY_OK);
    assert_int_equal(rank, m->ins - (unsigned)__builtin_popcountll(unused));
    assert_int_equal(zlay_f2_free_variable_masks(&mask, 1, a), ZLAY_OK);
    assert_true(mask == unused);
}

/* Onto or none, with the least value that is not reached; free variables are 0. */
static void inverses(zlay_ctx *ctx, const zlay_layout *a, const plain_map *m)
{
    zlay_layout *inverse;
    uint64_t missed = 0, twin = 1;
    while (missed <= below(m->outs) && preimage(m, missed) >= 0) missed++;
    while (twin <= below(m->ins) && plain_at(m, twin)) twin++;
    bool onto = missed > below(m->outs), one_to_one = twin > below(m->ins);
    zlay_status status = zlay_f2_pseudoinvert(ctx, &inverse, a);
    assert_int_equal(status, onto ? ZLAY_OK : ZLAY_NONE);
    if (!onto) assert_true(mentions(ctx, "value %lld", (long long)missed, 0));
    for (uint64_t v = 0; onto && v <= below(m->outs); v++) {
        assert_true(plain_at(m, f2_at(inverse, v)) == v);
        assert_false(f2_at(inverse, v) & free_bits(m));
    }
    zlay_layout_free(inverse);
    status = zlay_f2_invert(ctx, &inverse, a);
    assert_int_equal(status, onto && one_to_one ? ZLAY_OK : ZLAY_NONE);
    if (!one_to_one) assert_true(mentions(ctx, "indices 0 and %lld", (long long)twin, 0));
    for (uint64_t x = 0; !status && x <= below(m->ins); x++)
        assert_true(f2_at(inverse, plain_at(m, x)) == x);
    zlay_layout_free(inverse);
}

static uint64_t swap(uint64_t value, unsigned low, unsigned bits)
{
    return value >> low | (value & below(low)) << (bits - low);
}

/* Cut in two dimensions on each side: in another order, joined, taken apart. */
static void shapes(zlay_ctx *ctx, const plain_map *m)
{
    static const char *const ins[] = {"b", "a"}, *const outs[] = {"y", "x"};
    plain_names n = {{"a", "b"}, {"x", "y"}, m->ins / 2, m->outs / 2};
    zlay_layout *a, *turned, *both, *flat, *part;
    zlay_dim in = dim_of("i", m->ins), out = dim_of("o", m->outs);
    if (!n.in_cut || !n.out_cut) return;
    a = make_f2(ctx, m, &n);
    assert_int_equal(zlay_f2_transpose_ins(ctx, &turned, a, ins, 2), ZLAY_OK);
    assert_int_equal(zlay_f2_transpose_outs(ctx, &both, turned, outs, 2), ZLAY_OK);
    assert_int_equal(zlay_f2_reshape_ins(ctx, &part, a, &in, 1), ZLAY_OK);
    assert_int_equal(zlay_f2_reshape_outs(ctx, &flat, part, &out, 1), ZLAY_OK);
    zlay_layout_free(part);
    assert_int_equal(zlay_f2_sublayout(ctx, &part, a, ins, 1, outs, 1), ZLAY_OK);
    for (uint64_t x = 0; x <= below(m->ins); x++) {
        uint64_t y = swap(x, n.in_cut, m->ins);
        assert_true(f2_at(both, y) == swap(plain_at(m, x), n.out_cut, m->outs));
        assert_true(f2_at(flat, x) == plain_at(m, x));
    }
    for (uint64_t x = 0; x <= below(m->ins - n.in_cut); x++)
        assert_true(f2_at(part, x) == plain_at(m, x << n.in_cut) >> n.out_cut);
    zlay_layout_free(part);
    zlay_layout_free(flat);
    zlay_layout_free(both);
    zlay_layout_free(turned);
    zlay_layout_free(a);
}

static void consecutive(const zlay_layout *a, const plain_map *m)
{
    uint64_t run, best = 1;
    for (uint64_t n = 2; n <= (uint64_t)1 << m->ins && n <= (uint64_t)1 << m->outs; n *= 2) {
        bool fits = true;
        for (uint64_t x = 0; fits && x <= below(m->ins); x++)
            fits = (plain_at(m, x) & (n - 1)) == (x & (n - 1)) &&
                   plain_at(m, x) - (x & (n - 1)) == plain_at(m, x - (x & (n - 1)));
        if (fits) best = n;
    }
    assert_int_equal(zlay_f2_num_consecutive(&run, a), ZLAY_OK);
    assert_true(run == best);
}

static void text_comes_back(zlay_ctx *ctx, const zlay_layout *a, const plain_map *m)
{
    char text[1024];
    zlay_layout *again = read_layout(ctx, layout_text(text, a));
    for (uint64_t x = 0; x <= below(m->ins); x++) assert_true(f2_at(again, x) == plain_at(m, x));
    zlay_layout_free(again);
}

static void every_map(void **state)
{
    int count = 0;
    for (unsigned ins = 1; ins <= MOST; ins++)
        for (unsigned outs = 1; outs <= MOST; outs++)
            for (uint64_t i = 0; i < (uint64_t)1 << (ins * outs); i++, count++) {
                plain_map m = map_of(ins, outs, i);
                zlay_layout *a = make_f2(*state, &m, &plain);
                for (uint64_t x = 0; x <= below(ins); x++)
                    assert_true(f2_at(a, x) == plain_at(&m, x));
                rank_and_masks(a, &m);
                inverses(*state, a, &m);
                shapes(*state, &m);
                consecutive(a, &m);
                if (i % 7 == 0) text_comes_back(*state, a, &m);
                zlay_layout_free(a);
            }
    assert_int_equal(count, 74954);
}

/* ---- two maps --------------------------------------------------------------------------- */

static void composed(zlay_ctx *ctx, const plain_map *inner, const plain_map *outer)
{
    static const plain_names names[2] = {{{"a"}, {"x"}, 0, 0}, {{"x"}, {"y"}, 0, 0}};
    zlay_layout *a = make_f2(ctx, inner, &names[0]), *b = make_f2(ctx, outer, &names[1]), *c;
    assert_int_equal(zlay_f2_composition(ctx, &c, b, a), ZLAY_OK);
    for (uint64_t x = 0; x <= below(inner->ins); x++)
        assert_true(f2_at(c, x) == plain_at(outer, plain_at(inner, x)));
    zlay_layout_free(c);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

/* a(X(x)) = b(x): solvable where every column of b is a value of a. */
static void solved(zlay_ctx *ctx, const plain_map *a, const plain_map *b, bool same_name)
{
    plain_names names[2] = {{{"p"}, {"x"}, 0, 0}, {{same_name ? "p" : "q"}, {"x"}, 0, 0}};
    zlay_layout *m = make_f2(ctx, a, &names[0]), *n = make_f2(ctx, b, &names[1]), *c = NULL;
    bool there = true, kept = same_name && a->ins == b->ins;
    for (unsigned k = 0; k < b->ins; k++) {
        there = there && preimage(a, b->column[k]) >= 0;
        kept = kept && a->column[k] == b->column[k];
    }
    zlay_status status = same_name ? zlay_f2_inverse_composition(ctx, &c, m, n)
                                   : zlay_f2_lstsq(ctx, &c, m, n);
    assert_int_equal(status, there ? ZLAY_OK : ZLAY_NONE);
    for (uint64_t x = 0; there && x <= below(b->ins); x++) {
        assert_true(plain_at(a, f2_at(c, x)) == plain_at(b, x));
        if (kept) assert_true(f2_at(c, x) == x);
        else assert_false(f2_at(c, x) & free_bits(a));
    }
    zlay_layout_free(c);
    zlay_layout_free(n);
    zlay_layout_free(m);
}

/* The product over shared names, and its quotients; a quotient of anything else is none. */
static void multiplied(zlay_ctx *ctx, const plain_map *a, const plain_map *b)
{
    zlay_layout *m = make_f2(ctx, a, &plain), *n = make_f2(ctx, b, &plain), *c, *left, *right;
    assert_int_equal(zlay_f2_product(ctx, &c, m, n), ZLAY_OK);
    assert_int_equal(zlay_f2_divide_left(ctx, &left, c, m), ZLAY_OK);
    assert_int_equal(zlay_f2_divide_right(ctx, &right, c, n), ZLAY_OK);
    for (uint64_t x = 0; x <= below(a->ins + b->ins); x++) {
        uint64_t low = plain_at(a, x & below(a->ins)), high = plain_at(b, x >> a->ins);
        assert_true(f2_at(c, x) == (low | high << a->outs));
    }
    for (uint64_t x = 0; x <= below(b->ins); x++) assert_true(f2_at(left, x) == plain_at(b, x));
    for (uint64_t x = 0; x <= below(a->ins); x++) assert_true(f2_at(right, x) == plain_at(a, x));
    zlay_layout_free(right);
    zlay_layout_free(left);
    zlay_layout_free(c);
    zlay_layout_free(n);
    zlay_layout_free(m);
}

/* b divides a from the left exactly where a's first columns are b's, and the rest has no bit of b. */
static bool divides(const plain_map *a, const plain_map *b, bool left)
{
    if (b->ins > a->ins || b->outs > a->outs) return false;
    unsigned ins = a->ins - b->ins, outs = a->outs - b->outs;
    for (unsigned k = 0; k < a->ins; k++) {
        bool own = left ? k < b->ins : k >= ins;
        uint64_t mine = left ? below(b->outs) : below(a->outs) & ~below(outs);
        uint64_t want = own ? b->column[left ? k : k - ins] << (left ? 0 : outs) : 0;
        if ((a->column[k] & mine) != want || (own && a->column[k] & ~mine)) return false;
    }
    return true;
}

static void divided(zlay_ctx *ctx, const plain_map *a, const plain_map *b)
{
    zlay_layout *m = make_f2(ctx, a, &plain), *n = make_f2(ctx, b, &plain), *c;
    assert_int_equal(zlay_f2_divide_left(ctx, &c, m, n), divides(a, b, true) ? ZLAY_OK : ZLAY_NONE);
    zlay_layout_free(c);
    assert_int_equal(zlay_f2_divide_right(ctx, &c, m, n),
                     divides(a, b, false) ? ZLAY_OK : ZLAY_NONE);
    zlay_layout_free(c);
    zlay_layout_free(n);
    zlay_layout_free(m);
}

static void concatenated(zlay_ctx *ctx, const plain_map *a, const plain_map *b)
{
    static const plain_names other_in = {{"c"}, {"x"}, 0, 0}, other_out = {{"a"}, {"z"}, 0, 0};
    zlay_layout *m = make_f2(ctx, a, &plain), *n, *c;
    if (a->outs == b->outs) {
        n = make_f2(ctx, b, &other_in);
        assert_int_equal(zlay_f2_concat_ins(ctx, &c, m, n), ZLAY_OK);
        for (uint64_t x = 0; x <= below(a->ins + b->ins); x++)
            assert_true(f2_at(c, x) == (plain_at(a, x & below(a->ins)) ^ plain_at(b, x >> a->ins)));
        zlay_layout_free(c);
        zlay_layout_free(n);
    }
    if (a->ins == b->ins) {
        n = make_f2(ctx, b, &other_out);
        assert_int_equal(zlay_f2_concat_outs(ctx, &c, m, n), ZLAY_OK);
        for (uint64_t x = 0; x <= below(a->ins); x++)
            assert_true(f2_at(c, x) == (plain_at(a, x) | plain_at(b, x) << a->outs));
        zlay_layout_free(c);
        zlay_layout_free(n);
    }
    zlay_layout_free(m);
}

enum { SMALL = 14 + 84 + 584 }; /* maps of 1 to 3 bits in and out */

static int small_world(plain_map *out)
{
    int count = 0;
    for (unsigned ins = 1; ins <= 3; ins++)
        for (unsigned outs = 1; outs <= 3; outs++)
            for (uint64_t i = 0; i < (uint64_t)1 << (ins * outs); i++)
                out[count++] = map_of(ins, outs, i);
    return count;
}

static void every_pair(void **state)
{
    static plain_map world[SMALL];
    int count = small_world(world), composable = 0;
    uint64_t seed = test_seed("every_pair"), share = test_exhaustive() ? 1 : 4;
    assert_int_equal(count, SMALL);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const plain_map *a = &world[i], *b = &world[j];
            composable += a->outs == b->ins;
            if (test_random(&seed) % share) continue;
            if (a->outs == b->ins) composed(*state, a, b);
            if (a->outs == b->outs) solved(*state, a, b, false);
            if (a->outs == b->outs) solved(*state, a, b, true);
            if (a->outs == b->outs || a->ins == b->ins) concatenated(*state, a, b);
            multiplied(*state, a, b);
            divided(*state, a, b);
        }
    assert_int_equal(composable, 14 * 14 + 84 * 84 + 584 * 584);
}

/* ---- up to 64 bits ------------------------------------------------------------------------- */

static plain_map random_map(uint64_t *seed, unsigned ins, unsigned outs)
{
    plain_map m = {.ins = ins, .outs = outs};
    for (unsigned k = 0; k < ins; k++)
        m.column[k] = test_range(seed, 0, 3) ? test_random(seed) & below(outs) : 0;
    return m;
}

/* Every row and column added to others at random: invertible. */
static plain_map random_bijection(uint64_t *seed, unsigned bits)
{
    plain_map m = {.ins = bits, .outs = bits};
    for (unsigned k = 0; k < bits; k++) m.column[k] = (uint64_t)1 << k;
    for (unsigned n = 0; n < 8 * bits; n++) {
        unsigned i = (unsigned)(test_random(seed) % bits), j = (unsigned)(test_random(seed) % bits);
        if (i != j) m.column[i] ^= m.column[j];
    }
    return m;
}

static uint64_t points(uint64_t *seed, unsigned n, unsigned bits)
{
    return n < bits ? (uint64_t)1 << n : test_random(seed) & below(bits);
}

static void one_wide_inverse(zlay_ctx *ctx, uint64_t *seed)
{
    unsigned bits = (unsigned)test_range(seed, 1, 64);
    plain_map m = random_bijection(seed, bits);
    plain_names n = {{"a", "b"}, {"x", "y"}, bits / 3, bits / 2};
    zlay_layout *a = make_f2(ctx, &m, &n), *inverse;
    assert_int_equal(zlay_f2_invert(ctx, &inverse, a), ZLAY_OK);
    for (unsigned i = 0; i < bits + 4; i++) {
        uint64_t x = points(seed, i, bits);
        assert_true(f2_at(inverse, plain_at(&m, x)) == x);
    }
    zlay_layout_free(inverse);
    zlay_layout_free(a);
}

static void one_wide_equation(zlay_ctx *ctx, uint64_t *seed)
{
    unsigned reach = (unsigned)test_range(seed, 1, 64), ins = (unsigned)test_range(seed, 1, 64);
    plain_map a = random_map(seed, ins, reach), b = random_map(seed, 20, reach);
    bool inside = test_random(seed) & 1;
    for (unsigned k = 0; inside && k < b.ins; k++)
        b.column[k] = plain_at(&a, test_random(seed) & below(ins));
    plain_names names[2] = {{{"p", "r"}, {"x", "y"}, ins / 2, reach / 2},
                            {{"q", "s"}, {"x", "y"}, 7, reach / 2}};
    zlay_layout *m = make_f2(ctx, &a, &names[0]), *n = make_f2(ctx, &b, &names[1]), *c;
    zlay_status status = zlay_f2_lstsq(ctx, &c, m, n);
    if (inside) assert_int_equal(status, ZLAY_OK);
    for (unsigned i = 0; !status && i < 24; i++) {
        uint64_t x = points(seed, i, 20);
        assert_true(plain_at(&a, f2_at(c, x)) == plain_at(&b, x));
    }
    zlay_layout_free(c);
    zlay_layout_free(n);
    zlay_layout_free(m);
}

static void one_wide_composition(zlay_ctx *ctx, uint64_t *seed)
{
    unsigned ins = (unsigned)test_range(seed, 1, 64), mid = (unsigned)test_range(seed, 2, 64);
    plain_map a = random_map(seed, ins, mid), b = random_map(seed, mid, 64);
    plain_names names[2] = {{{"p", "q"}, {"x", "y"}, ins / 2, mid / 2},
                            {{"x", "y"}, {"u", "v"}, mid / 2, 40}};
    zlay_layout *m = make_f2(ctx, &a, &names[0]), *n = make_f2(ctx, &b, &names[1]), *c, *turned, *d;
    static const char *const order[] = {"y", "x"};
    assert_int_equal(zlay_f2_composition(ctx, &c, n, m), ZLAY_OK);
    assert_int_equal(zlay_f2_transpose_ins(ctx, &turned, n, order, 2), ZLAY_OK);
    assert_int_equal(zlay_f2_composition(ctx, &d, turned, m), ZLAY_OK);
    for (unsigned i = 0; i < ins + 4; i++) {
        uint64_t x = points(seed, i, ins), value = plain_at(&b, plain_at(&a, x));
        assert_true(f2_at(c, x) == value && f2_at(d, x) == value);
    }
    zlay_layout_free(d);
    zlay_layout_free(turned);
    zlay_layout_free(c);
    zlay_layout_free(n);
    zlay_layout_free(m);
}

static void wide_maps(void **state)
{
    uint64_t seed = test_seed("wide_maps"), count = test_iterations(10000);
    for (uint64_t i = 0; i < count; i++) {
        one_wide_inverse(*state, &seed);
        one_wide_equation(*state, &seed);
        one_wide_composition(*state, &seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_map), cmocka_unit_test(every_pair), cmocka_unit_test(wide_maps),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
