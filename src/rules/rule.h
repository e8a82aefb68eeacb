/* SPDX-License-Identifier: Apache-2.0 */
/* Rules as rows, the subjects that they judge, and the questions that checks, repairs and ladders put to them. */
#ifndef ZL_RULE_H
#define ZL_RULE_H

#include "target/target.h"

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

typedef enum zl_quantity {
#define QUANTITY(name, subject, field, entries) ZL_Q_##name,
#include "rules/quantities.def"
#undef QUANTITY
} zl_quantity;

typedef enum zl_guard {
#define GUARD(name) ZL_G_##name,
#include "rules/guards.def"
#undef GUARD
} zl_guard;

/* Which entries of its field a quantity has; what the later ones count, their subject says. */
typedef enum zl_entries {
    ZL_ENTRIES_NEVER,
    ZL_ENTRIES_ONE,
    ZL_ENTRIES_FIRST, /* FIRST to ASKING are entries of a list, and reasons give their index */
    ZL_ENTRIES_EACH,
    ZL_ENTRIES_STRIDES,
    ZL_ENTRIES_CORNERS,
    ZL_ENTRIES_AREAS,
    ZL_ENTRIES_OFFSETS,
    ZL_ENTRIES_ASKING,
    ZL_ENTRIES_STARTS,
    ZL_ENTRIES_STATED,
    ZL_ENTRIES_SLICE,
    ZL_ENTRIES_CONSTANT /* one where an instruction was given it */
} zl_entries;

/* Bounds that are no constant. */
#define ZL_BOUND_SMEM      UINT64_MAX       /* what a block of the target may have */
#define ZL_BOUND_WIDTH     (UINT64_MAX - 1) /* of a thread's access */
#define ZL_BOUND_EXTENT    (UINT64_MAX - 2) /* of the stride's dimension */
#define ZL_BOUND_BOX_BYTES (UINT64_MAX - 3) /* what a copy of the box moves */
#define ZL_BOUND_CP_WIDTH  (UINT64_MAX - 4) /* the least width of cp.async that is no less */
#define ZL_BOUND_LD_WIDTH  (UINT64_MAX - 5) /* the same of ld and st */
#define ZL_BOUND_COVERED   (UINT64_MAX - 6) /* bytes that the stride's dimension steps over */
#define ZL_BOUND_HALF_FETCH (UINT64_MAX - 7) /* half of what L2 fetches for a row of the box */
/* Of matrix instructions: the type that goes with the others, K and the least version of PTX. */
#define ZL_BOUND_WGMMA_A   (UINT64_MAX - 64)
#define ZL_BOUND_WGMMA_B   (UINT64_MAX - 65)
#define ZL_BOUND_WGMMA_D   (UINT64_MAX - 66)
#define ZL_BOUND_WGMMA_K   (UINT64_MAX - 67)
#define ZL_BOUND_WGMMA_PTX (UINT64_MAX - 68)
/* Of tcgen05: what the shape's row leaves, the legal value nearest to a field's, and what the
 * descriptor and its instruction must both say. */
