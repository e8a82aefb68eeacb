; zlay 0.3.0: D[16384,3072] = A B, K = 8192, bf16, 32 groups of rows; tile 128x128x32, 2 stages; grid 24 x 159 blocks of 256 threads
    .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
    .amdhsa_code_object_version 5
    .text
    .protected gemm
    .globl gemm
    .p2align 8
    .type gemm,@function
gemm:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_load_dwordx2 s[8:9], s[0:1], 0x10
    s_load_dwordx2 s[12:13], s[0:1], 0x18
    v_and_b32 v0, 0x3ff, v0
    v_lshrrev_b32 v1, 6, v0
    s_nop 0
    v_readfirstlane_b32 s10, v1
    v_lshrrev_b32 v1, 2, v0
    v_and_b32 v2, 3, v0
    v_bfe_u32 v3, v1, 1, 2
    v_xor_b32 v2, v2, v3
    s_mov_b32 s33, 0x4000
    v_mul_lo_u32 v3, v1, s33
    v_lshl_add_u32 v6, v2, 4, v3
    v_add_u32 v7, 0x100000, v6
    s_mov_b32 s33, 0x4000
    v_mul_lo_u32 v3, v1, s33
    v_lshl_add_u32 v8, v2, 4, v3
    v_add_u32 v9, 0x100000, v8
    v_bfrev_b32 v11, 1
    v_lshlrev_b32 v4, 4, v0
    v_and_b32 v1, 31, v0
    v_bfe_u32 v2, v0, 5, 1
    v_bfe_u32 v3, v1, 1, 2
    v_xor_b32 v2, v2, v3
    v_lshlrev_b32 v1, 6, v1
    s_lshr_b32 s33, s10, 1
    s_mul_i32 s33, s33, 0x1000
    v_xor_b32 v3, 0, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v12, s33, v3
    v_xor_b32 v3, 2, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v13, s33, v3
    s_and_b32 s33, s10, 1
    s_mul_i32 s33, s33, 0x1000
    s_add_u32 s33, s33, 0x2000
    v_xor_b32 v3, 0, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v16, s33, v3
    v_xor_b32 v3, 2, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v17, s33, v3
    s_mov_b32 s25, 0
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s11, 0
    s_mov_b32 s14, 0
    s_load_dword s16, s[12:13], 0x0
    s_waitcnt lgkmcnt(0)
    s_max_i32 s16, s16, s14
    s_min_i32 s16, s16, 0x4000
    s_mov_b32 s14, s16
