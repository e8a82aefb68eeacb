/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of GEMMs: numbers counted by hand, paths by alignment, refusals by field, memory that
 * ends. */
#include "plans.h"

#include <stdbool.h>

/* Counted by hand: a stage is 128 x 64 of A and 64 x 256 of B in bf16, 16384 + 32768 bytes; four
 * fit beside two stagings of 64 x 128, of 16384 bytes each: 229376, and 64 of barriers, and 1024 to
 * align. */
static void test_square(void **unused)
{
    (void)unused;
    zlay_gemm gemm = gemm_of(4096, 4096, 4096);
    zlay_plan *plan = plan_of(&gemm);
    zlay_plan_summary i = info_of(plan);
    assert_ptr_equal(i.target, target_of("sm_90a"));
    const uint64_t rows[][2] = {
        {i.m, 4096}, {i.n, 4096}, {i.k, 4096}, {i.swapped, 0}, {i.tile_m, 128}, {i.tile_n, 256},
        {i.tile_k, 64}, {i.stages, 4}, {i.tiles_m, 32}, {i.tiles_n, 16}, {i.tiles_k, 64},
        {i.consumers, 2}, {i.threads, 384}, {i.smem, 230464}, {i.stage_bytes, 49152},
        {i.expect_bytes, 49152}, {i.full_count, 1}, {i.empty_count, 8}, {i.smem_a, 0},
        {i.pitch_a, 16384}, {i.smem_b, 65536}, {i.pitch_b, 32768}, {i.smem_d, 196608},
        {i.pitch_d, 16384}, {i.smem_bar, 229376}, {i.passes, 2}, {i.pass_n, 128}, {i.copies, 4},
        {i.k_steps, 4}, {i.mma.m, 64}, {i.mma.n, 256}, {i.mma.k, 16},
        {(uint64_t)i.mma.a, ZLAY_TYPE_BF16}, {(uint64_t)i.mma.b, ZLAY_TYPE_BF16},
        {(uint64_t)i.mma.d, ZLAY_TYPE_F32}, {(uint64_t)i.mma.a_major, ZLAY_MAJOR_K},
        {(uint64_t)i.mma.b_major, ZLAY_MAJOR_K}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        if (rows[r][0] != rows[r][1])
            fail_msg("row %zu: %llu, not %llu", r, (unsigned long long)rows[r][0],
                     (unsigned long long)rows[r][1]);
    zlay_plan_free(plan);
}

/* The driver call's arguments, K contiguous: 8192 bytes a row of A and B, boxes of 64 elements,
 * swizzle 128. */
static void test_square_maps(void **unused)
{
    (void)unused;
    static const uint32_t box_rows[] = {128, 256, 64};
    zlay_gemm gemm = gemm_of(4096, 4096, 4096);
    gemm.a_address = (uint64_t)5 << 30;
    gemm.b_address = (uint64_t)6 << 30;
    gemm.d_address = (uint64_t)7 << 30;
    zlay_plan *plan = plan_of(&gemm);
    for (int32_t operand = 0; operand < 3; operand++) {
        zlay_tensormap want = {.address = (uint64_t)(5 + operand) << 30,
                               .extent = {4096, 4096},
                               .stride = {8192},
                               .box = {64, box_rows[operand]},
                               .step = {1, 1},
                               .rank = 2,
                               .type = ZLAY_TYPE_BF16,
                               .swizzle = ZLAY_SWIZZLE_128B,
                               .l2 = 2};
        zlay_tensormap map = map_of(plan, operand);
        assert_memory_equal(&map, &want, sizeof map);
    }
    assert_int_equal(copies_of(plan, ZLAY_OPERAND_A), 1);
    assert_int_equal(copies_of(plan, ZLAY_OPERAND_B), 1);
    assert_int_equal(copies_of(plan, ZLAY_OPERAND_D), 2);
    zlay_plan_free(plan);
}

/* ---- which path ---------------------------------------------------------- */

typedef struct path_row {
    uint64_t m, n, k, lda, ldb, ldd, a_shift, b_shift, d_shift;
    int32_t kind[3];
    uint32_t width[3]; /* of a thread's access; 0: a tensor copy */
    uint32_t full_count;
} path_row;

enum {
    LOAD = ZLAY_COPY_TENSOR_LOAD, STORE = ZLAY_COPY_TENSOR_STORE, ASYNC = ZLAY_COPY_CP_ASYNC,
    PLAIN = ZLAY_COPY_THREAD_LOAD, GUARDED = ZLAY_COPY_THREAD_STORE
};

/* Rows of 4100 bf16 are 8200 bytes, 8 past a multiple of 16; of 4098 are 4 past, of 4097 are 2
 * past. A D of 4097 columns in rows of 4104 has a legal map, but a tensor store would write up to
 * column 4104. */
static const path_row paths[] = {
    {4096, 4096, 4096, 0, 0, 0, 0, 0, 0, {LOAD, LOAD, STORE}, {0, 0, 0}, 1},
    {4096, 4096, 4100, 0, 0, 0, 0, 0, 0, {ASYNC, ASYNC, STORE}, {8, 8, 0}, 128},
    {4096, 4096, 4100, 4104, 4104, 0, 0, 0, 0, {LOAD, LOAD, STORE}, {0, 0, 0}, 1},
    {4096, 4096, 4096, 4098, 0, 0, 0, 0, 0, {ASYNC, LOAD, STORE}, {4, 0, 0}, 128},
    {4096, 4096, 4096, 0, 4097, 0, 0, 0, 0, {LOAD, PLAIN, STORE}, {0, 2, 0}, 128},
    {4096, 4096, 4096, 4098, 4097, 4100, 0, 0, 0, {ASYNC, PLAIN, GUARDED}, {4, 2, 8}, 128},
    {4095, 4097, 4104, 0, 0, 0, 0, 0, 0, {LOAD, LOAD, GUARDED}, {0, 0, 2}, 1},
    {256, 4097, 4096, 0, 0, 4104, 0, 0, 0, {LOAD, LOAD, GUARDED}, {0, 0, 2}, 1},
    {256, 4098, 4096, 0, 0, 4104, 0, 0, 0, {LOAD, LOAD, GUARDED}, {0, 0, 4}, 1},
    {256, 4100, 4096, 0, 0, 4104, 0, 0, 0, {LOAD, LOAD, GUARDED}, {0, 0, 8}, 1},
    {256, 256, 256, 0, 0, 0, 8, 4, 2, {ASYNC, ASYNC, GUARDED}, {8, 4, 2}, 128},
    {256, 256, 256, 0, 0, 0, 2, 16, 16, {PLAIN, LOAD, STORE}, {2, 0, 0}, 128},
    {1, 1, 64, 0, 0, 0, 0, 0, 0, {LOAD, LOAD, GUARDED}, {0, 0, 2}, 1},
    {1, 256, 63, 0, 0, 0, 0, 0, 0, {LOAD, PLAIN, STORE}, {0, 2, 0}, 128},
};

static zlay_gemm path_gemm(const path_row *row)
{
    zlay_gemm g = gemm_of(row->m, row->n, row->k);
    g.lda = row->lda, g.ldb = row->ldb, g.ldd = row->ldd;
    g.a_address = ((uint64_t)1 << 20) + row->a_shift;
    g.b_address = ((uint64_t)1 << 20) + row->b_shift;
    g.d_address = ((uint64_t)1 << 20) + row->d_shift;
    return g;
}

static void check_path(const path_row *row)
{
    zlay_gemm g = path_gemm(row);
    zlay_plan *plan = plan_of(&g);
    zlay_plan_summary info = info_of(plan);
    uint32_t tensor_bytes = 0;
    for (int32_t operand = 0; operand < 3; operand++)
        for (uint32_t i = 0; i < copies_of(plan, operand); i++) {
            zlay_copy copy = copy_of(plan, operand, i);
            if (copy.kind != row->kind[operand] || copy.width != row->width[operand])
                fail_msg("%s: operand %d by %d of %u bytes", gemm_text(&g), operand, copy.kind,
                         copy.width);
            assert_int_equal(copy.map, operand);
            if (copy.kind == LOAD) tensor_bytes += copy.bytes;
        }
    assert_int_equal(info.expect_bytes, tensor_bytes);
    assert_int_equal(info.full_count, row->full_count);
    zlay_plan_free(plan);
}

static void test_paths(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) check_path(&paths[i]);
}

