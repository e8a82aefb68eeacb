/* SPDX-License-Identifier: Apache-2.0 */
/* emit of what: layout, a function for another author's kernel. */
#include "json/synth/emit.h"

#include <zlay/emit_function.h>

const zl_named zl_function_languages[] = {
    {"cuda", ZLAY_TEXT_CUDA}, {"hip", ZLAY_TEXT_HIP}, {"ptx", ZLAY_TEXT_PTX}, {NULL, 0}};

typedef struct layout_asked {
    zl_emit_head head;
    const zlay_layout *layout;
    int32_t language;
} layout_asked;

static const zl_field layout_rows[] = {
    ZL_PART(zl_emit_head_fields, layout_asked, head),
    {"layout", ZL_NEEDS, ZL_AT(zl_as_plain_layout, layout_asked, layout)},
    {"language", ZL_NEEDS, ZL_AT(zl_as_word, layout_asked, language), .of = zl_function_languages},
};
const zl_fields zl_emit_layout_fields = {ZL_ROWS(layout_rows, layout_asked)};

static zlay_status print_layout(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const layout_asked *a = value;
    return zlay_emit_layout(ctx, out, a->layout, a->language, a->head.name.text,
                            a->head.name.length);
}

zlay_status zl_emit_layout(zl_call *call, const void *value)
{
    const layout_asked *a = value;
    const char *language = zl_word_of(zl_function_languages, a->language);
    return zl_put_kernel(call, language, print_layout, a, &a->head);
}
