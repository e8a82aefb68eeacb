/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ZL_RULE_H
#define ZL_RULE_H

#include "legality/ladder.h"

typedef enum zl_class {
    ZL_CLASS_NONE = 1,
    ZL_CLASS_SM90 = 2,
    ZL_CLASS_SM100 = 4,
    ZL_CLASS_SM120 = 8
} zl_class;

struct zlay_target {
    const char *name;
    zl_class cls;
    uint64_t smem;
    int32_t wgmma;
};

typedef enum zl_quantity {
    ZL_Q_NO_FIELD,
    ZL_Q_HAS_TMAP,
    ZL_Q_MODE,
    ZL_Q_TYPE,
    ZL_Q_RANK,
    ZL_Q_ADDRESS,
    ZL_Q_EXTENT,
    ZL_Q_EXTENT0,
    ZL_Q_STRIDE,
    ZL_Q_BOX,
    ZL_Q_BOX0,
    ZL_Q_BOX0_BYTES,
    ZL_Q_STEP,
    ZL_Q_FOOTPRINT,
    ZL_Q_INTERLEAVE,
    ZL_Q_SWIZZLE,
    ZL_Q_L2,
    ZL_Q_OOB,
    ZL_Q_PACKED_SWIZZLE,
    ZL_Q_BOX_SMEM,
    ZL_Q_HAS_WGMMA,
    ZL_Q_START,
    ZL_Q_LBO,
    ZL_Q_SBO,
    ZL_Q_BASE_OFFSET,
    ZL_Q_DESC_SWIZZLE,
    ZL_Q_MMA_M,
    ZL_Q_MMA_N,
    ZL_Q_MMA_K,
    ZL_Q_MMA_A,
    ZL_Q_MMA_B,
    ZL_Q_MMA_D,
    ZL_Q_MMA_A_MAJOR,
    ZL_Q_MMA_B_MAJOR,
    ZL_Q_SMEM,
    ZL_Q_COPY_X_BYTES,
    ZL_Q_COPY_SMEM,
    ZL_Q_COPY_ROW_BYTES,
    ZL_Q_COPY_PITCH,
    ZL_Q_COPY_ADDRESS,
    ZL_Q_EXPECT,
    ZL_Q_COUNT
} zl_quantity;

typedef enum zl_guard {
    ZL_G_ALWAYS,
    ZL_G_INTERLEAVED,
    ZL_G_COARSE,
    ZL_G_PACKED16,
    ZL_G_PACKED8,
    ZL_G_SWIZZLE_32,
    ZL_G_SWIZZLE_64,
    ZL_G_SWIZZLE_128,
    ZL_G_FILLS_NAN,
    ZL_G_INTERLEAVE_32,
    ZL_G_TYPE_U6,
    ZL_G_TENSOR,
    ZL_G_STORES,
    ZL_G_THREADS
} zl_guard;

/* Bounds that are no constant. */
#define ZL_BOUND_SMEM  UINT64_MAX
#define ZL_BOUND_WIDTH (UINT64_MAX - 1)

typedef struct zl_rule {
    int32_t number;
    const char *id;
    zl_quantity quantity;
    int32_t relation;
    uint64_t lo, hi;
    zl_guard when;
    int32_t by, noted, field;
    uint32_t targets; /* classes */
    int32_t keeps;
    const char *source, *text;
} zl_rule;

extern const zl_rule zl_rules[];
extern const size_t zl_rules_count;

zl_subject_kind zl_rule_subject(const zl_rule *rule);

/* Entries that a quantity has for a subject, and the i-th. */
uint32_t zl_quantity_count(zl_quantity quantity, const zl_subject *subject);
uint64_t zl_quantity_value(zl_quantity quantity, const zl_subject *subject, uint32_t i);
bool zl_quantity_indexed(zl_quantity quantity);
bool zl_guard_holds(zl_guard guard, const zl_subject *subject);

/* Bits of an element in shared memory; bytes of a box there, swizzled rows whole. */
uint32_t zl_smem_bits(int32_t type);
uint64_t zl_box_smem(const zlay_tensormap *map);

/* The repair of one broken rule, into reason->fix_*. */
void zl_fix(zlay_reason *reason, const zl_rule *rule, const zl_subject *subject);

#endif
