/* SPDX-License-Identifier: Apache-2.0 */
/* Weighs the counts of a part (instructions, sectors, wavefronts) into one cost, by costs.def.
 * bound.c has the lower bounds with which `optimal` is decided. */
#include "synth/copy/copy.h"

#include <stdio.h>
#include <string.h>

enum { WORD_BITS = 32, WORD_BYTES = 4 };

static const struct {
    int32_t path;
    uint64_t instruction, sector, wavefront, permute;
} costs[] = {
#define COST(path, instruction, sector, wavefront, permute) \
    {ZLAY_PATH_##path, instruction, sector, wavefront, permute},
#include "synth/copy/costs.def"
#undef COST
};

static size_t row_of(int32_t path)
{
    size_t i = 0;
    while (i + 1 < ZL_COUNT(costs) && costs[i].path != path) i++;
    return i;
}

uint64_t zl_copy_cost(const zl_copy_way *way, const zl_move_part *part)
{
    const zlay_move_part *p = &part->part;
    size_t row = row_of(way->path);
    return p->instructions * costs[row].instruction + p->sectors * costs[row].sector +
           (p->wavefronts_load + p->wavefronts_store) * costs[row].wavefront +
           p->permutes * costs[row].permute;
}

bool zl_copy_is_one(const zl_copy_way *way)
{
    return way->path == ZLAY_PATH_BULK || way->path == ZLAY_PATH_CP_ASYNC;
}

/* ---- bytes in registers ---------------------------------------------------------------- */

/* Instructions that order bytes, for a block of elements smaller than a word whose loads and
 * stores have different rows: each word is made from as many words as it has elements. */
static uint64_t block_permutes(const zl_copy *c, const zl_copy_way *w, uint64_t elements)
{
    uint64_t a = w->vector[0], b = w->vector[1];
    bool one_run = w->run[0] == w->run[1];
    uint64_t block = one_run ? (a > b ? a : b) : a * b;
    uint64_t piece = one_run ? (a < b ? a : b) * c->bits : c->bits;
    if (block == 1 || piece >= WORD_BITS || (one_run && a == b)) return 0;
    uint64_t words = (block * c->bits + WORD_BITS - 1) / WORD_BITS;
    return elements / block * (block * c->bits / piece - words);
}

/* Instructions of a realigned store: it selects five words of eight by halving, then one funnel
 * shift for each word; of 16 bytes 4 * (1 + 2). */
static uint64_t realign_permutes(const zl_copy *c, const zl_copy_way *w)
{
    uint64_t bytes = zl_copy_bytes(c, w->vector[ZL_DEST]), halvings = 0;
    uint64_t words = (bytes + WORD_BYTES - 1) / WORD_BYTES;
    while (words >> (halvings + 1)) halvings++;
    return words * (1 + halvings);
}

uint64_t zl_copy_permutes(const zl_copy *c, const zl_copy_way *way, uint64_t elements)
{
    if (zl_copy_is_one(way) || way->path == ZLAY_PATH_MATRIX) return 0;
    return way->path == ZLAY_PATH_REALIGN ? realign_permutes(c, way)
                                          : block_permutes(c, way, elements);
}

/* ---- names of accesses ------------------------------------------------------------------- */

void zl_copy_bank_name(char name[32], bool ptx, bool store, bool one, uint32_t bytes)
{
    if (one) snprintf(name, 32, "cp.async.ca.%u", bytes);
    else if (ptx) snprintf(name, 32, "%s.shared.b%u", store ? "st" : "ld", 8 * bytes);
    else if (store) snprintf(name, 32, "ds_write_b%u", 8 * bytes);
    else snprintf(name, 32, "ds_read_%c%u", bytes < WORD_BYTES ? 'u' : 'b', 8 * bytes);
}

void zl_copy_bank(const zl_copy *c, zl_copy_way *way)
{
    for (int side = 0; side < ZL_SIDES; side++) {
        char name[32];
        way->bank[side] = -1;
        if (!zl_is_shared(c->side[side].space) || way->path == ZLAY_PATH_BULK) continue;
        zl_copy_bank_name(name, c->ptx, side == ZL_DEST, zl_copy_is_one(way),
                zl_copy_bytes(c, way->vector[side]));
        if (zlay_bank_find(&way->bank[side], name, strlen(name))) way->bank[side] = -1;
    }
}

/* The number of lanes in the first phase of an access with distinct addresses, or with one
 * address; 0: phases are not blocks of that many consecutive lanes. */
static uint32_t phase_lanes(const zl_copy *c, int32_t access, uint32_t step)
{
    const zlay_target *const targets[] = {c->target, c->ranked};
    uint32_t address[ZLAY_BANK_LANES], lanes;
    zlay_bank bank = {.answer = ZLAY_UNDECIDED};
    for (uint32_t i = 0; i < c->warp; i++) address[i] = i * step;
    for (uint32_t i = 0; i < 2 && bank.answer != ZLAY_YES; i++)
        if (zlay_bank_conflicts(&bank, targets[i], access, address, c->warp)) return 0;
    if (bank.answer != ZLAY_YES) return 0;
    lanes = c->warp / bank.phases;
    for (uint32_t i = 0; i < bank.phases; i++)
        if (bank.phase[i] != (UINT64_MAX >> (64 - lanes)) << (i * lanes)) return 0;
    return lanes;
}

uint32_t zl_copy_phase_bits(const zl_copy *c, const zl_copy_way *way, int side, bool shared)
{
    uint32_t bytes = zl_copy_bytes(c, way->vector[side]);
    if (way->bank[side] < 0) return 0;
    uint32_t lanes = phase_lanes(c, way->bank[side], bytes);
    if (!lanes || (shared && lanes != phase_lanes(c, way->bank[side], 0))) return 0;
    return (uint32_t)__builtin_ctz(lanes);
}
