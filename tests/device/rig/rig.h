/* SPDX-License-Identifier: Apache-2.0 */
/* What both device programs stand on: an open device, kernels of their own (reference.c, written by
 * hand and independent of zlay's emitter), kernels of plans, and a clock that ends a program which
 * hangs. */
#ifndef RIG_H
#define RIG_H

#include "runtime/runtime.h"
#include <zlay/zlay.h>

/* Texts of reference.c; concatenated they are one PTX module. */
extern const char *const support_ptx[];
extern const size_t support_ptx_count;

enum {
    SUPPORT_CELLS,
    SUPPORT_WIDE,
    SUPPORT_REFERENCE,
    SUPPORT_COMPARE,
    SUPPORT_SUM,
    SUPPORT_COUNT
};

typedef struct rig {
    zlay_ctx *ctx;
    zlay_device *device;
    zlay_device_summary info;
    const zlay_target *target;
    struct CUmod_st *module;
    struct CUfunc_st *support[SUPPORT_COUNT];
    uint64_t result;    /* device memory of the support kernels' answers */
    const char *cubins; /* folder of NAME.cubin to load in place of the PTX; NULL: none */
    const char *emits;  /* folder to write NAME.ptx to; NULL: none */
} rig;

/* Answers of the support kernels. */
typedef struct rig_result {
    uint64_t bad, first; /* how many are wrong, and the least index of one */
    double ratio, error; /* greatest error over its bound, and greatest error */
    uint64_t sum;
} rig_result;

/* Read --cubins DIR and --emit DIR; answers whether argv[*i] was one of them. */
int rig_option(rig *r, int argc, char **argv, int *i);

/* Open device 0; false with a line on stdout where there is none. */
int rig_open(rig *r);
void rig_close(rig *r);

/* End the program with a message and status 2. */
_Noreturn void rig_die(const char *what, const char *why);
void rig_must(const rig *r, zlay_status status, const char *what);

/* End the program when the next call of this does not come within `seconds`. */
void rig_watch(const char *doing, unsigned seconds);

uint64_t rig_alloc(rig *r, uint64_t bytes);

/* Launch a support kernel over `threads` threads of blocks of 256, or a grid of x by y blocks of
 * 128. */
void rig_run(rig *r, int kernel, uint64_t threads, void **parameters);
void rig_run_grid(rig *r, int kernel, unsigned x, unsigned y, void **parameters);

void rig_result_clear(rig *r);
rig_result rig_result_read(rig *r);

/* Plan a GEMM and load its kernel; a failure's text is in the ctx. */
zlay_status rig_kernel(rig *r, const zlay_gemm *gemm, const char *name, zlay_plan **plan,
                       zlay_kernel **kernel);

#endif
