/* SPDX-License-Identifier: Apache-2.0 */
/* Binds a plan of a GEMM to its pipe, which is then printed as any pipe: a move for each operand with what counts its
 * axes, layouts of the shared buffers, the number of K steps, the tiles of D that blocks take in turn, and arguments in
 * the order that callers of zlay_emit_ptx know. */
#include "base/arith.h"
#include "synth/gemm/groups.h"
#include "emit/emit.h"
#include "emit/move/copy.h"
#include "emit/plan/bind.h"
#include "emit/pipe/pipe.h"
#include "synth/move/move.h"

#include <stdio.h>
#include <string.h>

enum {
    OPERANDS = 3,
    MOVES = 7, /* of A, B and scales of columns to two rings each, and of D */
    NAME = 64,  /* most characters of a kernel's (zl_is_name) */
    SPLITS = 8  /* most blocks that share a tile */
};

/* The axes of a copy: the tile's row and column, its step along K, for D the pass; the group's first row, its end, its number. */
enum { AXIS_M, AXIS_N, AXIS_K, AXIS_PASS, AXIS_BEGIN, AXIS_END, AXIS_GROUP };

static const zlay_pipe_argument arguments[] = {
    {.name = "tensor_a", .kind = ZLAY_ARGUMENT_MAP, .bytes = 128},
    {.name = "tensor_b", .kind = ZLAY_ARGUMENT_MAP, .bytes = 128},
    {.name = "tensor_d", .kind = ZLAY_ARGUMENT_MAP, .bytes = 128},
    {.name = "ptr_a", .kind = ZLAY_ARGUMENT_POINTER, .bytes = 8},
    {.name = "ptr_b", .kind = ZLAY_ARGUMENT_POINTER, .bytes = 8},
    {.name = "ptr_d", .kind = ZLAY_ARGUMENT_POINTER, .bytes = 8},
    {.name = "tensor_sa", .kind = ZLAY_ARGUMENT_MAP, .bytes = 128},
    {.name = "tensor_sb", .kind = ZLAY_ARGUMENT_MAP, .bytes = 128},
};
static const zlay_pipe_argument offsets = {.name = "offsets", .kind = ZLAY_ARGUMENT_POINTER, .bytes = 8, .type = ZLAY_TYPE_S32};
static const zlay_pipe_argument workspace = {.name = "workspace", .kind = ZLAY_ARGUMENT_POINTER, .bytes = 8};

enum { ARGUMENTS = ZL_COUNT(arguments) };

/* Those of a plan: only with block scales the last two, only with stream-K a workspace, only with groups their offsets. Returns how many. */
static uint32_t arguments_of(zlay_pipe_argument out[ARGUMENTS], const zlay_plan *plan)
{
    uint32_t count = zl_gemm_by_blocks(plan) ? ARGUMENTS : 2 * OPERANDS;
    memcpy(out, arguments, count * sizeof *out);
    if (plan->info.groups) out[count++] = offsets;
    if (zl_stream(&plan->info) || zl_groups_taken(&plan->info)) out[count++] = workspace;
    return count;
}

typedef struct bound {
    zlay_pipe_move moves[MOVES];
    zlay_pipe_operand operands[MOVES + SPLITS - 1];
    const char *map[MOVES], *address[MOVES];
    char names[MOVES][4]; /* of moves, and from the second character on of their shared buffers */
    zlay_pipe_count steps;
    zlay_pipe_argument arguments[ARGUMENTS];
    zl_pt_units units;
    zl_pt_plan plan;
    zlay_move *move[MOVES];
    zlay_layout *layout[OPERANDS], *sums, *scales;
    const zlay_plan *of;
    const char *name; /* of the kernel */
    size_t length;
} bound;

/* The kernels that repack operands, each called after the product and the operand's letter. */
static void copies_write(zl_text *out, const void *value)
{
    const bound *b = value;
    for (int o = 0; o < OPERANDS; o++) {
        const zlay_transfer *copy = b->of->repack[o].transfer;
        char name[NAME + 2];
        if (!copy) continue;
        memcpy(name, b->name, b->length);
        name[b->length] = '_';
        name[b->length + 1] = "abd"[o];
        zl_puts(out, "\n");
        zl_transfer_put(out, copy, name, b->length + 2);
    }
}

/* What is bound for an operand, or for a ring of its stages. */
typedef struct place {
    int32_t operand;
    uint32_t ring, rings;
} place;

