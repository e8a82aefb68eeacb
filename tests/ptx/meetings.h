/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers: in shared memory, named, of the cluster, of a warp. */
#ifndef TEST_PTX_MEETINGS_H
#define TEST_PTX_MEETINGS_H

#include "ptx/copies.h"

/* ---- in shared memory ------------------------------------------------------------------ */

static inline bool px_init(px_machine *m, int thread, const px_line *l)
{
    uint32_t at;
    px_block *b = px_own(m, thread);
    if (!px_own_shared(m, &at, thread, PX_IN(0), 8, 8)) return false;
    if (b->barriers == PX_BARRIERS) return px_fault(m, "%d barriers", PX_BARRIERS);
    for (int i = 0; i < b->barriers; i++)
        if (b->barrier[i].at == at) return px_fault(m, "barrier %u initialised twice", at);
    int count = (int)PX_IN(1);
    if (count < 1 || count >= 1 << 20) return px_fault(m, "barrier %u counts %d", at, count);
    b->barrier[b->barriers++] = (px_barrier){.at = at, .count = count, .pending = count, .by = thread};
    return true;
}

/* Publishes what its thread has initialised. */
static inline bool px_init_fence(px_machine *m, int thread, const px_line *l)
{
    px_block *b = px_own(m, thread);
    (void)l;
    for (int i = 0; i < b->barriers; i++) b->barrier[i].published |= b->barrier[i].by == thread;
    return true;
}

/* In another block only what a fence has published. */
static inline px_barrier *px_barrier_of(px_machine *m, int thread, uint64_t address)
{
    px_barrier *b = px_barrier_at(m, thread, address);
    bool away = address >> PX_WINDOW && (int)(address >> PX_WINDOW) - 1 != px_rank(m, thread);
    if (b && away && !b->published) px_fault(m, "a barrier of another block that no fence has published");
    return b;
}

/* `_, [barrier](, count)`. */
static inline bool px_mbarrier_arrive(px_machine *m, int thread, const px_line *l)
{
    px_barrier *b = px_barrier_of(m, thread, PX_IN(1));
    if (!b) return false;
    px_tell(m, b->saw, thread);
    px_arrive(m, b, l->count > 2 ? (int64_t)PX_IN(2) : 1);
    return true;
}

/* `_, [barrier], bytes`. */
static inline bool px_arrive_expect(px_machine *m, int thread, const px_line *l)
{
    px_barrier *b = px_barrier_of(m, thread, PX_IN(1));
    if (!b) return false;
    px_expect(m, b, (int64_t)PX_IN32(2));
    px_tell(m, b->saw, thread);
    px_arrive(m, b, 1);
    return true;
}

static inline bool px_expect_tx(px_machine *m, int thread, const px_line *l)
{
    px_barrier *b = px_barrier_of(m, thread, PX_IN(0));
    if (b) px_expect(m, b, (int64_t)PX_IN32(1));
    if (b) px_barrier_turn(b);
    return b != NULL;
}

static inline bool px_try_wait(px_machine *m, int thread, const px_line *l)
{
    px_thread *t = &m->thread[thread];
    px_barrier *b = px_barrier_at(m, thread, PX_IN(1));
    if (!b) return false;
    bool passed = (uint64_t)((b->phase + 1) & 1) == (PX_IN(2) & 1);
    t->wait = passed ? -1 : (int)(b - px_own(m, thread)->barrier);
    if (!passed) return false;
    px_join(t->saw, b->done);
    PX_OUT(1);
    return true;
}

/* ---- named ------------------------------------------------------------------------------ */

/* One arrival at `barrier, count`, of all threads where there is no count; the last lets all go. */
static inline bool px_named_arrive(px_machine *m, int thread, uint64_t which, int count)
{
    px_block *b = px_own(m, thread);
    if (which >= PX_NAMED) return px_fault(m, "no named barrier %llu", (unsigned long long)which);
    if (count % PX_WARP || count < PX_WARP) return px_fault(m, "a named barrier of %d threads", count);
    if (b->named[which].arrived && b->named[which].count != count) return px_fault(m, "a named barrier with two counts");
    b->named[which].count = count;
    px_tell(m, b->named[which].saw, thread);
    if (++b->named[which].arrived < count) return false;
    b->named[which].arrived = 0;
    int first = px_rank(m, thread) * m->threads;
    for (int t = first; t < first + m->threads; t++) {
        if (m->thread[t].meeting != (int)which && t != thread) continue;
        px_join(m->thread[t].saw, b->named[which].saw);
        if (t != thread) m->thread[t].line++;
        m->thread[t].meeting = -1;
    }
    return true;
}

