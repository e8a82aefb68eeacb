/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers the values of a body have where registers have numbers. A body is computed in passes over a thread's
 * elements, four at a time: each pass but the last ends with values of rows (rowmax, rowsum) that the next ones read, and
 * computes anew what it needs of elements. Values of no element or of a row are kept all the time, those of columns while
 * elements of the same columns follow each other, those of elements from their computation to their last use. */
#ifndef ZL_BODY_ROOM_H
#define ZL_BODY_ROOM_H

#include "body/body.h"
#include "body/elements.h"

enum { ZL_ROOM_RUN = 4 /* elements that are computed together */, ZL_ROOM_PASSES = 16 };

typedef struct zl_room {
    uint32_t level[ZL_BODY_NODES];  /* the pass that may compute it: behind the passes of its reductions */
    uint32_t passes[ZL_BODY_NODES]; /* bit p: pass p computes it, or adds to it */
    uint32_t first[ZL_BODY_NODES];  /* its first register from 0 on; of conditions its first mask */
    bool kept[ZL_BODY_NODES];       /* of no column, and needed */
    uint32_t last;                  /* pass */
    uint32_t ends;                  /* bit p: an output is complete behind pass p */
    uint32_t registers, masks;      /* in all */
} zl_room;

/* Whether a node has a value for each column. */
static inline bool zl_room_moves(const zl_body_node *n) { return n->shape & ZL_ON_COLUMN; }
/* Elements in a register of a node: 1, 2 or 4. */
uint32_t zl_room_pack(const zl_body_node *n);
/* Registers, or masks, that a node has at once; a store has none. */
uint32_t zl_room_count(const zl_body_node *n, const zl_elements *e);

/* What a body leaves: the node, and the operand that it becomes; -1: of none. */
enum { ZL_ROOM_OUTPUTS = 8 };
typedef struct zl_room_outputs {
    uint32_t count;
    int32_t node[ZL_ROOM_OUTPUTS], operand[ZL_ROOM_OUTPUTS];
} zl_room_outputs;

/* Numbers the registers that the outputs need. ELIMIT: more passes than 16. */
zlay_status zl_room_make(zlay_ctx *ctx, zl_room *out, const zlay_body *body, const zl_elements *e,
                         const zl_room_outputs *outputs);

/* One output. */
static inline zl_room_outputs zl_room_output(int32_t node) { return (zl_room_outputs){1, {node}, {-1}}; }

/* The node of an operand's last line; -1: no line gives it a value. */
int32_t zl_body_last(const zlay_body *body, uint32_t operand);

#endif
