/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of bf16 operands in LDS that others publish, read by ds_read_b128 with lane l at row l % rows and chunk l / rows of 16 bytes: what
 * each takes past one wavefront a phase, and that swizzle.synth and wave.synth take none. `legality/bank/lds_peers table` prints the table of
 * docs/synthesis.md. */
#include "ctx.h"
#include "plans/swizzle_request.h"

#include <stdbool.h>
#include <zlay/wave.h>

enum { WAVE = 64, CHUNK = 16, SIZES = 3, ROWS = 2, TARGETS = 2 };
static const uint32_t sizes[SIZES] = {64, 128, 256}, row_counts[ROWS] = {16, 32}, banks_of[TARGETS] = {32, 64};
static const char *const targets[TARGETS] = {"gfx942", "gfx950"};

/* ---- the layouts ------------------------------------------------------------------------------------ */

/* The byte of a chunk; rows of a tile, bytes of a row, banks. */
typedef uint32_t published(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks);

static uint32_t plain(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    (void)rows, (void)banks;
    return row * bytes + CHUNK * chunk;
}

/* A chunk behind each row. */
static uint32_t padded(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    (void)rows, (void)banks;
    return row * (bytes + CHUNK) + CHUNK * chunk;
}

/* CK-Tile, MLdsLayer: rows of 128 bytes hold several of the tile's, chunks XORed with the row (ROCm/composable_kernel 8e22e1ae,
 * core/algorithm/coordinate_transform.hpp, gemm_universal_pipeline_ag_bg_cr_policy.hpp). */
static uint32_t ck_xor(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    uint32_t layer = bytes < 128 ? 128 / bytes : 1, chunks = bytes / CHUNK * layer, up = row / layer;
    (void)rows, (void)banks;
    return up * bytes * layer + CHUNK * ((row % layer * (bytes / CHUNK) + chunk) ^ up % chunks);
}

/* CK-Tile, FMHA's Q and K: chunks outermost, a chunk behind the rows of each (the same, fmha pipeline policies). */
static uint32_t ck_pad(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    (void)bytes, (void)banks;
    return (chunk * (rows + 1) + row) * CHUNK;
}

/* Triton: vectors of 16 bytes, phases by the banks (third_party/amd, August 2026). */
static uint32_t triton(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    uint32_t per = banks * 4 / bytes ? banks * 4 / bytes : 1, most = 16 / per ? 16 / per : 1;
    (void)rows;
    most = most < bytes / CHUNK ? most : bytes / CHUNK;
    return row * bytes + CHUNK * (chunk ^ row / per % most);
}

/* HipKittens (include/types/shared/st_shape.cuh, f09e9685): tiles of 2-byte elements, rows of 64 bytes; 16 x 128 of 1-byte ones. */
static uint32_t kittens_32x32(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    uint32_t o = plain(row, chunk, rows, bytes, banks);
    return o ^ (o % 1024 >> 9) << 5 ^ (o % 2048 >> 10) << 4;
}

static uint32_t kittens_16x32(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    uint32_t o = plain(row, chunk, rows, bytes, banks);
    return o ^ (o % 1024 >> 9) << 5;
}

static uint32_t kittens_16x128(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    uint32_t o = plain(row, chunk, rows, bytes, banks);
    return o ^ (o % 2048 >> 8) << 4;
}

/* rocRoller (ROCm/rocm-libraries, shared/rocroller, LDSSwizzling.md). */
static uint32_t rocroller(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    uint32_t columns = bytes / CHUNK, bank_row = row / (16 / columns ? 16 / columns : 1);
    chunk ^= (bank_row ^ 1) & 1;
    return plain(row, (chunk + columns - bank_row / 2 * 2) & (columns - 1), rows, bytes, banks);
}

/* IREE's XORShuffle (iree-org/iree b48a5955) with one, two and four rows a phase. */
static uint32_t iree(uint32_t row, uint32_t chunk, uint32_t bytes, uint32_t phase)
{
    return row * bytes + CHUNK * (row / phase % (bytes / CHUNK) ^ chunk);
}

static uint32_t iree_1(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    (void)rows, (void)banks;
    return iree(row, chunk, bytes, 1);
}

static uint32_t iree_2(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    (void)rows, (void)banks;
    return iree(row, chunk, bytes, 2);
}

static uint32_t iree_4(uint32_t row, uint32_t chunk, uint32_t rows, uint32_t bytes, uint32_t banks)
{
    (void)rows, (void)banks;
    return iree(row, chunk, bytes, 4);
}

enum { NOT = 255 };

/* Extra cycles of a read, of rows of 64, 128 and 256 bytes: another program's count of the same groups of lanes and banks. NOT: not meant
 * for such a tile. */
