/* SPDX-License-Identifier: Apache-2.0 */
/* What a word's lines take from the thread's number: an XOR of its bits shifted, which each register
 * joins with a constant, and tests of its bits. */
#include "emit/ptx/word.h"

#include <string.h>

/* The bits of the thread's number that move by `distance` in a map, up where it is positive. */
static uint32_t diagonal(const uint32_t *mask, unsigned count, int distance)
{
    uint32_t bits = 0;
    for (unsigned k = 0; k < count; k++) {
        int to = (int)k + distance;
        if (to >= 0 && to < 32) bits |= (mask[k] >> to & 1) << k;
    }
    return bits;
}

static int longest(const uint32_t *mask, unsigned count)
{
    int best = 0, most = 0;
    for (int d = 1 - 32; d < 32; d++) {
        int length = __builtin_popcount(diagonal(mask, count, d));
        if (length > most) best = d, most = length;
    }
    return best;
}

static unsigned fullest(const uint32_t *mask, unsigned count)
{
    unsigned best = 0;
    for (unsigned k = 1; k < count; k++)
        if (__builtin_popcount(mask[k]) > __builtin_popcount(mask[best])) best = k;
    return best;
}

/* Prints the bits of a diagonal in their places. */
static uint32_t say_diagonal(zl_speaker *s, uint32_t *mask, unsigned count, int distance)
{
    uint32_t bits = diagonal(mask, count, distance), out = zl_say_value(s);
    for (unsigned k = 0; k < count; k++)
        if (bits >> k & 1) mask[k] &= ~(1u << ((int)k + distance));
    if (!distance) zl_word_say(s, ZL_SAY_BITS, "zx", out, bits);
    else if (distance > 0) zl_word_say(s, ZL_SAY_UP, "zux", out, distance, bits << distance);
    else zl_word_say(s, ZL_SAY_DOWN, "zux", out, -distance, bits >> -distance);
    return out;
}

static uint32_t say_column(zl_speaker *s, uint32_t *mask, unsigned k)
{
    uint32_t bit = zl_say_value(s), out = zl_say_value(s);
    zl_word_say(s, ZL_SAY_DOWN, "zux", bit, k, 1);
    zl_word_say(s, ZL_SAY_SCALE, "zzx", out, bit, mask[k]);
    mask[k] = 0;
    return out;
}

/* Whether one bit of the thread's number decides alone, and flips several bits. */
static bool is_column(const uint32_t *mask, unsigned count, unsigned *bit)
{
    unsigned others = 0;
    *bit = fullest(mask, count);
    for (unsigned k = 0; k < count; k++) others += k != *bit && mask[k];
    return !others && __builtin_popcount(mask[*bit]) > 1;
}

/* A matrix over F2: its diagonals and columns, the one with the most entries first. */
static bool say_parts(zl_speaker *s, const uint32_t *mask, unsigned count, uint32_t *at)
{
    uint32_t left[ZL_SLOT_BITS] = {0}, sum = 0;
    bool first = true;
    memcpy(left, mask, count * sizeof *mask);
    for (;;) {
        int distance = longest(left, count);
        unsigned k = fullest(left, count);
        int along = __builtin_popcount(diagonal(left, count, distance));
        if (!along) break;
        bool column = __builtin_popcount(left[k]) > along;
        uint32_t part = column ? say_column(s, left, k) : say_diagonal(s, left, count, distance);
        if (first) {
            sum = part;
        } else {
            uint32_t both = zl_say_value(s);
            zl_word_say(s, ZL_SAY_XOR, "zzz", both, sum, part);
            sum = both;
        }
        first = false;
    }
    *at = sum;
    return !first;
}

void zl_say_mix(zl_speaker *s, const uint32_t *mask, unsigned count)
{
    zl_text seed = {s->seed, sizeof s->seed - 1, 0};
    uint32_t at;
    unsigned bit;
    s->seed[0] = 0;
    s->seeded_count = s->column = 0;
    if (is_column(mask, count, &bit)) {
        s->column = mask[bit];
        s->column_by = zl_say_test(s, 1u << bit);
    } else if (say_parts(s, mask, count, &at)) {
        zl_say_register(s, &seed, at);
        s->seed[seed.need] = 0;
    }
}

/* The register of the seed with a constant, which is computed once. */
static uint32_t seeded(zl_speaker *s, uint32_t constant)
{
    for (uint32_t i = 0; i < s->seeded_count; i++)
        if (s->seeded[i].constant == constant) return s->seeded[i].at;
    uint32_t with = zl_say_value(s);
    if (s->column)
        zl_word_say(s, ZL_SAY_SELECT, "zxxq", with, constant ^ s->column, constant, s->column_by);
    else zl_word_say(s, ZL_SAY_XOR, "zsx", with, s->seed, constant);
    if (s->seeded_count < ZL_SEEDED) {
        s->seeded[s->seeded_count].constant = constant;
        s->seeded[s->seeded_count++].at = with;
    }
    return with;
}

void zl_say_seeded(zl_speaker *s, char out[16], uint32_t constant)
{
    zl_text text = {out, 15, 0};
    if (!s->seed[0] && !s->column) zl_say_hex(s, &text, constant);
    else if (!constant && !s->column) zl_puts(&text, s->seed);
    else zl_say_register(s, &text, seeded(s, constant));
    out[text.need] = 0;
}

uint32_t zl_say_test(zl_speaker *s, uint32_t bits)
{
    uint32_t number = (uint32_t)__builtin_ctz(bits);
    bool one = zl_is_power_of_two(bits);
    if (one && s->tested >> number & 1) return s->test[number];
    uint32_t q = s->predicates++, z = zl_say_value(s);
    char text[16];
    zl_text out = {text, sizeof text - 1, 0};
    zl_word_say(s, one ? ZL_SAY_BIT : ZL_SAY_BITS, "zx", z, bits);
    zl_say_register(s, &out, z);
    text[out.need] = 0;
    zl_word_say(s, ZL_SAY_TEST, "qs", q, text);
    if (one) s->tested |= 1u << number, s->test[number] = q;
    return q;
}

uint32_t zl_say_parity(zl_speaker *s, uint32_t bits)
{
    uint32_t mask[ZL_SLOT_BITS] = {0};
    if (zl_is_power_of_two(bits)) return zl_say_test(s, bits);
    for (unsigned k = 0; k < ZL_SLOT_BITS; k++) mask[k] = bits >> k & 1;
    zl_say_mix(s, mask, ZL_SLOT_BITS);
    zl_word_say(s, ZL_SAY_TEST, "qs", s->predicates, s->seed);
    return s->predicates++;
}
