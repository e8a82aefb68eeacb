/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor memory: layouts against closed forms, single instructions at their bounds, order of pairs. */
#include "ctx.h"
#include "legality.h"

#include <zlay/tmem.h>

enum { LANE = 65536 };

static int64_t value_at(const zlay_layout *layout, uint64_t index)
{
    int64_t value = -1;
    assert_int_equal(zlay_layout_eval(&value, 1, layout, index), ZLAY_OK);
    return value;
}

static zlay_layout *layout_of(zlay_ctx *ctx, zlay_tmem_map map)
{
    zlay_layout *layout = NULL;
    assert_int_equal(zlay_tmem_layout(ctx, &layout, &map), ZLAY_OK);
    return layout;
}

/* ---- registers ------------------------------------------------------------------------- */

/* Closed forms that equal all 74 of CUTLASS's SM100_TMEM_LOAD traits. */
static int64_t cell(int32_t shape, int64_t t, int64_t r, int64_t split)
{
    switch (shape) {
    case ZLAY_TMEM_32X32B: return t * LANE + r;
    case ZLAY_TMEM_16X64B: return (8 * (t & 1) + (t >> 2)) * LANE + ((t >> 1) & 1) + 2 * r;
    case ZLAY_TMEM_16X128B: return ((t >> 2) + 8 * (r & 1)) * LANE + (t & 3) + 4 * (r >> 1);
    case ZLAY_TMEM_16X256B:
        return ((t >> 2) + 8 * (r >> 1 & 1)) * LANE + 2 * (t & 3) + (r & 1) + 8 * (r >> 2);
    default: return (t & 15) * LANE + (t >> 4) * split + r;
    }
}

static void registers_of_ld_and_st(void **state)
{
    static const uint32_t each[] = {0, 1, 2, 4, 1, 1}, most[] = {0, 128, 64, 32, 128, 128};
    zlay_ctx *ctx = *state;
    for (int32_t shape = ZLAY_TMEM_16X64B; shape <= ZLAY_TMEM_16X32BX2; shape++)
        for (uint32_t num = 1; num <= most[shape]; num *= 2) {
            uint32_t split = shape == ZLAY_TMEM_16X32BX2 ? num + 3 : 0;
            zlay_layout *layout = layout_of(ctx, (zlay_tmem_map){.shape = shape,
                                                                 .size = num,
                                                                 .half_split = split,
                                                                 .address = 32 * LANE + 64});
            uint32_t registers = each[shape] * num;
            assert_int_equal(zlay_layout_size(layout), 32 * registers);
            for (uint32_t i = 0; i < 32 * registers; i++)
                assert_int_equal(value_at(layout, i),
                                 cell(shape, i % 32, i / 32, split) + 32 * LANE + 64);
            zlay_layout_free(layout);
        }
}

/* A packed register has the low halves of columns 2c and 2c + 1, c its column unpacked. */
static void packed_registers(void **state)
{
    static const uint32_t each[] = {0, 1, 2, 4, 1, 1};
    zlay_ctx *ctx = *state;
    for (int32_t shape = ZLAY_TMEM_16X64B; shape <= ZLAY_TMEM_16X32BX2; shape++) {
        uint32_t split = shape == ZLAY_TMEM_16X32BX2 ? 40 : 0;
        zlay_layout *layout = layout_of(
            ctx, (zlay_tmem_map){.shape = shape, .size = 8, .pack = 1, .half_split = split});
        uint32_t count = 32 * 2 * each[shape] * 8;
        assert_int_equal(zlay_layout_size(layout), count);
        for (uint32_t i = 0; i < count; i++) {
            int64_t t = i % 32, half = i / 32 % 2, r = i / 64, plain = cell(shape, t, r, 0);
            int64_t want = plain / LANE * LANE + 2 * (plain % LANE) + half + (t >> 4) * split;
            assert_int_equal(value_at(layout, i), want);
        }
        zlay_layout_free(layout);
    }
}

static const struct {
    int32_t shape;
    uint32_t num, pack, registers, hash;
} traits[] = {
#define LD(shape, num, pack, registers, hash) {ZLAY_TMEM_##shape, num, pack, registers, hash},
#include "data/tmem_ld.def"
#undef LD
};

