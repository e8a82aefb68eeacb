/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/copy.h - what one issued copy is.
 */
#ifndef ZLAY_COPY_H
#define ZLAY_COPY_H

#include <zlay/legality.h>

#ifdef __cplusplus
extern "C" {
#endif

/** By what a copy is done. */
enum {
    ZLAY_COPY_TENSOR_LOAD = 1, /* cp.async.bulk.tensor, global to shared */
    ZLAY_COPY_TENSOR_STORE,    /* cp.async.bulk.tensor, shared to global */
    ZLAY_COPY_CP_ASYNC,        /* cp.async of `width` bytes a thread, zero-filled */
    ZLAY_COPY_THREAD_LOAD,     /* ld.global, st.shared of `width` bytes, zero-filled */
    ZLAY_COPY_THREAD_STORE     /* ld.shared, st.global of `width` bytes, guarded */
};

/** One copy of a box: what moves, and where its next tile lies.  The box is
 *  described by a zlay_tensormap also where threads move it. */
typedef struct zlay_copy {
    int32_t kind;           /* ZLAY_COPY_* */
    uint32_t map;           /* index of the map */
    uint32_t width;         /* bytes of one access of a thread; 0 for tensor copies */
    uint32_t bytes;         /* of the whole box, out-of-bounds elements included */
    uint32_t smem;          /* byte offset in the stage */
    int32_t coordinate[5];  /* of tile (0, 0, 0), elements, dimension 0 innermost */
    int32_t advance[5][3];  /* what the next tile along m, n, k adds, elements */
    uint32_t reserved[3];   /* 0 */
} zlay_copy;

#ifdef __cplusplus
}
#endif
#endif
