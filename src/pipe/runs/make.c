/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a run (zl_run) from a pipe: its threads grouped into classes, mbarrier slots, shadow
 * state of every stage of memory, barriers of threads, flags, and one arena that holds
 * everything a run changes, so that a state is saved and restored by one memcpy. */
#include "pipe/runs/run.h"

#include <string.h>

static bool runs_in(const zl_role *role, uint32_t block)
{
    return role->cta == ZL_CTA_ALL || role->cta == (int32_t)block;
}

/* An elected thread is one class; one warp has two (lane 0, the other lanes); several warps
 * have four (the same of the first warp and of the others). */
static uint32_t class_count(const zl_role *role) { return role->elect ? 1 : role->each > 1 ? 4 : 2; }

/* ---- threads ---- */

static void count_threads(zl_run *r)
{
    for (uint32_t k = 0; k < r->pipe->roles_count; k++) {
        uint32_t instances = zl_run_instances(r->pipe, &r->pipe->roles[k]);
        r->instances_count += instances;
        r->classes_count += instances * class_count(&r->pipe->roles[k]);
    }
}

/* Fills in class k of an instance, in the order named above. */
static void make_class(zl_class *c, const zl_role *role, int32_t instance, uint32_t k)
{
    c->instance = instance;
    c->first_lane = k % 2 == 0;
    c->first_warp = k < 2;
    c->threads = (c->first_lane ? 1 : 31) * (c->first_warp ? 1 : (int64_t)role->each - 1);
    c->lone = c->threads == 1;
    c->lone_warp = c->first_warp || role->each == 2;
}

static void make_threads(zl_run *r)
{
    uint32_t at = 0, class = 0;
    for (uint32_t b = 0; b < r->pipe->blocks; b++)
        for (uint32_t k = 0; k < r->pipe->roles_count; k++) {
            const zl_role *role = &r->pipe->roles[k];
            for (uint32_t n = 0; runs_in(role, b) && n < zl_role_instances(role); n++) {
                zl_instance *i = &r->instances[at];
                *i = (zl_instance){.role = (int32_t)k, .number = (int32_t)n, .cta = (int32_t)b,
                                   .first = class, .classes = class_count(role)};
                for (uint32_t c = 0; c < i->classes; c++)
                    make_class(&r->classes[class++], role, (int32_t)at, c);
                at++;
            }
        }
}

/* ---- things ---- */

/* Numbers the block's barriers that an event of a role uses. */
static void find_meeting(zl_run *r, const zl_role *role, const zl_event *e)
{
    bool block = e->scope == ZL_SYNC_CTA, named = e->scope == ZL_SYNC_NAMED;
    if ((e->kind != ZL_EV_SYNC && e->kind != ZL_EV_JOIN) || (!block && !named)) return;
    for (uint32_t n = 0; n < zl_role_instances(role); n++) {
        int8_t *at = &r->meeting_at[named ? zl_event_named(e, n) : 0];
        if (*at < 0) *at = (int8_t)r->meetings_each++;
    }
}

static void find_meetings(zl_run *r)
{
    memset(r->meeting_at, -1, sizeof r->meeting_at);
    for (const zl_role *role = r->pipe->roles; role < r->pipe->roles + r->pipe->roles_count; role++)
        for (uint32_t k = role->begin; k < role->end; k++) find_meeting(r, role, &r->pipe->events[k]);
}

/* The most instances that a role has. */
static uint32_t instances_most(const zlay_pipe *p)
{
    uint32_t most = 1;
    for (uint32_t k = 0; k < p->roles_count; k++)
        if (zl_role_instances(&p->roles[k]) > most) most = zl_role_instances(&p->roles[k]);
    return most;
}

/* Counts mbarrier slots, stages of memory, flags and thread barriers, and says where each ring
 * begins. */
static void count_things(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    uint32_t blocks = p->blocks, slots = 0;
    for (uint32_t b = 0; b < p->bars_count; b++) {
        r->mbar_at[b] = r->mbars_count;
        r->mbars_count += blocks * p->bars[b].stages;
    }
    for (uint32_t s = 0; s < p->smems_count; s++) {
        uint32_t each = p->smems[s].each ? instances_most(p) : 1;
        r->smem_at[s] = r->places_count;
        r->smem_each[s] = each;
        r->places_count += blocks * each * p->smems[s].stages;
    }
    for (uint32_t t = 0; t < p->tmems_count; t++) {
        r->tmem_at[t] = r->places_count;
        r->places_count += blocks * p->tmems[t].stages;
    }
    for (uint32_t o = 0; o < p->others_count; o++) {
        r->other_at[o] = slots;
        r->other_slots[o] = p->others[o].stages * (p->others[o].each ? instances_most(p) : 1);
        slots += r->other_slots[o];
    }
    for (uint32_t o = 0; o < p->others_count; o++) r->other_at[o] += r->places_count;
    r->flags_count = slots;
    r->places_count += slots;
    find_meetings(r);
    r->meetings_count = 1 + blocks * r->meetings_each;
}

