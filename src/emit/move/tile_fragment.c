/* SPDX-License-Identifier: Apache-2.0 */
/* Prints fragments: registers that the function takes or returns, densely, the first element in the
 * low bits. Matrices move between such registers and shared memory by ldmatrix and stmatrix. In an
 * instruction of n matrices lane l has the address of row l mod 8 of matrix l / 8, which is the
 * place of the element that begins that row (zlay_move_part). */
#include "emit/move/tile.h"

#include <stdio.h>

enum { WARP = 32, ROWS = 8, WORD_BITS = 32, MATRICES = 4 };

static const char *const base_names[] = {"from", "to"};

/* from or to = the offset of the row whose address the lane has, of the matrices from `word` on. */
static void row_offset(zl_tile_text *t, int memory, uint32_t word, uint32_t count)
{
    const zl_move_part *p = t->part;
    uint32_t each = WORD_BITS / t->move->info.elem_bits, turned = p->part.transposed;
    zl_emit *e = &t->e;
    zl_emit_line(e, "mov.b64 %s, %lld;", base_names[memory],
                 (long long)(memory ? p->part.dest : p->part.source));
    zl_emit_line(e, "shr.u32 z, tid, 3;");
    zl_emit_line(e, "and.b32 z, z, %u;", count - 1);
    zl_emit_line(e, "add.u32 z, z, %u;", word);
    zl_emit_line(e, "and.b32 shift, tid, %d;", ROWS - 1);
    zl_emit_line(e, "mul.lo.u32 rest, z, %u;", turned ? 2 : each);
    if (turned) {
        zl_emit_line(e, "and.b32 z, shift, 1;");
        zl_emit_line(e, "add.u32 rest, rest, z;");
    }
    zl_tile_digits(t, ZLAY_DIGIT_VALUE, base_names, NULL);
    zl_emit_line(e, "and.b32 rest, tid, %d;", -WARP);
    if (turned) zl_emit_line(e, "shr.u32 z, shift, 1;");
    else zl_emit_line(e, "shl.b32 z, shift, 2;");
    zl_emit_line(e, "add.u32 rest, rest, z;");
    zl_tile_digits(t, ZLAY_DIGIT_THREAD, base_names, NULL);
}

/* Prints one ldmatrix or stmatrix of `count` matrices from register `word` on. */
static void instruction(zl_tile_text *t, int memory, uint32_t word, uint32_t count)
{
    char room[40], names[MATRICES][16];
    const char *operands[MATRICES + 1];
    bool store = memory == 1;
    row_offset(t, memory, word, count);
    zl_tile_bases(t);
    operands[store ? 0 : count] = zl_tile_address(t, room, memory, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "w%u", word + i);
        operands[i + store] = names[i];
    }
    zl_emit_form(&t->e, "", zl_tile_matrix_form(t->part, store, count), operands);
}

void zl_tile_matrices(zl_tile_text *t)
{
    zl_tile_block b;
    uint32_t registers[ZL_TILE_WORDS], count;
    int memory = zl_tile_is_held(t, 0);
    zl_tile_block_of(&b, t->move, t->part);
    uint32_t words = zl_words_of(b.count * b.bytes);
    for (uint32_t w = 0; w < ZL_TILE_WORDS; w++) registers[w] = w;
    if (memory) zl_tile_held(t, 0, words, registers);
    for (uint32_t word = 0; word < words; word += count) {
        for (count = t->part->part.matrices; word + count > words;) count /= 2;
        instruction(t, memory, word, count);
    }
    if (!memory) zl_tile_held(t, 1, words, registers);
}
