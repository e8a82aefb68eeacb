# SPDX-License-Identifier: Apache-2.0
"""Answers that are layouts, as objects."""
from __future__ import annotations

from typing import Any

from .._json import call
from ..f2 import F2
from ..layout import Layout

__all__ = ["f2", "layout"]


def layout(op: str, /, **fields: Any) -> Layout:
    """The layout of an operation that answers a text."""
    return Layout(call(op, **fields))


def f2(op: str, /, **fields: Any) -> F2:
    """The layout of an operation that answers an F2 object."""
    return F2.of(call(op, **fields))
