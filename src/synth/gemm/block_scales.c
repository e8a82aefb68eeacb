/* SPDX-License-Identifier: Apache-2.0 */
/* Scales that the instruction applies (tcgen05.mma kind::mxf8f6f4, mxf4, mxf4nvf4): of 32 or 16 elements of K in a row of A
 * or a column of B. They lie in global memory in atoms of 512 bytes, of 128 rows and four such blocks, as the tensor core
 * takes them (PTX ISA 9.1, "Scale Factor A/B Layout"; cuBLAS, "1D block scaling factors layout"). A stage has the atoms of a
 * step, those of A first, by a tensor copy of each; tcgen05.cp brings them to tensor memory before the products. */
#include "base/arith.h"
#include "legality/matrix/sync.h"
#include "synth/gemm/plan.h"

enum {
    ROWS = 128,  /* that an atom has */
    BLOCKS = 4,  /* of K in an atom */
    ATOM = 512,  /* bytes */
    CELL = 8,    /* bytes of an element of the map: a box has 256 elements at most */
    COLUMNS = 4, /* of tensor memory that an atom takes */
    SIDES = 2,
    L2_128 = 2   /* CU_TENSOR_MAP_L2_PROMOTION_L2_128B */
};

static bool is_block(int32_t scales) { return scales == ZLAY_SCALES_LINE_32 || scales == ZLAY_SCALES_LINE_16; }

static const char *word_of(int32_t scales) { return scales == ZLAY_SCALES_LINE_32 ? "1x32" : "1x16"; }

/* Elements of K that have one scale. */
static uint32_t block_of(const zlay_plan *plan) { return plan->scales[0] == ZLAY_SCALES_LINE_32 ? 32 : 16; }

static bool is_float8(int32_t type) { return type == ZLAY_TYPE_E4M3 || type == ZLAY_TYPE_E5M2; }

/* ---- the request ----------------------------------------------------------------------------- */

/* Both operands have such scales, of one size, on a target whose instructions apply them. */
zlay_status zl_gemm_blocks_check(zlay_ctx *ctx, const zlay_target *target, const zlay_gemm *g)
{
    int32_t asked = is_block(g->a_scales) ? g->a_scales : g->b_scales;
    if (!is_block(g->a_scales) && !is_block(g->b_scales)) return ZLAY_OK;
    if (!zl_gemm_by_tmem(target))
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s: %s; instructions of %s apply no such scales, those of sm_100a do; here the nearest is 1x128",
                       is_block(g->a_scales) ? "a_scales" : "b_scales", word_of(asked), zlay_target_name(target));
    if (g->a_scales == g->b_scales) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "%s: an instruction that applies scales of %s does so in A and B; the nearest that works is %s",
                   is_block(g->a_scales) ? "b_scales" : "a_scales", word_of(asked), word_of(asked));
}

zlay_status zl_gemm_blocks_types(zlay_ctx *ctx, const zlay_gemm *g, int32_t a, int32_t b)
{
    bool halves = a == ZLAY_TYPE_E2M1 && b == ZLAY_TYPE_E2M1, bytes = is_float8(a) && is_float8(b);
    if (!is_block(g->a_scales) || halves || (bytes && g->a_scales == ZLAY_SCALES_LINE_32)) return ZLAY_OK;
    if (bytes)
        return zl_fail(ctx, ZLAY_ENOTSUP, "a_scales: 1x16, which are e4m3, go with e2m1; the nearest that works with %s and %s is 1x32",
                       zlay_type_name(a), zlay_type_name(b));
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "a_type %s, b_type %s: scales of %s go with e2m1 in A and B%s; %s", zlay_type_name(a), zlay_type_name(b),
                   word_of(g->a_scales), g->a_scales == ZLAY_SCALES_LINE_32 ? ", or with e4m3 and e5m2" : "",
                   a == ZLAY_TYPE_E2M1 || b == ZLAY_TYPE_E2M1
                       ? "e2m1 beside another type lies otherwise in shared memory (16 numbers in 16 bytes), which is not built"
                       : "other types are not built");
}

void zl_gemm_blocks_product(zlay_mma *mma, int32_t scales)
{
    bool halves = zlay_type_bits(mma->a) < 8;
    if (!is_block(scales)) return;
    mma->kind = !halves ? ZLAY_KIND_MXF8F6F4 : scales == ZLAY_SCALES_LINE_16 ? ZLAY_KIND_MXF4NVF4 : ZLAY_KIND_MXF4;
    mma->scale_vec = scales == ZLAY_SCALES_LINE_16 ? ZLAY_SCALE_BLOCK16 : ZLAY_SCALE_BLOCK32;
}

