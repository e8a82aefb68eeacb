#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/gen-man.sh ZLAY...: the page zlay(1) from the rows that the help of the program ZLAY (a command) is made of, on standard output.
set -eu

# $1: a macro and what it prints of a row; $2: the table. A field is a string of C or a word.
rows() {
    printf '#define %s\n#include "%s"\n' "$1" "$2" | ${CC:-cc} -E -P -Isrc -x c - | grep '^ROW' |
        sed -e 's/^ROW //' -e 's/\\"/\\(dq/g' -e 's/"//g' -e 's/-/\\-/g'
}

cat <<'END'
.\" SPDX-License-Identifier: Apache-2.0
.TH ZLAY 1 "" zlay zlay
.SH NAME
zlay \- GPU layouts, legality, pipelines and code, decided before anything runs
.SH SYNOPSIS
END
rows 'COMMAND(words, call, arguments, text) ROW words @ arguments' cli/commands.def |
    awk -F ' @ ' '{ printf ".B zlay %s\n%s\n.br\n", $1, $2 }'
cat <<'END'
.B zlay
[\fICOMMAND\fR] \-\-help
.br
.B zlay \-\-version
.SH COMMANDS
END
rows 'COMMAND(words, call, arguments, text) ROW words @ text' cli/commands.def |
    awk -F ' @ ' '{ printf ".TP\n.B %s\n%s\n", $1, $2 }'
echo '.SH FLAGS'
rows 'FLAG(name, of, kind, member, argument, text) ROW name @ argument @ text' cli/flags.def |
    awk -F ' @ ' '{ printf ".TP\n.BI \\-\\-%s \" %s\"\n%s\n", $1, $2, $3 }'
cat <<'END'
.SH OPERATIONS
Requests of
.BR "zlay batch" ,
one JSON object a line: the fields that an operation needs, those that it may have in brackets, and its answer.
END
"$@" batch --help | sed -n '/^operations of /,/^exit status/p' | grep '^  ' | sed 'N; s/\n  */ @ /' |
    sed -e 's/"/\\(dq/g' -e 's/-/\\-/g' -e 's/^  \([^ ]*\)  /\1 @ /' |
    awk -F ' @ ' '{ printf ".TP\n.B %s\n%s.\n%s\n", $1, $2, $3 }'
cat <<'END'
.SH EXIT STATUS
0 yes, or done; 1 no, or proved that there is none; 2 error; 3 undecided, or not run.
.SH SEE ALSO
.BR zlay_rules (7);
the pages that are installed with it, in share/doc/zlay.
END
