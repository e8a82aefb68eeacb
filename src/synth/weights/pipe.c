/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of a product with weights of 4 or 8 bits. The product is D^T = B A^T, so that weights are the first factor of
 * wgmma, which may be registers (Frantar et al., "MARLIN", 2024, keep them so, too). A producer fills one ring; warpgroups
 * take its stages in turn, each sums its own, and the first adds the sums of the others. The zero is subtracted before the
 * product and the scale multiplied behind it, where it costs as much as A has rows. */
#include "body/body.h"
#include "synth/weights/weights.h"

#include <stdio.h>

/* Registers of a thread by the number of warpgroups that multiply: at launch, and theirs. */
static const struct {
    uint32_t launch, consumer;
} budgets[] = {[1] = {240, 256}, [2] = {168, 240}, [3] = {128, 160}, [4] = {96, 112}};

void zl_weights_memory_put(zl_text *out, const zlay_weights_plan *p)
{
    zlay_move_summary info = {0};
    uint32_t s = p->info.stages;
    for (uint32_t i = 0; i < p->moves_count; i++) {
        zlay_move_info(&info, p->moves[i].move);
        zl_putf(out, "move %s %llu\n", p->moves[i].name, (unsigned long long)info.bytes);
    }
    for (uint32_t i = 0; i < zl_weights_halves(p); i++) zl_putf(out, "smem X%u[%u] tX%u\n", i, s, i);
    zl_putf(out, "smem Q[%u] tQ\nsmem S[%u] tS\n", s, s);
    if (p->ask.zeros) zl_putf(out, "smem Z[%u] tZ\n", s);
    zl_puts(out, "smem D[1] tD\n");
}

