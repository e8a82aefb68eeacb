/* SPDX-License-Identifier: Apache-2.0 */
/* own_kernel.cu: a kernel of one's own around a generated header. zlay plans C = A B of bf16 and prints the data movement as
 * CUDA C: tensor copies, barriers, descriptors, wgmma. Roles, loops and the epilogue are written here: D = max(C, 0), and
 * square[row] becomes the sum of C^2 along the row, over all tiles, as a following RMSNorm needs it.
 * Build: zlay plan gemm --m 512 --n 768 --k 320 --header gemm.h
 *        nvcc -gencode arch=compute_90a,code=sm_90a -std=c++17 -I. own_kernel.cu -lzlay-runtime -lzlay
 * Run: ./own_kernel   It prints one line, `0 of 393216 elements and 0 of 512 sums wrong`, or `not run: ` and why. */
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "gemm.h"

#include <zlay/zlay.hpp>

#include <cmath>
#include <vector>

enum { M = 512, N = 768, K = 320 };
static_assert(zl_gemm_tiles_m * zl_gemm_tile_m >= M && zl_gemm_tiles_n * zl_gemm_tile_n >= N && zl_gemm_tiles_k * zl_gemm_tile_k >= K,
              "gemm.h is of another product");

/* One thread: fills a stage as soon as the consumers have left it. Barriers: `stages` full ones, then as many empty ones. */
static __device__ void produce(const CUtensorMap &map_a, const CUtensorMap &map_b, uint32_t smem, int tm, int tn)
{
    for (uint32_t kt = 0; kt < zl_gemm_tiles_k; kt++) {
        const uint32_t slot = kt % zl_gemm_stages, full = smem + zl_gemm_smem_bar + 8 * slot;
        zl_gemm_wait(full + 8 * zl_gemm_stages, (kt / zl_gemm_stages + 1) & 1);
        zl_gemm_mbar_arrive_expect(full, zl_gemm_expect_bytes);
        zl_gemm_load_a(&map_a, smem + zl_gemm_smem_a + slot * zl_gemm_pitch_a, full, tm, tn, kt);
        zl_gemm_load_b(&map_b, smem + zl_gemm_smem_b + slot * zl_gemm_pitch_b, full, tm, tn, kt);
    }
}

/* A warpgroup: 64 rows of the tile, summed over K. */
static __device__ void consume(float (&acc)[zl_gemm_tile_n / 2], uint32_t smem, uint32_t consumer)
{
    for (uint32_t kt = 0; kt < zl_gemm_tiles_k; kt++) {
        const uint32_t slot = kt % zl_gemm_stages, full = smem + zl_gemm_smem_bar + 8 * slot;
        zl_gemm_wait(full, kt / zl_gemm_stages & 1);
        zl_gemm_wgmma_fence();
        for (uint32_t step = 0; step < zl_gemm_k_steps; step++)
            zl_gemm_mma(acc, zl_gemm_desc_a(smem + zl_gemm_smem_a + slot * zl_gemm_pitch_a, step, consumer),
                        zl_gemm_desc_b(smem + zl_gemm_smem_b + slot * zl_gemm_pitch_b, step), kt || step);
        zl_gemm_wgmma_commit();
        zl_gemm_wgmma_wait<0>();
        if (threadIdx.x % 32 == 0) zl_gemm_mbar_arrive(full + 8 * zl_gemm_stages);
    }
}

/* Where register i of thread t of a warpgroup stands in its 64 rows: places_agree() asks zlay. Four lanes share a row. */
static __host__ __device__ constexpr int row_of(int t, int i) { return 16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2); }
static __host__ __device__ constexpr int column_of(int t, int i) { return 8 * (i / 4) + 2 * (t % 4) + i % 2; }

/* The epilogue, of a warpgroup whose rows and columns begin at `row` and `column`. */
static __device__ void finish(const float (&acc)[zl_gemm_tile_n / 2], __nv_bfloat16 *d, float *square, int row, int column)
{
    const int t = threadIdx.x % 128;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float sum = 0;
        const int r = row + row_of(t, 2 * half);
#pragma unroll
        for (int i = 2 * half; i < int(zl_gemm_tile_n / 2); i += 4) {
            const int c = column + column_of(t, i);
            sum += acc[i] * acc[i] + acc[i + 1] * acc[i + 1];
            if (r < M && c < N)
                *reinterpret_cast<__nv_bfloat162 *>(&d[int64_t(r) * N + c]) = __floats2bfloat162_rn(fmaxf(acc[i], 0), fmaxf(acc[i + 1], 0));
        }
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        if (t % 4 == 0 && r < M) atomicAdd(&square[r], sum);
    }
}

extern "C" __global__ void __launch_bounds__(zl_gemm_threads, 1)
own_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, __nv_bfloat16 *d, float *square)
{
    extern __shared__ __align__(1024) char raw[];
    const uint32_t smem = (uint32_t(__cvta_generic_to_shared(raw)) + 1023) & ~1023u;
    const int tm = blockIdx.x % zl_gemm_tiles_m, tn = blockIdx.x / zl_gemm_tiles_m;
    if (threadIdx.x == 0) {
        for (uint32_t s = 0; s < zl_gemm_stages; s++) {
            zl_gemm_mbar_init(smem + zl_gemm_smem_bar + 8 * s, zl_gemm_full_count);
            zl_gemm_mbar_init(smem + zl_gemm_smem_bar + 8 * (zl_gemm_stages + s), zl_gemm_empty_count);
        }
        zl_gemm_fence_mbar_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        if (threadIdx.x == 0) produce(map_a, map_b, smem, tm, tn);
    } else {
        float acc[zl_gemm_tile_n / 2] = {};
        const uint32_t consumer = threadIdx.x / 128 - 1;
        consume(acc, smem, consumer);
        finish(acc, d, square, tm * zl_gemm_tile_m + consumer * 64, tn * zl_gemm_tile_n);
    }
}

