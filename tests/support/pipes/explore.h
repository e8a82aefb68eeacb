/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a pipe in every interleaving, for given trip counts, by the words of the PTX ISA alone.
 *
 * Two agents stand for the threads of a role: a fault needs a thread that is late and one that is
 * early. In the three modes they are of two instances, of two warps of one instance, or two lanes
 * of a warp. What an agent has in flight is a function of how far it is, since its program is
 * straight once trip counts are known, so a state is: how far each agent is, the barriers, and
 * which write each piece of shared memory holds.
 *
 * Commits, fences and waits for groups only make an agent less dangerous to the others, so the
 * latest moment, together with its next other event, shows every fault that an earlier moment
 * shows. A reading copy or product that is not waited for may read at any time: it holds its stage
 * from its issue to its wait. Only a tensor copy lands in a step of its own. */
#ifndef TEST_EXPLORE_H
#define TEST_EXPLORE_H

#include "pipes/explore-program.h"

/* ---- the world ---- */

static int explore_piece_of(explore *x, int agent, const explore_op *op)
{
    const zl_event *e = op->event;
    int32_t slot = (int32_t)explore_slot(op->q[0], x->pipe->smems[e->smem[0]].stages);
    for (int i = 0; i < x->pieces_count; i++) {
        const explore_piece *p = &x->pieces[i];
        if (p->smem == e->smem[0] && p->slot == slot && p->part == e->part && p->agent == agent)
            return i;
    }
    if (x->pieces_count == PIECES) return -1;
    x->pieces[x->pieces_count] =
        (explore_piece){e->smem[0], slot, e->part, agent, (int32_t)e->count, e->kind == ZL_EV_COPY};
    return x->pieces_count++;
}

static bool explore_world(explore *x)
{
    uint32_t base = 0;
    for (uint32_t b = 0; b < x->pipe->bars_count; b++) {
        x->bar_base[b] = base;
        base += x->pipe->bars[b].stages;
    }
    assert_true(base <= BAR_SLOTS);
    explore_agents(x);
    for (int i = 0; i < x->agents_count; i++) {
        explore_agent *a = &x->agents[i];
        if (!explore_program(x, a)) return false;
        for (int g = ZL_GROUP_WGMMA; g <= ZL_GROUP_CPASYNC; g++) explore_groups(a, g);
        explore_fences(a);
        for (int k = 0; k < a->count; k++)
            if (explore_writes(a->ops[k].event) && explore_piece_of(x, i, &a->ops[k]) < 0)
                return explore_fail(x, "too many pieces to explore", 1);
    }
    return true;
}

static bool explore_programs(explore *x, int64_t per_tile)
{
    if (!explore_setup(x) || !explore_taken(x)) return false;
    for (int i = 0; i < x->agents_count; i++) {
        explore_agent *a = &x->agents[i];
        if (!explore_alone(x, a)) return false;
        for (uint32_t c = 0; c < x->pipe->accs_count; c++)
            if (x->pipe->accs[c].role == a->role_index && !explore_sums(x, a, (int32_t)c, per_tile))
                return false;
        for (uint32_t m = 0; m < x->pipe->smems_count; m++) {
            bool own = explore_role_stages(x, a->role, (int32_t)m);
            bool all_own = own && (x->pipe->smems[m].each ||
                                   a->role->each == a->role->last_warp - a->role->first_warp + 1);
            if (all_own && explore_role_reads(x, a->role, (int32_t)m) &&
                !explore_own(x, a, (int32_t)m))
                return false;
            if (!own && !explore_reads(x, a, (int32_t)m)) return false;
        }
    }
    return true;
}

/* ---- steps ---- */

static bool explore_is_open(const explore_state *s, int agent, const explore_op *op, int k)
{
    return s->at[agent] > k && s->at[agent] <= op->done;
}

/* Two agents touch the same memory: a ring's always, one that each instance has of its own within
 * an instance. */
static bool explore_share(const explore *x, int32_t smem, int a, int b)
{
    if (a == b || !x->pipe->smems[smem].each) return true;
    return x->agents[a].role == x->agents[b].role && !x->agents[a].alone;
}

