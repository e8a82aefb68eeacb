/* SPDX-License-Identifier: Apache-2.0 */
/* Plans attention forward: reads the request, has tiles.c choose tiles that fit a block's shared memory and
 * registers, has moves.c plan the tensor maps of each tensor, and has the pipe that pipe.c writes
 * parsed and proved. */
#include "base/request.h"
#include "pipe/order/verify.h"
#include "synth/attention/attention.h"
#include <zlay/mma.h>
#include <zlay/target.h>

enum { ACROSS = 16, ROW_BITS = 1024 };

/* ---- the request ------------------------------------------------------------------------- */

static zlay_status extent(zlay_ctx *ctx, const char *field, uint64_t value)
{
    if (value >= 1 && value <= ZL_ATTENTION_EXTENT) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu is not in 1..%d", field, (unsigned long long)value,
                   ZL_ATTENTION_EXTENT);
}

static void dense(zlay_attention_strides *s, uint64_t rows, uint64_t heads, uint64_t head)
{
    if (!s->head) s->head = head;
    if (!s->row) s->row = heads * head;
    if (!s->batch) s->batch = zl_umul_sat(rows, s->row);
}

/* A map's strides are whole 16 bytes. */
static void dense_across(zlay_attention *a)
{
    zlay_attention_strides *v = &a->v;
    if (!v->row) v->row = (a->keys + ACROSS - 1) / ACROSS * ACROSS;
    if (!v->head) v->head = zl_umul_sat(v->row, a->head);
    if (!v->batch) v->batch = zl_umul_sat(v->head, a->kv_heads);
}

static zlay_status strides(zlay_ctx *ctx, zlay_attention *a)
{
    zlay_attention_strides *all[] = {&a->q, &a->k, &a->v, &a->o};
    if (zl_attention_bytes(a)) dense_across(a);
    for (int i = 0; i < 4; i++) {
        bool query = i == 0 || i == 3;
        dense(all[i], query ? a->queries : a->keys, query ? a->heads : a->kv_heads, a->head);
        if (all[i]->row > INT64_MAX / 2 || all[i]->head > INT64_MAX / 2 ||
            all[i]->batch > INT64_MAX / 2)
            return zl_fail(ctx, ZLAY_EOVERFLOW, "%c: a stride passes 2^62", "qkvo"[i]);
    }
    return ZLAY_OK;
}

/* The log-sum-exp is a number for each row; rows are adjacent, those of a head a multiple of 4. */
static zlay_status lse_strides(zlay_ctx *ctx, zlay_attention *a)
{
    zlay_attention_strides *l = &a->l;
    if (!a->lse && (l->row || l->head || l->batch))
        return zl_fail(ctx, ZLAY_EINVAL, "l: strides of the log-sum-exp, without `lse`");
    if (l->row > 1)
        return zl_fail(ctx, ZLAY_ENOTSUP, "l: rows of the log-sum-exp are adjacent, not %llu apart",
                       (unsigned long long)l->row);
    l->row = 1;
    if (!l->head) l->head = zl_attention_lse_rows(a->queries);
    if (!l->batch) l->batch = zl_umul_sat(a->heads, l->head);
    if (l->head < zl_attention_lse_rows(a->queries) || l->batch < zl_attention_lse_rows(a->queries))
        return zl_fail(ctx, ZLAY_EINVAL, "l: a head has %llu rows, and the next begins before",
                       (unsigned long long)zl_attention_lse_rows(a->queries));
    if (l->head <= INT64_MAX / 2 && l->batch <= INT64_MAX / 2) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EOVERFLOW, "l: a stride passes 2^62");
}

/* Packed sequences have no stride from one to the next. */
static zlay_status lengths(zlay_ctx *ctx, const zlay_attention *a)
{
    const struct {
        int32_t lengths;
        uint64_t batch[2];
    } sides[] = {{a->q_lengths, {a->q.batch, a->o.batch}}, {a->k_lengths, {a->k.batch, a->v.batch}}};
    for (int i = 0; i < 2; i++) {
        if (sides[i].lengths < ZLAY_LENGTHS_EQUAL || sides[i].lengths > ZLAY_LENGTHS_PACKED)
            return zl_fail(ctx, ZLAY_EINVAL, "%c_lengths: there is no %d", "qk"[i], sides[i].lengths);
        if (sides[i].lengths == ZLAY_LENGTHS_PACKED && (sides[i].batch[0] || sides[i].batch[1]))
            return zl_fail(ctx, ZLAY_EINVAL, "%s: packed sequences have no stride of the batch",
                           i ? "k, v" : "q, o");
    }
    return ZLAY_OK;
}