static void registers_are_where_cutlass_has_them(void **state)
{
    zlay_ctx *ctx = *state;
    assert_int_equal(sizeof traits / sizeof *traits, 74);
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++) {
        bool split = traits[i].shape == ZLAY_TMEM_16X32BX2;
        zlay_tmem_map map = {.shape = traits[i].shape, .size = traits[i].num, .pack = traits[i].pack};
        if (split) map.half_split = traits[i].num * (1 + traits[i].pack);
        zlay_layout *layout = layout_of(ctx, map);
        uint64_t count = 32 * traits[i].registers * (1 + traits[i].pack);
        uint32_t hash = 2166136261u;
        assert_int_equal(zlay_layout_size(layout), count);
        for (uint64_t at = 0; at < count; at++)
            hash = (hash ^ (uint32_t)value_at(layout, at)) * 16777619u;
        if (hash != traits[i].hash) fail_msg("trait %zu: another place", i);
        zlay_layout_free(layout);
    }
}

/* ---- paths, copies, scales -------------------------------------------------------------- */

static int64_t path_cell(int32_t path, int64_t r, int64_t c, int64_t n)
{
    switch (path) {
    case ZLAY_TMEM_PATH_A:
    case ZLAY_TMEM_PATH_D: return r * LANE + c;
    case ZLAY_TMEM_PATH_B:
    case ZLAY_TMEM_PATH_E: return (r + 64 * (c / (n / 2))) * LANE + c % (n / 2);
    case ZLAY_TMEM_PATH_G: return (r + 32 * (c / (n / 4))) * LANE + c % (n / 4);
    default: return (r / 16 * 32 + r % 16) * LANE + c;
    }
}

static void paths_of_accumulators(void **state)
{
    static const uint32_t rows[] = {128, 64, 64, 128, 64, 64, 32};
    zlay_ctx *ctx = *state;
    for (int32_t path = ZLAY_TMEM_PATH_A; path <= ZLAY_TMEM_PATH_G; path++)
        for (uint32_t n = 8; n <= 256; n += 8) {
            zlay_layout *layout = layout_of(ctx, (zlay_tmem_map){.shape = path, .size = n});
            uint32_t m = rows[path - ZLAY_TMEM_PATH_A];
            assert_int_equal(zlay_layout_size(layout), m * n);
            for (uint32_t i = 0; i < m * n; i += 1 + i % 3)
                assert_int_equal(value_at(layout, i), path_cell(path, i % m, i / m, n));
            zlay_layout_free(layout);
        }
}

static const struct {
    int32_t path;
    uint32_t rows, n, hash;
} fragments[] = {
#define PATH(path, rows, n, hash) {ZLAY_TMEM_##path, rows, n, hash},
#include "data/tmem_path.def"
#undef PATH
};

static void accumulators_are_where_cutlass_has_them(void **state)
{
    zlay_ctx *ctx = *state;
    assert_int_equal(sizeof fragments / sizeof *fragments, 21);
    for (size_t i = 0; i < sizeof fragments / sizeof *fragments; i++) {
        zlay_tmem_map map = {.shape = fragments[i].path, .size = fragments[i].n};
        zlay_layout *layout = layout_of(ctx, map);
        uint64_t count = fragments[i].rows * (uint64_t)fragments[i].n;
        uint32_t hash = 2166136261u;
        assert_int_equal(zlay_layout_size(layout), count);
        for (uint64_t at = 0; at < count; at++)
            hash = (hash ^ (uint32_t)value_at(layout, at)) * 16777619u;
        if (hash != fragments[i].hash) fail_msg("fragment %zu: another place", i);
        zlay_layout_free(layout);
    }
}

/* The byte of factor j of row r in a copy: ids count bytes of the row's cell and of those of the next columns. */
static int64_t scale_byte(const zlay_tmem_map *map, int64_t r, int64_t j, int64_t copy)
{
    bool half = map->shape == ZLAY_TMEM_SCALES_HALF;
    int64_t rows = half ? map->size / 2 : map->size, id = map->first + j;
    int64_t lane = r % 32 + (half ? r / rows * 64 : 0) + 32 * copy, column = r % rows / 32 + id / 4 * (rows / 32);
    return 4 * (map->address + LANE * lane + column) + id % 4;
}

static void scales_of_every_vector(void **state)
{
    static const uint32_t factors[] = {1, 2, 3, 4, 6};
    zlay_ctx *ctx = *state;
    for (int32_t shape = ZLAY_TMEM_SCALES; shape <= ZLAY_TMEM_SCALES_HALF; shape++)
        for (uint32_t n = 64; n <= 256; n += 64)
            for (size_t k = 0; k < 5 * 4; k++) {
                zlay_tmem_map map = {.shape = shape, .size = n, .factors = factors[k / 4], .first = k % 4, .address = 0x40};
                bool even = map.factors % 2 == 0 && map.first % 2, late = map.factors == 4 && map.first;
                int64_t copies = shape == ZLAY_TMEM_SCALES ? 4 : 2;
                zlay_layout *layout;
                zlay_status status = zlay_tmem_layout(ctx, &layout, &map);
                assert_int_equal(status, even || late ? ZLAY_NONE : ZLAY_OK);
                if (status) continue;
                assert_int_equal(zlay_layout_size(layout), n * map.factors * copies);
                for (int64_t i = 0; i < (int64_t)zlay_layout_size(layout); i++)
                    assert_int_equal(value_at(layout, (uint64_t)i),
                                     scale_byte(&map, i % n, i / n % map.factors, i / n / map.factors));
                zlay_layout_free(layout);
            }
}

