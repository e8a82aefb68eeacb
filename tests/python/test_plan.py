# SPDX-License-Identifier: Apache-2.0
"""Plans and pipes; their launches are in test_launch.py."""
import os
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
