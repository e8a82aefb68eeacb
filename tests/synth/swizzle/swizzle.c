/* SPDX-License-Identifier: Apache-2.0 */
/* Swizzles: against all invertible maps of small tiles, and counted at the addresses that the answer's layout gives. */
#include "plans/swizzle.h"
#include "plans/swizzle_request.h"

/* ---- by hand --------------------------------------------------------------------------- */

/* The example of zlay/swizzle.h. */
static void worked_example(void **state)
{
    zlay_ctx *ctx = *state;
    asked a = asked_begin(ctx, "sm_90", 32, 2, (uint64_t[]){32, 32});
    asked_put(&a, "st.shared.b32", "32:32");
    asked_put(&a, "ld.shared.b32", "32:1");
    zlay_swizzle *s = synth(&a);
    zlay_swizzle_summary info = checked(&a, s);
    assert_int_equal(info.wavefronts, 2);
    assert_int_equal(info.size, 1024);
    assert_true(info.optimal);
    assert_equal_layout(ctx, zlay_swizzle_layout(s), "Sw<5,0,5> o 0 o (32,32):(1,32)");
    zlay_swizzle_free(s);
    asked_end(&a);
}

/* What the accesses of a request take under another layout. */
static uint64_t taken_by(const asked *a, const char *text, uint32_t i, uint64_t instances)
{
    zlay_layout *layout = NULL;
    uint64_t wavefronts = 0;
    assert_int_equal(zlay_layout_parse(a->ctx, &layout, text, strlen(text)), ZLAY_OK);
    for (uint64_t n = 0; n < instances; n++) wavefronts += instance_counted(a, layout, i, n).wavefronts;
    zlay_layout_free(layout);
    return wavefronts;
}

/* A 16 x 32 fp32 transpose within a warp: a row of 32 is stored and read by one wavefront, where padding by one takes two. */
static void transpose_in_warp(void **state)
{
    zlay_ctx *ctx = *state;
    asked a = asked_begin(ctx, "sm_90", 32, 2, (uint64_t[]){16, 32});
    asked_put(&a, "st.shared.b32", "(32,16):(16,1)");
    asked_put(&a, "ld.shared.b32", "((16,2),16):((1,16),32)");
    zlay_swizzle *s = synth(&a);
    zlay_swizzle_cost cost;
    checked(&a, s);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(zlay_swizzle_cost_nth(&cost, s, i), ZLAY_OK);
        assert_int_equal(cost.wavefronts, 16);
        assert_int_equal(cost.instances, 16);
    }
    assert_int_equal(taken_by(&a, "(16,32):(1,17)", 0, 16), 16);
    assert_int_equal(taken_by(&a, "(16,32):(1,17)", 1, 16), 32);
    zlay_swizzle_free(s);
    asked_end(&a);
}

/* ---- vectors across rows ------------------------------------------------------------------ */

/* Words of a warp's vectors by phases of 128 bytes: of each bank its different words, the most of them. */
static uint64_t wavefronts_by_words(const uint64_t *first_byte, unsigned vector_words)
{
    unsigned lanes = 32 / vector_words;
    uint64_t sum = 0;
    for (unsigned phase = 0; phase < 32; phase += lanes) {
        uint64_t words[32][32], most = 0;
        unsigned count[32] = {0};
        for (unsigned w = 0; w < 32; w++) {
            uint64_t word = first_byte[phase + w / vector_words] / 4 + w % vector_words;
            unsigned bank = (unsigned)(word % 32), i = 0;
            while (i < count[bank] && words[bank][i] != word) i++;
            words[bank][i] = word;
            if (i == count[bank] && ++count[bank] > most) most = count[bank];
        }
        sum += most;
    }
    return sum;
}

/* An access whose element e of lane l in instance n is lane l + element e + instance n of the tile. */
typedef struct affine_access {
    const char *name;
    unsigned words;
    uint64_t lane, element, instance, instances;
} affine_access;

typedef struct crossing {
    uint32_t elem_bits, rank;
    uint64_t shape[3];
    affine_access access[2];
    uint64_t wavefronts[2], size;
    int32_t least;
} crossing;

