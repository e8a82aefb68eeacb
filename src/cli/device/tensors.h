/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of attention in host memory, its kernel with all arguments set, and what the result
 * has to be. */
#ifndef ZL_CLI_TENSORS_H
#define ZL_CLI_TENSORS_H

#include "cli/cli.h"
#include "cli/matrix.h"

#include <zlay/runtime.h>

/* L is the log-sum-exp; a tensor that the request has not has no elements. */
enum {
    ZL_TENSOR_Q,
    ZL_TENSOR_K,
    ZL_TENSOR_V,
    ZL_TENSOR_O,
    ZL_TENSOR_L,
    ZL_TENSOR_SINKS,
    ZL_TENSORS
};

/* Describe, take and fill them: small integers, and canaries in O and L. */
zlay_status zl_tensors_make(zl_matrix *tensor, const zlay_attention *asked);

/* Why the commands cannot run a plan; NULL: they can. */
const char *zl_tensors_refused(const zlay_attention_plan *plan, const zlay_attention *asked);

/* The plan's kernel as text in memory that free() takes, with its launch and its first `room`
 * arguments; NULL, and said. */
char *zl_attention_text(zlay_ctx *ctx, const zlay_attention_plan *plan, const char *name,
                        zlay_pipe_launch *launch, zlay_pipe_argument *arguments, size_t room,
                        size_t *length);

/* Load a plan's kernel, with its scalars set: scores by 1 / sqrt(head), a cap of 30. */
zlay_status zl_tensors_load(zlay_ctx *ctx, zlay_kernel **out, zlay_device *device,
                            const zlay_attention_plan *plan, const zl_options *options);

/* Set the address of each tensor. */
zlay_status zl_tensors_bind(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_attention_plan *plan,
                            const uint64_t *address);

/* By how much elements of O of two kernels may differ: each is off by at most half of it. */
double zl_tensors_error(const zlay_attention *asked);

/* The rows of O, and of L, that are compared. */
typedef struct zl_tensors_report {
    uint64_t rows, compared, wrong;
    double worst; /* an element's error, of what it may have */
} zl_tensors_report;

/* Compare O and L with attention in double, at rows of each batch and head, the ends included.
 * False: no memory. */
bool zl_tensors_compare(zl_tensors_report *out, const zl_matrix *tensor,
                        const zlay_attention *asked);

#endif
