/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/tdm.h - tensor descriptors of gfx1250, as far as they are public: groups
 *  0 to 3 of SGPRs that tensor_load_to_lds and tensor_store_from_lds read.
 *
 *  AMD has published no document of them. Bits and rules are what published
 *  encoders keep to (Triton, CK-Tile, FlyDSL, aiter, MLIR), and no device confirmed
 *  them; where these differ a check answers UNDECIDED and names both.
 *
 *  By hand: a tile of 64 x 16 bf16 of a tensor with rows 4096 elements apart, of
 *  which 4096 x 1024 elements are left from the tile's start on, to LDS at 0x400,
 *  16 bytes skipped after every 128: element 1 (2 bytes), pad_interval 4 (8 << 4
 *  bytes), pad_amount 3 (4 * 4 bytes).  Group 0, first word first:
 *  1, 0x400, 0x12345600, 0x80007f00 (count 1, LDS, address 0x7f0012345600, type
 *  2).  Group 1: 0x07110000 (element, pad, interval, amount), 0x10000000 and
 *  0x04000000 (extents 4096, 1024), 0x00400000 and 16 (tile), 4096 (stride), 0, 0.
 *  A store with the same padding is UNDECIDED.
 */
#ifndef ZLAY_TDM_H
#define ZLAY_TDM_H

#include <zlay/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Fields of a tensor descriptor; dimension 0 is the innermost, its stride is 1.
 *  A field whose bits another use of groups 2 and 3 has is 0. 264 bytes. */
typedef struct zlay_tdm {
    uint64_t address;      /* bytes, of the tile's first element; 57 bits */
    uint64_t stride[4];    /* elements between neighbours of dimension i + 1; 48
                            * bits */
    uint64_t global_step;  /* elements between repeats; 48 bits */
    uint32_t lds;          /* bytes */
    uint32_t rank;         /* 1 to 5; no bits: tiles past it are 0 */
    uint32_t extent[5];    /* elements of the tensor from the tile's start on */
    uint32_t tile[5];      /* elements; [1] of a gather counts its rows */
    uint32_t element;      /* code n of 1 << n bytes */
    uint32_t store;        /* 1: of tensor_store_from_lds; no bits */
    uint32_t pad;          /* 1: LDS addresses skip bytes */
    uint32_t pad_interval; /* code n of 8 << n bytes */
    uint32_t pad_amount;   /* code n of 4 * (n + 1) bytes */
    uint32_t mask;         /* workgroups of the cluster that take the load too */
    uint32_t early;        /* 1: a multicast waits less for them */
    uint32_t barrier;      /* 1: arrive on a barrier */
    uint32_t barrier_at;   /* its LDS address in units of 8 bytes */
    uint32_t iterate;      /* 1: the tile is moved several times */
    uint32_t lds_step;     /* elements between repeats */
    uint32_t repeats;      /* after the first; 16 bits */
    uint32_t gather;       /* 1: rows by index */
    uint32_t index32;      /* 1: 8 indices of 32 bits; 0: 16 of 16 bits */
    uint32_t row[16];      /* indices */
    uint32_t count;        /* 1; 0: nothing is moved */
    uint32_t type;         /* 2 */
    uint32_t restore;      /* 0 */
    uint32_t store_bit;    /* 0, for stores too */
    uint32_t nv;           /* 1: not volatile */
    uint32_t scope;        /* code of 2 bits */
    uint32_t th;           /* temporal hint, code of 3 bits */
    uint32_t other[3];     /* bits of words 0, 3 and 19 that no field has; 0 */
    uint32_t reserved[2];  /* 0 */
} zlay_tdm;

/** The 640 bits: 4 words of group 0, 8 of group 1, 4 of group 2, 4 of group 3. */
typedef struct zlay_tdm_words {
    uint32_t word[20];
} zlay_tdm_words;

/** Check the fields of a tensor descriptor.  ZLAY_UNDECIDED: every rule holds that
 *  sources share, and conflicts name those that they do not.
 *
 *  Returns, Out as zlay_tensormap_check; ZLAY_EINVAL also where a reserved word
 *  is not 0.
 */
ZLAY_API zlay_status zlay_tdm_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                    const zlay_target *target, const zlay_tdm *tdm);

/** Pack a tensor descriptor; a field that does not fit is refused, never cut.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, a reserved word that is not 0, or a
 *           field that does not fit; ZLAY_ENOTSUP a target without them.
 */
ZLAY_API zlay_status zlay_tdm_pack(zlay_tdm_words *out, const zlay_target *target,
                                   const zlay_tdm *tdm);

/** Unpack a tensor descriptor: any 640 bits have fields, and packed again they are
 *  the same bits.  The rank is that of the last tile that is not 0; `store` is 0.
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ENOTSUP. */
ZLAY_API zlay_status zlay_tdm_unpack(zlay_tdm *out, const zlay_target *target,
                                     const zlay_tdm_words *words);

#ifdef __cplusplus
}
#endif
#endif
