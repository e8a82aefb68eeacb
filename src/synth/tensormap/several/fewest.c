/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the fewest boxes that bring all places of a tile: a set cover, exact within its number of
 * nodes, by iterative deepening with two lower bounds and a table of sets that were seen (the
 * method is described in fewest.h). */
#include "synth/tensormap/several/fewest.h"

#include <string.h>

enum { NODES_MOST = 100000, SEEN = 2048, SEEN_FROM = 256 };

typedef struct level {
    zl_places have;      /* places that the chosen boxes bring */
    uint64_t chunks;     /* that they write */
    uint32_t next, left; /* the next box to try, as an index of the list; places left */
    int32_t first;       /* the first place left; -1: none */
} level;

static void level_begin(const zl_fewest *f, level *l)
{
    l->first = -1;
    l->left = 0;
    for (uint32_t w = f->words; w-- > 0;) {
        uint64_t rest = f->want.word[w] & ~l->have.word[w];
        l->left += (uint32_t)__builtin_popcountll(rest);
        if (rest) l->first = (int32_t)(64 * w) + __builtin_ctzll(rest);
    }
    l->next = l->first < 0 ? 0 : f->over[l->first];
}

/* ---- boxes by places ------------------------------------------------------------------------- */

/* Lists the boxes over each place, in their order (a counting sort). */
static bool list_fill(zl_fewest *f)
{
    f->over = zl_scratch(f->ctx, f->places + 1, sizeof *f->over);
    for (uint32_t i = 0; f->over && i < f->boxes; i++)
        for (uint32_t w = 0; w < f->words; w++)
            for (uint64_t rest = f->box[i].where.word[w]; rest; rest &= rest - 1)
                f->over[64 * w + (uint32_t)__builtin_ctzll(rest)]++;
    for (uint32_t at = 0; f->over && at < f->places; at++) f->over[at + 1] += f->over[at];
    f->list = f->over ? zl_scratch(f->ctx, f->over[f->places], sizeof *f->list) : NULL;
    for (uint32_t i = f->boxes; f->list && i-- > 0;)
        for (uint32_t w = 0; w < f->words; w++)
            for (uint64_t rest = f->box[i].where.word[w]; rest; rest &= rest - 1)
                f->list[--f->over[64 * w + (uint32_t)__builtin_ctzll(rest)]] = (uint16_t)i;
    return f->list;
}

/* One past the last place of a box. */
static uint32_t end_of(const zl_fewest *f, uint32_t box)
{
    const uint64_t *word = f->box[box].where.word;
    uint32_t w = f->words;
    while (w && !word[w - 1]) w--;
    return w ? 64 * w - (uint32_t)__builtin_clzll(word[w - 1]) : 0;
}

/* A lower bound of the boxes from each place on: each box is taken to bring all places up to its
 * last. */
static bool need_fill(zl_fewest *f)
{
    uint16_t *end = zl_scratch(f->ctx, f->boxes, sizeof *end);
    f->need = zl_scratch(f->ctx, f->places + 1, sizeof *f->need);
    for (uint32_t i = 0; end && i < f->boxes; i++) end[i] = (uint16_t)end_of(f, i);
    for (uint32_t at = f->places; end && f->need && at-- > 0;) {
        uint32_t far = at + 1;
        bool wanted = f->want.word[at / 64] >> at % 64 & 1;
        for (uint32_t k = f->over[at]; wanted && k < f->over[at + 1]; k++)
            if (end[f->list[k]] > far) far = end[f->list[k]];
        f->need[at] = (uint16_t)(f->need[far] + wanted);
    }
    return end && f->need;
}

/* For each place, the places that some box brings together with it. */
static bool near_fill(zl_fewest *f)
{
    f->near = zl_scratch(f->ctx, f->places, sizeof *f->near);
    for (uint32_t i = 0; f->near && i < f->boxes; i++) {
        if (zl_charge(f->ctx, f->box[i].wanted)) return false;
        for (uint32_t w = 0; w < f->words; w++)
            for (uint64_t rest = f->box[i].where.word[w]; rest; rest &= rest - 1) {
                zl_places *near = &f->near[64 * w + (uint32_t)__builtin_ctzll(rest)];
                for (uint32_t k = 0; k < f->words; k++) near->word[k] |= f->box[i].where.word[k];
            }
    }
    return f->near;
}

static uint32_t near_count(const zl_fewest *f, uint64_t place, const zl_places *left)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < f->words; w++)
        count += (uint32_t)__builtin_popcountll(f->near[place].word[w] & left->word[w]);
    return count;
}

/* Places in the order of how few others come with them: those are counted first (counting sort). */
static bool order_fill(zl_fewest *f)
{
    uint32_t *from = zl_scratch(f->ctx, f->wanted + 2, sizeof *from);
    uint16_t *count = zl_scratch(f->ctx, f->places, sizeof *count);
    f->order = zl_scratch(f->ctx, f->wanted, sizeof *f->order);
    if (!from || !count || !f->order) return false;
    for (uint32_t i = 0; i < f->places; i++) {
        if (!(f->want.word[i / 64] >> i % 64 & 1)) continue;
        count[i] = (uint16_t)near_count(f, i, &f->want);
        from[count[i] + 1]++;
    }
    for (uint32_t k = 0; k <= f->wanted; k++) from[k + 1] += from[k];
    for (uint32_t i = 0; i < f->places; i++)
        if (f->want.word[i / 64] >> i % 64 & 1) f->order[from[count[i]]++] = (uint16_t)i;
    return true;
}

/* A lower bound: places left of which no box brings two, so that each needs its own box; chosen
 * greedily. */
