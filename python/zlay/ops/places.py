# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `places.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Integers, Number, Value, call as _call

__all__ = ["find"]


def find(target: str, values: Sequence[Mapping[str, Value]], operations: Sequence[Mapping[str, Value]], *,
        loop: Optional[Integers] = None, threads: Optional[Number] = None, registers: Optional[Number] = None,
        smem: Optional[Number] = None, tmem: Optional[Number] = None, grid: Optional[Integers] = None,
        cluster: Optional[Number] = None, cost: Optional[Sequence[Value]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """Where the values of a tile program lie, registers, shared memory, the cluster's, tensor memory or global
    memory: values ({name, rows, columns, bits}, if wanted depth, times, from, to, same), operations ({form, reads,
    writes}); the choice that moves at least cost within all capacities, over all shapes of a cluster, with masks of
    multicast."""
    return _call("places.find", target=target, values=values, operations=operations, loop=loop, threads=threads,
        registers=registers, smem=smem, tmem=tmem, grid=grid, cluster=cluster, cost=cost,
        limits=limits)
