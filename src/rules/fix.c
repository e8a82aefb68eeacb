/* SPDX-License-Identifier: Apache-2.0 */
/* The repair of one broken rule: the nearest value of its field that meets the rule, how many
 * issues it then takes, and what it keeps. */
#include "rules/rule.h"

void zl_give(zlay_reason *r, int32_t keeps, uint64_t value, uint64_t split)
{
    r->fix_keeps = keeps;
    r->fix_value = value;
    r->fix_split = split > INT32_MAX ? INT32_MAX : (int32_t)split;
}

static void narrow(zl_range *range, const zlay_reason *r)
{
    if (r->relation == ZLAY_REL_MULTIPLE) {
        if (r->lo > range->unit) range->unit = r->lo;
        return;
    }
    uint64_t hi = r->relation == ZLAY_REL_EQUAL ? r->lo : r->hi;
    if (r->lo > range->lo) range->lo = r->lo;
    if (hi < range->hi) range->hi = hi;
}

zl_ranges zl_fix_ranges(const zlay_reason *r, const zl_subject *s)
{
    zl_ranges of = {zl_range_of(s, r->field, r->index), {0, UINT64_MAX, 1}};
    narrow(&of.all, r);
    narrow(&of.own, r);
    return of;
}

bool zl_fix_within(uint64_t *out, const zlay_reason *r, const zl_ranges *of, uint64_t floor)
{
    return zl_nearest(out, r->value, floor, of->all) || zl_nearest(out, r->value, 0, of->all) ||
           zl_nearest(out, r->value, 0, of->own);
}

bool zl_fix_nearest(uint64_t *out, const zlay_reason *r, const zl_subject *s, uint64_t floor)
{
    zl_ranges of = zl_fix_ranges(r, s);
    return zl_fix_within(out, r, &of, floor);
}

void zl_fix_value(zlay_reason *r, int32_t keeps, const zl_subject *s, uint64_t floor)
{
    uint64_t value;
    if (zl_fix_nearest(&value, r, s, floor)) zl_give(r, keeps, value, 1);
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    uint64_t more = unit - 1;
    return value > UINT64_MAX - more ? value / unit * unit : (value + more) / unit * unit;
}

void zl_fix_plain(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    if (r->relation == ZLAY_REL_MULTIPLE && r->lo)
        zl_give(r, rule->keeps, round_up(r->value, r->lo), 1);
    else if (r->relation != ZLAY_REL_MULTIPLE) zl_fix_value(r, rule->keeps, s, 0);
}

void zl_fix_own(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    if (zl_quantity_field(rule->quantity) == rule->field) zl_fix_plain(r, rule, s);
}
