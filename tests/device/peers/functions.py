#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conversions and copies by functions that zlay prints in CUDA C, timed.    python3 tests/device/peers/functions.py [--zlay PROGRAM] [--rounds 30]

A conversion is called in two kernels. One reads what its threads hold from global memory, 16 bytes a load, converts it and writes it: its
time stands beside a device copy of as many bytes, turn by turn. The other converts the same registers again and again: its cycles
on a multiprocessor stand beside the wavefronts that the plan counts, of which shared memory serves one a cycle, or beside its
shuffles, one a cycle. A copy takes a matrix tile by tile through shared memory, beside a device copy of as many bytes.
Every element that is written is compared. Needs nvcc in the path. The figures are in docs/performance.md."""
import argparse
import ctypes
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import torch

import rig

TURNS, THREADS = 256, 256
ROWS = [  # what, bits of an element, src, dst
    ("f32, 4 x 4 of registers and lanes", 32, "register: (1) (2); lane: (4) (8) (16) (32) (64)", "register: (4) (8); lane: (1) (2) (16) (32) (64)"),
    ("f32, 8 x 8", 32, "register: (1) (2) (4); lane: (8) (16) (32) (64) (128)", "register: (8) (16) (32); lane: (1) (2) (4) (64) (128)"),
    ("f32, 32 x 32", 32, "register: (1) (2) (4) (8) (16); lane: (32) (64) (128) (256) (512)", "register: (32) (64) (128) (256) (512); lane: (1) (2) (4) (8) (16)"),
    ("f32, sums of mma.sync to 16 bytes of a row", 32, "register: (1) (8); lane: (2) (4) (16) (32) (64)", "register: (1) (2); lane: (4) (8) (16) (32) (64)"),
    ("bf16, sums of mma.sync to 16 bytes of a row", 16, "register: (1) (8) (128); lane: (2) (4) (16) (32) (64)", "register: (1) (2) (4); lane: (8) (16) (32) (64) (128)"),
    ("bf16, 8 x 8", 16, "register: (1) (2) (4); lane: (8) (16) (32) (64) (128)", "register: (8) (16) (32); lane: (1) (2) (4) (64) (128)"),
    ("e4m3, sums of wgmma to A", 8, "register: (1) (8) (16) (256); lane: (2) (4) (32) (64) (128)", "register: (1) (2) (16) (256); lane: (4) (8) (32) (64) (128)"),
    ("bytes, 16 x 16", 8, "register: (1) (2) (4) (8); lane: (16) (32) (64) (128) (256)", "register: (16) (32) (64) (128); lane: (1) (2) (4) (8) (256)"),
    ("f32, 8 registers across 4 warps", 32, "register: (1) (2) (4); lane: (8) (16) (32) (64) (128); warp: (256) (512)", "register: (128) (256) (512); lane: (1) (2) (4) (8) (16); warp: (32) (64)"),
    ("bf16, 8 elements across 4 warps", 16, "register: (1) (2) (4); lane: (8) (16) (32) (64) (128); warp: (256) (512)", "register: (128) (256) (512); lane: (1) (2) (4) (8) (16); warp: (32) (64)"),
    ("bf16, D of wgmma 64 x 64 to 16 bytes of a row", 16, "register: (1) (512) (8) (16) (32); lane: (2) (4) (64) (128) (256); warp: (1024) (2048)",
     "register: (1) (2) (4) (1024) (2048); lane: (8) (16) (32) (64) (128); warp: (256) (512)"),
    ("64 bits, 4 x 4", 64, "register: (1) (2); lane: (4) (8) (16) (32) (64)", "register: (4) (8); lane: (1) (2) (16) (32) (64)"),
]

COLUMNS, BYTES = 16384, 256 << 20  # of a matrix
COPIES = [  # what, bits of an element, side of a tile, its layout in shared memory, whether it is turned, threads
    ("bf16, tiles of 64 x 64, swizzled", 16, 64, "Sw<3,3,3> o 0 o (64,64):(64,1)", False, 128),
    ("bf16, tiles of 64 x 64, swizzled, turned", 16, 64, "Sw<3,3,3> o 0 o (64,64):(64,1)", True, 128),
    ("f32, tiles of 32 x 32, swizzled", 32, 32, "Sw<3,2,3> o 0 o (32,32):(32,1)", False, 128),
    ("f32, tiles of 32 x 32, swizzled, turned", 32, 32, "Sw<3,2,3> o 0 o (32,32):(32,1)", True, 128),
    ("f32, tiles of 64 x 64, swizzled, turned", 32, 64, "Sw<3,2,3> o 0 o (64,(32,2)):(32,(1,2048))", True, 256),
    ("bytes, tiles of 128 x 128, swizzled", 8, 128, "Sw<3,4,3> o 0 o (128,128):(128,1)", False, 128),
    ("bytes, the same, 256 threads", 8, 128, "Sw<3,4,3> o 0 o (128,128):(128,1)", False, 256),
    ("bf16, tiles of 64 x 64, directly", 16, 64, None, False, 128),
]

COPY = """
extern "C" __global__ void __launch_bounds__({threads}) copy{i}(const unsigned char *in, unsigned char *out)
{{
    {memory}
    const unsigned long long row = {bytes}ull * {tile}u * blockIdx.{source_row}, column = {bytes}ull * {tile}u * blockIdx.{source_column};
    const unsigned char *const from = in + row * {columns}u + column;
    unsigned char *const to = out + {to};
    {calls}
}}
"""

KERNELS = """
extern "C" __global__ void __launch_bounds__({threads}) pass{i}(const {vector} *in, {vector} *out)
{{
    {memory}
    const unsigned thread = threadIdx.x % {team}u, tile = (blockIdx.x * {threads}u + threadIdx.x) / {team}u;
    {vector} from[{loads}], to[{loads}];
#pragma unroll
    for (int q = 0; q < {loads}; q++) from[q] = in[(tile * {loads}ul + q) * {team} + thread];
    f{i}(reinterpret_cast<unsigned (&)[{words}]>(to), reinterpret_cast<const unsigned (&)[{words}]>(from), thread{part});
#pragma unroll
    for (int q = 0; q < {loads}; q++) out[(tile * {loads}ul + q) * {team} + thread] = to[q];
}}
extern "C" __global__ void __launch_bounds__({threads}) turn{i}(unsigned long long *out)
{{
    {memory}
    const unsigned thread = threadIdx.x % {team}u;
    unsigned a[{words}], b[{words}], sum = 0;
    for (int i = 0; i < {words}; i++) a[i] = threadIdx.x * 2654435761u + i;
    const unsigned long long begin = clock64();
#pragma unroll 1
    for (int n = 0; n < {turns}; n += 2) {{
        f{i}(b, a, thread{part});
        {meet}
        f{i}(a, b, thread{part});
        {meet}
    }}
    const unsigned long long end = clock64();
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    for (int i = 0; i < {words}; i++) sum ^= a[i];
    if (!threadIdx.x) out[4 * blockIdx.x] = sm, out[4 * blockIdx.x + 1] = begin, out[4 * blockIdx.x + 2] = end;
    if (sum == 12345) out[4 * blockIdx.x + 3] = sum;
}}
"""


def spaces(text):
    """The bases of register, lane and warp, and the extent of the tensor."""
    bases = {name: [int(b) for b in re.findall(r"\d+", part)] for name, part in re.findall(r"(\w+):([ ()\d]*)", text)}
    count = sum(map(len, bases.values()))
    return bases, 1 << count


class Conversion:
    def __init__(self, env, i, bits, src, dst):
        sides = [f"f2{{{side} -> t: {spaces(side)[1]}}}" for side in (src, dst)]
        asked = {"target": "sm_90a", "elem_bits": bits, "src": sides[0], "dst": sides[1]}
        self.plan = env.zlay.ask(op="convert.synth", **asked)
        self.bits, self.sides, self.i = bits, (spaces(src)[0], spaces(dst)[0]), i
        self.elements = 1 << len(self.sides[0]["register"])
        self.words = self.elements * bits // 32
        self.team = 1 << sum(len(self.sides[0].get(level, [])) for level in ("lane", "warp"))
        self.threads = self.team if self.team > 32 else THREADS
        shared = self.plan["smem"]
        self.text = env.zlay.ask(op="emit", what="convert", language="cuda", name=f"f{i}", **asked)["text"]
        part = "" if not shared else f", shared + threadIdx.x / {self.team} * {shared}"
        each = next(w for w in (4, 2, 1) if self.words % w == 0)
        self.source = self.text + KERNELS.format(
            i=i, threads=self.threads, team=self.team, words=self.words, loads=self.words // each, vector={4: "uint4", 2: "uint2", 1: "unsigned"}[each],
            memory=f"__shared__ __align__(16) unsigned char shared[{shared * (self.threads // self.team)}];" if shared else "", part=part, turns=TURNS,
            meet="" if not shared else "__syncthreads();" if self.team > 32 else "__syncwarp();")
        self.each = each

    def place(self, side):
        """The byte of every element of the tensor in a tile of memory."""
        bases, t = self.sides[side], torch.zeros(1, dtype=torch.int64)
        at = torch.zeros(1, dtype=torch.int64)
        for level in ("register", "lane", "warp"):
            for k, base in enumerate(bases.get(level, [])):
                bit = (1 << k) if level == "register" else (1 << k + (5 if level == "warp" else 0)) << 16
                t, at = torch.cat([t, t ^ base]), torch.cat([at, at | bit])
        register, thread = at & 0xffff, at >> 16
        byte = register * self.bits // 8
        load = 4 * self.each
        where = torch.empty_like(t)
        where[t] = (byte // load * self.team + thread) * load + byte % load
        return where

    def right(self, one):
        size = self.team * self.words * 4
        data, out = (one[x].view(torch.uint8).view(-1, size) for x in ("a", "d"))
        src, dst = (self.place(side).cuda() for side in (0, 1))
        return all(torch.equal(data[:4096, src + b], out[:4096, dst + b]) for b in range(self.bits // 8)) and torch.equal(
            data[-1][src], out[-1][dst])


class Copy:
    """Of a matrix of COLUMNS columns and BYTES bytes."""

    def __init__(self, env, i, bits, tile, shared, turned, threads=128):
        self.i, self.turned, self.type = i, turned, {8: torch.uint8, 16: torch.int16, 32: torch.int32}[bits]
        self.rows = BYTES // (COLUMNS * bits // 8)
        self.grid = (self.rows // tile, COLUMNS // tile, 1) if turned else (COLUMNS // tile, self.rows // tile, 1)
        matrix = {"layout": f"({tile},{tile}):({COLUMNS},1)", "space": "global"}
        target = {**matrix, "layout": f"({tile},{tile}):(1,{self.rows})"} if turned else matrix
        middle = {"layout": shared, "space": "shared"}
        sides = [(matrix, middle), (middle, target)] if shared else [(matrix, target)]
        parts = [env.zlay.ask(op="emit", what="move", target="sm_90a", elem_bits=bits, src=src, dst=dst, threads=threads, language="cuda", name=f"move{i}_{k}")
                 for k, (src, dst) in enumerate(sides)]
        self.threads = max(part["threads"] for part in parts)
        calls = ['move%d_0(from, shared, threadIdx.x);' % i, 'asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");', "__syncthreads();",
                 'move%d_1(shared, to, threadIdx.x);' % i] if shared else ['move%d_0(from, to, threadIdx.x);' % i]
        self.source = "".join(part["text"] for part in parts) + COPY.format(
            i=i, threads=self.threads, tile=tile, bytes=bits // 8, columns=COLUMNS, calls="\n    ".join(calls), source_row="x" if turned else "y", source_column="y" if turned else "x",
            to=f"column * {self.rows}u + row" if turned else f"row * {COLUMNS}u + column",
            memory=f"__shared__ __align__(1024) unsigned char shared[{tile * tile * bits // 8}];" if shared else "")

    def right(self, one):
        a, d = one["a"].view(self.type).view(self.rows, COLUMNS), one["d"].view(self.type)
        return torch.equal(d.view(COLUMNS, self.rows), a.t()) if self.turned else torch.equal(d.view(a.shape), a)


def compiled(sources):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "f.cu").write_text("\n".join(sources))
        subprocess.run(["nvcc", "-O3", "-Werror", "all-warnings", "-gencode", "arch=compute_90a,code=sm_90a", "-cubin", "-Xptxas", "-v",
                        "-o", folder / "f.cubin", folder / "f.cu"], check=True, stderr=(folder / "log").open("w"))
        return (folder / "f.cubin").read_bytes(), (folder / "log").read_text()


def functions_of(driver, cubin, names):
    module = ctypes.c_void_p()
    driver.must("cuModuleLoadData", ctypes.byref(module), cubin)
    functions = {name: ctypes.c_void_p() for name in names}
    for name, function in functions.items():
        driver.must("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
    return functions


def cycles(env, c, function):
    """Cycles of a multiprocessor for a conversion of one team, all multiprocessors full: the median of them."""
    active = ctypes.c_int()
    env.driver.must("cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(active), function, c.threads, ctypes.c_size_t(0))
    blocks = 132 * active.value
    out = torch.zeros(4 * blocks, dtype=torch.int64, device="cuda")
    value = rig.buffer_of(out.data_ptr().to_bytes(8, "little"))
    found = []
    for _ in range(5):
        env.driver.launch(function, (blocks, 1, 1), c.threads, 0, [value])
        torch.cuda.synchronize()
        rows = out.view(-1, 4)[:, :3].tolist()
        for sm in {row[0] for row in rows}:
            mine = [row for row in rows if row[0] == sm]
            took = max(row[2] for row in mine) - min(row[1] for row in mine)
            found.append(took / (TURNS * len(mine) * (c.threads // c.team)))
    return statistics.median(found)


def sets_of(size):
    """Three inputs and outputs of `size` bytes, and the arguments of a kernel."""
    sets = []
    for _ in range(3):
        a = torch.randint(-2 ** 31, 2 ** 31 - 1, (size // 4,), dtype=torch.int32, device="cuda")
        one = {"a": a, "d": torch.zeros_like(a), "out": torch.empty_like(a)}
        sets.append({**one, "values": [rig.buffer_of(one[x].data_ptr().to_bytes(8, "little")) for x in "ad"]})
    return sets


def beside_copy(env, function, kernel, grid, size):
    """The part of a device copy's speed as text, and whether the result is right."""
    sets = sets_of(size)
    call = lambda s: env.driver.launch(function, grid, kernel.threads, 0, s["values"])
    call(sets[0])
    torch.cuda.synchronize()
    right = kernel.right(sets[0])
    times = rig.contest({"zlay": call, "copy": lambda s: s["out"].copy_(s["a"])}, sets, env.rounds)
    return f"{times['copy'] / times['zlay']:.3f} of a device copy ({2 * size / times['zlay'] / 1e6:.2f} TB/s)", right


