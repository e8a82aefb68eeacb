# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `facts.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import call as _call

__all__ = ["of"]


def of(expression: str, *, facts: Optional[Sequence[str]] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """What facts imply of an expression: bounds (null: none) and a congruence; mod 0: the one integer rem."""
    return _call("facts.of", expression=expression, facts=facts, limits=limits)
