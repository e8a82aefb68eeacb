/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/replace.h - tensormap.replace: a map changed on the device, and the
 *  fences after it.
 *
 *  One field by hand.  PTX numbers element types by another table than the
 *  driver: bf16 is 9 in cuTensorMapEncodeTiled and 10 here, and 9 here is f64.
 *  A rank of 2 is written as 1, a box of 64 as 64.  The changed map lies in
 *  shared memory; tensormap.cp_fenceproxy takes its 128 bytes to global memory
 *  and releases them, and a thread that copies with it acquires them first.  Without
 *  the acquire the copy may read the map as it was (REPLACE_ACQUIRE).
 */
#ifndef ZLAY_REPLACE_H
#define ZLAY_REPLACE_H

#include <zlay/rule.h>
#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Fields that tensormap.replace writes. */
enum {
    ZLAY_REPLACE_GLOBAL_ADDRESS = 1,
    ZLAY_REPLACE_RANK,
    ZLAY_REPLACE_BOX_DIM,
    ZLAY_REPLACE_GLOBAL_DIM,
    ZLAY_REPLACE_GLOBAL_STRIDE,
    ZLAY_REPLACE_ELEMENT_STRIDE,
    ZLAY_REPLACE_ELEMTYPE,
    ZLAY_REPLACE_INTERLEAVE_LAYOUT,
    ZLAY_REPLACE_SWIZZLE_MODE,
    ZLAY_REPLACE_SWIZZLE_ATOMICITY,
    ZLAY_REPLACE_FILL_MODE,
    ZLAY_REPLACE_FIELDS /* one more than the last */
};

/** What else is known. */
enum {
    ZLAY_REPLACE_RELEASED = 1, /* released to other threads' copies */
    ZLAY_REPLACE_ACQUIRED = 2, /* and acquired by who copies */
    ZLAY_REPLACE_FENCES = 4    /* whether they are, is known */
};

/** One tensormap.replace.  64 bytes. */
typedef struct zlay_replace {
    int32_t field;      /* ZLAY_REPLACE_* */
    uint32_t ord;       /* dimension of a field that has several */
    uint64_t value;     /* as the instruction takes it */
    uint64_t fence;     /* size that the fences name; bytes */
    uint32_t flags;     /* ZLAY_REPLACE_RELEASED.. */
    int32_t mode;       /* of the map: 0 tiled */
    uint32_t reserved[8]; /* 0 */
} zlay_replace;

/** Check a tensormap.replace and its fences against every rule of its target.
 *
 *  Returns: ZLAY_OK      the question is answered, in *out.
 *           ZLAY_EINVAL  a NULL, an unknown flag, or a reserved word that is
 *                        not 0.
 *  Out:     out, reasons  as zlay_tensormap_check.
 *  In:      replace  any value of any field has a verdict.
 */
ZLAY_API zlay_status zlay_replace_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                        const zlay_target *target, const zlay_replace *replace);

/** What tensormap.replace is given for one field of a map.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the map has no such entry, or a type, swizzle or
 *           fill without a number; ZLAY_EINVAL.
 *  Out:     out  field, ord and value; nothing else.
 *  In:      field  ZLAY_REPLACE_*; `ord` of a field that has several.
 */
ZLAY_API zlay_status zlay_replace_from_tensormap(zlay_replace *out, const zlay_tensormap *map,
                                                 int32_t field, uint32_t ord);

#ifdef __cplusplus
}
#endif
#endif