/* Whether an event is a wait that may leave groups of this kind outstanding. */
static bool leaves(const zl_event *e, int group)
{
    static const int8_t groups[] = {
        [ZL_GROUP_WGMMA] = ZL_OF_WGMMA,         [ZL_GROUP_BULK] = ZL_OF_BULK,
        [ZL_GROUP_BULK_READ] = ZL_OF_BULK_READ, [ZL_GROUP_CPASYNC] = ZL_OF_CPASYNC,
        [ZL_GROUP_TCGEN05] = ZL_OF_TCGEN05,
    };
    if (e->kind == ZL_EV_WAITCOUNT)
        return group == (e->scope == ZL_QUEUE_MEMORY ? ZL_OF_MEMORY : ZL_OF_SHARED);
    return e->kind == ZL_EV_WAITGROUP &&
           (group == groups[e->scope] ||
            (e->scope == ZL_GROUP_BULK && group == ZL_OF_BULK_READ));
}

/* Notes, for each kind of group, the most that any wait leaves outstanding: older ones need no
 * telling apart. */
static void find_most_left(zl_run *r)
{
    for (uint32_t k = r->pipe->setup; k < r->pipe->events_count; k++) {
        const zl_event *e = &r->pipe->events[k];
        for (int g = 0; g < ZL_GROUPS; g++)
            if (leaves(e, g) && e->count > r->most_left[g]) r->most_left[g] = (int32_t)e->count;
    }
}

/* Notes the largest constant offset in a product's indices. */
static void find_reach(zl_run *r)
{
    for (uint32_t k = 0; k < r->pipe->events_count; k++) {
        const zl_event *e = &r->pipe->events[k];
        const zl_pos *pos[] = {&e->at[0], &e->at[1], &e->tmem_at[1]};
        for (size_t n = 0; e->kind == ZL_EV_MMA && n < ZL_COUNT(pos); n++) {
            int64_t add = pos[n]->add < 0 ? -pos[n]->add : pos[n]->add;
            r->reach = add > r->reach ? add : r->reach;
        }
    }
}

/* Finds the first `griddep wait` of the text. */
static void find_grid(zl_run *r)
{
    r->grid = UINT32_MAX;
    for (uint32_t k = r->pipe->events_count; k-- > 0;)
        if (r->pipe->events[k].kind == ZL_EV_GRIDDEP && r->pipe->events[k].scope == ZL_GRIDDEP_WAIT)
            r->grid = k;
}

/* Whether no event of the text reaches this mbarrier slot. */
static bool is_idle(const zl_run *r, const zl_mbar *g)
{
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_role *role = &r->pipe->roles[r->instances[k].role];
        for (uint32_t e = role->begin; e < role->end; e++)
            if (r->pipe->events[e].bar == g->bar &&
                zl_run_reaches(r, &r->instances[k], &r->pipe->events[e], (uint32_t)g->cta))
                return false;
    }
    return true;
}

static bool is_fill(const zl_event *e)
{
    return e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_WRITE ||
           e->kind == ZL_EV_STMATRIX || e->kind == ZL_EV_LOAD || e->kind == ZL_EV_PUT;
}

/* How many parts the text fills a stage by; 0 where some event fills it whole. */
static uint32_t count_parts(const zl_run *r, int32_t smem, uint32_t block)
{
    bool seen[256] = {false};
    uint32_t count = 0;
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_role *role = &r->pipe->roles[r->instances[k].role];
        for (uint32_t n = role->begin; n < role->end; n++) {
            const zl_event *e = &r->pipe->events[n];
            if (e->smem[0] != smem || !is_fill(e) || !zl_run_fills(r, &r->instances[k], e, block))
                continue;
            if (!e->count) return 0;
            count += !seen[e->part & 255];
            seen[e->part & 255] = true;
        }
    }
    return count;
}

