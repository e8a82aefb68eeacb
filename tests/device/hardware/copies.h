/* SPDX-License-Identifier: Apache-2.0 */
/* One case of copies.def on a device: its kernel, its operands, what was seen. */
#ifndef COPIES_H
#define COPIES_H

#include "device/rig/rig.h"

#include <stdbool.h>

/* Outcomes that are no fault's number. */
enum { RUNS = -8, MODELLED, RUNS_WRONG, DISTURBS, EARLY, NEVER, ANY_FAULT, LOOK };

enum { COPY_SHARED = 48 << 10, COPY_GLOBAL = 512 << 10, COPY_BLOCKS = 2 };

typedef struct copy_case {
    const char *name;
    int form, map;
    int32_t x, y;
    uint32_t smem, barrier, bytes, operand;
    int outcome;
} copy_case;

/* What every kind of case has: whether it ran, and the driver's error, 0 where there is none. */
typedef struct case_seen {
    bool ran;
    int error;
} case_seen;

typedef struct copy_seen {
    case_seen base;
    uint32_t done[COPY_BLOCKS];   /* the phase ended within the clocks that the kernel waits */
    uint32_t shared_wrong, global_wrong; /* bytes that differ from the model */
    zlay_answer answer;           /* of zlay's check */
    char rule[40];                /* the first that it names */
} copy_seen;

typedef struct copy_rig {
    zlay_ctx *ctx;
    zlay_device *device;
    uint64_t global, shared, result; /* device memory: the tensor, images of blocks, answers */
} copy_rig;

extern const copy_case copy_cases[];
extern const size_t copy_cases_count;

void copy_rig_open(copy_rig *r);
void copy_run(copy_rig *r, const copy_case *c, copy_seen *seen);

/* Write the kernel of every form to a folder, as NAME.ptx. */
int copy_texts(const char *folder);

#endif
