/* SPDX-License-Identifier: Apache-2.0 */
/* What a test sees and sets of tests/fake-cuda.c, a driver without a device. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdint.h>

enum { FAKE_CALLS = 128, FAKE_ERROR = 999, FAKE_INVALID = 1, FAKE_BAD_PTX = 218 };

typedef struct fake_encode {
    unsigned type, rank, interleave, swizzle, l2, oob, box[5], step[5];
    uint64_t address, extent[5], stride[4];
} fake_encode;

typedef struct fake_launch {
    unsigned grid, block, shared_bytes, other; /* other: the extents that must be 1, multiplied */
    void *stream;
    unsigned char map[3][128];
    uint64_t address[3];
} fake_launch;

typedef struct fake_state {
    int fail_at;       /* the call, from 1, that answers FAKE_ERROR; 0: none */
    int refuse_encode; /* 1: write the map, then answer FAKE_INVALID */
    int nameless;      /* 1: cuGetErrorName knows no name */
    int cc_major;
    const char *ptx_log; /* what the loader says of PTX that it refuses; NULL: it takes all */
    int calls;
    const char *called[FAKE_CALLS];
    int contexts, pushed, memory, modules, events; /* alive */
    int mistakes; /* calls without a current context, double frees, wrong handles */
    fake_encode encode;
    fake_launch launch;
    int launches;
    int dynamic_smem; /* as cuFuncSetAttribute set it */
    char image[64], kernel[64];
} fake_state;

/* The one symbol of the library that a test looks up. */
typedef fake_state *fake_control_t(void);

#endif
