/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the rows in rules, for those who include rows: rule.c as data, a subject as code. */
#ifndef ZL_ROWS_H
#define ZL_ROWS_H

#include "legality/rule.h"

#include <zlay/barrier.h>
#include <zlay/replace.h>

enum {
#define CLASSES(name, text, classes) name = classes,
#include "legality/classes.def"
#undef CLASSES
};

#define SMEM_OF_TARGET      ZL_BOUND_SMEM
#define COPY_WIDTH_BYTES    ZL_BOUND_WIDTH
#define COPY_BOX_BYTES      ZL_BOUND_BOX_BYTES
#define CP_ASYNC_BYTES      ZL_BOUND_CP_WIDTH
#define LD_ST_BYTES         ZL_BOUND_LD_WIDTH
#define EXTENT_OF_DIMENSION ZL_BOUND_EXTENT
#define COPY_LAST_KIND      (ZLAY_COPY_KINDS - 1)
#define SMEM_WINDOW         ZL_BOUND_WINDOW
#define COPY_MAP_RANK       ZL_BOUND_MAP_RANK
#define COPY_MODE_WANTED    ZL_BOUND_MAP_MODE
#define COPY_GROUPS         ZL_BOUND_GROUPS
#define COPY_BLOCKS         ZL_BOUND_BLOCKS
#define COPY_LAST_BLOCK     ZL_BOUND_LAST_BLOCK
#define COPY_OFFSET_MOST    ZL_BOUND_OFFSET
#define COPY_HALO_MOST      ZL_BOUND_HALO
#define COPY_PATTERN        ZL_BOUND_PATTERN
#define COPY_SIZE_BYTES     ZL_BOUND_SIZE
#define COPY_GROUP_VALUES   ZL_BOUND_VALUES
#define ASYNC_BYTES         ZL_BOUND_ASYNC_WIDTH
#define MBAR_LAST_OP        (ZLAY_BARRIER_OPS - 1)
#define MBAR_PENDING_COUNT  ZL_BOUND_PENDING
#define MBAR_PENDING_LESS   ZL_BOUND_PENDING_LESS
#define BLOCK_STATIC_MOST   ZL_BOUND_STATIC
#define BLOCK_CLUSTER_SIDE  ZL_BOUND_SIDE
#define BLOCK_POOL_SIZE     ZL_BOUND_POOL
#define REPLACE_LAST_FIELD  (ZLAY_REPLACE_FIELDS - 1)
#define REPLACE_LEAST       ZL_BOUND_LEAST
#define REPLACE_MOST        ZL_BOUND_MOST
#define REPLACE_MULTIPLE    ZL_BOUND_MULTIPLE
#define NEGATIVE(n)         (UINT64_MAX - (n) + 1)
#define WGMMA_A_TYPE        ZL_BOUND_WGMMA_A
#define WGMMA_B_TYPE        ZL_BOUND_WGMMA_B
#define WGMMA_D_TYPE        ZL_BOUND_WGMMA_D
#define WGMMA_DEPTH         ZL_BOUND_WGMMA_K
#define WGMMA_PTX_LEAST     ZL_BOUND_WGMMA_PTX
#define BY_DRIVER           ZLAY_BY_DRIVER, false
#define BY_DOCUMENT         ZLAY_BY_DOCUMENT, false
#define BY_ASSEMBLER        ZLAY_BY_ASSEMBLER, false
#define BY_HARDWARE         ZLAY_BY_HARDWARE, false
#define BY_REFUTED          ZLAY_BY_DOCUMENT, true
#define BY_PRACTICE         ZLAY_BY_PRACTICE, false
#define BY_CONFLICT         ZLAY_BY_PRACTICE, true

#endif
