/* SPDX-License-Identifier: Apache-2.0 */
/* A GEMM that clang compiles: D = A B^T, bf16 in, f32 sums, m x n in tiles of 64 x 64 by four waves,
 * K in steps of 16 through two stages of LDS. Waits and nops in its text are the compiler's. */
typedef float sums __attribute__((ext_vector_type(16)));
typedef short four __attribute__((ext_vector_type(4)));
typedef float floats __attribute__((ext_vector_type(2)));
/* LLVM 22.1.8 counts the wait states to a block along one of its ways alone where another is shorter: on
 * gfx90a lanes beyond the edge would write a register 12 states after the product that writes it, not 19. */
#define WAIT_STATES __asm__ volatile("s_nop 15\n\ts_nop 2")
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3)))

static LDS four stage[2][2][64][4] __attribute__((loader_uninitialized)); /* stage, factor, row, K / 4 */

static four load(const GLOBAL short *from, int rows, int k, int row, int at)
{
    four zero = {0, 0, 0, 0};
    return row < rows && at < k ? *(const GLOBAL four *)(from + row * k + at) : zero;
}

__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(256, 256))) void
gemm(const GLOBAL short *a, const GLOBAL short *b, GLOBAL float *d, int m, int n, int k)
{
    int t = __builtin_amdgcn_workitem_id_x(), row = t / 4, part = t % 4, lane = t % 64, wave = t / 64;
    int m0 = __builtin_amdgcn_workgroup_id_x() * 64, n0 = __builtin_amdgcn_workgroup_id_y() * 64;
    sums c = {0};
    four next_a = load(a, m, k, m0 + row, part * 4), next_b = load(b, n, k, n0 + row, part * 4);
    for (int at = 0, s = 0; at < k; at += 16, s ^= 1) {
        stage[s][0][row][part ^ row / 4 % 4] = next_a;
        stage[s][1][row][part ^ row / 4 % 4] = next_b;
        next_a = load(a, m, k, m0 + row, at + 16 + part * 4);
        next_b = load(b, n, k, n0 + row, at + 16 + part * 4);
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
        for (int step = 0; step < 2; step++) {
            int i = wave % 2 * 32 + lane % 32, j = wave / 2 * 32 + lane % 32, q = step * 2 + lane / 32;
            c = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(stage[s][0][i][q ^ i / 4 % 4], stage[s][1][j][q ^ j / 4 % 4], c, 0, 0, 0);
        }
    }
    WAIT_STATES;
    for (int r = 0; r < 16; r++) {
        int i = m0 + wave % 2 * 32 + 8 * (r / 4) + 4 * (lane / 32) + r % 4, j = n0 + wave / 2 * 32 + lane % 32;
        if (i < m && j < n) d[i * n + j] = c[r];
    }
}
