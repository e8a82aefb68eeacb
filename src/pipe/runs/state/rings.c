/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which param each ring of stages turns with, and which loops share rings. The indices
 * of a ring in all roles grow with the loops of one param, or the ring stays fixed; loops that
 * share a ring in a block form a group, whose positions are counted from one base. Comparing
 * states up to such turns makes a loop recur after one pass around its rings. */
#include "pipe/runs/state/watch.h"

int32_t zl_loop_param(const zl_event *loop)
{
    const zl_pos *from = &loop->at[0], *to = &loop->bar_at;
    if (loop->over >= 0) return loop->over;
    if (from->loop != to->loop || from->times != to->times) return -2;
    if (from->plus == to->plus) return -1;
    return from->plus < 0 ? to->plus : -2;
}

/* ---- what turns with which loops ---- */

enum { UNSEEN = -3, FIXED = -1, NOWHERE = -1 };

/* Whether an enclosing loop's trip count is a param or unknown. */
static bool is_repeated(const zlay_pipe *p, const uint32_t *loops, uint32_t depth)
{
    for (uint32_t d = 0; d < depth; d++)
        if (zl_loop_param(&p->events[loops[d]]) != -1) return true;
    return false;
}

/* Notes the loop whose counter a param multiplies, which tells where positions of that param
 * begin. A loop that a param bounds is preferred to others. */
static void note_parent(zl_run *r, const uint32_t *loops, const zl_pos *pos)
{
    if (pos->times < 0 || pos->loop < 0) return;
    int32_t *parent = &r->watch->parents[pos->times];
    int32_t param = zl_loop_param(&r->pipe->events[loops[pos->loop]]);
    int32_t now = param == pos->times ? ZL_PARENTS : param >= 0 ? param : ZL_PARENT_LOOP - pos->loop;
    bool other = *parent != ZL_NO_PARENT && *parent != now;
    if (!other || (*parent <= ZL_PARENT_LOOP && param >= 0)) *parent = now;
    else if (now > ZL_PARENT_LOOP) *parent = ZL_PARENTS;
}

static void note_parents(zl_run *r, const zl_role *role)
{
    const zl_pos *pos[ZL_POSITIONS];
    uint32_t loops[ZL_PIPE_LOOPS], depth = 0;
    for (uint32_t k = role->begin; k < role->end; k++) {
        const zl_event *e = &r->pipe->events[k];
        if (e->kind == ZL_EV_END) depth--;
        zl_event_positions(e, pos);
        for (int n = 0; n < ZL_POSITIONS; n++) note_parent(r, loops, pos[n]);
        if (e->kind == ZL_EV_FOR) loops[depth++] = k;
    }
}

/* Whether one loop tells where positions of the param begin. */
static bool is_told(const zl_run *r, int32_t param) { return r->watch->parents[param] != ZL_PARENTS; }

/* The param that a position grows with; FIXED if it is the same in every iteration, UNSEEN if
 * it is constant outside loops. */
static int32_t growth(const zl_run *r, const uint32_t *loops, uint32_t depth, const zl_pos *pos)
{
    const zlay_pipe *p = r->pipe;
    int32_t constant = is_repeated(p, loops, depth) ? FIXED : UNSEEN;
    if (pos->loop < 0) return pos->plus >= 0 ? pos->plus : constant;
    if (pos->times >= 0) return is_told(r, pos->times) ? pos->times : FIXED;
    const zl_event *loop = &p->events[loops[pos->loop]];
    int32_t param = zl_loop_param(loop);
    if (loop->at[0].times >= 0) return is_told(r, loop->at[0].times) ? loop->at[0].times : FIXED;
    if (loop->at[0].loop >= 0) return FIXED;
    return param >= 0 ? param : loop->at[0].plus >= 0 ? loop->at[0].plus : constant;
}

/* The loop over a param whose positions begin at a number; NOWHERE: none. */
static int32_t origin_of(const zlay_pipe *p, const uint32_t *loops, const zl_pos *pos)
{
    if (pos->loop < 0 || pos->times >= 0) return NOWHERE;
    const zl_event *loop = &p->events[loops[pos->loop]];
    bool number = loop->at[0].loop < 0 && loop->at[0].plus < 0;
    return number && zl_loop_param(loop) >= 0 ? (int32_t)loops[pos->loop] : NOWHERE;
}

