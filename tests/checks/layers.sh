#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where things may stand: rooms by tests/checks/rooms.list, other people's libraries, what only the program does.
. tests/tap.sh

# One file, one library: the engines and the JSON library stay where they are.
only_in() { ! grep -lE "^ *#include <($1)" -r src include | grep -vE "^$2"; }

check "jansson is in src/json only" only_in 'jansson' src/json/
check "isl is in src/algebra/presburger/isl only" only_in 'isl/' src/algebra/presburger/isl/
check "no cuda.h, no dlopen outside the runtime" only_in 'cuda|dlfcn' 'src/(runtime|preload)/'
check "nothing prints, exits or aborts outside the program" \
    sh -c '! grep -nE "\b(printf|puts|putchar|fprintf|fputs|exit|abort|assert)\(" -r src --include=*.c | grep -v "^src/cli/"'
exit $tap_failed