static const struct {
    const char *name;
    published *layout;
    uint32_t extra[TARGETS][ROWS][SIZES];
} peers[] = {
    {"rows as they are", plain, {{{8, 24, 24}, {24, 56, 56}}, {{4, 12, 28}, {12, 28, 60}}}},
    {"rows and a chunk", padded, {{{8, 8, 8}, {0, 0, 0}}, {{4, 4, 4}, {0, 0, 0}}}},
    {"CK-Tile, XOR", ck_xor, {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {4, 4, 0}}}},
    {"CK-Tile, FMHA padding", ck_pad, {{{8, 8, 8}, {0, 0, 0}}, {{4, 4, 4}, {0, 0, 0}}}},
    {"Triton, swizzle", triton, {{{0, 0, 0}, {0, 0, 0}}, {{4, 0, 0}, {0, 0, 0}}}},
    {"HipKittens, 32 x 32", kittens_32x32, {{{NOT, NOT, NOT}, {NOT, NOT, NOT}}, {{NOT, NOT, NOT}, {0, NOT, NOT}}}},
    {"HipKittens, 16 x 32", kittens_16x32, {{{NOT, NOT, NOT}, {NOT, NOT, NOT}}, {{0, NOT, NOT}, {NOT, NOT, NOT}}}},
    {"HipKittens, 16 x 128 bytes", kittens_16x128, {{{NOT, NOT, NOT}, {NOT, NOT, NOT}}, {{NOT, 0, NOT}, {NOT, NOT, NOT}}}},
    {"rocRoller", rocroller, {{{24, 8, 0}, {8, 8, 0}}, {{4, 0, 0}, {0, 0, 0}}}},
    {"IREE, 1 row a phase", iree_1, {{{0, 0, 0}, {8, 0, 0}}, {{4, 0, 0}, {12, 4, 0}}}},
    {"IREE, 2 rows a phase", iree_2, {{{0, 8, 8}, {0, 8, 8}}, {{0, 0, 4}, {4, 0, 4}}}},
    {"IREE, 4 rows a phase", iree_4, {{{24, 56, 56}, {8, 24, 24}}, {{4, 12, 28}, {0, 4, 12}}}},
};
enum { PEERS = sizeof peers / sizeof *peers };

/* ---- what they take ------------------------------------------------------------------------------------ */

/* The most of all steps along K, which all take the same. */
static uint32_t extra_of(published *layout, unsigned t, uint32_t rows, uint32_t bytes)
{
    uint32_t addresses[WAVE], parts = WAVE / rows, first = 0;
    int32_t access;
    zlay_bank bank;
    assert_int_equal(zlay_bank_find(&access, "ds_read_b128", 12), ZLAY_OK);
    for (uint32_t step = 0; step < bytes / CHUNK / parts; step++) {
        for (uint32_t l = 0; l < WAVE; l++) addresses[l] = layout(l % rows, l / rows + parts * step, rows, bytes, banks_of[t]);
        assert_int_equal(zlay_bank_conflicts(&bank, target_of(targets[t]), access, addresses, WAVE), ZLAY_OK);
        assert_int_equal(bank.answer, ZLAY_YES);
        if (!step) first = bank.wavefronts - bank.phases;
        assert_int_equal(bank.wavefronts - bank.phases, first);
    }
    return first;
}

/* swizzle.synth, on gfx942 with stores of 16 bytes by rows beside the reads. */
static uint32_t by_swizzle(zlay_ctx *ctx, unsigned t, uint32_t rows, uint32_t bytes)
{
    uint32_t columns = bytes / 2, parts = WAVE / rows;
    asked a = asked_begin(ctx, targets[t], 16, 2, (uint64_t[]){columns, WAVE});
    zlay_swizzle_cost cost;
    zlay_swizzle_summary info;
    char text[96];
    snprintf(text, sizeof text, "((%u,%u),8,%u):((%u,8),1,%u)", rows, parts, columns / 8 / parts, columns, 8 * parts);
    asked_put(&a, "ds_read_b128", text);
    snprintf(text, sizeof text, "(64,8,%u):(8,1,512)", WAVE * columns / 512);
    if (!t) asked_put(&a, "ds_write_b128", text);
    zlay_swizzle *s = synth(&a);
    assert_int_equal(zlay_swizzle_info(&info, s), ZLAY_OK);
    assert_int_equal(zlay_swizzle_cost_nth(&cost, s, 0), ZLAY_OK);
    assert_true(info.optimal && info.size == WAVE * columns);
    zlay_swizzle_free(s);
    asked_end(&a);
    return (uint32_t)(cost.wavefronts - cost.ideal);
}

