# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `target.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import call as _call

__all__ = ["show"]


def show(target: str, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """What a target is and gives: class, features, oldest PTX, shared memory, registers, banks, clusters."""
    return _call("target.show", target=target, limits=limits)
