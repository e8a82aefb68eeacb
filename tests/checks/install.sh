#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is installed is whole and can be used: by pkg-config, shared and static, and below a DESTDIR.
. tests/tap.sh
root=$tap_dir/root
lib=$root/opt/zlay/lib64

install_it() { "$MAKE" --no-print-directory install B="$B" CC="$CC" PREFIX=/opt/zlay LIBDIR=/opt/zlay/lib64 DESTDIR="$root"; }

whole() {
    for file in bin/zlay include/zlay/zlay.h include/zlay/zlay.cdef include/zlay/runtime.h include/zlay/json.h \
        lib64/libzlay.a lib64/libzlay.so lib64/libzlay-runtime.so lib64/libzlay-json.so lib64/libzlay-runtime.a \
        lib64/libzlay-json.a lib64/libzlay-explain.so lib64/pkgconfig/zlay.pc lib64/pkgconfig/zlay-runtime.pc \
        lib64/pkgconfig/zlay-json.pc share/doc/zlay/LICENSE share/doc/zlay/docs/algebra.md \
        share/doc/zlay/examples/gemm/gemm.c share/man/man1/zlay.1 share/man/man7/zlay_rules.7; do
        test -s "$root/opt/zlay/$file" || echo "missing: $file"
    done > "$tap_dir/missing"
    cat "$tap_dir/missing"
    test ! -s "$tap_dir/missing" && test "$(find "$root" -type f -o -type l | grep -cv "^$root/opt/zlay/")" -eq 0
}

every_header() { for header in include/zlay/*.h include/zlay/*.hpp; do cmp "$header" "$root/opt/zlay/$header" || return 1; done; }
pc() { PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config "$@"; }
version() { test "zlay $(pc --modversion zlay)" = "$("$root/opt/zlay/bin/zlay" --version | cut -d, -f1)"; }

example_shared() {
    # shellcheck disable=SC2046
    "$CC" -std=c11 -Wall -Wextra -Werror -o "$tap_dir/gemm" examples/gemm/gemm.c $(pc --cflags --libs zlay-runtime) &&
        cd "$tap_dir" && LD_LIBRARY_PATH=$lib ./gemm 256 256 128 > out && grep -q TMAP_STRIDE_16 out &&
        LD_LIBRARY_PATH=$lib ldd ./gemm | grep -q "libzlay.so.[0-9.]* => $lib"
}
example_hip() { # assembly; without a device, or where no HIP is, that is said
    # shellcheck disable=SC2046
    "$CC" -std=c11 -Wall -Wextra -Werror -o "$tap_dir/gemm_hip" examples/gemm_hip/gemm_hip.c $(pc --cflags --libs zlay-runtime) &&
        cd "$tap_dir" && LD_LIBRARY_PATH=$lib ./gemm_hip gfx950 > out && grep -q MFMA_K out && grep -q amdhsa_kernel gemm.s &&
        LD_LIBRARY_PATH=$lib ./gemm_hip gfx950 gemm.s | grep -Eq '^not run: (hip|no HIP)'
}
example_static() {
    # shellcheck disable=SC2046
    "$CC" -std=c11 -o "$tap_dir/gemm-static" examples/gemm/gemm.c $(pc --cflags zlay) "$lib/libzlay-runtime.a" "$lib/libzlay.a" \
        $(sed -n 's/^Libs.private: //p' "$lib/pkgconfig/zlay.pc") -ldl -lm &&
        cd "$tap_dir" && ./gemm-static 256 256 128 | grep -q TMAP_STRIDE_16
}
explain_is_found() { # beside a program that knows nothing of it
    LD_PRELOAD=$lib/libzlay-explain.so sh -c 'grep -q libzlay-explain.so /proc/self/maps'
}
example_is_short() { test "$(cat examples/gemm/gemm.c examples/gemm/product.h | wc -l)" -le 200 && test "$(wc -l < examples/gemm_hip/gemm_hip.c)" -le 100; }
programs_are_short() { # and say in their first ten lines how they are run
    for program in examples/*/*; do
        test "$(wc -l < "$program")" -le 300 && head -n 10 "$program" | grep -qE 'Run:|\./|code_object.sh|both GEMM examples' || { echo "$program"; return 1; }
    done
}

