/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts written out by hand in C, compiled as a user would for his own machine: -O3 -march=native. */
#ifndef BENCH_BY_HAND_H
#define BENCH_BY_HAND_H

#include "bench.h"

/* The loop that a user writes around the expression; without `index` over first, first + 1, ... */
typedef void hand(int64_t *values, const uint64_t *index, uint64_t first, size_t count);

hand rank4_by_hand, swizzled_by_hand, f2_by_hand;

#endif
