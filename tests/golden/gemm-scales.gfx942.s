; zlay 0.3.0: D[4096,7168] = A B, K = 2048, e4m3fnuz x e4m3fnuz to bf16; tile 128x128x128, 2 stages; grid 56 x 32 blocks of 256 threads
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
    v_and_b32 v0, 0x3ff, v0
    v_lshrrev_b32 v1, 6, v0
    s_nop 0
    v_readfirstlane_b32 s10, v1
    v_lshrrev_b32 v1, 3, v0
    v_and_b32 v2, 7, v0
    v_bfe_u32 v3, v1, 0, 3
    v_xor_b32 v2, v2, v3
    s_mov_b32 s33, 0x800
    v_mul_lo_u32 v3, v1, s33
    v_lshl_add_u32 v14, v2, 4, v3
    v_add_u32 v15, 0x10000, v14
    v_add_u32 v16, 0x20000, v14
    v_add_u32 v17, 0x30000, v14
    s_mov_b32 s33, 0x800
    v_mul_lo_u32 v3, v1, s33
    v_lshl_add_u32 v18, v2, 4, v3
    v_add_u32 v19, 0x10000, v18
    v_add_u32 v20, 0x20000, v18
    v_add_u32 v21, 0x30000, v18
    v_bfrev_b32 v23, 1
    v_lshlrev_b32 v12, 4, v0
    v_and_b32 v1, 31, v0
    v_bfe_u32 v2, v0, 5, 1
    v_bfe_u32 v3, v1, 0, 3
    v_xor_b32 v2, v2, v3
    v_lshlrev_b32 v1, 7, v1
    s_lshr_b32 s33, s10, 1
    s_mul_i32 s33, s33, 0x2000
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
    s_and_b32 s33, s10, 1
    s_mul_i32 s33, s33, 0x2000
    s_add_u32 s33, s33, 0x4000
    v_xor_b32 v3, 0, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v32, s33, v3
    v_xor_b32 v3, 2, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v33, s33, v3
    v_xor_b32 v3, 4, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v34, s33, v3
    v_xor_b32 v3, 6, v2
    v_lshl_add_u32 v3, v3, 4, v1
    v_add_u32 v35, s33, v3
    s_mov_b32 s25, 0
    s_waitcnt lgkmcnt(0)
    s_mul_i32 s33, s3, 0x40000
    s_mul_hi_u32 s34, s3, 0x40000
    s_add_u32 s12, s4, s33
    s_addc_u32 s13, s5, s34
    s_mul_i32 s14, s3, 0x80
    s_sub_u32 s14, 0x1000, s14
    s_min_u32 s14, s14, 0x80
    s_mul_i32 s14, s14, 0x800
    s_sub_u32 s14, s14, 0x0
    s_mov_b32 s15, 0x20000
    s_mul_i32 s33, s2, 0x40000
    s_mul_hi_u32 s34, s2, 0x40000
    s_add_u32 s16, s6, s33
    s_addc_u32 s17, s7, s34
    s_mul_i32 s18, s2, 0x80
    s_sub_u32 s18, 0x1c00, s18
    s_min_u32 s18, s18, 0x80
    s_mul_i32 s18, s18, 0x800
    s_sub_u32 s18, s18, 0x0
    s_mov_b32 s19, 0x20000
    s_mul_i32 s33, s3, 0x1c0000
    s_mul_hi_u32 s34, s3, 0x1c0000
    s_add_u32 s20, s8, s33
    s_addc_u32 s21, s9, s34
    s_mul_i32 s22, s3, 0x80
    s_sub_u32 s22, 0x1000, s22
    s_min_u32 s22, s22, 0x80
    s_mul_i32 s22, s22, 0x3800
    s_sub_u32 s22, s22, 0x0
    s_mov_b32 s23, 0x20000
    s_mul_i32 s30, s2, 0x80
    s_lshl_b32 s33, s30, 1
    s_sub_u32 s22, s22, s33
    s_lshr_b32 s34, s30, 31
    s_add_u32 s20, s20, s33
    s_addc_u32 s21, s21, s34
    s_sub_u32 s30, 0x1c00, s30
    s_and_b32 s13, s13, 0xffff
    s_and_b32 s17, s17, 0xffff
    s_and_b32 s21, s21, 0xffff
    buffer_load_dwordx4 v[72:75], v14, s[12:15], 0 offen offset:0
    buffer_load_dwordx4 v[76:79], v15, s[12:15], 0 offen offset:0
    buffer_load_dwordx4 v[80:83], v16, s[12:15], 0 offen offset:0
    buffer_load_dwordx4 v[84:87], v17, s[12:15], 0 offen offset:0
    buffer_load_dwordx4 v[88:91], v18, s[16:19], 0 offen offset:0
    buffer_load_dwordx4 v[92:95], v19, s[16:19], 0 offen offset:0
    buffer_load_dwordx4 v[96:99], v20, s[16:19], 0 offen offset:0
    buffer_load_dwordx4 v[100:103], v21, s[16:19], 0 offen offset:0
    s_add_u32 s12, s12, 0x80
    s_addc_u32 s13, s13, 0
    s_sub_u32 s14, s14, 0x80
    s_add_u32 s16, s16, 0x80
    s_addc_u32 s17, s17, 0
    s_sub_u32 s18, s18, 0x80
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
    s_load_dwordx2 s[38:39], s[0:1], 0x18
    s_load_dwordx2 s[40:41], s[0:1], 0x20
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v172, 0x0
    s_mul_i32 s33, s3, 0x80
    v_mov_b32 v173, s33
    v_add_u32 v174, 0x0, v11
    v_add_u32 v175, 0x20, v11
    v_add_u32 v176, v173, v174
    v_add_u32 v177, v173, v175
    s_mul_i32 s33, s2, 0x80
    v_mov_b32 v178, s33
    v_mov_b32 v179, 0x7
    v_min_u32 v6, 31, v179
    v_ashrrev_i32 v180, v6, v178
    v_mov_b32 v181, 0x10
    v_mul_lo_u32 v182, v180, v181
    v_mov_b32 v104, v172
    v_mov_b32 v105, v172
    v_mov_b32 v106, v172
    v_mov_b32 v107, v172
    v_mov_b32 v108, v172
    v_mov_b32 v109, v172
    v_mov_b32 v110, v172
    v_mov_b32 v111, v172
    v_mov_b32 v112, v172
    v_mov_b32 v113, v172
    v_mov_b32 v114, v172
    v_mov_b32 v115, v172
    v_mov_b32 v116, v172
    v_mov_b32 v117, v172
    v_mov_b32 v118, v172
    v_mov_b32 v119, v172
    v_mov_b32 v120, v172
    v_mov_b32 v121, v172
    v_mov_b32 v122, v172
    v_mov_b32 v123, v172
    v_mov_b32 v124, v172
    v_mov_b32 v125, v172
    v_mov_b32 v126, v172
    v_mov_b32 v127, v172
    v_mov_b32 v128, v172
    v_mov_b32 v129, v172
    v_mov_b32 v130, v172
    v_mov_b32 v131, v172
    v_mov_b32 v132, v172
    v_mov_b32 v133, v172
    v_mov_b32 v134, v172
    v_mov_b32 v135, v172
    v_mov_b32 v136, v172
    v_mov_b32 v137, v172
    v_mov_b32 v138, v172
    v_mov_b32 v139, v172
    v_mov_b32 v140, v172
    v_mov_b32 v141, v172
    v_mov_b32 v142, v172
    v_mov_b32 v143, v172
    v_mov_b32 v144, v172
    v_mov_b32 v145, v172
    v_mov_b32 v146, v172
    v_mov_b32 v147, v172
    v_mov_b32 v148, v172
    v_mov_b32 v149, v172
    v_mov_b32 v150, v172
    v_mov_b32 v151, v172
    v_mov_b32 v152, v172
    v_mov_b32 v153, v172
    v_mov_b32 v154, v172
    v_mov_b32 v155, v172
    v_mov_b32 v156, v172
    v_mov_b32 v157, v172
    v_mov_b32 v158, v172
    v_mov_b32 v159, v172
    v_mov_b32 v160, v172
    v_mov_b32 v161, v172
    v_mov_b32 v162, v172
    v_mov_b32 v163, v172
    v_mov_b32 v164, v172
    v_mov_b32 v165, v172
    v_mov_b32 v166, v172
    v_mov_b32 v167, v172
    v_mov_b32 v168, v176
    v_mov_b32 v169, v177
    v_mov_b32 v170, v182
    v_mov_b32 v171, v182
    s_waitcnt vmcnt(7)
    v_add_u32 v13, s25, v12
    ds_write_b128 v13, v[72:75] offset:0
    buffer_load_dwordx4 v[72:75], v14, s[12:15], 0 offen offset:0
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[76:79] offset:4096
    buffer_load_dwordx4 v[76:79], v15, s[12:15], 0 offen offset:0
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[80:83] offset:8192
    buffer_load_dwordx4 v[80:83], v16, s[12:15], 0 offen offset:0
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[84:87] offset:12288
    buffer_load_dwordx4 v[84:87], v17, s[12:15], 0 offen offset:0
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[88:91] offset:16384
    buffer_load_dwordx4 v[88:91], v18, s[16:19], 0 offen offset:0
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[92:95] offset:20480
    buffer_load_dwordx4 v[92:95], v19, s[16:19], 0 offen offset:0
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[96:99] offset:24576
    buffer_load_dwordx4 v[96:99], v20, s[16:19], 0 offen offset:0
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[100:103] offset:28672
    buffer_load_dwordx4 v[100:103], v21, s[16:19], 0 offen offset:0
    s_add_u32 s12, s12, 0x80
    s_addc_u32 s13, s13, 0
    s_sub_u32 s14, s14, 0x80
    s_add_u32 s16, s16, 0x80
    s_addc_u32 s17, s17, 0
    s_sub_u32 s18, s18, 0x80
    s_waitcnt lgkmcnt(0)
    s_barrier
    s_mov_b32 s24, s25
    s_add_u32 s25, s25, 0x8000
    s_cmp_eq_u32 s25, 0x10000
    s_cselect_b32 s25, 0, s25
    v_add_u32 v28, s24, v24
    v_add_u32 v29, s24, v25
    v_add_u32 v30, s24, v26
    v_add_u32 v31, s24, v27
    v_add_u32 v36, s24, v32
    v_add_u32 v37, s24, v33
    v_add_u32 v38, s24, v34
    v_add_u32 v39, s24, v35
    ds_read_b128 v[40:43], v28 offset:0
    ds_read_b128 v[44:47], v28 offset:4096
    ds_read_b128 v[48:51], v36 offset:0
    ds_read_b128 v[52:55], v36 offset:4096
    s_mov_b32 s29, 0xe
