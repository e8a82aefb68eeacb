#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/checks/house.py: what the structure must not lose again.  tests/checks/house.list has what is still allowed: names that
two rooms share, public functions without a test, and for each private word a ceiling that may only fall.  Speaks TAP.
With `lower` it takes out of the list what is mended, and lowers the ceilings."""
import collections
import os
import re
import subprocess
import sys

LIST = "tests/checks/house.list"
LONGEST = 60  # lines of a function
MOST_ARGUMENTS = 7


def rooms_of_table():
    words = (line.split("#")[0].split() for line in open("tests/checks/rooms.list"))
    return {w[0].rstrip(":") for w in words if w and w[0] not in ("knot", "face")}


ROOMS = rooms_of_table()


def room_of(path):
    """The nearest folder above a path that the table of rooms has."""
    folder = os.path.dirname(path).removeprefix("src/")
    while folder and folder not in ROOMS:
        folder = os.path.dirname(folder)
    return folder or os.path.dirname(path)


def files(*roots, endings=(".c", ".h", ".def")):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *roots], capture_output=True, text=True).stdout.split()
    return [path for path in sorted(listed or walked(roots)) if path.endswith(endings) and os.path.exists(path)]


def walked(roots):  # a tree that was unpacked, not cloned
    for root in roots:
        yield from [root] if os.path.isfile(root) else (os.path.join(f, n) for f, _, names in os.walk(root) for n in names)


def text_of(path, cache={}):
    if path not in cache:
        cache[path] = open(path, encoding="utf-8").read()
    return cache[path]


def code_of(path, cache={}):
    """A source without its comments and strings; lines stay where they are."""
    if path not in cache:
        blank = lambda m: re.sub(r"[^\n]", " ", m.group()) if m.group().startswith("/") else '""'
        cache[path] = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text_of(path), flags=re.S)
    return cache[path]


# ---- the list ------------------------------------------------------------------

def read_list():
    allowed, ceilings = collections.defaultdict(set), {}
    for line in open(LIST):
        words = line.split("#")[0].split(None, 4)
        if not words:
            continue
        if words[0] == "term":
            ceilings[words[1]] = (int(words[2]), words[3], words[4].strip().rsplit(" say ", 1))
        else:
            allowed[words[0]].add(words[1])
    return allowed, ceilings


# ---- what there is ----------------------------------------------------------------

def names():
    """Types and macros: name -> rooms.  A macro that its file or its table undefines is local to it."""
    rooms = collections.defaultdict(set)
    undone = {m for p in files("src", endings=(".def",)) for m in re.findall(r"^#undef (\w+)", text_of(p), re.M)}
    for path in files("src", "include"):
        code = code_of(path)
        local = undone | set(re.findall(r"^\s*#\s*undef\s+(\w+)", code, re.M))
        types = re.findall(r"^typedef (?:struct|union|enum)\b[^;{]*?\b(\w+) \{", code, re.M)
        types += re.findall(r"^\} (\w+);", code, re.M) + re.findall(r"^typedef [^{};]*?\(?\*?(\w+)(?:\)\([^;]*)?;", code, re.M)
        types += [t for t in re.findall(r"^(?:static const |static |const )?(?:struct|union) (\w+) \{", code, re.M) if not t.startswith("zlay_")]
        types = [t for t in types if not re.search(rf"^typedef (?:struct|union) {t} {t};", code, re.M)]
        macros = [m for m in re.findall(r"^\s*#\s*define\s+(\w+)", code, re.M) if m not in local]
        if path.endswith(".h") and path.startswith("include"):
            macros = [m for m in macros if not m.endswith("_H")]
        for name in {*types, *macros}:
            rooms[name].add(room_of(path))
    return {name: where for name, where in rooms.items() if len(where) > 1}


def public_functions():
    for path in files("include", endings=(".h",)):
        for head in re.findall(r"\bZLAY_API\b([^;{]*)[;{]", code_of(path)):
            name = re.search(r"\b(zlay_\w+)\s*\(", head)
            if name:
                yield name.group(1), head[name.end() - 1:]


def untested():
    tested = set(re.findall(r"\bzlay_\w+", "\n".join(text_of(p) for p in files("tests", endings=(".c", ".h", ".cpp", ".py", ".sh", ".def")))))
    return {name for name, _ in public_functions() if name not in tested}


def wide():
    """Public functions of more arguments than a reader keeps in mind."""
    def arguments(text):
        depth, count = 0, 1
        for c in text:
            depth += (c == "(") - (c == ")")
            count += c == "," and depth == 1
        return count
    return {name for name, text in public_functions() if arguments(text) > MOST_ARGUMENTS}


def long_functions():
    for path in files("src", endings=(".c", ".h")):
        start, name = None, ""
        for number, line in enumerate(code_of(path).split("\n"), 1):
            if re.match(r"\w[^;={]*\w\(", line):
                name = re.search(r"(\w+)\(", line).group(1)
            if line == "{":
                start = number
            elif line == "}" and start:
                if number - start + 1 > LONGEST:
                    yield f"{path}:{name}"
                start = None


def unopened():
    """Sources that do not open with a comment behind the licence; of headers it may stand behind the guard."""
    for path in files("src", endings=(".c", ".h")):
        if not re.match(r"(?:/\* SPDX[^\n]*\n)(?:#ifndef \w+\n#define \w+\n)?\s*/\*", text_of(path)):
            yield path


def lost_tests():
    """READMEs of rooms that name a test which is not there."""
    for path in files("src", endings=("README.md",)):
        for line in re.findall(r"^Tested (.*)$", text_of(path), re.M):
            for test in re.findall(r"tests/[\w/.{},-]*[\w}]", line):
                if not os.path.exists(test):
                    yield f"{path} {test}"


def unread():
    for path in files("src", endings=("README.md",)):
        if not 3 <= len(text_of(path).strip().split("\n")) <= 12 or "Tested" not in text_of(path):
            yield f"{path}: a title, what lives here, what it may include, where to enter, what holds, where it is tested"


def strays():
    """Files at the root that are tracked and not among those that the list allows: transcripts and trials leave some there."""
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True).stdout.split("\n")
    return {path for path in listed if path and "/" not in path} - allowed["root"]


def occurrences(where, pattern):
    """Lines that have a private word: `code` without comments, `text` all, `docs` the pages."""
    roots = {"code": ("src", "include"), "text": ("src", "include"), "docs": ("docs", "README.md")}[where]
    of = code_of if where == "code" else text_of
    word = re.compile(pattern, re.I)
    for path in files(*roots, endings=(".md",) if where == "docs" else (".c", ".h", ".def", "README.md")):
        yield from (f"{path}:{n}" for n, line in enumerate(of(path).split("\n"), 1) if word.search(line))


# ---- checks ------------------------------------------------------------------------

number, failed = 0, False


def check(name, faults, notes=()):
    global number, failed
    number, faults = number + 1, sorted(faults)
    print(f"{'not ok' if faults else 'ok'} {number} - {name}")
    for line in [*faults[:30], *sorted(notes)]:
        print("#", line)
    failed = failed or bool(faults)


def beyond(kind, now):
    return {n: f"{n}: {now[n]}" if isinstance(now, dict) else n for n in set(now) - allowed[kind]}.values()


def lower(now, counts):
    """Write the list again without what is mended; nothing is added and no ceiling rises."""
    lines = []
    for line in open(LIST):
        words = line.split()
        if words and words[0] == "term":
            least = min(int(words[2]), counts[words[1]])
            line = line.replace(f" {words[2]} ", f" {least} ", 1)
        if not words or words[0] in ("#", "term", "root") or words[1] in now[words[0]]:
            lines.append(line)
    open(LIST, "w").write("".join(lines))


allowed, ceilings = read_list()
now = {"name": {n: " ".join(sorted(r)) for n, r in names().items()}, "untested": untested(), "wide": wide(), "long": set(long_functions()),
       "unopened": set(unopened())}
found = {term: list(occurrences(where, pattern)) for term, (_, where, (pattern, _)) in ceilings.items()}

if sys.argv[1:] == ["lower"]:
    lower(now, {term: len(lines) for term, lines in found.items()})
    sys.exit()
if sys.argv[1:] == ["draw"]:
    for kind, which in now.items():
        print("\n".join(f"{kind} {name}" + (f"  # {which[name]}" if isinstance(which, dict) else "") for name in sorted(which)))
    for term, lines in found.items():
        print("term", term, len(lines))
    sys.exit()

check("one name stands for one type or macro in the whole tree", beyond("name", now["name"]))
check("a test names every public function", beyond("untested", now["untested"]))
check(f"no public function has more than {MOST_ARGUMENTS} arguments", beyond("wide", now["wide"]))
check(f"no function has more than {LONGEST} lines", beyond("long", now["long"]))
check("every source opens with a comment that says what it does", beyond("unopened", now["unopened"]))
check("READMEs of rooms have their five lines", unread())
check("READMEs of rooms name tests that are there", lost_tests())
check("no file is tracked at the root but those of the list", strays())
for term, (ceiling, where, (pattern, say)) in ceilings.items():
    lines = found[term]
    check(f"'{term}' stands in at most {ceiling} lines of {where}; say {say}",
          [] if len(lines) <= ceiling else [f"{len(lines)} lines; first {' '.join(lines[:3])}"])
sys.exit(failed)
