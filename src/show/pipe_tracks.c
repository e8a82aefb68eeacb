/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a pipe's picture beside those of the roles: stages of memory, allocations of tensor
 * memory, mbarriers. Each is looked at when a step ends; a bar lasts while nothing changes there. */
#include "show/pipe.h"
#include "pipe/runs/state/clock.h"

#include <inttypes.h>
#include <string.h>

enum { LABEL = 160, TIP = 256 };

/* ---- whose a row is -------------------------------------------------- */

/* A stage of a ring; of an allocation the ring alone. */
typedef struct slot {
    const char *name;
    uint32_t slot, stages;
    int32_t number, cta; /* of the instance and the block whose it is; -1: there is only one */
    uint32_t columns;    /* of each stage of tensor memory; else 0 */
} slot;

/* The stage whose number among all of a block, or of an instance, this is. */
static slot slot_of(const zl_run *r, const char *name, uint32_t stages, uint32_t each,
                    uint32_t number)
{
    return (slot){name,
                  number % stages,
                  stages,
                  each > 1 ? (int32_t)(number / stages % each) : -1,
                  r->pipe->blocks > 1 ? (int32_t)(number / stages / each) : -1,
                  0};
}

static slot tmem_slot(const zl_run *r, const zl_tmem *t, uint32_t number)
{
    slot at = slot_of(r, t->name, t->stages, 1, number);
    at.columns = t->columns;
    return at;
}

static slot stage_slot(const zl_run *r, uint32_t place)
{
    const zlay_pipe *p = r->pipe;
    uint32_t smem = p->smems_count, tmem = p->tmems_count;
    while (tmem && r->tmem_at[tmem - 1] > place) tmem--;
    if (tmem) return tmem_slot(r, &p->tmems[tmem - 1], place - r->tmem_at[tmem - 1]);
    while (smem > 1 && r->smem_at[smem - 1] > place) smem--;
    return slot_of(r, p->smems[smem - 1].name, p->smems[smem - 1].stages, r->smem_each[smem - 1],
                   place - r->smem_at[smem - 1]);
}

static bool is_stage(const zl_pipe_view *v, uint32_t number)
{
    return number < v->stages;
}

static bool is_mbar(const zl_pipe_view *v, uint32_t number)
{
    return number >= v->stages + v->allocations;
}

static slot track_slot(const zl_pipe_view *v, uint32_t number)
{
    const zl_run *r = v->again.run;
    if (is_stage(v, number)) return stage_slot(r, number);
    number -= v->stages;
    if (number < v->allocations) {
        const zl_tmem *t = &r->pipe->tmems[number / r->pipe->blocks];
        return tmem_slot(r, t, number % r->pipe->blocks * t->stages);
    }
    number -= v->allocations;
    const zl_bar *bar = &r->pipe->bars[r->mbars[number].bar];
    return slot_of(r, bar->name, bar->stages, 1, number - r->mbar_at[r->mbars[number].bar]);
}

static void put_slot(zl_text *out, const zl_pipe_view *v, uint32_t number)
{
    slot at = track_slot(v, number);
    bool ring = is_stage(v, number) || is_mbar(v, number);
    zl_puts(out, at.name);
    if (ring) zl_putf(out, "[%u]", at.slot);
    if (v->tmem)
        zl_putf(out, " %u..%u", ring ? at.slot * at.columns : 0,
                (ring ? at.slot + 1 : at.stages) * at.columns - 1);
    if (at.number >= 0) zl_putf(out, " of %d", at.number);
    if (at.cta >= 0) zl_putf(out, " cta %d", at.cta);
    zl_text_end(out);
}

/* ---- bars ------------------------------------------------------------ */

zlay_box zl_pipe_box(const zl_pipe_view *v, uint32_t row, uint32_t from, int64_t key)
{
    return (zlay_box){.row = row,
                      .column = from,
                      .width = v->steps - from + 1,
                      .shade = key < 0 ? -1 : zl_sketch_shade(key),
                      .key = key,
                      .step = from};
}

