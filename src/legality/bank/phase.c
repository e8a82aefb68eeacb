/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefronts of phases: the most distinct keys that lanes ask of one way. No branch depends on an
 * address: mispredicted ones took longer than all of the counting. */
#include "legality/bank/bank.h"

#include <string.h>

enum { KEYS_MOST = ZLAY_BANK_LANES * 3, SLOT_BITS = 12, TAG_BITS = 1, SIDE = 4, ROWS = 16, DIGITS = 5, WAYS_MOST = 32 };

typedef uint32_t four __attribute__((vector_size(16)));
typedef int32_t four_signed __attribute__((vector_size(16)));
typedef float four_floats __attribute__((vector_size(16)));
enum { EXPONENT_ZERO = 127, MANTISSA = 23 }; /* of a float */

static inline four row_of(const uint32_t *row)
{
    four f;
    memcpy(&f, row, sizeof f);
    return f;
}

/* ---- addresses of a phase -------------------------------------------------------------- */

/* The addresses of some lanes one after the other: where they stand, or in `room`. */
static const uint32_t *addresses_of(uint32_t *room, uint32_t *count, const zl_bank_keys *c, uint64_t lanes)
{
    uint32_t low = (uint32_t)__builtin_ctzll(lanes), past = 64 - (uint32_t)__builtin_clzll(lanes);
    *count = past - low;
    if (lanes >> low == UINT64_MAX >> (64 - *count)) return c->addresses + low;
    for (*count = 0; lanes; lanes &= lanes - 1) room[(*count)++] = c->addresses[__builtin_ctzll(lanes)];
    return room;
}

/* The last address of a way stands for it, and all others of the way must have its key. */
bool zl_bank_is_free(const zl_bank_keys *c, uint64_t lanes)
{
    uint32_t room[ZLAY_BANK_LANES], held[ZLAY_BANK_LANES], count, other = 0;
    const uint32_t *address = addresses_of(room, &count, c, lanes), mask = c->ways - 1, shift = c->shift;
    uint64_t taken = 0;
    if (c->distinct) {
        for (uint32_t i = 0; i < count; i++) taken |= UINT64_C(1) << (address[i] >> shift & mask);
        return (uint32_t)__builtin_popcountll(taken) == count;
    }
    for (uint32_t i = 0; i < count; i++) held[address[i] >> shift & mask] = address[i];
    for (uint32_t i = 0; i < count; i++) other |= held[address[i] >> shift & mask] ^ address[i];
    return !(other >> shift);
}

/* ---- wide phases: keys in slots ---------------------------------------------------------- */

static inline uint32_t slot_of(uint32_t key) { return key & ((1u << SLOT_BITS) - 1); }

/* Keys whose slot another key holds. */
static uint32_t without_slot(uint32_t *key, uint32_t count, const uint8_t *slot)
{
    uint32_t rest[KEYS_MOST + 1], left = 0;
    for (uint32_t i = 0; i < count; i++) {
        rest[left] = key[i];
        left += key[slot[slot_of(key[i])]] != key[i];
    }
    memcpy(key, rest, left * sizeof *rest);
    return left;
}

/* Each key once, counted by its way. In a round the last key of a slot holds it, and a slot is read only
 * after a key of the round has written it. */
static void each_once(uint8_t *held, uint32_t *key, uint32_t count, uint32_t ways)
{
    uint8_t slot[1 << SLOT_BITS];
    while (count) {
        uint32_t others = 0;
        for (uint32_t i = 0; i < count; i++) slot[slot_of(key[i])] = (uint8_t)i;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t holder = slot[slot_of(key[i])], way = key[i] & (ways - 1);
            held[way] = (uint8_t)(held[way] + (holder == i));
            others |= key[holder] ^ key[i];
        }
        count = others ? without_slot(key, count, slot) : 0;
    }
}

/* Where keys of phases go: phase p of a few has its number in the low bits. */
typedef struct tagged {
    uint32_t key[KEYS_MOST], count, bits;
} tagged;

/* The first keys of lanes in a row. */
static void gather_row(tagged *t, const zl_bank_keys *c, uint32_t first, uint32_t past, uint32_t phase)
{
    const uint32_t *from = c->addresses + first, count = past - first;
    uint32_t *to = t->key + t->count, shift = c->shift, bits = t->bits;
    for (uint32_t i = 0; i < count; i += SIDE) {
        four f = row_of(from + i) >> shift << bits | phase;
        memcpy(to + i, &f, sizeof f);
    }
    t->count += count;
}

