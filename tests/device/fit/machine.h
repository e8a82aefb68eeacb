/* SPDX-License-Identifier: Apache-2.0 */
/* What the micro-benchmarks of tests/device/fit/machine.cu share: errors, time of a block in cycles, rows. */
#ifndef MACHINE_H
#define MACHINE_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

enum { TIMES = 7, CHAIN = 512, WARPS = 32, INDEPENDENT = 8, ROUNDS = 64 };

#define MUST(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* First and last clock of the threads of a block. */
struct span {
    unsigned long long first, last;
};

__device__ inline void span_begin(span *s, long long at) { atomicMin(&s->first, (unsigned long long)at); }
__device__ inline void span_end(span *s, long long at) { atomicMax(&s->last, (unsigned long long)at); }

/* A span in memory of the device: a page that moves would stop the block that is timed. */
inline span *span_new()
{
    static span *s;
    const span none = {~0ull, 0};
    if (!s) MUST(cudaMalloc(&s, sizeof *s));
    MUST(cudaMemcpy(s, &none, sizeof *s, cudaMemcpyHostToDevice));
    return s;
}

inline double span_cycles(const span *s)
{
    span is;
    MUST(cudaMemcpy(&is, s, sizeof is, cudaMemcpyDeviceToHost));
    return (double)(is.last - is.first);
}

/* The median of a measurement that is made several times: `run` returns cycles. */
template <typename F> double median(int times, F run)
{
    std::vector<double> all;
    for (int i = 0; i < times; i++) all.push_back(run());
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

inline long whole(double x) { return (long)(x + 0.5); }

inline void put_fact(const char *name, double value)
{
    printf("FACT(90, %s, %ld, MEASURED, H200)\n", name, whole(value));
    fflush(stdout);
}

inline void put_form(const char *op, const char *type, int m, int n, int k, const char *unit, int units, double cycles,
                     double latency)
{
    printf("FORM(90, %s, %s, %d, %d, %d, %s, %d, %ld, %ld, MEASURED, H200)\n", op, type, m, n, k, unit, units,
           whole(cycles * 1000), whole(latency));
    fflush(stdout);
}

/* What makes data random. */
__host__ __device__ inline unsigned drawn(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

#endif
