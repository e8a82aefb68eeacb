/* SPDX-License-Identifier: Apache-2.0 */
/* emit of what: pipe, a pipe as a kernel. */
#include "json/synth/emit.h"

enum { FRAGMENTS_MOST = 64, BOUND_MOST = 16, ARGUMENTS_MOST = 256 };

const zl_named zl_languages[] = {{"ptx", ZLAY_TEXT_PTX}, {"cuda", ZLAY_TEXT_CUDA}, {NULL, 0}};
static const zl_named kinds[] = {{"u32", ZLAY_ARGUMENT_COUNT},
                                 {"u64", ZLAY_ARGUMENT_POINTER},
                                 {"u64", ZLAY_ARGUMENT_STEP},
                                 {"CUtensorMap", ZLAY_ARGUMENT_MAP},
                                 {NULL, 0}};

/* ---- moves --------------------------------------------------------------------------------- */

static zlay_status read_axes(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_pipe_move *out = to;
    const json_t *axes = json_object_get(object, field->name);
    if (!json_is_array(axes) || json_array_size(axes) > ZLAY_PIPE_AXES)
        return zl_wrong(call, "axis", "a list of at most 8 names or null");
    for (size_t i = 0; i < json_array_size(axes); i++)
        out->axis[i] = json_string_value(json_array_get(axes, i));
    return ZLAY_OK;
}

/* The fields of tensormap.synth, which are read as a request of their own: its target is that of
 * the whole, and other fields may stand there. */
static zlay_status read_maps(zl_call *call, zlay_move **out)
{
    static const char *const needed[] = {"source", "tile"};
    zl_maps_asked asked;
    for (size_t i = 0; i < ZL_COUNT(needed); i++)
        if (!json_object_get(call->request, needed[i]))
            return zl_wrong(call, needed[i],
                            "a layout: a text, an F2 object, or {A, b, box, ..}");
    zlay_status status =
        zl_read_fresh(call, call->request, &zl_tensormap_synth_fields, &asked);
    if (!status) status = zl_maps_made(call, out, &asked);
    zl_drop(call, &zl_tensormap_synth_fields, &asked);
    return status;
}

static zlay_status read_plan(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *whole = call->request;
    zlay_move *made = NULL;
    json_t *plan = json_object_get(object, field->name);
    if (!json_is_object(plan))
        return zl_wrong(call, "plan", "an object, as tensormap.synth takes it");
    if (json_object_set(plan, "target", json_object_get(whole, "target"))) return ZLAY_ENOMEM;
    call->request = plan;
    zlay_status status = read_maps(call, &made);
    call->request = whole;
    *(const zlay_move **)to = made;
    return status;
}

static void drop_plan(zl_call *call, const zl_field *field, void *from)
{
    (void)call, (void)field;
    zlay_move_free((zlay_move *)(uintptr_t)*(const zlay_move **)from);
}

static const zl_field_kind as_axes = {.read = read_axes},
                           as_plan = {.read = read_plan, .drop = drop_plan, .late = true};
typedef zlay_pipe_move as_axes_type;
typedef const zlay_move *as_plan_type;

/* ---- fields -------------------------------------------------------------------------------- */

static const zl_field move_rows[] = {
    {"name", ZL_NEEDS, ZL_AT(zl_as_string, zlay_pipe_move, name)},
    {"axis", ZL_NEEDS, ZL_WHOLE(as_axes, zlay_pipe_move)},
    {"plan", ZL_NEEDS, ZL_AT(as_plan, zlay_pipe_move, move)},
};
static const zl_field fragment_rows[] = {
    {"line", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_pipe_fragment, line)},
    {"text", ZL_NEEDS, ZL_AT(zl_as_string, zlay_pipe_fragment, text)},
};
static const zl_field operand_rows[] = {
    {"smem", ZL_NEEDS, ZL_AT(zl_as_string, zlay_pipe_operand, smem)},
    {"type", ZL_NEEDS, ZL_AT(zl_as_word, zlay_pipe_operand, type), .of = zl_types},
    {"major", ZL_NEEDS, ZL_AT(zl_as_word, zlay_pipe_operand, major), .of = zl_majors},
    {"swizzle", ZL_NEEDS, ZL_AT(zl_as_word, zlay_pipe_operand, swizzle), .of = zl_swizzles},
    {"layout", ZL_NEEDS, ZL_AT(zl_as_plain_layout, zlay_pipe_operand, layout)},
};
static const zl_fields move_fields = {ZL_ROWS(move_rows, zlay_pipe_move)},
                       fragment_fields = {ZL_ROWS(fragment_rows, zlay_pipe_fragment)},
                       operand_fields = {ZL_ROWS(operand_rows, zlay_pipe_operand)};

