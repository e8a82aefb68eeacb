/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a GEMM plan for people: what it moves, where it lies in shared memory, how matrix
 * instructions read it, which events wait for which, and what its accesses cost in banks. */
#include "synth/gemm/groups.h"

#include <stdio.h>
#include <string.h>
#include <zlay/bank.h>
#include <zlay/block.h>

enum { LANES = 32 };

static const char *const operand_names[] = {"A", "B", "D"};

static const char *kind_name(const zl_operand *o)
{
    switch (o->kind) {
    case ZLAY_COPY_TENSOR_LOAD: return "tensor copy to shared memory";
    case ZLAY_COPY_TENSOR_STORE: return "tensor copy to global memory";
    case ZLAY_COPY_CP_ASYNC: return "cp.async by 128 threads";
    case ZLAY_COPY_THREAD_LOAD: return "ld.global, st.shared by 128 threads";
    default: return "ld.shared, guarded st.global by 128 threads a consumer";
    }
}

static void put_layout(zl_text *out, const zlay_layout *layout)
{
    char text[1024];
    zlay_buf buf = {text, sizeof text, 0};
    zl_puts(out, zlay_layout_print(&buf, layout) == ZLAY_OK ? text : "?");
}

static const char *instruction_name(const zlay_plan_summary *info)
{
    return info->mma.instruction == ZLAY_MMA_TCGEN05 ? "tcgen05"
           : info->mma.instruction == ZLAY_MMA_SYNC  ? "ldmatrix"
                                                     : "wgmma";
}

static void put_threads(zl_text *out, const zlay_plan_summary *info)
{
    const zlay_mma *mma = &info->mma;
    zl_putf(out, "  %u threads: ", info->threads);
    if (mma->instruction == ZLAY_MMA_SYNC) {
        zl_putf(out, "%d warps that load, multiply by mma.sync m%un%uk%u, and store\n", ZL_SYNC_WARPS, mma->m, mma->n, mma->k);
        return;
    }
    zl_puts(out, "one producer warpgroup, ");
    if (mma->instruction == ZLAY_MMA_TCGEN05)
        zl_putf(out, "one that reads sums, a warp that issues tcgen05.mma m%un%uk%u, one that owns tensor memory\n",
                mma->m, mma->n, mma->k);
    else
        zl_putf(out, "%u consumer warpgroups of wgmma m%un%uk%u\n", info->consumers, mma->m, mma->n,
                mma->k);
}

/* What the planned product is of the request's. */
static const char *role_of(const zlay_plan_summary *info)
{
    if (info->d_order != ZLAY_ORDER_COLUMN)
        return info->swapped ? " (D is column-major: the transposed product is planned)" : "";
    return info->swapped ? " (the transposed product is planned: its D is column-major)" : " (D is column-major)";
}

static void put_shape(zl_text *out, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    zl_putf(out, "plan: D[%llu, %llu] = A B, K = %llu, ", (unsigned long long)info->m,
            (unsigned long long)info->n, (unsigned long long)info->k);
    zl_gemm_put_types(out, plan);
    zl_putf(out, " with %s accumulators, %s%s\n",
            info->mma.d == ZLAY_TYPE_S32 ? "s32" : "f32", zlay_target_name(info->target), role_of(info));
    zl_putf(out, "  tile %u x %u x %u; %llu x %llu tiles of D, %llu K steps each; %u stages\n",
            info->tile_m, info->tile_n, info->tile_k, (unsigned long long)info->tiles_m,
            (unsigned long long)info->tiles_n, (unsigned long long)info->tiles_k, info->stages);
    if (info->splits > 1)
        zl_putf(out, "  K split over the %u blocks of a cluster: %llu K steps each; block 0 adds the sums\n",
                info->splits, (unsigned long long)info->split_steps);
    if (zl_stream(info))
        zl_putf(out, "  %u blocks divide the steps of all tiles: each has whole tiles, a head and a tail; a workspace of %llu bytes, 0 at first\n",
                info->stream_blocks, (unsigned long long)info->workspace);
    zl_groups_explain(out, info);
    if (info->groups && plan->operand[ZLAY_OPERAND_A].parts > 1) zl_puts(out, "  rows of A are loaded for one consumer at a time, for the last may have none of a group\n");
    if (zl_multicast(info))
        zl_putf(out, "  clusters of %u blocks share %c: each loads a part and multicasts it\n", info->cluster,
                info->multicast == ZLAY_MULTICAST_A ? 'A' : 'B');
    zl_gemm_scales_explain(out, plan);
    zl_gemm_repack_explain(out, plan);
    put_threads(out, info);
}

