# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `region.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Number, Value, call as _call

__all__ = ["check", "cover"]


def check(rows: Value, tiles: Sequence[Mapping[str, Value]], parts: Sequence[Mapping[str, Value]], *,
        columns: Optional[Value] = None, depth: Optional[Number] = None, row_bytes: Optional[Number] = None,
        column_bytes: Optional[Number] = None, cell_bytes: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Whether parts of ragged groups, from any plan, are disjoint and cover them, or a cell that shows that they do
    not; what they compute and load, and how much of that is wasted."""
    return _call("region.check", rows=rows, tiles=tiles, parts=parts, columns=columns, depth=depth,
        row_bytes=row_bytes, column_bytes=column_bytes, cell_bytes=cell_bytes, limits=limits)


def cover(rows: Value, tiles: Sequence[Mapping[str, Value]], *, columns: Optional[Value] = None,
        depth: Optional[Number] = None, row_bytes: Optional[Number] = None, column_bytes: Optional[Number] = None,
        cell_bytes: Optional[Number] = None, each: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Groups of different sizes, covered by tiles at the least waste, or cost, then in the fewest pieces; rows and
    columns are {lengths} or {offsets}, if wanted with extent, align and read_on, or one extent of all groups; with
    each, every piece is listed."""
    return _call("region.cover", rows=rows, tiles=tiles, columns=columns, depth=depth, row_bytes=row_bytes,
        column_bytes=column_bytes, cell_bytes=cell_bytes, each=each, limits=limits)
