/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps positions in rings of stages in registers: where a loop begins, the slot and the parity of
 * its first position are computed; where it turns, they move on by its step. An inner loop that
 * goes on where the outer loop's position stands moves the registers of the outer loop. What the
 * registers hold is followed as text is printed; a position that none of them holds is computed
 * where it is used. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <string.h>

enum { NEEDS = 16 };
#define UNKNOWN INT64_MIN

/* A ring that the body of a loop uses. */
typedef struct need {
    uint32_t stages;
    zl_pos family; /* what it holds where an iteration begins */
    bool before;   /* the position before that is used too */
} need;

typedef struct needs {
    need list[NEEDS];
    uint32_t count;
} needs;

/* Whether a family is of the counter itself. */
static bool is_counter(const zl_pos *pos) { return pos->times < 0 && !pos->scale; }

static int64_t step_of(const zl_event *loop) { return loop->step > 0 ? loop->step : 1; }

/* ---- how often loops run ------------------------------------------------------------- */

/* The least that the loop's last position (excluded) lies behind its first. */
static int64_t least_way(const zl_pipe_text *k, const zl_event *loop)
{
    const zl_pos *first = &loop->at[0], *last = &loop->bar_at;
    int64_t way = last->add - first->add;
    if (first->loop != last->loop || first->times != last->times || first->scale != last->scale)
        return UNKNOWN;
    if (first->plus == last->plus) return way;
    if (first->plus >= 0 && !zl_pt_bounds_of(k, first->plus).most) return UNKNOWN;
    if (first->plus >= 0) way -= zl_pt_bounds_of(k, first->plus).most;
    return last->plus >= 0 ? way + zl_pt_bounds_of(k, last->plus).least : way;
}

/* Whether a loop runs once at least. */
bool zl_pt_runs(const zl_pipe_text *k, const zl_event *loop)
{
    return least_way(k, loop) >= 1;
}

/* Whether the counter ends at the loop's last position. */
static bool ends_there(const zl_pipe_text *k, const zl_event *loop)
{
    return step_of(loop) == 1 && least_way(k, loop) >= 0;
}

/* Whether the loop begins at a position of the loop around it, at this depth, and leaves it at
 * another. */
static bool goes_on(const zl_pipe_text *k, const zl_event *loop, int32_t depth)
{
    const zl_pos *first = &loop->at[0], *last = &loop->bar_at;
    return first->loop == depth && first->plus < 0 && last->loop == depth && ends_there(k, loop) &&
           (last->plus < 0 || last->plus == first->times);
}

/* ---- what the body of a loop needs ------------------------------------------------------ */

/* The need of a ring of so many stages at such positions, a new one where there is none; NULL: no
 * room is left. */
static need *need_of(needs *all, uint32_t stages, const zl_pos *pos)
{
    const zl_pos family = {pos->loop, pos->times, -1, 0, pos->scale};
    for (uint32_t i = 0; i < all->count; i++)
        if (all->list[i].stages == stages && zl_pos_moves_alike(&all->list[i].family, &family))
            return &all->list[i];
    if (all->count == NEEDS) return NULL;
    all->list[all->count] = (need){stages, family, false};
    return &all->list[all->count++];
}

/* Notes a position that an event uses, as a slot or for a parity. */
static void use(needs *all, int32_t depth, const zl_pos *pos, uint32_t stages, bool slot)
{
    bool kept = pos->loop == depth && (pos->plus < 0 || pos->plus == pos->times);
    need *n = kept && (stages > 1 || !slot) ? need_of(all, stages, pos) : NULL;
    if (n && slot && pos->plus < 0 && pos->add == -1) n->before = true;
}

