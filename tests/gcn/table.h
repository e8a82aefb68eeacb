/* SPDX-License-Identifier: Apache-2.0 */
/* The table of instructions: a row a form, from the rows of data. */
#ifndef TEST_GCN_TABLE_H
#define TEST_GCN_TABLE_H

#include "matrix.h"
#include "memory.h"

enum { GCN_ON_NONE = 0, GCN_ON_SCC = 1, GCN_ON_VCC = GCN_VCC, GCN_ON_EXEC = GCN_EXEC };

static const gcn_form gcn_forms[] = {
#define SCALAR(name, widths, scc, ...) \
    {#name, gcn_run_scalar, gcn_do_##name, widths, (scc) == 2, (scc) == 1 ? GCN_F_SCC : 0},
#define SCALAR_K(name, widths, scc, ...) \
    {#name, gcn_run_scalar_k, gcn_do_##name, widths, 0, (scc) ? GCN_F_SCC : 0},
#define SCALAR_X(name, value) {#name, gcn_run_saveexec, gcn_do_##name, "22", 0, GCN_F_SCC},
#define BRANCH(name, on, value) {#name, gcn_run_branch, gcn_do_##name, "", GCN_ON_##on, 0},
#include "scalar.def"
#undef SCALAR
#undef SCALAR_K
#undef SCALAR_X
#undef BRANCH
#define VECTOR(name, widths, flags, value) {#name, gcn_run_vector, gcn_do_##name, widths, 0, flags},
#define COMPARE(name, value) \
    {"v_cmp_" #name, gcn_run_compare, gcn_do_v_cmp_##name, "211", 0, GCN_F_FLOAT}, \
        {"v_cmpx_" #name, gcn_run_compare, gcn_do_v_cmp_##name, "211", 0, GCN_F_FLOAT},
#define CARRY(name, in, value) {#name, gcn_run_carry, gcn_do_##name, "1211", in, 0},
#include "vector.def"
#undef VECTOR
#undef COMPARE
#undef CARRY
#define MEMORY(name, how, bytes, flags) {#name, gcn_run_##how, NULL, "", bytes, flags},
#include "memory.def"
#undef MEMORY
    {"v_cndmask_b32", gcn_run_select, NULL, "1112", 0, GCN_F_FLOAT},
    {"v_cvt_pk_fp8_f32", gcn_run_round_8, NULL, "111", GCN_FP8, GCN_F_FLOAT},
    {"v_cvt_pk_bf8_f32", gcn_run_round_8, NULL, "111", GCN_BF8, GCN_F_FLOAT},
    {"ds_bpermute_b32", gcn_run_permute, NULL, "", 4, 0},
    {"v_mad_u64_u32", gcn_run_mad64, NULL, "22112", 0, 0},
    {"v_bitop3_b32", gcn_run_bitop3, NULL, "1111", 0, 0},
    {"v_pk_mov_b32", gcn_run_pack_move, NULL, "222", 0, 0},
    {"v_readfirstlane_b32", gcn_run_read_lane, NULL, "11", 0, 0},
    {"v_readlane_b32", gcn_run_read_lane, NULL, "111", 0, 0},
    {"s_waitcnt", gcn_run_wait, NULL, "", 0, 0},
    {"s_barrier", gcn_run_barrier, NULL, "", 0, 0},
    {"s_nop", gcn_run_nop, NULL, "", 0, 0},
    {"s_setprio", gcn_run_nothing, NULL, "", 0, 0},
    {"s_sleep", gcn_run_nothing, NULL, "", 0, 0},
    {"v_nop", gcn_run_nothing, NULL, "", 0, 0},
    {"s_endpgm", gcn_run_end, NULL, "", 0, 0},
};

enum { GCN_FORMS = sizeof gcn_forms / sizeof gcn_forms[0] };

/* MFMA's rows are those of mfma.def; `bytes` is the index there. */
static inline const gcn_form *gcn_product_form(const char *name)
{
    static gcn_form forms[GCN_PRODUCTS];
    for (int i = 0; i < GCN_PRODUCTS; i++) {
        if (strcmp(gcn_products[i].name, name)) continue;
        forms[i] = (gcn_form){gcn_products[i].name, gcn_run_product, NULL, "", i, 0};
        return &forms[i];
    }
    return NULL;
}

/* NULL: no such row. */
static inline const gcn_form *gcn_form_of(const char *name)
{
    char bare[40];
    size_t length = strlen(name);
    if (length > 4 && (!strcmp(name + length - 4, "_e32") || !strcmp(name + length - 4, "_e64")))
        length -= 4;
    snprintf(bare, sizeof bare, "%.*s", (int)length, name);
    for (int i = 0; i < GCN_FORMS; i++)
        if (!strcmp(gcn_forms[i].name, bare)) return &gcn_forms[i];
    return gcn_product_form(bare);
}

#endif
