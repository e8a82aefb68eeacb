/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the best of all ways, exactly. What a way moves from L2, and all of its cost but that of global memory, are closed forms, so ways
 * are sorted by L2, the least first; a way is on the front (nothing equals or beats it in both) only if it moves less from global
 * memory than all before it. Each way is run through the model of L2 until what it has moved excludes it from the front and costs
 * more than the best so far; one that its closed forms and compulsory bytes exclude is not run. */
#include "synth/io/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 8, MILLI = 1000 };

typedef struct ranked {
    uint64_t l2, number;
} ranked;

typedef struct search {
    const zl_io_problem *p;
    zlay_io_answer *out;
    zl_io_cache cache;
    uint64_t slices_most, least; /* of hbm: of the best so far */
    zl_io_way way;
    bool found;
} search;

static int by_l2(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->l2 != y->l2) return x->l2 < y->l2 ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static uint64_t l2_of_kernel(const zl_io_kernel *k)
{
    uint64_t sum = zl_io_l2(k, &k->result);
    for (uint32_t o = 0; o < k->operands_count; o++) sum = zl_uadd_sat(sum, zl_io_l2(k, &k->operand[o]));
    return sum;
}

static uint64_t l2_of(const zl_io_way *w)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < w->kernels; i++) sum = zl_uadd_sat(sum, l2_of_kernel(&w->kernel[i]));
    return sum;
}

/* Bits that a way moves from global memory at least: each of its tensors comes, or goes, once. */
static uint64_t compulsory(const zl_io_problem *p, const zl_io_way *w)
{
    uint32_t seen = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < w->kernels; i++)
        for (uint32_t o = 0; o <= w->kernel[i].operands_count; o++) {
            const zl_io_kernel *k = &w->kernel[i];
            uint32_t tensor = o < k->operands_count ? k->operand[o].tensor : k->result.tensor;
            if (!(seen >> tensor & 1)) sum = zl_uadd_sat(sum, p->bits[tensor]);
            seen |= 1u << tensor;
        }
    return sum;
}

static uint64_t bytes_of(uint64_t bits) { return zl_ceil_div(bits, BITS); }

/* Thousandths of a cycle that so much takes where `busy` of all processors are at work, for which the rate is. */
static uint64_t cycles(uint64_t much, uint64_t rate, uint64_t busy, uint64_t all)
{
    zl_u128 by = (zl_u128)rate * busy, of = (zl_u128)much * MILLI * MILLI;
    if (of >> 96) return UINT64_MAX; /* beyond any rate */
    of = (of * all + by - 1) / by;
    return of > UINT64_MAX ? UINT64_MAX : (uint64_t)of;
}

/* The cost before a way is run: that of L2, products and sums. */
static uint64_t cost_of(const zl_io_problem *p, const zl_io_way *w)
{
    uint64_t l2 = 0, flops = 0, all = p->machine.processors;
    for (uint32_t i = 0; i < w->kernels; i++) {
        const zl_io_kernel *k = &w->kernel[i];
        uint64_t busy = zl_umin(zl_umul_sat(zl_io_rows(k), zl_io_columns(k)), all);
        l2 = zl_uadd_sat(l2, cycles(bytes_of(l2_of_kernel(k)), p->machine.l2_rate, busy, all));
        if (p->flop_rate) flops = zl_uadd_sat(flops, cycles(k->flops, p->flop_rate, busy, all));
    }
    return zl_umax(l2, flops);
}

/* ---- one way ------------------------------------------------------------------------------------ */

/* Places the slices of a way's tensors behind one another; entry 0 is the list's head. A tensor that the second kernel reads has the
 * slices that the first wrote. */
static bool slices_place(zl_io_way *w, uint64_t *slices)
{
    uint32_t base[ZLAY_IO_TENSORS] = {0};
    uint64_t next = 1;
    for (uint32_t i = 0; i < w->kernels; i++) {
        zl_io_kernel *k = &w->kernel[i];
        for (uint32_t o = 0; o <= k->operands_count; o++) {
            zl_io_operand *at = o < k->operands_count ? &k->operand[o] : &k->result;
            if (!base[at->tensor]) {
                base[at->tensor] = (uint32_t)next;
                next = zl_uadd_sat(next, zl_io_slices(k, at));
            }
            at->base = base[at->tensor];
            if (next > UINT32_MAX) return false;
        }
    }
    *slices = next;
    return true;
}

/* Runs a way with an empty cache, until it has moved more than `most` bits. ENOMEM, ELIMIT. */
static zlay_status way_run(search *s, zl_io_way *w, uint64_t most)
{
    const zl_io_problem *p = s->p;
    uint64_t slices, left = 0;
    if (!slices_place(w, &slices)) return zl_fail(p->ctx, ZLAY_ELIMIT, "limit: an order has more than 2^32 tiles and slices");
    s->cache = (zl_io_cache){.capacity = zl_umul_sat(p->machine.l2, BITS)};
    s->cache.slice = zl_scratch(p->ctx, slices, sizeof *s->cache.slice);
    if (!s->cache.slice) return ZLAY_ENOMEM;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; !status && i < w->kernels; i++) {
        for (uint64_t j = 0; i && j < slices; j++) s->cache.slice[j].stamp = 0;
        status = zl_io_run(p->ctx, &s->cache, &w->kernel[i], &p->machine, most);
    }
    for (uint32_t t = 0; !status && t < p->tensors; t++) left += zl_io_left(&s->cache, t);
    w->choice.left = left;
    w->choice.hbm = s->cache.moved + left;
    return status;
}