/* Whether positions of a role begin again at a number after a param has moved the ring on;
 * then the ring counts as fixed. */
static bool begins_again(const zlay_pipe *p, int32_t *origin, const uint32_t *loops,
                         const zl_pos *pos)
{
    int32_t before = *origin, now = origin_of(p, loops, pos);
    bool number = pos->loop < 0 && pos->plus < 0, last = pos->loop < 0 && pos->plus >= 0;
    if (now != NOWHERE) *origin = now;
    if (before == NOWHERE) return last || (now != NOWHERE && pos->loop > 0);
    return number || (now != NOWHERE && (now != before || pos->loop > 0));
}

/* Merges what one position shows about a ring. After the rings stand the params that their
 * indices are counted with. */
static void merge(zl_run *r, int32_t *ring, int32_t param)
{
    int32_t *tag = ring + zl_rings(r->pipe);
    bool mixed = *ring == ZL_MIXED || (param >= 0 && *tag >= 0 && *tag != param);
    if (param >= 0 && *tag < 0) *tag = param;
    if (mixed) *ring = ZL_MIXED;
    if (mixed || param == UNSEEN) return;
    *ring = *ring == UNSEEN || *ring == param ? param : FIXED;
}

/* The ring is fixed. */
static void stand(int32_t *ring)
{
    if (*ring != ZL_MIXED) *ring = FIXED;
}

static void see(zl_run *r, int32_t *ring, const uint32_t *loops, uint32_t depth, const zl_pos *pos)
{
    merge(r, ring, growth(r, loops, depth, pos));
    if (begins_again(r->pipe, &r->watch->origins[ring - r->watch->rings], loops, pos)) stand(ring);
}

static void see_event(zl_run *r, const zl_event *e, const uint32_t *loops, uint32_t depth)
{
    const zlay_pipe *p = r->pipe;
    int32_t *bars = r->watch->rings, *smems = bars + p->bars_count, *tmems = smems + p->smems_count;
    int32_t *others = tmems + p->tmems_count;
    if (e->bar >= 0 && e->kind != ZL_EV_FOR)
        see(r, &bars[e->bar], loops, depth, &e->bar_at);
    if (e->kind == ZL_EV_WAIT && !zl_pos_equal(&e->parity, &e->bar_at)) stand(&bars[e->bar]);
    if (e->other >= 0) see(r, &others[e->other], loops, depth, &e->other_at);
    for (int k = 0; k < 2; k++) {
        if (e->smem[k] >= 0) see(r, &smems[e->smem[k]], loops, depth, &e->at[k]);
        if (e->tmem[k] >= 0 && e->kind != ZL_EV_ALLOC && e->kind != ZL_EV_DEALLOC)
            see(r, &tmems[e->tmem[k]], loops, depth, &e->tmem_at[k]);
    }
}

static void see_role(zl_run *r, const zl_role *role)
{
    uint32_t loops[ZL_PIPE_LOOPS], depth = 0;
    for (uint32_t k = 0; k < zl_rings(r->pipe); k++) r->watch->origins[k] = NOWHERE;
    for (uint32_t k = role->begin; k < role->end; k++) {
        const zl_event *e = &r->pipe->events[k];
        if (e->kind == ZL_EV_END) depth--;
        see_event(r, e, loops, depth);
        if (e->kind == ZL_EV_FOR) loops[depth++] = k;
    }
}

void zl_watch_find_rings(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    uint32_t count = zl_rings(p);
    for (uint32_t k = 0; k < 2 * count; k++) r->watch->rings[k] = UNSEEN;
    for (uint32_t k = 0; k < p->params_count; k++) r->watch->parents[k] = ZL_NO_PARENT;
    for (uint32_t k = 0; k < p->roles_count; k++) note_parents(r, &p->roles[k]);
    for (uint32_t k = 0; k < p->roles_count; k++) see_role(r, &p->roles[k]);
    for (uint32_t k = 0; k < count; k++)
        if (r->watch->rings[k] == UNSEEN) r->watch->rings[k] = FIXED;
}

