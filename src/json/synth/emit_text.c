/* SPDX-License-Identifier: Apache-2.0 */
/* What every answer of emit begins with: the text, its language and the PTX version that it needs;
 * and the fields that every request of emit has. */
#include "json/synth/emit.h"

#include <string.h>

static const zl_field head_rows[] = {
    ZL_OWN_OF(zl_as_own_text, "what", ZL_NEEDS),
    {"name", ZL_NEEDS, ZL_AT(zl_as_text, zl_emit_head, name)},
};
const zl_fields zl_emit_head_fields = {ZL_ROWS(head_rows, zl_emit_head)};

/* ---- answers ------------------------------------------------------------------------------ */

/* A PTX text says itself which version it needs. */
static json_t *version_of(const char *text)
{
    static const char key[] = ".version ";
    const char *found = strstr(text, key);
    if (!found) return json_null();
    found += strlen(key);
    return json_stringn(found, strcspn(found, "\n"));
}

static zlay_status version_check(zl_call *call, const char *asked, const char *needed)
{
    if (!asked || !needed || !strcmp(asked, needed)) return ZLAY_OK;
    return zl_fail(call->ctx, ZLAY_ENOTSUP,
                   "field 'ptx': the text is printed for %s, the least that it needs", needed);
}

zlay_status zl_put_kernel(zl_call *call, const char *language, zl_printer *print,
                          const void *value, const zl_emit_head *head)
{
    zlay_status status;
    json_t *text = zl_json_printed(call, print, value, &status);
    if (status) return status;
    bool ptx = text && !strcmp(language, "ptx");
    json_t *version = ptx ? version_of(json_string_value(text)) : json_null();
    status = version_check(call, head->ptx.text, json_string_value(version));
    call->value = json_object();
    zl_put_value(call, call->value, "text", text);
    zl_put_value(call, call->value, "language", json_string(language));
    zl_put_value(call, call->value, "ptx", version);
    return status;
}

typedef struct printed {
    zl_emitted what;
    const void *value;
    const zl_json_text *name;
} printed;

static zlay_status print_text(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const printed *p = value;
    const char *name = p->name->text;
    size_t length = p->name->length;
    switch (p->what) {
    case ZL_PTX_OF_PLAN: return zlay_emit_ptx(ctx, out, p->value, name, length);
    case ZL_ASSEMBLY_OF_PLAN: return zlay_emit_assembly(ctx, out, p->value, name, length);
    case ZL_HEADER_OF_PLAN: return zlay_emit_header(ctx, out, p->value, name, length);
    case ZL_SNIPPETS_OF_TARGET: return zlay_emit_snippets(ctx, out, p->value, name, length);
    case ZL_KERNEL_OF_TRANSFER: return zlay_emit_transfer(ctx, out, p->value, name, length);
    case ZL_FUNCTION_OF_MOVE: return zlay_emit_move(ctx, out, p->value, name, length);
    }
    return ZLAY_EINTERNAL;
}

zlay_status zl_put_text(zl_call *call, zl_emitted what, const void *value,
                        const zl_emit_head *head)
{
    static const char *const languages[] = {[ZL_PTX_OF_PLAN] = "ptx",
                                            [ZL_ASSEMBLY_OF_PLAN] = "assembly",
                                            [ZL_HEADER_OF_PLAN] = "cuda",
                                            [ZL_SNIPPETS_OF_TARGET] = "c",
                                            [ZL_KERNEL_OF_TRANSFER] = "ptx",
                                            [ZL_FUNCTION_OF_MOVE] = "ptx"};
    const printed p = {what, value, &head->name};
    return zl_put_kernel(call, languages[what], print_text, &p, head);
}

void zl_put_argument(zl_call *call, json_t *list, const char *name, const char *type,
                     uint32_t bytes)
{
    json_t *one = json_object();
    zl_put_value(call, one, "name", json_string(name));
    zl_put_value(call, one, "type", json_string(type));
    zl_put_value(call, one, "bytes", json_integer(bytes));
    zl_put_item(call, list, one);
}

void zl_put_moved(zl_call *call, json_t *list, char tensor, const zlay_move *move)
{
    zlay_tensormap map;
    for (uint32_t i = 0; !zlay_move_map_nth(&map, move, i); i++) {
        json_t *one = json_object();
        zl_put_value(call, one, "tensor", json_stringn(&tensor, 1));
        zl_put_value(call, one, "map", zl_json_tensormap(call, &map));
        zl_put_item(call, list, one);
    }
}
