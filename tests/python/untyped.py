# SPDX-License-Identifier: Apache-2.0
# What mypy --strict has to refuse, a line each: were the package's types Any, it would pass.
import zlay

size: str = zlay.Layout("8:1").size
layout = zlay.Layout(8)
answer: zlay.F2 = zlay.ops.layout.compose("8:1", "4:1")
verdict: int = zlay.check.block("sm_90a", 128)
missing = zlay.ops.layout.compose("8:1")
other = zlay.ops.layout.compos("8:1", "4:1")
