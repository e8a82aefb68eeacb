# SPDX-License-Identifier: Apache-2.0
"""Measurements that persist: which candidate of a request was the fastest on a device, as text that is merged and checked (docs/tuning.md).

>>> import zlay
>>> key = zlay.tuning.gemm_key("sm_90a", 96, 7168, 6144, device=zlay.tuning.Device("NVIDIA_H200", 132, 13000), swap="auto")
>>> record = zlay.tuning.Record(key, "tile=64x96x64 multicast=none swap=always stream_k=never split_k=1", 25740, 25, (25900, 29350))
>>> cache = zlay.tuning.Cache().add(record)
>>> cache.gemm("sm_90a", 96, 7168, 6144, swap="auto").ns, cache.gemm("sm_90a", 4096, 7168, 6144, swap="auto")
(25740, None)
>>> cache.plan("sm_90a", 96, 7168, 6144, swap="auto")
<zlay.Plan of 7168 x 96 x 6144 on sm_90a: tiles of 64 x 96 x 64, 10 stages>
"""
from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Optional, SupportsIndex, Tuple

from ._lib import cstring, context, fail, ffi, lib, made, printed
from .attention import Attention, attention_request
from .errors import Error
from .plans import Plan, request
from .tensormap import target_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .planner import AttentionFields, GemmFields

__all__ = ["Bad", "Cache", "Device", "Record", "attention_key", "gemm_key"]


class Device(NamedTuple):
    """Where a record was measured: the driver's name of it, its processors, the driver's version; 0: any."""

    name: str
    processors: int = 0
    driver: int = 0


class Record(NamedTuple):
    """A measurement: the request's key, the choice, its median in ns of so many rounds, and the medians of the candidates beside it."""

    key: str
    choice: str
    ns: int
    rounds: int
    others: Tuple[int, ...] = ()


class Bad(NamedTuple):
    """A line that was refused, from 1, and why."""

    line: int
    reason: str


def _text(name: str, value: Any) -> bytes:
    """A text that C reads up to its first 0."""
    if not isinstance(value, str) or "\0" in value:
        raise Error("EINVAL", f"{name}: not a text without a 0")
    return value.encode()


def _number(name: str, value: Any, bits: int) -> int:
    if not isinstance(value, SupportsIndex) or not 0 <= index(value) < 1 << bits:
        raise Error("EINVAL", f"{name}: {value!r} is not an integer in [0, 2^{bits})")
    return index(value)


def _key(function: Any, target: str, ask: Any, device: Optional[Device]) -> str:
    key, at = ffi.new("char[]", lib.ZLAY_TUNING_KEY), ffi.NULL
    if device:
        name = ffi.new("char[]", _text("device", device.name))
        at = ffi.new("zlay_tuning_device *", {"name": name, "processors": _number("processors", device.processors, 32),
                                              "driver": _number("driver", device.driver, 31)})
    status = function(context(), key, target_of(target), ask, at)
    if status:
        raise fail(status)
    return cstring(key)


def gemm_key(target: str, m: int, n: int, k: int, *, device: Optional[Device] = None, **fields: Unpack[GemmFields]) -> str:
    """The key of a GEMM on a device, or on any of the target."""
    ask, text = request({"m": m, "n": n, "k": k, **fields})
    key = _key(lib.zlay_tuning_key_gemm, target, ask, device)
    ffi.release(text)  # it lived as long as the call
    return key


def attention_key(target: str, head: int, queries: int, keys: int, *, device: Optional[Device] = None, **fields: Unpack[AttentionFields]) -> str:
    """The same of attention."""
    ask = attention_request({"head": head, "queries": queries, "keys": keys, **fields})
    return _key(lib.zlay_tuning_key_attention, target, ask, device)


def _fields(choice: str) -> Mapping[str, Any]:
    """The fields of a plan that a choice has: `tile=64x96x64 swap=always`."""
    found = {}
    for word in choice.split():
        name, _, value = word.partition("=")
        found[name] = tuple(map(int, value.split("x"))) if name == "tile" else int(value) if value.isdigit() else value
    return found


def _record(of: Any) -> Record:
    return Record(cstring(of.key), cstring(of.choice), int(of.ns), int(of.rounds), tuple(of.others[0:of.others_count]))


