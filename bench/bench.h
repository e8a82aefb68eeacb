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

/* Microseconds of one call of each: the medians of rounds that take all in turn, each of at least
 * 20 ms or one call; false when one came out wrong. */
enum { BENCH_MOST = 8 };
bool bench_times(bench_work *const *work, size_t count, void *state, double *median);
double bench_time(bench_work *work, void *state); /* negative: it came out wrong */
double bench_once(bench_work *work, void *state); /* the best of three single calls */

/* Measure both in turn and print the row. */
bool bench_print(const bench_row *row, bool json);
/* The same where theirs takes seconds: a quick run asks ours alone, and prints no row. */
bool bench_print_slow(const bench_row *row, bool json);
/* The same in nanoseconds of each of `count` parts of a work; theirs NULL: against a budget. */
bool bench_each(const char *name, const char *against, bench_work *ours, bench_work *theirs,
                double budget, size_t count, void *state, bool json);
bool bench_quick(void); /* --quick: results are compared on a few inputs, and times mean little */
uint64_t bench_drawn(uint64_t *seed);
/* Writes a pipe's text, `$` being its stages and `$-1` one fewer; returns its length. */
size_t bench_stages(char *out, size_t room, const char *raw, unsigned stages);
void bench_head(bool json);
void bench_line(const char *name, double value, const char *unit, const char *against, double ratio,
                bool json);

/* Rows of a file each, listed in main.c; false when a result was wrong. */
typedef bool bench_group(zlay_ctx *ctx, bool json);
bench_group bench_pieces, bench_isl, bench_zmat, bench_decide, bench_growth, bench_eval, bench_cute, bench_cute_cpp,
    bench_plan, bench_driver, bench_f2, bench_matrix, bench_bank, bench_swizzle, bench_tcgen05, bench_synth,
    bench_transfer, bench_factor, bench_convert, bench_copy_synth, bench_tmem, bench_unknowns, bench_pipe, bench_order,
    bench_wave, bench_region, bench_io, bench_fill, bench_variants, bench_schedule, bench_show, bench_stage, bench_places;

#endif
