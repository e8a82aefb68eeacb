#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README and documents say what is so: the examples in C and Python print what they say, the transcripts
# are what the program answers, links lead somewhere, generated tables are up to date.
. tests/tap.sh

block() { awk -v want="\`\`\`$1" '$0 == want {on = 1; next} /^```/ {on = 0} on' "${2:-README.md}"; }

readme_is_short() { test "$(wc -l < README.md)" -lt 200; }
example_is_short() { block c > "$tap_dir/example.c" && test -s "$tap_dir/example.c" && test "$(wc -l < "$tap_dir/example.c")" -le 20; }

example_runs() { # PAGE
    block c "$1" > "$tap_dir/example.c" && block text "$1" > "$tap_dir/wanted" && test -s "$tap_dir/wanted" || return 1
    "$CC" -std=c11 -Wall -Wextra -Werror -Iinclude -o "$tap_dir/example" "$tap_dir/example.c" -L"$B" -lzlay || return 1
    LD_LIBRARY_PATH=$B "$tap_dir/example" > "$tap_dir/printed" && diff "$tap_dir/wanted" "$tap_dir/printed"
}

# The encoder by hand and zlay's two lines, on maps around every bound: both refuse, or their bytes are the same.
by_hand_is_the_same() {
    block "c by zlay" > "$tap_dir/zlay.inc" && test "$(wc -l < "$tap_dir/zlay.inc")" -eq 2 && block "c by hand" > "$tap_dir/hand.inc" || return 1
    cat > "$tap_dir/beside.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <zlay/zlay.h>
#include "hand.inc"
static int differs(const zlay_target *target, uint64_t at, uint64_t rows, uint64_t cols, uint64_t pitch, uint32_t high, uint32_t wide)
{
    zlay_tensormap map = {.address = at, .extent = {cols, rows}, .stride = {pitch}, .box = {wide, high}, .step = {1, 1},
                          .rank = 2, .type = ZLAY_TYPE_BF16, .swizzle = ZLAY_SWIZZLE_128B};
    zlay_verdict verdict;
    zlay_reason reasons[8];
    uint64_t words[16] = {0}, hand[16] = {0};
    const char *wrong = encode(hand, at, rows, cols, pitch, high, wide);
#include "zlay.inc"
    int same = verdict.answer == ZLAY_YES ? !wrong && !memcmp(words, hand, 128) : wrong != NULL;
    if (!same) printf("%llu %llu %llu %llu %u %u: %s\n", (unsigned long long)at, (unsigned long long)rows, (unsigned long long)cols,
                      (unsigned long long)pitch, high, wide, wrong ? wrong : "accepted by hand");
    return !same;
}
int main(void)
{
    static const uint64_t at[] = {0x7f0000000000, 0x7f0000000010, 0x7f0000000008}, extent[] = {0, 1, 1000, 1ull << 31, (1ull << 31) + 1},
                          pitch[] = {8192, 8200, 16, 1ull << 39, 1ull << 40};
    static const uint32_t high[] = {0, 1, 128, 256, 257}, wide[] = {0, 4, 8, 56, 64, 72};
    const zlay_target *target;
    int wrong = zlay_target_find(&target, "sm_90a", 6) != ZLAY_OK;
    for (int i = 0; i < 3 * 5 * 5 * 5 * 5 * 6 && !wrong; i++)
        wrong += differs(target, at[i % 3], extent[i / 3 % 5], extent[i / 15 % 5], pitch[i / 75 % 5], high[i / 375 % 5], wide[i / 1875]);
    return wrong;
}
END
    "$CC" -std=c11 -Wall -Wextra -Werror -Iinclude -I"$tap_dir" -o "$tap_dir/beside" "$tap_dir/beside.c" -L"$B" -lzlay && LD_LIBRARY_PATH=$B "$tap_dir/beside"
}

python_runs() {
    block python docs/start.md > "$tap_dir/example.py" && test -s "$tap_dir/example.py" &&
        LD_LIBRARY_PATH=$B python3 "$tap_dir/example.py" | diff - "$tap_dir/wanted"
}

