/* SPDX-License-Identifier: Apache-2.0 */
/* What is on its way, and how it comes: copies into shared memory, stores out of it, products of warps,
 * cp.async of threads. */
#ifndef TEST_PTX_ASYNC_H
#define TEST_PTX_ASYNC_H

#include "ptx/tensor.h"

/* ---- into shared memory --------------------------------------------------------------- */

static inline void px_land_tensor(px_machine *m, const px_landing *l)
{
    px_block *b = &m->block[l->block];
    zlay_sim_smem smem = {b->smem, PX_SMEM, PX_ORIGIN}, view = {b->view, PX_SMEM, PX_ORIGIN};
    zlay_sim_global g;
    int32_t fault = 0;
    uint32_t bytes = 0;
    if (!px_tensor_memory(m, &g, &l->map)) return;
    if (zlay_sim_tensor_load(&fault, &bytes, &smem, &g, &(zlay_sim_copy){.map = &l->map, .coordinate = l->coordinate, .address = l->to}) ||
        zlay_sim_tensor_load(&fault, &bytes, &view, &g, &(zlay_sim_copy){.map = &l->map, .coordinate = l->coordinate, .address = l->to}) || fault)
        px_fault(m, "tensor load: fault %d", fault);
}

static inline void px_land_bytes(px_machine *m, const px_landing *l)
{
    px_block *b = &m->block[l->block];
    const uint8_t *from = l->way == PX_PEER ? m->block[l->source].view + (l->from - PX_ORIGIN) : px_global(m, l->from, l->bytes);
    if (!from) return;
    memcpy(b->smem + (l->to - PX_ORIGIN), from, l->bytes);
    memcpy(b->view + (l->to - PX_ORIGIN), from, l->bytes);
}

static inline void px_land(px_machine *m, int which)
{
    px_landing l = m->landing[which];
    px_barrier *b = &m->block[l.signals].barrier[l.barrier];
    m->landing[which] = m->landing[--m->landings];
    if (!m->block[l.block].live || !m->block[l.signals].live || (l.way == PX_PEER && !m->block[l.source].live)) {
        px_fault(m, "a copy or an arrival comes to a block that has ended");
        return;
    }
    if (l.way == PX_COMMIT) {
        px_tensor_end(m, l.thread, l.product);
        b->saw[PX_WARPS + px_rank(m, l.thread)] = m->stamp;
        px_arrive(m, b, 1);
        return;
    }
    if (l.way == PX_TENSOR) px_land_tensor(m, &l);
    else px_land_bytes(m, &l);
    px_expect(m, b, -(int64_t)l.bytes);
    px_barrier_turn(b);
}

/* A copy or a commit begins. */
static inline bool px_begin(px_machine *m, const px_landing *l)
{
    const px_barrier *b = &m->block[l->signals].barrier[l->barrier];
    if (m->landings == PX_LANDING) return px_fault(m, "%d copies on their way", PX_LANDING);
    if (!b->published) return px_fault(m, "a copy signals a barrier that no fence has published");
    if (l->way != PX_COMMIT) {
        for (int i = 0; i < m->landings; i++) {
            const px_landing *o = &m->landing[i];
            if (o->way != PX_COMMIT && o->block == l->block && o->to < l->to + l->bytes && l->to < o->to + o->bytes)
                return px_fault(m, "two copies on their way to one place");
        }
        px_poison(m, &m->block[l->block], l->to, l->bytes);
    }
    m->landing[m->landings++] = *l;
    if (m->when == PX_EARLY) px_land(m, m->landings - 1);
    return true;
}

/* ---- out of shared memory ------------------------------------------------------------- */

static inline void px_store_read(px_store *s, px_machine *m)
{
    if (s->read) return;
    s->read = malloc(s->bytes);
    assert_non_null(s->read);
    memcpy(s->read, px_own(m, s->thread)->view + (s->from - PX_ORIGIN), s->bytes);
}

static inline void px_store_tensor(const px_store *s, px_machine *m)
{
    static uint8_t scratch[PX_SMEM];
    int32_t fault = 0;
    uint32_t bytes;
    zlay_sim_smem smem = {scratch, PX_SMEM, PX_ORIGIN};
    zlay_sim_global g;
    memcpy(scratch + (s->from - PX_ORIGIN), s->read, s->bytes);
    if (!px_tensor_memory(m, &g, &s->map)) return;
    if (zlay_sim_tensor_store(&fault, &bytes, &smem, &g, &(zlay_sim_copy){.map = &s->map, .coordinate = s->coordinate, .address = s->from}) || fault)
        px_fault(m, "tensor store: fault %d", fault);
}

static inline void px_store_write(px_store *s, px_machine *m)
{
    px_store_read(s, m);
    if (s->way == PX_TENSOR) {
        px_store_tensor(s, m);
        return;
    }
    uint8_t *to = px_global(m, s->to, s->bytes);
    for (uint32_t i = 0; to && i < s->bytes; i += 4) {
        uint32_t old, word;
        memcpy(&old, to + i, 4);
        memcpy(&word, s->read + i, 4);
        word += s->way == PX_REDUCE ? old : 0;
        memcpy(to + i, &word, 4);
    }
}

/* Stores of a thread in groups before the last `left`; `written`: also their writes are over. */
static inline void px_stores_wait(px_machine *m, int thread, int left, bool written)
{
    for (int i = 0; i < m->stores; i++) {
        px_store *s = &m->store[i];
        if (s->thread != thread || s->group < 0 || s->group >= m->bulk_groups[thread] - left) continue;
        px_store_read(s, m);
        if (!written) continue;
        px_store_write(s, m);
        free(s->read);
        *s = m->store[--m->stores];
        i--;
    }
}