/* What the rules say of the operand that no tensor copy can move: rule, value, least repair. */
static void test_rules(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_gemm gemm = gemm_of(4096, 4096, 4100);
    zlay_plan *plan = plan_of(&gemm);
    assert_int_equal(zlay_plan_rules(&buf, plan), ZLAY_OK);
    assert_int_equal(buf.need, strlen(text));
    const char *broken = strstr(text, "BROKEN");
    assert_non_null(
        strstr(text, "TMAP_STRIDE_16           stride[0] = 8200, multiple of 16: BROKEN"));
    assert_non_null(strstr(broken, "stride[0] = 8208 (leading dimension 4104)"));
    broken = strstr(broken + 1, "BROKEN");
    assert_non_null(broken);
    assert_null(strstr(broken + 1, "BROKEN"));
    zlay_plan_free(plan);
}

/* ---- orders --------------------------------------------------------------- */

static int32_t flipped(int32_t order, int32_t normal)
{
    int32_t given = order ? order : normal;
    return given == ZLAY_ORDER_ROW ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
}

/* D column-major is its transpose row-major: B transposed times A transposed. */
static zlay_gemm transposed(const zlay_gemm *g)
{
    zlay_gemm t = *g;
    t.m = g->n, t.n = g->m;
    t.a_order = flipped(g->b_order, ZLAY_ORDER_COLUMN);
    t.b_order = flipped(g->a_order, ZLAY_ORDER_ROW);
    t.d_order = flipped(g->d_order, ZLAY_ORDER_ROW);
    t.lda = g->ldb, t.ldb = g->lda;
    t.a_address = g->b_address, t.b_address = g->a_address;
    return t;
}

