#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What C++ has of zlay: owners (zlay/zlay.hpp) without a warning by gcc and clang, as C++17 and C++20, with and without exceptions,
# and run under ASan; layouts of CuTe (zlay/cute.hpp) on CUTLASS's headers.
. tests/tap.sh
cutlass=${CUTLASS_INCLUDE:-build/cutlass/cutlass_library/source/include}
cuda=${CUDA_INCLUDE:-/usr/local/cuda/include}
cute_includes="-isystem $cutlass -isystem $cuda -isystem $cuda/cccl"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

skip() { # NAME WHY: one test that this machine lacks the means for
    tap_number=$((tap_number + 1))
    echo "ok $tap_number - $1 # SKIP $2"
}
has_clang() { command -v clang++ > /dev/null; }
has_cute() { [ -e "$cutlass/cute/layout.hpp" ] && [ -e "$cuda/cuda_runtime.h" ]; }

reads() { "$@" $warnings -O0 -Iinclude -fsyntax-only "tests/hosts/$source.cpp"; }
libraries() { # of a static link
    echo "$B/libzlay-runtime.a $B/libzlay.a $(sed -n 's/^Libs.private: //p' "$B/zlay.pc") -ldl -lm"
}
runs() { # SOURCE FLAGS...
    program=$1
    shift
    # shellcheck disable=SC2046
    "$CXX" -std=c++17 $warnings -O0 -Iinclude "$@" -o "$tap_dir/$program" "tests/hosts/$program.cpp" $(libraries) && "$tap_dir/$program"
}

# The table of owners has each type of the C API that a function frees, and no other.
owners_are_all() {
    grep -ohE 'ZLAY_API void zlay_[a-z_]+_(free|close)\([a-z_]+ \*[a-z]+\)' include/zlay/*.h | sed 's/.* \(zlay_[a-z_]*\)(\(zlay_[a-z_]*\) .*/\2 \1/' | sort > "$tap_dir/freed"
    sed -n 's/^ZLAY_HPP_OWNED([a-z_]*, \([a-z_]*\), \([a-z_]*\))$/\1 \2/p' include/zlay/zlay.hpp | sort | diff "$tap_dir/freed" -
}

page_runs() { # PAGE FLAGS...: the program of the page prints what the page says
    page=$1
    shift
    awk '/^```/ {on = $0 == "```cpp"; next} on' "$page" > "$tap_dir/page.cpp"
    awk '/^```/ {on = $0 == "```text"; next} on' "$page" > "$tap_dir/said"
    # shellcheck disable=SC2046
    test -s "$tap_dir/said" && "$CXX" -std=c++17 $warnings -Iinclude "$@" -o "$tap_dir/page" "$tap_dir/page.cpp" $(libraries) && "$tap_dir/page" | diff "$tap_dir/said" -
}

check "zlay.hpp has an owner for all that is freed" owners_are_all
source=owners
for standard in 17 20; do
    check "zlay.hpp as C++$standard by $CXX" reads "$CXX" -std=c++$standard
    if has_clang; then check "zlay.hpp as C++$standard by clang" reads clang++ -std=c++$standard; else skip "zlay.hpp as C++$standard by clang" "no clang++"; fi
done
check "owners under ASan and UBSan" runs owners -g1 -fsanitize=address,undefined
check "owners without exceptions" runs owners -fno-exceptions
check "docs/hosts.md: the program prints what the page says" page_runs docs/hosts.md

source=cute
if has_cute; then
    check "layouts of CuTe as texts, and back" runs cute $cute_includes
    check "docs/recipes/cutlass.md: the program prints what the page says" page_runs docs/recipes/cutlass.md $cute_includes
    if has_clang; then check "cute.hpp by clang" reads clang++ -std=c++17 $cute_includes; else skip "cute.hpp by clang" "no clang++"; fi
else
    skip "layouts of CuTe as texts, and back" "no CUTLASS or no CUDA toolkit"
    skip "docs/recipes/cutlass.md: the program prints what the page says" "no CUTLASS or no CUDA toolkit"
fi
exit $tap_failed