static uint32_t by_wave(zlay_ctx *ctx, unsigned t, uint32_t rows, uint32_t bytes)
{
    zlay_wave *w = NULL;
    zlay_wave_summary i;
    zlay_wave_request r = {.size = sizeof r, .rows = 128, .depth = bytes / 2, .threads = 256, .any_order = 1};
    r.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = rows, .n = rows, .k = (rows == 32 ? 8u : 16u) << t, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    if (zlay_wave_synth(ctx, &w, target_of(targets[t]), &r)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_wave_info(&i, w), ZLAY_OK);
    assert_int_equal(i.reads_counted, ZLAY_YES);
    assert_int_equal(i.read_bytes, CHUNK);
    zlay_wave_free(w);
    return i.read_wavefronts - i.read_ideal;
}

typedef void seen(void *arg, unsigned t, unsigned r, unsigned s);

static void each_tile(seen *see, void *arg)
{
    for (unsigned t = 0; t < TARGETS; t++)
        for (unsigned r = 0; r < ROWS; r++)
            for (unsigned s = 0; s < SIZES; s++) see(arg, t, r, s);
}

static void compare_tile(void *ctx, unsigned t, unsigned r, unsigned s)
{
    uint32_t swizzle = by_swizzle(ctx, t, row_counts[r], sizes[s]), wave = by_wave(ctx, t, row_counts[r], sizes[s]);
    for (size_t p = 0; p < PEERS; p++) {
        uint32_t want = peers[p].extra[t][r][s], got;
        if (want == NOT) continue;
        got = extra_of(peers[p].layout, t, row_counts[r], sizes[s]);
        if (got != want) fail_msg("%s on %s, %u rows of %u bytes: %u, not %u", peers[p].name, targets[t], row_counts[r], sizes[s], got, want);
        assert_true(swizzle <= got && wave <= got);
    }
    assert_int_equal(swizzle, 0);
    assert_int_equal(wave, 0);
}

static void never_more(void **state)
{
    zlay_ctx *ctx = *state;
    each_tile(compare_tile, ctx);
}

/* Rows that are no power of two long: padding by a chunk, or none, is what others do. */
static void odd_rows(void **state)
{
    static const uint32_t odd[] = {192, 320, 384, 448, 640};
    zlay_ctx *ctx = *state;
    uint32_t fewer = 0;
    for (unsigned t = 0; t < TARGETS; t++)
        for (unsigned r = 0; r < ROWS; r++)
            for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
                uint32_t rows = row_counts[r], columns = odd[i] / 2, parts = WAVE / rows, steps = odd[i] / CHUNK / parts;
                if (odd[i] / CHUNK % parts) continue;
                asked a = asked_begin(ctx, targets[t], 16, 2, (uint64_t[]){columns, WAVE});
                zlay_swizzle_cost cost;
                char text[96];
                snprintf(text, sizeof text, "((%u,%u),8,%u):((%u,8),1,%u)", rows, parts, steps, columns, 8 * parts);
                asked_put(&a, "ds_read_b128", text);
                zlay_swizzle *s = synth(&a);
                assert_int_equal(zlay_swizzle_cost_nth(&cost, s, 0), ZLAY_OK);
                uint32_t mine = (uint32_t)(cost.wavefronts - cost.ideal), as_is = extra_of(plain, t, rows, odd[i]), pad = extra_of(padded, t, rows, odd[i]);
                assert_true(mine <= steps * as_is && mine <= steps * pad);
                fewer += mine < steps * as_is && mine < steps * pad;
                assert_int_equal(mine, 0);
                zlay_swizzle_free(s);
                asked_end(&a);
            }
    assert_true(fewer > 4);
}

static void print_row(const char *name, published *layout, size_t peer)
{
    printf("| %s |", name);
    for (unsigned t = 0; t < TARGETS; t++)
        for (unsigned r = 0; r < ROWS; r++) {
            for (unsigned s = 0; s < SIZES; s++) {
                bool there = !layout || peers[peer].extra[t][r][s] != NOT;
                zlay_ctx *ctx = ctx_new();
                uint32_t extra = !there ? 0 : layout ? extra_of(layout, t, row_counts[r], sizes[s]) : by_wave(ctx, t, row_counts[r], sizes[s]);
                zlay_ctx_free(ctx);
                if (there) printf("%s %u", s ? " /" : "", extra);
                else printf("%s -", s ? " /" : "");
            }
            printf(" |");
        }
    printf("\n");
}

static int print_table(void)
{
    printf("| layout | gfx942, 16 rows | 32 rows | gfx950, 16 rows | 32 rows |\n|---|---|---|---|---|\n");
    for (size_t p = 0; p < PEERS; p++) print_row(peers[p].name, peers[p].layout, p);
    print_row("`wave.synth`, `swizzle.synth`", NULL, 0);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_more), cmocka_unit_test(odd_rows)};
    if (argc > 1 && !strcmp(argv[1], "table")) return print_table();
    return cmocka_run_group_tests(tests, begin, end);
}
