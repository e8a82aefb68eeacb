/* SPDX-License-Identifier: Apache-2.0 */
/* Micro-benchmarks of a Hopper GPU: latencies by chains of dependent instructions or loads, rates by many warps of one block or of
 * all processors.  Cycles are of clock64; rates of L2 and DRAM are by events, in bytes per 1000 cycles of the clock under load.  Prints rows of src/target/machine.def; tests/device/fit/machine.py builds and runs it. */
#include "machine_engine.h"
#include "machine_threads.h"

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
