/* SPDX-License-Identifier: Apache-2.0 */
/* One access of a thread as C: loads, permutations of bytes and stores, or one asynchronous copy.
 * Registers of 32 bits are w0, w1, .. as they are loaded and u0, u1, .. where bytes changed places.
 * What C has no words for is inline asm with the text of its instruction form. */
#include "emit/function/copy/copy.h"

#include <stdio.h>

/* ---- inline asm ------------------------------------------------------------------------------ */

static char constraint_of(char operand) { return operand == 'd' ? 'l' : operand == 'n' ? 'n' : 'r'; }

void zl_tile_c_asm(zl_tile_c *t, zl_form_id id, uint32_t results, const char *const *operands)
{
    const zl_phrase *form = zl_phrase_get(&t->e, id);
    zl_text *out = t->e.out;
    zl_put_times(out, "    ", t->depth);
    zl_putf(out, "asm volatile(\"%s\"%s", form->text, results ? " : " : " :: ");
    for (uint32_t i = 0; form->operands[i]; i++) {
        const char *before = i == 0 ? "" : i == results ? " : " : ", ";
        zl_putf(out, "%s\"%s%c\"(%s)", before, i < results ? "=" : "",
                constraint_of(form->operands[i]), operands[i]);
    }
    zl_puts(out, " : \"memory\");\n");
}

/* ---- loads and stores ------------------------------------------------------------------------ */

/* HIP's types are declared in the function: they have no header, and may alias the caller's. */
static const char *type_of(zl_tile_c *t, uint32_t bytes)
{
    static const char *const names[2][5] = {
        {"unsigned char", "unsigned short", "unsigned", "uint2", "uint4"},
        {"unsigned char", "halfword", "word", "words2", "words4"}};
    uint32_t log = (uint32_t)__builtin_ctz(bytes);
    t->types |= 1u << log;
    return names[t->language == ZLAY_TEXT_HIP][log];
}

static void load_direct(zl_tile_c *t, bool declares, uint32_t bytes, const char *address,
                        uint32_t first)
{
    uint32_t count = zl_words_of(bytes);
    zl_tile_c_name names[8];
    const char *operands[9];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i].text, sizeof names[i].text, "w%u", (unsigned)(first + i));
        operands[i] = names[i].text;
        if (declares) zl_tile_c_line(t, "unsigned w%u;", (unsigned)(first + i));
    }
    operands[count] = address;
    zl_tile_c_asm(t, zl_tile_form(t->move, t->part, 0, bytes), count, operands);
}

void zl_tile_c_load(zl_tile_c *t, const char *declare, uint32_t bytes, const char *address,
                  uint32_t first)
{
    static const char parts[] = "xyzw";
    bool hip = t->language == ZLAY_TEXT_HIP;
    if (t->side[0].direct) {
        load_direct(t, *declare, bytes, address, first);
        return;
    }
    const char *type = type_of(t, bytes);
    if (bytes <= ZL_TILE_WORD) {
        zl_tile_c_line(t, "%sw%u = *(const %s *)(%s);", declare, (unsigned)first, type, address);
        return;
    }
    zl_tile_c_line(t, "const %s v%u = *(const %s *)(%s);", type, (unsigned)first, type, address);
    zl_put_times(t->e.out, "    ", t->depth);
    zl_puts(t->e.out, declare);
    for (uint32_t i = 0; i < bytes / ZL_TILE_WORD; i++) {
        zl_putf(t->e.out, "%sw%u = v%u", i ? ", " : "", (unsigned)(first + i), (unsigned)first);
        if (hip) zl_putf(t->e.out, "[%u]", (unsigned)i);
        else zl_putf(t->e.out, ".%c", parts[i]);
    }
    zl_puts(t->e.out, ";\n");
}

static void store_direct(zl_tile_c *t, uint32_t bytes, const char *address,
                         const zl_tile_c_name *words)
{
    uint32_t count = zl_words_of(bytes);
    const char *operands[10] = {address};
    for (uint32_t i = 0; i < count; i++) operands[1 + i] = words[i].text;
    operands[count + 1] = "bar_at";
    zl_tile_c_asm(t, zl_tile_form(t->move, t->part, 1, bytes), 0, operands);
}

void zl_tile_c_store(zl_tile_c *t, uint32_t bytes, const char *address,
                   const zl_tile_c_name *words)
{
    uint32_t count = zl_words_of(bytes);
    if (t->side[1].direct) {
        store_direct(t, bytes, address, words);
        return;
    }
    const char *type = type_of(t, bytes);
    bool hip = t->language == ZLAY_TEXT_HIP;
    zl_put_times(t->e.out, "    ", t->depth);
    zl_putf(t->e.out, "*(%s *)(%s) = ", type, address);
    if (bytes < ZL_TILE_WORD) zl_putf(t->e.out, "(%s)", type);
    if (count > 1) zl_putf(t->e.out, hip ? "(%s){" : "make_%s(", type);
    for (uint32_t i = 0; i < count; i++) zl_putf(t->e.out, "%s%s", i ? ", " : "", words[i].text);
    zl_puts(t->e.out, count == 1 ? ";\n" : hip ? "};\n" : ");\n");
}

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

static void load_words(zl_tile_c *t, const zl_tile_passage *p, int64_t more)
{
    const zl_tile_vectors *from = &p->side[0];
    uint32_t each = zl_words_of(p->width[0]);
    char room[ZL_TILE_C_ROOM];
    for (uint32_t w = 0; t->side[0].held && w < each; w++)
        zl_tile_c_line(t, "const unsigned w%u = held_source[%u];", (unsigned)w, (unsigned)w);
    for (uint32_t i = 0; !t->side[0].held && i < from->count; i++) {
        uint32_t v = from->first[i];
        int64_t at = zl_tile_add(t->part, more, p->b->at[0][v]);
        zl_tile_c_load(t, "const unsigned ", p->width[0], zl_tile_c_address(t, room, 0, at, v),
                     i * each);
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
    store_words(t, &p, more[1]);
}
