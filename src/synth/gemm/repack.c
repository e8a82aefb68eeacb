/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which operands of a GEMM are repacked: A and B copied into a workspace whose rows a tensor
 * map takes, D computed there and copied out. It compares modelled times, for each subset of the
 * operands that are moved slowly from where they are: the product's, as its slowest path makes it, and
 * the bytes that the copies move. The copies are transfers (synth/transfer). */
#include "base/arith.h"
#include "synth/gemm/choose.h"
#include "synth/transfer/transfer.h"

enum {
    OPERANDS = 3,
    GRANULE = 16,  /* bytes: of a tensor map's address and strides, of a tensor store's rows */
    LINE = 128,    /* bytes of which a row in the workspace has a multiple */
    BEGIN = 256,   /* bytes at whose multiples a matrix begins there */
#define LAUNCH(ns) LAUNCH_NS = ns,
#define COPY(rate) COPY_RATE = rate,
#define PATH(how, percent) BY_##how = percent,
#include "synth/gemm/times.def"
#define FITTED(name, value) FITTED_##name = value,
#include "synth/gemm/fitted.def"
    BY_TENSOR = 100 /* per cent, as PATH */
};

/* Whether no tensor map takes an operand's rows. */
static bool is_needed(const zlay_plan *plan, int32_t operand)
{
    return zl_row_alignment(plan, operand) % GRANULE != 0;
}

/* Whether the product may take less time with an operand repacked: a tensor copy reads rows of A and
 * B that begin beside lines more slowly. */
static bool may_help(const zlay_plan *plan, int32_t operand)
{
    return zl_row_alignment(plan, operand) % (operand == ZLAY_OPERAND_D ? GRANULE : LINE) != 0;
}

static uint64_t row_bytes(const zl_operand *o)
{
    return zl_ceil_div(o->inner * o->element, LINE) * LINE;
}

/* Lets an operand be the matrix in the workspace. A row of D there has whole granules. */
static void move_there(zlay_plan *plan, int32_t operand)
{
    zl_operand *o = &plan->operand[operand];
    uint32_t granule = GRANULE / o->element;
    o->pitch = row_bytes(o) / o->element;
    if (operand == ZLAY_OPERAND_D) o->inner = zl_ceil_div(o->inner, granule) * granule;
    plan->address[operand] = ZL_ADDRESS;
}

/* ---- the choice ------------------------------------------------------------------------------- */

/* What a load of A or B makes of the product's time. */
static uint32_t slowness(const zlay_plan *plan, int32_t operand)
{
    if (!is_needed(plan, operand)) return BY_TENSOR;
    uint64_t alignment = zl_row_alignment(plan, operand);
    return alignment == 8 ? BY_CP_ASYNC_8 : alignment == 4 ? BY_CP_ASYNC_4 : BY_ELEMENTS;
}

/* A product's time by a slower path: all of it but what the launch takes. */
static uint64_t slowed(uint64_t product, uint32_t percent)
{
    uint64_t launch = zl_umin(product, FITTED_START);
    return product == UINT64_MAX ? product : zl_uadd_sat(zl_umul_sat(product - launch, percent) / BY_TENSOR, launch);
}

static uint64_t bytes_of(const zl_operand *o) { return zl_umul_sat(o->outer, o->inner * o->element); }

static uint64_t copy_time(const zl_operand *o) { return LAUNCH_NS + bytes_of(o) / (COPY_RATE / 2); }

/* The modelled time where the operands of a set, by bits, are repacked. */
static uint64_t time_of(const zlay_plan *plan, const zlay_gemm *gemm, uint32_t set)
{
    zlay_plan there = *plan;
    uint64_t copies = 0;
    for (int32_t o = 0; o < OPERANDS; o++) {
        if (!(set >> o & 1)) continue;
        copies += copy_time(&plan->operand[o]);
        move_there(&there, o);
    }
    if (there.info.splits > 1 && (is_needed(&there, ZLAY_OPERAND_A) || is_needed(&there, ZLAY_OPERAND_B)))
        return UINT64_MAX; /* only tensor copies fill the stages of a split */
    uint32_t a = slowness(&there, ZLAY_OPERAND_A), b = slowness(&there, ZLAY_OPERAND_B);
    uint64_t product = zl_gemm_way_choose(&there, gemm);
    return zl_uadd_sat(slowed(product, a > b ? a : b), copies);
}

/* What memory takes to give A and B and to take D, each once, at the rate at which a copy reads and writes. */
static uint64_t memory_time(const zlay_plan *plan)
{
    uint64_t bytes = 0;
    for (int32_t o = 0; o < OPERANDS; o++) bytes = zl_uadd_sat(bytes, bytes_of(&plan->operand[o]));
    return bytes / COPY_RATE;
}

uint64_t zl_gemm_modelled(zlay_gemm_terms *out, const zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_gemm fixed = *gemm;
    uint64_t copies = 0;
    fixed.tile_m = plan->info.tile_m, fixed.tile_n = plan->info.tile_n;
    zl_tile_weigh(out, plan, &fixed, fixed.tile_m, fixed.tile_n);
    for (int32_t o = 0; o < OPERANDS; o++)
        if (plan->repack[o].transfer) copies += LAUNCH_NS + plan->repack[o].bytes / (COPY_RATE / 2);
    uint32_t a = slowness(plan, ZLAY_OPERAND_A), b = slowness(plan, ZLAY_OPERAND_B);
    uint64_t product = slowed(zl_tile_cheapest(plan, &fixed).time, a > b ? a : b);
    return zl_uadd_sat(zl_umax(product, memory_time(plan)), copies);
}

