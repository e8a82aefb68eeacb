/* SPDX-License-Identifier: Apache-2.0 */
/* One access of a thread: its loads, the bytes put into order, its stores; or one asynchronous
 * copy. */
#include "emit/tile.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 4, NO_BYTE = 0xff /* beyond what is stored */ };

/* ---- values ------------------------------------------------------------------------ */

bool zl_tile_block_of(zl_tile_block *out, const zl_part *p)
{
    out->count = 1;
    out->at[0][0] = out->at[1][0] = 0;
    for (uint32_t i = 0; i < p->part.digits; i++) {
        const zlay_move_digit *d = &p->digit[i];
        if (d->level != ZLAY_DIGIT_VALUE) continue;
        if (d->extent * out->count > ZL_TILE_VALUES) return false;
        int64_t by[] = {p->mode[d->mode].source * (int64_t)d->step,
                        p->mode[d->mode].dest * (int64_t)d->step};
        for (uint32_t v = out->count; v < out->count * d->extent; v++)
            for (int side = 0; side < ZL_TILE_SIDES; side++) {
                int64_t inner = out->at[side][v % out->count];
                int64_t outer = by[side] * (int64_t)(v / out->count);
                out->at[side][v] = p->part.combine ? inner ^ outer : inner + outer;
            }
        out->count *= (uint32_t)d->extent;
    }
    return true;
}

/* Places in rising order, each once. */
static uint32_t places_of(int64_t *out, const zl_tile_block *b, int side)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < b->count; v++) {
        uint32_t i = count;
        int64_t at = b->at[side][v];
        while (i && out[i - 1] > at) i--;
        if (i && out[i - 1] == at) continue;
        memmove(&out[i + 1], &out[i], (count - i) * sizeof *out);
        out[i] = at;
        count++;
    }
    return count;
}

bool zl_tile_vectors_of(zl_tile_vectors *out, const zl_tile_block *b, int side, uint32_t elements)
{
    int64_t place[ZL_TILE_VALUES];
    uint32_t count = places_of(place, b, side);
    if (!elements || count % elements) return false;
    out->elements = elements;
    out->count = count / elements;
    for (uint32_t i = 0; i < count; i++) {
        out->first[i / elements] = place[i - i % elements];
        if (place[i] != place[i - i % elements] + (int64_t)(i % elements)) return false;
    }
    for (uint32_t v = 0; v < b->count; v++) {
        uint32_t i = 0;
        while (place[i] != b->at[side][v]) i++;
        out->vector[v] = (uint16_t)(i / elements);
        out->place[v] = (uint16_t)(i % elements);
    }
    return true;
}

/* ---- bytes --------------------------------------------------------------------------- */

/* Where each byte of a word that is stored was loaded to. */
typedef struct origin {
    uint32_t word[WORD], byte[WORD];
} origin;

static uint32_t value_at(const zl_tile_vectors *to, const zl_tile_block *b, uint32_t vector,
                         uint32_t place)
{
    uint32_t v = 0;
    while (v < b->count && (to->vector[v] != vector || to->place[v] != place)) v++;
    return v;
}

/* The bit of the loaded registers that a value begins at, 32 a register. */
static uint32_t loaded_bit(const zl_tile_vectors *from, uint32_t bits, uint32_t v)
{
    uint32_t words = zl_words_of(from->elements * bits / 8);
    return from->vector[v] * words * 32 + from->place[v] * bits;
}

/* Elements of less than a byte move only where they share one on both sides, in one order. */
static bool byte_of(uint32_t *bit, const zl_tile_vectors *from, const zl_tile_vectors *to,
                    const zl_tile_block *b, uint32_t bits, uint32_t vector, uint32_t byte)
{
    uint32_t place = byte * 8 / bits, each = bits < 8 ? bits : 8;
    uint32_t v = value_at(to, b, vector, place);
    if (v == b->count) return false;
    *bit = loaded_bit(from, bits, v) + byte * 8 % bits;
    for (uint32_t more = each; more < 8; more += each) {
        v = value_at(to, b, vector, place + more / each);
        if (v == b->count || loaded_bit(from, bits, v) != *bit + more) return false;
    }
    return *bit % 8 == 0;
}

