#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs beside the same call from C, and what `import zlay` costs. The package is the one installed; the
program in C is compiled here against the library inside that package. Usage: bench/python.py INCLUDE"""
import glob
import os
import statistics
import subprocess
import sys
import tempfile
import time

import zlay

ROUNDS, CALLS = 9, 20000

C = r"""
#include <zlay/zlay.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
#define TIME(name, call) do { double least = 1e18; for (int r = 0; r < 9; r++) { double from = now(); \
    for (int i = 0; i < 20000; i++) { call; } double took = (now() - from) / 20000; if (took < least) least = took; } \
    printf("%s\t%f\n", name, least); } while (0)
int main(void)
{
    zlay_ctx *ctx; zlay_layout *a, *b, *c; int64_t value; zlay_answer answer; zlay_verdict verdict; const zlay_target *target;
    const char *t = "(6,2):(8,2)", *u = "(4,3):(3,1)";
    zlay_tensormap map = {.extent = {4096, 512}, .stride = {8192}, .box = {64, 128}, .step = {1, 1}, .rank = 2, .type = ZLAY_TYPE_BF16,
                          .swizzle = ZLAY_SWIZZLE_128B};
    if (zlay_ctx_new(&ctx, 0, 0) || zlay_layout_parse(ctx, &a, t, strlen(t)) || zlay_layout_parse(ctx, &b, u, strlen(u)) ||
        zlay_target_find(&target, "sm_90a", 6)) return 1;
    TIME("parse", zlay_layout_parse(ctx, &c, t, strlen(t)); zlay_layout_free(c));
    TIME("value at an index", zlay_layout_eval(&value, 1, a, 7));
    TIME("compose", zlay_layout_compose(ctx, &c, a, b); zlay_layout_free(c));
    TIME("equal", zlay_layout_equal(ctx, &answer, 0, a, a));
    TIME("check a tensor map", zlay_tensormap_check(&verdict, 0, 0, target, &map));
    return 0;
}
"""


def in_c(include):
    """Nanoseconds of each call in C."""
    libraries = os.path.join(os.path.dirname(zlay.__file__), "lib")
    (library,) = glob.glob(os.path.join(libraries, "libzlay.so.*"))
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "calls.c"), os.path.join(folder, "calls")
        with open(source, "w", encoding="utf-8") as f:
            f.write("#define _POSIX_C_SOURCE 200809L\n" + C)
        subprocess.run([*os.environ.get("CC", "cc").split(), "-O2", "-std=c11", "-I", include, "-o", program, source, library,
                        "-Wl,-rpath," + libraries], check=True)
        lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {name: float(ns) for name, ns in (line.split("\t") for line in lines)}


def took(call):
    """Nanoseconds of a call, the least of several rounds."""
    def once():
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        return (time.perf_counter_ns() - start) / CALLS
    return min(once() for _ in range(ROUNDS))


def import_ms():
    """Milliseconds that `import zlay` adds to a start of Python, the middle of several."""
    program = "import time; t = time.perf_counter(); import zlay; print((time.perf_counter() - t) * 1e3)"
    times = [float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd="/").stdout)
             for _ in range(ROUNDS)]
    return statistics.median(times)


def main():
    a, b = zlay.Layout("(6,2):(8,2)"), zlay.Layout("(4,3):(3,1)")
    m = zlay.TensorMap("bf16", 0, (4096, 512), (8192,), (64, 128), swizzle="128B")
    calls = {"parse": lambda: zlay.Layout("(6,2):(8,2)"), "value at an index": lambda: a(7), "compose": lambda: a @ b,
             "equal": lambda: a == a, "check a tensor map": lambda: m.legal}
    print(f"import zlay: {import_ms():.0f} ms; at most 50 are wanted")
    c = in_c(sys.argv[1])
    for name, call in calls.items():
        ns = took(call)
        print(f"{name}: {ns:.0f} ns from Python, {c[name]:.0f} ns from C, {ns - c[name]:.0f} ns more; at most 2000 are wanted")


main()
