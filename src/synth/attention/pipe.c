/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of attention forward. A producer fills rings of keys and values; one to three
 * warpgroups have 64 queries each. With the overlap a warpgroup issues the scores of tile i before
 * the product of tile i - 1 with the values, and computes the softmax of i while that product runs
 * (the overlap inside a warpgroup of Shah et al., "FlashAttention-3", 2024, section 3.2); without,
 * the other warpgroups' products run beside it. Tiles of keys go from the last to the first, so
 * masked tiles come first. */
#include "base/arith.h"
#include "synth/attention/attention.h"

#include <stdio.h>

typedef const zlay_attention_plan plan_t;

static uint32_t instances(plan_t *p)
{
    return p->info.tile_m / p->rows;
}

/* ---- declarations ------------------------------------------------------------------------ */

void zl_attention_moves_put(zl_text *out, plan_t *p)
{
    zlay_move_summary info = {0};
    for (uint32_t i = 0; i < p->moves_count; i++) {
        zlay_move_info(&info, p->moves[i].move);
        zl_putf(out, "move %s %llu\n", p->moves[i].name, (unsigned long long)info.bytes);
    }
}

static bool at_once(plan_t *p) { return zl_attention_at_once(p, p->info.tile_n); }

void zl_attention_buffers_put(zl_text *out, plan_t *p)
{
    zl_putf(out, "smem D[%u] tO0 each\n", at_once(p) ? 2 : 1);
    if (p->ask.lse) zl_puts(out, "smem L[1] tL each\n");
}

void zl_attention_memory_put(zl_text *out, plan_t *p)
{
    for (uint32_t c = 0; c < p->panels; c++) zl_putf(out, "smem Q%u[1] tQ%u\n", c, c);
    for (uint32_t c = 0; c < p->panels; c++)
        zl_putf(out, "smem K%u[%u] tK%u\n", c, p->info.stages, c);
    zl_putf(out, "smem V[%u] tV\n", p->info.stages);
}

static void put_barriers(zl_text *out, plan_t *p)
{
    uint32_t s = p->info.stages, warps = 4 * instances(p);
    zl_puts(out, "bar ready[1] count 1\n");
    if (p->ask.sequences) zl_putf(out, "bar emptyQ[1] count %u\n", warps);
    zl_putf(out, "bar fullK[%u] count 1\nbar emptyK[%u] count %u\n", s, s, warps);
    zl_putf(out, "bar fullV[%u] count 1\nbar emptyV[%u] count %u\n", s, s, warps);
}

/* ---- positions ---------------------------------------------------------------------------------- */

/* Where a tile of queries stands in its ring of one, and where its tiles of keys do: of a block's only tile, or of tile t of those
 * that it is dealt. */
typedef struct positions {
    const char *query, *first, *last, *all, *others;
} positions;

static const positions *positions_of(plan_t *p)
{
    static const positions only = {"0", "0", "(N - 1)", "0..N", "1..N"}, dealt = {"t % 1", "t*N", "(t*N + N - 1)", "t*N..t*N+N", "t*N+1..t*N+N"};
    return p->ask.sequences ? &dealt : &only;
}

/* ---- roles -------------------------------------------------------------------------------------- */

static void put_expected(zl_text *out, plan_t *p, const char *tensor)
{
    for (uint32_t c = 0; c < p->panels; c++) zl_putf(out, "%st%s%u", c ? " + " : " ", tensor, c);
    zl_puts(out, "\n");
}

/* The tile of queries, once its stage is free. */
static void put_queries(zl_text *out, plan_t *p)
{
    const char *at = positions_of(p)->query;
    if (p->ask.sequences) zl_puts(out, "  wait emptyQ[t % 1] parity (t / 1 + 1) % 2\n");
    zl_putf(out, "  expect ready[%s]", at);
    put_expected(out, p, "Q");
    zl_putf(out, "  arrive ready[%s]\n", at);
    for (uint32_t c = 0; c < p->panels; c++)
        zl_putf(out, "  copy tensor tQ%u -> Q%u[%s] signal ready[%s]\n", c, c, at, at);
}

