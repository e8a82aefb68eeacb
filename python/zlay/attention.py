# SPDX-License-Identifier: Apache-2.0
"""Plans of attention forward, O = softmax(Q K^T * scale) V: their text, and their launch on tensors (docs/attention.md).

>>> import zlay
>>> p = zlay.plan.attention("sm_90a", 128, 4096, 4096, heads=16, causal=True)
>>> p.tile, p.grid, p.arguments
((128, 128), (32, 16, 1), ('x_keys', 'x_offset', 'x_scale'))
"""
from __future__ import annotations

import functools
import math
from typing import Any, Dict, List, Mapping, Optional, Tuple

from . import arguments as given_by
from ._lib import context, ffi, lib, made, printed
from .arguments import Argument, Given
from .errors import Error
from .planned import Planned
from .request import filled, several, wanted
from .tensormap import target_of
from .tensors import dense

__all__ = ["Attention", "attention_request"]

_WORDS = {"q_lengths": "LENGTHS", "k_lengths": "LENGTHS", "overlap": "OVERLAP"}
_TYPES = ("type", "o_type")
_NAME = "attention"
_ROOM = 64  # arguments of a kernel


def attention_request(fields: Mapping[str, Any]) -> Any:
    """zlay_attention."""
    given = dict(fields)
    for letter in "qkvol":
        if letter in given:
            raise Error("EINVAL", f"plan.attention: no field is called '{letter}'")
        strides = given.pop(f"{letter}_strides", None)
        if strides is not None:
            given[letter] = several(f"{letter}_strides", strides, 3)
    tile = given.pop("tile", None)
    if tile is not None:
        given["tile_m"], given["tile_n"] = several("tile", tile, 2)
    return filled("zlay_attention", given, _WORDS, _TYPES, "plan.attention")


class _Text:
    """What zlay_emit_attention says of a plan, or of the plan of its merge: the text, how it is launched, its arguments."""

    def __init__(self, plan: Any) -> None:
        name = ffi.new("char[]", _NAME.encode())
        ask = ffi.new("zlay_attention_emit *", {"size": ffi.sizeof("zlay_attention_emit"), "language": lib.ZLAY_TEXT_PTX, "plan": plan,
                                                "name": name, "name_length": len(_NAME)})
        self.plan, self.launch, self.each = plan, ffi.new("zlay_pipe_launch *"), ffi.new("zlay_pipe_argument[]", _ROOM)
        self.text = printed(lambda out: lib.zlay_emit_attention(context(), out, self.launch, self.each, _ROOM, ask))
        given = [self.each[i] for i in range(self.launch.arguments)]
        maps = [Argument(letter, lib.ZLAY_ARGUMENT_MAP, 0) for letter in self._letters()]
        self.arguments: List[Argument] = maps + [a for a in given_by.listed(given, ("n_N", "next_tile"))
                                                 if a.kind != lib.ZLAY_ARGUMENT_MAP]

    def _letters(self) -> List[str]:
        """The tensors that it has maps of, each once."""
        move, tensor = ffi.new("const zlay_move **"), ffi.new("char *")
        found: List[str] = []
        while not lib.zlay_attention_move_nth(move, tensor, self.plan, len(found)):
            found.append(tensor[0].decode())
        return list(dict.fromkeys(found))

    def load(self, ordinal: int) -> Any:
        from .runtime import Kernel

        image, name = ffi.new("char[]", self.text.encode()), ffi.new("char[]", _NAME.encode())
        ask = ffi.new("zlay_attention_kernel *", {"size": ffi.sizeof("zlay_attention_kernel"), "plan": self.plan, "launch": self.launch,
                                                  "arguments": self.each, "image": image, "length": len(image) - 1, "name": name})
        return Kernel(ordinal, "zlay_kernel_load_attention", ask)


