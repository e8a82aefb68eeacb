# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `fragment.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, call as _call
from ..layout import Layout, LayoutLike

__all__ = ["synth"]


def synth(layout: LayoutLike, *, bits: Optional[Number] = None, order: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Which operands in registers a layout (thread, value) -> (row, column) is: of wgmma, mma.sync, mfma, ldmatrix
    and stmatrix; order: value where values are the minor coordinate."""
    return _call("fragment.synth", layout=layout, bits=bits, order=order, limits=limits)
