# SPDX-License-Identifier: Apache-2.0
"""Plans and pipes, and launches on tests/support/fake-cuda.c, a driver without a device."""
import ctypes
import os
import re
import subprocess
import tempfile
import types
import unittest
import unittest.mock

import cffi
import numpy

import zlay

BODY = """body halved
  matrix S f32
  matrix R bf16
  global scale f32
  R = bf16(S * load(scale, 0, 1))
end
"""


class Plans(unittest.TestCase):
    def test_a_plan_is_that_of_the_request(self):
        plan = zlay.plan("sm_90a", 512, 256, 128, d_type="f32", tile=(128, 128, 64))
        self.assertEqual(plan.tile, (128, 128, 64))
        asked = zlay.ops.emit("gemm", "gemm", target="sm_90a", m=512, n=256, k=128, d_type="f32", tile=[128, 128, 64])
        self.assertEqual(plan.ptx, asked["text"])
        self.assertEqual((plan.smem, plan.threads), (asked["smem"], asked["threads"]))
        self.assertIn("TMAP_", plan.why)
        self.assertTrue(plan.pipe.verify())
        self.assertIn("tiles of 128 x 128 x 64", repr(plan))
        self.assertIn("#", plan.header())

    def test_words_and_numbers(self):
        same = zlay.plan("sm_90a", 256, 256, 64, a_order="column", a_type="bf16", swap="never")
        self.assertEqual(same.ptx, zlay.plan("sm_90a", 256, 256, 64, a_order=2, a_type=9, swap=0).ptx)
        bytes_ = zlay.plan("sm_90a", 256, 256, 64, type="u8")
        self.assertIn(".u8.u8", bytes_.ptx)
        body = zlay.plan("sm_90a", 256, 256, 64, epilogue=BODY)
        self.assertIn("mul", body.ptx)

    def test_refusals(self):
        for bad in ({"order": 1}, {"a_order": "diagonal"}, {"type": "f17"}, {"stages": 1000}):
            with self.assertRaises(zlay.Error):
                zlay.plan("sm_90a", 256, 256, 64, **bad)
        with self.assertRaises(zlay.Error) as no_text:
            zlay.plan("gfx942", 256, 256, 64).ptx
        self.assertEqual(no_text.exception.status, "ENOTSUP")
        self.assertIn("v_mfma", zlay.plan("gfx942", 256, 256, 64).assembly)


class Pipes(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(os.environ.get("ZLAY_ROOT", "."), "examples/ring.pipe"), encoding="utf-8") as f:
            self.text = f.read()

    def test_a_right_pipe(self):
        pipe = zlay.Pipe(self.text)
        verdict = pipe.verify(proof=True)
        self.assertTrue(verdict and verdict.raw["proof"])
        self.assertEqual(str(zlay.Pipe(str(pipe))), str(pipe))
        self.assertIn(".entry ring", pipe.emit("sm_90a", name="ring"))
        with self.assertRaises(zlay.ProvedNone):
            pipe.trace()

    def test_a_wrong_pipe(self):
        wrong = zlay.Pipe("".join(line for line in self.text.splitlines(True) if "wait empty" not in line))
        with self.assertRaises(zlay.Refused) as refused:
            wrong.verify()
        self.assertEqual(refused.exception.verdict.broken[0].rule, "overrun")
        self.assertIn("overrun at line", wrong.trace())
        with self.assertRaisesRegex(zlay.Error, "line 1"):
            zlay.Pipe("role a\n")

    def test_fences(self):
        self.assertTrue(zlay.Pipe(self.text).fences().verify())


class Stream:
    cuda_stream = 0x5000


