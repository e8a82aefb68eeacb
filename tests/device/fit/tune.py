# SPDX-License-Identifier: Apache-2.0
"""The regret of the model's first choice: 20 tasks whose shapes calibrated nothing, each timed by all of its candidates.

    python3 tests/device/fit/tune.py plan FILE [--zlay PROGRAM]   # anywhere: plans and prints every candidate; no GPU
    python3 tests/device/fit/tune.py run FILE [--rounds 25]       # on a GPU of the target, with ptxas and PyTorch; zlay is not needed

Tasks are GEMMs and attention, whose requests leave open all that `plan.candidates` and `attention.candidates` list.
METHOD.  A time is the median of rounds; a round replays a CUDA graph that walks through sets of tensors larger than four L2s
together, on N(0,1) data, every candidate once, in an order drawn anew.  All candidates have 5 rounds; those with the 12 least medians
and the model's first 8 then have `--rounds` more, in which alone they are compared.  Regret is the time over the best one's, less 1.
Every candidate's result is compared with the product, or the attention, that PyTorch computes in float32, on rows that are drawn."""
import argparse
import concurrent.futures
import ctypes
import json
import lzma
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

TARGET = "sm_90a"
OPEN = {"multicast": "auto", "stream_k": "auto", "split_k": "auto", "swap": "auto"}
GEMMS = [("bf16", 5376, 6144, 6400), ("bf16", 7680, 2816, 3328), ("bf16", 5120, 3840, 4352), ("bf16", 1112, 1920, 1472),
         ("bf16", 1024, 6656, 832), ("bf16", 3, 13056, 5120), ("bf16", 14, 7296, 5632), ("bf16", 55, 4608, 4736),
         ("bf16", 112, 5376, 4992), ("bf16", 328, 4608, 13696), ("bf16", 320, 768, 13312), ("bf16", 9856, 2048, 768),
         ("f16", 2176, 3456, 3584), ("e4m3", 4864, 5888, 7936), ("e4m3", 88, 9728, 5120)]
ATTENTIONS = [(128, 2, 9024, 8, 8, True), (64, 2, 1632, 16, 16, False), (256, 2, 7744, 6, 6, True), (128, 6, 1456, 24, 4, False),
              (64, 3, 15616, 12, 12, True)]  # head, batch, tokens, heads, kv_heads, causal
L2 = 60 << 20
FIRST, FINAL = 8, 12
BASE = 1 << 30  # the address that maps are packed for


# ---- plans ----------------------------------------------------------------------------------------

class Zlay:
    """`zlay batch`, asked for many lines at once."""

    def __init__(self, program):
        self.program = program

    def ask(self, requests):
        said = subprocess.run([self.program, "batch"], input="".join(json.dumps(r) + "\n" for r in requests), capture_output=True, text=True, check=True)
        return [json.loads(line) for line in said.stdout.splitlines()]

    def maps(self, maps):
        """The 16 words of each map."""
        answers = self.ask([{"op": "tensormap.pack", "target": TARGET, "map": m} for m in maps])
        return [answer["ok"]["words"] for answer in answers]


def gemm_tasks(shapes):
    for kind, m, n, k in shapes:
        yield {"name": f"{kind} {m}x{n}x{k}", "what": "gemm", "request": {"m": m, "n": n, "k": k, "a_type": kind, "b_type": kind}}


def attention_tasks(shapes):
    for head, batch, tokens, heads, kv_heads, causal in shapes:
        yield {"name": f"attention d={head} {batch}x{tokens}, {heads}/{kv_heads} heads{', causal' if causal else ''}", "what": "attention",
               "request": {"head": head, "queries": tokens, "keys": tokens, "batch": batch, "heads": heads, "kv_heads": kv_heads, "causal": causal}}


FIXED = {"gemm": ("tile", "multicast", "swap", "stream_k", "split_k"), "attention": ("tile", "stages", "overlap")}


def said_of(candidate, what):
    own = {name: candidate[name] for name in FIXED[what]}
    words = ["x".join(map(str, own.pop("tile")))]
    words += [f"{name} {value}" for name, value in own.items() if value not in ("none", "never", 1)]
    return ", ".join(words)


