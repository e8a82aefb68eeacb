/* SPDX-License-Identifier: Apache-2.0 */
/* Planning against the time that a kernel generator can spare, and against the pieces that
 * a user of the driver has to get right alone. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 512 };

typedef struct state {
    zlay_ctx *ctx;
    const char *target;
    zlay_gemm gemm;
    char *text;
    size_t room;
} state;

static zlay_plan *plan_make(const state *s)
{
    const zlay_target *target;
    zlay_plan *plan = NULL;
    if (zlay_target_find(&target, s->target, strlen(s->target)) == ZLAY_OK)
        zlay_gemm_synth(s->ctx, &plan, target, &s->gemm);
    return plan;
}

static bool plan_work(void *value)
{
    zlay_plan *plan = plan_make(value);
    bool right = plan;
    zlay_plan_free(plan);
    return right;
}

typedef zlay_status emitter(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan, const char *name, size_t length);

static bool emitted(const state *s, emitter *emit)
{
    zlay_plan *plan = plan_make(s);
    zlay_buf out = {s->text, s->room, 0};
    bool right = plan && emit(s->ctx, &out, plan, "gemm", 4) == ZLAY_OK;
    zlay_plan_free(plan);
    return right;
}

static bool emit_work(void *value) { return emitted(value, zlay_emit_ptx); }
static bool assembly_work(void *value) { return emitted(value, zlay_emit_assembly); }

/* A plan of waves and its text. */
static bool waves_lines(state *s, const char *target, uint32_t groups, bool json)
{
    char name[64];
    s->target = target;
    const char *of = groups ? ", groups" : "";
    s->gemm.k = 4096; /* loads of 16 bytes */
    s->gemm.groups = groups;
    double plan = bench_time(plan_work, s), text = bench_time(assembly_work, s);
    if (plan < 0 || text < 0) return false;
    snprintf(name, sizeof name, "plan a GEMM of waves, %s%s", target, of);
    bench_line(name, plan, "us", "a budget of 1 ms", 1000 / plan, json);
    snprintf(name, sizeof name, "plan it and print its assembly, %s%s", target, of);
    bench_line(name, text, "us", "a budget of 2 ms", 2000 / text, json);
    return true;
}

/* All ways to plan a request that leaves everything open. */
static bool candidates_work(void *value)
{
    const state *s = value;
    static zlay_gemm_candidate list[CANDIDATES];
    const zlay_target *target;
    size_t count = 0;
    if (zlay_target_find(&target, s->target, strlen(s->target)) ||
        zlay_gemm_candidates(s->ctx, list, CANDIDATES, &count, target, &s->gemm))
        return false;
    for (size_t i = 1; i < count && i < CANDIDATES; i++)
        if (!list[i].ns || !list[i].terms.waves) return false;
    return count > 50 && count <= CANDIDATES;
}

/* Against what plans the first of them alone, with its proof. */
static bool candidates_line(state *s, bool json)
{
    s->gemm = (zlay_gemm){.size = sizeof s->gemm, .m = 96, .n = 7168, .k = 6144, .multicast = ZLAY_MULTICAST_AUTO,
                          .swap = ZLAY_SWAP_AUTO, .stream_k = ZLAY_STREAM_AUTO, .split_k = ZLAY_SPLIT_AUTO};
    return bench_print(&(bench_row){"plan.candidates, 96 x 7168 x 6144, all open", "planning the first alone", candidates_work, plan_work, s}, json);
}

static const struct {
    const char *name;
    uint64_t m, n, k;
} shapes[] = {{"plan a GEMM 4096 x 4096 x 4096", 4096, 4096, 4096},
              {"plan a GEMM 4096 x 4096 x 4100 (cp.async)", 4096, 4096, 4100}};

bool bench_plan(zlay_ctx *ctx, bool json)
{
    enum { ROOM = 1 << 20 };
    state s = {.ctx = ctx, .target = "sm_90a", .gemm = {.size = sizeof s.gemm}, .text = malloc(ROOM), .room = ROOM};
    bool right = s.text;
    for (size_t i = 0; right && i < sizeof shapes / sizeof shapes[0]; i++) {
        s.gemm.m = shapes[i].m;
        s.gemm.n = shapes[i].n;
        s.gemm.k = shapes[i].k;
        double time = bench_time(plan_work, &s);
        right = time >= 0;
        if (right) bench_line(shapes[i].name, time, "us", "a budget of 200 us", 200 / time, json);
    }
    double time = right ? bench_time(emit_work, &s) : -1;
    if (time >= 0)
        bench_line("plan it and print its PTX", time, "us", "a budget of 1 ms", 1000 / time, json);
    right = time >= 0 && candidates_line(&s, json);
    s.gemm = (zlay_gemm){.size = sizeof s.gemm, .m = 4096, .n = 4096};
    right = right && waves_lines(&s, "gfx942", 0, json) && waves_lines(&s, "gfx950", 0, json) && waves_lines(&s, "gfx942", 32, json);
    free(s.text);
    return right;
}
