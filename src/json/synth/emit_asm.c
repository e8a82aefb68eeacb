/* SPDX-License-Identifier: Apache-2.0 */
/* emit of what: snippets. */
#include "json/json.h"

#include <string.h>

typedef struct named_target {
    const zlay_target *target;
    zl_json_text name;
} named_target;

static zlay_status print_snippets(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const named_target *n = value;
    return zlay_emit_snippets(ctx, out, n->target, n->name.text, n->name.length);
}

zlay_status zl_emit_asm(zl_call *call)
{
    named_target n = {0};
    zlay_status status = zl_fields_check(call, call->request, "emit", "target what name", "");
    if (!status) status = zl_get_target(call, &n.target);
    if (!status) status = zl_get_text(call, call->request, "name", &n.name);
    json_t *text = status ? NULL : zl_json_printed(call, print_snippets, &n, &status);
    return status ? status : zl_put_kernel(call, text, "c");
}
