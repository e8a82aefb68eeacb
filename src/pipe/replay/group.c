/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which instances move together. Instances in loops of a claim that name one ring of one
 * block form a group; groups are united as in union-find, each named by its first instance. The
 * positions of a group are counted from the loop counter of that instance. Any other choice would
 * be equally valid, because every index of a longer trip is checked where it is used. */
#include "pipe/replay/same.h"

int zl_rp_inside(const zl_replay *c, const zl_rp_instance *i, uint32_t claim)
{
    for (uint32_t d = 0; d < i->depth; d++)
        if (zl_rp_is_loop(c, claim, i->loop[d])) return (int)d;
    return -1;
}

/* The loop counter that a group is counted from, in the run or in a longer trip. */
int64_t zl_rp_counter(const zl_replay *c, uint32_t claim, uint32_t instance, int32_t longer)
{
    if (instance == ZL_RP_NOBODY) return 0;
    const zl_rp_instance *i = &c->instances[instance];
    int depth = zl_rp_inside(c, i, claim);
    return longer < 0 ? i->counter[depth] : i->twin[longer][depth];
}

/* Joins the groups of two instances. */
static void unite(zl_replay *c, uint32_t a, uint32_t b)
{
    uint32_t first = a < b ? a : b, other = a < b ? b : a;
    for (uint32_t n = 0; n < c->instances_count; n++)
        if (c->first[n] == other) c->first[n] = first;
    for (uint32_t k = 0; k < c->rings_count * c->blocks; k++)
        if (c->ring_first[k] == other) c->ring_first[k] = first;
}

/* The blocks in which an event may name something. */
static uint32_t blocks_of(const zl_replay *c, const zl_rp_instance *i, const zl_event *e)
{
    uint32_t mask = zl_rp_blocks(c, i, e) | zl_rp_mbar_blocks(c, i, e) | 1u << i->block;
    bool pair = e->tmem[0] >= 0 && c->pipe->tmems[e->tmem[0]].pair;
    return pair ? mask | 3u << (i->block & ~1u) : mask;
}

/* An instance joins the group of a ring. */
static void share(zl_replay *c, uint32_t instance, uint32_t ring, uint32_t mask)
{
    bool global = ring >= zl_rp_ring_other(c, 0);
    for (uint32_t b = 0; b < c->blocks; b++) {
        uint32_t *first = &c->ring_first[ring * c->blocks + b];
        if (!((global ? 1u : mask) >> b & 1)) continue;
        if (*first == ZL_RP_NOBODY) *first = c->first[instance];
        else if (*first != c->first[instance]) unite(c, *first, c->first[instance]);
    }
}

/* An instance joins the groups of all rings that its outermost loop names. */
static void share_loop(zl_replay *c, uint32_t claim, uint32_t instance)
{
    const zl_rp_instance *i = &c->instances[instance];
    zl_rp_named named[ZL_RP_RINGS];
    uint32_t end = (uint32_t)c->pipe->events[i->loop[0]].match;
    for (uint32_t k = i->loop[0]; k < end; k++) {
        const zl_event *e = &c->pipe->events[k];
        uint32_t count = zl_rp_rings_of(c, e, named);
        for (uint32_t r = 0; r < count; r++)
            if (c->ring_growth[claim * c->rings_count + named[r].ring] != ZL_RP_STILL)
                share(c, instance, named[r].ring, blocks_of(c, i, e));
    }
}

void zl_rp_find_groups(zl_replay *c, uint32_t claim)
{
    for (uint32_t k = 0; k < c->rings_count * c->blocks; k++) c->ring_first[k] = ZL_RP_NOBODY;
    for (uint32_t n = 0; n < c->instances_count; n++)
        c->first[n] = zl_rp_inside(c, &c->instances[n], claim) < 0 ? ZL_RP_NOBODY : n;
    for (uint32_t n = 0; n < c->instances_count; n++)
        if (c->first[n] != ZL_RP_NOBODY) share_loop(c, claim, n);
}
