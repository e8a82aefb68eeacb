#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/device/hardware/banks.sh DIR: count the wavefronts of banks.cu with ncu, a minute on a Hopper GPU, and compare
# them with tests/data/banks.def. The counts stay in DIR/counts.
set -eu
dir=$1
here=$(dirname "$0")
mkdir -p "$dir"
[ -x "$dir/banks" ] || nvcc -O2 -diag-suppress 550 -gencode=arch=compute_90a,code=sm_90a -o "$dir/banks" "$here/banks.cu"
ncu --csv --page raw --clock-control none --cache-control none \
    --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum "$dir/banks" > "$dir/counts.csv"
python3 "$here/banks.py" "$here/banks.def" < "$dir/counts.csv" > "$dir/counts"
grep '^COUNTED' "$here/../../data/banks.def" > "$dir/kept"
differ=$(diff "$dir/kept" "$dir/counts" | grep -c '^>' || true)
classes=$(grep -c . "$dir/counts")
echo "$classes classes of 256 patterns counted, $differ differ from tests/data/banks.def"
[ "$differ" = 0 ]
