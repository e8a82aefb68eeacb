# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `swizzle.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Number, Value, call as _call
from ..layout import Layout, LayoutLike

__all__ = ["normal", "synth"]


def normal(layout: LayoutLike, *, elem_bits: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The swizzles [bits, base, shift] that a layout contains on its offsets and its indices, the permutation of
    bits that is left, and which swizzle of tensor copies it is."""
    return _call("swizzle.normal", layout=layout, elem_bits=elem_bits, limits=limits)


def synth(target: str, elem_bits: Number, shape: Value, accesses: Sequence[Mapping[str, Value]], *,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Where a tile's elements lie in shared memory so that its accesses take the fewest wavefronts, then the least
    room; whether tensor copies write it and matrix instructions read it."""
    return _call("swizzle.synth", target=target, elem_bits=elem_bits, shape=shape, accesses=accesses, limits=limits)
