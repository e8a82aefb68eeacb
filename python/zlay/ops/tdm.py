# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `tdm.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Integers, Number, call as _call
from ..verdict import Verdict, asked as _asked

__all__ = ["check", "pack", "unpack"]


def check(target: str, address: Number, extent: Integers, tile: Integers, lds: Number, *,
        stride: Optional[Integers] = None, global_step: Optional[Number] = None, row: Optional[Integers] = None,
        other: Optional[Integers] = None, rank: Optional[Number] = None, element: Optional[Number] = None,
        store: Optional[Number] = None, pad: Optional[Number] = None, mask: Optional[Number] = None,
        early: Optional[Number] = None, barrier: Optional[Number] = None, pad_interval: Optional[Number] = None,
        pad_amount: Optional[Number] = None, iterate: Optional[Number] = None, lds_step: Optional[Number] = None,
        repeats: Optional[Number] = None, barrier_at: Optional[Number] = None, gather: Optional[Number] = None,
        index32: Optional[Number] = None, count: Optional[Number] = None, type: Optional[Number] = None,
        restore: Optional[Number] = None, store_bit: Optional[Number] = None, nv: Optional[Number] = None,
        scope: Optional[Number] = None, th: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether a tensor descriptor is what published encoders keep to; undecided where they differ, and conflict
    names them."""
    return _asked("tdm.check", target=target, address=address, extent=extent, tile=tile, lds=lds, stride=stride,
        global_step=global_step, row=row, other=other, rank=rank, element=element, store=store,
        pad=pad, mask=mask, early=early, barrier=barrier, pad_interval=pad_interval,
        pad_amount=pad_amount, iterate=iterate, lds_step=lds_step, repeats=repeats,
        barrier_at=barrier_at, gather=gather, index32=index32, count=count, type=type,
        restore=restore, store_bit=store_bit, nv=nv, scope=scope, th=th, limits=limits)


def pack(target: str, address: Number, extent: Integers, tile: Integers, lds: Number, *,
        stride: Optional[Integers] = None, global_step: Optional[Number] = None, row: Optional[Integers] = None,
        other: Optional[Integers] = None, rank: Optional[Number] = None, element: Optional[Number] = None,
        store: Optional[Number] = None, pad: Optional[Number] = None, mask: Optional[Number] = None,
        early: Optional[Number] = None, barrier: Optional[Number] = None, pad_interval: Optional[Number] = None,
        pad_amount: Optional[Number] = None, iterate: Optional[Number] = None, lds_step: Optional[Number] = None,
        repeats: Optional[Number] = None, barrier_at: Optional[Number] = None, gather: Optional[Number] = None,
        index32: Optional[Number] = None, count: Optional[Number] = None, type: Optional[Number] = None,
        restore: Optional[Number] = None, store_bit: Optional[Number] = None, nv: Optional[Number] = None,
        scope: Optional[Number] = None, th: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The groups of SGPRs of a tensor descriptor of gfx1250, the first word last; two where nothing is in the
    others."""
    return _call("tdm.pack", target=target, address=address, extent=extent, tile=tile, lds=lds, stride=stride,
        global_step=global_step, row=row, other=other, rank=rank, element=element, store=store,
        pad=pad, mask=mask, early=early, barrier=barrier, pad_interval=pad_interval,
        pad_amount=pad_amount, iterate=iterate, lds_step=lds_step, repeats=repeats,
        barrier_at=barrier_at, gather=gather, index32=index32, count=count, type=type,
        restore=restore, store_bit=store_bit, nv=nv, scope=scope, th=th, limits=limits)


def unpack(target: str, groups: Sequence[str], *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The fields of a tensor descriptor given as two groups of SGPRs or four, and in other the bits that no field
    has."""
    return _call("tdm.unpack", target=target, groups=groups, limits=limits)
