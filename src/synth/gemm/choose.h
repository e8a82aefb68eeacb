/* SPDX-License-Identifier: Apache-2.0 */
/* What is chosen by modelled times: the shape of a tile, and how blocks divide the work. */
#ifndef ZL_SYNTH_GEMM_CHOOSE_H
#define ZL_SYNTH_GEMM_CHOOSE_H

#include "synth/gemm/plan.h"

/* The modelled nanoseconds of a product by tiles of a shape, whose ring has so many bytes, and what they are made of; how many
 * blocks compute tiles of D, UINT64_MAX where they pass 64 bits. */
uint64_t zl_tile_time(zlay_gemm_terms *out, const zlay_plan *plan, const zlay_gemm *gemm, uint32_t m, uint32_t n, uint64_t ring);
uint64_t zl_tile_blocks(const zlay_plan_summary *info, uint32_t m, uint32_t n, uint32_t empty);

enum { ZL_GEMM_BAND = 16 };

/* Rows of tiles that are visited together, by default. Where columns of D are contiguous and it has few columns of tiles, those of
 * a row come one behind the other, and what they share is in L2 when the second asks for it. */
static inline uint32_t zl_gemm_band(bool by_columns, uint64_t wide)
{
    return by_columns && wide <= ZL_GEMM_BAND ? 1 : ZL_GEMM_BAND;
}

/* Finds the machine of a plan, in scratch memory, and the processors whose waves the model counts. */
zlay_status zl_tile_machine(zlay_ctx *ctx, zlay_plan *plan);

enum { ZL_TILE_SHAPES = 4 * 32 /* at most: rows by 64 up to 256, columns by 8 up to 256 */ };

/* A shape with its time, which depends on the ring that it has; the shapes that the request allows, of clusters and of a division of tiles as the plan has them; the first of the cheapest, whose
 * time is UINT64_MAX where there is none. */
zl_tile_shape zl_tile_weigh(zlay_gemm_terms *out, const zlay_plan *plan, const zlay_gemm *gemm, uint32_t m, uint32_t n);
uint32_t zl_tile_shapes(const zlay_plan *plan, const zlay_gemm *gemm, zl_tile_shape *out);
zl_tile_shape zl_tile_cheapest(const zlay_plan *plan, const zlay_gemm *gemm);

/* How blocks divide the work: whole tiles, each by one block; pairs of blocks that share B; the tiles of the last waves divided
 * evenly; K divided among the two, four or eight blocks of a cluster. */
typedef enum zl_gemm_way {
    ZL_GEMM_WHOLE, ZL_GEMM_PAIRS, ZL_GEMM_STREAM, ZL_GEMM_SPLIT_2, ZL_GEMM_SPLIT_4, ZL_GEMM_SPLIT_8, ZL_GEMM_WAYS
} zl_gemm_way;

/* Lets a plan, whose operands are read, divide the work in a way that the request leaves open; false: it does not, or not this product. */
bool zl_gemm_way_take(zlay_plan *plan, const zlay_gemm *gemm, zl_gemm_way way);
/* What the choice compares: the modelled time of a shape and, where it rests on more than was measured, the model's error. */
uint64_t zl_gemm_way_rank(const zl_tile_shape *shape, zl_gemm_way way, const zl_tile_shape *whole);
/* Takes the way and the shape of the least rank, which it returns; UINT64_MAX: the request allows none. */
uint64_t zl_gemm_way_choose(zlay_plan *plan, const zlay_gemm *gemm);
/* What each of them needs; what it makes of the plan. */
bool zl_multicast_may(const zlay_plan *plan, const zlay_gemm *gemm);
void zl_multicast_share(zlay_plan *plan, int32_t operand);
bool zl_stream_may(const zlay_plan *plan, const zlay_gemm *gemm);
bool zl_split_may(const zlay_plan *plan, const zlay_gemm *gemm, uint32_t splits);

#endif
