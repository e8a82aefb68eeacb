/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table, and the walk over it that every check is. */
#include "legality/rule.h"

#include <string.h>

#define ANY_TARGET       (ZL_CLASS_NONE | ZL_CLASS_SM90 | ZL_CLASS_SM100 | ZL_CLASS_SM120)
#define ON_SM90          ZL_CLASS_SM90
#define AFTER_SM90       (ZL_CLASS_SM100 | ZL_CLASS_SM120)
#define SMEM_OF_TARGET   ZL_BOUND_SMEM
#define COPY_WIDTH_BYTES ZL_BOUND_WIDTH
#define BY_DRIVER        ZLAY_BY_DRIVER, 0
#define BY_DOCUMENT      ZLAY_BY_DOCUMENT, 0
#define BY_ASSEMBLER     ZLAY_BY_ASSEMBLER, 0
#define BY_HARDWARE      ZLAY_BY_HARDWARE, 0
#define BY_NOTED         ZLAY_BY_DOCUMENT, 1

const zl_rule zl_rules[] = {
#define RULE(number, id, quantity, relation, lo, hi, when, by, field, targets, keeps, source,      \
             text)                                                                                 \
    {number,                                                                                       \
     #id,                                                                                          \
     ZL_Q_##quantity,                                                                              \
     ZLAY_REL_##relation,                                                                          \
     lo,                                                                                           \
     hi,                                                                                           \
     ZL_G_##when,                                                                                  \
     BY_##by,                                                                                      \
     ZLAY_FIELD_##field,                                                                           \
     targets,                                                                                      \
     ZLAY_KEEPS_##keeps,                                                                           \
     source,                                                                                       \
     text},
#include "legality/rules/tensormap.def"
#include "legality/rules/others.def"
#undef RULE
};
const size_t zl_rules_count = ZL_COUNT(zl_rules);

enum { RULES_VERSION = 1 };

uint32_t zlay_rules_version(void) { return RULES_VERSION; }

zl_subject_kind zl_rule_subject(const zl_rule *rule)
{
    return rule->number < 40   ? ZL_SUBJECT_TMAP
           : rule->number < 50 ? ZL_SUBJECT_DESC
           : rule->number < 60 ? ZL_SUBJECT_MMA
           : rule->number < 70 ? ZL_SUBJECT_SMEM
                               : ZL_SUBJECT_COPY;
}

static uint64_t bound(uint64_t value, const zl_subject *s)
{
    if (value == ZL_BOUND_SMEM) return s->target->smem;
    if (value == ZL_BOUND_WIDTH) return ((const zl_issue *)s->value)->copy->width;
    return value;
}

static bool holds(const zlay_reason *r)
{
    switch (r->relation) {
    case ZLAY_REL_RANGE: return r->value >= r->lo && r->value <= r->hi;
    case ZLAY_REL_MULTIPLE: return r->lo && r->value % r->lo == 0;
    default: return r->value == r->lo;
    }
}

static void walk_rule(const zl_rule *rule, const zl_subject *s, zl_seen *seen, void *arg)
{
    uint32_t count = zl_quantity_count(rule->quantity, s);
    for (uint32_t i = 0; i < count; i++) {
        zlay_reason r;
        memset(&r, 0, sizeof r);
        r.rule = rule->number;
        r.by = rule->by;
        r.noted = rule->noted;
        r.field = rule->field;
        r.index = zl_quantity_indexed(rule->quantity) ? (int32_t)i : -1;
        r.relation = rule->relation;
        r.value = zl_quantity_value(rule->quantity, s, i);
        r.lo = bound(rule->lo, s);
        r.hi = bound(rule->hi, s);
        bool held = holds(&r);
        if (!held) zl_fix(&r, rule, s);
        seen(arg, &r, held);
    }
}

void zl_walk(const zl_subject *subject, zl_seen *seen, void *arg)
{
    for (size_t i = 0; i < zl_rules_count; i++) {
        const zl_rule *rule = &zl_rules[i];
        if (zl_rule_subject(rule) == subject->kind &&
            rule->targets & (uint32_t)subject->target->cls && zl_guard_holds(rule->when, subject))
            walk_rule(rule, subject, seen, arg);
    }
}

static void describe(zlay_rule *out, const zl_rule *rule)
{
    out->number = rule->number;
    out->by = rule->by;
    out->id = rule->id;
    out->text = rule->text;
    out->source = rule->source;
    out->targets = rule->targets == ANY_TARGET ? "any"
                   : rule->targets == ON_SM90  ? "sm_90"
                                               : "sm_100 and later";
}

zlay_status zlay_rule_find(zlay_rule *out, const char *id, size_t length)
{
    if (!out || !id) return ZLAY_EINVAL;
    for (size_t i = 0; i < zl_rules_count; i++)
        if (strlen(zl_rules[i].id) == length && !memcmp(zl_rules[i].id, id, length)) {
            describe(out, &zl_rules[i]);
            return ZLAY_OK;
        }
    return ZLAY_NONE;
}

zlay_status zlay_rule_get(zlay_rule *out, int32_t number)
{
    if (!out) return ZLAY_EINVAL;
    for (size_t i = 0; i < zl_rules_count; i++)
        if (zl_rules[i].number == number) {
            describe(out, &zl_rules[i]);
            return ZLAY_OK;
        }
    return ZLAY_NONE;
}

zlay_status zlay_rule_at(zlay_rule *out, size_t i)
{
    if (!out) return ZLAY_EINVAL;
    if (i >= zl_rules_count) return ZLAY_NONE;
    describe(out, &zl_rules[i]);
    return ZLAY_OK;
}