static bool explore_write(explore *x, explore_state *s, int agent, int k)
{
    const explore_op *op = &x->agents[agent].ops[k];
    const zl_event *e = op->event;
    uint32_t stages = x->pipe->smems[e->smem[0]].stages;
    int mine = explore_piece_of(x, agent, op);
    int64_t slot = explore_slot(op->q[0], stages);
    for (int b = 0; b < x->agents_count; b++) {
        if (!explore_share(x, e->smem[0], agent, b)) continue;
        for (int j = 0; j < s->at[b]; j++) {
            const explore_op *r = &x->agents[b].ops[j];
            if (explore_writes(r->event) || !explore_is_open(s, b, r, j)) continue;
            for (int i = 0; i < 2; i++)
                if (r->event->smem[i] == e->smem[0] && explore_slot(r->q[i], stages) == slot)
                    return explore_fail(x, "written while it is read", e->line);
        }
    }
    if (s->flying[mine]) return explore_fail(x, "two copies to one place", e->line);
    s->piece[mine] = (uint8_t)(k + 1);
    if (e->kind == ZL_EV_COPY)
        s->flying[mine] = (uint8_t)(1 + x->bar_base[e->bar] +
                                    explore_slot(op->bar_q, x->pipe->bars[e->bar].stages));
    return true;
}

static bool explore_is_visible(const explore *x, const explore_state *s, int i, bool async)
{
    const explore_piece *p = &x->pieces[i];
    const explore_op *op = &x->agents[p->agent].ops[s->piece[i] - 1];
    if (p->copy) return !s->flying[i];
    return s->at[p->agent] > (async ? op->fenced : op->done);
}

/* A stage of a ring: all its bytes, of this position, landed and visible to this proxy. */
static bool explore_read_ring(explore *x, const explore_state *s, const explore_op *op, int j)
{
    const zl_event *e = op->event;
    const zl_smem *smem = &x->pipe->smems[e->smem[j]];
    int64_t bytes = 0;
    bool part = e->kind != ZL_EV_READ;
    for (int i = 0; i < x->pieces_count; i++) {
        const explore_piece *p = &x->pieces[i];
        part |= p->smem == e->smem[j] && p->part == e->part;
        if (p->smem != e->smem[j] || p->slot != explore_slot(op->q[j], smem->stages)) continue;
        if (!s->piece[i]) return explore_fail(x, "read before it is written", e->line);
        if (x->agents[p->agent].ops[s->piece[i] - 1].q[0] != op->q[j])
            return explore_fail(x, "read at another position than written", e->line);
        if (!explore_is_visible(x, s, i, e->kind != ZL_EV_READ))
            return explore_fail(x, "read before it is visible", e->line);
        if (x->agents[p->agent].leader) bytes += p->bytes;
    }
    if (!part) return explore_fail(x, "no such part is written", e->line);
    return bytes == smem->bytes || explore_fail(x, "a stage is not whole", e->line);
}

static bool explore_read_own(explore *x, const explore_state *s, int agent, const explore_op *op)
{
    const zl_event *e = op->event;
    if (e->kind == ZL_EV_STORE && e->count != x->pipe->smems[e->smem[0]].bytes)
        return explore_fail(x, "a store of other bytes", e->line);
    for (int i = 0; i < x->pieces_count; i++) {
        const explore_piece *p = &x->pieces[i];
        if (p->smem != e->smem[0] ||
            p->slot != explore_slot(op->q[0], x->pipe->smems[p->smem].stages) ||
            !explore_share(x, p->smem, agent, p->agent))
            continue;
        const explore_op *wrote = s->piece[i] ? &x->agents[p->agent].ops[s->piece[i] - 1] : NULL;
        const explore_op *wanted = &x->agents[agent].ops[op->wrote];
        if (p->part != e->part) continue;
        if (!wrote || wrote->event != wanted->event || wrote->turn != wanted->turn)
            return explore_fail(x, "another write than the program's last", e->line);
        if (!explore_is_visible(x, s, i, e->kind == ZL_EV_STORE))
            return explore_fail(x, "read before it is visible", e->line);
    }
    return true;
}

static bool explore_use(explore *x, const explore_state *s, int agent, const explore_op *op)
{
    if (op->wrote >= 0) return explore_read_own(x, s, agent, op);
    for (int j = 0; j < 2; j++)
        if (op->event->smem[j] >= 0 && !explore_read_ring(x, s, op, j)) return false;
    return true;
}

static bool explore_advance(explore *x, explore_state *s, uint32_t bar, uint32_t line)
{
    uint32_t b = 0;
    while (b + 1 < x->pipe->bars_count && x->bar_base[b + 1] <= bar) b++;
    if (s->pending[bar] < 0) return explore_fail(x, "more arrivals than the barrier counts", line);
    if (s->tx[bar] >= 1 << 20 || s->tx[bar] <= -(1 << 20))
        return explore_fail(x, "bytes out of range", line);
    if (s->pending[bar] || s->tx[bar]) return true;
    s->phase[bar] ^= 1;
    s->pending[bar] = (int16_t)x->pipe->bars[b].count;
    return true;
}

