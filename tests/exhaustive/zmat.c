/* SPDX-License-Identifier: Apache-2.0 */
/* Systems modulo n against plain enumeration: one equation in one and two unknowns modulo every
 * n <= 64, two in two unknowns modulo every n <= 8, and random ones up to 4 x 4 with a modulus a row.
 * A solution set is counted and every element of the answer checked; a refusal is evaluated. */
#include "ctx.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/zlay.h>

static int teardown(void **state)
{
    zlay_ctx_free(*state);
    zlay_engines_release();
    return 0;
}

enum { MOST = 12 * 12 * 12 * 12 };

typedef struct world {
    zlay_ctx *ctx;
    size_t rows, cols;
    int64_t a[16], b[4], m[4];
    int64_t side;   /* of the box whose points were tried; 0: none were */
    uint64_t zeros; /* points of it whose residues are 0 */
    bool met[MOST]; /* right sides that a point of it has */
    uint64_t solved, refused;
} world;

static int64_t at(const zlay_zmat *a, size_t i, size_t j)
{
    int64_t value = 0;
    assert_int_equal(zlay_zmat_entry(&value, a, i, j), ZLAY_OK);
    return value;
}

/* The residue of row i at x, without b. */
static int64_t row_at(const world *w, size_t i, const int64_t *x)
{
    int64_t sum = 0;
    for (size_t j = 0; j < w->cols; j++) sum += w->a[i * w->cols + j] * x[j];
    return (sum % w->m[i] + w->m[i]) % w->m[i];
}

static int solves(const world *w, const int64_t *x, int homogeneous)
{
    for (size_t i = 0; i < w->rows; i++)
        if (row_at(w, i, x) != (homogeneous ? 0 : (w->b[i] % w->m[i] + w->m[i]) % w->m[i])) return 0;
    return 1;
}

/* A right side as one number: a digit for each row, of its modulus. */
static size_t number_of(const world *w, const int64_t *x)
{
    size_t number = 0;
    for (size_t i = 0; i < w->rows; i++)
        number = number * (size_t)w->m[i] + (size_t)(x ? row_at(w, i, x) : (w->b[i] % w->m[i] + w->m[i]) % w->m[i]);
    return number;
}

/* Every point of [0, side)^cols, where `side` is a multiple of every modulus: one pass says it for all right sides of a matrix. */
static void play(world *w, int64_t side)
{
    int64_t x[4] = {0};
    memset(w->met, 0, sizeof w->met);
    w->side = side, w->zeros = 0;
    for (;;) {
        size_t j = 0, number = number_of(w, x);
        w->met[number] = true;
        w->zeros += number == 0;
        while (j < w->cols && ++x[j] == side) x[j++] = 0;
        if (j == w->cols) return;
    }
}

static void check_form(const world *w, const zlay_zmat *x, const zlay_zmat *kernel)
{
    assert_int_equal(zlay_zmat_cols(kernel), w->cols);
    for (size_t c = 0; c < w->cols; c++) {
        int64_t pivot = at(kernel, c, c);
        assert_true(pivot > 0);
        assert_in_range(at(x, c, 0), 0, (uint64_t)pivot - 1);
        for (size_t r = 0; r < c; r++) assert_int_equal(at(kernel, r, c), 0);
        for (size_t before = 0; before < c; before++)
            assert_in_range(at(kernel, c, before), 0, (uint64_t)pivot - 1);
    }
}

/* The kernel's columns are solutions, and their lattice has the index that counting says: then it
 * is the whole lattice. */
static void check_solution(world *w, const zlay_zmat *x, const zlay_zmat *kernel)
{
    int64_t point[4], points = 1, index = 1;
    check_form(w, x, kernel);
    for (size_t j = 0; j < w->cols; j++) point[j] = at(x, j, 0);
    assert_true(solves(w, point, 0));
    for (size_t c = 0; c < w->cols; c++) {
        for (size_t j = 0; j < w->cols; j++) point[j] = at(kernel, j, c);
        assert_true(solves(w, point, 1));
        points *= w->side;
        index *= at(kernel, c, c);
    }
    if (w->side) assert_int_equal(w->zeros * (uint64_t)index, points);
    w->solved++;
}

/* w a, w b and w_i m_i over the denominator. */
static void check_refusal(world *w, const zlay_zmat *a, const zlay_zmat *b, const zlay_zmat *m)
{
    zlay_zmat *up, *down;
    assert_int_equal(zlay_zmat_refute(w->ctx, &up, &down, a, b, m), ZLAY_OK);
    int64_t den = at(down, 0, 0), by_b = 0;
    assert_true(den > 1);
    for (size_t j = 0; j < w->cols; j++) {
        int64_t sum = 0;
        for (size_t i = 0; i < w->rows; i++) sum += at(up, 0, i) * w->a[i * w->cols + j];
        assert_int_equal(sum % den, 0);
    }
    for (size_t i = 0; i < w->rows; i++) {
        assert_int_equal(at(up, 0, i) * w->m[i] % den, 0);
        by_b += at(up, 0, i) * w->b[i];
    }
    assert_int_not_equal(by_b % den, 0);
    zlay_zmat_free(up), zlay_zmat_free(down);
    w->refused++;
}

