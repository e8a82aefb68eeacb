# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `buffer.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, call as _call
from ..verdict import Verdict, asked as _asked

__all__ = ["check", "pack", "reach", "unpack"]


def check(target: str, base: Number, records: Number, *, stride: Optional[Number] = None,
        swizzle: Optional[Number] = None, cache_swizzle: Optional[Number] = None,
        index_stride: Optional[Number] = None, add_tid: Optional[Number] = None, dst_sel: Optional[Number] = None,
        num_format: Optional[Number] = None, data_format: Optional[Number] = None, user_vm: Optional[Number] = None,
        nv: Optional[Number] = None, flags: Optional[Number] = None, type: Optional[Number] = None,
        other: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether a buffer resource is legal; where published sources differ, and where kernels keep to less, it says
    so and refuses nothing."""
    return _asked("buffer.check", target=target, base=base, records=records, stride=stride, swizzle=swizzle,
        cache_swizzle=cache_swizzle, index_stride=index_stride, add_tid=add_tid, dst_sel=dst_sel,
        num_format=num_format, data_format=data_format, user_vm=user_vm, nv=nv, flags=flags,
        type=type, other=other, limits=limits)


def pack(target: str, base: Number, records: Number, *, stride: Optional[Number] = None,
        swizzle: Optional[Number] = None, cache_swizzle: Optional[Number] = None,
        index_stride: Optional[Number] = None, add_tid: Optional[Number] = None, dst_sel: Optional[Number] = None,
        num_format: Optional[Number] = None, data_format: Optional[Number] = None, user_vm: Optional[Number] = None,
        nv: Optional[Number] = None, flags: Optional[Number] = None, type: Optional[Number] = None,
        other: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The 128 bits of a buffer resource of gfx targets, the word at the lowest address last."""
    return _call("buffer.pack", target=target, base=base, records=records, stride=stride, swizzle=swizzle,
        cache_swizzle=cache_swizzle, index_stride=index_stride, add_tid=add_tid, dst_sel=dst_sel,
        num_format=num_format, data_format=data_format, user_vm=user_vm, nv=nv, flags=flags,
        type=type, other=other, limits=limits)


def reach(target: str, base: Number, records: Number, bytes: Number, *, stride: Optional[Number] = None,
        swizzle: Optional[Number] = None, cache_swizzle: Optional[Number] = None,
        index_stride: Optional[Number] = None, add_tid: Optional[Number] = None, dst_sel: Optional[Number] = None,
        num_format: Optional[Number] = None, data_format: Optional[Number] = None, user_vm: Optional[Number] = None,
        nv: Optional[Number] = None, flags: Optional[Number] = None, type: Optional[Number] = None,
        other: Optional[Number] = None, index: Optional[Number] = None, offset: Optional[Number] = None,
        imm: Optional[Number] = None, soffset: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """What one lane's access through a buffer reaches: an address, or nothing (a load gives 0, a store is dropped);
    undecided where sources differ."""
    return _call("buffer.reach", target=target, base=base, records=records, bytes=bytes, stride=stride,
        swizzle=swizzle, cache_swizzle=cache_swizzle, index_stride=index_stride, add_tid=add_tid,
        dst_sel=dst_sel, num_format=num_format, data_format=data_format, user_vm=user_vm, nv=nv,
        flags=flags, type=type, other=other, index=index, offset=offset, imm=imm, soffset=soffset,
        limits=limits)


def unpack(target: str, desc: str, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The fields of a buffer resource, and in other the bits that no field has."""
    return _call("buffer.unpack", target=target, desc=desc, limits=limits)
