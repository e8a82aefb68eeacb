# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `smemdesc.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Integers, Number, call as _call
from ..layout import Layout, LayoutLike
from ..verdict import Verdict, asked as _asked
from ._answers import layout as _layout

__all__ = ["advance", "check", "layout", "pack", "synth", "unpack"]


def advance(target: str, type: Number, major: Number, start: Number, lbo: Number, sbo: Number, swizzle: Number,
        mn: Number, k: Number, at: Integers, *, base_offset: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> int:
    """By how much the start of a descriptor grows so that the same instruction reads from coordinate at on."""
    return int(_call("smemdesc.advance", target=target, type=type, major=major, start=start, lbo=lbo, sbo=sbo,
        swizzle=swizzle, mn=mn, k=k, at=at, base_offset=base_offset, limits=limits))


def check(target: str, desc: Number, *, limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether a matrix descriptor, given as its 64 bits, is legal on a target."""
    return _asked("smemdesc.check", target=target, desc=desc, limits=limits)


def layout(target: str, type: Number, major: Number, start: Number, lbo: Number, sbo: Number, swizzle: Number,
        mn: Number, k: Number, *, base_offset: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """What a matrix descriptor reads: (MN, K) coordinate -> shared address in bytes, swizzle and base offset
    included."""
    return _layout("smemdesc.layout", target=target, type=type, major=major, start=start, lbo=lbo, sbo=sbo,
        swizzle=swizzle, mn=mn, k=k, base_offset=base_offset, limits=limits)


def pack(target: str, start: Number, lbo: Number, sbo: Number, swizzle: Number, *,
        base_offset: Optional[Number] = None, lbo_mode: Optional[Number] = None, reserved: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The 64 bits of a wgmma shared-memory matrix descriptor; start, lbo and sbo in bytes."""
    return _call("smemdesc.pack", target=target, start=start, lbo=lbo, sbo=sbo, swizzle=swizzle,
        base_offset=base_offset, lbo_mode=lbo_mode, reserved=reserved, limits=limits)


def synth(target: str, type: Number, major: Number, layout: LayoutLike, mma: Integers, address: Number, *,
        swizzle: Optional[Number] = None, pattern: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The descriptors that read a shared layout, one an instruction; lbo and sbo in 16-byte units, null where
    ignored."""
    return _call("smemdesc.synth", target=target, type=type, major=major, layout=layout, mma=mma, address=address,
        swizzle=swizzle, pattern=pattern, limits=limits)


def unpack(target: str, desc: Number, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The fields of a matrix descriptor, and in reserved the bits that are set and must not be."""
    return _call("smemdesc.unpack", target=target, desc=desc, limits=limits)
