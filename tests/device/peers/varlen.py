# SPDX-License-Identifier: Apache-2.0
"""Attention of packed sequences (docs/attention.md, "Packed sequences") against torch's variable-length attention and against dense causal attention.

    python3 tests/device/peers/varlen.py [--zlay PROGRAM] [--lengths FILE] [--rounds 15] [--launches 100] [--correct] [--json FILE] [NAME...]

Lengths are lines `NAME HEADS KV_HEADS HEAD: tokens of each sequence` of tests/device/peers/sequences.txt; NAME takes lines of that name, by
default all.  First each line is computed once, causal and full: errors against float64 beside those of torch, the result untouched in all
rows that no sequence has and on both sides, results that do not depend on a neighbour which is NaN, the same bits in each of --launches
launches, and offsets that decrease, are negative or pass the rows: nothing is written but what they are taken for.  The counter of
claims is 0 behind each launch.
Then causal launches are timed as in peers.py, in one process, turn by turn, on N(0,1) data: zlay's kernel with a block for each processor, the same
with a block for each tile, zlay's kernel whose grid is that of the longest sequence, torch's, and dense causal attention of 8192, 6144 and 4096 tokens, of about as many tokens in all.
TFLOP/s count 2 * heads * head * (sum of tokens^2).  The model in varlen_model.py says what was expected.  Status 1 when a result is wrong."""
import argparse
import ctypes
import json
import math
import os
import random
import sys

import torch
from torch.nn.attention import SDPBackend

import attentions
import peers
import rig

BESIDE = 256  # rows of the result on either side that nothing may touch
CANARY = 0x7fc1
BOUND = 2 ** -6


def address_of(tensor_map, tensor):
    """Where the map begins: before the tensor, by rows that it has more (its address is then below 0, as 64 bits)."""
    return (tensor.data_ptr() + int(str(tensor_map["address"]), 0)) % 2 ** 64


