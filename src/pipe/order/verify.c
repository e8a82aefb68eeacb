/* SPDX-License-Identifier: Apache-2.0 */
/* Verifies a pipe (zlay_pipe_verify): first by the order of event classes, which covers rings in
 * one block and yields a short proof. Where that does not decide, it verifies by runs
 * (src/pipe/runs). The order proof checks each role alone, the sums at every index, progress, and
 * the ordering rules; it does so for the trip counts of a small model, from which all others follow
 * (docs/internals/proof.md). */
#include "pipe/runs/verify.h"
#include "pipe/order/verify.h"

#include <string.h>

/* Checks one pair of trip counts: each role alone, the sums, and the weights between classes. */
static zlay_status check_trips(zl_verify *v, int64_t outer, int64_t inner)
{
    zlay_status status = zl_traces_make(v, outer, inner);
    if (status) return status;
    for (uint32_t r = 0; r < v->pipe->roles_count; r++) zl_check_role(v, (int32_t)r);
    zl_mark mark = zl_scratch_mark(v->ctx);
    status = zl_check_sums(v);
    if (!status) status = zl_order_observe(v);
    zl_scratch_release(v->ctx, mark);
    return status;
}

/* Shared memory that one instance of one role alone writes and reads belongs to that role. */
static void find_own(zl_verify *v, uint32_t role)
{
    const zlay_pipe *pipe = v->pipe;
    const zl_role *r = &pipe->roles[role];
    for (uint32_t i = r->begin; i < r->end; i++)
        for (int j = 0; j < 2; j++) {
            const zl_event *e = &pipe->events[i];
            if (e->smem[j] < 0) continue;
            bool alone =
                (pipe->smems[e->smem[j]].each || zl_role_instances(r) == 1) &&
                (e->kind == ZL_EV_WRITE || e->kind == ZL_EV_READ || e->kind == ZL_EV_STORE);
            int8_t *own = &v->own[e->smem[j]];
            *own = alone && (*own == 0 || *own == (int8_t)(role + 1)) ? (int8_t)(role + 1) : -1;
        }
}

/* Checks every pair of trip counts of the small model. */
static zlay_status check_small_model(zl_verify *v)
{
    int64_t outer, inner, work = 0;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; !status && zl_shape_trips(&v->shape, v->pipe, i, &outer, &inner); i++) {
        work += outer * (inner + 1) * v->pipe->events_count;
        if ((uint64_t)work > zl_limits(v->ctx)->points) {
            zl_undecided(v, v->pipe->roles[0].line, "needs more steps than the limit points");
            return ZLAY_OK;
        }
        status = check_trips(v, outer, inner);
    }
    return status;
}

/* Whether a position of the event multiplies its counter by a number. */
static bool is_scaled(const zl_event *e)
{
    bool scaled = false;
    const zl_pos *pos[ZL_POSITIONS];
    zl_event_positions(e, pos);
    for (int k = 0; k < ZL_POSITIONS; k++) scaled |= pos[k]->scale != 0;
    return scaled;
}

/* Whether the order proof covers the event. */
static bool is_known(const zl_event *e)
{
    if (is_scaled(e) || e->when) return false;
    if (e->cta != ZL_CTA_OWN || e->bar_cta != ZL_CTA_OWN || e->multicast || e->times != 1 || e->map >= 0 || e->other >= 0 ||
        e->tmem[0] >= 0 || e->acc_a >= 0)
        return false;
    switch (e->kind) {
    case ZL_EV_FOR: return e->step == 1;
    case ZL_EV_COPY: return e->scope == ZL_COPY_TENSOR;
    case ZL_EV_COMMIT:
    case ZL_EV_WAITGROUP: return e->scope <= ZL_GROUP_CPASYNC;
    case ZL_EV_FENCE: return e->scope <= ZL_FENCE_MBARRIER;
    case ZL_EV_SYNC: return e->scope <= ZL_SYNC_CTA;
    case ZL_EV_END:
    case ZL_EV_INIT:
    case ZL_EV_EXPECT:
    case ZL_EV_ARRIVE:
    case ZL_EV_WAIT:
    case ZL_EV_CPASYNC:
    case ZL_EV_STORE:
    case ZL_EV_READ:
    case ZL_EV_WRITE:
    case ZL_EV_USE:
    case ZL_EV_SETMAXNREG:
    case ZL_EV_MMA: return true;
    default: return false;
    }
}

static const zl_event *find_unknown(const zlay_pipe *pipe)
{
    for (uint32_t i = 0; i < pipe->events_count; i++)
        if (!is_known(&pipe->events[i])) return &pipe->events[i];
    return NULL;
}

/* Tries the proof by order; it is undecided where the pipe has events or loops of another form. */
static zlay_status check_all(zl_verify *v)
{
    const zlay_pipe *pipe = v->pipe;
    for (uint32_t k = 0; k < pipe->params_count; k++)
        if (pipe->params[k].of >= 0) zl_undecided(v, 1, "is a pipe with counts of each iteration");
    if (v->undecided) return ZLAY_OK;
    const zl_event *unknown = find_unknown(pipe);
    if (unknown || pipe->blocks != 1) {
        zl_undecided(v, unknown ? unknown->line : 1, "is not an event of rings in one block");
        return ZLAY_OK;
    }
    zl_check_registers(v);
    if (v->undecided) return ZLAY_OK;
    for (uint32_t r = 0; r < pipe->roles_count; r++) find_own(v, r);
    for (uint32_t m = 0; m < pipe->smems_count; m++)
        if (v->own[m] < 0) v->own[m] = 0;
    zl_check_form(v);
    zl_shape_of(&v->shape, pipe);
    if (v->shape.inner < 0) {
        zl_undecided(v, pipe->roles[0].line, "and its fellows have no loop over positions");
        return ZLAY_OK;
    }
    if (v->shape.unfit) {
        zl_undecided(v, v->shape.unfit->line, "is a loop of another form, or reaches too far");
        return ZLAY_OK;
    }
    if (v->shape.loose)
        zl_undecided(v, v->shape.loose->line, "is not at its position plus a constant");
    if (v->shape.outer >= 0 && pipe->params[v->shape.inner].least < 1)
        zl_undecided(v, pipe->roles[0].line, "may have tiles without positions");
    zl_order_begin(v);
    if (v->order.full) return ZLAY_OK;
    zl_check_taken(v);
    zlay_status status = check_small_model(v);
    if (!status) status = zl_progress_check(v);
    return status ? status : zl_order_check(v);
}

