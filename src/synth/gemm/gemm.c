/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a GEMM: it reads and checks the request, orients the product so that D is contiguous along
 * its rows, chooses the tile, plans each operand, makes the certificates and builds and proves the
 * pipe. Targets whose matrix instructions read registers are planned by wave_gemm.c. Operands are
 * found by ZLAY_OPERAND_*. */
#include "base/request.h"
#include "synth/gemm/choose.h"
#include "synth/gemm/groups.h"

#include <string.h>

#define MOST_EXTENT (((uint64_t)1 << 31) - 256) /* coordinates of the last tile stay below 2^31 */
enum { STORE_GRANULE = 16 /* bytes of a tensor copy */ };

static zlay_status request_copy(zlay_ctx *ctx, zlay_gemm *out, const zlay_gemm *in)
{
    static const zl_request_form form = {
        "zlay_gemm",
        sizeof *out,
        sizeof in->size,
        {ZL_RESERVED(zlay_gemm, reserved0), ZL_RESERVED(zlay_gemm, reserved1), ZL_RESERVED(zlay_gemm, reserved2)}};
    return zl_request_read(ctx, out, in, &form);
}

static zlay_status extent_check(zlay_ctx *ctx, const char *field, uint64_t value)
{
    if (value >= 1 && value <= MOST_EXTENT) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu is not in 1..%llu", field, (unsigned long long)value,
                   (unsigned long long)MOST_EXTENT);
}

static zlay_status order_read(zlay_ctx *ctx, const char *field, int32_t order, int32_t normal,
                              int32_t *out)
{
    if (order < ZLAY_ORDER_DEFAULT || order > ZLAY_ORDER_COLUMN)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %d is no order", field, order);
    *out = order == ZLAY_ORDER_DEFAULT ? normal : order;
    return ZLAY_OK;
}

static zlay_status address_check(zlay_ctx *ctx, const char *field, uint64_t address, int32_t type)
{
    uint32_t element = zlay_type_bits(type) * zl_pack(type) / 8;
    if (address % element == 0) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "%s: 0x%llx is no multiple of an element's %u bytes", field,
                   (unsigned long long)address, element);
}

static zlay_status operand_read(zlay_ctx *ctx, zl_operand *o, const char *field, uint64_t pitch,
                                uint64_t address)
{
    uint64_t bytes, end;
    uint32_t pack = zl_pack(o->type);
    o->pitch = pitch ? pitch / pack : o->inner;
    if (pitch % pack)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu; a row of %s has whole bytes, so an even number of elements", field,
                       (unsigned long long)pitch, zlay_type_name(o->type));
    if (o->pitch < o->inner)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu elements are fewer than the %llu of a row",
                       field, (unsigned long long)(o->pitch * pack), (unsigned long long)(o->inner * pack));
    if (!zl_umul(o->pitch, o->element, &bytes) || !zl_umul(bytes, o->outer, &bytes))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "%s: %llu rows of %llu elements pass 2^64 bytes", field,
                       (unsigned long long)o->outer, (unsigned long long)o->pitch);
    if (!zl_uadd(address, bytes, &end))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "%c_address: %llu bytes from 0x%llx pass 2^64",
                       field[2], (unsigned long long)bytes, (unsigned long long)address);
    return ZLAY_OK;
}

static void operand_extents(zl_operand *o, bool k_contiguous, uint64_t mn, uint64_t k)
{
    o->major = k_contiguous ? ZLAY_MAJOR_K : ZLAY_MAJOR_MN;
    o->inner = (k_contiguous ? k : mn) / zl_pack(o->type);
    o->outer = k_contiguous ? mn : k;
}

static void operand_type(zl_operand *o, int32_t type)
{
    o->type = type;
    o->element = zlay_type_bits(type) * zl_pack(type) / 8;
}

static uint64_t address_or_default(uint64_t address)
{
    return address ? address : ZL_ADDRESS;
}

/* Reads extents, orders, leading dimensions and addresses.  Where D is column-major, A and B change
 * their roles, because the transposed product is planned. */