#define ZL_BOUND_T5_M_LO      (UINT64_MAX - 96)
#define ZL_BOUND_T5_M_HI      (UINT64_MAX - 97)
#define ZL_BOUND_T5_N_LO      (UINT64_MAX - 98)
#define ZL_BOUND_T5_N_HI      (UINT64_MAX - 99)
#define ZL_BOUND_T5_N_STEP    (UINT64_MAX - 100)
#define ZL_BOUND_T5_K         (UINT64_MAX - 101)
#define ZL_BOUND_T5_PTX       (UINT64_MAX - 102)
#define ZL_BOUND_T5_A         (UINT64_MAX - 103)
#define ZL_BOUND_T5_B         (UINT64_MAX - 104)
#define ZL_BOUND_T5_D         (UINT64_MAX - 105)
#define ZL_BOUND_T5_VECTOR    (UINT64_MAX - 106)
#define ZL_BOUND_T5_SOURCE    (UINT64_MAX - 107)
#define ZL_BOUND_T5_COLLECTOR (UINT64_MAX - 108)
#define ZL_BOUND_T5_SHIFT     (UINT64_MAX - 109)
#define ZL_BOUND_T5_SCALE     (UINT64_MAX - 110)
#define ZL_BOUND_T5_M_POWER   (UINT64_MAX - 111)
#define ZL_BOUND_T5_N_POWER   (UINT64_MAX - 112)
#define ZL_BOUND_T5_SAME(i)   (UINT64_MAX - 113 - (i))
/* Of tensor memory. */
#define ZL_BOUND_TMEM_NUM        (UINT64_MAX - 160)
#define ZL_BOUND_TMEM_NUM_POWER  (UINT64_MAX - 161)
#define ZL_BOUND_TMEM_POWER      (UINT64_MAX - 162)
#define ZL_BOUND_TMEM_REGISTERS  (UINT64_MAX - 163)
#define ZL_BOUND_TMEM_WARP       (UINT64_MAX - 164)
#define ZL_BOUND_TMEM_BASE       (UINT64_MAX - 165)
#define ZL_BOUND_TMEM_FIRST      (UINT64_MAX - 166)
#define ZL_BOUND_TMEM_END        (UINT64_MAX - 167)
#define ZL_BOUND_TMEM_ALLOCATED  (UINT64_MAX - 168)
#define ZL_BOUND_TMEM_TYPE       (UINT64_MAX - 169)
/* Of issued copies, barriers and blocks. */
#define ZL_BOUND_WINDOW      (UINT64_MAX - 32) /* end of a block's shared addresses */
#define ZL_BOUND_MAP_RANK    (UINT64_MAX - 33)
#define ZL_BOUND_MAP_MODE    (UINT64_MAX - 34) /* that the instruction reads */
#define ZL_BOUND_GROUPS      (UINT64_MAX - 35) /* of .cta_group on the target */
#define ZL_BOUND_BLOCKS      (UINT64_MAX - 36) /* of the cluster */
#define ZL_BOUND_LAST_BLOCK  (UINT64_MAX - 37)
#define ZL_BOUND_OFFSET      (UINT64_MAX - 38) /* greatest im2col offset of the rank */
#define ZL_BOUND_HALO        (UINT64_MAX - 39)
#define ZL_BOUND_PATTERN     (UINT64_MAX - 40) /* bytes after which a swizzle repeats */
#define ZL_BOUND_SIZE        (UINT64_MAX - 41) /* size operand */
#define ZL_BOUND_VALUES      (UINT64_MAX - 42) /* packed values that stay together */
#define ZL_BOUND_ASYNC_WIDTH (UINT64_MAX - 43) /* the least width of st.async that is no less */
#define ZL_BOUND_PENDING     (UINT64_MAX - 44) /* arrivals that a phase awaits */
#define ZL_BOUND_PENDING_LESS (UINT64_MAX - 45)
#define ZL_BOUND_STATIC      (UINT64_MAX - 46) /* of static shared memory */
#define ZL_BOUND_SIDE        (UINT64_MAX - 47) /* of the cluster along a dimension */
#define ZL_BOUND_POOL        (UINT64_MAX - 48) /* registers of a block at launch */
#define ZL_BOUND_LEAST       (UINT64_MAX - 49) /* of a field of tensormap.replace */
#define ZL_BOUND_MOST        (UINT64_MAX - 50)
#define ZL_BOUND_MULTIPLE    (UINT64_MAX - 51)
#define ZL_BOUND_THREADS     (UINT64_MAX - 52) /* what the target gives a block or a thread */
#define ZL_BOUND_REGISTERS   (UINT64_MAX - 53)
#define ZL_BOUND_FILE        (UINT64_MAX - 54)
#define ZL_BOUND_PORTABLE    (UINT64_MAX - 55)
#define ZL_BOUND_CLUSTER     (UINT64_MAX - 56)