def plan_task(zlay, task, some):
    """Plans and prints some candidates of a task."""
    what, request = task["what"], {"target": TARGET, **task["request"]}
    listing = {"op": "plan.candidates", **request, **OPEN} if what == "gemm" else {"op": "attention.candidates", **request}
    candidates = some(zlay.ask([listing])[0]["ok"]["candidates"])
    asked = [{**request, **{name: c[name] for name in FIXED[what]}} for c in candidates]
    plans = zlay.ask([{"op": f"plan.{what}", **a} for a in asked])
    codes = zlay.ask([{"op": "emit", "what": what, "name": "kernel", **a} for a in asked])
    task["candidates"], task["refused"] = [], []
    for c, plan, code in zip(candidates, plans, codes):
        if "ok" not in plan or "ok" not in code:
            task["refused"].append((said_of(c, what), (plan if "ok" not in plan else code).get("message") or str(plan if "ok" not in plan else code)[:200]))
            continue
        plan, code = plan["ok"], code["ok"]
        maps = [{**m, "address": BASE} for m in plan["maps"]] if what == "gemm" else \
               [{**m["map"], "address": BASE + m["map"].get("address", 0)} for m in plan["maps"]]
        kept = {"name": said_of(c, what), "ns": c["ns"], "stages": c["stages"], "text": code["text"], "smem": code["smem"], "threads": code["threads"],
                "arguments": [{"name": a["name"], "type": a["type"]} for a in code["arguments"]], "maps": maps}
        if what == "gemm":
            kept.update(cluster=plan["cluster"], clusters=plan["clusters"], swapped=plan["swapped"], stream=plan["stream_blocks"],
                        workspace=plan.get("workspace", 0))
        else:
            kept.update(grid=code["grid"], tiles=plan["tiles"], tensors=[m["tensor"] for m in plan["maps"]])
        task["candidates"].append(kept)
    words = zlay.maps([m for c in task["candidates"] for m in c["maps"]])
    for c in task["candidates"]:
        c["maps"] = [words.pop(0) for _ in c["maps"]]
    return task


def plan(options):
    plans_write([(task, list) for task in [*gemm_tasks(GEMMS), *attention_tasks(ATTENTIONS)]], options)


def plans_write(wanted, options):
    """Plans each task with those of its candidates that its function takes, and writes them all."""
    zlay = Zlay(options.zlay)
    tasks = []
    for task, some in wanted:
        begin = time.time()
        tasks.append(plan_task(zlay, task, some))
        print(f"{task['name']:50} {len(task['candidates']):4} candidates, {len(task['refused'])} refused, {time.time() - begin:.1f} s; "
              f"first {task['candidates'][0]['name']}, modelled {task['candidates'][0]['ns']} ns", flush=True)
        for name, why in task["refused"][:2]:
            print(f"    {name}: {why}")
    with lzma.open(options.file, "wt", preset=1) as out:
        json.dump(tasks, out)
    print(f"{options.file}: {os.path.getsize(options.file)} bytes")


# ---- the GPU ---------------------------------------------------------------------------------------

def compiled(text, number, folder):
    path = os.path.join(folder, str(number))
    with open(path + ".ptx", "w") as out:
        out.write(text)
    said = subprocess.run(["ptxas", f"-arch={TARGET}", path + ".ptx", "-o", path + ".cubin"], capture_output=True, text=True)
    if said.returncode:
        return None
    with open(path + ".cubin", "rb") as image:
        return image.read()


class Driver:
    def __init__(self, torch):
        self.lib, self.torch = ctypes.CDLL("libcuda.so.1"), torch

    def must(self, name, *arguments):
        result = getattr(self.lib, name)(*arguments)
        if result:
            raise RuntimeError(f"{name}: error {result}")

    def load(self, image, smem):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.must("cuModuleLoadData", ctypes.byref(module), image)
        self.must("cuModuleGetFunction", ctypes.byref(function), module, b"kernel")
        self.must("cuFuncSetAttribute", function, 8, smem)  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        return module, function

    def launch(self, c, values):
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        self.must("cuLaunchKernel", c["function"], *c["grid"], c["threads"], 1, 1, c["smem"],
                  ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream), pointers, None)


def buffer_of(data):
    """A parameter's bytes, aligned to 64 as a tensor map has to be."""
    raw = (ctypes.c_char * (len(data) + 64))()
    value = (ctypes.c_char * len(data)).from_buffer(raw, -ctypes.addressof(raw) % 64)
    value.raw = data
    value.keep = raw
    return value


def map_at(words, address):
    """The map packed for BASE, at another address: its first word."""
    numbers = [int(word, 16) for word in words]
    numbers[0] += address - BASE
    return b"".join(number.to_bytes(8, "little") for number in numbers)


