# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `mma.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Number, Value, call as _call
from ..layout import Layout
from ..verdict import Verdict, asked as _asked
from ._answers import layout as _layout

__all__ = ["check", "explain", "fragment", "lanes", "operands"]


def check(target: str, instruction: Number, m: Number, n: Number, k: Number, *, ptx: Optional[Value] = None,
        kind: Optional[Number] = None, a: Optional[Number] = None, b: Optional[Number] = None,
        d: Optional[Number] = None, a_source: Optional[Number] = None, a_major: Optional[Number] = None,
        b_major: Optional[Number] = None, cta_group: Optional[Number] = None, sparse: Optional[Number] = None,
        selector: Optional[Number] = None, ws: Optional[Number] = None, scale_vec: Optional[Number] = None,
        ashift: Optional[Number] = None, collector: Optional[Number] = None, negate_a: Optional[Number] = None,
        negate_b: Optional[Number] = None, saturate: Optional[Number] = None, bit_op: Optional[Number] = None,
        blocks: Optional[Number] = None, strict: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether a matrix instruction exists on a target: shape, types, major-ness, modifiers; under strict, practice
    too."""
    return _asked("mma.check", target=target, instruction=instruction, m=m, n=n, k=k, ptx=ptx, kind=kind, a=a, b=b,
        d=d, a_source=a_source, a_major=a_major, b_major=b_major, cta_group=cta_group,
        sparse=sparse, selector=selector, ws=ws, scale_vec=scale_vec, ashift=ashift,
        collector=collector, negate_a=negate_a, negate_b=negate_b, saturate=saturate, bit_op=bit_op,
        blocks=blocks, strict=strict, limits=limits)


def explain(target: str, instruction: Number, m: Number, n: Number, k: Number, *, ptx: Optional[Value] = None,
        kind: Optional[Number] = None, a: Optional[Number] = None, b: Optional[Number] = None,
        d: Optional[Number] = None, a_source: Optional[Number] = None, a_major: Optional[Number] = None,
        b_major: Optional[Number] = None, cta_group: Optional[Number] = None, sparse: Optional[Number] = None,
        selector: Optional[Number] = None, ws: Optional[Number] = None, scale_vec: Optional[Number] = None,
        ashift: Optional[Number] = None, collector: Optional[Number] = None, negate_a: Optional[Number] = None,
        negate_b: Optional[Number] = None, saturate: Optional[Number] = None, bit_op: Optional[Number] = None,
        blocks: Optional[Number] = None, strict: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """What an instruction that reads both operands from registers is in text: mnemonic, registers of a lane,
    passes, what its modifiers mean."""
    return _call("mma.explain", target=target, instruction=instruction, m=m, n=n, k=k, ptx=ptx, kind=kind, a=a, b=b,
        d=d, a_source=a_source, a_major=a_major, b_major=b_major, cta_group=cta_group,
        sparse=sparse, selector=selector, ws=ws, scale_vec=scale_vec, ashift=ashift,
        collector=collector, negate_a=negate_a, negate_b=negate_b, saturate=saturate, bit_op=bit_op,
        blocks=blocks, strict=strict, limits=limits)


def fragment(target: str, instruction: Number, m: Number, n: Number, k: Number, fragment: Number, *,
        ptx: Optional[Value] = None, kind: Optional[Number] = None, a: Optional[Number] = None,
        b: Optional[Number] = None, d: Optional[Number] = None, a_source: Optional[Number] = None,
        a_major: Optional[Number] = None, b_major: Optional[Number] = None, cta_group: Optional[Number] = None,
        sparse: Optional[Number] = None, selector: Optional[Number] = None, ws: Optional[Number] = None,
        scale_vec: Optional[Number] = None, ashift: Optional[Number] = None, collector: Optional[Number] = None,
        negate_a: Optional[Number] = None, negate_b: Optional[Number] = None, saturate: Optional[Number] = None,
        bit_op: Optional[Number] = None, blocks: Optional[Number] = None, strict: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Layout:
    """Which elements each thread of a wgmma or mfma holds, of A or D (thread, value) -> row + m column, of B of
    mfma column + n k, of metadata (thread, nibble) -> row + 64 group."""
    return _layout("mma.fragment", target=target, instruction=instruction, m=m, n=n, k=k, fragment=fragment, ptx=ptx,
        kind=kind, a=a, b=b, d=d, a_source=a_source, a_major=a_major, b_major=b_major,
        cta_group=cta_group, sparse=sparse, selector=selector, ws=ws, scale_vec=scale_vec,
        ashift=ashift, collector=collector, negate_a=negate_a, negate_b=negate_b, saturate=saturate,
        bit_op=bit_op, blocks=blocks, strict=strict, limits=limits)


def lanes(target: str, instruction: Number, m: Number, n: Number, k: Number, fragment: Number, *,
        cbsz: Optional[Number] = None, abid: Optional[Number] = None, blgp: Optional[Number] = None,
        kind: Optional[Number] = None, a: Optional[Number] = None, b: Optional[Number] = None,
        d: Optional[Number] = None, sparse: Optional[Number] = None, scale_vec: Optional[Number] = None,
        negate_a: Optional[Number] = None, negate_b: Optional[Number] = None, saturate: Optional[Number] = None,
        blocks: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Layout:
    """Whose values a lane of a wave multiplies, lane -> lane: A under cbsz and abid, B under blgp."""
    return _layout("mma.lanes", target=target, instruction=instruction, m=m, n=n, k=k, fragment=fragment, cbsz=cbsz,
        abid=abid, blgp=blgp, kind=kind, a=a, b=b, d=d, sparse=sparse, scale_vec=scale_vec,
        negate_a=negate_a, negate_b=negate_b, saturate=saturate, blocks=blocks, limits=limits)


def operands(target: str, instruction: Number, m: Number, n: Number, k: Number, registers: Mapping[str, Value], *,
        cbsz: Optional[Number] = None, abid: Optional[Number] = None, blgp: Optional[Number] = None,
        kind: Optional[Number] = None, a: Optional[Number] = None, b: Optional[Number] = None,
        d: Optional[Number] = None, sparse: Optional[Number] = None, scale_vec: Optional[Number] = None,
        negate_a: Optional[Number] = None, negate_b: Optional[Number] = None, saturate: Optional[Number] = None,
        blocks: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether a matrix instruction may have these registers, {"d": "a[0:15]", "a", "b", "c"}, and modifiers:
    counts, alignment, files, overlap, what cbsz, abid and blgp mean."""
    return _asked("mma.operands", target=target, instruction=instruction, m=m, n=n, k=k, registers=registers,
        cbsz=cbsz, abid=abid, blgp=blgp, kind=kind, a=a, b=b, d=d, sparse=sparse,
        scale_vec=scale_vec, negate_a=negate_a, negate_b=negate_b, saturate=saturate, blocks=blocks,
        limits=limits)
