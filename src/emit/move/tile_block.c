/* SPDX-License-Identifier: Apache-2.0 */
/* Prints one access of a thread: its loads, the byte permutation between both sides (prmt), and its
 * stores; or one asynchronous copy. */
#include "emit/move/tile.h"

/* ---- words -------------------------------------------------------------------------------- */

/* The register that holds a stored word: a loaded one, or one put together. */
static uint32_t word_make(zl_tile_text *t, const zl_tile_origin *o, uint32_t number)
{
    uint32_t words[ZL_TILE_WORD], count = zl_tile_sources_of(words, o), last = words[count > 1];
    if (zl_tile_is_loaded(o)) return o->word[0];
    zl_emit_line(&t->e, "prmt.b32 v%u, w%u, w%u, %u;", number, words[0], last,
                 zl_tile_selector_of(o, words[0], last));
    for (uint32_t k = 2; k < count; k++)
        zl_emit_line(&t->e, "prmt.b32 v%u, v%u, w%u, %u;", number, number, words[k],
                     zl_tile_selector_of(o, ZL_NO_BYTE, words[k]));
    return ZL_TILE_PERMUTED | number;
}

/* Loads the vectors of the source into registers, or takes them from the fragment. */
static void load_words(zl_tile_text *t, const zl_tile_passage *p, int64_t more)
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
static void store_words(zl_tile_text *t, const zl_tile_passage *p, int64_t more)
{
    const zl_tile_vectors *to = &p->side[1];
    uint32_t registers[ZL_TILE_WORDS], each = zl_words_of(p->width[1]);
    char room[40];
    for (uint32_t i = 0; i < to->count; i++) {
        uint32_t v = to->first[i];
        for (uint32_t w = 0; w < each; w++) {
            zl_tile_origin o;
            zl_tile_origin_of(&o, p, i, w);
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
    zl_tile_passage p;
    zl_tile_passage_of(&p, t->move, t->part, b);
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
    zl_emit_form(&t->e, "", zl_tile_one_form(t->part), loaded);
}

void zl_tile_access(zl_tile_text *t, const int64_t more[ZL_TILE_SIDES])
{
    zl_tile_block b;
    if (zl_tile_is_one(t->part->part.kind)) {
        one_copy(t, more);
        return;
    }
    zl_tile_block_of(&b, t->move, t->part);
    if (t->part->part.realign) zl_tile_realign(t, &b, more);
    else zl_tile_words(t, &b, more);
}
