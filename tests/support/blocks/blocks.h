/* SPDX-License-Identifier: Apache-2.0 */
/* Whole blocks and clusters of a kernel's PTX, executed on memory: registers, predicates, barriers,
 * what warps do together, and asynchronous copies, which land as late as the text allows. An access
 * off its width or outside memory, a barrier told other bytes than land, and an instruction that it
 * does not know fail the test. Written from PTX ISA 9.1. */
#ifndef TEST_BLOCKS_BLOCKS_H
#define TEST_BLOCKS_BLOCKS_H

#include "blocks/access.h"

static inline bool pm_meets(const pm_line *l)
{
    return pm_is(l, "bar.sync") || pm_is(l, "barrier.cluster.wait") || pm_is(l, "ldmatrix") ||
           pm_is(l, "stmatrix");
}

/* Run a thread until it ends or stands where others are waited for. */
static inline void pm_run(pm_machine *m, pm_thread *t)
{
    for (t->waits = false; !t->waits; t->line++) {
        const pm_line *l = &m->line[t->line];
        assert_true(t->line < m->lines_count && ++m->steps < PM_STEPS);
        if (l->label >= 0) continue;
        if (l->guard >= 0 && !t->value[l->guard] != !!l->negated) continue;
        if (pm_is(l, "ret")) {
            if (t->queued && !m->returns)
                fail_msg("a thread leaves while its copies are on their way");
            t->done = true;
            return;
        }
        if (pm_meets(l)) return;
        if (pm_is(l, "barrier.cluster.arrive")) continue;
        if (pm_is(l, "cp.async.bulk.tensor")) m->tensor(m, t, l);
        else if (pm_is(l, "bra")) t->line = l->target;
        else if (pm_is(l, "setp.")) pm_setp(t, l);
        else if (!pm_held(m, t, l) && !pm_compute(t, l) && !pm_access(m, t, l) && !pm_async(m, t, l))
            fail_msg("the machine knows no \"%s\"", l->op);
    }
}

/* Threads [first, end) stand at one line: all of a block at a barrier or at what its warps do
 * together, all of the cluster at a barrier of that. */
static inline void pm_meet(pm_machine *m, uint32_t first, uint32_t end)
{
    int line = m->thread[first].line;
    for (uint32_t i = first; i < end; i++)
        if (m->thread[i].done || m->thread[i].line != line) fail_msg("threads stand apart");
    bool together = pm_is(&m->line[line], "ldmatrix") || pm_is(&m->line[line], "stmatrix");
    for (uint32_t i = first; together && i < end; i += PM_WARP)
        pm_matrix(m, &m->thread[i], &m->line[line]);
    for (uint32_t i = first; i < end; i++) m->thread[i].line++;
}

static inline void pm_meet_all(pm_machine *m)
{
    uint32_t each = m->threads / m->blocks;
    const pm_line *l = &m->line[m->thread[0].line];
    if (!m->thread[0].done && pm_is(l, "barrier.cluster.wait")) {
        pm_meet(m, 0, m->threads);
        return;
    }
    for (uint32_t i = 0; i < m->threads; i += each)
        if (!m->thread[i].done) pm_meet(m, i, i + each);
}

/* A value that every thread begins with. */
static inline void pm_set(pm_machine *m, uint32_t thread, const char *name, uint64_t value)
{
    m->thread[thread].value[pm_name(m, name, strlen(name))] = value;
}

static inline void pm_begin(pm_machine *m, uint32_t first, uint32_t blocks, uint32_t threads)
{
    if (!m->thread) m->thread = malloc(PM_THREADS * sizeof *m->thread);
    assert_non_null(m->thread);
    assert_true(blocks <= PM_BLOCKS && blocks * threads <= PM_THREADS);
    m->threads = blocks * threads;
    m->blocks = blocks;
    m->steps = 0;
    memset(m->landed, 0, sizeof m->landed);
    memset(m->shared, 0xee, blocks * sizeof m->shared[0]);
    memset(m->thread, 0, m->threads * sizeof *m->thread);
    for (uint32_t i = 0; i < m->threads; i++) {
        m->thread[i].rank = i / threads;
        pm_set(m, i, "%tid.x", i % threads);
        pm_set(m, i, "%ctaid.x", first + i / threads);
        pm_set(m, i, "%cluster_ctarank", i / threads);
        pm_set(m, i, "$smem", PM_ARRAYS);
        pm_set(m, i, "$bar", PM_BARRIERS);
        pm_set(m, i, "ptr_bar", PM_BARRIERS);
        for (int k = 0; k < m->tables; k++)
            m->thread[i].value[m->table[k].name] = m->table[k].memory.at;
    }
}

static inline void pm_go(pm_machine *m)
{
    for (uint32_t left = m->threads, waits; left;) {
        left = waits = 0;
        for (uint32_t i = 0; i < m->threads; i++)
            if (!m->thread[i].done) pm_run(m, &m->thread[i]);
        for (uint32_t i = 0; i < m->threads; i++) {
            left += !m->thread[i].done;
            waits += m->thread[i].waits && !m->thread[i].done;
        }
        if (left && !waits) pm_meet_all(m);
    }
}

static inline void pm_parameters(pm_machine *m, const char *const names[2],
                                 const uint64_t values[2])
{
    for (uint32_t i = 0; i < m->threads; i++)
        for (int n = 0; n < 2; n++) pm_set(m, i, names[n], values[n]);
}

/* Blocks [first, first + blocks) of a grid, which are a cluster; two parameters. */
static inline void pm_cluster(pm_machine *m, uint32_t first, uint32_t blocks, uint32_t threads,
                              const char *const names[2], const uint64_t values[2])
{
    pm_begin(m, first, blocks, threads);
    pm_parameters(m, names, values);
    pm_go(m);
}

/* Threads of one block at the first line, shared memory with nothing in it. */
static inline void pm_ready(pm_machine *m, uint32_t block, uint32_t threads, uint64_t source,
                            uint64_t dest)
{
    static const char *const names[] = {"ptr_source", "ptr_dest"};
    const uint64_t values[] = {source, dest};
    pm_begin(m, block, 1, threads);
    pm_parameters(m, names, values);
}

static inline void pm_block(pm_machine *m, uint32_t block, uint32_t threads, uint64_t source,
                            uint64_t dest)
{
    pm_ready(m, block, threads, source, dest);
    pm_go(m);
}

#endif
