# SPDX-License-Identifier: Apache-2.0
"""Devices and launches by libzlay-runtime: the driver is found when a device is first asked for (zlay/runtime.h).

A device here is the primary context of its GPU, which torch, JAX and CuPy use too.
"""
from __future__ import annotations

import functools
import sys
import threading
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from ._lib import context, fail, ffi, library, made
from .arguments import Counts, Given
from .tensormap import TensorMap
from .tensors import dense

__all__ = ["Kernel", "device_of", "encode", "stream_of"]


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
        torch = sys.modules["torch"]
        current = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)  # a tenth of the time of current_stream
        if current is not None:
            return int(current(x.device.index))
        stream = torch.cuda.current_stream(x.device)
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


class Memory:
    """Bytes on a device, freed when nothing refers to them any more."""

    def __init__(self, ordinal: int, bytes: int) -> None:
        run, device, out = _runtime(), _device(ordinal), ffi.new("uint64_t *")
        with device.lock:
            status = run.zlay_device_allocate(context(), out, device.of, bytes)
        if status:
            raise fail(status)
        self.address = address = int(out[0])
        self._keep = ffi.gc(ffi.cast("void *", address), lambda _: run.zlay_device_free(device.of, address))


class Kernel:
    """A kernel of a plan, loaded on a device by a function `zlay_kernel_load*`; what it is given stays for the launches that follow."""

    def __init__(self, ordinal: int, load: str, *request: Any) -> None:
        run = _runtime()
        self._device = _device(ordinal)
        with self._device.lock:
            self._of = made(getattr(run, load), "zlay_kernel **", run.zlay_kernel_free, self._device.of, *request)
        self._has: Dict[str, Union[bytes, Counts]] = {}  # what it was given, which is not given again
        self._bound: Optional[Tuple[int, int, int]] = None
        self._workspace: Optional[Tuple[int, int, Any]] = None

    def launch(self, stream: int, given: Mapping[str, Given], bound: Optional[Tuple[int, int, int]] = None, workspace: Any = None) -> None:
        """Give it its arguments, and the addresses of A, B and D where it has those, and launch without waiting."""
        run = _runtime()
        with self._device.lock:
            if workspace is not None:
                self._work_in(workspace)
            if bound and bound != self._bound:
                self._bound = None
                _hold(run.zlay_kernel_bind(context(), self._of, *bound))
                self._bound = bound
            for name, value in given.items():
                self._give(name, value)
            _hold(run.zlay_kernel_launch(context(), self._of, ffi.cast("void *", stream)))

    def _give(self, name: str, value: Given) -> None:
        """An address or a scalar; or numbers of the host, which are copied, and waited for."""
        run, text = _runtime(), name.encode()
        has: Union[bytes, Counts] = value if isinstance(value, Counts) else bytes(ffi.buffer(value))
        if self._has.get(name) == has:
            return
        self._has.pop(name, None)
        if isinstance(value, Counts):
            set = run.zlay_kernel_set_lengths if value.are_lengths else run.zlay_kernel_set_offsets
            _hold(set(context(), self._of, text, value.numbers, len(value.numbers)))
        else:
            _hold(run.zlay_kernel_set(context(), self._of, text, value, ffi.sizeof(ffi.typeof(value).item)))
        self._has[name] = has

    def _work_in(self, workspace: Any) -> None:
        """Use an array as the workspace, which it clears where it is another than before."""
        of = dense(workspace, "workspace")
        if self._workspace is None or self._workspace[:2] != (of.address, of.size):
            self._workspace = self._bound = None
            _hold(_runtime().zlay_kernel_set_workspace(context(), self._of, of.address, of.size))
        self._workspace = of.address, of.size, workspace


def _hold(status: int) -> None:
    if status:
        raise fail(status)
