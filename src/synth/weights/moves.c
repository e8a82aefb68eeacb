/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the moves of a product with weights of 4 or 8 bits: for each tensor the tensor maps of its tile, what counts its axes,
 * and how its stage lies as bodies and products read it. */
#include "algebra/text/format.h"
#include "legality/tensormap/fetch.h"
#include "synth/move/move.h"
#include "synth/tensormap/tensormap.h"
#include "synth/weights/weights.h"

#include <stdio.h>
#include <string.h>
#include <zlay/smemdesc.h>
#include <zlay/tensormap_synth.h>

enum { AXES = 3, TEXT = 96 };

/* A tensor: its extents and strides, its tile, how the tile lies in its stage. */
typedef struct tensor {
    const char *name, *smem, *axis[AXES];
    char letter;
    int32_t type, direction;
    uint32_t axes;
    int64_t shape[AXES], stride[AXES], first;
    uint64_t tile[AXES];
} tensor;

static zlay_status move_add(zlay_ctx *ctx, zlay_weights_plan *p, const tensor *t)
{
    zl_bound_move *m = &p->moves[p->moves_count];
    zlay_layout *source = NULL, *smem = NULL;
    zlay_tensormap_request r = {
        .size = sizeof r, .type = t->type, .axes = t->axes, .direction = t->direction};
    snprintf(m->name, sizeof m->name, "%s", t->name);
    m->tensor = t->letter;
    for (uint32_t i = 0; i < t->axes; i++) {
        r.shape[i] = t->tile[i];
        if (t->axis[i]) snprintf(m->axis[i], sizeof m->axis[i], "%s", t->axis[i]);
    }
    zlay_status status = zl_layout_new_strided(ctx, &source, t->axes, t->shape, t->stride, t->first);
    if (!status) status = zl_layout_parse(ctx, &smem, t->smem, strlen(t->smem));
    r.source = source;
    r.smem = smem;
    if (!status) status = zl_tm_find(ctx, &m->move, p->target, &r);
    zlay_layout_free(source);
    zlay_layout_free(smem);
    if (!status) p->moves_count++;
    return status;
}

/* A new operand, without its layout. */
static zl_bound_operand *operand_of(zlay_weights_plan *p, const char *smem, int32_t type, int32_t swizzle)
{
    zl_bound_operand *o = &p->operands[p->operands_count++];
    snprintf(o->smem, sizeof o->smem, "%s", smem);
    o->type = type;
    o->major = ZLAY_MAJOR_K;
    o->swizzle = swizzle;
    return o;
}

static zlay_status operand_add(zlay_ctx *ctx, zlay_weights_plan *p, const char *smem, int32_t type,
                               int32_t swizzle, const char *layout)
{
    zl_bound_operand *o = operand_of(p, smem, type, swizzle);
    return zl_layout_parse(ctx, &o->layout, layout, strlen(layout));
}

/* Where a step has two halves, one index of the ring is two tiles of the move. */
static void steps_double(zlay_move *move)
{
    for (uint32_t i = 0; i < move->info.copies; i++)
        for (size_t dim = 0; dim < ZL_COUNT(move->copies[i].advance); dim++) move->copies[i].advance[dim][1] *= 2;
}

/* Half a step of A: rows of 64 elements in 128 swizzled bytes. */
static zlay_status vectors_move(zlay_ctx *ctx, zlay_weights_plan *p, uint32_t half)
{
    char smem[TEXT], name[] = {'t', 'X', (char)('0' + half), '\0'};
    uint32_t m = p->info.tile_m, first = half * ZL_WEIGHTS_HALF;
    snprintf(smem, sizeof smem, "Sw<3,3,3> o 0 o (%u,64):(64,1)", m);
    tensor t = {.name = name,
                .letter = 'a',
                .smem = smem,
                .type = p->ask.type,
                .axes = 2,
                .shape = {(int64_t)p->ask.m, (int64_t)p->ask.k - first},
                .stride = {(int64_t)p->ask.lda, 1},
                .first = first,
                .tile = {m, ZL_WEIGHTS_HALF},
                .axis = {"block.y", "i"}};
    zlay_status status = move_add(ctx, p, &t);
    if (!status) steps_double(p->moves[p->moves_count - 1].move);
    return status;
}

static zlay_status vectors_add(zlay_ctx *ctx, zlay_weights_plan *p)
{
    char layout[TEXT];
    zlay_status status = ZLAY_OK;
    snprintf(layout, sizeof layout, "(%u,64):(64,1)", p->info.tile_m);
    for (uint32_t half = 0; half < zl_weights_halves(p) && !status; half++) {
        char name[] = {'X', (char)('0' + half), '\0'};
        status = vectors_move(ctx, p, half);
        if (!status) status = operand_add(ctx, p, name, p->ask.type, ZLAY_SWIZZLE_128B, layout);
    }
    return status;
}

