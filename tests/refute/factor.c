/* SPDX-License-Identifier: Apache-2.0 */
/* Refuter of layout.factor: both products of a factorisation are read at every point.  Each member of the family is made
 * again from what the ISA says of it, its residual is a table, and the word of that table is counted (landings) or is
 * word.synth's, which has a refuter of its own (fragments): none is shorter than the one that is given, and of those as
 * short it is the first. */
#include "layouts/factor_tiles.h"

#include <zlay/factor.h>
#include <zlay/word.h>
#include <zlay/f2.h>

/* ---- words of landed tiles ------------------------------------------------------------------------------------------------------- */

typedef struct cost { bool shared; uint32_t rounds, instructions; } cost;

static bool shorter(cost a, cost b)
{
    if (a.shared != b.shared) return b.shared;
    return a.rounds != b.rounds ? a.rounds < b.rounds : a.instructions < b.instructions;
}

/* How the slots are shared out: parts of a register, registers, 32 lanes, four warps, no more than 256 registers. */
static uint32_t registers_of(const tile *t, uint32_t *parts)
{
    uint32_t bits = log2_of(t->size), part = t->bits < 32 ? log2_of(32 / t->bits) : 0, words = bits - part;
    uint32_t reg = words > 7 ? words - 7 : 0;
    *parts = part;
    return (uint32_t)1 << (reg > 8 ? 8 : reg);
}

/* Registers with a slot that moves are loaded and stored; where a register goes whole it is one store, else each part is, and is shifted before. */
static cost landed(const tile *t, const uint32_t *residual)
{
    static uint8_t moved[256];
    uint32_t part, registers = registers_of(t, &part), count = 0, mask = ((uint32_t)1 << part) - 1;
    bool whole = true;
    memset(moved, 0, sizeof moved);
    for (uint32_t i = 0; i < t->size; i++) {
        uint8_t *m = &moved[(i >> part) % registers];
        if (residual[i] != i && !*m) *m = 1, count++;
        whole = whole && residual[i] == ((residual[i & ~mask] & ~mask) | (i & mask));
    }
    if (t->bits == 64) count *= 2;
    if (!count) return (cost){false, 0, 0};
    uint32_t stores = whole ? 1 : 1u << part;
    return (cost){true, 0, count + 1 + count * (2 * stores - 1)};
}

static cost cost_of(const zlay_word *word)
{
    zlay_word_summary info;
    zlay_word_step step;
    assert_int_equal(zlay_word_info(&info, word), ZLAY_OK);
    bool shared = info.steps == 3 && !zlay_word_step_nth(&step, word, 1) && step.generator == ZLAY_STEP_SYNC;
    return (cost){shared, info.rounds, info.instructions};
}

typedef struct best { bool found; int which, first; cost cost; } best;

static void residual_of(uint32_t *residual, const table *layout, const uint32_t *desc)
{
    for (uint32_t i = 0; i < layout->size; i++) residual[desc[i]] = (uint32_t)layout->at[i];
}

static best best_of(const table *layout, const tile *t)
{
    static uint32_t desc[SLOTS], residual[SLOTS];
    best b = {false, 0, 0, {false, 0, 0}};
    for (int which = 0; which < DESCS; which++)
        for (int first = 0; first < t->modes; first++) {
            if (!member(desc, t, which, first)) continue;
            residual_of(residual, layout, desc);
            cost c = landed(t, residual);
            if (!b.found || shorter(c, b.cost)) b = (best){true, which, first, c};
        }
    return b;
}

/* ---- factorisations ---------------------------------------------------------------------------------------------------------------- */

typedef struct tally { uint64_t cases, affine, split, exact, moved; } tally;

/* Both products at every point, of one output. */
static void check_products(const zlay_factor *x, const table *t, const char *text)
{
    const zlay_layout *desc = zlay_factor_part(x, ZLAY_FACTOR_DESC), *dual = zlay_factor_part(x, ZLAY_FACTOR_DUAL);
    const zlay_layout *residual = zlay_factor_part(x, ZLAY_FACTOR_RESIDUAL);
    for (uint32_t i = 0; i < t->size; i++) {
        int64_t after = layout_at(residual, (uint64_t)layout_at(desc, i)), before = layout_at(desc, (uint64_t)layout_at(dual, i));
        if (after != t->at[i] || before != t->at[i]) fail_msg("%s: at %u R o L_desc is %lld, L_desc o R' %lld", text, i, (long long)after, (long long)before);
    }
}

