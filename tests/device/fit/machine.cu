/* SPDX-License-Identifier: Apache-2.0 */
/* Micro-benchmarks of a Hopper GPU: latencies by chains of dependent instructions or loads, rates by many warps of one block or of
 * all processors.  Cycles are of clock64; rates of L2 and DRAM are by events, in bytes per 1000 cycles of the clock under load.  Prints rows of src/target/machine.def; tests/device/fit/machine.py builds and runs it. */
#include "machine.h"

#include <cuda.h>

enum { TIMES = 7, CHAIN = 512, WARPS = 32, INDEPENDENT = 8, ROUNDS = 64 };

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

/* ---- barriers -------------------------------------------------------------------------- */

__device__ void slot_init(unsigned at, unsigned count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(count) : "memory"); }
__device__ void slot_arrive(unsigned at) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory"); }
__device__ void slot_expect(unsigned at, unsigned bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory"); }
__device__ bool slot_try(unsigned at, unsigned parity)
{
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "r"(parity) : "memory");
    return done;
}

/* False where it was not there within a bound that no working GPU needs. */
__device__ bool slot_wait(unsigned at, unsigned parity)
{
    for (int i = 0; i < 1 << 20; i++)
        if (slot_try(at, parity)) return true;
    return false;
}

__global__ void ping_pong(span *s, unsigned *out, int rounds)
{
    __shared__ __align__(8) unsigned long long slots[2];
    unsigned at = (unsigned)__cvta_generic_to_shared(slots), warp = threadIdx.x / 32;
    if (!threadIdx.x) slot_init(at, 1), slot_init(at + 8, 1);
    __syncthreads();
    if (threadIdx.x % 32) return;
    long long begin = clock64();
    bool well = true;
    for (int i = 0; i < rounds && well; i++) {
        if (warp) well = slot_wait(at, i & 1), slot_arrive(at + 8);
        else slot_arrive(at), well = slot_wait(at + 8, i & 1);
    }
    long long end = clock64();
    *out = well;
    if (warp) return;
    span_begin(s, begin);
    span_end(s, end);
}

__global__ void slot_alone(span *s, unsigned *out, int rounds, int waits)
{
    __shared__ __align__(8) unsigned long long slots[2];
    unsigned at = (unsigned)__cvta_generic_to_shared(slots), done = 0;
    slot_init(at, 1 << 19);
    slot_init(at + 8, 1);
    slot_arrive(at + 8);
    long long begin = clock64();
    if (waits) for (int i = 0; i < rounds; i++) done += slot_try(at + 8, 0);
    else for (int i = 0; i < rounds; i++) slot_arrive(at);
    long long end = clock64();
    *out = done;
    span_begin(s, begin);
    span_end(s, end);
}

__global__ void named(span *s, int rounds)
{
    __syncthreads();
    long long begin = clock64();
    for (int i = 0; i < rounds; i++) asm volatile("bar.sync 1, 128;" ::: "memory");
    long long end = clock64();
    span_begin(s, begin);
    span_end(s, end);
}

__global__ void blocks_of(long long *begin, long long *end, unsigned *where)
{
    if (threadIdx.x) return;
    long long now = clock64();
    begin[blockIdx.x] = now;
    asm("mov.u32 %0, %%smid;" : "=r"(where[blockIdx.x]));
    while (clock64() - now < 20000) {}
    end[blockIdx.x] = clock64();
}

