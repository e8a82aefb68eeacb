/* SPDX-License-Identifier: Apache-2.0 */
#include "heap_layouts.h"
#include "layouts/hier.h"

/* ---- tests -------------------------------------------------------------------------------- */

static void example(void **state)
{
    const zlay_level level[] = {{"register", 2}, {"lane", 3}};
    zlay_layout *a = read_layout(*state, "5 o 6:-1"), *b = read_layout(*state, "(2,3):(3,1)");
    zlay_layout *same = read_layout(*state, "6:1");
    zlay_hier *h;
    zlay_tier tier[2];
    uint64_t map[3], below[3];
    zlay_answer answer;
    zlay_crossing w;
    zlay_reach reach;
    assert_int_equal(zlay_hier_normal(*state, &h, a, level, 2), ZLAY_OK);
    assert_int_equal(zlay_hier_levels(tier, 2, h), 2);
    assert_string_equal(tier[1].name, "lane");
    assert_int_equal(tier[0].nodes, 1);
    assert_int_equal(zlay_hier_node(map, below, 3, h, 1, 0), ZLAY_OK);
    assert_true(map[0] == 2 && map[1] == 1 && map[2] == 0);
    assert_true(below[0] == 0 && below[1] == 0 && below[2] == 0);
    assert_int_equal(zlay_hier_node(map, below, 3, h, 0, 0), ZLAY_OK);
    assert_true(map[0] == 1 && map[1] == 0);
    assert_int_equal(zlay_hier_keeps(*state, &answer, &w, b, level, 2), ZLAY_OK);
    assert_true(answer == ZLAY_NO && w.level == 0 && w.i == 0 && w.j == 1);
    assert_int_equal(zlay_hier_level(*state, &reach, same, a, level, 2), ZLAY_OK);
    assert_true(reach.level == 1 && reach.to == 0 && reach.from == 5);
    zlay_hier_free(h);
    zlay_layout_free(a);
    zlay_layout_free(b);
    zlay_layout_free(same);
}

static const int shapes[][LEVELS_MOST] = {{6}, {2, 3}, {3, 2}, {2, 2, 2}, {3, 2, 2}, {4, 1, 3},
                                          {1, 1}, {2, 3, 2, 2}, {5, 3}, {2, 2, 2, 3, 2}};

static tree random_tree(uint64_t *seed)
{
    const int *size = shapes[test_range(seed, 0, (int64_t)(sizeof shapes / sizeof shapes[0]) - 1)];
    size_t count = 0;
    while (count < LEVELS_MOST && size[count]) count++;
    return tree_of(count, size);
}

/* Half of them keep the levels; the rest are such maps with two slots swapped, or any bijection. */
static void random_bijection(uint64_t *seed, const tree *t, int *to)
{
    random_kept(seed, t, to);
    int64_t way = test_range(seed, 0, 3);
    if (way == 1) test_shuffle(seed, to, t->slots);
    if (way == 2) {
        int i = (int)test_range(seed, 0, t->slots - 1), j = (int)test_range(seed, 0, t->slots - 1);
        int keep = to[i];
        to[i] = to[j];
        to[j] = keep;
    }
}

static void bijections(void **state)
{
    uint64_t seed = test_seed("bijections");
    for (uint64_t i = 0; i < test_iterations(1500); i++) {
        tree t = random_tree(&seed);
        int p[64], q[64];
        random_bijection(&seed, &t, p);
        random_bijection(&seed, &t, q);
        check_keeps(*state, &t, p);
        check_level(*state, &t, p, q);
    }
}

/* A X = B where X stays in the blocks of a level that is drawn. */
static void levels(void **state)
{
    uint64_t seed = test_seed("levels");
    int seen[LEVELS_MOST + 1] = {0};
    for (uint64_t i = 0; i < test_iterations(1000); i++) {
        tree t = random_tree(&seed);
        int p[64], x[64], q[64], block = 1;
        random_bijection(&seed, &t, p);
        for (int64_t k = test_range(&seed, 0, (int64_t)t.count); k-- > 0;)
            block *= (int)t.level[k].size;
        for (int s = 0; s < t.slots; s++) x[s] = s;
        for (int s = 0; s < t.slots; s += block) test_shuffle(&seed, x + s, block);
        for (int s = 0; s < t.slots; s++) q[s] = p[x[s]];
        seen[plain_level(&t, x) + 1]++;
        check_level(*state, &t, p, q);
    }
    for (int k = 0; k < 4; k++) assert_int_not_equal(seen[k], 0);
}

