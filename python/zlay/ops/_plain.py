# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Every operation of docs/batch.md, by name: `zlay.ops.layout.compose(a, b)`. Those without a dot stand here."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Integers, Number, Value, call as _call
from ..layout import LayoutLike
from ..pipe import PipeLike

__all__ = ["emit", "zlay"]


def emit(what: str, name: str, *, target: Optional[str] = None, m: Optional[Number] = None,
        n: Optional[Number] = None, k: Optional[Number] = None, a_type: Optional[Number] = None,
        b_type: Optional[Number] = None, d_type: Optional[Number] = None, a_order: Optional[Number] = None,
        b_order: Optional[Number] = None, d_order: Optional[Number] = None, a_major: Optional[Number] = None,
        b_major: Optional[Number] = None, lda: Optional[Number] = None, ldb: Optional[Number] = None,
        ldd: Optional[Number] = None, tile: Optional[Integers] = None, stages: Optional[Number] = None,
        epilogue: Optional[str] = None, a_scales: Optional[Number] = None, b_scales: Optional[Number] = None,
        d_scales: Optional[Number] = None, repack: Optional[Number] = None, split_k: Optional[Number] = None,
        multicast: Optional[Number] = None, swap: Optional[Number] = None, stream_k: Optional[Number] = None,
        groups: Optional[Number] = None, ragged: Optional[Number] = None, band: Optional[Number] = None,
        ptx: Optional[str] = None, src: Optional[Value] = None, dst: Optional[Value] = None,
        elem_bits: Optional[Number] = None, src_align: Optional[Number] = None, dst_align: Optional[Number] = None,
        path: Optional[Number] = None, threads: Optional[Number] = None, type: Optional[Number] = None,
        registers: Optional[Number] = None, signal: Optional[bool] = None, facts: Optional[Sequence[str]] = None,
        language: Optional[Number] = None, pipe: Optional[PipeLike] = None,
        fragments: Optional[Sequence[Mapping[str, Value]]] = None,
        moves: Optional[Sequence[Mapping[str, Value]]] = None,
        operands: Optional[Sequence[Mapping[str, Value]]] = None, unchecked: Optional[bool] = None,
        descending: Optional[bool] = None, tries: Optional[Number] = None, head: Optional[Number] = None,
        queries: Optional[Number] = None, keys: Optional[Number] = None, batch: Optional[Number] = None,
        heads: Optional[Number] = None, sequences: Optional[Number] = None, kv_heads: Optional[Number] = None,
        o_type: Optional[Number] = None, causal: Optional[bool] = None, soft_cap: Optional[bool] = None,
        splits: Optional[Number] = None, merge: Optional[bool] = None, window: Optional[Number] = None,
        sinks: Optional[bool] = None, lse: Optional[bool] = None, q_lengths: Optional[Number] = None,
        k_lengths: Optional[Number] = None, overlap: Optional[Number] = None, q_strides: Optional[Integers] = None,
        k_strides: Optional[Integers] = None, v_strides: Optional[Integers] = None,
        o_strides: Optional[Integers] = None, l_strides: Optional[Integers] = None, weights: Optional[Value] = None,
        group: Optional[Number] = None, zeros: Optional[bool] = None, lds: Optional[Number] = None,
        warpgroups: Optional[Number] = None, cluster: Optional[Number] = None, layout: Optional[LayoutLike] = None,
        slots: Optional[Sequence[Sequence[Number]]] = None, map: Optional[Value] = None,
        smem: Optional[Number] = None, desc: Optional[Number] = None, step: Optional[Sequence[Value]] = None,
        kind: Optional[Number] = None, parts: Optional[Number] = None, align: Optional[Number] = None,
        any_order: Optional[bool] = None, instruction: Optional[Number] = None, a: Optional[Number] = None,
        b: Optional[Number] = None, d: Optional[Number] = None, sparse: Optional[Number] = None,
        scale_vec: Optional[Number] = None, blocks: Optional[Number] = None, fragment: Optional[Number] = None,
        rows: Optional[Number] = None, depth: Optional[Number] = None, source_rows: Optional[Number] = None,
        target_rows: Optional[Number] = None, row_bytes: Optional[Number] = None,
        source_pitch: Optional[Number] = None, target_pitch: Optional[Number] = None,
        element_bytes: Optional[Number] = None, unknowns: Optional[Sequence[str]] = None,
        shapes: Optional[Sequence[Value]] = None, most: Optional[Number] = None, bound: Optional[Number] = None,
        percent: Optional[Number] = None, variants: Optional[Sequence[Mapping[str, Value]]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Text: of a GEMM (m, n, k) its kernel as PTX, or as assembly where waves multiply (what: gemm), or its data
    movement as a CUDA C header, of groups how its kernel is called (what: header); of two layouts (src, dst,
    elem_bits) the kernel that copies, or transposes, as PTX; of copy.synth's fields (what: move; language: cuda,
    hip or, by default, ptx) the function of its plan; of a pipe (pipe, language: ptx or cuda) its kernel; of
    plan.attention's fields (what: attention) the kernel of its plan; of plan.weights' fields (what: weights) the
    kernel of its plan; of a target alone (what: snippets) its data movement as a C header of inline asm; of a
    layout (what: layout; language: cuda, hip or ptx) the function of its value, of word.synth's slots and map
    (what: word) that of its word, of convert.synth's fields (what: convert) that of its plan, of wave.synth's
    (what: wave) those of its plan; of a map (what: tensormap), of smemdesc.synth's desc and step (what: smemdesc)
    and of idesc.pack's word (what: idesc) the constants; of a pipe (what: ring) its barriers; of counts and pitches
    (what: ragged; kind: copy, concatenate, split, transpose, concatenate_columns or split_columns) the kernel that
    moves rows, or columns, of which only the device knows how many there are; of variants.choose's fields (what:
    selector) the function that selects a variant."""
    return _call("emit", what=what, name=name, target=target, m=m, n=n, k=k, a_type=a_type, b_type=b_type,
        d_type=d_type, a_order=a_order, b_order=b_order, d_order=d_order, a_major=a_major,
        b_major=b_major, lda=lda, ldb=ldb, ldd=ldd, tile=tile, stages=stages, epilogue=epilogue,
        a_scales=a_scales, b_scales=b_scales, d_scales=d_scales, repack=repack, split_k=split_k,
        multicast=multicast, swap=swap, stream_k=stream_k, groups=groups, ragged=ragged, band=band,
        ptx=ptx, src=src, dst=dst, elem_bits=elem_bits, src_align=src_align, dst_align=dst_align,
        path=path, threads=threads, type=type, registers=registers, signal=signal, facts=facts,
        language=language, pipe=pipe, fragments=fragments, moves=moves, operands=operands,
        unchecked=unchecked, descending=descending, tries=tries, head=head, queries=queries,
        keys=keys, batch=batch, heads=heads, sequences=sequences, kv_heads=kv_heads, o_type=o_type,
        causal=causal, soft_cap=soft_cap, splits=splits, merge=merge, window=window, sinks=sinks,
        lse=lse, q_lengths=q_lengths, k_lengths=k_lengths, overlap=overlap, q_strides=q_strides,
        k_strides=k_strides, v_strides=v_strides, o_strides=o_strides, l_strides=l_strides,
        weights=weights, group=group, zeros=zeros, lds=lds, warpgroups=warpgroups, cluster=cluster,
        layout=layout, slots=slots, map=map, smem=smem, desc=desc, step=step, kind=kind,
        parts=parts, align=align, any_order=any_order, instruction=instruction, a=a, b=b, d=d,
        sparse=sparse, scale_vec=scale_vec, blocks=blocks, fragment=fragment, rows=rows,
        depth=depth, source_rows=source_rows, target_rows=target_rows, row_bytes=row_bytes,
        source_pitch=source_pitch, target_pitch=target_pitch, element_bytes=element_bytes,
        unknowns=unknowns, shapes=shapes, most=most, bound=bound, percent=percent,
        variants=variants, limits=limits)


def zlay(*, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The versions, every operation with its fields, the targets, and the limits with their defaults."""
    return _call("zlay", limits=limits)
