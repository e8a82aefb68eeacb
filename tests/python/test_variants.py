# SPDX-License-Identifier: Apache-2.0
"""Chosen variants, and selectors: what Python's takes, the C text takes too, and guards that are evaluated by hand."""
import ctypes
import itertools
import os
import random
import subprocess
import tempfile
import unittest

import zlay

COPY = [{"name": "by 8", "guard": ["n % 8 == 0"], "cost": "n / 8"}, {"name": "by 4", "guard": ["n % 4 == 0"], "cost": "n / 4"},
        {"name": "any", "cost": "n"}]
SHAPES, WEIGHTS = [[64], [96], [100], [7]], [10, 10, 10, 1]


def choose(**more):
    return zlay.variants.choose(["n"], SHAPES, COPY, facts=["1 <= n < 2^31"], weights=WEIGHTS, **more)


class Choices(unittest.TestCase):
    def test_the_answer_is_the_operations(self):
        for more in ({"bound": 700}, {"bound": 500}, {"percent": 0}, {"most": 1}, {}):
            mine = choose(**more)
            theirs = zlay.ops.variants.choose(["n"], SHAPES, COPY, facts=["1 <= n < 2^31"], weights=WEIGHTS, name="pick", **more)
            self.assertEqual([(v.number, v.name, list(v.guard), v.shapes, v.cost) for v in mine],
                             [(v["variant"], v["name"], v["guard"], v["shapes"], v["cost"]) for v in theirs["variants"]])
            self.assertEqual((mine.cost, mine.cheapest, mine.fewer), (theirs["cost"], theirs["cheapest"], theirs.get("fewer") or None))
            self.assertEqual(mine.text("pick"), theirs["text"])
            self.assertEqual([mine.place(*shape) for shape in SHAPES], theirs["taken"])

    def test_the_selector_takes_the_first_guard_that_holds(self):
        pick = choose()
        for n in [*range(1, 200), (1 << 31) - 1, (1 << 31) - 8]:
            self.assertEqual(pick(n).name, "by 8" if n % 8 == 0 else "by 4" if n % 4 == 0 else "any")
            self.assertEqual(pick(n=n), pick(n))
        for n in (0, -8, 1 << 31, (1 << 63) - 1, -1 << 63):
            with self.assertRaisesRegex(zlay.Error, "the facts do not hold"):
                pick(n)
        for bad, named in (((), {}), ((1, 2), {}), ((), {"m": 1}), ((1,), {"n": 1}), ((1 << 63,), {})):
            with self.assertRaises(zlay.Error):
                pick(*bad, **named)

    def test_the_selector_is_the_c_text(self):
        """The text, compiled, on random values of two unknowns and at the edges of guards."""
        pick = zlay.variants.choose(["m", "lda"], [[64, 64], [100, 104]], [
            {"guard": ["lda % 8 == 0"], "cost": "m"}, {"guard": ["m >= 32"], "cost": "m + 10"}, {"guard": ["m < 32"], "cost": "m + 50"}],
            facts=["1 <= m < 2^31", "1 <= lda < 2^31", "m <= lda"])
        self.assertEqual(len(pick), 3)
        with tempfile.TemporaryDirectory() as folder:
            source, library = os.path.join(folder, "pick.c"), os.path.join(folder, "pick.so")
            with open(source, "w", encoding="utf-8") as f:
                f.write(pick.text("pick") + "int picked(long long m, long long lda) { return pick(m, lda); }\n")
            subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-o", library, source], check=True)
            picked = ctypes.CDLL(library).picked
            picked.argtypes = [ctypes.c_longlong] * 2
            edges = [-1, 0, 1, 31, 32, 33, 64, 104, (1 << 31) - 1, 1 << 31]
            draw = random.Random(1)
            pairs = [*itertools.product(edges, edges), *((draw.randrange(-9, 300), draw.randrange(-9, 300)) for _ in range(500))]
            for m, lda in pairs:
                try:
                    place = pick.place(m, lda)
                except zlay.Error:
                    place = -1
                self.assertEqual(place, picked(m, lda), (m, lda))

    def test_requests_that_are_refused(self):
        for bad in ({"bound": 1, "percent": 1}, {"bound": 1}, {"most": 9}):
            with self.assertRaises(zlay.Error):
                choose(**bad)
        with self.assertRaises(zlay.ProvedNone):
            zlay.variants.choose(["n"], [[64]], [{"guard": ["n % 8 == 0"], "cost": "n"}], facts=["1 <= n < 100"])
        for shapes, weights, variants in (([[1, 2]], None, COPY), ([[1]], [1, 2], COPY), ([[1]], None, [{"costs": [1, 2]}]), ([[1]], None, []),
                                          ([[1]], None, [{"cost": "n", "guard": ["n %"]}])):
            with self.assertRaises(zlay.Error):
                zlay.variants.choose(["n"], shapes, variants, weights=weights)


class Products(unittest.TestCase):
    FIELDS = {"unknowns": ["m", "lda"], "shapes": [[8, 7168], [64, 7168], [300, 7168], [300, 7170]], "facts": ["m <= 65536", "lda <= 2^20"]}

    def test_the_choices_are_the_operations(self):
        mine = zlay.variants.gemm("sm_90a", "m", 4096, 7168, lda="lda", percent=2, **self.FIELDS)
        theirs = zlay.ops.variants.gemm(gemm={"target": "sm_90a", "m": "m", "n": 4096, "k": 7168, "lda": "lda"}, percent=2, **self.FIELDS)
        self.assertEqual([(list(v.guard), v.cost) for v in mine], [(v["guard"], v["cost"]) for v in theirs["variants"]])
        for shape, taken in zip(self.FIELDS["shapes"], theirs["taken"]):
            choice, row = mine.choice(*shape).fields, theirs["variants"][taken]
            self.assertEqual(list(choice["tile"]), row["tile"])
            plan = mine.plan(*shape)
            self.assertEqual(plan.tile, tuple(row["tile"]))
            again = zlay.plan("sm_90a", shape[0], 4096, 7168, lda=shape[1], **{n: row[n] for n in ("tile", "split_k", "swap", "stream_k")})
            self.assertEqual(plan.ptx, again.ptx)

    def test_waste_and_refusals(self):
        pick = zlay.variants.gemm("gfx942", "m", 512, 512, unknowns=["m"], shapes=[[64], [1024]], facts=["1 <= m <= 65536"], by_waste=True)
        self.assertIn("v_mfma", pick.plan(64).assembly)
        with self.assertRaisesRegex(zlay.Error, "no unknown is called 'x'"):
            zlay.variants.gemm("sm_90a", "x", 512, 512, unknowns=["m"], shapes=[[64]])
        with self.assertRaises(zlay.Error):
            zlay.variants.gemm("sm_90a", "m", 512, 512, unknowns=["m"], shapes=[[64]], fields={"groups": 3})


if __name__ == "__main__":
    unittest.main()
