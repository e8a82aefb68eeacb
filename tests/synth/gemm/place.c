/* SPDX-License-Identifier: Apache-2.0 */
/* Where a plan puts and finds each element, by formulas of the CUDA guide and the PTX ISA on plain
 * addresses, not by layouts; and the certificates, point by point and decided again. */
#include "plans.h"

#include <stdbool.h>

#include "synth/gemm/plan.h"

enum { ELEMENT = 2, A = ZLAY_OPERAND_A, B = ZLAY_OPERAND_B, D = ZLAY_OPERAND_D };

/* CUDA Programming Guide, "TMA swizzle": bits 4.. of the shared address are XORed with bits 7.., as
 * many as the row of 32, 64 or 128 bytes has chunks of 16. */
static uint64_t swizzled(uint64_t address, int32_t swizzle)
{
    uint64_t mask = ((uint64_t)1 << swizzle) - 1;
    return address ^ ((address >> 7 & mask) << 4);
}

typedef struct place {
    const zlay_plan *plan;
    const zlay_gemm *gemm;
    zlay_plan_summary info;
    int32_t operand;
    zlay_tensormap map;
    const zlay_layout *layout;
    uint64_t mn, k; /* extents of the layout's box: rows and columns for D */
    uint64_t base;  /* shared address of the stage or of a consumer's staging */
    bool k_inner;   /* the second index is the contiguous one */
} place;

static place place_of(const zlay_plan *plan, const zlay_gemm *gemm, int32_t operand)
{
    place p = {.plan = plan, .gemm = gemm, .info = info_of(plan), .operand = operand};
    p.map = map_of(plan, operand);
    p.layout = zlay_plan_smem(plan, operand);
    p.mn = operand == A ? p.info.tile_m : operand == B ? p.info.tile_n : p.info.mma.m;
    p.k = operand == D ? p.info.pass_n : p.info.tile_k;
    int32_t major = operand == A   ? p.info.mma.a_major
                    : operand == B ? p.info.mma.b_major
                                   : ZLAY_MAJOR_K;
    p.k_inner = major == ZLAY_MAJOR_K;
    p.base = operand == A ? p.info.smem_a : operand == B ? p.info.smem_b : p.info.smem_d;
    return p;
}

static int64_t value_at(const zlay_layout *layout, uint64_t index)
{
    int64_t value = -1;
    assert_int_equal(zlay_layout_eval(&value, 1, layout, index), ZLAY_OK);
    return value;
}

static uint64_t offset_at(const place *p, uint64_t mn, uint64_t k)
{
    return p->base + (uint64_t)value_at(p->layout, mn + p->mn * k) * ELEMENT;
}

/* ---- copies ---------------------------------------------------------------- */

static void check_element(const place *p, unsigned char *seen, uint64_t inner, uint64_t outer,
                          uint64_t address)
{
    uint64_t mn = p->k_inner ? outer : inner, k = p->k_inner ? inner : outer;
    assert_true(mn < p->mn && k < p->k);
    assert_int_equal(seen[mn + p->mn * k]++, 0);
    if (offset_at(p, mn, k) != swizzled(address, p->map.swizzle))
        fail_msg("%s: operand %d (%llu, %llu) is not where its copy puts it", gemm_text(p->gemm),
                 p->operand, (unsigned long long)mn, (unsigned long long)k);
}

/* A tensor copy lays its box down row after row, dimension 0 innermost. */
static void check_boxes(const place *p)
{
    unsigned char *seen = calloc(p->mn * p->k, 1);
    uint64_t bytes = 0;
    assert_non_null(seen);
    for (uint32_t i = 0; i < copies_of(p->plan, p->operand); i++) {
        zlay_copy c = copy_of(p->plan, p->operand, i);
        assert_int_equal(c.bytes, p->map.box[0] * p->map.box[1] * ELEMENT);
        for (uint32_t y = 0; y < p->map.box[1]; y++)
            for (uint32_t x = 0; x < p->map.box[0]; x++)
                check_element(p, seen, (uint64_t)c.coordinate[0] + x, (uint64_t)c.coordinate[1] + y,
                              p->base + c.smem + (y * p->map.box[0] + x) * ELEMENT);
        bytes += c.bytes;
    }
    /* Rows that no tile of the matrix has need not come. */
    uint64_t rows = p->k_inner && p->operand != D && p->map.extent[1] < p->mn ? p->map.extent[1] : p->mn;
    for (uint64_t mn = 0; mn < rows; mn++)
        for (uint64_t k = 0; k < p->k; k++) assert_int_equal(seen[mn + p->mn * k], 1);
    assert_true(bytes <= p->mn * p->k * ELEMENT && (rows < p->mn || bytes == p->mn * p->k * ELEMENT));
    free(seen);
}

