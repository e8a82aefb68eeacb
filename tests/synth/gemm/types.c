/* SPDX-License-Identifier: Apache-2.0 */
/* Element types of GEMMs: defaults, numbers counted by hand, paths by alignment, certificates of every pair, and what is
 * refused with which rule. */
#include "plans.h"
#include "synth/gemm/plan.h"

#include <stdbool.h>

#define T(name) ZLAY_TYPE_##name
enum { A = ZLAY_OPERAND_A, B = ZLAY_OPERAND_B, D = ZLAY_OPERAND_D };

typedef struct types {
    int32_t a, b, d;
} types;

static zlay_gemm typed(uint64_t m, uint64_t n, uint64_t k, types t)
{
    zlay_gemm g = gemm_of(m, n, k);
    g.a_type = t.a, g.b_type = t.b, g.d_type = t.d;
    return g;
}

/* ---- defaults ------------------------------------------------------------------------------ */

/* What is asked for, and what is planned: types of A and B by the instruction, of D by its map. */
static const struct {
    int32_t type;
    types asked, planned;
    int32_t sums;
} defaults[] = {
    {0, {0, 0, 0}, {T(BF16), T(BF16), T(BF16)}, T(F32)},
    {T(F16), {0, 0, 0}, {T(F16), T(F16), T(F16)}, T(F32)},
    {0, {T(F16), T(F16), 0}, {T(F16), T(F16), T(F16)}, T(F32)},
    {T(BF16), {T(F16), T(F16), 0}, {T(F16), T(F16), T(BF16)}, T(F32)},
    {T(F32), {T(TF32), T(TF32), 0}, {T(TF32), T(TF32), T(F32)}, T(F32)},
    {T(TF32), {0, 0, 0}, {T(TF32), T(TF32), T(F32)}, T(F32)},
    {T(E4M3), {0, 0, 0}, {T(E4M3), T(E4M3), T(BF16)}, T(F32)},
    {T(E4M3), {0, T(E5M2), T(F16)}, {T(E4M3), T(E5M2), T(F16)}, T(F32)},
    {T(F16), {T(E5M2), T(E4M3), 0}, {T(E5M2), T(E4M3), T(F16)}, T(F32)},
    {T(S8), {0, 0, 0}, {T(S8), T(S8), T(S32)}, T(S32)},
    {ZLAY_GEMM_U8, {0, 0, 0}, {T(U8), T(U8), T(S32)}, T(S32)},
    {T(S8), {0, ZLAY_GEMM_U8, 0}, {T(S8), T(U8), T(S32)}, T(S32)},
    {0, {ZLAY_GEMM_U8, T(S8), T(S32)}, {T(U8), T(S8), T(S32)}, T(S32)},
    {0, {0, 0, T(F32)}, {T(BF16), T(BF16), T(F32)}, T(F32)},
};

static void test_defaults(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        for (int swapped = 0; swapped < 2; swapped++) {
            zlay_gemm g = typed(128, 128, 128, defaults[i].asked);
            g.type = defaults[i].type;
            g.d_order = swapped ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
            zlay_plan *plan = plan_of(&g);
            zlay_plan_summary info = info_of(plan);
            assert_int_equal(swapped ? info.mma.b : info.mma.a, defaults[i].planned.a);
            assert_int_equal(swapped ? info.mma.a : info.mma.b, defaults[i].planned.b);
            assert_int_equal(map_of(plan, D).type, defaults[i].planned.d);
            assert_int_equal(info.mma.d, defaults[i].sums);
            zlay_plan_free(plan);
        }
}

/* ---- counted by hand ----------------------------------------------------------------------- */

/* Of each kind a step has 128 bytes of K, so a stage has 128 + 256 rows of 128 bytes, 49152, and four fit. A pass of D has
 * 64 rows of 256 bytes, two boxes of 128 bytes a row: 64 or 32 columns each, of 256 columns two or four passes. */
