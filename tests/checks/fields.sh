#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A row of a field table whose kind is not of the type that it reads into does not compile, nor a row of an
# operation whose function has another type than its shape; the same rows of the right type compile.
. tests/tap.sh

# A table of one row, of a struct with the members of every type, and an operation over it.
program() { # ROW SHAPE FUNCTION
    cat <<END
#include "json/json.h"
typedef struct asked {
    uint32_t narrow; uint64_t wide; int32_t word; bool flag;
    uint32_t list[4]; const zlay_layout *layout; zl_json_text text; zlay_mma mma;
} asked;
extern const zl_field_kind whole;
typedef asked whole_type;
static const zl_field rows[] = {{"name", ZL_MAY, $1}};
const zl_fields fields = {ZL_ROWS(rows, asked)};
const zl_op op = {.name = "op", .fields = &fields, .make = {.$2 = $3}};
END
}
compiles() {
    program "$@" > "$tap_dir/row.c"
    "$CC" -std=c11 -Wall -Werror -Iinclude -Isrc -fsyntax-only "$tap_dir/row.c"
}
refused() { ! compiles "$@"; }

one=zlay_f2_invert
for row in zl_as_u32:narrow:wide zl_as_u64:wide:narrow zl_as_word:word:narrow zl_as_flag:flag:narrow \
    zl_as_some32:narrow:wide zl_as_some64:wide:narrow zl_as_plain_layout:layout:wide \
    zl_as_list32:list:narrow zl_as_layout:layout:text zl_as_text:text:layout; do
    kind=${row%%:*} members=${row#*:}
    check "$kind reads into ${members%:*}" compiles "ZL_AT($kind, asked, ${members%:*})" one $one
    check "$kind does not read into ${members#*:}" refused "ZL_AT($kind, asked, ${members#*:})" one $one
done
check "a kind of a whole struct reads into it" compiles "ZL_WHOLE(whole, asked)" one $one
check "a kind of a whole struct does not read into another" refused "ZL_WHOLE(zl_as_mma, asked)" one $one
row='ZL_AT(zl_as_u32, asked, narrow)'
check "a function of two layouts is of the shape two" compiles "$row" two zlay_f2_composition
check "a function of two layouts is not of the shape one" refused "$row" one zlay_f2_composition
check "a function of one layout is not of the shape two" refused "$row" two $one
exit $tap_failed
