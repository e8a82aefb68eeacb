/* SPDX-License-Identifier: Apache-2.0 */
/* Hierarchies inside: a tree of levels, a bijection of its slots, the builder of normal forms. */
#ifndef ZL_ALGEBRA_HIER_H
#define ZL_ALGEBRA_HIER_H

#include "algebra/layout/layout.h"
#include <zlay/hier.h>

/* ---- trees --------------------------------------------------------------------- */

typedef struct zl_tree {
    const zlay_level *level; /* borrowed */
    size_t count;
    uint64_t slots; /* the product of the sizes */
} zl_tree;

zlay_status zl_tree_begin(zlay_ctx *ctx, zl_tree *out, const zlay_level *level, size_t count);

/* ---- bijections of [0, slots) --------------------------------------------------- */

typedef struct zl_moves {
    zlay_ctx *ctx;
    uint64_t slots;
    uint64_t *to; /* where each slot goes; NULL: by the bases */
    zl_affine affine;
} zl_moves;

/* The flat values of a layout of the tree's slots, as working memory of the call: ZLAY_NONE
 * where it is no bijection. */
zlay_status zl_moves_of(zlay_ctx *ctx, zl_moves *out, const zl_tree *tree, const zlay_layout *a);

/* x -> a^-1(b(x)). */
zlay_status zl_moves_between(zlay_ctx *ctx, zl_moves *out, const zl_tree *tree,
                             const zlay_layout *a, const zlay_layout *b);

/* ---- decisions ------------------------------------------------------------------- */

/* False with the witness where the moves do not keep some level. */
bool zl_moves_keep(const zl_moves *m, const zl_tree *tree, zlay_crossing *witness);
zlay_reach zl_moves_reach(const zl_moves *m, const zl_tree *tree);

/* ---- normal forms ------------------------------------------------------------------ */

typedef struct zl_tier {
    const char *name;
    uint64_t size, nodes;
    const uint32_t *map, *below; /* `size` entries a node */
} zl_tier;

struct zlay_hier {
    zlay_allocator alloc;
    size_t bytes, count;
    const zl_tier *tier;
};

/* A form by what it does below one node of one level: a key stands for a subtree, and two subtrees
 * of one level that have one key are equal.  `expand` writes the node's permutation and the keys of
 * its parts, `tree->level[level].size` of each. */
typedef struct zl_growth {
    const zl_tree *tree;
    uint64_t root;
    void (*expand)(const void *env, size_t level, uint64_t key, uint32_t *map, uint64_t *below);
    const void *env;
} zl_growth;

/* Grow the form from its root, merge equal subtrees, and number what is left by first blocks. */
zlay_status zl_hier_grow(zlay_ctx *ctx, zlay_hier **out, const zl_growth *growth);

/* The form of moves that keep every level. */
zlay_status zl_hier_of_moves(zlay_ctx *ctx, zlay_hier **out, const zl_moves *m,
                             const zl_tree *tree);

/* Any number of levels as a tree; the caller's `level` has room for all of them. */
void zl_hier_tree(zl_tree *out, zlay_level *level, const zlay_hier *a);

#endif
