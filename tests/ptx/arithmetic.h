/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of a thread: moves, whole numbers, floating-point numbers, comparisons, selections and conversions, a row each.
 * f32 is C's arithmetic without contraction, halves are rounded from doubles, approximations are the exact value rounded. */
#ifndef TEST_PTX_ARITHMETIC_H
#define TEST_PTX_ARITHMETIC_H

#include "ptx/alu.h"

/* PX_TOGETHER: a warp does it together. */
enum { PX_ALONE, PX_TOGETHER };

typedef struct px_row {
    const char *op;
    px_step *step;
    int how;
} px_row;

/* ---- moves -------------------------------------------------------------------------- */

/* `d, a`, `d, {low, high}`, `{low, high}, a` of so many bits in all. */
static inline bool px_move(px_machine *m, int thread, const px_line *l, int bits)
{
    uint64_t half = (1ull << bits / 2) - 1, all = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
    if (l->vector & 1) {
        uint64_t value = PX_IN(2);
        px_set(m, thread, &l->operand[0], value & half);
        px_set(m, thread, &l->operand[1], value >> bits / 2 & half);
        return true;
    }
    PX_OUT(l->count > 2 ? (PX_IN(1) & half) | (PX_IN(2) & half) << bits / 2 : PX_IN(1) & all);
    return true;
}

static inline bool px_move32(px_machine *m, int thread, const px_line *l) { return px_move(m, thread, l, 32); }
static inline bool px_move64(px_machine *m, int thread, const px_line *l) { return px_move(m, thread, l, 64); }

/* ---- whole numbers ------------------------------------------------------------------ */

PX_ALU(px_neg32, PX_U(0 - a))
PX_ALU(px_not, PX_U(~a))
PX_ALU(px_or, PX_U(a | b))
PX_ALU(px_max_u, PX_U(a) > PX_U(b) ? PX_U(a) : PX_U(b))
PX_ALU(px_shr_s, PX_U(PX_S(a) >> (PX_U(b) > 31 ? 31 : PX_U(b))))
PX_ALU(px_bfe_u, px_field(PX_U(a), PX_U(b), PX_U(c), false))
PX_ALU(px_bfe_s, px_field(PX_U(a), PX_U(b), PX_U(c), true))
PX_ALU(px_ne, PX_U(a) != PX_U(b))
PX_ALU(px_le_u, PX_U(a) <= PX_U(b))
PX_ALU(px_gt_u, PX_U(a) > PX_U(b))
PX_ALU(px_le_s, PX_S(a) <= PX_S(b))
PX_ALU(px_or_pred, a || b)
PX_ALU(px_xor_pred, !a != !b)

/* Of 64 bits; `.and` goes with a third operand. */
#define PX_S64(x) ((int64_t)(x))
PX_ALU(px_sub64, a - b)
PX_ALU(px_mul64, a * b)
PX_ALU(px_and64, a & b)
PX_ALU(px_mul_wide, (uint64_t)PX_U(a) * PX_U(b))
PX_ALU(px_or64, a | b)
PX_ALU(px_xor64, a ^ b)
PX_ALU(px_shr64, PX_U(b) > 63 ? 0 : a >> PX_U(b))
PX_ALU(px_div64, b ? a / b : 0)
PX_ALU(px_high32, (uint64_t)PX_U(a) * PX_U(b) >> 32)
__extension__ typedef unsigned __int128 px_u128;
PX_ALU(px_high64, (uint64_t)((px_u128)a * b >> 64))
PX_ALU(px_eq64, a == b)
PX_ALU(px_lt_u64, a < b)
PX_ALU(px_shl64, PX_U(b) > 63 ? 0 : a << PX_U(b))
PX_ALU(px_narrow16, a & 0xffff)
PX_ALU(px_narrow32, PX_U(a))
PX_ALU(px_lt_s64, PX_S64(a) < PX_S64(b))
PX_ALU(px_ge_s64, PX_S64(a) >= PX_S64(b))
PX_ALU(px_gt_u64, a > b)
PX_ALU(px_lt_and_s64, PX_S64(a) < PX_S64(b) && c)
PX_ALU(px_le_and_s64, PX_S64(a) <= PX_S64(b) && c)
PX_ALU(px_lt_and_u64, a < b && c)
PX_ALU(px_shf_r, (uint32_t)((PX_U(a) | b << 32) >> (c & 31)))

