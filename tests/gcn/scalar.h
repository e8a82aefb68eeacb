/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar instructions, and what steers a wave: branches, waits, barriers. */
#ifndef TEST_GCN_SCALAR_H
#define TEST_GCN_SCALAR_H

#include "queue.h"

static inline uint64_t gcn_field(uint64_t a, uint64_t first, uint64_t count)
{
    return (uint32_t)a >> first & ((UINT64_C(1) << count) - 1);
}

#define SCALAR(name, widths, how, ...) \
    static inline uint64_t gcn_do_##name(uint64_t a, uint64_t b, uint64_t c, uint32_t *scc) \
    { \
        (void)b, (void)c, (void)scc; \
        __VA_ARGS__; \
    }
#define SCALAR_K(name, widths, how, ...) SCALAR(name, widths, how, __VA_ARGS__)
#define SCALAR_X(name, value) \
    static inline uint64_t gcn_do_##name(uint64_t a, uint64_t b, uint64_t c, uint32_t *scc) \
    { \
        (void)c, (void)scc; \
        return value; \
    }
#define BRANCH(name, on, value) \
    static inline uint64_t gcn_do_##name(uint64_t a, uint64_t b, uint64_t c, uint32_t *scc) \
    { \
        (void)a, (void)b, (void)c, (void)scc; \
        return value; \
    }
#include "scalar.def"
#undef SCALAR
#undef SCALAR_K
#undef SCALAR_X
#undef BRANCH

static inline void gcn_scalar_written(gcn_wave *w, const gcn_line *line, uint64_t value, bool bad)
{
    const gcn_operand *d = &line->operand[0];
    if (d->place != GCN_SCALAR) {
        gcn_fault(w, line, "its destination is no scalar register");
        return;
    }
    gcn_set_scalar(w, d->first, d->count, value, bad);
    for (int i = 0; i < d->count; i++) w->s_salu[d->first + i] = w->now;
}

static inline void gcn_set_scc(gcn_wave *w, uint32_t scc, bool bad)
{
    w->scc = scc & 1;
    w->scc_bad = bad;
}

/* Sources stand behind the destination, where there is one. */
static inline void gcn_run_scalar(gcn_wave *w, const gcn_line *line)
{
    const gcn_form *f = line->form;
    bool bad = false, writes = f->widths[0] != '0';
    uint64_t source[3] = {0};
    int sources = (int)strlen(f->widths) - 1;
    if (line->count != sources + writes) gcn_fault(w, line, "it has another number of operands");
    for (int i = 0; i < sources; i++)
        source[i] = gcn_scalar_operand(w, &line->operand[i + writes], f->widths[i + 1] - '0', &bad);
    if (f->bytes) bad |= w->scc_bad;
    uint32_t scc = w->scc;
    uint64_t value = f->does(source[0], source[1], source[2], &scc);
    if (writes) gcn_scalar_written(w, line, value, bad);
    if (f->flags & GCN_F_SCC) gcn_set_scc(w, scc, bad);
}

static inline void gcn_run_scalar_k(gcn_wave *w, const gcn_line *line)
{
    const gcn_form *f = line->form;
    bool bad = false;
    uint64_t a = gcn_scalar_operand(w, &line->operand[0], 1, &bad), b = line->operand[1].number;
    uint32_t scc = w->scc;
    uint64_t value = f->does(a, b, 0, &scc);
    if (f->widths[0] != '0') gcn_scalar_written(w, line, value, bad);
    if (f->flags & GCN_F_SCC) gcn_set_scc(w, scc, bad);
}

static inline void gcn_run_saveexec(gcn_wave *w, const gcn_line *line)
{
    bool bad = false;
    uint64_t a = gcn_scalar_operand(w, &line->operand[1], 2, &bad);
    uint64_t exec = gcn_exec(w, line), now = line->form->does(a, exec, 0, NULL);
    gcn_scalar_written(w, line, exec, false);
    gcn_set_scalar(w, GCN_EXEC, 2, now, bad);
    gcn_set_scc(w, now != 0, bad);
}

/* `bytes` of a branch's row: the register it looks at; 1 is SCC. */
static inline void gcn_run_branch(gcn_wave *w, const gcn_line *line)
{
    bool bad = false;
    uint64_t a = 0;
    int on = line->form->bytes;
    if (on == 1) a = w->scc, bad = w->scc_bad;
    if (on > 1) a = gcn_scalar(w, on, 2, &bad);
    if (bad) gcn_fault(w, line, "a branch on what is bad");
    if (line->target < 0) gcn_fault(w, line, "a branch to no instruction");
    if (!w->m->failed && (line->form->does(a, 0, 0, NULL) & 1)) w->line = line->target;
}

static inline void gcn_run_end(gcn_wave *w, const gcn_line *line)
{
    (void)line;
    gcn_wait(w, 0, 0);
    gcn_wait(w, 1, 0);
    w->done = true;
}

static inline void gcn_run_barrier(gcn_wave *w, const gcn_line *line)
{
    (void)line;
    w->at_barrier = true;
}

static inline void gcn_run_wait(gcn_wave *w, const gcn_line *line)
{
    gcn_wait(w, 0, line->vmcnt);
    gcn_wait(w, 1, line->lgkmcnt);
}

/* An instruction is a wait state; s_nop N is N more. */
static inline void gcn_run_nop(gcn_wave *w, const gcn_line *line)
{
    w->now += (int)line->operand[0].number & 15;
}

static inline void gcn_run_nothing(gcn_wave *w, const gcn_line *line) { (void)w, (void)line; }

#endif
