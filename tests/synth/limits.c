/* SPDX-License-Identifier: Apache-2.0 */
/* Every planner under limits that are too low: a plan is the one of the default limits or there is
 * none, and the status names the limit, also where it ended the decision of a certificate. What
 * `limits.work` counts is the public call: as many steps as where all calls count as one. */
#include "ctx.h"

#include "base/base.h"

typedef struct world {
    zlay_layout *a, *b;
} world;

typedef zlay_status planner(zlay_ctx *ctx, const world *w);

static zlay_status copy(zlay_ctx *ctx, const world *w)
{
    zlay_move *move = NULL;
    zlay_copy_request r = {.size = sizeof r, .elem_bits = 16, .threads = 128};
    r.source = (zlay_copy_side){.layout = w->a, .space = ZLAY_MOVE_GLOBAL};
    r.dest = (zlay_copy_side){.layout = w->b, .space = ZLAY_MOVE_SHARED};
    zlay_status status = zlay_copy_synth(ctx, &move, target_of("sm_90a"), &r);
    assert_int_equal(!move, status != ZLAY_OK);
    zlay_move_free(move);
    return status;
}

static zlay_status maps(zlay_ctx *ctx, const world *w)
{
    zlay_move *move = NULL;
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = w->a,
                                .shape = {64, 64}, .axes = 2, .address_align = 16};
    zlay_status status = zlay_tensormap_synth(ctx, &move, target_of("sm_90a"), &r);
    assert_int_equal(!move, status != ZLAY_OK);
    zlay_move_free(move);
    return status;
}

static zlay_status transfer(zlay_ctx *ctx, const world *w)
{
    zlay_transfer *t = NULL;
    zlay_transfer_request r = {.size = sizeof r, .elem_bits = 32, .source = w->a, .dest = w->b};
    zlay_status status = zlay_transfer_synth(ctx, &t, target_of("sm_90a"), &r);
    assert_int_equal(!t, status != ZLAY_OK);
    zlay_transfer_free(t);
    return status;
}

static zlay_status gemm_of(zlay_ctx *ctx, const char *target)
{
    zlay_plan *plan = NULL;
    zlay_gemm g = {.size = sizeof g, .m = 512, .n = 768, .k = 1024};
    zlay_status status = zlay_gemm_synth(ctx, &plan, target_of(target), &g);
    assert_int_equal(!plan, status != ZLAY_OK);
    zlay_plan_free(plan);
    return status;
}

static zlay_status gemm(zlay_ctx *ctx, const world *w)
{
    (void)w;
    return gemm_of(ctx, "sm_90a");
}

static zlay_status gemm_of_waves(zlay_ctx *ctx, const world *w)
{
    (void)w;
    return gemm_of(ctx, "gfx950");
}

static zlay_status wave(zlay_ctx *ctx, const world *w)
{
    zlay_wave *plan = NULL;
    zlay_wave_request r = {.size = sizeof r, .fragment = ZLAY_FRAGMENT_A, .rows = 64, .depth = 64,
                           .threads = 256};
    r.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 16,
                       .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    (void)w;
    zlay_status status = zlay_wave_synth(ctx, &plan, target_of("gfx950"), &r);
    assert_int_equal(!plan, status != ZLAY_OK);
    zlay_wave_free(plan);
    return status;
}

static zlay_status factor(zlay_ctx *ctx, const world *w)
{
    zlay_factor *f = NULL;
    zlay_factor_request r = {.size = sizeof r, .layout = w->a};
    zlay_status status = zlay_factor_synth(ctx, &f, target_of("sm_90a"), &r);
    assert_int_equal(!f, status != ZLAY_OK);
    zlay_factor_free(f);
    return status;
}

static zlay_status convert(zlay_ctx *ctx, const world *w)
{
    zlay_convert *plan = NULL;
    zlay_convert_request r = {.size = sizeof r, .elem_bits = 16, .src = w->a, .dst = w->b};
    zlay_status status = zlay_convert_synth(ctx, &plan, target_of("sm_90a"), &r);
    assert_int_equal(!plan, status != ZLAY_OK);
    zlay_convert_free(plan);
    return status;
}

