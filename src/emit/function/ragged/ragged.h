/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that move rows: a request with the numbers that follow from it, and the texts. */
#ifndef ZL_EMIT_RAGGED_H
#define ZL_EMIT_RAGGED_H

#include "base/base.h"

#include <zlay/emit_ragged.h>

enum { ZL_ROWS_THREADS = 256, ZL_ROWS_UNIT = 16, ZL_ROWS_SECTOR = 32 };

/* A block's part of a transpose: so many rows of the source beside so many of the target. */
typedef struct zl_rows_tile {
    uint32_t source, target; /* rows: target's are columns of the source */
} zl_rows_tile;

typedef struct zl_rows_text {
    zlay_rows_kernel asked; /* pitches are there */
    zl_rows_tile tile;      /* of a transpose */
    uint32_t align;         /* units of a row of a copy are counted from such a multiple */
    uint64_t chunks;        /* the most parts that blocks take */
    bool dense;             /* a group is one run of bytes on both sides */
    bool columns;           /* a group is some columns of every row of the wide tensor */
} zl_rows_text;

static inline bool zl_rows_is_hip(const zl_rows_text *t)
{
    return t->asked.language == ZLAY_TEXT_HIP;
}

/* Prints lines in which @ stands for the kernel's name, and $ for what the names of a list of offsets begin with. */
void zl_rows_lines(zl_text *out, const zl_rows_text *t, const char *lines, const char *list);

/* The functions that both texts call: loads, stores, and stores of some bytes of 16. */
void zl_rows_head(zl_text *out, const zl_rows_text *t);

/* The type that counts parts and units: of 32 bits where they are few enough. */
const char *zl_rows_count_type(const zl_rows_text *t);

/* A tensor a group on one side: sources, or targets. */
static inline bool zl_rows_joins(const zlay_rows_kernel *k)
{
    return k->kind == ZLAY_ROWS_CONCATENATE || k->kind == ZLAY_ROWS_CONCATENATE_COLUMNS;
}
static inline bool zl_rows_splits(const zlay_rows_kernel *k)
{
    return k->kind == ZLAY_ROWS_SPLIT || k->kind == ZLAY_ROWS_SPLIT_COLUMNS;
}

void zl_rows_copy_put(zl_text *out, const zl_rows_text *t);
void zl_rows_transpose_put(zl_text *out, const zl_rows_text *t);

/* Numbers of each: chunks, what a launch needs. */
void zl_rows_copy_plan(zl_rows_text *t, zlay_rows_launch *launch);
void zl_rows_transpose_plan(zl_rows_text *t, zlay_rows_launch *launch);

#endif
