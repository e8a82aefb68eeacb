/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor memory packed, and what a pipe's use of it is asked: how the time grows with buffers and
 * events, against the 10 ms that a kernel generator can spare a kernel. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { DRAWN = 64, BUDGET = 10 * 1000 * 1000 };

typedef struct state {
    zlay_ctx *ctx;
    const zlay_target *target;
    uint32_t count, allocations;
    zlay_tmem_buffer buffer[DRAWN][ZLAY_TMEM_BUFFERS];
    zlay_pipe *pipe;
} state;

/* Lives of up to a third of the steps, columns in multiples of 32, or less where buffers are many; every problem has an answer. */
static void draw(state *s, uint64_t *seed)
{
    zlay_tmem_packing p;
    for (size_t k = 0; k < DRAWN; k++) {
        zlay_tmem_pack_request r = {.size = sizeof r, .count = s->count, .buffers = s->buffer[k],
                                    .allocations = s->allocations};
        do {
            for (uint32_t i = 0; i < s->count; i++) {
                zlay_tmem_buffer *b = &s->buffer[k][i];
                *b = (zlay_tmem_buffer){.columns = (s->count < 16 ? 32 : 256 / s->count) * (uint32_t)(1 + bench_drawn(seed) % 4),
                                        .first = (uint32_t)(bench_drawn(seed) % s->count)};
                b->last = b->first + (uint32_t)(bench_drawn(seed) % (1 + s->count / 3));
            }
        } while (zlay_tmem_pack(s->ctx, &p, s->target, &r) || !p.optimal);
    }
}

static bool pack(void *value)
{
    state *s = value;
    bool right = true;
    for (size_t k = 0; k < DRAWN; k++) {
        zlay_tmem_packing p;
        zlay_tmem_pack_request r = {.size = sizeof r, .count = s->count, .buffers = s->buffer[k],
                                    .allocations = s->allocations};
        right = right && !zlay_tmem_pack(s->ctx, &p, s->target, &r) && p.columns >= p.alive;
    }
    return right;
}

static bool packs(state *s, bool json)
{
    bool right = true;
    uint64_t seed = 7;
    for (s->allocations = 1; s->allocations <= 4; s->allocations += 3)
        for (s->count = 4; s->count <= 32; s->count *= 2) {
            char name[64];
            draw(s, &seed);
            snprintf(name, sizeof name, "tmem.pack, %u buffers, %u allocation%s", s->count,
                     s->allocations, s->allocations > 1 ? "s" : "");
            right = bench_each(name, "10 ms", pack, NULL, BUDGET, DRAWN, s, json) && right;
        }
    return right;
}

/* ---- pipes ---- */

static const char text[] =
    "pipe g\nparam N 1..\nsmem A[4] 64\nsmem B[4] 64\ntmem C[2] 128\nbar full[4] count 1\n"
    "bar empty[4] count 1\nbar done[2] count 1\nbar taken[2] count 4\ninit full\ninit empty\n"
    "init done\ninit taken\nalloc C\nrelinquish\nfence mbarrier_init\nsync cta\n"
    "role load warps 2..2 elect\nfor i in 0..N\nwait empty[i % 4] parity (i / 4 + 1) % 2\n"
    "expect full[i % 4] 128\narrive full[i % 4]\ncopy tensor 64 -> A[i % 4] signal full[i % 4]\n"
    "copy tensor 64 -> B[i % 4] signal full[i % 4]\nend\nend\n"
    "role issue warps 1..1 elect\nfor i in 0..N\nwait full[i % 4] parity i / 4 % 2\n"
    "wait taken[i % 2] parity (i / 2 + 1) % 2\nfence tcgen05.after\n"
    "mma A[i % 4], B[i % 4] -> C[i % 2] fresh\ncommit tcgen05 signal empty[i % 4]\n"
    "commit tcgen05 signal done[i % 2]\nend\nend\n"
    "role epilogue warps 4..7\nfor i in 0..N\nwait done[i % 2] parity i / 2 % 2\n"
    "fence tcgen05.after\ntld C[i % 2] -> R\ntwait ld\nuse R\nfence tcgen05.before\n"
    "arrive taken[i % 2] warps\nend\nend\n";

/* Nobody frees C: one row is broken, at its alloc. */
static bool check(void *value)
{
    state *s = value;
    zlay_tmem_fault fault;
    zlay_answer answer = ZLAY_YES;
    size_t count = 0;
    return !zlay_pipe_tmem_check(s->ctx, &answer, &fault, 1, &count, s->pipe) &&
           answer == ZLAY_NO && count == 1 && fault.reason.line == 14;
}

static const char ring[] =
    "pipe r\nparam N 0..\nsmem A[4] 64\nbar full[4] count 128\nbar empty[4] count 4\ninit full\n"
    "init empty\nsync cta\nrole p warps 0..3\nfor i in 0..N\n"
    "wait empty[i % 4] parity (i / 4 + 1) % 2\nwrite A[i % 4] 64\narrive full[i % 4] threads\nend\n"
    "end\nrole c warps 4..7\nfor i in 0..N\nwait full[i % 4] parity i / 4 % 2\nread A[i % 4]\n"
    "sync role\narrive empty[i % 4] warps\nend\nend\n";

/* One: behind the barriers' init. Ordinary reads of ordinary writes need no other. */
static bool fences(void *value)
{
    state *s = value;
    zlay_pipe *out;
    size_t count = 0;
    bool right = !zlay_pipe_fences(s->ctx, &out, NULL, 0, &count, s->pipe) && count == 1;
    zlay_pipe_free(out);
    return right;
}

static bool pipe_row(state *s, const char *name, const char *lines, bench_work *work, bool json)
{
    bool right = !zlay_pipe_parse(s->ctx, &s->pipe, lines, strlen(lines)) &&
                 bench_each(name, "10 ms", work, NULL, BUDGET, 1, s, json);
    zlay_pipe_free(s->pipe);
    return right;
}

bool bench_tmem(zlay_ctx *ctx, bool json)
{
    static state s;
    s.ctx = ctx;
    if (zlay_target_find(&s.target, "sm_100a", 7)) return false;
    bool right = packs(&s, json);
    right = pipe_row(&s, "tmem.check, a leak in a GEMM", text, check, json) && right;
    return pipe_row(&s, "pipe.fences, a ring of 4 stages", ring, fences, json) && right;
}
