/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of mfma against the tables of AMD's calculator, element by element. */
#include "legality.h"

#include <stdlib.h>

typedef struct row {
    const char *target, *name;
    uint32_t m, n, k, blocks;
    const char *a, *b, *d;
    uint32_t cycles;
    const char *map[3]; /* of A, B, D */
} row;

static const row rows[] = {
#define MAP(target, name, m, n, k, blocks, a, b, d, cycles, cbsz, blgp, map_a, map_b, map_d) \
    {target, name, m, n, k, blocks, a, b, d, cycles, {map_a, map_b, map_d}},
#include "data/mfma-maps.def"
#undef MAP
};
enum { ROWS = sizeof rows / sizeof *rows, COUNTED = 59, LANES = 64 };
static const int32_t fragments[] = {ZLAY_FRAGMENT_A, ZLAY_FRAGMENT_B, ZLAY_FRAGMENT_D};

static int32_t type_of(const char *target_name, const char *name)
{
    int32_t type = -1;
    assert_int_equal(zlay_type_find(&type, name, strlen(name)), ZLAY_OK);
    return zlay_target_type(target_of(target_name), type);
}

static zlay_mma mma_of(const row *r)
{
    return (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = r->m, .n = r->n, .k = r->k, .blocks = r->blocks,
                      .a = type_of(r->target, r->a), .b = type_of(r->target, r->b), .d = type_of(r->target, r->d)};
}

/* The bases of a map: lane bits, then bits of the value, as what they add to the element's number. */
typedef struct bases {
    uint64_t step[16];
    uint32_t count;
} bases;

static bases read_bases(const row *r, int operand)
{
    bases out = {{0}, 0};
    uint64_t row_size = operand == 1 ? r->n : r->m, columns = operand == 2 ? r->n : r->k;
    for (const char *at = r->map[operand]; *at;) {
        char *end = (char *)at + 1;
        uint64_t value = strchr("ijkb", *at) ? strtoull(at + 1, &end, 10) : 0;
        bool first = *at == (operand == 1 ? 'j' : 'i');
        if (value) out.step[out.count++] = value * (*at == 'b' ? row_size * columns : first ? 1 : row_size);
        at = end;
    }
    return out;
}

static void equals(zlay_ctx *ctx, const row *r, int operand)
{
    static uint8_t seen[1 << 15];
    zlay_layout *layout = NULL;
    zlay_mma m = mma_of(r);
    bases want = read_bases(r, operand);
    uint64_t size = (uint64_t)1 << want.count;
    memset(seen, 0, sizeof seen);
    assert_int_equal(zlay_mma_fragment(ctx, &layout, target_of(r->target), &m, fragments[operand]), ZLAY_OK);
    if (zlay_layout_size(layout) != size) fail_msg("%s %d: %llu points", r->name, operand, (unsigned long long)zlay_layout_size(layout));
    for (uint64_t x = 0; x < size; x++) {
        int64_t at = -1;
        uint64_t sum = 0;
        for (uint32_t bit = 0; bit < want.count; bit++) sum += x >> bit & 1 ? want.step[bit] : 0;
        assert_int_equal(zlay_layout_eval(&at, 1, layout, x), ZLAY_OK);
        if ((uint64_t)at != sum) fail_msg("%s %s operand %d at %llu: %lld, not %llu", r->target, r->name, operand,
                                          (unsigned long long)x, (long long)at, (unsigned long long)sum);
        assert_true(at >= 0 && (uint64_t)at < size && !seen[at]++);
    }
    zlay_layout_free(layout);
}

static void as_the_calculator_prints(void **state)
{
    zlay_ctx *ctx = *state;
    size_t counted = 0;
    for (size_t i = 0; i < ROWS; i++) {
        for (int operand = 0; operand < 3; operand++) equals(ctx, &rows[i], operand);
        counted += rows[i].cycles != 0;
    }
    assert_int_equal(counted, COUNTED);
}

/* Every layout of the calculator is found again as what it is; with one value elsewhere it is none. */
static void found_again(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < ROWS; i++)
        for (int operand = 0; operand < 3; operand++) {
            zlay_fragment found[32];
            zlay_layout *layout = NULL;
            zlay_mma m = mma_of(&rows[i]);
            zlay_fragment_request r = {.size = sizeof r, .bits = zlay_type_bits(operand == 2 ? m.d : m.a)};
            size_t count = 0, mine = 0;
            uint32_t side = operand == 1 ? m.n : m.m;
            assert_int_equal(zlay_mma_fragment(ctx, &layout, target_of(rows[i].target), &m, fragments[operand]), ZLAY_OK);
            r.layout = layout;
            if (zlay_fragment_synth(ctx, found, 32, &count, &r)) fail_msg("%s %d: %s", rows[i].name, operand, zlay_ctx_message(ctx));
            for (size_t f = 0; f < count; f++)
                mine += found[f].lanes == LANES && found[f].fragment == fragments[operand] && found[f].rows == side && found[f].blocks == m.blocks &&
                        found[f].columns == (operand == 2 ? m.n : m.k) * m.blocks && found[f].registers * 32 == zlay_layout_size(layout) / LANES * r.bits;
            if (mine != 1) fail_msg("%s, operand %d, is found %zu times", rows[i].name, operand, mine);
            zlay_layout_free(layout);
        }
}

