/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the clocks of a state in a form that does not grow with the run: each clock value is
 * replaced by its rank among the values that some pending condition compares it with.
 * Everything later only compares, takes maxima, or makes a value greater than all, so equal
 * ranks mean equal futures. */
#include "pipe/runs/state/state.h"

#include <string.h>

/* ---- room ---- */

static size_t accesses_room(const zl_run *r, size_t each) { return r->accesses_count * each; }

size_t zl_state_rows(const zl_run *r)
{
    return 4 * (size_t)r->classes_count + 3 * (size_t)r->mbars_count + 2 * (size_t)r->meetings_count +
           r->thresholds_count + r->flags_count + 1;
}

size_t zl_state_items(const zl_run *r)
{
    return (size_t)r->mbars_count * (2 + (2 + ZL_CAME) * r->classes_count) + accesses_room(r, 3 * ZL_CONDS) +
           6 * (size_t)r->pipe->tmems_count * r->pipe->blocks + r->meetings_count +
           (r->thresholds_count + r->flags_count) * (size_t)r->classes_count +
           (size_t)r->pipe->blocks * r->comps + 2 * (size_t)r->classes_count;
}

size_t zl_state_room(const zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    size_t instance = 3 + ZL_PIPE_LOOPS + 2 * ZL_GROUPS + 10 * (size_t)p->accs_count;
    return r->instances_count * instance + (size_t)zl_rings(p) * p->blocks * p->params_count + r->mbars_count * (5 + ZL_CAME + (2 + ZL_CAME) * (size_t)r->classes_count) +
           8 * (size_t)r->places_count + accesses_room(r, 3 + 2 * ZL_CONDS) +
           5 * (size_t)p->tmems_count * p->blocks + p->blocks + 2 * (size_t)r->meetings_count +
           r->flags_count + (r->thresholds_count + 2 * r->flags_count) * (1 + (size_t)r->classes_count) +
           (size_t)p->blocks * r->comps + zl_state_items(r) +
           zl_state_rows(r) * (r->comps / 2 + 1) + 4;
}

/* ---- levels ---- */

/* Makes room for more distinct values of a component. */
static bool grow_levels(zl_run *r)
{
    zl_watch *w = r->watch;
    uint32_t room = 2 * w->levels_room;
    zl_tick *levels = zl_scratch(r->ctx, (size_t)room * r->comps, sizeof *levels);
    if (!levels) return false;
    memcpy(levels, w->levels, (size_t)w->levels_room * r->comps * sizeof *levels);
    w->levels = levels;
    w->levels_room = room;
    return true;
}

/* Inserts a compared value into its component's ascending list. */
static bool add_level(zl_run *r, zl_cond item, uint16_t *counts)
{
    zl_watch *w = r->watch;
    uint32_t count = counts[item.comp], k = count;
    zl_tick *column = w->levels + item.comp;
    while (k > 0 && column[(size_t)(k - 1) * r->comps] > item.value) k--;
    if (k > 0 && column[(size_t)(k - 1) * r->comps] == item.value) return true;
    if (count == w->levels_room) {
        if (!grow_levels(r)) return false;
        column = w->levels + item.comp;
    }
    for (uint32_t j = count; j > k; j--)
        column[(size_t)j * r->comps] = column[(size_t)(j - 1) * r->comps];
    column[(size_t)k * r->comps] = (zl_tick)item.value;
    counts[item.comp]++;
    return true;
}

/* Pads the shorter components of a SIMD vector with a value that nothing reaches. */
static void fill_levels(zl_run *r)
{
    zl_watch *w = r->watch;
    for (uint32_t v = 0; v < r->comps / ZL_VECTOR; v++) {
        const uint16_t *counts = w->counts + v * ZL_VECTOR;
        uint16_t most = 0;
        for (int c = 0; c < ZL_VECTOR; c++) most = counts[c] > most ? counts[c] : most;
        for (int c = 0; c < ZL_VECTOR; c++)
            for (uint16_t k = counts[c]; k < most; k++)
                w->levels[(size_t)k * r->comps + v * ZL_VECTOR + (uint32_t)c] = INT16_MAX;
        w->heights[v] = most;
    }
}

