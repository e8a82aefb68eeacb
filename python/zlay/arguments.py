# SPDX-License-Identifier: Apache-2.0
"""Arguments of kernels by their names: what a plan asks for, and Python's values as what zlay_kernel_set takes."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Tuple, Union

from ._lib import cstring, ffi, lib
from .errors import Error
from .tensors import on_host, tensor

__all__ = ["Argument", "Counts", "Given", "given", "listed"]

#: What emitted names begin with: an array that is read, one that is written, a scalar.
_PREFIXES = ("read_", "write_", "x_")
_SCALARS = {"f32": "float", "s32": "int32_t", "u32": "uint32_t"}


class Argument(NamedTuple):
    """An argument that a launch has to give: `kind` is ZLAY_ARGUMENT_*, `type` of its elements, or of itself."""

    name: str
    kind: int
    type: int


class Counts(NamedTuple):
    """Numbers of the host: offsets of groups of rows, or their lengths."""

    numbers: Tuple[int, ...]
    are_lengths: bool


#: An address or a scalar in memory, or numbers of the host.
Given = Union[Any, Counts]


def listed(arguments: Iterable[Any], left: Iterable[str] = ()) -> List[Argument]:
    """What zlay_pipe_argument says, without what `left` names."""
    found = [Argument(cstring(a.name), int(a.kind), int(a.type)) for a in arguments]
    return [a for a in found if a.name not in left]


def counts(name: str, value: Any, are_lengths: bool = False) -> Counts:
    """Numbers of the host, each from 0 to below 2^64."""
    numbers = tuple(int(n) for n in (value.tolist() if hasattr(value, "tolist") else value))
    if any(not 0 <= n < 1 << 64 for n in numbers):
        raise Error("EINVAL", f"{name}: each number is from 0 to 2^64 - 1")
    return Counts(numbers, are_lengths)


def _address(a: Argument, value: Any) -> Any:
    """The address of an array whose elements have the argument's bytes; an integer is an address."""
    if isinstance(value, int):
        return ffi.new("uint64_t *", value)
    at, bits = tensor(value), lib.zlay_type_bits(a.type)
    if a.kind == lib.ZLAY_ARGUMENT_POINTER and a.type and 8 * at.bytes != bits:
        raise Error("EINVAL", f"{a.name} has elements of {cstring(lib.zlay_type_name(a.type))}, not {at.type}")
    if a.kind == lib.ZLAY_ARGUMENT_POINTER and a.type and not at.is_dense:
        raise Error("EINVAL", f"{a.name} has to be contiguous")
    return ffi.new("uint64_t *", at.address)


def _value(a: Argument, value: Any) -> Given:
    if isinstance(value, Counts):
        return value
    if a.kind == lib.ZLAY_ARGUMENT_SCALAR:
        try:
            return ffi.new(_SCALARS[cstring(lib.zlay_type_name(a.type))] + " *", value)
        except (TypeError, OverflowError) as wrong:
            raise Error("EINVAL", f"{a.name}: {wrong}") from None
    return counts(a.name, value) if not isinstance(value, int) and on_host(value) else _address(a, value)


def _short(name: str) -> str:
    """A name without what emitted names begin with."""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix):]
    return name


def given(arguments: Iterable[Argument], values: Mapping[str, Any]) -> Dict[str, Given]:
    """The values of all arguments under their full names; a name may lack its read_, write_ or x_."""
    found: Dict[str, Given] = {}
    left = {name for name, value in values.items() if value is not None}
    for a in arguments:
        name = a.name if a.name in values else _short(a.name)
        value = values.get(name)
        if value is None:
            raise Error("EINVAL", f"argument '{a.name}' is missing")
        left.discard(name)
        found[a.name] = _value(a, value)
    for name in sorted(left):
        raise Error("EINVAL", f"the kernel has no argument '{name}'; it has {', '.join(found) or 'none'}")
    return found
