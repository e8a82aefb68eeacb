/* SPDX-License-Identifier: Apache-2.0 */
/* Words, factors and normal forms, against what a kernel generator can spare: how the time grows
 * with bits, for bit permutations and for general bijections. Every word is multiplied out before
 * the clock starts. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { MAPS = 1024, BITS_MOST = 16 };

typedef struct state {
    zlay_ctx *ctx;
    zlay_slots slots;
    uint64_t random, basis[MAPS][BITS_MOST];
    zlay_layout *map[MAPS];
    uint32_t next, instructions[MAPS];
    zlay_factor_request request;
    const zlay_target *target;
    uint32_t expected;
} state;

static void draw(state *s, uint64_t *basis, unsigned bits, bool general)
{
    for (unsigned k = 0; k < bits; k++) basis[k] = (uint64_t)1 << k;
    for (unsigned k = bits; k-- > 1;) {
        uint64_t j = bench_drawn(&s->random) % (k + 1), held = basis[k];
        basis[k] = basis[j];
        basis[j] = held;
    }
    for (unsigned n = 0; general && n < 8 * bits; n++) {
        uint64_t i = bench_drawn(&s->random) % bits, j = bench_drawn(&s->random) % bits;
        if (i != j) basis[i] ^= basis[j];
    }
}

static uint64_t image(const uint64_t *basis, uint64_t constant, uint64_t x)
{
    for (unsigned k = 0; x >> k; k++)
        if (x >> k & 1) constant ^= basis[k];
    return constant;
}

static bool composed(const zlay_word *word, const uint64_t *basis, unsigned bits)
{
    zlay_word_step step;
    for (unsigned k = 0; k < bits; k++) {
        uint64_t at = (uint64_t)1 << k;
        for (uint32_t i = 0; !zlay_word_step_nth(&step, word, i); i++)
            at = image(step.basis, step.constant, at);
        if (at != basis[k]) return false;
    }
    return true;
}

static bool prepare(state *s, unsigned bits, bool general)
{
    zlay_dim dim = {"slot", (uint64_t)1 << bits};
    bool right = true;
    for (int i = 0; i < MAPS && right; i++) {
        zlay_word *word = NULL;
        zlay_word_summary info;
        zlay_f2_bases b = {sizeof b, 0, 1, 1, &dim, &dim, s->basis[i]};
        draw(s, s->basis[i], bits, general);
        right = !zlay_f2_new(s->ctx, &s->map[i], &b) &&
                !zlay_word_synth(s->ctx, &word, &s->slots, s->map[i]) &&
                !zlay_word_info(&info, word) && composed(word, s->basis[i], bits);
        if (right) s->instructions[i] = info.instructions;
        zlay_word_free(word);
    }
    return right;
}

static bool word_work(void *value)
{
    state *s = value;
    uint32_t i = s->next++ % MAPS;
    zlay_word *word = NULL;
    zlay_word_summary info;
    bool right = !zlay_word_synth(s->ctx, &word, &s->slots, s->map[i]) &&
                 !zlay_word_info(&info, word) && info.instructions == s->instructions[i];
    zlay_word_free(word);
    return right;
}

static bool words(state *s, unsigned byte, unsigned reg, bool general, bool json)
{
    char name[64];
    s->slots = (zlay_slots){byte, reg, 5, 0, 0, {0}};
    snprintf(name, sizeof name, "word, %u+%u+5 bits, %s", byte, reg,
             general ? "any bijections" : "bit permutations");
    bool right = prepare(s, byte + reg + 5, general);
    double time = right ? bench_time(word_work, s) : -1;
    if (time >= 0) bench_line(name, time, "us", "a budget of 20 us", 20 / time, json);
    for (int i = 0; i < MAPS; i++) zlay_layout_free(s->map[i]);
    memset(s->map, 0, sizeof s->map);
    return time >= 0;
}

static bool factor_work(void *value)
{
    state *s = value;
    zlay_factor *x = NULL;
    zlay_word_summary info;
    bool right = !zlay_factor_synth(s->ctx, &x, s->target, &s->request) &&
                 !zlay_word_info(&info, zlay_factor_word(x)) && info.instructions == s->expected;
    zlay_factor_free(x);
    return right;
}

static bool factor_row(state *s, const char *name, const char *text, uint32_t instructions,
                       bool json)
{
    zlay_layout *layout = NULL;
    bool right = !zlay_layout_parse(s->ctx, &layout, text, strlen(text));
    s->request = (zlay_factor_request){.size = sizeof s->request, .elem_bits = 16,
                                       .layout = layout};
    s->expected = instructions;
    double time = right ? bench_time(factor_work, s) : -1;
    if (time >= 0) bench_line(name, time, "us", "a plan's budget of 200 us", 200 / time, json);
    zlay_layout_free(layout);
    return time >= 0;
}

static bool normal_work(void *value)
{
    state *s = value;
    zlay_normal *n = NULL;
    bool right = !zlay_swizzle_normal(s->ctx, &n, s->request.layout) &&
                 zlay_normal_swizzles(NULL, 0, n, ZLAY_NORMAL_OFFSET) == 1;
    zlay_normal_free(n);
    return right;
}

static bool normal_row(state *s, const char *name, const char *text, bool json)
{
    zlay_layout *layout = NULL;
    bool right = !zlay_layout_parse(s->ctx, &layout, text, strlen(text));
    s->request.layout = layout;
    double time = right ? bench_time(normal_work, s) : -1;
    if (time >= 0) bench_line(name, time, "us", "a budget of 10 us", 10 / time, json);
    zlay_layout_free(layout);
    return time >= 0;
}

bool bench_factor(zlay_ctx *ctx, bool json)
{
    static state s;
    s = (state){.ctx = ctx, .random = 7};
    bool right = !zlay_target_find(&s.target, "sm_90a", 6);
    for (unsigned reg = 1; reg <= 6 && right; reg += reg < 4 ? 1 : 2)
        right = words(&s, 0, reg, false, json) && words(&s, 0, reg, true, json);
    for (unsigned reg = 2; reg <= 4 && right; reg++) right = words(&s, 1, reg, false, json);
    for (unsigned reg = 2; reg <= 5 && right; reg++) right = words(&s, 2, reg, false, json);
    right = right && factor_row(&s, "factor, 64 x 64 bf16, a landing",
                                "Sw<3,3,3> o 0 o (64,64):(1,64)", 0, json);
    right = right && factor_row(&s, "factor, 16 x 8 in registers, one round",
                                "f2{m: (1,0) (0,4) (0,8) (0,16); k: (0,1) (0,2) (2,0) -> "
                                "register: 4, lane: 32}", 6, json);
    right = right && normal_row(&s, "swizzle.normal, 10 bits", "Sw<3,4,3> o 0 o 1024:1", json);
    return right && normal_row(&s, "swizzle.normal, 20 bits", "Sw<3,4,3> o 0 o 1048576:1", json);
}
