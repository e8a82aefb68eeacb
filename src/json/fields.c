/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over tables of fields: names of a request are checked, its values read into a struct, a
 * struct printed as values, names listed for help. The kinds that many operations share are here;
 * a kind that one operation has stands beside that operation. */
#include "json/json.h"

#include <string.h>

static bool is_part(const zl_field *field) { return field->kind->part; }

/* ---- names ------------------------------------------------------------------------------- */

static bool has_name(const zl_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        if (is_part(f) ? has_name(f->of, name) : !strcmp(f->name, name)) return true;
    }
    return false;
}

/* The first needed field that the object lacks, or NULL. */
static const char *name_missing(const zl_fields *fields, const json_t *object)
{
    for (size_t i = 0; i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        const char *name = is_part(f) ? name_missing(f->of, object) : NULL;
        if (name) return name;
        if (!is_part(f) && f->needs && !json_object_get(object, f->name)) return f->name;
    }
    return NULL;
}

zlay_status zl_names_check(zl_call *call, const json_t *object, const char *what,
                           const zl_fields *fields)
{
    const char *key;
    json_t *value;
    char quoted[256];
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
        if (!zl_in_frame(call, object, what, key) && !has_name(fields, key))
            return zl_fail(call->ctx, ZLAY_EINVAL, "%s: no field is called '%s'", what,
                           zl_quote(quoted, key, strlen(key)));
    const char *name = name_missing(fields, object);
    if (!name) return ZLAY_OK;
    return zl_fail(call->ctx, ZLAY_EINVAL, "%s: field '%s' is missing", what, name);
}

void zl_names_list(zl_text *out, const zl_fields *fields, bool needed)
{
    for (size_t i = 0; i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        if (is_part(f)) zl_names_list(out, f->of, needed);
        else if (needed == (f->needs == ZL_NEEDS))
            zl_putf(out, "%s%s", out->need ? " " : "", f->name);
    }
}

/* ---- values ------------------------------------------------------------------------------ */

static zlay_status read_some(zl_call *call, const json_t *object, const zl_fields *fields,
                             void *out, bool late)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; !status && i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        if (f->kind->late != late || (!is_part(f) && !json_object_get(object, f->name))) continue;
        status = f->kind->read(call, object, f, (char *)out + f->at);
        if (f->given) *(uint32_t *)(void *)((char *)out + fields->given) |= f->given;
    }
    return status;
}

zlay_status zl_read_object(zl_call *call, const json_t *object, const zl_fields *fields, void *out)
{
    zlay_status status = read_some(call, object, fields, out, false);
    return status ? status : read_some(call, object, fields, out, true);
}

zlay_status zl_read_fresh(zl_call *call, const json_t *object, const zl_fields *fields, void *out)
{
    if (fields->start) memcpy(out, fields->start, fields->size);
    else memset(out, 0, fields->size);
    if (!fields->take) return zl_read_object(call, object, fields, out);
    const json_t *request = call->request;
    json_t *copy = json_deep_copy(object);
    if (!copy) return ZLAY_ENOMEM;
    fields->take(object, copy, out);
    call->request = copy;
    zlay_status status = zl_read_object(call, copy, fields, out);
    call->request = request;
    json_decref(copy);
    return status;
}

zlay_status zl_read(zl_call *call, void *out)
{
    return zl_read_object(call, call->request, call->op->fields, out);
}

void zl_drop(zl_call *call, const zl_fields *fields, void *asked)
{
    for (size_t i = 0; i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        void *at = (char *)asked + f->at;
        if (f->kind == &zl_as_part) zl_drop(call, f->of, at);
        else if (f->kind->drop) f->kind->drop(call, at);
    }
}

void zl_put_fields(zl_call *call, json_t *object, const zl_fields *fields, const void *from)
{
    for (size_t i = 0; i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        const void *at = (const char *)from + f->at;
        if (is_part(f)) zl_put_fields(call, object, f->of, at);
        else if (f->kind->print) zl_put_value(call, object, f->name, f->kind->print(call, f, at));
    }
}

/* ---- kinds -------------------------------------------------------------------------------- */

static zlay_status read_u32(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_get_u32(call, object, field->name, to);
}

static json_t *print_u32(zl_call *call, const zl_field *field, const void *from)
{
    (void)call, (void)field;
    return json_integer(*(const uint32_t *)from);
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

void zl_drop_layout(zl_call *call, void *from)
{
    (void)call;
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

static void drop_facts(zl_call *call, void *from)
{
    (void)call;
    zlay_facts_free((zlay_facts *)(uintptr_t)*(const zlay_facts **)from);
}

static zlay_status read_text(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_get_text(call, object, field->name, to);
}

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
    const uint32_t *number = from;
    json_t *list = json_array();
    for (uint32_t i = 0; i < field->count; i++)
        zl_put_item(call, list, json_integer(number[i]));
    return list;
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

static zlay_status read_part(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_read_object(call, object, field->of, to);
}

static zlay_status read_nothing(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    (void)call, (void)object, (void)field, (void)to;
    return ZLAY_OK;
}

const zl_field_kind zl_as_u32 = {.read = read_u32, .print = print_u32},
                    zl_as_u64 = {.read = read_u64, .print = print_u64},
                    zl_as_i64 = {.read = read_i64},
                    zl_as_word = {.read = zl_read_word, .print = print_word},
                    zl_as_switch = {.read = read_switch, .print = print_u32},
                    zl_as_bit = {.read = read_bit}, zl_as_flag = {.read = read_flag},
                    zl_as_text = {.read = read_text}, zl_as_target = {.read = read_target},
                    zl_as_facts = {.read = read_facts, .drop = drop_facts},
                    zl_as_json_list = {.read = read_json_list},
                    zl_as_layout = {.read = read_layout, .drop = zl_drop_layout, .late = true},
                    zl_as_list32 = {.read = read_list32, .print = print_list32},
                    zl_as_pair32 = {.read = read_pair32},
                    zl_as_part = {.read = read_part, .part = true},
                    zl_as_own = {.read = read_nothing};
