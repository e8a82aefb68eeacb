/* SPDX-License-Identifier: Apache-2.0 */
/* pipe.schedule: operations, units and spaces have names in a request and numbers in the library. A
 * name that stands for nothing is refused with the one that is most like it. */
#include "json/schedule/schedule.h"

#include <string.h>

/* ---- the request ----------------------------------------------------------------- */

typedef struct op_asked {
    const char *name, *unit;
    uint64_t cycles;
    int64_t latency;
} op_asked;

typedef struct edge_asked {
    const char *from, *to;
    uint64_t distance;
    int64_t latency;
    uint32_t has; /* 1: a latency of its own */
} edge_asked;

typedef struct value_asked {
    const char *def, *space;
    const json_t *uses;
    uint64_t bytes;
} value_asked;

typedef zl_loop_asked asked;

static zlay_status read_list(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_field any = *field;
    any.needs = ZL_MAY;
    return zl_as_objects.read(call, object, &any, to);
}

static zlay_status read_counts(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_get_object(call, object, field->name, to);
}

/* A list of objects that a request needs and that may be empty; an object of counts. */
static const zl_field_kind as_any_objects = {.read = read_list, .late = true, .type = "objects"},
                           as_named_counts = {.read = read_counts, .type = "object"};
typedef zl_objects as_any_objects_type;
typedef const json_t *as_named_counts_type;

static const zl_field op_rows[] = {
    {"name", ZL_NEEDS, ZL_AT(zl_as_string, op_asked, name)},
    {"unit", ZL_NEEDS, ZL_AT(zl_as_string, op_asked, unit)},
    {"cycles", ZL_NEEDS, ZL_AT(zl_as_u64, op_asked, cycles)},
    {"latency", ZL_NEEDS, ZL_AT(zl_as_i64, op_asked, latency)},
};
static const zl_field edge_rows[] = {
    {"from", ZL_NEEDS, ZL_AT(zl_as_string, edge_asked, from)},
    {"to", ZL_NEEDS, ZL_AT(zl_as_string, edge_asked, to)},
    {"distance", ZL_NEEDS, ZL_AT(zl_as_u64, edge_asked, distance)},
    {"latency", ZL_MAY, ZL_AT(zl_as_i64, edge_asked, latency), .present = 1},
};
static const zl_field value_rows[] = {
    {"def", ZL_NEEDS, ZL_AT(zl_as_string, value_asked, def)},
    {"uses", ZL_NEEDS, ZL_AT(zl_as_json_list, value_asked, uses)},
    {"bytes", ZL_NEEDS, ZL_AT(zl_as_u64, value_asked, bytes)},
    {"space", ZL_NEEDS, ZL_AT(zl_as_string, value_asked, space)},
};
static const zl_fields op_fields = {ZL_ROWS(op_rows, op_asked), .what = "ops: an operation"},
                       edge_fields = {ZL_ROWS(edge_rows, edge_asked), .what = "edges: an edge",
                                      .present = offsetof(edge_asked, has)},
                       value_fields = {ZL_ROWS(value_rows, value_asked), .what = "values: a value"};
static const zl_field schedule_rows[] = {
    {"ops", ZL_NEEDS, ZL_AT(as_any_objects, asked, ops), .of = &op_fields, .count = UINT32_MAX},
    {"edges", ZL_NEEDS, ZL_AT(as_any_objects, asked, edges), .of = &edge_fields,
     .count = UINT32_MAX},
    {"units", ZL_NEEDS, ZL_AT(as_named_counts, asked, units)},
    {"values", ZL_MAY, ZL_AT(as_any_objects, asked, values), .of = &value_fields,
     .count = UINT32_MAX},
    {"capacity", ZL_MAY, ZL_AT(as_named_counts, asked, capacity)},
    {"copies", ZL_MAY, ZL_AT(zl_as_some32, asked, copies)},
};
const zl_fields zl_schedule_fields = {ZL_ROWS(schedule_rows, asked)};

/* ---- names ------------------------------------------------------------------------ */

/* The request with numbers for names. */
typedef struct numbered {
    zl_call *call;
    zlay_schedule_request r;
    zlay_schedule_op *op;
    zlay_schedule_edge *edge;
    zlay_schedule_value *value;
    zlay_schedule_unit *unit;
    zlay_schedule_space *space;
} numbered;

static zlay_status no_name(zl_call *call, const char *what, zl_like *like, const char *name)
{
    char quoted[256];
    return zl_fail(call->ctx, ZLAY_EINVAL, "no %s is called '%s'%s", what,
                   zl_quote(quoted, name, strlen(name)), like->hint);
}

/* Finds the number of an operation, a unit or a space; EINVAL. */
static zlay_status op_number(const numbered *n, const char *name, uint32_t *out)
{
    zl_like like = zl_like_begin(name, strlen(name));
    for (*out = 0; *out < n->r.ops; ++*out) {
        if (!strcmp(n->op[*out].name, name)) return ZLAY_OK;
        zl_like_offer(&like, n->op[*out].name);
    }
    return no_name(n->call, "operation", &like, name);
}

