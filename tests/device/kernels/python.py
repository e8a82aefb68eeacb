#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package on a Hopper GPU, beside PyTorch: plans that are launched on tensors, on streams, in a graph and by threads, with
groups, scales and epilogues; attention; rows that are moved; and maps of tensors, whose bytes are the driver's. It needs torch, cffi and
the package; NumPy is not asked for. Each line is a test."""
import ctypes
import math
import os
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


# ---- groups, scales, epilogues ---------------------------------------------------------------

EPILOGUE = """body biased
  matrix S f32
  matrix R bf16
  scalar alpha f32
  global bias f32
  index i
  index j
  R = bf16(S * alpha + load(bias, j + col, 264))
end
"""


def near(name, found, wanted, within=1e-2):
    off = ((found.float() - wanted.float()).abs().max() / wanted.float().abs().max()).item()
    told(name, off < within, f"off by {off:.1e}")


def made(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def groups():
    lengths = [100, 0, 57, 143]
    offsets = [0, 100, 100, 157, 300]
    plan = zlay.plan("sm_90a", 300, 264, 200, groups=4)
    a, w = made(300, 200), made(4, 264, 200)
    wanted = torch.cat([x.float() @ y.float().T for x, y in zip(a.split(lengths), w)])
    for name, given in (("offsets of the device", {"offsets": torch.tensor(offsets, dtype=torch.int32, device="cuda")}), ("offsets of the host",
                        {"offsets": offsets}), ("lengths of the host", {"lengths": torch.tensor(lengths)}), ("the same again", {"lengths": lengths})):
        d = torch.full((300, 264), 7.0, device="cuda", dtype=torch.bfloat16)
        plan.launch(a, w.mT, d, **given)
        near(f"groups of rows, {name}", d, wanted)
    d, work = torch.zeros_like(d), torch.full((plan.workspace + 255,), 7, dtype=torch.uint8, device="cuda")
    plan.launch(a, w.mT, d, offsets=offsets, workspace=work[-work.data_ptr() % 256:][:plan.workspace])
    near("groups of rows, in a workspace of the caller", d, wanted)
    biased, bias = zlay.plan("sm_90a", 300, 264, 200, groups=4, epilogue=EPILOGUE), made(264, dtype=torch.float32)
    biased.launch(a, w.mT, d, offsets=offsets, alpha=0.5, bias=bias)
    near("groups of rows with an epilogue", d, wanted * 0.5 + bias)
    plan = zlay.plan("sm_90a", 200, 264, 300, groups=4, ragged="k", a_order="col", b_order="row")
    a, b, d = made(300, 200), made(300, 264), torch.full((4, 200, 264), 7.0, device="cuda", dtype=torch.bfloat16)
    plan.launch(a.T, b, d, lengths=[104, 0, 56, 140])
    near("groups of K", d, torch.stack([x.float().T @ y.float() for x, y in zip(a.split([104, 0, 56, 140]), b.split([104, 0, 56, 140]))]))


def scales():
    f8 = torch.float8_e4m3fn
    a, w, sa, sb = made(256, 512, dtype=f8), made(384, 512, dtype=f8), torch.rand(4, 256, device="cuda"), torch.rand(3, 4, device="cuda")
    wide_a = a.float() * sa.T.repeat_interleave(128, 1)
    wide_w = w.float() * sb.repeat_interleave(128, 0).repeat_interleave(128, 1)
    for order in ("row", "col"):
        plan = zlay.plan("sm_90a", 256, 384, 512, a_type="e4m3", b_type="e4m3", d_type="bf16", d_order=order, a_scales="1x128", b_scales="128x128")
        d = torch.zeros(256, 384, device="cuda", dtype=torch.bfloat16) if order == "row" else torch.zeros(384, 256, device="cuda", dtype=torch.bfloat16).T
        plan.launch(a, w.T, d, a_scales=sa, b_scales=sb)
        near(f"scales, D {order}", d, wide_a @ wide_w.T)
    plan = zlay.plan("sm_90a", 256, 384, 512, a_type="e4m3", b_type="e4m3", d_type="e4m3", d_scales="1x128")
    d, sd = torch.zeros(256, 384, device="cuda", dtype=f8), torch.zeros(3, 256, device="cuda")
    plan.launch(a, w.T, d, d_scales=sd)
    near("scales of D", d.float() * sd.T.repeat_interleave(128, 1), a.float() @ w.float().T, 0.1)


# ---- attention ------------------------------------------------------------------------------

def softmaxed(q, k, v, causal=False, scale=None):
    """Of tensors [batch][row][head][element], in f32; and the log-sum-exp, [batch][head][row]."""
    q, k, v = (x.float().transpose(1, 2) for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        seen = torch.ones(scores.shape[-2:], device="cuda", dtype=torch.bool).tril(scores.shape[-1] - scores.shape[-2])
        scores = scores.masked_fill(~seen, -math.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2), scores.logsumexp(-1)


def attentions():
    for head, heads, kv_heads, queries, keys, fields, more in (
            (128, 4, 4, 512, 512, {"causal": True}, {}), (64, 8, 2, 300, 400, {"causal": True}, {"scale": 0.3}), (128, 2, 2, 100, 1000, {}, {}),
            (128, 8, 2, 1, 4096, {"splits": 4}, {}), (128, 4, 4, 100, 4096, {"splits": 8, "causal": True}, {})):
        plan = zlay.plan.attention("sm_90a", head, queries, keys, batch=2, heads=heads, kv_heads=kv_heads, lse=True, **fields)
        q, k, v = made(2, queries, heads, head), made(2, keys, kv_heads, head), made(2, keys, kv_heads, head)
        o, lse = torch.full_like(q, 7.0), torch.zeros(2, heads, (queries + 3) // 4 * 4, device="cuda")
        for _ in range(2):
            plan.launch(q, k, v, o, lse=lse, **more)
        wanted, sums = softmaxed(q, k, v, fields.get("causal", False), **more)
        near(f"attention of {queries} x {keys}, heads {heads} / {kv_heads} of {head}, {fields}", o, wanted)
        near("its log-sum-exp", lse[..., :queries], sums)
    lengths = [100, 0, 57, 143]
    plan = zlay.plan.attention("sm_90a", 128, 300, 300, heads=4, causal=True, sequences=4)
    q, k, v = (made(300, 4, 128) for _ in range(3))
    wanted = torch.cat([softmaxed(*(x[None] for x in each), True)[0][0] for each in zip(*(x.split(lengths) for x in (q, k, v)))])
    starts = torch.tensor([0, 100, 100, 157, 300], dtype=torch.int32, device="cuda")
    for name, given in (("the host", {"q_lengths": lengths}), ("the device", {"q_starts": starts}), ("the host again", {"q_lengths": lengths})):
        o = torch.full_like(q, 7.0)
        plan.launch(q, k, v, o, **given)
        near(f"packed sequences whose lengths {name} knows", o, wanted)
    sinks = zlay.plan.attention("sm_90a", 128, 256, 256, heads=2, sinks=True, soft_cap=True)
    q, k, v, o, s = made(1, 256, 2, 128), made(1, 256, 2, 128), made(1, 256, 2, 128), made(1, 256, 2, 128), made(2, dtype=torch.float32)
    sinks.launch(q, k, v, o, cap=5.0, sinks=s)
    scores = 5 * torch.tanh((q.float().transpose(1, 2) @ k.float().transpose(1, 2).mT) * 128 ** -0.5 / 5)
    weights = torch.cat([scores, s.view(1, 2, 1, 1).expand(1, 2, 256, 1)], -1).softmax(-1)[..., :-1]
    near("sinks and a soft cap", o, (weights @ v.float().transpose(1, 2)).transpose(1, 2))


# ---- rows -----------------------------------------------------------------------------------

def compiled(text):
    """The cubin of a kernel's text, by the NVRTC that torch has."""
    name = f"libnvrtc.so.{torch.version.cuda.split('.')[0]}"
    places = [os.path.join(place, *below) for place in sys.path for below in (("nvidia", "cuda_nvrtc", "lib"), ("nvidia", "cu13", "lib"), ("torch", "lib"))]
    nvrtc = ctypes.CDLL(next((path for path in (os.path.join(place, name) for place in places) if os.path.exists(path)), name))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 1)(b"--gpu-architecture=sm_90a")

    def must(status):
        assert status == 0, f"NVRTC: {status}"

    must(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"rows.cu", 0, None, None))
    must(nvrtc.nvrtcCompileProgram(program, 1, options))
    must(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)))
    image = ctypes.create_string_buffer(size.value)
    must(nvrtc.nvrtcGetCUBIN(program, image))
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return image.raw


