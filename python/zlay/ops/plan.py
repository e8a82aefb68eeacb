# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `plan.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Integers, Number, call as _call

__all__ = ["attention", "candidates", "gemm", "weights"]


def attention(target: str, head: Number, queries: Number, keys: Number, *, batch: Optional[Number] = None,
        heads: Optional[Number] = None, sequences: Optional[Number] = None, kv_heads: Optional[Number] = None,
        type: Optional[Number] = None, o_type: Optional[Number] = None, causal: Optional[bool] = None,
        soft_cap: Optional[bool] = None, splits: Optional[Number] = None, merge: Optional[bool] = None,
        window: Optional[Number] = None, sinks: Optional[bool] = None, lse: Optional[bool] = None,
        q_lengths: Optional[Number] = None, k_lengths: Optional[Number] = None, tile: Optional[Integers] = None,
        stages: Optional[Number] = None, overlap: Optional[Number] = None, q_strides: Optional[Integers] = None,
        k_strides: Optional[Integers] = None, v_strides: Optional[Integers] = None,
        o_strides: Optional[Integers] = None, l_strides: Optional[Integers] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The plan of attention forward, softmax(Q K^T * scale) V for each head of each batch: tiles, tensor maps and a
    proved pipe with its bodies; strides are [row, head, batch] in elements."""
    return _call("plan.attention", target=target, head=head, queries=queries, keys=keys, batch=batch, heads=heads,
        sequences=sequences, kv_heads=kv_heads, type=type, o_type=o_type, causal=causal,
        soft_cap=soft_cap, splits=splits, merge=merge, window=window, sinks=sinks, lse=lse,
        q_lengths=q_lengths, k_lengths=k_lengths, tile=tile, stages=stages, overlap=overlap,
        q_strides=q_strides, k_strides=k_strides, v_strides=v_strides, o_strides=o_strides,
        l_strides=l_strides, limits=limits)


def candidates(target: str, m: Number, n: Number, k: Number, *, a_type: Optional[Number] = None,
        b_type: Optional[Number] = None, d_type: Optional[Number] = None, a_order: Optional[Number] = None,
        b_order: Optional[Number] = None, d_order: Optional[Number] = None, a_major: Optional[Number] = None,
        b_major: Optional[Number] = None, lda: Optional[Number] = None, ldb: Optional[Number] = None,
        ldd: Optional[Number] = None, tile: Optional[Integers] = None, stages: Optional[Number] = None,
        epilogue: Optional[str] = None, a_scales: Optional[Number] = None, b_scales: Optional[Number] = None,
        d_scales: Optional[Number] = None, repack: Optional[Number] = None, split_k: Optional[Number] = None,
        multicast: Optional[Number] = None, swap: Optional[Number] = None, stream_k: Optional[Number] = None,
        groups: Optional[Number] = None, ragged: Optional[Number] = None, band: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """All ways to plan a GEMM that its fields leave open (the tile where there is none; multicast, swap, stream_k
    and split_k of auto), each with its modelled time in ns and the terms that this is made of (docs/tuning.md); the
    first is what plan.gemm plans; and the time below which no plan comes by the rates of the machine, null where
    these are not known."""
    return _call("plan.candidates", target=target, m=m, n=n, k=k, a_type=a_type, b_type=b_type, d_type=d_type,
        a_order=a_order, b_order=b_order, d_order=d_order, a_major=a_major, b_major=b_major,
        lda=lda, ldb=ldb, ldd=ldd, tile=tile, stages=stages, epilogue=epilogue, a_scales=a_scales,
        b_scales=b_scales, d_scales=d_scales, repack=repack, split_k=split_k, multicast=multicast,
        swap=swap, stream_k=stream_k, groups=groups, ragged=ragged, band=band, limits=limits)


def gemm(target: str, m: Number, n: Number, k: Number, *, a_type: Optional[Number] = None,
        b_type: Optional[Number] = None, d_type: Optional[Number] = None, a_order: Optional[Number] = None,
        b_order: Optional[Number] = None, d_order: Optional[Number] = None, a_major: Optional[Number] = None,
        b_major: Optional[Number] = None, lda: Optional[Number] = None, ldb: Optional[Number] = None,
        ldd: Optional[Number] = None, tile: Optional[Integers] = None, stages: Optional[Number] = None,
        epilogue: Optional[str] = None, a_scales: Optional[Number] = None, b_scales: Optional[Number] = None,
        d_scales: Optional[Number] = None, repack: Optional[Number] = None, split_k: Optional[Number] = None,
        multicast: Optional[Number] = None, swap: Optional[Number] = None, stream_k: Optional[Number] = None,
        groups: Optional[Number] = None, ragged: Optional[Number] = None, band: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The plan of a GEMM, of bf16 unless it has types: maps, copies, descriptors, or how waves multiply; bytes,
    pipe, certificates and the rules that it asked."""
    return _call("plan.gemm", target=target, m=m, n=n, k=k, a_type=a_type, b_type=b_type, d_type=d_type,
        a_order=a_order, b_order=b_order, d_order=d_order, a_major=a_major, b_major=b_major,
        lda=lda, ldb=ldb, ldd=ldd, tile=tile, stages=stages, epilogue=epilogue, a_scales=a_scales,
        b_scales=b_scales, d_scales=d_scales, repack=repack, split_k=split_k, multicast=multicast,
        swap=swap, stream_k=stream_k, groups=groups, ragged=ragged, band=band, limits=limits)


def weights(target: str, m: Number, n: Number, k: Number, *, type: Optional[Number] = None,
        weights: Optional[Number] = None, group: Optional[Number] = None, zeros: Optional[bool] = None,
        lda: Optional[Number] = None, ldd: Optional[Number] = None, lds: Optional[Number] = None,
        warpgroups: Optional[Number] = None, cluster: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The plan of a product of few vectors with weights of 4 or 8 bits, which share scales and zeros in groups of
    128, of floating-point weights scales in groups of 32 or 16: tiles, tensor maps, the order of packed weights and
    a proved pipe with its bodies."""
    return _call("plan.weights", target=target, m=m, n=n, k=k, type=type, weights=weights, group=group, zeros=zeros,
        lda=lda, ldd=ldd, lds=lds, warpgroups=warpgroups, cluster=cluster, limits=limits)
