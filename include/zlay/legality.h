/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/legality.h - may the hardware do it?  Rules, verdicts, repairs.
 *
 *  A check answers before anything runs, and needs neither a GPU, a driver nor
 *  a toolkit.  It is a pure function over plain structs: units stand on every
 *  field, reserved words are 0, and two equal structs are equal under memcmp.
 *
 *  One rule by hand.  A row of 4100 bf16 elements has 8200 bytes, and
 *  8200 mod 16 = 8.  Rule TMAP_STRIDE_16 (cuTensorMapEncodeTiled,
 *  "globalStrides") wants a multiple of 16, so a tensor map with that stride is
 *  NO; its reason carries field stride, index 0, value 8200, bound 16, and the
 *  repair stride 8208 (leading dimension 4104), which keeps the values but
 *  re-lays the tensor.
 */
#ifndef ZLAY_LEGALITY_H
#define ZLAY_LEGALITY_H

#include <zlay/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- targets ------------------------------------------------------------ */

/** A GPU target, as "sm_90a": a row of a table, never freed. */
typedef struct zlay_target zlay_target;

/** Find a target by its name.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such target; ZLAY_EINVAL a NULL.
 *  Out:     out  a static row.
 *  In:      name, length  as "sm_90a", 6.
 */
ZLAY_API zlay_status zlay_target_find(const zlay_target **out, const char *name,
                                      size_t length);

/** The name of a target; NULL for NULL. */
ZLAY_API const char *zlay_target_name(const zlay_target *target);

/** The i-th target of the table, NULL past its end. */
ZLAY_API const zlay_target *zlay_target_at(size_t i);

/* ---- verdicts ----------------------------------------------------------- */

/** Who enforces a rule. */
enum { ZLAY_BY_DRIVER = 1, ZLAY_BY_DOCUMENT, ZLAY_BY_ASSEMBLER, ZLAY_BY_HARDWARE };

/** What a verdict rests on. */
enum { ZLAY_BASIS_DOCUMENTED = 1, ZLAY_BASIS_MEASURED };

/** What the measured driver of the target's class does with the input. */
enum { ZLAY_DRIVER_UNKNOWN = 0, ZLAY_DRIVER_ACCEPTS, ZLAY_DRIVER_REFUSES };

/** How `value` must stand to the bounds for the rule to hold. */
enum {
    ZLAY_REL_RANGE = 1, /* lo <= value <= hi */
    ZLAY_REL_MULTIPLE,  /* value mod lo = 0 */
    ZLAY_REL_EQUAL      /* value = lo */
};

/** What a repair keeps. */
enum {
    ZLAY_KEEPS_NONE_GIVEN = 0, /* no change of this field alone passes */
    ZLAY_KEEPS_ALL,     /* the same bytes reach the same places, perhaps in several copies */
    ZLAY_KEEPS_BYTES,   /* the same bytes, another shared layout */
    ZLAY_KEEPS_VALUES,  /* the tensor is laid out anew */
    ZLAY_KEEPS_NOTHING  /* the rule is met by another copy: take another path */
};

/** The fields that reasons name.  zlay_field_name gives batch.md's words. */
enum {
    ZLAY_FIELD_NONE = 0,
    ZLAY_FIELD_MODE, ZLAY_FIELD_TYPE, ZLAY_FIELD_RANK, ZLAY_FIELD_ADDRESS,
    ZLAY_FIELD_EXTENT, ZLAY_FIELD_STRIDE, ZLAY_FIELD_BOX, ZLAY_FIELD_STEP,
    ZLAY_FIELD_INTERLEAVE, ZLAY_FIELD_SWIZZLE, ZLAY_FIELD_L2, ZLAY_FIELD_OOB,
    ZLAY_FIELD_START, ZLAY_FIELD_LBO, ZLAY_FIELD_SBO, ZLAY_FIELD_BASE_OFFSET,
    ZLAY_FIELD_M, ZLAY_FIELD_N, ZLAY_FIELD_K, ZLAY_FIELD_A, ZLAY_FIELD_B,
    ZLAY_FIELD_D, ZLAY_FIELD_MAJOR, ZLAY_FIELD_TARGET, ZLAY_FIELD_SMEM,
    ZLAY_FIELD_COORDINATE, ZLAY_FIELD_BYTES, ZLAY_FIELD_COUNT
};