def moves():
    lengths = [100, 0, 57, 143]
    offsets = torch.tensor([0, 100, 100, 157, 300], dtype=torch.int32, device="cuda")
    source = made(300, 33)
    room = [0, 128, 128, 192, 352]
    copy = zlay.plan.rows("copy", groups=4, source_rows=300, target_rows=352, row_bytes=66)
    copy.load(compiled(copy.text))
    target = torch.full((352, 33), 7.0, device="cuda", dtype=torch.bfloat16)
    copy.launch(target=target, source=source, target_offsets=room, source_offsets=offsets)
    wanted = torch.full_like(target, 7.0)
    for begin, part in zip(room, source.split(lengths)):
        wanted[begin:begin + len(part)] = part
    told("rows are copied to groups", torch.equal(target, wanted))
    join = zlay.plan.rows("concatenate", groups=4, target_rows=300, row_bytes=66)
    join.load(compiled(join.text))
    parts = [x.clone() for x in source.split(lengths)]
    target = torch.zeros(300, 33, device="cuda", dtype=torch.bfloat16)
    join.launch(target=target, sources=torch.tensor([x.data_ptr() or source.data_ptr() for x in parts], device="cuda"), offsets=offsets)
    told("tensors are joined", torch.equal(target, source))
    turn = zlay.plan.rows("transpose", source_rows=300, target_rows=33, element_bytes=2)
    turn.load(compiled(turn.text))
    target = torch.zeros(33, 300, device="cuda", dtype=torch.bfloat16)
    turn.launch(target=target, source=source)
    told("a matrix is transposed", torch.equal(target, source.T))


