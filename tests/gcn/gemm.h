/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that computes D = A B^T, run whole: factors of small integers, whose sums are exact in f32
 * whatever their order; NaN where rows have a margin, and a pattern around D that has to stay. */
#ifndef TEST_GCN_GEMM_H
#define TEST_GCN_GEMM_H

#include "run.h"

enum {
    GEMM_A = 0x1000000,
    GEMM_B = 0x2000000,
    GEMM_D = 0x3000000,
    GEMM_ARGUMENTS = 0x4000000,
    GEMM_MARGIN = 4096
};

typedef struct gcn_gemm gcn_gemm;
struct gcn_gemm {
    uint32_t m, n, k, lda, ldb, ldd;    /* pitches of rows in elements */
    uint32_t threads, grid[2], d_bytes; /* d_bytes 2: bf16, to nearest; 4: f32 */
    int schedules;                      /* the first so many; 0: all */
    uint8_t arguments[256];
    uint16_t *a, *b;
    uint8_t *d, *expect;
    uint64_t d_size;
    uint8_t *ran; /* by line; may be NULL */
    bool ordered; /* barriers have to order what waves do in LDS, whatever the schedule */
    char fault[200];
};

static inline uint16_t gcn_small(uint64_t *random) /* -4..4 as bf16 */
{
    return (uint16_t)(gcn_bits((float)test_range(random, -4, 4)) >> 16);
}

/* rows x columns at a pitch; NaN between the rows. */
static inline uint16_t *gcn_factor(uint64_t *random, uint32_t rows, uint32_t columns,
                                   uint32_t pitch)
{
    uint16_t *all = calloc((size_t)rows * pitch, 2);
    assert_non_null(all);
    for (uint32_t i = 0; i < rows * pitch; i++)
        all[i] = i % pitch < columns ? gcn_small(random) : 0x7fc0;
    return all;
}

static inline float gcn_dot(const gcn_gemm *g, uint32_t i, uint32_t j)
{
    float sum = 0;
    for (uint32_t k = 0; k < g->k; k++)
        sum += gcn_float((uint32_t)g->a[i * g->lda + k] << 16) *
               gcn_float((uint32_t)g->b[j * g->ldb + k] << 16);
    return sum;
}

/* bf16 to nearest, ties to even, by trying both neighbours. */
static inline uint16_t gcn_nearest(float value)
{
    uint32_t low = gcn_bits(value) >> 16;
    if ((low & 0x7f80) == 0x7f80) return (uint16_t)(value == value ? low : low | 0x40);
    float below = gcn_float(low << 16), above = gcn_float((low + 1) << 16);
    float left = value - below, right = above - value;
    left = left < 0 ? -left : left, right = right < 0 ? -right : right;
    return (uint16_t)(left < right || (left == right && !(low & 1)) ? low : low + 1);
}

static inline void gcn_expect(gcn_gemm *g)
{
    memset(g->expect, 0xcd, g->d_size);
    for (uint32_t i = 0; i < g->m; i++)
        for (uint32_t j = 0; j < g->n; j++) {
            float sum = gcn_dot(g, i, j);
            uint16_t near = gcn_nearest(sum);
            memcpy(g->expect + GEMM_MARGIN + ((size_t)i * g->ldd + j) * g->d_bytes,
                   g->d_bytes == 2 ? (void *)&near : (void *)&sum, g->d_bytes);
        }
}

static inline bool gcn_nan16(uint16_t bits) { return (bits & 0x7fff) > 0x7f80; }

/* One NaN of bf16 is as good as another. */
static inline bool gcn_gemm_equal(const gcn_gemm *g)
{
    if (!memcmp(g->d, g->expect, g->d_size)) return true;
    for (uint64_t i = 0; i + 2 <= g->d_size; i += 2) {
        uint16_t got, want;
        memcpy(&got, g->d + i, 2), memcpy(&want, g->expect + i, 2);
        if (got != want && (g->d_bytes != 2 || !gcn_nan16(got) || !gcn_nan16(want))) return false;
    }
    return true;
}

static inline void gcn_gemm_make(gcn_gemm *g, uint64_t seed)
{
    g->a = gcn_factor(&seed, g->m, g->k, g->lda);
    g->b = gcn_factor(&seed, g->n, g->k, g->ldb);
    g->d_size = (uint64_t)g->m * g->ldd * g->d_bytes + 2 * GEMM_MARGIN;
    g->d = calloc(1, g->d_size);
    g->expect = calloc(1, g->d_size);
    assert_true(g->d && g->expect);
    gcn_expect(g);
}

static inline void gcn_gemm_free(gcn_gemm *g)
{
    free(g->a), free(g->b), free(g->d), free(g->expect);
}

static inline gcn_machine *gcn_gemm_machine(gcn_gemm *g, const gcn_code *code)
{
    gcn_machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->code = code;
    m->ran = g->ran;
    m->threads[0] = g->threads, m->threads[1] = m->threads[2] = 1;
    m->kernarg = GEMM_ARGUMENTS;
    gcn_add_memory(m, GEMM_A, g->a, (uint64_t)g->m * g->lda * 2, false);
    gcn_add_memory(m, GEMM_B, g->b, (uint64_t)g->n * g->ldb * 2, false);
    gcn_add_memory(m, GEMM_D - GEMM_MARGIN, g->d, g->d_size, true);
    gcn_add_memory(m, GEMM_ARGUMENTS, g->arguments, sizeof g->arguments, false);
    return m;
}

/* In every schedule, each element stored once; what is wrong is left in `fault`. */
static inline bool gcn_gemm_right(const gcn_code *code, void *test)
{
    gcn_gemm *g = test;
    gcn_machine *m = gcn_gemm_machine(g, code);
    int waves = (int)(g->threads + GCN_LANES - 1) / GCN_LANES;
    gcn_past *past = g->ordered ? calloc(1, sizeof *past) : NULL;
    bool right = true;
    for (int i = 0;
         right && (!g->schedules || i < g->schedules) && gcn_schedule_of(&m->schedule, i, waves, 7);
         i++) {
        memset(g->d, 0xcd, g->d_size);
        m->stored = 0;
        m->past = m->schedule.early ? NULL : past;
        for (uint32_t y = 0; y < g->grid[1] && !m->failed; y++)
            for (uint32_t x = 0; x < g->grid[0] && !m->failed; x++) gcn_run_group(m, x, y);
        right = !m->failed && gcn_gemm_equal(g) && m->stored == (uint64_t)g->m * g->n * g->d_bytes;
        snprintf(g->fault, sizeof g->fault, "schedule %d: %.170s", i,
                 m->failed ? m->fault : "wrong values");
    }
    free(past);
    free(m);
    return right;
}

#endif
