/* SPDX-License-Identifier: Apache-2.0 */
/* What threads compute and what they do in shared memory, by the cycles of one block. */
#ifndef MACHINE_THREADS_H
#define MACHINE_THREADS_H

#include "machine.h"

/* ---- arithmetic ------------------------------------------------------------------------ */

struct do_fma { static __device__ void step(unsigned &x, unsigned y) { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(*(float *)&x) : "f"(__uint_as_float(y))); } };
/* No two of these are one instruction. */
struct do_prmt { static __device__ void step(unsigned &x, unsigned y) { asm volatile("prmt.b32 %0, %0, %1, %1;" : "+r"(x) : "r"(y)); } };
struct do_ex2 { static __device__ void step(unsigned &x, unsigned) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(*(float *)&x)); } };
/* The reciprocal of a reciprocal would be taken out: a sum of another pipe stands between. */
struct do_rcp { static __device__ void step(unsigned &x, unsigned y) { asm volatile("{ .reg .f32 t; rcp.approx.ftz.f32 t, %0; add.ftz.f32 %0, t, %1; }" : "+f"(*(float *)&x) : "f"(__uint_as_float(y))); } };
struct do_cvt { static __device__ void step(unsigned &x, unsigned y) { asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(__uint_as_float(x)), "f"(__uint_as_float(y))); } };
struct do_shfl { static __device__ void step(unsigned &x, unsigned) { x = __shfl_xor_sync(0xffffffff, x, 1); } };

template <typename Op, int N> __global__ void __launch_bounds__(1024) arithmetic(span *s, unsigned *out, int rounds)
{
    unsigned x[N], y = 0x3f000000u + threadIdx.x;
    for (int i = 0; i < N; i++) x[i] = 0x3f000000u + drawn(threadIdx.x * N + i) % 0x800000u;
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int u = 0; u < 16; u++)
#pragma unroll
            for (int i = 0; i < N; i++) Op::step(x[i], y);
    long long end = clock64();
    unsigned sum = 0;
    for (int i = 0; i < N; i++) sum += x[i];
    out[threadIdx.x] = sum;
    span_begin(s, begin);
    span_end(s, end);
}

/* `beside`: cycles of the latency that are another instruction's. */
template <typename Op> double measure_arithmetic(const char *name, const char *unit, int units, unsigned *out, double beside = 0)
{
    double latency = median(TIMES, [&] {
        span *s = span_new();
        arithmetic<Op, 1><<<1, 32>>>(s, out, ROUNDS);
        return span_cycles(s) / (16 * ROUNDS);
    });
    double cycles = median(TIMES, [&] {
        span *s = span_new();
        arithmetic<Op, INDEPENDENT><<<1, 32 * WARPS>>>(s, out, ROUNDS);
        return span_cycles(s) / (16.0 * ROUNDS * INDEPENDENT * WARPS);
    });
    put_form(name, "ANY", 0, 0, 0, unit, 1, cycles * units, latency - beside);
    return latency;
}

/* ---- shared memory --------------------------------------------------------------------- */

__global__ void chase_shared(span *s, unsigned *out, int steps)
{
    __shared__ unsigned next[1024];
    for (unsigned i = 0; i < 1024; i++) next[i] = (i + 33) % 1024 * 4;
    unsigned base = (unsigned)__cvta_generic_to_shared(next), at = 0;
    long long begin = clock64();
    for (int i = 0; i < steps; i++) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(base + at) : "memory");
    long long end = clock64();
    *out = at;
    span_begin(s, begin);
    span_end(s, end);
}

struct shared_ld { static __device__ void step(unsigned at, unsigned &x) { unsigned y; asm volatile("ld.shared.u32 %0, [%1];" : "=r"(y) : "r"(at) : "memory"); x ^= y; } };
struct shared_st { static __device__ void step(unsigned at, unsigned &x) { asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory"); } };
struct shared_ld4 { static __device__ void step(unsigned at, unsigned &x) { unsigned v, y, z, w; asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(y), "=r"(z), "=r"(w) : "r"(at) : "memory"); x ^= v ^ y ^ z ^ w; } };
struct shared_ldm { static __device__ void step(unsigned at, unsigned &x) { unsigned v, y, z, w; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(y), "=r"(z), "=r"(w) : "r"(at) : "memory"); x ^= v ^ y ^ z ^ w; } };
struct shared_stm { static __device__ void step(unsigned at, unsigned &x) { asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(x) : "memory"); } };

/* `step` is 0, which the assembler does not know: it takes no access out of the loop. */
template <typename Op, int Bytes> __global__ void __launch_bounds__(1024) shared_rate(span *s, unsigned *out, int rounds, unsigned step)
{
    __shared__ __align__(16) unsigned memory[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) memory[i] = drawn(i);
    unsigned at = (unsigned)__cvta_generic_to_shared(memory) + threadIdx.x * Bytes % 32768, x = threadIdx.x;
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int u = 0; u < 16; u++, at += step) Op::step(at, x);
    long long end = clock64();
    __syncthreads();
    out[threadIdx.x] = x + memory[threadIdx.x];
    span_begin(s, begin);
    span_end(s, end);
}

template <typename Op, int Bytes> double shared_cycles(int warps, unsigned *out)
{
    return median(TIMES, [&] {
        span *s = span_new();
        shared_rate<Op, Bytes><<<1, 32 * warps>>>(s, out, ROUNDS, 0);
        return span_cycles(s) / (16.0 * ROUNDS * warps);
    });
}

void measure_shared(unsigned *out)
{
    double latency = median(TIMES, [&] {
        span *s = span_new();
        chase_shared<<<1, 1>>>(s, out, CHAIN);
        return span_cycles(s) / CHAIN;
    });
    put_fact("SHARED_CYCLES", latency);
    put_fact("SHARED_KILOCYCLE", 1000 * 512 / shared_cycles<shared_ld4, 16>(WARPS, out));
    put_form("LD_SHARED", "ANY", 0, 0, 0, "SHARED", 1, shared_cycles<shared_ld, 4>(WARPS, out), latency);
    put_form("ST_SHARED", "ANY", 0, 0, 0, "SHARED", 1, shared_cycles<shared_st, 4>(WARPS, out), 0);
    put_form("LDMATRIX", "ANY", 0, 0, 0, "SHARED", 1, shared_cycles<shared_ldm, 16>(WARPS, out), 0);
    put_form("STMATRIX", "ANY", 0, 0, 0, "SHARED", 1, shared_cycles<shared_stm, 16>(WARPS, out), 0);
}

#endif
