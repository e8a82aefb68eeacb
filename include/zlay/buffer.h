/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/buffer.h - buffer resources of gfx targets: 128 bits, and what an access
 *  through them reaches.
 *
 *  By hand: 4096 raw bytes at 0x7f0012345600 for gfx942 have stride 0, records
 *  4096 and, as CK-Tile has it, data_format 4, so that word 3 is 0x00020000.
 *  From the last word to the first:
 *  0x00020000 00001000 00007f00 12345600.  A load of 16 bytes at offset 4080 is
 *  at base + 4080; at 4096 it is outside: it reads 0, and a store is dropped.
 *  At 4088 it lies across the end, and no public source says what its halves do:
 *  UNDECIDED.  With an SGPR of 32 and offset 4080 sources differ (gem5 counts it
 *  in the bounds, LLVM does not): UNDECIDED, and the answer names them.
 */
#ifndef ZLAY_BUFFER_H
#define ZLAY_BUFFER_H

#include <zlay/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Fields of a buffer resource. What a target has not is 0. 72 bytes. */
typedef struct zlay_buffer {
    uint64_t base;          /* bytes; 48 bits, on gfx1250 57 */
    uint64_t records;       /* bytes, or elements where there is a stride; 32
                             * bits, on gfx1250 45 */
    uint32_t stride;        /* bytes; 14 bits, on gfx1250 16 */
    uint32_t swizzle;       /* 1: elements of several indices are interleaved */
    uint32_t cache_swizzle; /* 1; gfx942 may have bit 14 of the stride there */
    uint32_t index_stride;  /* code n of 8 << n indices */
    uint32_t add_tid;       /* 1: the lane is added to the index */
    uint32_t dst_sel;       /* four selectors of 3 bits, x lowest */
    uint32_t num_format;    /* code of 3 bits */
    uint32_t data_format;   /* code of 4 bits */
    uint32_t user_vm;       /* enable, and mode as bit 1 */
    uint32_t nv;            /* 1: not volatile */
    uint32_t flags;         /* of gfx1250, bits 124 to 127; public sources name
                             * none of them */
    uint32_t type;          /* 0: a buffer */
    uint32_t other;         /* bits of word 3 that no field has; 0 */
    uint32_t reserved;      /* 0 */
} zlay_buffer;

/** The 128 bits, the word at the lowest address first. */
typedef struct zlay_buffer_words {
    uint32_t word[4];
} zlay_buffer_words;

/** The fields of a buffer of bytes without stride, but for its base and records,
 *  which are 0: word 3 as published kernels write it, on gfx90a, gfx942 and
 *  gfx950 0x00020000.  No public source has one of gfx1250: 0.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL; ZLAY_ENOTSUP a target without buffers.
 */
ZLAY_API zlay_status zlay_buffer_raw(zlay_buffer *out, const zlay_target *target);

/** Check the fields of a buffer resource.  Where published sources differ or
 *  kernels keep to less the rule is noted and refuses nothing.
 *
 *  Returns, Out as zlay_tensormap_check; ZLAY_EINVAL also where the reserved word
 *  is not 0.
 */
ZLAY_API zlay_status zlay_buffer_check(zlay_verdict *out, zlay_reason *reasons,
                                       size_t room, const zlay_target *target,
                                       const zlay_buffer *buffer);

/** Pack a buffer resource; a field that does not fit is refused, never cut.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, a reserved word that is not 0, or a
 *           field that does not fit; ZLAY_ENOTSUP a target without buffers.
 */
ZLAY_API zlay_status zlay_buffer_pack(zlay_buffer_words *out, const zlay_target *target,
                                      const zlay_buffer *buffer);

/** Unpack a buffer resource: any 128 bits have fields, and packed again they are
 *  the same bits.  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ENOTSUP. */
ZLAY_API zlay_status zlay_buffer_unpack(zlay_buffer *out, const zlay_target *target,
                                        const zlay_buffer_words *words);

/** One lane's access through a buffer. 32 bytes. */
typedef struct zlay_buffer_access {
    uint32_t index;   /* of a VGPR; 0 without idxen */
    uint32_t offset;  /* of a VGPR, bytes; 0 without offen */
    uint32_t imm;     /* of the instruction, bytes */
    uint32_t soffset; /* of an SGPR, bytes */
    uint32_t bytes;   /* 1 to 16 */
    uint32_t reserved[3]; /* 0 */
} zlay_buffer_access;

/** What an access reaches. */
typedef struct zlay_buffer_reach {
    int32_t answer;   /* ZLAY_YES it is inside; ZLAY_NO it is outside: a load
                       * gives 0, a store is dropped; ZLAY_UNDECIDED */
    uint32_t reserved; /* 0 */
    uint64_t address; /* of the first byte, where the answer is yes */
    const char *source; /* of the answer; NULL: undecided */
    const char *gap;    /* what sources do not settle; NULL: nothing */
} zlay_buffer_reach;

/** Say what one lane's access reaches.
 *
 *  Returns: ZLAY_OK       the question is answered, in *out.
 *           ZLAY_EINVAL   a NULL, fields that do not fit, another type than a
 *                         buffer, no bytes or more than 16, a reserved word
 *                         that is not 0.
 *           ZLAY_ENOTSUP  a target without buffers.
 *  Pure: allocates nothing, safe from any thread.
 */
ZLAY_API zlay_status zlay_buffer_reaches(zlay_buffer_reach *out, const zlay_target *target,
                                         const zlay_buffer *buffer,
                                         const zlay_buffer_access *access);

#ifdef __cplusplus
}
#endif
#endif
