/* SPDX-License-Identifier: Apache-2.0 */
/* Prints one access of a thread: its loads, the byte permutation between both sides (prmt), and its
 * stores; or one asynchronous copy. For each byte of a stored word it finds the loaded word and
 * byte that it comes from; a word whose bytes come from one loaded word in order needs no
 * instruction. Others need one prmt for two words and one more for every further word. */
#include "emit/move/tile.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 4, NO_BYTE = 0xffff /* beyond what is stored */ };

/* ---- values ------------------------------------------------------------------------ */

/* Reads the block of a part. Elements of less than 8 bits move as whole bytes, and the first
 * digit of the values lies along them. */
bool zl_tile_block_of(zl_tile_block *out, const zlay_move *move, const zl_move_part *p)
{
    uint32_t bits = move->info.elem_bits, left = bits < 8 ? 8 / bits : 1;
    out->unit = left;
    out->bytes = bits < 8 ? 1 : bits / 8;
    out->count = 1;
    out->at[0][0] = out->at[1][0] = 0;
    for (uint32_t i = 0; i < p->part.digits; i++) {
        const zlay_move_digit *d = &p->digit[i];
        if (d->level != ZLAY_DIGIT_VALUE) continue;
        uint64_t extent = d->extent / left, step = d->step * left;
        if (d->extent % left || extent * out->count > ZL_TILE_VALUES) return false;
        left = 1;
        for (uint32_t v = out->count; v < out->count * extent; v++)
            for (int side = 0; side < ZL_TILE_SIDES; side++) {
                int64_t by = zl_tile_step(p, side, d->mode) * (int64_t)(step * (v / out->count));
                out->at[side][v] = zl_tile_add(p, out->at[side][v % out->count], by);
            }
        out->count *= (uint32_t)extent;
    }
    return left == 1;
}

uint64_t zl_tile_coordinate(const zl_move_part *p, uint32_t mode, uint64_t value, uint32_t unit)
{
    uint64_t at = 0, left = value * unit;
    for (uint32_t i = 0; i < p->part.digits; i++) {
        const zlay_move_digit *d = &p->digit[i];
        if (d->level != ZLAY_DIGIT_VALUE) continue;
        if (d->mode == mode) at += left % d->extent * d->step;
        left /= d->extent;
    }
    return at;
}

/* The distinct places of the values on a side, ascending. */
static uint32_t places_of(uint16_t *out, const zl_tile_block *b, int side)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < b->count; v++) {
        uint32_t i = count;
        int64_t at = b->at[side][v];
        while (i && b->at[side][out[i - 1]] > at) i--;
        if (i && b->at[side][out[i - 1]] == at) continue;
        memmove(&out[i + 1], &out[i], (count - i) * sizeof *out);
        out[i] = (uint16_t)v;
        count++;
    }
    return count;
}

bool zl_tile_vectors_of(zl_tile_vectors *out, const zl_tile_block *b, int side, uint32_t bytes)
{
    uint16_t place[ZL_TILE_VALUES + 1];
    uint32_t count = places_of(place, b, side), values = bytes / b->bytes;
    const int64_t *at = b->at[side];
    if (!values || count % values) return false;
    out->values = values;
    out->count = count / values;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t first = place[i - i % values];
        out->first[i / values] = first;
        if (at[place[i]] != at[first] + (int64_t)(i % values * b->unit)) return false;
    }
    for (uint32_t v = 0; v < b->count; v++) {
        uint32_t i = 0;
        while (at[place[i]] != at[v]) i++;
        out->vector[v] = (uint16_t)(i / values);
        out->place[v] = (uint16_t)(i % values);
    }
    return true;
}

uint32_t zl_tile_width(const zlay_move *move, const zl_move_part *p, const zl_tile_block *b,
                       int side)
{
    if (move->info.space[side] == ZLAY_MOVE_REGISTER) return b->count * b->bytes;
    return side ? p->part.width : p->part.source_width;
}

/* ---- bytes --------------------------------------------------------------------------- */

/* For each byte of a stored word: the loaded word and byte it comes from. */
typedef struct origin {
    uint32_t word[WORD], byte[WORD];
} origin;

/* The vectors that are loaded and stored of a block; none where they would not be whole. */
typedef struct passage {
    const zl_tile_block *b;
    uint32_t width[ZL_TILE_SIDES];
    zl_tile_vectors side[ZL_TILE_SIDES];
} passage;

static bool passage_of(passage *out, const zlay_move *move, const zl_move_part *p,
                       const zl_tile_block *b)
{
    out->b = b;
    for (int s = 0; s < ZL_TILE_SIDES; s++) {
        out->width[s] = zl_tile_width(move, p, b, s);
        out->side[s].count = 0;
    }
    for (int s = 0; s < ZL_TILE_SIDES; s++)
        if (!zl_tile_vectors_of(&out->side[s], b, s, out->width[s])) return false;
    return true;
}

