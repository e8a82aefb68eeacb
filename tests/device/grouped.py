# SPDX-License-Identifier: Apache-2.0
"""Products of groups of rows (docs/gemm.md, "Groups of rows") against torch._grouped_mm and against dense products of as many rows.

    python3 tests/device/grouped.py [--zlay PROGRAM] [--lengths FILE] [--rounds 30] [--launches 100] [--tiles "128,256,64 ..."] [--json FILE] [NAME...]

Lengths are lines `NAME N K: rows of each group` of tests/device/groups.txt; NAME takes lines of that name, by default all.
First each line is computed once: errors against float64 beside those of torch, D untouched in all rows that no group has and on both
sides, the same bits in each of --launches launches, and offsets that decrease, are negative or pass the rows: bounded as the plan says.
Then they are timed as in peers.py, in one process, turn by turn, on N(0,1) data.  TFLOP/s count the rows that there are.
Status 1 when a result is wrong."""
import argparse
import json
import os
import random
import sys

import torch

import peers

BESIDE = 256  # rows of D on either side that nothing may touch
CANARY = 0x7fc1


class Grouped(peers.Product):
    """One kernel for all groups; `m` of the request is the sum of their rows."""

    def __init__(self, env, lengths, n, k, kind="bf16", **more):
        self.lengths = lengths
        super().__init__(env, max(1, sum(lengths)), n, k, kind, groups=len(lengths), **more)

    def offsets(self, offsets):
        return torch.tensor(offsets, device="cuda", dtype=torch.int32)

    def set(self):
        kind = peers.BITS[self.a]
        a = torch.randn(self.m, self.k, device="cuda").to(kind)
        b = torch.empty(len(self.lengths), self.n, self.k, device="cuda", dtype=kind)
        for one in b:
            one.copy_(torch.randn(self.n, self.k, device="cuda"))
        whole = torch.full((self.m + 2 * BESIDE, self.n), CANARY, device="cuda", dtype=torch.int16)
        ends = [sum(self.lengths[:i + 1]) for i in range(len(self.lengths))]
        one = {"a": a, "b": b, "whole": whole, "d": whole.view(kind)[BESIDE:BESIDE + self.m], "offsets": self.offsets([0] + ends)}
        one["ends"] = one["offsets"][1:].contiguous()
        return one

    def by_zlay(self, one):
        if self not in one:  # a set serves products of several tiles, whose maps have other boxes
            addresses = [one[name].data_ptr() for name in ("a", "b", "d", "offsets")]
            if self.plan["swapped"]:
                addresses[:2] = addresses[1::-1]
            one[self] = [peers.buffer_of(self.env.zlay.map_bytes(self.plan["maps"][o], addresses[o])) for o in range(3)]
            workspace = torch.zeros(max(1, self.code.get("workspace", 0)), device="cuda", dtype=torch.uint8)
            one[self] += [peers.buffer_of(address.to_bytes(8, "little")) for address in addresses + [workspace.data_ptr()]]
            one[self, "workspace"] = workspace
        self.env.driver.launch(self.function, self.grid, self.threads, self.smem, one[self])

    def by_torch(self, one):
        one["torch"] = torch._grouped_mm(one["a"], one["b"].transpose(-2, -1), offs=one["ends"])

    def cuts(self, offsets):
        """The offsets as the kernel bounds them."""
        at, cuts = 0, []
        for offset in offsets:
            at = min(max(offset, at), self.m)
            cuts.append(at)
        return cuts

    def wrong(self, one, offsets):
        """The greatest error of the rows of groups; how many elements elsewhere are no longer the canary."""
        cuts, error = self.cuts(offsets), 0.0
        touched = one["whole"].clone()
        for group, (begin, end) in enumerate(zip(cuts, cuts[1:])):
            if begin == end:
                continue
            exact = one["a"][begin:end].double() @ one["b"][group].double().t()
            error = max(error, ((one["d"][begin:end].double() - exact).abs().max() / exact.abs().max()).item())
            error = float("inf") if error != error else error
            touched[BESIDE + begin:BESIDE + end] = CANARY
        return error, int((touched != CANARY).sum())

    def torch_error(self, one):
        cuts, error = self.cuts([0] + one["ends"].tolist()), 0.0
        for group, (begin, end) in enumerate(zip(cuts, cuts[1:])):
            if begin < end:
                exact = one["a"][begin:end].double() @ one["b"][group].double().t()
                error = max(error, ((one["torch"][begin:end].double() - exact).abs().max() / exact.abs().max()).item())
        return error

    def run(self, one, offsets):
        one["offsets"].copy_(self.offsets(offsets))
        one["whole"].fill_(CANARY)
        self.by_zlay(one)
        torch.cuda.synchronize()

    def correct(self, one, launches):
        """What is wrong, as text; the error, and torch's."""
        offsets = one["offsets"].tolist()
        self.run(one, offsets)
        error, touched = self.wrong(one, offsets)
        try:
            self.by_torch(one)
            other = self.torch_error(one)
        except (RuntimeError, ValueError, AttributeError) as refused:
            print(f"  torch._grouped_mm refuses: {str(refused).splitlines()[0]}")
            other = 0
        bad = [] if error <= max(1.5 * other, 2 ** -8) else [f"error {error:.2e}, torch {other:.2e}"]
        bad += [f"{touched} elements touched"] if touched else []
        first = one["whole"].clone()
        for _ in range(launches):
            self.by_zlay(one)
            bad += [] if torch.equal(first, one["whole"]) else ["another launch, other bits"]
        bad += ["the counter of tiles is not 0 again"] if one[self, "workspace"].any() else []
        return bad, error, other, offsets

    def hostile(self, one, offsets):
        draw, bad = random.Random(1), []
        count, far = len(offsets), 2 ** 31 - 1
        tries = [offsets[::-1], [far] * count, [-far - 1] * count, [draw.choice([-far - 1, -1, 0, self.m, self.m + 1, far]) for _ in offsets]]
        tries += [[draw.randrange(-self.m // 4, self.m * 5 // 4 + 1) for _ in offsets] for _ in range(4)]
        for number, given in enumerate(tries):
            self.run(one, given)
            error, touched = self.wrong(one, given)
            bad += [f"hostile {number}: error {error:.2e}, {touched} touched"] if touched or not error <= 2 ** -8 else []
        self.run(one, offsets)
        return bad + (["the counter of tiles is not 0 again"] if one[self, "workspace"].any() else [])


def dense(env, product, sets):
    """Dense products of as many rows by zlay and by torch, on the first group's B."""
    own = peers.Product(env, product.m, product.n, product.k, product.a)
    for one in sets:
        out = torch.empty(product.m, product.n, device="cuda", dtype=peers.BITS[product.a])
        addresses = [one["a"].data_ptr(), one["b"].data_ptr(), out.data_ptr()]
        if own.plan["swapped"]:
            addresses[:2] = addresses[1::-1]
        maps = [peers.buffer_of(env.zlay.map_bytes(own.plan["maps"][o], addresses[o])) for o in range(3)]
        one["dense"] = {"values": maps + [peers.buffer_of(x.to_bytes(8, "little")) for x in addresses], "copies": [], "out": out}
    return {"dense, zlay": lambda s: own.by_zlay(s["dense"]),
            "dense, torch": lambda s: torch.matmul(s["a"], s["b"][0].t(), out=s["dense"]["out"])}


def timed(env, name, products, sets):
    first = products[0]
    calls = {f"zlay {'x'.join(map(str, p.plan['tile']))}": p.by_zlay for p in products}
    try:
        first.by_torch(sets[0])
        calls["torch._grouped_mm"] = first.by_torch
    except (RuntimeError, ValueError, AttributeError):
        pass
    calls.update(dense(env, first, sets))
    times = peers.contest(calls, sets, env.rounds)
    ours = min(times[call] for call in times if call.startswith("zlay"))
    flop = 2 * sum(first.lengths) * first.n * first.k
    for call, us in times.items():
        print(f"    {call:24} {us:10.2f} us {flop / us / 1e6:8.1f} TFLOP/s, its time over the best of zlay's {us / ours:.3f}")
    return {"name": name, "times": times, "lengths": first.lengths, "n": first.n, "k": first.k}


def line_of(env, name, n, k, lengths, options):
    products = [Grouped(env, lengths, n, k)]
    for tile in options.tiles.split():
        tile = [int(x) for x in tile.split(",")]
        if tile != products[0].plan["tile"]:
            products.append(Grouped(env, lengths, n, k, tile=tile))
    one = products[0].set()
    for product in products:
        bad, error, other, offsets = product.correct(one, options.launches)
        bad += product.hostile(one, offsets)
        env.failed += bool(bad)
        print(f"{name} {n} {k}, {len(lengths)} groups, {sum(lengths)} rows, tile {product.plan['tile']}: "
              f"error {error:.2e}, torch {other:.2e}: {'; '.join(bad) or 'right'}", flush=True)
    if options.correct or name == "ragged":
        return None
    sets = [one, products[0].set()]  # each far larger than L2
    return timed(env, name, products, sets)


def main():
    parser = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--lengths", default=os.path.join(here, "groups.txt"))
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--launches", type=int, default=100)
    parser.add_argument("--tiles", default="64,256,64 128,256,64")
    parser.add_argument("--correct", action="store_true", help="nothing is timed")
    parser.add_argument("--error", type=float, default=1.5)
    parser.add_argument("--json")
    parser.add_argument("name", nargs="*")
    parser.set_defaults(shapes=None)
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    env = peers.Environment(options)
    print(f"{torch.cuda.get_device_name(0)}, PyTorch {torch.__version__}, {options.rounds} rounds")
    rows = []
    for line in open(options.lengths):
        if line.startswith("#") or not line.strip():
            continue
        head, lengths = line.split(":")
        name, n, k = head.split()
        if not options.name or name in options.name:
            rows.append(line_of(env, name, int(n), int(k), [int(x) for x in lengths.split()], options))
            torch.cuda.empty_cache()
    if options.json:
        with open(options.json, "w") as out:
            json.dump([row for row in rows if row], out, indent=1)
    sys.exit(1 if env.failed else 0)


if __name__ == "__main__":
    main()