/* Products and inverses are those of the arrays; forms are equal exactly when the arrays are. */
static void group(void **state)
{
    uint64_t seed = test_seed("group");
    for (uint64_t i = 0; i < test_iterations(1000); i++) {
        tree t = random_tree(&seed);
        int p[64], q[64], pq[64], inverse[64];
        zlay_hier *product, *other, *direct;
        zlay_answer answer;
        random_kept(&seed, &t, p);
        if (test_range(&seed, 0, 3)) random_kept(&seed, &t, q);
        else memcpy(q, p, sizeof q);
        for (int s = 0; s < t.slots; s++) {
            pq[s] = p[q[s]];
            inverse[p[s]] = s;
        }
        zlay_hier *a = normal_of(*state, &t, p), *b = normal_of(*state, &t, q);
        assert_int_equal(zlay_hier_equal(&answer, a, b), ZLAY_OK);
        assert_int_equal(answer, !memcmp(p, q, (size_t)t.slots * sizeof *p));
        assert_int_equal(zlay_hier_compose(*state, &product, a, b), ZLAY_OK);
        assert_is(product, &t, pq);
        direct = normal_of(*state, &t, pq);
        assert_int_equal(zlay_hier_equal(&answer, product, direct), ZLAY_OK);
        assert_int_equal(answer, ZLAY_YES);
        assert_int_equal(zlay_hier_inverse(*state, &other, a), ZLAY_OK);
        assert_is(other, &t, inverse);
        zlay_hier_free(direct);
        direct = normal_of(*state, &t, inverse);
        assert_int_equal(zlay_hier_equal(&answer, other, direct), ZLAY_OK);
        assert_int_equal(answer, ZLAY_YES);
        zlay_layout *back;
        assert_int_equal(zlay_hier_layout(*state, &back, a), ZLAY_OK);
        for (int s = 0; s < t.slots; s++) assert_int_equal(layout_at(back, (uint64_t)s), p[s]);
        zlay_layout_free(back);
        zlay_hier_free(a);
        zlay_hier_free(b);
        zlay_hier_free(product);
        zlay_hier_free(other);
        zlay_hier_free(direct);
    }
}

/* ---- bases ----------------------------------------------------------------------------------- */

/* x -> constant ^ bases, of 10 bits; kept or not. */
static void random_bases(uint64_t *seed, const int *width, size_t count, uint64_t *basis,
                         bool kept)
{
    int lo = 0;
    for (size_t k = 0; k < count; lo += width[k++])
        for (int b = lo; b < lo + width[k]; b++) {
            basis[b] = (uint64_t)1 << b;
            uint64_t any = test_random(seed) & 1023;
            if (kept) any &= ((uint64_t)1 << (lo + width[k])) - 1;
            if (test_range(seed, 0, 3)) basis[b] ^= any & ~((uint64_t)1 << b);
        }
}

static zlay_layout *bases_layout(zlay_ctx *ctx, const uint64_t *basis, int bits)
{
    char text[1024];
    size_t at = (size_t)snprintf(text, sizeof text, "f2{x:");
    for (int b = 0; b < bits; b++)
        at += (size_t)snprintf(text + at, sizeof text - at, " (%llu)", (unsigned long long)basis[b]);
    snprintf(text + at, sizeof text - at, " -> y: %llu}", 1ull << bits);
    return read_layout(ctx, text);
}

/* False when the bases are no bijection. */
static bool bases_map(const uint64_t *basis, int bits, int *to)
{
    static bool there[1024];
    memset(there, 0, sizeof there);
    for (int i = 0; i < 1 << bits; i++) {
        to[i] = 0;
        for (int b = 0; b < bits; b++)
            if (i >> b & 1) to[i] ^= (int)basis[b];
        if (there[to[i]]) return false;
        there[to[i]] = true;
    }
    return true;
}

/* What linear algebra says is what the points say: the same map as pieces has no bases to look at, so
 * the points are those of the arrays. */
