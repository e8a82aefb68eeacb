/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts as objects: {"A": rows, "b": [..], "box": [..], "guards": [texts], "else": the next}. */
#include "json/json.h"

#include <string.h>

/* All pieces of a chain in one block each. */
typedef struct chain {
    zl_call *call;
    const char *field;
    size_t dims, outs, count, guards;
    uint64_t *box;
    zlay_piece *piece;
    int64_t *number;
    const char **guard;
} chain;

enum { CHAIN_MOST = 4096 };

static zlay_status wrong(const chain *c, const char *wanted)
{
    return zl_wrong(c->call, c->field, wanted);
}

static const zl_field piece_rows[] = {ZL_OWN("A", ZL_NEEDS), ZL_OWN("b", ZL_NEEDS),
                                      ZL_OWN("box", ZL_MAY), ZL_OWN("guards", ZL_MAY),
                                      ZL_OWN("else", ZL_MAY)};
static const zl_fields piece_fields = ZL_FIELDS(piece_rows);

static zlay_status check_object(const chain *c, const json_t *object)
{
    const json_t *rows = json_object_get(object, "A"), *b = json_object_get(object, "b");
    const json_t *guards = json_object_get(object, "guards");
    zlay_status status = zl_names_check(c->call, object, c->field, &piece_fields);
    if (status) return status;
    if (!json_is_array(rows) || json_array_size(rows) != c->outs || !json_is_array(b) ||
        json_array_size(b) != c->outs)
        return wrong(c, "{A, b, box, guards, else}: 'A' and 'b' have a row and an entry an output");
    if (guards && !json_is_array(guards))
        return wrong(c, "{A, b, ..}: 'guards' is a list of texts");
    return ZLAY_OK;
}

static zlay_status count_chain(chain *c, const json_t *object)
{
    const json_t *box = json_object_get(object, "box");
    zlay_status status = ZLAY_OK;
    if (!json_is_array(box)) return wrong(c, "{A, b, box, ..}: 'box' is a list of extents");
    c->dims = json_array_size(box);
    c->outs = json_array_size(json_object_get(object, "A"));
    while (!status && json_is_object(object)) {
        status = check_object(c, object);
        c->guards += json_array_size(json_object_get(object, "guards"));
        object = json_object_get(object, "else");
        if (!status && ++c->count > CHAIN_MOST) return wrong(c, "a chain of at most 4096 pieces");
    }
    if (!status && object && !json_is_null(object))
        return wrong(c, "{.., else: an object or null}");
    return status;
}

static zlay_status read_box(chain *c, const json_t *box)
{
    for (size_t i = 0; i < c->dims; i++)
        if (!zl_json_u64(json_array_get(box, i), &c->box[i]))
            return wrong(c, "{.., box: a list of extents}");
    return ZLAY_OK;
}

static bool read_numbers(int64_t **at, const json_t *list, size_t count)
{
    if (!json_is_array(list) || json_array_size(list) != count) return false;
    for (size_t i = 0; i < count; i++)
        if (!zl_json_i64(json_array_get(list, i), (*at)++)) return false;
    return true;
}

static zlay_status read_guards(chain *c, zlay_piece *piece, const json_t *list, const char ***at)
{
    piece->guard = *at;
    piece->guards = json_array_size(list);
    for (size_t i = 0; i < piece->guards; i++) {
        const json_t *text = json_array_get(list, i);
        if (!json_is_string(text) || strlen(json_string_value(text)) != json_string_length(text))
            return wrong(c, "{.., guards: a list of texts}");
        *(*at)++ = json_string_value(text);
    }
    return ZLAY_OK;
}

static zlay_status read_chain(chain *c, const json_t *object)
{
    int64_t *number = c->number;
    const char **guard = c->guard;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < c->count && !status; i++, object = json_object_get(object, "else")) {
        const json_t *rows = json_object_get(object, "A");
        c->piece[i].a = number;
        for (size_t r = 0; r < c->outs; r++)
            if (!read_numbers(&number, json_array_get(rows, r), c->dims))
                return wrong(c, "{A: rows of as many integers as 'box' has}");
        c->piece[i].b = number;
        if (!read_numbers(&number, json_object_get(object, "b"), c->outs))
            return wrong(c, "{.., b: a list of integers}");
        status = read_guards(c, &c->piece[i], json_object_get(object, "guards"), &guard);
    }
    return status;
}

static zlay_status make_chain(chain *c, const json_t *object, zlay_layout **out)
{
    zlay_ctx *ctx = c->call->ctx;
    size_t numbers = c->count * c->outs * (c->dims + 1);
    c->box = zl_scratch(ctx, c->dims, sizeof *c->box);
    c->piece = zl_scratch(ctx, c->count, sizeof *c->piece);
    c->number = zl_scratch(ctx, numbers, sizeof *c->number);
    c->guard = zl_scratch(ctx, c->guards, sizeof *c->guard);
    if (!c->box || !c->piece || !c->number || !c->guard) return ZLAY_ENOMEM;
    zlay_status status = read_box(c, json_object_get(object, "box"));
    if (!status) status = read_chain(c, object);
    if (status) return status;
    return zlay_layout_new_pieces(ctx, out, c->dims, c->box, c->outs, c->count, c->piece);
}

zlay_status zl_affine_layout(zl_call *call, const char *name, const json_t *object,
                             zlay_layout **out)
{
    chain c = {.call = call, .field = name};
    zlay_status status = count_chain(&c, object);
    return status ? status : make_chain(&c, object, out);
}
