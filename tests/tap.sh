# SPDX-License-Identifier: Apache-2.0
# Sourced by check scripts: `check NAME COMMAND...` is one test, and its output shows only when it fails.
# Each script runs in the root of the project with B, CC, CXX and MAKE from its caller.
B=${B:-build} CC=${CC:-cc} CXX=${CXX:-c++} MAKE=${MAKE:-make}
tap_number=0 tap_failed=0
tap_dir=$(mktemp -d)
trap 'rm -rf "$tap_dir"' EXIT

check() {
    tap_name=$1
    shift
    tap_number=$((tap_number + 1))
    if ("$@") > "$tap_dir/log" 2>&1; then
        echo "ok $tap_number - $tap_name"
    else
        echo "not ok $tap_number - $tap_name"
        sed 's/^/# /' "$tap_dir/log" | tail -n 30
        tap_failed=1
    fi
}

# The exit status of a command is the one wanted.
exits() {
    wanted=$1
    shift
    "$@"
    got=$?
    [ "$got" -eq "$wanted" ] || { echo "exit $got, not $wanted: $*"; return 1; }
}
