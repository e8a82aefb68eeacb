/* SPDX-License-Identifier: Apache-2.0 */
/* zlay emit layout: prints a layout as a function. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct function_request {
    const zlay_layout *layout;
    int32_t language;
    const char *name;
} function_request;

static zlay_status write_function(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const function_request *r = value;
    return zlay_emit_layout(ctx, out, r->layout, r->language, r->name, strlen(r->name));
}

static bool language_find(int32_t *out, const char *name)
{
    static const char *const names[] = {
        [ZLAY_TEXT_PTX] = "ptx", [ZLAY_TEXT_CUDA] = "cuda", [ZLAY_TEXT_HIP] = "hip"};
    for (*out = 0; *out < (int32_t)(sizeof names / sizeof *names); ++*out)
        if (!strcmp(name, names[*out])) return true;
    return false;
}

int zl_layout_emit(zlay_ctx *ctx, int argc, char **argv)
{
    function_request r = {.name = argc > 2 ? argv[2] : "address"};
    zlay_layout *layout = NULL;
    size_t length;
    if (argc < 2 || argc > 3 || !language_find(&r.language, argv[0])) {
        fprintf(stderr, "zlay: emit layout takes cuda, hip or ptx, a LAYOUT and a NAME\n");
        return ZL_EXIT_ERROR;
    }
    zlay_status status = zlay_layout_import(ctx, &layout, argv[1], strlen(argv[1]));
    if (status) return zl_cli_say(ctx, status, "layout");
    r.layout = layout;
    char *text = zl_text_of(ctx, write_function, &r, &length);
    if (text) fputs(text, stdout);
    bool done = text != NULL;
    free(text);
    zlay_layout_free(layout);
    return done ? ZL_EXIT_YES : ZL_EXIT_ERROR;
}
