# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `io.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, call as _call

__all__ = ["attention", "chain", "gemm"]


def attention(target: str, head: Number, queries: Number, keys: Number, *, batch: Optional[Number] = None,
        heads: Optional[Number] = None, kv_heads: Optional[Number] = None, type: Optional[Number] = None,
        causal: Optional[bool] = None, tile_m: Optional[Number] = None, tile_n: Optional[Number] = None,
        band: Optional[Number] = None, stages: Optional[Number] = None, front: Optional[bool] = None,
        text: Optional[bool] = None, l2: Optional[Number] = None, hbm_rate: Optional[Number] = None,
        l2_rate: Optional[Number] = None, flop_rate: Optional[Number] = None, processors: Optional[Number] = None,
        smem: Optional[Number] = None, spread: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of attention forward, causal or not, with heads that share keys: queries of a block, and the order
    of blocks and heads."""
    return _call("io.attention", target=target, head=head, queries=queries, keys=keys, batch=batch, heads=heads,
        kv_heads=kv_heads, type=type, causal=causal, tile_m=tile_m, tile_n=tile_n, band=band,
        stages=stages, front=front, text=text, l2=l2, hbm_rate=hbm_rate, l2_rate=l2_rate,
        flop_rate=flop_rate, processors=processors, smem=smem, spread=spread, limits=limits)


def chain(target: str, m: Number, k: Number, h: Number, n: Number, *, gated: Optional[bool] = None,
        kernels: Optional[str] = None, type: Optional[Number] = None, stages: Optional[Number] = None,
        crossover: Optional[bool] = None, front: Optional[bool] = None, text: Optional[bool] = None,
        l2: Optional[Number] = None, hbm_rate: Optional[Number] = None, l2_rate: Optional[Number] = None,
        flop_rate: Optional[Number] = None, processors: Optional[Number] = None, smem: Optional[Number] = None,
        spread: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of two products in a chain, E = (A B) C, or gated, E = (act(A B1) * (A B2)) C: by two kernels or by
    one, what costs less, and the best of the other kind; with crossover the powers of two of m up to 8192 for which
    one kernel costs less."""
    return _call("io.chain", target=target, m=m, k=k, h=h, n=n, gated=gated, kernels=kernels, type=type,
        stages=stages, crossover=crossover, front=front, text=text, l2=l2, hbm_rate=hbm_rate,
        l2_rate=l2_rate, flop_rate=flop_rate, processors=processors, smem=smem, spread=spread,
        limits=limits)


def gemm(target: str, m: Number, n: Number, k: Number, *, type: Optional[Number] = None,
        a_type: Optional[Number] = None, b_type: Optional[Number] = None, d_type: Optional[Number] = None,
        tile_m: Optional[Number] = None, tile_n: Optional[Number] = None, tile_k: Optional[Number] = None,
        band: Optional[Number] = None, stages: Optional[Number] = None, front: Optional[bool] = None,
        text: Optional[bool] = None, l2: Optional[Number] = None, hbm_rate: Optional[Number] = None,
        l2_rate: Optional[Number] = None, flop_rate: Optional[Number] = None, processors: Optional[Number] = None,
        smem: Optional[Number] = None, spread: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The tile and the order of tiles (bands of rows) of a GEMM that cost least by the bytes they move from global
    memory and from L2, of all that are legal; what each tensor moves, and lower bounds for every plan; with front,
    every choice that none beats in both."""
    return _call("io.gemm", target=target, m=m, n=n, k=k, type=type, a_type=a_type, b_type=b_type, d_type=d_type,
        tile_m=tile_m, tile_n=tile_n, tile_k=tile_k, band=band, stages=stages, front=front,
        text=text, l2=l2, hbm_rate=hbm_rate, l2_rate=l2_rate, flop_rate=flop_rate,
        processors=processors, smem=smem, spread=spread, limits=limits)
