#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/generate.sh [DIRECTORY]: rewrite what documents take from tables in src/: the operations and the names of cuda.h in batch.md, the
# limits in errors.md, the rules of pipes and who runs their events in pipe.md, the operations of bodies in bodies.md, the
# numbers of targets in machine.md, forms and moves in places.md.

set -eu
docs=${1:-docs}
table=$(mktemp)
trap 'rm -f "$table"' EXIT

# $1: the page; $2: the table's source; its rows on standard input.
into() {
    cat > "$table"
    sed -e "/^<!-- generated from $(printf %s "$2" | sed 's,/,\\/,g')/r $table" \
        -e "/^<!-- generated from $(printf %s "$2" | sed 's,/,\\/,g')/,/^<!-- end/{/^<!--/!d}" "$docs/$1" > "$docs/$1.new"
    mv "$docs/$1.new" "$docs/$1"
}

preprocess() { ${CC:-cc} -E -P -Isrc -x c -; }

# ROW "a" SEP "b" as a row of a table, the first cell as code; \" inside a string is a quotation mark.
cells() {
    sed -E -e 's/^ROW "(([^"\\]|\\.)*)"/| `\1`/' -e 's/ SEP "(([^"\\]|\\.)*)"/ | \1/g' -e 's/\\(.)/\1/g' -e 's/$/ |/'
}

{
    echo '| op | fields | may have | `ok` | |'
    echo '|---|---|---|---|---|'
    # Two lines an operation: name, fields, optional ones in brackets, answer; then the sentence.
    "${B:-build}/zlay" batch --help | sed -n '/^operations of /,/^exit status/p' | grep '^  ' | sed 'N; s/\n  */ | /' |
        sed -E 's/^  ([^ ]+)  ([a-z0-9_ ]*[a-z0-9_])?( \[([a-z0-9_ ]+)\])?: /| `\1` | \2 | \4 | /; s/$/ |/'
} | into batch.md src/json/rows/ops.def

{
    echo '| field | names, in the order of their numbers |'
    echo '|---|---|'
    for field in TYPE INTERLEAVE SWIZZLE L2 OOB WIDE_MODE; do
        printf '#define CUDA_%s(name, number) ROW name\n#include "base/cuda.def"\n' "$field" | preprocess | sed -n 's/^ROW "\(.*\)"/`\1`/p' |
            tr '\n' ' ' | sed "s/ \$//; s/ /, /g; s/^/| $(echo "$field" | tr '[:upper:]' '[:lower:]') | /; s/\$/ |/"
        echo
    done
} | into batch.md src/base/cuda.def

{
    echo '| limit | default | most | unit | what it bounds |'
    echo '|---|---|---|---|---|'
    printf '#define LIMIT(name, usual, most, unit, bounds) name|usual|most|unit|bounds\n#include "base/limits.def"\n' |
        preprocess | sed 's/(uint64_t)//g' | while IFS='|' read -r name usual most unit bounds; do
            printf '| `%s` | %s | %s | %s | %s |\n' "$name" "$(($usual))" "$(($most))" "$unit" "$bounds"
        done | tr -d '"'
} | into errors.md src/base/limits.def

{
    echo '| rule | broken when | source |'
    echo '|---|---|---|'
    printf '#define PIPE_RULE(id, name, text, source) ROW name SEP text SEP source\n#include "pipe/language/rules.def"\n' |
        preprocess | grep '^ROW' |
        cells
} | into pipe.md src/pipe/language/rules.def

# A target of each architecture.
for target in sm_80 sm_90a sm_100a gfx90a gfx942 gfx950; do
    printf '### %s\n```text\n' "$target"
    "${B:-build}/zlay" machine "$target" | sed 1d
    printf '```\n\n'
done | into machine.md src/target/machine.def

# Events by who runs them, in the order of the letters of `by`.
who() {
    printf '#define EVENT(kind, word, where, by, operands, does) ROW by word\n#include "pipe/language/events.def"\n' |
        preprocess | grep '^ROW' | grep -v '^ROW SCOPE'
    printf '#define WAY(kind, way, words, by) ROW by words\n#include "pipe/language/ways.def"\n' | preprocess | grep '^ROW'
}

{
    echo '| run by | events |'
    echo '|---|---|'
    who | awk -F'"' '
        { split($1, by, " "); list[by[2]] = list[by[2]] (list[by[2]] ? ", " : "") "`" $2 "`" }
        END {
            print "| one thread; of a role of many its elected one | " list["ONE"] " |"
            print "| every thread that the role has | " list["ALL"] " |"
            print "| all threads of whole warps: no role of one elected thread, but for a `read` or `write` of a stage that names no registers | " list["THREADS"] " |"
            print "| each warp as one | " list["WARPS"] " |"
            print "| a whole aligned warpgroup | " list["GROUP"] " |"
            print "| one warp alone | " list["WARP"] " |"
        }'
} | into pipe.md src/pipe/language/ways.def

