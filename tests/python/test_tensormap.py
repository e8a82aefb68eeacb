# SPDX-License-Identifier: Apache-2.0
"""Tensor maps of arrays, however they say where they lie; verdicts and repairs."""
import unittest

import numpy

import zlay
from zlay.tensors import tensor


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
        with self.assertRaisesRegex(zlay.Error, "give `type`"):
            tensor(Torch(x, "complex64"))
        with self.assertRaises(zlay.Error):
            tensor([1, 2])

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
        self.assertEqual(m.repair().stride, (8208,))
        self.assertTrue(m.repair().legal)
        with self.assertRaises(zlay.ProvedNone):
            self.map(extent=(0, 512)).repair()

    def test_arguments_that_do_not_read(self):
        for bad in ({"type": "f17"}, {"swizzle": "127B"}, {"target": "sm_1"}, {"box": (1,)}, {"stride": ()}):
            with self.assertRaises(zlay.Error) as refused:
                self.map(**bad)
            self.assertEqual(refused.exception.status, "EINVAL")

    def test_a_rank_that_no_map_has(self):
        for rank in (0, 6):
            with self.assertRaisesRegex(zlay.Error, "rank|dimensions"):
                zlay.TensorMap("bf16", 0, (64,) * rank, (128,) * (rank - 1), (64,) * rank)


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
