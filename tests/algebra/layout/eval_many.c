/* SPDX-License-Identifier: Apache-2.0 */
/* Values of many indices at once, against modes and bases added up by hand. */
#include "layouts/layout.h"

#include "algebra/layout/eval_turns.h"

enum { MOST = 1500, RANK = 7 };

/* A layout without the library. */
typedef struct plain {
    int rank;
    int64_t shape[RANK], stride[RANK], offset;
    int bits, base, shift; /* of a swizzle */
    int in;                /* f2: bits in; 0: strided */
    uint64_t basis[24];
} plain;

static int64_t plain_at(const plain *p, uint64_t index)
{
    int64_t value = p->offset;
    uint64_t flat = 0, swizzled;
    for (int k = 0; k < p->in; k++) flat ^= index >> k & 1 ? p->basis[k] : 0;
    if (p->in) return (int64_t)flat;
    for (int i = 0; i < p->rank; i++) {
        value += (int64_t)(index % (uint64_t)p->shape[i]) * p->stride[i];
        index /= (uint64_t)p->shape[i];
    }
    swizzled = (uint64_t)value;
    for (int k = 0; k < p->bits; k++) {
        int from = p->shift > 0 ? p->base + p->shift : p->base, to = p->shift > 0 ? p->base : p->base - p->shift;
        swizzled ^= ((uint64_t)value >> (from + k) & 1) << (to + k);
    }
    return (int64_t)swizzled;
}

static void random_strided(uint64_t *seed, plain *p, int64_t top)
{
    p->rank = (int)test_range(seed, 1, RANK);
    p->offset = test_range(seed, -50, 50);
    for (int i = 0; i < p->rank; i++) {
        p->shape[i] = test_range(seed, 1, test_range(seed, 0, 3) ? 9 : top);
        p->stride[i] = test_range(seed, 0, 2) ? test_range(seed, -40, 99) : 0;
        if (i && test_range(seed, 0, 1)) p->stride[i] = p->stride[i - 1] * p->shape[i - 1];
    }
    if (test_range(seed, 0, 2)) return;
    p->bits = (int)test_range(seed, 1, 4);
    p->base = (int)test_range(seed, 0, 4);
    p->shift = (int)test_range(seed, p->bits, 7);
    if (test_range(seed, 0, 2) == 0) p->shift = -p->shift;
}

static zlay_layout *make_strided(zlay_ctx *ctx, const plain *p)
{
    zlay_layout *a, *b;
    assert_int_equal(zlay_layout_new_strided(ctx, &a, (size_t)p->rank, p->shape, p->stride, p->offset),
                     ZLAY_OK);
    if (!p->bits) return a;
    assert_int_equal(zlay_layout_new_swizzled(ctx, &b, p->bits, p->base, p->shift, a), ZLAY_OK);
    zlay_layout_free(a);
    return b;
}

static zlay_layout *make_f2(zlay_ctx *ctx, uint64_t *seed, plain *p)
{
    char text[2048] = "f2{a:", one[40];
    p->in = (int)test_range(seed, 1, 24);
    for (int k = 0; k < p->in; k++) {
        p->basis[k] = test_random(seed) >> 20;
        sprintf(one, "%s (%llu)", k == p->in / 2 && k ? "; b:" : "", (unsigned long long)p->basis[k]);
        strcat(text, one);
    }
    strcat(text, " -> x: 17592186044416}");
    return read_layout(ctx, text);
}

