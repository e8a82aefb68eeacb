/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute f2.compose, invert, pseudoinvert, lstsq, invert_and_compose, rank and num_consecutive: random maps of one
 * to three named inputs with up to 8 bits and one or two named outputs with up to 64, whose values the test knows from
 * the drawn bases; everything is decided over all points.  x-f2.c has every map up to 4 x 4 bits; here are several
 * dimensions, ranks that fall short, and bit 63.  What is shared is the parser, the printer and eval.  10^4 cases, 10^6
 * with ZLAY_EXHAUSTIVE=1. */
#include "layouts/layout.h"

#include <zlay/f2.h>

enum { CASES = 10000, BITS = 8, POINTS = 1 << BITS };

/* Packed values: the first output in the low bits. */
typedef struct map {
    int ins, outs, in[3], out[2], bits, reach;
    uint64_t basis[BITS], at[POINTS];
    char text[4096];
} map;

static zlay_ctx *ctx;
static uint64_t number, found[6], none[6];
static map a, b;
static const char *const names[] = {"compose", "invert", "pseudoinvert", "lstsq", "invert_and_compose", "rank"};
enum { COMPOSE, INVERT, PSEUDO, LSTSQ, SOLVE, RANK };

static _Noreturn void refuted(int op, const char *why)
{
    fail_msg("case %llu, %s: %s: %s and %s", (unsigned long long)number, names[op], why, a.text, b.text);
    abort();
}

static uint64_t below(int bits) { return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX; }

/* Inputs are called by `in`, outputs by `out`, numbered. */
static void finish(map *m, const char *in, const char *out)
{
    char *p = m->text + sprintf(m->text, "f2{");
    int bit = 0;
    for (int i = 0; i < m->ins; i++) {
        p += sprintf(p, "%s%s%d:", i ? "; " : "", in, i);
        for (int k = 0; k < m->in[i]; k++, bit++) {
            uint64_t low = m->basis[bit] & below(m->out[0]);
            p += sprintf(p, " (%llu", (unsigned long long)low);
            if (m->outs == 2) p += sprintf(p, ",%llu", (unsigned long long)(m->basis[bit] >> m->out[0]));
            p += sprintf(p, ")");
        }
    }
    for (int d = 0; d < m->outs; d++) {
        p += sprintf(p, d ? ", " : " -> ");
        if (m->out[d] == 64) p += sprintf(p, "%s%d: 18446744073709551616", out, d);
        else p += sprintf(p, "%s%d: %llu", out, d, 1ull << m->out[d]);
    }
    sprintf(p, "}");
    for (int x = 0; x < 1 << m->bits; x++) {
        m->at[x] = 0;
        for (int k = 0; k < m->bits; k++)
            if (x >> k & 1) m->at[x] ^= m->basis[k];
    }
}

static void draw_ins(uint64_t *seed, map *m, int most)
{
    m->ins = (int)test_range(seed, 1, 3);
    m->bits = 0;
    for (int i = 0; i < m->ins; i++) {
        m->in[i] = (int)test_range(seed, 0, most - m->bits);
        m->bits += m->in[i];
    }
}

static void draw_outs(uint64_t *seed, map *m, int most)
{
    m->outs = (int)test_range(seed, 1, 2);
    m->out[0] = (int)test_range(seed, 0, m->outs == 2 ? most / 2 : most);
    m->out[1] = m->outs == 2 ? (int)test_range(seed, 0, most - most / 2 - 1) : 0;
    m->reach = m->out[0] + m->out[1];
}

static void draw_bases(uint64_t *seed, map *m)
{
    for (int k = 0; k < m->bits; k++) {
        m->basis[k] = test_random(seed) & below(m->reach);
        if (m->reach && test_range(seed, 0, 2)) m->basis[k] = (uint64_t)1 << ((uint64_t)k + number) % (uint64_t)m->reach;
        if (k && !test_range(seed, 0, 4)) m->basis[k] ^= m->basis[test_range(seed, 0, k - 1)];
    }
}

/* The packed value at a packed index; outputs in order. */
static uint64_t value_of(const zlay_layout *layout, uint64_t x, const map *outs_as_ins, const map *outs)
{
    int64_t tuple[4] = {0, 0, 0, 0};
    uint64_t value = 0;
    int low = 0;
    assert_int_equal(zlay_layout_eval(tuple, 4, layout, x), ZLAY_OK);
    int count = outs ? outs->outs : outs_as_ins->ins;
    for (int d = 0; d < count; d++) {
        int bits = outs ? outs->out[d] : outs_as_ins->in[d];
        if (bits) value |= (uint64_t)tuple[d] << low;
        low += bits;
    }
    return value;
}

static int index_of(const map *m, uint64_t value)
{
    for (int x = 0; x < 1 << m->bits; x++)
        if (m->at[x] == value) return x;
    return -1;
}

