/* SPDX-License-Identifier: Apache-2.0 */
/* The checker's scheduler: instances take turns, each to the end of a loop iteration or until it
 * must wait. One interleaving is enough, because every rule is checked by what threads know and not
 * by what happened first. Beside the run it carries the loop counters of the longer trips that the
 * proof claims, and checks at each step that they do the same. */
#include "pipe/language/plain.h"
#include "pipe/replay/acc.h"
#include "pipe/replay/recheck/runs.h"
#include "pipe/replay/same.h"

#include <string.h>

/* ---- loops ---- */

/* Enters a loop in the run and in the longer trips, or skips it in all. */
static void begin_loop(zl_replay *c, zl_rp_instance *i, const zl_event *loop)
{
    int64_t twin[ZL_RP_PARAMS], first = zl_rp_value(c, i, &loop->at[0]);
    for (uint32_t k = 0; k < c->claims_count; k++) twin[k] = zl_rp_twin(c, i, &loop->at[0], k);
    zl_rp_edge(c, i->pc);
    if (!zl_rp_goes_on(c, i, loop, first, twin)) {
        i->pc = (uint32_t)loop->match + 1;
        return;
    }
    for (uint32_t k = 0; k < c->claims_count; k++) {
        i->twin[k][i->depth] = twin[k];
        i->found[k][i->depth] = false;
    }
    i->counter[i->depth] = first;
    i->loop[i->depth++] = i->pc++;
    zl_rp_head(c, i);
}

/* Ends an iteration: back to the head, or out of the loop. */
static void end_iteration(zl_replay *c, zl_rp_instance *i, const zl_event *end)
{
    const zl_event *loop = &c->pipe->events[end->match];
    int64_t twin[ZL_RP_PARAMS], next = i->counter[i->depth - 1] + loop->step;
    for (uint32_t k = 0; k < c->claims_count; k++) twin[k] = i->twin[k][i->depth - 1] + loop->step;
    if (!zl_rp_goes_on(c, i, loop, next, twin)) {
        zl_rp_edge(c, (uint32_t)end->match);
        i->depth--;
        i->pc++;
        return;
    }
    i->counter[i->depth - 1] = next;
    for (uint32_t k = 0; k < c->claims_count; k++) i->twin[k][i->depth - 1] = twin[k];
    i->pc = (uint32_t)end->match + 1;
    zl_rp_head(c, i);
}

/* ---- events ---- */

/* Whether whole warps run the event together: their lanes then know that each is past its
 * waits. */
static bool is_whole(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_LDMATRIX:
    case ZL_EV_STMATRIX:
    case ZL_EV_TLD:
    case ZL_EV_TST:
    case ZL_EV_TWAIT:
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_FETCH:
    case ZL_EV_PUT:
    case ZL_EV_WAITCOUNT:
    case ZL_EV_SETMAXNREG: return true;
    case ZL_EV_MMA: return e->tmem[0] < 0;
    case ZL_EV_FENCE: return e->scope == ZL_FENCE_WGMMA;
    case ZL_EV_COMMIT:
    case ZL_EV_WAITGROUP: return e->scope == ZL_GROUP_WGMMA;
    default: return false;
    }
}

/* The lanes of a warp learn of each other's finished waits. */
static void tell_lanes(zl_replay *c, const zl_rp_instance *i)
{
    for (uint32_t k = 0; i->threads > 1 && k < c->top; k++) {
        zl_rp_op *op = &c->ops[k];
        if (!op->live || op->kind != ZL_RP_PASSED || op->told) continue;
        if (c->threads[op->thread].instance != (uint32_t)(i - c->instances)) continue;
        op->told = true;
        for (uint32_t lane = 0; lane < ZL_RP_LANES; lane++)
            zl_rp_learn(c, zl_rp_set(c->threads[op->thread].warp + lane, ZL_RP_KNOWS),
                        (int32_t)k);
    }
}

/* Runs a wait for groups; a wait for bulk copies includes their reads. */
static void wait_groups(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    if (e->kind == ZL_EV_TWAIT) {
        zl_rp_wait_group(c, i, e->scope == ZL_TWAIT_LD ? ZL_RP_TLD : ZL_RP_TST, 0);
        return;
    }
    if (e->scope == ZL_GROUP_WGMMA) zl_rp_wait_group(c, i, ZL_RP_WGMMA, e->count);
    if (e->scope == ZL_GROUP_CPASYNC) zl_rp_wait_group(c, i, ZL_RP_CPASYNC, e->count);
    if (e->scope == ZL_GROUP_BULK) zl_rp_wait_group(c, i, ZL_RP_BULK, e->count);
    if (e->scope == ZL_GROUP_BULK || e->scope == ZL_GROUP_BULK_READ)
        zl_rp_wait_group(c, i, ZL_RP_BULK_READ, e->count);
}

