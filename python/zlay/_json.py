# SPDX-License-Identifier: Apache-2.0
"""Requests of `zlay batch` in process (zlay/json.h): fields in, the value of "ok" out, all else an exception."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from ._lib import context, fail, ffi, lib, library
from .errors import Error, ProvedNone, Undecided

__all__ = ["Integers", "Matrix", "Number", "Value", "call", "plain"]

#: An integer; a text of digits, "0x..." or a polynomial in names, where the operation takes those.
Number = Union[int, str]
if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]
#: A list of integers, or an array of NumPy of one dimension; the same of two.
Integers = Union[Sequence[Number], "Array"]
Matrix = Union[Sequence[Integers], "Array"]
#: What JSON has, and every object of this package.
Value = Any

_ROOM = 1 << 14
_EXACT = 1 << 53


def plain(value: Any) -> Any:
    """A value as JSON: objects of this package by their text or fields, NumPy's by their numbers."""
    if value is None or isinstance(value, (str, bool, float)):
        return value
    if isinstance(value, int):
        return value if -_EXACT <= value <= _EXACT else str(value)
    if hasattr(value, "_json_"):
        return value._json_()
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence):
        return [plain(inner) for inner in value]
    if hasattr(value, "__index__"):
        return plain(value.__index__())
    raise TypeError(f"a field of a request cannot be a {type(value).__name__}")


def _answer(line: bytes) -> bytes:
    ask, room = library("zlay-json").zlay_json_call, _ROOM
    while True:
        memory = ffi.new("char[]", room)
        out = ffi.new("zlay_buf *", {"text": memory, "room": room})
        status = ask(context(), out, line, len(line))
        if not status:
            return bytes(ffi.buffer(memory, out.need))
        if status != lib.ZLAY_EROOM:
            raise fail(status)
        room = out.need + 1


def call(op: str, /, **fields: Value) -> Any:
    """Answer one request of docs/batch.md; fields that are None are left out.

    >>> import zlay
    >>> zlay.call("layout.compose", a="(6,2):(8,2)", b="(4,3):(3,1)")
    '((2,2),3):((24,2),8)'
    """
    request = {name: plain(value) for name, value in fields.items() if value is not None}
    answer = json.loads(_answer(json.dumps({"op": op, **request}).encode()))
    if "ok" in answer:
        return answer["ok"]
    if "none" in answer:
        raise ProvedNone("NONE", answer["none"])
    if "undecided" in answer:
        raise Undecided("UNDECIDED", answer["undecided"])
    raise Error(answer["error"], answer["message"])