/* ---- f32 ------------------------------------------------------------------------------ */

PX_ALU(px_add_f32, px_word(px_float(a) + px_float(b)))
PX_ALU(px_sub_f32, px_word(px_float(a) - px_float(b)))
PX_ALU(px_mul_f32, px_word(px_float(a) * px_float(b)))
PX_ALU(px_div_f32, px_word(px_float(a) / px_float(b)))
PX_ALU(px_fma_f32, px_word(fmaf(px_float(a), px_float(b), px_float(c))))
PX_ALU(px_min_f32, px_nearest(&px_f32, px_less_of((double)px_float(a), (double)px_float(b), 0)))
PX_ALU(px_max_f32, px_nearest(&px_f32, px_greater_of((double)px_float(a), (double)px_float(b), 0)))
PX_ALU(px_neg_f32, PX_U(a) ^ 0x80000000u)
PX_ALU(px_abs_f32, PX_U(a) & 0x7fffffffu)
PX_ALU(px_ex2_f32, px_approx(px_exp2, a))
PX_ALU(px_lg2_f32, px_approx(px_log2, a))
PX_ALU(px_rcp_f32, px_approx(px_rcp, a))
PX_ALU(px_rsqrt_f32, px_approx(px_rsqrt, a))
PX_ALU(px_sqrt_f32, px_approx(px_sqrt, a))
PX_ALU(px_tanh_f32, px_nearest(&px_f32, tanh((double)px_float(a))))
PX_ALU(px_lt_f32, px_float(a) < px_float(b))
PX_ALU(px_le_f32, px_float(a) <= px_float(b))
PX_ALU(px_gt_f32, px_float(a) > px_float(b))
PX_ALU(px_ge_f32, px_float(a) >= px_float(b))
PX_ALU(px_eq_f32, px_float(a) == px_float(b))
PX_ALU(px_neu_f32, px_float(a) != px_float(b))

/* ---- packed pairs ---------------------------------------------------------------------- */

PX_ALU(px_add_f16x2, px_pairs(&px_f16, px_sum, a, b, 0))
PX_ALU(px_sub_f16x2, px_pairs(&px_f16, px_difference, a, b, 0))
PX_ALU(px_mul_f16x2, px_pairs(&px_f16, px_times, a, b, 0))
PX_ALU(px_fma_f16x2, px_pairs(&px_f16, px_fma, a, b, c))
PX_ALU(px_min_f16x2, px_pairs(&px_f16, px_less_of, a, b, 0))
PX_ALU(px_max_f16x2, px_pairs(&px_f16, px_greater_of, a, b, 0))
PX_ALU(px_ex2_f16x2, px_pairs(&px_f16, px_exp2, a, 0, 0))
PX_ALU(px_tanh_f16x2, px_pairs(&px_f16, px_tanh, a, 0, 0))
PX_ALU(px_add_bf16x2, px_pairs(&px_bf16, px_sum, a, b, 0))
PX_ALU(px_sub_bf16x2, px_pairs(&px_bf16, px_difference, a, b, 0))
PX_ALU(px_mul_bf16x2, px_pairs(&px_bf16, px_times, a, b, 0))
PX_ALU(px_fma_bf16x2, px_pairs(&px_bf16, px_fma, a, b, c))
PX_ALU(px_min_bf16x2, px_pairs(&px_bf16, px_less_of, a, b, 0))
PX_ALU(px_max_bf16x2, px_pairs(&px_bf16, px_greater_of, a, b, 0))
PX_ALU(px_ex2_bf16x2, px_pairs_flushed(&px_bf16, px_exp2, a))
PX_ALU(px_tanh_bf16x2, px_pairs(&px_bf16, px_tanh, a, 0, 0))
PX_ALU(px_neg_pair, PX_U(a) ^ 0x80008000u)
PX_ALU(px_abs_pair, PX_U(a) & 0x7fff7fffu)

/* ---- conversions ------------------------------------------------------------------------- */

