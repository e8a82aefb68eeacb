#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libzlay-explain.so under LD_PRELOAD, on a driver without a device: every way to the driver's functions is seen, each refusal has its
# rule, value and repair, and the program gets what it gets without it.
. tests/tap.sh
explain=$(realpath "$B/libzlay-explain.so")
flags="-std=c11 -O1 -Wall -Wextra -Werror"

builds() {
    cd tests/preload || return 1
    # Inside itself the driver calls its own functions, as the real one.
    "$CC" $flags -shared -fPIC -Wl,-Bsymbolic -Wl,-soname,libcuda.so.1 -o "$tap_dir/libcuda.so.1" fake-driver.c &&
        "$CC" $flags -shared -fPIC -Wl,-soname,libcudart.so -o "$tap_dir/libcudart.so" fake-runtime.c -ldl &&
        "$CC" $flags -shared -fPIC -o "$tap_dir/libshim.so" shim.c -ldl &&
        "$CC" $flags -shared -fPIC -DOF_DRIVER -o "$tap_dir/libdrivershim.so" shim.c -ldl &&
        "$CC" $flags -o "$tap_dir/plain" program.c -ldl -lpthread &&
        "$CC" $flags -DLINKED -o "$tap_dir/linked" program.c "$tap_dir/libcuda.so.1" "$tap_dir/libcudart.so" -ldl -lpthread
}

with() { # PRELOADED PROGRAM ARGUMENTS...: to $tap_dir/out and $tap_dir/said
    preloaded=$1
    shift
    LD_LIBRARY_PATH=$tap_dir LD_PRELOAD=$preloaded "$tap_dir/$@" > "$tap_dir/out" 2> "$tap_dir/said"
}
program_for() { case $1 in linked* | runtime*) echo linked ;; *) echo plain ;; esac; }
asks() { # ROUTE CASE: the program's own output is as without us
    with "" "$(program_for "$1")" "$1" "$2" && test ! -s "$tap_dir/said" && cp "$tap_dir/out" "$tap_dir/alone" || return 1
    with "$explain" "$(program_for "$1")" "$1" "$2" || return 1
    cat "$tap_dir/said"
    diff "$tap_dir/alone" "$tap_dir/out"
}
says() { grep -qF -- "$1" "$tap_dir/said" || { echo "not said: $1"; return 1; }; }

