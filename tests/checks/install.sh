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
        share/doc/zlay/examples/gemm/gemm.c share/man/man1/zlay.1 share/man/man1/zlay-plan-gemm.1 share/man/man7/zlay_rules.7 \
        lib64/cmake/zlay/zlay-config.cmake lib64/cmake/zlay/zlay-config-version.cmake share/bash-completion/completions/zlay \
        share/zsh/site-functions/_zlay share/fish/vendor_completions.d/zlay.fish; do
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
    for program in $(ls examples/*/* | grep -v '\.json$'); do
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
    # and a page of its own for each command, which the reader of pages takes without a word
    for command in $(sed -n 's/^COMMAND("\([^"]*\)".*/\1/p' src/cli/commands.def | tr ' ' -); do
        own=$root/opt/zlay/share/man/man1/zlay-$command.1
        grep -q '^.SH DESCRIPTION$' "$own" || echo "no page of $command"
        if command -v man > /dev/null; then LC_ALL=C man --warnings -E UTF-8 -l -Tutf8 -Z "$own" 2>&1 > /dev/null | grep . ; fi
    done >> "$tap_dir/unnamed"
    cat "$tap_dir/unnamed"
    test ! -s "$tap_dir/unnamed" && test "$(grep -c '^.B [a-z0-9_]*\.[a-z0-9_]*$' "$page")" -gt 100
}
cmake_project() { # PREFIX BUILD: programs of every target, found below the prefix and run
    mkdir -p "$2/source" && cp examples/gemm/product.h examples/gemm/gemm.c "$tap_dir/json.c" "$2/source" || return 1
    cat > "$2/source/CMakeLists.txt" << 'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(uses_zlay C)
find_package(zlay 0.3 REQUIRED)
foreach(suffix "" "-static")
    add_executable(gemm${suffix} gemm.c)
    target_link_libraries(gemm${suffix} PRIVATE zlay::runtime${suffix})
    add_executable(json${suffix} json.c)
    target_link_libraries(json${suffix} PRIVATE zlay::json${suffix})
endforeach()
CMAKE
    cmake -S "$2/source" -B "$2" -DCMAKE_C_COMPILER="$CC" -Dzlay_DIR="$1/lib64/cmake/zlay" && cmake --build "$2" || return 1
    for suffix in '' -static; do
        "$2/json$suffix" && (cd "$2" && "./gemm$suffix" 256 256 128) | grep -q TMAP_STRIDE_16 || { echo "suffix '$suffix'"; return 1; }
    done
    ldd "$2/gemm" | grep -q "libzlay.so.[0-9.]* => $(realpath "$1")/" && ! ldd "$2/gemm-static" | grep -q libzlay
}
cmake_moved() { # the tree as it was installed, and moved elsewhere with its links
    cp -R "$root/opt/zlay" "$tap_dir/moved to" && cmake_project "$tap_dir/moved to" "$tap_dir/cmake.moved"
}
cmake_versions() { # an older minor version, and a later patch than there is, are not served
    mkdir "$tap_dir/versions" || return 1
    for version in '' 0 0.3 0.3.0 no:0.2 no:0.3.1 no:1.0; do
        printf 'cmake_minimum_required(VERSION 3.16)\nproject(x NONE)\nfind_package(zlay %s REQUIRED)\n' "${version#no:}" > "$tap_dir/versions/CMakeLists.txt"
        cmake -S "$tap_dir/versions" -B "$tap_dir/versions/build" -Dzlay_DIR="$root/opt/zlay/lib64/cmake/zlay" > "$tap_dir/versions/log" 2>&1
        case $?:$version in 0:no:*) echo "$version is served"; return 1 ;; 0:* | *:no:*) ;; *) echo "$version"; cat "$tap_dir/versions/log"; return 1 ;; esac
        rm -rf "$tap_dir/versions/build"
    done
}

