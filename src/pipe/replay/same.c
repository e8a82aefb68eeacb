/* SPDX-License-Identifier: Apache-2.0 */
/* Finds recurrences in a run and follows longer trips. At loop heads the encoded state is compared
 * with earlier ones; where it is equal up to whole iterations, a longer trip repeats the part in
 * between. A second run checks step by step that this trip does the same. docs/internals/proof.md,
 * "Proofs by runs", has the argument. */
#include "pipe/replay/same.h"

#include <string.h>

/* ---- finding ---- */

/* Whether this instance compares states now: it is the first of its group, no member has a
 * recurrence already, and no earlier group has moved meanwhile. */
static bool looks(zl_replay *c, zl_rp_instance *by, uint32_t claim)
{
    uint32_t me = (uint32_t)(by - c->instances);
    uint64_t last = by->headed[claim];
    by->headed[claim] = c->step + 1;
    zl_rp_find_groups(c, claim);
    if (c->first[me] != me) return false;
    for (uint32_t n = 0; n < c->instances_count; n++) {
        const zl_rp_instance *i = &c->instances[n];
        if (c->first[n] == me && i->found[claim][zl_rp_inside(c, i, claim)]) return false;
        if (c->first[n] < me && i->headed[claim] > last) return false;
    }
    return true;
}

/* Writes the state, with more room where needed. */
static bool write_state(zl_replay *c, uint32_t claim, zl_rp_encoding *w)
{
    for (;;) {
        *w = (zl_rp_encoding){
            .out = c->encoding, .room = c->encoding_room, .names = c->names, .claim = claim};
        for (uint32_t k = 0; k < c->words * 64; k++) c->names[k] = -1;
        zl_rp_state(c, w);
        if (w->need <= w->room) return true;
        c->encoding = zl_scratch(c->ctx, 2 * w->need, sizeof *c->encoding);
        if (!c->encoding) return false;
        c->encoding_room = 2 * w->need;
    }
}

/* Keeps the state in place of the oldest, in that one's memory where it is large enough. */
static bool keep_state(zl_replay *c, uint32_t claim, const zl_rp_encoding *w, uint32_t by)
{
    zl_rp_seen *all = c->seen[claim], last = all[ZL_RP_STATES - 1];
    uint32_t *count = &c->seen_count[claim];
    if (last.room < w->need) {
        last.room = w->need + w->need / 2;
        last.numbers = zl_scratch(c->ctx, last.room, sizeof *last.numbers);
        if (!last.numbers) return false;
    }
    memmove(all + 1, all, (ZL_RP_STATES - 1) * sizeof *all);
    memcpy(last.numbers, w->out, w->need * sizeof *last.numbers);
    all[0] = (zl_rp_seen){last.numbers, w->need, last.room, c->step + 1, c->round, by};
    *count += *count < ZL_RP_STATES;
    return true;
}

/* Whether a recurrence of an outer param lies wholly on one side of where an inner one begins. */
static bool is_apart(const zl_replay *c, uint32_t claim, uint64_t from)
{
    for (uint32_t k = 0; k < c->repeats_count; k++) {
        const zl_rp_repeat *r = &c->repeats[k];
        if (r->claim != claim && r->from < from && from < r->to) return false;
    }
    return true;
}

/* The period by which each group has moved, or 0: they moved differently, or one has a
 * recurrence already. */
static int64_t period_of(const zl_replay *c, const zl_rp_seen *s, const zl_rp_encoding *w, uint32_t by)
{
    int64_t period = w->out[by] - s->numbers[by];
    for (uint32_t n = 0; n < c->instances_count; n++) {
        const zl_rp_instance *i = &c->instances[n];
        int64_t moved = w->out[n] - s->numbers[n];
        if (moved && (moved != period || i->found[w->claim][zl_rp_inside(c, i, w->claim)]))
            return 0;
    }
    return period;
}

/* An earlier equal state. All instances have had a turn since, so one that has not moved
 * cannot move before those end that did; it has a recurrence of its own later. */
static const zl_rp_seen *find_same(zl_replay *c, const zl_rp_encoding *w, uint32_t by)
{
    size_t at = c->instances_count;
    for (uint32_t k = 0; k < c->seen_count[w->claim]; k++) {
        const zl_rp_seen *s = &c->seen[w->claim][k];
        if (s->by != by || s->round == c->round || s->count != w->need ||
            memcmp(s->numbers + at, w->out + at, (w->need - at) * sizeof *w->out))
            continue;
        int64_t period = period_of(c, s, w, by);
        if (period <= 0) continue;
        c->claims[w->claim].recurs = period;
        if (c->claims[w->claim].period % period) continue;
        if (is_apart(c, w->claim, s->step)) return s;
    }
    return NULL;
}

/* Makes room for more repeated parts. */
static bool more_repeats(zl_replay *c)
{
    uint32_t room = 2 * c->repeats_room + 16;
    size_t each = c->instances_count;
    zl_rp_repeat *all = zl_scratch(c->ctx, room, sizeof *all);
    bool *moved = zl_scratch(c->ctx, room * each, sizeof *moved);
    if (!all || !moved) return false;
    if (c->repeats) memcpy(all, c->repeats, c->repeats_count * sizeof *all);
    if (c->repeats) memcpy(moved, c->moved, c->repeats_count * each * sizeof *moved);
    c->repeats = all;
    c->moved = moved;
    c->repeats_room = room;
    return true;
}

