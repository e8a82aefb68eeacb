/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are enumerated: what _nth has ends exactly where _count says, and rows of a number from 1 on do. */
#include "ctx.h"

#include <zlay/zlay.h>

static void tables(void **state)
{
    zlay_rule rule;
    int32_t access;
    uint32_t form;
    (void)state;
    assert_true(zlay_target_count() && zlay_rule_count() && zlay_bank_count() && zlay_instruction_count());
    assert_true(zlay_limit_count() && zlay_factor_desc_count());
    for (size_t i = 0; i < zlay_target_count(); i++) assert_non_null(zlay_target_nth(i));
    assert_null(zlay_target_nth(zlay_target_count()));
    for (size_t i = 0; i < zlay_limit_count(); i++) assert_non_null(zlay_limit_nth(i));
    assert_null(zlay_limit_nth(zlay_limit_count()));
    for (size_t i = 0; i < zlay_factor_desc_count(); i++) assert_non_null(zlay_factor_desc_nth(i));
    assert_null(zlay_factor_desc_nth(zlay_factor_desc_count()));
    for (size_t i = 0; i < zlay_rule_count(); i++) assert_int_equal(zlay_rule_nth(&rule, i), ZLAY_OK);
    assert_int_equal(zlay_rule_nth(&rule, zlay_rule_count()), ZLAY_NONE);
    for (size_t i = 0; i < zlay_bank_count(); i++) assert_int_equal(zlay_bank_nth(&access, i), ZLAY_OK);
    assert_int_equal(zlay_bank_nth(&access, zlay_bank_count()), ZLAY_NONE);
    for (size_t i = 0; i < zlay_instruction_count(); i++) assert_int_equal(zlay_instruction_nth(&form, i), ZLAY_OK);
    assert_int_equal(zlay_instruction_nth(&form, zlay_instruction_count()), ZLAY_NONE);
}

static void rows(void **state)
{
    zlay_pipe_rule rule;
    zlay_tmem_row row;
    (void)state;
    assert_true(zlay_pipe_rule_count() > 0 && zlay_tmem_row_count() > 0);
    for (int32_t i = 1; i <= zlay_pipe_rule_count(); i++) assert_int_equal(zlay_pipe_rule_info(&rule, i), ZLAY_OK);
    assert_int_equal(zlay_pipe_rule_info(&rule, zlay_pipe_rule_count() + 1), ZLAY_NONE);
    for (uint32_t i = 1; i <= zlay_tmem_row_count(); i++) assert_int_equal(zlay_tmem_row_info(&row, i), ZLAY_OK);
    assert_int_equal(zlay_tmem_row_info(&row, zlay_tmem_row_count() + 1), ZLAY_NONE);
}

static void facts(void **state)
{
    zlay_facts *facts;
    zlay_range range;
    static const char *const texts[] = {"M mod 8 = 0", "K <= 9"};
    static const size_t lengths[] = {11, 6};
    assert_int_equal(zlay_facts_parse(*state, &facts, 2, texts, lengths), ZLAY_OK);
    assert_int_equal(zlay_facts_count(facts), 2);
    assert_non_null(zlay_facts_nth(&range, facts, 1));
    assert_null(zlay_facts_nth(&range, facts, 2));
    zlay_facts_free(facts);
    assert_int_equal(zlay_facts_count(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables), cmocka_unit_test(rows), cmocka_unit_test(facts)};
    return cmocka_run_group_tests(tests, begin, end);
}
