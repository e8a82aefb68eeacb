#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What CuTe's algebra in Python (pycute, of the PyPI package nvidia-cutlass) answers, beside zlay: random layouts of one to three modes,
compose and right_inverse.  An answer is judged by the definition, point by point, by code of neither: the values of a(b(x)), where the last
mode of a has no bound; a(r(i)) = i for the longest r.  A row says how many requests were answered rightly, wrongly, or refused.
Usage: bench/cute_answers.py build/zlay [COUNT]
"""
import json
import math
import random
import re
import subprocess
import sys

try:
    import pycute
except ImportError:
    print("CuTe's Python: left out, pycute of the package nvidia-cutlass is not here")
    sys.exit(0)


def drawn():
    modes = random.randint(1, 3)
    return tuple(random.randint(1, 6) for _ in range(modes)), tuple(random.choice((0, 1, 2, 3, 4, 6, 8, 12, 24)) for _ in range(modes))


def text(layout):
    join = lambda t: "(" + ",".join(join(e) if isinstance(e, tuple) else str(e) for e in t) + ")" if isinstance(t, tuple) else str(t)
    return join(layout[0]) + ":" + join(layout[1])


def flat(value):
    return [e for part in value for e in flat(part)] if isinstance(value, tuple) else [value]


def values(layout):
    """Every value by index, the first mode fastest; None of what is no strided layout."""
    found = [0]
    for extent, stride in zip(flat(layout[0]), flat(layout[1])):
        found = [low + stride * i for i in range(extent) for low in found]
    return found


def at(layout, index):
    """The value of an index, also past the size, where the last mode goes on."""
    shape, stride, value = flat(layout[0]), flat(layout[1]), 0
    for i, (extent, step) in enumerate(zip(shape, stride)):
        last = i == len(shape) - 1
        value, index = value + step * (index if last else index % extent), index // extent
    return value


def by_compose(a, b, answer):
    return answer == [at(a, x) for x in values(b)]


def by_inverse(a, answer):
    """a(answer(i)) = i, for as many i as there are."""
    known = values(a)
    most = next(i for i in range(len(known) + 1) if i not in known)
    return len(answer) == most and all(0 <= r < len(known) and known[r] == i for i, r in enumerate(answer))


def peer(function, *arguments):
    try:
        result = function(*arguments)
        return values((result.shape, result.stride))
    except (AssertionError, ZeroDivisionError, IndexError, TypeError, ValueError):
        return None


def size(answer):
    """How many indices a layout has, from its text: one bit a basis, the box of pieces or their greatest bounds, the extents."""
    if answer.startswith("f2"):
        return 2 ** answer.split("->")[0].count("(")
    if not answer.startswith("{"):
        return math.prod(map(int, re.findall(r"\d+", answer.split(" o ")[-1].split(":")[0])))
    bounds = {}
    for name, bound in re.findall(r"\b(i\d+) < (\d+)", answer):
        bounds[name] = max(bounds.get(name, 0), int(bound))
    return math.prod(map(int, answer.split("# box ")[1].split()[0].split(","))) if "# box " in answer else math.prod(bounds.values())


def ask(program, requests):
    lines = "\n".join(json.dumps(r) for r in requests)
    return [json.loads(line) for line in subprocess.run([program, "batch"], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()]


def zlay(program, requests):
    answers = ask(program, requests)
    texts = [a.get("ok", "1:0") for a in answers]
    got = ask(program, [{"op": "layout.eval", "layout": t, "at": list(range(size(t)))} for t in texts])
    return [g.get("ok") if "ok" in a else None for a, g in zip(answers, got)]


def row(name, judged):
    right, wrong, refused = (sum(j == k for j in judged) for k in (True, False, None))
    print(f"{name:34} {len(judged):6} requests {right:6} right {wrong:6} wrong {refused:6} refused")


def main(program, count):
    random.seed(1)
    pairs = [(drawn(), drawn()) for _ in range(count)]
    layouts = [pycute.Layout(*a) for a, _ in pairs], [pycute.Layout(*b) for _, b in pairs]
    judge = lambda test, answer: None if answer is None else test(answer)
    cases = (
        ("compose", [peer(pycute.composition, a, b) for a, b in zip(*layouts)], [{"op": "layout.compose", "a": text(a), "b": text(b)} for a, b in pairs],
         [lambda y, a=a, b=b: by_compose(a, b, y) for a, b in pairs]),
        ("right_inverse", [peer(pycute.right_inverse, a) for a in layouts[0]], [{"op": "layout.right_inverse", "layout": text(a)} for a, _ in pairs],
         [lambda y, a=a: by_inverse(a, y) for a, _ in pairs]))
    for name, theirs, requests, tests in cases:
        row(name + ": pycute", [judge(test, answer) for test, answer in zip(tests, theirs)])
        row(name + ": zlay", [judge(test, answer) for test, answer in zip(tests, zlay(program, requests))])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20000)
