/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs of gfx targets of every type that their matrix instructions multiply to 32 x 32 results: the text is executed, at
 * edges and in steps that K does not fill, and D is the same in double, rounded to its type. */
#define _DEFAULT_SOURCE
#include "gcn/typed.h"
#include "group_ctx.h"


#define T(type) ZLAY_TYPE_##type
static const struct {
    uint32_t targets; /* a bit each */
    int32_t a, b, d;
} rows[] = {
    {7, T(BF16), T(BF16), T(BF16)}, {7, T(F16), T(F16), T(F16)},   {7, T(F16), T(F16), T(F32)},
    {7, T(F16), T(F16), T(BF16)},   {7, T(BF16), T(BF16), T(F32)}, {7, T(BF16), T(BF16), T(F16)},
    {7, T(F32), T(F32), T(F32)},    {7, T(F32), T(F32), T(BF16)},  {2, T(TF32), T(TF32), T(F32)},
    {7, T(S8), T(S8), T(S32)},      {7, T(S8), T(S8), T(F16)},     {7, T(BF16), T(BF16), T(S32)},
    {7, T(S8), T(S8), T(S8)},       {7, T(BF16), T(BF16), T(S8)},  {7, T(S8), T(S8), ZLAY_GEMM_U8},
    {2, T(E4M3_FNUZ), T(E4M3_FNUZ), T(BF16)}, {2, T(E4M3_FNUZ), T(E5M2_FNUZ), T(F32)},
    {2, T(E5M2_FNUZ), T(E4M3_FNUZ), T(F16)},  {2, T(E5M2_FNUZ), T(E5M2_FNUZ), T(BF16)},
    {4, T(E4M3), T(E4M3), T(BF16)},           {4, T(E4M3), T(E5M2), T(F32)},
    {4, T(E5M2), T(E4M3), T(F16)},            {4, T(E5M2), T(E5M2), T(BF16)},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Sums are small integers, which bf16 has up to 256; above it rounds to 8 bits, f16 to 11; 8 bits saturate. */
static double rounded(int32_t type, double value)
{
    if (type == T(S8)) return value < -128 ? -128 : value > 127 ? 127 : value;
    if (type == T(U8)) return value < 0 ? 0 : value > 255 ? 255 : value;
    int bits = type == T(BF16) ? 8 : type == T(F16) ? 11 : 24;
    if (!(fabs(value) > 0)) return 0;
    double unit = ldexp(1, ilogb(value) + 1 - bits);
    return rint(value / unit) * unit;
}

static void runs(gcn_target target, size_t row, const zlay_gemm *shape, int schedule, uint64_t *random)
{
    typed t;
    zlay_gemm r = *shape;
    const int32_t type[3] = {rows[row].a, rows[row].b, rows[row].d == ZLAY_GEMM_U8 ? T(U8) : rows[row].d};
    char what[64];
    snprintf(what, sizeof what, "%s x %s to %s", zlay_type_name(type[0]), zlay_type_name(type[1]), zlay_type_name(type[2]));
    r.size = sizeof r, r.a_type = type[0], r.b_type = type[1], r.d_type = rows[row].d;
    typed_make(&t, ctx, target, &r, type, random, NULL, 0);
    typed_run(&t, schedule, what);
    for (uint32_t i = 0; i < t.d.rows; i++)
        for (uint32_t j = 0; j < t.d.columns; j++) {
            double wanted = rounded(type[2], typed_sum(&t, i, j)), got = typed_at(&t.d, target, i, j);
            if (!(fabs(got - wanted) <= 0))
                fail_msg("%s, %s: (%u, %u): %g, not %g", gcn_target_name[target], what, i, j, got, wanted);
        }
    typed_free(&t);
}

static void types_run(void **state)
{
    static const zlay_gemm shapes[] = {{.m = 130, .n = 67, .k = 208}, {.m = 40, .n = 72, .k = 48, .lda = 64, .ldb = 80}};
    uint64_t random = test_seed("gcn types");
    (void)state;
    gcn_need_llvm("types of gfx targets were run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++)
        for (size_t i = 0; i < ROWS; i++)
            for (size_t s = 0; s < 2 && rows[i].targets >> target & 1; s++) runs(target, i, &shapes[s], (int)(i + s) % 2, &random);
}

/* What is in no row is refused, with a rule or the type. */
static void others_refused(void **state)
{
    static const int32_t all[] = {T(BF16), T(F16), T(F32), T(TF32), T(S8), T(E4M3), T(E5M2), T(E4M3_FNUZ), T(E5M2_FNUZ), T(E2M1), T(F64)};
    enum { COUNT = sizeof all / sizeof *all };
    (void)state;
    for (int i = 0; i < COUNT * COUNT * GCN_TARGETS; i++) {
        int32_t a = all[i % COUNT], b = all[i / COUNT % COUNT];
        int target = i / COUNT / COUNT;
        bool there = false;
        for (size_t row = 0; row < ROWS; row++) there |= rows[row].targets >> target & 1 && rows[row].a == a && rows[row].b == b;
        zlay_gemm r = {.size = sizeof r, .m = 64, .n = 64, .k = 64, .a_type = a, .b_type = b};
        zlay_plan *plan = NULL;
        zlay_status status = zlay_gemm_synth(ctx, &plan, wave_target(gcn_target_name[target]), &r);
        if ((status == ZLAY_OK) != there || (status && !strlen(zlay_ctx_message(ctx))))
            fail_msg("%s, %s x %s: %d", gcn_target_name[target], zlay_type_name(a), zlay_type_name(b), status);
        zlay_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(types_run), cmocka_unit_test(others_refused)};
    return cmocka_run_group_tests_name("gcn-types", tests, open_ctx, close_ctx);
}
