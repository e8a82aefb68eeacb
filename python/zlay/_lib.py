# SPDX-License-Identifier: Apache-2.0
"""The shared libraries beside this file, a context for each thread, and statuses as exceptions."""
from __future__ import annotations

import functools
import os
import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterator

from ._zlay_ffi import ffi
from .errors import Error, ProvedNone, Undecided

__all__ = ["context", "cstring", "fail", "ffi", "lib", "library", "limits", "made", "printed", "undecided", "version"]

_new, _gc = ffi.new, ffi.gc
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")


@functools.lru_cache(maxsize=None)
def library(name: str) -> Any:
    """The functions of libNAME.so, under whatever version it has in its name; it stays loaded, for
    what it made is freed by it, at the process's end too."""
    for file in sorted(os.listdir(_FOLDER)):
        if file.startswith(f"lib{name}.so"):
            return ffi.dlopen(os.path.join(_FOLDER, file), ffi.RTLD_LAZY | ffi.RTLD_NODELETE)
    raise ImportError(f"lib{name}.so is not in {_FOLDER}")


lib = library("zlay")


def cstring(text: Any) -> str:
    """A text of the library that lives in its memory; "" for NULL."""
    return ffi.string(text).decode() if text else ""


def version() -> str:
    """The version of the library, as "0.3.0"."""
    return cstring(lib.zlay_version())


class _Thread(threading.local):
    """A context of the library is for one thread at a time, so each thread has its own."""

    def __init__(self) -> None:
        out = ffi.new("zlay_ctx **")
        status = lib.zlay_ctx_new(out, ffi.NULL, ffi.NULL)
        if status:
            raise Error(cstring(lib.zlay_status_name(status)), "no context")
        self.ctx = ffi.gc(out[0], lib.zlay_ctx_free)


_thread = _Thread()


def context() -> Any:
    """The context of this thread."""
    return _thread.ctx


def fail(status: int, message: str | None = None) -> Error:
    """The exception of a status, with the last message of this thread's context or another."""
    text = cstring(lib.zlay_ctx_message(_thread.ctx)) if message is None else message
    name = cstring(lib.zlay_status_name(status))
    return ProvedNone(name, text) if status == 1 else Error(name, text)


def undecided() -> Undecided:
    return Undecided("UNDECIDED", cstring(lib.zlay_ctx_message(_thread.ctx)))


def made(function: Any, kind: Any, free: Any, *arguments: Any) -> Any:
    """What a maker `function(ctx, T **out, ...)` makes, freed when nothing refers to it any more."""
    out = _new(kind)
    status = function(_thread.ctx, out, *arguments)
    if status:
        raise fail(status)
    return _gc(out[0], free)


def printed(print_to: Callable[[Any], int]) -> str:
    """A text that a function writes to a zlay_buf, which is enlarged until it fits."""
    room = 256
    while True:
        memory = ffi.new("char[]", room)
        out = ffi.new("zlay_buf *", {"text": memory, "room": room})
        status = print_to(out)
        if not status:
            return bytes(ffi.buffer(memory, out.need)).decode()
        if status != lib.ZLAY_EROOM:
            raise fail(status)
        room = out.need + 1


@contextmanager
def limits(**counts: int) -> Iterator[None]:
    """Other limits (docs/errors.md) for the calls of this thread in a `with` block.

    >>> import zlay
    >>> with zlay.limits(points=1000):
    ...     zlay.Layout("(64,64):(1,64)").cosize
    4096
    """
    before = ffi.new("zlay_limits *")
    lib.zlay_ctx_limits(before, _thread.ctx)
    now = ffi.new("zlay_limits *", before[0])
    for name, count in counts.items():
        if name not in {field for field, _ in ffi.typeof("zlay_limits").fields} - {"size", "reserved"}:
            raise Error("EINVAL", f"no limit is called '{name}'")
        setattr(now, name, count)
    _set(now)
    try:
        yield
    finally:
        _set(before)


def _set(limit: Any) -> None:
    limit.size = ffi.sizeof("zlay_limits")
    status = lib.zlay_ctx_set_limits(_thread.ctx, limit)
    if status:
        raise fail(status)
