/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of GEMMs: wherever the selector takes one, the planner takes its choices, for sizes drawn from the
 * facts, beside the numbers of guards and at their ends; wherever the planner takes the request the selector has
 * a variant; costs are those of the planner; and what is refused. */
#include "base/base.h"
#include "ctx.h"
#include "heap.h"
#include "synth/gemm/plan.h"

#include <stdbool.h>

enum { CASES = 150, VALUES = 60, SHAPES = 6, UNKNOWNS = ZLAY_VARIANTS_SIZES };
static const char *const names[UNKNOWNS] = {"m", "n", "k", "lda", "ldb", "ldd"};

typedef struct world {
    zlay_gemm gemm;
    int64_t value[SHAPES * UNKNOWNS];
    char text[8][64];
    const char *fact[8];
    int size[UNKNOWNS]; /* of an unknown */
    zlay_variants_gemm r;
} world;

static uint64_t *field_of(zlay_gemm *g, int size)
{
    uint64_t *const field[] = {&g->m, &g->n, &g->k, &g->lda, &g->ldb, &g->ldd};
    return field[size];
}

static zlay_gemm with(const world *w, const zlay_gemm *base, const int64_t *x)
{
    zlay_gemm g = *base;
    for (uint32_t i = 0; i < w->r.shapes.unknowns; i++) *field_of(&g, w->size[i]) = (uint64_t)x[i];
    return g;
}

static zlay_status weigh(zlay_ctx *ctx, const zlay_gemm *g, uint64_t *time)
{
    zl_gemm_weight weight = {.time = 0};
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    zlay_status status = zl_leave(ctx, zl_gemm_weigh(ctx, &weight, target_of("sm_90a"), g));
    *time = weight.time;
    return status;
}

/* ---- requests ------------------------------------------------------------------------------------ */

static int64_t extent(uint64_t *seed)
{
    int64_t by = (int64_t)1 << test_range(seed, 0, 8), most = (int64_t)1 << test_range(seed, 0, 14);
    int64_t size = test_range(seed, 1, most) * (test_range(seed, 0, 1) ? by : 1);
    return size > 1 << 20 ? 1 << 20 : size;
}

static void draw_types(zlay_gemm *g, uint64_t *seed)
{
    static const int32_t types[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_F16, ZLAY_TYPE_TF32, ZLAY_TYPE_E4M3, ZLAY_TYPE_S8};
    g->type = types[test_range(seed, 0, 4)];
    bool any = g->type == ZLAY_TYPE_BF16 || g->type == ZLAY_TYPE_F16;
    if (any) g->a_order = (int32_t)test_range(seed, 0, 2), g->b_order = (int32_t)test_range(seed, 0, 2);
    g->d_order = test_range(seed, 0, 3) ? 0 : ZLAY_ORDER_COLUMN;
    g->swap = (int32_t)test_range(seed, 0, 1);
    g->stream_k = (int32_t)test_range(seed, 0, 1);
    if (any && !test_range(seed, 0, 5)) g->d_type = ZLAY_TYPE_F32;
}

/* The size that is contiguous in an operand. */
static int inner_of(const zlay_gemm *g, int operand)
{
    if (operand == ZLAY_OPERAND_A) return g->a_order == ZLAY_ORDER_COLUMN ? ZLAY_VARIANTS_M : ZLAY_VARIANTS_K;
    if (operand == ZLAY_OPERAND_B) return g->b_order == ZLAY_ORDER_ROW ? ZLAY_VARIANTS_N : ZLAY_VARIANTS_K;
    return g->d_order == ZLAY_ORDER_COLUMN ? ZLAY_VARIANTS_M : ZLAY_VARIANTS_N;
}

/* Sizes of one shape, those that are known as they are; leading dimensions that are said are no less than a row. */
static void draw_shape(const world *w, zlay_gemm *g, const bool *said, uint64_t *seed)
{
    zlay_gemm known = w->gemm;
    for (int size = 0; size < 3; size++) *field_of(g, size) = *field_of(&known, size) ? *field_of(&known, size) : (uint64_t)extent(seed);
    for (int o = 0; o < 3; o++) {
        uint64_t inner = *field_of(g, inner_of(&w->gemm, o)), more = test_range(seed, 0, 1) ? (uint64_t)test_range(seed, 0, 40) : 8 * (uint64_t)test_range(seed, 0, 5) + (16 - inner % 16) % 16;
        *field_of(g, ZLAY_VARIANTS_LDA + o) = said[ZLAY_VARIANTS_LDA + o] ? inner + more : 0;
    }
}

