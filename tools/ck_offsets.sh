#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CK_ROOT=FOLDER tools/ck_offsets.sh: write tests/data/ck_offsets.txt anew by the headers of a checkout of ROCm/composable_kernel.
# They are compiled for the host by clang-22 without ROCm: what they ask of a device is declared and never called.
set -eu
[ -e "${CK_ROOT:?names a checkout of ROCm/composable_kernel}/include/ck_tile/core.hpp" ]
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/device.h" << 'C'
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
struct dim3 { unsigned x, y, z; };
__device__ int __clz(unsigned);
__device__ unsigned __umulhi(unsigned, unsigned);
__device__ float __logf(float), exp2f(float), expf(float);
extern "C" __device__ float __ocml_exp_f32(float), __ocml_exp2_f32(float);
namespace std { __device__ float expf(float), logf(float); }
C
attribute() { echo "-D__$1__=__attribute__(($1))"; }
clang-22 --driver-mode=g++ -x hip --offload-host-only -nogpulib -nogpuinc -std=c++17 -w -O1 -DCK_TILE_DONT_USE_HIP_RUNTIME_HEADERS \
    "$(attribute host)" "$(attribute device)" "$(attribute global)" "$(attribute shared)" "$(attribute constant)" -D__forceinline__=inline \
    -include "$work/device.h" -I"$CK_ROOT/include" -c -o "$work/offsets.o" tests/hosts/ck_offsets.cpp
clang-22 --driver-mode=g++ -o "$work/offsets" "$work/offsets.o"
commit=$(git -C "$CK_ROOT" rev-parse HEAD 2>/dev/null || echo "${CK_COMMIT:-unknown}")
{
    echo "# Offsets of tensor descriptors of CK-Tile by its own headers, ROCm/composable_kernel $commit (tools/ck_offsets.sh)."
    echo "# kind, parameters, points, FNV-1a of all offsets as int64_t, the first coordinate fastest."
    "$work/offsets"
} > tests/data/ck_offsets.txt
