# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `convert.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, call as _call
from ..layout import Layout, LayoutLike

__all__ = ["synth"]


def synth(target: str, elem_bits: Number, src: LayoutLike, dst: LayoutLike, *, smem: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The plan of least cost that takes registers of one distributed layout to another's: renaming, byte permutes,
    shuffles, or a round trip through shared memory."""
    return _call("convert.synth", target=target, elem_bits=elem_bits, src=src, dst=dst, smem=smem, limits=limits)
