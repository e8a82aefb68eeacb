# SPDX-License-Identifier: Apache-2.0
"""The constants of the planners' models of time: of GEMMs by wgmma, and of attention.

    python3 tests/device/fit/fit.py plan FILE [--zlay PROGRAM]      # anywhere: draws requests and candidates and prints kernels
    python3 tests/device/fit/fit.py run FILE --json TIMES           # on a GPU of the target, with ptxas and PyTorch: times them
    python3 tests/device/fit/fit.py keep TIMES... > tests/data/plan_times.txt   # the same, short
    python3 tests/device/fit/fit.py fit TIMES... [--write]          # anywhere: the rows FITTED(name, value); --write puts them where they belong
    python3 tests/device/fit/fit.py check TIMES... [--zlay PROGRAM] # anywhere: the rows, the program's times and its first choices

METHOD.  Times are those of the rounds that all candidates share.  Requests are drawn by their logarithms, of work that takes some 4 to 900 us; no shape of tests/device/fit/tune.py is among them.
Of each, the model's first candidates and others that are drawn are timed as tune.py says.  A constant is fitted by its logarithm: the
squares of the logarithms of modelled over measured times, by (best time / time)^1.5, since what is far from the best is never
chosen; 1.3 times as far where the model says less than was measured, since that is chosen in error; beyond 10 % a distance
counts by itself.  Times over twice the best one's teach nothing.  `fit` says on stderr the regret of tasks that were left out, a fifth
of them at a time (cross-validated): the time of the model's first choice over the best one's, less 1."""
import argparse
import json
import math
import os
import random
import sys

import least_squares
import tune
from fit_models import ROOT, Attention, Gemm, def_rows

MODELS = {"gemm": Gemm, "attention": Attention}
GEMMS, GEMM_EACH, GEMM_FIRST = 64, 50, 6
ATTENTIONS, ATTENTION_EACH, ATTENTION_FIRST = 26, 30, 2
POWER, BELOW, WIDTH, PULL, FAR = 1.5, 1.3, 0.1, 0.003, 2
FOLDS, CLOSE = 5, 0.05
SAME, ROUNDING, FOUND = 0.01, 1, 0.05  # of the program's time and this one's; of a constant, units or per cent; of one that a fit finds again
GONE = 0.05  # of the candidates that were timed: those that the program lists no more
LEAST = {"gemm": 64, "attention": 24}  # tasks of tests/data/plan_times.txt whose first choice is within 5 % of the best


# ---- requests -------------------------------------------------------------------------------------

def rounded(value, step):
    return max(step, round(value / step) * step)


def gemms_drawn(draw):
    while True:
        kind = draw.choice(["bf16"] * 6 + ["e4m3"])
        m, n, k = int(2 ** draw.uniform(0, 14)), int(2 ** draw.uniform(8, 14.5)), int(2 ** draw.uniform(8, 14))
        m = rounded(m, draw.choice([8, 64, 128])) if m > 64 else m
        n, k = rounded(n, draw.choice([64, 128, 128])), rounded(k, draw.choice([64, 128, 128]))
        us = max(2 * m * n * k / 600e6, 2 * (m * k + n * k + m * n) / 4e6)
        if 4 < us < 350 and (kind, m, n, k) not in tune.GEMMS:
            yield kind, m, n, k


