/* SPDX-License-Identifier: Apache-2.0 */
/* What a body takes: the instructions of one warp, by what they do, from the nodes of the body's
 * program and the elements that a thread has. A matrix has its elements, a row or a part one value
 * for each of the thread's rows, a column one for each of its columns. Two values of 16 bits are
 * computed, and rounded, by one instruction; a sum over a row is one over the thread's elements and
 * then over the four lanes that share the row, where a thread has several rows. */
#include "pipe/cost/cost.h"

#include <string.h>

enum { THREADS = 128, ROWS_USUAL = 2, LANES_STEPS = 2 /* exchanges among four lanes */, WORD = 4 };

/* ---- which registers have how many elements ------------------------------ */

static const char *sums_name(const zlay_pipe *pipe, const zl_event *e)
{
    if (e->acc >= 0) return pipe->accs[e->acc].name;
    return e->tmem[0] >= 0 ? pipe->tmems[e->tmem[0]].name : "";
}

static const zlay_pipe_product *find_product(const zl_cost *c, const char *name)
{
    const zlay_pipe_product *other = NULL;
    for (size_t k = 0; k < c->ask->products_count; k++) {
        const zlay_pipe_product *p = &c->ask->products[k];
        if (!p->name) other = p;
        else if (!strcmp(p->name, name)) return p;
    }
    return other;
}

const zlay_pipe_product *zl_cost_product(zl_cost *c, const zl_event *e)
{
    const char *name = sums_name(c->pipe, e);
    const zlay_pipe_product *p = find_product(c, name);
    if (!p)
        zl_cost_fail(c, ZLAY_EINVAL, "line %u: no product says what is multiplied into %s", e->line,
                     name);
    return p;
}

static void set_elements(zl_cost *c, int32_t acc, uint32_t elements, uint32_t rows)
{
    if (acc < 0 || c->elements[acc]) return;
    c->elements[acc] = elements;
    c->rows[acc] = rows;
}

/* A product gives its sums their elements, a load from tensor memory its registers. */
static void take_events(zl_cost *c)
{
    const zlay_pipe *pipe = c->pipe;
    for (uint32_t k = 0; k < pipe->events_count; k++) {
        const zl_event *e = &pipe->events[k];
        if (e->kind == ZL_EV_TLD) set_elements(c, e->acc, e->columns[1] - e->columns[0] + 1, 1);
        if (e->kind != ZL_EV_MMA || e->acc < 0) continue;
        const zlay_pipe_product *p = find_product(c, sums_name(pipe, e));
        if (!p) continue;
        uint64_t all = (uint64_t)p->m * (uint64_t)p->n / THREADS;
        set_elements(c, e->acc, p->elements ? p->elements : (uint32_t)all,
                     p->rows ? p->rows : ROWS_USUAL);
    }
}

static bool is_in_registers(const zlay_body_operand *o)
{
    return o->sort == ZLAY_BODY_MATRIX || o->sort == ZLAY_BODY_ROW || o->sort == ZLAY_BODY_COLUMN ||
           o->sort == ZLAY_BODY_PART;
}

/* The registers of a matrix of a use, behind `from` others; NULL: there are no more. */
static const zl_event *matrix_of(const zlay_pipe *pipe, const zl_event *use, uint32_t from)
{
    const zlay_body *body = pipe->bodies[use->body].body;
    uint32_t at = 0, matrix = 0;
    for (uint32_t k = 0; k < body->operands_count && at < use->uses; k++) {
        const zlay_body_operand *o = &body->operands[k];
        if (!is_in_registers(o)) continue;
        if (o->sort == ZLAY_BODY_MATRIX && matrix++ == from) return use + at;
        at++;
    }
    return NULL;
}

static bool is_body(const zl_event *e)
{
    return e->kind == ZL_EV_USE && !e->joined && e->body >= 0;
}

/* All matrices of a body have the same rows and columns: what one has, the others have. */
static bool share(zl_cost *c, const zl_event *use)
{
    const zl_event *one, *known = NULL;
    bool changed = false;
    for (uint32_t k = 0; (one = matrix_of(c->pipe, use, k)) != NULL; k++)
        if (c->elements[one->acc]) known = one;
    for (uint32_t k = 0; known && (one = matrix_of(c->pipe, use, k)) != NULL; k++) {
        changed |= !c->elements[one->acc];
        set_elements(c, one->acc, c->elements[known->acc], c->rows[known->acc]);
    }
    return changed;
}

void zl_cost_elements(zl_cost *c)
{
    bool changed = true;
    take_events(c);
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < c->pipe->events_count; k++)
            if (is_body(&c->pipe->events[k])) changed |= share(c, &c->pipe->events[k]);
    }
}

/* ---- instructions ---------------------------------------------------------- */

typedef struct fragment {
    int64_t elements, rows; /* of a thread */
} fragment;

