/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a run of a pipe. The run is the verifier's own (pipe/runs/retrace.h), made twice: first to
 * count the steps and to find the event that is marked, then to draw. */
#include "show/pipe.h"
#include "base/request.h"
#include "pipe/language/plain.h"
#include "pipe/order/verify.h"

#include <inttypes.h>
#include <string.h>

#include <zlay/show_pipe.h>

enum { STEPS_USUAL = 64, TRIPS_USUAL = 3, TRIPS_MOST = 200, LABEL = 160, TIP = 512, TITLE = 256 };

typedef zl_pipe_view view;

/* ---- events ---------------------------------------------------------- */

static void put_event(view *v, zl_run *r, const zl_instance *i, bool marked)
{
    char label[LABEL], tip[TIP];
    uint32_t k = (uint32_t)(i - r->instances);
    zl_text name = {label, sizeof label - 1, 0}, text = {tip, sizeof tip - 1, 0};
    const zl_event *e = &r->pipe->events[i->pc];
    zlay_box box = zl_pipe_box(v, k, v->next[k], zl_event_ring_index(r, i, e));
    zl_put_event_label(&name, v->pipe, e);
    zl_put_event_tip(&text, r, v->pipe, i);
    zl_text_end(&name);
    zl_text_end(&text);
    box.marked = marked;
    box.label = label;
    box.tip = tip;
    zl_sketch_box(v->s, &box);
}

static void tell_event(view *v, zl_run *r, const zl_instance *i)
{
    uint32_t k = (uint32_t)(i - r->instances);
    v->told++;
    if (v->again.fault.rule) v->next[k] = v->steps;
    if (v->s && !v->tmem) put_event(v, r, i, v->fault.rule && !v->more && v->told == v->count);
    v->last = i->pc;
    v->next[k] = v->steps + 1;
    v->moved = true;
}

static void tell(zl_run *r, const zl_instance *i)
{
    view *v = r->teller;
    if (i) tell_event(v, r, i);
    bool ends = v->again.fault.rule ? i != NULL : !i && v->moved;
    if (!ends) return;
    zl_tracks_look(v);
    v->moved = false;
    v->steps++;
    if (v->again.fault.rule || v->steps < v->most) return;
    v->cut = r->stuck = true;
}

/* ---- where a run can not go on --------------------------------------- */

static bool is_event(const zl_event *e)
{
    return e->kind != ZL_EV_FOR && e->kind != ZL_EV_END;
}

/* The row of the first instance that has an event, or of the setup. */
static uint32_t row_of(const view *v, const zl_run *r, uint32_t event)
{
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_role *role = &r->pipe->roles[r->instances[k].role];
        if (role->begin <= event && event < role->end) return k;
    }
    return v->setup;
}

/* The event that breaks the rule by itself, in the row that has it. */
static void put_alone(view *v, zl_run *r)
{
    char label[LABEL], tip[TIP];
    zl_text name = {label, sizeof label - 1, 0}, text = {tip, sizeof tip - 1, 0};
    uint32_t event = v->fault.event;
    if (!is_event(&r->pipe->events[event])) return;
    zl_put_event_label(&name, v->pipe, &r->pipe->events[event]);
    zl_putf(&text, "line %u: ", r->pipe->events[event].line);
    zl_pipe_put_event(&text, v->pipe, event);
    zl_text_end(&name);
    zl_text_end(&text);
    zlay_box box = zl_pipe_box(v, row_of(v, r, event), v->steps, -1);
    box.marked = true;
    box.label = label;
    box.tip = tip;
    zl_sketch_box(v->s, &box);
}

static void put_last_step(view *v, zl_run *r)
{
    if (v->fault.rule != ZLAY_PIPE_DEADLOCK && !v->tmem) put_alone(v, r);
    if (v->fault.rule == ZLAY_PIPE_DEADLOCK && !v->tmem)
        for (const zl_instance *i = r->instances; i < r->instances + r->instances_count; i++)
            if (i->pc < r->pipe->roles[i->role].end && is_event(&r->pipe->events[i->pc]))
                put_event(v, r, i, true);
    v->steps++;
}

