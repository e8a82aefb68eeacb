/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds that are no constants, by name: an enum of each subject, and one of what every target gives. In a row a name stands where
 * a number would; names count from one that no row has as a number. */
#ifndef ZL_BOUNDS_H
#define ZL_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

enum { ZL_BOUNDS = -(1 << 30), ZL_BOUNDS_OF_SUBJECT = ZL_BOUNDS + 16, ZL_BOUNDS_END = ZL_BOUNDS + 256 };

static inline bool zl_bound_is(uint64_t bound, int32_t name) { return bound == (uint64_t)name; }

static inline bool zl_bound_named(uint64_t bound)
{
    return bound - (uint64_t)ZL_BOUNDS < (uint64_t)(ZL_BOUNDS_END - ZL_BOUNDS);
}

static inline int32_t zl_bound_name(uint64_t bound) { return (int32_t)(uint32_t)bound; }

typedef enum zl_target_bound {
    ZL_TARGET_BOUNDS = ZL_BOUNDS,
#define BOUND(name) name,
#include "rules/bounds/target.def"
} zl_target_bound;

typedef enum zl_tensormap_bound {
    ZL_TENSORMAP_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/tensormap.def"
} zl_tensormap_bound;

typedef enum zl_copy_bound {
    ZL_COPY_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/copy.def"
} zl_copy_bound;

typedef enum zl_barrier_bound {
    ZL_BARRIER_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/barrier.def"
} zl_barrier_bound;

typedef enum zl_block_bound {
    ZL_BLOCK_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/block.def"
} zl_block_bound;

typedef enum zl_replace_bound {
    ZL_REPLACE_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/replace.def"
} zl_replace_bound;

typedef enum zl_wgmma_bound {
    ZL_WGMMA_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/wgmma.def"
} zl_wgmma_bound;

typedef enum zl_mfma_bound {
    ZL_MFMA_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/mfma.def"
} zl_mfma_bound;

typedef enum zl_operands_bound {
    ZL_OPERANDS_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/operands.def"
} zl_operands_bound;

typedef enum zl_tcgen05_bound {
    ZL_TCGEN05_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/tcgen05.def"
} zl_tcgen05_bound;

typedef enum zl_tmem_bound {
    ZL_TMEM_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/tmem.def"
} zl_tmem_bound;

typedef enum zl_instruction_bound {
    ZL_INSTRUCTION_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/instruction.def"
} zl_instruction_bound;

typedef enum zl_buffer_bound {
    ZL_BUFFER_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/buffer.def"
} zl_buffer_bound;

typedef enum zl_tdm_bound {
    ZL_TDM_BOUNDS = ZL_BOUNDS_OF_SUBJECT,
#define BOUND(name) name,
#include "rules/bounds/tdm.def"
} zl_tdm_bound;

#endif
