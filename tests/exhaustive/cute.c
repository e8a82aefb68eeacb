/* SPDX-License-Identifier: Apache-2.0 */
/* CuTe's algebra in small worlds: each result against what enumeration says that it must be. */
#include "layouts/world.h"

#include <zlay/cute.h>

enum { SIZE = 32, VALUES = 4096 };

static void wrong(const char *what, const plain *p, const plain *q, int at)
{
    static const plain none = {1, 1, {1, 1}, {0, 0}};
    if (!q) q = &none;
    fail_msg("%s: (%d,%d):(%d,%d) and (%d,%d):(%d,%d), at %d", what, p->shape[0], p->shape[1],
             p->stride[0], p->stride[1], q->shape[0], q->shape[1], q->stride[0], q->stride[1], at);
}

/* ---- inverses -------------------------------------------------------------------------------- */

/* How many values from 0 on there are. */
static int prefix(const plain *p)
{
    bool seen[SIZE + 1] = {0};
    int count = 0;
    for (int i = 0; i < p->size; i++) {
        int v = plain_at(p, i);
        if (v >= 0 && v <= SIZE) seen[v] = true;
    }
    while (count <= SIZE && seen[count]) count++;
    return count;
}

static void check_right(zlay_ctx *ctx, const plain *p, const zlay_layout *a)
{
    zlay_layout *r;
    assert_int_equal(zlay_layout_right_inverse(ctx, &r, a), ZLAY_OK);
    if ((int)zlay_layout_size(r) != prefix(p)) wrong("right inverse's size", p, NULL, prefix(p));
    for (int k = 0; k < prefix(p); k++) {
        int64_t at = layout_at(r, (uint64_t)k);
        if (at < 0 || at >= p->size || plain_at(p, (int)at) != k) wrong("right", p, NULL, k);
    }
    zlay_layout_free(r);
}

static bool has_left(const plain *p)
{
    for (int i = 0; i < p->size; i++) {
        if (plain_at(p, i) < 0) return false;
        for (int j = 0; j < i; j++)
            if (plain_at(p, i) == plain_at(p, j)) return false;
    }
    return true;
}

static void check_left(zlay_ctx *ctx, const plain *p, const zlay_layout *a)
{
    zlay_layout *l;
    zlay_status status = zlay_layout_left_inverse(ctx, &l, a);
    if (status != (has_left(p) ? ZLAY_OK : ZLAY_NONE)) wrong("left inverse's status", p, NULL, 0);
    if (status) return;
    for (int i = 0; i < p->size; i++) {
        int v = plain_at(p, i);
        if (v >= (int)zlay_layout_size(l) || layout_at(l, (uint64_t)v) != i) wrong("left", p, NULL, i);
    }
    zlay_layout_free(l);
}

static void all_inverses(void **state)
{
    static plain p[210000];
    int count = world(p, SIZE, -8, 32), step = test_exhaustive() ? 1 : 3;
    uint64_t seed = test_seed("inverses");
    for (int i = (int)test_range(&seed, 0, step - 1); i < count; i += step) {
        zlay_layout *a = make(*state, &p[i], 0);
        check_right(*state, &p[i], a);
        check_left(*state, &p[i], a);
        zlay_layout_free(a);
    }
}

/* ---- casts -------------------------------------------------------------------------------------- */

/* CuTe's rule, a mode at a time: false where it has none. */
static bool cast_up(plain *out, const plain *p, int n)
{
    *out = *p;
    out->size = 1;
    for (int m = 0; m < p->rank; m++) {
        int d = abs(p->stride[m]), merged = 1;
        if (d && d % n && n % d) return false;
        if (d) merged = d < n ? n / d : 1;
        out->shape[m] = (p->shape[m] + merged - 1) / merged;
        if (d) out->stride[m] = (p->stride[m] < 0 ? -1 : 1) * (d < n ? 1 : d / n);
        out->size *= out->shape[m];
    }
    return true;
}

/* i -> a(n i) / n, where the n values from there on are one element. */
static bool whole_elements(int *value, const plain *p, int n)
{
    if (p->size % n) return false;
    for (int i = 0; i < p->size / n; i++) {
        int first = plain_at(p, i * n);
        for (int k = 0; k < n; k++)
            if (plain_at(p, i * n + k) != first + k) return false;
        if (first % n) return false;
        value[i] = first / n;
    }
    return true;
}

