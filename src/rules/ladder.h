/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a check, those that hold too: what a plan's ladder prints and what the checks
 * collect. */
#ifndef ZL_LADDER_H
#define ZL_LADDER_H

#include "base/base.h"
#include <zlay/bank.h>
#include <zlay/copy.h>
#include <zlay/mma.h>
#include <zlay/smemdesc.h>
#include <zlay/tensormap.h>

/* One issued copy, the tiles that follow it, and the phase of the barrier that it signals. */
typedef struct zl_issue {
    const zlay_tensormap *map;      /* NULL: the copy has none */
    zlay_issue issue;
    const int32_t (*advance)[ZLAY_TILE_AXES]; /* NULL: this copy alone */
    uint64_t phase;                 /* bytes that the phase expects of all its copies */
} zl_issue;

/* A copy of a plan; count 0: it signals no barrier. */
void zl_issue_of(zl_issue *out, const zlay_tensormap *map, const zlay_copy *copy, uint64_t expect,
                 uint64_t count);

typedef enum zl_subject_kind {
    ZL_SUBJECT_TMAP = 1,
    ZL_SUBJECT_DESC,
    ZL_SUBJECT_SMEM,
    ZL_SUBJECT_COPY,
    ZL_SUBJECT_BARRIER,
    ZL_SUBJECT_BLOCK,
    ZL_SUBJECT_REPLACE,
    ZL_SUBJECT_TMEM,
    ZL_SUBJECT_MMA,          /* a zlay_mma of no known instruction */
    ZL_SUBJECT_WGMMA,
    ZL_SUBJECT_TCGEN05,
    ZL_SUBJECT_MFMA,
    ZL_SUBJECT_INSTR,
    ZL_SUBJECT_BUFFER,
    ZL_SUBJECT_OPERANDS,
    ZL_SUBJECT_TDM
} zl_subject_kind;

typedef struct zl_subject {
    zl_subject_kind kind;
    const zlay_target *target;
    const void *value; /* the struct of the kind; uint64_t of SMEM */
} zl_subject;

/* Called for every row that applies: the reason as it stands, and whether the rule holds. */
typedef void zl_seen(void *arg, const zlay_reason *reason, bool held);
void zl_walk(const zl_subject *subject, zl_seen *seen, void *arg);

#endif
