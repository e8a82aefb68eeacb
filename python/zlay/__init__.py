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
from .tensormap import Repair, TensorMap

if TYPE_CHECKING:
    from . import check, ops, runtime, synth, variants
    from .attention import Attention
    from .picture import Picture, show
    from .planner import plan
    from .plans import Plan
    from .rows import Rows
    from .verdict import Fix, Reason, Verdict
    from .weights import Weights

__all__ = ["Attention", "Error", "F2", "Fix", "Layout", "Picture", "Pipe", "Plan", "ProvedNone", "Reason", "Refused", "Rows",
           "Repair", "TensorMap", "Undecided", "Verdict", "Weights", "call", "check", "explain", "limits", "ops", "plan", "runtime", "show", "synth",
           "variants"]

__version__ = version()

_LATER = {"Attention": ".attention", "Picture": ".picture", "Plan": ".plans", "Rows": ".rows", "Weights": ".weights", "plan": ".planner",
          "show": ".picture", "Fix": ".verdict", "Reason": ".verdict", "Verdict": ".verdict"}


def __getattr__(name: str) -> Any:
    """What is imported when it is first used, so that `import zlay` is fast."""
    if name in ("check", "ops", "runtime", "synth", "variants"):
        return importlib.import_module(f".{name}", __name__)
    room = _LATER.get(name)
    if room:
        return getattr(importlib.import_module(room, __name__), name)
    raise AttributeError(f"module 'zlay' has no attribute '{name}'")


def explain(rule: str) -> str:
    """What a rule says, who made it, for which targets, and its source.

    >>> import zlay
    >>> print(zlay.explain("TMAP_STRIDE_16"))
    TMAP_STRIDE_16: each stride is a multiple of 16 bytes
    driver, any: cuda.h, globalStrides
    """
    of = call("rule.explain", rule=rule)
    return f"{rule}: {of['text']}\n{of['by']}, {of['targets']}: {of['source']}"
