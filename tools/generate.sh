#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/generate.sh [DIRECTORY]: rewrite what documents take from tables in src/: the operations in batch.md, the
# rules of pipes in pipe.md.
set -eu
docs=${1:-docs}
table=$(mktemp)
trap 'rm -f "$table"' EXIT

# $1: the page; $2: the table's source; its rows on standard input.
into() {
    cat > "$table"
    sed -e "/^<!-- generated from $(printf %s "$2" | sed 's,/,\\/,g')/r $table" \
        -e "/^<!-- generated from $(printf %s "$2" | sed 's,/,\\/,g')/,/^<!-- end/{/^<!--/!d}" "$docs/$1" > "$docs/$1.new"
    mv "$docs/$1.new" "$docs/$1"
}

preprocess() { ${CC:-cc} -E -P -Isrc -x c -; }

{
    echo '| op | fields | may have | `ok` | |'
    echo '|---|---|---|---|---|'
    printf '#define OP(name, call, required, optional, ok, text) ROW name SEP required SEP optional SEP ok SEP text\n#include "json/ops.def"\n' |
        preprocess | grep '^ROW' |
        sed -e 's/^ROW "\([^"]*\)"/| `\1`/' -e 's/ SEP "\([^"]*\)"/ | \1/g' -e 's/$/ |/'
} | into batch.md src/json/ops.def

{
    echo '| rule | broken when | source |'
    echo '|---|---|---|'
    printf '#define PIPE_RULE(id, name, text, source) ROW name SEP text SEP source\n#include "pipe/rules.def"\n' |
        preprocess | grep '^ROW' |
        sed -e 's/^ROW "\([^"]*\)"/| `\1`/' -e 's/ SEP "\([^"]*\)"/ | \1/g' -e 's/$/ |/'
} | into pipe.md src/pipe/rules.def
