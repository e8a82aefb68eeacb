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

/** The version of the driver whose verdicts a target's rows repeat; NULL where
 *  none was asked, and for NULL. */
ZLAY_API const char *zlay_target_driver(const zlay_target *target);

/** The i-th target of the table, NULL past its end. */
ZLAY_API const zlay_target *zlay_target_at(size_t i);

/** The bytes that one thread loads or stores at once, n bytes as bit n; NULL:
 *  what every target has.
 *
 *  In:      shared  0 global memory, else shared memory.
 */
ZLAY_API uint64_t zlay_target_widths(const zlay_target *target, int32_t shared);

/** The bytes that one lane's load writes straight to shared memory, each lane's
 *  beside the one before, n bytes as bit n; 0: it has no such loads. */
ZLAY_API uint64_t zlay_target_direct(const zlay_target *target);

/** What a target is and gives; 0 where it has none, or no document says. */
typedef struct zlay_target_info {
    uint32_t architecture;  /* 90 of sm_90a; 0x942 of gfx942 */
    int32_t suffix;         /* 'a', 'f' or 0 */
    uint32_t ptx;           /* the oldest PTX version that knows it, 80 of 8.0 */
    uint32_t lanes;         /* threads of a warp or wave */
    uint32_t threads;       /* of a block, at most */
    uint32_t registers;     /* of 32 bits, of a thread */
    uint32_t register_file; /* of 32 bits, of a block */
    uint32_t banks;         /* of shared memory */
    uint32_t bank_bytes;    /* that a bank is wide */
    uint32_t cluster;       /* blocks of a cluster that every such device runs */
    uint32_t cluster_most;  /* blocks that a launch may ask for */
    uint32_t smem_granule;  /* bytes in which shared memory is allocated */
    uint64_t smem;          /* bytes of dynamic shared memory of a block */
    uint64_t smem_multiprocessor; /* bytes of shared memory of a multiprocessor */
    const char *cls;        /* as rules speak of it: "sm_90" */
} zlay_target_info;

/** Read what a target is.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_target_get(zlay_target_info *out,
                                     const zlay_target *target);

/** The i-th feature of a target, as "tma"; NULL past the last. */
ZLAY_API const char *zlay_target_feature(const zlay_target *target, size_t i);

/* ---- element types -------------------------------------------------------- */

/** Element types.  0 to 15 are CUtensorMapDataType's numbers. */
enum {
    ZLAY_TYPE_U8 = 0, ZLAY_TYPE_U16, ZLAY_TYPE_U32, ZLAY_TYPE_S32, ZLAY_TYPE_U64,
    ZLAY_TYPE_S64, ZLAY_TYPE_F16, ZLAY_TYPE_F32, ZLAY_TYPE_F64, ZLAY_TYPE_BF16,
    ZLAY_TYPE_F32_FTZ, ZLAY_TYPE_TF32, ZLAY_TYPE_TF32_FTZ, ZLAY_TYPE_U4_ALIGN8,
    ZLAY_TYPE_U4_ALIGN16, ZLAY_TYPE_U6_ALIGN16,
    ZLAY_TYPE_S8 = 32, ZLAY_TYPE_S16, ZLAY_TYPE_E4M3, ZLAY_TYPE_E5M2,
    ZLAY_TYPE_E2M3, ZLAY_TYPE_E3M2, ZLAY_TYPE_E2M1, ZLAY_TYPE_UE8M0,
    ZLAY_TYPE_UE4M3, ZLAY_TYPE_S4, ZLAY_TYPE_U4, ZLAY_TYPE_B1,
    ZLAY_TYPE_E4M3_FNUZ, ZLAY_TYPE_E5M2_FNUZ
};

/** Find an element type by its name, as "bf16".
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such type; ZLAY_EINVAL a NULL.
 *  Out:     out  ZLAY_TYPE_*.
 */
ZLAY_API zlay_status zlay_type_find(int32_t *out, const char *name, size_t length);

/** The type that a target's own matrix instructions mean by a type's name: on
 *  gfx942 e4m3 and e5m2 are e4m3fnuz and e5m2fnuz.  Any other is itself. */
ZLAY_API int32_t zlay_target_type(const zlay_target *target, int32_t type);

/** The name of an element type; NULL for a number that is none. */
ZLAY_API const char *zlay_type_name(int32_t type);

/** Bits of one element of a type; 0 for a number that is none. */
ZLAY_API uint32_t zlay_type_bits(int32_t type);

/* ---- verdicts ----------------------------------------------------------- */

/** Who enforces a rule. */
enum {
    ZLAY_BY_DRIVER = 1,
    ZLAY_BY_DOCUMENT,
    ZLAY_BY_ASSEMBLER,
    ZLAY_BY_HARDWARE,
    ZLAY_BY_PRACTICE, /* what published kernels keep to */
    ZLAY_BY_ADVICE    /* nobody: it is legal, and surely not what was meant */
};

/** Why a reason refuses nothing. */
enum {
    ZLAY_NOTED_MEASURED = 1, /* a measurement refutes the document */
    ZLAY_NOTED_CONFLICT,     /* practice is narrower than the ISA's text */
    ZLAY_NOTED_ADVICE        /* legal, and surely a mistake */
};