json_shared() {
    cat > "$tap_dir/json.c" << 'C'
#include <stdio.h>
#include <string.h>
#include <zlay/json.h>
int main(void)
{
    static const char line[] = "{\"op\": \"layout.eval\", \"layout\": \"4:3\", \"at\": [3]}";
    char text[100];
    zlay_buf out = {text, sizeof text, 0};
    zlay_ctx *ctx;
    if (zlay_ctx_new(&ctx, NULL, NULL) || zlay_json_call(ctx, &out, line, strlen(line))) return 1;
    zlay_ctx_free(ctx);
    return strcmp(text, "{\"ok\":[9]}");
}
C
    # shellcheck disable=SC2046
    "$CC" -std=c11 -o "$tap_dir/json" "$tap_dir/json.c" $(pc --cflags --libs zlay-json) && LD_LIBRARY_PATH=$lib "$tap_dir/json"
}

cplusplus() {
    cat > "$tap_dir/a.cc" << 'C'
#include <zlay/zlay.h>
int main() { zlay_layout *l; zlay_ctx *c; return zlay_ctx_new(&c, nullptr, nullptr) || zlay_layout_parse(c, &l, "8:2", 3) || zlay_layout_size(l) != 8; }
C
    # shellcheck disable=SC2046
    "$CXX" -std=c++17 -o "$tap_dir/a" "$tap_dir/a.cc" $(pc --cflags --libs zlay) && LD_LIBRARY_PATH=$lib "$tap_dir/a"
}

manual() { # every command of the program, every operation
    page=$root/opt/zlay/share/man/man1/zlay.1
    for word in 'pipe verify' decode; do grep -q "^.B $word\$" "$page" || { echo "no $word"; return 1; }; done
    echo '{"op": "zlay"}' | "$B/zlay" batch | grep -o '"[a-z0-9_.]*":{"fields"' | cut -d'"' -f2 | while read -r op; do
        grep -q "^.B $op\$" "$page" || echo "no $op"
    done > "$tap_dir/unnamed"
    cat "$tap_dir/unnamed"
    test ! -s "$tap_dir/unnamed" && test "$(grep -c '^.B [a-z0-9_]*\.[a-z0-9_]*$' "$page")" -gt 100
}
blanks() { # in a folder with a blank; what is installed is taken away again
    there="$tap_dir/with blank"
    "$MAKE" -s --no-print-directory install B="$B" CC="$CC" PREFIX="$there" && test -s "$there/lib/libzlay.so" || return 1
    PKG_CONFIG_PATH=$there/lib/pkgconfig pkg-config --libs zlay | grep -qF 'with\ blank/lib -lzlay' || return 1
    "$MAKE" -s --no-print-directory uninstall B="$B" CC="$CC" PREFIX="$there" && test -z "$(find "$there" ! -type d)"
}

check "make install with PREFIX, LIBDIR and DESTDIR" install_it
check "everything is in place and nothing outside" whole
check "zlay(1) has every command and operation" manual
check "the headers are those of the source" every_header
check "zlay.pc and the program agree on the version" version
check "the example, by pkg-config, shared" example_shared
check "the HIP example writes assembly and says why it does not run" example_hip
check "the example, static" example_static
check "libzlay-explain.so can be preloaded" explain_is_found
check "the example has at most 150 lines" example_is_short
check "programs of examples/ have at most 300 lines and say how they are run" programs_are_short
check "libzlay-json, shared" json_shared
check "a program in C++" cplusplus
check "a prefix with a blank; make uninstall" blanks
exit $tap_failed
