/* SPDX-License-Identifier: Apache-2.0 */
/* Binds a plan of attention to its pipe, which is then printed as any pipe: moves and what counts
 * their axes, layouts of shared buffers, and where it is causal the tiles of keys of each block. */
#include "base/request.h"
#include "emit/pipe/pipe.h"
#include "emit/plan/bind.h"
#include "synth/attention/attention.h"

typedef struct bound {
    zl_plan_bound plan;
    zlay_pipe_count counts[2];
    zlay_pipe_lengths lengths[2];
} bound;

/* Tiles of keys: causal as many as the block's queries see; where sequences of keys have different lengths, no more than
 * those have. */
static void counts_bind(bound *b, zlay_pipe_emit *ask, const zlay_attention_plan *p)
{
    const char *keys = zl_attention_lengths(&p->ask, false);
    zlay_pipe_count sees = {.param = "N",
                            .axis = "block",
                            .times = p->count_times,
                            .add = p->count_add,
                            .divide = p->info.tile_n,
                            .behind = p->count_behind};
    if (keys)
        b->counts[ask->counts_count++] = (zlay_pipe_count){.param = "N",
                                                           .axis = "block",
                                                           .add = p->info.tile_n - 1,
                                                           .divide = p->info.tile_n,
                                                           .plus = keys};
    sees.plus = keys;
    sees.minus = zl_attention_lengths(&p->ask, true);
    if (p->ask.causal) b->counts[ask->counts_count++] = sees;
    ask->counts = b->counts;
}

static void lengths_bind(bound *b, zlay_pipe_emit *ask, const zlay_attention_plan *p)
{
    const bool packed[] = {p->ask.k_lengths == ZLAY_LENGTHS_PACKED, p->ask.q_lengths == ZLAY_LENGTHS_PACKED};
    for (int queries = 0; queries < 2; queries++) {
        const char *name = zl_attention_lengths(&p->ask, queries);
        if (name)
            b->lengths[ask->lengths_count++] = (zlay_pipe_lengths){.name = name,
                                                                   .axis = "block.z",
                                                                   .tiles = queries ? "block" : NULL,
                                                                   .height = p->info.tile_m,
                                                                   .starts = packed[queries],
                                                                   .most = (uint32_t)zl_attention_most(p, queries)};
    }
    ask->lengths = b->lengths;
}

static void bind(bound *b, zlay_pipe_emit *ask, const zlay_attention_plan *p)
{
    zl_plan_bind(&b->plan, ask, p->moves, p->moves_count, p->operands, p->operands_count);
    counts_bind(b, ask, p);
    lengths_bind(b, ask, p);
    ask->descending = p->ask.causal; /* the last queries see the most keys */
}

zlay_status zlay_emit_attention(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                                zlay_pipe_argument *arguments, size_t room,
                                const zlay_attention_emit *request)
{
    static const zl_request_form form = {"zlay_attention_emit",
                                         sizeof(zlay_attention_emit),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_attention_emit, reserved)}};
    zlay_attention_emit r;
    bound b;
    if (!ctx || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_request_read(ctx, &r, request, &form);
    if (!status && !r.plan) status = ZLAY_EINVAL;
    if (status) return zl_leave(ctx, status);
    zlay_pipe_emit ask = {.size = sizeof ask,
                          .language = r.language,
                          .target = r.plan->target,
                          .pipe = r.plan->pipe,
                          .name = r.name,
                          .name_length = r.name_length,
                          .unchecked = 1}; /* the plan's pipe is proved */
    bind(&b, &ask, r.plan);
    return zl_leave(ctx, zl_pt_print(ctx, out, launch, arguments, room, &ask, NULL));
}