static void check_landed(zlay_ctx *ctx, const zlay_layout *layout, const table *t, const tile *box, bool legal, const char *text, tally *total)
{
    static uint32_t desc[SLOTS];
    zlay_factor_request request = {sizeof request, box->bits, layout, NULL, {0}};
    zlay_factor *x = NULL;
    zlay_factor_summary info = {0};
    best b = {false, 0, 0, {false, 0, 0}};
    zlay_status status = zlay_factor_synth(ctx, &x, target_of("sm_90a"), &request);
    if (legal) b = best_of(t, box);
    if (status != (b.found ? ZLAY_OK : ZLAY_NONE))
        fail_msg("layout.factor of %s, %u bits: %d %s; there is %s", text, box->bits, status, zlay_ctx_message(ctx), b.found ? descs[b.which] : "none");
    total->affine += legal;
    if (status) return;
    assert_int_equal(zlay_factor_info(&info, x), ZLAY_OK);
    cost c = cost_of(zlay_factor_word(x));
    if (strcmp(info.desc, descs[b.which]) || info.first != (uint32_t)b.first || shorter(c, b.cost) || shorter(b.cost, c))
        fail_msg("%s, %u bits: %s along %u takes %u instructions, and %s along %d takes %u", text, box->bits, info.desc, info.first, c.instructions,
                 descs[b.which], b.first, b.cost.instructions);
    assert_true(member(desc, box, b.which, b.first));
    for (uint32_t i = 0; i < t->size; i++)
        if (layout_at(zlay_factor_part(x, ZLAY_FACTOR_DESC), i) != (int64_t)desc[i]) fail_msg("%s: %s has another value at %u", text, info.desc, i);
    check_products(x, t, text);
    total->split++;
    total->moved += c.instructions > 0;
    zlay_factor_free(x);
}

/* ---- tiles in shared memory -------------------------------------------------------------------------------------------------------- */

/* A lane has a register at least. */
static bool has_registers(const tile *t) { return t->bits >= 32 || t->size >= 32 / t->bits; }

static void any_layout(zlay_ctx *ctx, uint64_t *seed, tally *total)
{
    static drawn d;
    draw_any(&d, seed);
    zlay_layout *layout = read_layout(ctx, d.text);
    bool one = zlay_layout_out_count(layout) == 1, legal = d.whole && is_affine(&d.table) && is_bijection(&d.table);
    if (one && (!legal || has_registers(&d.tile))) check_landed(ctx, layout, &d.table, &d.tile, legal, d.text, total);
    total->exact += legal;
    zlay_layout_free(layout);
}

/* ---- fragments ------------------------------------------------------------------------------------------------------------------------ */

/* One fragment: bits of rows, of columns, of the values of a thread; threads are 32 or 128. */
typedef struct shape { const char *name; uint32_t width, rows, columns, value, warps; } shape;

static bool shape_of(shape *s, int which, uint32_t width)
{
    uint32_t each = log2_of(32 / width);
    const shape all[] = {{"ldmatrix", 16, 3, 3, 1, 0},      {"ldmatrix.trans", 16, 3, 3, 1, 0}, {"mma.a", 0, 4, 3 + each, 2 + each, 0},
                         {"mma.b", 0, 3, 3 + each, 1 + each, 0}, {"mma.d", 32, 4, 3, 2, 0},
                         {"wgmma.a", 0, 6, 3 + each, 2 + each, 2}, {"wgmma.d", 32, 6, 3, 2, 2}};
    *s = all[which];
    return !s->width || s->width == width;
}
enum { SHAPES = 7 };

/* PTX ISA 9.1, "Matrix Fragments": row and column of a value of a thread. */
static void fragment_at(const char *name, uint32_t width, uint32_t value, uint32_t thread, uint32_t at[2])
{
    uint32_t each = 32 / width, lane = thread % 32, group = lane / 4, quad = lane % 4, reg = value / each, k = quad * each + value % each;
    uint32_t row = 16 * (thread / 32) + group;
    if (!strcmp(name, "ldmatrix")) at[0] = group, at[1] = 2 * quad + value % 2;
    else if (!strcmp(name, "ldmatrix.trans")) at[1] = group, at[0] = 2 * quad + value % 2;
    else if (!strcmp(name, "mma.b")) at[0] = group, at[1] = k + 4 * each * reg;
    else if (strstr(name, ".a")) at[0] = row + 8 * (reg % 2), at[1] = k + 4 * each * (reg / 2);
    else at[0] = row + 8 * (value / 2 % 2), at[1] = 2 * quad + value % 2 + 8 * (value / 4);
}

