/* SPDX-License-Identifier: Apache-2.0 */
/* Without a text the check under facts says what the check of numbers says: noted rows, conflicts and strictness alike. The
 * subject breaks every row of its kind but those that ask for 1. */
#include "legality.h"
#include "layouts/layout.h"
#include "rules/symbolic/given.h"

#include <string.h>

static uint64_t one(zl_quantity quantity, const zl_subject *s, uint32_t i)
{
    (void)quantity, (void)s, (void)i;
    return 1;
}

static bool always(zl_rule_guard guard, const zl_subject *s)
{
    (void)guard, (void)s;
    return true;
}

static uint64_t none(int32_t name, const zl_subject *s, uint32_t i)
{
    (void)name, (void)s, (void)i;
    return 0;
}

static bool is_strict(const zl_subject *s) { return *(const bool *)s->value; }

static bool no_text(zl_condition *c, const zl_rule *rule, const zl_given *g, uint32_t i)
{
    (void)c, (void)rule, (void)g, (void)i;
    return false;
}

static bool repairs(const zl_given *g, int32_t field)
{
    (void)g, (void)field;
    return true;
}

static void unrepaired(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    (void)r, (void)rule, (void)s;
}

static uint32_t conflicts_of(zlay_ctx *ctx, zl_subject_kind kind, bool strict)
{
    const zl_subject_form subject_form = {.kind = kind, .value = one, .guard = always,
                                          .bound = none, .fix = unrepaired, .strict = is_strict};
    const zl_given_form form = {.entries = "nothing", .asks = no_text, .repairs = repairs};
    const zl_subject subject = {&subject_form, target_of("gfx1250"), &strict};
    zl_given g = {.ctx = ctx, .form = &form, .subject = subject};
    zlay_verdict numeric, symbolic;
    zlay_reason left[64], right[64];
    memset(left, 0, sizeof left);
    memset(right, 0, sizeof right);
    assert_int_equal(zl_check(&numeric, left, ZL_COUNT(left), &subject, false), ZLAY_OK);
    assert_int_equal(zl_given_check(&g, &symbolic, right, ZL_COUNT(right), NULL), ZLAY_OK);
    assert_memory_equal(&numeric, &symbolic, sizeof numeric);
    assert_memory_equal(left, right, sizeof left);
    return symbolic.conflicts;
}

static void conflicts_and_strictness(void **state)
{
    assert_int_equal(conflicts_of(*state, ZL_SUBJECT_TDM, false), 2);
    assert_int_equal(conflicts_of(*state, ZL_SUBJECT_TDM, true), 0);
    assert_true(conflicts_of(*state, ZL_SUBJECT_TCGEN05, false) > 0);
    assert_int_equal(conflicts_of(*state, ZL_SUBJECT_TCGEN05, true), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conflicts_and_strictness)};
    return cmocka_run_group_tests(tests, begin, end);
}