def images():
    x = torch.zeros(8, 16, 16, 64, device="cuda", dtype=torch.bfloat16)
    m = zlay.TensorMap.from_images(x, (-1, -1), (-1, -1), channels=64, pixels=128, swizzle="128B")
    room = ctypes.create_string_buffer(128 + 64)
    at = -ctypes.addressof(room) % 64  # where the driver writes
    extents, strides = (ctypes.c_uint64 * 4)(64, 16, 16, 8), (ctypes.c_uint64 * 3)(*(2 * n for n in (64, 16 * 64, 16 * 16 * 64)))
    corner, steps = (ctypes.c_int * 2)(-1, -1), (ctypes.c_uint32 * 4)(1, 1, 1, 1)
    status = ctypes.CDLL("libcuda.so.1").cuTensorMapEncodeIm2col(
        ctypes.c_void_p(ctypes.addressof(room) + at), 9, 4, ctypes.c_void_p(x.data_ptr()), extents, strides, corner, corner, 64, 128, steps, 0, 3,
        m._map.l2, 0)
    told("a map of images is the driver's", m.legal and not status and bytes(m) == room.raw[at:at + 128], f"status {status}")


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
    fa, (q, k, v, o) = zlay.plan.attention("sm_90a", 128, 4096, 4096, batch=2, heads=16, causal=True), (made(2, 4096, 16, 128) for _ in range(4))
    fa.launch(q, k, v, o)
    turned = [x.transpose(1, 2) for x in (q, k, v)]
    near("attention as torch's", o, torch.nn.functional.scaled_dot_product_attention(*turned, is_causal=True).transpose(1, 2), 2e-2)
    ours = milliseconds(lambda: fa.launch(q, k, v, o))
    theirs = milliseconds(lambda: torch.nn.functional.scaled_dot_product_attention(*turned, is_causal=True))
    flops = 2 * 16 * 4096**2 * 128 * 2 / 1e9
    print(f"# causal attention, 2 x 16 heads of 128, 4096: {flops / ours:.0f} TFLOP/s, torch {flops / theirs:.0f}")
    small = zlay.plan("sm_90a", 256, 256, 64)
    a, w, d = operands(256, 256, 64, "bf16", "bf16")
    small.launch(a, w.T, d)
    for name, call in (("zlay", lambda: small.launch(a, w.T, d)), ("torch", lambda: torch.mm(a, w.T, out=d))):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(500):
            call()
        print(f"# a launch of 256 x 256 x 64 takes the host {(time.perf_counter() - start) * 2e3:.1f} us by {name}")


for part in (products, graph, threads, groups, scales, attentions, moves, maps, images, refusals, speed):
    part()
sys.exit(1 if failed else 0)