def attentions_drawn(draw):
    while True:
        head, tokens = draw.choice([64, 64, 128, 128, 256]), int(2 ** draw.uniform(8, 14.3))
        tokens = rounded(tokens, 64) if draw.random() < 0.7 else tokens
        batch, heads, causal = draw.choice([1, 2, 4, 8, 16]), draw.choice([4, 8, 16, 24, 32]), draw.random() < 0.5
        shape = head, batch, tokens, heads, draw.choice([heads, heads, heads // 4]), causal
        us = 4 * tokens * tokens * head * heads * batch / (2 if causal else 1) / 500e6
        if 15 < us < 900 and shape not in tune.ATTENTIONS:
            yield shape


def plan(options):
    draw = random.Random(options.seed)

    def some(first, each):
        return lambda all: all[:first] + draw.sample(all[first:], max(0, min(len(all), each) - first))

    gemms = [shape for shape, _ in zip(gemms_drawn(draw), range(options.gemms))]
    attentions = [shape for shape, _ in zip(attentions_drawn(draw), range(options.attentions))]
    tasks = [(task, some(GEMM_FIRST, GEMM_EACH)) for task in tune.gemm_tasks(gemms)]
    tasks += [(task, some(ATTENTION_FIRST, ATTENTION_EACH)) for task in tune.attention_tasks(attentions)]
    tune.plans_write(tasks, options)


# ---- times ----------------------------------------------------------------------------------------

WORDS = {"multicast b": "pairs", "multicast a": "pairs", "swap always": "swap", "stream_k always": "stream", "overlap always": "overlap"}
REQUEST = {"gemm": ("a_type", "m", "n", "k"), "attention": ("head", "batch", "queries", "heads", "kv_heads", "causal")}


def words_of(what, name, stages):
    """The words of a candidate that tune.py calls so."""
    tile, *ways = name.split(", ")
    ways = [way for way in ways if not way.startswith("stages")] + [f"stages {stages}"]
    return [tile] + [WORDS.get(way, way.replace("split_k", "split").replace(" ", "=")) for way in ways]


def lines_of(path):
    """The lines of a text, or of what `run` writes: a task, and each of its candidates with its time in us."""
    with open(path) as file:
        if not path.endswith(".json"):
            yield from (line for line in file.read().splitlines() if line and line[0] != "#")
            return
        tasks = json.load(file)
    for task in tasks:
        what, request = task["what"], task["request"]
        yield " ".join([what] + [str(int(value) if isinstance(value, bool) else value) for value in (request[name] for name in REQUEST[what])])
        yield from (" ".join(words_of(what, c["name"], c["stages"]) + [f"{c['early']:.2f}"]) for c in task["candidates"] if c["early"])


def candidate_of(words):
    tile = [int(side) for side in words[0].split("x")]
    c = {"m": tile[0], "n": tile[1], "k": (tile + [0])[2], "stages": 1, "split": 1,
         **{way: way in words for way in ("pairs", "swap", "stream", "overlap")}}
    c.update({name: int(value) for name, value in (word.split("=") for word in words if "=" in word)})
    return c


def tasks_of(paths):
    """Tasks by what they are; each has its shape and its candidates, whose times in us are `us`."""
    found = {"gemm": [], "attention": []}
    for path in paths:
        for line in lines_of(path):
            what, *shape = words = line.split()
            if what in found:
                shape = [int(word) if word.isdigit() else word for word in shape]
                task = {"what": what, "shape": tuple(shape), "candidates": []}
                found[what].append(task)
            else:
                task["candidates"].append({**candidate_of(words[:-1]), "us": float(words[-1])})
    return found


# ---- the fit --------------------------------------------------------------------------------------

def prepare(model, tasks):
    for task in tasks:
        for c in task["candidates"]:
            c["features"] = model.features(task["shape"], c)
        task["candidates"] = [c for c in task["candidates"] if model.is_fitted(c["features"])]
        task["best"] = min(c["us"] for c in task["candidates"])


def fitted(model, tasks):
    """The constants that fit the times of tasks best, by name."""
    names = list(model.START)
    start = [math.log(model.START[name]) for name in names]
    rows = [(c["features"], math.log(1000 * c["us"]), (task["best"] / c["us"]) ** POWER)
            for task in tasks for c in task["candidates"] if c["us"] <= FAR * task["best"]]

    def residuals_of(x):
        values, ns, log = dict(zip(names, map(math.exp, x))), model.ns, math.log
        errors = [(log(ns(f, values)) - us, w) for f, us, w in rows]
        return [e * w if e > 0 else e * w * BELOW for e, w in errors] + [PULL * (a - b) for a, b in zip(x, start)]

    return {name: math.exp(x) for name, x in zip(names, least_squares.least(residuals_of, start, WIDTH))}


def regret_of(tasks, first_of):
    values = [first_of(task)["us"] / task["best"] - 1 for task in tasks]
    return sum(value <= CLOSE for value in values), len(values), sum(values) / len(values), max(values)


def said(what, name, regret):
    return f"{what}: {name}, the first choice is within 5 % of the best for {regret[0]} of {regret[1]}, mean regret {100 * regret[2]:.2f} %, most {100 * regret[3]:.1f} %"


def by_model(model, values):
    return lambda task: min(task["candidates"], key=lambda c: model.ns(c["features"], values))


def cross_validated(model, tasks):
    shapes = sorted({task["shape"] for task in tasks}, key=str)
    random.Random(3).shuffle(shapes)
    firsts = {}
    for fold in range(FOLDS):
        out = set(shapes[fold::FOLDS])
        choose = by_model(model, fitted(model, [task for task in tasks if task["shape"] not in out]))
        firsts.update({id(task): choose(task) for task in tasks if task["shape"] in out})
    return regret_of(tasks, lambda task: firsts[id(task)])


TEXT = """/* SPDX-License-Identifier: Apache-2.0 */
/* What the model of {of} reckons with: written by `python3 tests/device/fit/fit.py fit --write TIMES`, which says how, of
 * tests/data/plan_times.txt, times on an H200. docs/internals/times.md says what each constant is. */
#ifndef FITTED
#define FITTED(...)
#endif
{rows}
#undef FITTED
"""
OF = {"gemm": "GEMMs by wgmma", "attention": "attention by wgmma"}


def table_of(what, values):
    return TEXT.format(of=OF[what], rows="\n".join(f"FITTED({name}, {round(value)})" for name, value in values.items()))


def fit(options):
    for what, tasks in tasks_of(options.files).items():
        model = MODELS[what]()
        prepare(model, tasks)
        values = fitted(model, tasks)
        table = table_of(what, values)
        print(table, end="", flush=True)
        if options.write:
            with open(os.path.join(ROOT, model.TABLE), "w") as out:
                out.write(table)
        print(said(what, "fitted", regret_of(tasks, by_model(model, values))), file=sys.stderr, flush=True)
        print(said(what, "cross-validated", cross_validated(model, tasks)), file=sys.stderr, flush=True)


HEAD = """# Times in us of candidates on an H200, which tests/device/fit/fit.py draws, times and keeps so (words_of, REQUEST).
# A task: gemm TYPE M N K, or attention HEAD BATCH TOKENS HEADS KV_HEADS CAUSAL.  A candidate: its tile, what else it is, and its median."""


def keep(options):
    print(HEAD)
    for path in options.files:
        print("\n".join(lines_of(path)))


# ---- the program ----------------------------------------------------------------------------------

def request_of(task):
    """What asks the program for the candidates of a task."""
    r = {"target": tune.TARGET, **dict(zip(REQUEST[task["what"]], task["shape"]))}
    if task["what"] == "gemm":
        return {"op": "plan.candidates", **r, "b_type": r["a_type"], **tune.OPEN}
    return {"op": "attention.candidates", **r, "keys": r["queries"], "causal": bool(r["causal"])}


def key_of(c):
    return tuple(value for name, value in sorted(c.items()) if name not in ("us", "features", "place", "ns"))


def program_asked(zlay, tasks):
    """Gives each measured candidate its place in the program's list, and its time; leaves out what is none today."""
    for task, answer in zip(tasks, zlay.ask([request_of(task) for task in tasks])):
        listed = {}
        for place, c in enumerate(answer["ok"]["candidates"]):
            listed[key_of(candidate_of(words_of(task["what"], tune.said_of(c, task["what"]), c["stages"])))] = place, c["ns"]
        task["bound"] = answer["ok"]["bound"]["ns"]
        there = [c for c in task["candidates"] if key_of(c) in listed]
        task["gone"], task["candidates"] = len(task["candidates"]) - len(there), there
        for c in there:
            c["place"], c["ns"] = listed[key_of(c)]


def committed(model):
    return {name: int(value) for name, value in def_rows(model.TABLE, "FITTED")}


def check_constants(what, model, tasks, wrong):
    """That these times give the constants that are committed."""
    found, there = fitted(model, tasks), committed(model)
    if list(found) != list(there):
        wrong.append(f"{what}: the constants of {model.TABLE} are not {', '.join(found)}")
        return
    wrong += [f"{what}: {name} is {there[name]}, the fit says {value:.1f}" for name, value in found.items()
              if abs(value - there[name]) > max(ROUNDING, value * ROUNDING / 100)]


def check_recovery(what, model, tasks, wrong):
    """That times which the model itself says give the constants that it said them by, from where every fit starts."""
    values = committed(model)
    said_by = [{**task, "candidates": [{**c, "us": model.ns(c["features"], values) / 1000} for c in task["candidates"]]} for task in tasks]
    for task in said_by:
        task["best"] = min(c["us"] for c in task["candidates"])
    wrong += [f"{what}: {name} is {values[name]}, the fit finds {value:.1f} in the model's own times"
              for name, value in fitted(model, said_by).items() if abs(value - values[name]) > FOUND * values[name]]


def check_program(what, model, tasks, wrong):
    """That the program reckons as the model here does, that its first choices are as good as they were, and that nothing ran faster than its bound."""
    values, gone = committed(model), sum(task["gone"] for task in tasks)
    many = sum(len(task["candidates"]) for task in tasks)
    if gone > GONE * (many + gone):
        wrong.append(f"{what}: the program lists {gone} of {many + gone} candidates no more")
    wrong += [f"{what} {task['shape']}: measured {task['best']} us, and the bound is {task['bound']} ns" for task in tasks if task["bound"] > 1000 * task["best"]]
    for task in tasks:
        for c in task["candidates"]:
            ns = model.ns(c["features"], values)
            if abs(ns - c["ns"]) > SAME * ns:
                wrong.append(f"{what} {task['shape']}: {key_of(c)}: the program says {c['ns']} ns, the model here {ns:.0f}")
    regret = regret_of(tasks, lambda task: min(task["candidates"], key=lambda c: c["place"]))
    print("# " + said(what, "the program", regret))
    if regret[0] < LEAST[what]:
        wrong.append(f"{what}: first choices within 5 % for {regret[0]} tasks, which were {LEAST[what]}")


def check(options):
    wrong, zlay = [], tune.Zlay(options.zlay)
    for what, tasks in tasks_of(options.files).items():
        model = MODELS[what]()
        prepare(model, tasks)
        check_constants(what, model, tasks, wrong)
        check_recovery(what, model, tasks, wrong)
        program_asked(zlay, tasks)
        check_program(what, model, tasks, wrong)
    print("".join(f"{line}\n" for line in wrong[:20]), end="")
    sys.exit(1 if wrong else 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["plan", "run", "keep", "fit", "check"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--zlay", default="build/zlay")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--json")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gemms", type=int, default=GEMMS)
    parser.add_argument("--attentions", type=int, default=ATTENTIONS)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.file = options.files[0]
    {"plan": plan, "run": tune.run, "keep": keep, "fit": fit, "check": check}[options.what](options)


if __name__ == "__main__":
    main()
