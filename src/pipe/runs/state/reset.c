/* SPDX-License-Identifier: Apache-2.0 */
/* Puts a run to its beginning: no event has run, all memory is empty, and every thread knows
 * the setup. */
#include "pipe/runs/run.h"

#include <string.h>

static const zl_factors no_factors = {.by = -1, .of = {-1, -1}, .tag = {-1, -1}};

static void reset_instances(zl_run *r)
{
    for (uint32_t k = 0; k < r->instances_count; k++) {
        zl_instance *i = &r->instances[k];
        *i = (zl_instance){.role = i->role, .number = i->number, .cta = i->cta, .first = i->first,
                           .classes = i->classes, .pc = r->pipe->roles[i->role].begin, .epoch = 1,
                           .meets = -1, .joined = -1,
                           .registers = (int32_t)r->pipe->registers};
    }
    for (uint32_t k = 0; k < r->instances_count * r->pipe->accs_count; k++)
        r->accs[k] = (zl_acc_state){.unfenced = true, .reader_kind = ZL_OF_WGMMA, .factors = no_factors};
}

static void no_epochs(const zl_run *r, zl_tick *epochs, size_t rows)
{
    for (size_t k = 0; k < rows * r->classes_count; k++) epochs[k] = -1;
}

static void reset_things(zl_run *r)
{
    for (uint32_t k = 0; k < r->mbars_count; k++) {
        zl_mbar *g = &r->mbars[k];
        g->pending = r->pipe->bars[g->bar].count;
        g->tx = 0;
        g->phase = 0;
        g->event = 0;
        for (uint32_t c = 0; c < r->classes_count; c++) g->passed[c] = g->expected[c] = -1;
        for (int n = 0; n < ZL_CAME; n++) no_epochs(r, g->came[n], 1);
    }
    zl_mem_access *accesses = r->accesses;
    for (uint32_t k = 0; k < r->places_count; k++) {
        zl_shadow *p = &r->places[k];
        *p = (zl_shadow){.size = p->size, .pieces = p->pieces, .factors = no_factors,
                       .accesses = accesses};
        accesses += r->rooms[k];
    }
    for (uint32_t k = 0; k < r->meetings_count; k++) {
        r->meetings[k].pending = r->meetings[k].count = 0;
        r->meetings[k].generation = 0;
    }
    for (uint32_t k = 0; k < r->flags_count; k++) {
        r->flags[k].total = 0;
        memset(r->flags[k].open, 0, r->classes_count * sizeof *r->flags[k].open);
        no_epochs(r, r->flags[k].raised, 1);
        no_epochs(r, r->flags[k].made, r->flags[k].count);
    }
    memset(r->columns, 0, (size_t)r->pipe->tmems_count * r->pipe->blocks * sizeof *r->columns);
    memset(r->live_columns, 0, r->pipe->blocks * sizeof *r->live_columns);
    memset(r->relinquished, 0, r->pipe->blocks * sizeof *r->relinquished);
}

/* The setup's allocations: every block makes them, and all threads know of them. */
static void run_setup(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    for (uint32_t k = 0; k < p->setup; k++)
        for (uint32_t b = 0; b < p->blocks; b++) {
            const zl_event *e = &p->events[k];
            if (e->kind == ZL_EV_RELINQUISH) r->relinquished[b] = true;
            if (e->kind == ZL_EV_ALLOC) zl_columns_setup(r, e, b);
        }
}

void zl_run_reset(zl_run *r)
{
    memset(r->memory, 0, r->memory_room * sizeof *r->memory);
    memset(r->debt_event, 0, (size_t)r->pipe->blocks * r->comps * sizeof *r->debt_event);
    reset_instances(r);
    reset_things(r);
    *r->lap = 0;
    r->fault = (zl_fault){0};
    run_setup(r);
}
