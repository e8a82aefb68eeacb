# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `hier.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Number, call as _call
from ..layout import Layout, LayoutLike

__all__ = ["level", "normal", "solve"]


def level(a: LayoutLike, b: LayoutLike, levels: Sequence[Sequence[Number]], *,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The least level in whose blocks a conversion stays (null: nothing moves), and a slot with its source that no
    lower one serves."""
    return _call("hier.level", a=a, b=b, levels=levels, limits=limits)


def normal(layout: LayoutLike, levels: Sequence[Sequence[Number]], *,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The permutation at each node of a bijection that keeps every level, equal subtrees shared; or the lowest
    level it crosses."""
    return _call("hier.normal", layout=layout, levels=levels, limits=limits)


def solve(a: LayoutLike, b: LayoutLike, levels: Sequence[Sequence[Number]], *,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The normal form of X with a X = b, or none with the lowest level that X crosses."""
    return _call("hier.solve", a=a, b=b, levels=levels, limits=limits)
