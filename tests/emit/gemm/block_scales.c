/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs of sm_100a whose scales the instruction applies (mxfp8, mxfp4, nvfp4): the PTX is executed at sizes that no tile and no
 * atom of scales divides, and each element of D is the exact sum, rounded once, or NaN where a scale of its row or column is. Scales
 * of rows that the matrices lack are NaN, those of blocks behind K any other byte, and arrays have their exact sizes. What has no such scales is refused. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/gemm.h"

#include "assembler.h"

#include <string.h>
#include <zlay/emit_pipe.h>

enum { ARGUMENTS = 8, ROWS = 128, ATOM = 512, MX = ZLAY_SCALES_LINE_32, NV = ZLAY_SCALES_LINE_16 };

static const char target_name[] = "sm_100a";
static const char alpha[] = "body alpha\n  matrix S f32\n  matrix R bf16\n  scalar alpha f32\n  global bias f32\n  index i\n  index j\n"
                            "  R = bf16(fma(S, alpha, load(bias, j + col, 200)))\nend\n";

/* Scales of an operand: bytes in atoms. */
typedef struct scales {
    int32_t sort;
    uint32_t block;
    uint64_t lines, across, bytes; /* atoms along lines, along K */
    uint8_t *at;
} scales;

static uint8_t *byte_of(const scales *s, uint64_t line, uint64_t block)
{
    return &s->at[(line / ROWS * s->across + block / 4) * ATOM + line % 32 * 16 + line % ROWS / 32 * 4 + block % 4];
}

/* Scales are a quarter to 4, or such numbers of e4m3; or the least ones, 2^-127 to 2^-125 of ue8m0 and the first of e4m3, or the
 * greatest, so that sums of the least in A and the greatest in B are exact, too; of these the last line's first block is NaN. */
typedef enum sizes { MIDDLE, LEAST, GREATEST } sizes;

static uint32_t is_nan(int32_t sort) { return sort == MX ? 0xff : 0x7f; }

/* Any byte but NaN, which a ue4m3 is with its highest bit set, too. */
static uint32_t any_byte(int32_t sort, uint64_t *random)
{
    uint32_t byte = (uint32_t)(test_random(random) % 256);
    return byte == 0xff || byte == is_nan(sort) ? 0x7e : byte;
}

static uint32_t draw(int32_t sort, sizes of, uint64_t *random)
{
    static const double of_e4m3[] = {0.5, 1, 1.5, 2, 3};
    uint32_t by = (uint32_t)(test_random(random) % 3);
    if (of == LEAST) return sort == MX ? by : by + 1;
    if (of == GREATEST) return (sort == MX ? 254 : 0x7e) - by;
    return sort == MX ? 125 + (uint32_t)(test_random(random) % 5) : px_bits(&px_e4m3, of_e4m3[test_random(random) % 5], PX_NEAREST, true);
}

static scales scales_make(int32_t sort, sizes of, uint64_t lines, uint64_t k, uint64_t *random)
{
    uint32_t block = sort == MX ? 32 : 16;
    scales s = {.sort = sort, .block = block, .lines = (lines + ROWS - 1) / ROWS, .across = (k + 4 * block - 1) / (4 * block)};
    s.bytes = s.lines * s.across * ATOM;
    s.at = malloc(s.bytes);
    assert_non_null(s.at);
    for (uint64_t r = 0; r < s.lines * ROWS; r++)
        for (uint64_t b = 0; b < s.across * 4; b++)
            *byte_of(&s, r, b) = (uint8_t)(r >= lines ? is_nan(sort) : b * block >= k ? any_byte(sort, random) : draw(sort, of, random));
    if (of) *byte_of(&s, lines - 1, 0) = (uint8_t)is_nan(sort);
    return s;
}

static double scale_of(const scales *s, uint64_t line, uint64_t k)
{
    uint8_t bits = *byte_of(s, line, k / s->block);
    if (bits == is_nan(s->sort)) return NAN;
    return s->sort == MX ? ldexp(1, bits - 127) : px_value(&px_e4m3, bits);
}