zlay_status zl_gemm_blocks_tile(zlay_ctx *ctx, const zlay_plan *plan, uint32_t tile_n, uint32_t tile_k)
{
    if (!zl_gemm_by_blocks(plan)) return ZLAY_OK;
    if (tile_n && tile_n != ROWS)
        return zl_fail(ctx, ZLAY_EINVAL,
                       "tile_n: %u; with scales of %s it is 128: an atom of scales has 128 columns, and sums of two tiles of "
                       "256 leave tensor memory no columns for scales",
                       tile_n, word_of(plan->scales[0]));
    if (tile_k == zl_gemm_k_most(plan)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "tile_k: %u; with scales of %s a step has %u elements of K, whole atoms of four blocks", tile_k,
                   word_of(plan->scales[0]), zl_gemm_k_most(plan));
}

bool zl_gemm_blocks_fit(const zlay_plan *plan, uint32_t tile_n) { return !zl_gemm_by_blocks(plan) || tile_n == ROWS; }

/* ---- sizes ------------------------------------------------------------------------------------- */

/* Atoms of an operand in a step. */
static uint32_t atoms_of(const zlay_plan *plan)
{
    return zl_gemm_by_blocks(plan) ? zl_gemm_k_most(plan) / (block_of(plan) * BLOCKS) : 0;
}

/* Atoms in a row of them, and how many rows there are. */
static uint64_t atoms_of_k(const zlay_plan *plan) { return zl_ceil_div(plan->info.k, (uint64_t)block_of(plan) * BLOCKS); }

static uint64_t atoms_of_lines(const zlay_plan *plan, int32_t operand)
{
    return zl_ceil_div(operand == ZLAY_OPERAND_A ? plan->info.m : plan->info.n, ROWS);
}

uint32_t zl_gemm_blocks_bytes(const zlay_plan *plan) { return SIDES * ATOM * atoms_of(plan); }

static uint32_t power_above(uint32_t least)
{
    uint32_t power = 1;
    while (power < least) power *= 2;
    return power;
}

/* An allocation of tensor memory is a power of two, so scales have a ring of their own. */
static uint32_t slots_of(const zlay_plan *plan) { return power_above(plan->info.stages < BLOCKS ? BLOCKS : plan->info.stages); }

/* ---- the copies -------------------------------------------------------------------------------- */

/* A row of the map is a row of atoms; boxes that pass its end bring zeros, so a step never sees scales of other rows. */
static void map_fill(zlay_tensormap *map, const zlay_plan *plan, int32_t operand)
{
    uint64_t atoms = atoms_of_k(plan);
    *map = (zlay_tensormap){.type = ZLAY_TYPE_U64, .rank = 2, .address = ZL_ADDRESS, .l2 = L2_128};
    map->extent[0] = atoms * (ATOM / CELL);
    map->extent[1] = atoms_of_lines(plan, operand);
    map->stride[0] = atoms * ATOM;
    map->box[0] = atoms_of(plan) * (ATOM / CELL);
    map->box[1] = 1;
    map->step[0] = map->step[1] = 1;
}

static void copy_fill(zlay_copy *copy, const zlay_plan *plan, int32_t operand)
{
    *copy = (zlay_copy){.kind = ZLAY_COPY_TENSOR_LOAD, .map = (uint32_t)(ZLAY_OPERAND_SCALES_A + operand), .bytes = ATOM * atoms_of(plan)};
    copy->smem = operand == ZLAY_OPERAND_A ? 0 : copy->bytes;
    copy->advance[0][2] = (int32_t)(atoms_of(plan) * (ATOM / CELL));
    copy->advance[1][operand == ZLAY_OPERAND_A ? 0 : 1] = 1;
}

static zlay_status operand_plan(zlay_ctx *ctx, zlay_plan *plan, int32_t operand)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zl_block_scales *s = &plan->blocks[operand];
    map_fill(&s->map, plan, operand);
    copy_fill(&s->copy, plan, operand);
    zlay_status status = zlay_tensormap_check(&verdict, &reason, 1, plan->info.target, &s->map);
    if (status || verdict.answer == ZLAY_YES) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP, "%c_scales: no tensor map of %llu x %llu atoms of 512 bytes", "ab"[(operand == 0) == (plan->info.swapped != 0)],
                   (unsigned long long)atoms_of_lines(plan, operand), (unsigned long long)atoms_of_k(plan));
}

zlay_status zl_gemm_blocks_plan(zlay_ctx *ctx, zlay_plan *plan)
{
    zlay_status status = ZLAY_OK;
    if (!zl_gemm_by_blocks(plan)) return ZLAY_OK;
    for (int32_t o = 0; o < SIDES && !status; o++) status = operand_plan(ctx, plan, o);
    plan->info.expect_bytes += zl_gemm_blocks_bytes(plan);
    plan->info.copies += SIDES;
    return status;
}

/* ---- layouts ------------------------------------------------------------------------------------ */

