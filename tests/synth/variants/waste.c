/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of GEMMs by waste, on targets of each way to multiply: wherever the selector takes one, the planner takes its
 * choices; a shape costs what its tile, counted here, computes beside D; and no tile that the planner takes wastes less than
 * the cheapest. Modelled times are no less than memory takes. */
#include "base/base.h"
#include "ctx.h"
#include "random.h"
#include "synth/gemm/plan.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 40, VALUES = 40, SHAPES = 4, UNKNOWNS = 4, COPY_RATE = 4206 /* src/synth/gemm/times.def */ };
static const char *const targets[] = {"sm_90a", "sm_80", "sm_100a", "gfx942"};
static const char *const names[UNKNOWNS] = {"m", "n", "k", "lda"};

typedef struct world {
    const char *target;
    bool waves;
    zlay_gemm gemm;
    int64_t value[SHAPES * UNKNOWNS];
    char text[UNKNOWNS][64];
    const char *fact[UNKNOWNS], *unknown[UNKNOWNS];
    int size[UNKNOWNS];
    zlay_variants_gemm r;
} world;

static uint64_t *field_of(zlay_gemm *g, int size)
{
    uint64_t *const field[] = {&g->m, &g->n, &g->k, &g->lda};
    return field[size];
}

static zlay_gemm with(const world *w, const zlay_gemm *base, const int64_t *x)
{
    zlay_gemm g = *base;
    for (uint32_t i = 0; i < w->r.shapes.unknowns; i++) *field_of(&g, w->size[i]) = (uint64_t)x[i];
    return g;
}

static zlay_status weigh(zlay_ctx *ctx, const world *w, const zlay_gemm *g, zlay_plan_summary *info, uint64_t *time)
{
    zl_gemm_weight weight = {.time = 0};
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    zlay_status status = zl_leave(ctx, zl_gemm_weigh(ctx, &weight, target_of(w->target), g));
    *info = weight.info;
    *time = weight.time;
    return status;
}

static uint64_t padded(uint64_t size, uint64_t tile) { return (size + tile - 1) / tile * tile; }

/* The planned product of a swapped request, and of one whose columns of D are contiguous, is the transposed one. */
static uint64_t waste_of(const zlay_gemm *g, const zlay_gemm *tile, uint32_t tile_k)
{
    bool turned = (tile->swap == ZLAY_SWAP_ALWAYS) != (g->d_order == ZLAY_ORDER_COLUMN);
    uint64_t high = padded(turned ? g->n : g->m, tile->tile_m), wide = padded(turned ? g->m : g->n, tile->tile_n);
    return high * wide * padded(g->k, tile_k) - g->m * g->n * g->k;
}

/* The steps of K that the planner takes with a tile, for any of the shapes. */
static size_t steps_of(zlay_ctx *ctx, const world *w, const zlay_gemm *tile, uint32_t *step)
{
    zlay_plan_summary info;
    uint64_t time;
    size_t count = 0;
    for (uint32_t n = 0; n < w->r.shapes.shapes; n++) {
        zlay_gemm g = with(w, tile, w->value + n * w->r.shapes.unknowns);
        if (!weigh(ctx, w, &g, &info, &time)) step[count++] = info.tile_k;
    }
    return count;
}

/* The least waste of a shape over all tiles; UINT64_MAX: the planner takes none. */
static uint64_t least_of(zlay_ctx *ctx, const world *w, const int64_t *x)
{
    zlay_plan_summary info;
    uint64_t least = UINT64_MAX, time;
    uint32_t step[SHAPES];
    for (int i = 0; i < 2 * 3 * 32; i++) {
        zlay_gemm tile = w->gemm;
        tile.tile_m = 64u << i / 2 % 3, tile.tile_n = 8 * (1 + (uint32_t)i / 6), tile.swap = i % 2 ? ZLAY_SWAP_ALWAYS : ZLAY_SWAP_NEVER;
        for (size_t n = steps_of(ctx, w, &tile, step); n-- > 0;) {
            zlay_gemm g = with(w, &tile, x);
            g.tile_k = step[n];
            if (weigh(ctx, w, &g, &info, &time)) continue;
            uint64_t waste = waste_of(&g, &g, step[n]);
            if (waste < least) least = waste;
        }
    }
    return least;
}

/* ---- requests ---------------------------------------------------------------------------------- */

static int64_t extent(uint64_t *seed, bool whole)
{
    int64_t size = test_range(seed, 1, (int64_t)1 << test_range(seed, 3, 13));
    return whole ? size * 16 : size;
}