static void put_memory(zl_text *out, const zlay_weights_plan *p)
{
    uint32_t s = p->info.stages, groups = p->info.warpgroups;
    zl_weights_memory_put(out, p);
    for (uint32_t i = 1; i < groups; i++)
        zl_putf(out, "smem R%u[1] %u\n", i, ZL_WEIGHTS_N * p->info.tile_m * 4);
    zl_putf(out, "bar full[%u] count 1\nbar empty[%u] count %u\n", s, s, 4 * p->info.cluster);
    if (groups > 1) zl_putf(out, "bar summed[1] count %u\n", 4 * (groups - 1));
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* What is subtracted from the numbers that `dequant` makes of the weights: the zero, and what a biased conversion adds. */
void zl_weights_zero_put(zl_text *out, const zlay_weights_plan *p)
{
    const char *type = zlay_type_name(p->ask.type);
    zl_putf(out, "body zero\n  row z %s\n  shared Z %s\n  z = load(Z, row)", type, type);
    if (zlay_type_bits(p->ask.weights) == 4) zl_putf(out, " + %u", zl_biased(p->ask.weights, p->ask.type));
    zl_puts(out, "\nend\n");
}

/* Whole numbers of both are exact in both types, and so is their difference. */
void zl_weights_dequant_put(zl_text *out, const zlay_weights_plan *p, uint32_t half)
{
    const char *type = zlay_type_name(p->ask.type);
    bool biased = p->ask.zeros && zlay_type_bits(p->ask.weights) == 4;
    zl_putf(out, "body dequant%u\n%s  matrix W %s\n", half, p->tmem ? "  matrix M f32\n" : "", type);
    if (p->ask.zeros) zl_putf(out, "  row z %s\n", type);
    zl_putf(out, "  shared Q %s\n  W = %s%s(load(Q, row, col + %u))%s\nend\n", zlay_type_name(p->ask.weights), type,
            biased ? ".biased" : "", half * ZL_WEIGHTS_HALF, p->ask.zeros ? " - z" : "");
}

/* A weight of blocks is multiplied by its scale, of which both are exact. That of e2m1 is 2^-126 times its number, of f16 2^-14
 * times, and the scale as many times greater as the type allows: the rest is what `undo` gives the sums. */
static const struct fold {
    int32_t scales, type;
    const char *scale, *undo;
} folds[] = {
    {ZLAY_TYPE_UE8M0, ZLAY_TYPE_BF16, "bf16.scaled(%s)", "1.84467440737096e19"},
    {ZLAY_TYPE_E4M3, ZLAY_TYPE_BF16, "bf16(f32(%s) * 3.32306998946229e35)", "256"},
    {ZLAY_TYPE_E4M3, ZLAY_TYPE_F16, "f16(%s) * 128", "128"},
};

static const struct fold *fold_of(const zlay_weights_plan *p)
{
    if (p->ask.weights != ZLAY_TYPE_E2M1) return NULL;
    const struct fold *f = folds;
    while (f->scales != p->scales || f->type != p->ask.type) f++;
    return f;
}

static void put_blocks(zl_text *out, const zlay_weights_plan *p, uint32_t half)
{
    char load[48], scale[96];
    const char *type = zlay_type_name(p->ask.type);
    const struct fold *f = fold_of(p);
    uint32_t first = half * ZL_WEIGHTS_HALF;
    snprintf(load, sizeof load, "load(S, row, col + %u)", first);
    snprintf(scale, sizeof scale, f ? f->scale : "bf16(%s)", load);
    zl_putf(out, "body dequant%u\n  matrix W %s\n  shared Q %s\n  shared S %s\n", half, type, zlay_type_name(p->ask.weights),
            zlay_type_name(p->scales));
    zl_putf(out, "  W = %s%s(load(Q, row, col + %u)) * (%s)\nend\n", type, f ? ".scaled" : "", first, scale);
}

static void put_finish(zl_text *out, const zlay_weights_plan *p)
{
    const char *type = zlay_type_name(p->ask.type);
    const struct fold *f = fold_of(p);
    bool factor = zl_weights_blocks(p) && p->scales == ZLAY_TYPE_E4M3;
    zl_putf(out, "body finish\n  matrix T f32\n  matrix E %s\n", type);
    for (uint32_t i = 1; i < p->info.warpgroups; i++) zl_putf(out, "  shared R%u f32\n", i);
    if (factor) zl_puts(out, "  scalar factor f32\n");
    zl_putf(out, "  E = %s(%sT", type, f ? "(" : "");
    for (uint32_t i = 1; i < p->info.warpgroups; i++) zl_putf(out, " + load(R%u, row, col)", i);
    if (f) zl_putf(out, ") * %s", f->undo);
    zl_putf(out, "%s)\nend\n", factor ? " * factor" : "");
}

static void put_scale(zl_text *out, const zlay_weights_plan *p)
{
    zl_putf(out, "body scale\n  row a f32\n  shared S %s\n  a = f32(load(S, row))\nend\n",
            zlay_type_name(p->ask.type));
    zl_puts(out, "body promote\n  matrix T f32\n  matrix C f32\n  row a f32\n  T = fma(C, a, T)\nend\n");
}

static void put_bodies(zl_text *out, const zlay_weights_plan *p)
{
    zl_puts(out, "body begin\n  matrix T f32\n  T = 0\nend\n");
    if (p->ask.zeros) zl_weights_zero_put(out, p);
    for (uint32_t i = 0; i < zl_weights_halves(p); i++) (zl_weights_blocks(p) ? put_blocks : zl_weights_dequant_put)(out, p, i);
    if (!zl_weights_blocks(p)) put_scale(out, p);
    put_finish(out, p);
}

/* ---- roles ------------------------------------------------------------------------------------ */

void zl_weights_copies_put(zl_text *out, const zlay_weights_plan *p, uint32_t rank)
{
    static const char letters[] = "QSZ";
    uint32_t s = p->info.stages, count = p->ask.zeros ? 3 : 2;
    zl_putf(out, "    wait empty[i %% %u] parity (i / %u + 1) %% 2\n    expect full[i %% %u] %u*tX0 + tQ + tS%s\n",
            s, s, s, zl_weights_halves(p), p->ask.zeros ? " + tZ" : "");
    zl_putf(out, "    arrive full[i %% %u]\n", s);
    for (uint32_t i = 0; i < zl_weights_halves(p); i++)
        if (p->info.cluster == 1 || i == rank)
            zl_putf(out, "    copy tensor tX%u -> X%u[i %% %u] signal full[i %% %u]%s\n", i, i, s, s,
                    p->info.cluster > 1 ? " multicast 3" : "");
    for (uint32_t i = 0; i < count; i++)
        zl_putf(out, "    copy tensor t%c -> %c[i %% %u] signal full[i %% %u]\n", letters[i], letters[i], s, s);
}

/* In a cluster a producer stays until the other block has left its last stages: a barrier must outlive its last arrival. */
static void put_producer(zl_text *out, const zlay_weights_plan *p, uint32_t rank)
{
    uint32_t s = p->info.stages;
    if (p->info.cluster == 1) zl_puts(out, "role producer warps 0..3 elect\n");
    else zl_putf(out, "role producer%u warps 0..3 elect cta %u\n", rank, rank);
    zl_puts(out, "  setmaxnreg dec 24\n  for i in 0..N\n");
    zl_weights_copies_put(out, p, rank);
    zl_puts(out, "  end\n");
    if (p->info.cluster > 1)
        zl_putf(out, "  for j in N..N+%u\n    wait empty[j %% %u] parity (j / %u + 1) %% 2\n  end\n", s, s, s);
    zl_puts(out, "end\n");
}

/* The weights of half a step become numbers while the half before it is multiplied. */
static void put_half(zl_text *out, const zlay_weights_plan *p, uint32_t half)
{
    uint32_t s = p->info.stages;
    bool blocks = zl_weights_blocks(p);
    zl_putf(out, "    use W%u%s body dequant%u reads Q[i %% %u]", half, p->ask.zeros ? ", z" : "", half, s);
    if (blocks) zl_putf(out, ", S[i %% %u]", s);
    zl_putf(out, "\n    fence wgmma\n    mma W%u, X%u[i %% %u] -> %s\n    commit wgmma\n", half, half, s,
            blocks ? "T" : half ? "C" : "C fresh");
}

/* Every so many-th step, from the warpgroup's own number on. */
static void put_steps(zl_text *out, const zlay_weights_plan *p, uint32_t number)
{
    uint32_t s = p->info.stages;
    zl_putf(out, "  use T body begin\n  for i in %u..N step %u\n", number, p->info.warpgroups);
    zl_putf(out, "    wait full[i %% %u] parity i / %u %% 2\n", s, s);
    if (p->ask.zeros) zl_putf(out, "    use z body zero reads Z[i %% %u]\n", s);
    for (uint32_t half = 0; half < zl_weights_halves(p); half++) put_half(out, p, half);
    if (!zl_weights_blocks(p)) zl_putf(out, "    use a body scale reads S[i %% %u]\n", s);
    zl_putf(out, "    waitgroup wgmma 0\n    sync warp\n    arrive empty[i %% %u] warps%s\n%s  end\n", s,
            p->info.cluster > 1 ? " cta all" : "", zl_weights_blocks(p) ? "" : "    use T, C, a body promote\n");
}

static void put_result(zl_text *out, const zlay_weights_plan *p)
{
    if (p->info.warpgroups > 1) zl_puts(out, "  wait summed[0] parity 0 / 1 % 2\n");
    zl_puts(out, "  use T, E body finish");
    for (uint32_t i = 1; i < p->info.warpgroups; i++) zl_putf(out, "%s R%u[0]", i > 1 ? "," : " reads", i);
    zl_puts(out, "\n  write D[0] from E\n  fence proxy.async\n  sync role\n  store D[0] tD\n  commit bulk\n"
                 "  waitgroup bulk 0\n");
}

static void put_consumer(zl_text *out, const zlay_weights_plan *p, uint32_t number)
{
    zl_putf(out, "role part%u warps %u..%u\n  setmaxnreg inc %u\n", number, 4 + 4 * number, 7 + 4 * number,
            budgets[p->info.warpgroups].consumer);
    put_steps(out, p, number);
    if (!number) put_result(out, p);
    else zl_putf(out, "  write R%u[0] from T\n  sync warp\n  arrive summed[0] warps\n", number);
    zl_puts(out, "end\n");
}

/* Producers stand last: ptxas takes the last role of a kernel for one whose warps may be apart, and keeps no descriptors of
 * products in uniform registers there, which costs a step 32 instructions. */
void zl_weights_pipe_put(zl_text *out, const void *plan)
{
    const zlay_weights_plan *p = plan;
    uint32_t blocks = p->info.cluster;
    zl_putf(out, "pipe weights\n%sregisters %u\nparam N 1..\n", blocks > 1 ? "cluster 2\n" : "",
            budgets[p->info.warpgroups].launch);
    put_memory(out, p);
    put_bodies(out, p);
    zl_putf(out, "init full\ninit empty\n%sfence mbarrier_init\nsync %s\n",
            p->info.warpgroups > 1 ? "init summed\n" : "", blocks > 1 ? "cluster" : "cta");
    for (uint32_t i = 0; i < p->info.warpgroups; i++) put_consumer(out, p, i);
    for (uint32_t rank = 0; rank < blocks; rank++) put_producer(out, p, rank);
}
