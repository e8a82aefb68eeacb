/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a product with weights of 4 or 8 bits: reads the request, chooses how many warpgroups share the steps of k and how many
 * stages fit a block's shared memory, has moves.c plan the tensor maps, and has the pipe that pipe.c or tmem_pipe.c writes proved. */
#include "base/arith.h"
#include "base/request.h"
#include "pipe/order/verify.h"
#include "synth/weights/weights.h"
#include <zlay/mma.h>
#include <zlay/target.h>

enum { STAGES_MOST = 16, THREADS = 128, EXTENT_MOST = 1 << 30, TILE_MOST = 64, ALIGN = 1024, BARS = 1024, SCALES_ALIGN = 16 /* of 8 bits */ };

/* Warpgroups that share the steps, by the rows of A in a tile: more rows need more registers. */
static const struct form {
    uint32_t tile_m, warpgroups;
} forms[] = {{16, 4}, {32, 3}, {TILE_MOST, 2}};

/* ---- the request ------------------------------------------------------------------------- */

static zlay_status multiple(zlay_ctx *ctx, const char *field, uint64_t value, uint32_t granule)
{
    if (value % granule == 0) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP, "%s: %llu is no multiple of %u: rows of 16 bytes are copied; the next is %llu",
                   field, (unsigned long long)value, granule, (unsigned long long)zl_round_up(value, granule));
}

static zlay_status extent(zlay_ctx *ctx, const char *field, uint64_t value, uint32_t granule)
{
    if (value < 1 || value > EXTENT_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu is not in 1..%d", field, (unsigned long long)value, EXTENT_MOST);
    return multiple(ctx, field, value, granule);
}

static zlay_status pitch(zlay_ctx *ctx, const char *field, uint64_t *value, uint64_t least)
{
    if (!*value) *value = least;
    if (*value < least)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu elements are fewer than the %llu of a row", field,
                       (unsigned long long)*value, (unsigned long long)least);
    if (*value <= INT64_MAX / 2) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EOVERFLOW, "%s: a pitch passes 2^62", field);
}

/* Types of weights with the groups that share a scale and the type of that, 0: that of A. The first row of a type is its default. */
static const struct kind {
    int32_t weights;
    uint32_t group;
    int32_t scales;
} kinds[] = {
    {ZLAY_TYPE_U4, ZL_WEIGHTS_K, 0},       {ZLAY_TYPE_S4, ZL_WEIGHTS_K, 0},       {ZLAY_TYPE_S8, ZL_WEIGHTS_K, 0},
    {ZLAY_TYPE_E2M1, 32, ZLAY_TYPE_UE8M0}, {ZLAY_TYPE_E2M1, 16, ZLAY_TYPE_E4M3}, {ZLAY_TYPE_E4M3, 32, ZLAY_TYPE_UE8M0},
    {ZLAY_TYPE_E5M2, 32, ZLAY_TYPE_UE8M0},
};

/* The row of a type and a group, 0: of any group; NULL: there is none. */
static const struct kind *kind_of(int32_t weights, uint32_t group)
{
    for (size_t i = 0; i < ZL_COUNT(kinds); i++)
        if (kinds[i].weights == weights && (!group || kinds[i].group == group)) return &kinds[i];
    return NULL;
}

static zlay_status refuse_group(zlay_ctx *ctx, const zlay_weights *a)
{
    const struct kind *k = kind_of(a->weights, 0);
    bool two = k + 1 < kinds + ZL_COUNT(kinds) && k[1].weights == k->weights;
    if (!two) return zl_fail(ctx, ZLAY_ENOTSUP, "group: %u; groups of %u weights share a scale", a->group, k->group);
    return zl_fail(ctx, ZLAY_ENOTSUP, "group: %u; groups of %u or %u weights of %s share a scale", a->group, k->group,
                   k[1].group, zlay_type_name(a->weights));
}

/* What a type of weights goes with. */
static zlay_status kind_check(zlay_ctx *ctx, const zlay_weights *a)
{
    const struct kind *k = kind_of(a->weights, a->group);
    if (!kind_of(a->weights, 0))
        return zl_fail(ctx, ZLAY_ENOTSUP, "weights: %d; weights of this version are u4, s4, s8, e2m1, e4m3 or e5m2", a->weights);
    if (!k) return refuse_group(ctx, a);
    if (k->scales && a->zeros)
        return zl_fail(ctx, ZLAY_ENOTSUP, "zeros: 1; weights of %s have none, those of u4, s4 and s8 may", zlay_type_name(a->weights));
    if (k->scales == ZLAY_TYPE_UE8M0 && a->type == ZLAY_TYPE_F16)
        return zl_fail(ctx, ZLAY_ENOTSUP, "type: f16 has not the range of ue8m0 scales; bf16 has, and e2m1 in groups of 16 goes with f16");
    return ZLAY_OK;
}

