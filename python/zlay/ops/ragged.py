# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `ragged.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Integers, Number, Value, call as _call

__all__ = ["choose", "map", "pool"]


def choose(target: str, type: Number, dim: Number, address: Number, extent: Integers, stride: Integers,
        box: Integers, groups: Number, count: Number, *, swizzle: Optional[Number] = None,
        copies: Optional[Number] = None, base: Optional[Number] = None, boxes: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Which tensor maps serve a ragged tensor of which a block moves count tiles of some groups: one that wraps
    around, a pool with lower boxes, or one edited for each group; what each takes, and which rule forbids the
    others."""
    return _call("ragged.choose", target=target, type=type, dim=dim, address=address, extent=extent, stride=stride,
        box=box, groups=groups, count=count, swizzle=swizzle, copies=copies, base=base, boxes=boxes,
        limits=limits)


def map(target: str, type: Number, dim: Number, address: Number, extent: Integers, stride: Integers, box: Integers,
        *, swizzle: Optional[Number] = None, copies: Optional[Number] = None, base: Optional[Number] = None,
        tiles: Optional[Sequence[Mapping[str, Value]]] = None, name: Optional[str] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """One tensor map whose bounds check cuts every group of a ragged tensor, whatever its offset and length; the
    coordinates of tiles {copy, offset, length, at}; with a name, the function of C that computes them."""
    return _call("ragged.map", target=target, type=type, dim=dim, address=address, extent=extent, stride=stride,
        box=box, swizzle=swizzle, copies=copies, base=base, tiles=tiles, name=name, limits=limits)


def pool(tails: Value, boxes: Number, *, maps: Optional[Number] = None, unit: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The fewest heights of boxes of which every tail of a group, a list of rows or all below a number, is a sum of
    at most so many boxes; or, with boxes 0, the fewest boxes for so many maps. Each valid row is in one box, and no
    other."""
    return _call("ragged.pool", tails=tails, boxes=boxes, maps=maps, unit=unit, limits=limits)
