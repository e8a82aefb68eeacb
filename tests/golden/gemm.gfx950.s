; zlay 0.3.0: D[250,250] = A B, K = 200, bf16; tile 128x128x64, 2 stages; grid 2 x 2 blocks of 256 threads
    .amdgcn_target "amdgcn-amd-amdhsa--gfx950"
    .amdhsa_code_object_version 5
    .text
    .protected gemm
    .globl gemm
    .p2align 8
    .type gemm,@function
gemm:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_load_dwordx2 s[8:9], s[0:1], 0x10
    v_and_b32 v0, 0x3ff, v0
    v_lshrrev_b32 v1, 6, v0
    s_nop 0
    v_readfirstlane_b32 s10, v1
    v_lshrrev_b32 v1, 3, v0
    v_and_b32 v2, 7, v0
    v_bfe_u32 v3, v1, 1, 3
    v_xor_b32 v2, v2, v3
    s_mov_b32 s33, 0x190
    v_mul_lo_u32 v3, v1, s33
    v_lshl_add_u32 v6, v2, 4, v3
    v_add_u32 v7, 0x3200, v6
    v_add_u32 v8, 0x6400, v6
    v_add_u32 v9, 0x9600, v6
    s_mov_b32 s33, 0x190
    v_mul_lo_u32 v3, v1, s33
    v_lshl_add_u32 v10, v2, 4, v3
    v_add_u32 v11, 0x3200, v10
    v_add_u32 v12, 0x6400, v10
    v_add_u32 v13, 0x9600, v10
    v_lshlrev_b32 v14, 3, v2
    v_bfrev_b32 v15, 1
    v_and_b32 v1, 31, v0
    v_bfe_u32 v2, v0, 5, 1
    v_bfe_u32 v3, v1, 1, 3
    v_xor_b32 v2, v2, v3
    v_lshlrev_b32 v1, 7, v1
    s_lshr_b32 s33, s10, 1
    s_mul_i32 s33, s33, 0x2000
    v_xor_b32 v3, 0, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v16, s33, v3
    v_xor_b32 v3, 2, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v17, s33, v3
    v_xor_b32 v3, 4, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v18, s33, v3
    v_xor_b32 v3, 6, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v19, s33, v3
    s_and_b32 s33, s10, 1
    s_mul_i32 s33, s33, 0x2000
    s_add_u32 s33, s33, 0x4000
    v_xor_b32 v3, 0, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v24, s33, v3
    v_xor_b32 v3, 2, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v25, s33, v3
    v_xor_b32 v3, 4, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v26, s33, v3
    v_xor_b32 v3, 6, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v27, s33, v3
    s_mov_b32 s25, 0
    s_lshl_b32 s27, s10, 10
    s_mov_b32 s26, s27
    s_add_u32 s28, s27, 0x10000
    s_waitcnt lgkmcnt(0)
    s_mul_i32 s33, s3, 0xc800
    s_mul_hi_u32 s34, s3, 0xc800
    s_add_u32 s12, s4, s33
    s_addc_u32 s13, s5, s34
    s_mul_i32 s14, s3, 0x80
    s_sub_u32 s14, 0xfa, s14
    s_min_u32 s14, s14, 0x80
    s_mul_i32 s14, s14, 0x190
    s_sub_u32 s14, s14, 0x0
    s_mov_b32 s15, 0x20000
    s_mul_i32 s33, s2, 0xc800
    s_mul_hi_u32 s34, s2, 0xc800
    s_add_u32 s16, s6, s33
    s_addc_u32 s17, s7, s34
    s_mul_i32 s18, s2, 0x80
    s_sub_u32 s18, 0xfa, s18
    s_min_u32 s18, s18, 0x80
    s_mul_i32 s18, s18, 0x190
    s_sub_u32 s18, s18, 0x0
    s_mov_b32 s19, 0x20000
    s_mul_i32 s33, s3, 0xfa00
    s_mul_hi_u32 s34, s3, 0xfa00
    s_add_u32 s20, s8, s33
    s_addc_u32 s21, s9, s34
    s_mul_i32 s22, s3, 0x80
    s_sub_u32 s22, 0xfa, s22
    s_min_u32 s22, s22, 0x80
    s_mul_i32 s22, s22, 0x1f4
    s_sub_u32 s22, s22, 0x0
    s_mov_b32 s23, 0x20000
    s_mul_i32 s30, s2, 0x80
    s_lshl_b32 s33, s30, 1
    s_sub_u32 s22, s22, s33
    s_lshr_b32 s34, s30, 31
    s_add_u32 s20, s20, s33
    s_addc_u32 s21, s21, s34
    s_sub_u32 s30, 0xfa, s30
    s_and_b32 s13, s13, 0xffff
    s_and_b32 s17, s17, 0xffff
    s_and_b32 s21, s21, 0xffff
    s_add_u32 m0, s26, 0x0
    s_nop 0
    buffer_load_dwordx4 v6, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x1000
    s_nop 0
    buffer_load_dwordx4 v7, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x2000
    s_nop 0
    buffer_load_dwordx4 v8, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x3000
    s_nop 0
    buffer_load_dwordx4 v9, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x4000
    s_nop 0
    buffer_load_dwordx4 v10, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x5000
    s_nop 0
    buffer_load_dwordx4 v11, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x6000
    s_nop 0
    buffer_load_dwordx4 v12, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x7000
    s_nop 0
    buffer_load_dwordx4 v13, s[16:19], 0 offen offset:0 lds
    s_add_u32 s12, s12, 0x80
    s_addc_u32 s13, s13, 0
    s_sub_u32 s14, s14, 0x80
    s_add_u32 s16, s16, 0x80
    s_addc_u32 s17, s17, 0
    s_sub_u32 s18, s18, 0x80
    s_add_u32 s26, s26, 0x8000
    s_cmp_eq_u32 s26, s28
    s_cselect_b32 s26, s27, s26
    v_accvgpr_write_b32 a0, 0
    v_accvgpr_write_b32 a1, 0
    v_accvgpr_write_b32 a2, 0
    v_accvgpr_write_b32 a3, 0
    v_accvgpr_write_b32 a4, 0
    v_accvgpr_write_b32 a5, 0
    v_accvgpr_write_b32 a6, 0
    v_accvgpr_write_b32 a7, 0
    v_accvgpr_write_b32 a8, 0
    v_accvgpr_write_b32 a9, 0
    v_accvgpr_write_b32 a10, 0
    v_accvgpr_write_b32 a11, 0
    v_accvgpr_write_b32 a12, 0
    v_accvgpr_write_b32 a13, 0
    v_accvgpr_write_b32 a14, 0
    v_accvgpr_write_b32 a15, 0
    v_accvgpr_write_b32 a16, 0
    v_accvgpr_write_b32 a17, 0
    v_accvgpr_write_b32 a18, 0
    v_accvgpr_write_b32 a19, 0
    v_accvgpr_write_b32 a20, 0
    v_accvgpr_write_b32 a21, 0
    v_accvgpr_write_b32 a22, 0
    v_accvgpr_write_b32 a23, 0
    v_accvgpr_write_b32 a24, 0
    v_accvgpr_write_b32 a25, 0
    v_accvgpr_write_b32 a26, 0
    v_accvgpr_write_b32 a27, 0
    v_accvgpr_write_b32 a28, 0
    v_accvgpr_write_b32 a29, 0
    v_accvgpr_write_b32 a30, 0
    v_accvgpr_write_b32 a31, 0
    v_accvgpr_write_b32 a32, 0
    v_accvgpr_write_b32 a33, 0
    v_accvgpr_write_b32 a34, 0
    v_accvgpr_write_b32 a35, 0
    v_accvgpr_write_b32 a36, 0
    v_accvgpr_write_b32 a37, 0
    v_accvgpr_write_b32 a38, 0
    v_accvgpr_write_b32 a39, 0
    v_accvgpr_write_b32 a40, 0
    v_accvgpr_write_b32 a41, 0
    v_accvgpr_write_b32 a42, 0
    v_accvgpr_write_b32 a43, 0
    v_accvgpr_write_b32 a44, 0
    v_accvgpr_write_b32 a45, 0
    v_accvgpr_write_b32 a46, 0
    v_accvgpr_write_b32 a47, 0
    v_accvgpr_write_b32 a48, 0
    v_accvgpr_write_b32 a49, 0
    v_accvgpr_write_b32 a50, 0
    v_accvgpr_write_b32 a51, 0
    v_accvgpr_write_b32 a52, 0
    v_accvgpr_write_b32 a53, 0
    v_accvgpr_write_b32 a54, 0
    v_accvgpr_write_b32 a55, 0
    v_accvgpr_write_b32 a56, 0
    v_accvgpr_write_b32 a57, 0
    v_accvgpr_write_b32 a58, 0
    v_accvgpr_write_b32 a59, 0
    v_accvgpr_write_b32 a60, 0
    v_accvgpr_write_b32 a61, 0
    v_accvgpr_write_b32 a62, 0
    v_accvgpr_write_b32 a63, 0
    s_waitcnt vmcnt(0)
    s_barrier
    s_mov_b32 s24, s25
    s_add_u32 s25, s25, 0x8000
    s_cmp_eq_u32 s25, 0x10000
    s_cselect_b32 s25, 0, s25
    v_add_u32 v20, s24, v16
    v_add_u32 v21, s24, v17
    v_add_u32 v22, s24, v18
    v_add_u32 v23, s24, v19
    v_add_u32 v28, s24, v24
    v_add_u32 v29, s24, v25
    v_add_u32 v30, s24, v26
    v_add_u32 v31, s24, v27
    ds_read_b128 v[32:35], v20 offset:0
    ds_read_b128 v[36:39], v20 offset:4096
    ds_read_b128 v[40:43], v28 offset:0
    ds_read_b128 v[44:47], v28 offset:4096
    s_mov_b32 s29, 0x3