static const crossing crossings[] = {
    /* as the elements are numbered */
    {16, 2, {100, 40}, {{"ld.shared.v4.b32", 4, 8, 1, 0, 1}}, {4}, 4000, ZLAY_SWIZZLE_LEAST_ANY},
    {8, 2, {24, 40}, {{"ld.shared.v4.b32", 4, 16, 1, 0, 1}}, {4}, 960, ZLAY_SWIZZLE_LEAST_ANY},
    {8, 2, {100, 8}, {{"ld.shared.v4.b32", 4, 16, 1, 0, 1}}, {4}, 800, ZLAY_SWIZZLE_LEAST_ANY},
    {16, 3, {10, 5, 14}, {{"ld.shared.v2.b32", 2, 4, 1, 128, 5}}, {10}, 700, ZLAY_SWIZZLE_LEAST_ANY},
    /* 33 rows of 32 that rows of 33 are, whose vectors move: the loads begin vectors, 8 banks of 32 lanes */
    {32, 2, {33, 32}, {{"st.shared.v4.b32", 4, 4, 1, 128, 8}, {"ld.shared.b32", 1, 32, 0, 0, 1}}, {32, 4}, 1056, ZLAY_SWIZZLE_LEAST_ANY},
    /* the same in 31 rows and one of 31 elements */
    {32, 2, {31, 33}, {{"st.shared.v4.b32", 4, 4, 1, 128, 7}, {"ld.shared.b32", 1, 31, 0, 0, 1}}, {28, 1}, 1023, ZLAY_SWIZZLE_LEAST_ANY},
};

static void crossing_put(asked *a, const affine_access *x, unsigned elements)
{
    char text[160];
    snprintf(text, sizeof text, "(32,%u,%llu):(%llu,%llu,%llu)", elements, (unsigned long long)x->instances, (unsigned long long)x->lane,
             (unsigned long long)x->element, (unsigned long long)x->instance);
    asked_put(a, x->name, text);
}

static uint64_t crossing_counted(const affine_access *x, uint32_t elem_bits, const zlay_layout *layout)
{
    uint64_t sum = 0, elements = x->words * 32 / elem_bits, first[32];
    for (uint64_t n = 0; n < x->instances; n++) {
        for (uint64_t l = 0; l < 32; l++) {
            int64_t at = value_of(layout, x->lane * l + x->instance * n);
            first[l] = (uint64_t)at * elem_bits / 8;
            assert_int_equal(first[l] % (4 * x->words), 0);
            for (uint64_t e = 0; e < elements; e++)
                assert_int_equal(value_of(layout, x->lane * l + x->instance * n + x->element * e), at + (int64_t)e);
        }
        sum += wavefronts_by_words(first, x->words);
    }
    return sum;
}

/* Vectors that begin in one row and end in the next, counted word by word. */
static void vectors_across_rows(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof crossings / sizeof *crossings; i++) {
        const crossing *k = &crossings[i];
        asked a = asked_begin(ctx, "sm_90", k->elem_bits, k->rank, k->shape);
        for (unsigned j = 0; j < 2 && k->access[j].name; j++) crossing_put(&a, &k->access[j], k->access[j].words * 32 / k->elem_bits);
        zlay_swizzle *s = synth(&a);
        if (!s) fail_msg("row %zu: %s", i, zlay_ctx_message(ctx));
        zlay_swizzle_summary info = checked(&a, s);
        assert_int_equal(info.size, k->size);
        assert_int_equal(info.least, k->least);
        for (unsigned j = 0; j < a.request.count; j++) {
            zlay_swizzle_cost cost;
            assert_int_equal(zlay_swizzle_cost_nth(&cost, s, j), ZLAY_OK);
            assert_int_equal(cost.wavefronts, k->wavefronts[j]);
            assert_int_equal(crossing_counted(&k->access[j], k->elem_bits, zlay_swizzle_layout(s)), k->wavefronts[j]);
        }
        zlay_swizzle_free(s);
        asked_end(&a);
    }
}

/* ---- against all invertible maps --------------------------------------------------------- */