static void draw(world *w, uint64_t *seed)
{
    bool unknown[UNKNOWNS];
    zlay_variants_request *s = &w->r.shapes;
    *w = (world){.target = targets[test_range(seed, 0, 3)], .gemm = {.size = sizeof w->gemm}, .r = {.size = sizeof w->r, .cost = ZLAY_VARIANTS_WASTE}};
    w->waves = !strncmp(w->target, "gfx", 3);
    static const int32_t types[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_F16, ZLAY_TYPE_S8};
    w->gemm.type = types[test_range(seed, 0, strcmp(w->target, "sm_100a") ? 2 : 1)];
    w->gemm.d_order = test_range(seed, 0, 3) ? 0 : ZLAY_ORDER_COLUMN;
    w->gemm.swap = !strcmp(w->target, "sm_90a") ? ZLAY_SWAP_AUTO : ZLAY_SWAP_NEVER;
    for (int i = 0; i < UNKNOWNS; i++) unknown[i] = test_range(seed, 0, 1);
    if (unknown[2]) unknown[3] = true; /* rows of A end with K */
    if (!unknown[0] && !unknown[1] && !unknown[2]) unknown[1] = true;
    int64_t known[UNKNOWNS];
    for (int i = 0; i < 3; i++) known[i] = extent(seed, w->waves && i == 2);
    known[3] = known[2] + 16 * test_range(seed, 0, 9);
    for (int i = 0; i < UNKNOWNS; i++) {
        if (!unknown[i]) *field_of(&w->gemm, i) = (uint64_t)known[i];
        else w->unknown[s->unknowns] = names[i], w->size[s->unknowns] = i, w->r.of[i] = ++s->unknowns;
        bool whole = w->waves && i >= 2;
        if (!unknown[i] || (!whole && test_range(seed, 0, 1))) continue;
        snprintf(w->text[s->facts], sizeof w->text[0], whole ? "%s %% 8 == 0" : "%s <= 1048576", names[i]);
        w->fact[s->facts] = w->text[s->facts], s->facts++;
    }
    s->size = sizeof *s, s->unknown = w->unknown, s->fact = w->fact, s->value = w->value;
    s->shapes = (uint32_t)test_range(seed, 1, SHAPES);
    for (uint32_t n = 0; n < s->shapes; n++) {
        int64_t x[UNKNOWNS];
        for (int i = 0; i < 3; i++) x[i] = unknown[i] ? extent(seed, w->waves && i == 2) : known[i];
        x[3] = unknown[3] ? x[2] + 16 * test_range(seed, 0, 9) : known[3];
        for (uint32_t u = 0; u < s->unknowns; u++) w->value[n * s->unknowns + u] = x[w->size[u]];
    }
    s->by = (int32_t)test_range(seed, 0, 1) * ZLAY_VARIANTS_PERCENT;
    s->bound = s->by ? (uint64_t)test_range(seed, 0, 100) : 0;
    w->r.gemm = &w->gemm;
}

/* ---- the answer -------------------------------------------------------------------------------- */

typedef struct counted {
    uint64_t chosen, several, taken, outside;
} counted;

static void check_costs(zlay_ctx *ctx, const world *w, const zlay_variants *v, const zlay_gemm *choice)
{
    zlay_variants_summary s;
    uint64_t cost = 0, cheapest = 0;
    zlay_variants_info(&s, v);
    for (uint32_t n = 0; n < w->r.shapes.shapes; n++) {
        const int64_t *x = w->value + n * w->r.shapes.unknowns;
        int32_t i = zlay_variants_select(v, x);
        assert_true(i >= 0 && i < (int32_t)s.count);
        zlay_gemm g = with(w, &choice[i], x);
        cost += waste_of(&g, &choice[i], choice[i].tile_k);
        cheapest += least_of(ctx, w, x);
    }
    assert_int_equal(s.unit, ZLAY_VARIANTS_MADDS);
    assert_int_equal(s.cost, cost);
    assert_int_equal(s.cheapest, cheapest);
}

static void check_values(zlay_ctx *ctx, const world *w, const zlay_variants *v, const zlay_gemm *choice, uint64_t *seed, counted *seen)
{
    static const int64_t ends[] = {1, 8, 65536, 1 << 20, 1 << 22, 1 << 24, INT32_MAX - 255, (int64_t)1 << 33};
    uint32_t unknowns = w->r.shapes.unknowns;
    for (int n = 0; n < VALUES; n++) {
        int64_t x[UNKNOWNS];
        zlay_plan_summary info;
        uint64_t time;
        const int64_t *near = w->value + (uint32_t)test_range(seed, 0, w->r.shapes.shapes - 1) * unknowns;
        for (uint32_t u = 0; u < unknowns; u++) x[u] = (test_range(seed, 0, 2) ? near[u] : ends[test_range(seed, 0, 7)]) + test_range(seed, -1, 1) * (test_range(seed, 0, 1) ? 8 : 1);
        int32_t i = zlay_variants_select(v, x);
        seen->outside += i < 0;
        if (i < 0) continue;
        zlay_gemm g = with(w, &choice[i], x);
        if (weigh(ctx, w, &g, &info, &time))
            fail_msg("%s, %s: m %llu n %llu k %llu lda %llu, tile %u %u %u, swap %d", w->target, zlay_ctx_message(ctx), (unsigned long long)g.m,
                     (unsigned long long)g.n, (unsigned long long)g.k, (unsigned long long)g.lda, g.tile_m, g.tile_n, g.tile_k, g.swap);
        seen->taken++;
    }
}

