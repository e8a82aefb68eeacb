/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute layout.structure: random layouts of every kind whose values the test computes from the drawn numbers
 * (known.h).  Whether they are affine, how many values there are and how many points on each, the lattice of their
 * differences, the longest line of steps by one, the Smith form with its transforms and the change of coordinates are
 * decided at all points and all directions of the box.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "layouts/known.h"

#include <zlay/structure.h>

enum { CASES = 10000, MOST = 48, FAR = 1 << 30 };

static zlay_ctx *ctx;
static known a;
static uint64_t number, affine, none, far_away, with_run, with_change, two_outs;
static int64_t A[2][KNOWN_MODES], B[2];
static int outs;

static _Noreturn void refuted(const char *why)
{
    fail_msg("case %llu: %s: %s", (unsigned long long)number, why, a.text);
    abort();
}

static int64_t coordinate(int i, int j)
{
    for (int k = 0; k < j; k++) i /= (int)a.shape[k];
    return i % a.shape[j];
}

static int64_t output(int i, int r) { return outs == 2 ? a.out[i][r] : a.at[i]; }

/* A and B of the values, where there are such: a dimension of one point has the column 0. */
static bool read_affine(void)
{
    for (int i = 0; i < a.size; i++)
        if (!a.there[i]) return false;
    for (int r = 0; r < outs; r++) {
        B[r] = output(0, r);
        for (int j = 0, step = 1; j < a.modes; step *= (int)a.shape[j++])
            A[r][j] = a.shape[j] > 1 ? (int64_t)((uint64_t)output(step, r) - (uint64_t)B[r]) : 0;
    }
    for (int i = 0; i < a.size; i++)
        for (int r = 0; r < outs; r++) {
            known_wide value = B[r];
            for (int j = 0; j < a.modes; j++) value += (known_wide)A[r][j] * coordinate(i, j);
            if (value != output(i, r)) return false;
        }
    return true;
}

/* ---- counts --------------------------------------------------------------------------------------------------------- */

static bool same(int i, int j) { return output(i, 0) == output(j, 0) && output(i, outs - 1) == output(j, outs - 1); }

static void check_counts(const zlay_structure_summary *c)
{
    uint64_t values = 0, least = UINT64_MAX, most = 0;
    for (int i = 0; i < a.size; i++) {
        uint64_t on = 0;
        bool first = true;
        for (int j = 0; j < a.size; j++) on += same(i, j), first = first && (j >= i || !same(i, j));
        values += first, least = on < least ? on : least, most = on > most ? on : most;
    }
    if (c->points != (uint64_t)a.size || c->values != values) refuted("the number of values");
    if (c->least != least || c->most != most) refuted("points on a value");
}

static int64_t gcd(int64_t x, int64_t y) { return y ? gcd(y, x % y) : x < 0 ? -x : x; }

static int64_t minor(int j, int k) { return A[0][j] * A[1][k] - A[0][k] * A[1][j]; }

static int64_t entry(const zlay_structure *s, int32_t which, int i, int j)
{
    int64_t value = 0;
    if (zlay_zmat_entry(&value, zlay_structure_matrix(s, which), (size_t)i, (size_t)j)) refuted("no entry");
    return value;
}

/* The gcds of all minors of one and of two rows; in d[0] and d[1], 0 where all are 0. */
static int divisors(int64_t d[2])
{
    d[0] = d[1] = 0;
    for (int j = 0; j < a.modes; j++) {
        for (int r = 0; r < outs; r++) d[0] = gcd(d[0], A[r][j]);
        for (int k = 0; k < j && outs == 2; k++) d[1] = gcd(d[1], minor(j, k));
    }
    return d[1] ? 2 : d[0] ? 1 : 0;
}