static void put_map(zl_text *out, const zl_operand *o, const char *name)
{
    const zlay_tensormap *m = &o->map;
    zl_putf(out,
            "%s  rank %u, extent {%llu, %llu}, stride {%llu} bytes, box {%u, %u}, step {%u, %u}, "
            "swizzle %d bytes\n",
            name, m->rank, (unsigned long long)m->extent[0], (unsigned long long)m->extent[1],
            (unsigned long long)m->stride[0], m->box[0], m->box[1], m->step[0], m->step[1],
            m->swizzle ? 16 << m->swizzle : 0);
    zl_putf(out, "   path: %s", kind_name(o));
    if (o->width) zl_putf(out, ", %u bytes an access", o->width);
    zl_putf(out, "; %u %s of %u bytes\n", o->copies_count, o->copies_count == 1 ? "box" : "boxes",
            o->copies[0].bytes);
    for (uint32_t i = 0; i < o->copies_count; i++)
        zl_putf(out,
                "   box %u: coordinates {%d, %d} + tile (m, n, k) x {(%d, %d, %d), (%d, %d, %d)}, "
                "to byte %u\n",
                i, o->copies[i].coordinate[0], o->copies[i].coordinate[1],
                o->copies[i].advance[0][0], o->copies[i].advance[0][1], o->copies[i].advance[0][2],
                o->copies[i].advance[1][0], o->copies[i].advance[1][1], o->copies[i].advance[1][2],
                o->copies[i].smem);
}

static void put_maps(zl_text *out, const zlay_plan *plan)
{
    zl_putf(out, "\ntensor maps (elements%s; dimension 0 innermost)\n", zl_pack(plan->operand[0].type) > 1 ? ", of A and B two of e2m1" : "");
    for (int i = 0; i < 3; i++) put_map(out, &plan->operand[i], operand_names[i]);
    zl_puts(out, "\nshared layouts (element -> offset in elements)\n");
    for (int i = 0; i < 3; i++) {
        zl_putf(out, "%s  ", operand_names[i]);
        put_layout(out, plan->operand[i].smem);
        zl_puts(out, i == 2 ? "   (row, column of a pass)\n" : "   (mn, k of a stage)\n");
    }
}

static void put_descs(zl_text *out, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    if (zl_by_sync(plan)) return;
    zl_putf(out, "\n%s descriptors of stage 0 (shared addresses from the 1024-aligned start)\n",
            instruction_name(info));
    for (int32_t operand = 0; operand < 2; operand++)
        for (uint32_t c = 0; c < (operand ? 1 : info->consumers); c++)
            for (uint32_t step = 0; step < info->k_steps; step++) {
                zlay_smemdesc d;
                uint64_t bits = 0;
                zlay_plan_desc(&d, plan, operand, c, step);
                d.start += operand ? info->smem_b : info->smem_a;
                zlay_smemdesc_pack(&bits, info->target, &d);
                zl_puts(out, operand_names[operand]);
                if (operand == ZLAY_OPERAND_A) zl_putf(out, " consumer %u", c);
                zl_putf(out, "  k step %u  start 0x%05x  lbo %u  sbo %u  swizzle %d  0x%016llx\n",
                        step, d.start, d.lbo, d.sbo, 16 << d.swizzle, (unsigned long long)bits);
            }
}

static void put_stages(zl_text *out, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    zl_putf(out, "\nshared memory, %u of %llu bytes (1024 of them for alignment)\n", info->smem,
            (unsigned long long)zlay_smem_capacity(info->target));
    for (uint32_t s = 0; s < info->stages; s++)
        if (zl_by_sync(plan))
            zl_putf(out, "  stage %u: A at %u, B at %u\n", s, info->smem_a + s * info->pitch_a,
                    info->smem_b + s * info->pitch_b);
        else zl_putf(out,
                "  stage %u: A at %u, B at %u, expects %u bytes by tensor copies; full barrier at "
                "%u count %u, "
                "empty barrier at %u count %u\n",
                s, info->smem_a + s * info->pitch_a, info->smem_b + s * info->pitch_b,
                info->expect_bytes, info->smem_bar + 8 * s, info->full_count,
                info->smem_bar + 8 * (info->stages + s), info->empty_count);
    zl_putf(out, "  staging of D: %u bytes a consumer from %u, %u pass%s of %u columns\n",
            info->pitch_d, info->smem_d, info->passes, info->passes == 1 ? "" : "es", info->pass_n);
    if (zl_gemm_by_blocks(plan))
        zl_putf(out, "  scales: %u bytes a stage from %u, those of A first\n", zl_gemm_blocks_bytes(plan), info->smem_d + info->pitch_d);
}