void zl_attention_copies_put(zl_text *out, plan_t *p)
{
    uint32_t s = p->info.stages;
    if (p->ask.sequences) zl_puts(out, "  for t in 0..T\n");
    put_queries(out, p);
    zl_putf(out, "  for i in %s\n    wait emptyK[i %% %u] parity (i / %u + 1) %% 2\n", positions_of(p)->all, s, s);
    zl_putf(out, "    expect fullK[i %% %u]", s);
    put_expected(out, p, "K");
    zl_putf(out, "    arrive fullK[i %% %u]\n", s);
    for (uint32_t c = 0; c < p->panels; c++)
        zl_putf(out, "    copy tensor tK%u -> K%u[i %% %u] signal fullK[i %% %u]\n", c, c, s, s);
    zl_putf(out, "    wait emptyV[i %% %u] parity (i / %u + 1) %% 2\n", s, s);
    zl_putf(out, "    expect fullV[i %% %u] tV\n    arrive fullV[i %% %u]\n", s, s);
    zl_putf(out, "    copy tensor tV -> V[i %% %u] signal fullV[i %% %u]\n  end\n%s", s, s, p->ask.sequences ? "  end\n" : "");
}

/* The scores of the tile at a position: products over the panels of a row. */
static void put_scores(zl_text *out, plan_t *p, const char *indent, const char *at)
{
    uint32_t s = p->info.stages;
    zl_putf(out, "%swait fullK[%s %% %u] parity %s / %u %% 2\n%sfence wgmma\n", indent, at, s, at,
            s, indent);
    for (uint32_t c = 0; c < p->panels; c++)
        zl_putf(out, "%smma Q%u[%s], K%u[%s %% %u] -> S%s\n", indent, c, positions_of(p)->query, c, at, s,
                c ? "" : " fresh");
    zl_putf(out, "%scommit wgmma\n", indent);
}

static void put_values(zl_text *out, plan_t *p, const char *indent, const char *at)
{
    uint32_t s = p->info.stages;
    zl_putf(out, "%swait fullV[%s %% %u] parity %s / %u %% 2\n", indent, at, s, at, s);
    zl_putf(out, "%sfence wgmma\n", indent);
    zl_putf(out, "%smma P, V[%s %% %u] -> O\n%scommit wgmma\n", indent, at, s, indent);
}

/* The tile of queries has been read. */
static void put_freed(zl_text *out, plan_t *p)
{
    if (p->ask.sequences) zl_puts(out, "  arrive emptyQ[t % 1] warps\n");
}

/* Without overlap: one product after the other. */
static void put_turns(zl_text *out, plan_t *p)
{
    uint32_t s = p->info.stages;
    zl_putf(out, "  for i in %s\n", positions_of(p)->all);
    put_scores(out, p, "    ", "i");
    zl_putf(out, "    waitgroup wgmma 0\n    arrive emptyK[i %% %u] warps\n", s);
    zl_attention_softmax_put(out, p, "    ", "i");
    zl_puts(out, "    use O, a body rescale\n    use S, P body narrow\n");
    put_values(out, p, "    ", "i");
    zl_putf(out, "    waitgroup wgmma 0\n    arrive emptyV[i %% %u] warps\n  end\n", s);
    put_freed(out, p);
}

static void put_loop(zl_text *out, plan_t *p)
{
    uint32_t s = p->info.stages;
    zl_putf(out, "  for i in %s\n", positions_of(p)->others);
    put_scores(out, p, "    ", "i");
    put_values(out, p, "    ", "(i - 1)");
    zl_putf(out, "    waitgroup wgmma 1\n    arrive emptyK[i %% %u] warps\n", s);
    zl_attention_softmax_put(out, p, "    ", "i");
    zl_putf(out, "    waitgroup wgmma 0\n    arrive emptyV[(i - 1) %% %u] warps\n", s);
    zl_puts(out, "    use O, a body rescale\n    use S, P body narrow\n  end\n");
}

