/* SPDX-License-Identifier: Apache-2.0 */
/* One access of a thread as C: loads, permutations of bytes and stores, or one asynchronous copy.
 * Registers of 32 bits are w0, w1, .. as they are loaded, u0, u1, .. where bytes changed places. */
#include "emit/function/copy/copy.h"

#include <stdio.h>

/* ---- words ----------------------------------------------------------------------------------- */

/* Bytes of two words put together; HIP's selector has a byte where prmt's has four bits. */
static void permute_put(zl_tile_c *t, const char *low, const char *high, uint32_t selector)
{
    uint32_t wide = 0;
    for (unsigned i = 0; i < ZL_TILE_WORD; i++) wide |= (selector >> 4 * i & 15) << 8 * i;
    if (t->language == ZLAY_TEXT_HIP)
        zl_putf(t->e.out, "__builtin_amdgcn_perm(%s, %s, 0x%xu);\n", high, low, (unsigned)wide);
    else zl_putf(t->e.out, "__byte_perm(%s, %s, 0x%xu);\n", low, high, (unsigned)selector);
}

/* The name of a stored word: a loaded one, or one put together. */
static void word_make(zl_tile_c *t, zl_tile_c_name *name, const zl_tile_origin *o, uint32_t number)
{
    uint32_t words[ZL_TILE_WORD], count = zl_tile_sources_of(words, o), last = words[count > 1];
    if (zl_tile_is_loaded(o)) {
        snprintf(name->text, sizeof name->text, "w%u", (unsigned)o->word[0]);
        return;
    }
    for (uint32_t k = 1; k < (count > 1 ? count : 2); k++) {
        char low[16], high[16];
        snprintf(low, sizeof low, k == 1 ? "w%u" : "u%u", (unsigned)(k == 1 ? words[0] : number));
        snprintf(high, sizeof high, "w%u", (unsigned)(k == 1 ? last : words[k]));
        zl_put_times(t->e.out, "    ", t->depth);
        zl_putf(t->e.out, "%su%u = ", k > 1 ? "" : count > 2 ? "unsigned " : "const unsigned ",
                (unsigned)number);
        permute_put(t, low, high, zl_tile_selector_of(o, k == 1 ? words[0] : ZL_NO_BYTE,
                                                      k == 1 ? last : words[k]));
    }
    snprintf(name->text, sizeof name->text, "u%u", (unsigned)number);
}

/* Whether vectors are stored as they are loaded, by pointers. */
static bool is_whole(const zl_tile_c *t, const zl_tile_passage *p)
{
    uint32_t each = zl_words_of(p->width[0]);
    for (int s = 0; s < ZL_TILE_SIDES; s++)
        if (t->side[s].direct || t->side[s].held) return false;
    if (p->width[0] != p->width[1] || each < 2) return false;
    for (uint32_t i = 0; i < p->side[1].count; i++)
        for (uint32_t w = 0; w < each; w++) {
            zl_tile_origin o;
            zl_tile_origin_of(&o, p, i, w);
            if (!zl_tile_is_loaded(&o) || o.word[0] % each != w) return false;
        }
    return true;
}

static void load_words(zl_tile_c *t, const zl_tile_passage *p, int64_t more)
{
    const char *declare = is_whole(t, p) ? NULL : "const unsigned ";
    const zl_tile_vectors *from = &p->side[0];
    uint32_t each = zl_words_of(p->width[0]);
    char room[ZL_TILE_C_ROOM];
    for (uint32_t w = 0; t->side[0].held && w < each; w++)
        zl_tile_c_line(t, "const unsigned w%u = held_source[%u];", (unsigned)w, (unsigned)w);
    for (uint32_t i = 0; !t->side[0].held && i < from->count; i++) {
        uint32_t v = from->first[i];
        int64_t at = zl_tile_add(t->part, more, p->b->at[0][v]);
        zl_tile_c_load(t, declare, p->width[0], zl_tile_c_address(t, room, 0, at, v), i * each);
    }
}

static void store_whole(zl_tile_c *t, const zl_tile_passage *p, int64_t more)
{
    const zl_tile_vectors *to = &p->side[1];
    const char *type = zl_tile_c_type(t, p->width[1]);
    char room[ZL_TILE_C_ROOM];
    for (uint32_t i = 0; i < to->count; i++) {
        uint32_t v = to->first[i];
        int64_t at = zl_tile_add(t->part, more, p->b->at[1][v]);
        zl_tile_origin o;
        zl_tile_origin_of(&o, p, i, 0);
        const char *address = zl_tile_c_address(t, room, 1, at, v);
        zl_tile_c_line(t, "*(%s *)(%s) = v%u;", type, address, (unsigned)o.word[0]);
    }
}

static void store_words(zl_tile_c *t, const zl_tile_passage *p, int64_t more)
{
    const zl_tile_vectors *to = &p->side[1];
    uint32_t each = zl_words_of(p->width[1]);
    zl_tile_c_name words[ZL_TILE_WORDS];
    char room[ZL_TILE_C_ROOM];
    for (uint32_t i = 0; i < to->count; i++) {
        uint32_t v = to->first[i];
        for (uint32_t w = 0; w < each; w++) {
            zl_tile_origin o;
            zl_tile_origin_of(&o, p, i, w);
            word_make(t, &words[w], &o, i * each + w);
            if (t->side[1].held)
                zl_tile_c_line(t, "held_dest[%u] = %s;", (unsigned)w, words[w].text);
        }
        if (t->side[1].held) continue;
        int64_t at = zl_tile_add(t->part, more, p->b->at[1][v]);
        zl_tile_c_store(t, p->width[1], zl_tile_c_address(t, room, 1, at, v), words);
    }
}

/* ---- asynchronous copies --------------------------------------------------------------------- */

static void one_copy(zl_tile_c *t, const int64_t more[ZL_TILE_SIDES])
{
    char rooms[ZL_TILE_SIDES][ZL_TILE_C_ROOM], bytes[16];
    const char *at[ZL_TILE_SIDES];
    uint32_t width = t->part->part.width;
    for (int s = 0; s < ZL_TILE_SIDES; s++) at[s] = zl_tile_c_address(t, rooms[s], s, more[s], 0);
    snprintf(bytes, sizeof bytes, "%uu", (unsigned)width);
    const char *const operands[] = {at[1], at[0], bytes, "bar_at"};
    zl_tile_c_asm(t, zl_tile_one_form(t->part), 0, operands);
}

void zl_tile_c_access(zl_tile_c *t, const int64_t more[ZL_TILE_SIDES])
{
    zl_tile_block b;
    zl_tile_passage p;
    if (zl_tile_is_one(t->part->part.kind)) {
        one_copy(t, more);
        return;
    }
    zl_tile_block_of(&b, t->move, t->part);
    if (t->part->part.realign) {
        zl_tile_c_realign(t, &b, more);
        return;
    }
    zl_tile_passage_of(&p, t->move, t->part, &b);
    load_words(t, &p, more[0]);
    (is_whole(t, &p) ? store_whole : store_words)(t, &p, more[1]);
}
