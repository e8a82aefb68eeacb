/* SPDX-License-Identifier: Apache-2.0 */
/* Words, what is left over beside a descriptor, and the swizzles in a layout. */
#include "json/synth/emit.h"

#include <zlay/emit_function.h>
#include <string.h>

static const char *const coordinates[] = {"byte", "register", "lane", "warp", "block"};
enum { COORDINATES = sizeof coordinates / sizeof *coordinates };

static void slot_sizes(uint32_t bits[COORDINATES], const zlay_slots *s)
{
    bits[0] = s->byte_bits;
    bits[1] = s->register_bits;
    bits[2] = s->lane_bits;
    bits[3] = s->warp_bits;
    bits[4] = s->block_bits;
}

/* ---- words -------------------------------------------------------------------------- */

/* The values of a slot, one a coordinate that there is. */
static json_t *slot_value(zl_call *call, const zlay_slots *slots, uint64_t slot)
{
    uint32_t bits[COORDINATES];
    json_t *list = json_array();
    slot_sizes(bits, slots);
    for (int i = 0; i < COORDINATES; i++) {
        if (bits[i]) zl_put_item(call, list, zl_json_uint(slot & (((uint64_t)1 << bits[i]) - 1)));
        slot >>= bits[i];
    }
    return list;
}

static json_t *dims_value(zl_call *call, const zlay_slots *slots, const zlay_word_step *step)
{
    uint32_t bits[COORDINATES], low = 0;
    json_t *list = json_array();
    slot_sizes(bits, slots);
    for (int i = 0; i < COORDINATES; i++) {
        if (!bits[i]) continue;
        json_t *dim = json_array(), *bases = step ? json_array() : NULL;
        zl_put_item(call, dim, json_string(coordinates[i]));
        for (uint32_t k = low; step && k < low + bits[i]; k++)
            zl_put_item(call, bases, slot_value(call, slots, step->basis[k]));
        zl_put_item(call, dim, step ? bases : zl_json_uint((uint64_t)1 << bits[i]));
        zl_put_item(call, list, dim);
        low += bits[i];
    }
    return list;
}

static json_t *map_value(zl_call *call, const zlay_slots *slots, const zlay_word_step *step)
{
    json_t *map = json_object();
    zl_put_value(call, map, "in", dims_value(call, slots, step));
    zl_put_value(call, map, "out", dims_value(call, slots, NULL));
    return map;
}

static json_t *step_value(zl_call *call, const zlay_slots *slots, const zlay_word_step *step)
{
    json_t *value = json_object();
    zl_put_value(call, value, "op", json_string(zlay_word_op(step->generator)));
    zl_put_value(call, value, "form", json_string(zlay_word_form(step->generator)));
    zl_put_value(call, value, "map", map_value(call, slots, step));
    if (step->constant)
        zl_put_value(call, value, "constant", slot_value(call, slots, step->constant));
    zl_put_value(call, value, "rounds", zl_json_uint(step->rounds));
    zl_put_value(call, value, "instructions", zl_json_uint(step->instructions));
    return value;
}

typedef struct named_word {
    const zlay_word *word;
    zl_json_text name;
} named_word;

static zlay_status print_word(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const named_word *n = value;
    return zlay_emit_word(ctx, out, n->word, n->name.text, n->name.length);
}

/* The kernel of a word, where the request has a name for it. */
static zlay_status put_kernel(zl_call *call, const zlay_word *word)
{
    named_word n = {word, {NULL, 0}};
    zlay_status status = zl_get_text(call, call->request, "name", &n.name);
    if (status || !n.name.text) return status;
    return zl_put_printed(call, "text", print_word, &n);
}

static zlay_status put_word(zl_call *call, json_t *value, const zlay_word *word)
{
    zlay_word_summary info;
    zlay_slots slots;
    zlay_word_step step;
    json_t *steps = json_array();
    zlay_status status = zlay_word_info(&info, word);
    if (!status) status = zlay_word_slots(&slots, word);
    for (uint32_t i = 0; !status && i < info.steps; i++) {
        status = zlay_word_step_nth(&step, word, i);
        if (!status) zl_put_item(call, steps, step_value(call, &slots, &step));
    }
    zl_put_value(call, value, "word", steps);
    if (status) return status;
    zl_put_value(call, value, "rounds", zl_json_uint(info.rounds));
    zl_put_value(call, value, "instructions", zl_json_uint(info.instructions));
    json_t *lower = json_object();
    zl_put_value(call, lower, "rounds", zl_json_uint(info.lower_rounds));
    zl_put_value(call, lower, "instructions", zl_json_uint(info.lower_instructions));
    zl_put_value(call, value, "lower_bound", lower);
    zl_put_value(call, value, "optimal", json_boolean(info.optimal));
    return put_kernel(call, word);
}