/* ---- the picture ----------------------------------------------------- */

static void name_rows(view *v, const zl_run *r)
{
    char label[LABEL];
    for (uint32_t k = 0; k < r->instances_count && !v->tmem; k++) {
        zl_text text = {label, sizeof label - 1, 0};
        zl_put_instance(&text, r, &r->instances[k]);
        zl_text_end(&text);
        zl_sketch_row(v->s, k, "%s", label);
    }
    zl_tracks_name(v);
}

static void put_notes(view *v, const zl_run *r)
{
    char line[LABEL];
    zl_text text = {line, sizeof line - 1, 0};
    const zl_fault *f = v->fault.rule ? &v->fault : &v->other;
    if (f->rule) {
        zl_putf(&text, "%s at line %u", zlay_pipe_rule_name(f->rule),
                r->pipe->events[f->event].line);
        if (f->other != UINT32_MAX)
            zl_putf(&text, " against line %u", r->pipe->events[f->other].line);
        zl_text_end(&text);
    }
    if (v->answer == ZLAY_UNDECIDED) zl_sketch_note(v->s, "undecided");
    if (f->rule)
        zl_sketch_note(v->s, "no: %s%s", line, f == &v->other ? ", in the run without trips" : "");
    else if (v->answer == ZLAY_YES) zl_sketch_note(v->s, "yes: correct for every trip count");
    if (v->cut) zl_sketch_note(v->s, "the run goes on behind step %u", v->steps - 1);
    else if (r->status) zl_sketch_note(v->s, "the run goes on: a limit is reached");
}

/* Runs once. */
static void play(view *v)
{
    uint32_t instances = v->again.run->instances_count;
    memset(v->next, 0, instances * sizeof *v->next);
    memset(v->known, 0, v->again.run->comps * sizeof *v->known);
    v->steps = 0;
    v->told = 0;
    v->moved = v->cut = false;
    zl_retrace_show(&v->again, tell, v);
}

/* Counts steps, and finds which events are marked. */
static void count_steps(view *v)
{
    zl_run *r = v->again.run;
    v->fault = v->again.fault;
    play(v);
    if (!v->fault.rule) v->fault = r->fault;
    v->count = v->told;
    bool last = v->count && v->last == v->fault.event;
    v->more = v->fault.rule && (v->fault.rule == ZLAY_PIPE_DEADLOCK || !last);
}

static zlay_status draw(view *v, zl_sketch *s)
{
    zl_run *r = v->again.run;
    count_steps(v);
    uint32_t steps = v->steps + v->more, rows = zl_tracks_begin(v);
    bool setup = v->more && !v->tmem && v->fault.event < r->pipe->setup;
    if (setup) v->setup = rows++;
    zl_sketch_panel(s, ZLAY_PANEL_STEPS, steps ? steps : 1, rows ? rows : 1, "%s", "");
    if (s->status) return s->status;
    v->s = s;
    name_rows(v, r);
    if (setup) zl_sketch_row(s, v->setup, "setup");
    for (uint32_t k = 0; k < steps && !s->status; k++) zl_sketch_column(s, k, "%u", k);
    play(v);
    if (v->more) put_last_step(v, r);
    zl_tracks_end(v);
    put_notes(v, r);
    return s->status;
}

/* ---- requests -------------------------------------------------------- */

/* The values of a run with so many trips. */
static zlay_status choose_trips(zlay_ctx *ctx, zl_verdict *out, const zlay_pipe *plain,
                                uint64_t trips)
{
    *out = (zl_verdict){.tile = -1};
    for (uint32_t k = 0; k < plain->params_count; k++) {
        const zl_param *p = &plain->params[k];
        int64_t value = (int64_t)trips > p->most ? p->most : (int64_t)trips;
        out->values[k] = value < p->least ? p->least : value;
        if (p->of < 0) continue;
        out->tile = (int32_t)k;
        if (plain->params[p->of].least > TRIPS_MOST)
            return zl_fail(ctx, ZLAY_ELIMIT,
                           "param %s: more than %d trips that have counts of their own",
                           plain->params[p->of].name, TRIPS_MOST);
    }
    return ZLAY_OK;
}

