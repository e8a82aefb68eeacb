# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `layout.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Integers, Number, Value, call as _call
from ..f2 import F2
from ..layout import Layout, LayoutLike
from ._answers import f2 as _f2, layout as _layout

__all__ = ["blocked_product", "coalesce", "complement", "compose", "concat", "contained", "dice", "downcast",
           "equal", "eval", "factor", "flat_divide", "flat_product", "flatten", "flip", "group", "import_",
           "is_bijective", "is_injective", "is_surjective", "left_inverse", "lift", "logical_divide",
           "logical_product", "lower", "max_common_layout", "max_common_vector", "pad", "parse", "raked_product",
           "restrict", "right_inverse", "slice", "slice_at", "structure", "tiled_divide", "tiled_product", "union",
           "upcast", "vector_width", "zipped_divide", "zipped_product"]


def blocked_product(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The product with modes paired, ((a0,b0),(a1,b1),...): blocks of a."""
    return _layout("layout.blocked_product", a=a, b=b, facts=facts, limits=limits)


def coalesce(layout: LayoutLike, *, profile: Optional[str] = None, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The same function in the fewest flat modes; by profile, as "(1,(1,1))", under each of its integers."""
    return _layout("layout.coalesce", layout=layout, profile=profile, facts=facts, limits=limits)


def complement(layout: LayoutLike, cotarget: Number, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """What a layout lacks to be compact up to cotarget values."""
    return _layout("layout.complement", layout=layout, cotarget=cotarget, facts=facts, limits=limits)


def compose(a: LayoutLike, b: LayoutLike, *, partial: Optional[bool] = None, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The layout x -> a(b(x)) on the box of b; with partial: true undefined where b leaves the box of an f2,
    modular or piecewise a; b may be a tiler <t0;t1;...>."""
    return _layout("layout.compose", a=a, b=b, partial=partial, facts=facts, limits=limits)


def concat(a: LayoutLike, b: LayoutLike, mode: Number, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """b behind a along a mode; the other modes have the same extents."""
    return _layout("layout.concat", a=a, b=b, mode=mode, facts=facts, limits=limits)


def contained(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Whether every value of a is a value of b; if not, an index of a and its value, which b lacks."""
    return _call("layout.contained", a=a, b=b, facts=facts, limits=limits)


def dice(layout: LayoutLike, at: str, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The modes that a coordinate text fixes; those at its blanks are dropped."""
    return _layout("layout.dice", layout=layout, at=at, facts=facts, limits=limits)


def downcast(layout: LayoutLike, n: Number, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """Values in units of 1/n."""
    return _layout("layout.downcast", layout=layout, n=n, facts=facts, limits=limits)


def equal(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Whether two layouts have one size and one value at every index, for all parameters that the facts allow; if
    not, where they first differ."""
    return _call("layout.equal", a=a, b=b, facts=facts, limits=limits)


def eval(layout: LayoutLike, at: Sequence[Value], *, params: Optional[Mapping[str, Value]] = None,
        facts: Optional[Sequence[str]] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The values at indices (integers) or coordinates (nested lists)."""
    return _call("layout.eval", layout=layout, at=at, params=params, facts=facts, limits=limits)


def factor(target: str, layout: LayoutLike, *, elem_bits: Optional[Number] = None, desc: Optional[str] = None,
        name: Optional[str] = None, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """L = R o L_desc for a layout tile -> shared offset or (register, lane, warp): what a descriptor does, what is
    left to threads, and the least word for it; with a name, as the PTX of a kernel."""
    return _call("layout.factor", target=target, layout=layout, elem_bits=elem_bits, desc=desc, name=name,
        facts=facts, limits=limits)


def flat_divide(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The same as (t0,t1,...,r0,r1,...)."""
    return _layout("layout.flat_divide", a=a, b=b, facts=facts, limits=limits)


def flat_product(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The same as (a0,a1,...,b0,b1,...)."""
    return _layout("layout.flat_product", a=a, b=b, facts=facts, limits=limits)


def flatten(layout: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The same function with its modes side by side."""
    return _layout("layout.flatten", layout=layout, facts=facts, limits=limits)


def flip(layout: LayoutLike, mode: Number, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """Coordinate c of a mode becomes extent - 1 - c."""
    return _layout("layout.flip", layout=layout, mode=mode, facts=facts, limits=limits)


def group(layout: LayoutLike, begin: Number, end: Number, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The same function with the top-level modes begin to end - 1 as one."""
    return _layout("layout.group", layout=layout, begin=begin, end=end, facts=facts, limits=limits)


def import_(text: str, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """A layout from another system's text: Triton's LinearLayout and #ttg.linear, MLIR's memref, CuTe's
    printing."""
    return _layout("layout.import", text=text, facts=facts, limits=limits)


def is_bijective(layout: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Whether a layout is injective and onto [0, size), or onto the box of its outputs; if not, two indices, or
    missed."""
    return _call("layout.is_bijective", layout=layout, facts=facts, limits=limits)


def is_injective(layout: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Whether no two points have one value; if not, two indices of one value."""
    return _call("layout.is_injective", layout=layout, facts=facts, limits=limits)


def is_surjective(layout: LayoutLike, onto: Value, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Whether every value of [0, onto), or of a box of sizes, is reached; if not, the least that is not."""
    return _call("layout.is_surjective", layout=layout, onto=onto, facts=facts, limits=limits)


def left_inverse(layout: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """A layout L with L(layout(i)) = i, or none with two indices of one value."""
    return _layout("layout.left_inverse", layout=layout, facts=facts, limits=limits)


def lift(layout: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same function over the integers, one variable a top-level mode: bits become floor divisions."""
    return _call("layout.lift", layout=layout, facts=facts, limits=limits)


def logical_divide(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """a o (b, complement(b)): the tile, then the rest; b is a layout or a tiler <t0;t1;...>."""
    return _layout("layout.logical_divide", a=a, b=b, facts=facts, limits=limits)


def logical_product(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """(a, complement(a) o b): a, repeated as b says; b is a layout or a tiler."""
    return _layout("layout.logical_product", a=a, b=b, facts=facts, limits=limits)


def lower(layout: LayoutLike, *, out: Optional[Integers] = None, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> F2:
    """The F2-linear layout of the same function, over outputs of the sizes `out` if given, or none with two indices
    that show why."""
    return _f2("layout.lower", layout=layout, out=out, facts=facts, limits=limits)


def max_common_layout(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The longest L with a(L(i)) = b(L(i)) = i."""
    return _layout("layout.max_common_layout", a=a, b=b, facts=facts, limits=limits)


def max_common_vector(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> int:
    """Its size: the widest vector that a copy from one to the other moves whole."""
    return int(_call("layout.max_common_vector", a=a, b=b, facts=facts, limits=limits))


def pad(layout: LayoutLike, mode: Number, before: Number, after: Number, *, fill: Optional[str] = None,
        facts: Optional[Sequence[str]] = None, limits: Optional[Mapping[str, int]] = None) -> Layout:
    """A mode enlarged by cells without a value, or with fill: repeat (the mode again) or zero."""
    return _layout("layout.pad", layout=layout, mode=mode, before=before, after=after, fill=fill, facts=facts,
        limits=limits)


def parse(layout: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Reads a layout: its canonical text, its kind as written, its points, and the span of its values."""
    return _call("layout.parse", layout=layout, facts=facts, limits=limits)


def raked_product(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The product with modes paired, ((b0,a0),(b1,a1),...): a spread out cyclically."""
    return _layout("layout.raked_product", a=a, b=b, facts=facts, limits=limits)


def restrict(layout: LayoutLike, guard: str, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The layout where a condition over x0, x1, .. holds, as "x0 + x1 < 7 and x1 mod 2 = 0"; undefined
    elsewhere."""
    return _layout("layout.restrict", layout=layout, guard=guard, facts=facts, limits=limits)


def right_inverse(layout: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The longest R with layout(R(i)) = i."""
    return _layout("layout.right_inverse", layout=layout, facts=facts, limits=limits)


def slice(layout: LayoutLike, mode: Number, begin: Number, end: Number, *, step: Optional[Number] = None,
        facts: Optional[Sequence[str]] = None, limits: Optional[Mapping[str, int]] = None) -> Layout:
    """Coordinates begin, begin + step, ... of a mode below end, or above it where step is negative, numbered
    anew."""
    return _layout("layout.slice", layout=layout, mode=mode, begin=begin, end=end, step=step, facts=facts,
        limits=limits)


def slice_at(layout: LayoutLike, at: str, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The modes at the blanks of a coordinate text, as "(_,(1,_))"; the rest is in the offset."""
    return _layout("layout.slice_at", layout=layout, at=at, facts=facts, limits=limits)


def structure(layout: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Of an affine layout: lattice, Smith form with transforms, points on a value, longest contiguous line, strided
    form."""
    return _call("layout.structure", layout=layout, facts=facts, limits=limits)


def tiled_divide(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The same as ((t0,t1,...),r0,r1,...)."""
    return _layout("layout.tiled_divide", a=a, b=b, facts=facts, limits=limits)


def tiled_product(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The same as ((a0,a1,...),b0,b1,...)."""
    return _layout("layout.tiled_product", a=a, b=b, facts=facts, limits=limits)


def union(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The values of a and those of b on one box; an error with the point where both have one and not the same."""
    return _layout("layout.union", a=a, b=b, facts=facts, limits=limits)


def upcast(layout: LayoutLike, n: Number, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """Values in units of n, or none with the element that is split."""
    return _layout("layout.upcast", layout=layout, n=n, facts=facts, limits=limits)


def vector_width(layout: LayoutLike, mode: Value, elem_bytes: Number, base_align: Number, *,
        target: Optional[str] = None, space: Optional[Number] = None, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> int:
    """The widest contiguous, aligned access along a mode, an index or a path; global memory unless space says
    shared."""
    return int(_call("layout.vector_width", layout=layout, mode=mode, elem_bytes=elem_bytes, base_align=base_align,
        target=target, space=space, facts=facts, limits=limits))


def zipped_divide(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The same with the tiles' modes together, then the rests': ((t0,t1,...),(r0,r1,...))."""
    return _layout("layout.zipped_divide", a=a, b=b, facts=facts, limits=limits)


def zipped_product(a: LayoutLike, b: LayoutLike, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """The same as ((a0,a1,...),(b0,b1,...))."""
    return _layout("layout.zipped_product", a=a, b=b, facts=facts, limits=limits)
