/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute word.synth: random words of one to eight generators (names, selects by lane, byte permutes, shuffles, exchanges) over
 * 0 to 2 bits of byte, 0 to 4 of register and 1 to 5 of lane, and bit permutations, are multiplied out from the table of all slots,
 * which also counts the registers that each generator touches.  So the cost of some word is known for each map: a word of zlay's that
 * is called optimal and takes more rounds, or as many and more instructions, or a lower bound above it, refutes; so does a word whose
 * steps do not bring every slot where the map says, or that costs another number.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "ctx.h"

#include <stdbool.h>
#include <zlay/word.h>

enum { CASES = 10000, BITS = 10, STEPS = 8 };

/* basis[k]: where the slot of bit k alone goes. */
typedef struct linear {
    uint64_t basis[BITS];
} linear;

typedef struct world {
    unsigned byte, reg, lane, bits;
    uint32_t rounds, instructions; /* of the word that made the map */
    linear map;
} world;

static uint64_t at(const linear *m, uint64_t x)
{
    uint64_t y = 0;
    for (unsigned k = 0; x >> k; k++)
        if (x >> k & 1) y ^= m->basis[k];
    return y;
}

static linear same(void)
{
    linear m;
    for (unsigned k = 0; k < BITS; k++) m.basis[k] = (uint64_t)1 << k;
    return m;
}

static void then(linear *m, const linear *next, unsigned bits)
{
    for (unsigned k = 0; k < bits; k++) m->basis[k] = at(next, m->basis[k]);
}

/* Registers that are not, in all lanes alike, the whole word of one register of the same lane; `lanes`: that some lane takes from another. */
static uint32_t touched(const world *w, const linear *m, bool lanes)
{
    uint32_t words = 1u << w->reg, bytes = 1u << w->byte, count = 0;
    static uint64_t from[1 << BITS];
    for (uint64_t x = 0; x < (uint64_t)1 << w->bits; x++) from[at(m, x)] = x;
    for (uint32_t r = 0; r < words; r++) {
        bool hit = false;
        for (uint64_t l = 0; l < (uint64_t)1 << w->lane && !hit; l++)
            for (uint32_t b = 0; b < bytes; b++) {
                uint64_t slot = (l << w->reg | r) << w->byte, x = from[slot | b];
                hit |= x >> (w->byte + w->reg) != l;
                hit |= !lanes && (x % bytes != b || (x >> w->byte) % words != (from[r << w->byte] >> w->byte) % words);
            }
        count += hit;
    }
    return count;
}

/* ---- generators ---------------------------------------------------------------------------------------------------- */

static void mix(uint64_t *seed, linear *m, unsigned low, unsigned count)
{
    for (unsigned n = 0; count > 1 && n < 3 * count; n++) {
        unsigned i = low + (unsigned)test_range(seed, 0, count - 1), j = low + (unsigned)test_range(seed, 0, count - 1);
        if (i != j) m->basis[i] ^= m->basis[j];
    }
}

static bool odd(uint64_t x) { return __builtin_parityll(x); }

/* v -> v + by form(v), form(by) = 0. */
static bool transvection(linear *m, unsigned bits, uint64_t by, uint64_t form)
{
    if (!by || odd(by & form)) return false;
    for (unsigned k = 0; k < bits; k++)
        if (form >> k & 1) m->basis[k] ^= by;
    return true;
}

/* One generator and what it costs; false: it is none. */
static bool generator(uint64_t *seed, world *w, linear *m)
{
    unsigned inner = w->byte + w->reg;
    uint64_t all = ((uint64_t)1 << w->bits) - 1, kept = ((uint64_t)1 << inner) - 1, form = test_random(seed) & all, by = test_random(seed) & all;
    *m = same();
    if (test_range(seed, 0, 1)) form &= test_random(seed), by &= test_random(seed);
    switch (test_range(seed, 0, 4)) {
    case 0: mix(seed, m, w->byte, w->reg); return true;
    case 1:
        if (!transvection(m, w->bits, by & kept, form)) return false;
        w->instructions += touched(w, m, false);
        return true;
    case 2:
        mix(seed, m, 0, w->byte);
        w->instructions += touched(w, m, false);
        return true;
    case 3:
        if (test_range(seed, 0, 1)) mix(seed, m, inner, w->lane);
        for (unsigned k = w->byte; k < inner; k++)
            if (test_range(seed, 0, 1)) m->basis[k] ^= (by & ~kept) ^ ((test_random(seed) & all) >> inner << inner);
        w->rounds++;
        w->instructions += touched(w, m, true);
        return true;
    default:
        if (!(by & ~kept) || !transvection(m, w->bits, by, form)) return false;
        w->rounds++;
        w->instructions += 2 * touched(w, m, false);
        return true;
    }
}

