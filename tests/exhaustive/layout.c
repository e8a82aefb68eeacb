/* SPDX-License-Identifier: Apache-2.0 */
/* Every layout of small worlds, each result against plain enumeration. */
#include "layouts/world.h"

enum { MOST = 64 };

/* Whether values are a strided layout over one mode, by trying every chain of divisors. */
static bool chain(const int *value, int step, int count)
{
    if (count == 1) return true;
    for (int n = 2; n <= count; n++) {
        bool fits = count % n == 0;
        for (int i = 0; fits && i < count; i++)
            fits = value[i * step] - value[i / n * n * step] ==
                   i % n * (value[step] - value[0]);
        if (fits && chain(value, step * n, count / n)) return true;
    }
    return false;
}

static bool is_strided(const int *value, const plain *box)
{
    int m = box->shape[0], n = box->rank == 2 ? box->shape[1] : 1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            if (value[i + m * j] - value[0] != value[i] - value[0] + value[m * j] - value[0])
                return false;
    return chain(value, 1, m) && chain(value, m, n);
}

/* A swizzle of small numbers, from its definition bit by bit. */
static int swizzle(int bits, int base, int shift, int value)
{
    int from = shift > 0 ? base + shift : base, to = shift > 0 ? base : base - shift;
    int flip = 0;
    for (int k = 0; k < bits; k++) flip |= (value >> (from + k) & 1) << (to + k);
    return value ^ flip;
}

static bool is_swizzled(const int *value, const plain *box)
{
    int other[MOST];
    for (int bits = 1; bits <= 4; bits++)
        for (int base = 0; base <= 8; base++)
            for (int shift = -8; shift <= 8; shift++) {
                if (abs(shift) < bits) continue;
                for (int i = 0; i < box->size; i++)
                    other[i] = swizzle(bits, base, shift, value[i]);
                if (is_strided(other, box)) return true;
            }
    return false;
}

/* The first value is 0 here, so an affine map is a linear one. */
static bool is_f2(const int *value, const plain *box)
{
    if (box->size & (box->size - 1)) return false;
    for (int i = 0; i < box->size; i++)
        for (int k = 1; k < box->size; k *= 2)
            if (value[i ^ k] != (value[i] ^ value[k])) return false;
    return true;
}

static void check_composition(zlay_ctx *ctx, const plain *p, const zlay_layout *a,
                              const plain *q, const zlay_layout *b)
{
    int value[MOST];
    zlay_layout *c;
    zlay_status status = zlay_layout_compose(ctx, &c, a, b);
    for (int i = 0; i < q->size; i++) value[i] = plain_at(p, plain_at(q, i));
    assert_int_equal(status, ZLAY_OK);
    assert_int_equal(zlay_layout_size(c), q->size);
    for (int i = 0; i < q->size; i++)
        if (layout_at(c, (uint64_t)i) != value[i])
            fail_msg("(%d,%d):(%d,%d) o (%d,%d):(%d,%d) at %d", p->shape[0], p->shape[1],
                     p->stride[0], p->stride[1], q->shape[0], q->shape[1], q->stride[0],
                     q->stride[1], i);
    bool strided = zlay_layout_kind(c) == ZLAY_LAYOUT_STRIDED;
    assert_int_equal(strided, is_strided(value, q));
    if (zlay_layout_kind(c) == ZLAY_LAYOUT_SWIZZLED) assert_true(is_swizzled(value, q));
    if (zlay_layout_kind(c) == ZLAY_LAYOUT_F2)
        assert_true(is_f2(value, q) && !is_swizzled(value, q));
    if (zlay_layout_kind(c) == ZLAY_LAYOUT_PIECES)
        assert_false(is_strided(value, q) || is_f2(value, q) || is_swizzled(value, q));
    zlay_layout_free(c);
}

/* All 3.2 million pairs under ZLAY_EXHAUSTIVE=2, under 1 those that pair_stands leaves; else one in 40, or with ZLAY_SCALE more,
 * 40 for all. */
