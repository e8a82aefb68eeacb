#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/checks/rooms.py BUILD: who may include whom, as tests/checks/rooms.list has it, against every include of src and
every symbol that an object of BUILD asks of another; the circles of files, against tests/checks/circles.list; and the folders of
tests.  Speaks TAP.  With `draw` it prints the table that is true now, with `circles` the calls of each circle that is in no list."""
import collections
import os
import re
import subprocess
import sys

build = sys.argv[1]
MOST = 33  # files of a folder
MOST_TESTS = 20
MOST_LINES = 600  # of a file of tests

rooms, may, knots, faces = [], {}, {}, {}
for line in open("tests/checks/rooms.list"):
    words = line.split("#")[0].split()
    if not words:
        continue
    if words[0] == "knot":
        knots[words[1], words[2]] = False
    elif words[0] == "face":
        faces.update((header, words[1]) for header in words[2:])
    else:
        rooms.append(words[0].rstrip(":"))
        may[rooms[-1]] = words[1:]


def room_of(path):
    """The room of a path below src/: the nearest folder that the table has."""
    folder = os.path.dirname(path)
    while folder and folder not in may:
        folder = os.path.dirname(folder)
    return folder


def sources(endings):
    for folder, _, files in os.walk("src"):
        for name in sorted(files):
            if name.endswith(endings):
                yield os.path.relpath(os.path.join(folder, name), "src")


def included():
    pattern = re.compile(r'^\s*#\s*include\s+(?:"([^"]+/[^"]+)"|<zlay/(\w+)\.h>)', re.M)
    for path in sources((".c", ".h", ".def")):
        for own, public in pattern.findall(open("src/" + path).read()):
            if public != "zlay":
                yield path, own or f"<zlay/{public}.h>", room_of(own) if own else faces.get(public, "?" + public)


def symbols():
    """Where each symbol is defined, and which file asks for which."""
    objects = [p[:-2] for p in sources((".c",)) if os.path.exists(f"{build}/{p[:-2]}.o")]
    listing = subprocess.run(["nm", "-A", "-g", *(f"{build}/{o}.o" for o in objects)], capture_output=True, text=True, check=True)
    where, asked = {}, []
    for line in listing.stdout.splitlines():
        path, rest = line.split(":", 1)
        name, words = os.path.relpath(path, build)[:-2], rest.split()
        if words[-2] == "U":
            asked.append((name, words[-1]))
        else:
            where[words[-1]] = name
    return where, asked


where, asked = symbols()


def called():
    for name, symbol in asked:
        if symbol in where:
            yield name, f"{where[symbol]} {symbol}", room_of(where[symbol])


def misplaced():
    """Functions that a header declares and another room defines; that of a room inside it may."""
    declares = re.compile(r"^(?!static)[a-z][\w *]*?\b(zl_\w+)\(", re.M)
    for header in sources((".h",)):
        for symbol in declares.findall(re.sub(r"/\*.*?\*/", "", open("src/" + header).read(), flags=re.S)):
            if symbol in where and not (room_of(where[symbol]) + "/").startswith(room_of(header) + "/"):
                yield f"{header}: {symbol}, which {where[symbol]}.c defines"


# ---- calls that enter a ctx -------------------------------------------------------------------

FACES = ("json", "cli", "runtime", "preload")  # rooms that call the library as its users do


def functions():
    """Every function: its file, its name, whether it is static, and the names that stand in its body."""
    blank = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
    whole = re.compile(r"^(static )?[a-z_][\w *]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", re.M | re.S)
    for path in sources((".c",)):
        for static, name, body in whole.findall(blank.sub("", open("src/" + path).read())):
            yield path, name, bool(static), set(re.findall(r"\b[a-z_]\w*", body))


def reentries():
    """Calls of public functions that enter the ctx, from inside the library: it has an internal form of each (zl_enter_part)."""
    every, enters, more = list(functions()), {"zl_enter", "zl_count_as_one"}, True
    while more:
        found = {(path, name) if static else name for path, name, static, body in every
                 if body & enters or any((path, b) in enters for b in body)}
        more, enters = not found <= enters, enters | found
    for path, name, _, body in every:
        if path.split("/")[0] not in FACES:
            yield from (f"{path}: {name} calls {b}" for b in sorted(body & enters) if b.startswith("zlay_") and b != name)


# ---- circles of files -----------------------------------------------------------------------


def circles(edges):
    """The strongly connected components of two files or more (Tarjan, with a stack of its own)."""
    index, low, stack, found = {}, {}, [], []
    for root in sorted(edges):
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        walk = [(root, iter(sorted(edges[root])))]
        while walk:
            at, rest = walk[-1]
            for to in rest:
                if to not in index:
                    index[to] = low[to] = len(index)
                    stack.append(to)
                    walk.append((to, iter(sorted(edges.get(to, ())))))
                    break
                if to in stack:
                    low[at] = min(low[at], index[to])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[at])
                if low[at] == index[at]:
                    part = set(stack[stack.index(at):])
                    del stack[stack.index(at):]
                    if len(part) > 1:
                        found.append(part)
    return found


def calls():
    edges = collections.defaultdict(set)
    for name, symbol in asked:
        if where.get(symbol, name) != name:
            edges[name].add(where[symbol])
    return edges


def includes():
    edges = collections.defaultdict(set)
    for path, what, _ in included():
        if os.path.exists("src/" + what):
            edges[path].add(what)
    return edges


def listed():
    """The circles of circles.list: files and the reason."""
    for line in open("tests/checks/circles.list"):
        if line.strip() and not line.startswith("#"):
            files, _, reason = line.partition("|")
            room, names = files.split(":")
            yield {f"{room.strip()}/{name}" for name in names.split()}, reason.strip()


def new_circles():
    return [part for part in circles(calls()) if not any(part <= files for files, _ in listed())]


def show_circles():
    edges = calls()
    for part in new_circles():
        print(*sorted(part))
        for name in sorted(part):
            for to in sorted(edges[name] & part):
                print("   ", name, "->", to + ":", *sorted({s for n, s in asked if n == name and where.get(s) == to}))


def forbidden(edges):
    for path, what, to in edges:
        room = room_of(path)
        if room == to or to in may.get(room, ()):
            continue
        if (room, to) in knots:
            knots[room, to] = True
        else:
            yield f"{path}: {what}"


# ---- tests ----------------------------------------------------------------------------------


def strange():
    """Folders of tests/device and tests/emit without a README, or with too many files."""
    for top in ("tests/device", "tests/emit"):
        for folder, _, files in os.walk(top):
            if not folder.endswith("__pycache__") and (len(files) > MOST_TESTS or "README.md" not in files):
                yield f"{folder}: {len(files)} files" + ("" if "README.md" in files else ", no README")


def long_tests():
    for folder, _, files in os.walk("tests"):
        for path in (f"{folder}/{name}" for name in files if name.endswith((".c", ".h", ".cu", ".cpp", ".py", ".sh"))):
            lines = sum(1 for _ in open(path))
            if lines > MOST_LINES:
                yield f"{path} {lines}"


def missing():
    """What READMEs of tests name, and is neither beside them nor at that path."""
    for folder, _, files in os.walk("tests"):
        if "README.md" in files:
            for name in re.findall(r"[\w./-]+\.(?:cu?|h|py|sh|def|txt|md)\b", open(f"{folder}/README.md").read()):
                if not os.path.exists(f"{folder}/{name}") and not os.path.exists(name):
                    yield f"{folder}/README.md: {name}"


def unnamed():
    """Folders of tests that are no room of src and that tests/README.md does not name."""
    text = open("tests/README.md").read()
    for name in sorted(os.listdir("tests")):
        if os.path.isdir(f"tests/{name}") and not os.path.isdir(f"src/{name}") and f"`{name}/`" not in text:
            yield name


number, failed = 0, False


def check(name, faults):
    global number, failed
    number, faults = number + 1, list(faults)
    print(f"{'not ok' if faults else 'ok'} {number} - {name}")
    for fault in faults[:30]:
        print("#", fault)
    failed = failed or bool(faults)


def draw():
    edges = collections.defaultdict(set)
    for path, _, to in [*included(), *called()]:
        if room_of(path) != to:
            edges[room_of(path)].add(to)
    for room in rooms:
        print(f"{room}:", *(r for r in rooms if r in edges[room] and rooms.index(r) < rooms.index(room)))
    for room in rooms:
        for to in rooms:
            if to in edges[room] and rooms.index(to) > rooms.index(room):
                print("knot", room, to)


if sys.argv[2:] == ["draw"]:
    draw()
    sys.exit()
if sys.argv[2:] == ["circles"]:
    show_circles()
    sys.exit()
folders = collections.Counter(os.path.dirname(p) for p in sources((".c", ".h", ".def")))
check("a room includes what the table lets it include", forbidden(included()))
check("a room calls what the table lets it call", forbidden(called()))
check("the table has no circle: a room may include rooms above it alone",
      [f"{r} {t}" for i, r in enumerate(rooms) for t in may[r] if t not in rooms[:i]])
check("no room stands in the table in vain", [r for r in rooms if not any(room_of(f + "/x") == r for f in folders)])
check("knots that are open still stand in the table, and those that are gone do not", [f"{a} {b}" for (a, b), used in knots.items() if not used])
check("every public header has its room", [h[:-2] for h in os.listdir("include/zlay") if h.endswith(".h") and h[:-2] not in faces and h != "zlay.h"])
check(f"no folder has more than {MOST} sources", [f"{f} {n}" for f, n in folders.items() if n > MOST])
check("every folder has a README", [f for f in folders if not os.path.exists(f"src/{f}/README.md")])
check(f"folders of tests/device and tests/emit have a README and at most {MOST_TESTS} files", strange())
check(f"no file of tests has more than {MOST_LINES} lines", long_tests())
check("READMEs of tests name files that are there", missing())
check("tests/README.md names every folder of tests that is no room", unnamed())
check("a header declares what its room defines", misplaced())
check("no function inside calls a public one that enters the ctx", reentries())
now = circles(calls())
check("no circle of files but those of circles.list", [" ".join(sorted(part)) for part in new_circles()])
check("the circles of circles.list are there, whole, each with its reason",
      [" ".join(sorted(files)) for files, reason in listed() if files not in now or not reason])
check("a circle of files stays in its room", [" ".join(sorted(part)) for part in now if len({room_of(f) for f in part}) > 1])
check("no header is in a circle of includes", [" ".join(sorted(part)) for part in circles(includes())])
sys.exit(failed)
