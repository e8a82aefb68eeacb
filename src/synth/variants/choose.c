/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses variants: reads the request into points, guards and costs, asks the search for the fewest
 * that are within the bound, and decides whether they take every shape. Where they do not, values that
 * none of them takes become a point that costs nothing and has to be taken, and the search is asked
 * again (lazy constraints). So the answer is the best of all that take every shape. */
#include "base/request.h"
#include "synth/variants/variants.h"

#include <stdio.h>
#include <string.h>

static const uint64_t COSTS_MOST = (uint64_t)1 << 62;
enum { HUNDRED = 100 };

typedef struct chooser {
    zlay_ctx *ctx;
    zlay_variants_request request;
    zl_unknowns u;
    zl_variant_guard domain, *guard;
    zl_point_set *holds;
    uint64_t *cost;  /* as in zl_lists */
    int64_t *point;  /* of each unknown of the first point, then of the next */
    size_t points;
    uint64_t cheapest, bound;
    uint32_t most;
} chooser;

static const zl_request_form form = {
    .name = "variants",
    .size = sizeof(zlay_variants_request),
    .least = sizeof(zlay_variants_request),
    .reserved = {ZL_RESERVED(zlay_variants_request, reserved), ZL_RESERVED(zlay_variants_request, reserved1)},
};

/* ---- the request ----------------------------------------------------------------------------- */

static zlay_status count_check(zlay_ctx *ctx, const char *name, uint32_t count, uint32_t most, const void *list)
{
    if (!count) return zl_fail(ctx, ZLAY_EINVAL, "%s: there is none", name);
    if (count > most) return zl_fail(ctx, ZLAY_ELIMIT, "%s: %u, and %u is the most", name, count, most);
    return list ? ZLAY_OK : zl_fail(ctx, ZLAY_EINVAL, "%s is NULL", name);
}

zlay_status zl_variants_counts(zlay_ctx *ctx, const zlay_variants_request *r)
{
    zlay_status status = count_check(ctx, "unknowns", r->unknowns, ZLAY_VARIANTS_UNKNOWNS, r->unknown);
    if (!status) status = count_check(ctx, "shapes", r->shapes, ZLAY_VARIANTS_SHAPES, r->value);
    if (status) return status;
    if (r->most > ZLAY_VARIANTS_MOST)
        return zl_fail(ctx, ZLAY_ELIMIT, "most: %u, and %d is the most", r->most, ZLAY_VARIANTS_MOST);
    if (r->by < ZLAY_VARIANTS_LEAST || r->by > ZLAY_VARIANTS_PERCENT)
        return zl_fail(ctx, ZLAY_EINVAL, "by: %d is none of ZLAY_VARIANTS_*", (int)r->by);
    return ZLAY_OK;
}

/* Values of a point in a message: "m = 5, n = 7". */
static const char *show(const chooser *c, char *out, size_t room, const int64_t *value)
{
    zl_text text = {out, room - 1, 0};
    for (size_t i = 0; i < c->u.count; i++)
        zl_putf(&text, "%s%s = %lld", i ? ", " : "", c->u.at[i].name.text, (long long)value[i]);
    out[text.need < room ? text.need : room - 1] = 0;
    return out;
}

static zlay_status guards_read(chooser *c)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t j = 0; j < c->request.variants && !status; j++) {
        const zlay_variant *v = &c->request.variant[j];
        char what[48];
        snprintf(what, sizeof what, "variants[%u].guard", j);
        if (v->reserved || v->reserved1)
            return zl_fail(c->ctx, ZLAY_EINVAL, "variants[%u]: reserved is not 0", j);
        if (!v->costs && !v->cost) return zl_fail(c->ctx, ZLAY_EINVAL, "variants[%u]: it has no cost", j);
        status = zl_variant_guard_read(&c->u, &c->guard[j], what, v->guard, v->guards, false);
    }
    return status;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* One point more; *taken says whether a guard holds there. */
static void put_point(chooser *c, const int64_t *value, bool *taken)
{
    size_t i = c->points++;
    memcpy(c->point + i * c->u.count, value, c->u.count * sizeof *value);
    *taken = false;
    for (uint32_t j = 0; j < c->request.variants; j++) {
        if (!zl_variant_guard_holds(&c->guard[j], value)) continue;
        zl_point_set_put(&c->holds[j], i);
        *taken = true;
    }
}

