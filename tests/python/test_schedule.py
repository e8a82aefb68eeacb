# SPDX-License-Identifier: Apache-2.0
"""Loops, roles, places, stages, machines and tiles by their bytes: objects say what the operations and the program say, and starts are checked by the definition."""
import json
import os
import random
import subprocess
import unittest

import zlay

ROOT = os.environ.get("ZLAY_ROOT", ".")
PROGRAM = os.environ.get("ZLAY_PROGRAM", os.path.join(ROOT, "build/zlay"))


def text_of(path):
    with open(os.path.join(ROOT, "examples", path), encoding="utf-8") as f:
        return f.read()


def told(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def loop_of(fields):
    loop = zlay.Loop(fields["units"], fields.get("capacity"), fields.get("copies", 1))
    for op in fields["ops"]:
        loop.op(op["name"], op["unit"], cycles=op["cycles"], latency=op["latency"])
    for edge in fields["edges"]:
        loop.edge(edge["from"], edge["to"], distance=edge["distance"], latency=edge.get("latency"))
    for value in fields.get("values", ()):
        loop.value(value["def"], value["uses"], bytes=value["bytes"], space=value["space"])
    return loop


class Schedules(unittest.TestCase):
    def test_the_examples_are_the_operations(self):
        names = sorted(os.listdir(os.path.join(ROOT, "examples/loops")))
        self.assertGreater(len(names), 8)
        for name in names:
            fields = json.loads(text_of(os.path.join("loops", name)))
            s, raw = loop_of(fields).schedule(), zlay.call("pipe.schedule", **{k: v for k, v in fields.items() if k != "op"})
            self.assertEqual((s.ii, s.stages, s.bound, s.optimal, s.starts, list(s.buffers)),
                             (raw["ii"], raw["stages"], raw["bound"], raw["optimal"], raw["start"], raw.get("depth", [])), name)

    def test_starts_obey_units_and_edges(self):
        for seed in range(100):
            r = random.Random(seed)
            units = {u: r.randint(1, 2) for u in "xyz"}
            loop, ops, edges = zlay.Loop(units), [], []
            for i in range(6):
                ops.append((r.choice("xyz"), r.randint(1, 7), r.randint(0, 9)))
                loop.op(str(i), ops[-1][0], cycles=ops[-1][1], latency=ops[-1][2])
            for i in range(1, 6):
                edges.append((r.randrange(i), i, r.randint(0, 1)))
                loop.edge(str(edges[-1][0]), str(i), distance=edges[-1][2])
            s = loop.schedule()
            at = [s.starts[str(i)] for i in range(6)]
            for a, b, distance in edges:
                self.assertGreaterEqual(at[b] + distance * s.ii, at[a] + ops[a][2])
            for unit, count in units.items():
                for cycle in range(s.ii):
                    busy = sum(sum((at[i] + c) % s.ii == cycle for c in range(ops[i][1])) for i in range(6) if ops[i][0] == unit)
                    self.assertLessEqual(busy, count)
            self.assertEqual(s.stages, max(at) // s.ii + 1)

    def test_the_picture_is_the_programs(self):
        s = loop_of(json.loads(text_of("loops/sum.json"))).schedule()
        self.assertEqual(s.show().text, told("show", "schedule", "examples/loops/sum.json", "width=80", "colour=false"))
        self.assertEqual([panel.kind for panel in s.show(iterations=2).panels], ["bars", "bars"])
        self.assertTrue(s._repr_svg_().startswith("<svg"))
        self.assertIn("6 cycles in 4 stages", repr(s))

    def test_none_has_its_reason(self):
        with self.assertRaisesRegex(zlay.ProvedNone, "unit 'x', of which there are 0"):
            zlay.Loop({"x": 0}).op("a", "x", cycles=1, latency=1).schedule()
        with self.assertRaisesRegex(zlay.Error, "no unit is called 'y'"):
            zlay.Loop({"x": 1}).op("a", "y", cycles=1, latency=1).schedule()


class Programs(unittest.TestCase):
    def test_roles_are_the_operations(self):
        for name, target in (("gemm.tiles", "sm_90a"), ("attention.tiles", "sm_90a"), ("blackwell_gemm.tiles", "sm_100a")):
            r, raw = zlay.Roles(target, text_of(name)), zlay.ops.pipe.roles(target, text_of(name))
            self.assertEqual([role._asdict() for role in r], raw["roles"])
            for field in ("interval", "bound", "peeled", "turns", "smem", "columns", "warps"):
                self.assertEqual(getattr(r, field), raw[field], field)
            self.assertEqual(str(r.pipe), raw["pipe"])
            self.assertTrue(r.pipe.verify())
            self.assertEqual((r[-1], len(list(r))), (r[len(r) - 1], len(r)))
        with self.assertRaises(IndexError):
            r[len(r)]
        with self.assertRaisesRegex(zlay.Error, "line 1"):
            zlay.Roles("sm_90a", "tile")
        self.assertIn("loads", repr(r))

    def test_places_are_the_operations(self):
        fields = json.loads(text_of("attention.places.json"))
        for target in ("sm_90a", "sm_100a"):
            p = zlay.Places(target, **fields)
            self.assertEqual(str(p), told("places", "examples/attention.places.json", target))
            self.assertEqual(p.show().text, told("show", "places", "examples/attention.places.json", target, "width=80", "colour=false"))
            self.assertEqual((p.cost, p.bound, p.optimal), (p.raw["cost"], p.raw["lower_bound"], True))
            for home in p:
                self.assertLessEqual(set(home.has), set(home.may))
                self.assertIn(home.home, home.has)
                self.assertEqual({move.target for move in home.moves}, set(home.has) - {home.home})
        self.assertEqual((p["P"].home, len(p), p.cluster), ("register", 9, (8, 1, 1)))

    def test_stages_are_the_operations(self):
        fields = {name: value for name, value in json.loads(text_of("stage.json")).items() if name != "op"}
        s = zlay.Stage(**fields)
        self.assertEqual((s.cycles, s.bytes, s.in_turn, s.tile, s.units), tuple(s.raw[n] for n in ("cycles", "bytes", "in_turn", "tile", "units")))
        self.assertEqual([(t.name, str(t.layout), t.depth) for t in s], [(t["name"], t["layout"], t["depth"]) for t in s.raw["tensors"]])
        self.assertTrue(s.optimal and s.pipe.verify() and s.cycles <= s.in_turn)
        self.assertEqual((len(s), s["A"].layout.size), (2, 128 * 64))
        tensors = [dict(of) for of in fields["tiles"][0]["tensors"]]
        tensors[0].update(shared=True)
        tensors[1].update(source="(4096,4096):(4100,1)")
        tiles = [dict(fields["tiles"][0], tensors=tensors)]
        s = zlay.Stage("sm_90a", tiles, cluster=2, shared_rate=128000, copy_rate=64000, l2_rate=40000, copy_cycles=528, load_cycles=284)
        self.assertIsNone(s.in_turn)
        b = zlay.io.gemm("sm_90a", 8192, 8192, 8192)
        self.assertEqual((b.l2_bound.by, b.l2_bound.block, b.hbm_bound.block), ("sums", 32768, None))


class Machines(unittest.TestCase):
    def test_numbers(self):
        m, raw = zlay.Machine("sm_90a"), zlay.ops.machine.info("sm_90a")
        self.assertEqual(dict(m), {name: of["value"] for name, of in raw["facts"].items()})
        self.assertEqual((len(m.forms), set(m.units)), (len(raw["forms"]), set(raw["units"])))
        other = m.but(clock_khz=1000000).but(dram_cycles=5)
        self.assertEqual((other["clock_khz"], other["dram_cycles"], other.facts["clock_khz"].basis), (1000000, 5, "given"))
        self.assertNotEqual(m["clock_khz"], 1000000)
        with self.assertRaisesRegex(zlay.Error, "no number 'clock'"):
            m.but(clock=1)

    def test_times_are_the_operations(self):
        m, ring = zlay.Machine("sm_90a"), text_of("ring.pipe")
        for machine, facts in ((m, None), (m.but(copy_kilocycle=32000), {"copy_kilocycle": 32000})):
            raw = zlay.ops.pipe.cycles("sm_90a", ring, params={"N": 64}, facts=facts)
            self.assertEqual(machine.cycles(ring, {"N": 64})[:4], (raw["cycles"], raw["interval"], raw["bound"], raw["busy"]))
        self.assertEqual(m.cycles(zlay.Pipe(ring), {"N": 64}), m.cycles(ring, {"N": 64}))
        for mine, raw in ((m.gemm(512, 512, 512), zlay.ops.gemm.cycles("sm_90a", 512, 512, 512)),
                          (m.attention(128, 512, 512, heads=4), zlay.ops.attention.cycles("sm_90a", 128, 512, 512, heads=4))):
            self.assertEqual(mine[:7], tuple(raw[name] for name in mine._fields[:7]))
        with self.assertRaisesRegex(zlay.ProvedNone, ""):
            zlay.Machine("sm_80").gemm(512, 512, 512)


class Bytes(unittest.TestCase):
    def test_answers_are_the_operations(self):
        for a, raw in ((zlay.io.gemm("sm_90a", 1000, 2000, 3000), zlay.ops.io.gemm("sm_90a", 1000, 2000, 3000)),
                       (zlay.io.attention("sm_90a", 64, 512, 2048, causal=True), zlay.ops.io.attention("sm_90a", 64, 512, 2048, causal=True)),
                       (zlay.io.chain("sm_90a", 64, 512, 512, 512, gated=True), zlay.ops.io.chain("sm_90a", 64, 512, 512, 512, gated=True))):
            self.assertEqual((a.raw, a.best.raw, a.best.hbm), (raw, raw["best"], raw["best"]["hbm"]))
            self.assertEqual({name: t._asdict() for name, t in a.tensors.items()}, raw["tensors"])
            self.assertEqual(sum(t.read + t.written for t in a.tensors.values()), a.best.hbm)
            self.assertTrue(a.hbm_bound.bytes <= a.best.hbm and a.optimal)
            self.assertIn(a.best[1:4], [c[1:4] for c in a.front] + [a.best[1:4]])
        self.assertEqual(str(zlay.io.gemm("sm_90a", 8192, 8192, 8192)).rstrip(), told("io", "gemm", "sm_90a", "8192", "8192", "8192").rstrip())
        with self.assertRaisesRegex(zlay.Error, "'tiles'"):
            zlay.io.gemm("sm_90a", 512, 512, 512, tiles=1)


if __name__ == "__main__":
    unittest.main()
