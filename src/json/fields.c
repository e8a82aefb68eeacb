/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over tables of fields: names of a request are checked, its values read into a struct, a
 * struct printed as values, names listed for help. What a row's kind reads is kinds.c's. */
#include "json/json.h"

#include <stddef.h>
#include <string.h>

static bool is_part(const zl_field *field) { return field->kind->part; }

/* ---- names ------------------------------------------------------------------------------- */

/* The first row of a field, in the table or in its parts; NULL: there is none. */
static const zl_field *row_of(const zl_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        if (is_part(f)) f = row_of(f->of, name);
        if (f && !strcmp(f->name, name)) return f;
    }
    return NULL;
}

/* Writes the needed fields that the object lacks, all of them, and answers how many. */
static size_t list_missing(zl_text *out, const zl_fields *fields, const json_t *object)
{
    size_t count = 0;
    for (size_t i = 0; i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        if (f->kind->open) continue;
        if (is_part(f)) count += list_missing(out, f->of, object);
        else if (f->needs && !json_object_get(object, f->name)) {
            zl_putf(out, "%s'%s'", out->need ? ", " : "", f->name);
            count++;
        }
    }
    return count;
}

/* Offers the fields that the object lacks. */
static void offer_fields(zl_like *like, const zl_fields *fields, const json_t *object)
{
    for (size_t i = 0; i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        if (is_part(f)) offer_fields(like, f->of, object);
        else if (!json_object_get(object, f->name)) zl_like_offer(like, f->name);
    }
}

/* Refuses a key that is no field. */
static zlay_status no_field(zl_call *call, const json_t *object, const char *what,
                            const zl_fields *fields, const char *key)
{
    char quoted[256];
    zl_like like = zl_like_begin(key, strlen(key));
    offer_fields(&like, fields, object);
    return zl_fail(call->ctx, ZLAY_EINVAL, "%s: no field is called '%s'%s", what,
                   zl_quote(quoted, key, like.length), like.hint);
}

/* Whether every request of the operation `what` may have the key. */
static bool is_in_frame(const zl_call *call, const json_t *object, const char *what,
                        const char *key)
{
    static const char *const frame[] = {"op", "id", "limits", "facts"};
    size_t count = ZL_COUNT(frame) - (strncmp(what, "layout.", 7) != 0);
    for (size_t i = 0; object == call->request && i < count; i++)
        if (!strcmp(key, frame[i])) return true;
    return false;
}

zlay_status zl_names_check(zl_call *call, const json_t *object, const char *what,
                           const zl_fields *fields)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
        if (!is_in_frame(call, object, what, key) && !row_of(fields, key))
            return no_field(call, object, what, fields, key);
    char list[512];
    zl_text names = {list, sizeof list - 1, 0};
    size_t count = list_missing(&names, fields, object);
    if (!count) return ZLAY_OK;
    list[names.need < sizeof list ? names.need : sizeof list - 1] = 0;
    return zl_fail(call->ctx, ZLAY_EINVAL, "%s: field%s %s %s missing", what,
                   count > 1 ? "s" : "", list, count > 1 ? "are" : "is");
}

/* The names of a part of `all`, of which none is needed where it is `open`. A name that several
 * parts have is listed once, by its first row. */
static void list_names(zl_text *out, const zl_fields *all, const zl_fields *part, bool open,
                       bool needed)
{
    for (size_t i = 0; i < part->count; i++) {
        const zl_field *f = &part->row[i];
        if (is_part(f)) list_names(out, all, f->of, open || f->kind->open, needed);
        else if (needed == (f->needs == ZL_NEEDS && !open) && row_of(all, f->name) == f)
            zl_putf(out, "%s%s", out->need ? " " : "", f->name);
    }
}

void zl_names_list(zl_text *out, const zl_fields *fields, bool needed)
{
    list_names(out, fields, fields, false, needed);
}

/* Where parts have rows of one name and of several types, no word holds for all. */
const char *zl_name_type(const zl_fields *fields, const char *name, size_t length)
{
    const char *type = NULL;
    for (size_t i = 0; i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        const char *other = "";
        if (is_part(f)) other = zl_name_type(f->of, name, length);
        else if (strlen(f->name) == length && !memcmp(f->name, name, length))
            other = f->kind->type ? f->kind->type : "value";
        if (!*other) continue;
        if (type && strcmp(type, other)) return "value";
        type = other;
    }
    return type ? type : "";
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
        if (f->present) *(uint32_t *)(void *)((char *)out + fields->present) |= f->present;
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
    call->request = copy;
    zlay_status status = ZLAY_ENOMEM;
    if (fields->take(object, copy, out)) status = zl_read_object(call, copy, fields, out);
    call->request = request;
    json_decref(copy);
    return status;
}

void zl_drop(zl_call *call, const zl_fields *fields, void *asked)
{
    for (size_t i = 0; i < fields->count; i++) {
        const zl_field *f = &fields->row[i];
        if (f->kind->drop) f->kind->drop(call, f, (char *)asked + f->at);
    }
}

/* The fields lie here while the operation runs, whatever their struct. */
zlay_status zl_run_fields(zl_call *call, const zl_fields *fields, zl_op_run *run)
{
    _Alignas(max_align_t) unsigned char asked[ZL_ASKED_MOST];
    zlay_status status = zl_read_fresh(call, call->request, fields, asked);
    if (!status) status = run(call, asked);
    zl_drop(call, fields, asked);
    return status;
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

/* ---- parts ---------------------------------------------------------------------------------- */

static zlay_status read_part(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    return zl_read_object(call, object, field->of, to);
}

static void drop_part(zl_call *call, const zl_field *field, void *from)
{
    zl_drop(call, field->of, from);
}

static zlay_status read_nothing(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    (void)call, (void)object, (void)field, (void)to;
    return ZLAY_OK;
}

const zl_field_kind zl_as_part = {.read = read_part, .drop = drop_part, .part = true},
                    zl_as_own = {.read = read_nothing},
                    zl_as_own_integer = {.read = read_nothing, .type = "integer"},
                    zl_as_own_text = {.read = read_nothing, .type = "text"},
                    zl_as_own_object = {.read = read_nothing, .type = "object"},
                    zl_as_own_objects = {.read = read_nothing, .type = "objects"},
                    zl_as_others = {.read = read_nothing, .part = true, .open = true};