/* Packed tiles are contiguous: they are brought as bytes, and lie in their stage as in memory. */
static zlay_status weights_add(zlay_ctx *ctx, zlay_weights_plan *p)
{
    int64_t columns = (int64_t)zl_weights_tiles(p->ask.k, ZL_WEIGHTS_K);
    char smem[TEXT];
    uint32_t bytes = zl_weights_bytes(p->ask.weights);
    snprintf(smem, sizeof smem, "(1,1,%u):(0,0,1)", bytes);
    tensor t = {.name = "tQ",
                .letter = 'b',
                .smem = smem,
                .type = ZLAY_TYPE_U8,
                .axes = 3,
                .shape = {(int64_t)zl_weights_tiles(p->ask.n, ZL_WEIGHTS_N), columns, bytes},
                .stride = {columns * bytes, bytes, 1},
                .tile = {1, 1, bytes},
                .axis = {"block", "i"}};
    zlay_status status = move_add(ctx, p, &t);
    if (status) return status;
    if (p->info.grid[1] == 1) p->moves[p->moves_count - 1].move->maps[0].l2 = ZL_L2_256B; /* read once */
    zl_bound_operand *o = operand_of(p, "Q", p->ask.weights, ZLAY_SWIZZLE_NONE);
    return zl_weights_order(ctx, &o->layout, p->ask.weights, 1, 1);
}

/* Numbers for each of the tile's rows of B: the scales, or the zero, of the step's groups, those of a row side by side. */
static zlay_status numbers_add(zlay_ctx *ctx, zlay_weights_plan *p, const char *name, char letter, int32_t type)
{
    char smem[TEXT], layout[TEXT];
    uint32_t count = zl_weights_scales(p);
    snprintf(smem, sizeof smem, "(1,%u):(0,1)", ZL_WEIGHTS_N * count);
    if (p->tmem && letter == 's') snprintf(layout, sizeof layout, "(1,64):(0,1)"); /* of columns of D */
    else snprintf(layout, sizeof layout, count > 1 ? "(64,(%u,%u)):(%u,(0,1))" : "(64,1):(1,0)", p->ask.group, count, count);
    tensor t = {.name = name,
                .letter = letter,
                .smem = smem,
                .type = type == ZLAY_TYPE_BF16 || type == ZLAY_TYPE_F16 ? type : ZLAY_TYPE_U8,
                .axes = 2,
                .shape = {(int64_t)p->info.steps, (int64_t)p->ask.n * count},
                .stride = {(int64_t)p->ask.lds, 1},
                .tile = {1, ZL_WEIGHTS_N * count},
                .axis = {"i", "block"}};
    zlay_status status = move_add(ctx, p, &t);
    return status ? status : operand_add(ctx, p, name + 1, type, ZLAY_SWIZZLE_NONE, layout);
}

static zlay_status result_add(zlay_ctx *ctx, zlay_weights_plan *p)
{
    char smem[TEXT], layout[TEXT];
    uint32_t m = p->info.tile_m;
    snprintf(smem, sizeof smem, "Sw<3,3,3> o 0 o (%u,64):(64,1)", m);
    snprintf(layout, sizeof layout, p->tmem ? "(%u,64):(64,1)" : "(64,%u):(1,64)", m);
    tensor t = {.name = "tD",
                .letter = 'd',
                .smem = smem,
                .type = p->ask.type,
                .direction = ZLAY_DIRECTION_STORE,
                .axes = 2,
                .shape = {(int64_t)p->ask.m, (int64_t)p->ask.n},
                .stride = {(int64_t)p->ask.ldd, 1},
                .tile = {m, ZL_WEIGHTS_N},
                .axis = {"block.y", "block"}};
    zlay_status status = move_add(ctx, p, &t);
    return status ? status : operand_add(ctx, p, "D", p->ask.type, ZLAY_SWIZZLE_128B, layout);
}

/* The sums that a warpgroup hands to the first one: those of a thread of 8 rows of A are 16 bytes. */
static zlay_status sums_add(zlay_ctx *ctx, zlay_weights_plan *p, uint32_t number)
{
    char layout[TEXT], smem[] = {'R', (char)('0' + number), '\0'};
    snprintf(layout, sizeof layout, "((8,2,4),(2,4,%u)):((16,2,128),(1,4,512))", p->info.tile_m / 8);
    return operand_add(ctx, p, smem, ZLAY_TYPE_F32, ZLAY_SWIZZLE_NONE, layout);
}

/* Numbers made of weights, as the second factor of tcgen05 reads them. */
static zlay_status made_add(zlay_ctx *ctx, zlay_weights_plan *p, uint32_t half)
{
    char name[] = {'V', (char)('0' + half), '\0'};
    return operand_add(ctx, p, name, p->ask.type, ZLAY_SWIZZLE_128B, "(64,64):(64,1)");
}

zlay_status zl_weights_moves(zlay_ctx *ctx, zlay_weights_plan *p)
{
    zlay_status status = vectors_add(ctx, p);
    if (!status) status = weights_add(ctx, p);
    if (!status) status = numbers_add(ctx, p, "tS", 's', p->scales);
    if (!status && p->ask.zeros) status = numbers_add(ctx, p, "tZ", 'z', p->ask.type);
    if (!status) status = result_add(ctx, p);
    for (uint32_t i = 1; i < p->info.warpgroups && !status; i++) status = sums_add(ctx, p, i);
    for (uint32_t i = 0; p->tmem && i < zl_weights_halves(p) && !status; i++) status = made_add(ctx, p, i);
    return status;
}