static void check_same_text(const zlay_plan *a, const zlay_plan *b,
                            zlay_status (*print)(zlay_buf *, const zlay_plan *))
{
    static char texts[2][1 << 16];
    zlay_buf first = {texts[0], sizeof texts[0], 0}, second = {texts[1], sizeof texts[1], 0};
    assert_int_equal(print(&first, a), ZLAY_OK);
    assert_int_equal(print(&second, b), ZLAY_OK);
    assert_string_equal(texts[0], texts[1]);
}

static zlay_status print_pipe(zlay_buf *out, const zlay_plan *plan)
{
    return zlay_pipe_print(out, zlay_plan_pipe(plan));
}

static void check_same(const zlay_plan *a, const zlay_plan *b)
{
    zlay_plan_summary x = info_of(a), y = info_of(b);
    assert_int_equal(x.swapped + y.swapped, 1);
    x.swapped = y.swapped;
    assert_memory_equal(&x, &y, sizeof x);
    for (int32_t operand = 0; operand < 3; operand++) {
        zlay_tensormap p = map_of(a, operand), q = map_of(b, operand);
        assert_memory_equal(&p, &q, sizeof p);
        assert_int_equal(copies_of(a, operand), copies_of(b, operand));
        for (uint32_t i = 0; i < copies_of(a, operand); i++) {
            zlay_copy c = copy_of(a, operand, i), d = copy_of(b, operand, i);
            assert_memory_equal(&c, &d, sizeof c);
        }
    }
    check_same_text(a, b, zlay_plan_rules);
    check_same_text(a, b, print_pipe);
}

static void test_swapped(void **unused)
{
    (void)unused;
    uint64_t state = test_seed("swapped");
    for (uint64_t i = 0; i < test_iterations(60); i++) {
        zlay_gemm g = gemm_random(&state);
        g.d_order = ZLAY_ORDER_COLUMN;
        g.ldd += g.m;
        zlay_gemm t = transposed(&g);
        zlay_plan *a = plan_of(&g), *b = plan_of(&t);
        assert_int_equal(info_of(a).swapped, 1);
        assert_int_equal(info_of(a).m, g.n);
        assert_int_equal(info_of(a).n, g.m);
        check_same(a, b);
        zlay_plan_free(a);
        zlay_plan_free(b);
    }
}

/* A column-major or B row-major: MN contiguous, boxes of 64 x tile_k, one for every 64 of M or N.
 */
