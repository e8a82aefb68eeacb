#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/setup.sh run|test|fuzz|site|doxygen|playground|test-playground: install the Debian packages that the goal needs and the machine lacks.
# With NO_INSTALL=1, or when neither root nor sudo without a password, print the line and stop;
# where only isl, FLINT or GMP is missing, run goes on without them, as ENGINES=0 does, and where only
# LLVM 22 is (it is in Debian 12's security archive, and not everywhere), test does, and skips some; so it does
# without the headers of CUTLASS, which pip puts into build/cutlass.
set -u
goal=${1:-test}

header() { printf '#include <%s>\n' "$1" | ${CC:-cc} ${CPPFLAGS:-} -E - >/dev/null 2>&1; }
cffi() { python3 -c 'import cffi' >/dev/null 2>&1; }
markdown() { python3 -c 'import markdown_it' >/dev/null 2>&1; }
documents() { [ "$goal" = site ] || [ "$goal" = doxygen ]; } # these compile nothing
cxx() { command -v ${CXX:-c++} >/dev/null 2>&1; }

missing=
need() { # package, then what shows that it is there
    package=$1
    shift
    "$@" || missing="$missing $package"
}

command -v ${CC:-cc} >/dev/null 2>&1 || documents || case $goal in fuzz | *playground) ;; *) false ;; esac || { echo "zlay: no C compiler '${CC:-cc}'" >&2; exit 1; }
documents || need libjansson-dev header jansson.h
must=$missing
if [ "$goal" = test ] || { ! documents && [ "${ENGINES:-1}" != 0 ]; }; then
    need libisl-dev header isl/ctx.h
    need libgmp-dev header gmp.h
    need libflint-dev header flint/fmpz.h
fi
if [ "$goal" = test ]; then
    need libcmocka-dev header 'stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h'
    need pkg-config command -v pkg-config
    need python3-cffi cffi
    need python3-markdown-it markdown
    need g++ cxx
    need spin command -v spin
    need tcc command -v tcc
    need libamdhip64-dev header hip/hip_version.h
fi >/dev/null

[ "$goal" != site ] || need python3-markdown-it markdown
[ "$goal" != doxygen ] || need doxygen command -v doxygen >/dev/null

libfuzzer() { echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' | ${CC:-cc} -fsanitize=fuzzer -x c - -o /dev/null 2>&1; }
if [ "$goal" = fuzz ]; then
    need clang-22 command -v ${CC:-cc}
    need libclang-rt-22-dev libfuzzer
fi >/dev/null

builtins() { [ -e "$(${CC:-cc} -print-resource-dir)/lib/wasi/libclang_rt.builtins-wasm32.a" ]; }
case $goal in *playground)
    missing=
    need clang-22 command -v ${CC:-cc}
    need lld-22 command -v ${LD:-wasm-ld-22}
    need wasi-libc test -e "${WASI:-/usr}/lib/wasm32-wasi/libc.a"
    need libclang-rt-22-dev-wasm32 builtins
    [ "$goal" = playground ] || need nodejs command -v node
    [ "$goal" = playground ] || need chromium command -v chromium
    ;;
esac >/dev/null 2>&1

wished=
wish() {
    package=$1
    shift
    "$@" || wished="$wished $package"
}
if [ "$goal" = test ]; then
    wish llvm-22 command -v llvm-mc-22
    wish clang-22 command -v clang-22
    wish lld-22 command -v ld.lld-22
fi >/dev/null

sudo=
[ "$(id -u)" = 0 ] || sudo='sudo -n'
may_install() {
    [ "${NO_INSTALL:-0}" = 0 ] && command -v apt-get >/dev/null 2>&1 &&
        { [ -z "$sudo" ] || sudo -n true 2>/dev/null; }
}
cutlass=${CUTLASS_INCLUDE:-build/cutlass/cutlass_library/source/include}/cute/layout.hpp
need_cutlass() {
    [ "$goal" = test ] && [ ! -e "$cutlass" ] && [ -e "${CUDA_INCLUDE:-/usr/local/cuda/include}/cuda_runtime.h" ] || return
    may_install && python3 -m pip install -q --no-deps --no-compile --retries 0 --timeout 20 --upgrade --target build/cutlass \
        nvidia-cutlass==4.2.0.0 >/dev/null 2>&1 && [ -e "$cutlass" ] && return
    echo "zlay: without the headers of CUTLASS (PyPI's nvidia-cutlass), and the tests that ask CuTe say so"
}
need_cutlass
[ -z "$missing$wished" ] && exit 0

install_packages() { # as one line of words
    echo "zlay: installing what 'make $goal' needs: $sudo $1"
    $sudo env DEBIAN_FRONTEND=noninteractive $1 >/dev/null && return
    echo "zlay: that failed" >&2
    return 1
}

line="apt-get install -y$missing"
if may_install; then
    $sudo apt-get update -q >/dev/null
    [ -z "$missing" ] || { install_packages "$line" && missing=; }
    [ -z "$wished" ] || { install_packages "apt-get install -y$wished" && wished=; }
fi
[ -z "$wished" ] || echo "zlay: without$wished, and the tests that ask LLVM 22 say so"
[ -z "$missing" ] && exit 0
if [ "$goal" = run ] && [ -z "$must" ]; then
    echo "zlay: without isl, FLINT and GMP, and what needs them says so; for them, as root: $line"
    exit 0
fi
echo "zlay: 'make $goal' needs packages that are not here; as root, run:" >&2
echo "    $line" >&2
exit 1