/* A ring of several has each `rings`-th step of K, from its own number on. */
static void copy_bind(zlay_copy *copy, const zlay_plan *plan, const place *at)
{
    copy->map = 0;
    for (int d = 0; d < 5; d++) {
        copy->coordinate[d] += (int32_t)at->ring * copy->advance[d][AXIS_K];
        copy->advance[d][AXIS_K] *= (int32_t)at->rings;
    }
    if (plan->operand[at->operand].parts > 1) copy->advance[1][AXIS_PASS] = (int32_t)plan->operand[at->operand].map.box[1];
    zl_groups_copy(copy, plan, at->operand, AXIS_N, AXIS_BEGIN, AXIS_END, AXIS_GROUP);
    if (at->operand != ZLAY_OPERAND_D) return;
    uint32_t rows = zl_d_by_columns(plan) ? 0 : 1;
    copy->advance[rows][AXIS_M] = (int32_t)plan->rows;
    copy->advance[1 - rows][AXIS_PASS] = 1;
}

/* The copies of a stage, or of a pass of one consumer, which has rows of its own. */
static zlay_status move_bind(zlay_ctx *ctx, bound *b, const zlay_plan *plan, const place *at, uint32_t i)
{
    const zl_operand *o = &plan->operand[at->operand];
    bool store = at->operand == ZLAY_OPERAND_D;
    zlay_status status = zl_move_new(ctx, &b->move[i], plan->info.target, 1, o->copies_count);
    if (status) return status;
    zlay_move *move = b->move[i];
    move->info.path = zl_by_tensor(o)                    ? ZLAY_PATH_TENSOR
                      : o->kind == ZLAY_COPY_CP_ASYNC ? ZLAY_PATH_CP_ASYNC
                                                      : ZLAY_PATH_THREADS;
    move->info.bytes = o->bytes;
    move->maps[0] = o->map;
    for (uint32_t c = 0; c < o->copies_count; c++) {
        move->copies[c] = o->copies[c];
        copy_bind(&move->copies[c], plan, at);
    }
    b->moves[i] = (zlay_pipe_move){.name = b->names[i],
                                   .move = move,
                                   .axis = {[AXIS_M] = store ? "T.row instance" : "T.row",
                                            [AXIS_N] = "T.column",
                                            [AXIS_K] = plan->info.splits > 1 ? "position % N cluster" : "position % N",
                                            [AXIS_PASS] = store ? "part column" : "part",
                                            [AXIS_BEGIN] = "T.begin",
                                            [AXIS_END] = "T.end",
                                            [AXIS_GROUP] = "T.group"}};
    return ZLAY_OK;
}

static zlay_status place_bind(zlay_ctx *ctx, bound *b, const zlay_plan *plan, const place *at, uint32_t i)
{
    const zl_operand *o = &plan->operand[at->operand];
    b->map[i] = arguments[at->operand].name;
    b->address[i] = arguments[OPERANDS + at->operand].name;
    snprintf(b->names[i], sizeof b->names[i], "t%c%s", zl_operand_name(at->operand),
             at->rings > 1 ? zl_gemm_ring(plan, at->ring) : "");
    b->operands[i] = (zlay_pipe_operand){.smem = b->names[i] + 1,
                                         .type = o->type,
                                         .major = o->major,
                                         .swizzle = o->map.swizzle,
                                         .layout = b->layout[at->operand]};
    return move_bind(ctx, b, plan, at, i);
}

static zlay_status operand_bind(zlay_ctx *ctx, bound *b, zlay_pipe_emit *ask, const zlay_plan *plan, int32_t operand)
{
    place at = {operand, 0, operand == ZLAY_OPERAND_D ? 1 : zl_gemm_rings(plan)};
    zlay_status status = zl_layout_unswizzled(ctx, &b->layout[operand], &plan->operand[operand]);
    for (; at.ring < at.rings && !status; at.ring++) status = place_bind(ctx, b, plan, &at, ask->moves_count++);
    ask->operands_count = ask->moves_count;
    return status;
}

/* The scales of columns of one step of each ring, which the threads of a consumer copy, 4 bytes each. */
static zlay_status scales_bind(zlay_ctx *ctx, bound *b, zlay_pipe_emit *ask, const zlay_plan *plan)
{
    zlay_status status = zl_gemm_by_columns(plan) ? zl_gemm_scales_layout(ctx, &b->scales, plan) : ZLAY_OK;
    for (uint32_t r = 0; zl_gemm_by_columns(plan) && r < zl_gemm_rings(plan) && !status; r++) {
        uint32_t i = ask->moves_count++;
        snprintf(b->names[i], sizeof b->names[i], "tS%s", zl_gemm_ring(plan, r));
        b->map[i] = b->address[i] = "read_sb";
        b->operands[i] = (zlay_pipe_operand){
            .smem = b->names[i] + 1, .type = ZLAY_TYPE_F32, .major = ZLAY_MAJOR_K, .layout = b->scales};
        status = zl_move_new(ctx, &b->move[i], plan->info.target, 1, 1);
        if (status) return status;
        b->move[i]->info.path = ZLAY_PATH_CP_ASYNC;
        zl_gemm_scales_copy(&b->move[i]->maps[0], &b->move[i]->copies[0], plan, r);
        b->move[i]->info.bytes = b->move[i]->copies[0].bytes;
        b->moves[i] = (zlay_pipe_move){.name = b->names[i],
                                       .move = b->move[i],
                                       .axis = {[AXIS_N] = "T.column", [AXIS_K] = "position % N"}};
    }
    ask->operands_count = ask->moves_count;
    return status;
}

