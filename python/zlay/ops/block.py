# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `block.*` of docs/batch.md."""
from __future__ import annotations

from typing import Mapping, Optional

from .._json import Integers, Number
from ..verdict import Verdict, asked as _asked

__all__ = ["check"]


def check(target: str, threads: Number, *, registers: Optional[Number] = None, smem_static: Optional[Number] = None,
        smem_dynamic: Optional[Number] = None, cluster: Optional[Integers] = None, grid: Optional[Integers] = None,
        setmaxnreg: Optional[Integers] = None, warps: Optional[Integers] = None,
        non_portable: Optional[bool] = None, fixed: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether a block may be launched: threads, registers, shared memory, cluster, and what setmaxnreg asks of each
    warpgroup."""
    return _asked("block.check", target=target, threads=threads, registers=registers, smem_static=smem_static,
        smem_dynamic=smem_dynamic, cluster=cluster, grid=grid, setmaxnreg=setmaxnreg, warps=warps,
        non_portable=non_portable, fixed=fixed, limits=limits)
