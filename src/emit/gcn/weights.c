/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the kernel of a product with weights of 4 bits for a gfx target: the frame with its descriptor and arguments, around what
 * weights_setup.c and weights_events.c print. */
#include "emit/gcn/weights.h"
#include "emit/emit.h"
#include "isa/frame.h"

static void put_arguments(zl_wave_text *t)
{
    const zl_ww *a = (const zl_ww *)t; /* its first member */
    for (uint32_t i = 0; i < ZL_WW_TENSORS; i++) {
        zl_wave_argument argument = zl_ww_argument(a->p, i);
        if (zl_ww_has(a->p, i)) zl_wave_argument_put(t, &argument);
    }
}

static void launch_put(zlay_pipe_launch *launch, zlay_pipe_argument *arguments, size_t room, const zlay_weights_plan *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ZL_WW_TENSORS; i++) {
        zl_wave_argument argument = zl_ww_argument(p, i);
        if (!zl_ww_has(p, i)) continue;
        if (count < room && arguments) zl_wave_argument_give(&arguments[count], &argument);
        count++;
    }
    if (launch) *launch = (zlay_pipe_launch){.threads = p->info.threads, .cluster = 1, .arguments = count};
}

static void print(zl_text *out, const void *value)
{
    zl_ww a = *(const zl_ww *)value;
    const zlay_weights_summary *info = &a.p->info;
    zl_text_frame frame = zl_target_frame(a.p->target);
    a.t.out = out;
    a.gb.t = &a.t;
    zl_putf(out, "; zlay %s: D[%llu,%llu] = A B, K = %llu, bf16 with weights of %s%s; tile %ux%ux%u; "
            "grid %llu x %llu blocks of %u threads\n",
            zlay_version(), (unsigned long long)a.p->ask.m, (unsigned long long)a.p->ask.n, (unsigned long long)a.p->ask.k,
            zlay_type_name(a.p->ask.weights), a.p->ask.zeros ? " and zeros" : "", info->tile_m, info->tile_n, info->tile_k,
            (unsigned long long)info->grid[0], (unsigned long long)info->grid[1], info->threads);
    zl_wave_frame_put(&a.t, frame.head, put_arguments);
    zl_ww_setup(&a);
    zl_ww_events(&a);
    zl_wave_frame_put(&a.t, frame.tail, put_arguments);
}

zlay_status zl_ww_print(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch, zlay_pipe_argument *arguments, size_t room,
                        const zlay_weights_emit *ask)
{
    const zlay_weights_plan *p = ask->plan;
    zl_wave_argument last = zl_ww_argument(p, ZL_WW_D);
    zl_ww a = {.t = {.ctx = ctx}, .p = p};
    zlay_status status = zl_wave_begin(&a.t, p->target, &p->wave.mma, ask->name, ask->name_length, ask->language);
    if (status) return status;
    a.t.kernel = (zl_wave_kernel){.name = ask->name,
                                  .name_length = ask->name_length,
                                  .threads = p->info.threads,
                                  .lanes = p->info.threads / p->wave.waves,
                                  .registers = p->wave.registers,
                                  .scalars = ZL_WW_SCALARS,
                                  .argument_bytes = last.at + last.bytes};
    status = zl_wave_print(out, &a.t, print);
    if (!status) launch_put(launch, arguments, room, p);
    return status;
}