/* ---- the host: maps of the plan, memory, one launch, all elements compared ------------------------ */

/* Small integers: every sum is exact. */
static int element(uint64_t x) { return int(x * 2654435761u >> 7 & 7) - 3; }

static void *filled(size_t count, uint64_t salt)
{
    std::vector<__nv_bfloat16> cells(count);
    for (size_t i = 0; i < count; i++) cells[i] = __float2bfloat16(float(element(i + salt)));
    void *at = nullptr;
    if (cudaMalloc(&at, 2 * count) == cudaSuccess) cudaMemcpy(at, cells.data(), 2 * count, cudaMemcpyHostToDevice);
    return at;
}

static CUtensorMap map_of(const zlay::context &ctx, zlay_device *device, const zlay_plan *plan, int32_t operand, void *at)
{
    CUtensorMap bits;
    auto map = zlay::value(zlay_plan_map, plan, operand);
    map.address = reinterpret_cast<uint64_t>(at);
    if (zlay_device_encode_tensormap(ctx.get(), &bits, device, &map)) throw zlay::error(ZLAY_EDRIVER, ctx.message());
    return bits;
}

static int compared(const __nv_bfloat16 *d, const float *square)
{
    int wrong = 0, wrong_sums = 0;
    for (uint64_t i = 0; i < M; i++) {
        double sum = 0;
        for (uint64_t j = 0; j < N; j++) {
            int c = 0;
            for (uint64_t k = 0; k < K; k++) c += element(i * K + k) * element(j * K + k + 1);
            sum += double(c) * c;
            wrong += __bfloat162float(d[i * N + j]) != __bfloat162float(__float2bfloat16(float(c > 0 ? c : 0)));
        }
        wrong_sums += std::fabs(square[i] - sum) > 1e-5 * sum;
    }
    std::printf("%d of %d elements and %d of %d sums wrong\n", wrong, M * N, wrong_sums, M);
    return wrong || wrong_sums;
}

/* Whether the epilogue's formula is the fragment of the plan's instruction: (thread, register) -> row + 64 * column. */
static bool places_agree(const zlay::context &ctx, const zlay_plan *plan)
{
    const auto info = zlay::value(zlay_plan_info, plan);
    const zlay::layout fragment = ctx.make(zlay_mma_fragment, zlay::target("sm_90a"), &info.mma, ZLAY_FRAGMENT_D);
    bool agree = zlay_layout_size(fragment) == 128 * zl_gemm_tile_n / 2 && info.stages == zl_gemm_stages;
    for (int t = 0; agree && t < 128; t++)
        for (int i = 0; i < int(zl_gemm_tile_n / 2); i++)
            agree = agree && zlay::value(zlay_layout_eval, 1, fragment, t + 128 * i) == row_of(t, i) + 64 * column_of(t, i);
    return agree;
}

static int run(const zlay::context &ctx, zlay_device *device, const zlay_plan *plan)
{
    void *a = filled(M * K, 0), *b = filled(N * K, 1);
    __nv_bfloat16 *d = nullptr;
    float *square = nullptr;
    cudaMallocManaged(&d, 2 * M * N);
    cudaMallocManaged(&square, 4 * M);
    if (!a || !b || !d || !square) throw zlay::error(ZLAY_ENOMEM, "memory of the device");
    for (int i = 0; i < M; i++) square[i] = 0;
    const CUtensorMap map_a = map_of(ctx, device, plan, ZLAY_OPERAND_A, a), map_b = map_of(ctx, device, plan, ZLAY_OPERAND_B, b);
    cudaFuncSetAttribute(own_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, zl_gemm_smem);
    own_kernel<<<zl_gemm_tiles_m * zl_gemm_tiles_n, zl_gemm_threads, zl_gemm_smem>>>(map_a, map_b, d, square);
    if (cudaDeviceSynchronize() != cudaSuccess) throw zlay::error(ZLAY_EDRIVER, cudaGetErrorString(cudaGetLastError()));
    return compared(d, square);
}

int main()
try {
    const zlay::context ctx;
    auto request = zlay::sized<zlay_gemm>();
    request.m = M, request.n = N, request.k = K;
    const zlay::plan plan = ctx.make(zlay_gemm_synth, zlay::target("sm_90a"), &request);
    if (!places_agree(ctx, plan)) throw zlay::error(ZLAY_EINVAL, "the epilogue's places are not the fragment's, or gemm.h is of another plan");
    const auto device = ctx.try_make(zlay_device_open, 0);
    if (device) return run(ctx, (*device).get(), plan);
    std::printf("not run: %s\n", device.message);
} catch (const zlay::error &failed) {
    std::fprintf(stderr, "own_kernel: %s\n", failed.what());
    return 2;
}
