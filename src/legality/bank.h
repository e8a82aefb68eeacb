/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of banks.def, as counting reads them. */
#ifndef ZL_BANK_H
#define ZL_BANK_H

#include "legality/rule.h"

typedef enum zl_serves { ZL_SERVES_WORDS, ZL_SERVES_PAIRS, ZL_SERVES_LANES } zl_serves;

typedef struct zl_access {
    int32_t number;
    uint32_t group;
    const char *name;
    uint32_t bytes, align, rows, parts, unit;
    bool stores;
    uint32_t targets;
} zl_access;

typedef struct zl_bank_model {
    uint32_t group, targets;
    const uint64_t *phases;
    uint32_t count, banks;
    zl_serves serves;
    int32_t basis;
    const char *source;
} zl_bank_model;

/* An access on a target: the lanes of its warp, and the model, NULL where none is known. */
typedef struct zl_banked {
    const zl_access *access;
    const zl_bank_model *model;
    uint32_t lanes;
} zl_banked;

/* As zlay_bank_explain answers. */
zlay_status zl_banked_of(zl_banked *out, const zlay_target *target, int32_t access);

#endif