/* Runs an event that accesses memory or registers; false where it has to wait. */
static bool do_memory(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_COPY: zl_rp_copy(c, i, e); break;
    case ZL_EV_CPASYNC: zl_rp_cpasync(c, i, e); break;
    case ZL_EV_STORE:
    case ZL_EV_REDUCE: zl_rp_store(c, i, e); break;
    case ZL_EV_READ:
    case ZL_EV_WRITE:
    case ZL_EV_LDMATRIX:
    case ZL_EV_STMATRIX: zl_rp_load_store(c, i, e); break;
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_FETCH:
    case ZL_EV_PUT: zl_rp_queue(c, i, e); break;
    case ZL_EV_WAITCOUNT: zl_rp_waitcount(c, i, e); break;
    case ZL_EV_UPDATE: zl_rp_update(c, i, e); break;
    case ZL_EV_USE: zl_rp_use_acc(c, i, e->acc, false, i->pc); break;
    case ZL_EV_MMA: zl_rp_product(c, i, e); break;
    case ZL_EV_ALLOC: return zl_rp_alloc(c, i, e);
    case ZL_EV_DEALLOC: zl_rp_dealloc(c, i, e); break;
    case ZL_EV_RELINQUISH: zl_rp_relinquish(c, i); break;
    case ZL_EV_TLD: zl_rp_load(c, i, e); break;
    case ZL_EV_TST: zl_rp_put(c, i, e); break;
    case ZL_EV_TCP: zl_rp_copy_in(c, i, e); break;
    default: break;
    }
    return true;
}

/* Runs an event; false where it has to wait. */
static bool do_event(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    if (is_whole(e)) tell_lanes(c, i);
    switch (e->kind) {
    case ZL_EV_EXPECT: zl_rp_expect(c, i, e); break;
    case ZL_EV_ARRIVE: zl_rp_arrive(c, i, e); break;
    case ZL_EV_WAIT: return zl_rp_wait(c, i, e);
    case ZL_EV_COMMIT: zl_rp_commit(c, i, e); break;
    case ZL_EV_WAITGROUP:
    case ZL_EV_TWAIT: wait_groups(c, i, e); break;
    case ZL_EV_FENCE: zl_rp_fence(c, i, e); break;
    case ZL_EV_SYNC:
    case ZL_EV_JOIN:
    case ZL_EV_MEET: return zl_rp_meet(c, i, e);
    case ZL_EV_RAISE:
    case ZL_EV_AWAIT: return zl_rp_flags(c, i, e);
    case ZL_EV_SETMAXNREG:
        if (!zl_rp_registers(c, i, e)) return false;
        tell_lanes(c, i); /* it is .sync: a lane goes on when all have run it */
        break;
    case ZL_EV_GRIDDEP:
        if (e->scope == ZL_GRIDDEP_WAIT) zl_rp_wait_grid(c, i);
        break;
    default: return do_memory(c, i, e);
    }
    return true;
}

/* ---- ends ---- */

/* Where an instance ends no group may be open, and those that must be waited for have been. */
static void check_groups(zl_replay *c, const zl_rp_instance *i)
{
    for (int k = 0; k < ZL_RP_GROUPS; k++) {
        bool waited =
            k != ZL_RP_BULK && k != ZL_RP_TCGEN05 && k != ZL_RP_MEMORY && k != ZL_RP_SHARED;
        if (i->open[k]) zl_rp_break(c, ZLAY_PIPE_GROUP, i->opened[k], UINT32_MAX);
        else if (waited && i->done[k] < i->last[k])
            zl_rp_break(c, ZLAY_PIPE_EXIT, i->opened[k], UINT32_MAX);
    }
}

/* No arrivals or bytes are left over in a phase that is not complete. */
static void check_phases(zl_replay *c)
{
    for (const zl_rp_mbar *g = c->mbars; g < c->mbars + c->mbars_count; g++) {
        if (g->pending < c->pipe->bars[g->bar].count)
            zl_rp_break(c, ZLAY_PIPE_COUNT, g->event, UINT32_MAX);
        if (g->tx) zl_rp_break(c, ZLAY_PIPE_BYTES, g->event, UINT32_MAX);
    }
}

