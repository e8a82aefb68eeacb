# SPDX-License-Identifier: Apache-2.0
"""The planners' models of time, as src/synth/gemm/time.c and src/synth/attention/forms.c have them, in numbers that have fractions.

A model says which constants it has and from where a fit starts (`START`), what of a candidate they apply to (`features`, computed once),
and the nanoseconds (`ns`).  docs/internals/times.md has the equations."""
import math
import os
import re

ROOT = os.path.join(os.path.dirname(__file__), "..", "..", "..")
CLUSTERS = {1: 132, 2: 66, 4: 30, 8: 15}  # of so many blocks that run at once
LINE, SECTOR, BAND, RESIDENT, INSTRUCTIONS, SPREAD = 128, 32, 16, 30e6, 4, 10


def def_rows(path, name):
    """The cells of the rows NAME(...) of a table of src."""
    with open(os.path.join(ROOT, path)) as table:
        return [[cell.strip() for cell in row.split(",")] for row in re.findall(rf"^{name}\(([^.)]*)\)", table.read(), re.M)]


FACTS = {fact: int(value) for arch, fact, value, *_ in def_rows("src/target/machine_h200.def", "FACT") if arch == "90"}
PROCESSORS = FACTS["PROCESSORS"]


def norm4(a, b):
    return math.sqrt(math.sqrt(a * a * a * a + b * b * b * b))


def between(points, x):
    """The straight line between two neighbours of a list of (x, y)."""
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return points[-1][1]


