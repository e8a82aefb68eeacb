# SPDX-License-Identifier: Apache-2.0
"""Pictures of layouts and of all else that `zlay show` draws: as boxes with labels, SVG, HTML or text (docs/pictures.md).

>>> import zlay
>>> print(zlay.show(zlay.Layout("(2,3):(3,1)")))
(2,3):(3,1)
  0 1 2
0 0 1 2
1 3 4 5
<BLANKLINE>
"""
from __future__ import annotations

import functools
import os
from typing import Any, Mapping, NamedTuple, Optional, Tuple, Union

from ._json import call
from .errors import Error
from .shown import Shown

__all__ = ["Box", "Panel", "Picture", "show"]


class Box(NamedTuple):
    """A box of one row of a panel; what a picture does not say of it is None."""

    column: int
    row: int
    width: int
    label: str
    tip: Optional[str]
    shade: Optional[int]  # colour of 16
    key: Optional[int]  # boxes of one key belong together, as those of a thread
    step: Optional[int]  # of time in which it appears
    marked: bool  # something is wrong here


class Panel(NamedTuple):
    """A grid of boxes; `kind` is cells, bits or bars, `columns` and `rows` are labels."""

    name: str
    kind: str
    columns: Tuple[str, ...]
    rows: Tuple[str, ...]
    boxes: Tuple[Box, ...]


#: What a path ends with, by the form that is written there.
_ENDINGS = {".svg": "svg", ".html": "html", ".htm": "html", ".txt": "text"}


def _box(of: Mapping[str, Any]) -> Box:
    return Box(of["column"], of["row"], of.get("width", 1), of["label"], of.get("tip"), of.get("shade"), of.get("key"), of.get("step"),
               bool(of.get("marked", False)))


def _panel(of: Mapping[str, Any]) -> Panel:
    return Panel(of["name"], of["kind"], tuple(of["columns"]), tuple(of["rows"]), tuple(map(_box, of["boxes"])))


class Picture:
    """The picture that an operation `show.*` of docs/batch.md makes of its fields; texts are made when they are asked for.

    >>> import zlay
    >>> p = zlay.Picture("layout", layout="(2,2):(2,1)")
    >>> p.title, [box.label for box in p.panels[0].boxes]
    ('(2,2):(2,1)', ['0', '2', '1', '3'])
    >>> p.svg.startswith("<svg")
    True
    """

    def __init__(self, view: str, /, **fields: Any) -> None:
        self.view = view if view.startswith("show.") else f"show.{view}"
        self._fields = fields
        #: Title, panels and notes, as docs/batch.md describes them.
        self.raw: Mapping[str, Any] = call(self.view, **fields, form="json")

    def _as(self, form: str, **more: Any) -> str:
        return str(call(self.view, **self._fields, form=form, **more)["text"])

    @property
    def title(self) -> str:
        """What it is of."""
        return str(self.raw["title"])

    @property
    def notes(self) -> Tuple[str, ...]:
        """Lines that stand below it."""
        return tuple(self.raw.get("notes", ()))

    @functools.cached_property
    def panels(self) -> Tuple[Panel, ...]:
        """Its panels, each with its boxes."""
        return tuple(map(_panel, self.raw["panels"]))

    @functools.cached_property
    def svg(self) -> str:
        """An image, light or dark as its reader's page is."""
        return self._as("svg")

    @functools.cached_property
    def html(self) -> str:
        """One page that needs no other file."""
        return self._as("html")

    @functools.cached_property
    def text(self) -> str:
        """Lines of 80 characters; `lines` has other widths."""
        return self._as("text", width=80, colour=False)

    def lines(self, width: int = 80, colour: bool = False) -> str:
        """Lines of at least 20 characters, with the colours of a terminal or without."""
        return self._as("text", width=width, colour=colour)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write it to a file: .svg, .html or .txt, as the path ends."""
        ending = os.path.splitext(os.fspath(path))[1].lower()
        if ending not in _ENDINGS:
            raise Error("EINVAL", f"a picture is saved as {', '.join(_ENDINGS)}, not '{ending}'")
        text = getattr(self, _ENDINGS[ending])
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        boxes = sum(len(panel["boxes"]) for panel in self.raw["panels"])
        return f"<zlay.Picture of {self.title}: {boxes} boxes>"


def show(of: Any, /, **fields: Any) -> Picture:
    """The picture of an object, or of a view by its name, with the fields of its operation `show.*`.

    >>> import zlay
    >>> tv = zlay.Layout("((2,2),(2,2)):((8,1),(4,2))")
    >>> print(zlay.show(tv, labels="holders", rows=4, columns=4))
    ((2,2),(2,2)):((8,1),(4,2))
         0    1    2    3
    0 T0V0 T0V1 T1V0 T1V1
    1 T2V0 T2V1 T3V0 T3V1
    2 T0V2 T0V3 T1V2 T1V3
    3 T2V2 T2V3 T3V2 T3V3
    <BLANKLINE>
    >>> zlay.show("layout", layout="(4,8):(8,1)")
    <zlay.Picture of (4,8):(8,1): 32 boxes>
    """
    if isinstance(of, str):
        return Picture(of, **fields)
    if not isinstance(of, Shown):
        raise Error("EINVAL", f"no view shows a {type(of).__name__}")
    return of.show(**fields)
