/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/ragged.h - one tensor map whose bounds check cuts every group of a
 *  ragged tensor, whatever its offset and its length.
 *
 *  A ragged tensor is groups of rows, one behind the other: group g has rows
 *  [offset, offset + length), and only the kernel knows both numbers.  A plain
 *  map knows one end, that of the whole tensor, so a tile at a group's end would
 *  store into the next group.
 *
 *  By hand.  Rows of 64 bf16, 128 bytes apart, at address a; tiles of 64 rows.
 *  The map has four dimensions instead of two:
 *
 *    dimension   extent    stride        box   coordinate
 *    0 element   64        (2 bytes)     64    column
 *    1 row       2^26      128           64    2^26 - n
 *    2 offset    rows + 1  128           1     offset + row + n
 *    3 wrap      2^26 + 1  2^38 - 128    1     2^26
 *
 *  `row` is where the tile begins in its group, and n how many of its rows are
 *  the group's: the least of length - row and 64, or 0.  Row j of the tile has
 *  coordinate 2^26 - n + j in dimension 1: below its extent exactly where j < n,
 *  so the hardware itself fills or drops the rest.  The address of row j is, mod
 *  2^64, in which the hardware computes,
 *      a + 128 (2^26 - n + j) + 128 (offset + row + n) + 2^26 (2^38 - 128)
 *      = a + 128 (offset + row + j) + 2^64
 *  for every offset, row and n: the group's row.  zlay_ragged_map_prove decides
 *  that equation again for any map.
 *
 *  Dimension 3 exists to subtract 2^26 rows. With ZLAY_RAGGED_SHIFT the address of
 *  the map does it, a tile of rows before the tensor, and one dimension is saved.
 *  Dimensions of which a box has one element share the dimension of the offset
 *  where the five do not suffice.
 *
 *  A tile may begin before its group, row < 0.  A load then uses the bound 0:
 *  coordinates row, offset and, in dimension 3, 0. One window has one length, so
 *  a load that is cut at both ends has no coordinates.  A store has none below 0:
 *  it begins -row rows later in shared memory.
 */
#ifndef ZLAY_RAGGED_H
#define ZLAY_RAGGED_H

#include <zlay/target.h>
#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZLAY_RAGGED_RANK = 8 }; /* dimensions of a tensor, at most */

/** What copies of a map do. */
enum { ZLAY_RAGGED_LOAD = 1, ZLAY_RAGGED_STORE = 2 };

/** What subtracts the window: nothing chosen; a dimension; the address. */
enum { ZLAY_RAGGED_ANY = 0, ZLAY_RAGGED_WRAP, ZLAY_RAGGED_SHIFT };

/** A ragged tensor and its tile, dimension 0 innermost. */
typedef struct zlay_ragged_map_request {
    uint32_t size;       /* sizeof(zlay_ragged_map_request) */
    uint32_t rank;       /* 1 to 8 */
    uint32_t dim;        /* the ragged dimension */
    uint32_t copies;     /* ZLAY_RAGGED_LOAD, _STORE or both */
    int32_t base;        /* ZLAY_RAGGED_*; ANY: WRAP where five dimensions
                            suffice, else SHIFT where all copies are stores */
    int32_t type;        /* ZLAY_TYPE_*, of whole bytes */
    int32_t swizzle;     /* ZLAY_SWIZZLE_* */
    int32_t l2, oob;     /* as in zlay_tensormap */
    uint32_t reserved0;  /* 0 */
    uint64_t address;    /* global address of the tensor, bytes */
    uint64_t extent[8];  /* elements; of `dim` those of all groups together */
    uint64_t stride[7];  /* bytes from one index of dimension i + 1 to the next */
    uint32_t box[8];     /* elements of the tile */
    uint64_t reserved[4]; /* 0 */
} zlay_ragged_map_request;

