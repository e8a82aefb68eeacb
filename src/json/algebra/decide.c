/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions about layouts, each with what shows a no: layout.equal, layout.contained,
 * layout.is_injective, is_surjective and is_bijective. All but layout.equal share one runner, to
 * which each gives three functions: the question, its guard where names decide, and how a
 * counterexample is printed. */
#include "json/json.h"

#include <string.h>

enum { OUTS_MOST = 64, PARAMS_MOST = 256 };

static bool is_symbolic(const zlay_layout *a)
{
    return a && zlay_layout_kind(a) == ZLAY_LAYOUT_SYMBOLIC;
}

/* ---- fields ---------------------------------------------------------------------- */

typedef struct asked {
    const zlay_layout *a, *b;
    const zlay_facts *facts;
    uint64_t sizes[OUTS_MOST];
    size_t count;
} asked;

static zlay_status read_onto(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *onto = json_object_get(object, field->name);
    asked *a = to;
    a->count = 1;
    if (zl_json_u64(onto, a->sizes)) return ZLAY_OK;
    a->count = json_array_size(onto);
    if (!a->count || a->count > OUTS_MOST)
        return zl_wrong(call, "onto", "a size, or a list of 1 to 64 sizes");
    for (size_t i = 0; i < a->count; i++)
        if (!zl_json_u64(json_array_get(onto, i), &a->sizes[i]))
            return zl_wrong(call, "onto", "a size, or a list of sizes");
    return ZLAY_OK;
}

static const zl_field_kind as_onto = {.read = read_onto};
typedef asked as_onto_type;

static const zl_field one_rows[] = {
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, asked, a)},
};
static const zl_field onto_rows[] = {
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, asked, a)},
    {"onto", ZL_NEEDS, ZL_WHOLE(as_onto, asked)},
};
static const zl_field two_rows[] = {
    {"a", ZL_NEEDS, ZL_AT(zl_as_layout, asked, a)},
    {"b", ZL_NEEDS, ZL_AT(zl_as_layout, asked, b)},
};
static const zl_field equal_rows[] = {
    {"a", ZL_NEEDS, ZL_AT(zl_as_layout, asked, a)},
    {"b", ZL_NEEDS, ZL_AT(zl_as_layout, asked, b)},
    {"facts", ZL_MAY, ZL_AT(zl_as_facts, asked, facts)},
};
const zl_fields zl_decide_one_fields = {ZL_ROWS(one_rows, asked)};
const zl_fields zl_decide_onto_fields = {ZL_ROWS(onto_rows, asked)};
const zl_fields zl_decide_two_fields = {ZL_ROWS(two_rows, asked)};
const zl_fields zl_equal_fields = {ZL_ROWS(equal_rows, asked)};

/* ---- witnesses ---------------------------------------------------------------------- */

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

/* ---- guards ------------------------------------------------------------------------ */

/* Decides and prints the guard under which the answer is yes. */
typedef zlay_status guarded(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard, const asked *of);

typedef struct guard_asked {
    guarded *decide;
    const asked *of;
    zlay_answer *answer;
} guard_asked;

static zlay_status print_guard(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const guard_asked *a = value;
    return a->decide(ctx, a->answer, out, a->of);
}

/* The value {KEY: "depends", guard} where the answer depends on names; else none. */
static zlay_status put_depends(zl_call *call, const char *key, guarded *decide, const asked *of,
                               zlay_answer *answer)
{
    guard_asked a = {decide, of, answer};
    zlay_status status;
    json_t *guard = zl_json_printed(call, print_guard, &a, &status);
    if (status || *answer != ZLAY_DEPENDS) return json_decref(guard), status;
    call->value = json_object();
    zl_put_value(call, call->value, key, json_string("depends"));
    zl_put_value(call, call->value, "guard", guard);
    return ZLAY_OK;
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
        zl_put_value(call, call->value, "sizes", zl_json_uints(call, w->size_a, w->size_b));
        return ZLAY_OK;
    }
    zlay_status status = side(call, "a", a, p, w->index);
    return status ? status : side(call, "b", b, p, w->index);
}

