# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `bank.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, Value, call as _call

__all__ = ["count"]


def count(target: str, instruction: str, addresses: Value, *, offset0: Optional[Number] = None,
        offset1: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The wavefronts of one warp-wide shared-memory access, and the least that its active lanes can give."""
    return _call("bank.count", target=target, instruction=instruction, addresses=addresses, offset0=offset0,
        offset1=offset1, limits=limits)