static zlay_status gemm_read(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *g)
{
    int32_t a_order = 0, b_order = 0, d_order = 0, type[3] = {0};
    zlay_status status = zl_gemm_types(ctx, type, plan->info.target, g);
    if (!status) status = extent_check(ctx, "m", g->m);
    if (!status) status = extent_check(ctx, "n", g->n);
    if (!status) status = extent_check(ctx, "k", g->k);
    if (!status) status = address_check(ctx, "a_address", g->a_address, type[ZLAY_OPERAND_A]);
    if (!status) status = address_check(ctx, "b_address", g->b_address, type[ZLAY_OPERAND_B]);
    if (!status) status = address_check(ctx, "d_address", g->d_address, type[ZLAY_OPERAND_D]);
    if (!status) status = order_read(ctx, "a_order", g->a_order, ZLAY_ORDER_ROW, &a_order);
    if (!status) status = order_read(ctx, "b_order", g->b_order, ZLAY_ORDER_COLUMN, &b_order);
    if (!status) status = order_read(ctx, "d_order", g->d_order, ZLAY_ORDER_ROW, &d_order);
    if (status) return status;
    uint32_t swapped = d_order == ZLAY_ORDER_COLUMN;
    zl_operand *a = &plan->operand[swapped ? ZLAY_OPERAND_B : ZLAY_OPERAND_A];
    zl_operand *b = &plan->operand[swapped ? ZLAY_OPERAND_A : ZLAY_OPERAND_B];
    zl_operand *d = &plan->operand[ZLAY_OPERAND_D];
    operand_type(a, type[ZLAY_OPERAND_A]);
    operand_type(b, type[ZLAY_OPERAND_B]);
    operand_type(d, type[ZLAY_OPERAND_D]);
    if (g->k % zl_pack(a->type))
        return zl_fail(ctx, ZLAY_EINVAL, "k: %llu; a row of %s has whole bytes, so an even number of elements", (unsigned long long)g->k,
                       zlay_type_name(a->type));
    operand_extents(a, a_order == ZLAY_ORDER_ROW, g->m, g->k);
    operand_extents(b, b_order == ZLAY_ORDER_COLUMN, g->n, g->k);
    d->major = ZLAY_MAJOR_K;
    d->inner = swapped ? g->m : g->n;
    d->outer = swapped ? g->n : g->m;
    plan->address[a - plan->operand] = address_or_default(g->a_address);
    plan->address[b - plan->operand] = address_or_default(g->b_address);
    plan->address[ZLAY_OPERAND_D] = address_or_default(g->d_address);
    status = operand_read(ctx, a, "lda", g->lda, address_or_default(g->a_address));
    if (!status) status = operand_read(ctx, b, "ldb", g->ldb, address_or_default(g->b_address));
    if (!status) status = operand_read(ctx, d, "ldd", g->ldd, address_or_default(g->d_address));
    plan->info.d_type = d->type;
    plan->info.swapped = swapped;
    plan->info.m = d->outer;
    plan->info.n = d->inner;
    plan->info.k = g->k;
    plan->info.d_order = ZLAY_ORDER_ROW;
    return status;
}

static const char *const operand_names[] = {"A", "B", "D"};

/* What the request has that products of groups do not; NULL: nothing. */
static const char *ungrouped(const zlay_gemm *gemm)
{
    return gemm->a_scales == ZLAY_SCALES_BLOCK  ? "a_scales of 128x128, for groups begin at any row,"
           : gemm->b_scales == ZLAY_SCALES_LINE ? "b_scales of 1x128"
           : gemm->d_scales     ? "d_scales"
           : gemm->repack       ? "repack"
           : gemm->split_k > 1  ? "split_k"
           : gemm->multicast    ? "multicast"
           : gemm->swap         ? "swap"
           : gemm->stream_k     ? "stream_k"
                                : NULL;
}