static zlay_status verify_begin(zl_verify *v)
{
    v->traces = zl_scratch(v->ctx, v->pipe->roles_count, sizeof *v->traces);
    v->uses = zl_scratch(v->ctx, v->pipe->events_count + 1, sizeof *v->uses);
    v->own = zl_scratch(v->ctx, v->pipe->smems_count + 1, 1);
    return v->traces && v->uses && v->own ? ZLAY_OK : ZLAY_ENOMEM;
}

/* Gives the answer, with the printed proof of a yes or the reason of an undecided one. */
static zlay_status answer_give(zl_verify *v, zlay_answer *answer, size_t *count, zlay_buf *proof)
{
    if (!v->count && !v->undecided && !v->by_runs && proof) {
        zlay_status status = zl_print(proof, zl_proof_write, v);
        if (status) return status;
    }
    *answer = v->count ? ZLAY_NO : v->undecided ? ZLAY_UNDECIDED : ZLAY_YES;
    *count = v->count;
    if (*answer == ZLAY_UNDECIDED) zl_fail(v->ctx, ZLAY_OK, "line %u %s", v->undecided, v->because);
    return ZLAY_OK;
}

static uint32_t line_of(const zlay_pipe *pipe, uint32_t event)
{
    return event < pipe->events_count ? pipe->events[event].line : 0;
}

/* Decides by runs what the order proof refuses or does not cover. A refusal stands if a run
 * fails too; with too many runs the answer is undecided. Where the order proof does not cover
 * a pipe its reasons may be wrong, so the run's fault is reported. */
static zlay_status check_by_runs(zl_verify *v, zlay_buf *proof)
{
    zl_verdict verdict;
    zlay_status status = zl_run_verify(v->ctx, &verdict, proof, v->pipe);
    const zl_fault *f = &verdict.fault;
    if (status) return status;
    if (verdict.undecided) {
        v->undecided = verdict.because ? line_of(v->pipe, verdict.event) : v->pipe->roles[0].line;
        v->because = verdict.because ? verdict.because : "needs more than the limit points to be run";
        v->count = 0;
        return ZLAY_OK;
    }
    if (!f->rule || v->undecided) v->count = 0;
    v->undecided = 0;
    v->by_runs = true;
    if (f->rule && !v->count)
        zl_report(v, f->rule, line_of(v->pipe, f->event), line_of(v->pipe, f->other), f->found,
                  f->wanted);
    return ZLAY_OK;
}

zlay_status zl_verify_pipe(zlay_ctx *ctx, zlay_answer *answer, zlay_pipe_reason *reasons,
                           size_t room, size_t *count, zlay_buf *proof, const zlay_pipe *pipe)
{
    zl_verify *v = zl_scratch(ctx, 1, sizeof *v);
    if (!v) return ZLAY_ENOMEM;
    v->ctx = ctx;
    v->pipe = pipe;
    v->reasons = reasons;
    v->room = room;
    zlay_status status = verify_begin(v);
    if (!status) status = check_all(v);
    if (!status && (v->undecided || v->count)) status = check_by_runs(v, proof);
    return status ? status : answer_give(v, answer, count, proof);
}

zlay_status zl_verify_leave(zlay_ctx *ctx, zlay_status status, zlay_answer *answer, size_t *count)
{
    zlay_status left = zl_leave_answer(ctx, status, answer);
    if (status && !left) *count = 0;
    return left;
}

zlay_status zl_verify_part(zlay_ctx *ctx, zlay_answer *answer, zlay_pipe_reason *reasons,
                           size_t room, size_t *count, zlay_buf *proof, const zlay_pipe *pipe)
{
    zl_mark mark = zl_enter_part(ctx);
    zlay_status status = zl_verify_pipe(ctx, answer, reasons, room, count, proof, pipe);
    zlay_status left = zl_leave_part_answer(ctx, mark, status, answer);
    if (status && !left) *count = 0;
    return left;
}

zlay_status zlay_pipe_verify(zlay_ctx *ctx, zlay_answer *answer, zlay_pipe_reason *reasons,
                             size_t room, size_t *count, zlay_buf *proof, const zlay_pipe *pipe)
{
    if (!answer || !count || !pipe || (!reasons && room)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave(ctx, zl_verify_part(ctx, answer, reasons, room, count, proof, pipe));
}

zlay_status zl_verify_yes(zlay_ctx *ctx, const zlay_pipe *pipe)
{
    zlay_answer answer = ZLAY_NO;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    zlay_status status = zl_verify_part(ctx, &answer, &reason, 1, &count, NULL, pipe);
    if (status || answer == ZLAY_YES) return status;
    if (answer != ZLAY_NO) return ZLAY_ELIMIT;
    return zl_fail(ctx, ZLAY_NONE, "pipe %s: line %u breaks rule %s", pipe->name, reason.line,
                   zlay_pipe_rule_name(reason.rule));
}
