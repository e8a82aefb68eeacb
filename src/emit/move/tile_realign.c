/* SPDX-License-Identifier: Apache-2.0 */
/* Prints loads of sources that are not aligned to the vector's width. The two aligned words around
 * the vector are loaded, and shifted together by its byte offset: by halves of the vector's
 * registers (selp), then by bytes (shf). The second word is not read where the vector happens to be
 * aligned. */
#include "emit/move/tile.h"

enum { WORD = 4 };

/* w0.. = the vector at the address in `at`; an aligned word that holds none of it is not read. */
static void load_both(zl_tile_text *t, const char *at, uint32_t width)
{
    uint32_t words = zl_words_of(width), registers[8];
    bool shared = zl_tile_shared(t, 0);
    zl_emit *e = &t->e;
    if (shared) zl_emit_line(e, "mov.b32 word0, %s;", at);
    else zl_emit_line(e, "mov.b64 word0, %s;", at);
    zl_emit_line(e, shared ? "mov.b32 shift, word0;" : "cvt.u32.u64 shift, word0;");
    zl_emit_line(e, "and.b32 shift, shift, %u;", width - 1);
    zl_emit_line(e, "and.b%u word0, word0, %lld;", shared ? 32 : 64, -(long long)width);
    for (uint32_t i = 0; i < words; i++) zl_emit_line(e, "mov.b32 w%u, 0;", words + i);
    zl_emit_line(e, "setp.ne.u32 q, shift, 0;");
    for (uint32_t i = 0; i < words; i++) registers[i] = i;
    zl_tile_vector(t, "", 0, width, "word0", "w", registers);
    char next[16];
    zl_text text = {next, sizeof next - 1, 0};
    zl_putf(&text, "word0+%u", width);
    next[text.need] = 0;
    for (uint32_t i = 0; i < words; i++) registers[i] = words + i;
    zl_tile_vector(t, "@q ", 0, width, next, "w", registers);
}

/* Two halves of one word. */
static void shift_halves(zl_tile_text *t)
{
    zl_emit_line(&t->e, "prmt.b32 w0, w0, w1, %d;", 0x5410);
    zl_emit_line(&t->e, "shl.b32 z, shift, 3;");
    zl_emit_line(&t->e, "shr.u32 w0, w0, z;");
}

/* Shifts by half the vector's words at a time, then by the bytes that are left; what no shift has, as
 * each is a multiple of `realign`, is left out. */
static void shift_words(zl_tile_text *t, uint32_t words)
{
    zl_emit *e = &t->e;
    for (uint32_t by = words / 2; by && WORD * by >= t->part->part.realign; by /= 2) {
        zl_emit_line(e, "and.b32 z, shift, %u;", WORD * by);
        zl_emit_line(e, "setp.ne.u32 q, z, 0;");
        for (uint32_t i = 0; i < words + by; i++)
            zl_emit_line(e, "selp.b32 w%u, w%u, w%u, q;", i, i + by, i);
    }
    zl_emit_line(e, "and.b32 z, shift, %d;", WORD - 1);
    zl_emit_line(e, "shl.b32 z, z, 3;");
    for (uint32_t i = 0; t->part->part.realign % WORD && i < words; i++)
        zl_emit_line(e, "shf.r.wrap.b32 w%u, w%u, w%u, z;", i, i, i + 1);
}

void zl_tile_realign(zl_tile_text *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES])
{
    zl_tile_vectors to;
    char room[40];
    uint32_t width = t->part->part.width, words = zl_words_of(width), registers[8];
    zl_tile_vectors_of(&to, b, 1, width);
    for (uint32_t i = 0; i < to.count; i++) {
        uint32_t v = to.first[i];
        load_both(t, zl_tile_address(t, room, 0, more[0] + b->at[0][v], v), width);
        if (width < WORD) shift_halves(t);
        else shift_words(t, words);
        for (uint32_t w = 0; w < words; w++) registers[w] = w;
        zl_tile_vector(t, "", 1, width, zl_tile_address(t, room, 1, more[1] + b->at[1][v], v), "w",
                       registers);
    }
}
