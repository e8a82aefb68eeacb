# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `tensormap.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Integers, Number, Value, call as _call
from ..layout import Layout, LayoutLike
from ..tensormap import MapLike
from ..verdict import Verdict, asked as _asked

__all__ = ["check", "fill", "pack", "repair", "synth", "unpack"]


def check(target: str, map: MapLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether a tensor map is legal: every broken rule with its own repair, and one joint repair in repaired; an
    address, extent, stride or box may be a linear text over names."""
    return _asked("tensormap.check", target=target, map=map, facts=facts, limits=limits)


def fill(target: str, map: MapLike, *, facts: Optional[Sequence[str]] = None,
        values: Optional[Sequence[Mapping[str, Value]]] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """A tensor map of which addresses, extents or strides are linear texts over names, prepared once and filled in
    at each entry {name: integer} of values: its 128 bytes and their key, or the rules that refuse."""
    return _call("tensormap.fill", target=target, map=map, facts=facts, values=values, limits=limits)


def pack(target: str, map: MapLike, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The 128 bytes of a legal tensor map, as 16 words, as the driver named in source writes them."""
    return _call("tensormap.pack", target=target, map=map, limits=limits)


def repair(target: str, map: MapLike, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The legal map nearest to one that is not: same, split in that many issues, bytes in another shared layout, or
    relayout, its rows moved by pitch bytes."""
    return _call("tensormap.repair", target=target, map=map, limits=limits)


def synth(target: str, type: Number, source: LayoutLike, tile: Value, *, smem: Optional[LayoutLike] = None,
        address_align: Optional[Number] = None, swizzle: Optional[Number] = None, edge: Optional[Number] = None,
        direction: Optional[Number] = None, index: Optional[Integers] = None, keep_holes: Optional[bool] = None,
        residual: Optional[bool] = None, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The tensor maps and copies that bring a tile to shared memory, or store it: the fewest copies, then bytes,
    maps, dimensions; or none, with the rule and a byte that none can bring."""
    return _call("tensormap.synth", target=target, type=type, source=source, tile=tile, smem=smem,
        address_align=address_align, swizzle=swizzle, edge=edge, direction=direction, index=index,
        keep_holes=keep_holes, residual=residual, facts=facts, limits=limits)


def unpack(target: str, words: Value, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The parameters that 128 bytes hold as far as they are known from the driver named in source, and the bits
    that no field explains."""
    return _call("tensormap.unpack", target=target, words=words, limits=limits)