static zlay_status supported(zlay_ctx *ctx, const zlay_weights *a)
{
    if (a->type != ZLAY_TYPE_BF16 && a->type != ZLAY_TYPE_F16)
        return zl_fail(ctx, ZLAY_ENOTSUP, "type: %d; vectors of this version are bf16 or f16", a->type);
    zlay_status status = kind_check(ctx, a);
    if (status) return status;
    if (a->zeros > 1) return zl_fail(ctx, ZLAY_EINVAL, "zeros: %u is not 0 or 1", a->zeros);
    if (a->warpgroups > ZL_WEIGHTS_GROUPS)
        return zl_fail(ctx, ZLAY_EINVAL, "warpgroups: %u is not in 0..%d", a->warpgroups, ZL_WEIGHTS_GROUPS);
    if (a->cluster > 2) return zl_fail(ctx, ZLAY_EINVAL, "cluster: %u is not in 0..2", a->cluster);
    return ZLAY_OK;
}

static zlay_status ask_read(zlay_ctx *ctx, zlay_weights *a, const zlay_weights *request)
{
    static const zl_request_form form = {"zlay_weights", sizeof(zlay_weights), sizeof request->size,
                                         {ZL_RESERVED(zlay_weights, reserved0),
                                          ZL_RESERVED(zlay_weights, reserved)}};
    zlay_status status = zl_request_read(ctx, a, request, &form);
    if (status) return status;
    if (!a->type) a->type = ZLAY_TYPE_BF16;
    if (!a->weights) a->weights = ZLAY_TYPE_U4;
    if (!a->group && kind_of(a->weights, 0)) a->group = kind_of(a->weights, 0)->group;
    status = supported(ctx, a);
    if (!status) status = extent(ctx, "m", a->m, 1);
    if (!status) status = extent(ctx, "n", a->n, 8);
    if (!status) status = extent(ctx, "k", a->k, 8);
    if (!status) status = pitch(ctx, "lda", &a->lda, a->k);
    if (!status) status = pitch(ctx, "ldd", &a->ldd, a->n);
    if (!status) status = pitch(ctx, "lds", &a->lds, a->n * (ZL_WEIGHTS_K / a->group));
    return status || a->group == ZL_WEIGHTS_K ? status : multiple(ctx, "lds", a->lds, SCALES_ALIGN);
}

static int32_t scales_of(const zlay_weights *a)
{
    int32_t scales = kind_of(a->weights, a->group)->scales;
    return scales ? scales : a->type;
}

static bool multiplies(const zlay_weights_plan *p, zlay_mma mma)
{
    zlay_verdict verdict;
    mma.a = mma.b = p->ask.type;
    mma.k = 16;
    mma.d = ZLAY_TYPE_F32;
    return !zlay_mma_check(&verdict, NULL, 0, p->target, &mma) && verdict.answer == ZLAY_YES;
}

/* The product of the target: of wgmma the first factor in registers, the second of the tile's rows of A; of tcgen05 the first of
 * rows of A. */
static zlay_status target_check(zlay_ctx *ctx, zlay_weights_plan *p)
{
    p->tmem = multiplies(p, (zlay_mma){.instruction = ZLAY_MMA_TCGEN05, .kind = ZLAY_KIND_F16, .m = ZL_WEIGHTS_M, .n = ZL_WEIGHTS_N,
                                       .a_source = ZLAY_SOURCE_SMEM, .cta_group = 1});
    if (p->tmem || multiplies(p, (zlay_mma){.instruction = ZLAY_MMA_WGMMA, .m = ZL_WEIGHTS_N, .n = 8, .a_source = ZLAY_SOURCE_REG}))
        return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP, "%s: weights of 4 or 8 bits are planned for targets with wgmma, tcgen05 or mfma; the nearest that works is sm_90a",
                   zlay_target_name(p->target));
}

/* ---- the plan -------------------------------------------------------------------------------- */