/* Which operands tensor copies have to move for groups, and whether K is contiguous where they need it. */
static zlay_status groups_moved(zlay_ctx *ctx, const zlay_plan *plan, bool in_k)
{
    for (int32_t o = 0; o < 3; o++) {
        bool along_k = plan->operand[o].major == ZLAY_MAJOR_K;
        if (in_k && o != ZLAY_OPERAND_D && along_k)
            return zl_fail(ctx, ZLAY_ENOTSUP, "ragged: rows of K lie below each other in A and in B, and K is contiguous in %s", operand_names[o]);
        if (!in_k && !along_k && o != ZLAY_OPERAND_B)
            return zl_fail(ctx, ZLAY_ENOTSUP, "groups: K is contiguous in A, whose rows groups have");
        if (zl_row_alignment(plan, o) % STORE_GRANULE)
            return zl_fail(ctx, ZLAY_ENOTSUP, "groups: tensor copies move all operands, and the address or a row of %s is no multiple of %d bytes",
                           operand_names[o], STORE_GRANULE);
    }
    return ZLAY_OK;
}

/* Whether the matrices of all groups fit 64 bits of addresses. */
static bool all_fit(const zlay_plan *plan, int32_t operand, uint64_t groups)
{
    const zl_operand *o = &plan->operand[operand];
    uint64_t bytes;
    return zl_umul(o->pitch * o->element * o->outer, groups, &bytes) && zl_uadd(bytes, plan->address[operand], &bytes);
}

/* Takes groups of rows: a matrix of B, or of D, for each, and rows of A and D, or of A and B, that the kernel finds on the device. */
static zlay_status groups_read(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    bool in_k = gemm->ragged == ZLAY_RAGGED_K, waves = zl_wave_target(plan->info.target);
    const char *why = ungrouped(gemm);
    if (gemm->ragged != ZLAY_RAGGED_ROWS && !in_k) return zl_fail(ctx, ZLAY_EINVAL, "ragged: %d is neither rows nor k", gemm->ragged);
    if (!gemm->groups) return in_k ? zl_fail(ctx, ZLAY_EINVAL, "ragged: k, of a product without groups") : ZLAY_OK;
    if (in_k && waves)
        return zl_fail(ctx, ZLAY_ENOTSUP, "ragged: k; then K is contiguous in neither A nor B, and waves (%s) load 16 bytes along K; those of sm_90a do",
                       zlay_target_name(plan->info.target));
    if (in_k && (gemm->a_scales || gemm->b_scales || gemm->epilogue)) why = gemm->epilogue ? "an epilogue and k" : "scales and k";
    if (gemm->groups > INT32_MAX) return zl_fail(ctx, ZLAY_EINVAL, "groups: %u is not in 1..%d", gemm->groups, INT32_MAX);
    if (why) return zl_fail(ctx, ZLAY_ENOTSUP, "groups: products with %s have none", why);
    if (plan->info.swapped) return zl_fail(ctx, ZLAY_ENOTSUP, "groups: a D that is column-major has none");
    uint64_t rows = in_k ? plan->info.k : plan->info.m;
    if (rows >= 1u << ZL_GROUPS_ROWS_LOG)
        return zl_fail(ctx, ZLAY_ENOTSUP, "%c: %llu; groups have fewer than 2^%d rows together", in_k ? 'k' : 'm', (unsigned long long)rows, ZL_GROUPS_ROWS_LOG);
    int32_t each = in_k ? ZLAY_OPERAND_D : ZLAY_OPERAND_B;
    if (!all_fit(plan, each, gemm->groups))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "groups: %u matrices of %s pass 2^64 bytes", gemm->groups, operand_names[each]);
    zlay_status status = waves ? ZLAY_OK : groups_moved(ctx, plan, in_k); /* waves load as in any product */
    if (status) return status;
    plan->info.groups = gemm->groups;
    plan->info.ragged = gemm->ragged;
    return ZLAY_OK;
}

/* A pipe of a split whose operands threads move is proved by runs alone, which take many seconds. */
static zlay_status split_check(zlay_ctx *ctx, const zlay_plan_summary *info)
{
    if (info->splits == 1 || info->full_count == 1) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "split_k: %u; threads move an operand; repack lays it out for tensor copies",
                   info->splits);
}

/* Where threads move an operand, wgmma needs at least three stages.  A producer publishes a stage
 * only after it has issued the next one, and a consumer releases a stage only after it has
 * received the next one; with two stages they would wait for each other.  A commit of tcgen05
 * releases a stage by itself. */
