/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises the loop form that the order proof covers: per role one loop over positions, or a
 * loop over tiles with one loop over positions in it, and indices that are a position plus a
 * constant. The result (zl_loop_shape) names the params of both loops and a window, beyond which
 * two events cannot affect each other; from it follow the trip counts of the small model.
 * trace.h has the argument. */
#include "pipe/runs/trace.h"

enum { SPARE = 2 };

/* Widens the reach to an offset. */
static void stretch(int64_t *reach, int64_t add)
{
    int64_t size = add < 0 ? -add : add;
    if (size > *reach) *reach = size;
}

static bool has_param(const zl_pos *pos) { return pos->plus >= 0; }
static bool has_loop(const zl_pos *pos) { return pos->loop >= 0; }

/* `for t in 0..T`, or a lone `for i in c..N` */
static bool fits_outer(const zl_pos *from, const zl_pos *to)
{
    return !has_loop(from) && !has_param(from) && from->add >= 0 && !has_loop(to) && has_param(to);
}

/* `for i in t*N+c..t*N+N` in a loop over t */
static bool fits_inner(const zl_pos *from, const zl_pos *to)
{
    return from->loop == 0 && from->times >= 0 && !has_param(from) && to->loop == 0 &&
           to->times == from->times && to->plus == from->times;
}

/* Whether a loop is over tiles: it contains another loop or something multiplies its counter. */
static bool is_tiles(const zlay_pipe *pipe, const zl_event *loop)
{
    for (const zl_event *e = loop + 1; e < pipe->events + loop->match; e++)
        if (e->kind == ZL_EV_FOR || e->bar_at.times >= 0 || e->at[0].times >= 0 ||
            e->at[1].times >= 0)
            return true;
    return false;
}

/* Each kind of loop has one param in the whole pipe. */
static bool set_param(int32_t *slot, int32_t param)
{
    if (*slot < 0) *slot = param;
    return *slot == param;
}

/* Sorts a loop by its depth and bounds; false where it does not fit. */
static bool shape_loop(zl_loop_shape *shape, const zlay_pipe *pipe, const zl_event *e,
                       uint32_t depth)
{
    const zl_pos *from = &e->at[0], *to = &e->bar_at;
    if (depth == 1) return fits_inner(from, to) && set_param(&shape->inner, from->times);
    if (depth > 1 || !fits_outer(from, to)) return false;
    return set_param(is_tiles(pipe, e) ? &shape->outer : &shape->inner, to->plus);
}

/* Whether the loop starts at 0 and ends with its tile. */
static bool is_whole(const zl_loop_shape *shape, const zl_event *loop)
{
    return loop->bar_at.add == 0 && loop->at[0].add >= 0 &&
           (loop->bar_at.plus != shape->outer || loop->at[0].add == 0);
}

/* Sorts the loops of a role, which may have one outer loop and one inner loop, and measures
 * offsets and group counts. */
static void shape_role(zl_loop_shape *shape, const zlay_pipe *pipe, const zl_role *role,
                       int64_t *reach, int64_t *groups)
{
    uint32_t depth = 0, loops[2] = {0};
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &pipe->events[i];
        if (e->kind == ZL_EV_END) depth--;
        if (e->kind == ZL_EV_WAITGROUP && e->count > *groups) *groups = e->count;
        stretch(reach, e->at[0].add);
        stretch(reach, e->at[1].add);
        stretch(reach, e->bar_at.add);
        if (e->kind != ZL_EV_FOR) continue;
        bool good = depth < 2 && loops[depth]++ == 0 && shape_loop(shape, pipe, e, depth);
        if (!good && !shape->unfit) shape->unfit = e;
        depth++;
    }
}

/* Whether a position is no constant distance from its section's position. */
static bool is_loose(const zl_loop_shape *shape, zl_section section, const zl_pos *pos)
{
    int64_t add, ends;
    return !zl_place(shape, section, pos, &add, &ends);
}

/* Notes the first event that the proof cannot place; faults are still found then, but nothing
 * is proved. */
