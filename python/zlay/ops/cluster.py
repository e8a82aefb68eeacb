# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `cluster.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Number, Value, call as _call
from ..layout import Layout, LayoutLike
from ..tensormap import MapLike

__all__ = ["exchange", "multicast"]


def exchange(src: LayoutLike, dst: LayoutLike, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """Registers that change blocks: from which slot of src each slot of dst is served, of its own block wherever
    that has the element, and how many elements cross, which is the least."""
    return _call("cluster.exchange", src=src, dst=dst, limits=limits)


def multicast(target: str, map: MapLike, coordinates: Sequence[Value], cluster: Number, *,
        cta_mask: Optional[Number] = None, smem: Optional[Number] = None, barrier: Optional[Number] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """A tile that blocks of a cluster share, in equal slices: the map of a slice, which block issues which copy
    with which mask, and the bytes that every block's barrier must expect."""
    return _call("cluster.multicast", target=target, map=map, coordinates=coordinates, cluster=cluster,
        cta_mask=cta_mask, smem=smem, barrier=barrier, limits=limits)