/* Notes all positions of an event. */
static void uses_of(const zl_pipe_text *k, needs *all, int32_t depth, const zl_event *e)
{
    const zlay_pipe *pipe = k->pipe;
    for (int i = 0; i < 2; i++) {
        if (e->smem[i] >= 0) use(all, depth, &e->at[i], pipe->smems[e->smem[i]].stages, true);
        if (e->tmem[i] >= 0) use(all, depth, &e->tmem_at[i], pipe->tmems[e->tmem[i]].stages, true);
    }
    if (e->bar >= 0) use(all, depth, &e->bar_at, pipe->bars[e->bar].stages, true);
    if (e->kind == ZL_EV_WAIT) use(all, depth, &e->parity, pipe->bars[e->bar].stages, false);
    if (e->map >= 0) use(all, depth, &e->map_at, pipe->others[e->map].stages, true);
    if (e->other >= 0) use(all, depth, &e->other_at, pipe->others[e->other].stages, true);
}

static void needs_inside(const zl_pipe_text *k, needs *all, int32_t depth, const zl_event *loop);

/* Collects what the body of a loop at this depth uses, loops in it included. */
static void needs_of(const zl_pipe_text *k, needs *all, int32_t depth, const zl_event *loop)
{
    const zl_event *end = &k->pipe->events[loop->match];
    int32_t inside = 0;
    for (const zl_event *e = loop + 1; e < end; e++) {
        if (e->kind == ZL_EV_END) inside--;
        else if (e->kind != ZL_EV_FOR) uses_of(k, all, depth, e);
        else if (!inside++ && goes_on(k, e, depth)) needs_inside(k, all, depth, e);
    }
}

/* A loop inside that goes on where this one stands moves a ring of this one. */
static void needs_inside(const zl_pipe_text *k, needs *all, int32_t depth, const zl_event *loop)
{
    needs inner = {.count = 0};
    needs_of(k, &inner, depth + 1, loop);
    for (uint32_t i = 0; i < inner.count; i++)
        if (is_counter(&inner.list[i].family)) need_of(all, inner.list[i].stages, &loop->at[0]);
}

/* ---- registers --------------------------------------------------------------------------- */

/* The name of a register of a ring. */
const char *zl_pt_ring_name(char room[24], const char *what, uint32_t ring)
{
    snprintf(room, 24, "%s%u", what, ring);
    return room;
}

/* `to` begins again where it has left the stages; the parity changes there. */
void zl_pt_wrap(zl_pipe_text *k, const char *to, uint32_t stages, const char *parity)
{
    char room[24];
    zl_op(k, GE, "wrap", to, zl_pt_number(room, stages));
    zl_op(k, SUBIF, "wrap", to, room);
    if (parity) zl_op(k, XORIF, "wrap", parity, "1");
}

/* Moves a ring by a number. */
static void move(zl_pipe_text *k, uint32_t ring, int64_t by)
{
    char slot[24], phase[24], last[24], room[24];
    zl_pt_ring *r = &k->ring[ring];
    uint32_t stages = r->stages, rest = zl_pt_rest(by, stages), turns = zl_pt_turns(by, stages) & 1;
    if (!by) return;
    zl_pt_ring_name(slot, "slot", ring);
    zl_pt_ring_name(phase, "phase", ring);
    r->at.add += by;
    r->before = r->wanted && by == 1;
    if (r->before) zl_op(k, MOV, zl_pt_ring_name(last, "last", ring), slot);
    if (turns) zl_op(k, XOR, phase, phase, "1");
    if (!rest) return;
    zl_op(k, ADD, slot, slot, zl_pt_number(room, rest));
    zl_pt_wrap(k, slot, stages, phase);
}