static void test_mn_major(void **unused)
{
    (void)unused;
    zlay_gemm g = gemm_of(512, 768, 1024);
    g.a_order = ZLAY_ORDER_COLUMN;
    g.b_order = ZLAY_ORDER_ROW;
    g.tile_m = 128, g.tile_n = 192, g.tile_k = 32;
    zlay_plan *plan = plan_of(&g);
    zlay_plan_summary info = info_of(plan);
    assert_int_equal(info.mma.a_major, ZLAY_MAJOR_MN);
    assert_int_equal(info.mma.b_major, ZLAY_MAJOR_MN);
    static const uint64_t extent[] = {512, 768};
    for (int32_t operand = 0; operand < 2; operand++) {
        zlay_tensormap map = map_of(plan, operand);
        assert_int_equal(map.extent[0], extent[operand]);
        assert_int_equal(map.extent[1], 1024);
        assert_int_equal(map.stride[0], extent[operand] * 2);
        assert_int_equal(map.box[0], 64);
        assert_int_equal(map.box[1], 32);
        assert_int_equal(copies_of(plan, operand), operand ? 3 : 2);
        assert_int_equal(copy_of(plan, operand, 1).coordinate[0], 64);
    }
    zlay_plan_free(plan);
}

/* ---- refusals -------------------------------------------------------------- */

typedef struct bad_row {
    size_t offset, width;
    uint64_t value;
    zlay_status status;
    const char *word; /* that the message has */
} bad_row;

#define FIELD(name) offsetof(zlay_gemm, name), sizeof((zlay_gemm *)0)->name
#define ALL ((uint64_t)-1)

static const bad_row bads[] = {
    {FIELD(size), 0, ZLAY_EINVAL, "size"},
    {FIELD(size), 3, ZLAY_EINVAL, "size"},
    {FIELD(size), sizeof(zlay_gemm) + 1, ZLAY_EINVAL, "size"},
    {FIELD(size), ALL, ZLAY_EINVAL, "size"},
    {FIELD(type), ZLAY_TYPE_F64, ZLAY_NONE, "WGMMA_A: a_type f64"},
    {FIELD(type), ALL - 1, ZLAY_EINVAL, "type: -2 is no type"},
    {FIELD(type), 999, ZLAY_EINVAL, "type: 999 is no type"},
    {FIELD(a_type), 999, ZLAY_EINVAL, "a_type: 999"},
    {FIELD(b_type), INT32_MAX, ZLAY_EINVAL, "b_type"},
    {FIELD(d_type), ALL - 9, ZLAY_EINVAL, "d_type"},
    {FIELD(reserved1), 1, ZLAY_EINVAL, "reserved1"},
    {FIELD(m), 0, ZLAY_EINVAL, "m:"},
    {FIELD(n), 0, ZLAY_EINVAL, "n:"},
    {FIELD(k), 0, ZLAY_EINVAL, "k:"},
    {FIELD(m), ((uint64_t)1 << 31) - 255, ZLAY_EINVAL, "m:"},
    {FIELD(n), ALL, ZLAY_EINVAL, "n:"},
    {FIELD(k), (uint64_t)1 << 32, ZLAY_EINVAL, "k:"},
    {FIELD(a_order), 3, ZLAY_EINVAL, "a_order"},
    {FIELD(b_order), ALL, ZLAY_EINVAL, "b_order"},
    {FIELD(d_order), 1 << 20, ZLAY_EINVAL, "d_order"},
    {FIELD(reserved0), 1, ZLAY_EINVAL, "reserved0"},
    {FIELD(stream_k), 3, ZLAY_EINVAL, "stream_k"},
    {FIELD(groups), ALL, ZLAY_EINVAL, "groups"},
    {FIELD(ragged), 2, ZLAY_EINVAL, "ragged"},
    {FIELD(lda), 299, ZLAY_EINVAL, "lda"},
    {FIELD(ldb), 1, ZLAY_EINVAL, "ldb"},
    {FIELD(ldd), 199, ZLAY_EINVAL, "ldd"},
    {FIELD(lda), ALL, ZLAY_EOVERFLOW, "lda"},
    {FIELD(ldb), (uint64_t)1 << 63, ZLAY_EOVERFLOW, "ldb"},
    {FIELD(ldd), (uint64_t)1 << 57, ZLAY_EOVERFLOW, "ldd"},
    {FIELD(a_address), ALL - 15, ZLAY_EOVERFLOW, "a_address"},
    {FIELD(b_address), ALL - 1023, ZLAY_EOVERFLOW, "b_address"},
    {FIELD(d_address), ALL - 1599, ZLAY_EOVERFLOW, "d_address"},
    {FIELD(a_address), (1 << 20) + 1, ZLAY_EINVAL, "a_address"},
    {FIELD(b_address), (1 << 20) + 7, ZLAY_EINVAL, "b_address"},
    {FIELD(d_address), (1 << 20) + 15, ZLAY_EINVAL, "d_address"},
    {FIELD(tile_m), 1, ZLAY_EINVAL, "tile_m"},
    {FIELD(tile_m), 96, ZLAY_EINVAL, "tile_m"},
    {FIELD(tile_m), 256, ZLAY_EINVAL, "tile_m"},
    {FIELD(tile_n), 32, ZLAY_EINVAL, "tile_n"},
    {FIELD(tile_n), 100, ZLAY_EINVAL, "tile_n"},
    {FIELD(tile_n), 56, ZLAY_EINVAL, "tile_n"},
    {FIELD(tile_n), 320, ZLAY_EINVAL, "tile_n"},
    {FIELD(tile_n), UINT32_MAX, ZLAY_EINVAL, "tile_n"},
    {FIELD(tile_k), 8, ZLAY_EINVAL, "tile_k"},
    {FIELD(tile_k), 48, ZLAY_EINVAL, "tile_k"},
    {FIELD(tile_k), 512, ZLAY_EINVAL, "tile_k"},
    {FIELD(stages), 1, ZLAY_EINVAL, "stages"},
    {FIELD(stages), 13, ZLAY_EINVAL, "stages"},
    {FIELD(stages), UINT32_MAX, ZLAY_EINVAL, "stages"},
};