class Packed:
    """One kernel for all sequences; `queries` and `keys` of the request are the sum of their tokens."""

    def __init__(self, env, lengths, heads, kv_heads, head, causal, longest=False):
        """longest: the grid is that of the longest sequence, the plan of `q_lengths` and `k_lengths`; else blocks are persistent."""
        self.env, self.lengths, self.heads, self.kv_heads, self.head, self.causal = env, lengths, heads, kv_heads, head, causal
        self.total = max(1, sum(lengths))
        most = max(1, max(lengths)) if longest else self.total
        request = {"target": "sm_90a", "head": head, "queries": most, "keys": most, "heads": heads, "kv_heads": kv_heads, "causal": causal}
        request.update({"batch": len(lengths), "q_lengths": "packed", "k_lengths": "packed"} if longest else {"sequences": len(lengths)})
        self.plan = env.zlay.ask(op="plan.attention", **request)
        self.code = env.zlay.ask(op="emit", what="attention", name="attention", **request)
        self.function = env.driver.load(self.code["text"], "attention", self.code["smem"])
        processors = torch.cuda.get_device_properties(0).multi_processor_count
        self.grid = self.code["grid"] if longest else (min(processors, self.code["grid"][0]), 1, 1)
        self.next_tile = torch.zeros(1, device="cuda", dtype=torch.int32)

    def set(self):
        q, k, v = (torch.randn(self.total, heads, self.head, device="cuda", dtype=torch.bfloat16)
                   for heads in (self.heads, self.kv_heads, self.kv_heads))
        whole = torch.full((self.total + 2 * BESIDE, self.heads, self.head), CANARY, device="cuda", dtype=torch.int16)
        starts = [sum(self.lengths[:i]) for i in range(len(self.lengths) + 1)]
        return {"q": q, "k": k, "v": v, "whole": whole, "o": whole.view(torch.bfloat16)[BESIDE:BESIDE + self.total],
                "starts": torch.tensor(starts, device="cuda", dtype=torch.int32)}

    def values(self, one):
        maps = [self.env.zlay.map_bytes(m["map"], address_of(m["map"], one[m["tensor"]])) for m in self.plan["maps"]]
        scalars = {"n_N": (self.plan["tiles"]).to_bytes(4, "little"),
                   "x_scale": bytes(ctypes.c_float(math.log2(math.e) / math.sqrt(self.head))),
                   "next_tile": self.next_tile.data_ptr().to_bytes(8, "little"),
                   "read_q_starts": one["starts"].data_ptr().to_bytes(8, "little"), "read_k_starts": one["starts"].data_ptr().to_bytes(8, "little")}
        return [rig.buffer_of(maps.pop(0) if a["type"] == "CUtensorMap" else scalars[a["name"]]) for a in self.code["arguments"]]

    def by_zlay(self, one):
        if self not in one:  # a set serves several plans
            one[self] = self.values(one)
        self.env.driver.launch(self.function, self.grid, self.code["threads"], self.code["smem"], one[self])

    def by_tiles(self, one):
        """A block for each tile that there may be."""
        self.env.driver.launch(self.function, self.code["grid"], self.code["threads"], self.code["smem"], one[self])

    def run(self, one, starts=None):
        if starts:
            one["starts"].copy_(torch.tensor(starts, dtype=torch.int32))
        one["whole"].fill_(CANARY)
        self.by_zlay(one)
        torch.cuda.synchronize()

    def exact(self, one, begin, end, row, h):
        """Rows `row` of a sequence, in float64."""
        kv = h * self.kv_heads // self.heads
        q, k, v = one["q"][begin:end, h][row].double(), one["k"][begin:end, kv].double(), one["v"][begin:end, kv].double()
        scores = q @ k.t() / math.sqrt(self.head)
        if self.causal:
            scores.masked_fill_(torch.arange(end - begin, device="cuda")[None, :] > row[:, None], -math.inf)
        return scores.softmax(-1) @ v

    def error(self, one, out, skip=()):
        """The greatest error of rows that are drawn of each sequence, over the greatest magnitude there, of two heads."""
        worst, starts = 0.0, one["starts"].tolist()
        for number, (begin, end) in enumerate(zip(starts, starts[1:])):
            if begin == end or number in skip:
                continue
            row = torch.unique(torch.cat([torch.linspace(0, end - begin - 1, min(48, end - begin)), torch.tensor([max(0, end - begin - 2.0)])]).long()).cuda()
            for h in {0, self.heads - 1}:
                exact = self.exact(one, begin, end, row, h)
                error = ((out[begin:end, h][row].double() - exact).abs().max() / exact.abs().max()).item()
                worst = max(worst, error if error == error else math.inf)
        return worst

    def touched(self, one, starts):
        """Elements outside of the sequences that are no longer the canary; rows inside of which an element still is."""
        left = one["whole"].clone()
        rows = left[BESIDE + starts[0]:BESIDE + starts[-1]]
        missed = int((rows == CANARY).all(-1).sum())
        rows.fill_(CANARY)
        return int((left != CANARY).sum()), missed

    def cuts(self, starts):
        """The offsets as the kernel bounds them."""
        at, cuts = 0, []
        for start in starts:
            at = min(max(start, at), self.total)
            cuts.append(at)
        return cuts

    def by_torch(self, one):
        most = max(self.lengths)
        one["torch"] = torch.ops.aten._flash_attention_forward(one["q"], one["k"], one["v"], one["starts"], one["starts"], most, most, 0.0,
                                                               self.causal, False)[0]

    def by_varlen(self, one):
        from torch.nn.attention.varlen import varlen_attn
        most = max(self.lengths)
        more = {"enable_gqa": True} if self.heads != self.kv_heads else {}
        try:
            one["torch"] = varlen_attn(one["q"], one["k"], one["v"], one["starts"], one["starts"], most, most, is_causal=self.causal, **more)
        except TypeError:  # later versions say causal by a window
            one["torch"] = varlen_attn(one["q"], one["k"], one["v"], one["starts"], one["starts"], most, most,
                                       window_size=(-1, 0) if self.causal else (-1, -1), **more)

    def peers(self, one):
        """Those of torch that run: name, call and error."""
        out = {}
        for name, call in (("torch flash, varlen", self.by_torch), ("torch varlen_attn", self.by_varlen)):
            try:
                call(one)
                torch.cuda.synchronize()
                out[name] = (call, self.error(one, one["torch"]))
            except (RuntimeError, ValueError, AttributeError, ImportError, TypeError) as refused:
                print(f"  {name} refuses: {(str(refused) or repr(refused)).splitlines()[0]}")
        return out

    def beside_nan(self, one):
        """Every other sequence is NaN: the results of the rest stay right."""
        starts, saved = one["starts"].tolist(), {x: one[x].clone() for x in "qkv"}
        spoiled = [i for i in range(len(self.lengths)) if i % 2]
        for i in spoiled:
            for x in "qkv":
                one[x][starts[i]:starts[i + 1]] = math.nan
        self.run(one)
        error = self.error(one, one["o"], spoiled)
        for x in "qkv":
            one[x].copy_(saved[x])
        return [] if error <= BOUND else [f"beside NaN: error {error:.2e}"]

    def hostile(self, one):
        draw, bad, right = random.Random(1), [], one["starts"].tolist()
        count, far = len(right), 2 ** 31 - 1
        tries = [right[::-1], [far] * count, [-far - 1] * count, [draw.choice([-far - 1, -1, 0, self.total, self.total + 1, far]) for _ in right]]
        tries += [[draw.randrange(-self.total // 4, self.total * 5 // 4 + 1) for _ in right] for _ in range(4)]
        for number, given in enumerate(tries):
            self.run(one, given)
            outside, missed = self.touched(one, self.cuts(given))
            bad += [f"hostile {number}: {outside} elements touched, {missed} rows missed"] if outside or missed else []
        self.run(one, right)
        return bad

    def correct(self, one, launches):
        self.run(one)
        error, (outside, missed) = self.error(one, one["o"]), self.touched(one, one["starts"].tolist())
        bad = [] if error <= BOUND else [f"error {error:.2e}"]
        bad += [f"{outside} elements touched, {missed} rows missed"] if outside or missed else []
        first = one["whole"].clone()
        for launch in range(launches + 1):  # the last with other blocks
            (self.by_zlay if launch < launches else self.by_tiles)(one)
            bad += [] if torch.equal(first, one["whole"]) else ["another launch, other bits"]
        bad += self.beside_nan(one) + self.hostile(one)
        return bad + ([f"the counter is {self.next_tile.item()}"] if self.next_tile.item() else []), error


def dense_calls(env, packed, sets):
    """Dense causal attention of about as many tokens; calls, and the TFLOP of each."""
    calls, flop = {}, {}
    for tokens in (8192, 6144, 4096):
        own = attentions.Attention(env, packed.head, max(1, round(packed.total / tokens)), tokens, packed.heads, True, packed.kv_heads)
        one = own.set()
        kinds = {"zlay": own.by_zlay, "cuDNN": own.by_torch(SDPBackend.CUDNN_ATTENTION)}
        for kind, call in kinds.items():
            name = f"dense {own.batch} x {tokens}, {kind}"
            try:
                call(one)
                torch.cuda.synchronize()
            except RuntimeError as refused:
                print(f"  {name} refuses: {str(refused).splitlines()[0]}")
                continue
            calls[name] = lambda _, call=call, one=one: call(one)
            flop[name] = 2 * own.batch * own.heads * own.head * tokens ** 2
    return calls, flop


def timed(env, name, packed, one):
    sets = [one, packed.set()]  # each far larger than L2
    longest = Packed(env, packed.lengths, packed.heads, packed.kv_heads, packed.head, True, longest=True)
    calls = {"zlay": packed.by_zlay, "zlay, a block a tile": packed.by_tiles, "zlay, grid of the longest": longest.by_zlay}
    calls.update({peer: call for peer, (call, _) in packed.peers(one).items()})
    useful = 2 * packed.heads * packed.head * sum(x * x for x in packed.lengths)
    flop = {call: useful for call in calls}
    more, of_dense = dense_calls(env, packed, sets)
    times = rig.contest({**calls, **more}, sets, env.rounds)
    flop.update(of_dense)
    rate = {call: flop[call] / us / 1e6 for call, us in times.items()}
    for call, us in times.items():
        print(f"    {call:28} {us:10.2f} us {rate[call]:8.1f} TFLOP/s, zlay's rate over its {rate['zlay'] / rate[call]:.3f}")
    return {"name": name, "heads": packed.heads, "kv_heads": packed.kv_heads, "head": packed.head, "times": times, "rate": rate}


def line_of(env, name, shape, lengths, options):
    heads, kv_heads, head = shape
    for causal in (False, True):
        packed = Packed(env, lengths, heads, kv_heads, head, causal)
        one = packed.set()
        bad, error = packed.correct(one, options.launches if causal else 2)
        other = max([e for _, e in packed.peers(one).values()], default=0)
        env.failed += bool(bad)
        print(f"{name}, {len(lengths)} sequences, {sum(lengths)} tokens, {heads}/{kv_heads} heads of {head}, {'causal' if causal else 'full'}, "
              f"tile {packed.plan['tile']}: error {error:.2e}, torch {other:.2e}: {'; '.join(bad) or 'right'}", flush=True)
    if options.correct or max(lengths) < 8000:
        return None
    return timed(env, name, packed, one)


def main():
    parser = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--lengths", default=os.path.join(here, "sequences.txt"))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--launches", type=int, default=100)
    parser.add_argument("--correct", action="store_true", help="nothing is timed")
    parser.add_argument("--error", type=float, default=1.5)
    parser.add_argument("--json")
    parser.add_argument("name", nargs="*")
    parser.set_defaults(shapes=None)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    env = peers.Environment(options)
    print(f"{torch.cuda.get_device_name(0)}, PyTorch {torch.__version__}, {options.rounds} rounds")
    rows = []
    for line in open(options.lengths):
        if line.startswith("#") or not line.strip():
            continue
        head, lengths = line.split(":")
        name, *shape = head.split()
        if not options.name or name in options.name:
            rows.append(line_of(env, name, [int(x) for x in shape], [int(x) for x in lengths.split()], options))
            torch.cuda.empty_cache()
    if options.json:
        with open(options.json, "w") as out:
            json.dump([row for row in rows if row], out, indent=1)
    sys.exit(1 if env.failed else 0)


if __name__ == "__main__":
    main()
