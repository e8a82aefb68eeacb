/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a cluster, a warp at a time in an order of chance, and what is on its way when nobody
 * can go on, or at any time. Clusters of a grid run one after the other. */
#include "ptx/run.h"

#include "ptx/steps.h"

enum { PX_STEPS_MOST = 40000000 };

static bool px_all_together(const px_machine *m, int thread)
{
    int first = thread / PX_WARP * PX_WARP;
    for (int i = 0; i < PX_WARP; i++) {
        const px_thread *t = &m->thread[first + i];
        if (t->done || !t->together || t->line != m->thread[thread].line) return false;
    }
    return true;
}

typedef struct px_program { /* of a text: rows of its lines, and which registers are of products */
    const px_row *row[PX_LINES];
    bool is_sum[PX_NAMES * 4];
    bool notes[PX_LINES]; /* an ordinary instruction with such a register */
} px_program;

static bool px_is_sum(const px_program *p, const px_operand *o) { return o->name >= 0 && p->is_sum[o->name]; }

/* Registers of products that an ordinary instruction reads or writes. */
static void px_note_sums(px_machine *m, const px_program *p, int thread, int line)
{
    const px_line *l = &m->text.line[line];
    if (!p->notes[line]) return;
    for (int i = 0; i < l->count; i++)
        if (px_is_sum(p, &l->operand[i])) m->thread[thread].touched[l->operand[i].name] = m->thread[thread].fences;
}

static void px_prepare(px_program *p, px_machine *m)
{
    memset(p, 0, sizeof *p);
    assert_true(m->text.registers < PX_NAMES * 4);
    for (int i = 0; i < m->text.lines; i++) {
        const px_line *l = &m->text.line[i];
        p->row[i] = px_row_of(l->op);
        if (!p->row[i] && strcmp(l->op, "bra")) fail_msg("ptx: no instruction '%s'", l->op);
        if (!p->row[i] || p->row[i]->step != px_wgmma) continue;
        int sums = atoi(strstr(l->op, ".m64n") + 5) / 2, all = l->count == sums + 9 ? sums + 4 : sums;
        for (int k = 0; k < all && k < l->count; k++) p->is_sum[l->operand[k].name] = true;
    }
    for (int i = 0; i < m->text.lines; i++)
        for (int k = 0; k < m->text.line[i].count && p->row[i] && p->row[i]->step != px_wgmma; k++)
            p->notes[i] |= px_is_sum(p, &m->text.line[i].operand[k]);
}

/* An instruction of a whole warp, once all its lanes are there. */
static bool px_warp_one(px_machine *m, const px_program *p, int thread, const px_line *l)
{
    const px_row *row = p->row[m->thread[thread].line];
    int first = thread / PX_WARP * PX_WARP;
    m->thread[thread].together = true;
    if (!px_all_together(m, thread)) return false;
    row->step(m, first, l);
    for (int i = 0; i < PX_WARP; i++) {
        px_note_sums(m, p, first + i, m->thread[first + i].line);
        m->thread[first + i].together = false;
        m->thread[first + i].line++;
    }
    return true;
}

/* One instruction of a thread; false: it waits, or has ended. */
static bool px_one(px_machine *m, const px_program *p, int thread)
{
    px_thread *t = &m->thread[thread];
    if (t->line >= m->text.lines) return px_fault(m, "a thread passes the end");
    const px_line *l = &m->text.line[t->line];
    const px_row *row = p->row[t->line];
    m->steps++;
    if (l->guard >= 0 && (px_get(m, thread, &(px_operand){l->guard, 0, false}) != 0) == l->negated) {
        t->line++;
        return true;
    }
    if (!row) {
        t->line = l->target;
        return true;
    }
    if (row->how == PX_TOGETHER) return px_warp_one(m, p, thread, l);
    px_note_sums(m, p, thread, t->line);
    if (!row->step(m, thread, l)) return false;
    t->line++;
    return true;
}

