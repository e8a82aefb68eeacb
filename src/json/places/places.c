/* SPDX-License-Identifier: Apache-2.0 */
/* places.find: reads a tile program, whose operations name their values, and answers with their
 * places. */
#include "json/places/places.h"

#include <string.h>

enum { AXES = 3 };

/* ---- the request ----------------------------------------------------------------------------- */

static const zl_named places[] = {{"register", ZLAY_PLACE_REGISTER},
                                  {"shared", ZLAY_PLACE_SHARED},
                                  {"cluster", ZLAY_PLACE_CLUSTER},
                                  {"tensor_memory", ZLAY_PLACE_TENSOR},
                                  {"global", ZLAY_PLACE_GLOBAL},
                                  {NULL, 0}};
static const zl_named axes[] = {{"x", 1}, {"y", 2}, {"z", 4}, {NULL, 0}};

typedef struct placed_value {
    const char *name;
    uint32_t rows, columns, bits, depth;
    uint64_t times;
    uint32_t from, to, same;
} placed_value;

typedef struct operation_asked {
    const char *form;
    const json_t *reads, *writes;
} operation_asked;

typedef struct asked {
    const zlay_target *target;
    zl_objects values, operations;
    uint32_t loop[2], has_loop;
    uint32_t threads, registers, tmem, cluster;
    uint64_t smem;
    uint32_t grid[AXES];
    const json_t *cost;
} asked;

/* A word of a table, or a list of words, as the bits of a set. */
static zlay_status read_set(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *value = json_object_get(object, field->name);
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    const zl_named *words = field->of;
    uint32_t set = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_is_array(value) ? json_array_get(value, i) : value;
        const char *text = json_string_value(one);
        size_t k = 0;
        while (words[k].name && (!text || strcmp(words[k].name, text))) k++;
        if (!words[k].name)
            return zl_wrong(call, field->name,
                            words == axes ? "x, y or z, or a list of them"
                                          : "register, shared, cluster, tensor_memory or global, "
                                            "or a list of them");
        set |= (uint32_t)words[k].number;
    }
    *(uint32_t *)to = set;
    return ZLAY_OK;
}

static const zl_field_kind as_set = {.read = read_set, .type = "texts"};
typedef uint32_t as_set_type;

static const zl_field value_rows[] = {
    {"name", ZL_NEEDS, ZL_AT(zl_as_string, placed_value, name)},
    {"rows", ZL_NEEDS, ZL_AT(zl_as_some32, placed_value, rows)},
    {"columns", ZL_NEEDS, ZL_AT(zl_as_some32, placed_value, columns)},
    {"bits", ZL_NEEDS, ZL_AT(zl_as_some32, placed_value, bits)},
    {"depth", ZL_MAY, ZL_AT(zl_as_some32, placed_value, depth)},
    {"times", ZL_MAY, ZL_AT(zl_as_some64, placed_value, times)},
    {"from", ZL_MAY, ZL_AT(as_set, placed_value, from), .of = places},
    {"to", ZL_MAY, ZL_AT(as_set, placed_value, to), .of = places},
    {"same", ZL_MAY, ZL_AT(as_set, placed_value, same), .of = axes},
};
static const zl_fields value_fields = {ZL_ROWS(value_rows, placed_value), .what = "a value"};

static const zl_field operation_rows[] = {
    {"form", ZL_NEEDS, ZL_AT(zl_as_string, operation_asked, form)},
    {"reads", ZL_NEEDS, ZL_AT(zl_as_json_list, operation_asked, reads)},
    {"writes", ZL_NEEDS, ZL_AT(zl_as_json_list, operation_asked, writes)},
};
static const zl_fields operation_fields = {ZL_ROWS(operation_rows, operation_asked),
                                           .what = "an operation"};

static const zl_field places_rows[] = {
    ZL_TARGET(asked),
    {"values", ZL_NEEDS, ZL_AT(zl_as_objects, asked, values), .of = &value_fields,
     .count = ZLAY_PLACES_VALUES},
    {"operations", ZL_NEEDS, ZL_AT(zl_as_objects, asked, operations), .of = &operation_fields,
     .count = ZLAY_PLACES_OPERATIONS},
    {"loop", ZL_MAY, ZL_AT(zl_as_pair32, asked, loop), .present = 1},
    ZL_NUMBER(asked, threads),
    ZL_NUMBER(asked, registers),
    {"smem", ZL_MAY, ZL_AT(zl_as_u64, asked, smem)},
    ZL_NUMBER(asked, tmem),
    {"grid", ZL_MAY, ZL_LIST(asked, grid)},
    ZL_NUMBER(asked, cluster),
    {"cost", ZL_MAY, ZL_AT(zl_as_json_list, asked, cost)},
};
const zl_fields zl_places_fields = {ZL_ROWS(places_rows, asked),
                                    .present = offsetof(asked, has_loop)};

