/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a tensor map can have a box: its dimensions, the coordinates of all tiles, the
 * rules of the target, and that no bytes outside of the source are read. Boxes with the same steps
 * and lengths have the same answer, so answers are kept in a small hash table. A failed allocation
 * is answered here as "not legal"; the ctx remembers it, and the whole call then answers ENOMEM. */
#include "synth/tensormap/several/cover.h"

#include <string.h>

/* Whether the rules of the target hold.  They are checked only where a stride or an extent is near
 * the driver's bound; all other rules hold by construction of the box. */
static bool rules_hold(const zl_chunks *c, const zl_tm_map *m)
{
    enum { NEAR_BITS = 31 };
    bool near = false;
    zlay_tensormap map = {0};
    zlay_verdict verdict;
    for (uint32_t i = 0; i < m->rank; i++)
        near |= m->dim[i].stride >> NEAR_BITS ||
                (uint64_t)(m->dim[i].most - m->dim[i].least) >> NEAR_BITS;
    if (!near) return true;
    zl_tm_map_fill(&map, m, 0);
    return zlay_tensormap_check(&verdict, NULL, 0, c->t->target, &map) == ZLAY_OK &&
           verdict.answer == ZLAY_YES;
}

/* A copy of a box over holes must not read outside of the source's memory. */
static bool reads_inside(const zl_chunks *c, const zl_tm_box *box)
{
    zlay_move *move = NULL;
    if (!c->holes || c->keep || c->t->store) return true;
    bool inside = zl_tm_maps(c->t, &move, box, 1) == ZLAY_OK && zl_tm_reads_inside(c->t, move);
    zlay_move_free(move);
    return inside;
}

bool zl_chunks_legal(const zl_chunks *c, const zl_tm_box *box)
{
    zl_tm_map m;
    int64_t coordinate[ZL_TM_RANK];
    return zl_tm_map_of(&m, c->t, box) && zl_tm_map_advance(&m) &&
           zl_tm_map_start(&m, coordinate, box, box) && rules_hold(c, &m) && reads_inside(c, box);
}

/* ---- the cache of answers ------------------------------------------------------------------- */

enum { NUMBERS = 3 * ZL_TM_RANK + 4, MEMOS = 256 };

/* Cache entry: the numbers that the answer depends on, and the longest legal length up to
 * `most`. */
typedef struct zl_legal_memo {
    int64_t number[NUMBERS];
    uint64_t legal, most;
} memo;

/* Whether the answer does not depend on where the box begins: it begins at a multiple of the
 * granule along every axis with edges, and of 16 bytes along the row. */
static bool begins_whole(const zl_chunks *c, const int64_t *key)
{
    for (uint32_t k = 1; k < c->width; k++) {
        const zl_tm_axis *a = &c->t->axis[c->axis[k - 1]];
        if (key[k] * (int64_t)c->group[k - 1] % (int64_t)a->granule) return false;
        if (a->stride == c->t->element && key[k] * c->t->element % ZL_CHUNK) return false;
    }
    return true;
}

/* A key difference as one number, by the mixed-radix weights of chunks.c. */
static int64_t weighed(const zl_chunks *c, const int64_t *way)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < c->width; k++) sum += way[k] * c->weight[k];
    return sum;
}

/* Fills in the numbers that identify a box up to its beginning, and returns their slot in the
 * cache.  The weighed sum of a key difference stands for the difference. */
static uint32_t numbers_take(int64_t *out, const zl_chain *h, uint32_t level, uint64_t blocks)
{
    uint32_t n = 0;
    uint64_t hash = 0;
    memset(out, 0, NUMBERS * sizeof *out);
    out[n++] = h->swizzle;
    out[n++] = h->slice;
    out[n++] = level + 1;
    out[n++] = (int64_t)blocks;
    for (uint32_t i = 0; i <= level; i++) {
        out[n++] = i < level ? (int64_t)h->extent[i] : 0;
        out[n++] = (int64_t)h->unit[i];
        out[n++] = weighed(h->c, h->way[i]);
    }
    for (uint32_t i = 0; i < n; i++) hash = (hash ^ (uint64_t)out[i]) * 0x9e3779b97f4a7c15;
    return (uint32_t)(hash >> 40) % MEMOS;
}

/* Returns the cache entry of a box; `*same`: it holds the answer for such a box.  NULL: the answer
 * depends on where the box begins, so it is not kept. */
static memo *memo_of(bool *same, const zl_chain *h, uint32_t level, uint64_t blocks)
{
    const zl_chunks *c = h->c;
    bool there;
    int64_t number[NUMBERS];
    *same = false;
    if (c->t->spread || !c->plain[h->swizzle] ||
        !begins_whole(c, zl_chunk_key(c, h->swizzle, h->start, &there)))
        return NULL;
    memo *m = &c->memo[numbers_take(number, h, level, blocks)];
    *same = !memcmp(m->number, number, sizeof number);
    memcpy(m->number, number, sizeof number);
    return m;
}

bool zl_chain_legal(const zl_chain *h, uint32_t level, uint64_t blocks)
{
    bool same;
    zl_tm_box box;
    memo *m = memo_of(&same, h, level, blocks);
    if (same) return m->legal;
    bool legal = zl_chain_box(&box, h, level, blocks) && zl_chunks_legal(h->c, &box);
    if (m) m->legal = legal;
    return legal;
}

uint64_t zl_chain_longest(const zl_chain *h, uint32_t level)
{
    enum { ANY = 0 };
    bool same;
    zl_tm_box box;
    uint64_t blocks = h->extent[level];
    memo *m = memo_of(&same, h, level, ANY);
    if (same && m->legal <= blocks && blocks <= m->most) return m->legal;
    while (blocks && !(zl_chain_box(&box, h, level, blocks) && zl_chunks_legal(h->c, &box)))
        blocks--;
    if (m) m->legal = blocks;
    if (m) m->most = h->extent[level];
    return blocks;
}

zlay_status zl_legal_begin(zl_chunks *c)
{
    c->memo = zl_scratch(c->t->ctx, MEMOS, sizeof *c->memo);
    return c->memo ? ZLAY_OK : ZLAY_ENOMEM;
}