static const struct {
    types t;
    uint32_t tile_k, mma_k, tiles_k, passes, pass_n;
    int32_t map[3]; /* types of the maps */
    uint32_t inner[3]; /* of a box */
    uint64_t stride[3];
} squares[] = {
    {{T(F16), T(F16), 0}, 64, 16, 64, 2, 128, {T(F16), T(F16), T(F16)}, {64, 64, 64}, {8192, 8192, 8192}},
    {{T(F16), T(F16), T(F32)}, 64, 16, 64, 4, 64, {T(F16), T(F16), T(F32)}, {64, 64, 32}, {8192, 8192, 16384}},
    {{T(E4M3), T(E5M2), 0}, 128, 32, 32, 2, 128, {T(U8), T(U8), T(BF16)}, {128, 128, 64}, {4096, 4096, 8192}},
    {{T(S8), ZLAY_GEMM_U8, 0}, 128, 32, 32, 4, 64, {T(U8), T(U8), T(S32)}, {128, 128, 32}, {4096, 4096, 16384}},
    {{T(TF32), T(TF32), 0}, 32, 8, 128, 4, 64, {T(F32), T(F32), T(F32)}, {32, 32, 32}, {16384, 16384, 16384}},
    {{T(TF32), T(TF32), T(F16)}, 32, 8, 128, 2, 128, {T(F32), T(F32), T(F16)}, {32, 32, 64}, {16384, 16384, 8192}},
};

static void test_squares(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
        zlay_gemm g = typed(4096, 4096, 4096, squares[i].t);
        zlay_plan *plan = plan_of(&g);
        zlay_plan_summary s = info_of(plan);
        const uint64_t rows[][2] = {
            {s.tile_m, 128}, {s.tile_n, 256}, {s.tile_k, squares[i].tile_k}, {s.mma.k, squares[i].mma_k}, {s.tiles_k, squares[i].tiles_k},
            {s.k_steps, 4}, {s.stages, 4}, {s.stage_bytes, 49152}, {s.expect_bytes, 49152}, {s.pitch_a, 16384}, {s.pitch_b, 32768},
            {s.pitch_d, 16384}, {s.passes, squares[i].passes}, {s.pass_n, squares[i].pass_n}, {s.smem, 230464}};
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            if (rows[r][0] != rows[r][1]) fail_msg("%zu, row %zu: %llu", i, r, (unsigned long long)rows[r][0]);
        for (int32_t o = 0; o < 3; o++) {
            zlay_tensormap map = map_of(plan, o);
            assert_int_equal(map.type, squares[i].map[o]);
            assert_int_equal(map.box[0], squares[i].inner[o]);
            assert_int_equal(map.stride[0], squares[i].stride[o]);
            assert_int_equal(map.swizzle, ZLAY_SWIZZLE_128B);
        }
        zlay_plan_free(plan);
    }
}

/* ---- which path ----------------------------------------------------------------------------- */

/* Rows of 100 bytes are of 4 bytes, of 102 of 2 and of 101 of 1: below 4 bytes a load is of one element, which a row's end
 * never cuts. Any row of tf32 has whole 4 bytes. */
static const struct {
    types t;
    uint64_t n, k, lda, ldb, ldd, a_shift;
    int32_t kind[3];
    uint32_t width[3];
} paths[] = {
#define LOAD  ZLAY_COPY_TENSOR_LOAD
#define STORE ZLAY_COPY_TENSOR_STORE
#define ASYNC ZLAY_COPY_CP_ASYNC
#define PLAIN ZLAY_COPY_THREAD_LOAD
#define GUARD ZLAY_COPY_THREAD_STORE
    {{T(E4M3), T(E4M3), 0}, 128, 112, 0, 0, 0, 0, {LOAD, LOAD, STORE}, {0, 0, 0}},
    {{T(E4M3), T(E4M3), 0}, 128, 100, 0, 104, 0, 0, {ASYNC, ASYNC, STORE}, {4, 8, 0}},
    {{T(E4M3), T(E4M3), 0}, 128, 100, 102, 101, 0, 0, {PLAIN, PLAIN, STORE}, {1, 1, 0}},
    {{T(S8), T(S8), 0}, 128, 112, 0, 0, 0, 3, {PLAIN, LOAD, STORE}, {1, 0, 0}},
    {{T(S8), T(S8), 0}, 130, 112, 0, 0, 0, 0, {LOAD, LOAD, GUARD}, {0, 0, 8}},
    {{T(S8), T(S8), 0}, 129, 112, 0, 0, 0, 0, {LOAD, LOAD, GUARD}, {0, 0, 4}},
    {{T(TF32), T(TF32), 0}, 132, 101, 0, 102, 0, 0, {ASYNC, ASYNC, STORE}, {4, 8, 0}},
    {{T(TF32), T(TF32), T(F16)}, 132, 100, 0, 0, 0, 4, {ASYNC, LOAD, GUARD}, {4, 0, 8}},
    {{T(F16), T(F16), T(F32)}, 132, 100, 0, 101, 133, 0, {ASYNC, PLAIN, GUARD}, {8, 2, 4}},
};