static int64_t values_of(const fragment *f, uint32_t shape)
{
    if ((shape & ZL_ON_BOTH) == ZL_ON_BOTH) return f->elements;
    if (shape & ZL_ON_COLUMN) return (f->elements + f->rows - 1) / f->rows;
    return shape ? f->rows : 1;
}

static bool is_narrow(int32_t type)
{
    return type >= 0 && zlay_type_bits(type) <= 16;
}

/* A value that comes from elsewhere, or goes there. */
static void count_memory(zl_body_count *out, const zl_body_node *n, int64_t values)
{
    switch (n->op) {
    case ZL_BO_SHARED: out->of[ZLAY_OP_LD_SHARED] += (values + WORD - 1) / WORD; break;
    case ZL_BO_LOAD: out->of[ZLAY_OP_LD_GLOBAL] += (values + WORD - 1) / WORD; break;
    case ZL_BO_STORE: out->of[ZLAY_OP_ST_GLOBAL] += values; break;
    default: break;
    }
}

/* A value of each row from those of a matrix: of the thread's elements, then of four lanes. */
static void count_reduction(zl_body_count *out, const zl_body_node *n, const fragment *f)
{
    bool sum = n->op == ZL_BO_ROWSUM || n->op == ZL_BO_PARTSUM || n->op == ZL_BO_LANESUM;
    bool own = n->op != ZL_BO_LANESUM && n->op != ZL_BO_LANEMAX;
    bool lanes = n->op != ZL_BO_PARTSUM && n->op != ZL_BO_PARTMAX && f->rows > 1;
    int64_t steps = (own && f->elements > f->rows ? f->elements - f->rows : 0) +
                    (lanes ? f->rows * LANES_STEPS : 0);
    out->of[sum ? ZLAY_OP_FMA : ZLAY_OP_INTEGER] += steps;
    if (lanes) out->of[ZLAY_OP_SHFL] += f->rows * LANES_STEPS;
}

static int32_t op_of(zl_body_op op)
{
    switch (op) {
    case ZL_BO_ADD:
    case ZL_BO_SUB:
    case ZL_BO_MUL:
    case ZL_BO_FMA: return ZLAY_OP_FMA;
    case ZL_BO_EXP2:
    case ZL_BO_LOG2:
    case ZL_BO_TANH: return ZLAY_OP_EX2;
    case ZL_BO_DIV:
    case ZL_BO_RCP:
    case ZL_BO_RSQRT:
    case ZL_BO_SQRT: return ZLAY_OP_RCP;
    case ZL_BO_OPERAND: /* no instruction */
    case ZL_BO_NUMBER:
    case ZL_BO_ROW:
    case ZL_BO_COLUMN:
    case ZL_BO_NEG:
    case ZL_BO_ABS: return -1;
    default: return ZLAY_OP_INTEGER;
    }
}

/* bf16 becomes f32 by a shift; other narrow values are converted two at a time. */
static void count_conversion(zl_body_count *out, const zl_body_node *n, int32_t from,
                             int64_t values)
{
    if (from == ZLAY_TYPE_BF16 && n->type == ZLAY_TYPE_F32) out->of[ZLAY_OP_INTEGER] += values;
    else out->of[ZLAY_OP_CVT] += is_narrow(n->type) || is_narrow(from) ? (values + 1) / 2 : values;
}

static void count_node(zl_body_count *out, const zlay_body *body, const zl_body_node *n,
                       const fragment *f)
{
    int64_t values = values_of(f, n->shape);
    if (n->op == ZL_BO_SHARED || n->op == ZL_BO_LOAD || n->op == ZL_BO_STORE) {
        count_memory(out, n, n->op == ZL_BO_STORE ? f->rows : values);
        return;
    }
    zl_body_kind kind = zl_body_forms[n->op].kind;
    if (kind == ZL_BODY_REDUCE || kind == ZL_BODY_LANES) {
        count_reduction(out, n, f);
        return;
    }
    if (n->op == ZL_BO_CONVERT) {
        count_conversion(out, n, body->nodes[n->arg[0]].type, values);
        return;
    }
    int32_t op = op_of(n->op);
    if (op < 0) return;
    out->of[op] += is_narrow(n->type) ? (values + 1) / 2 : values;
    if (n->op == ZL_BO_DIV) out->of[ZLAY_OP_FMA] += values;
}

void zl_cost_body(zl_cost *c, zl_body_count *out, const zl_event *e)
{
    const zlay_body *body = c->pipe->bodies[e->body].body;
    const zl_event *matrix = matrix_of(c->pipe, e, 0);
    fragment f = {1, ROWS_USUAL};
    memset(out, 0, sizeof *out);
    if (matrix && !c->elements[matrix->acc]) {
        zl_cost_fail(c, ZLAY_EINVAL, "line %u: no product says how many elements %s has", e->line,
                     c->pipe->accs[matrix->acc].name);
        return;
    }
    if (matrix) f = (fragment){c->elements[matrix->acc], c->rows[matrix->acc]};
    for (uint32_t k = 0; k < body->nodes_count; k++) count_node(out, body, &body->nodes[k], &f);
}
