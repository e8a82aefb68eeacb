/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz target is: bytes in, and it must neither crash nor break what it states. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* 0, or the number of the line of its source whose statement the bytes break. */
typedef int fuzz_target(const char *bytes, size_t size);

typedef struct fuzz_row {
    const char *name; /* its corpus lies in the folder of this name */
    fuzz_target *target;
    unsigned weight; /* the number of runs is divided by it */
} fuzz_row;

extern const fuzz_row fuzz_rows[];

/* Targets of texts.c. */
fuzz_target fuzz_unpack, fuzz_guard, fuzz_proof, fuzz_tuning;

#endif