static void gather(tagged *t, const zl_bank_keys *c, uint64_t lanes, uint32_t phase)
{
    uint32_t low = (uint32_t)__builtin_ctzll(lanes), past = 64 - (uint32_t)__builtin_clzll(lanes);
    bool in_a_row = lanes >> low == UINT64_MAX >> (64 - (past - low));
    if (c->each == 1 && in_a_row && (past - low) % SIDE == 0) {
        gather_row(t, c, low, past, phase);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        uint32_t first = c->addresses[__builtin_ctzll(lanes)] >> c->shift;
        for (uint32_t i = 0; i < c->each; i++) t->key[t->count++] = (first + i) << t->bits | phase;
    }
}

/* Whether two keys are one: of those that share a slot one does not hold it. */
static bool repeat(tagged *t)
{
    uint8_t slot[1 << SLOT_BITS], held[ZLAY_BANK_LANES] = {0};
    uint32_t lost = 0, once = 0, count = t->count;
    bool met = false;
    for (uint32_t i = 0; i < count; i++) slot[slot_of(t->key[i])] = (uint8_t)i;
    for (uint32_t i = 0; i < count; i++) lost |= slot[slot_of(t->key[i])] ^ i;
    if (!lost) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t holder = slot[slot_of(t->key[i])];
        met |= (holder != i) & (t->key[holder] == t->key[i]);
    }
    if (met) return true;
    each_once(held, t->key, count, ZLAY_BANK_LANES);
    for (uint32_t w = 0; w < ZLAY_BANK_LANES; w++) once += held[w];
    return once < count;
}

bool zl_bank_repeats(const zl_bank_keys *c, uint64_t lanes, const uint32_t *second)
{
    tagged t;
    t.count = t.bits = 0;
    if (lanes) gather(&t, c, lanes, 0);
    for (; second && lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
        t.key[t.count] = second[lane] >> c->shift;
        t.count += second[lane] != c->addresses[lane];
    }
    return repeat(&t);
}

/* The greater of each two bytes below 128. */
static inline uint64_t greater(uint64_t a, uint64_t b)
{
    const uint64_t high = 0x8080808080808080;
    uint64_t keep = ((((a | high) - b) & high) >> 7) * UINT8_MAX;
    return (a & keep) | (b & ~keep);
}

/* The sum over phases of the most that one of its ways holds. */
static uint32_t sum_most(const uint8_t *held, uint32_t ways, uint32_t bits)
{
    uint64_t most = 0, eight;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < ways << bits; i += 8) {
        memcpy(&eight, held + i, sizeof eight);
        most = greater(most, eight);
    }
    for (uint32_t width = 4; width >> bits; width /= 2) most = greater(most, most >> 8 * width);
    for (uint32_t p = 0; p < 1u << bits; p++) sum += most >> 8 * p & UINT8_MAX;
    return sum;
}

static uint32_t slots_wavefronts(const zl_bank_keys *c, const uint64_t *phases, uint32_t count)
{
    uint8_t held[ZLAY_BANK_LANES << TAG_BITS];
    tagged t;
    t.count = 0;
    t.bits = count > 1;
    memset(held, 0, c->ways << t.bits);
    for (uint32_t p = 0; p < count; p++) gather(&t, c, phases[p], p);
    if (!c->distinct) each_once(held, t.key, t.count, c->ways << t.bits);
    for (uint32_t i = 0; c->distinct && i < t.count; i++) held[t.key[i] & ((c->ways << t.bits) - 1)]++;
    return sum_most(held, c->ways, t.bits);
}

/* ---- narrow phases: four side by side ------------------------------------------------------ */

/* Row r has the r-th lane of each of four phases: its first key, and the ways it asks. */
typedef struct columns {
    uint32_t key[ROWS][SIDE], asked[ROWS][SIDE];
} columns;

/* The addresses of a phase's lanes, followed by inactive ones up to the rows of a column. */
static const uint32_t *column_of(uint32_t *room, const zl_bank_keys *c, uint64_t lanes)
{
    uint32_t count = 0;
    const uint32_t *address = lanes ? addresses_of(room, &count, c, lanes) : room;
    if (count == c->lanes) return address;
    if (address != room) memcpy(room, address, count * sizeof *room);
    for (uint32_t row = count; row < c->lanes; row++) room[row] = ZLAY_BANK_INACTIVE;
    return room;
}

/* Lanes of one key each: the key, all ones where there is no lane, as no key is, and its way. A power
 * of two is a float's exponent, as no shift of SSE2 takes another number for each. */
static void put_columns(columns *t, const zl_bank_keys *c, const uint64_t *phases, uint32_t count)
{
    uint32_t room[SIDE][ZLAY_BANK_LANES];
    const uint32_t *at[SIDE], shift = c->shift, mask = c->ways - 1;
    for (uint32_t side = 0; side < SIDE; side++)
        at[side] = column_of(room[side], c, side < count ? phases[side] : 0);
    for (uint32_t i = 0; i < c->lanes; i++) {
        four address = {at[0][i], at[1][i], at[2][i], at[3][i]};
        four off = (four)(address == ZLAY_BANK_INACTIVE), key = address >> shift | off;
        four_floats power = (four_floats)(((key & mask) + EXPONENT_ZERO) << MANTISSA);
        four asked = (four)__builtin_convertvector(power, four_signed) & ~off;
        memcpy(t->key[i], &key, sizeof key);
        memcpy(t->asked[i], &asked, sizeof asked);
    }
}

