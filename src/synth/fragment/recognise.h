/* SPDX-License-Identifier: Apache-2.0 */
/* A layout that is compared with known layouts, point by point: by fragment.c with fragments of
 * matrix instructions, by synth/tmem with layouts of tensor memory. */
#ifndef ZL_RECOGNISE_H
#define ZL_RECOGNISE_H

#include "target/target.h"

#include <zlay/layout.h>

/* What is asked about: a layout of one output dimension, or of two that are counted as one. */
typedef struct zl_compared {
    const zlay_layout *layout;
    int64_t unit;      /* values of the faster dimension, of which the other counts whole ones */
    bool second_minor; /* the second is the faster one, else the first */
    bool second_first; /* its coordinates are those of the others exchanged */
} zl_compared;

/* The value at an index, INT64_MIN where it is none; false: there is nothing. */
bool zl_compared_value(int64_t *out, const zl_compared *asked, uint64_t index);

/* Whether it has no parameters, one or two output dimensions and no more points than `most`. */
zlay_status zl_compared_check(zlay_ctx *ctx, const zl_compared *asked, uint64_t most);

/* The first index of `known`, whose first coordinate has `first` values, at which the two differ, or
 * its size, and what both say there; false: their sizes differ. */
typedef struct zl_difference {
    uint64_t at;
    int64_t asked, known;
    bool undefined; /* there is nothing at that index of what is asked */
} zl_difference;
bool zl_differs(zl_difference *out, const zl_compared *asked, const zlay_layout *known,
                uint64_t first);

#endif
