/* SPDX-License-Identifier: Apache-2.0 */
/* What one access of a thread does, whatever language says it: the values that the thread holds, the
 * vectors of both sides, and for each byte of a stored word the loaded word and byte that it comes
 * from. A word whose bytes come from one loaded word in order needs no instruction; others need one
 * permutation of bytes for two words and one more for every further word. */
#include "emit/move/tile_plan.h"

#include "emit/move/copy.h"

#include <string.h>

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

/* Bytes of one access of a side; of fragments all that a thread holds. */
static uint32_t width_of(const zlay_move *move, const zl_move_part *p, const zl_tile_block *b,
                         int side)
{
    if (move->info.space[side] == ZLAY_MOVE_REGISTER) return b->count * b->bytes;
    return side ? p->part.width : p->part.source_width;
}

/* ---- bytes --------------------------------------------------------------------------- */

bool zl_tile_passage_of(zl_tile_passage *out, const zlay_move *move, const zl_move_part *p,
                        const zl_tile_block *b)
{
    out->b = b;
    for (int s = 0; s < ZL_TILE_SIDES; s++) {
        out->width[s] = width_of(move, p, b, s);
        out->side[s].count = 0;
    }
    for (int s = 0; s < ZL_TILE_SIDES; s++)
        if (!zl_tile_vectors_of(&out->side[s], b, s, out->width[s])) return false;
    return true;
}

/* The value that lies at a place of a stored vector. */
static uint32_t value_at(const zl_tile_passage *p, uint32_t vector, uint32_t place)
{
    const zl_tile_vectors *to = &p->side[1];
    uint32_t v = 0;
    while (v < p->b->count && (to->vector[v] != vector || to->place[v] != place)) v++;
    return v;
}

bool zl_tile_origin_of(zl_tile_origin *out, const zl_tile_passage *p, uint32_t vector, uint32_t word)
{
    const zl_tile_vectors *from = &p->side[0];
    uint32_t each = p->b->bytes, words = zl_words_of(p->width[0]);
    for (uint32_t i = 0; i < ZL_TILE_WORD; i++) {
        uint32_t byte = word * ZL_TILE_WORD + i;
        out->word[i] = out->byte[i] = ZL_NO_BYTE;
        if (byte >= p->width[1]) continue;
        uint32_t v = value_at(p, vector, byte / each);
        if (v == p->b->count) return false;
        uint32_t loaded = from->place[v] * each + byte % each;
        out->word[i] = from->vector[v] * words + loaded / ZL_TILE_WORD;
        out->byte[i] = loaded % ZL_TILE_WORD;
    }
    return true;
}

bool zl_tile_is_one(int32_t kind)
{
    return kind != ZLAY_COPY_THREAD_LOAD && kind != ZLAY_COPY_THREAD_STORE &&
           kind != ZLAY_COPY_STORE_ASYNC;
}

/* Whether what a thread holds can be printed. */
static bool fits(const zlay_move *move, const zl_move_part *p)
{
    zl_tile_block b;
    zl_tile_passage made;
    zl_tile_origin o;
    if (zl_tile_is_one(p->part.kind)) return true;
    if (!zl_tile_block_of(&b, move, p)) return false;
    if (p->part.matrices) return zl_words_of(b.count * b.bytes) <= ZL_TILE_WORDS;
    if (!zl_tile_passage_of(&made, move, p, &b)) return false;
    for (int s = 0; s < ZL_TILE_SIDES && !p->part.realign; s++)
        if (made.side[s].count * zl_words_of(made.width[s]) > ZL_TILE_WORDS) return false;
    for (uint32_t v = 0; v < made.side[1].count; v++)
        for (uint32_t w = 0; w < zl_words_of(made.width[1]); w++)
            if (!zl_tile_origin_of(&o, &made, v, w)) return false;
    return true;
}