static uint32_t warpgroups_of(const zlay_weights_plan *p)
{
    const struct form *f = forms;
    if (p->ask.warpgroups) return p->ask.warpgroups;
    while (f->tile_m < p->info.tile_m) f++;
    return p->info.steps < f->warpgroups ? (uint32_t)p->info.steps : f->warpgroups;
}

/* Two blocks share what they load of A where the request says so: that was slower on an H200 (docs/performance.md). A half is
 * the second 64 elements of a step. */
static zlay_status cluster_choose(zlay_ctx *ctx, zlay_weights_plan *p)
{
    bool possible = p->ask.n > ZL_WEIGHTS_N && p->ask.k > ZL_WEIGHTS_HALF;
    if (p->ask.cluster == 2 && !possible)
        return zl_fail(ctx, ZLAY_ENOTSUP, "cluster: 2 blocks, and there are not %d columns of D or elements of a row to share",
                       ZL_WEIGHTS_HALF + 1);
    p->info.cluster = p->ask.cluster ? p->ask.cluster : 1;
    p->info.grid[0] = zl_round_up(zl_weights_tiles(p->ask.n, ZL_WEIGHTS_N), p->info.cluster);
    return ZLAY_OK;
}

static zlay_status packed_count(zlay_ctx *ctx, zlay_weights_plan *p)
{
    return zl_weights_packed(&p->info.packed, p->ask.weights, p->ask.n, p->ask.k)
               ? zl_fail(ctx, ZLAY_EOVERFLOW, "n, k: packed weights pass 2^62 bytes")
               : ZLAY_OK;
}

/* As many stages as fit, but no more than hide the latency of memory. Their number is a multiple of that of the warpgroups:
 * a warpgroup has the same stages in every round, so that a barrier that it waits for is never two phases behind. */
static zlay_status tile_choose(zlay_ctx *ctx, zlay_weights_plan *p)
{
    zlay_target_summary target = {0};
    zlay_weights_summary *info = &p->info;
    uint64_t tile = zl_round_up(p->ask.m, 8);
    zlay_target_info(&target, p->target);
    info->tile_m = tile < TILE_MOST ? (uint32_t)tile : TILE_MOST;
    info->tile_n = ZL_WEIGHTS_N;
    info->tile_k = ZL_WEIGHTS_K;
    info->steps = zl_weights_tiles(p->ask.k, ZL_WEIGHTS_K);
    info->warpgroups = warpgroups_of(p);
    info->threads = THREADS * (1 + info->warpgroups);
    zlay_status status = cluster_choose(ctx, p);
    if (status) return status;
    info->grid[1] = zl_weights_tiles(p->ask.m, info->tile_m);
    info->grid[2] = 1;
    uint32_t vectors = info->tile_m * ZL_WEIGHTS_K * 2, numbers = ALIGN * (1 + p->ask.zeros);
    uint32_t sums = info->tile_m * ZL_WEIGHTS_N * 4, result = (uint32_t)zl_round_up(sums / 2, ALIGN);
    uint32_t fixed = (info->warpgroups - 1) * sums + result + BARS;
    uint32_t fit = ((uint32_t)target.smem - fixed) / (zl_weights_bytes(p->ask.weights) + vectors + numbers);
    uint32_t stages = fit < STAGES_MOST ? fit : STAGES_MOST;
    info->stages = stages - stages % info->warpgroups;
    return packed_count(ctx, p);
}

/* ---- by tcgen05 -------------------------------------------------------------------------------- */

static zlay_status tmem_supported(zlay_ctx *ctx, const zlay_weights_plan *p)
{
    const zlay_weights *a = &p->ask;
    if (zl_weights_blocks(p)) return zl_weights_refuse(ctx, p, "weights", zlay_type_name(a->weights), zlay_type_bits(a->weights) == 4 ? "u4" : "s8");
    if (a->warpgroups > 1) return zl_weights_refuse(ctx, p, "warpgroups", "above 1", "1");
    return a->cluster > 1 ? zl_weights_refuse(ctx, p, "cluster", "2", "1") : ZLAY_OK;
}

