/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the bodies of attention forward: the masks, one step of the online softmax (Milakov and Gimelshein, "Online normalizer
 * calculation for softmax", 2018), the result; and their uses on the scores of a tile. */
#include "base/arith.h"
#include "synth/attention/attention.h"

#include <stdio.h>

typedef const zlay_attention_plan plan_t;

static const char *type(plan_t *p)
{
    return zlay_type_name(p->ask.type);
}

/* Whether a row of a tile, or of all tiles of the block, may see no key. */
static bool may_see_none(plan_t *p)
{
    return p->ask.causal || zl_attention_differ(&p->ask) || p->split;
}

static bool may_be_empty(plan_t *p)
{
    return zl_attention_differ(&p->ask) || p->split;
}

/* Whether masks read how many rows the sequence has: where it has as many keys as queries, the diagonal ends with it. */
static bool reads_lengths(plan_t *p)
{
    return zl_attention_differ(&p->ask) && !(p->same && p->ask.causal);
}

/* Where the tiles of a block end. */
static const char *last(plan_t *p)
{
    return p->ask.window || p->split ? "block.last" : "N";
}

/* NAME = the rows of the block's sequence z. */
static void put_length(zl_text *out, plan_t *p, const char *name, bool queries)
{
    const char *array = zl_attention_lengths(p, queries);
    bool starts = (queries ? p->ask.q_lengths : p->ask.k_lengths) == ZLAY_LENGTHS_PACKED;
    if (starts) zl_putf(out, "  %s = load(%s, z + 1) - load(%s, z)\n", name, array, array);
    else if (array) zl_putf(out, "  %s = load(%s, z)\n", name, array);
}

/* The operands of a mask: what says how many keys there are and how far the diagonal is off, then
 * the indices: the block's tile of queries where the mask depends on it, the tile of keys from the
 * last down, where they end, and the sequence. */
static void put_operands(zl_text *out, plan_t *p, bool keys)
{
    bool lengths = reads_lengths(p);
    zl_puts(out, "  matrix S f32\n");
    if (!p->ask.k_lengths && (keys || lengths)) zl_puts(out, "  scalar keys s32\n");
    if (p->ask.causal && !lengths && !p->same) zl_puts(out, "  scalar offset s32\n");
    if (p->ask.k_lengths && lengths) zl_putf(out, "  global %s s32\n", zl_attention_lengths(p, false));
    if (p->ask.q_lengths && p->ask.causal && lengths) zl_putf(out, "  global %s s32\n", zl_attention_lengths(p, true));
    if (p->ask.causal) zl_puts(out, "  index q\n");
    zl_puts(out, "  index i\n  index last\n");
    if (lengths) zl_puts(out, "  index z\n");
}

/* k = the number of the key: of e4m3 the first half of a tile's rows are the first two of each four keys (moves.c); and where lengths differ, `keys` and `offset` of the sequence. */
static void put_key(zl_text *out, plan_t *p)
{
    uint32_t n = p->info.tile_n;
    if (zl_attention_bytes(&p->ask))
        zl_putf(out, "  k = select(col < %u, col * 2, col * 2 - %u) - and(col, 1) + (last - 1 - i) * %u\n", n / 2, n - 2, n);
    else zl_putf(out, "  k = col + (last - 1 - i) * %u\n", n);
    if (!reads_lengths(p)) return;
    put_length(out, p, "keys", false);
    if (!p->ask.causal) return;
    put_length(out, p, "queries", true);
    if (p->ask.q_lengths) zl_puts(out, "  offset = keys - queries\n");
    else zl_putf(out, "  offset = keys - %llu\n", (unsigned long long)zl_attention_queries(p));
}

/* The last key that a row sees, as a term: row r of the head is query r, or of a group query r / group. */
static void put_sees(char out[64], plan_t *p)
{
    if (p->same) snprintf(out, 64, "row + q * %u", p->info.tile_m);
    else if (p->group == 1) snprintf(out, 64, "row + (q * %u + offset)", p->info.tile_m);
    else snprintf(out, 64, "shr(row + q * %u, %u) + offset", p->info.tile_m, zl_log2(p->group));
}

static void put_window(zl_text *out, plan_t *p)
{
    char sees[64];
    zl_puts(out, "body window\n");
    put_operands(out, p, false);
    put_key(out, p);
    put_sees(sees, p);
    zl_putf(out, "  S = select(k > %s - %llu, S, -inf)\nend\n", sees, (unsigned long long)p->ask.window);
}

static void put_mask(zl_text *out, plan_t *p)
{
    char sees[64];
    put_sees(sees, p);
    zl_puts(out, "body mask\n");
    put_operands(out, p, true);
    put_key(out, p);
    if (p->same && p->ask.causal) zl_putf(out, "  S = select(k <= %s, S, -inf)\nend\n", sees);
    else if (p->ask.causal) zl_putf(out, "  S = select(and(k <= %s, k < keys), S, -inf)\nend\n", sees);
    else zl_puts(out, "  S = select(k < keys, S, -inf)\nend\n");
}

/* One step of the online softmax. A row may see no key of its first tiles, or none at all: its
 * greatest score is then -inf, and 0 stands for it. */
static void put_step(zl_text *out, plan_t *p)
{
    const char *top = may_see_none(p) ? "ref" : "top";
    zl_puts(out, "body softmax\n  matrix S f32\n  row m f32\n  part l f32\n  row a f32\n"
                 "  scalar scale f32\n  top = max(m, rowmax(S))\n");
    if (may_see_none(p)) zl_puts(out, "  ref = select(top == -inf, 0, top)\n");
    zl_putf(out, "  a = exp2((m - %s) * scale)\n", top);
    if (zl_attention_bytes(&p->ask))
        zl_putf(out, "  S = exp2(fma(S, scale, %d - %s * scale))\n", ZL_ATTENTION_PEAK, top);
    else zl_putf(out, "  S = exp2(fma(S, scale, -(%s * scale)))\n", top);
    zl_puts(out, "  l = l * a + partsum(S)\n  m = top\nend\n");
}

/* The sum of a row, as the multiple `sum` of 2^top, and the result's factor. A sink is a score without a
 * value: it joins the sum alone, and `top` is the greater of it and the greatest score. The result
 * of a row that sees no key is 0. */
static void put_sum(zl_text *out, plan_t *p)
{
    const char *top = may_be_empty(p) && p->ask.sinks ? "ref" : "top", *own = "m * scale";
    if (zl_attention_bytes(&p->ask) && (p->ask.sinks || p->ask.lse)) {
        zl_putf(out, "  own = m * scale - %d\n", ZL_ATTENTION_PEAK);
        own = "own";
    }
    if (p->ask.sinks) zl_putf(out, "  sink = load(sinks, head) * 1.44269504\n  top = max(%s, sink)\n", own);
    else if (p->ask.lse) zl_putf(out, "  top = %s\n", own);
    if (*top == 'r') zl_puts(out, "  ref = select(top == -inf, 0, top)\n");
    if (p->ask.sinks)
        zl_putf(out, "  a = exp2(%s - %s)\n  sum = lanesum(l) * a + exp2(sink - %s)\n", own, top, top);
    else zl_puts(out, "  sum = lanesum(l)\n");
    zl_putf(out, may_be_empty(p) ? "  by = select(sum == 0, 0, rcp(sum))\n" : "  by = rcp(sum)\n");
    if (zl_attention_bytes(&p->ask)) zl_puts(out, "  by = by * v_scale\n");
}

/* The result, of the sums O and the factor of their row. */
static void put_scaled(zl_text *out, plan_t *p, const char *by)
{
    if (p->split) zl_putf(out, "  O = O * %s\n", by);
    else zl_putf(out, "  R = %s(O * %s)\n", zlay_type_name(p->out.type), by);
}

/* The operands of what makes the result of sums. */
static void put_result(zl_text *out, plan_t *p)
{
    zl_puts(out, "  matrix O f32\n");
    if (!p->split) zl_putf(out, "  matrix R %s\n", zlay_type_name(p->out.type));
}

static void put_finish(zl_text *out, plan_t *p)
{
    zl_puts(out, "body finish\n");
    if (p->tmem) zl_puts(out, "  matrix S f32\n  row by f32\n");
    else put_result(out, p);
    zl_puts(out, "  part l f32\n");
    if (p->ask.sinks || p->ask.lse) zl_puts(out, "  row m f32\n  scalar scale f32\n");
    if (zl_attention_bytes(&p->ask)) zl_puts(out, "  scalar v_scale f32\n");
    if (p->ask.sinks) zl_puts(out, "  global sinks f32\n  index head\n");
    if (p->ask.lse) zl_puts(out, "  row lse f32\n");
    put_sum(out, p);
    if (!p->tmem) put_scaled(out, p, p->ask.sinks ? "(a * by)" : "by");
    else if (p->ask.sinks) zl_puts(out, "  by = a * by\n");
    if (p->ask.lse) zl_puts(out, "  lse = (top + log2(sum)) * 0.693147181\n");
    zl_puts(out, "end\n");
}

/* In tensor memory the result is read a panel at a time. */
static void put_leave(zl_text *out, plan_t *p)
{
    zl_puts(out, "body leave\n");
    put_result(out, p);
    zl_puts(out, "  row by f32\n");
    put_scaled(out, p, "by");
    zl_puts(out, "end\n");
}

void zl_attention_bodies_put(zl_text *out, plan_t *p)
{
    zl_putf(out, "body begin\n  matrix %s f32\n  row m f32\n  part l f32\n%s  m = -inf\n  l = 0\nend\n",
            p->tmem ? "S" : "O", p->tmem ? "" : "  O = 0\n");
    if (p->ask.soft_cap)
        zl_puts(out, "body cap\n  matrix S f32\n  scalar inner f32\n  S = tanh(S * inner)\nend\n");
    put_mask(out, p);
    if (p->ask.window) put_window(out, p);
    put_step(out, p);
    zl_putf(out, "body narrow\n  matrix S f32\n  matrix P %s\n  P = %s(S)\nend\n", type(p),
            type(p));
    zl_puts(out, "body rescale\n  matrix O f32\n  row a f32\n  O = O * a\nend\n");
    put_finish(out, p);
    if (p->tmem) put_leave(out, p);
}

/* ---- their use ---------------------------------------------------------------------------------- */

/* The window begins in the last tiles. */
static void put_last(zl_text *out, plan_t *p, const char *indent, const char *at)
{
    if (!p->ask.window) return;
    zl_putf(out, "%suse S body window at block, %s, %s%s when N < ", indent, at, last(p),
            zl_attention_differ(&p->ask) ? ", block.z" : "");
    if (*at == '0') zl_putf(out, "%u\n", p->masked_last + 1);
    else zl_putf(out, "%s + %u\n", at, p->masked_last + 1);
}

/* The number of the tile of keys in its tile of queries, and whether it is among the first: of tiles that are dealt i counts on. */
static void put_masked(zl_text *out, plan_t *p, const char *at)
{
    bool on = p->ask.sequences && *at == 'i';
    zl_putf(out, "%s%s, %s%s when %s < %s%u\n", at, on ? " % N" : "", last(p), reads_lengths(p) ? ", block.z" : "", at,
            on ? "t*N + " : "", p->masked);
}

void zl_attention_softmax_put(zl_text *out, plan_t *p, const char *indent, const char *at)
{
    if (p->ask.soft_cap) zl_putf(out, "%suse S body cap\n", indent);
    zl_putf(out, "%suse S body mask at %s", indent, p->ask.causal ? "block, " : "");
    put_masked(out, p, at);
    put_last(out, p, indent, at);
    zl_putf(out, "%suse S, m, l, a body softmax\n", indent);
}
