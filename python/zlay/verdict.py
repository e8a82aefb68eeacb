# SPDX-License-Identifier: Apache-2.0
"""What a check answers: yes, no, depends; every broken rule with its field, value, bound and repair."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple

from ._json import call
from .errors import Refused, Undecided

__all__ = ["Fix", "Reason", "Verdict", "asked"]


@dataclass(frozen=True)
class Fix:
    """The repair of one broken rule: its text, what it keeps, the fields it sets, copies instead of one."""

    text: str
    keeps: str
    set: Tuple[Mapping[str, Any], ...]
    split: int


@dataclass(frozen=True)
class Reason:
    """One rule that is broken or noted; `row` is all that the library says of it."""

    rule: str
    text: str
    field: Optional[str]
    index: Optional[int]
    value: Any
    bound: Any
    source: str
    fix: Optional[Fix]
    row: Mapping[str, Any]

    def __str__(self) -> str:
        if self.field is None:
            return f"{self.rule}: {self.text}"
        place = self.field if self.index is None or self.index < 0 else f"{self.field}[{self.index}]"
        repair = f"; {self.fix.text}" if self.fix else ""
        return f"{self.rule}: {place} is {self.value}; {self.text}{repair}"


@dataclass(frozen=True)
class Verdict:
    """The answer of a check: "yes", "no" or "depends", which then has a `guard`, an expression of C.

    It is true where the answer is yes. `raw` is the answer as docs/batch.md describes it.
    """

    answer: str
    basis: Optional[str]
    broken: Tuple[Reason, ...]
    noted: Tuple[Reason, ...]
    guard: Optional[str]
    raw: Mapping[str, Any]

    def __bool__(self) -> bool:
        return self.answer == "yes"

    def __str__(self) -> str:
        if self.guard:
            return f"{self.answer}: {self.guard}"
        return "\n".join(map(str, self.broken)) or self.answer


def _reason(row: Mapping[str, Any]) -> Reason:
    fix = row.get("fix")
    repair = Fix(fix["text"], fix["keeps"], tuple(fix["set"]), fix.get("split", 1)) if fix else None
    return Reason(row["rule"], row.get("text", ""), row.get("field"), row.get("index"), row.get("value"),
                  row.get("bound"), row.get("source", ""), repair, row)


def _verdict(raw: Mapping[str, Any]) -> Verdict:
    return Verdict(raw["answer"], raw.get("basis"), tuple(map(_reason, raw.get("broken", ()))),
                   tuple(map(_reason, raw.get("noted", ()))), raw.get("guard"), raw)


def asked(op: str, /, **fields: Any) -> Verdict:
    """Ask a check: yes and depends are returned, no is raised as Refused, undecided as Undecided."""
    verdict = _verdict(call(op, **fields))
    if verdict.answer == "no":
        raise Refused(verdict)
    if verdict.answer == "undecided":
        raise Undecided("UNDECIDED", str(verdict))
    return verdict
