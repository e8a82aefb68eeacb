/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/show_hardware.h - pictures of what the hardware reads: descriptors, banks, boxes.
 *
 *  By hand: the matrix descriptor 0x4000004000010040 of sm_90a has 0x40 in bits 0
 *  to 13, so its picture has a box `start` of 14 columns whose tip says 1024.
 */
#ifndef ZLAY_SHOW_HARDWARE_H
#define ZLAY_SHOW_HARDWARE_H

#include <zlay/show.h>
#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the bits are that zlay_show_descriptor shows. */
enum {
    ZLAY_BITS_TENSORMAP = 1, /* 16 words, as they lie in memory */
    ZLAY_BITS_SMEMDESC,      /* one word */
    ZLAY_BITS_IDESC,         /* one word, of which 32 bits are read */
    ZLAY_BITS_BUFFER,        /* two words, that of the lower address first */
};

typedef struct zlay_show_descriptor_request {
    uint32_t size; /* sizeof(zlay_show_descriptor_request) */
    int32_t what;  /* ZLAY_BITS_* */
    const zlay_target *target;
    const uint64_t *words;
    uint64_t count;       /* of words */
    int32_t kind;         /* ZLAY_KIND_* of an instruction descriptor; else 0 */
    uint32_t reserved32;  /* 0 */
    uint64_t reserved[4]; /* 0 */
} zlay_show_descriptor_request;

/** Show a descriptor: a box for each field over its bits, whose tip has the
 *  field's value, the bits that say so, and what the value is.  A field that breaks a rule of
 *  the target, or whose bits stand for nothing, is marked; so are bits that no field has and
 *  that are not what the target asks for.  The notes are the verdict of the field's check.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL, also for another count of words, or a kind that
 *           is none; ZLAY_ENOTSUP the target has no such descriptor, or the bits
 *           of its tensor maps are not known; ZLAY_ELIMIT limits.points; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_picture_free.
 */
ZLAY_API zlay_status zlay_show_descriptor(zlay_ctx *ctx, zlay_picture **out,
                                          const zlay_show_descriptor_request *request);

/** Show an access of a warp or wave to shared memory: a panel for each phase, its
 *  columns the banks, or groups of banks that a lane asks for together, and its rows
 *  the wavefronts.  A box is what such banks serve in a wavefront, its label the lanes
 *  (0+3: lane 0 and three more), its step the wavefront.  Boxes of banks that a phase
 *  asks for more than one word are marked.
 *
 *  By hand: lane l of 32 loads 4 bytes at 8 l.  Bank 0 has lane 0 in the first
 *  wavefront and lane 16 in the second, both marked; bank 1 has none.
 *
 *  Returns: as zlay_bank_conflicts; ZLAY_ENOTSUP the phases are not known;
 *           ZLAY_ELIMIT limits.points; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_picture_free.
 *  In:      access, addresses, count  as zlay_bank_conflicts.
 */
ZLAY_API zlay_status zlay_show_banks(zlay_ctx *ctx, zlay_picture **out, const zlay_target *target,
                                     int32_t access, const uint32_t *addresses, size_t count);

typedef struct zlay_show_box_request {
    uint32_t size; /* sizeof(zlay_show_box_request) */
    uint32_t smem; /* shared address of the box, bytes */
    const zlay_tensormap *map;
    const int32_t *coordinate; /* elements, one a dimension, dimension 0 innermost */
    const uint16_t *offset;    /* of im2col mode, as zlay_sim_copy has them; NULL: 0 */
    uint64_t reserved[4];      /* 0 */
} zlay_show_box_request;

/** Show where a tensor copy from global memory puts its box, as zlay_sim_tensor_load models
 *  it: rows are 128 bytes of shared memory, and a box is up to 16 bytes that stay together,
 *  its label the coordinates of their first element in the tensor, dimension 0 first.  What lies
 *  outside the tensor is marked, its label what is filled in.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL, also for a map that zlay_tensormap_check refuses, or a
 *           copy that faults: the message says how; ZLAY_ELIMIT limits.points; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_picture_free.
 */
ZLAY_API zlay_status zlay_show_box(zlay_ctx *ctx, zlay_picture **out,
                                   const zlay_show_box_request *request);

typedef struct zlay_show_swizzle_request {
    uint32_t size;      /* sizeof(zlay_show_swizzle_request) */
    uint32_t elem_bits; /* of an element: 1 to 128, a power of two */
    const zlay_layout *before, *after; /* (row, column) -> element of shared memory */
    uint32_t banks;       /* of 4 bytes, a power of two up to 64; 0: 32 */
    uint32_t values;      /* 1: labels are the elements of shared memory; 0: the banks */
    uint64_t reserved[4]; /* 0 */
} zlay_show_swizzle_request;

/** Show a tile in shared memory before and after a swizzle: a panel each, its rows the
 *  first mode and its columns all others, its shades the banks.  Elements of a row that
 *  stand one behind the other in the same aligned 16 bytes are one box where all boxes are
 *  such 16 bytes, else in 8 bytes, else in one bank.
 *
 *  By hand: 8 rows of 64 elements of 16 bits, (8,64):(64,1), have rows of 128 bytes, so
 *  each of the 8 rows of column 0 is in banks 0 to 3.  Behind Sw<3,3,3> they are in
 *  banks 0-3, 4-7, 8-11 .. 28-31.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL, also for layouts of different sizes, or a value below 0;
 *           ZLAY_ENOTSUP a layout has parameters or several outputs; ZLAY_ELIMIT more
 *           elements than limits.points; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_picture_free.
 */
ZLAY_API zlay_status zlay_show_swizzle(zlay_ctx *ctx, zlay_picture **out,
                                       const zlay_show_swizzle_request *request);

#ifdef __cplusplus
}
#endif
#endif
