/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/choose.h - which tensor maps serve a ragged tensor: one that wraps around,
 *  a pool with lower boxes, or one that each block edits.
 *
 *  By hand.  A tensor of rank 2 whose groups are rows fits all three.  One map that
 *  wraps around takes no work for a group, so it is chosen.  A load of a tensor of
 *  rank 4 needs six dimensions to wrap around and is refused there (`rank`).  A
 *  pool then costs a few copies more for the last tile of each group, and an edit
 *  the replacing, the release and the acquire for each group.
 */
#ifndef ZLAY_CHOOSE_H
#define ZLAY_CHOOSE_H

#include <zlay/pool.h>
#include <zlay/ragged.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Families of maps. */
enum { ZLAY_FAMILY_WRAP = 0, ZLAY_FAMILY_POOL, ZLAY_FAMILY_EDIT, ZLAY_FAMILIES };

/** A ragged tensor, and what one block moves of it. */
typedef struct zlay_choose_request {
    uint32_t size;   /* sizeof(zlay_choose_request) */
    uint32_t boxes;  /* most boxes of a tail in a pool; 0: 4 */
    const zlay_ragged_map_request *tensor;
    uint64_t groups; /* that a block takes up, one after the other */
    uint64_t count;  /* tiles that it moves in all, at least one of each group */
} zlay_choose_request;

/** One family. */
typedef struct zlay_family {
    uint32_t fits;  /* 1: its maps express every tile that lies in a group from row 0 on */
    uint32_t maps;  /* of a launch; of EDIT of a block */
    uint64_t ns;    /* reckoned time of a block for maps and copies, beside the bytes */
    char why[128];  /* where it does not fit: the rule or the field, and why */
} zlay_family;

/** The choice. */
typedef struct zlay_choice {
    int32_t family;     /* the one that fits and takes least; -1: none fits */
    int32_t basis;      /* ZLAY_BASIS_MEASURED where all times were measured */
    zlay_family of[ZLAY_FAMILIES];
    zlay_pool pool;     /* of POOL where it fits, in units of the tensor's dimension */
} zlay_choice;

/** Say which families of maps serve, what each costs, and why not the others.
 *
 *  Returns: ZLAY_OK, also where none fits; ZLAY_EINVAL the message names the field;
 *           ZLAY_ENOTSUP a type of less than a byte; ZLAY_ENOMEM.
 *  Out:     out  the choice.
 */
ZLAY_API zlay_status zlay_ragged_choose(zlay_ctx *ctx, zlay_choice *out,
                                        const zlay_target *target,
                                        const zlay_choose_request *request);

#ifdef __cplusplus
}
#endif
#endif
