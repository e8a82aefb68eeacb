/* SPDX-License-Identifier: Apache-2.0 */
/* A planned GEMM with its operands in memory, and what D must be. */
#ifndef TEST_PTX_GEMM_H
#define TEST_PTX_GEMM_H

#include "group_ctx.h"
#include "plans/refused.h"
#include "ptx/run.h"

#include <math.h>
#include <zlay/emit.h>
#include <zlay/plan.h>

#define GEMM_WORKSPACE ((uint64_t)1 << 36) /* the address of a workspace */
#define GEMM_OFFSETS ((uint64_t)1 << 37) /* and of where groups begin */
enum { GEMM_CANARY = 0x7fc1, GEMM_NAN = 0xff, GEMM_BESIDE = 16 /* bytes on either side of a matrix */, GEMM_FLAG = 128 /* bytes of a flag */ }; /* halves of D before; bytes of padding of A and B: NaN, or whole numbers */

static px_machine machine;

typedef struct px_matrix {
    uint64_t rows, columns, pitch, count;
    int type;
    uint32_t bytes; /* of an element */
    bool by_column;
    uint8_t *at;
} px_matrix;

typedef struct px_gemm {
    zlay_gemm request;
    zlay_plan *plan;
    zlay_plan_summary info;
    px_matrix a, b, d;
    char *text;
    const char *copy[3]; /* kernels of the module that repack an operand, or NULL */
    uint8_t *workspace;
    size_t length;
    uint32_t blocks; /* or clusters, where blocks share a tile */
} px_gemm;

static inline uint8_t *px_element(const px_matrix *x, uint64_t row, uint64_t column)
{
    return &x->at[(x->by_column ? column * x->pitch + row : row * x->pitch + column) * x->bytes];
}

static inline px_matrix px_matrix_new(uint64_t rows, uint64_t columns, int type, int32_t order, int32_t usual, uint64_t pitch)
{
    px_matrix x = {rows, columns, pitch, 0, type, px_bytes_of(type), (order ? order : usual) == ZLAY_ORDER_COLUMN, NULL};
    uint64_t inner = x.by_column ? rows : columns, outer = x.by_column ? columns : rows;
    if (!x.pitch) x.pitch = inner;
    x.count = outer * x.pitch;
    x.at = malloc(x.count * x.bytes + 2 * GEMM_BESIDE);
    assert_non_null(x.at);
    memset(x.at, GEMM_NAN, x.count * x.bytes + 2 * GEMM_BESIDE);
    x.at += GEMM_BESIDE;
    return x;
}

/* The bits of a number that a type has, or rounds to nearest even; of tf32 with bits that do not count. */
static inline uint32_t px_gemm_bits(int type, double value)
{
    switch (type) {
    case ZLAY_TYPE_F16: return px_bits(&px_f16, value, PX_NEAREST, false);
    case ZLAY_TYPE_BF16: return px_bits(&px_bf16, value, PX_NEAREST, false);
    case ZLAY_TYPE_E4M3: return px_bits(&px_e4m3, value, PX_NEAREST, true);
    case ZLAY_TYPE_E5M2: return px_bits(&px_e5m2, value, PX_NEAREST, true);
    case ZLAY_TYPE_F32: return px_bits(&px_f32, value, PX_NEAREST, false);
    case ZLAY_TYPE_TF32: return px_bits(&px_f32, value, PX_NEAREST, false) | 0x1abc;
    case ZLAY_TYPE_S8: return (uint8_t)(int8_t)fmin(fmax(value, -128), 127);
    case ZLAY_TYPE_U8: return (uint8_t)fmin(fmax(value, 0), 255);
    default: return (uint32_t)(int64_t)value;
    }
}

/* Whole numbers: bytes of integers all that there are, so that sums pass a float's 24 bits; of floats small ones, whose sums are exact. */
static inline double px_gemm_draw(int type, uint64_t *random)
{
    if (type == ZLAY_TYPE_U8) return (double)(test_random(random) % 256);
    if (type == ZLAY_TYPE_S8) return (double)(int)(test_random(random) % 256) - 128;
    return (double)(int)(test_random(random) % 9) - 4;
}

static inline void px_matrix_draw(px_matrix *x, uint64_t *random)
{
    for (uint64_t r = 0; r < x->rows; r++)
        for (uint64_t c = 0; c < x->columns; c++) {
            uint32_t bits = px_gemm_bits(x->type, px_gemm_draw(x->type, random));
            memcpy(px_element(x, r, c), &bits, x->bytes);
        }
}

