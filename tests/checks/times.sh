#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The planners' models of time: the constants are what times that are kept give, the program reckons as tests/device/fit/fit.py does,
# its first choices are as near to the best as they were, and no kernel ran faster than its bound.
. tests/tap.sh

times=tests/data/plan_times.txt
fit() { python3 tests/device/fit/fit.py "$@"; }

files() { sed 's/\(FITTED(.*\), [0-9]*)/\1)/' "$@"; } # numbers are compared below, for the last digit is the machine's
files_are_written_so() {
    fit fit "$times" 2> "$tap_dir/regret" > "$tap_dir/rows" && test "$(grep -c cross-validated "$tap_dir/regret")" -eq 2 &&
        files src/synth/gemm/fitted.def src/synth/attention/fitted.def > "$tap_dir/committed" && files "$tap_dir/rows" | diff "$tap_dir/committed" -
}
is_kept() { fit keep "$times" | cmp - "$times"; }
models_agree() { fit check "$times" --zlay "$B/zlay"; }
is_noticed() { # pairs that take twice as long
    awk '/ pairs / {$NF *= 2} {print}' "$times" > "$tap_dir/times" && exits 1 fit check "$tap_dir/times" --zlay "$B/zlay" | grep -q 'PAIR_PERCENT is'
}
draws_are_new() { # the held tasks are none of 2000 that a fit may draw, which are the same each time
    (cd tests/device/fit && python3 -c '
import fit, itertools, random, tune
for drawn, held in (fit.gemms_drawn, tune.GEMMS), (fit.attentions_drawn, tune.ATTENTIONS):
    one, two = (list(itertools.islice(drawn(random.Random(1)), 2000)) for _ in range(2))
    assert one == two and len(set(one)) > 1000 and not set(one) & set(held)')
}

check "a fit writes such files as are committed" files_are_written_so
check "the constants are what the kept times give, the program reckons so, chooses as well as it did, and its bound is below each time" models_agree
check "what is kept is kept so again" is_kept
check "other times are noticed" is_noticed
check "what a fit draws is none of the tasks that judge it" draws_are_new
echo "1..$tap_number"
exit $tap_failed
