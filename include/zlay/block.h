/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/block.h - what a block may ask for: threads, registers, shared memory,
 *  a cluster.
 *
 *  One block by hand.  Three warpgroups start with 168 registers a thread:
 *  3 x 128 x 168 = 64512 of the 65536 that there are.  One gives up to 24 with
 *  setmaxnreg and the others take 240: (24 + 240 + 240) x 128 = 64512, which is
 *  what they started with.  Taking 248 asks for 66560, and who asks last waits
 *  for ever (SETMAXNREG_POOL).  A setmaxnreg that only one warp of a warpgroup
 *  executes assembles without a word and is undefined (SETMAXNREG_WARPS).
 */
#ifndef ZLAY_BLOCK_H
#define ZLAY_BLOCK_H

#include <zlay/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What else is known of a block. */
enum {
    ZLAY_BLOCK_CLUSTER = 1,      /* launched in clusters of `cluster` blocks */
    ZLAY_BLOCK_NON_PORTABLE = 2, /* the kernel allows more than 8 blocks a cluster */
    ZLAY_BLOCK_GRID = 4,         /* `grid` is known */
    ZLAY_BLOCK_SETMAXNREG = 8,   /* `setmaxnreg` is executed */
    ZLAY_BLOCK_UNFIXED = 16      /* nothing fixes the registers at entry */
};

/** A block as it is launched.  160 bytes. */
typedef struct zlay_block {
    uint32_t threads;
    uint32_t registers;     /* a thread; 0: not stated */
    uint64_t smem_static;   /* bytes */
    uint64_t smem_dynamic;  /* bytes */
    uint32_t cluster[3];    /* blocks, x y z */
    uint32_t grid[3];       /* blocks, x y z */
    uint32_t setmaxnreg[8]; /* registers that each warpgroup asks for; 0: none */
    uint32_t warps[8];      /* warps of each warpgroup that execute it */
    uint32_t flags;         /* ZLAY_BLOCK_* */
    uint32_t reserved[11];   /* 0 */
} zlay_block;

/** Check a block against every rule of its target.
 *
 *  Returns: ZLAY_OK      the question is answered, in *out.
 *           ZLAY_EINVAL  a NULL, an unknown flag, or a reserved word that is
 *                        not 0.
 *  Out:     out, reasons  as zlay_tensormap_check.
 *  In:      block  any value of any field has a verdict.
 */
ZLAY_API zlay_status zlay_block_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                      const zlay_target *target, const zlay_block *block);

/** Check dynamic shared memory of a block against the target's capacity.
 *  Returns, Out as tensormap_check. */
ZLAY_API zlay_status zlay_smem_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                     const zlay_target *target, uint64_t bytes);

/** The most dynamic shared memory that a block of the target may have, bytes. */
ZLAY_API uint64_t zlay_smem_capacity(const zlay_target *target);

#ifdef __cplusplus
}
#endif
#endif
