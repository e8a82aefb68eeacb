# SPDX-License-Identifier: Apache-2.0
"""Stages: layout, primitive, barriers and depth of what a pipe brings into shared memory, chosen together (docs/stages.md).

>>> import zlay
>>> a = {"type": "bf16", "source": "(4096,4096):(4096,1)", "shape": [128, 64], "align": 128, "accesses": [{"instruction": "wgmma"}]}
>>> s = zlay.Stage("sm_90a", [{"cycles": 700, "tensors": [{"name": "A", **a}, {"name": "B", **a}]}])
>>> s["A"].primitive, s["A"].layout, s["B"].expect, s.optimal, bool(s.pipe.verify())
('tensor', Layout('Sw<3,3,3> o 0 o (128,64):(64,1)'), 16384, True, True)
"""
from __future__ import annotations

import functools
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence

from ._json import call
from .layout import Layout
from .pipe import Pipe

__all__ = ["Stage", "StageTensor"]


class StageTensor(NamedTuple):
    """How a tensor of a stage lies and is brought; what else is known of it is in `raw`."""

    name: str
    layout: Layout  # tile -> element offset in the buffer
    primitive: str
    ring: int
    depth: int  # stages of its ring
    bytes: int  # of a buffer
    expect: int  # bytes that its copy adds to the barrier's
    full: int  # arrivals at the barrier that tells that it is full
    empty: int  # and at the one that tells that it is read
    multicast: int  # blocks that a copy serves
    raw: Mapping[str, Any]


def _tensor(of: Mapping[str, Any]) -> StageTensor:
    return StageTensor(of["name"], Layout(of["layout"]), of["primitive"], of["ring"], of["depth"], of["bytes"], of["expect"], of["full"],
                       of["empty"], of["multicast"], of)


class Stage:
    """The stage of fewest cycles; `tiles` and `fields` are those of stage.synth, `raw` its answer."""

    def __init__(self, target: str, tiles: Sequence[Mapping[str, Any]], **fields: Any) -> None:
        self.target = target
        self.raw: Mapping[str, Any] = call("stage.synth", target=target, tiles=tiles, **fields)

    @property
    def tile(self) -> int:
        """Which of the tiles was chosen."""
        return int(self.raw["tile"])

    @property
    def cycles(self) -> int:
        """Of a stage."""
        return int(self.raw["cycles"])

    @property
    def in_turn(self) -> Optional[int]:
        """Cycles of the stage that comes of choosing layouts, primitives, barriers and depths in turn; None where nothing fits then."""
        return None if self.raw["in_turn"] is None else int(self.raw["in_turn"])

    @property
    def units(self) -> Mapping[str, int]:
        """Cycles of each unit."""
        return {name: int(cycles) for name, cycles in self.raw["units"].items()}

    @property
    def bytes(self) -> int:
        """Shared memory of all stages and barriers."""
        return int(self.raw["bytes"])

    @property
    def optimal(self) -> bool:
        """Whether no other choice takes fewer cycles for its work."""
        return bool(self.raw["optimal"])

    @functools.cached_property
    def tensors(self) -> Mapping[str, StageTensor]:
        """The tensors by their names."""
        return {of["name"]: _tensor(of) for of in self.raw["tensors"]}

    def __getitem__(self, name: str) -> StageTensor:
        return self.tensors[name]

    def __iter__(self) -> Iterator[StageTensor]:
        return iter(self.tensors.values())

    def __len__(self) -> int:
        return len(self.tensors)

    @functools.cached_property
    def pipe(self) -> Pipe:
        """The pipe that was proved."""
        return Pipe(self.raw["pipe"])

    def __repr__(self) -> str:
        return f"<zlay.Stage of {', '.join(self.tensors)} on {self.target}: {self.cycles} cycles, {self.bytes} bytes>"