static inline bool px_bar_sync(px_machine *m, int thread, const px_line *l)
{
    uint64_t which = PX_IN(0);
    m->thread[thread].meeting = (int)which;
    return px_named_arrive(m, thread, which, l->count > 1 ? (int)PX_IN(1) : m->threads);
}

static inline bool px_bar_arrive(px_machine *m, int thread, const px_line *l)
{
    px_named_arrive(m, thread, PX_IN(0), (int)PX_IN(1));
    return true;
}

/* ---- of a warp ----------------------------------------------------------------------------- */

static inline bool px_warp_sync(px_machine *m, int first, const px_line *l)
{
    uint32_t saw[PX_SEEN] = {0};
    if ((uint32_t)px_get(m, first, &l->operand[0]) != UINT32_MAX) return px_fault(m, "bar.warp.sync of some lanes");
    for (int i = 0; i < PX_WARP; i++) px_tell(m, saw, first + i);
    for (int i = 0; i < PX_WARP; i++) px_join(m->thread[first + i].saw, saw);
    return true;
}

/* The lane whose value a lane gets; -1: its own. PTX ISA 9.1, shfl.sync. */
static inline int px_shfl_from(const char *mode, int lane, uint32_t b, uint32_t c)
{
    int by = (int)(b & 31), clamp = (int)(c & 31), segment = (int)(c >> 8 & 31);
    int least = lane & segment, most = least | (clamp & ~segment), from = 0;
    if (*mode == 'u') return lane - by >= most ? lane - by : -1;
    if (*mode == 'd') from = lane + by;
    if (*mode == 'b') from = lane ^ by;
    if (*mode == 'i') from = least | (by & ~segment);
    return from <= most ? from : -1;
}

/* `d(|p), a, b, c, lanes`: all lanes of the warp meet here. */
static inline bool px_shfl(px_machine *m, int first, const px_line *l)
{
    uint32_t value[PX_WARP];
    int in = l->count - 4, from;
    for (int i = 0; i < PX_WARP; i++) {
        if ((uint32_t)px_get(m, first + i, &l->operand[in + 3]) != UINT32_MAX) return px_fault(m, "shfl.sync of some lanes");
        value[i] = (uint32_t)px_get(m, first + i, &l->operand[in]);
    }
    for (int i = 0; i < PX_WARP; i++) {
        uint32_t b = (uint32_t)px_get(m, first + i, &l->operand[in + 1]), c = (uint32_t)px_get(m, first + i, &l->operand[in + 2]);
        from = px_shfl_from(l->op + strlen("shfl.sync."), i, b, c);
        px_set(m, first + i, &l->operand[0], value[from < 0 ? i : from]);
        if (in > 1) px_set(m, first + i, &l->operand[1], from >= 0);
    }
    return true;
}

/* Any lane may be the one. */
static inline bool px_elect(px_machine *m, int first, const px_line *l)
{
    if ((uint32_t)px_get(m, first, &l->operand[2]) != UINT32_MAX) return px_fault(m, "elect.sync of some lanes");
    for (int i = 0; i < PX_WARP; i++) {
        px_set(m, first + i, &l->operand[0], (uint64_t)m->elected);
        px_set(m, first + i, &l->operand[1], i == m->elected);
    }
    return true;
}

/* ---- of the cluster --------------------------------------------------------------------- */

/* Threads that have ended count as arrived. */
static inline void px_cluster_turn(px_machine *m)
{
    int all = m->threads * m->blocks;
    if (m->cluster_arrived + m->cluster_left < all) return;
    m->cluster_arrived = m->cluster_left = 0;
    m->met = true;
    for (int i = 0; i < all; i++) {
        px_thread *t = &m->thread[i];
        if (t->arrived) px_join(t->saw, m->cluster_saw);
        if (t->meets) t->line++;
        t->arrived = t->meets = false;
        m->cluster_left += t->done;
    }
}

static inline bool px_cluster_arrive(px_machine *m, int thread, const px_line *l)
{
    px_thread *t = &m->thread[thread];
    if (t->arrived) return px_fault(m, "line %d arrives at the cluster's barrier twice", l->source + 1);
    t->arrived = true;
    if (!strstr(l->op, ".relaxed")) px_tell(m, m->cluster_saw, thread);
    m->cluster_arrived++;
    px_cluster_turn(m);
    return true;
}

/* Behind its arrival; false: the phase is not over. */
static inline bool px_cluster_wait(px_machine *m, int thread, const px_line *l)
{
    px_thread *t = &m->thread[thread];
    (void)l;
    t->meets = t->arrived;
    return !t->meets;
}

static inline bool px_ret(px_machine *m, int thread, const px_line *l)
{
    px_thread *t = &m->thread[thread];
    (void)l;
    t->done = true;
    px_own(m, thread)->live--;
    m->cluster_left += !t->arrived;
    px_cluster_turn(m);
    return false;
}

#endif