static void check_up(zlay_ctx *ctx, const plain *p, const zlay_layout *a, int n)
{
    int value[SIZE];
    plain q;
    zlay_layout *u;
    bool cute = cast_up(&q, p, n), there = cute || whole_elements(value, p, n);
    zlay_status status = zlay_layout_upcast(ctx, &u, a, (uint64_t)n);
    if (status != (there ? ZLAY_OK : ZLAY_NONE)) wrong("upcast's status", p, NULL, n);
    if (status) return;
    assert_int_equal(zlay_layout_size(u), cute ? q.size : p->size / n);
    for (int i = 0; i < (int)zlay_layout_size(u); i++)
        if (layout_at(u, (uint64_t)i) != (cute ? plain_at(&q, i) : value[i])) wrong("up", p, NULL, i);
    zlay_layout_free(u);
}

static bool has_unit(const plain *p)
{
    return abs(p->stride[0]) == 1 || (p->rank == 2 && abs(p->stride[1]) == 1);
}

static void check_down(zlay_ctx *ctx, const plain *p, const zlay_layout *a, int n)
{
    plain q = *p;
    zlay_layout *d;
    bool unit = has_unit(p);
    for (int m = 0; m < p->rank && unit; m++) {
        bool grows = abs(p->stride[m]) == 1;
        q.size *= grows ? n : 1;
        q.shape[m] *= grows ? n : 1;
        q.stride[m] *= grows ? 1 : n;
    }
    assert_int_equal(zlay_layout_downcast(ctx, &d, a, (uint64_t)n), ZLAY_OK);
    assert_int_equal(zlay_layout_size(d), unit ? q.size : p->size * n);
    for (int i = 0; i < (int)zlay_layout_size(d); i++)
        if (layout_at(d, (uint64_t)i) != (unit ? plain_at(&q, i) : plain_at(p, i / n) * n + i % n))
            wrong("down", p, NULL, i);
    zlay_layout_free(d);
}

static void all_casts(void **state)
{
    static plain p[210000];
    int count = world(p, SIZE, -8, 32), step = test_exhaustive() ? 1 : 11;
    uint64_t seed = test_seed("casts");
    for (int i = (int)test_range(&seed, 0, step - 1); i < count; i += step) {
        zlay_layout *a = make(*state, &p[i], 0);
        for (int n = 1; n <= 8; n++) {
            check_up(*state, &p[i], a, n);
            check_down(*state, &p[i], a, n);
        }
        zlay_layout_free(a);
    }
}

/* ---- complements, for pairs --------------------------------------------------------------------- */

/* The values of a complement, and the extent and value step of each of its modes where it is a sum. */
typedef struct gaps {
    int count, value[VALUES];
    int modes, shape[4], stride[4]; /* modes 0: no sum */
} gaps;

/* The modes that move, the smaller stride first. */
static int moving(int shape[2], int stride[2], const plain *b)
{
    int count = 0;
    for (int m = 0; m < b->rank; m++) {
        if (b->shape[m] == 1 || !b->stride[m]) continue;
        shape[count] = b->shape[m];
        stride[count++] = b->stride[m];
    }
    if (count == 2 && stride[1] < stride[0]) {
        int n = shape[0], d = stride[0];
        shape[0] = shape[1], stride[0] = stride[1];
        shape[1] = n, stride[1] = d;
    }
    return count;
}

/* CuTe's: the gap below each stride, then what is left of the target. */
static void gaps_of_modes(gaps *g, const int *shape, const int *stride, int count, int target)
{
    int span = 1;
    g->modes = 0;
    for (int m = 0; m <= count; m++) {
        int rest = (target + span - 1) / span;
        g->shape[g->modes] = m < count ? stride[m] / span : rest ? rest : 1;
        g->stride[g->modes++] = span;
        if (m < count) span = shape[m] * stride[m];
    }
    g->count = 1;
    g->value[0] = 0;
    for (int m = 0; m < g->modes; m++)
        for (int done = g->count, k = 1; k < g->shape[m]; k++)
            for (int i = 0; i < done; i++) g->value[g->count++] = g->value[i] + k * g->stride[m];
}

/* The least value that is not reached yet, again and again. */
static bool gaps_of_values(gaps *g, const plain *b, int target)
{
    bool seen[2 * VALUES] = {0}, own[VALUES] = {0};
    g->count = g->modes = 0;
    for (int i = 0; i < b->size; i++) own[plain_at(b, i)] = true;
    for (int at = 0; at < target || !g->count; at++) {
        if (seen[at]) continue;
        for (int v = 0; v < 256; v++) {
            if (own[v] && seen[at + v]) return false;
            seen[at + v] |= own[v];
        }
        g->value[g->count++] = at;
    }
    return true;
}

