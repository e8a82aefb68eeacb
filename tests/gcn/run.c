/* SPDX-License-Identifier: Apache-2.0 */
/* A workgroup runs: what registers hold at the start (AMDGPUUsage, "Initial Kernel Execution State"),
 * and which wave comes next. Between barriers nothing holds waves together: a schedule lets one run
 * ahead of the others as far as it can, turns all, or draws. */
#include "run.h"

#include "mutants.h"
#include "text.h"

static void gcn_long_ago(gcn_wave *w)
{
    for (int i = 0; i < GCN_SGPRS; i++) w->s_bad[i] = 1, w->s_valu[i] = w->s_salu[i] = GCN_LONG_AGO;
    for (int i = 0; i < GCN_VGPRS; i++) {
        w->history[i] = (gcn_history){.product = GCN_LONG_AGO,
                                      .sum = GCN_LONG_AGO,
                                      .valu = GCN_LONG_AGO,
                                      .trans = GCN_LONG_AGO,
                                      .store = GCN_LONG_AGO};
        memset(w->v_bad[i], 1, GCN_LANES);
    }
    w->scc_bad = 1;
}

static int gcn_give_scalars(gcn_wave *w, int at, int count, uint64_t value)
{
    gcn_set_scalar(w, at, count, value, false);
    return at + count;
}

/* User SGPRs by the bits of the properties; what nobody here needs is bad. Then what the system gives. */
static void gcn_start_scalars(gcn_wave *w)
{
    static const int registers[7] = {4, 2, 2, 2, 2, 2, 1}; /* bit 3: the kernel's arguments */
    gcn_machine *m = w->m;
    const gcn_kernel *k = &m->code->kernel;
    int at = 0, user = k->rsrc2 >> 1 & 31;
    for (int bit = 0; bit < 7; bit++) {
        if (!(k->properties >> bit & 1)) continue;
        if (bit == 3) gcn_give_scalars(w, at, 2, m->kernarg);
        at += registers[bit];
    }
    if (at > user) gcn_fault(w, NULL, "fewer user SGPRs than are asked for");
    at = user;
    for (int i = 0; i < 3; i++)
        if (k->rsrc2 >> (7 + i) & 1) at = gcn_give_scalars(w, at, 1, m->group[i]);
    gcn_set_scalar(w, GCN_EXEC, 2, ~UINT64_C(0), false);
}

/* v0: x, and y and z from bits 10 and 20 on, as gfx90a packs them. */
static void gcn_start_vectors(gcn_wave *w)
{
    const uint32_t *threads = w->m->threads;
    uint32_t dims = w->m->code->kernel.rsrc2 >> 11 & 3;
    for (uint32_t lane = 0; lane < GCN_LANES; lane++) {
        uint32_t id = (uint32_t)w->number * GCN_LANES + lane, x = id % threads[0];
        uint32_t y = id / threads[0] % threads[1], z = id / threads[0] / threads[1];
        if (dims < 1 && threads[1] > 1) gcn_fault(w, NULL, "the work-item's y is not asked for");
        w->v[0][lane] = x | y << 10 | z << 20;
        w->v_bad[0][lane] = 0;
    }
}

static gcn_wave *gcn_new_wave(gcn_machine *m, int number)
{
    gcn_wave *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->m = m;
    w->number = number;
    w->line = m->code->kernel.entry;
    gcn_long_ago(w);
    gcn_start_scalars(w);
    gcn_start_vectors(w);
    return w;
}

static void gcn_free_wave(gcn_wave *w)
{
    for (int counter = 0; counter < 2; counter++)
        for (int i = 0; i < w->queued[counter]; i++) free(w->queue[counter][i]);
    free(w);
}

static void gcn_step(gcn_wave *w)
{
    gcn_machine *m = w->m;
    if (w->line >= m->code->lines) {
        gcn_fault(w, NULL, "it runs past the end of the text");
        return;
    }
    const gcn_line *line = &m->code->line[w->line++];
    if (line->gone) return;
    if (m->ran) m->ran[line - m->code->line] = 1;
    if (++m->steps > GCN_STEPS) gcn_fault(w, line, "it does not end");
    line->form->run(w, line);
    w->now++;
}

static bool gcn_can_run(const gcn_wave *w) { return !w->done && !w->at_barrier; }

