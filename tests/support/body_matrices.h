/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates one expression on many elements: matrices of 2^16 elements in one thread. */
#ifndef TEST_BODY_MATRICES_H
#define TEST_BODY_MATRICES_H

#include "body.h"

enum { SIDE = 256, MANY = SIDE * SIDE };

static const body_request one_thread = {SIDE, SIDE, "(1,65536):(0,1)"};

static zlay_interval a_of[MANY], b_of[MANY], c_of[MANY], d_of[MANY];

/* D = EXPRESSION of matrices A, B, C, each of type `from`, on all of a_of, b_of and c_of. */
static inline void evaluate(zlay_ctx *ctx, const char *from, const char *to, const char *expression)
{
    char text[512];
    zlay_sim_operand operands[] = {{a_of, MANY}, {b_of, MANY}, {c_of, MANY}, {d_of, MANY}};
    snprintf(text, sizeof text, "body b\nmatrix A %s\nmatrix B %s\nmatrix C %s\nmatrix D %s\nD = %s\nend\n", from, from, from, to, expression);
    body_run(ctx, text, &one_thread, operands, 4);
}

static inline void check_exactly(int i, double want, const char *what)
{
    if (!same(d_of[i].low, want) || !same(d_of[i].high, want))
        fail_msg("%s of %a, %a, %a: {%a, %a}, not %a", what, a_of[i].low, b_of[i].low, c_of[i].low, d_of[i].low, d_of[i].high, want);
}

#endif
