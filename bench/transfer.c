/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of copies and what blocks of a cluster share: planned and printed, as ranks and bits
 * grow, against the time that a kernel generator can spare. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16, PLAN = 100, TEXT = 500 };

typedef struct state {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_layout *source, *dest;
    int32_t path;
    char text[ROOM];
} state;

static bool plan(state *s, bool print)
{
    zlay_transfer_request r = {.size = sizeof r, .elem_bits = 16, .source = s->source,
                               .dest = s->dest, .source_align = 16, .dest_align = 16};
    zlay_transfer *t = NULL;
    zlay_transfer_summary info = {0};
    zlay_buf out = {s->text, ROOM, 0};
    bool right = !zlay_transfer_synth(s->ctx, &t, s->target, &r) && !zlay_transfer_info(&info, t) &&
                 info.path == s->path;
    if (right && print) right = !zlay_emit_transfer(s->ctx, &out, t, "moved", 5);
    zlay_transfer_free(t);
    return right;
}

static bool plan_work(void *value) { return plan(value, false); }
static bool print_work(void *value) { return plan(value, true); }

static bool exchange_work(void *value)
{
    state *s = value;
    zlay_exchange *x = NULL;
    bool right = !zlay_exchange_synth(s->ctx, &x, s->source, s->dest);
    zlay_exchange_free(x);
    return right;
}

static bool multicast_work(void *value)
{
    state *s = value;
    zlay_tensormap map = {.type = ZLAY_TYPE_BF16, .rank = 2, .swizzle = 3, .extent = {4096, 4096},
                          .stride = {8192}, .box = {64, 64}, .step = {1, 1}};
    zlay_multicast_request r = {.size = sizeof r, .cluster = 4, .cta_mask = 15, .map = &map};
    zlay_multicast m;
    return !zlay_multicast_synth(s->ctx, &m, s->target, &r) && m.slices == 4;
}

static const struct {
    const char *name, *source, *dest;
    int32_t path;
    bench_work *work;
} rows[] = {
    {"plan a copy of rows, rank 2", "(4096,512):(1,4096)", "(4096,512):(1,8192)",
     ZLAY_PATH_THREADS, plan_work},
    {"plan a copy of rows, rank 4", "(4096,8,8,8):(1,65536,8192,1048576)",
     "(4096,8,8,8):(1,8192,65536,524288)", ZLAY_PATH_THREADS, plan_work},
    {"plan a copy of shifted rows", "(16381,16383):(1,16381)", "(16381,16383):(1,16384)",
     ZLAY_PATH_REALIGN, plan_work},
    {"the same with its PTX", "(16381,16383):(1,16381)", "(16381,16383):(1,16384)",
     ZLAY_PATH_REALIGN, print_work},
    {"plan a transposition", "(4096,4096):(1,4096)", "(4096,4096):(4096,1)", ZLAY_PATH_MATRIX,
     plan_work},
    {"the same with its PTX", "(4096,4096):(1,4096)", "(4096,4096):(4096,1)", ZLAY_PATH_MATRIX,
     print_work},
    {"plan a multicast of 64 x 64 to 4 blocks", "1:1", "1:1", 0, multicast_work},
    {"plan an exchange between 4 blocks, 8 bits",
     "f2{lane: (1) (2) (4) (8) (16) (32); block: (64) (128) -> t: 256}",
     "f2{lane: (64) (128) (4) (8) (16) (32); block: (1) (2) -> t: 256}", 0, exchange_work},
    {"plan an exchange between 4 blocks, 14 bits",
     "f2{lane: (1) (2) (4) (8) (16) (32) (256) (512) (1024) (2048) (4096) (8192); "
     "block: (64) (128) -> t: 16384}",
     "f2{lane: (64) (128) (4) (8) (16) (32) (256) (512) (1024) (2048) (4096) (8192); "
     "block: (1) (2) -> t: 16384}", 0, exchange_work},
};

bool bench_transfer(zlay_ctx *ctx, bool json)
{
    state *s = malloc(sizeof *s);
    bool right = s && zlay_target_find(&s->target, "sm_90a", 6) == ZLAY_OK;
    for (size_t i = 0; right && i < sizeof rows / sizeof rows[0]; i++) {
        s->ctx = ctx;
        s->path = rows[i].path;
        right = !zlay_layout_parse(ctx, &s->source, rows[i].source, strlen(rows[i].source)) &&
                !zlay_layout_parse(ctx, &s->dest, rows[i].dest, strlen(rows[i].dest));
        bool printed = rows[i].work == print_work;
        double time = right ? bench_time(rows[i].work, s) : -1;
        right = time >= 0;
        if (right)
            bench_line(rows[i].name, time, "us",
                       printed ? "a budget of 500 us" : "a budget of 100 us",
                       (printed ? TEXT : PLAN) / time, json);
        zlay_layout_free(s->source);
        zlay_layout_free(s->dest);
    }
    free(s);
    return right;
}
