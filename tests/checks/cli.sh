#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program: exit statuses, what it writes and what it leaves alone, the batch loop.
. tests/tap.sh
zlay=$B/zlay zlay_path=$(realpath "$B/zlay")

plan() { "$zlay" plan gemm "$@"; }

plan_says() { # every part of the report is there
    plan --m 256 --n 512 --k 256 > "$tap_dir/plan" || return 1
    for word in 'TMAP_' 'tensor maps' 'shared layouts' 'wgmma descriptors' 'expects' 'full barrier' 'wavefronts' \
        'certificate' 'pipe gemm' 'proof gemm' 'holds when checked' 'certificates: 6 pairs'; do
        grep -q "$word" "$tap_dir/plan" || { echo "no '$word'"; return 1; }
    done
}

files_are_whole() {
    plan --m 256 --n 256 --k 128 --name kernel_1 --out "$tap_dir/k.ptx" --header "$tap_dir/k.h" --model 0 > "$tap_dir/out" || return 1
    grep -q '^.visible .entry kernel_1' "$tap_dir/k.ptx" && tail -n 1 "$tap_dir/k.ptx" | grep -q '^}' &&
        grep -q 'zl_kernel_1' "$tap_dir/k.h" && grep -q '^model: \([0-9]*\) of \1 tiles' "$tap_dir/out" &&
        test -z "$(ls "$tap_dir" | grep '\.new$')"
}

only_regular_files() { # a link, a FIFO, a folder and a device stay what they are; nothing is left beside them
    d=$tap_dir/out.d && mkdir "$d" "$d/folder" && echo kept > "$d/old" && ln -s old "$d/link" && ln -s none "$d/dangling" && mkfifo "$d/fifo" || return 1
    for name in link dangling fifo folder; do
        plan --k 64 --out "$d/$name" > /dev/null 2> "$d.err" && return 1
        grep -q "cannot write .*out.d/$name': it is " "$d.err" || return 1
    done
    plan --k 64 --out /dev/full > /dev/null 2> "$d.err" && return 1
    grep -q "'/dev/full': it is no regular file" "$d.err" && test "$(cat "$d/old")" = kept && test -L "$d/link" && test -p "$d/fifo" && test ! -e "$d/none" || return 1
    exits 2 plan --k 64 --out "$d/folder/" && exits 2 plan --k 64 --out "$d/old/x" && exits 2 plan --k 64 --out '' || return 1
    test "$(ls "$d" | tr '\n' ' ')" = 'dangling fifo folder link old '
}

out_replaces() { # a regular file keeps its mode, and other links to it keep the old text
    echo old > "$tap_dir/o.ptx" && chmod 640 "$tap_dir/o.ptx" && ln "$tap_dir/o.ptx" "$tap_dir/o.second" && plan --k 64 --out "$tap_dir/o.ptx" > /dev/null || return 1
    test "$(stat -c %a "$tap_dir/o.ptx")" = 640 && grep -q '^.visible .entry' "$tap_dir/o.ptx" && test "$(cat "$tap_dir/o.second")" = old || return 1
    (cd "$tap_dir" && "$zlay_path" plan gemm --k 64 --out here.ptx) > /dev/null && test -s "$tap_dir/here.ptx"
}

read_only_folder() { # root may write everywhere
    mkdir "$tap_dir/closed" && chmod 555 "$tap_dir/closed" || return 1
    if [ "$(id -u)" = 0 ]; then plan --k 64 --out /proc/zlay.ptx > /dev/null 2> "$tap_dir/closed.err"; else plan --k 64 --out "$tap_dir/closed/x" > /dev/null 2> "$tap_dir/closed.err"; fi
    test $? -eq 2 && grep -q 'cannot write' "$tap_dir/closed.err" && test -z "$(ls "$tap_dir/closed")"
}

refused_writes_nothing() {
    exits 2 plan --m 256 --n 256 --k 128 --stages 4000000000 --out "$tap_dir/no.ptx"
    test ! -e "$tap_dir/no.ptx" && exits 2 plan --k 64 --out "$tap_dir/no/such/folder" && test -z "$(ls "$tap_dir" | grep new)"
}

odd_shape() { # 8200-byte rows: no tensor map, and the plan says why and what else
    plan --k 4100 > "$tap_dir/odd" && grep -q 'TMAP_STRIDE_16' "$tap_dir/odd" && grep -q 8200 "$tap_dir/odd" &&
        grep -q 4104 "$tap_dir/odd" && grep -q 'cp.async' "$tap_dir/odd"
}

model_small() { plan --m 129 --n 257 --k 72 --tile 128x64x64 --model 0 | grep -q '^model: 10 of 10 tiles run, all 6 edge tiles.*33153 elements of D equal'; }

run_without_driver() {
    "$zlay" run gemm --m 256 --n 256 --k 128 > "$tap_dir/run"
    rc=$?
    grep -q 'plan: checked' "$tap_dir/run" && { [ $rc -eq 0 ] || { [ $rc -eq 3 ] && grep -q 'not run: ' "$tap_dir/run"; }; }
}

run_on_a_driver() { # that computes nothing: everything is asked of it, and the result is found wrong
    "$CC" -std=c11 -shared -fPIC -o "$tap_dir/libcuda.so.1" tests/support/fake-cuda.c || return 1
    LD_LIBRARY_PATH=$tap_dir exits 1 "$zlay" run gemm --m 256 --n 256 --k 128 > "$tap_dir/run" || { cat "$tap_dir/run"; return 1; }
    grep -q '^device: .*9.0' "$tap_dir/run" && grep -q '^run: 102400 elements of D compared, 102400 differ' "$tap_dir/run"
}
run_groups_on_a_driver() { # three layouts of groups; what the command has no values for is said
    for flags in "" "--b-order row" "--ragged k --a-order col --b-order row"; do
        # shellcheck disable=SC2086
        LD_LIBRARY_PATH=$tap_dir exits 1 "$zlay" run gemm --m 256 --n 256 --k 256 --groups 3 --seed 1 $flags > "$tap_dir/run" || { cat "$tap_dir/run"; return 1; }
        grep -q '^run: 3 groups, [0-9]* rows of 256,' "$tap_dir/run" && grep -qE '^run: ([0-9]+) elements of D compared, \1 differ.* 0 elements of padding changed' "$tap_dir/run" ||
            { cat "$tap_dir/run"; return 1; }
    done
    exits 3 "$zlay" run gemm --groups 3 --a-type e4m3 --b-type e4m3 --a-scales 1x128 --b-scales 128x128 | grep -q '^not run: its kernel has read_sa too'
}