static zlay_status exchange(zlay_ctx *ctx, const world *w)
{
    zlay_exchange *x = NULL;
    zlay_status status = zlay_exchange_synth(ctx, &x, w->a, w->b);
    assert_int_equal(!x, status != ZLAY_OK);
    zlay_exchange_free(x);
    return status;
}

static zlay_status multicast(zlay_ctx *ctx, const world *w)
{
    zlay_multicast m;
    zlay_tensormap map = {.type = ZLAY_TYPE_BF16, .rank = 2, .address = 1 << 20, .swizzle = 3,
                          .extent = {4096, 4096}, .stride = {8192}, .box = {64, 64},
                          .step = {1, 1}};
    zlay_multicast_request r = {.size = sizeof r, .cluster = 4, .cta_mask = 15, .map = &map};
    (void)w;
    return zlay_multicast_synth(ctx, &m, target_of("sm_90a"), &r);
}

static zlay_status packing(zlay_ctx *ctx, const world *w)
{
    static const zlay_tmem_buffer buffers[] = {{.columns = 256, .first = 0, .last = 1},
                                               {.columns = 128, .first = 1, .last = 2},
                                               {.columns = 256, .first = 2, .last = 3}};
    zlay_tmem_packing p;
    zlay_tmem_pack_request r = {.size = sizeof r, .count = 3, .allocations = 2, .buffers = buffers};
    (void)w;
    return zlay_tmem_pack(ctx, &p, target_of("sm_100a"), &r);
}

static zlay_status placed(zlay_ctx *ctx, const world *w)
{
    static const zlay_places_value values[] = {{.rows = 128, .columns = 64, .bits = 16, .from = ZLAY_PLACE_GLOBAL, .same = 1},
                                               {.rows = 64, .columns = 64, .bits = 16, .from = ZLAY_PLACE_GLOBAL},
                                               {.rows = 128, .columns = 64, .bits = 32, .to = ZLAY_PLACE_GLOBAL}};
    static const zlay_places_operation product = {.form = "product", .reads = 2, .writes = 1, .read = {0, 1}, .write = {2}};
    zlay_places p;
    zlay_places_request r = {.size = sizeof r, .values = 3, .operations = 1, .grid = {4, 1, 1}, .value = values, .operation = &product};
    (void)w;
    return zlay_places_find(ctx, &p, target_of("sm_90a"), &r);
}

static zlay_status ragged(zlay_ctx *ctx, const world *w)
{
    static const int64_t lengths[] = {200, 0, 70, 2000, 5, 31};
    static const zlay_region_tile tiles[] = {{128, 48, 0}, {64, 64, 0}, {24, 48, 0}};
    zlay_region *region = NULL;
    zlay_region_request r = {.size = sizeof r, .tiles = 3, .tile = tiles, .count = 6,
                             .rows.lengths = lengths, .columns.lengths = lengths};
    (void)w;
    zlay_status status = zlay_region_cover(ctx, &region, &r);
    assert_int_equal(!region, status != ZLAY_OK);
    zlay_region_free(region);
    return status;
}

static zlay_status tiled(zlay_ctx *ctx, const world *w)
{
    static const zlay_tiling_band band[] = {{.rows = 20, .end = 1, .end_step = 1}, {.group = 1, .rows = 30, .end = 9}};
    static const zlay_tiling_tile tiles[] = {{4, 4, 0, 0, 0}, {2, 2, 0, 0, 0}, {1, 1, 0, 0, 0}};
    zlay_tiling *tiling = NULL;
    zlay_tiling_request r = {.size = sizeof r, .tiles = 3, .tile = tiles, .bands = 2, .band = band};
    (void)w;
    zlay_status status = zlay_tiling_cover(ctx, &tiling, &r);
    assert_int_equal(!tiling, status != ZLAY_OK);
    zlay_tiling_free(tiling);
    return status;
}

