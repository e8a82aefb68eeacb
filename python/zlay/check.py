# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Checks by their subject: yes or depends is returned as a Verdict, no is raised as Refused."""
from __future__ import annotations

from .ops.barrier import check as barrier
from .ops.block import check as block
from .ops.buffer import check as buffer
from .ops.copy import check as copy
from .ops.idesc import check as idesc
from .ops.instruction import check as instruction
from .ops.mma import check as mma
from .ops.pipe import verify as pipe
from .ops.replace import check as replace
from .ops.smemdesc import check as smemdesc
from .ops.tdm import check as tdm
from .ops.tensormap import check as tensormap
from .ops.tmem import check as tmem

__all__ = ["barrier", "block", "buffer", "copy", "idesc", "instruction", "mma", "pipe", "replace", "smemdesc",
           "tdm", "tensormap", "tmem"]
