# SPDX-License-Identifier: Apache-2.0
"""Plans of GEMMs: what the kernel does, why, its text, and its launch on tensors (docs/gemm.md).

>>> import zlay
>>> p = zlay.plan("sm_90a", 4096, 4096, 4096)
>>> p.tile, p.stages, p.ptx.count("wgmma.mma_async") > 0
((128, 256, 64), 4, True)
"""
from __future__ import annotations

import functools
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from . import arguments as given_by
from ._lib import context, ffi, lib, made, printed
from .arguments import Argument
from .errors import Error
from .planned import Planned
from .request import filled, several, wanted
from .tensormap import target_of
from .tensors import dense

__all__ = ["Plan", "request"]

#: Members of zlay_gemm whose enumerators have words in zlay/plan.h, and the prefix of those.
_WORDS = {"a_order": "ORDER", "b_order": "ORDER", "d_order": "ORDER", "a_scales": "SCALES", "b_scales": "SCALES", "d_scales": "SCALES",
          "repack": "REPACK", "multicast": "MULTICAST", "swap": "SWAP", "stream_k": "STREAM", "ragged": "RAGGED"}
_TYPES = ("type", "a_type", "b_type", "d_type")
#: ZLAY_SPLIT_AUTO, which is no enumerator.
_SPLIT_AUTO = (1 << 32) - 1
#: Arguments that `launch` gives by itself.
_OWN = ("ptr_a", "ptr_b", "ptr_d", "tensor_a", "tensor_b", "tensor_d", "workspace")


def request(fields: Mapping[str, Any]) -> Tuple[Any, Any]:
    """zlay_gemm, and the memory of its epilogue's text."""
    given = dict(fields)
    body = (given.pop("epilogue", None) or "").encode()
    tile = given.pop("tile", None)
    if tile is not None:
        given["tile_m"], given["tile_n"], given["tile_k"] = several("tile", tile, 3)
    if given.get("split_k") == "auto":
        given["split_k"] = _SPLIT_AUTO
    u8 = {name for name in _TYPES if given.get(name) == "u8"}
    gemm = filled("zlay_gemm", {n: lib.ZLAY_GEMM_U8 if n in u8 else v for n, v in given.items()}, _WORDS, _TYPES, "plan")
    text = ffi.new("char[]", body)
    if body:
        gemm.epilogue, gemm.epilogue_length = text, len(body)
    return gemm, text