static uint32_t explore_bar(const explore *x, const explore_op *op)
{
    const zl_event *e = op->event;
    return x->bar_base[e->bar] + (uint32_t)explore_slot(op->bar_q, x->pipe->bars[e->bar].stages);
}

static bool explore_passes(const explore *x, const explore_state *s, const explore_op *op)
{
    int64_t stages = x->pipe->bars[op->event->bar].stages;
    int64_t round = (op->parity_q - explore_slot(op->parity_q, (uint32_t)stages)) / stages;
    return s->phase[explore_bar(x, op)] != ((round + op->event->flip) & 1);
}

/* All who share the event go on together: a barrier of the role; the lanes of a warp in what is
 * .sync.aligned. */
static bool explore_is_joint(const explore *x, const zl_event *e)
{
    bool aligned =
        e->kind == ZL_EV_MMA || (e->kind == ZL_EV_WAITGROUP && e->scope == ZL_GROUP_WGMMA);
    return e->kind == ZL_EV_SYNC || (x->mode == BY_LANES && aligned);
}

static bool explore_is_quiet(const explore *x, const zl_event *e)
{
    return (e->kind == ZL_EV_FENCE || e->kind == ZL_EV_COMMIT || e->kind == ZL_EV_WAITGROUP) &&
           !explore_is_joint(x, e);
}

/* The next event that others notice; the program's end when there is none. */
static int explore_next(const explore *x, const explore_agent *a, int at)
{
    while (at < a->count && explore_is_quiet(x, a->ops[at].event)) at++;
    return at;
}

static int explore_partner(const explore *x, int agent)
{
    for (int b = 0; b < x->agents_count; b++)
        if (b != agent && x->agents[b].role == x->agents[agent].role && !x->agents[agent].alone)
            return b;
    return -1;
}

/* The partner goes along when it is at the same event. */
static bool explore_join(const explore *x, explore_state *s, int agent, const zl_event *e)
{
    int partner = explore_partner(x, agent);
    if (partner < 0) return true;
    const explore_agent *a = &x->agents[partner];
    int other = explore_next(x, a, s->at[partner]);
    if (partner < agent || other == a->count) return false;
    if (a->ops[other].event != e &&
        (e->kind != ZL_EV_SYNC || a->ops[other].event->kind != ZL_EV_SYNC))
        return false;
    s->at[partner] = (uint8_t)(other + 1);
    return true;
}

/* One step of an agent: 1 done, 0 it cannot, -1 a fault. */
static int explore_step(explore *x, explore_state *s, int agent)
{
    const explore_agent *a = &x->agents[agent];
    if (s->at[agent] == a->count) return 0;
    int k = explore_next(x, a, s->at[agent]);
    if (k == a->count) {
        s->at[agent] = (uint8_t)k;
        return 1;
    }
    const explore_op *op = &a->ops[k];
    const zl_event *e = op->event;
    bool good = true;
    if (e->kind == ZL_EV_WAIT && !explore_passes(x, s, op)) return 0;
    if (explore_is_joint(x, e) && !explore_join(x, s, agent, e)) return 0;
    s->at[agent] = (uint8_t)k; /* what is quiet before it has happened */
    uint32_t bar = e->bar >= 0 ? explore_bar(x, op) : 0;
    if (e->kind == ZL_EV_ARRIVE) s->pending[bar] = (int16_t)(s->pending[bar] - a->weight[e->scope]);
    if (e->kind == ZL_EV_EXPECT) s->tx[bar] += (int32_t)(e->count * a->weight[ZL_BY_ONE]);
    if (e->kind == ZL_EV_ARRIVE || e->kind == ZL_EV_EXPECT)
        good = explore_advance(x, s, bar, e->line);
    if (explore_writes(e)) good = explore_write(x, s, agent, k);
    if (e->kind == ZL_EV_MMA || e->kind == ZL_EV_READ || e->kind == ZL_EV_STORE)
        good = explore_use(x, s, agent, op);
    s->at[agent] = (uint8_t)(k + 1);
    return good ? 1 : -1;
}

/* A copy lands, with the bytes of every instance that it stands for. */
static int explore_land(explore *x, explore_state *s, int piece)
{
    if (!s->flying[piece]) return 0;
    uint32_t bar = s->flying[piece] - 1u;
    const explore_agent *a = &x->agents[x->pieces[piece].agent];
    const zl_event *e = a->ops[s->piece[piece] - 1].event;
    s->flying[piece] = 0;
    s->tx[bar] -= (int32_t)(e->count * a->weight[ZL_BY_ONE]);
    return explore_advance(x, s, bar, e->line) ? 1 : -1;
}