/* Lanes of several keys each. */
static void put_sets(columns *t, const zl_bank_keys *c, uint32_t side, uint64_t lanes)
{
    const uint64_t set = (1ull << c->each) - 1, ways = (1ull << c->ways) - 1;
    uint32_t row = 0;
    for (; lanes; lanes &= lanes - 1, row++) {
        uint32_t key = c->addresses[__builtin_ctzll(lanes)] >> c->shift;
        uint64_t asked = set << (key & (c->ways - 1));
        t->key[row][side] = key;
        t->asked[row][side] = (uint32_t)((asked | asked >> c->ways) & ways);
    }
    for (; row < c->lanes; row++) t->key[row][side] = t->asked[row][side] = 0;
}

/* Lanes of one key each: one that an earlier lane has is not asked again. */
static void drop_equal(columns *t, uint32_t rows)
{
    for (uint32_t i = 1; i < rows; i++) {
        four key = row_of(t->key[i]), again = {0};
        for (uint32_t j = 0; j < i; j++) again |= (four)(key == row_of(t->key[j]));
        four asked = row_of(t->asked[i]) & ~again;
        memcpy(t->asked[i], &asked, sizeof asked);
    }
}

/* Lanes of several keys, which two lanes may share in part: keys that are so near are in one way only
 * where they are one. */
static void drop_near(columns *t, uint32_t rows, uint32_t each)
{
    const int32_t past = (int32_t)each;
    const four_signed above = {past, past, past, past};
    for (uint32_t i = 1; i < rows; i++) {
        four key = row_of(t->key[i]), again = {0};
        for (uint32_t j = 0; j < i; j++) {
            four_signed far = (four_signed)(key - row_of(t->key[j]));
            again |= (four)((far < above) & (far > -above)) & row_of(t->asked[j]);
        }
        four asked = row_of(t->asked[i]) & ~again;
        memcpy(t->asked[i], &asked, sizeof asked);
    }
}

static inline four carried(four *digit, four carry)
{
    four next = *digit & carry;
    *digit ^= carry;
    return next;
}

/* How many rows ask each way: digit d of way w of a phase is bit w of its number in digits[d]. */
static void add_rows(four *digits, const columns *t, uint32_t rows)
{
    four a = {0}, b = {0}, c = {0}, d = {0}, e = {0};
    for (uint32_t i = 0; i < rows; i++)
        carried(&e, carried(&d, carried(&c, carried(&b, carried(&a, row_of(t->asked[i]))))));
    digits[0] = a, digits[1] = b, digits[2] = c, digits[3] = d, digits[4] = e;
}

/* The greatest number of each phase, summed. */
static uint32_t sum_greatest(const four *digits)
{
    four still = ~(four){0}, value = {0};
    for (uint32_t d = DIGITS; d-- > 0;) {
        four with = still & digits[d], any = (four)(with != 0);
        still = with | (still & ~any);
        value |= any & 1u << d;
    }
    return value[0] + value[1] + value[2] + value[3];
}

static uint32_t columns_wavefronts(const zl_bank_keys *c, const uint64_t *phases, uint32_t count)
{
    columns t;
    four digits[DIGITS];
    if (c->each == 1) put_columns(&t, c, phases, count);
    for (uint32_t side = 0; c->each > 1 && side < SIDE; side++)
        put_sets(&t, c, side, side < count ? phases[side] : 0);
    if (!c->distinct && c->each == 1) drop_equal(&t, c->lanes);
    if (!c->distinct && c->each > 1) drop_near(&t, c->lanes, c->each);
    add_rows(digits, &t, c->lanes);
    return sum_greatest(digits);
}

uint32_t zl_bank_wavefronts(const zl_bank_keys *c, const uint64_t *phases, uint32_t count)
{
    bool narrow = c->lanes <= ROWS && c->ways <= (c->each == 1 ? WAYS_MOST / 2 : WAYS_MOST);
    uint32_t sum = 0;
    for (uint32_t i = 0; narrow && i < count; i += SIDE)
        sum += columns_wavefronts(c, phases + i, count - i);
    for (uint32_t i = 0; !narrow && i < count; i += 1u << TAG_BITS)
        sum += slots_wavefronts(c, phases + i, count - i > 1u << TAG_BITS ? 1u << TAG_BITS : count - i);
    return sum;
}