static zlay_status unit_number(const numbered *n, const char *name, uint32_t *out)
{
    zl_like like = zl_like_begin(name, strlen(name));
    for (*out = 0; *out < n->r.units; ++*out) {
        if (!strcmp(n->unit[*out].name, name)) return ZLAY_OK;
        zl_like_offer(&like, n->unit[*out].name);
    }
    return no_name(n->call, "unit", &like, name);
}

static zlay_status space_number(const numbered *n, const char *name, uint32_t *out)
{
    zl_like like = zl_like_begin(name, strlen(name));
    for (*out = 0; *out < n->r.spaces; ++*out) {
        if (!strcmp(n->space[*out].name, name)) return ZLAY_OK;
        zl_like_offer(&like, n->space[*out].name);
    }
    return no_name(n->call, "space of 'capacity'", &like, name);
}

/* ---- numbers ----------------------------------------------------------------------- */

static zlay_status count_wrong(zl_call *call, const char *field, const char *name)
{
    char quoted[256];
    return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s': '%s' wants a count of at least 0", field,
                   zl_quote(quoted, name, strlen(name)));
}

static zlay_status number_counts(numbered *n, const asked *a)
{
    const char *name;
    json_t *count;
    n->unit = zl_scratch(n->call->ctx, json_object_size(a->units) + 1, sizeof *n->unit);
    n->space = zl_scratch(n->call->ctx, json_object_size(a->capacity) + 1, sizeof *n->space);
    if (!n->unit || !n->space) return ZLAY_ENOMEM;
    json_object_foreach((json_t *)(uintptr_t)a->units, name, count)
    {
        zlay_schedule_unit *unit = &n->unit[n->r.units++];
        unit->name = name;
        if (!zl_json_u64(count, &unit->count)) return count_wrong(n->call, "units", name);
    }
    json_object_foreach((json_t *)(uintptr_t)a->capacity, name, count)
    {
        zlay_schedule_space *space = &n->space[n->r.spaces++];
        space->name = name;
        if (!zl_json_u64(count, &space->bytes)) return count_wrong(n->call, "capacity", name);
    }
    return ZLAY_OK;
}

static zlay_status number_ops(numbered *n, const asked *a)
{
    const op_asked *op = a->ops.row;
    n->op = zl_scratch(n->call->ctx, a->ops.count + 1, sizeof *n->op);
    if (!n->op) return ZLAY_ENOMEM;
    zlay_status status = ZLAY_OK;
    for (; !status && n->r.ops < a->ops.count; n->r.ops++, op++) {
        zlay_schedule_op *out = &n->op[n->r.ops];
        *out = (zlay_schedule_op){.name = op->name, .cycles = op->cycles, .latency = op->latency};
        status = unit_number(n, op->unit, &out->unit);
    }
    return status;
}

static zlay_status number_edges(numbered *n, const asked *a)
{
    const edge_asked *edge = a->edges.row;
    n->edge = zl_scratch(n->call->ctx, a->edges.count + 1, sizeof *n->edge);
    if (!n->edge || zl_charge(n->call->ctx, (uint64_t)a->edges.count * n->r.ops))
        return ZLAY_ENOMEM;
    zlay_status status = ZLAY_OK;
    for (; !status && n->r.edges < a->edges.count; n->r.edges++, edge++) {
        zlay_schedule_edge *out = &n->edge[n->r.edges];
        *out = (zlay_schedule_edge){.distance = edge->distance,
                                    .latency = edge->latency,
                                    .latency_of_op = !edge->has};
        status = op_number(n, edge->from, &out->from);
        if (!status) status = op_number(n, edge->to, &out->to);
    }
    return status;
}

static zlay_status number_uses(numbered *n, zlay_schedule_value *out, const json_t *uses)
{
    size_t count = json_array_size(uses);
    uint32_t *use = zl_scratch(n->call->ctx, count + 1, sizeof *use);
    if (!use || zl_charge(n->call->ctx, (uint64_t)count * n->r.ops)) return ZLAY_ENOMEM;
    out->uses = use;
    zlay_status status = ZLAY_OK;
    for (; !status && out->use_count < count; out->use_count++) {
        const json_t *name = json_array_get(uses, out->use_count);
        if (!json_is_string(name)) return zl_wrong(n->call, "uses", "a list of names");
        status = op_number(n, json_string_value(name), &use[out->use_count]);
    }
    return status;
}

static zlay_status number_values(numbered *n, const asked *a)
{
    const value_asked *value = a->values.row;
    n->value = zl_scratch(n->call->ctx, a->values.count + 1, sizeof *n->value);
    if (!n->value) return ZLAY_ENOMEM;
    zlay_status status = ZLAY_OK;
    for (; !status && n->r.values < a->values.count; n->r.values++, value++) {
        zlay_schedule_value *out = &n->value[n->r.values];
        out->bytes = value->bytes;
        status = op_number(n, value->def, &out->def);
        if (!status) status = space_number(n, value->space, &out->space);
        if (!status) status = number_uses(n, out, value->uses);
    }
    return status;
}