/* ---- all states ---- */

/* In parts that do not wait for each other: a state is hashed for every step of every interleaving. */
enum { HASH_PARTS = 4, HASH_WORDS = (sizeof(explore_state) + 31) / 32 * HASH_PARTS };

static uint64_t explore_hash(const explore_state *s)
{
    uint64_t word[HASH_WORDS] = {0}, part[HASH_PARTS] = {1, 2, 3, 4}, h = 0;
    memcpy(word, s, sizeof *s);
    for (size_t i = 0; i < HASH_WORDS; i += HASH_PARTS)
        for (size_t k = 0; k < HASH_PARTS; k++) {
            part[k] = (part[k] ^ word[i + k]) * 0x9e3779b97f4a7c15u;
            part[k] ^= part[k] >> 29;
        }
    for (size_t k = 0; k < HASH_PARTS; k++) {
        h = (h ^ part[k]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

/* True when the state is new. */
static bool explore_keep(explore *x, const explore_state *s)
{
    uint32_t mask = 2 * x->room - 1, i = (uint32_t)explore_hash(s) & mask;
    for (; x->table[i]; i = (i + 1) & mask)
        if (!memcmp(&x->states[x->table[i] - 1], s, sizeof *s)) return false;
    if (x->states_count == x->room) return explore_fail(x, "too many states", 0);
    x->slot[x->states_count] = i;
    x->states[x->states_count++] = *s;
    x->table[i] = x->states_count;
    return true;
}

static bool explore_ended(explore *x, const explore_state *s)
{
    for (int i = 0; i < x->agents_count; i++) {
        const explore_agent *a = &x->agents[i];
        if (s->at[i] == a->count) continue;
        return explore_fail(x, "deadlock", a->ops[explore_next(x, a, s->at[i])].event->line);
    }
    return true;
}

static bool explore_from(explore *x, explore_state s)
{
    bool moved = false, flying = false;
    for (int i = 0; i < x->agents_count + x->pieces_count; i++) {
        explore_state next = s;
        int step = i < x->agents_count ? explore_step(x, &next, i)
                                       : explore_land(x, &next, i - x->agents_count);
        if (step < 0) return false;
        if (step == 0) continue;
        moved = true;
        flying |= i >= x->agents_count;
        explore_keep(x, &next);
        if (x->fault) return false;
    }
    bool all = true;
    for (int i = 0; i < x->agents_count; i++) all &= s.at[i] == x->agents[i].count;
    if (all && flying) return explore_fail(x, "a copy lands behind the end", 0);
    return moved || explore_ended(x, &s);
}

/* The memory of an explorer, used for one pipe after the other. */
static inline void explore_open(explore *x, uint32_t room)
{
    memset(x, 0, sizeof *x);
    x->room = room;
    x->states = malloc(room * sizeof *x->states);
    x->table = calloc(2 * (size_t)room, sizeof *x->table);
    x->slot = malloc(room * sizeof *x->slot);
    assert_true(x->states && x->table && x->slot);
}

static inline void explore_close(explore *x)
{
    free(x->states);
    free(x->table);
    free(x->slot);
}

static void explore_start(explore *x, explore_state *s)
{
    memset(s, 0, sizeof *s);
    for (uint32_t b = 0; b < x->pipe->bars_count; b++)
        for (uint32_t i = 0; i < x->pipe->bars[b].stages; i++)
            s->pending[x->bar_base[b] + i] = (int16_t)x->pipe->bars[b].count;
}

/* NULL, or the first fault found; its line is in x->line. `tiles` 0 for a pipe of one loop over
 * `positions`. */
static inline const char *explore_run(explore *x, const zlay_pipe *pipe, const int64_t *params,
                                      int64_t total, int64_t per_tile, int mode)
{
    explore_state start;
    x->pipe = pipe;
    x->params = params;
    x->mode = mode;
    x->total = total;
    x->agents_count = x->pieces_count = 0;
    memset(x->agents, 0, sizeof x->agents);
    x->fault = NULL;
    x->line = 0;
    if (!explore_world(x) || !explore_programs(x, per_tile)) return x->fault;
    while (x->states_count) x->table[x->slot[--x->states_count]] = 0;
    explore_start(x, &start);
    explore_keep(x, &start);
    for (uint32_t i = 0; i < x->states_count && !x->fault; i++) explore_from(x, x->states[i]);
    return x->fault;
}

#endif
