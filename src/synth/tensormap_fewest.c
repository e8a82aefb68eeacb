/* SPDX-License-Identifier: Apache-2.0 */
#include "synth/tensormap_fewest.h"

#include <string.h>

enum { NODES_MOST = 100000 };

typedef struct level {
    zl_places have;
    uint64_t chunks;
    uint32_t next, left; /* the next box to try; places that are left */
    int32_t first;       /* place; -1: none is left */
} level;

static void level_begin(const zl_fewest *f, level *l)
{
    l->next = 0;
    l->first = -1;
    l->left = 0;
    for (uint32_t w = f->words; w-- > 0;) {
        uint64_t rest = f->want.word[w] & ~l->have.word[w];
        l->left += (uint32_t)__builtin_popcountll(rest);
        if (rest) l->first = (int32_t)(64 * w) + __builtin_ctzll(rest);
    }
}

static bool brings(const zl_known *k, int32_t place)
{
    return k->where.word[place / 64] >> place % 64 & 1;
}

/* What some box brings together with each place. */
static bool near_fill(zl_fewest *f)
{
    f->near = zl_alloc(f->ctx, f->places, sizeof *f->near);
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

/* Places in the order of how few others come with them: those are counted first. */
static bool order_fill(zl_fewest *f)
{
    f->order = zl_alloc(f->ctx, f->wanted, sizeof *f->order);
    uint16_t *count = zl_alloc(f->ctx, f->wanted, sizeof *count);
    uint32_t n = 0;
    for (uint64_t i = 0; f->order && count && i < f->places; i++) {
        if (!(f->want.word[i / 64] >> i % 64 & 1)) continue;
        uint32_t k = n++, mine = near_count(f, i, &f->want);
        for (; k && count[k - 1] > mine; k--) {
            count[k] = count[k - 1];
            f->order[k] = f->order[k - 1];
        }
        count[k] = (uint16_t)mine;
        f->order[k] = (uint16_t)i;
    }
    zlay_allocator alloc = zl_allocator(f->ctx);
    zl_free(&alloc, count, f->wanted * sizeof *count);
    return f->order && n == f->wanted;
}

/* Places that are left of which no box brings two: each needs one of its own. */
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

/* The next box over the first place that is left which a better cover may have. */
static bool level_next(zl_fewest *f, level *l, uint32_t rest)
{
    for (; l->next < f->boxes; l->next++) {
        const zl_known *k = &f->box[l->next];
        if (!brings(k, l->first) || l->chunks + k->chunks >= f->best_chunks) continue;
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

static void judge(zl_fewest *f, const level *l, uint32_t depth)
{
    if (l->first >= 0 || l->chunks >= f->best_chunks) return;
    f->best_chunks = l->chunks;
    f->best_boxes = depth;
    memcpy(f->best, f->chosen, depth * sizeof *f->best);
}

/* All covers by so many boxes; false: the nodes ran out. */
static bool covers(zl_fewest *f, level *stack, uint32_t boxes)
{
    uint32_t depth = 0;
    stack[0] = (level){0};
    level_begin(f, &stack[0]);
    for (;;) {
        level *l = &stack[depth];
        bool more = l->first >= 0 && depth < boxes && level_next(f, l, boxes - depth);
        if (!more) judge(f, l, depth);
        if (!more && !depth) return true;
        if (!more) {
            depth--;
            continue;
        }
        if (++f->nodes > NODES_MOST || zl_charge(f->ctx, f->wanted)) return false;
        f->chosen[depth] = l->next++;
        level_add(f, &stack[depth + 1], l, &f->box[f->chosen[depth]]);
        if (depth + 1 + boxes_least(f, &stack[depth + 1].have) <= boxes) depth++;
    }
}

/* Rounds of one box more, up to as many as are known to do. */
static bool rounds(zl_fewest *f, level *stack)
{
    uint32_t most = f->than && f->than->boxes < ZL_FEWEST_MOST ? f->than->boxes : ZL_FEWEST_MOST - 1;
    uint32_t boxes = (uint32_t)((f->wanted + f->longest - 1) / f->longest);
    static const zl_places none;
    if (boxes < boxes_least(f, &none)) boxes = boxes_least(f, &none);
    for (; boxes <= most; boxes++) {
        if (f->than && boxes == f->than->boxes) f->best_chunks = f->than->chunks + 1;
        if (!covers(f, stack, boxes)) return false;
        if (f->best_boxes) return true;
    }
    return f->than != NULL;
}

static zlay_status find(zl_fewest *f)
{
    zlay_allocator alloc = zl_allocator(f->ctx);
    level *stack = zl_alloc(f->ctx, ZL_FEWEST_MOST + 1, sizeof *stack);
    zlay_status status = stack && near_fill(f) && order_fill(f) ? ZLAY_OK : ZLAY_ENOMEM;
    if (!status) f->all = rounds(f, stack);
    zl_free(&alloc, stack, (ZL_FEWEST_MOST + 1) * sizeof *stack);
    return status;
}

zlay_status zl_fewest_find(zl_fewest *f)
{
    zlay_allocator alloc = zl_allocator(f->ctx);
    f->best_chunks = UINT64_MAX;
    zlay_status status = find(f);
    zl_free(&alloc, f->near, f->places * sizeof *f->near);
    zl_free(&alloc, f->order, f->wanted * sizeof *f->order);
    f->near = NULL;
    f->order = NULL;
    return status;
}
