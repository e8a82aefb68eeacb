/* SPDX-License-Identifier: Apache-2.0 */
/* An integer expression as a directed acyclic graph, in which equal nodes are one node.
 *
 * Every node stands for an exact integer, whose range over the box of arguments is kept with it. A
 * printed word holds that integer modulo 2^32 or 2^64, so sums, products and bits may wrap on the
 * way, but what is shifted right, divided or compared must fit its word. Nodes are made by the
 * functions below, which fold constants and drop what the ranges make superfluous. The first
 * failure is kept in `status`, and every node made after it is node 0, the number 0.
 *
 * By hand, Sw<2,0,2> o (4,4):(1,4) at (i0,i1): a = i0 + 4 i1 in [0,15], b = a >> 2 in [0,3], whose
 * mask 3 is dropped, and a ^ b. */
#ifndef ZL_EMIT_GRAPH_H
#define ZL_EMIT_GRAPH_H

#include "base/base.h"

typedef enum zl_graph_op {
    ZL_OP_NUMBER,
    ZL_OP_ARGUMENT,
    ZL_OP_ADD,
    ZL_OP_TIMES,  /* by a number */
    ZL_OP_RIGHT,  /* shifted by `number` bits */
    ZL_OP_OVER,   /* the quotient by `number` */
    ZL_OP_AND,    /* with `number` */
    ZL_OP_OR,
    ZL_OP_XOR,
    ZL_OP_LESS,   /* from here on: conditions, 0 or 1 */
    ZL_OP_SAME,
    ZL_OP_BOTH,
    ZL_OP_EITHER,
    ZL_OP_CHOOSE  /* a ? b : c */
} zl_graph_op;

typedef uint32_t zl_vertex; /* a node, by its place */

typedef struct zl_graph_node {
    zl_graph_op op;
    zl_vertex a, b, c;         /* operands; those that an operation has not are 0 */
    int64_t number;          /* of an argument: which */
    int64_t least, greatest; /* INT64_MIN, INT64_MAX: no bound is known */
    uint64_t ones;           /* bits that may be 1 */
} zl_graph_node;

enum { ZL_GRAPH_NODES = 2048, ZL_GRAPH_ARGUMENTS = 64 };

typedef struct zl_graph {
    zlay_ctx *ctx;
    zlay_status status;
    uint32_t count;
    zl_graph_node *node;
} zl_graph;

/* An empty graph in working memory of the call: ENOMEM. */
zlay_status zl_graph_begin(zl_graph *g, zlay_ctx *ctx);

zl_vertex zl_graph_number(zl_graph *g, int64_t number);
zl_vertex zl_graph_argument(zl_graph *g, uint32_t i, uint64_t extent); /* in [0, extent) */
zl_vertex zl_graph_add(zl_graph *g, zl_vertex a, zl_vertex b);
zl_vertex zl_graph_times(zl_graph *g, zl_vertex a, int64_t by);
zl_vertex zl_graph_right(zl_graph *g, zl_vertex a, unsigned bits);
zl_vertex zl_graph_left(zl_graph *g, zl_vertex a, unsigned bits);
zl_vertex zl_graph_and(zl_graph *g, zl_vertex a, uint64_t mask);
zl_vertex zl_graph_xor(zl_graph *g, zl_vertex a, zl_vertex b);

/* The floors of a / by and the remainder, by >= 1, of any sign. */
zl_vertex zl_graph_over(zl_graph *g, zl_vertex a, int64_t by);
zl_vertex zl_graph_modulo(zl_graph *g, zl_vertex a, int64_t by);

/* Conditions: a < b and a == b of any sign. */
zl_vertex zl_graph_less(zl_graph *g, zl_vertex a, zl_vertex b);
zl_vertex zl_graph_same(zl_graph *g, zl_vertex a, zl_vertex b);
zl_vertex zl_graph_both(zl_graph *g, zl_vertex a, zl_vertex b);
zl_vertex zl_graph_either(zl_graph *g, zl_vertex a, zl_vertex b);
zl_vertex zl_graph_choose(zl_graph *g, zl_vertex condition, zl_vertex yes, zl_vertex no);

/* The node's values are known to lie in a range, whatever its operands show. */
void zl_graph_know(zl_graph *g, zl_vertex a, int64_t least, int64_t greatest);

static inline bool zl_graph_is_condition(zl_graph_op op)
{
    return op >= ZL_OP_LESS && op <= ZL_OP_EITHER;
}

/* The value lies in [0, 2^32), so a word of 32 bits is enough wherever it is needed exactly. */
static inline bool zl_graph_is_narrow(const zl_graph_node *n)
{
    return n->least >= 0 && n->greatest <= UINT32_MAX;
}

/* ---- what a printer needs ------------------------------------------------------------------- */

/* How often each node that `root` needs is an operand, the root once; `uses` has an entry a node. */
void zl_graph_uses(const zl_graph *g, zl_vertex root, uint32_t *uses);

/* Bits of the words, 32 or 64, that hold the root and all that is needed exactly on the way: 0 where
 * something does not fit 64. */
unsigned zl_graph_word(const zl_graph *g, zl_vertex root);

/* Instructions of a machine that has shifts, logic of three operands, a x b + c and sums of three:
 * an estimate by which equal forms are compared. */
uint32_t zl_graph_cost(const zl_graph *g, zl_vertex root);

#endif
