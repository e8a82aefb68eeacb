/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier's entrance, and its verdict: a fault with the param values that show it, or
 * none, or undecided with the event and the reason. */
#ifndef ZL_RUN_VERIFY_H
#define ZL_RUN_VERIFY_H

#include "pipe/runs/run.h"

typedef struct zl_verdict {
    zl_fault fault;  /* rule 0: none */
    bool undecided;  /* the limits were reached first */
    uint32_t event;  /* where undecided: the event that could not be handled, and why */
    const char *because;
    uint32_t runs;
    uint64_t steps;
    int64_t values[64]; /* of the params in the run with the fault */
    int32_t tile;       /* a param that each iteration has for itself; -1: none */
    const int64_t *counts; /* of the iterations; NULL: the least each */
} zl_verdict;

/* Run a pipe for as many trip counts as stand for all.  A pipe without fault has its runs printed to
 * `proof`, unless that is NULL. */
zlay_status zl_run_verify(zlay_ctx *ctx, zl_verdict *verdict, zlay_buf *proof, const zlay_pipe *pipe);

#endif