static void draw(world *w, uint64_t *seed)
{
    bool said[UNKNOWNS] = {true, true, true}, unknown[UNKNOWNS];
    uint32_t count = 0;
    *w = (world){.gemm = {.size = sizeof w->gemm}, .r = {.size = sizeof w->r}};
    draw_types(&w->gemm, seed);
    for (int size = 0; size < UNKNOWNS; size++) {
        if (size > 2) said[size] = test_range(seed, 0, 1);
        unknown[size] = said[size] && test_range(seed, 0, 1);
    }
    if (!unknown[1] && !unknown[2]) unknown[0] = true;
    for (int o = 0; o < 3; o++) unknown[ZLAY_VARIANTS_LDA + o] = said[ZLAY_VARIANTS_LDA + o] && (unknown[ZLAY_VARIANTS_LDA + o] || unknown[inner_of(&w->gemm, o)]);
    zlay_gemm first = {0}, g;
    draw_shape(w, &first, said, seed);
    for (int size = 0; size < UNKNOWNS; size++) {
        if (!unknown[size]) *field_of(&w->gemm, size) = *field_of(&first, size);
        else w->size[count] = size, w->r.of[size] = ++count;
    }
    zlay_variants_request *s = &w->r.shapes;
    *s = (zlay_variants_request){.size = sizeof *s, .unknowns = count, .shapes = (uint32_t)test_range(seed, 1, SHAPES), .value = w->value};
    static const char *list[UNKNOWNS];
    for (uint32_t i = 0; i < count; i++) list[i] = names[w->size[i]];
    s->unknown = list;
    for (uint32_t i = 0; i < s->shapes; i++) {
        draw_shape(w, &g, said, seed);
        for (uint32_t u = 0; u < count; u++) w->value[i * count + u] = (int64_t)*field_of(&g, w->size[u]);
    }
    for (uint32_t u = 0; u < count; u++) {
        if (!test_range(seed, 0, 2)) continue;
        sprintf(w->text[s->facts], "%s <= %lld", list[u], (long long)1 << test_range(seed, 21, 22));
        w->fact[s->facts] = w->text[s->facts], s->facts++;
    }
    s->fact = w->fact;
    s->by = (int32_t)test_range(seed, 0, 1) * ZLAY_VARIANTS_PERCENT;
    s->bound = s->by ? (uint64_t)test_range(seed, 0, 30) : 0;
    w->r.gemm = &w->gemm;
}

/* ---- what holds of the answer -------------------------------------------------------------------- */

static int64_t beside(const world *w, uint32_t u, uint64_t *seed)
{
    static const int64_t ends[] = {1, 7168, 4096, 65536, 1 << 20, 1 << 21, INT32_MAX - 255, (int64_t)1 << 32, ((int64_t)1 << 39) - 8};
    int64_t at = w->value[(uint32_t)test_range(seed, 0, w->r.shapes.shapes - 1) * w->r.shapes.unknowns + u];
    if (!test_range(seed, 0, 3)) at = ends[test_range(seed, 0, 8)];
    if (!test_range(seed, 0, 3)) at = extent(seed);
    at += test_range(seed, 0, 2) ? 8 * test_range(seed, 0, 2) : test_range(seed, -1, 1);
    return at;
}

typedef struct counted {
    uint64_t chosen, several, taken, small;
} counted;

/* What no plan can pass: the facts of the request hold of small sizes. */
static bool is_small(const zlay_gemm *g)
{
    const uint64_t most = 1 << 20;
    return g->m <= most / 8 && g->n <= most / 8 && g->k <= most && g->lda <= most && g->ldb <= most && g->ldd <= most;
}

static void check_values(zlay_ctx *ctx, const world *w, const zlay_variants *v, const zlay_gemm *choice, uint64_t *seed, counted *seen)
{
    int64_t x[UNKNOWNS];
    uint64_t time;
    for (int n = 0; n < VALUES; n++) {
        for (uint32_t u = 0; u < w->r.shapes.unknowns; u++) x[u] = beside(w, u, seed);
        int32_t i = zlay_variants_select(v, x);
        bool positive = true;
        for (uint32_t u = 0; u < w->r.shapes.unknowns; u++) positive = positive && x[u] > 0;
        zlay_gemm g = with(w, i < 0 ? &w->gemm : &choice[i], x);
        if (!positive) assert_int_equal(i, -1);
        else if (i >= 0) {
            if (weigh(ctx, &g, &time))
                fail_msg("%s: m %llu n %llu k %llu lda %llu ldb %llu ldd %llu, tile %u %u %u, swap %d, stream %d", zlay_ctx_message(ctx),
                         (unsigned long long)g.m, (unsigned long long)g.n, (unsigned long long)g.k, (unsigned long long)g.lda,
                         (unsigned long long)g.ldb, (unsigned long long)g.ldd, g.tile_m, g.tile_n, g.tile_k, g.swap, g.stream_k);
            seen->taken++;
        } else if (is_small(&g)) {
            assert_int_not_equal(weigh(ctx, &g, &time), ZLAY_OK);
            seen->small++;
        }
    }
}

