/* SPDX-License-Identifier: Apache-2.0 */
/* Says why a candidate takes more time than another one by the model. A modelled time is a sum of
 * parts (K steps, ends of tiles, exchanges, DRAM); the part that grew the most is the reason. The
 * part of K steps is a product of three factors: processors that idle in the last wave, the time of
 * a step by the elements of its tile, and what tiles have outside of D; there the factor that grew
 * the most is, and of a step's time the term that did. */
#include "cli/reason.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct cause {
    double grew;
    char text[ZL_REASON];
} cause;

/* Keeps the cause that grew more; where this is true its text is to be made. */
static bool is_more(cause *most, double grew)
{
    if (!(grew > most->grew)) return false;
    most->grew = grew;
    return true;
}

#define OFFER(most, by, ...)                                                                       \
    do {                                                                                           \
        if (is_more(most, by)) snprintf((most)->text, sizeof(most)->text, __VA_ARGS__);            \
    } while (0)

static double us(double ns) { return ns / 1000; } /* and ns of ps */

/* What two times take that run beside each other, as the model has it. */
static double norm(double a, double b) { return pow(pow(a, 4) + pow(b, 4), 0.25); }

/* What is to be said where a candidate takes no more; false: it takes more. */
static bool is_no_more(char *out, uint64_t ns, uint64_t other)
{
    *out = 0;
    if (!ns || !other) return true;
    if (ns == other) snprintf(out, ZL_REASON, "as long by the model");
    if (ns < other) snprintf(out, ZL_REASON, "less by the model");
    return ns <= other;
}

static void waves_say(cause *most, double grew, uint64_t waves, uint64_t at_once, uint64_t last,
                      uint64_t cluster)
{
    char of[48] = "blocks";
    if (cluster > 1) snprintf(of, sizeof of, "clusters of %" PRIu64, cluster);
    if (waves == 1) OFFER(most, grew, "1 wave of %" PRIu64 " %s, of %" PRIu64, last, of, at_once);
    else
        OFFER(most, grew, "%" PRIu64 " waves of %" PRIu64 ", the last of %" PRIu64 " %s", waves,
              at_once, last, of);
}

/* ---- GEMM ------------------------------------------------------------------------------------ */

/* The parts of a modelled time, ns, and the factors of its K steps. */
typedef struct parts {
    double steps, ends, exchange, stream, power, dram, slow;
    double idle, step, outside;
    double area; /* elements of a tile */
} parts;

static parts parts_of(const zlay_gemm_candidate *c, int64_t processors)
{
    const zlay_gemm_terms *t = &c->terms;
    const zlay_gemm *g = &c->gemm;
    double waves = (double)t->waves, blocks = (double)t->blocks_ns;
    double powered = norm(blocks, (double)t->power_ns), both = norm(powered, (double)t->dram_ns);
    double splits = g->split_k ? g->split_k : 1;
    parts p = {.area = (double)g->tile_m * g->tile_n};
    p.exchange = waves * (double)t->exchange_ns;
    p.ends = waves * (double)(t->ends_ns - t->exchange_ns);
    p.stream = (double)t->stream_ns;
    p.steps = blocks - p.exchange - p.ends - p.stream;
    p.power = powered - blocks;
    p.dram = both - powered;
    p.slow = (double)c->ns - both - (double)t->start_ns;
    p.idle = waves * (double)processors / (double)c->blocks;
    if (t->stream_ns || !processors) p.idle = 1;
    p.step = (double)t->step_ps / p.area;
    p.outside = g->groups ? 1 : (double)c->blocks * p.area / splits / ((double)g->m * (double)g->n);
    if (t->stream_ns) p.outside = 1;
    return p;
}

static void step_say(cause *most, double grew, const zlay_gemm_candidate *c, double area,
                     const zlay_gemm_terms *o, double of)
{
    const zlay_gemm_terms *t = &c->terms;
    bool pairs = c->gemm.multicast != ZLAY_MULTICAST_NONE;
    const struct {
        const char *what;
        uint64_t own, other;
    } terms[] = {{"products", t->products_ps, o->products_ps},
                 {"stages that arrive", t->arrival_ps, o->arrival_ps},
                 {"L2", t->l2_ps, o->l2_ps},
                 {"zeros of rows outside", t->outside_ps, o->outside_ps},
                 {"rows beside sectors", t->beside_ps, o->beside_ps}};
    cause term = {.text = ""};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        OFFER(&term, (double)terms[i].own / area - (double)terms[i].other / of,
              "K steps wait for %s: %.0f of %.0f ns", terms[i].what, us((double)terms[i].own),
              us((double)t->step_ps));
    if (!*term.text)
        snprintf(term.text, sizeof term.text, "K steps of %.0f ns%s", us((double)t->step_ps),
                 pairs ? ", for pairs run in step" : "");
    OFFER(most, grew, "%s", term.text);
}

