# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `variants.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Integers, Number, Value, call as _call

__all__ = ["choose", "gemm", "tile"]


def choose(unknowns: Sequence[str], shapes: Sequence[Value], variants: Sequence[Mapping[str, Value]], *,
        facts: Optional[Sequence[str]] = None, weights: Optional[Integers] = None, most: Optional[Number] = None,
        bound: Optional[Number] = None, percent: Optional[Number] = None, name: Optional[str] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The fewest of a kernel's variants ({guard, cost or costs}, if wanted name) within a bound or percent on the
    cost of shapes, or the least cost by most of them; an order in which the first guard that holds wins; that every
    shape of the facts has one; with a name, the selector in C."""
    return _call("variants.choose", unknowns=unknowns, shapes=shapes, variants=variants, facts=facts,
        weights=weights, most=most, bound=bound, percent=percent, name=name, limits=limits)


def gemm(unknowns: Sequence[str], shapes: Sequence[Value], gemm: Mapping[str, Value], *,
        facts: Optional[Sequence[str]] = None, weights: Optional[Integers] = None, most: Optional[Number] = None,
        bound: Optional[Number] = None, percent: Optional[Number] = None, name: Optional[str] = None,
        cost: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of a GEMM (what plan.gemm takes, with unknowns in the place of m, n, k, lda, ldb, ldd) whose
    variants the planner makes: tile, split_k, swap and stream_k, the guard under which it takes them, and what they
    cost: modelled nanoseconds (cost: time) or wasted products and sums (waste)."""
    return _call("variants.gemm", unknowns=unknowns, shapes=shapes, gemm=gemm, facts=facts, weights=weights,
        most=most, bound=bound, percent=percent, name=name, cost=cost, limits=limits)


def tile(unknowns: Sequence[str], shapes: Sequence[Value], tile: Mapping[str, Value], *,
        facts: Optional[Sequence[str]] = None, weights: Optional[Integers] = None, most: Optional[Number] = None,
        bound: Optional[Number] = None, percent: Optional[Number] = None, name: Optional[str] = None,
        threads: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of loads of a tile of a tensor with unknowns (what tensormap.synth takes): tensor copies under their
    guard, copies by threads of each width under theirs, each with its plan, and how many instructions and copies
    the tiles of a shape take."""
    return _call("variants.tile", unknowns=unknowns, shapes=shapes, tile=tile, facts=facts, weights=weights,
        most=most, bound=bound, percent=percent, name=name, threads=threads, limits=limits)
