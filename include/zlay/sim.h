/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/sim.h - a CPU model of what the hardware does with a plan.
 *
 *  Written from the PTX ISA and from measurements on an H200; it reads only the
 *  fields that the hardware reads: a map's parameters, 64-bit descriptors,
 *  coordinates.  Shared memory is an array of bytes whose first byte has the
 *  shared address `origin`; the swizzles act on absolute shared addresses.
 */
#ifndef ZLAY_SIM_H
#define ZLAY_SIM_H

#include <zlay/copy.h>
#include <zlay/target.h>
#include <zlay/mma.h>
#include <zlay/smemdesc.h>
#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A block's shared memory. */
typedef struct zlay_sim_smem {
    uint8_t *bytes;
    uint32_t size;   /* bytes */
    uint32_t origin; /* shared address of bytes[0], a multiple of 16 */
} zlay_sim_smem;

/** A tensor in memory: map->address is the address of bytes[0]. */
typedef struct zlay_sim_global {
    uint8_t *bytes;
    uint64_t size; /* bytes; nothing outside is accessed */
} zlay_sim_global;

/** What a model function found: ZLAY_OK and 0, or the hardware's fault. */
enum {
    ZLAY_FAULT_NONE = 0,
    ZLAY_FAULT_SMEM_ALIGN = 716, /* shared address off 128 bytes */
    ZLAY_FAULT_COORDINATE = 715, /* first coordinate off 16 bytes, or a negative store coordinate */
    ZLAY_FAULT_ACCESS = 700,     /* outside the shared or global array */
    ZLAY_FAULT_WIDTH = 717       /* a thread's access off its own width */
};

/** One copy of a box between a tensor and shared memory. */
typedef struct zlay_sim_copy {
    const zlay_tensormap *map;
    const int32_t *coordinate; /* elements, dimension 0 innermost */
    const uint16_t *offset; /* of im2col mode, one for each spatial dimension, W first; NULL: 0 */
    uint32_t address;       /* shared, of the box */
    uint32_t reserved;      /* 0 */
} zlay_sim_copy;

/** Model one tensor copy from global to shared memory, in tiled or im2col mode.
 *  A load of tf32 rounds.
 *
 *  Returns: ZLAY_OK (also with a fault); ZLAY_EINVAL a NULL, or a map that
 *           tensormap_check refuses.
 *  Out:     fault   ZLAY_FAULT_*; nothing else is written when it is not 0.
 *           bytes   what complete_tx counts, out-of-bounds elements included.
 *           smem    elements outside the tensor are 0, or with map->oob a NaN,
 *                   0x7ff7 in each 16 bits (measured).
 */
ZLAY_API zlay_status zlay_sim_tensor_load(int32_t *fault, uint32_t *bytes, zlay_sim_smem *smem,
                                          const zlay_sim_global *global, const zlay_sim_copy *copy);

/** Model one tensor copy from shared to global memory.  Returns, Out as
 *  tensor_load. A row of the tensor is written in whole granules of 16 bytes,
 *  so one whose bytes are no multiple of 16 loses what follows it there
 *  (measured). */
ZLAY_API zlay_status zlay_sim_tensor_store(int32_t *fault, uint32_t *bytes,
                                           const zlay_sim_smem *smem, zlay_sim_global *global,
                                           const zlay_sim_copy *copy);

/** Model one tensor reduction from shared to global memory, each element
 *  `global = global op shared`.
 *
 *  Returns, Out as tensor_store, its granules of 16 bytes too; ZLAY_EINVAL
 *           also a type that the operation does not take.
 *  In:      op  ZLAY_REDUCE_*; sums of f16 and bf16 are rounded to nearest
 *               even, of f32 too, where subnormal numbers are zero.
 */
ZLAY_API zlay_status zlay_sim_tensor_reduce(int32_t *fault, uint32_t *bytes,
                                            const zlay_sim_smem *smem, zlay_sim_global *global,
                                            const zlay_sim_copy *copy, int32_t op);

