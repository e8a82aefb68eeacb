# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Syntheses by what they make; the answers are those of docs/batch.md."""
from __future__ import annotations

from .ops.convert import synth as convert
from .ops.copy import synth as copy
from .ops.fragment import synth as fragment
from .ops.smemdesc import synth as smemdesc
from .ops.stage import synth as stage
from .ops.swizzle import synth as swizzle
from .ops.tensormap import synth as tensormap
from .ops.tmem import synth as tmem
from .ops.wave import synth as wave
from .ops.word import synth as word

__all__ = ["convert", "copy", "fragment", "smemdesc", "stage", "swizzle", "tensormap", "tmem", "wave", "word"]
