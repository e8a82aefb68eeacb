/* SPDX-License-Identifier: Apache-2.0 */
/* emit of what: tensormap, smemdesc, idesc: constants of a kernel, from a map or from the words
 * that smemdesc.synth and idesc.pack answer; and of what: ring, the barriers of a pipe. */
#include "json/synth/emit.h"

#include <zlay/emit_function.h>

#define LANGUAGE(type)                                                                             \
    {"language", ZL_NEEDS, ZL_AT(zl_as_word, type, language), .of = zl_function_languages}

/* ---- tensor maps -------------------------------------------------------------------------- */

typedef struct map_asked {
    zl_map_asked map;
    zl_emit_head head;
    int32_t language;
} map_asked;

static const zl_field map_rows[] = {
    ZL_PART(zl_emit_head_fields, map_asked, head),
    ZL_PART(zl_map_symbolic_fields, map_asked, map),
    LANGUAGE(map_asked),
};
const zl_fields zl_emit_tensormap_fields = {ZL_ROWS(map_rows, map_asked),
                                            .take = zl_map_texts_take};

/* A map with unknowns is a function that fills it in. */
static zlay_status print_fill(zlay_ctx *ctx, zlay_buf *out, const map_asked *a)
{
    const zl_map_asked *m = &a->map;
    const zlay_tensormap_question q = {sizeof q, m->texts.count, m->target, &m->map,
                                       m->texts.at, m->facts};
    zlay_fill *fill;
    zlay_verdict verdict;
    zlay_status status = zlay_fill_prepare(ctx, &fill, &verdict, NULL, 0, NULL, &q);
    if (status) return status;
    status = zlay_emit_fill(ctx, out, fill, a->language, a->head.name.text, a->head.name.length);
    zlay_fill_free(fill);
    return status;
}

static zlay_status print_map(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const map_asked *a = value;
    if (a->map.texts.count) return print_fill(ctx, out, a);
    return zlay_emit_tensormap(ctx, out, a->map.target, &a->map.map, a->language,
                               a->head.name.text, a->head.name.length);
}

/* The table was read from a copy without texts, which is gone: the head is read again. */
zlay_status zl_emit_tensormap(zl_call *call, const void *value)
{
    map_asked a = *(const map_asked *)value;
    const char *language = zl_word_of(zl_function_languages, a.language);
    zlay_status status = zl_read_object(call, call->request, &zl_emit_head_fields, &a.head);
    return status ? status : zl_put_kernel(call, language, print_map, &a, &a.head);
}

/* ---- matrix descriptors ------------------------------------------------------------------- */

enum { STEPS_MOST = 4096 };

typedef struct desc_asked {
    zl_emit_head head;
    const zlay_target *target;
    uint64_t desc;
    const json_t *step;
    int32_t language;
    zlay_smemdesc_function of;
} desc_asked;

static const zl_field desc_rows[] = {
    ZL_PART(zl_emit_head_fields, desc_asked, head),
    ZL_TARGET(desc_asked),
    {"desc", ZL_NEEDS, ZL_AT(zl_as_u64, desc_asked, desc)},
    {"step", ZL_NEEDS, ZL_AT(zl_as_json_list, desc_asked, step)},
    LANGUAGE(desc_asked),
};
const zl_fields zl_emit_smemdesc_fields = {ZL_ROWS(desc_rows, desc_asked)};

static zlay_status print_desc(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const desc_asked *a = value;
    return zlay_emit_smemdesc(ctx, out, &a->of);
}

/* The shared address of every step, from what each adds to the first. */
static zlay_status read_starts(zl_call *call, uint32_t *start, uint32_t first, const json_t *step)
{
    for (size_t i = 0; i < json_array_size(step); i++) {
        const json_t *more = json_array_get(step, i);
        json_int_t at = (json_int_t)first + json_integer_value(more);
        if (!json_is_integer(more) || at < 0 || at > INT32_MAX)
            return zl_wrong(call, "step", "a list of bytes from the first step to each");
        start[i] = (uint32_t)at;
    }
    return ZLAY_OK;
}

