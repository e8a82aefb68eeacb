# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `rule.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import call as _call

__all__ = ["explain"]


def explain(rule: str, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """What a rule says, who says it, and where."""
    return _call("rule.explain", rule=rule, limits=limits)