/* Moves a ring by a param, so many times. */
static void move_by(zl_pipe_text *k, uint32_t ring, int32_t param, int64_t times)
{
    char slot[24], phase[24], room[24];
    zl_pt_ring *r = &k->ring[ring];
    const zl_pos way = {-1, -1, param, 0, 0};
    r->before = false;
    zl_pt_pos(k, &way);
    if (times > 1) zl_op(k, MUL, "pos", "pos", zl_pt_number(room, (uint64_t)times));
    zl_pt_number(room, r->stages);
    zl_pt_ring_name(slot, "slot", ring);
    zl_pt_ring_name(phase, "phase", ring);
    zl_op(k, DIV, "parity", "pos", room);
    zl_op(k, AND, "parity", "parity", "1");
    zl_op(k, XOR, phase, phase, "parity");
    if (r->stages == 1) return;
    zl_op(k, REM, "pos", "pos", room);
    zl_op(k, ADD, slot, slot, "pos");
    zl_pt_wrap(k, slot, r->stages, phase);
}

/* Whether the first position of a family in a loop is a number, and that. */
static bool is_constant(const zl_event *loop, const zl_pos *family, int64_t *value)
{
    const zl_pos *first = &loop->at[0];
    *value = first->add * (family->scale ? family->scale : 1);
    return first->loop == -1 && first->plus < 0 && first->add >= 0 &&
           (family->times < 0 || !first->add);
}

/* Computes the registers of a ring where its loop begins. */
static void compute(zl_pipe_text *k, uint32_t ring, const zl_event *loop)
{
    char slot[24], phase[24], room[24];
    zl_pt_ring *r = &k->ring[ring];
    int64_t value;
    zl_pt_ring_name(slot, "slot", ring);
    zl_pt_ring_name(phase, "phase", ring);
    if (is_constant(loop, &r->family, &value)) {
        if (r->stages > 1) zl_op(k, MOV, slot, zl_pt_number(room, zl_pt_rest(value, r->stages)));
        zl_op(k, MOV, phase, zl_pt_number(room, zl_pt_turns(value, r->stages) & 1));
        return;
    }
    zl_pt_pos(k, &r->family);
    zl_pt_number(room, r->stages);
    if (r->stages > 1) zl_op(k, REM, slot, "pos", room);
    zl_op(k, DIV, phase, "pos", room);
    zl_op(k, AND, phase, phase, "1");
}

/* Register last: the slot before the ring's, where that is wanted. */
static void compute_before(zl_pipe_text *k, uint32_t ring)
{
    char slot[24], last[24], room[24];
    zl_pt_ring *r = &k->ring[ring];
    bool holds = r->before;
    r->before = r->wanted;
    if (!r->wanted || holds) return;
    zl_pt_ring_name(slot, "slot", ring);
    zl_pt_ring_name(last, "last", ring);
    zl_op(k, ADD, last, slot, zl_pt_number(room, r->stages - 1));
    zl_pt_wrap(k, last, r->stages, NULL);
}

/* ---- loops -------------------------------------------------------------------------------- */

/* A ring that stands where the loop begins: one of the loop around it, which it gives back moved,
 * or a free one. */
static int32_t standing(const zl_pipe_text *k, const need *n, const zl_event *loop, int32_t depth)
{
    if (!is_counter(&n->family)) return -1;
    for (uint32_t i = 0; i < k->rings; i++) {
        const zl_pt_ring *r = &k->ring[i];
        bool lent = r->owner == depth - 1 && depth && goes_on(k, loop, depth - 1);
        if (r->stages == n->stages && r->known && (lent || r->owner < 0) &&
            zl_pos_moves_alike(&r->at, &loop->at[0]))
            return (int32_t)i;
    }
    return -1;
}

/* A free ring, or a new one; -1: there is no room. */
static int32_t take(zl_pipe_text *k)
{
    for (uint32_t i = 0; i < k->rings; i++)
        if (k->ring[i].owner < 0 && !k->ring[i].taken) return (int32_t)i;
    if (k->rings == ZL_PT_RINGS) return -1;
    k->ring[k->rings].owner = -1;
    return (int32_t)k->rings++;
}