transcript_is_true() { # PAGE COMMANDS: how many it has; they run in a copy of examples/
    block console "$1" > "$tap_dir/transcript"
    test "$(grep -c '^\$ ' "$tap_dir/transcript")" -eq "$2" || { echo "$1 has not $2 commands"; return 1; }
    bin=$(cd "$B" && pwd)
    mkdir -p "$tap_dir/here" && cp -r examples "$tap_dir/here"
    grep '^\$ ' "$tap_dir/transcript" | while IFS= read -r line; do
        printf '%s\n' "$line"
        (cd "$tap_dir/here" && PATH="$bin:$PATH" sh -c "${line#\$ }" < /dev/null)
    done > "$tap_dir/answered"
    diff "$tap_dir/transcript" "$tap_dir/answered"
}

# Every line of a block without a language stands in an example.
bodies_are_the_examples() {
    awk '/^```/ {on = !inside && $0 == "```"; inside = !inside; next} on' docs/bodies.md > "$tap_dir/lines" &&
        test -s "$tap_dir/lines" || return 1
    while IFS= read -r line; do
        grep -qxF -- "$line" examples/epilogue.pipe examples/attention.pipe examples/dequant.pipe examples/tops.body || { echo "$line"; return 1; }
    done < "$tap_dir/lines"
}

pipe_is_the_same() { awk '/^```/ {n++; next} n == 1 {print} n == 2 {exit}' docs/pipe.md | diff - examples/ring.pipe; }

links_lead_somewhere() {
    for page in *.md docs/*.md docs/internals/*.md docs/recipes/*.md examples/*.md; do
        sed 's/`[^`]*`//g' "$page" | grep -o ']([^)#]*' | sed 's/](//' | grep -v '^http' | while read -r link; do
            test -e "$(dirname "$page")/$link" || echo "$page: $link"
        done
    done > "$tap_dir/dead"
    cat "$tap_dir/dead"
    test ! -s "$tap_dir/dead"
}

pages_are_listed() {
    for page in docs/*.md docs/internals/*.md docs/recipes/README.md; do grep -q "($page)" README.md || { echo "$page"; return 1; }; done
    for page in docs/recipes/[!R]*.md; do grep -q "(${page##*/})" docs/recipes/README.md || { echo "$page"; return 1; }; done
}

