/* SPDX-License-Identifier: Apache-2.0 */
/* Rules as rows, and the questions that checks, repairs and ladders put to them. */
#ifndef ZL_RULE_H
#define ZL_RULE_H

#include "legality/ladder.h"

typedef enum zl_class {
    ZL_CLASS_NONE = 1, /* no tensor maps */
    ZL_CLASS_SM90 = 2, /* the class whose driver was measured */
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
#define QUANTITY(name, subject, field, entries) ZL_Q_##name,
#include "legality/quantities.def"
#undef QUANTITY
} zl_quantity;

typedef enum zl_guard {
    ZL_G_ALWAYS,
    ZL_G_PLAIN,
    ZL_G_INTERLEAVED,
    ZL_G_COARSE,
    ZL_G_PACKED16,
    ZL_G_PACKED8,
    ZL_G_SWIZZLED,
    ZL_G_SWIZZLE_32,
    ZL_G_SWIZZLE_64,
    ZL_G_SWIZZLE_128,
    ZL_G_FILLS_NAN,
    ZL_G_INTERLEAVE_32,
    ZL_G_TYPE_U6,
    ZL_G_TENSOR,
    ZL_G_STORES,
    ZL_G_THREADS,
    ZL_G_CP_ASYNC,
    ZL_G_LD_ST,
    ZL_G_SIZED
} zl_guard;

/* Bounds that are no constant. */
#define ZL_BOUND_SMEM      UINT64_MAX       /* what a block of the target may have */
#define ZL_BOUND_WIDTH     (UINT64_MAX - 1) /* of a thread's access */
#define ZL_BOUND_EXTENT    (UINT64_MAX - 2) /* of the stride's dimension */
#define ZL_BOUND_BOX_BYTES (UINT64_MAX - 3) /* what a copy of the box moves */
#define ZL_BOUND_CP_WIDTH  (UINT64_MAX - 4) /* the least width of cp.async that is no less */
#define ZL_BOUND_LD_WIDTH  (UINT64_MAX - 5) /* the same of ld and st */

typedef struct zl_rule {
    int32_t number;
    const char *id;
    zl_quantity quantity;
    int32_t relation;
    uint64_t lo, hi;
    zl_guard when;
    int32_t by;
    bool refuted; /* where a driver was measured, it does not enforce this */
    int32_t field;
    uint32_t targets; /* classes */
    int32_t keeps;
    const char *source, *text;
} zl_rule;

extern const zl_rule zl_rules[];
extern const size_t zl_rules_count;

/* What the rules of one entry of a field leave: lo <= value <= hi, a multiple of unit. */
typedef struct zl_range {
    uint64_t lo, hi, unit;
} zl_range;

/* As zl_walk, without looking for repairs. */
void zl_walk_bare(const zl_subject *subject, zl_seen *seen, void *arg);

bool zl_measured(const zlay_target *target);

/* Whether every refusing rule of a field's entry holds; index -1 asks the rules without index. */
bool zl_holds(const zl_subject *subject, int32_t field, int32_t index);
zl_range zl_range_of(const zl_subject *subject, int32_t field, int32_t index);

/* The value of a range that is nearest, the greater of two, and no less than `floor`; false:
 * none. */
bool zl_nearest(uint64_t *out, uint64_t value, uint64_t floor, zl_range range);

zl_subject_kind zl_quantity_subject(zl_quantity quantity);
int32_t zl_quantity_field(zl_quantity quantity);
bool zl_quantity_indexed(zl_quantity quantity);
uint32_t zl_quantity_count(zl_quantity quantity, const zl_subject *subject);
uint64_t zl_quantity_value(zl_quantity quantity, const zl_subject *subject, uint32_t i);
uint64_t zl_bound(uint64_t bound, const zl_subject *subject, uint32_t i);
bool zl_guard_holds(zl_guard guard, const zl_subject *subject);

/* Dimensions of a map that its arrays have, whatever its rank says. */
uint32_t zl_dims(const zlay_tensormap *map);
/* Bits of an element in shared memory, gaps of packed types included; bytes of a box there,
 * swizzled rows whole. */
uint32_t zl_smem_bits(int32_t type);
uint64_t zl_box_smem(const zlay_tensormap *map);
/* Bytes of one row of a swizzle's pattern; 0 without swizzle. */
uint64_t zl_span(int32_t swizzle);
/* Elements that a copy takes along dimension i, and bytes that it counts. */
uint64_t zl_box_elements(const zlay_tensormap *map, uint32_t i);
uint64_t zl_box_bytes(const zlay_tensormap *map);

/* The repair of one broken rule, into reason->fix_*. */
void zl_fix(zlay_reason *reason, const zl_rule *rule, const zl_subject *subject);

#endif