.Lloop0:
    s_cmp_lg_u32 s29, 1
    s_cbranch_scc1 .Lwhole0
    v_cmp_gt_u32 vcc, 8, v14
    s_nop 1
    v_cndmask_b32 v6, v15, v6, vcc
    v_cndmask_b32 v7, v15, v7, vcc
    v_cndmask_b32 v8, v15, v8, vcc
    v_cndmask_b32 v9, v15, v9, vcc
    v_cndmask_b32 v10, v15, v10, vcc
    v_cndmask_b32 v11, v15, v11, vcc
    v_cndmask_b32 v12, v15, v12, vcc
    v_cndmask_b32 v13, v15, v13, vcc
.Lwhole0:
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_bf16 a[0:15], v[40:43], v[32:35], a[0:15]
    ds_read_b128 v[48:51], v21 offset:0
    ds_read_b128 v[52:55], v21 offset:4096
    ds_read_b128 v[56:59], v29 offset:0
    v_mfma_f32_32x32x16_bf16 a[16:31], v[44:47], v[32:35], a[16:31]
    ds_read_b128 v[60:63], v29 offset:4096
    s_add_u32 m0, s26, 0x0
    s_nop 0
    buffer_load_dwordx4 v6, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x1000
    s_nop 0
    buffer_load_dwordx4 v7, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x2000
    v_mfma_f32_32x32x16_bf16 a[32:47], v[40:43], v[36:39], a[32:47]
    buffer_load_dwordx4 v8, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x3000
    s_nop 0
    buffer_load_dwordx4 v9, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x4000
    s_nop 0
    buffer_load_dwordx4 v10, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x5000
    v_mfma_f32_32x32x16_bf16 a[48:63], v[44:47], v[36:39], a[48:63]
    buffer_load_dwordx4 v11, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x6000
    s_nop 0
    buffer_load_dwordx4 v12, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x7000
    s_nop 0
    buffer_load_dwordx4 v13, s[16:19], 0 offen offset:0 lds
    s_add_u32 s12, s12, 0x80
    s_addc_u32 s13, s13, 0
    s_sub_u32 s14, s14, 0x80
    s_add_u32 s16, s16, 0x80
    s_addc_u32 s17, s17, 0
    s_sub_u32 s18, s18, 0x80
    s_add_u32 s26, s26, 0x8000
    s_cmp_eq_u32 s26, s28
    s_cselect_b32 s26, s27, s26
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_bf16 a[0:15], v[56:59], v[48:51], a[0:15]
    ds_read_b128 v[32:35], v22 offset:0
    v_mfma_f32_32x32x16_bf16 a[16:31], v[60:63], v[48:51], a[16:31]
    ds_read_b128 v[36:39], v22 offset:4096
    v_mfma_f32_32x32x16_bf16 a[32:47], v[56:59], v[52:55], a[32:47]
    ds_read_b128 v[40:43], v30 offset:0
    v_mfma_f32_32x32x16_bf16 a[48:63], v[60:63], v[52:55], a[48:63]
    ds_read_b128 v[44:47], v30 offset:4096
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_bf16 a[0:15], v[40:43], v[32:35], a[0:15]
    ds_read_b128 v[48:51], v23 offset:0
    v_mfma_f32_32x32x16_bf16 a[16:31], v[44:47], v[32:35], a[16:31]
    ds_read_b128 v[52:55], v23 offset:4096
    v_mfma_f32_32x32x16_bf16 a[32:47], v[40:43], v[36:39], a[32:47]
    ds_read_b128 v[56:59], v31 offset:0
    v_mfma_f32_32x32x16_bf16 a[48:63], v[44:47], v[36:39], a[48:63]
    ds_read_b128 v[60:63], v31 offset:4096
    s_waitcnt vmcnt(0)
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_mfma_f32_32x32x16_bf16 a[0:15], v[56:59], v[48:51], a[0:15]
    s_mov_b32 s24, s25
    s_add_u32 s25, s25, 0x8000
    s_cmp_eq_u32 s25, 0x10000
    s_cselect_b32 s25, 0, s25
    v_add_u32 v20, s24, v16
    v_add_u32 v21, s24, v17
    v_add_u32 v22, s24, v18
    v_add_u32 v23, s24, v19
    v_add_u32 v28, s24, v24
    v_add_u32 v29, s24, v25
    v_add_u32 v30, s24, v26
    v_add_u32 v31, s24, v27
    ds_read_b128 v[32:35], v20 offset:0
    v_mfma_f32_32x32x16_bf16 a[16:31], v[60:63], v[48:51], a[16:31]
    ds_read_b128 v[36:39], v20 offset:4096
    v_mfma_f32_32x32x16_bf16 a[32:47], v[56:59], v[52:55], a[32:47]
    ds_read_b128 v[40:43], v28 offset:0
    v_mfma_f32_32x32x16_bf16 a[48:63], v[60:63], v[52:55], a[48:63]
    ds_read_b128 v[44:47], v28 offset:4096
    s_sub_u32 s29, s29, 1
    s_cmp_lg_u32 s29, 0
    s_cbranch_scc1 .Lloop0
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_bf16 a[0:15], v[40:43], v[32:35], a[0:15]
    ds_read_b128 v[48:51], v21 offset:0
    v_mfma_f32_32x32x16_bf16 a[16:31], v[44:47], v[32:35], a[16:31]
    ds_read_b128 v[52:55], v21 offset:4096
    v_mfma_f32_32x32x16_bf16 a[32:47], v[40:43], v[36:39], a[32:47]
    ds_read_b128 v[56:59], v29 offset:0
    v_mfma_f32_32x32x16_bf16 a[48:63], v[44:47], v[36:39], a[48:63]
    ds_read_b128 v[60:63], v29 offset:4096
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_bf16 a[0:15], v[56:59], v[48:51], a[0:15]
    ds_read_b128 v[32:35], v22 offset:0
    v_mfma_f32_32x32x16_bf16 a[16:31], v[60:63], v[48:51], a[16:31]
    ds_read_b128 v[36:39], v22 offset:4096
    v_mfma_f32_32x32x16_bf16 a[32:47], v[56:59], v[52:55], a[32:47]
    ds_read_b128 v[40:43], v30 offset:0
    v_mfma_f32_32x32x16_bf16 a[48:63], v[60:63], v[52:55], a[48:63]
    ds_read_b128 v[44:47], v30 offset:4096
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_bf16 a[0:15], v[40:43], v[32:35], a[0:15]
    ds_read_b128 v[48:51], v23 offset:0
    v_mfma_f32_32x32x16_bf16 a[16:31], v[44:47], v[32:35], a[16:31]
    ds_read_b128 v[52:55], v23 offset:4096
    v_mfma_f32_32x32x16_bf16 a[32:47], v[40:43], v[36:39], a[32:47]
    ds_read_b128 v[56:59], v31 offset:0
    v_mfma_f32_32x32x16_bf16 a[48:63], v[44:47], v[36:39], a[48:63]
    ds_read_b128 v[60:63], v31 offset:4096
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_bf16 a[0:15], v[56:59], v[48:51], a[0:15]
    v_mfma_f32_32x32x16_bf16 a[16:31], v[60:63], v[48:51], a[16:31]
    v_mfma_f32_32x32x16_bf16 a[32:47], v[56:59], v[52:55], a[32:47]
    v_mfma_f32_32x32x16_bf16 a[48:63], v[60:63], v[52:55], a[48:63]
    v_mov_b32 v11, 0x0
    v_bfe_u32 v1, v0, 0, 5
    v_lshl_add_u32 v11, v1, 0, v11
    v_bfe_u32 v1, v0, 7, 1
    v_lshl_add_u32 v11, v1, 6, v11
    v_mov_b32 v10, 0x0
    v_bfe_u32 v1, v0, 5, 1
    v_lshl_add_u32 v10, v1, 2, v10
    v_bfe_u32 v1, v0, 6, 1
    v_lshl_add_u32 v10, v1, 6, v10
    s_mov_b32 s33, 0x1f4
    v_mul_lo_u32 v12, v11, s33
    v_lshl_add_u32 v12, v10, 1, v12
    v_add_u32 v13, 0x3e80, v12
    v_bfrev_b32 v1, 1
    v_mov_b32 v8, 0x7fff0000
    s_mov_b32 s31, 0x7fff
    s_mov_b32 s32, 0x7060302
    s_mov_b32 s35, 0xffff
    v_accvgpr_read_b32 v14, a0
    v_accvgpr_read_b32 v15, a1
    v_accvgpr_read_b32 v16, a2
    v_accvgpr_read_b32 v17, a3
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x0
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:0
    s_sub_i32 s33, s30, 0x2
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:4
    v_accvgpr_read_b32 v14, a4
    v_accvgpr_read_b32 v15, a5
    v_accvgpr_read_b32 v16, a6
    v_accvgpr_read_b32 v17, a7
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x8
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:16
    s_sub_i32 s33, s30, 0xa
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:20
    v_accvgpr_read_b32 v14, a8
    v_accvgpr_read_b32 v15, a9
    v_accvgpr_read_b32 v16, a10
    v_accvgpr_read_b32 v17, a11
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x10
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:32
    s_sub_i32 s33, s30, 0x12
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:36
    v_accvgpr_read_b32 v14, a12
    v_accvgpr_read_b32 v15, a13
    v_accvgpr_read_b32 v16, a14
    v_accvgpr_read_b32 v17, a15
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x18
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:48
    s_sub_i32 s33, s30, 0x1a
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:52
    v_accvgpr_read_b32 v14, a16
    v_accvgpr_read_b32 v15, a17
    v_accvgpr_read_b32 v16, a18
    v_accvgpr_read_b32 v17, a19
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x20
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:64
    s_sub_i32 s33, s30, 0x22
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:68
    v_accvgpr_read_b32 v14, a20
    v_accvgpr_read_b32 v15, a21
    v_accvgpr_read_b32 v16, a22
    v_accvgpr_read_b32 v17, a23
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x28
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:80
    s_sub_i32 s33, s30, 0x2a
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:84
    v_accvgpr_read_b32 v14, a24
    v_accvgpr_read_b32 v15, a25
    v_accvgpr_read_b32 v16, a26
    v_accvgpr_read_b32 v17, a27
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x30
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:96
    s_sub_i32 s33, s30, 0x32
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:100
    v_accvgpr_read_b32 v14, a28
    v_accvgpr_read_b32 v15, a29
    v_accvgpr_read_b32 v16, a30
    v_accvgpr_read_b32 v17, a31
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x38
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:112
    s_sub_i32 s33, s30, 0x3a
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v12, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:116
    v_accvgpr_read_b32 v14, a32
    v_accvgpr_read_b32 v15, a33
    v_accvgpr_read_b32 v16, a34
    v_accvgpr_read_b32 v17, a35
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x0
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:0
    s_sub_i32 s33, s30, 0x2
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:4
    v_accvgpr_read_b32 v14, a36
    v_accvgpr_read_b32 v15, a37
    v_accvgpr_read_b32 v16, a38
    v_accvgpr_read_b32 v17, a39
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x8
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:16
    s_sub_i32 s33, s30, 0xa
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:20
    v_accvgpr_read_b32 v14, a40
    v_accvgpr_read_b32 v15, a41
    v_accvgpr_read_b32 v16, a42
    v_accvgpr_read_b32 v17, a43
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x10
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:32
    s_sub_i32 s33, s30, 0x12
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:36
    v_accvgpr_read_b32 v14, a44
    v_accvgpr_read_b32 v15, a45
    v_accvgpr_read_b32 v16, a46
    v_accvgpr_read_b32 v17, a47
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x18
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:48
    s_sub_i32 s33, s30, 0x1a
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:52
    v_accvgpr_read_b32 v14, a48
    v_accvgpr_read_b32 v15, a49
    v_accvgpr_read_b32 v16, a50
    v_accvgpr_read_b32 v17, a51
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x20
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:64
    s_sub_i32 s33, s30, 0x22
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:68
    v_accvgpr_read_b32 v14, a52
    v_accvgpr_read_b32 v15, a53
    v_accvgpr_read_b32 v16, a54
    v_accvgpr_read_b32 v17, a55
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x28
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:80
    s_sub_i32 s33, s30, 0x2a
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:84
    v_accvgpr_read_b32 v14, a56
    v_accvgpr_read_b32 v15, a57
    v_accvgpr_read_b32 v16, a58
    v_accvgpr_read_b32 v17, a59
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x30
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:96
    s_sub_i32 s33, s30, 0x32
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:100
    v_accvgpr_read_b32 v14, a60
    v_accvgpr_read_b32 v15, a61
    v_accvgpr_read_b32 v16, a62
    v_accvgpr_read_b32 v17, a63
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    s_sub_i32 s33, s30, 0x38
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v18, v9, s[20:23], 0 offen offset:112
    s_sub_i32 s33, s30, 0x3a
    v_cmp_gt_i32 vcc, s33, v10
    s_nop 1
    v_cndmask_b32 v9, v1, v13, vcc
    buffer_store_dword v19, v9, s[20:23], 0 offen offset:116
    s_endpgm
.Lend:
    .size gemm, .Lend-gemm
    .p2alignl 6, 0xbf800000
    .fill 256, 4, 0xbf800000
    .section .rodata,"a",@progbits
    .p2align 6, 0x0
    .amdhsa_kernel gemm
        .amdhsa_group_segment_fixed_size 65536
        .amdhsa_private_segment_fixed_size 0
        .amdhsa_kernarg_size 24
        .amdhsa_user_sgpr_count 2
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_system_sgpr_workgroup_id_y 1
        .amdhsa_system_sgpr_workgroup_id_z 0
        .amdhsa_system_vgpr_workitem_id 0
        .amdhsa_next_free_vgpr 128
        .amdhsa_accum_offset 64
        .amdhsa_next_free_sgpr 48
        .amdhsa_reserve_vcc 1
        .amdhsa_float_denorm_mode_32 3
        .amdhsa_float_denorm_mode_16_64 3
    .end_amdhsa_kernel
    .text
    .amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: gemm
    .symbol: gemm.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 65536
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 48
    .vgpr_count: 128
    .agpr_count: 64
    .max_flat_workgroup_size: 256
    .args:
      - {.name: ptr_a, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: ptr_b, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: ptr_d, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: write_only}
...
    .end_amdgpu_metadata
