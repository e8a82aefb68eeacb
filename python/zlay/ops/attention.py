# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `attention.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Integers, Number, Value, call as _call

__all__ = ["candidates", "cycles"]


def candidates(target: str, head: Number, queries: Number, keys: Number, *, batch: Optional[Number] = None,
        heads: Optional[Number] = None, sequences: Optional[Number] = None, kv_heads: Optional[Number] = None,
        type: Optional[Number] = None, o_type: Optional[Number] = None, causal: Optional[bool] = None,
        soft_cap: Optional[bool] = None, splits: Optional[Number] = None, merge: Optional[bool] = None,
        window: Optional[Number] = None, sinks: Optional[bool] = None, lse: Optional[bool] = None,
        q_lengths: Optional[Number] = None, k_lengths: Optional[Number] = None, tile: Optional[Integers] = None,
        stages: Optional[Number] = None, overlap: Optional[Number] = None, q_strides: Optional[Integers] = None,
        k_strides: Optional[Integers] = None, v_strides: Optional[Integers] = None,
        o_strides: Optional[Integers] = None, l_strides: Optional[Integers] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """All tiles, stages and overlaps of attention that fit registers and shared memory, and that the fields leave
    open, each with its modelled time in ns and its terms; the first is what plan.attention plans; and the bound, as
    plan.candidates has it."""
    return _call("attention.candidates", target=target, head=head, queries=queries, keys=keys, batch=batch,
        heads=heads, sequences=sequences, kv_heads=kv_heads, type=type, o_type=o_type,
        causal=causal, soft_cap=soft_cap, splits=splits, merge=merge, window=window, sinks=sinks,
        lse=lse, q_lengths=q_lengths, k_lengths=k_lengths, tile=tile, stages=stages,
        overlap=overlap, q_strides=q_strides, k_strides=k_strides, v_strides=v_strides,
        o_strides=o_strides, l_strides=l_strides, limits=limits)


def cycles(target: str, head: Number, queries: Number, keys: Number, *, batch: Optional[Number] = None,
        heads: Optional[Number] = None, sequences: Optional[Number] = None, kv_heads: Optional[Number] = None,
        type: Optional[Number] = None, o_type: Optional[Number] = None, causal: Optional[bool] = None,
        soft_cap: Optional[bool] = None, splits: Optional[Number] = None, merge: Optional[bool] = None,
        window: Optional[Number] = None, sinks: Optional[bool] = None, lse: Optional[bool] = None,
        q_lengths: Optional[Number] = None, k_lengths: Optional[Number] = None, tile: Optional[Integers] = None,
        stages: Optional[Number] = None, overlap: Optional[Number] = None, q_strides: Optional[Integers] = None,
        k_strides: Optional[Integers] = None, v_strides: Optional[Integers] = None,
        o_strides: Optional[Integers] = None, l_strides: Optional[Integers] = None,
        facts: Optional[Mapping[str, Value]] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of the kernel of plan.attention."""
    return _call("attention.cycles", target=target, head=head, queries=queries, keys=keys, batch=batch, heads=heads,
        sequences=sequences, kv_heads=kv_heads, type=type, o_type=o_type, causal=causal,
        soft_cap=soft_cap, splits=splits, merge=merge, window=window, sinks=sinks, lse=lse,
        q_lengths=q_lengths, k_lengths=k_lengths, tile=tile, stages=stages, overlap=overlap,
        q_strides=q_strides, k_strides=k_strides, v_strides=v_strides, o_strides=o_strides,
        l_strides=l_strides, facts=facts, limits=limits)
