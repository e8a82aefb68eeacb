/* SPDX-License-Identifier: Apache-2.0 */
/* One map for as many copies as walk alike, round by round the map that most of those left take. */
#include "synth/tensormap_cover.h"

#include <string.h>

enum { BOXES_MOST = 64 };

typedef struct share {
    const zl_tm *t;
    const zl_reading *reading;
    uint32_t count;
    bool given[BOXES_MOST]; /* boxes that have a reading */
} share;

/* The reading of each box that is left which shares the map of this one. */
static uint32_t likes_of(const share *s, const zl_reading *one, const zl_reading **like)
{
    int64_t coordinate[ZL_TM_RANK];
    zl_tm_map m;
    uint32_t likes = 0;
    memset(like, 0, BOXES_MOST * sizeof *like);
    if (!zl_tm_map_of(&m, s->t, &one->box) || !zl_tm_map_advance(&m)) return 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const zl_reading *r = &s->reading[i];
        if (s->given[r->of] || like[r->of] || !zl_tm_same_digits(&one->box, &r->box) ||
            !zl_tm_map_start(&m, coordinate, &one->box, &r->box))
            continue;
        like[r->of] = r;
        likes++;
    }
    return likes;
}

static uint32_t rank_of(const zl_tm *t, const zl_tm_box *box)
{
    zl_tm_map m;
    return zl_tm_map_of(&m, t, box) && zl_tm_map_advance(&m) ? m.rank : ZL_TM_RANK + 1;
}

void zl_readings_share(const zl_tm *t, zl_tm_box *box, uint32_t boxes, const zl_reading *reading,
                       uint32_t count)
{
    share s = {.t = t, .reading = reading, .count = count};
    const zl_reading *like[BOXES_MOST];
    for (uint32_t left = boxes; left;) {
        const zl_reading *best = NULL;
        uint32_t most = 0, rank = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (s.given[reading[i].of]) continue;
            uint32_t likes = likes_of(&s, &reading[i], like);
            uint32_t mine = likes >= most && likes ? rank_of(t, &reading[i].box) : 0;
            if (likes < most || !likes || (likes == most && mine >= rank)) continue;
            best = &reading[i];
            most = likes;
            rank = mine;
        }
        if (!best) return;
        likes_of(&s, best, like);
        for (uint32_t k = 0; k < boxes; k++) {
            if (!like[k]) continue;
            box[k] = like[k]->box;
            s.given[k] = true;
            left--;
        }
    }
}