/* Element k of a line of A or B; of numbers of 4 bits the even one is the lower half of a byte. */
static double element_of(const px_gemm *g, bool of_b, uint64_t line, uint64_t k)
{
    static const double halves[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    const px_matrix *x = of_b ? &g->b : &g->a;
    if (zlay_type_bits(g->info.mma.a) == 8) return (double)px_number(of_b ? px_element(x, k, line) : px_element(x, line, k), x->type);
    uint8_t byte = *(of_b ? px_element(x, k / 2, line) : px_element(x, line, k / 2)), bits = byte >> 4 * (k % 2) & 15;
    return bits & 8 ? -halves[bits & 7] : halves[bits & 7];
}

static void lines_make(double *to, const px_gemm *g, bool of_b, const scales *s, uint64_t lines, uint64_t k)
{
    for (uint64_t r = 0; r < lines; r++)
        for (uint64_t i = 0; i < k; i++) to[r * k + i] = element_of(g, of_b, r, i) * scale_of(s, r, i);
}

/* D is bf16 or f32. */
static bool is_nan_at(const px_gemm *g, uint64_t i, uint64_t j)
{
    uint32_t bits = 0;
    float value;
    memcpy((uint8_t *)&bits + sizeof bits - g->d.bytes, px_element(&g->d, i, j), g->d.bytes);
    memcpy(&value, &bits, sizeof value);
    return isnan(value);
}

/* Numbers of B beyond 1 become 1: times the greatest scale, 2^127, they are still f32, as which the model has them. */
static void cut(px_gemm *g)
{
    bool halves = zlay_type_bits(g->info.mma.a) < 8;
    for (uint64_t k = 0; k < g->b.rows; k++)
        for (uint64_t j = 0; j < g->b.columns; j++) {
            uint8_t *at = px_element(&g->b, k, j), one = (uint8_t)px_gemm_bits(g->b.type, 1);
            for (int shift = 0; halves && shift < 8; shift += 4)
                if ((*at >> shift & 7) > 2) *at = (uint8_t)((*at & ~(7 << shift)) | 2 << shift);
            if (!halves && fabs((double)px_number(at, g->b.type)) > 1) *at = one;
        }
}

static void compare(const px_gemm *g, const scales *a, const scales *b, const float *vector, const char *what)
{
    uint64_t k = g->request.k, m = g->d.rows, n = g->d.columns;
    double *left = malloc(m * k * sizeof *left), *right = malloc(n * k * sizeof *right);
    assert_true(left && right);
    lines_make(left, g, false, a, m, k);
    lines_make(right, g, true, b, n, k);
    for (uint64_t i = 0; i < m; i++)
        for (uint64_t j = 0; j < n; j++) {
            double sum = 0;
            for (uint64_t t = 0; t < k; t++) sum += left[i * k + t] * right[j * k + t];
            if (g->request.epilogue) sum = sum * 0.125 + (double)vector[j];
            uint32_t want = px_gemm_bits(g->d.type, sum);
            if (isnan(sum) && is_nan_at(g, i, j)) continue;
            if (isnan(sum) || memcmp(px_element(&g->d, i, j), &want, g->d.bytes))
                fail_msg("%s: (%llu, %llu) is not %g", what, (unsigned long long)i, (unsigned long long)j, sum);
        }
    free(left);
    free(right);
}

/* The maps of the scales behind the six arguments of every GEMM, and what the epilogue reads. */
static void give(px_machine *m, const px_gemm *g, const scales *a, const scales *b, const float *vector)
{
    static const char *const names[] = {"tensor_sa", "tensor_sb", "x_alpha", "read_bias"};
    static const float factor = 0.125f;
    uint32_t count = g->request.epilogue ? 4 : 2;
    zlay_pipe_argument argument;
    const zlay_target *target;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t words[PX_MAP_BYTES / 8] = {0}, address = ((uint64_t)1 << 32) + ((uint64_t)i << 28);
        const scales *s = (i == 0) == !g->info.swapped ? a : b;
        zlay_tensormap map;
        assert_int_equal(zlay_plan_argument_nth(&argument, g->plan, ARGUMENTS - 2 + i), ZLAY_OK);
        assert_string_equal(argument.name, names[i]);
        if (i == 2) memcpy(words, &factor, sizeof factor);
        if (i == 3) memcpy(words, &address, sizeof address);
        if (i != 2)
            m->memory[m->memories++] = i == 3 ? (px_memory){address, g->request.n * 4, (void *)(uintptr_t)vector} : (px_memory){address, s->bytes, s->at};
        if (i < 2) {
            assert_int_equal(zlay_plan_map(&map, g->plan, ZLAY_OPERAND_SCALES_A + (int32_t)i), ZLAY_OK);
            map.address = address;
            zlay_tensormap_pack(words, target, &map);
        }
        memcpy(m->param[ARGUMENTS - 2 + i], words, argument.bytes);
    }
    assert_int_equal(zlay_plan_argument_nth(&argument, g->plan, ARGUMENTS - 2 + count), ZLAY_NONE);
}

