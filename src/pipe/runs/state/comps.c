/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the components of a run's vector clocks: a pipe has only those that its events can
 * count with (epochs of classes, groups, mbarrier slots, thread barriers). Fences have
 * components of their own: what a fence covers is copied there, and accesses that need the
 * fence are checked against that copy. */
#include "pipe/runs/state/clock.h"

#include <string.h>

enum { HAS_WGMMA = 1, HAS_BULK = 2, HAS_TENSOR = 4, HAS_CPASYNC = 8, HAS_QUEUES = 16 };

/* Which components a commit or wait of this scope needs. */
static unsigned group_used(int32_t scope)
{
    static const uint8_t used[] = {
        [ZL_GROUP_WGMMA] = HAS_WGMMA,     [ZL_GROUP_BULK] = HAS_BULK,
        [ZL_GROUP_BULK_READ] = HAS_BULK,  [ZL_GROUP_CPASYNC] = HAS_CPASYNC,
        [ZL_GROUP_TCGEN05] = HAS_TENSOR,
    };
    return used[scope];
}

/* Which components an event needs. */
static unsigned groups_used(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_COMMIT:
    case ZL_EV_WAITGROUP: return group_used(e->scope);
    case ZL_EV_CPASYNC: return HAS_CPASYNC;
    case ZL_EV_STORE:
    case ZL_EV_REDUCE: return HAS_BULK;
    case ZL_EV_MMA: return e->acc_b >= 0 ? 0 : e->tmem[0] < 0 ? HAS_WGMMA : HAS_TENSOR;
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_FETCH:
    case ZL_EV_PUT:
    case ZL_EV_WAITCOUNT: return HAS_QUEUES;
    case ZL_EV_FENCE: return e->scope == ZL_FENCE_BEFORE ? HAS_TENSOR : 0;
    case ZL_EV_TLD:
    case ZL_EV_TST:
    case ZL_EV_TCP:
    case ZL_EV_TWAIT: return HAS_TENSOR;
    default: return 0;
    }
}

/* Gives each kind of group its components, in one row for every instance. */
static void place_groups(zl_run *r, unsigned used)
{
    static const struct { unsigned used; int8_t group; uint8_t comps; } rows[] = {
        {HAS_WGMMA, ZL_OF_WGMMA, 2},    {HAS_BULK, ZL_OF_BULK, 1},   {HAS_BULK, ZL_OF_BULK_READ, 1},
        {HAS_TENSOR, ZL_OF_TCGEN05, 1}, {HAS_TENSOR, ZL_OF_TLD, 2},  {HAS_TENSOR, ZL_OF_TST, 2},
        {HAS_QUEUES, ZL_OF_MEMORY, 2},  {HAS_QUEUES, ZL_OF_SHARED, 2},
    };
    memset(r->group_at, -1, sizeof r->group_at);
    for (size_t k = 0; k < ZL_COUNT(rows); k++) {
        if (!(used & rows[k].used)) continue;
        r->group_at[rows[k].group] = (int8_t)r->group_comps;
        r->group_comps += rows[k].comps;
        if (rows[k].group == ZL_OF_TST) r->group_comps += ZL_FENCED_TENSOR;
    }
}

/* Counts the clock values that a run stores: rows of all components, and rows of classes. */
static size_t clocks_needed(const zl_run *r)
{
    size_t rows = 4 * (size_t)r->classes_count + 2 * (size_t)r->mbars_count +
                  2 * (size_t)r->meetings_count + r->thresholds_count + r->flags_count +
                  r->pipe->blocks + 1;
    return rows * r->comps + r->mbars_count * (r->epochs + (2 + ZL_CAME) * (size_t)r->classes_count) +
           (r->thresholds_count + r->flags_count) * (size_t)r->classes_count;
}

static uint32_t whole_vectors(uint32_t comps)
{
    return (comps + ZL_VECTOR - 1) / ZL_VECTOR * ZL_VECTOR;
}

void zl_run_count_components(zl_run *r)
{
    unsigned used = 0;
    for (uint32_t k = r->pipe->setup; k < r->pipe->events_count; k++)
        used |= groups_used(&r->pipe->events[k]);
    place_groups(r, used);
    r->class_comps = used & HAS_CPASYNC ? ZL_WITH_CPASYNC : ZL_WITHOUT_CPASYNC;
    r->comps = r->class_comps * r->classes_count + r->group_comps * r->instances_count +
               r->mbars_count + r->meetings_count;
    r->comps = whole_vectors(r->comps);
    r->epochs = whole_vectors(r->classes_count);
    r->memory_room = clocks_needed(r);
}

/* ---- which is which ---- */

