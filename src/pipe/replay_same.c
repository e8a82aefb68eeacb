/* SPDX-License-Identifier: Apache-2.0 */
/* Repetitions. Where the state is what it was some iterations before, a longer trip repeats the
 * part between; a second run holds that trip against this. docs/pipe.md has the argument. */
#include "pipe/replay.h"

#include <string.h>

/* ---- finding ---- */

/* The depth at which an instance is in a loop of the claim; -1. */
static int inside(const zl_replay *c, const zl_rp_instance *i, uint32_t claim)
{
    for (uint32_t d = 0; d < i->depth; d++)
        if (zl_rp_is_loop(c, claim, i->loop[d])) return (int)d;
    return -1;
}

/* The first instance in a loop of the claim looks; and only while none has a repetition already, as
 * one more would be one too many for that. */
static bool looks(const zl_replay *c, const zl_rp_instance *by, uint32_t claim)
{
    for (const zl_rp_instance *i = c->instances; i < c->instances + c->instances_count; i++) {
        int depth = inside(c, i, claim);
        if (depth >= 0 && (i < by || i->found[claim][depth])) return false;
    }
    return true;
}

static bool write_state(zl_replay *c, uint32_t claim, int64_t counter, zl_rp_sheet *w)
{
    zlay_allocator alloc = zl_allocator(c->ctx);
    for (;;) {
        *w = (zl_rp_sheet){.out = c->sheet, .room = c->sheet_room, .names = c->names,
                           .counter = counter, .claim = claim};
        for (uint32_t k = 0; k < c->words * 64; k++) c->names[k] = -1;
        zl_rp_state(c, w);
        if (w->need <= w->room) return true;
        zl_free(&alloc, c->sheet, c->sheet_room * sizeof *c->sheet);
        c->sheet_room = 0;
        c->sheet = zl_alloc(c->ctx, 2 * w->need, sizeof *c->sheet);
        if (!c->sheet) return false;
        c->sheet_room = 2 * w->need;
    }
}

static bool keep_state(zl_replay *c, uint32_t claim, const zl_rp_sheet *w)
{
    zlay_allocator alloc = zl_allocator(c->ctx);
    zl_rp_seen *all = c->seen[claim], last = all[ZL_RP_STATES - 1];
    uint32_t *count = &c->seen_count[claim];
    if (last.count != w->need) {
        zl_free(&alloc, last.numbers, last.count * sizeof *last.numbers);
        last.count = 0;
        last.numbers = zl_alloc(c->ctx, w->need, sizeof *last.numbers);
        memmove(all + 1, all, (ZL_RP_STATES - 1) * sizeof *all);
        all[0] = (zl_rp_seen){0};
        if (!last.numbers) return false;
    } else memmove(all + 1, all, (ZL_RP_STATES - 1) * sizeof *all);
    memcpy(last.numbers, w->out, w->need * sizeof *last.numbers);
    all[0] = (zl_rp_seen){last.numbers, w->need, c->step + 1, w->counter};
    *count += *count < ZL_RP_STATES;
    return true;
}

/* A repetition of an outer param lies wholly on one side of where an inner one begins. */
static bool is_apart(const zl_replay *c, uint32_t claim, uint64_t from)
{
    for (uint32_t k = 0; k < c->repeats_count; k++) {
        const zl_rp_repeat *r = &c->repeats[k];
        if (r->claim != claim && r->from < from && from < r->to) return false;
    }
    return true;
}

static const zl_rp_seen *find_same(const zl_replay *c, uint32_t claim, const zl_rp_sheet *w)
{
    for (uint32_t k = 0; k < c->seen_count[claim]; k++) {
        const zl_rp_seen *s = &c->seen[claim][k];
        int64_t by = w->counter - s->counter;
        if (by > 0 && c->claims[claim].period % by == 0 && s->count == w->need &&
            !memcmp(s->numbers, w->out, w->need * sizeof *w->out) && is_apart(c, claim, s->step))
            return s;
    }
    return NULL;
}

