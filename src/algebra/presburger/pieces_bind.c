/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that become numbers. */
#include "algebra/presburger/claims.h"

#include <string.h>

typedef struct binding {
    size_t count;
    const char *const *name;
    const int64_t *value;
} binding;

static const int64_t *value_of(const binding *b, const char *name)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->name[i] && !strcmp(b->name[i], name)) return &b->value[i];
    return NULL;
}

static zlay_status names_check(zlay_ctx *ctx, const zlay_layout *a, const binding *b)
{
    char quoted[256];
    const zl_pieces *p = &a->pieces;
    for (size_t i = 0; i < b->count; i++) {
        if (!b->name[i]) return zl_fail(ctx, ZLAY_EINVAL, "name %zu is NULL", i);
        if (zl_param_find(p->param, p->params, b->name[i]) == p->params) {
            zl_like like = zl_like_begin(b->name[i], strlen(b->name[i]));
            for (size_t k = 0; k < p->params; k++) zl_like_offer(&like, p->param[k].text);
            return zl_fail(ctx, ZLAY_EINVAL, "no parameter is called '%s'%s",
                           zl_quote(quoted, b->name[i], like.length), like.hint);
        }
        for (size_t k = 0; k < i; k++)
            if (!strcmp(b->name[i], b->name[k]))
                return zl_fail(ctx, ZLAY_EINVAL, "parameter '%s' has two values", b->name[i]);
    }
    return ZLAY_OK;
}

/* The parameters that stay, in their order. */
static zlay_status left_over(zl_world *w, const zl_pieces *p, const binding *b)
{
    size_t left = 0;
    zl_name *name = zl_scratch(w->ctx, p->params, sizeof *name);
    if (!name) return ZLAY_ENOMEM;
    for (size_t i = 0; i < p->params; i++)
        if (!value_of(b, p->param[i].text)) name[left++] = p->param[i];
    w->param = name;
    zl_world_known(w, left, w->dims);
    return ZLAY_OK;
}

static zlay_status known_forms(zl_world *w, const zl_pieces *p, const binding *b,
                               const zl_quasi **known)
{
    size_t next = 0;
    for (size_t v = 0; v < p->params + p->dims; v++) {
        zl_quasi *a = zl_quasi_new(w);
        const int64_t *value = v < p->params ? value_of(b, p->param[v].text) : NULL;
        if (!a) return ZLAY_ENOMEM;
        if (value) zl_quasi_set(a, *value);
        else zl_quasi_put(a, next++, 1);
        known[v] = a;
    }
    return ZLAY_OK;
}

static zlay_status bind_pieces(zl_world *w, zlay_layout **out, const zl_pieces *p,
                               const binding *b)
{
    const zl_quasi *known[ZL_PIECE_VARIABLES];
    zl_claims claims = {w, p->outs, 0, 0, NULL};
    zl_claims_frame frame = {p->extent, zl_pieces_sized(p) ? p->out_size : NULL};
    zlay_status status = left_over(w, p, b);
    if (!status) status = known_forms(w, p, b, known);
    if (!status) status = zl_claims_import(&claims, p, known);
    if (!status) status = zl_claims_bound(&claims, p->extent);
    return status ? status : zl_claims_layout(&claims, out, &frame);
}

zlay_status zl_pieces_bind(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t count,
                           const char *const *name, const int64_t *value)
{
    const binding b = {count, name, value};
    zl_world w;
    zlay_status status = names_check(ctx, a, &b);
    if (status || !count) return status ? status : zl_layout_copy(ctx, out, a);
    zl_mark mark = zl_scratch_mark(ctx);
    zl_world_begin(&w, ctx, 0, a->pieces.dims, NULL);
    status = bind_pieces(&w, out, &a->pieces, &b);
    zl_scratch_release(ctx, mark);
    return status;
}