static inline bool px_store_begin(px_machine *m, px_store s)
{
    if (m->stores == (int)(sizeof m->store / sizeof *m->store)) return px_fault(m, "stores on their way");
    m->store[m->stores++] = s;
    if (px_at_once(m)) px_store_read(&m->store[m->stores - 1], m);
    return true;
}

/* ---- products of a warp ---------------------------------------------------------------- */

/* Thread t of a warp has rows 16 w + t / 4 and 8 on of D and of A in registers; of D columns 8 j + 2 (t % 4) and one on, of A
 * in both halves of K as many as a register has: PTX ISA 9.1, "Register fragments for wgmma.mma_async.m64nNk16" and k32. */
static inline void px_registers_a(px_machine *m, px_rows_of *a, int warp, const px_product *p)
{
    int bytes = (int)px_bytes_of(p->type), each = 4 / bytes;
    for (int lane = 0; lane < PX_WARP; lane++)
        for (int r = 0; r < 4; r++)
            for (int e = 0; e < each; e++) {
                uint32_t bits = (uint32_t)(m->thread[warp * PX_WARP + lane].value[p->registers + r] >> 8 * bytes * e);
                a->at[lane / 4 + 8 * (r % 2)][PX_K_BYTES / 2 / bytes * (r / 2) + each * (lane % 4) + e] = px_number((const uint8_t *)&bits, p->type);
            }
}

static inline bool px_product_factors(px_machine *m, px_rows_of *a, px_columns *b, int warp, const px_product *p)
{
    px_factor f;
    int block = px_rank(m, warp * PX_WARP);
    uint32_t quarter = (uint32_t)(warp * PX_WARP % m->threads / PX_WARP % 4);
    if (!px_factor_read(m, &f, p->b, false, p->b_across, p->type_b)) return false;
    if (!px_gather(m, b->at[0], 1, PX_ROWS, &f, block, 0, (uint32_t)p->n)) return false;
    if (p->registers >= 0) {
        px_registers_a(m, a, warp, p);
        return true;
    }
    return px_factor_read(m, &f, p->a, false, p->a_across, p->type) && px_gather(m, a->at[0], PX_DEPTH, 1, &f, block, 16 * quarter, 16);
}

static inline void px_product_end(px_machine *m, int warp, px_product *p)
{
    static px_rows_of a;
    static px_columns b;
    float sum[16][PX_ROWS];
    if (p->over || !px_product_factors(m, &a, &b, warp, p)) return;
    p->over = true;
    for (int row = 0; row < 16; row++) px_row_sums(sum[row], a.at[row], &b, (uint32_t)p->k, (uint32_t)p->n);
    for (int lane = 0; lane < PX_WARP; lane++)
        for (int r = 0; r < p->n / 2; r++) {
            px_thread *t = &m->thread[warp * PX_WARP + lane];
            uint64_t *to = &t->value[p->acc + r];
            *to = px_added((uint32_t)*to, sum[lane / 4 + 8 * (r / 2 % 2)][8 * (r / 4) + 2 * (lane % 4) + r % 2], p->type, p->adds);
            t->state[p->acc + r] = PX_READY;
        }
}

/* Registers of a product in flight: sums are written, factors are read. */
static inline void px_product_mark(px_machine *m, int warp, const px_product *p, uint8_t sums, uint8_t factors)
{
    for (int lane = 0; lane < PX_WARP; lane++) {
        uint8_t *state = m->thread[warp * PX_WARP + lane].state;
        for (int r = 0; r < 4 && p->registers >= 0; r++) state[p->registers + r] = factors;
        for (int r = 0; r < p->n / 2; r++) state[p->acc + r] = sums;
    }
}

/* All that a warp has issued, in its order. */
static inline void px_products_end(px_machine *m, int warp)
{
    px_warp *w = &m->warp[warp];
    for (int i = 0; i < w->products; i++) px_product_end(m, warp, &w->product[i]);
}

static inline void px_products_wait(px_machine *m, int warp, int left)
{
    px_warp *w = &m->warp[warp];
    int kept = 0;
    for (int i = 0; i < w->products; i++) {
        px_product *p = &w->product[i];
        if (p->group < 0 || p->group >= w->groups - left) {
            w->product[kept++] = *p;
            continue;
        }
        px_product_end(m, warp, p);
        px_product_mark(m, warp, p, PX_READY, PX_READY);
    }
    w->products = kept;
    for (int i = 0; i < kept; i++) px_product_mark(m, warp, &w->product[i], PX_BUSY, PX_LENT);
}

/* ---- cp.async ------------------------------------------------------------------------------ */

static inline void px_chunk_end(px_machine *m, const px_chunk *c)
{
    uint8_t bytes[16] = {0};
    const uint8_t *from = c->take ? px_global(m, c->from, c->take) : NULL;
    if (from) memcpy(bytes, from, c->take);
    px_write(m, c->thread, (px_place){px_rank(m, c->thread), c->to}, bytes, c->bytes);
}

static inline void px_chunks_wait(px_machine *m, int thread, int left)
{
    int kept = 0;
    for (int i = 0; i < m->chunks; i++) {
        px_chunk *c = &m->chunk[i];
        if (c->thread != thread || c->group < 0 || c->group >= m->cp_groups[thread] - left) m->chunk[kept++] = *c;
        else px_chunk_end(m, c);
    }
    m->chunks = kept;
}

#endif
