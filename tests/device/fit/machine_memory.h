/* SPDX-License-Identifier: Apache-2.0 */
/* L1, L2 and DRAM: latencies by chains of loads, rates by all processors. */
#ifndef MACHINE_MEMORY_H
#define MACHINE_MEMORY_H

#include "machine.h"

/* ---- L1, L2, DRAM: latency ------------------------------------------------------------- */

/* A cycle through `count` places of 128 bytes in an order that no prefetcher knows. */
void make_chain(char *memory, size_t bytes, size_t count)
{
    std::vector<unsigned> order(count);
    size_t places = bytes / 128, stride = places / count;
    for (size_t i = 0; i < count; i++) order[i] = (unsigned)(i * stride);
    for (size_t i = count - 1; i > 0; i--) std::swap(order[i], order[drawn((unsigned)i) % (i + 1)]);
    for (size_t i = 0; i < count; i++) {
        unsigned long long next = 128ull * order[(i + 1) % count];
        MUST(cudaMemcpyAsync(memory + 128ull * order[i], &next, 8, cudaMemcpyHostToDevice));
    }
    MUST(cudaDeviceSynchronize());
}

template <bool Cached> __global__ void chase(span *s, unsigned *out, const char *memory, int steps)
{
    unsigned long long at = 0;
    long long begin = clock64();
    for (int i = 0; i < steps; i++) {
        if (Cached) asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(at) : "l"(memory + at) : "memory");
        else asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(memory + at) : "memory");
    }
    long long end = clock64();
    *out = (unsigned)at;
    span_begin(s, begin);
    span_end(s, end);
}

template <bool Cached> double chase_cycles(unsigned *out, const char *memory, int steps)
{
    span *s = span_new();
    chase<Cached><<<1, 1>>>(s, out, memory, steps);
    return span_cycles(s) / steps;
}

void measure_latencies(unsigned *out, char *memory, size_t bytes)
{
    char *flush = memory + (bytes / 2);
    make_chain(memory, 16384, 128);
    chase_cycles<true>(out, memory, 128);
    put_fact("L1_CYCLES", median(TIMES, [&] {
        span *s = span_new();
        chase<true><<<1, 1>>>(s, out, memory, 128);
        double first = span_cycles(s);
        s = span_new();
        chase<true><<<1, 1>>>(s, out, memory, 128 * 9);
        return (span_cycles(s) - first) / (128 * 8);
    }));
    make_chain(memory, 16u << 20, 2048);
    chase_cycles<false>(out, memory, 2048);
    put_fact("L2_CYCLES", median(TIMES, [&] { return chase_cycles<false>(out, memory, 2048); }));
    make_chain(memory, 256u << 20, 2048);
    put_fact("DRAM_CYCLES", median(TIMES, [&] {
        MUST(cudaMemset(flush, 0, 512u << 20));
        MUST(cudaDeviceSynchronize());
        return chase_cycles<false>(out, memory, 2048);
    }));
}

/* ---- L1, L2, DRAM: rates --------------------------------------------------------------- */

template <bool Cached> __device__ unsigned load16(const uint4 *p)
{
    uint4 v;
    if (Cached) asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    else asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v.x ^ v.y ^ v.z ^ v.w;
}

/* Each block reads `count` vectors from a place of its own, in turn, round the memory. */
template <bool Cached> __global__ void __launch_bounds__(1024, 2) read_all(span *s, unsigned *out, const uint4 *memory, size_t total, size_t count)
{
    size_t at = (blockIdx.x * (total / gridDim.x) + threadIdx.x) % total;
    unsigned sum = 0;
    __syncthreads();
    long long begin = clock64();
    for (size_t i = 0; i < count; i += 4 * blockDim.x)
#pragma unroll
        for (int u = 0; u < 4; u++) {
            sum ^= load16<Cached>(memory + at);
            at += blockDim.x;
            if (at >= total) at -= total;
        }
    long long end = clock64();
    if (sum == 1) out[threadIdx.x] = sum;
    if (!s) return;
    span_begin(s, begin);
    span_end(s, end);
}

__global__ void __launch_bounds__(1024) write_some(span *s, uint4 *memory, size_t total, int rounds)
{
    size_t at = threadIdx.x;
    __syncthreads();
    long long begin = clock64();
    for (int i = 0; i < rounds; i++) {
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(memory + at), "r"(i) : "memory");
        at += blockDim.x;
        if (at >= total) at -= total;
    }
    __threadfence();
    long long end = clock64();
    span_begin(s, begin);
    span_end(s, end);
}

/* Nanoseconds of a launch by events. */
template <typename F> double event_ns(F launch)
{
    static cudaEvent_t begin, end;
    if (!begin) MUST(cudaEventCreate(&begin));
    if (!end) MUST(cudaEventCreate(&end));
    launch();
    return median(TIMES, [&] {
        float ms;
        MUST(cudaEventRecord(begin));
        launch();
        MUST(cudaEventRecord(end));
        MUST(cudaEventSynchronize(end));
        MUST(cudaEventElapsedTime(&ms, begin, end));
        return ms * 1e6;
    });
}

/* The rate of L2 is returned. */
double measure_rates(unsigned *out, char *memory, size_t bytes, int processors, double khz)
{
    const uint4 *vectors = (const uint4 *)memory;
    size_t all = bytes / 16, l2 = (16u << 20) / 16, l1 = (32u << 10) / 16;
    double cycles_of_ns = khz / 1e6;
    int blocks = 2 * processors;
    size_t share = all / blocks / 4096 * 4096;
    double dram = event_ns([&] { read_all<false><<<blocks, 1024>>>(nullptr, out, vectors, all, share); });
    put_fact("DRAM_KILOCYCLE", 1000 * 16.0 * share * blocks / (dram * cycles_of_ns));
    size_t turn = l2 / 4;
    double l2_ns = event_ns([&] { read_all<false><<<blocks, 1024>>>(nullptr, out, vectors, l2, turn); });
    double one = median(TIMES, [&] {
        span *s = span_new();
        read_all<false><<<1, 1024>>>(s, out, vectors, l2 / 8, l2 / 8);
        return span_cycles(s);
    });
    put_fact("L2_PROCESSOR_KILOCYCLE", 1000 * 16.0 * (l2 / 8) / one);
    put_form("LD_GLOBAL", "ANY", 0, 0, 0, "GLOBAL", 1, one * 32 / (l2 / 8), 0);
    double near = median(TIMES, [&] {
        span *s = span_new();
        read_all<true><<<1, 1024>>>(s, out, vectors, l1, 64 * l1);
        return span_cycles(s);
    });
    put_fact("L1_KILOCYCLE", 1000 * 16.0 * 64 * l1 / near);
    double stored = median(TIMES, [&] {
        span *s = span_new();
        write_some<<<1, 1024>>>(s, (uint4 *)memory, l2 / 8, 512);
        return span_cycles(s);
    });
    put_form("ST_GLOBAL", "ANY", 0, 0, 0, "GLOBAL", 1, stored / (512 * 32), 0);
    return 1000 * 16.0 * turn * blocks / (l2_ns * cycles_of_ns);
}

#endif
