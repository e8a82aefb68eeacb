# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `tiling.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Integers, Number, Value, call as _call

__all__ = ["check", "cover"]


def check(tiles: Sequence[Mapping[str, Value]], each: Sequence[Mapping[str, Value]], *,
        bands: Optional[Sequence[Mapping[str, Value]]] = None, lengths: Optional[Integers] = None,
        depth: Optional[Number] = None, row_bytes: Optional[Number] = None, column_bytes: Optional[Number] = None,
        cell_bytes: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """Whether tiles, from any plan, overlap nowhere and cover rows of different widths, or a cell that shows that
    they do not; what they compute and load, and how much of that is wasted."""
    return _call("tiling.check", tiles=tiles, each=each, bands=bands, lengths=lengths, depth=depth,
        row_bytes=row_bytes, column_bytes=column_bytes, cell_bytes=cell_bytes, limits=limits)


def cover(tiles: Sequence[Mapping[str, Value]], *, bands: Optional[Sequence[Mapping[str, Value]]] = None,
        lengths: Optional[Integers] = None, depth: Optional[Number] = None, row_bytes: Optional[Number] = None,
        column_bytes: Optional[Number] = None, cell_bytes: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Rows of different widths (lengths, or bands {rows, end}, if wanted with begin, begin_step, end_step, columns
    and group: causal masks, windows), covered by tiles {rows, columns} that do not overlap, at multiples of
    row_step and column_step or of their own size: the least waste, or cost, then the fewest pieces."""
    return _call("tiling.cover", tiles=tiles, bands=bands, lengths=lengths, depth=depth, row_bytes=row_bytes,
        column_bytes=column_bytes, cell_bytes=cell_bytes, limits=limits)
