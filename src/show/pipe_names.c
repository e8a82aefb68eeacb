/* SPDX-License-Identifier: Apache-2.0 */
/* Says what an event of a run and an instance are called in a picture. */
#include "show/pipe.h"

#include <inttypes.h>
#include <string.h>

void zl_put_instance(zl_text *out, const zl_run *r, const zl_instance *i)
{
    const zl_role *role = &r->pipe->roles[i->role];
    zl_puts(out, role->name);
    if (zl_role_instances(role) > 1) zl_putf(out, "[%d]", i->number);
    if (r->pipe->blocks > 1) zl_putf(out, " cta %d", i->cta);
}

/* ---- events ---------------------------------------------------------- */

static bool is_of_bar(const zl_event *e)
{
    return e->bar >= 0 &&
           (e->kind == ZL_EV_EXPECT || e->kind == ZL_EV_ARRIVE || e->kind == ZL_EV_WAIT ||
            e->kind == ZL_EV_COMMIT || e->kind == ZL_EV_INIT);
}

/* The word of the way of an event, as in `fence wgmma`, of `fence proxy.async` what is behind the
 * point; NULL: its row has none. */
static const char *way_of(const zl_event *e)
{
    const uint8_t *token = zl_forms[e->kind].operands;
    while (*token && (*token == ZL_T_OPT_SCOPE || !zl_ways[*token][0])) token++;
    const char *way = *token ? zl_ways[*token][e->scope] : NULL,
               *dot = way ? strchr(way, '.') : NULL;
    return dot ? dot + 1 : way;
}

static const char *name_of(const zlay_pipe *p, const zl_event *e)
{
    if (is_of_bar(e)) return p->bars[e->bar].name;
    if (e->kind == ZL_EV_MMA && e->acc >= 0) return p->accs[e->acc].name;
    if (e->tmem[0] >= 0 && e->kind != ZL_EV_TCP) return p->tmems[e->tmem[0]].name;
    if (e->smem[0] >= 0) return p->smems[e->smem[0]].name;
    if (e->other >= 0) return p->others[e->other].name;
    if (e->map >= 0) return p->others[e->map].name;
    if (e->acc >= 0) return p->accs[e->acc].name;
    return way_of(e);
}

void zl_put_event_label(zl_text *out, const zlay_pipe *pipe, const zl_event *e)
{
    const char *name = name_of(pipe, e);
    zl_puts(out, zl_forms[e->kind].word);
    if (name) zl_puts(out, " "), zl_puts(out, name);
}

int64_t zl_event_ring_index(const zl_run *r, const zl_instance *i, const zl_event *e)
{
    const zl_pos *pos = e->smem[0] >= 0 ? &e->at[0]
                        : e->bar >= 0   ? &e->bar_at
                        : e->tmem[0] >= 0 && e->kind != ZL_EV_DEALLOC && e->kind != ZL_EV_ALLOC
                            ? &e->tmem_at[0]
                            : NULL;
    int64_t index = pos ? zl_run_value(r, i, pos) : -1;
    return index < 0 ? -1 : index;
}

static void put_stage(zl_text *out, const char *name, int64_t index, uint32_t stages)
{
    if (index >= 0) zl_putf(out, "; %s[%" PRId64 "]", name, index % stages);
}

/* A wait is for the phase of its parity, anything else is of the phase of its index. */
static void put_phase(zl_text *out, const zl_run *r, const zl_instance *i, const zl_event *e)
{
    const zl_bar *bar = &r->pipe->bars[e->bar];
    int64_t index = zl_run_value(r, i, &e->bar_at);
    bool waits = e->kind == ZL_EV_WAIT;
    int64_t round =
        waits ? zl_run_value(r, i, &e->parity) / bar->stages - e->flip : index / bar->stages;
    put_stage(out, bar->name, index, bar->stages);
    if (round < 0) zl_puts(out, " before its first phase");
    else zl_putf(out, " phase %" PRId64, round);
}

void zl_put_event_tip(zl_text *out, const zl_run *r, const zlay_pipe *pipe, const zl_instance *i)
{
    const zl_event *e = &r->pipe->events[i->pc];
    zl_putf(out, "line %u: ", e->line);
    zl_pipe_put_event(out, pipe, i->pc);
    for (uint32_t d = 0; d < i->depth; d++)
        zl_putf(out, "; %s = %" PRId64, r->pipe->events[i->loop[d]].name, i->counter[d]);
    for (int k = 0; k < 2; k++)
        if (e->smem[k] >= 0)
            put_stage(out, r->pipe->smems[e->smem[k]].name, zl_run_value(r, i, &e->at[k]),
                      r->pipe->smems[e->smem[k]].stages);
    if (e->bar >= 0) put_phase(out, r, i, e);
}
