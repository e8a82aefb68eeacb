/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of issued copies share: sets of kinds, and what a copy is beside its fields. */
#ifndef ZL_COPY_H
#define ZL_COPY_H

#include "rules/rule.h"

#include <zlay/copy.h>

#define KIND(name)  (1u << ZLAY_COPY_##name)
#define MODE(name)  (1u << ZLAY_COPY_##name)

/* The bytes of a phase are stated: by a plan, or as those of the one copy that is asked about. */
#define PHASE_GIVEN (1u << 31)

enum {
    ZL_KINDS_TENSOR = KIND(TENSOR_LOAD) | KIND(TENSOR_STORE) | KIND(TENSOR_REDUCE) |
                      KIND(TENSOR_PREFETCH),
    ZL_KINDS_BOXED = KIND(TENSOR_LOAD) | KIND(TENSOR_STORE) | KIND(TENSOR_REDUCE),
    ZL_KINDS_BULK = KIND(BULK_LOAD) | KIND(BULK_STORE) | KIND(BULK_PEER) | KIND(BULK_REDUCE) |
                    KIND(BULK_REDUCE_PEER) | KIND(BULK_PREFETCH),
    ZL_KINDS_LOAD = KIND(TENSOR_LOAD) | KIND(BULK_LOAD),
    ZL_KINDS_PEER = KIND(BULK_PEER) | KIND(BULK_REDUCE_PEER) | KIND(STORE_ASYNC) |
                    KIND(REDUCE_ASYNC),
    ZL_KINDS_TYPED = KIND(BULK_REDUCE) | KIND(BULK_REDUCE_PEER) | KIND(REDUCE_ASYNC),
    ZL_KINDS_REDUCE = KIND(TENSOR_REDUCE) | ZL_KINDS_TYPED,
    ZL_KINDS_THREAD = KIND(CP_ASYNC) | KIND(THREAD_LOAD) | KIND(THREAD_STORE)
};

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

extern const zl_subject_form zl_copy_form; /* its value: a zl_issue */

/* Whether a number is a kind of the set; hostile numbers are of none. */
/* Whether the target's form of a kind has a mode, and whether any target's has. */
bool zl_mode_exists(const zlay_issue *issue);
bool zl_mode_on(const zlay_issue *issue, const zlay_target *target);
bool zl_kind_on(int32_t kind, const zlay_target *target);

/* Whether a reduction takes a type. */
bool zl_reduces(const zlay_issue *issue, int32_t type);

/* Bytes that a copy counts; false: it is unknown. */
bool zl_issue_bytes(uint64_t *out, const zlay_issue *issue, const zlay_tensormap *map);

/* Coordinates that an instruction of this rank and mode names. */
uint32_t zl_coordinates(const zlay_issue *issue);

/* Whether fields that are not judged are as they must be; the subject of the one copy. */
bool zl_issue_askable(const zlay_issue *issue, const zlay_tensormap *map);
zl_issue zl_issue_asked(const zlay_issue *issue, const zlay_tensormap *map);

/* zlay_issue_check_given as a part of a call (zl_enter_part). */
zlay_status zl_issue_check_symbolic(zlay_ctx *ctx, zlay_verdict *out, zlay_reason *reasons,
                                    size_t room, zlay_buf *guard,
                                    const zlay_issue_question *question);

#endif
