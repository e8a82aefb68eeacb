# SPDX-License-Identifier: Apache-2.0
"""What scripts beside PyTorch stand on: zlay asked line by line, kernels by the driver, and times of contestants in turn."""
import ctypes
import json
import math
import random
import statistics
import subprocess

import torch

L2 = 60 << 20
SMEM = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
BITS = {"bf16": torch.bfloat16, "f16": torch.float16, "tf32": torch.float32, "f32": torch.float32,
        "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "s8": torch.int8, "u8": torch.uint8, "s32": torch.int32}


class Zlay:
    """One `zlay batch`, asked line by line."""

    def __init__(self, program):
        self.batch = subprocess.Popen([program, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, **request):
        self.batch.stdin.write(json.dumps(request) + "\n")
        self.batch.stdin.flush()
        answer = json.loads(self.batch.stdout.readline())
        if "ok" not in answer:
            raise ValueError(f"{request}: {answer.get('message')}")
        return answer["ok"]

    def map_bytes(self, tensor_map, address):
        words = self.ask(op="tensormap.pack", target="sm_90a", map={**tensor_map, "address": address})["words"]
        return b"".join(int(word, 16).to_bytes(8, "little") for word in words)


class Driver:
    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")

    def must(self, name, *arguments):
        result = getattr(self.lib, name)(*arguments)
        if result:
            raise RuntimeError(f"{name}: error {result}")

    def load(self, text, name, smem):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.must("cuModuleLoadData", ctypes.byref(module), text.encode())
        self.must("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        self.must("cuFuncSetAttribute", function, SMEM, smem)
        return function

    def launch(self, function, grid, threads, smem, values):
        """values: bytes of each parameter, kept alive by the caller."""
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        self.must("cuLaunchKernel", function, *grid, threads, 1, 1, smem,
                  ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), pointers, None)


def buffer_of(data):
    """A parameter's bytes, aligned to 64 as a tensor map has to be."""
    raw = (ctypes.c_char * (len(data) + 64))()
    skip = -ctypes.addressof(raw) % 64
    value = (ctypes.c_char * len(data)).from_buffer(raw, skip)
    value.raw = data
    value.keep = raw
    return value


# ---- time --------------------------------------------------------------------------------------

def graph_of(call, sets, launches):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for one in sets[:2]:
            call(one)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(launches):
            call(sets[i % len(sets)])
    return graph


def replay_us(graph):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000


def contest(calls, sets, rounds, round_us=2000):
    """Median microseconds of a launch by each of `calls`, a dict of functions of a set.  Each round has an order of its own, for a
    GPU at its power limit is faster behind a contestant that took less power, and none is to have that one before it always."""
    graphs = {}
    launches = {}
    for name, call in calls.items():
        first = graph_of(call, sets, len(sets))
        replay_us(first)
        one = replay_us(first) / len(sets)
        launches[name] = max(len(sets), min(400, math.ceil(round_us / one)))
        graphs[name] = graph_of(call, sets, launches[name])
    for _ in range(3):
        for graph in graphs.values():
            replay_us(graph)
    times = {name: [] for name in calls}
    order, draw = list(graphs), random.Random(1)
    for _ in range(rounds):
        draw.shuffle(order)
        for name in order:
            times[name].append(replay_us(graphs[name]) / launches[name])
    return {name: statistics.median(values) for name, values in times.items()}


def sets_for(bytes_of_one):
    return max(2, min(48, 4 * L2 // bytes_of_one + 2))