/* Packed sequences of queries and keys, of any lengths: they are the batch. */
static zlay_status sequences(zlay_ctx *ctx, zlay_attention *a, uint32_t *same)
{
    const struct {
        bool is;
        const char *field;
    } refused[] = {{a->batch > 0, "batch"},
                   {a->q_lengths != 0, "q_lengths"},
                   {a->k_lengths == ZLAY_LENGTHS_PADDED, "k_lengths"},
                   {a->splits > 1, "splits"},
                   {a->lse != 0, "lse"},
                   {a->window != 0, "window"},
                   {zl_attention_bytes(a), "type"}};
    zlay_status status = a->sequences ? extent(ctx, "sequences", a->sequences) : ZLAY_OK;
    for (size_t i = 0; i < ZL_COUNT(refused) && a->sequences && !status; i++)
        if (refused[i].is)
            status = zl_fail(ctx, ZLAY_ENOTSUP, "%s: not planned with `sequences`", refused[i].field);
    if (status || !a->sequences) return status;
    *same = a->k_lengths == ZLAY_LENGTHS_EQUAL;
    if (*same && a->keys != a->queries)
        return zl_fail(ctx, ZLAY_EINVAL, "keys: %llu, and the sequences have %llu rows of both; packed k_lengths have an array of their own",
                       (unsigned long long)a->keys, (unsigned long long)a->queries);
    a->batch = a->sequences;
    a->q_lengths = a->k_lengths = ZLAY_LENGTHS_PACKED;
    return ZLAY_OK;
}

/* Bodies count the elements of the parts in 31 bits. */
static zlay_status splits(zlay_ctx *ctx, const zlay_attention *a)
{
    uint64_t heads = zl_umul_sat(zl_umul_sat(a->batch, a->heads), a->splits);
    uint64_t elements = zl_umul_sat(heads, zl_umul_sat(zl_attention_lse_rows(a->queries), a->head));
    zlay_status status = extent(ctx, "splits", a->splits);
    if (status || a->splits == 1 || elements <= INT32_MAX) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP, "splits: %llu elements of parts, and 2^31 - 1 are counted",
                   (unsigned long long)elements);
}

static bool is_half(int32_t type)
{
    return type == ZLAY_TYPE_BF16 || type == ZLAY_TYPE_F16;
}

static zlay_status supported(zlay_ctx *ctx, const zlay_attention *a)
{
    if (!is_half(a->type) && !zl_attention_bytes(a))
        return zl_fail(ctx, ZLAY_ENOTSUP, "type: %d; attention of this version is bf16, f16 or e4m3",
                       a->type);
    if (!is_half(a->o_type) || (!zl_attention_bytes(a) && a->o_type != a->type))
        return zl_fail(ctx, ZLAY_ENOTSUP, "o_type: %d; the result is bf16 or f16, of bf16 and f16 of the same type",
                       a->o_type);
    if (zl_attention_bytes(a) && (a->k_lengths || a->splits > 1))
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s: of e4m3 sequences of keys are equal and whole; bf16 has it",
                       a->k_lengths ? "k_lengths" : "splits");
    if (a->head != 64 && a->head != 128 && a->head != 256)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "head: %u; rows of 64, 128 and 256 elements are planned, "
                       "the next is %u",
                       a->head,
                       a->head <= 64    ? 64
                       : a->head <= 128 ? 128
                                        : 256);
    if (a->causal > 1 || a->soft_cap > 1 || a->sinks > 1 || a->lse > 1)
        return zl_fail(ctx, ZLAY_EINVAL, "causal, soft_cap, sinks, lse: each is 0 or 1");
    if (a->heads % a->kv_heads)
        return zl_fail(ctx, ZLAY_EINVAL, "kv_heads: %llu does not divide the %llu heads",
                       (unsigned long long)a->kv_heads, (unsigned long long)a->heads);
    if (!zl_attention_differ(a) && a->causal && a->keys < a->queries)
        return zl_fail(ctx, ZLAY_ENOTSUP, "causal: %llu keys for %llu queries: the first see none",
                       (unsigned long long)a->keys, (unsigned long long)a->queries);
    if (a->window && !a->causal)
        return zl_fail(ctx, ZLAY_ENOTSUP, "window: %llu, and the request is not causal",
                       (unsigned long long)a->window);
    return ZLAY_OK;
}