static void draw_world(uint64_t *seed, world *w)
{
    *w = (world){.byte = (unsigned)test_range(seed, 0, 2), .reg = (unsigned)test_range(seed, 0, test_range(seed, 0, 4)), .lane = (unsigned)test_range(seed, 1, 5), .map = same()};
    w->bits = w->byte + w->reg + w->lane;
    if (w->bits > BITS) w->reg -= w->bits - BITS, w->bits = BITS;
    for (int64_t n = test_range(seed, 1, STEPS); n > 0;) {
        world before = *w;
        linear m;
        if (!generator(seed, w, &m)) {
            *w = before;
            continue;
        }
        then(&w->map, &m, w->bits);
        n--;
    }
}

/* ---- zlay's word ----------------------------------------------------------------------------------------------------- */

static void refuted(const world *w, const char *why, uint32_t got, uint32_t said)
{
    for (unsigned k = 0; k < w->bits; k++) printf("%llx ", (unsigned long long)w->map.basis[k]);
    fail_msg("%u+%u+%u bits, a word of %u rounds and %u instructions: %s: %u, %u", w->byte, w->reg, w->lane, w->rounds, w->instructions, why, got, said);
}

/* The steps' product, and the cost of each counted from its table. */
static void check_steps(const world *w, const zlay_word *word, const zlay_word_summary *info)
{
    linear product = same();
    zlay_word_step step;
    uint32_t instructions = 0, rounds = 0;
    for (uint32_t i = 0; !zlay_word_step_nth(&step, word, i); i++) {
        linear m = same();
        for (unsigned k = 0; k < w->bits; k++) m.basis[k] = step.basis[k];
        if (step.constant) refuted(w, "a constant", i, 0);
        const char *form = zlay_word_form(step.generator);
        bool lanes = !strcmp(form, "bfly") || !strcmp(form, "idx"), crosses = lanes || !strcmp(form, "exchange") || !strcmp(form, "movmatrix");
        if (strcmp(form, "name")) instructions += touched(w, &m, lanes) * (!strcmp(form, "exchange") ? 2u : 1u);
        rounds += crosses;
        if (!crosses)
            for (uint64_t x = 0; x < (uint64_t)1 << w->bits; x++)
                if ((at(&m, x) ^ x) >> (w->byte + w->reg)) refuted(w, "a value leaves its lane without a shuffle", i, 0);
        then(&product, &m, w->bits);
    }
    for (unsigned k = 0; k < w->bits; k++)
        if (product.basis[k] != w->map.basis[k]) refuted(w, "another map", k, 0);
    if (rounds != info->rounds) refuted(w, "rounds", rounds, info->rounds);
    if (instructions != info->instructions) refuted(w, "instructions", instructions, info->instructions);
}

static void no_word_is_less(void **state)
{
    uint64_t seed = test_seed("refute/word"), count = test_cases(CASES), optimal = 0, met = 0, several = 0;
    for (uint64_t n = 0; n < count; n++) {
        world w;
        draw_world(&seed, &w);
        zlay_dim dim = {"slot", (uint64_t)1 << w.bits};
        zlay_f2_bases bases = {sizeof bases, 0, 1, 1, &dim, &dim, w.map.basis};
        const zlay_slots slots = {w.byte, w.reg, w.lane, 0, 0, {0}};
        zlay_layout *map = NULL;
        zlay_word *word = NULL;
        zlay_word_summary info;
        assert_int_equal(zlay_f2_new(*state, &map, &bases), ZLAY_OK);
        if (zlay_word_synth(*state, &word, &slots, map)) refuted(&w, zlay_ctx_message(*state), 0, 0);
        assert_int_equal(zlay_word_info(&info, word), ZLAY_OK);
        check_steps(&w, word, &info);
        if (info.lower_rounds > w.rounds) refuted(&w, "the lower bound of rounds", info.lower_rounds, w.rounds);
        if (w.rounds == info.lower_rounds && info.lower_instructions > w.instructions) refuted(&w, "the lower bound of instructions", info.lower_instructions, w.instructions);
        if (info.optimal && (info.rounds > w.rounds || (info.rounds == w.rounds && info.instructions > w.instructions)))
            refuted(&w, "called optimal, with instructions", info.instructions, w.instructions);
        optimal += info.optimal;
        met += info.rounds == w.rounds && info.instructions == w.instructions;
        several += info.rounds > 1;
        zlay_word_free(word);
        zlay_layout_free(map);
    }
    printf("%llu maps: %llu words optimal, %llu of several rounds; %llu cost as much as the word that was drawn\n", (unsigned long long)count, (unsigned long long)optimal,
           (unsigned long long)several, (unsigned long long)met);
    assert_true(optimal * 4 > count && several * 25 > count && met * 10 > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_word_is_less)};
    return cmocka_run_group_tests(tests, begin, end);
}