static void test_paths(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        zlay_gemm g = typed(128, paths[i].n, paths[i].k, paths[i].t);
        g.lda = paths[i].lda, g.ldb = paths[i].ldb, g.ldd = paths[i].ldd;
        g.a_address = (1 << 20) + paths[i].a_shift;
        zlay_plan *plan = plan_of(&g);
        for (int32_t o = 0; o < 3; o++) {
            zlay_copy copy = copy_of(plan, o, 0);
            if (copy.kind != paths[i].kind[o] || copy.width != paths[i].width[o])
                fail_msg("row %zu: operand %d by %d of %u bytes", i, o, copy.kind, copy.width);
        }
        zlay_plan_free(plan);
    }
}

/* The repair of a pitch is told in elements of the operand. */
static void test_rules(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    static const struct {
        types t;
        const char *says;
    } rows[] = {
        {{T(E4M3), T(E4M3), 0}, "stride[0] = 112 (leading dimension 112)"},
        {{T(F16), T(F16), 0}, "stride[0] = 208 (leading dimension 104)"},
        {{T(TF32), T(TF32), 0}, "stride[0] = 416 (leading dimension 104)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_gemm g = typed(128, 128, 101, rows[i].t);
        zlay_plan *plan = plan_of(&g);
        zlay_buf buf = {text, sizeof text, 0};
        assert_int_equal(zlay_plan_rules(&buf, plan), ZLAY_OK);
        if (!strstr(text, rows[i].says)) fail_msg("no \"%s\" in:\n%s", rows[i].says, text);
        zlay_plan_free(plan);
    }
}

/* ---- certificates --------------------------------------------------------------------------- */

#define FLOATS(a, b) {T(a), T(b), T(BF16)}, {T(a), T(b), T(F16)}, {T(a), T(b), T(F32)}
static const types all[] = {
    FLOATS(F16, F16), FLOATS(BF16, BF16), FLOATS(TF32, TF32), FLOATS(E4M3, E4M3), FLOATS(E4M3, E5M2), FLOATS(E5M2, E4M3),
    FLOATS(E5M2, E5M2), {T(S8), T(S8), T(S32)}, {ZLAY_GEMM_U8, ZLAY_GEMM_U8, T(S32)}, {T(S8), ZLAY_GEMM_U8, T(S32)},
    {ZLAY_GEMM_U8, T(S8), T(S32)},
};

static uint32_t bytes_of(int32_t type) { return type == ZLAY_GEMM_U8 ? 1 : zlay_type_bits(type) / 8; }

/* Every tile of every pair: each certificate is decided again. */
static void test_certificates(void **state)
{
    zlay_ctx *ctx = *state;
    for (uint32_t i = 0; i < sizeof all / sizeof *all * 8; i++) {
        types t = all[i / 8];
        zlay_gemm g = typed(200, 300, 260, t);
        g.tile_m = i % 2 ? 64 : 128, g.tile_n = 64 * (i % 4 + 1), g.tile_k = 128 / bytes_of(t.a) >> i % 3;
        g.d_order = i % 8 / 4 ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
        zlay_plan *plan = plan_of(&g);
        const zlay_layout *a, *b;
        uint32_t count = 0;
        for (; zlay_plan_certificate(&a, &b, plan, count) == ZLAY_OK; count++) {
            zlay_answer answer = ZLAY_NO;
            assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a, b), ZLAY_OK);
            assert_int_equal(answer, ZLAY_YES);
        }
        assert_int_equal(count, 6);
        zlay_plan_free(plan);
    }
}