/* Of instruction forms. */
#define ZL_BOUND_FORM_PTX     (UINT64_MAX - 96) /* the oldest PTX version that has the form */
#define ZL_BOUND_TARGET_PTX   (UINT64_MAX - 97) /* that knows the target */
#define ZL_BOUND_PTX_KNOWN    (UINT64_MAX - 98) /* the nearest version that there is */
#define ZL_BOUND_SAID_PTX     (UINT64_MAX - 100) /* the same by the documents, where later */
#define ZL_BOUND_ELEMTYPE     (UINT64_MAX - 101) /* the last that tensormap.replace takes */
#define ZL_BOUND_SWIZZLE      (UINT64_MAX - 102) /* the same */
#define ZL_BOUND_POWER_OF_TWO (UINT64_MAX - 99) /* the least that is no less */
/* Of instructions of gfx targets: the last first SGPR and VGPR of n, and offsets. */
#define ZL_BOUND_SGPR(n)      (UINT64_MAX - 800 - (n))
#define ZL_BOUND_VGPR(n)      (UINT64_MAX - 810 - (n))
#define ZL_BOUND_BUFFER       (UINT64_MAX - 820)
#define ZL_BOUND_BUFFER_TAKEN (UINT64_MAX - 821)
#define ZL_BOUND_GLOBAL_LEAST (UINT64_MAX - 822)
#define ZL_BOUND_GLOBAL_LAST  (UINT64_MAX - 823)
/* Of a tensor descriptor: a tile along a dimension, and the rows that a gather may name. */
#define ZL_BOUND_TDM_TILE_LEAST (UINT64_MAX - 880)
#define ZL_BOUND_TDM_TILE_MOST  (UINT64_MAX - 881)
#define ZL_BOUND_TDM_ROWS       (UINT64_MAX - 882)
#define ZL_BOUND_TDM_REPEATS    (UINT64_MAX - 883)
/* Of the bits of a descriptor: the most that the field of a quantity may be. */
#define ZL_BOUND_ROOM(quantity) (UINT64_MAX - 900 - (uint64_t)(quantity))
/* Of the nearest form of mfma; these stand side by side. */
#define ZL_BOUND_MFMA_A       (UINT64_MAX - 700)
#define ZL_BOUND_MFMA_B       (UINT64_MAX - 701)
#define ZL_BOUND_MFMA_D       (UINT64_MAX - 702)
#define ZL_BOUND_MFMA_SPARSE  (UINT64_MAX - 703)
#define ZL_BOUND_MFMA_SCALE   (UINT64_MAX - 704)
#define ZL_BOUND_MFMA_M       (UINT64_MAX - 705)
#define ZL_BOUND_MFMA_N       (UINT64_MAX - 706)
#define ZL_BOUND_MFMA_K       (UINT64_MAX - 707)
#define ZL_BOUND_MFMA_BLOCKS  (UINT64_MAX - 708)
#define ZL_BOUND_MFMA_NEGATE  (UINT64_MAX - 709)
#define ZL_BOUND_MFMA_LAST    (UINT64_MAX - 710) /* saturation */

/* Of the operands of a matrix instruction. */
#define ZL_BOUND_OPERANDS_A        (UINT64_MAX - 730)
#define ZL_BOUND_OPERANDS_B        (UINT64_MAX - 731)
#define ZL_BOUND_OPERANDS_C        (UINT64_MAX - 732)
#define ZL_BOUND_OPERANDS_D        (UINT64_MAX - 733)
#define ZL_BOUND_OPERANDS_FILES    (UINT64_MAX - 734)
#define ZL_BOUND_OPERANDS_D_FILE   (UINT64_MAX - 735)
#define ZL_BOUND_OPERANDS_CBSZ     (UINT64_MAX - 736)
#define ZL_BOUND_OPERANDS_ABID     (UINT64_MAX - 737)
#define ZL_BOUND_OPERANDS_BLGP     (UINT64_MAX - 738)
#define ZL_BOUND_OPERANDS_TAKEN    (UINT64_MAX - 739)
#define ZL_BOUND_OPERANDS_A_FORMAT (UINT64_MAX - 740)
#define ZL_BOUND_OPERANDS_B_FORMAT (UINT64_MAX - 741)

typedef struct zl_rule {
    int32_t number;
    const char *id;
    zl_quantity quantity;
    int32_t relation;
    uint64_t lo, hi;
    zl_guard when;
    int32_t by;
    uint32_t noted; /* classes: by document where a measurement refutes it, by practice narrower than
                       the ISA's text */
    int32_t field;
    uint32_t targets; /* classes */
    int32_t keeps;
    const char *source, *text;
} zl_rule;

extern const zl_rule zl_rules[];
extern const size_t zl_rules_count;

