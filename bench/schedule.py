#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Modulo schedules beside CP-SAT of OR-Tools: the loops of examples/loops, and random loops of 8 to 24 operations. CP-SAT is asked what
zlay is asked: the least interval from the same lower bound on, then the fewest stages. Times are of one thread each: the best of
seven lines to `zlay batch`, and the seconds inside CP-SAT's solver; a ratio is CP-SAT's time over zlay's. Usage: bench/schedule.py ZLAY [LOOPS]; wants the PyPI package ortools."""
import glob
import json
import os
import random
import statistics
import subprocess
import sys
import time

from ortools.sat.python import cp_model


def expanded(r):
    """Operations and edges of all copies."""
    copies = r.get("copies", 1)
    name = lambda n, c: f"{n}.{c}" if c else n
    ops = {name(o["name"], c): o for c in range(copies) for o in r["ops"]}
    edges = [(name(e["from"], c), name(e["to"], c), e["distance"], e.get("latency", ops[e["from"]]["latency"])) for c in range(copies) for e in r["edges"]]
    values = [(name(v["def"], c), [name(u, c) for u in v["uses"]], v["bytes"], v["space"]) for c in range(copies) for v in r.get("values", [])]
    return ops, edges, values


def solve(r, ii, most=40, limit=60):
    """The fewest stages at this interval and the solver's seconds: None where there is no schedule, False at the limit of seconds."""
    ops, edges, values = expanded(r)
    m = cp_model.CpModel()
    row = {n: m.NewIntVar(0, ii - 1, n) for n in ops}
    turn = {n: m.NewIntVar(0, most, n) for n in ops}
    start = {n: row[n] + ii * turn[n] for n in ops}
    for a, b, distance, latency in edges:
        m.Add(start[b] + distance * ii >= start[a] + latency)
    for unit, count in r["units"].items():
        intervals, whole = [], 0
        for n, o in ops.items():
            if o["unit"] != unit or not o["cycles"]:
                continue
            whole += o["cycles"] // ii
            arc = o["cycles"] % ii
            intervals += [m.NewFixedSizeIntervalVar(row[n] + k * ii, arc, f"{n} {k}") for k in range(2) if arc]
        if whole > count:
            return None, 0
        m.AddCumulative(intervals, [1] * len(intervals), count - whole)
    taken = {space: [] for space in r.get("capacity", {})}
    distance_of = lambda a, b: max([d for f, t, d, _ in edges if f == a and t == b], default=0)
    for i, (define, uses, size, space) in enumerate(values):
        depth = m.NewIntVar(1, most + 8, f"depth {i}")
        m.Add(depth * ii >= ops[define]["cycles"])
        for u in uses:
            m.Add(depth * ii >= start[u] + distance_of(define, u) * ii + ops[u]["cycles"] - start[define])
        taken[space].append(size * depth)
    for space, parts in taken.items():
        m.Add(sum(parts) <= r["capacity"][space])
    last = m.NewIntVar(0, most, "last")
    m.AddMaxEquality(last, list(turn.values()))
    m.Minimize(last)
    s = cp_model.CpSolver()
    s.parameters.num_workers = 1
    s.parameters.max_time_in_seconds = limit
    status = s.Solve(m)
    stages = None if status == cp_model.INFEASIBLE else int(s.ObjectiveValue()) + 1 if status == cp_model.OPTIMAL else False
    return stages, s.WallTime()


def theirs(r, bound):
    ii, spent = bound, 0
    while True:
        stages, seconds = solve(r, ii)
        spent += seconds
        if stages is not None:
            return ii, stages, spent
        ii += 1


def ours(zlay, r):
    line = json.dumps({"op": "pipe.schedule", **r}) + "\n"
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        zlay.stdin.write(line)
        zlay.stdin.flush()
        answer = zlay.stdout.readline()
        times.append(time.perf_counter() - begin)
    return json.loads(answer)["ok"], min(times)


def drawn(rnd, count):
    units = {n: rnd.choice([1, 1, 2, 3]) for n in "pqrs"[:rnd.randint(1, 4)]}
    ops = []
    for i in range(count):
        cycles = rnd.randint(0, 4)
        ops.append({"name": f"o{i}", "unit": rnd.choice(list(units)), "cycles": cycles, "latency": cycles + rnd.randint(0, 4)})
    edges = [{"from": f"o{rnd.randrange(i)}", "to": f"o{i}", "distance": 0} for i in range(1, count) for _ in range(rnd.randint(1, 2))]
    edges += [{"from": f"o{rnd.randrange(count)}", "to": f"o{rnd.randrange(count)}", "distance": rnd.randint(1, 3)} for _ in range(rnd.randint(0, count // 3))]
    return {"ops": ops, "edges": edges, "units": units}


def compare(zlay, name, r):
    mine, took = ours(zlay, r)
    ii, stages, other = theirs(r, max(mine["unit_bound"], mine["cycle_bound"]))
    same = (ii, stages) == (mine["ii"], mine["stages"]) or not mine["optimal"] or stages is False
    print(f"{name:28} ii {mine['ii']:5} stages {mine['stages']:3} {'' if mine['optimal'] else 'not proved'} {took * 1e3:8.2f} ms; CP-SAT ii {ii} stages {stages} "
          f"{other * 1e3:9.1f} ms {other / took:8.1f}x{'' if same else '  DIFFERENT'}", flush=True)
    return other / took, same


def main():
    loops = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    zlay = subprocess.Popen([sys.argv[1], "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    rows = []
    for path in sorted(glob.glob("examples/loops/*.json")):
        with open(path) as file:
            rows.append(compare(zlay, os.path.basename(path)[:-5], json.load(file)))
    rnd = random.Random(7)
    for count in (8, 12, 16, 24):
        for i in range(loops):
            rows.append(compare(zlay, f"random, {count} operations, {i}", drawn(rnd, count)))
    print(f"geometric mean {statistics.geometric_mean(r for r, _ in rows):.1f}x, least {min(r for r, _ in rows):.1f}x; {sum(not s for _, s in rows)} different")
    zlay.stdin.close()
    return not all(s for _, s in rows)


if __name__ == "__main__":
    sys.exit(main())
