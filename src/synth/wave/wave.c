/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_wave_synth plans the way of one operand's tile from global memory through shared memory to
 * the registers of matrix instructions. It reads the request, then makes the parts of the plan one
 * after the other: accesses (operand.c), places (place.c), layouts and certificates (lay.c). */
#include "base/request.h"
#include "synth/wave/wave.h"
#include "base/arith.h"

static zlay_status wrong(zlay_ctx *ctx, const char *field, const char *wanted)
{
    return zl_fail(ctx, ZLAY_EINVAL, "%s: %s", field, wanted);
}

static zlay_status read_request(zlay_ctx *ctx, zlay_wave_request *out,
                                const zlay_wave_request *request)
{
    static const zl_request_form form = {
        "zlay_wave_request",
        sizeof *out,
        sizeof request->size,
        {ZL_RESERVED(zlay_wave_request, reserved0), ZL_RESERVED(zlay_wave_request, reserved)}};
    zlay_status status = zl_request_read(ctx, out, request, &form);
    if (status) return status;
    if (!out->parts) out->parts = 1;
    if (!out->align) out->align = ZL_WAVE_BYTES;
    if (out->fragment != ZLAY_FRAGMENT_A && out->fragment != ZLAY_FRAGMENT_B)
        return wrong(ctx, "fragment", "A or B");
    if (out->path < ZLAY_WAVE_PATH_BEST || out->path > ZLAY_WAVE_PATH_DIRECT)
        return wrong(ctx, "path", "best, registers or direct");
    if (out->any_order > 1) return wrong(ctx, "any_order", "0 or 1");
    if (!zl_is_power_of_two(out->align)) return wrong(ctx, "align", "a power of two");
    return ZLAY_OK;
}

static zlay_status check_sizes(zlay_ctx *ctx, const zlay_wave_request *r,
                               const zlay_target_summary *target)
{
    if (!r->rows || r->rows > 1u << 16) return wrong(ctx, "rows", "1 to 65536");
    if (!zl_is_power_of_two(r->depth) || r->depth > 1u << 16)
        return wrong(ctx, "depth", "a power of two up to 65536");
    if (!zl_is_power_of_two(r->threads) || r->threads < target->lanes ||
        r->threads > target->threads)
        return zl_fail(ctx, ZLAY_EINVAL, "threads: a power of two from %u to %u", target->lanes,
                       target->threads);
    if (r->parts > r->threads / target->lanes)
        return zl_fail(ctx, ZLAY_EINVAL, "parts: at most %u, the waves of the block",
                       r->threads / target->lanes);
    return ZLAY_OK;
}

static zlay_status fill(zlay_ctx *ctx, zlay_wave *w, const zlay_wave_request *request)
{
    zlay_target_summary target;
    zlay_wave_request r;
    zlay_status status = read_request(ctx, &r, request);
    if (!status) status = zlay_target_info(&target, w->info.target);
    if (!status) status = check_sizes(ctx, &r, &target);
    if (status) return status;
    w->mma = r.mma;
    w->fragment = r.fragment;
    w->info.rows = r.rows, w->info.depth = r.depth;
    w->info.threads = r.threads, w->info.parts = r.parts;
    status = zl_wave_operand_read(ctx, w);
    if (!status) status = zl_wave_widths(ctx, w, &r);
    if (!status) status = zl_wave_place(w);
    return status ? status : zl_wave_lay(ctx, w);
}

zlay_status zl_wave_find(zlay_ctx *ctx, zlay_wave **out, const zlay_target *target,
                         const zlay_wave_request *request)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    zlay_wave *w = zl_alloc(ctx, 1, sizeof *w);
    if (!w) return zl_leave_part(ctx, mark, ZLAY_ENOMEM);
    w->alloc = zl_allocator(ctx);
    w->info.target = target;
    zlay_status status = zl_leave_part(ctx, mark, zl_whole(ctx, fill(ctx, w, request)));
    if (status) zlay_wave_free(w);
    else *out = w;
    return status;
}

zlay_status zlay_wave_synth(zlay_ctx *ctx, zlay_wave **out, const zlay_target *target,
                            const zlay_wave_request *request)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_wave_find(ctx, out, target, request));
}

void zlay_wave_free(zlay_wave *wave)
{
    if (!wave) return;
    zlay_allocator alloc = wave->alloc;
    for (int i = 0; i < ZL_WAVE_LAYOUTS; i++) zlay_layout_free(wave->layout[i]);
    for (int i = 0; i < ZL_WAVE_CERTIFICATES; i++)
        for (int side = 0; side < 2; side++) zlay_layout_free(wave->certificate[i][side]);
    zl_free(&alloc, wave, sizeof *wave);
}

zlay_status zlay_wave_info(zlay_wave_summary *out, const zlay_wave *wave)
{
    if (!out || !wave) return ZLAY_EINVAL;
    *out = wave->info;
    return ZLAY_OK;
}

const zlay_layout *zlay_wave_layout(const zlay_wave *wave, int32_t which)
{
    return wave && which >= 0 && which < ZL_WAVE_LAYOUTS ? wave->layout[which] : NULL;
}

zlay_status zlay_wave_certificate(const zlay_layout **a, const zlay_layout **b,
                                  const zlay_wave *wave, uint32_t i)
{
    if (!a || !b || !wave) return ZLAY_EINVAL;
    if (i >= ZL_WAVE_CERTIFICATES) return ZLAY_NONE;
    *a = wave->certificate[i][0];
    *b = wave->certificate[i][1];
    return ZLAY_OK;
}
