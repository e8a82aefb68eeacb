/* SPDX-License-Identifier: Apache-2.0 */
/* Moves inside a lane, back(slot) = A x + B t of the slot's own bits x and the thread's number t, in
 * two stages: B's image is a space of words, and for each vector of its basis every word is selected
 * between itself and the word that lies so far away, by the parity of some bits of t; then a word is
 * put together from bytes of the words that A names. A shuffle brings a word from each lane that a
 * part comes from, and puts their bytes together. */
#include "emit/function/convert/say.h"

#include <string.h>

static unsigned inner_of(const zl_trip_text *t) { return t->parts + t->words; }

static unsigned selector_bits(const zl_speaker *s) { return s->language == ZLAY_TEXT_HIP ? 8 : 4; }

/* ---- bytes ---------------------------------------------------------------------------------- */

/* prmt of two registers with a constant selector. */
static uint32_t permute(zl_speaker *s, uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t out = zl_say_value(s);
    char text[16];
    zl_text to = {text, sizeof text - 1, 0};
    zl_say_hex(s, &to, selector);
    text[to.need] = 0;
    zl_word_say(s, ZL_SAY_PERMUTE, "zzzs", out, a, b, text);
    return out;
}

/* A word of four bytes, byte q being byte at[q] of the register from[q]: the bytes of the first two
 * registers in one instruction, then those of each further one. */
static uint32_t gather(zl_speaker *s, const uint32_t *from, const uint32_t *at)
{
    uint32_t word = from[0], taken = 0;
    bool whole = true;
    for (uint32_t q = 0; q < ZL_WORD_BYTES; q++) whole = whole && from[q] == word && at[q] == q;
    if (whole) return word;
    while (taken != (1u << ZL_WORD_BYTES) - 1) {
        uint32_t other = word, selector = 0, had = taken;
        for (uint32_t q = 0; q < ZL_WORD_BYTES; q++) {
            bool own = had ? had >> q & 1 : from[q] == from[0];
            if (!own && other == word) other = from[q];
            bool next = !own && from[q] == other;
            if (own || next) taken |= 1u << q;
            uint32_t byte = next ? ZL_WORD_BYTES + at[q] : own && !had ? at[q] : q;
            selector |= byte << (selector_bits(s) * q);
        }
        word = permute(s, word, other, selector);
    }
    return word;
}

/* ---- choices by the thread ------------------------------------------------------------------ */

/* B as vectors, each with the bits of t whose parity chooses it. */
typedef struct choices {
    uint32_t count;
    uint64_t vector[64], chosen_by[64];
} choices;

/* Gauss-Jordan: no vector has another one's highest bit. */
static void choices_of(choices *c, const zl_trip_text *t, const zl_affine *back)
{
    uint64_t inside = ((uint64_t)1 << inner_of(t)) - 1;
    c->count = 0;
    for (unsigned k = inner_of(t); k < back->bits; k++) {
        uint64_t value = back->basis[k] & inside;
        for (uint32_t i = 0; i < c->count; i++) {
            if (!(value >> zl_log2(c->vector[i]) & 1)) continue;
            value ^= c->vector[i];
            c->chosen_by[i] |= (uint64_t)1 << (k - inner_of(t));
        }
        if (!value) continue;
        uint64_t by = (uint64_t)1 << (k - inner_of(t));
        for (uint32_t i = 0; i < c->count; i++) {
            if (!(c->vector[i] >> zl_log2(value) & 1)) continue;
            c->vector[i] ^= value;
            by ^= c->chosen_by[i];
        }
        c->vector[c->count] = value;
        c->chosen_by[c->count++] = by;
    }
}

static void choose_words(zl_speaker *s, const zl_trip_text *t, uint64_t chosen_by, uint32_t apart)
{
    uint32_t q = zl_say_odd(s, (uint32_t)chosen_by);
    for (uint32_t r = 0; r < 1u << t->words; r++) {
        s->next[r] = zl_say_value(s);
        zl_word_say(s, ZL_SAY_SELECT, "zzzq", s->next[r], s->held[r ^ apart], s->held[r], q);
    }
    memcpy(s->held, s->next, sizeof s->held);
}

/* Of words and parts: each byte comes from the other place where the parity of some bits of the thread
 * is odd, which changes the selector. */
