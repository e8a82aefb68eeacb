#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/cover/run.sh PROGRAM SECONDS [TARGET...]: libFuzzer on every target for so long each, from tests/fuzz/corpus and
# from what former runs found beside the program.  FUZZ_RUNS instead counts inputs, with a fixed seed: the same inputs for
# the same program, as CI wants them.  JOBS targets run at once (as many as there are processors).  Ends with
# `N targets, N broken`, and with status 1 if any is.
set -u
program=$1 seconds=$2
shift 2
found=$(dirname "$program")/corpus
fixed=
if [ -z "${FUZZ_RUNS:-}" ]; then
    most="-max_total_time=$seconds"
else # what libFuzzer chooses depends on times and on addresses too, unless it is told not to
    most="-runs=$FUZZ_RUNS -seed=1 -entropic=0 -reload=0"
    setarch -R true 2> /dev/null && fixed="setarch -R"
fi
mkdir -p "$found"
[ $# -gt 0 ] || set -- $(FUZZ_TARGET=? "$program" 2>&1 | sed -n 's/.*the targets: //p')
export program found fixed most
# A ctx has the limits of the target, so an input is slow after 10 s; leaks end the run as crashes do.
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc 2> /dev/null || echo 1)}" -n 1 sh -c '
    mkdir -p "$found/$1" "tests/fuzz/crashers/$1"
    FUZZ_TARGET=$1 $fixed "$program" "$found/$1" "tests/fuzz/corpus/$1" $most -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
        -artifact_prefix="tests/fuzz/crashers/$1/" -print_final_stats=1 -verbosity=0 > "$found/$1.log" 2>&1
    echo $? > "$found/$1.status"' sh
broken=0 count=0
for target in "$@"; do
    if [ "$(cat "$found/$target.status" 2> /dev/null)" = 0 ]; then
        printf '%-12s %s\n' "$target" "$(sed -n 's/stat::number_of_executed_units: */runs /p' "$found/$target.log")"
    else
        broken=$((broken + 1))
        tail -n 40 "$found/$target.log"
    fi
    rm -f "$found/$target.status"
    rmdir "tests/fuzz/crashers/$target" 2> /dev/null
    count=$((count + 1))
done
rmdir tests/fuzz/crashers 2> /dev/null
echo "$count targets, $broken broken"
[ "$broken" -eq 0 ]
