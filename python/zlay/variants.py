# SPDX-License-Identifier: Apache-2.0
"""Guarded variants of a kernel, and the function that selects one of them (docs/variants.md).

>>> import zlay
>>> pick = zlay.variants.choose(["n"], [[64], [96], [100], [7]], [
...     {"name": "by 8", "guard": ["n % 8 == 0"], "cost": "n / 8"}, {"name": "by 4", "guard": ["n % 4 == 0"], "cost": "n / 4"},
...     {"name": "any", "cost": "n"}], facts=["1 <= n < 2^31"], weights=[10, 10, 10, 1], bound=700)
>>> [v.name for v in pick], pick.cost, pick.cheapest
(['by 4', 'any'], 657, 457)
>>> pick(12).name, pick(n=7).name
('by 4', 'any')
"""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypedDict, Union

from ._lib import ffi, lib, made, printed
from .errors import Error
from .planner import GemmFields
from .plans import Plan, request
from .tensormap import target_of

__all__ = ["Candidate", "GemmVariant", "GemmVariants", "Variant", "Variants", "choose", "gemm"]


class Candidate(TypedDict, total=False):
    """A variant that may be chosen: facts that have to hold where it is used, and its cost, an expression, or one for each shape."""

    name: str
    guard: Sequence[str]
    cost: str
    costs: Sequence[int]


class Variant(NamedTuple):
    """A chosen variant: which candidate, its guard as facts, the shapes that it takes and what these cost."""

    number: int
    name: Optional[str]
    guard: Tuple[str, ...]
    shapes: int
    cost: int