static void all_compositions(void **state)
{
    static plain p[4000];
    uint64_t seed = test_seed("pairs"), scale = test_exhaustive() ? 40 : test_iterations(1);
    int count = world(p, 12, 0, 6), stride = scale > 40 ? 1 : (int)(40 / scale);
    zlay_layout **made = malloc(sizeof *made * (size_t)count);
    for (int i = 0; i < count; i++) made[i] = make(*state, &p[i], 0);
    for (int i = 0; i < count; i++)
        for (int j = (int)test_range(&seed, 0, stride - 1); j < count; j += stride)
            if (pair_stands(&p[i], &p[j], 6, &seed)) check_composition(*state, &p[i], made[i], &p[j], made[j]);
    for (int i = 0; i < count; i++) zlay_layout_free(made[i]);
    free(made);
}

static void check_equality(zlay_ctx *ctx, const plain *p, const zlay_layout *a, const plain *q,
                           const zlay_layout *b)
{
    zlay_witness w;
    zlay_answer answer;
    int first = 0;
    assert_int_equal(zlay_layout_equal(ctx, &answer, &w, a, b), ZLAY_OK);
    if (p->size == q->size)
        while (first < p->size && plain_at(p, first) == plain_at(q, first)) first++;
    assert_int_equal(answer, first == p->size ? ZLAY_YES : ZLAY_NO);
    if (answer == ZLAY_YES || p->size != q->size) return;
    assert_int_equal(w.index, first);
    assert_int_equal(w.a, plain_at(p, first));
    assert_int_equal(w.b, plain_at(q, first));
}

static void all_equalities(void **state)
{
    static plain p[4000];
    int count = world(p, 12, -3, 3);
    zlay_layout **made = malloc(sizeof *made * (size_t)count);
    for (int i = 0; i < count; i++) made[i] = make(*state, &p[i], 0);
    for (int i = 0; i < count; i++)
        for (int j = i % 5; j < count; j += 5)
            if (p[i].size == p[j].size || j % 7 == 0)
                check_equality(*state, &p[i], made[i], &p[j], made[j]);
    for (int i = 0; i < count; i++) zlay_layout_free(made[i]);
    free(made);
}

static void check_coalesced(zlay_ctx *ctx, const plain *p, const zlay_layout *a)
{
    char text[1024];
    zlay_layout *flat;
    int expected = p->size == 1 ? 1 : 0;
    assert_int_equal(zlay_layout_coalesce(ctx, &flat, a), ZLAY_OK);
    assert_int_equal(zlay_layout_size(flat), p->size);
    for (int i = 0; i < p->size; i++)
        assert_int_equal(layout_at(flat, (uint64_t)i), plain_at(p, i) - 5);
    for (int step = 1; step < p->size; expected++) {
        int n = 1, slope = plain_at(p, step) - plain_at(p, 0);
        while (step * n < p->size && plain_at(p, step * n) - plain_at(p, 0) == n * slope) n++;
        step *= n;
    }
    int modes = 1;
    for (const char *c = layout_text(text, flat); *c != ':'; c++) modes += *c == ',';
    assert_int_equal(modes, expected);
    zlay_layout_free(flat);
}

/* As few modes as the progressions of the values have breaks. */
static void all_coalesced(void **state)
{
    static plain p[210000];
    int count = world(p, 32, -8, 32);
    for (int i = 0; i < count; i++) {
        zlay_layout *a = make(*state, &p[i], -5);
        check_coalesced(*state, &p[i], a);
        zlay_layout_free(a);
    }
}

static bool overlaps(const plain *p)
{
    bool seen[4096] = {0};
    for (int i = 0; i < p->size; i++) {
        int x = p->rank == 2 ? i % p->shape[0] : i, y = p->rank == 2 ? i / p->shape[0] : 0;
        if ((!p->stride[0] && x) || (p->rank == 2 && !p->stride[1] && y)) continue;
        if (seen[plain_at(p, i)]) return true;
        seen[plain_at(p, i)] = true;
    }
    return false;
}

/* The copies go on to the cotarget. */
static void check_reach(const plain *p, int64_t last, uint64_t cotarget)
{
    int64_t span = 1;
    for (int m = 0; m < p->rank; m++)
        if (p->shape[m] > 1 && p->shape[m] * p->stride[m] > span) span = p->shape[m] * p->stride[m];
    assert_true(last + span >= (int64_t)cotarget);
}