/* Warpgroups that make numbers, that read sums, and four warps beside. */
static zlay_status tmem_tile_choose(zlay_ctx *ctx, zlay_weights_plan *p)
{
    zlay_target_summary target = {0};
    zlay_weights_summary *info = &p->info;
    zlay_target_info(&target, p->target);
    *info = (zlay_weights_summary){.tile_m = ZL_WEIGHTS_M,
                                   .tile_n = ZL_WEIGHTS_N,
                                   .tile_k = ZL_WEIGHTS_K,
                                   .steps = zl_weights_tiles(p->ask.k, ZL_WEIGHTS_K),
                                   .warpgroups = 1,
                                   .threads = 3 * THREADS,
                                   .cluster = 1};
    info->grid[0] = zl_weights_tiles(p->ask.n, ZL_WEIGHTS_N);
    info->grid[1] = zl_weights_tiles(p->ask.m, ZL_WEIGHTS_M);
    info->grid[2] = 1;
    uint32_t vectors = ZL_WEIGHTS_M * ZL_WEIGHTS_K * 2, numbers = ALIGN * (1 + p->ask.zeros);
    uint32_t fixed = 2 * ZL_WEIGHTS_ELEMENTS * 2 + ZL_WEIGHTS_M * ZL_WEIGHTS_N * 2 + BARS;
    info->stages = ((uint32_t)target.smem - fixed) / (zl_weights_bytes(p->ask.weights) + vectors + numbers);
    return packed_count(ctx, p);
}

/* ---- all -------------------------------------------------------------------------------------- */

static zlay_status tensors_make(zlay_ctx *ctx, zlay_weights_plan *p)
{
    zlay_status status = target_check(ctx, p);
    if (!status && p->tmem) status = tmem_supported(ctx, p);
    if (!status) status = p->tmem ? tmem_tile_choose(ctx, p) : tile_choose(ctx, p);
    if (!status) status = zl_weights_moves(ctx, p);
    return status ? status : zl_pipe_proved(ctx, &p->pipe, p->tmem ? zl_weights_tmem_pipe_put : zl_weights_pipe_put, p);
}

/* Rows begin where accesses of 16 bytes may. */
static zlay_status waves_make(zlay_ctx *ctx, zlay_weights_plan *p)
{
    zlay_status status = multiple(ctx, "lda", p->ask.lda, 8);
    if (!status) status = multiple(ctx, "ldd", p->ask.ldd, 8);
    if (!status) status = multiple(ctx, "lds", p->ask.lds, 8);
    return status ? status : zl_weights_wave_make(ctx, p);
}

zlay_status zlay_weights_synth(zlay_ctx *ctx, zlay_weights_plan **out, const zlay_target *target,
                               const zlay_weights *weights)
{
    zlay_weights_plan *p;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!target || !weights) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    p = zl_alloc(ctx, 1, sizeof *p);
    if (!p) return zl_leave(ctx, ZLAY_ENOMEM);
    p->alloc = zl_allocator(ctx);
    p->target = target;
    status = ask_read(ctx, &p->ask, weights);
    if (!status) p->scales = scales_of(&p->ask);
    if (!status) status = zl_weights_by_waves(target) ? waves_make(ctx, p) : tensors_make(ctx, p);
    status = zl_leave(ctx, zl_whole(ctx, status));
    if (status) zlay_weights_free(p);
    else *out = p;
    return status;
}

void zlay_weights_free(zlay_weights_plan *plan)
{
    if (!plan) return;
    zlay_allocator alloc = plan->alloc;
    for (uint32_t i = 0; i < plan->moves_count; i++) zlay_move_free(plan->moves[i].move);
    for (uint32_t i = 0; i < plan->operands_count; i++) zlay_layout_free(plan->operands[i].layout);
    zlay_pipe_free(plan->pipe);
    zl_free(&alloc, plan, sizeof *plan);
}

zlay_status zlay_weights_info(zlay_weights_summary *out, const zlay_weights_plan *plan)
{
    if (!out || !plan) return ZLAY_EINVAL;
    *out = plan->info;
    out->moves = plan->moves_count;
    return ZLAY_OK;
}

const zlay_pipe *zlay_weights_pipe(const zlay_weights_plan *plan)
{
    return plan ? plan->pipe : NULL;
}

zlay_status zlay_weights_move_nth(const zlay_move **move, char *tensor, const zlay_weights_plan *plan,
                                  uint32_t i)
{
    if (!move || !tensor || !plan) return ZLAY_EINVAL;
    if (i >= plan->moves_count) return ZLAY_NONE;
    *move = plan->moves[i].move;
    *tensor = plan->moves[i].tensor;
    return ZLAY_OK;
}
