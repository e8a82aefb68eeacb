/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of two waves in the macros of a header of inline asm, which the compiler includes before this:
 * in each round every thread brings its words in, and takes out those of the thread at the other end.
 * Round by round: 128 times 16 bytes of `out`. The first stores a sum of eight ones, just multiplied. */
typedef unsigned u1;
typedef unsigned u2 __attribute__((ext_vector_type(2)));
typedef unsigned u3 __attribute__((ext_vector_type(3)));
typedef unsigned u4 __attribute__((ext_vector_type(4)));
typedef float sums __attribute__((ext_vector_type(16)));
typedef _Float16 halves __attribute__((ext_vector_type(4)));
#define LDS __attribute__((address_space(3)))
static LDS u4 space[128] __attribute__((loader_uninitialized));

/* Through registers; `load` and `store` say how a word of that width comes and goes. */
#define TURN(type, width, load, store) \
    do { \
        type mine, other; \
        load(mine); \
        zl_t_ds_write_b##width(here, mine, 0); \
        zl_t_s_barrier(); \
        zl_t_ds_read_b##width(other, there, 0); \
        zl_t_s_barrier(); \
        store(other); \
        out += 2048, voffset += 2048; \
    } while (0)
#define FROM_1(d) zl_t_global_load_dword(d, in, 16)
#define FROM_2(d) zl_t_global_load_dwordx2(d, in, 16)
#define FROM_3(d) zl_t_global_load_dwordx3(d, in, 16)
#define FROM_4(d) zl_t_global_load_dwordx4(d, in, 16)
#define BASE_1(d) zl_t_global_load_dword_saddr(d, lane_at, base, 16)
#define BASE_2(d) zl_t_global_load_dwordx2_saddr(d, lane_at, base, 16)
#define BASE_3(d) zl_t_global_load_dwordx3_saddr(d, lane_at, base, 16)
#define BASE_4(d) zl_t_global_load_dwordx4_saddr(d, lane_at, base, 16)
#define BUFFER_1(d) zl_t_buffer_load_dword_offen(d, lane_at, from, sixteen, 0)
#define BUFFER_2(d) zl_t_buffer_load_dwordx2_offen(d, lane_at, from, sixteen, 0)
#define BUFFER_3(d) zl_t_buffer_load_dwordx3_offen(d, lane_at, from, sixteen, 0)
#define BUFFER_4(d) zl_t_buffer_load_dwordx4_offen(d, lane_at, from, sixteen, 0)
#define TO_1(d) zl_t_global_store_dword(out, d, 0)
#define TO_2(d) zl_t_global_store_dwordx2(out, d, 0)
#define TO_3(d) zl_t_global_store_dwordx3(out, d, 0)
#define TO_4(d) zl_t_global_store_dwordx4(out, d, 0)
#define PUT_1(d) zl_t_buffer_store_dword_offen(d, voffset, to, zero, 0)
#define PUT_2(d) zl_t_buffer_store_dwordx2_offen(d, voffset, to, zero, 0)
#define PUT_3(d) zl_t_buffer_store_dwordx3_offen(d, voffset, to, zero, 0)
#define PUT_4(d) zl_t_buffer_store_dwordx4_offen(d, voffset, to, zero, 0)

/* A load to LDS of `bytes` a lane at a pitch; what it brought is read and stored. */
#define DIRECT(type, width, pitch, load, store) \
    do { \
        type other; \
        unsigned m0 = (unsigned)space + wave * 64 * (pitch); \
        load; \
        zl_t_s_barrier(); \
        zl_t_ds_read_b##width(other, (unsigned)space + (127 - t) * (pitch), 0); \
        zl_t_s_barrier(); \
        store(other); \
        out += 2048, voffset += 2048; \
    } while (0)

__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(128, 128))) void
snippets(unsigned long base, unsigned long result, unsigned bytes)
{
    unsigned t = __builtin_amdgcn_workitem_id_x(), lane_at = t * 16, here = (unsigned)space + lane_at;
    unsigned there = (unsigned)space + (127 - t) * 16, wave = __builtin_amdgcn_readfirstlane((int)(t / 64));
    unsigned long in = base + lane_at, out = result + lane_at;
    unsigned voffset = lane_at, zero = 0, sixteen = 16;
    u4 from = {(unsigned)base, (unsigned)(base >> 32), bytes, 0x00020000};
    u4 to = {(unsigned)result, (unsigned)(result >> 32), 1 << 20, 0x00020000};
    halves ones = {1, 1, 1, 1};
    sums sum = {0};
    sum = __builtin_amdgcn_mfma_f32_32x32x8f16(ones, ones, sum, 0, 0, 0);
    zl_t_global_store_dword(out, sum[0], 0);
    out += 2048, voffset += 2048;
    TURN(u1, 32, FROM_1, TO_1);
    TURN(u2, 64, FROM_2, TO_2);
    TURN(u3, 96, FROM_3, TO_3);
    TURN(u4, 128, FROM_4, TO_4);
    TURN(u1, 32, BASE_1, PUT_1);
    TURN(u2, 64, BASE_2, PUT_2);
    TURN(u3, 96, BASE_3, PUT_3);
    TURN(u4, 128, BASE_4, PUT_4);
    TURN(u1, 32, BUFFER_1, TO_1);
    TURN(u2, 64, BUFFER_2, PUT_2);
    TURN(u3, 96, BUFFER_3, TO_3);
    TURN(u4, 128, BUFFER_4, PUT_4);
    DIRECT(u1, 32, 4, zl_t_buffer_load_lds_dword_offen(m0, lane_at, from, sixteen, 0), TO_1);
#ifdef zl_t_global_load_dword_lds
    DIRECT(u1, 32, 4, zl_t_global_load_dword_lds(m0, in + 16, 0), TO_1);
#else
    DIRECT(u1, 32, 4, zl_t_global_load_lds_dword(m0, in + 16, 0), TO_1);
#endif
#ifdef zl_t_global_load_lds_dwordx4
    DIRECT(u4, 128, 16, zl_t_global_load_lds_dwordx4(m0, in + 16, 0), TO_4);
    DIRECT(u4, 128, 16, zl_t_buffer_load_lds_dwordx4_offen(m0, lane_at, from, sixteen, 0), PUT_4);
    DIRECT(u3, 96, 16, zl_t_global_load_lds_dwordx3(m0, in + 16, 0), TO_3);
#endif
}
