/* SPDX-License-Identifier: Apache-2.0 */
/* Every pair of ranges of a small world through every operation: each result against all pairs of
 * members; where the domain can be exact, exactly. */
#include "algebra/facts/facts.h"
#include "test.h"

enum { EDGE = 9, WORLD = 1000, VALUES = 2 * EDGE + 1 };

typedef struct set {
    zlay_range range;
    int count, value[VALUES];
} set;

/* All ranges in [-EDGE, EDGE] with a modulus up to 6, each once: equal sets are one range. */
static int world(set *out)
{
    int count = 0;
    for (int lo = -EDGE; lo <= EDGE; lo++)
        for (int hi = lo; hi <= EDGE; hi++)
            for (int mod = 1; mod <= 6; mod++)
                for (int rem = 0; rem < mod; rem++) {
                    set s = {zl_range_meet(zl_range_between(lo, hi), zl_range_congruent(rem, mod)), 0, {0}};
                    for (int x = lo; x <= hi; x++)
                        if ((x - rem) % mod == 0) s.value[s.count++] = x;
                    assert_int_equal(zl_range_is_empty(s.range), !s.count);
                    bool tight = s.count && s.value[0] == lo && s.value[s.count - 1] == hi;
                    if (tight && (s.count > 1 || mod == 1) && count < WORLD) out[count++] = s;
                }
    return count;
}

static int gcd(int a, int b) { return b ? gcd(b, a % b) : abs(a); }

/* The least range that holds a set of results. */
typedef struct hull {
    int count, lo, hi, mod;
} hull;

static void hull_add(hull *h, int value)
{
    h->mod = h->count ? gcd(h->mod, value - h->lo) : 0;
    if (!h->count || value < h->lo) h->lo = value;
    if (!h->count || value > h->hi) h->hi = value;
    h->count++;
}

static bool is_hull(const hull *h, zlay_range r)
{
    if (!h->count) return zl_range_is_empty(r);
    return r.lo == h->lo && r.hi == h->hi && r.mod == h->mod && (r.mod ? (h->lo - r.rem) % r.mod == 0 : r.rem == h->lo);
}

static int floor_div(int a, int b) { return a / b - (a % b && (a < 0) != (b < 0)); }

static int add_of(int a, int b) { return a + b; }
static int mul_of(int a, int b) { return a * b; }
static int div_of(int a, int b) { return floor_div(a, b); }
static int mod_of(int a, int b) { return a - b * floor_div(a, b); }
static int min_of(int a, int b) { return a < b ? a : b; }
static int max_of(int a, int b) { return a > b ? a : b; }

static const struct {
    const char *name;
    zlay_range (*of)(zlay_range a, zlay_range b);
    int (*at)(int a, int b);
    bool divides;
} ops[] = {
    {"+", zl_range_add, add_of, false},         {"*", zl_range_mul, mul_of, false},
    {"/", zl_range_floor_div, div_of, true},    {"mod", zl_range_mod, mod_of, true},
    {"min", zl_range_min, min_of, false},       {"max", zl_range_max, max_of, false},
};

static void check(size_t op, const set *a, const set *b)
{
    zlay_range r = ops[op].of(a->range, b->range);
    hull h = {0, 0, 0, 0};
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            if (ops[op].divides && !b->value[j]) continue;
            int value = ops[op].at(a->value[i], b->value[j]);
            if (!zl_range_has(r, value))
                fail_msg("%d %s %d = %d is not in [%d, %d] %d mod %d", a->value[i], ops[op].name,
                         b->value[j], value, (int)r.lo, (int)r.hi, (int)r.rem, (int)r.mod);
            hull_add(&h, value);
        }
    bool exact = op == 0 || (b->count == 1 && op != 3) || !h.count;
    if (exact && op < 2 && !is_hull(&h, r))
        fail_msg("[%d, %d] %d mod %d %s [%d, %d] %d mod %d", (int)a->range.lo, (int)a->range.hi,
                 (int)a->range.rem, (int)a->range.mod, ops[op].name, (int)b->range.lo,
                 (int)b->range.hi, (int)b->range.rem, (int)b->range.mod);
    if (!h.count) assert_true(zl_range_is_empty(r));
    if (op != 3 && h.count) assert_true(op == 2 || (r.lo == h.lo && r.hi == h.hi));
}

static void check_lattice(const set *a, const set *b)
{
    hull meet = {0, 0, 0, 0}, join = {0, 0, 0, 0};
    for (int i = 0; i < a->count; i++) {
        hull_add(&join, a->value[i]);
        for (int j = 0; j < b->count; j++)
            if (a->value[i] == b->value[j]) hull_add(&meet, a->value[i]);
    }
    for (int j = 0; j < b->count; j++) hull_add(&join, b->value[j]);
    assert_true(is_hull(&meet, zl_range_meet(a->range, b->range)));
    assert_true(is_hull(&join, zl_range_join(a->range, b->range)));
}

static void all_pairs(void **state)
{
    static set all[WORLD];
    int count = world(all);
    (void)state;
    assert_in_range(count, 200, WORLD - 1);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            check_lattice(&all[i], &all[j]);
            for (size_t op = 0; op < sizeof ops / sizeof ops[0]; op++) check(op, &all[i], &all[j]);
        }
}

/* Half-lines and lines: every integer of a window is in the result of what it is a result of. */
static void without_bounds(void **state)
{
    (void)state;
    for (int kind = 0; kind < 9; kind++)
        for (int mod = 1; mod <= 4; mod++)
            for (int rem = 0; rem < mod; rem++) {
                zlay_range a = zl_range_congruent(rem, mod), b = a;
                if (kind % 3 == 1) a = zl_range_meet(a, zl_range_between(-3, INT64_MAX));
                if (kind % 3 == 2) a = zl_range_meet(a, zl_range_between(INT64_MIN, 5));
                if (kind / 3 == 1) b = zl_range_between(-2, INT64_MAX);
                if (kind / 3 == 2) b = zl_range_between(INT64_MIN, 4);
                for (int x = -30; x <= 30; x++)
                    for (int y = -30; y <= 30; y++) {
                        if (!zl_range_has(a, x) || !zl_range_has(b, y)) continue;
                        for (size_t op = 0; op < sizeof ops / sizeof ops[0]; op++)
                            if (!ops[op].divides || y)
                                assert_true(zl_range_has(ops[op].of(a, b), ops[op].at(x, y)));
                    }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs),
        cmocka_unit_test(without_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