/* Where tile (tm, tn, kt) begins in the tensor, and that each copy goes there. */
static void check_advance(const place *p)
{
    const zlay_plan_summary *i = &p->info;
    const uint32_t tile[3] = {i->tile_m, i->tile_n, i->tile_k};
    int mn_axis = p->operand == B ? 1 : 0, k_axis = p->operand == D ? 1 : 2;
    int inner_axis = p->k_inner ? k_axis : mn_axis, outer_axis = p->k_inner ? mn_axis : k_axis;
    for (uint32_t c = 0; c < copies_of(p->plan, p->operand); c++) {
        zlay_copy copy = copy_of(p->plan, p->operand, c);
        for (int axis = 0; axis < 3; axis++) {
            assert_int_equal(copy.advance[0][axis], axis == inner_axis ? tile[axis] : 0);
            assert_int_equal(copy.advance[1][axis], axis == outer_axis ? tile[axis] : 0);
        }
    }
}

/* ---- descriptors ------------------------------------------------------------- */

/* PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout": rows of the swizzle's span;
 * K-major, groups of eight rows SBO apart; MN-major, the next span of MN is LBO and the next eight
 * of K are SBO away. */
static uint64_t read_address(const zlay_smemdesc *d, bool k_major, uint32_t mn, uint32_t k)
{
    uint32_t span = 16u << d->swizzle, elements = span / ELEMENT;
    if (k_major) return d->start + mn / 8 * d->sbo + mn % 8 * span + k * ELEMENT;
    return d->start + mn / elements * d->lbo + mn % elements * ELEMENT + k / 8 * d->sbo +
           k % 8 * span;
}

static void check_instruction(const place *p, uint32_t consumer, uint32_t step)
{
    zlay_smemdesc d;
    assert_int_equal(zlay_plan_desc(&d, p->plan, p->operand, consumer, step), ZLAY_OK);
    uint32_t rows = p->operand == A ? p->info.mma.m : p->info.mma.n;
    uint32_t first = p->operand == A ? consumer * rows : 0;
    for (uint32_t mn = 0; mn < rows; mn++)
        for (uint32_t k = 0; k < p->info.mma.k; k++) {
            uint64_t address = swizzled(p->base + read_address(&d, p->k_inner, mn, k), d.swizzle);
            if (address != offset_at(p, first + mn, step * p->info.mma.k + k))
                fail_msg("%s: operand %d, consumer %u, step %u reads (%u, %u) elsewhere",
                         gemm_text(p->gemm), p->operand, consumer, step, mn, k);
        }
    if (p->k_inner)
        assert_int_equal(d.lbo, 16); /* PTX ISA: unused, and 1 in the unit of the field */
    d.start += (uint32_t)p->base;
    zlay_verdict verdict;
    assert_int_equal(zlay_smemdesc_check(&verdict, NULL, 0, p->info.target, &d), ZLAY_OK);
    assert_int_equal(verdict.answer, ZLAY_YES);
}

static void check_descs(const place *p)
{
    for (uint32_t consumer = 0; consumer < p->info.consumers; consumer++)
        for (uint32_t step = 0; step < p->info.k_steps; step++)
            check_instruction(p, consumer, step);
}

/* ---- certificates -------------------------------------------------------------- */

