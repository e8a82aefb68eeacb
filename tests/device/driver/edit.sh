#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/device/driver/edit.sh ZLAY DIR [--dry]: print the functions of a map with unknowns, compile edit.cu with them
# and run it, a second on a Hopper GPU; --dry compiles only.
set -eu
zlay=$1
dir=$2
here=$(dirname "$0")
mkdir -p "$dir"
"$zlay" emit tensormap cuda sm_90a rows type=bf16 address=at extent=64,M stride='2*ld' box=64,64 > "$dir/rows.h"
nvcc -O2 -std=c++17 -I"$dir" -gencode=arch=compute_90a,code=sm_90a -o "$dir/edit" "$here/edit.cu"
[ "${3-}" = --dry ] || timeout 120 "$dir/edit"
