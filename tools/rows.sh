# SPDX-License-Identifier: Apache-2.0
# Sourced by what is made of tables: rows MACRO TABLE prints what a macro makes of each row, as ROW words and strings of C,
# without ROW and quotation marks; those inside a string are '.
rows() {
    printf '#define %s\n#include "%s"\n' "$1" "$2" | ${CC:-cc} -E -P -Isrc -x c - | grep '^ROW' |
        sed -e 's/^ROW //' -e "s/\\\\\"/'/g" -e 's/"//g'
}
commands() { rows "COMMAND(words, call, arguments, text) ROW words @ $1" cli/commands.def; } # words @ COLUMN, a line each
flags() { rows 'FLAG(name, of, kind, member, argument, text) ROW name @ of @ argument @ text' cli/flags.def; }
flag_owners() { # the words of a command -> which rows of flags.def it takes, as one regular expression
    case $1 in
    'plan gemm') echo 'GEMM|PLAN|PLANS|CACHED|ALL' ;;
    'run gemm') echo 'GEMM|RUN|ALL' ;;
    'tune gemm') echo 'GEMM|TUNE|TUNES|CACHED|ALL' ;;
    'run attention') echo 'ATTENTION|ALL' ;;
    'tune attention') echo 'ATTENTION|TUNES|CACHED|ALL' ;;
    'plan attention') echo 'ATTENTION|PLANS|CACHED|ALL' ;;
    *) echo '.*' ;;
    esac
}