.Lloop0:
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[48:49], v[40:41], 0
    ds_read_b128 v[56:59], v29 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[52:53], v[40:41], 0
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[48:49], v[44:45], 0
    ds_read_b128 v[60:63], v29 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[52:53], v[44:45], 0
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[50:51], v[42:43], a[0:15]
    ds_read_b128 v[64:67], v37 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[54:55], v[42:43], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[50:51], v[46:47], a[32:47]
    ds_read_b128 v[68:71], v37 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[54:55], v[46:47], a[48:63]
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[64:65], v[56:57], a[0:15]
    ds_read_b128 v[40:43], v30 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[68:69], v[56:57], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[64:65], v[60:61], a[32:47]
    ds_read_b128 v[44:47], v30 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[68:69], v[60:61], a[48:63]
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[66:67], v[58:59], a[0:15]
    ds_read_b128 v[48:51], v38 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[70:71], v[58:59], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[66:67], v[62:63], a[32:47]
    ds_read_b128 v[52:55], v38 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[70:71], v[62:63], a[48:63]
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[48:49], v[40:41], a[0:15]
    ds_read_b128 v[56:59], v31 offset:0
    ds_read_b128 v[60:63], v31 offset:4096
    ds_read_b128 v[64:67], v39 offset:0
    ds_read_b128 v[68:71], v39 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[52:53], v[40:41], a[16:31]
    s_waitcnt vmcnt(7)
    v_add_u32 v13, s25, v12
    ds_write_b128 v13, v[72:75] offset:0
    buffer_load_dwordx4 v[72:75], v14, s[12:15], 0 offen offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[48:49], v[44:45], a[32:47]
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[76:79] offset:4096
    buffer_load_dwordx4 v[76:79], v15, s[12:15], 0 offen offset:0
    s_waitcnt vmcnt(7)
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[52:53], v[44:45], a[48:63]
    ds_write_b128 v13, v[80:83] offset:8192
    buffer_load_dwordx4 v[80:83], v16, s[12:15], 0 offen offset:0
    s_waitcnt vmcnt(7)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[50:51], v[42:43], a[0:15]
    ds_write_b128 v13, v[84:87] offset:12288
    buffer_load_dwordx4 v[84:87], v17, s[12:15], 0 offen offset:0
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[88:91] offset:16384
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[54:55], v[42:43], a[16:31]
    buffer_load_dwordx4 v[88:91], v18, s[16:19], 0 offen offset:0
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[92:95] offset:20480
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[50:51], v[46:47], a[32:47]
    buffer_load_dwordx4 v[92:95], v19, s[16:19], 0 offen offset:0
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[96:99] offset:24576
    buffer_load_dwordx4 v[96:99], v20, s[16:19], 0 offen offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[54:55], v[46:47], a[48:63]
    s_waitcnt vmcnt(7)
    ds_write_b128 v13, v[100:103] offset:28672
    buffer_load_dwordx4 v[100:103], v21, s[16:19], 0 offen offset:0
    s_add_u32 s12, s12, 0x80
    s_addc_u32 s13, s13, 0
    s_sub_u32 s14, s14, 0x80
    s_add_u32 s16, s16, 0x80
    s_addc_u32 s17, s17, 0
    s_sub_u32 s18, s18, 0x80
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[64:65], v[56:57], a[0:15]
    s_mov_b32 s24, s25
    s_add_u32 s25, s25, 0x8000
    s_cmp_eq_u32 s25, 0x10000
    s_cselect_b32 s25, 0, s25
    v_add_u32 v28, s24, v24
    v_add_u32 v29, s24, v25
    v_add_u32 v30, s24, v26
    v_add_u32 v31, s24, v27
    v_add_u32 v36, s24, v32
    v_add_u32 v37, s24, v33
    v_add_u32 v38, s24, v34
    v_add_u32 v39, s24, v35
    ds_read_b128 v[40:43], v28 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[68:69], v[56:57], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[64:65], v[60:61], a[32:47]
    ds_read_b128 v[44:47], v28 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[68:69], v[60:61], a[48:63]
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[66:67], v[58:59], a[0:15]
    ds_read_b128 v[48:51], v36 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[70:71], v[58:59], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[66:67], v[62:63], a[32:47]
    ds_read_b128 v[52:55], v36 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[70:71], v[62:63], a[48:63]
    v_mov_b32 v174, 0x10000
    v_mov_b32 v175, 0
    v_cmp_lt_i32 vcc, v168, v174
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v168, 0x4, s[38:39]
    global_load_dword v175, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    v_mov_b32 v176, 0
    v_cmp_lt_i32 vcc, v169, v174
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v169, 0x4, s[38:39]
    global_load_dword v176, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    s_waitcnt vmcnt(0)
    v_mov_b32 v179, 0x380
    v_mov_b32 v180, 0
    v_cmp_lt_i32 vcc, v170, v179
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v170, 0x4, s[40:41]
    global_load_dword v180, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    v_mov_b32 v181, 0
    v_cmp_lt_i32 vcc, v171, v179
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v171, 0x4, s[40:41]
    global_load_dword v181, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    s_waitcnt vmcnt(0)
    v_mul_f32 v182, v175, v180
    v_mul_f32 v183, v176, v181
    v_mov_b32 v184, 0x1000
    v_add_u32 v185, v168, v184
    v_add_u32 v186, v169, v184
    v_mov_b32 v187, 0x1
    v_add_u32 v188, v170, v187
    v_add_u32 v189, v171, v187
    v_accvgpr_read_b32 v190, a0
    v_accvgpr_read_b32 v191, a1
    v_accvgpr_read_b32 v192, a2
    v_accvgpr_read_b32 v193, a3
    v_fma_f32 v104, v190, v182, v104
    v_fma_f32 v105, v191, v182, v105
    v_fma_f32 v106, v192, v182, v106
    v_fma_f32 v107, v193, v182, v107
    v_accvgpr_read_b32 v190, a4
    v_accvgpr_read_b32 v191, a5
    v_accvgpr_read_b32 v192, a6
    v_accvgpr_read_b32 v193, a7
    v_fma_f32 v108, v190, v182, v108
    v_fma_f32 v109, v191, v182, v109
    v_fma_f32 v110, v192, v182, v110
    v_fma_f32 v111, v193, v182, v111
    v_accvgpr_read_b32 v190, a8
    v_accvgpr_read_b32 v191, a9
    v_accvgpr_read_b32 v192, a10
    v_accvgpr_read_b32 v193, a11
    v_fma_f32 v112, v190, v182, v112
    v_fma_f32 v113, v191, v182, v113
    v_fma_f32 v114, v192, v182, v114
    v_fma_f32 v115, v193, v182, v115
    v_accvgpr_read_b32 v190, a12
    v_accvgpr_read_b32 v191, a13
    v_accvgpr_read_b32 v192, a14
    v_accvgpr_read_b32 v193, a15
    v_fma_f32 v116, v190, v182, v116
    v_fma_f32 v117, v191, v182, v117
    v_fma_f32 v118, v192, v182, v118
    v_fma_f32 v119, v193, v182, v119
    v_accvgpr_read_b32 v190, a16
    v_accvgpr_read_b32 v191, a17
    v_accvgpr_read_b32 v192, a18
    v_accvgpr_read_b32 v193, a19
    v_fma_f32 v120, v190, v182, v120
    v_fma_f32 v121, v191, v182, v121
    v_fma_f32 v122, v192, v182, v122
    v_fma_f32 v123, v193, v182, v123
    v_accvgpr_read_b32 v190, a20
    v_accvgpr_read_b32 v191, a21
    v_accvgpr_read_b32 v192, a22
    v_accvgpr_read_b32 v193, a23
    v_fma_f32 v124, v190, v182, v124
    v_fma_f32 v125, v191, v182, v125
    v_fma_f32 v126, v192, v182, v126
    v_fma_f32 v127, v193, v182, v127
    v_accvgpr_read_b32 v190, a24
    v_accvgpr_read_b32 v191, a25
    v_accvgpr_read_b32 v192, a26
    v_accvgpr_read_b32 v193, a27
    v_fma_f32 v128, v190, v182, v128
    v_fma_f32 v129, v191, v182, v129
    v_fma_f32 v130, v192, v182, v130
    v_fma_f32 v131, v193, v182, v131
    v_accvgpr_read_b32 v190, a28
    v_accvgpr_read_b32 v191, a29
    v_accvgpr_read_b32 v192, a30
    v_accvgpr_read_b32 v193, a31
    v_fma_f32 v132, v190, v182, v132
    v_fma_f32 v133, v191, v182, v133
    v_fma_f32 v134, v192, v182, v134
    v_fma_f32 v135, v193, v182, v135
    v_accvgpr_read_b32 v190, a32
    v_accvgpr_read_b32 v191, a33
    v_accvgpr_read_b32 v192, a34
    v_accvgpr_read_b32 v193, a35
    v_fma_f32 v136, v190, v183, v136
    v_fma_f32 v137, v191, v183, v137
    v_fma_f32 v138, v192, v183, v138
    v_fma_f32 v139, v193, v183, v139
    v_accvgpr_read_b32 v190, a36
    v_accvgpr_read_b32 v191, a37
    v_accvgpr_read_b32 v192, a38
    v_accvgpr_read_b32 v193, a39
    v_fma_f32 v140, v190, v183, v140
    v_fma_f32 v141, v191, v183, v141
    v_fma_f32 v142, v192, v183, v142
    v_fma_f32 v143, v193, v183, v143
    v_accvgpr_read_b32 v190, a40
    v_accvgpr_read_b32 v191, a41
    v_accvgpr_read_b32 v192, a42
    v_accvgpr_read_b32 v193, a43
    v_fma_f32 v144, v190, v183, v144
    v_fma_f32 v145, v191, v183, v145
    v_fma_f32 v146, v192, v183, v146
    v_fma_f32 v147, v193, v183, v147
    v_accvgpr_read_b32 v190, a44
    v_accvgpr_read_b32 v191, a45
    v_accvgpr_read_b32 v192, a46
    v_accvgpr_read_b32 v193, a47
    v_fma_f32 v148, v190, v183, v148
    v_fma_f32 v149, v191, v183, v149
    v_fma_f32 v150, v192, v183, v150
    v_fma_f32 v151, v193, v183, v151
    v_accvgpr_read_b32 v190, a48
    v_accvgpr_read_b32 v191, a49
    v_accvgpr_read_b32 v192, a50
    v_accvgpr_read_b32 v193, a51
    v_fma_f32 v152, v190, v183, v152
    v_fma_f32 v153, v191, v183, v153
    v_fma_f32 v154, v192, v183, v154
    v_fma_f32 v155, v193, v183, v155
    v_accvgpr_read_b32 v190, a52
    v_accvgpr_read_b32 v191, a53
    v_accvgpr_read_b32 v192, a54
    v_accvgpr_read_b32 v193, a55
    v_fma_f32 v156, v190, v183, v156
    v_fma_f32 v157, v191, v183, v157
    v_fma_f32 v158, v192, v183, v158
    v_fma_f32 v159, v193, v183, v159
    v_accvgpr_read_b32 v190, a56
    v_accvgpr_read_b32 v191, a57
    v_accvgpr_read_b32 v192, a58
    v_accvgpr_read_b32 v193, a59
    v_fma_f32 v160, v190, v183, v160
    v_fma_f32 v161, v191, v183, v161
    v_fma_f32 v162, v192, v183, v162
    v_fma_f32 v163, v193, v183, v163
    v_accvgpr_read_b32 v190, a60
    v_accvgpr_read_b32 v191, a61
    v_accvgpr_read_b32 v192, a62
    v_accvgpr_read_b32 v193, a63
    v_fma_f32 v164, v190, v183, v164
    v_fma_f32 v165, v191, v183, v165
    v_fma_f32 v166, v192, v183, v166
    v_fma_f32 v167, v193, v183, v167
    v_mov_b32 v168, v185
    v_mov_b32 v169, v186
    v_mov_b32 v170, v188
    v_mov_b32 v171, v189
    s_sub_u32 s29, s29, 1
    s_cmp_lg_u32 s29, 0
    s_cbranch_scc1 .Lloop0
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[48:49], v[40:41], 0
    ds_read_b128 v[56:59], v29 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[52:53], v[40:41], 0
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[48:49], v[44:45], 0
    ds_read_b128 v[60:63], v29 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[52:53], v[44:45], 0
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[50:51], v[42:43], a[0:15]
    ds_read_b128 v[64:67], v37 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[54:55], v[42:43], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[50:51], v[46:47], a[32:47]
    ds_read_b128 v[68:71], v37 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[54:55], v[46:47], a[48:63]
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[64:65], v[56:57], a[0:15]
    ds_read_b128 v[40:43], v30 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[68:69], v[56:57], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[64:65], v[60:61], a[32:47]
    ds_read_b128 v[44:47], v30 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[68:69], v[60:61], a[48:63]
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[66:67], v[58:59], a[0:15]
    ds_read_b128 v[48:51], v38 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[70:71], v[58:59], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[66:67], v[62:63], a[32:47]
    ds_read_b128 v[52:55], v38 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[70:71], v[62:63], a[48:63]
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[48:49], v[40:41], a[0:15]
    ds_read_b128 v[56:59], v31 offset:0
    ds_read_b128 v[60:63], v31 offset:4096
    ds_read_b128 v[64:67], v39 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[52:53], v[40:41], a[16:31]
    ds_read_b128 v[68:71], v39 offset:4096
    s_waitcnt vmcnt(7)
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[48:49], v[44:45], a[32:47]
    v_add_u32 v13, s25, v12
    ds_write_b128 v13, v[72:75] offset:0
    s_waitcnt vmcnt(6)
    ds_write_b128 v13, v[76:79] offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[52:53], v[44:45], a[48:63]
    s_waitcnt vmcnt(5)
    ds_write_b128 v13, v[80:83] offset:8192
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[50:51], v[42:43], a[0:15]
    s_waitcnt vmcnt(4)
    ds_write_b128 v13, v[84:87] offset:12288
    s_waitcnt vmcnt(3)
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[54:55], v[42:43], a[16:31]
    ds_write_b128 v13, v[88:91] offset:16384
    s_waitcnt vmcnt(2)
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[50:51], v[46:47], a[32:47]
    ds_write_b128 v13, v[92:95] offset:20480
    s_waitcnt vmcnt(1)
    ds_write_b128 v13, v[96:99] offset:24576
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[54:55], v[46:47], a[48:63]
    s_waitcnt vmcnt(0)
    ds_write_b128 v13, v[100:103] offset:28672
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[64:65], v[56:57], a[0:15]
    s_mov_b32 s24, s25
    s_add_u32 s25, s25, 0x8000
    s_cmp_eq_u32 s25, 0x10000
    s_cselect_b32 s25, 0, s25
    v_add_u32 v28, s24, v24
    v_add_u32 v29, s24, v25
    v_add_u32 v30, s24, v26
    v_add_u32 v31, s24, v27
    v_add_u32 v36, s24, v32
    v_add_u32 v37, s24, v33
    v_add_u32 v38, s24, v34
    v_add_u32 v39, s24, v35
    ds_read_b128 v[40:43], v28 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[68:69], v[56:57], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[64:65], v[60:61], a[32:47]
    ds_read_b128 v[44:47], v28 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[68:69], v[60:61], a[48:63]
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[66:67], v[58:59], a[0:15]
    ds_read_b128 v[48:51], v36 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[70:71], v[58:59], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[66:67], v[62:63], a[32:47]
    ds_read_b128 v[52:55], v36 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[70:71], v[62:63], a[48:63]
    v_mov_b32 v174, 0x10000
    v_mov_b32 v175, 0
    v_cmp_lt_i32 vcc, v168, v174
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v168, 0x4, s[38:39]
    global_load_dword v175, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    v_mov_b32 v176, 0
    v_cmp_lt_i32 vcc, v169, v174
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v169, 0x4, s[38:39]
    global_load_dword v176, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    s_waitcnt vmcnt(0)
    v_mov_b32 v179, 0x380
    v_mov_b32 v180, 0
    v_cmp_lt_i32 vcc, v170, v179
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v170, 0x4, s[40:41]
    global_load_dword v180, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    v_mov_b32 v181, 0
    v_cmp_lt_i32 vcc, v171, v179
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v171, 0x4, s[40:41]
    global_load_dword v181, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    s_waitcnt vmcnt(0)
    v_mul_f32 v182, v175, v180
    v_mul_f32 v183, v176, v181
    v_mov_b32 v184, 0x1000
    v_add_u32 v185, v168, v184
    v_add_u32 v186, v169, v184
    v_mov_b32 v187, 0x1
    v_add_u32 v188, v170, v187
    v_add_u32 v189, v171, v187
    v_accvgpr_read_b32 v190, a0
    v_accvgpr_read_b32 v191, a1
    v_accvgpr_read_b32 v192, a2
    v_accvgpr_read_b32 v193, a3
    v_fma_f32 v104, v190, v182, v104
    v_fma_f32 v105, v191, v182, v105
    v_fma_f32 v106, v192, v182, v106
    v_fma_f32 v107, v193, v182, v107
    v_accvgpr_read_b32 v190, a4
    v_accvgpr_read_b32 v191, a5
    v_accvgpr_read_b32 v192, a6
    v_accvgpr_read_b32 v193, a7
    v_fma_f32 v108, v190, v182, v108
    v_fma_f32 v109, v191, v182, v109
    v_fma_f32 v110, v192, v182, v110
    v_fma_f32 v111, v193, v182, v111
    v_accvgpr_read_b32 v190, a8
    v_accvgpr_read_b32 v191, a9
    v_accvgpr_read_b32 v192, a10
    v_accvgpr_read_b32 v193, a11
    v_fma_f32 v112, v190, v182, v112
    v_fma_f32 v113, v191, v182, v113
    v_fma_f32 v114, v192, v182, v114
    v_fma_f32 v115, v193, v182, v115
    v_accvgpr_read_b32 v190, a12
    v_accvgpr_read_b32 v191, a13
    v_accvgpr_read_b32 v192, a14
    v_accvgpr_read_b32 v193, a15
    v_fma_f32 v116, v190, v182, v116
    v_fma_f32 v117, v191, v182, v117
    v_fma_f32 v118, v192, v182, v118
    v_fma_f32 v119, v193, v182, v119
    v_accvgpr_read_b32 v190, a16
    v_accvgpr_read_b32 v191, a17
    v_accvgpr_read_b32 v192, a18
    v_accvgpr_read_b32 v193, a19
    v_fma_f32 v120, v190, v182, v120
    v_fma_f32 v121, v191, v182, v121
    v_fma_f32 v122, v192, v182, v122
    v_fma_f32 v123, v193, v182, v123
    v_accvgpr_read_b32 v190, a20
    v_accvgpr_read_b32 v191, a21
    v_accvgpr_read_b32 v192, a22
    v_accvgpr_read_b32 v193, a23
    v_fma_f32 v124, v190, v182, v124
    v_fma_f32 v125, v191, v182, v125
    v_fma_f32 v126, v192, v182, v126
    v_fma_f32 v127, v193, v182, v127
    v_accvgpr_read_b32 v190, a24
    v_accvgpr_read_b32 v191, a25
    v_accvgpr_read_b32 v192, a26
    v_accvgpr_read_b32 v193, a27
    v_fma_f32 v128, v190, v182, v128
    v_fma_f32 v129, v191, v182, v129
    v_fma_f32 v130, v192, v182, v130
    v_fma_f32 v131, v193, v182, v131
    v_accvgpr_read_b32 v190, a28
    v_accvgpr_read_b32 v191, a29
    v_accvgpr_read_b32 v192, a30
    v_accvgpr_read_b32 v193, a31
    v_fma_f32 v132, v190, v182, v132
    v_fma_f32 v133, v191, v182, v133
    v_fma_f32 v134, v192, v182, v134
    v_fma_f32 v135, v193, v182, v135
    v_accvgpr_read_b32 v190, a32
    v_accvgpr_read_b32 v191, a33
    v_accvgpr_read_b32 v192, a34
    v_accvgpr_read_b32 v193, a35
    v_fma_f32 v136, v190, v183, v136
    v_fma_f32 v137, v191, v183, v137
    v_fma_f32 v138, v192, v183, v138
    v_fma_f32 v139, v193, v183, v139
    v_accvgpr_read_b32 v190, a36
    v_accvgpr_read_b32 v191, a37
    v_accvgpr_read_b32 v192, a38
    v_accvgpr_read_b32 v193, a39
    v_fma_f32 v140, v190, v183, v140
    v_fma_f32 v141, v191, v183, v141
    v_fma_f32 v142, v192, v183, v142
    v_fma_f32 v143, v193, v183, v143
    v_accvgpr_read_b32 v190, a40
    v_accvgpr_read_b32 v191, a41
    v_accvgpr_read_b32 v192, a42
    v_accvgpr_read_b32 v193, a43
    v_fma_f32 v144, v190, v183, v144
    v_fma_f32 v145, v191, v183, v145
    v_fma_f32 v146, v192, v183, v146
    v_fma_f32 v147, v193, v183, v147
    v_accvgpr_read_b32 v190, a44
    v_accvgpr_read_b32 v191, a45
    v_accvgpr_read_b32 v192, a46
    v_accvgpr_read_b32 v193, a47
    v_fma_f32 v148, v190, v183, v148
    v_fma_f32 v149, v191, v183, v149
    v_fma_f32 v150, v192, v183, v150
    v_fma_f32 v151, v193, v183, v151
    v_accvgpr_read_b32 v190, a48
    v_accvgpr_read_b32 v191, a49
    v_accvgpr_read_b32 v192, a50
    v_accvgpr_read_b32 v193, a51
    v_fma_f32 v152, v190, v183, v152
    v_fma_f32 v153, v191, v183, v153
    v_fma_f32 v154, v192, v183, v154
    v_fma_f32 v155, v193, v183, v155
    v_accvgpr_read_b32 v190, a52
    v_accvgpr_read_b32 v191, a53
    v_accvgpr_read_b32 v192, a54
    v_accvgpr_read_b32 v193, a55
    v_fma_f32 v156, v190, v183, v156
    v_fma_f32 v157, v191, v183, v157
    v_fma_f32 v158, v192, v183, v158
    v_fma_f32 v159, v193, v183, v159
    v_accvgpr_read_b32 v190, a56
    v_accvgpr_read_b32 v191, a57
    v_accvgpr_read_b32 v192, a58
    v_accvgpr_read_b32 v193, a59
    v_fma_f32 v160, v190, v183, v160
    v_fma_f32 v161, v191, v183, v161
    v_fma_f32 v162, v192, v183, v162
    v_fma_f32 v163, v193, v183, v163
    v_accvgpr_read_b32 v190, a60
    v_accvgpr_read_b32 v191, a61
    v_accvgpr_read_b32 v192, a62
    v_accvgpr_read_b32 v193, a63
    v_fma_f32 v164, v190, v183, v164
    v_fma_f32 v165, v191, v183, v165
    v_fma_f32 v166, v192, v183, v166
    v_fma_f32 v167, v193, v183, v167
    v_mov_b32 v168, v185
    v_mov_b32 v169, v186
    v_mov_b32 v170, v188
    v_mov_b32 v171, v189
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[48:49], v[40:41], 0
    ds_read_b128 v[56:59], v29 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[52:53], v[40:41], 0
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[48:49], v[44:45], 0
    ds_read_b128 v[60:63], v29 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[52:53], v[44:45], 0
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[50:51], v[42:43], a[0:15]
    ds_read_b128 v[64:67], v37 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[54:55], v[42:43], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[50:51], v[46:47], a[32:47]
    ds_read_b128 v[68:71], v37 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[54:55], v[46:47], a[48:63]
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[64:65], v[56:57], a[0:15]
    ds_read_b128 v[40:43], v30 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[68:69], v[56:57], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[64:65], v[60:61], a[32:47]
    ds_read_b128 v[44:47], v30 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[68:69], v[60:61], a[48:63]
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[66:67], v[58:59], a[0:15]
    ds_read_b128 v[48:51], v38 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[70:71], v[58:59], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[66:67], v[62:63], a[32:47]
    ds_read_b128 v[52:55], v38 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[70:71], v[62:63], a[48:63]
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[48:49], v[40:41], a[0:15]
    ds_read_b128 v[56:59], v31 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[52:53], v[40:41], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[48:49], v[44:45], a[32:47]
    ds_read_b128 v[60:63], v31 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[52:53], v[44:45], a[48:63]
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[50:51], v[42:43], a[0:15]
    ds_read_b128 v[64:67], v39 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[54:55], v[42:43], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[50:51], v[46:47], a[32:47]
    ds_read_b128 v[68:71], v39 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[54:55], v[46:47], a[48:63]
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[64:65], v[56:57], a[0:15]
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[68:69], v[56:57], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[64:65], v[60:61], a[32:47]
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[68:69], v[60:61], a[48:63]
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[66:67], v[58:59], a[0:15]
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[70:71], v[58:59], a[16:31]
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[66:67], v[62:63], a[32:47]
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[70:71], v[62:63], a[48:63]
    v_mov_b32 v174, 0x10000
    v_mov_b32 v175, 0
    v_cmp_lt_i32 vcc, v168, v174
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v168, 0x4, s[38:39]
    global_load_dword v175, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    v_mov_b32 v176, 0
    v_cmp_lt_i32 vcc, v169, v174
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v169, 0x4, s[38:39]
    global_load_dword v176, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    s_waitcnt vmcnt(0)
    v_mov_b32 v179, 0x380
    v_mov_b32 v180, 0
    v_cmp_lt_i32 vcc, v170, v179
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v170, 0x4, s[40:41]
    global_load_dword v180, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    v_mov_b32 v181, 0
    v_cmp_lt_i32 vcc, v171, v179
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v171, 0x4, s[40:41]
    global_load_dword v181, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    s_waitcnt vmcnt(0)
    v_mul_f32 v182, v175, v180
    v_mul_f32 v183, v176, v181
    v_mov_b32 v184, 0x1000
    v_add_u32 v185, v168, v184
    v_add_u32 v186, v169, v184
    v_mov_b32 v187, 0x1
    v_add_u32 v188, v170, v187
    v_add_u32 v189, v171, v187
    v_accvgpr_read_b32 v190, a0
    v_accvgpr_read_b32 v191, a1
    v_accvgpr_read_b32 v192, a2
    v_accvgpr_read_b32 v193, a3
    v_fma_f32 v104, v190, v182, v104
    v_fma_f32 v105, v191, v182, v105
    v_fma_f32 v106, v192, v182, v106
    v_fma_f32 v107, v193, v182, v107
    v_accvgpr_read_b32 v190, a4
    v_accvgpr_read_b32 v191, a5
    v_accvgpr_read_b32 v192, a6
    v_accvgpr_read_b32 v193, a7
    v_fma_f32 v108, v190, v182, v108
    v_fma_f32 v109, v191, v182, v109
    v_fma_f32 v110, v192, v182, v110
    v_fma_f32 v111, v193, v182, v111
    v_accvgpr_read_b32 v190, a8
    v_accvgpr_read_b32 v191, a9
    v_accvgpr_read_b32 v192, a10
    v_accvgpr_read_b32 v193, a11
    v_fma_f32 v112, v190, v182, v112
    v_fma_f32 v113, v191, v182, v113
    v_fma_f32 v114, v192, v182, v114
    v_fma_f32 v115, v193, v182, v115
    v_accvgpr_read_b32 v190, a12
    v_accvgpr_read_b32 v191, a13
    v_accvgpr_read_b32 v192, a14
    v_accvgpr_read_b32 v193, a15
    v_fma_f32 v116, v190, v182, v116
    v_fma_f32 v117, v191, v182, v117
    v_fma_f32 v118, v192, v182, v118
    v_fma_f32 v119, v193, v182, v119
    v_accvgpr_read_b32 v190, a16
    v_accvgpr_read_b32 v191, a17
    v_accvgpr_read_b32 v192, a18
    v_accvgpr_read_b32 v193, a19
    v_fma_f32 v120, v190, v182, v120
    v_fma_f32 v121, v191, v182, v121
    v_fma_f32 v122, v192, v182, v122
    v_fma_f32 v123, v193, v182, v123
    v_accvgpr_read_b32 v190, a20
    v_accvgpr_read_b32 v191, a21
    v_accvgpr_read_b32 v192, a22
    v_accvgpr_read_b32 v193, a23
    v_fma_f32 v124, v190, v182, v124
    v_fma_f32 v125, v191, v182, v125
    v_fma_f32 v126, v192, v182, v126
    v_fma_f32 v127, v193, v182, v127
    v_accvgpr_read_b32 v190, a24
    v_accvgpr_read_b32 v191, a25
    v_accvgpr_read_b32 v192, a26
    v_accvgpr_read_b32 v193, a27
    v_fma_f32 v128, v190, v182, v128
    v_fma_f32 v129, v191, v182, v129
    v_fma_f32 v130, v192, v182, v130
    v_fma_f32 v131, v193, v182, v131
    v_accvgpr_read_b32 v190, a28
    v_accvgpr_read_b32 v191, a29
    v_accvgpr_read_b32 v192, a30
    v_accvgpr_read_b32 v193, a31
    v_fma_f32 v132, v190, v182, v132
    v_fma_f32 v133, v191, v182, v133
    v_fma_f32 v134, v192, v182, v134
    v_fma_f32 v135, v193, v182, v135
    v_accvgpr_read_b32 v190, a32
    v_accvgpr_read_b32 v191, a33
    v_accvgpr_read_b32 v192, a34
    v_accvgpr_read_b32 v193, a35
    v_fma_f32 v136, v190, v183, v136
    v_fma_f32 v137, v191, v183, v137
    v_fma_f32 v138, v192, v183, v138
    v_fma_f32 v139, v193, v183, v139
    v_accvgpr_read_b32 v190, a36
    v_accvgpr_read_b32 v191, a37
    v_accvgpr_read_b32 v192, a38
    v_accvgpr_read_b32 v193, a39
    v_fma_f32 v140, v190, v183, v140
    v_fma_f32 v141, v191, v183, v141
    v_fma_f32 v142, v192, v183, v142
    v_fma_f32 v143, v193, v183, v143
    v_accvgpr_read_b32 v190, a40
    v_accvgpr_read_b32 v191, a41
    v_accvgpr_read_b32 v192, a42
    v_accvgpr_read_b32 v193, a43
    v_fma_f32 v144, v190, v183, v144
    v_fma_f32 v145, v191, v183, v145
    v_fma_f32 v146, v192, v183, v146
    v_fma_f32 v147, v193, v183, v147
    v_accvgpr_read_b32 v190, a44
    v_accvgpr_read_b32 v191, a45
    v_accvgpr_read_b32 v192, a46
    v_accvgpr_read_b32 v193, a47
    v_fma_f32 v148, v190, v183, v148
    v_fma_f32 v149, v191, v183, v149
    v_fma_f32 v150, v192, v183, v150
    v_fma_f32 v151, v193, v183, v151
    v_accvgpr_read_b32 v190, a48
    v_accvgpr_read_b32 v191, a49
    v_accvgpr_read_b32 v192, a50
    v_accvgpr_read_b32 v193, a51
    v_fma_f32 v152, v190, v183, v152
    v_fma_f32 v153, v191, v183, v153
    v_fma_f32 v154, v192, v183, v154
    v_fma_f32 v155, v193, v183, v155
    v_accvgpr_read_b32 v190, a52
    v_accvgpr_read_b32 v191, a53
    v_accvgpr_read_b32 v192, a54
    v_accvgpr_read_b32 v193, a55
    v_fma_f32 v156, v190, v183, v156
    v_fma_f32 v157, v191, v183, v157
    v_fma_f32 v158, v192, v183, v158
    v_fma_f32 v159, v193, v183, v159
    v_accvgpr_read_b32 v190, a56
    v_accvgpr_read_b32 v191, a57
    v_accvgpr_read_b32 v192, a58
    v_accvgpr_read_b32 v193, a59
    v_fma_f32 v160, v190, v183, v160
    v_fma_f32 v161, v191, v183, v161
    v_fma_f32 v162, v192, v183, v162
    v_fma_f32 v163, v193, v183, v163
    v_accvgpr_read_b32 v190, a60
    v_accvgpr_read_b32 v191, a61
    v_accvgpr_read_b32 v192, a62
    v_accvgpr_read_b32 v193, a63
    v_fma_f32 v164, v190, v183, v164
    v_fma_f32 v165, v191, v183, v165
    v_fma_f32 v166, v192, v183, v166
    v_fma_f32 v167, v193, v183, v167
    v_mov_b32 v168, v185
    v_mov_b32 v169, v186
    v_mov_b32 v170, v188
    v_mov_b32 v171, v189
    v_accvgpr_write_b32 a0, v104
    v_accvgpr_write_b32 a1, v105
    v_accvgpr_write_b32 a2, v106
    v_accvgpr_write_b32 a3, v107
    v_accvgpr_write_b32 a4, v108
    v_accvgpr_write_b32 a5, v109
    v_accvgpr_write_b32 a6, v110
    v_accvgpr_write_b32 a7, v111
    v_accvgpr_write_b32 a8, v112
    v_accvgpr_write_b32 a9, v113
    v_accvgpr_write_b32 a10, v114
    v_accvgpr_write_b32 a11, v115
    v_accvgpr_write_b32 a12, v116
    v_accvgpr_write_b32 a13, v117
    v_accvgpr_write_b32 a14, v118
    v_accvgpr_write_b32 a15, v119
    v_accvgpr_write_b32 a16, v120
    v_accvgpr_write_b32 a17, v121
    v_accvgpr_write_b32 a18, v122
    v_accvgpr_write_b32 a19, v123
    v_accvgpr_write_b32 a20, v124
    v_accvgpr_write_b32 a21, v125
    v_accvgpr_write_b32 a22, v126
    v_accvgpr_write_b32 a23, v127
    v_accvgpr_write_b32 a24, v128
    v_accvgpr_write_b32 a25, v129
    v_accvgpr_write_b32 a26, v130
    v_accvgpr_write_b32 a27, v131
    v_accvgpr_write_b32 a28, v132
    v_accvgpr_write_b32 a29, v133
    v_accvgpr_write_b32 a30, v134
    v_accvgpr_write_b32 a31, v135
    v_accvgpr_write_b32 a32, v136
    v_accvgpr_write_b32 a33, v137
    v_accvgpr_write_b32 a34, v138
    v_accvgpr_write_b32 a35, v139
    v_accvgpr_write_b32 a36, v140
    v_accvgpr_write_b32 a37, v141
    v_accvgpr_write_b32 a38, v142
    v_accvgpr_write_b32 a39, v143
    v_accvgpr_write_b32 a40, v144
    v_accvgpr_write_b32 a41, v145
    v_accvgpr_write_b32 a42, v146
    v_accvgpr_write_b32 a43, v147
    v_accvgpr_write_b32 a44, v148
    v_accvgpr_write_b32 a45, v149
    v_accvgpr_write_b32 a46, v150
    v_accvgpr_write_b32 a47, v151
    v_accvgpr_write_b32 a48, v152
    v_accvgpr_write_b32 a49, v153
    v_accvgpr_write_b32 a50, v154
    v_accvgpr_write_b32 a51, v155
    v_accvgpr_write_b32 a52, v156
    v_accvgpr_write_b32 a53, v157
    v_accvgpr_write_b32 a54, v158
    v_accvgpr_write_b32 a55, v159
    v_accvgpr_write_b32 a56, v160
    v_accvgpr_write_b32 a57, v161
    v_accvgpr_write_b32 a58, v162
    v_accvgpr_write_b32 a59, v163
    v_accvgpr_write_b32 a60, v164
    v_accvgpr_write_b32 a61, v165
    v_accvgpr_write_b32 a62, v166
    v_accvgpr_write_b32 a63, v167
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
    s_mov_b32 s33, 0x3800
    v_mul_lo_u32 v12, v11, s33
    v_lshl_add_u32 v12, v10, 1, v12
    v_add_u32 v13, 0x70000, v12
    v_bfrev_b32 v1, 1
    v_mov_b32 v8, 0x7fff0000
    s_mov_b32 s31, 0x7fff
    s_mov_b32 s32, 0x7060302
    s_mov_b32 s35, 0xffff
    s_load_dwordx2 s[38:39], s[0:1], 0x18
    s_load_dwordx2 s[40:41], s[0:1], 0x20
    s_waitcnt lgkmcnt(0)
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
        .amdhsa_group_segment_fixed_size 65536
        .amdhsa_private_segment_fixed_size 0
        .amdhsa_kernarg_size 40
        .amdhsa_user_sgpr_count 2
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_system_sgpr_workgroup_id_y 1
        .amdhsa_system_sgpr_workgroup_id_z 0
        .amdhsa_system_vgpr_workitem_id 0
        .amdhsa_next_free_vgpr 272
        .amdhsa_accum_offset 208
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
    .kernarg_segment_size: 40
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 65536
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 48
    .vgpr_count: 272
    .agpr_count: 64
    .max_flat_workgroup_size: 256
    .args:
      - {.name: ptr_a, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: ptr_b, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: ptr_d, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: write_only}
      - {.name: read_sa, .offset: 24, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: read_sb, .offset: 32, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
...
    .end_amdgpu_metadata
