#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each public header alone, as C11 and as C++17, without a warning.
. tests/tap.sh
for header in include/zlay/*.h; do
    name=$(basename "$header")
    printf '#include <zlay/%s>\nint zl_alone(void);\n' "$name" > "$tap_dir/alone.c"
    check "$name as C11" "$CC" -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$tap_dir/alone.c"
    check "$name as C++17" "$CXX" -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c++ "$tap_dir/alone.c"
done
exit $tap_failed