double block_cycles(int processors)
{
    int count = 8 * processors;
    long long *begin, *end;
    unsigned *where;
    std::vector<long long> from(count), to(count);
    std::vector<unsigned> at(count);
    MUST(cudaMalloc(&begin, count * sizeof *begin));
    MUST(cudaMalloc(&end, count * sizeof *end));
    MUST(cudaMalloc(&where, count * sizeof *where));
    MUST(cudaFuncSetAttribute(blocks_of, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    blocks_of<<<count, 256, 200 << 10>>>(begin, end, where);
    MUST(cudaMemcpy(from.data(), begin, count * sizeof *begin, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(to.data(), end, count * sizeof *end, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(at.data(), where, count * sizeof *where, cudaMemcpyDeviceToHost));
    std::vector<double> gaps;
    for (int i = 0; i < count; i++) {
        long long next = 0;
        for (int j = 0; j < count; j++)
            if (at[j] == at[i] && from[j] >= to[i] && (!next || from[j] < next)) next = from[j];
        if (next) gaps.push_back((double)(next - to[i]));
    }
    std::sort(gaps.begin(), gaps.end());
    return gaps.empty() ? 0 : gaps[gaps.size() / 2];
}

__global__ void nothing() {}

double launch_ns()
{
    enum { LAUNCHES = 500 };
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < LAUNCHES; i++) nothing<<<1, 32, 0, stream>>>();
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&ready, graph, 0));
    return event_ns([&] { MUST(cudaGraphLaunch(ready, 0)); }) / LAUNCHES;
}

void measure_barriers(unsigned *out, int processors)
{
    put_fact("MBARRIER_CYCLES", median(TIMES, [&] {
        span *s = span_new();
        ping_pong<<<1, 64>>>(s, out, CHAIN);
        return span_cycles(s) / (2 * CHAIN);
    }));
    double alone[2];
    for (int waits = 0; waits < 2; waits++)
        alone[waits] = median(TIMES, [&] {
            span *s = span_new();
            slot_alone<<<1, 1>>>(s, out, CHAIN, waits);
            return span_cycles(s) / CHAIN;
        });
    put_fact("ARRIVE_CYCLES", alone[0]);
    put_fact("WAIT_CYCLES", alone[1]);
    put_fact("BARRIER_CYCLES", median(TIMES, [&] {
        span *s = span_new();
        named<<<1, 128>>>(s, CHAIN);
        return span_cycles(s) / CHAIN;
    }));
    put_fact("BLOCK_CYCLES", block_cycles(processors));
    put_fact("LAUNCH_NS", launch_ns());
}

/* ---- copies by the engine -------------------------------------------------------------- */

enum { COPY_SMEM = 128 << 10, COPY_ROWS = 32768, TOGETHER = 12 };

/* Copies of one size, each into the next slot of a ring; a slot is filled again when its copy is there.  Depth 1: one at a time. */
template <bool Tensor> __global__ void copy_ring(span *s, unsigned *out, const __grid_constant__ CUtensorMap map, const char *source, int bytes, int rows, int depth, int count, int together)
{
    extern __shared__ __align__(1024) char memory[];
    __shared__ __align__(8) unsigned long long slots[64];
    unsigned base = ((unsigned)__cvta_generic_to_shared(memory) + 1023) & ~1023u;
    unsigned slot = (unsigned)__cvta_generic_to_shared(slots);
    if (threadIdx.x) return;
    for (int i = 0; i < depth; i++) slot_init(slot + 8 * i, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    unsigned pitch = (bytes + 1023) & ~1023, to = base;
    int row = blockIdx.x / together * 61 * rows % (COPY_ROWS - rows) / 8 * 8, at = 0, parity = 0;
    bool well = true;
    long long begin = clock64();
    for (int i = 0; i < count + depth && well; i++) {
        if (i >= depth) well = slot_wait(slot + 8 * at, parity);
        if (i < count) {
            slot_expect(slot + 8 * at, bytes);
            if (Tensor)
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(0), "r"(row), "r"(slot + 8 * at) : "memory");
            else
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(source + (size_t)row * 128), "r"(bytes), "r"(slot + 8 * at) : "memory");
            row += rows;
            if (row > COPY_ROWS - rows) row = 0;
        }
        to += pitch;
        if (++at < depth) continue;
        at = 0;
        to = base;
        if (i >= depth) parity ^= 1;
    }
    long long end = clock64();
    *out = well;
    if (blockIdx.x) return;
    span_begin(s, begin);
    span_end(s, end);
}

typedef CUresult encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

CUtensorMap map_of(char *memory, int row_bytes, int rows)
{
    static encode *call;
    cudaDriverEntryPointQueryResult found;
    if (!call) MUST(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&call, 12000, cudaEnableDefault, &found));
    CUtensorMap map;
    cuuint64_t size[2] = {64, COPY_ROWS}, pitch[1] = {128};
    cuuint32_t box[2] = {(cuuint32_t)row_bytes / 2, (cuuint32_t)rows}, step[2] = {1, 1};
    CUtensorMapSwizzle swizzle = row_bytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : row_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_32B;
    CUresult result = call(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, memory, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result) {
        fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", (int)result);
        exit(1);
    }
    return map;
}

template <bool Tensor> double copy_cycles(unsigned *out, const CUtensorMap &map, char *memory, int bytes, int rows, int depth, int count, int blocks, int together = 1)
{
    return median(TIMES, [&] {
        span *s = span_new();
        copy_ring<Tensor><<<blocks, 32, COPY_SMEM + 1024>>>(s, out, map, memory, bytes, rows, depth, count, together);
        return span_cycles(s) / count;
    });
}

