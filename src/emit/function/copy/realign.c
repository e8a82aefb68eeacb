/* SPDX-License-Identifier: Apache-2.0 */
/* Loads of sources that are not aligned to the vector's width, as C: the two aligned vectors around
 * it are loaded and shifted together, by halves of the vector's registers and then by bytes. The
 * second one is not read where the vector happens to be aligned. */
#include "emit/function/copy/copy.h"

#include <stdio.h>

/* w0.. = both vectors; `shift` = the bytes between the first one's begin and the wanted bytes. */
static void load_both(zl_tile_c *t, const char *at, uint32_t width)
{
    uint32_t words = zl_words_of(width);
    char next[32];
    const char *type = t->side[0].direct ? zl_tile_c_space(t, 0) == ZLAY_MOVE_GLOBAL ?
                                               "unsigned long long " : "unsigned " :
                                           "const unsigned char *";
    zl_tile_c_line(t, "%s%sat = %s;", t->side[0].direct ? "const " : "", type, at);
    zl_tile_c_line(t, "const unsigned shift = (unsigned)(unsigned long long)at & %uu;",
                 (unsigned)width - 1);
    zl_tile_c_load(t, "unsigned ", width, "at - shift", 0);
    for (uint32_t i = 0; i < words; i++)
        zl_tile_c_line(t, "unsigned w%u = 0u;", (unsigned)(words + i));
    snprintf(next, sizeof next, "at - shift + %uu", (unsigned)width);
    zl_tile_c_line(t, "if (shift != 0u) {");
    t->depth++;
    zl_tile_c_load(t, "", width, next, words);
    zl_tile_c_close(t);
}

static void shift_halves(zl_tile_c *t)
{
    zl_tile_c_line(t, "w0 = (w0 | w1 << 16) >> 8 * shift;");
}

static void shift_words(zl_tile_c *t, uint32_t words)
{
    bool hip = t->language == ZLAY_TEXT_HIP;
    for (uint32_t by = words / 2; by && ZL_TILE_WORD * by >= t->part->part.realign; by /= 2)
        for (uint32_t i = 0; i < words + by; i++)
            zl_tile_c_line(t, "w%u = shift & %uu ? w%u : w%u;", (unsigned)i,
                         (unsigned)(ZL_TILE_WORD * by), (unsigned)(i + by), (unsigned)i);
    for (uint32_t i = 0; t->part->part.realign % ZL_TILE_WORD && i < words; i++)
        zl_tile_c_line(t, hip ? "w%u = __builtin_amdgcn_alignbyte(w%u, w%u, shift);" :
                              "w%u = __funnelshift_r(w%u, w%u, 8 * shift);",
                     (unsigned)i, (unsigned)(hip ? i + 1 : i), (unsigned)(hip ? i : i + 1));
}

void zl_tile_c_realign(zl_tile_c *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES])
{
    zl_tile_vectors to;
    zl_tile_c_name names[8];
    char room[ZL_TILE_C_ROOM];
    uint32_t width = t->part->part.width, words = zl_words_of(width);
    zl_tile_vectors_of(&to, b, 1, width);
    for (uint32_t i = 0; i < words; i++)
        snprintf(names[i].text, sizeof names[i].text, "w%u", (unsigned)i);
    for (uint32_t i = 0; i < to.count; i++) {
        uint32_t v = to.first[i];
        zl_tile_c_open(t);
        load_both(t, zl_tile_c_address(t, room, 0, more[0] + b->at[0][v], v), width);
        if (width < ZL_TILE_WORD) shift_halves(t);
        else shift_words(t, words);
        zl_tile_c_store(t, width, zl_tile_c_address(t, room, 1, more[1] + b->at[1][v], v), names);
        zl_tile_c_close(t);
    }
}