static zlay_status shapes_put(chooser *c)
{
    char text[512];
    bool taken;
    for (uint32_t i = 0; i < c->request.shapes; i++) {
        const int64_t *value = c->request.value + (size_t)i * c->u.count;
        if (!zl_variant_guard_holds(&c->domain, value))
            return zl_fail(c->ctx, ZLAY_EINVAL, "shapes[%u]: the facts do not hold of %s", i,
                           show(c, text, sizeof text, value));
        put_point(c, value, &taken);
        if (!taken)
            return zl_fail(c->ctx, ZLAY_NONE, "shapes[%u]: no guard holds of %s", i, show(c, text, sizeof text, value));
    }
    return ZLAY_OK;
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* The facts that each unknown has the value of a shape. */
static zlay_status facts_of(chooser *c, zlay_facts **out, const int64_t *value)
{
    char text[ZLAY_VARIANTS_UNKNOWNS][96];
    const char *list[ZLAY_VARIANTS_UNKNOWNS];
    size_t length[ZLAY_VARIANTS_UNKNOWNS];
    for (size_t i = 0; i < c->u.count; i++) {
        length[i] = (size_t)snprintf(text[i], sizeof text[i], "%s = %lld", c->u.at[i].name.text, (long long)value[i]);
        list[i] = text[i];
    }
    return zl_facts_parse(c->ctx, out, c->u.count, list, length);
}

static zlay_status cost_eval(chooser *c, uint64_t *cost, const zlay_facts *facts, uint32_t i, uint32_t j)
{
    const zlay_variant *v = &c->request.variant[j];
    char message[1024];
    zlay_range range;
    if (v->costs) {
        *cost = v->costs[i];
        return ZLAY_OK;
    }
    zlay_status status = zl_facts_eval(c->ctx, &range, facts, v->cost, strlen(v->cost));
    if (status == ZLAY_ENOMEM) return status;
    snprintf(message, sizeof message, "%s", status ? zlay_ctx_message(c->ctx) : "");
    if (status) return zl_fail(c->ctx, status, "variants[%u].cost: %s", j, message);
    if (!zl_range_is_constant(range) || range.rem < 0)
        return zl_fail(c->ctx, ZLAY_EINVAL,
                       "variants[%u].cost: shapes[%u] give no number in [0, 2^63) that the unknowns determine", j, i);
    *cost = (uint64_t)range.rem;
    return ZLAY_OK;
}

/* The weighted costs of a shape by every candidate; *greatest is the most of them. */
static zlay_status shape_costs(chooser *c, const zlay_facts *facts, uint32_t i, uint64_t *greatest)
{
    uint64_t weight = c->request.weight ? c->request.weight[i] : 1, least = UINT64_MAX, cost = 0;
    if (!weight) return zl_fail(c->ctx, ZLAY_EINVAL, "shapes[%u]: its weight is 0", i);
    *greatest = 0;
    for (uint32_t j = 0; j < c->request.variants; j++) {
        if (!zl_point_set_has(&c->holds[j], i)) continue;
        zlay_status status = cost_eval(c, &cost, facts, i, j);
        if (status) return status;
        if (!zl_umul(cost, weight, &cost) || cost >= COSTS_MOST)
            return zl_fail(c->ctx, ZLAY_EOVERFLOW, "shapes[%u]: its weight times the cost by variants[%u] passes 2^62", i, j);
        c->cost[(size_t)j * ZL_POINTS_MOST + i] = cost;
        *greatest = zl_umax(*greatest, cost);
        least = zl_umin(least, cost);
    }
    c->cheapest += least;
    return ZLAY_OK;
}

static zlay_status costs_read(chooser *c)
{
    uint64_t sum = 0, greatest = 0;
    for (uint32_t i = 0; i < c->request.shapes; i++) {
        zlay_facts *facts;
        zlay_status status = facts_of(c, &facts, c->point + (size_t)i * c->u.count);
        if (status) return status;
        status = shape_costs(c, facts, i, &greatest);
        zlay_facts_free(facts);
        if (status) return status;
        sum += greatest;
        if (sum >= COSTS_MOST)
            return zl_fail(c->ctx, ZLAY_EOVERFLOW, "shapes[%u]: the costs up to this one may pass 2^62 together", i);
    }
    return ZLAY_OK;
}

/* ---- the whole request ----------------------------------------------------------------------- */

static zlay_status begin(zlay_ctx *ctx, chooser *c, const zlay_variants_request *request)
{
    *c = (chooser){.ctx = ctx};
    zlay_status status = zl_request_read(ctx, &c->request, request, &form);
    if (!status) status = zl_variants_counts(ctx, &c->request);
    if (!status) status = count_check(ctx, "variants", c->request.variants, ZLAY_VARIANTS_CANDIDATES, c->request.variant);
    if (!status) status = zl_variant_guard_names(ctx, &c->u, &c->request);
    if (!status) status = zl_variant_guard_read(&c->u, &c->domain, "facts", c->request.fact, c->request.facts, true);
    if (status) return status;
    size_t count = c->request.variants;
    c->guard = zl_scratch(ctx, count, sizeof *c->guard);
    c->holds = zl_scratch(ctx, count, sizeof *c->holds);
    c->cost = zl_scratch(ctx, count * ZL_POINTS_MOST, sizeof *c->cost);
    c->point = zl_scratch(ctx, ZL_POINTS_MOST * c->u.count, sizeof *c->point);
    if (!c->guard || !c->holds || !c->cost || !c->point) return ZLAY_ENOMEM;
    c->most = c->request.most ? c->request.most : ZLAY_VARIANTS_MOST;
    status = guards_read(c);
    if (!status) status = shapes_put(c);
    return status ? status : costs_read(c);
}

/* The most that a list may cost; without a bound the least that `most` candidates cost. */
static uint64_t bound_asked(const chooser *c)
{
    uint64_t more;
    if (c->request.by == ZLAY_VARIANTS_COST) return zl_umin(c->request.bound, COSTS_MOST);
    if (c->request.by == ZLAY_VARIANTS_LEAST) return COSTS_MOST;
    more = zl_umul_sat(c->cheapest / HUNDRED, c->request.bound);
    more = zl_uadd_sat(more, zl_umul_sat(c->cheapest % HUNDRED, c->request.bound) / HUNDRED);
    return zl_umin(zl_uadd_sat(c->cheapest, more), COSTS_MOST);
}

/* ---- the search ------------------------------------------------------------------------------ */

static zlay_status none_within(const chooser *c, const zl_list *list)
{
    if (list->cost == UINT64_MAX)
        return zl_fail(c->ctx, ZLAY_NONE, "no %u variants take every shape", c->most);
    return zl_fail(c->ctx, ZLAY_NONE, "%u variants cost at least %llu, and the bound is %llu", c->most,
                   (unsigned long long)list->cost, (unsigned long long)c->bound);
}

/* The fewest picks within the bound; *fewer: what one less costs at least, 0 of one pick. */
static zlay_status fewest(const chooser *c, zl_list *out, uint64_t *fewer)
{
    const zl_lists lists = {c->ctx, c->request.variants, c->points, c->holds, c->cost};
    uint64_t bound = c->bound;
    zlay_status status = ZLAY_OK;
    *fewer = 0;
    if (c->request.by == ZLAY_VARIANTS_LEAST) {
        status = zl_lists_search(&lists, out, c->most, bound + 1);
        if (status || !out->found) return status ? status : none_within(c, out);
        bound = out->cost;
    }
    for (uint32_t most = 1; most <= c->most && !status; most++) {
        status = zl_lists_search(&lists, out, most, bound + 1);
        if (status || out->found) return status;
        *fewer = out->cost;
    }
    return status ? status : none_within(c, out);
}

static zlay_status total_check(const chooser *c, zlay_answer *answer, int64_t *at, const zl_list *list)
{
    zl_variant_guard guard[ZLAY_VARIANTS_MOST];
    for (uint32_t i = 0; i < list->count; i++) guard[i] = c->guard[list->pick[i]];
    zlay_status status = zl_variants_total(c->ctx, answer, at, &c->u, &c->domain, guard, list->count);
    if (status || *answer != ZLAY_NO) return status;
    bool taken = !zl_variant_guard_holds(&c->domain, at);
    for (uint32_t i = 0; i < list->count; i++) taken = taken || zl_variant_guard_holds(&guard[i], at);
    return taken ? zl_fail(c->ctx, ZLAY_EINTERNAL, "values that no guard takes are taken by one") : ZLAY_OK;
}

static zlay_status choose(chooser *c, zl_list *out, uint64_t *fewer)
{
    int64_t at[ZLAY_VARIANTS_UNKNOWNS];
    char text[512];
    zlay_answer answer;
    bool taken;
    for (;;) {
        zlay_status status = fewest(c, out, fewer);
        if (!status) status = total_check(c, &answer, at, out);
        if (status || answer == ZLAY_YES) return status;
        if (answer != ZLAY_NO) return ZLAY_ELIMIT; /* the decision has said why */
        if (c->points == ZL_POINTS_MOST)
            return zl_fail(c->ctx, ZLAY_ELIMIT, "guards: %d values of the unknowns without a variant were found one by "
                           "one; a variant without a guard takes all", ZL_POINTS_MOST - ZLAY_VARIANTS_SHAPES);
        put_point(c, at, &taken);
        if (!taken) return zl_fail(c->ctx, ZLAY_NONE, "no guard holds of %s", show(c, text, sizeof text, at));
    }
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void put_condition(zlay_variants *out, zl_variant_guard *to, const zl_variant_guard *from, size_t *used)
{
    *to = (zl_variant_guard){from->count, out->test + *used};
    if (from->count) memcpy(out->test + *used, from->test, from->count * sizeof *from->test);
    *used += from->count;
}

static void put_item(zlay_variants *out, const chooser *c, uint32_t i, uint32_t variant)
{
    out->item[i] = (zlay_variants_item){.variant = variant};
    for (uint32_t p = 0; p < c->request.shapes; p++) {
        if ((uint32_t)zlay_variants_select(out, c->point + (size_t)p * c->u.count) != i) continue;
        out->item[i].shapes++;
        out->item[i].cost += c->cost[(size_t)variant * ZL_POINTS_MOST + p];
    }
    out->summary.cost += out->item[i].cost;
}

static zlay_status make(zlay_variants **to, const chooser *c, const zl_list *list, uint64_t fewer)
{
    size_t tests = c->domain.count, used = 0;
    for (uint32_t i = 0; i < list->count; i++) tests += c->guard[list->pick[i]].count;
    size_t bytes = sizeof(zlay_variants) + tests * sizeof(zl_relation_fact);
    zlay_variants *out = zl_alloc(c->ctx, 1, bytes);
    if (!out) return ZLAY_ENOMEM;
    out->alloc = zl_allocator(c->ctx);
    out->bytes = bytes;
    out->unknowns = (uint32_t)c->u.count;
    out->summary = (zlay_variants_summary){.count = list->count, .shapes = c->request.shapes,
                                           .cheapest = c->cheapest, .fewer = fewer};
    for (size_t i = 0; i < c->u.count; i++) out->name[i] = c->u.at[i].name, out->least[i] = c->u.at[i].range.lo;
    put_condition(out, &out->domain, &c->domain, &used);
    for (uint32_t i = 0; i < list->count; i++) put_condition(out, &out->guard[i], &c->guard[list->pick[i]], &used);
    for (uint32_t i = 0; i < list->count; i++) put_item(out, c, i, list->pick[i]);
    *to = out;
    if (out->summary.cost == list->cost) return ZLAY_OK;
    return zl_fail(c->ctx, ZLAY_EINTERNAL, "the selector costs something else than the list");
}

zlay_status zl_variants_choose(zlay_ctx *ctx, zlay_variants **out, const zlay_variants_request *request)
{
    chooser c;
    zl_list list;
    uint64_t fewer;
    *out = NULL;
    zlay_status status = begin(ctx, &c, request);
    if (status) return status;
    c.bound = bound_asked(&c);
    status = choose(&c, &list, &fewer);
    return status ? status : make(out, &c, &list, fewer);
}

zlay_status zlay_variants_choose(zlay_ctx *ctx, zlay_variants **out, const zlay_variants_request *request)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !request) return ZLAY_EINVAL;
    zlay_variants *variants;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave(ctx, zl_whole(ctx, zl_variants_choose(ctx, &variants, request)));
    if (status) zlay_variants_free(variants);
    else *out = variants;
    return status;
}

zlay_status zlay_variants_info(zlay_variants_summary *out, const zlay_variants *variants)
{
    if (!out || !variants) return ZLAY_EINVAL;
    *out = variants->summary;
    return ZLAY_OK;
}

zlay_status zlay_variants_nth(zlay_variants_item *out, const zlay_variants *variants, uint32_t i)
{
    if (!out || !variants) return ZLAY_EINVAL;
    if (i >= variants->summary.count) return ZLAY_NONE;
    *out = variants->item[i];
    return ZLAY_OK;
}

/* The last one needs no test: it takes all that the others leave, as is decided. */
int32_t zlay_variants_select(const zlay_variants *variants, const int64_t *value)
{
    if (!variants || !value || !zl_variant_guard_holds(&variants->domain, value)) return -1;
    uint32_t i = 0;
    while (i + 1 < variants->summary.count && !zl_variant_guard_holds(&variants->guard[i], value)) i++;
    return (int32_t)i;
}

void zlay_variants_free(zlay_variants *variants)
{
    if (!variants) return;
    zlay_allocator alloc = variants->alloc;
    zl_free(&alloc, variants, variants->bytes);
}
