/* SPDX-License-Identifier: Apache-2.0 */
/* Approximations of a body as intervals: the function of the host's libm at each end, widened by
 * the bound of bounds.def, by 2^-50 for the error of libm itself, and to values of the type.
 * Arguments for which the PTX ISA tabulates the result (zeros, infinities, NaN, negative numbers)
 * have that result alone. All six functions are monotone on each side of 0, so the ends of an
 * argument bound the result. */
#include "sim/body.h"

#include <math.h>

enum { KEPT, FLUSHED };

typedef struct error_bound {
    zl_body_op op;
    int32_t type;
    double relative, absolute;
    int subnormal;
} error_bound;

static const error_bound bounds[] = {
#define BOUND(op, type, relative, absolute, subnormal, source)                                     \
    {ZL_BO_##op, ZLAY_TYPE_##type, relative, absolute, subnormal},
#include "sim/bounds.def"
#undef BOUND
};

static const error_bound *bound_of(zl_body_op op, int32_t type)
{
    for (size_t i = 0; i < ZL_COUNT(bounds); i++)
        if (bounds[i].op == op && bounds[i].type == type) return &bounds[i];
    return NULL;
}

/* f32 and bf16, which alone are flushed, have one exponent range. */
static double flush(double x) { return fabs(x) < 0x1p-126 ? copysign(0, x) : x; }

static double function(zl_body_op op, double x)
{
    switch (op) {
    case ZL_BO_EXP2: return exp2(x);
    case ZL_BO_LOG2: return log2(x);
    case ZL_BO_RCP: return 1 / x;
    case ZL_BO_RSQRT: return 1 / sqrt(x);
    case ZL_BO_SQRT: return sqrt(x);
    default: return tanh(x);
    }
}

/* Whether the ISA tabulates the result. */
static bool is_tabulated(const error_bound *b, double x)
{
    bool passes = b->op == ZL_BO_TANH && b->type == ZLAY_TYPE_F32 && fabs(x) < 0x1p-126;
    return x == 0 || isinf(x) || passes;
}

/* That result: what C's function has there, but that tanh returns its argument. */
static double tabulated(zl_body_op op, double x)
{
    return op == ZL_BO_TANH && isfinite(x) ? x : function(op, x);
}

/* What the approximation of the exact result v may be. */
static zlay_interval widened(const error_bound *b, double v)
{
    double error = zl_greater(b->relative * fabs(v), b->absolute) + 0x1p-50 * fabs(v);
    if (isinf(v)) return zl_exactly(v);
    zlay_interval out = {zl_round_to(v - error, b->type, ZL_ROUND_DOWN),
                         zl_round_to(v + error, b->type, ZL_ROUND_UP)};
    if (isinf(zl_round_to(v - error, b->type, ZL_ROUND_NEAREST))) out.low = out.high;
    if (b->subnormal == KEPT) return out;
    return (zlay_interval){flush(out.low), flush(out.high)};
}

/* The domain of log2, rsqrt and sqrt: no number below 0. */
static bool leaves_domain(zl_body_op op, double low)
{
    return low < 0 && (op == ZL_BO_LOG2 || op == ZL_BO_RSQRT || op == ZL_BO_SQRT);
}

zlay_interval zl_approximate(zl_body_op op, int32_t type, zlay_interval a)
{
    const error_bound *b = bound_of(op, type);
    if (!b || zl_is_nan(a)) return b ? a : zl_unknown();
    if (zl_is_unknown(a)) return a;
    if (b->subnormal == FLUSHED) a = (zlay_interval){flush(a.low), flush(a.high)};
    if (leaves_domain(op, a.low)) return a.high < 0 ? zl_exactly((double)NAN) : zl_unknown();
    bool divides = op == ZL_BO_RCP || op == ZL_BO_RSQRT;
    if (divides && signbit(a.low) && !signbit(a.high))
        return (zlay_interval){-(double)INFINITY, (double)INFINITY};
    if (zl_is_exact(a) && is_tabulated(b, a.low)) return zl_exactly(tabulated(op, a.low));
    return zl_hull(widened(b, function(op, a.low)), widened(b, function(op, a.high)));
}