.Lgroup:
    s_load_dwordx8 s[16:23], s[12:13], 0x4
    s_waitcnt lgkmcnt(0)
    s_max_i32 s16, s16, s14
    s_min_i32 s16, s16, 0x4000
    s_sub_u32 s29, s16, s14
    s_add_u32 s15, s29, 0x7f
    s_lshr_b32 s15, s15, 7
    s_cmp_lt_u32 s3, s15
    s_cbranch_scc1 .Ltile
    s_sub_u32 s3, s3, s15
    s_mov_b32 s14, s16
    s_add_u32 s11, s11, 1
    s_max_i32 s17, s17, s14
    s_min_i32 s17, s17, 0x4000
    s_sub_u32 s29, s17, s14
    s_add_u32 s15, s29, 0x7f
    s_lshr_b32 s15, s15, 7
    s_cmp_lt_u32 s3, s15
    s_cbranch_scc1 .Ltile
    s_sub_u32 s3, s3, s15
    s_mov_b32 s14, s17
    s_add_u32 s11, s11, 1
    s_max_i32 s18, s18, s14
    s_min_i32 s18, s18, 0x4000
    s_sub_u32 s29, s18, s14
    s_add_u32 s15, s29, 0x7f
    s_lshr_b32 s15, s15, 7
    s_cmp_lt_u32 s3, s15
    s_cbranch_scc1 .Ltile
    s_sub_u32 s3, s3, s15
    s_mov_b32 s14, s18
    s_add_u32 s11, s11, 1
    s_max_i32 s19, s19, s14
    s_min_i32 s19, s19, 0x4000
    s_sub_u32 s29, s19, s14
    s_add_u32 s15, s29, 0x7f
    s_lshr_b32 s15, s15, 7
    s_cmp_lt_u32 s3, s15
    s_cbranch_scc1 .Ltile
    s_sub_u32 s3, s3, s15
    s_mov_b32 s14, s19
    s_add_u32 s11, s11, 1
    s_max_i32 s20, s20, s14
    s_min_i32 s20, s20, 0x4000
    s_sub_u32 s29, s20, s14
    s_add_u32 s15, s29, 0x7f
    s_lshr_b32 s15, s15, 7
    s_cmp_lt_u32 s3, s15
    s_cbranch_scc1 .Ltile
    s_sub_u32 s3, s3, s15
    s_mov_b32 s14, s20
    s_add_u32 s11, s11, 1
    s_max_i32 s21, s21, s14
    s_min_i32 s21, s21, 0x4000
    s_sub_u32 s29, s21, s14
    s_add_u32 s15, s29, 0x7f
    s_lshr_b32 s15, s15, 7
    s_cmp_lt_u32 s3, s15
    s_cbranch_scc1 .Ltile
    s_sub_u32 s3, s3, s15
    s_mov_b32 s14, s21
    s_add_u32 s11, s11, 1
    s_max_i32 s22, s22, s14
    s_min_i32 s22, s22, 0x4000
    s_sub_u32 s29, s22, s14
    s_add_u32 s15, s29, 0x7f
    s_lshr_b32 s15, s15, 7
    s_cmp_lt_u32 s3, s15
    s_cbranch_scc1 .Ltile
    s_sub_u32 s3, s3, s15
    s_mov_b32 s14, s22
    s_add_u32 s11, s11, 1
    s_max_i32 s23, s23, s14
    s_min_i32 s23, s23, 0x4000
    s_sub_u32 s29, s23, s14
    s_add_u32 s15, s29, 0x7f
    s_lshr_b32 s15, s15, 7
    s_cmp_lt_u32 s3, s15
    s_cbranch_scc1 .Ltile
    s_sub_u32 s3, s3, s15
    s_mov_b32 s14, s23
    s_add_u32 s11, s11, 1
    s_add_u32 s12, s12, 0x20
    s_addc_u32 s13, s13, 0
    s_cmp_lt_u32 s11, 0x20
    s_cbranch_scc1 .Lgroup
    s_endpgm
