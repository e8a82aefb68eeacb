/* SPDX-License-Identifier: Apache-2.0 */
/* Modulo schedules: random loops of 4 to 24 operations on one to four kinds of units, with edges back over up to three
 * iterations; the median, and the 99th percentile against what issue and documents promise. bench/schedule.py has the
 * loops of kernels, and an integer program as a peer. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPS_MOST = 24, EDGES_MOST = 3 * OPS_MOST, UNITS = 4, LOOPS = 400, QUICK = 8 };

typedef struct drawn {
    zlay_ctx *ctx;
    zlay_schedule_request request;
    zlay_schedule_op op[OPS_MOST];
    zlay_schedule_edge edge[EDGES_MOST];
    zlay_schedule_unit unit[UNITS];
    char name[OPS_MOST][4];
    bool optimal;
} drawn;

static uint32_t below(uint64_t *seed, uint32_t most) { return (uint32_t)(bench_drawn(seed) % most); }

static void draw(drawn *d, uint32_t ops, uint64_t seed)
{
    static const char *const names[UNITS] = {"p", "q", "r", "s"};
    uint32_t units = 1 + below(&seed, UNITS);
    d->request = (zlay_schedule_request){.size = sizeof d->request, .op = d->op, .edge = d->edge, .unit = d->unit, .ops = ops, .units = units};
    for (uint32_t i = 0; i < units; i++) d->unit[i] = (zlay_schedule_unit){names[i], 1 + below(&seed, 1 + 2 * below(&seed, 2))};
    for (uint32_t i = 0; i < ops; i++) {
        uint64_t cycles = below(&seed, 5);
        snprintf(d->name[i], sizeof d->name[i], "o%u", i % 100);
        d->op[i] = (zlay_schedule_op){d->name[i], below(&seed, units), 0, cycles, (int64_t)cycles + below(&seed, 5)};
        for (uint32_t k = 1 + below(&seed, 2); i && k > 0; k--)
            d->edge[d->request.edges++] = (zlay_schedule_edge){below(&seed, i), i, 0, 0, 1, 0};
    }
    for (uint32_t k = below(&seed, ops / 3 + 1); k > 0; k--)
        d->edge[d->request.edges++] = (zlay_schedule_edge){below(&seed, ops), below(&seed, ops), 1 + below(&seed, 3), 0, 1, 0};
}

static bool solve(void *value)
{
    drawn *d = value;
    zlay_schedule *s;
    zlay_schedule_summary info = {0};
    if (zlay_schedule_synth(d->ctx, &s, NULL, &d->request)) return false;
    zlay_schedule_info(&info, s);
    zlay_schedule_free(s);
    d->optimal = info.optimal;
    return info.bound <= info.ii;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool rows(zlay_ctx *ctx, uint32_t ops, double promised, bool json)
{
    static drawn d;
    double time[LOOPS];
    char name[96];
    int loops = bench_quick() ? QUICK : LOOPS, optimal = 0;
    d.ctx = ctx;
    for (int i = 0; i < loops; i++) {
        draw(&d, ops, (uint64_t)i * 7919 + ops);
        if ((time[i] = bench_once(solve, &d)) < 0) return false;
        optimal += d.optimal;
    }
    qsort(time, (size_t)loops, sizeof *time, by_time);
    snprintf(name, sizeof name, "pipe.schedule, %u operations, median", ops);
    bench_line(name, time[loops / 2], "us", "-", 1, json);
    snprintf(name, sizeof name, "pipe.schedule, %u operations, 99 of 100; %d of %d proved least", ops, optimal, loops);
    bench_line(name, time[loops * 99 / 100], "us", "5 ms for 12, 100 ms for 24", promised / time[loops * 99 / 100], json);
    return true;
}

bool bench_schedule(zlay_ctx *ctx, bool json)
{
    bool right = true;
    for (uint32_t ops = 4; ops <= OPS_MOST && right; ops += 4) right = rows(ctx, ops, ops <= 12 ? 5e3 : 1e5, json);
    return right;
}
