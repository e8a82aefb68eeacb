/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether buffers fit into given allocations: branch and bound over the orders of buffers.
 *
 * Any packing can be pushed down: each buffer, the lowest first, moves to the lowest place above
 * the lower buffers that share a step with it, again and again until none moves. Offsets only get
 * smaller, so this ends, with every buffer at its lowest place above the lower ones. So it is
 * enough to choose an order of the buffers: by ascending offset and, where offsets are equal, by
 * index. */
#include "synth/tmem/tmem_pack.h"

#include <string.h>

enum { STEPS = ZLAY_TMEM_BUFFERS, NOWHERE = UINT16_MAX };

/* A level of the search.  By step, `height` is the first column above the placed buffers, and
 * `left` the columns of buffers still to be placed. */
typedef struct frame {
    uint16_t height[STEPS], left[STEPS];
    uint64_t placed;
    uint32_t last, item; /* offset and number of the buffer placed last */
    uint32_t next;       /* candidate to be tried */
    uint32_t low[ZLAY_TMEM_BUFFERS], reach; /* the lowest place of each buffer; see survey */
} frame;

typedef struct search {
    zl_pack *pack;
    frame at[ZLAY_TMEM_BUFFERS + 1];
    uint32_t depth;
} search;

/* The lowest column above the placed buffers that share a step with this one. */
static uint32_t top(const frame *f, const zl_packed *p)
{
    uint32_t most = 0;
    for (uint64_t life = p->life; life; life &= life - 1) {
        uint32_t height = f->height[__builtin_ctzll(life)];
        if (height > most) most = height;
    }
    return most;
}

/* The lowest place from `from` on at which a buffer lies in one allocation. */
static uint32_t lowest(const zl_pack *pack, const zl_packed *p, uint32_t from)
{
    if (p->fixed) return from <= p->offset ? p->offset : NOWHERE;
    for (uint32_t i = 0, base = 0; i < pack->allocations; base += pack->size[i++]) {
        uint32_t at = from > base ? from : base;
        at = (at + p->align - 1) / p->align * p->align;
        if (at + p->columns <= base + pack->size[i]) return at;
    }
    return NOWHERE;
}

/* Whether the columns left fit in every step; every buffer left begins at `last` or above it. */
static bool has_room(const zl_pack *pack, const frame *f)
{
    for (uint32_t t = 0; t < pack->steps; t++) {
        uint32_t height = f->height[t] > f->last ? f->height[t] : f->last;
        if (f->left[t] && height + f->left[t] > pack->columns) return false;
    }
    return true;
}

/* Finds the lowest place of each buffer left; false: some buffer has none.  The next buffer must
 * begin below `reach`, the least end of a buffer at its lowest place: otherwise that buffer would
 * fit below it, and the order by offsets would be another. */
static bool survey(const zl_pack *pack, frame *f)
{
    f->reach = NOWHERE;
    f->next = 0;
    for (uint32_t i = 0; i < pack->count; i++) {
        const zl_packed *p = &pack->item[i];
        if (f->placed >> i & 1) continue;
        f->low[i] = lowest(pack, p, top(f, p));
        if (f->low[i] == NOWHERE) return false;
        if (!p->fixed && f->low[i] + p->columns < f->reach) f->reach = f->low[i] + p->columns;
    }
    return has_room(pack, f);
}

/* Whether a buffer may come next.  Of buffers that can be exchanged, only the first is tried. */
static bool is_candidate(const zl_pack *pack, const frame *f, uint32_t i)
{
    if (f->placed >> i & 1 || f->low[i] < f->last || f->low[i] >= f->reach) return false;
    if (f->placed && f->low[i] == f->last && i < f->item) return false;
    for (uint32_t j = 0; j < i; j++)
        if (!(f->placed >> j & 1) && zl_packed_alike(&pack->item[j], &pack->item[i])) return false;
    return true;
}

static void put(const zl_pack *pack, const frame *f, frame *next, uint32_t i)
{
    const zl_packed *p = &pack->item[i];
    memcpy(next, f, offsetof(frame, next));
    next->placed |= 1ull << i;
    next->last = f->low[i];
    next->item = i;
    for (uint64_t life = p->life; life; life &= life - 1) {
        int t = __builtin_ctzll(life);
        next->height[t] = (uint16_t)(f->low[i] + p->columns);
        next->left[t] = (uint16_t)(next->left[t] - p->columns);
    }
}

static void begin(search *s)
{
    frame *f = &s->at[0];
    for (uint32_t i = 0; i < s->pack->count; i++)
        for (uint64_t life = s->pack->item[i].life; life; life &= life - 1) {
            uint16_t *left = &f->left[__builtin_ctzll(life)];
            *left = (uint16_t)(*left + s->pack->item[i].columns);
        }
}

static zlay_status walk(search *s)
{
    zl_pack *pack = s->pack;
    bool alive = survey(pack, &s->at[0]);
    for (;;) {
        frame *f = &s->at[s->depth];
        while (alive && f->next < pack->count && !is_candidate(pack, f, f->next)) f->next++;
        if (!alive || f->next == pack->count) {
            if (!s->depth) return ZLAY_NONE;
            s->depth--;
            alive = true;
            continue;
        }
        if (pack->tried++ == pack->most) return ZLAY_ELIMIT;
        pack->place[f->next] = f->low[f->next];
        put(pack, f, f + 1, f->next++);
        if (++s->depth == pack->count) return ZLAY_OK;
        alive = survey(pack, f + 1);
    }
}

zlay_status zl_pack_search(zl_pack *pack)
{
    search s = {.pack = pack};
    pack->tried = 0;
    begin(&s);
    return walk(&s);
}