/* Lists the distinct compared values of every component. */
static bool find_levels(zl_run *r)
{
    zl_watch *w = r->watch;
    memset(w->counts, 0, r->comps * sizeof *w->counts);
    for (size_t k = 0; k < w->items_count; k++)
        if (!add_level(r, w->items[k], w->counts)) return false;
    fill_levels(r);
    return true;
}

/* Writes each compared value as its rank. */
static void put_items(zl_run *r)
{
    zl_watch *w = r->watch;
    for (size_t k = 0; k < w->items_count; k++) {
        const zl_tick *column = w->levels + w->items[k].comp;
        int32_t rank = 0;
        while (column[(size_t)rank * r->comps] != w->items[k].value) rank++;
        w->state[w->size++] = rank;
    }
}

/* ---- clocks ---- */

typedef zl_tick vector __attribute__((vector_size(ZL_VECTOR * sizeof(zl_tick))));

static vector take(const zl_tick *from)
{
    vector v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* Writes how many compared values each clock value has reached; vectors without any are left
 * out. */
static void put_values(zl_run *r, const zl_tick *clock, uint32_t comps)
{
    zl_watch *w = r->watch;
    for (uint32_t v = 0; v < comps / ZL_VECTOR; v++) {
        vector value = take(clock + v * ZL_VECTOR), reached = {0};
        const zl_tick *level = w->levels + v * ZL_VECTOR;
        for (uint16_t k = 0; k < w->heights[v]; k++, level += r->comps)
            reached -= value >= take(level);
        if (!w->heights[v]) continue;
        memcpy(w->state + w->size, &reached, sizeof reached);
        w->size += sizeof reached / sizeof *w->state;
    }
}

/* Writes a clock with its mbarrier slots in canonical order. */
static void put_turned(zl_run *r, const zl_tick *clock)
{
    zl_watch *w = r->watch;
    uint32_t first = r->mbars_count ? (uint32_t)r->mbars->comp : 0;
    memcpy(w->turned, clock, r->comps * sizeof *clock);
    for (uint32_t k = first; k < first + r->mbars_count; k++) w->turned[k] = clock[w->order[k]];
    put_values(r, w->turned, r->comps);
}

static bool knows_any(const zl_run *r, const zl_tick *clock)
{
    static const vector none;
    vector any = none;
    for (uint32_t v = 0; v < r->comps; v += ZL_VECTOR) any |= take(clock + v);
    return memcmp(&any, &none, sizeof any) != 0;
}

/* Writes a clock; one that is all zeros is written as a single flag. */
static void put_clock(zl_run *r, const zl_tick *clock)
{
    zl_watch *w = r->watch;
    bool any = knows_any(r, clock);
    w->state[w->size++] = any;
    if (any) put_turned(r, clock);
}

static void put_class_clocks(zl_run *r)
{
    for (uint32_t k = 0; k < r->classes_count; k++) {
        const zl_class *c = &r->classes[k];
        put_clock(r, c->clock);
        put_clock(r, c->own);
        if (r->pipe->tmems_count) put_clock(r, c->after);
        if (r->pipe->others_count) put_clock(r, c->mapped);
    }
}

static void put_mbar_clocks(zl_run *r)
{
    for (uint32_t k = 0; k < r->mbars_count; k++) {
        const zl_mbar *g = &r->mbars[r->watch->order[r->mbars->comp + (int32_t)k] - r->mbars->comp];
        if (g->idle) continue;
        bool heard = zl_state_is_heard(r, g);
        r->watch->state[r->watch->size++] = heard;
        if (!heard) put_clock(r, g->done);
        put_clock(r, g->sum);
        put_values(r, g->arrived, r->epochs);
    }
}

static void put_other_clocks(zl_run *r)
{
    for (uint32_t k = 0; k < r->meetings_count; k++) {
        put_clock(r, r->meetings[k].done);
        put_clock(r, r->meetings[k].sum);
    }
    for (uint32_t k = 0; k < r->flags_count; k++) {
        for (uint32_t t = 0; t < r->flags[k].count; t++)
            put_clock(r, r->flags[k].at + (size_t)t * r->comps);
        put_clock(r, r->flags[k].sum);
    }
}

bool zl_state_rank(zl_run *r)
{
    if (!find_levels(r)) return false;
    put_items(r);
    memset(r->scratch, 0, r->comps * sizeof *r->scratch);
    put_turned(r, r->scratch);
    put_class_clocks(r);
    put_mbar_clocks(r);
    put_other_clocks(r);
    return true;
}
