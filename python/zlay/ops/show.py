# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `show.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, Value, call as _call
from ..layout import Layout, LayoutLike
from ..tensormap import MapLike

__all__ = ["banks", "box", "buffer", "idesc", "layout", "smemdesc", "swizzle", "tensormap"]


def banks(target: str, instruction: str, addresses: Value, *, offset0: Optional[Number] = None,
        offset1: Optional[Number] = None, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of an access to shared memory (the fields are those of bank.count): the lanes that each bank
    serves in each wavefront, phase by phase; lanes that conflict are marked."""
    return _call("show.banks", target=target, instruction=instruction, addresses=addresses, offset0=offset0,
        offset1=offset1, form=form, width=width, colour=colour, limits=limits)


def box(map: MapLike, coordinates: Value, *, offsets: Optional[Value] = None, smem: Optional[Number] = None,
        form: Optional[Number] = None, width: Optional[Number] = None, colour: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of a tensor copy's box in shared memory, swizzled as it is written: which elements of the tensor
    each 16 bytes have, and what is filled in outside the tensor."""
    return _call("show.box", map=map, coordinates=coordinates, offsets=offsets, smem=smem, form=form, width=width,
        colour=colour, limits=limits)


def buffer(target: str, desc: str, *, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of the 128 bits of a buffer resource."""
    return _call("show.buffer", target=target, desc=desc, form=form, width=width, colour=colour, limits=limits)


def idesc(target: str, kind: Number, desc: Number, *, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of the 32 bits of an instruction descriptor."""
    return _call("show.idesc", target=target, kind=kind, desc=desc, form=form, width=width, colour=colour,
        limits=limits)


def layout(layout: LayoutLike, *, labels: Optional[Number] = None, rows: Optional[Number] = None,
        columns: Optional[Number] = None, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of a layout: the value of each coordinate, or, of a layout from threads and values to elements of
    rows x columns (labels: holders), the thread that holds each element."""
    return _call("show.layout", layout=layout, labels=labels, rows=rows, columns=columns, form=form, width=width,
        colour=colour, limits=limits)


def smemdesc(target: str, desc: Number, *, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of the 64 bits of a matrix descriptor."""
    return _call("show.smemdesc", target=target, desc=desc, form=form, width=width, colour=colour, limits=limits)


def swizzle(elem_bits: Number, before: LayoutLike, after: LayoutLike, *, banks: Optional[Number] = None,
        values: Optional[Number] = None, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of a tile in shared memory before and after a swizzle, two layouts of the same elements: the bank
    of each, or with values its place."""
    return _call("show.swizzle", elem_bits=elem_bits, before=before, after=after, banks=banks, values=values,
        form=form, width=width, colour=colour, limits=limits)


def tensormap(target: str, words: Value, *, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of a tensor map's 128 bytes (16 words or 256 hex digits): each field's bits, name and value, and
    the verdict of tensormap.check."""
    return _call("show.tensormap", target=target, words=words, form=form, width=width, colour=colour, limits=limits)
