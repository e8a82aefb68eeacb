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

from typing import TYPE_CHECKING, Any, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._lib import cstring, fail, ffi, lib
from .errors import Error
from .shown import Shown
from .tensors import Tensor, tensor

if TYPE_CHECKING:
    from .verdict import Verdict

__all__ = ["MapLike", "Repair", "TensorMap"]


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
        if swizzle in (32, 64, 128):
            raise Error("EINVAL", f"a swizzle of {swizzle} bytes is '{swizzle}B'; a number is one of cuda.h")
        return swizzle
    number = getattr(lib, f"ZLAY_SWIZZLE_{swizzle.upper()}", None)
    if number is None:
        raise Error("EINVAL", f"a swizzle is none, 32B, 64B, 128B or a number of cuda.h, not '{swizzle}'")
    return int(number)


#: Modes by their number in zlay/tensormap.h.
_MODES = ("tiled", "im2col", "im2col_wide")
_WIDE = ("w", "w128")


def _driver_type(type: str) -> int:
    """The number of an element type that the driver takes; of bytes that it has no name for, u8."""
    number = type_of(type)
    return int(lib.ZLAY_TYPE_U8) if number >= lib.ZLAY_TYPE_S8 and lib.zlay_type_bits(number) == 8 else number


def _pitches(at: Tensor) -> Tuple[int, ...]:
    """The strides of an array in the driver's order, which has none of the contiguous dimension."""
    return at.strides[-2::-1] if len(at.shape) > 1 else ()


