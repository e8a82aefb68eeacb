#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same source makes the same bytes: the libraries, the program and what is generated, built in two folders, at two times, by
# different numbers of jobs. Without isl, FLINT and GMP and without optimisation, which take longer and name no folder either.
. tests/tap.sh

export CCACHE_DISABLE=1 # the second build would be the first one's objects
first=$tap_dir/one second=$tap_dir/another/folder

build() { # FOLDER JOBS
    mkdir -p "$1" && cp -R Makefile cmake include pkgconfig src tools "$1" || return 1
    (cd "$1" && MAKEFLAGS='' "$MAKE" -s --no-print-directory -j "$2" B=build CC="$CC" CFLAGS='-O0 -g' ENGINES=0 NO_INSTALL=1 \
        $(for name in zlay zlay-runtime zlay-json; do echo build/lib$name.a build/lib$name.so; done) build/libzlay-explain.so build/zlay \
        build/zlay.1 build/zlay.cdef) > "$tap_dir/log" 2>&1 || { tail "$tap_dir/log"; return 1; }
}
both() { build "$first" 2 && build "$second" 3; }
same() { # what differs, by name
    for file in zlay libzlay.a libzlay.so libzlay-runtime.a libzlay-runtime.so libzlay-json.a libzlay-json.so libzlay-explain.so zlay.1 zlay.cdef; do
        test -s "$first/build/$file" && cmp "$first/build/$file" "$second/build/$file" || echo "$file differs"
    done > "$tap_dir/differs"
    cat "$tap_dir/differs"
    test ! -s "$tap_dir/differs"
}
names_no_folder() { ! grep -qa "$tap_dir" "$first/build/zlay" "$first/build/libzlay.a" "$first/build/libzlay.so"; }
is_noticed() { # a folder in what is built would be
    echo 'const char *where(void) { return __FILE__; }' > "$first/where.c" && cp "$first/where.c" "$second/where.c"
    for folder in "$first" "$second"; do "$CC" -c -o "$folder/where.o" "$folder/where.c" || return 1; done
    ! cmp -s "$first/where.o" "$second/where.o"
}

check "two folders build" both
check "the libraries, the program and its pages are the same bytes" same
check "what is built names no folder of its build" names_no_folder
check "a folder that is named is noticed" is_noticed
exit $tap_failed