/* What is judged: a value, and the form that answers for it. */
typedef struct zl_subject_form zl_subject_form;
typedef struct zl_subject {
    const zl_subject_form *form;
    const zlay_target *target;
    const void *value; /* what the form reads */
} zl_subject;

/* What one kind of subject answers. NULL stands for: no guards, no bounds that are no constant, one entry of
 * everything, no constants of instructions, never strict. */
struct zl_subject_form {
    zl_subject_kind kind;
    uint64_t (*value)(zl_quantity quantity, const zl_subject *subject, uint32_t i);
    uint32_t (*count)(zl_entries entries, const zl_subject *subject);
    bool (*guard)(zl_guard guard, const zl_subject *subject);
    uint64_t (*bound)(uint64_t bound, const zl_subject *subject, uint32_t i);
    void (*fix)(zlay_reason *reason, const zl_rule *rule, const zl_subject *subject);
    bool (*given)(zl_quantity quantity, const zl_subject *subject); /* the constant was given */
    bool (*strict)(const zl_subject *subject); /* noted rows refuse too */
};

/* Called for every row that applies: the reason as it stands, and whether the rule holds. */
typedef void zl_seen(void *arg, const zlay_reason *reason, bool held);
void zl_walk(const zl_subject *subject, zl_seen *seen, void *arg);
/* The same, without looking for repairs. */
void zl_walk_bare(const zl_subject *subject, zl_seen *seen, void *arg);

/* What the rules of one entry of a field leave: lo <= value <= hi, a multiple of unit. */
typedef struct zl_range {
    uint64_t lo, hi, unit;
} zl_range;

/* Why a broken row would refuse nothing: ZLAY_NOTED_*, or 0. */
int32_t zl_noted(const zl_rule *rule, const zl_subject *subject);

/* The first `room` reasons of rows that are known to apply and to be broken: bit `row % 64` of word
 * `row / 64` of the marks says so of a row. */
void zl_reasons(zlay_reason *reasons, size_t room, const zl_subject *subject, const uint64_t *marks,
                size_t words);

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

static inline bool zl_relation_holds(int32_t relation, uint64_t value, uint64_t lo, uint64_t hi)
{
    switch (relation) {
    case ZLAY_REL_RANGE: return value >= lo && value <= hi;
    case ZLAY_REL_MULTIPLE: return lo && value % lo == 0;
    case ZLAY_REL_SIGNED:
        return (int64_t)value >= (int64_t)lo && (int64_t)value <= (int64_t)hi;
    default: return value == lo;
    }
}

/* Negative numbers saturate, so that a range refuses them. */
uint64_t zl_number(int32_t value);
/* Whether the question asks that noted rows refuse too. */
bool zl_strict(const zl_subject *subject);
bool zl_all_zero(const uint32_t *words, size_t count);

/* Every check: a walk over the rules of a subject that keeps what is broken. `driver`: the measured
 * driver's own verdict is part of the head. */
zlay_status zl_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                     const zl_subject *subject, bool driver);

/* What every refusing rule of a reason's entry and its own allow, and what its own alone does. */
typedef struct zl_ranges {
    zl_range all, own;
} zl_ranges;
zl_ranges zl_fix_ranges(const zlay_reason *reason, const zl_subject *subject);

/* The nearest value that all allow, from `floor` on where there is one; where they exclude each
 * other, that of the reason's rule alone. False: it has none. */
bool zl_fix_within(uint64_t *out, const zlay_reason *reason, const zl_ranges *of, uint64_t floor);

/* Repairs that most fields share: the nearest legal value; the next multiple or that value. */
void zl_give(zlay_reason *reason, int32_t keeps, uint64_t value, uint64_t split);
bool zl_fix_nearest(uint64_t *out, const zlay_reason *reason, const zl_subject *subject,
                    uint64_t floor);
void zl_fix_value(zlay_reason *reason, int32_t keeps, const zl_subject *subject, uint64_t floor);
void zl_fix_plain(zlay_reason *reason, const zl_rule *rule, const zl_subject *subject);

/* The repair of one broken rule, into reason->fix_*. */
void zl_fix(zlay_reason *reason, const zl_rule *rule, const zl_subject *subject);

#endif
