; zlay 0.3.0: D[4096,7168] = A B, K = 2048, e4m3 x e4m3 to bf16; tile 128x128x128, 2 stages; grid 56 x 32 blocks of 256 threads
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
    v_and_b32 v1, 31, v0
    v_bfe_u32 v2, v0, 5, 1
    v_bfe_u32 v3, v1, 1, 3
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
    s_lshl_b32 s27, s10, 10
    s_mov_b32 s26, s27
    s_add_u32 s28, s27, 0x10000
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
    s_add_u32 m0, s26, 0x0
    s_nop 0
    buffer_load_dwordx4 v14, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x1000
    s_nop 0
    buffer_load_dwordx4 v15, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x2000
    s_nop 0
    buffer_load_dwordx4 v16, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x3000
    s_nop 0
    buffer_load_dwordx4 v17, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x4000
    s_nop 0
    buffer_load_dwordx4 v18, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x5000
    s_nop 0
    buffer_load_dwordx4 v19, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x6000
    s_nop 0
    buffer_load_dwordx4 v20, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x7000
    s_nop 0
    buffer_load_dwordx4 v21, s[16:19], 0 offen offset:0 lds
    s_add_u32 s12, s12, 0x80
    s_addc_u32 s13, s13, 0
    s_sub_u32 s14, s14, 0x80
    s_add_u32 s16, s16, 0x80
    s_addc_u32 s17, s17, 0
    s_sub_u32 s18, s18, 0x80
    s_add_u32 s26, s26, 0x8000
    s_cmp_eq_u32 s26, s28
    s_cselect_b32 s26, s27, s26
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
    v_mov_b32 v140, 0x0
    s_mul_i32 s33, s3, 0x80
    v_mov_b32 v141, s33
    v_add_u32 v142, 0x0, v11
    v_add_u32 v143, 0x20, v11
    v_add_u32 v144, v141, v142
    v_add_u32 v145, v141, v143
    s_mul_i32 s33, s2, 0x80
    v_mov_b32 v146, s33
    v_mov_b32 v147, 0x7
    v_min_u32 v6, 31, v147
    v_ashrrev_i32 v148, v6, v146
    v_mov_b32 v149, 0x10
    v_mul_lo_u32 v150, v148, v149
    v_mov_b32 v72, v140
    v_mov_b32 v73, v140
    v_mov_b32 v74, v140
    v_mov_b32 v75, v140
    v_mov_b32 v76, v140
    v_mov_b32 v77, v140
    v_mov_b32 v78, v140
    v_mov_b32 v79, v140
    v_mov_b32 v80, v140
    v_mov_b32 v81, v140
    v_mov_b32 v82, v140
    v_mov_b32 v83, v140
    v_mov_b32 v84, v140
    v_mov_b32 v85, v140
    v_mov_b32 v86, v140
    v_mov_b32 v87, v140
    v_mov_b32 v88, v140
    v_mov_b32 v89, v140
    v_mov_b32 v90, v140
    v_mov_b32 v91, v140
    v_mov_b32 v92, v140
    v_mov_b32 v93, v140
    v_mov_b32 v94, v140
    v_mov_b32 v95, v140
    v_mov_b32 v96, v140
    v_mov_b32 v97, v140
    v_mov_b32 v98, v140
    v_mov_b32 v99, v140
    v_mov_b32 v100, v140
    v_mov_b32 v101, v140
    v_mov_b32 v102, v140
    v_mov_b32 v103, v140
    v_mov_b32 v104, v140
    v_mov_b32 v105, v140
    v_mov_b32 v106, v140
    v_mov_b32 v107, v140
    v_mov_b32 v108, v140
    v_mov_b32 v109, v140
    v_mov_b32 v110, v140
    v_mov_b32 v111, v140
    v_mov_b32 v112, v140
    v_mov_b32 v113, v140
    v_mov_b32 v114, v140
    v_mov_b32 v115, v140
    v_mov_b32 v116, v140
    v_mov_b32 v117, v140
    v_mov_b32 v118, v140
    v_mov_b32 v119, v140
    v_mov_b32 v120, v140
    v_mov_b32 v121, v140
    v_mov_b32 v122, v140
    v_mov_b32 v123, v140
    v_mov_b32 v124, v140
    v_mov_b32 v125, v140
    v_mov_b32 v126, v140
    v_mov_b32 v127, v140
    v_mov_b32 v128, v140
    v_mov_b32 v129, v140
    v_mov_b32 v130, v140
    v_mov_b32 v131, v140
    v_mov_b32 v132, v140
    v_mov_b32 v133, v140
    v_mov_b32 v134, v140
    v_mov_b32 v135, v140
    v_mov_b32 v136, v144
    v_mov_b32 v137, v145
    v_mov_b32 v138, v150
    v_mov_b32 v139, v150
    s_waitcnt vmcnt(0)
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
    s_mov_b32 s29, 0xf
