/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of rows, of which only the device knows how many there are. */
#ifndef ZL_SYNTH_GEMM_GROUPS_H
#define ZL_SYNTH_GEMM_GROUPS_H

#include "base/arith.h"
#include "synth/gemm/plan.h"

/* Groups of rows: fewer than 2^30 of them together; the rows of tiles at most; those that are usual, for half of the last `empty`
 * rows of a group are empty, and take as long as others: a tile (tests/device/peers/grouped.py on an H200), or what a consumer has; and what they add to a copy of an operand,
 * along the axes that count where a group begins and ends, and groups. */
enum { ZL_GROUPS_ROWS_LOG = 30 };
/* Whether groups have elements of K of their own: A and B have rows of groups below each other, D a matrix for each. */
static inline bool zl_groups_in_k(const zlay_plan_summary *info) { return info->groups && info->ragged == ZLAY_RAGGED_K; }
/* Products of groups are planned transposed, so that the rows of a tile, as columns, are as many as there are. */
static inline bool zl_groups_turned(const zlay_plan_summary *info) { return info->groups && info->d_order == ZLAY_ORDER_COLUMN; }
static inline uint64_t zl_groups_rows(const zlay_plan_summary *info)
{
    return zl_groups_in_k(info) ? info->k : zl_groups_turned(info) ? info->n : info->m;
}
/* The operand whose rows groups have, of A and B. */
static inline int32_t zl_groups_ragged(const zlay_plan_summary *info) { return zl_groups_turned(info) ? ZLAY_OPERAND_B : ZLAY_OPERAND_A; }
/* Rows of tiles of so many rows. */
static inline uint64_t zl_groups_tiles(const zlay_plan_summary *info, uint32_t rows)
{
    return (zl_groups_rows(info) + (uint64_t)info->groups * (rows - 1)) / rows;
}
static inline uint64_t zl_groups_usual(const zlay_plan_summary *info, uint32_t rows, uint32_t empty)
{
    return zl_ceil_div(zl_groups_rows(info) + (uint64_t)info->groups * (empty / 2), rows);
}
/* Whether blocks take tiles from a counter. */
static inline bool zl_groups_taken(const zlay_plan_summary *info) { return zl_groups_turned(info) || zl_groups_in_k(info); }
/* Which tile a block takes next, its producer tells by a message: bytes of one, of two in shared memory, beside their four barriers. */
enum { ZL_GROUPS_MESSAGE = 16, ZL_GROUPS_BARRIERS = 4, ZL_GROUPS_WORKSPACE = 16 };
/* Of a tile of so many rows: by how many they may be fewer; rows of a box of a slice of the operand. Loads may bring rows of the
 * tile behind, stores may not. */
static inline uint32_t zl_groups_step(uint32_t rows) { return rows % 16 ? 8 : 16; }
static inline uint32_t zl_groups_slice(uint32_t rows, int32_t operand)
{
    if (operand == ZLAY_OPERAND_D) return zl_groups_step(rows);
    return rows % 64 == 0 ? 64 : rows % 32 == 0 ? 32 : rows;
}
void zl_groups_copy(zlay_copy *copy, const zlay_plan *plan, int32_t operand, int32_t column, int32_t begin, int32_t end, int32_t group);
/* Rows and columns of tiles of D: where groups have them, those that there are at most, or, of rows, those that are usual where the
 * last `empty` rows of a group are half empty. */
uint64_t zl_groups_high(const zlay_plan_summary *info, uint32_t m, uint32_t empty);
uint64_t zl_groups_wide(const zlay_plan_summary *info, uint32_t n);
/* Whether a tile is that of transposed products of groups by default. */
bool zl_groups_fit(const zlay_plan_summary *info, uint32_t m, uint32_t n);
enum { ZL_GROUPS_ROWS = 256 }; /* of such a tile at most */
/* Prints a line on groups, where there are any. */
void zl_groups_explain(zl_text *out, const zlay_plan_summary *info);

#endif
