#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package on a Hopper GPU, beside PyTorch: plans that are launched on tensors, on streams, in a graph and by threads, and
maps of tensors, whose bytes are the driver's. It needs torch, cffi and the package; NumPy is not asked for. Each line is a test."""
import sys
import threading
import time

import torch

import zlay
from zlay.tensors import _dlpack, _interface, tensor

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
failed = []


def told(name, holds, note=""):
    print(f"{'ok' if holds else 'not ok'} - {name}{': ' if note else ''}{note}", flush=True)
    failed.extend([name] * (not holds))


def operands(m, n, k, type, d_type):
    """A, W of which B is the transpose, and a D that is not the answer."""
    make = lambda *shape: torch.randn(*shape, device="cuda", dtype=TYPES[type])
    return make(m, k), make(n, k), torch.full((m, n), 7.0, device="cuda", dtype=TYPES[d_type])


def error(d, a, w):
    """The greatest difference from the product in f32, as a part of the greatest element."""
    wanted = a.float() @ w.float().T
    return ((d.float() - wanted).abs().max() / wanted.abs().max()).item()


def products():
    for type, d_type in (("bf16", "bf16"), ("f16", "f16"), ("bf16", "f32")):
        for m, n, k in ((4096, 4096, 4096), (512, 768, 1024), (300, 264, 136), (257, 250, 130)):
            a, w, d = operands(m, n, k, type, d_type)
            plan = zlay.plan("sm_90a", m, n, k, type=type, d_type=d_type)
            stream = torch.cuda.Stream()
            torch.cuda.synchronize()
            with torch.cuda.stream(stream):
                plan.launch(a, w.T, d)
            stream.synchronize()
            off = error(d, a, w)
            told(f"{m} x {n} x {k} of {type} to {d_type}", off < 1e-2, f"off by {off:.1e}")


def graph():
    a, w, d = operands(512, 768, 1024, "bf16", "bf16")
    plan, recorded = zlay.plan("sm_90a", 512, 768, 1024), torch.cuda.CUDAGraph()
    plan.launch(a, w.T, d)  # loads the kernel
    torch.cuda.synchronize()
    d.zero_()
    with torch.cuda.graph(recorded):
        plan.launch(a, w.T, d)
    recorded.replay()
    torch.cuda.synchronize()
    told("a launch in a graph", error(d, a, w) < 1e-2)


def threads():
    right = []

    def work():
        stream, (a, w, d) = torch.cuda.Stream(), operands(512, 768, 1024, "bf16", "bf16")
        plan = zlay.plan("sm_90a", 512, 768, 1024)
        torch.cuda.synchronize()
        for _ in range(200):
            plan.launch(a, w.T, d, stream=stream)
        stream.synchronize()
        right.append(error(d, a, w) < 1e-2)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    told("four threads on four streams", right == [True] * 4)


def maps():
    for dtype, shape, box, swizzle in ((torch.bfloat16, (512, 1024), (64, 64), "128B"), (torch.float16, (8, 256, 64), (1, 64, 32), "64B"),
                                       (torch.float8_e4m3fn, (256, 512), (128, 128), "128B"), (torch.float32, (100, 64), (10, 32), "none")):
        x = torch.zeros(shape, device="cuda", dtype=dtype)
        m = zlay.TensorMap.from_tensor(x, box=box, swizzle=swizzle)
        told(f"a map of {dtype} is the driver's", m.legal and m.address == x.data_ptr() and bytes(m) == zlay.runtime.encode(m))
        if dtype in (torch.float16, torch.float32):
            told(f"{dtype} by the array interface", _interface(x.__cuda_array_interface__, None) == tensor(x))
        if dtype is not torch.float8_e4m3fn:
            told(f"{dtype} by DLPack", _dlpack(x) == tensor(x))


def refusals():
    a, w, d = operands(512, 768, 1024, "bf16", "bf16")
    plan = zlay.plan("sm_90a", 512, 768, 1024)
    for name, bad in (("a B that is not transposed", (a, w, d)), ("a D that is cut", (a, w.T, d[:, :100])), ("another type", (a.float(), w.T, d))):
        try:
            plan.launch(*bad)
            told(name, False)
        except zlay.Error as e:
            told(name, e.status == "EINVAL", e.message)


def speed():
    a, w, d = operands(4096, 4096, 4096, "bf16", "bf16")
    plan = zlay.plan("sm_90a", 4096, 4096, 4096)

    def milliseconds(call):
        for _ in range(5):
            call()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(50):
            call()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) / 50

    flops = 2 * 4096**3 / 1e9
    ours, theirs = milliseconds(lambda: plan.launch(a, w.T, d)), milliseconds(lambda: torch.mm(a, w.T, out=d))
    print(f"# 4096^3 of bf16: {flops / ours:.0f} TFLOP/s, torch {flops / theirs:.0f}")
    small = zlay.plan("sm_90a", 256, 256, 64)
    a, w, d = operands(256, 256, 64, "bf16", "bf16")
    small.launch(a, w.T, d)
    for name, call in (("zlay", lambda: small.launch(a, w.T, d)), ("torch", lambda: torch.mm(a, w.T, out=d))):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(500):
            call()
        print(f"# a launch of 256 x 256 x 64 takes the host {(time.perf_counter() - start) * 2e3:.1f} us by {name}")


for part in (products, graph, threads, maps, refusals, speed):
    part()
sys.exit(1 if failed else 0)
