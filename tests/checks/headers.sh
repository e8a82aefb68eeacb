#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each public header alone, as C11 and as C++17, without a warning; each block says what its function returns,
# and names nothing that does not exist.
. tests/tap.sh

# Declarations without a blank line between them share the block above them.
says_what_it_returns() {
    awk 'FNR == 1 { said = shared = 0 }
        /^\/\*\*/ { said = 0; shared = 1 }
        /Returns/ { said = 1 }
        /^$/ { shared = 0 }
        /^ZLAY_API zlay_status/ && !(shared && said) { print FILENAME ": " $0 }' include/zlay/*.h > "$tap_dir/silent"
    cat "$tap_dir/silent"
    test ! -s "$tap_dir/silent"
}

# Macros, files and what is declared; a name that ends in _ stands for those that begin with it.
names_what_is_there() {
    (cd include && printf '#include <%s>\n' zlay/*.h) > "$tap_dir/all.c"
    {
        "$CC" -Iinclude -E -P "$tap_dir/all.c"
        "$CC" -Iinclude -E -dM "$tap_dir/all.c"
        ls include/zlay | sed 's/^/zlay_/; s/\.h$//'
    } | grep -oE '\b(zlay|ZLAY)_[A-Za-z0-9_]+' | sort -u > "$tap_dir/there"
    grep -ohE '\b(zlay|ZLAY)_[A-Za-z0-9_]+' include/zlay/*.h* README.md $(ls docs/*.md docs/recipes/*.md | grep -v '/changes.md$') $(find examples -type f) |
        grep -vE '_H$|_HPP$|^ZLAY_HPP_|^ZLAY_(EXPLAIN|EXPLAIN_TARGET|SCALE|SEED|EXHAUSTIVE|ONLY|JOBS)$' | sort -u > "$tap_dir/named"
    grep '_$' "$tap_dir/named" | while read -r stem; do grep -q "^$stem" "$tap_dir/there" || echo "$stem*"; done > "$tap_dir/none"
    grep -v '_$' "$tap_dir/named" | comm -23 - "$tap_dir/there" >> "$tap_dir/none"
    cat "$tap_dir/none"
    test ! -s "$tap_dir/none"
}

for header in include/zlay/*.h; do
    name=$(basename "$header")
    printf '#include <zlay/%s>\nint zl_alone(void);\n' "$name" > "$tap_dir/alone.c"
    check "$name as C11" "$CC" -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$tap_dir/alone.c"
    check "$name as C++17" "$CXX" -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c++ "$tap_dir/alone.c"
done
check "every function that has a status says which it returns" says_what_it_returns
check "headers, documents and examples name what is there" names_what_is_there
exit $tap_failed