static inline void px_gemm_text(px_gemm *g)
{
    zlay_buf buf = {NULL, 0, 0};
    assert_int_equal(zlay_emit_ptx(ctx, &buf, g->plan, "gemm", 4), ZLAY_EROOM);
    buf.room = buf.need + 1;
    g->text = buf.text = malloc(buf.room);
    assert_non_null(g->text);
    assert_int_equal(zlay_emit_ptx(ctx, &buf, g->plan, "gemm", 4), ZLAY_OK);
    g->length = buf.need;
}

/* Cuts the module into its kernels, each a text of its own. */
static inline void px_gemm_cut(px_gemm *g)
{
    for (int o = 0; o < 3; o++) {
        static const char *const begin[] = {"\n.visible .entry gemm_a(", "\n.visible .entry gemm_b(", "\n.visible .entry gemm_d("};
        zlay_repack r;
        char *at = strstr(g->text, begin[o]);
        for (int p = 0; !at && p < o; p++)
            if (g->copy[p]) at = strstr(g->copy[p], begin[o]);
        bool copied = !zlay_plan_repack(&r, g->plan, o);
        assert_int_equal(copied, at != NULL);
        if (!at) continue;
        *at = 0;
        g->copy[o] = at + 1;
    }
}

/* Of the request's A, B and D. */
static inline void px_gemm_types(int32_t *type, const zlay_plan *plan, const zlay_plan_summary *info)
{
    (void)plan;
    type[0] = info->swapped ? info->mma.b : info->mma.a;
    type[1] = info->swapped ? info->mma.a : info->mma.b;
    type[2] = info->d_type;
}

/* The flags of a block of stream-K: its bytes of the workspace begin with them. */
static inline uint8_t *px_gemm_flags(const px_gemm *g, uint32_t block)
{
    return g->workspace + g->info.workspace / g->info.stream_blocks * block;
}

static inline void px_gemm_make_on(px_gemm *g, const char *name, const zlay_gemm *request, uint32_t blocks, uint64_t *random)
{
    const zlay_target *target;
    *g = (px_gemm){.request = *request, .blocks = blocks};
    zlay_gemm *q = &g->request;
    q->size = sizeof *q;
    if (!q->a_address) q->a_address = 1 << 20;
    if (!q->b_address) q->b_address = 1 << 24;
    if (!q->d_address) q->d_address = 1 << 28;
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    if (zlay_gemm_synth(ctx, &g->plan, target, q)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_plan_info(&g->info, g->plan), ZLAY_OK);
    int32_t type[3];
    px_gemm_types(type, g->plan, &g->info);
    uint32_t pack = zlay_type_bits(type[0]) < 8 ? 2 : 1; /* two numbers of 4 bits are a byte of A and B */
    if (pack > 1) type[0] = type[1] = ZLAY_TYPE_U8;
    uint64_t of_b = q->groups && !q->ragged ? q->groups : 1, of_d = q->ragged ? q->groups : 1; /* matrices */
    g->a = px_matrix_new(q->m, q->k / pack, type[0], q->a_order, ZLAY_ORDER_ROW, q->lda / pack);
    bool below = of_b > 1 && q->b_order == ZLAY_ORDER_ROW; /* matrices of B lie below each other, else beside */
    g->b = px_matrix_new(q->k / pack * (below ? of_b : 1), q->n * (below ? 1 : of_b), type[1], q->b_order, ZLAY_ORDER_COLUMN, q->ldb / pack);
    g->d = px_matrix_new(q->m * of_d, q->n, type[2], q->d_order, ZLAY_ORDER_ROW, q->ldd);
    px_matrix_draw(&g->a, random);
    px_matrix_draw(&g->b, random);
    px_gemm_text(g);
    px_gemm_cut(g);
    if (g->info.workspace) {
        g->workspace = malloc(g->info.workspace);
        assert_non_null(g->workspace);
        memset(g->workspace, g->info.groups ? 0 : GEMM_NAN, g->info.workspace);
    }
    for (uint32_t b = 0; b < g->info.stream_blocks; b++) memset(px_gemm_flags(g, b), 0, g->info.consumers * GEMM_FLAG);
}

static inline void px_gemm_make(px_gemm *g, const zlay_gemm *request, uint32_t blocks, uint64_t *random)
{
    px_gemm_make_on(g, "sm_90a", request, blocks, random);
}

static inline void px_gemm_free(px_gemm *g)
{
    zlay_plan_free(g->plan);
    free(g->a.at - GEMM_BESIDE);
    free(g->b.at - GEMM_BESIDE);
    free(g->d.at - GEMM_BESIDE);
    free(g->text);
    free(g->workspace);
}

