# SPDX-License-Identifier: Apache-2.0
"""`zlay.plan`: plans by what they compute, with the fields that each may have."""
from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Sequence, Tuple, TypedDict, Union

from .attention import Attention
from .plans import Plan
from .rows import Rows
from .weights import Weights

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .candidates import AttentionCandidate, Candidates, GemmCandidate

__all__ = ["AttentionFields", "GemmFields", "RowsFields", "WeightsFields", "plan"]

Order = Literal["row", "col", "column"]
Scales = Literal["none", "1x128", "128x128", "1x32", "1x16", "line", "block", "line_32", "line_16"]
Lengths = Literal["equal", "padded", "packed"]
RowsKind = Literal["copy", "concatenate", "split", "transpose", "concatenate_columns", "split_columns"]
#: The word of an element type, as "bf16", or its number.
Type = Union[str, int]


class GemmFields(TypedDict, total=False):
    """Members of zlay_gemm (zlay/plan.h, docs/gemm.md) beside m, n and k; `tile` is its three tiles."""

    type: Type
    a_type: Type
    b_type: Type
    d_type: Type
    a_order: Union[Order, int]
    b_order: Union[Order, int]
    d_order: Union[Order, int]
    lda: int
    ldb: int
    ldd: int
    a_address: int
    b_address: int
    d_address: int
    tile: Sequence[int]
    tile_m: int
    tile_n: int
    tile_k: int
    stages: int
    epilogue: str
    a_scales: Union[Scales, int]
    b_scales: Union[Scales, int]
    d_scales: Union[Scales, int]
    repack: Union[Literal["never", "auto", "always"], int]
    split_k: Union[Literal["auto"], int]
    multicast: Union[Literal["none", "auto", "a", "b"], int]
    swap: Union[Literal["never", "auto", "always"], int]
    stream_k: Union[Literal["never", "auto", "always"], int]
    groups: int
    ragged: Union[Literal["rows", "k"], int]
    band: int


class AttentionFields(TypedDict, total=False):
    """Members of zlay_attention (zlay/attention.h, docs/attention.md); strides are those of row, head and batch, in elements, and `tile` is its two tiles."""

    type: Type
    o_type: Type
    batch: int
    heads: int
    kv_heads: int
    causal: bool
    soft_cap: bool
    sinks: bool
    lse: bool
    window: int
    splits: int
    tile: Sequence[int]
    tile_m: int
    tile_n: int
    stages: int
    overlap: Union[Literal["auto", "never", "always"], int]
    sequences: int
    q_lengths: Union[Lengths, int]
    k_lengths: Union[Lengths, int]
    q_strides: Tuple[int, int, int]
    k_strides: Tuple[int, int, int]
    v_strides: Tuple[int, int, int]
    o_strides: Tuple[int, int, int]
    l_strides: Tuple[int, int, int]


class WeightsFields(TypedDict, total=False):
    """Members of zlay_weights (zlay/weights.h) beside m, n and k."""

    type: Type
    weights: Type
    group: int
    lda: int
    ldd: int
    lds: int
    zeros: bool
    warpgroups: int
    cluster: int


class RowsFields(TypedDict, total=False):
    """Members of zlay_rows_kernel (zlay/emit_ragged.h)."""

    language: Literal["cuda", "hip"]
    element_bytes: int
    groups: int
    source_rows: int
    target_rows: int
    row_bytes: int
    source_pitch: int
    target_pitch: int


class _Plans:
    """Plans by what they compute: `zlay.plan(...)` and `zlay.plan.gemm(...)` of GEMMs, `.attention`, `.weights`, `.rows`.

    A field that the plan has not, or a value that it cannot have, is an Error (EINVAL) that names it; ProvedNone names the rule that no
    plan can keep.
    """

    def __call__(self, target: str, m: int, n: int, k: int, **fields: Unpack[GemmFields]) -> Plan:
        """Plan a GEMM of m x n x k elements."""
        return Plan(target, m, n, k, **fields)

    gemm = __call__

    def attention(self, target: str, head: int, queries: int, keys: int, **fields: Unpack[AttentionFields]) -> Attention:
        """Plan attention forward of heads of `head` elements."""
        return Attention(target, head, queries, keys, **fields)

    def candidates(self, target: str, m: int, n: int, k: int, **fields: Unpack[GemmFields]) -> Candidates[GemmCandidate]:
        """All ways to plan a GEMM that its fields leave open, the one that is planned first, each with its modelled time, and their bound."""
        from . import candidates

        return candidates.gemm(target, {"m": m, "n": n, "k": k, **fields})

    def attention_candidates(self, target: str, head: int, queries: int, keys: int,
                             **fields: Unpack[AttentionFields]) -> Candidates[AttentionCandidate]:
        """The same of attention.

        >>> import zlay
        >>> c = zlay.plan.attention_candidates("sm_90a", 128, 4096, 4096, heads=16, causal=True)
        >>> c[0].fields, c[0].plan()
        ({'tile': (128, 128), 'stages': 2, 'overlap': 'always'}, <zlay.Attention of 4096 x 4096, heads of 128, on sm_90a: tiles of 128 x 128, 2 stages>)
        """
        from . import candidates

        return candidates.attention(target, {"head": head, "queries": queries, "keys": keys, **fields})

    def weights(self, target: str, m: int, n: int, k: int, **fields: Unpack[WeightsFields]) -> Weights:
        """Plan a product of m vectors with n rows of k weights of 4 or 8 bits."""
        return Weights(target, m, n, k, **fields)

    def rows(self, kind: RowsKind, **fields: Unpack[RowsFields]) -> Rows:
        """A kernel that moves rows, or columns, of which only the device knows how many there are."""
        return Rows(kind, **fields)


plan = _Plans()
