# SPDX-License-Identifier: Apache-2.0
"""Copies that no planner was fitted to: every candidate timed, and what the first choice loses against the best.

    python3 tests/device/peers/held_moves.py [--zlay PROGRAM] [--rounds 15] [NAME...]

A task is a transposed copy, a change of layout, or rows gathered from groups. Its candidates are every path and block size that the planner takes,
of gathers every count of blocks; the first choice is that of a request that names none. Bytes are drawn at random, in sets that pass L2 together,
and each candidate's result is compared as a whole. `regret` is the first choice's time over the least, less one. Status 1 when a byte is wrong."""
import argparse
import random
import sys

import torch

import functions
import peers
import rig
import ragged_copies

PATHS = ("threads", "realign", "cp_async", "bulk", "transpose", "matrix")
THREADS = (64, 128, 256, 512)
TASKS = [  # what, bits of an element, src, dst
    ("transpose 6144 x 10240, 2 bytes", 16, "(6144,10240):(1,6144)", "(6144,10240):(10240,1)"),
    ("transpose 5120 x 7168, 4 bytes", 32, "(5120,7168):(1,5120)", "(5120,7168):(7168,1)"),
    ("transpose 3000 x 11000, 2 bytes", 16, "(3000,11000):(1,3000)", "(3000,11000):(11000,1)"),
    ("rows of 7000 from a pitch of 7001 to 7008, 2 bytes", 16, "(7000,9000):(1,7001)", "(7000,9000):(1,7008)"),
    ("rows of 5120 from a pitch of 5376 to 5120, 2 bytes", 16, "(5120,12288):(1,5376)", "(5120,12288):(1,5120)"),
    ("rows to tiles of 64 x 64, 2 bytes", 16, "((64,96),(64,128)):((1,64),(6144,393216))", "((64,96),(64,128)):((1,4096),(64,393216))"),
    ("32 channels side by side from planes, 2 bytes", 16, "(32,16384,128):(16384,1,524288)", "(32,16384,128):(1,32,524288)"),
]
GATHERS = [
    ("gather 3072 bf16, 48 groups", {"groups": 48, "source_rows": 40000, "target_rows": 40048, "row_bytes": 6144}),
    ("gather 2049 bf16, 200 groups", {"groups": 200, "source_rows": 50000, "target_rows": 50200, "row_bytes": 4098, "target_pitch": 4112}),
    ("gather 512 bf16, 1000 groups", {"groups": 1000, "source_rows": 200000, "target_rows": 201000, "row_bytes": 1024}),
]


class Mover:
    """A copy by layouts, and its candidates as calls."""

    def __init__(self, env, name, bits, src, dst):
        self.env, self.name = env, name
        self.asked = {"op": "emit", "what": "copy", "target": "sm_90a", "src": src, "dst": dst, "elem_bits": bits, "src_align": 16, "dst_align": 16}
        self.first, self.functions, blocks = self.kernel("first"), {}, set()
        for path in PATHS:
            for threads in THREADS:
                made = self.kernel(f"{path}_{threads}", path=path, threads=threads)
                if made and (path, made[1]) not in blocks:
                    blocks.add((path, made[1]))
                    self.functions[f"{path} {made[1]}"] = made
        self.kind = {8: torch.uint8, 16: torch.int16, 32: torch.int32}[bits]
        self.from_at, self.to_at = (self.places(layout) for layout in (src, dst))

    def kernel(self, name, **more):
        try:
            text = self.env.zlay.ask(name=name, **self.asked, **more)
        except ValueError:
            return None
        if "none" in text:
            return None
        return self.env.driver.load(text["text"], name, 0), text["threads"], text["blocks"]

    def places(self, layout):
        """Sizes and strides of a layout, as torch's as_strided takes them, the last mode the first one here."""
        shape, stride = layout.split(":")
        numbers = lambda text: [int(x) for x in text.replace("(", "").replace(")", "").split(",")]
        return numbers(shape)[::-1], numbers(stride)[::-1]

    def span(self, places):
        return 1 + sum((n - 1) * d for n, d in zip(*places))

    def set(self):
        one = {"from": torch.randint(0, 100, (self.span(self.from_at),), dtype=self.kind, device="cuda"), "to": torch.zeros(self.span(self.to_at), dtype=self.kind, device="cuda")}
        one["values"] = [rig.buffer_of(one[side].data_ptr().to_bytes(8, "little")) for side in ("from", "to")]
        return one

    def call(self, made):
        function, threads, blocks = made
        return lambda one: self.env.driver.launch(function, (blocks, 1, 1), threads, 0, one["values"])

    def right(self, one, call):
        one["to"].zero_()
        call(one)
        torch.cuda.synchronize()
        return torch.equal(one["to"].as_strided(*self.to_at), one["from"].as_strided(*self.from_at))

    def candidates(self):
        first = self.call(self.first)
        return {"first": first, **{name: self.call(made) for name, made in self.functions.items()}}


class Gather(ragged_copies.Rows):
    """Rows of groups; candidates are counts of blocks, of which zlay_kernel_load_rows takes one by the number of groups."""

    def candidates(self):
        together, processors = self.active(), torch.cuda.get_device_properties(0).multi_processor_count
        at_once = processors * (2048 // self.threads)  # as src/runtime/rows.c counts them
        first = min(self.blocks, 4 * at_once if self.groups <= 512 else at_once)
        calls = {"first": first, **{f"{n} blocks": n for n in sorted({first} | {min(self.blocks, k * together) for k in (1, 2, 4, 8, 64)})}}
        return {name: lambda one, grid=grid: self.by_zlay(one, grid) for name, grid in calls.items()}

    def set(self):
        return super().set(self.lists(random.Random(1)))

    def right(self, one, call):
        one["to"].fill_(ragged_copies.CANARY)
        call(one)
        torch.cuda.synchronize()
        return torch.equal(one["to"], self.expected(one))


def measure(env, task):
    calls = task.candidates()
    sets = [task.set() for _ in range(3)]
    right = all(task.right(sets[0], call) for call in calls.values())
    times = rig.contest(calls, sets, env.rounds)
    first = times.pop("first")
    best = min(times, key=times.get)
    regret = first / min(first, times[best]) - 1
    print(f"{task.name:52} regret {regret:6.3f}  first {first:8.1f} us, best {times[best]:8.1f} ({best}) of {len(times)}{'' if right else '  WRONG'}", flush=True)
    return regret, right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    env = peers.Environment(argparse.Namespace(zlay=options.zlay, rounds=options.rounds, shapes="", error=1.5))
    wanted = lambda name: not options.names or any(n in name for n in options.names)
    tasks = [(name, lambda row=row: Mover(env, *row)) for row in TASKS for name in row[:1]]
    tasks += [(name, lambda i=i, name=name, sizes=sizes: compiled(env, Gather(env, i, name, "copy", **sizes))) for i, (name, sizes) in enumerate(GATHERS)]
    results = [measure(env, make()) for name, make in tasks if wanted(name)]
    print(f"greatest regret {max(regret for regret, _ in results):.3f} of {len(results)} tasks")
    return 0 if all(right for _, right in results) else 1


def compiled(env, rows):
    cubin, _ = functions.compiled([rows.text])
    rows.function = functions.functions_of(env.driver, cubin, [rows.function_name])[rows.function_name]
    return rows


if __name__ == "__main__":
    sys.exit(main())
