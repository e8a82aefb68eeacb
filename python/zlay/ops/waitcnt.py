# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `waitcnt.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, call as _call

__all__ = ["pack", "unpack"]


def pack(target: str, *, vmcnt: Optional[Number] = None, expcnt: Optional[Number] = None,
        lgkmcnt: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The operand of s_waitcnt; a counter that is not named is not waited for."""
    return _call("waitcnt.pack", target=target, vmcnt=vmcnt, expcnt=expcnt, lgkmcnt=lgkmcnt, limits=limits)


def unpack(target: str, operand: Number, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The counts that an operand of s_waitcnt waits for."""
    return _call("waitcnt.unpack", target=target, operand=operand, limits=limits)
