# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `tuning.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Integers, Number, call as _call

__all__ = ["check", "find", "find_attention", "merge"]


def check(text: str, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """What a cache of measurements has (docs/tuning.md), and which lines were refused, with their reasons."""
    return _call("tuning.check", text=text, limits=limits)


def find(target: str, m: Number, n: Number, k: Number, text: str, *, a_type: Optional[Number] = None,
        b_type: Optional[Number] = None, d_type: Optional[Number] = None, a_order: Optional[Number] = None,
        b_order: Optional[Number] = None, d_order: Optional[Number] = None, a_major: Optional[Number] = None,
        b_major: Optional[Number] = None, lda: Optional[Number] = None, ldb: Optional[Number] = None,
        ldd: Optional[Number] = None, tile: Optional[Integers] = None, stages: Optional[Number] = None,
        epilogue: Optional[str] = None, a_scales: Optional[Number] = None, b_scales: Optional[Number] = None,
        d_scales: Optional[Number] = None, repack: Optional[Number] = None, split_k: Optional[Number] = None,
        multicast: Optional[Number] = None, swap: Optional[Number] = None, stream_k: Optional[Number] = None,
        groups: Optional[Number] = None, ragged: Optional[Number] = None, band: Optional[Number] = None,
        device: Optional[str] = None, processors: Optional[Number] = None, driver: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """What a cache has of a GEMM on a device, of whose name, processors and driver any is taken that is absent: the
    record of its shape, else of its class, null where there is none; and whether its choice is one of the
    candidates of the request, without which no plan takes it."""
    return _call("tuning.find", target=target, m=m, n=n, k=k, text=text, a_type=a_type, b_type=b_type, d_type=d_type,
        a_order=a_order, b_order=b_order, d_order=d_order, a_major=a_major, b_major=b_major,
        lda=lda, ldb=ldb, ldd=ldd, tile=tile, stages=stages, epilogue=epilogue, a_scales=a_scales,
        b_scales=b_scales, d_scales=d_scales, repack=repack, split_k=split_k, multicast=multicast,
        swap=swap, stream_k=stream_k, groups=groups, ragged=ragged, band=band, device=device,
        processors=processors, driver=driver, limits=limits)


def find_attention(target: str, head: Number, queries: Number, keys: Number, text: str, *,
        batch: Optional[Number] = None, heads: Optional[Number] = None, sequences: Optional[Number] = None,
        kv_heads: Optional[Number] = None, type: Optional[Number] = None, o_type: Optional[Number] = None,
        causal: Optional[bool] = None, soft_cap: Optional[bool] = None, splits: Optional[Number] = None,
        merge: Optional[bool] = None, window: Optional[Number] = None, sinks: Optional[bool] = None,
        lse: Optional[bool] = None, q_lengths: Optional[Number] = None, k_lengths: Optional[Number] = None,
        tile: Optional[Integers] = None, stages: Optional[Number] = None, overlap: Optional[Number] = None,
        q_strides: Optional[Integers] = None, k_strides: Optional[Integers] = None,
        v_strides: Optional[Integers] = None, o_strides: Optional[Integers] = None,
        l_strides: Optional[Integers] = None, device: Optional[str] = None, processors: Optional[Number] = None,
        driver: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of attention."""
    return _call("tuning.find_attention", target=target, head=head, queries=queries, keys=keys, text=text,
        batch=batch, heads=heads, sequences=sequences, kv_heads=kv_heads, type=type, o_type=o_type,
        causal=causal, soft_cap=soft_cap, splits=splits, merge=merge, window=window, sinks=sinks,
        lse=lse, q_lengths=q_lengths, k_lengths=k_lengths, tile=tile, stages=stages,
        overlap=overlap, q_strides=q_strides, k_strides=k_strides, v_strides=v_strides,
        o_strides=o_strides, l_strides=l_strides, device=device, processors=processors,
        driver=driver, limits=limits)


def merge(a: str, b: str, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The records of two caches as one text: of each key the one of more rounds, then of less time."""
    return _call("tuning.merge", a=a, b=b, limits=limits)