/* [name, size] in the order of a slot's coordinates. */
static zlay_status read_slots(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *list;
    zlay_slots *out = to;
    uint32_t *const bits[] = {&out->byte_bits, &out->register_bits, &out->lane_bits,
                              &out->warp_bits, &out->block_bits};
    int next = 0;
    zlay_dim dim;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    for (size_t i = 0; !status && i < json_array_size(list); i++, next++) {
        status = zl_get_dim(call, field->name, json_array_get(list, i), &dim);
        if (status) return status;
        while (next < COORDINATES && strcmp(dim.name, coordinates[next])) next++;
        if (next == COORDINATES || !dim.size || dim.size & (dim.size - 1) ||
            json_array_size(json_array_get(list, i)) != 2)
            return zl_wrong(call, field->name,
                            "a list of [\"byte\" | \"register\" | \"lane\" | \"warp\" | \"block\", "
                            "a power of two], in this order");
        *bits[next] = (uint32_t)__builtin_ctzll(dim.size);
    }
    return status;
}

static const zl_field_kind as_slots = {.read = read_slots, .type = "sizes"};
typedef zlay_slots as_slots_type;

typedef struct permutation {
    zlay_slots slots;
    const zlay_layout *map;
} permutation;

static const zl_field word_rows[] = {
    {"slots", ZL_NEEDS, ZL_AT(as_slots, permutation, slots)},
    {"map", ZL_NEEDS, ZL_AT(zl_as_layout, permutation, map)},
    ZL_OWN_OF(zl_as_own_text, "name", ZL_MAY),
};
const zl_fields zl_word_fields = {ZL_ROWS(word_rows, permutation)};

zlay_status zl_op_word_synth(zl_call *call, const void *value)
{
    const permutation *p = value;
    zlay_word *word = NULL;
    call->in_input = true;
    zlay_status status = zlay_word_synth(call->ctx, &word, &p->slots, p->map);
    if (!status) {
        call->value = json_object();
        status = put_word(call, call->value, word);
    }
    zlay_word_free(word);
    return status;
}

/* ---- functions ------------------------------------------------------------------------ */

typedef struct word_function {
    zl_emit_head head;
    permutation of;
    int32_t language;
    const zlay_word *word;
} word_function;

static const zl_field word_function_rows[] = {
    ZL_PART(zl_emit_head_fields, word_function, head),
    {"slots", ZL_NEEDS, ZL_AT(as_slots, word_function, of.slots)},
    {"map", ZL_NEEDS, ZL_AT(zl_as_layout, word_function, of.map)},
    {"language", ZL_NEEDS, ZL_AT(zl_as_word, word_function, language), .of = zl_function_languages},
};
const zl_fields zl_emit_word_fields = {ZL_ROWS(word_function_rows, word_function)};

static zlay_status print_word_function(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const word_function *f = value;
    return zlay_emit_word_function(ctx, out, f->word, f->language, f->head.name.text,
                                   f->head.name.length);
}

zlay_status zl_emit_word(zl_call *call, const void *value)
{
    word_function f = *(const word_function *)value;
    zlay_word *word = NULL;
    zlay_status status = zlay_word_synth(call->ctx, &word, &f.of.slots, f.of.map);
    f.word = word;
    if (!status)
        status = zl_put_kernel(call, zl_word_of(zl_function_languages, f.language),
                               print_word_function, &f, &f.head);
    zlay_word_free(word);
    return status;
}

/* ---- factors -------------------------------------------------------------------------- */

static zlay_status factor_value(zl_call *call, const zlay_factor *x)
{
    static const char *const parts[] = {"layout", "residual", "dual"};
    zlay_factor_summary info;
    zlay_status status = zlay_factor_info(&info, x);
    if (status) return status;
    json_t *desc = json_object();
    call->value = json_object();
    zl_put_value(call, desc, "name", json_string(info.desc));
    zl_put_value(call, desc, "first", zl_json_uint(info.first));
    zl_put_value(call, desc, parts[0], zl_json_layout(call, zlay_factor_part(x, ZLAY_FACTOR_DESC)));
    zl_put_value(call, call->value, "desc", desc);
    for (int i = ZLAY_FACTOR_RESIDUAL; i < ZLAY_FACTOR_PARTS; i++)
        zl_put_value(call, call->value, parts[i], zl_json_layout(call, zlay_factor_part(x, i)));
    return put_word(call, call->value, zlay_factor_word(x));
}

