#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/gemm_hip/code_object.sh OUT.co TARGET [FLAGS of zlay plan gemm]: plan a bf16 GEMM for gfx90a, gfx942 or gfx950, print its
# kernel, assemble and link it with LLVM 22 (Debian's llvm-22 and lld-22). ZLAY names the program.
set -eu
[ $# -ge 2 ] || { echo "usage: code_object.sh OUT.co TARGET [FLAGS of zlay plan gemm]" >&2; exit 2; }
out=$1 target=$2
shift 2
"${ZLAY:-zlay}" plan gemm --target "$target" --out "$out.s" "$@"
llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu="$target" -filetype=obj -o "$out.o" "$out.s"
ld.lld-22 -shared -o "$out" "$out.o"