/** The head of a verdict: 32 bytes.  `reasons` counts all of them, also those
 *  that did not fit the caller's array. */
typedef struct zlay_verdict {
    zlay_answer answer; /* ZLAY_YES, ZLAY_NO */
    int32_t basis;      /* ZLAY_BASIS_* */
    int32_t driver;     /* ZLAY_DRIVER_*; 0 where no driver is asked */
    uint32_t reasons;   /* broken + noted */
    uint32_t broken;    /* rules that refuse */
    uint32_t noted;     /* documented rules that a measurement refutes */
    uint32_t reserved[2];
} zlay_verdict;

/** One broken (or noted) rule: 64 bytes. */
typedef struct zlay_reason {
    int32_t rule;      /* number of the rule; zlay_rule_text explains it */
    int32_t by;        /* ZLAY_BY_* */
    int32_t noted;     /* 1: refuses nothing */
    int32_t field;     /* ZLAY_FIELD_* */
    int32_t index;     /* dimension, or -1 */
    int32_t relation;  /* ZLAY_REL_* */
    uint64_t value;    /* as found, saturated at 2^64 - 1 */
    uint64_t lo, hi;   /* bounds of the relation */
    int32_t fix_keeps; /* ZLAY_KEEPS_* */
    int32_t fix_split; /* copies that the repair issues instead of one; 0 or 1: one */
    uint64_t fix_value; /* the field's repaired value */
} zlay_reason;

/** The name of a field in batch.md's words; NULL for a number that is none. */
ZLAY_API const char *zlay_field_name(int32_t field);

/** A rule, as text and source. */
typedef struct zlay_rule {
    int32_t number;     /* never reused */
    int32_t by;         /* ZLAY_BY_* */
    const char *id;     /* as "TMAP_BOX" */
    const char *text;   /* one sentence */
    const char *source; /* document and section, or the measurement */
    const char *targets; /* as "sm_90+" */
} zlay_rule;

/** Find a rule by its id.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such rule; ZLAY_EINVAL a NULL.
 *  Out:     out  static strings.
 */
ZLAY_API zlay_status zlay_rule_find(zlay_rule *out, const char *id, size_t length);

/** Read the rule of a number, as a reason carries it.  Returns as rule_find. */
ZLAY_API zlay_status zlay_rule_get(zlay_rule *out, int32_t number);

/** Read the i-th rule of the table; ZLAY_NONE past its end. */
ZLAY_API zlay_status zlay_rule_at(zlay_rule *out, size_t i);

/** The version of the rule tables: it grows with every change of a row. */
ZLAY_API uint32_t zlay_rules_version(void);

/* ---- tensor maps -------------------------------------------------------- */

/** CUtensorMapDataType's numbers. */
enum {
    ZLAY_TMAP_U8 = 0, ZLAY_TMAP_U16, ZLAY_TMAP_U32, ZLAY_TMAP_S32, ZLAY_TMAP_U64,
    ZLAY_TMAP_S64, ZLAY_TMAP_F16, ZLAY_TMAP_F32, ZLAY_TMAP_F64, ZLAY_TMAP_BF16,
    ZLAY_TMAP_F32_FTZ, ZLAY_TMAP_TF32, ZLAY_TMAP_TF32_FTZ, ZLAY_TMAP_U4_ALIGN8,
    ZLAY_TMAP_U4_ALIGN16, ZLAY_TMAP_U6_ALIGN16
};

/** CUtensorMapSwizzle's numbers that sm_90 has. */
enum { ZLAY_SWIZZLE_NONE = 0, ZLAY_SWIZZLE_32B, ZLAY_SWIZZLE_64B, ZLAY_SWIZZLE_128B };

/** Parameters of a tensor map, dimension 0 innermost, as
 *  cuTensorMapEncodeTiled takes them.  240 bytes. */