static zlay_status variants(zlay_ctx *ctx, const world *w)
{
    static const char *const names[] = {"m", "n"}, *const facts[] = {"1 <= m <= 65536", "1 <= n <= 65536"},
                            *const guards[][1] = {{"(m + n) % 2 == 0"}, {"m <= 64"}, {"(m + n) % 2 == 1"}, {"n <= m"}};
    static const int64_t values[] = {1, 2, 3, 4, 5, 5, 100, 7, 64, 64};
    zlay_variant variant[4];
    zlay_variants *v = NULL;
    for (int i = 0; i < 4; i++) variant[i] = (zlay_variant){.guard = guards[i], .guards = 1, .cost = i % 2 ? "m" : "m + n"};
    zlay_variants_request r = {.size = sizeof r, .unknowns = 2, .unknown = names, .fact = facts, .facts = 2,
                               .shapes = 5, .value = values, .variant = variant, .variants = 4};
    (void)w;
    zlay_status status = zlay_variants_choose(ctx, &v, &r);
    assert_int_equal(!v, status != ZLAY_OK);
    zlay_variants_free(v);
    return status;
}

static zlay_status variants_of_gemm(zlay_ctx *ctx, const world *w)
{
    static const char *const names[] = {"m"};
    static const int64_t values[] = {1, 100, 4096};
    const zlay_gemm g = {.size = sizeof g, .n = 4096, .k = 512};
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v = NULL;
    zlay_variants_gemm r = {.size = sizeof r, .of = {1}, .gemm = &g, .shapes = {.size = sizeof r.shapes, .unknowns = 1,
                            .unknown = names, .shapes = 3, .value = values}};
    (void)w;
    zlay_status status = zlay_variants_gemm_choose(ctx, &v, choice, target_of("sm_90a"), &r);
    assert_int_equal(!v, status != ZLAY_OK);
    zlay_variants_free(v);
    return status;
}

static zlay_status descriptor(zlay_ctx *ctx, const world *w)
{
    zlay_layout *layout = NULL;
    zlay_smemdesc_operand o = {.desc = {.start = 1024, .lbo = 16, .sbo = 1024, .swizzle = 1},
                               .type = ZLAY_TYPE_BF16, .major = ZLAY_MAJOR_K, .mn = 64, .k = 16};
    (void)w;
    zlay_status status = zlay_smemdesc_layout(ctx, &layout, target_of("sm_90a"), &o);
    assert_int_equal(!layout, status != ZLAY_OK);
    zlay_layout_free(layout);
    return status;
}

static const struct row {
    const char *name;
    planner *plan;
    const char *a, *b;
} rows[] = {
    {"copy", copy, "(64,64):(4096,1)", "Sw<3,3,3> o 0 o (64,64):(64,1)"},
    {"copy, by points", copy, "{ [i] -> [(5i) mod 97] : 0 <= i < 90 }", "90:1"},
    {"tensormap", maps, "(512,512):(512,1)", NULL},
    {"tensormap, symbolic", maps, "(M,K):(ld,1)", NULL},
    {"transfer", transfer, "(64,32):(1,64)", "(64,32):(32,1)"},
    {"transfer, listed", transfer, "{ [i] -> [(5i) mod 97] : 0 <= i < 90 }", "90:1"},
    {"gemm", gemm, NULL, NULL},
    {"gemm of waves", gemm_of_waves, NULL, NULL},
    {"wave", wave, NULL, NULL},
    {"factor", factor, "(64,64):(64,1)", NULL},
    {"convert", convert, "(32,8):(8,1)", "(32,8):(1,32)"},
    {"convert, by points", convert, "{ [r,l] -> [3l + r] : 0 <= r < 3 and 0 <= l < 32 }",
     "{ [r,l] -> [l + 32r] : 0 <= r < 3 and 0 <= l < 32 }"},
    {"exchange", exchange,
     "f2{register: (1); lane: (2) (4) (8) (16) (32); warp:; block: (64) (128) -> dim0: 256}",
     "f2{register: (128); lane: (2) (4) (8) (16) (32); warp:; block: (64) (1) -> dim0: 256}"},
    {"multicast", multicast, NULL, NULL},
    {"tmem.pack", packing, NULL, NULL},
    {"places.find", placed, NULL, NULL},
    {"region.cover", ragged, NULL, NULL},
    {"tiling.cover", tiled, NULL, NULL},
    {"variants.choose", variants, NULL, NULL},
    {"variants.gemm", variants_of_gemm, NULL, NULL},
    {"smemdesc.layout", descriptor, NULL, NULL},
};