PX_ALU(px_rn_bf16x2, px_pack_floats(&px_bf16, PX_NEAREST, false, a, b))
PX_ALU(px_rz_bf16x2, px_pack_floats(&px_bf16, PX_ZERO, false, a, b))
PX_ALU(px_rn_f16x2, px_pack_floats(&px_f16, PX_NEAREST, false, a, b))
PX_ALU(px_rz_f16x2, px_pack_floats(&px_f16, PX_ZERO, false, a, b))
PX_ALU(px_rn_e4m3x2, px_pack_floats(&px_e4m3, PX_NEAREST, true, a, b))
PX_ALU(px_rn_e5m2x2, px_pack_floats(&px_e5m2, PX_NEAREST, true, a, b))
PX_ALU(px_of_e4m3x2, px_widen(&px_e4m3, a))
PX_ALU(px_of_e5m2x2, px_widen(&px_e5m2, a))
PX_ALU(px_of_f16, px_nearest(&px_f32, px_value(&px_f16, a & 0xffff)))
PX_ALU(px_rni_s32, px_whole(a, PX_NEAREST, INT32_MIN, INT32_MAX))
PX_ALU(px_rzi_s32, px_whole(a, PX_ZERO, INT32_MIN, INT32_MAX))
PX_ALU(px_rmi_s32, px_whole(a, PX_DOWN, INT32_MIN, INT32_MAX))
PX_ALU(px_rpi_s32, px_whole(a, PX_UP, INT32_MIN, INT32_MAX))
PX_ALU(px_rni_u32, px_whole(a, PX_NEAREST, 0, UINT32_MAX))
PX_ALU(px_rzi_u32, px_whole(a, PX_ZERO, 0, UINT32_MAX))
PX_ALU(px_rmi_u32, px_whole(a, PX_DOWN, 0, UINT32_MAX))
PX_ALU(px_rpi_u32, px_whole(a, PX_UP, 0, UINT32_MAX))
PX_ALU(px_rn_of_s32, px_bits(&px_f32, PX_S(a), PX_NEAREST, false))
PX_ALU(px_rz_of_s32, px_bits(&px_f32, PX_S(a), PX_ZERO, false))
PX_ALU(px_rm_of_s32, px_bits(&px_f32, PX_S(a), PX_DOWN, false))
PX_ALU(px_rp_of_s32, px_bits(&px_f32, PX_S(a), PX_UP, false))
PX_ALU(px_rn_of_u32, px_bits(&px_f32, PX_U(a), PX_NEAREST, false))
PX_ALU(px_rz_of_u32, px_bits(&px_f32, PX_U(a), PX_ZERO, false))
PX_ALU(px_rm_of_u32, px_bits(&px_f32, PX_U(a), PX_DOWN, false))
PX_ALU(px_rp_of_u32, px_bits(&px_f32, PX_U(a), PX_UP, false))
PX_ALU(px_pack_s8, px_pack_bytes(a, b, c, INT8_MIN, INT8_MAX))
PX_ALU(px_pack_u8, px_pack_bytes(a, b, c, 0, UINT8_MAX))

/* prmt: byte i of d is the byte of {b, a} that bits 0 to 2 of nibble i choose, or its sign where bit 3 is set. */
static inline uint32_t px_permuted(uint64_t a, uint64_t b, uint64_t select)
{
    uint64_t from = (a & UINT32_MAX) | b << 32;
    uint32_t out = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t nibble = (uint32_t)(select >> 4 * i) & 15, byte = (uint32_t)(from >> 8 * (nibble & 7)) & 0xff;
        out |= (nibble & 8 ? (byte & 0x80 ? 0xffu : 0) : byte) << 8 * i;
    }
    return out;
}
PX_ALU(px_prmt, px_permuted(a, b, c))

/* lop3: bit by bit what the table has at the number of three bits, a's the highest. */
static inline uint32_t px_looked_up(uint64_t a, uint64_t b, uint64_t c, uint64_t table)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i++)
        out |= (uint32_t)(table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return out;
}
PX_ALU(px_lop3, px_looked_up(a, b, c, PX_IN(4)))

/* ---- rows ---------------------------------------------------------------------------------- */

