# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `machine.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import call as _call

__all__ = ["info"]


def info(target: str, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """How fast a target is: processors, clock, bytes per 1000 cycles of each level, latencies, capacities, units
    and instruction forms, each with its basis (documented, measured, reckoned) and its source; what is not known is
    not there."""
    return _call("machine.info", target=target, limits=limits)