/* ---- names ----------------------------------------------------------------------------------- */

static zlay_status values_named(zl_call *call, zlay_places_value *to, const asked *a)
{
    const placed_value *from = a->values.row;
    for (uint32_t i = 0; i < a->values.count; i++) {
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(from[i].name, from[j].name))
                return zl_fail(call->ctx, ZLAY_EINVAL, "field 'values': entries %u and %u have one "
                               "name", j, i);
        to[i] = (zlay_places_value){from[i].name,  from[i].rows, from[i].columns,
                                    from[i].bits,  from[i].depth, from[i].times,
                                    from[i].from,  from[i].to,   from[i].same, 0};
    }
    return ZLAY_OK;
}

/* The numbers of the values that a list names. */
static zlay_status numbers_of(zl_call *call, const char *field, const json_t *list, const asked *a,
                              uint32_t *out, uint32_t most, uint32_t *count)
{
    const placed_value *value = a->values.row;
    if (json_array_size(list) > most)
        return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s' names more than %u values", field, most);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        uint32_t v = 0;
        if (!name) return zl_wrong(call, field, "a list of names");
        while (v < a->values.count && strcmp(value[v].name, name)) v++;
        if (v < a->values.count) {
            out[(*count)++] = v;
            continue;
        }
        char quoted[256];
        zl_like like = zl_like_begin(name, strlen(name));
        for (uint32_t k = 0; k < a->values.count; k++) zl_like_offer(&like, value[k].name);
        return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s': no value is called '%s'%s", field,
                       zl_quote(quoted, name, strlen(name)), like.hint);
    }
    return ZLAY_OK;
}

static zlay_status operations_named(zl_call *call, zlay_places_operation *to, const asked *a)
{
    const operation_asked *from = a->operations.row;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; !status && i < a->operations.count; i++) {
        to[i].form = from[i].form;
        status = numbers_of(call, "reads", from[i].reads, a, to[i].read, ZLAY_PLACES_READS,
                            &to[i].reads);
        if (!status)
            status = numbers_of(call, "writes", from[i].writes, a, to[i].write, ZLAY_PLACES_WRITES,
                                &to[i].writes);
    }
    return status;
}

static zlay_status costs_read(zl_call *call, zlay_places_request *r, const json_t *list)
{
    if (!list) return ZLAY_OK;
    r->has_cost = 1;
    bool read = json_array_size(list) == ZLAY_PLACE_KINDS;
    for (size_t i = 0; read && i < ZLAY_PLACE_KINDS; i++) {
        uint64_t cost;
        read = zl_json_u64(json_array_get(list, i), &cost) && cost <= UINT32_MAX;
        if (read) r->cost[i] = (uint32_t)cost;
    }
    return read ? ZLAY_OK : zl_wrong(call, "cost", "five integers: of register, shared, cluster, "
                                     "tensor_memory and global");
}

static zlay_status loop_read(zl_call *call, zlay_places_request *r, const asked *a)
{
    if (!a->has_loop) return ZLAY_OK;
    if (a->loop[0] > a->loop[1] || a->loop[1] >= a->operations.count)
        return zl_wrong(call, "loop", "the first and the last operation that are repeated");
    r->loop_first = a->loop[0];
    r->loop_count = a->loop[1] - a->loop[0] + 1;
    return ZLAY_OK;
}

/* ---- the call -------------------------------------------------------------------------------- */

zlay_status zl_op_places_find(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_places_request r = {.size = sizeof r, .values = a->values.count,
                             .operations = a->operations.count, .threads = a->threads,
                             .registers = a->registers, .tmem = a->tmem, .smem = a->smem,
                             .cluster = a->cluster};
    zlay_places_value *v = zl_scratch(call->ctx, a->values.count, sizeof *v);
    zlay_places_operation *o = zl_scratch(call->ctx, a->operations.count, sizeof *o);
    zlay_places *found = zl_scratch(call->ctx, 1, sizeof *found);
    if (!v || !o || !found) return ZLAY_ENOMEM;
    for (int d = 0; d < AXES; d++) r.grid[d] = a->grid[d];
    r.value = v;
    r.operation = o;
    zlay_status status = values_named(call, v, a);
    if (!status) status = operations_named(call, o, a);
    if (!status) status = costs_read(call, &r, a->cost);
    if (!status) status = loop_read(call, &r, a);
    if (!status) status = zlay_places_find(call->ctx, found, a->target, &r);
    if (!status) zl_put_places(call, found, a->target, &r);
    return status;
}
