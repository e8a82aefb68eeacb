/* SPDX-License-Identifier: Apache-2.0 */
#include "self_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 37, N = 131, K = 211, PITCH = 216, VALUES = 9 };

static double from_bf16(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float f;
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

static void *host_copy(rig *r, uint64_t at, uint64_t bytes)
{
    void *copy = malloc(bytes);
    if (!copy) rig_die("self check", "no memory");
    rig_must(r, zlay_device_download(r->ctx, copy, r->device, at, bytes), "self check");
    return copy;
}

static matrix operand(rig *r, int kind, int k_outer, uint64_t mn)
{
    matrix m = k_outer ? matrix_new(r, K, mn, PITCH, 3) : matrix_new(r, mn, K, PITCH, 3);
    m.kind = kind;
    m.k_outer = k_outer;
    m.seed = 77 + (uint64_t)k_outer;
    matrix_fill(r, &m);
    return m;
}

/* ---- inputs ------------------------------------------------------------------ */

typedef struct moments {
    double sum, squares;
    uint64_t count, of[VALUES], others, outside, numbers_outside;
} moments;

static void cell_count(moments *s, uint16_t bits, int inside)
{
    double value = from_bf16(bits);
    s->outside += !inside;
    if (!inside) s->numbers_outside += (uint64_t)!isnan(value);
    if (!inside) return;
    s->count++;
    s->sum += value;
    s->squares += value * value;
    int whole = fabs(value) <= 4 ? (int)value : 99;
    if (whole == value)
        s->of[whole + 4]++;
    else
        s->others++;
}

static moments moments_of(rig *r, const matrix *m)
{
    moments s = {0};
    uint16_t *cells = host_copy(r, m->allocation, 2 * m->cells);
    for (uint64_t i = 0; i < m->cells; i++) {
        uint64_t at = i - m->margin;
        cell_count(&s, cells[i],
                   i >= m->margin && at / m->pitch < m->outer && at % m->pitch < m->inner);
    }
    free(cells);
    return s;
}

static const char *integers_wrong(const moments *s)
{
    if (s->others) return "integers: a value is not in -4..4";
    for (int i = 0; i < VALUES; i++)
        if (fabs((double)s->of[i] / (double)s->count - 1 / (double)VALUES) > 0.01)
            return "integers: a value is too rare or too frequent";
    return NULL;
}

/* The variance of 0.4 million normal numbers is within 0.01 of 1 save once in 10^5 seeds; the seed
 * is fixed. */
static const char *normal_wrong(const moments *s)
{
    double mean = s->sum / (double)s->count, square = s->squares / (double)s->count;
    if (!(fabs(mean) < 0.01)) return "normal numbers: their mean is not 0";
    if (!(fabs(square - 1) < 0.01)) return "normal numbers: their variance is not 1";
    return s->others > s->count / 2 ? NULL : "normal numbers: too many whole ones";
}

static const char *inputs_wrong(rig *r, int kind)
{
    matrix m = matrix_new(r, 600, 700, 704, 5);
    m.kind = kind;
    m.seed = 5;
    matrix_fill(r, &m);
    moments s = moments_of(r, &m);
    matrix_free(r, &m);
    if (s.count != 420000 || s.numbers_outside || s.outside < 2 * MARGIN) return "a number outside";
    return kind == KIND_INTEGER ? integers_wrong(&s) : normal_wrong(&s);
}

/* ---- reference --------------------------------------------------------------- */

static double element(const uint16_t *cells, const matrix *m, uint64_t mn, uint64_t k)
{
    uint64_t outer = m->k_outer ? k : mn, inner = m->k_outer ? mn : k;
    return from_bf16(cells[m->margin + outer * m->pitch + inner]);
}

typedef struct sums {
    double r, s;
} sums;

static sums host_sums(const uint16_t *a, const matrix *ma, const uint16_t *b, const matrix *mb,
                      uint64_t i, uint64_t j)
{
    sums t = {0, 0};
    for (uint64_t k = 0; k < K; k++) {
        double p = element(a, ma, i, k) * element(b, mb, j, k);
        t.r += p;
        t.s += fabs(p);
    }
    return t;
}

static int product_wrong(rig *r, const matrix *a, const matrix *b)
{
    int bad = 0;
    product p = product_new(r, a, b, M, N, K);
    uint16_t *ca = host_copy(r, a->allocation, 2 * a->cells);
    uint16_t *cb = host_copy(r, b->allocation, 2 * b->cells);
    double *have_r = host_copy(r, p.r, 8 * M * p.pitch),
           *have_s = host_copy(r, p.s, 8 * M * p.pitch);
    for (uint64_t i = 0; i < M; i++)
        for (uint64_t j = 0; j < N; j++) {
            sums want = host_sums(ca, a, cb, b, i, j);
            double room = want.s * 1e-12;
            bad |= !(fabs(have_r[i * p.pitch + j] - want.r) <= room);
            bad |= !(fabs(have_s[i * p.pitch + j] - want.s) <= room);
        }
    free(ca);
    free(cb);
    free(have_r);
    free(have_s);
    product_free(r, &p);
    return bad;
}

static const char *reference_wrong(rig *r, int kind, int k_outer)
{
    matrix a = operand(r, kind, k_outer, M), b = operand(r, kind, !k_outer, N);
    int bad = product_wrong(r, &a, &b);
    matrix_free(r, &a);
    matrix_free(r, &b);
    return bad ? "the device's reference is not the host's" : NULL;
}

/* ---- watches ------------------------------------------------------------------ */

/* One changed byte of an operand, and one beside a result, are seen; one inside a result is not a
 * change. */
static const char *watch_wrong(rig *r)
{
    static const unsigned char zero[2];
    matrix m = matrix_new(r, 5, 6, 9, 1);
    m.kind = KIND_RESULT;
    matrix_fill(r, &m);
    uint64_t clean = matrix_changed(r, &m), sum = matrix_sum(r, &m);
    rig_must(r, zlay_device_upload(r->ctx, r->device, matrix_address(&m) + 2 * (9 + 5), zero, 2),
             "watch");
    uint64_t inside = matrix_changed(r, &m), other = matrix_sum(r, &m);
    rig_must(r, zlay_device_upload(r->ctx, r->device, matrix_address(&m) + 2 * (9 + 6), zero, 2),
             "watch");
    rig_must(r, zlay_device_upload(r->ctx, r->device, m.allocation + 2 * m.cells - 2, zero, 2),
             "watch");
    uint64_t outside = matrix_changed(r, &m);
    matrix_free(r, &m);
    if (clean || inside || sum == other) return "a result's inside counts as its margin";
    return outside == 2 ? NULL : "a write beside a result is not seen";
}

static const char *compare_wrong(rig *r)
{
    matrix a = operand(r, KIND_INTEGER, 0, M), b = operand(r, KIND_INTEGER, 0, N);
    matrix d = matrix_new(r, M, N, N, 0);
    product p = product_new(r, &a, &b, M, N, K);
    d.kind = KIND_RESULT;
    matrix_fill(r, &d);
    uint64_t exact = product_compare(r, &p, &d, 0, 1).bad,
             near = product_compare(r, &p, &d, 0, 0).bad;
    product_free(r, &p);
    matrix_free(r, &a);
    matrix_free(r, &b);
    matrix_free(r, &d);
    return exact > M * N * 9 / 10 && near > M * N * 9 / 10 ? NULL
                                                           : "a pattern passes for a product";
}

void self_check(rig *r, char *why, size_t room)
{
    const char *wrong = NULL;
    for (int kind = KIND_INTEGER; !wrong && kind <= KIND_NORMAL; kind++)
        wrong = inputs_wrong(r, kind);
    for (int i = 0; !wrong && i < 4; i++) wrong = reference_wrong(r, i & 1, i >> 1);
    if (!wrong) wrong = watch_wrong(r);
    if (!wrong) wrong = compare_wrong(r);
    snprintf(why, room, "%s", wrong ? wrong : "");
}
