# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `gemm.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Integers, Number, Value, call as _call

__all__ = ["cycles"]


def cycles(target: str, m: Number, n: Number, k: Number, *, a_type: Optional[Number] = None,
        b_type: Optional[Number] = None, d_type: Optional[Number] = None, a_order: Optional[Number] = None,
        b_order: Optional[Number] = None, d_order: Optional[Number] = None, a_major: Optional[Number] = None,
        b_major: Optional[Number] = None, lda: Optional[Number] = None, ldb: Optional[Number] = None,
        ldd: Optional[Number] = None, tile: Optional[Integers] = None, stages: Optional[Number] = None,
        epilogue: Optional[str] = None, a_scales: Optional[Number] = None, b_scales: Optional[Number] = None,
        d_scales: Optional[Number] = None, repack: Optional[Number] = None, split_k: Optional[Number] = None,
        multicast: Optional[Number] = None, swap: Optional[Number] = None, stream_k: Optional[Number] = None,
        groups: Optional[Number] = None, ragged: Optional[Number] = None, band: Optional[Number] = None,
        facts: Optional[Mapping[str, Value]] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """How long the kernel of plan.gemm runs, by the numbers of machine.info and those of facts in their place:
    waves of tiles, each with the time of its pipe at the processor's share of L2, but at least the time in which
    DRAM sends each operand once; with the launch."""
    return _call("gemm.cycles", target=target, m=m, n=n, k=k, a_type=a_type, b_type=b_type, d_type=d_type,
        a_order=a_order, b_order=b_order, d_order=d_order, a_major=a_major, b_major=b_major,
        lda=lda, ldb=ldb, ldd=ldd, tile=tile, stages=stages, epilogue=epilogue, a_scales=a_scales,
        b_scales=b_scales, d_scales=d_scales, repack=repack, split_k=split_k, multicast=multicast,
        swap=swap, stream_k=stream_k, groups=groups, ragged=ragged, band=band, facts=facts,
        limits=limits)
