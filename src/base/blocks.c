/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of working memory: begun, kept between calls and freed. */
#include "base/blocks.h"

/* The least size of a block, and the most that it may exceed the requested size: so the memory that
 * a call holds, which limits.memory counts, stays near what it requested.  Under a sanitizer, which
 * looks for accesses past an end, each allocation is a block of its own and none is kept. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { BLOCK_LEAST = 0, BLOCK_MOST = 0, KEPT_MOST = 0 };
#else
enum { BLOCK_LEAST = 960, BLOCK_MOST = 1 << 16, KEPT_MOST = 1 << 25 };
#endif

static zl_scratch_block *kept_take(zl_block_list *b, size_t room)
{
    zl_scratch_block **at = &b->kept, *block;
    while ((block = *at) && block->whole < room) at = &block->former;
    if (!block) return NULL;
    *at = block->former;
    b->kept_bytes -= block->whole;
    zl_account_take(b->account, sizeof *block + room);
    return block;
}

/* A block whose bytes are no longer counted. */
static void give(zl_block_list *b, zl_scratch_block *block)
{
    size_t bytes = sizeof *block + block->whole;
    zl_account_take(b->account, bytes);
    zl_account_free(b->account, block, bytes);
}

static void block_end(zl_block_list *b, zl_scratch_block *block)
{
    zl_account_return(b->account, sizeof *block + block->room);
    if (!b->keeps || block->whole > KEPT_MOST - b->kept_bytes) {
        give(b, block);
        return;
    }
    block->former = b->kept;
    b->kept = block;
    b->kept_bytes += block->whole;
}

static bool block_begin(zl_block_list *b, size_t bytes)
{
    size_t room = b->last ? 2 * b->last->room : BLOCK_LEAST;
    if (room > BLOCK_MOST) room = BLOCK_MOST;
    if (room < bytes) room = bytes;
    zl_scratch_block *block = kept_take(b, room);
    size_t whole = block ? block->whole : room;
    if (!block) block = zl_account_alloc(b->account, sizeof *block + room);
    if (!block) return false;
    *block = (zl_scratch_block){.former = b->last, .room = room, .whole = whole};
    b->last = block;
    return true;
}

void *zl_blocks_take(zl_block_list *b, size_t bytes)
{
    if (!zl_blocks_fit(b, bytes) && !block_begin(b, bytes)) return NULL;
    void *ptr = (char *)b->last->bytes + b->last->used;
    b->last->used += bytes;
    return ptr;
}

void zl_blocks_unwind(zl_block_list *b, zl_mark mark)
{
    while (b->last != mark.block) {
        zl_scratch_block *block = b->last;
        b->last = block->former;
        block_end(b, block);
    }
    if (mark.block) mark.block->used = mark.used;
}

void zl_blocks_free(zl_block_list *b)
{
    b->keeps = false;
    zl_blocks_release(b, (zl_mark){NULL, 0});
    while (b->kept) {
        zl_scratch_block *block = b->kept;
        b->kept = block->former;
        give(b, block);
    }
}
