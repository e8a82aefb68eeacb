/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/rule.h - may the hardware do it?  Rules, verdicts, repairs.
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
#ifndef ZLAY_RULE_H
#define ZLAY_RULE_H

#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Who enforces a rule. */
enum {
    ZLAY_BY_DRIVER = 1,
    ZLAY_BY_DOCUMENT,
    ZLAY_BY_ASSEMBLER,
    ZLAY_BY_HARDWARE,
    ZLAY_BY_PRACTICE, /* what published kernels keep to */
    ZLAY_BY_ADVICE    /* nothing does: it is legal, and surely not meant */
};

/** Why a reason refuses nothing. */
enum {
    ZLAY_NOTED_MEASURED = 1, /* a measurement refutes the document */
    ZLAY_NOTED_CONFLICT,     /* practice is narrower than the ISA's text */
    ZLAY_NOTED_ADVICE        /* legal, and surely a mistake */
};

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
    ZLAY_KEEPS_ALL,            /* the same bytes reach the same places, perhaps in several copies */
    ZLAY_KEEPS_BYTES,          /* the same bytes, another shared layout */
    ZLAY_KEEPS_VALUES,         /* the tensor is laid out anew */
    ZLAY_KEEPS_NOTHING         /* the rule is met by another copy: take another path */
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
    int32_t rule;       /* number of the rule; zlay_rule_info explains it */
    int32_t by;         /* ZLAY_BY_* */
    int32_t noted;      /* 0: refuses; else ZLAY_NOTED_* */
    int32_t field;      /* ZLAY_FIELD_* */
    int32_t index;      /* dimension, or -1 */
    int32_t relation;   /* ZLAY_REL_* */
    uint64_t value;     /* as found, saturated at 2^64 - 1 */
    uint64_t lo, hi;    /* bounds of the relation */
    int32_t fix_keeps;  /* ZLAY_KEEPS_* */
    int32_t fix_split;  /* copies that the repair issues instead of one; 0 or 1: one */
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
    int32_t number;      /* never reused */
    int32_t by;          /* ZLAY_BY_* */
    const char *id;      /* as "TMAP_BOX" */
    const char *text;    /* one sentence */
    const char *source;  /* document and section, or the measurement */
    const char *targets; /* as "sm_90+" */
} zlay_rule;

/** Find a rule by its id.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such rule; ZLAY_EINVAL a NULL.
 *  Out:     out  static strings.
 */
ZLAY_API zlay_status zlay_rule_find(zlay_rule *out, const char *id, size_t length);

/** Read the rule of a number, as a reason carries it.  Returns as rule_find. */
ZLAY_API zlay_status zlay_rule_info(zlay_rule *out, int32_t number);

/** How many rules the table has. */
ZLAY_API size_t zlay_rule_count(void);

/** Read the i-th rule of the table.  Returns ZLAY_OK; ZLAY_NONE past its end;
 *  ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_rule_nth(zlay_rule *out, size_t i);

/** The version of the rule tables: it grows with every change of a row. */
ZLAY_API uint32_t zlay_rules_version(void);

#ifdef __cplusplus
}
#endif
#endif