#define MXFP8(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d, .a_scales = MX, .b_scales = MX
#define MXFP4(d) .type = ZLAY_TYPE_E2M1, .d_type = ZLAY_TYPE_##d, .a_scales = MX, .b_scales = MX
#define NVFP4(d) .type = ZLAY_TYPE_E2M1, .d_type = ZLAY_TYPE_##d, .a_scales = NV, .b_scales = NV
#define EPILOGUE .epilogue = alpha, .epilogue_length = sizeof alpha - 1
static const struct {
    const char *what;
    uint32_t blocks;
    zlay_gemm gemm;
} rows[] = {
    {"mxfp8", 2, {.m = 256, .n = 256, .k = 512, MXFP8(E4M3, E4M3, F32)}},
    {"mxfp8, edges everywhere", 3, {.m = 200, .n = 264, .k = 416, MXFP8(E4M3, E5M2, F32)}},
    {"mxfp8 to bf16, two stages", 2, {.m = 300, .n = 140, .k = 672, MXFP8(E5M2, E4M3, BF16), .stages = 2}},
    {"mxfp8, one step, part of a block", 1, {.m = 5, .n = 24, .k = 48, MXFP8(E4M3, E4M3, F32)}},
    {"mxfp8, D by columns", 2, {.m = 136, .n = 270, .k = 288, MXFP8(E4M3, E5M2, F32), .d_order = ZLAY_ORDER_COLUMN}},
    {"mxfp8 by cp.async", 2, {.m = 65, .n = 140, .k = 260, MXFP8(E4M3, E4M3, F32), .lda = 260, .ldb = 260}},
    {"mxfp8, A by cp.async", 2, {.m = 129, .n = 140, .k = 256, MXFP8(E4M3, E4M3, F32), .lda = 260, .ldb = 272}},
    {"mxfp8 by elements", 1, {.m = 67, .n = 133, .k = 257, MXFP8(E4M3, E4M3, BF16), .lda = 259, .ldb = 257}},
    {"mxfp8, an epilogue", 2, {.m = 136, .n = 200, .k = 320, MXFP8(E4M3, E4M3, BF16), EPILOGUE}},
    {"mxfp4", 2, {.m = 256, .n = 256, .k = 1024, MXFP4(F32)}},
    {"mxfp4, edges everywhere", 3, {.m = 200, .n = 264, .k = 608, MXFP4(F32)}},
    {"mxfp4 to bf16, pitches", 2, {.m = 300, .n = 140, .k = 352, MXFP4(BF16), .lda = 384, .ldb = 416, .stages = 2}},
    {"mxfp4, one block", 1, {.m = 5, .n = 24, .k = 32, MXFP4(F32)}},
    {"mxfp4 by cp.async", 2, {.m = 65, .n = 140, .k = 328, MXFP4(F32)}},
    {"mxfp4 by elements", 1, {.m = 67, .n = 133, .k = 290, MXFP4(BF16)}},
    {"nvfp4", 2, {.m = 256, .n = 256, .k = 1024, NVFP4(F32)}},
    {"nvfp4, edges everywhere", 3, {.m = 200, .n = 264, .k = 608, NVFP4(F32)}},
    {"nvfp4, one block", 1, {.m = 5, .n = 24, .k = 16, NVFP4(BF16)}},
    {"nvfp4, D by columns", 2, {.m = 136, .n = 270, .k = 288, NVFP4(F32), .d_order = ZLAY_ORDER_COLUMN}},
    {"nvfp4, an epilogue", 2, {.m = 136, .n = 200, .k = 480, NVFP4(BF16), EPILOGUE}},
};

