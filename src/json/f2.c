/* SPDX-License-Identifier: Apache-2.0 */
/* F2 layouts as objects: {"in": [[name, [bases]]], "out": [[name, size]]}. */
#include "json/json.h"

#include <string.h>

static const char whole[] = "18446744073709551616"; /* 2^64, which zlay_dim writes as 0 */

/* ---- object to layout -------------------------------------------------------- */

zlay_status zl_get_dim(zl_call *call, const char *name, const json_t *list, zlay_dim *out)
{
    const json_t *size = json_array_get(list, 1);
    const char *text = json_string_value(json_array_get(list, 0));
    size_t length = json_string_length(json_array_get(list, 0));
    *out = (zlay_dim){.size = 0};
    if (!text || length >= sizeof out->name || strlen(text) != length)
        return zl_wrong(call, name, "made of dimensions [name, ..] with names of 1 to 64 letters");
    memcpy(out->name, text, length);
    if (json_is_string(size) && !strcmp(json_string_value(size), whole)) return ZLAY_OK;
    if (zl_json_u64(size, &out->size) && out->size) return ZLAY_OK;
    return zl_wrong(call, name, "made of dimensions [name, size] with sizes of 1 or more");
}

/* A third word may say what the size says. */
static bool says_so(const json_t *output, uint64_t size)
{
    const char *word = json_string_value(json_array_get(output, 2));
    bool power = !(size & (size - 1));
    if (json_array_size(output) == 2) return true;
    return json_array_size(output) == 3 && word && !strcmp(word, power ? "xor" : "add");
}

static zlay_status read_output(zl_call *call, const char *name, const json_t *output,
                               zlay_dim *out)
{
    zlay_status status = zl_get_dim(call, name, output, out);
    if (status || says_so(output, out->size)) return status;
    return zl_wrong(call, name, "an F2 object: each of 'out' is [name, size], and may add \"xor\" "
                    "to a power of two and \"add\" to any other size");
}

static zlay_status read_basis(zl_call *call, const char *name, const json_t *basis, size_t outs,
                              uint64_t *row)
{
    bool right = json_is_array(basis) && json_array_size(basis) == outs;
    for (size_t i = 0; right && i < outs; i++)
        right = zl_json_u64(json_array_get(basis, i), &row[i]);
    if (right) return ZLAY_OK;
    return zl_wrong(call, name, "an F2 object: a basis has one integer an output");
}

/* Every list is cut at 64: what is longer was refused. */
typedef struct bases {
    zlay_dim in[64], out[64];
    size_t ins, outs, bits;
    uint64_t *row;
} bases;

static zlay_status read_outputs(zl_call *call, const char *name, const json_t *list, bases *b)
{
    zlay_status status = ZLAY_OK;
    for (b->outs = 0; b->outs < json_array_size(list) && !status; b->outs++)
        status = read_output(call, name, json_array_get(list, b->outs), &b->out[b->outs]);
    return status;
}

static zlay_status read_input(zl_call *call, const char *name, const json_t *input, bases *b)
{
    const json_t *list = json_array_get(input, 1), *text = json_array_get(input, 0);
    size_t count = json_array_size(list), length = json_string_length(text);
    zlay_dim *in = &b->in[b->ins];
    *in = (zlay_dim){.size = 0};
    if (json_array_size(input) != 2 || !json_is_array(list) || !json_is_string(text) ||
        length >= sizeof in->name || strlen(json_string_value(text)) != length)
        return zl_wrong(call, name, "an F2 object: each of 'in' is [name, [bases]]");
    if (count > 64 - b->bits)
        return zl_fail(call->ctx, ZLAY_EOVERFLOW, "field '%s': the inputs have more than 64 bits",
                       name);
    memcpy(in->name, json_string_value(text), length);
    in->size = count < 64 ? (uint64_t)1 << count : 0;
    for (size_t i = 0; i < count; i++) {
        zlay_status status = read_basis(call, name, json_array_get(list, i), b->outs,
                                        b->row + b->bits++ * b->outs);
        if (status) return status;
    }
    return ZLAY_OK;
}