/** What a verdict rests on. */
enum { ZLAY_BASIS_DOCUMENTED = 1, ZLAY_BASIS_MEASURED };

/** What the measured driver of the target's class does with the input. */
enum { ZLAY_DRIVER_UNKNOWN = 0, ZLAY_DRIVER_ACCEPTS, ZLAY_DRIVER_REFUSES };

/** How `value` must stand to the bounds for the rule to hold. */
enum {
    ZLAY_REL_RANGE = 1, /* lo <= value <= hi */
    ZLAY_REL_MULTIPLE,  /* value mod lo = 0 */
    ZLAY_REL_EQUAL,     /* value = lo */
    ZLAY_REL_SIGNED     /* lo <= value <= hi, all three as int64_t */
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
    ZLAY_FIELD_MODE,
    ZLAY_FIELD_TYPE,
    ZLAY_FIELD_RANK,
    ZLAY_FIELD_ADDRESS,
    ZLAY_FIELD_EXTENT,
    ZLAY_FIELD_STRIDE,
    ZLAY_FIELD_BOX,
    ZLAY_FIELD_STEP,
    ZLAY_FIELD_INTERLEAVE,
    ZLAY_FIELD_SWIZZLE,
    ZLAY_FIELD_L2,
    ZLAY_FIELD_OOB,
    ZLAY_FIELD_START,
    ZLAY_FIELD_LBO,
    ZLAY_FIELD_SBO,
    ZLAY_FIELD_BASE_OFFSET,
    ZLAY_FIELD_M,
    ZLAY_FIELD_N,
    ZLAY_FIELD_K,
    ZLAY_FIELD_A,
    ZLAY_FIELD_B,
    ZLAY_FIELD_D,
    ZLAY_FIELD_MAJOR,
    ZLAY_FIELD_TARGET,
    ZLAY_FIELD_SMEM,
    ZLAY_FIELD_COORDINATE,
    ZLAY_FIELD_BYTES,
    ZLAY_FIELD_COUNT,
    ZLAY_FIELD_INSTRUCTION,
    ZLAY_FIELD_SPACE,
    ZLAY_FIELD_CTA_GROUP,
    ZLAY_FIELD_OFFSET,
    ZLAY_FIELD_EXPECT,
    ZLAY_FIELD_SOURCE,
    ZLAY_FIELD_TAKEN,
    ZLAY_FIELD_CTA_MASK,
    ZLAY_FIELD_BYTE_MASK,
    ZLAY_FIELD_CLUSTER,
    ZLAY_FIELD_CTA,
    ZLAY_FIELD_PEER,
    ZLAY_FIELD_BARRIER,
    ZLAY_FIELD_OP,
    ZLAY_FIELD_SEM,
    ZLAY_FIELD_SCOPE,
    ZLAY_FIELD_PARITY,
    ZLAY_FIELD_PHASE,
    ZLAY_FIELD_NAME,
    ZLAY_FIELD_FIELD,
    ZLAY_FIELD_ORD,
    ZLAY_FIELD_VALUE,
    ZLAY_FIELD_FENCE,
    ZLAY_FIELD_THREADS,
    ZLAY_FIELD_REGISTERS,
    ZLAY_FIELD_SMEM_STATIC,
    ZLAY_FIELD_GRID,
    ZLAY_FIELD_SETMAXNREG,
    ZLAY_FIELD_WARPS,
    ZLAY_FIELD_LOWER,
    ZLAY_FIELD_UPPER,
    ZLAY_FIELD_CHANNELS,
    ZLAY_FIELD_PIXELS,
    ZLAY_FIELD_WIDE_MODE,
    ZLAY_FIELD_KIND,
    ZLAY_FIELD_A_SOURCE,
    ZLAY_FIELD_A_MAJOR,
    ZLAY_FIELD_B_MAJOR,
    ZLAY_FIELD_SPARSE,
    ZLAY_FIELD_SELECTOR,
    ZLAY_FIELD_WS,
    ZLAY_FIELD_SCALE_VEC,
    ZLAY_FIELD_ASHIFT,
    ZLAY_FIELD_COLLECTOR,
    ZLAY_FIELD_NEGATE_A,
    ZLAY_FIELD_NEGATE_B,
    ZLAY_FIELD_SATURATE,
    ZLAY_FIELD_BLOCKS,
    ZLAY_FIELD_BIT_OP,
    ZLAY_FIELD_STRICT,
    ZLAY_FIELD_PTX,
    ZLAY_FIELD_LBO_MODE,
    ZLAY_FIELD_RESERVED,
    ZLAY_FIELD_MAX_SHIFT,
    ZLAY_FIELD_SCALE_TYPE,
    ZLAY_FIELD_SF_A_ID,
    ZLAY_FIELD_SF_B_ID,
    ZLAY_FIELD_COLUMNS,
    ZLAY_FIELD_GROUPS,
    ZLAY_FIELD_SCALE,
    ZLAY_FIELD_SIZE,
    ZLAY_FIELD_SHAPE,
    ZLAY_FIELD_NUM,
    ZLAY_FIELD_PACK,
    ZLAY_FIELD_HALF_SPLIT,
    ZLAY_FIELD_FORMAT,
    ZLAY_FIELD_REDUCE,
    ZLAY_FIELD_DATA, /* of gfx targets: first registers, offsets, counters */
    ZLAY_FIELD_DATA1,
    ZLAY_FIELD_RESOURCE,
    ZLAY_FIELD_SOFFSET,
    ZLAY_FIELD_SADDR,
    ZLAY_FIELD_OFFSET0,
    ZLAY_FIELD_OFFSET1,
    ZLAY_FIELD_GROUP0,
    ZLAY_FIELD_GROUP1,
    ZLAY_FIELD_GROUP2,
    ZLAY_FIELD_GROUP3,
    ZLAY_FIELD_VMCNT,
    ZLAY_FIELD_EXPCNT,
    ZLAY_FIELD_LGKMCNT,
    ZLAY_FIELD_BASE, /* of buffer resources */
    ZLAY_FIELD_RECORDS,
    ZLAY_FIELD_CACHE_SWIZZLE,
    ZLAY_FIELD_INDEX_STRIDE,
    ZLAY_FIELD_ADD_TID,
    ZLAY_FIELD_DST_SEL,
    ZLAY_FIELD_NUM_FORMAT,
    ZLAY_FIELD_DATA_FORMAT,
    ZLAY_FIELD_USER_VM,
    ZLAY_FIELD_NV,
    ZLAY_FIELD_FLAGS,
    ZLAY_FIELD_OTHER,
    ZLAY_FIELD_C,
    ZLAY_FIELD_SCALE_A,
    ZLAY_FIELD_SCALE_B,
    ZLAY_FIELD_CBSZ,
    ZLAY_FIELD_ABID,
    ZLAY_FIELD_BLGP,
    ZLAY_FIELD_LDS, /* of tensor descriptors */
    ZLAY_FIELD_TILE,
    ZLAY_FIELD_ELEMENT,
    ZLAY_FIELD_STORE,
    ZLAY_FIELD_PAD,
    ZLAY_FIELD_PAD_INTERVAL,
    ZLAY_FIELD_PAD_AMOUNT,
    ZLAY_FIELD_MASK,
    ZLAY_FIELD_EARLY,
    ZLAY_FIELD_BARRIER_AT,
    ZLAY_FIELD_ITERATE,
    ZLAY_FIELD_LDS_STEP,
    ZLAY_FIELD_GLOBAL_STEP,
    ZLAY_FIELD_REPEATS,
    ZLAY_FIELD_GATHER,
    ZLAY_FIELD_INDEX32,
    ZLAY_FIELD_ROW,
    ZLAY_FIELD_RESTORE,
    ZLAY_FIELD_STORE_BIT,
    ZLAY_FIELD_TH
};

