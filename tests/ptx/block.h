/* SPDX-License-Identifier: Apache-2.0 */
/* One block of a kernel on memory, and what goes wrong there.
 *
 * Shared memory has two views, of threads and of the asynchronous proxy: what threads write is poison
 * (bytes of all ones, a NaN) to the proxy until the writing thread fences. What is on its way is
 * poison to both. Results of asynchronous instructions come at the last moment that the text allows:
 * a copy into shared memory when nobody can go on without it; operands of products and sources of
 * stores are read when they are waited for. */
#ifndef TEST_PTX_BLOCK_H
#define TEST_PTX_BLOCK_H

#include "ptx/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <zlay/sim.h>

enum { PX_WARP = 32, PX_THREADS = 512, PX_SMEM = 232448, PX_BARRIERS = 64, PX_LANDING = 64,
       PX_GROUPS = 8, PX_PENDING = 64, PX_NAMED = 16 };
enum { PX_POISON = 0xff, PX_ORIGIN = 1024 };
#define PX_PARAM_AT 0x7f0000000000ull

typedef struct px_thread {
    uint64_t *value;
    uint8_t *state; /* of registers: PX_READY.. */
    int line;
    bool done, together; /* ended; waits for its warp at `line` */
    int meeting;         /* a named barrier that it waits at, -1 */
    int wait;            /* a mbarrier that it waits for, -1 */
    bool fenced;         /* wgmma.fence since ordinary instructions touched sums */
    uint32_t from, to;   /* what it has written in shared memory since its last fence lies there */
} px_thread;
enum { PX_NEVER, PX_READY, PX_BUSY };

typedef struct px_barrier {
    uint32_t at;
    bool published; /* fence.mbarrier_init since */
    int count, pending, phase;
    int64_t tx;
} px_barrier;

typedef struct px_landing { /* a tensor copy into shared memory */
    const zlay_tensormap *map;
    int32_t coordinate[5];
    uint32_t to, bytes;
    int barrier;
} px_landing;

typedef struct px_product { /* of a warp: a quarter of the rows */
    int acc, line;
    uint64_t a, b;
    zlay_mma mma;
    bool adds;
    int group; /* committed as; -1: not yet */
} px_product;

typedef struct px_warp {
    px_product product[PX_PENDING];
    int products, groups;
} px_warp;

typedef struct px_store { /* of a thread, from shared memory to a tensor */
    int thread, group;
    const zlay_tensormap *map;
    int32_t coordinate[5];
    uint32_t from, bytes;
    uint8_t *read; /* NULL: not yet read */
} px_store;

typedef struct px_chunk { /* cp.async of a thread */
    int thread, group;
    uint64_t from;
    uint32_t to, bytes, take;
} px_chunk;

typedef struct px_memory {
    uint64_t at, size;
    uint8_t *bytes;
} px_memory;

typedef struct px_machine {
    px_text text;
    px_memory memory[3];
    zlay_tensormap map[3];
    uint8_t smem[PX_SMEM], view[PX_SMEM]; /* of threads, of the proxy */
    uint16_t writer[PX_SMEM];             /* thread + 1 that wrote a byte and has not fenced */
    px_thread thread[PX_THREADS];
    px_warp warp[PX_THREADS / PX_WARP];
    px_barrier barrier[PX_BARRIERS];
    px_landing landing[PX_LANDING];
    px_store store[PX_PENDING];
    px_chunk *chunk;
    int chunks, chunk_room;
    int bulk_groups[PX_THREADS], cp_groups[PX_THREADS]; /* committed */
    int barriers, landings, stores, threads;
    struct { int count, arrived; } named[PX_NAMED];
    uint64_t *values;
    uint8_t *states;
    uint64_t random;
    bool early; /* copies land when they are issued */
    char fault[256]; /* the first */
    long steps;
} px_machine;

static inline bool px_fault(px_machine *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!*m->fault) vsnprintf(m->fault, sizeof m->fault, format, list);
    va_end(list);
    return false;
}

/* ---- memory ---------------------------------------------------------------------- */