typedef struct asked {
    zl_emit_head head;
    zlay_pipe_emit ask;
    zl_objects fragments, moves, operands;
} asked;

#define LIST(member, table, most)                                                                  \
    {#member, ZL_MAY, ZL_AT(zl_as_objects, asked, member), .of = &table, .count = most}
static const zl_field pipe_rows[] = {
    ZL_PART(zl_emit_head_fields, asked, head),
    {"target", ZL_NEEDS, ZL_AT(zl_as_target, asked, ask.target)},
    {"pipe", ZL_NEEDS, ZL_AT(zl_as_pipe, asked, ask.pipe)},
    {"language", ZL_MAY, ZL_AT(zl_as_word, asked, ask.language), .of = zl_languages},
    LIST(fragments, fragment_fields, FRAGMENTS_MOST),
    LIST(moves, move_fields, BOUND_MOST),
    LIST(operands, operand_fields, BOUND_MOST),
    {"unchecked", ZL_MAY, ZL_AT(zl_as_bit, asked, ask.unchecked), .count = 1},
    {"descending", ZL_MAY, ZL_AT(zl_as_bit, asked, ask.descending), .count = 1},
    {"tries", ZL_MAY, ZL_AT(zl_as_u32, asked, ask.tries)},
    ZL_PTX(asked),
};
const zl_fields zl_emit_pipe_fields = {ZL_ROWS(pipe_rows, asked)};

/* ---- the answer ------------------------------------------------------------------------------ */

typedef struct launched {
    zl_kernel_printer *print;
    const void *ask;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS_MOST];
} launched;

static zlay_status print_kernel(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    launched *l = *(launched *const *)value;
    return l->print(ctx, out, &l->launch, l->argument, ARGUMENTS_MOST, l->ask);
}

void zl_put_pipe_argument(zl_call *call, json_t *list, const zlay_pipe_argument *a)
{
    bool scalar = a->kind == ZLAY_ARGUMENT_SCALAR;
    const char *type = scalar ? zlay_type_name(a->type) : zl_word_of(kinds, a->kind);
    zl_put_argument(call, list, a->name, type, a->bytes);
}

static void put_launch(zl_call *call, const zlay_pipe_launch *launch,
                       const zlay_pipe_argument *argument)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < launch->arguments && i < ARGUMENTS_MOST; i++)
        zl_put_pipe_argument(call, list, &argument[i]);
    zl_put_value(call, call->value, "smem", json_integer(launch->smem));
    zl_put_value(call, call->value, "threads", json_integer(launch->threads));
    zl_put_value(call, call->value, "cluster", zl_json_three(call, launch->cluster, 1, 1));
    zl_put_value(call, call->value, "arguments", list);
}

zlay_status zl_put_launched(zl_call *call, const char *language, zl_kernel_printer *print,
                            const void *ask, const zl_emit_head *head)
{
    launched l = {.print = print, .ask = ask}, *at = &l;
    zlay_status status = zl_put_kernel(call, language, print_kernel, &at, head);
    if (!status) put_launch(call, &l.launch, l.argument);
    return status;
}

static zlay_status print_pipe(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                              zlay_pipe_argument *arguments, size_t room, const void *ask)
{
    return zlay_emit_pipe(ctx, out, launch, arguments, room, ask);
}

zlay_status zl_emit_pipe(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_pipe_emit ask = a->ask;
    ask.size = sizeof ask;
    ask.name = a->head.name.text;
    ask.name_length = a->head.name.length;
    ask.moves = a->moves.row;
    ask.moves_count = a->moves.count;
    ask.fragments = a->fragments.row;
    ask.fragments_count = a->fragments.count;
    ask.operands = a->operands.row;
    ask.operands_count = a->operands.count;
    const char *language = zl_word_of(zl_languages, ask.language);
    return zl_put_launched(call, language, print_pipe, &ask, &a->head);
}
