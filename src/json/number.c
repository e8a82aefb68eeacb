/* SPDX-License-Identifier: Apache-2.0 */
/* facts.of: what facts imply of an expression; and radix.divmod: the coordinate of an index by
 * multiplications and shifts. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- facts ------------------------------------------------------------------------- */

static json_t *end_value(int64_t end, const zlay_range *range)
{
    bool none = range->mod && (end == INT64_MIN || end == INT64_MAX);
    return none ? json_null() : zl_json_int(end);
}

static json_t *range_value(zl_call *call, const zlay_range *range)
{
    json_t *value = json_object();
    zl_put_value(call, value, "lo", end_value(range->lo, range));
    zl_put_value(call, value, "hi", end_value(range->hi, range));
    zl_put_value(call, value, "mod", zl_json_int(range->mod));
    zl_put_value(call, value, "rem", zl_json_int(range->rem));
    return value;
}

typedef struct eval_asked {
    zl_json_text expression;
    const zlay_facts *facts;
} eval_asked;

static const zl_field facts_rows[] = {
    {"expression", ZL_NEEDS, ZL_AT(zl_as_text, eval_asked, expression)},
    {"facts", ZL_MAY, ZL_AT(zl_as_facts, eval_asked, facts)},
};
const zl_fields zl_facts_fields = {ZL_ROWS(facts_rows, eval_asked)};

zlay_status zl_op_facts_of(zl_call *call, const void *value)
{
    const eval_asked *a = value;
    zlay_range range;
    zlay_status status = zlay_facts_eval(call->ctx, &range, a->facts, a->expression.text,
                                         a->expression.length);
    if (!status) call->value = range_value(call, &range);
    return status;
}

/* ---- mixed radix ------------------------------------------------------------------- */

static const zl_named ways[] = {{"zero", ZLAY_DIVISOR_ZERO},
                                {"shift", ZLAY_DIVISOR_SHIFT},
                                {"multiply", ZLAY_DIVISOR_MULTIPLY},
                                {"multiply_add", ZLAY_DIVISOR_ADD},
                                {NULL, 0}};

enum { EXTENTS_MOST = 4096 };

typedef struct shape {
    size_t rank;
    uint64_t extent[EXTENTS_MOST];
} shape;

/* The leaves of a shape that the grammar of layouts has read. */
static zlay_status leaves(zl_call *call, shape *out, const char *text)
{
    out->rank = 0;
    for (const char *at = text; *(at += strcspn(at, "0123456789"));) {
        char *end;
        if (out->rank == EXTENTS_MOST) return zl_wrong(call, "shape", "of 4096 extents at most");
        out->extent[out->rank++] = strtoull(at, &end, 10);
        at = end;
    }
    return ZLAY_OK;
}

static zlay_status shape_of_text(zl_call *call, shape *out, const char *text, size_t length)
{
    zlay_layout *layout;
    if (strspn(text, "0123456789(), _") != length)
        return zl_wrong(call, "shape", "a shape, as (3,(5,7)) or [3,[5,7]]");
    call->in_input = true;
    zlay_status status = zlay_layout_parse(call->ctx, &layout, text, length);
    if (!status) status = leaves(call, out, text);
    zlay_layout_free(layout);
    if (!status) call->in_input = false;
    return status;
}

/* The text of a list, with the brackets of the grammar. */
static char *shape_text(const json_t *list)
{
    char *text = json_dumps(list, JSON_COMPACT);
    for (char *at = text; at && *(at += strcspn(at, "[]"));) *at = *at == '[' ? '(' : ')';
    return text;
}

/* Into working memory: a shape is larger than what a request's fields may take. */
static zlay_status read_shape(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *value = json_object_get(object, field->name);
    shape *out = *(shape **)to = zl_scratch(call->ctx, 1, sizeof *out);
    if (!out) return ZLAY_ENOMEM;
    if (json_is_string(value))
        return shape_of_text(call, out, json_string_value(value), json_string_length(value));
    if (!json_is_integer(value) && !json_is_array(value))
        return zl_wrong(call, "shape", "a shape, as (3,(5,7)) or [3,[5,7]]");
    char *text = json_is_array(value) ? shape_text(value) : json_dumps(value, JSON_ENCODE_ANY);
    if (!text) return ZLAY_ENOMEM;
    zlay_status status = shape_of_text(call, out, text, strlen(text));
    free(text);
    return status;
}

