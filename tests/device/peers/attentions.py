# SPDX-License-Identifier: Apache-2.0
"""Attention as a contestant: a plan's kernel, that of a pipe of operations alone, and PyTorch's."""
import ctypes
import math
import re

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from rig import BITS, buffer_of, contest, sets_for

WEIGHTS_E4M3 = 2 ** -4  # a weight has four significant bits


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
