/* SPDX-License-Identifier: Apache-2.0 */
/* Words: recomposed from their steps, and run as PTX on 32 lanes; costs against closed forms. */
#include "heap.h"
#include "plans/word.h"

typedef struct job {
    zlay_slots slots;
    map_table map;
    zlay_word *word;
    zlay_word_summary info;
} job;

static void job_word(zlay_ctx *ctx, job *j)
{
    zlay_layout *map = map_layout(ctx, &j->map);
    zlay_status status = zlay_word_synth(ctx, &j->word, &j->slots, map);
    if (status) fail_msg("%d: %s", status, zlay_ctx_message(ctx));
    assert_int_equal(zlay_word_info(&j->info, j->word), ZLAY_OK);
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
        assert_int_equal(zlay_word_step_nth(&step, j->word, i), ZLAY_OK);
        map_table m = {step.bits, step.constant, {0}};
        memcpy(m.basis, step.basis, sizeof m.basis);
        for (uint64_t s = 0; s < size; s++) at[s] = map_at(&m, at[s]);
        rounds += step.rounds;
        instructions += step.instructions;
    }
    assert_int_equal(zlay_word_step_nth(&step, j->word, j->info.steps), ZLAY_NONE);
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
        assert_int_equal(ptx_run(text, from, to, 1u << s->register_bits, 1u << s->warp_bits,
                                 1u << s->block_bits),
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
    zlay_ctx *ctx = *state;
    job j = {{0, 1, 1, 0, 0, {0}}, {2, 0, {2, 1}}, NULL, {0}};
    zlay_word_step step;
    job_word(ctx, &j);
    assert_composed(&j);
    assert_int_equal(j.info.steps, 1);
    assert_int_equal(j.info.rounds, 1);
    assert_int_equal(j.info.instructions, 4);
    assert_int_equal(j.info.optimal, 1);
    assert_int_equal(zlay_word_step_nth(&step, j.word, 0), ZLAY_OK);
    assert_int_equal(step.generator, ZLAY_STEP_EXCHANGE);
    assert_string_equal(zlay_word_op(step.generator), "shfl");
    assert_string_equal(zlay_word_form(step.generator), "exchange");
    zlay_word_free(j.word);
}

static void random_words(void **state)
{
    uint64_t seed = test_seed("words"), count = test_iterations(240), optimal = 0;
    zlay_ctx *ctx = *state;
    for (uint64_t i = 0; i < count; i++) {
        job j = {.slots = {(uint32_t)(i % 3), (uint32_t)test_range(&seed, 0, 4), 5,
                           (uint32_t)(i % 7 < 2), 0, {0}}};
        unsigned bits = slot_bits(&j.slots);
        bool crosses = j.slots.warp_bits && i % 2;
        map_draw(&j.map, &seed, bits, crosses ? bits : bits - j.slots.warp_bits, (int)(i % 4) % 3);
        j.map.constant = 0;
        if (j.slots.warp_bits && !crosses)
            j.map.basis[bits - 1] ^= test_random(&seed) & (((uint64_t)1 << (bits - 1)) - 1);
        job_word(ctx, &j);
        assert_composed(&j);
        assert_runs(ctx, &j);
        if (!j.slots.byte_bits && !crosses) assert_int_equal(j.info.optimal, 1);
        optimal += j.info.optimal;
        zlay_word_free(j.word);
    }
    printf("words: %llu of %llu proved least\n", (unsigned long long)optimal,
           (unsigned long long)count);
}

/* ---- clusters --------------------------------------------------------------------------------- */

/* Words of several blocks: out of a warp's, a block's and a cluster's place, or in it. */
static void clusters(void **state)
{
    uint64_t seed = test_seed("clusters"), count = test_iterations(48), remote = 0;
    zlay_ctx *ctx = *state;
    for (uint64_t i = 0; i < count; i++) {
        job j = {.slots = {(uint32_t)(i % 3), (uint32_t)test_range(&seed, 0, 3), 5,
                           (uint32_t)test_range(&seed, 0, 1), (uint32_t)test_range(&seed, 1, 3),
                           {0}}};
        unsigned bits = slot_bits(&j.slots), warps = j.slots.warp_bits, blocks = j.slots.block_bits;
        unsigned kept[] = {0, blocks, blocks + warps};
        map_draw(&j.map, &seed, bits, bits - kept[i / 3 % 3], (int)(i % 2));
        j.map.constant = 0;
        zlay_word_step step;
        job_word(ctx, &j);
        remote += !zlay_word_step_nth(&step, j.word, 0) && step.generator == ZLAY_STEP_DSMEM;
        assert_composed(&j);
        assert_runs(ctx, &j);
        zlay_word_free(j.word);
    }
    printf("clusters: %llu of %llu words leave their block\n", (unsigned long long)remote,
           (unsigned long long)count);
    assert_true(remote > 0 && remote < count);
}