enum { MAPS = 20160 };

typedef struct world {
    unsigned bits;
    size_t count;
    uint64_t map[MAPS][WORLD_BITS];
} world;

static world *world_new(unsigned bits)
{
    world *w = calloc(1, sizeof *w);
    uint64_t basis[WORLD_BITS] = {0};
    w->bits = bits;
    while (map_next(basis, bits)) memcpy(w->map[w->count++], basis, bits * sizeof *basis);
    return w;
}

static uint32_t least_of(const world *w, const zl_swizzle_problem *p)
{
    uint32_t least = NO_COST;
    for (size_t m = 0; m < w->count; m++) {
        uint32_t cost = cost_counted(p, w->map[m]);
        if (cost < least) least = cost;
    }
    return least;
}

static void against_maps(void **state)
{
    (void)state;
    uint64_t seed = test_seed("synth/swizzle/swizzle maps"), tally[5] = {0};
    for (unsigned bits = 2; bits <= 4; bits++) {
        world *w = world_new(bits);
        assert_int_equal(w->count, bits == 2 ? 6 : bits == 3 ? 168 : MAPS);
        for (uint64_t i = 0; i < test_iterations(bits == 4 ? 400 : 1500); i++) {
            zl_bank_ask ask[4];
            zl_swizzle_problem p = problem_drawn(&seed, bits, ask);
            agrees(&p, least_of(w, &p), tally);
        }
        free(w);
    }
    printf("%llu without a layout, %llu without conflict, %llu least of F2, %llu open\n", (unsigned long long)tally[0], (unsigned long long)tally[1],
           (unsigned long long)tally[2], (unsigned long long)tally[3]);
    assert_true(tally[0] > 100 && tally[1] > 100 && tally[2] > 20 && tally[3] == 0);
}

/* Three lines of a plane that cross in one have no common complement, all other triples of planes of F2^4 have one. */
static void triples_of_planes(void **state)
{
    (void)state;
    uint64_t plane[35][2], triples = 0, refused = 0;
    unsigned planes = 0;
    for (uint64_t a = 1; a < 16; a++)
        for (uint64_t b = a + 1; b < 16; b++)
            if ((a ^ b) > b) plane[planes][0] = a, plane[planes++][1] = b;
    assert_int_equal(planes, 35);
    for (unsigned i = 0; i < 35; i++)
        for (unsigned j = 0; j < i; j++)
            for (unsigned k = 0; k < j; k++, triples++) {
                zl_bank_ask ask[3] = {0};
                const unsigned of[3] = {i, j, k};
                zl_swizzle_problem p = {.bits = 4, .ask = ask, .count = 3, .steps = 1 << 20};
                zl_swizzle_found f;
                for (unsigned a = 0; a < 3; a++) {
                    ask[a] = (zl_bank_ask){.banks = 2, .phases = 1, .together = 2, .starts = 2};
                    memcpy(ask[a].phase, plane[of[a]], sizeof plane[0]);
                    memcpy(ask[a].start, plane[of[a]], sizeof plane[0]);
                }
                assert_int_equal(zl_swizzle_find(&f, &p), ZLAY_OK);
                assert_int_equal(f.sum, cost_counted(&p, f.basis));
                assert_int_equal(zl_swizzle_decide(&p), f.sum == 3 ? ZLAY_YES : ZLAY_NO);
                assert_true(f.proved == ZL_PROVED_LEAST || f.sum == 4);
                refused += f.sum > 3;
            }
    assert_int_equal(triples, 6545);
    assert_int_equal(refused, 105);
}

static unsigned ones_of(const uint64_t *basis, unsigned bits)
{
    unsigned ones = 0;
    for (unsigned i = 0; i < bits; i++) ones += (unsigned)__builtin_popcountll(basis[i]);
    return ones;
}