static void check(world *w)
{
    zlay_zmat *a, *b, *m, *x, *kernel;
    assert_int_equal(zlay_zmat_new(w->ctx, &a, w->rows, w->cols, w->a), ZLAY_OK);
    assert_int_equal(zlay_zmat_new(w->ctx, &b, w->rows, 1, w->b), ZLAY_OK);
    assert_int_equal(zlay_zmat_new(w->ctx, &m, w->rows, 1, w->m), ZLAY_OK);
    zlay_status status = zlay_zmat_solve(w->ctx, &x, &kernel, a, b, m);
    if (status == ZLAY_NONE) {
        if (w->side) assert_false(w->met[number_of(w, NULL)]);
        check_refusal(w, a, b, m);
    } else {
        assert_int_equal(status, ZLAY_OK);
        check_solution(w, x, kernel);
    }
    zlay_zmat_free(a), zlay_zmat_free(b), zlay_zmat_free(m), zlay_zmat_free(x), zlay_zmat_free(kernel);
}

static void one_equation_in_one_unknown(void **state)
{
    world w = {.ctx = *state, .rows = 1, .cols = 1};
    for (w.m[0] = 1; w.m[0] <= 64; w.m[0]++)
        for (w.a[0] = 0; w.a[0] < w.m[0]; w.a[0]++) {
            play(&w, w.m[0]);
            for (w.b[0] = 0; w.b[0] < w.m[0]; w.b[0]++) check(&w);
        }
    assert_true(w.solved && w.refused);
}

static void one_equation_in_two_unknowns(void **state)
{
    world w = {.ctx = *state, .rows = 1, .cols = 2};
    uint64_t random = test_seed("one_equation_in_two_unknowns");
    int64_t most = test_exhaustive() ? 64 : 20;
    for (w.m[0] = 1; w.m[0] <= most; w.m[0]++)
        for (w.a[0] = 0; w.a[0] < w.m[0]; w.a[0]++)
            for (w.a[1] = 0; w.a[1] < w.m[0]; w.a[1]++) {
                play(&w, w.m[0]);
                for (w.b[0] = 0; w.b[0] < w.m[0]; w.b[0]++)
                    if (test_exhaustive() || test_random(&random) % 4 == 0) check(&w);
            }
    assert_true(w.solved && w.refused);
}

static void two_equations_in_two_unknowns(void **state)
{
    world w = {.ctx = *state, .rows = 2, .cols = 2};
    uint64_t random = test_seed("two_equations_in_two_unknowns");
    for (int64_t n = 1; n <= 8; n++) {
        int64_t matrices = n * n * n * n;
        w.m[0] = w.m[1] = n;
        for (int64_t i = 0; i < matrices; i++) {
            int64_t rest = i;
            for (size_t k = 0; k < 4; k++, rest /= n) w.a[k] = rest % n;
            play(&w, n);
            for (int64_t b = 0; b < n * n; b++) {
                if (!test_exhaustive() && n > 3 && test_random(&random) % 16) continue;
                w.b[0] = b % n, w.b[1] = b / n;
                check(&w);
            }
        }
    }
    assert_true(w.solved && w.refused);
}

/* Moduli whose least common multiple is small, so that the solutions can be counted. */
static void random_systems(void **state)
{
    static const int64_t divisors[] = {1, 2, 3, 4, 6, 12};
    uint64_t random = test_seed("random_systems"), count = test_cases(10000);
    world w = {.ctx = *state};
    for (uint64_t i = 0; i < count; i++) {
        w.rows = (size_t)test_range(&random, 1, 4), w.cols = (size_t)test_range(&random, 1, 4);
        for (size_t k = 0; k < w.rows * w.cols; k++) w.a[k] = test_range(&random, -16, 16);
        for (size_t k = 0; k < w.rows; k++) {
            w.m[k] = divisors[test_range(&random, 0, 5)];
            w.b[k] = test_range(&random, -20, 20);
        }
        w.side = 0;
        if (w.cols < 4 || i % 32 == 0) play(&w, 12);
        check(&w);
    }
    assert_true(w.solved && w.refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_equation_in_one_unknown),
        cmocka_unit_test(one_equation_in_two_unknowns),
        cmocka_unit_test(two_equations_in_two_unknowns), cmocka_unit_test(random_systems),
    };
    return cmocka_run_group_tests(tests, begin, teardown);
}
