/* SPDX-License-Identifier: Apache-2.0 */
/* A pipe as a kernel. */
#include "json/json.h"

enum { FRAGMENTS_MOST = 64, BOUND_MOST = 16, ARGUMENTS_MOST = 256 };

static const zl_named languages[] = {{"ptx", ZLAY_TEXT_PTX}, {"cuda", ZLAY_TEXT_CUDA}, {NULL, 0}};
static const zl_named kinds[] = {{"u32", ZLAY_ARGUMENT_COUNT},
                                 {"u64", ZLAY_ARGUMENT_POINTER},
                                 {"u64", ZLAY_ARGUMENT_STEP},
                                 {"CUtensorMap", ZLAY_ARGUMENT_MAP},
                                 {NULL, 0}};

typedef struct pipe_ask {
    zlay_pipe_emit ask;
    zlay_pipe_fragment fragment[FRAGMENTS_MOST];
    zlay_pipe_move move[BOUND_MOST];
    zlay_move *plan[BOUND_MOST];
    zlay_pipe_operand operand[BOUND_MOST];
    zlay_layout *layout[BOUND_MOST];
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS_MOST];
} pipe_ask;

/* An optional list of at most so many objects; NULL where it is absent. */
static zlay_status list_of(zl_call *call, const char *name, size_t most, const json_t **list)
{
    *list = NULL;
    if (!json_object_get(call->request, name)) return ZLAY_OK;
    zlay_status status = zl_get_list(call, call->request, name, list);
    if (status || json_array_size(*list) <= most) return status;
    return zl_fail(call->ctx, ZLAY_ELIMIT, "field '%s': %zu, and at most %zu are read", name,
                   json_array_size(*list), most);
}

/* "fragments": [{"line": .., "text": ..}] */
static zlay_status read_fragments(zl_call *call, pipe_ask *p)
{
    const json_t *list;
    zlay_status status = list_of(call, "fragments", FRAGMENTS_MOST, &list);
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        const json_t *one = json_array_get(list, i);
        zl_json_text text = {0};
        status = zl_fields_check(call, one, "fragments", "line text", "");
        if (!status) status = zl_get_u32(call, one, "line", &p->fragment[i].line);
        if (!status) status = zl_get_text(call, one, "text", &text);
        p->fragment[i].text = text.text;
    }
    p->ask.fragments = p->fragment;
    p->ask.fragments_count = (uint32_t)json_array_size(list);
    return status;
}

static zlay_status read_axes(zl_call *call, const json_t *one, zlay_pipe_move *out)
{
    const json_t *axes = json_object_get(one, "axis");
    if (!json_is_array(axes) || json_array_size(axes) > ZLAY_PIPE_AXES)
        return zl_wrong(call, "axis", "a list of at most 8 names or null");
    for (size_t i = 0; i < json_array_size(axes); i++)
        out->axis[i] = json_string_value(json_array_get(axes, i));
    return ZLAY_OK;
}

/* The fields of tensormap.synth stand in an object of their own, all but the target. */
static zlay_status read_plan(zl_call *call, json_t *plan, zlay_move **out)
{
    uint32_t axes;
    const json_t *whole = call->request;
    if (!json_is_object(plan))
        return zl_wrong(call, "plan", "an object, as tensormap.synth takes it");
    if (json_object_set(plan, "target", json_object_get(whole, "target"))) return ZLAY_ENOMEM;
    call->request = plan;
    zlay_status status = zl_move_synth(call, out, &axes);
    call->request = whole;
    return status;
}

/* "moves": [{"name": .., "axis": [..], "plan": {..}}] */
static zlay_status read_moves(zl_call *call, pipe_ask *p)
{
    const json_t *list;
    zlay_status status = list_of(call, "moves", BOUND_MOST, &list);
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        const json_t *one = json_array_get(list, i);
        zl_json_text name = {0};
        status = zl_fields_check(call, one, "moves", "name axis plan", "");
        if (!status) status = zl_get_text(call, one, "name", &name);
        if (!status) status = read_axes(call, one, &p->move[i]);
        if (!status) status = read_plan(call, json_object_get(one, "plan"), &p->plan[i]);
        p->move[i].name = name.text;
        p->move[i].move = p->plan[i];
    }
    p->ask.moves = p->move;
    p->ask.moves_count = (uint32_t)json_array_size(list);
    return status;
}