def ceil_div(a, b):
    return -(-a // b)


class Gemm:
    TABLE = "src/synth/gemm/fitted.def"
    START = {"CLOCK": 1800, "POWER": 350, "START": 2800, "DRAM": 4000, "L2_IN_STEP": 14000, "L2": 12000, "OUTSIDE": 3000, "ARRIVAL": 900,
             "ELEMENT": 45, "ELEMENT_BY_COLUMNS": 30, "PAIR_PERCENT": 103, "PAIR_ENDS": 1200, "SPLIT_ENDS": 1100, "SPLIT_ELEMENT": 130,
             "STREAM": 1000, "STREAM_ELEMENT": 180}

    def __init__(self):
        self.cycles, self.beside = {}, {}
        for target, form, kind, _, n, _, _, _, milli, *_ in def_rows("src/target/machine_h200.def", "FORM"):
            if (target, form) == ("90", "WGMMA"):
                self.cycles.setdefault(kind.lower(), []).append((int(n), int(milli)))
        for m, n, _, alone, _, shared in def_rows("src/synth/gemm/times.def", "TILE"):
            for pairs, value in ((False, alone), (True, shared)):
                self.beside.setdefault((int(m), pairs), []).append((int(n), int(value)))

    def reads(self, m, n, k, size, c, high, wide, tiles, at_once):
        """Bytes of DRAM: panels that a wave of tiles reads come once; D is written once."""
        stored, whole = 2 * m * n, (m + n) * k * size
        band = min(1 if c["swap"] and wide <= BAND else BAND, high)
        columns = min(wide, ceil_div(at_once, band))
        rows = min(high, band * ceil_div(at_once, band * wide))
        panels = min(rows * c["m"], m) + min(columns * c["n"], n)
        return stored + (max(whole, panels * k * size * tiles / at_once) if whole > RESIDENT else whole)

    def features(self, task, c):
        kind, m, n, k = task
        size = 1 if kind == "e4m3" else 2
        if c["swap"]:
            m, n = n, m
        high, wide = ceil_div(m, c["m"]), ceil_div(n, c["n"])
        sides = [(count, side, count * side - extent) for count, side, extent in ((high, c["m"], m), (wide, c["n"], n)) if count > 1]
        blocks = 2 if c["pairs"] else c["split"]
        tiles = (high + high % 2 if c["pairs"] else high) * wide
        at_once = CLUSTERS[blocks] * (2 if c["pairs"] else 1)
        steps = ceil_div(k * size, LINE * c["split"])
        reads = self.reads(m, n, k, size, c, high, wide, tiles, min(tiles, at_once))
        active, waves = min(tiles * c["split"], PROCESSORS), ceil_div(tiles, at_once)
        outside = sum(out / count for count, _, out in sides)  # rows of a block, on the average
        is_in_step = waves > 1 or not any(out * SPREAD > side for _, side, out in sides)
        return {"cycles": INSTRUCTIONS * c["m"] // 64 * between(self.cycles[kind], c["n"]), "ahead": max(1, c["stages"] * c["k"] * size // LINE),
                "asked": active * (c["m"] + c["n"] - outside) * LINE, "l2": "L2_IN_STEP" if is_in_step else "L2", "outside": active * outside * LINE,
                "beside": between(self.beside[c["m"], c["pairs"]], c["n"]) if k * size % SECTOR else 0,
                "element": "ELEMENT_BY_COLUMNS" if c["swap"] else "ELEMENT", "products": m * n * k * size / 2000, "elements": c["m"] * c["n"], "pairs": c["pairs"], "split": c["split"], "stream": c["stream"],
                "tiles": tiles, "waves": waves, "steps": steps, "reads": reads}

    @staticmethod
    def is_fitted(f):
        """Tiles that many blocks share are no way that the planner takes."""
        return not f["stream"] or f["tiles"] > PROCESSORS

    @staticmethod
    def ns(f, v):
        step = norm4(f["cycles"] / v["CLOCK"], v["ARRIVAL"] / f["ahead"])
        ends = f["elements"] * v[f["element"]] / 1000
        if f["pairs"]:
            step *= v["PAIR_PERCENT"] / 100
            ends += v["PAIR_ENDS"]
        step = norm4(step, f["asked"] / v[f["l2"]] + f["outside"] / v["OUTSIDE"]) + f["beside"]
        if f["split"] > 1:
            ends += v["SPLIT_ENDS"] + (f["split"] - 1) * f["elements"] * v["SPLIT_ELEMENT"] / 1000
        blocks = f["waves"] * (f["steps"] * step + ends)
        if f["stream"]:
            blocks = f["tiles"] * f["steps"] * step / PROCESSORS + ceil_div(f["tiles"], PROCESSORS) * ends
            blocks += v["STREAM"] + f["elements"] * max(1, PROCESSORS // f["tiles"]) * v["STREAM_ELEMENT"] / 1000
        return v["START"] + norm4(norm4(blocks, f["products"] / v["POWER"]), f["reads"] / v["DRAM"])


class Attention:
    TABLE = "src/synth/attention/fitted.def"
    START = {"BEGIN": 3000, "STEP": 150, "PRODUCT_PS": 20, "SOFTMAX_PS": 1500, "ELEMENT_PS": 30, "SHOWN": 30, "TAIL": 400}
    LAUNCH = 2500
    DRAM = FACTS["DRAM_KILOCYCLE"] * FACTS["CLOCK_KHZ"] / 1e9  # bytes in a ns

    def features(self, task, c):
        head, batch, tokens, heads, kv_heads, causal = task
        most = ceil_div(tokens, c["n"])
        blocks = ceil_div(tokens, c["m"])
        seen = [ceil_div(min(tokens, (i + 1) * c["m"]), c["n"]) if causal else most for i in range(blocks)]
        return {"groups": c["m"] // 64, "keys": c["n"], "head": head, "overlap": c["overlap"], "causal": causal, "most": most,
                "mean": sum(seen) / blocks, "blocks": blocks * heads * batch, "dram": 4 * batch * tokens * head * (heads + kv_heads) / self.DRAM}

    @staticmethod
    def is_fitted(f):
        return True

    @classmethod
    def ns(cls, f, v):
        products, softmax = f["keys"] * f["head"] * v["PRODUCT_PS"], f["keys"] * (v["SOFTMAX_PS"] + f["head"] * v["ELEMENT_PS"])
        most, least = max(products, softmax), min(products, softmax)
        alone = most + least * (v["SHOWN"] / 100 if f["overlap"] else 1)
        tile = norm4(f["groups"] * most, alone) / 1000 + v["STEP"]
        block, longest = f["mean"] * tile + v["BEGIN"], f["most"] * tile + v["BEGIN"]
        if not f["causal"]:
            return cls.LAUNCH + norm4(ceil_div(f["blocks"], PROCESSORS) * block, f["dram"])
        return cls.LAUNCH + norm4(max(f["blocks"] * block / PROCESSORS + longest * v["TAIL"] / 1000, longest), f["dram"])