static void make_smem(zl_run *r, uint32_t smem)
{
    const zl_smem *s = &r->pipe->smems[smem];
    uint32_t each = r->smem_each[smem] * s->stages;
    for (uint32_t b = 0; b < r->pipe->blocks; b++) {
        uint32_t pieces = count_parts(r, (int32_t)smem, b);
        for (uint32_t k = 0; k < each; k++) {
            r->places[r->smem_at[smem] + b * each + k].size = s->bytes;
            r->places[r->smem_at[smem] + b * each + k].pieces = pieces;
        }
    }
}

static void make_things(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    for (uint32_t b = 0; b < p->bars_count; b++)
        for (uint32_t k = 0; k < p->blocks * p->bars[b].stages; k++) {
            zl_mbar *g = &r->mbars[r->mbar_at[b] + k];
            g->bar = (int32_t)b;
            g->cta = (int32_t)(k / p->bars[b].stages);
            g->idle = is_idle(r, g);
        }
    for (uint32_t s = 0; s < p->smems_count; s++) make_smem(r, s);
    zl_run_make_flags(r);
}

/* ---- all of it ---- */

/* Takes the next array from the arena; without a base it only counts bytes. */
static void *carve(char *base, size_t *used, size_t count, size_t size)
{
    void *at = base ? base + *used : NULL;
    *used += (count * size + 15) / 16 * 16;
    return at;
}

#define CARVE(field, count) r->field = carve(base, &used, (size_t)(count), sizeof *r->field)

/* Lays out everything that a run changes in one block, which is saved and restored as a whole. */
static size_t lay_out(zl_run *r, char *base)
{
    const zlay_pipe *p = r->pipe;
    size_t used = 0;
    CARVE(instances, r->instances_count);
    CARVE(mbars, r->mbars_count);
    CARVE(places, r->places_count);
    CARVE(accesses, r->accesses_count);
    CARVE(meetings, r->meetings_count);
    CARVE(flags, r->flags_count);
    CARVE(open, (size_t)r->flags_count * r->classes_count);
    CARVE(accs, (size_t)r->instances_count * p->accs_count);
    CARVE(columns, p->tmems_count * p->blocks);
    CARVE(live_columns, p->blocks);
    CARVE(relinquished, p->blocks);
    CARVE(lap, 1);
    CARVE(debt_event, (size_t)p->blocks * r->comps);
    CARVE(memory, r->memory_room);
    return used;
}

/* An array with room for one more than `count`.  After one allocation fails, all later ones of the
 * call fail, so the last array stands for all. */
#define MAKE(field, count) r->field = zl_scratch(r->ctx, (size_t)(count) + 1, sizeof *r->field)

static bool make_all(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    count_threads(r);
    MAKE(mbar_at, p->bars_count);
    MAKE(smem_at, p->smems_count);
    MAKE(smem_each, p->smems_count);
    MAKE(tmem_at, p->tmems_count);
    MAKE(other_at, p->others_count);
    MAKE(other_slots, p->others_count);
    MAKE(params, p->params_count);
    MAKE(classes, r->classes_count);
    if (!r->classes) return false;
    count_things(r);
    MAKE(rooms, r->places_count);
    if (!r->rooms) return false;
    zl_run_count_accesses(r);
    zl_run_count_components(r);
    MAKE(counted, r->comps);
    MAKE(thresholds, r->thresholds_count);
    r->arena_size = lay_out(r, NULL);
    if (r->arena_size > zl_limits(r->ctx)->points) {
        r->status = zl_fail(r->ctx, ZLAY_ELIMIT, "limit points: %zu bytes of state", r->arena_size);
        return false;
    }
    MAKE(arena, r->arena_size);
    MAKE(kept, r->arena_size);
    return r->kept;
}

zlay_status zl_run_new(zlay_ctx *ctx, zl_run **out, const zlay_pipe *pipe)
{
    zl_run *r = zl_scratch(ctx, 1, sizeof *r);
    if (!r) return ZLAY_ENOMEM;
    r->ctx = ctx;
    r->pipe = pipe;
    if (!make_all(r)) return r->status ? r->status : ZLAY_ENOMEM;
    *out = r;
    lay_out(r, r->arena);
    make_threads(r);
    make_things(r);
    find_most_left(r);
    find_reach(r);
    find_grid(r);
    zl_run_make_clocks(r);
    return ZLAY_OK;
}

void zl_run_keep(zl_run *r) { memcpy(r->kept, r->arena, r->arena_size); }
void zl_run_restore(zl_run *r) { memcpy(r->arena, r->kept, r->arena_size); }