.Lloop0:
    s_waitcnt lgkmcnt(0)
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[48:49], v[40:41], 0
    ds_read_b128 v[56:59], v29 offset:0
    ds_read_b128 v[60:63], v29 offset:4096
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[52:53], v[40:41], 0
    ds_read_b128 v[64:67], v37 offset:0
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[48:49], v[44:45], 0
    ds_read_b128 v[68:71], v37 offset:4096
    s_add_u32 m0, s26, 0x0
    s_nop 0
    buffer_load_dwordx4 v14, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x1000
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[52:53], v[44:45], 0
    buffer_load_dwordx4 v15, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x2000
    v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[50:51], v[42:43], a[0:15]
    buffer_load_dwordx4 v16, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x3000
    s_nop 0
    buffer_load_dwordx4 v17, s[12:15], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x4000
    v_mfma_f32_32x32x16_fp8_fp8 a[16:31], v[54:55], v[42:43], a[16:31]
    buffer_load_dwordx4 v18, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x5000
    v_mfma_f32_32x32x16_fp8_fp8 a[32:47], v[50:51], v[46:47], a[32:47]
    buffer_load_dwordx4 v19, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x6000
    s_nop 0
    buffer_load_dwordx4 v20, s[16:19], 0 offen offset:0 lds
    s_add_u32 m0, s26, 0x7000
    v_mfma_f32_32x32x16_fp8_fp8 a[48:63], v[54:55], v[46:47], a[48:63]
    buffer_load_dwordx4 v21, s[16:19], 0 offen offset:0 lds
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
    s_waitcnt vmcnt(0)
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
    v_mov_b32 v142, 0x10000
    v_mov_b32 v143, 0
    v_cmp_lt_i32 vcc, v136, v142
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v136, 0x4, s[38:39]
    global_load_dword v143, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    v_mov_b32 v144, 0
    v_cmp_lt_i32 vcc, v137, v142
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v137, 0x4, s[38:39]
    global_load_dword v144, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    s_waitcnt vmcnt(0)
    v_mov_b32 v147, 0x380
    v_mov_b32 v148, 0
    v_cmp_lt_i32 vcc, v138, v147
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v138, 0x4, s[40:41]
    global_load_dword v148, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    v_mov_b32 v149, 0
    v_cmp_lt_i32 vcc, v139, v147
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v139, 0x4, s[40:41]
    global_load_dword v149, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    s_waitcnt vmcnt(0)
    v_mul_f32 v150, v143, v148
    v_mul_f32 v151, v144, v149
    v_mov_b32 v152, 0x1000
    v_add_u32 v153, v136, v152
    v_add_u32 v154, v137, v152
    v_mov_b32 v155, 0x1
    v_add_u32 v156, v138, v155
    v_add_u32 v157, v139, v155
    v_accvgpr_read_b32 v158, a0
    v_accvgpr_read_b32 v159, a1
    v_accvgpr_read_b32 v160, a2
    v_accvgpr_read_b32 v161, a3
    v_fma_f32 v72, v158, v150, v72
    v_fma_f32 v73, v159, v150, v73
    v_fma_f32 v74, v160, v150, v74
    v_fma_f32 v75, v161, v150, v75
    v_accvgpr_read_b32 v158, a4
    v_accvgpr_read_b32 v159, a5
    v_accvgpr_read_b32 v160, a6
    v_accvgpr_read_b32 v161, a7
    v_fma_f32 v76, v158, v150, v76
    v_fma_f32 v77, v159, v150, v77
    v_fma_f32 v78, v160, v150, v78
    v_fma_f32 v79, v161, v150, v79
    v_accvgpr_read_b32 v158, a8
    v_accvgpr_read_b32 v159, a9
    v_accvgpr_read_b32 v160, a10
    v_accvgpr_read_b32 v161, a11
    v_fma_f32 v80, v158, v150, v80
    v_fma_f32 v81, v159, v150, v81
    v_fma_f32 v82, v160, v150, v82
    v_fma_f32 v83, v161, v150, v83
    v_accvgpr_read_b32 v158, a12
    v_accvgpr_read_b32 v159, a13
    v_accvgpr_read_b32 v160, a14
    v_accvgpr_read_b32 v161, a15
    v_fma_f32 v84, v158, v150, v84
    v_fma_f32 v85, v159, v150, v85
    v_fma_f32 v86, v160, v150, v86
    v_fma_f32 v87, v161, v150, v87
    v_accvgpr_read_b32 v158, a16
    v_accvgpr_read_b32 v159, a17
    v_accvgpr_read_b32 v160, a18
    v_accvgpr_read_b32 v161, a19
    v_fma_f32 v88, v158, v150, v88
    v_fma_f32 v89, v159, v150, v89
    v_fma_f32 v90, v160, v150, v90
    v_fma_f32 v91, v161, v150, v91
    v_accvgpr_read_b32 v158, a20
    v_accvgpr_read_b32 v159, a21
    v_accvgpr_read_b32 v160, a22
    v_accvgpr_read_b32 v161, a23
    v_fma_f32 v92, v158, v150, v92
    v_fma_f32 v93, v159, v150, v93
    v_fma_f32 v94, v160, v150, v94
    v_fma_f32 v95, v161, v150, v95
    v_accvgpr_read_b32 v158, a24
    v_accvgpr_read_b32 v159, a25
    v_accvgpr_read_b32 v160, a26
    v_accvgpr_read_b32 v161, a27
    v_fma_f32 v96, v158, v150, v96
    v_fma_f32 v97, v159, v150, v97
    v_fma_f32 v98, v160, v150, v98
    v_fma_f32 v99, v161, v150, v99
    v_accvgpr_read_b32 v158, a28
    v_accvgpr_read_b32 v159, a29
    v_accvgpr_read_b32 v160, a30
    v_accvgpr_read_b32 v161, a31
    v_fma_f32 v100, v158, v150, v100
    v_fma_f32 v101, v159, v150, v101
    v_fma_f32 v102, v160, v150, v102
    v_fma_f32 v103, v161, v150, v103
    v_accvgpr_read_b32 v158, a32
    v_accvgpr_read_b32 v159, a33
    v_accvgpr_read_b32 v160, a34
    v_accvgpr_read_b32 v161, a35
    v_fma_f32 v104, v158, v151, v104
    v_fma_f32 v105, v159, v151, v105
    v_fma_f32 v106, v160, v151, v106
    v_fma_f32 v107, v161, v151, v107
    v_accvgpr_read_b32 v158, a36
    v_accvgpr_read_b32 v159, a37
    v_accvgpr_read_b32 v160, a38
    v_accvgpr_read_b32 v161, a39
    v_fma_f32 v108, v158, v151, v108
    v_fma_f32 v109, v159, v151, v109
    v_fma_f32 v110, v160, v151, v110
    v_fma_f32 v111, v161, v151, v111
    v_accvgpr_read_b32 v158, a40
    v_accvgpr_read_b32 v159, a41
    v_accvgpr_read_b32 v160, a42
    v_accvgpr_read_b32 v161, a43
    v_fma_f32 v112, v158, v151, v112
    v_fma_f32 v113, v159, v151, v113
    v_fma_f32 v114, v160, v151, v114
    v_fma_f32 v115, v161, v151, v115
    v_accvgpr_read_b32 v158, a44
    v_accvgpr_read_b32 v159, a45
    v_accvgpr_read_b32 v160, a46
    v_accvgpr_read_b32 v161, a47
    v_fma_f32 v116, v158, v151, v116
    v_fma_f32 v117, v159, v151, v117
    v_fma_f32 v118, v160, v151, v118
    v_fma_f32 v119, v161, v151, v119
    v_accvgpr_read_b32 v158, a48
    v_accvgpr_read_b32 v159, a49
    v_accvgpr_read_b32 v160, a50
    v_accvgpr_read_b32 v161, a51
    v_fma_f32 v120, v158, v151, v120
    v_fma_f32 v121, v159, v151, v121
    v_fma_f32 v122, v160, v151, v122
    v_fma_f32 v123, v161, v151, v123
    v_accvgpr_read_b32 v158, a52
    v_accvgpr_read_b32 v159, a53
    v_accvgpr_read_b32 v160, a54
    v_accvgpr_read_b32 v161, a55
    v_fma_f32 v124, v158, v151, v124
    v_fma_f32 v125, v159, v151, v125
    v_fma_f32 v126, v160, v151, v126
    v_fma_f32 v127, v161, v151, v127
    v_accvgpr_read_b32 v158, a56
    v_accvgpr_read_b32 v159, a57
    v_accvgpr_read_b32 v160, a58
    v_accvgpr_read_b32 v161, a59
    v_fma_f32 v128, v158, v151, v128
    v_fma_f32 v129, v159, v151, v129
    v_fma_f32 v130, v160, v151, v130
    v_fma_f32 v131, v161, v151, v131
    v_accvgpr_read_b32 v158, a60
    v_accvgpr_read_b32 v159, a61
    v_accvgpr_read_b32 v160, a62
    v_accvgpr_read_b32 v161, a63
    v_fma_f32 v132, v158, v151, v132
    v_fma_f32 v133, v159, v151, v133
    v_fma_f32 v134, v160, v151, v134
    v_fma_f32 v135, v161, v151, v135
    v_mov_b32 v136, v153
    v_mov_b32 v137, v154
    v_mov_b32 v138, v156
    v_mov_b32 v139, v157
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
    v_mov_b32 v142, 0x10000
    v_mov_b32 v143, 0
    v_cmp_lt_i32 vcc, v136, v142
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v136, 0x4, s[38:39]
    global_load_dword v143, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    v_mov_b32 v144, 0
    v_cmp_lt_i32 vcc, v137, v142
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v137, 0x4, s[38:39]
    global_load_dword v144, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    s_waitcnt vmcnt(0)
    v_mov_b32 v147, 0x380
    v_mov_b32 v148, 0
    v_cmp_lt_i32 vcc, v138, v147
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v138, 0x4, s[40:41]
    global_load_dword v148, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    v_mov_b32 v149, 0
    v_cmp_lt_i32 vcc, v139, v147
    s_and_saveexec_b64 s[36:37], vcc
    v_mad_u64_u32 v[2:3], vcc, v139, 0x4, s[40:41]
    global_load_dword v149, v[2:3], off offset:0
    s_mov_b64 exec, s[36:37]
    s_waitcnt vmcnt(0)
    v_mul_f32 v150, v143, v148
    v_mul_f32 v151, v144, v149
    v_mov_b32 v152, 0x1000
    v_add_u32 v153, v136, v152
    v_add_u32 v154, v137, v152
    v_mov_b32 v155, 0x1
    v_add_u32 v156, v138, v155
    v_add_u32 v157, v139, v155
    v_accvgpr_read_b32 v158, a0
    v_accvgpr_read_b32 v159, a1
    v_accvgpr_read_b32 v160, a2
    v_accvgpr_read_b32 v161, a3
    v_fma_f32 v72, v158, v150, v72
    v_fma_f32 v73, v159, v150, v73
    v_fma_f32 v74, v160, v150, v74
    v_fma_f32 v75, v161, v150, v75
    v_accvgpr_read_b32 v158, a4
    v_accvgpr_read_b32 v159, a5
    v_accvgpr_read_b32 v160, a6
    v_accvgpr_read_b32 v161, a7
    v_fma_f32 v76, v158, v150, v76
    v_fma_f32 v77, v159, v150, v77
    v_fma_f32 v78, v160, v150, v78
    v_fma_f32 v79, v161, v150, v79
    v_accvgpr_read_b32 v158, a8
    v_accvgpr_read_b32 v159, a9
    v_accvgpr_read_b32 v160, a10
    v_accvgpr_read_b32 v161, a11
    v_fma_f32 v80, v158, v150, v80
    v_fma_f32 v81, v159, v150, v81
    v_fma_f32 v82, v160, v150, v82
    v_fma_f32 v83, v161, v150, v83
    v_accvgpr_read_b32 v158, a12
    v_accvgpr_read_b32 v159, a13
    v_accvgpr_read_b32 v160, a14
    v_accvgpr_read_b32 v161, a15
    v_fma_f32 v84, v158, v150, v84
    v_fma_f32 v85, v159, v150, v85
    v_fma_f32 v86, v160, v150, v86
    v_fma_f32 v87, v161, v150, v87
    v_accvgpr_read_b32 v158, a16
    v_accvgpr_read_b32 v159, a17
    v_accvgpr_read_b32 v160, a18
    v_accvgpr_read_b32 v161, a19
    v_fma_f32 v88, v158, v150, v88
    v_fma_f32 v89, v159, v150, v89
    v_fma_f32 v90, v160, v150, v90
    v_fma_f32 v91, v161, v150, v91
    v_accvgpr_read_b32 v158, a20
    v_accvgpr_read_b32 v159, a21
    v_accvgpr_read_b32 v160, a22
    v_accvgpr_read_b32 v161, a23
    v_fma_f32 v92, v158, v150, v92
    v_fma_f32 v93, v159, v150, v93
    v_fma_f32 v94, v160, v150, v94
    v_fma_f32 v95, v161, v150, v95
    v_accvgpr_read_b32 v158, a24
    v_accvgpr_read_b32 v159, a25
    v_accvgpr_read_b32 v160, a26
    v_accvgpr_read_b32 v161, a27
    v_fma_f32 v96, v158, v150, v96
    v_fma_f32 v97, v159, v150, v97
    v_fma_f32 v98, v160, v150, v98
    v_fma_f32 v99, v161, v150, v99
    v_accvgpr_read_b32 v158, a28
    v_accvgpr_read_b32 v159, a29
    v_accvgpr_read_b32 v160, a30
    v_accvgpr_read_b32 v161, a31
    v_fma_f32 v100, v158, v150, v100
    v_fma_f32 v101, v159, v150, v101
    v_fma_f32 v102, v160, v150, v102
    v_fma_f32 v103, v161, v150, v103
    v_accvgpr_read_b32 v158, a32
    v_accvgpr_read_b32 v159, a33
    v_accvgpr_read_b32 v160, a34
    v_accvgpr_read_b32 v161, a35
    v_fma_f32 v104, v158, v151, v104
    v_fma_f32 v105, v159, v151, v105
    v_fma_f32 v106, v160, v151, v106
    v_fma_f32 v107, v161, v151, v107
    v_accvgpr_read_b32 v158, a36
    v_accvgpr_read_b32 v159, a37
    v_accvgpr_read_b32 v160, a38
    v_accvgpr_read_b32 v161, a39
    v_fma_f32 v108, v158, v151, v108
    v_fma_f32 v109, v159, v151, v109
    v_fma_f32 v110, v160, v151, v110
    v_fma_f32 v111, v161, v151, v111
    v_accvgpr_read_b32 v158, a40
    v_accvgpr_read_b32 v159, a41
    v_accvgpr_read_b32 v160, a42
    v_accvgpr_read_b32 v161, a43
    v_fma_f32 v112, v158, v151, v112
    v_fma_f32 v113, v159, v151, v113
    v_fma_f32 v114, v160, v151, v114
    v_fma_f32 v115, v161, v151, v115
    v_accvgpr_read_b32 v158, a44
    v_accvgpr_read_b32 v159, a45
    v_accvgpr_read_b32 v160, a46
    v_accvgpr_read_b32 v161, a47
    v_fma_f32 v116, v158, v151, v116
    v_fma_f32 v117, v159, v151, v117
    v_fma_f32 v118, v160, v151, v118
    v_fma_f32 v119, v161, v151, v119
    v_accvgpr_read_b32 v158, a48
    v_accvgpr_read_b32 v159, a49
    v_accvgpr_read_b32 v160, a50
    v_accvgpr_read_b32 v161, a51
    v_fma_f32 v120, v158, v151, v120
    v_fma_f32 v121, v159, v151, v121
    v_fma_f32 v122, v160, v151, v122
    v_fma_f32 v123, v161, v151, v123
    v_accvgpr_read_b32 v158, a52
    v_accvgpr_read_b32 v159, a53
    v_accvgpr_read_b32 v160, a54
    v_accvgpr_read_b32 v161, a55
    v_fma_f32 v124, v158, v151, v124
    v_fma_f32 v125, v159, v151, v125
    v_fma_f32 v126, v160, v151, v126
    v_fma_f32 v127, v161, v151, v127
    v_accvgpr_read_b32 v158, a56
    v_accvgpr_read_b32 v159, a57
    v_accvgpr_read_b32 v160, a58
    v_accvgpr_read_b32 v161, a59
    v_fma_f32 v128, v158, v151, v128
    v_fma_f32 v129, v159, v151, v129
    v_fma_f32 v130, v160, v151, v130
    v_fma_f32 v131, v161, v151, v131
    v_accvgpr_read_b32 v158, a60
    v_accvgpr_read_b32 v159, a61
    v_accvgpr_read_b32 v160, a62
    v_accvgpr_read_b32 v161, a63
    v_fma_f32 v132, v158, v151, v132
    v_fma_f32 v133, v159, v151, v133
    v_fma_f32 v134, v160, v151, v134
    v_fma_f32 v135, v161, v151, v135
    v_mov_b32 v136, v153
    v_mov_b32 v137, v154
    v_mov_b32 v138, v156
    v_mov_b32 v139, v157
    v_accvgpr_write_b32 a0, v72
    v_accvgpr_write_b32 a1, v73
    v_accvgpr_write_b32 a2, v74
    v_accvgpr_write_b32 a3, v75
    v_accvgpr_write_b32 a4, v76
    v_accvgpr_write_b32 a5, v77
    v_accvgpr_write_b32 a6, v78
    v_accvgpr_write_b32 a7, v79
    v_accvgpr_write_b32 a8, v80
    v_accvgpr_write_b32 a9, v81
    v_accvgpr_write_b32 a10, v82
    v_accvgpr_write_b32 a11, v83
    v_accvgpr_write_b32 a12, v84
    v_accvgpr_write_b32 a13, v85
    v_accvgpr_write_b32 a14, v86
    v_accvgpr_write_b32 a15, v87
    v_accvgpr_write_b32 a16, v88
    v_accvgpr_write_b32 a17, v89
    v_accvgpr_write_b32 a18, v90
    v_accvgpr_write_b32 a19, v91
    v_accvgpr_write_b32 a20, v92
    v_accvgpr_write_b32 a21, v93
    v_accvgpr_write_b32 a22, v94
    v_accvgpr_write_b32 a23, v95
    v_accvgpr_write_b32 a24, v96
    v_accvgpr_write_b32 a25, v97
    v_accvgpr_write_b32 a26, v98
    v_accvgpr_write_b32 a27, v99
    v_accvgpr_write_b32 a28, v100
    v_accvgpr_write_b32 a29, v101
    v_accvgpr_write_b32 a30, v102
    v_accvgpr_write_b32 a31, v103
    v_accvgpr_write_b32 a32, v104
    v_accvgpr_write_b32 a33, v105
    v_accvgpr_write_b32 a34, v106
    v_accvgpr_write_b32 a35, v107
    v_accvgpr_write_b32 a36, v108
    v_accvgpr_write_b32 a37, v109
    v_accvgpr_write_b32 a38, v110
    v_accvgpr_write_b32 a39, v111
    v_accvgpr_write_b32 a40, v112
    v_accvgpr_write_b32 a41, v113
    v_accvgpr_write_b32 a42, v114
    v_accvgpr_write_b32 a43, v115
    v_accvgpr_write_b32 a44, v116
    v_accvgpr_write_b32 a45, v117
    v_accvgpr_write_b32 a46, v118
    v_accvgpr_write_b32 a47, v119
    v_accvgpr_write_b32 a48, v120
    v_accvgpr_write_b32 a49, v121
    v_accvgpr_write_b32 a50, v122
    v_accvgpr_write_b32 a51, v123
    v_accvgpr_write_b32 a52, v124
    v_accvgpr_write_b32 a53, v125
    v_accvgpr_write_b32 a54, v126
    v_accvgpr_write_b32 a55, v127
    v_accvgpr_write_b32 a56, v128
    v_accvgpr_write_b32 a57, v129
    v_accvgpr_write_b32 a58, v130
    v_accvgpr_write_b32 a59, v131
    v_accvgpr_write_b32 a60, v132
    v_accvgpr_write_b32 a61, v133
    v_accvgpr_write_b32 a62, v134
    v_accvgpr_write_b32 a63, v135
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
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:0
    v_accvgpr_read_b32 v14, a4
    v_accvgpr_read_b32 v15, a5
    v_accvgpr_read_b32 v16, a6
    v_accvgpr_read_b32 v17, a7
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:16
    v_accvgpr_read_b32 v14, a8
    v_accvgpr_read_b32 v15, a9
    v_accvgpr_read_b32 v16, a10
    v_accvgpr_read_b32 v17, a11
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:32
    v_accvgpr_read_b32 v14, a12
    v_accvgpr_read_b32 v15, a13
    v_accvgpr_read_b32 v16, a14
    v_accvgpr_read_b32 v17, a15
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:48
    v_accvgpr_read_b32 v14, a16
    v_accvgpr_read_b32 v15, a17
    v_accvgpr_read_b32 v16, a18
    v_accvgpr_read_b32 v17, a19
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:64
    v_accvgpr_read_b32 v14, a20
    v_accvgpr_read_b32 v15, a21
    v_accvgpr_read_b32 v16, a22
    v_accvgpr_read_b32 v17, a23
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:80
    v_accvgpr_read_b32 v14, a24
    v_accvgpr_read_b32 v15, a25
    v_accvgpr_read_b32 v16, a26
    v_accvgpr_read_b32 v17, a27
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:96
    v_accvgpr_read_b32 v14, a28
    v_accvgpr_read_b32 v15, a29
    v_accvgpr_read_b32 v16, a30
    v_accvgpr_read_b32 v17, a31
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v12, s[20:23], 0 offen offset:112
    v_accvgpr_read_b32 v14, a32
    v_accvgpr_read_b32 v15, a33
    v_accvgpr_read_b32 v16, a34
    v_accvgpr_read_b32 v17, a35
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:0
    v_accvgpr_read_b32 v14, a36
    v_accvgpr_read_b32 v15, a37
    v_accvgpr_read_b32 v16, a38
    v_accvgpr_read_b32 v17, a39
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:16
    v_accvgpr_read_b32 v14, a40
    v_accvgpr_read_b32 v15, a41
    v_accvgpr_read_b32 v16, a42
    v_accvgpr_read_b32 v17, a43
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:32
    v_accvgpr_read_b32 v14, a44
    v_accvgpr_read_b32 v15, a45
    v_accvgpr_read_b32 v16, a46
    v_accvgpr_read_b32 v17, a47
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:48
    v_accvgpr_read_b32 v14, a48
    v_accvgpr_read_b32 v15, a49
    v_accvgpr_read_b32 v16, a50
    v_accvgpr_read_b32 v17, a51
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:64
    v_accvgpr_read_b32 v14, a52
    v_accvgpr_read_b32 v15, a53
    v_accvgpr_read_b32 v16, a54
    v_accvgpr_read_b32 v17, a55
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:80
    v_accvgpr_read_b32 v14, a56
    v_accvgpr_read_b32 v15, a57
    v_accvgpr_read_b32 v16, a58
    v_accvgpr_read_b32 v17, a59
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
    buffer_store_dwordx2 v[18:19], v13, s[20:23], 0 offen offset:96
    v_accvgpr_read_b32 v14, a60
    v_accvgpr_read_b32 v15, a61
    v_accvgpr_read_b32 v16, a62
    v_accvgpr_read_b32 v17, a63
    v_cvt_pk_bf16_f32 v18, v14, v15
    v_cvt_pk_bf16_f32 v19, v16, v17
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
        .amdhsa_next_free_vgpr 240
        .amdhsa_accum_offset 176
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
    .kernarg_segment_size: 40
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 65536
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 48
    .vgpr_count: 240
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