class Attention(Planned):
    """A plan of attention, made by `zlay.plan.attention`."""

    _pipe = lib.zlay_attention_pipe

    def __init__(self, target: str, head: int, queries: int, keys: int, **fields: Any) -> None:
        ask = attention_request({"head": head, "queries": queries, "keys": keys, **fields})
        self.target = target
        self._of = made(lib.zlay_attention_synth, "zlay_attention_plan **", lib.zlay_attention_free, target_of(target), ask)
        self._info, self._ask = ffi.new("zlay_attention_summary *"), ask
        lib.zlay_attention_info(self._info, self._of)
        self._merge = lib.zlay_attention_merge(self._of)
        self._kernels: Dict[int, Any] = {}

    @property
    def tile(self) -> Tuple[int, int]:
        """Queries of a block, keys of a stage."""
        return self._info.tile_m, self._info.tile_n

    @property
    def grid(self) -> Tuple[int, int, int]:
        """Blocks of a launch."""
        grid = self._info.grid
        return grid[0], grid[1], grid[2]

    @functools.cached_property
    def _text(self) -> _Text:
        return _Text(self._of)

    @property
    def ptx(self) -> str:
        """The kernel, called `attention`, as PTX; of a plan for AMD its assembly."""
        return self._text.text

    @functools.cached_property
    def merge_ptx(self) -> Optional[str]:
        """The second kernel, which merges the results of splits; None without them."""
        return _Text(self._merge).text if self._merge else None

    @property
    def arguments(self) -> Tuple[str, ...]:
        """The names of the kernel's arguments beside its tensors, and what the plan sets itself."""
        return tuple(a.name for a in self._text.arguments if a.kind != lib.ZLAY_ARGUMENT_MAP)

    def __repr__(self) -> str:
        a, i = self._ask, self._info
        return (f"<zlay.Attention of {a.queries} x {a.keys}, heads of {a.head}, on {self.target}: tiles of {i.tile_m} x {i.tile_n}, "
                f"{i.stages} stages>")

    # ---- launches --------------------------------------------------------------------

    def launch(self, q: Any, k: Any, v: Any, o: Any, stream: Any = None, *, scale: Optional[float] = None, cap: Optional[float] = None,
               v_scale: float = 1.0, lse: Any = None, q_lengths: Any = None, k_lengths: Any = None, **arguments: Any) -> None:
        """Run it on tensors of a device, without waiting: on `stream`, or torch's current one.

        Q and O are [batch][query][head][element], K and V [batch][key][head][element], without [batch] where sequences are packed; V
        of e4m3 is [batch][head][element][key]. `scale` is the factor of scores, head^-0.5 unless it is given; `cap` that of a plan with
        soft_cap; `v_scale` the factor of V of e4m3. `lse` gets the log-sum-exp, of a plan with `lse`. Where sequences are described
        by an array, `q_rows`, `q_starts`, `k_rows`, `k_starts` or `sinks` name it; of a plan with `sequences` the host may
        give `q_lengths` and `k_lengths`, lists, in the place of starts. Other arrays are refused (EINVAL).
        """
        from .runtime import device_of, stream_of

        values = {**self._scalars(scale, cap, v_scale), **self._tensors(q, k, v, o, lse), **arguments}
        for name, lengths in (("q_starts", q_lengths), ("k_starts", k_lengths)):
            if lengths is not None:
                values[name] = given_by.counts(name, lengths, are_lengths=True)
        ordinal, on = device_of(o), stream_of(stream, o)
        if ordinal not in self._kernels:
            self._kernels[ordinal] = _Splits(self, ordinal) if self._merge else _Single(self, ordinal)
        self._kernels[ordinal].launch(on, values)

    def _scalars(self, scale: Optional[float], cap: Optional[float], v_scale: float) -> Dict[str, Any]:
        """Those that the plan has, in the kernel's units: powers of 2."""
        a = self._ask
        if (cap is None) == bool(a.soft_cap):
            raise Error("EINVAL", "cap is given where the plan has soft_cap, and nowhere else")
        factor = 1 / math.sqrt(a.head) if scale is None else scale
        values = {"x_keys": a.keys, "x_offset": a.keys - a.queries, "x_scale": math.log2(math.e) * (factor if cap is None else cap),
                  "x_v_scale": v_scale, "x_inner": None if cap is None else factor / cap}
        names = {x.name for x in self._text.arguments}
        return {name: value for name, value in values.items() if name in names}

    def _tensors(self, q: Any, k: Any, v: Any, o: Any, lse: Any) -> Dict[str, Any]:
        """The addresses of tensors that have the types, shapes and strides of the request."""
        a = self._ask
        type = a.type or lib.ZLAY_TYPE_BF16
        across = type == lib.ZLAY_TYPE_E4M3
        o_type = a.o_type or (lib.ZLAY_TYPE_BF16 if across else type)
        heads, kv_heads = a.heads or 1, a.kv_heads or a.heads or 1
        packed = [bool(a.sequences) or lengths == lib.ZLAY_LENGTHS_PACKED for lengths in (a.q_lengths, a.k_lengths)]
        values = {}
        for name, x, of, rows, count, strides, is_packed in (
                ("q", q, type, a.queries, heads, a.q, packed[0]), ("k", k, type, a.keys, kv_heads, a.k, packed[1]),
                ("v", v, type, a.keys, kv_heads, a.v, packed[1]), ("o", o, o_type, a.queries, heads, a.o, packed[0])):
            values[name] = wanted(name.upper(), x, of, *self._form(rows, count, strides, is_packed, across and name == "v"))
        if lse is not None:
            if not a.lse:
                raise Error("EINVAL", "lse: the plan has none")
            dense(lse, "lse")
            values["l"] = lse
        elif a.lse:
            raise Error("EINVAL", "argument 'lse' is missing")
        return values

    def _form(self, rows: int, heads: int, s: Any, packed: bool, across: bool) -> Tuple[Tuple[Any, ...], Tuple[int, ...]]:
        """Shape and strides of a tensor, in elements; packed ones have any number of rows."""
        a = self._ask
        batch, head = a.batch or 1, a.head
        if across:
            row = s.row or (rows + 15) // 16 * 16
            strides = (s.batch or heads * (s.head or row * head), s.head or row * head, row, 1)
            return (batch, heads, head, rows), strides
        row = s.row or heads * head
        if packed:
            return (None, heads, head), (row, s.head or head, 1)
        return (batch, rows, heads, head), (s.batch or rows * row, row, s.head or head, 1)