/* Of two permutations the closed form has the fewest XORs of all maps without conflict. */
static void fewest_xors(void **state)
{
    (void)state;
    world *w = world_new(4);
    for (unsigned one = 1; one < 16; one++)
        for (unsigned two = 1; two < 16; two++) {
            zl_bank_ask ask[2] = {{.banks = 2, .phases = 1}, {.banks = 2, .phases = 1}};
            zl_swizzle_problem p = {.bits = 4, .ask = ask, .count = 2, .steps = 1 << 20};
            zl_swizzle_found f;
            unsigned fewest = 16;
            if (__builtin_popcount(one) > 2 || __builtin_popcount(two) > 2) continue;
            for (unsigned b = 0; b < 4; b++) {
                if (one >> b & 1) ask[0].phase[ask[0].together++] = 1u << b;
                if (two >> b & 1) ask[1].phase[ask[1].together++] = 1u << b;
            }
            assert_int_equal(zl_swizzle_find(&f, &p), ZLAY_OK);
            assert_int_equal(f.sum, 2);
            for (size_t m = 0; m < w->count; m++)
                if (cost_counted(&p, w->map[m]) == 2 && ones_of(w->map[m], 4) - 4 < fewest) fewest = ones_of(w->map[m], 4) - 4;
            assert_int_equal(ones_of(f.basis, 4) - 4, fewest);
        }
    free(w);
}

/* ---- requests, counted at their addresses -------------------------------------------------- */

/* Rows of a random invertible matrix, or of a permutation. */
static void draw_map(uint64_t *seed, unsigned bits, bool permutation, uint64_t *basis)
{
    for (unsigned i = 0; i < bits; i++) basis[i] = UINT64_C(1) << i;
    for (unsigned i = bits; i-- > 1;) {
        unsigned j = (unsigned)test_range(seed, 0, i);
        uint64_t t = basis[i];
        basis[i] = basis[j];
        basis[j] = t;
    }
    for (unsigned n = 0; !permutation && n < 4 * bits * bits; n++) {
        unsigned i = (unsigned)test_range(seed, 0, bits - 1), j = (unsigned)test_range(seed, 0, bits - 1);
        if (i != j) basis[i] ^= basis[j];
    }
}

typedef struct kind {
    const char *target, *access;
    uint32_t elem_bits, lanes, vector; /* bits */
} kind;

static const kind kinds[] = {
    {"sm_90", "ld.shared.b32", 32, 5, 0},    {"sm_90", "st.shared.b32", 32, 5, 0},   {"sm_90", "st.shared.v2.b32", 32, 5, 1},
    {"sm_90", "ld.shared.v2.b32", 32, 5, 1}, {"sm_90", "ld.shared.v4.b32", 32, 5, 2}, {"sm_90", "st.shared.v4.b32", 32, 5, 2},
    {"sm_90", "ldmatrix.x4", 16, 5, 3},      {"sm_90", "st.shared.v4.b32", 16, 5, 3}, {"sm_90", "ld.shared.b16", 16, 5, 0},
    {"sm_90", "st.shared.b16", 16, 5, 0},    {"sm_90", "st.shared.b8", 8, 5, 0},      {"sm_90", "ld.shared.b64", 64, 5, 0},
    {"sm_90", "cp.async.ca.16", 16, 5, 3},   {"gfx942", "ds_read_b128", 16, 6, 3},    {"gfx942", "ds_write_b128", 16, 6, 3},
    {"gfx942", "ds_read_b32", 32, 6, 0},     {"gfx950", "ds_read_b64", 16, 6, 2},     {"gfx950", "ds_write_b64", 16, 6, 2},
    {"gfx950", "ds_read_b128", 16, 6, 3},    {"gfx950", "ds_read_b32", 16, 6, 1},
};

/* Vectors are the first rows of a map, lanes combinations of its others; one access in eight starts anywhere. */
static void draw_access(uint64_t *seed, asked *a, const kind *k, unsigned bits, bool permutation, const uint64_t *map)
{
    uint64_t basis[64] = {0}, inner[64];
    draw_map(seed, bits - k->vector, permutation, inner);
    for (unsigned i = 0; i < k->lanes && k->vector + i < bits; i++) basis[i] = at_basis(map + k->vector, inner[i]);
    if (!permutation && test_range(seed, 0, 7) == 0)
        for (unsigned i = 0; i < k->lanes; i++) basis[i] ^= test_random(seed) % (UINT64_C(1) << bits);
    for (unsigned i = 0; i < k->vector; i++) basis[k->lanes + i] = map[i];
    asked_put_bases(a, k->access, basis, k->lanes + k->vector, bits);
}

