# SPDX-License-Identifier: Apache-2.0
"""Products of all kinds as contestants: zlay's kernel, its peers, and how far a result is from float64."""
import torch
import torch.nn.functional as functional

from rig import BITS, buffer_of, contest, sets_for

# bf16 and f16 are rounded once in D; sums of 8-bit floats have 14 bits in the tensor core; tf32 cuts 13 bits off each factor.
BOUNDS = {"bf16": 2 ** -8, "f16": 2 ** -10, "tf32": 2 ** -9, "e4m3": 2 ** -6, "e5m2": 2 ** -6, "s8": 0, "u8": 0}


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
