/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/hier.h - bijections of a hierarchy: one normal form, equations, and the
 *  level that a conversion needs.
 *
 *  A worked example.  Two registers a lane and three lanes are six slots, the
 *  register fastest: slot x is register x mod 2 of lane x / 2.  5 o 6:-1 has the
 *  values 5 4 3 2 1 0.  It keeps every lane together (0 and 1 become 5 and 4,
 *  both of lane 2), so it is a permutation of the lanes, 2 1 0, and in each lane
 *  one of its registers, 1 0, the same in all three.  That is its normal form:
 *  a node of level `lane` with map 2 1 0 and below 0 0 0, and one node of level
 *  `register` with map 1 0.  (2,3):(3,1), with values 0 3 1 4 2 5, has none: it
 *  crosses `register`, for slots 0 and 1 of one lane become slots 0 and 3 of two.
 *
 *  From 6:1 to 5 o 6:-1 is a conversion of level `lane`: slot 0 takes what slot
 *  5 had, which is another lane, so no register moves do it.
 *
 *  Levels are listed from the fastest on: (register, lane, warp, CTA, cluster),
 *  of any sizes; a block of a level is one coordinate of every level above it.
 *  A bijection of [0, size) that takes every block of every level to a block is
 *  an element of the iterated wreath product of symmetric groups: one
 *  permutation at each node of the tree, and no other choice of them is the same
 *  map.  Nodes whose subtrees are equal are shared, and numbered on each level in
 *  the order of their first block, so that the form is unique and small.
 *
 *  A layout is a bijection here when its flat values are [0, size), each once.
 *  Layouts that are affine over F2 (every bijective f2 or swizzled layout, and
 *  strided ones whose extents are powers of two) are answered by their bases at
 *  any size, others by their points up to limits.points.
 */
#ifndef ZLAY_HIER_H
#define ZLAY_HIER_H

#include <zlay/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A level: its name, [A-Za-z_][A-Za-z0-9_]{0,63}, and how many parts a block of
 *  it has. */
typedef struct zlay_level {
    const char *name;
    uint64_t size; /* at least 1 */
} zlay_level;

/** A normal form; immutable, read by any thread. */
typedef struct zlay_hier zlay_hier;

/** Two slots of one block of a level that a bijection takes to two blocks. */
typedef struct zlay_crossing {
    uint32_t level;    /* the lowest such level */
    uint32_t reserved; /* 0 */
    uint64_t i, j;     /* i < j; the first of its block, and the first that parts */
} zlay_crossing;

/** Decide whether a bijection keeps the blocks of every level.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is no bijection, and the message shows where;
 *           ZLAY_EINVAL a NULL, no level, a name that is none or comes twice,
 *           levels whose sizes do not multiply to the layout's; ZLAY_ENOTSUP the
 *           layout has parameters; ZLAY_ELIMIT limits.points, limits.dims
 *           (levels); ZLAY_ENOMEM.
 *  Out:     answer   ZLAY_YES or ZLAY_NO.
 *           witness  written with ZLAY_NO; NULL: not asked.
 *  In:      level    `count` of them, the fastest first.
 */
ZLAY_API zlay_status zlay_hier_keeps(zlay_ctx *ctx, zlay_answer *answer, zlay_crossing *witness,
                                     const zlay_layout *layout, const zlay_level *level,
                                     size_t count);

/** The normal form of a bijection.
 *
 *  Returns: as zlay_hier_keeps; ZLAY_NONE also when it crosses a level, and then
 *           the message has the lowest and two slots; ZLAY_ELIMIT also when a
 *           level of the form has more than limits.points entries.
 *  Out:     out  free it with zlay_hier_free.
 */
ZLAY_API zlay_status zlay_hier_normal(zlay_ctx *ctx, zlay_hier **out, const zlay_layout *layout,
                                      const zlay_level *level, size_t count);