static void runs(const char *what, const zlay_gemm *q, uint32_t blocks, bool ends, px_when when, uint64_t *random)
{
    px_gemm g;
    float vector[264];
    px_gemm_make_on(&g, target_name, q, blocks, random);
    scales a = scales_make(q->a_scales, ends ? LEAST : MIDDLE, q->m, q->k, random);
    scales b = scales_make(q->b_scales, ends ? GREATEST : MIDDLE, q->n, q->k, random);
    if (ends) cut(&g);
    for (size_t j = 0; j < sizeof vector / sizeof *vector; j++) vector[j] = (float)(test_random(random) % 100) - 50;
    px_gemm_bind(&machine, &g);
    give(&machine, &g, &a, &b, vector);
    machine.when = when;
    machine.random = test_random(random);
    px_run(&machine, g.text, (int)g.info.threads, g.blocks, 1);
    if (*machine.fault) fail_msg("%s: %s", what, machine.fault);
    compare(&g, &a, &b, vector, what);
    free(a.at);
    free(b.at);
    px_gemm_free(&g);
}

static void values(void **state)
{
    uint64_t random = test_seed("block scales");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        runs(rows[i].what, &rows[i].gemm, rows[i].blocks, false, (px_when)(i % 3), &random);
}

/* The least scales in A, the greatest in B, and NaN in either. */
static void extremes(void **state)
{
    static const struct {
        const char *what;
        uint32_t blocks;
        zlay_gemm gemm;
    } of[] = {
        {"mxfp8", 2, {.m = 140, .n = 136, .k = 208, MXFP8(E4M3, E5M2, F32)}},
        {"mxfp8 by cp.async", 1, {.m = 65, .n = 70, .k = 260, MXFP8(E4M3, E4M3, BF16), .lda = 260, .ldb = 260}},
        {"mxfp4", 2, {.m = 140, .n = 136, .k = 416, MXFP4(F32)}},
        {"nvfp4", 2, {.m = 140, .n = 136, .k = 416, NVFP4(F32)}},
    };
    uint64_t random = test_seed("extremes of block scales");
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        runs(of[i].what, &of[i].gemm, of[i].blocks, true, (px_when)(i % 3), &random);
}

static void assemble(const char *name, const zlay_gemm *gemm, const char *what)
{
    px_gemm g = {.request = *gemm};
    const zlay_target *target;
    g.request.size = sizeof g.request;
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(ctx, &g.plan, target, &g.request), ZLAY_OK);
    px_gemm_text(&g);
    if (!assembles_fast(name, g.text)) fail_msg("%s for %s", what, name);
    zlay_plan_free(g.plan);
    free(g.text);
}

/* All of them, and one of each kind for the other targets. */
static void assembles_all(void **state)
{
    static const char *const others[] = {"sm_100f", "sm_103a", "sm_103f", "sm_110a"};
    static const zlay_gemm kinds[] = {{MXFP8(E4M3, E5M2, BF16)}, {MXFP4(F32)}, {NVFP4(BF16)}};
    (void)state;
    need_assembler();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assemble(target_name, &rows[i].gemm, rows[i].what);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            zlay_gemm q = kinds[k];
            q.m = 4096, q.n = 4096, q.k = 4096;
            assemble(others[i], &q, "a kind");
        }
}

/* What the plan says of its scales: atoms, maps that no box reads past, certificates that are equal. */
static void facts(void **state)
{
    zlay_gemm q = {.size = sizeof q, .m = 300, .n = 520, .k = 608, NVFP4(F32)};
    const zlay_layout *a, *b;
    const zlay_target *target;
    zlay_plan *plan;
    zlay_scales s;
    zlay_tensormap map;
    zlay_answer answer;
    uint32_t count = 0;
    (void)state;
    assert_int_equal(zlay_target_find(&target, target_name, strlen(target_name)), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(ctx, &plan, target, &q), ZLAY_OK);
    assert_int_equal(zlay_plan_scales(&s, plan, ZLAY_OPERAND_B), ZLAY_OK);
    assert_true(s.shape[0] == 5 && s.shape[1] == 10 && s.block[0] == 1 && s.block[1] == 16 && s.granularity == NV && s.type == ZLAY_TYPE_UE4M3);
    assert_int_equal(zlay_plan_map(&map, plan, ZLAY_OPERAND_SCALES_A), ZLAY_OK);
    assert_true(map.extent[0] == 10 * ATOM / 8 && map.extent[1] == 3 && map.stride[0] == 10 * ATOM && map.box[0] == 4 * ATOM / 8);
    for (; !zlay_plan_certificate(&a, &b, plan, count); count++) {
        assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a, b), ZLAY_OK);
        assert_int_equal(answer, ZLAY_YES);
    }
    assert_int_equal(count, 9);
    zlay_plan_free(plan);
}

