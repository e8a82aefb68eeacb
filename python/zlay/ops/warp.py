# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `warp.*` of docs/batch.md."""
from __future__ import annotations

from typing import Mapping, Optional

from .._json import Number
from ..layout import Layout
from ._answers import layout as _layout

__all__ = ["fragment"]


def fragment(fragment: Number, bits: Number, registers: Number, *,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """Which elements a lane holds around mma.sync m16n8 (A, B, D), ldmatrix and stmatrix (matrices, transposed), as
    (lane, value)."""
    return _layout("warp.fragment", fragment=fragment, bits=bits, registers=registers, limits=limits)
