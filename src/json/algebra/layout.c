/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OUTS_MOST = 64 };

/* ---- parse ------------------------------------------------------------------ */

static const zl_word kinds[] = {{"strided", ZLAY_LAYOUT_STRIDED},
                                {"swizzled", ZLAY_LAYOUT_SWIZZLED},
                                {"f2", ZLAY_LAYOUT_F2},
                                {"modular", ZLAY_LAYOUT_MODULAR},
                                {"pieces", ZLAY_LAYOUT_PIECES},
                                {"symbolic", ZLAY_LAYOUT_SYMBOLIC},
                                {NULL, 0}};

static void spans_note(int64_t *least, int64_t *greatest, const int64_t *values, size_t outs)
{
    for (size_t i = 0; i < outs; i++) {
        if (values[i] < least[i]) least[i] = values[i];
        if (values[i] > greatest[i]) greatest[i] = values[i];
    }
}

/* An output of bits is a layout by itself, of any size. */
static zlay_status cosize_of_output(zl_call *call, const zlay_layout *layout, size_t i,
                                    uint64_t *cosize)
{
    zlay_dim ins[OUTS_MOST], out;
    const char *names[OUTS_MOST], *name = out.name;
    size_t count = 0;
    zlay_layout *one;
    while (count < OUTS_MOST && !zlay_f2_in_nth(&ins[count], layout, count)) {
        names[count] = ins[count].name;
        count++;
    }
    zlay_f2_out_nth(&out, layout, i);
    zlay_status status = zlay_f2_sublayout(call->ctx, &one, layout, names, count, &name, 1);
    if (!status) status = zlay_layout_cosize(call->ctx, cosize, one);
    zlay_layout_free(one);
    return status;
}

static zlay_status cosize_of_bits(zl_call *call, const zlay_layout *layout, json_t **out)
{
    json_t *list = json_array();
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < zlay_layout_out_count(layout) && !status; i++) {
        uint64_t cosize = 0;
        status = cosize_of_output(call, layout, i, &cosize);
        zl_put_item(call, list, zl_json_uint(cosize));
    }
    if (status) json_decref(list);
    else *out = list;
    return status;
}

/* Of several outputs the list, each by its own values. */
static zlay_status cosize_list(zl_call *call, const zlay_layout *layout, json_t **out)
{
    int64_t values[OUTS_MOST], least[OUTS_MOST] = {0}, greatest[OUTS_MOST] = {0};
    size_t outs = zlay_layout_out_count(layout);
    uint64_t size = zlay_layout_size(layout);
    if (outs > OUTS_MOST || size > zl_limits(call->ctx)->points)
        return zl_fail(call->ctx, ZLAY_ELIMIT, "limit points %" PRIu64 ": asked for %" PRIu64,
                       zl_limits(call->ctx)->points, size);
    for (uint64_t i = 0; i < size; i++) {
        zlay_status status = zlay_layout_eval(values, OUTS_MOST, layout, i);
        if (status == ZLAY_NONE) continue;
        if (status) return status;
        spans_note(least, greatest, values, outs);
    }
    *out = json_array();
    for (size_t i = 0; i < outs; i++)
        zl_put_item(call, *out, zl_json_uint((uint64_t)greatest[i] - (uint64_t)least[i] + 1));
    return ZLAY_OK;
}

static zlay_status cosize_value(zl_call *call, const zlay_layout *layout, json_t **out)
{
    uint64_t cosize;
    *out = json_null();
    if (zlay_layout_param_nth(layout, 0)) return ZLAY_OK;
    int32_t kind = zlay_layout_kind(layout);
    if (zlay_layout_out_count(layout) != 1 &&
        (kind == ZLAY_LAYOUT_F2 || kind == ZLAY_LAYOUT_MODULAR))
        return cosize_of_bits(call, layout, out);
    if (zlay_layout_out_count(layout) != 1) return cosize_list(call, layout, out);
    zlay_status status = zlay_layout_cosize(call->ctx, &cosize, layout);
    if (!status) *out = zl_json_uint(cosize);
    return status;
}