typedef void disturbance(zlay_plan *plan);
static void element_of_a(zlay_plan *p) { p->operand[A].element *= 2; }
static void element_of_d(zlay_plan *p) { p->operand[D].element = 6 - p->operand[D].element; }
static void pass_of_d(zlay_plan *p) { p->operand[D].copies[1].smem += 128; }
static void swizzle_of_d(zlay_plan *p) { p->operand[D].map.swizzle--; }
static void step_of_b(zlay_plan *p) { p->step_start[B] /= 2; }
static void rows_of_a(zlay_plan *p) { p->desc[A].sbo *= 2; }

/* With one part of a plan changed its certificates cannot be made. */
static void test_disturbed(void **state)
{
    static disturbance *const disturb[] = {element_of_a, element_of_d, pass_of_d, swizzle_of_d, step_of_b, rows_of_a};
    zlay_ctx *ctx = *state;
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < sizeof disturb / sizeof *disturb; k++) {
            zlay_gemm g = typed(512, 512, 512, all[i]);
            g.tile_m = 128, g.tile_n = 128;
            zlay_plan *plan = plan_of(&g), other = *plan;
            memset(other.certificate, 0, sizeof other.certificate);
            disturb[k](&other);
            if (zl_certificates_make(ctx, &other) != ZLAY_EINTERNAL) fail_msg("types %u: disturbance %zu is certified", i, k);
            for (int c = 0; c < ZL_CERTIFICATES; c++)
                for (int side = 0; side < 2; side++) zlay_layout_free(other.certificate[c][side]);
            zlay_plan_free(plan);
        }
}

/* ---- refusals -------------------------------------------------------------------------------- */

#define COL ZLAY_ORDER_COLUMN
#define ROW ZLAY_ORDER_ROW
static const struct {
    const char *target;
    types t;
    int32_t a_order, b_order, d_order;
    zlay_status status;
    const char *says;
} bads[] = {
    {"sm_90a", {T(E4M3), T(BF16), 0}, 0, 0, 0, ZLAY_NONE, "WGMMA_B: a_type e4m3, b_type bf16"},
    {"sm_90a", {T(E4M3), T(BF16), 0}, 0, 0, 0, ZLAY_NONE, "the nearest that works is b_type e4m3"},
    {"sm_90a", {T(BF16), T(F16), 0}, 0, 0, 0, ZLAY_NONE, "the nearest that works is b_type bf16"},
    {"sm_90a", {T(S8), T(E4M3), 0}, 0, 0, 0, ZLAY_NONE, "the nearest that works is b_type s8"},
    {"sm_90a", {T(F32), T(F32), 0}, 0, 0, 0, ZLAY_NONE, "the nearest that works is a_type tf32"},
    {"sm_90a", {T(E2M1), T(E4M3), 0}, 0, 0, 0, ZLAY_NONE, "the nearest that works is a_type e4m3"},
    {"sm_90a", {T(S4), T(S4), 0}, 0, 0, 0, ZLAY_NONE, "WGMMA_A"},
    {"sm_90a", {T(B1), T(B1), 0}, 0, 0, 0, ZLAY_ENOTSUP, "a_type: b1"},
    {"sm_90a", {0, 0, T(TF32)}, 0, 0, 0, ZLAY_ENOTSUP, "d_type: tf32; sums of bf16 are f32, and D is f32, f16, bf16, e4m3"},
    {"sm_90a", {T(E4M3), T(E4M3), T(E2M1)}, 0, 0, 0, ZLAY_ENOTSUP, "d_type: e2m1"},
    {"sm_90a", {T(S8), T(S8), T(S4)}, 0, 0, 0, ZLAY_ENOTSUP, "d_type: s4; sums of s8 are s32, and D is f32"},
    {"sm_90a", {T(E4M3), T(E4M3), 0}, COL, 0, 0, ZLAY_NONE, "WGMMA_A_K_MAJOR"},
    {"sm_90a", {T(E4M3), T(E4M3), 0}, COL, 0, 0, ZLAY_NONE, "a_order: the nearest that works is row"},
    {"sm_90a", {T(TF32), T(TF32), 0}, 0, ROW, 0, ZLAY_NONE, "b_order: the nearest that works is column"},
    {"sm_90a", {T(S8), T(S8), 0}, COL, 0, COL, ZLAY_NONE, "a_order: the nearest that works is row"},
    {"sm_90a", {T(S8), T(S8), 0}, 0, ROW, COL, ZLAY_NONE, "b_order: the nearest that works is column"},
    {"gfx1250", {T(F16), T(F16), 0}, 0, 0, 0, ZLAY_ENOTSUP, "gfx1250: GEMMs are planned for targets with"},
    {"gfx942", {T(E4M3), T(E4M3), 0}, 0, 0, 0, ZLAY_NONE, "MFMA_A: a_type e4m3, b_type e4m3"},
    {"gfx942", {T(E4M3), T(E5M2), 0}, 0, 0, 0, ZLAY_NONE, "the nearest that works is e4m3fnuz and e5m2fnuz"},
    {"gfx950", {T(TF32), T(TF32), 0}, 0, 0, 0, ZLAY_NONE, "the nearest that works is"},
    {"gfx950", {0, T(E4M3), 0}, 0, 0, 0, ZLAY_NONE, "a_type bf16, b_type e4m3"},
    {"gfx950", {0, 0, T(E4M3_FNUZ)}, 0, 0, 0, ZLAY_ENOTSUP, "d_type: e4m3fnuz; gfx950 rounds no sums to it; the nearest that works is e4m3"},
    {"gfx942", {0, 0, T(E5M2)}, 0, 0, 0, ZLAY_ENOTSUP, "the nearest that works is e5m2fnuz"},
    {"gfx90a", {0, 0, T(E4M3)}, 0, 0, 0, ZLAY_ENOTSUP, "d_type: e4m3; gfx90a rounds no sums to it; the nearest that works is bf16"},
    {"gfx90a", {0, 0, T(F64)}, 0, 0, 0, ZLAY_ENOTSUP, "d_type: f64"},
};

