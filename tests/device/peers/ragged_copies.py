#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels that move rows of any counts and pitches (docs/ragged_copies.md), checked and timed.

    python3 tests/device/peers/ragged_copies.py [--zlay PROGRAM] [--rounds 30] [--megabytes 256] [--print] [NAME...]

Each line is first computed: every byte of the targets, of what is between their rows and beside them is compared; the same with lists of
offsets that decrease and pass the tensors. Then it is timed, turn by turn with a device copy of as many bytes as are copied and with torch's
own, on random bytes in three sets that together pass L2. `of a copy` is useful bytes per second over those of the device copy, for grids of
as many blocks as run at once, of four times as many, and of one block a part. Needs nvcc in the path. Status 1 when a byte is wrong."""
import argparse
import ctypes
import random
import re
import sys

import torch

import functions
import rig

MARGIN, CANARY, SETS = 4096, 0x5a, 3


class Rows:
    """A kernel and its sets; what each kind has is below."""

    def __init__(self, env, i, name, kind, shifts=(0, 0), **sizes):
        self.env, self.name, self.kind, self.shifts = env, name, kind, shifts
        self.function_name = f"rows{i}"
        self.asked = env.zlay.ask(op="emit", what="ragged", kind=kind, language="cuda", name=self.function_name, **sizes)
        self.text, self.threads, self.blocks = (self.asked[x] for x in ("text", "threads", "blocks"))
        self.groups = sizes.get("groups", 0)
        self.source_rows, self.target_rows = sizes.get("source_rows", 0), sizes.get("target_rows", 0)
        self.element = sizes.get("element_bytes", 1)
        turned = kind == "transpose"
        self.row_bytes = self.target_rows * self.element if turned else sizes["row_bytes"]
        self.source_pitch = sizes.get("source_pitch", 0) or self.row_bytes
        self.target_pitch = sizes.get("target_pitch", 0) or (self.source_rows * self.element if turned else self.row_bytes)

    def window(self, rows, pitch, shift, fill):
        """Bytes around rows, and where the first one begins."""
        size = MARGIN + 256 + rows * pitch + MARGIN
        whole = torch.full((size,), CANARY, dtype=torch.uint8, device="cuda") if fill else torch.randint(0, 256, (size,), dtype=torch.uint8, device="cuda")
        return whole, MARGIN + shift

    def view(self, whole, begin, rows, pitch, row_bytes):
        return whole.as_strided((rows, row_bytes), (pitch, 1), begin)

    def bounded(self, offsets, most):
        at, cuts = 0, []
        for offset in offsets:
            at = min(max(offset, at), most)
            cuts.append(at)
        return cuts

    def values(self, *tensors_and_addresses):
        return [rig.buffer_of(int(x if isinstance(x, int) else x.data_ptr()).to_bytes(8, "little")) for x in tensors_and_addresses]

    def set(self, lists):
        """Memory, the moves that are due as (target, source) views, and the arguments."""
        one, most = {}, max(self.source_rows, self.target_rows)
        one["from"], self.from_at = self.window(self.source_rows or most + self.groups, self.source_pitch, self.shifts[0], False)
        one["to"], self.to_at = self.window(self.target_rows or most + self.groups, self.target_pitch, self.shifts[1], True)
        one["lists"] = [torch.tensor(x, dtype=torch.int32, device="cuda") for x in lists]
        source, target = one["from"].data_ptr() + self.from_at, one["to"].data_ptr() + self.to_at
        one["moves"] = []
        cuts = [self.bounded(x, m) for x, m in zip(lists, (self.target_rows, self.source_rows) if self.kind == "copy" else (most,))]
        packed, addresses = 0, []
        for g in range(self.groups):
            t, s = cuts[0][g], cuts[-1][g]
            rows = min(c[g + 1] - c[g] for c in cuts)
            if self.kind == "concatenate":
                s = packed
                addresses.append(source + s * self.source_pitch)
            if self.kind == "split":
                t = packed
                addresses.append(target + t * self.target_pitch)
            packed += rows + (1 if self.kind != "copy" else 0)
            if rows:
                one["moves"].append((t, s, rows))
        one["addresses"] = torch.tensor(addresses, dtype=torch.int64, device="cuda") if addresses else None
        first = one["addresses"] if self.kind == "split" else target
        second = one["addresses"] if self.kind == "concatenate" else source
        one["values"] = self.values(first, second, *one["lists"])
        one["useful"] = sum(rows for _, _, rows in one["moves"]) * self.row_bytes if self.groups else self.source_rows * self.row_bytes
        return one

    def sides(self, one, whole, move):
        t, s, rows = move
        return (self.view(whole, self.to_at + t * self.target_pitch, rows, self.target_pitch, self.row_bytes),
                self.view(one["from"], self.from_at + s * self.source_pitch, rows, self.source_pitch, self.row_bytes))

    def matrices(self, one, whole):
        """The source as [rows][columns], and the target as [columns][rows], in elements."""
        kind = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[self.element]
        e = self.element
        cut = lambda x: x[:x.numel() // 8 * 8].view(kind)
        return (cut(one["from"]).as_strided((self.source_rows, self.target_rows), (self.source_pitch // e, 1), self.from_at // e),
                cut(whole).as_strided((self.target_rows, self.source_rows), (self.target_pitch // e, 1), self.to_at // e))

    def expected(self, one):
        whole = torch.full_like(one["to"], CANARY)
        if not self.groups:
            source, target = self.matrices(one, whole)
            target.copy_(source.t())
        for move in one["moves"]:
            target, source = self.sides(one, whole, move)
            target.copy_(source)
        return whole

    def by_zlay(self, one, grid):
        self.env.driver.launch(self.function, (grid, 1, 1), self.threads, 0, one["values"])

    def right(self, one, grid):
        one["to"].fill_(CANARY)
        self.by_zlay(one, grid)
        torch.cuda.synchronize()
        return torch.equal(one["to"], self.expected(one))

    def by_torch(self, one):
        if not self.groups:
            source, _ = self.matrices(one, one["to"])
            one["torch"] = source.t().contiguous()
        elif self.kind == "concatenate":
            one["torch"] = torch.cat([self.sides(one, one["to"], move)[1] for move in one["moves"]])
        elif self.kind == "split":
            one["torch"] = [self.sides(one, one["to"], move)[1].clone() for move in one["moves"]]
        else:
            for move in one["moves"]:
                target, source = self.sides(one, one["to"], move)
                target.copy_(source)

    def most(self):
        """What offsets count."""
        return self.source_rows or self.target_rows

    def lists(self, draw, hostile=False):
        """Group sizes uniform to twice their mean; a copy's targets have room for a row more each."""
        most = self.most()
        if not self.groups:
            return []
        if hostile:
            far = 2 ** 31 - 1
            return [[draw.choice([draw.randrange(-most, 2 * most), -far - 1, far, 0, most]) if draw.random() < 0.3 else most * g // self.groups
                     for g in range(self.groups + 1)] for _ in range(2 if self.kind == "copy" else 1)]
        weights = [draw.random() for _ in range(self.groups)]
        scale, at, source = (most - self.groups) / sum(weights), 0.0, [0]
        for weight in weights:
            at += weight * scale
            source.append(int(at))
        target = [x + min(g, self.target_rows - source[-1]) for g, x in enumerate(source)]
        return [target, source] if self.kind == "copy" else [source]

    def active(self):
        count = ctypes.c_int()
        self.env.driver.must("cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(count), self.function, self.threads, ctypes.c_size_t(0))
        return count.value * torch.cuda.get_device_properties(0).multi_processor_count

    def measure(self):
        draw = random.Random(1)
        one = self.set(self.lists(draw))
        together = self.active()
        grids = sorted({min(self.blocks, n) for n in (together, 4 * together, 2 ** 31 - 1)})
        right = all(self.right(one, grid) for grid in grids + [7])
        for _ in range(3 if self.groups else 0):
            hostile = self.set(self.lists(draw, hostile=True))
            right = right and self.right(hostile, together)
            del hostile
        sets = [one] + [self.set(self.lists(random.Random(1))) for _ in range(SETS - 1)]
        for s in sets:
            s["a"] = torch.randint(0, 256, (s["useful"],), dtype=torch.uint8, device="cuda")
            s["d"] = torch.empty_like(s["a"])
        calls = {str(grid): lambda s, grid=grid: self.by_zlay(s, grid) for grid in grids}
        calls["copy"] = lambda s: s["d"].copy_(s["a"])
        calls["torch"] = self.by_torch
        times = rig.contest(calls, sets, self.env.rounds)
        parts = [f"{times['copy'] / times[str(grid)]:.3f} ({grid})" for grid in grids]
        speed = 2 * one["useful"] / min(times[str(grid)] for grid in grids) / 1e6
        print(f"{self.name:58} {' '.join(parts)} of a copy; {speed:.2f} TB/s; torch {times['copy'] / times['torch']:.3f}{'' if right else '  WRONG'}", flush=True)
        return right


class Columns(Rows):
    """Tensors that lie side by side in one, their pitches dense or an element or two more, and begins an element apart."""

    def most(self):
        return self.row_bytes // self.element

    def set(self, lists):
        one, rows, joined = {}, super().most(), self.kind == "concatenate_columns"
        cuts, packed, one["moves"], own_at, pitches = self.bounded(lists[0], self.most()), 0, [], [], []
        for g in range(self.groups):
            size = (cuts[g + 1] - cuts[g]) * self.element
            pitch = size + g % 3 * self.element
            packed += g % 2 * self.element
            own_at.append(packed)
            pitches.append(pitch if g % 3 else 0)
            if size:
                one["moves"].append((cuts[g] * self.element, size, packed, pitch))
            packed += rows * pitch
        wide, own = (self.target_pitch, self.shifts[1]) if joined else (self.source_pitch, self.shifts[0]), self.shifts[0 if joined else 1]
        whole, self.wide_at = self.window(rows, *wide, joined)
        parts, self.own_at = self.window(1, packed, own, not joined)
        one["from"], one["to"] = (parts, whole) if joined else (whole, parts)
        one["addresses"] = torch.tensor([parts.data_ptr() + self.own_at + at for at in own_at], dtype=torch.int64, device="cuda")
        one["lists"] = [torch.tensor(lists[0], dtype=torch.int32, device="cuda"), torch.tensor(pitches, dtype=torch.int64, device="cuda")]
        wide = whole.data_ptr() + self.wide_at
        one["values"] = self.values(*((wide, one["addresses"]) if joined else (one["addresses"], wide)), *one["lists"])
        one["useful"] = sum(size for _, size, _, _ in one["moves"]) * rows
        return one

    def sides(self, one, whole, move):
        at, size, own, pitch = move
        unit = self.element if not (self.wide_at | self.own_at) % self.element else 1
        kind = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[unit]
        view = lambda x, pitch, begin: x[:x.numel() // 8 * 8].view(kind).as_strided((super(Columns, self).most(), size // unit), (pitch // unit, 1), begin // unit)
        if self.kind == "concatenate_columns":
            return view(whole, self.target_pitch, self.wide_at + at), view(one["from"], pitch, self.own_at + own)
        return view(whole, pitch, self.own_at + own), view(one["from"], self.source_pitch, self.wide_at + at)

    def by_torch(self, one):
        sources = [self.sides(one, one["to"], move)[1] for move in one["moves"]]
        one["torch"] = torch.cat(sources, 1) if self.kind == "concatenate_columns" else [source.clone() for source in sources]


def all_rows(megabytes):
    """Of bf16 rows, unless said: pitches are odd numbers of elements."""
    size = megabytes << 20
    rows = []
    for n in (4095, 1001, 7169):
        count, row = size // (2 * n), 2 * n
        both = {"groups": 64, "source_rows": count, "target_rows": count + 64, "row_bytes": row}
        rows += [(f"copy {n} bf16, pitches {n} and {n + 2}", "copy", (0, 0), {**both, "target_pitch": row + 4}),
                 (f"copy {n} bf16, pitches {n + 2} and {n}, bases 2 and 6 off", "copy", (2, 6), {**both, "source_pitch": row + 4}),
                 (f"copy {n} bf16, pitches {n + 4} and {n + 2}, 1 byte off", "copy", (0, 1), {**both, "source_pitch": row + 8, "target_pitch": row + 4}),
                 (f"copy {n} bf16, dense, 1 byte off", "copy", (0, 1), both),
                 (f"concatenate {n} bf16, 64 tensors", "concatenate", (0, 0), {"groups": 64, "target_rows": count, "row_bytes": row}),
                 (f"split {n} bf16 to 64 tensors", "split", (0, 0), {"groups": 64, "source_rows": count, "row_bytes": row})]
    short = {"groups": 64, "source_rows": size // 256, "target_rows": size // 256 + 64}
    rows += [("copy 65 bf16, pitches 67 and 65", "copy", (0, 2), {**short, "row_bytes": 130, "source_pitch": 134}),
             ("copy 4096 bf16, 2000 groups, pitches of 16 bytes", "copy", (0, 0), {"groups": 2000, "source_rows": size // 8192, "target_rows": size // 8192 + 2000, "row_bytes": 8192, "target_pitch": 8208})]
    for n, groups, shifts in ((6144, 3, (0, 0)), (8191, 8, (0, 0)), (8191, 8, (2, 6)), (8191, 8, (0, 1)), (40001, 64, (0, 0)), (4096, 512, (0, 0))):
        columns = {"groups": groups, "row_bytes": 2 * n, "element_bytes": 2}
        off = f", bases {shifts[0]} and {shifts[1]} off" if any(shifts) else ""
        rows += [(f"columns of {groups} tensors to {n} bf16{off}", "concatenate_columns", shifts, {**columns, "target_rows": size // (2 * n)}),
                 (f"columns of {n} bf16 to {groups} tensors{off}", "split_columns", shifts, {**columns, "source_rows": size // (2 * n), "source_pitch": 2 * n + 4})]
    for element in (1, 2, 4, 8):
        for r, c in ((4095, 8191), (8192, 8192)) if element in (2, 4) else ((4095, 8191),):
            rows.append((f"transpose {r} x {c}, {element} bytes", "transpose", (0, 0), {"source_rows": r, "target_rows": c, "element_bytes": element}))
    rows.append(("transpose 4095 x 8191, 2 bytes, bases 2 and 6 off", "transpose", (2, 6), {"source_rows": 4095, "target_rows": 8191, "element_bytes": 2}))
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--megabytes", type=int, default=256)
    parser.add_argument("--print", action="store_true", help="the CUDA C alone; nothing is run")
    parser.add_argument("names", nargs="*", help="lines that have one of these words")
    options = parser.parse_args()
    env = argparse.Namespace(zlay=rig.Zlay(options.zlay), rounds=options.rounds)
    rows = [(i, row) for i, row in enumerate(all_rows(options.megabytes)) if not options.names or any(name in row[0] for name in options.names)]
    kernels = [(Columns if kind.endswith("columns") else Rows)(env, i, name, kind, shifts, **sizes) for i, (name, kind, shifts, sizes) in rows]
    if options.print:
        print("\n".join(k.text for k in kernels))
        return
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    env.driver = rig.Driver()
    cubin, log = functions.compiled([k.text for k in kernels])
    found = functions.functions_of(env.driver, cubin, [k.function_name for k in kernels])
    print(f"registers {' '.join(sorted(set(re.findall(r'Used [0-9]+', log))))}; bytes spilled: {max(map(int, re.findall(r'([0-9]+) bytes spill stores', log)))}")
    right = []
    for k in kernels:
        k.function = found[k.function_name]
        right.append(k.measure())
        torch.cuda.empty_cache()
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
