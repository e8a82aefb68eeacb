# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `tmem.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Number, Value, call as _call
from ..layout import Layout, LayoutLike
from ..pipe import PipeLike
from ..verdict import Verdict, asked as _asked
from ._answers import layout as _layout

__all__ = ["check", "issue", "layout", "pack", "synth"]


def check(pipe: PipeLike, *, limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether a pipe uses tensor memory correctly for every trip count: columns, lanes, what is allocated, used,
    waited for and freed; each row with its id and source, then what pipe.verify says."""
    return _asked("tmem.check", pipe=pipe, limits=limits)


def issue(target: str, instruction: Number, *, address: Optional[Number] = None, columns: Optional[Number] = None,
        shape: Optional[Number] = None, num: Optional[Number] = None, pack: Optional[Number] = None,
        half_split: Optional[Number] = None, format: Optional[Number] = None, reduce: Optional[Number] = None,
        type: Optional[Number] = None, cta_group: Optional[Number] = None, warp: Optional[Number] = None,
        registers: Optional[Number] = None, base: Optional[Number] = None, allocated: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether one instruction on tensor memory (alloc, dealloc, ld, st, ld.red, cp, shift, or mma with its path and
    N) is legal."""
    return _asked("tmem.issue", target=target, instruction=instruction, address=address, columns=columns, shape=shape,
        num=num, pack=pack, half_split=half_split, format=format, reduce=reduce, type=type,
        cta_group=cta_group, warp=warp, registers=registers, base=base, allocated=allocated,
        limits=limits)


def layout(shape: Number, *, size: Optional[Number] = None, pack: Optional[Number] = None,
        half_split: Optional[Number] = None, factors: Optional[Number] = None, first: Optional[Number] = None,
        address: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Layout:
    """Where a shape of ld, st or cp, an accumulator's path or scale factors lie in tensor memory, as addresses."""
    return _layout("tmem.layout", shape=shape, size=size, pack=pack, half_split=half_split, factors=factors,
        first=first, address=address, limits=limits)


def pack(target: str, buffers: Sequence[Mapping[str, Value]], *, allocations: Optional[Number] = None,
        pair: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """Buffers of tensor memory ({columns, first, last} step, if wanted align, or a fixed offset) packed into the
    fewest columns of one allocation, or of several."""
    return _call("tmem.pack", target=target, buffers=buffers, allocations=allocations, pair=pair, limits=limits)


def synth(layout: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """Which layouts of tensor memory a layout is, as tmem.layout takes them: registers of ld and st, copies of cp,
    paths of accumulators, scale factors."""
    return _call("tmem.synth", layout=layout, limits=limits)
