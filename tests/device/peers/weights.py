# SPDX-License-Identifier: Apache-2.0
"""Products with weights of 4 or 8 bits as contestants."""
import ctypes
import math

import torch
import torch.nn.functional as functional

from products import Product, drawn
from rig import BITS, buffer_of, contest, sets_for


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
