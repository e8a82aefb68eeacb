/* SPDX-License-Identifier: Apache-2.0 */
/* What the model of bodies shares: numbers rounded to a type, intervals of them, and the order in
 * which threads hold the elements of a row. */
#ifndef ZL_SIM_BODY_H
#define ZL_SIM_BODY_H

#include "body/body.h"
#include <zlay/sim_body.h>

enum { ZL_LANES = 32 };

/* ---- numbers ------------------------------------------------------------- */

/* The whole number that x is rounded to by ZL_ROUND_*; x is finite. */
double zl_round_whole(double x, int32_t round);

/* The value of a floating-point type that x is rounded to; subnormal values are kept, and e4m3 and
 * e5m2 saturate. */
double zl_round_to(double x, int32_t type, int32_t round);

/* The least and greatest value of an integer type. */
double zl_integer_least(int32_t type);
double zl_integer_greatest(int32_t type);
bool zl_type_is_integer(int32_t type);

/* Whether a type, of conditions too, has this value. */
bool zl_type_has(int32_t type, double x);

/* One conversion of the PTX ISA's cvt. */
double zl_convert_number(double x, int32_t from, int32_t to, int32_t round);

/* ---- intervals ----------------------------------------------------------- */

static inline zlay_interval zl_exactly(double x) { return (zlay_interval){x, x}; }

bool zl_is_nan(zlay_interval a);     /* it is NaN */
bool zl_is_unknown(zlay_interval a); /* it may be NaN, or any number */
bool zl_is_exact(zlay_interval a);   /* one number with its sign, or NaN */
zlay_interval zl_unknown(void);

/* The lesser and the greater of two numbers, where -0 is less than +0. */
double zl_lesser(double a, double b);
double zl_greater(double a, double b);

/* The least interval that has both. */
zlay_interval zl_hull(zlay_interval a, zlay_interval b);

/* Rounded to a type; an fma once. */
zlay_interval zl_add_intervals(zlay_interval a, zlay_interval b, int32_t type);
zlay_interval zl_multiply_intervals(zlay_interval a, zlay_interval b, int32_t type);
zlay_interval zl_divide_intervals(zlay_interval a, zlay_interval b, int32_t type);
zlay_interval zl_fma_intervals(const zlay_interval *args, int32_t type);

zlay_interval zl_negative_interval(zlay_interval a);
zlay_interval zl_magnitude_interval(zlay_interval a);
zlay_interval zl_max_intervals(zlay_interval a, zlay_interval b);
zlay_interval zl_min_intervals(zlay_interval a, zlay_interval b);

/* Of operations on integers and conditions. */
zlay_interval zl_integer_value(zl_body_op op, int32_t type, const zlay_interval *args);

/* Of exp2, log2, rcp, rsqrt, sqrt and tanh. */
zlay_interval zl_approximate(zl_body_op op, int32_t type, zlay_interval a);

/* The value of a node that computes one element from one of each argument; the first argument's
 * type is `from`. */
zlay_interval zl_element_value(const zl_body_node *n, int32_t from, const zlay_interval *args);

/* ---- fragments ----------------------------------------------------------- */

/* Rows of a matrix as threads hold them: the elements of row r are at r * columns and behind it,
 * those of one thread together in the order of its values, threads rising. */
typedef struct zl_row_order {
    uint64_t rows, columns;
    uint32_t *column; /* of an element */
    uint32_t *thread;
} zl_row_order;

/* EINVAL: the layout holds not each element once; ENOTSUP: it has parameters. */
zlay_status zl_row_order_make(zlay_ctx *ctx, zl_row_order *out,
                              const zlay_sim_body_request *request);

/* ENOTSUP: a row lies in several warps, or in lanes that are no subcube. */
zlay_status zl_row_order_check(zlay_ctx *ctx, const zl_row_order *order);

/* The lanes that hold a row, rising; how many. */
uint32_t zl_row_lanes(uint32_t lanes[ZL_LANES], const zl_row_order *order, uint64_t row);

/* Of each lane its part of a row: `op` is ROWSUM, ROWMAX or ROWMIN; `values` by column. */
void zl_row_parts(zlay_interval *parts, const zl_row_order *order, uint64_t row,
                  const zlay_interval *values, zl_body_op op, int32_t type);

/* What every lane has after the butterflies over `count` lanes. */
zlay_interval zl_row_butterflies(const zlay_interval *parts, const uint32_t *lanes, uint32_t count,
                                 zl_body_op op, int32_t type);

#endif
