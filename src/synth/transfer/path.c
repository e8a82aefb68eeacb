/* SPDX-License-Identifier: Apache-2.0 */
/* Which path a transfer takes, and everything that its launch needs. A path is legal where its
 * instructions exist, its accesses are aligned for every element, and the rules of copies agree. */
#include "algebra/normal/vector_width.h"
#include "synth/copy/copy.h"
#include "synth/move/judge.h"
#include "synth/transfer/transfer.h"

#include <string.h>
#include <zlay/bank.h>
#include <zlay/block.h>
#include <zlay/instruction.h>

enum { THREADS_DEFAULT = 128, WARP = 32, WIDEST = 32, REALIGN_LEAST = 32, TILE_ROWS = 8 };
enum { MATRIX_SIDE = 64, MATRIX_WIDE_LEAST = 4096 };

static const struct {
    int32_t path;
    const char *name;
    uint32_t accesses;
    const char *forms;
} roads[] = {
#define ROAD(path, name, accesses, forms) {ZLAY_PATH_##path, name, accesses, forms},
#include "synth/transfer/paths.def"
#undef ROAD
};

/* ---- rules ------------------------------------------------------------------- */

static zlay_status form_check(zlay_ctx *ctx, const zlay_transfer *t, const char *id, size_t length)
{
    zlay_instruction asked = {0};
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_status status = zlay_instruction_find(&asked.form, id, length);
    if (status) return ZLAY_EINTERNAL;
    status = zlay_instruction_check(&verdict, &reason, 1, t->info.target, &asked);
    return zl_judged(ctx, t->info.target, status, &verdict, &reason);
}

static zlay_status forms_check(zlay_ctx *ctx, const zlay_transfer *t, const char *ids)
{
    zlay_status status = ZLAY_OK;
    for (size_t length; !status && *ids; ids += length + strspn(ids + length, " ")) {
        length = strcspn(ids, " ");
        status = form_check(ctx, t, ids, length);
    }
    return status;
}

/* An address that is as aligned as all addresses of the side are known to be stands for them. */
static zlay_status copy_check(zlay_ctx *ctx, const zlay_transfer *t, int32_t kind, uint32_t width,
                              uint64_t bytes)
{
    zlay_issue issue = {.kind = kind, .width = width, .bytes = bytes, .source = WIDEST};
    zlay_verdict verdict;
    zlay_reason reason = {0};
    if (width) issue.source = width;
    zlay_status status = zlay_copy_check(&verdict, &reason, 1, t->info.target, &issue, NULL);
    return zl_judged(ctx, t->info.target, status, &verdict, &reason);
}

static zlay_status block_check(zlay_ctx *ctx, const zlay_transfer *t)
{
    zlay_block block = {.threads = t->info.threads, .smem_static = t->info.smem,
                        .cluster = {1, 1, 1}};
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_status status = zlay_block_check(&verdict, &reason, 1, t->info.target, &block);
    return zl_judged(ctx, t->info.target, status, &verdict, &reason);
}

/* ---- widths ------------------------------------------------------------------ */

/* Whether `width` bytes along a loop are consecutive and aligned on a side wherever a vector starts
 * that is whole; what a row has beyond its last is left to single elements. */
static zlay_status width_check(zlay_ctx *ctx, const zlay_transfer *t, int what, uint32_t loop,
                               uint32_t width)
{
    int64_t vector = width / zl_elem(t);
    zlay_transfer cut = *t;
    zlay_layout *side = NULL;
    uint64_t widest;
    cut.loop[loop].extent -= cut.loop[loop].extent % (vector ? vector : 1);
    if (!vector || !cut.loop[loop].extent)
        return zl_fail(ctx, ZLAY_NONE, "a row has no %u bytes", width);
    zlay_status status = zl_transfer_layout(ctx, &side, &cut, what);
    zlay_vector_request request = {.size = sizeof request, .elem_bytes = zl_elem(t),
                                   .base_align = what == ZL_FROM ? t->from.align : t->to.align,
                                   .widths = (uint64_t)1 << width, .path = &loop,
                                   .depth = t->loops > 1};
    if (!status) status = zl_layout_vector_width(ctx, &widest, side, &request, NULL);
    zlay_layout_free(side);
    return status;
}

/* Of sides apart an access is an element, which is as aligned as its pointer. */
static zlay_status both_check(zlay_ctx *ctx, const zlay_transfer *t, uint32_t width)
{
    if (t->apart[0]) return ZLAY_OK;
    zlay_status status = width_check(ctx, t, ZL_FROM, 0, width);
    return status ? status : width_check(ctx, t, ZL_TO, 0, width);
}

