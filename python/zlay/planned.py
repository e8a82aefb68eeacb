# SPDX-License-Identifier: Apache-2.0
"""What plans of GEMMs, attention and weights have in common: stages, threads, and a pipe, which is what is drawn of them."""
from __future__ import annotations

from typing import Any, Callable, Mapping, Tuple

from ._lib import lib, printed
from .pipe import Pipe
from .shown import Shown

__all__ = ["Planned"]


class Planned(Shown):
    """A plan with a proved pipe; a subclass has `_of`, the plan, `_info`, its summary, and `_pipe`, which finds the pipe."""

    _of: Any
    _info: Any
    _pipe: Callable[[Any], Any]

    @property
    def stages(self) -> int:
        """Stages of a ring."""
        return int(self._info.stages)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return int(self._info.threads)

    @property
    def pipe(self) -> Pipe:
        """The pipe that is proved."""
        pipe = type(self)._pipe(self._of)
        return Pipe(printed(lambda out: lib.zlay_pipe_print(out, pipe)))

    def _view_(self) -> Tuple[str, Mapping[str, Any]]:
        return "pipe", {"pipe": self.pipe}