static zlay_status make_view(view *v)
{
    const zl_run *r = v->again.run;
    v->next = zl_scratch(v->ctx, r->instances_count + 1, sizeof *v->next);
    return v->next ? zl_tracks_make(v) : ZLAY_ENOMEM;
}

/* Whether the pipe is right; where not, the verifier's run that shows it. */
static zlay_status ask(view *v, zl_verdict *verdict)
{
    size_t count = 0;
    zlay_status status = zl_verify_part(v->ctx, &v->answer, NULL, 0, &count, NULL, v->pipe);
    *verdict = (zl_verdict){.tile = -1};
    if (status || v->answer != ZLAY_NO) return status;
    return zl_run_verify(v->ctx, verdict, NULL, v->pipe);
}

/* Begins the run: the verifier's where the pipe is wrong, or that with the trips that are asked. */
static zlay_status begin_run(view *v, const zlay_pipe *plain, uint64_t trips)
{
    zl_verdict verdict, chosen;
    zlay_status status = ask(v, &verdict);
    if (status) return status;
    if (verdict.fault.rule && !trips) return zl_retrace_begin(&v->again, v->ctx, plain, &verdict);
    status = choose_trips(v->ctx, &chosen, plain, trips ? trips : TRIPS_USUAL);
    if (!status) status = zl_retrace_begin(&v->again, v->ctx, plain, &chosen);
    if (status || !verdict.fault.rule) return status;
    zl_retrace_find(&v->again);
    if (!v->again.fault.rule) v->other = verdict.fault;
    return ZLAY_OK;
}

static void put_title(zl_text *out, const view *v)
{
    const zl_run *r = v->again.run;
    zl_putf(out, "pipe %s", v->pipe->name);
    for (uint32_t k = 0; k < v->pipe->params_count; k++) {
        zl_puts(out, k ? ", " : ": ");
        zl_retrace_put_value(out, r, k);
    }
    zl_text_end(out);
}

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, const zlay_pipe *pipe,
                        const zlay_show_pipe_request *request, bool tmem)
{
    char title[TITLE];
    zl_text text = {title, sizeof title - 1, 0};
    const zlay_pipe *plain;
    view v = {.ctx = ctx,
              .pipe = pipe,
              .tmem = tmem,
              .most = request->steps ? request->steps : STEPS_USUAL};
    if (request->trips > TRIPS_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "trips: %" PRIu64 "; at most %d", request->trips,
                       TRIPS_MOST);
    if (tmem && !pipe->tmems_count)
        return zl_fail(ctx, ZLAY_EINVAL, "pipe %s has no tensor memory", pipe->name);
    zlay_status status = zl_pipe_plain(ctx, &plain, pipe);
    if (!status) status = begin_run(&v, plain, request->trips);
    if (!status) status = make_view(&v);
    if (status) return status;
    put_title(&text, &v);
    zl_sketch s = zl_sketch_begin(ctx, "%s", title);
    if (!s.status) s.status = draw(&v, &s);
    return zl_sketch_end(&s, out);
}

static zlay_status show_asked(zlay_ctx *ctx, zlay_picture **out, const zlay_pipe *pipe,
                              const zlay_show_pipe_request *request, bool tmem)
{
    static const zl_request_form form = {"zlay_show_pipe_request",
                                         sizeof(zlay_show_pipe_request),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_show_pipe_request, reserved)}};
    zlay_show_pipe_request r = {.size = sizeof r};
    if (!ctx || !out || !pipe) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    if (request) status = zl_request_read(ctx, &r, request, &form);
    return zl_leave(ctx, status ? status : show(ctx, out, pipe, &r, tmem));
}

zlay_status zlay_show_pipe(zlay_ctx *ctx, zlay_picture **out, const zlay_pipe *pipe,
                           const zlay_show_pipe_request *request)
{
    return show_asked(ctx, out, pipe, request, false);
}

zlay_status zlay_show_tmem(zlay_ctx *ctx, zlay_picture **out, const zlay_pipe *pipe,
                           const zlay_show_pipe_request *request)
{
    return show_asked(ctx, out, pipe, request, true);
}
