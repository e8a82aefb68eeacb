/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates a body row by row, since no operation joins rows, and no two rows store to one element: each node has a buffer for the
 * elements of one row, and a node that depends on no row is computed once. New values of operands
 * are kept apart until every row is done, so a failure changes none. */
#include "base/request.h"
#include "sim/body.h"

#include <math.h>
#include <string.h>

/* A node computes one element in about 30 steps of limits.work. */
enum { STEPS = 30 };

typedef struct body_run {
    zlay_ctx *ctx;
    const zlay_body *body;
    const zlay_sim_operand *operands;
    zl_row_order order;
    zlay_interval **values; /* of a node, in this row */
    zlay_interval **news;   /* of an operand, its new values; NULL: it keeps its own */
    uint64_t **stored;      /* of an output's element, behind the row that stored it; 0: none did */
    uint64_t row;
    uint32_t lanes[ZL_LANES], lanes_count; /* that hold the row */
} body_run;

/* ---- the request ---------------------------------------------------------------------- */

static size_t count_of(int32_t sort, const zlay_sim_body_request *request)
{
    switch (sort) {
    case ZLAY_BODY_MATRIX: return (size_t)request->rows * request->columns;
    case ZLAY_BODY_ROW: return request->rows;
    case ZLAY_BODY_COLUMN: return request->columns;
    case ZLAY_BODY_PART: return (size_t)request->rows * ZL_LANES;
    default: return 1;
    }
}

/* The sort of an operand; of a stage in shared memory that of registers which hold what is loaded. */
static int32_t sort_of(const zlay_body *body, int32_t operand)
{
    int32_t sort = body->operands[operand].sort;
    if (sort != ZLAY_BODY_SHARED) return sort;
    switch (zl_body_shared_shape(body, operand)) {
    case ZL_ON_ROW: return ZLAY_BODY_ROW;
    case ZL_ON_COLUMN: return ZLAY_BODY_COLUMN;
    default: return ZLAY_BODY_MATRIX;
    }
}

static zlay_status check_operand(const body_run *run, size_t i,
                                 const zlay_sim_body_request *request)
{
    const zlay_body_operand *o = &run->body->operands[i];
    const zlay_sim_operand *operand = &run->operands[i];
    bool global = zl_body_array(o);
    int32_t sort = sort_of(run->body, (int32_t)i);
    size_t count = global ? operand->count : count_of(sort, request);
    if (!o->reads && !o->writes) return ZLAY_OK;
    if (operand->count != count)
        return zl_fail(run->ctx, ZLAY_EINVAL, "%s: it has %zu values, not %zu", o->name, count,
                       operand->count);
    if (!operand->values && count)
        return zl_fail(run->ctx, ZLAY_EINVAL, "%s: values is NULL", o->name);
    return ZLAY_OK;
}

/* Whether the body needs the lanes of a row. */
static bool needs_lanes(const zlay_body *body)
{
    bool needs = false;
    for (uint32_t i = 0; i < body->nodes_count; i++) {
        zl_body_kind kind = zl_body_forms[body->nodes[i].op].kind;
        needs |= kind == ZL_BODY_REDUCE || kind == ZL_BODY_LANES;
    }
    for (uint32_t i = 0; i < body->operands_count; i++) {
        const zlay_body_operand *o = &body->operands[i];
        needs |= o->sort == ZLAY_BODY_PART && (o->reads || o->writes);
    }
    return needs;
}

/* ---- memory --------------------------------------------------------------------------- */

static size_t room_of(const body_run *run, uint32_t shape)
{
    if (shape & ZL_ON_COLUMN) return run->order.columns;
    return shape & ZL_ON_LANE ? ZL_LANES : 1;
}

/* New values of operand i; of a part and of an output some elements keep their own. */
static bool reserve_news(body_run *run, uint32_t i)
{
    size_t count = run->operands[i].count;
    int32_t sort = run->body->operands[i].sort;
    run->news[i] = zl_scratch_plain(run->ctx, count, sizeof **run->news);
    if (sort == ZLAY_BODY_OUTPUT) run->stored[i] = zl_scratch(run->ctx, count, sizeof **run->stored);
    if (!run->news[i] || (sort == ZLAY_BODY_OUTPUT && !run->stored[i])) return false;
    if (count && (sort == ZLAY_BODY_PART || sort == ZLAY_BODY_OUTPUT))
        memcpy(run->news[i], run->operands[i].values, count * sizeof **run->news);
    return true;
}

