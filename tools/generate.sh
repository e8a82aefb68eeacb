#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/generate.sh [FILE]: rewrite what documents take from tables in src/: the operations in docs/batch.md.
set -eu
page=${1:-docs/batch.md}
table=$(mktemp)
trap 'rm -f "$table"' EXIT

{
    echo '| op | fields | may have | `ok` | |'
    echo '|---|---|---|---|---|'
    printf '#define OP(name, call, required, optional, ok, text) ROW name SEP required SEP optional SEP ok SEP text\n#include "json/ops.def"\n' |
        ${CC:-cc} -E -P -Isrc -x c - | grep '^ROW' |
        sed -e 's/^ROW "\([^"]*\)"/| `\1`/' -e 's/ SEP "\([^"]*\)"/ | \1/g' -e 's/$/ |/'
} > "$table"

sed -e "/^<!-- generated from src\/json\/ops.def/r $table" \
    -e '/^<!-- generated from/,/^<!-- end/{/^<!--/!d}' "$page" > "$page.new"
mv "$page.new" "$page"
