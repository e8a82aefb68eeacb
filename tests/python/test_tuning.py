# SPDX-License-Identifier: Apache-2.0
"""Candidates and measurements: objects say what the operations say; caches merge in any order; no choice is trusted."""
import os
import random
import unittest

import zlay
from zlay.tuning import Cache, Device, Record, attention_key, gemm_key

ROOT = os.environ.get("ZLAY_ROOT", ".")
AUTO = {"swap": "auto", "multicast": "auto", "stream_k": "auto", "split_k": "auto"}
H200 = Device("NVIDIA_H200", 132, 13000)


def cache_of(name):
    with open(os.path.join(ROOT, "examples", name), encoding="utf-8") as f:
        return Cache(f.read())


class Listed(unittest.TestCase):
    def test_gemms_are_the_operations(self):
        for fields in (AUTO, {}, {"tile": (128, 128, 64), "swap": "auto"}):
            mine, raw = zlay.plan.candidates("sm_90a", 96, 7168, 6144, **fields), zlay.ops.plan.candidates("sm_90a", 96, 7168, 6144, **fields)
            self.assertEqual([{**c.fields, "tile": list(c.fields["tile"]), "stages": c.stages, "smem": c.smem, "blocks": c.blocks, "ns": c.ns, "terms": c.terms} for c in mine],
                             raw["candidates"])
            self.assertEqual(mine.bound.ns, raw["bound"]["ns"])
            self.assertEqual(mine[0].plan().tile, zlay.plan("sm_90a", 96, 7168, 6144, **fields).tile)
        self.assertIn("candidates, none below", repr(mine))

    def test_each_is_planned_on_every_target(self):
        for target in ("sm_80", "sm_100a", "gfx942"):
            for c in zlay.plan.candidates(target, 512, 512, 512):
                plan = c.plan()
                self.assertEqual((plan.tile, plan.smem), (c.fields["tile"], c.smem))
                self.assertEqual(c.blocks, -(-512 // plan.tile[0]) * -(-512 // plan.tile[1]))
            choice = f"tile={'x'.join(map(str, plan.tile))} multicast=none swap=never stream_k=never split_k=1"
            cache = Cache().add(Record(gemm_key(target, 512, 512, 512), choice, 9, 3))
            self.assertEqual(cache.plan(target, 512, 512, 512).tile, plan.tile)

    def test_each_is_planned(self):
        for c in zlay.plan.candidates("sm_90a", 96, 512, 256, **AUTO):
            self.assertEqual((c.plan().tile, c.plan().stages, c.plan().smem), (c.fields["tile"], c.stages, c.smem))

    def test_attentions_are_the_operations(self):
        fields = {"heads": 16, "causal": True}
        mine, raw = zlay.plan.attention_candidates("sm_90a", 128, 4096, 4096, **fields), zlay.ops.attention.candidates("sm_90a", 128, 4096, 4096, **fields)
        self.assertEqual([{**c.fields, "tile": list(c.fields["tile"]), "smem": c.smem, "registers": c.registers, "blocks": c.blocks, "ns": c.ns, "terms": c.terms} for c in mine],
                         raw["candidates"])
        for c in list(mine)[:8]:
            self.assertEqual((c.plan().tile, c.plan().stages), (c.fields["tile"], c.fields["stages"]))
        with self.assertRaisesRegex(zlay.Error, "cannot be 'some'"):
            zlay.plan.attention_candidates("sm_90a", 128, 4096, 4096, overlap="some")
        self.assertIsNone(zlay.plan.attention_candidates("sm_90a", 128, 512, 512, sequences=4).bound)


class Caches(unittest.TestCase):
    def test_files(self):
        monday, tuesday = cache_of("monday.tuning"), cache_of("tuesday.tuning")
        raw = zlay.ops.tuning.check(str(monday))
        self.assertEqual([{**r._asdict(), "others": list(r.others)} for r in monday], raw["records"])
        self.assertEqual((str(monday | tuesday), str(monday | tuesday)), (str(tuesday | monday), str((tuesday | monday) | monday)))
        self.assertEqual(str(monday | tuesday), zlay.ops.tuning.merge(str(monday), str(tuesday))["text"])
        self.assertEqual(str(Cache(str(monday))), str(monday))

    def test_a_changed_line_is_refused_and_the_others_stay(self):
        text = str(cache_of("monday.tuning"))
        changed = Cache(text.replace("ns=25740", "ns=15740"))
        self.assertEqual((len(changed), len(Cache(text)), [bad.line for bad in changed.refused]), (1, 2, [2]))
        self.assertIn("checksum", changed.refused[0].reason)
        r = random.Random(7)
        for _ in range(200):
            at = r.randrange(len(text))
            self.assertLess(len(Cache(text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1:])), 2)

    def test_find_and_plan(self):
        cache = cache_of("monday.tuning")
        found = cache.gemm("sm_90a", 96, 7168, 6144, **AUTO)
        raw = zlay.ops.tuning.find("sm_90a", 96, 7168, 6144, str(cache), **AUTO)
        if raw["record"] is None:  # a version of the rules that has no records
            self.assertIsNone(found)
        else:
            self.assertEqual(found.ns, raw["record"]["ns"])
        key = gemm_key("sm_90a", 96, 7168, 6144, device=H200, **AUTO)
        choice = "tile=64x112x64 multicast=none swap=always stream_k=never split_k=1"
        mine = Cache().add(Record(key, choice, 100, 3)).add(Record(key, choice, 90, 2))
        self.assertEqual((len(mine), mine.find(key).ns), (1, 100))
        self.assertEqual(mine.plan("sm_90a", 96, 7168, 6144, **AUTO).tile, (64, 112, 64))
        self.assertIsNone(mine.gemm("sm_90a", 96, 7168, 6144, device=H200._replace(driver=1), **AUTO))
        self.assertEqual(mine.gemm("sm_90a", 96, 7168, 6144, device=Device("NVIDIA_H200"), **AUTO).ns, 100)  # of any driver
        self.assertIsNone(mine.gemm("sm_90a", 96, 7168, 6144, device=Device("NVIDIA_H100"), **AUTO))
        # Of the class, and of no candidate.
        self.assertEqual(mine.gemm("sm_90a", 90, 7168, 6144, **AUTO).ns, 100)
        wrong = Cache().add(Record(key, choice.replace("64x112", "64x17"), 100, 3))
        self.assertEqual(wrong.plan("sm_90a", 96, 7168, 6144, **AUTO).tile, zlay.plan("sm_90a", 96, 7168, 6144, **AUTO).tile)

    def test_attention(self):
        key = attention_key("sm_90a", 128, 4096, 4096, heads=16)
        mine = Cache().add(Record(key.replace("device=*", "device=H").replace("driver=*", "driver=1"), "tile=128x96 stages=2 overlap=never", 7, 1))
        self.assertEqual(mine.attention("sm_90a", 128, 4096, 4096, heads=16).ns, 7)
        plan = mine.plan_attention("sm_90a", 128, 4096, 4096, heads=16)
        self.assertEqual((plan.tile, plan.stages), ((128, 96), 2))
        self.assertIsNone(mine.attention("sm_90a", 64, 4096, 4096, heads=16))

    def test_what_is_refused(self):
        with self.assertRaisesRegex(zlay.Error, "EINVAL"):
            Cache().add(Record("no key", "tile", 0, 0))
        with self.assertRaisesRegex(zlay.Error, "at most 15"):
            Cache().add(Record("k", "c", 1, 1, tuple(range(1, 17))))
        with self.assertRaisesRegex(zlay.Error, "key: 600 bytes"):
            Cache().add(Record("k" * 600, "c", 1, 1))
        key, choice = gemm_key("sm_90a", 96, 7168, 6144), "tile=64x96x64 multicast=none swap=never stream_k=never split_k=1"
        for record, says in ((Record(key + "\0", choice, 1, 1), "key: not a text"), (Record(key, choice + "\0x", 1, 1), "choice: not a text"),
                             (Record(5, choice, 1, 1), "key: not a text"), (Record(key, choice, -1, 1), "ns: -1"), (Record(key, choice, 2**64, 1), "ns: "),
                             (Record(key, choice, 1.5, 1), "ns: 1.5"), (Record(key, choice, 1, 1 << 32), "rounds: "), (Record(key, choice, 9, 1, (8,)), "none below ns"),
                             (Record(key, choice, 9, 1, (-8,)), "others: -8")):
            with self.assertRaisesRegex(zlay.Error, says):
                Cache().add(record)
        for wrong in (lambda: Cache(None), lambda: Cache(b"x"), lambda: Cache().merge("x"), lambda: Cache().find("a\0b"),
                      lambda: gemm_key("sm_90a", 1, 1, 1, device=Device("a\0b")), lambda: gemm_key("sm_90a", 1, 1, 1, device=Device("a", -1)),
                      lambda: zlay.plan.candidates("sm_90a", 64, 64, 64, tile=(64, 64)), lambda: zlay.plan.candidates("sm_90a", 64, 64, 64, tile=64),
                      lambda: zlay.plan.attention_candidates("sm_90a", 64, 64, 64, tile=(64, 64, 64)),
                      lambda: zlay.plan.attention("sm_90a", 64, 64, 64, q_strides=(64, 64))):
            with self.assertRaisesRegex(zlay.Error, "EINVAL"):
                wrong()
        with self.assertRaises(TypeError):
            Cache() | "x"
        with self.assertRaisesRegex(zlay.Error, "no field is called 'tiles'"):
            gemm_key("sm_90a", 96, 7168, 6144, tiles=1)


if __name__ == "__main__":
    unittest.main()