/* The value that lies at a place of a stored vector. */
static uint32_t value_at(const passage *p, uint32_t vector, uint32_t place)
{
    const zl_tile_vectors *to = &p->side[1];
    uint32_t v = 0;
    while (v < p->b->count && (to->vector[v] != vector || to->place[v] != place)) v++;
    return v;
}

/* Finds where the bytes of a stored word come from; false: a byte is not loaded. */
static bool origin_of(origin *out, const passage *p, uint32_t vector, uint32_t word)
{
    const zl_tile_vectors *from = &p->side[0];
    uint32_t each = p->b->bytes, words = zl_words_of(p->width[0]);
    for (uint32_t i = 0; i < WORD; i++) {
        uint32_t byte = word * WORD + i;
        out->word[i] = out->byte[i] = NO_BYTE;
        if (byte >= p->width[1]) continue;
        uint32_t v = value_at(p, vector, byte / each);
        if (v == p->b->count) return false;
        uint32_t loaded = from->place[v] * each + byte % each;
        out->word[i] = from->vector[v] * words + loaded / WORD;
        out->byte[i] = loaded % WORD;
    }
    return true;
}

/* Whether a part is one instruction for each access, without registers. */
static bool is_one(int32_t kind)
{
    return kind != ZLAY_COPY_THREAD_LOAD && kind != ZLAY_COPY_THREAD_STORE &&
           kind != ZLAY_COPY_STORE_ASYNC;
}

bool zl_tile_fits(const zlay_move *move, const zl_move_part *p)
{
    zl_tile_block b;
    passage made;
    origin o;
    if (is_one(p->part.kind)) return true;
    if (!zl_tile_block_of(&b, move, p)) return false;
    if (p->part.matrices) return zl_words_of(b.count * b.bytes) <= ZL_TILE_WORDS;
    if (!passage_of(&made, move, p, &b)) return false;
    for (int s = 0; s < ZL_TILE_SIDES && !p->part.realign; s++)
        if (made.side[s].count * zl_words_of(made.width[s]) > ZL_TILE_WORDS) return false;
    for (uint32_t v = 0; v < made.side[1].count; v++)
        for (uint32_t w = 0; w < zl_words_of(made.width[1]); w++)
            if (!origin_of(&o, &made, v, w)) return false;
    return true;
}

/* ---- loads and stores ------------------------------------------------------------------ */

/* The form of an access by the side's memory space. */
static zl_move_access access_of(const zl_tile_text *t, int side)
{
    switch (zl_tile_space(t, side)) {
    case ZLAY_MOVE_GLOBAL: return side ? ZL_ST_GLOBAL : ZL_LD_GLOBAL;
    case ZLAY_MOVE_PEER: return side ? ZL_ST_PEER : ZL_LD_PEER;
    default: return side ? ZL_ST_SHARED : ZL_LD_SHARED;
    }
}

void zl_tile_vector(zl_tile_text *t, const char *guard, int side, uint32_t bytes,
                    const char *address, const char *prefix, const uint32_t *registers)
{
    char names[8][8];
    const char *operands[10];
    uint32_t count = zl_words_of(bytes);
    bool async = side && t->part->part.kind == ZLAY_COPY_STORE_ASYNC;
    for (uint32_t i = 0; i < count; i++) {
        const char *bank = prefix[0] ? prefix : registers[i] & ZL_TILE_PERMUTED ? "v" : "w";
        snprintf(names[i], sizeof names[i], "%s%u", bank, registers[i] & 0xffff);
        operands[i + (side == 1)] = names[i];
    }
    operands[side ? 0 : count] = address;
    operands[count + 1] = "bar";
    zl_emit_form(&t->e, guard,
                 !async ? zl_access_form(access_of(t, side), bytes)
                 : bytes == 4 ? ZL_FORM_STORE_ASYNC_4
                 : bytes == 8 ? ZL_FORM_STORE_ASYNC_8
                              : ZL_FORM_STORE_ASYNC_16,
                 operands);
}

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

/* prmt's selector: bytes of `low` from the first operand, of `high` from the second; the
 * others stay. */
static uint32_t selector_of(const origin *o, uint32_t low, uint32_t high)
{
    uint32_t selector = 0;
    for (uint32_t i = 0; i < WORD; i++) {
        uint32_t from = o->word[i] == high ? 4 + o->byte[i] : o->word[i] == low ? o->byte[i] : i;
        selector |= (from & 7) << (4 * i);
    }
    return selector;
}

