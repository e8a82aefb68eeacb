/* SPDX-License-Identifier: Apache-2.0 */
/* A bench is two functions that do the same work: zlay's, and what a user would take instead. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <zlay/zlay.h>

/* One piece of work; false when it did not come out right, and then there is no row. */
typedef bool bench_work(void *state);

typedef struct bench_row {
    const char *name, *against;
    bench_work *ours, *theirs;
    void *state;
} bench_row;

/* Microseconds of one call: the least of five rounds, each of at least 20 ms or one call. */
double bench_time(bench_work *work, void *state);

/* Measure both in turn and print the row. */
bool bench_print(const bench_row *row, bool json);
void bench_head(bool json);
void bench_line(const char *name, double value, const char *unit, const char *against, double ratio,
                bool json);

/* Rows of a file each; false when a result was wrong. */
bool bench_isl(zlay_ctx *ctx, bool json);
bool bench_plan(zlay_ctx *ctx, bool json);
bool bench_driver(zlay_ctx *ctx, bool json);

#endif