.Ltile:
    s_lshl_b32 s3, s3, 7
    s_sub_u32 s29, s29, s3
    s_add_u32 s3, s3, s14
    s_mul_i32 s33, s3, 0x4000
    s_mul_hi_u32 s34, s3, 0x4000
    s_add_u32 s12, s4, s33
    s_addc_u32 s13, s5, s34
    s_min_u32 s14, s29, 0x80
    s_mul_i32 s14, s14, 0x4000
    s_sub_u32 s14, s14, 0x0
    s_mov_b32 s15, 0x20000
    s_mul_i32 s33, s2, 0x200000
    s_mul_hi_u32 s34, s2, 0x200000
    s_add_u32 s16, s6, s33
    s_addc_u32 s17, s7, s34
    s_mul_i32 s33, s11, 0x3000000
    s_mul_hi_u32 s34, s11, 0x3000000
    s_add_u32 s16, s16, s33
    s_addc_u32 s17, s17, s34
    s_mul_i32 s18, s2, 0x80
    s_sub_u32 s18, 0xc00, s18
    s_min_u32 s18, s18, 0x80
    s_mul_i32 s18, s18, 0x4000
    s_sub_u32 s18, s18, 0x0
    s_mov_b32 s19, 0x20000
    s_mul_i32 s33, s3, 0x1800
    s_mul_hi_u32 s34, s3, 0x1800
    s_add_u32 s20, s8, s33
    s_addc_u32 s21, s9, s34
    s_min_u32 s22, s29, 0x80
    s_mul_i32 s22, s22, 0x1800
    s_sub_u32 s22, s22, 0x0
    s_mov_b32 s23, 0x20000
    s_mul_i32 s30, s2, 0x80
    s_lshl_b32 s33, s30, 1
    s_sub_u32 s22, s22, s33
    s_lshr_b32 s34, s30, 31
    s_add_u32 s20, s20, s33
    s_addc_u32 s21, s21, s34
    s_sub_u32 s30, 0xc00, s30
    s_and_b32 s13, s13, 0xffff
    s_and_b32 s17, s17, 0xffff
    s_and_b32 s21, s21, 0xffff
    buffer_load_dwordx4 v[52:55], v6, s[12:15], 0 offen offset:0
    buffer_load_dwordx4 v[56:59], v7, s[12:15], 0 offen offset:0
    buffer_load_dwordx4 v[60:63], v8, s[16:19], 0 offen offset:0
    buffer_load_dwordx4 v[64:67], v9, s[16:19], 0 offen offset:0
    s_add_u32 s12, s12, 0x40
    s_addc_u32 s13, s13, 0
    s_sub_u32 s14, s14, 0x40
    s_add_u32 s16, s16, 0x40
    s_addc_u32 s17, s17, 0
    s_sub_u32 s18, s18, 0x40
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
    s_waitcnt vmcnt(3)
    v_add_u32 v5, s25, v4
    ds_write_b128 v5, v[52:55] offset:0
    buffer_load_dwordx4 v[52:55], v6, s[12:15], 0 offen offset:0
    s_waitcnt vmcnt(3)
    ds_write_b128 v5, v[56:59] offset:4096
    buffer_load_dwordx4 v[56:59], v7, s[12:15], 0 offen offset:0
    s_waitcnt vmcnt(3)
    ds_write_b128 v5, v[60:63] offset:8192
    buffer_load_dwordx4 v[60:63], v8, s[16:19], 0 offen offset:0
    s_waitcnt vmcnt(3)
    ds_write_b128 v5, v[64:67] offset:12288
    buffer_load_dwordx4 v[64:67], v9, s[16:19], 0 offen offset:0
    s_add_u32 s12, s12, 0x40
    s_addc_u32 s13, s13, 0
    s_sub_u32 s14, s14, 0x40
    s_add_u32 s16, s16, 0x40
    s_addc_u32 s17, s17, 0
    s_sub_u32 s18, s18, 0x40
    s_waitcnt lgkmcnt(0)
    s_barrier
    s_mov_b32 s24, s25
    s_add_u32 s25, s25, 0x4000
    s_cmp_eq_u32 s25, 0x8000
    s_cselect_b32 s25, 0, s25
    v_add_u32 v14, s24, v12
    v_add_u32 v15, s24, v13
    v_add_u32 v18, s24, v16
    v_add_u32 v19, s24, v17
    ds_read_b128 v[20:23], v14 offset:0
    ds_read_b128 v[24:27], v14 offset:2048
    ds_read_b128 v[28:31], v18 offset:0
    ds_read_b128 v[32:35], v18 offset:2048
    s_mov_b32 s29, 0xfe
