/* SPDX-License-Identifier: Apache-2.0 */
/* The working memory of a ctx: what is taken lies behind what was taken before, in the last
 * block. */
#ifndef ZLAY_BASE_BLOCKS_H
#define ZLAY_BASE_BLOCKS_H

#include "base/account.h"

#include <stddef.h>

typedef struct zl_scratch_block {
    struct zl_scratch_block *former;
    size_t room, used;
    size_t whole; /* room of the memory itself, which may have been a larger block before */
    max_align_t bytes[];
} zl_scratch_block;

/* Blocks that are given back are kept for the next call where `keeps` says so: freed by the end of
 * each call, their pages would go back to the system and be asked for again.  What is kept is
 * counted nowhere, and a block has the room that a new one would have: what a call answers does not
 * depend on the calls before it. */
typedef struct zl_block_list {
    zl_account *account;
    zl_scratch_block *last, *kept;
    size_t kept_bytes;
    bool keeps; /* the hooks are malloc and free; a caller's own get all back when a call ends */
} zl_block_list;

/* Every call marks and releases: what most of them need is inline. */
static inline zl_mark zl_blocks_mark(const zl_block_list *b)
{
    return (zl_mark){b->last, b->last ? b->last->used : 0};
}

void zl_blocks_unwind(zl_block_list *b, zl_mark mark);

static inline void zl_blocks_release(zl_block_list *b, zl_mark mark)
{
    if (b->last || mark.block) zl_blocks_unwind(b, mark);
}

/* Bytes: a multiple of the greatest alignment.  Whether the last block has them left. */
static inline bool zl_blocks_fit(const zl_block_list *b, size_t bytes)
{
    return b->last && b->last->room - b->last->used >= bytes;
}

void *zl_blocks_take(zl_block_list *b, size_t bytes); /* NULL: there is no memory */
void zl_blocks_free(zl_block_list *b);

#endif
