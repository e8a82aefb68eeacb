# SPDX-License-Identifier: Apache-2.0
"""Tensor maps of arrays, however they say where they lie; verdicts and repairs."""
import types
import unittest

import numpy

import zlay
from zlay.tensors import dense, on_host, tensor


class Cuda:
    """An array that has __cuda_array_interface__ alone."""

    def __init__(self, x, **more):
        self.__cuda_array_interface__ = {**x.__array_interface__, **more}


class Exported:
    """An array that has DLPack alone."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **more):
        return self.x.__dlpack__(**more)


class Torch:
    """What torch's tensors say of themselves."""

    def __init__(self, x, dtype):
        self.x, self.dtype, self.shape = x, "torch." + dtype, x.shape

    def data_ptr(self):
        return self.x.ctypes.data

    def element_size(self):
        return self.x.itemsize

    def stride(self):
        return tuple(s // self.x.itemsize for s in self.x.strides)


class Tensors(unittest.TestCase):
    def test_all_interfaces_say_the_same(self):
        for name, type in (("float16", "f16"), ("float32", "f32"), ("float64", "f64"), ("uint8", "u8"), ("int32", "s32"), ("int64", "s64"),
                           ("uint16", "u16")):
            for x in (numpy.zeros((6, 8), name), numpy.zeros((6, 16), name)[:, ::2], numpy.zeros((8, 6), name).T):
                wanted = (x.ctypes.data, x.shape, x.strides, type, x.itemsize)
                for seen in (x, Cuda(x), Exported(x), Torch(x, name)):
                    at = tensor(seen)
                    self.assertEqual((at.address, at.shape, at.strides, at.type, at.bytes), wanted)

    def test_types_that_numpy_lacks(self):
        x = numpy.zeros((4, 64), numpy.uint16)
        self.assertEqual(tensor(Torch(x, "bfloat16")).type, "bf16")
        self.assertEqual(tensor(Torch(x.astype(numpy.uint8), "float8_e4m3fn")).type, "e4m3")
        self.assertEqual(tensor(Cuda(x, typestr="<V2"), "bf16").type, "bf16")
        for name, type in (("float8_e8m0fnu", "ue8m0"), ("float8_e5m2fnuz", "e5m2fnuz"), ("float4_e2m1fn_x2", "u8")):
            self.assertEqual(tensor(Torch(x.astype(numpy.uint8), name)).type, type)
        with self.assertRaisesRegex(zlay.Error, "give `type`"):
            tensor(Torch(x, "complex64"))
        with self.assertRaises(zlay.Error):
            tensor([1, 2])

    def test_what_each_library_has(self):
        """Arrays that have several interfaces: CuPy's and JAX's on a GPU, and JAX's of bf16, of which the array interface has no name."""
        x = numpy.zeros((6, 8), numpy.uint16)
        cupys = type("ndarray", (Cuda,), {"__dlpack__": lambda self, **more: x.__dlpack__(**more)})(x)
        self.assertEqual(tensor(cupys), tensor(x))

        class Jaxs:
            device = types.SimpleNamespace(id=3)

            @property
            def __cuda_array_interface__(self):
                raise AttributeError("bfloat16 has no typestr")

            def __dlpack__(self, **more):
                return x.view(numpy.float16).__dlpack__(**more)

        self.assertEqual((tensor(Jaxs()).type, tensor(Jaxs()).address), ("f16", x.ctypes.data))
        self.assertEqual(zlay.runtime.device_of(Jaxs()), 3)
        self.assertEqual([on_host(y) for y in (x, [1], range(3), cupys, Jaxs(), Torch(x, "float16"))], [True, True, True, False, False, False])
        cpus = Torch(x, "float16")
        cpus.device = types.SimpleNamespace(type="cpu", index=None)
        self.assertTrue(on_host(cpus))

    def test_dense_memory(self):
        x = numpy.zeros((6, 8), numpy.float32)
        self.assertEqual(dense(Cuda(x), "x"), (x.ctypes.data, 192))
        self.assertEqual([tensor(y).is_dense for y in (x, x[:, :4], x[:1, :4], x[::2], x.T, x[2:])], [True, False, True, False, False, True])
        for bad, says in ((Cuda(x[:, ::2]), "contiguous"), (x, "host")):
            with self.assertRaisesRegex(zlay.Error, says):
                dense(bad, "x")

    def test_a_read_only_array(self):
        x = numpy.zeros((4, 64), numpy.float16)
        x.flags.writeable = False
        self.assertEqual(tensor(x).address, x.ctypes.data)


class Maps(unittest.TestCase):
    def map(self, **more):
        fields = {"type": "bf16", "address": 1 << 20, "extent": (4096, 512), "stride": (8192,), "box": (64, 128), "swizzle": "128B", **more}
        return zlay.TensorMap(**fields)

    def test_of_a_tensor(self):
        x = numpy.zeros((3, 40, 64), numpy.float16)
        m = zlay.TensorMap.from_tensor(x, box=(1, 8, 32), swizzle="64B", step=(1, 1, 1), l2=2)
        self.assertEqual((m.type, m.address, m.extent, m.stride, m.box, m.step, m.swizzle),
                         ("f16", x.ctypes.data, (64, 40, 3), (128, 5120), (32, 8, 1), (1, 1, 1), 2))
        self.assertTrue(m.legal and m.check())
        flat = zlay.TensorMap.from_tensor(x.reshape(-1), box=(64,))
        self.assertEqual((flat.rank, flat.stride), (1, ()))
        self.assertEqual(zlay.TensorMap.from_tensor(Torch(x.astype(numpy.uint8), "float8_e4m3fn"), box=(1, 8, 64)).type, "u8")

    def test_of_a_tensor_that_no_map_has(self):
        x = numpy.zeros((64, 64), numpy.float16)
        with self.assertRaisesRegex(zlay.Error, "contiguous"):
            zlay.TensorMap.from_tensor(x.T, box=(8, 8))
        with self.assertRaisesRegex(zlay.Error, "dimensions"):
            zlay.TensorMap.from_tensor(x, box=(8,))

    def test_bytes_go_back_and_forth(self):
        m = self.map()
        data = bytes(m)
        again = zlay.TensorMap.unpack(data)
        self.assertEqual((len(data), again), (128, m))
        self.assertEqual(hash(again), hash(m))
        words = zlay.ops.tensormap.pack("sm_90a", m)["words"]
        self.assertEqual(data, b"".join(int(w, 16).to_bytes(8, "little") for w in words))
        with self.assertRaisesRegex(zlay.Error, "128 bytes"):
            zlay.TensorMap.unpack(data[1:])
        with self.assertRaises(zlay.Error):
            bytes(self.map(target="sm_100a"))

    def test_a_refusal_has_the_repair(self):
        m = self.map(extent=(4100, 512), stride=(8200,))
        self.assertFalse(m.legal)
        with self.assertRaises(zlay.Refused) as refused:
            bytes(m)
        reason = refused.exception.verdict.broken[0]
        self.assertEqual((reason.rule, reason.field, reason.index, reason.value, reason.bound), ("TMAP_STRIDE_16", "stride", 0, 8200, 16))
        self.assertEqual((reason.fix.keeps, reason.fix.set[0]["value"]), ("values", 8208))
        self.assertIn("8208", str(refused.exception))
        self.assertFalse(refused.exception.verdict)
        repair = m.repair()
        self.assertEqual((repair.map.stride, repair.map.legal, repair.keeps, repair.copies), ((8208,), True, "values", 1))
        wide = self.map(extent=(4096, 512), stride=(8192,), box=(64, 300)).repair()
        self.assertEqual((wide.map.box, wide.keeps, wide.copies), ((64, 150), "all", 2))
        with self.assertRaises(zlay.ProvedNone):
            self.map(extent=(0, 512)).repair()

    def test_arguments_that_do_not_read(self):
        for bad in ({"type": "f17"}, {"swizzle": "127B"}, {"swizzle": 128}, {"target": "sm_1"}, {"box": (1,)}, {"stride": ()}):
            with self.assertRaises(zlay.Error) as refused:
                self.map(**bad)
            self.assertEqual(refused.exception.status, "EINVAL")

    def test_a_rank_that_no_map_has(self):
        for rank in (0, 6):
            with self.assertRaisesRegex(zlay.Error, "rank|dimensions"):
                zlay.TensorMap("bf16", 0, (64,) * rank, (128,) * (rank - 1), (64,) * rank)


class Images(unittest.TestCase):
    """Maps in the modes im2col and im2col wide."""

    FIELDS = {"type": "bf16", "address": 1 << 20, "extent": (64, 16, 16, 8), "stride": (128, 2048, 32768), "channels": 64, "pixels": 128,
              "swizzle": "128B"}

    def test_the_fields_are_the_operations(self):
        for lower, upper in (((-1, -1), (-1, -1)), ((-1, 0), (-2, 0)), ((-128, 127), (0, -128))):
            m = zlay.TensorMap.im2col(**self.FIELDS, lower=lower, upper=upper)
            fields = {"mode": "im2col", "type": "bf16", "rank": 4, "address": 1 << 20, "extent": [64, 16, 16, 8], "stride": [128, 2048, 32768],
                      "step": [1, 1, 1, 1], "interleave": "none", "swizzle": "128B", "l2": "none", "oob": "none", "lower": list(lower),
                      "upper": list(upper), "channels": 64, "pixels": 128}
            self.assertEqual(zlay.call("tensormap.check", target="sm_90a", map=m), zlay.call("tensormap.check", target="sm_90a", map=fields))
            self.assertEqual((m.mode, m.lower, m.upper, m.channels, m.pixels, m.box), ("im2col", lower, upper, 64, 128, ()))
            if m.legal:
                self.assertEqual(zlay.ops.tensormap.pack("sm_90a", m), zlay.ops.tensormap.pack("sm_90a", fields))
                again = zlay.TensorMap.unpack(bytes(m))
                self.assertEqual((again, hash(again), repr(again)), (m, hash(m), repr(m)))

    def test_wide_maps(self):
        for mode, number in (("w", 0), ("w128", 1), (1, 1)):
            m = zlay.TensorMap.im2col_wide(**self.FIELDS, lower=-1, upper=-2, wide_mode=mode)
            self.assertEqual((m.mode, m.lower, m.upper, m._json_()["wide_mode"]), ("im2col_wide", (-1,), (-2,), number))
            fields = {**m._json_(), "mode": "im2col_wide", "lower": -1, "upper": -2}
            self.assertEqual(zlay.call("tensormap.check", target="sm_100a", map=m), zlay.call("tensormap.check", target="sm_100a", map=fields))
        with self.assertRaisesRegex(zlay.Error, "wide_mode is w or w128"):
            zlay.TensorMap.im2col_wide(**self.FIELDS, lower=-1, upper=-2, wide_mode="w64")

    def test_of_images(self):
        x = numpy.zeros((8, 16, 20, 64), numpy.float16)
        m = zlay.TensorMap.from_images(x, (-1, -2), (-3, -4), channels=64, pixels=128, swizzle="128B", step=(1, 2, 1, 1))
        self.assertEqual((m.extent, m.stride, m.lower, m.upper, m.step), ((64, 20, 16, 8), (128, 2560, 40960), (-2, -1), (-4, -3), (1, 1, 2, 1)))
        self.assertEqual(m.address, x.ctypes.data)
        wide = zlay.TensorMap.from_images(x, -1, -1, channels=64, pixels=128, swizzle="128B", target="sm_100a", wide_mode="w128")
        self.assertEqual((wide.mode, wide.lower, wide.target), ("im2col_wide", (-1,), "sm_100a"))
        line = zlay.TensorMap.from_images(x[:, 0], (-1,), (-1,), channels=64, pixels=16)
        self.assertEqual((line.rank, line.lower, line.legal), (3, (-1,), True))

    def test_a_refusal_has_the_rule(self):
        empty = zlay.TensorMap.im2col(**self.FIELDS, lower=(-1, -1), upper=(-17, -17))
        self.assertFalse(empty.legal)
        with self.assertRaisesRegex(zlay.Refused, "TMAP_AREA_WRAPPED"):
            empty.check()

    def test_corners_that_do_not_read(self):
        x = numpy.zeros((8, 16, 16, 64), numpy.float16)
        for bad in (lambda: zlay.TensorMap.im2col(**self.FIELDS, lower=(-1,), upper=(-1, -1)),
                    lambda: zlay.TensorMap.im2col(**{**self.FIELDS, "stride": (128,)}, lower=(-1, -1), upper=(-1, -1)),
                    lambda: zlay.TensorMap.from_images(x[0, 0], (), (), 64, 64), lambda: zlay.TensorMap.from_images(x, (-1, -1), -1, 64, 64),
                    lambda: zlay.TensorMap.from_images(x.T, (-1, -1), (-1, -1), 64, 64)):
            with self.assertRaises(zlay.Error) as refused:
                bad()
            self.assertEqual(refused.exception.status, "EINVAL")


class Checks(unittest.TestCase):
    def test_verdicts_by_request(self):
        m = zlay.TensorMap("f16", 0, (64, 64), (128,), (64, 64))
        self.assertEqual(zlay.check.tensormap("sm_90a", m).answer, "yes")
        fields = {**m._json_(), "stride": ["2*K"]}
        depends = zlay.check.tensormap("sm_90a", fields, facts=["K mod 4 = 0", "K >= 64", "K <= 4096"])
        self.assertEqual((depends.answer, bool(depends), depends.guard), ("depends", False, "K % 8 == 0"))
        with self.assertRaisesRegex(zlay.Refused, "WGMMA_N_8: n is 7"):
            zlay.check.mma("sm_90a", "wgmma", 64, 7, 16)
        self.assertTrue(zlay.check.block("sm_90a", 1024))

    def test_undecided_is_no_answer(self):
        with self.assertRaises(zlay.Undecided):
            zlay.ops.bank.count("gfx1250", "ds_read_b128", [16 * i for i in range(32)])


if __name__ == "__main__":
    unittest.main()
