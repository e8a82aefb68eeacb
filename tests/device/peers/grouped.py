# SPDX-License-Identifier: Apache-2.0
"""Products of groups of rows (docs/gemm.md, "Groups of rows") against torch's grouped products, the same kernel with groups padded to
128 rows, and dense products of as many rows.

    python3 tests/device/peers/grouped.py [--zlay PROGRAM] [--lengths FILE] [--rounds 30] [--launches 100] [--kinds "bf16 e4m3 ..."]
                                    [--tiles "128,256 ..."] [--json FILE] [NAME...]

Kinds: bf16; e4m3 without scales; rows, e4m3 with a factor of each row of A and of each column of B, an epilogue, as
torch._scaled_grouped_mm takes them; blocks, e4m3 with scales of 1x128 by 128x128. D is bf16.

Lengths are lines `NAME N K: rows of each group` of tests/device/peers/groups.txt; NAME takes lines of that name, by default all.
First each line is computed once: errors against float64 beside those of torch, D untouched in all rows that no group has and on both
sides, the same bits in each of --launches launches, and offsets that decrease, are negative or pass the rows: bounded as the plan says.
Then they are timed as in peers.py, in one process, turn by turn, on N(0,1) data.  TFLOP/s count the rows that there are.  torch has no
product with scales of blocks: beside one stands the time of its product with factors of rows and columns.
Status 1 when a result is wrong."""
import argparse
import json
import os
import random
import sys

import torch

import peers
import rig
from products import BOUNDS, Product, Scaled

BESIDE = 256  # rows of D on either side that nothing may touch
CANARY = 0x7fc1
PAD = 128  # rows of a tile, to which peers pad groups


