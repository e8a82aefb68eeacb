# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `instruction.*` of docs/batch.md."""
from __future__ import annotations

from typing import Mapping, Optional

from .._json import Number, Value
from ..verdict import Verdict, asked as _asked

__all__ = ["check"]


def check(target: str, instruction: str, *, ptx: Optional[Value] = None, bytes: Optional[Number] = None,
        groups: Optional[Number] = None, count: Optional[Number] = None, expect: Optional[Number] = None,
        parity: Optional[Number] = None, barrier: Optional[Number] = None, threads: Optional[Number] = None,
        registers: Optional[Number] = None, cta_mask: Optional[Number] = None, ord: Optional[Number] = None,
        value: Optional[Number] = None, taken: Optional[Number] = None, size: Optional[Number] = None,
        columns: Optional[Number] = None, offset: Optional[Number] = None, scale: Optional[Number] = None,
        data: Optional[Number] = None, data1: Optional[Number] = None, address: Optional[Number] = None,
        resource: Optional[Number] = None, soffset: Optional[Number] = None, saddr: Optional[Number] = None,
        offset0: Optional[Number] = None, offset1: Optional[Number] = None, group0: Optional[Number] = None,
        group1: Optional[Number] = None, group2: Optional[Number] = None, group3: Optional[Number] = None,
        vmcnt: Optional[Number] = None, expcnt: Optional[Number] = None, lgkmcnt: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether an instruction form exists on a target and in a PTX version, and its constants are in range."""
    return _asked("instruction.check", target=target, instruction=instruction, ptx=ptx, bytes=bytes, groups=groups,
        count=count, expect=expect, parity=parity, barrier=barrier, threads=threads,
        registers=registers, cta_mask=cta_mask, ord=ord, value=value, taken=taken, size=size,
        columns=columns, offset=offset, scale=scale, data=data, data1=data1, address=address,
        resource=resource, soffset=soffset, saddr=saddr, offset0=offset0, offset1=offset1,
        group0=group0, group1=group1, group2=group2, group3=group3, vmcnt=vmcnt, expcnt=expcnt,
        lgkmcnt=lgkmcnt, limits=limits)
