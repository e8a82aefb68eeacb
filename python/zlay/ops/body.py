# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `body.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import call as _call

__all__ = ["check"]


def check(body: str, *, limits: Optional[Mapping[str, int]] = None) -> Any:
    """A body as it is printed, with its operands: what each is, its type, and whether the body reads it and gives
    it a value; an error with the line where the text is no body."""
    return _call("body.check", body=body, limits=limits)