/* An end of a range: below 0 it is a number, or a text with a sign. */
static bool end_of(const json_t *value, uint64_t *out, bool *minus)
{
    const char *text = json_string_value(value);
    *minus = json_is_integer(value) ? json_integer_value(value) < 0 : text && *text == '-';
    if (!*minus) return zl_json_u64(value, out);
    if (json_is_integer(value)) {
        *out = (uint64_t)json_integer_value(value);
        return true;
    }
    json_t *magnitude = json_string(text + 1);
    bool read = magnitude && zl_json_u64(magnitude, out) && *out <= (uint64_t)1 << 63;
    json_decref(magnitude);
    *out = 0 - *out;
    return read;
}

typedef struct range {
    int64_t least;
    uint64_t greatest;
} range;

/* [lo, hi]; the indices of the shape where it is absent. */
static zlay_status get_range(zl_call *call, range *out, const shape *s)
{
    const json_t *value = json_object_get(call->request, "range");
    uint64_t lo = 0, hi = 1;
    bool below[2] = {false, false};
    for (size_t i = 0; i < s->rank; i++) hi *= s->extent[i];
    hi--;
    if (value &&
        (json_array_size(value) != 2 || !end_of(json_array_get(value, 0), &lo, &below[0]) ||
         !end_of(json_array_get(value, 1), &hi, &below[1])))
        return zl_wrong(call, "range",
                        "a list of two integers, the least and the greatest operand");
    if ((below[1] && (!below[0] || (int64_t)hi < (int64_t)lo)) ||
        (!below[0] && !below[1] && hi < lo) || (below[0] && !below[1] && hi > INT64_MAX) ||
        (!below[0] && lo > INT64_MAX))
        return zl_wrong(call, "range", "an ascending range that fits int64_t or uint64_t");
    *out = (range){(int64_t)lo, below[1] ? 0 : hi};
    return ZLAY_OK;
}

static json_t *step_value(zl_call *call, const zlay_divisor *d)
{
    json_t *value = json_object();
    zl_put_value(call, value, "divisor", zl_json_uint(d->divisor));
    zl_put_value(call, value, "way", zl_json_word(ways, d->way));
    zl_put_value(call, value, "multiplier", zl_json_uint(d->multiplier));
    zl_put_value(call, value, "shift", json_integer(d->shift));
    zl_put_value(call, value, "product", json_integer(d->product));
    return value;
}

typedef struct printed {
    const zlay_radix *radix;
    const char *name;
} printed;

static zlay_status print_radix(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const printed *p = value;
    zlay_status status = zlay_radix_print(out, p->radix, p->name);
    return status == ZLAY_EINVAL ? zl_fail(ctx, status, "field 'name' is no name of C") : status;
}

static zlay_status divmod_value(zl_call *call, const zlay_radix *radix, const char *name)
{
    const zlay_divisor *step;
    printed p = {radix, name};
    zlay_status status;
    json_t *text = zl_json_printed(call, print_radix, &p, &status), *steps = json_array();
    for (size_t i = 0; (step = zlay_radix_divisor_nth(radix, i)); i++)
        zl_put_item(call, steps, step_value(call, step));
    call->value = json_object();
    zl_put_value(call, call->value, "text", text);
    zl_put_value(call, call->value, "steps", steps);
    return status;
}

static const zl_field_kind as_radix_shape = {.read = read_shape};
typedef shape *as_radix_shape_type;

typedef struct radix_asked {
    shape *shape;
    zl_json_text name;
} radix_asked;

static const zl_field radix_rows[] = {
    {"shape", ZL_NEEDS, ZL_AT(as_radix_shape, radix_asked, shape)},
    ZL_OWN("range", ZL_MAY),
    {"name", ZL_MAY, ZL_AT(zl_as_text, radix_asked, name)},
};
static const radix_asked usual = {.name = {"zl_coordinates", sizeof "zl_coordinates" - 1}};
const zl_fields zl_radix_fields = {ZL_ROWS(radix_rows, radix_asked), .start = &usual};

zlay_status zl_op_radix_divmod(zl_call *call, const void *value)
{
    const radix_asked *a = value;
    zlay_radix *radix = NULL;
    range r = {0, 0};
    if (!zl_is_name(a->name.text, a->name.length)) return zl_wrong(call, "name", "a name of C");
    zlay_status status = get_range(call, &r, a->shape);
    if (!status)
        status = zlay_radix_new(call->ctx, &radix, a->shape->rank, a->shape->extent, r.least,
                                r.greatest);
    if (!status) status = divmod_value(call, radix, a->name.text);
    zlay_radix_free(radix);
    return status;
}