static void the_example_of_the_header(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *f = layout_of(
        ctx, (zlay_tmem_map){.shape = ZLAY_TMEM_PATH_F, .size = 64, .address = 0x100});
    assert_int_equal(value_at(f, 17 + 64 * 5), 0x00210105);
    zlay_layout_free(f);
    zlay_tmem_issue ld = {.op = ZLAY_TMEM_LD,
                          .shape = ZLAY_TMEM_16X64B,
                          .num = 1,
                          .warp = 1,
                          .given = ZLAY_TMEM_GIVEN_WARP};
    zlay_verdict v;
    zlay_reason r[REASONS];
    assert_int_equal(zlay_tmem_issue_check(&v, r, REASONS, target_of("sm_100a"), &ld), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_NO);
    assert_int_equal(v.reasons, 1);
    assert_int_equal(r[0].rule, rule_number("TMEM_WARP_LANES"));
    ld.address = (uint32_t)r[0].fix_value;
    assert_int_equal(ld.address, 32 * LANE);
    assert_int_equal(zlay_tmem_issue_check(&v, r, REASONS, target_of("sm_100a"), &ld), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_YES);
}

static void path_of_every_product(void **state)
{
    (void)state;
    static const char letters[] = "ABCDEFG";
    static const struct {
        uint32_t m, group, ws, sparse;
        char letter;
    } rows[] = {{256, 2, 0, 0, 'A'}, {256, 2, 0, 1, 'A'}, {128, 2, 0, 0, 'B'}, {128, 2, 0, 1, 'C'},
                {128, 1, 0, 0, 'D'}, {128, 1, 1, 0, 'D'}, {128, 1, 0, 1, 'D'}, {64, 1, 1, 0, 'E'},
                {64, 1, 1, 1, 'E'},  {64, 1, 0, 0, 'F'},  {64, 1, 0, 1, 'F'},  {32, 1, 1, 0, 'G'},
                {32, 1, 0, 0, 0},    {64, 2, 0, 0, 0},    {96, 1, 0, 0, 0},    {128, 3, 0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_mma mma = {.instruction = ZLAY_MMA_TCGEN05,
                        .m = rows[i].m,
                        .cta_group = rows[i].group,
                        .ws = rows[i].ws,
                        .sparse = rows[i].sparse};
        int32_t path = 0;
        assert_int_equal(zlay_tmem_path(&path, &mma), rows[i].letter ? ZLAY_OK : ZLAY_NONE);
        if (rows[i].letter) assert_int_equal(letters[path - ZLAY_TMEM_PATH_A], rows[i].letter);
    }
}

/* TVM's table of cp, which says that it was compared bit by bit on a B200. */
static int64_t copied(int32_t shape, int64_t row, int64_t copy)
{
    switch (shape) {
    case ZLAY_TMEM_CP_4X256B: return 32 * row;
    case ZLAY_TMEM_CP_64X128B_02_13: return row + 64 * copy;
    case ZLAY_TMEM_CP_64X128B_01_23: return row / 32 * 64 + row % 32 + 32 * copy;
    case ZLAY_TMEM_CP_32X128B: return row + 32 * copy;
    default: return row;
    }
}

static void copies_of_cp(void **state)
{
    static const struct {
        int32_t shape;
        uint32_t rows, columns, copies;
    } cps[] = {{ZLAY_TMEM_CP_128X256B, 128, 8, 1},      {ZLAY_TMEM_CP_4X256B, 4, 8, 1},
               {ZLAY_TMEM_CP_128X128B, 128, 4, 1},      {ZLAY_TMEM_CP_64X128B_02_13, 64, 4, 2},
               {ZLAY_TMEM_CP_64X128B_01_23, 64, 4, 2},  {ZLAY_TMEM_CP_32X128B, 32, 4, 4}};
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof cps / sizeof *cps; i++) {
        zlay_layout *layout = layout_of(ctx, (zlay_tmem_map){.shape = cps[i].shape, .address = 12});
        uint32_t rows = cps[i].rows, columns = cps[i].columns;
        assert_int_equal(zlay_layout_size(layout), rows * columns * cps[i].copies);
        for (uint32_t at = 0; at < rows * columns * cps[i].copies; at++)
            assert_int_equal(value_at(layout, at),
                             copied(cps[i].shape, at % rows, at / rows / columns) * LANE +
                                 at / rows % columns + 12);
        zlay_layout_free(layout);
    }
}

