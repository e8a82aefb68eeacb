/* SPDX-License-Identifier: Apache-2.0 */
/* Executes a plan in the CPU model (src/sim), tile by tile, and compares D with the reference
 * product of the request's own matrices; padding and margins must stay untouched. */
#include "cli/progress.h"
#include "cli/tile.h"

#include <stdlib.h>
#include <string.h>

enum {
    SUMS = 256 * ZL_PRODUCT_COLUMNS /* a tile has at most 256 rows or columns */
};

static bool request_copy(zlay_gemm *out, const zlay_gemm *in)
{
    memset(out, 0, sizeof *out);
    if (in->size < sizeof in->size || in->size > sizeof *out) return false;
    memcpy(out, in, in->size);
    if (!out->a_order) out->a_order = ZLAY_ORDER_ROW;
    if (!out->b_order) out->b_order = ZLAY_ORDER_COLUMN;
    if (!out->d_order) out->d_order = ZLAY_ORDER_ROW;
    return true;
}

/* The leading dimension of what the product reads or writes: of a repacked operand that of the
 * workspace. */
static bool repacked(const zl_model *m, int32_t planned, uint64_t *pitch)
{
    zlay_repack r;
    if (zlay_plan_repack(&r, m->plan, planned)) return false;
    *pitch = r.pitch;
    return true;
}

static bool matrices_describe(zl_model *m, const zlay_gemm *gemm)
{
    zlay_gemm g;
    int32_t type[3];
    zl_matrix_types(type, m->plan);
    if (!request_copy(&g, gemm)) return false;
    repacked(m, m->info.swapped ? ZLAY_OPERAND_B : ZLAY_OPERAND_A, &g.lda);
    repacked(m, m->info.swapped ? ZLAY_OPERAND_A : ZLAY_OPERAND_B, &g.ldb);
    bool whole = repacked(m, ZLAY_OPERAND_D, &g.ldd);
    bool described = zl_matrix_describe(&m->a, type[ZLAY_OPERAND_A], g.m, g.k, g.a_order, g.lda) &&
           zl_matrix_describe(&m->b, type[ZLAY_OPERAND_B], g.k, g.n, g.b_order, g.ldb) &&
           zl_matrix_describe(&m->d, type[ZLAY_OPERAND_D], g.m, g.n, g.d_order, g.ldd);
    if (whole) m->d.count = m->d.outer * m->d.pitch;
    return described;
}

/* Whether the plan's product is the request's, or its transpose. */
static bool shape_agrees(const zl_model *m)
{
    const zlay_plan_summary *info = &m->info;
    uint64_t rows = info->swapped ? info->n : info->m, columns = info->swapped ? info->m : info->n;
    bool small = info->tile_m <= ZL_PRODUCT_COLUMNS && info->tile_n <= ZL_PRODUCT_COLUMNS;
    bool inner = m->a.by_rows ? m->a.inner == info->k : m->a.outer == info->k;
    return small && inner && rows == (m->d.by_rows ? m->d.outer : m->d.inner) &&
           columns == (m->d.by_rows ? m->d.inner : m->d.outer);
}

static size_t acc_count(const zlay_plan_summary *info)
{
    return (size_t)info->consumers * ZL_MODEL_ROWS * info->tile_n;
}
static size_t staging_count(const zlay_plan_summary *info)
{
    return (size_t)ZL_MODEL_ROWS * info->pass_n;
}

static uint64_t model_bytes(const zl_model *m)
{
    const zlay_plan_summary *info = &m->info;
    uint64_t rest = info->smem + acc_count(info) * sizeof *m->acc +
                    staging_count(info) * sizeof *m->staging + SUMS * sizeof *m->sums;
    const zl_matrix *const matrices[] = {&m->a, &m->b, &m->d};
    uint64_t bytes = rest;
    for (int i = 0; i < 3; i++)
        if (__builtin_add_overflow(bytes, matrices[i]->count * matrices[i]->element, &bytes))
            return UINT64_MAX;
    return bytes > INT64_MAX ? UINT64_MAX : bytes;
}

uint64_t zl_model_bytes(const zlay_plan *plan, const zlay_gemm *gemm)
{
    zl_model m = {.plan = plan};
    if (!gemm || zlay_plan_info(&m.info, plan) || !matrices_describe(&m, gemm)) return UINT64_MAX;
    return model_bytes(&m);
}

