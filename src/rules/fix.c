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

bool zl_fix_within(uint64_t *out, const zlay_reason *r, zl_field_range refusing, uint64_t floor)
{
    zl_field_range own = ZL_RANGE_ALL;
    zl_narrow(&own, r->relation, r->lo, r->hi);
    zl_narrow(&refusing, r->relation, r->lo, r->hi);
    return zl_nearest(out, r->value, floor, refusing) || zl_nearest(out, r->value, 0, refusing) ||
           zl_nearest(out, r->value, 0, own);
}

bool zl_fix_nearest(uint64_t *out, const zlay_reason *r, const zl_subject *s, uint64_t floor)
{
    return zl_fix_within(out, r, zl_range_of(s, r->field, r->index), floor);
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