static bool judge(int op, zlay_status status, bool right)
{
    if (status != ZLAY_OK && status != ZLAY_NONE) refuted(op, zlay_ctx_message(ctx));
    if ((status == ZLAY_OK) != right) refuted(op, right ? "NONE" : "not NONE");
    found[op] += right;
    none[op] += !right;
    return right;
}

/* Of the map a. */
static void inverses(const zlay_layout *A)
{
    zlay_layout *out = NULL;
    uint32_t rank = 0;
    int values = 0;
    for (int x = 0; x < 1 << a.bits; x++) values += index_of(&a, a.at[x]) == x;
    assert_int_equal(zlay_f2_rank(&rank, A), ZLAY_OK);
    if (values != 1 << rank) refuted(RANK, "another");
    found[RANK]++;
    bool onto = (int)rank == a.reach;
    for (int op = INVERT; op <= PSEUDO; op++) {
        bool right = onto && (op == PSEUDO || a.bits == a.reach);
        zlay_status status = op == INVERT ? zlay_f2_invert(ctx, &out, A) : zlay_f2_pseudoinvert(ctx, &out, A);
        if (!judge(op, status, right)) continue;
        for (uint64_t v = 0; v <= below(a.reach); v++)
            if (a.at[value_of(out, v, &a, NULL)] != v) refuted(op, "no inverse");
        zlay_layout_free(out);
    }
}

/* b(C(x)) = a(x), where both have the same outputs. */
static void solved(const zlay_layout *A, const zlay_layout *B)
{
    bool right = true;
    for (int x = 0; x < 1 << a.bits; x++) right = right && index_of(&b, a.at[x]) >= 0;
    for (int op = LSTSQ; op <= SOLVE; op++) {
        zlay_layout *out = NULL;
        zlay_status status = op == LSTSQ ? zlay_f2_lstsq(ctx, &out, B, A) : zlay_f2_inverse_composition(ctx, &out, B, A);
        if (!judge(op, status, right)) continue;
        for (uint64_t x = 0; x < 1u << a.bits; x++)
            if (b.at[value_of(out, x, &b, NULL)] != a.at[x]) refuted(op, "no solution");
        zlay_layout_free(out);
    }
}

/* b after a, whose outputs are b's inputs. */
static void composed(uint64_t *seed)
{
    zlay_layout *out = NULL;
    draw_ins(seed, &a, BITS);
    draw_outs(seed, &a, BITS);
    draw_bases(seed, &a);
    b.ins = a.outs, b.bits = a.reach;
    for (int d = 0; d < a.outs; d++) b.in[d] = a.out[d];
    draw_outs(seed, &b, 64);
    draw_bases(seed, &b);
    finish(&a, "i", "m");
    finish(&b, "m", "o");
    zlay_layout *A = read_layout(ctx, a.text), *B = read_layout(ctx, b.text);
    if (!judge(COMPOSE, zlay_f2_composition(ctx, &out, B, A), true)) return;
    for (int x = 0; x < 1 << a.bits; x++)
        if (value_of(out, (uint64_t)x, NULL, &b) != b.at[a.at[x]]) refuted(COMPOSE, "a value");
    zlay_layout_free(out);
    zlay_layout_free(B);
    zlay_layout_free(A);
}

static void check_case(uint64_t *seed)
{
    draw_ins(seed, &a, BITS);
    draw_outs(seed, &a, number % 2 ? 64 : BITS);
    if (number % 4 == 0) a.outs = 1, a.out[1] = 0, a.reach = a.out[0] = a.bits;
    draw_bases(seed, &a);
    b = a;
    draw_ins(seed, &b, BITS);
    draw_bases(seed, &b);
    for (int k = 0; k < a.bits && test_range(seed, 0, 1); k++)
        a.basis[k] = b.bits ? b.basis[test_range(seed, 0, b.bits - 1)] : 0;
    finish(&a, "i", "o");
    finish(&b, "j", "o");
    zlay_layout *A = read_layout(ctx, a.text), *B = read_layout(ctx, b.text);
    solved(A, B);
    if (a.reach <= BITS) inverses(A);
    zlay_layout_free(B);
    zlay_layout_free(A);
    composed(seed);
}

static void f2_operations(void **state)
{
    uint64_t seed = test_seed("refute/f2"), count = test_cases(CASES);
    ctx = *state;
    for (number = 0; number < count; number++) check_case(&seed);
    for (int op = 0; op <= RANK; op++) {
        print_message("%s: %llu, none %llu\n", names[op], (unsigned long long)found[op], (unsigned long long)none[op]);
        assert_true(found[op] > count / 50);
        assert_true(op == COMPOSE || op == RANK || none[op] > count / 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(f2_operations)};
    return cmocka_run_group_tests(tests, begin, end);
}