/* Cycles of one copy alone, to the end of the wait. */
template <bool Tensor> double copy_alone(unsigned *out, char *memory, int row_bytes, int rows)
{
    CUtensorMap map = map_of(memory, Tensor ? row_bytes : 128, Tensor ? rows : 8);
    return copy_cycles<Tensor>(out, map, memory, row_bytes * rows, rows, 1, 64, 1);
}

/* Boxes of doubled rows: what the second half takes more is what the engine is occupied by as many rows, for one thread issues
 * small copies more slowly than the engine moves them. */
template <bool Tensor> void measure_sizes(unsigned *out, char *memory, int row_bytes, int least, int most)
{
    double alone = copy_alone<Tensor>(out, memory, row_bytes, least);
    if (Tensor && row_bytes == 128) put_fact("COPY_CYCLES", alone);
    for (int rows = least; rows < most; rows *= 2) {
        double twice = copy_alone<Tensor>(out, memory, row_bytes, 2 * rows), more = twice - alone;
        if (Tensor) put_form("TENSOR_COPY", "ANY", row_bytes, rows, 0, "COPY", 1, more, alone - more);
        else put_form("BULK", "ANY", row_bytes * rows, 0, 0, "COPY", 1, more, alone - more);
        if (Tensor && row_bytes == 128 && 2 * rows == most) put_fact("COPY_KILOCYCLE", 1000 * row_bytes * rows / more);
        alone = twice;
    }
}

/* L2 sends what loads, or copies, of all processors at once get of it: the greater.  Together: each twelve begin at the same rows,
 * as blocks of a product do that share an operand. */
void measure_copies(unsigned *out, char *memory, int processors, double loads)
{
    MUST(cudaFuncSetAttribute(copy_ring<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, COPY_SMEM + 1024));
    MUST(cudaFuncSetAttribute(copy_ring<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, COPY_SMEM + 1024));
    for (int row_bytes = 32; row_bytes <= 128; row_bytes *= 2) measure_sizes<true>(out, memory, row_bytes, 8, 256);
    measure_sizes<false>(out, memory, 128, 4, 256);
    CUtensorMap map = map_of(memory, 128, 256);
    double all = copy_cycles<true>(out, map, memory, 32768, 256, 4, 512, processors);
    double together = copy_cycles<true>(out, map, memory, 32768, 256, 4, 512, processors, TOGETHER);
    put_fact("L2_KILOCYCLE", std::max(loads, 1000.0 * 32768 * processors / all));
    put_fact("L2_TOGETHER_KILOCYCLE", 1000.0 * 32768 * processors / together);
}

/* ---- mma.sync -------------------------------------------------------------------------- */

struct mma_bf16 { static __device__ void step(unsigned *d, unsigned a, unsigned b) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};" : "+f"(((float *)d)[0]), "+f"(((float *)d)[1]), "+f"(((float *)d)[2]), "+f"(((float *)d)[3]) : "r"(a), "r"(b)); } };
struct mma_s8 { static __device__ void step(unsigned *d, unsigned a, unsigned b) { asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a), "r"(b)); } };

template <typename Op, int N> __global__ void __launch_bounds__(512) products(span *s, unsigned *out, int rounds)
{
    unsigned d[4 * N] = {}, a = 0x3f803f00u + threadIdx.x, b = 0x3f103f20u + drawn(threadIdx.x) % 64;
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int u = 0; u < 4; u++)
#pragma unroll
            for (int i = 0; i < N; i++) Op::step(d + 4 * i, a, b);
    long long end = clock64();
    unsigned sum = 0;
    for (int i = 0; i < 4 * N; i++) sum += d[i];
    out[threadIdx.x] = sum;
    span_begin(s, begin);
    span_end(s, end);
}

template <typename Op> void measure_mma(unsigned *out, const char *type, int k)
{
    double latency = median(TIMES, [&] {
        span *s = span_new();
        products<Op, 1><<<1, 32>>>(s, out, ROUNDS);
        return span_cycles(s) / (4 * ROUNDS);
    });
    double cycles = median(TIMES, [&] {
        span *s = span_new();
        products<Op, 4><<<1, 512>>>(s, out, ROUNDS);
        return span_cycles(s) / (4.0 * ROUNDS * 4 * 16);
    });
    put_form("MMA_SYNC", type, 16, 8, k, "TENSOR", 1, 4 * cycles, latency);
}

