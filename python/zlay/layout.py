# SPDX-License-Identifier: Apache-2.0
"""Layouts: exact functions from coordinates to offsets (docs/algebra.md), as immutable objects.

>>> import zlay
>>> a = zlay.Layout("(4,8):(8,1)")
>>> a(1), a(3, 5)
(8, 29)
>>> zlay.Layout("(6,2):(8,2)") @ zlay.Layout("(4,3):(3,1)")
Layout('((2,2),3):((24,2),8)')
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from ._lib import context, fail, ffi, lib, made, printed, undecided
from .errors import Error
from .shown import Shown

if TYPE_CHECKING:
    import numpy

    from .f2 import F2

__all__ = ["Coordinate", "Layout", "LayoutLike"]

#: An integer, which is an index in its mode, or a tuple of coordinates.
Coordinate = Union[int, Sequence[Any]]
#: A layout, its text, or the JSON object of an F2 layout.
LayoutLike = Union["Layout", str, Mapping[str, Any]]

_L = TypeVar("_L", bound="Layout")
_new = ffi.new
_free = lib.zlay_layout_free
_OUT = ffi.typeof("zlay_layout **")
_eval = lib.zlay_layout_eval
_equal = lib.zlay_layout_equal


def _text(value: Any) -> bytes:
    """A coordinate as text; None is a blank."""
    return str(value).replace("None", "_").replace(",)", ")").encode()


class Layout(Shown):
    """A function from the coordinates of a box to integers, written as shape:stride, or as another kind of docs/algebra.md.

    Two layouts are `==` where they have one size and one value at every index. That is a decision, which
    may raise Undecided, so a layout is no key of a dict: take `str(layout)`.

    >>> import zlay
    >>> zlay.Layout("(4,2):(1,4)") == zlay.Layout("8:1")
    True
    """

    __slots__ = ("_of", "_outs")
    __hash__ = None  # type: ignore[assignment]
    _of: Any
    _outs: int

    def __init__(self, text: str) -> None:
        data = text.encode()
        self._of = made(lib.zlay_layout_parse, _OUT, _free, data, len(data))
        self._outs = 0

    @classmethod
    def _from(cls: Type[_L], function: Any, *arguments: Any) -> _L:
        self = cls.__new__(cls)
        self._of = made(function, _OUT, _free, *arguments)
        self._outs = 0
        return self

    def _outputs(self) -> int:
        """How many outputs it has; asked when it is first evaluated."""
        self._outs = lib.zlay_layout_out_count(self._of)
        return self._outs

    @classmethod
    def imported(cls: Type[_L], text: str) -> _L:
        """A layout from what Triton, MLIR or CuTe print.

        >>> import zlay
        >>> zlay.Layout.imported("memref<8x64xf32, strided<[64, 1], offset: 7>>")
        Layout('7 o (8,64):(64,1)')
        """
        data = text.encode()
        return cls._from(lib.zlay_layout_import, data, len(data))

    @staticmethod
    def strided(shape: Sequence[int], stride: Sequence[int], offset: int = 0) -> Layout:
        """The layout of flat modes, the first fastest.

        >>> import zlay
        >>> zlay.Layout.strided((4, 8), (8, 1))
        Layout('(4,8):(8,1)')
        """
        if len(shape) != len(stride):
            raise Error("EINVAL", f"{len(shape)} extents and {len(stride)} strides")
        return Layout._from(lib.zlay_layout_new_strided, len(shape), list(shape), list(stride), offset)

    def swizzled(self, bits: int, base: int, shift: int) -> Layout:
        """Sw<bits,base,shift> o this strided layout."""
        return Layout._from(lib.zlay_layout_new_swizzled, bits, base, shift, self._of)

    # ---- what it is ------------------------------------------------------------

    def __str__(self) -> str:
        return printed(lambda out: lib.zlay_layout_print(out, self._of))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    _json_ = __str__
    def _view_(self) -> Tuple[str, Mapping[str, Any]]:
        return "layout", {"layout": self}

    @property
    def size(self) -> int:
        """Points of the box."""
        return int(lib.zlay_layout_size(self._of))

    def __len__(self) -> int:
        return self.size

    @property
    def box(self) -> Tuple[int, ...]:
        """The extents of the top-level modes; 0: it depends on parameters."""
        count = lib.zlay_layout_box(ffi.NULL, 0, self._of)
        extents = _new("uint64_t[]", count)
        lib.zlay_layout_box(extents, count, self._of)
        return tuple(extents)

    @property
    def cosize(self) -> int:
        """1 + the greatest value - min(0, the least value)."""
        out = _new("uint64_t *")
        status = lib.zlay_layout_cosize(context(), out, self._of)
        if status:
            raise fail(status)
        return int(out[0])

    # ---- values ------------------------------------------------------------------

    def index(self, coordinate: Coordinate) -> int:
        """The index of a coordinate, the first mode fastest.

        >>> import zlay
        >>> zlay.Layout("(4,8):(8,1)").index((3, 5))
        23
        """
        text, out = _text(coordinate), _new("uint64_t *")
        status = lib.zlay_layout_index(context(), out, self._of, text, len(text))
        if status:
            raise fail(status)
        return int(out[0])

    def __call__(self, *coordinate: Any) -> Any:
        """The value at an index, one integer, or at a coordinate; a tuple where there are several outputs."""
        at = coordinate[0] if len(coordinate) == 1 else coordinate
        index = at if type(at) is int else self.index(at)
        outs = self._outs or self._outputs()
        out = _new("int64_t[]", outs)
        try:
            status = _eval(out, outs, self._of, index)
        except OverflowError:
            status = lib.ZLAY_EINVAL
        if status:
            raise self._no_value(status, index)
        return out[0] if outs == 1 else tuple(out)

    def _no_value(self, status: int, index: int) -> Error:
        if status == lib.ZLAY_NONE:
            return fail(status, f"the layout is undefined at index {index}")
        if not 0 <= index < self.size:
            return fail(status, f"index {index} is outside [0, {self.size})")
        return fail(status, "the layout depends on parameters: bind them first")

    def offsets(self, indices: Any = None, undefined: Optional[int] = None) -> numpy.ndarray[Any, Any]:
        """The values at all indices, or at those of an array, as NumPy's int64: one axis more where there are several outputs.

        `undefined` is put where the layout has no value; without it such a layout is refused.

        >>> import zlay
        >>> zlay.Layout("(2,3):(3,1)").offsets()
        array([0, 3, 1, 4, 2, 5])
        >>> zlay.Layout("(2,3):(3,1)").offsets([[1, 2], [3, 4]])
        array([[3, 1],
               [4, 2]])
        """
        import numpy

        if indices is None:
            at, shape, index = ffi.NULL, (self.size,), None
        else:
            index = numpy.ascontiguousarray(indices)
            if index.dtype.kind not in "iu" or (index.size and index.min() < 0):
                raise Error("EINVAL", "indices are integers, 0 or greater")
            index = index.astype(numpy.uint64, copy=False)
            at, shape = ffi.from_buffer("uint64_t[]", index), index.shape
        outs = self._outs or self._outputs()
        values = numpy.empty((*shape, outs), numpy.int64)
        count = values.size // outs
        there = numpy.ones(count, numpy.uint8)
        defined = ffi.NULL if undefined is None else ffi.from_buffer("uint8_t[]", there)
        status = lib.zlay_layout_eval_many(ffi.from_buffer("int64_t[]", values), defined, self._of, at, 0, count)
        if status:
            raise fail(status, "an index is outside the box, the layout depends on parameters, or it is undefined somewhere: "
                               "give `undefined` a value")
        if undefined is not None:
            values.reshape(count, outs)[there == 0] = undefined
        return values[..., 0] if outs == 1 else values

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> numpy.ndarray[Any, Any]:
        """The offsets by coordinate: `numpy.asarray(layout)[i, j]` is `layout(i, j)`.

        >>> import numpy, zlay
        >>> numpy.asarray(zlay.Layout("(2,3):(3,1)"))
        array([[0, 1, 2],
               [3, 4, 5]])
        """
        if copy is False:
            raise ValueError("a layout has no array of its own")
        flat = self.offsets()
        grid = flat.reshape((*self.box, *flat.shape[1:]), order="F")
        return grid if dtype is None else grid.astype(dtype)

    # ---- operations ----------------------------------------------------------------

    def __matmul__(self, other: LayoutLike) -> Layout:
        """x -> self(other(x)); a text may be a tiler, as "<4;8>"."""
        if isinstance(other, str) and other.lstrip().startswith("<"):
            data = other.encode()
            return Layout._from(lib.zlay_layout_compose_tiler, self._of, data, len(data))
        return Layout._from(lib.zlay_layout_compose, self._of, _layout(other)._of)

    def coalesce(self) -> Layout:
        """The same function in the fewest flat modes.

        >>> import zlay
        >>> zlay.Layout("(4,2):(1,4)").coalesce()
        Layout('8:1')
        """
        return Layout._from(lib.zlay_layout_coalesce, self._of)

    def complement(self, cotarget: int) -> Layout:
        """What it lacks to be compact up to `cotarget` values."""
        return Layout._from(lib.zlay_layout_complement, self._of, cotarget)

    def inverse(self) -> Layout:
        """A layout L with L(self(i)) = i, or ProvedNone with two indices of one value.

        >>> import zlay
        >>> a = zlay.Layout("(4,8):(8,1)")
        >>> a.inverse()(a(11))
        11
        """
        return Layout._from(lib.zlay_layout_left_inverse, self._of)

    def right_inverse(self) -> Layout:
        """The longest R with self(R(i)) = i."""
        return Layout._from(lib.zlay_layout_right_inverse, self._of)

    def divide(self, tiler: LayoutLike, arrangement: str = "logical") -> Layout:
        """The tile, then the rest; `tiler` is a layout or a text as "<64;32>", `arrangement` logical, zipped, tiled or flat.

        >>> import zlay
        >>> zlay.Layout("(128,64):(64,1)").divide("<64;32>", "zipped")
        Layout('((64,32),(2,2)):((64,1),(4096,32))')
        """
        return self._arranged("divide", tiler, arrangement)

    def product(self, other: LayoutLike, arrangement: str = "logical") -> Layout:
        """It, repeated as `other` says; `arrangement` also blocked or raked."""
        if arrangement in ("blocked", "raked"):
            return Layout._from(getattr(lib, f"zlay_layout_{arrangement}_product"), self._of, _layout(other)._of)
        return self._arranged("product", other, arrangement)

    def _arranged(self, name: str, by: LayoutLike, arrangement: str) -> Layout:
        number = getattr(lib, f"ZLAY_{arrangement.upper()}", None) if arrangement in _ARRANGEMENTS else None
        if number is None:
            raise Error("EINVAL", f"an arrangement is {', '.join(_ARRANGEMENTS)}, not '{arrangement}'")
        if isinstance(by, str) and by.lstrip().startswith("<"):
            data = by.encode()
            return Layout._from(getattr(lib, f"zlay_layout_{name}_tiler"), self._of, data, len(data), number)
        return Layout._from(getattr(lib, f"zlay_layout_{name}"), self._of, _layout(by)._of, number)

    def flatten(self) -> Layout:
        """The same function with its modes side by side."""
        return Layout._from(lib.zlay_layout_flatten, self._of)

    def group(self, begin: int, end: int) -> Layout:
        """The same function with the top-level modes begin to end - 1 as one."""
        return Layout._from(lib.zlay_layout_group, self._of, begin, end)

    def flip(self, mode: int) -> Layout:
        """Coordinate c of a mode becomes extent - 1 - c."""
        return Layout._from(lib.zlay_layout_flip, self._of, mode)

    def upcast(self, n: int) -> Layout:
        """Values in units of n."""
        return Layout._from(lib.zlay_layout_upcast, self._of, n)

    def downcast(self, n: int) -> Layout:
        """Values in units of 1/n."""
        return Layout._from(lib.zlay_layout_downcast, self._of, n)

    def bind(self, **values: int) -> Layout:
        """Numbers in the place of parameters.

        >>> import zlay
        >>> zlay.Layout("(64,32):(ld,1)").bind(ld=128)
        Layout('(64,32):(128,1)')
        """
        names = [_new("char[]", name.encode()) for name in values]
        return Layout._from(lib.zlay_layout_bind, self._of, len(names), names, list(values.values()))

    def lower(self) -> F2:
        """The F2-linear layout of the same function, or ProvedNone with two indices that show why not.

        >>> import zlay
        >>> zlay.Layout("(2,4):(4,1)").lower()
        F2('f2{in0: (4); in1: (1) (2) -> out0: 8}')
        """
        from .f2 import F2

        return F2._from(lib.zlay_layout_lower, self._of)

    def __getitem__(self, key: Any) -> Any:
        """Slices keep a mode, integers fix it; the value where every mode is fixed.

        >>> import zlay
        >>> a = zlay.Layout("(4,8):(8,1)")
        >>> a[2, :]
        Layout('16 o (8):(1)')
        >>> a[1:, ::2]
        Layout('8 o (3,4):(8,2)')
        >>> a[3, 5]
        29
        """
        keys, box = (key if isinstance(key, tuple) else (key,)), self.box
        if len(keys) > len(box):
            raise IndexError(f"{len(keys)} modes of {len(box)}")
        keys += (slice(None),) * (len(box) - len(keys))
        kept, fixed = self, []
        for mode, (at, extent) in enumerate(zip(keys, box)):
            fixed.append(None if isinstance(at, slice) else range(extent)[at] if isinstance(at, int) and extent else at)
            if isinstance(at, slice) and at != slice(None):
                if not extent:
                    raise Error("ENOTSUP", f"the extent of mode {mode} depends on parameters: bind them first")
                by = _new("zlay_slice *", (mode, *at.indices(extent)))
                kept = Layout._from(lib.zlay_layout_slice, kept._of, by)
        if all(at is not None for at in fixed):
            return self(*fixed)
        if all(at is None for at in fixed):
            return kept
        text = _text(tuple(fixed))
        return Layout._from(lib.zlay_layout_slice_at, kept._of, text, len(text))

    # ---- decisions -----------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self._decided(_equal, other._of)

    def is_injective(self) -> bool:
        """Whether no two points have one value; `zlay.ops.layout.is_injective` has the witness.

        >>> import zlay
        >>> zlay.Layout("(4,8):(4,1)").is_injective()
        False
        """
        return self._decided(lib.zlay_layout_is_injective)

    def is_bijective(self) -> bool:
        """Whether it is a bijection onto [0, size), or onto the box of its outputs."""
        return self._decided(lib.zlay_layout_is_bijective)

    def _decided(self, decider: Any, *others: Any) -> bool:
        answer = _new("zlay_answer *")
        status = decider(context(), answer, ffi.NULL, self._of, *others)
        if status:
            raise fail(status)
        if answer[0] < 0:
            raise undecided()
        return bool(answer[0])


_ARRANGEMENTS = ("logical", "zipped", "tiled", "flat")


def _layout(value: LayoutLike) -> Layout:
    """A layout of what stands for one."""
    if isinstance(value, Layout):
        return value
    if isinstance(value, str):
        return Layout(value)
    from .f2 import F2

    return F2.of(value)