/* Whether a stored word is a loaded one, unchanged. */
static bool is_loaded(const origin *o)
{
    bool same = true;
    for (uint32_t i = 0; i < WORD && o->word[i] != NO_BYTE; i++)
        same &= o->word[i] == o->word[0] && o->byte[i] == i;
    return same;
}

/* The register that holds a stored word: a loaded one, or one put together. */
static uint32_t word_make(zl_tile_text *t, const origin *o, uint32_t number)
{
    uint32_t words[WORD], count = words_of(words, o), last = words[count > 1];
    if (is_loaded(o)) return o->word[0];
    zl_emit_line(&t->e, "prmt.b32 v%u, w%u, w%u, %u;", number, words[0], last,
                 selector_of(o, words[0], last));
    for (uint32_t k = 2; k < count; k++)
        zl_emit_line(&t->e, "prmt.b32 v%u, v%u, w%u, %u;", number, number, words[k],
                     selector_of(o, NO_BYTE, words[k]));
    return ZL_TILE_PERMUTED | number;
}

/* Loads the vectors of the source into registers, or takes them from the fragment. */
static void load_words(zl_tile_text *t, const passage *p, int64_t more)
{
    const zl_tile_vectors *from = &p->side[0];
    uint32_t registers[ZL_TILE_WORDS], each = zl_words_of(p->width[0]);
    char room[40];
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t v = from->first[i];
        for (uint32_t w = 0; w < each; w++) registers[w] = i * each + w;
        if (zl_tile_is_held(t, 0)) {
            zl_tile_held(t, 0, each, registers);
            continue;
        }
        int64_t at = zl_tile_add(t->part, more, p->b->at[0][v]);
        zl_tile_vector(t, "", 0, p->width[0], zl_tile_address(t, room, 0, at, v), "", registers);
    }
}

/* Makes the words of the destination and stores them, or gives them to the fragment. */
static void store_words(zl_tile_text *t, const passage *p, int64_t more)
{
    const zl_tile_vectors *to = &p->side[1];
    uint32_t registers[ZL_TILE_WORDS], each = zl_words_of(p->width[1]);
    char room[40];
    for (uint32_t i = 0; i < to->count; i++) {
        uint32_t v = to->first[i];
        for (uint32_t w = 0; w < each; w++) {
            origin o;
            origin_of(&o, p, i, w);
            registers[w] = word_make(t, &o, i * each + w);
        }
        if (zl_tile_is_held(t, 1)) {
            zl_tile_held(t, 1, each, registers);
            continue;
        }
        int64_t at = zl_tile_add(t->part, more, p->b->at[1][v]);
        zl_tile_vector(t, "", 1, p->width[1], zl_tile_address(t, room, 1, at, v), "", registers);
    }
}

void zl_tile_words(zl_tile_text *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES])
{
    passage p;
    passage_of(&p, t->move, t->part, b);
    load_words(t, &p, more[0]);
    store_words(t, &p, more[1]);
}

/* ---- asynchronous copies ----------------------------------------------------------------- */

/* Prints one asynchronous copy of all values, which are contiguous on both sides. */
static void one_copy(zl_tile_text *t, const int64_t more[ZL_TILE_SIDES])
{
    char rooms[ZL_TILE_SIDES][40];
    const char *at[ZL_TILE_SIDES];
    uint32_t width = t->part->part.width;
    for (int s = 0; s < ZL_TILE_SIDES; s++) at[s] = zl_tile_address(t, rooms[s], s, more[s], 0);
    zl_emit_line(&t->e, "mov.u32 digit, %u;", width);
    const char *const loaded[] = {at[1], at[0], "digit", "bar"};
    switch (t->part->part.kind) {
    case ZLAY_COPY_CP_ASYNC:
        zl_emit_form(&t->e, "",
                     width == 16  ? ZL_FORM_CP_ASYNC_16
                     : width == 8 ? ZL_FORM_CP_ASYNC_8
                                  : ZL_FORM_CP_ASYNC_4,
                     loaded);
        break;
    case ZLAY_COPY_BULK_LOAD: zl_emit_form(&t->e, "", ZL_FORM_BULK_LOAD, loaded); break;
    case ZLAY_COPY_BULK_PEER: zl_emit_form(&t->e, "", ZL_FORM_BULK_PEER, loaded); break;
    default: zl_emit_form(&t->e, "", ZL_FORM_BULK_STORE, loaded);
    }
}

void zl_tile_access(zl_tile_text *t, const int64_t more[ZL_TILE_SIDES])
{
    zl_tile_block b;
    if (is_one(t->part->part.kind)) {
        one_copy(t, more);
        return;
    }
    zl_tile_block_of(&b, t->move, t->part);
    if (t->part->part.realign) zl_tile_realign(t, &b, more);
    else zl_tile_words(t, &b, more);
}
