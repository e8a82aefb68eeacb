/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/roles.h - a proved pipe from operations alone: which warps do what, in which
 *  order, and the barriers between them.
 *
 *  A tile program is one loop over tiles, as text (docs/roles.md): values in shared
 *  memory, registers and tensor memory, and the operations that access them.  By hand:
 *
 *      tiles product
 *      loop N 1..
 *      shared A 8192
 *      shared B 8192
 *      shared D 16384
 *      loop
 *        copy tensor 8192 -> A : cycles 100 latency 600
 *        copy tensor 8192 -> B : cycles 100 latency 600
 *        mma A, B -> C fresh first : cycles 128 latency 200
 *      after
 *        write D from C
 *        store D 16384
 *
 *  On sm_90a sums stand in registers, so the product and what writes its sums are of one
 *  role, a warpgroup; the copies are another's.  A new iteration begins every 200 cycles,
 *  those of both copies, and a stage lives from the copy at 0 to the end of the product
 *  at 700 + 200, so each ring has ceil(900 / 200) = 5 stages.
 */
#ifndef ZLAY_ROLES_H
#define ZLAY_ROLES_H

#include <zlay/pipe.h>
#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZLAY_ROLES_MOST = 16, ZLAY_ROLES_BODIES = 32 };

/** What a role does. */
enum {
    ZLAY_ROLE_LOADS = 1, /* one thread: copies into shared memory */
    ZLAY_ROLE_PRODUCTS,  /* one thread: products whose sums stand in tensor memory */
    ZLAY_ROLE_COMPUTES,  /* warpgroups: what accesses registers */
    ZLAY_ROLE_STORES     /* one thread of a warp: copies to global memory; frees tensor memory */
};

/** A tile program whose pipe is made and proved; immutable, read by any thread. */
typedef struct zlay_roles zlay_roles;

/** What was found. */
typedef struct zlay_roles_summary {
    uint32_t roles, warps; /* warps of the block */
    uint64_t interval;     /* cycles from an iteration to the next */
    uint64_t bound;        /* no smaller interval satisfies units and dependences, and the one asked
                              for; 0: the program has its starts */
    uint32_t peeled;       /* iterations before the loop of the role that has most */
    uint32_t turns;        /* 1: instances issue their products in turns */
    uint64_t smem;         /* bytes of all stages */
    uint32_t columns;      /* of tensor memory */
    uint32_t reserved[3];  /* 0 */
} zlay_roles_summary;

/** A role. */
typedef struct zlay_role {
    char name[24];
    int32_t kind; /* ZLAY_ROLE_* */
    uint32_t first_warp, warps, instances;
    uint32_t operations; /* that it runs, in all sections */
    uint32_t stages;     /* of its loop: iterations that are under way at a time */
    uint32_t reserved[2]; /* 0 */
} zlay_role;

/** Make the pipe of a tile program.
 *
 *  Operations that access a register are of one role, which has four warps for each
 *  instance.  Copies into shared memory, products into tensor memory and, where products
 *  do so, copies out of shared memory have one role each.  Roles that compute are as few
 *  as they can be with no more cycles than the interval has.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE starts that break a dependence, an interval that no
 *           starts fit, fewer iterations than are peeled, more shared or tensor memory
 *           than there is: the message names the lines or the least that would do;
 *           ZLAY_EINVAL the message names the line; ZLAY_ENOTSUP a target without
 *           wgmma and tcgen05, or an access that no barrier is found for; ZLAY_ELIMIT;
 *           ZLAY_EOVERFLOW; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_roles_free.
 */
ZLAY_API zlay_status zlay_roles_synth(zlay_ctx *ctx, zlay_roles **out, const zlay_target *target,
                                      const char *text, size_t length);

/** Read what was found.  Returns ZLAY_OK; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_roles_info(zlay_roles_summary *out, const zlay_roles *roles);

/** The i-th role.  Returns ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_roles_nth(zlay_role *out, const zlay_roles *roles, uint32_t i);

/** The proved pipe; lives as long as `roles`. */
ZLAY_API const zlay_pipe *zlay_roles_pipe(const zlay_roles *roles);

/** Free; NULL is allowed. */
ZLAY_API void zlay_roles_free(zlay_roles *roles);

#ifdef __cplusplus
}
#endif
#endif
