/* SPDX-License-Identifier: Apache-2.0 */
/* emit of what: ragged, a kernel that moves rows (zlay/emit_ragged.h). */
#include "json/synth/emit.h"

#include <zlay/emit_ragged.h>

static const zl_named kinds[] = {{"copy", ZLAY_ROWS_COPY},
                                 {"concatenate", ZLAY_ROWS_CONCATENATE},
                                 {"split", ZLAY_ROWS_SPLIT},
                                 {"transpose", ZLAY_ROWS_TRANSPOSE},
                                 {"concatenate_columns", ZLAY_ROWS_CONCATENATE_COLUMNS},
                                 {"split_columns", ZLAY_ROWS_SPLIT_COLUMNS},
                                 {NULL, 0}};

typedef struct rows_asked {
    zl_emit_head head;
    zlay_rows_kernel kernel;
} rows_asked;

#define AT(kind, member) ZL_AT(kind, rows_asked, kernel.member)
static const zl_field rows_rows[] = {
    ZL_PART(zl_emit_head_fields, rows_asked, head),
    {"kind", ZL_NEEDS, AT(zl_as_word, kind), .of = kinds},
    {"language", ZL_NEEDS, AT(zl_as_word, language), .of = zl_function_languages},
    {"groups", ZL_MAY, AT(zl_as_u64, groups)},
    {"source_rows", ZL_MAY, AT(zl_as_u64, source_rows)},
    {"target_rows", ZL_MAY, AT(zl_as_u64, target_rows)},
    {"row_bytes", ZL_MAY, AT(zl_as_u64, row_bytes)},
    {"source_pitch", ZL_MAY, AT(zl_as_u64, source_pitch)},
    {"target_pitch", ZL_MAY, AT(zl_as_u64, target_pitch)},
    {"element_bytes", ZL_MAY, AT(zl_as_u32, element_bytes)},
};
#undef AT
static const rows_asked usual = {.kernel.size = sizeof usual.kernel};
const zl_fields zl_emit_ragged_fields = {ZL_ROWS(rows_rows, rows_asked), .start = &usual};

typedef struct rows_printed {
    zlay_rows_kernel kernel;
    zlay_rows_launch *launch;
} rows_printed;

static zlay_status print_rows(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const rows_printed *p = value;
    return zlay_emit_rows(ctx, out, p->launch, &p->kernel);
}

/* The parameters of a kind. */
static void put_arguments(zl_call *call, int32_t kind)
{
    json_t *list = json_array();
    const char *name;
    for (size_t i = 0; (name = zlay_rows_argument_nth(kind, i)) != NULL; i++)
        zl_put_argument(call, list, name, "u64", 8);
    zl_put_value(call, call->value, "arguments", list);
}

zlay_status zl_emit_ragged(zl_call *call, const void *value)
{
    const rows_asked *a = value;
    zlay_rows_launch launch = {0};
    rows_printed p = {a->kernel, &launch};
    p.kernel.name = a->head.name.text;
    p.kernel.name_length = a->head.name.length;
    const char *language = zl_word_of(zl_function_languages, a->kernel.language);
    zlay_status status = zl_put_kernel(call, language, print_rows, &p, &a->head);
    if (status) return status;
    zl_put_value(call, call->value, "threads", json_integer(launch.threads));
    zl_put_value(call, call->value, "shared", json_integer(launch.shared));
    zl_put_value(call, call->value, "blocks", zl_json_uint(launch.blocks));
    put_arguments(call, a->kernel.kind);
    return ZLAY_OK;
}