typedef struct zlay_tensormap {
    uint64_t address;   /* global address, bytes */
    uint64_t extent[5]; /* elements */
    uint64_t stride[4]; /* bytes from one index of dimension i + 1 to the next */
    uint32_t box[5];    /* elements */
    uint32_t step[5];   /* elements */
    uint32_t rank;      /* 1 to 5; entries past it are 0 */
    int32_t mode;       /* 0: tiled */
    int32_t type;       /* ZLAY_TMAP_* */
    int32_t interleave; /* 0 none, 1 16 bytes, 2 32 bytes */
    int32_t swizzle;    /* ZLAY_SWIZZLE_*, 4 to 6 the 128-byte atom variants */
    int32_t l2;         /* L2 promotion: 0 none, 1 64, 2 128, 3 256 bytes */
    int32_t oob;        /* fill: 0 zero, 1 NaN */
    uint32_t reserved[23]; /* 0 */
} zlay_tensormap;

/** Check a tensor map against every rule of its target.
 *
 *  Returns: ZLAY_OK       the question is answered, in *out.
 *           ZLAY_EINVAL   a NULL, or a reserved word that is not 0.
 *           ZLAY_ENOTSUP  mode 1 or 2, im2col: not covered yet.
 *  Out:     out      the answer, and how many reasons there are.
 *           reasons  the first `room` broken or noted rules, each with its
 *                    repair.
 *  In:      map      borrowed; any value of any field has a verdict.
 *  Pure: allocates nothing, calls no driver, safe from any thread.
 */
ZLAY_API zlay_status zlay_tensormap_check(zlay_verdict *out, zlay_reason *reasons,
                                          size_t room, const zlay_target *target,
                                          const zlay_tensormap *map);

/** Find the map nearest to one that is refused which passes every rule: fewest
 *  fields changed, then fewest bytes by which pitches and address move, then
 *  what keeps most, then fewest issues.  In it no two elements share bytes that
 *  did not before.  A map that breaks its rank, type, mode or an extent, or
 *  whose box is empty, has none.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no change of these fields passes and keeps the
 *           values; ZLAY_EINVAL, ZLAY_ENOTSUP as tensormap_check.
 *  Out:     out    the repaired map; equal to `map` when that is legal.
 *           keeps  ZLAY_KEEPS_* of the whole repair.
 *           split  copies to issue instead of one, at least 1.
 */
ZLAY_API zlay_status zlay_tensormap_repair(zlay_tensormap *out, int32_t *keeps,
                                           uint64_t *split, const zlay_target *target,
                                           const zlay_tensormap *map);

/** Bits of one element of a tensor-map type; 0 for a number that is none. */
ZLAY_API uint32_t zlay_tensormap_type_bits(int32_t type);

/* ---- copies ------------------------------------------------------------- */

/** By what a copy is done. */
enum {
    ZLAY_COPY_TENSOR_LOAD = 1, /* cp.async.bulk.tensor, global to shared */
    ZLAY_COPY_TENSOR_STORE,    /* cp.async.bulk.tensor, shared to global */
    ZLAY_COPY_CP_ASYNC,        /* cp.async of `width` bytes a thread, zero-filled */
    ZLAY_COPY_THREAD_LOAD,     /* ld.global, st.shared of `width` bytes, zero-filled */
    ZLAY_COPY_THREAD_STORE     /* ld.shared, st.global of `width` bytes, guarded */
};

/** One copy of a box: what moves, and where its next tile lies.  The box is
 *  described by a zlay_tensormap also where threads move it. */
typedef struct zlay_copy {
    int32_t kind;           /* ZLAY_COPY_* */
    uint32_t map;           /* index of the map */
    uint32_t width;         /* bytes of one access of a thread; 0 for tensor copies */
    uint32_t bytes;         /* of the whole box, out-of-bounds elements included */
    uint32_t smem;          /* byte offset in the stage */
    int32_t coordinate[5];  /* of tile (0, 0, 0), elements, dimension 0 innermost */
    int32_t advance[5][3];  /* what the next tile along m, n, k adds, elements */
    uint32_t reserved[3];   /* 0 */
} zlay_copy;

