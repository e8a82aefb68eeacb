# SPDX-License-Identifier: Apache-2.0
"""Results alone, at sizes that nothing divides: nothing is timed."""
import torch

from attentions import WEIGHTS_E4M3, Attention
from products import BOUNDS, Product, Quantised, Scaled
from weights import Weights

PAIRS = (("bf16", "bf16"), ("f16", "f16"), ("tf32", "tf32"), ("e4m3", "e4m3"), ("e5m2", "e4m3"), ("s8", "s8"), ("u8", "s8"))


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