/* ---- any shape ------------------------------------------------------------------------------- */

/* A permutation of bits with some turned around, as a strided layout. */
static zlay_layout *signed_layout(zlay_ctx *ctx, const map_table *m)
{
    char text[1024], *at = text + sprintf(text, "%llu o (1", (unsigned long long)m->constant);
    zlay_layout *made = NULL;
    for (unsigned k = 0; k < m->bits; k++) at += sprintf(at, ",2");
    at += sprintf(at, "):(0");
    for (unsigned k = 0; k < m->bits; k++)
        at += sprintf(at, ",%s%llu", m->constant & m->basis[k] ? "-" : "",
                      (unsigned long long)m->basis[k]);
    strcpy(at, ")");
    assert_int_equal(zlay_layout_parse(ctx, &made, text, strlen(text)), ZLAY_OK);
    return made;
}

static void any_shape(void **state)
{
    uint64_t seed = test_seed("shapes"), count = test_iterations(600);
    zlay_ctx *ctx = *state;
    for (uint64_t i = 0; i < count; i++) {
        job j = {.slots = {(uint32_t)test_range(&seed, 0, 2), (uint32_t)test_range(&seed, 0, 4),
                           (uint32_t)test_range(&seed, 0, 6), 0, 0, {0}}};
        unsigned bits = slot_bits(&j.slots);
        map_draw(&j.map, &seed, bits, bits, (int)(i % 3));
        if (i % 3 != 1) j.map.constant = 0;
        zlay_layout *map = i % 3 == 1 ? signed_layout(ctx, &j.map) : map_layout(ctx, &j.map);
        assert_int_equal(zlay_word_synth(ctx, &j.word, &j.slots, map), ZLAY_OK);
        assert_int_equal(zlay_word_info(&j.info, j.word), ZLAY_OK);
        assert_composed(&j);
        word_assert_steps(j.word);
        if (!j.slots.byte_bits) assert_true(j.info.optimal && j.info.rounds <= 1);
        zlay_word_free(j.word);
        zlay_layout_free(map);
    }
}

/* ---- constants, warps, blocks -----------------------------------------------------------------
 */

static void layouts_of_other_kinds(void **state)
{
    static const struct {
        zlay_slots slots;
        const char *map;
        uint32_t rounds, instructions;
    } rows[] = {
        /* the other lane, by a mask; the last lane first */
        {{0, 0, 5, 0, 0, {0}}, "(2,16):(1,2)", 0, 0},
        {{0, 0, 5, 0, 0, {0}}, "1 o (2,16):(-1,2)", 1, 1},
        {{0, 1, 5, 0, 0, {0}}, "63 o 64:-1", 1, 2},
        {{0, 2, 5, 0, 0, {0}}, "3 o (4,32):(-1,4)", 0, 0},
        {{2, 0, 5, 0, 0, {0}}, "3 o (4,32):(-1,4)", 0, 1},
        {{0, 3, 5, 0, 0, {0}}, "Sw<3,0,3> o 0 o 256:1", 0, 24},
        {{0, 3, 5, 0, 0, {0}}, "Sw<3,0,-3> o 0 o 256:1", 1, 7},
        /* registers of two warps, of two blocks: one of two moves, then all */
        {{0, 1, 5, 1, 0, {0}}, "(2,32,2):(64,2,1)", 0, 5},
        {{0, 1, 5, 0, 1, {0}}, "(2,32,2):(64,2,1)", 0, 5},
        {{0, 0, 5, 1, 0, {0}}, "(32,2):(2,1)", 0, 3},
        {{0, 0, 0, 0, 0, {0}}, "1:0", 0, 0},
    };
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *map = NULL;
        job j = {.slots = rows[i].slots};
        assert_int_equal(zlay_layout_parse(ctx, &map, rows[i].map, strlen(rows[i].map)), ZLAY_OK);
        zlay_status status = zlay_word_synth(ctx, &j.word, &j.slots, map);
        if (status) fail_msg("%s: %d %s", rows[i].map, status, zlay_ctx_message(ctx));
        assert_int_equal(zlay_word_info(&j.info, j.word), ZLAY_OK);
        j.map.bits = slot_bits(&j.slots);
        for (unsigned k = 0; k < j.map.bits; k++) {
            int64_t value, zero;
            assert_int_equal(zlay_layout_eval(&zero, 1, map, 0), ZLAY_OK);
            assert_int_equal(zlay_layout_eval(&value, 1, map, (uint64_t)1 << k), ZLAY_OK);
            j.map.constant = (uint64_t)zero;
            j.map.basis[k] = (uint64_t)(value ^ zero);
        }
        assert_composed(&j);
        if (j.info.rounds != rows[i].rounds || j.info.instructions != rows[i].instructions)
            fail_msg("%s: %u rounds, %u instructions", rows[i].map, j.info.rounds,
                     j.info.instructions);
        if (j.slots.lane_bits == 5) assert_runs(ctx, &j);
        zlay_word_free(j.word);
        zlay_layout_free(map);
    }
}