static const struct {
    const char *message, *target;
    zlay_status status;
    zlay_gemm gemm;
} bads[] = {
    {"a_scales: 1x32; instructions of sm_90a apply no such scales, those of sm_100a do", "sm_90a", ZLAY_ENOTSUP, {MXFP8(E4M3, E4M3, F32)}},
    {"a_scales: 1x16; instructions of sm_80", "sm_80", ZLAY_ENOTSUP, {NVFP4(F32)}},
    {"b_scales: 1x32; instructions of gfx950", "gfx950", ZLAY_ENOTSUP, {.type = ZLAY_TYPE_E4M3, .b_scales = MX}},
    {"b_scales: an instruction that applies scales of 1x32 does so in A and B; the nearest that works is 1x32", "sm_100a", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .a_scales = MX}},
    {"b_scales: an instruction that applies scales of 1x32", "sm_100a", ZLAY_EINVAL, {.type = ZLAY_TYPE_E2M1, .a_scales = MX, .b_scales = NV}},
    {"which are e4m3, go with e2m1; the nearest that works with e4m3 and e5m2 is 1x32", "sm_100a", ZLAY_ENOTSUP, {.a_type = ZLAY_TYPE_E4M3, .b_type = ZLAY_TYPE_E5M2, .a_scales = NV, .b_scales = NV}},
    {"scales of 1x32 go with e2m1 in A and B, or with e4m3 and e5m2; e2m1 beside another type lies otherwise", "sm_100a", ZLAY_ENOTSUP, {.a_type = ZLAY_TYPE_E4M3, .b_type = ZLAY_TYPE_E2M1, .a_scales = MX, .b_scales = MX}},
    {"a_type bf16, b_type bf16: scales of 1x16 go with e2m1 in A and B; other types", "sm_100a", ZLAY_ENOTSUP, {.a_scales = NV, .b_scales = NV}},
    {"tile_n: 256; with scales of 1x32 it is 128", "sm_100a", ZLAY_EINVAL, {MXFP8(E4M3, E4M3, F32), .tile_n = 256}},
    {"tile_n: 64; with scales of 1x16 it is 128", "sm_100a", ZLAY_EINVAL, {NVFP4(F32), .tile_n = 64}},
    {"tile_k: 64; with scales of 1x32 a step has 128", "sm_100a", ZLAY_EINVAL, {MXFP8(E4M3, E4M3, F32), .tile_k = 64}},
    {"tile_k: 128; with scales of 1x16 a step has 256", "sm_100a", ZLAY_EINVAL, {NVFP4(F32), .tile_k = 128}},
    {"k: 255; a row of e2m1 has whole bytes", "sm_100a", ZLAY_EINVAL, {MXFP4(F32), .k = 255}},
    {"ldb: 513; a row of e2m1 has whole bytes", "sm_100a", ZLAY_EINVAL, {MXFP4(F32), .ldb = 513}},
    {"a_order: the nearest that works is row", "sm_100a", ZLAY_NONE, {MXFP4(F32), .a_order = ZLAY_ORDER_COLUMN}},
    {"a_type: e2m1; the GEMM of this version has elements of whole bytes", "sm_100a", ZLAY_ENOTSUP, {.type = ZLAY_TYPE_E2M1}},
    {"d_scales: 1x32 and 1x16 are of A and B", "sm_100a", ZLAY_ENOTSUP, {.type = ZLAY_TYPE_E4M3, .d_type = ZLAY_TYPE_E4M3, .d_scales = MX}},
    {"d_scales: beside a_scales of 1x32 or 1x16 D has none", "sm_100a", ZLAY_ENOTSUP, {MXFP8(E4M3, E4M3, E4M3), .d_scales = ZLAY_SCALES_LINE}},
    {"split_k: plans of sm_100a have none", "sm_100a", ZLAY_ENOTSUP, {MXFP8(E4M3, E4M3, F32), .split_k = 2}},
};

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        zlay_gemm q = bads[i].gemm;
        q.m = 256, q.n = 256;
        if (!q.k) q.k = 512;
        gemm_refused(bads[i].target, &q, bads[i].status, bads[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values), cmocka_unit_test(extremes),
        cmocka_unit_test(assembles_all),
        cmocka_unit_test(facts),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests_name("emit/gemm/block_scales", tests, open_ctx, close_ctx);
}