/** A map for every group, by value; made by zlay_ragged_map_synth. */
typedef struct zlay_ragged_map {
    zlay_tensormap map;
    uint32_t rank, dim;   /* of the tensor */
    uint32_t copies;      /* ZLAY_RAGGED_LOAD, _STORE or both */
    int32_t base;         /* ZLAY_RAGGED_WRAP or _SHIFT */
    uint32_t unit;        /* offsets, lengths, rows are multiples of it, elements */
    uint32_t box;         /* elements of the tile along `dim` */
    uint32_t window;      /* extent of the map's ragged dimension, elements */
    uint32_t wrap;        /* coordinate of the last dimension of WRAP; else 0 */
    uint64_t address;     /* of the tensor */
    uint64_t extent[8];   /* of the tensor */
    uint64_t stride[8];   /* bytes, of dimension i of the tensor, 0 included */
    uint32_t place[8];    /* the map's dimension of each of the tensor's */
    uint32_t scale[8];    /* what it counts there: 1, or where it shares the
                             offset's dimension more; of `dim` that of a unit there */
    uint32_t offset;      /* the map's dimension of the offset */
    uint32_t skip_unit;   /* a store begins a multiple of it later, elements */
    uint64_t reserved[4]; /* 0 */
} zlay_ragged_map;

/** Make the map.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE five dimensions do not suffice, a rule forbids
 *           the map or its stores, or an offset leaves 31 bits: the message says
 *           which; ZLAY_EINVAL the message names the field; ZLAY_ENOTSUP a type of
 *           less than a byte.
 */
ZLAY_API zlay_status zlay_ragged_map_synth(zlay_ctx *ctx, zlay_ragged_map *out,
                                           const zlay_target *target,
                                           const zlay_ragged_map_request *request);

/** Decide for all offsets, lengths and tiles, without trying any, that an
 *  element of a tile has its address in the tensor and is in bounds exactly
 *  where it is the group's: the coefficients of both addresses are compared mod
 *  2^64, and the bounds as intervals.  Reads the map and its coordinates' forms
 *  alone, nothing of how they were found.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, a dimension that there is not.
 *  Out:     answer  ZLAY_YES; ZLAY_NO: the message has the term that differs.
 */
ZLAY_API zlay_status zlay_ragged_map_prove(zlay_ctx *ctx, zlay_answer *answer,
                                           const zlay_ragged_map *ragged);

/** One copy of a tile of one group. */
typedef struct zlay_ragged_tile {
    uint32_t copy;    /* ZLAY_RAGGED_LOAD or _STORE */
    uint32_t reserved; /* 0 */
    uint64_t offset;  /* of the group in the ragged dimension, elements */
    uint64_t length;  /* of the group */
    int64_t at[8];    /* of the tile in the tensor; along `dim` in its group, where
                         it may be negative */
} zlay_ragged_tile;

/** The coordinates of a copy.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE a load that both ends of its group cut, or a store
 *           whose place in shared memory is off 128 bytes or a swizzle's period;
 *           ZLAY_EINVAL: the message names the field.
 *  Out:     coordinate  map.rank of them.
 *           skip        a store's first element along `dim` in the tile; the copy
 *                       begins there in shared memory, and reads as far past the
 *                       tile's end.  0 of a load.
 */
ZLAY_API zlay_status zlay_ragged_map_at(zlay_ctx *ctx, int32_t coordinate[5], uint32_t *skip,
                                        const zlay_ragged_map *ragged,
                                        const zlay_ragged_tile *tile);

/** The coordinates as a function of C, which is one of CUDA C and HIP too:
 *
 *    static inline int NAME(int coordinate[5], int *skip, int store,
 *                           long long offset, long long length,
 *                           long long at0, ..)
 *
 *  It returns 1, or 0 where zlay_ragged_map_at is ZLAY_NONE.  What that refuses
 *  as ZLAY_EINVAL the caller has to know: offset + length is within the tensor, and
 *  all numbers are multiples of the unit.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM with `need` set; ZLAY_EINVAL a NULL or a name that
 *           is no identifier.
 */
ZLAY_API zlay_status zlay_ragged_map_print(zlay_buf *out, const zlay_ragged_map *ragged,
                                           const char *name, size_t length);

#ifdef __cplusplus
}
#endif
#endif
