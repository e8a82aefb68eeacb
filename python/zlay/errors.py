# SPDX-License-Identifier: Apache-2.0
"""Failures as exceptions: the status of the library, and its message.

>>> import zlay
>>> try:
...     zlay.Layout("(4,8:")
... except zlay.Error as e:
...     print(e.status, "|", e.message)
EINVAL | byte 4: expected ',', at ':'
"""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .verdict import Verdict

__all__ = ["Error", "ProvedNone", "Refused", "Undecided"]


class Error(Exception):
    """A call that was not carried out: `status`, as "EINVAL" (docs/errors.md), and `message`."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(f"{status}: {message}" if message else status)
        self.status = status
        self.message = message


class ProvedNone(Error):
    """It is proved that there is no such object; the message has the witness.

    >>> import zlay
    >>> zlay.Layout("(4,2):(1,2)").inverse()
    Traceback (most recent call last):
        ...
    zlay.errors.ProvedNone: NONE: indices 2 and 4 have the one value 2
    """


class Undecided(Error):
    """Neither yes nor no: the message names the limit that ended the search, or what is not known."""


class Refused(Error):
    """A check answered no; `verdict` has every broken rule with its repair."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__("REFUSED", str(verdict))
        self.verdict = verdict
