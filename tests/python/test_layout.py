# SPDX-License-Identifier: Apache-2.0
"""Layouts as objects, against NumPy's own indexing and loops over all points."""
import itertools
import random
import threading
import unittest

import numpy

import zlay

RANDOM = random.Random(1)


def strided():
    """A random strided layout: its shape, its strides, the object."""
    shape = tuple(RANDOM.randint(1, 5) for _ in range(RANDOM.randint(1, 3)))
    stride = tuple(RANDOM.randint(-7, 40) for _ in shape)
    return shape, stride, zlay.Layout.strided(shape, stride)


def points(shape):
    """Coordinates, the first fastest."""
    return (at[::-1] for at in itertools.product(*(range(n) for n in shape[::-1])))


class Values(unittest.TestCase):
    def test_values_are_sums_of_strides(self):
        for _ in range(200):
            shape, stride, layout = strided()
            for index, at in enumerate(points(shape)):
                value = sum(c * s for c, s in zip(at, stride))
                self.assertEqual((layout(index), layout(*at), layout.index(at)), (value, value, index))

    def test_arrays_are_the_values(self):
        for _ in range(200):
            shape, _, layout = strided()
            grid = numpy.asarray(layout)
            self.assertEqual(grid.shape, shape)
            for at in points(shape):
                self.assertEqual(grid[at], layout(*at))
            some = numpy.array([[RANDOM.randrange(layout.size) for _ in range(4)] for _ in range(3)])
            self.assertEqual(layout.offsets(some).tolist(), [[layout(int(i)) for i in row] for row in some])

    def test_slices_are_numpys(self):
        for _ in range(300):
            shape, _, layout = strided()
            key = tuple(RANDOM.choice([slice(None), slice(0, n), slice(n // 2, None), slice(None, None, -1), slice(0, n, 2),
                                       RANDOM.randrange(n), -1]) for n in shape)
            wanted = numpy.asarray(layout)[key]
            got = layout[key]
            if isinstance(got, int):
                self.assertEqual(got, wanted)
            else:
                self.assertEqual(numpy.asarray(got).ravel(order="F").tolist(), wanted.ravel(order="F").tolist(), (layout, key))

    def test_several_outputs(self):
        layout = zlay.Layout("f2{register: (0,1); lane: (0,2) (1,0) -> dim0: 2, dim1: 4}")
        self.assertEqual(layout(7), (1, 3))
        self.assertEqual(layout.offsets().tolist(), [list(layout(i)) for i in range(8)])
        self.assertEqual(numpy.asarray(layout).shape, (2, 4, 2))

    def test_undefined_points_are_told(self):
        layout = zlay.Layout("{ [i] -> [2i] : 0 <= i < 6 and i mod 2 = 0 }")
        self.assertEqual(layout.offsets(undefined=-1).tolist(), [0, -1, 4, -1, 8])
        with self.assertRaises(zlay.Error):
            layout.offsets()
        with self.assertRaises(zlay.ProvedNone):
            layout(1)

    def test_what_is_outside_is_refused(self):
        layout = zlay.Layout("(4,8):(8,1)")
        for bad in (32, -1, 1 << 70):
            with self.assertRaisesRegex(zlay.Error, "outside"):
                layout(bad)
        for bad in ([32], [-1], [0.5]):
            with self.assertRaises(zlay.Error):
                layout.offsets(bad)
        with self.assertRaises(IndexError):
            layout[4, :]
        with self.assertRaises(IndexError):
            layout[0, 0, 0]
        with self.assertRaises(zlay.Error):
            layout((4, 0))

    def test_what_depends_on_names(self):
        layout = zlay.Layout("(M,4):(1,ld)")
        for ask in (lambda: layout(3), layout.offsets, lambda: layout[1:, 0], lambda: layout[0, :]):
            with self.assertRaises(zlay.Error):
                ask()
        self.assertEqual(layout.bind(M=8, ld=8)[1, :], zlay.Layout("1 o 4:8"))
        with self.assertRaisesRegex(zlay.Undecided, "ld == 8"):
            layout.bind(M=8) == zlay.Layout("32")
        with self.assertRaises(ValueError):
            numpy.array(zlay.Layout("8:1"), copy=False)


class Operations(unittest.TestCase):
    def test_composition(self):
        for _ in range(200):
            _, _, b = strided()
            low = min(b.offsets())
            b = zlay.Layout.strided(b.box, [1] * len(b.box)) if low < 0 else b
            a = zlay.Layout(f"{max(b.offsets()) + 1}:3")
            both = a @ b
            self.assertEqual(both.offsets().tolist(), [a(b(i)) for i in range(b.size)])
            self.assertEqual(a @ str(b), both)

    def test_inverses(self):
        for text in ("(4,8):(8,1)", "(3,5):(5,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"):
            layout = zlay.Layout(text)
            inverse = layout.inverse()
            self.assertEqual([inverse(layout(i)) for i in range(layout.size)], list(range(layout.size)))
            self.assertTrue(layout.is_bijective())
        with self.assertRaisesRegex(zlay.ProvedNone, "1 and 16"):
            zlay.Layout("(4,8):(4,1)").inverse()

    def test_division_keeps_the_values(self):
        a = zlay.Layout("(16,32):(32,1)")
        for arrangement in ("logical", "zipped", "tiled", "flat"):
            divided = a.divide("<4;8>", arrangement)
            self.assertEqual(sorted(divided.offsets()), sorted(a.offsets()))
            self.assertEqual(str(divided), str(getattr(zlay.ops.layout, f"{arrangement}_divide")(a, "<4;8>")))
            self.assertEqual(a.product("4:1", arrangement), getattr(zlay.ops.layout, f"{arrangement}_product")(a, "4:1"))
        self.assertEqual(a.product("2:1", "raked"), zlay.ops.layout.raked_product(a, "2:1"))
        with self.assertRaisesRegex(zlay.Error, "arrangement"):
            a.divide("4:1", "random")

    def test_others_are_those_of_requests(self):
        a, ops = zlay.Layout("((2,4),8):((1,2),8)"), zlay.ops.layout
        for mine, theirs in ((a.coalesce(), ops.coalesce(a)), (a.flatten(), ops.flatten(a)), (a.group(0, 2), ops.group(a, 0, 2)),
                             (a.flip(1), ops.flip(a, 1)), (a.upcast(2), ops.upcast(a, 2)), (a.downcast(4), ops.downcast(a, 4)),
                             (a.complement(256), ops.complement(a, 256)), (a.right_inverse(), ops.right_inverse(a)),
                             (a.lower(), ops.lower(a)), (a.swizzled(2, 0, 3), zlay.Layout("Sw<2,0,3> o 0 o " + str(a)))):
            self.assertEqual(str(mine), str(theirs))
        self.assertEqual(a.cosize, 64)

    def test_equality_is_of_functions(self):
        self.assertEqual(zlay.Layout("(4,2):(1,4)"), zlay.Layout("8:1"))
        self.assertNotEqual(zlay.Layout("(4,2):(1,4)"), zlay.Layout("8:2"))
        self.assertNotEqual(zlay.Layout("8:1"), "8:1")
        with self.assertRaises(TypeError):
            {zlay.Layout("8:1"): 1}


class F2(unittest.TestCase):
    def test_every_value_is_an_xor_of_bases(self):
        for _ in range(100):
            outs = {"x": 1 << RANDOM.randint(0, 4), "y": 1 << RANDOM.randint(0, 4)}
            bases = {name: [tuple(RANDOM.randrange(n) for n in outs.values()) for _ in range(RANDOM.randint(0, 3))] for name in "rl"}
            layout, rows = zlay.F2(bases, outs), sum(bases.values(), [])
            for index in range(1 << len(rows)):
                x = y = 0
                for bit, (bx, by) in enumerate(rows):
                    x, y = (x ^ bx, y ^ by) if index >> bit & 1 else (x, y)
                self.assertEqual(layout(index), (x, y))
            self.assertEqual((layout.outs, layout.bases), (outs, {name: tuple(b) for name, b in bases.items()}))
            self.assertEqual(zlay.F2.parse(str(layout)), layout)

    def test_operations(self):
        a = zlay.F2({"i": [2, 1]}, {"o": 4})
        self.assertEqual(a.rank, 2)
        self.assertEqual((a @ a.inverse()).offsets().tolist(), [0, 1, 2, 3])
        self.assertEqual(str(a * a), str(zlay.ops.f2.product([a, a])))
        self.assertEqual(a.pseudoinverse(), a.inverse())
        with self.assertRaises(zlay.ProvedNone):
            zlay.F2({"i": [1, 1]}, {"o": 2}).inverse()
        with self.assertRaises(zlay.Error):
            zlay.F2({"i": [(1, 2)]}, {"o": 4})
        with self.assertRaises(zlay.Error):
            zlay.F2.parse("8:1")
        wide = zlay.F2({"i": [1 << b for b in range(64)]}, {"o": 1 << 64})
        self.assertEqual(wide.outs, {"o": 1 << 64})


class Threads(unittest.TestCase):
    def test_each_thread_has_its_context(self):
        wrong = []

        def work(seed):
            try:
                for i in range(300):
                    n = 2 + (seed * 300 + i) % 97
                    a = zlay.Layout(f"({n},4):(4,1)")
                    if (a @ a.inverse())(0) or zlay.call("layout.eval", layout=a, at=[1]) != [4]:
                        wrong.append(n)
                    try:
                        zlay.Layout(f"({n},")
                        wrong.append(n)
                    except zlay.Error as e:
                        wrong.extend([e] * (e.status != "EINVAL"))
            except Exception as e:  # a thread's exception is lost otherwise
                wrong.append(e)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