is_seen() { # ROUTE: all three calls
    for case in refused im2col wide; do
        asks "$1" "$case" && says "was refused on sm_90a" && says "TMAP_STRIDE_16: stride[" || return 1
    done
}
refusal_is_whole() {
    asks dlsym refused && says "zlay: cuTensorMapEncodeTiled was refused on sm_90a:" &&
        says "tiled map of type 9 (bf16), rank 2, address=0x1000, extent=4096 4096, stride=8200, box=64 64, step=1 1, interleave=0, swizzle=3, l2=2, oob=0" &&
        says "TMAP_STRIDE_16: stride[0] gives 8200; each stride is a multiple of 16 bytes; 8208 passes; the tensor is laid out anew (cuda.h, globalStrides)" &&
        test "$(wc -l < "$tap_dir/said")" -eq 3
}
good_is_silent() { asks "$1" good && test ! -s "$tap_dir/said"; }
accepted_is_told() { asks dlsym accepted && says "was accepted, and breaks a rule of sm_90a:" && says "TMAP_SPAN_128: box[0]" && says "in 2 copies"; }
advice_is_told() { asks dlsym advised && says "was accepted, and is surely not meant:" && says "noted: TMAP_STRIDE_OVERLAP"; }
refuted_is_silent() { asks dlsym documented && test ! -s "$tap_dir/said"; } # an address that 128 does not divide
others_are_told() { asks dlsym unready && says "gave 3, which is not about its arguments" && asks dlsym null && says "gave 1: one of its arrays is NULL"; }
once() { asks dlsym twice && test "$(grep -c 'was refused' "$tap_dir/said")" -eq 1; }
to_a_file() {
    ZLAY_EXPLAIN=$tap_dir/told asks dlsym refused && test ! -s "$tap_dir/said" && ZLAY_EXPLAIN=$tap_dir/told with "$explain" linked linked im2col &&
        test "$(grep -c 'was refused' "$tap_dir/told")" -eq 2 || return 1
    ZLAY_EXPLAIN=/no/such/folder/file asks dlsym refused && test ! -s "$tap_dir/said"
}
of_a_target() { ZLAY_EXPLAIN_TARGET=sm_100a asks dlsym refused && says "was refused on sm_100a" && ZLAY_EXPLAIN_TARGET=sm_1 asks dlsym refused && says "on sm_90a"; }
bounded() { # 4,000 maps of 8 threads: 100 are told, no line is torn
    asks dlsym threads && test "$(grep -c '^zlay: cuTensorMapEncodeTiled was refused' "$tap_dir/said")" -eq 100 && says "the last map that is explained" &&
        ! grep -v '^zlay: ' "$tap_dir/said"
}
closed_stderr() { asks dlsym refused && LD_LIBRARY_PATH=$tap_dir LD_PRELOAD=$explain "$tap_dir/plain" dlsym refused 2>&- | diff - "$tap_dir/alone"; }
look_is_the_loaders() { # RTLD_NEXT of a shim before us and behind us is what lies behind that shim
    asks dlsym look && test "$(cat "$tap_dir/out")" = "1 1 1" || return 1
    for order in "$tap_dir/libshim.so $explain" "$explain $tap_dir/libshim.so"; do
        with "$order" linked linked look && test "$(cat "$tap_dir/out")" = "1 1 1 11" || { cat "$tap_dir/out"; return 1; }
    done
}
beside_another() { # a shim before us, and one behind us: each is passed once, and the map told once
    for order in "$tap_dir/libdrivershim.so $explain" "$explain $tap_dir/libdrivershim.so"; do
        for route in linked runtime; do
            with "$order" linked $route refused && test "$(grep -c 'was refused' "$tap_dir/said")" -eq 1 || { cat "$tap_dir/out" "$tap_dir/said"; return 1; }
        done
        with "$order" linked linked refused && test "$(cat "$tap_dir/out")" = "shim 1 5a" || { cat "$tap_dir/out"; return 1; }
    done
}
python_is_seen() { # ctypes and extensions ask dlsym
    cat > "$tap_dir/map.py" << 'PY'
import ctypes as c
driver, bits = c.CDLL("libcuda.so.1"), c.create_string_buffer(128)
print(driver.cuTensorMapEncodeTiled(bits, 9, 2, c.c_void_p(4096), (c.c_uint64 * 2)(4096, 4096), (c.c_uint64 * 1)(8200),
                                    (c.c_uint32 * 2)(64, 64), (c.c_uint32 * 2)(1, 1), 0, 3, 2, 0), hex(bits.raw[0]))
PY
    LD_LIBRARY_PATH=$tap_dir LD_PRELOAD=$explain python3 "$tap_dir/map.py" > "$tap_dir/out" 2> "$tap_dir/said" && test "$(cat "$tap_dir/out")" = "1 0x5a" && says "TMAP_STRIDE_16"
}
example_says_why() {
    ${CC} -Wall -Wextra -Werror -I"${CUDA_INCLUDE:-/usr/local/cuda/include}" -o "$tap_dir/refused" examples/refused/refused.c -ldl && with "$explain" refused &&
        test "$(cat "$tap_dir/out")" = "rows of 8192 bytes: 0, rows of 8200 bytes: 1" && says "TMAP_STRIDE_16: stride[0] gives 8200; each stride is a multiple of 16 bytes; 8208 passes;"
}
without_a_driver() { # it does nothing, and programs run
    LD_PRELOAD=$explain sh -c 'ls / | sort | head -n 1' > "$tap_dir/out" 2> "$tap_dir/said" && test -s "$tap_dir/out" && test ! -s "$tap_dir/said" &&
        LD_PRELOAD=$explain "$B/zlay" --version | grep -q '^zlay' && LD_PRELOAD=$explain python3 -c 'import ctypes; ctypes.CDLL(None).qsort' &&
        test -z "$(LD_PRELOAD=$explain python3 -c 'import json' 2>&1)"
}
exports_the_rows() {
    nm -D --defined-only "$explain" | awk '{print $3}' | sort > "$tap_dir/exported"
    { sed -n 's/^ZL_HOOK[A-Z_]*(\([a-zA-Z_0-9]*\),.*/\1/p' src/preload/hooks.def; echo dlsym; } | sort | diff - "$tap_dir/exported" &&
        test "$(readelf -d "$explain" | grep -c NEEDED)" -eq "$(readelf -d "$explain" | grep NEEDED | grep -cE 'lib(c|m|dl)\.so')"
}

check "a driver, a runtime and programs for the preload" builds
for route in linked linked-ask linked-ask-v2 dlsym ask ask-v2 ask-twice ask-twice-old runtime runtime-ptsz runtime-version runtime-version-ptsz; do
    check "calls are seen by the route $route" is_seen $route
    check "good maps are silent by the route $route" good_is_silent $route
done
check "a refusal has the map, the rule, the value and a repair" refusal_is_whole
check "a map that is accepted and breaks a rule is told" accepted_is_told
check "a map that is surely not meant is told" advice_is_told
check "what a measurement refutes is silent" refuted_is_silent
check "what is not about the arguments is told; NULL arrays too" others_are_told
check "the same map is told once" once
check "ZLAY_EXPLAIN names a file; one that cannot be written loses the text alone" to_a_file
check "ZLAY_EXPLAIN_TARGET names the target; a wrong one is ignored" of_a_target
check "output of many maps and threads is bounded and whole" bounded
check "a program whose stderr is closed runs on" closed_stderr
check "dlsym of other names is the loader's, RTLD_NEXT too" look_is_the_loaders
check "another shim of the same function stands beside it" beside_another
if [ -e "${CUDA_INCLUDE:-/usr/local/cuda/include}/cuda.h" ]; then
    check "examples/refused is told why" example_says_why
else
    tap_number=$((tap_number + 1)) && echo "ok $tap_number - examples/refused is told why # SKIP no cuda.h"
fi
check "a program in Python is seen" python_is_seen
check "programs without a driver run as before" without_a_driver
check "libzlay-explain.so exports the rows of hooks.def and dlsym, and needs libc alone" exports_the_rows
exit $tap_failed
