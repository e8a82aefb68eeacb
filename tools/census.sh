#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/census.sh: everything that the project has and must not lose unnoticed, a line each, `kind name`, sorted.
# B names the folder of a finished `make all`. tests/census.list is what it printed last (`make generate`); the check
# tests/checks/census.sh fails when a line of it is gone and tests/census.gone gives no reason.
set -u
B=${B:-build}
each() { sed "s|^|$1 |"; }

find src -name '*.c' | each object
{
    echo zlay
    echo zlay-bench
    find tests/device -name 'device_*.c' | sed 's|.*/device_|device-|; s/\.c$//'
} | each program
find tests -name '*.c' ! -path 'tests/support/*' | sort | xargs awk '
    { line = $0; while (match(line, /cmocka_unit_test[a-z_]*\([a-z_A-Z0-9]+/)) {
        name = substr(line, RSTART, RLENGTH); sub(/.*\(/, "", name); seen[FILENAME " " name]++
        line = substr(line, RSTART + RLENGTH) } }
    END { for (test in seen) print test, seen[test] }' | sed 's|^tests/||' | each test
grep -oE '^ +def test_\w+' tests/python/*.py | sed 's|^tests/||; s|: *def | |' | each test
grep -hoE '^ *check "[^"]*"' tests/checks/*.sh tests/python/run.sh | sed 's/^ *check //' | each check
find tests/golden tests/pipes tests/data tests/fuzz/corpus tests/fuzz/crashers -type f | each data
grep -n '^<!-- generated' docs/*.md | sed 's/:[0-9]*:/ /' | sort | uniq -c | awk '{ $1 = ""; print }' | each table
ls docs/rules.md docs/instructions.md docs/zlay_rules.7 | each table
for page in README.md docs/*.md docs/internals/*.md docs/recipes/*.md; do
    sed 's/`[^`]*`//g' "$page" | grep -o ']([^)#]*)' | sed 's/](\(.*\))/\1/' | sort -u | sed "s|^|$page |"
done | each link
grep -ohE '\bzlay_[a-z0-9_]+\(' "$B/zlay.cdef" | tr -d '(' | sort -u | each symbol
where=$(mktemp -d)
${MAKE:-make} -s --no-print-directory install B="$B" DESTDIR="$where" PREFIX=/p LIBDIR=/p/lib > /dev/null 2>&1 &&
    (cd "$where" && find . ! -type d) | sed 's|^\./p/||; s/\.so\.[0-9.]*$/.so.N/' | sort -u | each installed
rm -rf "$where"