static bool origin_of(origin *out, const zl_tile_vectors *from, const zl_tile_vectors *to,
                      const zl_tile_block *b, uint32_t bits, uint32_t vector, uint32_t word)
{
    uint32_t bytes = to->elements * bits / 8;
    for (uint32_t i = 0; i < WORD; i++) {
        uint32_t bit = 0;
        out->word[i] = out->byte[i] = NO_BYTE;
        if (word * WORD + i >= bytes) continue;
        if (!byte_of(&bit, from, to, b, bits, vector, word * WORD + i)) return false;
        out->word[i] = bit / 32;
        out->byte[i] = bit % 32 / 8;
    }
    return true;
}

static uint32_t words_held(const zl_tile_vectors *v, uint32_t bits)
{
    return v->count * zl_words_of(v->elements * bits / 8);
}

static bool is_one(int32_t kind)
{
    return kind != ZLAY_COPY_THREAD_LOAD && kind != ZLAY_COPY_THREAD_STORE;
}

bool zl_tile_fits(const zlay_move *move, const zl_part *p)
{
    zl_tile_block b;
    zl_tile_vectors side[ZL_TILE_SIDES];
    uint32_t bits = move->info.elem_bits;
    const uint32_t width[] = {p->part.source_width, p->part.width};
    if (is_one(p->part.kind)) return true;
    if (!zl_tile_block_of(&b, p)) return false;
    if (p->part.realign)
        return width[0] == width[1] && width[0] % WORD == 0 && bits >= 8 &&
               zl_tile_vectors_of(&side[0], &b, 0, width[0] * 8 / bits) &&
               zl_tile_vectors_of(&side[1], &b, 1, width[1] * 8 / bits);
    for (int s = 0; s < ZL_TILE_SIDES; s++)
        if (!zl_tile_vectors_of(&side[s], &b, s, width[s] * 8 / bits) ||
            words_held(&side[s], bits) > ZL_TILE_WORDS)
            return false;
    for (uint32_t v = 0; v < side[1].count; v++)
        for (uint32_t w = 0; w < zl_words_of(width[1]); w++) {
            origin o;
            if (!origin_of(&o, &side[0], &side[1], &b, bits, v, w)) return false;
        }
    return true;
}

/* ---- loads and stores ------------------------------------------------------------------ */

void zl_tile_vector(zl_tile_text *t, const char *guard, int side, const char *address,
                    const char *prefix, const uint32_t *registers)
{
    char names[8][8];
    const char *operands[9];
    uint32_t width = zl_tile_width(t, side), count = zl_words_of(width);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "%s%u", prefix[0] ? prefix : registers[i] >> 16 ? "v" : "w",
                 registers[i] & 0xffff);
        operands[i + (side == 1)] = names[i];
    }
    operands[side ? 0 : count] = address;
    zl_access what = zl_tile_shared(t, side) ? side ? ZL_ST_SHARED : ZL_LD_SHARED
                     : side                  ? ZL_ST_GLOBAL
                                             : ZL_LD_GLOBAL;
    zl_emit_form(&t->e, guard, zl_access_form(what, width), operands);
}

enum { PERMUTED = 1 << 16 }; /* beside a number: v, not w */

/* The loaded words that a word's bytes come from, each once. */
static uint32_t words_of(uint32_t words[WORD], const origin *o)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < WORD; i++) {
        uint32_t k = 0;
        while (k < count && words[k] != o->word[i]) k++;
        if (k == count && o->word[i] != NO_BYTE) words[count++] = o->word[i];
    }
    return count;
}

/* prmt's selector: bytes of `low` from the first operand, of `high` from the second; the others
 * stay. */
static uint32_t selector_of(const origin *o, uint32_t low, uint32_t high)
{
    uint32_t selector = 0;
    for (uint32_t i = 0; i < WORD; i++) {
        uint32_t from = o->word[i] == high ? 4 + o->byte[i] : o->word[i] == low ? o->byte[i] : i;
        selector |= from << (4 * i);
    }
    return selector;
}