/* One plan under a limit, with a ctx of its own; false: there is none, and the limit is named. */
static bool planned(const struct row *row, const world *w, size_t limit, uint64_t most, bool as_one)
{
    char named[32];
    zlay_ctx *ctx = ctx_new();
    zlay_limits limits = {.size = sizeof limits};
    zl_limit_set(&limits, limit, most);
    assert_int_equal(zlay_ctx_set_limits(ctx, &limits), ZLAY_OK);
    if (as_one) zl_count_as_one(ctx);
    zlay_status status = row->plan(ctx, w);
    snprintf(named, sizeof named, "limits.%s is ", zlay_limit_nth(limit)->name);
    bool refused = status == ZLAY_ELIMIT && strstr(zlay_ctx_message(ctx), named);
    if (status && !refused)
        fail_msg("%s, %s%llu: %s, %s", row->name, named, (unsigned long long)most,
                 zlay_status_name(status), zlay_ctx_message(ctx));
    zlay_ctx_free(ctx);
    return !status;
}

/* The least limit under which there is a plan; a higher one refuses none. */
static uint64_t least(const struct row *row, const world *w, size_t limit, bool as_one)
{
    uint64_t few = 0, most = zlay_limit_nth(limit)->usual;
    assert_true(planned(row, w, limit, most, as_one));
    while (most - few > 1) {
        uint64_t half = few + (most - few) / 2;
        if (planned(row, w, limit, half, as_one)) most = half;
        else few = half;
    }
    return most;
}

static void world_of(world *w, zlay_ctx *ctx, const struct row *row)
{
    w->a = read_layout(ctx, row->a);
    w->b = read_layout(ctx, row->b);
}

static void world_end(world *w)
{
    zlay_layout_free(w->a);
    zlay_layout_free(w->b);
}

/* Also at each of 200 limits below the least one: a limit that ends a call at any of its steps. */
static void low_limits_are_named(zlay_ctx *ctx, size_t limit)
{
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        world w;
        world_of(&w, ctx, &rows[i]);
        uint64_t enough = least(&rows[i], &w, limit, false), step = enough / 200 + 1;
        assert_true(enough > 1);
        for (uint64_t most = 1; most < enough; most += step)
            if (planned(&rows[i], &w, limit, most, false))
                fail_msg("%s: a plan with %llu, and none with %llu", rows[i].name,
                         (unsigned long long)most, (unsigned long long)enough - 1);
        world_end(&w);
    }
}

static void low_work(void **state) { low_limits_are_named(*state, ZL_LIMIT_work); }
static void low_memory(void **state) { low_limits_are_named(*state, ZL_LIMIT_memory); }

static void work_is_of_the_public_call(void **state)
{
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        world w;
        world_of(&w, *state, &rows[i]);
        uint64_t own = least(&rows[i], &w, ZL_LIMIT_work, false);
        uint64_t all = least(&rows[i], &w, ZL_LIMIT_work, true);
        printf("%s: %llu steps\n", rows[i].name, (unsigned long long)own);
        if (own != all)
            fail_msg("%s: %llu steps, and %llu where all calls count as one", rows[i].name,
                     (unsigned long long)own, (unsigned long long)all);
        world_end(&w);
    }
}

/* With few points, and one operation of isl, there is the same plan or none; what is wrong is never the planner. */
static void few_points(void **state)
{
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        world w;
        world_of(&w, *state, &rows[i]);
        for (uint64_t points = 1; points <= 4096; points *= 2) {
            zlay_ctx *ctx = ctx_new();
            zlay_limits limits = {.size = sizeof limits, .points = points, .isl_ops = 1};
            assert_int_equal(zlay_ctx_set_limits(ctx, &limits), ZLAY_OK);
            zlay_status status = rows[i].plan(ctx, &w);
            const char *why = zlay_ctx_message(ctx);
            bool named = status == ZLAY_ELIMIT && (strstr(why, "points") || strstr(why, "isl_ops"));
            if (status && !named)
                fail_msg("%s, %llu points: %s, %s", rows[i].name, (unsigned long long)points,
                         zlay_status_name(status), why);
            zlay_ctx_free(ctx);
        }
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_work), cmocka_unit_test(low_memory),
        cmocka_unit_test(work_is_of_the_public_call), cmocka_unit_test(few_points)};
    return cmocka_run_group_tests(tests, begin, end);
}
