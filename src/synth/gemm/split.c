/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the K steps of a tile among blocks.
 * split_k: among those of a cluster, for products with fewer tiles than processors: block r computes the r-th part. The
 * others copy their sums, in the order of the registers, to shared memory of block 0, which adds them in the order of the
 * blocks, so that D does not depend on which comes first.
 * stream_k: among two neighbours of a grid, for products whose last wave of tiles leaves many processors idle: every block has
 * as many steps as any other. One leaves the sums of the first steps in global memory and raises a flag, the other adds them. */
#include "base/arith.h"
#include "synth/gemm/choose.h"

#include <zlay/block.h>

enum {
    SPLITS_MOST = 8, /* blocks of a portable cluster */
    COLUMNS_MOST = 240, /* with 248 and 256 ptxas spills (13.0) */
    ROWS = 64,       /* of a consumer */
    GRANULE = 16,    /* bytes of a tensor copy */
    STEPS_LEAST = 4, /* of a block, where the request leaves the division open */
    BAR_BYTES = 8,
    WORD = 4,
    PASS_BYTES = 256, /* of a row of D that is staged, at most */
    REST = 1280,      /* alignment and barriers */
    MEETINGS = 15     /* of consumers of all blocks, each a named barrier beside that of the whole block */
};

zlay_status zl_gemm_split(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_plan_summary *info = &plan->info;
    uint32_t tile_k = gemm->tile_k ? gemm->tile_k : zl_gemm_k_most(plan);
    uint64_t steps = zl_ceil_div(info->k, tile_k), splits = gemm->split_k && gemm->split_k != ZLAY_SPLIT_AUTO ? gemm->split_k : 1;
    if (splits > SPLITS_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "split_k: %llu; a cluster has at most %d blocks",
                       (unsigned long long)splits, SPLITS_MOST);
    if (splits > steps)
        return zl_fail(ctx, ZLAY_EINVAL, "split_k: %llu; a tile has %llu K steps", (unsigned long long)splits,
                       (unsigned long long)steps);
    if (splits > 1 && gemm->tile_n > COLUMNS_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u; beside sums of other blocks at most %d columns fit a thread's registers",
                       gemm->tile_n, COLUMNS_MOST);
    if (splits > 1 && zl_gemm_scaled(plan))
        return zl_fail(ctx, ZLAY_ENOTSUP, "split_k: products with scales have none");
    info->splits = (uint32_t)splits;
    return ZLAY_OK;
}

/* Whether K may be divided among so many blocks, each with the steps that fill a ring at least, and tensor copies move all operands. */
bool zl_split_may(const zlay_plan *plan, const zlay_gemm *gemm, uint32_t splits)
{
    uint64_t steps = zl_ceil_div(plan->info.k, gemm->tile_k ? gemm->tile_k : zl_gemm_k_most(plan));
    for (int32_t o = 0; o < 2; o++)
        if (zl_row_alignment(plan, o) % GRANULE) return false;
    return steps >= (uint64_t)splits * STEPS_LEAST && gemm->tile_n <= COLUMNS_MOST && !zl_gemm_scaled(plan) && !plan->info.groups;
}

bool zl_split_fits(const zlay_plan *plan, uint32_t m, uint32_t n, uint32_t k)
{
    uint64_t stages = 2ull * (m + n) * k * plan->operand[ZLAY_OPERAND_A].element;
    uint64_t sums = (uint64_t)(plan->info.splits - 1) * m * n * WORD, rest = m * PASS_BYTES + REST;
    bool meet = plan->info.splits * (m / ROWS) <= MEETINGS;
    return plan->info.splits == 1 || (meet && n <= COLUMNS_MOST && stages + sums + rest <= (uint64_t)zlay_smem_capacity(plan->info.target));
}

uint32_t zl_split_bytes(const zlay_plan_summary *info) { return ROWS * info->tile_n * WORD; }

uint32_t zl_split_smem(const zlay_plan_summary *info)
{
    return (info->splits - 1) * info->consumers * zl_split_bytes(info);
}

uint32_t zl_split_bars(const zlay_plan_summary *info)
{
    return info->splits > 1 ? info->splits * BAR_BYTES : 0;
}

