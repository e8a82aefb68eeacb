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
#define FORM_PTX            ZL_BOUND_FORM_PTX
#define TARGET_PTX          ZL_BOUND_TARGET_PTX
#define PTX_KNOWN           ZL_BOUND_PTX_KNOWN
#define SAID_PTX            ZL_BOUND_SAID_PTX
#define ELEMTYPE_MOST       ZL_BOUND_ELEMTYPE
#define SWIZZLE_MOST        ZL_BOUND_SWIZZLE
#define POWER_OF_TWO        ZL_BOUND_POWER_OF_TWO
#define NEGATIVE(n)         (UINT64_MAX - (n) + 1)
#define WGMMA_A_TYPE        ZL_BOUND_WGMMA_A
#define WGMMA_B_TYPE        ZL_BOUND_WGMMA_B
#define WGMMA_D_TYPE        ZL_BOUND_WGMMA_D
#define WGMMA_DEPTH         ZL_BOUND_WGMMA_K
#define WGMMA_PTX_LEAST     ZL_BOUND_WGMMA_PTX
#define T5_LEAST_M           ZL_BOUND_T5_M_LO
#define T5_MOST_M            ZL_BOUND_T5_M_HI
#define T5_LEAST_N           ZL_BOUND_T5_N_LO
#define T5_MOST_N            ZL_BOUND_T5_N_HI
#define T5_STEP_OF_N         ZL_BOUND_T5_N_STEP
#define T5_DEPTH             ZL_BOUND_T5_K
#define T5_LEAST_PTX         ZL_BOUND_T5_PTX
#define T5_A_TYPE            ZL_BOUND_T5_A
#define T5_B_TYPE            ZL_BOUND_T5_B
#define T5_D_TYPE            ZL_BOUND_T5_D
#define T5_VECTOR_OF_KIND    ZL_BOUND_T5_VECTOR
#define T5_PLACE_OF_A        ZL_BOUND_T5_SOURCE
#define T5_COLLECTOR_OF_FORM ZL_BOUND_T5_COLLECTOR
#define T5_SHIFT_COLUMNS     ZL_BOUND_T5_SHIFT
#define T5_SCALE_TYPE        ZL_BOUND_T5_SCALE
#define T5_POWER_OF_M        ZL_BOUND_T5_M_POWER
#define T5_POWER_OF_N        ZL_BOUND_T5_N_POWER
#define T5_OF_MMA_KIND       ZL_BOUND_T5_SAME(0)
#define T5_OF_MMA_A          ZL_BOUND_T5_SAME(1)
#define T5_OF_MMA_B          ZL_BOUND_T5_SAME(2)
#define T5_OF_MMA_D          ZL_BOUND_T5_SAME(3)
#define T5_OF_MMA_M          ZL_BOUND_T5_SAME(4)
#define T5_OF_MMA_N          ZL_BOUND_T5_SAME(5)
#define T5_OF_MMA_K          ZL_BOUND_T5_SAME(6)
#define T5_OF_MMA_A_MAJOR    ZL_BOUND_T5_SAME(7)
#define T5_OF_MMA_B_MAJOR    ZL_BOUND_T5_SAME(8)
#define T5_OF_MMA_SPARSE     ZL_BOUND_T5_SAME(9)
#define T5_OF_MMA_NEGATE_A   ZL_BOUND_T5_SAME(10)
#define T5_OF_MMA_NEGATE_B   ZL_BOUND_T5_SAME(11)
#define T5_OF_MMA_SATURATE   ZL_BOUND_T5_SAME(12)
#define TMEM_MOST_NUM            ZL_BOUND_TMEM_NUM
#define TMEM_POWER_OF_NUM        ZL_BOUND_TMEM_NUM_POWER
#define TMEM_POWER_OF_TWO        ZL_BOUND_TMEM_POWER
#define TMEM_REGISTERS_OF_SHAPE  ZL_BOUND_TMEM_REGISTERS
#define TMEM_QUARTER_OF_WARP     ZL_BOUND_TMEM_WARP
#define TMEM_BASE_OWNED          ZL_BOUND_TMEM_BASE
#define TMEM_FIRST_OWNED         ZL_BOUND_TMEM_FIRST
#define TMEM_END_OWNED           ZL_BOUND_TMEM_END
#define TMEM_COLUMNS_OWNED       ZL_BOUND_TMEM_ALLOCATED
#define TMEM_TYPE_OF_RED         ZL_BOUND_TMEM_TYPE
#define BY_DRIVER           ZLAY_BY_DRIVER, false
#define BY_DOCUMENT         ZLAY_BY_DOCUMENT, false
#define BY_ASSEMBLER        ZLAY_BY_ASSEMBLER, false
#define BY_HARDWARE         ZLAY_BY_HARDWARE, false
#define BY_REFUTED          ZLAY_BY_DOCUMENT, true
#define BY_PRACTICE         ZLAY_BY_PRACTICE, false
#define BY_CONFLICT         ZLAY_BY_PRACTICE, true

#endif
