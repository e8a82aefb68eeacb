/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel descriptor and metadata of code object version 5: LLVM 22, AMDGPUUsage, "Assembler
 * Directives" and "Code Object V5 Metadata".  A kernel so described starts with the address of its
 * arguments in s[0:1], its block's number in s2 (x), s3 (y) and, where it has a third, s4 (z), and its
 * thread's in v0.  Behind the end stand 16 lines of the instruction cache of s_nop, as LLVM 22 puts
 * them there for gfx90a and later: what is fetched ahead is never stale. */
#include "isa/frame.h"

static const char head[] = "    .amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n"
                           "    .amdhsa_code_object_version 5\n"
                           "    .text\n"
                           "    .protected {name}\n"
                           "    .globl {name}\n"
                           "    .p2align 8\n"
                           "    .type {name},@function\n"
                           "{name}:\n";

static const char tail[] =
    "    s_endpgm\n"
    ".Lend:\n"
    "    .size {name}, .Lend-{name}\n"
    "    .p2alignl 6, 0xbf800000\n"
    "    .fill 256, 4, 0xbf800000\n"
    "    .section .rodata,\"a\",@progbits\n"
    "    .p2align 6, 0x0\n"
    "    .amdhsa_kernel {name}\n"
    "        .amdhsa_group_segment_fixed_size {smem}\n"
    "        .amdhsa_private_segment_fixed_size 0\n"
    "        .amdhsa_kernarg_size {arguments}\n"
    "        .amdhsa_user_sgpr_count 2\n"
    "        .amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
    "        .amdhsa_system_sgpr_workgroup_id_x 1\n"
    "        .amdhsa_system_sgpr_workgroup_id_y 1\n"
    "        .amdhsa_system_sgpr_workgroup_id_z {third}\n"
    "        .amdhsa_system_vgpr_workitem_id 0\n"
    "        .amdhsa_next_free_vgpr {both}\n"
    "        .amdhsa_accum_offset {registers}\n"
    "        .amdhsa_next_free_sgpr {scalars}\n"
    "        .amdhsa_reserve_vcc 1\n"
    "        .amdhsa_float_denorm_mode_32 3\n"
    "        .amdhsa_float_denorm_mode_16_64 3\n"
    "    .end_amdhsa_kernel\n"
    "    .text\n"
    "    .amdgpu_metadata\n"
    "---\n"
    "amdhsa.version: [1, 2]\n"
    "amdhsa.target: amdgcn-amd-amdhsa--{target}\n"
    "amdhsa.kernels:\n"
    "  - .name: {name}\n"
    "    .symbol: {name}.kd\n"
    "    .kernarg_segment_size: {arguments}\n"
    "    .kernarg_segment_align: 8\n"
    "    .group_segment_fixed_size: {smem}\n"
    "    .private_segment_fixed_size: 0\n"
    "    .wavefront_size: {lanes}\n"
    "    .sgpr_count: {scalars}\n"
    "    .vgpr_count: {both}\n"
    "    .agpr_count: {accumulators}\n"
    "    .max_flat_workgroup_size: {threads}\n"
    "    .args:\n"
    "{args}"
    "...\n"
    "    .end_amdgpu_metadata\n";

zl_text_frame zl_target_frame(const zlay_target *target)
{
    (void)target;
    return (zl_text_frame){head, tail};
}