class Plan(Planned):
    """A plan of a GEMM D = A B, made by `zlay.plan`."""

    _pipe = lib.zlay_plan_pipe

    def __init__(self, target: str, m: int, n: int, k: int, **fields: Any) -> None:
        gemm, text = request({"m": m, "n": n, "k": k, **fields})
        self._of = made(lib.zlay_gemm_synth, "zlay_plan **", lib.zlay_plan_free, target_of(target), gemm)
        gemm.epilogue = ffi.NULL  # the plan has its own
        self.target, self._gemm = target, gemm
        self._info = ffi.new("zlay_plan_summary *")
        lib.zlay_plan_info(self._info, self._of)
        self._kernels: Dict[int, Any] = {}

    @property
    def tile(self) -> Tuple[int, int, int]:
        """Elements of M, N and K of a block's tile, of the planned product."""
        return self._info.tile_m, self._info.tile_n, self._info.tile_k

    @property
    def smem(self) -> int:
        """Dynamic shared memory of a block, bytes."""
        return int(self._info.smem)

    @property
    def workspace(self) -> int:
        """Bytes of global memory that the kernel works in; 0: none."""
        return int(self._info.workspace)

    @property
    def why(self) -> str:
        """Every rule that the plan asked, one line each: rule, field, value, bound, answer, source; and which path it takes."""
        return printed(lambda out: lib.zlay_plan_rules(out, self._of))

    def __str__(self) -> str:
        return printed(lambda out: lib.zlay_plan_print(out, self._of))

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

    # ---- launches --------------------------------------------------------------------

    @functools.cached_property
    def arguments(self) -> Tuple[str, ...]:
        """The names of the kernel's arguments beside A, B, D and the workspace: `launch` takes them by these.

        >>> import zlay
        >>> zlay.plan("sm_90a", 512, 256, 128, groups=4).arguments
        ('offsets',)
        """
        return tuple(a.name for a in self._arguments)

    @functools.cached_property
    def _arguments(self) -> List[Argument]:
        found = given_by.listed(self._each(), _OWN)
        return [a._replace(name=a.name.replace("tensor_", "")) if a.kind == lib.ZLAY_ARGUMENT_MAP else a for a in found]

    def _each(self) -> Iterator[Any]:
        one, i = ffi.new("zlay_pipe_argument *"), 0
        while not lib.zlay_plan_argument_nth(one, self._of, i):
            yield one
            i += 1

    def launch(self, a: Any, b: Any, d: Any, stream: Any = None, *, offsets: Any = None, lengths: Any = None, a_scales: Any = None,
               b_scales: Any = None, d_scales: Any = None, workspace: Any = None, **arguments: Any) -> None:
        """Run D = A B on tensors of a device, without waiting: on `stream`, or torch's current one.

        A is m x k, B k x n and D m x n, with the plan's types, orders and leading dimensions: as zlay/plan.h says, K is contiguous in A
        and B unless the plan has other orders, so B is the `.T` of an array of n x k. Of groups of rows B is groups x k x n, of groups
        of K D is groups x m x n; the groups begin at `offsets`, groups + 1 of s32 on the device, or integers of the host, which are
        checked and copied, as `lengths` are. Scales are those of A, B and D, as docs/gemm.md lays them out; what an epilogue has is
        given by its names there, arrays of the device and numbers.

        Other arrays are refused (EINVAL). A plan with a `workspace` has one in its kernel, so that its launches have to follow one
        another on one stream, unless an array of that many bytes is given.
        """
        from .runtime import Kernel, device_of, stream_of

        bound = self._fit(a, b, d)
        values = dict(arguments)
        if lengths is not None:
            if offsets is not None:
                raise Error("EINVAL", "offsets or lengths, not both")
            offsets = given_by.counts("lengths", lengths, are_lengths=True)
        values["offsets"] = offsets
        for name, scales in (("a", a_scales), ("b", b_scales), ("d", d_scales)):
            if scales is not None:
                self._fit_scales(name, scales)
                values["s" + self._planned(name)] = scales
        given = given_by.given(self._arguments, values)
        ordinal = device_of(d)
        if ordinal not in self._kernels:
            image = self.ptx.encode()
            self._kernels[ordinal] = Kernel(ordinal, "zlay_kernel_load", self._of, image, len(image), b"gemm")
        self._kernels[ordinal].launch(stream_of(stream, d), given, bound, workspace)

    def _planned(self, name: str) -> str:
        """Which operand of the planned product is one of the request."""
        return {"a": "b", "b": "a"}.get(name, name) if self._info.swapped else name

    def _fit_scales(self, name: str, scales: Any) -> None:
        """Whether an array has as many bytes as the plan's scales of an operand."""
        of = ffi.new("zlay_scales *")
        if lib.zlay_plan_scales(of, self._of, "abd".index(self._planned(name))):
            raise Error("EINVAL", f"{name}_scales: the plan has none")
        atoms = of.granularity in (lib.ZLAY_SCALES_LINE_32, lib.ZLAY_SCALES_LINE_16)
        one = 512 if atoms else lib.zlay_type_bits(of.type) // 8
        copies = self._gemm.groups if name == "b" and self._gemm.groups and self._gemm.ragged == lib.ZLAY_RAGGED_ROWS else 1
        size, found = of.shape[0] * of.shape[1] * one * copies, dense(scales, f"{name}_scales").size
        if size != found:
            raise Error("EINVAL", f"{name}_scales has to have {size} bytes, not {found}")

    @functools.cached_property
    def _asked(self) -> Tuple[Tuple[str, int, Tuple[int, ...], Tuple[int, ...]], ...]:
        """The type, shape and strides in elements of A, B and D."""
        g, i, column = self._gemm, self._info, lib.ZLAY_ORDER_COLUMN
        types = (i.mma.b, i.mma.a, i.d_type) if i.swapped else (i.mma.a, i.mma.b, i.d_type)
        matrices = ((g.m, g.k, g.a_order == column, g.lda), (g.k, g.n, g.b_order != lib.ZLAY_ORDER_ROW, g.ldb), (g.m, g.n, g.d_order == column, g.ldd))
        each: Optional[str] = None if not g.groups else "D" if g.ragged == lib.ZLAY_RAGGED_K else "B"
        asked = []
        for name, type, (rows, columns, down, pitch) in zip("ABD", types, matrices):
            pitch = pitch or (rows if down else columns)
            shape: Tuple[int, ...] = (rows, columns)
            strides: Tuple[int, ...] = (1, pitch) if down else (pitch, 1)
            if name == each:
                shape, strides = (g.groups, *shape), (pitch * (columns if down else rows), *strides)
            asked.append((name, type, shape, strides))
        return tuple(asked)

    def _fit(self, a: Any, b: Any, d: Any) -> Tuple[int, int, int]:
        """The addresses of arrays that have the types, shapes and strides of the request."""
        at_a, at_b, at_d = [wanted(name, x, type, shape, strides) for x, (name, type, shape, strides) in zip((a, b, d), self._asked)]
        return at_a, at_b, at_d