/* Random lanes, some of which share an element, under a random layout that has their vectors: what is predicted is counted. */
static void predicted_is_counted(void **state)
{
    (void)state;
    uint64_t seed = test_seed("synth/swizzle/swizzle counts"), conflicts = 0, merged = 0;
    for (uint64_t n = 0; n < test_iterations(4000); n++) {
        const kind *k = &kinds[test_range(&seed, 0, sizeof kinds / sizeof *kinds - 1)];
        unsigned bits = (unsigned)test_range(&seed, k->vector + 1, 12), rest = bits - k->vector;
        uint64_t inner[64], basis[64], wavefronts;
        const zlay_target *target = NULL;
        zl_banked banked;
        zl_bank_ask ask;
        zl_affine map = {.bits = k->lanes + k->vector};
        int32_t number;
        draw_map(&seed, rest, false, inner);
        for (unsigned i = 0; i < bits; i++) basis[i] = i < k->vector ? UINT64_C(1) << i : inner[i - k->vector] << k->vector;
        for (unsigned i = 0; i < k->lanes; i++) map.basis[i] = test_range(&seed, 0, 4) ? test_random(&seed) % (UINT64_C(1) << rest) << k->vector : 0;
        for (unsigned i = 0; i < k->vector; i++) map.basis[k->lanes + i] = UINT64_C(1) << i;
        map.constant = test_random(&seed) % (UINT64_C(1) << rest) << k->vector;
        assert_int_equal(zlay_target_find(&target, k->target, strlen(k->target)), ZLAY_OK);
        assert_int_equal(zlay_bank_find(&number, k->access, strlen(k->access)), ZLAY_OK);
        assert_int_equal(zl_banked_of(&banked, target, number), ZLAY_OK);
        assert_int_equal(zl_bank_ask_of(&ask, &banked, k->elem_bits, &map), ZLAY_OK);
        zl_swizzle_problem p = {.bits = bits, .word = k->elem_bits == 64 ? -1 : k->elem_bits == 32 ? 0 : k->elem_bits == 16 ? 1 : 2, .ask = &ask, .count = 1};
        assert_true(zl_swizzle_count(&wavefronts, &p, basis));
        uint32_t addresses[ZLAY_BANK_LANES];
        zlay_bank bank;
        memset(addresses, 0xff, sizeof addresses);
        for (uint64_t l = 0; l < 1u << k->lanes; l++) addresses[l] = (uint32_t)(at_basis(basis, at_basis(map.basis, l) ^ map.constant) * k->elem_bits / 8);
        assert_int_equal(zlay_bank_conflicts(&bank, target, number, addresses, banked.lanes), ZLAY_OK);
        assert_int_equal(wavefronts, bank.wavefronts);
        assert_int_equal(ask.phases, bank.phases);
        conflicts += bank.wavefronts > bank.phases;
        merged += bank.phases < banked.model->count;
    }
    printf("%llu with conflicts, %llu by pairs\n", (unsigned long long)conflicts, (unsigned long long)merged);
    assert_true(conflicts > 100 && merged > 20);
}

/* On every target the phases of an access are one subspace of the lanes' bits, moved. */
static void phases_are_subspaces(void **state)
{
    (void)state;
    unsigned models = 0;
    int32_t number;
    for (size_t t = 0; zlay_target_nth(t); t++)
        for (size_t i = 0; zlay_bank_nth(&number, i) == ZLAY_OK; i++) {
            zl_banked b;
            if (zl_banked_of(&b, zlay_target_nth(t), number) || !b.model) continue;
            models++;
            uint64_t first = b.model->phases[0];
            assert_true(first & 1);
            for (uint32_t p = 0; p < b.model->count; p++)
                for (unsigned x = 0; x < 64; x++)
                    for (unsigned y = 0; y < 64; y++)
                        if (b.model->phases[p] >> x & 1 && b.model->phases[p] >> y & 1) assert_true(first >> (x ^ y) & 1);
            for (uint32_t p = 0; p < b.model->count; p++)
                assert_int_equal(__builtin_popcountll(b.model->phases[p]), __builtin_popcountll(first));
        }
    assert_true(models > 100);
}