static bool reserve(body_run *run)
{
    const zlay_body *b = run->body;
    run->values = zl_scratch(run->ctx, b->nodes_count, sizeof *run->values);
    run->news = zl_scratch(run->ctx, b->operands_count, sizeof *run->news);
    run->stored = zl_scratch(run->ctx, b->operands_count, sizeof *run->stored);
    bool ok = run->values && run->news && run->stored;
    for (uint32_t i = 0; ok && i < b->nodes_count; i++) {
        run->values[i] = zl_scratch_plain(run->ctx, room_of(run, b->nodes[i].shape),
                                          sizeof **run->values);
        ok = run->values[i];
    }
    for (uint32_t i = 0; ok && i < b->operands_count; i++)
        if (b->operands[i].writes) ok = reserve_news(run, i);
    return ok;
}

/* ---- one node ------------------------------------------------------------------------- */

/* Elements of a value in this row. */
static size_t width_of(const body_run *run, uint32_t shape)
{
    return shape & ZL_ON_LANE ? run->lanes_count : room_of(run, shape);
}

static zlay_interval argument(const body_run *run, int32_t node, size_t i)
{
    uint32_t shape = run->body->nodes[node].shape;
    return run->values[node][shape & (ZL_ON_COLUMN | ZL_ON_LANE) ? i : 0];
}

/* Where the i-th element in this row lies among all values of an operand of this sort. */
static size_t place_of(const body_run *run, int32_t sort, size_t i)
{
    switch (sort) {
    case ZLAY_BODY_MATRIX: return run->row * run->order.columns + i;
    case ZLAY_BODY_ROW: return run->row;
    case ZLAY_BODY_COLUMN: return i;
    case ZLAY_BODY_PART: return run->row * ZL_LANES + run->lanes[i];
    default: return 0;
    }
}

/* The ends rise, -0 before +0; ends of an integer are of its type, and so is an exact value. */
static bool is_valid(zlay_interval a, int32_t type)
{
    bool whole = zl_type_is_integer(type), equal = a.low == a.high;
    if (zl_is_nan(a)) return !whole;
    if (zl_is_unknown(a)) return !whole && a.high == (double)INFINITY;
    if (whole && !(zl_type_has(type, a.low) && zl_type_has(type, a.high))) return false;
    if (equal && !signbit(a.low) && signbit(a.high)) return false;
    return a.low < a.high || (equal && zl_type_has(type, a.low));
}

static zlay_status check_value(const body_run *run, const zlay_body_operand *o, size_t i,
                               zlay_interval a)
{
    if (is_valid(a, o->type)) return ZLAY_OK;
    return zl_fail(run->ctx, ZLAY_EINVAL, "%s[%zu] is {%.17g, %.17g}: no value of %s", o->name, i,
                   a.low, a.high, zl_body_type_name(o->type));
}

static zlay_status operand_value(const body_run *run, const zl_body_node *n, size_t i,
                                 zlay_interval *out)
{
    const zlay_body_operand *o = &run->body->operands[n->operand];
    size_t at = place_of(run, sort_of(run->body, n->operand), i);
    *out = run->operands[n->operand].values[at];
    return check_value(run, o, at, *out);
}

/* The place of a load or store in its array; `inside`: it is below the limit. */
static zlay_status array_place(const body_run *run, const zl_body_node *n, size_t i, size_t *at, bool *inside)
{
    const zlay_body_operand *o = &run->body->operands[n->operand];
    size_t count = run->operands[n->operand].count;
    const char *word = zl_body_forms[n->op].word;
    bool limited = n->arg[1] >= 0;
    zlay_interval index = argument(run, n->arg[0], i);
    zlay_interval limit = limited ? argument(run, n->arg[1], i) : zl_exactly(0);
    if (index.low != index.high || limit.low != limit.high)
        return zl_fail(run->ctx, ZLAY_ENOTSUP, "%s(%s, ..): the index is not known exactly", word, o->name);
    *inside = !limited || index.low < limit.low;
    if (!*inside) return ZLAY_OK;
    if (index.low < 0 || index.low >= (double)count)
        return zl_fail(run->ctx, ZLAY_EINVAL,
                       "%s(%s, %lld): the array has %zu values (row %llu of the matrix)", word, o->name,
                       (long long)index.low, count, (unsigned long long)run->row);
    *at = (size_t)index.low;
    return ZLAY_OK;
}