/* Whether what a thread waits for has come. */
static bool px_can_go(px_machine *m, int thread)
{
    px_thread *t = &m->thread[thread];
    if (t->done || t->together || t->meeting >= 0 || t->meets) return false;
    const px_line *l = &m->text.line[t->line];
    if (t->waits) {
        uint32_t word;
        memcpy(&word, px_global(m, px_get(m, thread, &l->operand[1]), 4), 4);
        t->waits = word == t->polled;
        return !t->waits;
    }
    if (t->wait < 0) return true;
    return (uint64_t)((px_own(m, thread)->barrier[t->wait].phase + 1) & 1) == (px_get(m, thread, &l->operand[2]) & 1);
}

/* All threads of a warp as far as they get; at any time also no further than a few instructions each. */
static bool px_warp_goes(px_machine *m, const px_program *p, int warp)
{
    bool went = false, some = m->when == PX_ANY_TIME;
    for (bool again = true; again && !*m->fault;) {
        again = false;
        for (int i = 0; i < PX_WARP && !*m->fault; i++) {
            int thread = warp * PX_WARP + i;
            if (!px_can_go(m, thread)) continue;
            long turn = some ? (long)(test_random(&m->random) % (unsigned)m->turn) : PX_STEPS_MOST;
            while (px_one(m, p, thread) && !*m->fault) {
                went = true;
                if (!turn--) break;
                again = !some;
            }
            went |= m->thread[thread].done;
            if (m->steps > PX_STEPS_MOST) px_fault(m, "more than %d steps", PX_STEPS_MOST);
        }
    }
    return went;
}

/* ---- a cluster --------------------------------------------------------------------------- */

static void px_thread_begin(px_machine *m, int i, uint32_t first_block)
{
    size_t registers = (size_t)m->text.registers;
    int rank = px_rank(m, i);
    px_thread *t = &m->thread[i];
    *t = (px_thread){.value = m->values + (size_t)i * registers, .state = m->states + (size_t)i * registers,
                     .touched = m->touched + (size_t)i * registers, .meeting = -1, .wait = -1};
    uint32_t block = first_block + (uint32_t)rank, wide = m->grid[0] ? m->grid[0] : m->all_blocks, high = m->grid[1] ? m->grid[1] : 1;
    uint64_t given[PX_SPECIAL] = {(uint64_t)(i % m->threads), block % wide, wide, (uint64_t)rank, block / wide % high,
                                  block / wide / high, 0};
    for (int s = 0; s < PX_SPECIAL; s++) t->value[s] = given[s], t->state[s] = PX_READY;
    if (m->text.smem >= 0) t->value[m->text.smem] = PX_ORIGIN;
    if (m->text.smem >= 0) t->state[m->text.smem] = PX_READY;
    for (int k = 0; k < m->text.params; k++) {
        t->value[m->text.param_at[k]] = PX_PARAM_AT + PX_MAP_BYTES * (uint64_t)k;
        t->state[m->text.param_at[k]] = PX_READY;
    }
}

static void px_cluster_begin(px_machine *m, uint32_t first_block)
{
    int all = m->threads * m->blocks;
    m->landings = m->stores = m->chunks = m->tensor_ops = m->uses = m->maps = 0;
    m->cluster_arrived = m->cluster_left = 0;
    m->number = m->stamp = 0;
    static const int turns[] = {2, 8, 64};
    m->met = m->blocks == 1;
    m->turn = turns[test_random(&m->random) % 3];
    m->elected = (int)(test_random(&m->random) % PX_WARP);
    m->poison = test_random(&m->random) % 2 ? PX_POISON : PX_GARBAGE;
    memset(m->cluster_saw, 0, sizeof m->cluster_saw);
    for (int r = 0; r < m->blocks; r++) {
        px_block *b = &m->block[r];
        memset(b->smem, m->poison, sizeof b->smem);
        memset(b->view, m->poison, sizeof b->view);
        memset(b->writer, 0, sizeof b->writer);
        memset(b->named, 0, sizeof b->named);
        memset(b->tensor.columns, 0, sizeof b->tensor.columns);
        memset(b->tensor.taken, 0, sizeof b->tensor.taken);
        b->tensor.relinquished = false;
        b->barriers = 0;
        b->live = m->threads;
    }
    memset(m->warp, 0, sizeof m->warp);
    memset(m->bulk_groups, 0, sizeof m->bulk_groups);
    memset(m->cp_groups, 0, sizeof m->cp_groups);
    memset(m->states, PX_NEVER, (size_t)all * (size_t)m->text.registers);
    memset(m->touched, 0, (size_t)all * (size_t)m->text.registers * sizeof *m->touched);
    for (int i = 0; i < all; i++) px_thread_begin(m, i, first_block);
}

