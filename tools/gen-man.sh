#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/gen-man.sh ZLAY...: the page zlay(1) from the rows that the help of the program ZLAY (a command) is made of, on standard output.
# tools/gen-man.sh command A-B: the page zlay-A-B(1) of the command `A B`.
set -eu
. tools/rows.sh

# Text as troff takes it.
escaped() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/'/\\\\(aq/g"; }

# The flags of a command, in its own words; of all.
flag_list() { # the words of a command, or .
    flags | awk -F ' @ ' -v of="^($(flag_owners "$1"))$" '$2 ~ of { print $1 " @ " $3 " @ " $4 }' | escaped |
        awk -F ' @ ' '{ printf ".TP\n.BI \\-\\-%s \" %s\"\n%s\n", $1, $2, $3 }'
}
heading() { printf '.\\" SPDX-License-Identifier: Apache-2.0\n.TH %s 1 "" zlay zlay\n.SH NAME\n' "$1"; }
exit_status() {
    cat <<'TEXT'
.SH EXIT STATUS
0 yes, or done; 1 no, or proved that there is none; 2 error; 3 undecided, or not run.
.SH SEE ALSO
TEXT
}

if [ "$1" = command ]; then
    words=$(commands words | awk -F ' @ ' -v name="$2" '{ dashed = $1; gsub(/ /, "-", dashed) } dashed == name { print $1 }')
    arguments=$(commands arguments | awk -F ' @ ' -v words="$words" '$1 == words { print $2 }')
    text=$(commands text | awk -F ' @ ' -v words="$words" '$1 == words { print $2 }' | escaped)
    heading "$(echo "zlay-$2" | tr '[:lower:]' '[:upper:]' | escaped)"
    printf 'zlay\\-%s \\- %s\n' "$(echo "$2" | escaped)" "$(echo "$text" | sed 's/\. .*//; s/\.$//')"
    printf '.SH SYNOPSIS\n.B zlay %s\n%s\n.SH DESCRIPTION\n%s\n' "$words" "$(echo "$arguments" | escaped)" "$text"
    case $arguments in FLAGS) echo '.SH FLAGS' && flag_list "$words" ;; esac
    exit_status
    echo '.BR zlay (1), which lists all commands and operations.'
    exit
fi

heading ZLAY
cat <<'END_'
zlay \- GPU layouts, legality, pipelines and code, decided before anything runs
.SH SYNOPSIS
END_
commands arguments | escaped | awk -F ' @ ' '{ printf ".B zlay %s\n%s\n.br\n", $1, $2 }'
cat <<'END_'
.B zlay
[\fICOMMAND\fR] \-\-help
.br
.B zlay \-\-version
.SH COMMANDS
Each has a page of its own, as
.BR zlay\-explain (1).
END_
commands text | escaped | awk -F ' @ ' '{ printf ".TP\n.B %s\n%s\n", $1, $2 }'
echo '.SH FLAGS'
flag_list .
cat <<'END_'
.SH OPERATIONS
Requests of
.BR "zlay batch" ,
one JSON object a line: the fields that an operation needs, those that it may have in brackets, and its answer.
END_
"$@" batch --help | sed -n '/^operations of /,/^exit status/p' | grep '^  ' | sed 'N; s/\n  */ @ /' |
    sed -e 's/"/\\(dq/g' -e 's/-/\\-/g' -e 's/^  \([^ ]*\)  /\1 @ /' |
    awk -F ' @ ' '{ printf ".TP\n.B %s\n%s.\n%s\n", $1, $2, $3 }'
exit_status
cat <<'END_'
.BR zlay_rules (7);
the pages that are installed with it, in share/doc/zlay.
END_
