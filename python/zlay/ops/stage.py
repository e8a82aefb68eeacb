# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `stage.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._json import Number, Value, call as _call

__all__ = ["synth"]


def synth(target: str, tiles: Sequence[Mapping[str, Value]], *, smem: Optional[Number] = None,
        threads: Optional[Number] = None, consumers: Optional[Number] = None, registers: Optional[Number] = None,
        cluster: Optional[Number] = None, depth: Optional[Number] = None, barriers: Optional[Number] = None,
        shared_rate: Optional[Number] = None, copy_rate: Optional[Number] = None, l2_rate: Optional[Number] = None,
        dram_rate: Optional[Number] = None, issue_rate: Optional[Number] = None, copy_each: Optional[Number] = None,
        copy_cycles: Optional[Number] = None, load_cycles: Optional[Number] = None,
        far_cycles: Optional[Number] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """How the stages of a pipe lie in shared memory, what fills them, which barriers tell of it and how deep the
    rings are, chosen together: the fewest cycles of a stage, then bytes, then barriers; and the pipe, proved."""
    return _call("stage.synth", target=target, tiles=tiles, smem=smem, threads=threads, consumers=consumers,
        registers=registers, cluster=cluster, depth=depth, barriers=barriers,
        shared_rate=shared_rate, copy_rate=copy_rate, l2_rate=l2_rate, dram_rate=dram_rate,
        issue_rate=issue_rate, copy_each=copy_each, copy_cycles=copy_cycles,
        load_cycles=load_cycles, far_cycles=far_cycles, limits=limits)
