/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of 1 to 32 bytes as C: by types that the compilers have, or as inline asm. HIP's
 * types are declared in the function: they have no header, and may alias the caller's. */
#include "emit/function/copy/copy.h"

#include <stdio.h>

const char *zl_tile_c_type(zl_tile_c *t, uint32_t bytes)
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
    const char *type = zl_tile_c_type(t, bytes);
    if (bytes <= ZL_TILE_WORD) {
        zl_tile_c_line(t, "%sw%u = *(const %s *)(%s);", declare, (unsigned)first, type, address);
        return;
    }
    zl_tile_c_line(t, "const %s v%u = *(const %s *)(%s);", type, (unsigned)first, type, address);
    if (!declare) return;
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
    const char *type = zl_tile_c_type(t, bytes);
    bool hip = t->language == ZLAY_TEXT_HIP;
    zl_put_times(t->e.out, "    ", t->depth);
    zl_putf(t->e.out, "*(%s *)(%s) = ", type, address);
    if (bytes < ZL_TILE_WORD) zl_putf(t->e.out, "(%s)", type);
    if (count > 1) zl_putf(t->e.out, hip ? "(%s){" : "make_%s(", type);
    for (uint32_t i = 0; i < count; i++) zl_putf(t->e.out, "%s%s", i ? ", " : "", words[i].text);
    zl_puts(t->e.out, count == 1 ? ";\n" : hip ? "};\n" : ");\n");
}
