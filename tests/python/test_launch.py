# SPDX-License-Identifier: Apache-2.0
"""Launches on tests/support/fake-cuda.c, a driver without a device: which arguments it gets, and which arrays are refused before."""
import math
import types
import unittest
import unittest.mock

import numpy

import zlay
from driver import OnDevice, driver, expect, word, words_at

BODY = """body moved
  matrix S f32
  matrix R bf16
  scalar alpha f32
  global scale f32
  index i
  index j
  R = bf16(S * (alpha * load(scale, i + row, 300)))
end
"""


class Stream:
    cuda_stream = 0x5000


class Launches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ffi, cls.fake = driver()

    def setUp(self):
        self.fake.mistakes = 0
        self.addCleanup(lambda: self.assertEqual(self.fake.mistakes, 0))

    def refused(self, says, call, *arguments, **named):
        """What is refused is not launched."""
        before = self.fake.launches
        with self.assertRaisesRegex(zlay.Error, says) as e:
            call(*arguments, **named)
        self.assertEqual((e.exception.status, self.fake.launches), ("EINVAL", before))


class Products(Launches):
    def setUp(self):
        super().setUp()
        expect([])
        self.a, self.b, self.d = OnDevice((512, 64), "u2"), OnDevice((256, 64), "u2").T, OnDevice((512, 256), "u2")
        self.plan = zlay.plan("sm_90a", 512, 256, 64)

    def test_a_launch_has_the_tensors_and_the_stream(self):
        before, loaded = self.fake.launches, self.fake.modules
        for stream, wanted in ((Stream(), 0x5000), (0x6000, 0x6000), (None, 0)):
            self.plan.launch(self.a, self.b, self.d, stream=stream)
            launch = self.fake.launch
            self.assertEqual(int(self.ffi.cast("uintptr_t", launch.stream)), wanted)
            self.assertEqual(list(launch.address), [x.address for x in (self.a, self.b, self.d)])
            self.assertEqual((launch.block, launch.shared_bytes), (self.plan.threads, self.plan.smem))
        self.assertEqual((self.fake.launches - before, self.fake.modules - loaded), (3, 1))
        other = OnDevice((512, 256), "u2")
        self.plan.launch(self.a, self.b, other)
        self.assertEqual(list(self.fake.launch.address), [x.address for x in (self.a, self.b, other)])

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
        a, b, d = self.a, self.b, self.d
        for bad in ((a, b.T, d), (a.view(lambda x: x[:, :32]), b, d), (a, b, d.view(lambda x: x[:, ::2])), (a.T, b, d)):
            self.refused("shape", self.plan.launch, *bad)
        for bad in ((OnDevice((512, 64), "f4"), b, d), (a, b, OnDevice((512, 256), "f4"))):
            self.refused("elements of bf16, not f32", self.plan.launch, *bad)
        self.refused("A lies on the host", self.plan.launch, a.x, b, d)
        self.refused("no argument 'alpha'; it has none", self.plan.launch, a, b, d, alpha=1)
        self.refused("no argument 'offsets'", self.plan.launch, a, b, d, offsets=[0, 1])
        self.refused("a_scales: the plan has none", self.plan.launch, a, b, d, a_scales=OnDevice((1, 512), "f4"))

    def test_two_elements_in_a_byte(self):
        plan = zlay.plan("sm_100a", 256, 128, 256, a_type="e2m1", b_type="e2m1", a_scales="1x16", b_scales="1x16", d_type="bf16")
        self.fake.cc_major = 10
        self.addCleanup(lambda: setattr(self.fake, "cc_major", 9))
        sizes = [int(one.bytes) for one in plan._each()]
        expect(sizes)
        zlay.runtime._device.cache_clear()
        self.addCleanup(zlay.runtime._device.cache_clear)
        a, b, d = OnDevice((256, 128), "u1"), OnDevice((128, 128), "u1"), OnDevice((256, 128), "u2")
        sa, sb = OnDevice((2, 4, 512), "u1"), OnDevice((1, 4, 512), "u1")
        plan.launch(a, b.T, d, a_scales=sa, b_scales=sb)
        names = [zlay._lib.cstring(one.name) for one in plan._each()]
        swapped = bool(plan._info.swapped)
        self.assertEqual([word(names.index(n)) for n in ("tensor_sa", "tensor_sb")], [x.address for x in ((sb, sa) if swapped else (sa, sb))])
        self.refused("b_scales has to have 2048 bytes, not 4096", plan.launch, a, b.T, d, a_scales=sa, b_scales=OnDevice((2, 4, 512), "u1"))
        self.refused("argument 's.' is missing", plan.launch, a, b.T, d, a_scales=sa)
        self.refused("shape", plan.launch, a, b, d, a_scales=sa, b_scales=sb)

    def test_the_driver_encodes(self):
        m = zlay.TensorMap.from_tensor(numpy.zeros((64, 64), numpy.float16), box=(64, 64))
        self.assertEqual(len(zlay.runtime.encode(m)), 128)
        self.assertEqual(self.fake.encode.rank, 2)


