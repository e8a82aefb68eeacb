# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `show.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Integers, Number, Value, call as _call
from ..layout import Layout, LayoutLike
from ..pipe import PipeLike
from ..tensormap import MapLike

__all__ = ["banks", "box", "buffer", "fragment", "idesc", "layout", "pipe", "places", "ragged", "registers",
           "schedule", "smemdesc", "swizzle", "tensormap", "tmem", "warp"]


def banks(target: str, instruction: str, addresses: Value, *, offset0: Optional[Number] = None,
        offset1: Optional[Number] = None, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of an access to shared memory (the fields are those of bank.count): the lanes that each bank
    serves in each wavefront, phase by phase; lanes that conflict are marked."""
    return _call("show.banks", target=target, instruction=instruction, addresses=addresses, offset0=offset0,
        offset1=offset1, form=form, width=width, colour=colour, limits=limits)


def box(map: MapLike, coordinates: Value, *, offsets: Optional[Value] = None, smem: Optional[Number] = None,
        form: Optional[Number] = None, width: Optional[Number] = None, colour: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of a tensor copy's box in shared memory, swizzled as it is written: which elements of the tensor
    each 16 bytes have, and what is filled in outside the tensor."""
    return _call("show.box", map=map, coordinates=coordinates, offsets=offsets, smem=smem, form=form, width=width,
        colour=colour, limits=limits)


def buffer(target: str, desc: str, *, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of the 128 bits of a buffer resource."""
    return _call("show.buffer", target=target, desc=desc, form=form, width=width, colour=colour, limits=limits)


def fragment(target: str, instruction: Number, m: Number, n: Number, k: Number, fragment: Number, *,
        ptx: Optional[Value] = None, kind: Optional[Number] = None, a: Optional[Number] = None,
        b: Optional[Number] = None, d: Optional[Number] = None, a_source: Optional[Number] = None,
        a_major: Optional[Number] = None, b_major: Optional[Number] = None, cta_group: Optional[Number] = None,
        sparse: Optional[Number] = None, selector: Optional[Number] = None, ws: Optional[Number] = None,
        scale_vec: Optional[Number] = None, ashift: Optional[Number] = None, collector: Optional[Number] = None,
        negate_a: Optional[Number] = None, negate_b: Optional[Number] = None, saturate: Optional[Number] = None,
        bit_op: Optional[Number] = None, blocks: Optional[Number] = None, strict: Optional[Number] = None,
        form: Optional[Number] = None, width: Optional[Number] = None, colour: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of mma.fragment: which thread has which element, and in which of its values, T5V3."""
    return _call("show.fragment", target=target, instruction=instruction, m=m, n=n, k=k, fragment=fragment, ptx=ptx,
        kind=kind, a=a, b=b, d=d, a_source=a_source, a_major=a_major, b_major=b_major,
        cta_group=cta_group, sparse=sparse, selector=selector, ws=ws, scale_vec=scale_vec,
        ashift=ashift, collector=collector, negate_a=negate_a, negate_b=negate_b, saturate=saturate,
        bit_op=bit_op, blocks=blocks, strict=strict, form=form, width=width, colour=colour,
        limits=limits)


def idesc(target: str, kind: Number, desc: Number, *, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of the 32 bits of an instruction descriptor."""
    return _call("show.idesc", target=target, kind=kind, desc=desc, form=form, width=width, colour=colour,
        limits=limits)


def layout(layout: LayoutLike, *, labels: Optional[Number] = None, rows: Optional[Number] = None,
        columns: Optional[Number] = None, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of a layout: the value of each coordinate, or, of a layout from threads and values to elements of
    rows x columns (labels: holders), the thread that holds each element."""
    return _call("show.layout", layout=layout, labels=labels, rows=rows, columns=columns, form=form, width=width,
        colour=colour, limits=limits)


def pipe(pipe: PipeLike, *, trips: Optional[Number] = None, steps: Optional[Number] = None,
        form: Optional[Number] = None, width: Optional[Number] = None, colour: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of a run of a pipe: roles, stages and mbarriers as rows, steps as columns. Of a pipe that
    pipe.verify refuses it is the run that breaks a rule, marked where it does, with `trips` that of so many; of
    another one, and of trips that break none, a run in which each role runs one event a step as soon as it can."""
    return _call("show.pipe", pipe=pipe, trips=trips, steps=steps, form=form, width=width, colour=colour,
        limits=limits)


def places(target: str, values: Sequence[Mapping[str, Value]], operations: Sequence[Mapping[str, Value]], *,
        loop: Optional[Integers] = None, threads: Optional[Number] = None, registers: Optional[Number] = None,
        smem: Optional[Number] = None, tmem: Optional[Number] = None, grid: Optional[Integers] = None,
        cluster: Optional[Number] = None, cost: Optional[Sequence[Value]] = None, form: Optional[Number] = None,
        width: Optional[Number] = None, colour: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of places.find: where each value may be, is made and is moved to, and what it takes of registers,
    shared and tensor memory from which step to which."""
    return _call("show.places", target=target, values=values, operations=operations, loop=loop, threads=threads,
        registers=registers, smem=smem, tmem=tmem, grid=grid, cluster=cluster, cost=cost, form=form,
        width=width, colour=colour, limits=limits)


def ragged(rows: Value, tiles: Sequence[Mapping[str, Value]], *, columns: Optional[Value] = None,
        depth: Optional[Number] = None, row_bytes: Optional[Number] = None, column_bytes: Optional[Number] = None,
        cell_bytes: Optional[Number] = None, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of region.cover: a row for each group, a cell for each part of it, 150 of 2*128: 150 rows are
    valid in two tiles of 128; parts that waste are marked."""
    return _call("show.ragged", rows=rows, tiles=tiles, columns=columns, depth=depth, row_bytes=row_bytes,
        column_bytes=column_bytes, cell_bytes=cell_bytes, form=form, width=width, colour=colour,
        limits=limits)


def registers(shape: Number, *, size: Optional[Number] = None, pack: Optional[Number] = None,
        half_split: Optional[Number] = None, factors: Optional[Number] = None, first: Optional[Number] = None,
        address: Optional[Number] = None, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of tmem.layout of a shape of tcgen05.ld and st: which register of which thread has which cell of
    tensor memory; size is 1 unless it is given."""
    return _call("show.registers", shape=shape, size=size, pack=pack, half_split=half_split, factors=factors,
        first=first, address=address, form=form, width=width, colour=colour, limits=limits)


def schedule(ops: Sequence[Mapping[str, Value]], edges: Sequence[Mapping[str, Value]], units: Mapping[str, Value],
        *, values: Optional[Sequence[Mapping[str, Value]]] = None, capacity: Optional[Mapping[str, Value]] = None,
        copies: Optional[Number] = None, iterations: Optional[Number] = None, columns: Optional[Number] = None,
        form: Optional[Number] = None, width: Optional[Number] = None, colour: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of pipe.schedule: which unit has which operation in flight in one interval, and in the first
    iterations, how the pipeline fills, is full and drains; cycles are scaled to so many columns (64)."""
    return _call("show.schedule", ops=ops, edges=edges, units=units, values=values, capacity=capacity, copies=copies,
        iterations=iterations, columns=columns, form=form, width=width, colour=colour, limits=limits)


def smemdesc(target: str, desc: Number, *, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The same of the 64 bits of a matrix descriptor."""
    return _call("show.smemdesc", target=target, desc=desc, form=form, width=width, colour=colour, limits=limits)


def swizzle(elem_bits: Number, before: LayoutLike, after: LayoutLike, *, banks: Optional[Number] = None,
        values: Optional[Number] = None, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of a tile in shared memory before and after a swizzle, two layouts of the same elements: the bank
    of each, or with values its place."""
    return _call("show.swizzle", elem_bits=elem_bits, before=before, after=after, banks=banks, values=values,
        form=form, width=width, colour=colour, limits=limits)


def tensormap(target: str, words: Value, *, form: Optional[Number] = None, width: Optional[Number] = None,
        colour: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of a tensor map's 128 bytes (16 words or 256 hex digits): each field's bits, name and value, and
    the verdict of tensormap.check."""
    return _call("show.tensormap", target=target, words=words, form=form, width=width, colour=colour, limits=limits)


def tmem(pipe: PipeLike, *, trips: Optional[Number] = None, steps: Optional[Number] = None,
        form: Optional[Number] = None, width: Optional[Number] = None, colour: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of tensor memory in the run that show.pipe has: allocations and their stages, by columns, as long
    as they last."""
    return _call("show.tmem", pipe=pipe, trips=trips, steps=steps, form=form, width=width, colour=colour,
        limits=limits)


def warp(fragment: Number, bits: Number, registers: Number, *, form: Optional[Number] = None,
        width: Optional[Number] = None, colour: Optional[bool] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The picture of warp.fragment: which lane has which element of mma.sync's operands, or of ldmatrix's
    matrices."""
    return _call("show.warp", fragment=fragment, bits=bits, registers=registers, form=form, width=width,
        colour=colour, limits=limits)
