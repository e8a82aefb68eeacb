# SPDX-License-Identifier: Apache-2.0
"""Kernels that move rows whose counts only the device knows: their text, and their launch on tensors (docs/ragged_copies.md).

>>> import zlay
>>> r = zlay.plan.rows("concatenate", groups=8, target_rows=4096, row_bytes=512)
>>> r.arguments, "__global__" in r.text
(('target', 'sources', 'offsets'), True)
"""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

from . import arguments as given_by
from ._lib import context, cstring, ffi, lib, printed
from .arguments import Argument
from .errors import Error
from .request import filled

__all__ = ["Rows"]

_NAME = b"rows"
_WORDS = {"kind": "ROWS", "language": "TEXT"}


def _type(name: str) -> int:
    """Of the elements of a list on the device; 0: rows, of any type and pitch."""
    return int(lib.ZLAY_TYPE_S32 if name.endswith("offsets") else 0 if name in ("target", "source") else lib.ZLAY_TYPE_U64)


class Rows:
    """A kernel that moves rows, made by `zlay.plan.rows`; called `rows`, in CUDA C or HIP."""

    def __init__(self, kind: str, language: str = "cuda", **fields: Any) -> None:
        self._name = ffi.new("char[]", _NAME)
        self._ask = filled("zlay_rows_kernel", {"kind": kind, "language": language, **fields}, _WORDS, (), "plan.rows")
        self._ask.name, self._ask.name_length = self._name, len(_NAME)
        self._launch = ffi.new("zlay_rows_launch *")
        #: The kernel's text.
        self.text = printed(lambda out: lib.zlay_emit_rows(context(), out, self._launch, self._ask))
        self._kernels: Dict[int, Any] = {}

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return int(self._launch.threads)

    @property
    def blocks(self) -> int:
        """The most blocks that have work."""
        return int(self._launch.blocks)

    @property
    def _arguments(self) -> List[Argument]:
        names: List[str] = []
        while True:
            name = lib.zlay_rows_argument_nth(self._ask.kind, len(names))
            if not name:
                return [Argument(n, lib.ZLAY_ARGUMENT_POINTER, _type(n)) for n in names]
            names.append(cstring(name))

    @property
    def arguments(self) -> Tuple[str, ...]:
        """The names of the kernel's parameters."""
        return tuple(a.name for a in self._arguments)

    def load(self, image: bytes, device: int = 0) -> None:
        """Load what a compiler made of the text, a cubin or PTX, in which the kernel's name is `rows` (extern "C")."""
        from .runtime import Kernel

        data = ffi.from_buffer(image)
        ask = ffi.new("zlay_rows_image *", {"size": ffi.sizeof("zlay_rows_image"), "rows": self._ask, "launch": self._launch,
                                            "image": data, "length": len(data)})
        self._kernels[device] = Kernel(device, "zlay_kernel_load_rows", ask)

    def launch(self, stream: Any = None, **arguments: Any) -> None:
        """Run it without waiting: on `stream`, or torch's current one. `arguments` are arrays of the device by the names of the parameters;
        offsets may be integers of the host, which are checked against the rows of their tensor."""
        from .runtime import device_of, stream_of

        given = given_by.given(self._arguments, arguments)
        x = arguments.get("target", arguments.get("source"))
        ordinal = device_of(x)
        if ordinal not in self._kernels:
            raise Error("EINVAL", f"no image is loaded on device {ordinal}: compile the text, and `load` it")
        self._kernels[ordinal].launch(stream_of(stream, x), given)

    def __repr__(self) -> str:
        return f"<zlay.Rows {', '.join(self.arguments)}>"
