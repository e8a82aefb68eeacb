/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a plan of waves for people: the instruction, the tile, the loads, shared memory and its
 * banks, and the registers of a lane. */
#include "synth/gemm/groups.h"

static const char *const operand_names[] = {"A", "B", "D"};

static void put_layout(zl_text *out, const zlay_layout *layout)
{
    char text[512];
    zlay_buf buf = {text, sizeof text, 0};
    zl_puts(out, zlay_layout_print(&buf, layout) == ZLAY_OK ? text : "?");
}

static void put_shape(zl_text *out, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    const zlay_wave_gemm *w = &plan->wave.shape;
    zl_putf(out, "plan: D[%llu, %llu] = A B, K = %llu, ", (unsigned long long)info->m,
            (unsigned long long)info->n, (unsigned long long)info->k);
    zl_gemm_put_types(out, plan);
    zl_putf(out, " with %s accumulators, %s%s\n", zlay_type_name(info->mma.d),
            zlay_target_name(info->target),
            info->swapped ? " (D is column-major: the transposed product is planned)" : "");
    zl_putf(out, "  tile %u x %u x %u; %llu x %llu tiles of D, %llu K steps each; %u stages\n",
            info->tile_m, info->tile_n, info->tile_k, (unsigned long long)info->tiles_m,
            (unsigned long long)info->tiles_n, (unsigned long long)info->tiles_k, info->stages);
    zl_groups_explain(out, info);
    zl_putf(out, "  %u threads: %u x %u waves of %u lanes, each %u x %u results of %ux%ux%u\n",
            info->threads, w->waves_m, w->waves_n, w->lanes, w->blocks_m, w->blocks_n, info->mma.m,
            info->mma.n, info->mma.k);
    zl_putf(out, "  %u registers and %u accumulators a lane, %u bytes of shared memory\n",
            w->registers, w->accumulators, info->smem);
}

static void put_moves(zl_text *out, const zlay_plan *plan)
{
    const zlay_wave_gemm *w = &plan->wave.shape;
    zl_putf(out,
            "\nloads, %u of A and %u of B a thread and step, 16 bytes each: %s; %u tiles ahead\n",
            w->loads_a, w->loads_b,
            w->direct ? "to shared memory" : "to registers, then written by the thread", w->ahead);
    zl_putf(out, "reads, %u a row and step, 16 bytes each, of %u instructions along K\n", w->reads,
            w->read_products);
    zl_putf(out, "stores of %u bytes\n", w->store_bytes);
    zl_puts(out, "\nshared layouts (mn, k of a stage -> offset in elements)\n");
    for (int i = 0; i < 2; i++) {
        zl_putf(out, "%s  ", operand_names[i]);
        put_layout(out, plan->operand[i].smem);
        zl_puts(out, "\n");
    }
    zl_puts(out, "\nshared-memory banks\n  one read of a wave: ");
    if (w->read_wavefronts == ZLAY_WAVE_GEMM_UNKNOWN)
        zl_puts(out, "not counted: phases of ds_read_b128 are not known\n");
    else
        zl_putf(out, "%u wavefronts, ideal %u\n", w->read_wavefronts, w->read_ideal);
}

static void put_certificates(zl_text *out, const zlay_plan *plan)
{
    static const char *const what[][2] = {{"A global, as planned", "as the kernel loads"},
                                          {"A shared, as planned", "as the kernel reads"},
                                          {"B global, as planned", "as the kernel loads"},
                                          {"B shared, as planned", "as the kernel reads"},
                                          {"D, sums as held", "as stored"},
                                          {"A, places of loads", "where they are written"},
                                          {"A, as loaded and read", "as multiplied"},
                                          {"B, places of loads", "where they are written"},
                                          {"B, as loaded and read", "as multiplied"}};
    const zlay_layout *a, *b;
    zl_puts(out, "\ncertificate: each pair of layouts is equal, as layout.equal decides again\n");
    for (uint32_t i = 0; i < ZL_COUNT(what) && !zlay_plan_certificate(&a, &b, plan, i); i++) {
        zl_putf(out, "%s  ", what[i][0]);
        put_layout(out, a);
        zl_putf(out, "\n   %s  ", what[i][1]);
        put_layout(out, b);
        zl_puts(out, "\n");
    }
}

void zl_wave_explain(zl_text *out, const zlay_plan *plan)
{
    put_shape(out, plan);
    zl_gemm_scales_explain(out, plan);
    zl_plan_rules_write(out, plan);
    put_moves(out, plan);
    put_certificates(out, plan);
}
