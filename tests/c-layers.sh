#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A file includes headers of its own layer and of those above it in the flow only.
. tests/tap.sh

# layer: what it may include, its own included.  The public header of a layer counts as the layer.
allowed() {
    case $1 in
    base) echo base ;;
    algebra) echo base algebra ;;
    legality) echo base algebra legality ;;
    synth) echo base algebra legality synth pipe ;;
    sim) echo base algebra legality sim ;;
    pipe) echo base legality pipe ;;
    emit) echo base algebra legality synth pipe emit ;;
    runtime) echo base algebra legality synth pipe emit runtime ;;
    json) echo base algebra legality synth sim pipe emit zlay json ;;
    cli) echo base algebra legality synth sim pipe emit zlay json runtime cli ;;
    esac
}

# Public headers of the groups of algebra, legality and synth.
groups='cute|decide|f2|facts|hier|pieces|radix|structure|symbol|zmat'
rules='bank|barrier|block|buffer|copy|direct|hazard|idesc|instruction|mma|replace|smemdesc|tcgen05|tdm|tensormap|tmem|waitcnt'
plans='cluster|convert|factor|fragment|move|swizzle|tmem_pack|transfer|tensormap_synth|wave|wave_gemm'
prints='emit_pipe'

# Lines `file: layer` of every include of a layer.
includes() {
    grep -nE '^#include ["<](zlay/)?[a-z0-9]+(/[a-z0-9_.-]+|\.h)[">]' "$@" /dev/null |
        sed -nE 's|^([^:]*):[0-9]+:#include "([a-z]+)/.*|\1 \2|p; s|^([^:]*):[0-9]+:#include <zlay/([a-z0-9]+)\.h>.*|\1 \2|p' |
        sed -E "s/ ($groups)\$/ algebra/; s/ ($rules)\$/ legality/; s/ ($plans)\$/ synth/; s/ ($prints)\$/ emit/"
}

layer() {
    includes src/"$1"/*.[ch] src/"$1"/*.def 2>/dev/null | while read -r file to; do
        case " $(allowed "$1") version " in
        *" $to "*) ;;
        *) echo "$file includes $to" ;;
        esac
    done > "$tap_dir/bad"
    cat "$tap_dir/bad"
    test ! -s "$tap_dir/bad"
}

# One file, one library: the engines and the JSON library stay where they are.
only_in() { ! grep -lE "^ *#include <($1)" -r src include | grep -v "^$2"; }

for name in base algebra legality synth sim pipe emit runtime json cli; do
    [ -d src/$name ] && check "src/$name" layer $name
done
check "jansson is in src/json only" only_in 'jansson' src/json/
check "isl is in src/algebra/isl*.[ch] only" only_in 'isl/' src/algebra/isl
check "no cuda.h, no dlopen outside the runtime" only_in 'cuda|dlfcn' src/runtime/
check "nothing prints, exits or aborts outside the program" \
    sh -c '! grep -nE "\b(printf|puts|putchar|fprintf|fputs|exit|abort|assert)\(" -r src --include=*.c | grep -v "^src/cli/"'
exit $tap_failed