static int32_t first_of_groups(const zl_run *r)
{
    return (int32_t)(r->class_comps * r->classes_count);
}

/* The component of an instance's groups; `others`: of its warps but the first. */
int32_t zl_comp_group(const zl_run *r, const zl_instance *i, int group, bool others)
{
    return first_of_groups(r) + (int32_t)r->group_comps * (int32_t)(i - r->instances) +
           r->group_at[group] + (zl_of_warps(group) && others);
}

/* Whether each warp waits for these groups alone, before a tcgen05 fence. */
static bool is_of_warps(zl_counted c) { return c.group == ZL_OF_TLD || c.group == ZL_OF_TST; }

int32_t zl_comp_tensor(const zl_run *r, int32_t comp)
{
    if (!is_of_warps(r->counted[comp])) return comp;
    int32_t at = (comp - first_of_groups(r)) % (int32_t)r->group_comps;
    return at < r->group_at[ZL_OF_TLD] + ZL_FENCED_TENSOR ? comp + ZL_FENCED_TENSOR : comp;
}

static void note_cpasync(zl_run *r)
{
    for (uint32_t c = 0; c < r->classes_count; c++) {
        zl_counted counted = {r->classes[c].instance, ZL_OF_CPASYNC};
        r->counted[zl_comp_cpasync(r, c)] = counted;
        r->counted[zl_comp_fenced(r, zl_comp_cpasync(r, c))] = counted;
    }
}

static void note_groups(zl_run *r, uint32_t instance, int group)
{
    for (int others = 0; others < 2; others++) {
        int32_t comp = zl_comp_group(r, &r->instances[instance], group, others);
        zl_counted counted = {(int32_t)instance, group};
        r->counted[comp] = counted;
        if (is_of_warps(counted)) r->counted[comp + ZL_FENCED_TENSOR] = counted;
    }
}

static void note_counted(zl_run *r)
{
    for (uint32_t k = 0; k < r->comps; k++) r->counted[k] = (zl_counted){-1, -1};
    if (zl_run_has_cpasync(r)) note_cpasync(r);
    for (uint32_t k = 0; k < r->instances_count; k++)
        for (int group = 0; group < ZL_GROUPS; group++)
            if (r->group_at[group] >= 0) note_groups(r, k, group);
}

/* Numbers the components of mbarrier slots and thread barriers. */
static void number_components(zl_run *r)
{
    int32_t comp = first_of_groups(r) + (int32_t)(r->group_comps * r->instances_count);
    for (uint32_t g = 0; g < r->mbars_count; g++) r->mbars[g].comp = comp++;
    for (uint32_t m = 0; m < r->meetings_count; m++) r->meetings[m].comp = comp++;
}

/* ---- clocks ---- */

static zl_tick *take(zl_run *r, size_t *used, size_t count)
{
    zl_tick *row = r->memory + *used;
    *used += count;
    return row;
}

/* Cuts one array into all clocks. */
static void place_clocks(zl_run *r)
{
    size_t used = 0;
    for (uint32_t c = 0; c < r->classes_count; c++) {
        r->classes[c].clock = take(r, &used, r->comps);
        r->classes[c].own = take(r, &used, r->comps);
        r->classes[c].after = take(r, &used, r->comps);
        r->classes[c].mapped = take(r, &used, r->comps);
    }
    for (uint32_t k = 0; k < r->mbars_count; k++) {
        zl_mbar *g = &r->mbars[k];
        g->done = take(r, &used, r->comps);
        g->sum = take(r, &used, r->comps);
        g->arrived = take(r, &used, r->epochs);
        g->passed = take(r, &used, r->classes_count);
        g->expected = take(r, &used, r->classes_count);
        for (int n = 0; n < ZL_CAME; n++) g->came[n] = take(r, &used, r->classes_count);
    }
    for (uint32_t m = 0; m < r->meetings_count; m++) {
        r->meetings[m].done = take(r, &used, r->comps);
        r->meetings[m].sum = take(r, &used, r->comps);
    }
    for (uint32_t f = 0; f < r->flags_count; f++) {
        r->flags[f].sum = take(r, &used, r->comps);
        r->flags[f].at = take(r, &used, (size_t)r->flags[f].count * r->comps);
        r->flags[f].open = r->open + (size_t)f * r->classes_count;
        r->flags[f].raised = take(r, &used, r->classes_count);
        r->flags[f].made = take(r, &used, (size_t)r->flags[f].count * r->classes_count);
    }
    r->debt = take(r, &used, (size_t)r->pipe->blocks * r->comps);
    r->scratch = take(r, &used, r->comps);
}

void zl_run_make_clocks(zl_run *r)
{
    number_components(r);
    note_counted(r);
    place_clocks(r);
}
