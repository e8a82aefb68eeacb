/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements of a matrix a thread holds: the row and column of value v of thread t are sums
 * of what v adds and what each bit of t adds. Sums of wgmma, of tensor memory and of mfma are so. */
#ifndef ZL_BODY_ELEMENTS_H
#define ZL_BODY_ELEMENTS_H

#include "base/base.h"
#include <zlay/layout.h>

enum { ZL_ELEMENT_VALUES = 1024, ZL_ELEMENT_BITS = 10 };

/* Along rows or along columns. */
typedef struct zl_element_axis {
    uint32_t extent;                    /* of the matrix */
    uint32_t count;                     /* different offsets of a thread's values */
    uint32_t offset[ZL_ELEMENT_VALUES]; /* those, in the order of the values */
    uint16_t of[ZL_ELEMENT_VALUES];     /* value -> index into offset */
    uint32_t bit[ZL_ELEMENT_BITS];      /* what each bit of the thread's number adds */
} zl_element_axis;

typedef struct zl_elements {
    uint32_t values, threads; /* of a thread; a power of two */
    zl_element_axis row, column;
} zl_elements;

/* How many bits of the thread's number from `b` on go to bits that stand side by side as they do, and
 * are moved together; 1 also where bit b adds nothing. */
uint32_t zl_element_run(const uint32_t bit[ZL_ELEMENT_BITS], uint32_t b);

/* Read (thread, value) -> row + rows * column. ENOTSUP: the element is no such sum. */
zlay_status zl_elements_read(zlay_ctx *ctx, zl_elements *out, const zlay_layout *layout,
                             uint32_t rows, uint32_t columns);

/* The same matrix `parts` times, each below or beside the one before: values of a part follow those
 * of the part before it. */
zlay_status zl_elements_repeat(zlay_ctx *ctx, zl_elements *e, uint32_t parts, bool beside);

/* The matrix with rows and columns interchanged. */
void zl_elements_transpose(zl_elements *e);

/* The same matrix `rows` times below and `columns` times beside each other in every thread, values row by row; and so
 * divided among as many times as many threads, their number counted row by row. Both are powers of two for threads. */
zlay_status zl_elements_tile(zlay_ctx *ctx, zl_elements *e, uint32_t rows, uint32_t columns);
zlay_status zl_elements_spread(zlay_ctx *ctx, zl_elements *e, uint32_t rows, uint32_t columns);

bool zl_elements_alike(const zl_elements *a, const zl_elements *b);
/* Whether the rows are distributed alike, whatever the columns are. */
bool zl_elements_rows_alike(const zl_elements *a, const zl_elements *b);

#endif