class Launches(unittest.TestCase):
    """The driver is the process's libcuda.so.1 from here on."""

    @classmethod
    def setUpClass(cls):
        support = os.path.join(os.environ.get("ZLAY_ROOT", "."), "tests/support")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        path = os.path.join(cls.folder.name, "libcuda.so.1")
        subprocess.run([*os.environ.get("CC", "cc").split(), "-std=c11", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", path,
                        os.path.join(support, "fake-cuda.c")], check=True)
        cls.driver = ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        with open(os.path.join(support, "fake-cuda.h"), encoding="utf-8") as f:
            text = f.read()
        cls.ffi = cffi.FFI()
        types = re.findall(r"typedef struct \w+ \{.*?\} \w+;", text, re.S)
        cls.ffi.cdef("enum { FAKE_CALLS = 128, FAKE_HISTORY = 4 };" + "".join(types) + "fake_state *fake_control(void);")
        cls.fake = cls.ffi.dlopen(path).fake_control()
        cls.fake.cc_major, cls.fake.maps = 9, 1

    def arrays(self):
        a, b = numpy.zeros((512, 64), numpy.uint16), numpy.zeros((256, 64), numpy.uint16)
        aligned = [numpy.frombuffer(bytearray(n * 2 + 256), numpy.uint16) for n in (a.size, b.size, 512 * 256)]
        starts = [(-x.ctypes.data % 128) // 2 for x in aligned]
        a, b, d = (x[s:s + n] for x, s, n in zip(aligned, starts, (a.size, b.size, 512 * 256)))
        return a.reshape(512, 64), b.reshape(256, 64).T, d.reshape(512, 256)

    def test_a_launch_has_the_tensors_and_the_stream(self):
        plan, (a, b, d) = zlay.plan("sm_90a", 512, 256, 64), self.arrays()
        before = self.fake.launches
        for stream, wanted in ((Stream(), 0x5000), (0x6000, 0x6000), (None, 0)):
            plan.launch(a, b, d, stream=stream)
            launch = self.fake.launch
            self.assertEqual(int(self.ffi.cast("uintptr_t", launch.stream)), wanted)
            self.assertEqual(list(launch.address), [x.ctypes.data for x in (a, b, d)])
            self.assertEqual((launch.block, launch.shared_bytes), (plan.threads, plan.smem))
        self.assertEqual((self.fake.launches - before, self.fake.modules), (3, 1))
        self.assertEqual(self.fake.mistakes, 0)

    def test_streams_of_others(self):
        class Protocol:
            def __cuda_stream__(self):
                return 0, 0x7000

        class CuPys:
            ptr = 0x8000

        torchs = type("Tensor", (), {"__module__": "torch", "device": "cuda:0"})()
        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(current_stream=lambda device: Stream()))
        with unittest.mock.patch.dict("sys.modules", torch=torch):
            self.assertEqual(zlay.runtime.stream_of(None, torchs), 0x5000)
            self.assertEqual(zlay.runtime.stream_of(0x9000, torchs), 0x9000)
        self.assertEqual(zlay.runtime.stream_of(Protocol(), None), 0x7000)
        self.assertEqual(zlay.runtime.stream_of(CuPys(), None), 0x8000)
        self.assertEqual(zlay.runtime.stream_of(None, numpy.zeros(1)), 0)

    def test_tensors_that_do_not_fit_are_refused(self):
        plan, (a, b, d) = zlay.plan("sm_90a", 512, 256, 64), self.arrays()
        before = self.fake.launches
        for bad in ((a, b.T, d), (a[:, :32], b, d), (a, b, d[:, ::2]), (a.T, b, d)):
            with self.assertRaisesRegex(zlay.Error, "shape"):
                plan.launch(*bad)
        for bad in ((a.astype("f4"), b, d), (a, b, d.astype("f4"))):
            with self.assertRaisesRegex(zlay.Error, "elements of bf16, not f32"):
                plan.launch(*bad)
        self.assertEqual(self.fake.launches, before)
        with self.assertRaises(zlay.Error) as other:
            zlay.plan("sm_90a", 512, 256, 64, epilogue=BODY).launch(a, b, d)
        self.assertEqual(other.exception.status, "ENOTSUP")

    def test_the_driver_encodes(self):
        m = zlay.TensorMap.from_tensor(numpy.zeros((64, 64), numpy.float16), box=(64, 64))
        self.assertEqual(len(zlay.runtime.encode(m)), 128)
        self.assertEqual(self.fake.encode.rank, 2)


if __name__ == "__main__":
    unittest.main()
