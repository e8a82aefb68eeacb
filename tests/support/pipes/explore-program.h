/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the agents of explore.h, and what one program breaks alone. */
#ifndef TEST_EXPLORE_PROGRAM_H
#define TEST_EXPLORE_PROGRAM_H

#include "pipe/language/pipe.h"
#include "test.h"

#include <string.h>

enum { BY_INSTANCES, BY_WARPS, BY_LANES, EXPLORE_MODES };
enum { AGENTS = 4, OPS = 250, SLOTS = 24, PIECES = 48, BAR_SLOTS = 16, NEVER = 1 << 20 };

typedef struct explore_op {
    const zl_event *event;
    int64_t bar_q, parity_q, q[2];
    int done,
        fenced; /* ops of the same agent: the wait that ends it; the proxy fence behind that */
    int wrote;        /* of a use of own memory: the op that wrote it last, -1 */
    int turn;         /* how many ops of the same event came before */
} explore_op;

typedef struct explore_agent {
    const zl_role *role;
    int32_t role_index;
    bool leader;      /* is the elected thread of its instance */
    bool alone;       /* no other agent shares its instance */
    int64_t weight[3];
    explore_op ops[OPS];
    int count;
} explore_agent;

typedef struct explore_state {
    uint8_t at[AGENTS];
    uint8_t piece[PIECES];  /* op + 1 of the agent that writes it; 0 empty */
    uint8_t flying[PIECES]; /* the bar slot + 1 that a copy in flight signals */
    uint8_t phase[BAR_SLOTS];
    int16_t pending[BAR_SLOTS];
    int32_t tx[BAR_SLOTS];
} explore_state;

/* A piece: what one agent writes of one part of one slot. */
typedef struct explore_piece {
    int32_t smem, slot, part, agent, bytes;
    bool copy;
} explore_piece;

typedef struct explore {
    const zlay_pipe *pipe;
    const int64_t *params;
    int mode;
    int64_t total; /* positions */
    explore_agent agents[AGENTS];
    int agents_count;
    explore_piece pieces[PIECES];
    int pieces_count;
    uint32_t bar_base[8];
    const char *fault;
    uint32_t line;
    explore_state *states;
    uint32_t *table;
    uint32_t *slot; /* of each state in the table: what the next pipe clears */
    uint32_t states_count, room;
} explore;

static bool explore_fail(explore *x, const char *what, uint32_t line)
{
    if (!x->fault) {
        x->fault = what;
        x->line = line;
    }
    return false;
}

/* ---- programs ---- */

static int64_t explore_value(const explore *x, const zl_pos *pos, const int64_t *counter)
{
    int64_t sum = pos->add;
    if (pos->loop >= 0) sum += counter[pos->loop] * (pos->times >= 0 ? x->params[pos->times] : pos->scale ? pos->scale : 1);
    return pos->plus >= 0 ? sum + x->params[pos->plus] : sum;
}

static bool explore_is_bulk(const zl_event *e)
{
    return e->kind == ZL_EV_STORE || e->kind == ZL_EV_COPY || e->kind == ZL_EV_EXPECT ||
           ((e->kind == ZL_EV_COMMIT || e->kind == ZL_EV_WAITGROUP) &&
            (e->scope == ZL_GROUP_BULK || e->scope == ZL_GROUP_BULK_READ));
}

static bool explore_runs(const explore_agent *a, const zl_event *e)
{
    return e->kind == ZL_EV_ARRIVE ? a->weight[e->scope] > 0 : a->leader || !explore_is_bulk(e);
}

static int explore_turn(const explore_agent *a, const zl_event *e)
{
    int turn = 0;
    for (int k = 0; k < a->count; k++) turn += a->ops[k].event == e;
    return turn;
}

