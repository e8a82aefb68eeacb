/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of fields that many operations share: each reads one value of a request into a struct,
 * some print it back or free what it holds. A kind that one operation has stands beside that
 * operation. */
#include "json/json.h"

#include <stdio.h>

/* ---- numbers and words -------------------------------------------------------------------- */

static const char some[] = "an integer of at least 1";

static zlay_status read_u32(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_get_u32(call, object, field->name, to);
}

static json_t *print_u32(zl_call *call, const zl_field *field, const void *from)
{
    (void)call, (void)field;
    return json_integer(*(const uint32_t *)from);
}

static zlay_status read_some32(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_status status = read_u32(call, object, field, to);
    return status || *(uint32_t *)to ? status : zl_wrong(call, field->name, some);
}

static zlay_status read_u64(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_get_u64(call, object, field->name, to);
}

static json_t *print_u64(zl_call *call, const zl_field *field, const void *from)
{
    (void)call, (void)field;
    return zl_json_uint(*(const uint64_t *)from);
}

static zlay_status read_some64(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_status status = read_u64(call, object, field, to);
    return status || *(uint64_t *)to ? status : zl_wrong(call, field->name, some);
}

static zlay_status read_i64(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_get_i64(call, object, field->name, to);
}

static zlay_status read_flag(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_get_flag(call, object, field->name, to);
}

static zlay_status read_json_list(zl_call *call, const json_t *object, const zl_field *field,
                                  void *to)
{
    return zl_get_list(call, object, field->name, to);
}

zlay_status zl_read_word(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_get_word(call, object, field->name, field->of, to);
}

static json_t *print_word(zl_call *call, const zl_field *field, const void *from)
{
    (void)call;
    return zl_json_word(field->of, *(const int32_t *)from);
}

/* A number has its verdict where it is neither 0 nor 1. */
static zlay_status read_switch(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *value = json_object_get(object, field->name);
    if (!json_is_boolean(value)) return zl_get_u32(call, object, field->name, to);
    *(uint32_t *)to = json_is_true(value);
    return ZLAY_OK;
}

static zlay_status read_bit(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    bool flag = false;
    zlay_status status = zl_get_flag(call, object, field->name, &flag);
    if (flag) *(uint32_t *)to |= field->count;
    return status;
}

static zlay_status read_target(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    (void)object, (void)field;
    return zl_get_target(call, to);
}

static zlay_status read_layout(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_layout *layout = NULL;
    (void)object;
    zlay_status status = zl_get_layout(call, field->name, &layout);
    *(const zlay_layout **)to = layout;
    return status;
}

static zlay_status read_plain_layout(zl_call *call, const json_t *object, const zl_field *field,
                                     void *to)
{
    zlay_layout *layout;
    const json_t *value = json_object_get(object, field->name);
    zlay_status status = zl_layout_of(call, field->name, value, &layout);
    *(const zlay_layout **)to = layout;
    return status;
}

void zl_drop_layout(zl_call *call, const zl_field *field, void *from)
{
    (void)call, (void)field;
    zlay_layout_free((zlay_layout *)(uintptr_t)*(const zlay_layout **)from);
}

static zlay_status read_facts(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_facts *facts = NULL;
    (void)object, (void)field;
    zlay_status status = zl_get_facts(call, &facts);
    *(const zlay_facts **)to = facts;
    return status;
}

static void drop_facts(zl_call *call, const zl_field *field, void *from)
{
    (void)call, (void)field;
    zlay_facts_free((zlay_facts *)(uintptr_t)*(const zlay_facts **)from);
}

static zlay_status read_text(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_get_text(call, object, field->name, to);
}

static zlay_status read_string(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_json_text text = {0};
    zlay_status status = zl_get_text(call, object, field->name, &text);
    *(const char **)to = text.text;
    return status;
}

/* ---- kinds of lists ------------------------------------------------------------------------ */

