#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shared libraries export what the headers declare, all of it and nothing else, and libzlay
# needs libc and its engines alone.
. tests/tap.sh

exported() { nm -D --defined-only "$1" | awk '{print $3}' | sort; }
declared() { grep -o 'zlay_[a-z0-9_]*(' "$B/zlay.cdef" | tr -d '(' | sort -u; }

only_zlay() { ! exported "$1" | grep -v '^zlay_'; }
soname() { readelf -d "$1" | grep SONAME | grep -q "\[$(basename "$1").[0-9]*\.[0-9]*\]"; }
needed() { readelf -d "$1" | sed -n 's/.*NEEDED.*\[\([a-z]*\).*\]/\1/p'; }
needs_only() { needed "$1" | grep -q '^libc$' && ! needed "$1" | grep -vxE "$2"; }

every_declared() {
    for so in libzlay libzlay-runtime libzlay-json; do exported "$B/$so.so"; done | sort > "$tap_dir/all"
    declared > "$tap_dir/declared"
    test -s "$tap_dir/declared" && diff "$tap_dir/declared" "$tap_dir/all"
}

# Tables of pointers lie in .data.rel.ro, which nm calls d; anything in .data or .bss is state.
no_state() {
    for archive in libzlay libzlay-runtime libzlay-json; do
        objdump -t "$B/$archive.a" | grep -E ' O \.(data|bss|tbss|tdata)[[:space:]]' && return 1
    done
    return 0
}

check "libzlay.so exports only zlay_*" only_zlay "$B/libzlay.so"
check "libzlay-runtime.so exports only zlay_*" only_zlay "$B/libzlay-runtime.so"
check "libzlay-json.so exports only zlay_*" only_zlay "$B/libzlay-json.so"
check "what the headers declare is exported once, and nothing else" every_declared
check "sonames carry major and minor" soname "$B/libzlay.so"
check "libzlay needs libc, isl, FLINT and GMP alone" needs_only "$B/libzlay.so" 'libc|libm|libisl|libflint|libgmp'
check "no object holds writable data" no_state
exit $tap_failed
