/* SPDX-License-Identifier: Apache-2.0 */
/* Words: recomposed from their steps, and run as PTX on 32 lanes; costs against closed forms. */
#include "heap.h"
#include "word.h"

typedef struct job {
    zlay_slots slots;
    map_table map;
    zlay_word *word;
    zlay_word_info info;
} job;

static zlay_ctx *ctx_new(void)
{
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    return ctx;
}

static void job_word(zlay_ctx *ctx, job *j)
{
    zlay_layout *map = map_layout(ctx, &j->map);
    zlay_status status = zlay_word_synth(ctx, &j->word, &j->slots, map);
    if (status) fail_msg("%d: %s", status, zlay_ctx_message(ctx));
    assert_int_equal(zlay_word_get(&j->info, j->word), ZLAY_OK);
    zlay_layout_free(map);
}

/* Every slot through every step, and the sums of what steps cost. */
static void assert_composed(const job *j)
{
    zlay_word_step step;
    uint32_t rounds = 0, instructions = 0;
    uint64_t size = (uint64_t)1 << j->map.bits, *at = malloc(size * sizeof *at);
    assert_non_null(at);
    for (uint64_t s = 0; s < size; s++) at[s] = s;
    for (uint32_t i = 0; i < j->info.steps; i++) {
        assert_int_equal(zlay_word_step_get(&step, j->word, i), ZLAY_OK);
        map_table m = {step.bits, step.constant, {0}};
        memcpy(m.basis, step.basis, sizeof m.basis);
        for (uint64_t s = 0; s < size; s++) at[s] = map_at(&m, at[s]);
        rounds += step.rounds;
        instructions += step.instructions;
    }
    assert_int_equal(zlay_word_step_get(&step, j->word, j->info.steps), ZLAY_NONE);
    for (uint64_t s = 0; s < size; s++) assert_int_equal(at[s], map_at(&j->map, s));
    assert_int_equal(rounds, j->info.rounds);
    assert_int_equal(instructions, j->info.instructions);
    assert_true(j->info.lower_rounds <= rounds);
    free(at);
}

static char *text_of(zlay_ctx *ctx, const zlay_word *word)
{
    char *text = malloc(WORD_ROOM);
    assert_non_null(text);
    zlay_buf buf = {text, WORD_ROOM, 0};
    zlay_status status = zlay_emit_word(ctx, &buf, word, "word", 4);
    if (status) fail_msg("%d: %s", status, zlay_ctx_message(ctx));
    return text;
}

/* The part of a word that a slot is, in the `pass`-th run: units of 8 bits need several to tell all
 * slots apart. */
static void put_unit(uint32_t *words, const zlay_slots *s, uint64_t slot, uint64_t value)
{
    unsigned width = 32u >> s->byte_bits;
    uint64_t byte = slot & ((1u << s->byte_bits) - 1), mask = ((uint64_t)1 << width) - 1;
    words[slot >> s->byte_bits] |= (uint32_t)((value & mask) << (width * byte));
}

static void assert_runs(zlay_ctx *ctx, const job *j)
{
    const zlay_slots *s = &j->slots;
    uint64_t size = (uint64_t)1 << j->map.bits, words = size >> s->byte_bits;
    unsigned width = 32u >> s->byte_bits;
    char *text = text_of(ctx, j->word);
    uint32_t *from = calloc(words, 4), *to = calloc(words, 4), *wanted = calloc(words, 4);
    assert_true(from && to && wanted);
    for (unsigned low = 0; low < j->map.bits; low += width) {
        memset(from, 0, words * 4);
        memset(wanted, 0, words * 4);
        memset(to, 0xa5, words * 4);
        for (uint64_t slot = 0; slot < size; slot++) {
            put_unit(from, s, slot, slot >> low);
            put_unit(wanted, s, map_at(&j->map, slot), slot >> low);
        }
        for (uint32_t warp = 0; warp < 1u << s->warp_bits; warp++)
            assert_int_equal(ptx_run(text, from, to, 1u << s->register_bits, warp),
                             j->info.instructions);
        assert_memory_equal(to, wanted, words * 4);
    }
    free(from);
    free(to);
    free(wanted);
    free(text);
}

static void example(void **state)
{
    zlay_ctx *ctx = ctx_new();
    job j = {{0, 1, 1, 0, 0, {0}}, {2, 0, {2, 1}}, NULL, {0}};
    zlay_word_step step;
    (void)state;
    job_word(ctx, &j);
    assert_composed(&j);
    assert_int_equal(j.info.steps, 1);
    assert_int_equal(j.info.rounds, 1);
    assert_int_equal(j.info.instructions, 4);
    assert_int_equal(j.info.optimal, 1);
    assert_int_equal(zlay_word_step_get(&step, j.word, 0), ZLAY_OK);
    assert_int_equal(step.generator, ZLAY_STEP_EXCHANGE);
    assert_string_equal(zlay_word_op(step.generator), "shfl");
    assert_string_equal(zlay_word_form(step.generator), "exchange");
    zlay_word_free(j.word);
    zlay_ctx_free(ctx);
}

static void random_words(void **state)
{
    uint64_t seed = test_seed("words"), count = test_iterations(240), optimal = 0;
    zlay_ctx *ctx = ctx_new();
    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        job j = {.slots = {(uint32_t)(i % 3), (uint32_t)test_range(&seed, 0, 4), 5,
                           (uint32_t)(i % 7 == 0), 0, {0}}};
        unsigned bits = slot_bits(&j.slots);
        map_draw(&j.map, &seed, bits, bits - j.slots.warp_bits, (int)(i % 4) % 3);
        j.map.constant = 0;
        if (j.slots.warp_bits)
            j.map.basis[bits - 1] ^= test_random(&seed) & (((uint64_t)1 << (bits - 1)) - 1);
        job_word(ctx, &j);
        assert_composed(&j);
        assert_runs(ctx, &j);
        if (!j.slots.byte_bits) assert_int_equal(j.info.optimal, 1);
        optimal += j.info.optimal;
        zlay_word_free(j.word);
    }
    printf("words: %llu of %llu proved least\n", (unsigned long long)optimal,
           (unsigned long long)count);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example),
        cmocka_unit_test(random_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
