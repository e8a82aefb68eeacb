/* SPDX-License-Identifier: Apache-2.0 */
/* variants.choose: candidates with guards, the fewest that are worth having, and their selector. */
#include "json/json.h"

#include <string.h>
#include <zlay/variants.h>

/* ---- lists ----------------------------------------------------------------------------------- */

/* Texts of the request, each of which a 0 ends. */
typedef struct strings {
    const char **text;
    uint32_t count;
} strings;

static zlay_status read_strings(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    strings *out = to;
    const json_t *list;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    size_t count = json_array_size(list);
    if (count > field->count)
        return zl_fail(call->ctx, ZLAY_ELIMIT, "field '%s' has more than %u entries", field->name,
                       field->count);
    if (count && !(out->text = zl_scratch(call->ctx, count, sizeof *out->text))) return ZLAY_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        out->text[i] = json_string_value(json_array_get(list, i));
        if (!out->text[i] || strlen(out->text[i]) != json_string_length(json_array_get(list, i)))
            return zl_wrong(call, field->name, "a list of texts");
    }
    out->count = (uint32_t)count;
    return ZLAY_OK;
}

static const zl_field_kind as_strings = {.read = read_strings};
typedef strings as_strings_type;

/* Integers that are not negative. */
typedef struct counts {
    uint64_t *at;
    uint32_t count;
} counts;

static zlay_status read_counts(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    counts *out = to;
    const json_t *list;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    size_t count = json_array_size(list);
    if (!count || count > field->count)
        return zl_wrong(call, field->name, "a list of an integer for each shape");
    if (!(out->at = zl_scratch(call->ctx, count, sizeof *out->at))) return ZLAY_ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (!zl_json_u64(json_array_get(list, i), &out->at[i]))
            return zl_wrong(call, field->name, "a list of integers in [0, 2^64)");
    out->count = (uint32_t)count;
    return ZLAY_OK;
}

static const zl_field_kind as_counts = {.read = read_counts};
typedef counts as_counts_type;

/* ---- the request ----------------------------------------------------------------------------- */

enum { FACTS_MOST = 64 };

typedef struct candidate {
    zl_json_text name;
    strings guard;
    counts costs;
    const char *cost;
} candidate;

static const zl_field candidate_rows[] = {
    {"name", ZL_MAY, ZL_AT(zl_as_text, candidate, name)},
    {"guard", ZL_MAY, ZL_AT(as_strings, candidate, guard), .count = FACTS_MOST},
    {"cost", ZL_MAY, ZL_AT(zl_as_string, candidate, cost)},
    {"costs", ZL_MAY, ZL_AT(as_counts, candidate, costs), .count = ZLAY_VARIANTS_SHAPES},
};
static const zl_fields candidate_fields = {ZL_ROWS(candidate_rows, candidate), .what = "a variant"};

typedef struct asked {
    strings unknowns, facts;
    const json_t *shapes;
    counts weights;
    zl_objects variants;
    uint32_t most, has;
    uint64_t bound, percent;
    zl_json_text name;
} asked;

enum { HAS_BOUND = 1, HAS_PERCENT = 2 };
#define AT(kind, member) ZL_AT(kind, asked, member)
static const zl_field asked_rows[] = {
    {"unknowns", ZL_NEEDS, AT(as_strings, unknowns), .count = ZLAY_VARIANTS_UNKNOWNS},
    {"facts", ZL_MAY, AT(as_strings, facts), .count = FACTS_MOST},
    {"shapes", ZL_NEEDS, AT(zl_as_json_list, shapes)},
    {"weights", ZL_MAY, AT(as_counts, weights), .count = ZLAY_VARIANTS_SHAPES},
    {"variants", ZL_NEEDS, AT(zl_as_objects, variants), .of = &candidate_fields,
     .count = ZLAY_VARIANTS_CANDIDATES},
    {"most", ZL_MAY, AT(zl_as_some32, most)},
    {"bound", ZL_MAY, AT(zl_as_u64, bound), .present = HAS_BOUND},
    {"percent", ZL_MAY, AT(zl_as_u64, percent), .present = HAS_PERCENT},
    {"name", ZL_MAY, AT(zl_as_text, name)},
};
#undef AT
const zl_fields zl_variants_fields = {ZL_ROWS(asked_rows, asked), .present = offsetof(asked, has)};

static zlay_status shape_read(zl_call *call, int64_t *out, const json_t *shape, size_t i,
                              uint32_t unknowns)
{
    if (json_array_size(shape) != unknowns)
        return zl_fail(call->ctx, ZLAY_EINVAL,
                       "field 'shapes': entry %zu has not one value for each unknown", i);
    for (size_t k = 0; k < unknowns; k++)
        if (!zl_json_i64(json_array_get(shape, k), &out[k]))
            return zl_fail(call->ctx, ZLAY_EINVAL,
                           "field 'shapes': entry %zu has a value that is no integer of 64 bits",
                           i);
    return ZLAY_OK;
}