static void steps_say(cause *most, double grew, const zlay_gemm_candidate *c, const parts *p,
                      const zlay_gemm_candidate *other, const parts *o)
{
    const zlay_gemm_terms *t = &c->terms;
    uint64_t units = (t->waves - 1) * t->at_once + t->last, cluster = units ? c->blocks / units : 1;
    cause factor = {.text = ""};
    waves_say(&factor, p->idle / o->idle, t->waves, t->at_once, t->last, cluster);
    step_say(&factor, p->step / o->step, c, p->area, &other->terms, o->area);
    OFFER(&factor, p->outside / o->outside, "tiles have %.0f %% outside of D",
          100 * (1 - 1 / p->outside));
    OFFER(most, grew, "%s", factor.text);
}

void zl_gemm_reason(char out[ZL_REASON], const zlay_gemm_candidate *c,
                    const zlay_gemm_candidate *other, int64_t processors)
{
    const zlay_gemm_terms *t = &c->terms;
    cause most = {.text = ""};
    if (is_no_more(out, c->ns, other->ns) || !t->waves || !other->terms.waves) return;
    parts p = parts_of(c, processors), o = parts_of(other, processors);
    steps_say(&most, p.steps - o.steps, c, &p, other, &o);
    OFFER(&most, p.ends - o.ends, "ends of tiles: %" PRIu64 " times %.2f us", t->waves,
          us((double)(t->ends_ns - t->exchange_ns)));
    OFFER(&most, p.exchange - o.exchange, "the exchange of sums: %.2f us", us(p.exchange));
    OFFER(&most, p.stream - o.stream, "sums of divided tiles: %.2f us", us(p.stream));
    OFFER(&most, p.power - o.power, "the board's power: %.2f us", us((double)t->power_ns));
    OFFER(&most, p.dram - o.dram, "DRAM: %.2f us for %.1f MB", us((double)t->dram_ns),
          (double)t->dram_bytes / 1e6);
    OFFER(&most, p.slow - o.slow, "slower copies, and those that repack: %.2f us", us(p.slow));
    snprintf(out, ZL_REASON, "%s", most.text);
}

/* ---- attention ------------------------------------------------------------------------------- */

static double area_of(const zlay_attention_candidate *c)
{
    return (double)c->attention.tile_m * c->attention.tile_n;
}

static void tile_say(cause *most, double grew, const zlay_attention_candidate *c,
                     const zlay_attention_candidate *other)
{
    const zlay_attention_terms *t = &c->terms, *o = &other->terms;
    double area = area_of(c), of = area_of(other);
    cause term = {.text = ""};
    OFFER(&term, (double)t->products_ns / area - (double)o->products_ns / of,
          "products: %" PRIu64 " of %" PRIu64 " ns of a tile", t->products_ns, t->tile_ns);
    OFFER(&term, (double)t->softmax_ns / area - (double)o->softmax_ns / of,
          "softmax: %" PRIu64 " of %" PRIu64 " ns of a tile", t->softmax_ns, t->tile_ns);
    OFFER(&term, (double)t->shown_ns / area - (double)o->shown_ns / of,
          "a warpgroup that waits: %" PRIu64 " of %" PRIu64 " ns of a tile", t->shown_ns,
          t->tile_ns);
    if (!*term.text)
        snprintf(term.text, sizeof term.text, "barriers of tiles of %" PRIu64 " ns", t->tile_ns);
    OFFER(most, grew, "%s", term.text);
}

/* What all blocks do beside tiles, by one processor; and the elements of all tiles. */
static double begins_of(const zlay_attention_candidate *c)
{
    const zlay_attention_terms *t = &c->terms;
    double tiles = (double)t->tiles_milli / 1000 * (double)t->tile_ns;
    return (double)c->blocks * ((double)t->block_ns - tiles);
}

static double elements_of(const zlay_attention_candidate *c)
{
    return (double)c->blocks * (double)c->terms.tiles_milli / 1000 * area_of(c);
}

void zl_attention_reason(char out[ZL_REASON], const zlay_attention_candidate *c,
                         const zlay_attention_candidate *other, int64_t processors)
{
    const zlay_attention_terms *t = &c->terms, *o = &other->terms;
    cause most = {.text = ""};
    if (is_no_more(out, c->ns, other->ns) || !t->waves || !o->waves || processors <= 0) return;
    double work = (double)c->blocks * (double)t->block_ns;
    if (t->longest_ns && !t->tail_ns)
        OFFER(&most, 2, "the longest block alone takes %.2f us", us((double)t->longest_ns));
    if (!t->longest_ns)
        waves_say(&most, (double)(t->waves * other->blocks) / (double)(o->waves * c->blocks),
                  t->waves, t->at_once, t->last, 1);
    double tile = (double)t->tile_ns / area_of(c), of = (double)o->tile_ns / area_of(other);
    tile_say(&most, tile / of, c, other);
    OFFER(&most, elements_of(c) / elements_of(other), "tiles have %.0f %% more of Q K^T",
          100 * (elements_of(c) / elements_of(other) - 1));
    OFFER(&most, 1 + (begins_of(c) - begins_of(other)) / work,
          "beginnings and results of %" PRIu64 " blocks", c->blocks);
    OFFER(&most, 1 + ((double)t->tail_ns - (double)o->tail_ns) / (double)c->ns,
          "the tail of the longest blocks: %.2f us", us((double)t->tail_ns));
    snprintf(out, ZL_REASON, "%s", most.text);
}
