#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bytes of global memory and of L2 that io.gemm and io.attention predict, beside those that Nsight Compute counts of the kernels that
zlay plans and prints.

    python3 tests/device/hardware/dram.py [--zlay PROGRAM] [--ncu PROGRAM] [--json FILE] [--dry]

--dry prints the predictions alone, without a device.  ncu empties the caches before each kernel, so all compulsory bytes count; what L2
holds of the result when the kernel ends is not yet written, and not counted (`left` of the answers).  Status 1 where the
bytes read and written together are more than 10 % off.  Rows of HELD were not there when the model's share of L2 and its spread were
chosen (docs/io.md)."""
import argparse
import csv
import io
import json
import os
import subprocess
import sys

WITHIN = 0.10
READ, WRITE, LTS, TEX = METRICS = ("dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_bytes.sum", "lts__t_sectors_srcunit_tex.sum")
SECTOR = 32
GEMMS = (  # m, n, k, and fields of plan.gemm
    (2048, 2048, 2048, {}),
    (4096, 4096, 4096, {}),
    (8192, 8192, 8192, {}),
    (8192, 8192, 8192, {"band": 1}),
    (8192, 8192, 8192, {"band": 4}),
    (8192, 8192, 8192, {"band": 64}),
    (8192, 8192, 8192, {"tile": [128, 128, 64]}),
    (8192, 8192, 8192, {"a_type": "e4m3", "b_type": "e4m3"}),
    (16384, 16384, 2048, {"band": 1}),
    (16384, 16384, 8192, {}),
    (4096, 28672, 4096, {}),
    (64, 8192, 8192, {}),
    (12288, 4096, 1024, {}),
    (5000, 3000, 2000, {}),
)
ATTENTIONS = (  # head, batch, tokens, heads, heads of keys, causal
    (128, 1, 16384, 16, 16, False),
    (128, 1, 16384, 16, 16, True),
    (64, 4, 4096, 16, 16, False),
    (256, 2, 4096, 16, 16, True),
    (128, 2, 8192, 32, 8, True),
    (128, 8, 2048, 32, 32, False),
)

HELD_GEMMS = (
    (6144, 6144, 6144, {}),
    (8192, 8192, 4096, {"band": 8}),
    (3072, 16384, 8192, {}),
    (8192, 4096, 16384, {}),
    (16384, 1024, 4096, {}),
    (7168, 7168, 7168, {"a_type": "e4m3", "b_type": "e4m3"}),
    (2048, 32768, 2048, {}),
    (1024, 8192, 28672, {}),
)
HELD_ATTENTIONS = (
    (128, 1, 8192, 64, 8, True),
    (64, 2, 16384, 8, 8, False),
    (128, 4, 4096, 32, 4, False),
    (256, 1, 8192, 8, 8, False),
)


def gemm_name(m, n, k, more):
    return f"gemm {m}x{n}x{k}" + "".join(f" {name}={value}" for name, value in more.items())


def attention_name(head, batch, tokens, heads, kv_heads, causal):
    return f"attention d={head} {batch}x{tokens}x{heads}/{kv_heads}{' causal' if causal else ''}"


class Batch:
    def __init__(self, program):
        self.run = subprocess.Popen([program, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, **request):
        self.run.stdin.write(json.dumps(request) + "\n")
        self.run.stdin.flush()
        answer = json.loads(self.run.stdout.readline())
        if "ok" not in answer:
            raise ValueError(f"{request}: {answer}")
        return answer["ok"]


def predictions(batch, machine, held=False):
    """Of each kernel its name, the tile that zlay plans, and what io.* says of this tile in the order of the kernel."""
    for m, n, k, more in HELD_GEMMS if held else GEMMS:
        plan = batch.ask(op="plan.gemm", target="sm_90a", m=m, n=n, k=k, **more)
        tile_m, tile_n, tile_k = plan["tile"]
        types = {x: more[x] for x in ("a_type", "b_type") if x in more}
        said = batch.ask(op="io.gemm", target="sm_90a", m=m, n=n, k=k, tile_m=tile_m, tile_n=tile_n, tile_k=tile_k, band=plan["band"],
                         **types, **machine)
        yield gemm_name(m, n, k, more), plan["tile"], said
    for head, batch_size, tokens, heads, kv_heads, causal in HELD_ATTENTIONS if held else ATTENTIONS:
        ask = {"head": head, "queries": tokens, "keys": tokens, "batch": batch_size, "heads": heads, "kv_heads": kv_heads, "causal": causal}
        plan = batch.ask(op="plan.attention", target="sm_90a", **ask)
        said = batch.ask(op="io.attention", target="sm_90a", tile_m=plan["tile"][0], tile_n=plan["tile"][1], band=1 << 20, **ask, **machine)
        yield attention_name(*(head, batch_size, tokens, heads, kv_heads, causal)), plan["tile"], said


def launch_all(program, held):
    """Each kernel once; run below ncu."""
    import types

    import torch

    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers"))
    import attentions
    import peers
    import products
    torch.zeros(1, device="cuda")
    env = peers.Environment(types.SimpleNamespace(zlay=program, rounds=1, shapes="", error=0))

    def launch(one):
        one.by_zlay(one.set())
        torch.cuda.synchronize()

    for m, n, k, more in HELD_GEMMS if held else GEMMS:
        kinds = {x[0]: more[x] for x in ("a_type", "b_type") if x in more}
        launch(products.Product(env, m, n, k, **{**kinds, **{x: more[x] for x in more if x not in ("a_type", "b_type")}}))
    for head, batch, tokens, heads, kv_heads, causal in HELD_ATTENTIONS if held else ATTENTIONS:
        launch(attentions.Attention(env, head, batch, tokens, heads, causal, kv_heads))


def number(text):
    return float(text.replace(",", ""))


SCALE = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12, "sector": 1, "": 1}


def counted(options):
    """The metrics of the kernels in the order in which they ran."""
    command = [options.ncu, "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(METRICS),
               "--kernel-name", "regex:^(product|attention)$", "--clock-control", "none",
               sys.executable, os.path.abspath(__file__), "--zlay", options.zlay, "--launch", *(["--held"] if options.held else [])]
    run = subprocess.run(command, capture_output=True, text=True)
    text = run.stdout[run.stdout.find('"ID"'):]
    if run.returncode or '"ID"' not in run.stdout:
        sys.exit(f"{' '.join(command)}: status {run.returncode}\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}")
    rows = list(csv.DictReader(io.StringIO(text)))
    units, rows = rows[0], rows[1:]
    for row in rows:
        yield {metric: number(row[metric]) * SCALE[units[metric]] for metric in METRICS}


def report(name, tile, said, count):
    """Whether what was counted is within bounds; megabytes."""
    tensors, best = said["tensors"], said["best"]
    read = sum(t["read"] for t in tensors.values())
    written = sum(t["written"] - t["left"] for t in tensors.values())
    bound = said["hbm_bound"]["bytes"] - best["left"]
    line = f"{name:52} {'x'.join(map(str, tile)):11} read {read / 1e6:9.1f} written {written / 1e6:8.1f} L2 {best['l2'] / 1e6:10.1f} bound {bound / 1e6:8.1f}"
    if not count:
        print(line)
        return True
    ratio = (read + written) / (count[READ] + count[WRITE])
    print(f"{line} | counted {count[READ] / 1e6:9.1f} {count[WRITE] / 1e6:8.1f} L2 {count[TEX] * SECTOR / 1e6:10.1f} (lts {count[LTS] / 1e6:10.1f})"
          f" | {ratio:6.3f}, L2 {best['l2'] / (count[TEX] * SECTOR or 1):6.3f}", flush=True)
    return abs(ratio - 1) <= WITHIN


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--l2", type=int, help="bytes of L2 in the model")
    parser.add_argument("--json", help="write predicted and counted bytes there")
    parser.add_argument("--held", action="store_true", help="the rows of HELD")
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--launch", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.launch:
        launch_all(options.zlay, options.held)
        return 0
    said = list(predictions(Batch(options.zlay), {"l2": options.l2} if options.l2 else {}, options.held))
    counts = [None] * len(said) if options.dry else list(counted(options))
    if len(counts) != len(said):
        sys.exit(f"ncu counted {len(counts)} kernels of {len(said)}")
    good = [report(*one, count) for one, count in zip(said, counts)]
    if options.json:
        with open(options.json, "w") as out:
            json.dump([{"name": one[0], "tile": one[1], "said": one[2], "counted": count} for one, count in zip(said, counts)], out, indent=1)
    print(f"{sum(good)} of {len(good)} within {WITHIN:.0%}" if not options.dry else f"{len(good)} predictions")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