static bool is_loaded(const origin *o)
{
    bool same = true;
    for (uint32_t i = 0; i < WORD && o->word[i] != NO_BYTE; i++)
        same &= o->word[i] == o->word[0] && o->byte[i] == i;
    return same;
}

/* The register that holds a word: one that was loaded, or one put together. */
static uint32_t word_make(zl_tile_text *t, const origin *o, uint32_t number)
{
    uint32_t words[WORD], count = words_of(words, o), last = words[count > 1];
    if (is_loaded(o)) return o->word[0];
    zl_emit_line(&t->e, "prmt.b32 v%u, w%u, w%u, %u;", number, words[0], last,
                 selector_of(o, words[0], last));
    for (uint32_t k = 2; k < count; k++)
        zl_emit_line(&t->e, "prmt.b32 v%u, v%u, w%u, %u;", number, number, words[k],
                     selector_of(o, NO_BYTE, words[k]));
    return PERMUTED | number;
}

void zl_tile_words(zl_tile_text *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES])
{
    zl_tile_vectors from, to;
    char room[40];
    uint32_t bits = t->move->info.elem_bits, each[ZL_TILE_SIDES], registers[8];
    for (int s = 0; s < ZL_TILE_SIDES; s++) each[s] = zl_words_of(zl_tile_width(t, s));
    zl_tile_vectors_of(&from, b, 0, zl_tile_width(t, 0) * 8 / bits);
    zl_tile_vectors_of(&to, b, 1, zl_tile_width(t, 1) * 8 / bits);
    bool combine = t->part->part.combine;
    for (uint32_t i = 0; i < from.count; i++) {
        for (uint32_t w = 0; w < each[0]; w++) registers[w] = i * each[0] + w;
        int64_t at = combine ? more[0] ^ from.first[i] : more[0] + from.first[i];
        zl_tile_vector(t, "", 0, zl_tile_address(t, room, 0, at), "", registers);
    }
    for (uint32_t i = 0; i < to.count; i++) {
        for (uint32_t w = 0; w < each[1]; w++) {
            origin o;
            origin_of(&o, &from, &to, b, bits, i, w);
            registers[w] = word_make(t, &o, i * each[1] + w);
        }
        int64_t at = combine ? more[1] ^ to.first[i] : more[1] + to.first[i];
        zl_tile_vector(t, "", 1, zl_tile_address(t, room, 1, at), "", registers);
    }
}

/* ---- asynchronous copies ----------------------------------------------------------------- */

/* One copy of all the values: they are contiguous on both sides, the least first. */
static void one_copy(zl_tile_text *t, const int64_t more[ZL_TILE_SIDES])
{
    char rooms[ZL_TILE_SIDES][40];
    const char *at[ZL_TILE_SIDES];
    uint32_t width = t->part->part.width;
    for (int s = 0; s < ZL_TILE_SIDES; s++) at[s] = zl_tile_address(t, rooms[s], s, more[s]);
    zl_emit_line(&t->e, "mov.u32 digit, %u;", width);
    if (t->part->part.kind == ZLAY_COPY_CP_ASYNC)
        zl_emit_form(&t->e, "", width == 16  ? ZL_FORM_CP_ASYNC_16
                                : width == 8 ? ZL_FORM_CP_ASYNC_8
                                             : ZL_FORM_CP_ASYNC_4,
                     (const char *const[]){at[1], at[0], "digit"});
    else if (t->part->part.kind == ZLAY_COPY_BULK_LOAD)
        zl_emit_form(&t->e, "", ZL_FORM_BULK_LOAD,
                     (const char *const[]){at[1], at[0], "digit", "bar"});
    else
        zl_emit_form(&t->e, "", ZL_FORM_BULK_STORE, (const char *const[]){at[1], at[0], "digit"});
}

void zl_tile_access(zl_tile_text *t, const int64_t more[ZL_TILE_SIDES])
{
    zl_tile_block b;
    if (is_one(t->part->part.kind)) {
        one_copy(t, more);
        return;
    }
    zl_tile_block_of(&b, t->part);
    if (t->part->part.realign) zl_tile_realign(t, &b, more);
    else zl_tile_words(t, &b, more);
}
