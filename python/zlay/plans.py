# SPDX-License-Identifier: Apache-2.0
"""Plans of GEMMs: what the kernel does, why, its text, and its launch on tensors (docs/gemm.md).

>>> import zlay
>>> p = zlay.plan("sm_90a", 4096, 4096, 4096)
>>> p.tile, p.stages, p.ptx.count("wgmma.mma_async") > 0
((128, 256, 64), 4, True)
"""
from __future__ import annotations

import functools
from typing import Any, Dict, Tuple, Union

from ._lib import context, cstring, ffi, lib, made, printed
from .errors import Error
from .pipe import Pipe
from .tensormap import target_of, type_of
from .tensors import tensor

__all__ = ["Plan", "plan"]

#: Members of zlay_gemm whose enumerators have words in zlay/plan.h, and the prefix of those.
_WORDS = {"a_order": "ORDER", "b_order": "ORDER", "d_order": "ORDER", "a_scales": "SCALES", "b_scales": "SCALES", "d_scales": "SCALES",
          "repack": "REPACK", "multicast": "MULTICAST", "swap": "SWAP", "stream_k": "STREAM", "ragged": "RAGGED"}
_TYPES = ("type", "a_type", "b_type", "d_type")
_FIELDS = {name for name, _ in ffi.typeof("zlay_gemm").fields} - {"size", "m", "n", "k", "reserved0", "reserved1", "epilogue_length"}


def _member(name: str, value: Union[int, str]) -> int:
    if name in _TYPES:
        number = type_of(value)
        return int(lib.ZLAY_GEMM_U8) if number == lib.ZLAY_TYPE_U8 and isinstance(value, str) else number
    if not isinstance(value, str):
        return value
    word = getattr(lib, f"ZLAY_{_WORDS[name]}_{value.upper()}", None) if name in _WORDS else None
    if word is None:
        raise Error("EINVAL", f"field '{name}' cannot be '{value}'")
    return int(word)