/* Prints what brings a ring to the first position of a loop. */
static void ring_begin(zl_pipe_text *k, const need *n, const zl_event *loop, int32_t depth)
{
    int32_t ring = standing(k, n, loop, depth);
    bool stands = ring >= 0;
    if (!stands) ring = take(k);
    if (ring < 0) return;
    zl_pt_ring *r = &k->ring[ring];
    if (stands) {
        bool wanted = r->wanted;
        r->wanted = n->before;
        move(k, (uint32_t)ring, loop->at[0].add - r->at.add);
        r->lender_wanted = wanted;
    } else {
        *r = (zl_pt_ring){.stages = n->stages, .owner = -1, .family = n->family, .known = true};
        r->wanted = n->before;
        compute(k, (uint32_t)ring, loop);
    }
    if (r->owner >= 0) r->lent = true;
    else r->owner = depth, r->family = n->family;
    r->at = n->family;
    r->taken = true;
    compute_before(k, (uint32_t)ring);
}

/* Before a loop: a ring for each need; what other free rings held is known no more. */
void zl_pt_rings_begin(zl_pipe_text *k, const zl_event *loop)
{
    needs all = {.count = 0};
    int32_t depth = (int32_t)k->loops;
    needs_of(k, &all, depth, loop);
    for (uint32_t i = 0; i < k->rings; i++) k->ring[i].taken = k->ring[i].owner >= 0;
    for (uint32_t i = 0; i < all.count; i++) ring_begin(k, &all.list[i], loop, depth);
    for (uint32_t i = 0; i < k->rings; i++)
        if (k->ring[i].owner < 0) k->ring[i].known = false;
    if (k->rings > k->rings_most) k->rings_most = k->rings;
}

/* Whether the loop at this depth moves the ring. */
static bool moves(const zl_pt_ring *r, int32_t depth)
{
    return r->lent ? r->owner == depth - 1 : r->owner == depth;
}

/* From where the body leaves a ring to where the next iteration begins. */
static void ring_turn(zl_pipe_text *k, uint32_t ring, const zl_event *loop, int32_t depth)
{
    zl_pt_ring *r = &k->ring[ring];
    zl_pos start = r->lent ? (zl_pos){depth, -1, -1, 0, 0} : r->family;
    int64_t times = step_of(loop), by = -r->at.add;
    if (start.times < 0) by += times * (start.scale ? start.scale : 1);
    else if (r->at.plus >= 0) times--;
    if (start.times >= 0 && times > 0) move_by(k, ring, start.times, times);
    move(k, ring, by);
    r->at = start;
    compute_before(k, ring);
}

/* At the end of a body: the rings that this loop moves go on. */
void zl_pt_rings_turn(zl_pipe_text *k, const zl_event *loop)
{
    int32_t depth = (int32_t)k->loops - 1;
    for (uint32_t i = 0; i < k->rings; i++)
        if (moves(&k->ring[i], depth)) ring_turn(k, i, loop, depth);
}

/* Behind a loop: a ring of its counter stands at its last position. */
void zl_pt_rings_end(zl_pipe_text *k, const zl_event *loop)
{
    int32_t depth = (int32_t)k->loops;
    for (uint32_t i = 0; i < k->rings; i++) {
        zl_pt_ring *r = &k->ring[i];
        if (r->owner < 0) r->known = false;
        if (!moves(r, depth)) continue;
        if (!r->lent) r->owner = -1;
        r->known = is_counter(&r->at) && ends_there(k, loop);
        r->at = loop->bar_at;
        r->wanted = r->lent && r->lender_wanted;
        r->lent = false;
    }
}

/* The ring whose position differs by a number. */
int32_t zl_pt_ring_at(const zl_pipe_text *k, const zl_pos *pos, uint32_t stages)
{
    for (uint32_t i = 0; i < k->rings; i++)
        if (k->ring[i].known && k->ring[i].stages == stages &&
            zl_pos_moves_alike(&k->ring[i].at, pos))
            return (int32_t)i;
    return -1;
}