static bool explore_program(explore *x, explore_agent *a)
{
    int64_t counter[ZL_PIPE_LOOPS] = {0}, last[ZL_PIPE_LOOPS] = {0};
    uint32_t depth = 0;
    for (uint32_t i = a->role->begin; i < a->role->end; i++) {
        const zl_event *e = &x->pipe->events[i];
        if (e->kind == ZL_EV_FOR) {
            counter[depth] = explore_value(x, &e->at[0], counter);
            last[depth] = explore_value(x, &e->bar_at, counter);
            if (counter[depth] < last[depth]) depth++;
            else i = (uint32_t)e->match;
        } else if (e->kind == ZL_EV_END) {
            if (++counter[depth - 1] < last[depth - 1]) i = (uint32_t)e->match;
            else depth--;
        } else if (explore_runs(a, e)) {
            if (a->count == OPS) return explore_fail(x, "too long to explore", e->line);
            a->ops[a->count++] = (explore_op){
                e,
                explore_value(x, &e->bar_at, counter),
                explore_value(x, &e->parity, counter),
                {explore_value(x, &e->at[0], counter), explore_value(x, &e->at[1], counter)},
                NEVER,
                NEVER,
                -1,
                explore_turn(a, e)};
        }
    }
    return true;
}

static int explore_group(const zl_event *e)
{
    return e->kind == ZL_EV_MMA ? ZL_GROUP_WGMMA : e->kind == ZL_EV_CPASYNC ? ZL_GROUP_CPASYNC
         : e->kind == ZL_EV_STORE ? ZL_GROUP_BULK : -1;
}

/* Number the groups; a wait for all but n ends those whose number is below the count of commits
 * less n. */
static void explore_groups(explore_agent *a, int group)
{
    int number[OPS], commits = 0;
    for (int k = 0; k < a->count; k++) {
        const zl_event *e = a->ops[k].event;
        number[k] = explore_group(e) == group ? commits : NEVER;
        if (e->kind == ZL_EV_COMMIT && e->scope == group) commits++;
        bool waits =
            e->kind == ZL_EV_WAITGROUP &&
            (e->scope == group || (group == ZL_GROUP_BULK && e->scope == ZL_GROUP_BULK_READ));
        for (int j = 0; waits && j < k; j++)
            if (number[j] + e->count < commits && a->ops[j].done == NEVER) a->ops[j].done = k;
    }
}

static bool explore_writes(const zl_event *e)
{
    return e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_WRITE;
}

static void explore_fences(explore_agent *a)
{
    for (int k = 0; k < a->count; k++) {
        explore_op *op = &a->ops[k];
        if (explore_group(op->event) < 0) op->done = k;
        for (int j = op->done; j < a->count && op->fenced == NEVER; j++)
            if (a->ops[j].event->kind == ZL_EV_FENCE && a->ops[j].event->scope == ZL_FENCE_PROXY)
                op->fenced = j;
    }
}

static bool explore_role_writes(const explore *x, const zl_role *role, int32_t smem)
{
    for (uint32_t i = role->begin; i < role->end; i++)
        if (explore_writes(&x->pipe->events[i]) && x->pipe->events[i].smem[0] == smem) return true;
    return false;
}

/* Memory that the threads of a role write themselves, and no copy. */
static bool explore_role_stages(const explore *x, const zl_role *role, int32_t smem)
{
    bool threads = false, copies = false;
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &x->pipe->events[i];
        if (e->smem[0] != smem) continue;
        threads |= e->kind == ZL_EV_WRITE;
        copies |= e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC;
    }
    return threads && !copies;
}

static int64_t explore_slot(int64_t q, uint32_t stages)
{
    int64_t r = q % (int64_t)stages;
    return r < 0 ? r + (int64_t)stages : r;
}

/* Memory that a role writes and reads itself: each use takes what the program wrote last, and all
 * is used. */
