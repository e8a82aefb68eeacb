#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/gen-rules.sh [man]: docs/rules.md, or the page zlay_rules(7), from the rows of src/rules/rows/*.def, on standard output.
set -eu
form=${1:-page}
[ "$form" = man ] && cat <<'END'
.\" SPDX-License-Identifier: Apache-2.0
.TH ZLAY_RULES 7 "" zlay zlay
.SH NAME
zlay_rules \- the rules of GPU data movement that zlay checks
.SH DESCRIPTION
A check of
.BR zlay (1)
lists every rule that its input breaks.
Each stands here with what it wants, the value or bound, the targets, who enforces it, what its repair keeps at best, and its source.
.PP
\fBdriver\fR: where the class's driver was measured (sm_90), else its document.
\fBrefuted\fR: documented, and only noted, for a measured driver and its device do not hold it.
\fBrefuted sm90\fR: noted on sm_90 alone, for only that was measured.
\fBpractice\fR: what published kernels keep to where the ISA is silent.
\fBconflict\fR: practice narrower than the ISA's text, which refuses under strictness alone.
\fBadvice\fR: legal, and surely a mistake: noted, never refused.
.SH RULES
END
[ "$form" = page ] && cat <<'END'
# Rules

Every row of `src/rules/rows/*.def`, written by `make generate`. Numbers and ids are never reused. `keeps` is the most that a repair of the rule keeps.
[legality.md](legality.md) says what a verdict is and how to ask for one. `cuda.h` is that of CUDA 13.0, `cuTensorMapEncodeTiled`, the parameter named; `H200` is NVIDIA's with driver 580.159.04.

| by | means |
|---|---|
| driver | the driver's encode call returns an error; on targets whose driver was not measured (all but sm_90), its document says so |
| document | a document says so |
| assembler | ptxas or LLVM's assembler refuses the text |
| hardware | it encodes and assembles, then faults or does something else |
| refuted | a document says so, and a measured driver and its device do not do it: *noted*, it refuses nothing; `refuted sm90`: noted on sm_90 alone, where it was measured |
| practice | published kernels keep to it, where the ISA is silent |
| conflict | published kernels keep to it, and the ISA's text allows more: it refuses under `strict` alone |
| advice | the request is legal and almost surely a mistake: *noted*, it refuses nothing |

| number | id | rule | value | on | by | keeps | source |
|---|---|---|---|---|---|---|---|
END
printf '#define CLASSES(name, text, classes) SET name @ text\n#include "target/classes.def"\n#define RULES(file, version)\n#define CONSTANT(name, value) CONST name @ value\n#define RULE(number, id, quantity, relation, lo, hi, when, by, field, targets, keeps, source, text) ROW number @ id @ text @ relation @ lo @ hi @ targets @ by @ keeps @ source\n#include "rules/rules.def"\n' |
    ${CC:-cc} -E -P -Isrc -x c - | grep -E '^(ROW|SET|CONST)' | sed 's/^CONST/SET =/' | sort -k1,1r -k2,2n | awk -v form="$form" -F ' @ ' '
    function plain(text) { gsub(/^"|"$/, "", text); return text }
    function word(text) { text = tolower(text); gsub(/_/, " ", text); return text }
    function bound(text) {
        if (text ~ /^INT(32|64)_MAX$/) return text == "INT32_MAX" ? "2^31 - 1" : "2^63 - 1"
        if (text in numbers) text = numbers[text]
        gsub(/NEGATIVE\(/, "-", text)
        if (text ~ /^[A-Z_]+$/) return "(" word(text) ")"
        gsub(/\(1ull << |\(1u << |1ull << /, "2^", text); gsub(/\)/, "", text)
        return text
    }
    /^SET = / { sub(/^SET = /, "", $1); numbers[$1] = $2; next }
    /^SET / { sub(/^SET /, "", $1); sets[$1] = plain($2); next }
    {
        sub(/^ROW /, "", $1)
        value = $4 == "RANGE" || $4 == "SIGNED" ? bound($5) " to " bound($6) : $4 == "MULTIPLE" ? "multiple of " bound($5) : bound($5)
        if ($4 == "EQUAL" && $5 == "0" && $2 ~ /^DESC_(CANONICAL|ROW)$/) value = ""
        on = sets[$7]
        if (form == "page")
            printf "| %s | `%s` | %s | %s | %s | %s | %s | %s |\n", $1, $2, plain($3), value, on, word($8), word($9), plain($10)
        else
            printf ".TP\n.BR %s \" (%s)\"\n%s.\nValue: %s. Targets: %s. By: %s. Keeps: %s.\nSource: %s.\n",
                $2, $1, plain($3), value == "" ? "-" : value, on, word($8), word($9), plain($10)
    }'
