#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every rule that there is stands by its id in a test, or in the data of one.
. tests/tap.sh

# Documented and refuted by an H200: the row only says so, and nothing breaks it.
said_only='DESC_ROW'

ids() { grep -E '^[0-9]+ ' tests/rules.list | cut -d' ' -f2; }
words() { cat $(find tests -name '*.c' -o -name '*.h' -o -name '*.def') | grep -oE '[A-Z][A-Z0-9]*(_[A-Z0-9]+)+' | sort -u; }

every_rule_is_tested() {
    ids | grep -vxE "$said_only" | sort > "$tap_dir/ids"
    words > "$tap_dir/words"
    test -s "$tap_dir/ids" && comm -23 "$tap_dir/ids" "$tap_dir/words" > "$tap_dir/bare"
    cat "$tap_dir/bare"
    test ! -s "$tap_dir/bare"
}

exceptions_are_rules() { for id in $said_only; do ids | grep -qx "$id" || return 1; done; }

check "every rule stands in a test" every_rule_is_tested
check "what is left out is a rule" exceptions_are_rules
exit $tap_failed
