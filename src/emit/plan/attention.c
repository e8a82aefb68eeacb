/* SPDX-License-Identifier: Apache-2.0 */
/* Binds a plan of attention to its pipe, which is then printed as any pipe: moves and what counts
 * their axes, layouts of shared buffers, and where it is causal the tiles of keys of each block. */
#include "base/request.h"
#include "emit/gcn/attention/attention.h"
#include "emit/pipe/pipe.h"
#include "emit/plan/bind.h"
#include "synth/attention/attention.h"

#include <stdio.h>


typedef struct bound {
    zl_plan_bound plan;
    zlay_pipe_count counts[2];
    zlay_pipe_lengths lengths[2];
    zlay_pipe_matrix sums;
    char part[32], batch[32];
    zl_pt_sequences sequences;
    zl_pt_plan more;
} bound;

enum { BESIDE = 4 /* heads at most whose keys stay in L2 together */, SHORT = 4 /* tiles of a sequence that may begin last */ };

/* Splits are a number. */
static void splits_bind(bound *b, zlay_pipe_emit *ask, const zlay_attention_plan *p)
{
    b->counts[0] = (zlay_pipe_count){.param = "S", .add = (uint32_t)p->ask.splits, .divide = 1};
    b->sums = (zlay_pipe_matrix){.name = "O", .columns = ZL_ATTENTION_COLUMNS};
    ask->counts = b->counts;
    ask->counts_count = 1;
    ask->matrices = &b->sums;
    ask->matrices_count = 1;
}

/* Tiles of keys: causal as many as the block's queries see; where sequences of keys have different lengths, no more than
 * those have. */
static void counts_bind(bound *b, zlay_pipe_emit *ask, const zlay_attention_plan *p)
{
    const char *keys = zl_attention_lengths(p, false);
    zlay_pipe_count sees = {.param = "N",
                            .axis = "block",
                            .times = p->count_times,
                            .add = p->count_add,
                            .divide = p->info.tile_n,
                            .behind = p->count_behind};
    if (keys || (p->split && !p->ask.causal))
        b->counts[ask->counts_count++] = (zlay_pipe_count){.param = "N",
                                                           .axis = "block",
                                                           .add = p->info.tile_n - 1 + (keys ? 0 : (uint32_t)p->ask.keys),
                                                           .divide = p->info.tile_n,
                                                           .plus = keys};
    if (!p->same) sees.plus = keys, sees.minus = zl_attention_lengths(p, true);
    if (p->ask.causal) b->counts[ask->counts_count++] = sees;
    if (p->split) {
        snprintf(b->part, sizeof b->part, "block.y %% %u", (unsigned)p->ask.splits);
        b->counts[ask->counts_count - 1].part = b->part;
        b->counts[ask->counts_count - 1].parts = (uint32_t)p->ask.splits;
    }
    ask->counts = b->counts;
}

static void lengths_bind(bound *b, zlay_pipe_emit *ask, const zlay_attention_plan *p)
{
    const bool packed[] = {p->ask.k_lengths == ZLAY_LENGTHS_PACKED, p->ask.q_lengths == ZLAY_LENGTHS_PACKED};
    snprintf(b->batch, sizeof b->batch, "block.z/%u", p->merges ? p->panels : 1);
    for (int queries = 0; queries < 2; queries++) {
        const char *name = zl_attention_lengths(p, queries);
        if (name && (queries || !p->same))
            b->lengths[ask->lengths_count++] = (zlay_pipe_lengths){.name = name,
                                                                   .axis = b->batch,
                                                                   .tiles = queries && !p->ask.sequences ? "block" : NULL,
                                                                   .height = p->info.tile_m,
                                                                   .starts = packed[queries],
                                                                   .most = (uint32_t)zl_attention_most(p, queries)};
    }
    ask->lengths = b->lengths;
}

/* Heads whose tiles are neighbours. */
static uint32_t beside(uint64_t heads)
{
    uint32_t most = BESIDE;
    while (heads % most) most--;
    return most;
}

/* Sequences of the mean length or more begin first. */
static void sequences_bind(bound *b, const zlay_attention_plan *p)
{
    b->sequences = (zl_pt_sequences){.queries = zl_attention_lengths(p, true),
                                     .steps = "N",
                                     .told = "ready",
                                     .count = (uint32_t)p->ask.sequences,
                                     .heads = (uint32_t)p->ask.heads,
                                     .rows = (uint32_t)p->ask.queries,
                                     .keys = (uint32_t)p->ask.keys,
                                     .height = p->info.tile_m,
                                     .beside = beside(p->ask.heads),
                                     .low = (uint32_t)zl_attention_mean(&p->ask, p->ask.queries),
                                     .least = SHORT * p->info.tile_m};
    b->more = (zl_pt_plan){.tiles.param = "T", .sequences = &b->sequences};
}

static void bind(bound *b, zlay_pipe_emit *ask, const zlay_attention_plan *p)
{
    zl_plan_bind(&b->plan, ask, p->moves, p->moves_count, p->operands, p->operands_count);
    if (p->merges) splits_bind(b, ask, p);
    else counts_bind(b, ask, p);
    lengths_bind(b, ask, p);
    ask->descending = p->ask.causal && !p->merges && !p->ask.sequences; /* the last queries see the most keys */
    if (p->ask.sequences) sequences_bind(b, p);
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
    if (r.plan->wave.waves && r.pipe) return zl_leave(ctx, zl_fail(ctx, ZLAY_ENOTSUP, "pipe: a plan of %s has its own alone", zlay_target_name(r.plan->target)));
    if (r.plan->wave.waves) return zl_leave(ctx, zl_aw_print(ctx, out, launch, arguments, room, &r));
    zlay_pipe_emit ask = zl_plan_ask(r.plan->target, r.pipe ? r.pipe : r.plan->pipe, r.language, r.name, r.name_length);
    bind(&b, &ask, r.plan);
    return zl_leave(ctx, zl_pt_print(ctx, out, launch, arguments, room, &ask, r.plan->ask.sequences ? &b.more : NULL));
}
