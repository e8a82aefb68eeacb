/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/pool.h - pools of tensor maps: the fewest box heights of which the last
 *  tile of every group is a sum.
 *
 *  By hand.  A tile has 8 rows, and the last tile of a group 1 to 7.  A plain map
 *  stores a whole box, so the last rows are stored by maps with lower boxes.
 *  With heights 1, 2 and 4 each of the seven tails is a sum, 7 = 4 + 2 + 1, in at
 *  most three stores.  Two heights do that too: 1 and 3, where 5 = 3 + 1 + 1 and
 *  7 = 3 + 3 + 1.  For at most two stores three heights are the fewest: 1, 3 and 4,
 *  where 2 = 1 + 1, 5 = 4 + 1, 6 = 3 + 3 and 7 = 4 + 3.  The boxes of a tail lie one
 *  behind the other, so each valid row is stored once and no other row at all.
 *
 *  In shared memory a swizzled box begins at a multiple of some rows, `unit`
 *  (skip_unit of zlay/ragged.h).  So all boxes of a tail but its last have heights
 *  that are multiples of it.
 */
#ifndef ZLAY_POOL_H
#define ZLAY_POOL_H

#include <zlay/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The greatest tail, and so the most heights. */
enum { ZLAY_POOL_TAIL = 255 };

/** Tails, and a bound.  40 bytes. */
typedef struct zlay_pool_request {
    uint32_t size;  /* sizeof(zlay_pool_request) */
    uint32_t tails; /* entries of `tail`, at least 1 */
    const uint32_t *tail; /* rows, 1 to ZLAY_POOL_TAIL, in any order */
    uint32_t boxes; /* most boxes of a tail: the pool has the fewest maps; 0: not bounded */
    uint32_t maps;  /* most maps; where `boxes` is 0, no tail needs more boxes than it must */
    uint32_t unit;  /* rows at whose multiples a box may begin; 0: 1 */
    uint32_t reserved[3]; /* 0 */
} zlay_pool_request;

/** Heights of boxes, ascending. */
typedef struct zlay_pool {
    uint32_t maps;  /* entries of `height` */
    uint32_t boxes; /* of the tail that takes the most */
    uint32_t unit;
    uint32_t lower_bound; /* of what was asked to be least, as far as it is proved */
    uint32_t optimal;     /* 1: that is reached */
    uint32_t height[ZLAY_POOL_TAIL];
} zlay_pool;

/** Find the pool with the fewest maps for a bound on boxes, or with the fewest
 *  boxes of a tail for a bound on maps.  The search tries every set of heights, and
 *  spends at most an eighth of limits.work on each number; where that ends it,
 *  `optimal` is 0 and the pool is the best that was found.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no pool within both bounds, or none was found: the
 *           message says which; ZLAY_EINVAL the message names the field;
 *           ZLAY_ENOMEM.
 *  Out:     out  the pool.
 */
ZLAY_API zlay_status zlay_pool_find(zlay_ctx *ctx, zlay_pool *out,
                                    const zlay_pool_request *request);

/** Cut a tail into the fewest boxes of a pool, in the order in which they lie.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is no sum of them; ZLAY_EINVAL a NULL, a tail or a
 *           pool that is none.
 *  Out:     height  of each box, at most ZLAY_POOL_TAIL.
 *           boxes   how many.
 *  Pure.
 */
ZLAY_API zlay_status zlay_pool_cut(uint32_t *height, uint32_t *boxes, const zlay_pool *pool,
                                   uint32_t tail);

#ifdef __cplusplus
}
#endif
#endif