static zlay_status read_inputs(zl_call *call, const char *name, const json_t *list, bases *b)
{
    zlay_status status = ZLAY_OK;
    for (b->ins = b->bits = 0; b->ins < json_array_size(list) && !status; b->ins++)
        status = read_input(call, name, json_array_get(list, b->ins), b);
    return status;
}

static const zl_field f2_rows[] = {ZL_OWN("in", ZL_NEEDS), ZL_OWN("out", ZL_NEEDS)};
static const zl_fields f2_fields = ZL_FIELDS(f2_rows);

static zlay_status read_object(zl_call *call, const char *name, const json_t *object, bases *b)
{
    const json_t *ins = json_object_get(object, "in"), *outs = json_object_get(object, "out");
    zlay_status status = zl_names_check(call, object, name, &f2_fields);
    if (status) return status;
    if (!json_is_array(ins) || !json_is_array(outs))
        return zl_wrong(call, name, "an F2 object: 'in' and 'out' are lists");
    if (json_array_size(ins) > 64 || json_array_size(outs) > 64)
        return zl_fail(call->ctx, ZLAY_ELIMIT,
                       "field '%s': an F2 layout has 64 inputs and 64 outputs at most", name);
    status = read_outputs(call, name, outs, b);
    return status ? status : read_inputs(call, name, ins, b);
}

zlay_status zl_f2_layout(zl_call *call, const char *name, const json_t *object, zlay_layout **out)
{
    zl_mark mark = zl_scratch_mark(call->ctx);
    bases b;
    b.ins = b.outs = b.bits = 0;
    b.row = zl_scratch(call->ctx, 64 * 64, sizeof *b.row);
    if (!b.row) return ZLAY_ENOMEM;
    zlay_status status = read_object(call, name, object, &b);
    zlay_f2_bases made = {sizeof made, 0, b.ins, b.outs, b.in, b.out, b.row};
    if (!status) status = zlay_f2_new(call->ctx, out, &made);
    zl_scratch_release(call->ctx, mark);
    return status;
}

/* ---- layout to object --------------------------------------------------------- */

static json_t *size_value(uint64_t size) { return size ? zl_json_uint(size) : json_string(whole); }

static json_t *bases_value(zl_call *call, const zlay_layout *layout, uint32_t first, uint32_t count)
{
    uint64_t row[64];
    json_t *list = json_array();
    for (uint32_t k = first; k < first + count; k++) {
        zlay_f2_basis(row, 64, layout, k);
        zl_put_item(call, list, zl_json_list(call, row, zlay_layout_out_count(layout)));
    }
    return list;
}

static json_t *inputs_value(zl_call *call, const zlay_layout *layout)
{
    zlay_dim dim;
    uint32_t low = 0;
    json_t *list = json_array();
    for (size_t i = 0; zlay_f2_in_nth(&dim, layout, i) == ZLAY_OK; i++) {
        json_t *input = json_array();
        uint32_t bits = dim.size ? (uint32_t)__builtin_ctzll(dim.size) : 64;
        zl_put_item(call, input, json_string(dim.name));
        zl_put_item(call, input, bases_value(call, layout, low, bits));
        zl_put_item(call, list, input);
        low += bits;
    }
    return list;
}

static json_t *outputs_value(zl_call *call, const zlay_layout *layout)
{
    zlay_dim dim;
    json_t *list = json_array();
    for (size_t i = 0; zlay_f2_out_nth(&dim, layout, i) == ZLAY_OK; i++) {
        json_t *output = json_array();
        zl_put_item(call, output, json_string(dim.name));
        zl_put_item(call, output, size_value(dim.size));
        if (dim.size & (dim.size - 1)) zl_put_item(call, output, json_string("add"));
        zl_put_item(call, list, output);
    }
    return list;
}

json_t *zl_json_f2(zl_call *call, const zlay_layout *layout)
{
    json_t *object = json_object();
    zl_put_value(call, object, "in", inputs_value(call, layout));
    zl_put_value(call, object, "out", outputs_value(call, layout));
    return object;
}
