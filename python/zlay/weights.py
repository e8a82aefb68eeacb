# SPDX-License-Identifier: Apache-2.0
"""Plans of products of few vectors with weights of 4 or 8 bits: their text, and the order of packed weights (zlay/weights.h).

>>> import zlay
>>> p = zlay.plan.weights("sm_90a", 16, 8192, 8192)
>>> p.tile, p.grid, p.packed
((16, 64, 128), (128, 1, 1), 33554432)
"""
from __future__ import annotations

import functools
from typing import Any, Tuple

from ._lib import context, fail, ffi, lib, made, printed
from .errors import Error
from .layout import Layout
from .planned import Planned
from .request import filled
from .tensormap import target_of

__all__ = ["Weights"]


class Weights(Planned):
    """A plan of D = A B with B of few bits, made by `zlay.plan.weights`."""

    _pipe = lib.zlay_weights_pipe

    def __init__(self, target: str, m: int, n: int, k: int, **fields: Any) -> None:
        ask = filled("zlay_weights", {"m": m, "n": n, "k": k, **fields}, {}, ("type", "weights"), "plan.weights")
        self._of = made(lib.zlay_weights_synth, "zlay_weights_plan **", lib.zlay_weights_free, target_of(target), ask)
        self.target, self._ask, self._info = target, ask, ffi.new("zlay_weights_summary *")
        lib.zlay_weights_info(self._info, self._of)

    @property
    def tile(self) -> Tuple[int, int, int]:
        """Rows of A, rows of B, elements of K of a step."""
        return self._info.tile_m, self._info.tile_n, self._info.tile_k

    @property
    def grid(self) -> Tuple[int, int, int]:
        """Blocks of a launch."""
        grid = self._info.grid
        return grid[0], grid[1], grid[2]

    @property
    def packed(self) -> int:
        """Bytes of B as the kernel reads it."""
        return int(self._info.packed)

    @property
    def _type(self) -> int:
        return self._ask.weights or int(lib.ZLAY_TYPE_U4)

    @property
    def layout(self) -> Layout:
        """The order of packed weights: (row, k) to an element of them."""
        return Layout._from(lib.zlay_weights_layout, self._type, self._ask.n, self._ask.k)

    def pack(self, weights: Any) -> bytearray:
        """Weights in that order, from n rows of k: an array of bytes of the host; of 4 bits two in a byte, the even k in its lower half.

        >>> import zlay
        >>> p = zlay.plan.weights("sm_90a", 16, 64, 128)
        >>> len(p.pack(bytes(64 * 128 // 2)))
        4096
        """
        data = ffi.from_buffer(weights)
        pitch = (self._ask.k * lib.zlay_type_bits(self._type) + 7) // 8
        if len(data) != pitch * self._ask.n:
            raise Error("EINVAL", f"weights have {pitch * self._ask.n} bytes, not {len(data)}")
        out = bytearray(self.packed)
        status = lib.zlay_weights_pack(ffi.from_buffer(out), len(out), data, pitch, self._type, self._ask.n, self._ask.k)
        if status:
            raise fail(status, "weights of no plan")
        return out

    @functools.cached_property
    def ptx(self) -> str:
        """The kernel, called `weights`, as PTX; of a plan for AMD its assembly."""
        name = ffi.new("char[]", b"weights")
        ask = ffi.new("zlay_weights_emit *", {"size": ffi.sizeof("zlay_weights_emit"), "language": lib.ZLAY_TEXT_PTX, "plan": self._of,
                                              "name": name, "name_length": len(name) - 1})
        return printed(lambda out: lib.zlay_emit_weights(context(), out, ffi.NULL, ffi.NULL, 0, ask))

    def __repr__(self) -> str:
        a, i = self._ask, self._info
        return f"<zlay.Weights of {a.m} x {a.n} x {a.k} on {self.target}: tiles of {i.tile_m} x {i.tile_n} x {i.tile_k}, {i.stages} stages>"