/* Its columns span the columns of A and no more: those lie in it, and the gcds of the minors are the same. */
static void check_lattice(const zlay_structure *s, const zlay_structure_summary *c)
{
    int64_t d[2], L[2][2] = {{0}}, largest;
    int rank = divisors(d), moving = 0;
    for (int j = 0; j < a.modes; j++) moving += a.shape[j] > 1;
    if (c->rank != (uint64_t)rank) refuted("the rank");
    if (c->onto != (rank == outs && d[rank - 1] == 1)) refuted("onto");
    if (c->invertible != (rank == moving)) refuted("invertible");
    for (int r = 0; r < outs; r++)
        for (int k = 0; k < rank; k++) L[r][k] = entry(s, ZLAY_STRUCTURE_LATTICE, r, k);
    largest = rank == 2 ? L[0][0] * L[1][1] - L[0][1] * L[1][0] : gcd(L[0][0], L[1][0]);
    if (rank && llabs(largest) != d[rank - 1]) refuted("the lattice is too large or too small");
    for (int j = 0; j < a.modes && rank; j++) {
        int64_t x = A[0][j], y = outs == 2 ? A[1][j] : 0;
        bool in = rank == 2 ? (x * L[1][1] - y * L[0][1]) % largest == 0 && (y * L[0][0] - x * L[1][0]) % largest == 0
                            : x * L[1][0] == y * L[0][0] && x % largest == 0 && y % largest == 0;
        if (!in) refuted("a column outside the lattice");
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------------- */

static bool steps_by_one(const int64_t *d)
{
    int64_t sum[2] = {0, 0};
    for (int r = 0; r < outs; r++)
        for (int j = 0; j < a.modes; j++) sum[r] += A[r][j] * d[j];
    return sum[0] == 1 && !sum[1];
}

static uint64_t points_along(const int64_t *d)
{
    uint64_t least = UINT64_MAX;
    for (int j = 0; j < a.modes; j++) {
        uint64_t fit = d[j] ? (uint64_t)((a.shape[j] - 1) / llabs(d[j])) + 1 : UINT64_MAX;
        least = fit < least ? fit : least;
    }
    return least;
}

static void check_run(const zlay_structure *s, const zlay_structure_summary *c)
{
    uint64_t best = 1, length;
    int64_t d[KNOWN_MODES] = {0}, all = 1;
    for (int j = 0; j < a.modes; j++) all *= 2 * a.shape[j] - 1;
    for (int64_t n = 0; n < all; n++) {
        int64_t rest = n;
        for (int j = 0; j < a.modes; rest /= 2 * a.shape[j++] - 1) d[j] = rest % (2 * a.shape[j] - 1) - a.shape[j] + 1;
        if (steps_by_one(d) && (length = points_along(d)) > best) best = length;
    }
    if (c->run_is_best ? c->run != best : c->run > best) refuted("the longest line");
    if (c->run == 1) return;
    for (int j = 0; j < a.modes; j++) d[j] = entry(s, ZLAY_STRUCTURE_DIRECTION, j, 0);
    if (!steps_by_one(d) || points_along(d) != c->run) refuted("the direction of the line");
    with_run++;
}

/* ---- transforms ---------------------------------------------------------------------------------------------------------- */

static int64_t determinant(const zlay_structure *s, int32_t which, int n)
{
    known_wide m[KNOWN_MODES][KNOWN_MODES], last = 1;
    int64_t sign = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) m[i][j] = entry(s, which, i, j);
    for (int k = 0; k < n; last = m[k][k], k++) { /* Bareiss: every division is exact */
        int p = k;
        while (p < n && !m[p][k]) p++;
        if (p == n) return 0;
        for (int j = 0; j < n && p != k; j++) {
            known_wide held = m[p][j];
            m[p][j] = m[k][j], m[k][j] = held;
        }
        sign = p != k ? -sign : sign;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++) m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / last;
    }
    return sign * (int64_t)last;
}

static void check_smith(const zlay_structure *s)
{
    int64_t d[2];
    int rank = divisors(d);
    const zlay_zmat *diagonal = zlay_structure_matrix(s, ZLAY_STRUCTURE_S);
    if (llabs(determinant(s, ZLAY_STRUCTURE_U, outs)) != 1) refuted("det U");
    if (llabs(determinant(s, ZLAY_STRUCTURE_V, a.modes)) != 1) refuted("det V");
    for (int i = 0; i < outs; i++)
        for (int j = 0; j < a.modes; j++) {
            known_wide sum = 0;
            int64_t want = i != j || i >= rank ? 0 : i ? d[1] / d[0] : d[0];
            for (int r = 0; r < outs; r++)
                for (int k = 0; k < a.modes; k++)
                    sum += (known_wide)entry(s, ZLAY_STRUCTURE_U, i, r) * A[r][k] * entry(s, ZLAY_STRUCTURE_V, k, j);
            if (sum != want) refuted("U A V");
            bool row = zlay_zmat_rows(diagonal) == 1;
            if (i == j && entry(s, ZLAY_STRUCTURE_S, row ? 0 : i, row ? i : 0) != want) refuted("S");
        }
}

/* x = change z + origin is the box again, turned and flipped. */
static void check_change(const zlay_structure *s)
{
    bool shared = false;
    int64_t last[2] = {0, 0};
    for (int j = 0; j < a.modes && outs == 2; j++) shared = shared || (A[0][j] && A[1][j]);
    if (shared != !zlay_structure_matrix(s, ZLAY_STRUCTURE_CHANGE)) refuted(shared ? "a change" : "no change");
    for (int k = 0, used = 0; k < a.modes && !shared; k++) {
        int at = -1, sign = 0;
        for (int j = 0; j < a.modes; j++) {
            int64_t e = entry(s, ZLAY_STRUCTURE_CHANGE, j, k);
            if (e) sign = sign ? 2 : (int)e, at = j;
        }
        if ((sign != 1 && sign != -1) || used >> at & 1) refuted("the change is none of the box");
        used |= 1 << at;
        if (entry(s, ZLAY_STRUCTURE_ORIGIN, at, 0) != (sign < 0 ? a.shape[at] - 1 : 0)) refuted("the origin");
        for (int r = 0; r < outs; r++) {
            if (!A[r][at]) continue;
            if (sign * A[r][at] < last[r] || sign * A[r][at] < 0) refuted("strides that do not ascend");
            last[r] = sign * A[r][at];
        }
    }
    with_change += !shared;
}

