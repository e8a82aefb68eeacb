# SPDX-License-Identifier: Apache-2.0
"""Products of groups whose rows are elements of K (docs/gemm.md, "Groups of rows of K"), as the gradients of the weights of experts.

    python3 tests/device/peers/wgrad.py [--zlay PROGRAM] [--lengths FILE] [--rounds 15] [--launches 100] [--correct] [NAME...]

Lengths are those of tests/device/peers/groups.txt, of which a line `NAME N K: rows` makes matrices of N x K for each group.  Each line is first
computed: errors against float64 beside torch's, memory beside D untouched, the same bits in each of --launches launches, offsets that
decrease, are negative or pass the rows.  Then it is timed as in peers.py, in one process, turn by turn, on N(0,1) data, beside
torch._grouped_mm and a cuBLAS call for each group.  TFLOP/s count the rows that there are.  Status 1 when a result is wrong."""
import argparse
import os
import random
import sys

import torch

import peers
import products
import rig

BESIDE, CANARY = 4096, 0x7fc1


class Gradients(products.Product):
    def __init__(self, env, lengths, m, n, **more):
        self.lengths, self.total = lengths, max(1, sum(lengths))
        super().__init__(env, m, n, self.total, "bf16", pitch_a=m, pitch_b=n, groups=len(lengths), ragged="k", a_order="col", b_order="row", **more)

    def set(self):
        a, b = (torch.randn(self.total, x, device="cuda").to(torch.bfloat16) for x in (self.m, self.n))
        count = len(self.lengths) * self.m * self.n
        whole = torch.full((count + 2 * BESIDE,), CANARY, device="cuda", dtype=torch.int16)
        ends = [sum(self.lengths[:i + 1]) for i in range(len(self.lengths))]
        one = {"a": a, "b": b, "whole": whole, "d": whole.view(torch.bfloat16)[BESIDE:BESIDE + count].view(len(self.lengths), self.m, self.n),
               "offsets": torch.tensor([0] + ends, device="cuda", dtype=torch.int32), "copies": []}
        one["ends"] = one["offsets"][1:].contiguous()
        one["workspace"] = torch.zeros(self.code["workspace"], device="cuda", dtype=torch.uint8)
        addresses = [one[x].data_ptr() for x in ("a", "b", "d")]
        one["values"] = [rig.buffer_of(self.env.zlay.map_bytes(self.plan["maps"][o], addresses[o])) for o in range(3)]
        one["values"] += [rig.buffer_of(x.to_bytes(8, "little")) for x in addresses + [one["offsets"].data_ptr(), one["workspace"].data_ptr()]]
        return one

    def by_torch(self, one):
        one["torch"] = torch._grouped_mm(one["a"].t(), one["b"], offs=one["ends"], out_dtype=torch.bfloat16)

    def by_calls(self, one):
        out, at = one.setdefault("calls", torch.zeros_like(one["d"])), 0
        for group, length in enumerate(self.lengths):
            if length:
                torch.matmul(one["a"][at:at + length].t(), one["b"][at:at + length], out=out[group])
            at += length

    def error(self, one, result, offsets):
        """The greatest error of groups over the greatest of their sums."""
        at, worst = min(max(offsets[0], 0), self.total), 0.0
        for group, offset in enumerate(offsets[1:]):
            end = min(max(offset, at), self.total)
            exact = one["a"][at:end].double().t() @ one["b"][at:end].double()
            scale = exact.abs().max().item() if end > at else 1
            error = (result[group].double() - exact).abs().max().item() / scale
            worst, at = max(worst, error if error == error else float("inf")), end
        return worst

    def run(self, one, offsets):
        one["offsets"].copy_(torch.tensor(offsets, dtype=torch.int32))
        one["whole"].fill_(CANARY)
        self.by_zlay(one)
        torch.cuda.synchronize()

    def correct(self, one, launches):
        right, draw, bad = one["offsets"].tolist(), random.Random(1), []
        self.run(one, right)
        error = self.error(one, one["d"], right)
        self.by_torch(one)
        other = self.error(one, one["torch"], right)
        bad += [f"error {error:.2e}, torch {other:.2e}"] if not error <= max(1.5 * other, 2 ** -8) else []
        first = one["whole"].clone()
        for _ in range(launches):
            self.by_zlay(one)
            bad += [] if torch.equal(first, one["whole"]) else ["another launch, other bits"]
        count, far = len(right), 2 ** 31 - 1
        tries = [right[::-1], [far] * count, [-far - 1] * count, [draw.randrange(-self.total // 4, self.total * 5 // 4 + 1) for _ in right]]
        for number, given in enumerate(tries):
            self.run(one, given)
            hostile = self.error(one, one["d"], given)
            bad += [f"hostile {number}: error {hostile:.2e}"] if not hostile <= 2 ** -8 else []
        self.run(one, right)
        beside = torch.cat([one["whole"][:BESIDE], one["whole"][-BESIDE:]])
        bad += ["memory beside D"] if (beside != CANARY).any() else []
        bad += ["the counter of tiles is not 0 again"] if one["workspace"].any() else []
        return bad, error, other


def line_of(env, name, m, n, lengths, options):
    product = Gradients(env, lengths, m, n)
    one = product.set()
    bad, error, other = product.correct(one, options.launches)
    env.failed += bool(bad)
    print(f"{name} {m} {n}, {len(lengths)} groups, {sum(lengths)} rows, tile {product.plan['tile']}: error {error:.2e}, torch {other:.2e}: "
          f"{'; '.join(bad) or 'right'}", flush=True)
    if options.correct or name == "ragged":
        return
    sets = [one, product.set()]  # each far larger than L2
    times = rig.contest({"zlay": product.by_zlay, "torch._grouped_mm": product.by_torch, "a cuBLAS call a group": product.by_calls}, sets, env.rounds)
    for call, us in times.items():
        print(f"    {call:24} {us:10.2f} us {2 * sum(lengths) * m * n / us / 1e6:8.1f} TFLOP/s, its time over zlay's {us / times['zlay']:.3f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--lengths", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "groups.txt"))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--launches", type=int, default=100)
    parser.add_argument("--correct", action="store_true", help="nothing is timed")
    parser.add_argument("--error", type=float, default=1.5)
    parser.add_argument("name", nargs="*")
    parser.set_defaults(shapes=None)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    env = peers.Environment(options)
    print(f"{torch.cuda.get_device_name(0)}, PyTorch {torch.__version__}, {options.rounds} rounds")
    for line in open(options.lengths):
        if line.startswith("#") or not line.strip():
            continue
        head, lengths = line.split(":")
        name, m, n = head.split()
        if name in (options.name or ("ragged", "uniform", "exponential")):
            line_of(env, name, int(m), int(n), [int(x) for x in lengths.split()], options)
            torch.cuda.empty_cache()
    sys.exit(1 if env.failed else 0)


if __name__ == "__main__":
    main()