class Cache:
    """Records, one for a key, of the text of a file; immutable, so `add` and `merge` make another. `refused` has lines that were not taken."""

    def __init__(self, text: str = "") -> None:
        if not isinstance(text, str):
            raise Error("EINVAL", "a cache is made of a text")
        data, room = text.encode(), text.count("\n") + 1
        bad, count = ffi.new("zlay_tuning_bad[]", room), ffi.new("size_t *")
        self._of = made(lib.zlay_tuning_parse, "zlay_tuning **", lib.zlay_tuning_free, bad, room, count, data, len(data))
        self.refused: Tuple[Bad, ...] = tuple(Bad(int(bad[i].line), cstring(bad[i].reason)) for i in range(count[0]))

    def merge(self, other: Cache) -> Cache:
        """All records of both: of one key that of more rounds, then of less time. The order in which caches are merged makes no difference.

        >>> import zlay
        >>> len(zlay.tuning.Cache().merge(zlay.tuning.Cache()))
        0
        """
        if not isinstance(other, Cache):
            raise Error("EINVAL", "a cache is merged with a cache")
        both = Cache.__new__(Cache)
        both._of = made(lib.zlay_tuning_merge, "zlay_tuning **", lib.zlay_tuning_free, self._of, other._of)
        both.refused = ()
        return both

    def __or__(self, other: Cache) -> Cache:
        return self.merge(other) if isinstance(other, Cache) else NotImplemented

    def add(self, record: Record) -> Cache:
        """These records and another, or the better one of its key; Error names what is wrong with it."""
        of = ffi.new("zlay_tuning_record *")
        for name, most in (("key", lib.ZLAY_TUNING_KEY), ("choice", lib.ZLAY_TUNING_CHOICE)):
            text = _text(name, getattr(record, name))
            if len(text) >= most:
                raise Error("EINVAL", f"{name}: {len(text)} bytes; at most {most - 1}")
            ffi.buffer(getattr(of, name))[0:len(text)] = text
        if len(record.others) > lib.ZLAY_TUNING_OTHERS:
            raise Error("EINVAL", f"others: {len(record.others)} numbers; at most {lib.ZLAY_TUNING_OTHERS}")
        of.ns, of.rounds, of.others_count = _number("ns", record.ns, 63), _number("rounds", record.rounds, 32), len(record.others)
        of.others[0:len(record.others)] = [_number("others", ns, 63) for ns in record.others]
        more = self.merge(Cache())
        status = lib.zlay_tuning_add(context(), more._of, of)
        if status:
            raise fail(status)
        return more

    def find(self, key: str) -> Optional[Record]:
        """The record of a key: that of its shape, else the best one of its class; None: there is none."""
        of, data = ffi.new("zlay_tuning_record *"), _text("key", key)
        status = lib.zlay_tuning_find(of, self._of, data)
        if status not in (lib.ZLAY_OK, lib.ZLAY_NONE):
            raise fail(status, "no such key")
        return None if status else _record(of)

    def gemm(self, target: str, m: int, n: int, k: int, *, device: Optional[Device] = None, **fields: Unpack[GemmFields]) -> Optional[Record]:
        """The record of a GEMM on a device, or on any of the target."""
        return self.find(gemm_key(target, m, n, k, device=device, **fields))

    def attention(self, target: str, head: int, queries: int, keys: int, *, device: Optional[Device] = None,
                  **fields: Unpack[AttentionFields]) -> Optional[Record]:
        """The record of attention."""
        return self.find(attention_key(target, head, queries, keys, device=device, **fields))

    def plan(self, target: str, m: int, n: int, k: int, *, device: Optional[Device] = None, **fields: Unpack[GemmFields]) -> Plan:
        """The GEMM by the choice that was measured, where that is one of its candidates today, else by the model."""
        record, given = self.gemm(target, m, n, k, device=device, **fields), {"m": m, "n": n, "k": k, **fields}
        ask, text = request(given)
        taken = record and self._takes(lib.zlay_tuning_take_gemm, "zlay_gemm *", target, ask, record)
        ffi.release(text)
        return Plan(target, **{**given, **(_fields(record.choice) if record and taken else {})})

    def plan_attention(self, target: str, head: int, queries: int, keys: int, *, device: Optional[Device] = None,
                       **fields: Unpack[AttentionFields]) -> Attention:
        """The same of attention."""
        record = self.attention(target, head, queries, keys, device=device, **fields)
        given = {"head": head, "queries": queries, "keys": keys, **fields}
        taken = record and self._takes(lib.zlay_tuning_take_attention, "zlay_attention *", target, attention_request(given), record)
        return Attention(target, **{**given, **(_fields(record.choice) if record and taken else {})})

    @staticmethod
    def _takes(take: Any, kind: str, target: str, ask: Any, record: Record) -> bool:
        status = take(context(), ffi.new(kind), target_of(target), ask, record.choice.encode())
        if status not in (lib.ZLAY_OK, lib.ZLAY_NONE):
            raise fail(status)
        return bool(status == lib.ZLAY_OK)

    def __iter__(self) -> Iterator[Record]:
        of, i = ffi.new("zlay_tuning_record *"), 0
        while not lib.zlay_tuning_nth(of, self._of, i):
            yield _record(of)
            i += 1

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __str__(self) -> str:
        return printed(lambda out: lib.zlay_tuning_print(out, self._of))

    def __repr__(self) -> str:
        return f"<zlay.tuning.Cache of {len(self)} records>"
