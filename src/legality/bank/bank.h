/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of banks.def, as counting reads them. */
#ifndef ZL_BANK_H
#define ZL_BANK_H

#include "target/target.h"
#include <zlay/bank.h>

typedef enum zl_serves { ZL_SERVES_WORDS, ZL_SERVES_PAIRS, ZL_SERVES_LANES } zl_serves;

typedef struct zl_bank_access {
    int32_t number;
    uint32_t group;
    const char *name;
    uint32_t bytes, align, rows, parts, unit;
    bool stores;
    uint32_t targets;
} zl_bank_access;

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
    const zl_bank_access *access;
    const zl_bank_model *model;
    uint32_t lanes;
} zl_banked;

/* As zlay_bank_info answers. */
zlay_status zl_banked_of(zl_banked *out, const zlay_target *target, int32_t access);

/* The target whose wavefronts rank accesses where those of a target are unknown. */
const zlay_target *zl_bank_alike(const zlay_target *target);

/* What lanes of one part ask for: whole lanes where these fill aligned banks, else words. */
typedef struct zl_bank_keys {
    const uint32_t *addresses;
    uint32_t shift; /* log2 of the bytes of a key */
    uint32_t each;  /* keys of a lane */
    uint32_t ways;  /* keys that the banks hold side by side */
    uint32_t lanes; /* of a phase at most */
    bool distinct;  /* no two are one, or lanes that have one are served one by one */
} zl_bank_keys;

/* What the lanes of a part ask for, of phases of any size. */
zl_bank_keys zl_bank_keys_of(const zl_banked *b, const uint32_t *addresses);

/* Whether lanes of one key each, at least one of them, ask each way for one key at most: then one
 * wavefront serves them. */
bool zl_bank_is_free(const zl_bank_keys *c, uint64_t lanes);

/* Wavefronts of phases, each given by its active lanes, in sum. */
uint32_t zl_bank_wavefronts(const zl_bank_keys *c, const uint64_t *phases, uint32_t count);

/* The wavefronts of addresses that fit the access where no two keys of a phase meet in one way, else
 * 0; 0 too for lanes of several keys. */
uint32_t zl_bank_without_conflict(const zl_banked *b, const uint32_t *addresses);

/* Whether two active lanes have a key in common; `second`: NULL, or the second address of each lane,
 * which may be its first. */
bool zl_bank_repeats(const zl_bank_keys *c, uint64_t lanes, const uint32_t *second);

#endif