class Grouped(Product):
    """One kernel for all groups; `m` of the request is the sum of their rows."""

    def __init__(self, env, lengths, n, k, kind="bf16", **more):
        self.lengths = lengths
        super().__init__(env, max(1, sum(lengths)), n, k, kind, groups=len(lengths), **more)

    def offsets(self, offsets):
        return torch.tensor(offsets, device="cuda", dtype=torch.int32)

    def operands(self):
        """A and B, and what the kernel has as further arguments, by their names."""
        kind = rig.BITS[self.a]
        a = torch.randn(self.m, self.k, device="cuda").to(kind)
        b = torch.empty(len(self.lengths), self.n, self.k, device="cuda", dtype=kind)
        for one in b:
            one.copy_(torch.randn(self.n, self.k, device="cuda"))
        return {"a": a, "b": b}

    def set(self, operands=None):
        whole = torch.full((self.m + 2 * BESIDE, self.n), CANARY, device="cuda", dtype=torch.int16)
        ends = [sum(self.lengths[:i + 1]) for i in range(len(self.lengths))]
        one = {**(operands or self.operands()), "whole": whole, "d": whole.view(torch.bfloat16)[BESIDE:BESIDE + self.m]}
        one["offsets"] = self.offsets([0] + ends)
        one["ends"] = one["offsets"][1:].contiguous()
        return one

    def padded(self, one, lengths):
        """The operands of a set with groups padded by zeros to these lengths."""
        def spread(rows, dim):
            shape = list(rows.shape)
            shape[dim] = sum(lengths)
            out, begin, at = torch.empty(shape, device="cuda", dtype=rows.dtype), 0, 0
            out.view(torch.uint8).zero_()
            for length, room in zip(self.lengths, lengths):
                out.narrow(dim, at, length).copy_(rows.narrow(dim, begin, length))
                begin, at = begin + length, at + room
            return out
        return {**{name: one[name] for name in ("b", *self.of_b)}, **{name: spread(one[name], dim) for name, dim in (("a", 0), *self.of_a)}}

    of_a, of_b = (), ()  # names of further arguments, those of A with the dimension that counts rows

    def by_zlay(self, one):
        if self not in one:  # a set serves products of several tiles, whose maps have other boxes
            addresses = [one[name].data_ptr() for name in ("a", "b", "d", "offsets")]
            if self.plan["swapped"]:
                addresses[:2] = addresses[1::-1]
            one["workspace", self] = workspace = torch.zeros(max(1, self.code.get("workspace", 0)), device="cuda", dtype=torch.uint8)
            more = [workspace if argument["name"] == "workspace" else one[argument["name"]] for argument in self.code["arguments"][7:]]
            one[self] = [rig.buffer_of(self.env.zlay.map_bytes(self.plan["maps"][o], addresses[o])) for o in range(3)]
            one[self] += [rig.buffer_of(address.to_bytes(8, "little")) for address in addresses + [each.data_ptr() for each in more]]
        self.env.driver.launch(self.function, self.grid, self.threads, self.smem, one[self])

    peer, bound = "torch._grouped_mm", 2 ** -8

    def by_torch(self, one):
        one["torch"] = torch._grouped_mm(one["a"], one["b"].transpose(-2, -1), offs=one["ends"])

    def exact(self, one, begin, end, group):
        return one["a"][begin:end].double() @ one["b"][group].double().t()

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
            exact = self.exact(one, begin, end, group)
            error = max(error, ((one["d"][begin:end].double() - exact).abs().max() / exact.abs().max()).item())
            error = float("inf") if error != error else error
            touched[BESIDE + begin:BESIDE + end] = CANARY
        return error, int((touched != CANARY).sum())

    def torch_error(self, one):
        cuts, error = self.cuts([0] + one["ends"].tolist()), 0.0
        for group, (begin, end) in enumerate(zip(cuts, cuts[1:])):
            if begin < end:
                exact = self.exact(one, begin, end, group)
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
        except (RuntimeError, ValueError, AttributeError, KeyError) as refused:
            if self.peer and not isinstance(refused, KeyError):
                print(f"  {self.peer} refuses: {str(refused).splitlines()[0][:120]}")
            other = 0
        bad = [] if error <= max(1.5 * other, self.bound) else [f"error {error:.2e}, torch {other:.2e}"]
        bad += [f"{touched} elements touched"] if touched else []
        first = one["whole"].clone()
        for _ in range(launches):
            self.by_zlay(one)
            bad += [] if torch.equal(first, one["whole"]) else ["another launch, other bits"]
        bad += ["the counter of tiles is not 0 again"] if one["workspace", self].any() else []
        return bad, error, other, offsets

    def hostile(self, one, offsets):
        draw, bad = random.Random(1), []
        count, far = len(offsets), 2 ** 31 - 1
        tries = [offsets[::-1], [far] * count, [-far - 1] * count, [draw.choice([-far - 1, -1, 0, self.m, self.m + 1, far]) for _ in offsets]]
        tries += [[draw.randrange(-self.m // 4, self.m * 5 // 4 + 1) for _ in offsets] for _ in range(4)]
        for number, given in enumerate(tries):
            self.run(one, given)
            error, touched = self.wrong(one, given)
            bad += [f"hostile {number}: error {error:.2e}, {touched} touched"] if touched or not error <= self.bound else []
        self.run(one, offsets)
        return bad + (["the counter of tiles is not 0 again"] if one["workspace", self].any() else [])


class Plain(Grouped):
    """e4m3 without scales."""
    peer, bound = None, BOUNDS["e4m3"]

    def __init__(self, env, lengths, n, k, **more):
        super().__init__(env, lengths, n, k, "e4m3", **more)

    def by_torch(self, one):
        raise ValueError("it has no product of e4m3 without scales")


class Rows(Grouped):
    """e4m3 with a factor of each row of A and of each column of B."""
    peer, bound = "torch._scaled_grouped_mm", BOUNDS["e4m3"]
    of_a, of_b = (("read_scale_a", 0),), ("read_scale_b",)

    def __init__(self, env, lengths, n, k, **more):
        m, limit = max(1, sum(lengths)), "" if n % 256 == 0 else f", {n * len(lengths)}"  # no tile passes the last column
        body = (f"body rows\n matrix S f32\n matrix R bf16\n global scale_a f32\n global scale_b f32\n index i\n index j\n index g\n"
                f" R = bf16(S * (load(scale_a, i + row, {m}) * load(scale_b, g * {n} + j + col{limit})))\nend\n")
        super().__init__(env, lengths, n, k, "e4m3", epilogue=body, **more)

    def operands(self):
        return {**Grouped.operands(self), "read_scale_a": torch.rand(self.m, device="cuda") + 0.5,
                "read_scale_b": torch.rand(len(self.lengths), self.n, device="cuda") + 0.5}

    def by_torch(self, one):
        one["torch"] = torch._scaled_grouped_mm(one["a"], one["b"].transpose(-2, -1), one["read_scale_a"], one["read_scale_b"], offs=one["ends"],
                                                out_dtype=torch.bfloat16, use_fast_accum=True)

    def exact(self, one, begin, end, group):
        factors = one["read_scale_a"][begin:end, None].double() * one["read_scale_b"][group].double()
        return Grouped.exact(self, one, begin, end, group) * factors


class Blocks(Grouped):
    """e4m3 with scales of 1x128 of A and 128x128 of B."""
    peer, bound = "torch._scaled_grouped_mm", BOUNDS["e4m3"]
    of_a, of_b = (("read_sa", 1), ("scale_a", 0)), ("read_sb", "scale_b")

    def __init__(self, env, lengths, n, k, **more):
        super().__init__(env, lengths, n, k, "e4m3", a_scales="1x128", b_scales="128x128", **more)

    def operands(self):
        blocks = -(-self.k // 128)
        return {**Grouped.operands(self), "read_sa": torch.rand(blocks, self.m, device="cuda") + 0.5,
                "read_sb": torch.rand(len(self.lengths), -(-self.n // 128), blocks, device="cuda") + 0.5,
                "scale_a": torch.ones(self.m, device="cuda"), "scale_b": torch.ones(len(self.lengths), self.n, device="cuda")}

    def by_torch(self, one):
        """Another product of the same elements: it has factors of rows and columns."""
        one["other"] = torch._scaled_grouped_mm(one["a"], one["b"].transpose(-2, -1), one["scale_a"], one["scale_b"], offs=one["ends"],
                                                out_dtype=torch.bfloat16, use_fast_accum=True)

    def exact(self, one, begin, end, group):
        of_a = one["read_sa"].t()[begin:end].repeat_interleave(128, 1)[:, :self.k]
        of_b = one["read_sb"][group].repeat_interleave(128, 0)[:self.n].repeat_interleave(128, 1)[:, :self.k]
        return (one["a"][begin:end].double() * of_a.double()) @ (one["b"][group].double() * of_b.double()).t()


KINDS = {"bf16": Grouped, "e4m3": Plain, "rows": Rows, "blocks": Blocks}


def dense(env, product, sets):
    """Dense products of as many rows by zlay and by torch, of the kind's elements, on matrices of their own."""
    if isinstance(product, Blocks):
        own = Scaled(env, product.m, product.n, product.k, "1x128", "128x128")
    else:
        own = Product(env, product.m, product.n, product.k, product.a)
    for one in sets:
        one["dense"] = own.set()
    calls = {"dense, zlay": lambda s: own.by_zlay(s["dense"])}
    for name, call in list(own.peers().items())[:1]:
        try:
            call(sets[0]["dense"])
            calls[f"dense, {name}"] = lambda s: call(s["dense"])
        except (RuntimeError, ValueError):
            pass
    return calls


def padded(env, product, sets, tile):
    """The same kernel with groups padded to 128 rows, and the bytes of A and D and of scales that take no part then."""
    lengths = [-(-length // PAD) * PAD for length in product.lengths]
    own = type(product)(env, lengths, product.n, product.k, tile=tile)
    for one in sets:
        one["padded"] = own.set(product.padded(one, lengths))
    row = product.k * rig.BITS[product.a].itemsize + 2 * product.n + (4 * -(-product.k // 128) if isinstance(product, Blocks) else 0)
    print(f"    padded to {PAD}: {sum(lengths)} rows for {sum(product.lengths)}, {(sum(lengths) - sum(product.lengths)) * row / 1e6:.1f} MB more")
    return {f"padded to {PAD}": lambda s: own.by_zlay(s["padded"])}


def timed(env, name, products, sets):
    first = products[0]
    calls = {f"zlay {'x'.join(map(str, p.plan['tile']))}": p.by_zlay for p in products}
    try:
        first.by_torch(sets[0])
        calls[first.peer] = first.by_torch
    except (RuntimeError, ValueError, AttributeError):
        pass
    calls.update(padded(env, first, sets, first.plan["tile"]))
    calls.update(dense(env, first, sets))
    times = rig.contest(calls, sets, env.rounds)
    ours = min(times[call] for call in times if call.startswith("zlay"))
    flop = 2 * sum(first.lengths) * first.n * first.k
    for call, us in times.items():
        print(f"    {call:24} {us:10.2f} us {flop / us / 1e6:8.1f} TFLOP/s, its time over the best of zlay's {us / ours:.3f}")
    return {"name": name, "times": times, "lengths": first.lengths, "n": first.n, "k": first.k}


def line_of(env, kind, name, n, k, lengths, options):
    if kind != "bf16":
        k = -(-k // 16) * 16  # rows of whole 16 bytes
    products = [KINDS[kind](env, lengths, n, k)]
    for tile in options.tiles.split():
        tile = [int(x) for x in tile.split(",")][:2] + [products[0].plan["tile"][2]]
        if tile == products[0].plan["tile"] or (kind == "blocks" and tile[1] > 128):
            continue
        products.append(KINDS[kind](env, lengths, n, k, tile=tile))
    one = products[0].set()
    for product in products:
        bad, error, other, offsets = product.correct(one, options.launches)
        bad += product.hostile(one, offsets)
        env.failed += bool(bad)
        print(f"{kind} {name} {n} {k}, {len(lengths)} groups, {sum(lengths)} rows, tile {product.plan['tile']}: "
              f"error {error:.2e}, torch {other:.2e}: {'; '.join(bad) or 'right'}", flush=True)
    if options.correct or name == "ragged":
        return None
    sets = [one, products[0].set()]  # each far larger than L2
    return {"kind": kind, **timed(env, name, products, sets)}


def main():
    parser = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--lengths", default=os.path.join(here, "groups.txt"))
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--launches", type=int, default=100)
    parser.add_argument("--tiles", default="64,256 128,256 64,128 128,128")
    parser.add_argument("--kinds", default="bf16 e4m3 rows blocks")
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
        for kind in options.kinds.split() if not options.name or name in options.name else []:
            rows.append(line_of(env, kind, name, int(n), int(k), [int(x) for x in lengths.split()], options))
            torch.cuda.empty_cache()
    if options.json:
        with open(options.json, "w") as out:
            json.dump([row for row in rows if row], out, indent=1)
    sys.exit(1 if env.failed else 0)


if __name__ == "__main__":
    main()