/* The name of one of the family, as static text. */
static zlay_status read_desc(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_json_text span = {NULL, 0};
    const char *name;
    zlay_status status = zl_get_text(call, object, field->name, &span);
    if (status) return status;
    for (size_t i = 0; (name = zlay_factor_desc_nth(i)); i++)
        if (strlen(name) == span.length && !memcmp(name, span.text, span.length)) {
            *(const char **)to = name;
            return ZLAY_OK;
        }
    return zl_wrong(call, field->name, "the name of a layout of docs/synthesis.md");
}

static const zl_field_kind as_desc = {.read = read_desc, .type = "text"};
typedef const char *as_desc_type;

typedef struct asked {
    const zlay_target *target;
    zlay_factor_request request;
} asked;

static const zl_field factor_rows[] = {
    ZL_TARGET(asked),
    {"elem_bits", ZL_MAY, ZL_AT(zl_as_u32, asked, request.elem_bits)},
    {"desc", ZL_MAY, ZL_AT(as_desc, asked, request.desc)},
    ZL_OWN_OF(zl_as_own_text, "name", ZL_MAY),
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, asked, request.layout)},
};
static const asked usual = {.request = {.size = sizeof usual.request}};
const zl_fields zl_factor_fields = {ZL_ROWS(factor_rows, asked), .start = &usual};

zlay_status zl_op_layout_factor(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_factor *x = NULL;
    zlay_status status = zlay_factor_synth(call->ctx, &x, a->target, &a->request);
    if (!status) status = factor_value(call, x);
    zlay_factor_free(x);
    return status;
}

/* ---- normal forms ---------------------------------------------------------------------- */

enum { ATOMS_MOST = 2048 };

static json_t *atoms_value(zl_call *call, const zlay_normal *n, int32_t side)
{
    zlay_atom *at = zl_scratch(call->ctx, ATOMS_MOST, sizeof *at);
    json_t *list = json_array();
    if (!at) call->no_memory = true;
    size_t count = at ? zlay_normal_swizzles(at, ATOMS_MOST, n, side) : 0;
    for (size_t i = 0; i < count; i++)
        zl_put_item(call, list, zl_json_three(call, at[i].bits, at[i].base, at[i].shift));
    return list;
}

static zlay_status normal_value(zl_call *call, const zlay_normal *n, uint32_t elem_bits)
{
    int32_t number;
    const char *name = NULL;
    zlay_status status = elem_bits % 8 ? ZLAY_EINVAL
                                       : zlay_normal_hardware(&number, &name, n, elem_bits / 8);
    if (status && status != ZLAY_NONE)
        return zl_wrong(call, "elem_bits", "8 times a power of two");
    call->value = json_object();
    zl_put_value(call, call->value, "offset", atoms_value(call, n, ZLAY_NORMAL_OFFSET));
    zl_put_value(call, call->value, "strided", zl_json_layout(call, zlay_normal_strided(n)));
    zl_put_value(call, call->value, "index", atoms_value(call, n, ZLAY_NORMAL_INDEX));
    zl_put_value(call, call->value, "hardware", name ? json_string(name) : json_null());
    return ZLAY_OK;
}

typedef struct swizzled {
    const zlay_layout *layout;
    uint32_t elem_bits;
} swizzled;

static const zl_field normal_rows[] = {
    {"elem_bits", ZL_MAY, ZL_AT(zl_as_u32, swizzled, elem_bits)},
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, swizzled, layout)},
};
const zl_fields zl_normal_fields = {ZL_ROWS(normal_rows, swizzled),
                                    .start = &(const swizzled){.elem_bits = 8}};

zlay_status zl_op_swizzle_normal(zl_call *call, const void *value)
{
    const swizzled *s = value;
    zlay_normal *n = NULL;
    zlay_status status = zlay_swizzle_normal(call->ctx, &n, s->layout);
    if (!status) status = normal_value(call, n, s->elem_bits);
    zlay_normal_free(n);
    return status;
}
