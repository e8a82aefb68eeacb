#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/gen-forms.sh: docs/instructions.md from the rows of src/isa/forms/*.def, on standard output.
set -eu
cat <<'END'
# Instruction forms

`instruction.check`, `zlay_instruction_check`, `zlay explain FORM`: is there such an instruction on a target and in a PTX version, and
may its constants be these? Written by `make generate` from `src/isa/forms/*.def`.

A row stands for each combination of the choices of its axes: `tma.load.tile.<dim><dst><pair><hint>` is `tma.load.tile.2d`,
`tma.load.tile.5d.multicast.hint` and 88 more. The PTX opcode with all its modifiers names a form as well; where forms differ in
operands only, it is the first. A form asks for the latest PTX version and for every set of targets that its row or a choice names; a
text asks for the target's own version too. In a text `%name:c` is an operand of class c (r .b32, d .b64, h .b16, q .b128, f .f32,
g .f64, p .pred, i an immediate), `%name:c4` a vector of four; of gfx targets v VGPRs, a AGPRs, s SGPRs, so many in a row; `=KIND` says that a constant in its place has rules, which
[rules.md](rules.md) lists from number 300 (of gfx targets from 800). Constants are fields of a request under the operand's name: `"registers": 40`.

| by | means here |
|---|---|
| assembler | ptxas 13.0.88 refuses the text; of gfx targets llvm-mc 22.1.8 |
| documented | the assembler takes it; the PTX ISA 9.1 does not have it, or not yet; it keeps low bits of a number |
| hardware | ptxas takes it, and an H200 faults or counts something else |

How we know: `ZLAY_EXHAUSTIVE=2 build/tests/oracle/instruction` puts every form to ptxas 13.0.88 on every target, under every PTX version from 7.0 to 9.0 and every text
with constants around every bound, and compares line by line; `make test` does so with a part. Forms of gfx targets have no PTX version: `tests/isa/gfx.c` puts them to llvm-mc 22.1.8 ([amd.md](amd.md)). Shapes and descriptors of matrix
instructions are not asked here: [legality.md](legality.md).

## Rows

| id | PTX | targets | text |
|---|---|---|---|
END
rows() {
    printf '#define SET(name, text, properties) SET name @ text\n#include "isa/forms/sets.def"\n#define FORM(id, ptx, on, text) FORM id @ ptx @ on @ text\n#define PURE(id, ptx, on, text) FORM id @ ptx @ on @ text\n#define UNSAID(id, ptx, on, text) UNSAID id @ ptx @ on @ text\n#include "isa/forms.def"\n#define AXIS(name)\n#define CHOICE(axis, word, ptx, on, text, text1, text2) CHOICE #axis @ word @ ptx @ on @ text @ text1 @ text2\n#include "isa/forms/axes.def"\n' |
        ${CC:-cc} -E -P -Isrc -x c - | grep -E '^(SET|FORM|UNSAID|CHOICE)'
}
rows | awk -F ' @ ' '
    function plain(text) { gsub(/^"|"$/, "", text); gsub(/[|]/, "\\|", text); return text }
    function version(n) { return n == 0 ? "" : int(n / 10) "." n % 10 }
    /^SET / { sub(/^SET /, "", $1); sets[$1] = plain($2); next }
    /^FORM / { sub(/^FORM /, "", $1); printf "| `%s` | %s | %s | `%s` |\n", plain($1), version($2), sets[$3], plain($4) }
    /^UNSAID / {
        sub(/^UNSAID /, "", $1)
        printf "| `%s` | %s | none: ptxas alone takes it on %s | `%s` |\n", plain($1), version($2), sets[$3], plain($4)
    }'
cat <<'END'

## Axes

A choice without PTX version and targets asks for nothing of its own; (documented) marks what ptxas does not ask.

| axis | word | PTX | targets | text |
|---|---|---|---|---|
END
rows | awk -F ' @ ' '
    function plain(text) { gsub(/^"|"$/, "", text); gsub(/[|]/, "\\|", text); return text }
    function quoted(text) {
        if (text == "") return ""
        if (sub(/\\\|$/, "", text)) return "`" text "` or nothing"
        return "`" text "`"
    }
    function said(cell) { return cell ~ /SAYS/ ? " (documented)" : "" }
    function bare(cell) { gsub(/SAYS\(|\)/, "", cell); return cell }
    function version(cell, n) { n = bare(cell); return n == 0 ? "" : int(n / 10) "." n % 10 said(cell) }
    function targets(cell) { return bare(cell) == "0" ? "" : sets[bare(cell)] said(cell) }
    function word(text, list, n, i, out) {
        gsub(/^"|"$/, "", text)
        n = split(text, list, "|")
        out = list[1] == "" ? "none" : "`" list[1] "`"
        for (i = 2; i <= n; i++) out = out " or `" list[i] "`"
        return out
    }
    /^SET / { sub(/^SET /, "", $1); sets[$1] = plain($2); next }
    /^CHOICE / {
        sub(/^CHOICE /, "", $1)
        text = quoted(plain($5)) (plain($6) == "" ? "" : " " quoted(plain($6))) (plain($7) == "" ? "" : " " quoted(plain($7)))
        printf "| %s | %s | %s | %s | %s |\n", plain($1), word($2), version($3), targets($4), text
    }'
