# SPDX-License-Identifier: Apache-2.0
"""Tensor maps: from a tensor or from the driver's arguments; the verdict, the repair, the 128 bytes (docs/legality.md).

>>> import numpy, zlay
>>> x = numpy.zeros((256, 4096), numpy.float16)
>>> m = zlay.TensorMap.from_tensor(x, box=(128, 64), swizzle="128B")
>>> m.box, m.stride, len(bytes(m))
((64, 128), (8192,), 128)
>>> zlay.TensorMap.from_tensor(x[:, :4090], box=(300, 64), swizzle="128B").check()
Traceback (most recent call last):
    ...
zlay.errors.Refused: REFUSED: TMAP_BOX: box[1] is 300; each box extent is 1 to 256 elements; set box[1] to 150 and issue 2 copies
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from ._lib import cstring, fail, ffi, lib
from .errors import Error
from .tensors import tensor

if TYPE_CHECKING:
    from .verdict import Verdict

__all__ = ["TensorMap"]


def target_of(name: str) -> Any:
    """The row of a target by its name."""
    out = ffi.new("zlay_target **")
    data = name.encode()
    if lib.zlay_target_find(out, data, len(data)):
        raise Error("EINVAL", f"no target is called '{name}'")
    return out[0]


def type_of(type: Union[str, int]) -> int:
    """The number of an element type by its name."""
    if isinstance(type, int):
        return type
    out, data = ffi.new("int32_t *"), type.encode()
    if lib.zlay_type_find(out, data, len(data)):
        raise Error("EINVAL", f"no type is called '{type}'")
    return int(out[0])


def _swizzle(swizzle: Union[str, int]) -> int:
    if isinstance(swizzle, int):
        return swizzle
    number = getattr(lib, f"ZLAY_SWIZZLE_{swizzle.upper()}", None)
    if number is None:
        raise Error("EINVAL", f"a swizzle is none, 32B, 64B, 128B or a number of cuda.h, not '{swizzle}'")
    return int(number)


class TensorMap:
    """The parameters of a tiled tensor map in the driver's order: dimension 0 is the contiguous one.

    `extent`, `box` and `step` count elements, `stride` bytes, and dimension 0 has no stride. `interleave`, `l2` and `oob` are
    cuda.h's numbers.
    """

    __slots__ = ("_map", "_target", "target")

    def __init__(self, type: Union[str, int], address: int, extent: Sequence[int], stride: Sequence[int], box: Sequence[int],
                 step: Optional[Sequence[int]] = None, swizzle: Union[str, int] = "none", interleave: int = 0, l2: int = 0,
                 oob: int = 0, target: str = "sm_90a") -> None:
        rank = len(extent)
        if len(box) != rank or len(stride) != rank - 1 or (step is not None and len(step) != rank):
            raise Error("EINVAL", f"of rank {rank} a map has {rank} boxes and steps and {rank - 1} strides")
        self.target, self._target = target, target_of(target)
        self._map = ffi.new("zlay_tensormap *")
        if rank > len(self._map.extent):
            raise Error("EINVAL", f"a map has 1 to {len(self._map.extent)} dimensions, not {rank}")
        status = lib.zlay_tensormap_from_tiled(self._map, type_of(type), rank, ffi.cast("void *", address), list(extent), list(stride),
                                               list(box), list(step or [1] * rank), interleave, _swizzle(swizzle), l2, oob)
        if status:
            raise fail(status, "the arguments of a tensor map")

    @classmethod
    def _of(cls, map: Any, target: str) -> TensorMap:
        self = cls.__new__(cls)
        self._map, self.target, self._target = map, target, target_of(target)
        return self

    @classmethod
    def from_tensor(cls, x: Any, box: Sequence[int], swizzle: Union[str, int] = "none", step: Optional[Sequence[int]] = None,
                    type: Optional[str] = None, target: str = "sm_90a", **more: int) -> TensorMap:
        """The map of a tensor of torch, JAX, CuPy or NumPy; `box` and `step` are in the order of its shape, the last contiguous.

        `type` says what elements are that the driver's types do not name, as e4m3, or the array's dtype does not. `more` are
        `interleave`, `l2` and `oob`.
        """
        at = tensor(x, type)
        if not at.shape or len(box) != len(at.shape):
            raise Error("EINVAL", f"a tensor of {len(at.shape)} dimensions has a box of as many, not {len(box)}")
        if at.strides[-1] != at.bytes and at.shape[-1] != 1:
            raise Error("EINVAL", f"the last dimension has a stride of {at.strides[-1]} bytes: it has to be contiguous; transpose the tensor")
        driver = type_of(type or at.type)
        if driver >= lib.ZLAY_TYPE_S8 and lib.zlay_type_bits(driver) == 8:
            driver = lib.ZLAY_TYPE_U8  # bytes, to the driver
        return cls(driver, at.address, at.shape[::-1], at.strides[-2::-1] if len(at.shape) > 1 else (), tuple(box)[::-1],
                   tuple(step)[::-1] if step else None, swizzle, target=target, **more)

    @classmethod
    def unpack(cls, data: bytes, target: str = "sm_90a") -> TensorMap:
        """The map that 128 bytes say; bits that no field explains are refused."""
        map, rest = ffi.new("zlay_tensormap *"), ffi.new("uint64_t[16]")
        if len(data) != 128:
            raise Error("EINVAL", f"a tensor map has 128 bytes, not {len(data)}")
        status = lib.zlay_tensormap_unpack(map, rest, target_of(target), ffi.from_buffer("uint64_t[]", bytearray(data)))
        if status:
            raise fail(status, f"maps of {target} are not known by their bits")
        if any(rest):
            raise Error("EINVAL", "bits of no field are set")
        return cls._of(map, target)

    # ---- what it is --------------------------------------------------------------

    @property
    def type(self) -> str:
        """The name of its elements' type."""
        return cstring(lib.zlay_type_name(self._map.type))

    @property
    def rank(self) -> int:
        """How many dimensions it has."""
        return int(self._map.rank)

    @property
    def address(self) -> int:
        """The tensor's address."""
        return int(self._map.address)

    @property
    def extent(self) -> Tuple[int, ...]:
        """Elements of each dimension."""
        return tuple(self._map.extent[0:self.rank])

    @property
    def stride(self) -> Tuple[int, ...]:
        """Bytes from an index of dimension 1, 2, .. to the next."""
        return tuple(self._map.stride[0:self.rank - 1])

    @property
    def box(self) -> Tuple[int, ...]:
        """Elements that a copy brings of each dimension."""
        return tuple(self._map.box[0:self.rank])

    @property
    def step(self) -> Tuple[int, ...]:
        """The driver's element strides."""
        return tuple(self._map.step[0:self.rank])

    @property
    def swizzle(self) -> int:
        """cuda.h's number of the swizzle."""
        return int(self._map.swizzle)

    def _json_(self) -> Dict[str, Any]:
        m = self._map
        if m.mode:
            raise Error("ENOTSUP", "a map of im2col: zlay.ops takes it as fields")
        return {"mode": m.mode, "type": m.type, "rank": m.rank, "address": str(m.address), "extent": list(self.extent),
                "stride": list(self.stride), "box": list(self.box), "step": list(self.step), "interleave": m.interleave,
                "swizzle": m.swizzle, "l2": m.l2, "oob": m.oob}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorMap) and bytes(ffi.buffer(self._map)) == bytes(ffi.buffer(other._map))

    def __hash__(self) -> int:
        return hash(bytes(ffi.buffer(self._map)))

    def __repr__(self) -> str:
        return (f"TensorMap({self.type!r}, {self.address:#x}, extent={self.extent}, stride={self.stride}, box={self.box}, "
                f"step={self.step}, swizzle={self.swizzle}, target={self.target!r})")

    def _view_(self) -> Tuple[str, Mapping[str, Any]]:
        data = bytes(self)
        words = [hex(int.from_bytes(data[i:i + 8], "little")) for i in range(0, len(data), 8)]
        return "tensormap", {"target": self.target, "words": words}

    # ---- verdict, repair, bytes ------------------------------------------------------

    @property
    def legal(self) -> bool:
        """Whether every rule holds: the check alone, without reasons."""
        verdict = ffi.new("zlay_verdict *")
        status = lib.zlay_tensormap_check(verdict, ffi.NULL, 0, self._target, self._map)
        if status:
            raise fail(status, "the arguments of a tensor map")
        return bool(verdict.answer == lib.ZLAY_YES)

    def check(self) -> Verdict:
        """The verdict, or Refused with every broken rule and its repair."""
        from .verdict import asked

        return asked("tensormap.check", target=self.target, map=self)

    def repair(self) -> TensorMap:
        """The nearest map that passes, itself where it is legal, or ProvedNone; the message of `check` says what it keeps.

        >>> import zlay
        >>> zlay.TensorMap("bf16", 0, (4100, 4096), (8200,), (64, 64)).repair().stride
        (8208,)
        """
        out, keeps, split = ffi.new("zlay_tensormap *"), ffi.new("int32_t *"), ffi.new("uint64_t *")
        status = lib.zlay_tensormap_repair(out, keeps, split, self._target, self._map)
        if status:
            raise fail(status, "no change of its fields passes and keeps the values" if status == 1 else "the arguments of a tensor map")
        return TensorMap._of(out, self.target)

    def __bytes__(self) -> bytes:
        """The 128 bytes as a measured driver writes them, or Refused; sm_90 alone. `zlay.runtime.encode` asks the driver."""
        if not self.legal:
            self.check()
        words = ffi.new("uint64_t[16]")
        status = lib.zlay_tensormap_pack(words, self._target, self._map)
        if status:
            raise fail(status, f"maps of {self.target} are not known by their bits: the driver writes them")
        return bytes(ffi.buffer(words))
