/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the machine of blocks.h, and copies on their way: an access off its width or outside memory fails the test. */
#ifndef TEST_BLOCKS_MEMORY_H
#define TEST_BLOCKS_MEMORY_H

#include "blocks/text.h"

static inline uint8_t *pm_global(pm_machine *m, uint64_t at, uint64_t size, uint64_t align)
{
    if (at % align) fail_msg("address %llx is off %llu bytes", (unsigned long long)at,
                             (unsigned long long)align);
    for (int i = 0; i < m->memories; i++) {
        const pm_memory *g = &m->memory[i];
        if (at >= g->at && at + size <= g->at + g->size) return g->bytes + (at - g->at);
    }
    for (int i = 0; i < m->tables; i++) {
        const pm_memory *g = &m->table[i].memory;
        if (at >= g->at && at + size <= g->at + g->size) return g->bytes + (at - g->at);
    }
    fail_msg("%llu bytes at %llx are no memory", (unsigned long long)size, (unsigned long long)at);
    return NULL;
}

/* An address of another block has its rank, and one more, above the address there. */
static inline uint8_t *pm_shared(pm_machine *m, const pm_thread *t, uint64_t at, uint64_t size,
                                 uint64_t align)
{
    uint32_t rank = at >> PM_RANK ? (uint32_t)(at >> PM_RANK) - 1 : t->rank;
    at &= (1u << PM_RANK) - 1;
    assert_true(rank < m->blocks);
    if (at % align || at + size > PM_SHARED)
        fail_msg("shared address %llx, %llu bytes", (unsigned long long)at,
                 (unsigned long long)size);
    return m->shared[rank] + at;
}

static inline void pm_land(pm_machine *m, const pm_thread *t, const pm_copy *c)
{
    uint64_t size = c->bytes + c->zeros, align = size < 16 ? size : 16;
    uint8_t *to = c->to_shared ? pm_shared(m, t, c->to, size, align)
                               : pm_global(m, c->to, size, align);
    if (c->bytes)
        memcpy(to, c->to_shared ? pm_global(m, c->from, c->bytes, align)
                                : pm_shared(m, t, c->from, c->bytes, align), c->bytes);
    memset(to + c->bytes, 0, c->zeros);
}

static inline void pm_land_all(pm_machine *m, pm_thread *t)
{
    for (int i = 0; i < t->queued; i++) {
        if (t->queue[i].to_shared) m->landed[t->rank] += t->queue[i].bytes;
        pm_land(m, t, &t->queue[i]);
    }
    t->queued = 0;
}

/* Copies land at any time until they are waited for: here late, or when no more can be kept. */
static inline void pm_send(pm_machine *m, pm_thread *t, pm_copy c)
{
    if (t->queued == PM_QUEUE) pm_land_all(m, t);
    t->queue[t->queued++] = c;
}

#endif
