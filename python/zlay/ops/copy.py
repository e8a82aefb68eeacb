# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `copy.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Integers, Number, Value, call as _call
from ..tensormap import MapLike
from ..verdict import Verdict, asked as _asked

__all__ = ["check", "synth"]


def check(target: str, instruction: str, *, map: Optional[MapLike] = None, coordinates: Optional[Integers] = None,
        offsets: Optional[Integers] = None, smem: Optional[Number] = None, expect: Optional[Number] = None,
        barrier: Optional[Number] = None, count: Optional[Number] = None, cta_mask: Optional[Number] = None,
        bytes: Optional[Number] = None, source: Optional[Number] = None, taken: Optional[Number] = None,
        byte_mask: Optional[Number] = None, cluster: Optional[Number] = None, cta: Optional[Number] = None,
        peer: Optional[Number] = None, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether an issued copy is legal: coordinates, addresses, bytes and masks that neither driver nor assembler
    looks at; coordinates, offsets, smem, source, barrier, expect, bytes and count may be linear texts over
    names."""
    return _asked("copy.check", target=target, instruction=instruction, map=map, coordinates=coordinates,
        offsets=offsets, smem=smem, expect=expect, barrier=barrier, count=count, cta_mask=cta_mask,
        bytes=bytes, source=source, taken=taken, byte_mask=byte_mask, cluster=cluster, cta=cta,
        peer=peer, facts=facts, limits=limits)


def synth(target: str, src: Mapping[str, Value], dst: Mapping[str, Value], *, type: Optional[Number] = None,
        elem_bits: Optional[Number] = None, threads: Optional[Number] = None, registers: Optional[Number] = None,
        path: Optional[Number] = None, signal: Optional[bool] = None, tile: Optional[Integers] = None,
        facts: Optional[Sequence[str]] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The copy of a tile by threads that costs least: bulk copies, cp.async, loads and stores, realigned loads;
    which thread moves what, what that takes, and the certificates."""
    return _call("copy.synth", target=target, src=src, dst=dst, type=type, elem_bits=elem_bits, threads=threads,
        registers=registers, path=path, signal=signal, tile=tile, facts=facts, limits=limits)