.Lloop0:
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x8_bf16 a[0:15], v[28:29], v[20:21], a[0:15]
    ds_read_b128 v[36:39], v15 offset:0
    ds_read_b128 v[40:43], v15 offset:2048
    v_mfma_f32_32x32x8_bf16 a[16:31], v[32:33], v[20:21], a[16:31]
    ds_read_b128 v[44:47], v19 offset:0
    ds_read_b128 v[48:51], v19 offset:2048
    v_mfma_f32_32x32x8_bf16 a[32:47], v[28:29], v[24:25], a[32:47]
    s_waitcnt vmcnt(3)
    v_add_u32 v5, s25, v4
    ds_write_b128 v5, v[52:55] offset:0
    v_mfma_f32_32x32x8_bf16 a[48:63], v[32:33], v[24:25], a[48:63]
    buffer_load_dwordx4 v[52:55], v6, s[12:15], 0 offen offset:0
    s_waitcnt vmcnt(3)
    v_mfma_f32_32x32x8_bf16 a[0:15], v[30:31], v[22:23], a[0:15]
    ds_write_b128 v5, v[56:59] offset:4096
    buffer_load_dwordx4 v[56:59], v7, s[12:15], 0 offen offset:0
    v_mfma_f32_32x32x8_bf16 a[16:31], v[34:35], v[22:23], a[16:31]
    s_waitcnt vmcnt(3)
    ds_write_b128 v5, v[60:63] offset:8192
    v_mfma_f32_32x32x8_bf16 a[32:47], v[30:31], v[26:27], a[32:47]
    buffer_load_dwordx4 v[60:63], v8, s[16:19], 0 offen offset:0
    s_waitcnt vmcnt(3)
    v_mfma_f32_32x32x8_bf16 a[48:63], v[34:35], v[26:27], a[48:63]
    ds_write_b128 v5, v[64:67] offset:12288
    buffer_load_dwordx4 v[64:67], v9, s[16:19], 0 offen offset:0
    s_add_u32 s12, s12, 0x40
    s_addc_u32 s13, s13, 0
    s_sub_u32 s14, s14, 0x40
    s_add_u32 s16, s16, 0x40
    s_addc_u32 s17, s17, 0
    s_sub_u32 s18, s18, 0x40
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_mfma_f32_32x32x8_bf16 a[0:15], v[44:45], v[36:37], a[0:15]
    s_mov_b32 s24, s25
    s_add_u32 s25, s25, 0x4000
    s_cmp_eq_u32 s25, 0x8000
    s_cselect_b32 s25, 0, s25
    v_add_u32 v14, s24, v12
    v_add_u32 v15, s24, v13
    v_add_u32 v18, s24, v16
    v_add_u32 v19, s24, v17
    ds_read_b128 v[20:23], v14 offset:0
    v_mfma_f32_32x32x8_bf16 a[16:31], v[48:49], v[36:37], a[16:31]
    v_mfma_f32_32x32x8_bf16 a[32:47], v[44:45], v[40:41], a[32:47]
    ds_read_b128 v[24:27], v14 offset:2048
    v_mfma_f32_32x32x8_bf16 a[48:63], v[48:49], v[40:41], a[48:63]
    v_mfma_f32_32x32x8_bf16 a[0:15], v[46:47], v[38:39], a[0:15]
    ds_read_b128 v[28:31], v18 offset:0
    v_mfma_f32_32x32x8_bf16 a[16:31], v[50:51], v[38:39], a[16:31]
    v_mfma_f32_32x32x8_bf16 a[32:47], v[46:47], v[42:43], a[32:47]
    ds_read_b128 v[32:35], v18 offset:2048
    v_mfma_f32_32x32x8_bf16 a[48:63], v[50:51], v[42:43], a[48:63]
    s_sub_u32 s29, s29, 1
    s_cmp_lg_u32 s29, 0
    s_cbranch_scc1 .Lloop0
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x8_bf16 a[0:15], v[28:29], v[20:21], a[0:15]
    ds_read_b128 v[36:39], v15 offset:0
    ds_read_b128 v[40:43], v15 offset:2048
    v_mfma_f32_32x32x8_bf16 a[16:31], v[32:33], v[20:21], a[16:31]
    ds_read_b128 v[44:47], v19 offset:0
    v_mfma_f32_32x32x8_bf16 a[32:47], v[28:29], v[24:25], a[32:47]
    ds_read_b128 v[48:51], v19 offset:2048
    s_waitcnt vmcnt(3)
    v_mfma_f32_32x32x8_bf16 a[48:63], v[32:33], v[24:25], a[48:63]
    v_add_u32 v5, s25, v4
    ds_write_b128 v5, v[52:55] offset:0
    v_mfma_f32_32x32x8_bf16 a[0:15], v[30:31], v[22:23], a[0:15]
    s_waitcnt vmcnt(2)
    ds_write_b128 v5, v[56:59] offset:4096
    v_mfma_f32_32x32x8_bf16 a[16:31], v[34:35], v[22:23], a[16:31]
    s_waitcnt vmcnt(1)
    v_mfma_f32_32x32x8_bf16 a[32:47], v[30:31], v[26:27], a[32:47]
    ds_write_b128 v5, v[60:63] offset:8192
    s_waitcnt vmcnt(0)
    v_mfma_f32_32x32x8_bf16 a[48:63], v[34:35], v[26:27], a[48:63]
    ds_write_b128 v5, v[64:67] offset:12288
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_mfma_f32_32x32x8_bf16 a[0:15], v[44:45], v[36:37], a[0:15]
    s_mov_b32 s24, s25
    s_add_u32 s25, s25, 0x4000
    s_cmp_eq_u32 s25, 0x8000
    s_cselect_b32 s25, 0, s25
    v_add_u32 v14, s24, v12
    v_add_u32 v15, s24, v13
    v_add_u32 v18, s24, v16
    v_add_u32 v19, s24, v17
    ds_read_b128 v[20:23], v14 offset:0
    v_mfma_f32_32x32x8_bf16 a[16:31], v[48:49], v[36:37], a[16:31]
    v_mfma_f32_32x32x8_bf16 a[32:47], v[44:45], v[40:41], a[32:47]
    ds_read_b128 v[24:27], v14 offset:2048
    v_mfma_f32_32x32x8_bf16 a[48:63], v[48:49], v[40:41], a[48:63]
    v_mfma_f32_32x32x8_bf16 a[0:15], v[46:47], v[38:39], a[0:15]
    ds_read_b128 v[28:31], v18 offset:0
    v_mfma_f32_32x32x8_bf16 a[16:31], v[50:51], v[38:39], a[16:31]
    v_mfma_f32_32x32x8_bf16 a[32:47], v[46:47], v[42:43], a[32:47]
    ds_read_b128 v[32:35], v18 offset:2048
    v_mfma_f32_32x32x8_bf16 a[48:63], v[50:51], v[42:43], a[48:63]
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x8_bf16 a[0:15], v[28:29], v[20:21], a[0:15]
    ds_read_b128 v[36:39], v15 offset:0
    v_mfma_f32_32x32x8_bf16 a[16:31], v[32:33], v[20:21], a[16:31]
    v_mfma_f32_32x32x8_bf16 a[32:47], v[28:29], v[24:25], a[32:47]
    ds_read_b128 v[40:43], v15 offset:2048
    v_mfma_f32_32x32x8_bf16 a[48:63], v[32:33], v[24:25], a[48:63]
    v_mfma_f32_32x32x8_bf16 a[0:15], v[30:31], v[22:23], a[0:15]
    ds_read_b128 v[44:47], v19 offset:0
    v_mfma_f32_32x32x8_bf16 a[16:31], v[34:35], v[22:23], a[16:31]
    v_mfma_f32_32x32x8_bf16 a[32:47], v[30:31], v[26:27], a[32:47]
    ds_read_b128 v[48:51], v19 offset:2048
    v_mfma_f32_32x32x8_bf16 a[48:63], v[34:35], v[26:27], a[48:63]
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x8_bf16 a[0:15], v[44:45], v[36:37], a[0:15]
    v_mfma_f32_32x32x8_bf16 a[16:31], v[48:49], v[36:37], a[16:31]
    v_mfma_f32_32x32x8_bf16 a[32:47], v[44:45], v[40:41], a[32:47]
    v_mfma_f32_32x32x8_bf16 a[48:63], v[48:49], v[40:41], a[48:63]
    v_mfma_f32_32x32x8_bf16 a[0:15], v[46:47], v[38:39], a[0:15]
    v_mfma_f32_32x32x8_bf16 a[16:31], v[50:51], v[38:39], a[16:31]
    v_mfma_f32_32x32x8_bf16 a[32:47], v[46:47], v[42:43], a[32:47]
    v_mfma_f32_32x32x8_bf16 a[48:63], v[50:51], v[42:43], a[48:63]
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
    s_mov_b32 s33, 0x1800
    v_mul_lo_u32 v12, v11, s33
    v_lshl_add_u32 v12, v10, 1, v12
    v_add_u32 v13, 0x30000, v12
    v_bfrev_b32 v1, 1
    v_mov_b32 v8, 0x7fff0000
    s_mov_b32 s31, 0x7fff
    s_mov_b32 s32, 0x7060302
    s_mov_b32 s35, 0xffff
    v_accvgpr_read_b32 v14, a0
    v_accvgpr_read_b32 v15, a1
    v_accvgpr_read_b32 v16, a2
    v_accvgpr_read_b32 v17, a3
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:0
    v_accvgpr_read_b32 v14, a4
    v_accvgpr_read_b32 v15, a5
    v_accvgpr_read_b32 v16, a6
    v_accvgpr_read_b32 v17, a7
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:16
    v_accvgpr_read_b32 v14, a8
    v_accvgpr_read_b32 v15, a9
    v_accvgpr_read_b32 v16, a10
    v_accvgpr_read_b32 v17, a11
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:32
    v_accvgpr_read_b32 v14, a12
    v_accvgpr_read_b32 v15, a13
    v_accvgpr_read_b32 v16, a14
    v_accvgpr_read_b32 v17, a15
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:48
    v_accvgpr_read_b32 v14, a16
    v_accvgpr_read_b32 v15, a17
    v_accvgpr_read_b32 v16, a18
    v_accvgpr_read_b32 v17, a19
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:64
    v_accvgpr_read_b32 v14, a20
    v_accvgpr_read_b32 v15, a21
    v_accvgpr_read_b32 v16, a22
    v_accvgpr_read_b32 v17, a23
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:80
    v_accvgpr_read_b32 v14, a24
    v_accvgpr_read_b32 v15, a25
    v_accvgpr_read_b32 v16, a26
    v_accvgpr_read_b32 v17, a27
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:96
    v_accvgpr_read_b32 v14, a28
    v_accvgpr_read_b32 v15, a29
    v_accvgpr_read_b32 v16, a30
    v_accvgpr_read_b32 v17, a31
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:112
    v_accvgpr_read_b32 v14, a32
    v_accvgpr_read_b32 v15, a33
    v_accvgpr_read_b32 v16, a34
    v_accvgpr_read_b32 v17, a35
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:0
    v_accvgpr_read_b32 v14, a36
    v_accvgpr_read_b32 v15, a37
    v_accvgpr_read_b32 v16, a38
    v_accvgpr_read_b32 v17, a39
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:16
    v_accvgpr_read_b32 v14, a40
    v_accvgpr_read_b32 v15, a41
    v_accvgpr_read_b32 v16, a42
    v_accvgpr_read_b32 v17, a43
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:32
    v_accvgpr_read_b32 v14, a44
    v_accvgpr_read_b32 v15, a45
    v_accvgpr_read_b32 v16, a46
    v_accvgpr_read_b32 v17, a47
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:48
    v_accvgpr_read_b32 v14, a48
    v_accvgpr_read_b32 v15, a49
    v_accvgpr_read_b32 v16, a50
    v_accvgpr_read_b32 v17, a51
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:64
    v_accvgpr_read_b32 v14, a52
    v_accvgpr_read_b32 v15, a53
    v_accvgpr_read_b32 v16, a54
    v_accvgpr_read_b32 v17, a55
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:80
    v_accvgpr_read_b32 v14, a56
    v_accvgpr_read_b32 v15, a57
    v_accvgpr_read_b32 v16, a58
    v_accvgpr_read_b32 v17, a59
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:96
    v_accvgpr_read_b32 v14, a60
    v_accvgpr_read_b32 v15, a61
    v_accvgpr_read_b32 v16, a62
    v_accvgpr_read_b32 v17, a63
    v_bfe_u32 v6, v14, 16, 1
    v_add3_u32 v6, v14, v6, s31
    v_cmp_u_f32 vcc, v14, v14
    v_bfe_u32 v7, v15, 16, 1
    v_add3_u32 v7, v15, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v15, v15
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v18, v7, v6, s32
    v_bfe_u32 v6, v16, 16, 1
    v_add3_u32 v6, v16, v6, s31
    v_cmp_u_f32 vcc, v16, v16
    v_bfe_u32 v7, v17, 16, 1
    v_add3_u32 v7, v17, v7, s31
    v_cndmask_b32 v6, v6, v8, vcc
    v_cmp_u_f32 vcc, v17, v17
    s_nop 1
    v_cndmask_b32 v7, v7, v8, vcc
    v_perm_b32 v19, v7, v6, s32
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:112
    s_endpgm