# A build without engines links by what pkg-config says for static libraries alone, moved too.
pkg_config_static() {
    there=$tap_dir/static
    "$MAKE" -s --no-print-directory install B="$B/static" CC="$CC" CFLAGS=-O0 ENGINES=0 PREFIX="$there" > /dev/null && mv "$there" "$there.moved" || return 1
    rm "$there.moved/lib/"*.so*
    flags() { PKG_CONFIG_PATH=$there.moved/lib/pkgconfig pkg-config --define-prefix --static --cflags --libs "$1"; }
    # shellcheck disable=SC2046
    "$CC" -std=c11 -o "$tap_dir/gemm.pc" examples/gemm/gemm.c $(flags zlay-runtime) && (cd "$tap_dir" && ./gemm.pc 256 256 128) | grep -q TMAP_STRIDE_16 || return 1
    # shellcheck disable=SC2046
    "$CC" -std=c11 -o "$tap_dir/json.pc" "$tap_dir/json.c" $(flags zlay-json) && "$tap_dir/json.pc" || return 1
    # shellcheck disable=SC2046
    "$CC" -std=c11 -static -o "$tap_dir/a.pc" -x c "$tap_dir/a.c" $(flags zlay) && "$tap_dir/a.pc" && ! ldd "$tap_dir/a.pc" 2>/dev/null
}

# What a shell completes: the words behind a command, of a flag, of a place of a command; the shells read their files.
completes() {
    cat > "$tap_dir/complete.bash" << 'BASH'
. "$1"
of() { # LINE: its words, completed
    read -ra COMP_WORDS <<< "$1"
    [[ $1 != *' ' ]] || COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _zlay
    echo "${COMPREPLY[*]}"
}
while IFS='|' read -r line wanted; do
    got=$(of "$line")
    [ "$got" = "$wanted" ] || { echo "$line: $got"; exit 1; }
done << 'END'
zlay pi|pipe
zlay pipe ver|verify
zlay plan gemm --tar|--target
zlay run gemm --he|
zlay plan gemm --he|--header
zlay plan gemm --target gfx9|gfx90a gfx942 gfx950
zlay plan gemm --ragged |rows k
zlay emit layout h|hip
zlay pipe emit x.pipe sm_90|sm_90 sm_90a
zlay pipe emit x.pipe sm_90a p|ptx
zlay pipe verify x.pipe |
zlay decode s|smemdesc
zlay explain layout.eq|layout.equal
END
BASH
    bash "$tap_dir/complete.bash" "$root/opt/zlay/share/bash-completion/completions/zlay"
}
read_by() { # SHELL FILE: skipped where the shell is not there
    if command -v "$1" > /dev/null; then check "$1 reads its completions" "$1" -n "$root/opt/zlay/share/$2"; return; fi
    tap_number=$((tap_number + 1))
    echo "ok $tap_number - $1 reads its completions # SKIP no $1"
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
if command -v cmake > /dev/null; then
    check "find_package: shared and static targets" cmake_project "$root/opt/zlay" "$tap_dir/cmake"
    check "find_package of a tree that was moved" cmake_moved
    check "find_package: versions that are not this one" cmake_versions
else
    for name in targets 'a moved tree' versions; do
        tap_number=$((tap_number + 1))
        echo "ok $tap_number - find_package: $name # SKIP no cmake"
    done
fi
printf '#include <zlay/zlay.h>\nint main(void) { zlay_ctx *c; return zlay_ctx_new(&c, NULL, NULL) != ZLAY_OK; }\n' > "$tap_dir/a.c"
# It builds the library once more, which make test-all has the time for.
[ "${ZLAY_EXHAUSTIVE:-0}" = 0 ] ||
check "pkg-config --static without engines, moved" pkg_config_static
check "what bash completes" completes
read_by zsh zsh/site-functions/_zlay
read_by fish fish/vendor_completions.d/zlay.fish
check "a prefix with a blank; make uninstall" blanks
exit $tap_failed