/* The widest access that is legal on both sides, of at most `most` bytes; an element's always is,
 * unless its pointer's alignment says no. */
static zlay_status widest(zlay_ctx *ctx, zlay_transfer *t, uint32_t most, uint32_t least)
{
    uint64_t there = zlay_target_widths(t->info.target, 0);
    zlay_status status = ZLAY_NONE;
    for (uint32_t width = most; status == ZLAY_NONE && width >= least; width /= 2) {
        if (!(there >> width & 1)) continue;
        status = both_check(ctx, t, width);
        if (!status) t->info.width = t->info.source_width = width;
    }
    return status;
}

/* ---- paths ------------------------------------------------------------------- */

static bool row_shared(const zlay_transfer *t)
{
    return t->loop[0].from == 1 && t->loop[0].to == 1;
}

static zlay_status threads_plan(zlay_ctx *ctx, zlay_transfer *t)
{
    zlay_status status = widest(ctx, t, t->apart[0] ? zl_elem(t) : WIDEST, zl_elem(t));
    if (!status) status = copy_check(ctx, t, ZLAY_COPY_THREAD_LOAD, t->info.width, 0);
    if (!status) status = copy_check(ctx, t, ZLAY_COPY_THREAD_STORE, t->info.width, 0);
    return status;
}

static zlay_status realign_plan(zlay_ctx *ctx, zlay_transfer *t)
{
    if (!row_shared(t) || t->from.swizzle.bits || t->to.swizzle.bits || zl_elem(t) == ZL_CHUNK)
        return zl_fail(ctx, ZLAY_NONE, "path realign wants rows that both sides have contiguous, "
                       "of elements below %d bytes, without a swizzle", ZL_CHUNK);
    zlay_status status = both_check(ctx, t, zl_elem(t));
    if (status) return status;
    status = width_check(ctx, t, ZL_TO, 0, ZL_CHUNK);
    if (status && status != ZLAY_NONE) return status;
    t->row_shift = status != ZLAY_OK;
    t->info.width = t->info.source_width = ZL_CHUNK;
    return ZLAY_OK;
}

static zlay_status cp_async_plan(zlay_ctx *ctx, zlay_transfer *t)
{
    zlay_status status = widest(ctx, t, ZL_CHUNK, zl_elem(t) > 4 ? zl_elem(t) : 4);
    if (!status) status = copy_check(ctx, t, ZLAY_COPY_CP_ASYNC, t->info.width, 0);
    if (!status) t->info.smem = t->info.threads * t->info.accesses * t->info.width;
    return status;
}

static zlay_status bulk_plan(zlay_ctx *ctx, zlay_transfer *t)
{
    uint64_t run = zl_row_bytes(t) / ZL_CHUNK * ZL_CHUNK;
    if (run > ZL_RUN_MOST) run = ZL_RUN_MOST;
    zlay_status status = both_check(ctx, t, ZL_CHUNK);
    if (status) return status;
    if (!row_shared(t) || t->from.swizzle.bits || t->to.swizzle.bits)
        return zl_fail(ctx, ZLAY_NONE, "path bulk wants rows that both sides have contiguous");
    status = copy_check(ctx, t, ZLAY_COPY_BULK_LOAD, 0, run);
    if (!status) status = copy_check(ctx, t, ZLAY_COPY_BULK_STORE, 0, run);
    t->info.threads = WARP;
    t->info.width = t->info.source_width = (uint32_t)run;
    t->info.smem = (uint32_t)run;
    return status;
}

/* The loop other than the first along which the source is contiguous. */
static zlay_status turn_find(zlay_ctx *ctx, zlay_transfer *t)
{
    for (uint32_t i = 1; i < t->loops; i++)
        if (t->loop[i].from == 1) t->turn = i;
    if (t->turn && t->loop[0].to == 1 && !t->from.swizzle.bits && !t->to.swizzle.bits)
        return ZLAY_OK;
    t->turn = 0;
    return zl_fail(ctx, ZLAY_NONE, "a transposing path wants two modes, one contiguous in source "
                   "and one in dest, without a swizzle");
}

/* ---- banks ------------------------------------------------------------------- */

/* Wavefronts of a warp whose lane l accesses `step * l`; 0 where the target's phases are not known.
 */
static uint32_t wavefronts(const zlay_transfer *t, bool store, uint32_t bytes, uint32_t step)
{
    char name[32];
    uint32_t address[WARP];
    int32_t access;
    zlay_bank bank;
    zl_copy_bank_name(name, true, store, false, bytes);
    for (uint32_t lane = 0; lane < WARP; lane++) address[lane] = lane * step;
    if (zlay_bank_find(&access, name, strlen(name)) ||
        zlay_bank_conflicts(&bank, t->info.target, access, address, WARP) ||
        bank.answer != ZLAY_YES)
        return 0;
    return bank.wavefronts;
}