/** Solve a X = b among the maps that keep every level: the normal form of
 *  x -> a^-1(b(x)), the slot of a that has what slot x of b is to have.
 *
 *  Returns: as zlay_hier_normal; ZLAY_NONE also when a or b is no bijection.
 */
ZLAY_API zlay_status zlay_hier_solve(zlay_ctx *ctx, zlay_hier **out, const zlay_layout *a,
                                     const zlay_layout *b, const zlay_level *level,
                                     size_t count);

/** What a conversion needs. */
typedef struct zlay_reach {
    int32_t level;     /* the least level in whose blocks all moves stay; -1: none moves */
    uint32_t reserved; /* 0 */
    uint64_t to, from; /* the first slot of b that no lower level serves, and where a has its
                          value; 0 and 0 when none moves */
} zlay_reach;

/** The least level of the conversion from a to b: level 0 is moves among the
 *  parts of level 0 (registers of one lane), level 1 moves inside a block of
 *  level 1 (shuffles in a warp), and so on.  Exact: a^-1 b leaves every block of
 *  `level` where it is, and slots `to` and `from` are in two blocks below it.
 *
 *  Returns: as zlay_hier_keeps, of both layouts.
 *  Out:     out  the level.
 */
ZLAY_API zlay_status zlay_hier_level(zlay_ctx *ctx, zlay_reach *out, const zlay_layout *a,
                                     const zlay_layout *b, const zlay_level *level,
                                     size_t count);

/** The normal form of x -> a(b(x)).
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, trees of other sizes; ZLAY_ELIMIT,
 *           ZLAY_ENOMEM.  The names are those of b.
 */
ZLAY_API zlay_status zlay_hier_compose(zlay_ctx *ctx, zlay_hier **out, const zlay_hier *a,
                                       const zlay_hier *b);

/** The normal form of the inverse.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL, ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_hier_inverse(zlay_ctx *ctx, zlay_hier **out, const zlay_hier *a);

/** Whether two normal forms are the same map; their names are not compared.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, trees of other sizes.
 *  Out:     answer  ZLAY_YES or ZLAY_NO.
 *  Pure.
 */
ZLAY_API zlay_status zlay_hier_equal(zlay_answer *answer, const zlay_hier *a,
                                     const zlay_hier *b);

/** Where a slot goes.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, a slot outside [0, size).
 *  Pure.
 */
ZLAY_API zlay_status zlay_hier_eval(uint64_t *out, const zlay_hier *a, uint64_t slot);

/** The map as a layout, one mode a level, of the first kind that is equal.
 *
 *  Returns: ZLAY_OK; ZLAY_ELIMIT more slots than limits.points; ZLAY_ENOMEM,
 *           ZLAY_EINVAL.
 */
ZLAY_API zlay_status zlay_hier_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_hier *a);

/** A level of a normal form. */
typedef struct zlay_tier {
    const char *name; /* lives as long as the form */
    uint64_t size;    /* entries of a node */
    uint64_t nodes;   /* different ones; 1 on the highest level */
} zlay_tier;

/** How many levels a form has; 0 for NULL.
 *
 *  Out:     out  the first `room` of them, the fastest first.
 */
ZLAY_API size_t zlay_hier_levels(zlay_tier *out, size_t room, const zlay_hier *a);

/** A node of a normal form.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, no such level or node; ZLAY_EROOM.
 *  Out:     map    where each part of the block goes, in the block's image;
 *                  `room` is at least the level's size.
 *           below  the node of the next lower level in each part; 0 on level 0.
 *  Pure.
 */
ZLAY_API zlay_status zlay_hier_node(uint64_t *map, uint64_t *below, size_t room,
                                    const zlay_hier *a, size_t level, uint64_t node);

/** Free a normal form; NULL is allowed. */
ZLAY_API void zlay_hier_free(zlay_hier *a);

#ifdef __cplusplus
}
#endif
#endif
