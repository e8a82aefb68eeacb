/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a rule that a walk asks: the value that was found, the bound, what enforces it, and of one that is broken the least
 * repair. What plans print for people has these lines. */
#include "rules/rule.h"

static const char *const by_names[] = {"",         "driver",   "documented", "assembler",
                                       "hardware", "practice", "advice"};

static void put_bound(zl_text *out, const zlay_reason *r)
{
    if (r->relation == ZLAY_REL_RANGE)
        zl_putf(out, "in %llu..%llu", (unsigned long long)r->lo, (unsigned long long)r->hi);
    else
        zl_putf(out, "%s %llu", r->relation == ZLAY_REL_MULTIPLE ? "multiple of" : "is",
                (unsigned long long)r->lo);
}

static void put_fix(const zl_rule_lines *at, const zlay_reason *r)
{
    static const char *const keeps[] = {"", "the same bytes in the same places",
                                        "the same bytes, another shared layout",
                                        "the tensor laid out anew", "another path"};
    if (!r->fix_keeps) return;
    zl_putf(at->out, "      repair: %s", zlay_field_name(r->field));
    if (r->index >= 0) zl_putf(at->out, "[%d]", r->index);
    zl_putf(at->out, " = %llu", (unsigned long long)r->fix_value);
    if (r->field == ZLAY_FIELD_STRIDE && at->element)
        zl_putf(at->out, " (leading dimension %llu)", (unsigned long long)r->fix_value / at->element * at->pack);
    if (r->fix_split > 1) zl_putf(at->out, " in %d copies", r->fix_split);
    zl_putf(at->out, "; keeps %s\n", keeps[r->fix_keeps]);
}

/* Prints one rule: holds, noted or broken. */
void zl_rule_line(void *arg, const zlay_reason *r, bool held)
{
    zl_rule_lines *at = arg;
    zlay_rule rule;
    if (zlay_rule_info(&rule, r->rule)) return;
    zl_putf(at->out, "    %-24s %s", rule.id, zlay_field_name(r->field));
    if (r->index >= 0) zl_putf(at->out, "[%d]", r->index);
    zl_putf(at->out, " = %llu, ", (unsigned long long)r->value);
    put_bound(at->out, r);
    zl_putf(at->out, ": %s  (%s: %s)\n",
            held       ? "holds"
            : r->noted ? "noted"
                       : "BROKEN",
            by_names[r->by], rule.source);
    if (!held) put_fix(at, r);
}
