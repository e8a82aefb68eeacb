/* SPDX-License-Identifier: Apache-2.0 */
/* Says what depends on the thread: an affine map over F2 of its number as shifts, masks and XOR, a
 * constant beside it, and the parity of some bits. The matrix of the map is covered by diagonals, all
 * bits that move by one distance, and by columns, one bit that flips several. */
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

/* Prints the bits of a diagonal in their places: the thread's number shifted, then masked, for a mask
 * and the XOR behind it are one instruction. */
static uint32_t say_diagonal(zl_speaker *s, uint32_t *mask, unsigned count, int distance)
{
    uint32_t bits = diagonal(mask, count, distance), moved = zl_say_value(s), out = zl_say_value(s);
    uint32_t by = (uint32_t)(distance < 0 ? -distance : distance);
    for (unsigned k = 0; k < count; k++)
        if (bits >> k & 1) mask[k] &= ~(1u << ((int)k + distance));
    if (!distance) {
        zl_word_say(s, ZL_SAY_BITS, "zx", out, bits);
        return out;
    }
    zl_word_say(s, distance < 0 ? ZL_SAY_PART : ZL_SAY_LEFT, "zsu", moved, zl_say_thread(s), by);
    zl_word_say(s, ZL_SAY_MASK, "zzx", out, moved, distance < 0 ? bits >> by : bits << by);
    return out;
}

/* One of two numbers, by whether a bit of the thread's number is set. */
static uint32_t say_column(zl_speaker *s, uint32_t k, uint32_t set, uint32_t clear)
{
    uint32_t out = zl_say_value(s), q = zl_say_odd(s, 1u << k);
    char text[2][16];
    for (int i = 0; i < 2; i++) {
        zl_text to = {text[i], sizeof text[i] - 1, 0};
        zl_say_hex(s, &to, i ? clear : set);
        text[i][to.need] = 0;
    }
    zl_word_say(s, ZL_SAY_SELECT, "zssq", out, text[0], text[1], q);
    return out;
}

/* Adds a register to the seed by XOR. */
static void seed_add(zl_speaker *s, uint32_t part)
{
    zl_text seed = {s->seed, sizeof s->seed - 1, 0};
    uint32_t both = part;
    if (s->seed[0]) zl_word_say(s, ZL_SAY_XOR, "zsz", both = zl_say_value(s), s->seed, part);
    zl_say_register(s, &seed, both);
    s->seed[seed.need] = 0;
}

/* Whether one bit alone flips anything, and more than one bit. */
static bool is_lone(const uint32_t *mask, unsigned count, uint32_t *k)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < count; i++)
        if (mask[i]) found++, *k = i;
    return found == 1 && !zl_is_power_of_two(mask[*k]);
}

/* A matrix over F2: its diagonals and columns, the one with the most entries first. A lone column
 * waits for a constant that it can choose. */
void zl_say_mix(zl_speaker *s, const uint32_t *mask, unsigned count)
{
    uint32_t left[ZL_SLOT_BITS] = {0};
    memcpy(left, mask, count * sizeof *mask);
    s->seed[0] = 0;
    s->flips = s->held_constant = 0;
    if (is_lone(mask, count, &s->flipped_by)) {
        s->flips = mask[s->flipped_by];
        return;
    }
    for (;;) {
        int distance = longest(left, count);
        unsigned k = fullest(left, count);
        int along = __builtin_popcount(diagonal(left, count, distance));
        if (!along) return;
        bool column = __builtin_popcount(left[k]) > along;
        seed_add(s, column ? say_column(s, k, left[k], 0) : say_diagonal(s, left, count, distance));
        if (column) left[k] = 0;
    }
}

bool zl_say_is_seeded(const zl_speaker *s) { return s->seed[0] || s->flips; }

void zl_say_seeded(zl_speaker *s, char out[16], uint32_t constant)
{
    zl_text text = {out, 15, 0};
    if (s->flips) {
        seed_add(s, say_column(s, s->flipped_by, s->flips ^ constant, constant));
        s->held_constant = constant;
        s->flips = 0;
    }
    uint32_t other = constant ^ s->held_constant;
    if (!s->seed[0]) zl_say_hex(s, &text, constant);
    else if (!other) zl_puts(&text, s->seed);
    else {
        uint32_t with = zl_say_value(s);
        zl_word_say(s, ZL_SAY_XOR, "zsx", with, s->seed, other);
        zl_say_register(s, &text, with);
    }
    out[text.need] = 0;
}

uint32_t zl_say_odd(zl_speaker *s, uint32_t bits)
{
    uint32_t mask[ZL_SLOT_BITS] = {0}, bit = zl_say_value(s), q;
    if (zl_is_power_of_two(bits)) {
        zl_word_say(s, ZL_SAY_BIT, "zx", bit, bits);
        zl_word_say(s, ZL_SAY_TEST, "qz", q = s->predicates++, bit);
        return q;
    }
    for (unsigned k = 0; k < ZL_SLOT_BITS; k++) mask[k] = bits >> k & 1;
    zl_say_mix(s, mask, ZL_SLOT_BITS);
    zl_word_say(s, ZL_SAY_TEST, "qs", q = s->predicates++, s->seed);
    return q;
}

/* ---- lanes ---------------------------------------------------------------------------------- */

uint32_t zl_say_index(zl_speaker *s, uint32_t from, const char *lane, unsigned bits)
{
    char width[16];
    zl_text text = {width, sizeof width - 1, 0};
    uint32_t out = zl_say_value(s), clamp = (uint32_t)(32 - (1 << bits)) << 8 | 31;
    if (bits < 5) zl_putf(&text, ", %u", 1u << bits);
    width[text.need] = 0;
    zl_word_say(s, ZL_SAY_INDEX, "zzsus", out, from, lane, clamp, width);
    return out;
}

/* Lane bits from 2^bits on stay where they are, and nothing else flips them. */
unsigned zl_say_group(const zl_speaker *s, uint32_t *mask, unsigned count, unsigned most)
{
    unsigned lanes = s->word->slots.lane, bits = lanes;
    uint32_t others;
    if (s->language == ZLAY_TEXT_HIP) return lanes;
    do {
        others = 0;
        for (unsigned k = 0; k < count; k++) others |= k == bits - 1 ? 0 : mask[k];
    } while (bits > most && mask[bits - 1] == 1u << (bits - 1) && !(others >> (bits - 1) & 1) && --bits);
    for (unsigned k = 0; k < count; k++) mask[k] &= (1u << bits) - 1;
    return bits;
}