/* The set of the least time; of equal ones that of fewer copies. */
static uint32_t set_choose(const zlay_plan *plan, const zlay_gemm *gemm)
{
    uint32_t best = 0, most = 0;
    uint64_t least = time_of(plan, gemm, 0);
    for (int32_t o = 0; o < OPERANDS; o++) most |= (uint32_t)may_help(plan, o) << o;
    for (uint32_t set = 1; set <= most; set++) {
        if (set & ~most) continue;
        uint64_t time = time_of(plan, gemm, set);
        if (time >= least) continue;
        least = time;
        best = set;
    }
    return best;
}

/* ---- the copies ------------------------------------------------------------------------------- */

static zlay_status layout_of(zlay_ctx *ctx, zlay_layout **out, const zl_operand *o, uint64_t pitch)
{
    return zl_layout_format(ctx, out, "(%llu,%llu):(1,%llu)", (unsigned long long)o->inner,
                            (unsigned long long)o->outer, (unsigned long long)pitch);
}

/* The alignment of an address, up to 16 bytes. */
static uint32_t alignment(uint64_t address)
{
    uint64_t bits = address | GRANULE;
    return (uint32_t)(bits & (~bits + 1));
}

static zlay_status copy_plan(zlay_ctx *ctx, zlay_plan *plan, int32_t operand)
{
    const zl_operand *o = &plan->operand[operand];
    zlay_layout *here = NULL, *there = NULL;
    bool behind = operand == ZLAY_OPERAND_D;
    zlay_status status = layout_of(ctx, &here, o, o->pitch);
    if (!status) status = layout_of(ctx, &there, o, row_bytes(o) / o->element);
    uint32_t align = alignment(plan->address[operand]);
    zlay_transfer_request r = {.size = sizeof r,
                               .elem_bits = 8 * o->element,
                               .source = behind ? there : here,
                               .dest = behind ? here : there,
                               .source_align = behind ? BEGIN : align,
                               .dest_align = behind ? align : BEGIN};
    if (!status)
        status = zl_transfer_synth(ctx, &plan->repack[operand].transfer, plan->info.target, &r);
    zlay_layout_free(here);
    zlay_layout_free(there);
    return status;
}

/* Plans the copy of an operand, gives it its place, and moves the operand there. */
static zlay_status repack(zlay_ctx *ctx, zlay_plan *plan, int32_t operand)
{
    zl_repack *p = &plan->repack[operand];
    uint64_t at = zl_ceil_div(plan->info.workspace, BEGIN) * BEGIN;
    zlay_status status = copy_plan(ctx, plan, operand);
    if (status) return status;
    p->align = alignment(plan->address[operand]);
    p->offset = at;
    p->bytes = plan->operand[operand].outer * row_bytes(&plan->operand[operand]);
    plan->info.workspace = at + p->bytes;
    move_there(plan, operand);
    return ZLAY_OK;
}

zlay_status zl_gemm_repack(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    uint32_t set = 0;
    if (gemm->repack < ZLAY_REPACK_NEVER || gemm->repack > ZLAY_REPACK_ALWAYS)
        return zl_fail(ctx, ZLAY_EINVAL, "repack: %d is none of never, auto, always", gemm->repack);
    if (gemm->repack == ZLAY_REPACK_NEVER) return ZLAY_OK;
    if (gemm->repack == ZLAY_REPACK_AUTO) set = set_choose(plan, gemm);
    else for (int32_t o = 0; o < OPERANDS; o++) set |= (uint32_t)is_needed(plan, o) << o;
    zlay_status status = ZLAY_OK;
    for (int32_t o = 0; o < OPERANDS && !status; o++)
        if (set >> o & 1) status = repack(ctx, plan, o);
    return status;
}

/* ---- what a caller reads ---------------------------------------------------------------------- */

zlay_status zlay_plan_repack(zlay_repack *out, const zlay_plan *plan, int32_t operand)
{
    if (!out || !plan || operand < ZLAY_OPERAND_A || operand > ZLAY_OPERAND_D) return ZLAY_EINVAL;
    const zl_repack *p = &plan->repack[operand];
    if (!p->transfer) return ZLAY_NONE;
    *out = (zlay_repack){p->transfer, p->offset, p->bytes, plan->operand[operand].pitch,
                         operand == ZLAY_OPERAND_D, p->align};
    return ZLAY_OK;
}

void zl_gemm_repack_explain(zl_text *out, const zlay_plan *plan)
{
    zlay_repack r;
    for (int32_t o = 0; o < OPERANDS; o++)
        if (!zlay_plan_repack(&r, plan, o))
            zl_putf(out, "  repacked %c: %llu bytes from byte %llu of the workspace on, pitch %llu, copied %s the product\n",
                    zl_operand_name(o), (unsigned long long)r.bytes, (unsigned long long)r.offset,
                    (unsigned long long)r.pitch, r.behind ? "behind" : "before");
}