static void test_choices(void **state)
{
    uint64_t seed = test_seed("synth/variants/gemm"), cases = test_cases(CASES);
    counted seen = {0};
    static world w;
    for (uint64_t n = 0; n < cases; n++) {
        zlay_gemm choice[ZLAY_VARIANTS_MOST];
        zlay_variants *v;
        zlay_variants_summary s;
        draw(&w, &seed);
        zlay_status status = zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_90a"), &w.r);
        if (status == ZLAY_NONE && strstr(zlay_ctx_message(*state), "variants cost at least")) continue; /* the bound is low */
        if (status) fail_msg("case %llu: %s", (unsigned long long)n, zlay_ctx_message(*state));
        zlay_variants_info(&s, v);
        seen.chosen++;
        seen.several += s.count > 1;
        check_values(*state, &w, v, choice, &seed, &seen);
        zlay_variants_free(v);
    }
    printf("%llu choices, %llu of several variants; the planner took %llu sizes, and none of %llu that have no variant\n", (unsigned long long)seen.chosen,
           (unsigned long long)seen.several, (unsigned long long)seen.taken, (unsigned long long)seen.small);
    assert_true(seen.several * 4 > cases && seen.taken > cases * VALUES / 4 && seen.small > cases / 4);
}

/* ---- one by hand --------------------------------------------------------------------------------- */

static const char *const m_name[] = {"m"}, *const two_names[] = {"m", "lda"};
static const int64_t rows[] = {1, 64, 100, 4096};

static zlay_variants_gemm rows_unknown(const zlay_gemm *g)
{
    return (zlay_variants_gemm){.size = sizeof(zlay_variants_gemm), .of = {1}, .gemm = g,
                                .shapes = {.size = sizeof(zlay_variants_request), .unknowns = 1, .unknown = m_name, .shapes = 4, .value = rows}};
}

