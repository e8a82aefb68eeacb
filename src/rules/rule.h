/* SPDX-License-Identifier: Apache-2.0 */
/* Rules as rows, the subjects that they judge, and the questions that checks, repairs and plans put to them. */
#ifndef ZL_RULE_H
#define ZL_RULE_H

#include <zlay/rule.h>

#include "base/base.h"
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

typedef enum zl_rule_guard {
#define GUARD(name) ZL_G_##name,
#include "rules/guards.def"
#undef GUARD
} zl_rule_guard;

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

typedef struct zl_rule {
    int32_t number;
    const char *id;
    zl_quantity quantity;
    int32_t relation;
    uint64_t lo, hi; /* numbers, or names of bounds.h */
    zl_rule_guard when;
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
    bool (*guard)(zl_rule_guard guard, const zl_subject *subject);
    uint64_t (*bound)(int32_t name, const zl_subject *subject, uint32_t i); /* of its own enum, in bounds.h */
    void (*fix)(zlay_reason *reason, const zl_rule *rule, const zl_subject *subject);
    bool (*given)(zl_quantity quantity, const zl_subject *subject); /* the constant was given */
    bool (*strict)(const zl_subject *subject); /* noted rows refuse too */
};

/* Called for every row that applies: the reason as it stands, and whether the rule holds. */
typedef void zl_row_seen(void *arg, const zlay_reason *reason, bool held);
void zl_walk(const zl_subject *subject, zl_row_seen *seen, void *arg);
/* Prints a line for a row that is seen, and one for its repair: `element` has the bytes of an element, of which `pack` lie in
 * it, so that the repair of a stride says a leading dimension; 0: it says none. */
typedef struct zl_rule_lines {
    zl_text *out;
    uint32_t element, pack;
} zl_rule_lines;
zl_row_seen zl_rule_line; /* its arg is a zl_rule_lines */
/* The same, without looking for repairs. */
void zl_walk_bare(const zl_subject *subject, zl_row_seen *seen, void *arg);

/* Called for every entry of every row that is about such a subject, on its target, where its guard
 * holds; a status that is not ZLAY_OK ends the walk. */
typedef zlay_status zl_row_visit(void *arg, const zl_rule *rule, const zl_subject *subject,
                                 uint32_t i);
zlay_status zl_rows_visit(const zl_subject *subject, zl_row_visit *visit, void *arg);

/* What a reason says of a row before its value is known. */
void zl_reason_start(zlay_reason *out, const zl_rule *rule, const zl_subject *subject, uint32_t i);

/* The broken rows of a check: the first `room` of them, and what the head says of all. */
typedef struct zl_collector {
    zlay_verdict verdict;
    zlay_reason *reasons;
    size_t room;
    bool by_driver;
} zl_collector;
void zl_collect(zl_collector *c, const zlay_reason *broken);

/* What the rules of one entry of a field leave: lo <= value <= hi, a multiple of unit. Units are
 * powers of two, so the greatest is the common multiple. */
typedef struct zl_field_range {
    uint64_t lo, hi, unit;
} zl_field_range;

#define ZL_RANGE_ALL ((zl_field_range){0, UINT64_MAX, 1})

static inline void zl_narrow(zl_field_range *range, int32_t relation, uint64_t lo, uint64_t hi)
{
    if (relation == ZLAY_REL_MULTIPLE) {
        if (lo > range->unit) range->unit = lo;
        return;
    }
    if (relation == ZLAY_REL_EQUAL) hi = lo;
    if (lo > range->lo) range->lo = lo;
    if (hi < range->hi) range->hi = hi;
}

/* Why a broken row would refuse nothing: ZLAY_NOTED_*, or 0. */
int32_t zl_noted(const zl_rule *rule, const zl_subject *subject);

/* The first `room` reasons of rows that are known to apply and to be broken: bit `row % 64` of word
 * `row / 64` of the marks says so of a row. */
void zl_reasons(zlay_reason *reasons, size_t room, const zl_subject *subject, const uint64_t *marks,
                size_t words);

/* Whether every refusing rule of a field's entry holds; index -1 asks the rules without index. */
bool zl_holds(const zl_subject *subject, int32_t field, int32_t index);
zl_field_range zl_range_of(const zl_subject *subject, int32_t field, int32_t index);

/* The value of a range that is nearest, the greater of two, and no less than `floor`; false:
 * none. */
bool zl_nearest(uint64_t *out, uint64_t value, uint64_t floor, zl_field_range range);

zl_subject_kind zl_quantity_subject(zl_quantity quantity);
int32_t zl_quantity_field(zl_quantity quantity);
bool zl_quantity_indexed(zl_quantity quantity);
uint32_t zl_quantity_count(zl_quantity quantity, const zl_subject *subject);
uint64_t zl_quantity_value(zl_quantity quantity, const zl_subject *subject, uint32_t i);
uint64_t zl_bound(uint64_t bound, const zl_subject *subject, uint32_t i);
bool zl_guard_holds(zl_rule_guard guard, const zl_subject *subject);

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

/* Every check: a walk over the rules of a subject that keeps what is broken. `driver`: the measured
 * driver's own verdict is part of the head. */
zlay_status zl_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                     const zl_subject *subject, bool driver);

/* The nearest value that a reason's rule and the refusing rules of its entry allow, from `floor` on
 * where there is one; where they exclude each other, that of the reason's rule alone. False: it has
 * none. */
bool zl_fix_within(uint64_t *out, const zlay_reason *reason, zl_field_range refusing,
                   uint64_t floor);

/* Repairs that most fields share: the nearest legal value; the next multiple or that value. */
void zl_give(zlay_reason *reason, int32_t keeps, uint64_t value, uint64_t split);
bool zl_fix_nearest(uint64_t *out, const zlay_reason *reason, const zl_subject *subject,
                    uint64_t floor);
void zl_fix_value(zlay_reason *reason, int32_t keeps, const zl_subject *subject, uint64_t floor);
void zl_fix_plain(zlay_reason *reason, const zl_rule *rule, const zl_subject *subject);

/* The same where the quantity is one field: what several fields make has no one value to repair. */
void zl_fix_own(zlay_reason *reason, const zl_rule *rule, const zl_subject *subject);

/* The repair of one broken rule, into reason->fix_*. */
void zl_fix(zlay_reason *reason, const zl_rule *rule, const zl_subject *subject);

#endif
