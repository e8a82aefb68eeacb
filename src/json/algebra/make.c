/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that make a layout of one or two layouts, a number or a text. A row of json/rows names
 * the table of its fields and the function of the library; operations whose functions have one type
 * share a runner here. An operation that no runner fits has a function that makes the layout. */
#include "base/arith.h"
#include "json/json.h"

#include <string.h>

typedef struct operands {
    const zlay_layout *a, *b;
    uint64_t number, end;
    zl_json_text text;
    bool partial;
} operands;

/* ---- fields ------------------------------------------------------------------------------ */

/* The layout b, or its text where it is a tiler, <...>. */
static zlay_status read_tiled(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    operands *o = to;
    const char *text = json_string_value(json_object_get(object, field->name));
    bool tiler = text && text[strspn(text, " ")] == '<';
    if (tiler) return zl_get_text(call, object, field->name, &o->text);
    return zl_as_layout.read(call, object, field, &o->b);
}

static void drop_tiled(zl_call *call, const zl_field *field, void *from)
{
    zl_drop_layout(call, field, &((operands *)from)->b);
}

/* A text, or null as if the field were not there. */
static zlay_status read_profile(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    if (json_is_null(json_object_get(object, field->name))) return ZLAY_OK;
    return zl_get_text(call, object, field->name, to);
}

static const zl_field_kind as_tiled = {.read = read_tiled,
                                       .drop = drop_tiled,
                                       .late = true,
                                       .type = "layout"},
                           as_profile = {.read = read_profile, .type = "text"};
typedef operands as_tiled_type;
typedef zl_json_text as_profile_type;

#define LAYOUT_AS(name, member) {name, ZL_NEEDS, ZL_AT(zl_as_layout, operands, member)}
#define NUMBER_AS(name, member) {name, ZL_NEEDS, ZL_AT(zl_as_u64, operands, member)}
#define TEXT_AS(name) {name, ZL_NEEDS, ZL_AT(zl_as_text, operands, text)}
#define TABLE(name, ...)                                                                           \
    static const zl_field name##_rows[] = {__VA_ARGS__};                                           \
    const zl_fields zl_##name##_fields = {ZL_ROWS(name##_rows, operands)}

TABLE(layout, LAYOUT_AS("layout", a));
TABLE(pair, LAYOUT_AS("a", a), LAYOUT_AS("b", b));

/* The library takes the outer layout first; a request names it last. */
TABLE(inner_outer, LAYOUT_AS("inner", b), LAYOUT_AS("outer", a));
TABLE(this_outer, LAYOUT_AS("this", b), LAYOUT_AS("outer", a));

TABLE(tiled, LAYOUT_AS("a", a), {"b", ZL_NEEDS, ZL_WHOLE(as_tiled, operands)});
TABLE(composed, LAYOUT_AS("a", a), {"b", ZL_NEEDS, ZL_WHOLE(as_tiled, operands)},
      {"partial", ZL_MAY, ZL_AT(zl_as_flag, operands, partial)});
TABLE(coalesced, LAYOUT_AS("layout", a),
      {"profile", ZL_MAY, ZL_AT(as_profile, operands, text)});
TABLE(complemented, LAYOUT_AS("layout", a), NUMBER_AS("cotarget", number));
TABLE(in_units, LAYOUT_AS("layout", a), NUMBER_AS("n", number));
TABLE(mode, LAYOUT_AS("layout", a), NUMBER_AS("mode", number));
TABLE(pair_mode, LAYOUT_AS("a", a), LAYOUT_AS("b", b), NUMBER_AS("mode", number));
TABLE(grouped, LAYOUT_AS("layout", a), NUMBER_AS("begin", number), NUMBER_AS("end", end));
TABLE(coordinate, LAYOUT_AS("layout", a), TEXT_AS("at"));
TABLE(guarded, LAYOUT_AS("layout", a), TEXT_AS("guard"));
TABLE(import, TEXT_AS("text"));

const zlay_layout *zl_asked_layout(const void *asked) { return ((const operands *)asked)->a; }

/* ---- runners ----------------------------------------------------------------------------- */

zlay_status zl_run_layout(zl_call *call, const void *asked)
{
    zlay_layout *made = NULL;
    zlay_status status = call->op->by(call, &made, asked);
    if (!status) call->value = call->op->show(call, made);
    zlay_layout_free(made);
    return status;
}

zlay_status zl_by_made(zl_call *call, zlay_layout **out, const void *asked)
{
    return call->op->make.made(call, out, asked);
}

zlay_status zl_by_one(zl_call *call, zlay_layout **out, const void *asked)
{
    return call->op->make.one(call->ctx, out, ((const operands *)asked)->a);
}

zlay_status zl_by_two(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    return call->op->make.two(call->ctx, out, o->a, o->b);
}

zlay_status zl_by_number(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    return call->op->make.number(call->ctx, out, o->a, o->number);
}

zlay_status zl_by_text(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    return call->op->make.text(call->ctx, out, o->a, o->text.text, o->text.length);
}

zlay_status zl_by_divide(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    zlay_arrangement to = call->op->make.divide;
    if (o->b) return zlay_layout_divide(call->ctx, out, o->a, o->b, to);
    return zlay_layout_divide_tiler(call->ctx, out, o->a, o->text.text, o->text.length, to);
}

zlay_status zl_by_product(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    zlay_arrangement to = call->op->make.product;
    if (o->b) return zlay_layout_product(call->ctx, out, o->a, o->b, to);
    return zlay_layout_product_tiler(call->ctx, out, o->a, o->text.text, o->text.length, to);
}

/* ---- operations that no other shares the shape of ---------------------------------------- */

zlay_status zl_make_import(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    call->in_input = true;
    return zlay_layout_import(call->ctx, out, o->text.text, o->text.length);
}

zlay_status zl_make_composed(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    if (!o->b)
        return zlay_layout_compose_tiler(call->ctx, out, o->a, o->text.text, o->text.length);
    if (o->partial) return zlay_layout_compose_partial(call->ctx, out, o->a, o->b);
    return zlay_layout_compose(call->ctx, out, o->a, o->b);
}

zlay_status zl_make_coalesced(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    if (!o->text.text) return zlay_layout_coalesce(call->ctx, out, o->a);
    return zlay_layout_coalesce_profile(call->ctx, out, o->a, o->text.text, o->text.length);
}

zlay_status zl_make_grouped(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    return zlay_layout_group(call->ctx, out, o->a, zl_size_sat(o->number), zl_size_sat(o->end));
}

zlay_status zl_make_flipped(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    return zlay_layout_flip(call->ctx, out, o->a, zl_size_sat(o->number));
}

zlay_status zl_make_concat(zl_call *call, zlay_layout **out, const void *asked)
{
    const operands *o = asked;
    return zlay_layout_concat(call->ctx, out, o->a, o->b, zl_size_sat(o->number));
}

/* ---- a number of two layouts ------------------------------------------------------------- */

zlay_status zl_op_layout_common_vector(zl_call *call, const void *asked)
{
    const operands *o = asked;
    uint64_t count;
    zlay_status status = zlay_layout_max_common_vector(call->ctx, &count, o->a, o->b);
    if (!status) call->value = zl_json_uint(count);
    return status;
}
