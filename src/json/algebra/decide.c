/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <string.h>

enum { OUTS_MOST = 64, PARAMS_MOST = 256 };

/* ---- answers --------------------------------------------------------------------- */

/* The answer's object; NULL, with the call undecided, where there is none. */
static json_t *answer_value(zl_call *call, zlay_answer answer)
{
    call->undecided = answer == ZLAY_UNDECIDED;
    if (call->undecided) return NULL;
    call->value = json_object();
    zl_put_value(call, call->value, "answer", json_boolean(answer == ZLAY_YES));
    return answer == ZLAY_YES ? NULL : call->value;
}

static bool is_symbolic(const zlay_layout *a)
{
    return zlay_layout_kind(a) == ZLAY_LAYOUT_SYMBOLIC;
}

/* "depends" with the guard that `answer` gives of the layouts. */
typedef zlay_status about_names(zl_call *call, zlay_answer *answer, zlay_buf *guard,
                                const zlay_layout *a, const zlay_layout *b);

static zlay_status put_depends(zl_call *call, about_names *ask, const zlay_layout *a,
                               const zlay_layout *b)
{
    zlay_allocator alloc = zl_allocator(call->ctx);
    zlay_buf guard = {NULL, 0, 0};
    zlay_answer answer;
    zlay_status status = ask(call, &answer, &guard, a, b);
    size_t room = guard.need + 1;
    if (status && status != ZLAY_EROOM) return status;
    guard = (zlay_buf){zl_alloc(call->ctx, room, 1), room, 0};
    if (!guard.text) return ZLAY_ENOMEM;
    status = ask(call, &answer, &guard, a, b);
    if (!status) {
        call->value = json_object();
        zl_put_value(call, call->value, "answer", json_string("depends"));
        zl_put_value(call, call->value, "guard", json_string(guard.text));
    }
    zl_free(&alloc, guard.text, room);
    return status;
}

/* The values of the names at which a witness shows. */
static zlay_status put_sample(zl_call *call, json_t *value, const zlay_layout *a,
                              const zlay_layout *b)
{
    int64_t at[PARAMS_MOST];
    json_t *names = json_object();
    const char *name;
    size_t k = 0;
    zlay_status status = zlay_layout_sample(call->ctx, at, PARAMS_MOST, a, b);
    for (size_t i = 0; !status && (name = zlay_layout_param_nth(a, i)); i++)
        zl_put_value(call, names, name, zl_json_int(at[k++]));
    for (size_t i = 0; !status && b && (name = zlay_layout_param_nth(b, i)); i++)
        if (!json_object_get(names, name)) zl_put_value(call, names, name, zl_json_int(at[k++]));
    zl_put_value(call, value, "params", names);
    return status;
}

static json_t *pair_value(zl_call *call, uint64_t a, uint64_t b)
{
    json_t *pair = json_array();
    zl_put_item(call, pair, zl_json_uint(a));
    zl_put_item(call, pair, zl_json_uint(b));
    return pair;
}

/* An index into a box of sizes as the tuple that it stands for; of one size as it is. */
static json_t *tuple_value(zl_call *call, uint64_t index, const uint64_t *sizes, size_t count)
{
    if (count == 1) return zl_json_uint(index);
    json_t *tuple = json_array();
    for (size_t i = 0; i < count; i++) {
        zl_put_item(call, tuple, zl_json_uint(sizes[i] ? index % sizes[i] : index));
        index = sizes[i] ? index / sizes[i] : 0;
    }
    return tuple;
}

/* ---- equal ------------------------------------------------------------------------- */

/* Names of all parameters, those of a first, with the values where the layouts differ. */
typedef struct params {
    size_t count;
    const char *name[PARAMS_MOST];
    int64_t value[PARAMS_MOST];
} params;

static bool is_known(const params *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->name[i], name)) return true;
    return false;
}

static void names_of(params *p, const zlay_layout *a)
{
    const char *name;
    for (size_t i = 0; (name = zlay_layout_param_nth(a, i)) && p->count < PARAMS_MOST; i++)
        if (!is_known(p, name)) p->name[p->count++] = name;
}

static zlay_status bound(zl_call *call, zlay_layout **out, const zlay_layout *a, const params *p)
{
    const char *name[PARAMS_MOST];
    int64_t value[PARAMS_MOST];
    params own = {0};
    size_t count = 0;
    names_of(&own, a);
    for (size_t i = 0; i < p->count; i++) {
        if (!is_known(&own, p->name[i])) continue;
        name[count] = p->name[i];
        value[count++] = p->value[i];
    }
    return zlay_layout_bind(call->ctx, out, a, count, name, value);
}

static zlay_status side(zl_call *call, const char *key, const zlay_layout *a, const params *p,
                        uint64_t index)
{
    zlay_layout *made = NULL;
    json_t *value = NULL;
    zlay_status status = p->count ? bound(call, &made, a, p) : ZLAY_OK;
    if (!status) status = zl_json_value(call, made ? made : a, index, &value);
    zl_put_value(call, call->value, key, value ? value : json_null());
    zlay_layout_free(made);
    return status;
}

