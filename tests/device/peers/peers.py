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
import json
import math
import statistics
import sys

import torch

from attentions import WEIGHTS_E4M3, Attention, Found
from correct import correct
from products import Beside, ByOneScale, Divided, Product, Scaled, drawn
from rig import BITS, Driver, Zlay, buffer_of, contest, sets_for
from weights import Weights


# ---- products ----------------------------------------------------------------------------------

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


def roles(env):
    for causal in (False, True):
        for batch, tokens in ((1, 16384), (4, 4096)):
            name = f"roles of attention d=128 {batch}x{tokens}{' causal' if causal else ''}"
            measured_row(env, name, lambda: Found(env, batch, tokens, 16, causal).measure())


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


GROUPS = {group.__name__: group for group in (correct, lm, stream, large, types, small, edges, scales, int4, transposes, attention, roles)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--shapes", default="lm_shapes.txt")
    parser.add_argument("--error", type=float, default=1.5)
    parser.add_argument("--json")
    parser.add_argument("group", nargs="+", choices=list(GROUPS))
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    env = Environment(options)
    properties = torch.cuda.get_device_properties(0)
    print(f"{properties.name}, {properties.multi_processor_count} multiprocessors, PyTorch {torch.__version__}, {options.rounds} rounds")
    for group in options.group:
        GROUPS[group](env)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(env.rows, out, indent=1)
    sys.exit(1 if env.failed else 0)


if __name__ == "__main__":
    main()