def resources(log, name):
    used, spilled = (re.search(rf"Compiling entry function '{name}'.*?{what}", log, re.S).group(1) for what in (r"Used (\d+) registers", r"(\d+) bytes spill stores"))
    return f"{used} registers, {spilled} bytes spilled"


def conversion_row(env, what, c, functions, log):
    size = c.team * c.words * 4
    tiles = (256 << 20) // size // 64 * 64
    speed, right = beside_copy(env, functions[f"pass{c.i}"], c, (tiles * c.team // c.threads, 1, 1), tiles * size)
    waves = c.plan["wavefronts"]
    bound = waves["store"] + waves["load"] or c.plan["rounds"] * c.team // 32
    took = cycles(env, c, functions[f"turn{c.i}"])
    steps = " ".join(step["op"] for step in c.plan["plan"])
    print(f"{what:46} {speed}; {took:7.1f} cycles, bound {bound}, {bound / took:.3f}; {resources(log, f'pass{c.i}')}; {steps}{'' if right else '  WRONG'}", flush=True)
    return right


def copy_row(env, what, c, functions, log):
    speed, right = beside_copy(env, functions[f"copy{c.i}"], c, c.grid, BYTES)
    print(f"{what:46} {speed}; {resources(log, f'copy{c.i}')}{'' if right else '  WRONG'}", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--print", action="store_true", help="the CUDA C alone; nothing is run")
    options = parser.parse_args()
    torch.manual_seed(1)
    env = argparse.Namespace(zlay=rig.Zlay(options.zlay), rounds=options.rounds)
    conversions = [(what, Conversion(env, i, *row)) for i, (what, *row) in enumerate(ROWS)]
    copies = [(what, Copy(env, i, *row)) for i, (what, *row) in enumerate(COPIES)]
    sources = [c.source for _, c in conversions + copies]
    if options.print:
        print("\n".join(sources))
        return
    torch.zeros(1, device="cuda")
    env.driver = rig.Driver()
    cubin, log = compiled(sources)
    names = [f"{kind}{i}" for i in range(len(ROWS)) for kind in ("pass", "turn")] + [f"copy{i}" for i in range(len(COPIES))]
    functions = functions_of(env.driver, cubin, names)
    right = [conversion_row(env, *row, functions, log) for row in conversions] + [copy_row(env, *row, functions, log) for row in copies]
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
