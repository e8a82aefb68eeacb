#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Triton's LinearLayout (the PyPI package triton, which has C++ behind a Python binding) against zlay's f2 layouts through ctypes.

Both are called from Python, so that a row's ratio is of whole calls, the binding of each included: not of the algebra alone.  A call
that does nothing is a row too, for what each binding takes.  2048 random invertible layouts of 8 to 13 bits; the answers of both
are compared.  Usage: bench/linear_layout.py build/libzlay.so
"""
import ctypes
import random
import statistics
import sys
import time

try:
    from triton._C.libtriton import linear_layout
except ImportError:
    print("Triton's LinearLayout: left out, the Python package triton is not here")
    sys.exit(0)

WORLD, ROUNDS = 2048, 9
Linear = linear_layout.LinearLayout


class Zlay:
    """The few functions that are needed, and layouts by their text."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.zlay_layout_size.restype = ctypes.c_uint64
        self.ctx = ctypes.c_void_p()
        assert self.lib.zlay_ctx_new(ctypes.byref(self.ctx), None, None) == 0

    def layout(self, bases, bits, names="io"):
        text = (f"f2{{{names[0]}:" + "".join(f" ({b})" for b in bases) + f" -> {names[1]}: {1 << bits}}}").encode()
        out = ctypes.c_void_p()
        assert self.lib.zlay_layout_parse(self.ctx, ctypes.byref(out), text, ctypes.c_size_t(len(text))) == 0
        return out

    def at(self, layout, index):
        value = ctypes.c_int64()
        assert self.lib.zlay_layout_eval(ctypes.byref(value), 1, layout, ctypes.c_uint64(index)) == 0
        return value.value

    def compose(self, inner, outer):
        out = ctypes.c_void_p()
        assert self.lib.zlay_f2_composition(self.ctx, ctypes.byref(out), outer, inner) == 0
        return out

    def solve(self, a, b):
        out = ctypes.c_void_p()
        assert self.lib.zlay_f2_inverse_composition(self.ctx, ctypes.byref(out), a, b) == 0
        return out

    def free(self, layout):
        self.lib.zlay_layout_free(layout)


def random_bases(bits):
    """Lower and upper triangles of ones times each other, columns in any order: always invertible."""
    bases = [1 << k for k in range(bits)]
    for _ in range(3 * bits):
        i, j = random.sample(range(bits), 2)
        bases[i] ^= bases[j]
    random.shuffle(bases)
    return bases


def times(works):
    """Medians of rounds that take all in turn, in microseconds a call."""
    found = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, times_of in zip(works, found):
            start = time.thread_time()
            for i in range(WORLD):
                work(i)
            times_of.append((time.thread_time() - start) * 1e6 / WORLD)
    return [statistics.median(t) for t in found]


def main():
    zlay = Zlay(sys.argv[1])
    random.seed(5)
    bits = [random.randint(8, 13) for _ in range(WORLD)]
    bases = [(random_bases(n), random_bases(n)) for n in bits]
    ours = [tuple(zlay.layout(b, n) for b in pair) for pair, n in zip(bases, bits)]
    theirs = [(Linear.from_bases([("i", [[b] for b in p])], ["o"]), Linear.from_bases([("i", [[b] for b in q])], ["o"]))
              for p, q in bases]
    outer = [zlay.layout(p, n, "ov") for (p, _), n in zip(bases, bits)]
    after = [Linear.from_bases([("o", [[b] for b in p])], ["v"]) for p, _ in bases]

    def compose(i):
        zlay.free(zlay.compose(ours[i][1], outer[i]))

    def solve(i):
        zlay.free(zlay.solve(ours[i][0], ours[i][1]))

    for i in range(0, WORLD, 16):
        n = random.randrange(1 << bits[i])
        made, whole = zlay.compose(ours[i][1], outer[i]), theirs[i][1].compose(after[i])
        assert zlay.at(made, n) == whole.apply({"i": n})["v"], "compose"
        zlay.free(made)
        made, whole = zlay.solve(ours[i][0], ours[i][1]), theirs[i][1].invert_and_compose(theirs[i][0])
        got = whole.apply({"i": n})
        assert zlay.at(ours[i][0], zlay.at(made, n)) == zlay.at(ours[i][1], n), "invert_and_compose"
        assert theirs[i][0].apply({"i": got["i"]})["o"] == zlay.at(ours[i][1], n), "invert_and_compose"
        zlay.free(made)

    rows = [("compose", compose, lambda i: theirs[i][1].compose(after[i])),
            ("invert_and_compose", solve, lambda i: theirs[i][1].invert_and_compose(theirs[i][0])),
            ("apply", lambda i: zlay.at(ours[i][0], 77), lambda i: theirs[i][0].apply({"i": 77})),
            ("no work: a number read", lambda i: zlay.lib.zlay_layout_size(ours[i][0]),
             lambda i: theirs[i][0].num_in_dims)]
    for name, mine, other in rows:
        a, b = times([mine, other])
        print(f"{'from Python: ' + name:<44} {a:9.4g} us  {'Triton LinearLayout, its binding':<34} {b / a:9.3g}x")


main()
