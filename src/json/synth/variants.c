/* SPDX-License-Identifier: Apache-2.0 */
/* variants.choose and variants.gemm: the fewest variants that are worth having, of candidates or of
 * those of the planner of GEMMs, and their selector. */
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

/* Unknowns, shapes, and the bound. */
typedef struct service {
    strings unknowns, facts;
    const json_t *shapes;
    counts weights;
    uint32_t most, has;
    uint64_t bound, percent;
    zl_json_text name;
} service;

enum { HAS_BOUND = 1, HAS_PERCENT = 2 };
#define AT(kind, member) ZL_AT(kind, service, member)
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
static const zl_fields service_fields = {ZL_ROWS(service_rows, service),
                                         .present = offsetof(service, has)};
typedef service service_fields_type;

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

static zlay_status shapes_read(zl_call *call, zlay_variants_request *out, const service *a)
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

static zlay_status request_of(zl_call *call, zlay_variants_request *out, const service *a)
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

/* What a variant adds to what is common to both operations. */
typedef void put_item(zl_call *call, json_t *value, const void *asked, uint32_t i,
                      const zlay_variants_item *item);

static zlay_status item_put(zl_call *call, json_t *list, const zlay_variants *variants, uint32_t i,
                            put_item *put, const void *asked)
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

static zlay_status put_choice(zl_call *call, const zlay_variants_request *request,
                              const zlay_variants *variants, put_item *put, const void *asked)
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

static zlay_status answer(zl_call *call, const zlay_variants_request *request,
                          const zlay_variants *variants, const service *asked, put_item *put,
                          const void *value)
{
    const selector s = {variants, asked->name};
    zlay_status status = put_choice(call, request, variants, put, value);
    return status || !s.name.text ? status : zl_put_printed(call, "text", print_selector, &s);
}

/* ---- variants.choose -------------------------------------------------------------------------- */

typedef struct asked {
    service service;
    zl_objects variants;
} asked;

static const zl_field asked_rows[] = {
    ZL_PART(service_fields, asked, service),
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

zlay_status zl_op_variants_choose(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_variants_request request;
    zlay_variants *variants = NULL;
    zlay_status status = request_of(call, &request, &a->service);
    if (!status) status = candidates_read(call, &request, a);
    if (!status) status = zlay_variants_choose(call->ctx, &variants, &request);
    if (!status) status = answer(call, &request, variants, &a->service, put_candidate, a);
    zlay_variants_free(variants);
    return status;
}

/* ---- variants.gemm ---------------------------------------------------------------------------- */

/* What plan.gemm takes, with names of unknowns in the place of sizes. */
typedef struct gemm_given {
    zl_gemm_asked asked;
    zl_texts texts;
    json_t *copy;
} gemm_given;

static const zl_named sizes[] = {
    {"m", ZLAY_VARIANTS_M},     {"n", ZLAY_VARIANTS_N},     {"k", ZLAY_VARIANTS_K},
    {"lda", ZLAY_VARIANTS_LDA}, {"ldb", ZLAY_VARIANTS_LDB}, {"ldd", ZLAY_VARIANTS_LDD},
    {NULL, 0}};

static zlay_status read_gemm(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    gemm_given *out = to;
    const json_t *given = json_object_get(object, field->name);
    if (!json_is_object(given)) return zl_wrong(call, field->name, "an object, as plan.gemm has it");
    if (!(out->copy = json_deep_copy(given))) return ZLAY_ENOMEM;
    zl_texts_take(&out->texts, given, out->copy, sizes);
    const json_t *request = call->request;
    zlay_status status = zl_names_check(call, out->copy, field->name, &zl_gemm_fields);
    call->request = out->copy;
    if (!status) status = zl_read_object(call, out->copy, &zl_gemm_fields, &out->asked);
    call->request = request;
    return status;
}

static void drop_gemm(zl_call *call, const zl_field *field, void *from)
{
    (void)call, (void)field;
    json_decref(((gemm_given *)from)->copy);
}

static const zl_field_kind as_gemm = {.read = read_gemm, .drop = drop_gemm};
typedef gemm_given as_gemm_type;

typedef struct gemm_asked {
    service service;
    gemm_given gemm;
} gemm_asked;

static const zl_field variants_gemm_rows[] = {
    ZL_PART(service_fields, gemm_asked, service),
    {"gemm", ZL_NEEDS, ZL_AT(as_gemm, gemm_asked, gemm)},
};
static const gemm_asked gemm_usual = {
    .gemm.asked.gemm = {.swap = ZLAY_SWAP_AUTO, .stream_k = ZLAY_STREAM_AUTO}};
const zl_fields zl_variants_gemm_fields = {ZL_ROWS(variants_gemm_rows, gemm_asked),
                                           .start = &gemm_usual};

/* The unknowns that sizes are; a size that is one has no number. */
static zlay_status sizes_read(zl_call *call, zlay_variants_gemm *out, zlay_gemm *gemm,
                              const gemm_asked *a)
{
    uint64_t *const field[] = {&gemm->m, &gemm->n, &gemm->k, &gemm->lda, &gemm->ldb, &gemm->ldd};
    for (uint32_t i = 0; i < a->gemm.texts.count; i++) {
        const zlay_given *given = &a->gemm.texts.at[i];
        uint32_t of = 0;
        while (of < a->service.unknowns.count && strcmp(a->service.unknowns.text[of], given->text))
            of++;
        if (of == a->service.unknowns.count)
            return zl_wrong(call, sizes[given->field].name, "a number or one of 'unknowns'");
        out->of[given->field] = of + 1;
        *field[given->field] = 0;
    }
    return ZLAY_OK;
}

static void put_choices(zl_call *call, json_t *value, const void *from, uint32_t i,
                        const zlay_variants_item *item)
{
    const zlay_gemm *g = (const zlay_gemm *)from + i;
    const uint32_t tile[] = {g->tile_m, g->tile_n, g->tile_k};
    (void)item;
    zl_put_value(call, value, "tile", zl_json_list32(call, tile, 3));
    zl_put_value(call, value, "split_k", json_integer(g->split_k));
    zl_put_value(call, value, "swap", json_string(g->swap ? "always" : "never"));
    zl_put_value(call, value, "stream_k", json_string(g->stream_k ? "always" : "never"));
}

zlay_status zl_op_variants_gemm(zl_call *call, const void *value)
{
    const gemm_asked *a = value;
    zlay_gemm gemm, choice[ZLAY_VARIANTS_MOST];
    zlay_variants_gemm request = {.size = sizeof request, .gemm = &gemm};
    zlay_variants *variants = NULL;
    zlay_status status = zl_gemm_request(call, &gemm, &a->gemm.asked);
    if (!status) status = sizes_read(call, &request, &gemm, a);
    if (!status) status = request_of(call, &request.shapes, &a->service);
    if (!status)
        status = zlay_variants_gemm_choose(call->ctx, &variants, choice, a->gemm.asked.target,
                                           &request);
    if (!status)
        status = answer(call, &request.shapes, variants, &a->service, put_choices, choice);
    zlay_variants_free(variants);
    return status;
}