static bool refused(const zlay_target *target, const zlay_gemm *g, zlay_status status,
                    const char *word)
{
    zlay_ctx *ctx = ctx_new();
    zlay_plan *plan = (zlay_plan *)&plan;
    zlay_status got = zlay_gemm_synth(ctx, &plan, target, g);
    bool right = got == status && !plan && strstr(zlay_ctx_message(ctx), word);
    if (!right)
        print_error("%s: %d, not %d with \"%s\": %s\n", gemm_text(g), got, status, word,
                    zlay_ctx_message(ctx));
    zlay_plan_free(plan);
    zlay_ctx_free(ctx);
    return right;
}

static void test_refusals(void **unused)
{
    (void)unused;
    size_t right = 0, count = sizeof bads / sizeof bads[0];
    for (size_t i = 0; i < count; i++) {
        zlay_gemm g = gemm_of(100, 200, 300);
        memcpy((char *)&g + bads[i].offset, &bads[i].value, bads[i].width);
        right += refused(target_of("sm_90a"), &g, bads[i].status, bads[i].word);
    }
    assert_int_equal(right, count);
}

/* The greatest values that are no error. */
static void test_bounds(void **unused)
{
    (void)unused;
    const uint64_t most = ((uint64_t)1 << 31) - 256;
    for (int i = 0; i < 3; i++) {
        zlay_gemm g = gemm_of(i == 0 ? most : 1, i == 1 ? most : 1, i == 2 ? most : 1);
        zlay_plan_free(plan_of(&g));
    }
    zlay_gemm g = gemm_of(100, 200, 300);
    g.lda = (ALL >> 1) / 100 - 6000;
    zlay_plan *plan = plan_of(&g);
    assert_int_equal(map_of(plan, ZLAY_OPERAND_A).stride[0], 2 * g.lda);
    assert_int_not_equal(copy_of(plan, ZLAY_OPERAND_A, 0).kind, LOAD);
    zlay_plan_free(plan);
    g = gemm_of(most, most, 1);
    assert_true(refused(target_of("sm_90a"), &g, ZLAY_ENOTSUP, "tiles"));
}

/* A size has a plan or is refused for its tiles, counted with the greatest tile that the request allows. */
static void has_plan(uint64_t m, uint64_t n, uint64_t k, uint32_t tile_m, uint32_t tile_n)
{
    uint64_t rows = tile_m ? tile_m : 128, columns = tile_n ? tile_n : 256;
    zlay_gemm g = gemm_of(m, n, k);
    g.tile_m = tile_m;
    g.tile_n = tile_n;
    if (((m + rows - 1) / rows) * ((n + columns - 1) / columns) < (uint64_t)1 << 31)
        zlay_plan_free(plan_of(&g));
    else assert_true(refused(target_of("sm_90a"), &g, ZLAY_ENOTSUP, "tiles"));
}

