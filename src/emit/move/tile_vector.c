/* SPDX-License-Identifier: Apache-2.0 */
/* Prints one load or store of a vector, and the registers that a function takes or returns as
 * fragments. */
#include "emit/move/tile.h"

#include <stdio.h>

void zl_tile_vector(zl_tile_text *t, const char *guard, int side, uint32_t bytes,
                    const char *address, const char *prefix, const uint32_t *registers)
{
    char names[8][8];
    const char *operands[10];
    uint32_t count = zl_words_of(bytes);
    for (uint32_t i = 0; i < count; i++) {
        const char *bank = prefix[0] ? prefix : registers[i] & ZL_TILE_PERMUTED ? "v" : "w";
        snprintf(names[i], sizeof names[i], "%s%u", bank, registers[i] & 0xffff);
        operands[i + (side == 1)] = names[i];
    }
    operands[side ? 0 : count] = address;
    operands[count + 1] = "bar";
    zl_emit_form(&t->e, guard, zl_tile_form(t->move, t->part, side, bytes), operands);
}

void zl_tile_held(zl_tile_text *t, int side, uint32_t words, const uint32_t *registers)
{
    for (uint32_t w = 0; w < words; w++) {
        const char *bank = registers[w] & ZL_TILE_PERMUTED ? "v" : "w";
        uint32_t number = registers[w] & 0xffff;
        if (side) zl_emit_line(&t->e, "st.param.b32 [held_dest+%u], %s%u;", 4 * w, bank, number);
        else zl_emit_line(&t->e, "ld.param.b32 w%u, [held_source+%u];", number, 4 * w);
    }
}