/* "operands": [{"smem": .., "type": .., "major": .., "swizzle": .., "layout": ..}] */
static zlay_status read_operands(zl_call *call, pipe_ask *p)
{
    const json_t *list;
    zlay_status status = list_of(call, "operands", BOUND_MOST, &list);
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        const json_t *one = json_array_get(list, i);
        zlay_pipe_operand *o = &p->operand[i];
        zl_json_text smem = {0};
        status = zl_fields_check(call, one, "operands", "smem type major swizzle layout", "");
        if (!status) status = zl_get_text(call, one, "smem", &smem);
        if (!status) status = zl_get_word(call, one, "type", zl_types, &o->type);
        if (!status) status = zl_get_word(call, one, "major", zl_majors, &o->major);
        if (!status) status = zl_get_word(call, one, "swizzle", zl_swizzles, &o->swizzle);
        if (!status)
            status = zl_layout_of(call, "layout", json_object_get(one, "layout"), &p->layout[i]);
        o->smem = smem.text;
        o->layout = p->layout[i];
    }
    p->ask.operands = p->operand;
    p->ask.operands_count = (uint32_t)json_array_size(list);
    return status;
}

static void bound_free(pipe_ask *p)
{
    for (size_t i = 0; i < BOUND_MOST; i++) {
        zlay_move_free(p->plan[i]);
        zlay_layout_free(p->layout[i]);
    }
}

static zlay_status read_ask(zl_call *call, pipe_ask *p)
{
    zl_json_text name = {0};
    bool unchecked = false;
    p->ask.size = sizeof p->ask;
    zlay_status status = zl_get_target(call, &p->ask.target);
    if (!status) status = zl_get_text(call, call->request, "name", &name);
    if (!status) status = zl_get_word(call, call->request, "language", languages, &p->ask.language);
    if (!status) status = zl_get_flag(call, call->request, "unchecked", &unchecked);
    if (!status) status = zl_get_u32(call, call->request, "tries", &p->ask.tries);
    if (!status) status = read_fragments(call, p);
    if (!status) status = read_moves(call, p);
    if (!status) status = read_operands(call, p);
    p->ask.name = name.text;
    p->ask.name_length = name.length;
    p->ask.unchecked = unchecked;
    return status;
}

static zlay_status print_kernel(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    pipe_ask *p = *(pipe_ask *const *)value;
    return zlay_emit_pipe(ctx, out, &p->launch, p->argument, ARGUMENTS_MOST, &p->ask);
}

static json_t *arguments(zl_call *call, const pipe_ask *p)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->launch.arguments && i < ARGUMENTS_MOST; i++) {
        const zlay_pipe_argument *a = &p->argument[i];
        json_t *one = json_object();
        zl_put_value(call, one, "name", json_string(a->name));
        const char *type = a->kind == ZLAY_ARGUMENT_SCALAR ? zlay_type_name(a->type)
                                                           : zl_word_of(kinds, a->kind);
        zl_put_value(call, one, "type", json_string(type));
        zl_put_value(call, one, "bytes", json_integer(a->bytes));
        zl_put_item(call, list, one);
    }
    return list;
}

static json_t *cluster(zl_call *call, uint32_t blocks)
{
    json_t *list = json_array();
    zl_put_item(call, list, json_integer(blocks));
    zl_put_item(call, list, json_integer(1));
    zl_put_item(call, list, json_integer(1));
    return list;
}

static zlay_status answer(zl_call *call, pipe_ask *p)
{
    zlay_status status;
    json_t *text = zl_json_printed(call, print_kernel, &p, &status);
    if (status) return status;
    status = zl_put_kernel(call, text, zl_word_of(languages, p->ask.language));
    zl_put_value(call, call->value, "smem", json_integer(p->launch.smem));
    zl_put_value(call, call->value, "threads", json_integer(p->launch.threads));
    zl_put_value(call, call->value, "cluster", cluster(call, p->launch.cluster));
    zl_put_value(call, call->value, "arguments", arguments(call, p));
    return status;
}

zlay_status zl_emit_pipe(zl_call *call)
{
    zl_json_text text = {0};
    zlay_pipe *pipe = NULL;
    pipe_ask p = {.ask = {0}};
    zlay_status status = zl_fields_check(call, call->request, "emit", "target what name pipe",
                                         "language unchecked tries fragments moves operands ptx");
    if (!status) status = zl_get_text(call, call->request, "pipe", &text);
    if (!status) status = read_ask(call, &p);
    call->in_input = true;
    if (!status) status = zlay_pipe_parse(call->ctx, &pipe, text.text, text.length);
    call->in_input = status != ZLAY_OK;
    p.ask.pipe = pipe;
    if (!status) status = answer(call, &p);
    zlay_pipe_free(pipe);
    bound_free(&p);
    return status;
}
