# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `f2.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Number, Value, call as _call
from ..f2 import F2
from ..layout import Layout, LayoutLike
from ._answers import f2 as _f2

__all__ = ["compose", "concat_ins", "concat_outs", "divide_left", "divide_right", "free_variable_masks", "invert",
           "invert_and_compose", "lstsq", "product", "pseudoinvert", "quotient", "reshape_ins", "reshape_outs",
           "sublayout", "transpose_ins", "transpose_outs"]


def compose(inner: LayoutLike, outer: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """x -> outer(inner(x)), the outputs of inner and the inputs of outer matched by name."""
    return _f2("f2.compose", inner=inner, outer=outer, limits=limits)


def concat_ins(a: LayoutLike, b: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """The inputs of both over outputs that are the same."""
    return _f2("f2.concat_ins", a=a, b=b, limits=limits)


def concat_outs(a: LayoutLike, b: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """The outputs of both over inputs that are the same."""
    return _f2("f2.concat_outs", a=a, b=b, limits=limits)


def divide_left(a: LayoutLike, b: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """c with b * c = a, in the dimensions of a."""
    return _f2("f2.divide_left", a=a, b=b, limits=limits)


def divide_right(a: LayoutLike, b: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """c with c * b = a, in the dimensions of a."""
    return _f2("f2.divide_right", a=a, b=b, limits=limits)


def free_variable_masks(layout: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The bits of each input that change nothing which the bits before them do not."""
    return _call("f2.free_variable_masks", layout=layout, limits=limits)


def invert(layout: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """The inverse of a bijection, or none with two indices of one value or a value not reached."""
    return _f2("f2.invert", layout=layout, limits=limits)


def invert_and_compose(this: LayoutLike, outer: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """C with outer(C(x)) = this(x); an input with the same bases in both goes to itself."""
    return _f2("f2.invert_and_compose", this=this, outer=outer, limits=limits)


def lstsq(a: LayoutLike, b: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """X with a(X(x)) = b(x), free variables 0."""
    return _f2("f2.lstsq", a=a, b=b, limits=limits)


def product(factors: Sequence[Value], *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """The product of layouts, the first minor: dimensions of one name are joined."""
    return _f2("f2.product", factors=factors, limits=limits)


def pseudoinvert(layout: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """The right inverse with free variables 0 of a layout that is onto."""
    return _f2("f2.pseudoinvert", layout=layout, limits=limits)


def quotient(layout: LayoutLike, dims: Sequence[str], *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """The layout without dimensions (a list of names) on which it is the identity, and which act on no other."""
    return _f2("f2.quotient", layout=layout, dims=dims, limits=limits)


def reshape_ins(layout: LayoutLike, dims: Sequence[Sequence[Number]], *,
        limits: Optional[Mapping[str, int]] = None) -> F2:
    """Other inputs over the same bits: [[name, size], ..], the first minor."""
    return _f2("f2.reshape_ins", layout=layout, dims=dims, limits=limits)


def reshape_outs(layout: LayoutLike, dims: Sequence[Sequence[Number]], *,
        limits: Optional[Mapping[str, int]] = None) -> F2:
    """Other outputs over the same bits: [[name, size], ..], the first minor."""
    return _f2("f2.reshape_outs", layout=layout, dims=dims, limits=limits)


def sublayout(layout: LayoutLike, ins: Sequence[str], outs: Sequence[str], *,
        limits: Optional[Mapping[str, int]] = None) -> F2:
    """Some inputs, the others 0, and some outputs, each in the order of the layout."""
    return _f2("f2.sublayout", layout=layout, ins=ins, outs=outs, limits=limits)


def transpose_ins(layout: LayoutLike, order: Sequence[str], *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """The inputs in another order, a list of names."""
    return _f2("f2.transpose_ins", layout=layout, order=order, limits=limits)


def transpose_outs(layout: LayoutLike, order: Sequence[str], *, limits: Optional[Mapping[str, int]] = None) -> F2:
    """The outputs in another order, a list of names."""
    return _f2("f2.transpose_outs", layout=layout, order=order, limits=limits)
