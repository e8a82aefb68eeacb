/* SPDX-License-Identifier: Apache-2.0 */
/* zlay-bench [--json]: ratios, each measured in this run against what a user would take instead. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double round_time(bench_work *work, void *state)
{
    double start = now(), end;
    long calls = 0;
    do {
        if (!work(state)) return -1;
        calls++;
        end = now();
    } while (end - start < 2e4);
    return (end - start) / (double)calls;
}

double bench_time(bench_work *work, void *state)
{
    double least = -1;
    for (int i = 0; i < 5; i++) {
        double time = round_time(work, state);
        if (time < 0) return time;
        if (least < 0 || time < least) least = time;
        if (time > 2e5) break;
    }
    return least;
}

void bench_head(bool json)
{
    if (!json) printf("%-44s %12s  %-34s %10s\n", "bench", "value", "against", "ratio");
}

void bench_line(const char *name, double value, const char *unit, const char *against, double ratio,
                bool json)
{
    if (json)
        printf("{\"bench\": \"%s\", \"value\": %.4g, \"unit\": \"%s\", \"against\": \"%s\", "
               "\"ratio\": %.4g}\n",
               name, value, unit, against, ratio);
    else printf("%-44s %9.4g %-2s  %-34s %9.3gx\n", name, value, unit, against, ratio);
}

bool bench_print(const bench_row *row, bool json)
{
    double ours = bench_time(row->ours, row->state), theirs = bench_time(row->theirs, row->state);
    if (ours < 0 || theirs < 0) {
        fprintf(stderr, "zlay-bench: %s: a wrong result\n", row->name);
        return false;
    }
    bench_line(row->name, ours, "us", row->against, theirs / ours, json);
    return true;
}

int main(int argc, char **argv)
{
    bool json = argc == 2 && !strcmp(argv[1], "--json");
    zlay_ctx *ctx;
    if (argc > 1 && !json) {
        fprintf(stderr, "usage: zlay-bench [--json]\n");
        return 2;
    }
    if (zlay_ctx_new(&ctx, NULL, NULL)) return 2;
    bench_head(json);
    bool right = bench_isl(ctx, json);
    right = bench_plan(ctx, json) && right;
    right = bench_driver(ctx, json) && right;
    zlay_ctx_free(ctx);
    return right ? 0 : 1;
}
