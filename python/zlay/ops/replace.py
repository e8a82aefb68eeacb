# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `replace.*` of docs/batch.md."""
from __future__ import annotations

from typing import Mapping, Optional

from .._json import Number
from ..verdict import Verdict, asked as _asked

__all__ = ["check"]


def check(target: str, field: Number, value: Number, *, ord: Optional[Number] = None,
        fence: Optional[Number] = None, released: Optional[bool] = None, acquired: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether tensormap.replace takes a field and value there, and the fences that must follow it."""
    return _asked("replace.check", target=target, field=field, value=value, ord=ord, fence=fence, released=released,
        acquired=acquired, limits=limits)