static void scale_factors(void **state)
{
    zlay_ctx *ctx = *state;
    for (int half = 0; half < 2; half++)
        for (uint32_t rows = 64; rows <= 256; rows += 64)
            for (uint32_t factors = 1; factors <= 4; factors *= 2) {
                uint32_t copies = half ? 2 : 4, count = rows * factors * copies;
                zlay_layout *layout = layout_of(
                    ctx, (zlay_tmem_map){.shape = half ? ZLAY_TMEM_SCALES_HALF : ZLAY_TMEM_SCALES,
                                         .size = rows,
                                         .factors = factors,
                                         .address = 8});
                assert_int_equal(zlay_layout_size(layout), count);
                for (uint32_t i = 0; i < count; i++) {
                    int64_t m = i % rows, j = i / rows % factors, copy = i / rows / factors;
                    int64_t lane = m % 32 + 32 * copy, column = m / 32;
                    if (half) {
                        lane = m % 32 + 32 * copy + (m >= rows / 2 ? 64 : 0);
                        column = m % (rows / 2) / 32;
                    }
                    assert_int_equal(value_at(layout, i), 4 * (lane * LANE + column + 8) + j);
                }
                zlay_layout_free(layout);
            }
}

static void questions_without_a_layout(void **state)
{
    static const zlay_tmem_map none[] = {
        {.shape = ZLAY_TMEM_32X32B, .size = 0},    {.shape = ZLAY_TMEM_32X32B, .size = 3},
        {.shape = ZLAY_TMEM_32X32B, .size = 256},  {.shape = ZLAY_TMEM_16X256B, .size = 64},
        {.shape = ZLAY_TMEM_16X128B, .size = 128}, {.shape = ZLAY_TMEM_PATH_D, .size = 264},
        {.shape = ZLAY_TMEM_PATH_D, .size = 12},   {.shape = ZLAY_TMEM_SCALES, .size = 40, .factors = 1},
        {.shape = ZLAY_TMEM_SCALES, .size = 32, .factors = 5},
        {.shape = ZLAY_TMEM_SCALES, .size = 32, .factors = 6, .first = 1},
        {.shape = ZLAY_TMEM_SCALES, .size = 32, .factors = 3, .first = 4},
        {.shape = ZLAY_TMEM_SCALES, .size = 32, .factors = 4, .first = 2},
        {.shape = ZLAY_TMEM_PATH_D, .size = 8, .first = 1},
        {.shape = ZLAY_TMEM_SCALES, .size = 32},   {.shape = ZLAY_TMEM_CP_4X256B, .size = 1},
        {.shape = ZLAY_TMEM_PATH_D, .size = 8, .pack = 1},
        {.shape = ZLAY_TMEM_32X32B, .size = 8, .half_split = 1},
        {.shape = ZLAY_TMEM_16X32BX2, .size = 8, .half_split = UINT32_MAX}};
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        zlay_layout *layout = (zlay_layout *)ctx;
        assert_int_equal(zlay_tmem_layout(ctx, &layout, &none[i]), ZLAY_NONE);
        assert_null(layout);
    }
    for (int32_t shape = -2; shape < 300; shape += shape == 0 ? 21 : 1) {
        zlay_layout *layout;
        zlay_tmem_map map = {.shape = shape, .size = 8};
        if (shape > 0 && zlay_tmem_shape_name(shape)) continue;
        assert_int_equal(zlay_tmem_layout(ctx, &layout, &map), ZLAY_EINVAL);
        assert_null(zlay_tmem_shape_name(shape));
    }
}

static void shapes_have_their_names(void **state)
{
    (void)state;
    int32_t found = 0;
    for (int32_t shape = 1; shape <= ZLAY_TMEM_SCALES_HALF; shape++) {
        const char *name = zlay_tmem_shape_name(shape);
        assert_non_null(name);
        assert_int_equal(zlay_tmem_shape_find(&found, name, strlen(name)), ZLAY_OK);
        assert_int_equal(found, shape);
    }
    assert_int_equal(zlay_tmem_shape_find(&found, "16x64", 5), ZLAY_NONE);
}

/* ---- single instructions ------------------------------------------------------------------ */

typedef struct row {
    const char *on;
    zlay_tmem_issue issue;
    const char *rule; /* NULL: legal */
} row;

