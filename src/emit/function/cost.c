/* SPDX-License-Identifier: Apache-2.0 */
/* What an expression needs: how often its nodes are used, which words hold them, and how many
 * instructions a compiler makes of it. The count is that of NVIDIA's instructions: IMAD and LEA add
 * to a product, IADD3 adds three numbers, LOP3 is any logic of three operands, ISETP compares and
 * joins with another condition; a number of 64 bits is two registers. */
#include "emit/function/graph.h"

#include <string.h>

enum { INPUTS = 3, COST_OVER = 3, COST_OVER_WIDE = 12 };

static void use(uint32_t *uses, const zl_graph_node *n)
{
    uses[n->a]++;
    uses[n->b]++;
    uses[n->c]++;
}

void zl_graph_uses(const zl_graph *g, zl_vertex root, uint32_t *uses)
{
    memset(uses, 0, g->count * sizeof *uses);
    uses[root] = 1;
    for (uint32_t i = g->count; i-- > 0;)
        if (uses[i]) use(uses, &g->node[i]);
}

/* Whether the operands of a node are needed exactly. */
static bool is_exact(zl_graph_op op)
{
    return op == ZL_OP_RIGHT || op == ZL_OP_OVER || op == ZL_OP_LESS || op == ZL_OP_SAME;
}

static bool is_unknown(const zl_graph_node *n) { return n->least < 0 || n->greatest == INT64_MAX; }

unsigned zl_graph_word(const zl_graph *g, zl_vertex root)
{
    uint32_t uses[ZL_GRAPH_NODES];
    const zl_graph_node *out = &g->node[root];
    bool is_word = zl_graph_is_narrow(out) || (out->least >= INT32_MIN && out->greatest <= INT32_MAX);
    unsigned word = is_word ? 32 : 64;
    zl_graph_uses(g, root, uses);
    for (uint32_t i = 0; i < g->count; i++) {
        const zl_graph_node *n = &g->node[i], *side[2] = {&g->node[n->a], &g->node[n->b]};
        if (uses[i] && n->op == ZL_OP_ARGUMENT && !zl_graph_is_narrow(n)) word = word ? 64 : 0;
        for (int s = 0; uses[i] && is_exact(n->op) && s < 2; s++) {
            if (!zl_graph_is_narrow(side[s])) word = word ? 64 : 0;
            if (is_unknown(side[s]) && side[s]->op != ZL_OP_ARGUMENT) word = 0;
        }
    }
    return word;
}

/* ---- instructions --------------------------------------------------------------------------- */

typedef struct count {
    const zl_graph *g;
    unsigned word;
    uint32_t uses[ZL_GRAPH_NODES];
    bool within[ZL_GRAPH_NODES]; /* part of the instruction of the node that uses it */
} count;

static bool is_wide(const count *c, zl_vertex t)
{
    return c->word == 64 && !zl_graph_is_narrow(&c->g->node[t]);
}

static bool is_logic(zl_graph_op op) { return op == ZL_OP_AND || op == ZL_OP_OR || op == ZL_OP_XOR; }

/* Takes an operand into the instruction of the node that alone uses it. */
static bool absorb(count *c, zl_vertex t)
{
    if (c->uses[t] != 1) return false;
    c->within[t] = true;
    return true;
}

/* One operand of a sum is a product that the same instruction makes, or a sum. */
static void absorb_sum(count *c, const zl_graph_node *n)
{
    const zl_vertex side[2] = {n->a, n->b};
    for (int s = 0; s < 2; s++)
        if (c->g->node[side[s]].op == ZL_OP_TIMES && absorb(c, side[s])) return;
    for (int s = 0; s < 2; s++) {
        const zl_graph_node *inner = &c->g->node[side[s]];
        bool product = c->within[inner->a] || c->within[inner->b];
        if (inner->op == ZL_OP_ADD && !product && !c->within[side[s]] && absorb(c, side[s])) return;
    }
}

/* Operands of logic that is used here alone, as far as three operands serve. */
static void absorb_logic(count *c, const zl_graph_node *n)
{
    const zl_vertex side[2] = {n->a, n->b};
    for (int s = 0, inputs = 2; s < (n->op == ZL_OP_AND ? 1 : 2) && inputs < INPUTS; s++) {
        const zl_graph_node *inner = &c->g->node[side[s]];
        bool is_full = c->within[inner->a] || c->within[inner->b];
        if (is_logic(inner->op) && !is_full && absorb(c, side[s])) inputs++;
    }
}

static uint32_t cost_of(const count *c, zl_vertex t)
{
    const zl_graph_node *n = &c->g->node[t];
    uint32_t times = is_wide(c, t) || is_wide(c, n->a) ? 2 : 1;
    switch (n->op) {
    case ZL_OP_NUMBER:
    case ZL_OP_ARGUMENT: return 0;
    case ZL_OP_OVER: return is_wide(c, n->a) ? COST_OVER_WIDE : COST_OVER;
    case ZL_OP_TIMES: return is_wide(c, n->a) ? 3 : 1;
    case ZL_OP_BOTH:
    case ZL_OP_EITHER: return 0;
    default: return times;
    }
}

uint32_t zl_graph_cost(const zl_graph *g, zl_vertex root)
{
    count c = {.g = g, .word = zl_graph_word(g, root)};
    uint32_t cost = 0;
    zl_graph_uses(g, root, c.uses);
    for (uint32_t i = 0; i < g->count; i++) {
        if (!c.uses[i]) continue;
        if (g->node[i].op == ZL_OP_ADD) absorb_sum(&c, &g->node[i]);
        if (is_logic(g->node[i].op)) absorb_logic(&c, &g->node[i]);
    }
    for (uint32_t i = 0; i < g->count; i++)
        if (c.uses[i] && !c.within[i]) cost += cost_of(&c, i);
    return c.word ? cost : UINT32_MAX;
}