static bool explore_own(explore *x, explore_agent *a, int32_t smem)
{
    uint32_t stages = x->pipe->smems[smem].stages;
    for (int64_t slot = 0; slot < stages; slot++) {
        int wrote = -1;
        bool taken = true;
        for (int k = 0; k < a->count; k++) {
            explore_op *op = &a->ops[k];
            if (op->event->smem[0] != smem || explore_slot(op->q[0], stages) != slot) continue;
            if (explore_writes(op->event)) {
                if (!taken && a->leader)
                    return explore_fail(x, "what was written is lost", op->event->line);
                wrote = k;
                taken = false;
                continue;
            }
            if (wrote < 0) return explore_fail(x, "nothing was written", op->event->line);
            if (a->ops[wrote].event->part != op->event->part)
                return explore_fail(x, "another part was written", op->event->line);
            op->wrote = wrote;
            taken = true;
        }
        if (!taken && a->leader)
            return explore_fail(x, "what was written is lost", a->ops[wrote].event->line);
    }
    return true;
}

/* ---- what one program breaks alone ---- */

static bool explore_collective(const zl_event *e)
{
    bool group = (e->kind == ZL_EV_COMMIT || e->kind == ZL_EV_WAITGROUP) &&
                 (e->scope == ZL_GROUP_WGMMA || e->scope == ZL_GROUP_CPASYNC);
    bool fence = e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_WGMMA;
    return group || fence || e->kind == ZL_EV_MMA || e->kind == ZL_EV_SYNC ||
           e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_READ || e->kind == ZL_EV_WRITE;
}

static bool explore_alone(explore *x, const explore_agent *a)
{
    for (int k = 0; k < a->count; k++) {
        const zl_event *e = a->ops[k].event;
        if (a->role->elect &&
            (explore_collective(e) || (e->kind == ZL_EV_ARRIVE && e->scope != ZL_BY_ONE)))
            return explore_fail(x, "collective in an elected role", e->line);
        if (e->kind == ZL_EV_SYNC && e->scope == ZL_SYNC_CTA)
            return explore_fail(x, "block barrier in a role", e->line);
        if (a->ops[k].done == NEVER) return explore_fail(x, "in flight at the end", e->line);
        if (e->kind == ZL_EV_MMA && (a->role->each != 4 || a->role->first_warp % 4))
            return explore_fail(x, "product without a whole warpgroup", e->line);
    }
    return true;
}

/* The sum of a tile: every position of it once, begun fresh, fenced, taken when over. */
static bool explore_sums(explore *x, const explore_agent *a, int32_t acc, int64_t per_tile)
{
    int64_t first = 0, held = -1; /* held: products in the sum, -1 nothing */
    bool fence = false, taken = true;
    for (int k = 0; k < a->count; k++) {
        const explore_op *op = &a->ops[k];
        const zl_event *e = op->event;
        if (e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_WGMMA) fence = true;
        if (e->acc != acc) continue;
        if (e->kind == ZL_EV_MMA) {
            if (!fence) return explore_fail(x, "accumulators are not fenced", e->line);
            if (e->fresh && !taken) return explore_fail(x, "a sum is lost", e->line);
            if (!e->fresh && (held < 0 || taken))
                return explore_fail(x, "a sum is not begun", e->line);
            held = e->fresh ? 1 : held + 1;
            taken = false;
            if (op->q[0] != op->q[1] || op->q[0] < first || op->q[0] >= first + per_tile)
                return explore_fail(x, "a product is of another tile", e->line);
            for (int j = 0; j < k; j++)
                if (a->ops[j].event->kind == ZL_EV_MMA && a->ops[j].q[0] == op->q[0])
                    return explore_fail(x, "a product is summed twice", e->line);
            continue;
        }
        if (held != per_tile) return explore_fail(x, "a sum is not complete", e->line);
        for (int j = 0; j < k; j++)
            if (a->ops[j].event->acc == acc && a->ops[j].event->kind == ZL_EV_MMA &&
                a->ops[j].done > k)
                return explore_fail(x, "a sum is in flight", e->line);
        if (!taken) first += per_tile;
        taken = true;
        fence = false;
    }
    return (taken && first == x->total) || explore_fail(x, "sums are missing", a->role->line);
}

