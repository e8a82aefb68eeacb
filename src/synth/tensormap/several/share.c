/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses maps for the boxes of a cover so that the fewest maps suffice. A box can be read in
 * several ways; each reading has a map that other boxes may share, and so it stands for a set of
 * boxes. The chosen maps are a minimum set cover of the boxes; of as many maps, those of the least
 * rank are taken. The search is depth first with a limit on nodes; beyond the limit a greedy cover
 * takes the set with most boxes left each time. */
#include "synth/tensormap/several/cover.h"

#include <string.h>

enum { BOXES_MOST = 64, NODES_MOST = 20000 };

/* Boxes, a bit each, that share the map of a reading. */
typedef struct set {
    uint64_t boxes;
    uint32_t reading, rank;
} set;

typedef struct share {
    const zl_tm *t;
    const zl_reading *reading;
    uint32_t count, boxes, sets;
    uint64_t nodes;
    set *set;
    uint32_t chosen[BOXES_MOST], maps;
} share;

/* ---- maps and the boxes that share them ------------------------------------------------------ */

/* Finds for each box a reading that shares the map of this reading; returns the map's rank, 0: no
 * map. */
static uint32_t likes_of(const share *s, const zl_reading *one, const zl_reading **like)
{
    int64_t coordinate[ZL_TM_RANK];
    zl_tm_map m;
    memset(like, 0, BOXES_MOST * sizeof *like);
    if (!zl_tm_map_of(&m, s->t, &one->box) || !zl_tm_map_advance(&m)) return 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const zl_reading *r = &s->reading[i];
        if (!like[r->of] && zl_tm_same_digits(&one->box, &r->box) &&
            zl_tm_map_start(&m, coordinate, &one->box, &r->box))
            like[r->of] = r;
    }
    return m.rank;
}

/* Whether a set is useful: no earlier set contains it at the same or a smaller rank. */
static bool is_new(const share *s, const set *one)
{
    for (uint32_t i = 0; i < s->sets; i++)
        if (!(one->boxes & ~s->set[i].boxes) && s->set[i].rank <= one->rank) return false;
    return one->boxes;
}

static void sets_make(share *s)
{
    const zl_reading *like[BOXES_MOST];
    for (uint32_t i = 0; i < s->count; i++) {
        set one = {.reading = i, .rank = likes_of(s, &s->reading[i], like)};
        for (uint32_t k = 0; k < s->boxes; k++) one.boxes |= (uint64_t)(like[k] != NULL) << k;
        if (is_new(s, &one)) s->set[s->sets++] = one;
    }
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Finds so many sets, of at most this rank, that contain all boxes; false: there are none, or the
 * limit of nodes was reached. */
static bool covered_by(share *s, uint32_t maps, uint32_t rank)
{
    uint64_t all = s->boxes == BOXES_MOST ? UINT64_MAX : ((uint64_t)1 << s->boxes) - 1;
    uint64_t have[BOXES_MOST + 1] = {0};
    uint32_t depth = 0, next[BOXES_MOST + 1] = {0};
    for (;;) {
        uint64_t left = all & ~have[depth], first = left & (~left + 1);
        uint32_t i = next[depth];
        if (!left) break;
        while (depth < maps && i < s->sets && (!(s->set[i].boxes & first) || s->set[i].rank > rank))
            i++;
        bool more = depth < maps && i < s->sets && s->nodes++ < NODES_MOST;
        if (!more && !depth) return false;
        if (!more) {
            depth--;
            continue;
        }
        s->chosen[depth] = i;
        next[depth] = i + 1;
        have[depth + 1] = have[depth] | s->set[i].boxes;
        next[++depth] = 0;
    }
    s->maps = depth;
    return true;
}

/* Takes the set with most of the boxes left, again and again. */
static void greedy(share *s)
{
    uint64_t have = 0;
    for (s->maps = 0; s->maps < s->boxes; s->maps++) {
        uint32_t best = 0;
        int most = 0;
        for (uint32_t i = 0; i < s->sets; i++) {
            int mine = __builtin_popcountll(s->set[i].boxes & ~have);
            if (mine < most || (mine == most && s->set[i].rank >= s->set[best].rank)) continue;
            most = mine;
            best = i;
        }
        if (!most) return;
        s->chosen[s->maps] = best;
        have |= s->set[best].boxes;
    }
}

static void choose(share *s)
{
    for (uint32_t maps = 1; maps <= s->boxes && s->nodes < NODES_MOST; maps++) {
        if (!covered_by(s, maps, ZL_TM_RANK)) continue;
        for (uint32_t rank = 1; rank <= ZL_TM_RANK && s->nodes < NODES_MOST; rank++)
            if (covered_by(s, maps, rank)) return;
    }
    greedy(s);
}

static void boxes_fill(const share *s, zl_tm_box *box)
{
    const zl_reading *like[BOXES_MOST];
    uint64_t given = 0;
    for (uint32_t i = 0; i < s->maps; i++) {
        likes_of(s, &s->reading[s->set[s->chosen[i]].reading], like);
        for (uint32_t k = 0; k < s->boxes; k++) {
            if (!like[k] || given >> k & 1) continue;
            box[k] = like[k]->box;
            given |= (uint64_t)1 << k;
        }
    }
}

zlay_status zl_readings_share(const zl_tm *t, zl_tm_box *box, uint32_t boxes,
                              const zl_reading *reading, uint32_t count)
{
    share s = {.t = t, .reading = reading, .count = count, .boxes = boxes};
    s.set = zl_scratch(t->ctx, count, sizeof *s.set);
    if (!s.set) return ZLAY_ENOMEM;
    sets_make(&s);
    choose(&s);
    boxes_fill(&s, box);
    return ZLAY_OK;
}