static const px_row px_arithmetic[] = {
    {"mov.u32", px_mov, 0}, {"mov.b16", px_mov, 0}, {"mov.u16", px_mov, 0}, {"mov.b32", px_move32, 0}, {"mov.b64", px_move64, 0},
    {"mov.u64", px_mov, 0}, {"mov.f32", px_mov, 0},
    {"cvta.param.u64", px_mov, 0}, {"cvta.to.global.u64", px_mov, 0}, {"cvt.u64.u32", px_wide, 0},
    {"add.u32", px_add32, 0}, {"add.s32", px_add32, 0}, {"add.s64", px_add64, 0}, {"add.u64", px_add64, 0},
    {"sub.u32", px_sub32, 0}, {"sub.s32", px_sub32, 0}, {"mul.lo.u32", px_mul32, 0}, {"mul.lo.s32", px_mul32, 0},
    {"mad.lo.u32", px_mad32, 0}, {"mad.lo.s32", px_mad32, 0}, {"mad.lo.u64", px_mad64, 0},
    {"mad.wide.u32", px_mad_wide, 0}, {"div.u32", px_div32, 0}, {"rem.u32", px_rem32, 0},
    {"min.u32", px_min_u, 0}, {"min.s32", px_min_s, 0}, {"max.u32", px_max_u, 0}, {"max.s32", px_max_s, 0},
    {"neg.s32", px_neg32, 0}, {"and.b32", px_and, 0}, {"or.b32", px_or, 0}, {"xor.b32", px_xor, 0}, {"not.b32", px_not, 0},
    {"shr.u32", px_shr, 0}, {"shr.s32", px_shr_s, 0}, {"shl.b32", px_shl, 0}, {"bfe.u32", px_bfe_u, 0}, {"bfe.s32", px_bfe_s, 0},
    {"prmt.b32", px_prmt, 0}, {"lop3.b32", px_lop3, 0},
    {"mov.s64", px_mov, 0}, {"sub.s64", px_sub64, 0}, {"mul.lo.s64", px_mul64, 0}, {"mad.lo.s64", px_mad64, 0},
    {"and.b64", px_and64, 0}, {"shl.b64", px_shl64, 0}, {"cvt.u16.u32", px_narrow16, 0}, {"cvt.u32.u64", px_narrow32, 0},
    {"or.b64", px_or64, 0}, {"xor.b64", px_xor64, 0}, {"shr.u64", px_shr64, 0}, {"div.u64", px_div64, 0},
    {"mul.wide.u32", px_mul_wide, 0}, {"mul.hi.u32", px_high32, 0}, {"mul.hi.u64", px_high64, 0},
    {"setp.eq.u64", px_eq64, 0}, {"setp.lt.u64", px_lt_u64, 0}, {"selp.b64", px_selp, 0},
    {"shf.r.wrap.b32", px_shf_r, 0},
    {"setp.lt.s64", px_lt_s64, 0}, {"setp.ge.s64", px_ge_s64, 0}, {"setp.gt.u64", px_gt_u64, 0},
    {"setp.lt.and.s64", px_lt_and_s64, 0}, {"setp.le.and.s64", px_le_and_s64, 0}, {"setp.lt.and.u64", px_lt_and_u64, 0},
    {"setp.eq.u32", px_eq, 0}, {"setp.ne.u32", px_ne, 0}, {"setp.lt.u32", px_lt_u, 0}, {"setp.le.u32", px_le_u, 0},
    {"setp.gt.u32", px_gt_u, 0}, {"setp.ge.u32", px_ge_u, 0},
    {"setp.eq.s32", px_eq, 0}, {"setp.ne.s32", px_ne, 0}, {"setp.lt.s32", px_lt_s, 0}, {"setp.le.s32", px_le_s, 0},
    {"setp.gt.s32", px_gt_s, 0}, {"setp.ge.s32", px_ge_s, 0},
    {"setp.eq.f32", px_eq_f32, 0}, {"setp.neu.f32", px_neu_f32, 0}, {"setp.lt.f32", px_lt_f32, 0}, {"setp.le.f32", px_le_f32, 0},
    {"setp.gt.f32", px_gt_f32, 0}, {"setp.ge.f32", px_ge_f32, 0},
    {"selp.b32", px_selp, 0}, {"and.pred", px_and_pred, 0}, {"or.pred", px_or_pred, 0}, {"xor.pred", px_xor_pred, 0},
    {"add.rn.f32", px_add_f32, 0}, {"sub.rn.f32", px_sub_f32, 0}, {"mul.rn.f32", px_mul_f32, 0}, {"div.rn.f32", px_div_f32, 0}, {"fma.rn.f32", px_fma_f32, 0},
    {"min.f32", px_min_f32, 0}, {"max.f32", px_max_f32, 0}, {"neg.f32", px_neg_f32, 0}, {"abs.f32", px_abs_f32, 0},
    {"ex2.approx.ftz.f32", px_ex2_f32, 0}, {"lg2.approx.ftz.f32", px_lg2_f32, 0}, {"rcp.approx.ftz.f32", px_rcp_f32, 0},
    {"rsqrt.approx.ftz.f32", px_rsqrt_f32, 0}, {"sqrt.approx.ftz.f32", px_sqrt_f32, 0}, {"tanh.approx.f32", px_tanh_f32, 0},
    {"add.rn.f16x2", px_add_f16x2, 0}, {"sub.rn.f16x2", px_sub_f16x2, 0}, {"mul.rn.f16x2", px_mul_f16x2, 0},
    {"fma.rn.f16x2", px_fma_f16x2, 0}, {"min.f16x2", px_min_f16x2, 0}, {"max.f16x2", px_max_f16x2, 0},
    {"neg.f16x2", px_neg_pair, 0}, {"abs.f16x2", px_abs_pair, 0}, {"ex2.approx.f16x2", px_ex2_f16x2, 0},
    {"tanh.approx.f16x2", px_tanh_f16x2, 0},
    {"add.rn.bf16x2", px_add_bf16x2, 0}, {"sub.rn.bf16x2", px_sub_bf16x2, 0}, {"mul.rn.bf16x2", px_mul_bf16x2, 0},
    {"fma.rn.bf16x2", px_fma_bf16x2, 0}, {"min.bf16x2", px_min_bf16x2, 0}, {"max.bf16x2", px_max_bf16x2, 0},
    {"neg.bf16x2", px_neg_pair, 0}, {"abs.bf16x2", px_abs_pair, 0}, {"ex2.approx.ftz.bf16x2", px_ex2_bf16x2, 0},
    {"tanh.approx.bf16x2", px_tanh_bf16x2, 0},
    {"cvt.rn.bf16x2.f32", px_rn_bf16x2, 0}, {"cvt.rz.bf16x2.f32", px_rz_bf16x2, 0},
    {"cvt.rn.f16x2.f32", px_rn_f16x2, 0}, {"cvt.rz.f16x2.f32", px_rz_f16x2, 0},
    {"cvt.rn.satfinite.e4m3x2.f32", px_rn_e4m3x2, 0}, {"cvt.rn.satfinite.e5m2x2.f32", px_rn_e5m2x2, 0},
    {"cvt.rn.f16x2.e4m3x2", px_of_e4m3x2, 0}, {"cvt.rn.f16x2.e5m2x2", px_of_e5m2x2, 0}, {"cvt.f32.f16", px_of_f16, 0},
    {"cvt.rni.s32.f32", px_rni_s32, 0}, {"cvt.rzi.s32.f32", px_rzi_s32, 0}, {"cvt.rmi.s32.f32", px_rmi_s32, 0},
    {"cvt.rpi.s32.f32", px_rpi_s32, 0}, {"cvt.rni.u32.f32", px_rni_u32, 0}, {"cvt.rzi.u32.f32", px_rzi_u32, 0},
    {"cvt.rmi.u32.f32", px_rmi_u32, 0}, {"cvt.rpi.u32.f32", px_rpi_u32, 0},
    {"cvt.rn.f32.s32", px_rn_of_s32, 0}, {"cvt.rz.f32.s32", px_rz_of_s32, 0}, {"cvt.rm.f32.s32", px_rm_of_s32, 0},
    {"cvt.rp.f32.s32", px_rp_of_s32, 0}, {"cvt.rn.f32.u32", px_rn_of_u32, 0}, {"cvt.rz.f32.u32", px_rz_of_u32, 0},
    {"cvt.rm.f32.u32", px_rm_of_u32, 0}, {"cvt.rp.f32.u32", px_rp_of_u32, 0},
    {"cvt.pack.sat.s8.s32.b32", px_pack_s8, 0}, {"cvt.pack.sat.u8.s32.b32", px_pack_u8, 0},
};
enum { PX_ARITHMETIC = sizeof px_arithmetic / sizeof *px_arithmetic };

#endif
