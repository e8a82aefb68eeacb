/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what the text of a pipe breaks by itself, before any run: the setup of mbarriers, who
 * may run which event, tensor memory's columns and lanes, and the register budget of
 * setmaxnreg. zl_run_check_alone checks what one role breaks in every interleaving of the
 * others; it is asked only where the search hit a limit. */
#include "pipe/language/form.h"
#include "pipe/runs/run.h"
#include "pipe/tmem/tmem.h"

#include <string.h>

enum { REGISTERS = 65536, WARP = 32, GRANULE = 8 }; /* of a block; registers come by the granule */

static void report_form(void *to, int32_t rule, uint32_t event, int64_t found, int64_t wanted)
{
    zl_run_fault(to, rule, event, UINT32_MAX, found, wanted);
}

/* The index of the event on a line. */
static uint32_t event_at(const zlay_pipe *p, uint32_t line)
{
    uint32_t k = 0;
    while (k < p->events_count && p->events[k].line != line) k++;
    return k;
}

static void report_tmem(void *to, uint32_t row, uint32_t line, uint32_t other, int64_t found,
                        int64_t wanted)
{
    zl_run *r = to;
    zlay_tmem_row rule;
    (void)other;
    if (!zlay_tmem_row_info(&rule, row))
        zl_run_fault(r, rule.rule, event_at(r->pipe, line), UINT32_MAX, found, wanted);
}

typedef struct walked {
    zl_run *run;
    int64_t params[ZL_PIPE_NAMES];
} walked;

/* Takes the first fault of a role run alone, with its param values. */
static void report_walk(void *to, uint32_t row, uint32_t line, uint32_t other, int64_t found,
                        int64_t wanted)
{
    walked *w = to;
    if (w->run->fault.rule) return;
    memcpy(w->run->params, w->params, w->run->pipe->params_count * sizeof *w->params);
    report_tmem(w->run, row, line, other, found, wanted);
}

void zl_run_check_alone(zl_run *r)
{
    walked w = {.run = r};
    if (r->pipe->tmems_count) zl_tmem_walks(&(zl_tmem_ask){r->pipe, report_walk, &w, w.params});
}

/* ---- pairs ---- */

/* With cta_group::2 the even block of a pair issues products and copies for both. */
static void check_pair(zl_run *r, const zl_role *role, uint32_t event)
{
    const zl_event *e = &r->pipe->events[event];
    if (e->tmem[0] < 0 || !r->pipe->tmems[e->tmem[0]].pair) return;
    bool issues = e->kind == ZL_EV_MMA || e->kind == ZL_EV_TCP;
    if (issues && (role->cta < 0 || role->cta % 2))
        zl_run_fault(r, ZLAY_PIPE_COLLECTIVE, event, UINT32_MAX, role->cta, 0);
}

/* ---- registers ---- */

/* Checks each setmaxnreg of a role, and returns the registers that a thread has at its end. */
static int64_t registers_of(zl_run *r, const zl_role *role)
{
    int64_t registers = r->pipe->registers;
    for (uint32_t k = role->begin; k < role->end; k++) {
        const zl_event *e = &r->pipe->events[k];
        if (e->kind != ZL_EV_SETMAXNREG) continue;
        bool grows = e->scope == ZL_REGS_INC;
        bool whole = role->first_warp % 4 == 0 && (role->last_warp + 1) % 4 == 0 && role->each % 4 == 0;
        if (!whole || e->count < 24 || e->count > 256 || e->count % GRANULE || !registers ||
            r->pipe->registers % GRANULE ||
            (grows ? e->count < registers : e->count > registers))
            zl_run_fault(r, ZLAY_PIPE_REGISTERS, k, UINT32_MAX, e->count, registers);
        registers = e->count;
    }
    return registers;
}

/* The last event in a block that asks for more registers; with `any`, the first setmaxnreg at
 * all. */
static uint32_t asks(const zlay_pipe *p, uint32_t block, bool any)
{
    uint32_t event = UINT32_MAX;
    for (uint32_t k = 0; k < p->roles_count; k++) {
        const zl_role *role = &p->roles[k];
        if (role->cta != ZL_CTA_ALL && role->cta != (int32_t)block) continue;
        for (uint32_t n = role->begin; n < role->end; n++) {
            const zl_event *e = &p->events[n];
            if (e->kind != ZL_EV_SETMAXNREG || (any && event != UINT32_MAX)) continue;
            if (any || e->scope == ZL_REGS_INC) event = n;
        }
    }
    return event;
}

/* A block's registers are those of its launch: the roles may not end with more in sum. */
static void check_registers(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    for (uint32_t b = 0; b < p->blocks; b++) {
        int64_t launched = (int64_t)WARP * zl_pipe_warps(p) * p->registers, more = 0;
        uint32_t first = asks(p, b, true), last = asks(p, b, false);
        for (uint32_t k = 0; k < p->roles_count; k++) {
            const zl_role *role = &p->roles[k];
            int64_t warps = (int64_t)role->last_warp - role->first_warp + 1;
            if (role->cta == ZL_CTA_ALL || role->cta == (int32_t)b)
                more += (registers_of(r, role) - p->registers) * WARP * warps;
        }
        if (first != UINT32_MAX && launched > REGISTERS)
            zl_run_fault(r, ZLAY_PIPE_REGISTERS, first, UINT32_MAX, launched, REGISTERS);
        if (last != UINT32_MAX && more > 0)
            zl_run_fault(r, ZLAY_PIPE_REGISTERS, last, UINT32_MAX, launched + more, launched);
    }
}

void zl_run_check_form(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    const zl_form_ask ask = {p, report_form, r};
    zl_form_bars(&ask);
    if (p->tmems_count) zl_tmem_events(&(zl_tmem_ask){p, report_tmem, r, NULL});
    for (uint32_t k = 0; k < p->roles_count; k++)
        for (uint32_t i = p->roles[k].begin; i < p->roles[k].end; i++) {
            zl_form_event(&ask, &p->roles[k], i);
            check_pair(r, &p->roles[k], i);
        }
    check_registers(r);
}
