/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a request for a transfer, chooses its path and loops, and gives access to the result. */
#include "algebra/decide/decide.h"
#include "algebra/ops/cute.h"
#include "base/request.h"
#include "algebra/find/table.h"
#include "base/arith.h"
#include "synth/transfer/transfer.h"

#include <zlay/decide.h>

enum { WARP = 32, FAR = 48 /* no device addresses more */ };

/* A request, as long as it was before its alignments were added or longer. */
static const zl_request_form request_form = {"zlay_transfer_request",
                                             sizeof(zlay_transfer_request),
                                             offsetof(zlay_transfer_request, source_align),
                                             {ZL_RESERVED(zlay_transfer_request, reserved)}};

static zlay_status side_read(zlay_ctx *ctx, zl_transfer_side *out, const zlay_layout *layout,
                             uint32_t align, uint32_t elem, const char *name)
{
    if (!layout) return zl_fail(ctx, ZLAY_EINVAL, "%s: no layout", name);
    if (zl_parameter(layout))
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s: has the parameter %s; copy.synth with a tile takes it",
                       name, zl_parameter(layout));
    *out = (zl_transfer_side){.align = align ? align : elem};
    if (!zl_is_power_of_two(out->align) || out->align < elem)
        return zl_fail(ctx, ZLAY_EINVAL,
                       "%s: an alignment of %u bytes is no power of two from an element's %u on",
                       name, align, elem);
    return ZLAY_OK;
}

static zlay_status request_read(zlay_ctx *ctx, zlay_transfer *t, const zlay_transfer_request *r)
{
    uint32_t bits = r->elem_bits;
    if (!zl_is_power_of_two(bits) || bits < 8 || bits > 128)
        return zl_fail(ctx, ZLAY_EINVAL, "elem_bits: %u is none of 8, 16, 32, 64, 128", bits);
    if (r->threads % WARP)
        return zl_fail(ctx, ZLAY_EINVAL, "threads: %u is no multiple of %d", r->threads, WARP);
    t->info.elem_bits = bits;
    zlay_status status = side_read(ctx, &t->from, r->source, r->source_align, bits / 8, "source");
    if (!status) status = side_read(ctx, &t->to, r->dest, r->dest_align, bits / 8, "dest");
    if (status) return status;
    if (r->source->size != r->dest->size)
        return zl_fail(ctx, ZLAY_EINVAL, "source has %llu elements and dest %llu",
                       (unsigned long long)r->source->size, (unsigned long long)r->dest->size);
    t->info.bytes = zl_umul_sat(r->source->size, bits / 8);
    return ZLAY_OK;
}

static zlay_status far_away(zlay_ctx *ctx, const char *name)
{
    return zl_fail(ctx, ZLAY_EOVERFLOW, "%s: offsets of 2^%d elements or more", name, FAR);
}

/* Every index has an element, whose address fits 64 bits: value by value, up to limits.points. */
static zlay_status values_check(zlay_ctx *ctx, const zlay_layout *layout, const char *name)
{
    zl_table t;
    zlay_status status = zl_table_of(ctx, &t, layout);
    for (uint64_t i = 0; !status && i < t.size; i++) {
        if (!t.there[i])
            status = zl_fail(ctx, ZLAY_NONE, "%s: index %llu has no element", name,
                             (unsigned long long)i);
        else if (t.value[i] >> FAR && t.value[i] >> FAR != -1)
            status = far_away(ctx, name);
    }
    zl_table_free(&t);
    return status;
}

static bool is_direct(const zlay_layout *a) { return a->modes || a->kind == ZLAY_LAYOUT_F2; }

/* A layout of another kind in a form that loops or bits make, where it has one; else values are
 * listed. */
static zlay_status settle(zlay_ctx *ctx, zlay_transfer *t, const zlay_layout **layout, int side,
                          const char *name)
{
    if (is_direct(*layout)) return ZLAY_OK;
    zlay_status status = values_check(ctx, *layout, name);
    if (!status) status = zl_unless_limit(ctx, zl_coalesce(ctx, &t->made[side], *layout));
    if (t->made[side]) *layout = t->made[side];
    return status;
}