static bool explore_role_reads(const explore *x, const zl_role *role, int32_t smem)
{
    bool any = false;
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &x->pipe->events[i];
        any |= !explore_writes(e) && (e->smem[0] == smem || e->smem[1] == smem);
    }
    return any;
}

/* What is written is read by some role. */
static bool explore_taken(explore *x)
{
    for (int32_t m = 0; m < (int32_t)x->pipe->smems_count; m++) {
        bool written = false, read = false;
        for (uint32_t r = 0; r < x->pipe->roles_count; r++) {
            written |= explore_role_writes(x, &x->pipe->roles[r], m);
            read |= explore_role_reads(x, &x->pipe->roles[r], m);
        }
        if (written && !read) return explore_fail(x, "nobody reads what is written", 1);
    }
    return true;
}

/* A role that reads a ring reads each position of it. */
static bool explore_reads(explore *x, const explore_agent *a, int32_t smem)
{
    bool any = explore_role_reads(x, a->role, smem);
    for (int64_t q = 0; any && q < x->total; q++) {
        int times = 0;
        for (int k = 0; k < a->count; k++)
            for (int j = 0; j < 2; j++)
                times += a->ops[k].event->smem[j] == smem && a->ops[k].q[j] == q &&
                         !explore_writes(a->ops[k].event);
        if (!times) return explore_fail(x, "a stage is not read", a->role->line);
    }
    return true;
}

static bool explore_setup(explore *x)
{
    bool fenced = false, synced = false;
    int inits[8] = {0};
    for (uint32_t i = 0; i < x->pipe->setup; i++) {
        const zl_event *e = &x->pipe->events[i];
        if (e->kind == ZL_EV_INIT) inits[e->bar]++;
        if (e->kind == ZL_EV_INIT) fenced = synced = false;
        if (e->kind == ZL_EV_FENCE && e->scope != ZL_FENCE_WGMMA) fenced = true;
        if (e->kind == ZL_EV_SYNC) synced = fenced;
    }
    for (uint32_t b = 0; b < x->pipe->bars_count; b++)
        if (inits[b] != 1) return explore_fail(x, "a barrier is not initialised once", 1);
    return synced || explore_fail(x, "barriers are not published", 1);
}

/* ---- the world ---- */

static void explore_add_agent(explore *x, int32_t role_index, int which, int of)
{
    const zl_role *r = &x->pipe->roles[role_index];
    explore_agent *a = &x->agents[x->agents_count++];
    int64_t instances = zl_role_instances(r), mine = 1, warps = r->each,
            threads = 32 * (int64_t)r->each;
    a->role = r;
    a->role_index = role_index;
    a->leader = x->mode == BY_INSTANCES || which == 0;
    a->alone = of == 1 || x->mode == BY_INSTANCES;
    if (of == 1) mine = instances;
    else if (x->mode == BY_INSTANCES) mine = which ? instances - 1 : 1;
    else mine = instances;
    if (r->elect) warps = threads = 1;
    if (of == 2 && x->mode == BY_WARPS) {
        warps = which ? warps - 1 : 1;
        threads = 32 * warps;
    } else if (of == 2 && x->mode == BY_LANES) {
        warps = which ? 0 : warps;
        threads = which ? threads - 1 : 1;
    }
    a->weight[ZL_BY_ONE] = a->leader ? mine : 0;
    a->weight[ZL_BY_WARPS] = mine * warps;
    a->weight[ZL_BY_THREADS] = mine * threads;
}

static void explore_agents(explore *x)
{
    for (uint32_t r = 0; r < x->pipe->roles_count; r++) {
        const zl_role *role = &x->pipe->roles[r];
        bool two = x->mode == BY_INSTANCES
                       ? zl_role_instances(role) > 1
                       : !role->elect && (x->mode == BY_LANES || role->each > 1);
        for (int i = 0; i <= two; i++) explore_add_agent(x, (int32_t)r, i, 1 + two);
    }
}

#endif