static void tensors_tell(search *s, const zl_io_way *w)
{
    const zl_io_problem *p = s->p;
    memset(s->out->tensor, 0, sizeof s->out->tensor);
    for (uint32_t t = 0; t < p->tensors; t++) {
        zlay_io_tensor *out = &s->out->tensor[t];
        uint64_t left = zl_io_left(&s->cache, t);
        snprintf(out->name, sizeof out->name, "%s", p->name[t]);
        out->bytes = bytes_of(p->bits[t]);
        out->read = bytes_of(s->cache.read[t]);
        out->written = bytes_of(s->cache.written[t] + left);
        out->left = bytes_of(left);
    }
    for (uint32_t i = 0; i < w->kernels; i++)
        for (uint32_t o = 0; o <= w->kernel[i].operands_count; o++) {
            const zl_io_kernel *k = &w->kernel[i];
            const zl_io_operand *at = o < k->operands_count ? &k->operand[o] : &k->result;
            s->out->tensor[at->tensor].l2 += bytes_of(zl_io_l2(k, at));
        }
}

bool zl_io_better(const zlay_io_choice *a, const zlay_io_choice *b)
{
    if (a->cost != b->cost) return a->cost < b->cost;
    return a->hbm != b->hbm ? a->hbm < b->hbm : a->l2 < b->l2;
}

/* Puts a choice before those of the front, for it moves less from global memory than they do; one that moves as much from L2 is beaten. */
static void front_put(zlay_io_answer *out, const zlay_io_choice *c)
{
    if (out->front_count && out->front[0].l2 == c->l2) {
        out->front[0] = *c;
        return;
    }
    uint32_t kept = out->front_count < ZLAY_IO_FRONT ? out->front_count : ZLAY_IO_FRONT - 1;
    memmove(out->front + 1, out->front, kept * sizeof *out->front);
    out->front[0] = *c;
    out->front_count++;
}

/* What a way that was run comes to, in bytes. */
static void choice_finish(const search *s, zl_io_way *w, uint64_t l2)
{
    zlay_io_choice *c = &w->choice;
    c->hbm = bytes_of(c->hbm);
    c->left = bytes_of(c->left);
    c->l2 = bytes_of(l2);
    c->cost = zl_umax(cycles(c->hbm, s->p->machine.hbm_rate, 1, 1), cost_of(s->p, w));
}

/* How many bits a way may move before it is excluded: it is neither on the front then, nor the best. 0: it is so before it is run. */
static uint64_t most_of(const search *s, const zl_io_way *w)
{
    const zl_io_problem *p = s->p;
    if (!s->found) return UINT64_MAX;
    uint64_t once = compulsory(p, w), best = s->out->best.cost, most = 0;
    if (p->front && s->least > once) most = s->least;
    if (cost_of(p, w) > best || cycles(bytes_of(once), p->machine.hbm_rate, 1, 1) > best) return most;
    zl_u128 bytes = (zl_u128)best * p->machine.hbm_rate / (MILLI * MILLI) + 1; /* of as much cost */
    return zl_umax(most, bytes >> 60 ? UINT64_MAX : (uint64_t)bytes * BITS);
}

static zlay_status way_try(search *s, uint64_t number, uint64_t l2)
{
    zl_io_way *w = &s->way;
    s->p->way(w, s->p->of, number);
    uint64_t most = most_of(s, w);
    if (!most) return ZLAY_OK;
    zl_mark mark = zl_scratch_mark(s->p->ctx);
    zlay_status status = way_run(s, w, most);
    s->out->run++;
    if (!status && w->choice.hbm <= most) {
        bool less = w->choice.hbm < s->least;
        s->least = zl_umin(s->least, w->choice.hbm);
        choice_finish(s, w, l2);
        if (less) front_put(s->out, &w->choice);
        if (!s->found || zl_io_better(&w->choice, &s->out->best)) {
            s->out->best = w->choice;
            tensors_tell(s, w);
        }
        s->found = true;
    }
    zl_scratch_release(s->p->ctx, mark);
    return status;
}

/* ---- all ----------------------------------------------------------------------------------------- */

zlay_status zl_io_search(const zl_io_problem *p, zlay_io_answer *out)
{
    search s = {.p = p, .out = out, .least = UINT64_MAX};
    *out = (zlay_io_answer){.machine = p->machine, .tensors_count = p->tensors, .grid = p->ways};
    if (!p->ways) return ZLAY_NONE;
    ranked *all = zl_scratch_plain(p->ctx, p->ways, sizeof *all);
    if (!all) return ZLAY_ENOMEM;
    for (uint64_t i = 0; i < p->ways; i++) {
        p->way(&s.way, p->of, i);
        all[i] = (ranked){l2_of(&s.way), i};
        if (all[i].l2 >= UINT64_MAX >> 1) return zl_fail(p->ctx, ZLAY_EOVERFLOW, "the bytes pass 64 bits");
    }
    qsort(all, p->ways, sizeof *all, by_l2);
    zlay_status status = ZLAY_OK;
    for (uint64_t i = 0; !status && i < p->ways; i++) status = way_try(&s, all[i].number, all[i].l2);
    return status;
}

/* 1, 2, 3, 4, 6, 8, 12 and so on. */
static uint64_t band_nth(uint32_t i)
{
    if (!i) return 1;
    return (i % 2 ? (uint64_t)2 : 3) << (i - 1 - (i + 1) % 2) / 2;
}

uint64_t zl_io_band(uint64_t rows, uint32_t i)
{
    if (i && band_nth(i - 1) >= rows) return 0;
    return zl_umin(band_nth(i), rows);
}
