/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of loads of a tile against a model that shares no code with them. Matrices (M,K):(ld,1) of elements of 2 or 4 bytes,
 * tiles of rows of whole 16 bytes, facts drawn. The model says by the manual which copies there are: a tensor copy where 16
 * divides the pitch's bytes, one instruction a tile; cp.async of 4, 8 and 16 bytes where they divide the pitch and the row, 32
 * of them an instruction; loads and stores of an element, two instructions for 32 elements; and threads none of strong edges
 * but in tensors of whole tiles. Every ordered list of these is tried on every value of the unknowns; the answer has to be the
 * fewest, of the least cost, and the selector total and exclusive; each move is of the kind that its guard makes legal. */
#include "ctx.h"
#include "heap.h"
#include "random.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 120, SHAPES = 5, KINDS = 4, TENSOR = 0 };
static const char *const names[] = {"M", "K", "ld"};

typedef struct world {
    bool tma, strong, related;
    uint32_t element, tile[2], modulo[3];
    int64_t high[3], value[SHAPES * 3];
    uint64_t weight[SHAPES];
    char text[7][64];
    const char *fact[7];
    zlay_layout *source, *smem;
    zlay_tensormap_request map;
    zlay_variants_tile r;
} world;

/* ---- the model --------------------------------------------------------------------------------- */

/* Bytes of an access: 16, 8, .. an element's; 0 of the tensor copy and past an element's. */
static uint32_t width_of(const world *w, int kind)
{
    uint32_t width = kind == TENSOR ? 0 : 32u >> kind;
    return width < w->element ? 0 : width;
}

static bool exists(const world *w, int kind) { return kind == TENSOR ? w->tma : width_of(w, kind) != 0; }

static bool in_domain(const world *w, const int64_t *x)
{
    for (int i = 0; i < 3; i++)
        if (x[i] < 1 || x[i] > w->high[i] || x[i] % w->modulo[i]) return false;
    return !w->related || x[1] <= x[2];
}

static bool legal(const world *w, int kind, const int64_t *x)
{
    int64_t row = x[1] * w->element, pitch = x[2] * w->element, width = width_of(w, kind);
    if (kind == TENSOR) return pitch % 16 == 0;
    if (w->strong && (x[0] % w->tile[0] || x[1] % w->tile[1])) return false;
    return row % width == 0 && pitch % width == 0;
}

static uint64_t tile_cost(const world *w, int kind)
{
    uint64_t elements = (uint64_t)w->tile[0] * w->tile[1], width = width_of(w, kind);
    if (kind == TENSOR) return 1;
    uint64_t accesses = elements * w->element / width, warps = accesses < 32 ? 1 : accesses / 32;
    return width < 4 ? 2 * warps : warps;
}

static uint64_t cost_of(const world *w, int kind, const int64_t *x)
{
    uint64_t tiles = (uint64_t)((x[0] + w->tile[0] - 1) / w->tile[0]) * (uint64_t)((x[1] + w->tile[1] - 1) / w->tile[1]);
    return tiles * tile_cost(w, kind);
}

/* Which kinds are legal, bit by bit, for all values of the domain: each set once. */
static uint32_t patterns_of(const world *w)
{
    uint32_t seen = 0;
    int64_t x[3];
    for (x[0] = 1; x[0] <= w->high[0]; x[0]++)
        for (x[1] = 1; x[1] <= w->high[1]; x[1]++)
            for (x[2] = 1; x[2] <= w->high[2]; x[2]++) {
                uint32_t bits = 0;
                if (!in_domain(w, x)) continue;
                for (int k = 0; k <= KINDS; k++) bits |= (uint32_t)(exists(w, k) && legal(w, k, x)) << k;
                seen |= UINT32_C(1) << bits;
            }
    return seen;
}

typedef struct least {
    uint64_t cost[KINDS + 2], cheapest; /* of lists of at most so many; UINT64_MAX: none */
    uint32_t patterns;
} least;