/* The element of the request's own matrix that element (mn, k) of a planned operand is. */
static uint64_t element_of(const place *p, uint64_t mn, uint64_t k)
{
    const zlay_gemm *g = p->gemm;
    bool a_row = g->a_order != ZLAY_ORDER_COLUMN, b_row = g->b_order == ZLAY_ORDER_ROW;
    uint64_t lda = g->lda  ? g->lda
                   : a_row ? g->k
                           : g->m,
             ldb = g->ldb  ? g->ldb
                   : b_row ? g->n
                           : g->k;
    uint64_t ldd = g->ldd ? g->ldd : g->d_order == ZLAY_ORDER_COLUMN ? g->m : g->n;
    if (p->operand == D) return mn * ldd + k;
    if ((p->operand == A) != (bool)p->info.swapped) return a_row ? mn * lda + k : k * lda + mn;
    return b_row ? k * ldb + mn : mn * ldb + k;
}

static const zlay_layout *side(const place *p, uint32_t i, int which)
{
    const zlay_layout *sides[2] = {NULL, NULL};
    assert_int_equal(zlay_plan_certificate(&sides[0], &sides[1], p->plan, i), ZLAY_OK);
    return sides[which];
}

static void check_decided(const place *p, uint32_t i)
{
    zlay_ctx *ctx = ctx_new();
    zlay_answer answer = ZLAY_NO;
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, side(p, i, 0), side(p, i, 1)), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_ctx_free(ctx);
}

/* Both sides of the certificate of shared memory are the operand's layout, over the whole tile. */
static void check_shared(const place *p)
{
    uint32_t i = 2 * (uint32_t)p->operand;
    check_decided(p, i);
    for (int which = 0; which < 2; which++) {
        assert_int_equal(zlay_layout_size(side(p, i, which)), p->mn * p->k);
        for (uint64_t x = 0; x < p->mn * p->k; x++)
            assert_int_equal(value_at(side(p, i, which), x), value_at(p->layout, x));
    }
}

/* Rows past the tensor do not exist, so its outer extent may be less than the box has. */
static void check_global(const place *p)
{
    uint32_t i = 2 * (uint32_t)p->operand + 1;
    uint64_t rows = p->map.extent[1] < p->map.box[1] ? p->map.extent[1] : p->map.box[1];
    uint64_t mn = p->k_inner ? rows : p->mn, k = p->k_inner ? p->k : rows;
    check_decided(p, i);
    for (int which = 0; which < 2; which++) {
        assert_int_equal(zlay_layout_size(side(p, i, which)), mn * k);
        for (uint64_t x = 0; x < mn * k; x++)
            if (value_at(side(p, i, which), x) != (int64_t)element_of(p, x % mn, x / mn))
                fail_msg("%s: certificate %u, side %d, is another element at %llu",
                         gemm_text(p->gemm), i, which, (unsigned long long)x);
    }
}

/* The map names the request's own memory. */
static void check_map(const place *p)
{
    const zlay_gemm *g = p->gemm;
    bool is_a = (p->operand == A) != (bool)p->info.swapped;
    uint64_t address = p->operand == D ? g->d_address : is_a ? g->a_address : g->b_address;
    uint64_t mn = p->operand == A ? p->info.m : p->operand == B ? p->info.n : p->info.m;
    uint64_t k = p->operand == D ? p->info.n : p->info.k;
    assert_int_equal(p->map.address, address);
    assert_int_equal(p->map.extent[0], p->k_inner ? k : mn);
    assert_int_equal(p->map.extent[1], p->k_inner ? mn : k);
    if (p->map.extent[1] > 1)
        assert_int_equal(p->map.stride[0],
                         ELEMENT * (p->k_inner ? element_of(p, 1, 0) : element_of(p, 0, 1)));
    assert_int_equal(p->map.box[0] * ELEMENT, 16u << p->map.swizzle);
}

/* ---- shared memory ---------------------------------------------------------------- */

/* Stages, staging and barriers follow each other without overlap and fit; swizzle patterns begin
 * where the hardware counts them from. */
