# SPDX-License-Identifier: Apache-2.0
"""Measures what the planner of GEMMs by wgmma reckons with, and prints it as rows of src/synth/gemm/times.def.

    python3 tests/device/fit/calibrate.py [--zlay PROGRAM] [--rounds 20] > src/synth/gemm/times.def

A kernel runs for 0.2 s before it is timed, since the power that it draws sets its clock."""
import argparse
import datetime
import math
import os
import statistics
import subprocess
import sys
import types

import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers"))
import peers
import rig
from products import Product

ENDS = 4  # K steps that fill and epilogue of a tile add in the model (tile.c)
SIDE = 4096
ROWS = ("TILE", "PATH", "STORES", "LAUNCH", "COPY")
STEP = 64  # elements of bf16 in 128 bytes of K


def steady_us(env, call, sets):
    """Microseconds of a launch behind a fifth of a second of the same: the clock is what such kernels leave it."""
    first = rig.graph_of(call, sets, len(sets))
    rig.replay_us(first)
    launches = max(len(sets), math.ceil(5000 * len(sets) / rig.replay_us(first)))
    graph = rig.graph_of(call, sets, launches)
    times = [rig.replay_us(graph) / launches for _ in range(40 + env.rounds)]
    return statistics.median(times[40:])


def timed(env, products):
    """Microseconds of each of some products, by name."""
    times = {}
    for name, product in products.items():
        sets = [product.set() for _ in range(3)]
        times[name] = steady_us(env, product.by_zlay, sets)
    return times


def tile(env, m, n):
    """Of a matrix that has four or eight tiles for each processor: 3072 rows, and as many columns as that takes."""
    rows = 3072
    columns = n * env.processors * 512 // rows
    waves = 4 * 128 // m

    def step_ns(us, k):
        return us * 1000 / (waves * (math.ceil(k / STEP) + ENDS))

    us = timed(env, {(k, share): Product(env, rows, columns, k, tile=[m, n, STEP], multicast=share)
                     for k in (SIDE, SIDE + 8) for share in ("none", "b")})
    cells = []
    for share in ("none", "b"):
        step = step_ns(us[SIDE, share], SIDE)
        cells += [round(step), max(1, round(step_ns(us[SIDE + 8, share], SIDE + 8) - step))]
    print(f"TILE({m}, {n}, {', '.join(map(str, cells))})", flush=True)


def few(env, m, n):
    """Of a product that has a tile for each second processor, with columns of D as the rows of tiles; pairs are taken to be as fast."""
    us = timed(env, {k: Product(env, n, env.processors // 2 * m, k, tile=[m, n, STEP], swap="always") for k in (SIDE, SIDE + 8)})
    step, there = (us[k] * 1000 / (math.ceil(k / STEP) + ENDS) for k in us)
    cells = [round(step), max(1, round(there - step))]
    print(f"TILE({m}, {n}, {', '.join(map(str, cells + cells))})", flush=True)


def paths(env):
    """Percent of the time by tensor copies where threads load A and B: 8, 4 and 2 bytes at a time."""
    k = {"CP_ASYNC_8": 4100, "CP_ASYNC_4": 4098, "ELEMENTS": 4095}
    us = timed(env, {"": Product(env, SIDE, SIDE, SIDE), **{name: Product(env, SIDE, SIDE, k[name]) for name in k}})
    for name in k:
        print(f"PATH({name}, {round(100 * us[name] / us[''])})")


def stores(env):
    """Elements of D that the threads of a block store in a ns, by what an odd N costs more."""
    us = timed(env, {n: Product(env, SIDE, n, SIDE, tile=[128, 256, STEP]) for n in (SIDE, SIDE - 1)})
    waves = math.ceil(SIDE // 128 * (SIDE // 256) / env.processors)
    more = max(us[SIDE - 1] - us[SIDE], 0.1) * 1000 / waves
    print(f"STORES({round(128 * 256 / more)})")


def copies(env):
    """Nanoseconds of a launch in a graph, and bytes that a copy reads and writes in a ns."""
    def one(side):
        p = Product(env, side, side, side - 1, repack="always")
        copy, function = p.copies[0]
        sets = [p.set() for _ in range(4)]
        us = steady_us(env, lambda s: env.driver.launch(function, copy["grid"], copy["threads"], 0, s["copies"][0][2]), sets)
        return us, 2 * 2 * side * (side - 1)

    (small, _), (large, moved) = one(128), one(8192)
    print(f"LAUNCH({round(small * 1000)})")
    print(f"COPY({round(moved / (large - small) / 1000)})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    env = peers.Environment(types.SimpleNamespace(zlay=options.zlay, rounds=options.rounds, shapes="", error=1.5))
    device = torch.cuda.get_device_properties(0)
    env.processors = device.multi_processor_count
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
    print(f"""/* SPDX-License-Identifier: Apache-2.0 */
/* What the planner of GEMMs by wgmma reckons with, of bf16: written by `make device-calibrate`.
 * {device.name}, {device.multi_processor_count} multiprocessors, driver {driver or 'unknown'}, {datetime.date.today()}.
 * TILE(m, n, step, beside, step_shared, beside_shared): nanoseconds of a K step of 128 bytes in a tile, its share of fill
 * and epilogue included, and what it takes more where rows of A and B begin beside multiples of 32 bytes; the same of
 * blocks that share B in pairs. Tiles of 8 columns are those of `swap`, with one for each second processor. PATH(how, percent):
 * the time where threads load A and B, of that by tensor copies. STORES: elements of D that the threads of a block store in
 * a ns. LAUNCH: ns of a launch in a graph. COPY: bytes that a copy reads and writes in a ns. */""")
    for row in ROWS:
        print(f"#ifndef {row}\n#define {row}(...)\n#endif")
    for m in (64, 128):
        few(env, m, 8)
        for n in (64, 128, 192, 256):
            tile(env, m, n)
    paths(env)
    stores(env)
    copies(env)
    for row in ROWS:
        print(f"#undef {row}")


if __name__ == "__main__":
    main()