/* Where a fragment puts each element of a tile of just its size: register, lane and warp in one number. */
static void fragment_table(uint32_t *desc, const shape *s, uint32_t width, int first)
{
    uint32_t rows = 1u << s->rows, columns = 1u << s->columns, values = 1u << s->value, threads = 32u << s->warps;
    for (uint32_t thread = 0; thread < threads; thread++)
        for (uint32_t value = 0; value < values; value++) {
            uint32_t at[2];
            fragment_at(s->name, width, value, thread, at);
            desc[first ? at[1] + columns * at[0] : at[0] + rows * at[1]] = value + values * thread;
        }
}

/* The word of a residual, by word.synth. */
static cost word_cost(zlay_ctx *ctx, const uint32_t *residual, const shape *s, uint32_t width)
{
    uint32_t part = log2_of(32 / width), bits = s->value + 5 + s->warps;
    zlay_slots slots = {.byte_bits = part, .register_bits = s->value - part, .lane_bits = 5, .warp_bits = s->warps};
    zlay_dim dim = {"slot", (uint64_t)1 << bits};
    uint64_t basis[16];
    zlay_f2_bases b = {sizeof b, 0, 1, 1, &dim, &dim, basis};
    zlay_layout *map = NULL;
    zlay_word *word = NULL;
    for (uint32_t k = 0; k < bits; k++) basis[k] = residual[1u << k];
    assert_int_equal(zlay_f2_new(ctx, &map, &b), ZLAY_OK);
    if (zlay_word_synth(ctx, &word, &slots, map)) fail_msg("%s", zlay_ctx_message(ctx));
    cost c = cost_of(word);
    zlay_word_free(word);
    zlay_layout_free(map);
    return c;
}

/* A tile of one fragment's size that threads hold, near that fragment: row operations on its slots. */
static void threads_text(char *text, uint64_t *seed, table *t, const shape *s, uint32_t width, int first)
{
    static uint32_t desc[SLOTS];
    uint32_t bits = s->value + 5 + s->warps, basis[16], mode[2] = {first ? s->columns : s->rows, first ? s->rows : s->columns};
    fragment_table(desc, s, width, first);
    for (uint32_t k = 0; k < bits; k++) basis[k] = desc[1u << k];
    for (int64_t n = test_range(seed, 0, 4); n > 0; n--) {
        uint32_t i = (uint32_t)test_range(seed, 0, bits - 1), j = (uint32_t)test_range(seed, 0, bits - 1), held = basis[i];
        if (test_range(seed, 0, 1)) basis[i] = basis[j], basis[j] = held;
        else if (i != j) basis[i] ^= basis[j];
    }
    t->size = 1u << bits;
    t->bits = (int)bits;
    for (uint32_t i = 0; i < t->size; i++) {
        t->at[i] = 0;
        for (uint32_t k = 0; k < bits; k++) t->at[i] ^= i >> k & 1 ? basis[k] : 0;
    }
    text += sprintf(text, "f2{");
    for (uint32_t d = 0, k = 0; d < 2; d++) {
        text += sprintf(text, "%sm%u:", d ? "; " : "", d);
        for (uint32_t e = 0; e < mode[d]; e++, k++)
            text += sprintf(text, " (%u,%u,%u)", basis[k] & ((1u << s->value) - 1), basis[k] >> s->value & 31, basis[k] >> (s->value + 5));
    }
    sprintf(text, " -> register: %u, lane: 32, warp: %u}", 1u << s->value, 1u << s->warps);
}

static uint32_t flat_at(const zlay_layout *a, uint32_t index, const shape *s)
{
    int64_t v[4];
    assert_int_equal(zlay_layout_eval(v, 4, a, index), ZLAY_OK);
    return (uint32_t)(v[0] | v[1] << s->value | v[2] << (s->value + 5));
}

