#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/python/run.sh: builds the wheel as pip does, installs it into an environment that has nothing of this tree, and runs the
# tests there; then by the other CPythons of PYTHONS, if they are here; then installs what the sdist builds without the engines.
# Exit 77, and why, where there is no venv or no index of packages.
. tests/tap.sh

PYTHON=${PYTHON:-python3}
cannot() { echo "$*"; exit 77; }
PYTHONS=${PYTHONS:-python3.9 python3.10 python3.12 python3.13 python3.14}
new() { "$PYTHON" -m venv "$tap_dir/$1" > "$tap_dir/log" 2>&1; }
new venv || cannot "skipped: $PYTHON has no venv (Debian's python3-venv)"
bin=$tap_dir/venv/bin
"$bin/pip" install -q --disable-pip-version-check numpy mypy build cffi > "$tap_dir/log" 2>&1 ||
    cannot "skipped: pip finds no numpy, mypy, build and cffi: $(tail -n 1 "$tap_dir/log")"
root=$(pwd) wheels=$tap_dir/wheels
export ZLAY_ROOT="$root" ZLAY_PROGRAM="$root/$B/zlay" B JOBS="${JOBS:-$(nproc)}"
# From a folder that has no zlay of its own.
there() { (cd "$tap_dir" && LD_LIBRARY_PATH='' "$@"); }

builds() { "$bin/python" -m build -q --wheel -o "$wheels" . && test -f "$wheels"/zlay-*-py3-none-linux_*.whl; }
installs() { "$bin/pip" install -q --disable-pip-version-check "$wheels"/zlay-*.whl; }
has_version() {
    test "$(there "$bin/python" -c 'import zlay; print(zlay.__version__)')" = "$("$ZLAY_PROGRAM" --version | sed 's/[^0-9]*\([0-9.]*\).*/\1/')"
}
# No library outside of the wheel but those of the system.
is_whole() {
    ldd "$tap_dir"/venv/lib/python*/site-packages/zlay/lib/*.so* > "$tap_dir/needed" || return 1
    ! grep -E '=>' "$tap_dir/needed" | grep -vE "$tap_dir|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so|ld-linux"
}
tests_pass() { (cd "$root" && LD_LIBRARY_PATH='' "$bin/python" -W error -m unittest discover -s tests/python -t tests/python) 2>&1; }
others_pass() { # the same wheel
    for python in $PYTHONS; do
        "$python" -c 'import ensurepip, venv' 2> /dev/null || continue
        rm -rf "$tap_dir/by" && "$python" -m venv "$tap_dir/by" && "$tap_dir/by/bin/pip" install -q --disable-pip-version-check numpy "$wheels"/zlay-*.whl &&
            (cd "$root" && LD_LIBRARY_PATH='' "$tap_dir/by/bin/python" -m unittest discover -s tests/python -t tests/python) 2>&1 || { echo "$python"; return 1; }
    done
}
package_is_typed() { there "$bin/mypy" --strict -p zlay; }
program_is_typed() { there "$bin/mypy" --strict "$root/tests/python/typed.py" && there "$bin/python" "$root/tests/python/typed.py"; }
errors_are_found() { # one a line
    there "$bin/mypy" --strict "$root/tests/python/untyped.py" > "$tap_dir/found"
    test "$(grep -c 'error:' "$tap_dir/found")" -eq "$(sed 1,4d tests/python/untyped.py | grep -c .)" || { cat "$tap_dir/found"; return 1; }
}
costs_little() { "$bin/python" bench/python.py include > "$tap_dir/costs" && grep -c ': ' "$tap_dir/costs" | grep -qx 6; }
sdist_builds() { # the sdist, then a wheel of it, without this tree
    new other && "$bin/python" -m build -q --sdist -o "$wheels" . && mkdir "$tap_dir/sdist" &&
        there env -u B ENGINES=0 CFLAGS=-O0 "$bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$tap_dir/sdist" "$wheels"/zlay-*.tar.gz &&
        "$tap_dir/other/bin/pip" install -q --disable-pip-version-check "$tap_dir"/sdist/zlay-*.whl &&
        test "$(there "$tap_dir/other/bin/python" -c 'import zlay; print(zlay.Layout("(4,8):(8,1)")(3, 5))')" = 29 &&
        test "$(ls "$tap_dir"/other/lib/python*/site-packages/zlay/lib | grep -c -v zlay)" -eq 1
}

check "pip builds a wheel for every CPython" builds
check "it installs" installs
check "its version is the library's" has_version
check "it has the libraries that it needs" is_whole
check "the tests and the examples pass" tests_pass
check "the same wheel passes them by the other CPythons that are here" others_pass
check "mypy --strict accepts the package" package_is_typed
check "mypy --strict accepts a program, which runs" program_is_typed
check "mypy --strict finds each error of a wrong program" errors_are_found
check "import and calls are timed beside C" costs_little
check "the sdist builds a wheel, without the engines and NumPy: jansson alone is with it" sdist_builds
sed 's/^/# /' "$tap_dir/costs" 2>/dev/null
exit $tap_failed
