; zlay 0.3.0: D[5,72] = A B, K = 264, bf16 with weights of u4 and zeros; tile 16x64x128; grid 2 x 1 blocks of 128 threads
    .amdgcn_target "amdgcn-amd-amdhsa--gfx950"
    .amdhsa_code_object_version 5
    .text
    .protected weights
    .globl weights
    .p2align 8
    .type weights,@function
weights:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[6:7], s[0:1], 0x8
    s_load_dwordx2 s[8:9], s[0:1], 0x10
    s_load_dwordx2 s[10:11], s[0:1], 0x18
    s_load_dwordx2 s[12:13], s[0:1], 0x20
    v_and_b32 v0, 0x3ff, v0
    v_mov_b32 v8, 0x7fff0000
    s_mov_b32 s31, 0x7fff
    s_mov_b32 s32, 0x7060302
    s_mov_b32 s35, 0xffff
    v_lshrrev_b32 v1, 6, v0
    v_and_b32 v2, 15, v0
    v_bfe_u32 v3, v0, 4, 2
    v_lshlrev_b32 v9, 4, v3
    v_lshl_add_u32 v9, v2, 6, v9
    v_lshl_add_u32 v9, v1, 10, v9
    s_lshl_b32 s30, s2, 7
    v_lshrrev_b32 v4, 3, v2
    v_and_b32 v5, 7, v2
    v_lshlrev_b32 v5, 1, v5
    v_lshl_add_u32 v10, v4, 5, v5
    v_lshl_add_u32 v10, v1, 6, v10
    v_add_u32 v10, s30, v10
    v_lshrrev_b32 v4, 1, v3
    v_and_b32 v5, 1, v3
    v_lshlrev_b32 v5, 3, v5
    v_lshl_add_u32 v11, v4, 5, v5
    v_lshl_add_u32 v11, v1, 6, v11
    v_add_u32 v11, s30, v11
    s_mul_i32 s33, s3, 0x10
    v_and_b32 v1, 15, v0
    v_add_u32 v1, s33, v1
    s_mov_b32 s33, 0x210
    v_mul_lo_u32 v1, v1, s33
    v_lshl_add_u32 v12, v3, 2, v1
    s_waitcnt lgkmcnt(0)
    s_mul_hi_u32 s33, s2, 0x3000
    s_mul_i32 s34, s2, 0x3000
    s_add_u32 s6, s6, s34
    s_addc_u32 s7, s7, s33
    s_mov_b32 s40, s4
    s_and_b32 s41, s5, 0xffff
    s_mov_b32 s42, 0xa50
    s_mov_b32 s43, 0x20000
    s_mov_b32 s44, s6
    s_and_b32 s45, s7, 0xffff
    s_mov_b32 s46, 0x3000
    s_mov_b32 s47, 0x20000
    s_mov_b32 s48, s8
    s_and_b32 s49, s9, 0xffff
    s_mov_b32 s50, 0x1b0
    s_mov_b32 s51, 0x20000
    s_mov_b32 s52, s10
    s_and_b32 s53, s11, 0xffff
    s_mov_b32 s54, 0x1b0
    s_mov_b32 s55, 0x20000
    s_mov_b32 s56, s12
    s_and_b32 s57, s13, 0xffff
    s_mov_b32 s58, 0x2d0
    s_mov_b32 s59, 0x20000
    v_mov_b32 v16, 0
    v_mov_b32 v17, 0
    v_mov_b32 v18, 0
    v_mov_b32 v19, 0
    v_mov_b32 v20, 0
    v_mov_b32 v21, 0
    v_mov_b32 v22, 0
    v_mov_b32 v23, 0
    buffer_load_dwordx4 v[24:27], v9, s[44:47], 0 offen offset:0
    buffer_load_dwordx4 v[28:31], v9, s[44:47], 0 offen offset:2048
    s_add_u32 s44, s44, 0x1000
    s_addc_u32 s45, s45, 0
    s_sub_u32 s46, s46, 0x1000
    buffer_load_ushort v32, v10, s[52:55], 0 offen offset:0
    buffer_load_ushort v33, v10, s[52:55], 0 offen offset:16
    s_add_u32 s52, s52, 0x90
    s_addc_u32 s53, s53, 0
    s_sub_u32 s54, s54, 0x90
    buffer_load_dword v36, v12, s[40:43], 0 offen offset:0
    buffer_load_dword v37, v12, s[40:43], 0 offen offset:16
    buffer_load_dword v38, v12, s[40:43], 0 offen offset:32
    buffer_load_dword v39, v12, s[40:43], 0 offen offset:48
    buffer_load_dword v40, v12, s[40:43], 0 offen offset:64
    buffer_load_dword v41, v12, s[40:43], 0 offen offset:80
    buffer_load_dword v42, v12, s[40:43], 0 offen offset:96
    buffer_load_dword v43, v12, s[40:43], 0 offen offset:112
    buffer_load_dword v44, v12, s[40:43], 0 offen offset:128
    buffer_load_dword v45, v12, s[40:43], 0 offen offset:144
    buffer_load_dword v46, v12, s[40:43], 0 offen offset:160
    buffer_load_dword v47, v12, s[40:43], 0 offen offset:176
    buffer_load_dword v48, v12, s[40:43], 0 offen offset:192
    buffer_load_dword v49, v12, s[40:43], 0 offen offset:208
    buffer_load_dword v50, v12, s[40:43], 0 offen offset:224
    buffer_load_dword v51, v12, s[40:43], 0 offen offset:240
    s_add_u32 s40, s40, 0x100
    s_addc_u32 s41, s41, 0
    s_sub_u32 s42, s42, 0x100
    buffer_load_dwordx2 v[52:53], v11, s[48:51], 0 offen offset:0
    buffer_load_dwordx2 v[54:55], v11, s[48:51], 0 offen offset:16
    s_add_u32 s48, s48, 0x90
    s_addc_u32 s49, s49, 0
    s_sub_u32 s50, s50, 0x90
    s_mov_b32 s29, 0x2
    s_cmp_eq_u32 s29, 0
    s_cbranch_scc1 .Lafter