class TensorMap(Shown):
    """The parameters of a tensor map in the driver's order: dimension 0 is the contiguous one.

    Called it makes a tiled map; `im2col` and `im2col_wide` make the others, which have `lower`, `upper`, `channels` and `pixels` and no box.

    `extent`, `box` and `step` count elements, `stride` bytes, and dimension 0 has no stride. `interleave`, `l2` and `oob` are
    cuda.h's numbers.
    """

    __slots__ = ("_map", "_target", "target")

    def __init__(self, type: Union[str, int], address: int, extent: Sequence[int], stride: Sequence[int], box: Sequence[int],
                 step: Optional[Sequence[int]] = None, swizzle: Union[str, int] = "none", interleave: int = 0, l2: int = 0,
                 oob: int = 0, target: str = "sm_90a") -> None:
        rank = len(extent)
        if len(box) != rank:
            raise Error("EINVAL", f"of rank {rank} a map has {rank} boxes and steps and {rank - 1} strides")
        self.target, self._target = target, target_of(target)
        self._map = TensorMap._encoded(lib.zlay_tensormap_from_tiled, type, address, extent, stride, (list(box),), step,
                                       (interleave, _swizzle(swizzle), l2, oob))

    @staticmethod
    def _encoded(encode: Any, type: Union[str, int], address: int, extent: Sequence[int], stride: Sequence[int], boxes: Tuple[Any, ...],
                 step: Optional[Sequence[int]], modes: Tuple[int, ...]) -> Any:
        """What a function made of the arguments of one of the driver's encode calls."""
        map, rank = ffi.new("zlay_tensormap *"), len(extent)
        if len(stride) != rank - 1 or (step is not None and len(step) != rank):
            raise Error("EINVAL", f"of rank {rank} a map has {rank} steps and {rank - 1} strides")
        if rank > len(map.extent):
            raise Error("EINVAL", f"a map has 1 to {len(map.extent)} dimensions, not {rank}")
        status = encode(map, type_of(type), rank, ffi.cast("void *", address), list(extent), list(stride), *boxes, list(step or [1] * rank),
                        *modes)
        if status:
            raise fail(status, "the arguments of a tensor map")
        return map

    @classmethod
    def im2col(cls, type: Union[str, int], address: int, extent: Sequence[int], stride: Sequence[int], lower: Sequence[int],
               upper: Sequence[int], channels: int, pixels: int, step: Optional[Sequence[int]] = None, swizzle: Union[str, int] = "none",
               interleave: int = 0, l2: int = 0, oob: int = 0, target: str = "sm_90a") -> TensorMap:
        """A map of images in im2col mode; the corners `lower` and `upper` have rank - 2 entries, that of W first.

        >>> import zlay
        >>> images = zlay.TensorMap.im2col("bf16", 1 << 20, (64, 16, 16, 8), (128, 2048, 32768), (-1, -1), (-1, -1), 64, 128)
        >>> images.mode, images.legal, images.lower, images.channels, images.pixels
        ('im2col', True, (-1, -1), 64, 128)
        """
        if not len(lower) == len(upper) == max(len(extent) - 2, 0):
            raise Error("EINVAL", f"of rank {len(extent)} a corner has {len(extent) - 2} entries")
        corners = (list(lower), list(upper), channels, pixels)
        return cls._of(cls._encoded(lib.zlay_tensormap_from_im2col, type, address, extent, stride, corners, step,
                                    (interleave, _swizzle(swizzle), l2, oob)), target)

    @classmethod
    def im2col_wide(cls, type: Union[str, int], address: int, extent: Sequence[int], stride: Sequence[int], lower: int, upper: int,
                    channels: int, pixels: int, step: Optional[Sequence[int]] = None, swizzle: Union[str, int] = "none", interleave: int = 0,
                    wide_mode: Union[str, int] = "w", l2: int = 0, oob: int = 0, target: str = "sm_100a") -> TensorMap:
        """A map of images in im2col wide mode, with corners of W alone; `wide_mode` is w or w128."""
        if isinstance(wide_mode, str) and wide_mode not in _WIDE:
            raise Error("EINVAL", f"wide_mode is {' or '.join(_WIDE)}, not '{wide_mode}'")
        number = _WIDE.index(wide_mode) if isinstance(wide_mode, str) else wide_mode
        return cls._of(cls._encoded(lib.zlay_tensormap_from_im2col_wide, type, address, extent, stride, (lower, upper, channels, pixels), step,
                                    (interleave, number, _swizzle(swizzle), l2, oob)), target)

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
        return cls(_driver_type(type or at.type), at.address, at.shape[::-1], _pitches(at), tuple(box)[::-1],
                   tuple(step)[::-1] if step else None, swizzle, target=target, **more)

    @classmethod
    def from_images(cls, x: Any, lower: Union[int, Sequence[int]], upper: Union[int, Sequence[int]], channels: int, pixels: int,
                    swizzle: Union[str, int] = "none", step: Optional[Sequence[int]] = None, type: Optional[str] = None,
                    target: str = "sm_90a", **more: Any) -> TensorMap:
        """The im2col map of images, a tensor as [image][row][column][channel] or with other dimensions of space; the corners are in the order
        of its shape, those of rows first. Corners that are integers make a map of im2col wide, for copies from sm_100a on.

        >>> import numpy, zlay
        >>> x = numpy.zeros((8, 16, 16, 64), numpy.float16)
        >>> zlay.TensorMap.from_images(x, (-1, -1), (-1, -1), channels=64, pixels=128, swizzle="128B").extent
        (64, 16, 16, 8)
        """
        at = tensor(x, type)
        if len(at.shape) < 3:
            raise Error("EINVAL", f"images have 3 to 5 dimensions, not {len(at.shape)}")
        if at.strides[-1] != at.bytes and at.shape[-1] != 1:
            raise Error("EINVAL", f"the last dimension has a stride of {at.strides[-1]} bytes: channels have to be contiguous")
        steps = tuple(step)[::-1] if step else None
        base = (_driver_type(type or at.type), at.address, at.shape[::-1], _pitches(at))
        if isinstance(lower, int) and isinstance(upper, int):
            return cls.im2col_wide(*base, lower, upper, channels, pixels, steps, swizzle, target=target, **more)
        if isinstance(lower, int) or isinstance(upper, int):
            raise Error("EINVAL", "corners are both integers, or both have an entry for each dimension of space")
        return cls.im2col(*base, tuple(lower)[::-1], tuple(upper)[::-1], channels, pixels, steps, swizzle, target=target, **more)

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
        """Elements that a copy brings of each dimension; of im2col none."""
        return () if self._map.mode else tuple(self._map.box[0:self.rank])

    @property
    def mode(self) -> str:
        """tiled, im2col or im2col_wide."""
        return _MODES[self._map.mode]

    def _corner(self, of: Any) -> Tuple[int, ...]:
        return tuple(of[0:(0, self.rank - 2, 1)[self._map.mode]])

    @property
    def lower(self) -> Tuple[int, ...]:
        """The lower corner of the bounding box, W first; of a tiled map none."""
        return self._corner(self._map.lower)

    @property
    def upper(self) -> Tuple[int, ...]:
        """The upper corner."""
        return self._corner(self._map.upper)

    @property
    def channels(self) -> int:
        """Elements of a pixel that a copy takes; of a tiled map 0."""
        return int(self._map.channels)

    @property
    def pixels(self) -> int:
        """Pixels that a copy takes; of a tiled map 0."""
        return int(self._map.pixels)

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
        fields = {"mode": m.mode, "type": m.type, "rank": m.rank, "address": str(m.address), "extent": list(self.extent),
                  "stride": list(self.stride), "step": list(self.step), "interleave": m.interleave, "swizzle": m.swizzle, "l2": m.l2,
                  "oob": m.oob}
        if not m.mode:
            return {**fields, "box": list(self.box)}
        wide = m.mode == 2
        corners: Dict[str, Any] = {"lower": m.lower[0] if wide else list(self.lower), "upper": m.upper[0] if wide else list(self.upper)}
        return {**fields, **corners, "channels": m.channels, "pixels": m.pixels, **({"wide_mode": m.wide_mode} if wide else {})}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorMap) and bytes(ffi.buffer(self._map)) == bytes(ffi.buffer(other._map))

    def __hash__(self) -> int:
        return hash(bytes(ffi.buffer(self._map)))

    def __repr__(self) -> str:
        if self._map.mode:
            return (f"TensorMap.{self.mode}({self.type!r}, {self.address:#x}, extent={self.extent}, stride={self.stride}, lower={self.lower}, "
                    f"upper={self.upper}, channels={self.channels}, pixels={self.pixels}, swizzle={self.swizzle}, target={self.target!r})")
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

    def repair(self) -> Repair:
        """The nearest map that passes, itself where it is legal, and what it asks of its user; or ProvedNone.

        >>> import zlay
        >>> r = zlay.TensorMap("bf16", 0, (4100, 4096), (8200,), (64, 64)).repair()
        >>> r.map.stride, r.keeps, r.copies
        ((8208,), 'values', 1)
        """
        out, keeps, split = ffi.new("zlay_tensormap *"), ffi.new("int32_t *"), ffi.new("uint64_t *")
        status = lib.zlay_tensormap_repair(out, keeps, split, self._target, self._map)
        if status:
            raise fail(status, "no change of its fields passes and keeps the values" if status == 1 else "the arguments of a tensor map")
        words = {lib.ZLAY_KEEPS_ALL: "all", lib.ZLAY_KEEPS_BYTES: "bytes", lib.ZLAY_KEEPS_VALUES: "values"}
        return Repair(TensorMap._of(out, self.target), words.get(keeps[0], "nothing"), int(split[0]))

    def __bytes__(self) -> bytes:
        """The 128 bytes as a measured driver writes them, or Refused; sm_90 alone. `zlay.runtime.encode` asks the driver."""
        if not self.legal:
            self.check()
        words = ffi.new("uint64_t[16]")
        status = lib.zlay_tensormap_pack(words, self._target, self._map)
        if status:
            raise fail(status, f"maps of {self.target} are not known by their bits: the driver writes them")
        return bytes(ffi.buffer(words))


class Repair(NamedTuple):
    """A map that passes, and what its user has to do: it describes a tensor as it would have to lie, and moves nothing."""

    map: TensorMap
    #: "all": the same bytes reach the same places; "bytes": they lie otherwise in shared memory; "values": the tensor has to be laid out
    #: anew, as the map's address and strides say; "nothing": another copy is wanted.
    keeps: str
    copies: int  # to issue in the place of one


#: A tensor map, or its fields as docs/batch.md has them.
MapLike = Union[TensorMap, Mapping[str, Any]]
