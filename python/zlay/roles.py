# SPDX-License-Identifier: Apache-2.0
"""Roles: the proved pipe of a tile program, which warps do what and the barriers between them (docs/roles.md).

>>> import zlay
>>> r = zlay.Roles("sm_90a", '''tiles product
... loop N 1..
... shared A 8192
... shared B 8192
... shared D 16384
... loop
...   copy tensor 8192 -> A : cycles 100 latency 600
...   copy tensor 8192 -> B : cycles 100 latency 600
...   mma A, B -> C fresh first : cycles 128 latency 200
... after
...   write D from C
...   store D 16384
... ''')
>>> r.interval, r.bound, [(role.name, role.warps) for role in r], bool(r.pipe.verify())
(200, 200, [('loads', 1), ('computes', 4)], True)
"""
from __future__ import annotations

import functools
from typing import Any, Iterator, Mapping, NamedTuple, Tuple

from ._lib import ffi, lib, made, printed
from .pipe import Pipe
from .shown import Shown
from .tensormap import target_of

__all__ = ["Role", "Roles"]

_KINDS = {lib.ZLAY_ROLE_LOADS: "loads", lib.ZLAY_ROLE_PRODUCTS: "products", lib.ZLAY_ROLE_COMPUTES: "computes", lib.ZLAY_ROLE_STORES: "stores"}


class Role(NamedTuple):
    """A role: its kind is loads, products, computes or stores; `stages` are iterations of its loop that are under way at a time."""

    name: str
    kind: str
    first_warp: int
    warps: int
    instances: int
    operations: int
    stages: int


class Roles(Shown):
    """The pipe of a tile program on a target, with its roles; ProvedNone where there is no such pipe."""

    __slots__ = ("__dict__", "_info", "_of", "target")

    def __init__(self, target: str, program: str) -> None:
        data = program.encode()
        self.target = target
        self._of = made(lib.zlay_roles_synth, "zlay_roles **", lib.zlay_roles_free, target_of(target), data, len(data))
        self._info = ffi.new("zlay_roles_summary *")
        lib.zlay_roles_info(self._info, self._of)

    def __len__(self) -> int:
        return int(self._info.roles)

    def __getitem__(self, place: int) -> Role:
        role = ffi.new("zlay_role *")
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        lib.zlay_roles_nth(role, self._of, place % len(self))
        return Role(ffi.string(role.name).decode(), _KINDS[role.kind], role.first_warp, role.warps, role.instances, role.operations,
                    role.stages)

    def __iter__(self) -> Iterator[Role]:
        return (self[i] for i in range(len(self)))

    @property
    def warps(self) -> int:
        """Warps of a block."""
        return int(self._info.warps)

    @property
    def interval(self) -> int:
        """Cycles from an iteration to the next."""
        return int(self._info.interval)

    @property
    def bound(self) -> int:
        """No smaller interval satisfies units and dependences; 0: the program states its starts."""
        return int(self._info.bound)

    @property
    def peeled(self) -> int:
        """Iterations before the loop of the role that has most."""
        return int(self._info.peeled)

    @property
    def turns(self) -> bool:
        """Whether instances issue their products in turns."""
        return bool(self._info.turns)

    @property
    def smem(self) -> int:
        """Bytes of shared memory of all stages."""
        return int(self._info.smem)

    @property
    def columns(self) -> int:
        """Columns of tensor memory."""
        return int(self._info.columns)

    @functools.cached_property
    def pipe(self) -> Pipe:
        """The pipe that was proved."""
        pipe = lib.zlay_roles_pipe(self._of)
        return Pipe(printed(lambda out: lib.zlay_pipe_print(out, pipe)))

    def _view_(self) -> Tuple[str, Mapping[str, Any]]:
        return "pipe", {"pipe": self.pipe}

    def __repr__(self) -> str:
        return f"<zlay.Roles {', '.join(role.name for role in self)} on {self.target}, an iteration every {self.interval} cycles>"
