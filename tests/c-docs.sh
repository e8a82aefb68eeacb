#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README and documents say what is so: the C example compiles and prints what it says, the transcript
# is what the program answers, links lead somewhere, generated tables are up to date.
. tests/tap.sh

block() { awk -v want="\`\`\`$1" '$0 == want {on = 1; next} /^```/ {on = 0} on' README.md; }

readme_is_short() { test "$(wc -l < README.md)" -lt 200; }
example_is_short() { block c > "$tap_dir/example.c" && test -s "$tap_dir/example.c" && test "$(wc -l < "$tap_dir/example.c")" -le 20; }

example_runs() {
    "$CC" -std=c11 -Wall -Wextra -Werror -Iinclude -o "$tap_dir/example" "$tap_dir/example.c" "$B/libzlay.a" || return 1
    block text > "$tap_dir/wanted"
    "$tap_dir/example" > "$tap_dir/printed" && test -s "$tap_dir/wanted" && diff "$tap_dir/wanted" "$tap_dir/printed"
}

transcript_is_true() {
    block console > "$tap_dir/transcript"
    test "$(wc -l < "$tap_dir/transcript")" -eq 7 || { echo "the transcript has not seven lines"; return 1; }
    grep '^\$ ' "$tap_dir/transcript" | while IFS= read -r line; do
        printf '%s\n' "$line"
        PATH="$(cd "$B" && pwd):$PATH" sh -c "${line#\$ }" < /dev/null
    done > "$tap_dir/answered"
    diff "$tap_dir/transcript" "$tap_dir/answered"
}

links_lead_somewhere() {
    for page in README.md docs/*.md; do
        sed 's/`[^`]*`//g' "$page" | grep -o ']([^)#]*' | sed 's/](//' | grep -v '^http' | while read -r link; do
            test -e "$(dirname "$page")/$link" || echo "$page: $link"
        done
    done > "$tap_dir/dead"
    cat "$tap_dir/dead"
    test ! -s "$tap_dir/dead"
}

tables_are_fresh() {
    mkdir "$tap_dir/docs" && cp docs/batch.md docs/pipe.md "$tap_dir/docs" && tools/generate.sh "$tap_dir/docs" &&
        diff docs/batch.md "$tap_dir/docs/batch.md" && diff docs/pipe.md "$tap_dir/docs/pipe.md"
}

manual_is_fresh() { tools/gen-rules.sh man > "$tap_dir/rules.7" && diff docs/zlay_rules.7 "$tap_dir/rules.7"; }
forms_are_fresh() { tools/gen-forms.sh > "$tap_dir/instructions.md" && diff docs/instructions.md "$tap_dir/instructions.md"; }
rules_are_fresh() { tools/gen-rules.sh > "$tap_dir/rules.md" && diff docs/rules.md "$tap_dir/rules.md"; }

every_op_is_dispatched() { # the running program knows the ops of the page
    sed -n '/^<!-- generated/,/^<!-- end/s/^| `\([^`]*\)`.*/\1/p' docs/batch.md | while read -r op; do
        echo "{\"op\": \"$op\"}"
    done > "$tap_dir/ops"
    test -s "$tap_dir/ops" && ! "$B/zlay" batch < "$tap_dir/ops" | grep ENOTSUP
}

spdx() {
    for file in Makefile .ci/run $(find src include tests tools bench examples pkgconfig -type f \
        ! -path '*/corpus/*' ! -path '*/data/*' ! -path '*/golden/*' ! -name '*.pipe' ! -name '*.list' ! -name skips ! -name '*.in' ! -name '*.json*'); do
        head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
    done > "$tap_dir/bare"
    cat "$tap_dir/bare"
    test ! -s "$tap_dir/bare"
}

no_loose_ends() { ! grep -nE '\b(TODO|FIXME|XXX|HACK)\b' -r src include tests/*.[ch] tools bench examples docs README.md; }
files_are_short() { ! find src include -name '*.[ch]' -exec awk 'END { if (NR > 400) print FILENAME, NR }' {} \; | grep .; }
lines_are_short() { # columns, not bytes; rows of data (.def) are wider, and zmat64 is laid out by its measurements
    ! find include src/base src/algebra src/json src/cli src/runtime -name '*.[ch]' ! -name 'zmat64*' \
        -exec env LC_ALL=C.UTF-8 grep -nHE '^.{101}' {} + | grep .
}
licence_is_whole() { grep -q 'Apache License' LICENSE && test "$(wc -l < LICENSE)" -gt 190; }

check "README has fewer than 200 lines" readme_is_short
check "its C example has at most 20 lines" example_is_short
check "its C example compiles and prints what it says" example_runs
check "its transcript is what the program answers" transcript_is_true
check "links lead to files" links_lead_somewhere
check "the table of docs/batch.md is what src/json/ops.def says, that of docs/pipe.md what src/pipe/rules.def says" tables_are_fresh
check "docs/rules.md is what the rows say" rules_are_fresh
check "docs/instructions.md is what the rows say" forms_are_fresh
check "docs/zlay_rules.7 is what the rows say" manual_is_fresh
check "the program knows every operation of the page" every_op_is_dispatched
check "every source begins with its licence" spdx
check "nothing is marked as unfinished" no_loose_ends
check "no source is longer than 400 lines" files_are_short
check "no line of the headers, the algebra and what stands beside it passes column 100" lines_are_short
check "LICENSE is the whole licence" licence_is_whole
exit $tap_failed
