# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `wave.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, call as _call

__all__ = ["synth"]


def synth(target: str, instruction: Number, m: Number, n: Number, k: Number, fragment: Number, rows: Number,
        depth: Number, threads: Number, *, parts: Optional[Number] = None, align: Optional[Number] = None,
        any_order: Optional[bool] = None, path: Optional[Number] = None, kind: Optional[Number] = None,
        a: Optional[Number] = None, b: Optional[Number] = None, d: Optional[Number] = None,
        sparse: Optional[Number] = None, scale_vec: Optional[Number] = None, blocks: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """A tile of one operand of matrix instructions that read registers, from global memory through shared memory:
    loads straight to it where they are, widest accesses, a swizzle, registers in the order of the instructions."""
    return _call("wave.synth", target=target, instruction=instruction, m=m, n=n, k=k, fragment=fragment, rows=rows,
        depth=depth, threads=threads, parts=parts, align=align, any_order=any_order, path=path,
        kind=kind, a=a, b=b, d=d, sparse=sparse, scale_vec=scale_vec, blocks=blocks, limits=limits)