static void check_arena(const zlay_plan *plan, const zlay_gemm *g)
{
    zlay_plan_summary i = info_of(plan);
    const uint32_t parts[4][3] = {{i.smem_a, i.stages, i.pitch_a},
                                  {i.smem_b, i.stages, i.pitch_b},
                                  {i.smem_d, i.consumers, i.pitch_d},
                                  {i.smem_bar, 2 * i.stages, 8}};
    uint64_t end = 0;
    for (int p = 0; p < 4; p++) {
        if (parts[p][0] < end)
            fail_msg("%s: part %d of shared memory begins in another", gemm_text(g), p);
        if (p < 3) assert_int_equal(parts[p][0] % 1024 + parts[p][2] % 1024, 0);
        end = parts[p][0] + (uint64_t)parts[p][1] * parts[p][2];
    }
    assert_int_equal(i.smem_bar % 8, 0);
    assert_true(end + 1023 <= i.smem);
    assert_true(i.smem <= 232448);
    assert_true(i.pitch_a >= i.tile_m * i.tile_k * ELEMENT);
    assert_true(i.pitch_b >= i.tile_n * i.tile_k * ELEMENT);
    assert_int_equal(i.stage_bytes, (i.tile_m + i.tile_n) * i.tile_k * ELEMENT);
}

/* Tiles cover the product and none lies outside it. */
static void check_tiles(const zlay_plan *plan, const zlay_gemm *g)
{
    zlay_plan_summary i = info_of(plan);
    const uint64_t rows[3][3] = {
        {i.m, i.tile_m, i.tiles_m}, {i.n, i.tile_n, i.tiles_n}, {i.k, i.tile_k, i.tiles_k}};
    for (int r = 0; r < 3; r++) {
        assert_true(rows[r][1] * rows[r][2] >= rows[r][0]);
        assert_true(rows[r][1] * (rows[r][2] - 1) < rows[r][0]);
    }
    assert_int_equal(i.swapped, g->d_order == ZLAY_ORDER_COLUMN);
    assert_int_equal(i.m, i.swapped ? g->n : g->m);
    assert_int_equal(i.n, i.swapped ? g->m : g->n);
    assert_int_equal(i.k, g->k);
    assert_int_equal(i.consumers * i.mma.m, i.tile_m);
    assert_int_equal(i.mma.n, i.tile_n);
    assert_int_equal(i.k_steps * i.mma.k, i.tile_k);
    assert_true(i.passes * i.pass_n >= i.tile_n && (i.passes - 1) * i.pass_n < i.tile_n);
    assert_int_equal(i.threads, 128 * (1 + i.consumers));
    assert_int_equal(i.empty_count, 4 * i.consumers);
    if (g->tile_m) assert_int_equal(i.tile_m, g->tile_m);
    if (g->tile_n) assert_int_equal(i.tile_n, g->tile_n);
    if (g->tile_k) assert_int_equal(i.tile_k, g->tile_k);
    if (g->stages) assert_int_equal(i.stages, g->stages);
}

static void check_plan(const zlay_gemm *g)
{
    zlay_plan *plan = plan_of(g);
    check_arena(plan, g);
    check_tiles(plan, g);
    for (int32_t operand = 0; operand < 3; operand++) {
        place p = place_of(plan, g, operand);
        assert_int_equal(zlay_layout_size(p.layout), p.mn * p.k);
        check_map(&p);
        check_boxes(&p);
        check_advance(&p);
        check_shared(&p);
        check_global(&p);
        if (operand != D) check_descs(&p);
    }
    zlay_plan_free(plan);
}

/* Every order of A, B and D with every tile. */
static void test_tiles(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 8 * 4; i++) {
        zlay_gemm g = gemm_of(500, 700, 300);
        g.a_order = i & 1 ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
        g.b_order = i & 2 ? ZLAY_ORDER_ROW : ZLAY_ORDER_COLUMN;
        g.d_order = i & 4 ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
        g.a_address = 1 << 20, g.b_address = 1 << 21, g.d_address = 1 << 22;
        g.tile_m = i % 5 % 2 ? 128 : 64;
        g.tile_n = i % 4 ? 64 * (1 + i / 8) : 64 + 8 * (i % 25);
        g.tile_k = i % 4 ? 16u << i % 3 : 64;
        check_plan(&g);
    }
}

static void test_any(void **unused)
{
    (void)unused;
    uint64_t state = test_seed("random");
    for (uint64_t i = 0; i < test_iterations(40); i++) {
        zlay_gemm g = gemm_random(&state);
        check_plan(&g);
    }
}