# A class of types by its names; a body's conversions by source, with the words of their roundings.
{
    echo '| written | of | is |'
    echo '|---|---|---|'
    printf '#define BODY_OP(id, word, kind, args, takes, does) ROW kind~word~takes~does\n#include "body/ops.def"\n' | preprocess |
        grep '^ROW' | sed -E 's/^ROW //; s/ ?~ ?/~/g; s/"//g; s/ \| /, /g; s/\\//g' | awk -F'~' '
        BEGIN {
            name["FLOAT"] = "f32"; name["HALF"] = "f16, bf16"; name["INT"] = "s32, u32"; name["CONDITION"] = "conditions"; name["NONE"] = ""
        }
        {
            if ($2 == "") next
            n = split($3, of, ", "); types = ""
            for (i = 1; i <= n; i++) types = types (i > 1 ? ", " : "") name[of[i]]
            written = $2 == "" ? "" : "`" $2 "`"
            if ($1 == "BETWEEN" || $1 == "COMPARE") written = "`a " $2 " b`"
            if ($1 == "BEFORE") written = "`" $2 "a`"
            print "| " written " | " types " | " $4 " |"
        }'
} | into bodies.md src/body/ops.def

{
    echo '| from | to | rounds |'
    echo '|---|---|---|'
    printf '#define CONVERSION(from, to, rounds) ROW from~to~rounds\n#include "body/conversions.def"\n' | preprocess | grep '^ROW' |
        sed -E 's/^ROW //; s/ ?~ ?/~/g' | awk -F'~' '
        {
            how = $3; gsub(/NEAREST/, "to nearest", how); gsub(/ZERO/, "`rz` to zero", how); gsub(/DOWN/, "`rm` down", how); gsub(/UP/, "`rp` up", how)
            gsub(/EXACT/, "exact", how); gsub(/BIASED/, "`biased`, the value plus a power of two", how)
            gsub(/SCALED/, "`scaled`, the value times " ($1 == "UE8M0" ? "2^62" : $2 == "F16" ? "2^-14" : "2^-126"), how)
            gsub(/ \| /, ", ", how); if (how == "0") how = "none: it is exact, or saturates at the type\x27s ends"
            print "| " tolower($1) " | " tolower($2) " | " how " |"
        }'
} | into bodies.md src/body/conversions.def

# Places of operands by their letters, and what a target needs by its feature.
{
    echo '| form | kind | on targets with | operands, then results | source |'
    echo '|---|---|---|---|---|'
    printf '#define FORM(name, kind, tier, needs, least, operands, rest, sum, result, in_place, source) ROW name~kind~needs~operands~rest~sum~result~in_place~source\n#include "synth/places/forms.def"\n' |
        preprocess | grep '^ROW' | sed -E 's/^ROW //; s/ ?~ ?/~/g; s/"//g; s/[()]//g' | awk -F'~' '
        function places(word, i, text) {
            for (i = 1; i <= length(word); i++) text = text (i > 1 ? " or " : "") name[substr(word, i, 1)]
            return text
        }
        BEGIN { name["R"] = "register"; name["S"] = "shared"; name["C"] = "cluster"; name["T"] = "tensor_memory"; name["G"] = "global" }
        {
            n = split($4, of, ", *"); text = ""
            for (i = 1; i <= n; i++) if (of[i] != "NO" && !(of[i] == $5 && i > 1))
                text = text (i > 1 ? ", " : "") places(of[i]) (i == $6 + 1 && $6 != "NONE" ? " (a sum so far, if there is one)" : "")
            if ($5 != "NO") text = text " and so on"
            needs = $3 == "ANY" ? "" : $3 == "LANES" ? "all but gfx" : $3 ~ /^WAVES/ ? "gfx" (length($3) > 5 ? ", waves of " substr($3, 6) : "") : tolower($3)
            print "| `" $1 "` | `" $2 "` | " needs " | " text "; " places($7) ($8 == "1" ? ", in place of operands that are read no more" : "") " | " $9 " |"
        }'
} | into places.md src/synth/places/forms.def

{
    echo '| from | to | on targets with | by | carried by | passes the path of shared memory and L1 besides |'
    echo '|---|---|---|---|---|---|'
    printf '#define MOVE(from, to, needs, path, carried, by) ROW #from~#to~#needs~path~carried~by\n#include "synth/places/moves.def"\n' |
        preprocess | grep '^ROW' | sed -E 's/^ROW //; s/ ?~ ?/~/g; s/[#"]//g' | awk -F'~' '
        {
            needs = $3 == "ANY" ? "" : $3 == "LANES" ? "all but gfx" : $3 ~ /^WAVES/ ? "gfx" (length($3) > 5 ? ", waves of " substr($3, 6) : "") : tolower($3)
            to = $2 == "TENSOR" ? "tensor_memory" : tolower($2); from = $1 == "TENSOR" ? "tensor_memory" : tolower($1)
            print "| " from " | " to " | " needs " | " $6 " | " ($5 == 2 ? "threads" : "an engine") " | " ($4 == 0 ? "" : $4 == 1 ? "once" : "twice") " |"
        }'
} | into places.md src/synth/places/moves.def
