/* SPDX-License-Identifier: Apache-2.0 */
/* The text of an attention kernel for gfx targets while it is printed. */
#ifndef ZL_EMIT_GCN_ATTENTION_H
#define ZL_EMIT_GCN_ATTENTION_H

#include "emit/gcn/body.h"
#include "synth/attention/attention.h"
#include <zlay/emit_pipe.h>

/* Scalar registers beside those of every kernel of waves. */
enum {
    ZL_AS_BLOCK = 2, /* three: of the grid's dimensions */
    ZL_AS_TILE = 5,  /* of queries */
    ZL_AS_COUNT,     /* tiles of keys */
    ZL_AS_STEP,      /* the loop's counter */
    ZL_AS_INDEX,     /* the tile that is computed, from the last down */
    ZL_AS_STAGE,     /* the stage that is accessed, bytes */
    ZL_AS_HEAD,      /* of keys and values */
    ZL_AS_POINTER = 12, /* pairs of Q, K, V, O */
    ZL_AS_SCALAR = 20,  /* by zl_attention_scalar */
    ZL_AS_RESOURCE = 40, /* four each */
    ZL_AS_MASKS = 56
};
enum { ZL_AS_Q = 0, ZL_AS_K, ZL_AS_V, ZL_AS_O };

typedef struct zl_aw {
    zl_wave_text t;
    const zlay_attention_plan *p;
    const zl_attention_wave *w;
    zl_gb gb;
    zl_attention_use *use;
    uint32_t fetched[2], multiplied[2]; /* steps of the present tile, of keys and of values */
    uint32_t product_at, vector_at;     /* when the last product, the last body was printed */
} zl_aw;

static inline uint32_t zl_aw_resource(uint32_t operand) { return ZL_AS_RESOURCE + 4 * operand; }

/* The i-th argument; ZLAY_NONE past the last. */
zlay_status zl_aw_argument_nth(zl_wave_argument *out, const zlay_attention_plan *p, uint32_t i);

void zl_aw_setup(zl_aw *a);
void zl_aw_events(zl_aw *a);

/* s%to = a position of the pipe. */
void zl_aw_position(zl_aw *a, uint32_t to, const zl_pos *at);

/* The body of a use; the lane's first row and column of the scores, or of the result; the stores of the result. */
void zl_aw_use(zl_aw *a, uint32_t event);
void zl_aw_coordinates(zl_aw *a, const zl_elements *e);
void zl_aw_send(zl_aw *a);

/* Prints the kernel of a plan of waves; as zlay_emit_attention, as a part of a call. */
zlay_status zl_aw_print(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch, zlay_pipe_argument *arguments,
                        size_t room, const zlay_attention_emit *ask);

#endif
