/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA driver as the oracle uses it: found by dlopen, with prototypes of cuda.h, CUDA 13.0. */
#ifndef CUDA_NOW_H
#define CUDA_NOW_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned cuda_result;
typedef unsigned long long cuda_address;

#define CUDA_NOW(F)                                                                                \
    F(cuInit, (unsigned))                                                                          \
    F(cuDriverGetVersion, (int *))                                                                 \
    F(cuDeviceGet, (int *, int))                                                                   \
    F(cuDeviceGetName, (char *, int, int))                                                         \
    F(cuDeviceGetAttribute, (int *, unsigned, int))                                                \
    F(cuDevicePrimaryCtxRetain, (void **, int))                                                    \
    F(cuCtxSetCurrent, (void *))                                                                   \
    F(cuCtxSynchronize, (void))                                                                    \
    F(cuMemAlloc_v2, (cuda_address *, size_t))                                                     \
    F(cuMemFree_v2, (cuda_address))                                                                \
    F(cuMemcpyDtoDAsync_v2, (cuda_address, cuda_address, size_t, void *))                          \
    F(cuMemcpyHtoD_v2, (cuda_address, const void *, size_t))                                       \
    F(cuMemcpyDtoH_v2, (void *, cuda_address, size_t))                                             \
    F(cuEventCreate, (void **, unsigned))                                                          \
    F(cuEventRecord, (void *, void *))                                                             \
    F(cuEventSynchronize, (void *))                                                                \
    F(cuEventElapsedTime, (float *, void *, void *))                                               \
    F(cuModuleLoadData, (void **, const void *))                                                   \
    F(cuModuleUnload, (void *))                                                                    \
    F(cuModuleGetFunction, (void **, void *, const char *))                                        \
    F(cuFuncSetAttribute, (void *, unsigned, int))                                                 \
    F(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,         \
                       unsigned, void *, void **, void **))                                        \
    F(cuTensorMapEncodeTiled, (void *, unsigned, uint32_t, void *, const uint64_t *,               \
                               const uint64_t *, const uint32_t *, const uint32_t *, unsigned,     \
                               unsigned, unsigned, unsigned))                                      \
    F(cuTensorMapEncodeIm2col, (void *, unsigned, uint32_t, void *, const uint64_t *,              \
                                const uint64_t *, const int *, const int *, uint32_t, uint32_t,    \
                                const uint32_t *, unsigned, unsigned, unsigned, unsigned))         \
    F(cuTensorMapEncodeIm2colWide, (void *, unsigned, uint32_t, void *, const uint64_t *,          \
                                    const uint64_t *, int, int, uint32_t, uint32_t,                \
                                    const uint32_t *, unsigned, unsigned, unsigned, unsigned,      \
                                    unsigned))

typedef struct cuda_now {
    void *library;
#define CUDA_MEMBER(name, parameters) cuda_result(*name) parameters;
    CUDA_NOW(CUDA_MEMBER)
#undef CUDA_MEMBER
    int device;
    void *context;
} cuda_now;

/* A context of device 0, current; 0: there is no driver, function or device, and why is printed. */
int cuda_open(cuda_now *cuda);

#endif
