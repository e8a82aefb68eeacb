# SPDX-License-Identifier: Apache-2.0
"""Modulo schedules of loops: when each operation starts, so that an iteration begins as often as can be (docs/schedule.md).

>>> import zlay
>>> loop = zlay.Loop({"copy": 1, "tensor": 1, "alu": 1}, capacity={"smem": 4096})
>>> loop.op("load", "copy", cycles=4, latency=10).op("multiply", "tensor", cycles=6, latency=8).op("add", "alu", cycles=3, latency=3)
<zlay.Loop of 3 operations on 3 units>
>>> loop.edge("load", "multiply").edge("multiply", "add").edge("add", "add", distance=1).value("load", ["multiply"], bytes=1024, space="smem")
<zlay.Loop of 3 operations on 3 units>
>>> s = loop.schedule()
>>> s.ii, s.stages, s.optimal, s.starts["multiply"], s.buffers
(6, 4, True, 10, (3,))
"""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._json import call
from .shown import Shown

__all__ = ["Loop", "Schedule"]


class Schedule(Shown):
    """The schedule of a loop, made by `Loop.schedule`; `raw` is the answer as docs/batch.md describes it."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = dict(fields)
        self.raw: Mapping[str, Any] = call("pipe.schedule", **fields)

    @property
    def ii(self) -> int:
        """Cycles from an iteration to the next, the initiation interval."""
        return int(self.raw["ii"])

    @property
    def stages(self) -> int:
        """Iterations that are under way at a time."""
        return int(self.raw["stages"])

    @property
    def bound(self) -> int:
        """No schedule has a smaller interval: proved."""
        return int(self.raw["bound"])

    @property
    def optimal(self) -> bool:
        """Whether no schedule has a smaller interval, nor one of this interval fewer stages."""
        return bool(self.raw["optimal"])

    @property
    def starts(self) -> Mapping[str, int]:
        """The cycle in which each operation of the first iteration starts; those of a later copy are called NAME.1, NAME.2.

        >>> import zlay
        >>> zlay.Loop({"alu": 1}, copies=2).op("a", "alu", cycles=3, latency=3).schedule().starts
        {'a': 0, 'a.1': 3}
        """
        return {name: int(start) for name, start in self.raw["start"].items()}

    @property
    def buffers(self) -> Tuple[int, ...]:
        """How many buffers each value has, copy by copy."""
        return tuple(int(depth) for depth in self.raw.get("depth", ()))

    def _view_(self) -> Tuple[str, Mapping[str, Any]]:
        return "schedule", self._fields

    def __repr__(self) -> str:
        return f"<zlay.Schedule of {self.ii} cycles in {self.stages} stages{', optimal' if self.optimal else f', at least {self.bound} cycles'}>"


class Loop:
    """A loop body: units with their counts, spaces with their bytes, and what is added by `op`, `edge` and `value`, which return the loop."""

    def __init__(self, units: Mapping[str, int], capacity: Optional[Mapping[str, int]] = None, copies: int = 1) -> None:
        self.units, self.capacity, self.copies = dict(units), dict(capacity or {}), copies
        self._ops: List[Dict[str, Any]] = []
        self._edges: List[Dict[str, Any]] = []
        self._values: List[Dict[str, Any]] = []

    def op(self, name: str, unit: str, *, cycles: int, latency: int) -> Loop:
        """Add an operation that takes a unit for some cycles; its result is there after its latency."""
        self._ops.append({"name": name, "unit": unit, "cycles": cycles, "latency": latency})
        return self

    def edge(self, source: str, target: str, *, distance: int = 0, latency: Optional[int] = None) -> Loop:
        """Add a dependence: `target` waits for `source`, of so many iterations before, for the latency of `source` unless it is given."""
        edge: Dict[str, Any] = {"from": source, "to": target, "distance": distance}
        self._edges.append(edge if latency is None else {**edge, "latency": latency})
        return self

    def value(self, source: str, uses: Sequence[str], *, bytes: int, space: str) -> Loop:
        """Add what an operation leaves in a space, until the operations that use it have left their units."""
        self._values.append({"def": source, "uses": list(uses), "bytes": bytes, "space": space})
        return self

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the operation pipe.schedule."""
        more = {"values": self._values, "capacity": self.capacity} if self._values else {}
        return {"ops": self._ops, "edges": self._edges, "units": self.units, **more, "copies": self.copies}

    def schedule(self) -> Schedule:
        """The schedule of least interval, then of fewest stages; ProvedNone with the cycle of edges, the unit or the capacity.

        >>> import zlay
        >>> loop = zlay.Loop({"alu": 1}).op("a", "alu", cycles=1, latency=2).edge("a", "a")
        >>> try:
        ...     loop.schedule()
        ... except zlay.ProvedNone as none:
        ...     print(none.message)
        no schedule: edges of distance 0 make the cycle a -> a, of latency 2
        """
        return Schedule(self.fields)

    def __repr__(self) -> str:
        return f"<zlay.Loop of {len(self._ops)} operations on {len(self.units)} units>"