static zlay_status read_list32(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *list;
    uint32_t *out = to;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    if (json_array_size(list) > field->count)
        return zl_wrong(call, field->name, "a list that short");
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint64_t value;
        if (!zl_json_u64(json_array_get(list, i), &value) || value > UINT32_MAX)
            return zl_wrong(call, field->name, "a list of integers in [0, 2^32)");
        out[i] = (uint32_t)value;
    }
    return ZLAY_OK;
}

static json_t *print_list32(zl_call *call, const zl_field *field, const void *from)
{
    return zl_json_list32(call, from, field->count);
}

/* The extents of an operand, or a place in one. */
static zlay_status read_pair32(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *list;
    uint64_t value[2];
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    bool read = json_array_size(list) == 2;
    for (size_t i = 0; read && i < 2; i++) {
        read = zl_json_u64(json_array_get(list, i), &value[i]) && value[i] <= UINT32_MAX;
        if (read) ((uint32_t *)to)[i] = (uint32_t)value[i];
    }
    return read ? ZLAY_OK : zl_wrong(call, field->name, "a list of two integers, [MN, K]");
}

static zlay_status count_objects(zl_call *call, const zl_field *field, size_t count)
{
    char wanted[48];
    if (count <= field->count && (count || !field->needs)) return ZLAY_OK;
    call->in_input = true;
    if (!field->needs)
        return zl_fail(call->ctx, ZLAY_ELIMIT, "field '%s': %zu, and at most %u are read",
                       field->name, count, field->count);
    snprintf(wanted, sizeof wanted, "a list of 1 to %u objects", field->count);
    return zl_wrong(call, field->name, wanted);
}

static zlay_status read_objects(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    const json_t *list;
    const zl_fields *of = field->of;
    zl_objects *out = to;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (!status) status = count_objects(call, field, json_array_size(list));
    if (status) return status;
    out->row = zl_scratch(call->ctx, json_array_size(list), of->size);
    if (!out->row) return ZLAY_ENOMEM;
    for (size_t i = 0; !status && i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (!json_is_object(one)) return zl_wrong(call, field->name, "a list of objects");
        status = zl_names_check(call, one, of->what ? of->what : field->name, of);
        if (status) return status;
        status = zl_read_fresh(call, one, of, (char *)out->row + out->count++ * of->size);
    }
    return status;
}

static void drop_objects(zl_call *call, const zl_field *field, void *from)
{
    const zl_fields *of = field->of;
    zl_objects *objects = from;
    for (size_t i = 0; i < objects->count; i++)
        zl_drop(call, of, (char *)objects->row + i * of->size);
}

#define NUMBER .type = "integer"
const zl_field_kind zl_as_u32 = {.read = read_u32, .print = print_u32, NUMBER},
                    zl_as_u64 = {.read = read_u64, .print = print_u64, NUMBER},
                    zl_as_i64 = {.read = read_i64, NUMBER},
                    zl_as_some32 = {.read = read_some32, NUMBER},
                    zl_as_some64 = {.read = read_some64, NUMBER},
                    zl_as_word = {.read = zl_read_word, .print = print_word, .type = "word"},
                    zl_as_switch = {.read = read_switch, .print = print_u32, .type = "switch"},
                    zl_as_bit = {.read = read_bit, .type = "boolean"},
                    zl_as_flag = {.read = read_flag, .type = "boolean"},
                    zl_as_text = {.read = read_text, .type = "text"},
                    zl_as_string = {.read = read_string, .type = "text"},
                    zl_as_target = {.read = read_target, .type = "text"},
                    zl_as_facts = {.read = read_facts, .drop = drop_facts, .type = "texts"},
                    zl_as_json_list = {.read = read_json_list, .type = "list"},
                    zl_as_layout = {.read = read_layout, .drop = zl_drop_layout, .late = true,
                                    .type = "layout"},
                    zl_as_plain_layout = {.read = read_plain_layout, .drop = zl_drop_layout,
                                          .late = true, .type = "layout"},
                    zl_as_objects = {.read = read_objects, .drop = drop_objects, .late = true,
                                     .type = "objects"},
                    zl_as_list32 = {.read = read_list32, .print = print_list32,
                                    .type = "integers"},
                    zl_as_pair32 = {.read = read_pair32, .type = "integers"};
