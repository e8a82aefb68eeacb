#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A target is data of src/legality: code above it names no vendor and asks for no target by its name. Comments may.
. tests/tap.sh

above='src/synth src/sim src/pipe src/emit src/json src/cli'

# Lines `file:code` without comments.
code() {
    find $above -name '*.[ch]' -o -name '*.def' | sort | while read -r file; do
        ${CC:-cc} -fpreprocessed -dD -E -P -x c "$file" 2>/dev/null | sed "s|^|$file: |"
    done
}

# $1: what; $2: files that may, with what for.
without() {
    grep -iE "$1" "$tap_dir/code" | grep -vE "^($2):" > "$tap_dir/bad"
    cat "$tap_dir/bad"
    test ! -s "$tap_dir/bad"
}

code > "$tap_dir/code"
check "there is code to read" sh -c "test \$(wc -l < '$tap_dir/code') -gt 5000"
# Sources of rules cite documents by their titles.
check "no vendor, no family of chips" without 'nvidia|[^a-z]amd(gpu)?[^a-z]|[^a-z]cdna|hopper|blackwell|instinct' 'src/cli/commands.def|src/pipe/language/rules.def'
# The model is of one target; idesc asks the one with the most legal; the program plans for one by default.
check "no target by its name" without '"(sm_|gfx)[0-9]' 'src/sim/(wgmma|tensor|reduce|issue).c|src/json/legality/idesc.c|src/cli/flags.(c|def)'
exit $tap_failed
