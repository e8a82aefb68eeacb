#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/gen-completions.sh bash|zsh|fish: what the shell completes of the program's command line, from the rows of its commands and
# flags, of the operations and the targets, on standard output.
set -eu
. tools/rows.sh

# Words, one a line: what may stand for a word of a usage.
operations() {
    "${CC:-cc}" -E -P -Isrc -x c - <<'C' | sed -n 's/^ROW "\([a-z0-9_.]*\)".*/\1/p'
#define OP(name, fields, function, ok, text) ROW name
#define CHECK(name, fields, function, text) ROW name
#define LAYOUT(name, fields, shape, function, ok, text) ROW name
#define F2(name, fields, shape, function, text) ROW name
#include "json/rows/ops.def"
C
}
targets() { sed -n 's/^TARGET("\([^"]*\)".*/\1/p' src/target/targets.def; }
line() { tr '\n' ' ' | sed 's/ $//'; }

# Lines `command|usage`, of the flags `name|of|argument`: of a list of words these, of a file FILE, of a target TARGET, else nothing.
usages() { commands arguments | sed 's/ @ */|/'; }
flag_lines() {
    flags | awk -F ' @ ' '{
        value = $3 ~ /\|/ ? $3 : $3 ~ /^FILE/ ? "FILE" : $1 == "target" ? "TARGET" : ""
        gsub(/\|/, " ", value); gsub(/ *$/, "", value)
        printf "%s|%s|%s\n", $1, $2, value
    }'
}
flags_of() { flag_lines | awk -F '|' -v of="^($(flag_owners "$1"))$" '$2 ~ of { printf "%s--%s", n++ ? " " : "", $1 }'; }
flagged() { usages | sed -n 's/|FLAGS$//p'; } # commands that take flags
firsts() { usages | sed 's/[ |].*//' | awk '!seen[$0]++'; }
seconds() { usages | sed -n "s/^$1 \([^|]*\)|.*/\1/p"; }

# The function that says what may stand behind the words before the one that is written, in the language of bash and zsh: it takes
# those words and the word `before`, and prints words, or the word FILES.
function_of() {
    echo '_zlay_words() {'
    echo '    local command=$1 n=$(($# - 1)) usage= what'
    echo '    if [ $# -eq 0 ]; then'
    echo "        echo $(firsts | line) help --help --version"
    echo '        return'
    echo '    fi'
    echo '    case $1 in'
    for first in $(firsts); do
        second=$(seconds "$first" | line)
        [ -z "$second" ] || printf '        %s) [ $# -gt 1 ] || { echo %s; return; }; command="$1 $2" n=$(($# - 2)) ;;\n' "$first" "$second"
    done
    echo '    esac'
    echo '    shift $(($# - n))'
    echo '    case $command in'
    usages | while IFS='|' read -r words usage; do
        case $usage in
        FLAGS) printf "        '%s') _zlay_flags '%s' \"\$@\"; return ;;\n" "$words" "$words" ;;
        *) # FILE|- and [a|b] as they are, one word an argument
            printf "        '%s') usage='%s' ;;\n" "$words" "$usage" ;;
        esac
    done
    echo '    esac'
    echo '    usage="$usage "'
    echo '    while [ "$n" -gt 0 ]; do usage=${usage#* } n=$((n - 1)); done'
    echo '    what=${usage%% *} what=${what#\[} what=${what%\]}'
    echo '    case $what in'
    echo '    FILE*) echo FILES ;;'
    echo '    LANGUAGE) echo cuda hip ptx ;;'
    echo '    WHAT) echo tensormap smemdesc idesc buffer ;;'
    echo "    TARGET) echo $(targets | line) ;;"
    echo "    RULE*) echo $(operations | line) ;;"
    echo "    --limits) echo --limits ;;"
    echo "    'ptx|cuda') echo ptx cuda ;;"
    echo '    esac'
    echo '}'
    echo '_zlay_flags() { # a command, and the words before'
    echo '    local of=$1 last='
    echo '    while [ $# -gt 1 ]; do shift; last=$1; done'
    echo '    case $last in'
    flag_lines | awk -F '|' '!seen[$1]++' | while IFS='|' read -r name of value; do
        case $value in
        FILE) echo "    --$name) echo FILES; return ;;" ;;
        TARGET) echo "    --$name) echo $(targets | line); return ;;" ;;
        '') echo "    --$name) return ;;" ;;
        *) echo "    --$name) echo $value; return ;;" ;;
        esac
    done
    echo '    esac'
    echo '    case $of in'
    flagged | while read -r words; do echo "    '$words') echo $(flags_of "$words") ;;"; done
    echo '    esac'
    echo '}'
}

echo_head() { echo '# SPDX-License-Identifier: Apache-2.0' && echo "# Completions of zlay for $1, made of its tables by tools/gen-completions.sh."; }

case $1 in
bash)
    echo_head bash
    function_of
    cat <<'BASH'
_zlay() {
    local words word=${COMP_WORDS[COMP_CWORD]}
    words=$(_zlay_words "${COMP_WORDS[@]:1:COMP_CWORD-1}")
    if [ "$words" = FILES ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    fi
}
complete -F _zlay zlay
BASH
    ;;
zsh)
    echo '#compdef zlay'
    echo_head zsh
    function_of
    cat <<'ZSH'
_zlay() {
    local found
    found=$(_zlay_words "${(@)words[2,CURRENT-1]}")
    if [[ $found == FILES ]]; then _files; else compadd -- ${=found}; fi
}
if [[ $funcstack[1] == _zlay ]]; then _zlay "$@"; else compdef _zlay zlay 2>/dev/null; fi
ZSH
    ;;
fish)
    echo_head fish
    echo 'complete -c zlay -f'
    echo "complete -c zlay -n __fish_use_subcommand -a '$(firsts | line) help'"
    echo 'complete -c zlay -l help -d "lists the commands that the words begin"'
    echo 'complete -c zlay -n __fish_use_subcommand -l version'
    for first in $(firsts); do
        second=$(seconds "$first" | line)
        [ -z "$second" ] || echo "complete -c zlay -n '__fish_seen_subcommand_from $first; and not __fish_seen_subcommand_from $second' -a '$second'"
    done
    flag_lines | while IFS='|' read -r name of value; do
        case $value in
        FILE) value='-r -F' ;;
        TARGET) value="-x -a '$(targets | line)'" ;;
        '') value=-x ;;
        *) value="-x -a '$value'" ;;
        esac
        flagged | while read -r words; do
            echo "$of" | grep -qxE "$(flag_owners "$words")" || continue
            echo "complete -c zlay -n '__fish_seen_subcommand_from ${words%% *}; and __fish_seen_subcommand_from ${words##* }' -l $name $value"
        done
    done
    echo "complete -c zlay -n '__fish_seen_subcommand_from explain' -a '$(operations | line)'"
    echo "complete -c zlay -n '__fish_seen_subcommand_from decode' -a 'tensormap smemdesc idesc buffer $(targets | line)'"
    echo "complete -c zlay -n '__fish_seen_subcommand_from emit' -a 'cuda hip ptx $(targets | line)'"
    echo "complete -c zlay -n '__fish_seen_subcommand_from pipe ring' -F"
    ;;
*) echo "tools/gen-completions.sh bash|zsh|fish" >&2 && exit 2 ;;
esac
