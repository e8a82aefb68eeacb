// SPDX-License-Identifier: Apache-2.0
// A GEMM written by hand on an emitted header (name "gemm"): the shortest kernel that uses each of its functions.
// One tile a block, no overlap of epilogue and loads; it exists to show that the header's functions are the plan's.
#include <cuda.h>
#include <cuda_bf16.h>

static __device__ void produce(const CUtensorMap &map_a, const CUtensorMap &map_b, uint32_t smem, int tm, int tn)
{
    for (uint32_t kt = 0; kt < zl_gemm_tiles_k; kt++) {
        uint32_t slot = kt % zl_gemm_stages, full = smem + zl_gemm_smem_bar + 8 * slot;
        zl_gemm_wait(full + 8 * zl_gemm_stages, (kt / zl_gemm_stages + 1) & 1);
        zl_gemm_mbar_arrive_expect(full, zl_gemm_expect_bytes);
        zl_gemm_load_a(&map_a, smem + zl_gemm_smem_a + slot * zl_gemm_pitch_a, full, tm, tn, kt);
        zl_gemm_load_b(&map_b, smem + zl_gemm_smem_b + slot * zl_gemm_pitch_b, full, tm, tn, kt);
    }
}

static __device__ void consume(float (&acc)[zl_gemm_tile_n / 2], uint32_t smem, uint32_t consumer)
{
    for (uint32_t kt = 0; kt < zl_gemm_tiles_k; kt++) {
        uint32_t slot = kt % zl_gemm_stages, full = smem + zl_gemm_smem_bar + 8 * slot;
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

static __device__ void put(const float (&acc)[zl_gemm_tile_n / 2], __nv_bfloat16 *d, long long ldd, int m, int n, int row,
                           int column)
{
    int t = threadIdx.x % 128;
    for (uint32_t i = 0; i < zl_gemm_tile_n / 2; i++) {
        int r = row + 16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2), c = column + 8 * (i / 4) + 2 * (t % 4) + i % 2;
        if (r < m && c < n) d[r * ldd + c] = __float2bfloat16(acc[i]);
    }
}

extern "C" __global__ void __launch_bounds__(zl_gemm_threads, 1)
header_gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, __nv_bfloat16 *d,
            long long ldd, int m, int n)
{
    extern __shared__ __align__(1024) char raw[];
    uint32_t smem = ((uint32_t)__cvta_generic_to_shared(raw) + 1023) & ~1023u;
    int tm = blockIdx.x % zl_gemm_tiles_m, tn = blockIdx.x / zl_gemm_tiles_m;
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
        uint32_t consumer = threadIdx.x / 128 - 1;
        consume(acc, smem, consumer);
        put(acc, d, ldd, m, n, tm * zl_gemm_tile_m + consumer * 64, tn * zl_gemm_tile_n);
    }
}