static void put_state(zl_text *out, const zl_pipe_view *v, const zl_track *t, uint32_t number)
{
    static const char *const words[] = {"", "written", "full", "read"};
    slot at = track_slot(v, number);
    if (is_stage(v, number)) zl_puts(out, words[t->state]);
    else if (is_mbar(v, number)) zl_putf(out, "phase %" PRId64, t->state);
    else zl_putf(out, "%u columns", at.stages * at.columns);
    zl_text_end(out);
}

/* A bar that ends with the step before. */
static void put_track(const zl_pipe_view *v, const zl_track *t, uint32_t number)
{
    char label[LABEL], tip[TIP];
    zl_text name = {label, sizeof label - 1, 0}, text = {tip, sizeof tip - 1, 0};
    if ((!is_mbar(v, number) && !t->state) || t->since == v->steps) return;
    slot at = track_slot(v, number);
    int64_t key = is_stage(v, number)  ? t->index
                  : is_mbar(v, number) ? t->state * at.stages + at.slot
                                       : -1;
    zlay_box box = zl_pipe_box(v, t->row, t->since, key);
    box.width--;
    put_state(&name, v, t, number);
    put_slot(&text, v, number);
    if (key >= 0) zl_putf(&text, ": index %" PRId64, key);
    zl_text_end(&text);
    box.label = label;
    box.tip = tip;
    zl_sketch_box(v->s, &box);
}

static zl_track seen(const zl_pipe_view *v, uint32_t number)
{
    zl_track now = {0};
    const zl_run *r = v->again.run;
    if (is_stage(v, number)) {
        const zl_shadow *p = &r->places[number];
        now.state = zl_shadow_stage(p, v->known);
        now.used = now.state != ZL_STAGE_FREE;
        now.index = now.used ? p->tag : 0;
    } else if (is_mbar(v, number)) {
        const zl_mbar *g = &r->mbars[number - v->stages - v->allocations];
        now.state = g->phase;
        now.used = !g->idle;
    } else {
        const zl_columns *c = &r->columns[number - v->stages];
        now.used = c->allocated && !c->freed;
        now.state = now.used;
    }
    return now;
}

void zl_tracks_look(zl_pipe_view *v)
{
    for (uint32_t k = 0; k < v->tracks_count; k++) {
        zl_track *t = &v->tracks[k], now = seen(v, k);
        bool has_row = v->s && t->used;
        if (!v->s) t->used |= now.used;
        if (now.state == t->state && now.index == t->index) continue;
        if (has_row) put_track(v, t, k);
        t->state = now.state;
        t->index = now.index;
        t->since = v->steps;
    }
    zl_retrace_known(v->again.run, v->known);
}

void zl_tracks_end(zl_pipe_view *v)
{
    for (uint32_t k = 0; k < v->tracks_count; k++)
        if (v->tracks[k].used) put_track(v, &v->tracks[k], k);
}

/* ---- rows ------------------------------------------------------------ */

zlay_status zl_tracks_make(zl_pipe_view *v)
{
    const zl_run *r = v->again.run;
    v->stages = r->places_count - r->flags_count;
    v->allocations = r->pipe->tmems_count * r->pipe->blocks;
    v->tracks_count = v->stages + v->allocations + r->mbars_count;
    v->tracks = zl_scratch(v->ctx, v->tracks_count + 1, sizeof *v->tracks);
    v->known = zl_scratch(v->ctx, r->comps, sizeof *v->known);
    return v->tracks && v->known ? ZLAY_OK : ZLAY_ENOMEM;
}

uint32_t zl_tracks_begin(zl_pipe_view *v)
{
    uint32_t rows = v->tmem ? 0 : v->again.run->instances_count;
    for (uint32_t k = 0; k < v->tracks_count; k++) {
        zl_track *t = &v->tracks[k];
        if (v->tmem) t->used &= !is_mbar(v, k) && track_slot(v, k).columns != 0;
        *t = (zl_track){.used = t->used, .row = t->used ? rows++ : 0};
    }
    return rows;
}

void zl_tracks_name(zl_pipe_view *v)
{
    char label[LABEL];
    for (uint32_t k = 0; k < v->tracks_count; k++) {
        zl_text text = {label, sizeof label - 1, 0};
        if (!v->tracks[k].used) continue;
        put_slot(&text, v, k);
        zl_sketch_row(v->s, v->tracks[k].row, "%s", label);
    }
}
