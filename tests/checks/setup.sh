#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/setup.sh names what a machine lacks: a compiler that finds some headers no more is that machine.
. tests/tap.sh

lacks() { # pattern of headers, goal: the lines of setup.sh, its status in $tap_dir/status
    cat > "$tap_dir/cc" <<EOF
#!/bin/sh
cat > "$tap_dir/input"
grep -q -E '$1' "$tap_dir/input" && exit 1
exec "$CC" "\$@" < "$tap_dir/input"
EOF
    chmod +x "$tap_dir/cc"
    CC="$tap_dir/cc" NO_INSTALL=1 tools/setup.sh "$2" 2>&1
    echo $? > "$tap_dir/status"
}

status_is() { test "$(cat "$tap_dir/status")" = "$1"; }

engines_are_named_by() { lacks 'isl|gmp|flint' "$1" | grep -q 'apt-get install -y.* libisl-dev libgmp-dev libflint-dev'; }
run_goes_on() { engines_are_named_by run && status_is 0; }
test_stops() { engines_are_named_by test && status_is 1; }
jansson_stops() { lacks 'jansson' run | grep -q 'apt-get install -y libjansson-dev$' && status_is 1; }
one_is_named() { lacks 'flint/' run | grep -q 'apt-get install -y libflint-dev$' && status_is 0; }
unasked() { test -z "$(ENGINES=0 lacks 'isl|gmp|flint' run)" && status_is 0; }

# With CI=true a skip that tests/skips gives no reason for is a failure, and only a bare machine would show it.
skips_have_reasons() {
    grep -lE '\b(need_[a-z]+\(|skip\(\))' -r tests --include='*.c' | grep -v '^tests/support/' | sed 's,tests/,,; s/\.c$//' | while read -r name; do
        grep -q "^$name " tests/skips || echo "$name"
    done > "$tap_dir/unexcused"
    cat "$tap_dir/unexcused"
    test ! -s "$tap_dir/unexcused"
}

# In one folder, one after the other; it names all that asks for ENGINES.
objects_follow_engines() {
    made() { "$MAKE" -s --no-print-directory B="$tap_dir/b" CC="$CC" ENGINES="$1" "$tap_dir/b/algebra/integer/flint.o" > /dev/null && nm "$tap_dir/b/algebra/integer/flint.o" | grep -c ' U fmpz'; }
    { [ "$(made 0)" = 0 ] && [ "$(made 0)" = 0 ] && { ! has_flint || [ "$(made 1)" -gt 0 ]; } && [ "$(made 0)" = 0 ]; } || return 1
    for file in $(grep -rlE 'ZL_ENGINES|isl_object\.h' src bench tests --include='*.c'); do
        name=$(basename "$file" .c)
        sed -n '/^\$(addprefix.*isl.o/,/engines$/p' Makefile | grep -qE "/$name(\.o)?[): ]" || { echo "$file"; return 1; }
    done
}
has_flint() { echo '#include <flint/fmpz.h>' | "$CC" -E - > /dev/null 2>&1; }

check "objects follow ENGINES" objects_follow_engines
check "every test that may be skipped has its reason in tests/skips" skips_have_reasons
check "without isl, FLINT and GMP 'run' names them and goes on" run_goes_on
check "without them 'test' stops" test_stops
check "without jansson 'run' stops" jansson_stops
check "what is missing is named alone" one_is_named
check "ENGINES=0 asks for none of them" unasked
exit $tap_failed