#define WARP(o, s, n) .op = ZLAY_TMEM_##o, .shape = ZLAY_TMEM_##s, .num = n
#define OF(w)         .warp = w, .given = ZLAY_TMEM_GIVEN_WARP
#define HAVE(b, c)    .base = b, .allocated = c, .given = ZLAY_TMEM_GIVEN_ALLOCATION
#define RED           .reduce = ZLAY_TMEM_MAX, .type = ZLAY_TYPE_F32

static const row rows[] = {
    {"sm_90a", {.op = ZLAY_TMEM_ALLOC, .columns = 64}, "TMEM_TARGET"},
    {"sm_100a", {.op = 0}, "TMEM_OP"},
    {"sm_100a", {.op = ZLAY_TMEM_COMMIT}, "TMEM_OP"},
    {"sm_100a", {WARP(MMA, PATH_D, 256), .address = 256}, NULL},
    {"sm_100a", {WARP(MMA, PATH_D, 256), .address = 257}, "TMEM_COLUMN_END"},
    {"sm_100a", {WARP(MMA, PATH_E, 256), .address = 384}, NULL},
    {"sm_100a", {WARP(MMA, PATH_E, 256), .address = 385}, "TMEM_COLUMN_END"},
    {"sm_100a", {WARP(MMA, PATH_G, 256), .address = 448}, NULL},
    {"sm_100a", {WARP(MMA, PATH_G, 256), .address = 449}, "TMEM_COLUMN_END"},
    {"sm_100a", {WARP(MMA, PATH_D, 264)}, "TMEM_ACC_N"},
    {"sm_100a", {WARP(MMA, 32X32B, 8)}, "TMEM_SHAPE"},
    {"sm_100a", {WARP(MMA, SCALES, 64)}, "TMEM_SHAPE"},
    {"sm_100a", {WARP(MMA, PATH_B, 64), .address = 16 * LANE}, "TMEM_ACC_LANE"},
    {"sm_100a", {WARP(MMA, PATH_F, 64), .address = 16 * LANE}, NULL},
    {"sm_100a", {WARP(MMA, PATH_C, 64), .address = 8 * LANE}, "TMEM_ACC_HALF"},
    {"sm_100a", {WARP(MMA, PATH_F, 64), .address = 32 * LANE}, "TMEM_LANE_END"},
    {"sm_100a", {WARP(MMA, PATH_D, 64), .address = 32, HAVE(0, 64)}, "TMEM_OWNED_LAST"},
    {"sm_100a", {.op = ZLAY_TMEM_ALLOC, .columns = 32}, NULL},
    {"sm_100a", {.op = ZLAY_TMEM_ALLOC, .columns = 512}, NULL},
    {"sm_100a", {.op = ZLAY_TMEM_ALLOC, .columns = 16}, "TMEM_ALLOC_RANGE"},
    {"sm_100a", {.op = ZLAY_TMEM_ALLOC, .columns = 1024}, "TMEM_ALLOC_RANGE"},
    {"sm_100a", {.op = ZLAY_TMEM_ALLOC, .columns = 96}, "TMEM_ALLOC_POWER"},
    {"sm_100a", {.op = ZLAY_TMEM_ALLOC, .columns = 0}, "TMEM_ALLOC_POWER"},
    {"sm_100a", {.op = ZLAY_TMEM_ALLOC, .columns = 64, .cta_group = 3}, "TMEM_GROUP"},
    {"sm_100a", {.op = ZLAY_TMEM_DEALLOC, .columns = 64}, NULL},
    {"sm_100a", {.op = ZLAY_TMEM_DEALLOC, .columns = 0}, "TMEM_FREE_RANGE"},
    {"sm_100a", {.op = ZLAY_TMEM_DEALLOC, .columns = 1024}, "TMEM_FREE_RANGE"},
    {"sm_100a", {.op = ZLAY_TMEM_DEALLOC, .columns = 48}, "TMEM_FREE_32"},
    {"sm_100a", {.op = ZLAY_TMEM_DEALLOC, .columns = 96}, "TMEM_FREE_POWER"},
    {"sm_100a", {.op = ZLAY_TMEM_DEALLOC, .columns = 64, HAVE(0, 128)}, "TMEM_FREE_COLUMNS"},
    {"sm_100a", {.op = ZLAY_TMEM_DEALLOC, .columns = 64, .address = 64, HAVE(0, 64)}, "TMEM_FREE_BASE"},
    {"sm_100a", {.op = ZLAY_TMEM_DEALLOC, .columns = 64, .address = 64, HAVE(64, 64)}, NULL},
    {"sm_100a", {WARP(LD, 32X32B, 128)}, NULL},
    {"sm_100a", {WARP(LD, 32X32B, 1), .address = 511}, NULL},
    {"sm_100a", {WARP(LD, 32X32B, 1), .address = 512}, "TMEM_COLUMN"},
    {"sm_100a", {WARP(LD, 32X32B, 1), .address = 128 * LANE}, "TMEM_LANE"},
    {"sm_100a", {WARP(LD, 32X32B, 1), .address = 0x80000000}, "TMEM_LANE"},
    {"sm_100a", {WARP(LD, 32X32B, 2), .address = 511}, "TMEM_COLUMN_END"},
    {"sm_100a", {WARP(LD, 32X32B, 2), .address = 510, .pack = 1}, "TMEM_COLUMN_END"},
    {"sm_100a", {WARP(LD, 16X256B, 32), .address = 256}, NULL},
    {"sm_100a", {WARP(LD, 16X256B, 32), .address = 257}, "TMEM_COLUMN_END"},
    {"sm_100a", {WARP(LD, 16X64B, 3)}, "TMEM_NUM_POWER"},
    {"sm_100a", {WARP(LD, 16X256B, 64)}, "TMEM_NUM"},
    {"sm_100a", {WARP(LD, 16X128B, 128)}, "TMEM_NUM"},
    {"sm_100a", {WARP(ST, 32X32B, 0)}, "TMEM_NUM"},
    {"sm_100a", {WARP(ST, 32X32B, UINT32_MAX)}, "TMEM_COLUMN_END"},
    {"sm_100a", {WARP(LD, CP_4X256B, 1)}, "TMEM_SHAPE"},
    {"sm_100a", {.op = ZLAY_TMEM_LD, .num = 1, .shape = -5}, "TMEM_SHAPE"},
    {"sm_100a", {.op = ZLAY_TMEM_CP, .shape = ZLAY_TMEM_16X64B}, "TMEM_SHAPE"},
    {"sm_100a", {.op = ZLAY_TMEM_CP, .shape = ZLAY_TMEM_PATH_D}, "TMEM_SHAPE"},
    {"sm_100a", {WARP(LD, 32X32B, 1), .address = 16 * LANE}, "TMEM_WARP_QUARTER"},
    {"sm_100a", {WARP(LD, 16X64B, 1), .address = 16 * LANE}, NULL},
    {"sm_100a", {WARP(LD, 16X64B, 1), .address = 17 * LANE}, "TMEM_WARP_QUARTER"},
    {"sm_100a", {WARP(ST, 32X32B, 4), .address = 64 * LANE, OF(6)}, NULL},
    {"sm_100a", {WARP(ST, 32X32B, 4), .address = 64 * LANE, OF(5)}, "TMEM_WARP_LANES"},
    {"sm_100a", {WARP(LD, 16X128B, 4), .registers = 8, .given = ZLAY_TMEM_GIVEN_REGISTERS}, NULL},
    {"sm_100a", {WARP(LD, 16X128B, 4), .registers = 4, .given = ZLAY_TMEM_GIVEN_REGISTERS}, "TMEM_REGISTERS"},
    {"sm_100a", {WARP(LD, 16X128B, 4), .half_split = 4}, "TMEM_SPLIT"},
    {"sm_100a", {WARP(LD, 16X32BX2, 4), .half_split = 4}, NULL},
    {"sm_100a", {WARP(LD, 16X32BX2, 4), .half_split = 512}, "TMEM_SPLIT_RANGE"},
    {"sm_100a", {WARP(LD, 16X32BX2, 4), .half_split = 509}, "TMEM_COLUMN_END"},
    {"sm_100a", {WARP(LD, 32X32B, 4), .pack = 2}, "TMEM_PACK"},
    {"sm_100a", {WARP(LD, 32X32B, 32), .address = 64, HAVE(64, 32)}, NULL},
    {"sm_100a", {WARP(LD, 32X32B, 32), .address = 63, HAVE(64, 32)}, "TMEM_OWNED_FIRST"},
    {"sm_100a", {WARP(LD, 32X32B, 32), .address = 65, HAVE(64, 32)}, "TMEM_OWNED_LAST"},
    {"sm_103f", {WARP(LD_RED, 32X32B, 2), RED}, NULL},
    {"sm_110a", {WARP(LD_RED, 16X32BX2, 128), RED}, NULL},
    {"sm_100a", {WARP(LD_RED, 32X32B, 2), RED}, "TMEM_OP_TARGET"},
    {"sm_103a", {WARP(LD_RED, 32X32B, 1), RED}, "TMEM_NUM_RED"},
    {"sm_103a", {WARP(LD_RED, 16X64B, 2), RED}, "TMEM_SHAPE"},
    {"sm_103a", {WARP(LD_RED, 32X32B, 2), .reduce = 3, .type = ZLAY_TYPE_F32}, "TMEM_REDUCE"},
    {"sm_103a", {WARP(LD_RED, 32X32B, 2), .reduce = 1, .type = ZLAY_TYPE_F16}, "TMEM_RED_TYPE"},
    {"sm_103a", {WARP(LD_RED, 32X32B, 2), .reduce = 1, .type = ZLAY_TYPE_U32, .pack = 1}, "TMEM_PACK_RED"},
    {"sm_100a", {.op = ZLAY_TMEM_CP, .shape = ZLAY_TMEM_CP_128X256B, .address = 504}, NULL},
    {"sm_100a", {.op = ZLAY_TMEM_CP, .shape = ZLAY_TMEM_CP_128X256B, .address = 505}, "TMEM_COLUMN_END"},
    {"sm_100a", {.op = ZLAY_TMEM_CP, .shape = ZLAY_TMEM_CP_128X256B, .address = LANE}, "TMEM_LANE_END"},
    {"sm_100a", {.op = ZLAY_TMEM_CP, .shape = ZLAY_TMEM_CP_4X256B, .address = 31 * LANE}, NULL},
    {"sm_100a", {.op = ZLAY_TMEM_CP, .shape = ZLAY_TMEM_CP_4X256B, .address = 32 * LANE}, "TMEM_LANE_END"},
    {"sm_100a", {.op = ZLAY_TMEM_CP, .shape = ZLAY_TMEM_CP_128X128B, .format = 2}, NULL},
    {"sm_100a", {.op = ZLAY_TMEM_CP, .shape = ZLAY_TMEM_CP_128X128B, .format = 3}, "TMEM_FORMAT"},
    {"sm_100a", {.op = ZLAY_TMEM_SHIFT, .address = 32 * LANE + 7}, NULL},
    {"sm_100a", {.op = ZLAY_TMEM_SHIFT, .address = LANE}, "TMEM_SHIFT_LANE"},
    {"sm_100f", {.op = ZLAY_TMEM_SHIFT}, "TMEM_OP_TARGET"},
    {"sm_103a", {.op = ZLAY_TMEM_SHIFT}, NULL},
};

