/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of text on the device. */
#ifndef COPY_KERNEL_H
#define COPY_KERNEL_H

#include "device/rig/cuda_now.h"

#include <zlay/zlay.h>

enum { COPY_ROOM = 1 << 18 };

/* What one launch needs. */
typedef struct copy_kernel {
    void *module, *function;
    unsigned blocks, threads, smem;
} copy_kernel;

/* End the program with a message where a call of the driver fails. */
void copy_must(cuda_result result, const char *what);

void copy_load(const cuda_now *cuda, copy_kernel *k, const char *text);
void copy_launch(const cuda_now *cuda, const copy_kernel *k, void **parameters);

/* The kernel of a transfer. */
void copy_of_transfer(const cuda_now *cuda, copy_kernel *k, zlay_ctx *ctx, const zlay_transfer *t);

/* Copies of many megabytes against a device copy of the same bytes; answers how many are wrong. */
int copy_rates(const cuda_now *cuda, zlay_ctx *ctx, const zlay_target *target);

#endif
