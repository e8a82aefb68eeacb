/* SPDX-License-Identifier: Apache-2.0 */
/* A plan executed in the CPU model, copy by copy and wgmma by wgmma, and compared with a plain
 * product of the request's own matrices. */
#ifndef ZL_CLI_MODEL_H
#define ZL_CLI_MODEL_H

#include <zlay/plan.h>

/* The operand of a fault of wgmma, which reads two. */
enum { ZL_MODEL_WGMMA = -1 };

typedef struct zl_model_report {
    zlay_answer answer;   /* ZLAY_YES: nothing below counts against the plan */
    uint64_t tiles, run;  /* of the plan; executed */
    uint64_t edges;       /* of those, partial in m or n: all that there are */
    uint64_t elements;    /* of D, compared */
    uint64_t wrong;       /* that differ from the exact result's rounding */
    uint64_t row, column; /* of the first such, in the request's D */
    double expected, got;
    uint64_t margins;       /* elements outside the executed tiles, between rows included */
    uint64_t changed;       /* of those */
    uint64_t stages;        /* filled */
    uint64_t stages_off;    /* whose tensor copies bring other bytes than the barrier expects */
    uint32_t bytes;         /* of the first such stage */
    int32_t fault, operand; /* ZLAY_FAULT_* that ended the run, and whose copy or wgmma it was */
    uint64_t tile_m, tile_n, tile_k; /* where */
} zl_model_report;

/* Bytes that zl_model_run takes; UINT64_MAX when they pass 2^63. */
uint64_t zl_model_bytes(const zlay_plan *plan, const zlay_gemm *gemm);

/* Execute every tile that is partial in m or n, and `limit` of the others, evenly spread.
 *
 *  Returns: ZLAY_OK, also when the answer is NO; ZLAY_ELIMIT zl_model_bytes is more than
 *           limits.sim_bytes; ZLAY_ENOMEM; ZLAY_EINVAL.
 *  In:      gemm   what `plan` was made from.
 *           limit  0: every tile.
 */
zlay_status zl_model_run(zlay_ctx *ctx, zl_model_report *out, const zlay_plan *plan,
                         const zlay_gemm *gemm, uint64_t limit);

#endif
