/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a block as coroutines, for functions of CUDA C and HIP that the host's compiler has compiled: a shuffle or a barrier
 * lets all others run up to theirs. Every thread makes the same calls in the same order. */
#ifndef TEST_LANES_H
#define TEST_LANES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __device__
#define __forceinline__ inline
#define __global__
#define __shared__ static
#define __launch_bounds__(threads)

typedef void lanes_call(unsigned *r, unsigned thread, void *shared);

enum { LANES_MOST = 1024, LANES_STACK = 1 << 15 };

static struct {
    ucontext_t home, at[LANES_MOST];
    unsigned value[2][LANES_MOST], calls[LANES_MOST], now, registers;
    bool done[LANES_MOST];
    char stack[LANES_MOST][LANES_STACK];
    lanes_call *call;
    unsigned *held;
    void *shared;
} lanes;

static inline void lanes_meet(void) { swapcontext(&lanes.at[lanes.now], &lanes.home); }

/* What thread `from` gives in the same call; calls take turns with two arrays, so that none is overwritten before it is read. */
static inline unsigned lanes_exchange(unsigned value, unsigned from)
{
    unsigned *values = lanes.value[lanes.calls[lanes.now]++ % 2];
    values[lanes.now] = value;
    lanes_meet();
    return values[from];
}

static inline unsigned lanes_of(unsigned lane, unsigned warp) { return (lanes.now & ~(warp - 1)) | (lane & (warp - 1)); }

static inline unsigned __shfl_xor_sync(unsigned all, unsigned value, unsigned mask)
{
    if (all != 0xffffffffu) abort();
    return lanes_exchange(value, lanes_of(lanes.now ^ mask, 32));
}

static inline unsigned __shfl_sync(unsigned all, unsigned value, int lane, int width = 32)
{
    if (all != 0xffffffffu) abort();
    return lanes_exchange(value, lanes_of((unsigned)lane, (unsigned)width));
}

static inline void __syncthreads(void) { lanes_meet(); }
static inline void __syncwarp(void) { lanes_meet(); }

typedef struct __attribute__((aligned(8))) { unsigned x, y; } uint2;
typedef struct __attribute__((aligned(16))) { unsigned x, y, z, w; } uint4;
static inline uint2 make_uint2(unsigned x, unsigned y) { return (uint2){x, y}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return (uint4){x, y, z, w}; }

/* Byte q of the result is byte `selector` q of low, then high. */
static inline unsigned lanes_bytes(unsigned low, unsigned high, unsigned selector, unsigned width)
{
    unsigned long long both = (unsigned long long)high << 32 | low;
    unsigned out = 0;
    for (int q = 0; q < 4; q++) {
        unsigned from = selector >> width * q & ((1u << width) - 1);
        if (from > 7) abort();
        out |= (unsigned)(both >> 8 * from & 255) << 8 * q;
    }
    return out;
}

static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    return lanes_bytes(a, b, selector & 0xffff, 4);
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}

#define __builtin_amdgcn_perm(high, low, selector) lanes_bytes(low, high, selector, 8)
#define __builtin_amdgcn_alignbyte(high, low, by)  (unsigned)(((unsigned long long)(high) << 32 | (low)) >> 8 * ((by) & 3))
#define __builtin_amdgcn_ds_bpermute(at, value)    (int)lanes_exchange((unsigned)(value), lanes_of((unsigned)(at) >> 2, 64))
#define __builtin_amdgcn_s_barrier()               lanes_meet()
#define __builtin_amdgcn_wave_barrier()            lanes_meet()
#define ext_vector_type(n)                         vector_size(4 * (n))
#define __builtin_amdgcn_fence(order, scope)       (void)0
#define address_space(n)
#define __builtin_amdgcn_readfirstlane(value)      (int)lanes_exchange((unsigned)(value), lanes_of(0, 64))
#define __builtin_amdgcn_global_load_lds(from, to, bytes, offset, cache) lanes_direct(from, to, bytes)

/* A load straight to shared memory: from an address on that is the first lane's, the lanes of a wave of 64 one behind the other. */
static inline void lanes_direct(const void *from, const void *to, unsigned bytes)
{
    unsigned at = lanes_exchange((unsigned)((const char *)to - (const char *)lanes.shared), lanes_of(0, 64));
    memcpy((char *)lanes.shared + at + lanes.now % 64 * bytes, from, bytes);
}

static inline void lanes_begin(void)
{
    unsigned thread = lanes.now;
    lanes.call(lanes.held + thread * lanes.registers, thread, lanes.shared);
    lanes.done[thread] = true;
    setcontext(&lanes.home);
}

/* Every thread of a block calls the function with its registers. */
static inline void lanes_run(lanes_call *call, unsigned *held, unsigned registers, unsigned threads, void *shared)
{
    bool any = true;
    lanes.call = call, lanes.held = held, lanes.registers = registers, lanes.shared = shared;
    for (unsigned t = 0; t < threads; t++) {
        lanes.done[t] = false, lanes.calls[t] = 0;
        getcontext(&lanes.at[t]);
        lanes.at[t].uc_stack.ss_sp = lanes.stack[t];
        lanes.at[t].uc_stack.ss_size = LANES_STACK;
        makecontext(&lanes.at[t], lanes_begin, 0);
    }
    while (any) {
        any = false;
        for (unsigned t = 0; t < threads; t++) {
            if (lanes.done[t]) continue;
            lanes.now = t;
            swapcontext(&lanes.home, &lanes.at[t]);
            any = any || !lanes.done[t];
        }
    }
}

/* A kernel: its threads see where they are by these names, and blocks run one after the other. */
struct lanes_place { unsigned x; };
static lanes_place blockIdx, gridDim;
#define threadIdx (lanes_place{lanes.now})

static inline void lanes_launch(lanes_call *call, unsigned blocks, unsigned threads)
{
    gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) lanes_run(call, NULL, 0, threads, NULL);
}

#endif
