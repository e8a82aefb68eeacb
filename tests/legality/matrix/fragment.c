/* SPDX-License-Identifier: Apache-2.0 */
/* Register fragments of wgmma against the formulas of the PTX ISA's figures; an H200 agreed with
 * every element of A, D and the metadata (tests/device/hardware/device_wgmma.c). */
#include "legality.h"

enum { THREADS = 128 };

typedef struct row {
    int32_t type, d;
    uint32_t bits, sparse;
} row;

static const row rows[] = {
    {ZLAY_TYPE_F16, ZLAY_TYPE_F32, 16, 0},  {ZLAY_TYPE_F16, ZLAY_TYPE_F16, 16, 0},
    {ZLAY_TYPE_BF16, ZLAY_TYPE_F32, 16, 0}, {ZLAY_TYPE_TF32, ZLAY_TYPE_F32, 32, 0},
    {ZLAY_TYPE_E4M3, ZLAY_TYPE_F16, 8, 0},  {ZLAY_TYPE_E5M2, ZLAY_TYPE_F32, 8, 0},
    {ZLAY_TYPE_S8, ZLAY_TYPE_S32, 8, 0},    {ZLAY_TYPE_U8, ZLAY_TYPE_S32, 8, 0},
    {ZLAY_TYPE_B1, ZLAY_TYPE_S32, 1, 0},    {ZLAY_TYPE_F16, ZLAY_TYPE_F32, 16, 1},
    {ZLAY_TYPE_BF16, ZLAY_TYPE_F32, 16, 1}, {ZLAY_TYPE_TF32, ZLAY_TYPE_F32, 32, 1},
    {ZLAY_TYPE_E4M3, ZLAY_TYPE_F32, 8, 1},  {ZLAY_TYPE_S8, ZLAY_TYPE_S32, 8, 1},
};
enum { ROWS = sizeof rows / sizeof *rows };

static zlay_mma mma_of(const row *r, uint32_t n)
{
    zlay_mma m = {.m = 64, .n = n, .a = r->type, .b = r->type, .d = r->d, .sparse = r->sparse};
    m.k = (256 / r->bits) << r->sparse;
    return m;
}

static zlay_layout *fragment(zlay_ctx *ctx, const zlay_mma *m, int32_t which)
{
    zlay_layout *layout = NULL;
    assert_int_equal(zlay_mma_fragment(ctx, &layout, target_of("sm_90a"), m, which), ZLAY_OK);
    return layout;
}

static void equals(const zlay_layout *layout, uint64_t threads, uint64_t values,
                   uint64_t (*want)(uint32_t bits, uint64_t thread, uint64_t value), uint32_t bits)
{
    static uint8_t seen[1 << 14];
    memset(seen, 0, sizeof seen);
    assert_int_equal(zlay_layout_size(layout), threads * values);
    for (uint64_t t = 0; t < threads; t++)
        for (uint64_t v = 0; v < values; v++) {
            int64_t at;
            assert_int_equal(zlay_layout_eval(&at, 1, layout, t + threads * v), ZLAY_OK);
            assert_int_equal(at, want(bits, t, v));
            assert_true(at >= 0 && at < (int64_t)(threads * values) && !seen[at]++);
        }
}

/* Figure "WGMMA .m64nNk* register fragment layout for accumulator matrix D". */
static uint64_t d_figure(uint32_t bits, uint64_t t, uint64_t i)
{
    (void)bits;
    uint64_t m = 16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2),
             n = 8 * (i / 4) + 2 * (t % 4) + i % 2;
    return m + 64 * n;
}

/* Figures "register fragment layout for matrix A": register r of four, rows r % 2, halves of K r /
 * 2; in it one after another. */
static uint64_t a_figure(uint32_t bits, uint64_t t, uint64_t i)
{
    uint64_t each = 32 / bits, r = i / each;
    uint64_t m = 16 * (t / 32) + t % 32 / 4 + 8 * (r % 2);
    return m + 64 * (4 * each * (r / 2) + each * (t % 4) + i % each);
}

