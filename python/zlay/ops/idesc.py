# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `idesc.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, call as _call
from ..verdict import Verdict, asked as _asked

__all__ = ["check", "pack", "unpack"]


def check(target: str, kind: Number, desc: Number, *, limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether an instruction descriptor, given as its 32 bits, is legal on a target."""
    return _asked("idesc.check", target=target, kind=kind, desc=desc, limits=limits)


def pack(kind: Number, a: Number, b: Number, d: Number, m: Number, n: Number, *, target: Optional[str] = None,
        a_major: Optional[Number] = None, b_major: Optional[Number] = None, sparse: Optional[Number] = None,
        sparse_id: Optional[Number] = None, negate_a: Optional[Number] = None, negate_b: Optional[Number] = None,
        saturate: Optional[Number] = None, max_shift: Optional[Number] = None, scale_type: Optional[Number] = None,
        sf_a_id: Optional[Number] = None, sf_b_id: Optional[Number] = None, k: Optional[Number] = None,
        reserved: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The 32 bits of a tcgen05 instruction descriptor: whatever fits its bits, legal or not."""
    return _call("idesc.pack", kind=kind, a=a, b=b, d=d, m=m, n=n, target=target, a_major=a_major, b_major=b_major,
        sparse=sparse, sparse_id=sparse_id, negate_a=negate_a, negate_b=negate_b, saturate=saturate,
        max_shift=max_shift, scale_type=scale_type, sf_a_id=sf_a_id, sf_b_id=sf_b_id, k=k,
        reserved=reserved, limits=limits)


def unpack(kind: Number, desc: Number, *, target: Optional[str] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The fields of an instruction descriptor, and in reserved the bits that are set and must not be."""
    return _call("idesc.unpack", kind=kind, desc=desc, target=target, limits=limits)
