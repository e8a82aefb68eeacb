/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates positions in the run and in the longer trip of each claim. A longer trip repeats a part
 * of the run, which turns rings and shifts counters. Every index and every loop bound of the run is
 * checked against the longer trip under that turn; a mismatch refuses the claim. */
#include "pipe/replay/same.h"

void zl_rp_fail(zl_replay *c, uint32_t claim, const char *why)
{
    if (c->unproved) return;
    c->unproved = why;
    c->unproved_claim = claim;
}

void zl_rp_break(zl_replay *c, int32_t rule, uint32_t event, uint32_t other)
{
    if (c->rule) return;
    c->rule = rule;
    c->event = event;
    c->other = other;
}

uint32_t zl_rp_blocks(const zl_replay *c, const zl_rp_instance *i, const zl_event *e)
{
    uint32_t all = c->blocks >= 32 ? UINT32_MAX : (1u << c->blocks) - 1;
    if (e->kind == ZL_EV_COPY && e->multicast) return e->multicast & all;
    if (e->cta == ZL_CTA_ALL) return all;
    if (e->cta == ZL_CTA_OWN) return 1u << i->block;
    return 1u << (e->relative ? ((uint32_t)e->cta + i->block) % c->blocks : (uint32_t)e->cta);
}

/* The blocks whose mbarrier an event reaches. */
uint32_t zl_rp_mbar_blocks(const zl_replay *c, const zl_rp_instance *i, const zl_event *e)
{
    if (e->kind == ZL_EV_COPY)
        return e->bar_cta != ZL_CTA_OWN ? 1u << e->bar_cta : zl_rp_blocks(c, i, e);
    if (e->kind == ZL_EV_COMMIT && e->multicast) return e->multicast;
    return e->kind == ZL_EV_ARRIVE ? zl_rp_blocks(c, i, e) : 1u << i->block;
}

/* ---- positions ---- */

int64_t zl_rp_value(const zl_replay *c, const zl_rp_instance *i, const zl_pos *pos)
{
    int64_t at = pos->loop >= 0 ? i->counter[pos->loop] : 0;
    if (pos->times >= 0) at *= c->values[pos->times];
    return at + pos->add + (pos->plus >= 0 ? c->values[pos->plus] : 0);
}

/* The value of a param in the run, or in the longer trip of a claim. */
static int64_t value_in(const zl_replay *c, int32_t longer, int32_t param)
{
    bool more = longer >= 0 && c->claims[longer].param == param;
    return c->values[param] + (more ? c->claims[longer].period : 0);
}

/* The value of a position in the longer trip. A shifted counter times a param that grows would
 * shift by more each time. */
int64_t zl_rp_twin(zl_replay *c, const zl_rp_instance *i, const zl_pos *pos, uint32_t claim)
{
    int64_t at = pos->loop >= 0 ? i->twin[claim][pos->loop] : 0;
    if (pos->times == c->claims[claim].param && pos->loop >= 0 && at != i->counter[pos->loop])
        zl_rp_fail(c, claim, "a position grows with the square of a trip count");
    if (pos->times >= 0) at *= value_in(c, (int32_t)claim, pos->times);
    return at + pos->add + (pos->plus >= 0 ? value_in(c, (int32_t)claim, pos->plus) : 0);
}

int64_t zl_rp_index(zl_replay *c, const zl_rp_instance *i, const zl_pos *pos, uint32_t ring,
                    uint32_t block)
{
    int64_t at = zl_rp_value(c, i, pos);
    for (uint32_t k = 0; c->turns && k < c->claims_count; k++)
        if (zl_rp_twin(c, i, pos, k) - at != *zl_rp_turned(c, k, ring, block))
            zl_rp_fail(c, k, "an index of a longer trip is another than its ring is turned by");
    return at;
}

uint32_t zl_rp_slot(zl_replay *c, const zl_rp_instance *i, const zl_pos *pos, uint32_t ring,
                    uint32_t block, uint32_t stages)
{
    int64_t at = zl_rp_index(c, i, pos, ring, block);
    if (at >= 0) return (uint32_t)(at % stages);
    zl_rp_break(c, ZLAY_PIPE_STAGE, i->pc, UINT32_MAX);
    return 0;
}

bool zl_rp_goes_on(zl_replay *c, const zl_rp_instance *i, const zl_event *loop, int64_t counter,
                   const int64_t *twin)
{
    int64_t bound = zl_rp_value(c, i, &loop->bar_at);
    bool on = counter < bound;
    for (uint32_t k = 0; c->turns && k < c->claims_count; k++) {
        int64_t later = zl_rp_twin(c, i, &loop->bar_at, k) - bound, turned = twin[k] - counter;
        if (on ? later < turned : turned < later)
            zl_rp_fail(c, k,
                       "a loop of a longer trip ends elsewhere, or nothing in it is seen to repeat");
    }
    return on;
}

/* ---- growth ---- */