/* From 190814492 on a cost in 64 bits was full, and no tile was chosen. */
static void test_tiles(void **unused)
{
    (void)unused;
    static const uint64_t sizes[] = {1, 5900000, 5940000, 11800000, 190814492, 2147483392};
    for (size_t i = 0; i < 36; i++)
        for (size_t k = 0; k < 6; k++)
            has_plan(sizes[i % 6], sizes[i / 6], k % 2 ? 1 : 2147483392, k / 2 == 1 ? 64 : 0,
                     k / 2 == 2 ? 128 : 0);
}

/* A shorter struct of an older caller reads as zeros, whatever follows it. */
static void test_short(void **unused)
{
    (void)unused;
    zlay_gemm whole = gemm_of(300, 200, 100), part;
    memset(&part, 0xee, sizeof part);
    memcpy(&part, &whole, offsetof(zlay_gemm, lda));
    part.size = offsetof(zlay_gemm, lda);
    zlay_plan *a = plan_of(&whole), *b = plan_of(&part);
    check_same_text(a, b, zlay_plan_print);
    zlay_plan_free(a);
    zlay_plan_free(b);
    zlay_gemm least = {.size = sizeof least.size, .m = 1, .n = 1, .k = 1};
    assert_true(refused(target_of("sm_90a"), &least, ZLAY_EINVAL, "m:"));
}

/* What is proved not to be: stages past shared memory, a target that has no products. */
static void test_none(void **unused)
{
    (void)unused;
    zlay_gemm g = gemm_of(4096, 4096, 4096);
    g.stages = 4;
    zlay_plan_free(plan_of(&g));
    g.stages = 5;
    assert_true(refused(target_of("sm_90a"), &g, ZLAY_NONE, "279632"));
    g.stages = 0;
    for (size_t i = 0; zlay_target_nth(i); i++) {
        const char *name = zlay_target_name(zlay_target_nth(i));
        bool planned = !strncmp(name, "sm_", 3) || !strcmp(name, "gfx90a") || !strcmp(name, "gfx942") || !strcmp(name, "gfx950");
        if (!planned) assert_true(refused(zlay_target_nth(i), &g, ZLAY_ENOTSUP, "GEMMs are planned for targets with"));
    }
}

/* Two stages are the least of a ring; every path has a plan with them or a reason why not. */
static void test_stages(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        for (uint32_t stages = 2; stages <= 4; stages++) {
            zlay_gemm g = path_gemm(&paths[i]);
            zlay_plan *plan = NULL;
            zlay_ctx *ctx = ctx_new();
            g.stages = stages;
            zlay_status status = zlay_gemm_synth(ctx, &plan, target_of("sm_90a"), &g);
            if (status != ZLAY_OK && status != ZLAY_NONE && status != ZLAY_EINVAL)
                fail_msg("%s: %d, %s", gemm_text(&g), status, zlay_ctx_message(ctx));
            if (stages > 2) assert_int_equal(status, ZLAY_OK);
            if (status) assert_non_null(strstr(zlay_ctx_message(ctx), "stages"));
            else assert_int_equal(info_of(plan).stages, stages);
            zlay_plan_free(plan);
            zlay_ctx_free(ctx);
        }
}

static void test_nulls(void **state)
{
    zlay_gemm g = gemm_of(100, 200, 300);
    zlay_ctx *ctx = *state;
    zlay_plan *plan = (zlay_plan *)&g;
    assert_int_equal(zlay_gemm_synth(ctx, NULL, target_of("sm_90a"), &g), ZLAY_EINVAL);
    assert_int_equal(zlay_gemm_synth(NULL, &plan, target_of("sm_90a"), &g), ZLAY_EINVAL);
    assert_null(plan);
    plan = (zlay_plan *)&g;
    assert_int_equal(zlay_gemm_synth(ctx, &plan, NULL, &g), ZLAY_EINVAL);
    assert_null(plan);
    plan = (zlay_plan *)&g;
    assert_int_equal(zlay_gemm_synth(ctx, &plan, target_of("sm_90a"), NULL), ZLAY_EINVAL);
    assert_null(plan);
    zlay_plan_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square),
        cmocka_unit_test(test_square_maps),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_swapped),
        cmocka_unit_test(test_mn_major),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_nulls),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
