/* SPDX-License-Identifier: Apache-2.0 */
/* variants.choose: candidates with guards, the fewest that are worth having, and their selector. */
#include "json/synth/emit.h"
#include "json/synth/variants.h"

#include <string.h>

/* ---- lists ----------------------------------------------------------------------------------- */

static zlay_status read_strings(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    zl_strings *out = to;
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

static const zl_field_kind as_strings = {.read = read_strings, .type = "texts"};
typedef zl_strings as_strings_type;

static zlay_status read_counts(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_counts *out = to;
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

static const zl_field_kind as_counts = {.read = read_counts, .type = "integers"};
typedef zl_counts as_counts_type;

/* ---- the request ----------------------------------------------------------------------------- */

enum { FACTS_MOST = 64 };

typedef struct candidate {
    zl_json_text name;
    zl_strings guard;
    zl_counts costs;
    const char *cost;
} candidate;

static const zl_field candidate_rows[] = {
    {"name", ZL_MAY, ZL_AT(zl_as_text, candidate, name)},
    {"guard", ZL_MAY, ZL_AT(as_strings, candidate, guard), .count = FACTS_MOST},
    {"cost", ZL_MAY, ZL_AT(zl_as_string, candidate, cost)},
    {"costs", ZL_MAY, ZL_AT(as_counts, candidate, costs), .count = ZLAY_VARIANTS_SHAPES},
};
static const zl_fields candidate_fields = {ZL_ROWS(candidate_rows, candidate), .what = "a variant"};

enum { HAS_BOUND = 1, HAS_PERCENT = 2 };
#define AT(kind, member) ZL_AT(kind, zl_service, member)
static const zl_field service_rows[] = {
    {"unknowns", ZL_NEEDS, AT(as_strings, unknowns), .count = ZLAY_VARIANTS_UNKNOWNS},
    {"facts", ZL_MAY, AT(as_strings, facts), .count = FACTS_MOST},
    {"shapes", ZL_NEEDS, AT(zl_as_json_list, shapes)},
    {"weights", ZL_MAY, AT(as_counts, weights), .count = ZLAY_VARIANTS_SHAPES},
    {"most", ZL_MAY, AT(zl_as_some32, most)},
    {"bound", ZL_MAY, AT(zl_as_u64, bound), .present = HAS_BOUND},
    {"percent", ZL_MAY, AT(zl_as_u64, percent), .present = HAS_PERCENT},
    {"name", ZL_MAY, AT(zl_as_text, name)},
};
#undef AT
const zl_fields zl_service_fields = {ZL_ROWS(service_rows, zl_service),
                                     .present = offsetof(zl_service, has)};

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

static zlay_status shapes_read(zl_call *call, zlay_variants_request *out, const zl_service *a)
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

zlay_status zl_service_read(zl_call *call, zlay_variants_request *out, const zl_service *a)
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
    return shapes_read(call, out, a);
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* One text more of a list; ZLAY_NONE past the last. */
typedef struct test_asked {
    const zlay_variants *variants;
    uint32_t place, test;
} test_asked;

static zlay_status print_test(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const test_asked *t = value;
    (void)ctx;
    return zlay_variants_fact(out, t->variants, t->place, t->test);
}

static zlay_status put_facts(zl_call *call, json_t *list, const zlay_variants *variants, uint32_t i)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t test = 0; !status; test++) {
        const test_asked t = {variants, i, test};
        json_t *text = zl_json_printed(call, print_test, &t, &status);
        if (!status) zl_put_item(call, list, text);
    }
    return status == ZLAY_NONE ? ZLAY_OK : status;
}

static zlay_status item_put(zl_call *call, json_t *list, const zlay_variants *variants, uint32_t i,
                            zl_put_variant *put, const void *asked)
{
    zlay_variants_summary s = {0};
    zlay_variants_item item;
    json_t *value = json_object(), *guard = json_array(), *facts = json_array();
    zlay_variants_info(&s, variants);
    zlay_variants_nth(&item, variants, i);
    zlay_status status = put_facts(call, guard, variants, i);
    if (!status) status = put_facts(call, facts, variants, s.count);
    if (!status) status = put_facts(call, facts, variants, i);
    put(call, value, asked, i, &item);
    zl_put_value(call, value, "guard", guard);
    zl_put_value(call, value, "facts", facts);
    zl_put_value(call, value, "shapes", zl_json_uint(item.shapes));
    zl_put_value(call, value, "cost", zl_json_uint(item.cost));
    zl_put_item(call, list, value);
    return status;
}

