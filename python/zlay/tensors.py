# SPDX-License-Identifier: Apache-2.0
"""Where an array of torch, JAX, CuPy or NumPy lies: by DLPack, `__cuda_array_interface__` or `__array_interface__`.

No data is copied, and no library of arrays is imported.
"""
from __future__ import annotations

import math
import functools
import re
from typing import Any, NamedTuple, Optional, Tuple

from .errors import Error

__all__ = ["Dense", "Tensor", "dense", "on_host", "tensor"]


class Tensor(NamedTuple):
    """An array in memory: strides in bytes, the last dimension as the array has it last."""

    address: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    type: str  # a name of zlay/type.h
    bytes: int  # of an element

    @property
    def is_dense(self) -> bool:
        """Whether elements lie one behind the other, the last dimension fastest."""
        return all(s == d for s, d, n in zip(self.strides, _dense(self.shape, self.bytes), self.shape) if n > 1)


class Dense(NamedTuple):
    """Memory from an address on, in bytes."""

    address: int
    size: int


#: DLPack's codes of types whose names do not follow from their bits (dlpack.h, DLDataTypeCode).
_DLPACK = {(4, 16): "bf16", (2, 16): "f16", (2, 32): "f32", (2, 64): "f64", (6, 8): "u8", (10, 8): "e4m3",
           (11, 8): "e4m3fnuz", (12, 8): "e5m2", (13, 8): "e5m2fnuz", (14, 8): "ue8m0"}
_KINDS = {"i": "s", "u": "u", "f": "f", "b": "u"}
_TORCH = {"float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2", "float8_e4m3fnuz": "e4m3fnuz", "float8_e5m2fnuz": "e5m2fnuz",
          "float8_e8m0fnu": "ue8m0", "float4_e2m1fn_x2": "u8",  # two elements in a byte
          "bfloat16": "bf16", "float16": "f16", "half": "f16", "bool": "u8"}


def _type_of_dlpack(code: int, bits: int, lanes: int) -> str:
    if lanes == 1 and (code, bits) in _DLPACK:
        return _DLPACK[code, bits]
    if lanes == 1 and code in (0, 1):
        return f"{'su'[code]}{bits}"
    raise Error("ENOTSUP", f"DLPack's type {code} of {bits} bits and {lanes} lanes: give `type`")


def _dlpack(x: Any) -> Tensor:
    import ctypes

    class Array(ctypes.Structure):  # DLTensor
        _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                    ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                    ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = x.__dlpack__()  # it stays unused, so its own destructor gives the export back
    array = Array.from_address(pointer(capsule, b"dltensor"))
    shape = tuple(array.shape[: array.ndim])
    size = (array.bits * array.lanes + 7) // 8
    strides = tuple(size * n for n in array.strides[: array.ndim]) if array.strides else _dense(shape, size)
    return Tensor((array.data or 0) + array.offset, shape, strides, _type_of_dlpack(array.code, array.bits, array.lanes), size)


def _dense(shape: Tuple[int, ...], size: int) -> Tuple[int, ...]:
    strides = []
    for extent in reversed(shape):
        strides.append(size)
        size *= extent
    return tuple(reversed(strides))


def _interface(of: Any, type: Optional[str]) -> Tensor:
    kind, size = of["typestr"][1], int(of["typestr"][2:])
    if type is None and kind not in _KINDS:
        raise Error("ENOTSUP", f"elements of '{of['typestr']}': give `type`")
    shape = tuple(of["shape"])
    return Tensor(int(of["data"][0]), shape, tuple(of["strides"] or _dense(shape, size)), type or f"{_KINDS[kind]}{8 * size}", size)


@functools.lru_cache(maxsize=None)
def _torch_type(dtype: Any, size: int) -> str:
    name = str(dtype).rsplit(".", 1)[-1]
    plain = re.fullmatch(r"(u?)(int|float)(\d+)", name)
    if name not in _TORCH and not plain:
        raise Error("ENOTSUP", f"elements of {name}: give `type`")
    return _TORCH.get(name) or f"{'f' if plain and plain[2] == 'float' else 'u' if plain and plain[1] else 's'}{8 * size}"


def _torch(x: Any) -> Tensor:
    size = int(x.element_size())
    return Tensor(int(x.data_ptr()), tuple(map(int, x.shape)), tuple([size * int(n) for n in x.stride()]), _torch_type(x.dtype, size), size)


def _property(x: Any, name: str) -> Any:
    """An interface of an array, or None; arrays of types that it cannot say raise what they like."""
    try:
        return getattr(x, name, None)
    except (TypeError, RuntimeError, ValueError, NotImplementedError):
        return None


def tensor(x: Any, type: Optional[str] = None) -> Tensor:
    """Where `x` lies; `type` names its elements where the array does not.

    torch says it by attributes of its own, which has no copy, stream or gradient to ask about; others by the array interfaces, and
    what has neither by DLPack.

    >>> import numpy
    >>> tensor(numpy.zeros((2, 3), numpy.float32)).strides
    (12, 4)
    """
    if hasattr(x, "data_ptr") and hasattr(x, "element_size"):
        return _torch(x)
    for name in ("__cuda_array_interface__", "__array_interface__"):
        of = _property(x, name)
        if of is not None and (type or of["typestr"][1] in _KINDS):
            return _interface(of, type)
    if hasattr(x, "__dlpack__"):
        return _dlpack(x)
    raise Error("EINVAL", f"a {x.__class__.__name__} has neither __cuda_array_interface__ nor __dlpack__")


def on_host(x: Any) -> bool:
    """Whether a kernel cannot read `x`: a list, an array of NumPy, a tensor of torch that lies on the CPU.

    >>> import numpy
    >>> on_host([0, 4]), on_host(numpy.zeros(4))
    (True, True)
    """
    if isinstance(x, (list, tuple, range)):
        return True
    if hasattr(x, "data_ptr"):
        return getattr(getattr(x, "device", None), "type", None) == "cpu"
    return _property(x, "__cuda_array_interface__") is None and _property(x, "__array_interface__") is not None


def dense(x: Any, name: str, type: Optional[str] = None) -> Dense:
    """The bytes of an array of a device, or Error where they do not lie one behind the other."""
    if on_host(x):
        raise Error("EINVAL", f"{name} lies on the host")
    at = tensor(x, type)
    if not at.is_dense:
        raise Error("EINVAL", f"{name} has to be contiguous")
    return Dense(at.address, math.prod(at.shape) * at.bytes)
