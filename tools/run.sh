#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/run.sh BUILD: what `make run` does once the program is built.
set -u
B=$1
ptx=$B/gemm.ptx

"$B/zlay" plan gemm --m 4096 --n 4096 --k 4096 --target sm_90a --out "$ptx" --model "${TILES:-8}" || exit $?

ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null)
if [ -n "$ptxas" ]; then
    said=$("$ptxas" -arch=sm_90a -v -o "$B/gemm.cubin" "$ptx" 2>&1) || { echo "$said"; exit 2; }
    case $said in *[Ww]arning*|*serializ*) printf '%s\nptxas: a warning is an error here\n' "$said"; exit 1 ;; esac
    echo "ptxas: assembled $B/gemm.cubin without a warning; $(echo "$said" | grep -o 'Used [0-9]* registers' | head -n 1)"
else
    echo "ptxas: left out, none on this machine"
fi

"$B/zlay" run gemm --m 4096 --n 4096 --k 4096 --target sm_90a
rc=$?
[ "$rc" -eq 3 ] && { echo "run: left out, no Hopper GPU here" && rc=0; }
[ "$rc" -eq 0 ] && cat <<TEXT

three things to try next (docs/start.md has more)
  $B/zlay plan gemm --k 4100                  rows that no tensor map takes: which rule is broken, and what is planned
  $B/zlay show layout '(8,8):(8,1)'           a layout, drawn
  $B/zlay pipe verify examples/edited.pipe    the proof of a pipe, for every number of steps
TEXT
exit "$rc"