static void every_rule_at_its_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_verdict v, bare;
        zlay_reason r[REASONS];
        const zlay_target *t = target_of(rows[i].on);
        assert_int_equal(zlay_tmem_issue_check(&v, r, REASONS, t, &rows[i].issue), ZLAY_OK);
        assert_int_equal(zlay_tmem_issue_check(&bare, NULL, 0, t, &rows[i].issue), ZLAY_OK);
        assert_memory_equal(&v, &bare, sizeof v);
        if (v.answer != (rows[i].rule ? ZLAY_NO : ZLAY_YES))
            fail_msg("row %zu is %s", i, rows[i].rule ? rows[i].rule : "legal");
        if (rows[i].rule && !reason_of(r, &v, rule_number(rows[i].rule), -1))
            fail_msg("row %zu: %s is not broken", i, rows[i].rule);
    }
}

/* Every rule of tensor memory is broken by some row above, and one that practice alone asks. */
static void no_rule_is_untested(void **state)
{
    (void)state;
    zlay_rule rule;
    for (size_t i = 0; zlay_rule_nth(&rule, i) == ZLAY_OK; i++) {
        bool tested = strncmp(rule.id, "TMEM_", 5) != 0 || !strcmp(rule.id, "TMEM_SCALE_ALIGN");
        for (size_t j = 0; j < sizeof rows / sizeof *rows; j++)
            tested |= rows[j].rule && !strcmp(rows[j].rule, rule.id);
        if (!tested) fail_msg("no row breaks %s", rule.id);
    }
}