/* One mode steps inside what the mode of the smaller stride spans. */
static bool interleaves(const plain *p)
{
    int low = p->stride[0] > p->stride[1];
    return p->rank == 2 && p->stride[low] * p->shape[low] > p->stride[!low];
}

/* Copies of b put at the least free value, again and again, reach the cotarget without overlap. */
static bool tiles(const plain *p, uint64_t cotarget)
{
    bool seen[1 << 12] = {0};
    for (uint64_t at = 0; at < cotarget; at++) {
        bool own[1 << 10] = {0};
        if (seen[at]) continue;
        for (int i = 0; i < p->size; i++) own[plain_at(p, i)] = true;
        for (int v = 0; v < 1 << 10; v++) {
            if (own[v] && seen[at + (uint64_t)v]) return false;
            seen[at + (uint64_t)v] |= own[v];
        }
    }
    return true;
}

/* Ordered, from 0, and each sum of a value of b and one of the complement comes from one pair. */
static void check_complement(zlay_ctx *ctx, const plain *p, const zlay_layout *b, uint64_t cotarget)
{
    bool seen[1 << 14] = {0}, own[1 << 10] = {0};
    int64_t last = -1;
    zlay_layout *c;
    zlay_status status = zlay_layout_complement(ctx, &c, b, cotarget);
    assert_int_equal(status == ZLAY_NONE, overlaps(p) || (interleaves(p) && !tiles(p, cotarget)));
    if (status) assert_int_equal(status, ZLAY_NONE);
    if (status) return;
    for (int j = 0; j < p->size; j++) own[plain_at(p, j)] = true;
    for (uint64_t i = 0; i < zlay_layout_size(c); i++) {
        int64_t v = layout_at(c, i);
        assert_true(i ? v > last : v == 0);
        last = v;
        for (int64_t u = 0; u < 1 << 10; u++) {
            if (!own[u]) continue;
            assert_true(u + v < 1 << 14 && !seen[u + v]);
            seen[u + v] = true;
        }
    }
    check_reach(p, last, cotarget);
    zlay_layout_free(c);
}

static void all_complements(void **state)
{
    static plain p[40000];
    static const uint64_t cotarget[] = {1, 12, 24, 37};
    int count = world(p, 16, 0, 24);
    for (int i = 0; i < count; i++) {
        zlay_layout *b = make(*state, &p[i], 0);
        for (int k = 0; k < 4; k++) check_complement(*state, &p[i], b, cotarget[k]);
        zlay_layout_free(b);
    }
}

static void check_swizzle(zlay_ctx *ctx, int bits, int base, int shift)
{
    int points = 1 << (bits + base + abs(shift) + 1);
    char text[128];
    zlay_layout *s, *f2, *twice;
    zlay_answer answer;
    sprintf(text, "Sw<%d,%d,%d> o 0 o %d", bits, base, shift, points);
    s = read_layout(ctx, text);
    for (int i = 0; i < points; i++)
        assert_int_equal(layout_at(s, (uint64_t)i), swizzle(bits, base, shift, i));
    assert_int_equal(zlay_layout_lower(ctx, &f2, s), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, s, f2), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    for (int i = 0; i < points; i++)
        assert_int_equal(layout_at(f2, (uint64_t)i), swizzle(bits, base, shift, i));
    assert_int_equal(zlay_layout_compose(ctx, &twice, s, s), ZLAY_OK);
    sprintf(text, "%d:1", points);
    assert_text(twice, text);
    zlay_layout_free(twice);
    assert_int_equal(zlay_layout_compose(ctx, &twice, f2, f2), ZLAY_OK);
    assert_text(twice, text);
    zlay_layout_free(twice);
    zlay_layout_free(f2);
    zlay_layout_free(s);
}

static void all_swizzles(void **state)
{
    int count = 0;
    for (int bits = 0; bits <= 5; bits++)
        for (int base = 0; bits + base <= 10; base++)
            for (int shift = base + bits - 10; shift <= 10 - base - bits; shift++)
                if (abs(shift) >= bits) check_swizzle(*state, bits, base, shift), count++;
    assert_true(count > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_compositions), cmocka_unit_test(all_equalities),
        cmocka_unit_test(all_coalesced), cmocka_unit_test(all_complements),
        cmocka_unit_test(all_swizzles),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
