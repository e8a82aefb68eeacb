# SPDX-License-Identifier: Apache-2.0
"""Pipes: asynchronous events, decided for every trip count (docs/pipe.md)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Tuple, Union

from ._json import call
from ._lib import context, ffi, lib, made, printed
from .shown import Shown

if TYPE_CHECKING:
    from .verdict import Verdict

__all__ = ["Pipe", "PipeLike"]


class Pipe(Shown):
    """A pipe of its text, an immutable object; Error names the line that does not read."""

    __slots__ = ("_of",)
    _of: Any

    def __init__(self, text: str) -> None:
        data = text.encode()
        self._of = made(lib.zlay_pipe_parse, "zlay_pipe **", lib.zlay_pipe_free, data, len(data))

    def __str__(self) -> str:
        return printed(lambda out: lib.zlay_pipe_print(out, self._of))

    _json_ = __str__

    def _view_(self) -> Tuple[str, Mapping[str, Any]]:
        return "pipe", {"pipe": self}

    def __repr__(self) -> str:
        return f"<zlay.Pipe of {str(self).count(chr(10))} lines>"

    def verify(self, proof: bool = False) -> Verdict:
        """Yes for every trip count, with `proof` its text in `raw["proof"]`; Refused with the lines that break a rule; or Undecided."""
        from .verdict import asked

        return asked("pipe.verify", pipe=self, proof=proof)

    def trace(self) -> str:
        """A run to the fault: trip counts, events in an order that can happen, the rule. ProvedNone where no run has one."""
        return printed(lambda out: lib.zlay_pipe_trace(context(), out, self._of))

    def fences(self) -> Pipe:
        """The pipe with the fewest fences that make it correct."""
        return Pipe(call("pipe.fences", pipe=self)["pipe"])

    def emit(self, target: str, language: str = "ptx", name: str = "kernel", **fields: Any) -> str:
        """A correct pipe as a kernel; `language` is ptx or cuda, `fields` are those of docs/kernels.md."""
        return str(call("emit", what="pipe", target=target, language=language, name=name, pipe=self, **fields)["text"])


#: A pipe or its text.
PipeLike = Union[Pipe, str]
