# SPDX-License-Identifier: Apache-2.0
"""Structs of requests from Python's keywords: members by their names, enumerators and types by their words."""
from __future__ import annotations

import functools
from typing import Any, Collection, Iterable, Mapping, Tuple

from ._lib import cstring, ffi, lib
from .errors import Error
from .tensormap import type_of
from .tensors import Tensor, on_host, tensor

__all__ = ["filled", "member", "several", "wanted"]

#: Words of docs/gemm.md for enumerators that C calls otherwise.
_SYNONYMS = {"col": "column", "1x128": "line", "128x128": "block", "1x32": "line_32", "1x16": "line_16"}


def member(name: str, value: Any, words: Mapping[str, str], types: Collection[str]) -> Any:
    """A member's value: of a type its number, of a word of the enumerators ZLAY_<prefix>_* theirs."""
    if not isinstance(value, str):
        return int(value) if isinstance(value, bool) else value
    if name in types:
        return type_of(value)
    word = _SYNONYMS.get(value, value).upper()
    number = getattr(lib, f"ZLAY_{words[name]}_{word}", None) if name in words else None
    if number is None:
        raise Error("EINVAL", f"field '{name}' cannot be '{value}'")
    return int(number)


def several(name: str, value: Any, count: int) -> Tuple[Any, ...]:
    """The numbers of a field that has `count` of them."""
    each = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else ()
    if len(each) != count:
        raise Error("EINVAL", f"field '{name}' is not {count} numbers")
    return each


def filled(kind: str, fields: Mapping[str, Any], words: Mapping[str, str], types: Collection[str], what: str) -> Any:
    """A struct `kind` with its size and members; Error names a member that it has not, or a value that does not fit."""
    of = ffi.new(f"{kind} *", {"size": ffi.sizeof(kind)})
    known = {name for name, _ in ffi.typeof(kind).fields if name != "size" and not name.startswith("reserved")}
    for name, value in fields.items():
        if name not in known:
            raise Error("EINVAL", f"{what}: no field is called '{name}'")
        if value is None:
            continue
        try:
            setattr(of, name, member(name, value, words, types))
        except (TypeError, OverflowError) as wrong:
            raise Error("EINVAL", f"{what}: field '{name}': {wrong}") from None
    return of


@functools.lru_cache(maxsize=1024)
def _fits(name: str, type: int, shape: Tuple[Any, ...], strides: Tuple[int, ...], t: Tensor) -> None:
    """Error unless an array, whose address is left out, has this type, shape and these strides; what fits is not looked at again."""
    packs = 2 if lib.zlay_type_bits(type) == 4 else 1  # two elements are a byte, along the contiguous dimension
    if 8 * t.bytes != packs * lib.zlay_type_bits(type):
        raise Error("EINVAL", f"{name} has to have elements of {cstring(lib.zlay_type_name(type))}, not {t.type}")
    if packs > 1:
        shape = tuple(n // 2 if s == 1 else n for n, s in zip(shape, strides))
        strides = tuple(s if s == 1 else s // 2 for s in strides)
    fits = len(t.shape) == len(shape) and all(w is None or n == w for n, w in zip(t.shape, shape))
    if not fits or any(s != w * t.bytes for s, w, n in zip(t.strides, strides, t.shape) if n > 1):
        found = tuple(s // t.bytes for s in t.strides)
        asked = ", ".join("any" if n is None else str(n) for n in shape)
        raise Error("EINVAL", f"{name} has to have the shape ({asked}) and the strides {strides}, not {t.shape} and {found}")


def wanted(name: str, x: Any, type: int, shape: Tuple[Any, ...], strides: Tuple[int, ...]) -> int:
    """The address of a device's array of this type, shape (None: any extent) and strides in elements, or Error."""
    if on_host(x):
        raise Error("EINVAL", f"{name} lies on the host: a kernel reads arrays of a device")
    t = tensor(x)
    _fits(name, type, shape, strides, t._replace(address=0))
    return t.address
