/* SPDX-License-Identifier: Apache-2.0 */
/* Words through shared memory: for maps that leave their warp, and for tiles that have landed in
 * shared memory and stay there. A register whose word goes to one place is one store. Otherwise
 * each part is one store, and all parts but the lowest are shifted down before. */
#include "synth/word/round.h"

#include <stddef.h>
#include <string.h>

bool zl_map_keeps(const zl_affine *map, uint64_t bits)
{
    uint64_t moved = map->constant;
    for (unsigned k = 0; k < map->bits; k++) moved |= map->basis[k] ^ (bits & (uint64_t)1 << k);
    return !(moved & bits);
}

uint32_t zl_map_parts(const zl_slots *slots, const zl_affine *map)
{
    bool whole = zl_map_keeps(map, zl_ones(slots->byte));
    for (uint32_t k = 0; k < slots->byte; k++) whole = whole && map->basis[k] == (uint64_t)1 << k;
    return whole ? 1 : 1u << slots->byte;
}

/* The number of registers with a part from another warp: every word stores and loads each of
 * them. */
static uint32_t far(const zl_wanted *w)
{
    zl_affine back = w->inverse;
    uint64_t near = ~zl_above_lanes(w);
    for (unsigned k = 0; k < w->bits; k++)
        back.basis[k] = (back.basis[k] & ~near) | ((uint64_t)1 << k & near);
    back.constant &= ~near;
    return zl_touched(w, &back);
}

static uint32_t stores(const zl_slots *slots, const zl_affine *map, uint32_t registers)
{
    return registers * (2 * zl_map_parts(slots, map) - 1);
}

void zl_word_leave(zl_word *out, const zl_wanted *w)
{
    zl_affine same;
    uint64_t blocks = zl_ones(w->bits) & ~zl_ones(w->bits - w->slots.block);
    uint32_t moved = zl_touched(w, &w->inverse);
    zl_step_id store = zl_map_keeps(&w->map, blocks) ? ZL_STEP_STORE : ZL_STEP_DSMEM;
    zl_map_same(&same, w->bits);
    out->count = 3;
    out->step[0] = (zl_word_step){store, stores(&w->slots, &w->map, moved), w->map};
    out->step[1] = (zl_word_step){ZL_STEP_SYNC, 1, same};
    out->step[2] = (zl_word_step){ZL_STEP_LOAD, moved, same};
    zl_word_count(out);
    out->lower_rounds = 0;
    out->lower_instructions = 2 * far(w) + 1;
    out->optimal = out->instructions == out->lower_instructions;
}

void zl_word_landed(zl_word *out, const zl_slots *slots, const zl_affine *map)
{
    zl_affine same;
    uint32_t moved = zl_slots_moved(slots, map);
    zl_map_same(&same, map->bits);
    memset(out, 0, offsetof(zl_word, step));
    out->slots = *slots;
    out->optimal = true;
    if (!moved) return;
    out->count = 3;
    out->step[0] = (zl_word_step){ZL_STEP_LOAD, moved, same};
    out->step[1] = (zl_word_step){ZL_STEP_SYNC, 1, same};
    out->step[2] = (zl_word_step){ZL_STEP_STORE, stores(slots, map, moved), *map};
    zl_word_count(out);
    out->lower_instructions = 2 * moved + 1;
    out->optimal = out->instructions == out->lower_instructions;
}
