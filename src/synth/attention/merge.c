/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe that merges the splits of attention: a warpgroup has 64 queries of a head, reads the result of each split
 * with its log-sum-exp, weighs it by exp(log-sum-exp - greatest), and divides by the sum of the weights (Dao et al.,
 * "Flash-Decoding", 2023). The greatest so far is kept and the sums are rescaled as in the online softmax. Its registers lie
 * as the sums of a product, so the result leaves as that of the other pipe. */
#include "base/arith.h"
#include "synth/attention/attention.h"

typedef const zlay_attention_plan plan_t;

#define LOG2E "1.44269504"
#define LN2 "0.693147181"

/* ref = 0 in the place of -inf, which is the greatest where no split has a key. */
static void put_ref(zl_text *out, const char *other)
{
    zl_putf(out, "  top = max(m, %s)\n  ref = select(top == -inf, 0, top)\n", other);
    zl_puts(out, "  a = exp2((m - ref) * " LOG2E ")\n");
    zl_putf(out, "  w = exp2((%s - ref) * " LOG2E ")\n", other);
}

static unsigned shift(plan_t *p)
{
    return zl_log2(p->panels);
}

/* h = the head of keys that a head's parts stand at, and r = its row there, of query n. */
static void put_place(zl_text *out, plan_t *p)
{
    zl_puts(out, "  n = row + q * 64\n");
    if (p->group == 1) zl_puts(out, "  r = n\n  h = y\n");
    else
        zl_putf(out, "  r = n * %u + and(y, %u)\n  h = shr(y, %u)\n", p->group, p->group - 1,
                zl_log2(p->group));
}

/* Rows that no query has read the element behind the last, which is 0. */
static void put_weigh(zl_text *out, plan_t *p)
{
    unsigned long long heads = p->ask.heads / p->group, splits = p->ask.splits, head = ZL_ATTENTION_COLUMNS;
    unsigned long long rows = p->ask.queries * p->group, sums = zl_attention_lse_rows(rows);
    unsigned long long parts = p->ask.batch * heads * splits, all = parts * rows * p->ask.head;
    zl_puts(out, "body weigh\n  matrix O f32\n  row m f32\n  row l f32\n  global part_o f32\n"
                 "  global part_lse f32\n  index s\n  index q\n  index y\n  index z\n");
    put_place(out, p);
    zl_putf(out, "  sums = (shr(z, %u) * %llu + h) * %llu + s\n", shift(p), heads, splits);
    zl_putf(out, "  x = load(part_lse, select(n < %llu, sums * %llu + r, %llu), %llu)\n",
            (unsigned long long)p->ask.queries, sums, parts * sums, parts * sums);
    put_ref(out, "x");
    zl_putf(out, "  part = (z * %llu + h) * %llu + s\n", heads, splits);
    zl_putf(out, "  e = select(n < %llu, (part * %llu + r) * %llu, %llu)\n",
            (unsigned long long)p->ask.queries, rows, head, all);
    zl_putf(out, "  O = fma(w, load(part_o, e + col, %llu), O * a)\n", all);
    zl_puts(out, "  l = l * a + w\n  m = top\nend\n");
}

/* A query without keys has the result 0. */
static void put_finish(zl_text *out, plan_t *p)
{
    const char *type = zlay_type_name(p->out.type);
    zl_putf(out, "body finish\n  matrix O f32\n  matrix R %s\n  row l f32\n  row m f32\n", type);
    if (p->ask.lse) zl_puts(out, "  row lse f32\n");
    if (p->ask.sinks) {
        zl_puts(out, "  global sinks f32\n  index head\n  sink = load(sinks, head)\n");
        put_ref(out, "sink");
        zl_puts(out, "  sum = l * a + w\n  by = select(sum == 0, 0, a * rcp(sum))\n");
    } else zl_puts(out, "  sum = l\n  by = select(sum == 0, 0, rcp(sum))\n");
    zl_putf(out, "  R = %s(O * by)\n", type);
    if (p->ask.lse)
        zl_putf(out, "  lse = %s + log2(sum) * " LN2 "\n", p->ask.sinks ? "ref" : "m");
    zl_puts(out, "end\n");
}

void zl_attention_merge_put(zl_text *out, const void *plan)
{
    plan_t *p = plan;
    zl_puts(out, "pipe merge\nparam S 1..\n");
    zl_attention_moves_put(out, p);
    zl_attention_buffers_put(out, p);
    zl_puts(out, "body begin\n  matrix O f32\n  row m f32\n  row l f32\n  O = 0\n  m = -inf\n  l = 0\nend\n");
    put_weigh(out, p);
    put_finish(out, p);
    zl_puts(out, "role merge warps 0..3\n  use O, m, l body begin\n  for s in 0..S\n"
                 "    use O, m, l body weigh at s, block, block.y, block.z\n  end\n");
    zl_putf(out, "  use O, R, l, m%s body finish%s\n", p->ask.lse ? ", lse" : "",
            p->ask.sinks ? " at block.y" : "");
    zl_attention_result_put(out, p);
    zl_puts(out, "end\n");
}
