# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `instruction.*` of docs/batch.md."""
from __future__ import annotations

from typing import Mapping, Optional

from .._json import Value
from ..verdict import Verdict, asked as _asked

__all__ = ["check"]


def check(target: str, instruction: Value, *, ptx: Optional[Value] = None, bytes: Optional[Value] = None,
        groups: Optional[Value] = None, count: Optional[Value] = None, expect: Optional[Value] = None,
        parity: Optional[Value] = None, barrier: Optional[Value] = None, threads: Optional[Value] = None,
        registers: Optional[Value] = None, cta_mask: Optional[Value] = None, ord: Optional[Value] = None,
        value: Optional[Value] = None, taken: Optional[Value] = None, size: Optional[Value] = None,
        columns: Optional[Value] = None, offset: Optional[Value] = None, scale: Optional[Value] = None,
        data: Optional[Value] = None, data1: Optional[Value] = None, address: Optional[Value] = None,
        resource: Optional[Value] = None, soffset: Optional[Value] = None, saddr: Optional[Value] = None,
        offset0: Optional[Value] = None, offset1: Optional[Value] = None, group0: Optional[Value] = None,
        group1: Optional[Value] = None, group2: Optional[Value] = None, group3: Optional[Value] = None,
        vmcnt: Optional[Value] = None, expcnt: Optional[Value] = None, lgkmcnt: Optional[Value] = None,
        limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether an instruction form exists on a target and in a PTX version, and its constants are in range."""
    return _asked("instruction.check", target=target, instruction=instruction, ptx=ptx, bytes=bytes, groups=groups,
        count=count, expect=expect, parity=parity, barrier=barrier, threads=threads,
        registers=registers, cta_mask=cta_mask, ord=ord, value=value, taken=taken, size=size,
        columns=columns, offset=offset, scale=scale, data=data, data1=data1, address=address,
        resource=resource, soffset=soffset, saddr=saddr, offset0=offset0, offset1=offset1,
        group0=group0, group1=group1, group2=group2, group3=group3, vmcnt=vmcnt, expcnt=expcnt,
        lgkmcnt=lgkmcnt, limits=limits)