/* The first member with the shortest word, of those whose fragment has just this size. */
static best best_fragment(zlay_ctx *ctx, const table *t, const shape *s, uint32_t width, uint32_t rows)
{
    static uint32_t desc[SLOTS], residual[SLOTS];
    best b = {false, 0, 0, {false, 0, 0}};
    for (int which = 0; which < SHAPES; which++)
        for (int first = 0; first < 2; first++) {
            shape other;
            bool fits = shape_of(&other, which, width) && other.value == s->value && other.warps == s->warps;
            if (!fits || other.rows + other.columns != s->rows + s->columns || (first ? other.columns : other.rows) != rows) continue;
            fragment_table(desc, &other, width, first);
            residual_of(residual, t, desc);
            cost c = word_cost(ctx, residual, s, width);
            if (!b.found || shorter(c, b.cost)) b = (best){true, which, first, c};
        }
    return b;
}

static void any_fragment(zlay_ctx *ctx, uint64_t *seed, tally *total)
{
    static table t;
    shape s, given;
    char text[1024];
    uint32_t width = 8u << test_range(seed, 0, 2);
    int first = (int)test_range(seed, 0, 1);
    while (!shape_of(&s, (int)test_range(seed, 0, SHAPES - 1), width)) continue;
    threads_text(text, seed, &t, &s, width, first);
    zlay_layout *layout = read_layout(ctx, text);
    zlay_factor_request request = {sizeof request, width, layout, NULL, {0}};
    zlay_factor *x = NULL;
    zlay_factor_summary info;
    if (zlay_factor_synth(ctx, &x, target_of("sm_90a"), &request)) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    best b = best_fragment(ctx, &t, &s, width, first ? s.columns : s.rows);
    assert_int_equal(zlay_factor_info(&info, x), ZLAY_OK);
    cost c = cost_of(zlay_factor_word(x));
    assert_true(shape_of(&given, b.which, width));
    /* members whose fragment is smaller than the tile are in the family too: theirs may be shorter, not longer */
    if (shorter(b.cost, c)) fail_msg("%s, %u bits: %s takes %u + %u, and %s %u + %u", text, width, info.desc, c.rounds, c.instructions, given.name, b.cost.rounds, b.cost.instructions);
    const zlay_layout *desc = zlay_factor_part(x, ZLAY_FACTOR_DESC), *dual = zlay_factor_part(x, ZLAY_FACTOR_DUAL);
    const zlay_layout *residual = zlay_factor_part(x, ZLAY_FACTOR_RESIDUAL);
    for (uint32_t i = 0; i < t.size; i++) {
        uint32_t after = flat_at(residual, flat_at(desc, i, &s), &s), before = flat_at(desc, (uint32_t)layout_at(dual, i), &s);
        if (after != t.at[i] || before != t.at[i]) fail_msg("%s: other values at %u", text, i);
    }
    total->split++;
    total->moved += c.instructions > 0;
    total->exact += !strcmp(info.desc, given.name);
    zlay_factor_free(x);
    zlay_layout_free(layout);
}

/* ---- tests ------------------------------------------------------------------------------------------------------------------------------ */

static void landings(void **state)
{
    uint64_t seed = test_seed("refute-factor");
    tally t = {.cases = cases()};
    for (uint64_t n = 0; n < t.cases; n++) {
        uint64_t own = test_case(seed, n);
        any_layout(*state, &own, &t);
    }
    printf("%llu layouts: %llu are affine bijections, %llu of them split, %llu with something left over; none refuted\n", (unsigned long long)t.cases,
           (unsigned long long)t.affine, (unsigned long long)t.split, (unsigned long long)t.moved);
    assert_true(t.split > t.cases / 4 && t.moved > t.cases / 8 && t.split > t.moved && t.affine < t.cases);
}

static void fragments(void **state)
{
    uint64_t seed = test_seed("refute-factor-fragments");
    tally t = {.cases = cases()};
    for (uint64_t n = 0; n < t.cases; n++) {
        uint64_t own = test_case(seed, n);
        any_fragment(*state, &own, &t);
    }
    printf("%llu layouts of threads: %llu split, %llu with something left over, %llu by a fragment of just their size; none refuted\n",
           (unsigned long long)t.cases, (unsigned long long)t.split, (unsigned long long)t.moved, (unsigned long long)t.exact);
    assert_true(t.moved > t.cases / 4 && t.exact > t.cases / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(landings), cmocka_unit_test(fragments)};
    return cmocka_run_group_tests(tests, begin, end);
}
