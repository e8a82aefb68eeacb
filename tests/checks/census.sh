#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Nothing is lost unnoticed: objects, programs, tests, checks, data, tables, links, symbols, installed files.
. tests/tap.sh

MAKE="$MAKE" B="$B" tools/census.sh | LC_ALL=C sort > "$tap_dir/now"
LC_ALL=C sort tests/census.list > "$tap_dir/then"
# Lines `kind name: why`.
grep -v '^#' tests/census.gone | sed 's/: .*//' | LC_ALL=C sort > "$tap_dir/gone"

nothing_is_gone() {
    LC_ALL=C comm -23 "$tap_dir/then" "$tap_dir/now" | LC_ALL=C comm -23 - "$tap_dir/gone" > "$tap_dir/lost"
    cat "$tap_dir/lost"
    test ! -s "$tap_dir/lost"
}
all_is_listed() { # run `make generate`
    LC_ALL=C comm -13 "$tap_dir/then" "$tap_dir/now" > "$tap_dir/new"
    cat "$tap_dir/new"
    test ! -s "$tap_dir/new"
}
reasons_are_given() { ! grep -v '^#' tests/census.gone | grep -vE '^[a-z]+ .*: .{10}'; }

check "there is something of every kind" sh -c "test \$(cut -d' ' -f1 '$tap_dir/now' | sort -u | wc -l) -eq 9"
check "nothing of tests/census.list is gone without a reason in tests/census.gone" nothing_is_gone
check "tests/census.list has all that there is" all_is_listed
check "each line of tests/census.gone says why" reasons_are_given
exit $tap_failed