static uint64_t list_cost(const world *w, const least *l, const int *pick, int count, uint32_t set)
{
    uint64_t sum = 0;
    for (uint32_t bits = 0; bits < 1u << (KINDS + 1) && bits < 32; bits++)
        if (l->patterns >> bits & 1 && !(bits & set)) return UINT64_MAX;
    for (uint32_t s = 0; s < w->r.shapes.shapes; s++) {
        const int64_t *x = w->value + 3 * s;
        int i = 0;
        while (i < count && !legal(w, pick[i], x)) i++;
        if (i == count) return UINT64_MAX;
        sum += w->weight[s] * cost_of(w, pick[i], x);
    }
    return sum;
}

static void try_lists(const world *w, least *out, int *pick, int count, uint32_t set)
{
    uint64_t cost = count ? list_cost(w, out, pick, count, set) : UINT64_MAX;
    for (int n = count; n <= KINDS + 1; n++)
        if (cost < out->cost[n]) out->cost[n] = cost;
    for (int k = 0; k <= KINDS; k++) {
        if (!exists(w, k) || set >> k & 1) continue;
        pick[count] = k;
        try_lists(w, out, pick, count + 1, set | 1u << k);
    }
}

/* ---- requests ---------------------------------------------------------------------------------- */

static void draw_facts(world *w, uint64_t *seed)
{
    zlay_variants_request *s = &w->r.shapes;
    s->facts = 0;
    w->related = test_range(seed, 0, 2) == 0;
    for (int i = 0; i < 3; i++) {
        w->high[i] = test_range(seed, 16, 40);
        w->modulo[i] = test_range(seed, 0, 1) ? 1 : 1u << test_range(seed, 1, 3);
    }
    if (w->modulo[2] == 1) w->modulo[1] = 1; /* else loads are realigned, which the model has not */
    for (int i = 0; i < 3; i++) {
        snprintf(w->text[s->facts++], sizeof w->text[0], "1 <= %s <= %d", names[i], (int)w->high[i]);
        if (w->modulo[i] > 1) snprintf(w->text[s->facts++], sizeof w->text[0], "%s = 0 mod %u", names[i], w->modulo[i]);
    }
    if (w->related) snprintf(w->text[s->facts++], sizeof w->text[0], "K <= ld");
    for (uint32_t i = 0; i < s->facts; i++) w->fact[i] = w->text[i];
}

static bool draw_shapes(world *w, uint64_t *seed)
{
    zlay_variants_request *s = &w->r.shapes;
    s->shapes = (uint32_t)test_range(seed, 1, SHAPES);
    for (uint32_t n = 0; n < s->shapes; n++) {
        int64_t *x = w->value + 3 * n;
        int tries = 200;
        do
            for (int i = 0; i < 3; i++) x[i] = test_range(seed, 1, w->high[i]) / w->modulo[i] * w->modulo[i];
        while (!in_domain(w, x) && --tries);
        if (!tries) return false;
        w->weight[n] = (uint64_t)test_range(seed, 1, 20);
    }
    return true;
}

static bool draw(zlay_ctx *ctx, world *w, uint64_t *seed)
{
    char text[64];
    memset(w, 0, sizeof *w);
    w->tma = test_range(seed, 0, 3) != 0;
    w->strong = test_range(seed, 0, 2) == 0;
    w->element = test_range(seed, 0, 2) ? 2 : 4;
    w->tile[0] = 4u << test_range(seed, 0, 2);
    w->tile[1] = 16 / w->element << test_range(seed, 0, 2);
    draw_facts(w, seed);
    if (w->modulo[2] * w->element < 4) w->strong = false;
    int length = snprintf(text, sizeof text, "(%u,%u):(%u,1)", w->tile[0], w->tile[1], w->tile[1]);
    assert_int_equal(zlay_layout_parse(ctx, &w->smem, text, (size_t)length), ZLAY_OK);
    assert_int_equal(zlay_layout_parse(ctx, &w->source, "(M,K):(ld,1)", 12), ZLAY_OK);
    w->map = (zlay_tensormap_request){.size = sizeof w->map, .type = w->element == 2 ? ZLAY_TYPE_BF16 : ZLAY_TYPE_F32, .source = w->source,
                                      .smem = w->smem, .shape = {w->tile[0], w->tile[1]}, .axes = 2,
                                      .edge = w->strong ? ZLAY_EDGE_STRONG : ZLAY_EDGE_WEAK};
    w->r.size = sizeof w->r, w->r.tile = &w->map;
    zlay_variants_request *s = &w->r.shapes;
    s->size = sizeof *s, s->unknowns = 3, s->unknown = names, s->fact = w->fact, s->value = w->value, s->weight = w->weight;
    s->by = (int32_t)test_range(seed, 0, 1) * ZLAY_VARIANTS_PERCENT;
    s->bound = s->by ? (uint64_t)test_range(seed, 0, 400) : 0;
    return draw_shapes(w, seed);
}