class Groups(Launches):
    def launched(self, plan, a, b, d, **more):
        expect([int(one.bytes) for one in plan._each()])
        self.names = [zlay._lib.cstring(one.name) for one in plan._each()]
        plan.launch(a, b, d, **more)

    def at(self, name, kind="Q"):
        return word(self.names.index(name), kind)

    def test_rows_of_groups(self):
        plan = zlay.plan("sm_90a", 300, 264, 200, groups=3)
        a, b, d = OnDevice((300, 200), "u2"), OnDevice((3, 264, 200), "u2").T, OnDevice((300, 264), "u2")
        starts = OnDevice((4,), "i4", [0, 100, 200, 300])
        self.launched(plan, a, b, d, offsets=starts)
        self.assertEqual(self.at("offsets"), starts.address)
        self.launched(plan, a, b, d, offsets=[0, 100, 150, 300])
        mine = self.at("offsets")
        self.assertEqual(words_at(mine, 4), [0, 100, 150, 300])
        calls = self.fake.calls
        self.launched(plan, a, b, d, offsets=numpy.array([0, 100, 150, 300]))
        asked = self.fake.calls - calls
        self.launched(plan, a, b, d, lengths=[100, 0, 200])
        self.assertEqual((self.at("offsets"), words_at(mine, 4)), (mine, [0, 100, 100, 300]))
        self.assertGreater(self.fake.calls - calls - asked, asked)  # what has not changed is not copied again
        self.launched(plan, a, b, d, offsets=starts)
        self.assertEqual(self.at("offsets"), starts.address)
        self.refused("argument 'offsets' is missing", plan.launch, a, b, d)
        self.refused("more than the rows of the plan, 300", plan.launch, a, b, d, offsets=[0, 1, 2, 301])
        self.refused("less than the one before", plan.launch, a, b, d, offsets=[0, 2, 1, 3])
        self.refused("4 offsets|3 groups", plan.launch, a, b, d, offsets=[0, 1])
        self.refused("from 0 to", plan.launch, a, b, d, offsets=[0, 1, 2, -3])
        self.refused("not both", plan.launch, a, b, d, offsets=starts, lengths=[1, 2, 3])
        self.refused("elements of s32, not s64|has elements of", plan.launch, a, b, d, offsets=OnDevice((4,), "i8"))
        self.refused("shape", plan.launch, a, b.view(lambda x: x[0]), d, offsets=starts)

    def test_groups_of_k(self):
        plan = zlay.plan("sm_90a", 200, 264, 300, groups=3, ragged="k", a_order="col", b_order="row")
        a, b, d = OnDevice((300, 200), "u2").T, OnDevice((300, 264), "u2"), OnDevice((3, 200, 264), "u2")
        self.launched(plan, a, b, d, offsets=[0, 8, 8, 300])
        self.assertEqual(words_at(self.at("offsets"), 4), [0, 8, 8, 300])
        self.assertIn(a.address, (self.at("ptr_a"), self.at("ptr_b")))
        self.refused("D has to have the shape", plan.launch, a, b, d.view(lambda x: x[0]), offsets=[0, 8, 8, 300])

    def test_an_epilogue_is_given_by_name(self):
        plan = zlay.plan("sm_90a", 300, 264, 200, groups=3, epilogue=BODY)
        self.assertEqual(set(plan.arguments), {"offsets", "x_alpha", "read_scale"})
        a, b, d, scale = OnDevice((300, 200), "u2"), OnDevice((3, 264, 200), "u2").T, OnDevice((300, 264), "u2"), OnDevice((300,), "f4")
        self.launched(plan, a, b, d, offsets=[0, 1, 2, 3], alpha=2.5, scale=scale)
        self.assertEqual((self.at("x_alpha", "f"), self.at("read_scale")), (2.5, scale.address))
        self.launched(plan, a, b, d, offsets=[0, 1, 2, 3], x_alpha=3, read_scale=scale.address + 4)
        self.assertEqual((self.at("x_alpha", "f"), self.at("read_scale")), (3, scale.address + 4))
        given = {"offsets": [0, 1, 2, 3], "alpha": 1}
        self.refused("argument 'read_scale' is missing", plan.launch, a, b, d, **given)
        self.refused("no argument 'bias'", plan.launch, a, b, d, **given, scale=scale, bias=scale)
        self.refused("read_scale has elements of f32, not u16", plan.launch, a, b, d, **given, scale=OnDevice((300,), "u2"))
        self.refused("read_scale has to be contiguous", plan.launch, a, b, d, **given, scale=OnDevice((600,), "f4").view(lambda x: x[::2]))
        self.refused("read_scale: it has no offsets", plan.launch, a, b, d, **given, scale=[1, 2])
        self.refused("x_alpha", plan.launch, a, b, d, offsets=[0, 1, 2, 3], alpha="much", scale=scale)

    def test_scales_of_the_request(self):
        for order in ("row", "col"):
            plan = zlay.plan("sm_90a", 256, 384, 512, a_type="e4m3", b_type="e4m3", d_type="bf16", d_order=order, a_scales="1x128", b_scales="128x128")
            a, b, d = OnDevice((256, 512), "u1"), OnDevice((384, 512), "u1").T, OnDevice((256, 384), "u2")
            d = d if order == "row" else OnDevice((384, 256), "u2").T
            sa, sb = OnDevice((4, 256), "f4"), OnDevice((3, 4), "f4")
            self.launched(plan, a, b, d, a_scales=sa, b_scales=sb)
            found = self.at("read_sa"), self.at("read_sb")
            self.assertEqual(found, (sa.address, sb.address) if order == "row" else (sb.address, sa.address))
            self.refused("a_scales has to have 4096 bytes, not 48", plan.launch, a, b, d, a_scales=sb, b_scales=sb)
            self.refused("a_scales lies on the host", plan.launch, a, b, d, a_scales=sa.x, b_scales=sb)
            self.refused("d_scales: the plan has none", plan.launch, a, b, d, a_scales=sa, b_scales=sb, d_scales=sa)

    def test_scales_of_d(self):
        plan = zlay.plan("sm_90a", 256, 384, 512, a_type="e4m3", b_type="e4m3", d_type="e4m3", d_scales="1x128")
        a, b, d, sd = OnDevice((256, 512), "u1"), OnDevice((384, 512), "u1").T, OnDevice((256, 384), "u1"), OnDevice((3, 256), "f4")
        self.launched(plan, a, b, d, d_scales=sd)
        self.assertEqual(self.at("write_sd"), sd.address)
        self.refused("d_scales has to have 3072 bytes", plan.launch, a, b, d, d_scales=OnDevice((3, 255), "f4"))

    def test_a_workspace_of_the_caller(self):
        plan = zlay.plan("sm_90a", 300, 264, 200, groups=3)
        self.assertGreater(plan.workspace, 0)
        a, b, d = OnDevice((300, 200), "u2"), OnDevice((3, 264, 200), "u2").T, OnDevice((300, 264), "u2")
        work = OnDevice((plan.workspace,), "u1", 7)
        self.launched(plan, a, b, d, lengths=[1, 2, 3], workspace=work)
        self.assertEqual((self.at("workspace"), set(work.x)), (work.address, {0}))
        work.x[0] = 1
        self.launched(plan, a, b, d, lengths=[1, 2, 3], workspace=work)
        self.assertEqual(work.x[0], 1)  # it is cleared once
        other = OnDevice((plan.workspace,), "u1", 7)
        self.launched(plan, a, b, d, lengths=[1, 2, 3], workspace=other)
        self.assertEqual((self.at("workspace"), set(other.x)), (other.address, {0}))
        self.refused("workspace: 8 bytes", plan.launch, a, b, d, lengths=[1, 2, 3], workspace=OnDevice((8,), "u1"))
        expect([])
        none = zlay.plan("sm_90a", 512, 256, 64)
        self.refused("needs none", none.launch, OnDevice((512, 64), "u2"), OnDevice((256, 64), "u2").T, OnDevice((512, 256), "u2"), workspace=work)


    def test_a_workspace_of_repacked_operands(self):
        """Operands are bound again where their workspace is another."""
        plan = zlay.plan("sm_90a", 67, 75, 201, repack="always")
        a, b, d = OnDevice((67, 201), "u2"), OnDevice((75, 201), "u2").T, OnDevice((67, 75), "u2")
        expect([int(one.bytes) for one in plan._each()])
        before, works = self.fake.launches, [OnDevice((plan.workspace,), "u1") for _ in range(2)]
        for work in (*works, works[0]):
            plan.launch(a, b, d, workspace=work)
        self.assertEqual((self.fake.launches - before) % 3, 0)
        self.assertGreaterEqual(self.fake.launches - before, 9)