static void practice_is_carried(void **state)
{
    (void)state;
    zlay_tmem_issue cp = {.op = ZLAY_TMEM_CP, .shape = ZLAY_TMEM_CP_32X128B, .address = 2};
    zlay_verdict v;
    assert_int_equal(zlay_tmem_issue_check(&v, NULL, 0, target_of("sm_100a"), &cp), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_YES);
    assert_int_equal(v.conflicts, 1);
}

/* Any numbers in any field: a verdict, and no array is left. */
static void hostile_numbers_have_verdicts(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/tmem/tmem");
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        zlay_tmem_issue issue;
        zlay_verdict v;
        zlay_reason r[REASONS];
        uint32_t words[sizeof issue / 4];
        for (size_t w = 0; w < sizeof words / 4; w++) words[w] = (uint32_t)test_random(&s) >> test_range(&s, 0, 31);
        memcpy(&issue, words, sizeof issue);
        memset(issue.reserved, 0, sizeof issue.reserved);
        if (i % 2) issue.op = (int32_t)test_range(&s, 1, 8);
        assert_int_equal(zlay_tmem_issue_check(&v, r, REASONS, target_of("sm_103a"), &issue), ZLAY_OK);
        assert_int_equal(v.answer, v.broken ? ZLAY_NO : ZLAY_YES);
    }
}

