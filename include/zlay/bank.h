/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/bank.h - wavefronts of accesses to shared memory.
 *
 *  Shared memory lies in banks of 4 bytes.  A warp's access goes in phases, the
 *  lanes of one phase together, and a phase takes as many wavefronts as the most
 *  distinct words that it asks of one bank.
 *
 *  By hand: 32 lanes of sm_90 load 4 bytes each, lane l at 8 l.  There are 32
 *  banks and one phase.  Lane 0 asks for word 0 and lane 16 for word 32, both of
 *  bank 0, so the access takes 2 wavefronts; no access can take less than 1.
 *  With 16 bytes a lane, lane l at 16 l, lanes go by eight: 4 phases of one
 *  wavefront each.  Were lanes 2 i and 2 i + 1 at one address, sm_90 would serve
 *  sixteen lanes together, 2 phases of one wavefront: `ideal` is 2, and
 *  `distinct`, the least without lanes that share an address, is 4.
 *
 *  Which lanes are served together is a row of a table, with its source.  Where
 *  it is not measured, the answer is UNDECIDED, and the access says what is not
 *  known.
 */
#ifndef ZLAY_BANK_H
#define ZLAY_BANK_H

#include <zlay/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Lanes of a warp or wave at most, and phases of an access at most. */
enum { ZLAY_BANK_LANES = 64, ZLAY_BANK_PHASES = 16 };

/** The address of an inactive lane. */
#define ZLAY_BANK_INACTIVE UINT32_MAX

/** An access to shared memory, as a target has it. */
typedef struct zlay_bank_access {
    int32_t number;     /* never reused */
    int32_t basis;      /* ZLAY_BASIS_* of its phases; 0: they are not known */
    uint32_t lanes;     /* of the target's warp or wave */
    uint32_t rows;      /* only the first so many lanes give an address */
    uint32_t parts;     /* addresses of a lane: 2 of ds_read2_b32 and its like */
    uint32_t bytes;     /* at one address */
    uint32_t align;     /* of an address, bytes */
    uint32_t unit;      /* bytes that an offset of a second address counts in */
    uint32_t stores;    /* 1: it writes, so that lanes can race */
    uint32_t reserved[3];
    const char *name;   /* as "ld.shared.v4.b32" */
    const char *source; /* of the phases; NULL: they are not known */
    const char *gap;    /* what is not known; NULL: nothing */
} zlay_bank_access;

/** Find an access by its name, as "ld.shared.v4.f32" or "ds_read_b128".
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such access; ZLAY_EINVAL a NULL.
 *  Out:     out  the access's number.
 */
ZLAY_API zlay_status zlay_bank_find(int32_t *out, const char *name, size_t length);

/** How many accesses the table has. */
ZLAY_API size_t zlay_bank_count(void);

/** The number of the i-th access of the table.  Returns ZLAY_OK; ZLAY_NONE past
 *  its end; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_bank_nth(int32_t *out, size_t i);

/** Say what an access is on a target.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the target has no such access; ZLAY_EINVAL a
 *           NULL, a number that is none.
 */
ZLAY_API zlay_status zlay_bank_info(zlay_bank_access *out, const zlay_target *target,
                                    int32_t access);

/** What one access takes.  Counts are 0 where `answer` is UNDECIDED. */
typedef struct zlay_bank {
    zlay_answer answer;  /* ZLAY_YES: counted; ZLAY_UNDECIDED: phases not known */
    int32_t basis;       /* ZLAY_BASIS_* */
    uint32_t wavefronts; /* summed over the phases */
    uint32_t ideal;      /* the least that the same active lanes can take */
    uint32_t distinct;   /* the least where no two of them share an address */
    uint32_t race;       /* 1: two lanes write one byte */
    uint32_t phases;     /* those with an active lane */
    uint32_t reserved;
    uint64_t phase[ZLAY_BANK_PHASES]; /* their active lanes, lane l as bit l */
} zlay_bank;

/** Count the wavefronts of one access of a whole warp or wave.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the target has no such access; ZLAY_EINVAL a
 *           NULL, a number that is none, a count that is not lanes times parts,
 *           an address that is not aligned, a row of ldmatrix or stmatrix that
 *           is missing, an address beyond the rows, a lane with one of its two
 *           addresses.
 *  Out:     out  the count.
 *  In:      addresses  shared byte addresses of all lanes, then the second ones
 *                      of all lanes; ZLAY_BANK_INACTIVE of an inactive lane.
 *  Pure.
 */
ZLAY_API zlay_status zlay_bank_conflicts(zlay_bank *out, const zlay_target *target, int32_t access,
                                         const uint32_t *addresses, size_t count);

#ifdef __cplusplus
}
#endif
#endif