class _Texts:
    """Texts as char *[], and the memory that they need."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._each = [ffi.new("char[]", text.encode()) for text in texts]
        self.of = ffi.new("char *[]", self._each)
        self.count = len(self._each)


class _Request:
    """zlay_variants_request without candidates, and the memory that it needs."""

    def __init__(self, unknowns: Sequence[str], shapes: Sequence[Sequence[int]], facts: Sequence[str], weights: Optional[Sequence[int]],
                 most: int, bound: Optional[int], percent: Optional[int]) -> None:
        if bound is not None and percent is not None:
            raise Error("EINVAL", "bound or percent, not both")
        if any(len(shape) != len(unknowns) for shape in shapes):
            raise Error("EINVAL", "a shape has a value for each unknown")
        if weights is not None and len(weights) != len(shapes):
            raise Error("EINVAL", "weights: one for each shape")
        by = lib.ZLAY_VARIANTS_COST if bound is not None else lib.ZLAY_VARIANTS_PERCENT if percent is not None else lib.ZLAY_VARIANTS_LEAST
        self.names = tuple(unknowns)
        self._unknown, self._fact = _Texts(unknowns), _Texts(facts)
        self._value = ffi.new("int64_t[]", [int(n) for shape in shapes for n in shape])
        self._weight = ffi.NULL if weights is None else ffi.new("uint64_t[]", [int(n) for n in weights])
        self.of = ffi.new("zlay_variants_request *", {
            "size": ffi.sizeof("zlay_variants_request"), "unknowns": len(unknowns), "unknown": self._unknown.of, "fact": self._fact.of,
            "facts": len(facts), "shapes": len(shapes), "value": self._value, "weight": self._weight, "most": most, "by": by,
            "bound": bound if bound is not None else percent or 0})


class Variants:
    """Chosen variants in the order in which their guards are tested; called with the unknowns it returns the one that is taken."""

    def __init__(self, of: Any, names: Tuple[str, ...], candidates: Sequence[Mapping[str, Any]] = ()) -> None:
        self._of, self.unknowns = of, names
        self._info = ffi.new("zlay_variants_summary *")
        lib.zlay_variants_info(self._info, of)
        self._each: List[Variant] = [self._variant(i, candidates) for i in range(self._info.count)]

    def _variant(self, i: int, candidates: Sequence[Mapping[str, Any]]) -> Variant:
        item = ffi.new("zlay_variants_item *")
        lib.zlay_variants_nth(item, self._of, i)
        name = candidates[item.variant].get("name") if candidates else None
        return Variant(int(item.variant), name, tuple(self._facts(i)), int(item.shapes), int(item.cost))

    def _facts(self, i: int) -> Iterator[str]:
        test = 0
        while True:
            try:
                yield printed(lambda out: lib.zlay_variants_fact(out, self._of, i, test))
            except Error as past:
                if past.status != "NONE":
                    raise
                return
            test += 1

    def __len__(self) -> int:
        return len(self._each)

    def __iter__(self) -> Iterator[Variant]:
        return iter(self._each)

    def __getitem__(self, place: int) -> Variant:
        return self._each[place]

    @property
    def cost(self) -> int:
        """Of all shapes, each times its weight."""
        return int(self._info.cost)

    @property
    def cheapest(self) -> int:
        """The same where each shape takes its cheapest candidate."""
        return int(self._info.cheapest)

    @property
    def fewer(self) -> Optional[int]:
        """With one variant less the cost is at least this; None: so few take not every shape, or there is one."""
        return int(self._info.fewer) if 0 < self._info.fewer < (1 << 64) - 1 else None

    @property
    def facts(self) -> Tuple[str, ...]:
        """What holds of every shape that it may get."""
        return tuple(self._facts(len(self)))

    def place(self, *values: int, **named: int) -> int:
        """Where the variant stands that is taken of these unknowns, in their order or by name; Error where the facts do not hold."""
        at = ffi.new("int64_t[]", self._values(values, named))
        place = int(lib.zlay_variants_select(self._of, at))
        if place < 0:
            told = ", ".join(f"{name} = {value}" for name, value in zip(self.unknowns, at))
            raise Error("EINVAL", f"{told}: the facts do not hold, {' and '.join(self.facts)}")
        return place

    def _values(self, values: Tuple[int, ...], named: Mapping[str, int]) -> List[int]:
        given: Dict[str, int] = {**dict(zip(self.unknowns, values)), **named}
        if len(values) + len(named) != len(self.unknowns) or set(given) != set(self.unknowns):
            raise Error("EINVAL", f"the unknowns are {', '.join(self.unknowns)}")
        if any(not -1 << 63 <= int(given[name]) < 1 << 63 for name in self.unknowns):
            raise Error("EINVAL", "an unknown is an integer of 64 bits")
        return [int(given[name]) for name in self.unknowns]

    def __call__(self, *values: int, **named: int) -> Variant:
        """The variant that is taken of these unknowns."""
        return self[self.place(*values, **named)]

    def text(self, name: str = "select") -> str:
        """The same as a function of C, CUDA C and HIP."""
        data = name.encode()
        return printed(lambda out: lib.zlay_variants_print(out, self._of, data, len(data)))


def choose(unknowns: Sequence[str], shapes: Sequence[Sequence[int]], variants: Sequence[Candidate], *, facts: Sequence[str] = (),
           weights: Optional[Sequence[int]] = None, most: int = 0, bound: Optional[int] = None, percent: Optional[int] = None) -> Variants:
    """The fewest of a kernel's variants within a bound or a percentage of the cost of shapes, or those of the least cost."""
    asked = _Request(unknowns, shapes, facts, weights, most, bound, percent)
    keep: List[Any] = []
    each = ffi.new("zlay_variant[]", len(variants))
    for i, variant in enumerate(variants):
        keep.append(_Texts(variant.get("guard", ())))
        each[i].guard, each[i].guards = keep[-1].of, keep[-1].count
        if "costs" in variant:
            if len(variant["costs"]) != len(shapes):
                raise Error("EINVAL", f"variant {i}: costs: one for each shape")
            keep.append(ffi.new("uint64_t[]", [int(n) for n in variant["costs"]]))
            each[i].costs = keep[-1]
        if "cost" in variant:
            keep.append(ffi.new("char[]", variant["cost"].encode()))
            each[i].cost = keep[-1]
    asked.of.variant, asked.of.variants = each, len(variants)
    return Variants(made(lib.zlay_variants_choose, "zlay_variants **", lib.zlay_variants_free, asked.of), asked.names, variants)


