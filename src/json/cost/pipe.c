/* SPDX-License-Identifier: Apache-2.0 */
/* pipe.cycles: how long a block runs a pipe, from the numbers of a machine. */
#include "json/json.h"
#include "pipe/language/pipe.h"

#include <string.h>

/* ---- the request ------------------------------------------------------------------ */

enum { PRODUCTS_MOST = 64 };

static zlay_status read_op(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_json_text text = {0};
    zlay_status status = zl_get_text(call, object, field->name, &text);
    for (int32_t op = 0; !status && op < ZLAY_MACHINE_OPS; op++) {
        const char *name = zlay_machine_op_name(op);
        if (strlen(name) != text.length || memcmp(name, text.text, text.length) != 0) continue;
        *(int32_t *)to = op;
        return ZLAY_OK;
    }
    return status ? status : zl_wrong(call, field->name, "the name of an op, as 'wgmma'");
}

static const zl_field_kind as_op = {.read = read_op, .type = "text"};
typedef int32_t as_op_type;

typedef struct asked_product {
    const char *name;
    int32_t op, type;
    uint32_t m, n, k, count, elements, rows;
} asked_product;

static const asked_product product_start = {.type = ZLAY_TYPE_BF16, .count = 1};
static const zl_field product_rows[] = {
    {"op", ZL_NEEDS, ZL_AT(as_op, asked_product, op)},
    {"m", ZL_NEEDS, ZL_AT(zl_as_some32, asked_product, m)},
    {"n", ZL_NEEDS, ZL_AT(zl_as_some32, asked_product, n)},
    {"k", ZL_NEEDS, ZL_AT(zl_as_some32, asked_product, k)},
    {"name", ZL_MAY, ZL_AT(zl_as_string, asked_product, name)},
    {"type", ZL_MAY, ZL_AT(zl_as_word, asked_product, type), .of = zl_types},
    {"count", ZL_MAY, ZL_AT(zl_as_some32, asked_product, count)},
    {"elements", ZL_MAY, ZL_AT(zl_as_some32, asked_product, elements)},
    {"rows", ZL_MAY, ZL_AT(zl_as_some32, asked_product, rows)},
};
static const zl_fields product_fields = {ZL_ROWS(product_rows, asked_product),
                                         .start = &product_start, .what = "a product"};

static zlay_status read_plain_object(zl_call *call, const json_t *object, const zl_field *field,
                                     void *to)
{
    return zl_get_object(call, object, field->name, to);
}

const zl_field_kind zl_as_object = {.read = read_plain_object, .type = "object"};

typedef struct asked {
    const zlay_target *target;
    const zlay_pipe *pipe;
    const json_t *params, *facts;
    zl_objects products;
    uint64_t share;
    const char *steady;
} asked;

static const zl_field asked_rows[] = {
    ZL_TARGET(asked),
    {"params", ZL_MAY, ZL_AT(zl_as_object, asked, params)},
    {"products", ZL_MAY, ZL_AT(zl_as_objects, asked, products), .of = &product_fields,
     .count = PRODUCTS_MOST},
    {"facts", ZL_MAY, ZL_AT(zl_as_object, asked, facts)},
    {"share_kilocycle", ZL_MAY, ZL_AT(zl_as_u64, asked, share)},
    {"steady", ZL_MAY, ZL_AT(zl_as_string, asked, steady)},
    {"pipe", ZL_NEEDS, ZL_AT(zl_as_pipe, asked, pipe)},
};
const zl_fields zl_pipe_cost_fields = {ZL_ROWS(asked_rows, asked)};

/* The values of the pipe's params, in their order; each has one. */
static zlay_status take_params(zl_call *call, int64_t *values, const asked *a)
{
    const zlay_pipe *pipe = a->pipe;
    for (uint32_t k = 0; k < pipe->params_count; k++) {
        const json_t *value = json_object_get(a->params, pipe->params[k].name);
        if (!zl_json_i64(value, &values[k]))
            return zl_fail(call->ctx, ZLAY_EINVAL, "field 'params': '%s' %s", pipe->params[k].name,
                           value ? "is no integer of 64 bits" : "has no value");
    }
    if (json_object_size(a->params) == pipe->params_count) return ZLAY_OK;
    return zl_fail(call->ctx, ZLAY_EINVAL,
                   "field 'params' has a name that is no param of the pipe");
}

static zlay_pipe_product product_of(const asked_product *p)
{
    return (zlay_pipe_product){.name = p->name,
                               .op = p->op,
                               .type = p->type,
                               .m = zl_saturated(p->m),
                               .n = zl_saturated(p->n),
                               .k = zl_saturated(p->k),
                               .count = p->count,
                               .elements = p->elements,
                               .rows = p->rows};
}

/* ---- the answer --------------------------------------------------------------------- */

static void put_cost(zl_call *call, const zlay_pipe_cost *cost)
{
    json_t *busy = json_object();
    for (int32_t k = 0; k < ZLAY_MACHINE_UNITS; k++)
        if (cost->busy[k])
            zl_put_value(call, busy, zlay_machine_unit_name(k), zl_json_int(cost->busy[k]));
    call->value = json_object();
    zl_put_value(call, call->value, "cycles", zl_json_int(cost->cycles));
    zl_put_value(call, call->value, "interval",
                 cost->interval < 0 ? json_null() : zl_json_int(cost->interval));
    zl_put_value(call, call->value, "bound",
                 cost->bound < 0 ? json_null() : json_string(zlay_machine_unit_name(cost->bound)));
    zl_put_value(call, call->value, "busy", busy);
    zl_put_value(call, call->value, "not_measured", zl_json_facts_used(call, cost->facts));
    zl_put_value(call, call->value, "ops_not_measured", zl_json_ops_used(call, cost->ops));
}

zlay_status zl_op_pipe_cycles(zl_call *call, const void *value)
{
    const asked *a = value;
    const asked_product *from = a->products.row;
    zlay_pipe_product products[PRODUCTS_MOST];
    int64_t params[ZL_PIPE_NAMES];
    zlay_pipe_cost cost;
    zlay_machine *machine = zl_alloc(call->ctx, 1, sizeof *machine);
    zlay_allocator alloc = zl_allocator(call->ctx);
    if (!machine) return ZLAY_ENOMEM;
    zlay_machine_find(machine, a->target);
    for (uint32_t k = 0; k < a->products.count; k++) products[k] = product_of(&from[k]);
    zlay_status status = zl_machine_change(call, machine, a->facts);
    if (!status) status = take_params(call, params, a);
    const zlay_pipe_cost_request request = {.size = sizeof request,
                                            .params_count = a->pipe->params_count,
                                            .machine = machine,
                                            .params = params,
                                            .products = products,
                                            .products_count = a->products.count,
                                            .share_kilocycle = a->share,
                                            .steady = a->steady};
    if (!status) status = zlay_pipe_cycles(call->ctx, &cost, a->pipe, &request);
    zl_free(&alloc, machine, sizeof *machine);
    if (!status) put_cost(call, &cost);
    return status;
}