static void says(zlay_ctx *ctx, const char *target_name, const zlay_mma *m, int32_t fragment, const char *text)
{
    zlay_layout *got = NULL, *want = NULL;
    zlay_answer same = ZLAY_NO;
    zlay_witness witness;
    assert_int_equal(zlay_mma_fragment(ctx, &got, target_of(target_name), m, fragment), ZLAY_OK);
    assert_int_equal(zlay_layout_parse(ctx, &want, text, strlen(text)), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(ctx, &same, &witness, got, want), ZLAY_OK);
    assert_int_equal(same, ZLAY_YES);
    zlay_layout_free(got);
    zlay_layout_free(want);
}

/* The example of zlay/mma.h. */
static void by_hand(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_mma m = {.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 8, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    says(ctx, "gfx90a", &m, ZLAY_FRAGMENT_A, "((32,1,2),4):((1,256,128),32)");
    says(ctx, "gfx942", &m, ZLAY_FRAGMENT_D, "((32,1,2),(4,4,1)):((32,1024,4),(1,8,1024))");
    m.m = m.n = 16, m.k = 32;
    says(ctx, "gfx950", &m, ZLAY_FRAGMENT_B, "((16,4),8):((1,128),16)");
}

typedef struct unmerged {
    const char *target;
    uint32_t m, n, k;
    int32_t type, d;
    uint32_t sparse;
    uint32_t a_low, a_runs, b_low, b_runs; /* values of a run, runs of a lane */
} unmerged;

/* Composable Kernel's comments, as A=KP{4} L{KP1M} V{KP0} B=K{8} L{K1N} V{K0}, and its kBKNumAccess 2 of what gfx950 has alone; f8f6f4 in
 * e4m3: two runs of 16 (AMD, "Matrix Core Programming on CDNA3 and CDNA4"; Composable Kernel; Triton), in e2m1 one of 32. */
static const unmerged unmerges[] = {
    {"gfx942", 16, 16, 32, ZLAY_TYPE_F16, ZLAY_TYPE_F32, 1, 4, 1, 8, 1},   {"gfx942", 32, 32, 16, ZLAY_TYPE_BF16, ZLAY_TYPE_F32, 1, 4, 1, 8, 1},
    {"gfx942", 16, 16, 64, ZLAY_TYPE_S8, ZLAY_TYPE_S32, 1, 8, 1, 16, 1},   {"gfx950", 32, 32, 32, ZLAY_TYPE_E4M3, ZLAY_TYPE_F32, 1, 8, 1, 16, 1},
    {"gfx950", 16, 16, 64, ZLAY_TYPE_BF16, ZLAY_TYPE_F32, 1, 8, 1, 8, 2},  {"gfx950", 32, 32, 32, ZLAY_TYPE_F16, ZLAY_TYPE_F32, 1, 8, 1, 8, 2},
    {"gfx950", 16, 16, 128, ZLAY_TYPE_S8, ZLAY_TYPE_S32, 1, 16, 1, 16, 2}, {"gfx950", 32, 32, 64, ZLAY_TYPE_E5M2, ZLAY_TYPE_F32, 1, 16, 1, 16, 2},
    {"gfx950", 32, 32, 64, ZLAY_TYPE_E4M3, ZLAY_TYPE_F32, 0, 16, 2, 16, 2}, {"gfx950", 16, 16, 128, ZLAY_TYPE_E5M2, ZLAY_TYPE_F32, 0, 16, 2, 16, 2},
    {"gfx950", 16, 16, 128, ZLAY_TYPE_E2M1, ZLAY_TYPE_F32, 0, 32, 1, 32, 1},
};

/* Lane (row, K1), value (K0, K2) -> row + side (K0 + low (K1 + parts K2)), each element once. */
static void equals_unmerged(zlay_ctx *ctx, const unmerged *u, bool a)
{
    static uint8_t seen[1 << 13];
    uint32_t side = a ? u->m : u->n, low = a ? u->a_low : u->b_low, runs = a ? u->a_runs : u->b_runs, parts = LANES / side;
    zlay_mma m = {.instruction = ZLAY_MMA_MFMA, .m = u->m, .n = u->n, .k = u->k, .sparse = u->sparse, .a = u->type, .b = u->type, .d = u->d};
    zlay_layout *layout = NULL;
    memset(seen, 0, sizeof seen);
    assert_int_equal(zlay_mma_fragment(ctx, &layout, target_of(u->target), &m, a ? ZLAY_FRAGMENT_A : ZLAY_FRAGMENT_B), ZLAY_OK);
    assert_int_equal(zlay_layout_size(layout), side * u->k / (a ? 1 + u->sparse : 1));
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t v = 0; v < low * runs; v++) {
            int64_t at;
            uint32_t want = lane % side + side * (v % low + low * (lane / side + parts * (v / low)));
            assert_int_equal(zlay_layout_eval(&at, 1, layout, lane + LANES * v), ZLAY_OK);
            assert_int_equal(at, want);
            assert_false(seen[at]++);
        }
    zlay_layout_free(layout);
}