static bool note_repeat(zl_replay *c, const zl_rp_repeat *r)
{
    if (c->repeats_count == c->repeats_room) {
        zlay_allocator alloc = zl_allocator(c->ctx);
        uint32_t room = 2 * c->repeats_room + 16;
        zl_rp_repeat *all = zl_alloc(c->ctx, room, sizeof *all);
        if (!all) return false;
        if (c->repeats) memcpy(all, c->repeats, c->repeats_count * sizeof *all);
        zl_free(&alloc, c->repeats, c->repeats_room * sizeof *all);
        c->repeats = all;
        c->repeats_room = room;
    }
    c->repeats[c->repeats_count++] = *r;
    for (uint32_t k = 0; k <= r->claim; k++) c->seen_count[k] = 0;
    for (zl_rp_instance *i = c->instances; i < c->instances + c->instances_count; i++) {
        int depth = inside(c, i, r->claim);
        if (depth >= 0) i->found[r->claim][depth] = true;
    }
    return true;
}

static void look(zl_replay *c, const zl_rp_instance *i, uint32_t claim)
{
    zl_rp_sheet w;
    int64_t counter = i->counter[i->depth - 1];
    bool good = write_state(c, claim, counter, &w);
    const zl_rp_seen *same = good ? find_same(c, claim, &w) : NULL;
    zl_rp_repeat r = {claim, (uint32_t)(i - c->instances), i->depth - 1, same ? same->step : 0,
                      c->step + 1};
    if (good) good = same ? note_repeat(c, &r) : keep_state(c, claim, &w);
    if (!good) c->status = ZLAY_ENOMEM;
}

void zl_rp_head(zl_replay *c, zl_rp_instance *i)
{
    for (uint32_t k = 0; !c->second && k < c->claims_count; k++)
        if (zl_rp_is_loop(c, k, i->loop[i->depth - 1]) && looks(c, i, k)) look(c, i, k);
}

void zl_rp_edge(zl_replay *c, uint32_t loop)
{
    for (uint32_t k = 0; k < c->claims_count; k++)
        if (zl_rp_is_loop(c, k, loop)) c->seen_count[k] = 0;
}

/* ---- the longer trip ---- */

/* How the longer trip of `outer` stands to the run, counted from the loop of a repetition: the same
 * where that begins and where it ends. */
static void take_bearings(zl_replay *c, const zl_rp_repeat *r, uint32_t outer, bool begins)
{
    const zl_rp_instance *leader = &c->instances[r->leader];
    int64_t here = leader->counter[r->depth], there = leader->twin[outer][r->depth];
    size_t each = (size_t)c->instances_count * ZL_PIPE_LOOPS + c->rings_count;
    int64_t *at = c->bearings + (r->claim * ZL_RP_PARAMS + outer) * each;
    bool same = true;
    for (uint32_t n = 0; n < c->instances_count; n++)
        for (uint32_t d = 0; d < ZL_PIPE_LOOPS; d++, at++) {
            const zl_rp_instance *i = &c->instances[n];
            int64_t value = d < i->depth
                                ? i->twin[outer][d] - zl_rp_loop_turn(c, r->claim, i->loop[d],
                                                                      there, (int32_t)outer)
                                : 0;
            same &= *at == value;
            *at = value;
        }
    for (uint32_t ring = 0; ring < c->rings_count; ring++, at++) {
        int64_t value = c->turned[outer * c->rings_count + ring] +
                        zl_rp_ring_turn(c, r->claim, ring, here, -1) -
                        zl_rp_ring_turn(c, r->claim, ring, there, (int32_t)outer);
        same &= *at == value;
        *at = value;
    }
    if (!begins && !same && !c->unproved)
        c->unproved = "a repetition turns a longer trip by another amount than the run";
}

static void turn(zl_replay *c, uint32_t claim)
{
    int64_t by = c->claims[claim].period;
    for (zl_rp_instance *i = c->instances; i < c->instances + c->instances_count; i++)
        for (uint32_t d = 0; d < i->depth; d++)
            i->twin[claim][d] += zl_rp_loop_turn(c, claim, i->loop[d], by, -1);
    for (uint32_t ring = 0; ring < c->rings_count; ring++)
        c->turned[claim * c->rings_count + ring] += zl_rp_ring_turn(c, claim, ring, by, -1);
}

void zl_rp_turn(zl_replay *c)
{
    if (!c->second || c->step < c->compared) return;
    c->compared = c->step + 1;
    for (uint32_t k = 0; k < c->repeats_count; k++) {
        const zl_rp_repeat *r = &c->repeats[k];
        for (uint32_t outer = 0; outer < r->claim; outer++)
            if (r->from == c->step || r->to == c->step)
                take_bearings(c, r, outer, r->from == c->step);
    }
    for (uint32_t k = 0; k < c->repeats_count; k++)
        if (c->repeats[k].from == c->step) turn(c, c->repeats[k].claim);
}
