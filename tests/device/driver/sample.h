/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of a driver's answers: so many of each reason to refuse that stands alone, of several
 * together, and of maps that it takes. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "map_draw.h"

#include <stdio.h>

enum { SAMPLE_KEYS = 512 };

typedef struct sample {
    FILE *file;
    uint32_t taken[SAMPLE_KEYS]; /* of each rule; 0: of maps that are taken */
} sample;

/* Write an answer where there are few of its kind yet. */
void sample_add(sample *s, const zlay_target *target, int32_t mode, uint64_t i,
                const zlay_tensormap *map, int taken);

#endif