zlay_status zl_gemm_blocks_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan)
{
    return zl_layout_format(ctx, out, "((32,4,2),(4,%u)):((16,4,%u),(1,%d))", atoms_of(plan), ATOM * atoms_of(plan), ATOM);
}

/* (row of A and then of B, block of K) -> byte of the stage: as the copies put them, against as tcgen05.cp and the
 * instructions read them; of each operand (row, block of K) -> byte in global memory: by the map, against the formula of atoms. */
zlay_status zl_gemm_blocks_certificates(zlay_ctx *ctx, zlay_plan *plan)
{
    zlay_layout *(*pair)[2] = &plan->certificate[ZL_CERTIFICATES_GEMM];
    const zl_block_scales *b = &plan->blocks[ZLAY_OPERAND_B];
    if (!zl_gemm_by_blocks(plan)) return ZLAY_OK;
    zlay_status status = zl_layout_format(ctx, &pair[0][0], "((32,4,2),(4,%u)):((16,4,%u),(1,%u))", b->map.box[0] * CELL / ATOM,
                                          b->copy.smem, ATOM);
    if (!status) status = zl_gemm_blocks_layout(ctx, &pair[0][1], plan);
    for (int32_t o = 0; o < SIDES && !status; o++) {
        const zlay_tensormap *map = &plan->blocks[o].map;
        unsigned long long lines = map->extent[1], across = map->extent[0] * CELL / ATOM;
        status = zl_layout_format(ctx, &pair[1 + o][0], "((32,4,%llu),(4,%llu)):((16,4,%llu),(1,%d))", lines, across,
                                  (unsigned long long)map->stride[0], ATOM);
        lines = atoms_of_lines(plan, o), across = atoms_of_k(plan);
        if (!status)
            status = zl_layout_format(ctx, &pair[1 + o][1], "((32,4,%llu),(4,%llu)):((16,4,%llu),(1,%d))", lines, across,
                                      ATOM * across, ATOM);
    }
    return status;
}

/* ---- the pipe ------------------------------------------------------------------------------------ */

void zl_gemm_blocks_declare(zl_text *out, const zlay_plan *plan)
{
    if (!zl_gemm_by_blocks(plan)) return;
    zl_putf(out, "move tF %u\nmove tG %u\n", ATOM * atoms_of(plan), ATOM * atoms_of(plan));
    zl_putf(out, "smem F[%u] 2*tF\n", plan->info.stages);
}

void zl_gemm_blocks_tmem(zl_text *out, const zlay_plan *plan)
{
    if (zl_gemm_by_blocks(plan)) zl_putf(out, "tmem S[%u] %u\n", slots_of(plan), SIDES * COLUMNS * atoms_of(plan));
}

void zl_gemm_blocks_load(zl_text *out, const zlay_plan *plan, const char *at)
{
    uint32_t s = plan->info.stages;
    if (!zl_gemm_by_blocks(plan)) return;
    zl_putf(out, "copy tensor tF -> F[%s %% %u] signal full[%s %% %u]\n", at, s, at, s);
    zl_putf(out, "copy tensor tG -> F[%s %% %u] part 1 signal full[%s %% %u]\n", at, s, at, s);
}

void zl_gemm_blocks_copy(zl_text *out, const zlay_plan *plan, const char *at)
{
    if (zl_gemm_by_blocks(plan)) zl_putf(out, "tcp F[%s %% %u] -> S[%s %% %u]\n", at, plan->info.stages, at, slots_of(plan));
}

void zl_gemm_blocks_name(zl_text *out, const zlay_plan *plan, const char *at)
{
    if (zl_gemm_by_blocks(plan)) zl_putf(out, " scales S[%s %% %u]", at, slots_of(plan));
}

/* ---- what a caller reads ---------------------------------------------------------------------------- */

void zl_gemm_blocks_read(zlay_scales *out, const zlay_plan *plan, int32_t operand)
{
    bool wide = plan->scales[0] == ZLAY_SCALES_LINE_32;
    *out = (zlay_scales){.shape = {atoms_of_lines(plan, operand), atoms_of_k(plan)}, .block = {1, block_of(plan)},
                         .granularity = plan->scales[operand], .type = wide ? ZLAY_TYPE_UE8M0 : ZLAY_TYPE_UE4M3};
}

void zl_gemm_blocks_explain(zl_text *out, const zlay_plan *plan)
{
    for (int32_t o = 0; o < SIDES && zl_gemm_by_blocks(plan); o++)
        zl_putf(out, "  scales of %c: tensor_s%c, %s, one for each %u of K; %llu x %llu atoms of 512 bytes, 128 %s and 4 blocks each\n",
                zl_operand_name(o), "ab"[o], plan->scales[0] == ZLAY_SCALES_LINE_32 ? "ue8m0" : "ue4m3", block_of(plan),
                (unsigned long long)atoms_of_lines(plan, o), (unsigned long long)atoms_of_k(plan), o ? "columns" : "rows");
}