zlay_status zl_emit_smemdesc(zl_call *call, const void *value)
{
    desc_asked a = *(const desc_asked *)value;
    zlay_smemdesc fields;
    size_t count = json_array_size(a.step);
    if (!count || count > STEPS_MOST)
        return zl_wrong(call, "step", "a list of 1 to 4096 numbers of bytes");
    if (zlay_smemdesc_unpack(&fields, a.target, a.desc))
        return zl_fail(call->ctx, ZLAY_ENOTSUP, "%s has no matrix descriptors",
                       zlay_target_name(a.target));
    uint32_t *start = zl_scratch(call->ctx, count, sizeof *start);
    if (!start) return ZLAY_ENOMEM;
    zlay_status status = read_starts(call, start, fields.start, a.step);
    a.of = (zlay_smemdesc_function){.size = sizeof a.of, .language = a.language,
                                    .target = a.target, .fields = &fields, .start = start,
                                    .count = count, .name = a.head.name.text,
                                    .name_length = a.head.name.length};
    const char *language = zl_word_of(zl_function_languages, a.language);
    return status ? status : zl_put_kernel(call, language, print_desc, &a, &a.head);
}

/* ---- instruction descriptors -------------------------------------------------------------- */

typedef struct idesc_asked {
    zl_emit_head head;
    const zlay_target *target;
    int32_t kind, language;
    uint64_t desc;
    zlay_idesc of;
} idesc_asked;

static const zl_field idesc_rows[] = {
    ZL_PART(zl_emit_head_fields, idesc_asked, head),
    ZL_TARGET(idesc_asked),
    {"kind", ZL_NEEDS, ZL_AT(zl_as_word, idesc_asked, kind), .of = zl_kinds},
    {"desc", ZL_NEEDS, ZL_AT(zl_as_u64, idesc_asked, desc)},
    LANGUAGE(idesc_asked),
};
const zl_fields zl_emit_idesc_fields = {ZL_ROWS(idesc_rows, idesc_asked)};

static zlay_status print_idesc(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const idesc_asked *a = value;
    return zlay_emit_idesc(ctx, out, a->target, &a->of, a->language, a->head.name.text,
                           a->head.name.length);
}

zlay_status zl_emit_idesc(zl_call *call, const void *value)
{
    idesc_asked a = *(const idesc_asked *)value;
    if (a.desc > UINT32_MAX || zlay_idesc_unpack(&a.of, a.kind, (uint32_t)a.desc))
        return zl_wrong(call, "desc", "a word of 32 bits of that kind");
    const char *language = zl_word_of(zl_function_languages, a.language);
    return zl_put_kernel(call, language, print_idesc, &a, &a.head);
}

/* ---- barriers ----------------------------------------------------------------------------- */

typedef struct ring_asked {
    zl_emit_head head;
    const zlay_target *target;
    const zlay_pipe *pipe;
    int32_t language;
} ring_asked;

static const zl_field ring_rows[] = {
    ZL_PART(zl_emit_head_fields, ring_asked, head),
    ZL_TARGET(ring_asked),
    {"pipe", ZL_NEEDS, ZL_AT(zl_as_pipe, ring_asked, pipe)},
    LANGUAGE(ring_asked),
};
const zl_fields zl_emit_ring_fields = {ZL_ROWS(ring_rows, ring_asked)};

static zlay_status print_ring(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const ring_asked *a = value;
    return zlay_emit_ring(ctx, out, a->target, a->pipe, a->language, a->head.name.text,
                          a->head.name.length);
}

zlay_status zl_emit_ring(zl_call *call, const void *value)
{
    const ring_asked *a = value;
    const char *language = zl_word_of(zl_function_languages, a->language);
    return zl_put_kernel(call, language, print_ring, a, &a->head);
}