tune_on_a_driver() { # a record is added and taken; one that was changed is refused, and the model chooses
    asked="gemm --m 256 --n 256 --k 128 --swap auto"
    # shellcheck disable=SC2086
    LD_LIBRARY_PATH=$tap_dir exits 0 "$zlay" tune $asked --rounds 3 --cache "$tap_dir/cache" > "$tap_dir/run" && grep -q '^added to' "$tap_dir/run" &&
        "$zlay" plan $asked --cache "$tap_dir/cache" | grep -q '^chosen by: measured on Imaginary, 8 candidates' &&
        "$zlay" tune show "$tap_dir/cache" | grep -q '3 rounds, 7 others' && sed 's/rounds=3/rounds=9/' "$tap_dir/cache" > "$tap_dir/changed" &&
        "$zlay" plan $asked --cache "$tap_dir/changed" 2> "$tap_dir/said" | grep -q '^chosen by: the model' &&
        grep -q 'line 1 is refused: its checksum' "$tap_dir/said" && exits 3 "$zlay" tune gemm --groups 3 > "$tap_dir/run"
}
tune_on_another_device() { # a GPU of another target is none of the target's
    for target in sm_80 sm_100a gfx942; do
        LD_LIBRARY_PATH=$tap_dir exits 3 "$zlay" tune gemm --target $target --m 64 --n 64 --k 64 --cache "$tap_dir/other" > "$tap_dir/run" 2> "$tap_dir/said" || { cat "$tap_dir/said"; return 1; }
        grep -q '^not run: ' "$tap_dir/run" && test ! -s "$tap_dir/said" || return 1
    done
    LD_LIBRARY_PATH=$tap_dir exits 3 "$zlay" tune attention --target sm_100a --queries 64 | grep -q '^not run: ' && test ! -e "$tap_dir/other" &&
        exits 2 "$zlay" tune gemm --name 1x 2> "$tap_dir/said" && grep -q "name wants NAME, not '1x'" "$tap_dir/said"
}
tune_keeps_lines() { # what a cache has that is no record of this version stays there, and a line without an end gets one
    { echo '# a remark'; printf 'a line of another version'; } > "$tap_dir/kept"
    LD_LIBRARY_PATH=$tap_dir exits 0 "$zlay" tune gemm --m 256 --n 256 --k 128 --rounds 3 --cache "$tap_dir/kept" > "$tap_dir/run" || { cat "$tap_dir/run"; return 1; }
    test "$(sed -n 1,2p "$tap_dir/kept")" = "$(printf '# a remark\na line of another version')" && test "$(wc -l < "$tap_dir/kept")" -eq 3 &&
        "$zlay" plan gemm --m 256 --n 256 --k 128 --cache "$tap_dir/kept" --device Imaginary 2> "$tap_dir/said" | grep -q '^chosen by: measured on Imaginary' &&
        "$zlay" plan gemm --m 256 --n 256 --k 128 --cache "$tap_dir/kept" --device Real 2> "$tap_dir/said" | grep -q '^chosen by: the model' &&
        grep -q 'line 2 is refused' "$tap_dir/said" && exits 2 "$zlay" tune gemm --rounds 0 && exits 2 "$zlay" tune gemm --candidates 0
}
caches_that_are_not_there() { # and such as cannot be read, or are of other rules
    exits 2 "$zlay" tune show "$tap_dir/nothing" 2> "$tap_dir/said" && grep -q "cannot read '.*/nothing': No such file" "$tap_dir/said" || return 1
    exits 2 "$zlay" tune merge examples/monday.tuning "$tap_dir/nothing" > "$tap_dir/run" 2> /dev/null && test ! -s "$tap_dir/run" || return 1
    plan --k 64 --cache "$tap_dir/nothing" | grep -q "^chosen by: the model; there is no file .*/nothing$" || return 1
    exits 2 plan --k 64 --cache examples/monday.tuning/x > /dev/null 2> "$tap_dir/said" && grep -q 'cannot read .*: Not a directory' "$tap_dir/said" || return 1
    "$zlay" tune show - < examples/monday.tuning | grep -q '^gemm device=' || return 1
    plan --m 96 --n 7168 --k 6144 --swap auto --multicast auto --stream-k auto --split-k auto --cache examples/monday.tuning |
        grep -qE '^chosen by: (measured|the model; .* by rules [0-9]+; what it has is by rules [0-9]+$)'
}
caches_to_full() { "$zlay" tune show examples/monday.tuning > /dev/full; test $? -eq 2 && { "$zlay" tune merge examples/monday.tuning examples/tuesday.tuning > /dev/full; test $? -eq 2; }; }
choice_far_down() { # what a cache chose is in the list, wherever the model has it
    LD_LIBRARY_PATH=$tap_dir exits 0 "$zlay" tune gemm --m 512 --n 512 --k 128 --rounds 3 --cache "$tap_dir/far" > "$tap_dir/run" || { cat "$tap_dir/run"; return 1; }
    python3 - "$tap_dir/far" << 'end' || return 1
import re, sys
line = re.sub("tile=[0-9x]+", "tile=64x256x64", open(sys.argv[1]).read().rsplit(" ~", 1)[0])
sum = 2166136261
for byte in line.encode():
    sum = (sum ^ byte) * 16777619 % 2**32
open(sys.argv[1], "w").write(f"{line} ~{sum:08x}\n")
end
    plan --m 512 --n 512 --k 128 --cache "$tap_dir/far" > "$tap_dir/run" && grep -q '^chosen by: measured' "$tap_dir/run" &&
        test "$(sed -n '/^candidates, /,/ others/p' "$tap_dir/run" | grep -c '^  [* ] tile=')" -eq 7 && grep -q '^  \* tile=64x256x64 .* 16 blocks, 1 wave' "$tap_dir/run" &&
        grep -qE '^[1-9][0-9]* of [0-9]+ others: less by the model' "$tap_dir/run"
}
tune_compares() { # results that differ are found, and nothing is added
    mkdir "$tap_dir/writes"
    "$CC" -std=c11 -DFAKE_WRITES -shared -fPIC -o "$tap_dir/writes/libcuda.so.1" tests/support/fake-cuda.c || return 1
    LD_LIBRARY_PATH=$tap_dir/writes exits 1 "$zlay" tune gemm --m 256 --n 256 --k 128 --cache "$tap_dir/none" > "$tap_dir/run" || { cat "$tap_dir/run"; return 1; }
    grep -q ': 1 elements of its result differ from those of tile=' "$tap_dir/run" && test ! -e "$tap_dir/none"
}
attention_on_a_driver() { # the same two commands of attention; what they do not fill is said
    asked="attention --queries 512 --heads 4 --causal"
    # shellcheck disable=SC2086
    LD_LIBRARY_PATH=$tap_dir exits 1 "$zlay" run $asked --lse --sinks > "$tap_dir/run" || { cat "$tap_dir/run"; return 1; }
    grep -qE '^run: 2580 numbers of 20 rows compared, 2[0-9]{3} are off' "$tap_dir/run" || { cat "$tap_dir/run"; return 1; }
    # shellcheck disable=SC2086
    LD_LIBRARY_PATH=$tap_dir exits 0 "$zlay" tune $asked --rounds 3 --candidates 5 --cache "$tap_dir/cache" > "$tap_dir/run" || { cat "$tap_dir/run"; return 1; }
    # shellcheck disable=SC2086
    grep -q '^results: those of 5 candidates agree' "$tap_dir/run" && grep -q '^added to' "$tap_dir/run" &&
        "$zlay" plan $asked --cache "$tap_dir/cache" | grep -q '^chosen by: measured on Imaginary, 5 candidates' &&
        exits 3 "$zlay" run attention --queries 512 --splits 2 | grep -q '^not run: this command runs one kernel' &&
        exits 3 "$zlay" tune attention --queries 512 --sequences 2 | grep -q '^not run: this command fills no lengths'
}
plan_says_why() { # each candidate's reason, that none takes less, the bound and its part
    plan --swap auto --multicast auto --stream-k auto > "$tap_dir/why" && grep -q 'K steps wait for L2: [0-9]* of [0-9]* ns$' "$tap_dir/why" &&
        grep -q '^none of the [0-9]* others takes less by the model' "$tap_dir/why" && grep -q '^bound: nothing takes less than .* by products' "$tap_dir/why" &&
        grep -q '^of the modelled time the bound is [0-9.]* %$' "$tap_dir/why" && grep -q '^moves: [0-9.]* MB of DRAM' "$tap_dir/why" &&
        "$zlay" plan attention --causal | grep -q 'tiles have [0-9]* % more of Q K^T$' && plan --groups 3 | grep -q '^there is no other$' &&
        "$zlay" plan attention --target sm_100a | grep -q '^bound: nothing takes less' || return 1
    plan --split-k 8 --m 128 --n 2048 --k 8192 | grep -q '^  \* .* 512 blocks, 5 waves, the last of 4 clusters$' && plan --target gfx942 | grep -q '^  \* .* 1024 blocks' &&
        plan --m 1 --n 1 --k 1 | grep -q '^  \* .* 1 block, 1 wave, the last of 1$' && plan --groups 3 | grep -q '^bound: none is known: groups: ' &&
        plan --target sm_120a | grep -q '^  \* .* 2048 blocks$' && ! "$zlay" plan attention --target sm_100a | grep '^    tile=' | grep -q ' $'
}
bounds_hold() { # the bound is no more than the modelled time: few queries read many keys, a window few of them
    for flags in "--queries 1 --keys 65536 --heads 8 --batch 16" "--queries 8 --keys 65536 --causal --window 17" "--queries 128 --keys 4099 --heads 3 --batch 64"; do
        # shellcheck disable=SC2086
        "$zlay" plan attention $flags | sed -n 's/^of the modelled time the bound is \([0-9]*\)\.[0-9]* %$/\1/p' > "$tap_dir/part" && test "$(cat "$tap_dir/part")" -lt 100 || return 1
    done
}
run_on_hip() { # as on a driver: a code object with nothing inside
    "$CC" -std=c11 -shared -fPIC -o "$tap_dir/libamdhip64.so.7" tests/support/fake-hip.c || return 1
    { printf '\177ELF\002\001\001'; head -c 11 /dev/zero; printf '\340\000'; head -c 44 /dev/zero; } > "$tap_dir/k.hsaco"
    run() { "$zlay" run gemm --target gfx942 --m 256 --n 256 --k 128 "$@"; }
    run | grep -q 'not run: HIP loads code objects' || return 1
    LD_LIBRARY_PATH=$tap_dir exits 1 run --image "$tap_dir/k.hsaco" > "$tap_dir/run" || { cat "$tap_dir/run"; return 1; }
    grep -q '^device: .*9.4' "$tap_dir/run" && grep -q '^run: 102400 elements of D compared, 102400 differ' "$tap_dir/run"
}