static const zl_named units[] = {{"ns", ZLAY_VARIANTS_NS},
                                 {"clocks", ZLAY_VARIANTS_CLOCKS},
                                 {"madds", ZLAY_VARIANTS_MADDS},
                                 {"instructions", ZLAY_VARIANTS_INSTRUCTIONS},
                                 {NULL, 0}};

static zlay_status put_choice(zl_call *call, const zlay_variants_request *request,
                              const zlay_variants *variants, zl_put_variant *put, const void *asked)
{
    json_t *list = json_array(), *taken = json_array();
    zlay_variants_summary s = {0};
    zlay_status status = ZLAY_OK;
    zlay_variants_info(&s, variants);
    for (uint32_t i = 0; i < s.count && !status; i++)
        status = item_put(call, list, variants, i, put, asked);
    for (uint32_t i = 0; i < request->shapes; i++)
        zl_put_item(call, taken,
                    json_integer(zlay_variants_select(
                        variants, request->value + (size_t)i * request->unknowns)));
    call->value = json_object();
    zl_put_value(call, call->value, "variants", list);
    zl_put_value(call, call->value, "taken", taken);
    if (s.unit) zl_put_value(call, call->value, "unit", zl_json_word(units, s.unit));
    zl_put_value(call, call->value, "cost", zl_json_uint(s.cost));
    zl_put_value(call, call->value, "cheapest", zl_json_uint(s.cheapest));
    if (s.fewer == UINT64_MAX) zl_put_value(call, call->value, "fewer", json_string("none"));
    else zl_put_value(call, call->value, "fewer", zl_json_uint(s.fewer));
    return status;
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

zlay_status zl_put_variants(zl_call *call, const zlay_variants_request *request,
                            const zlay_variants *variants, const zl_service *asked,
                            zl_put_variant *put, const void *value)
{
    const selector s = {variants, asked->name};
    zlay_status status = put_choice(call, request, variants, put, value);
    return status || !s.name.text ? status : zl_put_printed(call, "text", print_selector, &s);
}

/* ---- variants.choose ------------------------------------------------------------------------- */

typedef struct asked {
    zl_service service;
    zl_objects variants;
} asked;

static const zl_field asked_rows[] = {
    ZL_PART(zl_service_fields, asked, service),
    {"variants", ZL_NEEDS, ZL_AT(zl_as_objects, asked, variants), .of = &candidate_fields,
     .count = ZLAY_VARIANTS_CANDIDATES},
};
const zl_fields zl_variants_fields = {ZL_ROWS(asked_rows, asked)};

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

static void put_candidate(zl_call *call, json_t *value, const void *from, uint32_t i,
                          const zlay_variants_item *item)
{
    const asked *a = from;
    const candidate *c = (const candidate *)a->variants.row + item->variant;
    (void)i;
    zl_put_value(call, value, "variant", zl_json_uint(item->variant));
    if (c->name.text) zl_put_value(call, value, "name", json_stringn(c->name.text, c->name.length));
}

static zlay_status choose(zl_call *call, zlay_variants **out, zlay_variants_request *request,
                          const asked *a)
{
    zlay_status status = zl_service_read(call, request, &a->service);
    if (!status) status = candidates_read(call, request, a);
    return status ? status : zlay_variants_choose(call->ctx, out, request);
}

zlay_status zl_op_variants_choose(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_variants_request request;
    zlay_variants *variants = NULL;
    zlay_status status = choose(call, &variants, &request, a);
    if (!status) status = zl_put_variants(call, &request, variants, &a->service, put_candidate, a);
    zlay_variants_free(variants);
    return status;
}

/* ---- emit of what: selector ------------------------------------------------------------------ */

typedef struct selector_asked {
    zl_emit_head head;
    asked of;
} selector_asked;

typedef asked zl_variants_fields_type;
static const zl_field selector_rows[] = {
    ZL_PART(zl_emit_head_fields, selector_asked, head),
    ZL_PART(zl_variants_fields, selector_asked, of),
};
const zl_fields zl_emit_selector_fields = {ZL_ROWS(selector_rows, selector_asked)};

zlay_status zl_emit_selector(zl_call *call, const void *value)
{
    const selector_asked *a = value;
    zlay_variants_request request;
    zlay_variants *variants = NULL;
    zlay_status status = choose(call, &variants, &request, &a->of);
    const selector s = {variants, a->head.name};
    if (!status) status = zl_put_kernel(call, "cuda", print_selector, &s, &a->head);
    zlay_variants_free(variants);
    return status;
}