/* Rows are written along and read across: the padding of fewest wavefronts, the least of those. */
static void pitch_choose(zlay_transfer *t)
{
    zlay_transfer_summary *info = &t->info;
    uint32_t elem = zl_elem(t), best = UINT32_MAX;
    for (uint32_t pad = 0; pad <= WARP / 2; pad++) {
        uint32_t pitch = (info->tile[1] + pad) * elem, across = wavefronts(t, false, elem, pitch);
        if (across >= best) continue;
        best = info->wavefronts_load = across;
        info->pitch = pitch;
    }
    info->wavefronts_store = wavefronts(t, true, elem, elem);
}

/* Tiles of 64 elements a side, where the tensor has them and 48 KB of shared memory hold them: on an
 * H200 faster than 32 by a tenth of fp32, and by a fifth of bf16. */
static uint32_t tile_side(const zlay_transfer *t, uint32_t loop)
{
    return zl_elem(t) < ZL_CHUNK && t->loop[loop].extent > WARP ? 2 * WARP : WARP;
}

static zlay_status transpose_plan(zlay_ctx *ctx, zlay_transfer *t)
{
    zlay_transfer_summary *info = &t->info;
    zlay_status status = turn_find(ctx, t);
    if (!status) status = both_check(ctx, t, zl_elem(t));
    if (status) return status;
    info->width = info->source_width = zl_elem(t);
    info->tile[0] = tile_side(t, 0);
    info->tile[1] = tile_side(t, t->turn);
    info->accesses = zl_elem(t) < ZL_CHUNK ? 8 : 4;
    info->threads = info->tile[0] * info->tile[1] / info->accesses;
    pitch_choose(t);
    info->smem = info->tile[0] * info->pitch;
    return ZLAY_OK;
}

/* 64 x 64, or with so many tiles that all of a device's multiprocessors stay busy, twice as far along
 * the source: on an H200 faster from 6144 x 6144 on, and slower up to 2048 x 2048. */
static void matrix_tile(zlay_transfer *t)
{
    zlay_transfer_summary *info = &t->info;
    info->tile[0] = info->tile[1] = MATRIX_SIDE;
    uint64_t tiles = zl_umul_sat(zl_ceil_div((uint64_t)t->loop[0].extent, MATRIX_SIDE),
                                 zl_ceil_div((uint64_t)t->loop[t->turn].extent, 2 * MATRIX_SIDE));
    if (tiles >= MATRIX_WIDE_LEAST) info->tile[1] = 2 * MATRIX_SIDE;
    info->accesses = 2;
    info->threads = info->tile[0] * info->tile[1] / (info->accesses * TILE_ROWS);
    info->pitch = info->tile[1] * 2;
    info->smem = 2 * info->tile[0] * info->pitch;
}

/* Rows whose 16-byte chunks are XORed with the row's number: eight lanes that go down a column, or
 * along a row, meet every bank once. */
static zlay_status matrix_plan(zlay_ctx *ctx, zlay_transfer *t)
{
    zlay_transfer_summary *info = &t->info;
    zlay_status status = turn_find(ctx, t);
    if (status) return status;
    if (zl_elem(t) != 2 || t->loop[0].extent % TILE_ROWS || t->loop[t->turn].extent % TILE_ROWS)
        return zl_fail(ctx, ZLAY_NONE,
                       "path matrix wants elements of 16 bits and extents that 8 divides");
    status = width_check(ctx, t, ZL_FROM, t->turn, ZL_CHUNK);
    if (!status) status = width_check(ctx, t, ZL_TO, 0, ZL_CHUNK);
    info->width = info->source_width = ZL_CHUNK;
    matrix_tile(t);
    info->wavefronts_store = wavefronts(t, true, ZL_CHUNK, ZL_CHUNK);
    info->wavefronts_load = wavefronts(t, false, ZL_CHUNK, ZL_CHUNK);
    return status;
}

/* ---- choice ------------------------------------------------------------------ */

static zlay_status path_plan(zlay_ctx *ctx, zlay_transfer *t)
{
    switch (t->info.path) {
    case ZLAY_PATH_THREADS: return threads_plan(ctx, t);
    case ZLAY_PATH_REALIGN: return realign_plan(ctx, t);
    case ZLAY_PATH_CP_ASYNC: return cp_async_plan(ctx, t);
    case ZLAY_PATH_BULK: return bulk_plan(ctx, t);
    case ZLAY_PATH_MATRIX: return matrix_plan(ctx, t);
    default: return transpose_plan(ctx, t);
    }
}

