# SPDX-License-Identifier: Apache-2.0
"""Kernels that zlay prints against those that PyTorch calls, in one process, turn by turn, on N(0,1) data.

    python3 tests/device/peers/peers.py [--zlay PROGRAM] [--rounds 30] [--json FILE] GROUP...

Groups: correct (nothing is timed), lm (the shapes of --shapes FILE, a line `M N K` each), large, types, small, edges, scales, int4, transposes, attention, roles (pipes of operations alone beside those of plans).
The peer of int4 is zlay's own GEMM of bf16 of the shape, with weights that are dequantised before.
A time is the median of the rounds; a round replays a CUDA graph that walks through sets of tensors larger than four L2s, about
2 ms long, of one contestant after the other.  A ratio is the peer's time over zlay's: above 1 zlay is faster.
An error is the greatest distance to float64, over rows that are drawn, divided by the greatest magnitude there.
Status 1 when a result is wrong: an error above `--error` (1.5) times the peer's, and above what rounding explains."""
import argparse
import ctypes
import json
import math
import random
import re
import statistics
import subprocess
import sys

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

L2 = 60 << 20
SMEM = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
BITS = {"bf16": torch.bfloat16, "f16": torch.float16, "tf32": torch.float32, "f32": torch.float32,
        "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "s8": torch.int8, "u8": torch.uint8, "s32": torch.int32}


class Zlay:
    """One `zlay batch`, asked line by line."""

    def __init__(self, program):
        self.batch = subprocess.Popen([program, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, **request):
        self.batch.stdin.write(json.dumps(request) + "\n")
        self.batch.stdin.flush()
        answer = json.loads(self.batch.stdout.readline())
        if "ok" not in answer:
            raise ValueError(f"{request}: {answer.get('message')}")
        return answer["ok"]

    def map_bytes(self, tensor_map, address):
        words = self.ask(op="tensormap.pack", target="sm_90a", map={**tensor_map, "address": address})["words"]
        return b"".join(int(word, 16).to_bytes(8, "little") for word in words)


class Driver:
    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")

    def must(self, name, *arguments):
        result = getattr(self.lib, name)(*arguments)
        if result:
            raise RuntimeError(f"{name}: error {result}")

    def load(self, text, name, smem):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.must("cuModuleLoadData", ctypes.byref(module), text.encode())
        self.must("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        self.must("cuFuncSetAttribute", function, SMEM, smem)
        return function

    def launch(self, function, grid, threads, smem, values):
        """values: bytes of each parameter, kept alive by the caller."""
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        self.must("cuLaunchKernel", function, *grid, threads, 1, 1, smem,
                  ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), pointers, None)


def buffer_of(data):
    """A parameter's bytes, aligned to 64 as a tensor map has to be."""
    raw = (ctypes.c_char * (len(data) + 64))()
    skip = -ctypes.addressof(raw) % 64
    value = (ctypes.c_char * len(data)).from_buffer(raw, skip)
    value.raw = data
    value.keep = raw
    return value


# ---- time --------------------------------------------------------------------------------------

def graph_of(call, sets, launches):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for one in sets[:2]:
            call(one)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(launches):
            call(sets[i % len(sets)])
    return graph


def replay_us(graph):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000


def contest(calls, sets, rounds, round_us=2000):
    """Median microseconds of a launch by each of `calls`, a dict of functions of a set.  Each round has an order of its own, for a
    GPU at its power limit is faster behind a contestant that took less power, and none is to have that one before it always."""
    graphs = {}
    launches = {}
    for name, call in calls.items():
        first = graph_of(call, sets, len(sets))
        replay_us(first)
        one = replay_us(first) / len(sets)
        launches[name] = max(len(sets), min(400, math.ceil(round_us / one)))
        graphs[name] = graph_of(call, sets, launches[name])
    for _ in range(3):
        for graph in graphs.values():
            replay_us(graph)
    times = {name: [] for name in calls}
    order, draw = list(graphs), random.Random(1)
    for _ in range(rounds):
        draw.shuffle(order)
        for name in order:
            times[name].append(replay_us(graphs[name]) / launches[name])
    return {name: statistics.median(values) for name, values in times.items()}


def sets_for(bytes_of_one):
    return max(2, min(48, 4 * L2 // bytes_of_one + 2))


# ---- products ----------------------------------------------------------------------------------

def drawn(rows, columns, kind, pitch=None):
    pitch = pitch or columns
    if kind in ("s8", "u8"):
        low, high = (-128, 128) if kind == "s8" else (0, 256)
        values = torch.randint(low, high, (rows, pitch), device="cuda", dtype=torch.int16)
    else:
        values = torch.randn(rows, pitch, device="cuda")
    return values.to(BITS[kind])[:, :columns]


class Product:
    def __init__(self, env, m, n, k, a="bf16", b=None, d=None, pitch_a=None, pitch_b=None, pitch_d=None, **more):
        self.env, self.m, self.n, self.k, self.a, self.b = env, m, n, k, a, b or a
        self.pitch = (pitch_a or k, pitch_b or k, pitch_d or n)
        request = {"target": "sm_90a", "m": m, "n": n, "k": k, "a_type": self.a, "b_type": self.b,
                   "lda": self.pitch[0], "ldb": self.pitch[1], "ldd": self.pitch[2], **({"d_type": d} if d else {}), **more}
        self.plan = env.zlay.ask(op="plan.gemm", **request)
        code = self.code = env.zlay.ask(op="emit", what="gemm", name="product", **request)
        self.d = d or {"tf32": "f32", "e4m3": "bf16", "e5m2": "bf16", "s8": "s32", "u8": "s32"}.get(a, a)
        self.smem, self.threads = code["smem"], code["threads"]
        self.function = env.driver.load(code["text"], "product", self.smem)
        self.copies = [(copy, env.driver.load(code["text"], copy["kernel"], 0)) for copy in code.get("repack", [])]
        cluster = self.plan["cluster"]
        self.grid = (min(self.plan["clusters"], torch.cuda.get_device_properties(0).multi_processor_count // cluster) * cluster, 1, 1)

    def set(self):
        a, b = drawn(self.m, self.k, self.a, self.pitch[0]), drawn(self.n, self.k, self.b, self.pitch[1])
        d = torch.zeros(self.m, self.pitch[2], device="cuda", dtype=BITS[self.d])[:, :self.n]
        addresses = [t.data_ptr() for t in (a, b, d)]
        if self.plan["swapped"]:
            addresses[0], addresses[1] = addresses[1], addresses[0]
        one = {"a": a, "b": b, "d": d, "out": torch.empty(self.m, self.n, device="cuda", dtype=BITS[self.d]), "copies": []}
        one["workspace"] = torch.zeros(max(1, self.code.get("workspace", 0)), device="cuda", dtype=torch.uint8)
        for copy, function in self.copies:
            o, there = "ABD".index(copy["operand"]), one["workspace"].data_ptr() + copy["offset"]
            ends = (addresses[o], there) if copy["when"] == "before" else (there, addresses[o])
            addresses[o] = there
            one["copies"].append((copy, function, [buffer_of(end.to_bytes(8, "little")) for end in ends]))
        by_tensor = [any(c["map"] == o and c["kind"].startswith("tensor") for c in self.plan["copies"]) for o in range(3)]
        one["values"] = [buffer_of(self.env.zlay.map_bytes(self.plan["maps"][o], addresses[o]) if by_tensor[o] else bytes(128))
                         for o in range(3)] + [buffer_of(address.to_bytes(8, "little")) for address in addresses]
        if self.plan["stream_blocks"]:
            one["values"].append(buffer_of(one["workspace"].data_ptr().to_bytes(8, "little")))
        return one

    def copied(self, one, when):
        for copy, function, values in one["copies"]:
            if copy["when"] == when:
                self.env.driver.launch(function, copy["grid"], copy["threads"], 0, values)

    def by_zlay(self, one):
        self.copied(one, "before")
        self.env.driver.launch(self.function, self.grid, self.threads, self.smem, one["values"])
        self.copied(one, "behind")

    def peers(self):
        one = torch.ones((), device="cuda")
        if self.a in ("e4m3", "e5m2"):
            def scaled(fast):
                return lambda s: torch._scaled_mm(s["a"], s["b"].t(), one, one, out_dtype=BITS[self.d], use_fast_accum=fast, out=s["out"])
            return {"torch._scaled_mm, fast": scaled(True), "torch._scaled_mm": scaled(False)}
        if self.a == "s8":
            return {"torch._int_mm": lambda s: torch._int_mm(s["a"], s["b"].t(), out=s["out"])}
        return {"torch.matmul": lambda s: torch.matmul(s["a"], s["b"].t(), out=s["out"])}

    def error(self, one, result):
        rows = torch.unique(torch.linspace(0, self.m - 1, min(self.m, 96), device="cuda").long())
        exact = one["a"][rows].double() @ one["b"].double().t()
        return ((result[rows].double() - exact).abs().max() / exact.abs().max()).item()

    def measure(self):
        a_set = self.set()
        bytes_of_one = sum(a_set[x].numel() * a_set[x].element_size() for x in ("a", "b", "d"))
        sets = [a_set] + [self.set() for _ in range(sets_for(bytes_of_one) - 1)]
        peers = {}
        for name, call in self.peers().items():
            try:
                call(a_set)
                peers[name] = (call, self.error(a_set, a_set["out"]))
            except (RuntimeError, ValueError) as refused:
                print(f"  {name} refuses: {str(refused).splitlines()[0]}")
        self.by_zlay(a_set)
        torch.cuda.synchronize()
        error = self.error(a_set, a_set["d"])
        times = contest({"zlay": self.by_zlay, **{name: call for name, (call, _) in peers.items()}}, sets, self.env.rounds)
        ours = times.pop("zlay")
        best = min(times, key=times.get) if times else None
        return {"us": ours, "tflops": 2 * self.m * self.n * self.k / ours / 1e6, "tile": self.plan["tile"], "error": error,
                "peer": best, "peer_us": times.get(best), "ratio": times[best] / ours if best else None, "times": times,
                "peer_error": next(iter(peers.values()))[1] if best else None}  # of the peer that adds as zlay does


BLOCKS = {"1x128": 1, "128x128": 128}


def quantized(rows, columns, sort):
    """e4m3 of N(0,1) whose rows differ in size, and the scale of each block: [rows or blocks of rows, blocks of K]."""
    high = BLOCKS[sort]
    values = torch.randn(rows, columns, device="cuda") * torch.rand(rows, 1, device="cuda").mul(4).exp2()
    blocks = functional.pad(values, (0, -columns % 128, 0, -rows % high)).unflatten(1, (-1, 128)).unflatten(0, (-1, high))
    scale = (blocks.abs().amax(dim=(1, 3)) / 448).clamp(min=1e-12)
    full = scale.repeat_interleave(high, 0)[:rows].repeat_interleave(128, 1)[:, :columns]
    return (values / full).to(torch.float8_e4m3fn), scale, full


class Scaled(Product):
    """A product of e4m3 whose blocks have scales.  torch takes them in the same arrays, where K is a multiple of 512."""

    def __init__(self, env, m, n, k, a_scales, b_scales, pitch=None, **more):
        self.sorts = (a_scales, b_scales)
        super().__init__(env, m, n, k, "e4m3", pitch_a=pitch, pitch_b=pitch, a_scales=a_scales, b_scales=b_scales, **more)

    def set(self, more=None):
        one = {**Product.set(self), **(more or {})}
        for name, rows, sort in (("a", self.m, self.sorts[0]), ("b", self.n, self.sorts[1])):
            drawn_values, scale, full = quantized(rows, self.k, sort)
            one[name].copy_(drawn_values)
            # 1x128: [blocks of K][rows], rows contiguous; 128x128: [blocks of rows][blocks of K].
            one["s" + name] = scale.t().contiguous() if sort == "1x128" else scale.contiguous()
            one["peer_s" + name] = one["s" + name].t() if sort == "1x128" else one["s" + name]
            one["full_" + name] = full
        given = [argument["name"] for argument in self.code["arguments"][6:]]
        one["values"] += [buffer_of(one[name[-2:]].data_ptr().to_bytes(8, "little")) for name in given]
        return one

    def peers(self):
        return {"torch._scaled_mm": lambda s: torch._scaled_mm(s["a"], s["b"].t(), s["peer_sa"], s["peer_sb"].t(), out_dtype=BITS[self.d],
                                                               use_fast_accum=False, out=s["out"])}

    def error(self, one, result):
        rows = torch.unique(torch.linspace(0, self.m - 1, min(self.m, 96), device="cuda").long())
        exact = (one["a"][rows].double() * one["full_a"][rows].double()) @ (one["b"].double() * one["full_b"].double()).t()
        return ((result[rows].double() - exact).abs().max() / exact.abs().max()).item()


class Quantised(Scaled):
    """A product whose D has elements of 8 bits and scales of 1 x 128, as the next product reads its A."""

    def __init__(self, env, m, n, k, d, a_scales=None, b_scales=None):
        self.sorts = (a_scales, b_scales)
        scales = {"a_scales": a_scales, "b_scales": b_scales} if a_scales else {}
        Product.__init__(self, env, m, n, k, "e4m3" if a_scales else "bf16", d=d, d_scales="1x128", **scales)

    def set(self):
        if self.sorts[0]:
            one = Scaled.set(self, {"sd": torch.zeros(-(-self.n // 128), self.m, device="cuda")})
        else:
            one = Product.set(self)
            one["sd"] = torch.zeros(-(-self.n // 128), self.m, device="cuda")
            one["values"].append(buffer_of(one["sd"].data_ptr().to_bytes(8, "little")))
            one["full_a"] = one["full_b"] = torch.ones((), device="cuda")
        return one

    def error(self, one):
        """The greatest error of a scale over the scale, and of an element over the greatest of its block."""
        exact = (one["a"].double() * one["full_a"].double()) @ (one["b"].double() * one["full_b"].double()).t()
        most = functional.pad(exact, (0, -self.n % 128)).unflatten(1, (-1, 128)).abs().amax(2)
        top = torch.finfo(BITS[self.d]).max
        scale = one["sd"].t().double()
        of_scale = ((scale * top - most).abs() / most).max().item()
        there = one["d"].double() * scale.repeat_interleave(128, 1)[:, :self.n]
        return max(of_scale, ((there - exact).abs() / most.repeat_interleave(128, 1)[:, :self.n]).max().item())


class ByOneScale(Product):
    """What a product costs without scales of blocks, beside one that has them."""

    def peers(self):
        return {}


def measured_row(env, name, measure, bound=2 ** -8):
    """A row of `measure`, judged beside its peer; what it measured, None where it failed.  A peer that refuses gives no error to
    compare with; one bf16 rounding explains 2^-8."""
    try:
        row = measure()
    except (ValueError, RuntimeError) as failed:
        print(f"{name:32} FAILED: {failed}")
        env.failed += 1
        return None
    wrong = not row["error"] <= max(env.error * (row["peer_error"] or 0), bound)
    env.failed += wrong
    env.report(name, row, wrong)
    return row


def scaled_row(env, name, *arguments, **more):
    def both():
        row, plain = Scaled(env, *arguments, **more).measure(), ByOneScale(env, *arguments[:3], "e4m3").measure()
        return {**row, "plain_us": plain["us"]}

    row = measured_row(env, name, both, 2 ** -7)
    if row:
        print(f"{'':32} {row['plain_us']:9.2f} us without scales: {row['us'] / row['plain_us']:.3f} of its time")


def product_row(env, name, *arguments, **more):
    measured_row(env, name, lambda: Product(env, *arguments, **more).measure())


class Divided(Product):
    """A product whose tiles are divided among all blocks (stream-K), beside the one by whole tiles, and torch."""

    def __init__(self, env, m, n, k, a="bf16", **more):
        super().__init__(env, m, n, k, a, stream_k="always", **more)
        self.whole = Product(env, m, n, k, a, **more)

    def set(self):
        return {**super().set(), "whole": self.whole.set()}

    def peers(self):
        return {**super().peers(), "whole tiles": self.by_whole}

    def by_whole(self, one):
        self.whole.by_zlay(one["whole"])

    def error(self, one, result):
        """Twice in a row: a launch leaves the workspace as it found it."""
        if result is one["d"]:
            one["d"].zero_()
            self.by_zlay(one)
        return super().error(one, result)


SHAPES_DIVIDED = [(m, n, k, "bf16") for m, n, k in (
    (8192, 8192, 8192), (16384, 4096, 4096), (4096, 4096, 16384), (4096, 4096, 4096), (8192, 8192, 4096), (6144, 6144, 6144),
    (4096, 12288, 4096), (4096, 7168, 8192), (4096, 4096, 7168), (2048, 8192, 8192), (8192, 6144, 4096), (4096, 28672, 4096))]
SHAPES_DIVIDED += [(4096, 4096, 4096, "e4m3"), (8192, 8192, 8192, "e4m3"), (8192, 8192, 8192, "f16")]


def stream(env):
    for m, n, k, sort in SHAPES_DIVIDED:
        row = measured_row(env, f"{sort} {m}x{n}x{k} stream-K", lambda: Divided(env, m, n, k, sort).measure())
        if row:
            print("".join(f"    {time / row['us']:.3f} of {name}" for name, time in row["times"].items()))


def lm(env):
    for line in open(env.shapes):
        if line.strip() and not line.startswith("#"):
            m, n, k = map(int, line.split()[:3])
            for kind in ("bf16", "f16"):
                product_row(env, f"{kind} {m}x{n}x{k}", m, n, k, kind, stream_k="auto")
    env.mean()


def large(env):
    for m, n, k in ((4096, 4096, 4096), (8192, 8192, 8192), (16384, 4096, 4096), (4096, 4096, 16384)):
        product_row(env, f"bf16 {m}x{n}x{k}", m, n, k, stream_k="auto")


def types(env):
    for m in (4096, 8192):
        for a, b in (("f16", "f16"), ("e4m3", "e4m3"), ("e4m3", "e5m2"), ("s8", "s8"), ("tf32", "tf32")):
            product_row(env, f"{a} x {b} {m}^3", m, m, m, a, b, stream_k="auto")


def small(env):
    for m in (1, 16, 64, 128):
        for n, k in ((4096, 4096), (4096, 7168), (7168, 4096)):
            product_row(env, f"bf16 {m}x{n}x{k}", m, n, k)
            product_row(env, f"bf16 {m}x{n}x{k}, K over 2 blocks, tile [64, 64, 64]", m, n, k, split_k=2, tile=[64, 64, 64])
            if m <= 16:
                product_row(env, f"bf16 {m}x{n}x{k}, swap auto", m, n, k, swap="auto")
            else:
                product_row(env, f"bf16 {m}x{n}x{k}, swap, tile [64, {m}, 64]", m, n, k, swap="always", tile=[64, m, 64])


class Beside(Product):
    """A product of rows that begin where they like, and the one whose sides are 4096 as its peer: the ratio is of TFLOP/s."""

    def __init__(self, env, *arguments, **more):
        super().__init__(env, *arguments, **more)
        self.neighbour = Product(env, 4096, 4096, 4096, self.a)

    def measure(self):
        sets = [{"own": self.set(), "other": self.neighbour.set()} for _ in range(3)]
        self.by_zlay(sets[0]["own"])
        self.neighbour.by_zlay(sets[0]["other"])
        torch.cuda.synchronize()
        times = contest({"own": lambda s: self.by_zlay(s["own"]), "other": lambda s: self.neighbour.by_zlay(s["other"])}, sets, self.env.rounds)
        rate, peer = self.m * self.n * self.k / times["own"], 4096 ** 3 / times["other"]
        return {"us": times["own"], "tflops": 2 * rate / 1e6, "tile": self.plan["tile"], "error": self.error(sets[0]["own"], sets[0]["own"]["d"]),
                "peer": "zlay's 4096^3, TFLOP/s", "peer_us": times["other"], "ratio": rate / peer,
                "peer_error": self.neighbour.error(sets[0]["other"], sets[0]["other"]["d"])}


def edges(env):
    for m, n, k in ((4096, 4095, 4096), (4095, 4097, 4104), (4096, 4096, 4100), (4096, 4096, 4095)):
        product_row(env, f"bf16 {m}x{n}x{k}", m, n, k)
    for m, n, k in ((4096, 4095, 4096), (4095, 4097, 4104), (4096, 4096, 4104), (4096, 4096, 4100), (4096, 4096, 4098), (4096, 4096, 4095)):
        for more in ({}, {"multicast": "auto"}, {"multicast": "auto", "repack": "auto"}):
            said = "".join(f", {name} {value}" for name, value in more.items())
            measured_row(env, f"bf16 {m}x{n}x{k}{said}", lambda: Beside(env, m, n, k, **more).measure())


def scales(env):
    for m, n, k in ((4096, 4096, 4096), (8192, 8192, 8192), (4096, 7168, 2048), (4096, 4096, 7168), (128, 7168, 2048)):
        for sorts in (("1x128", "128x128"), ("1x128", "1x128"), ("128x128", "1x128")):
            scaled_row(env, f"{sorts[0]} {sorts[1]} {m}x{n}x{k}", m, n, k, *sorts)
            for tile in ([64, 128, 128], [128, 64, 128]):
                scaled_row(env, f"{sorts[0]} {sorts[1]} {m}x{n}x{k}, tile {tile}", m, n, k, *sorts, tile=tile)


# ---- weights of 4 bits --------------------------------------------------------------------------

def packed(q):
    """Weights 0 to 15, or s8, [n][k] with whole tiles of 64 x 128, in the order of zlay_weights_pack."""
    n, k = q.shape
    if q.dtype == torch.int8:  # k of 32 u + 16 v + 8 j + 2 c + p
        return q.view(n // 64, 4, 2, 8, k // 128, 4, 2, 2, 4, 2).permute(0, 4, 5, 1, 3, 8, 6, 7, 2, 9).contiguous()
    # rows 16 w + 8 h + g, k of 64 u + 16 v + 8 j + 2 c + p
    tiles = q.view(n // 64, 4, 2, 8, k // 128, 2, 4, 2, 4, 2).permute(0, 4, 5, 1, 3, 8, 6, 9, 7, 2).reshape(-1, 2)
    return (tiles[:, 0] | tiles[:, 1] << 4).contiguous()


E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


class Weights:
    """A product with weights of 4 or 8 bits, scales and zeros of 128 or scales of a smaller group, beside the GEMM of bf16 of the shape
    on the same weights, dequantised."""

    def __init__(self, env, m, n, k, kind="bf16", weights="u4", zeros=True, group=128):
        self.env, self.m, self.n, self.k, self.kind, self.weights, self.zeros, self.group = env, m, n, k, kind, weights, zeros, group
        self.factor = 0.5 if group == 16 else 1
        request = {"target": "sm_90a", "m": m, "n": n, "k": k, "type": kind, "weights": weights, "zeros": zeros, "group": group}
        self.plan = env.zlay.ask(op="plan.weights", **request)
        self.code = env.zlay.ask(op="emit", what="weights", name="weights", **request)
        self.function = env.driver.load(self.code["text"], "weights", self.code["smem"])

    def set(self):
        groups, rows, columns = -(-self.k // 128), -(-self.n // 64) * 64, -(-self.k // 128) * 128
        q = self.drawn_weights()
        whole = functional.pad(q, (0, columns - self.k, 0, rows - self.n))
        tensors = {"a": drawn(self.m, self.k, self.kind), "b": packed(whole), "s": self.drawn_scales(groups),
                   "z": torch.randint(0, 16, (groups, self.n), device="cuda").to(BITS[self.kind]),
                   "d": torch.full((self.m, self.n), math.nan, device="cuda", dtype=BITS[self.kind])}
        values = [buffer_of(self.env.zlay.map_bytes(m["map"], tensors[m["tensor"]].data_ptr() + m["map"]["address"]))
                  for m in self.plan["maps"]] + [buffer_of(bytes(ctypes.c_int32(self.plan["steps"])))]
        values += [buffer_of(bytes(ctypes.c_float(self.factor)))] if self.group == 16 else []
        return {**tensors, "q": q, "values": values}

    def drawn_weights(self):
        shape = self.n, self.k
        if self.weights in ("e4m3", "e5m2"):
            return torch.randn(shape, device="cuda").to(BITS[self.weights]).view(torch.int8)
        if self.weights == "s8":
            return torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8)
        return torch.randint(0, 16, shape, device="cuda", dtype=torch.uint8)

    def drawn_scales(self, groups):
        shape = groups, self.n, 128 // self.group
        if self.group == 32:
            return torch.randint(120, 128, shape, device="cuda", dtype=torch.uint8)
        scales = torch.rand(shape, device="cuda") * 0.02 + 0.01
        return scales.to(BITS["e4m3"]) if self.group == 16 else scales[..., 0].to(BITS[self.kind])

    def dequantised_blocks(self, one):
        q, s = one["q"], one["s"].float()
        if self.weights == "e2m1":
            table = torch.tensor(E2M1 + [-x for x in E2M1], device="cuda")
            q = table[q.long()]
        else:
            q = q.view(BITS[self.weights]).float()
        s = torch.exp2(s - 127) if self.group == 32 else s * self.factor
        return q * s.transpose(0, 1).flatten(1).repeat_interleave(self.group, 1)[:, :self.k]

    def dequantised(self, one):
        """[n][k] in float32: exact."""
        if self.group != 128:
            return self.dequantised_blocks(one)
        q = one["q"].float()
        if self.weights == "s4":
            q = torch.where(q > 7, q - 16, q)
        full = {x: one[x].float().repeat_interleave(128, 0)[:self.k].t() for x in "sz"}
        return (q - full["z"] if self.zeros else q) * full["s"]

    def by_zlay(self, one):
        self.env.driver.launch(self.function, self.code["grid"], self.code["threads"], self.code["smem"], one["values"])

    def error(self, one, result):
        exact = one["a"].double() @ self.dequantised(one).double().t()
        return ((result.double() - exact).abs().max() / exact.abs().max()).item()

    def measure(self):
        whole = Product(self.env, self.m, self.n, self.k, self.kind)
        bytes_of_one = self.plan["packed"] + (4 * self.n * (self.k // 128) if self.group == 128 else self.n * self.k // self.group)
        sets = [{**self.set(), "whole": whole.set()} for _ in range(sets_for(bytes_of_one))]
        for one in sets:
            one["whole"]["a"].copy_(one["a"])
            one["whole"]["b"].copy_(self.dequantised(one))
        first = sets[0]
        self.by_zlay(first)
        whole.by_zlay(first["whole"])
        torch.cuda.synchronize()
        times = contest({"zlay": self.by_zlay, "zlay's GEMM of " + self.kind: lambda s: whole.by_zlay(s["whole"])}, sets, self.env.rounds)
        ours = times.pop("zlay")
        peer = next(iter(times))
        print(f"{'':32} {bytes_of_one / ours / 1e6:9.2f} TB/s of weights, scales and zeros")
        return {"us": ours, "tflops": 2 * self.m * self.n * self.k / ours / 1e6, "tile": self.plan["tile"],
                "error": self.error(first, first["d"]), "peer": peer, "peer_us": times[peer], "ratio": times[peer] / ours,
                "peer_error": self.error(first, first["whole"]["d"])}


def int4(env):
    for m in (1, 8, 16, 32, 64):
        for n, k in ((8192, 8192), (4096, 4096), (7168, 4096)):
            measured_row(env, f"int4 {m}x{n}x{k}", lambda: Weights(env, m, n, k).measure())
    for name, weights, group in (("mxfp4", "e2m1", 32), ("nvfp4", "e2m1", 16), ("mxfp8", "e4m3", 32)):
        for m in (1, 16):
            measured_row(env, f"{name} {m}x8192x8192", lambda: Weights(env, m, 8192, 8192, "bf16", weights, False, group).measure())


# ---- transposes --------------------------------------------------------------------------------

class Turned:
    """The transpose of a square matrix by the kernel of `emit copy`, beside a device copy of the same bytes."""

    def __init__(self, env, side, kind):
        self.env, self.side, self.kind = env, side, kind
        self.code = env.zlay.ask(op="emit", what="copy", name="turned", target="sm_90a", src=f"({side},{side}):(1,{side})",
                                 dst=f"({side},{side}):({side},1)", elem_bits=8 * BITS[kind].itemsize, src_align=16, dst_align=16)
        self.function = env.driver.load(self.code["text"], "turned", self.code["smem"])

    def set(self):
        a = drawn(self.side, self.side, self.kind)
        one = {"a": a, "d": torch.zeros_like(a), "out": torch.empty_like(a)}
        return {**one, "values": [buffer_of(one[x].data_ptr().to_bytes(8, "little")) for x in "ad"]}

    def by_zlay(self, one):
        self.env.driver.launch(self.function, (self.code["blocks"], 1, 1), self.code["threads"], self.code["smem"], one["values"])

    def measure(self):
        size = self.side ** 2 * BITS[self.kind].itemsize
        sets = [self.set() for _ in range(sets_for(2 * size))]
        self.by_zlay(sets[0])
        torch.cuda.synchronize()
        right = torch.equal(sets[0]["d"], sets[0]["a"].t())
        times = contest({"zlay": self.by_zlay, "copy": lambda s: s["out"].copy_(s["a"])}, sets, self.env.rounds)
        print(f"{'':32} {2 * size / times['zlay'] / 1e6:9.2f} TB/s read and written, path {self.code['path']}")
        return {"us": times["zlay"], "tflops": 0, "tile": [], "error": 0 if right else math.inf, "peer": "a device copy", "peer_us": times["copy"],
                "ratio": times["copy"] / times["zlay"], "peer_error": 0}


def transposes(env):
    for kind in ("bf16", "f32"):
        for side in (4095, 4096, 6144, 8191, 8192, 12288, 16383, 16384):
            measured_row(env, f"transpose {kind} {side}", lambda: Turned(env, side, kind).measure())


# ---- attention ---------------------------------------------------------------------------------

class Attention:
    def __init__(self, env, head, batch, tokens, heads, causal, kv_heads=None, kind="bf16", **more):
        """more: window, sinks, lse, as the request has them."""
        self.env, self.head, self.batch, self.tokens, self.heads, self.causal, self.kind = env, head, batch, tokens, heads, causal, kind
        self.kv_heads = kv_heads or heads
        self.window, self.sinks, self.lse = more.get("window", 0), more.get("sinks", False), more.get("lse", False)
        request = {"target": "sm_90a", "head": head, "queries": tokens, "keys": tokens, "heads": heads, "kv_heads": self.kv_heads,
                   "batch": batch, "causal": causal, "type": kind, **more}
        self.plan = env.zlay.ask(op="plan.attention", **request)
        self.code = env.zlay.ask(op="emit", what="attention", name="attention", **request)
        self.function = env.driver.load(self.code["text"], "attention", self.code["smem"])

    def set(self):
        kind = BITS[self.kind]
        if self.kind == "e4m3":
            return self.set_bytes()
        q, o = (torch.randn(self.batch, self.tokens, self.heads, self.head, device="cuda", dtype=kind) for _ in range(2))
        k, v = (torch.randn(self.batch, self.tokens, self.kv_heads, self.head, device="cuda", dtype=kind) for _ in range(2))
        tensors = {"q": q, "k": k, "v": v, "o": o}
        if self.lse:
            tensors["l"] = torch.full((self.batch, self.heads, (self.tokens + 3) // 4 * 4), math.nan, device="cuda")
        turned = {x: tensors[x].transpose(1, 2) for x in "qkv"}
        return self.given(tensors, turned)

    def set_bytes(self):
        """Of e4m3: V is [batch][head][element][key], padded to 16 keys; behind K stands one row more. Whoever reads `tq`, `tk`, `tv`,
        PyTorch too, has the same values as bf16, which holds them exactly."""
        kind = BITS[self.kind]
        q, o = (torch.randn(self.batch, self.tokens, self.heads, self.head, device="cuda").to(t) for t in (kind, torch.bfloat16))
        rows = torch.randn(self.batch * self.tokens + 1, self.kv_heads, self.head, device="cuda").to(kind)
        k = rows[:-1].view(self.batch, self.tokens, self.kv_heads, self.head)
        across = torch.randn(self.batch, self.kv_heads, self.head, (self.tokens + 15) // 16 * 16, device="cuda").to(kind)
        tensors = {"q": q, "k": k, "v": across, "o": o}
        if self.lse:
            tensors["l"] = torch.full((self.batch, self.heads, (self.tokens + 3) // 4 * 4), math.nan, device="cuda")
        turned = {"q": q.transpose(1, 2), "k": k.transpose(1, 2), "v": across[..., :self.tokens].transpose(2, 3)}
        return self.given(tensors, {x: t.to(torch.bfloat16).contiguous() for x, t in turned.items()})

    def given(self, tensors, turned):
        """turned: Q, K and V as [batch, heads, tokens, head]."""
        sinks = torch.randn(self.heads, device="cuda") if self.sinks else None
        maps = [self.env.zlay.map_bytes(m["map"], tensors[m["tensor"]].data_ptr() + m["map"]["address"]) for m in self.plan["maps"]]
        number = {"n_N": ("i", self.plan["tiles"]), "x_keys": ("i", self.tokens), "x_offset": ("i", 0), "x_v_scale": ("f", 1),
                  "x_scale": ("f", math.log2(math.e) / math.sqrt(self.head))}
        values = []
        for argument in self.code["arguments"]:
            if argument["type"] == "CUtensorMap":
                values.append(buffer_of(maps.pop(0)))
            elif argument["name"] == "read_sinks":
                values.append(buffer_of(sinks.data_ptr().to_bytes(8, "little")))
            else:
                code, value = number[argument["name"]]
                values.append(buffer_of(bytes((ctypes.c_int32 if code == "i" else ctypes.c_float)(value))))
        return {**tensors, **{"t" + x: turned[x] for x in "qkv"}, "sinks": sinks, "values": values}

    def by_zlay(self, one):
        self.env.driver.launch(self.function, self.code["grid"], self.code["threads"], self.code["smem"], one["values"])

    def by_torch(self, backend):
        def call(one):
            with sdpa_kernel([backend]):
                return functional.scaled_dot_product_attention(one["tq"], one["tk"], one["tv"], is_causal=self.causal,
                                                               enable_gqa=self.kv_heads != self.heads)
        return call

    def error(self, one, out):
        """out: [batch, heads, tokens, head]."""
        worst = scale = 0.0
        keys = torch.arange(self.tokens, device="cuda")[None, :]
        rows = torch.unique(torch.linspace(0, self.tokens - 1, 64, device="cuda").long())
        for b, h in ((0, 0), (self.batch - 1, self.heads - 1)):
            kv = h * self.kv_heads // self.heads
            scores = one["tq"][b, h][rows].double() @ one["tk"][b, kv].double().t() / math.sqrt(self.head)
            if self.causal:
                scores.masked_fill_(keys > rows[:, None], -math.inf)
            if self.window:
                scores.masked_fill_(keys <= rows[:, None] - self.window, -math.inf)
            if self.sinks:  # a score whose value is 0
                scores = torch.cat([scores, one["sinks"][h].double().expand(len(rows), 1)], 1)
            exact = scores.softmax(-1)[:, :self.tokens] @ one["tv"][b, kv].double()
            if self.lse:  # f32: a difference counts 2^4 times, so that 2^-10 is as bad as 2^-6 of the result
                off = (one["l"][b, h][rows].double() - scores.logsumexp(-1)).abs().max().item()
                worst = max(worst, off * 2 ** 4 * exact.abs().max().item()) if off == off else math.inf
            worst = max(worst, (out[b, h][rows].double() - exact).abs().max().item())
            scale = max(scale, exact.abs().max().item())
        return worst / scale

    def measure(self):
        a_set = self.set()
        bytes_of_one = sum(a_set[x].numel() * a_set[x].element_size() for x in "qkvo")
        sets = [a_set] + [self.set() for _ in range(sets_for(bytes_of_one) - 1)]
        peers = {}
        for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
            try:
                peers[name] = (self.by_torch(backend), self.error(a_set, self.by_torch(backend)(a_set)))
            except RuntimeError as refused:
                print(f"  {name} refuses: {str(refused).splitlines()[0]}")
        self.by_zlay(a_set)
        torch.cuda.synchronize()
        error = self.error(a_set, a_set["o"].transpose(1, 2))
        times = contest({"zlay": self.by_zlay, **{name: call for name, (call, _) in peers.items()}}, sets, self.env.rounds)
        ours = times.pop("zlay")
        best = min(times, key=times.get) if times else None
        flops = 4 * self.batch * self.heads * self.tokens * self.tokens * self.head / (2 if self.causal else 1)
        return {"us": ours, "tflops": flops / ours / 1e6, "tile": self.plan["tile"], "error": error, "peer": best,
                "peer_us": times.get(best), "ratio": times[best] / ours if best else None, "peer_error": peers[best][1] if best else None}


WEIGHTS_E4M3 = 2 ** -4  # a weight has four significant bits


def attention(env):
    for head in (128, 64, 256):
        for causal in (False, True):
            for batch, tokens in ((1, 16384), (4, 4096)):
                name = f"attention d={head} {batch}x{tokens}{' causal' if causal else ''}"
                measured_row(env, name, lambda: Attention(env, head, batch, tokens, 16, causal).measure())
    for head in (128, 64):  # PyTorch has no attention of 8 bits
        for causal in (False, True):
            name = f"attention e4m3 d={head} 1x16384{' causal' if causal else ''}, peer bf16"
            measured_row(env, name, lambda: Attention(env, head, 1, 16384, 16, causal, kind="e4m3").measure(), WEIGHTS_E4M3)


def program_of(plan, causal):
    """examples/attention.tiles with a plan's tile, and with its bodies where blocks see the keys of earlier queries alone."""
    with open("examples/attention.tiles") as file:
        program = file.read()
    queries, keys = plan["tile"]
    program = program.replace("instances 2", f"instances {queries // 64}").replace(") * 128", f") * {keys}")
    for name, size in {"tQ0": queries * 128, "tQ1": queries * 128, "tK0": keys * 128, "tK1": keys * 128, "tV": keys * 256}.items():
        program = re.sub(f"move {name} [0-9]+", f"move {name} {size}", program)
    head, loop, rest = re.split("^(?=loop$)|^(?=after$)", program, flags=re.M)
    loop = re.sub("cycles ([0-9]+)", lambda m: f"cycles {int(m[1]) * keys // 128}", loop)
    program = head + loop + rest
    if not causal:
        return program
    own = plan["pipe"]
    bodies = own[own.index("body begin"):own.index("init ")]
    mask = own[own.index("at block, i, N"):].splitlines()[0]
    program = program[:program.index("body begin")] + bodies + program[program.index("before\n"):]
    return program.replace("at i, N when i < 1", mask)


class Found(Attention):
    """The same with the pipe that is found from its operations, beside the plan's own."""

    def __init__(self, env, batch, tokens, heads, causal):
        self.own = Attention(env, 128, batch, tokens, heads, causal)  # as the planner chooses
        tile = self.own.plan["tile"]
        super().__init__(env, 128, batch, tokens, heads, causal, tile=tile)
        request = {"target": "sm_90a", "head": 128, "queries": tokens, "keys": tokens, "heads": heads, "batch": batch, "causal": causal, "tile": tile}
        found = env.zlay.ask(op="pipe.roles", target="sm_90a", program=program_of(self.plan, causal))
        self.code = env.zlay.ask(op="emit", what="attention", name="attention", pipe=found["pipe"], **request)
        self.function = env.driver.load(self.code["text"], "attention", self.code["smem"])

    def set(self):
        one = super().set()
        one["own"] = self.own.given({x: one[x] for x in "qkvo"}, {x: one["t" + x] for x in "qkv"})
        return one

    def by_plan(self, one):
        self.own.by_zlay(one["own"])

    def measure(self):
        a_set = self.set()
        sets = [a_set] + [self.set() for _ in range(sets_for(sum(a_set[x].numel() * 2 for x in "qkvo")) - 1)]
        errors = []
        for call in (self.by_zlay, self.by_plan):
            a_set["o"].fill_(math.nan)
            call(a_set)
            torch.cuda.synchronize()
            errors.append(self.error(a_set, a_set["o"].transpose(1, 2)))
        times = contest({"zlay": self.by_zlay, "plan": self.by_plan}, sets, self.env.rounds)
        flops = 4 * self.batch * self.heads * self.tokens * self.tokens * self.head / (2 if self.causal else 1)
        return {"us": times["zlay"], "tflops": flops / times["zlay"] / 1e6, "tile": self.plan["tile"], "error": errors[0], "peer": "plan",
                "peer_us": times["plan"], "ratio": times["plan"] / times["zlay"], "peer_error": errors[1]}


def roles(env):
    for causal in (False, True):
        for batch, tokens in ((1, 16384), (4, 4096)):
            name = f"roles of attention d=128 {batch}x{tokens}{' causal' if causal else ''}"
            measured_row(env, name, lambda: Found(env, batch, tokens, 16, causal).measure())


# ---- correctness alone --------------------------------------------------------------------------

PAIRS = (("bf16", "bf16"), ("f16", "f16"), ("tf32", "tf32"), ("e4m3", "e4m3"), ("e5m2", "e4m3"), ("s8", "s8"), ("u8", "s8"))
# bf16 and f16 are rounded once in D; sums of 8-bit floats have 14 bits in the tensor core; tf32 cuts 13 bits off each factor.
BOUNDS = {"bf16": 2 ** -8, "f16": 2 ** -10, "tf32": 2 ** -9, "e4m3": 2 ** -6, "e5m2": 2 ** -6, "s8": 0, "u8": 0}


def judge(env, name, error, bound):
    wrong = not error <= bound
    env.failed += wrong
    env.right += not wrong
    if wrong:
        print(f"{name}: error {error:.2e}, not {bound:.2e}")


def further(env):
    """Windows, sinks and the log-sum-exp, alone and together; heads of a multiple of 64 queries, but not of a block's."""
    more = ({"window": 1}, {"window": 100}, {"window": 129, "sinks": True}, {"sinks": True}, {"lse": True},
            {"sinks": True, "lse": True}, {"window": 1000, "sinks": True, "lse": True})
    for head in (64, 128, 256):
        for kind in ("bf16", "f16"):
            for options in more:
                for causal in ((True,) if "window" in options else (False, True)):
                    for batch, tokens, heads, kv_heads in ((1, 1, 1, 1), (2, 65, 4, 2), (3, 256, 4, 2), (2, 320, 2, 1), (1, 2049, 2, 1)):
                        asked = Attention(env, head, batch, tokens, heads, causal, kv_heads, kind, **options)
                        one = asked.set()
                        asked.by_zlay(one)
                        torch.cuda.synchronize()
                        judge(env, f"attention d={head} {kind} {batch}x{tokens}x{heads}/{kv_heads} causal {causal} {options}",
                              asked.error(one, one["o"].transpose(1, 2)), 2 ** -6 if kind == "bf16" else 2 ** -8)


def of_bytes(env):
    """Attention of e4m3, beside float64 of the same values; numbers of keys that are no multiple of anything."""
    for head in (64, 128, 256):
        for causal in (False, True):
            for batch, tokens, heads, kv_heads in ((1, 1, 1, 1), (2, 3, 2, 1), (1, 64, 3, 3), (2, 65, 4, 2), (3, 131, 2, 1), (1, 2049, 2, 1)):
                asked = Attention(env, head, batch, tokens, heads, causal, kv_heads, "e4m3", lse=tokens % 2 == 0)
                one = asked.set()
                asked.by_zlay(one)
                torch.cuda.synchronize()
                judge(env, f"attention d={head} e4m3 {batch}x{tokens}x{heads}/{kv_heads} causal {causal}",
                      asked.error(one, one["o"].transpose(1, 2)), WEIGHTS_E4M3)


def correct(env):
    for a, b in PAIRS:
        for m, n, k in ((1, 1, 16), (64, 64, 64), (129, 257, 136), (300, 520, 1040), (65, 1000, 264), (1000, 77, 4100), (511, 513, 515)):
            product = Product(env, m, n, k, a, b)
            one = product.set()
            product.by_zlay(one)
            torch.cuda.synchronize()
            judge(env, f"{a} x {b} {m}x{n}x{k}", product.error(one, one["d"]), BOUNDS[a])
        for m, n, k in ((300, 520, 1040), (2000, 2000, 1040), (9000, 4000, 528), (136, 20000, 2064)):
            product = Product(env, m, n, k, a, b, stream_k="always")
            one = product.set()
            for blocks in (132, 61, 200, 132):  # a launch leaves the workspace as it found it
                product.grid = (blocks, 1, 1)
                one["d"].zero_()
                product.by_zlay(one)
                torch.cuda.synchronize()
                judge(env, f"{a} x {b} {m}x{n}x{k}, stream-K on {blocks} blocks", product.error(one, one["d"]), BOUNDS[a])
    for sorts in (("1x128", "128x128"), ("1x128", "1x128"), ("128x128", "1x128"), ("128x128", "128x128")):
        for m, n, k in ((64, 64, 16), (129, 257, 144), (300, 520, 1040), (1000, 77, 4112)):
            product = Scaled(env, m, n, k, *sorts)
            one = product.set()
            product.by_zlay(one)
            torch.cuda.synchronize()
            judge(env, f"scales {sorts[0]} {sorts[1]} {m}x{n}x{k}", product.error(one, one["d"]), BOUNDS["e4m3"])
    for d in ("e4m3", "e5m2"):
        for sorts in ((None, None), ("1x128", "128x128"), ("1x128", "1x128"), ("128x128", "1x128")):
            for m, n, k in ((64, 64, 16), (129, 272, 144), (300, 520, 1040), (1000, 80, 4112)):
                product = Quantised(env, m, n, k, d, *sorts)
                one = product.set()
                product.by_zlay(one)
                torch.cuda.synchronize()
                # half a step beside the greatest is 16 of 448, or 4096 of 57344; and what fp8 sums are off
                judge(env, f"D with scales, {d}, {sorts[0]} {sorts[1]} {m}x{n}x{k}", product.error(one), 2 ** -4 if d == "e4m3" else 2 ** -3)
    for kind, weights, zeros, group in (("bf16", "u4", True, 128), ("bf16", "s4", False, 128), ("f16", "u4", False, 128), ("f16", "s4", True, 128),
                                        ("bf16", "s8", False, 128), ("bf16", "s8", True, 128), ("f16", "s8", False, 128),
                                        ("bf16", "e2m1", False, 32), ("bf16", "e2m1", False, 16), ("f16", "e2m1", False, 16),
                                        ("bf16", "e4m3", False, 32), ("bf16", "e5m2", False, 32)):
        for m, n, k in ((1, 8, 8), (8, 64, 128), (13, 136, 392), (16, 1000, 4104), (64, 520, 1032), (70, 72, 2048)):
            product = Weights(env, m, n, k, kind, weights, zeros, group)
            one = product.set()
            product.by_zlay(one)
            torch.cuda.synchronize()
            judge(env, f"weights {kind} {weights} of {group} zeros {zeros} {m}x{n}x{k}", product.error(one, one["d"]), BOUNDS[kind])
    for head in (64, 128, 256):
        for kind in ("bf16", "f16"):
            for causal in (False, True):
                for batch, tokens, heads, kv_heads in ((1, 1, 1, 1), (2, 17, 2, 1), (1, 64, 3, 3), (2, 65, 4, 2), (1, 193, 2, 2), (3, 500, 6, 2), (1, 2049, 2, 1)):
                    asked = Attention(env, head, batch, tokens, heads, causal, kv_heads, kind)
                    one = asked.set()
                    asked.by_zlay(one)
                    torch.cuda.synchronize()
                    judge(env, f"attention d={head} {kind} {batch}x{tokens}x{heads}/{kv_heads} causal {causal}",
                          asked.error(one, one["o"].transpose(1, 2)), 2 ** -6 if kind == "bf16" else 2 ** -8)
    further(env)
    of_bytes(env)
    print(f"{env.right} right, {env.failed} wrong")


# ---- the program -------------------------------------------------------------------------------

class Environment:
    def __init__(self, options):
        self.zlay, self.driver = Zlay(options.zlay), Driver()
        self.rounds, self.shapes, self.error, self.failed, self.rows = options.rounds, options.shapes, options.error, 0, []
        self.right = 0

    def report(self, name, row, wrong):
        self.rows.append({"name": name, **row})
        peer = f"{row['peer_us']:9.2f} us  {row['ratio']:6.3f}x  {row['peer']}" if row["peer"] else "no peer"
        print(f"{name:32} {row['us']:9.2f} us {row['tflops']:7.1f} TFLOP/s  {peer}  error {row['error']:.2e}"
              f"{' (peer %.2e)' % row['peer_error'] if row['peer'] else ''}  tile {row['tile']}{'  WRONG' if wrong else ''}", flush=True)

    def mean(self):
        ratios = {row["name"]: row["ratio"] for row in self.rows if row["ratio"]}
        for kind in ("bf16", "f16"):
            mine = {name: ratio for name, ratio in ratios.items() if name.startswith(kind + " ")}
            if mine:
                least = min(mine, key=mine.get)
                print(f"geometric mean of {len(mine)} {kind} shapes: {statistics.geometric_mean(mine.values()):.3f}; "
                      f"least {mine[least]:.3f} ({least}); below 0.98: {sum(r < 0.98 for r in mine.values())}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--shapes", default="lm_shapes.txt")
    parser.add_argument("--error", type=float, default=1.5)
    parser.add_argument("--json")
    parser.add_argument("group", nargs="+", choices=["correct", "lm", "stream", "large", "types", "small", "edges", "scales", "int4", "transposes", "attention", "roles"])
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    env = Environment(options)
    properties = torch.cuda.get_device_properties(0)
    print(f"{properties.name}, {properties.multi_processor_count} multiprocessors, PyTorch {torch.__version__}, {options.rounds} rounds")
    for group in options.group:
        globals()[group](env)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(env.rows, out, indent=1)
    sys.exit(1 if env.failed else 0)


if __name__ == "__main__":
    main()