/** Model tile::gather4: four rows of a matrix, one below the other in shared
 *  memory.  From the PTX ISA; no device was asked.
 *
 *  Returns, Out as tensor_load; ZLAY_EINVAL also a box that is no one row.
 *  In:      copy->coordinate  the column, then four rows.
 */
ZLAY_API zlay_status zlay_sim_tensor_gather4(int32_t *fault, uint32_t *bytes, zlay_sim_smem *smem,
                                             const zlay_sim_global *global,
                                             const zlay_sim_copy *copy);

/** The same from shared to global memory, tile::scatter4.  Returns, Out, In as
 *  tensor_gather4. */
ZLAY_API zlay_status zlay_sim_tensor_scatter4(int32_t *fault, uint32_t *bytes,
                                              const zlay_sim_smem *smem, zlay_sim_global *global,
                                              const zlay_sim_copy *copy);

/** Model a multicast load: every block of the mask receives the box at the same
 *  address, and its barrier counts `bytes`.
 *
 *  Returns: as tensor_load; ZLAY_EINVAL also a mask with a bit at `blocks` or
 *           above.
 *  In:      smem  of `blocks` blocks, one a rank.
 */
ZLAY_API zlay_status zlay_sim_tensor_multicast(int32_t *fault, uint32_t *bytes, zlay_sim_smem *smem,
                                               uint32_t blocks, uint32_t mask,
                                               const zlay_sim_global *global,
                                               const zlay_sim_copy *copy);

/** Model the same box moved by threads, `width` bytes an access (1, 2, 4, 8,
 *  16), into the place where a tensor copy would put it, zero-filled outside.  The
 *  map's alignment rules are not asked; a row of the box that is no multiple of
 *  `width`, or an address off it, is ZLAY_FAULT_WIDTH.  Where a row of the
 *  tensor ends inside an access, the rest of the access is filled, as cp.async
 *  does.
 *  Returns as tensor_load; ZLAY_EINVAL also another width. */
ZLAY_API zlay_status zlay_sim_thread_load(int32_t *fault, zlay_sim_smem *smem,
                                          const zlay_sim_global *global, const zlay_sim_copy *copy,
                                          uint32_t width);

/** The same from shared to global memory; elements outside the tensor are not
 *  written, and an access in which a row of the tensor ends is
 *  ZLAY_FAULT_WIDTH.  Returns as thread_load. */
ZLAY_API zlay_status zlay_sim_thread_store(int32_t *fault, const zlay_sim_smem *smem,
                                           zlay_sim_global *global, const zlay_sim_copy *copy,
                                           uint32_t width);

/** Model one wgmma.mma_async m64nN of dense operands from two descriptors, of
 *  bf16, f16, tf32, e4m3, e5m2, s8 or u8: acc[r * n + c] (+)= sum over k of
 *  A(r, k) B(c, k), in float32, k ascending, or in integers.  Where sums are
 *  exact in float32 the device has the same; where they are not it may round
 *  elsewhere, with fp8 operands after fewer bits.  Of tf32 the upper 19 bits
 *  are read.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, an instruction that mma_check refuses,
 *           that is sparse, of single bits or with A in registers.
 *  Out:     fault  ZLAY_FAULT_ACCESS when an operand leaves the array.
 *           acc    64 x n: int32_t where d is s32, else floats; where d is f16
 *                  each is rounded to it when the instruction ends.
 *  In:      scale_d  0: acc is overwritten.
 */
ZLAY_API zlay_status zlay_sim_wgmma(int32_t *fault, void *acc, const zlay_sim_smem *smem,
                                    const zlay_mma *mma, uint64_t desc_a, uint64_t desc_b,
                                    int32_t scale_d);

/** Round a float to bf16, to nearest even; a NaN becomes 0x7fff. */
ZLAY_API uint16_t zlay_sim_bf16(float value);

/** The float of a bf16. */
ZLAY_API float zlay_sim_float(uint16_t bf16);

#ifdef __cplusplus
}
#endif
#endif
