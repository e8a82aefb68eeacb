/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, blocks and launches, and copies by the engine. */
#ifndef MACHINE_ENGINE_H
#define MACHINE_ENGINE_H

#include "machine_memory.h"

#include <cuda.h>

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

#endif
