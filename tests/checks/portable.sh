#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/portable/cmocka.h: an assertion that holds passes, each that does not fails its test and no other, and a
# skipped test is neither; with cmocka itself the same program says the same.
. tests/tap.sh

cat > "$tap_dir/program.c" <<'EOF'
#include "test.h"
#include <string.h>

static int begin(void **state) { *state = (void *)"group"; return 0; }
static int refuse(void **state) { (void)state; return 1; }
static int spoil(void **state) { (void)state; fail_msg("late"); return 0; }
static void holds(void **state)
{
    const char a[] = "text", b[] = "text";
    assert_string_equal(*state, "group");
    assert_string_equal(a, b);
    assert_string_not_equal(a, "other");
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, "Text", 4);
    assert_int_equal(-1, -1);
    assert_int_not_equal(1, 2);
    assert_in_range(3, 3, 3);
    assert_ptr_equal(a, a);
    assert_null(NULL);
    assert_non_null(a);
    assert_true(a[0]);
    assert_false(0);
}
static void skipped(void **state) { (void)state; skip(); }
static void left_out(void **state) { (void)state; }
#define FAILS(name, assertion) static void name(void **state) { (void)state; assertion; }
FAILS(of_int, assert_int_equal(INT64_C(1) << 40, 0))
FAILS(of_not, assert_int_not_equal(7, 7))
FAILS(of_range_low, assert_in_range(2, 3, 4))
FAILS(of_range_high, assert_in_range(5, 3, 4))
FAILS(of_string, assert_string_equal("a", "ab"))
FAILS(of_no_string, assert_string_not_equal("a", "a"))
FAILS(of_memory, assert_memory_equal("ab", "ac", 2))
FAILS(of_no_memory, assert_memory_not_equal("ab", "ac", 1))
FAILS(of_true, assert_true(strlen("")))
FAILS(of_false, assert_false(1))
FAILS(of_null, assert_null(state))
FAILS(of_non_null, assert_non_null(NULL))
FAILS(of_pointer, assert_ptr_equal(state, NULL))
FAILS(of_message, fail_msg("%d", 1))
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_int), cmocka_unit_test(of_not), cmocka_unit_test(of_range_low),
        cmocka_unit_test(of_range_high), cmocka_unit_test(of_string), cmocka_unit_test(of_no_string),
        cmocka_unit_test(of_memory), cmocka_unit_test(of_no_memory), cmocka_unit_test(of_true),
        cmocka_unit_test(of_false), cmocka_unit_test(of_null), cmocka_unit_test(of_non_null),
        cmocka_unit_test(of_pointer), cmocka_unit_test(of_message), cmocka_unit_test(skipped),
        cmocka_unit_test_setup_teardown(left_out, refuse, NULL),
        cmocka_unit_test_setup_teardown(left_out, NULL, spoil), cmocka_unit_test(holds),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
EOF

# `ok`, `not ok` or `skip` of each test in order.
answers() {
    "$@" 2>/dev/null | sed -n 's/^\(not \)*ok .*# *SKIP.*/skip/p; t
s/^not ok .*/not ok/p; t
s/^ok .*/ok/p' | tr '\n' ','
}
expected=$(i=0; while [ $i -lt 14 ]; do printf 'not ok,'; i=$((i + 1)); done; echo 'skip,not ok,not ok,ok,')

ours() {
    "$CC" -std=c11 -Wall -Wextra -Werror -Itests/portable -Itests/support -o "$tap_dir/ours" "$tap_dir/program.c" || return 1
    answers "$tap_dir/ours" > "$tap_dir/said"
    cat "$tap_dir/said"
    [ "$(cat "$tap_dir/said")" = "$expected" ] && exits 16 "$tap_dir/ours" > /dev/null
}
theirs() {
    "$CC" -std=c11 -Itests/support -o "$tap_dir/theirs" "$tap_dir/program.c" -lcmocka || return 1
    CMOCKA_MESSAGE_OUTPUT=TAP answers "$tap_dir/theirs" > "$tap_dir/said"
    cat "$tap_dir/said"
    [ "$(cat "$tap_dir/said")" = "$expected" ]
}

check "every assertion of tests/portable/cmocka.h can fail, and one that holds passes" ours
check "cmocka says the same of the same program" theirs
exit $tap_failed