/* Every address that the kernel computes fits 64 bits. */
static zlay_status reach_check(zlay_ctx *ctx, const zlay_layout *layout, const char *name)
{
    const int64_t most = (int64_t)1 << FAR;
    int64_t least, greatest;
    if (!is_direct(layout)) return ZLAY_OK;
    if (!layout->modes && zl_dim_bits(layout->f2.out, layout->f2.outs) <= FAR) return ZLAY_OK;
    if (layout->modes &&
        zl_modes_range(layout->mode, layout->modes, layout->offset, &least, &greatest) &&
        least > -most && greatest < most)
        return ZLAY_OK;
    return far_away(ctx, name);
}

static zlay_status distinct(zlay_ctx *ctx, const zlay_layout *dest)
{
    zlay_answer answer;
    uint64_t same[2];
    zlay_status status = zl_layout_is_injective(ctx, &answer, same, dest);
    if (status || answer == ZLAY_YES) return status;
    if (answer == ZLAY_UNDECIDED) return ZLAY_ELIMIT;
    return zl_fail(ctx, ZLAY_NONE, "dest: indices %llu and %llu have one destination",
                   (unsigned long long)same[0], (unsigned long long)same[1]);
}

static void sides_set(zlay_transfer *t, const zlay_transfer_request *r)
{
    t->from.offset = r->source->offset;
    t->from.swizzle = r->source->swizzle;
    t->to.offset = r->dest->offset;
    t->to.swizzle = r->dest->swizzle;
}

static zlay_status fill(zlay_ctx *ctx, zlay_transfer *t, const zlay_transfer_request *request)
{
    zlay_transfer_request r, asked;
    zlay_status status = zl_request_read(ctx, &asked, request, &request_form);
    if (status) return status;
    r = asked;
    status = request_read(ctx, t, &r);
    if (!status) status = settle(ctx, t, &r.source, ZL_FROM, "source");
    if (!status) status = settle(ctx, t, &r.dest, ZL_TO, "dest");
    if (!status) sides_set(t, &r);
    if (!status) status = reach_check(ctx, r.source, "source");
    if (!status) status = reach_check(ctx, r.dest, "dest");
    if (!status) status = distinct(ctx, r.dest);
    if (!status) status = zl_transfer_loops(ctx, t, &r, &asked);
    return status ? status : zl_transfer_path(ctx, t, &r);
}

zlay_status zl_transfer_synth(zlay_ctx *ctx, zlay_transfer **out, const zlay_target *target,
                              const zlay_transfer_request *request)
{
    zlay_transfer *t = zl_alloc(ctx, 1, sizeof *t);
    *out = NULL;
    if (!t) return ZLAY_ENOMEM;
    t->alloc = zl_allocator(ctx);
    t->info.target = target;
    zlay_status status = fill(ctx, t, request);
    if (status) zlay_transfer_free(t);
    else *out = t;
    return status;
}

zlay_status zlay_transfer_synth(zlay_ctx *ctx, zlay_transfer **out, const zlay_target *target,
                                const zlay_transfer_request *request)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave(ctx, zl_whole(ctx, zl_transfer_synth(ctx, out, target, request)));
    if (!status) return ZLAY_OK;
    zlay_transfer_free(*out);
    *out = NULL;
    return status;
}

void zlay_transfer_free(zlay_transfer *t)
{
    if (!t) return;
    zlay_layout_free(t->order);
    for (int side = 0; side < 2; side++) {
        zlay_layout_free(t->made[side]);
        zlay_layout_free(t->apart[side]);
    }
    for (int i = 0; i < 2; i++)
        for (int side = 0; side < 2; side++) zlay_layout_free(t->certificate[i][side]);
    zlay_allocator alloc = t->alloc;
    zl_free(&alloc, t, sizeof *t);
}

zlay_status zlay_transfer_info(zlay_transfer_summary *out, const zlay_transfer *t)
{
    if (!out || !t) return ZLAY_EINVAL;
    *out = t->info;
    return ZLAY_OK;
}

const zlay_layout *zlay_transfer_order(const zlay_transfer *t) { return t ? t->order : NULL; }

zlay_status zlay_transfer_certificate(const zlay_layout **a, const zlay_layout **b,
                                      const zlay_transfer *t, uint32_t i)
{
    if (!a || !b || !t) return ZLAY_EINVAL;
    if (i > 1) return ZLAY_NONE;
    *a = t->certificate[i][0];
    *b = t->certificate[i][1];
    return ZLAY_OK;
}
