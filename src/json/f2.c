/* SPDX-License-Identifier: Apache-2.0 */
/* F2-linear layouts as objects, to and from f2{in: (..) (..) -> out: n}. */
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 64 };

static bool is_name(const json_t *value)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const char *text = json_string_value(value);
    size_t length = text ? strlen(text) : 0;
    return length && length <= NAME_MOST && length == json_string_length(value) &&
           strspn(text, allowed) == length && (text[0] < '0' || text[0] > '9');
}

static bool is_list_of(const json_t *list, size_t length)
{
    return json_is_array(list) && (json_array_size(list) == length || length == SIZE_MAX);
}

/* ---- object to text --------------------------------------------------------- */

static bool basis_fits(const json_t *basis, size_t outs)
{
    uint64_t value;
    if (!is_list_of(basis, outs)) return false;
    for (size_t i = 0; i < outs; i++)
        if (!zl_json_u64(json_array_get(basis, i), &value)) return false;
    return true;
}

static bool input_fits(const json_t *input, size_t outs)
{
    const json_t *bases = json_array_get(input, 1);
    if (!is_list_of(input, 2) || !is_name(json_array_get(input, 0)) || !is_list_of(bases, SIZE_MAX))
        return false;
    for (size_t i = 0; i < json_array_size(bases); i++)
        if (!basis_fits(json_array_get(bases, i), outs)) return false;
    return true;
}

static bool is_xor(const json_t *word)
{
    return json_is_string(word) && !strcmp(json_string_value(word), "xor");
}

static zlay_status output_check(zl_call *call, const char *name, const json_t *output)
{
    uint64_t size = 0;
    size_t length = json_is_array(output) ? json_array_size(output) : 0;
    if (length < 2 || length > 3 || !is_name(json_array_get(output, 0)) ||
        !zl_json_u64(json_array_get(output, 1), &size))
        return zl_wrong(call, name, "an F2 object: each of 'out' is [name, size]");
    if ((length == 3 && !is_xor(json_array_get(output, 2))) || !size || (size & (size - 1)))
        return zl_fail(call->ctx, ZLAY_ENOTSUP,
                       "field '%s': outputs that add modulo their size are not done; size %" PRIu64,
                       name, size);
    return ZLAY_OK;
}

static zlay_status object_check(zl_call *call, const char *name, const json_t *object)
{
    const json_t *ins = json_object_get(object, "in"), *outs = json_object_get(object, "out");
    zlay_status status = zl_fields_check(call, object, name, "in out", "");
    if (status) return status;
    if (!is_list_of(ins, SIZE_MAX) || !is_list_of(outs, SIZE_MAX) || !json_array_size(outs))
        return zl_wrong(call, name, "an F2 object: 'in' and 'out' are lists");
    for (size_t i = 0; i < json_array_size(outs); i++)
        if ((status = output_check(call, name, json_array_get(outs, i)))) return status;
    for (size_t i = 0; i < json_array_size(ins); i++)
        if (!input_fits(json_array_get(ins, i), json_array_size(outs)))
            return zl_wrong(call, name,
                            "an F2 object: each of 'in' is [name, [bases]], and a basis "
                            "has one integer an output");
    return ZLAY_OK;
}

static void put_basis(zl_text *out, const json_t *basis)
{
    for (size_t i = 0; i < json_array_size(basis); i++) {
        uint64_t value = 0;
        zl_json_u64(json_array_get(basis, i), &value);
        zl_putf(out, "%s%" PRIu64, i ? "," : " (", value);
    }
    zl_puts(out, ")");
}

static void put_input(zl_text *out, const json_t *input)
{
    const json_t *bases = json_array_get(input, 1);
    zl_putf(out, "%s:", json_string_value(json_array_get(input, 0)));
    for (size_t i = 0; i < json_array_size(bases); i++) put_basis(out, json_array_get(bases, i));
}

static void object_write(zl_text *out, const void *object)
{
    const json_t *ins = json_object_get(object, "in"), *outs = json_object_get(object, "out");
    zl_puts(out, "f2{");
    for (size_t i = 0; i < json_array_size(ins); i++) {
        zl_puts(out, i ? "; " : "");
        put_input(out, json_array_get(ins, i));
    }
    zl_puts(out, " -> ");
    for (size_t i = 0; i < json_array_size(outs); i++) {
        const json_t *output = json_array_get(outs, i);
        uint64_t size = 0;
        zl_json_u64(json_array_get(output, 1), &size);
        zl_putf(out, "%s%s: %" PRIu64, i ? ", " : "", json_string_value(json_array_get(output, 0)),
                size);
    }
    zl_puts(out, "}");
}

zlay_status zl_f2_text(zl_call *call, const char *name, const json_t *object, char **text,
                       size_t *length)
{
    zlay_status status = object_check(call, name, object);
    return status ? status : zl_print_alloc(call->ctx, text, length, object_write, object);
}

/* ---- text to object --------------------------------------------------------- */

/* A name up to its colon; `*at` moves past both. */
static json_t *take_name(const char **at)
{
    size_t length = strcspn(*at, ":");
    json_t *name = json_stringn(*at, length);
    *at += length + ((*at)[length] == ':');
    return name;
}

static json_t *take_number(const char **at)
{
    char *end;
    uint64_t value = strtoull(*at, &end, 10);
    *at = end;
    return zl_json_uint(value);
}

static json_t *take_bases(zl_call *call, const char **at)
{
    json_t *bases = json_array();
    while ((*at += strspn(*at, " ")), **at == '(') {
        json_t *basis = json_array();
        do {
            ++*at;
            zl_put_item(call, basis, take_number(at));
        } while (**at == ',');
        ++*at;
        zl_put_item(call, bases, basis);
    }
    return bases;
}

static json_t *take_inputs(zl_call *call, const char **at)
{
    json_t *ins = json_array();
    while (**at && **at != '-') {
        json_t *input = json_array();
        zl_put_item(call, input, take_name(at));
        zl_put_item(call, input, take_bases(call, at));
        zl_put_item(call, ins, input);
        *at += strspn(*at, "; ");
    }
    return ins;
}

static json_t *take_outputs(zl_call *call, const char **at)
{
    json_t *outs = json_array();
    while (**at && **at != '}') {
        json_t *output = json_array();
        zl_put_item(call, output, take_name(at));
        zl_put_item(call, output, take_number(at));
        zl_put_item(call, outs, output);
        *at += strspn(*at, ", ");
    }
    return outs;
}

json_t *zl_f2_object(zl_call *call, const char *text)
{
    json_t *object = json_object();
    const char *at = text + strlen("f2{");
    at += strspn(at, " ");
    zl_put_value(call, object, "in", take_inputs(call, &at));
    at += strspn(at, "-> ");
    zl_put_value(call, object, "out", take_outputs(call, &at));
    return object;
}
