# SPDX-License-Identifier: Apache-2.0
"""Candidates: all that the planner chooses from, each with its modelled time, and the bound below which no plan comes (docs/tuning.md).

>>> import zlay
>>> c = zlay.plan.candidates("sm_90a", 96, 7168, 6144, swap="auto", multicast="auto", stream_k="auto", split_k="auto")
>>> c[0].fields["tile"], c[0].ns <= c[1].ns, c.bound.ns < c[0].ns
((64, 96, 64), True, True)
>>> c[0].plan().tile
(64, 96, 64)
"""
from __future__ import annotations

from typing import Any, Callable, Generic, Iterator, Mapping, NamedTuple, Optional, Tuple, TypeVar

from ._lib import context, fail, ffi, lib
from .attention import Attention, attention_request
from .plans import Plan, request
from .tensormap import target_of

__all__ = ["AttentionCandidate", "Candidates", "GemmCandidate", "Roofline"]

_MULTICAST = {lib.ZLAY_MULTICAST_NONE: "none", lib.ZLAY_MULTICAST_A: "a", lib.ZLAY_MULTICAST_B: "b"}
_OVERLAP = {lib.ZLAY_OVERLAP_NEVER: "never", lib.ZLAY_OVERLAP_ALWAYS: "always"}


class Roofline(NamedTuple):
    """Nanoseconds below which nothing computes a request by the rates of the machine: the greatest of products, exponents and bytes."""

    ns: int
    products: int
    exponents: int
    bytes: int
    products_ns: int
    exponents_ns: int
    bytes_ns: int


class GemmCandidate(NamedTuple):
    """A way to plan a GEMM: `fields` of `zlay.plan`, stages, bytes of a block, blocks that have work, modelled nanoseconds (0: no model) and what these consist of."""

    fields: Mapping[str, Any]
    stages: int
    smem: int
    blocks: int
    ns: int
    terms: Mapping[str, int]
    asked: Tuple[str, Mapping[str, Any]]

    def plan(self) -> Plan:
        """The plan."""
        return Plan(self.asked[0], **{**self.asked[1], **self.fields})


class AttentionCandidate(NamedTuple):
    """A way to plan attention: `fields` of `zlay.plan.attention`, bytes of a block, registers of a thread, blocks, modelled nanoseconds and what these consist of."""

    fields: Mapping[str, Any]
    smem: int
    registers: int
    blocks: int
    ns: int
    terms: Mapping[str, int]
    asked: Tuple[str, Mapping[str, Any]]

    def plan(self) -> Attention:
        """The plan."""
        return Attention(self.asked[0], **{**self.asked[1], **self.fields})


_C = TypeVar("_C")


class Candidates(Generic[_C]):
    """Candidates, of which the first is what is planned; `bound` is None where the machine's rates, or the sizes, are not known."""

    def __init__(self, each: Tuple[_C, ...], bound: Optional[Roofline]) -> None:
        self._each: Tuple[_C, ...] = each
        self.bound = bound

    def __len__(self) -> int:
        return len(self._each)

    def __getitem__(self, place: int) -> _C:
        return self._each[place]

    def __iter__(self) -> Iterator[_C]:
        return iter(self._each)

    def __repr__(self) -> str:
        return f"<{len(self)} candidates{f', none below {self.bound.ns} ns' if self.bound else ''}>"


def _listed(kind: str, function: Callable[..., int], target: str, ask: Any) -> Any:
    count = ffi.new("size_t *")
    status = function(context(), ffi.NULL, 0, count, target_of(target), ask)
    if status:
        raise fail(status)
    each = ffi.new(f"{kind}[]", count[0])
    status = function(context(), each, count[0], count, target_of(target), ask)
    if status:
        raise fail(status)
    return each


def _terms(terms: Any) -> Mapping[str, int]:
    return {name: int(getattr(terms, name)) for name, _ in ffi.typeof(terms).fields}


def _bound(function: Callable[..., int], target: str, ask: Any) -> Optional[Roofline]:
    machine, out = ffi.new("zlay_machine *"), ffi.new("zlay_roofline *")
    if lib.zlay_machine_find(machine, target_of(target)):
        return None
    status = function(context(), out, machine, ask)
    if status == lib.ZLAY_NONE:
        return None
    if status:
        raise fail(status)
    return Roofline(**{name: int(getattr(out, name)) for name in Roofline._fields})


def gemm(target: str, fields: Mapping[str, Any]) -> Candidates[GemmCandidate]:
    """Those of a GEMM."""
    ask, text = request(fields)
    each = _listed("zlay_gemm_candidate", lib.zlay_gemm_candidates, target, ask)
    bound = _bound(lib.zlay_gemm_bound, target, ask)
    ffi.release(text)
    asked = (target, {name: value for name, value in fields.items() if name not in ("tile_m", "tile_n", "tile_k")})

    def one(c: Any) -> GemmCandidate:
        g = c.gemm
        chosen = {"tile": (g.tile_m, g.tile_n, g.tile_k), "multicast": _MULTICAST[g.multicast],
                  "swap": "always" if g.swap == lib.ZLAY_SWAP_ALWAYS else "never",
                  "stream_k": "always" if g.stream_k == lib.ZLAY_STREAM_ALWAYS else "never", "split_k": int(g.split_k) or 1}
        return GemmCandidate(chosen, int(c.stages), int(c.smem), int(c.blocks), int(c.ns), _terms(c.terms), asked)

    return Candidates(tuple(one(c) for c in each), bound)


def attention(target: str, fields: Mapping[str, Any]) -> Candidates[AttentionCandidate]:
    """Those of attention."""
    ask = attention_request(fields)
    each = _listed("zlay_attention_candidate", lib.zlay_attention_candidates, target, ask)
    asked = (target, {name: value for name, value in fields.items() if name not in ("tile_m", "tile_n")})

    def one(c: Any) -> AttentionCandidate:
        a = c.attention
        chosen = {"tile": (a.tile_m, a.tile_n), "stages": int(a.stages), "overlap": _OVERLAP.get(a.overlap, "auto")}
        return AttentionCandidate(chosen, int(c.smem), int(c.registers), int(c.blocks), int(c.ns), _terms(c.terms), asked)

    return Candidates(tuple(one(c) for c in each), _bound(lib.zlay_attention_bound, target, ask))
