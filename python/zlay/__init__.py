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
    from . import check, io, ops, runtime, synth, tuning, variants
    from .attention import Attention
    from .machine import Machine
    from .picture import Picture, show
    from .places import Places
    from .planner import plan
    from .plans import Plan
    from .roles import Roles
    from .rows import Rows
    from .schedule import Loop, Schedule
    from .stage import Stage
    from .verdict import Fix, Reason, Verdict
    from .weights import Weights

__all__ = ["Attention", "Error", "F2", "Fix", "Layout", "Loop", "Machine", "Picture", "Pipe", "Places", "Plan", "ProvedNone", "Reason",
           "Refused", "Repair", "Roles", "Rows", "Schedule", "Stage", "TensorMap", "Undecided", "Verdict", "Weights", "call", "check",
           "explain", "io", "limits", "ops", "plan", "runtime", "show", "synth", "tuning", "variants"]

__version__ = version()

_LATER = {"Attention": ".attention", "Picture": ".picture", "Plan": ".plans", "Rows": ".rows", "Loop": ".schedule", "Machine": ".machine", "Places": ".places",
          "Roles": ".roles", "Schedule": ".schedule", "Stage": ".stage", "Weights": ".weights", "plan": ".planner",
          "show": ".picture", "Fix": ".verdict", "Reason": ".verdict", "Verdict": ".verdict"}


def __getattr__(name: str) -> Any:
    """What is imported when it is first used, so that `import zlay` is fast."""
    if name in ("check", "io", "ops", "runtime", "synth", "tuning", "variants"):
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