static void put_count(zl_text *out, const zlay_plan *plan, const char *what, const char *access,
                      const uint32_t *address)
{
    zlay_bank bank;
    int32_t number;
    zlay_status status = zlay_bank_find(&number, access, strlen(access));
    if (!status) status = zlay_bank_conflicts(&bank, plan->info.target, number, address, LANES);
    if (!status && bank.answer == ZLAY_YES)
        zl_putf(out, "  %-44s %u wavefronts, ideal %u\n", what, bank.wavefronts, bank.distinct);
    else zl_putf(out, "  %-44s not counted: phases of %s are not known\n", what, access);
}

static uint32_t byte_at(const zl_operand *o, uint64_t index)
{
    int64_t offset = 0;
    zlay_layout_eval(&offset, 1, o->smem, index);
    return (uint32_t)offset * o->element;
}

/* Counts one access of a matrix instruction: each of `lanes` lanes has the address of a row of 16
 * bytes; after `rows` lanes follow the rows of the next chunk. */
static void put_matrix(zl_text *out, const zlay_plan *plan, int32_t operand, const char *what,
                       const char *access, uint32_t rows, uint32_t lanes)
{
    const zl_operand *o = &plan->operand[operand];
    uint64_t outer = o->map.box[1], inner = o->map.box[0] * (uint64_t)zl_operand_boxes(o);
    uint32_t address[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t row = lane % rows, column = 16 / o->element * (lane / rows);
        uint64_t index = o->major == ZLAY_MAJOR_K ? row + outer * column : column + inner * row;
        address[lane] = lane < lanes ? byte_at(o, index) : UINT32_MAX;
    }
    put_count(out, plan, what, access, address);
}

