/* SPDX-License-Identifier: Apache-2.0 */
/* Prints an AMD GEMM kernel (zlay_emit_assembly): the frame with its kernel descriptor and the
 * metadata of its arguments, around the setup and the events. */
#include "emit/gcn/wave.h"
#include "emit/emit.h"
#include "isa/frame.h"


/* ---- the frame ------------------------------------------------------------------------- */

/* Prints the metadata of the arguments. */
static void put_arguments(zl_wave_text *t)
{
    zl_wave_argument a;
    for (uint32_t i = 0; !zl_wave_argument_nth(&a, t->plan, i); i++)
        zl_wave_argument_put(t, &a);
}

/* Prints a comment that says what the kernel computes and how it is launched. */
static void describe(zl_wave_text *t)
{
    const zlay_plan_summary *info = &t->plan->info;
    zl_putf(t->out, "; zlay %s: D[%llu,%llu] = A B, K = %llu, ", zlay_version(),
            (unsigned long long)info->m, (unsigned long long)info->n, (unsigned long long)info->k);
    zl_gemm_put_types(t->out, t->plan);
    if (info->groups) zl_putf(t->out, ", %u groups of rows", info->groups);
    zl_putf(t->out, "; tile %ux%ux%u, %u stages; grid %llu x %llu blocks of %u threads\n",
            info->tile_m, info->tile_n, info->tile_k, info->stages,
            (unsigned long long)info->tiles_n, (unsigned long long)info->tiles_m, info->threads);
}

static void wave_write(zl_text *out, const void *value)
{
    zl_wave_text t = *(const zl_wave_text *)value;
    zl_text_frame frame = zl_target_frame(t.plan->info.target);
    t.out = out;
    describe(&t);
    zl_wave_frame_put(&t, frame.head, put_arguments);
    zl_wave_setup(&t);
    zl_wave_events(&t);
    zl_wave_frame_put(&t, frame.tail, put_arguments);
}

static zl_wave_kernel kernel_of(const zlay_plan *plan, const zlay_wave_launch *launch, const char *name,
                                size_t length)
{
    const zlay_wave_gemm *w = &plan->wave.shape;
    return (zl_wave_kernel){.name = name,
                            .name_length = length,
                            .smem = plan->info.smem,
                            .threads = plan->info.threads,
                            .lanes = w->lanes,
                            .registers = w->registers,
                            .accumulators = w->accumulators,
                            .scalars = w->scalars,
                            .argument_bytes = launch->argument_bytes};
}

zlay_status zlay_emit_assembly(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan,
                               const char *name, size_t length)
{
    if (!out || !plan || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_name_check(ctx, name, length);
    if (!status && !zl_by_waves(plan))
        status = zl_fail(ctx, ZLAY_ENOTSUP, "%s has PTX: zlay_emit_ptx prints it",
                         zlay_target_name(plan->info.target));
    zl_wave_text t = {.plan = plan,
                      .w = &plan->wave.shape,
                      .r = &plan->wave.registers,
                      .ctx = ctx};
    if (!status) status = zl_wave_target_read(&t, plan->info.target, &plan->info.mma);
    zl_wave_bind(&t);
    zl_wave_phrases_read(&t);
    if (!status) status = zlay_plan_launch(&t.launch, plan);
    t.kernel = kernel_of(plan, &t.launch, name, length);
    if (!status) status = zl_wave_print(out, &t, wave_write);
    return zl_leave(ctx, status);
}
