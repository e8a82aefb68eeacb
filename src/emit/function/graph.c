/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the nodes of an expression. Every maker folds numbers, drops operations that the ranges of
 * its operands make superfluous, and returns the node that is already there where one is equal. */
#include "emit/function/graph.h"

#include <string.h>
#include <zlay/radix.h>

zlay_status zl_graph_begin(zl_graph *g, zlay_ctx *ctx)
{
    *g = (zl_graph){.ctx = ctx, .count = 1};
    g->node = zl_scratch_plain(ctx, ZL_GRAPH_NODES, sizeof *g->node);
    if (g->node) g->node[0] = (zl_graph_node){.op = ZL_OP_NUMBER};
    return g->node ? ZLAY_OK : ZLAY_ENOMEM;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static int64_t added(int64_t a, int64_t b)
{
    int64_t sum;
    return zl_add(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t multiplied(int64_t a, int64_t b)
{
    int64_t product;
    return zl_mul(a, b, &product) ? product : (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

/* A bound that is no bound stays one when a number is added to it. */
static int64_t bound_added(int64_t a, int64_t b)
{
    if (a == INT64_MIN || b == INT64_MIN) return INT64_MIN;
    return a == INT64_MAX || b == INT64_MAX ? INT64_MAX : added(a, b);
}

static uint64_t ones_below(int64_t least, int64_t greatest)
{
    unsigned bits = least < 0 || greatest == INT64_MAX ? 64 : zl_bit_length((uint64_t)greatest);
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static bool is_equal(const zl_graph_node *a, const zl_graph_node *b)
{
    return a->op == b->op && a->a == b->a && a->b == b->b && a->c == b->c &&
           a->number == b->number;
}

static zl_vertex put(zl_graph *g, zl_graph_node node)
{
    if (g->status) return 0;
    for (uint32_t i = g->count; i-- > 0;)
        if (is_equal(&g->node[i], &node)) return i;
    if (g->count == ZL_GRAPH_NODES) {
        g->status = zl_fail(g->ctx, ZLAY_ELIMIT, "a function of more than %d operations",
                            ZL_GRAPH_NODES);
        return 0;
    }
    node.ones &= ones_below(node.least, node.greatest);
    g->node[g->count] = node;
    return g->count++;
}

static const zl_graph_node *at(const zl_graph *g, zl_vertex t) { return &g->node[t]; }
static bool is_number(const zl_graph *g, zl_vertex t) { return at(g, t)->op == ZL_OP_NUMBER; }

void zl_graph_know(zl_graph *g, zl_vertex t, int64_t least, int64_t greatest)
{
    zl_graph_node *n = &g->node[t];
    n->least = zl_max(n->least, least);
    n->greatest = zl_min(n->greatest, greatest);
    n->ones &= ones_below(n->least, n->greatest);
}

zl_vertex zl_graph_number(zl_graph *g, int64_t number)
{
    return put(g, (zl_graph_node){ZL_OP_NUMBER, 0, 0, 0, number, number, number, (uint64_t)number});
}

zl_vertex zl_graph_argument(zl_graph *g, uint32_t i, uint64_t extent)
{
    int64_t last = extent > INT64_MAX ? INT64_MAX : (int64_t)extent - 1;
    if (!last) return 0;
    return put(g, (zl_graph_node){ZL_OP_ARGUMENT, 0, 0, 0, i, 0, last, UINT64_MAX});
}

/* ---- sums and products ---------------------------------------------------------------------- */

static zl_vertex add_number(zl_graph *g, zl_vertex a, int64_t number)
{
    const zl_graph_node *n = at(g, a);
    int64_t both;
    if (!number) return a;
    if (n->op == ZL_OP_NUMBER && zl_add(n->number, number, &both)) return zl_graph_number(g, both);
    if (n->op == ZL_OP_ADD && is_number(g, n->b) && zl_add(at(g, n->b)->number, number, &both))
        return add_number(g, n->a, both);
    zl_graph_node sum = {ZL_OP_ADD, a, zl_graph_number(g, number), 0, 0, 0, 0, UINT64_MAX};
    sum.least = bound_added(at(g, a)->least, number);
    sum.greatest = bound_added(at(g, a)->greatest, number);
    return put(g, sum);
}

zl_vertex zl_graph_add(zl_graph *g, zl_vertex a, zl_vertex b)
{
    if (is_number(g, a)) return add_number(g, b, at(g, a)->number);
    if (is_number(g, b)) return add_number(g, a, at(g, b)->number);
    const zl_graph_node *x = at(g, a), *y = at(g, b);
    bool apart = !(x->ones & y->ones);
    return put(g, (zl_graph_node){ZL_OP_ADD, a, b, 0, 0, bound_added(x->least, y->least),
                            bound_added(x->greatest, y->greatest),
                            apart ? x->ones | y->ones : UINT64_MAX});
}

zl_vertex zl_graph_times(zl_graph *g, zl_vertex a, int64_t by)
{
    const zl_graph_node *n = at(g, a);
    int64_t both;
    if (!by || by == 1) return by ? a : 0;
    if (n->op == ZL_OP_NUMBER && zl_mul(n->number, by, &both)) return zl_graph_number(g, both);
    if (n->op == ZL_OP_TIMES && zl_mul(n->number, by, &both)) return zl_graph_times(g, n->a, both);
    zl_graph_node product = {ZL_OP_TIMES, a, 0, 0, by, multiplied(by > 0 ? n->least : n->greatest, by),
                       multiplied(by > 0 ? n->greatest : n->least, by), UINT64_MAX};
    if (by > 0 && zl_is_power_of_two((uint64_t)by)) product.ones = n->ones << zl_log2((uint64_t)by);
    return put(g, product);
}

zl_vertex zl_graph_left(zl_graph *g, zl_vertex a, unsigned bits)
{
    return bits < 63 ? zl_graph_times(g, a, (int64_t)1 << bits) : zl_graph_times(g, a, INT64_MIN);
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* The exponent where a node is a product by a power of two, else 0. */
static unsigned left_of(const zl_graph_node *n)
{
    bool is_left = n->op == ZL_OP_TIMES && n->number > 0 && n->greatest != INT64_MAX &&
                   zl_is_power_of_two((uint64_t)n->number);
    return is_left ? zl_log2((uint64_t)n->number) : 0;
}

zl_vertex zl_graph_right(zl_graph *g, zl_vertex a, unsigned bits)
{
    const zl_graph_node *n = at(g, a);
    if (!bits) return a;
    if (bits > 62 || n->greatest >> bits == 0) return 0;
    if (n->op == ZL_OP_RIGHT) return zl_graph_right(g, n->a, bits + (unsigned)n->number);
    if (left_of(n) >= bits) return zl_graph_left(g, n->a, left_of(n) - bits);
    if (left_of(n)) return zl_graph_right(g, n->a, bits - left_of(n));
    return put(g, (zl_graph_node){ZL_OP_RIGHT, a, 0, 0, bits, n->least >> bits, n->greatest >> bits,
                            n->ones >> bits});
}

zl_vertex zl_graph_and(zl_graph *g, zl_vertex a, uint64_t mask)
{
    const zl_graph_node *n = at(g, a);
    mask &= n->ones;
    if (!mask || mask == n->ones) return mask ? a : 0;
    if (n->op == ZL_OP_AND) return zl_graph_and(g, n->a, mask);
    int64_t most = mask >> 63 ? INT64_MAX : (int64_t)mask;
    return put(g, (zl_graph_node){ZL_OP_AND, a, 0, 0, (int64_t)mask, mask >> 63 ? INT64_MIN : 0, most,
                            mask});
}

zl_vertex zl_graph_xor(zl_graph *g, zl_vertex a, zl_vertex b)
{
    const zl_graph_node *x = at(g, a), *y = at(g, b);
    bool apart = !(x->ones & y->ones), product = x->op == ZL_OP_TIMES || y->op == ZL_OP_TIMES;
    if (!a || !b) return a ? a : b;
    if (is_number(g, a) && is_number(g, b)) return zl_graph_number(g, x->number ^ y->number);
    if (apart && product) return zl_graph_add(g, a, b);
    uint64_t ones = x->ones | y->ones;
    return put(g, (zl_graph_node){apart ? ZL_OP_OR : ZL_OP_XOR, a, b, 0, 0, ones >> 63 ? INT64_MIN : 0,
                            ones >> 63 ? INT64_MAX : (int64_t)ones, ones});
}

/* ---- quotients ------------------------------------------------------------------------------ */

/* Of a number that is not negative: a shift, a product and a shift where 32 bits hold the product,
 * else a division, which every compiler turns into a product of its own. */
static zl_vertex quotient(zl_graph *g, zl_vertex a, int64_t by)
{
    const zl_graph_node *n = at(g, a);
    zlay_divisor d = {0};
    if (n->greatest < by) return 0;
    if (zl_is_power_of_two((uint64_t)by)) return zl_graph_right(g, a, zl_log2((uint64_t)by));
    zlay_divisor_make(&d, (uint64_t)by, 0, (uint64_t)n->greatest);
    if (d.way == ZLAY_DIVISOR_MULTIPLY && d.product == 32 && zl_graph_is_narrow(n)) {
        zl_vertex product = zl_graph_times(g, a, (int64_t)d.multiplier);
        if (at(g, product)->greatest <= UINT32_MAX)
            return zl_graph_right(g, product, (unsigned)d.shift);
    }
    return put(g, (zl_graph_node){ZL_OP_OVER, a, 0, 0, by, n->least / by, n->greatest / by, UINT64_MAX});
}

/* Where a may be negative a multiple of the divisor is added, and its quotient taken off. */
zl_vertex zl_graph_over(zl_graph *g, zl_vertex a, int64_t by)
{
    const zl_graph_node *n = at(g, a);
    int64_t turns = 0, lift;
    if (by == 1) return a;
    if (n->least < 0) turns = (int64_t)zl_ceil_div(zl_magnitude(n->least), (uint64_t)by);
    if (n->least == INT64_MIN || !zl_mul(turns, by, &lift)) {
        g->status = g->status ? g->status
                              : zl_fail(g->ctx, ZLAY_ENOTSUP,
                                        "a quotient of a number without a lower bound");
        return 0;
    }
    return zl_graph_add(g, quotient(g, zl_graph_add(g, a, zl_graph_number(g, lift)), by),
                       zl_graph_number(g, -turns));
}

zl_vertex zl_graph_modulo(zl_graph *g, zl_vertex a, int64_t by)
{
    const zl_graph_node *n = at(g, a);
    if (n->least >= 0 && zl_is_power_of_two((uint64_t)by))
        return zl_graph_and(g, a, (uint64_t)by - 1);
    zl_vertex rest = zl_graph_add(g, a, zl_graph_times(g, zl_graph_over(g, a, by), -by));
    if (rest) zl_graph_know(g, rest, 0, by - 1);
    return rest;
}

/* ---- conditions ----------------------------------------------------------------------------- */

static zl_vertex condition(zl_graph *g, zl_graph_op op, zl_vertex a, zl_vertex b)
{
    return put(g, (zl_graph_node){op, a, b, 0, 0, 0, 1, 1});
}

/* Adds one number to both sides so that neither is negative. */
static void lift_both(zl_graph *g, zl_vertex *a, zl_vertex *b)
{
    int64_t low = zl_min(at(g, *a)->least, at(g, *b)->least);
    if (low >= 0 || low == INT64_MIN) return;
    *a = zl_graph_add(g, *a, zl_graph_number(g, -low));
    *b = zl_graph_add(g, *b, zl_graph_number(g, -low));
}

zl_vertex zl_graph_less(zl_graph *g, zl_vertex a, zl_vertex b)
{
    lift_both(g, &a, &b);
    const zl_graph_node *x = at(g, a), *y = at(g, b);
    if (x->greatest < y->least) return zl_graph_number(g, 1);
    if (x->least >= y->greatest) return 0;
    return condition(g, ZL_OP_LESS, a, b);
}

zl_vertex zl_graph_same(zl_graph *g, zl_vertex a, zl_vertex b)
{
    lift_both(g, &a, &b);
    const zl_graph_node *x = at(g, a), *y = at(g, b);
    if (x->greatest < y->least || y->greatest < x->least) return 0;
    if (a == b) return zl_graph_number(g, 1);
    return condition(g, ZL_OP_SAME, a, b);
}

zl_vertex zl_graph_both(zl_graph *g, zl_vertex a, zl_vertex b)
{
    if (is_number(g, a)) return at(g, a)->number ? b : a;
    if (is_number(g, b)) return at(g, b)->number ? a : b;
    return a == b ? a : condition(g, ZL_OP_BOTH, a, b);
}

zl_vertex zl_graph_either(zl_graph *g, zl_vertex a, zl_vertex b)
{
    if (is_number(g, a)) return at(g, a)->number ? a : b;
    if (is_number(g, b)) return at(g, b)->number ? b : a;
    return a == b ? a : condition(g, ZL_OP_EITHER, a, b);
}

zl_vertex zl_graph_choose(zl_graph *g, zl_vertex yes_if, zl_vertex yes, zl_vertex no)
{
    const zl_graph_node *x = at(g, yes), *y = at(g, no);
    if (is_number(g, yes_if)) return at(g, yes_if)->number ? yes : no;
    if (yes == no) return yes;
    return put(g, (zl_graph_node){ZL_OP_CHOOSE, yes_if, yes, no, 0, zl_min(x->least, y->least),
                            zl_max(x->greatest, y->greatest), x->ones | y->ones});
}
