/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the kernel of attention for a gfx target: the frame with its descriptor and arguments,
 * around what setup.c and events.c print. */
#include "emit/gcn/attention/attention.h"
#include "base/request.h"
#include "emit/emit.h"
#include "isa/frame.h"

static uint32_t argument_bytes(const zlay_attention_plan *p)
{
    zl_wave_argument argument;
    uint32_t end = 0;
    for (uint32_t i = 0; !zl_aw_argument_nth(&argument, p, i); i++) end = argument.at + argument.bytes;
    return end;
}

static void put_arguments(zl_wave_text *t)
{
    zl_wave_argument argument;
    const zl_aw *a = (const zl_aw *)t; /* its first member */
    for (uint32_t i = 0; !zl_aw_argument_nth(&argument, a->p, i); i++)
        zl_wave_argument_put(t, &argument);
}

/* Says what the kernel computes and how it is launched. */
static void describe(zl_aw *a)
{
    const zlay_attention *ask = &a->p->ask;
    const zlay_attention_summary *info = &a->p->info;
    zl_putf(a->t.out, "; zlay %s: attention, %s, %llu queries, %llu keys, head %u%s\n", zlay_version(),
            zlay_type_name(ask->type), (unsigned long long)ask->queries, (unsigned long long)ask->keys, ask->head,
            ask->causal ? ", causal" : "");
    zl_putf(a->t.out, "; tile %u queries x %u keys, %u stages; grid %llu x %llu x %llu blocks of %u threads\n",
            info->tile_m, info->tile_n, info->stages, (unsigned long long)info->grid[0],
            (unsigned long long)info->grid[1], (unsigned long long)info->grid[2], info->threads);
}

/* The first use of the scores. */
static uint32_t scores_use(const zlay_attention_plan *p)
{
    uint32_t i = 0;
    while (i < p->pipe->events_count &&
           (p->pipe->events[i].kind != ZL_EV_USE || p->pipe->events[i].acc != p->wave.acc[ZL_AW_SCORES]))
        i++;
    return i;
}

/* Prints the whole; the elements of the first use of scores say where a lane's queries and keys are. */
static void print(zl_text *out, const void *value)
{
    zl_aw a = *(const zl_aw *)value;
    zl_text_frame frame = zl_target_frame(a.p->target);
    a.t.out = out;
    a.gb.t = &a.t;
    zlay_status status = zl_attention_use_read(a.t.ctx, a.use, a.p, scores_use(a.p));
    if (status && !*a.t.status) *a.t.status = status;
    if (status) return;
    describe(&a);
    zl_wave_frame_put(&a.t, frame.head, put_arguments);
    zl_aw_setup(&a);
    zl_aw_events(&a);
    zl_wave_frame_put(&a.t, frame.tail, put_arguments);
}

static uint32_t smem_of(const zlay_attention_plan *p)
{
    return p->info.stages * (p->wave.smem[0] + p->wave.smem[1]);
}

static zl_wave_kernel kernel_of(const zlay_attention_plan *p, const zlay_attention_emit *ask)
{
    const zl_attention_wave *w = &p->wave;
    return (zl_wave_kernel){.name = ask->name,
                            .name_length = ask->name_length,
                            .smem = smem_of(p),
                            .threads = p->info.threads,
                            .lanes = w->lanes,
                            .registers = w->registers,
                            .scalars = ZL_AS_MASKS + 2 * w->masks,
                            .argument_bytes = argument_bytes(p),
                            .third = 1};
}

static void launch_put(zlay_pipe_launch *launch, zlay_pipe_argument *arguments, size_t room,
                       const zlay_attention_plan *p)
{
    zl_wave_argument argument;
    uint32_t i = 0;
    for (; !zl_aw_argument_nth(&argument, p, i); i++) {
        if (i >= room || !arguments) continue;
        zl_wave_argument_give(&arguments[i], &argument);
    }
    if (launch)
        *launch = (zlay_pipe_launch){.threads = p->info.threads, .cluster = 1, .smem = smem_of(p), .arguments = i};
}

zlay_status zl_aw_print(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch, zlay_pipe_argument *arguments,
                        size_t room, const zlay_attention_emit *ask)
{
    const zlay_attention_plan *p = ask->plan;
    zl_mark mark = zl_scratch_mark(ctx);
    zl_aw a = {.t = {.ctx = ctx}, .p = p, .w = &p->wave, .use = zl_scratch(ctx, 1, sizeof *a.use)};
    if (!a.use) return ZLAY_ENOMEM;
    zlay_status status = zl_wave_begin(&a.t, p->target, &p->wave.mma, ask->name, ask->name_length, ask->language);
    if (status) return status;
    a.t.kernel = kernel_of(p, ask);
    a.gb = (zl_gb){.elements = &a.use->elements, .room = &a.use->room, .base = p->wave.values, .masks = ZL_AS_MASKS};
    status = zl_wave_print(out, &a.t, print);
    if (!status) launch_put(launch, arguments, room, p);
    zl_scratch_release(ctx, mark);
    return status;
}