zlay_status zl_tile_check(zlay_ctx *ctx, const zlay_move *move)
{
    if (!move->info.parts)
        return zl_fail(ctx, ZLAY_ENOTSUP, "only moves by threads are printed as functions");
    for (uint32_t i = 0; i < move->info.parts; i++) {
        const zl_move_part *p = &move->parts[i];
        if (p->part.accesses > UINT32_MAX)
            return zl_fail(ctx, ZLAY_ENOTSUP, "part %u: a thread makes %llu accesses, 2^32 or more",
                           (unsigned)i, (unsigned long long)p->part.accesses);
        if (!fits(move, p))
            return zl_fail(ctx, ZLAY_ENOTSUP, "part %u: a thread holds more than %d registers",
                           (unsigned)i, ZL_TILE_WORDS);
    }
    return ZLAY_OK;
}

/* ---- permutations of bytes -------------------------------------------------------------- */

uint32_t zl_tile_sources_of(uint32_t words[ZL_TILE_WORD], const zl_tile_origin *o)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ZL_TILE_WORD; i++) {
        uint32_t k = 0;
        while (k < count && words[k] != o->word[i]) k++;
        if (k == count && o->word[i] != ZL_NO_BYTE) words[count++] = o->word[i];
    }
    return count;
}

uint32_t zl_tile_selector_of(const zl_tile_origin *o, uint32_t low, uint32_t high)
{
    uint32_t selector = 0;
    for (uint32_t i = 0; i < ZL_TILE_WORD; i++) {
        uint32_t from = o->word[i] == high ? 4 + o->byte[i] : o->word[i] == low ? o->byte[i] : i;
        selector |= (from & 7) << (4 * i);
    }
    return selector;
}

bool zl_tile_is_loaded(const zl_tile_origin *o)
{
    bool same = true;
    for (uint32_t i = 0; i < ZL_TILE_WORD && o->word[i] != ZL_NO_BYTE; i++)
        same &= o->word[i] == o->word[0] && o->byte[i] == i;
    return same;
}

/* ---- instruction forms ------------------------------------------------------------------ */

/* The form of an access by the side's memory space. */
static zl_move_access access_of(int32_t space, int side)
{
    switch (space) {
    case ZLAY_MOVE_GLOBAL: return side ? ZL_ST_GLOBAL : ZL_LD_GLOBAL;
    case ZLAY_MOVE_PEER: return side ? ZL_ST_PEER : ZL_LD_PEER;
    default: return side ? ZL_ST_SHARED : ZL_LD_SHARED;
    }
}

zl_form_id zl_tile_form(const zlay_move *move, const zl_move_part *p, int side, uint32_t bytes)
{
    if (!side || p->part.kind != ZLAY_COPY_STORE_ASYNC)
        return zl_access_form(access_of(move->info.space[side], side), bytes);
    return bytes == 4   ? ZL_FORM_STORE_ASYNC_4
           : bytes == 8 ? ZL_FORM_STORE_ASYNC_8
                        : ZL_FORM_STORE_ASYNC_16;
}

zl_form_id zl_tile_one_form(const zl_move_part *p)
{
    switch (p->part.kind) {
    case ZLAY_COPY_CP_ASYNC:
        return p->part.width == 16  ? ZL_FORM_CP_ASYNC_16
               : p->part.width == 8 ? ZL_FORM_CP_ASYNC_8
                                    : ZL_FORM_CP_ASYNC_4;
    case ZLAY_COPY_BULK_LOAD: return ZL_FORM_BULK_LOAD;
    case ZLAY_COPY_BULK_PEER: return ZL_FORM_BULK_PEER;
    default: return ZL_FORM_BULK_STORE;
    }
}

zl_form_id zl_tile_matrix_form(const zl_move_part *p, bool store, uint32_t count)
{
    static const zl_form_id forms[2][2][3] = {
        {{ZL_FORM_LDMATRIX_X1, ZL_FORM_LDMATRIX_X2, ZL_FORM_LDMATRIX_X4},
         {ZL_FORM_LDMATRIX_X1_TRANS, ZL_FORM_LDMATRIX_X2_TRANS, ZL_FORM_LDMATRIX_X4_TRANS}},
        {{ZL_FORM_STMATRIX_X1, ZL_FORM_STMATRIX_X2, ZL_FORM_STMATRIX_X4},
         {ZL_FORM_STMATRIX_X1_TRANS, ZL_FORM_STMATRIX_X2_TRANS, ZL_FORM_STMATRIX_X4_TRANS}}};
    return forms[store][p->part.transposed][__builtin_ctz(count)];
}