/* What a cluster leaves behind: stores that nobody waited for are lost before their source is read. */
static void px_cluster_end(px_machine *m)
{
    for (int i = 0; i < m->stores; i++) {
        if (m->store[i].read) px_store_write(&m->store[i], m);
        free(m->store[i].read);
    }
    m->stores = 0;
    if (m->landings) px_fault(m, "a block ends with copies on their way");
    for (int i = 0; i < m->uses; i++)
        if (!m->use[i].stamp) px_fault(m, "a block ends with tensor memory in use");
    for (int w = 0; w < m->threads * m->blocks / PX_WARP; w++)
        if (m->warp[w].products) px_fault(m, "a block ends with products on their way");
    for (int r = 0; r < m->blocks; r++)
        for (int c = 0; c < PX_COLUMNS; c++)
            if (m->block[r].tensor.columns[c]) px_fault(m, "a block ends with tensor memory");
}

/* Each warp as far as it gets, in an order of chance. */
static bool px_all_go(px_machine *m, const px_program *p)
{
    int warps = m->threads * m->blocks / PX_WARP, order[PX_WARPS];
    bool went = false;
    for (int i = 0; i < warps; i++) {
        int k = (int)(test_random(&m->random) % (unsigned)(i + 1));
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < warps && !*m->fault; i++) went |= px_warp_goes(m, p, order[i]);
    return went;
}

/* Where the first thread stands that has not ended. */
static void px_stuck(px_machine *m)
{
    int t = 0;
    while (m->thread[t].done) t++;
    px_fault(m, "stuck: thread %d of block %d waits in line %d", t % m->threads, px_rank(m, t), m->text.line[m->thread[t].line].source + 1);
}

static void px_land_one(px_machine *m) { px_land(m, (int)(test_random(&m->random) % (unsigned)m->landings)); }

static void px_cluster(px_machine *m, const px_program *p)
{
    for (;;) {
        bool went = px_all_go(m, p);
        int live = 0;
        for (int r = 0; r < m->blocks; r++) live += m->block[r].live;
        if (!live || *m->fault) break;
        if (m->landings && (!went || (m->when == PX_ANY_TIME && test_random(&m->random) % 2))) px_land_one(m);
        else if (!went) px_stuck(m);
    }
    px_cluster_end(m);
}

void px_run(px_machine *m, const char *text, int threads, uint32_t blocks, int cluster)
{
    static px_program p;
    px_read(&m->text, text);
    px_prepare(&p, m);
    *m->fault = 0;
    m->steps = 0;
    m->threads = threads, m->blocks = cluster, m->all_blocks = blocks;
    size_t all = (size_t)threads * (size_t)cluster * (size_t)m->text.registers;
    assert_true(threads <= PX_THREADS && cluster <= PX_CLUSTER);
    m->values = calloc(all, sizeof *m->values);
    m->touched = calloc(all, sizeof *m->touched);
    m->states = calloc(all, 1);
    assert_true(m->values && m->touched && m->states);
    for (uint32_t b = 0; b < blocks && !*m->fault; b += (uint32_t)cluster) {
        px_cluster_begin(m, b);
        px_cluster(m, &p);
    }
    free(m->values);
    free(m->touched);
    free(m->states);
    free(m->chunk);
    m->chunk = NULL;
    m->chunks = m->chunk_room = 0;
}