/* Wherever the subspaces say that there is a layout without conflict, one is found. */
static void goal(uint64_t *seed, bool permutation, unsigned count, uint64_t iterations)
{
    zlay_ctx *ctx = ctx_new();
    uint64_t yes = 0, no = 0;
    for (uint64_t n = 0; n < iterations; n++) {
        unsigned which = (unsigned)test_range(seed, 0, sizeof kinds / sizeof *kinds - 1);
        const kind *k = &kinds[which];
        unsigned bits = (unsigned)test_range(seed, k->vector + 1, test_range(seed, 0, 15) ? 11 : 14);
        uint64_t unit[64];
        asked a = asked_begin(ctx, k->target, k->elem_bits, 1, (uint64_t[]){UINT64_C(1) << bits});
        draw_map(seed, bits, permutation, unit);
        for (unsigned i = 0; i < count; i++) {
            const kind *other = &kinds[test_range(seed, 0, sizeof kinds / sizeof *kinds - 1)];
            bool same = !strcmp(other->target, k->target) && other->elem_bits == k->elem_bits && other->vector == k->vector;
            draw_access(seed, &a, same ? other : k, bits, permutation, unit);
        }
        zlay_answer answer = ZLAY_UNDECIDED;
        asked_place(&a);
        assert_int_equal(zlay_swizzle_decide(ctx, &answer, a.target, &a.request), ZLAY_OK);
        zlay_swizzle *s = synth(&a);
        assert_true(answer == ZLAY_YES || answer == ZLAY_NO);
        if (!s && answer == ZLAY_YES) fail_msg("draw %llu: %s", (unsigned long long)n, zlay_ctx_message(ctx));
        zlay_swizzle_summary info = {.method = ZLAY_SWIZZLE_FAMILY};
        if (s) info = checked(&a, s);
        if (answer == ZLAY_YES && info.wavefronts != info.lower_bound) fail_msg("draw %llu: %llu, not %llu", (unsigned long long)n, (unsigned long long)info.wavefronts, (unsigned long long)info.lower_bound);
        if (info.method != ZLAY_SWIZZLE_FAMILY) assert_int_equal(info.optimal, answer == ZLAY_YES);
        yes += answer == ZLAY_YES;
        no += answer == ZLAY_NO;
        zlay_swizzle_free(s);
        asked_end(&a);
    }
    printf("%u accesses, %s: %llu have a layout without conflict over F2, all found; %llu have none\n", count, permutation ? "permutations" : "general", (unsigned long long)yes, (unsigned long long)no);
    assert_true(yes > iterations / 2);
    zlay_ctx_free(ctx);
}

static void pairs_of_permutations(void **state)
{
    (void)state;
    uint64_t seed = test_seed("synth/swizzle/swizzle permutations");
    goal(&seed, true, 2, test_iterations(400));
}

static void pairs_in_general(void **state)
{
    (void)state;
    uint64_t seed = test_seed("synth/swizzle/swizzle general");
    goal(&seed, false, 2, test_iterations(400));
}

static void triples(void **state)
{
    (void)state;
    uint64_t seed = test_seed("synth/swizzle/swizzle triples");
    goal(&seed, true, 3, test_iterations(200));
    goal(&seed, false, 3, test_iterations(200));
    goal(&seed, false, 5, test_iterations(50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),        cmocka_unit_test(transpose_in_warp), cmocka_unit_test(against_maps),
        cmocka_unit_test(fewest_xors),           cmocka_unit_test(predicted_is_counted),  cmocka_unit_test(phases_are_subspaces),
        cmocka_unit_test(triples_of_planes),     cmocka_unit_test(pairs_of_permutations), cmocka_unit_test(pairs_in_general),
        cmocka_unit_test(triples),             cmocka_unit_test(vectors_across_rows),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