static inline uint64_t px_gemm_address(const px_gemm *g, int operand)
{
    const uint64_t of[3] = {g->request.a_address, g->request.b_address, g->request.d_address};
    return of[g->info.swapped && operand < 2 ? 1 - operand : operand];
}

/* The arguments of the product: a repacked operand is in the workspace. */
static inline void px_gemm_arguments(px_machine *m, const px_gemm *g)
{
    const zlay_target *target; /* whose bits of maps the machine reads */
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    for (int o = 0; o < 3; o++) {
        zlay_tensormap map;
        zlay_repack r;
        uint64_t words[PX_MAP_BYTES / 8] = {0};
        assert_int_equal(zlay_plan_map(&map, g->plan, o), ZLAY_OK);
        map.address = zlay_plan_repack(&r, g->plan, o) ? px_gemm_address(g, o) : GEMM_WORKSPACE + r.offset;
        zlay_tensormap_pack(words, target, &map);
        memcpy(m->param[o], words, sizeof words);
        memcpy(m->param[o + 3], &map.address, sizeof map.address);
    }
    if (g->info.groups) memcpy(m->param[6], &(uint64_t){GEMM_OFFSETS}, sizeof(uint64_t));
    if (g->info.groups && g->workspace) memcpy(m->param[7], &(uint64_t){GEMM_WORKSPACE}, sizeof(uint64_t));
    if (g->info.stream_blocks) memcpy(m->param[6], &(uint64_t){GEMM_WORKSPACE}, sizeof(uint64_t));
}

/* The operands as the plan has them: of a swapped one A is B.  A copy reads whole aligned 16 bytes. */
static inline void px_gemm_bind(px_machine *m, const px_gemm *g)
{
    const px_matrix *planned[3] = {g->info.swapped ? &g->b : &g->a, g->info.swapped ? &g->a : &g->b, &g->d};
    m->launched = g->info.smem;
    m->memories = 3;
    for (int o = 0; o < 3; o++) {
        uint64_t at = px_gemm_address(g, o), bytes = planned[o]->count * planned[o]->bytes, wider = g->copy[o] && o < 2 ? 16 : 1;
        uint64_t begin = at / wider * wider, end = (at + bytes + wider - 1) / wider * wider;
        m->memory[o] = (px_memory){begin, end - begin, planned[o]->at - (at - begin)};
    }
    if (g->workspace) m->memory[m->memories++] = (px_memory){GEMM_WORKSPACE, g->info.workspace, g->workspace};
    px_gemm_arguments(m, g);
    for (uint64_t i = 0; i < g->d.count * g->d.bytes; i++) g->d.at[i] = (uint8_t)(GEMM_CANARY >> i % 2 * 8);
}

/* Binds a product of groups, with where they begin, and more of the caller's; then runs it. False: a fault, also a counter of tiles that
 * is not 0 again. */
typedef void px_gemm_give(const px_gemm *g);
static inline bool px_gemm_ran_groups(px_machine *m, const px_gemm *g, const int32_t *offsets, px_gemm_give *give)
{
    static uint8_t copy[64 * sizeof *offsets];
    size_t bytes = (g->info.groups + 1) * sizeof *offsets;
    assert_true(bytes <= sizeof copy);
    memcpy(copy, offsets, bytes);
    *m->fault = 0;
    px_gemm_bind(m, g);
    m->memory[m->memories++] = (px_memory){GEMM_OFFSETS, bytes, copy};
    if (give) give(g);
    px_run(m, g->text, (int)g->info.threads, g->blocks, 1);
    for (uint64_t i = 0; i < g->info.workspace && !*m->fault; i++)
        if (g->workspace[i]) snprintf(m->fault, sizeof m->fault, "the counter of tiles is not 0 again");
    return !*m->fault;
}

static inline bool px_gemm_untouched(const px_matrix *d, uint64_t i)
{
    bool same = true;
    for (uint64_t k = i * d->bytes; k < (i + 1) * d->bytes; k++) same &= d->at[k] == (uint8_t)(GEMM_CANARY >> k % 2 * 8);
    return same;
}

/* The sums of products, row after row, in double. Each factor becomes a number once. */
static inline double *px_gemm_sums(const px_gemm *g)
{
    uint64_t rows = g->a.rows, columns = g->b.columns, depth = g->a.columns;
    double *sum = calloc(rows * columns, sizeof *sum), *b = malloc(depth * columns * sizeof *b);
    assert_true(sum && b);
    for (uint64_t k = 0; k < depth; k++)
        for (uint64_t j = 0; j < columns; j++) b[k * columns + j] = (double)px_number(px_element(&g->b, k, j), g->b.type);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t k = 0; k < depth; k++) {
            double a = (double)px_number(px_element(&g->a, i, k), g->a.type);
            for (uint64_t j = 0; j < columns; j++) sum[i * columns + j] += a * b[k * columns + j];
        }
    free(b);
    return sum;
}