/* ---- wgmma ----------------------------------------------------------------------------- */

#define PRODUCT(name, op, type, n, k) void run_##name(span *, unsigned *, int, int, int, int, cudaStream_t);
#include "machine_wgmma.def"
#undef PRODUCT

typedef void run(span *, unsigned *, int, int, int, int, cudaStream_t);

double wgmma_cycles(run *one, unsigned *out, int alone, int threads)
{
    enum { ROUNDS_WGMMA = 256 };
    return median(TIMES, [&] {
        span *s = span_new();
        one(s, out, ROUNDS_WGMMA, alone, 1, threads, 0);
        return span_cycles(s) / (ROUNDS_WGMMA * (alone ? 1 : 4) * (threads / 128));
    });
}

/* The occupancy by two warpgroups at once, the latency of one product that is waited for. */
void measure_wgmma(unsigned *out)
{
#define PRODUCT(name, op, type, n, k)                                                              \
    put_form(#op, #type, 64, n, k, "TENSOR", 4, wgmma_cycles(run_##name, out, 0, 256), wgmma_cycles(run_##name, out, 1, 128));
#include "machine_wgmma.def"
#undef PRODUCT
}

/* The clock of processors that multiply random numbers by wgmma for half a second while other warps read from L2, as in a product:
 * power sets it. */
double khz_under_load(unsigned *out, const char *memory, int processors)
{
    enum { LAUNCHES = 15, ROUNDS_LOAD = 60000, BESIDE = 256 };
    cudaStream_t products, loads;
    cudaEvent_t begin, end;
    double khz = 0;
    size_t l2 = (16u << 20) / 16;
    MUST(cudaStreamCreateWithFlags(&products, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&loads, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    for (int i = 0; i < LAUNCHES; i++) {
        float ms;
        span *s = span_new();
        MUST(cudaDeviceSynchronize());
        MUST(cudaEventRecord(begin, products));
        run_bf16_256(s, out, ROUNDS_LOAD, 0, processors, 256, products);
        MUST(cudaEventRecord(end, products));
        read_all<false><<<processors, BESIDE, 0, loads>>>(nullptr, out, (const uint4 *)memory, l2, 120 * l2);
        MUST(cudaDeviceSynchronize());
        MUST(cudaEventElapsedTime(&ms, begin, end));
        khz = span_cycles(s) / ms;
    }
    return khz;
}

int main()
{
    enum { MEMORY = 2 };
    size_t bytes = (size_t)MEMORY << 30;
    cudaDeviceProp about;
    unsigned *out;
    char *memory;
    MUST(cudaGetDeviceProperties(&about, 0));
    if (about.major != 9 || about.minor != 0) {
        fprintf(stderr, "machine: this is no sm_90\n");
        return 1;
    }
    MUST(cudaMalloc(&out, 4096 * sizeof *out));
    MUST(cudaMalloc(&memory, bytes));
    MUST(cudaMemset(memory, 0x5a, bytes));
    double khz = khz_under_load(out, memory, about.multiProcessorCount);
    put_fact("PROCESSORS", about.multiProcessorCount);
    put_fact("CLOCK_KHZ", khz);
    int most = 0;
    MUST(cudaDeviceGetAttribute(&most, cudaDevAttrClockRate, 0));
    put_fact("CLOCK_MOST_KHZ", most);
    put_fact("L2_BYTES", about.l2CacheSize);
    double sum = measure_arithmetic<do_fma>("FMA", "FMA", 4, out);
    measure_arithmetic<do_prmt>("INTEGER", "INTEGER", 4, out);
    measure_arithmetic<do_ex2>("EX2", "SPECIAL", 4, out);
    measure_arithmetic<do_rcp>("RCP", "SPECIAL", 4, out, sum);
    measure_arithmetic<do_cvt>("CVT", "CONVERT", 4, out);
    measure_arithmetic<do_shfl>("SHFL", "SHUFFLE", 1, out);
    measure_shared(out);
    measure_latencies(out, memory, bytes);
    double loads = measure_rates(out, memory, bytes, about.multiProcessorCount, khz);
    measure_barriers(out, about.multiProcessorCount);
    measure_copies(out, memory, about.multiProcessorCount, loads);
    measure_mma<mma_bf16>(out, "BF16", 16);
    measure_mma<mma_s8>(out, "S8", 32);
    measure_wgmma(out);
    MUST(cudaDeviceSynchronize());
    return 0;
}