static inline bool px_in_smem(px_machine *m, uint64_t at, uint64_t bytes, uint64_t align)
{
    if (at % align) return px_fault(m, "shared address %llu off %llu bytes", (unsigned long long)at, (unsigned long long)align);
    if (at < PX_ORIGIN || at - PX_ORIGIN > PX_SMEM - bytes)
        return px_fault(m, "shared address %llu outside", (unsigned long long)at);
    return true;
}

static inline uint8_t *px_global(px_machine *m, uint64_t at, uint64_t bytes)
{
    for (int i = 0; i < 3; i++) {
        px_memory *g = &m->memory[i];
        if (at >= g->at && at - g->at <= g->size - bytes) return g->bytes + (at - g->at);
    }
    px_fault(m, "global address 0x%llx outside", (unsigned long long)at);
    return NULL;
}

/* A thread's write: the proxy does not see it before the thread's fence. */
static inline void px_write(px_machine *m, int thread, uint32_t at, const void *from, uint32_t bytes)
{
    if (!px_in_smem(m, at, bytes, bytes)) return;
    uint32_t i = at - PX_ORIGIN;
    memcpy(m->smem + i, from, bytes);
    memset(m->view + i, PX_POISON, bytes);
    for (uint32_t b = 0; b < bytes; b++) m->writer[i + b] = (uint16_t)(thread + 1);
    px_thread *t = &m->thread[thread];
    if (t->to == 0 || i < t->from) t->from = i;
    if (i + bytes > t->to) t->to = i + bytes;
}

static inline void px_proxy_fence(px_machine *m, int thread)
{
    px_thread *t = &m->thread[thread];
    for (uint32_t i = t->from; i < t->to; i++)
        if (m->writer[i] == thread + 1) {
            m->view[i] = m->smem[i];
            m->writer[i] = 0;
        }
    t->from = t->to = 0;
}

static inline void px_poison(px_machine *m, uint32_t at, uint32_t bytes)
{
    memset(m->smem + (at - PX_ORIGIN), PX_POISON, bytes);
    memset(m->view + (at - PX_ORIGIN), PX_POISON, bytes);
    memset(m->writer + (at - PX_ORIGIN), 0, bytes * sizeof *m->writer);
}

/* What `at` holds once the parameters have addresses. */
static inline const zlay_tensormap *px_map(px_machine *m, uint64_t at)
{
    for (int i = 0; i < 3; i++)
        if (at == PX_PARAM_AT + 128u * (unsigned)i) return &m->map[i];
    px_fault(m, "no tensor map at 0x%llx", (unsigned long long)at);
    return NULL;
}

/* ---- barriers --------------------------------------------------------------------- */

static inline px_barrier *px_barrier_at(px_machine *m, uint64_t at)
{
    for (int i = 0; i < m->barriers; i++)
        if (m->barrier[i].at == at) return &m->barrier[i];
    px_fault(m, "no barrier is initialised at %llu", (unsigned long long)at);
    return NULL;
}

static inline void px_barrier_turn(px_barrier *b)
{
    if (b->pending || b->tx) return;
    b->phase++;
    b->pending = b->count;
}

static inline void px_arrive(px_machine *m, px_barrier *b, int64_t expect)
{
    b->tx += expect;
    if (--b->pending < 0) px_fault(m, "more arrivals than barrier %u counts", b->at);
    px_barrier_turn(b);
}

static inline void px_land(px_machine *m, int which)
{
    px_landing l = m->landing[which];
    px_barrier *b = &m->barrier[l.barrier];
    zlay_sim_smem smem = {m->smem, PX_SMEM, PX_ORIGIN}, view = {m->view, PX_SMEM, PX_ORIGIN};
    int32_t fault = 0;
    uint32_t bytes = 0;
    m->landing[which] = m->landing[--m->landings];
    for (int i = 0; i < 3; i++)
        if (l.map == &m->map[i]) {
            zlay_sim_global g = {m->memory[i].bytes, m->memory[i].size};
            if (zlay_sim_tensor_load(&fault, &bytes, &smem, l.to, l.map, &g, l.coordinate) ||
                zlay_sim_tensor_load(&fault, &bytes, &view, l.to, l.map, &g, l.coordinate) || fault)
                px_fault(m, "tensor load: fault %d", fault);
        }
    b->tx -= bytes;
    px_barrier_turn(b);
}

