# SPDX-License-Identifier: Apache-2.0
"""Plans and pipes; their launches are in test_launch.py."""
import os
import random
import unittest

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


    def test_words_of_the_documents(self):
        same = {"a_type": "e4m3", "b_type": "e4m3", "d_type": "bf16"}
        self.assertEqual(zlay.plan("sm_90a", 256, 256, 512, **same, a_scales="1x128", b_scales="128x128", d_order="col").ptx,
                         zlay.plan.gemm("sm_90a", 256, 256, 512, **same, a_scales="line", b_scales="block", d_order="column").ptx)

    def test_fields_have_types(self):
        """The typed fields of each plan are the members of its struct, and no others."""
        from zlay import planner
        from zlay._lib import ffi

        for kind, typed, own, more in (
                ("zlay_gemm", planner.GemmFields, {"m", "n", "k", "epilogue_length"}, {"tile"}),
                ("zlay_attention", planner.AttentionFields, {"head", "queries", "keys", *"qkvol"}, {"tile", *(f"{x}_strides" for x in "qkvol")}),
                ("zlay_weights", planner.WeightsFields, {"m", "n", "k"}, set()),
                ("zlay_rows_kernel", planner.RowsFields, {"kind", "name", "name_length"}, set())):
            members = {name for name, _ in ffi.typeof(kind).fields if name != "size" and not name.startswith("reserved")}
            self.assertEqual(set(typed.__annotations__), members - own | more, kind)

    def test_errors_name_the_field(self):
        for call, says in ((lambda: zlay.plan.attention("sm_90a", 128, 64, 64, head_dim=3), "plan.attention: no field is called 'head_dim'"),
                           (lambda: zlay.plan.attention("sm_90a", 128, 64, 64, q=(1, 2, 3)), "no field is called 'q'"),
                           (lambda: zlay.plan.attention("sm_90a", 128, 64, 64, q_lengths="long"), "'q_lengths' cannot be 'long'"),
                           (lambda: zlay.plan.attention("sm_90a", 128, 64, 64, heads=-1), "field 'heads'"),
                           (lambda: zlay.plan.attention("sm_90a", 128, 64, 64, type="f17"), "no type is called 'f17'"),
                           (lambda: zlay.plan.attention("sm_90a", 96, 64, 64), "head"),
                           (lambda: zlay.plan.weights("sm_90a", 16, 64, 128, scales=3), "plan.weights: no field is called 'scales'"),
                           (lambda: zlay.plan.weights("sm_90a", 16, 64, 128, zeros="yes"), "'zeros' cannot be 'yes'"),
                           (lambda: zlay.plan("sm_90a", 256, 256, 64, stages="many"), "'stages' cannot be 'many'"),
                           (lambda: zlay.plan("sm_90a", 256, 256, 64, stages=1 << 40), "field 'stages'")):
            with self.assertRaisesRegex(zlay.Error, says):
                call()


class Attentions(unittest.TestCase):
    def test_attention_is_that_of_the_request(self):
        for fields in ({"heads": 16, "causal": True}, {"heads": 8, "kv_heads": 2, "splits": 4, "lse": True}, {"sequences": 3, "heads": 2},
                       {"type": "f16", "window": 100, "causal": True}, {"q_strides": (128, 128 * 512, 128 * 512)},
                       {"q_lengths": "packed", "k_lengths": "packed", "batch": 4}):
            mine = zlay.plan.attention("sm_90a", 128, 512, 512, **fields)
            told = zlay.ops.plan.attention("sm_90a", 128, 512, 512, **fields)
            self.assertEqual((list(mine.tile), mine.stages, mine.threads, list(mine.grid), str(mine.pipe)),
                             (told["tile"], told["stages"], told["threads"], told["grid"], told["pipe"]))
            emitted = zlay.ops.emit("attention", "attention", target="sm_90a", head=128, queries=512, keys=512, **fields)
            self.assertEqual(mine.ptx, emitted["text"])
            if "splits" in fields:
                merged = zlay.ops.emit("attention", "attention", target="sm_90a", head=128, queries=512, keys=512, merge=True, **fields)
                self.assertEqual(mine.merge_ptx, merged["text"])
            else:
                self.assertIsNone(mine.merge_ptx)
            self.assertIn("heads of 128, on sm_90a", repr(mine))


class Weights(unittest.TestCase):
    def test_weights_are_those_of_the_request(self):
        for fields in ({}, {"weights": "s4", "zeros": False}, {"weights": "e2m1", "group": 32}, {"weights": "s8", "type": "f16"}):
            mine = zlay.plan.weights("sm_90a", 16, 256, 512, **fields)
            told = zlay.ops.plan.weights("sm_90a", 16, 256, 512, **fields)
            self.assertEqual((list(mine.tile), mine.stages, mine.threads, list(mine.grid), mine.packed, str(mine.layout), str(mine.pipe)),
                             (told["tile"], told["stages"], told["threads"], told["grid"], told["packed"], told["layout"], told["pipe"]))
            self.assertEqual(mine.ptx, zlay.ops.emit("weights", "weights", target="sm_90a", m=16, n=256, k=512, **fields)["text"])

    def test_packed_weights_are_in_the_order_of_the_layout(self):
        draw = random.Random(7)
        for bits, type in ((4, "u4"), (8, "s8")):
            plan = zlay.plan.weights("sm_90a", 16, 64, 200, weights=type)
            weights = bytes(draw.randrange(256) for _ in range(64 * 200 * bits // 8))
            packed, layout = plan.pack(weights), plan.layout
            at = lambda data, i: data[i] if bits == 8 else data[i // 2] >> 4 * (i % 2) & 15
            for row in range(64):
                for k in range(200):
                    self.assertEqual(at(packed, layout(row, k)), at(weights, row * 200 + k))
            with self.assertRaisesRegex(zlay.Error, "weights have"):
                plan.pack(weights[1:])


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


if __name__ == "__main__":
    unittest.main()