zlay_status zl_split_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_plan_summary *info)
{
    return zl_layout_format(ctx, out, "((8,2,4),(2,4,%u)):((16,2,128),(1,4,512))", info->tile_n / 8);
}

/* ---- the pipe ------------------------------------------------------------------------------------------- */

void zl_split_declare(zl_text *out, const zlay_plan_summary *info)
{
    for (uint32_t r = 1; r < info->splits; r++)
        zl_putf(out, "smem X%u[1] %u each\n", r, zl_split_bytes(info));
}

/* The sums of block r have come; those of a block are taken. */
void zl_split_declare_bars(zl_text *out, const zlay_plan_summary *info)
{
    if (info->splits == 1) return;
    for (uint32_t r = 1; r < info->splits; r++) zl_putf(out, "bar sent%u[1] count %u\n", r, info->consumers);
    zl_putf(out, "bar taken[1] count %u\n", info->empty_count);
}

void zl_split_init_bars(zl_text *out, const zlay_plan_summary *info)
{
    if (info->splits == 1) return;
    for (uint32_t r = 1; r < info->splits; r++) zl_putf(out, "init sent%u\n", r);
    zl_puts(out, "init taken\n");
}

void zl_split_body(zl_text *out, const zlay_plan_summary *info)
{
    const char *type = zlay_type_name(info->mma.d);
    if (info->splits == 1) return;
    zl_putf(out, "body split_add\nmatrix S %s\nshared P %s\nS = S + load(P, row, col)\nend\n", type, type);
}

/* Behind a copy that signals no thread has to wait until its stores are seen by another block. */
void zl_split_send(zl_text *out, const zlay_plan_summary *info, uint32_t rank)
{
    zl_putf(out, "write X%u[t %% 1] from C\nfence proxy.async\nsync role\n", rank);
    zl_putf(out, "copy shared %u from X%u[t %% 1] -> X%u[t %% 1] cta 0 signal sent%u[t %% 1]\n", zl_split_bytes(info), rank, rank, rank);
    zl_puts(out, "wait taken[t % 1] parity t / 1 % 2\n");
}

void zl_split_take(zl_text *out, const zlay_plan_summary *info)
{
    for (uint32_t r = 1; r < info->splits; r++) {
        zl_putf(out, "expect sent%u[t %% 1] %u\narrive sent%u[t %% 1]\n", r, zl_split_bytes(info), r);
        zl_putf(out, "wait sent%u[t %% 1] parity t / 1 %% 2\nuse C body split_add reads X%u[t %% 1]\n", r, r);
        zl_putf(out, "sync warp\narrive taken[t %% 1] warps cta %u\n", r);
    }
}

/* ---- stream-K -------------------------------------------------------------------------------------------- */

const char *const zl_stream_whole = "0..T-2", *const zl_stream_head = "T-2..T-1", *const zl_stream_tail = "T-1..T";

uint32_t zl_stream_pitch(const zlay_plan_summary *info) { return info->consumers * (ZL_STREAM_FLAG + zl_split_bytes(info)); }

void zl_stream_plan(zlay_plan *plan)
{
    zlay_plan_summary *info = &plan->info;
    if (!zl_stream(info)) return;
    info->stream_blocks = (uint32_t)zl_umin(info->stream_blocks, info->tiles_m * info->tiles_n);
    info->workspace = (uint64_t)info->stream_blocks * zl_stream_pitch(info);
}

void zl_stream_declare(zl_text *out)
{
    zl_puts(out, "global V[1] each\nglobal W[1] each\nflag came[1] each\nflag went[1] each\n");
}

void zl_stream_leave(zl_text *out) { zl_puts(out, "write W[0] from C\nsync role\nraise went[0]\n"); }

void zl_stream_take(zl_text *out) { zl_puts(out, "await came[0] 1 clear\nsync role\nread V[0] add C\n"); }

/* As the block before, whose head is this one's tail, and as the block behind. */
void zl_stream_neighbours(zl_text *out, const zlay_plan_summary *info)
{
    zl_putf(out, "role before warps 4..%u each 4 cta 1\nwrite V[0]\nsync role\nraise came[0]\nend\n", 3 + 4 * info->consumers);
    zl_putf(out, "role after warps 0..%u each 1 cta 1\nawait went[0] 1 clear\nsync role\nread W[0]\nend\n", info->consumers - 1);
}