/* Waves that have ended are waited for by nobody. */
static bool gcn_release(gcn_machine *m)
{
    bool any = false;
    for (uint32_t i = 0; i < m->waves; i++) {
        any |= m->wave[i]->at_barrier;
        m->wave[i]->barriers += m->wave[i]->at_barrier;
        m->wave[i]->at_barrier = false;
    }
    return any;
}

static uint32_t gcn_first_choice(gcn_machine *m, uint64_t *random)
{
    if (m->schedule.order == GCN_AHEAD) return (uint32_t)m->schedule.seed;
    if (m->schedule.order == GCN_TURNS) return (uint32_t)(*random)++;
    return (uint32_t)(test_random(random) >> 33);
}

/* The wave that comes next, NULL: all have ended. */
static gcn_wave *gcn_next(gcn_machine *m, uint64_t *random)
{
    uint32_t first = gcn_first_choice(m, random);
    for (uint32_t i = 0; i < m->waves; i++) {
        gcn_wave *w = m->wave[(first + i) % m->waves];
        if (gcn_can_run(w)) return w;
    }
    return gcn_release(m) ? gcn_next(m, random) : NULL;
}

static void gcn_prepare(gcn_machine *m)
{
    m->waves = (m->threads[0] * m->threads[1] * m->threads[2] + GCN_LANES - 1) / GCN_LANES;
    assert_true(m->waves && m->waves <= GCN_WAVES);
    memset(m->lds_bad, 1, sizeof m->lds_bad);
    memset(m->lds_writers, 0, sizeof m->lds_writers);
    if (m->past) memset(m->past, 0xff, sizeof *m->past);
    m->steps = 0;
}

void gcn_run_block(gcn_machine *m, uint32_t x, uint32_t y, uint32_t z)
{
    uint64_t random = m->schedule.seed;
    m->group[0] = x, m->group[1] = y, m->group[2] = z;
    gcn_prepare(m);
    for (uint32_t i = 0; i < m->waves; i++) m->wave[i] = gcn_new_wave(m, (int)i);
    for (gcn_wave *w; !m->failed && (w = gcn_next(m, &random));) gcn_step(w);
    for (uint32_t i = 0; i < m->waves; i++) gcn_free_wave(m->wave[i]);
}

bool gcn_schedule_of(gcn_schedule *schedule, int number, int waves, uint64_t seed)
{
    int way = number / 2;
    if (way >= waves + 3) return false;
    *schedule = (gcn_schedule){GCN_TURNS, 0, number % 2};
    if (way > 0) schedule->order = GCN_AHEAD, schedule->seed = (uint64_t)way - 1;
    if (way > waves) schedule->order = GCN_DRAWN, schedule->seed = seed + (uint64_t)way;
    return true;
}

/* Instructions are the lines that begin with a tab. */
void gcn_read_code(gcn_code *code, const char *text)
{
    int room = 0;
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        if (*at != '\t') continue;
        if (code->lines == room) {
            room = room ? 2 * room : 1024;
            code->line = realloc(code->line, (size_t)room * sizeof *code->line);
            assert_non_null(code->line);
        }
        gcn_read_line(&code->line[code->lines++], at);
    }
    gcn_find_targets(code);
}

gcn_toll gcn_try_mistakes(gcn_code *code, gcn_trial *right, void *test, int first,
                                        int step, const uint8_t *ran, const gcn_excuse *excuses)
{
    gcn_toll toll = {0};
    int number = 0, left[64] = {0};
    for (int i = 0; excuses && excuses[i].name; i++) left[i] = excuses[i].count;
    for (int i = 0; i < code->lines; i++)
        for (gcn_mistake mistake = 0; mistake < GCN_MISTAKES; mistake++) {
            gcn_line was = code->line[i];
            char name[200];
            if ((ran && !ran[i]) || !gcn_possible(&was, mistake) || number++ % step != first)
                continue;
            gcn_change(&code->line[i], mistake);
            bool seen = !right(code, test);
            code->line[i] = was;
            snprintf(name, sizeof name, "%s: %s", was.text, gcn_mistake_name[mistake]);
            bool missed = !seen && !gcn_excused(excuses, left, name);
            if (missed) printf("unseen: line %d, %s\n", i, name);
            toll.tried++, toll.found += seen, toll.missed += missed;
        }
    for (int i = 0; step == 1 && excuses && excuses[i].name; i++) {
        if (left[i]) printf("listed, and seen: %s\n", excuses[i].name);
        toll.missed += left[i] > 0 ? left[i] : 0;
    }
    return toll;
}