/* ---- wgmma shared-memory matrix descriptors ----------------------------- */

/** Which dimension of an operand is contiguous in shared memory. */
enum { ZLAY_MAJOR_K = 0, ZLAY_MAJOR_MN = 1 };

/** Fields of a 64-bit shared-memory matrix descriptor of sm_90a. 32 bytes. */
typedef struct zlay_smemdesc {
    uint32_t start;       /* shared address, bytes, a multiple of 16 below 2^18 */
    uint32_t lbo, sbo;    /* leading and stride byte offset, as `start` */
    uint32_t base_offset; /* 0 to 7: row of the swizzle pattern */
    int32_t swizzle;      /* ZLAY_SWIZZLE_* */
    uint32_t reserved[3]; /* 0 */
} zlay_smemdesc;

/** Check the fields of a matrix descriptor.  Returns, Out as tensormap_check. */
ZLAY_API zlay_status zlay_smemdesc_check(zlay_verdict *out, zlay_reason *reasons,
                                         size_t room, const zlay_target *target,
                                         const zlay_smemdesc *fields);

/** Pack a matrix descriptor.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL when zlay_smemdesc_check says NO;
 *           ZLAY_ENOTSUP a target without wgmma.
 *  Out:     out  the 64 bits.
 */
ZLAY_API zlay_status zlay_smemdesc_pack(uint64_t *out, const zlay_target *target,
                                        const zlay_smemdesc *fields);

/** Unpack a matrix descriptor: any 64 bits have fields.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ENOTSUP.
 *  Out:     out   the fields.
 *           must_be_zero  the bits that are set and must not be.
 */
ZLAY_API zlay_status zlay_smemdesc_unpack(zlay_smemdesc *out, uint64_t *must_be_zero,
                                          const zlay_target *target, uint64_t desc);

/* ---- wgmma -------------------------------------------------------------- */

/** One wgmma.mma_async. bf16 operands, f32 accumulator by now. */
typedef struct zlay_mma {
    uint32_t m, n, k;         /* elements */
    int32_t a, b, d;          /* ZLAY_TMAP_BF16, ZLAY_TMAP_F32 */
    int32_t a_major, b_major; /* ZLAY_MAJOR_* */
    uint32_t reserved[4];     /* 0 */
} zlay_mma;

/** Check the shape, types and major-ness of a matrix instruction.  Returns,
 *  Out as tensormap_check; ZLAY_ENOTSUP for operands of wgmma's other types. */
ZLAY_API zlay_status zlay_mma_check(zlay_verdict *out, zlay_reason *reasons,
                                    size_t room, const zlay_target *target,
                                    const zlay_mma *mma);

/* ---- shared memory ------------------------------------------------------ */

/** Check dynamic shared memory of a block against the target's capacity.
 *  Returns, Out as tensormap_check. */
ZLAY_API zlay_status zlay_smem_check(zlay_verdict *out, zlay_reason *reasons,
                                     size_t room, const zlay_target *target,
                                     uint64_t bytes);

/** The most dynamic shared memory that a block of the target may have, bytes. */
ZLAY_API uint64_t zlay_smem_capacity(const zlay_target *target);

/** Count the wavefronts of one warp-wide shared-memory access.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no measured phases for this width and target;
 *           ZLAY_EINVAL a NULL, a width that is none, an address not aligned to
 *           it.
 *  Out:     wavefronts  summed over the phases.
 *           ideal       the least that the same active lanes can give.
 *           phase       lane -> number of its phase, -1 inactive; NULL: not
 *                       asked.
 *  In:      width      bytes of one lane: 4, 8 or 16; ldmatrix and stmatrix
 *                      rows are 16.
 *           addresses  32 shared byte addresses; UINT32_MAX for an inactive
 *                      lane.
 *  Pure.
 */
ZLAY_API zlay_status zlay_bank_count(uint32_t *wavefronts, uint32_t *ideal, int32_t *phase,
                                     const zlay_target *target, uint32_t width,
                                     const uint32_t *addresses);

#ifdef __cplusplus
}
#endif
#endif
