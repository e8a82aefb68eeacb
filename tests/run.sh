#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run.sh PROGRAM...: run test programs and check scripts, all of which speak TAP, and sum up.
# A program that ends badly without saying which test failed counts as one failure.
# tests/skips lists the tests that a machine may lack the means for; with CI=true no other may be skipped.
set -u
B=${B:-build}
log=$B/test.log
: > "$log"
passed=0 failed=0 skipped=0 skips= unexcused=0

count() { printf '%s\n' "$out" | grep -c "$1"; }

one() {
    out=$(CMOCKA_MESSAGE_OUTPUT=TAP "$1" 2>&1)
    rc=$?
    name=$(basename "$1" .sh)
    printf '== %s (exit %s)\n%s\n' "$name" "$rc" "$out" >> "$log"
    # cmocka 1.1 calls a skipped test `not ok N # SKIP name`.
    skip=$(count '^\(not \)\?ok .*# *SKIP')
    bad=$(($(count '^not ok ') - $(count '^not ok .*# *SKIP')))
    good=$(($(count '^ok ') - $(count '^ok .*# *SKIP')))
    [ "$rc" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
    [ "$good" -gt 0 ] || [ "$skip" -gt 0 ] || [ "$bad" -gt 0 ] || bad=1
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + skip))
    printf '%-28s %5d passed' "$name" "$good"
    [ "$bad" -gt 0 ] && printf ', %d FAILED' "$bad"
    [ "$skip" -gt 0 ] && printf ', %d skipped' "$skip"
    printf '\n'
    [ "$bad" -gt 0 ] && printf '%s\n' "$out" | tail -n 60
    [ "$skip" -gt 0 ] && note_skips
}

note_skips() {
    reason=$(sed -n "s/^$name  *//p" tests/skips)
    [ -n "$reason" ] || unexcused=$((unexcused + skip))
    skips="$skips
  $name: ${reason:-no reason is listed in tests/skips}"
}

for program in "$@"; do one "$program"; done

[ "${CI:-}" = true ] && [ "$unexcused" -gt 0 ] && failed=$((failed + unexcused))
printf '\nlog: %s\n%d skipped:%s\n%d passed, %d failed\n' "$log" "$skipped" "$skips" "$passed" "$failed"
[ "$failed" -eq 0 ]