static zlay_status equal_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                               const asked *of)
{
    return zlay_layout_equal_guard(ctx, answer, guard, of->a, of->b, of->facts);
}

/* Where layouts with names differ there is no value to show. */
static zlay_status symbolic_value(zl_call *call, const asked *of)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_status status = put_depends(call, "equal", equal_guard, of, &answer);
    call->undecided = !status && answer == ZLAY_UNDECIDED;
    if (status || call->undecided || answer == ZLAY_DEPENDS) return status;
    call->value = json_object();
    zl_put_value(call, call->value, "equal", json_boolean(answer == ZLAY_YES));
    if (answer == ZLAY_NO) zl_put_value(call, call->value, "at", json_null());
    return ZLAY_OK;
}

zlay_status zl_op_layout_equal(zl_call *call, const void *value)
{
    const asked *ask = value;
    const zlay_layout *a = ask->a, *b = ask->b;
    zlay_answer answer = ZLAY_UNDECIDED;
    params p = {0};
    zlay_difference where = {.values = p.value, .room = PARAMS_MOST};
    if (is_symbolic(a) || is_symbolic(b)) return symbolic_value(call, ask);
    names_of(&p, a);
    names_of(&p, b);
    zlay_status status =
        zlay_layout_equal_for_all(call->ctx, &answer, &where, a, b, ask->facts);
    call->undecided = !status && answer == ZLAY_UNDECIDED;
    if (status || call->undecided) return status;
    call->value = json_object();
    zl_put_value(call, call->value, "equal", json_boolean(answer == ZLAY_YES));
    return answer == ZLAY_YES ? ZLAY_OK : differ_value(call, a, b, &where.witness, &p);
}

/* ---- the table of decisions ------------------------------------------------------------ */

/* What shows that the answer is no. */
typedef union counterexample {
    uint64_t pair[2], index;
    zlay_fault fault;
} counterexample;

typedef struct decision {
    zlay_status (*ask)(zlay_ctx *ctx, zlay_answer *answer, counterexample *no, const asked *of);
    guarded *guard;
    zlay_status (*show)(zl_call *call, const counterexample *no, const asked *of);
} decision;

/* The values of the names at which a witness shows. */
static zlay_status put_sample(zl_call *call, const asked *of)
{
    int64_t at[PARAMS_MOST];
    json_t *names = json_object();
    const char *name;
    size_t k = 0;
    zlay_status status = zlay_layout_sample(call->ctx, at, PARAMS_MOST, of->a, of->b);
    for (size_t i = 0; !status && (name = zlay_layout_param_nth(of->a, i)); i++)
        zl_put_value(call, names, name, zl_json_int(at[k++]));
    for (size_t i = 0; !status && of->b && (name = zlay_layout_param_nth(of->b, i)); i++)
        if (!json_object_get(names, name)) zl_put_value(call, names, name, zl_json_int(at[k++]));
    zl_put_value(call, call->value, "params", names);
    return status;
}

static zlay_status decide(zl_call *call, const decision *q, const asked *of)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    counterexample no;
    zlay_status status = q->ask(call->ctx, &answer, &no, of);
    if (!status && answer == ZLAY_DEPENDS)
        return put_depends(call, "answer", q->guard, of, &answer);
    call->undecided = !status && answer == ZLAY_UNDECIDED;
    if (status || call->undecided) return status;
    call->value = json_object();
    zl_put_value(call, call->value, "answer", json_boolean(answer == ZLAY_YES));
    if (answer == ZLAY_YES) return ZLAY_OK;
    status = q->show(call, &no, of);
    return status || !(is_symbolic(of->a) || is_symbolic(of->b)) ? status : put_sample(call, of);
}

/* ---- contained --------------------------------------------------------------------------- */

static zlay_status contained_ask(zlay_ctx *ctx, zlay_answer *answer, counterexample *no,
                            const asked *of)
{
    return zlay_layout_contained(ctx, answer, &no->index, of->a, of->b);
}

static zlay_status contained_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                                   const asked *of)
{
    return zlay_layout_contained_guard(ctx, answer, guard, of->a, of->b);
}