/** The head of a verdict: 32 bytes.  `reasons` counts all of them, also those
 *  that did not fit the caller's array. */
typedef struct zlay_verdict {
    zlay_answer answer; /* ZLAY_YES, ZLAY_NO */
    int32_t basis;      /* ZLAY_BASIS_* */
    int32_t driver;     /* ZLAY_DRIVER_*; 0 where no driver is asked */
    uint32_t reasons;   /* broken + noted + conflicts */
    uint32_t broken;    /* rules that refuse */
    uint32_t noted;     /* documented rules that a measurement refutes, and advice */
    uint32_t conflicts; /* rows of a practice narrower than the ISA's text */
    uint32_t reserved;
} zlay_verdict;

/** One broken (or noted) rule: 64 bytes. */
typedef struct zlay_reason {
    int32_t rule;      /* number of the rule; zlay_rule_get explains it */
    int32_t by;        /* ZLAY_BY_* */
    int32_t noted;     /* 0: refuses; else ZLAY_NOTED_* */
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

/** An entry of a field of which only a linear text over names is known.  Of
 *  numbers at which a text passes int64_t nothing is asked, and nothing said. */
typedef struct zlay_given {
    int32_t field;    /* ZLAY_FIELD_* */
    int32_t index;    /* of its list */
    const char *text; /* as "2*K + 16", `length` bytes */
    size_t length;
} zlay_given;

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

/** Read the i-th rule of the table.  Returns ZLAY_OK; ZLAY_NONE past its end;
 *  ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_rule_at(zlay_rule *out, size_t i);

/** The version of the rule tables: it grows with every change of a row. */
ZLAY_API uint32_t zlay_rules_version(void);

/* ---- shared memory ------------------------------------------------------ */

/** Check dynamic shared memory of a block against the target's capacity.
 *  Returns, Out as tensormap_check. */
ZLAY_API zlay_status zlay_smem_check(zlay_verdict *out, zlay_reason *reasons,
                                     size_t room, const zlay_target *target,
                                     uint64_t bytes);

/** The most dynamic shared memory that a block of the target may have, bytes. */
ZLAY_API uint64_t zlay_smem_capacity(const zlay_target *target);

#ifdef __cplusplus
}
#endif
#endif