uint64_t zl_row_items(const zlay_transfer *t)
{
    uint64_t bytes = zl_row_bytes(t), width = t->info.width;
    if (t->info.path == ZLAY_PATH_REALIGN && t->row_shift) bytes += ZL_CHUNK - zl_elem(t);
    if (t->info.path == ZLAY_PATH_BULK) bytes = bytes / ZL_CHUNK * ZL_CHUNK;
    return zl_ceil_div(bytes, width);
}

static uint64_t items_of(const zlay_transfer *t)
{
    const zlay_transfer_summary *info = &t->info;
    uint64_t items =
        info->tile[0] ? zl_ceil_div((uint64_t)t->loop[0].extent, info->tile[0]) : zl_row_items(t);
    for (uint32_t i = 1; i < t->loops; i++) {
        uint64_t extent = (uint64_t)t->loop[i].extent;
        items = zl_umul_sat(
            items, info->tile[0] && i == t->turn ? zl_ceil_div(extent, info->tile[1]) : extent);
    }
    return items;
}

static zlay_status launch(zlay_ctx *ctx, zlay_transfer *t)
{
    zlay_transfer_summary *info = &t->info;
    bool by_block = info->tile[0] || info->path == ZLAY_PATH_BULK;
    info->items = items_of(t);
    info->blocks =
        by_block ? info->items : zl_ceil_div(info->items, (uint64_t)info->threads * info->accesses);
    info->rank = t->loops;
    if (info->blocks > INT32_MAX)
        return zl_fail(ctx, ZLAY_ENOTSUP, "more than 2^31 - 1 blocks: %llu",
                       (unsigned long long)info->blocks);
    return block_check(ctx, t);
}

static zlay_status try_road(zlay_ctx *ctx, zlay_transfer *t, const zlay_transfer_request *r,
                            size_t road)
{
    zlay_transfer made = *t;
    zlay_transfer_summary *info = &made.info;
    info->path = roads[road].path;
    info->threads = r->threads ? r->threads : THREADS_DEFAULT;
    info->accesses = roads[road].accesses;
    if (made.apart[0] && info->path != ZLAY_PATH_THREADS)
        return zl_fail(ctx, ZLAY_NONE, "path %s wants modes that source and dest share",
                       roads[road].name);
    zlay_status status = forms_check(ctx, &made, roads[road].forms);
    if (!status) status = path_plan(ctx, &made);
    if (!status && r->threads && r->threads != info->threads)
        return zl_fail(ctx, ZLAY_NONE, "path %s has %u threads here", roads[road].name,
                       info->threads);
    if (!status) status = launch(ctx, &made);
    if (!status) *t = made;
    return status;
}

static zlay_status try_path(zlay_ctx *ctx, zlay_transfer *t, const zlay_transfer_request *r,
                            int32_t path)
{
    for (size_t i = 0; i < ZL_COUNT(roads); i++)
        if (roads[i].path == path) return try_road(ctx, t, r, i);
    return zl_fail(ctx, ZLAY_EINVAL, "path: %d is none of a transfer", (int)path);
}

/* Sixteen bytes a store on either road; below that rows too short to be worth two loads a store go
 * on by the widest access. */
static bool good_enough(const zlay_transfer *t)
{
    const zlay_transfer_summary *info = &t->info;
    return info->path != ZLAY_PATH_THREADS || info->width >= ZL_CHUNK ||
           zl_row_bytes(t) == info->width;
}

zlay_status zl_transfer_path(zlay_ctx *ctx, zlay_transfer *t, const zlay_transfer_request *r)
{
    static const int32_t order[] = {ZLAY_PATH_THREADS, ZLAY_PATH_REALIGN, ZLAY_PATH_MATRIX,
                                    ZLAY_PATH_TRANSPOSE, ZLAY_PATH_THREADS};
    if (r->path) return try_path(ctx, t, r, r->path);
    zlay_status status = ZLAY_NONE;
    for (size_t i = 0; status == ZLAY_NONE && i < ZL_COUNT(order); i++) {
        zlay_transfer made = *t;
        bool last = i + 1 == ZL_COUNT(order);
        if (order[i] == ZLAY_PATH_REALIGN && zl_row_bytes(t) < REALIGN_LEAST) continue;
        status = try_path(ctx, &made, r, order[i]);
        if (!status && !last && !good_enough(&made)) status = ZLAY_NONE;
        if (!status) *t = made;
    }
    return status;
}
