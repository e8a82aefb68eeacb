#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/cover/run.sh PROGRAM SECONDS [TARGET...]: libFuzzer on every target for so long each, from tests/fuzz/corpus and
# from what former runs found beside the program.  FUZZ_RUNS instead counts inputs, with a fixed seed: the same inputs for
# the same program, as CI wants them.  Ends with `N targets, N broken`, and with status 1 if any is.
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
[ $# -gt 0 ] || set -- $(FUZZ_TARGET=? "$program" 2>&1 | sed -n 's/.*the targets: //p')
broken=0 count=0
for target in "$@"; do
    mkdir -p "$found/$target" "tests/fuzz/crashers/$target"
    # A ctx has the limits of the target, so an input is slow after 10 s; leaks end the run as crashes do.
    if FUZZ_TARGET=$target $fixed "$program" "$found/$target" "tests/fuzz/corpus/$target" $most -timeout=10 -rss_limit_mb=2048 \
        -max_len=4096 -artifact_prefix="tests/fuzz/crashers/$target/" -print_final_stats=1 -verbosity=0 > "$found/$target.log" 2>&1; then
        printf '%-12s %s\n' "$target" "$(sed -n 's/stat::number_of_executed_units: */runs /p' "$found/$target.log")"
    else
        broken=$((broken + 1))
        tail -n 40 "$found/$target.log"
    fi
    rmdir "tests/fuzz/crashers/$target" 2> /dev/null
    count=$((count + 1))
done
rmdir tests/fuzz/crashers 2> /dev/null
echo "$count targets, $broken broken"
[ "$broken" -eq 0 ]
