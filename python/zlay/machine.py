# SPDX-License-Identifier: Apache-2.0
"""Machines: how fast a target is, and how long pipes and kernels run there (docs/machine.md).

>>> import zlay
>>> m = zlay.Machine("sm_90a")
>>> m["processors"], m.facts["processors"].basis, m.units["tensor"].value
(132, 'measured', 4)
>>> half = m.but(dram_kilocycle=m["dram_kilocycle"] // 2)
>>> half.gemm(64, 8192, 8192).ns > m.gemm(64, 8192, 8192).ns
True
"""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._json import Value, call
from ._lib import cstring, lib
from .errors import Error
from .pipe import PipeLike

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .planner import AttentionFields, GemmFields

__all__ = ["Fact", "Form", "Machine", "PipeTime", "Time"]


class Fact(NamedTuple):
    """A number: measured, documented or reckoned, and by whom; given: a caller's."""

    value: int
    basis: str
    source: str


class Form(NamedTuple):
    """What an instruction costs: thousandths of a cycle in which `units` of a unit are taken, and the cycles to its result, if known."""

    op: str
    type: Optional[str]
    shape: Tuple[int, ...]
    unit: str
    units: int
    occupancy_milli: int
    latency: Optional[int]
    basis: str
    source: str


class PipeTime(NamedTuple):
    """How long a block runs a pipe: `interval` is what one trip more takes, `bound` the unit that is busy the longest in it, `busy` the
    cycles of each; `not_measured` has what was reckoned with that was not measured."""

    cycles: int
    interval: Optional[int]
    bound: Optional[str]
    busy: Mapping[str, int]
    not_measured: Tuple[str, ...]


class Time(NamedTuple):
    """How long a kernel runs: waves of blocks, cycles of a tile and of a trip of its loop, those of DRAM, and what bounds it."""

    ns: int
    cycles: int
    waves: int
    tile_cycles: int
    trip_cycles: int
    dram_cycles: int
    bound: str
    not_measured: Tuple[str, ...]


def _names() -> Iterator[str]:
    i = 0
    while True:
        name = lib.zlay_machine_fact_name(i)
        if not name:
            return
        yield cstring(name)
        i += 1


def _whole(of: Mapping[str, Any]) -> Tuple[str, ...]:
    return tuple(map(str, (*of["not_measured"], *of["ops_not_measured"])))


def _time(of: Mapping[str, Any]) -> Time:
    return Time(of["ns"], of["cycles"], of["waves"], of["tile_cycles"], of["trip_cycles"], of["dram_cycles"], of["bound"], _whole(of))


class Machine(Mapping[str, int]):
    """The numbers of a target by their names, as "clock_khz"; what is not known is not there. Immutable: `but` makes another."""

    def __init__(self, target: str) -> None:
        self.target = target
        #: As docs/batch.md describes machine.info.
        self.raw: Mapping[str, Any] = call("machine.info", target=target)
        self._given: Dict[str, int] = {}

    @functools.cached_property
    def facts(self) -> Mapping[str, Fact]:
        """The numbers with their bases and sources."""
        rows = {name: Fact(of["value"], of["basis"], of["source"]) for name, of in self.raw["facts"].items()}
        return {**rows, **{name: Fact(value, "given", "") for name, value in self._given.items()}}

    @functools.cached_property
    def units(self) -> Mapping[str, Fact]:
        """How many units of each kind a processor has."""
        return {name: Fact(of["value"], of["basis"], of["source"]) for name, of in self.raw["units"].items()}

    @functools.cached_property
    def forms(self) -> Tuple[Form, ...]:
        """What instructions cost."""
        return tuple(Form(of["op"], of.get("type"), tuple(of["shape"]), of["unit"], of["units"], of["occupancy_milli"], of.get("latency"),
                          of["basis"], of["source"]) for of in self.raw["forms"])

    def __getitem__(self, name: str) -> int:
        return self.facts[name].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def but(self, **facts: int) -> Machine:
        """The same machine with other numbers, which may be such as the target lacks."""
        known = tuple(_names())
        for name in facts:
            if name not in known:
                raise Error("EINVAL", f"a machine has no number '{name}'; it has {', '.join(known)}")
        other = Machine.__new__(Machine)
        other.target, other.raw, other._given = self.target, self.raw, {**self._given, **facts}
        return other

    def cycles(self, pipe: PipeLike, params: Optional[Mapping[str, int]] = None, *, products: Sequence[Mapping[str, Value]] = (),
               share_kilocycle: Optional[int] = None, steady: Optional[str] = None) -> PipeTime:
        """How long a block runs a pipe; `products` say what each mma is, `share_kilocycle` the block's share of L2, and `steady` which
        param's trips the interval is of. ProvedNone names a number that the machine lacks.

        >>> import zlay
        >>> ring = '''pipe ring
        ... param N 0..
        ... smem A[2] 16384
        ... bar full[2] count 1
        ... bar empty[2] count 128
        ... init full
        ... init empty
        ... fence mbarrier_init
        ... sync cta
        ... role p warps 0..0 elect
        ...   for i in 0..N
        ...     wait empty[i % 2] parity (i / 2 + 1) % 2
        ...     expect full[i % 2] 16384
        ...     arrive full[i % 2]
        ...     copy tensor 16384 -> A[i % 2] signal full[i % 2]
        ...   end
        ... end
        ... role c warps 1..4
        ...   for i in 0..N
        ...     wait full[i % 2] parity i / 2 % 2
        ...     read A[i % 2]
        ...     arrive empty[i % 2] threads
        ...   end
        ... end
        ... '''
        >>> m = zlay.Machine("sm_90a")
        >>> m.but(copy_kilocycle=16000).cycles(ring, {"N": 64}).interval > m.cycles(ring, {"N": 64}).interval
        True
        """
        of = call("pipe.cycles", target=self.target, pipe=pipe, params=params, products=list(products) or None, facts=self._given or None,
                  share_kilocycle=share_kilocycle, steady=steady)
        return PipeTime(of["cycles"], of.get("interval"), of.get("bound"), of["busy"], _whole(of))

    def gemm(self, m: int, n: int, k: int, **fields: Unpack[GemmFields]) -> Time:
        """How long the kernel of `zlay.plan.gemm` runs."""
        return _time(call("gemm.cycles", target=self.target, m=m, n=n, k=k, facts=self._given or None, **fields))

    def attention(self, head: int, queries: int, keys: int, **fields: Unpack[AttentionFields]) -> Time:
        """How long the kernel of `zlay.plan.attention` runs."""
        return _time(call("attention.cycles", target=self.target, head=head, queries=queries, keys=keys, facts=self._given or None, **fields))

    def __repr__(self) -> str:
        return f"<zlay.Machine {self.target}: {len(self)} numbers, {len(self.raw['forms'])} instructions>"