static uint32_t boxes_least(const zl_fewest *f, const zl_places *have)
{
    zl_places left;
    uint32_t count = 0;
    for (uint32_t w = 0; w < f->words; w++) left.word[w] = f->want.word[w] & ~have->word[w];
    for (uint64_t i = 0; i < f->wanted; i++) {
        uint32_t at = f->order[i];
        if (!(left.word[at / 64] >> at % 64 & 1)) continue;
        for (uint32_t w = 0; w < f->words; w++) left.word[w] &= ~f->near[at].word[w];
        count++;
    }
    return count;
}

/* Finds the next box over the first place left that a better cover may have. */
static bool level_next(zl_fewest *f, level *l, uint32_t rest)
{
    for (; l->next < f->over[l->first + 1]; l->next++) {
        const zl_known *k = &f->box[f->list[l->next]];
        if (l->chunks + k->chunks >= f->best_chunks) continue;
        if (l->left > k->wanted + (uint64_t)(rest - 1) * f->longest) continue;
        return true;
    }
    return false;
}

static void level_add(const zl_fewest *f, level *to, const level *from, const zl_known *k)
{
    for (uint32_t w = 0; w < f->words; w++)
        to->have.word[w] = from->have.word[w] | k->where.word[w];
    to->chunks = from->chunks + k->chunks;
    level_begin(f, to);
}

/* ---- sets that were tried -------------------------------------------------------------------- */

/* A set of places from which `rest` more boxes were tried without a better result. */
typedef struct zl_seen_places {
    zl_places have;
    uint64_t chunks;
    uint32_t rest; /* plus 1; 0: none */
} zl_seen_places;

static zl_seen_places *seen_at(const zl_fewest *f, const zl_places *have)
{
    return &f->seen[zl_places_hash(have, f->words) % SEEN];
}

/* Whether as many more boxes were tried from a level's places before; if not, records that they
 * are now. */
static bool is_seen(const zl_fewest *f, const level *l, uint32_t rest)
{
    zl_seen_places *at = f->seen ? seen_at(f, &l->have) : NULL;
    if (!at) return false;
    bool same = at->rest && !memcmp(&at->have, &l->have, f->words * sizeof l->have.word[0]);
    if (same && at->rest > rest && at->chunks <= l->chunks) return true;
    *at = (zl_seen_places){l->have, l->chunks, rest + 1};
    return false;
}

/* Whether a level with `rest` more boxes may lead to a better cover. */
static bool may_lead(const zl_fewest *f, const level *l, uint32_t rest)
{
    if (l->chunks + l->left >= f->best_chunks) return false;
    if (l->first >= 0 && f->need[l->first] > rest) return false;
    if (l->first >= 0 && is_seen(f, l, rest)) return false;
    return boxes_least(f, &l->have) <= rest;
}

/* ---- the search ------------------------------------------------------------------------------ */

static void judge(zl_fewest *f, const level *l, uint32_t depth)
{
    if (l->first >= 0 || l->chunks >= f->best_chunks) return;
    f->best_chunks = l->chunks;
    f->best_boxes = depth;
    memcpy(f->best, f->chosen, depth * sizeof *f->best);
}

/* Searches all covers by so many boxes; false: the limit of nodes was reached. */
static bool covers(zl_fewest *f, level *stack, uint32_t boxes)
{
    uint32_t depth = 0;
    stack[0] = (level){0};
    level_begin(f, &stack[0]);
    for (;;) {
        level *l = &stack[depth];
        bool more = l->first >= 0 && depth < boxes && level_next(f, l, boxes - depth);
        if (!more) judge(f, l, depth);
        if (!more && (!depth || f->best_chunks <= f->wanted)) return true;
        if (!more) {
            depth--;
            continue;
        }
        if (++f->nodes > NODES_MOST || zl_charge(f->ctx, f->wanted)) return false;
        if (f->nodes == SEEN_FROM && !(f->seen = zl_scratch(f->ctx, SEEN, sizeof *f->seen))) return false;
        f->chosen[depth] = f->list[l->next++];
        level_add(f, &stack[depth + 1], l, &f->box[f->chosen[depth]]);
        if (may_lead(f, &stack[depth + 1], boxes - depth - 1)) depth++;
    }
}

/* Searches with one box more in each round, up to the boxes of the known cover; false: not all
 * rounds were complete. */
static bool rounds(zl_fewest *f, level *stack)
{
    uint32_t most = f->than && f->than->boxes < ZL_FEWEST_MOST ? f->than->boxes : ZL_FEWEST_MOST - 1;
    uint32_t boxes = (uint32_t)((f->wanted + f->longest - 1) / f->longest);
    zl_places none = {{0}}, others;
    for (uint32_t w = 0; w < f->words; w++) others.word[w] = ~f->firm.word[w];
    if (boxes < boxes_least(f, &none)) boxes = boxes_least(f, &none);
    f->sure = boxes_least(f, &others);
    if (boxes < f->sure) boxes = f->sure;
    if (boxes < f->need[0]) boxes = f->need[0];
    if (boxes < f->least) boxes = f->least;
    for (; boxes <= most; boxes++) {
        if (f->than && boxes == f->than->boxes) f->best_chunks = f->than->chunks + 1;
        if (!covers(f, stack, boxes)) return false;
        if (f->best_boxes) return true;
    }
    return f->than && f->than->boxes == most;
}

zlay_status zl_fewest_find(zl_fewest *f)
{
    level *stack = zl_scratch(f->ctx, ZL_FEWEST_MOST + 1, sizeof *stack);
    bool made = stack && list_fill(f) && need_fill(f) && near_fill(f) && order_fill(f);
    f->best_chunks = UINT64_MAX;
    if (made) f->all = rounds(f, stack);
    return made && (f->seen || f->nodes < SEEN_FROM) ? ZLAY_OK : ZLAY_ENOMEM;
}