static zlay_status ask_read(zlay_ctx *ctx, zlay_attention *a, uint32_t *same, const zlay_attention *request)
{
    static const zl_request_form form = {
        "zlay_attention",
        sizeof(zlay_attention),
        sizeof request->size,
        {ZL_RESERVED(zlay_attention, reserved)}};
    zlay_status status = zl_request_read(ctx, a, request, &form);
    if (status) return status;
    if (!a->type) a->type = ZLAY_TYPE_BF16;
    if (!a->o_type) a->o_type = zl_attention_bytes(a) ? ZLAY_TYPE_BF16 : a->type;
    status = sequences(ctx, a, same);
    if (status) return status;
    if (!a->batch) a->batch = 1;
    if (!a->heads) a->heads = 1;
    if (!a->kv_heads) a->kv_heads = a->heads;
    if (!a->splits) a->splits = 1;
    status = extent(ctx, "batch", a->batch);
    if (!status) status = extent(ctx, "heads", a->heads);
    if (!status) status = extent(ctx, "kv_heads", a->kv_heads);
    if (!status) status = extent(ctx, "queries", a->queries);
    if (!status) status = extent(ctx, "keys", a->keys);
    if (!status) status = supported(ctx, a);
    if (!status) status = lengths(ctx, a);
    if (!status) status = splits(ctx, a);
    if (!status && a->window >= a->keys) a->window = 0; /* all keys */
    if (!status) status = strides(ctx, a);
    return status ? status : lse_strides(ctx, a);
}

/* Whether the target has products of this instruction. */
static zlay_status has_products(bool *out, const zlay_target *target, const zlay_attention *a, bool tmem)
{
    zlay_verdict verdict;
    zlay_reason reason;
    zlay_mma mma = {.instruction = tmem ? ZLAY_MMA_TCGEN05 : ZLAY_MMA_WGMMA,
                    .kind = tmem ? ZLAY_KIND_F16 : ZLAY_KIND_NONE,
                    .m = tmem ? ZL_ATTENTION_TMEM_ROWS : 64,
                    .n = 64,
                    .k = 256 / zlay_type_bits(a->type),
                    .a = a->type,
                    .b = a->type,
                    .d = ZLAY_TYPE_F32,
                    .a_source = ZLAY_SOURCE_SMEM,
                    .cta_group = tmem};
    zlay_status status = zlay_mma_check(&verdict, &reason, 1, target, &mma);
    *out = !status && verdict.answer == ZLAY_YES;
    return status;
}

static zlay_status products_choose(zlay_ctx *ctx, zlay_attention_plan *p)
{
    bool wgmma = false, tmem = false;
    zlay_status status = has_products(&wgmma, p->target, &p->ask, false);
    if (!status) status = has_products(&tmem, p->target, &p->ask, true);
    p->tmem = tmem;
    if (!status && !wgmma && zl_attention_bytes(&p->ask))
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s: attention of e4m3 is planned for targets with wgmma; bf16 works",
                       zlay_target_name(p->target));
    if (status || wgmma || tmem) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP, "%s: attention is planned for targets with wgmma, tcgen05 or MFMA",
                   zlay_target_name(p->target));
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Few queries do not fill a tile: the heads that share a head of keys are packed into it, where they are 2, 4, .. 64. */
static void group_choose(zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    uint64_t group = a->heads / a->kv_heads;
    bool packs = a->splits > 1 && !a->q_lengths && a->queries < ZL_ATTENTION_COLUMNS &&
                 zl_is_power_of_two(group) && group <= ZL_ATTENTION_COLUMNS;
    p->split = a->splits > 1;
    p->group = packs ? (uint32_t)group : 1;
}

/* Row query * group + head of the group. */
void zl_attention_heads_pack(zlay_attention_plan *p)
{
    p->ask.heads /= p->group;
    p->ask.queries *= p->group;
}

/* A block of one warpgroup for each 64 queries and 64 elements of a head. */
static void merge_choose(zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    uint32_t m = p->rows = ZL_ATTENTION_COLUMNS;
    p->info = (zlay_attention_summary){.tile_m = m,
                                       .tile_n = 1,
                                       .stages = 1,
                                       .grid = {(a->queries + m - 1) / m, a->heads,
                                                zl_umul_sat(a->batch, a->head / m)},
                                       .tiles = a->splits,
                                       .threads = ZL_ATTENTION_THREADS};
}

/* The result goes where the request says; of a split it is f32, dense, and has its log-sum-exp. */
static void result_choose(zlay_attention_plan *p)
{
    zlay_attention *a = &p->ask;
    zl_attention_result *r = &p->out;
    *r = (zl_attention_result){a->o_type, ZL_ATTENTION_COLUMNS, a->heads, a->o, a->l};
    if (!p->split) return;
    uint64_t heads = a->heads * a->splits, rows = zl_attention_lse_rows(a->queries), m = ZL_ATTENTION_COLUMNS;
    *r = (zl_attention_result){ZLAY_TYPE_F32, ZL_ATTENTION_COLUMNS / 2, heads,
                               {m, a->queries * m, heads * a->queries * a->head},
                               {1, rows, heads * rows}};
    a->lse = 1;
    a->sinks = 0;
    p->info.grid[1] = heads;
}

