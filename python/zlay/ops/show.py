# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `show.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, call as _call
from ..layout import Layout, LayoutLike

__all__ = ["layout"]


def layout(layout: LayoutLike, *, labels: Optional[Number] = None, rows: Optional[Number] = None,
        columns: Optional[Number] = None, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of a layout: the value of each coordinate, or, of a layout from threads and values to elements of
    rows x columns (labels: holders), the thread that holds each element."""
    return _call("show.layout", layout=layout, labels=labels, rows=rows, columns=columns, form=form, width=width,
        colour=colour, limits=limits)
