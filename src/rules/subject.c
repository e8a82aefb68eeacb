/* SPDX-License-Identifier: Apache-2.0 */
/* What rules ask of a subject, handed to its form. */
#include "rules/bounds.h"
#include "rules/rule.h"

#include <string.h>

static const struct {
    zl_subject_kind subject;
    int32_t field;
    zl_entries entries;
} quantities[] = {
#define QUANTITY(name, subject, field, entries)                                                    \
    {ZL_SUBJECT_##subject, ZLAY_FIELD_##field, ZL_ENTRIES_##entries},
#include "rules/quantities.def"
#undef QUANTITY
};

uint64_t zl_number(int32_t value) { return value < 0 ? UINT64_MAX : (uint64_t)value; }

bool zl_strict(const zl_subject *s) { return s->form->strict && s->form->strict(s); }

zl_subject_kind zl_quantity_subject(zl_quantity q) { return quantities[q].subject; }
int32_t zl_quantity_field(zl_quantity q) { return quantities[q].field; }

bool zl_quantity_indexed(zl_quantity q)
{
    zl_entries e = quantities[q].entries;
    return e >= ZL_ENTRIES_FIRST && e <= ZL_ENTRIES_ASKING;
}

uint32_t zl_quantity_count(zl_quantity q, const zl_subject *s)
{
    zl_entries e = quantities[q].entries;
    if (e == ZL_ENTRIES_CONSTANT) return s->form->given(q, s);
    if (e <= ZL_ENTRIES_ONE || !s->form->count) return e != ZL_ENTRIES_NEVER;
    return s->form->count(e, s);
}

uint64_t zl_quantity_value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    return s->form->value(q, s, i);
}

static uint64_t target_bound(zl_target_bound name, const zlay_target *target)
{
    switch (name) {
    case SMEM_OF_TARGET: return target->smem;
    case SMEM_WINDOW: return zl_smem_window(target);
    default: return zl_target_limits(target)->threads;
    }
}

uint64_t zl_bound(uint64_t bound, const zl_subject *s, uint32_t i)
{
    if (!zl_bound_named(bound)) return bound;
    int32_t name = zl_bound_name(bound);
    if (name < (int32_t)ZL_BOUNDS_OF_SUBJECT) return target_bound((zl_target_bound)name, s->target);
    return s->form->bound(name, s, i);
}

bool zl_guard_holds(zl_rule_guard guard, const zl_subject *s)
{
    return guard == ZL_G_ALWAYS || s->form->guard(guard, s);
}

void zl_fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    s->form->fix(r, rule, s);
}