static void check(const zlay_layout *a, const plain *p, uint64_t *seed)
{
    static int64_t value[MOST + 1];
    static uint64_t index[MOST];
    static uint8_t there[MOST];
    uint64_t size = zlay_layout_size(a), most = size < MOST ? size : MOST;
    size_t count = (size_t)test_range(seed, 1, test_range(seed, 0, 3) ? 40 : (int64_t)MOST);
    for (size_t i = 0; i < count; i++) index[i] = i ? test_random(seed) % size : size - 1;
    value[count] = 77;
    assert_int_equal(zlay_layout_eval_many(value, NULL, a, index, 7, count), ZLAY_OK);
    assert_int_equal(value[count], 77);
    for (size_t i = 0; i < count; i++)
        if (value[i] != plain_at(p, index[i])) fail_msg("index %llu", (unsigned long long)index[i]);
    if (count > most) count = (size_t)most;
    uint64_t first = test_range(seed, 0, 2) ? test_random(seed) % (size - count + 1) : size - count;
    memset(there, 7, sizeof there);
    value[count] = 77;
    assert_int_equal(zlay_layout_eval_many(value, there, a, NULL, first, count), ZLAY_OK);
    assert_int_equal(value[count], 77);
    for (size_t i = 0; i < count; i++)
        if (value[i] != plain_at(p, first + i) || there[i] != 1)
            fail_msg("%d of %d from %llu", (int)i, (int)count, (unsigned long long)first);
    if (count < MOST) assert_int_equal(there[count], 7);
}

static void random_layouts(void **state)
{
    uint64_t seed = test_seed("random_layouts");
    for (uint64_t i = 0; i < test_iterations(100000); i++) {
        plain p = {0};
        zlay_layout *a;
        if (test_range(&seed, 0, 3)) {
            random_strided(&seed, &p, i % 2 ? 40 : 700);
            a = make_strided(*state, &p);
        } else {
            a = make_f2(*state, &seed, &p);
        }
        check(a, &p, &seed);
        zlay_layout_free(a);
    }
}

/* Sizes near 2^63, values near both ends of 64 bits, where sums wrap on the way. */
static void large(void **state)
{
    static const struct { const char *text; plain p; } rows[] = {
        {"(3,1537228672809129301):(1,3)", {2, {3, 1537228672809129301}, {1, 3}, 0, 0, 0, 0, 0, {0}}},
        {"(7,5,100000000000000003):(3,-2,1)",
         {3, {7, 5, 100000000000000003}, {3, -2, 1}, 0, 0, 0, 0, 0, {0}}},
        {"-9223372036854775807 o (3,3,3):(4611686018427387903,1,2)",
         {3, {3, 3, 3}, {4611686018427387903, 1, 2}, -9223372036854775807, 0, 0, 0, 0, {0}}},
        {"9223372036854775807 o (400,300):(-1,-30744573456182586)",
         {2, {400, 300}, {-1, -30744573456182586}, INT64_MAX, 0, 0, 0, 0, {0}}},
        {"Sw<3,4,3> o 0 o (9223372036854775807,1):(1,5)",
         {2, {INT64_MAX, 1}, {1, 5}, 0, 3, 4, 3, 0, {0}}},
    };
    uint64_t seed = test_seed("large");
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *a = read_layout(*state, rows[r].text);
        for (int i = 0; i < 200; i++) check(a, &rows[r].p, &seed);
        zlay_layout_free(a);
    }
}

/* Several outputs, and kinds that go point by point: as zlay_layout_eval. */
static void tuples(void **state)
{
    static const char *const texts[] = {
        "f2{a: (1,0) (0,1); b: (1,1) (3,0) -> x: 4, y: 2}",
        "f2{a: (1) (2) (4); b: (5) -> x: 8}",
        "(1,1):(3,4)",
    };
    for (size_t r = 0; r < sizeof texts / sizeof texts[0]; r++) {
        zlay_layout *a = read_layout(*state, texts[r]);
        size_t outs = zlay_layout_out_count(a), size = (size_t)zlay_layout_size(a);
        int64_t value[64], one[4];
        assert_int_equal(zlay_layout_eval_many(value, NULL, a, NULL, 0, size), ZLAY_OK);
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(zlay_layout_eval(one, 4, a, i), ZLAY_OK);
            for (size_t k = 0; k < outs; k++) assert_int_equal(value[i * outs + k], one[k]);
        }
        zlay_layout_free(a);
    }
}