static zlay_status differ_value(zl_call *call, const zlay_layout *a, const zlay_layout *b,
                                const zlay_witness *w, const params *p)
{
    bool sizes = w->size_a != w->size_b;
    json_t *values = p->count ? json_object() : NULL;
    zl_put_value(call, call->value, "at", sizes ? json_null() : zl_json_uint(w->index));
    for (size_t i = 0; i < p->count; i++)
        zl_put_value(call, values, p->name[i], zl_json_int(p->value[i]));
    if (values) zl_put_value(call, call->value, "params", values);
    if (sizes) {
        zl_put_value(call, call->value, "sizes", pair_value(call, w->size_a, w->size_b));
        return ZLAY_OK;
    }
    zlay_status status = side(call, "a", a, p, w->index);
    return status ? status : side(call, "b", b, p, w->index);
}

/* true, false, or "depends" with its guard; where they differ there is no value to show. */
static zlay_status symbolic_value(zl_call *call, const zlay_layout *a, const zlay_layout *b,
                                  const zlay_facts *facts)
{
    char text[4096];
    zlay_buf guard = {text, sizeof text, 0};
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_status status = zlay_layout_equal_guard(call->ctx, &answer, &guard, a, b, facts);
    call->undecided = !status && answer == ZLAY_UNDECIDED;
    if (status || call->undecided) return status;
    bool depends = answer == ZLAY_DEPENDS;
    call->value = json_object();
    zl_put_value(call, call->value, "equal",
                 depends ? json_string("depends") : json_boolean(answer == ZLAY_YES));
    if (depends) zl_put_value(call, call->value, "guard", json_string(text));
    if (answer == ZLAY_NO) zl_put_value(call, call->value, "at", json_null());
    return ZLAY_OK;
}

static zlay_status equal_value(zl_call *call, const zlay_layout *a, const zlay_layout *b)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_facts *facts = NULL;
    params p = {0};
    zlay_difference where = {.values = p.value, .room = PARAMS_MOST};
    zlay_status status = zl_get_facts(call, &facts);
    if (!status && (is_symbolic(a) || is_symbolic(b))) {
        status = symbolic_value(call, a, b, facts);
        zlay_facts_free(facts);
        return status;
    }
    names_of(&p, a);
    names_of(&p, b);
    if (!status) status = zlay_layout_equal_for_all(call->ctx, &answer, &where, a, b, facts);
    zlay_facts_free(facts);
    call->undecided = !status && answer == ZLAY_UNDECIDED;
    if (status || call->undecided) return status;
    call->value = json_object();
    zl_put_value(call, call->value, "equal", json_boolean(answer == ZLAY_YES));
    return answer == ZLAY_YES ? ZLAY_OK : differ_value(call, a, b, &where.witness, &p);
}

typedef zlay_status about_two(zl_call *call, const zlay_layout *a, const zlay_layout *b);

static zlay_status of_two(zl_call *call, about_two *answer)
{
    zlay_layout *a = NULL, *b = NULL;
    zlay_status status = zl_get_layout(call, "a", &a);
    if (!status) status = zl_get_layout(call, "b", &b);
    if (!status) status = answer(call, a, b);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return status;
}

zlay_status zl_op_layout_equal(zl_call *call) { return of_two(call, equal_value); }

/* ---- contained ------------------------------------------------------------------------ */

static zlay_status contained_names(zl_call *call, zlay_answer *answer, zlay_buf *guard,
                                   const zlay_layout *a, const zlay_layout *b)
{
    return zlay_layout_contained_guard(call->ctx, answer, guard, a, b);
}

/* Where a has names there is no value to show. */
static zlay_status contained_value(zl_call *call, const zlay_layout *a, const zlay_layout *b)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    uint64_t index;
    json_t *at = NULL;
    zlay_status status = zlay_layout_contained(call->ctx, &answer, &index, a, b);
    if (!status && answer == ZLAY_DEPENDS) return put_depends(call, contained_names, a, b);
    json_t *value = status ? NULL : answer_value(call, answer);
    if (!value) return status;
    if (is_symbolic(a) || is_symbolic(b)) {
        zl_put_value(call, value, "at", index == UINT64_MAX ? json_null() : zl_json_uint(index));
        return put_sample(call, value, a, b);
    }
    zl_put_value(call, value, "at", zl_json_uint(index));
    status = zl_json_value(call, a, index, &at);
    zl_put_value(call, value, "value", at ? at : json_null());
    return status;
}

zlay_status zl_op_layout_contained(zl_call *call) { return of_two(call, contained_value); }

/* ---- injective, surjective, bijective ---------------------------------------------------- */

static zlay_status injective_names(zl_call *call, zlay_answer *answer, zlay_buf *guard,
                                   const zlay_layout *a, const zlay_layout *b)
{
    (void)b;
    return zlay_layout_injective_guard(call->ctx, answer, guard, a);
}

