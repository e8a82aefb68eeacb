#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run.sh PROGRAM...: run test programs and check scripts, all of which speak TAP, and sum up.
# A program that ends badly without saying which test failed counts as one failure. They run JOBS at once (as many
# as there are processors), those of tests/first before the others; they are told of in the order given.
# RUN is put before each program: what runs a program of another machine.  The log has the user time of each.
# tests/skips lists the tests that a machine may lack the means for; with CI=true no other may be skipped.
set -u
B=${B:-build}
log=$B/test.log
export RUN="${RUN:-}"
: > "$log"
passed=0 failed=0 skipped=0 skips= unexcused=0

results=$(mktemp -d)
jobs=${JOBS:-$(nproc 2>/dev/null || echo 1)}

finish() {
    kill "$runner" 2>/dev/null
    rm -rf "$results"
}

# A program is known by its path below tests/: its results, its skips and its line here are told apart by that.
named() {
    name=${1%.sh}
    case $name in
    tests/*) name=${name#tests/} ;;
    "$B"/portable/*) name=${name#"$B"/portable/} ;;
    "$B"/tests/*) name=${name#"$B"/tests/} ;;
    esac
}

# Those of tests/first in its order, then the others: what takes longest begins first, or it would be left over on one
# processor.
first() {
    {
        printf 'given %s\n' "$@"
        grep -v '^#' tests/first | while read -r name; do printf 'early %s\n' "$B/tests/$name" "tests/$name.sh"; done
        printf 'late %s\n' "$@"
    } | awk '$1 == "given" {given[$2] = 1; next} $2 in given && !told[$2]++ {print $2}'
}

# What each program prints and its exit status become files; the status is there when it has ended.
start() {
    first "$@" | while read -r program; do
        named "$program"
        printf '%s %s\n' "$program" "$results/$name"
    done | xargs -P "$jobs" -n 2 sh -c '
        name=$2
        mkdir -p "$(dirname "$name")"
        case $1 in
        *.sh) "$1" > "$name.out" 2>&1 ;;
        *) CMOCKA_MESSAGE_OUTPUT=TAP $RUN "$1" > "$name.out" 2>&1 ;;
        esac
        echo $? > "$name.new"
        times > "$name.time"
        mv "$name.new" "$name.status"' sh &
    runner=$!
    trap finish EXIT
    trap 'exit 1' INT TERM
}

# Sets out and rc.
ended() {
    result=$results/$name
    while [ ! -e "$result.status" ]; do
        kill -0 "$runner" 2>/dev/null || [ -e "$result.status" ] || break
        sleep 0.05
    done
    out=$(cat "$result.out" 2>/dev/null)
    rc=$(cat "$result.status" 2>/dev/null || echo 127)
    took=$(sed -n '2s/ .*//p' "$result.time" 2>/dev/null)
}

count() { printf '%s\n' "$out" | grep -c "$1"; }

one() {
    named "$1"
    ended
    printf '== %s (exit %s%s)\n%s\n' "$name" "$rc" "${took:+, user time $took}" "$out" >> "$log"
    # cmocka 1.1 calls a skipped test `not ok N # SKIP name`.
    skip=$(count '^\(not \)\?ok .*# *SKIP')
    bad=$(($(count '^not ok ') - $(count '^not ok .*# *SKIP')))
    good=$(($(count '^ok ') - $(count '^ok .*# *SKIP')))
    [ "$rc" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
    [ "$good" -gt 0 ] || [ "$skip" -gt 0 ] || [ "$bad" -gt 0 ] || bad=1
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + skip))
    printf '%-40s %5d passed' "$name" "$good"
    [ "$bad" -gt 0 ] && printf ', %d FAILED' "$bad"
    [ "$skip" -gt 0 ] && printf ', %d skipped' "$skip"
    printf '\n'
    [ "$bad" -gt 0 ] && printf '%s\n' "$out" | tail -n 60
    [ "$skip" -gt 0 ] && note_skips
}

note_skips() {
    reason=$(sed -n "s|^$name  *||p" tests/skips)
    [ -n "$reason" ] || unexcused=$((unexcused + skip))
    skips="$skips
  $name: ${reason:-no reason is listed in tests/skips}"
}

start "$@"
for program in "$@"; do one "$program"; done

[ "${CI:-}" = true ] && [ "$unexcused" -gt 0 ] && failed=$((failed + unexcused))
printf '\nlog: %s\n%d skipped:%s\n%d passed, %d failed\n' "$log" "$skipped" "$skips" "$passed" "$failed"
[ "$failed" -eq 0 ]
