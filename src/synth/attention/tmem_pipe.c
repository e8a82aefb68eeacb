/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of attention forward by tcgen05. A block has 128 queries, a lane of tensor memory each. One thread issues
 * the scores Q K^T, in turns into two stages, another the products of the weights with the values. A warpgroup reads the
 * scores, a row a thread, computes the softmax, and writes the weights to tensor memory, from where the product reads them.
 * The sums of the result stand in tensor memory, too; before each product but the first the warpgroup multiplies them by the
 * factor that the greater maximum asks for (the "correction" of Shah et al., "FlashAttention-3", 2024, algorithm 1). */
#include "synth/attention/attention.h"

#include <stdio.h>

enum { WARPS = 4 /* that read and write tensor memory */, COLUMNS = ZL_ATTENTION_COLUMNS };

typedef const zlay_attention_plan plan_t;

/* ---- declarations ------------------------------------------------------------------------- */

/* An allocation is no larger than the one before. */
static void put_allocations(zl_text *out, plan_t *p)
{
    bool scores = 2 * p->info.tile_n >= p->ask.head;
    zl_putf(out, "alloc %s\nalloc %s\nalloc TP\nrelinquish\n", scores ? "TS" : "TO", scores ? "TO" : "TS");
}

static void put_tensor_memory(zl_text *out, plan_t *p)
{
    zl_putf(out, "tmem TS[2] %u\ntmem TO[1] %u\ntmem TP[1] %u\n", p->info.tile_n, p->ask.head, p->info.tile_n / 2);
}

static void put_barriers(zl_text *out, plan_t *p)
{
    uint32_t s = p->info.stages;
    zl_puts(out, "bar ready[1] count 1\n");
    zl_putf(out, "bar fullK[%u] count 1\nbar emptyK[%u] count 1\n", s, s);
    zl_putf(out, "bar fullV[%u] count 1\nbar emptyV[%u] count 1\n", s, s);
    zl_putf(out, "bar scored[2] count 1\nbar taken[2] count %d\n", WARPS);
    zl_putf(out, "bar weighted[1] count %d\nbar valued[1] count 1\nbar over[1] count %d\n", WARPS, WARPS);
}

static void put_setup(zl_text *out, plan_t *p)
{
    static const char *const bars[] = {"ready",  "fullK", "emptyK",   "fullV",  "emptyV",
                                       "scored", "taken", "weighted", "valued", "over"};
    for (size_t i = 0; i < ZL_COUNT(bars); i++) zl_putf(out, "init %s\n", bars[i]);
    put_allocations(out, p);
    zl_puts(out, "fence mbarrier_init\nsync cta\n");
}

/* ---- roles ---------------------------------------------------------------------------------- */

/* The waits behind the copies are for the commits of the last stages: no arrival may come when the block has gone. */
static void put_producer(zl_text *out, plan_t *p)
{
    uint32_t s = p->info.stages;
    zl_puts(out, "role producer warps 0..0 elect\n");
    zl_attention_copies_put(out, p);
    zl_putf(out, "  for j in N..N+%u\n    wait emptyK[j %% %u] parity (j / %u + 1) %% 2\n", s, s, s);
    zl_putf(out, "    wait emptyV[j %% %u] parity (j / %u + 1) %% 2\n  end\nend\n", s, s);
}

static void put_scorer(zl_text *out, plan_t *p)
{
    uint32_t s = p->info.stages;
    zl_puts(out, "role scorer warps 1..1 elect\n  wait ready[0] parity 0 / 1 % 2\n  for i in 0..N\n");
    zl_putf(out, "    wait fullK[i %% %u] parity i / %u %% 2\n", s, s);
    zl_puts(out, "    wait taken[i % 2] parity (i / 2 + 1) % 2\n    fence tcgen05.after\n");
    for (uint32_t c = 0; c < p->panels; c++)
        zl_putf(out, "    mma Q%u[0], K%u[i %% %u] -> TS[i %% 2]%s\n", c, c, s, c ? "" : " fresh");
    zl_putf(out, "    commit tcgen05 signal emptyK[i %% %u]\n    commit tcgen05 signal scored[i %% 2]\n  end\nend\n", s);
}

/* The product of the weights of the tile at a position with its values. */
static void put_values(zl_text *out, plan_t *p, const char *indent, const char *at, const char *fresh)
{
    uint32_t s = p->info.stages;
    zl_putf(out, "%swait fullV[%s %% %u] parity %s / %u %% 2\n", indent, at, s, at, s);
    zl_putf(out, "%swait weighted[%s %% 1] parity %s / 1 %% 2\n%sfence tcgen05.after\n", indent, at, at, indent);
    zl_putf(out, "%smma TP[%s %% 1], V[%s %% %u] -> TO[0]%s\n", indent, at, at, s, fresh);
    zl_putf(out, "%scommit tcgen05 signal emptyV[%s %% %u]\n", indent, at, s);
    zl_putf(out, "%scommit tcgen05 signal valued[%s %% 1]\n", indent, at);
}

