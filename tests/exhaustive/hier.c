/* SPDX-License-Identifier: Apache-2.0 */
/* Small trees whole: of the 40,320 bijections of 2x2x2 exactly 128 = 2^1 2^2 2^4 have a normal form, of
 * the 479,001,600 of 3x2x2 exactly 10,368 = 2 2^2 6^4; those are walked, the others sampled. */
#include "layouts/hier.h"

enum { KEPT_MOST = 10368 };

typedef struct world {
    zlay_ctx *ctx;
    tree t;
    int count, map[KEPT_MOST][12];
    zlay_hier *form[KEPT_MOST];
} world;

/* The next permutation in lexicographic order; false after the last. */
static bool next_permutation(int *to, int count)
{
    int i = count - 2, j = count - 1;
    while (i >= 0 && to[i] > to[i + 1]) i--;
    if (i < 0) return false;
    while (to[j] < to[i]) j--;
    int keep = to[i];
    to[i] = to[j];
    to[j] = keep;
    for (int a = i + 1, b = count - 1; a < b; a++, b--) {
        keep = to[a];
        to[a] = to[b];
        to[b] = keep;
    }
    return true;
}

static void world_put(world *w, const int *to)
{
    memcpy(w->map[w->count], to, (size_t)w->t.slots * sizeof *to);
    w->form[w->count++] = normal_of(w->ctx, &w->t, to);
}

static void world_free(world *w)
{
    for (int i = 0; i < w->count; i++) zlay_hier_free(w->form[i]);
    free(w);
}

static bool same_map(const world *w, int i, int j)
{
    return !memcmp(w->map[i], w->map[j], (size_t)w->t.slots * sizeof(int));
}

static zlay_answer equal_forms(const zlay_hier *a, const zlay_hier *b)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    assert_int_equal(zlay_hier_equal(&answer, a, b), ZLAY_OK);
    return answer;
}

/* The product's form is the form of the product of the arrays, which is in the world too. */
static void check_product(const world *w, int i, int j)
{
    zlay_hier *product;
    int to[12], found = -1;
    for (int s = 0; s < w->t.slots; s++) to[s] = w->map[i][w->map[j][s]];
    for (int k = 0; k < w->count && found < 0; k++)
        if (!memcmp(to, w->map[k], (size_t)w->t.slots * sizeof *to)) found = k;
    assert_true(found >= 0);
    assert_int_equal(zlay_hier_compose(w->ctx, &product, w->form[i], w->form[j]), ZLAY_OK);
    assert_int_equal(equal_forms(product, w->form[found]), ZLAY_YES);
    zlay_hier_free(product);
}

static void two_by_two_by_two(void **state)
{
    static const int size[] = {2, 2, 2};
    world *w = calloc(1, sizeof *w);
    int to[8] = {0, 1, 2, 3, 4, 5, 6, 7}, other[8], all = 0;
    uint64_t seed = test_seed("two_by_two_by_two");
    w->ctx = *state;
    w->t = tree_of(3, size);
    do {
        check_keeps(*state, &w->t, to);
        if (plain_crosses(&w->t, to) < 0) world_put(w, to);
        memcpy(other, to, sizeof other);
        test_shuffle(&seed, other, test_range(&seed, 0, 1) ? 8 : 4);
        if (!(all++ % (test_exhaustive() ? 1 : 16))) check_level(*state, &w->t, to, other);
    } while (next_permutation(to, 8));
    assert_int_equal(all, 40320);
    assert_int_equal(w->count, 128);
    for (int i = 0; i < w->count; i++)
        for (int j = 0; j < w->count; j++) {
            assert_int_equal(equal_forms(w->form[i], w->form[j]), same_map(w, i, j));
            check_product(w, i, j);
        }
    world_free(w);
}

/* Every element: which register permutation each lane has, and where the lanes and warps go. */
static void kept_of_three(world *w)
{
    static const int three[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int code = 0; code < KEPT_MOST; code++) {
        int to[12], warp = code & 1, lanes = code >> 1 & 3, registers = code >> 3;
        for (int lane = 0; lane < 4; lane++, registers /= 6) {
            int goes = (lane / 2 ^ warp) * 2 + (lane % 2 ^ (lanes >> lane / 2 & 1));
            for (int r = 0; r < 3; r++) to[lane * 3 + r] = goes * 3 + three[registers % 6][r];
        }
        world_put(w, to);
    }
}

static void three_by_two_by_two(void **state)
{
    static const int size[] = {3, 2, 2};
    uint64_t seed = test_seed("three_by_two_by_two"), samples = test_exhaustive() ? 100000 : 2000;
    world *w = calloc(1, sizeof *w);
    int to[12], other[12];
    w->ctx = *state;
    w->t = tree_of(3, size);
    kept_of_three(w);
    for (int i = 0; i < w->count; i++) {
        assert_is(w->form[i], &w->t, w->map[i]);
        int j = (int)test_range(&seed, 0, w->count - 1);
        assert_int_equal(equal_forms(w->form[i], w->form[j]), same_map(w, i, j));
        if (test_exhaustive() || i % 16 == 0) check_product(w, i, j);
    }
    for (int i = 0; i < 12; i++) to[i] = other[i] = i;
    for (uint64_t i = 0; i < samples; i++) {
        test_shuffle(&seed, to, 12);
        test_shuffle(&seed, other, 12);
        check_keeps(*state, &w->t, to);
        check_level(*state, &w->t, to, other);
    }
    for (int i = 0; test_exhaustive() && i < w->count; i++)
        for (int j = 0; j <= i; j++) { /* each pair in one order, each form on either side */
            bool turned = (i + j) % 2;
            assert_int_equal(equal_forms(w->form[turned ? j : i], w->form[turned ? i : j]), i == j);
        }
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_by_two_by_two), cmocka_unit_test(three_by_two_by_two),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
