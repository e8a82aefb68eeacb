/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of addresses that a device's counters were read for, drawn anew by whoever asks: C and C++. The i-th pattern of a class
 * depends on nothing else, so that tests/data keeps counters alone. */
#ifndef TEST_BANK_PATTERNS_H
#define TEST_BANK_PATTERNS_H

#include <stdint.h>

enum { BANK_LANES = 32, BANK_PATTERNS = 256, BANK_SPAN = 65536, BANK_OFF = -1 };

/* splitmix64 */
static inline uint32_t bank_draw(uint64_t *state, uint32_t below)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) % below);
}

/* Strides in units of the access: small, odd, powers of two, rows with a pad. */
static inline uint32_t bank_stride(uint64_t *s, uint32_t bytes)
{
    switch (bank_draw(s, 4)) {
    case 0: return bank_draw(s, 9) * bytes;
    case 1: return bytes << bank_draw(s, 7);
    case 2: return (128u << bank_draw(s, 3)) + bank_draw(s, 5) * bytes;
    default: return bank_draw(s, 100) * bytes;
    }
}

static inline void bank_strided(uint64_t *s, uint32_t *at, uint32_t bytes)
{
    uint32_t inner = 1u << bank_draw(s, 6), a = bank_stride(s, bytes), b = bank_stride(s, bytes);
    for (uint32_t l = 0; l < BANK_LANES; l++) at[l] = l % inner * a + l / inner * b;
}

static inline void bank_random(uint64_t *s, uint32_t *at, uint32_t bytes)
{
    uint32_t below = 1 + bank_draw(s, 8u << bank_draw(s, 9));
    for (uint32_t l = 0; l < BANK_LANES; l++) at[l] = bank_draw(s, below) * bytes;
}

/* Lanes that share an address: neighbours, lanes of one residue, or lanes at random. */
static inline void bank_shared(uint64_t *s, uint32_t *at, uint32_t bytes)
{
    uint32_t place[BANK_LANES], groups = 1 + bank_draw(s, 16), how = bank_draw(s, 3);
    uint32_t below = 1 + bank_draw(s, 512);
    for (uint32_t g = 0; g < BANK_LANES; g++) place[g] = bank_draw(s, below) * bytes;
    for (uint32_t l = 0; l < BANK_LANES; l++)
        at[l] = place[how == 0 ? l / groups : how == 1 ? l % groups : bank_draw(s, groups)];
}

/* Rows whose column has bits of the row added. */
static inline void bank_swizzled(uint64_t *s, uint32_t *at, uint32_t bytes)
{
    uint32_t columns = 1u << bank_draw(s, 5), mask = bank_draw(s, 8), shift = bank_draw(s, 3);
    uint32_t pitch = 32u << bank_draw(s, 5), across = bank_draw(s, 2);
    if (pitch < columns * bytes) pitch = columns * bytes;
    for (uint32_t l = 0; l < BANK_LANES; l++) {
        uint32_t row = across ? l / columns : l % (BANK_LANES / columns);
        uint32_t column = across ? l % columns : l / (BANK_LANES / columns);
        at[l] = row * pitch + (column ^ (row >> shift & mask & (pitch / bytes - 1))) * bytes;
    }
}

/* Each bit of the lane adds its own address over F2. */
static inline void bank_linear(uint64_t *s, uint32_t *at, uint32_t bytes)
{
    uint32_t basis[5], below = 2u << bank_draw(s, 9);
    for (uint32_t b = 0; b < 5; b++) basis[b] = bank_draw(s, 4) ? bank_draw(s, below) : 0;
    for (uint32_t l = 0; l < BANK_LANES; l++) {
        uint32_t v = 0;
        for (uint32_t b = 0; b < 5; b++) v ^= l >> b & 1 ? basis[b] : 0;
        at[l] = v * bytes;
    }
}

/* Consecutive places in another order, some of them a row away. */
static inline void bank_shuffled(uint64_t *s, uint32_t *at, uint32_t bytes)
{
    uint32_t away = bank_draw(s, 3) ? 0 : bank_draw(s, 8), twice = bank_draw(s, 4);
    for (uint32_t l = 0; l < BANK_LANES; l++) at[l] = l * bytes;
    for (uint32_t l = BANK_LANES - 1; l > 0; l--) {
        uint32_t j = bank_draw(s, l + 1), t = at[l];
        at[l] = at[j];
        at[j] = t;
    }
    for (uint32_t n = 0; n < away; n++) at[bank_draw(s, BANK_LANES)] += 1024;
    for (uint32_t n = 0; n < twice; n++) at[bank_draw(s, BANK_LANES)] = at[bank_draw(s, BANK_LANES)];
}

/* Which lanes are active: all, each with a chance, a prefix, one residue, one group of four or eight less. */
static inline uint32_t bank_active(uint64_t *s)
{
    uint32_t how = bank_draw(s, 10), mask = 0, k = bank_draw(s, 32), chance = 1 + bank_draw(s, 7);
    if (how < 5) return 0xffffffffu;
    for (uint32_t l = 0; l < BANK_LANES; l++) {
        uint32_t on = how == 5 || how == 6 ? bank_draw(s, 8) < chance
                      : how == 7           ? l <= k
                      : how == 8           ? l % (2u << k % 3) != k % 2
                                           : l / (4u << k % 3) != k % 4;
        mask |= on << l;
    }
    return mask;
}

/* `lanes` below 32: the access takes its addresses from those alone, and all of them. */
static inline void bank_pattern(uint32_t *at, uint32_t klass, uint32_t i, uint32_t bytes, uint32_t lanes, int collective)
{
    uint64_t s = (uint64_t)klass << 32 | i;
    uint32_t active = bank_active(&s), base = bank_draw(&s, 64) * bytes;
    switch (bank_draw(&s, 8)) {
    case 0: case 1: bank_strided(&s, at, bytes); break;
    case 2: bank_random(&s, at, bytes); break;
    case 3: bank_shared(&s, at, bytes); break;
    case 4: bank_swizzled(&s, at, bytes); break;
    case 5: case 6: bank_linear(&s, at, bytes); break;
    default: bank_shuffled(&s, at, bytes); break;
    }
    for (uint32_t l = 0; l < BANK_LANES; l++) {
        at[l] = (at[l] + base) % BANK_SPAN;
        if (l >= lanes || (!collective && !(active >> l & 1))) at[l] = (uint32_t)BANK_OFF;
    }
}

#endif
