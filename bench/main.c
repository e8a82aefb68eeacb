/* SPDX-License-Identifier: Apache-2.0 */
/* zlay-bench [--json] [--quick] [GROUP ..]: ratios, each measured in this run against what a user would take instead.
 * --quick takes one round of a millisecond: results are compared all the same, times mean little. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The thread's own time: other work on the machine takes none of it. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static bool quick;

bool bench_quick(void) { return quick; }

/* The clock is read once a batch, and batches double: it takes a tenth of the shortest work. */
static double round_time(bench_work *work, void *state)
{
    double start = now(), end, least = quick ? 1e3 : 2e4;
    long calls = 0, batch = 1;
    do {
        for (long i = 0; i < batch; i++)
            if (!work(state)) return -1;
        calls += batch;
        end = now();
        if (end - start < least / 2) batch = calls;
    } while (end - start < least);
    return (end - start) / (double)calls;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { ROUNDS = 9 };

/* Each round takes all in turn, so that a machine that drifts drifts for all of them. */
bool bench_times(bench_work *const *work, size_t count, void *state, double *median)
{
    double time[BENCH_MOST][ROUNDS];
    int rounds = 0, most = quick ? 1 : ROUNDS;
    for (double spent = 0; rounds < most && (rounds < 3 || spent < 4e6); rounds++) {
        double start = now();
        for (size_t i = 0; i < count; i++)
            if ((time[i][rounds] = round_time(work[i], state)) < 0) return false;
        spent += now() - start;
    }
    for (size_t i = 0; i < count; i++) {
        qsort(time[i], (size_t)rounds, sizeof time[i][0], by_size);
        median[i] = time[i][rounds / 2];
    }
    return true;
}

double bench_time(bench_work *work, void *state)
{
    double median;
    return bench_times(&work, 1, state, &median) ? median : -1;
}

double bench_once(bench_work *work, void *state)
{
    double least = -1;
    for (int i = 0; i < 3; i++) {
        double start = now();
        if (!work(state)) return -1;
        double time = now() - start;
        least = i && least < time ? least : time;
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

static bool print_row(const bench_row *row, bool json, bool alone)
{
    bench_work *const work[] = {row->ours, row->theirs};
    double time[2];
    if (!bench_times(work, alone ? 1 : 2, row->state, time)) {
        fprintf(stderr, "zlay-bench: %s: a wrong result\n", row->name);
        return false;
    }
    if (!alone) bench_line(row->name, time[0], "us", row->against, time[1] / time[0], json);
    return true;
}

bool bench_print(const bench_row *row, bool json) { return print_row(row, json, false); }

bool bench_print_slow(const bench_row *row, bool json) { return print_row(row, json, quick); }

bool bench_each(const char *name, const char *against, bench_work *ours, bench_work *theirs,
                double budget, size_t count, void *state, bool json)
{
    bench_work *const work[] = {ours, theirs};
    double time[2];
    if (!bench_times(work, theirs ? 2 : 1, state, time)) return false;
    double each = time[0] * 1000 / (double)count;
    bench_line(name, each, "ns", against, theirs ? time[1] / time[0] : budget / each, json);
    return true;
}

uint64_t bench_drawn(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static const struct {
    const char *name;
    bench_group *run;
} groups[] = {
    {"isl", bench_isl},
    {"decide", bench_decide},
    {"f2", bench_f2},
    {"pieces", bench_pieces},
    {"growth", bench_growth},
    {"eval", bench_eval},
    {"cute", bench_cute},
    {"cute_cpp", bench_cute_cpp},
    {"zmat", bench_zmat},
    {"plan", bench_plan},
    {"bank", bench_bank},
    {"swizzle", bench_swizzle},
    {"driver", bench_driver},
    {"matrix", bench_matrix},
    {"tcgen05", bench_tcgen05},
    {"synth", bench_synth},
    {"transfer", bench_transfer},
    {"factor", bench_factor},
    {"convert", bench_convert},
    {"copy", bench_copy_synth},
    {"tmem", bench_tmem},
    {"unknowns", bench_unknowns},
    {"pipe", bench_pipe},
    {"order", bench_order},
    {"wave", bench_wave},
    {"region", bench_region},
    {"io", bench_io},
    {"places", bench_places},
    {"fill", bench_fill},
    {"variants", bench_variants},
    {"schedule", bench_schedule},
    {"show", bench_show},
    {"stage", bench_stage},
};

enum { GROUPS = sizeof groups / sizeof groups[0] };

static int usage(void)
{
    fprintf(stderr, "usage: zlay-bench [--json] [--quick] [GROUP ..]\ngroups:");
    for (size_t i = 0; i < GROUPS; i++) fprintf(stderr, " %s", groups[i].name);
    fprintf(stderr, "\n");
    return 2;
}

static bool is_group(const char *name)
{
    for (size_t i = 0; i < GROUPS; i++)
        if (!strcmp(groups[i].name, name)) return true;
    return false;
}

static bool among(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

int main(int argc, char **argv)
{
    bool json = false, right = true;
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (!strcmp(argv[at], "--json")) json = true;
        else if (!strcmp(argv[at], "--quick")) quick = true;
        else return usage();
    }
    for (int i = at; i < argc; i++)
        if (!is_group(argv[i])) return usage();
    zlay_ctx *ctx;
    if (zlay_ctx_new(&ctx, NULL, NULL)) return 2;
    bench_head(json);
    for (size_t i = 0; i < GROUPS; i++)
        if (at == argc || among(groups[i].name, argc - at, argv + at))
            right = groups[i].run(ctx, json) && right;
    zlay_ctx_free(ctx);
    return right ? 0 : 1;
}