static json_t *box_value(zl_call *call, const zlay_layout *layout)
{
    uint64_t extents[OUTS_MOST];
    json_t *list = json_array();
    size_t count = zlay_layout_box(extents, OUTS_MOST, layout);
    for (size_t i = 0; i < count && i < OUTS_MOST; i++)
        zl_put_item(call, list, zl_json_uint(extents[i]));
    return list;
}

static zlay_status parse_answer(zl_call *call, const zlay_layout *layout)
{
    json_t *cosize = NULL;
    zlay_status status = cosize_value(call, layout, &cosize);
    if (status) return status;
    call->value = json_object();
    zl_put_value(call, call->value, "text", zl_json_layout(call, layout));
    zl_put_value(call, call->value, "kind",
                 json_string(zl_word_of(kinds, zlay_layout_kind(layout))));
    zl_put_value(call, call->value, "size", zl_json_uint(zlay_layout_size(layout)));
    zl_put_value(call, call->value, "box", box_value(call, layout));
    zl_put_value(call, call->value, "cosize", cosize);
    return ZLAY_OK;
}

zlay_status zl_op_layout_parse(zl_call *call)
{
    zlay_layout *layout;
    zlay_status status = zl_get_layout(call, "layout", &layout);
    if (!status) status = parse_answer(call, layout);
    zlay_layout_free(layout);
    return status;
}

zlay_status zl_op_layout_import(zl_call *call)
{
    zl_span text;
    zlay_layout *layout = NULL;
    zlay_status status = zl_get_text(call, call->request, "text", &text);
    call->in_input = true;
    if (!status) status = zlay_layout_import(call->ctx, &layout, text.text, text.length);
    if (!status) call->value = zl_json_layout(call, layout);
    zlay_layout_free(layout);
    return status;
}

/* ---- eval ------------------------------------------------------------------- */

static zlay_status index_of(zl_call *call, const zlay_layout *layout, const json_t *at,
                            uint64_t *index)
{
    if (!json_is_array(at)) {
        bool read = zl_json_u64(at, index);
        bool whole = zlay_f2_bits(layout) == 64;
        if (read && (whole || *index < zlay_layout_size(layout))) return ZLAY_OK;
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'at': an index is not in [0, %" PRIu64 ")",
                       zlay_layout_size(layout));
    }
    char *text = json_dumps(at, JSON_COMPACT);
    if (!text) return ZLAY_ENOMEM;
    zlay_status status = zlay_layout_index(call->ctx, index, layout, text, strlen(text));
    free(text);
    return status;
}

zlay_status zl_json_value(zl_call *call, const zlay_layout *layout, uint64_t index, json_t **out)
{
    int64_t values[OUTS_MOST];
    size_t outs = zlay_layout_out_count(layout);
    zlay_status status = zlay_layout_eval(values, OUTS_MOST, layout, index);
    if (status == ZLAY_NONE) {
        *out = json_null();
        return ZLAY_OK;
    }
    if (status) return zl_fail(call->ctx, status, "no value at index %" PRIu64, index);
    if (outs == 1) {
        *out = zl_json_int(values[0]);
        return ZLAY_OK;
    }
    *out = json_array();
    for (size_t i = 0; i < outs; i++) zl_put_item(call, *out, zl_json_int(values[i]));
    return ZLAY_OK;
}

static zlay_status eval_all(zl_call *call, const zlay_layout *layout, const json_t *at)
{
    call->value = json_array();
    for (size_t i = 0; i < json_array_size(at); i++) {
        uint64_t index;
        json_t *value;
        zlay_status status = index_of(call, layout, json_array_get(at, i), &index);
        if (!status) status = zl_json_value(call, layout, index, &value);
        if (status) return status;
        zl_put_item(call, call->value, value);
    }
    return ZLAY_OK;
}