decodes_descriptor() { "$zlay" decode smemdesc sm_90a 0x4000004000010040 | grep -q '^sbo  *1024$'; }
decodes_map() { # the words of the first sample, as 16 words and as bytes in memory
    words=$(head -n 1 tests/data/tensormap_bits.txt | awk '{ for (i = NF - 15; i <= NF; i++) printf "0x%s ", $i }')
    bytes=$(for word in $words; do
        word=${word#0x}
        while [ -n "$word" ]; do printf %s "${word#"${word%??}"}"; word=${word%??}; done
    done)
    # shellcheck disable=SC2086
    "$zlay" decode tensormap sm_90a $words > "$tap_dir/words" && "$zlay" decode tensormap sm_90a "$bytes" > "$tap_dir/bytes" &&
        cmp "$tap_dir/words" "$tap_dir/bytes" && head -n 1 "$tap_dir/words" | grep -q '^source  *driver 580' &&
        grep -q '  box  *\[16, 1, 8, 1\]' "$tap_dir/words"
}
explains_all() { # every rule that a plan names
    plan | grep -oE '\b[A-Z][A-Z0-9]+(_[A-Z0-9]+)+\b' | sort -u > "$tap_dir/rules"
    test "$(wc -l < "$tap_dir/rules")" -gt 10 || return 1
    while read -r rule; do "$zlay" explain "$rule" > /dev/null || return 1; done < "$tap_dir/rules"
}

help_lists() { "$zlay" --help > "$tap_dir/help" && grep -q 'zlay batch' "$tap_dir/help" && grep -q 'bank.count' "$tap_dir/help" && grep -q -- '--ldd' "$tap_dir/help"; }

help_of_one() { # a command's own page: its flags or operations if it has some, and no others
    "$zlay" pipe emit --help > "$tap_dir/one" && "$zlay" help plan gemm > "$tap_dir/flags" && "$zlay" batch --help > "$tap_dir/ops" || return 1
    grep -q 'pipe emit FILE' "$tap_dir/one" && ! grep -Eq 'pipe verify|--ldd|bank.count' "$tap_dir/one" &&
        grep -q -- '--ldd' "$tap_dir/flags" && ! grep -q 'bank.count' "$tap_dir/flags" && grep -q 'bank.count' "$tap_dir/ops"
}
says() { # PATTERN COMMAND...: what it writes to standard error
    wanted=$1
    shift
    "$@" 2>&1 > /dev/null | grep -q "$wanted"
}
half_a_command() { exits 2 "$zlay" pipe 2> "$tap_dir/half" && test "$(grep -c '^  zlay pipe ' "$tap_dir/half")" -eq 6; }
flag_with_equals() {
    "$zlay" plan gemm --m 256 --n 512 --k 64 > "$tap_dir/apart" && "$zlay" plan gemm --m=256 --n=512 --k=64 | cmp - "$tap_dir/apart"
}

frame() { # one answer a request, in order, whatever the line
    printf '%s\n' '{"op": "layout.parse", "layout": "8:1", "id": 1}' 'x' '' '{"op": "layout.parse", "layout": "(", "id": 2}' > "$tap_dir/in"
    printf '{"op": "layout.parse", "layout": "4", "id": 3}' >> "$tap_dir/in"
    "$zlay" batch < "$tap_dir/in" > "$tap_dir/answers" || return 1
    test "$(wc -l < "$tap_dir/answers")" -eq 5 && sed -n 1p "$tap_dir/answers" | grep -q '"id":1.*"ok"' &&
        sed -n 2p "$tap_dir/answers" | grep -q EINVAL && sed -n 3p "$tap_dir/answers" | grep -q EINVAL &&
        sed -n 4p "$tap_dir/answers" | grep -q '"id":2.*EINVAL' && sed -n 5p "$tap_dir/answers" | grep -q '"id":3.*"ok"'
}

answers_before_waiting() { # an answer comes while the input stays open
    mkfifo "$tap_dir/to" "$tap_dir/from"
    "$zlay" batch < "$tap_dir/to" > "$tap_dir/from" &
    exec 3> "$tap_dir/to" 4< "$tap_dir/from"
    for i in 1 2 3; do
        echo "{\"op\": \"layout.eval\", \"layout\": \"4:$i\", \"at\": [1]}" >&3
        read -r line <&4
        test "$line" = "{\"ok\":[$i]}" || return 1
    done
    exec 3>&- 4<&-
    wait $!
}

long_line() { # 17 MiB is refused by name, and the next line is answered
    { head -c 17825792 /dev/zero | tr '\0' ' '; echo; echo '{"op": "layout.eval", "layout": "4", "at": []}'; } |
        "$zlay" batch > "$tap_dir/long"
    sed -n 1p "$tap_dir/long" | grep -q '16777216' && sed -n 2p "$tap_dir/long" | grep -q '{"ok":\[\]}'
}

ceilings() { # what is named is in force; a request may lower it, and no other limit may pass its default
    printf '%s\n' '{"op": "zlay"}' '{"op": "zlay", "limits": {"points": 11}}' '{"op": "zlay", "limits": {"work": 268435457}}' '{"op": "zlay", "limits": {"points": 9}}' |
        "$zlay" batch --limits points=10,pieces=5000 > "$tap_dir/under" || return 1
    sed -n 1p "$tap_dir/under" | grep -q '"limits":{.*"points":10,.*"pieces":5000' && sed -n 2p "$tap_dir/under" | grep -q 'ELIMIT.*limits.points: 11 is above its ceiling, 10' &&
        sed -n 3p "$tap_dir/under" | grep -q 'ELIMIT.*limits.work: .* is above its ceiling, 268435456' && sed -n 4p "$tap_dir/under" | grep -q '"points":9,' &&
        echo '{"op": "zlay", "limits": {"points": 5}}' | "$zlay" batch --limits=points=10 | grep -q '"points":5,.*"ceilings":{.*"points":10,'
}
bad_ceilings() {
    for list in points point=1 points=0 points=-1 points=1x points=1, points=99999999999999999999999 points=67108865 nesting=4294967297 ''; do
        exits 2 "$zlay" batch --limits "$list" < /dev/null || return 1
    done
    exits 2 "$zlay" batch --limits points=1 more < /dev/null && exits 2 "$zlay" batch --limits < /dev/null
}
closed_output() { echo '{"op": "zlay"}' | "$zlay" batch > /dev/full; test $? -eq 2; }
all_to_full() { # whatever is printed, what could not be is said
    for command in "--help" "--version" "help plan gemm" "plan gemm --k 64" "tune show examples/monday.tuning"; do
        # shellcheck disable=SC2086
        "$zlay" $command > /dev/full 2> "$tap_dir/said"
        test $? -eq 2 && grep -q 'not all of the output' "$tap_dir/said" || { echo "$command"; return 1; }
    done
}
help_to_full() { "$zlay" plan gemm --k 64 > /dev/full; test $? -eq 2; }

bench_lines() { # an object a line, each with a ratio, and no result that was wrong
    "$B/zlay-bench" --json --quick > "$tap_dir/bench" || return 1
    line='^{"bench": "[^"]*", "value": [0-9.e+-]*, "unit": "[^"]*", "against": "[^"]*", "ratio": [0-9.e+-]*}$'
    test "$(grep -c "$line" "$tap_dir/bench")" -ge 6 && ! grep -v "$line" "$tap_dir/bench"
}
fill_by() { # on a driver of our own: to $tap_dir/bench and $tap_dir/said
    env LD_LIBRARY_PATH="$tap_dir" "$@" "$B/zlay-bench" --json --quick fill > "$tap_dir/bench" 2> "$tap_dir/said"
}
fill_by_driver() { # every rank against the driver; what the driver lacks is said
    sed -n 's/^ZL_CUDA(\(cu[A-Za-z0-9_]*\),.*/PLAIN(\1)/p' src/runtime/cuda.def | grep -vE 'Encode|Retain|Current' > "$tap_dir/plain.def"
    lib=$(realpath "$B")
    "$CC" -std=c11 -Wall -Wextra -Werror -Iinclude -I"$tap_dir" -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$tap_dir/libcuda.so.1" tests/preload/fake-device.c \
        -L"$lib" -lzlay -Wl,-rpath,"$lib" || return 1
    fill_by && test "$(grep -c cuTensorMapEncodeTiled "$tap_dir/bench")" -eq 5 && test ! -s "$tap_dir/said" || return 1
    exits 1 fill_by FAKE_REFUSES=1 && test "$(grep -c 'rank [1-5]: the driver refuses it' "$tap_dir/said")" -eq 5 || return 1
    exits 1 fill_by FAKE_NO_CONTEXT=1 && grep -q 'rank 1: the device.s context is not made current: cuCtxPushCurrent_v2: ' "$tap_dir/said" || return 1
    "$CC" -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$tap_dir/libcuda.so.1" -x c /dev/null && LD_LIBRARY_PATH=$tap_dir "$B/zlay-bench" --quick fill |
        grep -q 'left out, the CUDA driver (12.0 is the oldest) has no cuInit'
}

check "a plan prints every part of its report" plan_says
check "kernel and header are written whole, the model runs every tile" files_are_whole
check "what is refused leaves no file" refused_writes_nothing
check "--out replaces regular files alone" only_regular_files
check "--out keeps a file's mode" out_replaces
check "--out in a folder that cannot be written" read_only_folder
check "4096 x 4096 x 4100: the rule, the repair, the other path" odd_shape
check "edge tiles in the model" model_small
check "run: without a driver the plan is checked and the status is 3" run_without_driver
check "run: a wrong result is found" run_on_a_driver
check "tune: what is timed is kept, taken and checked" tune_on_a_driver
check "tune: a GPU of another target" tune_on_another_device
check "plan: a choice far down the list is shown" choice_far_down
check "tune: a cache keeps lines that are no records" tune_keeps_lines
check "caches that are not there, cannot be read, or are of other rules" caches_that_are_not_there
check "caches to a full device" caches_to_full
check "tune: results that differ are found" tune_compares
check "run and tune attention" attention_on_a_driver
check "plan: why candidates take more" plan_says_why
check "plan: the bound is below the modelled time" bounds_hold
check "groups run on a driver without a device, which is found wrong" run_groups_on_a_driver
check "run: the same on HIP, of a plan of waves" run_on_hip
check "every rule that a plan names is explained" explains_all
check "help lists commands, flags and operations" help_lists
check "help of one command" help_of_one
check "half a command: what begins with it" half_a_command
check "io: an argument that is missing is named" says "K is missing" "$zlay" io gemm sm_90a 8 8
check "a flag and its value in one word" flag_with_equals
check "plan stage: a word that is none" exits 2 "$zlay" plan stage sm_90a 64x64x64 swizzle=96B
check "plan stage: a tile that is none" exits 2 "$zlay" plan stage sm_90a 64x64
check "plan stage: a tile beyond 32 bits" exits 2 "$zlay" plan stage sm_90a 4294967360x64x64
check "plan stage: cycles beyond 32 bits" exits 2 "$zlay" plan stage sm_90a 64x64x64 cycles=4294967596
check "plan stage: an alignment beyond 32 bits" exits 2 "$zlay" plan stage sm_90a 64x64x64 align=4294967312
check "plan stage: nothing fits" exits 1 "$zlay" plan stage sm_90a 64x64x64 smem=100
check "a count of blocks that is the number of auto is none" exits 2 "$zlay" plan gemm --split-k 4294967295
check "a flag of another command is an error" exits 2 "$zlay" plan gemm --image x
check "explain: an operation" exits 0 "$zlay" explain layout.compose
check "explain: names that contain the word" says 'contain it: TMAP_STRIDE_16$' "$zlay" explain tmap_stride_16
check "no such file, and why" says 'No such file' "$zlay" pipe verify "$tap_dir/none"
check "a folder is no file" says 'Is a directory' "$zlay" pipe verify "$tap_dir"
check "an image that is not there is said before anything else" exits 2 "$zlay" run gemm --image "$tap_dir/none"
check "a file that cannot be written, and why" says 'no/such.*No such file' "$zlay" plan gemm --k 64 --out "$tap_dir/no/such"
places_are_found() { "$zlay" places examples/attention.places.json sm_90a cluster=1 | grep -q '^wgmma: P in register, V in shared'; }
check "places: a program's values" places_are_found
places_of_input() { "$zlay" places - sm_100a < examples/attention.places.json | grep -q '^tcgen05.mma: P in tensor_memory, V in shared'; }
check "places: of standard input" places_of_input
check "places: what it takes" says 'FILE|- TARGET' "$zlay" places examples/gemm.places.json
check "places: a file that is no program" says 'the program is no JSON object' "$zlay" places examples/ring.pipe sm_90a
check "places: a field that is none" says 'colour' "$zlay" places examples/gemm.places.json sm_90a colour=1
check "decode: what can be decoded" says 'WHAT is tensormap, smemdesc, idesc or buffer$' "$zlay" decode tdm gfx1250 0
buffer_is_decoded() { "$zlay" decode buffer gfx942 0x00027000ffffffff0000000100000000 | grep -q '^base  *4294967296$'; }
check "decode: a buffer resource" buffer_is_decoded
buffer_is_made() { "$zlay" decode buffer gfx942 0x00027000ffffffff0000000100000000 | tail -n 1 | grep -q '{0x00000000u, 0x00000001u, 0xffffffffu, 0x00027000u};$'; }
check "decode: the words of a buffer resource" buffer_is_made
verdict_is_decoded() { # what is legal is made, what is not is repaired
    "$zlay" decode smemdesc sm_90a 0x4001004000010040 > "$tap_dir/refused" && grep -q '^legal  *no$' "$tap_dir/refused" &&
        grep -q '^broken  *DESC_RESERVED: ' "$tap_dir/refused" && grep -q '^  repair  *set reserved to 0; keeps all$' "$tap_dir/refused" && ! grep -q return "$tap_dir/refused" &&
        "$zlay" decode smemdesc sm_90a 0x4000004000010040 | grep -q 'return 0x4000004000010000ull'
}
check "decode: the verdict, its repairs, and what makes it" verdict_is_decoded
any_dump_is_decoded() { # of ranks 6 to 8 too, which no map has
    for byte in 00 ff 6a 5c a3; do
        "$zlay" decode tensormap sm_90a "$(printf "$byte%.0s" $(seq 128))" > "$tap_dir/dump" && grep -q '^legal  *no$' "$tap_dir/dump" && grep -q '^broken  *TMAP_' "$tap_dir/dump" || return 1
    done
}
check "decode: any 128 bytes have fields and a verdict" any_dump_is_decoded
call_is_decoded() { # the call of emit, and what a copy moves
    "$zlay" decode tensormap sm_90a "$map_bits" > "$tap_dir/decoded" && grep -q '^  type  *bf16$' "$tap_dir/decoded" && grep -q '^  elements  *[1-9]' "$tap_dir/decoded" && grep -q '^  expect_tx  *[1-9]' "$tap_dir/decoded" &&
        sed '1,/^$/d' "$tap_dir/decoded" > "$tap_dir/call" && "$zlay" emit tensormap cuda sm_90a "$map_bits" | cmp - "$tap_dir/call"
}
check "decode: what a tensor map's bits are" says '256 hex digits' "$zlay" decode tensormap sm_90a 0x12
check "decode: fields behind the bits" says 'NAME=VALUE$' "$zlay" decode idesc sm_100a 0x490 f16
printf 'pipe x\nbar full[2] cout 1\n' > "$tap_dir/cout.pipe"
check "pipe verify: which word is missing" says "line 2: 'count' is missing" "$zlay" pipe verify "$tap_dir/cout.pipe"
check "pipe verify: an empty text" says 'EINVAL: the pipe has no role' "$zlay" pipe verify /dev/null
check "no command is an error" exits 2 "$zlay"
check "an unknown command is an error" exits 2 "$zlay" frobnicate
check "an unknown flag is an error" exits 2 "$zlay" plan gemm --mm 4
check "a flag without its value is an error" exits 2 "$zlay" plan gemm --m
check "zero elements are an error" exits 2 "$zlay" plan gemm --m 0
check "a size beyond 64 bits is an error" exits 2 "$zlay" plan gemm --m 18446744073709551616
check "a size that overflows is an error" exits 2 "$zlay" plan gemm --m 18446744073709551615 --k 64
check "a negative size is an error" exits 2 "$zlay" plan gemm --n -1
check "a tile that is none is an error" exits 2 "$zlay" plan gemm --tile 128x256
check "an unknown target is an error" exits 2 "$zlay" plan gemm --target sm_90z
check "a name that is a keyword is an error" exits 2 "$zlay" plan gemm --name mma --out "$tap_dir/x.ptx"
check "an unknown rule is no" exits 1 "$zlay" explain NO_SUCH_RULE
check "explain wants one rule" exits 2 "$zlay" explain
check "a matrix descriptor is decoded" decodes_descriptor
check "a tensor map is decoded, and says by whom it is known" decodes_map
check "decode wants bits" exits 2 "$zlay" decode smemdesc sm_90a
check "bits that are none are refused" exits 2 "$zlay" decode smemdesc sm_90a 0xg
sed 's/\$/2/g' tests/pipes/ring.pipe > "$tap_dir/ring.pipe"
sed 's/] threads/] warps/' "$tap_dir/ring.pipe" > "$tap_dir/early.pipe"
sed '/fence wgmma/d' tests/pipes/cooperative.pipe | sed 's/\$/2/g' > "$tap_dir/unfenced.pipe"
pipe_is_proved() { "$zlay" pipe verify "$tap_dir/ring.pipe" > "$tap_dir/yes" && grep -q '^yes' "$tap_dir/yes" && grep -q '^proof ring' "$tap_dir/yes"; }
pipe_is_refused() { # by its rule, the two lines as they were written, and a run to the fault
    sed 's/count 128/count 4/' "$tap_dir/early.pipe" | exits 1 "$zlay" pipe verify - > "$tap_dir/no" || return 1
    grep -q '^broken: overwrite, when' "$tap_dir/no" && grep -q ': copy tensor tA -> A' "$tap_dir/no" &&
        grep -q 'against line [0-9]*: read A\[i % 2\]$' "$tap_dir/no" && tail -n 1 "$tap_dir/no" | grep -q '^overwrite at line'
}
pipe_is_fenced() {
    exits 1 "$zlay" pipe verify "$tap_dir/unfenced.pipe" > /dev/null && "$zlay" pipe fences "$tap_dir/unfenced.pipe" > "$tap_dir/fenced.pipe" &&
        grep -q 'fence wgmma' "$tap_dir/fenced.pipe" && "$zlay" pipe verify "$tap_dir/fenced.pipe" > /dev/null
}
pipe_is_a_kernel() {
    "$zlay" pipe emit "$tap_dir/ring.pipe" sm_90a | grep -q '^.visible .entry kernel' && "$zlay" pipe emit "$tap_dir/ring.pipe" sm_90a cuda | grep -q __global__
}
roles_are_found() { # a proved pipe; a target that is none, too few words, a program that is none, one without a pipe
    "$zlay" pipe roles examples/gemm.tiles sm_90a | "$zlay" pipe verify - | grep -q '^yes' && exits 2 "$zlay" pipe roles examples/gemm.tiles sm90a && exits 2 "$zlay" pipe roles examples/gemm.tiles &&
        echo tiles | exits 2 "$zlay" pipe roles - sm_90a && sed 's/N 1/N 0/' examples/gemm.tiles | exits 1 "$zlay" pipe roles - sm_90a
}
check "pipe roles: a proved pipe of operations" roles_are_found
check "pipe verify: yes with the proof" pipe_is_proved
check "pipe verify: no with the rule, the lines and a run" pipe_is_refused
check "pipe fences: what was missing is there again" pipe_is_fenced
loop_has_none() { sed 's/4096/1000/' examples/loops/sum.json > "$tap_dir/none.json" && exits 1 "$zlay" pipe schedule "$tap_dir/none.json" && exits 2 "$zlay" pipe schedule README.md && exits 2 "$zlay" pipe schedule; }
check "pipe schedule: a capacity that is too small, and what is no loop" loop_has_none
loop_is_drawn() { # names with control characters, bytes past 63 bits, and more operations than letters and lines
    printf '%s' '{"ops":[{"name":"a\n\u001b[1m","unit":"u","cycles":1,"latency":1}],"edges":[],"units":{"u":1},"values":[{"def":"a\n\u001b[1m","uses":[],"bytes":"18446744073709551615","space":"s"}],"capacity":{"s":"18446744073709551615"}}' | "$zlay" pipe schedule - > "$tap_dir/drawn" &&
        grep -q '^a a??\[1m ' "$tap_dir/drawn" && grep -q '1 x 18446744073709551615$' "$tap_dir/drawn" || return 1
    awk 'BEGIN { printf "{\"ops\":["; for (i = 0; i < 63; i++) printf "%s{\"name\":\"o%d\",\"unit\":\"u\",\"cycles\":1,\"latency\":1}", i ? "," : "", i; printf "],\"edges\":[],\"units\":{\"u\":21}}" }' | "$zlay" pipe schedule - > "$tap_dir/drawn" &&
        grep -q '^9 o61 ' "$tap_dir/drawn" && grep -q '^\* o62 ' "$tap_dir/drawn" && grep -q 'and more at a time than the 16 that are drawn' "$tap_dir/drawn"
}
check "pipe schedule: names that are printed, and more operations than letters" loop_is_drawn
check "pipe emit: PTX and CUDA C" pipe_is_a_kernel
check "pipe emit: what is wrong is not printed" exits 1 "$zlay" pipe emit "$tap_dir/early.pipe" sm_90a
check "pipe emit: another language is an error" exits 2 "$zlay" pipe emit "$tap_dir/ring.pipe" sm_90a rust

layout_is_a_function() {
    "$zlay" emit layout cuda '(4,8):(8,1)' at | grep -q ' unsigned at(unsigned i0, unsigned i1)$' && "$zlay" emit layout ptx '(4,8):(8,1)' | grep -q '^.func .*) layout('
}
same_as_batch() { # REQUEST COMMAND...: the command prints the text that the request is answered
    request=$1
    shift
    printf '%s\n' "$request" | "$zlay" batch | python3 -c 'import json, sys; sys.stdout.write(json.load(sys.stdin)["ok"]["text"])' > "$tap_dir/asked" && "$zlay" "$@" | cmp - "$tap_dir/asked"
}
regs='f2{register: (1) (32); lane: (2) (4) (8) (16) (64) -> t: 128}' row='f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}'
map='"mode": "tiled", "rank": 2, "address": 1048576, "extent": [4096, 1024], "stride": [8192], "box": [64, 64], "step": [1, 1], "interleave": 0, "swizzle": "128B", "l2": 0, "oob": 0, "type": "bf16"'
map_bits=00001000000000001065000000020000$(printf '%032d' 0)ff0f0000ff0300000000000000000000000000000000003f3f0000000000000000200000000000000004$(printf '%0108d' 0)
show_commands() {
    test "$("$zlay" show layout '(2,3):(3,1)' | tail -n 1)" = '1 3 4 5' && "$zlay" show layout '(2,3):(3,1)' form=svg | grep -q '^</svg>$' &&
        "$zlay" show layout '(2,3):(3,1)' form=json | grep -q '^{"title":"(2,3):(3,1)"' &&
        "$zlay" show layout '(2,3):(3,1)' width=20 colour=true | grep -q '48;5;'
}
check "show: text, SVG, JSON" show_commands
check "show: a layout that is none is an error" exits 2 "$zlay" show layout '(2,3'
check "show: a form that is none is an error" exits 2 "$zlay" show layout '(2,3):(3,1)' form=png

emit_commands() {
    same_as_batch '{"op": "emit", "what": "layout", "layout": "(8,64):(64,1)", "language": "hip", "name": "at"}' emit layout hip 'memref<8x64xf32>' at &&
        same_as_batch '{"op": "emit", "what": "selector", "unknowns": ["m", "n"], "facts": ["1 <= n < 2^31"], "shapes": [[1, 64], [2, 7]], "variants": [{"guard": ["n % 4 == 0"], "cost": "n / 4"}, {"cost": "n"}], "most": 2, "name": "pick"}' \
            emit selector m,n '[[1,64],[2,7]]' '[{"guard":["n % 4 == 0"],"cost":"n / 4"},{"cost":"n"}]' pick 'facts=["1 <= n < 2^31"]' most=2 &&
        same_as_batch '{"op": "emit", "what": "word", "slots": [["register", 2], ["lane", 32]], "map": "(2,2,16):(2,1,4)", "language": "cuda", "name": "word"}' emit word cuda register:2,lane:32 '(2,2,16):(2,1,4)' &&
        same_as_batch '{"op": "emit", "what": "convert", "target": "sm_90a", "elem_bits": 32, "src": "'"$regs"'", "dst": "'"$row"'", "language": "ptx", "name": "turn"}' emit convert ptx sm_90a 32 "$regs" "$row" turn &&
        same_as_batch '{"op": "emit", "what": "move", "target": "sm_90a", "elem_bits": 16, "src": {"layout": "(64,64):(72,1)", "space": "global", "align": 16}, "dst": {"layout": "(64,64):(64,1)", "space": "shared"}, "threads": 128, "language": "ptx", "name": "tile"}' \
            emit copy ptx sm_90a 16 '(64,64):(72,1)' '(64,64):(64,1)' tile threads=128 src.align=16 &&
        same_as_batch '{"op": "emit", "what": "tensormap", "target": "sm_90a", "map": {'"$map"'}, "language": "cuda", "name": "a"}' emit tensormap cuda sm_90a a type=bf16 extent=4096,1024 stride=8192 box=64,64 swizzle=128B address=0x100000 &&
        same_as_batch '{"op": "emit", "what": "tensormap", "target": "sm_90a", "map": {'"$map"'}, "language": "ptx", "name": "a"}' emit tensormap ptx sm_90a "$map_bits" a &&
        same_as_batch '{"op": "emit", "what": "tensormap", "target": "sm_90a", "map": {"mode": "im2col", "rank": 3, "address": 0, "extent": [32, 100, 4], "stride": [64, 6400], "lower": [-2], "upper": [1], "channels": 32, "pixels": 48, "step": [1, 1, 1], "interleave": 0, "swizzle": 0, "l2": "128B", "oob": 0, "type": "f16"}, "language": "cuda", "name": "a"}' \
            emit tensormap cuda sm_90a a mode=im2col type=f16 extent=32,100,4 stride=64,6400 lower=-2 upper=1 channels=32 pixels=48 l2=128B 'step=[1, 1, 1]' &&
        "$zlay" emit tensormap ptx sm_90a row type=u8 extent=256 box=256 | grep -q '^.global .align 64 .b64 row' &&
        same_as_batch '{"op": "emit", "what": "smemdesc", "target": "sm_90a", "desc": "0x4000004000010040", "step": [0, 32, 8192], "language": "cuda", "name": "d"}' emit smemdesc cuda sm_90a 0x4000004000010040 0,32,8192 d &&
        same_as_batch '{"op": "emit", "what": "smemdesc", "target": "sm_90a", "desc": "0x4000004000010040", "step": [0], "language": "cuda", "name": "d"}' emit smemdesc cuda sm_90a 0x4000004000010040 d &&
        same_as_batch '{"op": "emit", "what": "idesc", "target": "sm_100a", "kind": "f16", "desc": 138413200, "language": "cuda", "name": "idesc"}' emit idesc cuda sm_100a f16 138413200 &&
        same_as_batch '{"op": "emit", "what": "attention", "target": "sm_90a", "head": 64, "queries": 500, "keys": 500, "sequences": 3, "causal": true, "heads": 2, "language": "ptx", "name": "a"}' \
            emit attention ptx sm_90a 64 500 500 a sequences=3 causal=true heads=2 &&
        same_as_batch '{"op": "emit", "what": "snippets", "target": "gfx942", "name": "s"}' emit snippets gfx942 s &&
        "$zlay" emit ring cuda sm_90a "$tap_dir/ring.pipe" r > "$tap_dir/r" && "$zlay" emit ring cuda sm_90a - r < "$tap_dir/ring.pipe" | cmp - "$tap_dir/r" && grep -q 'r_full_wait(' "$tap_dir/r" &&
        echo "$map_bits" | "$zlay" emit tensormap ptx sm_90a - a | cmp - "$tap_dir/asked.map"
}
check "emit layout: CUDA C and PTX" layout_is_a_function
check "emit layout: what is no layout is an error" exits 2 "$zlay" emit layout cuda '(4,8):(8,'
check "emit layout: another language is an error" exits 2 "$zlay" emit layout rust '(4,8):(8,1)'
"$zlay" emit tensormap ptx sm_90a "$map_bits" a > "$tap_dir/asked.map"
check "emit: every command prints the text of its request" emit_commands
check "emit: what lists the commands" says 'zlay emit word LANGUAGE SLOTS MAP \[NAME\]$' "$zlay" emit
check "emit: the languages" says "field 'language' is not one of its names (cuda, hip, ptx)" "$zlay" emit word rust register:2,lane:32 '(2,2,16):(2,1,4)'
check "emit: which argument is missing" says 'DST is missing; emit convert takes LANGUAGE TARGET ELEM_BITS SRC DST \[NAME\]$' "$zlay" emit convert cuda sm_90a 32 8:1
check "emit: which argument is one too many" says 'more is one argument too many; emit idesc takes' "$zlay" emit idesc cuda sm_100a f16 138413200 d more
check "emit: what is no field" says "no field is called 'thread'" "$zlay" emit copy ptx sm_90a 16 64:1 64:1 c thread=4
check "emit: what is no FIELD=VALUE" says 'x is no FIELD=VALUE' "$zlay" emit copy ptx sm_90a 16 64:1 64:1 c x
check "decode: the call that makes a tensor map, and what a copy moves" call_is_decoded
show_commands() { # every command prints the text of its request
    map='{"mode": "tiled", "type": "bf16", "rank": 2, "address": 0, "extent": [72, 70], "stride": [144], "box": [64, 8], "step": [1, 1], "interleave": "none", "swizzle": "128B", "l2": "none", "oob": "none"}'
    same_as_batch '{"op": "show.smemdesc", "target": "sm_90a", "desc": "0x4000004000010040", "form": "text"}' show smemdesc sm_90a 0x4000004000010040 &&
        same_as_batch '{"op": "show.idesc", "target": "sm_100a", "kind": "f16", "desc": "0x08400490", "form": "text"}' show idesc sm_100a f16 0x08400490 &&
        same_as_batch '{"op": "show.buffer", "target": "gfx942", "desc": "0x1", "form": "svg"}' show buffer gfx942 0x1 form=svg &&
        same_as_batch "{\"op\": \"show.tensormap\", \"target\": \"sm_90a\", \"words\": \"$map_bits\", \"form\": \"text\"}" show tensormap sm_90a "$map_bits" &&
        same_as_batch '{"op": "show.banks", "target": "sm_90a", "instruction": "ld.shared.b32", "addresses": "32:8", "form": "text", "width": 60}' show banks sm_90a ld.shared.b32 32:8 width=60 &&
        same_as_batch "{\"op\": \"show.box\", \"coordinates\": [32, 66], \"smem\": 1024, \"map\": $map, \"form\": \"html\"}" show box 32,66 type=bf16 extent=72,70 stride=144 box=64,8 swizzle=128B smem=1024 form=html &&
        same_as_batch '{"op": "show.swizzle", "elem_bits": 16, "before": "(8,8):(8,1)", "after": "(8,8):(16,1)", "values": true, "form": "text"}' show swizzle 16 '(8,8):(8,1)' '(8,8):(16,1)' values=true
}
check "show: every command prints the text of its request" show_commands
show_of_files() { # the fields of a file, and more behind it
    "$zlay" show schedule examples/loops/sum.json iterations=2 | grep -q '^the first 2 iterations$' &&
        "$zlay" show schedule - form=svg < examples/loops/sum.json | grep -q '</svg>$' &&
        "$zlay" show places examples/gemm.places.json sm_90a cluster=1 | grep -q '^ sum  *made'
}
check "show: loops and tile programs of a file" show_of_files
check "show: a file that has no fields" says 'no JSON object: .*line 1' "$zlay" show schedule examples/ring.pipe
check "show: a loop without a schedule is no" exits 1 "$zlay" show schedule examples/loops/sum.json 'units={"copy":0,"tensor":1,"alu":1}'
check "show: which argument is missing" says 'WORDS is missing; show tensormap takes TARGET WORDS' "$zlay" show tensormap sm_90a
check "show: no field of a map" says "no field is called 'boxes'" "$zlay" show box 0 boxes=3 extent=3 type=bf16 box=3
check "emit: bits that are no map" says '256 hex digits' "$zlay" emit tensormap cuda sm_90a "${map_bits}0"
check "emit: bits of no field" says 'word 15 of BITS has bits of no field: 0x0*a000' "$zlay" emit tensormap cuda sm_90a "$(echo "$map_bits" | sed 's/0000000000000$/00a0000000000/')"
printf 'pipe x\0\n' > "$tap_dir/zero.pipe"
check "emit: a text with a 0" says 'it has a byte that is 0' "$zlay" emit ring cuda sm_90a "$tap_dir/zero.pipe"
check "emit: a pipe that is not correct is no" exits 1 "$zlay" emit ring cuda sm_90a "$tap_dir/early.pipe"
check "emit layout: a keyword is no name" exits 2 "$zlay" emit layout hip '(4,8):(8,1)' __global__
check "a pipe that is none is an error" exits 2 "$zlay" pipe verify tests/checks/cli.sh
check "a file that is not there is an error" exits 2 "$zlay" pipe verify "$tap_dir/none"
wave_kernel() { # a plan of waves: proved, and written as assembly
    "$zlay" plan gemm --target gfx950 --m 100 --n 90 --k 72 --out "$tap_dir/wave.s" > "$tap_dir/wave.txt" &&
        grep -q 'certificates: 9 pairs' "$tap_dir/wave.txt" && grep -q 'amdhsa_kernel gemm' "$tap_dir/wave.s"
}
code_object() {
    ZLAY=$zlay examples/gemm_hip/code_object.sh "$tap_dir/gemm.co" gfx942 --m 100 --n 90 --k 64 > /dev/null && test -s "$tap_dir/gemm.co"
}
typed_kernels() { # types by name: planned, executed by the model at ragged sizes, and printed
    for types in "e4m3 e5m2 f32" "s8 u8 s32" "u8 u8 s32" "tf32 tf32 f16" "f16 f16 bf16"; do
        set -- $types
        plan --a-type "$1" --b-type "$2" --d-type "$3" --m 70 --n 67 --k 133 --ldd 71 --model 0 --out "$tap_dir/typed.ptx" > "$tap_dir/typed.txt" &&
            grep -q "K = 133, $1 x $2 to $3 with" "$tap_dir/typed.txt" && grep -q '4690 elements of D equal' "$tap_dir/typed.txt" &&
            grep -q "\.$1\.$2 " "$tap_dir/typed.ptx" || return 1
    done
}
check "plan gemm: types of A, B and D" typed_kernels
check "plan gemm: types that no instruction multiplies are refused" exits 1 "$zlay" plan gemm --a-type e4m3 --b-type s8
check "plan gemm: a type that is none is an error" exits 2 "$zlay" plan gemm --d-type f17
check "plan gemm: a plan of waves and its assembly" wave_kernel
check "plan gemm: K that loads of 16 bytes cannot bring is refused" exits 2 "$zlay" plan gemm --target gfx942 --k 4100
if command -v llvm-mc-22 > /dev/null && command -v ld.lld-22 > /dev/null; then
    check "a code object" code_object
else
    tap_number=$((tap_number + 1))
    echo "ok $tap_number - a code object # SKIP no LLVM 22"
fi
next_things() { # what `make run` ends with runs
    sed -n 's|^  \$B/zlay \(.*[^ ]\)    *[^ ].*|\1|p' tools/run.sh > "$tap_dir/next" && test "$(wc -l < "$tap_dir/next")" -eq 3 || return 1
    while read -r line; do eval "\"\$zlay\" $line" > "$tap_dir/out" && test -s "$tap_dir/out" || { echo "$line"; return 1; }; done < "$tap_dir/next"
}
check "the three things to try after make run" next_things
check "batch takes no argument" exits 2 "$zlay" batch x
check "--version" exits 0 "$zlay" --version
check "batch: an answer a line" frame
check "batch: the operator's ceilings" ceilings
check "batch: ceilings that are none" bad_ceilings
check "batch: answers before it waits" answers_before_waiting
check "batch: a line of 17 MiB" long_line
check "batch: no room for output is 2" closed_output
check "plan: no room for output is 2" help_to_full
check "output to a full device" all_to_full
check "the bench prints a ratio a line" bench_lines
check "the bench fills in beside a driver, and says what that lacks" fill_by_driver
check "the bench knows its flags" exits 2 "$B/zlay-bench" --xml
exit $tap_failed
