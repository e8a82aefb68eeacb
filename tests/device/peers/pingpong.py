#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GEMMs by ping-pong beside zlay's plan and torch: two warpgroups take tiles by turns, so that one stores while the other multiplies.
Block b computes rows 64 b to 64 b + 63, tile after tile.    python3 tests/device/peers/pingpong.py ZLAY   (docs/performance.md)"""
import sys
import types

import torch

import peers
import products
import rig

ROWS, BLOCKS, SHAPES = 64, 132, ((4096, 4096), (8192, 2048), (8192, 1024), (16384, 512), (16384, 256), (16384, 128))
TILES = ((256, 4), (128, 7))  # columns, stages


def consumer(c, buf, s):
    par = "(t / 2 + 1) % 2" if c == 0 else "t / 2 % 2"
    return f"""role {("even", "odd")[c]} warps {4 + 4 * c}..{7 + 4 * c}
  setmaxnreg inc 232
  for t in {c}..T step 2
    wait turn[t % 2] parity {par}
    wait full[t*N % {s}] parity t*N / {s} % 2
    fence wgmma
    mma A[t*N % {s}], B[t*N % {s}] -> C{c} fresh
    commit wgmma
    for i in t*N+1..t*N+N
      wait full[i % {s}] parity i / {s} % 2
      fence wgmma
      mma A[i % {s}], B[i % {s}] -> C{c}
      commit wgmma
      waitgroup wgmma 1
      arrive empty[(i - 1) % {s}] warps
    end
    arrive turn[(t + 1) % 2] threads
    waitgroup wgmma 0
    arrive empty[(t*N + N - 1) % {s}] warps
    use C{c}, R{c} body narrow
    waitgroup bulk.read 0
    sync role
    write {buf}[0] from R{c}
    fence proxy.async
    sync role
    store {buf}[0] tD
    commit bulk
  end
  waitgroup bulk 0
end
"""


def pipe(s, width):
    return f"""pipe pingpong
registers 168
param T 0..
param N 1..
move tA {64 * 128}
move tB {width * 128}
move tD {64 * width * 2}
smem A[{s}] tA
smem B[{s}] tB
smem D[1] tD
smem E[1] tD
bar full[{s}] count 1
bar empty[{s}] count 4
bar turn[2] count 128
body narrow
matrix S f32
matrix R bf16
R = bf16(S)
end
init full
init empty
init turn
fence mbarrier_init
sync cta
role producer warps 0..3 elect
  setmaxnreg dec 40
  for t in 0..T
    for i in t*N..t*N+N
      wait empty[i % {s}] parity (i / {s} + 1) % 2
      expect full[i % {s}] tA + tB
      arrive full[i % {s}]
      copy tensor tA -> A[i % {s}] signal full[i % {s}]
      copy tensor tB -> B[i % {s}] signal full[i % {s}]
    end
  end
end
""" + consumer(0, "D", s) + consumer(1, "E", s)


def request(m, n, k, stages, width):
    smem_d = f"Sw<3,3,3> o 0 o (64,(64,{width // 64})):(64,(1,4096))"
    moves = [{"name": "tA", "axis": ["block", "position % N"], "plan": {"type": "bf16", "source": f"({m},{k}):({k},1)", "tile": [64, 64], "smem": "Sw<3,3,3> o 0 o (64,64):(64,1)"}},
             {"name": "tB", "axis": ["t", "position % N"], "plan": {"type": "bf16", "source": f"({n},{k}):({k},1)", "tile": [width, 64], "smem": f"Sw<3,3,3> o 0 o ({width},64):(64,1)"}},
             {"name": "tD", "axis": ["block", "t"], "plan": {"type": "bf16", "source": f"({m},{n}):({n},1)", "tile": [64, width], "direction": "store", "smem": smem_d}}]
    operands = [{"smem": x, "type": "bf16", "major": "K", "swizzle": "128B", "layout": smem_d.split("o 0 o ")[1]} for x in "DE"]
    return {"op": "emit", "what": "pipe", "name": "product", "target": "sm_90a", "language": "ptx", "pipe": pipe(stages, width), "moves": moves, "operands": operands}


def bound(env, asked, code, tensors, counts):
    """The arguments of a launch."""
    maps = {move["name"]: env.zlay.ask(op="tensormap.synth", target="sm_90a", **move["plan"])["maps"][0] for move in asked["moves"]}
    values = []
    for argument in code["arguments"]:
        name = argument["name"].split("_")[1]
        if argument["type"] == "CUtensorMap":
            values.append(rig.buffer_of(env.zlay.map_bytes(maps[name], tensors[name[1].lower()].data_ptr())))
        else:
            values.append(rig.buffer_of(counts[name].to_bytes(4, "little")))
    return values


def contest(env, n, k):
    m = ROWS * BLOCKS
    product = products.Product(env, m, n, k)
    calls = {"plan, tile " + str(product.plan["tile"]): product.by_zlay, "torch": next(iter(product.peers().values()))}
    sets = [product.set() for _ in range(3)]
    for width, stages in TILES:
        asked = request(m, n, k, stages, width)
        code = env.zlay.ask(**asked)
        kernel = env.driver.load(code["text"], "product", code["smem"])
        for one in sets:
            one["by", width] = bound(env, asked, code, one, {"T": n // width, "N": k // 64})
        calls[f"ping-pong, tile [64, {width}, 64]"] = lambda s, kernel=kernel, code=code, width=width: env.driver.launch(
            kernel, (BLOCKS, 1, 1), code["threads"], code["smem"], s["by", width])
    for name, call in calls.items():
        sets[0]["d"].zero_()
        call(sets[0])
        torch.cuda.synchronize()
        error = product.error(sets[0], sets[0]["out" if name == "torch" else "d"])
        assert error < 2 ** -7, (name, error)
    times = rig.contest(calls, sets, env.rounds)
    ours = min(us for name, us in times.items() if name.startswith("plan"))
    for name, us in times.items():
        print(f"{m}x{n}x{k} {name:32} {us:9.2f} us {ours / us:.3f} of the plan's speed", flush=True)


def main():
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    env = peers.Environment(types.SimpleNamespace(zlay=sys.argv[1], rounds=15, shapes=None, error=1.5))
    for n, k in SHAPES:
        contest(env, n, k)


if __name__ == "__main__":
    main()
