// SPDX-License-Identifier: Apache-2.0
// A GEMM that clang compiles around the functions of two plans of waves, a and b, which the compiler includes before this: D = A B^T, bf16 in,
// f32 sums, in tiles of 64 x 64 by four waves, DEPTH of K in each of two stages of LDS. FRAGMENT is what PRODUCT multiplies.
typedef float sums __attribute__((ext_vector_type(16)));
typedef FRAGMENT_OF fragment __attribute__((ext_vector_type(FRAGMENT)));
#define GLOBAL __attribute__((address_space(1)))
#define LDS    __attribute__((address_space(3)))
#define WAIT_STATES __asm__ volatile("s_nop 15\n\ts_nop 2") // as in compiled.c, which says what the compiler forgets

static LDS char stage[2][a_smem + b_smem] __attribute__((loader_uninitialized, aligned(16)));

static inline void meet()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static inline sums multiply(const char *from, unsigned lane, unsigned wave, sums c)
{
    for (unsigned step = 0; step < GROUPS; step++) {
        unsigned a[EACH][WORDS], b[EACH][WORDS];
        a_read(a, from, lane, wave % 2, 0, step);
        b_read(b, from + a_smem, lane, wave / 2, 0, step);
        for (int i = 0; i < EACH; i++) c = PRODUCT(__builtin_bit_cast(fragment, a[i]), __builtin_bit_cast(fragment, b[i]), c, 0, 0, 0);
    }
    return c;
}

extern "C" __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(256, 256))) void
gemm(const GLOBAL char *of_a, const GLOBAL char *of_b, GLOBAL float *d, unsigned m, unsigned n, unsigned k)
{
    unsigned t = __builtin_amdgcn_workitem_id_x(), lane = t % 64, wave = t / 64, row_bytes = k * 2;
    unsigned m0 = __builtin_amdgcn_workgroup_id_x() * 64, n0 = __builtin_amdgcn_workgroup_id_y() * 64;
    const char *a = (const char *)of_a + (unsigned long)m0 * row_bytes, *b = (const char *)of_b + (unsigned long)n0 * row_bytes;
    sums c = {0};
#ifdef DIRECT
    a_load((char *)stage[0], a, row_bytes, m - m0, t);
    b_load((char *)stage[0] + a_smem, b, row_bytes, n - n0, t);
    for (unsigned at = 0, s = 0; at < k; at += DEPTH, s ^= 1) {
        a_wait();
        meet();
        if (at + DEPTH < k) {
            a_load((char *)stage[s ^ 1], a += DEPTH * 2, row_bytes, m - m0, t);
            b_load((char *)stage[s ^ 1] + a_smem, b += DEPTH * 2, row_bytes, n - n0, t);
        }
        c = multiply((char *)stage[s], lane, wave, c);
    }
#else
    unsigned next_a[HELD], next_b[HELD];
    a_load(next_a, a, row_bytes, m - m0, t);
    b_load(next_b, b, row_bytes, n - n0, t);
    for (unsigned at = 0, s = 0; at < k; at += DEPTH, s ^= 1) {
        a_store((char *)stage[s], next_a, t);
        b_store((char *)stage[s] + a_smem, next_b, t);
        if (at + DEPTH < k) {
            a_load(next_a, a += DEPTH * 2, row_bytes, m - m0, t);
            b_load(next_b, b += DEPTH * 2, row_bytes, n - n0, t);
        }
        meet();
        c = multiply((char *)stage[s], lane, wave, c);
    }
#endif
    WAIT_STATES;
    for (unsigned r = 0; r < 16; r++) {
        unsigned i = m0 + wave % 2 * 32 + 8 * (r / 4) + 4 * (lane / 32) + r % 4, j = n0 + wave / 2 * 32 + lane % 32;
        if (i < m && j < n) d[i * n + j] = c[r];
    }
}