/* ---- the cases --------------------------------------------------------------------------------------------------------------- */

static void check_matrices(const zlay_structure *s)
{
    for (int r = 0; r < outs; r++) {
        if (entry(s, ZLAY_STRUCTURE_B, r, 0) != B[r]) refuted("b");
        for (int j = 0; j < a.modes; j++)
            if (a.shape[j] > 1 && entry(s, ZLAY_STRUCTURE_A, r, j) != A[r][j]) refuted("A");
    }
}

/* One piece of two outputs over the same box. */
static void draw_two(uint64_t *seed)
{
    static const char names[] = "ijkl";
    int64_t c[2][KNOWN_MODES + 1];
    char *p = a.text + sprintf(a.text, "{ [");
    for (int j = 0; j < a.modes; j++) p += sprintf(p, "%s%c", j ? "," : "", names[j]);
    for (int r = 0; r < 2; r++) {
        c[r][a.modes] = test_range(seed, -9, 9);
        p += sprintf(p, "%s%lld", r ? ", " : "] -> [", (long long)c[r][a.modes]);
        for (int j = 0; j < a.modes; j++) {
            c[r][j] = test_range(seed, 0, 1) ? test_range(seed, -6, 6) : 0;
            p += sprintf(p, " + %lld%c", (long long)c[r][j], names[j]);
        }
    }
    for (int j = 0; j < a.modes; j++)
        p += sprintf(p, "%s0 <= %c < %lld", j ? " and " : "] : ", names[j], (long long)a.shape[j]);
    sprintf(p, " }");
    a.kind = KNOWN_PIECEWISE, a.outs = 2;
    for (int i = 0; i < a.size; i++)
        for (int r = 0; r < 2; r++) {
            a.out[i][r] = c[r][a.modes];
            for (int j = 0; j < a.modes; j++) a.out[i][r] += c[r][j] * coordinate(i, j);
        }
}

/* Strides that meet: few, small, both signs. */
static void draw_meeting(uint64_t *seed)
{
    a.modes = (int)test_range(seed, 1, KNOWN_MODES);
    for (int j = 0, left = MOST; j < a.modes; left /= (int)a.shape[j++]) {
        a.shape[j] = test_range(seed, 1, left < 7 ? left : 7);
        a.stride[j] = test_range(seed, -9, 9) * (test_range(seed, 0, 3) ? 1 : 2);
    }
    a.kind = KNOWN_STRIDED, a.offset = test_range(seed, -9, 9);
    known_values_strided(&a);
    known_strided_text(&a, (int)test_range(seed, 0, 1));
    if (number % 3 == 2) draw_two(seed);
}

static bool is_far(void)
{
    for (int i = 0; i < a.size; i++)
        for (int r = 0; r < outs; r++)
            if (output(i, r) > FAR || output(i, r) < -FAR) return true;
    return false;
}

static void check_case(uint64_t *seed)
{
    zlay_structure *s = NULL;
    zlay_structure_summary c;
    if (number % 3) draw_meeting(seed);
    else known_draw(seed, &a, MOST);
    outs = a.outs;
    zlay_layout *layout = read_layout(ctx, a.text);
    bool right = read_affine(), away = is_far();
    zlay_status status = zlay_layout_structure(ctx, &s, layout);
    zlay_layout_free(layout);
    if (status == ZLAY_EOVERFLOW && away) {
        far_away++;
        return;
    }
    if (status != (right ? ZLAY_OK : ZLAY_NONE)) refuted(right ? zlay_ctx_message(ctx) : "not NONE");
    affine += right, none += !right, two_outs += right && outs == 2;
    if (right) {
        assert_int_equal(zlay_structure_info(&c, s), ZLAY_OK);
        check_counts(&c);
        if (!away) check_matrices(s), check_lattice(s, &c), check_run(s, &c), check_smith(s), check_change(s);
    }
    zlay_structure_free(s);
}

static void structures(void **state)
{
    uint64_t seed = test_seed("refute/structure"), count = test_cases(CASES);
    ctx = *state;
    for (number = 0; number < count; number++) check_case(&seed);
    print_message("%llu affine, %llu of two outputs, %llu with a line, %llu with a change, %llu none, %llu past 64 bits\n",
                  (unsigned long long)affine, (unsigned long long)two_outs, (unsigned long long)with_run,
                  (unsigned long long)with_change, (unsigned long long)none, (unsigned long long)far_away);
    assert_true(affine > count / 2 && two_outs > count / 5 && none > count / 20 && with_run > count / 10 && with_change > count / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(structures)};
    return cmocka_run_group_tests(tests, begin, end);
}
