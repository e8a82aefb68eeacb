# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Every operation of docs/batch.md, by name: `zlay.ops.layout.compose(a, b)`.

A function returns what the operation answers as `ok`: a Layout, an F2, a Verdict, or values of JSON; all
else is an exception.
"""
from __future__ import annotations

from . import attention, bank, barrier, block, body, buffer, cluster, convert, copy, f2, facts, fragment, gemm, \
    hier, idesc, instruction, io, layout, machine, mma, pipe, places, plan, radix, ragged, region, replace, rule, \
    show, smemdesc, stage, swizzle, target, tdm, tensormap, tiling, tmem, tuning, variants, waitcnt, warp, wave, \
    word, zmat
from ._plain import emit, zlay

__all__ = ["attention", "bank", "barrier", "block", "body", "buffer", "cluster", "convert", "copy", "emit", "f2",
           "facts", "fragment", "gemm", "hier", "idesc", "instruction", "io", "layout", "machine", "mma", "pipe",
           "places", "plan", "radix", "ragged", "region", "replace", "rule", "show", "smemdesc", "stage", "swizzle",
           "target", "tdm", "tensormap", "tiling", "tmem", "tuning", "variants", "waitcnt", "warp", "wave", "word",
           "zlay", "zmat"]