/* ---- groups ---- */

/* Numbers the outermost loops of a role. */
static uint32_t find_outer(zl_run *r, const zl_role *role)
{
    uint32_t count = 0;
    for (uint32_t e = role->begin; e < role->end; e++) {
        const zl_event *loop = &r->pipe->events[e];
        r->watch->outer[e] = -1;
        if (loop->kind != ZL_EV_FOR) continue;
        for (; e <= (uint32_t)loop->match; e++) r->watch->outer[e] = (int32_t)count;
        e--;
        count++;
    }
    return count;
}

void zl_watch_find_stretches(zl_run *r)
{
    zl_watch *w = r->watch;
    for (uint32_t k = 0; k < r->instances_count; k++) {
        w->stretch[k] = w->stretches;
        w->stretches += find_outer(r, &r->pipe->roles[r->instances[k].role]);
    }
}

/* Whether an event may reach another block's barrier or memory. */
static bool is_remote(const zlay_pipe *p, const zl_event *e)
{
    return e->cta != ZL_CTA_OWN || e->bar_cta != ZL_CTA_OWN || e->multicast ||
           (e->tmem[0] >= 0 && p->tmems[e->tmem[0]].pair);
}

/* Joins two groups. */
static void unite(zl_watch *w, uint16_t a, uint16_t b)
{
    for (uint32_t k = 0; k < w->stretches; k++)
        if (w->group[k] == b) w->group[k] = a;
}

/* Loops that use one ring in one block are one group. */
static void share(zl_run *r, int32_t which, uint32_t block, uint32_t stretch)
{
    zl_watch *w = r->watch;
    if (which < 0 || w->rings[zl_rings(r->pipe) + (uint32_t)which] < 0) return;
    uint16_t *user = &w->ring_group[(uint32_t)which * r->pipe->blocks + block];
    if (*user) unite(w, w->group[*user - 1], w->group[stretch]);
    else *user = (uint16_t)(stretch + 1);
}

static void share_all(zl_run *r, uint32_t block, uint32_t stretch, const zl_event *e)
{
    const zlay_pipe *p = r->pipe;
    int32_t smems = (int32_t)p->bars_count, tmems = smems + (int32_t)p->smems_count;
    int32_t others = tmems + (int32_t)p->tmems_count;
    if (e->kind != ZL_EV_FOR) share(r, e->bar, block, stretch);
    for (int k = 0; k < 2; k++) {
        if (e->smem[k] >= 0) share(r, smems + e->smem[k], block, stretch);
        if (e->tmem[k] >= 0) share(r, tmems + e->tmem[k], block, stretch);
    }
    if (e->other >= 0) share(r, others + e->other, 0, stretch);
}

/* Numbers the groups from 0, in the order of their first loops. */
static void number_groups(zl_run *r)
{
    zl_watch *w = r->watch;
    const uint32_t rings = zl_rings(r->pipe) * r->pipe->blocks, count = w->stretches;
    for (uint32_t k = 0; k < count; k++)
        if (w->group[k] < count) unite(w, (uint16_t)(count + w->groups++), w->group[k]);
    for (uint32_t k = 0; k < count; k++) w->group[k] = (uint16_t)(w->group[k] - count);
    for (uint32_t k = 0; k < rings; k++)
        w->ring_group[k] = w->ring_group[k] ? w->group[w->ring_group[k] - 1] : 0;
}

void zl_watch_find_groups(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    zl_watch *w = r->watch;
    for (uint32_t k = 0; k < w->stretches; k++) w->group[k] = (uint16_t)k;
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_role *role = &p->roles[r->instances[k].role];
        for (uint32_t e = role->begin; e < role->end; e++)
            for (uint32_t b = 0; w->outer[e] >= 0 && b < p->blocks; b++)
                if (b == (uint32_t)r->instances[k].cta || is_remote(p, &p->events[e]))
                    share_all(r, b, w->stretch[k] + (uint32_t)w->outer[e], &p->events[e]);
    }
    number_groups(r);
}