/* Keeps a repeated part, and which instances moved in it. */
static bool note_repeat(zl_replay *c, const zl_rp_seen *same, const zl_rp_encoding *w)
{
    uint32_t claim = w->claim;
    if (c->repeats_count == c->repeats_room && !more_repeats(c)) return false;
    bool *moved = c->moved + (size_t)c->repeats_count * c->instances_count;
    c->repeats[c->repeats_count++] = (zl_rp_repeat){claim, same->step, c->step + 1};
    for (uint32_t n = 0; n < c->instances_count; n++) {
        zl_rp_instance *i = &c->instances[n];
        moved[n] = w->out[n] != same->numbers[n];
        if (moved[n]) i->found[claim][zl_rp_inside(c, i, claim)] = true;
    }
    for (uint32_t k = 0; k <= claim; k++) c->seen_count[k] = 0;
    return true;
}

/* Compares the state at a loop head with earlier ones. */
static void look(zl_replay *c, uint32_t by, uint32_t claim)
{
    zl_rp_encoding w;
    bool good = write_state(c, claim, &w);
    const zl_rp_seen *same = good ? find_same(c, &w, by) : NULL;
    if (good) good = same ? note_repeat(c, same, &w) : keep_state(c, claim, &w, by);
    if (!good) c->status = ZLAY_ENOMEM;
}

void zl_rp_head(zl_replay *c, zl_rp_instance *i)
{
    for (uint32_t k = 0; c->turns == ZL_RP_ALONE && k < c->claims_count; k++)
        if (zl_rp_is_loop(c, k, i->loop[i->depth - 1]) && looks(c, i, k))
            look(c, (uint32_t)(i - c->instances), k);
}

void zl_rp_edge(zl_replay *c, uint32_t loop)
{
    for (uint32_t k = 0; k < c->claims_count; k++)
        if (zl_rp_is_loop(c, k, loop)) c->seen_count[k] = 0;
}

/* ---- the longer trip ---- */

/* Keeps an offset, or says whether it is the one that was kept. */
static bool take(int64_t *at, int64_t value, bool begins)
{
    bool same = begins || *at == value;
    *at = value;
    return same;
}

/* The offset of the longer trip of `outer` from the run, relative to the loops of a
 * recurrence, must be the same where that begins and ends. */
static void take_bearings(zl_replay *c, uint32_t claim, uint32_t outer, bool begins)
{
    size_t each = (size_t)c->instances_count * ZL_PIPE_LOOPS + c->rings_count * c->blocks;
    int64_t *at = c->bearings + (claim * ZL_RP_PARAMS + outer) * each;
    const int32_t longer = (int32_t)outer;
    bool same = true;
    for (uint32_t n = 0; n < c->instances_count; n++) {
        const zl_rp_instance *i = &c->instances[n];
        int64_t there = zl_rp_counter(c, claim, c->first[n], longer);
        for (uint32_t d = 0; d < ZL_PIPE_LOOPS; d++)
            same &= take(at++,
                         d < i->depth ? i->twin[outer][d] -
                                            zl_rp_loop_turn(c, claim, i->loop[d], there, longer)
                                      : 0,
                         begins);
    }
    for (uint32_t k = 0; k < c->rings_count * c->blocks; k++) {
        uint32_t ring = k / c->blocks;
        int64_t here = zl_rp_counter(c, claim, c->ring_first[k], -1);
        int64_t there = zl_rp_counter(c, claim, c->ring_first[k], longer);
        same &= take(at++,
                     *zl_rp_turned(c, outer, ring, k % c->blocks) +
                         zl_rp_ring_turn(c, claim, ring, here, -1) -
                         zl_rp_ring_turn(c, claim, ring, there, longer),
                     begins);
    }
    if (!same)
        zl_rp_fail(c, outer, "a repetition turns a longer trip by another amount than the run");
}

/* Moves the longer trip of a claim past a repeated part: its counters and rings go on by the
 * period. */
static void turn(zl_replay *c, uint32_t claim, const bool *moved)
{
    int64_t by = c->claims[claim].period;
    for (uint32_t n = 0; n < c->instances_count; n++) {
        zl_rp_instance *i = &c->instances[n];
        for (uint32_t d = 0; moved[n] && d < i->depth; d++)
            i->twin[claim][d] += zl_rp_loop_turn(c, claim, i->loop[d], by, -1);
    }
    for (uint32_t k = 0; k < c->rings_count * c->blocks; k++)
        if (c->ring_first[k] != ZL_RP_NOBODY && moved[c->ring_first[k]])
            *zl_rp_turned(c, claim, k / c->blocks, k % c->blocks) +=
                zl_rp_ring_turn(c, claim, k / c->blocks, by, -1);
}

void zl_rp_turn(zl_replay *c)
{
    if (c->turns == ZL_RP_ALONE || c->step < c->compared) return;
    c->compared = c->step + 1;
    for (uint32_t k = 0; k < c->repeats_count; k++) {
        const zl_rp_repeat *r = &c->repeats[k];
        if (r->from != c->step && r->to != c->step) continue;
        zl_rp_find_groups(c, r->claim);
        for (uint32_t outer = 0; outer < r->claim; outer++)
            take_bearings(c, r->claim, outer, r->from == c->step);
    }
    for (uint32_t k = 0; k < c->repeats_count; k++) {
        const zl_rp_repeat *r = &c->repeats[k];
        if (c->step != (c->turns == ZL_RP_LAST ? r->from : r->to)) continue;
        zl_rp_find_groups(c, r->claim);
        turn(c, r->claim, c->moved + (size_t)k * c->instances_count);
    }
}
