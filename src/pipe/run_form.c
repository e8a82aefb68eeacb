/* SPDX-License-Identifier: Apache-2.0 */
/* What the text alone breaks: the setup, collective events, columns, lanes, registers; and what a role
 * breaks in whatever order the others run. */
#include "pipe/form.h"
#include "pipe/run.h"
#include "pipe/tmem.h"
#include "pipe/tmem_rows.h"

#include <string.h>

enum { REGISTERS = 65536 };

static void report_form(void *to, int32_t rule, uint32_t event, int64_t found, int64_t wanted)
{
    zl_run_fault(to, rule, event, UINT32_MAX, found, wanted);
}

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
    if (!zlay_tmem_row_at(&rule, row))
        zl_run_fault(r, rule.rule, event_at(r->pipe, line), UINT32_MAX, found, wanted);
}

typedef struct walked {
    zl_run *run;
    int64_t params[ZL_PIPE_NAMES];
} walked;

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

/* The even block of a pair issues for both. */
static void check_pair(zl_run *r, const zl_role *role, uint32_t event)
{
    const zl_event *e = &r->pipe->events[event];
    if (e->tmem[0] < 0 || !r->pipe->tmems[e->tmem[0]].pair) return;
    bool issues = e->kind == ZL_EV_MMA || e->kind == ZL_EV_TCP;
    if (issues && (role->cta < 0 || role->cta % 2))
        zl_run_fault(r, ZLAY_PIPE_COLLECTIVE, event, UINT32_MAX, role->cta, 0);
}

/* ---- registers ---- */

static int64_t registers_of(zl_run *r, const zl_role *role)
{
    int64_t registers = r->pipe->registers;
    for (uint32_t k = role->begin; k < role->end; k++) {
        const zl_event *e = &r->pipe->events[k];
        if (e->kind != ZL_EV_SETMAXNREG) continue;
        bool grows = e->scope == ZL_REGS_INC;
        bool whole = role->first_warp % 4 == 0 && (role->last_warp + 1) % 4 == 0 && role->each % 4 == 0;
        if (!whole || e->count < 24 || e->count > 256 || e->count % 8 || !registers ||
            (grows ? e->count < registers : e->count > registers))
            zl_run_fault(r, ZLAY_PIPE_REGISTERS, k, UINT32_MAX, e->count, registers);
        registers = e->count;
    }
    return registers;
}

static uint32_t last_setmaxnreg(const zlay_pipe *p)
{
    uint32_t event = UINT32_MAX;
    for (uint32_t k = 0; k < p->events_count; k++)
        if (p->events[k].kind == ZL_EV_SETMAXNREG && p->events[k].scope == ZL_REGS_INC) event = k;
    return event;
}

/* Those that wait for registers get them when all others have given theirs. */
static void check_registers(zl_run *r)
{
    for (uint32_t b = 0; b < r->pipe->blocks; b++) {
        int64_t sum = 0;
        for (uint32_t k = 0; k < r->pipe->roles_count; k++) {
            const zl_role *role = &r->pipe->roles[k];
            if (role->cta == ZL_CTA_ALL || role->cta == (int32_t)b)
                sum += registers_of(r, role) * 32 * (role->last_warp - role->first_warp + 1);
        }
        uint32_t event = last_setmaxnreg(r->pipe);
        if (event != UINT32_MAX && sum > REGISTERS)
            zl_run_fault(r, ZLAY_PIPE_REGISTERS, event, UINT32_MAX, sum, REGISTERS);
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
