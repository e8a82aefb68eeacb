#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/sass.sh BUILD [PIPE]...: for each pipe of tests/pipes, printed for sm_90a at four stages, what ptxas says of its
# registers, and of every innermost loop with products how many instructions an iteration has. Needs ptxas and nvdisasm.
set -eu
B=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for name in ${*:-pingpong cooperative attention persistent}; do
    sed 's/\$/4/g' "tests/pipes/$name.pipe" > "$dir/pipe"
    "$B/zlay" pipe emit "$dir/pipe" sm_90a ptx > "$dir/ptx"
    said=$(ptxas -v --warn-on-spills -arch=sm_90a -o "$dir/cubin" "$dir/ptx" 2>&1)
    echo "$name: $(echo "$said" | grep -o 'Used [0-9]* registers\|[0-9]* bytes spill stores\|(C75[0-9]*)' | paste -sd ' ')"
    nvdisasm -c "$dir/cubin" | awk '
        /^\.L_x_[0-9]+:/ { sub(":", "", $1); at[$1] = n }
        /^ +\/\*[0-9a-f]+\*\/ / { text[n++] = $0 }
        END {
            for (i = 0; i < n; i++) {
                if (text[i] !~ / BRA / || !match(text[i], /\.L_x_[0-9]+/)) continue
                label = substr(text[i], RSTART, RLENGTH)
                if (!(label in at) || at[label] > i) continue
                products = moved = tiles = 0
                for (j = at[label]; j <= i; j++) {
                    if (text[j] ~ /HGMMA|IGMMA|QGMMA/) products++
                    if (text[j] ~ /R2UR/) moved++
                    if (text[j] ~ /UBLKCP|UTMASTG/) tiles++
                }
                if (products && !tiles) printf "    %d instructions an iteration, %d of them products, %d R2UR\n", i - at[label] + 1, products, moved
            }
        }'
done