zlay_status zl_op_layout_eval(zl_call *call)
{
    zlay_layout *layout = NULL;
    const json_t *at;
    zlay_status status = zl_get_list(call, call->request, "at", &at);
    if (!status) status = zl_get_layout(call, "layout", &layout);
    if (!status) status = zl_bind_params(call, &layout);
    if (!status) status = eval_all(call, layout, at);
    zlay_layout_free(layout);
    return status;
}

/* ---- layout to layout ------------------------------------------------------- */

static zlay_status give(zl_call *call, zlay_status status, zlay_layout *made)
{
    if (!status) call->value = zl_json_layout(call, made);
    zlay_layout_free(made);
    return status;
}

typedef zlay_status one_to_one(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
typedef zlay_status two_to_one(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b);

static zlay_status of_one(zl_call *call, one_to_one *make, zlay_layout **made)
{
    zlay_layout *a;
    zlay_status status = zl_get_layout(call, "layout", &a);
    if (!status) status = make(call->ctx, made, a);
    zlay_layout_free(a);
    return status;
}

static zlay_status of_two(zl_call *call, two_to_one *make)
{
    zlay_layout *a = NULL, *b = NULL, *made = NULL;
    zlay_status status = zl_get_layout(call, "a", &a);
    if (!status) status = zl_get_layout(call, "b", &b);
    if (!status) status = make(call->ctx, &made, a, b);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return give(call, status, made);
}

/* A text that begins with '<' is a tiler. */
static bool is_tiler(const zl_call *call, zl_span *out)
{
    const json_t *b = json_object_get(call->request, "b");
    const char *text = json_string_value(b);
    if (!text || text[strspn(text, " ")] != '<') return false;
    *out = (zl_span){text, json_string_length(b)};
    return true;
}

static zlay_status by_tiler(zl_call *call, zl_span tiler)
{
    zlay_layout *a = NULL, *made = NULL;
    zlay_status status = zl_get_layout(call, "a", &a);
    if (!status)
        status = zlay_layout_compose_tiler(call->ctx, &made, a, tiler.text, tiler.length);
    zlay_layout_free(a);
    return give(call, status, made);
}

zlay_status zl_op_layout_compose(zl_call *call)
{
    bool partial = false;
    zl_span tiler;
    zlay_status status = zl_get_flag(call, call->request, "partial", &partial);
    if (status) return status;
    if (is_tiler(call, &tiler)) return by_tiler(call, tiler);
    return of_two(call, partial ? zlay_layout_compose_partial : zlay_layout_compose);
}

static zlay_status by_profile(zl_call *call, zlay_layout **made)
{
    zlay_layout *a = NULL;
    zl_span profile;
    zlay_status status = zl_get_text(call, call->request, "profile", &profile);
    if (!status) status = zl_get_layout(call, "layout", &a);
    if (!status)
        status = zlay_layout_coalesce_profile(call->ctx, made, a, profile.text, profile.length);
    zlay_layout_free(a);
    return status;
}

zlay_status zl_op_layout_coalesce(zl_call *call)
{
    const json_t *profile = json_object_get(call->request, "profile");
    zlay_layout *made = NULL;
    zlay_status status = !profile || json_is_null(profile)
                             ? of_one(call, zlay_layout_coalesce, &made)
                             : by_profile(call, &made);
    return give(call, status, made);
}

zlay_status zl_op_layout_complement(zl_call *call)
{
    zlay_layout *layout = NULL, *made = NULL;
    uint64_t cotarget = 0;
    zlay_status status = zl_get_u64(call, call->request, "cotarget", &cotarget);
    if (!status) status = zl_get_layout(call, "layout", &layout);
    if (!status) status = zlay_layout_complement(call->ctx, &made, layout, cotarget);
    zlay_layout_free(layout);
    return give(call, status, made);
}