static zlay_status plan_finish(zlay_ctx *ctx, zlay_attention_plan *p)
{
    uint32_t row = ROW_BITS / zlay_type_bits(p->ask.type);
    p->columns = p->ask.head < row ? p->ask.head : row;
    p->panels = p->ask.head / p->columns;
    result_choose(p);
    zlay_status status = zl_attention_moves(ctx, p);
    return status ? status
                  : zl_pipe_proved(ctx, &p->pipe, p->merges ? zl_attention_merge_put
                                                  : p->tmem ? zl_attention_tmem_pipe_put
                                                            : zl_attention_pipe_put, p);
}

static zlay_status merge_make(zlay_ctx *ctx, zlay_attention_plan *p)
{
    if (p->ask.splits < 2) return ZLAY_OK;
    zlay_attention_plan *merge = p->merge = zl_alloc(ctx, 1, sizeof *merge);
    if (!merge) return ZLAY_ENOMEM;
    merge->alloc = p->alloc;
    merge->target = p->target;
    merge->ask = p->ask;
    merge->ask.k_lengths = ZLAY_LENGTHS_EQUAL; /* it reads no keys */
    merge->merges = 1;
    merge->group = p->group;
    merge_choose(merge);
    return plan_finish(ctx, merge);
}

zlay_status zl_attention_read(zlay_ctx *ctx, zlay_attention_plan **out, const zlay_target *target, const zlay_attention *request)
{
    zlay_attention_plan *p = *out = zl_alloc(ctx, 1, sizeof *p);
    if (!p) return ZLAY_ENOMEM;
    p->alloc = zl_allocator(ctx);
    p->target = target;
    zlay_status status = ask_read(ctx, &p->ask, &p->same, request);
    if (status || zl_attention_by_waves(target)) return status;
    status = products_choose(ctx, p);
    group_choose(p);
    zl_attention_machine(p);
    return status;
}

/* With tensor maps, and wgmma or tcgen05. */
static zlay_status tensors_make(zlay_ctx *ctx, zlay_attention_plan *p)
{
    zlay_status status = merge_make(ctx, p);
    if (status) return status;
    zl_attention_heads_pack(p);
    if (p->tmem && p->ask.sequences)
        return zl_fail(ctx, ZLAY_ENOTSUP, "sequences: not planned on %s; sm_90a has it", zlay_target_name(p->target));
    status = zl_attention_tiles(ctx, p);
    if (status) return status;
    if (p->info.grid[0] > INT32_MAX)
        return zl_fail(ctx, ZLAY_ENOTSUP, "sequences: %llu blocks, and a grid has 2^31 - 1", (unsigned long long)p->info.grid[0]);
    return plan_finish(ctx, p);
}

/* With loads of threads and MFMA. */
zlay_status zl_attention_waves_make(zlay_ctx *ctx, zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    if (a->tile_m || a->tile_n || a->stages || a->overlap)
        return zl_fail(ctx, ZLAY_ENOTSUP, "tile_m, tile_n, stages, overlap: plans of waves (%s) choose them", zlay_target_name(p->target));
    p->group = 1;
    p->out.type = p->ask.type;
    return zl_attention_wave_plan(ctx, p);
}

zlay_status zlay_attention_synth(zlay_ctx *ctx, zlay_attention_plan **out,
                                 const zlay_target *target, const zlay_attention *attention)
{
    zlay_attention_plan *p;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!target || !attention) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_attention_read(ctx, &p, target, attention);
    if (!status) status = zl_attention_by_waves(target) ? zl_attention_waves_make(ctx, p) : tensors_make(ctx, p);
    status = zl_leave(ctx, zl_whole(ctx, status));
    if (status) zlay_attention_free(p);
    else *out = p;
    return status;
}

void zlay_attention_free(zlay_attention_plan *plan)
{
    if (!plan) return;
    zlay_allocator alloc = plan->alloc;
    for (uint32_t i = 0; i < plan->moves_count; i++) zlay_move_free(plan->moves[i].move);
    for (uint32_t i = 0; i < plan->operands_count; i++) zlay_layout_free(plan->operands[i].layout);
    zlay_pipe_free(plan->pipe);
    zlay_attention_free(plan->merge);
    zl_attention_wave_free(&plan->wave);
    zl_free(&alloc, plan, sizeof *plan);
}

const zlay_attention_plan *zlay_attention_merge(const zlay_attention_plan *plan)
{
    return plan ? plan->merge : NULL;
}
