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
#define MAP(target, name, m, n, k, blocks, a, b, d, cycles, map_a, map_b, map_d) \
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
    return zlay_target_type(target(target_name), type);
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
    assert_int_equal(zlay_mma_fragment(ctx, &layout, target(r->target), &m, fragments[operand]), ZLAY_OK);
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
    (void)state;
    zlay_ctx *ctx = NULL;
    size_t counted = 0;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < ROWS; i++) {
        for (int operand = 0; operand < 3; operand++) equals(ctx, &rows[i], operand);
        counted += rows[i].cycles != 0;
    }
    assert_int_equal(counted, COUNTED);
    zlay_ctx_free(ctx);
}

static void says(zlay_ctx *ctx, const char *target_name, const zlay_mma *m, int32_t fragment, const char *text)
{
    zlay_layout *got = NULL, *want = NULL;
    zlay_answer same = ZLAY_NO;
    zlay_witness witness;
    assert_int_equal(zlay_mma_fragment(ctx, &got, target(target_name), m, fragment), ZLAY_OK);
    assert_int_equal(zlay_layout_parse(ctx, &want, text, strlen(text)), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(ctx, &same, &witness, got, want), ZLAY_OK);
    assert_int_equal(same, ZLAY_YES);
    zlay_layout_free(got);
    zlay_layout_free(want);
}

/* The example of zlay/mma.h. */
static void by_hand(void **state)
{
    (void)state;
    zlay_ctx *ctx = NULL;
    zlay_mma m = {.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 8, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    says(ctx, "gfx90a", &m, ZLAY_FRAGMENT_A, "((32,1,2),4):((1,256,128),32)");
    says(ctx, "gfx942", &m, ZLAY_FRAGMENT_D, "((32,1,2),(4,4,1)):((32,1024,4),(1,8,1024))");
    m.m = m.n = 16, m.k = 32;
    says(ctx, "gfx950", &m, ZLAY_FRAGMENT_B, "((16,4),8):((1,128),16)");
    zlay_ctx_free(ctx);
}

static void refused(void **state)
{
    (void)state;
    zlay_ctx *ctx = NULL;
    zlay_layout *out = (zlay_layout *)1;
    zlay_mma m = {.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zlay_mma_fragment(ctx, &out, target("gfx942"), &m, ZLAY_FRAGMENT_A), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(ctx), "MFMA_K"));
    assert_null(out);
    assert_int_equal(zlay_mma_fragment(ctx, &out, target("gfx950"), &m, ZLAY_FRAGMENT_METADATA), ZLAY_NONE);
    assert_int_equal(zlay_mma_fragment(ctx, &out, target("sm_90a"), &m, ZLAY_FRAGMENT_A), ZLAY_NONE);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_calculator_prints), cmocka_unit_test(by_hand), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