static zlay_status load_value(const body_run *run, const zl_body_node *n, size_t i,
                              zlay_interval *out)
{
    size_t at;
    bool inside;
    *out = zl_exactly(0);
    zlay_status status = array_place(run, n, i, &at, &inside);
    if (status || !inside) return status;
    *out = run->operands[n->operand].values[at];
    return check_value(run, &run->body->operands[n->operand], at, *out);
}

/* A line may store again what its row stored before. */
static zlay_status store_value(const body_run *run, const zl_body_node *n)
{
    size_t at;
    bool inside;
    zlay_status status = array_place(run, n, 0, &at, &inside);
    if (status || !inside) return status;
    uint64_t *by = &run->stored[n->operand][at];
    if (*by && *by != run->row + 1)
        return zl_fail(run->ctx, ZLAY_EINVAL, "store(%s, %zu): rows %llu and %llu both store there",
                       run->body->operands[n->operand].name, at, (unsigned long long)*by - 1,
                       (unsigned long long)run->row);
    *by = run->row + 1;
    run->news[n->operand][at] = argument(run, n->arg[2], 0);
    return ZLAY_OK;
}

static zlay_interval number_value(const zl_body_node *n)
{
    double x = zl_decimal_value(&n->number);
    return zl_exactly(zl_type_is_integer(n->type) ? x : zl_round_to(x, n->type, ZL_ROUND_NEAREST));
}

static zlay_interval computed_value(const body_run *run, const zl_body_node *n, size_t i)
{
    zlay_interval args[ZL_BODY_ARGS] = {{0, 0}};
    for (int k = 0; k < ZL_BODY_ARGS && n->arg[k] >= 0; k++) args[k] = argument(run, n->arg[k], i);
    return zl_element_value(n, run->body->nodes[n->arg[0]].type, args);
}

static zlay_status element(const body_run *run, const zl_body_node *n, size_t i,
                           zlay_interval *out)
{
    switch (n->op) {
    case ZL_BO_OPERAND:
    case ZL_BO_SHARED: return operand_value(run, n, i, out);
    case ZL_BO_LOAD: return load_value(run, n, i, out);
    case ZL_BO_STORE: return store_value(run, n);
    case ZL_BO_NUMBER: *out = number_value(n); return ZLAY_OK;
    case ZL_BO_ROW: *out = zl_exactly((double)run->row); return ZLAY_OK;
    case ZL_BO_COLUMN: *out = zl_exactly((double)i); return ZLAY_OK;
    default: *out = computed_value(run, n, i); return ZLAY_OK;
    }
}

/* The operation by which parts and lanes are joined. */
static zl_body_op joins_by(zl_body_op op)
{
    switch (op) {
    case ZL_BO_PARTMAX:
    case ZL_BO_LANEMAX:
    case ZL_BO_ROWMAX: return ZL_BO_ROWMAX;
    case ZL_BO_ROWMIN: return ZL_BO_ROWMIN;
    default: return ZL_BO_ROWSUM;
    }
}

static void reduce(const body_run *run, const zl_body_node *n, zlay_interval *out)
{
    zlay_interval parts[ZL_LANES];
    const zlay_interval *from = run->values[n->arg[0]];
    bool whole = n->shape == ZL_ON_ROW;
    zl_body_op by = joins_by(n->op);
    if (zl_body_forms[n->op].kind == ZL_BODY_REDUCE)
        zl_row_parts(whole ? parts : out, &run->order, run->row, from, by, n->type);
    else memcpy(parts, from, run->lanes_count * sizeof *parts);
    if (whole) *out = zl_row_butterflies(parts, run->lanes, run->lanes_count, by, n->type);
}