/* Two points of the modes that move have one value. */
static bool overlaps(const int *shape, const int *stride, int count)
{
    bool seen[VALUES] = {0};
    for (int j = 0; j < (count == 2 ? shape[1] : 1); j++)
        for (int i = 0; i < (count ? shape[0] : 1); i++) {
            int v = (count ? i * stride[0] : 0) + (count == 2 ? j * stride[1] : 0);
            if (seen[v]) return true;
            seen[v] = true;
        }
    return false;
}

static bool complement(gaps *g, const plain *b, int target)
{
    int shape[2], stride[2], count = moving(shape, stride, b);
    if (overlaps(shape, stride, count)) return false;
    if (count == 2 && stride[1] < shape[0] * stride[0]) return gaps_of_values(g, b, target);
    gaps_of_modes(g, shape, stride, count, target);
    return true;
}

/* ---- pairs ------------------------------------------------------------------------------------- */

typedef zlay_status arranged(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_layout *b, zlay_arrangement arrangement);

/* Every arrangement of the same function: the first mode stays the fastest. */
static void check_arranged(zlay_ctx *ctx, arranged *make_it, const zlay_layout *a,
                           const zlay_layout *b, const zlay_layout *logical)
{
    for (zlay_arrangement k = ZLAY_ZIPPED; k <= ZLAY_FLAT; k++) {
        zlay_layout *other;
        zlay_answer answer;
        assert_int_equal(make_it(ctx, &other, a, b, k), ZLAY_OK);
        assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, other, logical), ZLAY_OK);
        assert_int_equal(answer, ZLAY_YES);
        zlay_layout_free(other);
    }
}

static void check_divide(zlay_ctx *ctx, const plain *p, const zlay_layout *a, const plain *q,
                         const zlay_layout *b)
{
    static gaps g;
    zlay_layout *d;
    bool there = complement(&g, q, p->size);
    zlay_status status = zlay_layout_divide(ctx, &d, a, b, ZLAY_LOGICAL);
    if (status != (there ? ZLAY_OK : ZLAY_NONE)) wrong("divide's status", p, q, status);
    if (status) return;
    if ((int)zlay_layout_size(d) != q->size * g.count) wrong("divide's size", p, q, g.count);
    for (int i = 0; i < q->size * g.count; i++) {
        int at = plain_at(q, i % q->size) + g.value[i / q->size];
        if (layout_at(d, (uint64_t)i) != plain_at(p, at)) wrong("divide", p, q, i);
    }
    check_arranged(ctx, zlay_layout_divide, a, b, d);
    zlay_layout_free(d);
}

/* A complement that is a sum goes on past its box by its last mode, where that has an extent. */
static int gaps_at(const gaps *g, int index)
{
    int value = 0, last = g->modes - 1;
    while (last > 0 && g->shape[last] == 1) last--;
    for (int m = 0; m < last; index /= g->shape[m++]) value += index % g->shape[m] * g->stride[m];
    return value + index * (g->count > 1 ? g->stride[last] : 0);
}

static int greatest(const plain *p)
{
    int most = 0;
    for (int i = 0; i < p->size; i++) most = plain_at(p, i) > most ? plain_at(p, i) : most;
    return most;
}

static void check_product(zlay_ctx *ctx, const plain *p, const zlay_layout *a, const plain *q,
                          const zlay_layout *b)
{
    static gaps g;
    zlay_layout *d;
    bool there = complement(&g, p, p->size * (greatest(q) + 1));
    zlay_status status = zlay_layout_product(ctx, &d, a, b, ZLAY_LOGICAL);
    if (status != (there ? ZLAY_OK : ZLAY_NONE)) wrong("product's status", p, q, status);
    if (status) return;
    if ((int)zlay_layout_size(d) != p->size * q->size) wrong("product's size", p, q, 0);
    for (int i = 0; i < p->size * q->size; i++) {
        int at = plain_at(q, i / p->size);
        int copy = g.modes ? gaps_at(&g, at) : g.value[at];
        if (layout_at(d, (uint64_t)i) != plain_at(p, i % p->size) + copy) wrong("product", p, q, i);
    }
    check_arranged(ctx, zlay_layout_product, a, b, d);
    zlay_layout_free(d);
}

