/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a layout: their names, a refusal where an operation takes none, and numbers put
 * in their place.  Each kind that may have parameters says in its table how. */
#include "algebra/layout/layout.h"
#include <zlay/pieces.h>

#include <string.h>

const char *zl_parameter(const zlay_layout *a)
{
    return a->table->param ? a->table->param(a, 0) : NULL;
}

zlay_status zl_without_parameters(zlay_ctx *ctx, const zlay_layout *a)
{
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    const char *name = zl_parameter(a);
    return name ? zl_fail(ctx, ZLAY_ENOTSUP, "the layout has the parameter %s", name) : ZLAY_OK;
}

const char *zlay_layout_param_nth(const zlay_layout *layout, size_t i)
{
    return layout && layout->table->param ? layout->table->param(layout, i) : NULL;
}

/* Of a kind without parameters: no name is one. */
static zlay_status bind_none(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t count,
                             const char *const *name)
{
    char quoted[256];
    if (!count) return zl_layout_copy(ctx, out, a);
    if (!name[0]) return zl_fail(ctx, ZLAY_EINVAL, "name 0 is NULL");
    return zl_fail(ctx, ZLAY_EINVAL, "no parameter is called '%s'",
                   zl_quote(quoted, name[0], strlen(name[0])));
}

zlay_status zl_bind(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t count,
                    const char *const *name, const int64_t *value)
{
    if (!a || (count && (!name || !value)))
        return zl_fail(ctx, ZLAY_EINVAL, "the layout, the names or the values are NULL");
    if (!a->table->bind) return bind_none(ctx, out, a, count, name);
    return a->table->bind(ctx, out, a, count, name, value);
}

zlay_status zlay_layout_bind(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t count,
                             const char *const *name, const int64_t *value)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, zl_bind(ctx, out, a, count, name, value));
}