/* Figures "sparse MMA metadata": the i-th of two threads of a quad, or all four. */
static uint64_t metadata_figure(uint32_t bits, uint64_t t, uint64_t i)
{
    uint64_t quad = bits == 8 ? t / 4 : t / 2;
    uint64_t upper = bits == 8 ? t % 2 : i / 4,
             group = bits == 8 ? t % 4 / 2 * 8 + i : t % 2 * 4 + i % 4;
    return 16 * (quad / 8) + quad % 8 + 8 * upper + 64 * group;
}

static void d_as_in_the_figures(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < ROWS; i++)
        for (uint32_t n = 8; n <= 256; n += n < 32 ? 8 : 16) {
            zlay_mma m = mma_of(&rows[i], n);
            zlay_layout *d = fragment(ctx, &m, ZLAY_FRAGMENT_D);
            equals(d, THREADS, n / 2, d_figure, 0);
            zlay_layout_free(d);
        }
}

static void a_as_in_the_figures(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < ROWS; i++) {
        zlay_mma m = mma_of(&rows[i], 64);
        zlay_layout *a = fragment(ctx, &m, ZLAY_FRAGMENT_A);
        equals(a, THREADS, 128 / rows[i].bits, a_figure, rows[i].bits);
        zlay_layout_free(a);
    }
}

static void metadata_as_measured(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < ROWS; i++) {
        zlay_layout *e = NULL;
        zlay_mma m = mma_of(&rows[i], 64);
        if (!m.sparse) {
            assert_int_equal(
                zlay_mma_fragment(ctx, &e, target_of("sm_90a"), &m, ZLAY_FRAGMENT_METADATA),
                ZLAY_NONE);
            continue;
        }
        e = fragment(ctx, &m, ZLAY_FRAGMENT_METADATA);
        equals(e, rows[i].bits == 8 ? 128 : 64, 8, metadata_figure, rows[i].bits);
        zlay_layout_free(e);
    }
}

/* Figures of mma.m16n8k*: registers of A a0, a1 in rows g, g + 8, then the upper half of K; of B
 * the halves of K; c0, c1 in row g, c2, c3 in row g + 8. Matrix i of ldmatrix: row l / 4, columns 2
 * (l % 4) and the next; .trans: column l / 4, rows 2 (l % 4) and the next. */
static uint64_t warp_figure(int32_t which, uint32_t bits, uint64_t l, uint64_t i)
{
    uint64_t each = 32 / bits, r = i / each, k = each * (l % 4) + i % each;
    switch (which) {
    case ZLAY_WARP_A: return l / 4 + 8 * (r % 2) + 16 * (k + r / 2 * 4 * each);
    case ZLAY_WARP_B: return l / 4 + 8 * (k + r * 4 * each);
    case ZLAY_WARP_D: return l / 4 + 8 * (i / 2) + 16 * (2 * (l % 4) + i % 2);
    case ZLAY_WARP_MATRICES: return l / 4 + 8 * (2 * (l % 4) + i % 2) + 64 * (i / 2);
    default: return 2 * (l % 4) + i % 2 + 8 * (l / 4) + 64 * (i / 2);
    }
}

static void warps_as_in_the_figures(void **state)
{
    zlay_ctx *ctx = *state;
    uint32_t found = 0;
    for (int32_t which = 0; which < 5; which++)
        for (uint32_t bits = 1; bits <= 64; bits *= 2)
            for (uint32_t registers = 1; registers <= 8; registers *= 2) {
                zlay_layout *f = NULL;
                zlay_status status = zlay_warp_fragment(ctx, &f, which, bits, registers);
                if (status == ZLAY_NONE) continue;
                assert_int_equal(status, ZLAY_OK);
                uint64_t values = registers * (32 / bits);
                assert_int_equal(zlay_layout_size(f), 32 * values);
                for (uint64_t x = 0; x < 32 * values; x++) {
                    int64_t at;
                    assert_int_equal(zlay_layout_eval(&at, 1, f, x), ZLAY_OK);
                    assert_int_equal(at, warp_figure(which, bits, x % 32, x / 32));
                }
                zlay_layout_free(f);
                found++;
            }
    assert_int_equal(found, 10 + 10 + 1 + 3 + 3);
    zlay_layout *none = (zlay_layout *)1;
    assert_int_equal(zlay_warp_fragment(ctx, &none, 5, 16, 4), ZLAY_EINVAL);
    assert_null(none);
    assert_int_equal(zlay_warp_fragment(ctx, &none, -1, 16, 4), ZLAY_EINVAL);
    assert_int_equal(zlay_warp_fragment(NULL, &none, 0, 16, 4), ZLAY_EINVAL);
    assert_int_equal(zlay_warp_fragment(ctx, NULL, 0, 16, 4), ZLAY_EINVAL);
    assert_int_equal(zlay_warp_fragment(ctx, &none, 0, 2, 4), ZLAY_NONE);
    assert_int_equal(zlay_warp_fragment(ctx, &none, 0, 16, 0), ZLAY_NONE);
    assert_int_equal(zlay_warp_fragment(ctx, &none, 0, 0, 2), ZLAY_NONE);
}

