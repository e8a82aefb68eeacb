# SPDX-License-Identifier: Apache-2.0
"""What all objects that have a picture share: `show`, and the picture that a notebook shows."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Tuple

from .errors import Error

if TYPE_CHECKING:
    from .picture import Picture

__all__ = ["Shown"]

#: Boxes of a picture that nobody asked for: an SVG of 600 KB.
_DRAWN = 4096


class Shown:
    """An object that a view shows: `_view_` says which, and the fields of its operation."""

    __slots__ = ()

    def _view_(self) -> Tuple[str, Mapping[str, Any]]:
        raise NotImplementedError

    def show(self, **fields: Any) -> Picture:
        """Its picture; `fields` are those of its view: of a layout labels="holders", rows and columns say who has each element.

        >>> import zlay
        >>> zlay.Layout("(4,8):(8,1)").show().panels[0].rows
        ('0', '1', '2', '3')
        """
        from .picture import Picture

        view, given = self._view_()
        return Picture(view, **given, **fields)

    def _repr_svg_(self) -> Optional[str]:
        """The picture, for a notebook; None, so that it has the text, where there is none of at most 4096 boxes."""
        try:
            return self.show(limits={"points": _DRAWN}).svg
        except Error:
            return None