static void test_choices(void **state)
{
    uint64_t seed = test_seed("synth/variants/waste"), cases = test_cases(CASES);
    counted seen = {0};
    static world w;
    for (uint64_t n = 0; n < cases; n++) {
        zlay_gemm choice[ZLAY_VARIANTS_MOST];
        zlay_variants *v;
        zlay_variants_summary s;
        draw(&w, &seed);
        zlay_status status = zlay_variants_gemm_choose(*state, &v, choice, target_of(w.target), &w.r);
        if (status == ZLAY_NONE && strstr(zlay_ctx_message(*state), "variants cost at least")) continue; /* the bound is low */
        if (status) fail_msg("case %llu, %s: %s", (unsigned long long)n, w.target, zlay_ctx_message(*state));
        zlay_variants_info(&s, v);
        seen.chosen++, seen.several += s.count > 1;
        check_costs(*state, &w, v, choice);
        check_values(*state, &w, v, choice, &seed, &seen);
        zlay_variants_free(v);
    }
    printf("%llu choices, %llu of several variants; the planner took %llu sizes, and %llu have no variant\n", (unsigned long long)seen.chosen,
           (unsigned long long)seen.several, (unsigned long long)seen.taken, (unsigned long long)seen.outside);
    assert_true(seen.several * 10 > cases && seen.taken > cases * VALUES / 4 && seen.outside > cases);
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* A product of few rows reads all of B: it takes no less than that and not much more, and a large product more. */
static void test_memory_time(void **state)
{
    static const int64_t few[] = {1, 16, 64}, many[] = {8192};
    const zlay_gemm g = {.size = sizeof g, .n = 16384, .k = 16384, .swap = ZLAY_SWAP_AUTO};
    static const char *const m[] = {"m"};
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v;
    zlay_variants_summary s;
    uint64_t sum = 0;
    zlay_variants_gemm r = {.size = sizeof r, .of = {1}, .gemm = &g,
                            .shapes = {.size = sizeof r.shapes, .unknowns = 1, .unknown = m, .shapes = 3, .value = few}};
    for (int i = 0; i < 3; i++) sum += 2 * (16384ull * 16384 + 2 * 16384ull * (uint64_t)few[i]) / COPY_RATE;
    assert_int_equal(zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_90a"), &r), ZLAY_OK);
    zlay_variants_info(&s, v);
    assert_int_equal(s.unit, ZLAY_VARIANTS_NS);
    assert_true(s.cost >= sum && s.cost < sum + sum / 4);
    assert_true(s.count <= 3);
    zlay_variants_free(v);
    r.shapes.value = many, r.shapes.shapes = 1;
    assert_int_equal(zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_90a"), &r), ZLAY_OK);
    zlay_variants_info(&s, v);
    assert_true(s.cost > 4 * (2 * (16384ull * 16384 + 2 * 16384ull * 8192) / COPY_RATE));
    zlay_variants_free(v);
}

static void test_refused(void **state)
{
    static const int64_t odd[] = {7};
    static const char *const k[] = {"k"};
    const zlay_gemm g = {.size = sizeof g, .m = 64, .n = 64}, short_rows = {.size = sizeof g, .m = 64, .k = 7};
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v;
    zlay_variants_gemm r = {.size = sizeof r, .of = {0, 0, 1}, .cost = ZLAY_VARIANTS_WASTE, .gemm = &g,
                            .shapes = {.size = sizeof r.shapes, .unknowns = 1, .unknown = k, .shapes = 1, .value = odd}};
    assert_int_equal(zlay_variants_gemm_choose(*state, &v, choice, target_of("gfx942"), &r), ZLAY_EINVAL); /* rows of 14 bytes */
    assert_non_null(strstr(zlay_ctx_message(*state), "shapes[0]: the facts do not hold of it, or no plan takes it"));
    r.of[1] = 1, r.of[2] = 0, r.gemm = &short_rows;
    assert_int_equal(zlay_variants_gemm_choose(*state, &v, choice, target_of("gfx942"), &r), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "the planner takes none"));
    r.cost = 2;
    assert_int_equal(zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_80"), &r), ZLAY_EINVAL);
    assert_non_null(strstr(zlay_ctx_message(*state), "cost: 2"));
    r.cost = ZLAY_VARIANTS_TIME;
    assert_int_equal(zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_80"), &r), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(*state), "target: sm_80; times were measured"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choices), cmocka_unit_test(test_memory_time), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, begin, end);
}