static zlay_status injective_value(zl_call *call, const zlay_layout *layout)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    uint64_t pair[2];
    zlay_status status = zlay_layout_is_injective(call->ctx, &answer, pair, layout);
    if (!status && answer == ZLAY_DEPENDS)
        return put_depends(call, injective_names, layout, NULL);
    json_t *value = status ? NULL : answer_value(call, answer);
    if (!value) return status;
    bool shown = pair[0] != UINT64_MAX;
    zl_put_value(call, value, "witness",
                 shown ? pair_value(call, pair[0], pair[1]) : json_null());
    return is_symbolic(layout) ? put_sample(call, value, layout, NULL) : ZLAY_OK;
}

zlay_status zl_op_layout_is_injective(zl_call *call)
{
    zlay_layout *layout;
    zlay_status status = zl_get_layout(call, "layout", &layout);
    if (!status) status = injective_value(call, layout);
    zlay_layout_free(layout);
    return status;
}

static zlay_status get_sizes(zl_call *call, uint64_t *sizes, size_t *count)
{
    const json_t *onto = json_object_get(call->request, "onto");
    *count = 1;
    if (zl_json_u64(onto, sizes)) return ZLAY_OK;
    *count = json_array_size(onto);
    if (!*count || *count > OUTS_MOST)
        return zl_wrong(call, "onto", "a size, or a list of 1 to 64 sizes");
    for (size_t i = 0; i < *count; i++)
        if (!zl_json_u64(json_array_get(onto, i), &sizes[i]))
            return zl_wrong(call, "onto", "a size, or a list of sizes");
    return ZLAY_OK;
}

static zlay_status surjective_names(zl_call *call, zlay_answer *answer, zlay_buf *guard,
                                    const zlay_layout *a, const zlay_layout *b)
{
    uint64_t sizes[OUTS_MOST], points = 1;
    size_t count;
    (void)b;
    zlay_status status = get_sizes(call, sizes, &count);
    for (size_t i = 0; i < count && !status; i++) points *= sizes[i];
    if (status) return status;
    return zlay_layout_surjective_guard(call->ctx, answer, guard, a, (int64_t)points);
}

static zlay_status surjective_value(zl_call *call, const zlay_layout *layout,
                                    const uint64_t *sizes, size_t count)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    uint64_t missed;
    zlay_status status =
        zlay_layout_is_surjective(call->ctx, &answer, &missed, layout, sizes, count);
    if (!status && answer == ZLAY_DEPENDS)
        return put_depends(call, surjective_names, layout, NULL);
    json_t *value = status ? NULL : answer_value(call, answer);
    if (!value) return status;
    if (zlay_layout_out_count(layout) == 1) count = 1;
    bool shown = missed != UINT64_MAX || !is_symbolic(layout);
    zl_put_value(call, value, "witness",
                 shown ? tuple_value(call, missed, sizes, count) : json_null());
    return is_symbolic(layout) ? put_sample(call, value, layout, NULL) : ZLAY_OK;
}

zlay_status zl_op_layout_is_surjective(zl_call *call)
{
    zlay_layout *layout = NULL;
    uint64_t sizes[OUTS_MOST];
    size_t count;
    zlay_status status = get_sizes(call, sizes, &count);
    if (!status) status = zl_get_layout(call, "layout", &layout);
    if (!status) status = surjective_value(call, layout, sizes, count);
    zlay_layout_free(layout);
    return status;
}

static json_t *fault_value(zl_call *call, const zlay_layout *layout, const zlay_fault *fault)
{
    uint64_t sizes[OUTS_MOST];
    if (fault->fault == ZLAY_FAULT_COLLISION) return pair_value(call, fault->i, fault->j);
    json_t *value = json_object();
    if (fault->fault == ZLAY_FAULT_OUTSIDE) {
        zl_put_value(call, value, "outside", zl_json_uint(fault->i));
        return value;
    }
    size_t count = zlay_layout_out_sizes(sizes, OUTS_MOST, layout);
    zl_put_value(call, value, "missed", tuple_value(call, fault->missed, sizes, count));
    return value;
}

static zlay_status bijective_names(zl_call *call, zlay_answer *answer, zlay_buf *guard,
                                   const zlay_layout *a, const zlay_layout *b)
{
    (void)b;
    return zlay_layout_bijective_guard(call->ctx, answer, guard, a);
}

static zlay_status bijective_value(zl_call *call, const zlay_layout *layout)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_fault fault;
    zlay_status status = zlay_layout_is_bijective(call->ctx, &answer, &fault, layout);
    if (!status && answer == ZLAY_DEPENDS)
        return put_depends(call, bijective_names, layout, NULL);
    json_t *value = status ? NULL : answer_value(call, answer);
    if (!value) return status;
    bool shown = fault.fault != ZLAY_FAULT_MISSED || fault.missed != UINT64_MAX;
    zl_put_value(call, value, "witness",
                 shown || !is_symbolic(layout) ? fault_value(call, layout, &fault) : json_null());
    return is_symbolic(layout) ? put_sample(call, value, layout, NULL) : ZLAY_OK;
}

zlay_status zl_op_layout_is_bijective(zl_call *call)
{
    zlay_layout *layout;
    zlay_status status = zl_get_layout(call, "layout", &layout);
    if (!status) status = bijective_value(call, layout);
    zlay_layout_free(layout);
    return status;
}
