#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names: what is offered for one that stands for nothing, in requests and by the program; and that cuda.h's enumerators are those
# of cuda.h, have its numbers, and are read by every field that has them.
. tests/tap.sh
zlay=$B/zlay

hints() { # lines `request|what the answer has`
    while IFS='|' read -r request wanted; do
        echo "$request" | "$zlay" batch | grep -qF "$wanted" || { echo "$request: $(echo "$request" | "$zlay" batch)"; return 1; }
    done << 'END'
{"op": "layout.compse"}|no op is called 'layout.compse'; did you mean 'layout.compose'?
{"op": "compose"}|; did you mean 'layout.compose'?
{"op": "frobnicate"}|no op is called 'frobnicate'"
{"op": "layout.eval", "layot": "4:1", "at": [0]}|no field is called 'layot'; did you mean 'layout'?
{"op": "layout.eval"}|layout.eval: fields 'layout', 'at' are missing
{"op": "layout.flip", "layout": "4:1"}|layout.flip: field 'mode' is missing
{"op": "layout.eval", "layout": "4:1", "at": [0], "limits": {"wrk": 1}}|no limit is called 'wrk'; did you mean 'work'?
{"op": "layout.eval", "layout": "(rows,cols):(1,rows)", "at": [0], "params": {"colls": 1}}|no parameter is called 'colls'; did you mean 'cols'?
{"op": "f2.transpose_ins", "layout": "f2{lane: (1) (2) -> t: 4}", "order": ["lanes"]}|no dimension is called 'lanes'; did you mean 'lane'?
{"op": "target.show", "target": "sm90a"}|no target is called 'sm90a'; did you mean 'sm_90a'?
{"op": "rule.explain", "rule": "TMAP_STRID_16"}|; did you mean 'TMAP_STRIDE_16'?
{"op": "instruction.check", "target": "sm_90a", "instruction": "bar.snc"}|; did you mean 'bar.sync'?
{"op": "bank.count", "target": "sm_90", "instruction": "ld.shared.v2.b322", "addresses": []}|; did you mean 'ld.shared.v2.b32'?
{"op": "tmem.layout", "shape": "16x64bb"}|; did you mean '16x64b'?
{"op": "tensormap.check", "target": "sm_90", "map": {}}|map: fields 'type', 'address', 'extent', 'stride', 'box' are missing
{"op": "tensormap.check", "target": "sm_90", "map": {"mode": "im2cl"}}|; did you mean 'im2col'?
{"op": "plan.gemm", "target": "sm_90a", "m": 64, "n": 64, "k": 64, "a_type": "bf61"}|; did you mean 'bf16'?
END
}
commands() {
    while IFS='|' read -r line wanted; do
        # shellcheck disable=SC2086
        "$zlay" $line < /dev/null > "$tap_dir/said" 2>&1
        grep -qF -e "$wanted" "$tap_dir/said" || { echo "$line: $(head -n 2 "$tap_dir/said")"; return 1; }
    done << 'END'
paln gemm|no command begins with paln; did you mean 'plan'?
emit cnovert|these commands begin with emit; did you mean 'convert'?
plan gemm --tagret sm_90a|plan gemm has no flag '--tagret'; did you mean '--target'?
run gemm --modle 3|run gemm has no flag '--modle'; zlay
plan gemm --repack allways|--repack wants never|auto|always, not 'allways'; did you mean 'always'?
plan gemm --a-type bf61|not 'bf61'; did you mean 'bf16'?
plan gemm --target sm90a|no target is called 'sm90a'; did you mean 'sm_90a'?
pipe emit examples/edited.pipe sm90a|did you mean 'sm_90a'?
batch --limits wrk=3|not 'wrk=3'; did you mean 'work'?; the names:
explain TMAP_STRID_16|is called 'TMAP_STRID_16'; did you mean 'TMAP_STRIDE_16'?
explain CU_TENSOR_MAP_SWIZZLE_128|did you mean 'CU_TENSOR_MAP_SWIZZLE_128B'?
explain CU_TENSOR_MAP_SWIZZLE_128B|of the field swizzle of a tensor map the number 3
decode bufer gfx942 0|did you mean 'buffer'?
emit convert cuda|TARGET, ELEM_BITS, SRC, DST are missing; emit convert takes
END
}

