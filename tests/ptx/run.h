/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a block, one after the other in an order of chance, and each copy into shared memory
 * when nobody can go on. */
#ifndef TEST_PTX_RUN_H
#define TEST_PTX_RUN_H

#include "ptx/steps.h"
#include "random.h"

enum { PX_STEPS_MOST = 40000000 };

static inline bool px_all_together(const px_machine *m, int thread)
{
    int first = thread / PX_WARP * PX_WARP;
    for (int i = 0; i < PX_WARP; i++) {
        const px_thread *t = &m->thread[first + i];
        if (t->done || !t->together || t->line != m->thread[thread].line) return false;
    }
    return true;
}

/* Sums that ordinary instructions read or write. */
static inline void px_note_sums(px_machine *m, int thread, const px_line *l, const bool *is_sum)
{
    for (int i = 0; i < l->count; i++)
        if (l->operand[i].name >= 0 && is_sum[l->operand[i].name]) m->thread[thread].fenced = false;
}

typedef struct px_program { /* of a text: rows of its lines, and which registers are sums */
    const struct px_row *row[PX_LINES];
    bool is_sum[PX_NAMES * 4];
} px_program;

static inline void px_prepare(px_program *p, px_machine *m)
{
    memset(p, 0, sizeof *p);
    assert_true(m->text.registers < PX_NAMES * 4);
    for (int i = 0; i < m->text.lines; i++) {
        const px_line *l = &m->text.line[i];
        p->row[i] = px_row_of(l->op);
        if (!p->row[i] && strcmp(l->op, "bra") && strncmp(l->op, "ld.param", 8))
            fail_msg("ptx: no instruction '%s'", l->op);
        for (int k = 0; p->row[i] && p->row[i]->step == px_wgmma && k < l->count - 7; k++)
            p->is_sum[l->operand[k].name] = true;
    }
}

/* Arguments are 8 bytes at places where the kernel looks for them. */
static inline void px_ld_param(px_machine *m, int thread, const px_line *l)
{
    uint64_t at = px_get(m, thread, &l->operand[1]) - PX_PARAM_AT;
    uint64_t i = at / 128 - 3;
    if (at % 128 || i > 2) px_fault(m, "no argument at %llu", (unsigned long long)at);
    else px_set(m, thread, &l->operand[0], m->memory[i].at);
}

/* One instruction of a thread; false: it waits, or has ended. */
static inline bool px_one(px_machine *m, const px_program *p, int thread)
{
    px_thread *t = &m->thread[thread];
    if (t->line >= m->text.lines) return px_fault(m, "a thread passes the end");
    const px_line *l = &m->text.line[t->line];
    const struct px_row *row = p->row[t->line];
    m->steps++;
    if (l->guard >= 0 && (px_get(m, thread, &(px_operand){l->guard, 0}) != 0) == l->negated) {
        t->line++;
        return true;
    }
    if (!row) {
        if (l->target < 0) px_ld_param(m, thread, l);
        t->line = l->target < 0 ? t->line + 1 : l->target;
        return true;
    }
    if (row->how == PX_TOGETHER) {
        t->together = true;
        if (!px_all_together(m, thread)) return false;
        int first = thread / PX_WARP * PX_WARP;
        row->step(m, first, l);
        for (int i = 0; i < PX_WARP; i++) {
            if (row->step != px_wgmma) px_note_sums(m, first + i, l, p->is_sum);
            m->thread[first + i].together = false;
            m->thread[first + i].line++;
        }
        return true;
    }
    px_note_sums(m, thread, l, p->is_sum);
    if (!row->step(m, thread, l)) return false;
    t->line++;
    return true;
}

static inline bool px_can_go(px_machine *m, int thread)
{
    px_thread *t = &m->thread[thread];
    if (t->done || t->together || t->meeting >= 0) return false;
    if (t->wait < 0) return true;
    const px_line *l = &m->text.line[t->line];
    return (uint64_t)((m->barrier[t->wait].phase + 1) & 1) == (px_get(m, thread, &l->operand[2]) & 1);
}