static zlay_status stages_check(zlay_ctx *ctx, const zlay_plan_summary *info)
{
    bool wgmma = info->mma.instruction == ZLAY_MMA_WGMMA;
    if (!wgmma || info->full_count == 1 || info->stages >= 3) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "stages: %u; operands moved by threads need at least 3",
                   info->stages);
}

/* Only plans of wgmma have these. */
static zlay_status wgmma_alone(zlay_ctx *ctx, const zlay_plan *plan, const zlay_gemm *g)
{
    bool tmem = zl_gemm_by_tmem(plan->info.target), scales = tmem || zl_wave_target(plan->info.target);
    const char *field = zl_gemm_promoted(g->a_scales) && !scales   ? "a_scales"
                        : zl_gemm_promoted(g->b_scales) && !scales ? "b_scales"
                        : g->repack   ? "repack"
                        : g->split_k > 1 ? "split_k"
                        : g->multicast ? "multicast"
                        : g->d_scales && zl_gemm_by_sync(plan->info.target) ? "d_scales"
                        : g->swap      ? "swap"
                        : g->stream_k  ? "stream_k"
                        : g->groups && !zl_wave_target(plan->info.target) ? "groups"
                                      : NULL;
    const char *name = zlay_target_name(plan->info.target);
    if (!field) return ZLAY_OK;
    if (zl_wave_target(plan->info.target))
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s: plans of waves (%s) have none", field, name);
    return zl_fail(ctx, ZLAY_ENOTSUP, "%s: plans of %s have none; those of sm_90a%s do", field, name,
                   strstr(field, "scales") ? " and sm_100a" : "");
}

/* Rows of tiles, or of clusters, that are visited together. */
static zlay_status band_read(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *g)
{
    zlay_plan_summary *info = &plan->info;
    bool waves = zl_wave_target(info->target);
    if (g->band && (g->groups || waves))
        return zl_fail(ctx, ZLAY_ENOTSUP, "band: %s have none", waves ? "plans of waves" : "products with groups");
    info->band = waves ? 0 : zl_gemm_band(info->d_order == ZLAY_ORDER_COLUMN, info->tiles_n);
    if (g->band) info->band = (uint32_t)zl_umin(g->band, zl_clusters_m(info));
    return ZLAY_OK;
}

static zlay_status waves_plan(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *g)
{
    zlay_status status = wgmma_alone(ctx, plan, g);
    if (!status) status = groups_read(ctx, plan, g);
    if (!status) status = band_read(ctx, plan, g);
    if (!status) status = zl_gemm_scales(ctx, plan, g);
    if (!status) status = zl_gemm_quantise(ctx, plan, g);
    return status ? status : zl_wave_gemm_plan(ctx, plan, g);
}

static zlay_status pipe_make(zlay_ctx *ctx, zlay_plan *plan)
{
    if (zl_by_sync(plan)) return zl_sync_gemm_pipe(ctx, plan);
    return zl_by_tmem(plan) ? zl_tmem_gemm_pipe(ctx, plan) : zl_gemm_pipe(ctx, plan);
}

static zlay_status target_check(zlay_ctx *ctx, const zlay_target *target)
{
    if (zl_wave_target(target) || zl_gemm_by_sync(target) || target->features & (ZL_HAS_WGMMA | ZL_HAS_TCGEN05)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP, "%s: GEMMs are planned for targets with wgmma, tcgen05, mma.sync or MFMA", zlay_target_name(target));
}

zlay_status zl_gemm_prepare(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *g)
{
    zlay_status status = target_check(ctx, plan->info.target);
    if (!status) status = zl_gemm_blocks_check(ctx, plan->info.target, g);
    if (!status) status = gemm_read(ctx, plan, g);
    if (!status && zl_wave_target(plan->info.target)) return status;
    if (!status) status = zl_tile_machine(ctx, plan);
    if (!status && !zl_by_wgmma(plan)) status = wgmma_alone(ctx, plan, g);
    if (!status) status = groups_read(ctx, plan, g);
    if (!status) status = zl_gemm_epilogue_read(ctx, plan, g);
    if (!status) status = zl_gemm_swap(ctx, plan, g);
    if (!status) status = zl_gemm_scales(ctx, plan, g);
    if (!status) status = zl_gemm_quantise(ctx, plan, g);
    if (!status) status = zl_gemm_split(ctx, plan, g);
    if (!status) status = zl_gemm_repack(ctx, plan, g);
    if (!status) status = zl_gemm_multicast(ctx, plan, g);
    if (!status) status = zl_gemm_stream(ctx, plan, g);
    return status;
}