static void test_refusals(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        zlay_gemm g = typed(128, 128, 128, bads[i].t);
        g.a_order = bads[i].a_order, g.b_order = bads[i].b_order, g.d_order = bads[i].d_order;
        zlay_plan *plan = (zlay_plan *)&g;
        zlay_status status = zlay_gemm_synth(ctx, &plan, target_of(bads[i].target), &g);
        if (status != bads[i].status || plan || !strstr(zlay_ctx_message(ctx), bads[i].says))
            fail_msg("row %zu: %d: %s", i, status, zlay_ctx_message(ctx));
    }
}

/* Steps of K are a quarter, a half or the whole of 128 bytes; addresses are of whole elements. */
static void test_steps_and_addresses(void **state)
{
    static const struct {
        int32_t type;
        uint32_t tile_k;
        uint64_t a_address;
        const char *says;
    } rows[] = {
        {T(E4M3), 16, 0, "tile_k: 16 is no power of two in 32..512"}, {T(E4M3), 128, 0, NULL}, {T(E4M3), 0, (1 << 20) + 1, NULL},
        {T(TF32), 256, 0, "tile_k: 256 is no power of two in 8..128"}, {T(TF32), 8, 0, NULL},
        {T(TF32), 0, (1 << 20) + 2, "a_address: 0x100002 is no multiple of an element's 4 bytes"}, {T(F16), 16, 0, NULL},
        {T(F16), 512, 0, "tile_k: 512 is no power of two in 16..256"}, {T(F16), 0, (1 << 20) + 1, "an element's 2 bytes"},
    };
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_gemm g = gemm_of(128, 128, 128);
        zlay_plan *plan = NULL;
        g.type = rows[i].type, g.tile_k = rows[i].tile_k, g.a_address = rows[i].a_address;
        zlay_status status = zlay_gemm_synth(ctx, &plan, target_of("sm_90a"), &g);
        if (rows[i].says ? status != ZLAY_EINVAL || !strstr(zlay_ctx_message(ctx), rows[i].says) : status != ZLAY_OK)
            fail_msg("row %zu: %d: %s", i, status, zlay_ctx_message(ctx));
        zlay_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_squares),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_certificates),
        cmocka_unit_test(test_disturbed),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_steps_and_addresses),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
