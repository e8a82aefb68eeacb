/* SPDX-License-Identifier: Apache-2.0 */
/* What a test sees and sets of tests/support/fake-cuda.c and fake-hip.c, drivers without a device. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdint.h>
#include <string.h>

enum { FAKE_CALLS = 128, FAKE_ARGUMENTS = 16, FAKE_HISTORY = 4, FAKE_ERROR = 999, FAKE_INVALID = 1, FAKE_BAD_PTX = 218 };

typedef struct fake_encode {
    unsigned type, rank, interleave, swizzle, l2, oob, box[5], step[5];
    uint64_t address, extent[5], stride[4];
} fake_encode;

typedef struct fake_launch {
    unsigned grid, block, shared_bytes, other; /* other: the extents that must be 1, multiplied */
    void *stream;
    unsigned char map[3][128];
    uint64_t address[3], workspace;
    unsigned char packed[64]; /* arguments handed over as bytes */
    uint64_t packed_bytes;
    unsigned char each[FAKE_ARGUMENTS][128]; /* as fake_state.bytes says */
} fake_launch;

enum { FAKE_LAUNCH_END = 0, FAKE_HIP_LAUNCH_END = 3 };

/* The list of a launch with packed arguments: a key and what it says, up to the end's key. */
static inline int fake_unpack(fake_launch *launch, void **extra, uintptr_t end)
{
    const void *from = 0;
    for (int i = 0; (uintptr_t)extra[i] != end; i += 2) {
        if (i > 2) return 0;
        if (extra[i] == (void *)1) from = extra[i + 1];
        if (extra[i] == (void *)2) launch->packed_bytes = *(uint64_t *)extra[i + 1];
    }
    if (launch->packed_bytes > sizeof launch->packed) return 0;
    if (launch->packed_bytes) memcpy(launch->packed, from, launch->packed_bytes);
    return 1;
}

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
    fake_launch launch, history[FAKE_HISTORY]; /* the last; launch i at i % FAKE_HISTORY */
    int launches;
    int maps; /* 1: the driver says that kernels have three maps and three addresses */
    int workspace; /* 1: launches have a seventh argument */
    unsigned bytes[FAKE_ARGUMENTS]; /* of the arguments of launches, up to a 0; all 0: as above */
    int dynamic_smem; /* as cuFuncSetAttribute set it */
    char image[64], kernel[64];
    void *function; /* the kernel's handle */
} fake_state;

/* The one symbol of the library that a test looks up. */
typedef fake_state *fake_control_t(void);

#endif