/* ---- order ------------------------------------------------------------------------------------- */

static void pairs_in_order(void **state)
{
    (void)state;
    static const int32_t ordered[][4] = {
        {ZLAY_TMEM_MMA, ZLAY_TMEM_MMA, 1, 0},     {ZLAY_TMEM_CP, ZLAY_TMEM_MMA, 0, 0},
        {ZLAY_TMEM_SHIFT, ZLAY_TMEM_MMA, 0, 0},   {ZLAY_TMEM_SHIFT, ZLAY_TMEM_CP, 0, 1},
        {ZLAY_TMEM_MMA, ZLAY_TMEM_SHIFT, 0, 0},   {ZLAY_TMEM_MMA, ZLAY_TMEM_COMMIT, 0, 0},
        {ZLAY_TMEM_CP, ZLAY_TMEM_COMMIT, 0, 0},   {ZLAY_TMEM_SHIFT, ZLAY_TMEM_COMMIT, 0, 0},
        {ZLAY_TMEM_LD, ZLAY_TMEM_WAIT_LD, 0, 0},  {ZLAY_TMEM_LD_RED, ZLAY_TMEM_WAIT_LD, 0, 0},
        {ZLAY_TMEM_ST, ZLAY_TMEM_WAIT_ST, 0, 0}};
    uint32_t yes = 0;
    for (int32_t first = -1; first < 14; first++)
        for (int32_t second = -1; second < 14; second++)
            for (int32_t at = 0; at < 4; at++) {
                zlay_answer answer;
                int32_t same = at & 1, shape = at & 2 ? ZLAY_TMEM_CP_4X256B : ZLAY_TMEM_CP_128X256B;
                bool want = false;
                for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++)
                    want |= ordered[i][0] == first && ordered[i][1] == second &&
                            (same || !ordered[i][2]) && (at & 2 || !ordered[i][3]);
                assert_int_equal(zlay_tmem_ordered(&answer, first, second, same, shape), ZLAY_OK);
                assert_int_equal(answer, want ? ZLAY_YES : ZLAY_NO);
                yes += want;
            }
    assert_int_equal(yes, 40);
}

static void misuse(void **state)
{
    zlay_tmem_issue issue = {.op = ZLAY_TMEM_ALLOC, .columns = 32, .reserved = {0, 0, 0, 1}};
    zlay_tmem_map map = {.shape = ZLAY_TMEM_PATH_D, .size = 8, .reserved = {1}};
    zlay_verdict v;
    zlay_layout *layout;
    zlay_ctx *ctx = *state;
    const zlay_target *t = target_of("sm_100a");
    assert_int_equal(zlay_tmem_issue_check(&v, NULL, 0, t, &issue), ZLAY_EINVAL);
    issue.reserved[3] = 0;
    assert_int_equal(zlay_tmem_issue_check(NULL, NULL, 0, t, &issue), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_issue_check(&v, NULL, 1, t, &issue), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_issue_check(&v, NULL, 0, NULL, &issue), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_issue_check(&v, NULL, 0, t, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_layout(ctx, &layout, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_layout(ctx, NULL, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_layout(ctx, &layout, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_path(NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_ordered(NULL, 1, 1, 0, 0), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_of_ld_and_st), cmocka_unit_test(packed_registers),
        cmocka_unit_test(registers_are_where_cutlass_has_them),
        cmocka_unit_test(accumulators_are_where_cutlass_has_them),
        cmocka_unit_test(paths_of_accumulators),  cmocka_unit_test(the_example_of_the_header),
        cmocka_unit_test(path_of_every_product),  cmocka_unit_test(copies_of_cp),
        cmocka_unit_test(scale_factors),          cmocka_unit_test(scales_of_every_vector),
        cmocka_unit_test(questions_without_a_layout),
        cmocka_unit_test(shapes_have_their_names), cmocka_unit_test(every_rule_at_its_bounds),
        cmocka_unit_test(no_rule_is_untested),    cmocka_unit_test(practice_is_carried),
        cmocka_unit_test(hostile_numbers_have_verdicts), cmocka_unit_test(pairs_in_order),
        cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