.Lloop:
    s_waitcnt vmcnt(0)
    v_lshlrev_b32 v34, 16, v32
    v_lshlrev_b32 v35, 16, v33
    v_and_b32 v1, 0xf0f0f0f, v24
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v64, v6, v4, s32
    v_perm_b32 v65, v7, v5, s32
    v_lshrrev_b32 v1, 4, v24
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v66, v6, v4, s32
    v_perm_b32 v67, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v25
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v68, v6, v4, s32
    v_perm_b32 v69, v7, v5, s32
    v_lshrrev_b32 v1, 4, v25
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v70, v6, v4, s32
    v_perm_b32 v71, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v26
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v72, v6, v4, s32
    v_perm_b32 v73, v7, v5, s32
    v_lshrrev_b32 v1, 4, v26
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v74, v6, v4, s32
    v_perm_b32 v75, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v27
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v76, v6, v4, s32
    v_perm_b32 v77, v7, v5, s32
    v_lshrrev_b32 v1, 4, v27
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v78, v6, v4, s32
    v_perm_b32 v79, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v28
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v80, v6, v4, s32
    v_perm_b32 v81, v7, v5, s32
    v_lshrrev_b32 v1, 4, v28
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v82, v6, v4, s32
    v_perm_b32 v83, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v29
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v84, v6, v4, s32
    v_perm_b32 v85, v7, v5, s32
    v_lshrrev_b32 v1, 4, v29
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v86, v6, v4, s32
    v_perm_b32 v87, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v30
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v88, v6, v4, s32
    v_perm_b32 v89, v7, v5, s32
    v_lshrrev_b32 v1, 4, v30
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v90, v6, v4, s32
    v_perm_b32 v91, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v31
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v92, v6, v4, s32
    v_perm_b32 v93, v7, v5, s32
    v_lshrrev_b32 v1, 4, v31
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v94, v6, v4, s32
    v_perm_b32 v95, v7, v5, s32
    buffer_load_dwordx4 v[24:27], v9, s[44:47], 0 offen offset:0
    buffer_load_dwordx4 v[28:31], v9, s[44:47], 0 offen offset:2048
    s_add_u32 s44, s44, 0x1000
    s_addc_u32 s45, s45, 0
    s_sub_u32 s46, s46, 0x1000
    buffer_load_ushort v32, v10, s[52:55], 0 offen offset:0
    buffer_load_ushort v33, v10, s[52:55], 0 offen offset:16
    s_add_u32 s52, s52, 0x90
    s_addc_u32 s53, s53, 0
    s_sub_u32 s54, s54, 0x90
    v_mfma_f32_16x16x16_bf16 v[96:99], v[64:65], v[36:37], 0
    v_mfma_f32_16x16x16_bf16 v[100:103], v[66:67], v[36:37], 0
    v_mfma_f32_16x16x16_bf16 v[96:99], v[68:69], v[38:39], v[96:99]
    v_mfma_f32_16x16x16_bf16 v[100:103], v[70:71], v[38:39], v[100:103]
    v_mfma_f32_16x16x16_bf16 v[96:99], v[72:73], v[40:41], v[96:99]
    v_mfma_f32_16x16x16_bf16 v[100:103], v[74:75], v[40:41], v[100:103]
    v_mfma_f32_16x16x16_bf16 v[96:99], v[76:77], v[42:43], v[96:99]
    v_mfma_f32_16x16x16_bf16 v[100:103], v[78:79], v[42:43], v[100:103]
    v_mfma_f32_16x16x16_bf16 v[96:99], v[80:81], v[44:45], v[96:99]
    v_mfma_f32_16x16x16_bf16 v[100:103], v[82:83], v[44:45], v[100:103]
    v_mfma_f32_16x16x16_bf16 v[96:99], v[84:85], v[46:47], v[96:99]
    v_mfma_f32_16x16x16_bf16 v[100:103], v[86:87], v[46:47], v[100:103]
    v_mfma_f32_16x16x16_bf16 v[96:99], v[88:89], v[48:49], v[96:99]
    v_mfma_f32_16x16x16_bf16 v[100:103], v[90:91], v[48:49], v[100:103]
    v_mfma_f32_16x16x16_bf16 v[96:99], v[92:93], v[50:51], v[96:99]
    v_mfma_f32_16x16x16_bf16 v[100:103], v[94:95], v[50:51], v[100:103]
    v_lshlrev_b32 v56, 16, v52
    v_and_b32 v57, 0xffff0000, v52
    v_lshlrev_b32 v58, 16, v53
    v_and_b32 v59, 0xffff0000, v53
    v_lshlrev_b32 v60, 16, v54
    v_and_b32 v61, 0xffff0000, v54
    v_lshlrev_b32 v62, 16, v55
    v_and_b32 v63, 0xffff0000, v55
    v_fma_f32 v16, v96, v56, v16
    v_fma_f32 v17, v97, v57, v17
    v_fma_f32 v18, v98, v58, v18
    v_fma_f32 v19, v99, v59, v19
    v_fma_f32 v20, v100, v60, v20
    v_fma_f32 v21, v101, v61, v21
    v_fma_f32 v22, v102, v62, v22
    v_fma_f32 v23, v103, v63, v23
    buffer_load_dword v36, v12, s[40:43], 0 offen offset:0
    buffer_load_dword v37, v12, s[40:43], 0 offen offset:16
    buffer_load_dword v38, v12, s[40:43], 0 offen offset:32
    buffer_load_dword v39, v12, s[40:43], 0 offen offset:48
    buffer_load_dword v40, v12, s[40:43], 0 offen offset:64
    buffer_load_dword v41, v12, s[40:43], 0 offen offset:80
    buffer_load_dword v42, v12, s[40:43], 0 offen offset:96
    buffer_load_dword v43, v12, s[40:43], 0 offen offset:112
    buffer_load_dword v44, v12, s[40:43], 0 offen offset:128
    buffer_load_dword v45, v12, s[40:43], 0 offen offset:144
    buffer_load_dword v46, v12, s[40:43], 0 offen offset:160
    buffer_load_dword v47, v12, s[40:43], 0 offen offset:176
    buffer_load_dword v48, v12, s[40:43], 0 offen offset:192
    buffer_load_dword v49, v12, s[40:43], 0 offen offset:208
    buffer_load_dword v50, v12, s[40:43], 0 offen offset:224
    buffer_load_dword v51, v12, s[40:43], 0 offen offset:240
    s_add_u32 s40, s40, 0x100
    s_addc_u32 s41, s41, 0
    s_sub_u32 s42, s42, 0x100
    buffer_load_dwordx2 v[52:53], v11, s[48:51], 0 offen offset:0
    buffer_load_dwordx2 v[54:55], v11, s[48:51], 0 offen offset:16
    s_add_u32 s48, s48, 0x90
    s_addc_u32 s49, s49, 0
    s_sub_u32 s50, s50, 0x90
    s_sub_u32 s29, s29, 1
    s_cmp_lg_u32 s29, 0
    s_cbranch_scc1 .Lloop
