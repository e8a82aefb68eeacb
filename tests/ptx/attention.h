/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of attention for the tests that assemble its kernels and that execute them: the request, the lengths of sequences,
 * the plan, and the text of its kernels. */
#ifndef TEST_PTX_ATTENTION_H
#define TEST_PTX_ATTENTION_H

#include "ctx.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { KERNEL = 1 << 20, ARGUMENTS = 32 };

static char kernel[KERNEL];

typedef struct shape {
    uint32_t head, causal, cap;
    uint64_t batch, heads, kv_heads, queries, keys;
    int32_t type;
    uint32_t sinks, lse;
    uint64_t window;
    const int32_t *rows[2]; /* of each sequence, keys first; NULL: all have as many */
    bool packed[2];
    uint64_t splits;
    bool sequences; /* the blocks find their tiles among packed sequences */
    uint64_t blocks; /* persistent ones of those; 0: as many as the plan's grid */
    uint64_t spare; /* rows that the request of those has more than there are */
    bool tmem; /* of sm_100a, in tensor memory; else of sm_90a */
    uint32_t tile_m, tile_n; /* 0: as the planner chooses */
} shape;

enum { KEYS, QUERIES };

static const char *target_name(const shape *s) { return s->tmem ? "sm_100a" : "sm_90a"; }

typedef struct run {
    zlay_ctx *ctx;
    zlay_attention_plan *plan;
    zlay_attention_summary info;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS];
    uint16_t *tensor[4]; /* q, k, v, o */
    double *number[3];   /* q, k, v as numbers */
    uint8_t *bytes[3];   /* q, k, v of e4m3 as the kernel reads them; tensor has them in halves of their own */
    size_t bytes_count[3];
    size_t elements[4];
    size_t before[4];    /* elements of NaN in front of a tensor, where the maps of sequences begin */
    uint64_t at[7];
    float *part[2];         /* of splits: results and log-sum-exps, in the layouts of zlay/attention.h */
    size_t part_count[2];
    float *sinks; /* NULL: none */
    float *lse;   /* [batch][heads][rows up to a multiple of 4] */
    size_t lse_count;
    int32_t *lengths[2]; /* the arrays that the kernel reads */
    uint32_t next_tile;  /* the counter of claims */
} run;

/* ---- kernels ------------------------------------------------------------------------------- */

static inline bool is_bytes(const shape *s) { return s->type == ZLAY_TYPE_E4M3; }

static inline int32_t result_type(const shape *s) { return is_bytes(s) ? ZLAY_TYPE_BF16 : s->type; }

/* What the factors of Q and K multiply scores by, and that of V. */
static inline double scores_by(const shape *s) { return is_bytes(s) ? 1.5 : 1; }
static inline double values_by(const shape *s) { return is_bytes(s) ? 0.75 : 1; }

/* ---- sequences ------------------------------------------------------------------------------ */

/* The tensors have rows of keys and of queries. */
static inline int side_of(int tensor) { return tensor == 0 || tensor == 3 ? QUERIES : KEYS; }

static inline uint64_t rows_most(const shape *s, int side) { return side ? s->queries : s->keys; }

static inline uint64_t rows_in(const shape *s, int side, uint64_t b)
{
    return s->rows[side] ? (uint64_t)s->rows[side][b] : rows_most(s, side);
}

/* The row of the tensor at which a sequence begins; of the batch: where the tensor ends. */
static inline uint64_t rows_before(const shape *s, int side, uint64_t b)
{
    uint64_t sum = 0;
    if (!s->packed[side]) return b * rows_most(s, side);
    while (b--) sum += rows_in(s, side, b);
    return sum;
}

/* Whether one array serves queries and keys. */
static inline bool is_same(const shape *s) { return s->sequences && s->rows[KEYS] == s->rows[QUERIES]; }

/* Of the request. */
static inline uint64_t rows_bound(const shape *s, int side)
{
    return s->sequences ? rows_before(s, side, s->batch) + s->spare : rows_most(s, side);
}

static inline void lengths_make(run *r, const shape *s)
{
    for (int side = 0; side < 2; side++) {
        if (!s->rows[side]) continue;
        r->lengths[side] = calloc(s->batch + 1, sizeof **r->lengths);
        assert_non_null(r->lengths[side]);
        for (uint64_t b = 0; b <= s->batch; b++)
            if (s->packed[side] || b < s->batch)
                r->lengths[side][b] = (int32_t)(s->packed[side] ? rows_before(s, side, b) : rows_in(s, side, b));
    }
}

static inline zlay_attention asked(const shape *s)
{
    int32_t lengths[2] = {s->sequences && !is_same(s) ? ZLAY_LENGTHS_PACKED : 0, 0};
    for (int q = 0; q < 2 && !s->sequences; q++) lengths[q] = !s->rows[q] ? ZLAY_LENGTHS_EQUAL : s->packed[q] ? ZLAY_LENGTHS_PACKED : ZLAY_LENGTHS_PADDED;
    return (zlay_attention){.size = sizeof(zlay_attention), .q_lengths = lengths[QUERIES], .k_lengths = lengths[KEYS], .type = s->type, .batch = s->sequences ? 0 : s->batch, .sequences = s->sequences ? s->batch : 0, .heads = s->heads,
                            .kv_heads = s->kv_heads, .queries = rows_bound(s, QUERIES), .keys = rows_bound(s, KEYS), .head = s->head, .causal = s->causal,
                            .soft_cap = s->cap, .sinks = s->sinks, .lse = s->lse, .window = s->window, .splits = s->splits, .tile_m = s->tile_m, .tile_n = s->tile_n};
}

/* ---- plans and kernels ------------------------------------------------------------------------ */

static inline void plan_make(run *r, const shape *s)
{
    zlay_attention a = asked(s);
    if (zlay_attention_synth(r->ctx, &r->plan, target_of(target_name(s)), &a)) fail_msg("%s", zlay_ctx_message(r->ctx));
}

static inline void print_kernel(run *r, const zlay_attention_plan *plan, int32_t language)
{
    zlay_buf out = {kernel, sizeof kernel, 0};
    zlay_attention_emit ask = {.size = sizeof ask, .language = language, .plan = plan, .name = "kernel", .name_length = 6};
    assert_int_equal(zlay_attention_info(&r->info, plan), ZLAY_OK);
    if (zlay_emit_attention(r->ctx, &out, &r->launch, r->argument, ARGUMENTS, &ask)) fail_msg("%s", zlay_ctx_message(r->ctx));
    assert_int_equal(r->launch.threads, r->info.threads);
}

#endif
