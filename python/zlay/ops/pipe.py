# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `pipe.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import call as _call
from ..pipe import PipeLike
from ..verdict import Verdict, asked as _asked

__all__ = ["fences", "roles", "verify"]


def fences(pipe: PipeLike, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The pipe with the fewest fences inserted with which pipe.verify answers yes, and the lines where they stand;
    none, with the rule that no fence mends."""
    return _call("pipe.fences", pipe=pipe, limits=limits)


def roles(target: str, program: str, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The proved pipe of a tile program, one loop of operations on tiles: which warps do what, in which order, and
    the barriers between them."""
    return _call("pipe.roles", target=target, program=program, limits=limits)


def verify(pipe: PipeLike, *, proof: Optional[bool] = None, limits: Optional[Mapping[str, int]] = None) -> Verdict:
    """Whether a pipe is correct for every trip count; with proof: true the proof's text, or the run that ends in
    the fault."""
    return _asked("pipe.verify", pipe=pipe, proof=proof, limits=limits)
