# SPDX-License-Identifier: Apache-2.0
"""zlay: GPU layouts, legality, pipelines and code, decided before anything runs. docs/python.md leads through it.

>>> import zlay
>>> a = zlay.Layout("(4,8):(8,1)")
>>> a(3, 5), a.inverse()(29) == a.index((3, 5))
(29, True)
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._json import call
from ._lib import limits, version
from .errors import Error, ProvedNone, Refused, Undecided
from .f2 import F2
from .layout import Layout
from .pipe import Pipe
from .tensormap import TensorMap

if TYPE_CHECKING:
    from . import check, ops, runtime, synth
    from .plans import Plan, plan
    from .verdict import Fix, Reason, Verdict

__all__ = ["Error", "F2", "Fix", "Layout", "Pipe", "Plan", "ProvedNone", "Reason", "Refused", "TensorMap", "Undecided", "Verdict",
           "call", "check", "limits", "ops", "plan", "runtime", "show", "synth"]

__version__ = version()

_LATER = {"Plan": ".plans", "plan": ".plans", "Fix": ".verdict", "Reason": ".verdict", "Verdict": ".verdict"}


def __getattr__(name: str) -> Any:
    """What is imported when it is first used, so that `import zlay` is fast."""
    if name in ("check", "ops", "runtime", "synth"):
        return importlib.import_module(f".{name}", __name__)
    room = _LATER.get(name)
    if room:
        return getattr(importlib.import_module(room, __name__), name)
    raise AttributeError(f"module 'zlay' has no attribute '{name}'")


def show(of: Any) -> None:
    """Print what is known of an object: a layout, a map, a verdict, a pipe, a plan; of a text the rule of that name.

    >>> import zlay
    >>> zlay.show("TMAP_STRIDE_16")
    TMAP_STRIDE_16: each stride is a multiple of 16 bytes
    driver, any: cuda.h, globalStrides
    """
    if isinstance(of, str):
        rule = call("rule.explain", rule=of)
        print(f"{of}: {rule['text']}\n{rule['by']}, {rule['targets']}: {rule['source']}")
    else:
        print(of._show_() if hasattr(of, "_show_") else of)
