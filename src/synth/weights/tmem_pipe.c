/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of a product with weights of 4 or 8 bits by tcgen05, which reads both factors from shared memory or the first from
 * tensor memory. A warpgroup makes numbers of a step's weights, each thread of those that it has in a product of wgmma, and writes
 * them to a second ring; one thread issues the product of a step, and another warpgroup reads its sums, a row of D a thread, and adds
 * them times their columns' scales. The rows of A are the first factor, 128 of them, of which those past the last are 0. */
#include "synth/weights/weights.h"

enum { WARPS = 4 };

static void put_memory(zl_text *out, const zlay_weights_plan *p)
{
    uint32_t s = p->info.stages;
    zl_weights_memory_put(out, p);
    for (uint32_t i = 0; i < zl_weights_halves(p); i++) zl_putf(out, "smem V%u[2] %d\n", i, ZL_WEIGHTS_N * ZL_WEIGHTS_HALF * 2);
    zl_putf(out, "tmem C[2] %d\n", ZL_WEIGHTS_N);
    zl_putf(out, "bar full[%u] count 1\nbar empty[%u] count %d\n", s, s, 2 * WARPS + 1);
    zl_putf(out, "bar made[2] count %d\nbar used[2] count 1\n", WARPS);
    zl_putf(out, "bar summed[2] count 1\nbar taken[2] count %d\nbar over[1] count %d\n", WARPS, WARPS);
}

static void put_bodies(zl_text *out, const zlay_weights_plan *p)
{
    const char *type = zlay_type_name(p->ask.type);
    zl_puts(out, "body begin\n  matrix T f32\n  T = 0\nend\n");
    if (p->ask.zeros) zl_weights_zero_put(out, p);
    for (uint32_t i = 0; i < zl_weights_halves(p); i++) zl_weights_dequant_put(out, p, i);
    zl_putf(out, "body promote\n  matrix T f32\n  matrix P f32\n  shared S %s\n  T = fma(P, f32(load(S, col)), T)\nend\n", type);
    zl_putf(out, "body finish\n  matrix T f32\n  matrix E %s\n  E = %s(T)\nend\n", type, type);
}

/* The waits behind the copies are for the last arrivals: none may come when the block has gone. */
static void put_producer(zl_text *out, const zlay_weights_plan *p)
{
    uint32_t s = p->info.stages;
    zl_puts(out, "role producer warps 0..0 elect\n  for i in 0..N\n");
    zl_weights_copies_put(out, p, 0);
    zl_putf(out, "  end\n  for j in N..N+%u\n    wait empty[j %% %u] parity (j / %u + 1) %% 2\n  end\nend\n", s, s, s);
}

static void put_issuer(zl_text *out, const zlay_weights_plan *p)
{
    uint32_t s = p->info.stages;
    zl_putf(out, "role issuer warps 1..1 elect\n  for i in 0..N\n    wait full[i %% %u] parity i / %u %% 2\n", s, s);
    zl_puts(out, "    wait made[i % 2] parity i / 2 % 2\n    wait taken[i % 2] parity (i / 2 + 1) % 2\n    fence tcgen05.after\n");
    for (uint32_t i = 0; i < zl_weights_halves(p); i++)
        zl_putf(out, "    mma X%u[i %% %u], V%u[i %% 2] -> C[i %% 2]%s\n", i, s, i, i ? "" : " fresh");
    zl_putf(out, "    commit tcgen05 signal empty[i %% %u]\n    commit tcgen05 signal used[i %% 2]\n", s);
    zl_puts(out, "    commit tcgen05 signal summed[i % 2]\n  end\nend\n");
}

static void put_maker(zl_text *out, const zlay_weights_plan *p)
{
    uint32_t s = p->info.stages;
    zl_putf(out, "role maker warps 4..7\n  for i in 0..N\n    wait full[i %% %u] parity i / %u %% 2\n", s, s);
    zl_puts(out, "    wait used[i % 2] parity (i / 2 + 1) % 2\n");
    if (p->ask.zeros) zl_putf(out, "    use z body zero reads Z[i %% %u]\n", s);
    for (uint32_t i = 0; i < zl_weights_halves(p); i++)
        zl_putf(out, "    use M, W%u%s body dequant%u reads Q[i %% %u]\n    write V%u[i %% 2] from W%u\n", i,
                p->ask.zeros ? ", z" : "", i, s, i, i);
    zl_putf(out, "    fence proxy.async\n    sync warp\n    arrive made[i %% 2] warps\n    arrive empty[i %% %u] warps\n  end\n", s);
    zl_puts(out, "  for j in N..N+2\n    wait used[j % 2] parity (j / 2 + 1) % 2\n  end\nend\n");
}

static void put_reader(zl_text *out, const zlay_weights_plan *p)
{
    uint32_t s = p->info.stages;
    zl_puts(out, "role reader warps 8..11\n  use T body begin\n  for i in 0..N\n");
    zl_putf(out, "    wait full[i %% %u] parity i / %u %% 2\n", s, s);
    zl_puts(out, "    wait summed[i % 2] parity i / 2 % 2\n    fence tcgen05.after\n    tld C[i % 2] -> P\n    twait ld\n"
                 "    fence tcgen05.before\n    arrive taken[i % 2] warps\n");
    zl_putf(out, "    use T, P body promote reads S[i %% %u]\n    sync warp\n    arrive empty[i %% %u] warps\n  end\n", s, s);
    zl_puts(out, "  arrive over[0] warps\n  use T, E body finish\n  write D[0] from E\n  fence proxy.async\n  sync role\n"
                 "  store D[0] tD\n  commit bulk\n  waitgroup bulk 0\nend\n");
}

void zl_weights_tmem_pipe_put(zl_text *out, const void *plan)
{
    static const char *const bars[] = {"full", "empty", "made", "used", "summed", "taken", "over"};
    const zlay_weights_plan *p = plan;
    zl_puts(out, "pipe weights\nregisters 168\nparam N 1..\n");
    put_memory(out, p);
    put_bodies(out, p);
    for (size_t i = 0; i < ZL_COUNT(bars); i++) zl_putf(out, "init %s\n", bars[i]);
    zl_puts(out, "alloc C\nrelinquish\nfence mbarrier_init\nsync cta\n");
    put_producer(out, p);
    put_issuer(out, p);
    put_maker(out, p);
    put_reader(out, p);
    zl_puts(out, "role owner warps 3..3\n  wait over[0] parity 0 / 1 % 2\n  fence tcgen05.after\n  dealloc C\nend\n");
}