static zlay_status shapes_read(zl_call *call, zlay_variants_request *out, const asked *a)
{
    size_t count = json_array_size(a->shapes);
    if (count > ZLAY_VARIANTS_SHAPES)
        return zl_fail(call->ctx, ZLAY_ELIMIT, "field 'shapes' has %zu entries, and %d is the most",
                       count, ZLAY_VARIANTS_SHAPES);
    if (a->weights.at && a->weights.count != count)
        return zl_wrong(call, "weights", "as many entries as 'shapes' has");
    int64_t *value = zl_scratch(call->ctx, count * out->unknowns + 1, sizeof *value);
    if (!value) return ZLAY_ENOMEM;
    out->value = value;
    out->shapes = (uint32_t)count;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = shape_read(call, value + i * out->unknowns, json_array_get(a->shapes, i), i,
                            out->unknowns);
    return status;
}

static zlay_status candidates_read(zl_call *call, zlay_variants_request *out, const asked *a)
{
    const candidate *from = a->variants.row;
    zlay_variant *to = zl_scratch(call->ctx, a->variants.count, sizeof *to);
    if (!to) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < a->variants.count; i++) {
        if (!from[i].cost == !from[i].costs.at)
            return zl_fail(call->ctx, ZLAY_EINVAL,
                           "variants[%u]: one of 'cost' and 'costs' is needed", i);
        if (from[i].costs.at && from[i].costs.count != out->shapes)
            return zl_fail(call->ctx, ZLAY_EINVAL,
                           "variants[%u].costs: as many entries as 'shapes' has", i);
        to[i] = (zlay_variant){.guard = from[i].guard.text,
                               .guards = from[i].guard.count,
                               .cost = from[i].cost,
                               .costs = from[i].costs.at};
    }
    out->variant = to;
    out->variants = a->variants.count;
    return ZLAY_OK;
}

static zlay_status request_of(zl_call *call, zlay_variants_request *out, const asked *a)
{
    *out = (zlay_variants_request){.size = sizeof *out,
                                   .unknowns = a->unknowns.count,
                                   .unknown = a->unknowns.text,
                                   .facts = a->facts.count,
                                   .fact = a->facts.text,
                                   .weight = a->weights.at,
                                   .most = a->most};
    if (a->has == (HAS_BOUND | HAS_PERCENT))
        return zl_wrong(call, "percent", "there, or 'bound', but not both");
    if (a->has & HAS_BOUND) out->by = ZLAY_VARIANTS_COST, out->bound = a->bound;
    if (a->has & HAS_PERCENT) out->by = ZLAY_VARIANTS_PERCENT, out->bound = a->percent;
    zlay_status status = shapes_read(call, out, a);
    return status ? status : candidates_read(call, out, a);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void put_texts(zl_call *call, json_t *list, const strings *texts)
{
    for (uint32_t i = 0; i < texts->count; i++)
        zl_put_item(call, list, json_string(texts->text[i]));
}

static json_t *item_value(zl_call *call, const asked *a, const zlay_variants_item *item)
{
    const candidate *c = (const candidate *)a->variants.row + item->variant;
    json_t *value = json_object(), *guard = json_array(), *facts = json_array();
    zl_put_value(call, value, "variant", zl_json_uint(item->variant));
    if (c->name.text) zl_put_value(call, value, "name", json_stringn(c->name.text, c->name.length));
    put_texts(call, guard, &c->guard);
    zl_put_value(call, value, "guard", guard);
    put_texts(call, facts, &a->facts);
    put_texts(call, facts, &c->guard);
    zl_put_value(call, value, "facts", facts);
    zl_put_value(call, value, "shapes", zl_json_uint(item->shapes));
    zl_put_value(call, value, "cost", zl_json_uint(item->cost));
    return value;
}

static void put_choice(zl_call *call, const asked *a, const zlay_variants_request *request,
                       const zlay_variants *variants)
{
    json_t *list = json_array(), *taken = json_array();
    zlay_variants_item item;
    zlay_variants_summary s = {0};
    zlay_variants_info(&s, variants);
    for (uint32_t i = 0; zlay_variants_nth(&item, variants, i) == ZLAY_OK; i++)
        zl_put_item(call, list, item_value(call, a, &item));
    for (uint32_t i = 0; i < request->shapes; i++)
        zl_put_item(call, taken,
                    json_integer(zlay_variants_select(
                        variants, request->value + (size_t)i * request->unknowns)));
    call->value = json_object();
    zl_put_value(call, call->value, "variants", list);
    zl_put_value(call, call->value, "taken", taken);
    zl_put_value(call, call->value, "cost", zl_json_uint(s.cost));
    zl_put_value(call, call->value, "cheapest", zl_json_uint(s.cheapest));
    if (s.fewer == UINT64_MAX) zl_put_value(call, call->value, "fewer", json_string("none"));
    else zl_put_value(call, call->value, "fewer", zl_json_uint(s.fewer));
}

typedef struct selector {
    const zlay_variants *variants;
    zl_json_text name;
} selector;

static zlay_status print_selector(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const selector *s = value;
    zlay_status status = zlay_variants_print(out, s->variants, s->name.text, s->name.length);
    return status == ZLAY_EINVAL
               ? zl_fail(ctx, status, "field 'name' is no identifier, or an unknown's")
               : status;
}

zlay_status zl_op_variants_choose(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_variants_request request;
    zlay_variants *variants = NULL;
    zlay_status status = request_of(call, &request, a);
    if (!status) status = zlay_variants_choose(call->ctx, &variants, &request);
    if (!status) put_choice(call, a, &request, variants);
    const selector s = {variants, a->name};
    if (!status && a->name.text) status = zl_put_printed(call, "text", print_selector, &s);
    zlay_variants_free(variants);
    return status;
}