/* ---- the comparison ---------------------------------------------------------------------------- */

static int kind_of(const world *w, const zlay_move *move)
{
    zlay_move_summary info;
    int kind = 1;
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    if (info.path == ZLAY_PATH_TENSOR) return TENSOR;
    assert_int_equal(info.path, info.width < 4 ? ZLAY_PATH_THREADS : ZLAY_PATH_CP_ASYNC);
    while (kind <= KINDS && width_of(w, kind) != info.width) kind++;
    assert_int_equal(info.instructions, tile_cost(w, kind));
    return kind;
}

/* Every value in and beside the domain. */
static void check_selector(const world *w, const zlay_variants *v, zlay_move *const *move, uint32_t count)
{
    int kind[KINDS + 1];
    int64_t x[3];
    for (uint32_t i = 0; i < count; i++) kind[i] = kind_of(w, move[i]);
    for (x[0] = 0; x[0] <= w->high[0] + 1; x[0]++)
        for (x[1] = 0; x[1] <= w->high[1] + 1; x[1]++)
            for (x[2] = 0; x[2] <= w->high[2] + 1; x[2]++) {
                int32_t i = zlay_variants_select(v, x), want = 0;
                while (want < (int32_t)count && !legal(w, kind[want], x)) want++;
                if (!in_domain(w, x)) want = -1;
                if (i != want || want == (int32_t)count)
                    fail_msg("M %lld K %lld ld %lld: %d, not %d", (long long)x[0], (long long)x[1], (long long)x[2], i, want);
            }
}

static uint64_t cheapest_of(const world *w)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < w->r.shapes.shapes; s++) {
        uint64_t best = UINT64_MAX;
        for (int k = 0; k <= KINDS; k++)
            if (exists(w, k) && legal(w, k, w->value + 3 * s) && cost_of(w, k, w->value + 3 * s) < best) best = cost_of(w, k, w->value + 3 * s);
        if (best == UINT64_MAX) return best;
        sum += best * w->weight[s];
    }
    return sum;
}

static void check(zlay_ctx *ctx, world *w, uint64_t *found, uint64_t *several, uint64_t *none)
{
    least best = {.cheapest = cheapest_of(w), .patterns = patterns_of(w)};
    int pick[KINDS + 1], fewest = 1;
    zlay_variants *v;
    zlay_move *move[ZLAY_VARIANTS_MOST];
    zlay_variants_summary s;
    memset(best.cost, 0xff, sizeof best.cost);
    try_lists(w, &best, pick, 0, 0);
    uint64_t most = best.cost[KINDS + 1], bound = w->r.shapes.by ? best.cheapest + best.cheapest * w->r.shapes.bound / 100 : most;
    zlay_status status = zlay_variants_tile_choose(ctx, &v, move, target_of(w->tma ? "sm_90a" : "sm_80"), &w->r);
    zlay_status want = most == UINT64_MAX || most > bound ? ZLAY_NONE : ZLAY_OK;
    if (status != want) fail_msg("%s, not %s: %s", zlay_status_name(status), zlay_status_name(want), zlay_ctx_message(ctx));
    *none += status == ZLAY_NONE;
    if (status) return;
    while (best.cost[fewest] > bound) fewest++;
    zlay_variants_info(&s, v);
    assert_int_equal(s.unit, ZLAY_VARIANTS_INSTRUCTIONS);
    assert_int_equal(s.count, fewest);
    assert_int_equal(s.cost, best.cost[fewest]);
    assert_int_equal(s.cheapest, best.cheapest);
    *found += 1, *several += s.count > 1;
    check_selector(w, v, move, s.count);
    for (int i = 0; i < ZLAY_VARIANTS_MOST; i++) {
        assert_int_equal(move[i] != NULL, i < (int)s.count);
        zlay_move_free(move[i]);
    }
    zlay_variants_free(v);
}

