# SPDX-License-Identifier: Apache-2.0
"""The tile, and the order of tiles, that move the fewest bytes (docs/io.md): of a GEMM, of attention, of two products in a chain.

>>> import zlay
>>> a = zlay.io.gemm("sm_90a", 8192, 8192, 8192)
>>> a.best.tile, a.best.band, a.tensors["A"].read, a.hbm_bound.by
((128, 256, 64), 16, 637534208, 'compulsory')
"""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal, Mapping, NamedTuple, Optional, Tuple, TypedDict

from ._json import call

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Answer", "Bound", "Choice", "Moved", "attention", "chain", "gemm"]


class Choice(NamedTuple):
    """A tile and an order; `tile` are rows, columns, and K or the elements of a head; what a choice has besides is in `raw`."""

    tile: Tuple[int, ...]
    band: int  # rows of tiles that are visited together
    hbm: int  # bytes of global memory
    l2: int  # bytes of L2
    cycles: int
    smem: int  # bytes of a block
    kernels: Optional[str]  # of a chain: fused or separate
    raw: Mapping[str, Any]


class Moved(NamedTuple):
    """Bytes of a tensor, and those that it moves; `left` of those written are still in L2 in the end."""

    bytes: int
    read: int
    written: int
    left: int
    l2: int


class Bound(NamedTuple):
    """No plan moves fewer bytes, by this argument: compulsory, sums, queries or capacity; `block`: none of blocks of so many sums, or queries, or fewer."""

    bytes: int
    by: str
    block: Optional[int] = None


def _choice(of: Mapping[str, Any]) -> Choice:
    tile = tuple(of[name] for name in ("tile_m", "tile_n", "tile_k") if name in of)
    return Choice(tile, of["band"], of["hbm"], of["l2"], of["cycles"], of["smem"], of.get("kernels"), of)


class Answer:
    """The best choice, what each tensor moves, and the bounds; `raw` is the answer as docs/batch.md describes it."""

    def __init__(self, op: str, fields: Mapping[str, Any]) -> None:
        self._op, self._fields = op, fields
        self.raw: Mapping[str, Any] = call(op, **fields)

    @property
    def best(self) -> Choice:
        """The choice of least cost."""
        return _choice(self.raw["best"])

    @property
    def other(self) -> Optional[Choice]:
        """Of a chain: the best of the other kind, by one kernel or by two; None where none fits."""
        return _choice(self.raw["other"]) if self.raw.get("other") else None

    @property
    def tensors(self) -> Mapping[str, Moved]:
        """What each tensor moves."""
        return {name: Moved(**of) for name, of in self.raw["tensors"].items()}

    @property
    def hbm_bound(self) -> Bound:
        """Of global memory."""
        return Bound(**self.raw["hbm_bound"])

    @property
    def l2_bound(self) -> Bound:
        """Of L2, for plans that keep no operand from one tile to the next."""
        return Bound(**self.raw["l2_bound"])

    @property
    def optimal(self) -> bool:
        """Whether no tile and order that is legal costs less."""
        return bool(self.raw["optimal"])

    @functools.cached_property
    def front(self) -> Tuple[Choice, ...]:
        """Choices that no other equals or beats in both numbers of bytes, by those of global memory: the first 32.

        >>> import zlay
        >>> front = zlay.io.gemm("sm_90a", 4096, 4096, 1024, l2=8000000).front
        >>> all(a.hbm < b.hbm and a.l2 > b.l2 for a, b in zip(front, front[1:]))
        True
        """
        return tuple(map(_choice, call(self._op, **{**self._fields, "front": True})["front"]))

    def __str__(self) -> str:
        return str(call(self._op, **{**self._fields, "text": True})["text"])

    def __repr__(self) -> str:
        return f"<zlay.io.Answer: tiles of {' x '.join(map(str, self.best.tile))}, {self.best.hbm} bytes of global memory, {self.best.l2} of L2>"


class _Machine(TypedDict, total=False):
    l2: int
    hbm_rate: int
    l2_rate: int
    flop_rate: int
    processors: int
    smem: int
    spread: int
    stages: int
    type: str


class GemmFields(_Machine, total=False):
    """Fields of io.gemm beside m, n and k."""

    a_type: str
    b_type: str
    d_type: str
    tile_m: int
    tile_n: int
    tile_k: int
    band: int


class AttentionFields(_Machine, total=False):
    """Fields of io.attention beside head, queries and keys."""

    batch: int
    heads: int
    kv_heads: int
    causal: bool
    tile_m: int
    tile_n: int
    band: int


class ChainFields(_Machine, total=False):
    """Fields of io.chain beside m, k, h and n."""

    gated: bool
    kernels: Literal["best", "separate", "fused"]
    crossover: bool


def gemm(target: str, m: int, n: int, k: int, **fields: Unpack[GemmFields]) -> Answer:
    """D = A B of m x n x k."""
    return Answer("io.gemm", {"target": target, "m": m, "n": n, "k": k, **fields})


def attention(target: str, head: int, queries: int, keys: int, **fields: Unpack[AttentionFields]) -> Answer:
    """Attention of heads of `head` elements.

    >>> import zlay
    >>> zlay.io.attention("sm_90a", 128, 8192, 8192, heads=32, kv_heads=8, causal=True).best.tile
    (192, 144, 128)
    """
    return Answer("io.attention", {"target": target, "head": head, "queries": queries, "keys": keys, **fields})


def chain(target: str, m: int, k: int, h: int, n: int, **fields: Unpack[ChainFields]) -> Answer:
    """E = G C with G = A B, or of a gated chain G = act(A B1) * (A B2); A of m x k, B of k x h, C of h x n.

    >>> import zlay
    >>> both = zlay.io.chain("sm_90a", 1024, 1024, 1024, 1024)
    >>> both.best.kernels, both.other.kernels, both.best.cycles < both.other.cycles
    ('separate', 'fused', True)
    """
    return Answer("io.chain", {"target": target, "m": m, "k": k, "h": h, "n": n, **fields})