static bool model_alloc(zl_model *m)
{
    m->smem = (zlay_sim_smem){malloc(m->info.smem), m->info.smem, ZL_MODEL_ORIGIN};
    m->acc = malloc(acc_count(&m->info) * sizeof *m->acc);
    m->staging = malloc(staging_count(&m->info) * sizeof *m->staging);
    m->sums = malloc(SUMS * sizeof *m->sums);
    return m->smem.bytes && m->acc && m->staging && m->sums && zl_matrix_alloc(&m->a) &&
           zl_matrix_alloc(&m->b) && zl_matrix_alloc(&m->d);
}

static void model_free(zl_model *m)
{
    free(m->smem.bytes);
    free(m->acc);
    free(m->staging);
    free(m->sums);
    zl_matrix_free(&m->a);
    zl_matrix_free(&m->b);
    zl_matrix_free(&m->d);
}

static zlay_sim_global global_of(const zl_matrix *matrix)
{
    return (zlay_sim_global){matrix->bytes, matrix->count * matrix->element};
}

/* Makes A and B as the plan names them; a swapped plan computes D^T = B^T A^T. */
static void operands_open(zl_model *m)
{
    zl_matrix_fill(&m->a, ZLAY_OPERAND_A);
    zl_matrix_fill(&m->b, ZLAY_OPERAND_B);
    m->global[m->info.swapped ? ZLAY_OPERAND_B : ZLAY_OPERAND_A] = global_of(&m->a);
    m->global[m->info.swapped ? ZLAY_OPERAND_A : ZLAY_OPERAND_B] = global_of(&m->b);
    m->global[ZLAY_OPERAND_D] = global_of(&m->d);
}

static zlay_status plan_open(zl_model *m)
{
    const zlay_layout *layout = zlay_plan_smem(m->plan, ZLAY_OPERAND_D);
    uint32_t element = m->d.element;
    zlay_status status = ZLAY_OK;
    for (int32_t operand = 0; !status && operand < 3; operand++)
        status = zlay_plan_map(&m->map[operand], m->plan, operand);
    for (size_t i = 0; !status && i < staging_count(&m->info); i++) {
        int64_t offset;
        status = zlay_layout_eval(&offset, 1, layout, i);
        if (!status && (offset < 0 || offset * element > m->info.pitch_d - element))
            return ZLAY_EINVAL;
        m->staging[i] = (uint32_t)offset * element;
    }
    return status;
}

/* Whether a tile is partial; those always run, and `limit` of the others at equal distances. */
static bool tile_partial(const zlay_plan_summary *info, uint64_t m, uint64_t n)
{
    return m >= info->m / info->tile_m || n >= info->n / info->tile_n;
}

static bool tile_chosen(const zl_model *model, uint64_t m, uint64_t n)
{
    const zlay_plan_summary *info = &model->info;
    uint64_t across = info->n / info->tile_n, whole = info->m / info->tile_m * across;
    if (tile_partial(info, m, n) || !model->limit || model->limit >= whole) return true;
    uint64_t number = m * across + n;
    return (number + 1) * model->limit / whole > number * model->limit / whole;
}

/* The rows and columns of the request's D that a tile of the plan covers. */
static zl_block block_of(const zl_model *m, uint64_t tile_m, uint64_t tile_n)
{
    const zlay_plan_summary *info = &m->info;
    zl_block b = {.row = tile_m * info->tile_m, .column = tile_n * info->tile_n};
    b.rows = info->m - b.row < info->tile_m ? info->m - b.row : info->tile_m;
    b.columns = info->n - b.column < info->tile_n ? info->n - b.column : info->tile_n;
    return info->swapped ? (zl_block){b.column, b.columns, b.row, b.rows} : b;
}

static void tile_compare(zl_model *m, const zl_block *block)
{
    zl_model_report *report = &m->report;
    zl_matrix_product(m->sums, &m->a, &m->b, m->info.k, block);
    for (uint64_t r = 0; r < block->rows; r++)
        for (uint64_t c = 0; c < block->columns; c++) {
            double expected = zl_matrix_round(m->d.type, m->sums[r * ZL_PRODUCT_COLUMNS + c]);
            double got = zl_matrix_value(&m->d, block->row + r, block->column + c);
            report->elements++;
            if (got == expected || report->wrong++) continue;
            report->row = block->row + r;
            report->column = block->column + c;
            report->expected = expected;
            report->got = got;
        }
}