class _Single:
    """The kernel of a plan without splits."""

    def __init__(self, plan: Attention, ordinal: int) -> None:
        self._text, self._kernel = plan._text, plan._text.load(ordinal)

    def launch(self, stream: int, values: Mapping[str, Any]) -> None:
        self._kernel.launch(stream, given_by.given(self._text.arguments, values))


class _Splits:
    """Both kernels of a plan with splits, and the memory of what the first hands to the second: launches follow one another."""

    def __init__(self, plan: Attention, ordinal: int) -> None:
        from .runtime import Memory

        self._texts = plan._text, _Text(plan._merge)
        self._kernels = [text.load(ordinal) for text in self._texts]
        target, ask = ffi.new("const zlay_target **"), ffi.new("zlay_attention *")
        lib.zlay_attention_request(target, ask, plan._of)
        sums = ask.batch * ask.heads * ask.splits
        self._parts = Memory(ordinal, sums * ask.queries * ask.head * 4), Memory(ordinal, sums * ((ask.queries + 3) // 4 * 4) * 4)

    def launch(self, stream: int, values: Mapping[str, Any]) -> None:
        o, lse = (part.address for part in self._parts)
        everything = {**values, "p": o, "s": lse, "read_part_o": o, "read_part_lse": lse}
        asked: List[Dict[str, Given]] = []
        used = set()
        for text in self._texts:
            own = {name: x for name, x in everything.items() if any(a.name in (name, f"read_{name}") for a in text.arguments)}
            used |= set(own)
            asked.append(given_by.given(text.arguments, own))
        for name in set(values) - used:
            raise Error("EINVAL", f"no kernel of the plan has an argument '{name}'")
        for kernel, given in zip(self._kernels, asked):
            kernel.launch(stream, given)