/* The scores of the first tile, the loop, the product of the last one. */
static void put_overlap(zl_text *out, plan_t *p)
{
    uint32_t s = p->info.stages;
    const positions *at = positions_of(p);
    put_scores(out, p, "  ", at->first);
    zl_putf(out, "  waitgroup wgmma 0\n  arrive emptyK[%s %% %u] warps\n", at->first, s);
    zl_attention_softmax_put(out, p, "  ", "0");
    zl_puts(out, "  use S, P body narrow\n");
    put_loop(out, p);
    put_freed(out, p);
    put_values(out, p, "  ", at->last);
    zl_putf(out, "  waitgroup wgmma 0\n  arrive emptyV[%s %% %u] warps\n", at->last, s);
}

/* Panel after panel through one buffer, which is written again when its copy has read it; the
 * log-sum-exp leaves with the first. */
void zl_attention_panel_put(zl_text *out, plan_t *p, const char *from, uint32_t c)
{
    bool lse = p->ask.lse && !c;
    if (c || p->ask.sequences) zl_puts(out, "  waitgroup bulk.read 0\n  sync role\n");
    zl_putf(out, "  write D[0] from %s part %u\n%s", from, c, lse ? "  write L[0] from lse\n" : "");
    zl_putf(out, "  fence proxy.async\n  sync role\n  store D[0] tO%u part %u\n%s", c, c,
            lse ? "  store L[0] tL\n" : "");
    zl_puts(out, "  commit bulk\n");
}

static void put_at_once(zl_text *out)
{
    zl_puts(out, "  waitgroup bulk.read 0\n  sync role\n  write D[0] from R\n  write D[1] from R part 1\n"
                 "  fence proxy.async\n  sync role\n  store D[0] tO0\n  store D[1] tO1 part 1\n  commit bulk\n");
}

void zl_attention_result_put(zl_text *out, plan_t *p)
{
    uint32_t panels = at_once(p) ? 0 : zl_attention_leaves(p);
    if (at_once(p)) put_at_once(out);
    for (uint32_t c = 0; c < panels; c++) zl_attention_panel_put(out, p, p->split ? "O" : "R", c);
    if (p->ask.sequences) zl_puts(out, "  end\n");
    zl_puts(out, "  waitgroup bulk.read 0\n");
}

void zl_attention_finish_put(zl_text *out, plan_t *p)
{
    zl_putf(out, ", l%s%s body finish%s\n", p->ask.sinks || p->ask.lse ? ", m" : "", p->ask.lse ? ", lse" : "",
            p->ask.sinks ? " at block.y" : "");
}

static void put_consumer(zl_text *out, plan_t *p)
{
    uint32_t n = instances(p);
    zl_putf(out, "role consumer warps 4..%u each 4\n  setmaxnreg inc %u\n", 3 + 4 * n,
            zl_attention_budgets[n].consumer);
    if (p->ask.sequences) zl_puts(out, "  for t in 0..T\n  wait ready[t % 1] parity t / 1 % 2\n  use O, m, l body begin\n");
    else zl_puts(out, "  use O, m, l body begin\n  wait ready[0] parity 0 / 1 % 2\n");
    if (p->overlap) put_overlap(out, p);
    else put_turns(out, p);
    zl_puts(out, p->split ? "  use O" : "  use O, R");
    zl_attention_finish_put(out, p);
    zl_attention_result_put(out, p);
    zl_puts(out, "end\n");
}

void zl_attention_pipe_put(zl_text *out, const void *plan)
{
    plan_t *p = plan;
    zl_putf(out, "pipe attention\nregisters %u\n%s\n", zl_attention_budgets[instances(p)].launch, p->ask.sequences ? "param T 0..\nparam N 1.. of T" : "param N 1..");
    zl_attention_moves_put(out, p);
    zl_attention_memory_put(out, p);
    zl_attention_buffers_put(out, p);
    put_barriers(out, p);
    zl_attention_bodies_put(out, p);
    if (p->ask.sequences) zl_puts(out, "init emptyQ\n");
    zl_puts(out, "init ready\ninit fullK\ninit emptyK\ninit fullV\ninit emptyV\n"
                 "fence mbarrier_init\nsync cta\n");
    zl_puts(out, "role producer warps 0..3 elect\n  setmaxnreg dec 24\n");
    zl_attention_copies_put(out, p);
    zl_puts(out, "end\n");
    put_consumer(out, p);
}