/* ---- refusals ----------------------------------------------------------------------------------
 */

static void refusals(void **state)
{
    static const struct {
        zlay_slots slots;
        const char *map;
        zlay_status status;
    } rows[] = {
        {{0, 1, 5, 0, 0, {0}}, "32:1", ZLAY_EINVAL},     {{0, 1, 5, 0, 0, {0}}, "64:2", ZLAY_NONE},
        {{0, 1, 5, 0, 0, {0}}, "(32,2):(1,0)", ZLAY_NONE}, {{0, 0, 2, 0, 0, {0}}, "4:3", ZLAY_NONE},
        {{3, 0, 2, 0, 0, {0}}, "32:1", ZLAY_ELIMIT},     {{0, 9, 0, 0, 0, {0}}, "512:1", ZLAY_ELIMIT},
        {{0, 0, 7, 0, 0, {0}}, "128:1", ZLAY_ELIMIT},    {{0, 0, 6, 30, 0, {0}}, "64:1", ZLAY_ELIMIT},
        {{0, 0, 0, UINT32_MAX, 1, {0}}, "1:0", ZLAY_ELIMIT},
        {{0, 0, 2, 0, 0, {0, 1, 0}}, "4:1", ZLAY_EINVAL}, {{0, 0, 2, 0, 0, {0}}, "(2,2):(ld,1)", ZLAY_ENOTSUP},
        {{0, 0, 2, 0, 0, {0}}, "(3,1):(1,1)", ZLAY_NONE},
    };
    zlay_ctx *ctx = *state;
    zlay_word *word;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *map = NULL;
        word = (zlay_word *)1;
        assert_int_equal(zlay_layout_parse(ctx, &map, rows[i].map, strlen(rows[i].map)), ZLAY_OK);
        zlay_status status = zlay_word_synth(ctx, &word, &rows[i].slots, map);
        if (status != rows[i].status) fail_msg("%s: %d %s", rows[i].map, status, zlay_ctx_message(ctx));
        assert_null(word);
        assert_true(*zlay_ctx_message(ctx));
        zlay_layout_free(map);
    }
    assert_int_equal(zlay_word_synth(ctx, &word, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_word_synth(ctx, NULL, &rows[0].slots, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_word_info(NULL, NULL), ZLAY_EINVAL);
    assert_null(zlay_word_op(-1));
    assert_null(zlay_word_form(ZLAY_STEP_LOAD + 1));
    zlay_word_free(NULL);
}

static void no_text(void **state)
{
    zlay_ctx *ctx = *state;
    char text[64] = "untouched";
    zlay_buf buf = {text, sizeof text, 0};
    job j = {{0, 1, 1, 0, 0, {0}}, {2, 0, {2, 1}}, NULL, {0}};
    job_word(ctx, &j);
    assert_int_equal(zlay_emit_word(ctx, &buf, j.word, "w", 1), ZLAY_ENOTSUP);
    zlay_word_free(j.word);
    j = (job){{0, 1, 5, 0, 0, {0}}, {6, 0, {2, 1, 4, 8, 16, 32}}, NULL, {0}};
    job_word(ctx, &j);
    assert_int_equal(zlay_emit_word(ctx, &buf, j.word, "ld", 2), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_word(ctx, &buf, j.word, "1w", 2), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_word(ctx, &buf, NULL, "w", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_word(ctx, &buf, j.word, "w", 1), ZLAY_EROOM);
    assert_true(buf.need > sizeof text);
    assert_string_equal(text, "untouched");
    zlay_word_free(j.word);
}

typedef struct asked {
    zlay_slots slots;
    zlay_layout *layout;
} asked;

static zlay_status worded(zlay_ctx *ctx, void *given)
{
    const asked *a = given;
    zlay_word *word = NULL;
    zlay_status status = zlay_word_synth(ctx, &word, &a->slots, a->layout);
    assert_true(status ? !word : !!word);
    zlay_word_free(word);
    return status;
}

static void memory(void **state)
{
    (void)state;
    map_table map = {6, 0, {2, 1, 4, 8, 16, 32}};
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    asked a = {{0, 1, 5, 0, 0, {0}}, map_layout(ctx, &map)};
    assert_int_equal(heap_fails_each(&h, ctx, worded, &a), ZLAY_OK);
    assert_true(h.calls > 1);
    zlay_layout_free(a.layout);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example),
        cmocka_unit_test(random_words),
        cmocka_unit_test(clusters),
        cmocka_unit_test(any_shape),
        cmocka_unit_test(layouts_of_other_kinds),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_text),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