static void bases(void **state)
{
    static const int width[] = {2, 3, 2, 2, 1};
    static const int size[] = {4, 8, 4, 4, 2};
    uint64_t seed = test_seed("bases"), basis[10], other[10];
    tree t = tree_of(5, size);
    int to[1024], next[1024], at[1024], kept = 0, crossed = 0;
    for (uint64_t i = 0; i < test_iterations(300); i++) {
        random_bases(&seed, width, 5, basis, test_range(&seed, 0, 1));
        random_bases(&seed, width, 5, other, test_range(&seed, 0, 1));
        zlay_layout *a = bases_layout(*state, basis, 10), *b = bases_layout(*state, other, 10);
        bool one = bases_map(basis, 10, to), two = bases_map(other, 10, next);
        zlay_answer answer;
        zlay_crossing w;
        zlay_status status = zlay_hier_keeps(*state, &answer, &w, a, t.level, t.count);
        assert_int_equal(status, one ? ZLAY_OK : ZLAY_NONE);
        int level = one ? plain_crosses(&t, to) : 0;
        if (one) assert_int_equal(answer, level < 0);
        if (one && level >= 0) {
            int block = 1;
            for (int k = 0; k <= level; k++) block *= size[k];
            assert_true(w.level == (unsigned)level && w.i == 0 && w.j < (unsigned)block);
            for (int s = 0; s < (int)w.j; s++) assert_int_equal(to[s] / block, to[0] / block);
            assert_int_not_equal(to[w.j] / block, to[0] / block);
        }
        kept += one && level < 0;
        crossed += one && level >= 0;
        zlay_hier *h = NULL;
        if (one && level < 0) {
            assert_int_equal(zlay_hier_normal(*state, &h, a, t.level, t.count), ZLAY_OK);
            assert_is(h, &t, to);
        }
        zlay_hier_free(h);
        zlay_reach reach;
        status = zlay_hier_level(*state, &reach, a, b, t.level, t.count);
        assert_int_equal(status, one && two ? ZLAY_OK : ZLAY_NONE);
        if (one && two) {
            for (int s = 0; s < 1024; s++) at[to[s]] = s;
            for (int s = 0; s < 1024; s++) next[s] = at[next[s]];
            assert_int_equal(reach.level, plain_level(&t, next));
            int below = 1;
            for (int k = 0; k < reach.level; k++) below *= size[k];
            if (reach.level >= 0) assert_int_equal(reach.from, next[reach.to]);
            if (reach.level >= 0) assert_int_not_equal(next[reach.to] / below, (int)reach.to / below);
            for (int s = 0; s < (int)reach.to; s++) assert_int_equal(next[s] / below, s / below);
        }
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
    assert_true(kept > 0 && crossed > 0);
}

/* Bits permuted, some of them flipped: the strides of ten modes of two, negative where flipped. */
static zlay_layout *flipped_bits(zlay_ctx *ctx, const int *place, int constant, int *to)
{
    int64_t shape[10], stride[10];
    zlay_layout *made;
    for (int b = 0; b < 10; b++) {
        shape[b] = 2;
        stride[b] = constant >> place[b] & 1 ? -(1 << place[b]) : 1 << place[b];
    }
    for (int i = 0; i < 1024; i++) {
        to[i] = constant;
        for (int b = 0; b < 10; b++) to[i] ^= (i >> b & 1) << place[b];
    }
    assert_int_equal(zlay_layout_new_strided(ctx, &made, 10, shape, stride, constant), ZLAY_OK);
    return made;
}

static void random_places(uint64_t *seed, int *place)
{
    for (int b = 0; b < 10; b++) place[b] = b;
    if (test_range(seed, 0, 1)) test_shuffle(seed, place, 10);
    else test_shuffle(seed, place + test_range(seed, 0, 3) * 2, 3);
}

/* The same as pieces: values that are counted, not bases. */
static void check_by_values(zlay_ctx *ctx, const tree *t, const zlay_layout *a, const int *to)
{
    zlay_layout *points = layout_of(ctx, to, t->slots);
    zlay_answer one, two;
    zlay_crossing w, v;
    assert_int_equal(zlay_hier_keeps(ctx, &one, &w, a, t->level, t->count), ZLAY_OK);
    assert_int_equal(zlay_hier_keeps(ctx, &two, &v, points, t->level, t->count), ZLAY_OK);
    assert_int_equal(one, two);
    if (!one) assert_true(w.level == v.level && w.i == v.i && w.j == v.j);
    zlay_layout_free(points);
}

static void flips(void **state)
{
    static const int size[] = {4, 8, 4, 4, 2};
    uint64_t seed = test_seed("flips");
    tree t = tree_of(5, size);
    int to[1024], next[1024], at[1024], place[10], seen[6] = {0};
    for (uint64_t i = 0; i < test_iterations(200); i++) {
        random_places(&seed, place);
        int same = (int)test_range(&seed, 0, 1), constant = (int)test_range(&seed, 0, 1023);
        zlay_layout *a = flipped_bits(*state, place, constant, to);
        if (!same) random_places(&seed, place);
        constant ^= (int)test_range(&seed, 0, 1023) & ((1 << test_range(&seed, 0, 10)) - 1);
        zlay_layout *b = flipped_bits(*state, place, constant, next);
        int level = plain_crosses(&t, to);
        zlay_answer answer;
        zlay_crossing w;
        zlay_reach reach;
        assert_int_equal(zlay_hier_keeps(*state, &answer, &w, a, t.level, t.count), ZLAY_OK);
        assert_int_equal(answer, level < 0);
        if (level >= 0) assert_int_equal(w.level, level);
        if (i % 10 == 0) check_by_values(*state, &t, a, to);
        for (int s = 0; s < 1024; s++) at[to[s]] = s;
        for (int s = 0; s < 1024; s++) next[s] = at[next[s]];
        assert_int_equal(zlay_hier_level(*state, &reach, a, b, t.level, t.count), ZLAY_OK);
        assert_int_equal(reach.level, plain_level(&t, next));
        if (reach.level >= 0) assert_int_equal(reach.from, next[reach.to]);
        seen[reach.level + 1]++;
        zlay_hier *h = NULL;
        zlay_status status = zlay_hier_solve(*state, &h, a, b, t.level, t.count);
        assert_int_equal(status, plain_crosses(&t, next) < 0 ? ZLAY_OK : ZLAY_NONE);
        if (!status) assert_is(h, &t, next);
        zlay_hier_free(h);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
    for (int k = 1; k < 6; k++) assert_int_not_equal(seen[k], 0);
}

/* Of 2^40 slots: nothing is enumerated, and forms with few different nodes are still made. */
static void large(void **state)
{
    const zlay_level level[] = {{"low", 1 << 10}, {"middle", 1 << 10}, {"high", 1 << 20}};
    uint64_t basis[40];
    zlay_hier *h, *back;
    zlay_reach reach;
    zlay_answer answer;
    uint64_t value;
    for (int b = 0; b < 40; b++) basis[b] = (uint64_t)1 << b;
    basis[25] ^= 1 << 12 | 3;
    basis[12] ^= 5;
    zlay_layout *a = bases_layout(*state, basis, 40);
    zlay_layout *identity = read_layout(*state, "1099511627776:1");
    assert_int_equal(zlay_hier_normal(*state, &h, a, level, 3), ZLAY_OK);
    for (uint64_t x = 1; x < (uint64_t)1 << 40; x = x * 3 + 1) {
        uint64_t want = x ^ (x >> 25 & 1 ? 1 << 12 | 3 : 0) ^ (x >> 12 & 1 ? 5 : 0);
        assert_int_equal(zlay_hier_eval(&value, h, x), ZLAY_OK);
        assert_true(value == want);
    }
    assert_int_equal(zlay_hier_level(*state, &reach, identity, a, level, 3), ZLAY_OK);
    assert_true(reach.level == 1 && reach.to == 1 << 25 && reach.from == basis[25]);
    assert_int_equal(zlay_hier_inverse(*state, &back, h), ZLAY_OK);
    zlay_hier *one, *solved;
    assert_int_equal(zlay_hier_solve(*state, &solved, a, identity, level, 3), ZLAY_OK);
    assert_int_equal(zlay_hier_equal(&answer, back, solved), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_hier_compose(*state, &one, h, back), ZLAY_OK);
    for (uint64_t x = 1; x < (uint64_t)1 << 40; x = x * 3 + 1) {
        assert_int_equal(zlay_hier_eval(&value, one, x), ZLAY_OK);
        assert_true(value == x);
    }
    zlay_tier tier[3];
    zlay_hier_levels(tier, 3, one);
    assert_true(tier[0].nodes == 1 && tier[1].nodes == 1 && tier[2].nodes == 1);
    zlay_hier_free(one);
    zlay_hier_free(solved);
    zlay_hier_free(back);
    zlay_hier_free(h);
    zlay_layout_free(a);
    zlay_layout_free(identity);
}

/* ---- what is refused ----------------------------------------------------------------------------- */

static void refused(void **state)
{
    static const struct {
        const char *layout;
        zlay_level level[3];
        size_t count;
        zlay_status status;
        const char *word;
    } rows[] = {
        {"6:2", {{"r", 6}}, 1, ZLAY_NONE, "index 3"},
        {"6:0", {{"r", 6}}, 1, ZLAY_NONE, "0 and 1"},
        {"8:0", {{"r", 8}}, 1, ZLAY_NONE, "0 and 1"},
        {"8:2", {{"r", 8}}, 1, ZLAY_NONE, "index 4"},
        {"1 o 8:1", {{"r", 8}}, 1, ZLAY_NONE, "outside"},
        {"-1 o 6:1", {{"r", 6}}, 1, ZLAY_NONE, "index 0"},
        {"{ [i] -> [i] : 0 <= i < 6 and i != 3; [i] -> [3] : i = 7 }", {{"r", 8}}, 1, ZLAY_NONE, "undefined at index 3"},
        {"6", {{"r", 5}}, 1, ZLAY_EINVAL, "5 slots"},
        {"6", {{"r", 2}, {"r", 3}}, 2, ZLAY_EINVAL, "level 1"},
        {"6", {{"2r", 6}}, 1, ZLAY_EINVAL, "level 0"},
        {"6", {{"", 6}}, 1, ZLAY_EINVAL, "level 0"},
        {"6", {{"r", 0}, {"l", 6}}, 2, ZLAY_EINVAL, "'r'"},
        {"6", {{"r", UINT64_MAX}, {"l", 6}}, 2, ZLAY_EINVAL, "2^64"},
        {"6", {{"r", 6}}, 0, ZLAY_EINVAL, "at least one"},
        {"6291456:1", {{"r", 6291456}}, 1, ZLAY_ELIMIT, "limits.points"},
        {"8388608:1", {{"r", 8388608}}, 1, ZLAY_ELIMIT, "level 'r'"},
        {"[N] -> { [i] -> [i] : 0 <= i < N }", {{"r", 6}}, 1, ZLAY_ENOTSUP, "N"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_layout *a = read_layout(*state, rows[i].layout);
        zlay_hier *h = (zlay_hier *)1;
        zlay_status status = zlay_hier_normal(*state, &h, a, rows[i].level, rows[i].count);
        assert_null(h);
        if (status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].word))
            fail_msg("%s: %s, %s", rows[i].layout, zlay_status_name(status), zlay_ctx_message(*state));
        zlay_layout_free(a);
    }
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static zlay_status all_calls(zlay_ctx *ctx, void *given)
{
    const zlay_layout *a = ((operands *)given)->a, *b = ((operands *)given)->b;
    const zlay_level level[] = {{"register", 2}, {"lane", 3}};
    zlay_answer answer;
    zlay_reach reach;
    zlay_hier *x = NULL, *y = NULL, *z = NULL;
    zlay_layout *back = NULL;
    zlay_status status = zlay_hier_keeps(ctx, &answer, NULL, a, level, 2);
    if (!status) status = zlay_hier_level(ctx, &reach, a, b, level, 2);
    if (!status) status = zlay_hier_solve(ctx, &x, a, b, level, 2);
    if (!status) status = zlay_hier_inverse(ctx, &y, x);
    if (!status) status = zlay_hier_compose(ctx, &z, x, y);
    if (!status) status = zlay_hier_layout(ctx, &back, y);
    if (status) assert_null(back);
    zlay_hier_free(x);
    zlay_hier_free(y);
    zlay_hier_free(z);
    zlay_layout_free(back);
    return status;
}

static void memory(void **state)
{
    (void)state;
    heap h;
    assert_int_equal(layouts_fail_each(&h, NULL, all_calls, 0, "(3,2):(2,1)", "5 o (3,2):(-2,-1)"), ZLAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example), cmocka_unit_test(bijections), cmocka_unit_test(levels),
        cmocka_unit_test(group), cmocka_unit_test(bases), cmocka_unit_test(flips),
        cmocka_unit_test(large), cmocka_unit_test(refused), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