/* What must hold when all instances have ended: nothing is owed, allocated, unread or pending. */
static void check_end(zl_replay *c)
{
    uint32_t each = c->threads_count + c->mbars_count;
    for (uint32_t k = 0; k < c->blocks * each; k++)
        if (c->debts[k].owed && !zl_rp_is_paid(c, k / each, &c->debts[k]))
            zl_rp_break(c, ZLAY_PIPE_EXIT, c->debts[k].event, UINT32_MAX);
    for (uint32_t k = 0; k < c->pipe->tmems_count * c->blocks; k++)
        if (c->columns[k].allocated && !c->columns[k].freed)
            zl_rp_break(c, ZLAY_PIPE_TMEM_LEAK, c->columns[k].event, UINT32_MAX);
    for (uint32_t k = 0; k < c->places_count; k++)
        if (c->places[k].unread) zl_rp_break(c, ZLAY_PIPE_EXIT, c->places[k].writer, UINT32_MAX);
    for (uint32_t k = 0; k < c->instances_count * c->pipe->accs_count; k++)
        if (c->accs[k].unread) zl_rp_break(c, ZLAY_PIPE_EXIT, c->accs[k].event, UINT32_MAX);
    check_phases(c);
}

/* ---- turns ---- */

/* Whether the comparison with longer trips is complete: behind the last repeated part a longer trip
 * does what the run does, shifted. */
static bool has_compared_all(const zl_replay *c)
{
    return c->turns == ZL_RP_FIRST &&
           (!c->repeats_count || c->step > c->repeats[c->repeats_count - 1].to);
}

static bool is_stopped(const zl_replay *c)
{
    return c->rule || c->status || c->unproved || has_compared_all(c);
}

/* Runs an instance to the end of its iteration or until it must wait; whether it ran at all. */
static bool take_turn(zl_replay *c, zl_rp_instance *i)
{
    bool moved = false, again = true;
    while (again && i->pc < i->role->end && !is_stopped(c)) {
        const zl_event *e = &c->pipe->events[i->pc];
        zl_rp_reserve(c);
        zl_rp_turn(c);
        if (is_stopped(c)) break;
        if (e->kind == ZL_EV_FOR) begin_loop(c, i, e);
        else if (e->kind == ZL_EV_END) {
            end_iteration(c, i, e);
            again = false;
        } else if (do_event(c, i, e)) i->pc++;
        else return moved;
        c->step++;
        moved = true;
    }
    if (moved && i->pc == i->role->end && !is_stopped(c)) {
        check_groups(c, i);
        zl_rp_leave(c, i);
    }
    return moved;
}

/* No instance can go on: reports bytes that never come, or the first instance that waits for
 * ever. */
static void find_stuck(zl_replay *c)
{
    for (const zl_rp_mbar *g = c->mbars; g < c->mbars + c->mbars_count; g++)
        if (!g->pending && g->tx > 0) zl_rp_break(c, ZLAY_PIPE_BYTES, g->event, UINT32_MAX);
    for (const zl_rp_instance *i = c->instances; i < c->instances + c->instances_count; i++)
        if (zl_rp_registers_late(c, i)) {
            c->status = zl_fail(c->ctx, ZLAY_ELIMIT,
                                "line %u waits for registers in one order of the roles",
                                c->pipe->events[i->pc].line);
            return;
        }
    for (uint32_t k = 0; k < c->instances_count; k++)
        if (c->instances[k].pc < c->instances[k].role->end)
            zl_rp_break(c, ZLAY_PIPE_DEADLOCK, c->instances[k].pc, UINT32_MAX);
}

void zl_rp_run(zl_replay *c)
{
    bool moved = true, open = true;
    uint64_t most = zl_limits(c->ctx)->points;
    zl_rp_begin(c);
    while (open && !is_stopped(c)) {
        moved = open = false;
        for (uint32_t k = 0; k < c->instances_count && !is_stopped(c); k++) {
            moved |= take_turn(c, &c->instances[k]);
            open |= c->instances[k].pc < c->instances[k].role->end;
        }
        c->round++;
        if (open && !moved && !is_stopped(c)) find_stuck(c);
        if (c->step > most && !is_stopped(c))
            c->status = zl_fail(c->ctx, ZLAY_ELIMIT, "limit points: a run of more than %llu steps",
                                (unsigned long long)most);
    }
    if (!is_stopped(c)) check_end(c);
}

static zlay_status try_plain(zlay_ctx *ctx, int32_t *rule, const zlay_pipe *pipe,
                             const int64_t *values, uint32_t given)
{
    zl_replay *c;
    zlay_status status = zl_rp_new(ctx, &c, pipe);
    if (status) return status;
    for (uint32_t k = 0; k < pipe->params_count; k++)
        c->values[k] = k < given ? values[k] : pipe->params[k].least;
    zl_rp_check_text(c);
    if (!c->rule) zl_rp_run(c);
    status = c->status;
    *rule = c->rule;
    return status;
}

zlay_status zl_rc_try(zlay_ctx *ctx, int32_t *rule, const zlay_pipe *pipe, const int64_t *values)
{
    const zlay_pipe *plain;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_pipe_plain(ctx, &plain, pipe);
    if (!status) status = try_plain(ctx, rule, plain, values, pipe->params_count);
    return zl_leave(ctx, status);
}