/* Elements of D that are not the rounded exact sum, and padding that has changed. */
static inline uint64_t px_gemm_wrong(const px_gemm *g)
{
    uint64_t wrong = 0, inner = g->d.by_column ? g->d.rows : g->d.columns;
    double *sum = px_gemm_sums(g);
    for (uint64_t i = 0; i < g->d.rows; i++)
        for (uint64_t j = 0; j < g->d.columns; j++) {
            uint32_t want = px_gemm_bits(g->d.type, sum[i * g->d.columns + j]);
            wrong += memcmp(px_element(&g->d, i, j), &want, g->d.bytes) != 0;
        }
    free(sum);
    for (uint64_t i = 0; i < g->d.count; i++) wrong += i % g->d.pitch >= inner && !px_gemm_untouched(&g->d, i);
    return wrong;
}

/* An epilogue, and that D is what it makes of the exact sums. */
static const char px_relu[] = "body relu\n  matrix S f32\n  matrix R bf16\n  R = bf16(max(S, 0))\nend\n";

static inline void px_gemm_relu_right(const px_gemm *g)
{
    double *sum = px_gemm_sums(g);
    for (uint64_t i = 0; i < g->d.rows; i++)
        for (uint64_t j = 0; j < g->d.columns; j++) {
            uint32_t want = px_gemm_bits(g->d.type, fmax(sum[i * g->d.columns + j], 0));
            assert_memory_equal(px_element(&g->d, i, j), &want, 2);
        }
    free(sum);
}

/* Runs the copies before the product, or those behind it. */
static inline void px_gemm_copies(px_machine *m, const px_gemm *g, uint32_t behind)
{
    for (int o = 0; o < 3; o++) {
        zlay_repack r;
        zlay_transfer_summary info;
        if (*m->fault || zlay_plan_repack(&r, g->plan, o) || r.behind != behind) continue;
        uint64_t here = px_gemm_address(g, o), there = GEMM_WORKSPACE + r.offset;
        assert_int_equal(zlay_transfer_info(&info, r.transfer), ZLAY_OK);
        memcpy(m->param[0], behind ? &there : &here, sizeof here);
        memcpy(m->param[1], behind ? &here : &there, sizeof there);
        px_run(m, g->copy[o], (int)info.threads, (uint32_t)info.blocks, 1);
    }
}

/* 0: D is right; else what is wrong stands in m->fault. */
static inline bool px_gemm_fails(px_machine *m, const px_gemm *g, const char *text)
{
    *m->fault = 0;
    px_gemm_bind(m, g);
    px_gemm_copies(m, g, 0);
    if (*m->fault) return true;
    px_gemm_arguments(m, g);
    /* Blocks of stream-K wait for each other: the machine runs those of a cluster side by side. */
    int together = (int)(g->info.stream_blocks ? g->blocks : g->info.cluster);
    px_run(m, text, (int)g->info.threads, g->blocks * g->info.cluster, together);
    px_gemm_copies(m, g, 1);
    if (*m->fault) return true;
    uint64_t wrong = px_gemm_wrong(g);
    if (wrong) px_fault(m, "%llu elements of D are wrong", (unsigned long long)wrong);
    return wrong != 0;
}

/* The kernel is right whenever copies land, in three schedules. */
static inline void px_gemm_any_time(px_machine *m, const px_gemm *g, const char *what, uint64_t *random)
{
    for (int when = PX_LATE; when <= PX_ANY_TIME; when++) {
        m->when = (px_when)when;
        m->turn = 9;
        m->random = test_random(random);
        if (px_gemm_fails(m, g, g->text)) fail_msg("%s: %s", what, m->fault);
    }
}

/* A plan for sm_90a whose header is not printed, and a word of why. */
static inline void gemm_without_header(const zlay_gemm *request, const char *word)
{
    char text[64];
    zlay_buf out = {text, sizeof text, 0};
    const zlay_target *on;
    zlay_plan *plan;
    zlay_gemm q = *request;
    q.size = sizeof q;
    assert_int_equal(zlay_target_find(&on, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(ctx, &plan, on, &q), ZLAY_OK);
    assert_int_equal(zlay_emit_header(ctx, &out, plan, "x", 1), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(ctx), word));
    zlay_plan_free(plan);
}

#endif
