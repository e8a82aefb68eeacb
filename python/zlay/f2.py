# SPDX-License-Identifier: Apache-2.0
"""Layouts that are linear over F2, with named dimensions: Triton's LinearLayout and its operations (docs/f2.md).

>>> import zlay
>>> a = zlay.F2({"register": [(0, 1)], "lane": [(0, 2), (1, 0)]}, {"dim0": 2, "dim1": 4})
>>> a
F2('f2{register: (0,1); lane: (0,2) (1,0) -> dim0: 2, dim1: 4}')
>>> a.inverse()
F2('f2{dim0: (0,2); dim1: (1,0) (0,1) -> register: 2, lane: 4}')
>>> a.inverse() @ a == zlay.F2.parse("f2{register: (1,0); lane: (0,1) (0,2) -> register: 2, lane: 4}")
True
"""
from __future__ import annotations

from typing import Any, Dict, Mapping, Sequence, Tuple, Union

from ._lib import context, fail, ffi, lib
from .errors import Error
from .layout import Layout

__all__ = ["F2"]

#: The image of a power of two: an integer for each output, or one alone.
Basis = Union[int, Sequence[int]]


def _dims(names: Mapping[str, int]) -> Any:
    return ffi.new("zlay_dim[]", [{"name": name.encode(), "size": size % (1 << 64)} for name, size in names.items()])


class F2(Layout):
    """A layout from the bases of its inputs, the fastest first, and the sizes of its outputs.

    Basis i of an input is the value of index 2^i. An output of size 2^k adds by XOR, any other modulo its size.
    """

    __slots__ = ()

    def __init__(self, bases: Mapping[str, Sequence[Basis]], outs: Mapping[str, int]) -> None:
        rows = [[row] if isinstance(row, int) else list(row) for rows in bases.values() for row in rows]
        if any(len(row) != len(outs) for row in rows):
            raise Error("EINVAL", f"a basis has {len(outs)} values, one for each output")
        ins, to = _dims({name: 1 << len(rows) for name, rows in bases.items()}), _dims(outs)
        basis = ffi.new("uint64_t[]", [value for row in rows for value in row])
        of = ffi.new("zlay_f2_bases *", {"size": ffi.sizeof("zlay_f2_bases"), "ins": len(bases), "outs": len(outs),
                                         "in": ins, "out": to, "basis": basis})
        self._of, self._outs = F2._from(lib.zlay_f2_new, of)._of, 0

    @classmethod
    def parse(cls, text: str) -> F2:
        """An F2 layout from its text; a layout of another kind is refused (`Layout.lower` makes it F2)."""
        of = Layout(text)
        if lib.zlay_layout_kind(of._of) not in (lib.ZLAY_LAYOUT_F2, lib.ZLAY_LAYOUT_MODULAR):
            raise Error("EINVAL", f"'{of}' is no f2 layout")
        self = cls.__new__(cls)
        self._of, self._outs = of._of, 0
        return self

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> F2:
        """The layout of an F2 object of JSON, {"in": [[name, bases], ..], "out": [[name, size], ..]}."""
        return cls(dict(value["in"]), {out[0]: int(out[1]) for out in value["out"]})

    def _each(self, nth: Any, count: int) -> Dict[str, int]:
        dim = ffi.new("zlay_dim *")
        sizes = {}
        for i in range(count):
            nth(dim, self._of, i)
            sizes[ffi.string(dim.name).decode()] = dim.size or 1 << 64
        return sizes

    @property
    def ins(self) -> Dict[str, int]:
        """The sizes of the inputs, the fastest first."""
        return self._each(lib.zlay_f2_in_nth, lib.zlay_f2_in_count(self._of))

    @property
    def outs(self) -> Dict[str, int]:
        """The sizes of the outputs."""
        return self._each(lib.zlay_f2_out_nth, self._outputs())

    @property
    def bases(self) -> Dict[str, Tuple[Tuple[int, ...], ...]]:
        """The bases of each input.

        >>> import zlay
        >>> zlay.Layout("(2,4):(4,1)").lower().bases
        {'in0': ((4,),), 'in1': ((1,), (2,))}
        """
        found, bit = {}, 0
        for name, size in self.ins.items():
            bits = size.bit_length() - 1
            found[name] = tuple(self._basis(bit + i) for i in range(bits))
            bit += bits
        return found

    def _basis(self, bit: int) -> Tuple[int, ...]:
        outs = self._outs or self._outputs()
        values = ffi.new("uint64_t[]", outs)
        status = lib.zlay_f2_basis(values, outs, self._of, bit)
        if status:
            raise fail(status, f"no bit {bit}")
        return tuple(values)

    @property
    def rank(self) -> int:
        """The rank of its matrix."""
        out = ffi.new("uint32_t *")
        status = lib.zlay_f2_rank(out, self._of)
        if status:
            raise fail(status, "a modular layout has no rank")
        return int(out[0])

    def __matmul__(self, other: Any) -> Layout:
        """x -> self(other(x)); with an F2 the outputs of `other` are matched with the inputs by name."""
        if isinstance(other, F2):
            return F2._from(lib.zlay_f2_composition, self._of, other._of)
        return super().__matmul__(other)

    def __mul__(self, outer: F2) -> F2:
        """The product, this layout minor: dimensions of one name are joined."""
        return F2._from(lib.zlay_f2_product, self._of, outer._of)

    def inverse(self) -> F2:
        """The inverse of a bijection, or ProvedNone with two indices of one value or a value not reached."""
        return F2._from(lib.zlay_f2_invert, self._of)

    def pseudoinverse(self) -> F2:
        """The right inverse with free variables 0 of a layout that is onto."""
        return F2._from(lib.zlay_f2_pseudoinvert, self._of)