class Attentions(Launches):
    def launched(self, plan, *tensors, text=None, **more):
        each = text or plan._text
        expect([int(each.each[i].bytes) for i in range(each.launch.arguments)])
        self.names = [zlay._lib.cstring(each.each[i].name) for i in range(each.launch.arguments)]
        plan.launch(*tensors, **more)

    def at(self, name, kind="Q"):
        return word(self.names.index(name), kind)

    def test_dense_tensors(self):
        plan = zlay.plan.attention("sm_90a", 64, 300, 400, batch=2, heads=4, kv_heads=2, causal=True)
        q, k, v, o = (OnDevice((2, n, h, 64), "u2") for n, h in ((300, 4), (400, 2), (400, 2), (300, 4)))
        self.launched(plan, q, k, v, o, stream=Stream())
        self.assertEqual((self.at("x_keys", "i"), self.at("x_offset", "i")), (400, 100))
        self.assertAlmostEqual(self.at("x_scale", "f"), math.log2(math.e) / 8, 6)
        tensors = {"Q": q, "K": k, "V": v, "O": o}
        for i, name in enumerate(self.names):
            if name.startswith("map_t"):
                self.assertEqual(word(i), tensors[name[5]].address)
        self.assertEqual(int(self.ffi.cast("uintptr_t", self.fake.launch.stream)), 0x5000)
        self.assertEqual((self.fake.launch.grid, self.fake.launch.block), (plan.grid[0], plan.threads))
        self.launched(plan, q, k, v, o, scale=0.5)
        self.assertAlmostEqual(self.at("x_scale", "f"), math.log2(math.e) / 2, 6)
        for bad in ((k, k, v, o), (q, q, v, o), (q, k, v.view(lambda x: x[:, :, :, :32]), o)):
            self.refused("shape", plan.launch, *bad)
        self.refused("elements of bf16, not f32", plan.launch, OnDevice(q.shape, "f4"), k, v, o)
        self.refused("Q lies on the host", plan.launch, q.x, k, v, o)
        self.refused("cap is given", plan.launch, q, k, v, o, cap=30.0)
        self.refused("lse: the plan has none", plan.launch, q, k, v, o, lse=OnDevice((2, 4, 300), "f4"))
        self.refused("no argument 'sinks'", plan.launch, q, k, v, o, sinks=OnDevice((4,), "f4"))

    def test_other_strides_sinks_and_caps(self):
        plan = zlay.plan.attention("sm_90a", 128, 256, 256, heads=2, soft_cap=True, sinks=True, lse=True, q_strides=(128, 256 * 128, 2 * 256 * 128))
        q = OnDevice((1, 2, 256, 128), "u2").view(lambda x: x.swapaxes(1, 2))
        k, v, o = (OnDevice((1, 256, 2, 128), "u2") for _ in range(3))
        sinks, lse = OnDevice((2,), "f4"), OnDevice((1, 2, 256), "f4")
        self.launched(plan, q, k, v, o, cap=30.0, scale=0.25, sinks=sinks, lse=lse)
        self.assertAlmostEqual(self.at("x_scale", "f"), 30 * math.log2(math.e), 4)
        self.assertAlmostEqual(self.at("x_inner", "f"), 0.25 / 30, 6)
        self.assertEqual((self.at("read_sinks"), self.at("map_tL_0")), (sinks.address, lse.address))
        self.refused("cap is given", plan.launch, q, k, v, o, sinks=sinks, lse=lse)
        self.refused("'lse' is missing", plan.launch, q, k, v, o, cap=30.0, sinks=sinks)
        self.refused("'read_sinks' is missing", plan.launch, q, k, v, o, cap=30.0, lse=lse)

    def test_packed_sequences(self):
        plan = zlay.plan.attention("sm_90a", 128, 300, 300, heads=2, causal=True, sequences=3)
        q, k, v, o = (OnDevice((300, 2, 128), "u2") for _ in range(4))
        self.launched(plan, q, k, v, o, q_lengths=[100, 0, 200])
        self.assertEqual(words_at(self.at("read_q_starts"), 4), [0, 100, 100, 300])
        self.assertEqual(words_at(self.at("next_tile"), 1), [0])
        starts = OnDevice((4,), "i4", [0, 1, 2, 3])
        self.launched(plan, q, k, v, o, q_starts=starts)
        self.assertEqual(self.at("read_q_starts"), starts.address)
        self.refused("more than the rows of the plan, 300", plan.launch, q, k, v, o, q_starts=[0, 1, 2, 301])
        self.refused("'read_q_starts' is missing", plan.launch, q, k, v, o)

    def test_splits_have_two_kernels(self):
        plan = zlay.plan.attention("sm_90a", 64, 100, 4096, heads=2, splits=4, lse=True, sinks=True)
        q, o = (OnDevice((1, 100, 2, 64), "u2") for _ in range(2))
        k, v = (OnDevice((1, 4096, 2, 64), "u2") for _ in range(2))
        sinks, lse = OnDevice((2,), "f4"), OnDevice((1, 2, 100), "f4")
        before, memory = self.fake.launches, self.fake.memory
        merge = zlay.attention._Text(plan._merge)
        self.launched(plan, q, k, v, o, text=merge, sinks=sinks, lse=lse)
        self.assertEqual((self.fake.launches - before, self.fake.memory - memory), (2, 2))
        self.assertEqual((self.at("read_sinks"), self.at("map_tO0_0"), self.at("map_tL_0")), (sinks.address, o.address, lse.address))
        self.assertNotEqual(self.at("read_part_o"), self.at("read_part_lse"))
        self.refused("no kernel of the plan has an argument 'more'", plan.launch, q, k, v, o, sinks=sinks, lse=lse, more=1)
        del plan
        self.assertEqual(self.fake.memory, memory)


