# SPDX-License-Identifier: Apache-2.0
# What mypy --strict reads as a user's program: every type here is what the package says, or it does not pass. It runs too.
from __future__ import annotations

from typing import Any

import numpy
import zlay
from zlay.candidates import Candidates, GemmCandidate
from zlay.machine import Time


def offsets(layout: zlay.Layout) -> numpy.ndarray[Any, Any]:
    return (layout @ "4:1").offsets()


def repaired(x: Any) -> zlay.TensorMap:
    m: zlay.TensorMap = zlay.TensorMap.from_tensor(x, box=(8, 64), swizzle="128B")
    try:
        verdict: zlay.Verdict = m.check()
        guard: str | None = verdict.guard
        print(verdict.answer, guard)
    except zlay.Refused as e:
        reason: zlay.Reason = e.verdict.broken[0]
        rule: str = reason.rule
        print(rule, e.status, e.message)
        repair: zlay.Repair = m.repair()
        print(repair.keeps, repair.copies)
        return repair.map
    return m


divided: zlay.Layout = zlay.Layout("(4,8):(8,1)").divide("<2;4>", "zipped")
lowered: zlay.F2 = divided.lower()
answer: zlay.Layout = zlay.ops.layout.compose(divided, "4:1", facts=["M > 0"])
legal: zlay.Verdict = zlay.check.mma("sm_90a", "wgmma", 64, 256, 16)
plan: zlay.Plan = zlay.plan("sm_90a", 256, 256, 64)
text: str = plan.ptx
pipe: zlay.Pipe = plan.pipe
size: int = divided.size + offsets(divided).size
data: bytes = bytes(repaired(numpy.zeros((8, 64), numpy.float16)))
picture: zlay.Picture = zlay.show(divided, labels="values")
svg: str = picture.svg
label: str = picture.panels[0].boxes[0].label
attention: zlay.Attention = zlay.plan.attention("sm_90a", 128, 512, 512, heads=2, causal=True)
grid: tuple[int, int, int] = attention.grid
packed: bytearray = zlay.plan.weights("sm_90a", 16, 64, 128).pack(bytes(64 * 128 // 2))
rows: zlay.Rows = zlay.plan.rows("copy", groups=3, source_rows=20, target_rows=30, row_bytes=64)
pick: zlay.variants.Variants = zlay.variants.choose(["n"], [[64]], [{"guard": ["n % 8 == 0"], "cost": "n"}, {"cost": "2 * n"}])
chosen: zlay.variants.Variant = pick(64)
images: zlay.TensorMap = zlay.TensorMap.im2col("bf16", 0, (64, 16, 16, 8), (128, 2048, 32768), (-1, -1), (-1, -1), 64, 128)
proved: zlay.Verdict = zlay.ops.pipe.verify(plan.pipe)
determinant: object = zlay.ops.zmat.det(numpy.ones((1, 1), numpy.int64))
tiles: object = zlay.ops.plan.gemm("sm_90a", 256, 256, 64, tile=[128, 128, 64], a_order="row")
loop: zlay.Loop = zlay.Loop({"alu": 1}).op("a", "alu", cycles=1, latency=1)
scheduled: zlay.Schedule = loop.schedule()
begins: int = scheduled.starts["a"]
machine: zlay.Machine = zlay.Machine("sm_90a").but(processors=66)
time: Time = machine.gemm(256, 256, 64, a_order="row")
moved: zlay.io.Answer = zlay.io.gemm("sm_90a", 256, 256, 256, band=1)
listed: Candidates[GemmCandidate] = zlay.plan.candidates("sm_90a", 256, 256, 64, split_k="auto")
again: zlay.Plan = listed[0].plan()
record: zlay.tuning.Record | None = zlay.tuning.Cache().gemm("sm_90a", 256, 256, 64, swap="auto")