/* A certificate is no formality: with another pitch its two sides are not equal. */
static void test_unequal(void **state)
{
    zlay_gemm g = gemm_of(512, 512, 512), h = g;
    h.lda = 520;
    zlay_plan *plans[2] = {plan_of(&g), plan_of(&h)};
    place p = place_of(plans[0], &g, A), q = place_of(plans[1], &h, A);
    zlay_ctx *ctx = *state;
    zlay_answer answer = ZLAY_YES;
    zlay_witness w;
    assert_int_equal(zlay_layout_equal(ctx, &answer, &w, side(&p, 1, 0), side(&q, 1, 1)), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
    assert_int_equal(w.a - w.b, -8 * (int64_t)(w.index % 128));
    zlay_plan_free(plans[0]);
    zlay_plan_free(plans[1]);
}

/* ---- disturbed plans -------------------------------------------------------------- */

typedef void disturbance(zlay_plan *plan);

static void stride_of_map(zlay_plan *p) { p->operand[A].map.stride[0] += 16; }
static void pitch_of_request(zlay_plan *p) { p->operand[B].pitch -= 8; }
static void pitch_of_d(zlay_plan *p) { p->operand[D].pitch += 8; }
static void box_of_map(zlay_plan *p) { p->operand[A].map.box[0] /= 2; }
static void rows_of_box(zlay_plan *p) { p->operand[B].map.box[1] /= 2; }
static void swizzle_of_map(zlay_plan *p) { p->operand[A].map.swizzle--; }
static void swizzle_of_d(zlay_plan *p) { p->operand[D].map.swizzle--; }
static void place_of_box(zlay_plan *p) { p->operand[B].copies[1].smem += 128; }
static void column_of_box(zlay_plan *p) { p->operand[D].copies[1].coordinate[0] += 8; }
static void boxes(zlay_plan *p) { p->operand[D].copies_count--; }
static void swizzle_of_desc(zlay_plan *p) { p->desc[B].swizzle--; }
static void groups_of_desc(zlay_plan *p) { p->desc[A].sbo *= 2; }
static void spans_of_desc(zlay_plan *p) { p->desc[B].lbo += 16; }
static void step_of_desc(zlay_plan *p) { p->step_start[A] += 16; }
static void step_of_b(zlay_plan *p) { p->step_start[B] /= 2; }
static void consumer_of_desc(zlay_plan *p) { p->consumer_start /= 2; }
static void major_of_a(zlay_plan *p) { p->operand[A].major = ZLAY_MAJOR_MN; }

/* Certificates of a plan's own parts, made again after one of them is disturbed. */
static zlay_status made_again(const zlay_plan *plan, disturbance *disturb)
{
    zlay_ctx *ctx = ctx_new();
    zlay_plan other = *plan;
    memset(other.certificate, 0, sizeof other.certificate);
    if (disturb) disturb(&other);
    zlay_status status = zl_certificates_make(ctx, &other);
    for (int i = 0; i < ZL_CERTIFICATES; i++)
        for (int which = 0; which < 2; which++) zlay_layout_free(other.certificate[i][which]);
    zlay_ctx_free(ctx);
    return status;
}

/* No part of the planner's work can be wrong and still have its certificates. */
static void test_disturbed(void **unused)
{
    (void)unused;
    static disturbance *const all[] = {
        stride_of_map,    pitch_of_request, pitch_of_d,    box_of_map,    rows_of_box,
        swizzle_of_map,   swizzle_of_d,     place_of_box,  column_of_box, boxes,
        swizzle_of_desc,  groups_of_desc,   spans_of_desc, step_of_desc,  step_of_b,
        consumer_of_desc, major_of_a};
    zlay_gemm g = gemm_of(512, 512, 512);
    g.b_order = ZLAY_ORDER_ROW;
    g.tile_m = 128, g.tile_n = 256, g.tile_k = 64;
    zlay_plan *plan = plan_of(&g);
    assert_int_equal(made_again(plan, NULL), ZLAY_OK);
    size_t certified = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (made_again(plan, all[i]) == ZLAY_EINTERNAL) continue;
        print_error("disturbance %zu is certified\n", i);
        certified++;
    }
    assert_int_equal(certified, 0);
    zlay_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_unequal),
        cmocka_unit_test(test_disturbed),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
