/* SPDX-License-Identifier: Apache-2.0 */
/* What zlay run attention compares a result with: attention computed here by another order, one key at a time with a running maximum,
 * is right; a number that is changed, or left out, is found. */
#include "test.h"

#include "cli/device/tensors.h"
#include <math.h>
#include <string.h>

typedef struct one {
    double most, sum, out[256];
} one;

static double at(const zl_matrix *m, uint64_t i) { return zl_matrix_value(m, 0, i); }

static void put(zl_matrix *m, uint64_t i, double value)
{
    uint32_t bits = zl_matrix_bits(m->type, value);
    memcpy(m->bytes + i * m->element, &bits, m->element);
}

static void key_add(one *r, double score, const double *value, uint32_t head)
{
    double most = fmax(r->most, score), keep = exp(r->most - most), weight = exp(score - most);
    r->most = most;
    r->sum = r->sum * keep + weight;
    for (uint32_t e = 0; e < head; e++) r->out[e] = r->out[e] * keep + weight * (value ? value[e] : 0);
}

/* Row `query` of a dense request: all strides are written out. */
static void row_make(zl_matrix *t, const zlay_attention *a, uint64_t b, uint64_t h, uint64_t query)
{
    one r = {.most = -1e300};
    uint64_t kv = h * a->kv_heads / a->heads, d = a->head, across = (a->keys + 15) / 16 * 16;
    for (uint64_t j = 0; j < a->keys; j++) {
        double score = 0, value[256];
        if (a->causal && j + a->queries > query + a->keys) continue;
        if (a->window && j + a->queries + a->window <= query + a->keys) continue;
        for (uint64_t e = 0; e < d; e++) {
            score += at(&t[0], ((b * a->queries + query) * a->heads + h) * d + e) * at(&t[1], ((b * a->keys + j) * a->kv_heads + kv) * d + e);
            value[e] = a->type == ZLAY_TYPE_E4M3 ? at(&t[2], ((b * a->kv_heads + kv) * d + e) * across + j)
                                                 : at(&t[2], ((b * a->keys + j) * a->kv_heads + kv) * d + e);
        }
        score /= sqrt((double)d);
        key_add(&r, a->soft_cap ? 30 * tanh(score / 30) : score, value, a->head);
    }
    if (a->sinks) key_add(&r, at(&t[5], h), NULL, a->head);
    for (uint64_t e = 0; e < d; e++) put(&t[3], ((b * a->queries + query) * a->heads + h) * d + e, r.out[e] / r.sum);
    if (a->lse) put(&t[4], (b * a->heads + h) * ((a->queries + 3) / 4 * 4) + query, r.most + log(r.sum));
}

static void one_request(const zlay_attention *a)
{
    zl_matrix t[ZL_TENSORS] = {{0}};
    zl_tensors_report report;
    zlay_attention full = *a;
    if (!full.kv_heads) full.kv_heads = full.heads;
    assert_int_equal(zl_tensors_make(t, a), ZLAY_OK);
    assert_true(zl_tensors_compare(&report, t, a));
    assert_true(report.rows && report.wrong > report.compared * 9 / 10);
    for (uint64_t b = 0; b < a->batch; b++)
        for (uint64_t h = 0; h < a->heads; h++)
            for (uint64_t q = 0; q < a->queries; q++) row_make(t, &full, b, h, q);
    assert_true(zl_tensors_compare(&report, t, a));
    assert_int_equal(report.wrong, 0);
    assert_true(report.worst > 0 && report.worst < 0.75);
    put(&t[3], 0, at(&t[3], 0) + 8); /* more than any result is off by */
    assert_true(zl_tensors_compare(&report, t, a));
    assert_int_equal(report.wrong, 1);
    assert_true(zl_tensors_error(a) > 0 && zl_tensors_error(a) < 8);
    for (int i = 0; i < ZL_TENSORS; i++) zl_matrix_free(&t[i]);
}

static void results_are_compared(void **unused)
{
    (void)unused;
    const zlay_attention asked[] = {
        {.head = 64, .queries = 40, .keys = 70, .heads = 2, .batch = 1},
        {.head = 64, .queries = 33, .keys = 50, .heads = 6, .kv_heads = 2, .batch = 3, .causal = 1, .lse = 1},
        {.head = 128, .queries = 60, .keys = 60, .heads = 3, .batch = 2, .causal = 1, .window = 7, .sinks = 1, .type = ZLAY_TYPE_F16, .lse = 1},
        {.head = 64, .queries = 21, .keys = 45, .heads = 2, .batch = 2, .type = ZLAY_TYPE_E4M3},
        {.head = 256, .queries = 20, .keys = 30, .heads = 4, .kv_heads = 1, .batch = 1, .soft_cap = 1, .o_type = ZLAY_TYPE_F16},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) one_request(&asked[i]);
}

/* Sizes that pass 64 bits are refused, and nothing is taken. */
static void sizes_overflow(void **unused)
{
    (void)unused;
    zl_matrix t[ZL_TENSORS] = {{0}};
    const zlay_attention a = {.head = 64, .queries = 40, .keys = 70, .heads = 2, .batch = 1u << 30, .q = {.batch = UINT64_MAX / 2}};
    assert_int_equal(zl_tensors_make(t, &a), ZLAY_EOVERFLOW);
    for (int i = 0; i < ZL_TENSORS; i++) zl_matrix_free(&t[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_compared), cmocka_unit_test(sizes_overflow)};
    return cmocka_run_group_tests_name("sim/tensors", tests, NULL, NULL);
}
