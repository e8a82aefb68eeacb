# SPDX-License-Identifier: Apache-2.0
# What mypy --strict has to refuse, a line each: were the package's types Any, it would pass.
import zlay

size: str = zlay.Layout("8:1").size
layout = zlay.Layout(8)
answer: zlay.F2 = zlay.ops.layout.compose("8:1", "4:1")
verdict: int = zlay.check.block("sm_90a", 128)
missing = zlay.ops.layout.compose("8:1")
other = zlay.ops.layout.compos("8:1", "4:1")
field = zlay.plan("sm_90a", 256, 256, 64, stage=4)
order = zlay.plan("sm_90a", 256, 256, 64, a_order="diagonal")
many = zlay.plan.attention("sm_90a", 128, 512, 512, heads="two")
kind = zlay.plan.rows("move")
box = zlay.show(layout).panels[0].boxes[0].width.upper()
tile = zlay.ops.plan.gemm("sm_90a", 256, 256, 64, tile=128)
facts = zlay.ops.variants.choose(["n"], [[1]], [{"cost": "n"}], facts=[1])
matrix = zlay.ops.zmat.det([1])
pipe = zlay.ops.pipe.verify(3)
maps = zlay.check.tensormap("sm_90a", "a map")
loop = zlay.Loop({"alu": "one"})
starts = zlay.Loop({"alu": 1}).schedule().starts["a"].upper()
tuned = zlay.tuning.Cache().add("a record")
band = zlay.io.gemm("sm_90a", 256, 256, 256, bands=1)
listed = zlay.plan.candidates("sm_90a", 256, 256, 64)[0].plan().tile.upper()
