/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/sim_body.h - a CPU model of what a body computes.
 *
 *  A value is an interval of doubles.  Its two ends are equal where the
 *  instruction set defines the result: sums, products, fma, max, min,
 *  comparisons, conversions, integers.  Where it gives a bound of the error
 *  (exp2, log2, rcp, rsqrt, sqrt, tanh) the interval holds every value that the
 *  bound allows, and later operations pass intervals on.
 *
 *  By hand: a matrix C of one row, 1 + 2^-23 and 2^-24, in one thread,
 *  (1,2):(0,1), and the body
 *
 *      body sum
 *        matrix C f32
 *        row m f32
 *        m = rowsum(C)
 *      end
 *
 *  The exact sum is 1 + 3 * 2^-24, halfway between two floats; the even one of
 *  them is 1 + 2^-22, and m is {1 + 2^-22, 1 + 2^-22}.
 */
#ifndef ZLAY_SIM_BODY_H
#define ZLAY_SIM_BODY_H

#include <zlay/body.h>
#include <zlay/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A value that is known to lie in [low, high], where -0 is less than +0.  Both
 *  ends NaN: it is NaN.  Only `low` NaN and `high` infinite: it is any number or
 *  NaN. */
typedef struct zlay_interval {
    double low, high;
} zlay_interval;

/** The values of one operand of a body. */
typedef struct zlay_sim_operand {
    zlay_interval *values; /* read, and written where the body gives it a value */
    size_t count;          /* of a matrix rows * columns, element (r, c) at
                              r * columns + c; of a row `rows`; of a column
                              `columns`; of a part rows * 32, lane l (thread % 32)
                              of row r at 32 r + l; of a scalar or an index 1;
                              of a global any; of a shared as of what its loads
                              are, a matrix, a row or a column */
} zlay_sim_operand;

/** What zlay_sim_body reads. */
typedef struct zlay_sim_body_request {
    uint32_t size;     /* sizeof(zlay_sim_body_request) */
    uint32_t rows, columns; /* of the matrix; at least 1 */
    uint32_t reserved; /* 0 */
    const zlay_layout *fragment; /* (thread, value) -> row + rows * column, each
                                    element once, as zlay_mma_fragment makes D */
    uint64_t reserved2[2]; /* 0 */
} zlay_sim_body_request;

/** Model one execution of a body on all threads.
 *
 *  A sum along a row is computed in this order: each thread adds its own elements
 *  of the row in the order of its values, beginning with the first; the lanes
 *  that share the row then add x + shfl_xor(x, b) for each bit b in which their
 *  numbers differ, the lowest first.  Approximations are PTX's .approx
 *  instructions, .ftz where f32 has it but tanh; comparisons with NaN are false,
 *  != is true; max and min leave a NaN out.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL; counts that are not the operands'; a
 *           value that its type does not have, ends that do not rise; a fragment that is not
 *           one to one; a load outside its array (the message names the index);
 *           ZLAY_ENOTSUP a fragment with parameters; a load whose index is not
 *           known exactly; a reduction along a row whose elements lie in several
 *           warps, or in lanes that no shuffles by XOR join;
 *           ZLAY_ELIMIT; ZLAY_ENOMEM; ZLAY_EBUSY.
 *  Out:     operands  of those that the body gives a value all values, of a part
 *                     those of the lanes that hold the row; nothing unless
 *                     ZLAY_OK.
 *  In:      operands  one for each operand of the body, in its order; values may
 *                     be NULL where the body neither reads nor writes it.
 *           request   borrowed.
 */
ZLAY_API zlay_status zlay_sim_body(zlay_ctx *ctx, const zlay_sim_operand *operands, size_t count,
                                   const zlay_body *body, const zlay_sim_body_request *request);

#ifdef __cplusplus
}
#endif
#endif