class Moves(Launches):
    def launched(self, rows, **arguments):
        expect([8] * len(rows.arguments))
        rows.launch(**arguments)

    def test_every_kind(self):
        sizes = {"copy": {"groups": 3, "source_rows": 20, "target_rows": 30, "row_bytes": 64},
                 "concatenate": {"groups": 3, "target_rows": 30, "row_bytes": 64}, "split": {"groups": 3, "source_rows": 20, "row_bytes": 64},
                 "transpose": {"source_rows": 2000, "target_rows": 3000, "element_bytes": 2},
                 "concatenate_columns": {"groups": 3, "target_rows": 30, "row_bytes": 64, "element_bytes": 2},
                 "split_columns": {"groups": 3, "source_rows": 20, "row_bytes": 64, "element_bytes": 8}}
        for kind, fields in sizes.items():
            rows = zlay.plan.rows(kind, **fields)
            self.assertIn("__global__", rows.text)
            dtype = {"target": "u2", "source": "u2", "sources": "u8", "targets": "u8", "pitches": "u8"}
            given = {name: [0, 1, 2, 8] if name.endswith("offsets") else OnDevice((64,), dtype[name]) for name in rows.arguments}
            self.refused("no image is loaded", rows.launch, **given)
            rows.load(b".version 8.0\n.target sm_90a\n")
            self.launched(rows, **given)
            for i, name in enumerate(rows.arguments):
                if isinstance(given[name], list):
                    self.assertEqual(words_at(word(i), 4), [0, 1, 2, 8])
                else:
                    self.assertEqual(word(i), given[name].address)
            self.assertEqual(self.fake.launch.block, rows.threads)
            for name in given:
                self.refused(f"'{name}' is missing", rows.launch, **{n: x for n, x in given.items() if n != name})

    def test_offsets_of_the_host_are_checked(self):
        rows = zlay.plan.rows("copy", groups=3, source_rows=20, target_rows=30, row_bytes=64, source_pitch=128)
        rows.load(b".version 8.0\n.target sm_90a\n")
        source = OnDevice((20, 64), "u2").view(lambda x: x[:, :32])  # rows may be apart
        given = {"target": OnDevice((30, 32), "u2"), "source": source, "target_offsets": [0, 10, 20, 30]}
        self.launched(rows, **given, source_offsets=OnDevice((4,), "i4"))
        self.refused("more than the rows", rows.launch, **given, source_offsets=[0, 1, 2, 21])
        self.refused("elements of s32", rows.launch, **given, source_offsets=OnDevice((4,), "i8"))

    def test_requests_that_no_kernel_has(self):
        for bad, says in (({"kind": "swap"}, "kind"), ({"kind": "copy", "colums": 3}, "colums"), ({"kind": "copy", "groups": -1}, "groups")):
            with self.assertRaisesRegex(zlay.Error, says):
                zlay.plan.rows(**bad)


if __name__ == "__main__":
    unittest.main()