.Lafter:
    s_waitcnt vmcnt(0)
    v_lshlrev_b32 v34, 16, v32
    v_lshlrev_b32 v35, 16, v33
    v_and_b32 v1, 0xf0f0f0f, v24
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v64, v6, v4, s32
    v_perm_b32 v65, v7, v5, s32
    v_lshrrev_b32 v1, 4, v24
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v66, v6, v4, s32
    v_perm_b32 v67, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v25
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v68, v6, v4, s32
    v_perm_b32 v69, v7, v5, s32
    v_lshrrev_b32 v1, 4, v25
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v70, v6, v4, s32
    v_perm_b32 v71, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v26
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v72, v6, v4, s32
    v_perm_b32 v73, v7, v5, s32
    v_lshrrev_b32 v1, 4, v26
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v74, v6, v4, s32
    v_perm_b32 v75, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v27
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v76, v6, v4, s32
    v_perm_b32 v77, v7, v5, s32
    v_lshrrev_b32 v1, 4, v27
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v78, v6, v4, s32
    v_perm_b32 v79, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v28
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v80, v6, v4, s32
    v_perm_b32 v81, v7, v5, s32
    v_lshrrev_b32 v1, 4, v28
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v82, v6, v4, s32
    v_perm_b32 v83, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v29
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v84, v6, v4, s32
    v_perm_b32 v85, v7, v5, s32
    v_lshrrev_b32 v1, 4, v29
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v86, v6, v4, s32
    v_perm_b32 v87, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v30
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v88, v6, v4, s32
    v_perm_b32 v89, v7, v5, s32
    v_lshrrev_b32 v1, 4, v30
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v90, v6, v4, s32
    v_perm_b32 v91, v7, v5, s32
    v_and_b32 v1, 0xf0f0f0f, v31
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v34
    v_sub_f32 v5, v5, v34
    v_sub_f32 v6, v6, v34
    v_sub_f32 v7, v7, v34
    v_perm_b32 v92, v6, v4, s32
    v_perm_b32 v93, v7, v5, s32
    v_lshrrev_b32 v1, 4, v31
    v_and_b32 v1, 0xf0f0f0f, v1
    v_cvt_f32_ubyte0 v4, v1
    v_cvt_f32_ubyte1 v5, v1
    v_cvt_f32_ubyte2 v6, v1
    v_cvt_f32_ubyte3 v7, v1
    v_sub_f32 v4, v4, v35
    v_sub_f32 v5, v5, v35
    v_sub_f32 v6, v6, v35
    v_sub_f32 v7, v7, v35
    v_perm_b32 v94, v6, v4, s32
    v_perm_b32 v95, v7, v5, s32
    v_mov_b32 v37, 0
    s_nop 1
    v_mfma_f32_16x16x16_bf16 v[96:99], v[64:65], v[36:37], 0
    v_mfma_f32_16x16x16_bf16 v[100:103], v[66:67], v[36:37], 0
    v_lshlrev_b32 v56, 16, v52
    v_and_b32 v57, 0xffff0000, v52
    v_lshlrev_b32 v58, 16, v53
    v_and_b32 v59, 0xffff0000, v53
    v_lshlrev_b32 v60, 16, v54
    v_and_b32 v61, 0xffff0000, v54
    v_lshlrev_b32 v62, 16, v55
    v_and_b32 v63, 0xffff0000, v55
    v_fma_f32 v16, v96, v56, v16
    v_fma_f32 v17, v97, v57, v17
    v_fma_f32 v18, v98, v58, v18
    v_fma_f32 v19, v99, v59, v19
    v_fma_f32 v20, v100, v60, v20
    v_fma_f32 v21, v101, v61, v21
    v_fma_f32 v22, v102, v62, v22
    v_fma_f32 v23, v103, v63, v23
    s_mul_i32 s33, s3, 0x10
    v_and_b32 v1, 15, v0
    v_add_u32 v1, s33, v1
    s_mov_b32 s33, 0x90
    v_mul_lo_u32 v1, v1, s33
    v_lshl_add_u32 v12, v11, 0, v1
    v_cvt_pk_bf16_f32 v104, v16, v17
    v_cvt_pk_bf16_f32 v105, v18, v19
    v_add_u32 v1, 0, v11
    v_bfrev_b32 v2, 1
    v_cmp_gt_u32 vcc, 0x90, v1
    s_nop 1
    v_cndmask_b32 v3, v2, v12, vcc
    buffer_store_dwordx2 v[104:105], v3, s[56:59], 0 offen offset:0
    v_cvt_pk_bf16_f32 v104, v20, v21
    v_cvt_pk_bf16_f32 v105, v22, v23
    v_add_u32 v1, 16, v11
    v_bfrev_b32 v2, 1
    v_cmp_gt_u32 vcc, 0x90, v1
    s_nop 1
    v_cndmask_b32 v3, v2, v12, vcc
    buffer_store_dwordx2 v[104:105], v3, s[56:59], 0 offen offset:16
    s_endpgm
.Lend:
    .size weights, .Lend-weights
    .p2alignl 6, 0xbf800000
    .fill 256, 4, 0xbf800000
    .section .rodata,"a",@progbits
    .p2align 6, 0x0
    .amdhsa_kernel weights
        .amdhsa_group_segment_fixed_size 0
        .amdhsa_private_segment_fixed_size 0
        .amdhsa_kernarg_size 40
        .amdhsa_user_sgpr_count 2
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_system_sgpr_workgroup_id_y 1
        .amdhsa_system_sgpr_workgroup_id_z 0
        .amdhsa_system_vgpr_workitem_id 0
        .amdhsa_next_free_vgpr 108
        .amdhsa_accum_offset 108
        .amdhsa_next_free_sgpr 60
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
  - .name: weights
    .symbol: weights.kd
    .kernarg_segment_size: 40
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 60
    .vgpr_count: 108
    .agpr_count: 0
    .max_flat_workgroup_size: 128
    .args:
      - {.name: ptr_a, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: ptr_b, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: ptr_s, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: ptr_z, .offset: 24, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: read_only}
      - {.name: ptr_d, .offset: 32, .size: 8, .value_kind: global_buffer, .address_space: global, .actual_access: write_only}
...
    .end_amdgpu_metadata