/* For blocked and raked both have as many modes: the missing one has extent 1. */
static int paired(const plain *p, const plain *q, const gaps *g, int index, bool raked)
{
    int x[2], y[2];
    for (int m = 0; m < 2; m++) {
        int n = m < p->rank ? p->shape[m] : 1, k = m < q->rank ? q->shape[m] : 1;
        x[m] = raked ? index / k % n : index % n;
        y[m] = raked ? index % k : index / n % k;
        index /= n * k;
    }
    int i = x[0] + p->shape[0] * x[1], j = y[0] + q->shape[0] * y[1];
    int at = plain_at(q, j);
    return plain_at(p, i) + (g->modes ? gaps_at(g, at) : g->value[at]);
}

static void check_paired(zlay_ctx *ctx, const plain *p, const zlay_layout *a, const plain *q,
                         const zlay_layout *b)
{
    static gaps g;
    bool there = complement(&g, p, p->size * (greatest(q) + 1));
    for (int raked = 0; raked < 2; raked++) {
        zlay_layout *d;
        zlay_status status = raked ? zlay_layout_raked_product(ctx, &d, a, b)
                                   : zlay_layout_blocked_product(ctx, &d, a, b);
        if (status != (there ? ZLAY_OK : ZLAY_NONE)) wrong("blocked's status", p, q, status);
        if (status) continue;
        if ((int)zlay_layout_size(d) != p->size * q->size) wrong("blocked's size", p, q, raked);
        for (int i = 0; i < p->size * q->size; i++)
            if (layout_at(d, (uint64_t)i) != paired(p, q, &g, i, raked)) wrong("blocked", p, q, i);
        zlay_layout_free(d);
    }
}

static bool has_twice(const plain *p)
{
    for (int i = 0; i < p->size; i++)
        for (int j = 0; j < i; j++)
            if (plain_at(p, i) == plain_at(p, j)) return true;
    return false;
}

/* The longest run of values 0, 1, ... that each stand at one index of both. */
static int common(const plain *p, const plain *q)
{
    bool seen[SIZE + 1] = {0};
    int count = 0;
    for (int i = 0; i < q->size; i++)
        if (plain_at(p, i) == plain_at(q, i) && plain_at(q, i) <= SIZE) seen[plain_at(q, i)] = true;
    while (seen[count]) count++;
    return count;
}

static void check_common(zlay_ctx *ctx, const plain *p, const zlay_layout *a, const plain *q,
                         const zlay_layout *b)
{
    zlay_layout *l;
    uint64_t vector;
    int longest = common(p, q);
    assert_int_equal(zlay_layout_max_common_layout(ctx, &l, a, b), ZLAY_OK);
    assert_int_equal(zlay_layout_max_common_vector(ctx, &vector, a, b), ZLAY_OK);
    int count = (int)zlay_layout_size(l);
    if (has_twice(q) ? count > longest : count != longest) wrong("common's size", p, q, longest);
    if ((int)vector != count) wrong("common vector", p, q, count);
    for (int k = 0; k < count; k++) {
        int64_t value = -1;
        zlay_status status = zlay_layout_eval(&value, 1, l, (uint64_t)k);
        int at = (int)value;
        if (status || at < 0 || plain_at(p, at) != k || plain_at(q, at) != k || at >= q->size) wrong("common", p, q, k);
    }
    zlay_layout_free(l);
}

/* All 3.2 million pairs under ZLAY_EXHAUSTIVE=2, under 1 every second of those that pair_stands leaves; else one in many. */
static void all_pairs(void **state)
{
    static plain p[4000];
    uint64_t seed = test_seed("pairs"), scale = test_iterations(1);
    int count = world(p, 12, 0, 6), most = test_hours() ? 1 : test_exhaustive() ? 2 : (int)(scale > 150 ? 1 : 150 / scale);
    zlay_layout **made = malloc(sizeof *made * (size_t)count);
    for (int i = 0; i < count; i++) made[i] = make(*state, &p[i], 0);
    for (int i = 0; i < count; i++)
        for (int j = (int)test_range(&seed, 0, most - 1); j < count; j += most) {
            if (!pair_stands(&p[i], &p[j], 6, &seed)) continue;
            check_divide(*state, &p[i], made[i], &p[j], made[j]);
            check_product(*state, &p[i], made[i], &p[j], made[j]);
            check_paired(*state, &p[i], made[i], &p[j], made[j]);
            check_common(*state, &p[i], made[i], &p[j], made[j]);
        }
    for (int i = 0; i < count; i++) zlay_layout_free(made[i]);
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_inverses), cmocka_unit_test(all_casts), cmocka_unit_test(all_pairs),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
