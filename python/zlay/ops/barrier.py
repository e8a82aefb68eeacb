# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `barrier.*` of docs/batch.md."""
from __future__ import annotations

from typing import Mapping, Optional

from .._json import Number
from ..verdict import Verdict, asked as _asked

__all__ = ["check"]


def check(target: str, barrier: Number, *, space: Optional[Number] = None, sem: Optional[Number] = None,
        scope: Optional[Number] = None, address: Optional[Number] = None, count: Optional[Number] = None,
        bytes: Optional[Number] = None, pending: Optional[Number] = None, tx: Optional[Number] = None,
        parity: Optional[Number] = None, phase: Optional[Number] = None, waited: Optional[Number] = None,
        name: Optional[Number] = None, state: Optional[bool] = None, remote: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether an operation on an mbarrier, a group of copies or a named barrier is legal in the state that it
    meets."""
    return _asked("barrier.check", target=target, barrier=barrier, space=space, sem=sem, scope=scope, address=address,
        count=count, bytes=bytes, pending=pending, tx=tx, parity=parity, phase=phase, waited=waited,
        name=name, state=state, remote=remote, limits=limits)