# A recipe is at most a page.
recipes_are_short() { wc -l docs/recipes/*.md | awk '$2 != "total" && $1 > 75 {print; long = 1} END {exit long}'; }

# The rows of the recipe make a target of which its program is answered.
target_is_added() {
    page=docs/recipes/target.md
    mkdir -p "$tap_dir/src/target" && cp src/target/*.def "$tap_dir/src/target" || return 1
    awk -v to="$tap_dir/" '/^```/ {on = $0 == "```diff"; file = ""; next} on && /^--- / {file = to $2; next} on && file && /^\+/ {print substr($0, 2) >> file}' "$page"
    block c "$page" > "$tap_dir/asks.c" && block text "$page" > "$tap_dir/wanted" && test -s "$tap_dir/wanted" || return 1
    "$CC" -std=c11 -Wall -Wextra -Werror -I"$tap_dir/src" -Iinclude -Isrc -DZL_ENGINES=0 -o "$tap_dir/asks" "$tap_dir/asks.c" src/target/target.c "$B/libzlay.a" || return 1
    "$tap_dir/asks" | diff "$tap_dir/wanted" - &&
        echo '{"op": "target.show", "target": "sm_87"}' | "$B/zlay" batch | grep '"error"'
}

tables_are_fresh() {
    mkdir "$tap_dir/docs" && cp docs/batch.md docs/errors.md docs/pipe.md docs/bodies.md docs/machine.md docs/places.md "$tap_dir/docs" && tools/generate.sh "$tap_dir/docs" &&
        diff docs/batch.md "$tap_dir/docs/batch.md" && diff docs/pipe.md "$tap_dir/docs/pipe.md" && diff docs/errors.md "$tap_dir/docs/errors.md" &&
        diff docs/bodies.md "$tap_dir/docs/bodies.md" && diff docs/machine.md "$tap_dir/docs/machine.md" && diff docs/places.md "$tap_dir/docs/places.md"
}

python_is_fresh() {
    python3 tools/gen-python.py "$B/zlay" "$tap_dir/python" && diff -r -x _answers.py -x __pycache__ python/zlay/ops "$tap_dir/python/ops" &&
        diff python/zlay/check.py "$tap_dir/python/check.py" && diff python/zlay/synth.py "$tap_dir/python/synth.py"
}

index_is_fresh() { python3 tools/site/pages.py | diff docs/index.md -; }
manual_is_fresh() { tools/gen-rules.sh man > "$tap_dir/rules.7" && diff docs/zlay_rules.7 "$tap_dir/rules.7"; }
forms_are_fresh() { tools/gen-forms.sh > "$tap_dir/instructions.md" && diff docs/instructions.md "$tap_dir/instructions.md"; }
rules_are_fresh() { tools/gen-rules.sh > "$tap_dir/rules.md" && diff docs/rules.md "$tap_dir/rules.md"; }

requests_are_answered() { # whole requests, on a line of their own or in backquotes
    grep -hoE '(^    |`)\{"op": ?"[a-z0-9_]+\.[a-z0-9_]+"[^`]*\}(`|$)' docs/*.md docs/internals/*.md | sed 's/^ *`*//; s/`$//' > "$tap_dir/requests"
    test "$(wc -l < "$tap_dir/requests")" -ge 5 && "$B/zlay" batch < "$tap_dir/requests" > "$tap_dir/answers" || return 1
    ! paste "$tap_dir/requests" "$tap_dir/answers" | grep -v '	{"ok"'
}

every_op_is_dispatched() { # the running program knows the ops of the page
    sed -n '/^<!-- generated/,/^<!-- end/s/^| `\([^`]*\)`.*/\1/p' docs/batch.md | while read -r op; do
        echo "{\"op\": \"$op\"}"
    done > "$tap_dir/ops"
    test -s "$tap_dir/ops" && ! "$B/zlay" batch < "$tap_dir/ops" | grep ENOTSUP
}

spdx() {
    for file in Makefile .ci/run setup.py pyproject.toml MANIFEST.in $(find src include tests tools bench examples pkgconfig playground python -type f \
        ! -path '*/corpus/*' ! -path '*/crashers/*' ! -path '*/data/*' ! -path '*/golden/*' ! -name '*.pipe' ! -name '*.list' ! -name skips ! -name '*.in' ! -name README.md ! -name '*.json*' ! -name py.typed ! -name '*.pyc'); do
        head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
    done > "$tap_dir/bare"
    cat "$tap_dir/bare"
    test ! -s "$tap_dir/bare"
}

no_loose_ends() { ! grep -nE '\b(TODO|FIXME|XXX|HACK)\b' -r src include tests --include=*.[ch] tools bench examples docs python README.md; }
files_are_short() { ! find src include \( -name '*.[ch]' -o -name '*.hpp' \) -exec awk 'END { if (NR > 400) print FILENAME, NR }' {} \; | grep .; }
lines_are_short() { # columns, not bytes; rows of data (.def) are wider, and zmat64 is laid out by its measurements
    ! find include src/base src/algebra src/json src/cli src/runtime src/preload \( -name '*.[ch]' -o -name '*.hpp' \) ! -name 'zmat64*' \
        -exec env LC_ALL=C.UTF-8 grep -nHE '^.{101}' {} + | grep .
}
licence_is_whole() { grep -q 'Apache License' LICENSE && test "$(wc -l < LICENSE)" -gt 190; }

check "README has fewer than 200 lines" readme_is_short
check "its C example has at most 20 lines" example_is_short
check "its C example compiles and prints what it says" example_runs README.md
check "its encoder by hand and the two lines that replace it write the same maps" by_hand_is_the_same
check "its transcript is what the program answers" transcript_is_true README.md 3
check "docs/start.md: the C example" example_runs docs/start.md
check "docs/start.md: the Python example prints the same" python_runs
check "docs/start.md: the transcripts" transcript_is_true docs/start.md 11
check "docs/functions.md: the transcripts" transcript_is_true docs/functions.md 12
check "docs/ragged.md: the transcripts" transcript_is_true docs/ragged.md 8
check "docs/io.md: the transcripts" transcript_is_true docs/io.md 5
check "docs/places.md: the transcripts" transcript_is_true docs/places.md 7
check "docs/variants.md: the transcripts" transcript_is_true docs/variants.md 9
check "docs/indices.md: the transcripts" transcript_is_true docs/indices.md 10
check "docs/algebra.md: the transcripts" transcript_is_true docs/algebra.md 8
check "docs/legality.md: the transcripts" transcript_is_true docs/legality.md 4
check "docs/ragged_maps.md: the transcripts" transcript_is_true docs/ragged_maps.md 5
check "docs/ragged_copies.md: the transcripts" transcript_is_true docs/ragged_copies.md 5
check "docs/filling.md: the transcripts" transcript_is_true docs/filling.md 4
check "docs/pipe.md: the transcripts" transcript_is_true docs/pipe.md 6
check "docs/stages.md: the transcripts" transcript_is_true docs/stages.md 12
check "docs/machine.md: the transcripts" transcript_is_true docs/machine.md 4
check "docs/tuning.md: the transcripts" transcript_is_true docs/tuning.md 9
check "docs/roles.md: the transcripts" transcript_is_true docs/roles.md 7
check "docs/schedule.md: the transcripts" transcript_is_true docs/schedule.md 8
check "docs/attention.md: the transcript" transcript_is_true docs/attention.md 4
check "docs/pictures.md: the transcripts" transcript_is_true docs/pictures.md 26
check "docs/recipes/tensormap.md: the transcript" transcript_is_true docs/recipes/tensormap.md 1
check "docs/recipes/tensormap.md: the C example" example_runs docs/recipes/tensormap.md
check "docs/recipes/swizzle.md: the transcripts" transcript_is_true docs/recipes/swizzle.md 4
check "docs/recipes/descriptor.md: the transcripts" transcript_is_true docs/recipes/descriptor.md 7
check "docs/recipes/pipe.md: the transcripts" transcript_is_true docs/recipes/pipe.md 5
check "docs/recipes/hang.md: the transcripts" transcript_is_true docs/recipes/hang.md 4
check "docs/recipes/triton.md: the transcripts" transcript_is_true docs/recipes/triton.md 4
check "docs/recipes/cutlass.md: the transcripts" transcript_is_true docs/recipes/cutlass.md 3
check "docs/recipes/tilelang.md: the transcripts" transcript_is_true docs/recipes/tilelang.md 4
check "docs/recipes/ck.md: the transcripts" transcript_is_true docs/recipes/ck.md 5
check "docs/recipes/amd.md: the transcripts" transcript_is_true docs/recipes/amd.md 4
check "docs/recipes/target.md: its rows are a target, which the program asks about" target_is_added
check "recipes are at most a page" recipes_are_short
check "docs/gemm.md: the transcripts" transcript_is_true docs/gemm.md 34
check "docs/bodies.md: the transcripts" transcript_is_true docs/bodies.md 2
check "docs/amd.md: the transcripts" transcript_is_true docs/amd.md 2
check "docs/bodies.md: its bodies and uses stand in the examples" bodies_are_the_examples
check "docs/start.md: the pipe is that of docs/pipe.md" pipe_is_the_same
check "README lists every page" pages_are_listed
check "links lead to files" links_lead_somewhere
check "the table of docs/batch.md is what src/json/rows/ops.def says, that of docs/errors.md what src/base/limits.def says, and so on" tables_are_fresh
check "the functions of zlay.ops are what src/json/rows/ops.def says" python_is_fresh
check "docs/index.md is what the headings say" index_is_fresh
check "docs/rules.md is what the rows say" rules_are_fresh
check "docs/instructions.md is what the rows say" forms_are_fresh
check "docs/zlay_rules.7 is what the rows say" manual_is_fresh
check "the program knows every operation of the page" every_op_is_dispatched
check "the requests of the documents are answered" requests_are_answered
check "every source begins with its licence" spdx
check "nothing is marked as unfinished" no_loose_ends
check "no source is longer than 400 lines" files_are_short
check "no line of the headers, the algebra and what stands beside it passes column 100" lines_are_short
check "LICENSE is the whole licence" licence_is_whole
exit $tap_failed
