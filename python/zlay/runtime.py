# SPDX-License-Identifier: Apache-2.0
"""Devices and launches by libzlay-runtime: the driver is found when a device is first asked for (zlay/runtime.h).

A device here is the primary context of its GPU, which torch, JAX and CuPy use too.
"""
from __future__ import annotations

import functools
import sys
import threading
from typing import Any

from ._lib import context, fail, ffi, library, made
from .tensormap import TensorMap
from .tensors import tensor

__all__ = ["Kernel", "encode", "stream_of"]


def _runtime() -> Any:
    return library("zlay-runtime")


class _Device:
    """An opened device, for one thread at a time; it stays open, for kernels on it may be freed at any time."""

    def __init__(self, ordinal: int) -> None:
        out = ffi.new("zlay_device **")
        status = _runtime().zlay_device_open(context(), out, ordinal)
        if status:
            raise fail(status)
        self.lock, self.of = threading.RLock(), out[0]


@functools.lru_cache(maxsize=None)
def _device(ordinal: int) -> _Device:
    return _Device(ordinal)


def encode(map: TensorMap, device: int = 0) -> bytes:
    """The 128 bytes of a tensor map as this machine's driver writes them."""
    words, on = ffi.new("uint64_t[16]"), _device(device)
    with on.lock:
        status = _runtime().zlay_device_encode_tensormap(context(), words, on.of, map._map)
    if status:
        raise fail(status)
    return bytes(ffi.buffer(words))


def stream_of(stream: Any, x: Any) -> int:
    """The address of a stream: an integer, a stream of torch or CuPy, by `__cuda_stream__`; None: torch's current one for a
    tensor of torch, else the default stream."""
    if stream is None and type(x).__module__.split(".")[0] == "torch":
        stream = sys.modules["torch"].cuda.current_stream(x.device)
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if hasattr(stream, "__cuda_stream__"):
        of = stream.__cuda_stream__
        return int((of() if callable(of) else of)[1])
    return int(stream or 0)


def device_of(x: Any) -> int:
    """The number of the device on which an array lies."""
    index = getattr(getattr(x, "device", None), "index", None)
    if isinstance(index, int):
        return index
    number = getattr(getattr(x, "device", None), "id", 0)
    return number if isinstance(number, int) else 0


class Kernel:
    """A kernel of a plan, loaded on a device."""

    def __init__(self, plan: Any, text: str, name: str, ordinal: int) -> None:
        run, image = _runtime(), text.encode()
        self._device = _device(ordinal)
        with self._device.lock:
            self._of = made(run.zlay_kernel_load, "zlay_kernel **", run.zlay_kernel_free, self._device.of, plan, image, len(image),
                            name.encode())

    def launch(self, a: Any, b: Any, d: Any, stream: Any = None) -> None:
        """Bind three arrays and launch on a stream, without waiting."""
        run, on = _runtime(), stream_of(stream, d)
        at = [tensor(x).address for x in (a, b, d)]
        with self._device.lock:
            status = run.zlay_kernel_bind(context(), self._of, *at)
            status = status or run.zlay_kernel_launch(context(), self._of, ffi.cast("void *", on))
            if status:
                raise fail(status)