names() { sed -n 's/^CUDA_\([A-Z0-9_]*\)("\([A-Z0-9_]*\)", *\([0-9]*\))$/\1 \2 \3/p' src/base/cuda.def; }
numbers() { # each name is the same map as its number
    map='"type": 9, "address": 0, "extent": [64, 64, 64, 64], "stride": [128, 8192, 524288], "interleave": 0, "swizzle": 0, "l2": 0, "oob": 0'
    names > "$tap_dir/names" && test "$(wc -l < "$tap_dir/names")" -eq 34 || return 1
    while read -r field name number; do
        field=$(echo "$field" | tr '[:upper:]' '[:lower:]')
        for value in "\"$name\"" "$number"; do
            case $field in
            wide_mode) echo "{\"op\": \"tensormap.check\", \"target\": \"sm_100a\", \"map\": {$map, \"mode\": 2, \"lower\": [0], \"upper\": [0], \"channels\": 8, \"pixels\": 8, \"wide_mode\": $value}}" ;;
            *) echo "{\"op\": \"tensormap.check\", \"target\": \"sm_100a\", \"map\": {$(echo "$map" | sed "s/\"$field\": [0-9]*/\"$field\": $value/"), \"box\": [8, 8, 8, 8]}}" ;;
            esac
        done
    done < "$tap_dir/names" | "$zlay" batch > "$tap_dir/answers"
    test "$(grep -c '^{"ok"' "$tap_dir/answers")" -eq 68 && awk 'NR % 2 { last = $0; next } $0 != last { print; bad = 1 } END { exit bad }' "$tap_dir/answers"
}
as_cuda_h() { # the compiler holds each number to cuda.h's, and cuda.h has no enumerator of a map beside these
    { echo '#include <cuda.h>' && names | sed 's/^[A-Z0-9_]* \([A-Z0-9_]*\) \([0-9]*\)$/_Static_assert(\1 == \2, "\1");/'; } > "$tap_dir/cuda.c"
    "$CC" -std=c11 -fsyntax-only -isystem "$cuda" "$tap_dir/cuda.c" || return 1
    names | cut -d' ' -f2 | sort > "$tap_dir/ours"
    grep -oE '^ +CU_TENSOR_MAP_[A-Z0-9_]+( = 0)?,?$' "$cuda/cuda.h" | grep -oE 'CU_[A-Z0-9_]+' | sort -u | comm -13 "$tap_dir/ours" - | grep . && return 1
    return 0
}

# What an absent field means is what it says, word for word.
defaults() {
    some='"type": "bf16", "address": 4096, "extent": [64, 32], "stride": [128], "box": [32, 8]'
    all="$some, \"mode\": \"tiled\", \"rank\": 2, \"step\": [1, 1], \"interleave\": \"none\", \"swizzle\": \"none\", \"l2\": \"none\", \"oob\": \"none\""
    line='"type": "u8", "address": 0, "extent": [256], "box": [64]'
    for map in "$some" "$all" "$line" "$line, \"stride\": []"; do
        echo "{\"op\": \"tensormap.pack\", \"target\": \"sm_90a\", \"map\": {$map}}"
    done | "$zlay" batch > "$tap_dir/maps"
    test "$(grep -c '"words"' "$tap_dir/maps")" -eq 4 && test "$(sort -u "$tap_dir/maps" | wc -l)" -eq 2 || { cat "$tap_dir/maps"; return 1; }
    while IFS='|' read -r target more wanted; do
        echo "{\"op\": \"buffer.pack\", \"target\": \"$target\", \"base\": 0, \"records\": 16$more}" | "$zlay" batch > "$tap_dir/buffer"
        grep -qxF "{\"ok\":\"$wanted\"}" "$tap_dir/buffer" || { echo "$target"; cat "$tap_dir/buffer"; return 1; }
    done << 'END'
gfx90a||0x00020000000000100000000000000000
gfx942||0x00020000000000100000000000000000
gfx950||0x00020000000000100000000000000000
gfx942|, "num_format": 7|0x00027000000000100000000000000000
gfx942|, "data_format": 0|0x00000000000000100000000000000000
gfx1250||0x00000000000000002000000000000000
END
}

# Progress, where standard error is a terminal: after a second, of how many, and how long the rest takes; the line is taken away.
on_terminal() {
    cat > "$tap_dir/terminal.py" << 'END'
import os, pty, re, sys
pid, fd = pty.fork()
if pid == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    said += part
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(said)
good = re.search(rb"zlay: running tiles in the model, 1 s, \d+ of 64, about \d+ s left\x1b\[K\r", said) and said.endswith(b"\x1b[K")
sys.exit(status if good else 1)
END
    python3 "$tap_dir/terminal.py" "$zlay" plan gemm --m 2048 --n 2048 --k 4096 --model 64
}
elsewhere() { "$zlay" plan gemm --m 1024 --n 1024 --k 4096 --model 16 2> "$tap_dir/said" > /dev/null && test ! -s "$tap_dir/said"; }

check "requests: the name that is meant, and all that is missing" hints
check "commands: the name that is meant, and all that is missing" commands
check "each enumerator of cuda.h is read as its number" numbers
cuda=${CUDA_INCLUDE:-/usr/local/cuda/include}
if [ -f "$cuda/cuda.h" ]; then
    check "the enumerators are cuda.h's" as_cuda_h
else
    tap_number=$((tap_number + 1))
    echo "ok $tap_number - the enumerators are cuda.h's # SKIP no CUDA toolkit on this machine (cuda.h)"
fi
check "fields that are absent" defaults
check "progress on a terminal" on_terminal
check "no progress elsewhere" elsewhere
exit $tap_failed
