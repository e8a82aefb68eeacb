/* SPDX-License-Identifier: Apache-2.0 */
/* What a subtree of a normal form is, for moves, for products and for inverses. */
#include "algebra/normal/hier.h"

/* ---- moves by values: a key is the number of a block ------------------------------------ */

typedef struct tree_moves {
    const zl_moves *moves;
    const zl_tree *tree;
} tree_moves;

static uint64_t part_size(const zl_tree *tree, size_t level)
{
    uint64_t slots = 1;
    for (size_t k = 0; k < level; k++) slots *= tree->level[k].size;
    return slots;
}

static void expand_values(const void *env, size_t level, uint64_t key, uint32_t *map,
                          uint64_t *below)
{
    const tree_moves *m = env;
    uint64_t size = m->tree->level[level].size, part = part_size(m->tree, level);
    for (uint64_t c = 0; c < size; c++) {
        below[c] = key * size + c;
        map[c] = (uint32_t)(m->moves->to[below[c] * part] / part % size);
    }
}

/* ---- moves by bases: a key is what a subtree adds to its low bits ------------------------- */

static void expand_bases(const void *env, size_t level, uint64_t key, uint32_t *map,
                         uint64_t *below)
{
    const tree_moves *m = env;
    uint64_t size = m->tree->level[level].size, part = part_size(m->tree, level);
    const uint64_t *basis = m->moves->affine.basis + __builtin_ctzll(part);
    for (uint64_t c = 0; c < size; c++) {
        uint64_t image = key;
        for (uint64_t left = c; left; left &= left - 1) image ^= basis[__builtin_ctzll(left)];
        map[c] = (uint32_t)(image / part % size);
        below[c] = image % part;
    }
}

zlay_status zl_hier_of_moves(zlay_ctx *ctx, zlay_hier **out, const zl_moves *m,
                             const zl_tree *tree)
{
    const tree_moves env = {m, tree};
    const zl_growth growth = {tree, m->to ? 0 : m->affine.constant,
                              m->to ? expand_values : expand_bases, &env};
    return zl_hier_grow(ctx, out, &growth);
}

/* ---- products and inverses: a key is a node, or a pair of them ---------------------------- */

void zl_hier_tree(zl_tree *out, zlay_level *level, const zlay_hier *a)
{
    *out = (zl_tree){level, a->count, 1};
    for (size_t k = 0; k < a->count; k++) {
        level[k] = (zlay_level){a->tier[k].name, a->tier[k].size};
        out->slots *= a->tier[k].size;
    }
}

static bool same_tree(const zlay_hier *a, const zlay_hier *b)
{
    if (!a || !b || a->count != b->count) return false;
    for (size_t k = 0; k < a->count; k++)
        if (a->tier[k].size != b->tier[k].size) return false;
    return true;
}

typedef struct pair {
    const zlay_hier *a, *b;
} pair;

static void expand_product(const void *env, size_t level, uint64_t key, uint32_t *map,
                           uint64_t *below)
{
    const pair *p = env;
    const zl_tier *a = &p->a->tier[level], *b = &p->b->tier[level];
    uint64_t at_a = (key >> 32) * a->size, at_b = (key & UINT32_MAX) * b->size;
    for (uint64_t c = 0; c < a->size; c++) {
        uint32_t to = b->map[at_b + c];
        map[c] = a->map[at_a + to];
        below[c] = (uint64_t)a->below[at_a + to] << 32 | b->below[at_b + c];
    }
}

static void expand_inverse(const void *env, size_t level, uint64_t key, uint32_t *map,
                           uint64_t *below)
{
    const zl_tier *t = &((const zlay_hier *)env)->tier[level];
    uint64_t at = key * t->size;
    for (uint64_t c = 0; c < t->size; c++) {
        map[t->map[at + c]] = (uint32_t)c;
        below[t->map[at + c]] = t->below[at + c];
    }
}

static zlay_status grow_like(zlay_ctx *ctx, zlay_hier **out, const zlay_hier *like,
                             zl_growth growth)
{
    zlay_level *level = zl_scratch(ctx, like->count, sizeof *level);
    zl_tree tree;
    if (!level) return ZLAY_ENOMEM;
    zl_hier_tree(&tree, level, like);
    growth.tree = &tree;
    return zl_hier_grow(ctx, out, &growth);
}

static zlay_status compose(zlay_ctx *ctx, zlay_hier **out, const zlay_hier *a, const zlay_hier *b)
{
    const pair env = {a, b};
    if (!same_tree(a, b))
        return zl_fail(ctx, ZLAY_EINVAL, "a form is NULL, or their levels have other sizes");
    return grow_like(ctx, out, b, (zl_growth){NULL, 0, expand_product, &env});
}

zlay_status zlay_hier_compose(zlay_ctx *ctx, zlay_hier **out, const zlay_hier *a,
                              const zlay_hier *b)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, compose(ctx, out, a, b));
}

zlay_status zlay_hier_inverse(zlay_ctx *ctx, zlay_hier **out, const zlay_hier *a)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!a) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave(ctx, grow_like(ctx, out, a, (zl_growth){NULL, 0, expand_inverse, a}));
}

zlay_status zlay_hier_equal(zlay_answer *answer, const zlay_hier *a, const zlay_hier *b)
{
    if (!answer || !same_tree(a, b)) return ZLAY_EINVAL;
    *answer = ZLAY_YES;
    for (size_t k = 0; k < a->count && *answer; k++) {
        const zl_tier *x = &a->tier[k], *y = &b->tier[k];
        *answer = x->nodes == y->nodes;
        for (uint64_t e = 0; *answer && e < x->nodes * x->size; e++)
            *answer = x->map[e] == y->map[e] && x->below[e] == y->below[e];
    }
    return ZLAY_OK;
}