/* Where a layout has names there is no value to show. */
static zlay_status contained_show(zl_call *call, const counterexample *no, const asked *of)
{
    bool names = is_symbolic(of->a) || is_symbolic(of->b);
    json_t *at = NULL;
    zl_put_value(call, call->value, "at",
                 names && no->index == UINT64_MAX ? json_null() : zl_json_uint(no->index));
    if (names) return ZLAY_OK;
    zlay_status status = zl_json_value(call, of->a, no->index, &at);
    zl_put_value(call, call->value, "value", at ? at : json_null());
    return status;
}

/* ---- injective, surjective, bijective ---------------------------------------------------- */

static zlay_status injective_ask(zlay_ctx *ctx, zlay_answer *answer, counterexample *no,
                            const asked *of)
{
    return zlay_layout_is_injective(ctx, answer, no->pair, of->a);
}

static zlay_status injective_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                                   const asked *of)
{
    return zlay_layout_injective_guard(ctx, answer, guard, of->a);
}

static zlay_status injective_show(zl_call *call, const counterexample *no, const asked *of)
{
    bool known = no->pair[0] != UINT64_MAX;
    (void)of;
    zl_put_value(call, call->value, "witness",
                 known ? zl_json_uints(call, no->pair[0], no->pair[1]) : json_null());
    return ZLAY_OK;
}

static zlay_status surjective_ask(zlay_ctx *ctx, zlay_answer *answer, counterexample *no,
                            const asked *of)
{
    return zlay_layout_is_surjective(ctx, answer, &no->index, of->a, of->sizes, of->count);
}

static zlay_status surjective_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                                    const asked *of)
{
    uint64_t points = 1;
    for (size_t i = 0; i < of->count; i++) points *= of->sizes[i];
    return zlay_layout_surjective_guard(ctx, answer, guard, of->a, (int64_t)points);
}

static zlay_status surjective_show(zl_call *call, const counterexample *no, const asked *of)
{
    size_t count = zlay_layout_out_count(of->a) == 1 ? 1 : of->count;
    bool known = no->index != UINT64_MAX || !is_symbolic(of->a);
    zl_put_value(call, call->value, "witness",
                 known ? tuple_value(call, no->index, of->sizes, count) : json_null());
    return ZLAY_OK;
}

static zlay_status bijective_ask(zlay_ctx *ctx, zlay_answer *answer, counterexample *no,
                            const asked *of)
{
    return zlay_layout_is_bijective(ctx, answer, &no->fault, of->a);
}

static zlay_status bijective_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                                   const asked *of)
{
    return zlay_layout_bijective_guard(ctx, answer, guard, of->a);
}

static json_t *fault_value(zl_call *call, const zlay_layout *layout, const zlay_fault *fault)
{
    uint64_t sizes[OUTS_MOST];
    if (fault->fault == ZLAY_FAULT_COLLISION) return zl_json_uints(call, fault->i, fault->j);
    json_t *value = json_object();
    if (fault->fault == ZLAY_FAULT_OUTSIDE) {
        zl_put_value(call, value, "outside", zl_json_uint(fault->i));
        return value;
    }
    size_t count = zlay_layout_out_sizes(sizes, OUTS_MOST, layout);
    zl_put_value(call, value, "missed", tuple_value(call, fault->missed, sizes, count));
    return value;
}

static zlay_status bijective_show(zl_call *call, const counterexample *no, const asked *of)
{
    bool known = no->fault.fault != ZLAY_FAULT_MISSED || no->fault.missed != UINT64_MAX;
    zl_put_value(call, call->value, "witness",
                 known || !is_symbolic(of->a) ? fault_value(call, of->a, &no->fault) : json_null());
    return ZLAY_OK;
}

/* ---- operations ------------------------------------------------------------------------------ */

#define DECIDE(op, name)                                                                           \
    zlay_status op(zl_call *call, const void *value)                                               \
    {                                                                                              \
        return decide(call, &(const decision){name##_ask, name##_guard, name##_show}, value);      \
    }
DECIDE(zl_op_layout_contained, contained)
DECIDE(zl_op_layout_is_injective, injective)
DECIDE(zl_op_layout_is_surjective, surjective)
DECIDE(zl_op_layout_is_bijective, bijective)