/* Everything that the modelled time depends on: all but certificates and the pipe. */
static zlay_status plan_lay(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_gemm g;
    zlay_status status = request_copy(ctx, &g, gemm);
    if (!status) status = zl_gemm_prepare(ctx, plan, &g);
    if (!status && zl_wave_target(plan->info.target)) return waves_plan(ctx, plan, &g);
    if (!status) zl_gemm_way_choose(plan, &g);
    if (!status) status = zl_gemm_tile(ctx, plan, &g);
    if (!status) status = band_read(ctx, plan, &g);
    if (!status) zl_stream_plan(plan);
    for (int32_t o = 0; !status && o < 3; o++) status = zl_operand_plan(ctx, plan, o);
    if (!status) status = zl_gemm_blocks_plan(ctx, plan);
    if (!status) status = zl_multicast_check(ctx, plan);
    if (!status) status = split_check(ctx, &plan->info);
    if (!status) status = stages_check(ctx, &plan->info);
    return status;
}

static zlay_status plan_fill(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_status status = plan_lay(ctx, plan, gemm);
    if (status || zl_wave_target(plan->info.target)) return status;
    status = zl_gemm_epilogue(ctx, plan);
    if (!status) status = zl_certificates_make(ctx, plan);
    return status ? status : pipe_make(ctx, plan);
}

zlay_status zl_gemm_weigh(zlay_ctx *ctx, zl_gemm_weight *out, const zlay_target *target, const zlay_gemm *gemm)
{
    *out = (zl_gemm_weight){.time = 0};
    zl_mark mark = zl_scratch_mark(ctx);
    zlay_plan *plan = zl_alloc(ctx, 1, sizeof *plan);
    if (!plan) return ZLAY_ENOMEM;
    plan->alloc = zl_allocator(ctx);
    plan->info.target = target;
    zlay_status status = plan_lay(ctx, plan, gemm);
    out->info = plan->info;
    if (!status && zl_by_wgmma(plan)) out->time = zl_gemm_modelled(&out->terms, plan, gemm);
    zlay_plan_free(plan);
    zl_scratch_release(ctx, mark);
    return status;
}

zlay_status zl_gemm_synth(zlay_ctx *ctx, zlay_plan **out, const zlay_target *target, const zlay_gemm *gemm)
{
    zlay_plan *plan = zl_alloc(ctx, 1, sizeof *plan);
    *out = plan;
    if (!plan) return ZLAY_ENOMEM;
    plan->alloc = zl_allocator(ctx);
    plan->info.target = target;
    zlay_status status = plan_fill(ctx, plan, gemm);
    plan->machine = NULL; /* whose memory ends with the call */
    return status;
}

zlay_status zlay_gemm_synth(zlay_ctx *ctx, zlay_plan **out, const zlay_target *target,
                            const zlay_gemm *gemm)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!target || !gemm) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_plan *plan;
    status = zl_leave(ctx, zl_whole(ctx, zl_gemm_synth(ctx, &plan, target, gemm)));
    if (status) zlay_plan_free(plan);
    else *out = plan;
    return status;
}

void zlay_plan_free(zlay_plan *plan)
{
    if (!plan) return;
    for (int i = 0; i < ZL_CERTIFICATES; i++)
        for (int side = 0; side < 2; side++) zlay_layout_free(plan->certificate[i][side]);
    for (int o = 0; o < 3; o++) {
        zlay_layout_free(plan->operand[o].smem);
        zlay_transfer_free(plan->repack[o].transfer);
    }
    for (int o = 0; o < 2; o++) zlay_wave_free(plan->wave.operand[o]);
    zlay_pipe_free(plan->pipe);
    zlay_body_free(plan->epilogue);
    zlay_body_free(plan->wave.narrow);
    zlay_allocator alloc = plan->alloc;
    zl_free(&alloc, plan, sizeof *plan);
}
