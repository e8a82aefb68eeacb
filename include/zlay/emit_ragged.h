/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/emit_ragged.h - kernels that move rows whose counts only the device knows, as
 *  text of CUDA C or HIP.
 *
 *  By hand.  Two groups of rows, of 6 bytes each, lie one behind the other in the
 *  source, and begin at rows 0 and 4 of the target, where rows are 8 bytes apart.
 *  On the device are source_offsets = 0, 1, 3 and target_offsets = 0, 4, 8: group 0
 *  has 1 row in the source and room for 4 in the target, group 1 has 2 and room for 4.
 *
 *      source   aaaaaabbbbbbcccccc
 *      target   aaaaaa..........................bbbbbb..cccccc..................
 *
 *  Nothing is stored where a point stands.  The host knows neither list: it launches
 *  one kernel, with a grid of any size.  docs/ragged_copies.md has more.
 */
#ifndef ZLAY_EMIT_RAGGED_H
#define ZLAY_EMIT_RAGGED_H

#include <zlay/emit.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a kernel does with rows. */
enum {
    ZLAY_ROWS_COPY = 0,    /* groups of a tensor to groups of another one */
    ZLAY_ROWS_CONCATENATE, /* a tensor a group, to one tensor that has them all */
    ZLAY_ROWS_SPLIT,       /* one tensor, to a tensor a group */
    ZLAY_ROWS_TRANSPOSE,   /* a matrix to its transpose; there are no groups */
    ZLAY_ROWS_CONCATENATE_COLUMNS, /* a tensor a group, side by side in one tensor */
    ZLAY_ROWS_SPLIT_COLUMNS        /* one tensor, to a tensor for some columns each */
};

/** Such a kernel.  Sizes are numbers of the text; addresses and offsets are the launch's. */
typedef struct zlay_rows_kernel {
    uint32_t size;          /* sizeof(zlay_rows_kernel) */
    int32_t kind;           /* ZLAY_ROWS_* */
    int32_t language;       /* ZLAY_TEXT_CUDA, ZLAY_TEXT_HIP */
    uint32_t element_bytes; /* of a transpose, and of columns: 1, 2, 4 or 8; else 0 */
    uint64_t groups;        /* 1 to 2^31 - 1; of a transpose 0 */
    uint64_t source_rows;   /* that the source has, to 2^31 - 1; of CONCATENATE* 0 */
    uint64_t target_rows;   /* that the target has, to 2^31 - 1; of SPLIT* 0 */
    uint64_t row_bytes;     /* of each row, of columns of the tensor that has them all; of a
                               transpose 0: source_rows and target_rows say it */
    uint64_t source_pitch;  /* bytes from a row to the next; 0: the bytes of a row, or
                               what `pitches` has of each tensor */
    uint64_t target_pitch;
    const char *name;
    size_t name_length;
    uint64_t reserved[4];   /* 0 */
} zlay_rows_kernel;

/** What a launch needs beside the text. */
typedef struct zlay_rows_launch {
    uint32_t threads; /* of a block */
    uint32_t shared;  /* bytes of shared memory of a block, all static */
    uint64_t blocks;  /* the most that have work; a grid may have more or fewer */
} zlay_rows_launch;

/** A kernel that moves rows, as CUDA C or HIP: one `__global__` function, which C calls
 *  by its name, and helpers whose names begin with it.  Its parameters are
 *
 *      COPY         void *target, const void *source,
 *                   const int *target_offsets, const int *source_offsets
 *      CONCATENATE  void *target, const void *const *sources, const int *offsets
 *      SPLIT        void *const *targets, const void *source, const int *offsets
 *      TRANSPOSE    void *target, const void *source
 *      CONCATENATE_COLUMNS, SPLIT_COLUMNS
 *                   what CONCATENATE and SPLIT have, const unsigned long long *pitches
 *
 *  A list of offsets has groups + 1 entries in the device's memory: group g has the
 *  rows from offsets[g] to below offsets[g + 1].  Of COPY, which has two, the lesser
 *  count is copied, to the group's first rows.  `sources` and `targets` have an address
 *  a group in the device's memory, of its row 0.  Each offset is taken as at least the
 *  one before, at least 0 and at most the rows of its tensor, so every list is safe: no
 *  byte is stored outside of a row of the target, and none twice.  Of *_COLUMNS
 *  offsets count columns of element_bytes: group g has columns offsets[g] to below
 *  offsets[g + 1] of every row of the wide tensor, and its own tensor as many rows,
 *  pitches[g] bytes from each other, or its row's bytes where these are more.
 *
 *  Addresses and pitches are any, of a transpose multiples of element_bytes; source and target do
 *  not overlap.  Loads are of aligned 16 bytes that have at least one byte of the row,
 *  stores of aligned 16 bytes, and narrower ones at the ends of rows.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM, with `need` set; ZLAY_EINVAL a NULL, a field that is
 *           none of the above or that its kind has not, a row that is longer than its
 *           pitch, a pitch of a transpose that is no multiple of element_bytes, tensors
 *           of more than 2^62 bytes; ZLAY_ENOTSUP PTX.
 *  Out:     out     the text.
 *           launch  NULL, or what a launch needs.
 */
ZLAY_API zlay_status zlay_emit_rows(zlay_ctx *ctx, zlay_buf *out, zlay_rows_launch *launch,
                                    const zlay_rows_kernel *kernel);

/** The name of the i-th parameter of a kind's kernel, as above; NULL past the last, or where
 *  there is no such kind. */
ZLAY_API const char *zlay_rows_argument_nth(int32_t kind, size_t i);

#ifdef __cplusplus
}
#endif
#endif