static void find_loose(zl_loop_shape *shape, const zlay_pipe *pipe, const zl_role *role)
{
    for (uint32_t i = role->begin; i < role->end && !shape->loose; i++) {
        const zl_event *e = &pipe->events[i];
        zl_section section = zl_section_at(pipe, shape, role, i);
        bool loose = e->kind == ZL_EV_FOR && !is_whole(shape, e);
        loose |= e->bar >= 0 && is_loose(shape, section, &e->bar_at);
        for (int j = 0; j < 2; j++)
            loose |= e->smem[j] >= 0 && pipe->smems[e->smem[j]].stages > 1 &&
                     is_loose(shape, section, &e->at[j]);
        if (loose) shape->loose = e;
    }
}

void zl_shape_of(zl_loop_shape *shape, const zlay_pipe *pipe)
{
    int64_t reach = 0, groups = 0;
    *shape = (zl_loop_shape){.inner = -1, .outer = -1};
    for (uint32_t i = 0; i < pipe->roles_count; i++)
        shape_role(shape, pipe, &pipe->roles[i], &reach, &groups);
    shape->window = 2 * reach + groups + SPARE;
    if (shape->unfit) return;
    if (shape->inner == shape->outer && shape->inner >= 0)
        shape->unfit = &pipe->events[pipe->setup];
    if (shape->window > ZL_WINDOW) shape->unfit = &pipe->events[pipe->roles[0].begin];
    for (uint32_t i = 0; i < pipe->roles_count; i++) find_loose(shape, pipe, &pipe->roles[i]);
}

zl_section zl_section_at(const zlay_pipe *pipe, const zl_loop_shape *shape, const zl_role *role,
                         uint32_t i)
{
    uint32_t depth = 0;
    zl_section at = ZL_BEFORE;
    for (uint32_t k = role->begin; k < i; k++) {
        const zl_event *e = &pipe->events[k];
        if (e->kind == ZL_EV_FOR)
            at = depth++ == 0 && e->bar_at.plus == shape->outer ? ZL_PRE : ZL_LOOP;
        if (e->kind == ZL_EV_END) at = --depth == 0 ? ZL_AFTER : ZL_POST;
    }
    return at;
}

/* Writes an index as position + add + ends * N. The position of a section is 0, t*N, the
 * counter, t*N + N or T*N. */
bool zl_place(const zl_loop_shape *shape, zl_section section, const zl_pos *pos, int64_t *add,
              int64_t *ends)
{
    bool tile = pos->loop == 0 && pos->times >= 0 && pos->times == shape->inner;
    bool end = pos->plus >= 0 && pos->plus == shape->inner;
    bool foreign = pos->plus >= 0 && !end, plain = pos->loop < 0;
    bool lone = shape->outer < 0;
    *add = pos->add;
    *ends = 0;
    if (foreign) return false;
    switch (section) {
    case ZL_BEFORE: *ends = end; return plain && (!end || lone);
    case ZL_PRE: *ends = end; return tile;
    case ZL_LOOP: return pos->loop == (lone ? 0 : 1) && pos->times < 0 && !end;
    case ZL_POST: *ends = end ? 0 : -1; return tile;
    case ZL_AFTER: return plain && end && lone;
    }
    return false;
}

/* The i-th count of positions: each from the least to window + 1, then 2 * window + 3. */
static bool inner_count(const zl_loop_shape *shape, int64_t least, uint32_t i, int64_t *inner)
{
    int64_t high = shape->window + 1, low = least < high ? least : high;
    *inner = low + i;
    if (*inner == high + 1) *inner = high + shape->window + SPARE;
    return low + i <= high + 1;
}

bool zl_shape_trips(const zl_loop_shape *shape, const zlay_pipe *pipe, uint32_t i, int64_t *outer,
                    int64_t *inner)
{
    int64_t least = shape->inner >= 0 ? pipe->params[shape->inner].least : 0;
    *outer = 1;
    if (shape->outer < 0) return inner_count(shape, least, i, inner);
    if (!inner_count(shape, least, i / 3, inner)) return false;
    int64_t enough = 2 * (shape->window + SPARE) / (*inner ? *inner : 1) + 3;
    *outer = pipe->params[shape->outer].least + i % 3;
    if (i % 3 == 2 || *outer > enough) *outer = enough;
    return true;
}