bool zl_rp_is_loop(const zl_replay *c, uint32_t claim, uint32_t loop)
{
    const zl_pos *from = &c->pipe->events[loop].at[0], *to = &c->pipe->events[loop].bar_at;
    return from->loop == to->loop && from->times == to->times && from->plus < 0 &&
           to->plus == c->claims[claim].param;
}

/* How a position grows with the loops of a claim. */
static int32_t growth_of(const zl_replay *c, uint32_t claim, const uint32_t *loops,
                         const zl_pos *pos)
{
    if (pos->loop < 0) return pos->plus == c->claims[claim].param ? ZL_RP_ALIKE : ZL_RP_STILL;
    int32_t growth = c->loop_growth[claim * c->pipe->events_count + loops[pos->loop]];
    if (growth == ZL_RP_STILL || pos->times < 0) return growth;
    return growth < ZL_RP_FACTORS / 256 ? growth * 256 + pos->times + 1 : ZL_RP_STILL;
}

/* Notes how a ring grows, at its first event that does. */
static void note(zl_replay *c, uint32_t claim, uint32_t ring, int32_t growth)
{
    int32_t *at = &c->ring_growth[claim * c->rings_count + ring];
    if (*at == ZL_RP_STILL) *at = growth;
}

uint32_t zl_rp_rings_of(const zl_replay *c, const zl_event *e, zl_rp_named out[ZL_RP_RINGS])
{
    uint32_t count = 0;
    if (e->kind == ZL_EV_FOR) return 0;
    if (e->bar >= 0) out[count++] = (zl_rp_named){(uint32_t)e->bar, &e->bar_at};
    for (int k = 0; k < 2; k++) {
        if (e->smem[k] >= 0)
            out[count++] = (zl_rp_named){zl_rp_ring_smem(c, e->smem[k]), &e->at[k]};
        if (e->tmem[k] >= 0)
            out[count++] = (zl_rp_named){zl_rp_ring_tmem(c, e->tmem[k]), &e->tmem_at[k]};
    }
    if (e->map >= 0) out[count++] = (zl_rp_named){zl_rp_ring_other(c, e->map), &e->map_at};
    if (e->other >= 0) out[count++] = (zl_rp_named){zl_rp_ring_other(c, e->other), &e->other_at};
    return count;
}

static void note_event(zl_replay *c, uint32_t claim, const uint32_t *loops, const zl_event *e)
{
    zl_rp_named named[ZL_RP_RINGS];
    uint32_t count = zl_rp_rings_of(c, e, named);
    for (uint32_t k = 0; k < count; k++)
        note(c, claim, named[k].ring, growth_of(c, claim, loops, named[k].at));
}

/* Finds how the loops and rings of a role grow. */
static void find_in_role(zl_replay *c, uint32_t claim, const zl_role *role)
{
    uint32_t loops[ZL_PIPE_LOOPS] = {0}, depth = 0;
    for (uint32_t k = role->begin; k < role->end; k++) {
        const zl_event *e = &c->pipe->events[k];
        if (e->kind == ZL_EV_END) depth--;
        else if (e->kind != ZL_EV_FOR) note_event(c, claim, loops, e);
        else {
            c->loop_growth[claim * c->pipe->events_count + k] =
                zl_rp_is_loop(c, claim, k) ? ZL_RP_ALIKE : growth_of(c, claim, loops, &e->at[0]);
            loops[depth++] = k;
        }
    }
}

/* Finds, for every claim, how each ring and each loop grows. */
void zl_rp_find_growth(zl_replay *c)
{
    for (uint32_t claim = 0; claim < c->claims_count; claim++) {
        for (uint32_t r = 0; r < c->rings_count; r++)
            c->ring_growth[claim * c->rings_count + r] = ZL_RP_STILL;
        for (uint32_t k = 0; k < c->pipe->roles_count; k++)
            find_in_role(c, claim, &c->pipe->roles[k]);
    }
}

/* By how much a position goes on when the loops of a claim go on by `by`. */
static int64_t grown(zl_replay *c, uint32_t claim, int32_t growth, int64_t by, int32_t longer)
{
    if (growth == ZL_RP_STILL) return 0;
    for (; growth; growth /= 256) {
        int32_t param = growth % 256 - 1;
        if (param == c->claims[claim].param)
            zl_rp_fail(c, claim, "a ring turns with the square of a trip count");
        by *= value_in(c, longer, param);
    }
    return by;
}

int64_t zl_rp_ring_turn(zl_replay *c, uint32_t claim, uint32_t ring, int64_t by, int32_t longer)
{
    return grown(c, claim, c->ring_growth[claim * c->rings_count + ring], by, longer);
}

int64_t zl_rp_loop_turn(zl_replay *c, uint32_t claim, uint32_t loop, int64_t by, int32_t longer)
{
    return grown(c, claim, c->loop_growth[claim * c->pipe->events_count + loop], by, longer);
}
