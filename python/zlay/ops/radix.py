# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `radix.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Value, call as _call

__all__ = ["divmod"]


def divmod(shape: Value, *, range: Optional[Value] = None, name: Optional[str] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """A C function that splits an index of a proved range into the coordinate of a shape, and its multipliers."""
    return _call("radix.divmod", shape=shape, range=range, name=name, limits=limits)