static void test_model(void **state)
{
    uint64_t seed = test_seed("synth/variants/tile"), cases = test_cases(CASES), found = 0, several = 0, none = 0;
    static world w;
    for (uint64_t n = 0; n < cases; n++) {
        if (draw(*state, &w, &seed)) check(*state, &w, &found, &several, &none);
        zlay_layout_free(w.source);
        zlay_layout_free(w.smem);
    }
    printf("%llu choices, %llu of several variants; %llu have none\n", (unsigned long long)found, (unsigned long long)several, (unsigned long long)none);
    assert_true(found * 3 > cases && several * 10 > cases && none * 20 > cases);
}

/* ---- requests that are refused ------------------------------------------------------------------- */

typedef struct asked {
    zlay_layout *source, *smem;
    zlay_tensormap_request map;
    zlay_variants_tile r;
} asked;

static const int64_t square[] = {64, 64, 64};
static const char *const usual_facts[] = {"M < 2^31", "K < 2^31", "8 <= ld < 2^30"};

static void ask(zlay_ctx *ctx, asked *a, const char *source)
{
    memset(a, 0, sizeof *a);
    assert_int_equal(zlay_layout_parse(ctx, &a->source, source, strlen(source)), ZLAY_OK);
    assert_int_equal(zlay_layout_parse(ctx, &a->smem, "(64,64):(64,1)", 14), ZLAY_OK);
    a->map = (zlay_tensormap_request){.size = sizeof a->map, .type = ZLAY_TYPE_BF16, .source = a->source, .smem = a->smem, .shape = {64, 64},
                                      .axes = 2, .edge = ZLAY_EDGE_WEAK};
    a->r = (zlay_variants_tile){.size = sizeof a->r, .tile = &a->map,
                                .shapes = {.size = sizeof a->r.shapes, .unknowns = 3, .unknown = names, .fact = usual_facts, .facts = 3,
                                           .shapes = 1, .value = square}};
}

static void drop(asked *a)
{
    zlay_layout_free(a->source);
    zlay_layout_free(a->smem);
}

static void refuse(zlay_ctx *ctx, const asked *a, const char *target, zlay_status want, const char *says)
{
    zlay_move *move[ZLAY_VARIANTS_MOST];
    zlay_variants *v = (zlay_variants *)1;
    zlay_status status = zlay_variants_tile_choose(ctx, &v, move, target_of(target), &a->r);
    if (status != want || !strstr(zlay_ctx_message(ctx), says)) fail_msg("%s: %s, not %s", zlay_status_name(status), zlay_ctx_message(ctx), says);
    assert_null(v);
    for (int i = 0; i < ZLAY_VARIANTS_MOST; i++) assert_null(move[i]);
}