/* Pieces with holes, and every kind that is no strides and no bases. */
static void holes(void **state)
{
    static const struct { const char *text; bool partial; } rows[] = {
        {"{ [i] -> [2i] : 0 <= i < 30; [i] -> [i mod 7] : 40 <= i < 500 }", true},
        {"{ [i, j] -> [64i + j] : 0 <= i < 8 and 0 <= j < 60 and i + j < 62 }", true},
        {"{ [i, j] -> [i, floor(j/3)] : 0 <= i < 8 and 0 <= j < 60 and (i + j) mod 3 = 0 }", true},
        {"{ [i] -> [floor(i/3) + 5*(i mod 3)] : 0 <= i < 100 }", false},
        {"f2{x: (1) (2) (4) (5) -> y: 6}", false},
        {"f2{a: (1,0) (3,1); b: (2,2) -> x: 6, y: 5}", false},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *a = read_layout(*state, rows[r].text);
        size_t outs = zlay_layout_out_count(a), size = (size_t)zlay_layout_size(a), missing = 0;
        static int64_t value[2048], one[4];
        static uint8_t there[1024];
        static uint64_t index[1024];
        assert_true(size <= 1024 && outs <= 2);
        for (size_t i = 0; i < size; i++) index[i] = size - 1 - i;
        zlay_status status = zlay_layout_eval_many(value, NULL, a, NULL, 0, size);
        assert_int_equal(status, rows[r].partial ? ZLAY_EINVAL : ZLAY_OK);
        for (int turn = 0; turn < 2; turn++) {
            assert_int_equal(zlay_layout_eval_many(value, there, a, turn ? index : NULL, 0, size), ZLAY_OK);
            for (size_t i = 0; i < size; i++) {
                status = zlay_layout_eval(one, 4, a, turn ? index[i] : i);
                assert_int_equal(there[i], status == ZLAY_OK);
                for (size_t k = 0; k < outs; k++)
                    assert_int_equal(value[i * outs + k], status ? 0 : one[k]);
                missing += status == ZLAY_NONE;
            }
        }
        assert_int_equal(missing > 0, rows[r].partial);
        zlay_layout_free(a);
    }
    zlay_layout *a = read_layout(*state, "[N] -> { [i] -> [i + N] : 0 <= i < 9 }");
    int64_t value[9];
    uint8_t there[9];
    assert_int_equal(zlay_layout_eval_many(value, there, a, NULL, 0, 9), ZLAY_EINVAL);
    zlay_layout_free(a);
}