static zlay_status compute(const body_run *run, uint32_t node)
{
    const zl_body_node *n = &run->body->nodes[node];
    zl_body_kind kind = zl_body_forms[n->op].kind;
    zlay_status status = ZLAY_OK;
    if (run->row && !(n->shape & ZL_ON_ROW)) return ZLAY_OK;
    if (kind == ZL_BODY_REDUCE || kind == ZL_BODY_LANES) {
        reduce(run, n, run->values[node]);
        return ZLAY_OK;
    }
    for (size_t i = 0; !status && i < width_of(run, n->shape); i++)
        status = element(run, n, i, &run->values[node][i]);
    return status;
}

/* ---- rows ----------------------------------------------------------------------------- */

/* Later lines give an operand its value anew. */
static void keep_line(const body_run *run, const zl_body_line *line)
{
    if (line->operand < 0) return;
    int32_t sort = run->body->operands[line->operand].sort;
    size_t width = width_of(run, zl_body_sort_shape(sort));
    for (size_t i = 0; i < width; i++)
        run->news[line->operand][place_of(run, sort, i)] = argument(run, line->node, i);
}

static zlay_status run_row(body_run *run, bool lanes)
{
    zlay_status status = ZLAY_OK;
    if (lanes) run->lanes_count = zl_row_lanes(run->lanes, &run->order, run->row);
    for (uint32_t i = 0; !status && i < run->body->nodes_count; i++) status = compute(run, i);
    for (uint32_t i = 0; !status && i < run->body->lines_count; i++)
        keep_line(run, &run->body->lines[i]);
    return status;
}

static zlay_status run_body(body_run *run, const zlay_sim_body_request *request)
{
    const zlay_body *b = run->body;
    bool lanes = needs_lanes(b);
    zlay_status status = zl_row_order_make(run->ctx, &run->order, request);
    if (!status && lanes) status = zl_row_order_check(run->ctx, &run->order);
    if (!status && !reserve(run)) status = ZLAY_ENOMEM;
    for (; !status && run->row < request->rows; run->row++) status = run_row(run, lanes);
    for (uint32_t i = 0; !status && i < b->operands_count; i++)
        if (run->news[i] && run->operands[i].count)
            memcpy(run->operands[i].values, run->news[i],
                   run->operands[i].count * sizeof **run->news);
    return status;
}

static zlay_status check_size(zlay_ctx *ctx, const zlay_sim_body_request *request, uint32_t nodes)
{
    uint64_t elements = (uint64_t)request->rows * request->columns;
    if (!elements || request->rows > INT32_MAX || request->columns > INT32_MAX)
        return zl_fail(ctx, ZLAY_EINVAL, "rows, columns: no matrix has %u x %u elements",
                       request->rows, request->columns);
    if (!request->fragment) return zl_fail(ctx, ZLAY_EINVAL, "fragment: it is NULL");
    if (elements > zl_limits(ctx)->points)
        return zl_fail(ctx, ZLAY_ELIMIT, "limit points: the matrix has %llu elements",
                       (unsigned long long)elements);
    return zl_charge(ctx, zl_umul_sat(elements, (uint64_t)nodes * STEPS));
}

static zlay_status sim_body(zlay_ctx *ctx, const zlay_sim_operand *operands, size_t count,
                            const zlay_body *body, const zlay_sim_body_request *asked)
{
    static const zl_request_form form = {
        "zlay_sim_body_request", sizeof *asked, sizeof *asked,
        {ZL_RESERVED(zlay_sim_body_request, reserved),
         ZL_RESERVED(zlay_sim_body_request, reserved2)}};
    zlay_sim_body_request request;
    body_run run = {.ctx = ctx, .body = body, .operands = operands};
    zlay_status status = zl_request_read(ctx, &request, asked, &form);
    if (!status) status = check_size(ctx, &request, body->nodes_count);
    if (!status && count != body->operands_count)
        status = zl_fail(ctx, ZLAY_EINVAL, "count: the body has %u operands, not %zu",
                         body->operands_count, count);
    for (size_t i = 0; !status && i < count; i++) status = check_operand(&run, i, &request);
    return status ? status : run_body(&run, &request);
}

zlay_status zlay_sim_body(zlay_ctx *ctx, const zlay_sim_operand *operands, size_t count,
                          const zlay_body *body, const zlay_sim_body_request *request)
{
    if (!operands || !body || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave(ctx, sim_body(ctx, operands, count, body, request));
}