#: A size of a GEMM: its number, or the name of the unknown that it is.
Size = Union[int, str]
_SIZES = ("m", "n", "k", "lda", "ldb", "ldd")


class GemmVariant(NamedTuple):
    """The choices of a variant of a GEMM, as fields of `zlay.plan`, and the variant itself."""

    fields: Mapping[str, Any]
    variant: Variant


class GemmVariants(Variants):
    """Variants of a GEMM; `plan` makes the one of given sizes."""

    def __init__(self, of: Any, names: Tuple[str, ...], target: str, sizes: Mapping[str, Size], fields: Mapping[str, Any], choice: Any) -> None:
        super().__init__(of, names)
        self.target, self._sizes, self._fields = target, dict(sizes), dict(fields)
        self._choices = [{"tile": (g.tile_m, g.tile_n, g.tile_k), "split_k": g.split_k, "swap": g.swap, "stream_k": g.stream_k}
                         for g in (choice[i] for i in range(len(self)))]

    def choice(self, *values: int, **named: int) -> GemmVariant:
        """The tile, split_k, swap and stream_k that are taken of these unknowns."""
        place = self.place(*values, **named)
        return GemmVariant(self._choices[place], self[place])

    def plan(self, *values: int, **named: int) -> Plan:
        """The plan of the GEMM of these unknowns, by the variant that is taken.

        >>> import zlay
        >>> pick = zlay.variants.gemm("sm_90a", "m", 4096, 512, unknowns=["m"], shapes=[[64], [4096]], facts=["m <= 65536"])
        >>> pick.plan(64).tile[0] <= pick.plan(4096).tile[0]
        True
        """
        known = dict(zip(self.unknowns, self._values(values, named)))
        sizes = {name: known[size] if isinstance(size, str) else size for name, size in self._sizes.items()}
        return Plan(self.target, **{**self._fields, **self.choice(*values, **named).fields, **sizes})


def gemm(target: str, m: Size, n: Size, k: Size, *, unknowns: Sequence[str], shapes: Sequence[Sequence[int]], lda: Size = 0, ldb: Size = 0,
         ldd: Size = 0, facts: Sequence[str] = (), weights: Optional[Sequence[int]] = None, most: int = 0, bound: Optional[int] = None,
         percent: Optional[int] = None, by_waste: bool = False, fields: Optional[GemmFields] = None) -> GemmVariants:
    """Variants of a GEMM whose sizes may be names of unknowns, made by the planner; `fields` are those of `zlay.plan`, of which swap and
    stream_k are "auto" unless they are given.

    Costs are modelled nanoseconds, of targets with wgmma alone, or products and sums that no element of D has (`by_waste`).
    """
    asked = _Request(unknowns, shapes, facts, weights, most, bound, percent)
    sizes: Dict[str, Size] = {"m": m, "n": n, "k": k, "lda": lda, "ldb": ldb, "ldd": ldd}
    for name, size in sizes.items():
        if isinstance(size, str) and size not in unknowns:
            raise Error("EINVAL", f"{name}: no unknown is called '{size}'")
    given: Dict[str, Any] = {"swap": "auto", "stream_k": "auto", **(fields or {})}
    ask, text = request({**given, **{name: 0 if isinstance(size, str) else size for name, size in sizes.items()}})
    of = [1 + list(unknowns).index(size) if isinstance(size, str) else 0 for size in (sizes[name] for name in _SIZES)]
    whole = ffi.new("zlay_variants_gemm *", {"size": ffi.sizeof("zlay_variants_gemm"), "of": of, "gemm": ask, "shapes": asked.of[0],
                                             "cost": lib.ZLAY_VARIANTS_WASTE if by_waste else lib.ZLAY_VARIANTS_TIME})
    choice = ffi.new("zlay_gemm[]", lib.ZLAY_VARIANTS_MOST)
    chosen = made(lib.zlay_variants_gemm_choose, "zlay_variants **", lib.zlay_variants_free, choice, target_of(target), whole)
    ffi.release(text)  # it lived as long as the call
    return GemmVariants(chosen, asked.names, target, {n: s for n, s in sizes.items() if s}, given, choice)
