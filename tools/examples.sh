#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/examples.sh [NAME...]: build the programs of examples/ against the static libraries in B and run each, or those named.
# What the machine lacks the means for is skipped, by name and with the reason. Ends with status 1 where one does not build or
# does not do what its first lines say.
set -u
B=${B:-build}
cutlass=${CUTLASS_INCLUDE:-build/cutlass/cutlass_library/source/include}
cuda=${CUDA_INCLUDE:-/usr/local/cuda/include}
PATH=$PATH:/usr/local/cuda/bin
out=$B/examples
libraries="$B/libzlay-runtime.a $B/libzlay.a $(sed -n 's/^Libs.private: //p' "$B/zlay.pc") -ldl -lm"
mkdir -p "$out"
built=0 skipped=0 failed=0

lacks() { # REASON COMMAND...: the command fails, and the example is skipped for that reason
    reason=$1
    shift
    ! "$@" > /dev/null 2>&1
}
skip() {
    skipped=$((skipped + 1))
    echo "$1: skipped, $reason"
}
example() { # NAME WANTED COMMAND...: the program is built; its last line has WANTED
    name=$1 wanted=$2
    shift 2
    if ("$@") > "$out/$name.log" 2>&1 && tail -n 1 "$out/$name.log" | grep -qE "$wanted"; then
        built=$((built + 1))
        echo "$name: $(tail -n 1 "$out/$name.log")"
    else
        failed=$((failed + 1))
        echo "$name: FAILED"
        tail -n 20 "$out/$name.log"
    fi
}

by_cxx() { ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -Iinclude -o "$out/$1" "examples/$1/$1.cpp" $libraries && "$out/$1"; }
generator() { # and ptxas, where it is, takes the kernel without a spill
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -Iinclude -o "$out/generator" examples/generator/generator.c $libraries || return 1
    cd "$out" && if command -v ptxas > /dev/null; then ./generator > line && ptxas -arch=sm_90a -v -o /dev/null generated.ptx 2>&1 | grep 'bytes stack' | grep ' 0 bytes spill loads' && cat line; else ./generator; fi
}
gemm() { ${CC:-cc} -std=c11 -Wall -Wextra -Werror -Iinclude -o "$out/gemm" examples/gemm/gemm.c $libraries && (cd "$out" && ./gemm 256 256 128); }
grouped_gemm() { ${CC:-cc} -std=c11 -Wall -Wextra -Werror -Iinclude -o "$out/grouped_gemm" examples/grouped_gemm/grouped_gemm.c $libraries && (cd "$out" && ./grouped_gemm 8 512 256 128); }
gemm_hip() { # the code object where LLVM 22 is; else the assembly, which no device loads
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -Iinclude -o "$out/gemm_hip" examples/gemm_hip/gemm_hip.c $libraries || return 1
    cd "$out" && ./gemm_hip gfx942 && if command -v llvm-mc-22 > /dev/null && command -v ld.lld-22 > /dev/null; then
        llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj -o gemm.o gemm.s && ld.lld-22 -shared -o gemm.hsaco gemm.o && ./gemm_hip gfx942 gemm.hsaco
    else
        ./gemm_hip gfx942 gemm.s
    fi
}
ck_host() { ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -Iinclude -o "$out/ck_host" examples/ck_host/ck_host.cpp $libraries && mkdir -p "$out/ck" && (cd "$out/ck" && ../ck_host); }
code_object() { ZLAY=$B/zlay sh examples/gemm_hip/code_object.sh "$out/gemm.co" gfx950 && test -s "$out/gemm.co" && readelf -h "$out/gemm.co"; }
hopper="-gencode arch=compute_90a,code=sm_90a -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra -Iinclude"
own_kernel() {
    "$B/zlay" plan gemm --m 512 --n 768 --k 320 --header "$out/gemm.h" > /dev/null &&
        nvcc $hopper -I"$out" -o "$out/own_kernel" examples/own_kernel/own_kernel.cu $libraries && "$out/own_kernel"
}
cutlass_host() {
    nvcc $hopper --expt-relaxed-constexpr -isystem "$cutlass" \
        -o "$out/cutlass_host" examples/cutlass_host/cutlass_host.cu $libraries && "$out/cutlass_host"
}

refused() { # on stderr is what the preload says
    ${CC:-cc} -Wall -Wextra -Werror -I"$cuda" -o "$out/refused" examples/refused/refused.c -ldl && LD_PRELOAD=$(cd "$B" && pwd)/libzlay-explain.so "$out/refused" 2>&1 | tee "$out/refused.said" &&
        grep -qE '^not run|TMAP_STRIDE_16: stride\[0\] gives 8200' "$out/refused.said"
}

asked() { [ -z "$names" ] || case " $names " in *" $1 "*) ;; *) false ;; esac; }
names=$*
if asked tile_plan; then example tile_plan '^1 copy of 8192 bytes, certificate holds' by_cxx tile_plan; fi
if asked gemm; then example gemm 'sampled elements wrong|^not run' gemm; fi
if asked grouped_gemm; then example grouped_gemm '^0 of 2000 sampled elements wrong|^not run' grouped_gemm; fi
if asked attention; then example attention '^0 of 33 rows wrong|^not run' by_cxx attention; fi
if asked scaled_gemm; then example scaled_gemm '^0 of 1000 sampled elements wrong|^not run' by_cxx scaled_gemm; fi
if asked generator; then example generator '^128 of 128 elements agree' generator; fi
if asked gemm_hip; then example gemm_hip 'sampled elements wrong|^not run' gemm_hip; fi
if asked ck_host; then example ck_host '^resource as CK-Tile.s; loads of 16 bytes; LDS read in 64 wavefronts plain, 8 padded, 8 XORed; kernel of [0-9]+ bytes, (linked; (0 of 1000|not run: )|not linked; not run)' ck_host; fi
if asked code_object; then
    if lacks "no LLVM 22 (llvm-22, lld-22)" command -v llvm-mc-22 ld.lld-22; then skip code_object; else example code_object 'Section header string' code_object; fi
fi
if asked own_kernel; then
    if lacks "no nvcc" command -v nvcc; then skip own_kernel; else example own_kernel '^0 of 393216 elements and 0 of 512 sums wrong|^not run' own_kernel; fi
fi
if asked cutlass_host; then
    if lacks "no nvcc" command -v nvcc || lacks "no headers of CUTLASS (PyPI's nvidia-cutlass; CUTLASS_INCLUDE names their folder)" test -e "$cutlass/cute/layout.hpp"; then
        skip cutlass_host
    else
        example cutlass_host '^1000 of 1000 maps equal' cutlass_host
    fi
fi
if asked refused; then
    if lacks "no cuda.h" test -e "$cuda/cuda.h"; then skip refused; else example refused 'rows of 8200 bytes: 1$|^not run' refused; fi
fi
echo "examples: $built ran, $skipped skipped, $failed failed"
[ "$failed" -eq 0 ]