/* Counts a warp's store of 16 bytes of D: lane l has row l. */
static void put_rows(zl_text *out, const zlay_plan *plan)
{
    uint32_t address[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        address[lane] = byte_at(&plan->operand[ZLAY_OPERAND_D], lane);
    put_count(out, plan, "D, st.shared.v4.b32 of a warp", "st.shared.b128", address);
}

/* Counts a warp's store of two neighbours of 1 or 4 bytes: lane l has row l / 4 and columns 2 (l % 4) and
 * one on. */
static void put_pairs(zl_text *out, const zlay_plan *plan)
{
    const zl_operand *d = &plan->operand[ZLAY_OPERAND_D];
    bool words = d->element == 4;
    uint32_t address[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        address[lane] = byte_at(d, lane / 4 + (uint64_t)d->map.box[1] * (2 * (lane % 4)));
    if (words || zl_by_wgmma(plan))
        put_count(out, plan, words ? "D, st.shared.v2.b32 of a warp" : "D, st.shared.b16 of a warp",
                  words ? "st.shared.b64" : "st.shared.b16", address);
    else put_count(out, plan, "D, st.shared.b32 of a warp", "st.shared.b32", address);
}

/* Counts a warp's store of its sums where columns of D are contiguous: matrices of eight columns, or lane l row l / 4 of
 * column 2 (l % 4). */
static void put_by_columns(zl_text *out, const zlay_plan *plan)
{
    const zl_operand *d = &plan->operand[ZLAY_OPERAND_D];
    uint32_t address[LANES];
    if (d->element == 2 && plan->info.pass_n == 8)
        put_matrix(out, plan, ZLAY_OPERAND_D, "D, stmatrix.x2.trans of a warp", "stmatrix.x2", 8, LANES / 2);
    else if (d->element == 2)
        put_matrix(out, plan, ZLAY_OPERAND_D, "D, stmatrix.x4.trans of a warp", "stmatrix.x4", 16, LANES);
    if (d->element == 2) return;
    for (uint32_t lane = 0; lane < LANES; lane++)
        address[lane] = byte_at(d, lane / 4 + (uint64_t)plan->rows * (2 * (lane % 4)));
    put_count(out, plan, "D, st.shared.b32 of a warp", "st.shared.b32", address);
}

/* Counts one access of a warp that moves a box by threads: its lanes have consecutive pieces of
 * `width` bytes along the rows. */
static void put_moved(zl_text *out, const zlay_plan *plan, int32_t operand)
{
    const zl_operand *o = &plan->operand[operand];
    uint64_t outer = o->map.box[1], inner = o->map.box[0] * (uint64_t)zl_operand_boxes(o);
    uint32_t address[LANES], per_row = o->span / o->width;
    char what[] = "A by threads, one access of a warp", access[24];
    what[0] = operand_names[operand][0];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t row = lane / per_row, column = lane % per_row * o->width / o->element;
        uint64_t index = o->major == ZLAY_MAJOR_K ? row + outer * column : column + inner * row;
        address[lane] = byte_at(o, index);
    }
    snprintf(access, sizeof access, "%s.shared.b%u", operand == ZLAY_OPERAND_D ? "ld" : "st",
             8 * o->width);
    put_count(out, plan, what, access, address);
}

static void put_banks(zl_text *out, const zlay_plan *plan)
{
    char what[64];
    zl_puts(out, "\nshared-memory banks\n");
    for (int32_t operand = 0; operand < 2; operand++) {
        snprintf(what, sizeof what, "%s, eight rows of 16 bytes as %s reads", operand_names[operand],
                 instruction_name(&plan->info));
        put_matrix(out, plan, operand, what, "ldmatrix.x1", 8, 8);
    }
    if (zl_by_tmem(plan)) put_rows(out, plan);
    else if (zl_d_by_columns(plan)) put_by_columns(out, plan);
    else if (zl_by_wgmma(plan) && plan->operand[ZLAY_OPERAND_D].element == 2)
        put_matrix(out, plan, ZLAY_OPERAND_D, "D, stmatrix.x4 of a warp", "stmatrix.x4", 16, LANES);
    else put_pairs(out, plan);
    for (int32_t operand = 0; operand < 3; operand++)
        if (plan->operand[operand].width) put_moved(out, plan, operand);
}

static void put_certificates(zl_text *out, const zlay_plan *plan)
{
    static const char *const scales[] = {"shared", "of A global", "of B global"};
    bool pairs = plan->operand[ZLAY_OPERAND_D].element != 2;
    const char *const right[3][2] = {
        {zl_by_sync(plan) ? "as ldmatrix reads" : "as descriptors read", "as requested"},
        {zl_by_sync(plan) ? "as ldmatrix reads" : "as descriptors read", "as requested"},
        {pairs || !zl_by_wgmma(plan) ? "as consumers write" : "as stmatrix writes", "as requested"}};
    zl_puts(out, "\ncertificate: each pair of layouts is equal, as layout.equal decides again\n");
    for (uint32_t i = 0; i < ZL_CERTIFICATES_GEMM; i++) {
        zl_putf(out, "%s %s, as copied    ", operand_names[i / 2], i % 2 ? "global" : "shared");
        put_layout(out, plan->certificate[i][0]);
        zl_putf(out, "\n   %s  ", right[i / 2][i % 2]);
        put_layout(out, plan->certificate[i][1]);
        zl_puts(out, "\n");
    }
    for (uint32_t i = ZL_CERTIFICATES_GEMM; i < ZL_CERTIFICATES && plan->certificate[i][0]; i++) {
        zl_putf(out, "scales %s, as copied    ", scales[i - ZL_CERTIFICATES_GEMM]);
        put_layout(out, plan->certificate[i][0]);
        zl_puts(out, i == ZL_CERTIFICATES_GEMM ? "\n   as tcgen05.cp reads  " : "\n   by atoms of 512 bytes  ");
        put_layout(out, plan->certificate[i][1]);
        zl_puts(out, "\n");
    }
}

static void explain_write(zl_text *out, const void *value)
{
    const zlay_plan *plan = value;
    if (zl_by_waves(plan)) {
        zl_wave_explain(out, plan);
        return;
    }
    put_shape(out, plan);
    zl_plan_rules_write(out, plan);
    put_maps(out, plan);
    put_descs(out, plan);
    put_stages(out, plan);
    put_banks(out, plan);
    put_certificates(out, plan);
}

zlay_status zlay_plan_print(zlay_buf *out, const zlay_plan *plan)
{
    return plan ? zl_print(out, explain_write, plan) : ZLAY_EINVAL;
}