/* The block scales of a step, A's and B's: two moves that fill one buffer. */
static zlay_status blocks_bind(zlay_ctx *ctx, bound *b, zlay_pipe_emit *ask, const zlay_plan *plan)
{
    zlay_status status = zl_gemm_by_blocks(plan) ? zl_gemm_blocks_layout(ctx, &b->scales, plan) : ZLAY_OK;
    for (int32_t o = 0; zl_gemm_by_blocks(plan) && o < 2 && !status; o++) {
        uint32_t i = ask->moves_count++;
        snprintf(b->names[i], sizeof b->names[i], "t%c", "FG"[o]);
        b->map[i] = b->address[i] = arguments[2 * OPERANDS + o].name;
        status = zl_move_new(ctx, &b->move[i], plan->info.target, 1, 1);
        if (status) return status;
        b->move[i]->info.path = ZLAY_PATH_TENSOR;
        zlay_plan_map(&b->move[i]->maps[0], plan, ZLAY_OPERAND_SCALES_A + o);
        zlay_plan_copy_nth(&b->move[i]->copies[0], plan, ZLAY_OPERAND_SCALES_A + o, 0);
        b->move[i]->copies[0].map = 0;
        b->move[i]->copies[0].smem = 0;
        b->move[i]->info.bytes = b->move[i]->copies[0].bytes;
        b->moves[i] = (zlay_pipe_move){.name = b->names[i],
                                       .move = b->move[i],
                                       .axis = {[AXIS_M] = "T.row", [AXIS_N] = "T.column", [AXIS_K] = "position % N"}};
    }
    if (zl_gemm_by_blocks(plan))
        b->operands[ask->operands_count++] = (zlay_pipe_operand){
            .smem = "F", .type = plan->scales[0] == ZLAY_SCALES_LINE_32 ? ZLAY_TYPE_UE8M0 : ZLAY_TYPE_UE4M3,
            .swizzle = ZLAY_SWIZZLE_NONE, .layout = b->scales};
    return status;
}

/* The sums that other blocks of a split send. */
static zlay_status sums_bind(zlay_ctx *ctx, bound *b, zlay_pipe_emit *ask, const zlay_plan *plan)
{
    static const char *const names[] = {"X1", "X2", "X3", "X4", "X5", "X6", "X7"};
    uint32_t splits = plan->info.splits, before = ask->operands_count;
    if (splits == 1) return ZLAY_OK;
    for (uint32_t r = 1; r < splits; r++)
        b->operands[ask->operands_count++] =
            (zlay_pipe_operand){.smem = names[r - 1], .type = plan->info.mma.d, .major = ZLAY_MAJOR_K};
    zlay_status status = zl_split_layout(ctx, &b->sums, &plan->info);
    for (uint32_t i = before; i < ask->operands_count; i++) b->operands[i].layout = b->sums;
    return status;
}

static void units_bind(bound *b, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    uint32_t sums = info->consumers * ZL_STREAM_FLAG, bytes = zl_split_bytes(info);
    b->units = (zl_pt_units){.steps = (uint32_t)info->tiles_k,
                             .blocks = info->stream_blocks,
                             .workspace = workspace.name,
                             .pitch = zl_stream_pitch(info),
                             .place = {{"V", sums, bytes, true},
                                       {"W", sums, bytes, false},
                                       {"came", 0, ZL_STREAM_FLAG, true},
                                       {"went", 0, ZL_STREAM_FLAG, false}}};
    b->plan.units = &b->units;
}

