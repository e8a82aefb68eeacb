# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `word.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Number, call as _call
from ..layout import Layout, LayoutLike

__all__ = ["synth"]


def synth(slots: Sequence[Sequence[Number]], map: LayoutLike, *, name: Optional[str] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """The least word of byte permutes and shuffles for a bijection of slots, [["byte", 2], ["register", 4],
    ["lane", 32]]; with a name, as the PTX of a kernel."""
    return _call("word.synth", slots=slots, map=map, name=name, limits=limits)