static void test_refused(void **state)
{
    static const char *const wrong[] = {"M <= 5", "M >= 7", "ld >= 8"}, *const low[] = {"M <= 5"};
    zlay_facts *facts;
    asked a;
    ask(*state, &a, "(M,K):(ld,1)");
    a.map.tile = a.smem, refuse(*state, &a, "sm_90a", ZLAY_ENOTSUP, "tile: a layout"), a.map.tile = NULL;
    a.map.direction = ZLAY_DIRECTION_STORE, refuse(*state, &a, "sm_90a", ZLAY_ENOTSUP, "direction: a store"), a.map.direction = 0;
    a.map.residual = 1, refuse(*state, &a, "sm_90a", ZLAY_ENOTSUP, "residual: "), a.map.residual = 0;
    a.map.index_given = 1, refuse(*state, &a, "sm_90a", ZLAY_ENOTSUP, "index: "), a.map.index_given = 0;
    a.map.axes = 1, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "tile: has 1 entries"), a.map.axes = 9;
    refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "tile: has 9 entries"), a.map.axes = 2;
    a.map.shape[1] = 0, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "tile: entry 1 is 0"), a.map.shape[1] = 64;
    a.map.edge = 9, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "edge: 9"), a.map.edge = ZLAY_EDGE_WEAK;
    a.map.type = 99, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, ""), a.map.type = ZLAY_TYPE_BF16;
    a.map.source = NULL, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "source: is NULL"), a.map.source = a.smem;
    refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "source: it has no unknown"), a.map.source = a.source;
    a.map.smem = NULL, refuse(*state, &a, "sm_80", ZLAY_EINVAL, "smem: "), a.map.smem = a.smem;
    a.map.size = 0, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "tile: it is NULL"), a.map.size = sizeof a.map;
    assert_int_equal(zlay_facts_parse(*state, &facts, 0, NULL, NULL), ZLAY_OK);
    a.map.facts = facts, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "tile: its facts"), a.map.facts = NULL;
    zlay_facts_free(facts);
    a.r.tile = NULL, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "tile: it is NULL"), a.r.tile = &a.map;
    a.r.threads = 4096, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "threads"), a.r.threads = 0;
    a.r.shapes.variants = 1, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "variants: "), a.r.shapes.variants = 0;
    a.r.shapes.unknowns = 2, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "'ld' is none of the unknowns"), a.r.shapes.unknowns = 3;
    a.r.shapes.fact = wrong, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "contradict");
    a.r.shapes.fact = low, a.r.shapes.facts = 1, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "shapes[0]: the facts do not hold");
    a.r.shapes.fact = NULL, refuse(*state, &a, "sm_90a", ZLAY_EINVAL, "facts is NULL");
    zlay_variants *v;
    assert_int_equal(zlay_variants_tile_choose(*state, &v, NULL, target_of("sm_90a"), &a.r), ZLAY_EINVAL);
    assert_int_equal(zlay_variants_tile_choose(*state, NULL, NULL, target_of("sm_90a"), &a.r), ZLAY_EINVAL);
    drop(&a);
}

/* The condition has a product, which is no fact, and follows from the rest of it. */
static void test_product(void **state)
{
    static const char *const three[] = {"B", "M", "K"}, *const facts[] = {"B < 2^10", "M <= 2^16", "K <= 2^16"};
    static const int64_t shapes[] = {4, 256, 4096, 4, 300, 4100};
    zlay_move *move[ZLAY_VARIANTS_MOST];
    zlay_variants *v;
    asked a;
    ask(*state, &a, "(B,M,K):(M*K,K,1)");
    zlay_layout_free(a.smem);
    assert_int_equal(zlay_layout_parse(*state, &a.smem, "(1,64,64):(0,64,1)", 18), ZLAY_OK);
    a.map.smem = a.smem, a.map.axes = 3, a.map.shape[0] = 1, a.map.shape[1] = a.map.shape[2] = 64;
    a.r.shapes.unknown = three, a.r.shapes.fact = facts, a.r.shapes.shapes = 2, a.r.shapes.value = shapes;
    if (zlay_variants_tile_choose(*state, &v, move, target_of("sm_90a"), &a.r)) fail_msg("%s", zlay_ctx_message(*state));
    const int64_t odd[] = {1, 1, 7}, even[] = {1, 5, 16};
    zlay_move_summary info;
    assert_int_equal(zlay_variants_select(v, shapes), 0);
    assert_int_equal(zlay_variants_select(v, shapes + 3), 1);
    assert_int_equal(zlay_variants_select(v, even), 0);
    assert_int_equal(zlay_variants_select(v, odd), 2);
    assert_int_equal(zlay_move_info(&info, move[0]), ZLAY_OK);
    assert_int_equal(info.path, ZLAY_PATH_TENSOR);
    for (int i = 0; i < ZLAY_VARIANTS_MOST; i++) zlay_move_free(move[i]);
    zlay_variants_free(v);
    drop(&a);
}

static zlay_status choose_and_free(zlay_ctx *ctx, void *r)
{
    zlay_move *move[ZLAY_VARIANTS_MOST];
    zlay_variants *v = NULL;
    zlay_status status = zlay_variants_tile_choose(ctx, &v, move, target_of("sm_90a"), r);
    for (int i = 0; i < ZLAY_VARIANTS_MOST; i++) zlay_move_free(move[i]);
    zlay_variants_free(v);
    return status;
}

static void test_memory(void **state)
{
    asked a;
    heap h;
    ask(*state, &a, "(M,K):(ld,1)");
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, choose_and_free, &a.r), ZLAY_OK);
    heap_close(&h, ctx);
    drop(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_model), cmocka_unit_test(test_refused), cmocka_unit_test(test_product),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, begin, end);
}