static void as_published(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof unmerges / sizeof *unmerges; i++)
        for (int a = 0; a < 2; a++) equals_unmerged(ctx, &unmerges[i], a);
}

/* The calculator's README: of v_smfmac_f32_16x16x32_f16, row 2 and k = 31 have their bits in lane 50, from bit 4 on. */
static void metadata(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *e = NULL;
    int64_t at;
    zlay_mma m = {.instruction = ZLAY_MMA_MFMA, .m = 16, .n = 16, .k = 32, .sparse = 1, .a = ZLAY_TYPE_F16, .b = ZLAY_TYPE_F16, .d = ZLAY_TYPE_F32};
    assert_int_equal(zlay_mma_fragment(ctx, &e, target_of("gfx942"), &m, ZLAY_FRAGMENT_METADATA), ZLAY_OK);
    assert_int_equal(zlay_layout_size(e), 16 * 32 / 4);
    assert_int_equal(zlay_layout_eval(&at, 1, e, 50 + LANES * (4 / 4)), ZLAY_OK);
    assert_int_equal(at, 2 + 16 * (31 / 4));
    zlay_layout_free(e);
}

static void undecided(zlay_ctx *ctx, const char *target_name, zlay_mma m, int32_t fragment, const char *word)
{
    zlay_layout *out = (zlay_layout *)1;
    m.instruction = ZLAY_MMA_MFMA;
    assert_int_equal(zlay_mma_fragment(ctx, &out, target_of(target_name), &m, fragment), ZLAY_ENOTSUP);
    assert_null(out);
    if (!strstr(zlay_ctx_message(ctx), "undecided") || !strstr(zlay_ctx_message(ctx), word)) fail_msg("%s", zlay_ctx_message(ctx));
}

/* gfx1250's D, by Composable Kernel: M{8} L{M1N} V{M0}. */
static void gaps(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_mma six = {.m = 16, .n = 16, .k = 128, .a = ZLAY_TYPE_E2M3, .b = ZLAY_TYPE_E4M3, .d = ZLAY_TYPE_F32};
    zlay_mma wave32 = {.m = 16, .n = 16, .k = 32, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    undecided(ctx, "gfx950", six, ZLAY_FRAGMENT_A, "6-bit");
    undecided(ctx, "gfx1250", wave32, ZLAY_FRAGMENT_A, "waves of 32");
    undecided(ctx, "gfx1250", wave32, ZLAY_FRAGMENT_B, "waves of 32");
    six.instruction = wave32.instruction = ZLAY_MMA_MFMA;
    says(ctx, "gfx950", &six, ZLAY_FRAGMENT_B, "((16,4),(16,2)):((1,256),(16,1024))");
    says(ctx, "gfx1250", &wave32, ZLAY_FRAGMENT_D, "((16,2),8):((16,8),1)");
}

static void refused(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *out = (zlay_layout *)1;
    zlay_mma m = {.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    assert_int_equal(zlay_mma_fragment(ctx, &out, target_of("gfx942"), &m, ZLAY_FRAGMENT_A), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(ctx), "MFMA_K"));
    assert_null(out);
    assert_int_equal(zlay_mma_fragment(ctx, &out, target_of("gfx950"), &m, ZLAY_FRAGMENT_METADATA), ZLAY_NONE);
    assert_int_equal(zlay_mma_fragment(ctx, &out, target_of("sm_90a"), &m, ZLAY_FRAGMENT_A), ZLAY_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_calculator_prints), cmocka_unit_test(found_again), cmocka_unit_test(as_published), cmocka_unit_test(metadata), cmocka_unit_test(gaps),
                                       cmocka_unit_test(by_hand), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, begin, end);
}