static void margin_check(zl_model *m, uint64_t at)
{
    m->report.margins++;
    m->report.changed += !zl_matrix_untouched(&m->d, at);
}

static void tile_untouched(zl_model *m, const zl_block *block)
{
    for (uint64_t r = 0; r < block->rows; r++)
        for (uint64_t c = 0; c < block->columns; c++)
            margin_check(m, zl_matrix_at(&m->d, block->row + r, block->column + c));
}

/* A row of D in a workspace has padding that its tensor map writes. */
static void padding_untouched(zl_model *m)
{
    uint64_t pitch, first = m->d.inner;
    if (repacked(m, ZLAY_OPERAND_D, &pitch)) first = m->map[ZLAY_OPERAND_D].extent[0];
    for (uint64_t o = 0; o + 1 < m->d.outer; o++)
        for (uint64_t i = first; i < m->d.pitch; i++) margin_check(m, o * m->d.pitch + i);
}

/* ---- the run ------------------------------------------------------------- */

static zlay_status tiles_run(zl_model *m)
{
    const zlay_plan_summary *info = &m->info;
    uint64_t tiles = 0;
    for (uint64_t i = 0; i < info->tiles_m * info->tiles_n; i++)
        tiles += tile_chosen(m, i / info->tiles_n, i % info->tiles_n);
    for (zl_tile t = {0}; t.m < info->tiles_m; t.m++)
        for (t.n = 0; t.n < info->tiles_n; t.n++) {
            if (!tile_chosen(m, t.m, t.n)) continue;
            zlay_status status = zl_tile_run(m, t);
            if (status || m->report.fault) return status;
            m->report.run++;
            zl_progress_count(m->report.run, tiles);
            m->report.edges += tile_partial(info, t.m, t.n);
        }
    return ZLAY_OK;
}

static void tiles_compare(zl_model *m)
{
    zl_progress_begin(NULL, "comparing tiles with the product");
    for (uint64_t i = 0; i < m->info.tiles_m; i++)
        for (uint64_t j = 0; j < m->info.tiles_n; j++) {
            zl_block block = block_of(m, i, j);
            zl_progress_count(i * m->info.tiles_n + j, m->report.tiles);
            if (tile_chosen(m, i, j)) tile_compare(m, &block);
            else tile_untouched(m, &block);
        }
    padding_untouched(m);
}

static zlay_status model_run(zl_model *m)
{
    zl_model_report *report = &m->report;
    zlay_status status = plan_open(m);
    if (status) return status;
    operands_open(m);
    report->tiles = m->info.tiles_m * m->info.tiles_n;
    status = tiles_run(m);
    if (status) return status;
    if (!report->fault) tiles_compare(m);
    bool good = !report->fault && !report->wrong && !report->changed && !report->stages_off;
    report->answer = good ? ZLAY_YES : ZLAY_NO;
    return ZLAY_OK;
}

zlay_status zl_model_run(zlay_ctx *ctx, zl_model_report *out, const zlay_plan *plan,
                         const zlay_gemm *gemm, uint64_t limit)
{
    zl_model m = {.plan = plan, .limit = limit};
    zlay_limits limits;
    if (!out || !plan || !gemm || zlay_ctx_limits(&limits, ctx)) return ZLAY_EINVAL;
    if (!zlay_plan_smem(plan, ZLAY_OPERAND_D)) return ZLAY_ENOTSUP;
    if (zlay_plan_info(&m.info, plan)) return ZLAY_EINVAL;
    if (m.info.mma.instruction != ZLAY_MMA_WGMMA) return ZLAY_ENOTSUP;
    if (gemm->a_scales || gemm->b_scales || gemm->d_scales || gemm->groups) return ZLAY_ENOTSUP;
    if (!matrices_describe(&m, gemm)) return ZLAY_EINVAL;
    if (!shape_agrees(&m)) return ZLAY_EINVAL;
    if (model_bytes(&m) > limits.sim_bytes) return ZLAY_ELIMIT;
    zlay_status status = model_alloc(&m) ? model_run(&m) : ZLAY_ENOMEM;
    model_free(&m);
    if (!status) *out = m.report;
    return status;
}