static void put_valuer(zl_text *out, plan_t *p)
{
    zl_puts(out, "role valuer warps 2..2 elect\n");
    put_values(out, p, "  ", "0", " fresh");
    zl_puts(out, "  for i in 1..N\n");
    put_values(out, p, "    ", "i", "");
    zl_puts(out, "  end\nend\n");
}

/* The scores leave tensor memory before anything is computed, so that those of the tile after the next can come. */
static void put_weights(zl_text *out, plan_t *p, const char *indent, const char *at)
{
    zl_putf(out, "%swait scored[%s %% 2] parity %s / 2 %% 2\n%sfence tcgen05.after\n", indent, at, at, indent);
    zl_putf(out, "%stld TS[%s %% 2] -> S\n%stwait ld\n", indent, at, indent);
    zl_putf(out, "%sfence tcgen05.before\n%sarrive taken[%s %% 2] warps\n", indent, indent, at);
    if (*at == '0') zl_putf(out, "%suse S, m, l body begin\n", indent);
    zl_attention_softmax_put(out, p, indent, at);
    zl_putf(out, "%suse S, P body narrow\n", indent);
}

static void put_weighted(zl_text *out, const char *indent, const char *at)
{
    zl_putf(out, "%stst P -> TP[%s %% 1]\n%stwait st\n", indent, at, indent);
    zl_putf(out, "%sfence tcgen05.before\n%sarrive weighted[%s %% 1] warps\n", indent, indent, at);
}

/* The product of a tile is over: its weights may be written over, and its sums read. */
static void put_valued(zl_text *out, const char *indent, const char *at)
{
    zl_putf(out, "%swait valued[%s %% 1] parity %s / 1 %% 2\n%sfence tcgen05.after\n", indent, at, at, indent);
}

/* 64 columns at a time. A store is waited for before the next load: the proof takes a stage of tensor memory as one. */
static void put_correction(zl_text *out, plan_t *p)
{
    for (uint32_t c = 0; c < p->panels; c++) {
        zl_putf(out, "    tld TO[0] columns %u..%u -> U%u\n    twait ld\n", c * COLUMNS, c * COLUMNS + COLUMNS - 1, c);
        zl_putf(out, "    use U%u, a body rescale\n", c);
        zl_putf(out, "    tst U%u -> TO[0] columns %u..%u\n", c, c * COLUMNS, c * COLUMNS + COLUMNS - 1);
        if (c + 1 < p->panels) zl_puts(out, "    twait st\n");
    }
}

static void put_leave(zl_text *out, plan_t *p, uint32_t c)
{
    char from[16];
    uint32_t first = c * p->out.columns, last = first + p->out.columns - 1;
    snprintf(from, sizeof from, "%c%u", p->split ? 'O' : 'R', c);
    zl_putf(out, "  tld TO[0] columns %u..%u -> O%u\n  twait ld\n", first, last, c);
    if (c + 1 == zl_attention_leaves(p)) zl_puts(out, "  fence tcgen05.before\n  arrive over[0] warps\n");
    zl_putf(out, "  use O%u%s%s, by body leave\n", c, p->split ? "" : ", ", p->split ? "" : from);
    zl_attention_panel_put(out, p, from, c);
}

static void put_reader(zl_text *out, plan_t *p)
{
    zl_puts(out, "role reader warps 4..7\n");
    put_weights(out, p, "  ", "0");
    put_weighted(out, "  ", "0");
    zl_puts(out, "  for i in 1..N\n");
    put_weights(out, p, "    ", "i");
    put_valued(out, "    ", "(i - 1)");
    put_correction(out, p);
    put_weighted(out, "    ", "i");
    zl_puts(out, "  end\n");
    put_valued(out, "  ", "(N - 1)");
    zl_puts(out, "  use S, by");
    zl_attention_finish_put(out, p);
    for (uint32_t c = 0; c < zl_attention_leaves(p); c++) put_leave(out, p, c);
    zl_puts(out, "  waitgroup bulk.read 0\nend\n");
}

void zl_attention_tmem_pipe_put(zl_text *out, const void *plan)
{
    plan_t *p = plan;
    zl_puts(out, "pipe attention\nparam N 1..\n");
    zl_attention_moves_put(out, p);
    zl_attention_memory_put(out, p);
    zl_attention_buffers_put(out, p);
    put_tensor_memory(out, p);
    put_barriers(out, p);
    zl_attention_bodies_put(out, p);
    put_setup(out, p);
    put_producer(out, p);
    put_scorer(out, p);
    put_valuer(out, p);
    put_reader(out, p);
    zl_puts(out, "role owner warps 3..3\n  wait over[0] parity 0 / 1 % 2\n  fence tcgen05.after\n"
                 "  dealloc TS\n  dealloc TO\n  dealloc TP\nend\n");
}
