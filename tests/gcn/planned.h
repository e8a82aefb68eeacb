/* SPDX-License-Identifier: Apache-2.0 */
/* A GEMM's plan, printed, and what the interpreter runs of it. Who includes it defines _DEFAULT_SOURCE
 * first. */
#ifndef TEST_GCN_PLANNED_H
#define TEST_GCN_PLANNED_H

#include "gemm.h"
#include "object.h"
#include "plans/wave_gemm.h"

/* The kernel of a plan, and what it is to compute: of a D by columns the transposed. */
static inline gcn_code gcn_planned(zlay_ctx *ctx, gcn_target target, const zlay_gemm *r,
                                   const zlay_plan *plan, gcn_gemm *g)
{
    zlay_plan_summary info;
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    char *text = wave_text(ctx, plan);
    bool columns = r->d_order == ZLAY_ORDER_COLUMN;
    uint32_t m = (uint32_t)r->m, n = (uint32_t)r->n, k = (uint32_t)r->k;
    uint32_t lda = r->lda ? (uint32_t)r->lda : k, ldb = r->ldb ? (uint32_t)r->ldb : k;
    *g = (gcn_gemm){.m = columns ? n : m, .n = columns ? m : n, .k = k, .threads = info.threads, .d_bytes = 2,
                    .lda = columns ? ldb : lda, .ldb = columns ? lda : ldb,
                    .grid = {(uint32_t)info.tiles_n, (uint32_t)info.tiles_m}};
    g->ldd = r->ldd ? (uint32_t)r->ldd : g->n;
    uint64_t arguments[3] = {GEMM_A, GEMM_B, GEMM_D};
    memcpy(g->arguments, arguments, sizeof arguments);
    gcn_gemm_make(g, 17 * r->m + 5 * r->n + r->k);
    gcn_code code = gcn_assemble(target, text, "gemm");
    free(text);
    return code;
}

static inline gcn_code gcn_asked(zlay_ctx *ctx, gcn_target target, const zlay_gemm *r, gcn_gemm *g)
{
    zlay_plan *plan = wave_plan(ctx, gcn_target_name[target], r);
    gcn_code code = gcn_planned(ctx, target, r, plan, g);
    zlay_plan_free(plan);
    return code;
}

#endif
