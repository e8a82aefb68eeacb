/* SPDX-License-Identifier: Apache-2.0 */
/* Two layouts of one box as one: disjoint where they agree, refused where they do not. */
#include "algebra/symbolic/symbol.h"
#include "algebra/presburger/claims.h"
#include "algebra/ops/reshape.h"
#include "algebra/find/finish.h"

#include <string.h>

typedef struct pair {
    zlay_ctx *ctx;
    const zlay_layout *a, *b; /* as given */
    zlay_layout *lifted[2];
    uint64_t extent[ZL_PIECE_VARIABLES], out_size[ZL_PIECE_VARIABLES];
} pair;

static zlay_status no_parameters(zlay_ctx *ctx, const zlay_layout *a)
{
    if (!zl_parameter(a)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP, "a union of layouts with parameter %s", zl_parameter(a));
}

/* The greater of two sizes; not known where one is not. */
static void meet(pair *u)
{
    for (size_t i = 0; i < u->lifted[0]->pieces.outs; i++) {
        uint64_t m = u->lifted[0]->pieces.out_size[i], n = u->lifted[1]->pieces.out_size[i];
        u->out_size[i] = !m || !n ? 0 : m > n ? m : n;
    }
}

static zlay_status lift_both(pair *u)
{
    zlay_status status = no_parameters(u->ctx, u->a);
    if (!status) status = no_parameters(u->ctx, u->b);
    if (!status) status = zl_same_boxes(u->ctx, u->a, u->b, SIZE_MAX);
    if (!status) status = zl_lift(u->ctx, &u->lifted[0], u->a);
    if (!status) status = zl_lift(u->ctx, &u->lifted[1], u->b);
    if (!status) meet(u);
    return status;
}

static zlay_status claim_both(pair *u, zlay_layout **out)
{
    const zl_pieces *p = &u->lifted[0]->pieces;
    const zl_claims_frame frame = {u->extent, u->out_size};
    zl_world w;
    zl_mark mark = zl_scratch_mark(u->ctx);
    zl_world_begin(&w, u->ctx, 0, p->dims, NULL);
    zl_claims claims = {&w, p->outs, 0, 0, NULL};
    memcpy(u->extent, p->extent, p->dims * sizeof *p->extent);
    zlay_status status = zl_claims_import(&claims, p, NULL);
    if (!status) status = zl_claims_import(&claims, &u->lifted[1]->pieces, NULL);
    if (!status) status = zl_claims_bound(&claims, u->extent);
    if (!status) status = zl_claims_layout(&claims, out, &frame);
    zl_scratch_release(u->ctx, mark);
    return status;
}

static zlay_status settle(pair *u, zlay_layout **out, zlay_layout *made)
{
    zl_modes box;
    zl_result_shape shape = {&box, NULL, u->a->f2.outs && u->b->f2.outs ? u->a : NULL, true};
    zl_modes_begin(&box, u->ctx);
    zlay_status status = zl_layout_box(&box, u->a);
    if (status) zlay_layout_free(made);
    else status = zl_settle(u->ctx, out, made, &shape);
    zl_modes_end(&box);
    return status;
}

static zlay_status unite(pair *u, zlay_layout **out)
{
    zlay_layout *made = NULL;
    if (!u->a || !u->b) return zl_fail(u->ctx, ZLAY_EINVAL, "a layout is NULL");
    zlay_status status = zl_without_symbols(u->ctx, u->a);
    if (!status) status = zl_without_symbols(u->ctx, u->b);
    if (!status) status = lift_both(u);
    if (!status) status = claim_both(u, &made);
    if (!status) status = settle(u, out, made);
    zlay_layout_free(u->lifted[0]);
    zlay_layout_free(u->lifted[1]);
    return status;
}

zlay_status zlay_layout_union(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b)
{
    pair u = {.ctx = ctx, .a = a, .b = b};
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, unite(&u, out));
}