static void refused(void **state)
{
    zlay_layout *a = read_layout(*state, "(4,5):(1,9)");
    uint64_t index[12] = {0, 1, 20};
    int64_t value[12] = {77, 77, 77};
    assert_int_equal(zlay_layout_eval_many(value, NULL, a, index, 0, 3), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_eval_many(value, NULL, a, NULL, 18, 3), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_eval_many(value, NULL, a, NULL, UINT64_MAX, 2), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_eval_many(value, NULL, NULL, NULL, 0, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_eval_many(NULL, NULL, a, NULL, 0, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_eval_many(NULL, NULL, a, NULL, 99, 0), ZLAY_OK);
    assert_true(value[0] == 77 && value[1] == 77 && value[2] == 77);
    zlay_layout_free(a);
}

/* ---- moves of bits ---------------------------------------------------------------- */

/* Powers of two in any order, bits apart or not, with an offset above, below or across them. */
static void random_powers(uint64_t *seed, plain *p)
{
    int next = (int)test_range(seed, 0, 3);
    *p = (plain){.rank = (int)test_range(seed, 1, RANK)};
    int order[RANK];
    for (int i = 0; i < p->rank; i++) order[i] = i;
    for (int i = p->rank - 1; i > 0; i--) {
        int j = (int)test_range(seed, 0, i), held = order[i];
        order[i] = order[j], order[j] = held;
    }
    for (int i = 0; i < p->rank; i++) {
        int bits = (int)test_range(seed, 0, 3);
        p->shape[order[i]] = 1 << bits;
        p->stride[order[i]] = test_range(seed, 0, 9) ? (int64_t)1 << next : test_range(seed, -3, 3);
        next += bits + (test_range(seed, 0, 5) == 0);
    }
    if (test_range(seed, 0, 1)) p->offset = test_range(seed, -4, 4) * (INT64_C(1) << test_range(seed, 0, 24));
    if (test_range(seed, 0, 1)) return;
    p->bits = (int)test_range(seed, 1, 4);
    p->base = (int)test_range(seed, 0, 4);
    p->shift = (int)test_range(seed, p->bits, 7) * (test_range(seed, 0, 1) ? 1 : -1);
}

/* Each way of this processor, in order and not; indices outside are seen in every place. */
static void check_ways(const zlay_layout *a, const plain *p, uint64_t *seed)
{
    zl_turns m;
    int64_t value[81];
    uint64_t index[80], size = zlay_layout_size(a);
    size_t count = (size_t)test_range(seed, 1, 80);
    if (!zl_turns_of(&m, a, count)) return;
    for (size_t w = 0; w < zl_turns_ways_here(); w++) {
        for (size_t i = 0; i < count; i++) index[i] = test_random(seed) % size;
        value[count] = 77;
        zl_turns_ways[w].run(value, &m, index, 0, count);
        for (size_t i = 0; i < count; i++) assert_int_equal(value[i], plain_at(p, index[i]));
        assert_true(zl_turns_ways[w].inside(index, size, count));
        uint64_t most = 0; /* bounds that are no powers of two */
        for (size_t i = 0; i < count; i++) most = index[i] > most ? index[i] : most;
        assert_true(zl_turns_ways[w].inside(index, most + 1, count));
        assert_true(!most || !zl_turns_ways[w].inside(index, most, count));
        size_t out = (size_t)test_range(seed, 0, (int64_t)count - 1);
        index[out] = test_range(seed, 0, 1) ? size : UINT64_MAX - test_random(seed) % 3;
        assert_false(zl_turns_ways[w].inside(index, size, count));
        uint64_t first = test_random(seed) % size, left = size - first;
        if (left > count) left = count;
        zl_turns_ways[w].run(value, &m, NULL, first, (size_t)left);
        for (size_t i = 0; i < left; i++) assert_int_equal(value[i], plain_at(p, first + i));
        assert_int_equal(value[count], 77);
    }
}

static void bits_that_move(void **state)
{
    uint64_t seed = test_seed("bits_that_move"), rounds = test_iterations(4000), moved = 0;
    for (uint64_t n = 0; n < rounds; n++) {
        zl_turns m;
        plain p = {.rank = 0};
        if (n % 4) random_powers(&seed, &p);
        zlay_layout *a = n % 4 ? make_strided(*state, &p) : make_f2(*state, &seed, &p);
        moved += zl_turns_of(&m, a, 100);
        check(a, &p, &seed);
        check_ways(a, &p, &seed);
        zlay_layout_free(a);
    }
    printf("bits_that_move: %llu of %llu, %zu ways\n", (unsigned long long)moved,
           (unsigned long long)rounds, zl_turns_ways_here());
    assert_true(moved > rounds / 8);
}

/* ---- forms with divisions --------------------------------------------------------- */

enum { FORM_DIMS = 3, FORM_TERMS = 4 };

/* factor * (floor((at . c + constant) / by) + c[also]) mod end; end 0: no mod, by 1: no division. */
typedef struct form {
    int64_t extent[FORM_DIMS];
    int dims, terms;
    struct { int64_t factor, at[FORM_DIMS], constant, by, end; int also; } term[FORM_TERMS];
} form;

static int64_t floored(int64_t a, int64_t by) { return a / by - (a % by < 0); }

static int64_t form_at(const form *f, uint64_t index)
{
    int64_t c[FORM_DIMS], value = 0;
    for (int i = 0; i < f->dims; i++, index /= (uint64_t)f->extent[i - 1]) c[i] = (int64_t)(index % (uint64_t)f->extent[i]);
    for (int t = 0; t < f->terms; t++) {
        int64_t sum = f->term[t].constant;
        for (int i = 0; i < f->dims; i++) sum += f->term[t].at[i] * c[i];
        sum = floored(sum, f->term[t].by) + c[f->term[t].also];
        if (f->term[t].end) sum -= floored(sum, f->term[t].end) * f->term[t].end;
        value += f->term[t].factor * sum;
    }
    return value;
}

static void form_draw(uint64_t *seed, form *f)
{
    f->dims = (int)test_range(seed, 1, FORM_DIMS);
    f->terms = (int)test_range(seed, 1, FORM_TERMS);
    for (int i = 0; i < f->dims; i++) f->extent[i] = test_range(seed, 1, test_range(seed, 0, 2) ? 12 : 150);
    for (int t = 0; t < f->terms; t++) {
        int64_t most = test_range(seed, 0, 9) ? 20 : INT64_C(1) << 50;
        f->term[t].factor = test_range(seed, -9, 9);
        for (int i = 0; i < f->dims; i++) f->term[t].at[i] = test_range(seed, -most, most);
        f->term[t].constant = test_range(seed, -most, most);
        f->term[t].by = test_range(seed, 0, 1) ? 1 << test_range(seed, 0, 7) : test_range(seed, 1, 3 * most);
        f->term[t].end = test_range(seed, 0, 1) ? test_range(seed, 1, 40) : 0;
        f->term[t].also = (int)test_range(seed, 0, f->dims - 1);
    }
}

static zlay_layout *form_read(zlay_ctx *ctx, const form *f)
{
    char text[2048];
    size_t n = (size_t)sprintf(text, "{ [i0%s%s] -> [0", f->dims > 1 ? ", i1" : "", f->dims > 2 ? ", i2" : "");
    for (int t = 0; t < f->terms; t++) {
        n += (size_t)sprintf(text + n, " + %lld*((floor((%lld", (long long)f->term[t].factor, (long long)f->term[t].constant);
        for (int i = 0; i < f->dims; i++) n += (size_t)sprintf(text + n, " + %lld*i%d", (long long)f->term[t].at[i], i);
        n += (size_t)sprintf(text + n, ")/%lld) + i%d)", (long long)f->term[t].by, f->term[t].also);
        if (f->term[t].end) n += (size_t)sprintf(text + n, " mod %lld", (long long)f->term[t].end);
        n += (size_t)sprintf(text + n, ")");
    }
    n += (size_t)sprintf(text + n, "] : 0 <= i0 < %lld", (long long)f->extent[0]);
    for (int i = 1; i < f->dims; i++) n += (size_t)sprintf(text + n, " and 0 <= i%d < %lld", i, (long long)f->extent[i]);
    sprintf(text + n, " }");
    return read_layout(ctx, text);
}

/* Ranges of any start and length, against each form computed by hand. */
static void forms(void **state)
{
    uint64_t seed = test_seed("forms"), rounds = test_iterations(1000);
    for (uint64_t n = 0; n < rounds; n++) {
        static int64_t value[MOST];
        static uint8_t there[MOST];
        form f;
        form_draw(&seed, &f);
        zlay_layout *a = form_read(*state, &f);
        uint64_t size = zlay_layout_size(a), first = (uint64_t)test_range(&seed, 0, (int64_t)size - 1);
        size_t count = (size_t)test_range(&seed, 0, (int64_t)(size - first < MOST ? size - first : MOST));
        memset(there, 9, sizeof there);
        assert_int_equal(zlay_layout_eval_many(value, there, a, NULL, first, count), ZLAY_OK);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(value[i], form_at(&f, first + i));
            assert_int_equal(there[i], 1);
        }
        assert_int_equal(there[count < MOST ? count : 0], count < MOST ? 9 : 1);
        zlay_layout_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_layouts), cmocka_unit_test(large), cmocka_unit_test(tuples),
        cmocka_unit_test(holes), cmocka_unit_test(refused),
        cmocka_unit_test(bits_that_move), cmocka_unit_test(forms),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