class Gemm:
    def __init__(self, torch, request):
        self.torch, self.m, self.n, self.k, kind = torch, request["m"], request["n"], request["k"], request["a_type"]
        self.type = {"bf16": torch.bfloat16, "f16": torch.float16, "e4m3": torch.float8_e4m3fn}[kind]
        self.d_type = torch.bfloat16 if kind == "e4m3" else self.type
        self.bytes = (self.m + self.n) * self.k * self.type.itemsize + self.m * self.n * self.d_type.itemsize
        self.bound = 2 ** -7

    def set(self):
        draw = lambda rows: self.torch.randn(rows, self.k, device="cuda").to(self.type)
        return {"a": draw(self.m), "b": draw(self.n), "d": self.torch.zeros(self.m, self.n, device="cuda", dtype=self.d_type)}

    def prepare(self, c, processors):
        """A workspace has flags, which are 0 before and behind a launch, where another candidate's has sums: each has its own."""
        c["grid"] = (min(c["clusters"], processors // c["cluster"]) * c["cluster"], 1, 1)
        c["own"] = self.torch.zeros(max(1, c["workspace"]), device="cuda", dtype=self.torch.uint8)

    def values(self, c, one):
        addresses = [one[name].data_ptr() for name in "abd"]
        if c["swapped"]:
            addresses[0], addresses[1] = addresses[1], addresses[0]
        raw = [map_at(words, address) for words, address in zip(c["maps"], addresses)] + [a.to_bytes(8, "little") for a in addresses]
        raw += [c["own"].data_ptr().to_bytes(8, "little")] if c["stream"] else []
        return [buffer_of(data) for data in raw]

    def error(self, one):
        rows = self.torch.unique(self.torch.linspace(0, self.m - 1, min(self.m, 64), device="cuda").long())
        exact = one["a"][rows].float() @ one["b"].float().t()
        return ((one["d"][rows].float() - exact).abs().max() / exact.abs().max()).item()

    def clear(self, one):
        one["d"].zero_()


class Attention:
    def __init__(self, torch, r):
        self.torch, self.r, self.bound = torch, r, 2 ** -6
        self.shape = {"q": (r["batch"], r["queries"], r["heads"], r["head"]), "k": (r["batch"], r["keys"], r["kv_heads"], r["head"])}
        self.bytes = 4 * (math.prod(self.shape["q"]) + math.prod(self.shape["k"]))

    def set(self):
        draw = lambda x: self.torch.randn(*self.shape[x], device="cuda", dtype=self.torch.bfloat16)
        return {"q": draw("q"), "k": draw("k"), "v": draw("k"), "o": draw("q")}

    def prepare(self, c, processors):
        pass

    def values(self, c, one):
        maps = [map_at(words, one[tensor].data_ptr()) for words, tensor in zip(c["maps"], c["tensors"])]
        number = {"n_N": ctypes.c_int32(c["tiles"]), "x_keys": ctypes.c_int32(self.r["keys"]), "x_offset": ctypes.c_int32(0),
                  "x_scale": ctypes.c_float(math.log2(math.e) / math.sqrt(self.r["head"]))}
        return [buffer_of(maps.pop(0) if a["type"] == "CUtensorMap" else bytes(number[a["name"]])) for a in c["arguments"]]

    def error(self, one):
        torch, r = self.torch, self.r
        rows = torch.unique(torch.linspace(0, r["queries"] - 1, 64, device="cuda").long())
        b, h = r["batch"] - 1, r["heads"] - 1
        kv = h * r["kv_heads"] // r["heads"]
        scores = one["q"][b, rows, h].float() @ one["k"][b, :, kv].float().t() / math.sqrt(r["head"])
        if r["causal"]:
            scores.masked_fill_(torch.arange(r["keys"], device="cuda")[None, :] > rows[:, None], -math.inf)
        exact = scores.softmax(-1) @ one["v"][b, :, kv].float()
        return ((one["o"][b, rows, h].float() - exact).abs().max() / exact.abs().max()).item()

    def clear(self, one):
        one["o"].zero_()


class Clock:
    def __init__(self, torch, driver):
        self.torch, self.driver = torch, driver

    def graph(self, c, sets, launches):
        torch = self.torch
        values = [c["sets"][i % len(sets)] for i in range(launches)]
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for value in values:
                self.driver.launch(c, value)
        return graph, launches

    def us(self, graph, launches):
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1000 / launches

    def rounds(self, some, count, draw):
        for c in some:
            c["times"] = []
        for _ in range(count):
            for c in draw.sample(some, len(some)):
                c["times"].append(self.us(*c["graph"]))
        for c in some:
            c["us"] = statistics.median(c["times"])


def task_run(torch, driver, task, images, options):
    work = (Gemm if task["what"] == "gemm" else Attention)(torch, task["request"])
    processors, clock, draw = torch.cuda.get_device_properties(0).multi_processor_count, Clock(torch, driver), random.Random(1)
    sets = [work.set() for _ in range(max(2, min(24, 4 * L2 // work.bytes + 2)))]
    usable, wrong = [], []
    for place, (c, image) in enumerate(zip(task["candidates"], images)):
        c["place"] = place
        if image is None:
            wrong.append((c["name"], "ptxas refuses it"))
            continue
        work.prepare(c, processors)
        c["module"], c["function"] = driver.load(image, c["smem"])
        c["sets"] = [work.values(c, one) for one in sets]
        work.clear(sets[0])
        driver.launch(c, c["sets"][0])
        torch.cuda.synchronize()
        error = work.error(sets[0])
        if not error <= work.bound:
            wrong.append((c["name"], f"error {error:.2e}"))
            continue
        launches = max(len(sets), min(60, math.ceil(800 / max(1, (c["ns"] or 10000) / 1000))))
        c["graph"] = clock.graph(c, sets, launches)
        usable.append(c)
    for c in usable:
        clock.us(*c["graph"])
    clock.rounds(usable, 5, draw)
    for c in usable:
        c["early"] = c["us"]  # the board is hotter, and its clock lower, in the rounds that follow
    best = sorted(usable, key=lambda c: c["us"])[:FINAL]
    final = best + [c for c in usable if c["place"] < FIRST and c not in best]
    clock.rounds(final, options.rounds, draw)
    least = min(final, key=lambda c: c["us"])
    first = next((c for c in final if c["place"] == 0), None)
    eight = min((c for c in final if c["place"] < FIRST), key=lambda c: c["us"], default=None)
    for c in usable:
        del c["graph"], c["sets"]
        c.pop("own", None)
        driver.must("cuModuleUnload", c["module"])
    return {"task": task["name"], "timed": len(usable), "wrong": wrong, "least": least, "first": first, "eight": eight}


def run(options):
    import torch
    with lzma.open(options.file, "rt") as file:
        tasks = json.load(file)
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    properties = torch.cuda.get_device_properties(0)
    print(f"{properties.name}, {properties.multi_processor_count} multiprocessors, PyTorch {torch.__version__}, {options.rounds} rounds", flush=True)
    texts = [c["text"] for task in tasks for c in task["candidates"]]
    begin = time.time()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        images = list(pool.map(lambda i: compiled(texts[i], i, folder), range(len(texts))))
    print(f"{len(texts)} kernels by ptxas in {time.time() - begin:.0f} s, {images.count(None)} refused", flush=True)
    driver, rows = Driver(torch), []
    for task in tasks:
        count = len(task["candidates"])
        own, images = images[:count], images[count:]
        began = time.time()
        row = task_run(torch, driver, task, own, options)
        torch.cuda.empty_cache()
        rows.append(row)
        first, eight, least = row["first"], row["eight"], row["least"]
        regret = [100 * (c["us"] / least["us"] - 1) if c else math.nan for c in (first, eight)]
        row["regret"] = regret
        print(f"{row['task']:50} {row['timed']:4} timed  best {least['us']:9.2f} us (place {least['place']}: {least['name']})  "
              f"first {first['us'] if first else math.nan:9.2f} us ({first['name'] if first else 'not timed'}; modelled {(first['ns'] or 0) / 1000 if first else 0:.2f})  "
              f"regret {regret[0]:5.1f} %  of 8: {regret[1]:5.1f} % ({eight['name'] if eight else ''})  {time.time() - began:.1f} s", flush=True)
        for name, why in row["wrong"][:4]:
            print(f"    WRONG {name}: {why}; {len(row['wrong'])} in all", flush=True)
    for i, name in enumerate(("the first choice", f"the best of the first {FIRST}")):
        values = sorted(row["regret"][i] for row in rows)
        print(f"regret of {name}: median {statistics.median(values):.1f} %, most {values[-1]:.1f} %, within 5 %: {sum(v <= 5 for v in values)}, "
              f"within 1 %: {sum(v <= 1 for v in values)} of {len(values)}")
    if options.json:
        with open(options.json, "w") as out:
            json.dump([{"task": task["name"], "what": task["what"], "request": task["request"],
                        "candidates": [{k: c.get(k) for k in ("name", "stages", "ns", "us", "early")} for c in task["candidates"]]} for task in tasks], out)
    sys.exit(1 if any(row["wrong"] for row in rows) else 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["plan", "run"])
    parser.add_argument("file")
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--json")
    options = parser.parse_args()
    {"plan": plan, "run": run}[options.what](options)


if __name__ == "__main__":
    main()