/* ---- stores ------------------------------------------------------------------------- */

static inline void px_store_read(px_store *s, const px_machine *m)
{
    if (s->read) return;
    s->read = malloc(s->bytes);
    assert_non_null(s->read);
    memcpy(s->read, m->view + (s->from - PX_ORIGIN), s->bytes);
}

static inline void px_store_write(px_store *s, px_machine *m)
{
    static uint8_t scratch[PX_SMEM];
    int32_t fault = 0;
    uint32_t bytes;
    px_store_read(s, m);
    memcpy(scratch + (s->from - PX_ORIGIN), s->read, s->bytes);
    zlay_sim_smem smem = {scratch, PX_SMEM, PX_ORIGIN};
    zlay_sim_global g = {m->memory[2].bytes, m->memory[2].size};
    if (s->map != &m->map[2]) px_fault(m, "a store by another map than D's");
    else if (zlay_sim_tensor_store(&fault, &bytes, &smem, s->from, s->map, &g, s->coordinate) || fault)
        px_fault(m, "tensor store: fault %d", fault);
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

/* ---- products -------------------------------------------------------------------------- */

/* Thread t of a warp has rows 16 w + t / 4 and 8 on, columns 8 j + 2 (t % 4) and one on: PTX ISA
 * 9.1, "Register fragments for wgmma.mma_async.m64nNk16". */
static inline void px_product_end(px_machine *m, int warp, const px_product *p)
{
    static float acc[64 * 256];
    uint32_t n = p->mma.n;
    int32_t fault = 0;
    zlay_sim_smem view = {m->view, PX_SMEM, PX_ORIGIN};
    memset(acc, 0, sizeof acc);
    if (zlay_sim_wgmma(&fault, acc, &view, &p->mma, p->a, p->b, 0) || fault) {
        px_fault(m, "wgmma: fault %d", fault);
        return;
    }
    for (int lane = 0; lane < PX_WARP; lane++)
        for (uint32_t r = 0; r < n / 2; r++) {
            px_thread *t = &m->thread[warp * PX_WARP + lane];
            uint32_t row = 16u * ((uint32_t)warp % 4) + (uint32_t)lane / 4 + 8 * (r / 2 % 2);
            uint32_t column = 8 * (r / 4) + 2 * ((uint32_t)lane % 4) + r % 2;
            float sum;
            uint32_t bits = (uint32_t)t->value[p->acc + (int)r];
            memcpy(&sum, &bits, 4);
            sum = acc[row * n + column] + (p->adds ? sum : 0);
            memcpy(&bits, &sum, 4);
            t->value[p->acc + (int)r] = bits;
            t->state[p->acc + (int)r] = PX_READY;
        }
}

static inline void px_products_wait(px_machine *m, int warp, int left)
{
    px_warp *w = &m->warp[warp];
    int kept = 0;
    for (int i = 0; i < w->products; i++) {
        px_product *p = &w->product[i];
        if (p->group >= 0 && p->group < w->groups - left) px_product_end(m, warp, p);
        else w->product[kept++] = *p;
    }
    w->products = kept;
    for (int i = 0; i < kept; i++)
        for (int lane = 0; lane < PX_WARP; lane++)
            for (uint32_t r = 0; r < w->product[i].mma.n / 2; r++)
                m->thread[warp * PX_WARP + lane].state[w->product[i].acc + (int)r] = PX_BUSY;
}

/* ---- cp.async ------------------------------------------------------------------------------ */

static inline void px_chunks_wait(px_machine *m, int thread, int left)
{
    int kept = 0;
    for (int i = 0; i < m->chunks; i++) {
        px_chunk *c = &m->chunk[i];
        uint8_t bytes[16] = {0};
        if (c->thread != thread || c->group < 0 || c->group >= m->cp_groups[thread] - left) {
            m->chunk[kept++] = *c;
            continue;
        }
        const uint8_t *from = c->take ? px_global(m, c->from, c->take) : NULL;
        if (from) memcpy(bytes, from, c->take);
        px_write(m, thread, c->to, bytes, c->bytes);
    }
    m->chunks = kept;
}

#endif