static void choose_bytes(zl_speaker *s, const zl_trip_text *t, uint64_t chosen_by, uint32_t apart,
                         uint32_t change)
{
    uint32_t order = 0, mask[ZL_SLOT_BITS] = {0};
    char select[16];
    for (unsigned k = 0; k < ZL_SLOT_BITS; k++) mask[k] = chosen_by >> k & 1 ? change : 0;
    zl_say_mix(s, mask, ZL_SLOT_BITS);
    for (uint32_t q = 0; q < ZL_WORD_BYTES; q++) order |= q << (selector_bits(s) * q);
    zl_say_seeded(s, select, order);
    for (uint32_t r = 0; r < 1u << t->words; r++) {
        s->next[r] = zl_say_value(s);
        zl_word_say(s, ZL_SAY_PERMUTE, "zzzs", s->next[r], s->held[r], s->held[r ^ apart], select);
    }
    memcpy(s->held, s->next, sizeof s->held);
}

/* How the selector of every byte changes where a vector is chosen. */
static uint32_t selector_change(const zl_speaker *s, const zl_trip_text *t, uint64_t vector)
{
    uint32_t part = (uint32_t)vector & ((1u << t->parts) - 1), change = 0;
    uint32_t each = part * (ZL_WORD_BYTES >> t->parts);
    if (vector >> t->parts) each |= ZL_WORD_BYTES;
    for (uint32_t q = 0; q < ZL_WORD_BYTES; q++) change |= each << (selector_bits(s) * q);
    return change;
}

void zl_trip_say_lane(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step)
{
    uint32_t parts = (1u << t->parts) - 1, each = ZL_WORD_BYTES >> t->parts;
    choices c;
    choices_of(&c, t, &step->map);
    for (uint32_t i = 0; i < c.count; i++) {
        uint32_t apart = (uint32_t)(c.vector[i] >> t->parts);
        uint32_t change = selector_change(s, t, c.vector[i]);
        if (c.vector[i] & parts) choose_bytes(s, t, c.chosen_by[i], apart, change);
        else choose_words(s, t, c.chosen_by[i], apart);
    }
    for (uint32_t r = 0; r < 1u << t->words; r++) {
        uint32_t from[ZL_WORD_BYTES], at[ZL_WORD_BYTES];
        for (uint32_t q = 0; q < ZL_WORD_BYTES; q++) {
            uint64_t source = zl_xor_of(step->map.basis, (uint64_t)r << t->parts | q / each);
            from[q] = s->held[(source >> t->parts) & ((1u << t->words) - 1)];
            at[q] = (uint32_t)(source & parts) * each + q % each;
        }
        s->next[r] = r < 1u << step->words ? gather(s, from, at) : s->held[r];
    }
    memcpy(s->held, s->next, sizeof s->held);
}

/* ---- lanes ---------------------------------------------------------------------------------- */

static uint32_t lane_of(const zl_trip_text *t, uint64_t slot)
{
    return (uint32_t)(slot >> inner_of(t)) & ((1u << t->lanes) - 1);
}

/* The word that a slot comes from, brought from its lane; the seed has what depends on the thread. */
static uint32_t bring(zl_speaker *s, const zl_trip_text *t, uint64_t source, unsigned group)
{
    char lane[16];
    zl_say_seeded(s, lane, lane_of(t, source));
    return zl_say_index(s, s->held[(source >> t->parts) & ((1u << t->words) - 1)], lane, group);
}

static uint32_t word_brought(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step, uint32_t r,
                             unsigned group)
{
    uint32_t parts = (1u << t->parts) - 1, each = ZL_WORD_BYTES >> t->parts;
    uint32_t from[ZL_WORD_BYTES], at[ZL_WORD_BYTES];
    uint64_t source[ZL_WORD_BYTES];
    for (uint32_t q = 0; q < ZL_WORD_BYTES; q++) {
        uint32_t p = 0;
        source[q] = zl_xor_of(step->map.basis, (uint64_t)r << t->parts | q / each);
        at[q] = (uint32_t)(source[q] & parts) * each + q % each;
        while (p < q && (source[p] ^ source[q]) & ~(uint64_t)parts) p++;
        from[q] = p < q ? from[p] : bring(s, t, source[q], group);
    }
    return gather(s, from, at);
}

void zl_trip_say_shuffle(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step)
{
    uint32_t mask[ZL_SLOT_BITS] = {0}, inner = inner_of(t), most = 0;
    for (unsigned k = 0; k < inner; k++) most |= lane_of(t, step->map.basis[k]);
    for (unsigned k = inner; k < step->map.bits; k++) mask[k - inner] = lane_of(t, step->map.basis[k]);
    unsigned group = zl_say_group(s, mask, ZL_SLOT_BITS, zl_bit_length(most));
    zl_say_mix(s, mask, ZL_SLOT_BITS);
    for (uint32_t r = 0; r < 1u << t->words; r++)
        s->next[r] = r < 1u << step->words ? word_brought(s, t, step, r, group) : s->held[r];
    memcpy(s->held, s->next, sizeof s->held);
}