static zlay_status number(numbered *n, const asked *a)
{
    zlay_status status = number_counts(n, a);
    if (!status) status = number_ops(n, a);
    if (!status) status = number_edges(n, a);
    if (!status) status = number_values(n, a);
    n->r.size = sizeof n->r;
    n->r.copies = a->copies;
    n->r.op = n->op;
    n->r.edge = n->edge;
    n->r.value = n->value;
    n->r.unit = n->unit;
    n->r.space = n->space;
    return status;
}

/* ---- the answer ---------------------------------------------------------------------- */

static zlay_status put_starts(zl_call *call, const numbered *n, const zlay_schedule *s)
{
    json_t *starts = json_object();
    int64_t start;
    size_t most = 0;
    for (uint32_t i = 0; i < n->r.ops; i++)
        most = strlen(n->op[i].name) > most ? strlen(n->op[i].name) : most;
    char *name = zl_scratch(call->ctx, most + 16, 1);
    if (!name) return json_decref(starts), ZLAY_ENOMEM;
    for (uint32_t c = 0; !c || c < n->r.copies; c++)
        for (uint32_t i = 0; zlay_schedule_start_nth(&start, s, c, i) == ZLAY_OK; i++) {
            zl_text out = {name, most + 15, 0};
            zl_puts(&out, n->op[i].name);
            if (c) zl_putf(&out, ".%u", c);
            name[out.need] = 0;
            zl_put_value(call, starts, name, zl_json_int(start));
        }
    zl_put_value(call, call->value, "start", starts);
    return ZLAY_OK;
}

static void put_depths(zl_call *call, const numbered *n, const zlay_schedule *s)
{
    json_t *list = json_array();
    uint64_t depth;
    for (uint32_t c = 0; !c || c < n->r.copies; c++)
        for (uint32_t i = 0; zlay_schedule_depth_nth(&depth, s, c, i) == ZLAY_OK; i++)
            zl_put_item(call, list, zl_json_uint(depth));
    zl_put_value(call, call->value, "depth", list);
}

static zlay_status put_schedule(zl_call *call, const numbered *n, const zlay_schedule *s)
{
    zlay_schedule_summary info;
    if (zlay_schedule_info(&info, s)) return ZLAY_EINTERNAL;
    call->value = json_object();
    zl_put_value(call, call->value, "ii", zl_json_uint(info.ii));
    zlay_status status = put_starts(call, n, s);
    zl_put_value(call, call->value, "stages", zl_json_uint(info.stages));
    zl_put_value(call, call->value, "bound", zl_json_uint(info.bound));
    zl_put_value(call, call->value, "optimal", json_boolean(info.optimal));
    zl_put_value(call, call->value, "unit_bound", zl_json_uint(info.unit_bound));
    zl_put_value(call, call->value, "cycle_bound", zl_json_uint(info.cycle_bound));
    zl_put_value(call, call->value, "stages_bound", zl_json_uint(info.stages_bound));
    if (n->r.values) put_depths(call, n, s);
    return status;
}

/* What shows that there is none, in the request's names. */
static void put_witness(zl_call *call, const numbered *n, const zlay_schedule_reason *why)
{
    json_t *witness = json_object(), *cycle = json_array();
    for (uint32_t i = 0; i < why->count; i++)
        zl_put_item(call, cycle, json_string(n->op[n->edge[why->edge[i]].from].name));
    if (why->reason == ZLAY_SCHEDULE_CYCLE) {
        zl_put_value(call, witness, "cycle", json_incref(cycle));
        zl_put_value(call, witness, "latency", zl_json_int(why->latency));
    } else if (why->reason == ZLAY_SCHEDULE_UNIT) {
        zl_put_value(call, witness, "unit", json_string(n->unit[why->unit].name));
    } else if (why->reason == ZLAY_SCHEDULE_RIGID) {
        bool one = why->unit < n->r.units;
        zl_put_value(call, witness, "rigid",
                     one ? json_string(n->unit[why->unit].name) : json_null());
    } else if (why->reason == ZLAY_SCHEDULE_CAPACITY) {
        zl_put_value(call, witness, "space", json_string(n->space[why->space].name));
        zl_put_value(call, witness, "least", why->least ? zl_json_uint(why->least) : json_null());
    }
    json_decref(cycle);
    call->witness = witness;
}

zlay_status zl_loop_numbered(zl_call *call, zlay_schedule_request *out, const zl_loop_asked *a)
{
    numbered n = {.call = call};
    zlay_status status = number(&n, a);
    *out = n.r;
    return status;
}

zlay_status zl_op_pipe_schedule(zl_call *call, const void *value)
{
    numbered n = {.call = call};
    zlay_schedule *schedule = NULL;
    zlay_schedule_reason why;
    zlay_status status = number(&n, value);
    if (status) return status;
    status = zlay_schedule_synth(call->ctx, &schedule, &why, &n.r);
    if (status == ZLAY_NONE) put_witness(call, &n, &why);
    if (!status) status = put_schedule(call, &n, schedule);
    zlay_schedule_free(schedule);
    return status;
}
