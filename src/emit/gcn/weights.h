/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a product with weights of 4 bits for gfx targets while it is printed. */
#ifndef ZL_EMIT_GCN_WEIGHTS_H
#define ZL_EMIT_GCN_WEIGHTS_H

#include "emit/gcn/body.h"
#include "synth/weights/weights.h"

/* The tensors of a kernel, in the order of its arguments; their addresses and resources in scalar registers. */
enum { ZL_WW_A, ZL_WW_B, ZL_WW_S, ZL_WW_Z, ZL_WW_D, ZL_WW_TENSORS };
enum { ZL_WW_POINTER = 4, ZL_WW_RESOURCE = 40, ZL_WW_SCALARS = ZL_WW_RESOURCE + 4 * ZL_WW_TENSORS };

/* Registers of a lane before those of the sets, beside those of every kernel: offsets of its loads. */
enum { ZL_WW_AT_B = 9, ZL_WW_AT_Z, ZL_WW_AT_S /* and the bytes of its first column in a row of D */, ZL_WW_AT_A /* by 16 rows */ };

typedef struct zl_ww {
    zl_wave_text t;
    const zlay_weights_plan *p;
    zl_gb gb;
    uint32_t product_at, vector_at; /* when the last product, the last vector instruction was printed */
    bool last;                      /* behind the loop */
} zl_ww;

static inline uint32_t zl_ww_resource(uint32_t tensor) { return ZL_WW_RESOURCE + 4 * tensor; }

/* Whether the plan has a tensor; its argument. */
bool zl_ww_has(const zlay_weights_plan *p, uint32_t tensor);
zl_wave_argument zl_ww_argument(const zlay_weights_plan *p, uint32_t tensor);

void zl_ww_setup(zl_ww *a);
void zl_ww_events(zl_ww *a);
/* The offsets of rows of D, in the registers of those of A. */
void zl_ww_rows_of_d(zl_ww *a);

/* Prints the kernel of a plan of waves; as zlay_emit_weights, as a part of a call. */
zlay_status zl_ww_print(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch, zlay_pipe_argument *arguments, size_t room,
                        const zlay_weights_emit *ask);

#endif