class Plan:
    """A plan of a GEMM D = A B, made by `zlay.plan`."""

    def __init__(self, target: str, m: int, n: int, k: int, **fields: Any) -> None:
        gemm = ffi.new("zlay_gemm *", {"size": ffi.sizeof("zlay_gemm"), "m": m, "n": n, "k": k})
        body = (fields.pop("epilogue", None) or "").encode()
        text = ffi.new("char[]", body)
        if body:
            gemm.epilogue, gemm.epilogue_length = text, len(body)
        if "tile" in fields:
            gemm.tile_m, gemm.tile_n, gemm.tile_k = fields.pop("tile")
        for name, value in fields.items():
            if name not in _FIELDS:
                raise Error("EINVAL", f"plan: no field is called '{name}'")
            setattr(gemm, name, _member(name, value))
        self._of = made(lib.zlay_gemm_synth, "zlay_plan **", lib.zlay_plan_free, target_of(target), gemm)
        self.target, self._gemm = target, gemm
        self._info = ffi.new("zlay_plan_summary *")
        lib.zlay_plan_info(self._info, self._of)
        self._kernels: Dict[int, Any] = {}

    @property
    def tile(self) -> Tuple[int, int, int]:
        """Elements of M, N and K of a block's tile, of the planned product."""
        return self._info.tile_m, self._info.tile_n, self._info.tile_k

    @property
    def stages(self) -> int:
        """Stages of the ring."""
        return int(self._info.stages)

    @property
    def smem(self) -> int:
        """Dynamic shared memory of a block, bytes."""
        return int(self._info.smem)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return int(self._info.threads)

    @property
    def why(self) -> str:
        """Every rule that the plan asked, one line each: rule, field, value, bound, answer, source; and which path it takes."""
        return printed(lambda out: lib.zlay_plan_rules(out, self._of))

    @property
    def pipe(self) -> Pipe:
        """The pipe that is proved."""
        pipe = lib.zlay_plan_pipe(self._of)
        return Pipe(printed(lambda out: lib.zlay_pipe_print(out, pipe)))

    def __str__(self) -> str:
        return printed(lambda out: lib.zlay_plan_print(out, self._of))

    _show_ = __str__

    def __repr__(self) -> str:
        i = self._info
        return f"<zlay.Plan of {i.m} x {i.n} x {i.k} on {self.target}: tiles of {i.tile_m} x {i.tile_n} x {i.tile_k}, {i.stages} stages>"

    def _text(self, emit: Any, name: str) -> str:
        data = name.encode()
        return printed(lambda out: emit(context(), out, self._of, data, len(data)))

    @functools.cached_property
    def ptx(self) -> str:
        """The kernel, called `gemm`, as PTX; Error of a plan for AMD, which has `assembly`."""
        return self._text(lib.zlay_emit_ptx, "gemm")

    @functools.cached_property
    def assembly(self) -> str:
        """The kernel as AMDGCN assembly, of a plan for AMD."""
        return self._text(lib.zlay_emit_assembly, "gemm")

    def header(self, name: str = "gemm") -> str:
        """Its data movement as a header of CUDA C."""
        return self._text(lib.zlay_emit_header, name)

    def launch(self, a: Any, b: Any, d: Any, stream: Any = None) -> None:
        """Run D = A B on tensors of a device, without waiting: on `stream`, or torch's current one.

        A is m x k, B k x n and D m x n, with the plan's types, orders and leading dimensions: as zlay/plan.h says, K is contiguous in A
        and B unless the plan has other orders, so B is the `.T` of an array of n x k. Other arrays are refused (EINVAL); so are kernels
        of an epilogue or of scales, which have arguments of their own (ENOTSUP). A plan that repacks or that has `stream_k` has a
        workspace in its kernel, so that its launches have to follow one another on one stream.
        """
        from .runtime import Kernel, device_of

        self._fit(a, b, d)

        ordinal = device_of(d)
        if ordinal not in self._kernels:
            self._kernels[ordinal] = Kernel(self._of, self.ptx, "gemm", ordinal)
        self._kernels[ordinal].launch(a, b, d, stream)

    def _fit(self, a: Any, b: Any, d: Any) -> None:
        """Whether the arrays have the shapes and strides that the request says; groups and packed elements say their own."""
        g = self._gemm
        if g.groups:
            raise Error("ENOTSUP", "a plan of groups is launched by its text: its kernel reads offsets too")
        column = lib.ZLAY_ORDER_COLUMN
        wanted = ((a, g.m, g.k, g.a_order == column, g.lda), (b, g.k, g.n, g.b_order != lib.ZLAY_ORDER_ROW, g.ldb),
                  (d, g.m, g.n, g.d_order == column, g.ldd))
        i = self._info
        types = (i.mma.b, i.mma.a, i.d_type) if i.swapped else (i.mma.a, i.mma.b, i.d_type)
        for name, type, (x, rows, columns, down, pitch) in zip("ABD", types, wanted):
            t = tensor(x)
            if 8 * t.bytes != lib.zlay_type_bits(type):
                raise Error("EINVAL", f"{name} has to have elements of {cstring(lib.zlay_type_name(type))}, not {t.type}")
            strides = (1, pitch or rows) if down else (pitch or columns, 1)
            if t.shape != (rows, columns) or any(s != w * t.bytes for s, w, e in zip(t.strides, strides, t.shape) if e > 1):
                found = tuple(s // t.bytes for s in t.strides)
                raise Error("EINVAL", f"{name} has to have the shape ({rows}, {columns}) and the strides {strides}, not {t.shape} and {found}")


def plan(target: str, m: int, n: int, k: int, **fields: Any) -> Plan:
    """Plan a GEMM of m x n x k elements; `fields` are members of zlay_gemm (zlay/plan.h), or `tile`, with words as in docs/gemm.md.

    ProvedNone names the rule that no plan can keep.
    """
    return Plan(target, m, n, k, **fields)
