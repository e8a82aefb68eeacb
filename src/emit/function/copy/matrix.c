/* SPDX-License-Identifier: Apache-2.0 */
/* Fragments by ldmatrix and stmatrix, as inline asm. In an instruction of n matrices lane l has the
 * address of row l mod 8 of matrix l / 8, which is the place of the element that begins that row
 * (zlay_move_part). */
#include "emit/function/copy/copy.h"

#include <stdio.h>

enum { WARP = 32, ROWS = 8, WORD_BITS = 32, MATRICES = 4 };

/* The digits of the element whose row the lane has, of the matrices from `word` on. */
static void row_put(zl_tile_c *t, uint32_t word, uint32_t count)
{
    bool turned = t->part->part.transposed;
    uint32_t each = turned ? 2 : WORD_BITS / t->move->info.elem_bits;
    zl_tile_c_line(t, "const unsigned row = thread & %uu;", ROWS - 1);
    zl_tile_c_line(t, "const unsigned value = ((thread >> 3 & %uu) + %uu) * %uu%s;",
                 (unsigned)count - 1, (unsigned)word, (unsigned)each,
                 turned ? " + (row & 1u)" : "");
    zl_tile_c_line(t, "const unsigned holder = (thread & ~%uu) + (row %s);", WARP - 1,
                 turned ? ">> 1" : "<< 2");
    zl_tile_c_digits(t, ZLAY_DIGIT_VALUE, "value", 0);
    zl_tile_c_digits(t, ZLAY_DIGIT_THREAD, "holder", t->part->part.threads);
    zl_tile_c_line(t, "(void)value, (void)holder;");
    zl_tile_c_offsets(t, 1 << ZLAY_DIGIT_VALUE | 1 << ZLAY_DIGIT_THREAD);
}

static void instruction(zl_tile_c *t, int memory, uint32_t word, uint32_t count)
{
    zl_tile_c_name names[MATRICES];
    char room[ZL_TILE_C_ROOM];
    const char *operands[MATRICES + 1];
    bool store = memory == 1;
    zl_tile_c_open(t);
    row_put(t, word, count);
    operands[store ? 0 : count] = zl_tile_c_address(t, room, memory, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i].text, sizeof names[i].text, "held_%s[%u]", store ? "source" : "dest",
                 (unsigned)(word + i));
        operands[i + store] = names[i].text;
    }
    zl_tile_c_asm(t, zl_tile_matrix_form(t->part, store, count), store ? 0 : count, operands);
    zl_tile_c_close(t);
}

void zl_tile_c_matrices(zl_tile_c *t)
{
    uint32_t words = zl_tile_held_bytes(t->move) / ZL_TILE_WORD, count;
    int memory = t->side[0].held;
    for (uint32_t word = 0; word < words; word += count) {
        for (count = t->part->part.matrices; word + count > words;) count /= 2;
        instruction(t, memory, word, count);
    }
}