.Lend:
    .size gemm, .Lend-gemm
    .p2alignl 6, 0xbf800000
    .fill 256, 4, 0xbf800000
    .section .rodata,"a",@progbits
    .p2align 6, 0x0
    .amdhsa_kernel gemm
        .amdhsa_group_segment_fixed_size 32768
        .amdhsa_private_segment_fixed_size 0
        .amdhsa_kernarg_size 32
        .amdhsa_user_sgpr_count 2
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_system_sgpr_workgroup_id_y 1
        .amdhsa_system_sgpr_workgroup_id_z 0
        .amdhsa_system_vgpr_workitem_id 0
        .amdhsa_next_free_vgpr 136
        .amdhsa_accum_offset 72
        .amdhsa_next_free_sgpr 48
        .amdhsa_reserve_vcc 1
        .amdhsa_float_denorm_mode_32 3
        .amdhsa_float_denorm_mode_16_64 3
    .end_amdhsa_kernel
    .text
    .amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: gemm
    .symbol: gemm.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 32768
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 48
    .vgpr_count: 136
    .agpr_count: 64
    .max_flat_workgroup_size: 256
    .args:
      - {.name: ptr_a, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: ptr_b, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: ptr_d, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: write_only}
      - {.name: offsets, .offset: 24, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
...
    .end_amdgpu_metadata