/* Every row is aligned, so that a shape costs what the planner says of it with the choices of its variant. */
static void test_costs(void **state)
{
    const zlay_gemm g = {.size = sizeof g, .n = 4096, .k = 7168, .swap = ZLAY_SWAP_AUTO, .stream_k = ZLAY_STREAM_AUTO};
    zlay_variants_gemm r = rows_unknown(&g);
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v;
    zlay_variants_summary s;
    uint64_t sum = 0, time;
    assert_int_equal(zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_90a"), &r), ZLAY_OK);
    zlay_variants_info(&s, v);
    for (int i = 0; i < 4; i++) {
        int32_t at = zlay_variants_select(v, &rows[i]);
        assert_true(at >= 0 && choice[at].m == 0 && choice[at].tile_m && choice[at].swap != ZLAY_SWAP_AUTO);
        choice[at].m = (uint64_t)rows[i];
        assert_int_equal(weigh(*state, &choice[at], &time), ZLAY_OK);
        choice[at].m = 0;
        sum += time;
    }
    assert_int_equal(sum, s.cost);
    assert_true(s.count > 1 && s.cost >= s.cheapest && s.fewer > s.cost);
    zlay_variants_free(v);
}

/* Rows of 2 bytes more are no rows of tensor copies: the guard says so. */
static void test_alignment(void **state)
{
    static const int64_t pairs[] = {4096, 7168, 4096, 7176, 4096, 7169};
    const zlay_gemm g = {.size = sizeof g, .n = 4096, .k = 7168};
    zlay_variants_gemm r = {.size = sizeof r, .of = {1, 0, 0, 2}, .gemm = &g, .shapes = {.size = sizeof r.shapes, .unknowns = 2, .unknown = two_names, .shapes = 3, .value = pairs}};
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v;
    char text[200];
    zlay_buf buf = {text, sizeof text, 0};
    bool said = false;
    assert_int_equal(zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_90a"), &r), ZLAY_OK);
    for (uint32_t i = 0; !zlay_variants_fact(&buf, v, 0, i); i++) said = said || !strcmp(text, "lda % 8 == 0");
    assert_true(said);
    assert_int_equal(zlay_variants_select(v, pairs), 0);
    assert_int_equal(zlay_variants_select(v, pairs + 2), 0);
    assert_int_equal(zlay_variants_select(v, pairs + 4), 1);
    assert_int_equal(zlay_variants_fact(&buf, v, 9, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_variants_fact(&buf, v, 1, 99), ZLAY_NONE);
    assert_int_equal(zlay_variants_fact(NULL, v, 1, 0), ZLAY_EINVAL);
    zlay_variants_free(v);
}

/* One unknown; what the selector takes at a value is taken by the planner, or `none` says that there is nothing. */
static void check_at(zlay_ctx *ctx, const zlay_variants *v, const zlay_gemm *choice, int size, int64_t value, bool none)
{
    int32_t i = zlay_variants_select(v, &value);
    uint64_t time;
    assert_int_equal(i < 0, none);
    if (none) return;
    zlay_gemm g = choice[i];
    *field_of(&g, size) = (uint64_t)value;
    if (weigh(ctx, &g, &time)) fail_msg("%lld: %s", (long long)value, zlay_ctx_message(ctx));
}

/* Few rows are what the service has most, so that their tile alone would be within the bound, and it has too many tiles. */
static void test_tiles(void **state)
{
    static const int64_t few[] = {8, 100000}, ends[] = {1, 8, 9, 1 << 20, 268435448, 268435456, 1 << 30, INT32_MAX - 255};
    static const uint64_t weights[] = {100000, 1};
    const zlay_gemm g = {.size = sizeof g, .n = 4096, .k = 64, .swap = ZLAY_SWAP_AUTO};
    zlay_variants_gemm r = rows_unknown(&g);
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v;
    r.shapes.value = few, r.shapes.weight = weights, r.shapes.shapes = 2, r.shapes.by = ZLAY_VARIANTS_PERCENT, r.shapes.bound = 100000;
    assert_int_equal(zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_90a"), &r), ZLAY_OK);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) check_at(*state, v, choice, ZLAY_VARIANTS_M, ends[i], false);
    check_at(*state, v, choice, ZLAY_VARIANTS_M, (int64_t)INT32_MAX - 254, true);
    zlay_variants_free(v);
}

/* Stream-K needs two steps of K; without facts about K there is a plan for one. */
static void test_one_step(void **state)
{
    static const int64_t deep[] = {25600};
    const zlay_gemm g = {.size = sizeof g, .m = 2048, .n = 5120, .lda = 1 << 20, .ldb = 1 << 20, .stream_k = ZLAY_STREAM_AUTO};
    zlay_variants_gemm r = {.size = sizeof r, .of = {0, 0, 1}, .gemm = &g, .shapes = {.size = sizeof r.shapes, .unknowns = 1, .unknown = names + 2, .shapes = 1, .value = deep}};
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v;
    if (zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_90a"), &r)) fail_msg("%s", zlay_ctx_message(*state));
    assert_true(choice[zlay_variants_select(v, deep)].stream_k == ZLAY_STREAM_ALWAYS);
    check_at(*state, v, choice, ZLAY_VARIANTS_K, 1, false);
    check_at(*state, v, choice, ZLAY_VARIANTS_K, 64, false);
    check_at(*state, v, choice, ZLAY_VARIANTS_K, 65, false);
    check_at(*state, v, choice, ZLAY_VARIANTS_K, 1 << 20, false);
    check_at(*state, v, choice, ZLAY_VARIANTS_K, (1 << 20) + 1, true); /* a row would pass its pitch */
    zlay_variants_free(v);
}

/* A matrix of 2^64 bytes is none. */
static void test_bytes(void **state)
{
    static const int64_t one[] = {7168};
    const zlay_gemm g = {.size = sizeof g, .m = INT32_MAX - 255, .n = 64, .k = 64};
    zlay_variants_gemm r = {.size = sizeof r, .of = {0, 0, 0, 1}, .gemm = &g, .shapes = {.size = sizeof r.shapes, .unknowns = 1, .unknown = names + 3, .shapes = 1, .value = one}};
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v;
    if (zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_90a"), &r)) fail_msg("%s", zlay_ctx_message(*state));
    check_at(*state, v, choice, ZLAY_VARIANTS_LDA, 64, false);
    check_at(*state, v, choice, ZLAY_VARIANTS_LDA, 63, true);
    check_at(*state, v, choice, ZLAY_VARIANTS_LDA, (int64_t)1 << 32, false);
    check_at(*state, v, choice, ZLAY_VARIANTS_LDA, ((int64_t)1 << 32) + 1024, true);
    zlay_variants_free(v);
}

/* Tensor stores write whole 16 bytes of a row of D, whatever its pitch. */
static void test_columns(void **state)
{
    static const int64_t columns[] = {4096, 4090};
    const zlay_gemm g = {.size = sizeof g, .m = 4096, .k = 4096, .ldd = 8192};
    zlay_variants_gemm r = {.size = sizeof r, .of = {0, 1}, .gemm = &g, .shapes = {.size = sizeof r.shapes, .unknowns = 1, .unknown = names + 1, .shapes = 2, .value = columns}};
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v;
    char text[200];
    zlay_buf buf = {text, sizeof text, 0};
    bool said = false;
    if (zlay_variants_gemm_choose(*state, &v, choice, target_of("sm_90a"), &r)) fail_msg("%s", zlay_ctx_message(*state));
    for (uint32_t i = 0; !zlay_variants_fact(&buf, v, 0, i); i++) said = said || !strcmp(text, "n % 8 == 0");
    assert_true(said);
    assert_int_equal(zlay_variants_select(v, columns), 0);
    assert_int_equal(zlay_variants_select(v, columns + 1), 1);
    zlay_variants_free(v);
}

static void refuse(zlay_ctx *ctx, const zlay_variants_gemm *r, const char *target, zlay_status want, const char *says)
{
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v = (zlay_variants *)1;
    zlay_status status = zlay_variants_gemm_choose(ctx, &v, choice, target_of(target), r);
    if (status != want || !strstr(zlay_ctx_message(ctx), says)) fail_msg("%s: %s, not %s", zlay_status_name(status), zlay_ctx_message(ctx), says);
    assert_null(v);
}

static void test_refused(void **state)
{
    static const char *const low[] = {"m <= 64"}, *const none[] = {NULL};
    const zlay_gemm good = {.size = sizeof good, .n = 4096, .k = 7168};
    zlay_gemm g = good;
    zlay_variants_gemm r = rows_unknown(&g);
    refuse(*state, &r, "sm_100a", ZLAY_ENOTSUP, "target: sm_100a");
    refuse(*state, &r, "gfx942", ZLAY_ENOTSUP, "target: gfx942");
    g.a_scales = 1, refuse(*state, &r, "sm_90a", ZLAY_ENOTSUP, "a_scales:"), g = good;
    g.groups = 4, refuse(*state, &r, "sm_90a", ZLAY_ENOTSUP, "groups:"), g = good;
    g.repack = 1, refuse(*state, &r, "sm_90a", ZLAY_ENOTSUP, "repack:"), g = good;
    g.multicast = 1, refuse(*state, &r, "sm_90a", ZLAY_ENOTSUP, "multicast:"), g = good;
    g.m = 5, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "m: it is a number and an unknown"), g = good;
    g.n = 0, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "n: it is 0"), g = good;
    g.n = (uint64_t)1 << 41, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "n: "), g = good;
    g.lda = 7000, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "lda: 7000"), g = good;
    g.tile_m = 65, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "tile_m: 65"), g = good;
    g.type = 99, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, ""), g = good;
    g.size = 0, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "gemm: "), g = good;
    r.of[1] = 2, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "n: there is no unknown 2"), r = rows_unknown(&g);
    r.shapes.variants = 1, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "variants: "), r = rows_unknown(&g);
    r.shapes.shapes = 0, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "shapes: "), r = rows_unknown(&g);
    r.shapes.facts = 1, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "facts is NULL");
    r.shapes.fact = none, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "facts[0] is NULL");
    r.shapes.fact = low, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "shapes[2]: the facts do not hold"), r = rows_unknown(&g);
    r.cost = 9, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "cost: 9"), r = rows_unknown(&g);
    r.gemm = NULL, refuse(*state, &r, "sm_90a", ZLAY_EINVAL, "gemm: ");
    zlay_variants *v;
    assert_int_equal(zlay_variants_gemm_choose(*state, &v, NULL, target_of("sm_90a"), &r), ZLAY_EINVAL);
}

static zlay_status choose_and_free(zlay_ctx *ctx, void *r)
{
    zlay_gemm choice[ZLAY_VARIANTS_MOST];
    zlay_variants *v = NULL;
    zlay_status status = zlay_variants_gemm_choose(ctx, &v, choice, target_of("sm_90a"), r);
    zlay_variants_free(v);
    return status;
}

static void test_memory(void **state)
{
    const zlay_gemm g = {.size = sizeof g, .n = 64, .k = 64};
    zlay_variants_gemm r = rows_unknown(&g);
    heap h;
    (void)state;
    r.shapes.shapes = 1;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, choose_and_free, &r), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choices), cmocka_unit_test(test_costs), cmocka_unit_test(test_alignment),
                                       cmocka_unit_test(test_tiles), cmocka_unit_test(test_one_step), cmocka_unit_test(test_bytes), cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, begin, end);
}
