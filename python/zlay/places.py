# SPDX-License-Identifier: Apache-2.0
"""Places: in which memories the values of a tile program lie, and what moves them (docs/places.md).

>>> import zlay
>>> p = zlay.Places("sm_90a", [{"name": "A", "rows": 64, "columns": 64, "bits": 16, "from": "global"},
...     {"name": "B", "rows": 64, "columns": 64, "bits": 16, "from": "global"}, {"name": "D", "rows": 64, "columns": 64, "bits": 32, "to": "global"}],
...     [{"form": "product", "reads": ["A", "B"], "writes": ["D"]}])
>>> p["B"].home, p["B"].moves, p["D"].home, p.optimal
('global', (Move(source='global', target='shared', by='tensor copy'),), 'register', True)
"""
from __future__ import annotations

import functools
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._json import call
from .shown import Shown

__all__ = ["Home", "Move", "Places"]


class Move(NamedTuple):
    """A move of a value from one place to another, and what does it."""

    source: str
    target: str
    by: str


class Home(NamedTuple):
    """Where a value lies: the places that it may have, where it is made or begins, all that it has, and the moves between them."""

    name: str
    may: Tuple[str, ...]
    home: str
    has: Tuple[str, ...]
    moves: Tuple[Move, ...]
    bytes: int  # of one tile
    smem: Optional[int]  # its first byte of shared memory
    remote: Optional[int]  # its first byte in another block
    column: Optional[int]  # its first column of tensor memory


def _home(of: Mapping[str, Any]) -> Home:
    return Home(of["name"], tuple(of["may"]), of["home"], tuple(of["has"]), tuple(Move(m["from"], m["to"], m["by"]) for m in of["moves"]),
                int(of["bytes"]), of.get("smem"), of.get("remote"), of.get("column"))


class Places(Shown):
    """The places of least cost of a tile program's values; `values`, `operations` and `fields` are those of places.find, `raw` its answer."""

    def __init__(self, target: str, values: Sequence[Mapping[str, Any]], operations: Sequence[Mapping[str, Any]], **fields: Any) -> None:
        self._fields: Mapping[str, Any] = {"target": target, "values": values, "operations": operations, **fields}
        self.raw: Mapping[str, Any] = call("places.find", **self._fields)
        self.target = target

    @functools.cached_property
    def values(self) -> Mapping[str, Home]:
        """The values by their names."""
        return {of["name"]: _home(of) for of in self.raw["values"]}

    def __getitem__(self, name: str) -> Home:
        return self.values[name]

    def __iter__(self) -> Iterator[Home]:
        return iter(self.values.values())

    def __len__(self) -> int:
        return len(self.values)

    @property
    def cost(self) -> int:
        """Millionths of a cycle of a processor."""
        return int(self.raw["cost"])

    @property
    def bound(self) -> int:
        """No choice costs less: proved."""
        return int(self.raw["lower_bound"])

    @property
    def optimal(self) -> bool:
        """Whether no choice costs less, and none of this cost has fewer moves."""
        return bool(self.raw["optimal"])

    @property
    def cluster(self) -> Tuple[int, ...]:
        """Blocks of a cluster by dimension."""
        return tuple(int(n) for n in self.raw["cluster"])

    def _view_(self) -> Tuple[str, Mapping[str, Any]]:
        return "places", self._fields

    def __str__(self) -> str:
        return str(self.raw["text"])

    def __repr__(self) -> str:
        return f"<zlay.Places of {len(self)} values on {self.target}>"
