# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `pipe.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Number, Value, call as _call
from ..pipe import PipeLike
from ..verdict import Verdict, asked as _asked

__all__ = ["cycles", "fences", "roles", "schedule", "verify"]


def cycles(target: str, pipe: PipeLike, *, params: Optional[Mapping[str, Value]] = None,
        products: Optional[Sequence[Mapping[str, Value]]] = None, facts: Optional[Mapping[str, Value]] = None,
        share_kilocycle: Optional[Number] = None, steady: Optional[str] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """How long a block runs a pipe with these params on a target, by the numbers of machine.info and those of facts
    in their place; products say what each mma is: name of its sums, op, m, n, k, type, count. interval is what one
    trip more of steady adds, bound the unit that is busy the longest in it; none where the machine lacks a
    number."""
    return _call("pipe.cycles", target=target, pipe=pipe, params=params, products=products, facts=facts,
        share_kilocycle=share_kilocycle, steady=steady, limits=limits)


def fences(pipe: PipeLike, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The pipe with the fewest fences inserted with which pipe.verify answers yes, and the lines where they stand;
    none, with the rule that no fence mends."""
    return _call("pipe.fences", pipe=pipe, limits=limits)


def roles(target: str, program: str, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The proved pipe of a tile program, one loop of operations on tiles: which warps do what, in which order, and
    the barriers between them."""
    return _call("pipe.roles", target=target, program=program, limits=limits)


def schedule(ops: Sequence[Mapping[str, Value]], edges: Sequence[Mapping[str, Value]], units: Mapping[str, Value],
        *, values: Optional[Sequence[Mapping[str, Value]]] = None, capacity: Optional[Mapping[str, Value]] = None,
        copies: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """When each operation of a loop starts, so that a new iteration begins every ii cycles, the fewest that units,
    edges and capacities allow, then in the fewest stages; bound is proved. None: a cycle of edges without distance,
    a unit of which there are 0, or the least capacity that will do."""
    return _call("pipe.schedule", ops=ops, edges=edges, units=units, values=values, capacity=capacity, copies=copies,
        limits=limits)


def verify(pipe: PipeLike, *, proof: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether a pipe is correct for every trip count; with proof: true the proof's text, or the run that ends in
    the fault."""
    return _asked("pipe.verify", pipe=pipe, proof=proof, limits=limits)