/* All threads of a warp as far as they get. */
static inline bool px_warp_goes(px_machine *m, const px_program *p, int warp)
{
    bool went = false;
    for (bool again = true; again && !*m->fault;) {
        again = false;
        for (int i = 0; i < PX_WARP && !*m->fault; i++) {
            int thread = warp * PX_WARP + i;
            if (!px_can_go(m, thread)) continue;
            while (px_one(m, p, thread) && !*m->fault) went = again = true;
            if (m->steps > PX_STEPS_MOST) px_fault(m, "more than %d steps", PX_STEPS_MOST);
        }
    }
    return went;
}

static inline void px_block_begin(px_machine *m, int threads, uint32_t block, uint32_t blocks)
{
    size_t registers = (size_t)m->text.registers;
    m->threads = threads;
    m->barriers = m->landings = m->stores = m->chunks = 0;
    memset(m->smem, PX_POISON, sizeof m->smem);
    memset(m->view, PX_POISON, sizeof m->view);
    memset(m->writer, 0, sizeof m->writer);
    memset(m->warp, 0, sizeof m->warp);
    memset(m->named, 0, sizeof m->named);
    memset(m->bulk_groups, 0, sizeof m->bulk_groups);
    memset(m->cp_groups, 0, sizeof m->cp_groups);
    memset(m->states, PX_NEVER, (size_t)threads * registers);
    for (int i = 0; i < threads; i++) {
        px_thread *t = &m->thread[i];
        *t = (px_thread){.value = m->values + (size_t)i * registers, .state = m->states + (size_t)i * registers, .meeting = -1, .wait = -1};
        uint64_t given[PX_SPECIAL] = {(uint64_t)i, block, blocks, 0};
        for (int s = 0; s < PX_SPECIAL; s++) t->value[s] = given[s], t->state[s] = PX_READY;
        t->value[m->text.smem] = PX_ORIGIN, t->state[m->text.smem] = PX_READY;
        for (int k = 0; k < m->text.params; k++) {
            t->value[m->text.param_at[k]] = PX_PARAM_AT + 128u * (unsigned)k;
            t->state[m->text.param_at[k]] = PX_READY;
        }
    }
}

/* What a block leaves behind: stores that nobody waited for are lost before their source is read. */
static inline void px_block_end(px_machine *m)
{
    for (int i = 0; i < m->stores; i++) {
        if (m->store[i].read) px_store_write(&m->store[i], m);
        free(m->store[i].read);
    }
    if (m->landings) px_fault(m, "the block ends with copies on their way");
    for (int w = 0; w < m->threads / PX_WARP; w++)
        if (m->warp[w].products) px_fault(m, "the block ends with products on their way");
    m->stores = 0;
}

/* Each warp as far as it gets, in an order of chance. */
static inline bool px_all_go(px_machine *m, const px_program *p)
{
    int warps = m->threads / PX_WARP, order[PX_THREADS / PX_WARP];
    bool went = false;
    for (int i = 0; i < warps; i++) {
        int k = (int)(test_random(&m->random) % (unsigned)(i + 1));
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < warps && !*m->fault; i++) went |= px_warp_goes(m, p, order[i]);
    return went;
}

static inline void px_block(px_machine *m, const px_program *p)
{
    for (;;) {
        bool all = true, went = px_all_go(m, p);
        for (int t = 0; t < m->threads; t++) all &= m->thread[t].done;
        if (all || *m->fault) break;
        if (went) continue;
        if (!m->landings) {
            px_fault(m, "the block is stuck");
            break;
        }
        px_land(m, (int)(test_random(&m->random) % (unsigned)m->landings));
    }
    px_block_end(m);
}

/* All blocks of a grid, one after the other, up to the first fault. */
static inline void px_run(px_machine *m, const char *text, int threads, uint32_t blocks)
{
    static px_program p;
    px_read(&m->text, text);
    px_prepare(&p, m);
    *m->fault = 0;
    m->steps = 0;
    m->values = calloc((size_t)threads * (size_t)m->text.registers, sizeof *m->values);
    m->states = calloc((size_t)threads * (size_t)m->text.registers, 1);
    assert_true(m->values && m->states && threads <= PX_THREADS && m->text.smem >= 0);
    for (uint32_t b = 0; b < blocks && !*m->fault; b++) {
        px_block_begin(m, threads, b, blocks);
        px_block(m, &p);
    }
    free(m->values);
    free(m->states);
    free(m->chunk);
    m->chunk = NULL;
    m->chunks = m->chunk_room = 0;
}

#endif
