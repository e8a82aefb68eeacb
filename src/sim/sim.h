/* SPDX-License-Identifier: Apache-2.0 */
/* What the copies of the model share: a box of a tensor as rows, and a row as runs of shared
 * memory. Swizzles act on absolute shared addresses and never split 16 bytes. */
#ifndef ZL_SIM_H
#define ZL_SIM_H

#include <stdbool.h>
#include <zlay/sim.h>

/* A box whose innermost dimension is a row, or a slice of it where the map is interleaved, or a
 * column whose pixels are rows; the rows lie `pitch` bytes apart in shared memory. */
typedef struct zl_box {
    const zlay_tensormap *map;
    const int32_t *coordinate;
    const uint16_t *offset; /* of columns; NULL: none */
    uint32_t address;   /* shared, of the first row before swizzling */
    uint32_t bits;      /* of an element in global memory */
    uint32_t element;   /* bytes of one in shared memory, of half a byte 1 */
    uint32_t data;      /* of 16 bytes of shared memory those that are copied; the others are gaps */
    bool rounds;            /* to tf32 */
    uint32_t granule;   /* bytes in which a row is written, whole ones also past the tensor's end */
    uint64_t row_bytes; /* of the box, what lies outside the tensor included */
    uint64_t pitch;
    uint64_t count[5]; /* rows along each dimension but the innermost */
    uint64_t rows;
} zl_box;

/* One row: bytes [from, to) of it lie inside the tensor, byte `from` at `global` of its array, mod
 * 2^64 as addresses are. */
typedef struct zl_sim_row {
    uint64_t shared; /* address before swizzling */
    uint64_t from, to, global;
} zl_sim_row;

/* Bytes of a row that stay together in shared memory, with their gaps. */
typedef struct zl_sim_run {
    uint64_t at; /* in the row */
    uint64_t length;
    uint64_t address; /* shared, after swizzling */
} zl_sim_run;

/* The shared address that a swizzle mode puts in the place of `address`. */
uint64_t zl_sim_swizzle(uint64_t address, int32_t swizzle);

/* Whether the model's rows of sm_90a do not hold: packed types and 128-byte swizzles of larger
 * atoms came with sm_100. */
bool zl_map_is_later(const zlay_tensormap *map);

/* Bytes of a swizzled row, 16 without a swizzle. */
uint32_t zl_sim_span(int32_t swizzle);

bool zl_sim_smem_valid(const zlay_sim_smem *smem);

/* Whether nothing of a call is missing, and shared memory can be what it says. */
bool zl_sim_copy_valid(const zlay_sim_smem *smem, const zlay_sim_global *global,
                       const zlay_sim_copy *copy);
bool zl_sim_in_smem(const zlay_sim_smem *smem, uint64_t address, uint64_t length);

bool zl_map_has_columns(const zlay_tensormap *map);

/* false: no map that tile or im2col mode could have. */
bool zl_box_init(zl_box *box, const zlay_sim_copy *copy);

zl_sim_row zl_box_row(const zl_box *box, uint64_t index);

/* The coordinates of a row, of the innermost dimension only where the map is interleaved. */
void zl_box_row_at(int64_t *at, const zl_box *box, uint64_t index);

/* The element of a row that stands at a byte of it, in shared memory. */
static inline uint64_t zl_row_element(const zl_box *box, uint64_t at)
{
    return at * 8 / (box->data < 16 ? 8 : box->bits);
}

/* The first run of a row is asked for with length 0 and at 0; false past the last. */
bool zl_row_run(zl_sim_run *run, const zl_box *box, const zl_sim_row *row);

/* true when every byte of the box has a place in shared memory and every byte inside the tensor one
 * in its array. */
bool zl_box_fits(const zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global);

/* What complete_tx counts of a row. */
uint64_t zl_row_copied(const zl_box *box);

/* 16 bytes of a packed type from and to memory: PTX ISA 9.1, "Padding and alignment of the sub-byte
 * types". */
void zl_group_load(uint8_t *shared, const uint8_t *global, uint32_t data);
void zl_group_store(uint8_t *global, const uint8_t *shared);

/* Move a box that fits; `fill` is the element that stands for what lies outside. */
void zl_box_load(const zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global,
                 const uint8_t *fill);
void zl_box_store(const zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global);

/* Bytes in which stores write. */
enum { ZL_STORE_GRANULE = 16 };

/* A tensor copy before it moves: its box, and the fault that it raises instead. */
zlay_status zl_tensor_begin(zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global,
                            const zlay_sim_copy *copy);
zlay_status zl_store_check(const zlay_tensormap *map);
int32_t zl_tensor_fault(const zl_box *box, const zlay_sim_smem *smem,
                        const zlay_sim_global *global, bool store);

/* The float that has these bits. */
float zl_float_of(uint32_t bits);

/* An element of an operand, and a float rounded to nearest even as a half. */
float zl_sim_element(int32_t type, const uint8_t *bytes);
float zl_sim_half(float value);

/* The element that stands for what lies outside; 8 bytes. */
void zl_fill_element(uint8_t *fill, const zlay_tensormap *map);

#endif
