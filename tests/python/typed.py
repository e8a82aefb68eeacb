# SPDX-License-Identifier: Apache-2.0
# What mypy --strict reads as a user's program: every type here is what the package says, or it does not pass. It runs too.
from __future__ import annotations

from typing import Any

import numpy
import zlay


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
        return m.repair()
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