static zlay_status bind(zlay_ctx *ctx, bound *b, zlay_pipe_emit *ask, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    zlay_status status = ZLAY_OK;
    for (int32_t o = 0; o < OPERANDS && !status; o++) status = operand_bind(ctx, b, ask, plan, o);
    if (!status) status = scales_bind(ctx, b, ask, plan);
    if (!status) status = blocks_bind(ctx, b, ask, plan);
    uint64_t steps = zl_ceil_div(info->split_steps, zl_gemm_rings(plan));
    b->steps = (zlay_pipe_count){.param = "N", .add = (uint32_t)steps, .divide = 1};
    bool turned = zl_groups_turned(info), in_k = zl_groups_in_k(info);
    const zl_operand *sliced = &plan->operand[ZLAY_OPERAND_B];
    b->plan = (zl_pt_plan){.tiles = {.param = "T",
                                     .rows = in_k ? zl_ceil_div(info->m, info->tile_m) : zl_clusters_m(info),
                                     .columns = turned ? zl_clusters_m(info) : zl_clusters_n(info),
                                     .height = turned ? info->tile_n : info->tile_m,
                                     .width = turned ? info->tile_m : info->tile_n,
                                     .band = info->band,
                                     .offsets = info->groups ? offsets.name : NULL,
                                     .groups = info->groups,
                                     .most = (uint32_t)zl_groups_rows(info),
                                     .share = turned ? info->tile_n : in_k ? info->tile_m : plan->rows,
                                     .spared = info->groups && plan->operand[ZLAY_OPERAND_A].parts > 1 ? plan->operand[ZLAY_OPERAND_A].bytes : 0,
                                     .slice = turned ? sliced->map.box[1] : 0,
                                     .slice_bytes = turned ? sliced->bytes / sliced->slices : 0,
                                     .deep = in_k ? info->tile_k : 0,
                                     .counter = zl_groups_taken(info) ? workspace.name : NULL,
                                     .message = "M",
                                     .step = turned ? zl_groups_step(info->tile_n) : 0,
                                     .neighbours = info->multicast == ZLAY_MULTICAST_A   ? "column"
                                                   : info->multicast == ZLAY_MULTICAST_B ? "row"
                                                                                         : NULL},
                           .arguments = b->arguments,
                           .arguments_count = arguments_of(b->arguments, plan),
                           .map = b->map,
                           .address = b->address,
                           .columns = info->tile_n,
                           .part_columns = info->pass_n,
                           .behind = copies_write,
                           .behind_value = b};
    ask->moves = b->moves;
    ask->operands = b->operands;
    ask->counts = &b->steps;
    ask->counts_count = !zl_stream(info) && !in_k;
    if (zl_stream(info)) units_bind(b, plan);
    return status ? status : sums_bind(ctx, b, ask, plan);
}

static void release(bound *b)
{
    for (int i = 0; i < MOVES; i++) zlay_move_free(b->move[i]);
    for (int o = 0; o < OPERANDS; o++) zlay_layout_free(b->layout[o]);
    zlay_layout_free(b->sums);
    zlay_layout_free(b->scales);
}

zlay_status zlay_emit_ptx(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan, const char *name,
                          size_t length)
{
    bound b = {.of = plan, .name = name, .length = length};
    if (!out || !plan || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_pipe_emit ask = zl_plan_ask(plan->info.target, plan->pipe, ZLAY_TEXT_PTX, name, length);
    status = zl_name_check(ctx, name, length);
    if (!status && zl_by_waves(plan))
        status = zl_fail(ctx, ZLAY_ENOTSUP, "%s has no PTX: zlay_emit_assembly prints its kernel",
                         zlay_target_name(plan->info.target));
    if (!status) status = bind(ctx, &b, &ask, plan);
    if (!status) status = zl_pt_print(ctx, out, NULL, NULL, 0, &ask, &b.plan);
    release(&b);
    return zl_leave(ctx, zl_whole(ctx, status));
}

static zlay_status wave_argument(zlay_pipe_argument *out, const zlay_plan *plan, uint32_t i)
{
    zl_wave_argument a;
    zlay_status status = zl_wave_argument_nth(&a, plan, i);
    if (status) return status;
    *out = (zlay_pipe_argument){.kind = a.scalar ? ZLAY_ARGUMENT_SCALAR : ZLAY_ARGUMENT_POINTER,
                                .bytes = a.bytes,
                                .type = a.type};
    memcpy(out->name, a.name, sizeof out->name);
    return ZLAY_OK;
}

zlay_status zlay_plan_argument_nth(zlay_pipe_argument *out, const zlay_plan *plan, uint32_t i)
{
    zlay_pipe_argument list[ARGUMENTS + ZL_BODY_OPERANDS], own[ARGUMENTS];
    if (!out || !plan) return ZLAY_EINVAL;
    if (zl_by_waves(plan)) return wave_argument(out, plan, i);
    const zl_pt_plan named = {.arguments = own, .arguments_count = arguments_of(own, plan)};
    const zl_pipe_text k = {.pipe = plan->pipe, .plan = &named};
    if (i >= zl_pt_arguments(&k, list, ZL_COUNT(list))) return ZLAY_NONE;
    *out = list[i];
    return ZLAY_OK;
}