static void by_hand(void **state)
{
    static const char text[] = "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))";
    zlay_ctx *ctx = *state;
    zlay_layout *want = NULL;
    zlay_answer same = ZLAY_NO;
    zlay_witness witness;
    int64_t at;
    zlay_mma m = mma_of(&rows[2], 16);
    zlay_layout *d = fragment(ctx, &m, ZLAY_FRAGMENT_D);
    assert_int_equal(zlay_layout_eval(&at, 1, d, 5 + 128 * 3), ZLAY_OK);
    assert_int_equal(at, 201);
    assert_int_equal(zlay_layout_parse(ctx, &want, text, sizeof text - 1), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(ctx, &same, &witness, d, want), ZLAY_OK);
    assert_int_equal(same, ZLAY_YES);
    zlay_layout_free(d);
    zlay_layout_free(want);
}

static void refused(zlay_ctx *ctx, const zlay_mma *m, int32_t which, zlay_status status,
                    const char *word)
{
    zlay_layout *layout = (zlay_layout *)1;
    assert_int_equal(zlay_mma_fragment(ctx, &layout, target_of("sm_90a"), m, which), status);
    assert_null(layout);
    if (word && !strstr(zlay_ctx_message(ctx), word))
        fail_msg("no %s: %s", word, zlay_ctx_message(ctx));
}

static void what_has_no_fragment(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *layout = (zlay_layout *)1;
    const zlay_mma good = mma_of(&rows[2], 64);
    zlay_mma m = good;
    m.n = 12, refused(ctx, &m, ZLAY_FRAGMENT_D, ZLAY_NONE, "WGMMA_N_8");
    m = good, m.a_major = 1, refused(ctx, &m, ZLAY_FRAGMENT_A, ZLAY_NONE, "WGMMA_A_REG_MAJOR");
    m = good, m.a = INT32_MAX, refused(ctx, &m, ZLAY_FRAGMENT_A, ZLAY_NONE, "WGMMA");
    m = good, m.instruction = ZLAY_MMA_TCGEN05,
    refused(ctx, &m, ZLAY_FRAGMENT_D, ZLAY_ENOTSUP, "tcgen05");
    m = good, refused(ctx, &m, ZLAY_FRAGMENT_B, ZLAY_NONE, "B of wgmma");
    m = good, refused(ctx, &m, 4, ZLAY_EINVAL, NULL);
    refused(ctx, &m, -1, ZLAY_EINVAL, NULL);
    m.reserved[0] = 1, refused(ctx, &m, ZLAY_FRAGMENT_D, ZLAY_EINVAL, NULL);
    assert_int_equal(zlay_mma_fragment(NULL, &layout, target_of("sm_90a"), &good, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_fragment(ctx, NULL, target_of("sm_90a"), &good, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_fragment(ctx, &layout, NULL, &good, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_fragment(ctx, &layout, target_of("sm_90a"), NULL, 0), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d_as_in_the_figures),
        cmocka_unit_test(a_as_in_the_figures),
        cmocka_unit_test(metadata_as_measured),
        cmocka_unit_test(warps_as_in_the_figures),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(what_has_no_fragment),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
