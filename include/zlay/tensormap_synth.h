/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/tensormap_synth.h - which tensor maps and copies bring a tile to where
 *  it is wanted, with the fewest copies.
 *
 *  A tile by hand.  bf16 elements lie in rows of 4096, (4096,4096):(4096,1), and
 *  tiles of 128 x 128 are wanted as two halves of 128 columns by 64 with the
 *  128-byte swizzle: Sw<3,3,3> o 0 o (128,(64,2)):(64,(1,8192)).  A swizzled row
 *  of shared memory is 128 bytes, half a row of the tile.  Counted along shared
 *  memory the tile is 64 columns (2 bytes apart in global memory), 128 rows (8192
 *  bytes apart), 2 halves (128 bytes apart).  No two of these merge, so the least
 *  rank is 3: extents 64, 4096, 64, strides 8192 and 128 bytes, box 64 x 128 x 2,
 *  one copy of 32768 bytes.  The next tile down adds 128 to coordinate 1, the
 *  next one across 2 to coordinate 2.
 *
 *  The same of 4-bit values that tcgen05 wants 16 in 16 bytes, b4x16_p64: of
 *  (4096,4096):(4096,1) a tile of 64 x 128 in Sw<3,4,3> o 0 o (64,128):(128,1),
 *  whose offsets count values, a byte each in shared memory.  A row of 128 values
 *  is 64 bytes of global memory: extents 4096, 4096, stride 2048 bytes, box 128 x
 *  64, one copy that counts 4096 bytes and fills 8192 with its gaps.
 *
 *  The same with unknowns: of (M,K):(ld,1) in bf16 a tile of 128 x 64 has a map of
 *  extents K, M and stride 2*ld bytes (zlay_move_given_nth), legal where M, K and ld are
 *  not too large and `(ld % 16 * 2) % 16 == 0` (zlay_move_guard); under the fact
 *  "ld = 0 mod 8" nothing of that is left.
 */
#ifndef ZLAY_TENSORMAP_SYNTH_H
#define ZLAY_TENSORMAP_SYNTH_H

#include <zlay/facts.h>
#include <zlay/move.h>

#ifdef __cplusplus
extern "C" {
#endif

/** From the tensor to shared memory, or back. */
enum { ZLAY_DIRECTION_LOAD = 0, ZLAY_DIRECTION_STORE };

/** What is wanted.  0 means the default named beside the field. */
typedef struct zlay_tensormap_request {
    uint32_t size;            /* sizeof(zlay_tensormap_request); a shorter one reads as zeros */
    int32_t type;             /* ZLAY_TYPE_* of whole bytes, of 4 bits, or a map's packed type;
                                 offsets in smem count values, of b4x16_p64 and b6x16_p32 16 in
                                 16 bytes */
    const zlay_layout *source; /* coordinate -> element offset from the tensor's address */
    const zlay_layout *tile;  /* tile coordinate -> index into the box of source: one tile;
                                 NULL: `shape` */
    const zlay_layout *smem;  /* tile coordinate -> element offset in shared memory;
                                 NULL: zlay chooses */
    uint64_t shape[ZLAY_TILE_AXES]; /* cells of a tile along each top-level mode of source:
                                 the tile of index t begins at t * shape */
    uint32_t axes;            /* entries of `shape` */
    uint32_t address_align;   /* bytes that the tensor's address is a multiple of: 16, of
                                 b4x16_p64 and b6x16_p32 32 */
    int32_t swizzle;          /* ZLAY_SWIZZLE_*, read where swizzle_given is 1 */
    uint32_t swizzle_given;   /* 1: every copy has this swizzle; 0: any */
    int32_t edge;             /* ZLAY_EDGE_*: strong */
    uint32_t residual;        /* 1: where no copies land the tile as wanted, answer copies that
                                 land it otherwise and what is left to permute */
    uint32_t keep_holes;      /* 1: no copy writes 16 bytes between the places of smem that the
                                 tile does not want */
    int32_t direction;        /* ZLAY_DIRECTION_*: load */
    const zlay_facts *facts;  /* about the names of source; NULL: nothing is known */
    uint64_t index[ZLAY_TILE_AXES]; /* of the one tile that is wanted, where index_given is 1 */
    uint32_t index_given;     /* 1: that tile alone, 0: all */
    uint32_t reserved0;       /* 0 */
    uint64_t reserved[5];     /* 0 */
} zlay_tensormap_request;

/** Find the tensor maps and copies that bring a tile of a tensor to shared
 *  memory: the fewest copies, then bytes, then maps, then dimensions.
 *
 *  A map's address is what to add to the tensor's; it may lie before the tensor,
 *  where nothing is read.  Offsets in shared memory count
 *  from an address that is a multiple of 1024.  A cell of the tile outside the
 *  source's box, or where source has no value, is an edge: copies fill it with 0,
 *  or with a weak edge bring anything.
 *
 *  Of a source that is no sum of modes, as a swizzled one, the next tile need be
 *  no whole steps away; then each is asked for by its index.  Where smem is
 *  chosen for such a source, the tile's 16 bytes of global memory follow each
 *  other as they do there.
 *
 *  With direction STORE the same copies the other way: they write each cell of
 *  the tile that the tensor has, and nothing else of memory, so no hole of
 *  `smem` and no 16 bytes that the tile has in part.  Edges are strong then, and
 *  no two cells of source may share a place.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no tensor copies do it: the message has the rule
 *           and a byte of the tile that none can bring to its place;
 *           ZLAY_EINVAL the message names the field; ZLAY_ENOTSUP; ZLAY_ELIMIT
 *           limits.points, symbolic-stride (of unknowns it is not seen
 *           whether there are any), or a search that the message names;
 *           ZLAY_EOVERFLOW,
 *           ZLAY_ENOMEM.
 *  Out:     out  the move; free it with zlay_move_free.
 */
ZLAY_API zlay_status zlay_tensormap_synth(zlay_ctx *ctx, zlay_move **out,
                                          const zlay_target *target,
                                          const zlay_tensormap_request *request);

#ifdef __cplusplus
}
#endif
#endif
